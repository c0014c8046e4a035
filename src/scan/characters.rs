//! The search for pairs in characters of which no UTF-8 was made.

use super::{BLOCK, PairSet, is_one_of};
use crate::utf8::{Character, lead};

/// Characters beyond ASCII that are `code` once the bits of `low` are set: one, or those whose UTF-8 begins with the same two bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Alike<C> {
    code: C,
    low: C,
}

impl Alike<u32> {
    /// The characters whose UTF-8 begins with a pair.
    pub(super) fn of(first: u8, second: u8) -> Option<Alike<u32>> {
        let (first, second) = (u32::from(first), u32::from(second) & 0x3F);
        match first {
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
    const NOTHING: Alike<C> = Alike { code: C::ZERO, low: C::ONE };

    #[inline]
    fn is(self, character: C) -> bool {
        character | self.low == self.code
    }
}

impl PairSet {
    /// The most kinds of characters beyond ASCII that are searched for in blocks.
    const MOST_WIDE: usize = 2;

    /// True when a pair may stand in the UTF-8 of these characters, or its first byte at their end; false when surely none does.
    #[must_use]
    pub fn may_stand_in<C: Character>(&self, characters: &[C]) -> bool {
        if self.wide.len() > PairSet::MOST_WIDE {
            return true;
        }
        match self.ascii.count {
            0..=4 => self.may_stand_near(characters, self.ascii.some::<4>()),
            5 | 6 => self.may_stand_near(characters, self.ascii.some::<6>()),
            7 | 8 => self.may_stand_near(characters, self.ascii.some::<8>()),
            _ => true,
        }
    }

    fn may_stand_near<C: Character, const N: usize>(&self, characters: &[C], ascii: [u8; N]) -> bool {
        // What is wider than the characters cannot stand among them.
        let mut wide = self.wide.iter().filter_map(|alike| alike.narrowed());
        let wide: [Alike<C>; PairSet::MOST_WIDE] = std::array::from_fn(|_| wide.next().unwrap_or(Alike::NOTHING));
        let is_near = |block: &[C; BLOCK]| {
            let mut bytes = [0; BLOCK];
            bytes.iter_mut().zip(block).for_each(|(byte, character)| *byte = character.squeezed());
            let near = bytes.iter().fold(false, |seen, byte| seen | is_one_of(*byte, ascii));
            block.iter().fold(near, |seen, character| wide.iter().fold(seen, |seen, alike| seen | alike.is(*character)))
        };
        let (blocks, rest) = characters.as_chunks::<BLOCK>();
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
                _ if code >= 0x80 => self.wide.iter().any(|alike| alike.is(code)),
                None => self.firsts.contains(lead(code)),
                Some(next) => self.is_pair(lead(code), lead((*next).into())),
            }
        })
    }
}
