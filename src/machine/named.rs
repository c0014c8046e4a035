//! Named calls: heads, objects, and what closes them.

use super::body::settle;
use super::candidate::Certain;
use super::heads::{HeadText, after_fence, has_fence, ticks};
use super::json::{closer_near, cut_fault, member_follows, odd_before_closer};
use super::section::SectionState;
use super::{Fault, Machine, Sink, State, Step, pairs, text, tree};
use crate::call::{Arguments, ArgumentsState, Call, End, Known, Plain};
use crate::format::{Args, Body, Dialect, Place};
use crate::limits::Limits;
use crate::repair::{FaultKind, RepairKind};
use crate::span::Span;
use crate::tape::Node;
use crate::value::{Bounds, Container, Ending, Progress, Reader, Values, key_stands_at};
use crate::window::Window;

/// The object of a named call while it is read.
#[derive(Debug, Clone)]
pub(super) struct ObjectState {
    pub row: usize,
    pub call: Box<Call>,
    reader: Reader,
    /// What it is instead, when it turned out to be no object.
    other: Option<Box<Plain>>,
    begun: bool,
    fenced: bool,
}

/// Behind the arguments of a named call.
#[derive(Debug, Clone)]
pub(super) struct AfterState {
    pub row: usize,
    pub call: Box<Call>,
    fenced: bool,
    /// True when the arguments were open where their fence closes.
    broken: bool,
}

/// Inside something unreadable.
#[derive(Debug, Clone)]
pub(super) struct SkipState {
    row: usize,
    start: usize,
    fault: Option<FaultKind>,
    name: Option<Vec<u8>>,
}

impl AfterState {
    pub(super) fn new(row: usize, call: Box<Call>) -> AfterState {
        AfterState { row, call, fenced: false, broken: false }
    }
}

impl SkipState {
    pub(super) fn start(&self) -> usize {
        if self.fault.is_some() { self.start } else { usize::MAX }
    }
}

impl Machine {
    pub(super) fn cut_head<S: Sink>(&mut self, start: usize, window: &Window<'_>, sink: &mut S) {
        if self.candidate.is_some() {
            self.fail_candidate(Vec::new(), window, sink);
            return;
        }
        let span = Span::new(start, window.end());
        self.tell_fault(Fault::nameless(FaultKind::Cut, span), window, sink);
        self.leave();
    }

    /// A named call whose opener stands at `start`.
    pub(super) fn begin_named<S: Sink>(
        &mut self,
        row: usize,
        start: usize,
        head: &HeadText<'_>,
        loose: bool,
        window: &Window<'_>,
        sink: &mut S,
    ) {
        let format = self.row(row);
        self.boundary = false;
        let Body::Named(_, args) = format.body else { return };
        let mut call = Box::new(Call::new(format, start, &self.limits));
        call.native_id = head.native_id.map(<[u8]>::to_vec);
        if !head.name.is_empty() {
            call.set_name(head.name, &self.tools);
        }
        if loose {
            call.mark(RepairKind::MissingOpener, Span::new(start, start));
        }
        if head.is_misquoted {
            call.mark(RepairKind::MissingQuote, Span::new(start, head.end));
        }
        self.pos = head.end;
        if self.candidate.is_some() && call.known == Known::Unknown {
            self.fail_candidate(Vec::new(), window, sink);
            return;
        }
        if head.empty {
            call.no_arguments();
            call.span.end = head.end;
            self.end_named(row, call, End::Closed, window, sink);
            return;
        }
        self.begin_arguments(row, &args, call, head);
    }

    fn begin_arguments(&mut self, row: usize, args: &Args, call: Box<Call>, head: &HeadText<'_>) {
        self.state = match args {
            Args::Object { dialect, .. } => State::Object(Box::new(ObjectState {
                row,
                call,
                reader: Reader::new(*dialect, &self.limits),
                other: None,
                begun: false,
                fenced: false,
            })),
            Args::Pairs(_) => State::Pairs(Box::new(pairs::PairsState::new(row, call))),
            Args::Tree(_) => State::Tree(Box::new(tree::TreeState::new(row, call))),
            Args::Text { .. } => State::Line(Box::new(text::LineState::new(row, call, head))),
        };
    }

