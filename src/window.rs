//! [`Window`]: the part of the reply that is at hand, and its place in the reply.

/// A look at the reply from some byte on. Positions are absolute: byte 0 is the start of the reply.
///
/// The machine's rule for reading ahead: where a byte that is not here yet could change a decision, the answer is `None` ("more") unless
/// [`Window::last`] says that nothing will follow. So a decision never depends on how the reply was cut.
#[derive(Copy, Clone, Debug)]
pub struct Window<'t> {
    bytes: &'t [u8],
    base: usize,
    /// True when the reply ends where this window ends.
    pub last: bool,
}

/// How far a look ahead passes over white space before it gives up. A layout that long is no layout.
pub const BLANKS: usize = 1024;

impl<'t> Window<'t> {
    /// The bytes `base..base + bytes.len()` of the reply.
    #[must_use]
    pub fn new(bytes: &'t [u8], base: usize, last: bool) -> Window<'t> {
        Window { bytes, base, last }
    }

    /// One past the last byte at hand.
    #[must_use]
    pub fn end(&self) -> usize {
        self.base + self.bytes.len()
    }

    /// The byte at `at`, if it is at hand.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> Option<u8> {
        #[cfg(test)]
        looked::add(1);
        self.bytes.get(at.wrapping_sub(self.base)).copied()
    }

    /// The bytes from `at` to the end of the window.
    #[inline]
    #[must_use]
    pub fn from(&self, at: usize) -> &'t [u8] {
        self.bytes.get(at.saturating_sub(self.base)..).unwrap_or_default()
    }

    /// The bytes `start..end`, as far as they are at hand.
    #[inline]
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> &'t [u8] {
        let (start, end) = (start.saturating_sub(self.base), end.saturating_sub(self.base).min(self.bytes.len()));
        #[cfg(test)]
        looked::add(end.saturating_sub(start));
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Whether `literal` stands at `at`. `None`: it may, once more has come.
    #[inline]
    #[must_use]
    pub fn starts_with(&self, at: usize, literal: &[u8]) -> Option<bool> {
        let rest = self.from(at);
        match rest.get(..literal.len()) {
            // Markers begin alike more often than they end alike.
            Some(head) => Some(head.last() == literal.last() && head == literal),
            None if self.last || !literal.starts_with(rest) => Some(false),
            None => None,
        }
    }

    /// The first of `literals` that stands at `at`, and its length: the longest where several do.
    #[inline]
    #[must_use]
    pub fn starts_with_any<L: AsRef<[u8]>>(&self, at: usize, literals: &[L]) -> Option<Option<usize>> {
        match literals {
            [] => Some(None),
            [literal] => Some(self.starts_with(at, literal.as_ref())?.then_some(literal.as_ref().len())),
            several => self.starts_with_longest(at, several),
        }
    }

    fn starts_with_longest<L: AsRef<[u8]>>(&self, at: usize, literals: &[L]) -> Option<Option<usize>> {
        let rest = self.from(at);
        let mut best = None;
        for literal in literals {
            let literal = literal.as_ref();
            match rest.get(..literal.len()) {
                None if !self.last && literal.starts_with(rest) => return None,
                Some(head) if head.last() == literal.last() && head == literal => best = best.max(Some(literal.len())),
                _ => {}
            }
        }
        Some(best)
    }

    /// True when the bytes from `at` to the end of the reply are a proper beginning of one of `literals`.
    #[must_use]
    pub fn ends_within<L: AsRef<[u8]>>(&self, at: usize, literals: &[L]) -> bool {
        let rest = self.from(at);
        self.last
            && !rest.is_empty()
            && literals.iter().any(|literal| literal.as_ref().len() > rest.len() && literal.as_ref().starts_with(rest))
    }

    /// Where white space that starts at `at` ends: `Some(end)`; at most [`BLANKS`] bytes are passed over. Nothing stands there only where the
    /// reply ends.
    #[inline]
    #[must_use]
    pub fn after_blanks(&self, at: usize) -> Option<usize> {
        let rest = self.from(at);
        let blanks = rest.iter().take(BLANKS).take_while(|byte| is_blank(**byte)).count();
        if blanks == rest.len() && !self.last { None } else { Some(at + blanks) }
    }
}

/// Markers shorter than this are like too many words.
pub const LEAST_LIKE: usize = 4;

/// How long the marker is with which `text` starts, if one byte of it is missing, changed or added.
#[must_use]
pub fn nearly_at_start(text: &[u8], marker: &[u8]) -> Option<usize> {
    lengths_near(marker).rev().find(|length| text.get(..*length).is_some_and(|head| is_near(head, marker)))
}

/// True when `text` ends with such a marker.
#[must_use]
pub fn ends_nearly_with(text: &[u8], marker: &[u8]) -> bool {
    lengths_near(marker)
        .any(|length| text.len().checked_sub(length).and_then(|at| text.get(at..)).is_some_and(|tail| is_near(tail, marker)))
}

fn lengths_near(marker: &[u8]) -> impl DoubleEndedIterator<Item = usize> {
    let length = marker.len();
    (length.saturating_sub(1)..=length + 1).filter(move |_| length >= LEAST_LIKE)
}

fn is_near(text: &[u8], marker: &[u8]) -> bool {
    let head = text.iter().zip(marker).take_while(|(one, other)| one == other).count();
    let rests = text.get(head..).unwrap_or_default().iter().rev().zip(marker.get(head..).unwrap_or_default().iter().rev());
    let same = head + rests.take_while(|(one, other)| one == other).count();
    same + 1 >= text.len().max(marker.len())
}

/// JSON's white space.
#[inline]
#[must_use]
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// How many bytes were looked at, so that a test can say how work grows with the reply.
#[cfg(test)]
pub(crate) mod looked {
    use std::cell::Cell;

    thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    pub fn add(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    pub fn take() -> usize {
        BYTES.take()
    }
}

#[cfg(test)]
mod tests;
