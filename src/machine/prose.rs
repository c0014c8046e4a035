//! Prose: looks for markers, fences and control tokens.

use super::candidate::Certain;
use super::heads::{Beginning, HeadText, MAX_TICKS, Opens, call_opens, opens, ticks};
use super::messages;
use super::section::SectionState;
use super::think::ThinkState;
use super::{Fault, MAX_MENTION, Machine, Sink, State, Step};
use crate::format::{Body, Loose, Place};
use crate::plan::{Alone, Marker, Match};
use crate::repair::{FaultKind, Unreadable};
use crate::span::Span;
use crate::window::{BLANKS, Window, is_blank};

/// How many closers in a row are looked at.
const MAX_CLOSERS: usize = 3;

/// A code fence that is open.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    ticks: usize,
}

/// What an opener came to.
enum Opened {
    /// A call or section was begun.
    Begun,
    /// It cannot be told yet.
    Undecided,
    /// No row reads it.
    No,
    /// The reply ends in it.
    Cut,
}

impl Machine {
    /// One step through prose: to the next byte that a marker may start with, and what stands there.
    pub(super) fn prose<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        if self.boundary
            && self.candidate.is_none()
            && let Some(step) = self.at_boundary(window, sink)
        {
            return step;
        }
        let mut at = self.pos;
        loop {
            let Some(index) = self.plan.next_start(window.from(at), self.quoted.is_some()) else {
                self.tell_prose(window, window.end(), sink);
                return Step::More;
            };
            at += index;
            let byte = window.get(at).unwrap_or_default();
            let step = match byte {
                b'`' => self.ticks(window, at, sink),
                b'\n' => self.line_start(window, at, sink),
                _ => self.marker(window, at, sink),
            };
            match step {
                Some(Passed::Text(end)) => at = end,
                Some(Passed::Step(step)) => return step,
                None => {
                    self.tell_prose(window, at, sink);
                    return Step::More;
                }
            }
        }
    }

    /// The first text of the reply, or behind reasoning: forms that count only there.
    fn at_boundary<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Option<Step> {
        let start = self.told;
        let plan = self.plan.clone();
        if start < self.barred {
            return None;
        }
        if !plan.json_lines.is_empty()
            && !self.marked
            && let Some(first) = window.after_blanks(start)
            && first >= self.line_barred
            && window.get(first) == Some(b'{')
            && self.starts_line(window, first)
        {
            match self.json_line(first, window, sink) {
                None => return Some(Step::More),
                Some(true) => return Some(Step::Go),
                Some(false) => {}
            }
        }
        // A form may begin with one of the blanks.
        let end = window.after_blanks(start).map_or(window.end(), |text| text + 1);
        for at in start..end.max(start + 1) {
            match plan.find(window, at) {
                None => {
                    // What was passed over need not be looked at with every piece.
                    self.tell_prose(window, at, sink);
                    return Some(Step::More);
                }
                Some(Match::Marker(index))
                    if plan
                        .get(index)
                        .rows
                        .iter()
                        .any(|row| plan.rows[*row].place != Place::Anywhere || matches!(plan.rows[*row].body, Body::Messages(_))) =>
                {
                    match self.open_rows(plan.get(index).rows.iter(), at, plan.get(index).text.len(), window, sink) {
                        Opened::Begun => return Some(Step::Go),
                        Opened::Undecided => return Some(Step::More),
                        Opened::No | Opened::Cut => {}
                    }
                }
                Some(_) => {}
            }
        }
        let passed = start + BLANKS;
        if end > passed && window.get(passed).is_some_and(is_blank) {
            // More white space than is passed over at once settles nothing: what stands behind it is still the first text.
            self.tell_prose(window, passed, sink);
            return Some(Step::Go);
        }
        self.bare(start, window, sink)
    }

    /// A reply that is nothing but JSON or calls.
    fn bare<S: Sink>(&mut self, start: usize, window: &Window<'_>, sink: &mut S) -> Option<Step> {
        if self.plan.bare.is_empty() || self.marked {
            return None;
        }
        let at = window.after_blanks(start)?;
        if !matches!(window.get(at), Some(b'{' | b'[')) && !matches!(window.get(at), Some(0xEF)) {
            return None;
        }
        let plan = self.plan.clone();
        for row in &plan.bare {
            let Some(beginning) = call_opens(plan.rows[*row], window, at, self.names()) else { return Some(Step::More) };
            if matches!(beginning.opens, Opens::Yes | Opens::Cut) {
                self.tell_prose(window, at, sink);
                self.try_candidate(at, Certain::WholeReply);
                self.begin_body(*row, at);
                return Some(Step::Go);
            }
        }
        None
    }

    /// Back-ticks: a fence at the start of a line, else nothing (a marker behind one is a mention).
    fn ticks<S: Sink>(&mut self, window: &Window<'_>, at: usize, sink: &mut S) -> Option<Passed> {
        let count = ticks(window, at)?;
        self.quoted = None;
        if count < 3 || count == MAX_TICKS || !self.starts_line(window, at) {
            return Some(Passed::Text(at + count));
        }
        let line = window.from(at + count).iter().take(64).take_while(|byte| **byte != b'\n').count();
        let end = at + count + line;
        if end == window.end() && line < 64 && !window.last {
            return None;
        }
        let info = window.slice(at + count, end).trim_ascii();
        if self.fence.is_some_and(|fence| count >= fence.ticks && info.is_empty()) {
            self.fence = None;
            return Some(Passed::Text(end));
        }
        if at >= self.barred && self.fence.is_none() && !self.marked {
            match self.open_fence(info, window, at, end, sink) {
                Opened::Begun => return Some(Passed::Step(Step::Go)),
                Opened::Undecided => return None,
                Opened::No | Opened::Cut => {}
            }
        }
        self.fence = Some(Fence { ticks: count });
        Some(Passed::Text(end))
    }

    /// A fence that may hold a call.
    fn open_fence<S: Sink>(&mut self, info: &[u8], window: &Window<'_>, at: usize, line_end: usize, sink: &mut S) -> Opened {
        let plan = self.plan.clone();
        for row in &plan.fenced {
            if !plan.rows[*row].call.open.iter().any(|word| word.as_bytes() == info) {
                continue;
            }
            let Some(beginning) = call_opens(plan.rows[*row], window, line_end, self.names()) else { return Opened::Undecided };
            if beginning.is_call() {
                self.tell_prose(window, at, sink);
                self.try_candidate(at, Certain::FirstCall);
                let Some(body) = window.after_blanks(line_end) else { return Opened::Undecided };
                self.tell_markup(body, sink);
                self.begin_body(*row, at);
                return Opened::Begun;
            }
        }
        Opened::No
    }

    /// Forms that count at the start of a line: JSON on a line of its own.
    fn line_start<S: Sink>(&mut self, window: &Window<'_>, at: usize, sink: &mut S) -> Option<Passed> {
        let next = at + 1;
        let Some(byte) = window.get(next) else { return if window.last { Some(Passed::Text(next)) } else { None } };
        if byte == b'{' && next >= self.line_barred && !self.marked && self.json_line(next, window, sink)? {
            return Some(Passed::Step(Step::Go));
        }
        Some(Passed::Text(next))
    }

    /// JSON that starts at `at`, the start of a line.
    fn json_line<S: Sink>(&mut self, at: usize, window: &Window<'_>, sink: &mut S) -> Option<bool> {
        let plan = self.plan.clone();
        for row in &plan.json_lines {
            if call_opens(plan.rows[*row], window, at, self.names())?.is_call() {
                self.tell_prose(window, at, sink);
                self.line_barred = at + 1;
                self.try_candidate(at, Certain::FirstCall);
                self.begin_body(*row, at);
                return Some(true);
            }
        }
        Some(false)
    }

    /// What stands at a byte that a marker may start with.
    fn marker<S: Sink>(&mut self, window: &Window<'_>, at: usize, sink: &mut S) -> Option<Passed> {
        if window.get(at).is_some_and(|byte| self.plan.is_line_only(byte)) && !self.starts_line(window, at) {
            return Some(Passed::Text(at + 1));
        }
        match self.plan.find(window, at)? {
            Match::Nothing => Some(Passed::Text(at + 1)),
            Match::Shape(length) => {
                self.tell_prose(window, at, sink);
                self.tell_control(at + length, sink);
                Some(Passed::Step(Step::Go))
            }
            Match::Marker(index) => self.found(index, window, at, sink),
        }
    }

    /// A marker stands at `at`.
    fn found<S: Sink>(&mut self, index: usize, window: &Window<'_>, at: usize, sink: &mut S) -> Option<Passed> {
        let plan = self.plan.clone();
        let marker = plan.get(index);
        let length = marker.text.len();
        if self.is_quoted(window, at) {
            self.quoted = Some(at);
            return Some(Passed::Text(at + length));
        }
        if self.is_in_quotes(window, at) {
            // The line need not be looked through again up to here.
            self.quoted = Some(at);
            return Some(Passed::Text(at + length));
        }
        // In a fence a marked call counts under an offered name; where nothing is offered, it is documentation.
        if at >= self.barred && !(self.fence.is_some() && self.tools.is_any()) {
            match self.open_rows(marker.rows.iter().chain(&marker.loose), at, length, window, sink) {
                Opened::Begun => return Some(Passed::Step(Step::Go)),
                Opened::Undecided => return None,
                Opened::Cut => {
                    self.tell_prose(window, at, sink);
                    let span = Span::new(at, window.end());
                    self.tell_fault(Fault::nameless(FaultKind::Cut, span), window, sink);
                    return Some(Passed::Step(Step::Go));
                }
                Opened::No => {}
            }
            if let Some(think) = marker.think {
                self.tell_prose(window, at, sink);
                self.tell_markup(at + length, sink);
                let state = ThinkState::new(plan.thinks[think], self.pos);
                self.state = State::Think(state);
                return Some(Passed::Step(Step::Go));
            }
        }
        if !marker.rows.is_empty() && self.is_written_twice(marker, window, at + length)? {
            self.tell_prose(window, at, sink);
            self.tell_control(at + length, sink);
            return Some(Passed::Step(Step::Go));
        }
        self.opened_in_text |= marker.argument || !marker.rows.is_empty() || !marker.loose.is_empty();
        self.alone(marker.alone, window, at, length, &marker.rows, sink)
    }

    /// Whether the same opener follows, and opens a call: some models write it twice.
    fn is_written_twice(&self, marker: &Marker, window: &Window<'_>, at: usize) -> Option<bool> {
        let next = window.after_blanks(at)?;
        if !window.starts_with(next, marker.text)? {
            return Some(false);
        }
        for row in &marker.rows {
            if opens(self.row(*row), window, next + marker.text.len(), self.names())?.is_call() {
                return Some(true);
            }
        }
        Some(false)
    }

    /// A marker that opens nothing.
    fn alone<S: Sink>(
        &mut self,
        alone: Alone,
        window: &Window<'_>,
        at: usize,
        length: usize,
        rows: &[usize],
        sink: &mut S,
    ) -> Option<Passed> {
        let end = at + length;
        if alone == Alone::Text || self.fence.is_some() {
            if self.mention_at(at).is_none() && self.fence.is_none() && rows.iter().any(|row| !self.row(*row).call.close.is_empty()) {
                self.mention = rows.first().map(|row| (*row, at));
            }
            return Some(Passed::Text(end));
        }
        let text = window.slice(at, end);
        if let Some((row, start)) = self.mention_at(at) {
            let row = self.row(row);
            if row.call.close.iter().chain(row.section.close).any(|close| close.as_bytes() == text) {
                self.tell_prose(window, end, sink);
                self.mention = None;
                let fault =
                    Fault { kind: FaultKind::Unreadable(Unreadable::NotACall), name: None, span: Span::new(start, end), shown: true };
                self.tell_fault(fault, window, sink);
                return Some(Passed::Step(Step::Go));
            }
        }
        let closes_text = self.opened_in_text && self.calls == 0 && !self.stripped;
        if alone == Alone::Tail && (closes_text || !self.only_closers_follow(window, end)?) {
            return Some(Passed::Text(end));
        }
        if alone == Alone::End && !self.only_closers_follow(window, end)? {
            return Some(Passed::Text(end));
        }
        if alone == Alone::Word && self.is_word(window, at, end)? {
            return Some(Passed::Text(end));
        }
        self.tell_prose(window, at, sink);
        self.tell_control(end, sink);
        Some(Passed::Step(Step::Go))
    }

    /// The opener that was taken for a mention, if it is still remembered at `at`.
    fn mention_at(&self, at: usize) -> Option<(usize, usize)> {
        self.mention.filter(|(_, start)| at - start <= MAX_MENTION)
    }

    fn tell_control<S: Sink>(&mut self, end: usize, sink: &mut S) {
        self.tell_markup(end, sink);
        self.stripped = true;
        self.at_border();
    }

    /// Between two blanks a tag is spoken of.
    fn is_word(&self, window: &Window<'_>, at: usize, end: usize) -> Option<bool> {
        let before = if at > self.told { window.get(at - 1).unwrap_or_default() } else { self.line.before };
        match window.get(end) {
            None if !window.last => None,
            after => Some(before == b' ' && after == Some(b' ')),
        }
    }

    fn only_closers_follow(&self, window: &Window<'_>, at: usize) -> Option<bool> {
        let mut end = at;
        for _ in 0..MAX_CLOSERS {
            let next = window.after_blanks(end)?;
            if window.get(next).is_none() {
                return Some(true);
            }
            match self.plan.find(window, next)? {
                Match::Marker(index) if self.plan.get(index).alone != Alone::Text => end = next + self.plan.get(index).text.len(),
                Match::Marker(index) => return Some(end == at && !self.plan.get(index).rows.is_empty() && !self.plan.auto),
                _ => return Some(false),
            }
        }
        Some(true)
    }

    /// Asks the rows in their order whether what stands behind the opener is theirs.
    fn open_rows<'r, S: Sink>(
        &mut self,
        rows: impl Iterator<Item = &'r usize>,
        at: usize,
        length: usize,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Opened {
        let mut perhaps = None;
        for row in rows {
            let format = self.row(*row);
            if !self.place_allows(format.place, window, at) {
                continue;
            }
            if let Body::Messages(table) = format.body {
                // A recipient alone starts a header only where the prompt ends.
                let recipient = window.slice(at, at + length).trim_ascii_start() == table.recipient.as_bytes();
                if recipient && !self.place_allows(Place::Boundary, window, at) {
                    continue;
                }
                match messages::header(&table, window, at, &self.tools) {
                    None => return Opened::Undecided,
                    Some(messages::Header::NotMine) => continue,
                    Some(header) => {
                        self.tell_prose(window, at, sink);
                        self.begin_message(*row, header, window, sink);
                        return Opened::Begun;
                    }
                }
            }
            let loose =
                !format.section.open.is_empty() && format.call.open.iter().any(|open| open.as_bytes() == window.slice(at, at + length));
            let asked = if loose { call_opens } else { opens };
            let Some(beginning) = asked(format, window, at + length, self.names()) else { return Opened::Undecided };
            match beginning.opens {
                Opens::Yes if self.name_allows(*row, loose, &beginning) => {
                    self.begin(*row, loose, beginning.head, at, length, window, sink);
                    return Opened::Begun;
                }
                Opens::Perhaps if perhaps.is_none() => perhaps = Some((*row, loose, beginning.head)),
                Opens::Cut if is_markup(window.slice(at, at + length)) && format.place == Place::Anywhere => return Opened::Cut,
                _ => {}
            }
        }
        if let Some((row, loose, head)) = perhaps {
            self.begin(row, loose, head, at, length, window, sink);
            return Opened::Begun;
        }
        Opened::No
    }

    /// Without the markup around it, or in a place where it may be meant otherwise, a call counts only under a known name.
    fn name_allows(&self, row: usize, loose: bool, beginning: &Beginning<'_>) -> bool {
        let format = self.row(row);
        let needs_known = (loose || format.section.open.is_empty()) && format.loose == Loose::Offered;
        !needs_known || self.tools.is_any() || beginning.head.is_none_or(|head| self.tools.find(head.name).is_some())
    }

    #[expect(clippy::too_many_arguments, reason = "where the call stands, and what was read of it")]
    fn begin<S: Sink>(
        &mut self,
        row: usize,
        loose: bool,
        head: Option<HeadText<'_>>,
        at: usize,
        length: usize,
        window: &Window<'_>,
        sink: &mut S,
    ) {
        // The opener of a section is no mention at the start of a line.
        let is_mentioned = !self.starts_line(window, at);
        self.tell_prose(window, at, sink);
        self.mention = None;
        let format = self.row(row);
        let end = at + length;
        self.in_section = !format.section.open.is_empty() && !loose;
        if self.fence.is_some() {
            self.try_candidate(at, Certain::FirstCall);
        } else if !self.in_section {
            sink.border(format.space);
        }
        if self.in_section {
            let state = SectionState::new(row, end);
            if is_mentioned {
                self.pos = end;
                self.state = State::Section(state);
            } else {
                self.begin_section(state, sink);
            }
            self.boundary = false;
        } else if let Some(head) = head {
            self.begin_named(row, at, &head, loose, window, sink);
        } else {
            self.tell_markup(end, sink);
            self.begin_body(row, at);
        }
    }

    fn place_allows(&self, place: Place, window: &Window<'_>, at: usize) -> bool {
        match place {
            Place::Anywhere => true,
            Place::LineStart => self.starts_line(window, at),
            Place::Boundary => self.boundary && window.slice(self.told, at).iter().all(|byte| is_blank(*byte)),
        }
    }

    /// True when `at` starts a line, with at most three blanks before it.
    fn starts_line(&self, window: &Window<'_>, at: usize) -> bool {
        self.line.after(window.slice(self.told, at)).is_start()
    }

    /// Behind a quoted marker, on the same line, before the back-ticks close.
    fn is_in_quotes(&self, window: &Window<'_>, at: usize) -> bool {
        let Some(quoted) = self.quoted else { return false };
        memchr::memchr(b'\n', window.slice(quoted.max(self.told), at)).is_none()
    }

    /// A marker right behind a back-tick is a mention.
    fn is_quoted(&self, window: &Window<'_>, at: usize) -> bool {
        let before = if at > self.told { window.get(at - 1).unwrap_or_default() } else { self.line.before };
        before == b'`'
    }
}

