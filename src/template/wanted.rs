//! What the transform of the calls asks for: where the parts of a call come from.

use super::{Field, Result, refuse};
use serde_json::{Map, Value};

/// Keys of a call that are read as its id, whatever a row says.
const IDS: &[&str] = &["id", "tool_call_id", "call_id"];

/// Where a part of a call comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// The content, at this path.
    Content(Vec<String>),
    /// A group of the opener.
    Group(String),
}

/// What the transform makes of the content and the groups.
pub(super) struct Wanted {
    pub name: Source,
    pub arguments: Source,
    /// The group that holds an id.
    pub id: Option<String>,
    /// The content is a list of calls.
    pub each: bool,
}

/// What placeholders may name.
struct Scope<'g> {
    groups: &'g [String],
    each: bool,
}

impl Scope<'_> {
    fn source(&self, value: Option<&Value>, key: &str) -> Result<Source> {
        let Some(value) = value else { return refuse(key, "it is missing") };
        let Some(path) = value.as_str().and_then(placeholder) else {
            return refuse(key, "it must be one placeholder such as \"{content}\"");
        };
        match path.as_slice() {
            [group] if self.groups.contains(group) => Ok(Source::Group(group.clone())),
            path if self.each => Ok(Source::Content(path.to_vec())),
            [content, path @ ..] if content == "content" => Ok(Source::Content(path.to_vec())),
            path => refuse(key, format!("{{{}}} is neither the content nor a group of the opener", path.join("."))),
        }
    }
}

/// The path of a placeholder that is the whole text.
fn placeholder(text: &str) -> Option<Vec<String>> {
    let path: Vec<String> = text.strip_prefix('{')?.strip_suffix('}')?.split('.').map(str::to_owned).collect();
    let word = |part: &String| !part.is_empty() && part.chars().all(|char| char.is_alphanumeric() || char == '_');
    path.iter().all(word).then_some(path)
}

impl Wanted {
    pub(super) fn of(field: &Field<'_>, groups: &[String]) -> Result<Wanted> {
        let each = field.flag("transform_each")?.unwrap_or(false);
        let scope = Scope { groups, each };
        let key = field.key("transform");
        let transform = match field.get("transform") {
            None if each => return refuse(key, "it is missing, and transform_each is true"),
            None => return Ok(Wanted::whole()),
            Some(transform) => transform,
        };
        if transform.is_string() {
            return Wanted::of_content(&scope, transform, &key);
        }
        let Value::Object(call) = transform else { return refuse(key, "it must be an object or \"{content}\"") };
        let id = id_of(&scope, call, &key)?;
        let inner = format!("{key}.function");
        let (function, key) = match call.get("function") {
            None => (call, key),
            Some(Value::Object(function)) => (function, inner),
            Some(function) => {
                known(call, &["type", "id", "function"], &key)?;
                return Ok(Wanted { id, ..Wanted::of_content(&scope, function, &inner)? });
            }
        };
        if call.contains_key("function") {
            known(call, &["type", "id", "function"], &field.key("transform"))?;
            known(function, &["name", "arguments"], &key)?;
        } else {
            known(function, &["type", "id", "name", "arguments"], &key)?;
        }
        let name = scope.source(function.get("name"), &format!("{key}.name"))?;
        let arguments = scope.source(function.get("arguments"), &format!("{key}.arguments"))?;
        Ok(Wanted { name, arguments, id, each })
    }

    /// The content is the call.
    pub(super) fn whole() -> Wanted {
        let at = |key: &str| Source::Content(vec![key.to_owned()]);
        Wanted { name: at("name"), arguments: at("arguments"), id: None, each: false }
    }

    fn of_content(scope: &Scope<'_>, value: &Value, key: &str) -> Result<Wanted> {
        match scope.source(Some(value), key)? {
            Source::Content(path) if path.is_empty() => Ok(Wanted::whole()),
            _ => refuse(key, "only \"{content}\" can be the whole call"),
        }
    }
}

fn known(map: &Map<String, Value>, keys: &[&str], key: &str) -> Result<()> {
    match map.keys().find(|name| !keys.contains(&name.as_str())) {
        Some(name) => refuse(format!("{key}.{name}"), format!("a call has no such part; it has {}", keys.join(", "))),
        None => match map.get("type") {
            Some(kind) if kind.as_str() != Some("function") => refuse(format!("{key}.type"), "it must be \"function\""),
            _ => Ok(()),
        },
    }
}

fn id_of(scope: &Scope<'_>, call: &Map<String, Value>, key: &str) -> Result<Option<String>> {
    let key = format!("{key}.id");
    let Some(value) = call.get("id") else { return Ok(None) };
    match scope.source(Some(value), &key)? {
        Source::Group(group) => Ok(Some(group)),
        Source::Content(path) if path.iter().any(|name| IDS.contains(&name.as_str())) && path.len() == 1 => Ok(None),
        Source::Content(_) => refuse(key, format!("an id is read from {} only", IDS.join(", "))),
    }
}