    pub(super) fn object<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Object(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let step = if state.begun { self.object_value(&mut state, window) } else { self.object_begins(&mut state, window) };
        match step {
            ObjectStep::Stay(step) => {
                self.candidate_commits(&state.call, window, sink);
                self.state = State::Object(state);
                step
            }
            ObjectStep::Closed | ObjectStep::Broken => {
                self.candidate_commits(&state.call, window, sink);
                let broken = matches!(step, ObjectStep::Broken);
                let ObjectState { row, call, fenced, .. } = *state;
                self.state = State::AfterArguments(Box::new(AfterState { row, call, fenced, broken }));
                Step::Go
            }
            ObjectStep::Cut => {
                self.cut_named(state.row, state.call, window, sink);
                Step::Go
            }
            ObjectStep::Failed { fault, certain } => {
                if certain {
                    self.candidate_commits(&state.call, window, sink);
                }
                let name = (!state.call.name.is_empty()).then(|| state.call.name.clone());
                if state.call.is_certain() && self.candidate.is_none() {
                    let mut call = state.call;
                    call.span.end = self.pos;
                    call.end = End::Cut;
                    self.tell_call(call, window, sink);
                    self.skip_from(state.row, self.pos, None, None);
                } else if self.candidate.is_some() {
                    self.fail_candidate(Vec::new(), window, sink);
                } else {
                    self.skip_from(state.row, state.call.span.start, Some(state.call.fault_or(fault)), name);
                }
                Step::Go
            }
        }
    }

    /// A candidate in a fence counts with its first certain call.
    pub(super) fn candidate_commits<S: Sink>(&mut self, call: &Call, window: &Window<'_>, sink: &mut S) {
        let first = self.candidate.as_ref().is_some_and(|candidate| candidate.certain == Certain::FirstCall);
        if first && call.vouches() {
            sink.border(call.space);
            self.commit(window, sink);
        }
    }

    fn object_begins(&mut self, state: &mut ObjectState, window: &Window<'_>) -> ObjectStep {
        match self.object_begins_step(state, window) {
            None => ObjectStep::Stay(Step::More),
            Some(step) => step,
        }
    }

    fn object_begins_step(&mut self, state: &mut ObjectState, window: &Window<'_>) -> Option<ObjectStep> {
        let format = self.row(state.row);
        let next = window.after_blanks(self.pos)?;
        let Some(byte) = window.get(next) else { return if window.last { Some(ObjectStep::Cut) } else { None } };
        if byte == b'`' && !state.fenced && window.starts_with(next, b"```")? {
            self.pos = after_fence(window, next)?;
            state.fenced = true;
            let Body::Named(_, args) = format.body else { return Some(ObjectStep::Stay(Step::Go)) };
            if !has_fence(&args) {
                state.call.mark(RepairKind::CodeFence, Span::new(next, self.pos));
            }
            return Some(ObjectStep::Stay(Step::Go));
        }
        if !state.fenced && window.ends_within(next, &["```json"]) {
            return Some(ObjectStep::Cut);
        }
        let stops = &self.plan.stops[state.row];
        if window.starts_with_any(next, stops)?.is_some() {
            state.call.span.end = self.pos;
            state.call.no_arguments();
            state.call.mark(RepairKind::NullArguments, Span::new(next, next));
            return Some(ObjectStep::Closed);
        }
        let key = key_stands_at(window, next)?;
        state.begun = true;
        if key {
            self.open_object(state, next);
        } else if byte != b'{' && byte != 0xEF && byte != b'\\' {
            state.other = Some(Box::new(Plain::within(&self.limits)));
        }
        Some(ObjectStep::Stay(Step::Go))
    }

