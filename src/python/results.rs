//! Whole readings, and what they return.

use super::input::{Raw, raw_of, written};
use super::options::{Ids, finish_reason_of, max_bytes_of, options_of};
use super::places::Places;
use super::slots::Slotted;
use super::values::{repeated, to_python};
use crate::catalog;
use crate::collect::guard::guarded;
use crate::collect::json::to_json;
use crate::collect::message::message;
use crate::collect::outcome::{Flow, Outcome, ReadCall, ReadError, SegmentKind};
use crate::finish::ending_of;
use crate::format::{Args, Body, Detect, Typing};
use crate::formats::FORMATS;
use crate::parse::{Options, parse};
use crate::repair::Repair;
use crate::span::Span;
use crate::tools::Tools;
use crate::value::Ending;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple, PyType};
use std::sync::Arc;

/// The types of `toolparse._types`, looked up once.
pub struct Types {
    pub result: Slotted,
    pub call: Slotted,
    pub error: Py<PyType>,
    pub repair: Py<PyType>,
    pub segment: Py<PyType>,
    pub tool_use: Py<PyType>,
    pub repaired: Slotted,
    pub format_info: Py<PyType>,
    pub missing: Py<PyAny>,
}

static TYPES: PyOnceLock<Types> = PyOnceLock::new();

pub fn types(py: Python<'_>) -> PyResult<&'static Types> {
    TYPES.get_or_try_init(py, || {
        let module = py.import("toolparse._types")?;
        let class = |name: &str| -> PyResult<Py<PyType>> { Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind()) };
        let slotted = |name: &str, slots: &[&str]| Slotted::of(class(name)?.bind(py), slots);
        Ok(Types {
            // What is not filled here is asked of `_native` once it is read.
            result: slotted("ParseResult", &["_native", "text", "calls"])?,
            call: slotted("ParsedCall", &["_native", "name", "arguments", "id"])?,
            error: class("CallError")?,
            repair: class("Repair")?,
            segment: class("Segment")?,
            tool_use: class("ToolUse")?,
            repaired: slotted("RepairedJSON", &["_native", "value"])?,
            format_info: class("FormatInfo")?,
            missing: module.getattr("MISSING")?.unbind(),
        })
    })
}

/// Makes the types of what is made when it is asked for, so that the first reply need not wait for them.
pub fn prepare(py: Python<'_>) -> PyResult<()> {
    types(py)?;
    py.get_type::<NativeCall>();
    py.get_type::<NativeResult>();
    super::values::prepare();
    Ok(())
}

/// The fields of a call that are made when they are asked for.
#[pyclass(frozen, module = "toolparse._core")]
pub struct NativeCall {
    call: Arc<ReadCall>,
    places: Places,
}

#[pymethods]
impl NativeCall {
    /// The value of a field of `ParsedCall`.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let call = &self.call;
        Ok(match name {
            "native_id" => call.native_id.as_deref().map(|id| written(py, id, self.places.unit())).into_pyobject(py)?.into_any(),
            "index" => call.index.into_pyobject(py)?.into_any(),
            "complete" => PyBool::new(py, call.complete).to_owned().into_any(),
            "format" => PyString::intern(py, call.format).into_any(),
            "shape" => PyString::intern(py, call.shape).into_any(),
            "repairs" => repairs(py, &call.repairs, &self.places)?.into_any(),
            "span" => self.places.span(py, call.span)?.into_any(),
            "arguments_json" => to_json(&call.arguments).into_pyobject(py)?.into_any(),
            other => return Err(PyAttributeError::new_err(format!("'ParsedCall' object has no attribute '{other}'"))),
        })
    }
}

/// The fields of a result that are made when they are asked for.
#[pyclass(frozen, module = "toolparse._core")]
pub struct NativeResult {
    segments: Vec<(SegmentKind, Span)>,
    errors: Vec<ReadError>,
    /// The calls, where they were not made at once.
    calls: Vec<Arc<ReadCall>>,
    text: Vec<u8>,
    reasoning: Vec<u8>,
    flow: Vec<Flow>,
    truncated: bool,
    tools: Arc<Tools>,
    places: Places,
}

