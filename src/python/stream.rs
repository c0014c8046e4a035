//! `ToolStream`.

use super::events::{ArgumentsDelta, CallEnd, CallFailed, CallStart, ReasoningDelta, TextDelta};
use super::input::{Unit, text_of, written};
use super::options::{Ids, PyTools, finish_reason_of, max_bytes_of, options_of};
use super::places::Places;
use super::results::{call_to_python, error_to_python, result_to_python};
use crate::collect::outcome::{Event, ReadCall, ReadError};
use crate::finish::ending_of;
use crate::parse::{Options, Stream};
use crate::tools::Tools;
use crate::utf8::lossy;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

struct State {
    stream: Stream,
    places: Places,
    unit: Option<Unit>,
    ids: Vec<Py<PyString>>,
    /// All text so far: a stream is moved by reading it again, since every cut gives the same state.
    text: Vec<u8>,
    ending: Option<String>,
}

/// What a stream was made with.
struct Spec {
    tools: Py<PyAny>,
    format: Option<Py<PyAny>>,
    limits: Option<Py<PyAny>>,
    options: Options,
    cut: String,
}

/// Reads a reply while it comes.
///
/// `push(delta)` and `finish(finish_reason=None)` return the events that have become certain; `result()` the `ParseResult` so far. Whatever the
/// pieces, the events add up to what `parse_tool_calls` returns for the whole. Options as there; everything is read unless `max_bytes` says
/// otherwise. Never raises on account of the text; `push` after `finish` raises `RuntimeError`.
#[pyclass(frozen, module = "toolparse")]
pub struct ToolStream {
    state: Mutex<State>,
    ids: Ids,
    tools: Arc<Tools>,
    spec: Spec,
    /// True while a callback of the caller runs.
    in_callback: AtomicBool,
}

/// An event with what it refers to.
enum Told {
    Plain(Event),
    Ended(ReadCall),
    Failed(ReadError),
}

#[pymethods]
impl ToolStream {
    #[new]
    #[pyo3(signature = (tools, *, format=None, prompt=None, max_bytes=None, cut="keep", ids=None, limits=None), text_signature = "(tools, *, format='auto', prompt='', max_bytes=None, cut='keep', ids='random', limits=None)")]
    fn new(
        tools: &Bound<'_, PyAny>,
        format: Option<&Bound<'_, PyAny>>,
        prompt: Option<&Bound<'_, PyAny>>,
        max_bytes: Option<&Bound<'_, PyAny>>,
        cut: &str,
        ids: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ToolStream> {
        // An iterator gives its items once.
        let tools = Bound::new(tools.py(), PyTools::new(tools)?)?.into_any();
        let options = options_of(&tools, format, prompt, cut, max_bytes_of(max_bytes)?, limits)?;
        let compiled = options.tools.clone();
        let state = Mutex::new(State::new(&options));
        let ids = Ids::of(ids, Ids::Random)?;
        let spec = Spec {
            tools: tools.unbind(),
            format: format.map(|format| format.clone().unbind()),
            limits: limits.map(|limits| limits.clone().unbind()),
            options,
            cut: cut.to_owned(),
        };
        Ok(ToolStream { state, ids, tools: compiled, spec, in_callback: AtomicBool::new(false) })
    }

    /// Reads the next piece, `str` or UTF-8 `bytes` (a piece of bytes may end inside a character); returns the new events.
    fn push<'py>(&self, py: Python<'py>, delta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (text, unit) = text_of(delta, "delta")?;
        let mut state = self.lock(py)?;
        if state.stream.is_finished() {
            return Err(PyRuntimeError::new_err("push after finish: the reply is over; make a new ToolStream for the next one"));
        }
        if !text.is_empty() && state.unit.is_none() {
            state.unit = Some(unit);
            state.places = Places::new(unit);
        }
        state.places.push(&text);
        state.text.extend_from_slice(&text);
        let events = state.stream.push(&text);
        match events.as_slice() {
            [] => return Ok(PyList::empty(py)),
            // The commonest piece is prose and nothing else: the very text that came in goes out.
            [Event::Text(shown)] if **shown == *text => {
                if let Ok(same) = delta.cast_exact::<PyString>() {
                    return PyList::new(py, [Py::new(py, TextDelta { text: same.clone().unbind() })?]);
                }
            }
            _ => {}
        }
        self.convert(py, state, events)
    }