    /// Opens the object of arguments whose brace is missing before the first key, at `at`.
    fn open_object(&self, state: &mut ObjectState, at: usize) {
        let dialect = match self.row(state.row).body {
            Body::Named(_, Args::Object { dialect, .. }) => dialect,
            _ => Dialect::JSON,
        };
        state.reader = Reader::inside_object(dialect, &self.limits);
        Arguments { call: &mut state.call, tools: &self.tools }.open(Container::Object, at);
        state.call.mark(RepairKind::OpenedObject, Span::new(at, at));
    }

    fn object_value(&mut self, state: &mut ObjectState, window: &Window<'_>) -> ObjectStep {
        if let Some(plain) = state.other.take() {
            let plan = self.plan.clone();
            let bounds = Bounds { stops: &plan.stops[state.row], outer: None, siblings: &[] };
            return self.other_value(state, plain, window, bounds);
        }
        let bounds = Bounds { stops: &self.plan.stops[state.row], outer: None, siblings: &[] };
        let mut arguments = Arguments { call: &mut state.call, tools: &self.tools };
        match state.reader.read(window, &mut self.pos, bounds, &mut arguments) {
            Progress::More if window.last => {
                state.reader.finish(window, window.end(), self.ending, &mut arguments);
                self.pos = window.end();
                ObjectStep::Cut
            }
            Progress::More => ObjectStep::Stay(Step::More),
            Progress::Done => {
                state.call.span.end = self.pos;
                ObjectStep::Closed
            }
            Progress::Stopped => {
                // The row writes a fence around a whole object: one that is open where that closes was broken off.
                let broken = state.fenced && window.get(self.pos) == Some(b'`');
                let ending = if broken { Ending::Unknown } else { Ending::Finished };
                state.reader.finish(window, self.pos, ending, &mut arguments);
                state.call.span.end = self.pos;
                if broken { ObjectStep::Broken } else { ObjectStep::Closed }
            }
            Progress::Failed(why) => {
                // An object that is closed here counts as one, but vouches for no candidate.
                let certain = arguments.call.is_certain();
                state.reader.finish(window, self.pos, Ending::Unknown, &mut arguments);
                ObjectStep::Failed { fault: FaultKind::Unreadable(why), certain }
            }
        }
    }

    /// A value that is no object, to say what it is.
    fn other_value(&mut self, state: &mut ObjectState, mut plain: Box<Plain>, window: &Window<'_>, bounds: Bounds<'_>) -> ObjectStep {
        let progress = state.reader.read(window, &mut self.pos, bounds, &mut *plain);
        match progress {
            Progress::More if !window.last => {
                state.other = Some(plain);
                return ObjectStep::Stay(Step::More);
            }
            Progress::More => self.pos = window.end(),
            Progress::Failed(why) => return ObjectStep::Failed { fault: FaultKind::Unreadable(why), certain: false },
            Progress::Done | Progress::Stopped => {}
        }
        if progress != Progress::Done {
            state.reader.finish(window, self.pos, Ending::Unknown, &mut *plain);
        }
        let pos = self.pos;
        state.call.span.end = self.pos;
        if plain.tape.passed().is_some() {
            state.call.tape.fill();
        }
        state.call.arguments = match plain.tape.nodes().first() {
            Some(Node::Str(slice)) => ArgumentsState::Text(plain.tape.text(*slice).to_vec()),
            Some(Node::Null) => {
                state.call.no_arguments();
                state.call.mark(RepairKind::NullArguments, Span::new(pos, pos));
                ArgumentsState::Closed
            }
            _ => ArgumentsState::Other,
        };
        if matches!(state.call.arguments, ArgumentsState::Text(_)) {
            state.call.mark(RepairKind::StringArguments, Span::new(pos, pos));
        }
        // Nothing can go on behind a whole literal.
        let is_whole = matches!(plain.tape.nodes().first(), Some(Node::Null));
        if progress == Progress::More && !is_whole { ObjectStep::Cut } else { ObjectStep::Closed }
    }

