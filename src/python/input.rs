//! Replies from Python: `str`, or `bytes` that hold UTF-8.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::borrow::Cow;

/// What spans of a reply count.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Characters of a `str`.
    Characters,
    /// Bytes.
    Bytes,
}

/// The UTF-8 of a reply or piece; lone surrogates keep the three bytes that UTF-8 would give them.
pub fn text_of<'a>(value: &'a Bound<'_, PyAny>, argument: &str) -> PyResult<(Cow<'a, [u8]>, Unit)> {
    if let Ok(text) = value.cast::<PyString>() {
        return if let Ok(utf8) = text.to_str() {
            Ok((Cow::Borrowed(utf8.as_bytes()), Unit::Characters))
        } else {
            let py = value.py();
            let encoded = text.call_method1(intern!(py, "encode"), (intern!(py, "utf-8"), intern!(py, "surrogatepass")))?;
            Ok((Cow::Owned(encoded.cast::<PyBytes>()?.as_bytes().to_vec()), Unit::Characters))
        };
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok((Cow::Borrowed(bytes.as_bytes()), Unit::Bytes));
    }
    if let Ok(bytes) = value.extract::<Vec<u8>>()
        && value.hasattr("__buffer__").unwrap_or(false) | value.is_instance_of::<pyo3::types::PyByteArray>()
    {
        return Ok((Cow::Owned(bytes), Unit::Bytes));
    }
    let kind = value.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!("{argument} must be str or bytes (UTF-8), not {kind}")))
}

/// A piece of the reply as a `str`: where it came as a `str`, lone surrogates come out as they went in.
pub fn written<'py>(py: Python<'py>, text: &[u8], unit: Unit) -> Bound<'py, PyString> {
    match (unit, std::str::from_utf8(text)) {
        (_, Ok(text)) => PyString::new(py, text),
        (Unit::Characters, Err(_)) => string(py, text),
        (Unit::Bytes, Err(_)) => PyString::new(py, &crate::utf8::lossy(text)),
    }
}

/// A `str` of text that is nearly UTF-8: lone surrogates come out as they went in, other bytes that are no text as U+FFFD.
pub fn string<'py>(py: Python<'py>, text: &[u8]) -> Bound<'py, PyString> {
    match std::str::from_utf8(text) {
        Ok(text) => PyString::new(py, text),
        Err(_) => surrogates(py, text).unwrap_or_else(|_| PyString::new(py, &crate::utf8::lossy(text))),
    }
}

/// Through escapes: the codec that passes surrogates on asks an error handler for each of them.
fn surrogates<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let escaped = crate::utf8::escaped(text);
    let decoded = PyBytes::new(py, escaped.as_bytes()).call_method1(intern!(py, "decode"), (intern!(py, "raw_unicode_escape"),))?;
    Ok(decoded.cast_into::<PyString>()?)
}
