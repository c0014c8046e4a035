//! Arguments as elements named after their keys, nested.

use super::named::AfterState;
use super::{MAX_KEY, Machine, Sink, State, Step};
use crate::call::{Call, End, TypeSource};
use crate::format::{Args, Body, Format, Tree};
use crate::repair::{Repair, RepairKind};
use crate::span::Span;
use crate::tools::{SchemaId, TypeSet, Unknown};
use crate::value::Container;
use crate::window::{Window, is_blank};

/// Elements while they are read.
#[derive(Debug, Clone)]
pub(super) struct TreeState {
    row: usize,
    pub call: Box<Call>,
    open: Vec<Element>,
    /// The wrapper around the elements was opened.
    wrapped: bool,
    /// How far the text of a leaf was looked through.
    scan: usize,
    /// True once another element was seen in it.
    doubted: bool,
}

/// An element that is open.
#[derive(Debug, Clone)]
struct Element {
    name: Vec<u8>,
    schema: Option<SchemaId>,
    content: Content,
}

/// What an element turned out to hold.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Content {
    Unread,
    Text,
    Object,
    Array,
}

impl TreeState {
    pub(super) fn new(row: usize, mut call: Box<Call>) -> TreeState {
        call.open_arguments();
        TreeState { row, call, open: Vec::new(), wrapped: false, scan: 0, doubted: false }
    }
}

enum Tag {
    Open(Vec<u8>, usize),
    Close(Vec<u8>, usize),
    Other,
    Cut,
}

enum TreeStep {
    Go,
    More,
    Over(End),
}

impl Machine {
    pub(super) fn tree<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Tree(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let format = self.row(state.row);
        let Body::Named(_, Args::Tree(tree)) = format.body else { return Step::Go };
        let step = match state.open.last().map(|element| element.content) {
            Some(Content::Unread | Content::Text) => self.leaf(&mut state, &tree, window),
            _ => self.between_elements(&mut state, format, &tree, window),
        };
        self.candidate_commits(&state.call, window, sink);
        match step.unwrap_or(TreeStep::More) {
            TreeStep::Go => {
                self.state = State::Tree(state);
                Step::Go
            }
            TreeStep::More => {
                self.state = State::Tree(state);
                Step::More
            }
            TreeStep::Over(End::Cut) => {
                self.close_elements(&mut state);
                state.call.close_arguments();
                self.cut_named(state.row, state.call, window, sink);
                Step::Go
            }
            TreeStep::Over(end) => {
                if !state.open.is_empty() {
                    state.call.mark(RepairKind::AmbiguousCloser, Span::new(self.pos, self.pos));
                }
                self.close_elements(&mut state);
                state.call.close_arguments();
                if state.wrapped {
                    self.state = State::AfterArguments(Box::new(AfterState::new(state.row, state.call)));
                } else {
                    self.end_named(state.row, state.call, end, window, sink);
                }
                Step::Go
            }
        }
    }

    fn between_elements(&mut self, state: &mut TreeState, format: &Format, tree: &Tree, window: &Window<'_>) -> Option<TreeStep> {
        let next = window.after_blanks(self.pos)?;
        let at = self.pos;
        if window.get(next).is_none() {
            state.call.repair(Repair::new(RepairKind::ClosedObject, Span::new(at, at)));
            self.pos = window.end();
            return Some(TreeStep::Over(End::Cut));
        }
        if !state.wrapped
            && state.open.is_empty()
            && let Some(length) = window.starts_with_any(next, tree.wrap.open)?
        {
            state.wrapped = true;
            self.pos = next + length;
            return Some(TreeStep::Go);
        }
        if let Some(length) = window.starts_with_any(next, tree.wrap.close)? {
            self.pos = next + length;
            state.call.span.end = self.pos;
            return Some(TreeStep::Over(End::Closed));
        }
        if let Some(length) = window.starts_with_any(next, format.call.close)? {
            self.pos = next + length;
            state.call.span.end = self.pos;
            state.wrapped = false;
            return Some(TreeStep::Over(End::Closed));
        }
        let ends =
            window.starts_with_any(next, format.section.close)?.is_some() || window.starts_with_any(next, format.call.open)?.is_some();
        if ends {
            state.call.span.end = self.pos;
            state.wrapped = false;
            return Some(TreeStep::Over(End::Followed));
        }
        match tag(tree, next, window)? {
            Tag::Open(name, end) => {
                self.open_element(state, tree, name, next);
                self.pos = end;
                state.scan = end;
            }
            Tag::Close(name, end) => {
                self.close_element(state, &name, end);
                self.pos = end;
            }
            Tag::Cut => {
                state.call.repair(Repair::new(RepairKind::DroppedPartialKey, Span::new(next, window.end())));
                self.pos = window.end();
                return Some(TreeStep::Over(End::Cut));
            }
            Tag::Other => {
                // Text between elements belongs to nothing.
                state.call.repair(Repair { kind: RepairKind::OddCharacter, span: Span::new(next, next + 1), safe: false });
                self.pos = next + 1;
            }
        }
        Some(TreeStep::Go)
    }

