//! Strings: which quotes open one, and which quote ends it.

use super::keys::{left_open, may_follow_key};
use super::lead::{CallLead, HELD_CALL, call_before, call_begun, find_lead, may_stand_in_lead};
use super::{At, Bounds, Frame, LastItem, Reader, Role, Step, Values, is_word};
use crate::format::{Keys, Syntax};
use crate::repair::{Repair, RepairKind};
use crate::scan::{find_in_quotes, find_in_string};
use crate::span::Span;
use crate::window::{BLANKS, Window, is_blank};
use memchr::{memchr, memchr2, memmem};

/// How a string is delimited.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Quote {
    /// `"`, with JSON's escapes.
    Double,
    /// `'`.
    Single,
    /// A back-tick.
    Backtick,
    /// `“ ”`, closed by any mark of its family.
    SmartDouble,
    /// `‘ ’`, closed by any mark of its family.
    SmartSingle,
    /// Three quotes of one kind.
    Triple(u8),
    /// `\"`: the text is one escape level too deep.
    Escaped,
    /// The dialect's own delimiter; the text is verbatim.
    Delimiter,
    /// Python's `r"…"`: a backslash is a backslash.
    RawPython(u8),
}

/// An open string.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Str {
    pub(super) quote: Quote,
    pub(super) role: Role,
    pub(super) start: usize,
    bytes: usize,
    control_seen: bool,
}

impl Str {
    pub(super) fn new(quote: Quote, role: Role, start: usize) -> Str {
        Str { quote, role, start, bytes: 0, control_seen: false }
    }
}

/// What a quote inside a string turns out to be.
enum Verdict {
    /// It ends the string; what follows starts at the position.
    Ends(usize),
    /// It is content, this many bytes long.
    Content(usize),
    /// The string had ended before the comma at the position; the quote opens the next key.
    EndedAt(usize),
}

/// What Python writes before a quote.
const PREFIXES: &[u8] = b"rbufRBUF";

/// More decoded text than this is handed on before the string ends.
const GATHERED: usize = 4096;

/// Closers behind a string that are looked at, with the blanks between them.
const MAX_CLOSERS: usize = 64;

/// A comma and this many blanks are held back, since a missing end quote may stand before them.
const HELD_BLANKS: usize = 64;

impl Reader {
    /// The quote that opens at `at`, and its width.
    #[inline]
    pub(super) fn quote(&self, byte: u8, window: &Window<'_>, at: usize) -> Option<Option<(Quote, usize)>> {
        match byte {
            b'"' if self.dialect.quote.is_none() && window.get(at + 1).is_some_and(|next| next != b'"') => Some(Some((Quote::Double, 1))),
            b'0'..=b'9' | b'-' if self.dialect.quote.is_none() => Some(None),
            _ => self.other_quote(byte, window, at),
        }
    }

    fn other_quote(&self, byte: u8, window: &Window<'_>, at: usize) -> Option<Option<(Quote, usize)>> {
        if let Some(delimiter) = self.dialect.quote
            && window.starts_with(at, delimiter.as_bytes())?
        {
            return Some(Some((Quote::Delimiter, delimiter.len())));
        }
        Some(match byte {
            b'"' | b'\'' => {
                let twice = window.get(at + 1).is_none_or(|next| next == byte);
                if twice && window.starts_with(at, &[byte; 3])? {
                    Some((Quote::Triple(byte), 3))
                } else if twice && byte == b'"' && self.is_written_twice(window, at)? {
                    Some((Quote::Double, 2))
                } else {
                    Some((if byte == b'"' { Quote::Double } else { Quote::Single }, 1))
                }
            }
            b'`' => Some((Quote::Backtick, 1)),
            b'\\' if window.starts_with(at, b"\\\"")? => Some((Quote::Escaped, 2)),
            0xE2 => {
                let rest = window.slice(at, at + 3);
                if rest.len() < 3 && !window.last {
                    return None;
                }
                smart(rest).map(|quote| (quote, 3))
            }
            _ if self.prefix_opens(window, at)? => match window.get(at + 1) {
                Some(quote) if matches!(byte, b'r' | b'R') => Some((Quote::RawPython(quote), 2)),
                Some(b'"') => Some((Quote::Double, 2)),
                _ => Some((Quote::Single, 2)),
            },
            _ => None,
        })
    }

