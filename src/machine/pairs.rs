//! Arguments in tags: key and value each between markers, the value raw text.
//!
//! A raw value is not escaped, so its closer counts only where the grammar goes on behind it. An outer closer inside a value that never
//! closes is remembered as the provisional end of both; what comes first, a structural closer or the next call, decides.

use super::attributes::{Attributes, MAX_TAG};
use super::heads::{call_opens, opens};
use super::named::ObjectState;
use super::tag_keys::{KeyRead, LINE_FEED, after_layout, read_key};
use super::{Machine, Sink, State, Step};
use crate::call::{Call, End, TypeSource};
use crate::format::{Args, Body, Escapes, Format, Key, Pairs, Place, Trim, Typing};
use crate::plan::{Alone, Match};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::tools::{TypeSet, Unknown};
use crate::value::Ending;
use crate::window::{LEAST_LIKE, Window, ends_nearly_with, is_blank, nearly_at_start};
use memchr::memmem;
use std::collections::HashSet;

/// How much is read of a tag inside a value. Such tags may be many, and lie in each other.
const MAX_INNER: usize = 128;

const CDATA: &[u8] = b"<![CDATA[";
const CDATA_END: &[u8] = b"]]>";

/// Arguments in tags while they are read.
#[derive(Debug, Clone)]
pub(super) struct PairsState {
    row: usize,
    pub call: Box<Call>,
    value: Option<Value>,
    given: Given,
}

/// The keys of the arguments so far, once they were asked for.
#[derive(Debug, Clone, Default)]
struct Given {
    keys: HashSet<Vec<u8>>,
    /// How many nodes were looked through.
    nodes: usize,
}

/// A value that is open.
#[derive(Debug, Clone)]
struct Value {
    /// How far it was looked through.
    scan: usize,
    /// True once its first byte was seen.
    begun: bool,
    /// True when it began with a line feed that is layout.
    line: bool,
    /// True when a line feed stands before `scan`; that byte may have been sent and let go.
    after_line: bool,
    /// Where an outer closer stands.
    provisional: Option<usize>,
    /// True when one stands where it is taken for text.
    closed_inside: bool,
    /// Where the last closer ends that was taken for text.
    passed: Option<usize>,
    /// True inside a CDATA section, where nothing but its end is looked for.
    in_cdata: bool,
    /// True when the beginning of an argument stands in it: a closer in it may belong to that.
    holds_opener: bool,
    /// How many of those had no closer yet.
    open_inside: usize,
    /// True when a tag of the key's own name stands in it: `</content>` may belong to that.
    holds_tag: bool,
    /// Where something stands in it that says that its end may be elsewhere, or that it is somebody's text about calls.
    doubt: Option<usize>,
    unknown: Unknown,
    source: TypeSource,
    /// The format says that it is JSON.
    json: bool,
}

impl Value {
    /// True when a closer stands in it that belongs to nothing else: the value may have ended there.
    fn was_closed(&self) -> bool {
        self.passed.is_some() && !self.holds_opener
    }

    /// Goes on behind the CDATA section; false when its end is not at hand.
    fn pass_cdata(&mut self, window: &Window<'_>) -> bool {
        let end = memmem::find(window.from(self.scan), CDATA_END).map(|index| self.scan + index + CDATA_END.len());
        self.in_cdata = end.is_none();
        self.scan = end.unwrap_or_else(|| self.scan.max(window.end().saturating_sub(CDATA_END.len() - 1)));
        self.after_line = false;
        end.is_some()
    }
}

impl PairsState {
    pub(super) fn new(row: usize, mut call: Box<Call>) -> PairsState {
        call.open_arguments();
        PairsState { row, call, value: None, given: Given::default() }
    }

    /// Whether an argument of this key was given, or is open.
    fn is_given(&mut self, key: &[u8]) -> bool {
        let depth = usize::from(self.given.nodes > 0);
        self.given.keys.extend(self.call.keys_from(self.given.nodes, depth).map(<[u8]>::to_vec));
        // The value that is open, which is one node, may become another.
        self.given.nodes = self.call.tape.len().saturating_sub(1);
        self.given.keys.contains(key)
    }

