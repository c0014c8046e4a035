//! Tool definitions as the APIs write them, read into names and schemas.

use std::fmt;

use serde_json::{Map, Value};

/// Why tools could not be compiled. Each place is written as `tools[2]` or `tools["name"]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolsError {
    /// Neither a list nor an object.
    NotTools,
    /// A definition where a list of them should be.
    NotAList,
    /// An entry of the list is neither a name nor a definition.
    NotADefinition(String),
    /// A definition without a name, or with one that is not a string or empty.
    NoName(String),
    /// The parameters are not a JSON schema.
    NotASchema(String),
    /// A whole definition where its parameters should be.
    NotParameters(String),
    /// The schemas of one tool refer to each other in so many ways that they cannot be laid out.
    TooLarge(String),
}

const DEFINITION: &str = r#"expected a name, {"type": "function", "function": {"name": …, "parameters": …}}, {"name": …, "parameters": …}, {"name": …, "input_schema": …} or {"name": …, "inputSchema": …}"#;

impl fmt::Display for ToolsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTools => {
                f.write_str("tools: expected a list of names and tool definitions, or an object that maps each name to a JSON schema")
            }
            Self::NotAList => f.write_str("tools: one tool definition where a list of them is expected; write [definition]"),
            Self::NotADefinition(place) => write!(f, "{place}: not a tool definition: {DEFINITION}"),
            Self::NoName(place) => write!(f, "{place}: no name: {DEFINITION}"),
            Self::NotASchema(place) => write!(f, "{place}: the parameters are not a JSON schema: expected an object, true, false or null"),
            Self::NotParameters(place) => {
                write!(
                    f,
                    "{place}: a whole tool definition where the JSON schema of its parameters is expected; give a list of definitions"
                )
            }
            Self::TooLarge(place) => write!(f, "{place}: the JSON schema is too large: its $ref, allOf, anyOf and oneOf multiply"),
        }
    }
}

impl std::error::Error for ToolsError {}

/// One tool as it was defined.
pub(super) struct Definition<'v> {
    pub(super) name: &'v str,
    pub(super) schema: Option<&'v Value>,
    pub(super) place: String,
}

/// Reads the definitions in their order: a list in which the shapes may be mixed, or an object of schemas.
pub(super) fn read(tools: &Value) -> Result<Vec<Definition<'_>>, ToolsError> {
    match tools {
        Value::Array(list) => list.iter().enumerate().map(|(at, tool)| entry(tool, format!("tools[{at}]"))).collect(),
        Value::Object(fields) if is_definition(fields) => Err(ToolsError::NotAList),
        Value::Object(schemas) => schemas.iter().map(|(name, schema)| definition(name, Some(schema), format!("tools[{name:?}]"))).collect(),
        _ => Err(ToolsError::NotTools),
    }
}

/// Whether these are the fields of a definition, and neither names nor keywords of a schema.
fn is_definition(fields: &Map<String, Value>) -> bool {
    let fields = fields.get("function").and_then(Value::as_object).unwrap_or(fields);
    fields.get("name").is_some_and(Value::is_string) && (schema(fields).is_some() || fields.contains_key("description"))
}

fn entry(tool: &Value, place: String) -> Result<Definition<'_>, ToolsError> {
    let fields = match tool {
        Value::String(name) => return definition(name, None, place),
        Value::Object(fields) => fields,
        _ => return Err(ToolsError::NotADefinition(place)),
    };
    let fields = fields.get("function").and_then(Value::as_object).unwrap_or(fields);
    match fields.get("name").and_then(Value::as_str) {
        Some(name) => definition(name, schema(fields), place),
        None => Err(ToolsError::NoName(place)),
    }
}

fn schema(fields: &Map<String, Value>) -> Option<&Value> {
    ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| fields.get(*key))
}

fn definition<'v>(name: &'v str, schema: Option<&'v Value>, place: String) -> Result<Definition<'v>, ToolsError> {
    if name.is_empty() {
        return Err(ToolsError::NoName(place));
    }
    match schema {
        Some(Value::Object(fields)) if is_definition(fields) => Err(ToolsError::NotParameters(place)),
        None | Some(Value::Null) => Ok(Definition { name, schema: None, place }),
        Some(Value::Object(_) | Value::Bool(_)) => Ok(Definition { name, schema, place }),
        Some(_) => Err(ToolsError::NotASchema(place)),
    }
}
