//! [`Paths`]: places in a JSON document, looked up together in one pass and without a tree.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// What a place stands for; the caller's own numbering.
pub type Target = u8;

/// One step of a path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step<'s> {
    /// A member of an object.
    Key(&'s str),
    /// An item of an array.
    Item(usize),
    /// A member of an object, or an item of an array.
    KeyOrItem(&'s str, usize),
    /// Every item of an array.
    Each,
    /// Every item of an array that is an object in which a member is one of these strings.
    EachOf(Only),
}

/// A condition on an object: the string that stands at a key.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Only {
    /// The key.
    pub key: &'static str,
    /// What may stand there.
    pub values: &'static [&'static str],
}

/// Why a path is none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BadPath;

/// Reads `a.b[0].c[*].d`, where `.0` and `.*` are the same as `[0]` and `[*]`.
///
/// # Errors
///
/// [`BadPath`] when there is nothing, or nothing between two dots, or no number in brackets.
pub fn steps(path: &str) -> Result<Vec<Step<'_>>, BadPath> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (name, items) = part.split_once('[').map_or((part, ""), |(name, items)| (name, items));
        match (name, name.parse()) {
            ("", _) if items.is_empty() => return Err(BadPath),
            ("", _) => {}
            ("*", _) => steps.push(Step::Each),
            (name, Ok(index)) => steps.push(Step::KeyOrItem(name, index)),
            (name, Err(_)) => steps.push(Step::Key(name)),
        }
        for item in items.split_terminator('[') {
            match item.trim_end_matches(']') {
                "*" => steps.push(Step::Each),
                index => steps.push(Step::Item(index.parse().map_err(|_| BadPath)?)),
            }
        }
    }
    Ok(steps)
}

/// A place on the way.
#[derive(Debug, Default, Clone)]
struct Node {
    /// What ends here.
    targets: Vec<Target>,
    keys: Vec<(Box<str>, usize)>,
    items: Vec<(usize, usize)>,
    each: Option<usize>,
    only: Option<Only>,
}

impl Node {
    fn goes_on(&self) -> bool {
        !self.keys.is_empty() || !self.items.is_empty() || self.each.is_some()
    }
}

/// What was found at a place: a value as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'a> {
    /// The place.
    pub target: Target,
    /// The value.
    pub raw: Cow<'a, str>,
}

/// Places in a document, as a tree of steps.
#[derive(Debug, Clone)]
pub struct Paths {
    nodes: Vec<Node>,
}

impl Default for Paths {
    fn default() -> Paths {
        Paths { nodes: vec![Node::default()] }
    }
}

impl Paths {
    /// Adds a place. Keys that follow each other may also stand in the document as one key with dots.
    pub fn add(&mut self, steps: &[Step<'_>], target: Target) {
        let mut at = 0;
        // The nodes and keys of the keys in a row that end here.
        let mut row: Vec<(usize, &str)> = Vec::new();
        for step in steps {
            let next = self.step(at, *step);
            if let Step::Key(key) | Step::KeyOrItem(key, _) = *step {
                row.push((at, key));
                for first in 0..row.len().saturating_sub(1) {
                    let joined: Vec<&str> = row.iter().skip(first).map(|(_, key)| *key).collect();
                    if let Some((from, _)) = row.get(first) {
                        self.link(*from, &joined.join("."), next);
                    }
                }
            } else {
                row.clear();
            }
            at = next;
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.targets.push(target);
        }
    }

    fn step(&mut self, at: usize, step: Step<'_>) -> usize {
        let fresh = self.nodes.len();
        let Some(node) = self.nodes.get_mut(at) else { return at };
        let known = match step {
            Step::Key(key) | Step::KeyOrItem(key, _) => node.keys.iter().find(|(known, _)| **known == *key).map(|(_, to)| *to),
            Step::Item(index) => node.items.iter().find(|(known, _)| *known == index).map(|(_, to)| *to),
            Step::Each | Step::EachOf(_) => node.each,
        };
        let to = known.unwrap_or(fresh);
        match step {
            Step::Key(_) | Step::Each | Step::EachOf(_) if known.is_some() => {}
            Step::Key(key) => node.keys.push((key.into(), to)),
            Step::Item(index) => node.items.push((index, to)),
            Step::KeyOrItem(key, index) => {
                node.keys.push((key.into(), to));
                node.items.push((index, to));
            }
            Step::Each | Step::EachOf(_) => node.each = Some(to),
        }
        if known.is_none() {
            let only = if let Step::EachOf(only) = step { Some(only) } else { None };
            self.nodes.push(Node { only, ..Node::default() });
        }
        to
    }

    fn link(&mut self, from: usize, key: &str, to: usize) {
        if let Some(node) = self.nodes.get_mut(from)
            && !node.keys.iter().any(|(known, _)| **known == *key)
        {
            node.keys.push((key.into(), to));
        }
    }

    fn node(&self, at: usize) -> Option<&Node> {
        self.nodes.get(at)
    }

    /// Everything that stands at one of the places, in the order of the document.
    ///
    /// # Errors
    ///
    /// When the document is not JSON.
    pub fn find<'a>(&self, document: &'a str) -> serde_json::Result<Vec<Found<'a>>> {
        let mut found = Vec::new();
        let mut reader = serde_json::Deserializer::from_str(document);
        Look { paths: self, at: 0, found: &mut found }.deserialize(&mut reader)?;
        reader.end()?;
        Ok(found)
    }
}