    /// The place to read again from.
    pub(super) fn provisional(&self) -> Option<usize> {
        self.value.as_ref().and_then(|value| value.provisional)
    }
}

/// What a step came to.
enum Pair {
    Go,
    More,
    Over(End),
    /// An object stands where the arguments should be.
    Object,
}

impl Machine {
    pub(super) fn pairs<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Pairs(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let format = self.row(state.row);
        let Body::Named(_, Args::Pairs(pairs)) = format.body else { return Step::Go };
        let mut before = self.pos;
        let mut pair = self.pairs_step(&mut state, format, &pairs, window);
        // A candidate is weighed behind each step, and who calls counts the steps that move nothing.
        while matches!(pair, Pair::Go) && self.candidate.is_none() && self.pos > before {
            before = self.pos;
            pair = self.pairs_step(&mut state, format, &pairs, window);
        }
        self.candidate_commits(&state.call, window, sink);
        match pair {
            Pair::Go => {
                self.state = State::Pairs(state);
                Step::Go
            }
            Pair::More => {
                self.state = State::Pairs(state);
                Step::More
            }
            Pair::Object => {
                let mut call = state.call;
                call.reopen();
                self.state = State::Object(Box::new(ObjectState::of_pairs(state.row, call, &self.limits)));
                Step::Go
            }
            Pair::Over(End::Cut) => {
                state.call.close_arguments();
                self.cut_named(state.row, state.call, window, sink);
                Step::Go
            }
            Pair::Over(end) => {
                state.call.close_arguments();
                self.end_named(state.row, state.call, end, window, sink);
                Step::Go
            }
        }
    }

    fn pairs_step(&mut self, state: &mut PairsState, format: &Format, pairs: &Pairs, window: &Window<'_>) -> Pair {
        match state.value.take() {
            Some(value) => self.pair_value(state, value, format, pairs, window),
            None => self.pair_between(state, format, pairs, window).unwrap_or(Pair::More),
        }
    }

