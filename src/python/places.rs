//! Byte offsets as the caller counts them.

use super::input::Unit;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
#[derive(Debug, Default)]
struct Index {
    ascii: usize,
    starts: Option<Starts>,
    /// A reply that is all here, and is looked through when a place is asked for.
    whole: Option<Py<PyString>>,
}

impl Index {
    fn push(&mut self, text: &[u8]) {
        if self.starts.is_none() && text.is_ascii() {
            self.ascii += text.len();
            return;
        }
        let ascii = self.ascii;
        self.starts.get_or_insert_with(|| ascii_starts(ascii)).push(text);
    }

    fn look_through(&mut self) {
        if let Some(text) = self.whole.take() {
            Python::attach(|py| {
                if let Ok((bytes, _)) = super::input::text_of(text.bind(py).as_any(), "raw") {
                    self.push(&bytes);
                }
            });
        }
    }
}

/// How the places of a reply are counted.
#[derive(Clone)]
pub struct Places {
    unit: Unit,
    index: Arc<Mutex<Index>>,
}

impl Places {
    pub fn new(unit: Unit) -> Places {
        Places { unit, index: Arc::default() }
    }

    /// Places of a `str` that is all here; nothing is counted before a place is asked for.
    pub fn later(text: &Bound<'_, PyString>) -> Places {
        let index = Index { whole: Some(text.clone().unbind()), ..Index::default() };
        Places { unit: Unit::Characters, index: Arc::new(Mutex::new(index)) }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Places of a reply that is all here.
    pub fn of(unit: Unit, text: &[u8]) -> Places {
        let places = Places::new(unit);
        if unit == Unit::Characters {
            places.push(text);
        }
        places
    }

    /// What places count.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The same places, independent from here on.
    pub fn copied(&self) -> Places {
        let mut index = self.index();
        index.look_through();
        let index = Index { ascii: index.ascii, starts: index.starts.clone(), whole: None };
        Places { unit: self.unit, index: Arc::new(Mutex::new(index)) }
    }

    /// Adds the next piece.
    pub fn push(&self, text: &[u8]) {
        if self.unit == Unit::Characters {
            self.index().push(text);
        }
    }

    /// The place of a byte.
    pub fn place(&self, at: usize) -> usize {
        if self.unit == Unit::Bytes {
            return at;
        }
        let mut index = self.index();
        index.look_through();
        index.starts.as_ref().map_or(at, |starts| starts.character(at))
    }

    /// A span as a tuple.
    pub fn span<'py>(&self, py: Python<'py>, span: crate::span::Span) -> PyResult<Bound<'py, PyTuple>> {
        (self.place(span.start), self.place(span.end)).into_pyobject(py)
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
