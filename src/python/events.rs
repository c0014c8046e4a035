//! The events of a stream: native classes that behave as plain values.

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

macro_rules! event {
    ($(#[$doc:meta])* $name:ident { $($field:ident : $kind:ty as $annotation:literal),* }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, module = "toolparse")]
        pub struct $name { $(pub $field: $kind,)* }

        #[pymethods]
        impl $name {
            #[new]
            fn new($($field: $kind),*) -> $name {
                $name { $($field),* }
            }

            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
                PyTuple::new(py, [$(stringify!($field)),*])
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                let mut fields: Vec<String> = Vec::new();
                $(fields.push(format!("{}={}", stringify!($field), slf.getattr(stringify!($field))?.repr()?));)*
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }

            fn __richcmp__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
                let py = slf.py();
                let same = match (op, other.cast::<Self>()) {
                    (CompareOp::Eq | CompareOp::Ne, Ok(other)) => true $(&& slf.getattr(stringify!($field))?.eq(other.getattr(stringify!($field))?)?)*,
                    _ => return Ok(py.NotImplemented()),
                };
                Ok((same == matches!(op, CompareOp::Eq)).into_pyobject(py)?.to_owned().into_any().unbind())
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
                let fields: Vec<Bound<'py, PyAny>> = vec![$(slf.getattr(stringify!($field))?),*];
                Ok((slf.get_type(), PyTuple::new(slf.py(), fields)?))
            }
        }
    };
}

event! {
    /// More prose.
    TextDelta { text: Py<PyString> as "str" }
}
event! {
    /// More reasoning.
    ReasoningDelta { text: Py<PyString> as "str" }
}
event! {
    /// A call is certain: its place among the calls, its id, and its name, which will not change.
    CallStart { index: usize as "int", id: Py<PyString> as "str", name: Py<PyString> as "str" }
}
event! {
    /// More of a call's arguments: the pieces of a call joined are one strict JSON object.
    ArgumentsDelta { index: usize as "int", json: Py<PyString> as "str" }
}
event! {
    /// A call is over: the `ParsedCall`.
    CallEnd { index: usize as "int", call: Py<PyAny> as "ParsedCall" }
}
event! {
    /// Something wanted to be a call and is not one: the `CallError`.
    CallFailed { error: Py<PyAny> as "CallError" }
}
