//! The value reader: JSON and its dialects, resumable, with every repair in the place where it happens.
//!
//! [`Reader`] keeps a stack of open containers and one small state; it reads a [`Window`] from a position on and tells a [`Values`]
//! receiver what it sees. It may stop anywhere and go on later. It knows nothing of calls, tags or tools: who reads a call gives it
//! [`Bounds`], the places where the value must be over.
//!
//! On valid JSON no repair branch can be reached: each asks first for something that strict JSON does not have at that place.

mod closers;
mod escapes;
mod keys;
mod layout;
mod lead;
mod strings;
mod words;

use crate::format::{Dialect, Syntax};
use crate::limits::Limits;
use crate::repair::{Repair, RepairKind, Unreadable};
use crate::span::Span;
use crate::window::{Window, is_blank};
pub(crate) use keys::key_stands_at;
use layout::Next;
use strings::{Quote, Str};
pub use words::{Word, classify, is_strict_number};

/// A key that stands where an array item was expected is recognised up to this length.
pub const MAX_STRAY_KEY: usize = 256;

/// What a container is written as.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Container {
    /// An object, or a Python dict.
    Object,
    /// An array, or a Python list, tuple or set.
    Array,
}

/// What a text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The key of a member.
    Key,
    /// A string value.
    Value,
}

/// Who receives what a [`Reader`] sees, in order.
pub trait Values {
    /// A container opens at `at`.
    fn open(&mut self, container: Container, at: usize);
    /// The container that was opened last closes; `end` is one past its closer.
    fn close(&mut self, end: usize);
    /// A key or string starts.
    fn text_begin(&mut self, role: Role, at: usize);
    /// A decoded piece of the text that was begun.
    fn text(&mut self, bytes: &[u8]);
    /// The text is over.
    fn text_end(&mut self, end: usize);
    /// A key or string that is at hand as a whole, and decoded as it stands: the same as the three above, one behind the other.
    fn whole_text(&mut self, role: Role, at: usize, text: &[u8], end: usize) {
        self.text_begin(role, at);
        self.text(text);
        self.text_end(end);
    }
    /// The last key has no value: forget it.
    fn drop_key(&mut self);
    /// The last string item of the open array was a key of the object around: close the array and make it that key.
    fn item_becomes_key(&mut self, at: usize);
    /// The object that was just opened holds items, not members (a Python set): the last key is its first item.
    fn key_becomes_item(&mut self);
    /// A number, as strict JSON text.
    fn number(&mut self, lexeme: &[u8], at: usize);
    /// `true` or `false`.
    fn boolean(&mut self, value: bool, at: usize);
    /// `null`.
    fn null(&mut self, at: usize);
    /// Something was mended.
    fn repair(&mut self, repair: Repair);
    /// How many of the open containers lie around the object that is read for its own sake: behind the end of that, nothing more of it comes.
    fn around(&self) -> usize {
        0
    }
    /// True once it is of no use to read on: asked behind each token, so that it does not depend on how the text came.
    fn is_refused(&self) -> bool {
        false
    }
}

/// Where a value must be over, whatever its own closers say.
#[derive(Copy, Clone)]
pub struct Bounds<'b> {
    /// Markers of the format around: between tokens they end the value.
    pub stops: &'b [Vec<u8>],
    /// The closer of the argument list around, as in `f(a=…)`.
    pub outer: Option<u8>,
    /// Where several objects may stand one behind the other, as if a list were around them: the keys with which they begin most often.
    pub siblings: &'b [&'static str],
}

impl Bounds<'_> {
    /// No bounds: the value stands alone.
    pub const NONE: Bounds<'static> = Bounds { stops: &[], outer: None, siblings: &[] };
}

/// What is known about the end of a text that breaks off.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Nobody knows whether more would have come: numbers are kept, with a mark.
    Unknown,
    /// The writer had finished: a number at the end is whole, missing closers are exact.
    Finished,
    /// It was cut off: a number or literal at the very end is dropped.
    CutOff,
}

