//! The prose alone, byte for byte.

use crate::call::Call;
use crate::format::Space;
use crate::machine::{Fault, Sink};
use crate::span::Span;

/// Keeps the prose and nothing else.
#[derive(Debug, Default)]
pub struct ProseOnly {
    /// What may be shown.
    pub text: Vec<u8>,
}

impl Sink for ProseOnly {
    fn prose(&mut self, text: &[u8], _span: Span) {
        self.text.extend_from_slice(text);
    }

    fn message(&mut self, text: &[u8], _span: Span) {
        self.text.extend_from_slice(text);
    }

    fn reasoning(&mut self, _text: &[u8], _span: Span, _trim: bool) {}
    fn reasoning_ends(&mut self, _trim: bool) {}
    fn markup(&mut self, _span: Span) {}
    fn border(&mut self, _space: Space) {}
    fn progress(&mut self, _call: &mut Call) {}
    fn call(&mut self, _call: Box<Call>, _raw: &[u8]) {}
    fn list_end(&mut self, _closed: bool) {}
    fn fault(&mut self, _fault: Fault, _raw: &[u8]) {}
}
