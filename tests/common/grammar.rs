//! The rules of what the machine tells: a [`Sink`] that checks them and hands everything on.

use toolparse::call::Call;
use toolparse::collect::json::Cursor;
use toolparse::format::Space;
use toolparse::machine::{Fault, Machine, Sink};
use toolparse::repair::FaultKind;
use toolparse::span::Span;
use toolparse::utf8::incomplete_tail;
use toolparse::value::Ending;
use toolparse::window::Window;
use toolparse::{Cut, Options};

/// Checks what is told.
///
/// Everything is told once, in the order of the text, without a gap. While a call is handed out, nothing else is. A call that was handed
/// out ends as a call of the same name and place, and what is certain of its arguments only grows.
#[derive(Debug)]
pub struct Checked<S> {
    /// Who receives it.
    pub inner: S,
    /// Everything before was told.
    pub at: usize,
    /// The call that is being handed out.
    open: Option<Open>,
    reasoning: bool,
    /// How many things were told.
    pub told: usize,
}

#[derive(Debug)]
struct Open {
    start: usize,
    name: Vec<u8>,
    cursor: Cursor,
    sent: String,
}

impl<S> Checked<S> {
    pub fn new(inner: S) -> Checked<S> {
        Checked { inner, at: 0, open: None, reasoning: false, told: 0 }
    }

    fn tell(&mut self, what: &str, span: Span) {
        assert!(self.open.is_none(), "{what} while a call is handed out");
        self.cover(what, span);
    }

    fn cover(&mut self, what: &str, span: Span) {
        assert_eq!(span.start, self.at, "{what} leaves a gap or comes again");
        assert!(span.end >= span.start, "{what} ends before it starts");
        self.at = span.end;
        self.told += 1;
    }

    /// The reply of `length` bytes is over.
    pub fn end(&self, length: usize) {
        assert!(self.open.is_none(), "a call is still handed out at the end");
        assert_eq!(self.at, length, "the end was never told");
    }
}

impl<S: Sink> Sink for Checked<S> {
    fn prose(&mut self, text: &[u8], span: Span) {
        assert_eq!(text.len(), span.len(), "prose of another length than its place");
        assert!(!text.is_empty(), "empty prose");
        self.tell("prose", span);
        self.inner.prose(text, span);
    }

    fn message(&mut self, text: &[u8], span: Span) {
        self.tell("a message", span);
        self.inner.message(text, span);
    }

    fn reasoning(&mut self, text: &[u8], span: Span, trim: bool) {
        assert_eq!(text.len(), span.len(), "reasoning of another length than its place");
        self.tell("reasoning", span);
        self.reasoning = true;
        self.inner.reasoning(text, span, trim);
    }

    fn reasoning_ends(&mut self, trim: bool) {
        assert!(self.open.is_none(), "reasoning ends while a call is handed out");
        self.reasoning = false;
        self.inner.reasoning_ends(trim);
    }

    fn markup(&mut self, span: Span) {
        // What stands between the prose and a call may be told after the call was handed out.
        assert!(self.open.as_ref().is_none_or(|open| span.end <= open.start), "markup inside a call that is handed out");
        self.cover("markup", span);
        self.inner.markup(span);
    }

    fn border(&mut self, space: Space) {
        self.inner.border(space);
    }

    fn progress(&mut self, call: &mut Call) {
        assert!(call.is_certain(), "a call is handed out that is not certain");
        assert!(call.span.start >= self.at, "a call is handed out that was told");
        let open = self.open.get_or_insert_with(|| Open {
            start: call.span.start,
            name: call.name.clone(),
            cursor: Cursor::default(),
            sent: String::new(),
        });
        assert_eq!((open.start, &open.name), (call.span.start, &call.name), "two calls are handed out at once");
        open.cursor.write(&call.tape, call.held_from(), false, &mut open.sent);
        self.inner.progress(call);
    }

