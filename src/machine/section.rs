//! Sections: what stands around calls and between them.

use super::heads::{Opens, call_opens};
use super::{Fault, Machine, Sink, State, Step};
use crate::format::{Between, Body, Format};
use crate::repair::{FaultKind, Unreadable};
use crate::span::Span;
use crate::window::{Window, is_blank};

/// Text beside calls that is longer than this is no slip: it is prose, and the section was never closed.
const MAX_NOISE: usize = 1024;

/// Between the calls of a section.
#[derive(Copy, Clone, Debug)]
pub(super) struct SectionState {
    row: usize,
    /// True once a call stood in it, or something that wanted to be one.
    read: bool,
    /// Where text began that belongs to no call. What follows decides what it was, so it is not told.
    noise: Option<usize>,
    /// One past its opener while that may still be a mention, and is not told.
    opener: Option<usize>,
}

impl SectionState {
    /// Behind the opener, which ends at `opener` and is not told.
    pub(super) fn new(row: usize, opener: usize) -> SectionState {
        SectionState { row, read: false, noise: None, opener: Some(opener) }
    }

    /// Behind a call.
    pub(super) fn behind_call(row: usize) -> SectionState {
        SectionState { row, read: true, noise: None, opener: None }
    }
}

impl Machine {
    /// Between the calls of a section.
    pub(super) fn section<S: Sink>(&mut self, mut state: SectionState, window: &Window<'_>, sink: &mut S) -> Step {
        match self.section_step(&mut state, window, sink) {
            Some(step) => step,
            None => Step::More,
        }
    }

    fn section_step<S: Sink>(&mut self, state: &mut SectionState, window: &Window<'_>, sink: &mut S) -> Option<Step> {
        let format = self.row(state.row);
        let next = if state.noise.is_some() { self.pos } else { window.after_blanks(self.pos)? };
        if window.get(next).is_none() {
            return Some(self.section_ends(state, window, sink));
        }
        if let Some(length) = window.starts_with_any(next, format.call.open)? {
            return self.section_call(state, next, length, window, sink);
        }
        if let Some(length) = window.starts_with_any(next, format.section.close)? {
            self.tell_opener(state, sink);
            self.drop_noise(state, next, window, sink);
            self.tell_markup(next + length, sink);
            self.leave_section(window, sink);
            return Some(Step::Go);
        }
        if let Some(length) = window.starts_with_any(next, format.section.open)? {
            if state.opener.is_some() && state.noise.is_some() {
                self.leave_unclosed(state, window, sink);
                return Some(Step::Go);
            }
            self.tell_opener(state, sink);
            self.drop_noise(state, next, window, sink);
            self.tell_markup(next + length, sink);
            return Some(Step::Go);
        }
        if self.in_section
            && let Some(length) = window.starts_with_any(next, format.call.close)?
        {
            // The end of something whose beginning could not be read.
            self.tell_opener(state, sink);
            self.refuse_noise(state, next + length, window, sink);
            self.tell_markup(next + length, sink);
            return Some(Step::Go);
        }
        if window.ends_within(next, format.section.close) || window.ends_within(next, format.call.open) {
            self.tell_opener(state, sink);
            self.drop_noise(state, next, window, sink);
            self.tell_markup(window.end(), sink);
            return Some(Step::Go);
        }
        if self.ends_at_text(format) {
            self.leave_section(window, sink);
        } else {
            self.pass_noise(state, format, next, window, sink);
        }
        Some(Step::Go)
    }

    /// True when the next text that belongs to no call ends the section: it is of that form, or was never opened.
    fn ends_at_text(&self, format: &Format) -> bool {
        format.between == Between::Blanks || !self.in_section
    }

