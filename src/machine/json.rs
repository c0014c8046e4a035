//! JSON bodies: objects that hold name and arguments, alone, in a row, or in an array.

use super::body::{Done, Finder, JsonBody};
use super::candidate::Certain;
use super::heads::{after_fence, ticks};
use super::tag_keys::LINE_FEED;
use super::{Fault, Machine, Sink, State, Step};
use crate::call::{ArgumentsState, Call, End};
use crate::format::{Body, Shape};
use crate::plan::{Alone, Match};
use crate::repair::{FaultKind, Repair, RepairKind, Unreadable};
use crate::span::Span;
use crate::value::{Bounds, Ending, Progress, Reader};
use crate::window::{Window, is_blank};

/// So much may stand between a value and the closer of its call.
const MAX_ODD: usize = 16;

/// A JSON body while it is read.
#[derive(Debug, Clone)]
pub(super) struct JsonState {
    row: usize,
    reader: Reader,
    pub body: JsonBody,
    phase: Phase,
    /// Where the opener stands.
    start: usize,
    /// Where a fence was opened inside the tags.
    fence: Option<Span>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Before a value.
    Before,
    /// Inside one.
    Value,
    /// Behind one.
    After,
}

/// Whether the state goes on.
enum Next {
    Stay(Step),
    Over,
}

impl JsonState {
    pub(super) fn keep_from(&self) -> usize {
        match &self.body.call {
            Some(call) if call.is_certain() && self.body.is_between_calls() => call.span.end,
            Some(call) if call.is_certain() => usize::MAX,
            Some(call) if call.tape.passed().is_some() => usize::MAX,
            Some(call) => call.span.start,
            None => self.start,
        }
    }
}

impl Machine {
    /// Starts the body of a row behind its opener at `start`.
    pub(super) fn begin_body(&mut self, row: usize, start: usize) {
        self.boundary = false;
        match self.row(row).body {
            Body::Json(keys, dialect) => {
                let body = JsonBody::new(keys);
                let reader = Reader::new(dialect, &self.limits);
                self.state = State::Json(Box::new(JsonState { row, reader, body, phase: Phase::Before, start, fence: None }));
            }
            Body::Python(expressions) => self.begin_python(row, expressions, start),
            _ => self.leave(),
        }
    }

    pub(super) fn json<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Json(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let next = match state.phase {
            Phase::Before => self.json_before(&mut state, window, sink),
            Phase::Value => self.json_value(&mut state, window, sink),
            Phase::After => self.json_after(&mut state, window, sink),
        };
        match next {
            Next::Stay(step) => {
                self.state = State::Json(state);
                step
            }
            Next::Over => Step::Go,
        }
    }