#[pymethods]
impl NativeResult {
    /// The value of a field of `ParseResult`.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(match name {
            "text" => written(py, &self.text, self.places.unit()).into_any(),
            "calls" => {
                PyList::new(py, self.calls.iter().map(|call| later(py, call, &self.places)).collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            "truncated" => PyBool::new(py, self.truncated).to_owned().into_any(),
            "reasoning" => {
                (!self.reasoning.is_empty()).then(|| written(py, &self.reasoning, self.places.unit())).into_pyobject(py)?.into_any()
            }
            "errors" => {
                let errors = self.errors.iter().map(|error| error_to_python(py, error, &self.tools, &self.places));
                PyList::new(py, errors.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            "segments" => self.segments(py)?.into_any(),
            "flow" => self.flow(py)?.into_any(),
            other => return Err(PyAttributeError::new_err(format!("'ParseResult' object has no attribute '{other}'"))),
        })
    }
}

impl NativeResult {
    /// `("text", str)`, `("reasoning", str)`, `("call", place)` and `("error", place)` in the order of the reply.
    fn flow<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let (mut text, mut reasoning) = (0, 0);
        for item in &self.flow {
            match item {
                Flow::Text(bytes) => {
                    list.append(("text", written(py, self.text.get(text..text + bytes).unwrap_or_default(), self.places.unit())))?;
                    text += bytes;
                }
                Flow::Reasoning(bytes) => {
                    list.append((
                        "reasoning",
                        written(py, self.reasoning.get(reasoning..reasoning + bytes).unwrap_or_default(), self.places.unit()),
                    ))?;
                    reasoning += bytes;
                }
                Flow::Call(place) => list.append(("call", *place))?,
                Flow::Error(place) => list.append(("error", *place))?,
            }
        }
        Ok(list)
    }

    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let class = types(py)?.segment.bind(py);
        let list = PyList::empty(py);
        for (kind, span) in &self.segments {
            list.append(class.call1((PyString::intern(py, kind.name()), self.places.span(py, *span)?))?)?;
        }
        Ok(list)
    }
}

/// Marks as a tuple.
pub fn repairs<'py>(py: Python<'py>, repairs: &[Repair], places: &Places) -> PyResult<Bound<'py, PyTuple>> {
    if repairs.is_empty() {
        return Ok(PyTuple::empty(py));
    }
    let class = types(py)?.repair.bind(py);
    let made =
        repairs.iter().map(|repair| class.call1((PyString::intern(py, repair.kind.name()), places.span(py, repair.span)?, repair.safe)));
    PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

/// A call as Python sees it.
pub fn call_to_python<'py>(py: Python<'py>, call: Arc<ReadCall>, id: Py<PyString>, places: &Places) -> PyResult<Bound<'py, PyAny>> {
    let name = repeated(py, &call.name).into_any();
    let arguments = to_python(py, &call.arguments)?;
    let native = NativeCall { call, places: places.clone() }.into_pyobject(py)?.into_any();
    types(py)?.call.make(py, [native, name, arguments, id.into_bound(py).into_any()])
}

/// A call that was not made at once: its id follows from its index.
fn later<'py>(py: Python<'py>, call: &Arc<ReadCall>, places: &Places) -> PyResult<Bound<'py, PyAny>> {
    call_to_python(py, call.clone(), Ids::Index.make(py, call.index, "", None)?, places)
}

/// An error as Python sees it.
pub fn error_to_python<'py>(py: Python<'py>, error: &ReadError, tools: &Tools, places: &Places) -> PyResult<Bound<'py, PyAny>> {
    let message = message(error, tools, places.place(py, error.span.start));
    let name = error.name.as_deref().map(|name| written(py, name, places.unit()));
    types(py)?.error.bind(py).call1((
        message,
        error.kind.name(),
        name,
        places.span(py, error.span)?,
        written(py, &error.raw, places.unit()),
    ))
}

/// True when there is nothing in the reply but prose: its text is the reply.
pub fn is_prose(outcome: &Outcome) -> bool {
    let Outcome { text: _, reasoning, calls, errors, flow: _, segments, truncated } = outcome;
    let one = matches!(segments.as_slice(), [(SegmentKind::Prose, _)]);
    one && calls.is_empty() && errors.is_empty() && reasoning.is_empty() && !truncated
}

