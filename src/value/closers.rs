//! Closers: of the container that is open, of one further out, and those that fit nothing.

use super::{At, Bounds, Frame, LastItem, Reader, Step, Values};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::window::Window;

impl Reader {
    /// A closer: of the innermost container, of one further out, or of the wrong kind.
    pub(super) fn closer<V: Values>(
        &mut self,
        byte: u8,
        width: usize,
        window: &Window<'_>,
        pos: &mut usize,
        bounds: Bounds<'_>,
        out: &mut V,
    ) -> Step {
        let at = *pos;
        let Some(top) = self.stack.last().copied() else { return Step::Stop };
        if top.closer() == byte {
            return self.close_top(top, at, width, window, pos, out);
        }
        let ancestor = self.stack.iter().rposition(|frame| frame.closer() == byte);
        if ancestor.is_none() && bounds.outer == Some(byte) {
            return Step::Stop;
        }
        let down_to = match self.wrong_closer_ends(ancestor, window, at + width, bounds, out.around()) {
            None => return Step::More,
            Some(None) => {
                out.repair(Repair::new(RepairKind::AmbiguousCloser, Span::new(at, at + width)));
                *pos += width;
                return Step::Go;
            }
            Some(Some(down_to)) => down_to,
        };
        self.settle_closer(RepairKind::AmbiguousCloser, out);
        self.wrong_closer = Some(Span::new(at, at + width));
        *pos += width;
        while self.stack.len() > down_to {
            self.stack.pop();
            out.close(*pos);
        }
        self.value_over();
        if matches!(self.at, At::Done) {
            self.settle_closer(RepairKind::WrongCloser, out);
        }
        Step::Go
    }

    /// How many containers stay open behind a closer that is not that of the innermost one, `behind` it what follows; none is closed by it
    /// where the answer is `Some(None)`, since content follows that would have no place.
    fn wrong_closer_ends(
        &self,
        ancestor: Option<usize>,
        window: &Window<'_>,
        behind: usize,
        bounds: Bounds<'_>,
        around: usize,
    ) -> Option<Option<usize>> {
        let innermost = self.stack.len() - 1;
        let next = self.after_layout(window, behind)?;
        let in_array = self.stack.last() == Some(&Frame::Array);
        match window.get(next) {
            Some(b',') if in_array && ancestor.is_some() => {
                let item = self.after_layout(window, next + 1)?;
                if window.get(item) == Some(b'{') && !self.opens_sibling(window, item, bounds)? {
                    return Some(None);
                }
            }
            Some(b']') if in_array && ancestor.is_some() && self.peek(window, next + 1)? == Some(b',') => return Some(None),
            Some(b',' | b'"') if ancestor.is_none() && innermost <= around && bounds.outer.is_none() => return Some(None),
            _ => {}
        }
        let ends_all = ancestor.is_some_and(|ancestor| ancestor <= around) && bounds.outer.is_none();
        let down_to = if ends_all && window.get(next) == Some(b',') { innermost } else { ancestor.unwrap_or(innermost) };
        Some(Some(down_to))
    }

    fn close_top<V: Values>(&mut self, top: Frame, at: usize, width: usize, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Step {
        let mut end = at + width;
        if top == Frame::DoubledObject {
            match window.get(end) {
                None if !window.last => return Step::More,
                Some(b'}') => end += 1,
                _ => {}
            }
        }
        if top == Frame::Tuple && !self.tuple_comma {
            // `(x)` is x in Python; an array of one is the nearest thing a stream can still say.
            out.repair(Repair::new(RepairKind::OddLiteral, Span::new(at, end)));
        }
        self.stack.pop();
        *pos = end;
        out.close(end);
        self.value_over();
        if matches!(self.at, At::Done) {
            self.settle_closer(RepairKind::WrongCloser, out);
        }
        Step::Go
    }

    pub(super) fn value_over(&mut self) {
        self.last_item = LastItem::Other;
        self.tuple_comma = true;
        self.at = if self.stack.is_empty() { At::Done } else { At::After };
    }

    #[inline]
    pub(super) fn settle_closer<V: Values>(&mut self, kind: RepairKind, out: &mut V) {
        if let Some(span) = self.wrong_closer {
            self.wrong_closer = None;
            out.repair(Repair::new(kind, span));
        }
    }
}
