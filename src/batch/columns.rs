//! Records as Arrow columns.

use super::jsonl::call_id;
use super::{Read, Row, Sink};
use crate::collect::json::Cursor;
use crate::collect::message::message;
use crate::span::Span;
use crate::utf8::lossy;
use arrow_array::builder::{BooleanBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use std::sync::{Arc, LazyLock};

/// A record batch ends behind the reply that brings it to this many bytes, so that no column outgrows 31-bit offsets.
const FULL: usize = super::MOST_BYTES;

fn field(name: &str, kind: DataType) -> Field {
    Field::new(name, kind, true)
}

fn fields<const N: usize>(fields: [(&str, DataType); N]) -> Fields {
    fields.into_iter().map(|(name, kind)| field(name, kind)).collect()
}

fn list_of(fields: &Fields) -> DataType {
    DataType::List(Arc::new(field("item", DataType::Struct(fields.clone()))))
}

static CALL: LazyLock<Fields> = LazyLock::new(|| {
    fields([
        ("index", DataType::Int32),
        ("id", DataType::Utf8),
        ("native_id", DataType::Utf8),
        ("name", DataType::Utf8),
        ("arguments", DataType::Utf8),
        ("complete", DataType::Boolean),
        ("repaired", DataType::Boolean),
        ("span_start", DataType::Int64),
        ("span_end", DataType::Int64),
    ])
});

static ERROR: LazyLock<Fields> = LazyLock::new(|| {
    fields([
        ("code", DataType::Utf8),
        ("message", DataType::Utf8),
        ("name", DataType::Utf8),
        ("span_start", DataType::Int64),
        ("span_end", DataType::Int64),
    ])
});

static REPAIR: LazyLock<Fields> = LazyLock::new(|| {
    fields([("kind", DataType::Utf8), ("call", DataType::Int32), ("span_start", DataType::Int64), ("span_end", DataType::Int64)])
});

/// The columns of replies from a table: what was read, one row for each reply.
pub static REPLY_SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        field("content", DataType::Utf8),
        field("reasoning", DataType::Utf8),
        field("format", DataType::Utf8),
        field("calls", list_of(&CALL)),
        field("errors", list_of(&ERROR)),
        field("repairs", list_of(&REPAIR)),
        field("truncated", DataType::Boolean),
        field("n_calls", DataType::Int32),
    ]))
});

/// The columns of records from a log: where each comes from, and what was read. The same names in the same order as in JSON lines.
pub static RECORD_SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        field("source", DataType::Utf8),
        field("line", DataType::Int64),
        field("id", DataType::Utf8),
        field("format", DataType::Utf8),
        field("content", DataType::Utf8),
        field("reasoning", DataType::Utf8),
        field("calls", list_of(&CALL)),
        field("errors", list_of(&ERROR)),
        field("repairs", list_of(&REPAIR)),
        field("truncated", DataType::Boolean),
        field("n_calls", DataType::Int32),
    ]))
});

/// Which columns are made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// [`REPLY_SCHEMA`].
    Replies,
    /// [`RECORD_SCHEMA`].
    Records,
}

impl Kind {
    /// The columns.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        match self {
            Kind::Replies => REPLY_SCHEMA.clone(),
            Kind::Records => RECORD_SCHEMA.clone(),
        }
    }
}

/// Makes record batches out of records.
#[derive(Debug)]
pub struct Columns {
    kind: Kind,
    open: Open,
    batches: Vec<RecordBatch>,
    failed: Option<ArrowError>,
    scratch: String,
}

impl Columns {
    /// No records yet; about `bytes` of text are to come.
    #[must_use]
    pub fn new(kind: Kind, bytes: usize) -> Columns {
        let content = StringBuilder::with_capacity(0, bytes.min(FULL));
        Columns { kind, open: Open { content, ..Open::default() }, batches: Vec::new(), failed: None, scratch: String::new() }
    }