    /// The reply broke off inside the arguments.
    pub(super) fn cut_named<S: Sink>(&mut self, row: usize, mut call: Box<Call>, window: &Window<'_>, sink: &mut S) {
        call.end = End::Cut;
        call.span.end = window.end();
        self.pos = window.end();
        if matches!(&call.arguments, ArgumentsState::Text(text) if text.is_empty()) {
            call.fault = Some(FaultKind::Cut);
        }
        settle(&mut call, &self.tools, &self.limits);
        self.infer_name(&mut call);
        let format = self.row(row);
        // Where nothing closes arguments in tags, a head is a call, whatever else may have come.
        if !(matches!(format.body, Body::Named(_, Args::Pairs(_))) && format.call.close.is_empty()) {
            cut_fault(&mut call);
        }
        self.finish_named(row, call, window, sink);
        self.leave();
    }

    /// Behind the arguments: the call's closer, or something else.
    pub(super) fn after_arguments<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::AfterArguments(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        match self.after_step(&mut state, window) {
            None => {
                self.state = State::AfterArguments(state);
                Step::More
            }
            Some(After::Again) => {
                self.state = State::AfterArguments(state);
                Step::Go
            }
            Some(After::Over(end)) => {
                let AfterState { row, call, broken, .. } = *state;
                self.end_named(row, call, if broken { End::Cut } else { end }, window, sink);
                Step::Go
            }
        }
    }

    fn after_step(&mut self, state: &mut AfterState, window: &Window<'_>) -> Option<After> {
        let format = self.row(state.row);
        let stated = matches!(format.body, Body::Messages(_));
        let closers = self.closers(state.row);
        let next = window.after_blanks(self.pos)?;
        let Some(byte) = window.get(next) else {
            // A format without a closer is over with its object; harmony's stop token is not shown by every server.
            return if window.last {
                Some(After::Over(if closers.is_empty() || stated { End::Closed } else { End::Unwrapped }))
            } else {
                None
            };
        };
        if state.fenced && byte == b'`' && window.starts_with(next, b"```")? {
            self.pos = next + ticks(window, next)?;
            state.fenced = false;
            state.call.span.end = self.pos;
            return Some(After::Again);
        }
        if let Some(length) = window.starts_with_any(next, closers)? {
            self.pos = next + length;
            state.call.span.end = self.pos;
            return Some(After::Over(End::Closed));
        }
        if matches!(byte, b'}' | b']') {
            state.call.mark(RepairKind::ExtraCloser, Span::new(next, next + 1));
            self.pos = next + 1;
            state.call.span.end = self.pos;
            return Some(After::Again);
        }
        if window.ends_within(next, closers) {
            self.pos = window.end();
            return Some(After::Over(End::Unwrapped));
        }
        if member_follows(window, next)? {
            state.call.mark(RepairKind::AmbiguousCloser, Span::new(next, next));
        } else if let Some(at) = closer_near(window, next, closers)? {
            state.call.repair(odd_before_closer(window, next, at));
            self.pos = at;
            return Some(After::Again);
        }
        Some(After::Over(if closers.is_empty() { End::Closed } else { End::Followed }))
    }