    /// Says that the reply is over, and why, if that is known; returns the last events. A second call returns none.
    #[pyo3(signature = (finish_reason=None))]
    fn finish<'py>(&self, py: Python<'py>, finish_reason: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyList>> {
        let reason = finish_reason_of(finish_reason)?;
        let mut state = self.lock(py)?;
        if !state.stream.is_finished() {
            state.ending = Some(reason.unwrap_or_default().to_owned());
        }
        let events = state.stream.finish(ending_of(reason));
        self.convert(py, state, events)
    }

    /// Makes it ready for another reply, as if it were new.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        *self.lock(py)? = State::new(&self.spec.options);
        Ok(())
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<ToolStream> {
        let copy = self.lock(py)?.copied(py);
        Ok(ToolStream {
            state: Mutex::new(copy),
            ids: self.ids.copied(py),
            tools: self.tools.clone(),
            spec: self.spec.copied(py),
            in_callback: AtomicBool::new(false),
        })
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<ToolStream> {
        self.__copy__(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = self.lock(py)?;
        let options = PyDict::new(py);
        options.set_item("tools", &self.spec.tools)?;
        options.set_item("format", &self.spec.format)?;
        options.set_item("prompt", PyBytes::new(py, &self.spec.options.prompt))?;
        options.set_item("max_bytes", self.spec.options.max_bytes)?;
        options.set_item("cut", &self.spec.cut)?;
        options.set_item("ids", self.ids.to_python(py))?;
        options.set_item("limits", &self.spec.limits)?;
        let text = PyBytes::new(py, &state.text);
        let made: Vec<Py<PyString>> = state.ids.iter().map(|id| id.clone_ref(py)).collect();
        let characters = state.unit.map(|unit| unit == Unit::Characters);
        let parts = (STATE_VERSION, options, text, characters, state.ending.clone(), made).into_pyobject(py)?;
        Ok((py.import("toolparse._core")?.getattr("_restore_stream")?, PyTuple::new(py, [parts])?))
    }

    /// What was read so far, as a `ParseResult`.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.lock(py)?;
        let outcome = state.stream.outcome().clone();
        let ids: Vec<Py<PyString>> = state.ids.iter().map(|id| id.clone_ref(py)).collect();
        let places = state.places.clone();
        drop(state);
        let id_of = |call: &ReadCall| ids.get(call.index).map_or_else(|| self.ids.of_call(py, call), |id| Ok(id.clone_ref(py)));
        result_to_python(py, outcome, None, Some(&id_of), &self.tools, &places)
    }

    fn __repr__(&self) -> String {
        "<toolparse.ToolStream>".to_owned()
    }
}

/// The form of a pickled stream.
const STATE_VERSION: u32 = 1;

/// What `pickle` keeps of a stream: version, options, text, whether it was a `str`, the finish reason once it is over, the ids.
type Parts<'py> = (u32, Bound<'py, PyDict>, Vec<u8>, Option<bool>, Option<String>, Vec<Py<PyString>>);