    fn json_before<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) -> Next {
        let Some(next) = window.after_blanks(self.pos) else { return Next::Stay(Step::More) };
        let Some(fence) = window.starts_with(next, b"```") else { return Next::Stay(Step::More) };
        if fence && state.fence.is_none() && self.row(state.row).shape == Shape::Tagged {
            let Some(end) = after_fence(window, next) else { return Next::Stay(Step::More) };
            self.tell_markup(end, sink);
            state.fence = Some(Span::new(next, end));
            return Next::Stay(Step::Go);
        }
        self.tell_markup(next, sink);
        state.phase = Phase::Value;
        state.reader.restart();
        Next::Stay(Step::Go)
    }

    fn json_value<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) -> Next {
        let bounds = Bounds { stops: &self.plan.stops[state.row], outer: None, siblings: state.body.name_keys() };
        let certain = self.candidate.as_ref().map(|candidate| candidate.certain);
        let mut finder =
            Finder { body: &mut state.body, format: self.plan.rows[state.row], tools: &self.tools, limits: &self.limits, certain };
        let progress = state.reader.read(window, &mut self.pos, bounds, &mut finder);
        match progress {
            Progress::More if window.last => return self.json_cut(state, window, sink),
            Progress::More => {
                self.deliver_done(state, window, sink);
                let failed = self.candidate_after_piece(state, window, sink);
                return if failed { Next::Over } else { Next::Stay(Step::More) };
            }
            Progress::Done => {}
            Progress::Stopped if state.reader.depth() == 0 && state.reader.is_fresh() => {
                return self.json_failed(state, Unreadable::NotACall, window, sink);
            }
            Progress::Stopped => state.reader.finish(window, self.pos, Ending::Finished, &mut finder),
            Progress::Failed(why) => return self.json_failed(state, why, window, sink),
        }
        self.deliver_done(state, window, sink);
        if self.candidate_after_value(state, window, sink) {
            return Next::Over;
        }
        state.phase = Phase::After;
        Next::Stay(Step::Go)
    }

    /// Tells the calls and messages that are over.
    fn deliver_done<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) {
        let space = self.row(state.row).space;
        for done in std::mem::take(&mut state.body.done) {
            match done {
                Done::Call(mut call) => {
                    mark_fence(&mut call, state.fence);
                    if self.candidate.is_none() {
                        sink.border(space);
                    }
                    self.tell_call(call, window, sink);
                }
                Done::Message(text, span) => self.tell_message(text, span, sink),
                Done::Stray(span) => {
                    self.tell_fault(Fault::nameless(FaultKind::Unreadable(Unreadable::NotACall), span), window, sink);
                }
            }
        }
    }

    /// A candidate whose value goes on: true when it has failed already.
    fn candidate_after_piece<S: Sink>(&mut self, state: &JsonState, window: &Window<'_>, sink: &mut S) -> bool {
        let Some(candidate) = &self.candidate else { return false };
        let certain = candidate.certain;
        if state.body.fails(certain, self.row(state.row).shape) {
            self.fail_candidate(Vec::new(), window, sink);
            return true;
        }
        if certain == Certain::FirstCall && (state.body.call.as_deref().is_some_and(Call::vouches) || self.holds_call) {
            sink.border(self.row(state.row).space);
            self.commit(window, sink);
        }
        false
    }

    /// A candidate whose value is over: true when it has failed.
    fn candidate_after_value<S: Sink>(&mut self, state: &JsonState, window: &Window<'_>, sink: &mut S) -> bool {
        if self.candidate.is_none() {
            return false;
        }
        if self.candidate_after_piece(state, window, sink) {
            return true;
        }
        if self.candidate.is_none() {
            return false;
        }
        if state.body.call.as_deref().is_some_and(|call| self.may_hold(call)) || self.holds_call {
            return false;
        }
        if self.is_whole_reply() && state.body.call.is_none() && self.holds_one_message() {
            return false;
        }
        let fault = state.body.call.as_deref().and_then(shown_fault);
        self.fail_candidate(fault.into_iter().collect(), window, sink);
        true
    }

    /// The reply broke off inside a value.
    fn json_cut<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) -> Next {
        let tools = self.tools.clone();
        let plan = self.plan.clone();
        self.deliver_done(state, window, sink);
        // What has failed by now would have failed if the text had come byte by byte.
        if self.candidate_after_piece(state, window, sink) {
            return Next::Over;
        }
        let end = window.end();
        // The key that is open is half of one.
        let is_foreign = self.candidate.as_ref().is_some_and(|candidate| state.body.is_foreign(candidate.certain));
        let closed = state.body.call.as_ref().is_some_and(|call| matches!(call.arguments, ArgumentsState::Closed));
        let name_cut = state.body.reads_name();
        let mut finder = Finder { body: &mut state.body, format: plan.rows[state.row], tools: &tools, limits: &self.limits, certain: None };
        state.reader.finish(window, end, self.ending, &mut finder);
        self.pos = end;
        let call = state.body.call.take().map(|mut call| {
            if name_cut && !call.is_certain() {
                call.fault = Some(FaultKind::Cut);
            }
            end_cut(&mut call, closed, end);
            mark_fence(&mut call, state.fence);
            call.listed = state.body.list;
            call
        });
        self.deliver_done(state, window, sink);
        if self.candidate.is_some() {
            let hopeless = !call.as_deref().is_some_and(|call| self.may_hold(call)) && !self.holds_call;
            if is_foreign || hopeless {
                self.fail_candidate(Vec::new(), window, sink);
                return Next::Over;
            }
            sink.border(self.row(state.row).space);
            self.commit(window, sink);
        }
        match call {
            Some(call) => self.tell_call(call, window, sink),
            None if !state.body.list => {
                let fault = Fault::nameless(FaultKind::Cut, Span::new(state.start.max(self.told), end));
                self.tell_fault(fault, window, sink);
            }
            None => {}
        }
        if state.body.list {
            sink.list_end(false);
        }
        self.tell_markup(end, sink);
        Next::Over
    }

    /// Something that is no value.
    fn json_failed<S: Sink>(&mut self, state: &mut JsonState, why: Unreadable, window: &Window<'_>, sink: &mut S) -> Next {
        self.deliver_done(state, window, sink);
        // A call that is certain by now would have been handed out if the text had come byte by byte.
        if self.candidate_after_piece(state, window, sink) {
            return Next::Over;
        }
        if self.candidate.is_some() {
            self.fail_candidate(Vec::new(), window, sink);
            return Next::Over;
        }
        let call = state.body.call.take();
        let start = call.as_ref().map_or(self.told, |call| call.span.start);
        match call {
            Some(call) if call.is_certain() => self.break_off(call, state, window, sink),
            call => {
                let fault = call.as_ref().map_or(FaultKind::Unreadable(why), |call| call.fault_or(FaultKind::Unreadable(why)));
                let name = call.map(|call| call.name).filter(|name| !name.is_empty());
                self.skip_from(state.row, start, Some(fault), name);
            }
        }
        Next::Over
    }

    /// What was handed out cannot be taken back: the call ends where it became unreadable, and says so.
    fn break_off<S: Sink>(&mut self, call: Box<Call>, state: &mut JsonState, window: &Window<'_>, sink: &mut S) {
        let tools = self.tools.clone();
        let plan = self.plan.clone();
        state.body.call = Some(call);
        let mut finder = Finder { body: &mut state.body, format: plan.rows[state.row], tools: &tools, limits: &self.limits, certain: None };
        state.reader.finish(window, self.pos, Ending::Unknown, &mut finder);
        if let Some(mut call) = state.body.call.take() {
            call.end = End::Cut;
            call.span.end = self.pos;
            self.tell_call(call, window, sink);
        }
        self.skip_from(state.row, self.pos, None, None);
    }

    /// Behind a value: another one, the closer, or something else.
    fn json_after<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) -> Next {
        match self.json_after_value(state, window, sink) {
            None => Next::Stay(Step::More),
            Some(next) => next,
        }
    }

    fn json_after_value<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) -> Option<Next> {
        let format = self.row(state.row);
        let next = window.after_blanks(self.pos)?;
        let Some(byte) = window.get(next) else { return Some(self.json_end(state, window, sink)) };
        if let Some(length) = window.starts_with_any(next, format.call.close)? {
            self.json_over(state, End::Closed, window, sink);
            self.tell_markup(next + length, sink);
            return Some(Next::Over);
        }
        if byte == b'`' && (state.fence.is_some() || format.shape == Shape::Fenced) {
            return self.json_fence_end(state, next, window, sink);
        }
        if matches!(byte, b'}' | b']') && (format.shape != Shape::Bare || self.is_whole_reply()) {
            // A key that says nothing of calls stood behind the arguments: this may be the closer that came too early.
            let kind = if state.body.key_behind { RepairKind::AmbiguousCloser } else { RepairKind::ExtraCloser };
            if let Some(call) = state.body.call.as_deref_mut() {
                call.mark(kind, Span::new(next, next + 1));
                call.span.end = call.span.end.max(next + 1);
            }
            self.pos = next + 1;
            return Some(Next::Stay(Step::Go));
        }
        if let Some(value) = another_value(window, next)? {
            self.close_pending(state, End::Closed, window, sink);
            self.tell_markup(value, sink);
            state.reader.restart();
            state.phase = Phase::Value;
            return Some(Next::Stay(Step::Go));
        }
        if self.is_whole_reply() {
            return self.bare_after(state, next, window, sink);
        }
        if !format.call.close.is_empty()
            && let Some(call) = state.body.call.as_deref_mut()
        {
            if member_follows(window, next)? {
                call.mark(RepairKind::AmbiguousCloser, Span::new(next, next));
            } else if let Some(at) = closer_near(window, next, format.call.close)? {
                call.repair(odd_before_closer(window, next, at));
                self.pos = at;
                return Some(Next::Stay(Step::Go));
            }
        }
        let cut = window.ends_within(next, format.call.close);
        let end = match unclosed_end(format) {
            End::Unwrapped if !cut => End::Followed,
            end => end,
        };
        self.json_over(state, end, window, sink);
        if cut {
            self.tell_markup(window.end(), sink);
        }
        Some(Next::Over)
    }

    fn is_whole_reply(&self) -> bool {
        self.candidate.as_ref().is_some_and(|candidate| candidate.certain == Certain::WholeReply)
    }

    /// The body is over.
    fn json_over<S: Sink>(&mut self, state: &mut JsonState, end: End, window: &Window<'_>, sink: &mut S) {
        self.close_pending(state, end, window, sink);
        if self.candidate.is_some() {
            sink.border(self.row(state.row).space);
            self.commit(window, sink);
        }
        if state.body.list {
            sink.list_end(end != End::Unwrapped);
        }
        self.tell_markup(self.pos, sink);
    }

    /// The reply ends behind a value.
    fn json_end<S: Sink>(&mut self, state: &mut JsonState, window: &Window<'_>, sink: &mut S) -> Next {
        let whole = self.is_whole_reply();
        let end = unclosed_end(self.row(state.row));
        self.json_over(state, end, window, sink);
        if whole {
            self.tell_markup(window.end(), sink);
        }
        Next::Over
    }

    /// Behind a bare value: a control token may follow, anything else makes the reply prose.
    fn bare_after<S: Sink>(&mut self, state: &mut JsonState, next: usize, window: &Window<'_>, sink: &mut S) -> Option<Next> {
        let plan = self.plan.clone();
        if let Match::Marker(index) = plan.find(window, next)?
            && plan.get(index).alone == Alone::Control
            && plan.get(index).rows.is_empty()
        {
            self.close_pending(state, End::Closed, window, sink);
            self.pos = next + plan.get(index).text.len();
            self.tell_markup(self.pos, sink);
            return Some(Next::Stay(Step::Go));
        }
        if matches!(window.get(next), Some(b';' | b',')) {
            if let Some(call) = state.body.call.as_deref_mut() {
                call.mark(RepairKind::OddCharacter, Span::new(next, next + 1));
            }
            self.pos = next + 1;
            return Some(Next::Stay(Step::Go));
        }
        self.fail_candidate(Vec::new(), window, sink);
        Some(Next::Over)
    }

    fn json_fence_end<S: Sink>(&mut self, state: &mut JsonState, next: usize, window: &Window<'_>, sink: &mut S) -> Option<Next> {
        let ticks = ticks(window, next)?;
        self.pos = next + ticks;
        if let Some(fence) = state.fence.take() {
            if let Some(call) = state.body.call.as_deref_mut() {
                call.mark(RepairKind::CodeFence, fence);
            }
            return Some(Next::Stay(Step::Go));
        }
        self.json_over(state, End::Closed, window, sink);
        self.tell_markup(next + ticks, sink);
        Some(Next::Over)
    }

    /// The call that awaited what follows is over.
    fn close_pending<S: Sink>(&mut self, state: &mut JsonState, end: End, window: &Window<'_>, sink: &mut S) {
        let Some(mut call) = state.body.call.take() else { return };
        call.end = end;
        call.listed = state.body.list;
        if end.lacks_closer() && !call.repairs.iter().any(|repair| repair.kind == RepairKind::MissingCloser) {
            call.mark(RepairKind::MissingCloser, Span::new(call.span.end, call.span.end));
        }
        mark_fence(&mut call, state.fence);
        self.tell_call(call, window, sink);
    }
}

