//! [`JsonBody`]: finds the calls in a JSON body. The reader tells what it sees; this layer knows which keys mean what.

use super::MAX_KEY;
use super::candidate::Certain;
use crate::call::{Arguments, ArgumentsState, Call, read_whole};
use crate::format::{CallKeys, Dialect, Format, Shape};
use crate::limits::Limits;
use crate::repair::{FaultKind, Repair, RepairKind, Unreadable};
use crate::span::Span;
use crate::spellings::Spelled;
use crate::tape::Node;
use crate::tools::Tools;
use crate::value::{Container, Role, Values};

/// Keys of an id.
const IDS: &[&str] = &["id", "tool_call_id", "call_id"];

/// What a container of the body holds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Scope {
    /// Calls.
    Calls,
    /// One call.
    Item,
    /// A part of a call that holds its name and arguments.
    Part,
    /// A call whose only key is its name.
    Keyed,
    /// The arguments, or something inside them.
    Arguments,
    /// Anything else.
    Other,
}

/// What the value behind a key is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Slot {
    Name { own: bool },
    Arguments { own: bool },
    Id,
    Type,
    Message,
    Calls,
    Part,
    Other,
}

/// Where decoded text goes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Into {
    Key,
    Name,
    Id,
    Type,
    Message,
    StringArguments,
    Arguments,
    Nowhere,
}

/// Something in a JSON body that is over.
#[derive(Debug, Clone)]
pub enum Done {
    /// A call.
    Call(Box<Call>),
    /// A message: its text, and where that stands.
    Message(Vec<u8>, Span),
    /// An item in a list of calls that is none.
    Stray(Span),
}

/// What was found in a JSON body so far.
#[derive(Debug, Clone)]
pub struct JsonBody {
    keys: CallKeys,
    scopes: Vec<Scope>,
    slot: Slot,
    into: Into,
    text: Vec<u8>,
    kind: Vec<u8>,
    /// The text of the object that is open, and where it stands: what a message says, if it is one.
    message: Option<(Vec<u8>, Span)>,
    /// True when the object has a second text: it is no message then, since one of them would be lost.
    second_text: bool,
    /// The call that is open, or that was closed last and awaits what follows it.
    pub call: Option<Box<Call>>,
    /// What is over, in order.
    pub done: Vec<Done>,
    /// Where an item of the list of calls began that is none.
    stray: Option<usize>,
    /// True once something was seen that no call holds.
    foreign: bool,
    /// True when that was seen before any call was certain.
    foreign_first: bool,
    /// True when a tool that is not offered was named before any call was certain.
    unknown_first: bool,
    /// True once a call was certain.
    vouched: bool,
    /// True when the body is a list of calls.
    pub list: bool,
    early_arguments: bool,
    wrote_arguments: bool,
    /// True when the call has a key that says nothing of calls.
    odd_key: bool,
    /// True when such a key stands behind the arguments.
    pub key_behind: bool,
    /// The scope that was closed last.
    closed: Option<Scope>,
}

impl JsonBody {
    /// An empty body.
    #[must_use]
    pub fn new(keys: CallKeys) -> JsonBody {
        JsonBody {
            keys,
            scopes: Vec::with_capacity(8),
            slot: Slot::Other,
            into: Into::Nowhere,
            text: Vec::with_capacity(32),
            kind: Vec::new(),
            message: None,
            second_text: false,
            call: None,
            done: Vec::new(),
            stray: None,
            foreign: false,
            foreign_first: false,
            unknown_first: false,
            vouched: false,
            list: false,
            early_arguments: false,
            wrote_arguments: false,
            odd_key: false,
            key_behind: false,
            closed: None,
        }
    }

    fn note_foreign(&mut self, foreign: bool) {
        self.vouch();
        self.foreign |= foreign;
        self.foreign_first |= foreign && !self.vouched;
    }

    fn vouch(&mut self) {
        self.vouched |= self.call.as_deref().is_some_and(Call::is_certain);
    }

    /// Whether something was seen that a candidate may not hold. Behind a call that makes it certain anything may come: a stream has told
    /// the call by then.
    pub(super) fn is_foreign(&self, certain: Certain) -> bool {
        if certain == Certain::FirstCall { self.foreign_first } else { self.foreign }
    }