/// Why [`Reader::read`] came back.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// More text is needed; at the end of the text, [`Reader::finish`] closes what is open.
    More,
    /// The value is over; the position is one past it.
    Done,
    /// A stop marker stands at the position, or the outer closer; [`Reader::finish`] closes what is open.
    Stopped,
    /// This is not a value, or none that is wanted.
    Failed(Unreadable),
}

/// An open container.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Frame {
    Object,
    /// Opened by `{{`.
    DoubledObject,
    Array,
    /// Opened by `(`; `comma` counts as seen once there was one.
    Tuple,
    /// Opened by `{`, and its first item had no colon.
    Set,
}

impl Frame {
    fn closer(self) -> u8 {
        match self {
            Frame::Object | Frame::DoubledObject | Frame::Set => b'}',
            Frame::Array => b']',
            Frame::Tuple => b')',
        }
    }

    fn is_object(self) -> bool {
        matches!(self, Frame::Object | Frame::DoubledObject)
    }
}

/// What is awaited, or which token is open.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum At {
    /// A value must come.
    Value,
    /// The first item of an array, or its closer.
    FirstItem,
    /// An item after a comma.
    Item,
    /// The first key of an object, or its closer.
    FirstKey,
    /// A key after a comma.
    Key,
    /// A key was read.
    Colon,
    /// A value was read: comma or closer.
    After,
    /// Inside a string or quoted key.
    String,
    /// Inside a bare key.
    BareKey,
    /// Inside bare text, a number or a literal.
    Bare,
    /// Inside a container beyond the depth limit.
    Deep,
    /// The value is over.
    Done,
}

/// How far a container beyond the limit has been passed over.
#[derive(Copy, Clone, Debug, Default)]
struct Deep {
    open: usize,
    in_string: bool,
    escaped: bool,
}

/// What the last item of the innermost array was.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum LastItem {
    Text { bytes: usize },
    Other,
}

/// A comment that is open.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Comment {
    Line { start: usize },
    Block { start: usize },
}

/// A resumable reader of one value.
#[derive(Clone, Debug)]
pub struct Reader {
    dialect: Dialect,
    /// So many containers lie in each other; a deeper one is text.
    deepest: usize,
    /// So many digits has an integer; a longer one is text.
    digits: usize,
    stack: Vec<Frame>,
    at: At,
    /// The string that is open, or was read last.
    string: Str,
    deep: Deep,
    comment: Option<Comment>,
    /// True when the last line comment, behind which nothing stands yet, may have swallowed members or items.
    comment_holds_more: bool,
    /// Where the open bare token started.
    token: usize,
    /// How far the open string or bare token has been looked through.
    scan: usize,
    /// Round and square brackets that are open in bare text.
    brackets: usize,
    /// True once the open bare text can be no number or literal.
    is_text: bool,
    /// A closer of the wrong kind whose class depends on what follows.
    wrong_closer: Option<Span>,
    last_item: LastItem,
    /// True when the whole text is one escape level too deep.
    over_escaped: bool,
    tuple_comma: bool,
    /// True when the key that is read, or was read last, is the first of its object.
    first_key: bool,
    /// The full-width mark that was met last: what it means may await more text, and it is marked once.
    wide: Option<usize>,
    /// Where the last comma stands.
    comma: Span,
    /// Decoded text of the open string that was not handed on yet.
    text: Vec<u8>,
}

impl Reader {
    /// A reader at the start of a value.
    #[must_use]
    pub fn new(dialect: Dialect, limits: &Limits) -> Reader {
        Reader {
            dialect,
            deepest: limits.depth,
            digits: limits.digits,
            stack: Vec::with_capacity(8),
            at: At::Value,
            string: Str::new(Quote::Double, Role::Value, 0),
            deep: Deep::default(),
            comment: None,
            comment_holds_more: false,
            token: 0,
            scan: 0,
            brackets: 0,
            is_text: false,
            wrong_closer: None,
            last_item: LastItem::Other,
            over_escaped: false,
            tuple_comma: false,
            first_key: false,
            wide: None,
            comma: Span::default(),
            text: Vec::new(),
        }
    }