    /// Whether the two quotes at `at` open one string: behind an empty one no word could stand.
    pub(super) fn is_written_twice(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        match window.get(at + 2) {
            None => {
                if window.last {
                    Some(false)
                } else {
                    None
                }
            }
            Some(byte) => Some(self.dialect.syntax != Syntax::Python && is_word(byte)),
        }
    }

    /// The mark that a quote leaves in this dialect.
    pub(super) fn quote_repair(&self, quote: Quote) -> Option<RepairKind> {
        let python = self.dialect.syntax == Syntax::Python;
        match quote {
            Quote::Double | Quote::RawPython(_) | Quote::Delimiter | Quote::Escaped => None,
            Quote::Single => (!python).then_some(RepairKind::SingleQuotes),
            Quote::Triple(_) => (!python).then_some(RepairKind::OtherQuotes),
            _ => Some(RepairKind::OtherQuotes),
        }
    }

    /// Reads the string that the quote at `pos` opens if it is at hand as a whole, stands as it is written, and what follows it in JSON follows
    /// at once: most are so. All that can be said of others is said by the steps below.
    #[inline]
    pub(super) fn whole_string<V: Values>(
        &mut self,
        byte: u8,
        role: Role,
        window: &Window<'_>,
        pos: &mut usize,
        bounds: Bounds<'_>,
        out: &mut V,
    ) -> bool {
        let at = *pos;
        let rest = window.from(at + 1);
        let Some(length @ 1..) = find_in_quoted(byte, rest) else { return false };
        let end = at + 1 + length;
        match (rest.get(length), rest.get(length + 1), role) {
            (Some(closer), Some(b':'), Role::Key) | (Some(closer), Some(b',' | b'}' | b']'), Role::Value) if *closer == byte => {}
            _ => return false,
        }
        self.string = Str::new(if byte == b'"' { Quote::Double } else { Quote::Single }, role, at);
        let alone = self.stack.is_empty() && bounds.outer.is_none();
        if role == Role::Value && !alone && self.ends(window, end + 1, bounds) != Some(true) {
            return false;
        }
        self.settle_closer(RepairKind::AmbiguousCloser, out);
        if byte != b'"' {
            self.mark_quote(Quote::Single, Span::new(at, at + 1), out);
        }
        out.whole_text(role, at, rest.get(..length).unwrap_or_default(), end);
        *pos = end + 1;
        self.string_over(length, window, pos);
        true
    }