    /// Whether a candidate with this body has failed.
    pub(super) fn fails(&self, certain: Certain, shape: Shape) -> bool {
        self.is_foreign(certain) || self.unknown_first && shape == Shape::Tagged
    }

    /// True when the call that was read last is closed: what stands here belongs to none.
    pub(super) fn is_between_calls(&self) -> bool {
        matches!(self.scopes.last(), None | Some(Scope::Calls))
    }

    /// True while the name is read.
    #[must_use]
    pub fn reads_name(&self) -> bool {
        self.into == Into::Name
    }

    /// The message that the object was: `{"type": "message", "text": …}`.
    fn take_message(&mut self) -> Option<Done> {
        let (text, span) = self.message.take()?;
        let is_message = !self.second_text && (self.kind == b"message" || self.kind.is_empty());
        is_message.then_some(Done::Message(text, span))
    }

    /// The keys of the name, with which most calls begin.
    pub(super) fn name_keys(&self) -> &'static [&'static str] {
        match self.keys {
            CallKeys::Pair { name, .. } => name,
            CallKeys::NameIsKey => &[],
        }
    }

    fn slot_of(&self, key: &[u8]) -> Slot {
        let is = |names: &[&str]| names.iter().any(|name| name.as_bytes() == key);
        let CallKeys::Pair { name, arguments } = self.keys else { return Slot::Other };
        if is(name) {
            Slot::Name { own: true }
        } else if is(arguments) {
            Slot::Arguments { own: true }
        } else if is(IDS) {
            Slot::Id
        } else if key == b"type" {
            Slot::Type
        } else if key == b"tool_calls" {
            Slot::Calls
        } else if is(&["tool_call", "function_call"]) {
            Slot::Part
        } else if is(&["text", "response"]) {
            Slot::Message
        } else {
            match Spelled::of(key) {
                Some(Spelled::Name) => Slot::Name { own: false },
                Some(Spelled::Arguments) => Slot::Arguments { own: false },
                None => Slot::Other,
            }
        }
    }
}

/// Looks a body through for calls.
pub struct Finder<'b> {
    /// What was found.
    pub body: &'b mut JsonBody,
    /// The row that reads it.
    pub format: &'b Format,
    /// What is offered.
    pub tools: &'b Tools,
    /// How much is taken in.
    pub limits: &'b Limits,
    /// When what is read counts, if it is a candidate.
    pub certain: Option<Certain>,
}

