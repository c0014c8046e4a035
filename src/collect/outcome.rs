//! [`Collector`]: text, reasoning, calls, errors and segments, and on demand the events of a stream.

use crate::call::{Call, End};
use crate::format::Space;
use crate::limits::{Limit, Limits};
use crate::machine::{Fault, Sink};
use crate::repair::{FaultKind, Repair, RepairKind};
use crate::span::Span;
use crate::tape::Tape;
use crate::window::is_blank;

/// What is done with a call that the reply breaks off.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Cut {
    /// It is returned, with its marks.
    #[default]
    Keep,
    /// It is an error.
    Drop,
}

/// What a piece of the reply is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    /// Prose.
    Prose,
    /// Reasoning.
    Reasoning,
    /// A call.
    Call,
    /// Markup around calls and reasoning.
    Markup,
    /// Something that wanted to be a call.
    Error,
}

impl SegmentKind {
    /// The public name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SegmentKind::Prose => "prose",
            SegmentKind::Reasoning => "reasoning",
            SegmentKind::Call => "call",
            SegmentKind::Markup => "markup",
            SegmentKind::Error => "error",
        }
    }
}

/// A call that was read.
#[derive(Debug, Clone)]
pub struct ReadCall {
    /// The offered name.
    pub name: Vec<u8>,
    /// The arguments.
    pub arguments: Tape,
    /// The id that the model wrote.
    pub native_id: Option<Vec<u8>>,
    /// True when that id came after the call was certain: a stream had named the call by then.
    pub late_id: bool,
    /// Its place among the calls of the reply.
    pub index: usize,
    /// The row that read it.
    pub format: &'static str,
    /// How sure its markup was.
    pub shape: &'static str,
    /// Whether it is whole.
    pub complete: bool,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// Its place in the reply, in bytes.
    pub span: Span,
}

/// Something that wanted to be a call.
#[derive(Debug, Clone)]
pub struct ReadError {
    /// Why it is none.
    pub kind: FaultKind,
    /// The name as written.
    pub name: Option<Vec<u8>>,
    /// Its place in the reply, in bytes.
    pub span: Span,
    /// Its text.
    pub raw: Vec<u8>,
}

/// What a stream hands out.
#[derive(Debug, Clone)]
pub enum Event {
    /// Prose.
    Text(Vec<u8>),
    /// Reasoning.
    Reasoning(Vec<u8>),
    /// A call is certain: its index, its name, and the id that the model wrote.
    CallStart(usize, Vec<u8>, Option<Vec<u8>>),
    /// More of a call's arguments, as JSON text.
    Arguments(usize, String),
    /// A call is over: its place in [`Outcome::calls`].
    CallEnd(usize),
    /// An error: its place in [`Outcome::errors`].
    Failed(usize),
}

/// What was read out of a reply.
#[derive(Debug, Default, Clone)]
pub struct Outcome {
    /// The prose.
    pub text: Vec<u8>,
    /// The reasoning; without any block `None`.
    pub reasoning: Vec<u8>,
    /// The calls.
    pub calls: Vec<ReadCall>,
    /// The errors.
    pub errors: Vec<ReadError>,
    /// What came in which order: pieces of `text` and `reasoning`, which add up to them, and calls.
    pub flow: Vec<Flow>,
    /// The pieces of the reply.
    pub segments: Vec<(SegmentKind, Span)>,
    /// True when a part was not read.
    pub truncated: bool,
}

/// One thing of the answer, in the order of the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// So many bytes of the text.
    Text(usize),
    /// So many bytes of the reasoning.
    Reasoning(usize),
    /// The call in this place.
    Call(usize),
    /// The error in this place, whose text is no prose.
    Error(usize),
}

/// How the next prose begins.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Lead {
    /// As it is.
    Plain,
    /// Behind reasoning whose edges are layout: without white space.
    Bare,
    /// Behind a call whose edges are layout.
    BehindCall,
}

/// Collects what the machine tells.
#[derive(Debug, Clone)]
pub struct Collector {
    /// What was read.
    pub outcome: Outcome,
    /// The events since they were last taken; `None` when nobody asks.
    pub events: Option<Vec<Event>>,
    cut: Cut,
    limits: Limits,
    /// True when the writer is known to have finished.
    finished: bool,
    lead: Lead,
    /// White space at the end of the prose so far.
    pending: Vec<u8>,
    /// White space before a call, which comes back if text follows directly behind.
    gap: Vec<u8>,
    in_reasoning: bool,
    reasoning_pending: Vec<u8>,
    started: usize,
    /// True when the next error ends a call whose beginning may have been told.
    outgrown: bool,
    /// Calls of a list that is not over yet.
    listed: Vec<(Box<Call>, Vec<u8>)>,
}

