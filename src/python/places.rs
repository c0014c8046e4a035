//! Byte offsets as the caller counts them.

use super::input::{Unit, text_of};
use pyo3::prelude::*;
use pyo3::sync::OnceLockExt;
use pyo3::types::{PyString, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// One bit for each byte that starts a character.
#[derive(Debug, Default, Clone)]
struct Starts {
    blocks: Vec<u64>,
    /// Characters before each block.
    before: Vec<u32>,
    bytes: usize,
    characters: u32,
}

impl Starts {
    fn push(&mut self, text: &[u8]) {
        for byte in text {
            if self.bytes.is_multiple_of(64) {
                self.blocks.push(0);
                self.before.push(self.characters);
            }
            if byte & 0xC0 != 0x80
                && let Some(block) = self.blocks.last_mut()
            {
                *block |= 1 << (self.bytes % 64);
                self.characters += 1;
            }
            self.bytes += 1;
        }
    }

    fn character(&self, at: usize) -> usize {
        let (Some(block), Some(before)) = (self.blocks.get(at / 64), self.before.get(at / 64)) else { return self.characters as usize };
        let below = (1_u64 << (at % 64)) - 1;
        *before as usize + (block & below).count_ones() as usize
    }
}

/// Where the characters of a reply stand; grows as the reply comes. ASCII costs nothing.
#[derive(Debug, Default, Clone)]
pub struct Index {
    ascii: usize,
    starts: Option<Starts>,
}

impl Index {
    fn of(text: &[u8]) -> Index {
        let mut index = Index::default();
        index.push(text);
        index
    }

    fn push(&mut self, text: &[u8]) {
        if self.starts.is_none() && text.is_ascii() {
            self.ascii += text.len();
            return;
        }
        let ascii = self.ascii;
        self.starts.get_or_insert_with(|| ascii_starts(ascii)).push(text);
    }

    fn place(&self, at: usize) -> usize {
        self.starts.as_ref().map_or(at, |starts| starts.character(at))
    }
}

fn held(index: &Mutex<Index>) -> MutexGuard<'_, Index> {
    index.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the places of a reply are counted.
#[derive(Clone)]
pub enum Places {
    /// Bytes, which need no counting.
    Bytes,
    /// Characters of a reply that is ASCII: the same.
    Ascii,
    /// Characters of a reply that is still coming.
    Growing(Arc<Mutex<Index>>),
    /// Characters of a reply that is all here, and is looked through when a place is asked for.
    Whole(Arc<Whole>),
}

/// A reply that is all here.
pub struct Whole {
    text: Py<PyString>,
    index: OnceLock<Index>,
}

impl Whole {
    fn place(&self, py: Python<'_>, at: usize) -> usize {
        let text = self.text.bind(py).as_any();
        let look_through = || text_of(text, "raw").map(|(bytes, _)| Index::of(&bytes)).unwrap_or_default();
        self.index.get_or_init_py_attached(py, look_through).place(at)
    }
}

impl Places {
    /// Of a reply that is still coming, or of bytes.
    pub fn new(unit: Unit) -> Places {
        match unit {
            Unit::Bytes => Places::Bytes,
            Unit::Characters => Places::Growing(Arc::default()),
        }
    }

    /// Of a reply that is all here, and so many bytes of UTF-8 long.
    pub fn of(reply: &Bound<'_, PyAny>, bytes: usize) -> Places {
        match reply.cast::<PyString>() {
            Ok(text) if text.len().is_ok_and(|characters| characters == bytes) => Places::Ascii,
            Ok(text) => Places::Whole(Arc::new(Whole { text: text.clone().unbind(), index: OnceLock::new() })),
            Err(_) => Places::Bytes,
        }
    }

    /// What places count.
    pub fn unit(&self) -> Unit {
        if matches!(self, Places::Bytes) { Unit::Bytes } else { Unit::Characters }
    }

    /// The same places, independent from here on.
    pub fn copied(&self) -> Places {
        match self {
            Places::Growing(index) => Places::Growing(Arc::new(Mutex::new(held(index).clone()))),
            other => other.clone(),
        }
    }

    /// Adds the next piece.
    pub fn push(&self, text: &[u8]) {
        if let Places::Growing(index) = self {
            held(index).push(text);
        }
    }

    /// The place of a byte.
    pub fn place(&self, py: Python<'_>, at: usize) -> usize {
        match self {
            Places::Bytes | Places::Ascii => at,
            Places::Growing(index) => held(index).place(at),
            Places::Whole(whole) => whole.place(py, at),
        }
    }

    /// A span as a tuple.
    pub fn span<'py>(&self, py: Python<'py>, span: crate::span::Span) -> PyResult<Bound<'py, PyTuple>> {
        (self.place(py, span.start), self.place(py, span.end)).into_pyobject(py)
    }
}

fn ascii_starts(bytes: usize) -> Starts {
    let full = bytes / 64;
    let rest = bytes % 64;
    let mut blocks = vec![u64::MAX; full];
    let mut before: Vec<u32> = (0..full as u32).map(|block| block * 64).collect();
    if rest > 0 {
        blocks.push((1 << rest) - 1);
        before.push(full as u32 * 64);
    }
    Starts { blocks, before, bytes, characters: bytes as u32 }
}
