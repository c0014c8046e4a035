//! The plain values of `toolparse._types`, made slot by slot: no constructor runs, and no name is looked up.

use pyo3::ffi::{Py_tp_descr_set, PyType_GenericAlloc, PyType_GetSlot, descrsetfunc};
use pyo3::prelude::*;
use pyo3::types::PyType;
use std::ffi::c_int;
use std::mem::transmute;

/// A class with slots and without a constructor or an allocator of its own.
pub struct Slotted {
    class: Py<PyType>,
    slots: Vec<Slot>,
}

/// What Python calls a member descriptor: it knows where a slot lies, and checks what it is given.
struct Slot {
    descriptor: Py<PyAny>,
    set: descrsetfunc,
}

impl Slotted {
    /// The class, and those of its slots that are filled in this order.
    pub fn of(class: &Bound<'_, PyType>, names: &[&str]) -> PyResult<Slotted> {
        let slots = names.iter().map(|name| Slot::of(class, name)).collect::<PyResult<Vec<_>>>()?;
        Ok(Slotted { class: class.clone().unbind(), slots })
    }

    /// The class itself.
    pub fn class<'py>(&self, py: Python<'py>) -> &Bound<'py, PyType> {
        self.class.bind(py)
    }

    /// A new object with these values in the slots.
    #[allow(unsafe_code, reason = "what `object.__new__` does for such a class, which is slower to call")]
    pub fn make<'py, const N: usize>(&self, py: Python<'py>, values: [Bound<'py, PyAny>; N]) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: `class` is a type that Python made, with slots and without a constructor or an allocator of its own; the object is new.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, PyType_GenericAlloc(self.class.bind(py).as_type_ptr(), 0)) }?;
        for (slot, value) in self.slots.iter().zip(&values) {
            slot.fill(&object, value)?;
        }
        Ok(object)
    }
}

impl Slot {
    #[allow(unsafe_code, reason = "a slot of a type is handed out as a pointer to anything")]
    fn of(class: &Bound<'_, PyType>, name: &str) -> PyResult<Slot> {
        let descriptor = class.getattr(name)?;
        // SAFETY: the type lives; what stands under this number is null or a function of this signature.
        let set = unsafe {
            transmute::<*mut std::ffi::c_void, Option<descrsetfunc>>(PyType_GetSlot(descriptor.get_type().as_type_ptr(), Py_tp_descr_set))
        };
        let not_one = || pyo3::exceptions::PyTypeError::new_err(format!("{name} is not a slot"));
        Ok(Slot { set: set.ok_or_else(not_one)?, descriptor: descriptor.unbind() })
    }

    #[allow(unsafe_code, reason = "what `object.__setattr__` calls once it has found the slot")]
    fn fill(&self, object: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        // SAFETY: three objects that live; the function is that of the descriptor's type, and checks that the object has the slot.
        let done: c_int = unsafe { (self.set)(self.descriptor.as_ptr(), object.as_ptr(), value.as_ptr()) };
        if done == 0 { Ok(()) } else { Err(PyErr::fetch(object.py())) }
    }
}
