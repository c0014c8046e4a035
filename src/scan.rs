//! Finding the next byte of interest: the loops that see every byte.

mod characters;

use characters::Alike;

const BLOCK: usize = 32;

/// Bytes that are looked at as one number.
const WORD: usize = 8;

/// The first byte in a JSON string that is not plain text: a quote, a backslash, a control character.
#[inline]
#[must_use]
pub fn find_in_string(text: &[u8]) -> Option<usize> {
    find_in_quotes::<b'"'>(text)
}

/// The same between other quotes.
#[inline]
#[must_use]
pub fn find_in_quotes<const QUOTE: u8>(text: &[u8]) -> Option<usize> {
    // Most strings end, or hold an escape, within the first block; where they do not, long runs are passed over in blocks.
    let (head, tail) = text.split_at(text.len().min(BLOCK));
    first_in_words::<QUOTE>(head).or_else(|| find_in_long::<QUOTE>(tail).map(|index| head.len() + index))
}

fn find_in_long<const QUOTE: u8>(text: &[u8]) -> Option<usize> {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    // No early exit inside a block: the compiler turns the fold into vector compares.
    let found = blocks.iter().position(|block| block.iter().fold(false, |seen, byte| seen | ends_run::<QUOTE>(*byte)));
    let before = found.unwrap_or(blocks.len()) * BLOCK;
    let last = found.and_then(|index| blocks.get(index)).map_or(rest, |block| block);
    first_in_words::<QUOTE>(last).map(|index| before + index)
}

fn ends_run<const QUOTE: u8>(byte: u8) -> bool {
    (byte == QUOTE) | (byte == b'\\') | (byte < 0x20)
}

/// The same, eight bytes at a time.
#[inline]
fn first_in_words<const QUOTE: u8>(text: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES * 0x80;
    // The high bit of each byte below `limit`. A byte behind one may be marked wrongly: only the first mark counts.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let (words, rest) = text.as_chunks::<WORD>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let marks = below(word, 0x20) | below(word ^ (ONES * u64::from(QUOTE)), 1) | below(word ^ (ONES * u64::from(b'\\')), 1);
        if marks != 0 {
            return Some(index * WORD + marks.trailing_zeros() as usize / 8);
        }
    }
    rest.iter().position(|byte| ends_run::<QUOTE>(*byte)).map(|index| words.len() * WORD + index)
}

/// A set of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteSet {
    member: [bool; 256],
    needles: [u8; ByteSet::MOST],
    count: usize,
}

impl ByteSet {
    /// The most bytes that are searched for in blocks.
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
        // Unused places repeat the last needle.
        for needle in self.needles.iter_mut().skip(self.count) {
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

    /// The needles that a search for `N` of them compares with; the last one repeats.
    fn some<const N: usize>(&self) -> [u8; N] {
        std::array::from_fn(|index| self.needles.get(index).copied().unwrap_or_default())
    }
}

#[inline]
fn is_one_of<const N: usize>(byte: u8, needles: [u8; N]) -> bool {
    needles.iter().fold(false, |seen, needle| seen | (byte == *needle))
}

/// A bit for each byte of the block that is one of the needles.
#[inline]
fn marks<const N: usize>(block: &[u8; BLOCK], needles: [u8; N]) -> u32 {
    // Eight bytes of 0 and 1 become one byte of bits: the product moves each to the top, each to its own place.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = block.map(|byte| u8::from(is_one_of(byte, needles)));
    let (words, _) = flags.as_chunks::<WORD>();
    if words.iter().fold(0, |seen, word| seen | u64::from_le_bytes(*word)) == 0 {
        return 0;
    }
    words.iter().rev().fold(0, |marks, word| marks << 8 | (u64::from_le_bytes(*word).wrapping_mul(GATHER) >> 56) as u32)
}

/// Where two bytes may stand side by side: a small set of first bytes, and for each the bytes that may follow.
#[derive(Clone, Debug)]
pub struct PairSet {
    firsts: ByteSet,
    /// For each first byte its bit; 0 for bytes that are none. First bytes beyond the eighth share the last bit.
    bits: [u8; 256],
    /// For each byte the bits of those that it may follow.
    follows: [u8; 256],
    /// The first bytes that are characters of their own.
    ascii: ByteSet,
    /// The other characters that may hold a pair.
    wide: Vec<Alike<u32>>,
}

impl PairSet {
    /// The set of `pairs`.
    #[must_use]
    pub fn new(pairs: &[(u8, u8)]) -> PairSet {
        let firsts = ByteSet::new(pairs.iter().map(|pair| pair.0));
        let ascii = ByteSet::new(pairs.iter().map(|pair| pair.0).filter(u8::is_ascii));
        let mut set = PairSet { firsts, bits: [0; 256], follows: [0; 256], ascii, wide: Vec::new() };
        let mut bit = 1;
        for (first, second) in pairs {
            if set.bits[*first as usize] == 0 {
                set.bits[*first as usize] = bit;
                bit = if bit == 0x80 { bit } else { bit << 1 };
            }
            set.follows[*second as usize] |= set.bits[*first as usize];
            set.wide.extend(Alike::of(*first, *second).filter(|alike| !set.wide.contains(alike)));
        }
        set
    }

    /// The first place in `text` where a pair stands, or where the text ends behind a first byte.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        match self.firsts.count {
            0 => None,
            1..=4 => self.find_in_blocks::<4>(text),
            5 | 6 => self.find_in_blocks::<6>(text),
            7 | 8 => self.find_in_blocks::<8>(text),
            _ => self.find_from(text, 0, text.len()),
        }
    }

    fn find_in_blocks<const N: usize>(&self, text: &[u8]) -> Option<usize> {
        let needles = self.firsts.some::<N>();
        let (blocks, _) = text.as_chunks::<BLOCK>();
        for (index, block) in blocks.iter().enumerate() {
            let mut firsts = marks(block, needles);
            while firsts != 0 {
                let at = index * BLOCK + firsts.trailing_zeros() as usize;
                if self.stands_at(text, at) {
                    return Some(at);
                }
                firsts &= firsts - 1;
            }
        }
        self.find_from(text, blocks.len() * BLOCK, text.len())
    }

    /// A first byte stands at `at`: true when the byte behind it makes a pair, or the text ends there.
    #[inline]
    fn stands_at(&self, text: &[u8], at: usize) -> bool {
        match text.get(at..at + 2) {
            Some(&[first, second]) => self.is_pair(first, second),
            _ => true,
        }
    }

    /// The same between two places, byte by byte: where one first byte stands, others are near.
    fn find_from(&self, text: &[u8], mut start: usize, end: usize) -> Option<usize> {
        while let Some(index) = text.get(start..end)?.iter().position(|byte| self.bits[*byte as usize] != 0) {
            let first = *text.get(start + index)?;
            let Some(second) = text.get(start + index + 1) else { return Some(start + index) };
            if self.is_pair(first, *second) {
                return Some(start + index);
            }
            start += index + 1;
        }
        None
    }

    #[inline]
    fn is_pair(&self, first: u8, second: u8) -> bool {
        self.bits[first as usize] & self.follows[second as usize] != 0
    }
}

#[cfg(test)]
mod tests;
