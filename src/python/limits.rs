//! `Limits`.

use crate::limits::Limits;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyTuple};

/// How much of one reply is taken in; accepted as `limits` wherever replies are read. Nothing is left out in silence.
///
/// `call_bytes` and `nodes` say how much one call may hold: bytes of text, those of all keys, strings and numbers together, and keys, values and
/// ends of containers; a larger one is a `CallError` of the kind `limit`, and so are calls beyond `calls`, and one whose name has more than
/// `name` bytes. Containers inside more than `depth` others are kept as text, with the mark `too_deep`, integers of more than `digits` digits
/// with the mark `number_as_text`. Of more than `errors` errors one more is kept, of the kind `limit`. `max_bytes`, the limit on the whole
/// reply, is an option of its own. Raises `TypeError` or `ValueError` for what is no number from 1 to 4,294,967,295.
#[pyclass(frozen, eq, hash, name = "Limits", module = "toolparse")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PyLimits {
    limits: Limits,
}

#[pymethods]
impl PyLimits {
    #[new]
    #[pyo3(signature = (*, call_bytes=None, nodes=None, depth=None, digits=None, name=None, calls=None, errors=None), text_signature = "(*, call_bytes=16777216, nodes=1000000, depth=200, digits=4300, name=256, calls=4096, errors=1000)")]
    fn new(
        call_bytes: Option<&Bound<'_, PyAny>>,
        nodes: Option<&Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        digits: Option<&Bound<'_, PyAny>>,
        name: Option<&Bound<'_, PyAny>>,
        calls: Option<&Bound<'_, PyAny>>,
        errors: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyLimits> {
        let usual = Limits::DEFAULT;
        let limits = Limits {
            call_bytes: limit("call_bytes", call_bytes, usual.call_bytes)?,
            nodes: limit("nodes", nodes, usual.nodes)?,
            depth: limit("depth", depth, usual.depth)?,
            digits: limit("digits", digits, usual.digits)?,
            name: limit("name", name, usual.name)?,
            calls: limit("calls", calls, usual.calls)?,
            errors: limit("errors", errors, usual.errors)?,
        };
        Ok(PyLimits { limits })
    }

    /// Bytes of text in one call.
    #[getter]
    fn call_bytes(&self) -> usize {
        self.limits.call_bytes
    }

    /// Keys, values and ends of containers in one call.
    #[getter]
    fn nodes(&self) -> usize {
        self.limits.nodes
    }

    /// Containers inside containers.
    #[getter]
    fn depth(&self) -> usize {
        self.limits.depth
    }

    /// Digits of an integer.
    #[getter]
    fn digits(&self) -> usize {
        self.limits.digits
    }

    /// Bytes of a tool's name.
    #[getter]
    fn name(&self) -> usize {
        self.limits.name
    }

    /// Calls in one reply.
    #[getter]
    fn calls(&self) -> usize {
        self.limits.calls
    }

    /// Errors in one reply.
    #[getter]
    fn errors(&self) -> usize {
        self.limits.errors
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        for (name, value) in self.fields() {
            named.set_item(name, value)?;
        }
        Ok((PyTuple::empty(py), named))
    }

    fn __repr__(&self) -> String {
        let fields = self.fields().map(|(name, value)| format!("{name}={value}"));
        format!("Limits({})", fields.join(", "))
    }
}

impl PyLimits {
    fn fields(&self) -> [(&'static str, usize); 7] {
        let Limits { call_bytes, nodes, depth, digits, name, calls, errors } = self.limits;
        [
            ("call_bytes", call_bytes),
            ("nodes", nodes),
            ("depth", depth),
            ("digits", digits),
            ("name", name),
            ("calls", calls),
            ("errors", errors),
        ]
    }
}

fn limit(name: &str, value: Option<&Bound<'_, PyAny>>, usual: usize) -> PyResult<usize> {
    let Some(value) = value else { return Ok(usual) };
    if value.is_instance_of::<PyBool>() || !value.is_instance_of::<PyInt>() {
        return Err(PyTypeError::new_err(format!("{name} must be an int, not {}", value.get_type().name()?)));
    }
    match value.extract::<u32>() {
        Ok(number) if number > 0 => Ok(number as usize),
        _ => Err(PyValueError::new_err(format!("{name} must be a number from 1 to {}", u32::MAX))),
    }
}

/// What was given for `limits`.
pub fn limits_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let Some(value) = value else { return Ok(Limits::DEFAULT) };
    match value.cast::<PyLimits>() {
        Ok(limits) => Ok(limits.get().limits),
        Err(_) => Err(PyTypeError::new_err(format!("limits must be Limits or None, not {}", value.get_type().name()?))),
    }
}
