//! Decimal numbers as text: their parts, and their strict JSON lexeme. Keeps every digit and computes nothing.

use std::borrow::Cow;

/// The parts of a decimal number as JSON and Python write it: no underscores, no other base, no infinity.
pub(super) struct Decimal<'t> {
    pub(super) sign: Option<u8>,
    integer: &'t [u8],
    fraction: Option<&'t [u8]>,
    /// With its `e` and sign; empty without an exponent.
    exponent: &'t [u8],
}

impl<'t> Decimal<'t> {
    /// The parts of `text`, if all of it is one number.
    pub(super) fn scan(text: &'t [u8]) -> Option<Self> {
        let (sign, rest) = match text.split_first()? {
            (sign @ (b'+' | b'-'), rest) => (Some(*sign), rest),
            _ => (None, text),
        };
        let (integer, rest) = digits(rest);
        let (fraction, exponent) = match rest.split_first() {
            Some((b'.', rest)) => {
                let (fraction, rest) = digits(rest);
                (Some(fraction), rest)
            }
            _ => (None, rest),
        };
        let digitless = integer.is_empty() && fraction.is_none_or(<[u8]>::is_empty);
        (!digitless && is_exponent(exponent)).then_some(Self { sign, integer, fraction, exponent })
    }

    /// Whether it is written without point and exponent.
    pub(super) fn is_integer(&self) -> bool {
        self.fraction.is_none() && self.exponent.is_empty()
    }

    /// How many zeros stand before the first digit that counts.
    pub(super) fn leading_zeros(&self) -> usize {
        let zeros = self.integer.iter().take_while(|digit| **digit == b'0').count();
        zeros.min(self.integer.len().saturating_sub(1))
    }

    /// Whether JSON writes it so.
    pub(super) fn is_strict(&self) -> bool {
        self.sign != Some(b'+')
            && !self.integer.is_empty()
            && self.leading_zeros() == 0
            && self.fraction.is_none_or(|fraction| !fraction.is_empty())
    }

    /// Whether a reader gets a number from it: an integer of at most so many digits, or a float below infinity; `text` is what was scanned.
    pub(super) fn is_finite(&self, text: &[u8], digits: usize) -> bool {
        if self.is_integer() {
            return self.integer.len() - self.leading_zeros() <= digits;
        }
        std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).is_some_and(f64::is_finite)
    }

    /// The strict JSON lexeme; `text` is what was scanned.
    pub(super) fn lexeme(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if self.is_strict() {
            return Cow::Borrowed(text);
        }
        let mut lexeme = self.whole_lexeme();
        if let Some(fraction) = self.fraction {
            lexeme.push(b'.');
            lexeme.extend_from_slice(if fraction.is_empty() { b"0" } else { fraction });
        }
        lexeme.extend_from_slice(self.exponent);
        Cow::Owned(lexeme)
    }

    fn whole_lexeme(&self) -> Vec<u8> {
        let mut lexeme = Vec::with_capacity(self.integer.len() + self.exponent.len() + 3);
        if self.sign == Some(b'-') {
            lexeme.push(b'-');
        }
        let significant = self.integer.get(self.leading_zeros()..).filter(|digits| !digits.is_empty());
        lexeme.extend_from_slice(significant.unwrap_or(b"0"));
        lexeme
    }

    /// The integer of at most so many digits that a number with nothing but zeros behind its point is.
    pub(super) fn whole(&self, digits: usize) -> Option<Cow<'t, [u8]>> {
        let zeros = self.fraction.is_some_and(|fraction| fraction.iter().all(|digit| *digit == b'0'));
        let short = self.integer.len() - self.leading_zeros() <= digits;
        (zeros && short && self.exponent.is_empty()).then(|| Cow::Owned(self.whole_lexeme()))
    }
}

fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(length).unwrap_or((text, b""))
}

fn is_exponent(text: &[u8]) -> bool {
    let power = match text {
        [] => return true,
        [b'e' | b'E', b'+' | b'-', power @ ..] | [b'e' | b'E', power @ ..] => power,
        _ => return false,
    };
    !power.is_empty() && power.iter().all(u8::is_ascii_digit)
}
