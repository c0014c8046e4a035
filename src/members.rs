//! [`Members`]: the keys of the containers that are open, to tell which of them were written before.

use crate::tape::{Slice, Tape};
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
    /// The place of its first key among the keys.
    first: usize,
    /// Two bits, one of each word, for each kind of key that was seen.
    kinds: [u64; 2],
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
    pub fn open(&mut self) {
        self.open.push(Opened { first: self.keys.len(), kinds: [0; 2], alike: false });
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
            let kind = kind_of(key);
            let seen = opened.kinds;
            opened.kinds = [seen[0] | kind[0], seen[1] | kind[1]];
            opened.alike |= opened.kinds == seen;
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

    /// The innermost container closes. Returns where the keys stand that were written before.
    #[inline]
    pub fn close(&mut self, tape: &Tape) -> Vec<usize> {
        let Some(opened) = self.open.pop() else { return Vec::new() };
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
fn kind_of(key: &[u8]) -> [u64; 2] {
    let byte = |at: usize| key.get(at).copied().unwrap_or_default();
    let ends = [key.len() as u8, byte(0), byte(key.len() / 2), byte(key.len().wrapping_sub(1))];
    // The upper bits of a product depend on all of its factor's.
    let mixed = u32::from_le_bytes(ends).wrapping_mul(0x9E37_79B1);
    [1 << (mixed >> 26), 1 << (mixed >> 20 & 63)]
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
