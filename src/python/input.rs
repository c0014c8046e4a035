//! Replies from Python: `str`, or `bytes` that hold UTF-8.

use crate::parse::Options;
#[cfg(not(feature = "abi3"))]
use crate::{
    collect::guard::guarded_answer,
    parse::is_plain,
    utf8::{Character, encoded},
};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
#[cfg(not(feature = "abi3"))]
use pyo3::types::string::PyStringData;
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

/// A reply or piece where it lies in Python's memory. To make UTF-8 of it takes no interpreter.
pub enum Raw<'a> {
    /// It is UTF-8.
    Utf8(Cow<'a, [u8]>),
    /// The characters of a `str`.
    #[cfg(not(feature = "abi3"))]
    Characters(PyStringData<'a>),
}

impl<'a> Raw<'a> {
    /// The UTF-8, in which lone surrogates keep the three bytes that UTF-8 would give them; `None` for prose and nothing else, where that
    /// can be told without.
    #[cfg_attr(feature = "abi3", expect(clippy::unnecessary_wraps, unused_variables, reason = "there Python makes the UTF-8"))]
    pub fn utf8_unless_plain(&self, options: &Options) -> Option<Cow<'_, [u8]>> {
        match self {
            Raw::Utf8(text) => Some(Cow::Borrowed(text)),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs1(characters)) if characters.is_ascii() => Some(Cow::Borrowed(characters)),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs1(characters)) => encoded_unless_plain(characters, options),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs2(characters)) => encoded_unless_plain(characters, options),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs4(characters)) => encoded_unless_plain(characters, options),
        }
    }

    /// How many characters or bytes it has.
    pub fn len(&self) -> usize {
        match self {
            Raw::Utf8(text) => text.len(),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs1(characters)) => characters.len(),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs2(characters)) => characters.len(),
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(PyStringData::Ucs4(characters)) => characters.len(),
        }
    }

    fn into_utf8(self) -> Cow<'a, [u8]> {
        match self {
            Raw::Utf8(text) => text,
            #[cfg(not(feature = "abi3"))]
            Raw::Characters(characters) => encoded_of(characters),
        }
    }
}

/// The UTF-8 of a reply or piece; lone surrogates keep the three bytes that UTF-8 would give them.
pub fn text_of<'a>(value: &'a Bound<'_, PyAny>, argument: &str) -> PyResult<(Cow<'a, [u8]>, Unit)> {
    raw_of(value, argument).map(|(raw, unit)| (raw.into_utf8(), unit))
}

/// A reply or piece, and what its spans count.
pub fn raw_of<'a>(value: &'a Bound<'_, PyAny>, argument: &str) -> PyResult<(Raw<'a>, Unit)> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok((characters_of(text)?, Unit::Characters));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok((Raw::Utf8(Cow::Borrowed(bytes.as_bytes())), Unit::Bytes));
    }
    if let Ok(bytes) = value.extract::<Vec<u8>>()
        && value.hasattr("__buffer__").unwrap_or(false) | value.is_instance_of::<pyo3::types::PyByteArray>()
    {
        return Ok((Raw::Utf8(Cow::Owned(bytes)), Unit::Bytes));
    }
    let kind = value.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!("{argument} must be str or bytes (UTF-8), not {kind}")))
}

/// Asks Python for the UTF-8, which it keeps with the `str`.
#[cfg(feature = "abi3")]
fn characters_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Raw<'a>> {
    if let Ok(utf8) = text.to_str() {
        return Ok(Raw::Utf8(Cow::Borrowed(utf8.as_bytes())));
    }
    let py = text.py();
    let encoded = text.call_method1(intern!(py, "encode"), (intern!(py, "utf-8"), intern!(py, "surrogatepass")))?;
    Ok(Raw::Utf8(Cow::Owned(encoded.cast::<PyBytes>()?.as_bytes().to_vec())))
}

#[cfg(not(feature = "abi3"))]
#[allow(unsafe_code, reason = "the characters of a `str` can be borrowed in no other way")]
fn characters_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Raw<'a>> {
    // SAFETY: a `str` that Python code can hold does not change any more.
    unsafe { text.data() }.map(Raw::Characters)
}

#[cfg(not(feature = "abi3"))]
fn encoded_unless_plain<'a, C: Character>(characters: &[C], options: &Options) -> Option<Cow<'a, [u8]>> {
    (!guarded_answer(|| is_plain(characters, options))).then(|| Cow::Owned(encoded(characters)))
}

/// Encodes the characters where they lie: faster than Python does it, and nothing is kept with the `str`.
#[cfg(not(feature = "abi3"))]
fn encoded_of(characters: PyStringData<'_>) -> Cow<'_, [u8]> {
    match characters {
        PyStringData::Ucs1(characters) if characters.is_ascii() => Cow::Borrowed(characters),
        PyStringData::Ucs1(characters) => Cow::Owned(encoded(characters)),
        PyStringData::Ucs2(characters) => Cow::Owned(encoded(characters)),
        PyStringData::Ucs4(characters) => Cow::Owned(encoded(characters)),
    }
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
