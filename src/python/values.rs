//! A tape as Python objects, in one pass and without recursion.

use crate::tape::{Node, Tape};
use crate::utf8::lossy;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use std::cell::RefCell;

/// A container that is open.
enum Open<'py> {
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
    List(Bound<'py, PyList>),
}

/// A key and its object.
type Made = (Box<[u8]>, Py<PyString>);

/// Keys that were made before, each in the place that its hash gives it: replies repeat them, and a `str` keeps its own hash.
struct Keys {
    places: Vec<Option<Made>>,
}

thread_local! {
    static KEYS: RefCell<Keys> = const { RefCell::new(Keys { places: Vec::new() }) };
}

impl Keys {
    const PLACES: usize = 1024;
    /// Longer keys are made each time, in bytes.
    const LONGEST: usize = 48;

    fn prepare(&mut self) {
        if self.places.is_empty() {
            self.places.resize_with(Keys::PLACES, || None);
        }
    }

    fn get<'py>(&mut self, py: Python<'py>, key: &[u8]) -> Bound<'py, PyString> {
        self.prepare();
        let place = &mut self.places[hash(key) % Keys::PLACES];
        match place {
            Some((bytes, object)) if **bytes == *key => object.bind(py).clone(),
            _ => {
                let object = text(py, key);
                *place = Some((key.into(), object.clone().unbind()));
                object
            }
        }
    }
}

/// Any hash does: what collides is made anew.
fn hash(key: &[u8]) -> usize {
    let hash = key.iter().fold(key.len() as u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    (hash ^ (hash >> 15)) as usize
}

/// Makes room for the keys of this thread.
pub fn prepare() {
    KEYS.with(|keys| keys.borrow_mut().prepare());
}

/// Runs `work` with the keys of this thread, or without, where they are in use: a finalizer may run while objects are made, and parse.
fn with_keys<T>(work: impl FnOnce(Option<&mut Keys>) -> T) -> T {
    KEYS.with(|keys| match keys.try_borrow_mut() {
        Ok(mut keys) => work(Some(&mut keys)),
        Err(_) => work(None),
    })
}

/// A key, or another text that replies repeat.
pub fn repeated<'py>(py: Python<'py>, key: &[u8]) -> Bound<'py, PyString> {
    with_keys(|mut keys| made(py, &mut keys, key))
}

fn made<'py>(py: Python<'py>, keys: &mut Option<&mut Keys>, key: &[u8]) -> Bound<'py, PyString> {
    match keys {
        Some(keys) if key.len() <= Keys::LONGEST => keys.get(py, key),
        _ => text(py, key),
    }
}

/// The value.
pub fn to_python<'py>(py: Python<'py>, tape: &Tape) -> PyResult<Bound<'py, PyAny>> {
    with_keys(|keys| convert(py, tape, keys))
}

fn convert<'py>(py: Python<'py>, tape: &Tape, mut keys: Option<&mut Keys>) -> PyResult<Bound<'py, PyAny>> {
    let mut open: Vec<Open<'py>> = Vec::with_capacity(8);
    for node in tape.nodes() {
        let value: Bound<'py, PyAny> = match node {
            Node::Object => {
                open.push(Open::Dict(PyDict::new(py), None));
                continue;
            }
            Node::Array => {
                open.push(Open::List(PyList::empty(py)));
                continue;
            }
            Node::Key(slice) => {
                if let Some(Open::Dict(_, open)) = open.last_mut() {
                    *open = Some(made(py, &mut keys, tape.text(*slice)));
                }
                continue;
            }
            Node::Close => match open.pop() {
                Some(Open::Dict(dict, _)) => dict.into_any(),
                Some(Open::List(list)) => list.into_any(),
                None => continue,
            },
            Node::Str(slice) => text(py, tape.text(*slice)).into_any(),
            Node::Number(slice) => number(py, tape.text(*slice))?,
            Node::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
            Node::Null => py.None().into_bound(py),
        };
        match open.last_mut() {
            None => return Ok(value),
            Some(Open::List(list)) => list.append(value)?,
            Some(Open::Dict(dict, key)) => {
                if let Some(key) = key.take() {
                    dict.set_item(key, value)?;
                }
            }
        }
    }
    Ok(py.None().into_bound(py))
}

/// Text of a value: it can always be encoded, so half characters are U+FFFD.
fn text<'py>(py: Python<'py>, text: &[u8]) -> Bound<'py, PyString> {
    PyString::from_bytes(py, text).unwrap_or_else(|_| PyString::new(py, &lossy(text)))
}

fn number<'py>(py: Python<'py>, lexeme: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    if let Some(value) = small_integer(lexeme) {
        return Ok(PyInt::new(py, value).into_any());
    }
    let lexeme = std::str::from_utf8(lexeme).map_err(|error| PyValueError::new_err(error.to_string()))?;
    if lexeme.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        let value: f64 = lexeme.parse().map_err(|_| PyValueError::new_err("not a number"))?;
        return Ok(PyFloat::new(py, value).into_any());
    }
    if let Ok(value) = lexeme.parse::<i64>() {
        return Ok(PyInt::new(py, value).into_any());
    }
    large(py, lexeme)
}

/// An integer that surely fits.
fn small_integer(lexeme: &[u8]) -> Option<i64> {
    let digits = lexeme.strip_prefix(b"-").unwrap_or(lexeme);
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let value = digits.iter().try_fold(0_i64, |value, digit| digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0')))?;
    Some(if digits.len() < lexeme.len() { -value } else { value })
}

/// An integer of any length, whatever limit the process has set on reading one from text.
fn large<'py>(py: Python<'py>, lexeme: &str) -> PyResult<Bound<'py, PyAny>> {
    let (negative, digits) = lexeme.strip_prefix('-').map_or((false, lexeme), |digits| (true, digits));
    let mut value = PyInt::new(py, 0_u64).into_any();
    let scale = PyInt::new(py, 1_000_000_000_000_000_000_u64);
    let first = digits.len() % 18;
    let (head, tail) = digits.split_at(first);
    let mut parts = vec![head];
    parts.extend(tail.as_bytes().chunks(18).filter_map(|part| std::str::from_utf8(part).ok()));
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let part: u64 = part.parse().map_err(|_| PyValueError::new_err("not a number"))?;
        value = value.mul(&scale)?.add(part)?;
    }
    if negative { value.neg() } else { Ok(value) }
}