/// The result for a reply that is prose and nothing else.
pub fn prose_to_python<'py>(py: Python<'py>, reply: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    // All else follows from the reply: see `_PROSE` in `toolparse._types`.
    types(py)?.result.make(py, [reply.clone().into_any(), reply.clone().into_any()])
}

/// How a call gets its id.
pub type IdOf<'i> = &'i dyn Fn(&ReadCall) -> PyResult<Py<PyString>>;

/// A result as Python sees it. `raw`: the reply, handed back as its own text when nothing was taken out of it. `ids`: those of the calls; where
/// they follow from the calls, `None`, and what takes time is left for when it is asked for.
pub fn result_to_python<'py>(
    py: Python<'py>,
    outcome: Outcome,
    raw: Option<&Bound<'py, PyString>>,
    ids: Option<IdOf<'_>>,
    tools: &Arc<Tools>,
    places: &Places,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(reply) = raw.filter(|_| is_prose(&outcome)) {
        return prose_to_python(py, reply);
    }
    let result = &types(py)?.result;
    let mut calls = outcome.calls.into_iter();
    let made = match ids {
        None => None,
        Some(id_of) => {
            let list = PyList::empty(py);
            for call in calls.by_ref() {
                let id = id_of(&call)?;
                list.append(call_to_python(py, Arc::new(call), id, places)?)?;
            }
            Some((written(py, &outcome.text, places.unit()).into_any(), list.into_any()))
        }
    };
    let native = NativeResult {
        segments: outcome.segments,
        errors: outcome.errors,
        calls: calls.map(Arc::new).collect(),
        text: outcome.text,
        reasoning: outcome.reasoning,
        flow: outcome.flow,
        truncated: outcome.truncated,
        tools: tools.clone(),
        places: places.clone(),
    };
    let native = native.into_pyobject(py)?.into_any();
    match made {
        Some((text, calls)) => result.make(py, [native, text, calls]),
        None => result.make(py, [native]),
    }
}

/// Replies longer than this are read without holding the interpreter.
const DETACH_FROM: usize = 8 * 1024;

/// What was read in a reply, and how many bytes it has; `None` for a `str` that is prose and nothing else.
pub fn read(reply: &Raw<'_>, options: &Options, ending: Ending) -> Option<(Outcome, usize)> {
    let text = reply.utf8_unless_plain(options)?;
    Some((guarded(&text, || parse(&text, options, ending)), text.len()))
}

/// Reads tool calls, reasoning and prose out of one reply.
///
/// `raw` is the reply, `str` or UTF-8 `bytes`; `tools` what was offered (see `Tools`). `format` is `"auto"`, a format name or a list of names;
/// `prompt` the end of the text that the model was continuing, which decides whether the reply starts inside reasoning; `max_bytes` how much is
/// read (bytes of UTF-8; 32 KB as the first document says, `None` for all); `cut` what becomes of a call that the reply breaks off: `"keep"`
/// (returned with its marks) or `"drop"` (an error); `ids` is `"random"`, `"index"` or a callable `(index, name, native_id) -> str`;
/// `finish_reason` why the model stopped, if known; `limits` how much is taken in (see `Limits`). Returns a `ParseResult`. Never raises on account of the text; raises `TypeError` or
/// `ValueError` for arguments that are none.
#[pyfunction]
#[pyo3(signature = (raw, tools, *, format=None, prompt=None, max_bytes=MaxBytes::Default, cut="keep", ids=None, finish_reason=None, limits=None), text_signature = "(raw, tools, *, format='auto', prompt='', max_bytes=32768, cut='keep', ids='random', finish_reason=None, limits=None)")]
#[expect(clippy::too_many_arguments, reason = "the options of the public function")]
pub fn parse_tool_calls<'py>(
    py: Python<'py>,
    raw: &Bound<'py, PyAny>,
    tools: &Bound<'py, PyAny>,
    format: Option<&Bound<'py, PyAny>>,
    prompt: Option<&Bound<'py, PyAny>>,
    max_bytes: MaxBytes<'py>,
    cut: &str,
    ids: Option<&Bound<'py, PyAny>>,
    finish_reason: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (text, _) = raw_of(raw, "raw")?;
    let options = options_of(tools, format, prompt, cut, max_bytes.get()?, limits)?;
    let ids = Ids::of(ids, Ids::Random)?;
    let ending = ending_of(finish_reason_of(finish_reason)?);
    let read = if text.len() < DETACH_FROM { read(&text, &options, ending) } else { py.detach(|| read(&text, &options, ending)) };
    let whole = raw.cast::<PyString>().ok();
    let Some((outcome, bytes)) = read else { return prose_to_python(py, raw.cast()?) };
    let places = Places::of(raw, bytes);
    result_to_python(py, outcome, whole, Some(&|call| ids.of_call(py, call)), &options.tools, &places)
}