    /// The record batches; none without records.
    ///
    /// # Errors
    ///
    /// When Arrow refuses the columns, which would be a fault of ours.
    pub fn finish(mut self) -> Result<Vec<RecordBatch>, ArrowError> {
        self.close();
        self.failed.map_or(Ok(self.batches), Err)
    }

    fn close(&mut self) {
        if self.open.rows == 0 {
            return;
        }
        match std::mem::take(&mut self.open).finish(self.kind) {
            Ok(batch) => self.batches.push(batch),
            Err(error) => self.failed = Some(error),
        }
    }
}

impl Sink for Columns {
    fn row(&mut self, row: &Row<'_>) {
        if self.kind == Kind::Records {
            self.open.source.append_value(row.source);
            self.open.line.append_value(row.line.cast_signed());
            self.open.id.append_option(row.id);
        }
        self.open.reply(row.read.as_ref(), &mut self.scratch);
        self.open.rows += 1;
        self.open.bytes += row.read.as_ref().map_or(0, |read| read.bytes);
        if self.open.bytes >= FULL {
            self.close();
        }
    }
}

/// A record batch in the making.
#[derive(Debug, Default)]
struct Open {
    rows: usize,
    bytes: usize,
    source: StringBuilder,
    line: Int64Builder,
    id: StringBuilder,
    format: StringBuilder,
    content: StringBuilder,
    reasoning: StringBuilder,
    calls: Calls,
    errors: Errors,
    repairs: Repairs,
    truncated: BooleanBuilder,
    n_calls: Int32Builder,
}

impl Open {
    fn reply(&mut self, read: Option<&Read<'_>>, scratch: &mut String) {
        let Some(read) = read else { return self.null() };
        let outcome = read.outcome;
        self.format.append_option(outcome.calls.first().map(|call| call.format));
        self.content.append_value(lossy(&outcome.text));
        self.reasoning.append_option((!outcome.reasoning.is_empty()).then(|| lossy(&outcome.reasoning)));
        for call in &outcome.calls {
            self.calls.add(call, read, scratch);
            for repair in &call.repairs {
                self.repairs.add(repair, call.index, read);
            }
        }
        for error in &outcome.errors {
            self.errors.add(error, read);
        }
        self.calls.rows.end(true);
        self.errors.rows.end(true);
        self.repairs.rows.end(true);
        self.truncated.append_value(outcome.truncated);
        self.n_calls.append_value(count(outcome.calls.len()));
    }

    fn null(&mut self) {
        self.format.append_null();
        self.content.append_null();
        self.reasoning.append_null();
        self.calls.rows.end(false);
        self.errors.rows.end(false);
        self.repairs.rows.end(false);
        self.truncated.append_null();
        self.n_calls.append_null();
    }

    fn finish(mut self, kind: Kind) -> Result<RecordBatch, ArrowError> {
        let format: ArrayRef = Arc::new(self.format.finish());
        let content: ArrayRef = Arc::new(self.content.finish());
        let reasoning: ArrayRef = Arc::new(self.reasoning.finish());
        let mut columns: Vec<ArrayRef> = match kind {
            Kind::Replies => vec![content, reasoning, format],
            Kind::Records => {
                vec![Arc::new(self.source.finish()), Arc::new(self.line.finish()), Arc::new(self.id.finish()), format, content, reasoning]
            }
        };
        columns.push(self.calls.finish()?);
        columns.push(self.errors.finish()?);
        columns.push(self.repairs.finish()?);
        columns.push(Arc::new(self.truncated.finish()));
        columns.push(Arc::new(self.n_calls.finish()));
        RecordBatch::try_new(kind.schema(), columns)
    }
}

/// The rows of a column of lists.
#[derive(Debug)]
struct Rows {
    items: i32,
    offsets: Vec<i32>,
    valid: NullBufferBuilder,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows { items: 0, offsets: vec![0], valid: NullBufferBuilder::new(0) }
    }
}

