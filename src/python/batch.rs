//! `parse_batch`: many replies, with threads of its own and without holding the interpreter.

use super::input::{Unit, text_of};
use super::options::{Ids, PyTools, finish_reason_of, max_bytes_of, options_of};
use super::places::Places;
use super::results::{ids_for, result_to_python};
use crate::collect::guard::guarded;
use crate::collect::outcome::Outcome;
use crate::parse::{Options, ending_of, parse};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many replies a thread takes at a time.
const CHUNK: usize = 64;

/// Reads many replies. Order is kept.
///
/// `replies` is any iterable of `str` or UTF-8 `bytes`; `tools` as in `parse_tool_calls`, or a list of `Tools`, one for each reply; `threads`
/// how many threads read (as many as there are processors when left out). The interpreter is not held while they do. The other options as in
/// `parse_tool_calls`, but everything is read and ids are `"index"` by default. Returns a list of `ParseResult`.
#[pyfunction]
#[pyo3(signature = (replies, tools, *, threads=None, format=None, prompt=None, max_bytes=None, cut="keep", ids=None, finish_reason=None), text_signature = "(replies, tools, *, threads=None, format='auto', prompt='', max_bytes=None, cut='keep', ids='index', finish_reason=None)")]
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
    let options = all_options(tools, items.len(), |tools| options_of(tools, format, prompt, cut, most))?;
    let texts = items.iter().enumerate().map(|(index, item)| text_of(item, &format!("replies[{index}]"))).collect::<PyResult<Vec<_>>>()?;

    let slots: Vec<Mutex<Option<Outcome>>> = texts.iter().map(|_| Mutex::new(None)).collect();
    py.detach(|| {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= texts.len() {
                    return;
                }
                for index in first..texts.len().min(first + CHUNK) {
                    let (text, _) = &texts[index];
                    let options = options.get(index);
                    let outcome = guarded(text, || parse(text, options, ending));
                    *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                }
            }
        };
        let extra = threads.min(texts.len().div_ceil(CHUNK)).saturating_sub(1);
        std::thread::scope(|scope| {
            for _ in 0..extra {
                scope.spawn(work);
            }
            work();
        });
    });

    let list = PyList::empty(py);
    for (index, slot) in slots.into_iter().enumerate() {
        let outcome = slot.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_default();
        let (text, unit) = &texts[index];
        let places = if *unit == Unit::Bytes { Places::new(*unit) } else { Places::of(*unit, text) };
        let made = ids_for(py, &outcome, &ids)?;
        let raw = items[index].cast::<PyString>().ok();
        list.append(result_to_python(py, outcome, raw, &made, &options.get(index).tools, &places)?)?;
    }
    Ok(list)
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
