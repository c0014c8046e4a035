//! Keys that are looked ahead for: what tells one from text where a quote, a colon or a brace is missing.

use super::strings::{find_in_quoted, smart};
use super::{Bounds, MAX_STRAY_KEY, Reader, Word, classify, is_word};
use crate::window::Window;
use memchr::{memchr, memmem};

/// A word that stands where a value was expected is recognised as a key up to this length.
const MAX_WORD: usize = 64;

/// What is seen of a string that is looked through up to a limit.
enum Short {
    /// It ends; what follows starts at the position.
    Ends(usize),
    /// The text ends in it.
    Cut,
    /// It is longer than is looked through.
    Long,
}

impl Reader {
    /// Whether a word stands at `at` that is a key without its opening quote.
    pub(super) fn half_quoted_key(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        let rest = window.slice(at, at + MAX_STRAY_KEY);
        let length = rest.iter().take_while(|byte| is_word(**byte)).count();
        if length == 0 || !window.starts_with(at + length, b"\"")? {
            return Some(false);
        }
        Some(self.peek(window, at + length + 1)? == Some(b':'))
    }

    /// Whether the quote at `at` opens a key: its string ends soon and a colon follows, or a value where the colon is missing. A text too
    /// long to be looked through counts as one, since valid JSON may hold it.
    pub(super) fn opens_key(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        if window.get(at).is_none() {
            return if window.last { Some(false) } else { None };
        }
        if is_plain_key(window, at) {
            return Some(true);
        }
        let twice = window.slice(at, at + 2) == b"\"\"" && self.is_written_twice(window, at)?;
        let at = at + usize::from(twice);
        let end = match self.short_string(window, at)? {
            Short::Ends(end) => end,
            // A text that ends here may well be a key that was cut.
            Short::Cut | Short::Long => return Some(true),
        };
        let next = self.after_layout(window, end)?;
        match window.get(next) {
            None | Some(b':' | b'=' | b'/' | b'#') => Some(true),
            Some(0xEF) => Some(window.slice(next, next + 3) == [0xEF, 0xBC, 0x9A]),
            // The quote behind the key was written twice.
            Some(b'"') if next == end => Some(self.peek(window, next + 1)? == Some(b':')),
            Some(byte) => {
                let open = !may_follow_key(byte) && left_open(window.slice(at + 1, end - 1)).is_some();
                Some(open || self.value_follows(byte, window, next)?)
            }
        }
    }

    /// Whether a value stands at `at`, right behind a key, and its object goes on or ends behind it.
    fn value_follows(&self, byte: u8, window: &Window<'_>, at: usize) -> Option<bool> {
        let end = match byte {
            b'{' | b'[' => return Some(true),
            b'"' | b'\'' => match self.short_string(window, at)? {
                Short::Ends(end) => end,
                Short::Cut => return Some(true),
                Short::Long => return Some(false),
            },
            _ => {
                let rest = window.slice(at, at + MAX_STRAY_KEY);
                let length = rest.iter().take_while(|byte| is_word(**byte) || **byte == b'+').count();
                if at + length == window.end() && !window.last {
                    return None;
                }
                if classify(rest.get(..length).unwrap_or_default(), self.digits) == Word::Text {
                    return Some(false);
                }
                at + length
            }
        };
        let next = self.after_layout(window, end)?;
        Some(matches!(window.get(next), None | Some(b',' | b'}')))
    }

    /// Whether a comment stands at `at`, and a colon behind it.
    pub(super) fn colon_behind_comment(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        let rest = window.slice(at, at + MAX_STRAY_KEY);
        let length = match rest {
            [b'#', ..] | [b'/', b'/', ..] => memchr(b'\n', rest),
            [b'/', b'*', ..] => memmem::find(rest, b"*/").map(|index| index + 2),
            [b'/'] => None,
            _ => return Some(false),
        };
        match length {
            Some(length) => Some(self.peek(window, at + length)? == Some(b':')),
            None if rest.len() < MAX_STRAY_KEY && !window.last => None,
            None => Some(false),
        }
    }