impl Finder<'_> {
    fn scope(&self) -> Option<Scope> {
        self.body.scopes.last().copied()
    }

    fn arguments(&mut self) -> Option<Arguments<'_>> {
        let call = self.body.call.as_deref_mut()?;
        Some(Arguments { call, tools: self.tools })
    }

    fn begin_call(&mut self, at: usize, scope: Scope) {
        self.end_call();
        self.body.call = Some(Box::new(Call::new(self.format, at, self.limits)));
        self.body.early_arguments = false;
        self.body.wrote_arguments = false;
        self.body.odd_key = false;
        self.body.key_behind = false;
        self.body.message = None;
        self.body.second_text = false;
        self.body.kind.clear();
        self.body.scopes.push(scope);
    }

    /// The call that was read last is followed by something else.
    fn end_call(&mut self) {
        self.body.vouch();
        if let Some(mut call) = self.body.call.take() {
            call.end = crate::call::End::Closed;
            call.listed = self.body.list;
            self.body.done.push(Done::Call(call));
        }
    }

    /// An item begins that is no call.
    fn begin_stray(&mut self, at: usize) {
        self.body.note_foreign(true);
        self.end_call();
        self.body.stray = Some(at);
    }

    fn end_stray(&mut self, end: usize) {
        if let Some(start) = self.body.stray.take() {
            self.body.done.push(Done::Stray(Span::new(start, end)));
        }
    }

    fn item_scope(&self) -> Scope {
        if self.body.keys == CallKeys::NameIsKey { Scope::Keyed } else { Scope::Item }
    }

    fn open_object(&mut self, at: usize) {
        match self.scope() {
            None | Some(Scope::Calls) => {
                let scope = self.item_scope();
                self.begin_call(at, scope);
            }
            Some(Scope::Item | Scope::Part) => match self.body.slot {
                Slot::Arguments { own } => self.open_arguments(own, at),
                Slot::Name { own: false } | Slot::Part => self.body.scopes.push(Scope::Part),
                slot => {
                    self.body.note_foreign(slot != Slot::Other);
                    self.body.scopes.push(Scope::Other);
                }
            },
            Some(Scope::Keyed) => self.open_arguments(true, at),
            Some(Scope::Arguments) => self.forward_open(Container::Object, at),
            Some(Scope::Other) => self.body.scopes.push(Scope::Other),
        }
    }

    fn open_arguments(&mut self, own: bool, at: usize) {
        if self.body.wrote_arguments {
            // A second set of arguments cannot replace what may have been handed out already.
            self.second_arguments(at);
            self.body.scopes.push(Scope::Other);
            return;
        }
        self.body.wrote_arguments = true;
        let early = self.body.call.as_ref().is_some_and(|call| call.known == crate::call::Known::Unread);
        self.body.early_arguments = early;
        self.alternate(own, at);
        self.forward_open(Container::Object, at);
    }

    /// A container around the arguments was closed at the end of the text: only what wraps the call is missing.
    fn closed_around(&mut self, repair: Repair) {
        let of_call = matches!(self.body.closed, Some(Scope::Item | Scope::Keyed | Scope::Part | Scope::Calls));
        let Some(call) = self.body.call.as_deref_mut().filter(|_| of_call) else { return };
        let marked = |kind| call.repairs.iter().any(|repair| repair.kind == kind);
        if !marked(RepairKind::MissingCloser) && !marked(RepairKind::ClosedObject) && !marked(RepairKind::ClosedString) {
            call.mark(RepairKind::MissingCloser, repair.span);
        }
    }

    fn second_arguments(&mut self, at: usize) {
        if let Some(call) = self.body.call.as_deref_mut() {
            call.repair(Repair { kind: RepairKind::DuplicateKey, span: Span::new(at, at), safe: false });
        }
    }

    fn alternate(&mut self, own: bool, at: usize) {
        if !own && let Some(call) = self.body.call.as_deref_mut() {
            call.mark(RepairKind::AlternateKey, Span::new(at, at));
        }
    }

    fn forward_open(&mut self, container: Container, at: usize) {
        self.body.scopes.push(Scope::Arguments);
        if let Some(mut arguments) = self.arguments() {
            arguments.open(container, at);
        }
    }

    fn open_array(&mut self, at: usize) {
        match self.scope() {
            None => {
                self.body.list = true;
                self.body.scopes.push(Scope::Calls);
            }
            Some(Scope::Item) if self.body.slot == Slot::Calls && !self.body.call.as_deref().is_some_and(Call::is_certain) => {
                // What is around the list is not a call itself.
                self.body.call = None;
                self.end_message();
                self.body.list = true;
                self.body.scopes.push(Scope::Calls);
            }
            Some(Scope::Arguments) => self.forward_open(Container::Array, at),
            Some(scope) => {
                if matches!(self.body.slot, Slot::Arguments { .. }) && matches!(scope, Scope::Item | Scope::Part) || scope == Scope::Keyed {
                    self.bad_arguments();
                }
                if scope == Scope::Calls {
                    self.begin_stray(at);
                }
                self.body.scopes.push(Scope::Other);
            }
        }
    }

    fn bad_arguments(&mut self) {
        if !self.body.wrote_arguments
            && let Some(call) = self.body.call.as_deref_mut()
        {
            call.arguments = ArgumentsState::Other;
        }
        self.body.wrote_arguments = true;
    }

    fn end_item(&mut self, end: usize) {
        // A name alone becomes a call below, and vouches for nothing.
        self.body.vouch();
        let Some(call) = self.body.call.as_deref_mut() else { return };
        call.span.end = end;
        if self.format.no_call.iter().any(|name| name.as_bytes() == call.name) && call.tool().is_none() {
            self.body.call = None;
            return;
        }
        settle(call, self.tools, self.limits);
        if self.body.odd_key && !self.body.wrote_arguments {
            // What stands behind that key may have been the arguments.
            call.repair(Repair { kind: RepairKind::NullArguments, span: Span::new(end, end), safe: false });
        }
        let nameless = call.name.is_empty() && !self.body.wrote_arguments;
        if nameless && self.end_message() {
            self.body.call = None;
            return;
        }
        let Some(call) = self.body.call.as_deref() else { return };
        if call.fault.is_some() || !self.body.wrote_arguments && self.format.shape != Shape::Tagged {
            let foreign = call.name.is_empty() || !self.body.wrote_arguments;
            self.body.foreign |= foreign;
            self.body.foreign_first |= foreign && !self.body.vouched;
        }
    }

    /// True when the object was a message. In markup that only calls have around them nothing is.
    fn end_message(&mut self) -> bool {
        if self.format.shape == Shape::Tagged {
            return false;
        }
        let message = self.body.take_message();
        let found = message.is_some();
        self.body.done.extend(message);
        found
    }

    /// A value that is neither text nor container.
    fn plain(&mut self, null: bool, at: usize) {
        match self.scope() {
            Some(Scope::Item | Scope::Part) => match self.body.slot {
                Slot::Arguments { .. } if null && !self.body.wrote_arguments => self.null_arguments(at),
                Slot::Arguments { .. } => self.bad_arguments(),
                Slot::Name { .. } | Slot::Calls | Slot::Part => self.body.note_foreign(true),
                _ => {}
            },
            Some(Scope::Keyed) => self.bad_arguments(),
            Some(Scope::Calls) | None => self.body.note_foreign(true),
            _ => {}
        }
    }

    fn null_arguments(&mut self, at: usize) {
        self.body.wrote_arguments = true;
        if let Some(call) = self.body.call.as_deref_mut() {
            call.no_arguments();
            call.mark(RepairKind::NullArguments, Span::new(at, at));
        }
    }

    /// More of a text that belongs to the call but is no argument.
    fn add_text(&mut self, bytes: &[u8]) {
        let room = self.limits.call_bytes.max(MAX_KEY) - self.body.text.len();
        let taken = bytes.get(..room).unwrap_or(bytes);
        self.body.text.extend_from_slice(taken);
        if taken.len() < bytes.len()
            && let Some(call) = self.body.call.as_deref_mut()
        {
            call.tape.fill();
        }
    }

    fn begin_text(&mut self, role: Role, at: usize) -> Into {
        if role == Role::Key {
            return match self.scope() {
                Some(Scope::Item | Scope::Part) => Into::Key,
                Some(Scope::Keyed) => Into::Name,
                _ => Into::Nowhere,
            };
        }
        match self.scope() {
            Some(Scope::Item | Scope::Part) => match self.body.slot {
                Slot::Name { own } => {
                    self.alternate(own, at);
                    Into::Name
                }
                Slot::Arguments { own } if !self.body.wrote_arguments => {
                    self.body.wrote_arguments = true;
                    self.alternate(own, at);
                    Into::StringArguments
                }
                Slot::Arguments { .. } => {
                    self.second_arguments(at);
                    Into::Nowhere
                }
                Slot::Id => Into::Id,
                Slot::Type => Into::Type,
                Slot::Message => {
                    self.body.second_text |= self.body.message.is_some();
                    self.body.message = Some((Vec::new(), Span::new(at, at)));
                    Into::Message
                }
                Slot::Calls | Slot::Part => {
                    self.body.note_foreign(true);
                    Into::Nowhere
                }
                Slot::Other => Into::Nowhere,
            },
            Some(Scope::Keyed) => {
                self.bad_arguments();
                Into::Nowhere
            }
            Some(Scope::Calls) => {
                self.begin_stray(at);
                Into::Nowhere
            }
            None => {
                self.body.note_foreign(true);
                Into::Nowhere
            }
            _ => Into::Nowhere,
        }
    }

    fn end_key(&mut self) {
        self.body.slot = self.body.slot_of(&self.body.text);
        let certain = self.body.call.as_ref().is_some_and(|call| call.is_certain());
        let foreign = self.body.slot == Slot::Other && !certain;
        self.body.note_foreign(foreign);
        if self.body.slot == Slot::Other {
            self.body.odd_key = true;
            self.body.key_behind |= self.body.call.as_deref().is_some_and(|call| matches!(call.arguments, ArgumentsState::Closed));
            self.doubt_arguments();
        }
    }

    /// A parameter of the tool that stands behind the arguments: they were closed too early, or it has nothing to do with them.
    fn doubt_arguments(&mut self) {
        let Some(call) = self.body.call.as_deref_mut().filter(|call| matches!(call.arguments, ArgumentsState::Closed)) else { return };
        if call.tool().and_then(|tool| self.tools.declares(tool, &self.body.text)) == Some(true) {
            call.mark(RepairKind::AmbiguousCloser, Span::new(call.span.end, call.span.end));
        }
    }

    fn end_name(&mut self) {
        let Some(call) = self.body.call.as_deref_mut() else { return };
        if !call.name.is_empty() {
            call.repair(Repair { kind: RepairKind::DuplicateKey, span: Span::new(call.span.end, call.span.end), safe: false });
            if call.is_certain() {
                return;
            }
        }
        call.set_name(&self.body.text, self.tools);
        self.body.unknown_first |= call.known == crate::call::Known::Unknown && !self.body.vouched;
        if self.body.early_arguments && call.tool().is_some() {
            call.retype(self.tools);
        }
    }

    fn end_id(&mut self) {
        let Some(call) = self.body.call.as_deref_mut() else { return };
        if call.native_id.is_some() {
            call.mark(RepairKind::DuplicateKey, Span::new(call.span.end, call.span.end));
            // A stream has told the first.
            if call.is_certain() {
                return;
            }
        }
        call.late_id = call.is_certain();
        call.native_id = Some(self.body.text.clone());
    }

    fn end_string_arguments(&mut self, at: usize) {
        let Some(call) = self.body.call.as_deref_mut() else { return };
        call.arguments = ArgumentsState::Text(std::mem::take(&mut self.body.text));
        self.body.early_arguments = false;
        call.mark(RepairKind::StringArguments, Span::new(at, at));
    }
}