    /// Between two arguments.
    fn pair_between(&mut self, state: &mut PairsState, format: &Format, pairs: &Pairs, window: &Window<'_>) -> Option<Pair> {
        let next = window.after_blanks(self.pos)?;
        if window.get(next) == Some(b'\\') && window.starts_with(next, LINE_FEED)? {
            state.call.mark(RepairKind::OddCharacter, Span::new(next, next + LINE_FEED.len()));
            self.pos = next + LINE_FEED.len();
            return Some(Pair::Go);
        }
        if window.get(next).is_none() {
            return Some(self.pairs_end(state, format));
        }
        if let Some(length) = window.starts_with_any(next, pairs.open)? {
            if let Some(pair) = self.pair_key(state, pairs, next, next + length, window)? {
                return Some(pair);
            }
            if format.call.close.is_empty() {
                return self.loose_end(state, next, window);
            }
            state.call.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(next, next + length), safe: false });
            self.pos = next + length;
            return Some(Pair::Go);
        }
        if let Some(length) = window.starts_with_any(next, format.call.close)? {
            if self.in_section && !self.section_goes_on(format, next + length, window)? {
                // The closers may have been text of the last value.
                state.call.mark(RepairKind::AmbiguousCloser, Span::new(next, next + length));
            }
            self.pos = next + length;
            state.call.span.end = self.pos;
            return Some(Pair::Over(End::Closed));
        }
        let ends = window.starts_with_any(next, format.section.close)?.is_some()
            || window.starts_with_any(next, format.section.open)?.is_some()
            || window.starts_with_any(next, format.call.open)?.is_some();
        if ends {
            if state.call.tape.len() == 1 && !format.call.close.is_empty() && window.starts_with_any(next, format.section.close)?.is_none()
            {
                // An opener that was written twice looks the same: nothing says that no argument would have come.
                state.call.repair(Repair { kind: RepairKind::ClosedObject, span: Span::new(next, next), safe: false });
            }
            state.call.span.end = self.pos;
            let unwrapped = !format.call.close.is_empty();
            return Some(Pair::Over(if unwrapped { End::Followed } else { End::Closed }));
        }
        if window.ends_within(next, format.call.close) && !window.ends_within(next, pairs.open) {
            state.call.span.end = window.end();
            self.pos = window.end();
            return Some(Pair::Over(End::Unwrapped));
        }
        if window.ends_within(next, pairs.open) {
            self.pos = window.end();
            return Some(self.pairs_end(state, format));
        }
        let noise = state.call.repairs.last().is_some_and(|last| last.kind == RepairKind::OddCharacter && last.span.end == self.pos);
        if window.get(next) == Some(b'{') && !noise && state.call.tape.len() == 1 && !format.call.close.is_empty() {
            return Some(Pair::Object);
        }
        if format.call.close.is_empty() {
            return self.loose_end(state, next, window);
        }
        // Text between the tags belongs to nothing. It is marked word by word, so that pieces of it have the mark of the whole.
        let rest = window.from(next + 1);
        let end = rest
            .iter()
            .position(|byte| is_blank(*byte) || matches!(byte, b'<' | b']' | b'\\'))
            .map_or(window.end(), |index| next + 1 + index);
        let start = if noise { self.pos } else { next };
        state.call.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(start, end), safe: false });
        self.pos = end;
        Some(Pair::Go)
    }

    /// Whether what may stand behind a call in its section does at `at`.
    fn section_goes_on(&self, format: &Format, at: usize, window: &Window<'_>) -> Option<bool> {
        let next = window.after_blanks(at)?;
        if window.get(next).is_none() {
            return Some(true);
        }
        let markers = [format.section.close, format.section.open, format.call.open];
        for marker in markers {
            if window.starts_with_any(next, marker)?.is_some() {
                return Some(true);
            }
        }
        Some(markers.iter().any(|marker| window.ends_within(next, marker)) || self.plan.find(window, next)? != Match::Nothing)
    }

    /// A call without a closer ends at text; a closer that other forms write is dropped.
    fn loose_end(&mut self, state: &mut PairsState, next: usize, window: &Window<'_>) -> Option<Pair> {
        state.call.span.end = self.pos;
        if let Match::Marker(index) = self.plan.find(window, next)?
            && self.plan.get(index).alone != Alone::Text
            && window.starts_with(next, b"</")?
        {
            self.pos = next + self.plan.get(index).text.len();
            state.call.span.end = self.pos;
        } else if state.call.tape.len() == 1 && !window.slice(self.pos, next).contains(&b'\n') {
            // Text on the line of a head may speak of it.
            state.call.mark(RepairKind::ProvisionalEnd, Span::new(self.pos, self.pos));
        }
        Some(Pair::Over(End::Closed))
    }

    /// The reply ends between two arguments: nothing says that no other would have come.
    fn pairs_end(&mut self, state: &mut PairsState, format: &Format) -> Pair {
        let at = self.pos;
        let finished = self.ending == Ending::Finished;
        if format.call.close.is_empty() && (state.call.tape.len() > 1 || finished) {
            // The end of the reply is an end that the form allows; whether it was meant is another question.
            state.call.span.end = at;
            if finished {
                return Pair::Over(End::Closed);
            }
            state.call.mark(RepairKind::ProvisionalEnd, Span::new(at, at));
            return Pair::Over(End::Unwrapped);
        }
        state.call.repair(Repair { kind: RepairKind::ClosedObject, span: Span::new(at, at), safe: finished });
        Pair::Over(End::Cut)
    }

    /// The key of an argument that opens at `start`; none stands there where the answer is `Some(None)`.
    fn pair_key(&mut self, state: &mut PairsState, pairs: &Pairs, start: usize, at: usize, window: &Window<'_>) -> Option<Option<Pair>> {
        let (key, attributes, end) = match read_key(pairs, at, window, MAX_TAG)? {
            KeyRead::Key { key, attributes, end, runs_on } => {
                let begin = if runs_on { window.after_blanks(end)? } else { end };
                if attributes.is_misquoted {
                    state.call.mark(RepairKind::MissingQuote, Span::new(start, end));
                }
                if runs_on {
                    state.call.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(start, end), safe: false });
                }
                (key, attributes, begin)
            }
            KeyRead::No => return Some(None),
            KeyRead::Cut => {
                state.call.mark(RepairKind::DroppedPartialKey, Span::new(start, window.end()));
                self.pos = window.end();
                return Some(Some(Pair::Over(End::Cut)));
            }
        };
        let types = state.call.key(&key, start, &self.tools);
        let typed = attribute_type(pairs.typing, &attributes);
        let (types, unknown, source, json) = value_type(pairs.typing, typed, types);
        let unknown_held = pairs.escapes == Escapes::Xml;
        state.call.raw_begin(types, unknown);
        if unknown_held {
            state.call.hold_last();
        }
        self.pos = end;
        state.value = Some(Value {
            scan: end,
            begun: false,
            line: false,
            after_line: false,
            provisional: None,
            closed_inside: false,
            passed: None,
            in_cdata: false,
            holds_opener: false,
            open_inside: 0,
            holds_tag: false,
            doubt: None,
            unknown,
            source,
            json,
        });
        Some(Some(Pair::Go))
    }

    /// Inside a value.
    fn pair_value(&mut self, state: &mut PairsState, mut value: Value, format: &Format, pairs: &Pairs, window: &Window<'_>) -> Pair {
        if !value.begun && self.begin_value(&mut value, pairs, window).is_none() {
            state.value = Some(value);
            return Pair::More;
        }
        match self.scan_value(state, &mut value, format, pairs, window) {
            Some(Found::Closer(at, length)) => {
                if value.open_inside > 0 || value.passed.is_some_and(|end| end == at || end + 1 == at && value.after_line) {
                    // It was written twice, or it is that of an argument in the value, or the value ends in somebody's text about calls.
                    value.doubt = value.doubt.or(Some(at));
                }
                self.end_value(state, &value, at, Layout::Closed, pairs, window);
                self.pos = at + length;
                Pair::Go
            }
            Some(Found::Like(at, like)) => {
                self.send_value(state, &value, at, Layout::Open, pairs, window);
                if like.is_of_key && state.call.holds_tag_of_key() {
                    value.holds_tag = true;
                    state.value = Some(value);
                    return self.pairs_step(state, format, pairs, window);
                }
                value.doubt = value.doubt.or(Some(at));
                self.end_value(state, &value, at, Layout::Closed, pairs, window);
                self.pos = at + like.length;
                Pair::Go
            }
            Some(Found::NextKey(at)) => {
                self.send_value(state, &value, at, Layout::Open, pairs, window);
                let text = state.call.tape.last_text().unwrap_or_default().trim_ascii_end();
                if value.was_closed() || pairs.close.iter().any(|close| ends_nearly_with(text, close.as_bytes())) {
                    value.doubt = value.doubt.or(Some(at));
                }
                self.end_value(state, &value, at, Layout::Open, pairs, window);
                state.call.mark(RepairKind::MissingCloser, Span::new(at, at));
                self.pos = at;
                Pair::Go
            }
            Some(Found::Provisional(at)) => {
                if value.was_closed() {
                    value.doubt = value.doubt.or(value.passed);
                }
                self.end_value(state, &value, at, Layout::Open, pairs, window);
                state.call.mark(RepairKind::ProvisionalEnd, Span::new(at, at));
                self.pos = at;
                Pair::Go
            }
            Some(Found::End) => {
                let end = window.end() - if value.in_cdata { 0 } else { self.partial_closer(pairs, window) };
                self.cut_value(state, &value, end, pairs, window);
                self.pos = window.end();
                Pair::Over(End::Cut)
            }
            None => {
                let limit = value.provisional.unwrap_or(value.scan);
                self.send_value(state, &value, limit, Layout::Open, pairs, window);
                state.value = Some(value);
                Pair::More
            }
        }
    }

    /// The first bytes of a value, which may be layout.
    fn begin_value(&mut self, value: &mut Value, pairs: &Pairs, window: &Window<'_>) -> Option<()> {
        match pairs.trim {
            Trim::Nothing => {}
            Trim::OneLine => match window.get(self.pos) {
                Some(b'\n') if !value.line => {
                    self.pos += 1;
                    value.line = true;
                    value.after_line = true;
                }
                None if !window.last => return None,
                _ => {}
            },
            Trim::All => {
                while let Some(byte) = window.get(self.pos).filter(|byte| is_blank(*byte)) {
                    value.after_line = byte == b'\n';
                    self.pos += 1;
                }
                if window.get(self.pos).is_none() && !window.last {
                    return None;
                }
            }
        }
        let (Key::Until(ends) | Key::Attributes(_, ends)) = pairs.key;
        let is_marker = |length: usize| length > 1;
        if window.starts_with_any(self.pos, pairs.between)?.is_some() || window.starts_with_any(self.pos, ends)?.is_some_and(is_marker) {
            // What stands before a value was written twice.
            value.doubt = Some(self.pos);
        }
        value.begun = true;
        value.scan = value.scan.max(self.pos);
        Some(())
    }

    /// Looks for what ends the value.
    fn scan_value(&self, state: &mut PairsState, value: &mut Value, format: &Format, pairs: &Pairs, window: &Window<'_>) -> Option<Found> {
        let firsts = &self.plan.firsts[state.row];
        loop {
            if value.in_cdata && !value.pass_cdata(window) {
                return if window.last { Some(Found::End) } else { None };
            }
            let Some(index) = find_any(firsts, window.from(value.scan)) else {
                if window.end() > value.scan {
                    value.after_line = window.get(window.end() - 1) == Some(b'\n');
                }
                value.scan = window.end();
                if !window.last {
                    return None;
                }
                return Some(value.provisional.map_or(Found::End, Found::Provisional));
            };
            if index > 0 {
                value.after_line = window.get(value.scan + index - 1) == Some(b'\n');
            }
            value.scan += index;
            let at = value.scan;
            if pairs.escapes == Escapes::Xml && window.starts_with(at, CDATA)? {
                value.in_cdata = true;
                value.scan = at + CDATA.len();
                continue;
            }
            if let Some(found) = self.closer_at(state, value, format, pairs, at, window)? {
                return Some(found);
            }
            if let Some(length) = window.starts_with_any(at, pairs.open)? {
                let inner = self.inner_key(state, pairs, at + length, window)?;
                let is_next = match inner {
                    InnerKey::New => value.after_line,
                    // Two tags stand between a key and its value: nobody writes both by accident.
                    InnerKey::Wanted => value.after_line || !pairs.between.is_empty(),
                    _ => false,
                };
                if is_next {
                    if !value.after_line {
                        value.doubt = value.doubt.or(Some(at));
                    }
                    return Some(Found::NextKey(at));
                }
                value.holds_opener |= !matches!(inner, InnerKey::None);
                // Where tags stand in lines of their own, one inside a line is spoken of.
                let opens = !matches!(inner, InnerKey::None) && (!value.line || value.after_line);
                value.open_inside += usize::from(opens);
                if matches!(inner, InnerKey::New | InnerKey::Wanted | InnerKey::Given) {
                    value.doubt = value.doubt.or(Some(at));
                }
            }
            match self.outer(format, pairs, at, value.after_line, window)? {
                Outer::Counts => value.provisional = value.provisional.or(Some(at)),
                Outer::Text => value.closed_inside = true,
                Outer::None => {}
            }
            if (value.provisional.is_some() || value.closed_inside) && self.next_call(format, at, window)? {
                if let Some(provisional) = value.provisional {
                    return Some(Found::Provisional(provisional));
                }
                // Somebody's text about calls, or a value that was not closed and another call behind it.
                value.doubt = value.doubt.or(Some(at));
                value.closed_inside = false;
            }
            value.after_line = false;
            value.scan = at + 1;
        }
    }

    /// Whether the value is closed at `at`, where one of the row's markers may begin.
    fn closer_at(
        &self,
        state: &PairsState,
        value: &mut Value,
        format: &Format,
        pairs: &Pairs,
        at: usize,
        window: &Window<'_>,
    ) -> Option<Option<Found>> {
        let second = match window.get(at + 1) {
            None if !window.last => return None,
            second => second,
        };
        // Most markers are none of the closers.
        if !pairs.close.iter().any(|close| close.as_bytes().get(1).copied() == second) {
            return Some(None);
        }
        let Some(length) = window.starts_with_any(at, pairs.close)? else {
            let Some(like) = self.like_closer(state, value, pairs, at, window)? else { return Some(None) };
            return Some(self.goes_on(format, pairs, at + like.length, window)?.then_some(Found::Like(at, like)));
        };
        if self.goes_on(format, pairs, at + length, window)? {
            return Some(Some(Found::Closer(at, length)));
        }
        if let Some(both) = self.written_twice(state, value, format, pairs, at + length, window)? {
            value.doubt = value.doubt.or(Some(at));
            return Some(Some(Found::Closer(at, both - at)));
        }
        value.passed = Some(at + length);
        value.open_inside = value.open_inside.saturating_sub(1);
        if nearly_goes_on(format, pairs, at + length, window)? {
            value.doubt = value.doubt.or(Some(at));
        }
        Some(None)
    }

    /// One past the second of two closers, the first of which ends at `at`, if the grammar goes on there. Where an argument begins in the value
    /// the first is that one's, and where tags stand in lines of their own one inside a line is text.
    fn written_twice(
        &self,
        state: &PairsState,
        value: &Value,
        format: &Format,
        pairs: &Pairs,
        at: usize,
        window: &Window<'_>,
    ) -> Option<Option<usize>> {
        if value.holds_opener || value.line && !value.after_line {
            return Some(None);
        }
        let next = window.after_blanks(at)?;
        let length = match window.starts_with_any(next, pairs.close)? {
            Some(length) => Some(length),
            None => self.like_closer(state, value, pairs, next, window)?.map(|like| like.length),
        };
        let Some(length) = length else { return Some(None) };
        Some(self.goes_on(format, pairs, next + length, window)?.then_some(next + length))
    }

    /// What stands at `at` in place of a closer: one that is nearly written like it, or a tag that has the name of the key.
    fn like_closer(&self, state: &PairsState, value: &Value, pairs: &Pairs, at: usize, window: &Window<'_>) -> Option<Option<Like>> {
        for close in pairs.close {
            if !window.starts_with(at, close.as_bytes().get(..2).unwrap_or_default())? {
                continue;
            }
            if let Some(base) = close.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'))
                && let Some(like) = closing_tag_like(base.as_bytes(), state.call.open_key().filter(|_| !value.holds_tag), at, window)?
            {
                return Some(Some(like));
            }
            let text = window.slice(at, at + close.len() + 1);
            if text.len() <= close.len() && !window.last {
                return None;
            }
            if let Some(length) = nearly_at_start(text, close.as_bytes()) {
                return Some(Some(Like { length, is_of_key: false }));
            }
        }
        Some(None)
    }

    /// Whether the grammar goes on behind a closer that ends at `at`.
    fn goes_on(&self, format: &Format, pairs: &Pairs, at: usize, window: &Window<'_>) -> Option<bool> {
        if format.call.close.is_empty() {
            return Some(true);
        }
        let next = after_layout(window, at)?;
        if window.get(next).is_none() {
            return Some(true);
        }
        for markers in followers(format, pairs) {
            if window.starts_with_any(next, markers)?.is_some() || window.ends_within(next, markers) {
                return Some(true);
            }
        }
        self.next_call(format, next, window)
    }

    /// Whether an argument that the tool declares begins.
    fn inner_key(&self, state: &mut PairsState, pairs: &Pairs, at: usize, window: &Window<'_>) -> Option<InnerKey> {
        let KeyRead::Key { key, .. } = read_key(pairs, at, window, MAX_INNER)? else { return Some(InnerKey::None) };
        let declared = state.call.tool().and_then(|tool| self.tools.declares(tool, &key));
        Some(match declared {
            Some(false) => InnerKey::Undeclared,
            _ if state.is_given(&key) => InnerKey::Given,
            Some(true) => InnerKey::Wanted,
            None => InnerKey::New,
        })
    }

    /// Whether a closer of the call or section stands at `at`, and what it is.
    fn outer(&self, format: &Format, pairs: &Pairs, at: usize, line_start: bool, window: &Window<'_>) -> Option<Outer> {
        let stands =
            window.starts_with_any(at, format.call.close)?.is_some() || window.starts_with_any(at, format.section.close)?.is_some();
        if !stands {
            return Some(Outer::None);
        }
        let counts = match pairs.outer {
            Place::Anywhere => true,
            Place::LineStart => line_start || self.is_outer_pair(format, at, window)?,
            Place::Boundary => false,
        };
        Some(if counts { Outer::Counts } else { Outer::Text })
    }

    /// The call's closer and the section's, one behind the other: nobody writes both for another reason.
    fn is_outer_pair(&self, format: &Format, at: usize, window: &Window<'_>) -> Option<bool> {
        let Some(length) = window.starts_with_any(at, format.call.close)? else { return Some(false) };
        let next = window.after_blanks(at + length)?;
        Some(window.starts_with_any(next, format.section.close)?.is_some())
    }

    /// Whether a call begins at `at`, in a section of its own or in the one that is open.
    fn next_call(&self, format: &Format, at: usize, window: &Window<'_>) -> Option<bool> {
        if let Some(length) = window.starts_with_any(at, format.openers())?
            && opens(format, window, at + length, self.names())?.is_call()
        {
            return Some(true);
        }
        let Some(length) = window.starts_with_any(at, format.call.open)? else { return Some(false) };
        Some(call_opens(format, window, at + length, self.names())?.is_call())
    }

    /// Sends the text up to `end`, but for what is layout there.
    fn send_value(&mut self, state: &mut PairsState, value: &Value, end: usize, layout: Layout, pairs: &Pairs, window: &Window<'_>) {
        let text = window.slice(self.pos, end);
        let line_feed = usize::from(text.last() == Some(&b'\n'));
        let kept = match (pairs.trim, layout) {
            (Trim::All, _) => text.iter().rev().take_while(|byte| is_blank(**byte)).count(),
            (_, Layout::Open) => line_feed,
            (Trim::OneLine, Layout::Closed) if value.line => line_feed,
            (_, Layout::Closed) => 0,
        };
        let sent = text.get(..text.len() - kept).unwrap_or_default();
        state.call.tape.extend(sent);
        self.pos += sent.len();
    }

    /// The reply breaks off inside the value.
    fn cut_value(&mut self, state: &mut PairsState, value: &Value, end: usize, pairs: &Pairs, window: &Window<'_>) {
        self.send_value(state, value, end, Layout::Closed, pairs, window);
        if state.call.raw_cut(end, value.unknown, self.ending) {
            let safe = self.ending == Ending::Finished;
            state.call.repair(Repair { kind: RepairKind::ClosedObject, span: Span::new(end, end), safe });
        } else {
            self.end_value(state, value, end, Layout::Closed, pairs, window);
            state.call.mark(RepairKind::ClosedString, Span::new(end, end));
        }
    }

    fn end_value(&mut self, state: &mut PairsState, value: &Value, end: usize, layout: Layout, pairs: &Pairs, window: &Window<'_>) {
        self.send_value(state, value, end, layout, pairs, window);
        if let Some(at) = value.doubt.filter(|at| *at <= end) {
            state.call.mark(RepairKind::AmbiguousCloser, Span::new(at, at));
        }
        if pairs.escapes == Escapes::Xml {
            state.call.unescape_last();
        }
        let fits = state.call.raw_end(end, value.unknown, value.source);
        if value.json && !fits {
            state.call.mark(RepairKind::TypeMismatch, Span::new(end, end));
        }
    }

    /// How many bytes at the end of the reply are the beginning of a closer.
    fn partial_closer(&self, pairs: &Pairs, window: &Window<'_>) -> usize {
        let longest = pairs.close.iter().map(|close| close.len()).max().unwrap_or(0);
        let text = window.from(self.pos.max(window.end().saturating_sub(longest)));
        (2..longest)
            .rev()
            .find(|length| {
                let begun = |close: &&str| close.as_bytes().get(..*length).is_some_and(|head| text.ends_with(head));
                pairs.close.iter().any(begun)
            })
            .unwrap_or(0)
    }
}

