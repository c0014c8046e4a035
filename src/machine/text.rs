//! Arguments as text behind the name: an object, or the text of one key.

use super::heads::call_opens;
use super::{Machine, Sink, State, Step};
use crate::call::{Call, End, read_whole};
use crate::format::{Args, Body, Dialect, Format};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::tape::Node;
use crate::value::Ending;
use crate::window::Window;

/// Lines that end the text of a call.
const LINES: &[&str] = &["\nObservation:", "\nThought:", "\nAction:", "\nFinal Answer:"];

/// A text while it is read.
#[derive(Debug, Clone)]
pub(super) struct LineState {
    row: usize,
    pub call: Box<Call>,
    start: usize,
    scan: usize,
    /// Where another call begins in it: the closer may be lost, or it is somebody's text about calls.
    call_inside: Option<usize>,
}

impl LineState {
    pub(super) fn new(row: usize, call: Box<Call>, start: usize) -> LineState {
        LineState { row, call, start, scan: start, call_inside: None }
    }
}

impl Machine {
    pub(super) fn line<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Line(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let format = self.row(state.row);
        let Some(found) = self.text_end(format, &mut state, window) else {
            self.state = State::Line(state);
            return Step::More;
        };
        let text = window.slice(state.start, found.at - cut_line(format, window, found.at));
        let Body::Named(_, Args::Text { key }) = format.body else { return Step::Go };
        let mut call = state.call;
        let read = self.text_arguments(&mut call, text, key, found.at);
        self.pos = found.at + found.length;
        call.span.end = self.pos;
        if let Some(at) = state.call_inside {
            call.mark(RepairKind::AmbiguousCloser, Span::new(at, at));
        }
        let object = read && call.repairs.iter().all(|repair| repair.safe);
        if found.closed || object && format.call.close.iter().any(|close| close.starts_with('\n')) || self.ending == Ending::Finished {
            self.end_named(state.row, call, End::Closed, window, sink);
        } else if object {
            self.end_named(state.row, call, End::Unwrapped, window, sink);
        } else {
            call.repair(Repair::new(RepairKind::ClosedString, Span::new(found.at, found.at)));
            self.cut_named(state.row, call, window, sink);
        }
        Step::Go
    }

    /// Where the text ends: at the closer, or at a line that starts something else.
    fn text_end(&self, format: &Format, state: &mut LineState, window: &Window<'_>) -> Option<TextEnd> {
        let lines = format.call.close.iter().any(|close| close.starts_with('\n'));
        loop {
            let Some(byte) = window.get(state.scan) else {
                return window.last.then_some(TextEnd { at: window.end(), length: 0, closed: false });
            };
            if matches!(byte, b'<' | b'\n') {
                if let Some(length) = window.starts_with_any(state.scan, format.call.close)? {
                    return Some(TextEnd { at: state.scan, length, closed: true });
                }
                if lines && byte == b'\n' && window.starts_with_any(state.scan, LINES)?.is_some() {
                    return Some(TextEnd { at: state.scan, length: 0, closed: true });
                }
                if state.call_inside.is_none()
                    && let Some(length) = window.starts_with_any(state.scan, format.call.open)?
                    && call_opens(format, window, state.scan + length, self.names())?.is_call()
                {
                    state.call_inside = Some(state.scan);
                }
            }
            state.scan += 1;
        }
    }

    fn text_arguments(&self, call: &mut Call, text: &[u8], key: &str, at: usize) -> bool {
        let text = text.trim_ascii();
        if text.starts_with(b"{")
            && let Some((tape, repairs)) = read_whole(text, Dialect::JSON, &self.limits)
            && matches!(tape.nodes().first(), Some(Node::Object))
        {
            call.no_arguments();
            call.tape = tape;
            for repair in repairs {
                call.repair(Repair { span: Span::new(at, at), ..repair });
            }
            call.retype(&self.tools);
            return true;
        }
        call.open_arguments();
        if !text.is_empty() {
            let only = call.tool().and_then(|tool| {
                let mut names = self.tools.parameters(tool);
                names.next().filter(|_| names.next().is_none()).map(str::to_owned)
            });
            let named = only.as_deref().unwrap_or(key);
            call.key(named.as_bytes(), at, &self.tools);
            call.tape.string(text);
            if only.is_some_and(|only| only != key) {
                call.mark(RepairKind::PositionalArgument, Span::new(at, at));
            }
        }
        call.close_arguments();
        false
    }
}

/// How much at the end of the reply is the beginning of a line that would start something else.
fn cut_line(format: &Format, window: &Window<'_>, at: usize) -> usize {
    if !window.last || at < window.end() || !format.call.close.iter().any(|close| close.starts_with('\n')) {
        return 0;
    }
    let longest = LINES.iter().map(|line| line.len()).max().unwrap_or(0);
    (1..longest).find(|back| window.ends_within(at.saturating_sub(*back), LINES)).unwrap_or(0)
}

struct TextEnd {
    at: usize,
    length: usize,
    closed: bool,
}
