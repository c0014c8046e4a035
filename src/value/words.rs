//! Bare words: numbers, literals, and text without quotes.

use super::{At, Bounds, Ending, LastItem, Reader, Step, Values, alphanumeric_or, is_all_blank, is_word};
use crate::format::{Keys, Syntax};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::window::{BLANKS, Window, is_blank};

/// What a bare word says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
    /// A literal in Python's or another spelling: its value, `None` for null.
    Spelled(Option<bool>),
    /// `undefined`, `nil`.
    Odd,
    /// A number in strict JSON form.
    Number,
    /// A number written otherwise, with its strict form.
    Reformatted(String),
    /// A number without an exact form.
    Inexact,
    /// The beginning of a number or literal.
    Partial,
    /// Text.
    Text,
}

/// Reads a bare word; an integer has at most so many digits.
#[must_use]
pub fn classify(word: &[u8], digits: usize) -> Word {
    if let Some(b'0'..=b'9') = word.first() {
        return number(word, digits);
    }
    match word {
        b"true" => return Word::Bool(true),
        b"false" => return Word::Bool(false),
        b"null" => return Word::Null,
        b"undefined" | b"nil" | b"Nil" | b"NIL" => return Word::Odd,
        b"NaN" | b"nan" | b"NAN" | b"Infinity" | b"-Infinity" | b"+Infinity" | b"inf" | b"-inf" | b"Inf" | b"-Inf" => return Word::Inexact,
        _ => {}
    }
    match word.first() {
        Some(b'-' | b'+' | b'.') => number(word, digits),
        Some(b't' | b'T' | b'f' | b'F' | b'n' | b'N' | b'u') => literal(word),
        _ => Word::Text,
    }
}

fn literal(word: &[u8]) -> Word {
    for (name, value) in [(&b"true"[..], Some(true)), (b"false", Some(false)), (b"null", None), (b"none", None)] {
        if word.eq_ignore_ascii_case(name) {
            return Word::Spelled(value);
        }
    }
    let starts = |name: &&[u8]| name.len() > word.len() && name.get(..word.len()).is_some_and(|head| head == word);
    let spellings: [&[u8]; 8] = [b"true", b"false", b"null", b"True", b"False", b"None", b"undefined", b"NaN"];
    if spellings.iter().any(starts) { Word::Partial } else { Word::Text }
}

/// True when `word` is a number as JSON writes it.
#[must_use]
pub fn is_strict_number(word: &[u8]) -> bool {
    strict(word).is_some()
}

/// What a number as JSON writes it is made of.
struct Strict {
    /// Digits before the point.
    whole: usize,
    fraction: bool,
    exponent: bool,
}

fn strict(word: &[u8]) -> Option<Strict> {
    let (length, parts) = strict_at_start(word)?;
    (length == word.len()).then_some(parts)
}

/// The number as JSON writes it with which `word` begins, and its length.
#[inline]
fn strict_at_start(word: &[u8]) -> Option<(usize, Strict)> {
    let digits = |from: usize| word.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(word.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && word.get(at) == Some(&b'0')) {
        return None;
    }
    at += whole;
    let fraction = word.get(at) == Some(&b'.');
    if fraction {
        let digits = digits(at + 1);
        if digits == 0 {
            return None;
        }
        at += 1 + digits;
    }
    let exponent = matches!(word.get(at), Some(b'e' | b'E'));
    if exponent {
        at += 1 + usize::from(matches!(word.get(at + 1), Some(b'+' | b'-')));
        let digits = digits(at);
        if digits == 0 {
            return None;
        }
        at += digits;
    }
    Some((at, Strict { whole, fraction, exponent }))
}

fn number(word: &[u8], digits: usize) -> Word {
    if let Some(parts) = strict(word) {
        return if is_exact(word, &parts, digits) { Word::Number } else { Word::Inexact };
    }
    match reformat(word) {
        Some((number, parts)) if is_exact(number.as_bytes(), &parts, digits) => Word::Reformatted(number),
        Some(_) => Word::Inexact,
        None if is_partial_number(word) => Word::Partial,
        None => Word::Text,
    }
}

