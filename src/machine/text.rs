//! Arguments as text behind the name: an object, or the text of one key.

use super::heads::{HeadText, call_opens};
use super::{Machine, Sink, State, Step};
use crate::call::{Call, End, read_whole};
use crate::format::{Args, Body, Dialect, Format};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::tape::Node;
use crate::value::Ending;
use crate::window::Window;

/// A text while it is read.
#[derive(Debug, Clone)]
pub(super) struct LineState {
    row: usize,
    pub call: Box<Call>,
    start: usize,
    scan: usize,
    /// True when the text stands in brackets right behind the name.
    bracketed: bool,
    /// Where another call begins in it: the closer may be lost, or it is somebody's text about calls.
    call_inside: Option<usize>,
}

impl LineState {
    pub(super) fn new(row: usize, call: Box<Call>, head: &HeadText<'_>) -> LineState {
        LineState { row, call, start: head.end, scan: head.end, bracketed: head.bare, call_inside: None }
    }
}

impl Machine {
    pub(super) fn line<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Line(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let format = self.row(state.row);
        let Body::Named(_, Args::Text { key, lines }) = format.body else { return Step::Go };
        let Some(found) = self.text_end(format, lines, &mut state, window) else {
            self.state = State::Line(state);
            return Step::More;
        };
        let text = window.slice(state.start, found.at - cut_line(lines, window, found.at));
        let mut call = state.call;
        let (text, closed) = if state.bracketed { unbracketed(text) } else { (text, false) };
        let over = self.text_arguments(&mut call, text, key, found.at) || closed;
        self.pos = found.at + found.length;
        call.span.end = self.pos;
        if let Some(at) = state.call_inside {
            call.mark(RepairKind::AmbiguousCloser, Span::new(at, at));
        }
        if found.closed || over && !lines.is_empty() || self.ending == Ending::Finished {
            self.end_named(state.row, call, End::Closed, window, sink);
        } else if over {
            self.end_named(state.row, call, End::Unwrapped, window, sink);
        } else {
            call.repair(Repair::new(RepairKind::ClosedString, Span::new(found.at, found.at)));
            self.cut_named(state.row, call, window, sink);
        }
        Step::Go
    }

    /// Where the text ends: at the closer, or at a line that starts something else.
    fn text_end(&self, format: &Format, lines: &[&str], state: &mut LineState, window: &Window<'_>) -> Option<TextEnd> {
        loop {
            let Some(byte) = window.get(state.scan) else {
                return window.last.then_some(TextEnd { at: window.end(), length: 0, closed: false });
            };
            if matches!(byte, b'<' | b'\n') {
                if let Some(length) = window.starts_with_any(state.scan, format.call.close)? {
                    let length = if lines.is_empty() { length } else { stop_word(window, state.scan, length)? };
                    return Some(TextEnd { at: state.scan, length, closed: true });
                }
                let over = state.bracketed && window.get(state.scan - 1) == Some(b']');
                if !lines.is_empty() && byte == b'\n' && (over || window.starts_with_any(state.scan, lines)?.is_some()) {
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

    /// Takes the text for the arguments. True when it says itself that it is over.
    fn text_arguments(&self, call: &mut Call, text: &[u8], key: &str, at: usize) -> bool {
        let written = text.trim_ascii();
        let fenced = in_fence(written);
        let text = fenced.map_or(written, |(inside, _)| inside).trim_ascii();
        let fence = fenced.map(|_| Repair::new(RepairKind::CodeFence, Span::new(at, at)));
        if text.starts_with(b"{")
            && let Some((tape, repairs)) = read_whole(text, Dialect::JSON, &self.limits)
            && matches!(tape.nodes().first(), Some(Node::Object))
        {
            call.no_arguments();
            call.tape = tape;
            let over = repairs.iter().all(|repair| repair.safe);
            for repair in repairs.into_iter().chain(fence) {
                call.repair(Repair { span: Span::new(at, at), ..repair });
            }
            call.retype(&self.tools);
            return over;
        }
        if let Some(fence) = fence {
            // A fence around text that is no object may belong to it.
            call.repair(Repair { safe: false, ..fence });
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
        fenced.is_some_and(|(_, closed)| closed)
    }
}

/// How much at the end of the reply is the beginning of a line that would start something else.
fn cut_line(lines: &[&str], window: &Window<'_>, at: usize) -> usize {
    if !window.last || at < window.end() {
        return 0;
    }
    let longest = lines.iter().map(|line| line.len()).max().unwrap_or(0);
    (1..longest).find(|back| window.ends_within(at.saturating_sub(*back), lines)).unwrap_or(0)
}

/// How much of the line at `at` is a stop word, at which the writer was stopped: nothing, if the reply goes on behind it.
fn stop_word(window: &Window<'_>, at: usize, length: usize) -> Option<usize> {
    let next = window.after_blanks(at + length)?;
    Some(if window.get(next).is_none() { length } else { 0 })
}

/// What stands in the fence that is all of `text`; true when the fence is closed.
fn in_fence(text: &[u8]) -> Option<(&[u8], bool)> {
    let behind = text.strip_prefix(b"```")?;
    let word = behind.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let inside = behind.get(word..)?;
    let closed = inside.strip_suffix(b"```");
    let content = closed.unwrap_or(inside);
    memchr::memmem::find(content, b"```").is_none().then_some((content, closed.is_some()))
}

/// The text without the brackets around it; true when they are closed.
fn unbracketed(text: &[u8]) -> (&[u8], bool) {
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"[").unwrap_or(text);
    text.strip_suffix(b"]").map_or((text, false), |inside| (inside, true))
}

struct TextEnd {
    at: usize,
    length: usize,
    closed: bool,
}