    fn outgrown(&mut self, call: &mut Call) {
        let size = |kind| matches!(kind, FaultKind::Limit(limit) if limit.is_size());
        assert!(call.fault.is_some_and(size), "a call was taken back that is not too large");
        if let Some(open) = self.open.take() {
            assert_eq!((open.start, &open.name), (call.span.start, &call.name), "a call ends as another");
        }
        self.inner.outgrown(call);
    }

    fn call(&mut self, call: Box<Call>, raw: &[u8]) {
        assert!(call.fault.is_none(), "a call with a fault");
        if let Some(open) = self.open.take() {
            assert_eq!((open.start, &open.name), (call.span.start, &call.name), "a call ends as another");
            let json = toolparse::collect::json::to_json(&call.tape);
            assert!(json.starts_with(&open.sent), "handed out {:?} of {json:?}", open.sent);
        }
        self.cover("a call", call.span);
        self.inner.call(call, raw);
    }

    fn list_end(&mut self, closed: bool) {
        assert!(self.open.is_none(), "a list ends while a call is handed out");
        self.inner.list_end(closed);
    }

    fn fault(&mut self, fault: Fault, raw: &[u8]) {
        assert!(self.open.is_none(), "a call that was handed out is an error: {fault:?}");
        assert!(raw.len() <= fault.span.len(), "an error quotes more than its place");
        if fault.shown {
            assert!(fault.span.end >= fault.span.start);
        } else {
            self.cover("an error", fault.span);
        }
        self.inner.fault(fault, raw);
    }
}

/// Receives everything and keeps nothing.
#[derive(Debug, Default)]
pub struct Nobody;

impl Sink for Nobody {
    fn prose(&mut self, _text: &[u8], _span: Span) {}
    fn message(&mut self, _text: &[u8], _span: Span) {}
    fn reasoning(&mut self, _text: &[u8], _span: Span, _trim: bool) {}
    fn reasoning_ends(&mut self, _trim: bool) {}
    fn markup(&mut self, _span: Span) {}
    fn border(&mut self, _space: Space) {}
    fn progress(&mut self, _call: &mut Call) {}
    fn call(&mut self, _call: Box<Call>, _raw: &[u8]) {}
    fn list_end(&mut self, _closed: bool) {}
    fn fault(&mut self, _fault: Fault, _raw: &[u8]) {}
}

/// What feeding a machine took.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Fed {
    /// The most bytes that had to be kept between two pieces.
    pub most_kept: usize,
    /// Bytes put into the buffer, and moved within it.
    pub copied: usize,
}

/// Feeds a machine as [`toolparse::Stream`] does, and counts.
pub fn feed<'p, S: Sink>(pieces: impl IntoIterator<Item = &'p [u8]>, options: &Options, ending: Ending, sink: &mut S) -> Fed {
    let mut machine = Machine::new(options.plan.clone(), options.tools.clone(), options.limits);
    if !options.prompt.is_empty() {
        machine.continue_prompt(&options.prompt);
    }
    let mut fed = Fed::default();
    let mut kept: Vec<u8> = Vec::new();
    let mut base = 0;
    for piece in pieces {
        kept.extend_from_slice(piece);
        fed.copied += piece.len();
        let whole = kept.len() - incomplete_tail(&kept);
        let mut keep = machine.feed(&Window::new(&kept[..whole], base, false), sink);
        if options.cut == Cut::Drop {
            keep = keep.min(machine.call_start().unwrap_or(keep));
        }
        let keep = keep.saturating_sub(base);
        assert!(keep <= whole, "more was settled than was at hand");
        kept.drain(..keep);
        if keep > 0 {
            fed.copied += kept.len();
        }
        base += keep;
        fed.most_kept = fed.most_kept.max(kept.len());
    }
    machine.set_ending(ending);
    machine.feed(&Window::new(&kept, base, true), sink);
    fed
}