    /// A reader inside an object whose opening brace is missing.
    #[must_use]
    pub fn inside_object(dialect: Dialect, limits: &Limits) -> Reader {
        Reader { stack: vec![Frame::Object], at: At::Key, ..Reader::new(dialect, limits) }
    }

    /// Makes it ready for the next value.
    pub fn restart(&mut self) {
        self.stack.clear();
        self.at = At::Value;
        self.comment = None;
        self.comment_holds_more = false;
        self.wrong_closer = None;
        self.last_item = LastItem::Other;
    }

    /// True before anything of the value was seen.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.stack.is_empty() && matches!(self.at, At::Value)
    }

    /// True while a string is open: what comes is its text.
    #[must_use]
    pub fn in_string(&self) -> bool {
        matches!(self.at, At::String)
    }

    /// How many containers are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Reads on from `pos`, which moves to the first byte that is not settled.
    pub fn read<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Progress {
        loop {
            let step = match self.at {
                At::Done => return Progress::Done,
                At::String => self.string(window, pos, bounds, out),
                At::Bare => self.bare(window, pos, bounds, out),
                At::BareKey => self.bare_key(window, pos, bounds, out),
                At::Deep => self.deep(window, pos, out),
                _ => self.token(window, pos, bounds, out),
            };
            match step {
                Step::Go if out.is_refused() => return Progress::Failed(Unreadable::NotACall),
                Step::Go => {}
                Step::More => return Progress::More,
                Step::Stop => return Progress::Stopped,
                Step::Fail(why) => return Progress::Failed(why),
            }
        }
    }

    /// Closes what is open at `at`, each with its mark.
    pub fn finish<V: Values>(&mut self, window: &Window<'_>, at: usize, ending: Ending, out: &mut V) {
        if let Some(comment) = self.comment.take() {
            let (Comment::Line { start } | Comment::Block { start }) = comment;
            out.repair(Repair::new(RepairKind::Comment, Span::new(start, at)));
        }
        match &self.at {
            At::String => self.finish_string(at, out),
            At::Bare => self.finish_bare(window, at, ending, out),
            At::BareKey => out.repair(Repair::new(RepairKind::DroppedPartialKey, Span::new(self.token, at))),
            At::Deep => {
                out.text_end(at);
                out.repair(Repair::new(RepairKind::ClosedString, Span::new(at, at)));
            }
            At::Colon => self.drop_key(RepairKind::DroppedPartialKey, Span::new(at, at), out),
            At::Value if !self.stack.is_empty() => self.drop_key(RepairKind::DroppedPartialKey, Span::new(at, at), out),
            _ => {}
        }
        self.settle_closer(RepairKind::WrongCloser, out);
        while let Some(frame) = self.stack.pop() {
            let kind = if frame.is_object() { RepairKind::ClosedObject } else { RepairKind::ClosedArray };
            out.close(at);
            out.repair(Repair { kind, span: Span::new(at, at), safe: ending == Ending::Finished && !self.comment_holds_more });
        }
        self.at = At::Done;
    }

    fn finish_string<V: Values>(&mut self, at: usize, out: &mut V) {
        if self.string.role == Role::Key {
            out.text_end(at);
            self.drop_key(RepairKind::DroppedPartialKey, Span::new(self.string.start, at), out);
        } else {
            out.text_end(at);
            out.repair(Repair::new(RepairKind::ClosedString, Span::new(at, at)));
        }
    }

    fn drop_key<V: Values>(&mut self, kind: RepairKind, span: Span, out: &mut V) {
        out.drop_key();
        out.repair(Repair::new(kind, span));
    }

    /// One token between strings and bare text.
    fn token<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let (byte, width) = match self.layout(window, pos, bounds, out) {
            Next::Byte(byte, width) => (byte, width),
            Next::More => return Step::More,
            Next::Stop => return Step::Stop,
        };
        match self.at {
            At::Value => self.value(byte, width, window, pos, bounds, out),
            At::FirstItem | At::Item => self.item(byte, width, window, pos, bounds, out),
            At::FirstKey | At::Key => self.key(byte, width, window, pos, bounds, out),
            At::Colon => self.colon(byte, width, window, pos, out),
            _ => self.after(byte, width, window, pos, bounds, out),
        }
    }

    fn value<V: Values>(&mut self, byte: u8, width: usize, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let at = *pos;
        match byte {
            b'{' => self.open(Frame::Object, At::FirstKey, at, width, pos, out),
            b'[' => self.open(Frame::Array, At::FirstItem, at, width, pos, out),
            b'(' if self.dialect.syntax == Syntax::Python => self.open(Frame::Tuple, At::FirstItem, at, width, pos, out),
            b',' | b'}' | b']' | b')' if self.in_object() => {
                self.drop_key(RepairKind::MissingValue, Span::new(at, at), out);
                self.at = At::After;
                Step::Go
            }
            b')' if bounds.outer == Some(b')') => Step::Stop,
            b',' | b'}' | b']' => Step::Fail(Unreadable::Unexpected),
            b':' if self.in_object() => {
                out.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(at, at + width), safe: false });
                *pos += width;
                Step::Go
            }
            b'"' | b'\'' if self.whole_string(byte, Role::Value, window, pos, bounds, out) => Step::Go,
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' if self.whole_word(window, pos, out) => Step::Go,
            b'"' => match self.lacks_brace(window, at, bounds) {
                None => Step::More,
                Some(false) => self.scalar(byte, Role::Value, window, pos, out),
                Some(true) => {
                    let step = self.open(Frame::Object, At::FirstKey, at, 0, pos, out);
                    out.repair(Repair::new(RepairKind::OpenedObject, Span::new(at, at)));
                    step
                }
            },
            _ => self.scalar(byte, Role::Value, window, pos, out),
        }
    }

    /// Whether the quote at `at`, where a value should be, opens a key: the brace before it is missing. In an array that can be told of its
    /// first item; behind others the array was left open.
    fn lacks_brace(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        if matches!(self.at, At::Item) || self.stack.is_empty() && bounds.siblings.is_empty() {
            return Some(false);
        }
        key_stands_at(window, at)
    }

    /// A string, or bare text.
    fn scalar<V: Values>(&mut self, byte: u8, role: Role, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Step {
        match self.quote(byte, window, *pos) {
            None => Step::More,
            Some(Some((quote, width))) => {
                self.begin_string(quote, width, role, pos, out);
                Step::Go
            }
            Some(None) => {
                self.settle_closer(RepairKind::AmbiguousCloser, out);
                self.token = *pos;
                self.scan = *pos;
                self.brackets = 0;
                self.is_text = false;
                self.at = if role == Role::Key { At::BareKey } else { At::Bare };
                Step::Go
            }
        }
    }

    #[inline]
    fn begin_string<V: Values>(&mut self, quote: Quote, width: usize, role: Role, pos: &mut usize, out: &mut V) {
        self.settle_closer(RepairKind::AmbiguousCloser, out);
        let at = *pos;
        if quote != Quote::Double || width > 1 {
            self.mark_quote(quote, Span::new(at, at + width), out);
        }
        out.text_begin(role, at);
        *pos += width;
        self.scan = *pos;
        self.string = Str::new(quote, role, at);
        self.at = At::String;
    }

    /// The mark of a quote that is not JSON's, or was written twice.
    #[cold]
    fn mark_quote<V: Values>(&self, quote: Quote, span: Span, out: &mut V) {
        if let Some(kind) = self.quote_repair(quote) {
            out.repair(Repair::new(kind, span));
        } else if quote == Quote::Escaped {
            if !self.over_escaped {
                out.repair(Repair { kind: RepairKind::OverEscaped, span, safe: false });
            }
        } else if quote == Quote::Double && self.dialect.syntax != Syntax::Python {
            out.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(span.start, span.start + 1), safe: false });
        }
    }

    fn open<V: Values>(&mut self, frame: Frame, at: At, start: usize, width: usize, pos: &mut usize, out: &mut V) -> Step {
        self.settle_closer(RepairKind::AmbiguousCloser, out);
        if self.stack.len() >= self.deepest {
            out.repair(Repair::new(RepairKind::TooDeep, Span::new(start, start + width)));
            out.text_begin(Role::Value, start);
            self.deep = Deep::default();
            self.at = At::Deep;
            return Step::Go;
        }
        out.open(if frame.is_object() { Container::Object } else { Container::Array }, start);
        self.stack.push(frame);
        self.tuple_comma = false;
        self.at = at;
        *pos += width;
        Step::Go
    }

    fn item<V: Values>(&mut self, byte: u8, width: usize, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        match byte {
            b']' | b'}' | b')' => {
                if matches!(self.at, At::Item) {
                    if self.stack.last() != Some(&Frame::Tuple) {
                        self.trailing_comma(out);
                    }
                } else {
                    self.tuple_comma = true;
                }
                self.closer(byte, width, window, pos, bounds, out)
            }
            b',' => self.extra_comma(width, pos, out),
            b'.' | 0xE2 => match self.ellipsis(window, pos, out) {
                None => Step::More,
                Some(true) => self.become_after(),
                Some(false) => self.value(byte, width, window, pos, bounds, out),
            },
            _ => self.value(byte, width, window, pos, bounds, out),
        }
    }

    fn become_after(&mut self) -> Step {
        self.at = At::After;
        self.last_item = LastItem::Other;
        Step::Go
    }

    fn extra_comma<V: Values>(&mut self, width: usize, pos: &mut usize, out: &mut V) -> Step {
        out.repair(Repair::new(RepairKind::ExtraComma, Span::new(*pos, *pos + width)));
        *pos += width;
        Step::Go
    }

    /// Python allows a comma before a closer; JSON does not.
    fn trailing_comma<V: Values>(&mut self, out: &mut V) {
        if self.dialect.syntax != Syntax::Python {
            let comma = std::mem::take(&mut self.comma);
            if !comma.is_empty() {
                out.repair(Repair::new(RepairKind::TrailingComma, comma));
            }
        }
    }

    fn key<V: Values>(&mut self, byte: u8, width: usize, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let at = *pos;
        self.first_key = matches!(self.at, At::FirstKey);
        match byte {
            b'"' | b'\'' if self.whole_string(byte, Role::Key, window, pos, bounds, out) => Step::Go,
            b'}' | b']' | b')' => {
                if !self.first_key {
                    self.trailing_comma(out);
                }
                self.closer(byte, width, window, pos, bounds, out)
            }
            b',' => self.extra_comma(width, pos, out),
            b'{' if self.first_key && self.stack.last() == Some(&Frame::Object) => {
                out.repair(Repair::new(RepairKind::DoubledBraces, Span::new(at, at + width)));
                if let Some(frame) = self.stack.last_mut() {
                    *frame = Frame::DoubledObject;
                }
                *pos += width;
                Step::Go
            }
            b'{' if !self.first_key => match self.next_item_begins(window, at, bounds) {
                None => Step::More,
                Some(true) => self.next_item(width, pos, out),
                Some(false) => Step::Fail(Unreadable::Unexpected),
            },
            b'\\' => match window.get(at + 1) {
                None if !window.last => Step::More,
                Some(b'"') => {
                    if !self.over_escaped {
                        self.over_escaped = true;
                        out.repair(Repair::new(RepairKind::OverEscaped, Span::new(at, at + 2)));
                    }
                    self.begin_string(Quote::Escaped, 2, Role::Key, pos, out);
                    Step::Go
                }
                _ => Step::Fail(Unreadable::Unexpected),
            },
            b'.' | 0xE2 => match self.ellipsis(window, pos, out) {
                None => Step::More,
                Some(true) => self.become_after(),
                Some(false) => self.scalar(byte, Role::Key, window, pos, out),
            },
            b'[' | b'{' | b'(' | b'<' | b'>' | b'=' | b':' | b'!' | b'?' | b';' | b'|' | b'&' | b'^' | b'~'
                if !self.is_string_start(window, at) =>
            {
                Step::Fail(Unreadable::Unexpected)
            }
            _ => self.scalar(byte, Role::Key, window, pos, out),
        }
    }

    /// Whether the object at `at`, where a key should be, is one that follows the one that is open, which was left open.
    fn next_item_begins(&self, window: &Window<'_>, at: usize, bounds: Bounds<'_>) -> Option<bool> {
        if self.stack.iter().any(|frame| !frame.is_object()) { Some(true) } else { self.opens_sibling(window, at, bounds) }
    }

    /// Closes the innermost item of an array, or the value itself where others may follow it, and opens the next.
    fn next_item<V: Values>(&mut self, width: usize, pos: &mut usize, out: &mut V) -> Step {
        let at = *pos;
        self.settle_closer(RepairKind::AmbiguousCloser, out);
        out.repair(Repair::new(RepairKind::AmbiguousCloser, Span::new(self.comma.start, at)));
        while self.in_object() {
            self.stack.pop();
            out.close(self.comma.start);
        }
        let step = self.open(Frame::Object, At::FirstKey, at, width, pos, out);
        // It may as well belong to what was closed.
        out.repair(Repair::new(RepairKind::AmbiguousCloser, Span::new(at, at + width)));
        step
    }

    fn is_string_start(&self, window: &Window<'_>, at: usize) -> bool {
        self.dialect.quote.is_some_and(|quote| window.starts_with(at, quote.as_bytes()) != Some(false))
    }

    /// `...` or `…` in place of a member or item.
    fn ellipsis<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Option<bool> {
        for dots in ["...", "…"] {
            if window.starts_with(*pos, dots.as_bytes())? {
                out.repair(Repair::new(RepairKind::Ellipsis, Span::new(*pos, *pos + dots.len())));
                *pos += dots.len();
                return Some(true);
            }
        }
        Some(false)
    }

    fn colon<V: Values>(&mut self, byte: u8, width: usize, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Step {
        let at = *pos;
        match byte {
            b':' => *pos += width,
            b'=' => {
                let arrow = match window.get(at + 1) {
                    None if !window.last => return Step::More,
                    next => next == Some(b'>'),
                };
                *pos += 1 + usize::from(arrow);
                out.repair(Repair::new(RepairKind::MissingColon, Span::new(at, *pos)));
            }
            b',' | b'}' | b']' if self.set_begins(byte) => {
                if let Some(frame) = self.stack.last_mut() {
                    *frame = Frame::Set;
                }
                out.key_becomes_item();
                self.at = At::After;
                return Step::Go;
            }
            b',' | b'}' | b']' | b')' => {
                self.drop_key(RepairKind::MissingValue, Span::new(at, at), out);
                self.at = At::After;
                return Step::Go;
            }
            _ => out.repair(Repair::new(RepairKind::MissingColon, Span::new(at, at))),
        }
        self.at = At::Value;
        Step::Go
    }

    fn set_begins(&self, byte: u8) -> bool {
        self.dialect.syntax == Syntax::Python && self.first_key && byte != b']' && self.stack.last() == Some(&Frame::Object)
    }

    fn after<V: Values>(&mut self, byte: u8, width: usize, window: &Window<'_>, pos: &mut usize, bounds: Bounds<'_>, out: &mut V) -> Step {
        let at = *pos;
        let object = self.in_object();
        match byte {
            b',' => {
                self.comma = Span::new(at, at + width);
                *pos += width;
                self.tuple_comma = true;
                self.at = if object { At::Key } else { At::Item };
                Step::Go
            }
            b'}' | b']' | b')' => self.closer(byte, width, window, pos, bounds, out),
            b':' if self.stray_key() => {
                out.repair(Repair::new(RepairKind::AmbiguousCloser, Span::new(at, at)));
                self.stack.pop();
                out.item_becomes_key(at);
                *pos += width;
                self.at = At::Value;
                Step::Go
            }
            b':' | b'=' | b';' | b'>' | b'|' | b'+' | b'*' if !matches!(byte, b'+') || object => {
                out.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(at, at + width), safe: false });
                *pos += width;
                Step::Go
            }
            _ => self.missing_comma(byte, width, window, pos, bounds, out),
        }
    }

    /// A colon after a string item: the array was left open before the next member.
    fn stray_key(&self) -> bool {
        let (Some(top), Some(around)) = (self.stack.last(), self.stack.len().checked_sub(2).and_then(|index| self.stack.get(index))) else {
            return false;
        };
        let short = matches!(self.last_item, LastItem::Text { bytes } if bytes <= MAX_STRAY_KEY);
        *top == Frame::Array && around.is_object() && short
    }

    fn missing_comma<V: Values>(
        &mut self,
        byte: u8,
        width: usize,
        window: &Window<'_>,
        pos: &mut usize,
        bounds: Bounds<'_>,
        out: &mut V,
    ) -> Step {
        let at = *pos;
        if self.in_object() {
            out.repair(Repair::new(RepairKind::MissingComma, Span::new(at, at)));
            self.comma = Span::new(at, at);
            self.at = At::Key;
            return self.key(byte, width, window, pos, bounds, out);
        }
        let quoted = match self.quote(byte, window, at) {
            None => return Step::More,
            Some(quote) => quote.is_some(),
        };
        let adjacent = quoted && matches!(self.last_item, LastItem::Text { .. });
        let kind = if adjacent { RepairKind::AdjacentStrings } else { RepairKind::MissingComma };
        out.repair(Repair::new(kind, Span::new(at, at)));
        self.at = At::Item;
        self.item(byte, width, window, pos, bounds, out)
    }

    fn in_object(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.is_object())
    }

    /// A container beyond the limit is kept as its text.
    fn deep<V: Values>(&mut self, window: &Window<'_>, pos: &mut usize, out: &mut V) -> Step {
        let deep = &mut self.deep;
        let rest = window.from(*pos);
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                _ if deep.escaped => deep.escaped = false,
                b'\\' if deep.in_string => deep.escaped = true,
                b'"' => deep.in_string = !deep.in_string,
                b'{' | b'[' | b'(' if !deep.in_string => deep.open += 1,
                b'}' | b']' | b')' if !deep.in_string => deep.open = deep.open.saturating_sub(1),
                _ => {}
            }
            if deep.open == 0 && !deep.in_string {
                out.text(rest.get(..=index).unwrap_or_default());
                *pos += index + 1;
                out.text_end(*pos);
                self.value_over();
                return Step::Go;
            }
        }
        out.text(rest);
        *pos += rest.len();
        Step::More
    }
}

/// What one step of the reader came to.
enum Step {
    Go,
    More,
    Stop,
    Fail(Unreadable),
}

/// A table of the ASCII letters and digits and of `others`: one load for each byte that is looked at.
const fn alphanumeric_or(others: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut index = 0;
    while index < others.len() {
        table[others[index] as usize] = true;
        index += 1;
    }
    table
}

/// The bytes below 0x80 that may stand in a bare word.
const IN_WORD: [bool; 256] = alphanumeric_or(b"_-.$");

/// True for a byte that may stand in a bare word.
fn is_word(byte: u8) -> bool {
    IN_WORD[byte as usize] || byte >= 0x80
}

/// True when only white space stands in `bytes`.
fn is_all_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| is_blank(*byte))
}

#[cfg(test)]
mod tests;
