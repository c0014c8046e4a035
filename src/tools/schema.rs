//! JSON schemas compiled into a flat arena: what types a place admits and what its members are.
//!
//! Knows nothing about tools or text. Each schema object of a document becomes one node however often it is referred to, so cycles are
//! edges between nodes; nothing here calls itself, and the work on one document is bounded.

use serde_json::Value;

use super::draft::{self, Draft, Types};
use super::merge::{self, TooLarge};
use super::names::Names;
use super::typing::TypeSet;

/// A schema node: an index into the arena of all tools.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SchemaId(pub u32);

/// How many edges a type may travel against the order of the document; with chains in order, one round settles everything.
const ROUNDS: usize = 32;

/// One place in a document.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) types: TypeSet,
    pub(super) keys: Names,
    /// The schema of each key.
    members: Vec<SchemaId>,
    /// The schema of undeclared keys.
    rest: Option<SchemaId>,
    pub(super) items: Option<SchemaId>,
}

impl Node {
    /// The schema of a key, declared or not.
    pub(super) fn property(&self, key: &[u8]) -> Option<SchemaId> {
        match self.keys.find(key) {
            Some(position) => self.members.get(position).copied(),
            None => self.rest,
        }
    }
}

/// Adds the nodes of a document to the arena and returns its root.
pub(super) fn compile(document: &Value, arena: &mut Vec<Node>) -> Result<SchemaId, TooLarge> {
    let mut drafts = draft::read(document);
    let merged = merge::merge(&mut drafts)?;
    let base = arena.len();
    let id = |draft: usize| u32::try_from(base + draft).map(SchemaId).map_err(|_| TooLarge);
    for (types, members) in types(&drafts).into_iter().zip(merged) {
        let mut node = Node { types, ..Node::default() };
        for (key, member) in members.properties {
            node.keys.insert(key);
            node.members.push(id(member)?);
        }
        node.rest = members.rest.map(id).transpose()?;
        node.items = members.items.map(id).transpose()?;
        arena.push(node);
    }
    id(0)
}

/// The types of every node. What a cycle adds to itself is nothing, so each round starts from what the last one knew.
fn types(drafts: &[Draft<'_>]) -> Vec<TypeSet> {
    let mut known: Vec<Option<Types>> = vec![None; drafts.len()];
    for _ in 0..ROUNDS {
        let mut settled = true;
        for (at, draft) in drafts.iter().enumerate().rev() {
            let types = draft_types(draft, &known);
            if let Some(slot) = known.get_mut(at)
                && *slot != types
            {
                *slot = types;
                settled = false;
            }
        }
        if settled {
            break;
        }
    }
    known.into_iter().map(|types| types.unwrap_or(Types::Any).admitted()).collect()
}

fn draft_types(draft: &Draft<'_>, known: &[Option<Types>]) -> Option<Types> {
    let of = |id: &usize| known.get(*id).copied().flatten();
    let alternatives = draft.any.iter().map(|group| group.iter().filter_map(of).reduce(Types::or));
    let combined = draft.all.iter().map(of).chain(alternatives).chain([draft.named]).flatten().reduce(Types::and);
    let types = match combined {
        Some(Types::Of(types)) => Types::Of(types),
        Some(Types::Any) => draft.inferred.unwrap_or(Types::Any),
        None if draft.all.is_empty() && draft.any.is_empty() => draft.inferred.unwrap_or(Types::Any),
        None => draft.inferred?,
    };
    Some(if draft.nullable { types.or_null() } else { types })
}
