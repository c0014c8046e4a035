//! [`Call`]: a call while it is read, and [`Arguments`], which fills it.

mod arguments;
mod plain;
mod written;

pub use arguments::Arguments;
pub use plain::{Plain, read_whole};
pub use written::TypeSource;
use written::{Strictness, Value, is_json_begun, read_cut, value_of};

use crate::format::{Format, Shape, Space};
use crate::limits::{Limit, Limits};
use crate::members::Members;
use crate::repair::{FaultKind, Repair, RepairKind};
use crate::span::Span;
use crate::spellings::Spelled;
use crate::tape::{Node, Tape};
use crate::tools::{ToolId, Tools, TypeSet, Typed, Unknown, classify, coerce_string};
use crate::value::{Container, Ending};
use memchr::memmem;
use std::collections::HashSet;

/// What is known of a call's name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Known {
    /// It was not read yet.
    Unread,
    /// It is offered; without a tool when every name is taken.
    Offered(Option<ToolId>),
    /// It is not offered.
    Unknown,
}

/// What is known of a call's arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgumentsState {
    /// Nothing yet.
    Missing,
    /// The object is open.
    Open,
    /// The object is closed.
    Closed,
    /// A string that may hold the object.
    Text(Vec<u8>),
    /// Something else.
    Other,
}

/// How a call ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The format said that it is over.
    Closed,
    /// Its arguments were closed; something else stands where its own closer belongs.
    Followed,
    /// Its arguments were closed; the reply ended before its own closer.
    Unwrapped,
    /// The reply broke off inside.
    Cut,
}

impl End {
    /// True when the format writes a closer that never came.
    #[must_use]
    pub fn lacks_closer(self) -> bool {
        matches!(self, End::Followed | End::Unwrapped)
    }
}

/// A call while it is read, and when it was.
#[derive(Clone, Debug)]
pub struct Call {
    /// The row that reads it.
    pub format: &'static str,
    /// How sure its markup is.
    pub shape: Shape,
    /// White space around it.
    pub space: Space,
    /// The name as written.
    pub name: Vec<u8>,
    /// Whether it is offered.
    pub known: Known,
    /// The id that the model wrote.
    pub native_id: Option<Vec<u8>>,
    /// True when the id came after the call was certain.
    pub late_id: bool,
    /// The arguments.
    pub tape: Tape,
    /// How far they are.
    pub arguments: ArgumentsState,
    /// What was mended.
    pub repairs: Vec<Repair>,
    /// Its place in the reply.
    pub span: Span,
    /// How it ended.
    pub end: End,
    /// Why it is no call.
    pub fault: Option<FaultKind>,
    /// Nodes from here on may still change: they are not to be handed out.
    pub hold: Option<usize>,
    /// True for an item of a list that is itself still open.
    pub listed: bool,
    /// Set by the receiver: the place among the calls handed out.
    pub index: Option<usize>,
    /// Set by the receiver: how much of the arguments was handed out.
    pub sent: crate::collect::json::Cursor,
    limits: Limits,
    /// True as long as the arguments may turn out to be wrapped in others: they are not to be handed out.
    pub wrapped: bool,
    depth: usize,
    types: TypeSet,
    members: Members,
}

impl Call {
    /// A call of `format` that starts at `start`.
    #[must_use]
    pub fn new(format: &Format, start: usize, limits: &Limits) -> Call {
        let mut tape = Tape::within(limits.nodes, limits.call_bytes);
        tape.reserve();
        Call {
            format: format.name,
            shape: format.shape,
            space: format.space,
            name: Vec::new(),
            known: Known::Unread,
            native_id: None,
            late_id: false,
            tape,
            arguments: ArgumentsState::Missing,
            repairs: Vec::new(),
            span: Span::new(start, start),
            end: End::Cut,
            fault: None,
            hold: None,
            listed: false,
            index: None,
            sent: crate::collect::json::Cursor::default(),
            limits: *limits,
            wrapped: false,
            depth: 0,
            types: TypeSet::EMPTY,
            members: Members::with_room(),
        }
    }

    /// Takes the name, and asks whether it is offered.
    pub fn set_name(&mut self, name: &[u8], tools: &Tools) {
        self.name.clear();
        self.name.extend_from_slice(name);
        self.known = match tools.find(name) {
            _ if name.len() > self.limits.name => Known::Unknown,
            Some(tool) => Known::Offered(Some(tool)),
            None if tools.is_any() && !name.is_empty() => Known::Offered(None),
            None => Known::Unknown,
        };
    }

