//! Columns of text in, columns of records out.

use super::columns::{Columns, Kind};
use super::stats::Stats;
use super::{Position, Reader, Row, Sink, Text};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Fields};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A task reads no more rows than this, and stops behind the row that brings it to so many bytes: the same tasks for any number of threads.
const TASK_ROWS: usize = 4096;
const TASK_BYTES: usize = 8 * 1024 * 1024;

/// So much text is taken from a stream before it is read.
const WAVE_BYTES: usize = 256 * 1024 * 1024;

/// The names that a column of replies most often has, the likeliest first.
const USUAL: [&str; 5] = ["response", "text", "content", "output", "completion"];

/// Why the column of replies cannot be told, or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnError {
    /// No column has this name; the names that there are.
    Unknown(String, Vec<String>),
    /// The column holds something other than text.
    NotText(String, DataType),
    /// There is no column of text.
    NoText,
    /// There are several; their names.
    Several(Vec<String>),
    /// A name was given, but the data is one array.
    NoColumns,
}

/// Where the replies stand: in the array itself, or in the column with this number.
///
/// # Errors
///
/// [`ColumnError`] when that cannot be told.
pub fn column_of(data: &Field, column: Option<&str>) -> Result<Option<usize>, ColumnError> {
    let DataType::Struct(fields) = data.data_type() else {
        return match column {
            Some(_) => Err(ColumnError::NoColumns),
            None if is_text(data.data_type()) || *data.data_type() == DataType::Null => Ok(None),
            None => Err(ColumnError::NotText(data.name().clone(), data.data_type().clone())),
        };
    };
    match column {
        Some(name) => named(fields, name).map(Some),
        None => usual(fields).map(Some),
    }
}

fn named(fields: &Fields, name: &str) -> Result<usize, ColumnError> {
    let unknown = || ColumnError::Unknown(name.to_owned(), fields.iter().map(|field| field.name().clone()).collect());
    let (at, field) = fields.iter().enumerate().find(|(_, field)| field.name() == name).ok_or_else(unknown)?;
    if is_text(field.data_type()) || *field.data_type() == DataType::Null {
        return Ok(at);
    }
    Err(ColumnError::NotText(name.to_owned(), field.data_type().clone()))
}

fn usual(fields: &Fields) -> Result<usize, ColumnError> {
    let texts: Vec<(usize, &str)> =
        fields.iter().enumerate().filter(|(_, field)| is_text(field.data_type())).map(|(at, field)| (at, field.name().as_str())).collect();
    let of_name = |name: &str| texts.iter().find(|(_, known)| *known == name).map(|(at, _)| *at);
    match texts.as_slice() {
        [] => Err(ColumnError::NoText),
        [(only, _)] => Ok(*only),
        several => USUAL
            .iter()
            .find_map(|name| of_name(name))
            .ok_or_else(|| ColumnError::Several(several.iter().map(|(_, name)| (*name).to_owned()).collect())),
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// A column of text as bytes: nobody vouches for what a producer calls UTF-8.
#[derive(Debug)]
enum Texts {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Dictionary { keys: Vec<usize>, valid: Option<NullBuffer>, values: Box<Texts> },
    Nulls(usize),
}

impl Texts {
    fn new(array: &dyn Array) -> Result<Texts, ArrowError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Texts::Small(array.as_string::<i32>().clone().into()),
            DataType::LargeUtf8 => Texts::Large(array.as_string::<i64>().clone().into()),
            DataType::Utf8View => Texts::View(array.as_string_view().clone().to_binary_view()),
            DataType::Binary => Texts::Small(array.as_binary::<i32>().clone()),
            DataType::LargeBinary => Texts::Large(array.as_binary::<i64>().clone()),
            DataType::BinaryView => Texts::View(array.as_binary_view().clone()),
            DataType::Dictionary(_, _) => {
                let dictionary = array.as_any_dictionary();
                if dictionary.values().is_empty() {
                    return Ok(Texts::Nulls(array.len()));
                }
                let values = Box::new(Texts::new(dictionary.values())?);
                Texts::Dictionary { keys: dictionary.normalized_keys(), valid: array.nulls().cloned(), values }
            }
            DataType::Null => Texts::Nulls(array.len()),
            other => return Err(ArrowError::SchemaError(format!("{other} is not text"))),
        })
    }

    fn len(&self) -> usize {
        match self {
            Texts::Small(array) => array.len(),
            Texts::Large(array) => array.len(),
            Texts::View(array) => array.len(),
            Texts::Dictionary { keys, .. } => keys.len(),
            Texts::Nulls(length) => *length,
        }
    }

    fn get(&self, at: usize) -> Option<&[u8]> {
        match self {
            Texts::Small(array) => array.is_valid(at).then(|| array.value(at)),
            Texts::Large(array) => array.is_valid(at).then(|| array.value(at)),
            Texts::View(array) => array.is_valid(at).then(|| array.value(at)),
            Texts::Dictionary { keys, valid, values } => {
                let key = keys.get(at).filter(|_| valid.as_ref().is_none_or(|valid| valid.is_valid(at)))?;
                values.get(*key)
            }
            Texts::Nulls(_) => None,
        }
    }
}