/// Makes of a call that is over what its arguments allow.
pub fn settle(call: &mut Call, tools: &Tools, limits: &Limits) {
    if let ArgumentsState::Text(text) = &call.arguments {
        let text = text.clone();
        read_string_arguments(call, &text, tools, limits);
    }
    call.check_limits();
    if call.fault.is_some() {
        return;
    }
    call.unwrap_arguments(tools);
    call.fault = match (call.known, &call.arguments) {
        (crate::call::Known::Unread, _) => Some(FaultKind::Unreadable(Unreadable::NoName)),
        (crate::call::Known::Unknown, _) => Some(FaultKind::UnknownTool),
        (_, ArgumentsState::Other | ArgumentsState::Text(_)) => Some(FaultKind::BadArguments),
        (_, ArgumentsState::Missing) => {
            call.no_arguments();
            None
        }
        _ => None,
    };
}

fn read_string_arguments(call: &mut Call, text: &[u8], tools: &Tools, limits: &Limits) {
    if text.trim_ascii().is_empty() {
        call.no_arguments();
        call.repairs.retain(|repair| repair.kind != RepairKind::StringArguments);
        call.mark(RepairKind::NullArguments, Span::new(call.span.end, call.span.end));
        return;
    }
    let Some((tape, repairs)) = read_whole(text, Dialect::JSON, limits).filter(|_| call.tape.passed().is_none()) else { return };
    if !matches!(tape.nodes().first(), Some(Node::Object)) {
        return;
    }
    call.tape = tape;
    call.arguments = ArgumentsState::Closed;
    let at = call.span.end;
    for repair in repairs {
        call.repair(Repair { span: Span::new(at, at), ..repair });
    }
    call.retype(tools);
}