/// A value of the document that is reached by steps.
struct Look<'p, 'f, 'a> {
    paths: &'p Paths,
    at: usize,
    found: &'f mut Vec<Found<'a>>,
}

impl<'de> DeserializeSeed<'de> for Look<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Some(node) = self.paths.node(self.at) else { return IgnoredAny::deserialize_in(deserializer) };
        if node.targets.is_empty() {
            return deserializer.deserialize_any(self);
        }
        let raw = <&RawValue as serde::Deserialize>::deserialize(deserializer)?.get();
        self.found.extend(node.targets.iter().map(|target| Found { target: *target, raw: Cow::Borrowed(raw) }));
        if node.goes_on() && raw.starts_with(['{', '[']) {
            serde_json::Deserializer::from_str(raw).deserialize_any(self).map_err(D::Error::custom)?;
        }
        Ok(())
    }
}

/// Skipping a value.
trait Skip {
    fn deserialize_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error>;
}

impl Skip for IgnoredAny {
    fn deserialize_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ())
    }
}

impl<'de> Visitor<'de> for Look<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let Some(node) = self.paths.node(self.at) else { return Ok(()) };
        let before = self.found.len();
        let mut admitted = node.only.is_none();
        while let Some(next) = map.next_key_seed(KeyOf { node })? {
            match next {
                Next::Nothing => {
                    map.next_value::<IgnoredAny>()?;
                }
                Next::Condition => {
                    let raw = map.next_value::<&RawValue>()?.get();
                    let text = raw.trim_matches('"');
                    admitted = node.only.is_some_and(|only| only.values.contains(&text));
                }
                Next::Step(at) => map.next_value_seed(Look { paths: self.paths, at, found: &mut *self.found })?,
            }
        }
        if !admitted {
            self.found.truncate(before);
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        let Some(node) = self.paths.node(self.at) else { return Ok(()) };
        for index in 0.. {
            let at = node.items.iter().find(|(known, _)| *known == index).map(|(_, to)| *to).or(node.each);
            let more = match at {
                Some(at) => items.next_element_seed(Look { paths: self.paths, at, found: &mut *self.found })?.is_some(),
                None => items.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        // A document in a string: a path goes through it.
        if !text.trim_start().starts_with(['{', '[']) {
            return Ok(());
        }
        let mut inner = Vec::new();
        let read = serde_json::Deserializer::from_str(text).deserialize_any(Look { paths: self.paths, at: self.at, found: &mut inner });
        if read.is_ok() {
            self.found.extend(inner.into_iter().map(|found| Found { target: found.target, raw: Cow::Owned(found.raw.into_owned()) }));
        }
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}

/// What a key of an object leads to.
enum Next {
    Nothing,
    Condition,
    Step(usize),
}

struct KeyOf<'p> {
    node: &'p Node,
}

impl<'de> DeserializeSeed<'de> for KeyOf<'_> {
    type Value = Next;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Next, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyOf<'_> {
    type Value = Next;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Next, E> {
        if self.node.only.is_some_and(|only| only.key == key) {
            return Ok(Next::Condition);
        }
        Ok(self.node.keys.iter().find(|(known, _)| **known == *key).map_or(Next::Nothing, |(_, to)| Next::Step(*to)))
    }
}
