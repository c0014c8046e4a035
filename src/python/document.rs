//! `repair_json`, and what it returns.

use super::input::text_of;
use super::places::Places;
use super::results::{repairs, types};
use super::values::to_python;
use crate::collect::json::to_json;
use crate::document::repair;
use crate::repair::Repair;
use crate::tape::Tape;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

/// The fields of a repaired document that are made when they are asked for.
#[pyclass(frozen, module = "toolparse._core")]
pub struct NativeDocument {
    value: Tape,
    repairs: Vec<Repair>,
    places: Places,
}

#[pymethods]
impl NativeDocument {
    /// The value of a field of `RepairedJSON`.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(match name {
            "text" => to_json(&self.value).into_pyobject(py)?.into_any(),
            "repairs" => repairs(py, &self.repairs, &self.places)?.into_any(),
            other => return Err(PyAttributeError::new_err(format!("'RepairedJSON' object has no attribute '{other}'"))),
        })
    }
}

/// Repairs JSON that stands alone, in prose or in a fence.
///
/// `text` is `str` or UTF-8 `bytes`; `ended` says that its writer is known to have finished, so that missing closers and a number at the very end
/// are no guess. Returns a `RepairedJSON`; its `value` is `MISSING` when nothing could be read, with the repair
/// `too_deep` if it lies too deep. Never raises on account of the text.
#[pyfunction]
#[pyo3(signature = (text, *, ended=false))]
pub fn repair_json<'py>(py: Python<'py>, text: &Bound<'py, PyAny>, ended: bool) -> PyResult<Bound<'py, PyAny>> {
    let (bytes, _) = text_of(text, "text")?;
    let document = repair(&bytes, ended);
    let types = types(py)?;
    let places = Places::of(text, bytes.len());
    let Some(value) = document.value else {
        let why = repairs(py, &document.repairs, &places)?;
        return types.repaired.class(py).call1((types.missing.bind(py), "", why));
    };
    let python = to_python(py, &value)?;
    let native = NativeDocument { value, repairs: document.repairs, places }.into_pyobject(py)?.into_any();
    types.repaired.make(py, [native, python])
}
