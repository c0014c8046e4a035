//! All that a reading came to, for comparing and for printing.

use std::fmt;
use toolparse::collect::json::to_json;
use toolparse::{Outcome, ReadCall, ReadError};

/// Bytes that print as text.
#[derive(Clone, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(&self.0) {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => write!(f, "b\"{}\"", self.0.escape_ascii()),
        }
    }
}

/// A span.
pub type Place = (usize, usize);

/// A call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFacts {
    pub name: Bytes,
    pub arguments: String,
    pub native_id: Option<Bytes>,
    pub index: usize,
    pub format: &'static str,
    pub shape: &'static str,
    pub complete: bool,
    pub repairs: Vec<(&'static str, Place, bool)>,
    pub span: Place,
}

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorFacts {
    pub kind: &'static str,
    pub phrase: &'static str,
    pub name: Option<Bytes>,
    pub raw: Bytes,
    pub span: Place,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub text: Bytes,
    pub reasoning: Bytes,
    pub calls: Vec<CallFacts>,
    pub errors: Vec<ErrorFacts>,
    pub segments: Vec<(&'static str, Place)>,
    pub truncated: bool,
}

impl Facts {
    pub fn of(outcome: &Outcome) -> Facts {
        Facts {
            text: Bytes(outcome.text.clone()),
            reasoning: Bytes(outcome.reasoning.clone()),
            calls: outcome.calls.iter().map(call).collect(),
            errors: outcome.errors.iter().map(error).collect(),
            segments: outcome.segments.iter().map(|(kind, span)| (kind.name(), (span.start, span.end))).collect(),
            truncated: outcome.truncated,
        }
    }

    /// The segments cover `length` bytes exactly, in order; every call and every error that is not shown as prose has one.
    pub fn assert_tiles(&self, length: usize) {
        let mut at = 0;
        for (kind, (start, end)) in &self.segments {
            assert_eq!(*start, at, "a gap or overlap before a {kind}");
            assert!(end > start, "an empty {kind} at {at}");
            at = *end;
        }
        assert_eq!(at, length, "the segments end too early or too late");
        let calls: Vec<Place> = self.segments.iter().filter(|(kind, _)| *kind == "call").map(|(_, place)| *place).collect();
        for call in &self.calls {
            assert!(calls.contains(&call.span), "a call has no segment: {call:?}");
            assert!(call.repairs.iter().all(|(_, (start, end), _)| start <= end && *end <= length), "a mark outside the reply: {call:?}");
        }
        assert!(self.errors.iter().all(|error| error.span.0 <= error.span.1 && error.span.1 <= length), "an error outside the reply");
    }
}

fn call(call: &ReadCall) -> CallFacts {
    CallFacts {
        name: Bytes(call.name.clone()),
        arguments: to_json(&call.arguments),
        native_id: call.native_id.clone().map(Bytes),
        index: call.index,
        format: call.format,
        shape: call.shape,
        complete: call.complete,
        repairs: call.repairs.iter().map(|repair| (repair.kind.name(), (repair.span.start, repair.span.end), repair.safe)).collect(),
        span: (call.span.start, call.span.end),
    }
}

fn error(error: &ReadError) -> ErrorFacts {
    ErrorFacts {
        kind: error.kind.name(),
        phrase: error.kind.phrase(),
        name: error.name.clone().map(Bytes),
        raw: Bytes(error.raw.clone()),
        span: (error.span.start, error.span.end),
    }
}
