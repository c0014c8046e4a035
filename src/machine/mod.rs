//! The machine: reads a reply piece by piece and tells a [`Sink`] what it sees.
//!
//! One entry, [`Machine::feed`]; a whole reply is one last piece. Every step looks at the bytes at hand from one position on and either
//! settles some of them or says that it needs more. What is settled is told at once and never taken back, except while a candidate is
//! open: what its markers cannot vouch for (a fence, a bare reply, a call inside a fence) waits until it is certain, and is prose if it
//! never is.
//!
//! The machine knows rows and tools. It knows no family, no policy and no Python.

mod attributes;
mod body;
mod candidate;
mod heads;
mod json;
mod messages;
mod named;
mod pairs;
mod prose;
mod python;
mod section;
mod tag_keys;
mod text;
mod think;
mod tree;

use crate::call::Call;
use crate::format::{Format, Shape, Space};
use crate::limits::Limits;
use crate::plan::Plan;
use crate::repair::{FaultKind, RepairKind};
use crate::span::Span;
use crate::tools::Tools;
use crate::value::Ending;
use crate::window::{Window, is_blank};
use candidate::{Candidate, Held};
use std::sync::Arc;

/// Bytes of a key, an id or a label where markup ends it.
const MAX_KEY: usize = 256;

/// An opener without a call is remembered this long: its closer makes it an error.
const MAX_MENTION: usize = 4096;

/// So many steps in a row may change the state and move nothing; more of them would go on for ever.
const MAX_IDLE: usize = 16;

/// Who receives what the machine sees, in the order of the text.
pub trait Sink {
    /// Prose, byte for byte.
    fn prose(&mut self, text: &[u8], span: Span);
    /// Prose that was written as the text of a message object; `span` is where.
    fn message(&mut self, text: &[u8], span: Span);
    /// Reasoning; `trim`: white space at the edges of its block is layout.
    fn reasoning(&mut self, text: &[u8], span: Span, trim: bool);
    /// The reasoning block is over.
    fn reasoning_ends(&mut self, trim: bool);
    /// Markup.
    fn markup(&mut self, span: Span);
    /// A call or section begins behind the prose so far.
    fn border(&mut self, space: Space);
    /// The call that is open, once it is certain: its arguments have grown.
    fn progress(&mut self, call: &mut Call);
    /// A call was too large, and will be told as a fault; a stream may have told its beginning.
    fn outgrown(&mut self, _call: &mut Call) {}
    /// A call is over.
    fn call(&mut self, call: Box<Call>, raw: &[u8]);
    /// The list that the last calls stood in is over, or will never be.
    fn list_end(&mut self, closed: bool);
    /// Something wanted to be a call and is not one. `shown`: its text stays prose.
    fn fault(&mut self, fault: Fault, raw: &[u8]);
}

/// Something that wanted to be a call and is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Why.
    pub kind: FaultKind,
    /// The name as written.
    pub name: Option<Vec<u8>>,
    /// Where.
    pub span: Span,
    /// True when the text is prose as well.
    pub shown: bool,
}

impl Fault {
    /// One that names no tool, and whose text is no prose.
    fn nameless(kind: FaultKind, span: Span) -> Fault {
        Fault { kind, name: None, span, shown: false }
    }
}

/// What the machine is in the middle of.
#[derive(Debug, Clone)]
enum State {
    /// Prose.
    Prose,
    /// A reasoning block.
    Think(think::ThinkState),
    /// Between the calls of a section.
    Section(section::SectionState),
    /// A JSON body.
    Json(Box<json::JsonState>),
    /// Call expressions.
    Python(Box<python::PythonState>),
    /// Behind call expressions that may be written once more.
    Echo(Vec<u8>),
    /// The object of a named call.
    Object(Box<named::ObjectState>),
    /// The arguments of a named call, in tags.
    Pairs(Box<pairs::PairsState>),
    /// The arguments of a named call, as elements.
    Tree(Box<tree::TreeState>),
    /// The arguments of a named call, as a line of text.
    Line(Box<text::LineState>),
    /// Behind the arguments of a named call.
    AfterArguments(Box<named::AfterState>),
    /// Inside something unreadable, up to a marker of the row.
    Skip(named::SkipState),
    /// The body of a message.
    Message(messages::MessageState),
}

