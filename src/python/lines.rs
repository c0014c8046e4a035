//! Logs from Python: whole lines, or texts; what was read as JSON lines, as Arrow, and counted.

use super::input::text_of;
use super::options::{max_bytes_of, options_of, tools_of};
use crate::batch::jsonl::JsonLines;
use crate::batch::shapes::{Layout, LayoutError, SHAPES};
use crate::batch::stats::Stats;
use crate::batch::{BadLine, Position, Reader, Row, SeenTools, Sink, Text, Unit};
use crate::tools::Tools;
use crate::value::Ending;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

#[cfg(feature = "arrow")]
use crate::batch::columns::{Columns, Kind};

/// The longest line by default, in bytes.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// As many buffers are kept, of up to the longest line each.
const KEPT_BUFFERS: usize = 16;

/// Which of the two forms of a chunk are made.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Output {
    jsonl: bool,
    arrow: bool,
}

/// Reads the records of a log, a chunk at a time. Threads may share it; the interpreter is not held while it reads.
///
/// `tools`, `format`, `prompt`, `max_bytes` and `cut` as in `parse_tool_calls`, but everything is read. `shape` says where the replies stand in a
/// record: `"auto"`, `"openai-batch"`, `"messages"`, `"sharegpt"`, `"langfuse"`, `"langsmith"`, `"otel"` or `"text"` (each line is a reply).
/// `text_path`, `tools_path` and `id_path` are other places, as in `"response.body.choices[*].message.content"`; a path goes through JSON in
/// strings. A shape's own place of tools counts only when `tools` is `None`. Lines longer than `line_limit` bytes are bad lines. `spans` is
/// `"bytes"` (of UTF-8) or `"characters"`. `output` is `"jsonl"`, `"arrow"` or `"both"`: what the chunks hold.
/// Raises `TypeError` or `ValueError` for arguments that are none.
#[pyclass(frozen, module = "toolparse._core")]
pub struct BatchReader {
    reader: Reader,
    output: Output,
    /// Buffers for JSON lines, to be used again.
    buffers: Mutex<Vec<String>>,
}