/// The beginning of an argument inside a value.
enum InnerKey {
    /// There is none.
    None,
    /// One that the tool does not take.
    Undeclared,
    /// One that was given, or is open.
    Given,
    /// One that was not given yet, of a tool whose arguments nobody declared.
    New,
    /// One that the tool takes and that was not given yet.
    Wanted,
}

/// A closer of the call or section inside a value.
enum Outer {
    /// There is none.
    None,
    /// It may be the end of both.
    Counts,
    /// It is text.
    Text,
}

/// Which white space before the end of a value is layout.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Layout {
    /// What the format writes before the closer that stands there.
    Closed,
    /// A line feed as well: no closer stands there, or it is not known yet, and what comes next begins in a line of its own.
    Open,
}

/// What stands in place of a closer.
struct Like {
    length: usize,
    /// True when it is a tag that has the name of the key.
    is_of_key: bool,
}

enum Found {
    Closer(usize, usize),
    Like(usize, Like),
    NextKey(usize),
    Provisional(usize),
    End,
}

/// What the grammar allows behind the closer of a value, beside the next call.
fn followers(format: &Format, pairs: &Pairs) -> [&'static [&'static str]; 3] {
    [pairs.open, format.call.close, format.section.close]
}

/// Whether something stands behind a closer that is nearly what may follow it.
fn nearly_goes_on(format: &Format, pairs: &Pairs, at: usize, window: &Window<'_>) -> Option<bool> {
    let markers = || followers(format, pairs).into_iter().flatten();
    let next = window.after_blanks(at)?;
    if window.starts_with_any(next, pairs.between)?.is_some() {
        // Another value, whose key is missing.
        return Some(true);
    }
    let most = markers().map(|marker| marker.len() + 1).max().unwrap_or(0);
    let text = window.slice(next, next + most);
    if text.len() < most && !window.last {
        return None;
    }
    // What names a marker of its own is not another one with a fault.
    if window.starts_with_any(next, format.call.open)?.is_some() || window.starts_with_any(next, format.section.open)?.is_some() {
        return Some(false);
    }
    Some(markers().any(|marker| nearly_at_start(text, marker.as_bytes()).is_some()))
}