/// Where in its line a position is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The byte before.
    before: u8,
    /// Blanks since the start of the line, if there is nothing else before.
    indent: Option<usize>,
}

impl Line {
    /// The start of the reply.
    pub(super) const START: Line = Line { before: b'\n', indent: Some(0) };

    /// Behind markup or a call.
    pub(super) const MIDDLE: Line = Line { before: b' ', indent: None };

    /// Where it is behind `text`.
    pub(super) fn after(self, text: &[u8]) -> Line {
        let Some(before) = text.last() else { return self };
        let blanks = text.iter().rev().take(4).take_while(|byte| **byte == b' ').count();
        let indent = match text.len().checked_sub(blanks + 1).and_then(|index| text.get(index)) {
            Some(b'\n') => Some(blanks),
            Some(_) => None,
            None => self.indent.map(|indent| indent + blanks),
        };
        Line { before: *before, indent: indent.filter(|indent| *indent <= 3) }
    }

    fn is_start(self) -> bool {
        self.indent.is_some()
    }
}

/// What prose passed over.
enum Passed {
    /// Text up to the position.
    Text(usize),
    /// Something else, which a step has dealt with.
    Step(Step),
}

/// An opener that no one writes for another reason.
fn is_markup(opener: &[u8]) -> bool {
    opener.starts_with(b"<") || opener.starts_with(b"[") || opener.starts_with(b"]")
}