/// What one step came to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Step {
    /// Something was settled; go on.
    Go,
    /// More text is needed.
    More,
}

/// A reader of replies.
#[derive(Debug, Clone)]
pub struct Machine {
    plan: Arc<Plan>,
    tools: Arc<Tools>,
    limits: Limits,
    /// Everything before was told.
    told: usize,
    /// Everything before was read.
    pos: usize,
    state: State,
    /// Where in its line `told` is, for what counts only at the start of one.
    line: prose::Line,
    /// True until prose, a call or markup that is no boundary was seen.
    boundary: bool,
    /// Calls that were told.
    calls: usize,
    /// True once an error or a token has left the prose: closers that stand alone may belong to it.
    stripped: bool,
    /// True once an opener was text: closers that stand alone may belong to that, and be text as well.
    opened_in_text: bool,
    /// True once a marked call was seen: weak shapes do not count any more.
    marked: bool,
    /// The fence that is open.
    fence: Option<prose::Fence>,
    /// Where a marker in back-ticks stands, until they close or the line ends.
    quoted: Option<usize>,
    /// True when the section that calls stand in was opened, and not only taken for one because a call stands there.
    in_section: bool,
    /// An opener that was taken for a mention.
    mention: Option<(usize, usize)>,
    /// Where a call ended a reasoning block that never closed: nobody knows whether it was a draft.
    in_open_think: Option<usize>,
    /// Reasoning blocks by name of which no closer stands in the rest of the reply, all of which is here.
    never_closed: Vec<&'static str>,
    candidate: Option<Candidate>,
    held: Vec<Held>,
    /// True when a call without a fault is among what is held.
    holds_call: bool,
    /// One past the last error that a candidate which failed has left.
    refused: usize,
    /// How much was read again after a candidate failed.
    reread: usize,
    /// Where a candidate may not start again.
    barred: usize,
    /// The same for JSON at the start of a line.
    line_barred: usize,
    ending: Ending,
    last: bool,
}

impl Machine {
    /// A machine at the start of a reply.
    #[must_use]
    pub fn new(plan: Arc<Plan>, tools: Arc<Tools>, limits: Limits) -> Machine {
        Machine {
            plan,
            tools,
            limits,
            told: 0,
            pos: 0,
            state: State::Prose,
            line: prose::Line::START,
            boundary: true,
            calls: 0,
            stripped: false,
            opened_in_text: false,
            marked: false,
            fence: None,
            quoted: None,
            in_section: false,
            mention: None,
            in_open_think: None,
            never_closed: Vec::new(),
            candidate: None,
            held: Vec::new(),
            holds_call: false,
            refused: 0,
            reread: 0,
            barred: 0,
            line_barred: 0,
            ending: Ending::Unknown,
            last: false,
        }
    }

    /// Starts inside the reasoning block that the prompt opened, if it did.
    pub fn continue_prompt(&mut self, prompt: &[u8]) {
        if let Some(think) = think::opened_by(&self.plan, prompt) {
            self.state = State::Think(think::ThinkState::new(think, 0));
        }
    }

    /// Says what is known about the end of the reply; before the last piece.
    pub fn set_ending(&mut self, ending: Ending) {
        self.ending = ending;
    }

    /// Reads what is at hand. Returns the position from which the text must be kept.
    pub fn feed<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> usize {
        self.last = window.last;
        let mut idle = 0;
        let mut before = (self.pos, self.told);
        while self.step(window, sink) == Step::Go {
            let now = (self.pos, self.told);
            idle = if now == before { idle + 1 } else { 0 };
            before = now;
            if idle == MAX_IDLE {
                debug_assert!(false, "no progress at {now:?}");
                self.give_up(window, sink);
            }
        }
        self.progress(sink);
        self.keep_from()
    }

