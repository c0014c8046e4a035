//! The search for pairs in characters of which no UTF-8 was made.

use super::{BLOCK, PairSet};
use crate::utf8::{Character, lead};

/// Characters that are `code` once the bits of `low` are set: one, or those whose UTF-8 begins with the same two bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Alike<C> {
    code: C,
    low: C,
}

impl Alike<u32> {
    /// The characters whose UTF-8 begins with a pair; where its first byte is ASCII, that one.
    pub(super) fn of(first: u8, second: u8) -> Option<Alike<u32>> {
        let (first, second) = (u32::from(first), u32::from(second) & 0x3F);
        match first {
            0x00..=0x7F => Some(Alike { code: first, low: 0 }),
            0xC2..=0xDF => Some(Alike { code: (first & 0x1F) << 6 | second, low: 0 }),
            0xE0..=0xEF => Some(Alike { code: (first & 0x0F) << 12 | second << 6 | 0x3F, low: 0x3F }),
            0xF0..=0xF4 => Some(Alike { code: (first & 0x07) << 18 | second << 12 | 0xFFF, low: 0xFFF }),
            _ => None,
        }
    }

    fn narrowed<C: Character>(self) -> Option<Alike<C>> {
        Some(Alike { code: C::try_from(self.code).ok()?, low: C::try_from(self.low).ok()? })
    }
}

impl<C: Character> Alike<C> {
    #[inline]
    fn is(self, character: C) -> bool {
        character | self.low == self.code
    }
}

impl PairSet {
    /// The most kinds of characters that are searched for in blocks.
    const MOST_ALIKE: usize = 6;

    /// True when a pair may stand in the UTF-8 of these characters, or its first byte at their end; false when surely none does.
    #[must_use]
    pub fn may_stand_in<C: Character>(&self, characters: &[C]) -> bool {
        if self.alike.len() > PairSet::MOST_ALIKE {
            return true;
        }
        // What is wider than the characters cannot stand among them. Unused places repeat the first needle.
        let mut narrowed = self.alike.iter().filter_map(|alike| alike.narrowed());
        let Some(first) = narrowed.next() else { return false };
        let needles: [Alike<C>; PairSet::MOST_ALIKE] =
            std::array::from_fn(|index| if index == 0 { first } else { narrowed.next().unwrap_or(first) });
        let (blocks, rest) = characters.as_chunks::<BLOCK>();
        let is_near = |block: &[C]| {
            block.iter().fold(false, |seen, character| seen | needles.iter().fold(false, |seen, needle| seen | needle.is(*character)))
        };
        let in_block = blocks
            .iter()
            .enumerate()
            .any(|(index, block)| is_near(block) && self.stands_between(characters, index * BLOCK, (index + 1) * BLOCK));
        in_block || self.stands_between(characters, characters.len() - rest.len(), characters.len())
    }

    /// The same between two places, character by character.
    fn stands_between<C: Character>(&self, characters: &[C], start: usize, end: usize) -> bool {
        (start..end).any(|at| {
            let Some(code) = characters.get(at).map(|character| (*character).into()) else { return false };
            match characters.get(at + 1) {
                _ if code >= 0x80 => self.alike.iter().any(|alike| alike.is(code)),
                None => self.firsts.contains(lead(code)),
                Some(next) => self.is_pair(lead(code), lead((*next).into())),
            }
        })
    }
}
