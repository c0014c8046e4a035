//! [`Tape`]: a value, flat, in one list of nodes over one buffer of text.
//!
//! Strings are stored decoded, numbers as they were written. Nothing here recurses: a tape of any depth is dropped, compared and printed in
//! one pass.

use crate::limits::Limit;

/// Where a text stands in the tape's buffer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    start: u32,
    len: u32,
}

/// One step of a value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// `{`
    Object,
    /// `[`
    Array,
    /// The closer of the container that was opened last.
    Close,
    /// A key of the object around it; its value follows.
    Key(Slice),
    /// A string.
    Str(Slice),
    /// A number as strict JSON text.
    Number(Slice),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// A value, flat.
#[derive(Clone, Debug)]
pub struct Tape {
    nodes: Vec<Node>,
    text: Text,
    /// So many nodes are taken in; none once one was refused.
    most: usize,
}

/// The text of all keys, strings and numbers.
#[derive(Clone, Debug)]
struct Text {
    bytes: Vec<u8>,
    /// So many bytes are taken in; none once one was refused.
    most: usize,
}

/// More text than this is large, in bytes.
const LARGE: usize = 1 << 18;

/// A slice counts no further, in bytes.
const LONGEST: usize = u32::MAX as usize;

impl Text {
    /// Adds as much as is taken in; how much that is.
    #[inline]
    fn add(&mut self, bytes: &[u8]) -> u32 {
        if bytes.len() > self.bytes.capacity().min(self.most).saturating_sub(self.bytes.len()) {
            return self.add_growing(bytes);
        }
        self.bytes.extend_from_slice(bytes);
        bytes.len() as u32
    }

    /// Large texts grow by half: one of twice the size that is needed is more than glibc keeps when it is freed, and every reply would pay for
    /// fresh pages.
    #[cold]
    fn add_growing(&mut self, bytes: &[u8]) -> u32 {
        let room = self.most.saturating_sub(self.bytes.len());
        let taken = bytes.get(..room).unwrap_or(bytes);
        if taken.len() < bytes.len() {
            self.most = 0;
        }
        let free = self.bytes.capacity() - self.bytes.len();
        if self.bytes.len() > LARGE && taken.len() > free {
            self.bytes.reserve_exact(taken.len().max(self.bytes.len() / 2));
        }
        self.bytes.extend_from_slice(taken);
        taken.len() as u32
    }
}

impl Default for Tape {
    fn default() -> Tape {
        Tape::within(usize::MAX, LONGEST)
    }
}

impl PartialEq for Tape {
    fn eq(&self, other: &Tape) -> bool {
        self.nodes == other.nodes && self.text.bytes == other.text.bytes
    }
}

impl Eq for Tape {}

/// A place in a tape to return to.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Bookmark {
    nodes: usize,
    text: usize,
}

impl Tape {
    /// An empty tape that takes in so many nodes, and so many bytes of text.
    #[must_use]
    pub fn within(nodes: usize, bytes: usize) -> Tape {
        Tape { nodes: Vec::new(), text: Text { bytes: Vec::new(), most: bytes.min(LONGEST) }, most: nodes }
    }

    /// An empty tape with the room of this one: none, if this one is full.
    #[must_use]
    pub fn emptied(&self) -> Tape {
        Tape::within(self.most, self.text.most)
    }

    /// Takes nothing in any more.
    pub fn fill(&mut self) {
        self.text.most = 0;
    }

    /// The limit that was passed: something is missing, and will be until the tape is dropped.
    #[inline]
    #[must_use]
    pub fn passed(&self) -> Option<Limit> {
        if self.text.most == 0 {
            Some(Limit::CallSize)
        } else if self.most == 0 {
            Some(Limit::Nodes)
        } else {
            None
        }
    }

    /// The nodes in the order of the text.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The text of a key, string or number.
    #[inline]
    #[must_use]
    pub fn text(&self, slice: Slice) -> &[u8] {
        self.text.bytes.get(slice.start as usize..(slice.start + slice.len) as usize).unwrap_or_default()
    }

    /// All text of the tape.
    #[must_use]
    pub fn raw_text(&self) -> &[u8] {
        &self.text.bytes
    }

    /// True when every text is UTF-8; halves of a character that happen to meet are none.
    #[must_use]
    pub fn is_utf8(&self) -> bool {
        if self.text.bytes.is_ascii() {
            return true;
        }
        let Ok(text) = std::str::from_utf8(&self.text.bytes) else { return false };
        let starts = |node: &Node| match node {
            Node::Key(slice) | Node::Str(slice) | Node::Number(slice) => Some(slice.start as usize),
            _ => None,
        };
        self.nodes.iter().filter_map(starts).all(|start| text.is_char_boundary(start))
    }

    /// True when nothing was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Makes room for an ordinary call.
    pub fn reserve(&mut self) {
        self.nodes.reserve(24);
        self.text.bytes.reserve(240);
    }

    /// Adds a node that has no text.
    #[inline]
    pub fn push(&mut self, node: Node) {
        if self.nodes.len() >= self.most {
            self.most = 0;
            return;
        }
        self.nodes.push(node);
    }

    /// Starts a text: an empty [`Slice`] at the end of the buffer, to be wrapped in a node.
    #[inline]
    #[must_use]
    pub fn begin(&self) -> Slice {
        Slice { start: self.text.bytes.len() as u32, len: 0 }
    }

