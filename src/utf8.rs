//! Text that is nearly UTF-8: Python strings may hold lone surrogates, and bytes may hold anything.

use std::borrow::Cow;
use std::ops::BitOr;

/// Characters that are looked at together.
const BLOCK: usize = 16;

/// The same where most are ASCII, as in prose with a few dashes or in a call with wide markers.
const LONG_BLOCK: usize = 4 * BLOCK;

/// Characters that become UTF-8 before they are copied.
const CHUNK: usize = 256;

/// Room behind them: two characters are written as eight bytes.
const SLACK: usize = 8;

/// A character by its code, in as many bytes as a text needs for each of its characters.
pub trait Character: Copy + Eq + BitOr<Output = Self> + Into<u32> + TryFrom<u32> {
    /// U+0000.
    const ZERO: Self;
    /// U+0001.
    const ONE: Self;

    /// The code of a character that is ASCII; other characters become other bytes than those, or 0.
    fn squeezed(self) -> u8;
}

impl Character for u8 {
    const ZERO: u8 = 0;
    const ONE: u8 = 1;

    #[inline]
    fn squeezed(self) -> u8 {
        self
    }
}

impl Character for u16 {
    const ZERO: u16 = 0;
    const ONE: u16 = 1;

    /// As processors do it for many at once.
    #[inline]
    fn squeezed(self) -> u8 {
        self.cast_signed().clamp(0, 0xFF).cast_unsigned() as u8
    }
}

impl Character for u32 {
    const ZERO: u32 = 0;
    const ONE: u32 = 1;

    #[inline]
    fn squeezed(self) -> u8 {
        self.min(0xFF) as u8
    }
}

/// `bytes` as text: a lone surrogate, or a sequence that is not UTF-8, becomes one U+FFFD.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replaced(bytes)),
    }
}

/// `bytes` with everything that is not ASCII, and the backslash, as `\\uXXXX` or `\\UXXXXXXXX`; a lone surrogate keeps its code.
#[must_use]
pub fn escaped(mut bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    loop {
        let (good, bad) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, &[][..]),
            Err(error) => {
                let (good, bad) = bytes.split_at(error.valid_up_to());
                (std::str::from_utf8(good).unwrap_or_default(), bad)
            }
        };
        for character in good.chars() {
            escape(u32::from(character), &mut out);
        }
        let [first, rest @ ..] = bad else { return out };
        if let [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, tail @ ..] = bad {
            escape(0xD000 | (u32::from(*second) & 0x3F) << 6 | u32::from(*third) & 0x3F, &mut out);
            bytes = tail;
        } else {
            let _ = first;
            escape(u32::from(char::REPLACEMENT_CHARACTER), &mut out);
            let width = std::str::from_utf8(bad).err().and_then(|error| error.error_len()).unwrap_or(bad.len());
            bytes = bad.get(width..).unwrap_or(rest);
        }
    }
}

fn escape(code: u32, out: &mut String) {
    use std::fmt::Write as _;
    let _ = match code {
        0x5C => out.write_str("\\u005c"),
        0..0x80 => out.write_char(char::from_u32(code).unwrap_or_default()),
        0x80..=0xFFFF => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

fn replaced(mut bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    loop {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                out.push_str(text);
                return out;
            }
            Err(error) => {
                let (good, bad) = bytes.split_at(error.valid_up_to());
                out.push_str(std::str::from_utf8(good).unwrap_or_default());
                out.push(char::REPLACEMENT_CHARACTER);
                let width = if is_surrogate(bad) { 3 } else { error.error_len().unwrap_or(bad.len()) };
                bytes = bad.get(width..).unwrap_or_default();
            }
        }
    }
}

/// Characters by their codes as UTF-8; lone surrogates get the three bytes that UTF-8 would give them.
#[must_use]
pub fn encoded<C: Character>(characters: &[C]) -> Vec<u8> {
    let mut out = Vec::with_capacity(characters.len() * widest::<C>());
    // Made in a small room and copied: to write zeros where the text will stand would cost more.
    let mut room = [0; CHUNK * 4 + SLACK];
    for chunk in characters.chunks(CHUNK) {
        let end = put_all(chunk, &mut room);
        out.extend_from_slice(room.get(..end).unwrap_or_default());
    }
    out
}

