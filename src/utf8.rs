//! Text that is nearly UTF-8: Python strings may hold lone surrogates, and bytes may hold anything.

use std::borrow::Cow;

/// `bytes` as text: a lone surrogate, or a sequence that is not UTF-8, becomes one U+FFFD.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replaced(bytes)),
    }
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