    /// Adds to the text of the last node, which must be a key, string or number.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        if let Some(Node::Key(slice) | Node::Str(slice) | Node::Number(slice)) = self.nodes.last_mut() {
            slice.len += self.text.add(bytes);
        }
    }

    /// Adds a text that is whole.
    #[inline]
    fn whole(&mut self, bytes: &[u8]) -> Slice {
        Slice { start: self.text.bytes.len() as u32, len: self.text.add(bytes) }
    }

    /// Adds a string.
    #[inline]
    pub fn string(&mut self, bytes: &[u8]) {
        let slice = self.whole(bytes);
        self.push(Node::Str(slice));
    }

    /// Adds a key.
    #[inline]
    pub fn key(&mut self, bytes: &[u8]) -> Slice {
        let slice = self.whole(bytes);
        self.push(Node::Key(slice));
        slice
    }

    /// Adds a number.
    #[inline]
    pub fn number(&mut self, bytes: &[u8]) {
        let slice = self.whole(bytes);
        self.push(Node::Number(slice));
    }

    /// The place where the next node goes.
    #[must_use]
    pub fn bookmark(&self) -> Bookmark {
        Bookmark { nodes: self.nodes.len(), text: self.text.bytes.len() }
    }

    /// The place of the last node: a rewind to it removes that node, and its text if nothing came after it.
    #[must_use]
    pub fn bookmark_before_last(&self) -> Bookmark {
        let text = match self.nodes.last() {
            Some(Node::Key(slice) | Node::Str(slice) | Node::Number(slice)) => slice.start as usize,
            _ => self.text.bytes.len(),
        };
        Bookmark { nodes: self.nodes.len().saturating_sub(1), text }
    }

    /// Forgets all that was recorded since.
    pub fn rewind(&mut self, to: Bookmark) {
        self.nodes.truncate(to.nodes);
        self.text.bytes.truncate(to.text);
    }

    /// The text of the last node, if it is a key, string or number.
    #[must_use]
    pub fn last_text(&self) -> Option<&[u8]> {
        match self.nodes.last() {
            Some(Node::Key(slice) | Node::Str(slice) | Node::Number(slice)) => Some(self.text(*slice)),
            _ => None,
        }
    }

    /// Turns the last node into another of the same text.
    pub fn retype(&mut self, to: fn(Slice) -> Node) {
        if let Some(node) = self.nodes.last_mut()
            && let Node::Key(slice) | Node::Str(slice) | Node::Number(slice) = *node
        {
            *node = to(slice);
        }
    }

    /// Puts another node in the place of the last one.
    pub fn replace_last(&mut self, node: Node) {
        if let Some(last) = self.nodes.last_mut() {
            *last = node;
        }
    }

    /// Makes the object at `index` an array (a Python set was taken for a dict at first).
    pub fn object_to_array(&mut self, index: usize) {
        if let Some(node @ Node::Object) = self.nodes.get_mut(index) {
            *node = Node::Array;
        }
    }

    /// Appends another tape.
    pub fn append(&mut self, other: &Tape) {
        let (nodes, bytes) = (self.nodes.len() + other.nodes.len(), self.text.bytes.len() + other.text.bytes.len());
        if nodes > self.most || bytes > self.text.most || other.passed().is_some() {
            self.fill();
            return;
        }
        let shift = self.text.bytes.len() as u32;
        self.text.bytes.extend_from_slice(&other.text.bytes);
        self.nodes.extend(other.nodes.iter().map(|node| {
            let moved = |slice: &Slice| Slice { start: slice.start + shift, len: slice.len };
            match node {
                Node::Key(slice) => Node::Key(moved(slice)),
                Node::Str(slice) => Node::Str(moved(slice)),
                Node::Number(slice) => Node::Number(moved(slice)),
                other => *other,
            }
        }));
    }

    /// Appends the nodes `from..to` of another tape.
    pub fn append_range(&mut self, other: &Tape, from: usize, to: usize) {
        if other.passed().is_some() {
            self.fill();
        }
        for node in other.nodes.get(from..to).unwrap_or_default() {
            match node {
                Node::Key(slice) => {
                    self.key(other.text(*slice));
                }
                Node::Str(slice) => self.string(other.text(*slice)),
                Node::Number(slice) => self.number(other.text(*slice)),
                other => self.push(*other),
            }
        }
    }

    /// The members of the object at `index`: their keys, and where their values start and end.
    pub fn members(&self, index: usize) -> impl Iterator<Item = (&[u8], usize, usize)> {
        let mut at = index + 1;
        std::iter::from_fn(move || {
            let Node::Key(slice) = self.nodes.get(at)? else { return None };
            let (start, end) = (at + 1, self.value_end(at + 1));
            at = end;
            Some((self.text(*slice), start, end))
        })
    }

    /// One past the node that ends the value which starts at `index`.
    #[must_use]
    pub fn value_end(&self, index: usize) -> usize {
        let mut depth = 0_usize;
        for (at, node) in self.nodes.iter().enumerate().skip(index) {
            match node {
                Node::Object | Node::Array => depth += 1,
                Node::Close => depth = depth.saturating_sub(1),
                Node::Key(_) => continue,
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.nodes.len()
    }
}

impl Slice {
    /// How many bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// True when there is no text.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests;