/// How a call ends that no closer follows.
fn unclosed_end(format: &crate::format::Format) -> End {
    if format.call.close.is_empty() && format.shape != Shape::Fenced { End::Closed } else { End::Unwrapped }
}

/// A fence that stood around the call.
fn mark_fence(call: &mut Call, fence: Option<Span>) {
    if let Some(fence) = fence {
        call.mark(RepairKind::CodeFence, fence);
    }
}

/// What a call in a weak shape is told as when it is none: an error beside the prose, if it had both a name and an arguments object.
fn shown_fault(call: &Call) -> Option<Fault> {
    let object = matches!(call.arguments, ArgumentsState::Open | ArgumentsState::Closed);
    let kind = call.fault.filter(|kind| object && matches!(kind, FaultKind::UnknownTool | FaultKind::Limit(_)))?;
    Some(Fault { kind, name: Some(call.name.clone()), span: call.span, shown: true })
}

/// The reply broke off inside the call. `closed`: its arguments were closed before.
fn end_cut(call: &mut Call, closed: bool, end: usize) {
    call.span.end = end;
    if closed && call.fault.is_none() {
        call.end = End::Unwrapped;
        if !call.repairs.iter().any(|repair| repair.kind == RepairKind::MissingCloser) {
            call.mark(RepairKind::MissingCloser, Span::new(end, end));
        }
        return;
    }
    call.end = End::Cut;
    cut_fault(call);
}