/// Rows of one array that are read together.
#[derive(Debug)]
struct Task {
    texts: Arc<Texts>,
    /// The rows that are there at all.
    valid: Option<NullBuffer>,
    rows: Range<usize>,
    bytes: usize,
}

impl Task {
    fn get(&self, row: usize) -> Option<&[u8]> {
        if self.valid.as_ref().is_some_and(|valid| valid.is_null(row)) { None } else { self.texts.get(row) }
    }
}

/// Adds the tasks of one array; returns how much text it holds.
fn tasks_of(array: &dyn Array, column: Option<usize>, tasks: &mut Vec<Task>) -> Result<usize, ArrowError> {
    let (texts, valid) = match column {
        None => (Texts::new(array)?, None),
        Some(at) => {
            let table = array.as_struct_opt().ok_or_else(|| ArrowError::SchemaError("not a table".to_owned()))?;
            let column = table.columns().get(at).ok_or_else(|| ArrowError::SchemaError("a batch without the column".to_owned()))?;
            (Texts::new(column)?, table.nulls().cloned())
        }
    };
    let texts = Arc::new(texts);
    let mut total = 0;
    let mut start = 0;
    let mut bytes = 0;
    for row in 0..texts.len() {
        let length = texts.get(row).map_or(0, <[u8]>::len);
        bytes += length;
        total += length;
        if row + 1 == texts.len() || row + 1 - start == TASK_ROWS || bytes >= TASK_BYTES {
            tasks.push(Task { texts: texts.clone(), valid: valid.clone(), rows: start..row + 1, bytes });
            start = row + 1;
            bytes = 0;
        }
    }
    Ok(total)
}

/// What was read.
#[derive(Debug, Default, Clone)]
pub struct Table {
    /// One row for each row that went in.
    pub batches: Vec<RecordBatch>,
    /// The counts.
    pub stats: Stats,
}

struct Both {
    columns: Columns,
    stats: Stats,
}

impl Sink for Both {
    fn row(&mut self, row: &Row<'_>) {
        self.columns.row(row);
        self.stats.row(row);
    }
}

/// Reads every reply of a stream of arrays. The answer is the same for any number of threads.
///
/// # Errors
///
/// What the stream fails with.
pub fn read(
    reader: &Reader,
    arrays: impl Iterator<Item = Result<ArrayRef, ArrowError>>,
    column: Option<usize>,
    threads: usize,
) -> Result<Table, ArrowError> {
    let mut table = Table::default();
    let mut tasks = Vec::new();
    let mut bytes = 0;
    for array in arrays {
        bytes += tasks_of(&array?, column, &mut tasks)?;
        if bytes >= WAVE_BYTES {
            run(reader, &std::mem::take(&mut tasks), threads, &mut table)?;
            bytes = 0;
        }
    }
    run(reader, &tasks, threads, &mut table)?;
    Ok(table)
}

type Slot = Mutex<Option<Result<Table, ArrowError>>>;

fn run(reader: &Reader, tasks: &[Task], threads: usize, table: &mut Table) -> Result<(), ArrowError> {
    let slots: Vec<Slot> = tasks.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let (Some(task), Some(slot)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            (tasks.get(at), slots.get(at))
        } {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(read_task(reader, task));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(tasks.len()) {
            scope.spawn(work);
        }
        work();
    });
    for slot in slots {
        let part = slot.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(|| Ok(Table::default()))?;
        table.batches.extend(part.batches);
        table.stats.add(&part.stats);
    }
    Ok(())
}

fn read_task(reader: &Reader, task: &Task) -> Result<Table, ArrowError> {
    let mut both = Both { columns: Columns::new(Kind::Replies, task.bytes), stats: Stats::default() };
    let texts = task.rows.clone().map(|row| Text { text: task.get(row), ..Text::default() });
    reader.texts(texts, Position { source: "", line: 1, offset: 0 }, &mut both);
    Ok(Table { batches: both.columns.finish()?, stats: both.stats })
}