/// Not too long for an integer, not too large for a float.
fn is_exact(number: &[u8], parts: &Strict, digits: usize) -> bool {
    if !parts.fraction && !parts.exponent {
        return parts.whole <= digits;
    }
    if !parts.exponent && number.len() < 300 {
        return true;
    }
    std::str::from_utf8(number).ok().and_then(|text| text.parse::<f64>().ok()).is_some_and(f64::is_finite)
}

/// `+5`, `.5`, `5.`, `0x1F` in JSON's form.
fn reformat(word: &[u8]) -> Option<(String, Strict)> {
    let text = std::str::from_utf8(word).ok()?;
    let (sign, body) = match text.split_at_checked(1)? {
        ("-", body) => ("-", body),
        ("+", body) => ("", body),
        _ => ("", text),
    };
    if let Some(hex) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        let value = u128::from_str_radix(hex, 16).ok().filter(|_| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let number = format!("{sign}{value}");
        return strict(number.as_bytes()).map(|parts| (number, parts));
    }
    let padded = if body.starts_with('.') { format!("0{body}") } else { body.to_owned() };
    let split = padded.find(['e', 'E']).unwrap_or(padded.len());
    let (mantissa, exponent) = padded.split_at_checked(split)?;
    let mantissa = if mantissa.ends_with('.') { format!("{mantissa}0") } else { mantissa.to_owned() };
    let number = format!("{sign}{mantissa}{exponent}");
    // A word that needed nothing but padding has at least one digit of its own.
    strict(number.as_bytes()).filter(|_| word.iter().any(u8::is_ascii_digit)).map(|parts| (number, parts))
}

/// `-`, `3.`, `2e`, `1e+`, `0x`: what a number looks like before it is whole.
fn is_partial_number(word: &[u8]) -> bool {
    ["0", "0.0", "00", "0e0"].iter().any(|rest| {
        let whole = [word, rest.as_bytes()].concat();
        is_strict_number(&whole)
    }) || matches!(word, b"-" | b"+" | b"." | b"-." | b"0x")
}