/// A cut call of which neither a name nor any argument was read is an error of its own kind.
pub(super) fn cut_fault(call: &mut Call) {
    let nameless = matches!(call.fault, Some(FaultKind::Unreadable(Unreadable::NoName)));
    let value_lost = call.repairs.iter().any(|repair| repair.kind == RepairKind::DroppedPartialLiteral);
    let empty = call.fault.is_none() && call.tape.len() <= 2 && !value_lost;
    let text = call.fault == Some(FaultKind::BadArguments) && matches!(call.arguments, ArgumentsState::Text(_));
    if nameless || empty || text {
        call.fault = Some(FaultKind::Cut);
    }
}

/// Whether a comma and a key follow: the object before them was closed too early, or what follows is somebody's text.
pub(super) fn member_follows(window: &Window<'_>, at: usize) -> Option<bool> {
    if window.get(at) != Some(b',') {
        return Some(false);
    }
    let key = window.after_blanks(at + 1)?;
    Some(matches!(window.get(key), Some(b'"' | b'\'')))
}

/// Where the closer of a call stands, if nothing but a few characters are before it.
pub(super) fn closer_near(window: &Window<'_>, at: usize, closers: &[&str]) -> Option<Option<usize>> {
    if closers.is_empty() || window.get(at).is_some_and(is_blank) {
        return Some(None);
    }
    for scan in at..at + MAX_ODD {
        if window.starts_with_any(scan, closers)?.is_some() {
            return Some(Some(scan));
        }
        match window.get(scan) {
            None => return if window.last { Some(None) } else { None },
            Some(b'<') => return Some(None),
            Some(_) => {}
        }
    }
    Some(None)
}

/// The mark for what stands between a value and the closer of its call; words there are no accident.
pub(super) fn odd_before_closer(window: &Window<'_>, start: usize, end: usize) -> Repair {
    let text = window.slice(start, end);
    let safe = text.iter().all(|byte| is_blank(*byte) || byte.is_ascii_punctuation()) || text.trim_ascii() == LINE_FEED;
    Repair { kind: RepairKind::OddCharacter, span: Span::new(start, end), safe }
}

/// Where another value begins: at once, or behind a separator.
fn another_value(window: &Window<'_>, at: usize) -> Option<Option<usize>> {
    let start = match window.get(at) {
        Some(b'{') => at,
        Some(b',' | b';') => window.after_blanks(at + 1)?,
        _ => return Some(None),
    };
    if window.get(start) != Some(b'{') {
        return Some(None);
    }
    let inside = window.after_blanks(start + 1)?;
    Some(matches!(window.get(inside), Some(b'"' | b'\'')).then_some(start))
}
