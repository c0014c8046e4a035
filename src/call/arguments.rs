//! [`Arguments`]: fills a call with what a reader of values sees.

use super::{ArgumentsState, Call};
use crate::repair::Repair;
use crate::tape::Node;
use crate::tools::Tools;
use crate::value::{Container, Role, Values};

/// Fills the arguments of a call with what a reader sees, and types the members at the top by the tool's schema.
pub struct Arguments<'c> {
    /// The call.
    pub call: &'c mut Call,
    /// What is offered.
    pub tools: &'c Tools,
}

impl Values for Arguments<'_> {
    fn open(&mut self, container: Container, _at: usize) {
        let call = &mut *self.call;
        call.tape.push(if container == Container::Object { Node::Object } else { Node::Array });
        call.members.open();
        if call.depth == 0 {
            call.arguments = ArgumentsState::Open;
        }
        call.depth += 1;
    }

    fn close(&mut self, _end: usize) {
        let call = &mut *self.call;
        call.check_keys();
        call.tape.push(Node::Close);
        call.depth = call.depth.saturating_sub(1);
        if call.depth == 0 {
            call.arguments = ArgumentsState::Closed;
        }
    }

    fn text_begin(&mut self, role: Role, at: usize) {
        let call = &mut *self.call;
        let slice = call.tape.begin();
        if role == Role::Key {
            if call.tape.passed().is_none() {
                call.members.begin(at, &call.tape);
            }
            call.tape.push(Node::Key(slice));
        } else {
            if call.depth == 1 && call.wants_no_string() {
                call.hold = Some(call.tape.len());
            }
            call.tape.push(Node::Str(slice));
        }
    }

    #[inline]
    fn text(&mut self, bytes: &[u8]) {
        self.call.tape.extend(bytes);
    }

    fn text_end(&mut self, end: usize) {
        let call = &mut *self.call;
        match call.tape.nodes().last() {
            Some(Node::Key(slice)) => {
                let slice = *slice;
                let key = call.tape.text(slice);
                call.members.end(slice, key);
                if call.depth == 1 {
                    call.types = call.types_of(key, self.tools);
                    let key = key.to_vec();
                    call.note_wrapper(&key, self.tools);
                }
            }
            Some(Node::Str(_)) if call.depth == 1 && call.hold.is_some() => {
                call.hold = None;
                call.coerce(end);
            }
            _ => {}
        }
    }

    #[inline]
    fn whole_text(&mut self, role: Role, at: usize, text: &[u8], end: usize) {
        let call = &mut *self.call;
        if role == Role::Key {
            let slice = call.tape.key(text);
            if call.tape.passed().is_none() {
                call.members.add(at, slice, text);
            }
            if call.depth == 1 {
                call.types = call.types_of(text, self.tools);
                call.note_wrapper(text, self.tools);
            }
        } else {
            call.tape.string(text);
            if call.depth == 1 && call.wants_no_string() {
                call.coerce(end);
            }
        }
    }

    fn drop_key(&mut self) {
        self.call.drop_key();
    }

    fn item_becomes_key(&mut self, at: usize) {
        let key = self.call.tape.last_text().map(<[u8]>::to_vec).unwrap_or_default();
        let mark = self.call.tape.bookmark_before_last();
        self.call.tape.rewind(mark);
        self.close(at);
        self.text_begin(Role::Key, at);
        self.text(&key);
        self.text_end(at);
    }

    fn key_becomes_item(&mut self) {
        let call = &mut *self.call;
        let object = call.tape.len().saturating_sub(2);
        call.tape.object_to_array(object);
        call.tape.retype(Node::Str);
        call.members.forget_last();
    }

    fn number(&mut self, lexeme: &[u8], _at: usize) {
        self.call.tape.number(lexeme);
    }

    fn boolean(&mut self, value: bool, _at: usize) {
        self.call.tape.push(Node::Bool(value));
    }

    fn null(&mut self, _at: usize) {
        self.call.tape.push(Node::Null);
    }

    fn repair(&mut self, repair: Repair) {
        self.call.repair(repair);
    }
}