impl Reader {
    /// Reads the number or literal at `pos` if it is as JSON writes it and what ends it in JSON follows at once: nothing else is asked then.
    #[inline]
    pub(super) fn whole_word<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, out: &mut V) -> bool {
        let at = *pos;
        let rest = window.from(at);
        let (length, word) = match rest {
            [b't', b'r', b'u', b'e', ..] => (4, Word::Bool(true)),
            [b'f', b'a', b'l', b's', b'e', ..] => (5, Word::Bool(false)),
            [b'n', b'u', b'l', b'l', ..] => (4, Word::Null),
            _ => match strict_at_start(rest) {
                Some((length, parts)) if is_exact(rest.get(..length).unwrap_or_default(), &parts, self.digits) => (length, Word::Number),
                _ => return false,
            },
        };
        if !matches!(rest.get(length), Some(b',' | b'}' | b']')) {
            return false;
        }
        self.settle_closer(RepairKind::AmbiguousCloser, out);
        match word {
            Word::Bool(value) => out.boolean(value, at),
            Word::Null => out.null(at),
            _ => out.number(rest.get(..length).unwrap_or_default(), at),
        }
        *pos = at + length;
        self.value_over();
        true
    }

    /// Bare text: to a delimiter, a line end, or a blank behind a number or literal when something else begins there.
    pub(super) fn bare<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        match self.bare_end(window, bounds) {
            None if window.last => Step::More,
            None => Step::More,
            Some(BareEnd::At(end)) => {
                self.bare_value(window, end, pos, out);
                Step::Go
            }
            Some(BareEnd::Quote(at)) => {
                let text = trimmed(window.slice(self.token, at));
                out.repair(Repair::new(RepairKind::MissingQuote, Span::new(self.token, at + 1)));
                self.text_value(text, at, out);
                *pos = at + 1;
                Step::Go
            }
        }
    }

    fn bare_end(&mut self, window: &Window<'_>, bounds: Bounds<'_>) -> Option<BareEnd> {
        let python = self.dialect.syntax == Syntax::Python;
        loop {
            let rest = window.from(self.scan);
            let plain = rest.iter().take_while(|byte| PLAIN[**byte as usize]).count();
            self.scan += plain;
            let Some(byte) = rest.get(plain).copied() else { break };
            let at = self.scan;
            match byte {
                b')' | b']' if python && self.brackets > 0 => self.brackets -= 1,
                b',' | b'}' | b']' | b'\n' | b'\r' if self.brackets == 0 => return Some(BareEnd::At(at)),
                b')' if bounds.outer == Some(b')') || self.stack.last() == Some(&super::Frame::Tuple) => return Some(BareEnd::At(at)),
                b'"' if self.brackets == 0 && self.dialect.keys == Keys::Quoted => {
                    if let Some(end) = self.bare_meets_quote(window, at)? {
                        return Some(end);
                    }
                }
                b' ' | b'\t' if self.brackets == 0 && self.blank_ends(window, at, bounds)? => return Some(BareEnd::At(at)),
                b'`' if window.starts_with(at, b"```")? => return Some(BareEnd::At(at)),
                b'\\' if self.brackets == 0 && self.is_whole_word(window, at) && self.is_written_blank(window, at)? => {
                    return Some(BareEnd::At(at));
                }
                0xEF if self.is_wide(window, at)? && self.is_whole_word(window, at) => return Some(BareEnd::At(at)),
                b'<' | b'[' | 0xE2 | 0xEF if window.starts_with_any(at, bounds.stops)?.is_some() => return Some(BareEnd::At(at)),
                b'(' | b'[' if python => self.brackets += 1,
                _ => {}
            }
            // No number or literal has such a byte, so the word need not be asked again.
            self.is_text |= byte != b'+';
            self.scan += 1;
        }
        None
    }

    /// Whether the bare text up to `at` is a whole number or literal.
    fn is_whole_word(&self, window: &Window<'_>, at: usize) -> bool {
        !self.is_text && !matches!(classify(window.slice(self.token, at), self.digits), Word::Text | Word::Partial)
    }

    /// Bare text that meets a quote: its opening quote is missing, or the quote opens something else, or it is part of the text.
    fn bare_meets_quote(&self, window: &Window<'_>, at: usize) -> Option<Option<BareEnd>> {
        let next = self.peek(window, at + 1)?;
        if matches!(next, None | Some(b',' | b'}' | b']')) && at > self.token {
            return Some(Some(BareEnd::Quote(at)));
        }
        let before = window.slice(self.token, at);
        Some(before.last().is_some_and(|byte| is_blank(*byte)).then_some(BareEnd::At(at)))
    }

    /// Whether a line feed or tab stands at `at` that was written out.
    fn is_written_blank(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        match window.get(at + 1) {
            None if !window.last => None,
            next => Some(matches!(next, Some(b'n' | b't' | b'r'))),
        }
    }

    /// Whether the text before a blank is a whole number or literal and something else begins behind it.
    fn blank_ends(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        if !self.is_whole_word(window, at) {
            return Some(matches!(self.peek_comment(window, at)?, Comment::Yes));
        }
        let next = self.after_layout(window, at)?;
        let Some(byte) = window.get(next) else { return Some(true) };
        if next - at >= BLANKS || window.starts_with_any(next, bounds.stops)?.is_some() {
            return Some(true);
        }
        Some(match byte {
            b'"' | b'\'' | b'`' | b'0'..=b'9' | b'-' | b'+' | b'{' | b'[' | b'}' | b']' | b')' | b',' | b'#' => true,
            b'/' => matches!(self.peek_comment(window, at)?, Comment::Yes),
            _ if is_word(byte) => self.word_then(window, next, b":=")?,
            _ => false,
        })
    }

    fn peek_comment(&self, window: &Window<'_>, at: usize) -> Option<Comment> {
        let next = self.after_layout(window, at)?;
        Some(match (window.get(next), window.get(next + 1)) {
            (Some(b'#'), _) | (Some(b'/'), Some(b'/' | b'*')) => Comment::Yes,
            (Some(b'/'), None) if !window.last => return None,
            _ => Comment::No,
        })
    }

    /// Whether a bare word stands at `at` and one of `follow` behind it. Words past the limit count as followed: they decide nothing.
    pub(super) fn word_then(&self, window: &Window<'_>, at: usize, follow: &[u8]) -> Option<bool> {
        let rest = window.from(at);
        let length = rest.iter().take(super::MAX_STRAY_KEY).take_while(|byte| is_word(**byte)).count();
        if length == rest.len() && length < super::MAX_STRAY_KEY && !window.last {
            return None;
        }
        let next = self.peek(window, at + length)?;
        // At the end of the text the word may have gone on.
        Some(length > 0 && next.is_none_or(|byte| follow.contains(&byte)))
    }

    fn bare_value<V: Values>(&mut self, window: &Window<'_>, end: usize, pos: &mut usize, out: &mut V) {
        let word = trimmed(window.slice(self.token, end));
        let span = Span::new(self.token, self.token + word.len());
        self.emit_word(word, span, out);
        *pos = end;
        self.value_over();
    }

    fn emit_word<V: Values>(&mut self, word: &[u8], span: Span, out: &mut V) {
        let python = self.dialect.syntax == Syntax::Python;
        match classify(word, self.digits) {
            Word::Bool(value) => out.boolean(value, span.start),
            Word::Null => out.null(span.start),
            Word::Number => out.number(word, span.start),
            Word::Spelled(value) => {
                if !(python && matches!(word, b"True" | b"False" | b"None")) {
                    out.repair(Repair::new(RepairKind::PythonLiteral, span));
                }
                match value {
                    Some(value) => out.boolean(value, span.start),
                    None => out.null(span.start),
                }
            }
            Word::Odd => {
                out.repair(Repair::new(RepairKind::OddLiteral, span));
                out.null(span.start);
            }
            Word::Reformatted(strict) => {
                if !python {
                    out.repair(Repair::new(RepairKind::NumberFormat, span));
                }
                out.number(strict.as_bytes(), span.start);
            }
            Word::Inexact => {
                out.repair(Repair::new(RepairKind::NumberAsText, span));
                text(word, span, out);
            }
            Word::Text | Word::Partial => {
                if let Some(number) = python.then(|| python_number(word)).flatten() {
                    if word.first() == Some(&b'0') && word.get(1).is_some_and(u8::is_ascii_digit) {
                        out.repair(Repair::new(RepairKind::NumberFormat, span));
                    }
                    out.number(number.as_bytes(), span.start);
                } else {
                    out.repair(Repair::new(RepairKind::UnquotedValue, span));
                    text(word, span, out);
                }
            }
        }
    }

    fn text_value<V: Values>(&mut self, bytes: &[u8], end: usize, out: &mut V) {
        text(bytes, Span::new(self.token, end), out);
        self.value_over();
        self.last_item = LastItem::Text { bytes: bytes.len() };
    }

    /// A bare token that the end of the text breaks off.
    pub(super) fn finish_bare<V: Values>(&mut self, window: &Window<'_>, at: usize, ending: Ending, out: &mut V) {
        let raw = window.slice(self.token, at);
        let word = trimmed(raw);
        let span = Span::new(self.token, self.token + word.len());
        let delimited = raw.len() > word.len() && !is_all_blank(raw);
        let number = matches!(classify(word, self.digits), Word::Number | Word::Reformatted(_) | Word::Inexact)
            && word.last().is_some_and(u8::is_ascii_hexdigit);
        let whole = delimited || ending == Ending::Finished;
        match classify(word, self.digits) {
            Word::Partial if !delimited => self.drop_literal(span, out),
            Word::Reformatted(_) if !number && !delimited => self.drop_literal(span, out),
            Word::Number | Word::Reformatted(_) | Word::Inexact if number && !whole => {
                if ending == Ending::CutOff {
                    self.drop_literal(span, out);
                } else {
                    self.emit_word(word, span, out);
                    out.repair(Repair::new(RepairKind::CutNumber, span));
                }
            }
            Word::Text if !whole => {
                self.emit_word(word, span, out);
                out.repair(Repair::new(RepairKind::ClosedString, Span::new(at, at)));
            }
            _ => self.emit_word(word, span, out),
        }
    }

    fn drop_literal<V: Values>(&mut self, span: Span, out: &mut V) {
        if self.in_object() {
            out.drop_key();
        }
        out.repair(Repair::new(RepairKind::DroppedPartialLiteral, span));
    }

    /// A key without quotes.
    pub(super) fn bare_key<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let written_bare = self.dialect.keys == Keys::Bare;
        while let Some(byte) = window.get(self.scan) {
            let at = self.scan;
            let ends = if written_bare { matches!(byte, b':' | b'}' | b'{') } else { !is_word(byte) };
            if !ends {
                self.scan += 1;
                continue;
            }
            let key = window.slice(self.token, at);
            let key = if written_bare { key.trim_ascii() } else { key };
            if byte == b'"' && !written_bare {
                // The closing quote of a key that has no opening one.
                match self.peek(window, at + 1) {
                    None => return Step::More,
                    Some(next) => {
                        let kind = if next == Some(b':') { RepairKind::MissingQuote } else { RepairKind::UnquotedKey };
                        out.repair(Repair::new(kind, Span::new(self.token, at)));
                        self.emit_key(key, at, out);
                        *pos = at + usize::from(kind == RepairKind::MissingQuote);
                        return Step::Go;
                    }
                }
            }
            if key.is_empty() {
                return if window.starts_with_any(at, bounds.stops).is_none() {
                    Step::More
                } else {
                    Step::Fail(crate::repair::Unreadable::Unexpected)
                };
            }
            if !written_bare {
                out.repair(Repair::new(RepairKind::UnquotedKey, Span::new(self.token, at)));
            }
            self.emit_key(key, at, out);
            *pos = at;
            return Step::Go;
        }
        Step::More
    }

    fn emit_key<V: Values>(&mut self, key: &[u8], end: usize, out: &mut V) {
        out.text_begin(super::Role::Key, self.token);
        out.text(key);
        out.text_end(end);
        self.at = At::Colon;
    }
}