/// `max_bytes` where leaving it out and giving `None` differ.
pub enum MaxBytes<'py> {
    /// Left out.
    Default,
    /// Given.
    Given(Bound<'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for MaxBytes<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(MaxBytes::Given(object.to_owned()))
    }
}

impl MaxBytes<'_> {
    fn get(&self) -> PyResult<Option<usize>> {
        match self {
            MaxBytes::Default => Ok(Some(32 * 1024)),
            MaxBytes::Given(value) => max_bytes_of(Some(value)),
        }
    }
}

/// The formats that are read: a tuple of `FormatInfo`, in the order of the table.
#[pyfunction]
pub fn formats(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let class = types(py)?.format_info.bind(py);
    let mut names: Vec<&str> = Vec::new();
    for row in FORMATS {
        if !names.contains(&row.name) {
            names.push(row.name);
        }
    }
    let infos = names.into_iter().map(|name| {
        let rows: Vec<_> = FORMATS.iter().filter(|row| row.name == name).collect();
        let entry = catalog::entry(name);
        let mut openers: Vec<&str> = rows.iter().flat_map(|row| row.openers()).copied().collect();
        let mut closers: Vec<&str> = rows.iter().flat_map(|row| row.section.close.iter().chain(row.call.close)).copied().collect();
        unique(&mut openers);
        unique(&mut closers);
        let elsewhere = PyDict::new(py);
        if let Some(entry) = entry {
            let hosts = [
                ("vllm", entry.vllm),
                ("sglang", entry.sglang),
                ("llama.cpp", entry.llama_cpp),
                ("ollama", entry.ollama),
                ("mlx-lm", entry.mlx_lm),
                ("smg", entry.smg),
            ];
            for (host, names) in hosts {
                if !names.is_empty() {
                    elsewhere.set_item(host, PyTuple::new(py, names)?)?;
                }
            }
        }
        let needs_schema = rows.iter().any(|row| needs_schema(&row.body));
        let auto = rows.iter().any(|row| row.detect == Detect::Auto);
        class.call1((
            name,
            PyTuple::new(py, entry.map_or(&[][..], |entry| entry.aliases))?,
            entry.map_or(name, |entry| entry.title),
            PyTuple::new(py, entry.map_or(&[][..], |entry| entry.models))?,
            PyTuple::new(py, openers)?,
            PyTuple::new(py, closers)?,
            needs_schema,
            auto,
            elsewhere,
        ))
    });
    PyTuple::new(py, infos.collect::<PyResult<Vec<_>>>()?)
}

fn unique(list: &mut Vec<&str>) {
    let mut seen = Vec::new();
    list.retain(|item| {
        let new = !seen.contains(item);
        seen.push(*item);
        new
    });
}

/// Whether values are typed by the tool's schema.
fn needs_schema(body: &Body) -> bool {
    match body {
        Body::Named(_, Args::Pairs(pairs)) => matches!(pairs.typing, Typing::SchemaOrJson | Typing::SchemaOrText),
        Body::Named(_, Args::Tree(_) | Args::Text { .. }) => true,
        _ => false,
    }
}

/// The format that a model writes, by its id: `"hermes"` for `"Qwen/Qwen3-8B"`; `"auto"` when it is not known.
#[pyfunction]
pub fn format_for_model(model: &str) -> &'static str {
    catalog::format_for_model(model)
}

/// `OpenAI`'s word for a server's word, calls apart: `stop`, `length` or `content_filter`; `None` for an unknown one.
#[pyfunction]
pub fn _finish_reason(word: &str) -> Option<&'static str> {
    crate::finish::FinishReason::of(word).map(crate::finish::FinishReason::word)
}
