//! Finding the next byte of interest: the loops that see every byte.

const BLOCK: usize = 32;

/// The first byte in a JSON string that is not plain text: a quote, a backslash, a control character.
#[inline]
#[must_use]
pub fn find_in_string(text: &[u8]) -> Option<usize> {
    find_block(text, |byte| (byte == b'"') | (byte == b'\\') | (byte < 0x20))
}

#[inline]
fn find_block(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut blocks = text.chunks_exact(BLOCK);
    let mut at = 0;
    for block in &mut blocks {
        // No early exit inside a block: the compiler turns the fold into vector compares.
        if block.iter().fold(false, |seen, byte| seen | wanted(*byte)) {
            return block.iter().position(|byte| wanted(*byte)).map(|index| at + index);
        }
        at += BLOCK;
    }
    blocks.remainder().iter().position(|byte| wanted(*byte)).map(|index| at + index)
}

/// A small set of bytes to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteSet {
    member: [bool; 256],
    needles: [u8; ByteSet::MOST],
    count: usize,
}

impl ByteSet {
    /// The most bytes that are searched for in blocks; larger sets are searched byte by byte.
    const MOST: usize = 8;

    /// The set of `bytes`.
    #[must_use]
    pub fn new(bytes: impl IntoIterator<Item = u8>) -> ByteSet {
        let mut set = ByteSet { member: [false; 256], needles: [0; ByteSet::MOST], count: 0 };
        for byte in bytes {
            set.insert(byte);
        }
        set
    }

    fn insert(&mut self, byte: u8) {
        if std::mem::replace(&mut self.member[byte as usize], true) {
            return;
        }
        if let Some(needle) = self.needles.get_mut(self.count) {
            *needle = byte;
        }
        self.count += 1;
    }

    /// True when `byte` is in the set.
    #[inline]
    #[must_use]
    pub fn contains(&self, byte: u8) -> bool {
        self.member[byte as usize]
    }

    /// The first byte of the set in `text`.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        match (self.count, &self.needles) {
            (0, _) => None,
            (1, [a, ..]) => memchr::memchr(*a, text),
            (2, [a, b, ..]) => memchr::memchr2(*a, *b, text),
            (3, [a, b, c, ..]) => memchr::memchr3(*a, *b, *c, text),
            (4..=8, _) => self.find_in_blocks(text),
            _ => text.iter().position(|byte| self.contains(*byte)),
        }
    }

    fn find_in_blocks(&self, text: &[u8]) -> Option<usize> {
        let [a, b, c, d, e, f, g, h] = {
            // Unused places repeat the first needle.
            let mut needles = self.needles;
            for needle in needles.iter_mut().skip(self.count) {
                *needle = self.needles[0];
            }
            needles
        };
        find_block(text, |x| (x == a) | (x == b) | (x == c) | (x == d) | (x == e) | (x == f) | (x == g) | (x == h))
    }
}

#[cfg(test)]
mod tests;
