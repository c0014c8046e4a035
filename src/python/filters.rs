//! `ProseFilter` and `HeuristicToolParser`.

use super::input::{Unit, string, text_of, written};
use super::options::{plan_of, random_id};
use super::places::Places;
use super::results::{repairs, types};
use super::values::to_python;
use crate::collect::outcome::{Cut, Event};
use crate::limits::Limits;
use crate::parse::{Options, ProseFilter as Filter, Stream};
use crate::plan::Plan;
use crate::tools::Tools;
use crate::utf8::lossy;
use crate::value::Ending;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::sync::{Arc, Mutex, PoisonError};

/// Shows the prose of a reply while it comes, and hides calls, markup and reasoning.
///
/// `push(delta)` returns what is safe to show so far, `flush()` what is left at the end; a push behind it begins the next reply. Nothing is
/// trimmed, and what was held back because it
/// might have been markup comes out in order.
#[pyclass(frozen, module = "toolparse")]
pub struct ProseFilter {
    filter: Mutex<Filter>,
    options: Options,
}

#[pymethods]
impl ProseFilter {
    #[new]
    #[pyo3(signature = (*, format=None, prompt=None), text_signature = "(*, format='auto', prompt='')")]
    fn new(format: Option<&Bound<'_, PyAny>>, prompt: Option<&Bound<'_, PyAny>>) -> PyResult<ProseFilter> {
        let prompt = match prompt {
            None => Vec::new(),
            Some(prompt) => text_of(prompt, "prompt")?.0.into_owned(),
        };
        let options = Options {
            plan: plan_of(format)?,
            tools: Arc::new(Tools::any()),
            prompt,
            max_bytes: None,
            cut: Cut::Keep,
            limits: Limits::DEFAULT,
        };
        Ok(ProseFilter { filter: Mutex::new(Filter::new(&options)), options })
    }

    /// The prose that is safe to show so far.
    fn push<'py>(&self, py: Python<'py>, delta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        let (text, unit) = text_of(delta, "delta")?;
        let mut filter = self.filter.lock().unwrap_or_else(PoisonError::into_inner);
        if filter.is_finished() {
            *filter = Filter::new(&self.options);
        }
        let shown = filter.push(&text);
        drop(filter);
        if *shown == *text
            && let Ok(same) = delta.cast::<PyString>()
        {
            return Ok(same.clone());
        }
        Ok(written(py, &shown, unit))
    }

    /// What is left at the end of the reply.
    fn flush<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let shown = self.filter.lock().unwrap_or_else(PoisonError::into_inner).flush();
        string(py, &shown)
    }
}

struct Heuristic {
    stream: Stream,
    pending: Vec<u8>,
}

/// Reads the `● <function=Name><parameter=key>value</parameter>` form while it comes.
///
/// `feed(text)` returns the text to show and the calls that are over, as Anthropic `tool_use` blocks; `flush()` the calls that the end of the
/// reply leaves open, marked. The text that `flush` sets free is in `pending_text`. Every value is a string.
#[pyclass(frozen, module = "toolparse")]
pub struct HeuristicToolParser {
    state: Mutex<Heuristic>,
}

fn options() -> Options {
    let plan = Plan::named(&["bullet"]).unwrap_or_else(|_| Plan::auto());
    Options {
        plan: Arc::new(plan),
        tools: Arc::new(Tools::any()),
        prompt: Vec::new(),
        max_bytes: None,
        cut: Cut::Keep,
        limits: Limits::DEFAULT,
    }
}

#[pymethods]
impl HeuristicToolParser {
    #[new]
    fn new() -> HeuristicToolParser {
        HeuristicToolParser { state: Mutex::new(Heuristic { stream: Stream::new(&options()), pending: Vec::new() }) }
    }

    /// Reads the next piece: the text to show, and the calls that are over.
    fn feed<'py>(&self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyList>)> {
        let (piece, _) = text_of(text, "text")?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.stream.is_finished() {
            state.stream = Stream::new(&options());
            state.pending.clear();
        }
        let events = state.stream.push(&piece);
        let (shown, tools) = told(py, &state.stream, events)?;
        Ok((string(py, &shown), tools))
    }

    /// The calls that the end of the reply leaves open.
    fn flush<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let events = state.stream.finish(Ending::Unknown);
        let (shown, tools) = told(py, &state.stream, events)?;
        state.pending.extend_from_slice(&shown);
        Ok(tools)
    }

    /// The text that `flush` set free.
    #[getter]
    fn pending_text<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        string(py, &self.state.lock().unwrap_or_else(PoisonError::into_inner).pending)
    }
}

fn told<'py>(py: Python<'py>, stream: &Stream, events: Vec<Event>) -> PyResult<(Vec<u8>, Bound<'py, PyList>)> {
    let mut text = Vec::new();
    let tools = PyList::empty(py);
    let class = types(py)?.tool_use.bind(py);
    for event in events {
        match event {
            Event::Text(piece) => text.extend_from_slice(&piece),
            Event::CallEnd(place) => {
                let Some(call) = stream.outcome().calls.get(place) else { continue };
                let id = format!("toolu_heuristic_{}", lossy(&random_id::<8, _>(b"0123456789abcdef")?));
                let marks = repairs(py, &call.repairs, &Places::new(Unit::Bytes))?;
                tools.append(class.call1((id, lossy(&call.name).as_ref(), to_python(py, &call.arguments)?, call.complete, marks))?)?;
            }
            _ => {}
        }
    }
    Ok((text, tools))
}