    /// The tool, if it is known.
    #[must_use]
    pub fn tool(&self) -> Option<ToolId> {
        match self.known {
            Known::Offered(tool) => tool,
            _ => None,
        }
    }

    /// True once it is certain: the name is offered, and the arguments are an object in which something stands, or that is closed.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.is_begun() && self.fault.is_none()
    }

    fn is_begun(&self) -> bool {
        let begun = match self.arguments {
            ArgumentsState::Closed => true,
            // An object that was only opened may be all that there is of a cut call, and a wrapper may be all that there is of an object.
            ArgumentsState::Open => self.tape.len() > 2 && !self.wrapped,
            _ => false,
        };
        begun && matches!(self.known, Known::Offered(_))
    }

    /// Nodes from here on may still change: they are not to be handed out.
    #[must_use]
    pub fn held_from(&self) -> usize {
        // The outermost brace is the same, wrapped or not.
        if self.wrapped { 1 } else { self.hold.unwrap_or(usize::MAX) }
    }

    /// True when a stream may have told the beginning of it by the time that it was found too large.
    #[must_use]
    pub fn may_be_told(&self) -> bool {
        self.is_begun() && self.tape.passed().is_some()
    }

    /// True while an error may have to quote its text.
    #[must_use]
    pub fn may_be_quoted(&self) -> bool {
        !self.is_certain() && self.tape.passed().is_none()
    }

    /// True when it makes a candidate certain. Having been found too large takes nothing back: a stream may have told it.
    #[must_use]
    pub fn vouches(&self) -> bool {
        self.is_certain() || self.may_be_told()
    }

    /// What passed a limit is no call.
    pub fn check_limits(&mut self) {
        if let Some(limit) = self.tape.passed() {
            self.fault = Some(FaultKind::Limit(limit));
        } else if self.name.len() > self.limits.name {
            self.fault = Some(FaultKind::Limit(Limit::Name));
        }
    }

    /// Why a call that cannot be read on is none.
    #[must_use]
    pub fn fault_or(&self, fault: FaultKind) -> FaultKind {
        self.tape.passed().map_or(fault, FaultKind::Limit)
    }

    /// Adds a repair; neighbours of one kind are one repair.
    pub fn repair(&mut self, repair: Repair) {
        // Of a call that is none nobody asks what was mended.
        if self.tape.passed().is_none() {
            repair.add_to(&mut self.repairs);
        }
    }

    /// Adds a repair of a kind.
    pub fn mark(&mut self, kind: RepairKind, span: Span) {
        self.repair(Repair::new(kind, span));
    }

    /// Gives it an empty object for arguments.
    pub fn no_arguments(&mut self) {
        self.tape = self.tape.emptied();
        self.tape.push(Node::Object);
        self.tape.push(Node::Close);
        self.arguments = ArgumentsState::Closed;
    }

    /// Opens the object of arguments that the format does not write as one.
    pub fn open_arguments(&mut self) {
        self.tape.push(Node::Object);
        self.members.open();
        self.depth = 1;
        self.arguments = ArgumentsState::Open;
    }

    /// Closes the object that [`Call::open_arguments`] opened.
    pub fn close_arguments(&mut self) {
        if self.depth > 0 {
            self.drop_key();
            self.check_keys();
            self.tape.push(Node::Close);
            self.depth = 0;
        }
        self.arguments = ArgumentsState::Closed;
    }

    /// Takes back a key behind which no value came.
    fn drop_key(&mut self) {
        if matches!(self.tape.nodes().last(), Some(Node::Key(_))) {
            let mark = self.tape.bookmark_before_last();
            self.tape.rewind(mark);
            self.members.forget_last();
        }
    }

    /// Starts an argument: its key, and the types that its schema admits.
    pub fn key(&mut self, key: &[u8], at: usize, tools: &Tools) -> TypeSet {
        let slice = self.tape.key(key);
        if self.tape.passed().is_none() {
            self.members.add(at, slice, key);
        }
        self.types = self.types_of(key, tools);
        self.note_wrapper(key, tools);
        self.types
    }

    /// Behind a key at the top of the arguments: whether all so far are those of a wrapper.
    fn note_wrapper(&mut self, key: &[u8], tools: &Tools) {
        if self.wrapped || self.tape.len() == 2 {
            self.wrapped = Spelled::of(key).is_some() && self.is_undeclared(key, tools);
        }
    }

    /// True when the tool says which arguments it takes, and this is none of them.
    fn is_undeclared(&self, key: &[u8], tools: &Tools) -> bool {
        self.tool().and_then(|tool| tools.declares(tool, key)) == Some(false)
    }

    /// Arguments that stand inside others, as in `{"arguments": {"city": …}}`, become those: if the tool takes no argument of the outer name,
    /// and takes all of the inner ones, and a name that stands beside them is that of the call.
    pub fn unwrap_arguments(&mut self, tools: &Tools) {
        self.wrapped = false;
        let Some((start, end)) = self.wrapped_object(tools) else { return };
        self.keep_object(start, end);
        self.retype(tools);
        self.mark(RepairKind::AlternateKey, Span::new(self.span.end, self.span.end));
    }

    /// Makes an object that stands in the arguments, in these nodes, the arguments.
    fn keep_object(&mut self, start: usize, end: usize) {
        let empty = self.tape.emptied();
        let old = std::mem::replace(&mut self.tape, empty);
        self.tape.append_range(&old, start, end);
    }

    /// Takes the name and the arguments out of an object that holds both, where arguments alone should stand. True when it does.
    pub fn take_name(&mut self, tools: &Tools) -> bool {
        let mut name = None;
        let mut inner = None;
        for (key, start, end) in self.tape.members(0) {
            match (Spelled::of(key), self.tape.nodes().get(start)) {
                (Some(Spelled::Name), Some(Node::Str(slice))) if name.is_none() => name = Some(self.tape.text(*slice).to_vec()),
                (Some(Spelled::Arguments), Some(Node::Object)) if inner.is_none() => inner = Some((start, end)),
                _ => return false,
            }
        }
        let (Some(name), Some((start, end))) = (name, inner) else { return false };
        self.keep_object(start, end);
        self.fault = None;
        self.set_name(&name, tools);
        self.retype(tools);
        self.mark(RepairKind::AlternateKey, Span::new(self.span.start, self.span.start));
        true
    }

    /// The nodes of the object that the arguments wrap.
    fn wrapped_object(&self, tools: &Tools) -> Option<(usize, usize)> {
        let mut inner = None;
        for (key, start, end) in self.tape.members(0) {
            match (Spelled::of(key)?, self.tape.nodes().get(start)?) {
                _ if !self.is_undeclared(key, tools) => return None,
                (Spelled::Arguments, Node::Object) if inner.is_none() => inner = Some((start, end)),
                (Spelled::Name, Node::Str(slice)) if self.tape.text(*slice) == self.name => {}
                _ => return None,
            }
        }
        let (start, _) = inner?;
        let takes_all = self.tape.members(start).all(|(key, ..)| !self.is_undeclared(key, tools));
        inner.filter(|_| takes_all)
    }

    /// Takes the members of an object that was written at `at` for arguments.
    pub fn spread(&mut self, object: &Tape, at: usize, tools: &Tools) {
        let end = object.len().saturating_sub(1);
        let mut node = 1;
        // What was written twice in the object itself was marked there.
        let mut seen = HashSet::new();
        while let Some(Node::Key(slice)) = object.nodes().get(node).copied() {
            let key = object.text(slice);
            if seen.insert(key) {
                self.key(key, at, tools);
            } else {
                self.tape.key(key);
            }
            let value = node + 1;
            if value >= end {
                // What passed a limit breaks off behind a key.
                break;
            }
            node = object.value_end(value).min(end);
            self.tape.append_range(object, value, node);
            if matches!(object.nodes().get(value), Some(Node::Str(_))) && self.wants_no_string() {
                self.coerce(at);
            }
        }
    }

    /// The types that the schema of an argument admits.
    fn types_of(&self, key: &[u8], tools: &Tools) -> TypeSet {
        let schema = self.tool().and_then(|tool| tools.parameter(tool, key));
        schema.map_or(TypeSet::EMPTY, |schema| tools.types(schema))
    }

    /// Marks the keys of the innermost object that were written before.
    fn check_keys(&mut self) {
        for at in self.members.close(&self.tape) {
            self.mark(RepairKind::DuplicateKey, Span::new(at, at));
        }
    }

    /// A string at the top of the arguments where the schema admits none, if it is exactly one admitted value, becomes that value.
    fn coerce(&mut self, at: usize) {
        let Some(text) = self.tape.last_text() else { return };
        let Some(value) =
            coerce_string(text, self.types, self.limits.digits).and_then(|typed| value_of(text, typed, Strictness::Exact, &self.limits))
        else {
            return;
        };
        self.replace_text(value);
        self.mark(RepairKind::Coerced, Span::new(at, at));
    }

    /// Puts the value that the last text was found to be in its place.
    fn replace_text(&mut self, value: Value) {
        match value {
            Value::Word(node) => self.tape.replace_last(node),
            Value::Number => self.tape.retype(Node::Number),
            Value::Rewritten(lexeme) => {
                self.tape.replace_last(Node::Number(self.tape.begin()));
                self.tape.extend(&lexeme);
            }
            Value::Read(tape, repairs) => {
                let mark = self.tape.bookmark_before_last();
                self.tape.rewind(mark);
                self.tape.append(&tape);
                for repair in repairs {
                    self.repair(Repair { span: Span::new(self.span.end, self.span.end), ..repair });
                }
            }
        }
    }

    /// Opens a container inside the arguments.
    pub fn open_inner(&mut self, container: Container) {
        self.tape.push(if container == Container::Object { Node::Object } else { Node::Array });
        self.members.open();
    }

    /// Closes what [`Call::open_inner`] opened.
    pub fn close_inner(&mut self) {
        self.check_keys();
        self.tape.push(Node::Close);
    }

    /// A key of an object inside the arguments.
    pub fn inner_key(&mut self, key: &[u8], at: usize) {
        let slice = self.tape.key(key);
        if self.tape.passed().is_none() {
            self.members.add(at, slice, key);
        }
    }

    /// Starts a raw value; what its type is decides whether it may be handed out as it comes.
    pub fn raw_begin(&mut self, types: TypeSet, unknown: Unknown) {
        self.types = types;
        let plain = types.only(TypeSet::STRING) || (types.is_empty() && matches!(unknown, Unknown::Text));
        if !plain {
            self.hold = Some(self.tape.len());
        }
        self.tape.push(Node::Str(self.tape.begin()));
    }

    /// Ends a raw value and gives it its type. `declared`: the type comes from the format, so nobody is missing a schema.
    /// False: it is text because it could not be read as anything else.
    pub fn raw_end(&mut self, at: usize, unknown: Unknown, source: TypeSource) -> bool {
        self.hold = None;
        if self.types.only(TypeSet::STRING) {
            return true;
        }
        let Some(text) = self.tape.last_text() else { return true };
        let (typed, loose) = classify(text, self.types, unknown, self.limits.digits);
        let span = Span::new(at, at);
        let untyped = self.types.is_empty() && source == TypeSource::Schema;
        let mut fits = true;
        match typed {
            Typed::Mismatch => self.mark(RepairKind::TypeMismatch, span),
            Typed::Untyped | Typed::Text => fits = false,
            typed => match value_of(text, typed, Strictness::Mended, &self.limits) {
                Some(value) => self.replace_text(value),
                None => {
                    fits = false;
                    if self.wants_no_string() {
                        self.mark(RepairKind::TypeMismatch, span);
                    }
                }
            },
        }
        if untyped {
            self.mark(RepairKind::Untyped, span);
        }
        if loose {
            self.mark(RepairKind::Coerced, span);
        }
        fits
    }

    /// Ends a raw value in which the reply breaks off, as a JSON value that breaks off there is ended. False: it is text, or is to be read as
    /// [`Call::raw_end`] reads it.
    pub fn raw_cut(&mut self, at: usize, unknown: Unknown, ending: Ending) -> bool {
        let Some(text) = self.tape.last_text().filter(|text| is_json_begun(text, self.types, unknown)) else { return false };
        let Some((tape, repairs)) = read_cut(text, ending, &self.limits) else { return false };
        self.hold = None;
        let mark = self.tape.bookmark_before_last();
        self.tape.rewind(mark);
        if tape.is_empty() {
            self.drop_key();
        }
        self.tape.append(&tape);
        for repair in repairs {
            self.repair(Repair { span: Span::new(at, at), ..repair });
        }
        true
    }

    /// Makes the last two strings one.
    pub fn join_last(&mut self) {
        self.hold = None;
        let Some(part) = self.tape.last_text().map(<[u8]>::to_vec) else { return };
        let mark = self.tape.bookmark_before_last();
        self.tape.rewind(mark);
        self.tape.extend(&part);
    }

    /// The last value may still change: it is not to be handed out.
    pub fn hold_last(&mut self) {
        self.hold = Some(self.tape.len().saturating_sub(1));
    }

    /// Ends a value that holds elements, of which there are none. False: its type is another.
    pub fn end_without_elements(&mut self) -> bool {
        let is_blank = self.tape.last_text().is_some_and(|text| text.trim_ascii().is_empty());
        let container = if self.types.contains(TypeSet::OBJECT) { Container::Object } else { Container::Array };
        if !is_blank
            || self.types.contains(TypeSet::STRING)
            || !self.types.contains(TypeSet::OBJECT) && !self.types.contains(TypeSet::ARRAY)
        {
            return false;
        }
        self.hold = None;
        let mark = self.tape.bookmark_before_last();
        self.tape.rewind(mark);
        self.open_inner(container);
        self.close_inner();
        true
    }

    /// The key whose value is open.
    pub(crate) fn open_key(&self) -> Option<&[u8]> {
        match self.tape.nodes() {
            [.., Node::Key(slice), _] => Some(self.tape.text(*slice)),
            _ => None,
        }
    }

    /// True when the value that is open holds the beginning of a tag which has the name of its key.
    pub(crate) fn holds_tag_of_key(&self) -> bool {
        let (Some(key), Some(text)) = (self.open_key(), self.tape.last_text()) else { return false };
        memmem::find_iter(text, key).any(|at| at > 0 && text.get(at - 1) == Some(&b'<'))
    }

    /// Takes XML's escapes out of the last value.
    pub fn unescape_last(&mut self) {
        let Some(text) = self.tape.last_text().map(crate::xml::unescape) else { return };
        let mark = self.tape.bookmark_before_last();
        self.tape.rewind(mark);
        self.tape.string(&text);
    }

    /// Forgets the object that [`Call::open_arguments`] opened: the arguments are written as one after all.
    pub fn reopen(&mut self) {
        self.tape = self.tape.emptied();
        self.members.clear();
        self.depth = 0;
        self.arguments = ArgumentsState::Missing;
    }

    /// Gives the strings of arguments that were read before the name the types of the schema.
    pub fn retype(&mut self, tools: &Tools) {
        let Some(tool) = self.tool() else { return };
        let empty = self.tape.emptied();
        let old = std::mem::replace(&mut self.tape, empty);
        let mut at = 0;
        let mut depth = 0;
        while let Some(node) = old.nodes().get(at) {
            match node {
                Node::Key(slice) if depth == 1 => {
                    let key = old.text(*slice);
                    self.tape.key(key);
                    self.types = tools.parameter(tool, key).map_or(TypeSet::EMPTY, |schema| tools.types(schema));
                    let end = old.value_end(at + 1);
                    self.tape.append_range(&old, at + 1, end);
                    if matches!(old.nodes().get(at + 1), Some(Node::Str(_))) && self.wants_no_string() {
                        self.coerce(self.span.start);
                    }
                    at = end;
                    continue;
                }
                Node::Object | Node::Array => depth += 1,
                Node::Close => depth -= 1,
                _ => {}
            }
            self.tape.append_range(&old, at, at + 1);
            at += 1;
        }
    }

    fn wants_no_string(&self) -> bool {
        !self.types.is_empty() && !self.types.contains(TypeSet::STRING)
    }

    /// The top-level keys of the arguments.
    pub fn argument_keys(&self) -> impl Iterator<Item = &[u8]> + Clone {
        self.keys_from(0, 0)
    }

    /// The same from a node on, which stands in so many containers.
    pub(crate) fn keys_from(&self, node: usize, mut depth: usize) -> impl Iterator<Item = &[u8]> + Clone {
        let nodes = self.tape.nodes().get(node..).unwrap_or_default();
        nodes.iter().filter_map(move |node| {
            #[cfg(test)]
            crate::window::looked::add(1);
            match node {
                Node::Object | Node::Array => depth += 1,
                Node::Close => depth = depth.saturating_sub(1),
                Node::Key(slice) if depth == 1 => return Some(self.tape.text(*slice)),
                _ => {}
            }
            None
        })
    }
}
