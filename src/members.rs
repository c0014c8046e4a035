//! [`Members`]: the keys of the containers that are open, to tell which of them were written before.

use crate::tape::{Slice, Tape};
use crate::value::Container;
use std::collections::HashSet;

/// Comparing so many keys with each other is cheaper than hashing them.
const FEW: usize = 32;

/// The keys of the containers that are open.
#[derive(Clone, Debug, Default)]
pub struct Members {
    open: Vec<Opened>,
    /// Each key, and where it stands in the reply.
    keys: Vec<(Slice, usize)>,
}

/// A container that is open.
#[derive(Copy, Clone, Debug)]
struct Opened {
    is_object: bool,
    /// The place of its first key among the keys.
    first: usize,
    /// One bit for each kind of key that was seen.
    kinds: u64,
    /// True once two keys were of one kind: only then can one have been written before.
    alike: bool,
}

impl Members {
    /// Without any, and with room for those of an ordinary call.
    #[must_use]
    pub fn with_room() -> Members {
        Members { open: Vec::with_capacity(4), keys: Vec::with_capacity(8) }
    }

    /// A container opens.
    #[inline]
    pub fn open(&mut self, container: Container) {
        let is_object = container == Container::Object;
        self.open.push(Opened { is_object, first: self.keys.len(), kinds: 0, alike: false });
    }

    /// A key begins at `at`.
    #[inline]
    pub fn begin(&mut self, at: usize, tape: &Tape) {
        self.keys.push((tape.begin(), at));
    }

    /// The key that was begun last is over.
    #[inline]
    pub fn end(&mut self, slice: Slice, key: &[u8]) {
        if let Some(last) = self.keys.last_mut() {
            last.0 = slice;
        }
        if let Some(opened) = self.open.last_mut() {
            let kind = 1 << (kind_of(key) % u64::BITS);
            opened.alike |= opened.kinds & kind != 0;
            opened.kinds |= kind;
        }
    }

    /// A whole key at `at`.
    #[inline]
    pub fn add(&mut self, at: usize, slice: Slice, key: &[u8]) {
        self.keys.push((slice, at));
        self.end(slice, key);
    }

    /// Forgets the last key.
    pub fn forget_last(&mut self) {
        self.keys.pop();
    }

    /// The innermost object holds items, and its only key is the first of them.
    pub fn become_items(&mut self) {
        self.keys.pop();
        if let Some(opened) = self.open.last_mut() {
            opened.is_object = false;
        }
    }

    /// The innermost container closes. Returns where the keys stand that were written before.
    #[inline]
    pub fn close(&mut self, tape: &Tape) -> Vec<usize> {
        let Some(opened) = self.open.pop() else { return Vec::new() };
        if !opened.is_object {
            return Vec::new();
        }
        let again = if opened.alike { written_again(self.keys.get(opened.first..).unwrap_or_default(), tape) } else { Vec::new() };
        self.keys.truncate(opened.first);
        again
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.open.clear();
        self.keys.clear();
    }
}

/// Equal keys are of one kind; few others are.
#[inline]
fn kind_of(key: &[u8]) -> u32 {
    let ends = key.first().zip(key.last()).map_or(0, |(first, last)| u32::from(*first) * 7 + u32::from(*last) * 31);
    ends + key.len() as u32
}

fn written_again(keys: &[(Slice, usize)], tape: &Tape) -> Vec<usize> {
    if keys.len() < FEW { again_among_few(keys, tape) } else { again_among_many(keys, tape) }
}

fn again_among_few(keys: &[(Slice, usize)], tape: &Tape) -> Vec<usize> {
    let is_again = |index: usize, key: Slice| {
        let before = keys.get(..index).unwrap_or_default();
        before.iter().any(|(other, _)| other.len() == key.len() && tape.text(*other) == tape.text(key))
    };
    keys.iter().enumerate().filter(|(index, (key, _))| is_again(*index, *key)).map(|(_, (_, at))| *at).collect()
}

fn again_among_many(keys: &[(Slice, usize)], tape: &Tape) -> Vec<usize> {
    // The standard map's keyed hash: the keys are a model's text.
    let mut seen = HashSet::with_capacity(keys.len());
    keys.iter().filter(|(key, _)| !seen.insert(tape.text(*key))).map(|(_, at)| *at).collect()
}