#[pymethods]
impl BatchReader {
    #[new]
    #[pyo3(signature = (tools, *, format=None, prompt=None, max_bytes=None, cut="keep", shape="auto", text_path=None, tools_path=None, id_path=None, line_limit=LINE_LIMIT, spans="bytes", output="both", limits=None), text_signature = "(tools, *, format='auto', prompt='', max_bytes=None, cut='keep', shape='auto', text_path=None, tools_path=None, id_path=None, line_limit=16777216, spans='bytes', output='both', limits=None)")]
    #[expect(clippy::too_many_arguments, reason = "the options of the command line")]
    fn new(
        tools: &Bound<'_, PyAny>,
        format: Option<&Bound<'_, PyAny>>,
        prompt: Option<&Bound<'_, PyAny>>,
        max_bytes: Option<&Bound<'_, PyAny>>,
        cut: &str,
        shape: &str,
        text_path: Option<&str>,
        tools_path: Option<&str>,
        id_path: Option<&str>,
        line_limit: usize,
        spans: &str,
        output: &str,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<BatchReader> {
        let options = options_of(tools, format, prompt, cut, max_bytes_of(max_bytes)?, limits)?;
        let layout =
            Layout::new(shape, text_path, tools_path, id_path, options.tools.is_any()).map_err(|error| bad_layout(error, shape))?;
        let unit = match spans {
            "bytes" => Unit::Bytes,
            "characters" => Unit::Characters,
            other => return Err(PyValueError::new_err(format!("spans must be \"bytes\" or \"characters\", not \"{other}\""))),
        };
        Ok(BatchReader {
            reader: Reader::new(options, Ending::Unknown, layout, line_limit, unit),
            output: output_of(output)?,
            buffers: Mutex::default(),
        })
    }

    /// Reads whole lines of a log; the last may lack its line feed.
    ///
    /// `source` names the file in the records, `first_line` is the number of the first line there (from 1) and `first_offset` the byte at which
    /// it starts. What is no record is in the `errors` of the chunk; nothing that stands in the lines raises.
    #[pyo3(signature = (chunk, *, source, first_line, first_offset))]
    fn lines(&self, py: Python<'_>, chunk: PyBackedBytes, source: &str, first_line: u64, first_offset: u64) -> PyResult<BatchChunk> {
        let at = Position { source, line: first_line, offset: first_offset };
        let (collected, bad) = py.detach(|| {
            let mut collected = self.collected(chunk.len());
            let bad = self.reader.lines(&chunk, at, &mut collected);
            (collected, bad)
        });
        self.chunk(py, collected, bad)
    }

    /// Reads replies that stand alone, one record each: a list of `str`, UTF-8 `bytes` or `None`.
    ///
    /// `first_line` is the number of the first record; `ids` a list of `str` or `None`, one for each; `tools` a list of `Tools`, of anything that
    /// `Tools` takes, of JSON texts of it, or of `None`, one for each. Bytes that are no UTF-8 are in the `errors` of the chunk.
    #[pyo3(signature = (texts, *, source, first_line, ids=None, tools=None))]
    fn texts<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyAny>>,
        source: &str,
        first_line: u64,
        ids: Option<Vec<Option<Bound<'py, PyString>>>>,
        tools: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<BatchChunk> {
        same_length("ids", ids.as_ref().map(Vec::len), texts.len())?;
        same_length("tools", tools.as_ref().map(Vec::len), texts.len())?;
        let given: Vec<Option<Cow<'_, [u8]>>> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| if text.is_none() { Ok(None) } else { text_of(text, &format!("texts[{at}]")).map(|(text, _)| Some(text)) })
            .collect::<PyResult<_>>()?;
        let is_bytes: Vec<bool> = texts.iter().map(|text| !text.is_instance_of::<PyString>()).collect();
        let ids: Vec<Option<Cow<'_, str>>> = match &ids {
            Some(ids) => ids.iter().map(|id| id.as_ref().map(|id| id.to_string_lossy())).collect(),
            None => vec![None; texts.len()],
        };
        let tools: Vec<Result<Option<Arc<Tools>>, String>> = match &tools {
            Some(tools) => {
                let mut seen = SeenTools::default();
                tools.iter().map(|tools| self.offered(tools, &mut seen)).collect::<PyResult<_>>()?
            }
            None => vec![Ok(None); texts.len()],
        };
        let (collected, bad) = py.detach(|| {
            let mut collected = self.collected(given.iter().flatten().map(|text| text.len()).sum());
            let mut bad = Vec::new();
            for ((((text, is_bytes), id), tools), line) in given.iter().zip(is_bytes).zip(&ids).zip(tools).zip(first_line..) {
                let tools = match (tools, text.as_deref().filter(|_| is_bytes).map(std::str::from_utf8)) {
                    (Err(reason), _) => Err(reason),
                    (_, Some(Err(error))) => Err(format!("not valid UTF-8 at byte {}", error.valid_up_to())),
                    (Ok(tools), _) => Ok(tools),
                };
                match tools {
                    Err(reason) => bad.push(BadLine { line, offset: 0, reason }),
                    Ok(tools) => {
                        let text = Text { text: text.as_deref(), id: id.as_deref(), tools };
                        self.reader.texts(std::iter::once(text), Position { source, line, offset: 0 }, &mut collected);
                    }
                }
            }
            (collected, bad)
        });
        self.chunk(py, collected, bad)
    }
}

impl BatchReader {
    /// Nothing collected yet; about `bytes` of text are to come.
    fn collected(&self, bytes: usize) -> Collected {
        // Nobody waits for a buffer: a process that was forked may find the lock taken by a thread that it does not have.
        let buffer = self.buffers.try_lock().ok().and_then(|mut buffers| buffers.pop()).unwrap_or_default();
        Collected {
            jsonl: self.output.jsonl.then(|| JsonLines::new(buffer, bytes)),
            #[cfg(feature = "arrow")]
            columns: self.output.arrow.then(|| Columns::new(Kind::Records, bytes)),
            stats: Stats::default(),
        }
    }

