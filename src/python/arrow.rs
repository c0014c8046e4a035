//! Arrow from and to Python, through the `PyCapsule` interface: whatever library the tables come from, and without a Python object for a row.

use super::batch::threads_of;
use super::lines::stats_to_python;
use super::options::{finish_reason_of, max_bytes_of, options_of};
use crate::batch::columns::Kind;
use crate::batch::shapes::Layout;
use crate::batch::tables::{ColumnError, Table, column_of, read};
use crate::batch::{Reader, Unit};
use crate::finish::ending_of;
use ::arrow_schema::{ArrowError, SchemaRef};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator};
use pyo3::exceptions::{PyStopIteration, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList};
use pyo3_arrow::error::PyArrowError;
use pyo3_arrow::ffi::{ArrayReader, to_schema_pycapsule};
use pyo3_arrow::input::AnyArray;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How the replies of a table are read.
struct Reading {
    reader: Reader,
    column: Option<String>,
    threads: usize,
}

/// Reads the replies of an Arrow table or array.
///
/// `data` is anything with `__arrow_c_stream__` or `__arrow_c_array__`: tables, record batches, arrays, columns and relations of `pyarrow`,
/// `polars`, `pandas`, `duckdb`, `daft` and others; the text may be of any string or binary type, or a dictionary of one. `column` names the
/// column of a table; left out it is the only one that holds text, or the one that is called `response`, `text`, `content`, `output` or
/// `completion`. `tools` and the other options as in `parse_tool_calls`, but everything is read and ids are `"index"`; `threads` as in
/// `parse_batch`. Returns an `ArrowTable` with a row for each row of `data`; where that is null, the row is. Raises `TypeError` or `ValueError`
/// for arguments that are none; never on account of the text.
#[pyfunction]
#[pyo3(signature = (data, tools, *, column=None, threads=None, format=None, prompt=None, max_bytes=None, cut="keep", finish_reason=None, limits=None), text_signature = "(data, tools, *, column=None, threads=None, format='auto', prompt='', max_bytes=None, cut='keep', finish_reason=None, limits=None)")]
#[expect(clippy::too_many_arguments, reason = "the options of the public function")]
pub fn parse_arrow(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    tools: &Bound<'_, PyAny>,
    column: Option<String>,
    threads: Option<&Bound<'_, PyAny>>,
    format: Option<&Bound<'_, PyAny>>,
    prompt: Option<&Bound<'_, PyAny>>,
    max_bytes: Option<&Bound<'_, PyAny>>,
    cut: &str,
    finish_reason: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<ArrowTable> {
    let reading =
        Reading { reader: reader_of(tools, format, prompt, max_bytes, cut, finish_reason, limits)?, column, threads: threads_of(threads)? };
    reading.read(py, data, "data")
}

/// Reads the replies of tables as they come: an iterator with one `ArrowTable` for each of `batches`.
///
/// The form that engines ask for which hand over a stream of record batches. `threads` is 1 when left out, since they run many of these side by
/// side. Everything else as in `parse_arrow`.
#[pyfunction]
#[pyo3(signature = (batches, tools, *, column=None, threads=1, format=None, prompt=None, max_bytes=None, cut="keep", finish_reason=None, limits=None), text_signature = "(batches, tools, *, column=None, threads=1, format='auto', prompt='', max_bytes=None, cut='keep', finish_reason=None, limits=None)")]
#[expect(clippy::too_many_arguments, reason = "the options of the public function")]
pub fn iter_arrow(
    batches: &Bound<'_, PyAny>,
    tools: &Bound<'_, PyAny>,
    column: Option<String>,
    threads: usize,
    format: Option<&Bound<'_, PyAny>>,
    prompt: Option<&Bound<'_, PyAny>>,
    max_bytes: Option<&Bound<'_, PyAny>>,
    cut: &str,
    finish_reason: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<ArrowIterator> {
    let reading =
        Reading { reader: reader_of(tools, format, prompt, max_bytes, cut, finish_reason, limits)?, column, threads: threads.max(1) };
    Ok(ArrowIterator { batches: batches.try_iter()?.unbind(), reading })
}

/// Names and types of columns, as an object with `__arrow_c_schema__`: of the `"records"` of a log, or of the `"replies"` of a table, which are
/// those of an `ArrowTable`.
#[pyfunction]
#[pyo3(signature = (of="records"))]
pub fn arrow_schema(of: &str) -> PyResult<ArrowSchema> {
    match of {
        "records" => Ok(ArrowSchema { kind: Kind::Records }),
        "replies" => Ok(ArrowSchema { kind: Kind::Replies }),
        other => Err(PyValueError::new_err(format!("of must be \"records\" or \"replies\", not \"{other}\""))),
    }
}

fn reader_of(
    tools: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    prompt: Option<&Bound<'_, PyAny>>,
    max_bytes: Option<&Bound<'_, PyAny>>,
    cut: &str,
    finish_reason: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<Reader> {
    let options = options_of(tools, format, prompt, cut, max_bytes_of(max_bytes)?, limits)?;
    let ending = ending_of(finish_reason_of(finish_reason)?);
    let layout = Layout::new("text", None, None, None, false).map_err(|_| PyValueError::new_err("shape: unknown"))?;
    Ok(Reader::new(options, ending, layout, usize::MAX, Unit::Bytes))
}

impl Reading {
    fn read(&self, py: Python<'_>, data: &Bound<'_, PyAny>, argument: &str) -> PyResult<ArrowTable> {
        if !data.hasattr(intern!(py, "__arrow_c_stream__"))? && !data.hasattr(intern!(py, "__arrow_c_array__"))? {
            let kind = data.get_type().name()?.to_string();
            return Err(PyTypeError::new_err(format!(
                "{argument} must be an Arrow table or array (an object with __arrow_c_stream__ or __arrow_c_array__), not {kind}"
            )));
        }
        let arrays = data.extract::<AnyArray>()?.into_reader()?;
        let column = column_of(&arrays.field(), self.column.as_deref()).map_err(bad_column)?;
        let table = py.detach(|| read(&self.reader, Guarded(arrays), column, self.threads)).map_err(PyArrowError::from)?;
        Ok(ArrowTable { table })
    }
}

/// A stream that may be at fault without taking us along.
struct Guarded(Box<dyn ArrayReader + Send>);

impl Iterator for Guarded {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = catch_unwind(AssertUnwindSafe(|| self.0.next()));
        next.unwrap_or_else(|_| Some(Err(ArrowError::CDataInterface("the stream failed without saying why".to_owned()))))
    }
}

fn bad_column(error: ColumnError) -> PyErr {
    match error {
        ColumnError::Unknown(name, known) => {
            PyValueError::new_err(format!("column: there is no \"{name}\"; there are {}", known.join(", ")))
        }
        ColumnError::NotText(name, kind) if name.is_empty() => PyTypeError::new_err(format!("data must be an array of text, not {kind}")),
        ColumnError::NotText(name, kind) => PyTypeError::new_err(format!("column: \"{name}\" holds {kind}, not text")),
        ColumnError::NoText => PyTypeError::new_err("column: there is no column of text"),
        ColumnError::Several(names) => PyValueError::new_err(format!("column: which one? There are {}", names.join(", "))),
        ColumnError::NoColumns => PyValueError::new_err("column: the data is one array, not a table"),
    }
}

/// What was read out of a table: Arrow columns, which `pyarrow.table`, `polars.DataFrame`, `duckdb` and others take as they are.
///
/// The columns are `content`, `reasoning`, `format` (of the first call), `calls`, `errors`, `repairs`, `truncated` and `n_calls`; the arguments of
/// a call are JSON text, spans are byte offsets in the UTF-8 of the reply.
#[pyclass(frozen, module = "toolparse._core")]
pub struct ArrowTable {
    table: Table,
}

#[pymethods]
impl ArrowTable {
    /// The columns' names and types.
    #[expect(clippy::unused_self, reason = "Python asks an object")]
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &Kind::Replies.schema())
    }

    /// The columns, as an Arrow stream. It may be asked for any number of times.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(&self, py: Python<'py>, requested_schema: Option<Bound<'py, PyCapsule>>) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        stream(py, Kind::Replies.schema(), self.table.batches.clone())
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> u64 {
        self.table.stats.rows
    }

    /// The names of the columns.
    #[getter]
    #[expect(clippy::unused_self, reason = "Python asks an object")]
    fn column_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let schema = Kind::Replies.schema();
        PyList::new(py, schema.fields().iter().map(|field| field.name()))
    }

    /// The counts: `rows`, `bytes`, `calls`, `complete`, `repaired`, `errors`, `by_format`, `by_tool`, `by_repair`, `by_error`.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats_to_python(py, &self.table.stats)
    }

    /// As a `pyarrow.Table`.
    fn to_pyarrow(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("pyarrow")?.getattr("table")?.call1((slf,))
    }

    /// As a `polars.DataFrame`.
    fn to_polars(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("polars")?.getattr("DataFrame")?.call1((slf,))
    }

    fn __len__(&self) -> usize {
        self.table.stats.rows as usize
    }

    fn __repr__(&self) -> String {
        format!("<ArrowTable of {} rows with {} calls>", self.table.stats.rows, self.table.stats.calls)
    }
}

/// What `iter_arrow` returns.
#[pyclass(frozen, module = "toolparse._core")]
pub struct ArrowIterator {
    batches: Py<PyIterator>,
    reading: Reading,
}

#[pymethods]
impl ArrowIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        match self.batches.bind(py).clone().next() {
            Some(batch) => self.reading.read(py, &batch?, "each of batches"),
            None => Err(PyStopIteration::new_err(())),
        }
    }
}

/// The names and types of columns.
#[pyclass(frozen, module = "toolparse._core")]
pub struct ArrowSchema {
    kind: Kind,
}

#[pymethods]
impl ArrowSchema {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.kind.schema())
    }
}

pub fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    Ok(to_schema_pycapsule(py, schema.as_ref())?)
}

/// Record batches as a stream. Another schema may be asked for; to give one's own is allowed, and spares the code for every pair of types.
pub fn stream(py: Python<'_>, schema: SchemaRef, batches: Vec<RecordBatch>) -> PyResult<Bound<'_, PyCapsule>> {
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
}
