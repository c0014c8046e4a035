//! [`Span`]: a half-open byte range in the reply.

/// A half-open byte range `start..end`, counted from the start of the reply.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// How many bytes it covers.
    #[must_use]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// True when it covers nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}