    // Only columns can fail, and only the `arrow` feature has them.
    #[cfg_attr(not(feature = "arrow"), expect(clippy::unnecessary_wraps))]
    fn chunk(&self, py: Python<'_>, collected: Collected, bad: Vec<BadLine>) -> PyResult<BatchChunk> {
        let jsonl = collected.jsonl.map(|lines| {
            let jsonl = PyBytes::new(py, lines.text.as_bytes()).unbind();
            if let Ok(mut buffers) = self.buffers.try_lock()
                && buffers.len() < KEPT_BUFFERS
                && lines.text.capacity() <= LINE_LIMIT
            {
                buffers.push(lines.text);
            }
            jsonl
        });
        #[cfg(feature = "arrow")]
        let batches = collected.columns.map(Columns::finish).transpose().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(BatchChunk {
            jsonl,
            #[cfg(feature = "arrow")]
            batches,
            stats: collected.stats,
            bad,
        })
    }

    /// The tools of one text. An inner error: what the data says is none.
    fn offered(&self, tools: &Bound<'_, PyAny>, seen: &mut SeenTools) -> PyResult<Result<Option<Arc<Tools>>, String>> {
        if tools.is_none() {
            return Ok(Ok(None));
        }
        if let Ok(json) = tools.cast::<PyString>() {
            let json = json.to_string_lossy();
            let read = if json.trim().is_empty() { Ok(None) } else { seen.compiled(&json, self.reader.tools()).map(Some) };
            return Ok(read);
        }
        match tools_of(tools) {
            Ok(tools) => Ok(Ok(Some(tools))),
            Err(error) if error.is_instance_of::<PyValueError>(tools.py()) => Ok(Err(error.value(tools.py()).to_string())),
            Err(error) => Err(error),
        }
    }
}

fn same_length(argument: &str, length: Option<usize>, texts: usize) -> PyResult<()> {
    match length.filter(|length| *length != texts) {
        Some(length) => Err(PyValueError::new_err(format!("{argument}: {length} for {texts} texts; give one for each"))),
        None => Ok(()),
    }
}

fn bad_layout(error: LayoutError, shape: &str) -> PyErr {
    match error {
        LayoutError::UnknownShape => {
            let known: Vec<&str> = SHAPES.iter().map(|row| row.name).collect();
            PyValueError::new_err(format!("shape: unknown name \"{shape}\"; known are {}", known.join(", ")))
        }
        LayoutError::Path(argument) => {
            PyValueError::new_err(format!("{argument} must be keys and indexes with dots between, as in \"choices[0].message.content\""))
        }
    }
}

fn output_of(output: &str) -> PyResult<Output> {
    let both = cfg!(feature = "arrow");
    match output {
        "jsonl" => Ok(Output { jsonl: true, arrow: false }),
        "arrow" if both => Ok(Output { jsonl: false, arrow: true }),
        "arrow" => Err(PyValueError::new_err("output: this build has no Arrow")),
        "both" => Ok(Output { jsonl: true, arrow: both }),
        other => Err(PyValueError::new_err(format!("output must be \"jsonl\", \"arrow\" or \"both\", not \"{other}\""))),
    }
}

/// What is made of a chunk.
struct Collected {
    jsonl: Option<JsonLines>,
    #[cfg(feature = "arrow")]
    columns: Option<Columns>,
    stats: Stats,
}

impl Sink for Collected {
    fn row(&mut self, row: &Row<'_>) {
        if let Some(jsonl) = &mut self.jsonl {
            jsonl.row(row);
        }
        #[cfg(feature = "arrow")]
        if let Some(columns) = &mut self.columns {
            columns.row(row);
        }
        self.stats.row(row);
    }
}

/// What was read out of one chunk of a log.
///
/// `jsonl` is one JSON object a reply with a line feed behind each, `__arrow_c_stream__` the same as Arrow columns. `errors` holds what is no
/// record, as `(line, byte offset of the line in its file, reason)`; `rows` and `bytes` count replies and their text; `stats` counts the rest.
#[pyclass(frozen, module = "toolparse._core")]
pub struct BatchChunk {
    jsonl: Option<Py<PyBytes>>,
    #[cfg(feature = "arrow")]
    batches: Option<Vec<arrow_array::RecordBatch>>,
    stats: Stats,
    bad: Vec<BadLine>,
}

