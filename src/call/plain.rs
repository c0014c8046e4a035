//! One value that stands alone: [`read_whole`], and [`Plain`], which records it.

use crate::format::Dialect;
use crate::limits::Limits;
use crate::members::Members;
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::tape::{Node, Tape};
use crate::value::{Bounds, Container, Ending, Progress, Reader, Role, Values};
use crate::window::{Window, is_blank};

/// Reads one value that fills `text`.
#[must_use]
pub fn read_whole(text: &[u8], dialect: Dialect, limits: &Limits) -> Option<(Tape, Vec<Repair>)> {
    let window = Window::new(text, 0, true);
    let mut reader = Reader::new(dialect, limits);
    let mut plain = Plain::within(limits);
    let mut pos = 0;
    match reader.read(&window, &mut pos, Bounds::NONE, &mut plain) {
        Progress::Done => plain.repairs.extend(behind_whole(text, pos)?),
        Progress::More => reader.finish(&window, text.len(), Ending::Unknown, &mut plain),
        Progress::Stopped | Progress::Failed(_) => return None,
    }
    Some((plain.tape, plain.repairs))
}

/// What may stand behind a value that fills a text: closers that close nothing, and a comment.
fn behind_whole(text: &[u8], at: usize) -> Option<Vec<Repair>> {
    let mut repairs = Vec::new();
    for (index, byte) in text.iter().enumerate().skip(at) {
        match byte {
            b'}' | b']' => repairs.push(Repair::new(RepairKind::ExtraCloser, Span::new(index, index + 1))),
            b'#' | b'/' if matches!(text.get(index..), Some([b'#', ..] | [b'/', b'/', ..])) => {
                repairs.push(Repair::new(RepairKind::Comment, Span::new(index, text.len())));
                return Some(repairs);
            }
            _ if is_blank(*byte) => {}
            _ => return None,
        }
    }
    Some(repairs)
}

/// A receiver that records one value.
#[derive(Default, Debug, Clone)]
pub struct Plain {
    /// The value.
    pub tape: Tape,
    /// What was mended.
    pub repairs: Vec<Repair>,
    members: Members,
}

impl Plain {
    /// One that takes in as much as a call may hold.
    #[must_use]
    pub fn within(limits: &Limits) -> Plain {
        Plain { tape: Tape::within(limits.nodes, limits.call_bytes), ..Plain::default() }
    }

    /// Opens an object whose brace is missing.
    pub fn begin_object(&mut self) {
        self.open(Container::Object, 0);
    }
}

impl Values for Plain {
    fn open(&mut self, container: Container, _at: usize) {
        self.tape.push(if container == Container::Object { Node::Object } else { Node::Array });
        self.members.open();
    }

    fn close(&mut self, _end: usize) {
        self.tape.push(Node::Close);
        for at in self.members.close(&self.tape) {
            Repair::new(RepairKind::DuplicateKey, Span::new(at, at)).add_to(&mut self.repairs);
        }
    }

    fn text_begin(&mut self, role: Role, at: usize) {
        let slice = self.tape.begin();
        if role == Role::Key {
            self.members.begin(at, &self.tape);
        }
        self.tape.push(if role == Role::Key { Node::Key(slice) } else { Node::Str(slice) });
    }

    fn text(&mut self, bytes: &[u8]) {
        self.tape.extend(bytes);
    }

    fn text_end(&mut self, _end: usize) {
        if let Some(Node::Key(slice)) = self.tape.nodes().last() {
            self.members.end(*slice, self.tape.text(*slice));
        }
    }

    fn whole_text(&mut self, role: Role, at: usize, text: &[u8], _end: usize) {
        if role == Role::Key {
            let slice = self.tape.key(text);
            self.members.add(at, slice, text);
        } else {
            self.tape.string(text);
        }
    }

    fn drop_key(&mut self) {
        if matches!(self.tape.nodes().last(), Some(Node::Key(_))) {
            let mark = self.tape.bookmark_before_last();
            self.tape.rewind(mark);
            self.members.forget_last();
        }
    }

    fn item_becomes_key(&mut self, at: usize) {
        let key = self.tape.last_text().map(<[u8]>::to_vec).unwrap_or_default();
        let mark = self.tape.bookmark_before_last();
        self.tape.rewind(mark);
        self.close(at);
        self.text_begin(Role::Key, at);
        self.text(&key);
        self.text_end(at);
    }

    fn key_becomes_item(&mut self) {
        let object = self.tape.len().saturating_sub(2);
        self.tape.object_to_array(object);
        self.tape.retype(Node::Str);
        self.members.forget_last();
    }

    fn number(&mut self, lexeme: &[u8], _at: usize) {
        self.tape.number(lexeme);
    }

    fn boolean(&mut self, value: bool, _at: usize) {
        self.tape.push(Node::Bool(value));
    }

    fn null(&mut self, _at: usize) {
        self.tape.push(Node::Null);
    }

    fn repair(&mut self, repair: Repair) {
        repair.add_to(&mut self.repairs);
    }
}