/// The most bytes that one of these characters becomes.
#[must_use]
pub fn widest<C>() -> usize {
    if size_of::<C>() < 4 { size_of::<C>() + 1 } else { 4 }
}

/// The first byte of a character's UTF-8.
#[must_use]
pub fn lead(code: u32) -> u8 {
    form(code).0.to_le_bytes()[0]
}

fn put_all<C: Character>(characters: &[C], out: &mut [u8]) -> usize {
    let (long, rest) = characters.as_chunks::<LONG_BLOCK>();
    let end = long.iter().fold(0, |end, block| put_ascii(block, out, end).unwrap_or_else(|| put_blocks(block, out, end)));
    put_blocks(rest, out, end)
}

fn put_blocks<C: Character>(characters: &[C], out: &mut [u8], at: usize) -> usize {
    let (blocks, rest) = characters.as_chunks::<BLOCK>();
    let mut end = blocks.iter().fold(at, |end, block| put_ascii(block, out, end).unwrap_or_else(|| put_encoded(block, out, end)));
    for character in rest {
        let (form, width) = form((*character).into());
        if let Some(room) = out.get_mut(end..end + 4) {
            room.copy_from_slice(&form.to_le_bytes());
        }
        end += width as usize;
    }
    end
}

/// Writes characters that are all ASCII, and says where they end.
#[inline]
fn put_ascii<C: Character, const N: usize>(block: &[C; N], out: &mut [u8], at: usize) -> Option<usize> {
    if block.iter().fold(*block.first()?, |seen, character| seen | *character).into() >= 0x80 {
        return None;
    }
    let room = out.get_mut(at..at + N)?;
    room.iter_mut().zip(block).for_each(|(byte, character)| *byte = (*character).into() as u8);
    Some(at + N)
}

/// Which form a character takes is computed and not asked for: short and long ones alternate in most scripts, so no branch could be guessed.
fn put_encoded<C: Character>(block: &[C; BLOCK], out: &mut [u8], mut at: usize) -> usize {
    let mut forms = [0; BLOCK];
    let mut widths = [0; BLOCK];
    for (place, character) in forms.iter_mut().zip(&mut widths).zip(block) {
        (*place.0, *place.1) = if size_of::<C>() < 4 { short_form((*character).into()) } else { form((*character).into()) };
    }
    for (forms, widths) in forms.as_chunks::<2>().0.iter().zip(widths.as_chunks::<2>().0) {
        let both = u64::from(forms[0]) | u64::from(forms[1]) << (8 * widths[0]);
        if let Some(room) = out.get_mut(at..at + 8) {
            room.copy_from_slice(&both.to_le_bytes());
        }
        at += (widths[0] + widths[1]) as usize;
    }
    at
}

/// The bytes of a character below U+10000, the first in the lowest place, and how many they are.
#[inline]
fn short_form(code: u32) -> (u32, u32) {
    let tail = |shift: u32| 0x80 | code >> shift & 0x3F;
    let two = 0xC0 | code >> 6 | tail(0) << 8;
    let three = 0xE0 | code >> 12 | tail(6) << 8 | tail(0) << 16;
    let from = |least: u32| 0_u32.wrapping_sub(u32::from(code >= least));
    let form = code & !from(0x80) | two & from(0x80) & !from(0x800) | three & from(0x800);
    (form, 1 + u32::from(code >= 0x80) + u32::from(code >= 0x800))
}

/// The same for any character.
#[inline]
fn form(code: u32) -> (u32, u32) {
    let tail = |shift: u32| 0x80 | code >> shift & 0x3F;
    if code < 0x1_0000 { short_form(code) } else { (0xF0 | code >> 18 | tail(12) << 8 | tail(6) << 16 | tail(0) << 24, 4) }
}

/// A surrogate in the three bytes that UTF-8 would give it.
#[must_use]
pub fn is_surrogate(bytes: &[u8]) -> bool {
    matches!(bytes, [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..])
}

/// How many bytes at the end are the beginning of a character.
#[must_use]
pub fn incomplete_tail(bytes: &[u8]) -> usize {
    for back in 1..=3.min(bytes.len()) {
        let Some(byte) = bytes.get(bytes.len() - back) else { return 0 };
        let width = match byte {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => return 0,
        };
        return if width > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests;
