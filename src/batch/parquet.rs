//! Record batches as small Parquet files of one row group. Many of them, one behind the other, make a large one with a footer of its own.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use std::sync::LazyLock;

/// Columns whose values hardly ever repeat: looking for repeats would only cost.
const UNIQUE: [&[&str]; 10] = [
    &["line"],
    &["id"],
    &["calls", "list", "item", "span_start"],
    &["calls", "list", "item", "span_end"],
    &["calls", "list", "item", "native_id"],
    &["errors", "list", "item", "span_start"],
    &["errors", "list", "item", "span_end"],
    &["repairs", "list", "item", "span_start"],
    &["repairs", "list", "item", "span_end"],
    &["n_calls"],
];

/// Columns by which readers may pass over row groups.
const SOUGHT: [&str; 4] = ["source", "line", "format", "n_calls"];

/// Values that are written together. After each such batch it is seen whether the repeats in a column still pay; texts are long.
const TOGETHER: usize = 64;

static PROPERTIES: LazyLock<WriterProperties> = LazyLock::new(|| {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_write_batch_size(TOGETHER)
        .set_max_row_group_row_count(None);
    for path in UNIQUE {
        let path = ColumnPath::new(path.iter().map(|name| (*name).to_owned()).collect());
        properties = properties.set_column_dictionary_enabled(path, false);
    }
    for name in SOUGHT {
        properties = properties.set_column_statistics_enabled(ColumnPath::from(name), EnabledStatistics::Chunk);
    }
    properties.build()
});

/// The batches as one file with one row group; without batches, a file without rows.
///
/// # Errors
///
/// When the columns cannot be written, which would be a fault of ours.
pub fn file(schema: SchemaRef, batches: &[RecordBatch]) -> Result<Vec<u8>, ParquetError> {
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(PROPERTIES.clone()))?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.into_inner()
}