impl Collector {
    /// An empty collector.
    #[must_use]
    pub fn new(cut: Cut, streaming: bool, limits: Limits) -> Collector {
        Collector {
            outcome: Outcome::default(),
            events: streaming.then(Vec::new),
            cut,
            limits,
            finished: false,
            lead: Lead::Plain,
            pending: Vec::new(),
            gap: Vec::new(),
            in_reasoning: false,
            reasoning_pending: Vec::new(),
            started: 0,
            outgrown: false,
            listed: Vec::new(),
        }
    }

    /// Says that the writer had finished.
    pub fn set_finished(&mut self) {
        self.finished = true;
    }

    /// The reply is over.
    pub fn end(&mut self) {
        self.list_end(false);
        if self.lead == Lead::Plain {
            self.flush_pending();
        }
    }

    /// Takes the events.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    fn emit_text(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.outcome.text.extend_from_slice(text);
        match self.outcome.flow.last_mut() {
            Some(Flow::Text(bytes)) => *bytes += text.len(),
            _ => self.outcome.flow.push(Flow::Text(text.len())),
        }
        if let Some(events) = &mut self.events {
            match events.last_mut() {
                Some(Event::Text(last)) => last.extend_from_slice(text),
                _ => events.push(Event::Text(text.to_vec())),
            }
        }
    }

    fn emit_reasoning(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.outcome.reasoning.extend_from_slice(text);
        match self.outcome.flow.last_mut() {
            Some(Flow::Reasoning(bytes)) => *bytes += text.len(),
            _ => self.outcome.flow.push(Flow::Reasoning(text.len())),
        }
        if let Some(events) = &mut self.events {
            match events.last_mut() {
                Some(Event::Reasoning(last)) => last.extend_from_slice(text),
                _ => events.push(Event::Reasoning(text.to_vec())),
            }
        }
    }

    fn flush_pending(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.emit_text(&pending);
    }

    fn segment(&mut self, kind: SegmentKind, span: Span) {
        if span.is_empty() {
            return;
        }
        if let Some((last, place)) = self.outcome.segments.last_mut()
            && *last == kind
            && place.end == span.start
            && !matches!(kind, SegmentKind::Call | SegmentKind::Error)
        {
            place.end = span.end;
            return;
        }
        self.outcome.segments.push((kind, span));
    }

    fn start_call(&mut self, call: &mut Call) -> usize {
        if let Some(index) = call.index {
            return index;
        }
        let index = self.started;
        self.started += 1;
        call.index = Some(index);
        if let Some(events) = &mut self.events {
            let native_id = call.native_id.clone().filter(|_| !call.late_id);
            events.push(Event::CallStart(index, call.name.clone(), native_id));
        }
        index
    }

    fn send_arguments(&mut self, call: &mut Call, index: usize, done: bool) {
        let Some(events) = &mut self.events else { return };
        let mut json = String::new();
        call.sent.write(&call.tape, call.held_from(), done, &mut json);
        if json.is_empty() {
            return;
        }
        match events.last_mut() {
            Some(Event::Arguments(last, text)) if *last == index => text.push_str(&json),
            _ => events.push(Event::Arguments(index, json)),
        }
    }

    /// A call that is over, and kept.
    fn keep_call(&mut self, mut call: Box<Call>) {
        let index = self.start_call(&mut call);
        self.send_arguments(&mut call, index, true);
        if !call.tape.is_utf8() {
            call.mark(RepairKind::LoneSurrogate, call.span);
        }
        self.outcome.calls.push(ReadCall {
            name: call.name,
            arguments: call.tape,
            native_id: call.native_id,
            late_id: call.late_id,
            index,
            format: call.format,
            shape: call.shape.name(),
            complete: call.end != End::Cut,
            repairs: call.repairs,
            span: call.span,
        });
        let place = self.outcome.calls.len() - 1;
        self.outcome.flow.push(Flow::Call(place));
        if let Some(events) = &mut self.events {
            events.push(Event::CallEnd(place));
        }
    }

    fn drop_call(&mut self, call: &Call, kind: FaultKind, raw: &[u8]) {
        let name = (!call.name.is_empty()).then(|| call.name.clone());
        self.keep_error(kind, name, call.span, raw, false);
    }

    fn keep_error(&mut self, kind: FaultKind, name: Option<Vec<u8>>, span: Span, raw: &[u8], shown: bool) {
        let ends_call = std::mem::take(&mut self.outgrown);
        if self.outcome.errors.len() > self.limits.errors && !ends_call {
            return;
        }
        let kind = if self.outcome.errors.len() == self.limits.errors { FaultKind::Limit(Limit::Errors) } else { kind };
        self.outcome.errors.push(ReadError { kind, name, span, raw: raw.to_vec() });
        if !shown {
            self.outcome.flow.push(Flow::Error(self.outcome.errors.len() - 1));
        }
        if let Some(events) = &mut self.events {
            events.push(Event::Failed(self.outcome.errors.len() - 1));
        }
    }

    /// Whether a call is kept, given how it ended.
    fn keeps(&self, call: &Call) -> bool {
        match call.end {
            End::Closed | End::Followed => true,
            End::Unwrapped => self.cut == Cut::Keep || self.finished,
            End::Cut => self.cut == Cut::Keep,
        }
    }

    fn settle_call(&mut self, call: Box<Call>, raw: &[u8]) {
        if call.index.is_none() && self.started >= self.limits.calls {
            self.drop_call(&call, FaultKind::Limit(Limit::Calls), raw);
        } else if self.keeps(&call) {
            self.keep_call(call);
        } else {
            self.drop_call(&call, FaultKind::Cut, raw);
        }
    }
}