#[pymethods]
impl BatchChunk {
    #[getter]
    fn jsonl(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        self.jsonl
            .as_ref()
            .map(|jsonl| jsonl.clone_ref(py))
            .ok_or_else(|| PyValueError::new_err("this reader was made with output=\"arrow\""))
    }

    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.bad.iter().map(|bad| (bad.line, bad.offset, bad.reason.as_str())))
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.stats.rows
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.stats.bytes
    }

    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats_to_python(py, &self.stats)
    }

    /// The columns of the records, as an Arrow stream.
    #[cfg(feature = "arrow")]
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, pyo3::types::PyCapsule>>,
    ) -> PyResult<Bound<'py, pyo3::types::PyCapsule>> {
        let batches = self.batches.clone().ok_or_else(|| PyValueError::new_err("this reader was made with output=\"jsonl\""))?;
        let _ = requested_schema;
        super::arrow::stream(py, Kind::Records.schema(), batches)
    }

    /// The columns of the records, as a Parquet file of one row group.
    #[cfg(feature = "arrow")]
    fn parquet<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let batches = self.batches.as_deref().ok_or_else(|| PyValueError::new_err("this reader was made with output=\"jsonl\""))?;
        parquet(py, batches)
    }

    /// The columns' names and types.
    #[expect(clippy::unused_self, reason = "Python asks an object")]
    #[cfg(feature = "arrow")]
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyCapsule>> {
        super::arrow::schema_capsule(py, &Kind::Records.schema())
    }
}

/// How many line feeds there are in `data`. The interpreter is not held.
#[pyfunction]
#[pyo3(signature = (data))]
pub fn line_feeds(py: Python<'_>, data: PyBackedBytes) -> usize {
    py.detach(|| memchr::memchr_iter(b'\n', &data).count())
}

/// A Parquet file of records that has none.
#[cfg(feature = "arrow")]
#[pyfunction]
pub fn empty_parquet(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
    parquet(py, &[])
}

/// What ends a Parquet file that is made of others, one behind the other: `files` are the byte where each begins, and its own footer without
/// the length and the mark behind it.
#[cfg(feature = "arrow")]
#[pyfunction]
pub fn parquet_footer(py: Python<'_>, files: Vec<(i64, PyBackedBytes)>) -> PyResult<Bound<'_, PyBytes>> {
    let footer = py.detach(|| crate::batch::parquet::footer(files.iter().map(|(begin, footer)| (*begin, &**footer))));
    Ok(PyBytes::new(py, &footer.map_err(|error| PyValueError::new_err(error.to_string()))?))
}

#[cfg(feature = "arrow")]
fn parquet<'py>(py: Python<'py>, batches: &[arrow_array::RecordBatch]) -> PyResult<Bound<'py, PyBytes>> {
    let file = py.detach(|| crate::batch::parquet::file(Kind::Records.schema(), batches));
    Ok(PyBytes::new(py, &file.map_err(|error| PyValueError::new_err(error.to_string()))?))
}

/// Counts as a dict.
pub fn stats_to_python<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let Stats { rows, bytes, calls, complete, repaired, errors, by_format, by_tool, by_repair, by_error } = stats;
    for (name, count) in
        [("rows", rows), ("bytes", bytes), ("calls", calls), ("complete", complete), ("repaired", repaired), ("errors", errors)]
    {
        dict.set_item(name, count)?;
    }
    for (name, counts) in [("by_format", by_format), ("by_repair", by_repair), ("by_error", by_error)] {
        dict.set_item(name, counts)?;
    }
    let tools = PyDict::new(py);
    for (tool, count) in by_tool {
        tools.set_item(&**tool, count)?;
    }
    dict.set_item("by_tool", tools)?;
    Ok(dict)
}