    fn closers(&self, row: usize) -> &'static [&'static str] {
        match self.row(row).body {
            Body::Messages(messages) => messages.end,
            _ => self.row(row).call.close,
        }
    }

    /// The call is over.
    pub(super) fn end_named<S: Sink>(&mut self, row: usize, mut call: Box<Call>, end: End, window: &Window<'_>, sink: &mut S) {
        call.end = end;
        let at = call.span.end;
        if end.lacks_closer() && !call.repairs.iter().any(|repair| repair.kind == RepairKind::ProvisionalEnd) {
            call.mark(RepairKind::MissingCloser, Span::new(at, at));
        }
        settle(&mut call, &self.tools, &self.limits);
        self.infer_name(&mut call);
        let section = !self.row(row).section.open.is_empty();
        let pos = self.pos;
        if !self.finish_named(row, call, window, sink) {
            return;
        }
        self.tell_markup(pos, sink);
        // The next call of such a form starts where this one ends.
        if self.row(row).place == Place::LineStart {
            self.at_border();
        }
        self.state = if section { State::Section(SectionState::behind_call(row)) } else { State::Prose };
    }

    /// False: the call was a candidate, and is prose.
    fn finish_named<S: Sink>(&mut self, row: usize, call: Box<Call>, window: &Window<'_>, sink: &mut S) -> bool {
        if self.candidate.is_some() {
            if !self.may_hold(&call) {
                self.fail_candidate(Vec::new(), window, sink);
                return false;
            }
            self.candidate_commits(&call, window, sink);
        }
        sink.border(self.row(row).space);
        self.tell_call(call, window, sink);
        true
    }

    /// A call without a name is the only tool that has all its arguments.
    fn infer_name(&self, call: &mut Call) {
        if call.known != Known::Unread || !matches!(call.arguments, ArgumentsState::Closed) {
            return;
        }
        if call.take_name(&self.tools) {
            return;
        }
        let Some(tool) = self.tools.covering(call.argument_keys()) else { return };
        let name = self.tools.name(tool).to_owned();
        call.set_name(name.as_bytes(), &self.tools);
        call.fault = None;
        call.retype(&self.tools);
        call.mark(RepairKind::InferredName, Span::new(call.span.start, call.span.start));
    }

    /// From `start` on nothing can be read, up to a marker of the row.
    pub(super) fn skip_from(&mut self, row: usize, start: usize, fault: Option<FaultKind>, name: Option<Vec<u8>>) {
        self.state = State::Skip(SkipState { row, start, fault, name });
    }

    pub(super) fn skip<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Skip(state) = self.state.clone() else { return Step::Go };
        let plan = self.plan.clone();
        let stops = &plan.stops[state.row];
        loop {
            let rest = window.from(self.pos);
            let Some(index) = rest.iter().position(|byte| stops.iter().any(|stop| stop.first() == Some(byte))) else {
                self.pos = window.end();
                if !window.last {
                    return Step::More;
                }
                self.skip_over(&state, window.end(), window, sink);
                return Step::Go;
            };
            self.pos += index;
            match window.starts_with_any(self.pos, stops) {
                None => return Step::More,
                Some(Some(length)) => {
                    let format = self.row(state.row);
                    let text = window.slice(self.pos, self.pos + length);
                    let closes = self.closers(state.row).iter().chain(format.call.close).any(|close| close.as_bytes() == text);
                    let end = if closes { self.pos + length } else { self.pos };
                    self.skip_over(&state, end, window, sink);
                    return Step::Go;
                }
                Some(None) => self.pos += 1,
            }
        }
    }

    fn skip_over<S: Sink>(&mut self, state: &SkipState, end: usize, window: &Window<'_>, sink: &mut S) {
        let section = !self.row(state.row).section.open.is_empty();
        match state.fault {
            Some(kind) => {
                let fault = Fault { kind, name: state.name.clone(), span: Span::new(state.start, end), shown: false };
                self.tell_fault(fault, window, sink);
            }
            None => self.tell_markup(end, sink),
        }
        self.state = if section { State::Section(SectionState::behind_call(state.row)) } else { State::Prose };
    }
}

enum ObjectStep {
    Stay(Step),
    Closed,
    Broken,
    Cut,
    Failed { fault: FaultKind, certain: bool },
}

enum After {
    Again,
    Over(End),
}

impl ObjectState {
    /// The object that stands where arguments in tags were expected.
    pub(super) fn of_pairs(row: usize, call: Box<Call>, limits: &Limits) -> ObjectState {
        ObjectState::of_message(row, call, limits)
    }

    /// The object of a call whose head a message was.
    pub(super) fn of_message(row: usize, call: Box<Call>, limits: &Limits) -> ObjectState {
        ObjectState { row, call, reader: Reader::new(Dialect::JSON, limits), other: None, begun: false, fenced: false }
    }
}
