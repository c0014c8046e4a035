//! A tape as Python objects, in one pass and without recursion.

use super::input::string;
use crate::tape::{Node, Tape};
use crate::utf8::lossy;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// A container that is open.
enum Open<'py> {
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyString>>),
    List(Bound<'py, PyList>),
}

/// Keys that were made for this value: rows repeat theirs.
#[derive(Default)]
struct Keys<'py> {
    recent: Vec<(Vec<u8>, Bound<'py, PyString>)>,
    next: usize,
}

impl<'py> Keys<'py> {
    /// More keys than this are looked for no longer.
    const MOST: usize = 16;

    fn get(&mut self, py: Python<'py>, key: &[u8]) -> Bound<'py, PyString> {
        // Rows repeat their keys in order: the next one is most likely the one that came next before.
        for offset in 0..self.recent.len() {
            let index = (self.next + offset) % self.recent.len();
            let (bytes, object) = &self.recent[index];
            if bytes == key {
                self.next = index + 1;
                return object.clone();
            }
        }
        let object = text(py, key);
        if self.recent.len() < Keys::MOST {
            self.recent.push((key.to_vec(), object.clone()));
            self.next = 0;
        }
        object
    }
}

/// The value.
pub fn to_python<'py>(py: Python<'py>, tape: &Tape) -> PyResult<Bound<'py, PyAny>> {
    let mut keys = Keys::default();
    let many = tape.len() > 64;
    let mut open: Vec<Open<'py>> = Vec::new();
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
                if let Some(Open::Dict(_, key)) = open.last_mut() {
                    let name = tape.text(*slice);
                    *key = Some(if many { keys.get(py, name) } else { text(py, name) });
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
    match std::str::from_utf8(text) {
        Ok(_) => string(py, text),
        Err(_) => PyString::new(py, &lossy(text)),
    }
}

fn number<'py>(py: Python<'py>, lexeme: &[u8]) -> PyResult<Bound<'py, PyAny>> {
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
