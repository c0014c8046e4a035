//! The tools offered to the model, compiled once: names to look up, schemas to type values by.
//!
//! Knows nothing about replies or formats. [`Tools`] answers what was offered; [`classify`] says how raw text reads under a place's types.

mod decimal;
mod definitions;
mod draft;
mod merge;
mod names;
mod schema;
#[cfg(test)]
mod tests;
mod typing;

pub use definitions::ToolsError;
pub use schema::SchemaId;
pub use typing::{TypeSet, Typed, Unknown, classify, coerce_string};

use names::Names;
use schema::Node;

/// The tools offered to the model.
#[derive(Debug)]
pub struct Tools {
    any: bool,
    names: Names,
    /// The root schema of each tool that has one.
    roots: Vec<Option<SchemaId>>,
    nodes: Vec<Node>,
    /// The types of each node: they are asked for most.
    types: Vec<TypeSet>,
    offered: String,
}

/// A tool: its place among those offered.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ToolId(pub u32);

impl Tools {
    /// No list was given: every well-marked name is taken, and there are no schemas.
    #[must_use]
    pub fn any() -> Tools {
        Self { any: true, ..Self::new(Names::default(), Vec::new(), Vec::new()) }
    }

    /// Names without schemas, in the order in which they are offered. A name that comes twice counts once.
    #[must_use]
    pub fn from_names(names: Vec<String>) -> Tools {
        let mut distinct = Names::default();
        for name in names {
            distinct.insert(&name);
        }
        let roots = vec![None; distinct.len()];
        Self::new(distinct, roots, Vec::new())
    }

    /// Reads tool definitions: a list of names and of definitions as `OpenAI`, Anthropic and MCP write them, in any mixture, or an object
    /// that maps each name to its JSON schema. Of two definitions of a name the first one with a schema counts.
    ///
    /// # Errors
    ///
    /// [`ToolsError`] says which entry is malformed and what was expected. A schema is malformed only if it is no object or boolean;
    /// unknown keywords and references that lead nowhere say nothing about a type.
    pub fn from_json(definitions: &serde_json::Value) -> Result<Tools, ToolsError> {
        let mut names = Names::default();
        let mut roots: Vec<Option<SchemaId>> = Vec::new();
        let mut nodes = Vec::new();
        for tool in definitions::read(definitions)? {
            let position = names.insert(tool.name);
            if position == roots.len() {
                roots.push(None);
            }
            if let (Some(schema), Some(root @ None)) = (tool.schema, roots.get_mut(position)) {
                *root = Some(schema::compile(schema, &mut nodes).map_err(|_| ToolsError::TooLarge(tool.place))?);
            }
        }
        Ok(Self::new(names, roots, nodes))
    }

    fn new(names: Names, roots: Vec<Option<SchemaId>>, nodes: Vec<Node>) -> Self {
        let offered = names.iter().collect::<Vec<_>>().join(", ");
        let types = nodes.iter().map(|node| node.types).collect();
        Self { any: false, offered: if names.len() == 0 { "none".to_owned() } else { offered }, names, roots, nodes, types }
    }

    /// Whether every well-marked name is taken.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.any
    }

    /// How many tools are offered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no tool is named: none is offered, or any is taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The names in offered order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter()
    }

    /// The name of a tool.
    #[must_use]
    pub fn name(&self, tool: ToolId) -> &str {
        self.names.get(tool.0 as usize).unwrap_or_default()
    }

    /// The tool with exactly this name. None is found where any is taken.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<ToolId> {
        self.names.find(name).and_then(|position| u32::try_from(position).ok()).map(ToolId)
    }

    /// The names for the message `Available now: …`: `a, b` in offered order, `none` without any.
    #[must_use]
    pub fn offered(&self) -> &str {
        &self.offered
    }

    /// The declared parameters of a tool in order, the inherited ones behind its own.
    pub fn parameters(&self, tool: ToolId) -> impl Iterator<Item = &str> {
        self.root(tool).into_iter().flat_map(|root| root.keys.iter())
    }

    /// Whether a tool declares a parameter. `None` when its schema declares none at all, or it has no schema.
    #[must_use]
    pub fn declares(&self, tool: ToolId, key: &[u8]) -> Option<bool> {
        let root = self.root(tool).filter(|root| root.keys.len() > 0)?;
        Some(root.keys.find(key).is_some())
    }

    /// The schema of a parameter; for an undeclared one that of `additionalProperties`, if there is one.
    #[must_use]
    pub fn parameter(&self, tool: ToolId, key: &[u8]) -> Option<SchemaId> {
        self.root(tool)?.property(key)
    }

    /// The types that a schema admits, empty when it tells none.
    #[must_use]
    pub fn types(&self, schema: SchemaId) -> TypeSet {
        self.types.get(schema.0 as usize).copied().unwrap_or_default()
    }

    /// The schema of a member of an object, as [`Tools::parameter`] finds it.
    #[must_use]
    pub fn property(&self, schema: SchemaId, key: &[u8]) -> Option<SchemaId> {
        self.node(schema)?.property(key)
    }

    /// The schema of the items of an array; for a tuple the schema that admits any of its items.
    #[must_use]
    pub fn items(&self, schema: SchemaId) -> Option<SchemaId> {
        self.node(schema)?.items
    }

    /// The only tool that declares all these parameters, `None` when there is none or more than one.
    pub fn covering<'k>(&self, keys: impl Iterator<Item = &'k [u8]> + Clone) -> Option<ToolId> {
        let fits = move |tool: &ToolId| keys.clone().all(|key| self.declares(*tool, key) == Some(true));
        let mut fitting = (0..).take(self.len()).map(ToolId).filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    }

    fn root(&self, tool: ToolId) -> Option<&Node> {
        self.node(self.roots.get(tool.0 as usize).copied().flatten()?)
    }

    fn node(&self, schema: SchemaId) -> Option<&Node> {
        self.nodes.get(schema.0 as usize)
    }
}