/// Makes a stream of what `pickle` kept of it: reads the text again. Raises `ValueError` when that is damaged or of another version.
#[pyfunction]
pub fn _restore_stream(py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<ToolStream> {
    let damaged = |_| PyValueError::new_err("this is not the state of a ToolStream of this version");
    let (version, options, text, characters, ending, ids): Parts<'_> = state.extract().map_err(damaged)?;
    if version != STATE_VERSION {
        return Err(PyValueError::new_err(format!("the state of a ToolStream has version {version}, this is version {STATE_VERSION}")));
    }
    let tools = options.get_item("tools")?.ok_or_else(|| PyValueError::new_err("the state of a ToolStream lacks its tools"))?;
    let given = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> { Ok(options.get_item(name)?.filter(|value| !value.is_none())) };
    let cut = given("cut")?.and_then(|cut| cut.extract::<String>().ok()).unwrap_or_else(|| "keep".to_owned());
    let (format, prompt, max_bytes, made, limits) =
        (given("format")?, given("prompt")?, given("max_bytes")?, given("ids")?, given("limits")?);
    let stream = ToolStream::new(&tools, format.as_ref(), prompt.as_ref(), max_bytes.as_ref(), &cut, made.as_ref(), limits.as_ref())?;
    let mut state = stream.lock(py)?;
    state.unit = characters.map(|characters| if characters { Unit::Characters } else { Unit::Bytes });
    state.places = Places::new(state.unit.unwrap_or(Unit::Characters));
    state.places.push(&text);
    state.stream.push(&text);
    if let Some(reason) = &ending {
        state.stream.finish(ending_of(Some(reason)));
    }
    state.ids = ids;
    state.text = text;
    state.ending = ending;
    drop(state);
    Ok(stream)
}

impl State {
    fn new(options: &Options) -> State {
        let places = Places::new(Unit::Characters);
        State { stream: Stream::new(options), places, unit: None, ids: Vec::new(), text: Vec::new(), ending: None }
    }

    fn copied(&self, py: Python<'_>) -> State {
        State {
            stream: self.stream.clone(),
            places: self.places.copied(),
            unit: self.unit,
            ids: self.ids.iter().map(|id| id.clone_ref(py)).collect(),
            text: self.text.clone(),
            ending: self.ending.clone(),
        }
    }
}

impl Spec {
    fn copied(&self, py: Python<'_>) -> Spec {
        Spec {
            tools: self.tools.clone_ref(py),
            format: self.format.as_ref().map(|format| format.clone_ref(py)),
            limits: self.limits.as_ref().map(|limits| limits.clone_ref(py)),
            options: self.options.clone(),
            cut: self.cut.clone(),
        }
    }
}

impl ToolStream {
    /// The state; another thread's turn is awaited without holding the interpreter.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, State>> {
        if self.in_callback.load(Ordering::Acquire) {
            return Err(PyRuntimeError::new_err(
                "this ToolStream is calling back (ids); it cannot be used until the callback has returned",
            ));
        }
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => loop {
                py.detach(std::thread::yield_now);
                match self.state.try_lock() {
                    Ok(state) => return Ok(state),
                    Err(TryLockError::Poisoned(state)) => return Ok(PoisonError::into_inner(state)),
                    Err(TryLockError::WouldBlock) => {}
                }
            },
        }
    }

    fn convert<'py>(&self, py: Python<'py>, mut state: MutexGuard<'_, State>, events: Vec<Event>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for event in events {
            let told = match event {
                Event::CallEnd(place) => match state.stream.outcome().calls.get(place) {
                    Some(call) => Told::Ended(call.clone()),
                    None => continue,
                },
                Event::Failed(place) => match state.stream.outcome().errors.get(place) {
                    Some(error) => Told::Failed(error.clone()),
                    None => continue,
                },
                event => Told::Plain(event),
            };
            list.append(self.event(py, &mut state, told)?)?;
        }
        Ok(list)
    }

    fn event(&self, py: Python<'_>, state: &mut State, told: Told) -> PyResult<Py<PyAny>> {
        Ok(match told {
            Told::Plain(Event::Text(text)) => Py::new(py, TextDelta { text: written(py, &text, state.places.unit()).unbind() })?.into_any(),
            Told::Plain(Event::Reasoning(text)) => {
                Py::new(py, ReasoningDelta { text: written(py, &text, state.places.unit()).unbind() })?.into_any()
            }
            Told::Plain(Event::CallStart(index, name, native_id)) => {
                let name = lossy(&name);
                // Numbers of calls that were found too large may have been left out, and a callback that raises leaves its call without an id.
                state.ids.resize_with(index + 1, || PyString::new(py, "").unbind());
                let id = self.make_id(py, index, &name, native_id.as_deref())?;
                if let Some(place) = state.ids.get_mut(index) {
                    *place = id.clone_ref(py);
                }
                Py::new(py, CallStart { index, id, name: PyString::new(py, &name).unbind() })?.into_any()
            }
            Told::Plain(Event::Arguments(index, json)) => {
                Py::new(py, ArgumentsDelta { index, json: PyString::new(py, &json).unbind() })?.into_any()
            }
            Told::Ended(call) => {
                let index = call.index;
                let id = state.ids.get(index).map_or_else(|| PyString::new(py, "").unbind(), |id| id.clone_ref(py));
                let call = call_to_python(py, Arc::new(call), id, &state.places)?.unbind();
                Py::new(py, CallEnd { index, call })?.into_any()
            }
            Told::Failed(error) => {
                let error = error_to_python(py, &error, &self.tools, &state.places)?.unbind();
                Py::new(py, CallFailed { error })?.into_any()
            }
            Told::Plain(Event::CallEnd(_) | Event::Failed(_)) => py.None(),
        })
    }

    fn make_id(&self, py: Python<'_>, index: usize, name: &str, native_id: Option<&[u8]>) -> PyResult<Py<PyString>> {
        let native = native_id.map(lossy);
        self.in_callback.store(matches!(self.ids, Ids::Callable(_)), Ordering::Release);
        let id = self.ids.make(py, index, name, native.as_deref());
        self.in_callback.store(false, Ordering::Release);
        id
    }
}