    /// Text that no state takes is prose. A fault of ours must not keep a server busy for ever.
    #[cold]
    fn give_up<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) {
        self.candidate = None;
        self.held.clear();
        self.holds_call = false;
        self.state = State::Prose;
        self.tell_prose(window, window.end().max(self.told), sink);
    }

    /// Where the call that is open started.
    #[must_use]
    pub fn call_start(&self) -> Option<usize> {
        match &self.state {
            State::Json(state) => state.body.call.as_deref().map(|call| call.span.start),
            State::Python(state) => state.call.as_deref().map(|call| call.span.start),
            State::Object(state) => Some(state.call.span.start),
            State::Pairs(state) => Some(state.call.span.start),
            State::Tree(state) => Some(state.call.span.start),
            State::Line(state) => Some(state.call.span.start),
            State::AfterArguments(state) => Some(state.call.span.start),
            _ => None,
        }
    }

    /// True when everything before `end` was told, text that is not blank among it, and what follows is prose for as long as prose finds
    /// nothing to look at.
    #[must_use]
    pub fn is_in_prose(&self, end: usize) -> bool {
        matches!(self.state, State::Prose) && self.told == end && !self.boundary && self.candidate.is_none()
    }

    /// The first byte that is still needed.
    fn keep_from(&self) -> usize {
        let candidate = self.candidate.as_ref().map_or(self.pos, |candidate| candidate.start);
        let mention = self.mention.map_or(self.pos, |(_, start)| if self.pos - start > MAX_MENTION { self.pos } else { start });
        // What is around a call that is not certain, or beside calls, may still become an error, or prose.
        let is_untold = match &self.state {
            State::Prose | State::Think(_) | State::Section(_) | State::Message(_) => true,
            State::Json(state) => !state.body.call.as_deref().is_some_and(|call| call.is_certain() || call.tape.passed().is_some()),
            _ => false,
        };
        let untold = if is_untold { self.told } else { self.pos };
        // Calls beyond the limit become errors, which quote them.
        let refused = if self.calls >= self.limits.calls { self.call_start().unwrap_or(self.pos) } else { self.pos };
        self.pos.min(refused).min(untold).min(candidate).min(mention).min(self.state.keep_from(self.pos).unwrap_or(self.pos))
    }

    fn step<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        match &self.state {
            State::Prose => self.prose(window, sink),
            State::Think(_) => self.think(window, sink),
            State::Section(state) => self.section(*state, window, sink),
            State::Json(_) => self.json(window, sink),
            State::Python(_) => self.python(window, sink),
            State::Echo(_) => self.echo(window, sink),
            State::Object(_) => self.object(window, sink),
            State::Pairs(_) => self.pairs(window, sink),
            State::Tree(_) => self.tree(window, sink),
            State::Line(_) => self.line(window, sink),
            State::AfterArguments(_) => self.after_arguments(window, sink),
            State::Skip(_) => self.skip(window, sink),
            State::Message(_) => self.message(window, sink),
        }
    }

    /// Hands out the call that is open as far as it is certain.
    fn progress<S: Sink>(&mut self, sink: &mut S) {
        if self.candidate.is_none()
            && let Some(call) = self.state.open_call()
            && call.is_certain()
            // What was left out of one that is too large is no part of its arguments.
            && call.tape.passed().is_none()
        {
            sink.progress(call);
        }
    }

    /// What a head may name.
    fn names(&self) -> heads::Names<'_> {
        heads::Names { tools: &self.tools, longest: self.limits.name, guess: self.plan.auto }
    }

    fn row(&self, row: usize) -> &'static Format {
        self.plan.rows[row]
    }

    /// Everything before `end` was told.
    fn told(&mut self, end: usize, line: prose::Line) {
        self.told = end;
        self.pos = self.pos.max(end);
        self.line = line;
    }

    fn tell_prose<S: Sink>(&mut self, window: &Window<'_>, end: usize, sink: &mut S) {
        if end > self.told {
            let text = window.slice(self.told, end);
            if self.boundary && !text.iter().all(|byte| is_blank(*byte)) {
                self.boundary = false;
            }
            if let Some(quoted) = self.quoted.filter(|at| *at < end)
                && memchr::memchr(b'\n', window.slice(quoted.max(self.told), end)).is_some()
            {
                self.quoted = None;
            }
            sink.prose(text, Span::new(self.told, end));
            self.told(end, self.line.after(text));
        }
    }

    fn tell_markup<S: Sink>(&mut self, end: usize, sink: &mut S) {
        if end > self.told {
            let span = Span::new(self.told, end);
            if self.candidate.is_some() {
                self.held.push(Held::Markup(span));
            } else {
                sink.markup(span);
            }
            self.told(end, prose::Line::MIDDLE);
        }
    }

    /// Hands out a call that is over, or says why it is none. What stands before it is markup.
    fn tell_call<S: Sink>(&mut self, mut call: Box<Call>, window: &Window<'_>, sink: &mut S) {
        let end = call.span.end;
        call.check_limits();
        if let Some(at) = self.in_open_think {
            call.mark(RepairKind::ProvisionalEnd, Span::new(at, at));
        }
        self.tell_markup(call.span.start, sink);
        if self.candidate.is_some() {
            self.holds_call |= self.may_hold(&call);
            self.held.push(Held::Call(call));
        } else {
            self.marked |= call.shape == Shape::Tagged;
            self.calls += 1;
            hand_out(call, window, sink);
        }
        self.told(end.max(self.told), prose::Line::MIDDLE);
    }

    /// Hands out the text of a message. What stands before it is markup.
    fn tell_message<S: Sink>(&mut self, text: Vec<u8>, span: Span, sink: &mut S) {
        self.tell_markup(span.start, sink);
        if self.candidate.is_some() {
            self.held.push(Held::Message(text, span));
        } else {
            sink.message(&text, span);
        }
        self.told(span.end, prose::Line::MIDDLE);
    }

    fn tell_fault<S: Sink>(&mut self, fault: Fault, window: &Window<'_>, sink: &mut S) {
        let end = fault.span.end;
        if !fault.shown {
            self.tell_markup(fault.span.start, sink);
        }
        if self.candidate.is_some() {
            self.held.push(Held::Fault(fault));
        } else {
            self.stripped |= !fault.shown;
            tell(fault, window, sink);
        }
        self.told(end.max(self.told), prose::Line::MIDDLE);
    }

    /// What follows stands as at the start of a reply, and of a line.
    fn at_border(&mut self) {
        self.boundary = true;
        self.line = prose::Line::START;
    }

    /// Back to prose.
    fn leave(&mut self) {
        self.state = State::Prose;
    }
}

