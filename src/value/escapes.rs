//! What the escapes of a string say.

use super::strings::Quote;
use super::{Reader, Values};
use crate::format::Syntax;
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::window::Window;

/// The escapes that JSON and Python share, by their second byte; 0 for others.
const SIMPLE_ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'n' as usize] = b'\n';
    table[b't' as usize] = b'\t';
    table[b'r' as usize] = b'\r';
    table[b'b' as usize] = 0x08;
    table[b'f' as usize] = 0x0C;
    table
};

impl Reader {
    /// Reads the escape at `pos` if it is one that JSON and Python share.
    #[inline]
    pub(super) fn simple_escape(&mut self, window: &Window<'_>, pos: &mut usize) -> bool {
        let simple = window.get(*pos + 1).map_or(0, |code| SIMPLE_ESCAPES[code as usize]);
        if simple == 0 {
            return false;
        }
        self.text.push(simple);
        *pos += 2;
        true
    }

    /// Reads the escape at `pos`. False: it is not all here.
    pub(super) fn escape<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, out: &mut V) -> bool {
        let at = *pos;
        let Some(code) = window.get(at + 1) else {
            if window.last {
                *pos = window.end();
            }
            return false;
        };
        if self.simple_escape(window, pos) {
            return true;
        }
        let python = self.dialect.syntax == Syntax::Python;
        let mut width = 2;
        match code {
            b'/' if !python => self.push(b"/"),
            b'u' => return self.unicode_escape(window, pos, 4, out),
            b'U' if python => return self.unicode_escape(window, pos, 8, out),
            b'x' if python => return self.unicode_escape(window, pos, 2, out),
            b'a' if python => self.push(b"\x07"),
            b'v' if python => self.push(b"\x0B"),
            b'0' if python => self.push(b"\0"),
            b'\n' if python => {}
            b'\'' if python || self.string.quote == Quote::Single => self.push(b"'"),
            b'\'' | b'`' => {
                self.push(&[code]);
                if self.string.quote != Quote::Backtick {
                    out.repair(Repair::new(RepairKind::EscapedQuote, Span::new(at, at + 2)));
                }
            }
            b'_' if !python => {
                self.push(b"_");
                out.repair(Repair::new(RepairKind::BadEscape, Span::new(at, at + 2)));
            }
            _ => {
                // Only the backslash is settled: what follows is read as what it is (it may be the first byte of a character).
                self.push(b"\\");
                width = 1;
                if !python {
                    out.repair(Repair::new(RepairKind::BadEscape, Span::new(at, at + 2)));
                }
            }
        }
        *pos = at + width;
        true
    }

    fn unicode_escape<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, digits: usize, out: &mut V) -> bool {
        let at = *pos;
        let Some(first) = hex(window, at + 2, digits) else {
            if window.last {
                *pos = window.end();
            }
            return false;
        };
        let Ok(first) = first else {
            self.push(window.slice(at, at + 2));
            out.repair(Repair::new(RepairKind::BadEscape, Span::new(at, at + 2)));
            *pos = at + 2;
            return true;
        };
        let mut end = at + 2 + digits;
        let mut code = first;
        if (0xD800..0xDC00).contains(&first) {
            match second_half(window, end) {
                None => {
                    if window.last {
                        *pos = window.end();
                    }
                    return false;
                }
                Some(Some(low)) => {
                    code = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
                    end += 6;
                }
                Some(None) => {}
            }
        }
        let character = char::from_u32(code).unwrap_or_else(|| {
            out.repair(Repair::new(RepairKind::LoneSurrogate, Span::new(at, end)));
            char::REPLACEMENT_CHARACTER
        });
        self.push(character.encode_utf8(&mut [0; 4]).as_bytes());
        *pos = end;
        true
    }

    /// A backslash in text that is one escape level too deep: `Some(true)` when it was the closing quote.
    pub(super) fn escaped_level<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Option<bool> {
        let at = *pos;
        let more = |pos: &mut usize| {
            if window.last {
                *pos = window.end();
            }
            None
        };
        let Some(first) = window.get(at + 1) else { return more(pos) };
        match first {
            b'"' => {
                *pos = at + 2;
                return Some(true);
            }
            b'n' | b't' | b'r' => {
                self.push(match first {
                    b'n' => b"\n",
                    b't' => b"\t",
                    _ => b"\r",
                });
                *pos = at + 2;
            }
            b'\\' => {
                // `\\` is the inner text's backslash; `\\\"` its escaped quote, `\\\\` its escaped backslash.
                let Some(second) = window.get(at + 2) else { return more(pos) };
                if second == b'\\' {
                    let Some(third) = window.get(at + 3) else { return more(pos) };
                    self.push(&[third]);
                    *pos = at + 4;
                } else {
                    *pos = at + 1;
                    if !self.escape(window, pos, out) {
                        *pos = if window.last { window.end() } else { at };
                        return None;
                    }
                }
            }
            _ => {
                if !self.escape(window, pos, out) {
                    return None;
                }
            }
        }
        Some(false)
    }
}

/// `digits` hex digits at `at`: `Some(Err)` when they are something else.
fn hex(window: &Window<'_>, at: usize, digits: usize) -> Option<Result<u32, ()>> {
    let text = window.slice(at, at + digits);
    let valid = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if valid < text.len() {
        return Some(Err(()));
    }
    if text.len() < digits {
        return None;
    }
    Some(std::str::from_utf8(text).ok().and_then(|text| u32::from_str_radix(text, 16).ok()).ok_or(()))
}

/// The low half of a surrogate pair at `at`: `Some(None)` when something else stands there.
fn second_half(window: &Window<'_>, at: usize) -> Option<Option<u32>> {
    if !window.starts_with(at, b"\\u")? {
        return if window.last && b"\\u".starts_with(window.from(at)) { None } else { Some(None) };
    }
    match hex(window, at + 2, 4)? {
        Ok(low) if (0xDC00..0xE000).contains(&low) => Some(Some(low)),
        _ => Some(None),
    }
}