/// The closing tag at `at` if its name is `key`, or begins like `base`, or `base` begins like it.
fn closing_tag_like(base: &[u8], key: Option<&[u8]>, at: usize, window: &Window<'_>) -> Option<Option<Like>> {
    let rest = window.slice(at + 2, at + MAX_INNER);
    let Some(length) = rest.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n')) else {
        return if rest.len() + 2 < MAX_INNER && !window.last { None } else { Some(None) };
    };
    let name = rest.get(..length).unwrap_or_default().trim_ascii();
    let begins_alike = name.starts_with(base) || base.starts_with(name) && name.len() >= LEAST_LIKE;
    let is_of_key = key == Some(name);
    let closes = usize::from(rest.get(length) == Some(&b'>'));
    Some((begins_alike || is_of_key).then_some(Like { length: 2 + length + closes, is_of_key }))
}

/// The type that an attribute names.
fn attribute_type(typing: Typing, attributes: &Attributes<'_>) -> Option<TypeWord> {
    match typing {
        Typing::StringAttribute(name) => {
            attributes.get(&[name]).map(|value| if value == b"true" { TypeWord::Text } else { TypeWord::Json })
        }
        Typing::TypeAttribute(_) => attributes.get(&["type"]).map(|value| TypeSet::named(value).map_or(TypeWord::Json, TypeWord::Types)),
        _ => None,
    }
}

