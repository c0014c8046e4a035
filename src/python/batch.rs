//! `parse_batch`: many replies, with threads of its own and without holding the interpreter.

use super::input::{Raw, Unit, raw_of};
use super::options::{Ids, PyTools, finish_reason_of, max_bytes_of, options_of};
use super::places::Places;
use super::results::{IdOf, is_prose, prose_to_python, read, result_to_python};
use crate::collect::outcome::{Outcome, ReadCall};
use crate::finish::ending_of;
use crate::parse::Options;
use crate::value::Ending;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How many replies a thread takes at a time.
const CHUNK: usize = 64;

/// In so many shares results are made.
const SHARES: usize = 32;

/// Reads many replies. Order is kept.
///
/// `replies` is any iterable of `str` or UTF-8 `bytes`; `tools` as in `parse_tool_calls`, or a list of `Tools`, one for each reply; `threads`
/// how many threads read (as many as there are processors when left out). The interpreter is not held while they do. The other options as in
/// `parse_tool_calls`, but everything is read and ids are `"index"` by default. Returns a list of `ParseResult`.
#[pyfunction]
#[pyo3(signature = (replies, tools, *, threads=None, format=None, prompt=None, max_bytes=None, cut="keep", ids=None, finish_reason=None, limits=None), text_signature = "(replies, tools, *, threads=None, format='auto', prompt='', max_bytes=None, cut='keep', ids='index', finish_reason=None, limits=None)")]
#[expect(clippy::too_many_arguments, reason = "the options of the public function")]
pub fn parse_batch<'py>(
    py: Python<'py>,
    replies: &Bound<'py, PyAny>,
    tools: &Bound<'py, PyAny>,
    threads: Option<&Bound<'py, PyAny>>,
    format: Option<&Bound<'py, PyAny>>,
    prompt: Option<&Bound<'py, PyAny>>,
    max_bytes: Option<&Bound<'py, PyAny>>,
    cut: &str,
    ids: Option<&Bound<'py, PyAny>>,
    finish_reason: Option<&Bound<'py, PyAny>>,
    limits: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    if replies.is_instance_of::<PyString>() || replies.is_instance_of::<pyo3::types::PyBytes>() {
        return Err(PyTypeError::new_err("replies must be a collection of replies, not one reply; write [reply]"));
    }
    let Ok(items) = replies.try_iter() else { return Err(PyTypeError::new_err("replies must be an iterable of str or bytes")) };
    let items: Vec<Bound<'py, PyAny>> = items.collect::<PyResult<_>>()?;
    let threads = threads_of(threads)?;
    let most = max_bytes_of(max_bytes)?;
    let ids = Ids::of(ids, Ids::Index)?;
    let ending = ending_of(finish_reason_of(finish_reason)?);
    let options = all_options(tools, items.len(), |tools| options_of(tools, format, prompt, cut, most, limits))?;
    let texts = items
        .iter()
        .enumerate()
        .map(|(index, item)| raw_of(item, "").or_else(|_| raw_of(item, &format!("replies[{index}]"))))
        .collect::<PyResult<Vec<_>>>()?;

    let work = Work { texts: &texts, options: &options, ending, next: AtomicUsize::new(0), slots: slots(texts.len()) };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(texts.len().div_ceil(CHUNK)) {
            scope.spawn(|| work.all());
        }
        let made = work.results(py, &items, &ids);
        work.stop();
        made
    })
}

type Reply<'a> = (Raw<'a>, Unit);
/// What was read in the replies of a chunk, see [`read`].
type Slot = OnceLock<Mutex<Vec<Option<(Outcome, usize)>>>>;

/// Replies that threads read a chunk at a time, and that this thread makes objects of as they come.
struct Work<'a> {
    texts: &'a [Reply<'a>],
    options: &'a AllOptions,
    ending: Ending,
    next: AtomicUsize,
    slots: Vec<Slot>,
}

fn slots(replies: usize) -> Vec<Slot> {
    std::iter::repeat_with(Slot::new).take(replies.div_ceil(CHUNK)).collect()
}