impl Rows {
    fn end(&mut self, valid: bool) {
        self.offsets.push(self.items);
        self.valid.append(valid);
    }

    fn finish(mut self, fields: &Fields, columns: Vec<ArrayRef>) -> Result<ArrayRef, ArrowError> {
        let items = StructArray::try_new(fields.clone(), columns, None)?;
        let item = Arc::new(field("item", DataType::Struct(fields.clone())));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(self.offsets));
        Ok(Arc::new(ListArray::try_new(item, offsets, Arc::new(items), self.valid.finish())?))
    }
}

/// A span in two columns.
#[derive(Debug, Default)]
struct Places {
    start: Int64Builder,
    end: Int64Builder,
}

impl Places {
    fn add(&mut self, span: Span, read: &Read<'_>) {
        self.start.append_value(place(read, span.start));
        self.end.append_value(place(read, span.end));
    }
}

#[derive(Debug, Default)]
struct Calls {
    rows: Rows,
    index: Int32Builder,
    id: StringBuilder,
    native_id: StringBuilder,
    name: StringBuilder,
    arguments: StringBuilder,
    complete: BooleanBuilder,
    repaired: BooleanBuilder,
    places: Places,
}

impl Calls {
    fn add(&mut self, call: &crate::ReadCall, read: &Read<'_>, scratch: &mut String) {
        self.rows.items += 1;
        self.index.append_value(count(call.index));
        call_id(call.index, &mut self.id);
        self.id.append_value("");
        self.native_id.append_option(call.native_id.as_deref().map(lossy));
        self.name.append_value(lossy(&call.name));
        scratch.clear();
        Cursor::default().write(&call.arguments, call.arguments.len(), true, scratch);
        self.arguments.append_value(&*scratch);
        self.complete.append_value(call.complete);
        self.repaired.append_value(!call.repairs.is_empty());
        self.places.add(call.span, read);
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.index.finish()),
            Arc::new(self.id.finish()),
            Arc::new(self.native_id.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.arguments.finish()),
            Arc::new(self.complete.finish()),
            Arc::new(self.repaired.finish()),
            Arc::new(self.places.start.finish()),
            Arc::new(self.places.end.finish()),
        ];
        self.rows.finish(&CALL, columns)
    }
}

#[derive(Debug, Default)]
struct Errors {
    rows: Rows,
    code: StringBuilder,
    message: StringBuilder,
    name: StringBuilder,
    places: Places,
}

impl Errors {
    fn add(&mut self, error: &crate::ReadError, read: &Read<'_>) {
        self.rows.items += 1;
        self.code.append_value(error.kind.name());
        self.message.append_value(message(error, read.tools, read.spans.place(error.span.start)));
        self.name.append_option(error.name.as_deref().map(lossy));
        self.places.add(error.span, read);
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.code.finish()),
            Arc::new(self.message.finish()),
            Arc::new(self.name.finish()),
            Arc::new(self.places.start.finish()),
            Arc::new(self.places.end.finish()),
        ];
        self.rows.finish(&ERROR, columns)
    }
}

#[derive(Debug, Default)]
struct Repairs {
    rows: Rows,
    kind: StringBuilder,
    call: Int32Builder,
    places: Places,
}

impl Repairs {
    fn add(&mut self, repair: &crate::repair::Repair, call: usize, read: &Read<'_>) {
        self.rows.items += 1;
        self.kind.append_value(repair.kind.name());
        self.call.append_value(count(call));
        self.places.add(repair.span, read);
    }

    fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.kind.finish()),
            Arc::new(self.call.finish()),
            Arc::new(self.places.start.finish()),
            Arc::new(self.places.end.finish()),
        ];
        self.rows.finish(&REPAIR, columns)
    }
}

fn place(read: &Read<'_>, at: usize) -> i64 {
    i64::try_from(read.spans.place(at)).unwrap_or(i64::MAX)
}

/// A count of calls, of which there are few.
fn count(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
