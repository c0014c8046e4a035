//! Record batches as small Parquet files of one row group. Many of them, one behind the other, make a large one with a footer of its own.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetMetaDataWriter,
    RowGroupMetaData,
};
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

/// The footer of files that stand one behind the other, from where each begins and its own footer; what ends the file with it.
///
/// # Errors
///
/// When there is none, or a footer is not one of [`file`].
pub fn footer<'f>(files: impl Iterator<Item = (i64, &'f [u8])>) -> Result<Vec<u8>, ParquetError> {
    let mut whole: Option<ParquetMetaData> = None;
    let mut groups = Vec::new();
    let mut options = ParquetMetaDataOptions::new().with_encoding_stats_as_mask(false);
    for (begin, footer) in files {
        let own = ParquetMetaDataReader::decode_metadata_with_options(footer, Some(&options))?;
        for group in own.row_groups() {
            groups.push(moved(group, begin, groups.len())?);
        }
        if whole.is_none() {
            options.set_schema(own.file_metadata().schema_descr_ptr());
            whole = Some(own);
        }
    }
    let Some(first) = whole else { return Err(ParquetError::General("no parts".to_owned())) };
    let first = first.file_metadata();
    let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let (maker, pairs) = (first.created_by().map(str::to_owned), first.key_value_metadata().cloned());
    let file = FileMetaData::new(first.version(), rows, maker, pairs, first.schema_descr_ptr(), first.column_orders().cloned());
    let mut out = Vec::new();
    ParquetMetaDataWriter::new(&mut out, &ParquetMetaData::new(file, groups)).finish()?;
    Ok(out)
}

/// A row group `begin` bytes further down, as the one with this number.
fn moved(group: &RowGroupMetaData, begin: i64, number: usize) -> Result<RowGroupMetaData, ParquetError> {
    let columns = group.columns().iter().map(|column| moved_column(column, begin)).collect::<Result<_, _>>()?;
    let mut builder = RowGroupMetaData::builder(group.schema_descr_ptr())
        .set_num_rows(group.num_rows())
        .set_total_byte_size(group.total_byte_size())
        .set_column_metadata(columns);
    if let Some(offset) = group.file_offset() {
        builder = builder.set_file_offset(offset + begin);
    }
    // There may be more row groups than this field can count.
    if let Ok(number) = i16::try_from(number) {
        builder = builder.set_ordinal(number);
    }
    builder.build()
}

fn moved_column(column: &ColumnChunkMetaData, begin: i64) -> Result<ColumnChunkMetaData, ParquetError> {
    let dictionary = column.dictionary_page_offset().map(|offset| offset + begin);
    let builder = column.clone().into_builder().set_dictionary_page_offset(dictionary);
    builder.set_data_page_offset(column.data_page_offset() + begin).build()
}