enum TypeWord {
    Text,
    Json,
    Types(TypeSet),
}

fn value_type(typing: Typing, word: Option<TypeWord>, schema: TypeSet) -> (TypeSet, Unknown, TypeSource, bool) {
    match (typing, word) {
        (Typing::Text, _) | (_, Some(TypeWord::Text)) => (TypeSet::STRING, Unknown::Text, TypeSource::Format, false),
        (_, Some(TypeWord::Types(types))) => (types, Unknown::JsonOrText, TypeSource::Format, false),
        (_, Some(TypeWord::Json)) => (TypeSet::EMPTY, Unknown::JsonOrText, TypeSource::Format, true),
        (Typing::StringAttribute(_), None) => (TypeSet::EMPTY, Unknown::JsonOrText, TypeSource::Format, false),
        (Typing::SchemaOrText, None) => (schema, Unknown::Text, TypeSource::Schema, false),
        (_, None) => (schema, Unknown::JsonOrText, TypeSource::Schema, false),
    }
}

fn find_any(bytes: &[u8], text: &[u8]) -> Option<usize> {
    match bytes {
        [a] => memchr::memchr(*a, text),
        [a, b] => memchr::memchr2(*a, *b, text),
        [a, b, c] => memchr::memchr3(*a, *b, *c, text),
        _ => text.iter().position(|byte| bytes.contains(byte)),
    }
}
