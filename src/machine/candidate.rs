//! Candidates: calls that nothing vouches for yet. What they tell waits; a candidate that fails is prose.

use super::{Fault, Machine, Sink, State, hand_out, tell};
use crate::call::Call;
use crate::format::Shape;
use crate::repair::RepairKind;
use crate::span::Span;
use crate::value::Ending;
use crate::window::Window;

/// Where a candidate began.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The first byte that would be markup.
    pub start: usize,
    /// What has to happen before it counts.
    pub certain: Certain,
    line: super::prose::Line,
    boundary: bool,
}

/// When a candidate counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Certain {
    /// With the first call whose name is offered and whose arguments are an object.
    FirstCall,
    /// When the reply ends and nothing else was in it.
    WholeReply,
}

/// Something a candidate would tell.
#[derive(Debug, Clone)]
pub(super) enum Held {
    Markup(Span),
    Call(Box<Call>),
    Message(Vec<u8>, Span),
    Fault(Fault),
}

impl Machine {
    /// Starts a candidate at `start`, which is the position.
    pub(super) fn try_candidate(&mut self, start: usize, certain: Certain) {
        self.candidate = Some(Candidate { start, certain, line: self.line, boundary: self.boundary });
    }

    /// True when the candidate may hold `call`. One that made it certain may have been told by a stream, and being found too large later
    /// takes nothing back.
    pub(super) fn may_hold(&self, call: &Call) -> bool {
        let first = self.candidate.as_ref().is_some_and(|candidate| candidate.certain == Certain::FirstCall);
        call.fault.is_none() || first && call.may_be_told()
    }

    /// The candidate counts: tells what was held.
    pub(super) fn commit<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) {
        let Some(candidate) = self.candidate.take() else { return };
        // What would have come behind a reply that was cut off may have made prose of it.
        let is_cut_off = candidate.certain == Certain::WholeReply && self.ending == Ending::CutOff;
        let held = std::mem::take(&mut self.held);
        self.holds_call = false;
        for item in held {
            match item {
                Held::Markup(span) => sink.markup(span),
                Held::Call(mut call) => {
                    if is_cut_off {
                        call.mark(RepairKind::ProvisionalEnd, Span::new(call.span.end, call.span.end));
                    }
                    self.marked |= call.shape == Shape::Tagged;
                    self.calls += 1;
                    hand_out(call, window, sink);
                }
                Held::Message(text, span) => sink.message(&text, span),
                Held::Fault(fault) => tell(fault, window, sink),
            }
        }
    }

    /// Several messages without a call are prose as they stand: their texts, put together, would be another text.
    pub(super) fn holds_one_message(&self) -> bool {
        self.held.iter().filter(|held| matches!(held, Held::Message(..))).count() == 1
    }

    /// The candidate was none: its text is prose, and is read again for what may stand inside.
    pub(super) fn fail_candidate<S: Sink>(&mut self, faults: Vec<Fault>, window: &Window<'_>, sink: &mut S) {
        let Some(candidate) = self.candidate.take() else { return };
        self.held.clear();
        self.holds_call = false;
        self.state = State::Prose;
        for fault in faults {
            // Rows that read the same text one after the other refuse it for the same reason.
            if fault.span.end > self.refused {
                self.refused = fault.span.end;
                tell(fault, window, sink);
            }
        }
        let end = self.pos;
        self.pos = candidate.start;
        self.told = candidate.start;
        self.line = candidate.line;
        self.boundary = candidate.boundary;
        // A line of JSON that is no call may still be a reply that is nothing but a message.
        if self.line_barred != candidate.start + 1 || self.barred > candidate.start || candidate.certain == Certain::WholeReply {
            self.barred = candidate.start + 1;
        }
        self.reread += end - candidate.start;
        if self.reread > end + 65_536 {
            // Second readings have a budget of one reply; beyond it the text is prose without another look.
            self.tell_prose(window, end, sink);
        }
    }
}
