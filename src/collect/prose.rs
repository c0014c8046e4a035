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
    /// True once there was anything but prose.
    pub beside: bool,
}

impl Sink for ProseOnly {
    fn prose(&mut self, text: &[u8], _span: Span) {
        self.text.extend_from_slice(text);
    }

    fn message(&mut self, text: &[u8], _span: Span) {
        self.text.extend_from_slice(text);
        self.beside = true;
    }

    fn reasoning(&mut self, _text: &[u8], _span: Span, _trim: bool) {
        self.beside = true;
    }

    fn reasoning_ends(&mut self, _trim: bool) {
        self.beside = true;
    }

    fn markup(&mut self, _span: Span) {
        self.beside = true;
    }

    fn border(&mut self, _space: Space) {
        self.beside = true;
    }

    fn progress(&mut self, _call: &mut Call) {
        self.beside = true;
    }

    fn call(&mut self, _call: Box<Call>, _raw: &[u8]) {
        self.beside = true;
    }

    fn list_end(&mut self, _closed: bool) {
        self.beside = true;
    }

    fn fault(&mut self, _fault: Fault, _raw: &[u8]) {
        self.beside = true;
    }
}