    /// Where the string ends that the quote at `at` opens.
    fn short_string(&self, window: &Window<'_>, at: usize) -> Option<Short> {
        let byte = window.get(at)?;
        let width = if byte == 0xE2 { 3 } else { 1 };
        let mut scan = at + width;
        let limit = scan + MAX_STRAY_KEY;
        loop {
            let plain = window.slice(scan, limit).iter().take_while(|next| !matches!(**next, b'\\' | 0xE2) && **next != byte);
            scan += plain.count();
            if scan >= limit {
                return Some(Short::Long);
            }
            let Some(next) = window.get(scan) else { return if window.last { Some(Short::Cut) } else { None } };
            match next {
                b'\\' => scan += 2,
                _ if next == byte && width == 1 => return Some(Short::Ends(scan + 1)),
                0xE2 if width == 3 => {
                    let mark = window.slice(scan, scan + 3);
                    if mark.len() < 3 && !window.last {
                        return None;
                    }
                    if smart(mark).is_some() {
                        return Some(Short::Ends(scan + 3));
                    }
                    scan += 1;
                }
                _ => scan += 1,
            }
        }
    }

    /// Whether the brace at `at` opens an object beside the one that is open.
    pub(super) fn opens_sibling(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        if bounds.siblings.is_empty() {
            return Some(false);
        }
        let next = self.after_layout(window, at + 1)?;
        let Some(quote @ (b'"' | b'\'')) = window.get(next) else { return Some(false) };
        let length = window.starts_with_any(next + 1, bounds.siblings)?;
        let end = next + 1 + length.unwrap_or(0);
        if length.is_none() || !window.starts_with(end, &[quote])? { Some(false) } else { self.opens_key(window, next) }
    }
}

/// Whether a string of one word stands at `at`, and a colon behind it.
pub(crate) fn key_stands_at(window: &Window<'_>, at: usize) -> Option<bool> {
    if window.get(at) != Some(b'"') {
        return Some(false);
    }
    let rest = window.slice(at + 1, at + 1 + MAX_WORD);
    let word = rest.iter().take_while(|byte| is_word(**byte)).count();
    match rest.get(word) {
        Some(b'"') if word > 0 => Some(window.get(window.after_blanks(at + word + 2)?) == Some(b':')),
        None if rest.len() < MAX_WORD && !window.last => None,
        _ => Some(false),
    }
}

/// Whether the next quote closes what the quote at `at` opens, and a colon follows at once: most keys stand so, and need no weighing.
#[inline]
fn is_plain_key(window: &Window<'_>, at: usize) -> bool {
    let Some((quote @ (b'"' | b'\''), rest)) = window.slice(at, at + 1 + MAX_STRAY_KEY).split_first() else { return false };
    let end = find_in_quoted(*quote, rest).filter(|length| *length > 0);
    end.is_some_and(|length| matches!(rest.get(length..), Some([closer, b':', ..]) if closer == quote))
}

/// The length of a key that was left open in `text`: it is one word, and a colon and a value follow, or a colon alone where the quote of the
/// value was taken for the key's.
pub(super) fn left_open(text: &[u8]) -> Option<usize> {
    let colon = memchr(b':', text)?;
    let key = text.get(..colon)?.trim_ascii_end();
    let value = text.get(colon + 1..)?.trim_ascii_start();
    let begins = matches!(value, [] | [b'{' | b'[' | b'-' | b'0'..=b'9', ..])
        || [&b"true"[..], b"false", b"null"].iter().any(|word| value.starts_with(word));
    (begins && !key.is_empty() && key.iter().all(|byte| is_word(*byte))).then_some(key.len())
}

/// A byte that may stand behind the closing quote of a key: the colon, or what is found where the value is missing.
pub(super) fn may_follow_key(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b',' | b'}' | b']')
}