    /// Reads on inside a string.
    pub(super) fn string<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let step = self.string_steps(window, pos, bounds, out);
        // Runs and escapes are gathered, so that the receiver is asked once for each piece and not for each of them.
        self.flush(out);
        step
    }

    fn string_steps<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        loop {
            let rest = window.from(*pos);
            let found = if self.scan > *pos { self.special_behind(rest, self.scan - *pos) } else { self.special(rest) };
            let Some(index) = found else {
                self.scan = window.end();
                if let Some(end) = self.key_before_stop(window, *pos, bounds) {
                    return self.give_way(window, end, pos, out);
                }
                let keep = if window.last { 0 } else { self.held(rest, *pos, bounds) };
                let piece = rest.get(..rest.len() - keep).unwrap_or_default();
                self.push_run(piece, *pos, out);
                *pos += piece.len();
                return Step::More;
            };
            let at = *pos + index;
            let run = rest.get(..index).unwrap_or_default();
            match rest.get(index).copied() {
                Some(b'\\') if !matches!(self.string.quote, Quote::Delimiter | Quote::RawPython(_) | Quote::Escaped) => {
                    self.push_run(run, *pos, out);
                    *pos = at;
                    if !self.simple_escape(window, pos) && !self.escape(window, pos, out) {
                        return Step::More;
                    }
                }
                Some(b'\\') if self.string.quote == Quote::Escaped => {
                    self.push_run(run, *pos, out);
                    *pos = at;
                    match self.escaped_level(window, pos, out) {
                        None => return Step::More,
                        Some(true) => return self.end_string(at, *pos, window, pos, out),
                        Some(false) => {}
                    }
                }
                Some(b'\\') => {
                    // A raw Python string keeps the backslash and what follows it.
                    self.push_run(run, *pos, out);
                    *pos = at;
                    let pair = window.slice(at, at + 2);
                    if pair.len() < 2 && !window.last {
                        return Step::More;
                    }
                    self.push(pair);
                    *pos += pair.len();
                }
                Some(byte) if byte < 0x20 && self.string.quote == Quote::Double => {
                    if let Some(end) = self.key_left_open(window, *pos, at) {
                        return self.give_way(window, end, pos, out);
                    }
                    match self.gives_way_on_next_line(window, *pos, at, bounds) {
                        None => return self.wait(run, pos, bounds, out),
                        Some(Some(end)) => return self.give_way(window, end, pos, out),
                        Some(None) => {}
                    }
                    let through = rest.get(..=index).unwrap_or_default();
                    self.push(through);
                    *pos = at + 1;
                    if !self.string.control_seen {
                        self.string.control_seen = true;
                        out.repair(Repair::new(RepairKind::ControlCharInString, Span::new(at, at + 1)));
                    }
                }
                _ if self.cuts_delimiter(window, at) => {
                    self.push_run(run, *pos, out);
                    *pos = window.end();
                    return Step::More;
                }
                _ => match self.verdict(window, *pos, at, bounds) {
                    None => return self.wait(run, pos, bounds, out),
                    Some(Verdict::Content(width)) => {
                        self.push_run(run, *pos, out);
                        self.push(window.slice(at, at + width));
                        *pos = at + width;
                        if self.marks_inner(window, at) {
                            out.repair(Repair::new(RepairKind::InnerQuote, Span::new(at, at + width)));
                        }
                    }
                    Some(Verdict::Ends(next)) => {
                        self.note_control(run, *pos, out);
                        self.flush(out);
                        self.hand_on(run, out);
                        if self.string.quote == Quote::Double && next > at + 1 {
                            // It was written twice.
                            out.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(at + 1, next), safe: false });
                        }
                        return self.end_string(at, next, window, pos, out);
                    }
                    Some(Verdict::EndedAt(end)) => return self.give_way(window, end, pos, out),
                },
            }
        }
    }

    /// Nothing before the byte behind `run` can change any more, but for what a missing quote may stand before.
    fn wait<V: Values>(&mut self, run: &[u8], pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let keep = self.held(run, *pos, bounds);
        self.scan = *pos + run.len();
        let piece = run.get(..run.len() - keep).unwrap_or_default();
        self.push_run(piece, *pos, out);
        *pos += piece.len();
        Step::More
    }

    /// The string had ended at `end`, without a quote.
    fn give_way<V: Values>(&mut self, window: &Window<'_>, end: usize, pos: &mut usize, out: &mut V) -> Step {
        self.push_run(window.slice(*pos, end), *pos, out);
        out.repair(Repair::new(RepairKind::MissingQuote, Span::new(end, end)));
        self.end_string(end, end, window, pos, out)
    }

    /// Decoded text.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Text as it was written, at `at`.
    #[inline]
    fn push_run<V: Values>(&mut self, run: &[u8], at: usize, out: &mut V) {
        self.note_control(run, at, out);
        self.push(run);
        if self.text.len() >= GATHERED {
            self.flush(out);
        }
    }

    /// Hands on text as it was written, once what was gathered is handed on.
    #[inline]
    fn hand_on<V: Values>(&mut self, run: &[u8], out: &mut V) {
        if !run.is_empty() {
            self.string.bytes += run.len();
            out.text(run);
        }
    }

    /// A raw control character in text at `at` leaves a mark, where the kind of string allows none.
    #[inline]
    fn note_control<V: Values>(&mut self, run: &[u8], at: usize, out: &mut V) {
        if matches!(self.string.quote, Quote::Single | Quote::Backtick | Quote::SmartDouble | Quote::SmartSingle)
            && !self.string.control_seen
            && let Some(index) = run.iter().position(|byte| *byte < 0x20)
        {
            self.string.control_seen = true;
            out.repair(Repair::new(RepairKind::ControlCharInString, Span::new(at + index, at + index + 1)));
        }
    }

    /// The next byte in the string that is not plain text.
    #[inline]
    fn special(&self, text: &[u8]) -> Option<usize> {
        if self.string.quote == Quote::Double { find_in_string(text) } else { self.special_of_others(text) }
    }

    /// The same behind what waits: that was looked through when it came.
    #[cold]
    fn special_behind(&self, text: &[u8], seen: usize) -> Option<usize> {
        self.special(text.get(seen..).unwrap_or_default()).map(|index| seen + index)
    }

    fn special_of_others(&self, text: &[u8]) -> Option<usize> {
        match self.string.quote {
            Quote::Double => find_in_string(text),
            Quote::Single => memchr2(b'\'', b'\\', text),
            Quote::Backtick => memchr2(b'`', b'\\', text),
            Quote::SmartDouble | Quote::SmartSingle => memchr2(0xE2, b'\\', text),
            Quote::Triple(byte) | Quote::RawPython(byte) => memchr2(byte, b'\\', text),
            Quote::Escaped => memchr(b'\\', text),
            Quote::Delimiter => self.delimiter().first().and_then(|byte| memchr(*byte, text)),
        }
    }

    /// The end of the text breaks off the closing delimiter.
    fn cuts_delimiter(&self, window: &Window<'_>, at: usize) -> bool {
        self.string.quote == Quote::Delimiter && window.end() > at + 1 && window.ends_within(at, &[self.delimiter()])
    }

    /// The dialect's own delimiter.
    fn delimiter(&self) -> &'static [u8] {
        self.dialect.quote.unwrap_or_default().as_bytes()
    }

    /// Hands on what was gathered.
    #[inline]
    fn flush<V: Values>(&mut self, out: &mut V) {
        if !self.text.is_empty() {
            self.string.bytes += self.text.len();
            out.text(&self.text);
            self.text.clear();
        }
    }

    /// Whether content that looks like the string's quote is one, and so leaves a mark.
    fn marks_inner(&self, window: &Window<'_>, at: usize) -> bool {
        match self.string.quote {
            Quote::Triple(_) | Quote::Delimiter => false,
            quote @ (Quote::SmartDouble | Quote::SmartSingle) => smart(window.slice(at, at + 3)) == Some(quote),
            _ => true,
        }
    }

    #[inline]
    fn end_string<V: Values>(&mut self, end: usize, next: usize, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Step {
        *pos = next;
        self.flush(out);
        out.text_end(end);
        self.string_over(self.string.bytes, window, pos);
        Step::Go
    }

    /// What comes behind a string of so many bytes. What follows a key in quotes is always known by now, so its colon is passed at once.
    #[inline]
    fn string_over(&mut self, bytes: usize, window: &Window<'_>, pos: &mut usize) {
        if self.string.role == Role::Value {
            self.value_over();
            self.last_item = LastItem::Text { bytes };
        } else if matches!(self.string.quote, Quote::Double | Quote::Single) && window.get(*pos) == Some(b':') {
            *pos += 1;
            self.at = At::Value;
        } else {
            self.at = At::Colon;
        }
    }

    /// How many bytes at the end of a run at `at` must wait: a comma and blanks before a quote may turn out to stand outside the string, and
    /// so may what follows a colon in a key.
    fn held(&self, run: &[u8], at: usize, bounds: Bounds<'_>) -> usize {
        if self.string.role == Role::Key {
            return if self.begins_key(at) && run.len() <= super::MAX_STRAY_KEY { run.len() } else { 0 };
        }
        let call = if self.opens_calls(bounds) && self.string.role == Role::Value { call_begun(run, bounds) } else { 0 };
        call.max(self.held_comma(run))
    }

    /// Whether calls are written with quotes of this kind.
    fn opens_calls(&self, bounds: Bounds<'_>) -> bool {
        self.string.quote == Quote::Double || self.string.quote == Quote::Single && bounds.outer == Some(b')')
    }

    fn held_comma(&self, run: &[u8]) -> usize {
        if !self.in_object() || !matches!(self.string.quote, Quote::Double | Quote::Single) {
            return 0;
        }
        let blanks = run.iter().rev().take(HELD_BLANKS).take_while(|byte| is_blank(**byte)).count();
        match run.len().checked_sub(blanks + 1).and_then(|index| run.get(index)) {
            Some(b',') => blanks + 1,
            _ => 0,
        }
    }

    /// What the quote at `at` is; the text not yet sent starts at `run`.
    #[inline]
    fn verdict(&self, window: &Window<'_>, run: usize, at: usize, bounds: Bounds<'_>) -> Option<Verdict> {
        if self.string.role == Role::Key && matches!(self.string.quote, Quote::Double | Quote::Single) {
            if window.get(at + 1) == Some(b':') {
                return Some(Verdict::Ends(at + 1));
            }
            return self.key_verdict(window, run, at);
        }
        self.weighed(window, run, at, bounds)
    }

    /// What the quote at `at` is in a key.
    #[cold]
    fn key_verdict(&self, window: &Window<'_>, run: usize, at: usize) -> Option<Verdict> {
        if let Some(end) = self.ends_twice(window, at, b":")? {
            return Some(Verdict::Ends(end));
        }
        let Some(end) = self.key_left_open(window, run, at) else { return Some(Verdict::Ends(at + 1)) };
        let next = self.after_layout(window, at + 1)?;
        let ends = match window.get(next) {
            None => true,
            Some(b'#' | b'/') => self.colon_behind_comment(window, next)?,
            Some(byte) => may_follow_key(byte),
        };
        Some(if ends { Verdict::Ends(at + 1) } else { Verdict::EndedAt(end) })
    }

    /// One past two quotes at `at` that close one string, by what follows them.
    fn ends_twice(&self, window: &Window<'_>, at: usize, follow: &[u8]) -> Option<Option<usize>> {
        match window.get(at + 1) {
            None if !window.last => return None,
            Some(b'"') if self.string.quote == Quote::Double && self.dialect.syntax != Syntax::Python => {}
            _ => return Some(None),
        }
        let next = self.peek(window, at + 2)?;
        Some(next.is_some_and(|byte| follow.contains(&byte)).then_some(at + 2))
    }

    /// Where the key had ended, if its closing quote is missing in the text from `run` to `at`, none of which was sent yet.
    #[cold]
    fn key_left_open(&self, window: &Window<'_>, run: usize, at: usize) -> Option<usize> {
        let whole = self.string.role == Role::Key && self.begins_key(run) && at - run <= super::MAX_STRAY_KEY;
        left_open(window.slice(run, at)).filter(|_| whole).map(|length| run + length)
    }

    /// The same where the reply ends in the key, behind a marker of the format around.
    #[cold]
    fn key_before_stop(&self, window: &Window<'_>, run: usize, bounds: Bounds<'_>) -> Option<usize> {
        let end = self.key_left_open(window, run, window.end()).filter(|_| window.last)?;
        let rest = window.slice(end, window.end());
        bounds.stops.iter().any(|stop| memmem::find(rest, stop).is_some()).then_some(end)
    }

    /// True right behind the opening quote of a key.
    fn begins_key(&self, at: usize) -> bool {
        at == self.string.start + 1 && matches!(self.string.quote, Quote::Double | Quote::Single)
    }

    /// Where the string had ended, if the raw control character at `at` stands in the beginning of the next call; the text not yet sent
    /// starts at `run`.
    fn gives_way_on_next_line(&self, window: &Window<'_>, run: usize, at: usize, bounds: Bounds<'_>) -> Option<Option<usize>> {
        let own = self.string.role == Role::Key || self.stack.is_empty() && bounds.outer.is_none();
        if own || !may_stand_in_lead(window.slice(run, at), bounds) {
            return Some(None);
        }
        let ahead = window.slice(at, at + HELD_CALL);
        let Some(length) = memchr(b'"', ahead) else {
            let begun =
                find_lead(window.slice(run, at + ahead.len()), bounds, |lead| lead != CallLead::No).is_some_and(|lead| run + lead < at);
            return if begun && ahead.len() < HELD_CALL && !window.last { None } else { Some(None) };
        };
        let quote = at + length;
        match call_before(window.slice(run, quote), bounds).map(|lead| run + lead) {
            Some(end) if end < at => Some((!self.ends(window, quote + 1, bounds)?).then_some(end)),
            _ => Some(None),
        }
    }

    fn weighed(&self, window: &Window<'_>, run: usize, at: usize, bounds: Bounds<'_>) -> Option<Verdict> {
        let width = match self.string.quote {
            Quote::Triple(byte) => {
                if !window.starts_with(at, &[byte; 3])? {
                    return Some(Verdict::Content(1));
                }
                // A fourth and fifth quote belong to the text: the last three close it.
                let more = window.slice(at + 3, at + 5);
                if more.len() < 2 && !window.last && more.iter().all(|next| *next == byte) {
                    return None;
                }
                let extra = more.iter().take_while(|next| **next == byte).count();
                return Some(if extra > 0 { Verdict::Content(extra) } else { Verdict::Ends(at + 3) });
            }
            Quote::Delimiter => {
                let delimiter = self.delimiter();
                if window.starts_with(at, delimiter)? {
                    return Some(Verdict::Ends(at + delimiter.len()));
                }
                let gives_way = self.string.role == Role::Value && self.call_follows(window, at, bounds)?;
                return Some(if gives_way { Verdict::EndedAt(at) } else { Verdict::Content(1) });
            }
            Quote::SmartDouble | Quote::SmartSingle => {
                let mark = window.slice(at, at + 3);
                if mark.len() < 3 && !window.last {
                    return None;
                }
                if smart(mark) != Some(self.string.quote) {
                    return Some(Verdict::Content(mark.len()));
                }
                3
            }
            _ => 1,
        };
        if self.string.role == Role::Key || self.stack.is_empty() && bounds.outer.is_none() {
            return Some(Verdict::Ends(at + width));
        }
        if let Some(end) = self.ends_twice(window, at, b",}]")?
            && self.ends(window, end, bounds)?
        {
            return Some(Verdict::Ends(end));
        }
        if self.ends(window, at + width, bounds)? {
            return Some(Verdict::Ends(at + width));
        }
        if let Some(comma) = self.comma_before(window, run, at)
            && self.opens_key(window, at)?
        {
            return Some(Verdict::EndedAt(comma));
        }
        if self.opens_calls(bounds)
            && let Some(end) = call_before(window.slice(run, at), bounds)
        {
            return Some(Verdict::EndedAt(run + end));
        }
        Some(Verdict::Content(width))
    }

    /// Whether the next call begins at `at`, where a marker may stand: the delimiter that should close the string is missing before it.
    fn call_follows(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        if window.starts_with_any(at, bounds.stops)?.is_none() {
            return Some(false);
        }
        let ahead = window.slice(at, at + HELD_CALL);
        match memmem::find(ahead, self.delimiter()) {
            Some(length) => Some(call_before(ahead.get(..length).unwrap_or_default(), bounds) == Some(0)),
            None if ahead.len() < HELD_CALL && !window.last => {
                let text = ahead.get(..ahead.len() - self.begun_delimiter(ahead)).unwrap_or_default();
                let is_lead = find_lead(text, bounds, |lead| lead != CallLead::No) == Some(0);
                (!is_lead).then_some(false)
            }
            None => Some(false),
        }
    }

    /// How many bytes at the end of `text` may be the beginning of the delimiter.
    fn begun_delimiter(&self, text: &[u8]) -> usize {
        let delimiter = self.delimiter();
        let begins = |length: &usize| delimiter.get(..*length).is_some_and(|part| text.ends_with(part));
        (1..delimiter.len()).rev().find(begins).unwrap_or(0)
    }

    /// Whether a string may end here, by what follows its quote. On valid JSON the answer is yes at the real end and nowhere else.
    fn ends(&self, window: &Window<'_>, after: usize, bounds: Bounds<'_>) -> Option<bool> {
        let next = self.after_layout(window, after)?;
        let Some(byte) = window.get(next) else { return Some(true) };
        if next - after >= BLANKS {
            return Some(true);
        }
        match byte {
            b',' => self.comma_separates(window, next + 1, bounds),
            b'}' | b']' | b')' => Some(self.closes(byte, bounds) || self.closers_end(window, next, bounds)?),
            b':' => Some(self.stack.last() == Some(&Frame::Array) && self.stack.iter().rev().nth(1).is_some_and(|frame| frame.is_object())),
            b'#' | b'\\' => Some(true),
            b'/' => match window.get(next + 1) {
                None if !window.last => None,
                byte => Some(matches!(byte, Some(b'/' | b'*'))),
            },
            b'"' | b'\'' | b'`' | 0xE2 => self.quote_separates(byte, window, next, next > after),
            0xEF => Some(self.after_wide(window, next)?),
            b'{' if next > after => self.opens_sibling(window, next, bounds),
            _ if window.starts_with_any(next, bounds.stops)?.is_some() => Some(true),
            // The next argument of a call expression, behind a comma that is missing.
            _ if next > after && self.stack.is_empty() && bounds.outer == Some(b')') => self.word_then(window, next, b"="),
            _ => Some(false),
        }
    }

    /// Whether a container that is open has this closer.
    fn closes(&self, byte: u8, bounds: Bounds<'_>) -> bool {
        bounds.outer == Some(byte) || self.stack.iter().any(|frame| frame.closer() == byte)
    }

    /// Whether closers stand at `at`, the first of which closes nothing, and then a marker that ends the value, or the end of the text where one
    /// of them closes something: what they were meant to close is over.
    fn closers_end(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        let rest = window.slice(at, at + MAX_CLOSERS);
        let length = rest.iter().take_while(|byte| is_blank(**byte) || is_closer(**byte)).count();
        if length == MAX_CLOSERS {
            return Some(false);
        }
        if at + length < window.end() {
            return Some(window.starts_with_any(at + length, bounds.stops)?.is_some());
        }
        let closes = || rest.iter().any(|byte| is_closer(*byte) && self.closes(*byte, bounds));
        window.last.then(closes)
    }

    fn after_wide(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        let mark = window.slice(at, at + 3);
        if mark.len() < 3 && !window.last { None } else { Some(matches!(mark, [0xEF, 0xBC, 0x8C | 0xBD] | [0xEF, 0xBD, 0x9D])) }
    }

    /// Another quote: of the next key, of the next item, or (in Python) of the same string's next part.
    fn quote_separates(&self, byte: u8, window: &Window<'_>, at: usize, blank: bool) -> Option<bool> {
        if byte == b'`' {
            return window.starts_with(at, b"```");
        }
        if byte == 0xE2 {
            let mark = window.slice(at, at + 3);
            if mark.len() < 3 && !window.last {
                return None;
            }
            if smart(mark).is_none() {
                return Some(false);
            }
        }
        if self.dialect.syntax == Syntax::Python {
            return Some(blank);
        }
        if self.in_object() { self.opens_key(window, at) } else { Some(blank) }
    }

    /// Whether the comma before `at` separates, by what stands behind it.
    fn comma_separates(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        let next = self.after_layout(window, at)?;
        let Some(byte) = window.get(next) else { return Some(true) };
        if matches!(byte, b'}' | b']' | b')' | b',' | b'#' | b'/' | b'\\') || next - at >= BLANKS {
            return Some(true);
        }
        // No marker starts with a quote.
        if byte == b'"' && !self.stack.is_empty() {
            return if self.in_object() { self.opens_key(window, next) } else { Some(true) };
        }
        if window.starts_with_any(next, bounds.stops)?.is_some() {
            return Some(true);
        }
        if window.starts_with(next, b"...")? {
            return Some(true);
        }
        if !self.in_object() && self.prefix_opens(window, next)? {
            return Some(true);
        }
        if self.stack.is_empty() {
            return if matches!(byte, b'"' | b'\'' | b'*' | b'[' | b'{') { Some(true) } else { self.word_then(window, next, b"=,)") };
        }
        if self.in_object() {
            return match byte {
                b'"' | b'\'' | b'`' | 0xE2 => self.opens_key(window, next),
                b'{' => self.opens_sibling(window, next, bounds),
                _ if self.dialect.keys == Keys::Bare => Some(true),
                _ if self.dialect.syntax == Syntax::Python => Some(true),
                _ => Some(self.word_then(window, next, b":=/#")? || self.half_quoted_key(window, next)?),
            };
        }
        match byte {
            b'"' | b'\'' | b'`' | b'{' | b'[' | b'(' | b'-' | b'+' | b'.' | b'0'..=b'9' | 0xE2 => Some(true),
            _ => self.word_then(window, next, b",])/#"),
        }
    }

    /// Whether one of Python's string prefixes stands at `at`, with its quote.
    fn prefix_opens(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        if self.dialect.syntax != Syntax::Python || !window.get(at).is_some_and(|byte| PREFIXES.contains(&byte)) {
            return Some(false);
        }
        match window.get(at + 1) {
            None if !window.last => None,
            byte => Some(matches!(byte, Some(b'"' | b'\''))),
        }
    }

    /// The comma right before the quote at `at`, in the part of the string that was not sent yet.
    fn comma_before(&self, window: &Window<'_>, run: usize, at: usize) -> Option<usize> {
        if !self.in_object() || !matches!(self.string.quote, Quote::Double | Quote::Single) {
            return None;
        }
        let text = window.slice(run, at);
        let blanks = text.iter().rev().take(HELD_BLANKS).take_while(|byte| is_blank(**byte)).count();
        let comma = text.len().checked_sub(blanks + 1)?;
        (text.get(comma) == Some(&b',')).then_some(run + comma)
    }
}

fn is_closer(byte: u8) -> bool {
    matches!(byte, b'}' | b']' | b')')
}

/// The first byte in a string between quotes of this kind that is not plain text.
#[inline]
pub(super) fn find_in_quoted(quote: u8, text: &[u8]) -> Option<usize> {
    if quote == b'"' { find_in_string(text) } else { find_in_quotes::<b'\''>(text) }
}

pub(super) fn smart(mark: &[u8]) -> Option<Quote> {
    match mark {
        [0xE2, 0x80, 0x9C..=0x9F] => Some(Quote::SmartDouble),
        [0xE2, 0x80, 0x98..=0x9B] => Some(Quote::SmartSingle),
        _ => None,
    }
}
