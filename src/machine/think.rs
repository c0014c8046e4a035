//! Reasoning blocks, and the calls that stand inside them.

use super::heads::{Opens, opens};
use super::{Machine, Sink, State, Step};
use crate::format::{CallsInside, Edges, Loose, Shape, Think};
use crate::plan::{Match, Plan};
use crate::span::Span;
use crate::value::Ending;
use crate::window::Window;

/// An open reasoning block.
#[derive(Debug, Clone)]
pub(super) struct ThinkState {
    think: &'static Think,
    /// Where its text starts.
    start: usize,
    /// Where a call stands in it: a draft if the block closes later, a call that ended the block if the reply ends first.
    call: Option<usize>,
}

impl ThinkState {
    pub(super) fn new(think: &'static Think, start: usize) -> ThinkState {
        ThinkState { think, start, call: None }
    }

    pub(super) fn bookmark(&self) -> Option<usize> {
        self.call
    }
}

/// The reasoning block that the prompt leaves open: the last opener that no closer follows.
pub(super) fn opened_by(plan: &Plan, prompt: &[u8]) -> Option<&'static Think> {
    let place = |markers: &[&str]| markers.iter().filter_map(|marker| memchr::memmem::rfind(prompt, marker.as_bytes())).max();
    let opened = plan.thinks.iter().filter_map(|think| place(think.open).map(|at| (at, *think)));
    let (at, think) = opened.max_by_key(|(at, _)| *at)?;
    let closed = place(think.close).is_some_and(|close| close > at);
    (!closed).then_some(think)
}

impl Machine {
    pub(super) fn think<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Think(state) = &self.state else { return Step::Go };
        let (think, start, call) = (state.think, state.start, state.call);
        if let Some(step) = self.think_step(think, start, call, window, sink) {
            step
        } else {
            // A back-tick waits for what it quotes.
            let quotes = self.pos > self.told && window.get(self.pos - 1) == Some(b'`');
            self.think_text(think, call, self.pos - usize::from(quotes), window, sink);
            Step::More
        }
    }

    fn think_step<S: Sink>(
        &mut self,
        think: &'static Think,
        start: usize,
        call: Option<usize>,
        window: &Window<'_>,
        sink: &mut S,
    ) -> Option<Step> {
        if call.is_some() && self.never_closed.contains(&think.name) {
            return self.think_ends(think, call, window, sink);
        }
        let plan = self.plan.clone();
        loop {
            let text = window.from(self.pos);
            let next = match call {
                // Only the closer can change what was found.
                Some(_) => first_of(think.close, text),
                None => plan.next_start(text, false),
            };
            let Some(index) = next else {
                self.pos = window.end();
                return self.think_ends(think, call, window, sink);
            };
            self.pos += index;
            if let Some(length) = window.starts_with_any(self.pos, think.close)? {
                self.close_think(think, call, length, window, sink);
                return Some(Step::Go);
            }
            if window.starts_with_any(self.pos, think.ended_by)?.is_some() {
                self.think_text(think, None, self.pos, window, sink);
                sink.reasoning_ends(think.edges == Edges::Blanks);
                self.at_border();
                self.leave();
                return Some(Step::Go);
            }
            if self.pos == start
                && let Some(length) = window.starts_with_any(self.pos, think.open)?
            {
                // The prompt wrote the opener, and the model wrote it again.
                self.pos = start + length;
                self.tell_markup(self.pos, sink);
                self.state = State::Think(ThinkState::new(think, self.pos));
                return Some(Step::Go);
            }
            if think.calls == CallsInside::Drafts && call.is_none() && self.call_begins(window)? {
                self.think_text(think, None, self.pos, window, sink);
                self.state = State::Think(ThinkState { think, start, call: Some(self.pos) });
                return Some(Step::Go);
            }
            self.pos += 1;
        }
    }

    /// Whether a call begins at the position, marked so that it cannot be a mention.
    fn call_begins(&self, window: &Window<'_>) -> Option<bool> {
        let Match::Marker(index) = self.plan.find(window, self.pos)? else { return Some(false) };
        let marker = self.plan.get(index);
        if marker.rows.is_empty() || self.pos > self.told && window.get(self.pos - 1) == Some(b'`') {
            return Some(false);
        }
        for row in &marker.rows {
            let format = self.row(*row);
            if format.shape != Shape::Tagged || format.loose == Loose::Offered && format.section.open.is_empty() {
                continue;
            }
            if matches!(opens(format, window, self.pos + marker.text.len(), self.names())?.opens, Opens::Yes | Opens::Perhaps)
                && !matches!(format.body, crate::format::Body::Messages(_))
            {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Tells the reasoning up to `end`, or up to the call that is held in it.
    fn think_text<S: Sink>(&mut self, think: &Think, call: Option<usize>, end: usize, window: &Window<'_>, sink: &mut S) {
        let mut end = call.unwrap_or(end);
        if think.edges == Edges::LastLine && !window.last && window.slice(self.told, end).last() == Some(&b'\n') {
            end -= 1;
        }
        self.tell_reasoning(window, end, think.edges == Edges::Blanks, sink);
    }

    pub(super) fn tell_reasoning<S: Sink>(&mut self, window: &Window<'_>, end: usize, trim: bool, sink: &mut S) {
        if end > self.told {
            sink.reasoning(window.slice(self.told, end), Span::new(self.told, end), trim);
            self.told(end, super::prose::Line::MIDDLE);
        }
    }

    fn close_think<S: Sink>(&mut self, think: &Think, call: Option<usize>, length: usize, window: &Window<'_>, sink: &mut S) {
        let _ = call;
        let at = self.pos;
        let text_end = if think.edges == Edges::LastLine && at > self.told && window.get(at - 1) == Some(b'\n') { at - 1 } else { at };
        self.tell_reasoning(window, text_end, think.edges == Edges::Blanks, sink);
        self.tell_markup(at + length, sink);
        sink.reasoning_ends(think.edges == Edges::Blanks);
        self.at_border();
        self.leave();
    }

    /// The text at hand is over.
    fn think_ends<S: Sink>(&mut self, think: &'static Think, call: Option<usize>, window: &Window<'_>, sink: &mut S) -> Option<Step> {
        if !window.last {
            return None;
        }
        let Some(call) = call else {
            self.tell_reasoning(window, window.end(), think.edges == Edges::Blanks, sink);
            return Some(Step::More);
        };
        // The reply ends and the block never closed: the call ended it, and is read now. What it is may open another block.
        self.never_closed.push(think.name);
        sink.reasoning_ends(think.edges == Edges::Blanks);
        self.pos = call;
        self.boundary = false;
        self.in_open_think = (self.ending != Ending::Finished).then_some(call);
        self.leave();
        Some(Step::Go)
    }
}

fn first_of(markers: &[&str], text: &[u8]) -> Option<usize> {
    let firsts: Vec<u8> = markers.iter().filter_map(|marker| marker.bytes().next()).collect();
    match firsts.as_slice() {
        [byte] => memchr::memchr(*byte, text),
        _ => text.iter().position(|byte| firsts.contains(byte)),
    }
}