/// Bytes that end no bare text, whatever stands around them.
const PLAIN: [bool; 256] = alphanumeric_or(b".-_");

/// Whether a comment follows.
enum Comment {
    Yes,
    No,
}

/// Where bare text ends.
enum BareEnd {
    At(usize),
    /// At a quote that belongs to it.
    Quote(usize),
}

fn text<V: Values>(bytes: &[u8], span: Span, out: &mut V) {
    out.text_begin(super::Role::Value, span.start);
    out.text(bytes);
    out.text_end(span.end);
}

fn trimmed(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().rev().take_while(|byte| is_blank(**byte)).count();
    bytes.get(..bytes.len() - blanks).unwrap_or_default()
}

/// `1_000`, `0o17`, `0b1`, `07` as Python (or a model that writes Python) means them.
fn python_number(word: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(word).ok()?.replace('_', "");
    let (sign, body) = text.strip_prefix('-').map_or(("", text.as_str()), |body| ("-", body));
    let radix = |prefix: &str, radix: u32| body.strip_prefix(prefix).and_then(|digits| u128::from_str_radix(digits, radix).ok());
    if let Some(value) = radix("0o", 8).or_else(|| radix("0b", 2)) {
        return Some(format!("{sign}{value}"));
    }
    let digits = body.trim_start_matches('0');
    let digits = if digits.is_empty() || !digits.starts_with(|first: char| first.is_ascii_digit()) {
        format!("0{digits}")
    } else {
        digits.to_owned()
    };
    let strict = format!("{sign}{digits}");
    (body.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && is_strict_number(strict.as_bytes())).then_some(strict)
}