/// A call that has a fault is an error.
fn hand_out<S: Sink>(mut call: Box<Call>, window: &Window<'_>, sink: &mut S) {
    let Some(kind) = call.fault else {
        let raw = window.slice(call.span.start, call.span.end);
        return sink.call(call, raw);
    };
    if call.may_be_told() {
        sink.outgrown(&mut call);
    }
    let name = (!call.name.is_empty()).then(|| std::mem::take(&mut call.name));
    tell(Fault { kind, name, span: call.span, shown: false }, window, sink);
}

fn tell<S: Sink>(fault: Fault, window: &Window<'_>, sink: &mut S) {
    // The text of what was too large was let go.
    let is_kept = !matches!(fault.kind, FaultKind::Limit(limit) if limit.is_size());
    let raw = if is_kept { window.slice(fault.span.start, fault.span.end) } else { &[] };
    sink.fault(fault, raw);
}

impl State {
    /// The call that is open.
    fn open_call(&mut self) -> Option<&mut Call> {
        match self {
            State::Json(state) => state.body.call.as_deref_mut(),
            State::Python(state) => state.call.as_deref_mut(),
            State::Object(state) => Some(&mut state.call),
            State::Pairs(state) => Some(&mut state.call),
            State::Tree(state) => Some(&mut state.call),
            State::Line(state) => Some(&mut state.call),
            State::AfterArguments(state) => Some(&mut state.call),
            _ => None,
        }
    }

    /// Where the text must be kept from: an open call whose text an error may have to quote, or a place to read again from.
    fn keep_from(&self, pos: usize) -> Option<usize> {
        let of_call = |call: &Call| call.may_be_quoted().then_some(call.span.start);
        match self {
            State::Think(state) => state.bookmark(),
            State::Json(state) => Some(state.keep_from()),
            State::Python(state) => Some(state.keep_from(pos)),
            State::Object(state) => of_call(&state.call),
            State::Pairs(state) => state.provisional().into_iter().chain(of_call(&state.call)).min(),
            State::Tree(state) => of_call(&state.call),
            State::Line(state) => Some(state.call.span.start),
            State::AfterArguments(state) => of_call(&state.call),
            State::Skip(state) => Some(state.start()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