    /// The text of an element, or its first child.
    fn leaf(&mut self, state: &mut TreeState, tree: &Tree, window: &Window<'_>) -> Option<TreeStep> {
        let element = state.open.last()?.clone();
        if element.content == Content::Unread {
            let next = window.after_blanks(self.pos)?;
            if window.get(next).is_none() && !window.last {
                return None;
            }
            let child = tree.item.is_some() && matches!(tag(tree, next, window)?, Tag::Open(..));
            if child {
                self.pos = next;
                let Tag::Open(name, _) = tag(tree, next, window)? else { return None };
                let array = tree.item.is_some_and(|item| item.as_bytes() == name);
                self.begin_container(state, array);
                return Some(TreeStep::Go);
            }
            self.begin_text(state);
        }
        let mark = if tree.mark.is_empty() { "<" } else { tree.mark };
        loop {
            let rest = window.from(state.scan);
            let Some(index) = memchr::memchr(mark.bytes().next().unwrap_or(b'<'), rest) else {
                state.scan = window.end();
                let text = window.slice(self.pos, state.scan);
                state.call.tape.extend(text);
                self.pos = state.scan;
                return if window.last { Some(self.cut_leaf(state, window)) } else { None };
            };
            state.scan += index;
            let at = state.scan;
            match tag(tree, at, window) {
                None => {
                    let text = window.slice(self.pos, at);
                    state.call.tape.extend(text);
                    self.pos = at;
                    return None;
                }
                Some(Tag::Close(name, end)) if name == element.name => {
                    let text = window.slice(self.pos, at);
                    state.call.tape.extend(text);
                    self.close_element(state, &name, end);
                    self.pos = end;
                    return Some(TreeStep::Go);
                }
                Some(Tag::Cut) => {
                    let text = window.slice(self.pos, at);
                    state.call.tape.extend(text);
                    self.pos = window.end();
                    return Some(self.cut_leaf(state, window));
                }
                Some(inner) => {
                    self.doubt(state, tree, &inner, at, window);
                    state.scan = at + 1;
                }
            }
        }
    }

    /// A tag inside a text: the text may have lost its end, or be somebody's about calls.
    fn doubt(&self, state: &mut TreeState, tree: &Tree, inner: &Tag, at: usize, window: &Window<'_>) {
        let declared = |name: &[u8]| state.call.tool().and_then(|tool| self.tools.declares(tool, name)) == Some(true);
        let doubtful = match inner {
            Tag::Open(name, _) => !tree.mark.is_empty() || declared(name),
            Tag::Close(..) | Tag::Other => !tree.mark.is_empty() && window.starts_with(at, tree.mark.as_bytes()) == Some(true),
            Tag::Cut => false,
        };
        if doubtful && !std::mem::replace(&mut state.doubted, true) {
            state.call.mark(RepairKind::AmbiguousCloser, Span::new(at, at));
        }
    }

    fn cut_leaf(&mut self, state: &mut TreeState, window: &Window<'_>) -> TreeStep {
        let end = window.end();
        state.call.mark(RepairKind::ClosedString, Span::new(end, end));
        TreeStep::Over(End::Cut)
    }

    fn open_element(&self, state: &mut TreeState, tree: &Tree, name: Vec<u8>, at: usize) {
        let parent = state.open.last().cloned();
        let item = tree.item.is_some_and(|item| item.as_bytes() == name);
        let schema = match &parent {
            None => state.call.tool().and_then(|tool| self.tools.parameter(tool, &name)),
            Some(parent) if parent.content == Content::Array && item => parent.schema.and_then(|schema| self.tools.items(schema)),
            Some(parent) => parent.schema.and_then(|schema| self.tools.property(schema, &name)),
        };
        match &parent {
            Some(parent) if parent.content == Content::Array => {}
            None => {
                state.call.key(&name, at, &self.tools);
            }
            Some(_) => {
                state.call.inner_key(&name, at);
            }
        }
        state.open.push(Element { name, schema, content: Content::Unread });
    }

