//! Places in a reply as the reader of the records counts them.

use crate::collect::outcome::Outcome;

/// What places count.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Unit {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// Characters.
    Characters,
}

const BLOCK: usize = 512;

/// How the places of one reply are counted.
#[derive(Debug, Default)]
pub struct Spans<'t> {
    text: &'t [u8],
    /// The characters before each block; empty when bytes are counted, or are the same.
    before: Vec<usize>,
}

impl Spans<'_> {
    /// For a reply. Nothing is counted when nothing in the outcome has a place.
    #[must_use]
    pub fn new<'t>(unit: Unit, text: &'t [u8], outcome: &Outcome) -> Spans<'t> {
        if unit == Unit::Bytes || (outcome.calls.is_empty() && outcome.errors.is_empty()) || text.is_ascii() {
            return Spans::default();
        }
        let mut total = 0;
        let blocks = text.chunks(BLOCK).map(|block| {
            let before = total;
            total += characters(block);
            before
        });
        Spans { before: blocks.collect(), text }
    }

    /// The place of a byte.
    #[must_use]
    pub fn place(&self, at: usize) -> usize {
        let block = at.min(self.text.len()) / BLOCK;
        match self.before.get(block).or(self.before.last()) {
            None => at,
            Some(before) => {
                let block = block.min(self.before.len() - 1);
                before + characters(self.text.get(block * BLOCK..at.min(self.text.len())).unwrap_or_default())
            }
        }
    }
}

fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}
