//! JSON that stands alone: finds the value in a text, and reads it with the reader that reads arguments.

use crate::call::Plain;
use crate::format::Dialect;
use crate::limits::Limits;
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::tape::{Node, Tape};
use crate::value::{Bounds, Ending, Progress, Reader};
use crate::window::{Window, is_blank};
use memchr::{memchr2, memmem};

/// What was read.
#[derive(Debug, Clone)]
pub struct Document {
    /// The value; `None` when nothing could be read.
    pub value: Option<Tape>,
    /// What was mended, in order.
    pub repairs: Vec<Repair>,
}

/// Reads the JSON in `text`. `ended`: the writer is known to have finished.
#[must_use]
pub fn repair(text: &[u8], ended: bool) -> Document {
    // A text that is cut inside a character ends with the character before it.
    let half = crate::utf8::incomplete_tail(text);
    let text = text.get(..text.len() - half).unwrap_or_default();
    let ending = if ended { Ending::Finished } else { Ending::CutOff };
    Search { text, half, ending, repairs: Vec::new() }.read()
}

struct Search<'t> {
    text: &'t [u8],
    /// How many bytes of a cut character were left out behind the text.
    half: usize,
    ending: Ending,
    repairs: Vec<Repair>,
}

impl Search<'_> {
    fn read(mut self) -> Document {
        let Some(start) = self.find_start() else { return refused() };
        let Some((first, end)) = self.value(&start) else { return self.refused() };
        let mut values = vec![first];
        let mut end = end;
        while let Some(next) = self.another(end) {
            let Some((value, behind)) = self.value(&Start::At(next)) else { break };
            values.push(value);
            end = behind;
        }
        self.rest(end);
        let value = self.joined(values);
        if !value.is_utf8() {
            self.mark(RepairKind::LoneSurrogate, 0, self.text.len());
        }
        self.repairs.sort_by_key(|repair| repair.span.start);
        Document { value: Some(value), repairs: self.repairs }
    }

    /// What was mended of a text that gives no value says nothing, but for why it gives none.
    fn refused(mut self) -> Document {
        self.repairs.retain(|repair| repair.kind == RepairKind::TooDeep);
        Document { value: None, repairs: self.repairs }
    }

    fn joined(&mut self, mut values: Vec<Tape>) -> Tape {
        if values.len() < 2 {
            return values.pop().unwrap_or_default();
        }
        self.mark(RepairKind::MultipleValues, 0, self.text.len());
        let mut list = Tape::default();
        list.push(Node::Array);
        for value in &values {
            list.append(value);
        }
        list.push(Node::Close);
        list
    }

    fn mark(&mut self, kind: RepairKind, start: usize, end: usize) {
        self.repairs.push(Repair::new(kind, Span::new(start, end)));
    }

    /// Where the value starts.
    fn find_start(&mut self) -> Option<Start> {
        let first = skip(self.text, 0);
        let byte = *self.text.get(first)?;
        if matches!(byte, b'{' | b'[') || self.text.get(first..first + 3) == Some("｛".as_bytes()) {
            return Some(Start::At(0));
        }
        if matches!(byte, b'"' | b'\'') {
            return Some(self.quoted_start(first));
        }
        let fence = memmem::find(self.text, b"```");
        let bracket = memchr2(b'{', b'[', self.text);
        if let Some(fence) = fence.filter(|fence| bracket.is_none_or(|bracket| *fence < bracket)) {
            return self.fenced_start(first, fence);
        }
        if let Some(start) = self.bracket_start() {
            self.mark(RepairKind::SurroundingText, first, start);
            return Some(Start::At(start));
        }
        // A number or literal that is the whole text is whole.
        self.ending = Ending::Finished;
        let rest = self.text.get(first..)?;
        let blanks = rest.iter().rev().take_while(|byte| is_blank(**byte)).count();
        is_scalar(rest.get(..rest.len() - blanks)?).then_some(Start::At(0))
    }

    /// A string, or a member whose object was never opened.
    fn quoted_start(&mut self, first: usize) -> Start {
        let rest = self.text.get(first + 1..).unwrap_or_default();
        let quote = self.text.get(first).copied().unwrap_or(b'"');
        let close = closing(rest, quote).map(|index| first + 2 + index);
        let colon = close.map(|close| skip(self.text, close)).is_some_and(|next| self.text.get(next) == Some(&b':'));
        if colon {
            self.mark(RepairKind::OpenedObject, first, first);
            return Start::Inside(first);
        }
        Start::At(0)
    }

    fn fenced_start(&mut self, first: usize, fence: usize) -> Option<Start> {
        let ticks = fence + self.text.get(fence..)?.iter().take_while(|byte| **byte == b'`').count();
        let word = self.text.get(ticks..)?.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let start = ticks + word;
        let next = skip(self.text, start);
        if self.text.get(next).is_none_or(|byte| *byte == b'`') {
            return None;
        }
        if first < fence {
            self.mark(RepairKind::SurroundingText, first, fence);
        }
        self.mark(RepairKind::CodeFence, fence, start);
        Some(Start::At(next))
    }

    /// The first brace, or the first bracket that holds something like a document; a citation mark is none.
    fn bracket_start(&self) -> Option<usize> {
        let mut bracket = None;
        let mut at = 0;
        while let Some(index) = memchr2(b'{', b'[', self.text.get(at..)?) {
            at += index;
            if self.text.get(at) == Some(&b'{') {
                return Some(at);
            }
            if matches!(self.text.get(skip(self.text, at + 1)), Some(b'{' | b'[')) {
                return Some(at);
            }
            bracket = bracket.or(Some(at));
            at += 1;
        }
        bracket
    }

    /// Reads a value; its end.
    fn value(&mut self, start: &Start) -> Option<(Tape, usize)> {
        let window = Window::new(self.text, 0, true);
        let mut plain = Plain::default();
        let (mut reader, mut pos) = match start {
            Start::At(at) => (Reader::new(Dialect::JSON, &Limits::DEFAULT), *at),
            Start::Inside(at) => {
                plain.begin_object();
                (Reader::inside_object(Dialect::JSON, &Limits::DEFAULT), *at)
            }
        };
        let stops = [b"```".to_vec()];
        let bounds = Bounds { stops: &stops, outer: None, siblings: &[] };
        match reader.read(&window, &mut pos, bounds, &mut plain) {
            Progress::Done => {}
            Progress::More => {
                pos = self.text.len();
                reader.finish(&window, pos, self.ending, &mut plain);
                // What was broken off says so; only a whole number or literal may end here without a mark.
                self.half = if plain.repairs.is_empty() { self.half } else { 0 };
            }
            Progress::Stopped => reader.finish(&window, pos, Ending::Finished, &mut plain),
            // What was read up to here holds, if it is more than an opener.
            Progress::Failed(_) if plain.tape.len() > 2 => {
                reader.finish(&window, pos, Ending::Unknown, &mut plain);
                self.mark(RepairKind::SurroundingText, pos, self.text.len());
                pos = self.text.len();
            }
            Progress::Failed(_) => return None,
        }
        if let Some(deep) = plain.repairs.iter().find(|repair| repair.kind == RepairKind::TooDeep) {
            self.repairs.push(*deep);
            return None;
        }
        if plain.tape.is_empty() || plain.tape.passed().is_some() {
            return None;
        }
        self.repairs.append(&mut plain.repairs);
        Some((plain.tape, pos))
    }

    /// Where another value begins behind `end`.
    fn another(&self, end: usize) -> Option<usize> {
        let mut next = skip(self.text, end);
        if matches!(self.text.get(next), Some(b';' | b',')) {
            next = skip(self.text, next + 1);
        }
        matches!(self.text.get(next), Some(b'{' | b'[')).then_some(next)
    }

    /// What stands behind the value.
    fn rest(&mut self, end: usize) {
        let mut at = skip(self.text, end);
        if let Some(index) = self.text.get(end..at).and_then(|passed| passed.iter().position(|byte| !is_blank(*byte))) {
            self.mark(RepairKind::OddCharacter, end + index, at);
        }
        if self.text.get(at..).is_some_and(|rest| rest.starts_with(b"```")) {
            if !self.repairs.iter().any(|repair| repair.kind == RepairKind::CodeFence) {
                self.mark(RepairKind::CodeFence, at, at + 3);
            }
            at = skip(self.text, at + 3);
        }
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.is_empty() && self.half == 0 {
            return;
        }
        let bare: Vec<u8> = rest.iter().copied().filter(|byte| !is_blank(*byte)).collect();
        let kind = match bare.as_slice() {
            _ if self.half > 0 => RepairKind::SurroundingText,
            [b','] => RepairKind::TrailingComma,
            all if all.iter().all(|byte| matches!(byte, b'}' | b']')) => RepairKind::ExtraCloser,
            // A member: the object was closed before it.
            [b',', b'"' | b'\'', ..] => RepairKind::AmbiguousCloser,
            _ => RepairKind::SurroundingText,
        };
        self.mark(kind, at, self.text.len() + self.half);
    }
}

enum Start {
    At(usize),
    Inside(usize),
}

fn refused() -> Document {
    Document { value: None, repairs: Vec::new() }
}

/// The first byte from `at` on that is not white space or a byte order mark.
fn skip(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at..) {
            Some([byte, ..]) if is_blank(*byte) || *byte == 0 => at += 1,
            Some([0xEF, 0xBB, 0xBF, ..]) => at += 3,
            _ => return at,
        }
    }
}

/// Where the first quote stands that no backslash escapes.
fn closing(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// A number or literal that is the whole text.
fn is_scalar(text: &[u8]) -> bool {
    use crate::value::Word;
    !matches!(crate::value::classify(text, Limits::DEFAULT.digits), Word::Text | Word::Partial)
}

#[cfg(test)]
mod tests;
