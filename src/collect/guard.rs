//! Reading without letting a fault of ours out.

use crate::collect::outcome::{Outcome, ReadError, SegmentKind};
use crate::repair::{FaultKind, Unreadable};
use crate::span::Span;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads; a panic becomes an error beside the text.
pub fn guarded(text: &[u8], read: impl FnOnce() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let span = Span::new(0, text.len());
        let kind = FaultKind::Unreadable(Unreadable::Unexpected);
        Outcome {
            text: text.to_vec(),
            errors: vec![ReadError { kind, name: None, span, raw: Vec::new() }],
            segments: if text.is_empty() { Vec::new() } else { vec![(SegmentKind::Prose, span)] },
            ..Outcome::default()
        }
    })
}

/// Asks; a panic is a no.
pub fn guarded_answer(ask: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(ask)).unwrap_or_default()
}
