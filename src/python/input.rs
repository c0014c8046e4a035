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
        return Ok((utf8_of(text)?, Unit::Characters));
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

/// Asks Python for the UTF-8, which it keeps with the `str`.
#[cfg(feature = "abi3")]
fn utf8_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(utf8) = text.to_str() {
        return Ok(Cow::Borrowed(utf8.as_bytes()));
    }
    let py = text.py();
    let encoded = text.call_method1(intern!(py, "encode"), (intern!(py, "utf-8"), intern!(py, "surrogatepass")))?;
    Ok(Cow::Owned(encoded.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// Encodes the characters where they lie: faster than Python does it, and nothing is kept with the `str`.
#[cfg(not(feature = "abi3"))]
#[allow(unsafe_code, reason = "the characters of a `str` can be borrowed in no other way")]
fn utf8_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    use crate::utf8::encoded;
    use pyo3::types::string::PyStringData as Data;
    // SAFETY: a `str` that Python code can hold does not change any more.
    Ok(match unsafe { text.data() }? {
        Data::Ucs1(characters) if characters.is_ascii() => Cow::Borrowed(characters),
        Data::Ucs1(characters) => Cow::Owned(encoded(characters)),
        Data::Ucs2(characters) => Cow::Owned(encoded(characters)),
        Data::Ucs4(characters) => Cow::Owned(encoded(characters)),
    })
}

/// A piece of the reply as a `str`: where it came as a `str`, lone surrogates come out as they went in.
pub fn written<'py>(py: Python<'py>, text: &[u8], unit: Unit) -> Bound<'py, PyString> {
    match unit {
        Unit::Characters => string(py, text),
        Unit::Bytes => PyString::from_bytes(py, text).unwrap_or_else(|_| PyString::new(py, &crate::utf8::lossy(text))),
    }
}

/// A `str` of text that is nearly UTF-8: lone surrogates come out as they went in, other bytes that are no text as U+FFFD.
pub fn string<'py>(py: Python<'py>, text: &[u8]) -> Bound<'py, PyString> {
    PyString::from_bytes(py, text).or_else(|_| surrogates(py, text)).unwrap_or_else(|_| PyString::new(py, &crate::utf8::lossy(text)))
}

/// Through escapes: the codec that passes surrogates on asks an error handler for each of them.
fn surrogates<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let escaped = crate::utf8::escaped(text);
    let decoded = PyBytes::new(py, escaped.as_bytes()).call_method1(intern!(py, "decode"), (intern!(py, "raw_unicode_escape"),))?;
    Ok(decoded.cast_into::<PyString>()?)
}
