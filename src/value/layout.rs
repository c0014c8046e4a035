//! What stands between tokens: white space, comments, odd characters; and the look ahead that passes over it.

use super::{At, Bounds, Comment, Reader, Values, alphanumeric_or};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::window::{BLANKS, Window, is_blank};
use memchr::{memchr, memchr2, memmem};

/// Bytes that start a token, whatever markers the format has.
const STARTS_TOKEN: [bool; 256] = alphanumeric_or(b"\"'{}[],:");

/// What stands at the next token.
pub(super) enum Next {
    /// A byte that starts a token, and how many bytes of the text it takes (full-width punctuation takes three).
    Byte(u8, usize),
    /// More text is needed, or the text is over.
    More,
    /// A stop marker.
    Stop,
}

/// One thing between tokens.
enum Gap {
    Blank(usize),
    Odd(usize),
    Comment(Comment, usize),
    /// Full-width punctuation stands for the ASCII byte.
    Wide(u8, usize),
    None,
}

impl Reader {
    /// Passes over layout, with its marks, to the next token.
    #[inline]
    pub(super) fn layout<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Next {
        if self.comment.is_none() && !self.comment_holds_more {
            let rest = window.from(*pos);
            let blank = usize::from(rest.first() == Some(&b' '));
            if let Some(byte) = rest.get(blank).copied().filter(|byte| STARTS_TOKEN[*byte as usize]) {
                *pos += blank;
                return Next::Byte(byte, 1);
            }
        }
        self.wider_layout(window, pos, bounds, out)
    }

    /// The same where more than one blank may stand.
    #[inline(never)]
    fn wider_layout<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Next {
        loop {
            if self.comment.is_some() && !self.pass_comment(window, pos, bounds, out) {
                return Next::More;
            }
            let Some(byte) = window.get(*pos) else { return Next::More };
            if is_blank(byte) {
                *pos += 1;
                continue;
            }
            if STARTS_TOKEN[byte as usize] {
                self.comment_holds_more = false;
                return Next::Byte(byte, 1);
            }
            match window.starts_with_any(*pos, bounds.stops) {
                None => return Next::More,
                Some(Some(_)) => return Next::Stop,
                Some(None) => {}
            }
            if byte == b'`' && !self.stack.is_empty() {
                match window.starts_with(*pos, b"```") {
                    None => return Next::More,
                    Some(true) => return Next::Stop,
                    Some(false) => {}
                }
            }
            match gap(window, *pos, self.over_escaped) {
                None => return Next::More,
                Some(Gap::None) => return Next::Byte(byte, 1),
                Some(Gap::Blank(width)) => *pos += width,
                Some(Gap::Odd(_)) if byte == b'\\' && matches!(self.at, At::FirstKey) && !self.over_escaped => {
                    match self.is_over_escaped(window, *pos) {
                        None => return Next::More,
                        Some(true) => {
                            self.over_escaped = true;
                            out.repair(Repair::new(RepairKind::OverEscaped, Span::new(*pos, *pos + 2)));
                        }
                        Some(false) => {
                            out.repair(Repair::new(RepairKind::OddCharacter, Span::new(*pos, *pos + 2)));
                            *pos += 2;
                        }
                    }
                }
                Some(Gap::Odd(width)) => {
                    out.repair(Repair::new(RepairKind::OddCharacter, Span::new(*pos, *pos + width)));
                    *pos += width;
                }
                Some(Gap::Comment(comment, width)) => {
                    *pos += width;
                    self.comment = Some(comment);
                }
                Some(Gap::Wide(ascii, width)) => {
                    if self.wide.replace(*pos) != Some(*pos) {
                        out.repair(Repair::new(RepairKind::OddCharacter, Span::new(*pos, *pos + width)));
                    }
                    return Next::Byte(ascii, width);
                }
            }
        }
    }

    /// Moves to the end of the open comment; false when it is not at hand.
    fn pass_comment<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> bool {
        let Some(comment) = self.comment else { return true };
        let rest = window.from(*pos);
        let (start, end) = match comment {
            Comment::Line { start } => {
                let found = line_end(window, *pos, bounds);
                let (Ok(end) | Err(end)) = found;
                self.comment_holds_more |= window.slice(*pos, end).iter().any(|byte| matches!(byte, b',' | b':'));
                if found.is_err() {
                    *pos = end;
                    return false;
                }
                (start, end)
            }
            Comment::Block { start } => {
                if let Some(index) = memmem::find(rest, b"*/") {
                    (start, *pos + index + 2)
                } else {
                    // A star at the very end may be the first half of the closer.
                    *pos += rest.len() - usize::from(rest.last() == Some(&b'*') && !window.last);
                    return false;
                }
            }
        };
        out.repair(Repair::new(RepairKind::Comment, Span::new(start, end)));
        *pos = end;
        self.comment = None;
        true
    }