    /// The opener of a call, at `next`.
    fn section_call<S: Sink>(
        &mut self,
        state: &mut SectionState,
        next: usize,
        length: usize,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Option<Step> {
        let format = self.row(state.row);
        let beginning = call_opens(format, window, next + length, self.names())?;
        match beginning.opens {
            Opens::No if self.ends_at_text(format) => {
                self.tell_markup(self.pos, sink);
                self.leave_section(window, sink);
                return Some(Step::Go);
            }
            Opens::No => {
                self.pass_noise(state, format, next, window, sink);
                return Some(Step::Go);
            }
            Opens::Cut if matches!(format.body, Body::Named(..)) && beginning.head.is_none() => {
                self.tell_opener(state, sink);
                self.cut_head(next, window, sink);
                return Some(Step::Go);
            }
            _ => {}
        }
        self.tell_opener(state, sink);
        self.tell_markup(next, sink);
        if let Some(head) = beginning.head {
            self.begin_named(state.row, next, &head, false, window, sink);
        } else {
            self.tell_markup(next + length, sink);
            self.begin_body(state.row, next);
        }
        Some(Step::Go)
    }

    fn leave_section<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) {
        if self.candidate.is_some() && !self.holds_call {
            self.fail_candidate(Vec::new(), window, sink);
            return;
        }
        self.commit(window, sink);
        self.leave();
    }

    fn section_ends<S: Sink>(&mut self, state: &SectionState, window: &Window<'_>, sink: &mut S) -> Step {
        if !window.last {
            return Step::More;
        }
        if self.candidate.is_some() && !self.holds_call {
            self.fail_candidate(Vec::new(), window, sink);
            return Step::Go;
        }
        if state.noise.is_some() {
            self.leave_unclosed(state, window, sink);
            return Step::Go;
        }
        self.tell_opener(&mut state.clone(), sink);
        self.tell_markup(window.end(), sink);
        Step::More
    }

    /// A section whose opener is no mention.
    pub(super) fn begin_section<S: Sink>(&mut self, mut state: SectionState, sink: &mut S) {
        self.tell_opener(&mut state, sink);
        self.state = State::Section(state);
    }

    /// The section is one, and no mention of its opener.
    fn tell_opener<S: Sink>(&mut self, state: &mut SectionState, sink: &mut S) {
        let Some(end) = state.opener.take() else { return };
        if self.candidate.is_none() {
            sink.border(self.row(state.row).space);
        }
        self.tell_markup(end, sink);
    }

    /// Nothing closed the section: what stands behind its last call is prose, and without one its opener was a mention.
    fn leave_unclosed<S: Sink>(&mut self, state: &SectionState, window: &Window<'_>, sink: &mut S) {
        self.pos = self.told;
        if let Some(end) = state.opener.filter(|_| self.candidate.is_none()) {
            self.mention = Some((state.row, self.told));
            self.tell_prose(window, end, sink);
        }
        self.leave_section(window, sink);
    }

    /// Goes on to the next place where a call may open or the section may close.
    fn pass_noise<S: Sink>(&mut self, state: &mut SectionState, format: &Format, at: usize, window: &Window<'_>, sink: &mut S) {
        let first = |marker: &&str| marker.bytes().next();
        let markers = format.call.open.iter().chain(format.call.close).chain(format.section.close);
        let firsts: Vec<u8> = markers.filter_map(first).collect();
        let rest = window.from(at + 1);
        let found = rest.iter().position(|byte| firsts.contains(byte));
        self.pos = found.map_or(window.end(), |index| at + 1 + index);
        let start = *state.noise.get_or_insert(at);
        if self.pos - start > MAX_NOISE {
            self.leave_unclosed(state, window, sink);
        } else {
            self.state = State::Section(*state);
        }
    }

    /// What stood beside calls, up to `end`, is of no interest; where no call was read, it wanted to be one.
    fn drop_noise<S: Sink>(&mut self, state: &mut SectionState, end: usize, window: &Window<'_>, sink: &mut S) {
        if state.read {
            state.noise = None;
            self.state = State::Section(*state);
        } else {
            self.refuse_noise(state, end, window, sink);
        }
    }

    /// What stood beside calls, up to `end`, wanted to be one.
    fn refuse_noise<S: Sink>(&mut self, state: &mut SectionState, end: usize, window: &Window<'_>, sink: &mut S) {
        let noise = state.noise.take().filter(|start| !window.slice(*start, end).iter().all(|byte| is_blank(*byte)));
        if let Some(start) = noise {
            let kind = FaultKind::Unreadable(Unreadable::NotACall);
            self.tell_fault(Fault::nameless(kind, Span::new(start, end)), window, sink);
            state.read = true;
        }
        self.state = State::Section(*state);
    }
}