impl Sink for Collector {
    fn prose(&mut self, text: &[u8], span: Span) {
        self.segment(SegmentKind::Prose, span);
        self.in_reasoning = false;
        let mut text = text;
        if self.lead == Lead::Bare {
            text = text.trim_ascii_start();
            if text.is_empty() {
                return;
            }
            self.lead = Lead::Plain;
        }
        let body = text.len() - text.iter().rev().take_while(|byte| is_blank(**byte)).count();
        let (body, blanks) = text.split_at(body);
        if !body.is_empty() {
            if self.lead == Lead::BehindCall {
                let gap = std::mem::take(&mut self.gap);
                if self.pending.is_empty() && !body.first().is_some_and(|byte| is_blank(*byte)) {
                    self.emit_text(&gap);
                }
                self.lead = Lead::Plain;
            }
            self.flush_pending();
            self.emit_text(body);
        }
        self.pending.extend_from_slice(blanks);
    }

    fn message(&mut self, text: &[u8], span: Span) {
        self.segment(SegmentKind::Prose, span);
        self.emit_text(text);
    }

    fn reasoning(&mut self, text: &[u8], span: Span, trim: bool) {
        self.segment(SegmentKind::Reasoning, span);
        if !trim {
            self.emit_reasoning(text);
            return;
        }
        if !self.in_reasoning && self.outcome.text.is_empty() {
            // Templates put a line feed before the block that starts a reply.
            self.pending.clear();
        }
        let text = if self.in_reasoning { text } else { text.trim_ascii_start() };
        if text.is_empty() {
            return;
        }
        self.in_reasoning = true;
        let body = text.len() - text.iter().rev().take_while(|byte| is_blank(**byte)).count();
        let (body, blanks) = text.split_at(body);
        if !body.is_empty() {
            let pending = std::mem::take(&mut self.reasoning_pending);
            self.emit_reasoning(&pending);
            self.emit_reasoning(body);
        }
        self.reasoning_pending.extend_from_slice(blanks);
    }

    fn reasoning_ends(&mut self, trim: bool) {
        self.in_reasoning = false;
        self.reasoning_pending.clear();
        if trim {
            if self.lead == Lead::Plain {
                self.flush_pending();
            }
            self.lead = Lead::Bare;
        }
    }

    fn markup(&mut self, span: Span) {
        self.segment(SegmentKind::Markup, span);
    }

    fn border(&mut self, space: Space) {
        match space {
            Space::Keep => {
                if self.lead == Lead::Plain || self.lead == Lead::BehindCall {
                    self.flush_pending();
                }
                self.lead = Lead::Plain;
            }
            Space::Trim => {
                if self.gap.is_empty() || self.lead != Lead::BehindCall {
                    self.gap = std::mem::take(&mut self.pending);
                }
                self.pending.clear();
                self.lead = Lead::BehindCall;
            }
        }
    }

    fn progress(&mut self, call: &mut Call) {
        if self.events.is_none() || self.cut == Cut::Drop || self.started >= self.limits.calls && call.index.is_none() {
            return;
        }
        let index = self.start_call(call);
        self.send_arguments(call, index, false);
    }

    fn outgrown(&mut self, call: &mut Call) {
        // Its number is used up whether or not the stream got as far as telling it.
        if self.cut == Cut::Keep && self.started < self.limits.calls && call.index.is_none() {
            self.started += 1;
        }
        self.outgrown = true;
    }

    fn call(&mut self, call: Box<Call>, raw: &[u8]) {
        self.segment(SegmentKind::Call, call.span);
        if call.listed && self.cut == Cut::Drop {
            self.listed.push((call, raw.to_vec()));
        } else {
            self.settle_call(call, raw);
        }
    }

    fn list_end(&mut self, closed: bool) {
        for (mut call, raw) in std::mem::take(&mut self.listed) {
            if !closed && call.end == End::Closed {
                call.end = End::Unwrapped;
            }
            self.settle_call(call, &raw);
        }
    }

    fn fault(&mut self, fault: Fault, raw: &[u8]) {
        if !fault.shown {
            self.segment(SegmentKind::Error, fault.span);
        }
        self.keep_error(fault.kind, fault.name, fault.span, raw, fault.shown);
    }
}