    /// Whether the first key behind written-out line ends is one escape level too deep, so that they are as well.
    fn is_over_escaped(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        let next = self.after_layout(window, at)?;
        window.starts_with(next, b"\\\"")
    }

    /// Whether full-width punctuation stands at `at`.
    pub(super) fn is_wide(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        Some(matches!(gap(window, at, self.over_escaped)?, Gap::Wide(..)))
    }

    /// The next byte that is not layout, without moving: `Some(None)` at the end of the text.
    pub(super) fn peek(&self, window: &Window<'_>, at: usize) -> Option<Option<u8>> {
        let next = self.after_layout(window, at)?;
        Some(window.get(next))
    }

    /// Where layout that starts at `at` ends; comments are not passed over.
    pub(super) fn after_layout(&self, window: &Window<'_>, mut at: usize) -> Option<usize> {
        let start = at;
        loop {
            match window.get(at) {
                Some(byte) if byte.is_ascii() && byte > b' ' && byte != b'\\' => return Some(at),
                Some(_) if at - start >= BLANKS => return Some(at),
                Some(byte) if is_blank(byte) => at += 1,
                Some(_) => match gap(window, at, self.over_escaped)? {
                    Gap::Blank(width) | Gap::Odd(width) => at += width,
                    _ => return Some(at),
                },
                None if window.last => return Some(at),
                None => return None,
            }
        }
    }
}

/// Where a line comment ends: at its line feed, or before a stop marker. `Err`: nowhere yet; all before the position given is settled.
fn line_end(window: &Window<'_>, from: usize, bounds: Bounds<'_>) -> Result<usize, usize> {
    let mut at = from;
    loop {
        let rest = window.from(at);
        let found = if bounds.stops.is_empty() { memchr(b'\n', rest) } else { memchr2(b'\n', b'<', rest) };
        let Some(index) = found else { return Err(window.end()) };
        at += index;
        if window.get(at) == Some(b'\n') {
            return Ok(at + 1);
        }
        match window.starts_with_any(at, bounds.stops) {
            None => return Err(at),
            Some(Some(_)) => return Ok(at),
            Some(None) => at += 1,
        }
    }
}

/// What stands at `at`, if it belongs between tokens.
fn gap(window: &Window<'_>, at: usize, over_escaped: bool) -> Option<Gap> {
    let Some(byte) = window.get(at) else { return if window.last { Some(Gap::None) } else { None } };
    let width = match byte {
        b'/' => {
            return match window.get(at + 1) {
                Some(b'/') => Some(Gap::Comment(Comment::Line { start: at }, 2)),
                Some(b'*') => Some(Gap::Comment(Comment::Block { start: at }, 2)),
                None if !window.last => None,
                _ => Some(Gap::None),
            };
        }
        b'#' => return Some(Gap::Comment(Comment::Line { start: at }, 1)),
        b'\\' => {
            return match window.get(at + 1) {
                Some(b'n' | b't' | b'r') if over_escaped => Some(Gap::Blank(2)),
                Some(b'n' | b't' | b'r') => Some(Gap::Odd(2)),
                None if !window.last => None,
                _ => Some(Gap::None),
            };
        }
        0..=0x1F | 0x7F => return Some(Gap::Odd(1)),
        0xC2 => 2,
        0xE2 | 0xE3 | 0xEF => 3,
        _ => return Some(Gap::None),
    };
    let character = window.slice(at, at + width);
    if character.len() < width {
        return if window.last { Some(Gap::None) } else { None };
    }
    Some(match character {
        // no-break space; zero-width space, joiners, marks; word joiner; ideographic space; byte order mark
        [0xC2, 0xA0] | [0xE2, 0x80, 0x8B..=0x8F] | [0xE2, 0x81, 0xA0] | [0xE3, 0x80, 0x80] | [0xEF, 0xBB, 0xBF] => Gap::Odd(width),
        [0xEF, 0xBD, 0x9B] => Gap::Wide(b'{', width),
        [0xEF, 0xBD, 0x9D] => Gap::Wide(b'}', width),
        [0xEF, 0xBC, 0xBB] => Gap::Wide(b'[', width),
        [0xEF, 0xBC, 0xBD] => Gap::Wide(b']', width),
        [0xEF, 0xBC, 0x9A] => Gap::Wide(b':', width),
        [0xEF, 0xBC, 0x8C] => Gap::Wide(b',', width),
        _ => Gap::None,
    })
}