    fn begin_container(&self, state: &mut TreeState, array: bool) {
        let deep = state.open.len() >= self.limits.depth;
        if let Some(element) = state.open.last_mut() {
            element.content = if deep {
                Content::Text
            } else if array {
                Content::Array
            } else {
                Content::Object
            };
        }
        if deep {
            self.begin_text(state);
        } else {
            state.call.open_inner(if array { Container::Array } else { Container::Object });
        }
    }

    fn begin_text(&self, state: &mut TreeState) {
        let Some(element) = state.open.last_mut() else { return };
        element.content = Content::Text;
        state.doubted = false;
        let types = element.schema.map_or(TypeSet::EMPTY, |schema| self.tools.types(schema));
        state.call.raw_begin(types, Unknown::Text);
        state.scan = state.scan.max(self.pos);
    }

    fn close_element(&self, state: &mut TreeState, name: &[u8], end: usize) {
        let Some(index) = state.open.iter().rposition(|element| element.name == name) else {
            state.call.repair(Repair { kind: RepairKind::ExtraCloser, span: Span::new(end, end), safe: false });
            return;
        };
        if state.open.len() > index + 1 {
            // Where the elements inside it end is a guess.
            state.call.mark(RepairKind::AmbiguousCloser, Span::new(end, end));
        }
        while state.open.len() > index {
            self.close_top(state, end);
        }
    }

    fn close_top(&self, state: &mut TreeState, end: usize) {
        let Some(element) = state.open.pop() else { return };
        let nests = matches!(self.row(state.row).body, Body::Named(_, Args::Tree(tree)) if tree.item.is_some());
        match element.content {
            Content::Unread => {
                let types = element.schema.map_or(TypeSet::EMPTY, |schema| self.tools.types(schema));
                state.call.raw_begin(types, Unknown::Text);
                end_text(&mut state.call, end, nests);
            }
            Content::Text => end_text(&mut state.call, end, nests),
            Content::Object | Content::Array => state.call.close_inner(),
        }
    }

    fn close_elements(&self, state: &mut TreeState) {
        let end = self.pos;
        while !state.open.is_empty() {
            self.close_top(state, end);
        }
    }
}

/// Ends the text of an element. Where elements nest, one without a text may be an object or array without any.
fn end_text(call: &mut Call, end: usize, nests: bool) {
    if !(nests && call.end_without_elements()) {
        call.raw_end(end, Unknown::Text, TypeSource::Schema);
    }
}

/// The tag that stands at `at`.
fn tag(tree: &Tree, at: usize, window: &Window<'_>) -> Option<Tag> {
    let mut next = at;
    if !tree.mark.is_empty() {
        if !window.starts_with(at, tree.mark.as_bytes())? {
            return Some(if window.ends_within(at, &[tree.mark]) { Tag::Cut } else { Tag::Other });
        }
        next = window.after_blanks(at + tree.mark.len())?;
    }
    match window.get(next) {
        None => return if window.last { Some(Tag::Cut) } else { None },
        Some(b'<') => {}
        Some(_) => return Some(Tag::Other),
    }
    let closes = match window.get(next + 1) {
        None => return if window.last { Some(Tag::Cut) } else { None },
        Some(byte) => byte == b'/',
    };
    let start = next + 1 + usize::from(closes);
    let rest = window.slice(start, start + MAX_KEY);
    let Some(length) = rest.iter().position(|byte| matches!(byte, b'>' | b'<' | b'\n')) else {
        return if rest.len() == MAX_KEY {
            Some(Tag::Other)
        } else if window.last {
            Some(Tag::Cut)
        } else {
            None
        };
    };
    let name = rest.get(..length).unwrap_or_default();
    let good = rest.get(length) == Some(&b'>') && !name.is_empty() && !name.iter().all(|byte| is_blank(*byte));
    let end = start + length + 1;
    Some(match (good, closes) {
        (false, _) => Tag::Other,
        (true, true) => Tag::Close(name.to_vec(), end),
        (true, false) => Tag::Open(name.to_vec(), end),
    })
}
