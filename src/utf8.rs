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
