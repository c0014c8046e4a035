//! A tape as strict JSON text, all at once or as far as it is certain.

use crate::scan::find_in_string;
use crate::tape::{Node, Tape};
use crate::utf8::{incomplete_tail, lossy};
use crate::value::MAX_STRAY_KEY;

/// How much of a tape was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    node: usize,
    offset: usize,
    in_text: bool,
    /// For each open container: whether it is an object, and whether something stands in it.
    open: Vec<(bool, bool)>,
    after_key: bool,
}

/// The whole tape.
#[must_use]
pub fn to_json(tape: &Tape) -> String {
    let mut out = String::with_capacity(64);
    Cursor::default().write(tape, tape.len(), true, &mut out);
    out
}

impl Cursor {
    /// Writes what is new and certain. Nodes from `hold` on are left; `done`: nothing will be added any more.
    pub fn write(&mut self, tape: &Tape, hold: usize, done: bool, out: &mut String) {
        let known = if done { tape.len() } else { hold.min(tape.len()) };
        let end = if done { known } else { certain(tape, known) };
        while self.node < end {
            let last = self.node + 1 == known && !done;
            if !self.node(tape, last, out) {
                return;
            }
        }
    }

    /// Writes one node. False: it is open, and written as far as it goes.
    fn node(&mut self, tape: &Tape, last: bool, out: &mut String) -> bool {
        let Some(node) = tape.nodes().get(self.node) else { return false };
        match node {
            Node::Object => self.container('{', true, out),
            Node::Array => self.container('[', false, out),
            Node::Close => {
                let object = self.open.pop().is_some_and(|(object, _)| object);
                out.push(if object { '}' } else { ']' });
            }
            Node::Key(slice) => {
                self.comma(out);
                out.push('"');
                escape(&lossy(tape.text(*slice)), out);
                out.push_str("\":");
                self.after_key = true;
            }
            Node::Str(slice) => {
                if !self.in_text {
                    if last && self.in_nested_array() && slice.len() <= MAX_STRAY_KEY {
                        return false;
                    }
                    self.comma(out);
                    out.push('"');
                    self.in_text = true;
                    self.offset = 0;
                }
                let text = tape.text(*slice);
                // What joins two strings may complete a character that neither of them holds.
                let end = text.len() - if last { incomplete_tail(text) } else { 0 };
                escape(&lossy(text.get(self.offset..end).unwrap_or_default()), out);
                self.offset = end;
                if last {
                    return false;
                }
                out.push('"');
                self.in_text = false;
            }
            Node::Number(slice) => {
                self.comma(out);
                out.push_str(&lossy(tape.text(*slice)));
            }
            Node::Bool(value) => {
                self.comma(out);
                out.push_str(if *value { "true" } else { "false" });
            }
            Node::Null => {
                self.comma(out);
                out.push_str("null");
            }
        }
        self.node += 1;
        true
    }

    fn container(&mut self, opener: char, object: bool, out: &mut String) {
        self.comma(out);
        out.push(opener);
        self.open.push((object, false));
    }

    fn comma(&mut self, out: &mut String) {
        if std::mem::take(&mut self.after_key) {
            return;
        }
        if let Some((_, filled)) = self.open.last_mut()
            && std::mem::replace(filled, true)
        {
            out.push(',');
        }
    }

    /// In an array inside an object a short string may still turn out to be a key.
    fn in_nested_array(&self) -> bool {
        self.open.len() > 1 && self.open.last().is_some_and(|(object, _)| !object)
    }
}

/// One past the last node that nothing can take back: a key without a value may be dropped, and an object that holds nothing but a key may
/// turn out to be a set.
fn certain(tape: &Tape, end: usize) -> usize {
    let nodes = tape.nodes();
    let key = usize::from(end > 0 && matches!(nodes.get(end - 1), Some(Node::Key(_))));
    let before = end - key;
    let object = before > 1 && matches!(nodes.get(before - 1), Some(Node::Object));
    before - usize::from(object) - usize::from(object && matches!(nodes.get(before - 2), Some(Node::Key(_))))
}

/// Writes text as the inside of a JSON string.
pub(crate) fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(index) = find_in_string(rest.as_bytes()) {
        let (plain, tail) = rest.split_at(index);
        out.push_str(plain);
        let byte = tail.as_bytes().first().copied().unwrap_or_default();
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            _ => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                out.push_str("\\u00");
                out.push(char::from(HEX[usize::from(byte >> 4)]));
                out.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
        rest = tail.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}