impl Work<'_> {
    /// Reads the next chunk that nobody has begun; false when there is none.
    fn step(&self) -> bool {
        let chunk = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(slot) = self.slots.get(chunk) else { return false };
        let outcomes =
            self.texts.iter().enumerate().skip(chunk * CHUNK).take(CHUNK).map(|(index, reply)| self.read(index, reply)).collect();
        let _ = slot.set(Mutex::new(outcomes));
        true
    }

    fn read(&self, index: usize, (raw, unit): &Reply<'_>) -> Option<(Outcome, usize)> {
        let (outcome, bytes) = read(raw, self.options.get(index), self.ending)?;
        // Of prose the reply itself will be the text, so that memory for copies is needed once and not for every reply.
        let has_own_text = *unit == Unit::Bytes || !is_prose(&outcome);
        has_own_text.then_some((outcome, bytes))
    }

    fn all(&self) {
        while self.step() {}
    }

    /// Nothing further is begun.
    fn stop(&self) {
        self.next.store(self.slots.len(), Ordering::Relaxed);
    }

    /// All results. Between reading, which needs no interpreter, and making objects of what was read by then this thread changes only a few
    /// times: it may have to wait for the interpreter.
    fn results<'py>(&self, py: Python<'py>, items: &[Bound<'py, PyAny>], ids: &Ids) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        let share = self.slots.len().div_ceil(SHARES);
        let mut done = 0;
        while done < self.slots.len() {
            let wanted = (done + share).min(self.slots.len());
            py.detach(|| self.until(wanted));
            let _paused = if matches!(ids, Ids::Callable(_)) { None } else { Some(Paused::new(py)?) };
            while let Some(chunk) = self.slots.get(done).and_then(OnceLock::get) {
                let outcomes = std::mem::take(&mut *chunk.lock().unwrap_or_else(PoisonError::into_inner));
                for (index, read) in (done * CHUNK..).zip(outcomes) {
                    list.append(self.result(py, index, &items[index], read, ids)?)?;
                }
                done += 1;
            }
        }
        Ok(list)
    }

    /// Reads until all chunks up to `wanted` are there.
    fn until(&self, wanted: usize) {
        for slot in self.slots.iter().take(wanted) {
            while slot.get().is_none() && self.step() {}
            slot.wait();
        }
    }

    fn result<'py>(
        &self,
        py: Python<'py>,
        index: usize,
        item: &Bound<'py, PyAny>,
        read: Option<(Outcome, usize)>,
        ids: &Ids,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some((outcome, bytes)) = read else { return prose_to_python(py, item.cast()?) };
        let id_of = |call: &ReadCall| ids.of_call(py, call);
        let made = (!matches!(ids, Ids::Index)).then_some(&id_of as IdOf<'_>);
        let raw = item.cast::<PyString>().ok();
        result_to_python(py, outcome, raw, made, &self.options.get(index).tools, &Places::of(item, bytes))
    }
}

/// While it is there, Python does not look for garbage: in thousands of new objects that are all needed there is none. No Python code runs
/// meanwhile.
struct Paused<'py>(Option<Bound<'py, PyModule>>);

impl<'py> Paused<'py> {
    fn new(py: Python<'py>) -> PyResult<Paused<'py>> {
        let collector = py.import("gc")?;
        let enabled = collector.call_method0(intern!(py, "isenabled"))?.is_truthy()?;
        if enabled {
            collector.call_method0(intern!(py, "disable"))?;
        }
        Ok(Paused(enabled.then_some(collector)))
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if let Some(collector) = &self.0 {
            let _ = collector.call_method0(intern!(collector.py(), "enable"));
        }
    }
}

/// The options of each reply.
enum AllOptions {
    One(Options),
    Each(Vec<Options>),
}

impl AllOptions {
    fn get(&self, index: usize) -> &Options {
        match self {
            AllOptions::One(options) => options,
            AllOptions::Each(list) => &list[index],
        }
    }
}

fn all_options(tools: &Bound<'_, PyAny>, count: usize, make: impl Fn(&Bound<'_, PyAny>) -> PyResult<Options>) -> PyResult<AllOptions> {
    let each = tools.cast::<PyList>().ok().filter(|list| !list.is_empty() && list.iter().all(|item| item.is_instance_of::<PyTools>()));
    let Some(list) = each else { return Ok(AllOptions::One(make(tools)?)) };
    if list.len() != count {
        return Err(PyValueError::new_err(format!("tools: {} Tools for {count} replies; give one for each, or one for all", list.len())));
    }
    Ok(AllOptions::Each(list.iter().map(|item| make(&item)).collect::<PyResult<_>>()?))
}

/// A number of threads; by default as many as there are processors.
pub fn threads_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let available = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match value.filter(|value| !value.is_none()) {
        None => Ok(available),
        Some(value) if value.is_instance_of::<pyo3::types::PyInt>() && !value.is_instance_of::<pyo3::types::PyBool>() => {
            match value.extract::<usize>() {
                Ok(threads) if threads > 0 => Ok(threads.min(1024)),
                _ => Err(PyValueError::new_err("threads must be at least 1, or None for as many as there are processors")),
            }
        }
        Some(_) => Err(PyTypeError::new_err("threads must be an int or None")),
    }
}