impl Values for Finder<'_> {
    fn open(&mut self, container: Container, at: usize) {
        match container {
            Container::Object => self.open_object(at),
            Container::Array => self.open_array(at),
        }
    }

    fn close(&mut self, end: usize) {
        let scope = self.body.scopes.pop();
        self.body.closed = scope;
        match scope {
            Some(Scope::Arguments) => {
                if let Some(mut arguments) = self.arguments() {
                    arguments.close(end);
                }
            }
            Some(Scope::Item | Scope::Keyed) => self.end_item(end),
            Some(Scope::Other) if self.scope() == Some(Scope::Calls) => self.end_stray(end),
            _ => {}
        }
    }

    fn around(&self) -> usize {
        self.body.scopes.iter().position(|scope| *scope == Scope::Arguments).unwrap_or(0)
    }

    fn text_begin(&mut self, role: Role, at: usize) {
        if self.scope() == Some(Scope::Arguments) {
            self.body.into = Into::Arguments;
            if let Some(mut arguments) = self.arguments() {
                arguments.text_begin(role, at);
            }
            return;
        }
        self.body.text.clear();
        self.body.into = self.begin_text(role, at);
    }

    fn text(&mut self, bytes: &[u8]) {
        match self.body.into {
            Into::Arguments => {
                if let Some(call) = self.body.call.as_deref_mut() {
                    call.tape.extend(bytes);
                }
            }
            Into::Nowhere => {}
            Into::Message => self.body.text.extend_from_slice(bytes),
            _ => self.add_text(bytes),
        }
    }

    fn text_end(&mut self, end: usize) {
        match std::mem::replace(&mut self.body.into, Into::Nowhere) {
            Into::Arguments => {
                if let Some(mut arguments) = self.arguments() {
                    arguments.text_end(end);
                }
            }
            Into::Key => self.end_key(),
            Into::Name => self.end_name(),
            Into::Id => self.end_id(),
            Into::Type => self.body.kind.clone_from(&self.body.text),
            Into::Message => {
                if let Some((text, span)) = &mut self.body.message {
                    text.extend_from_slice(&self.body.text);
                    span.end = end;
                }
            }
            Into::StringArguments => self.end_string_arguments(end),
            Into::Nowhere if self.scope() == Some(Scope::Calls) => self.end_stray(end),
            Into::Nowhere => {}
        }
    }

    fn whole_text(&mut self, role: Role, at: usize, text: &[u8], end: usize) {
        if self.scope() == Some(Scope::Arguments) {
            if let Some(mut arguments) = self.arguments() {
                arguments.whole_text(role, at, text, end);
            }
            return;
        }
        self.text_begin(role, at);
        self.text(text);
        self.text_end(end);
    }

    fn drop_key(&mut self) {
        if self.scope() == Some(Scope::Arguments)
            && let Some(mut arguments) = self.arguments()
        {
            arguments.drop_key();
        }
    }

    fn item_becomes_key(&mut self, at: usize) {
        // The array is one scope, the object around it the one before.
        let inside = self.body.scopes.len() > 1 && self.body.scopes.iter().rev().nth(1) == Some(&Scope::Arguments);
        self.body.scopes.pop();
        if inside && let Some(mut arguments) = self.arguments() {
            arguments.item_becomes_key(at);
        }
    }

    fn key_becomes_item(&mut self) {
        if self.scope() != Some(Scope::Arguments) {
            return;
        }
        if self.body.scopes.iter().rev().nth(1) == Some(&Scope::Arguments) {
            if let Some(mut arguments) = self.arguments() {
                arguments.key_becomes_item();
            }
            return;
        }
        // The arguments themselves are a set.
        if let Some(call) = self.body.call.as_deref_mut() {
            call.arguments = ArgumentsState::Other;
        }
        self.body.scopes.pop();
        self.body.scopes.push(Scope::Other);
    }

    fn number(&mut self, lexeme: &[u8], at: usize) {
        if self.scope() != Some(Scope::Arguments) {
            return self.plain(false, at);
        }
        if let Some(mut arguments) = self.arguments() {
            arguments.number(lexeme, at);
        }
    }

    fn boolean(&mut self, value: bool, at: usize) {
        if self.scope() != Some(Scope::Arguments) {
            return self.plain(false, at);
        }
        if let Some(mut arguments) = self.arguments() {
            arguments.boolean(value, at);
        }
    }

    fn null(&mut self, at: usize) {
        if self.scope() != Some(Scope::Arguments) {
            return self.plain(true, at);
        }
        if let Some(mut arguments) = self.arguments() {
            arguments.null(at);
        }
    }

    fn is_refused(&self) -> bool {
        self.certain.is_some_and(|certain| self.body.fails(certain, self.format.shape))
    }

    #[cold]
    fn repair(&mut self, repair: Repair) {
        if matches!(repair.kind, RepairKind::ClosedObject | RepairKind::ClosedArray) && self.body.closed != Some(Scope::Arguments) {
            self.closed_around(repair);
            return;
        }
        if let Some(call) = self.body.call.as_deref_mut() {
            call.repair(repair);
        }
    }
}
