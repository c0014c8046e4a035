//! A schema document taken apart: each schema object a draft with edges to those it contains or refers to.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::typing::TypeSet;

/// References that lead to nothing but references are followed so far.
const MAX_ALIASES: usize = 32;

/// What is known about the types of a place, while it is being found out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Types {
    /// Every type: `{}` and `true`.
    Any,
    /// These types; none at all for `false`.
    Of(TypeSet),
}

impl Types {
    /// Either of two alternatives.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Of(a), Self::Of(b)) => Self::Of(a.union(b)),
            _ => Self::Any,
        }
    }

    /// Two demands at once; if they exclude each other the schema is mistaken, and either will do.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Any, types) | (types, Self::Any) => types,
            (Self::Of(a), Self::Of(b)) if a.intersection(b).is_empty() => Self::Of(a.union(b)),
            (Self::Of(a), Self::Of(b)) => Self::Of(a.intersection(b)),
        }
    }

    pub(super) fn or_null(self) -> Self {
        self.or(Self::Of(TypeSet::NULL))
    }

    pub(super) fn admitted(self) -> TypeSet {
        match self {
            Self::Any => TypeSet::EMPTY,
            Self::Of(types) => types,
        }
    }
}

/// One schema object, its edges as indexes of other drafts.
#[derive(Debug, Default)]
pub(super) struct Draft<'v> {
    /// What `type` says.
    pub(super) named: Option<Types>,
    /// What the values in `enum` and `const`, or the keywords for members, show when nothing else tells the type.
    pub(super) inferred: Option<Types>,
    pub(super) nullable: bool,
    /// `$ref` and `allOf`.
    pub(super) all: Vec<usize>,
    /// `anyOf` and `oneOf`.
    pub(super) any: Vec<Vec<usize>>,
    pub(super) properties: Vec<(&'v str, usize)>,
    /// `additionalProperties`.
    pub(super) rest: Option<usize>,
    pub(super) items: Option<usize>,
}

/// Takes a document apart; its root is the first draft.
pub(super) fn read(document: &Value) -> Vec<Draft<'_>> {
    let mut reader = Reader { document, sources: vec![Source::Schema(document)], ids: HashMap::from([(std::ptr::from_ref(document), 0)]) };
    let mut drafts = Vec::new();
    while let Some(source) = reader.sources.get(drafts.len()) {
        let draft = match *source {
            Source::Schema(value) => reader.draft(value),
            Source::Tuple(schemas) => Draft { any: vec![reader.ids(schemas)], ..Draft::default() },
        };
        drafts.push(draft);
    }
    drafts
}

/// What a draft is made from.
#[derive(Copy, Clone)]
enum Source<'v> {
    Schema(&'v Value),
    /// The schemas of a tuple's items: whichever it is, an item is one of them.
    Tuple(&'v [Value]),
}

struct Reader<'v> {
    document: &'v Value,
    /// What each draft is made from; those behind the last draft are still to do.
    sources: Vec<Source<'v>>,
    /// The draft of each schema, by its address in the document.
    ids: HashMap<*const Value, usize>,
}

impl<'v> Reader<'v> {
    fn id(&mut self, value: &'v Value) -> usize {
        let value = self.behind_aliases(value);
        *self.ids.entry(std::ptr::from_ref(value)).or_insert_with(|| {
            self.sources.push(Source::Schema(value));
            self.sources.len() - 1
        })
    }

    fn ids(&mut self, values: &'v [Value]) -> Vec<usize> {
        values.iter().map(|value| self.id(value)).collect()
    }

    fn behind_aliases(&self, mut value: &'v Value) -> &'v Value {
        for _ in 0..MAX_ALIASES {
            let target = value.as_object().filter(|fields| fields.len() == 1).and_then(|fields| self.reference(fields));
            match target {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }

    /// What `$ref` points at, if that is in the same document.
    fn reference(&self, fields: &Map<String, Value>) -> Option<&'v Value> {
        let pointer = fields.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.document.pointer(&percent_decoded(pointer))
    }

    fn draft(&mut self, value: &'v Value) -> Draft<'v> {
        match value {
            Value::Object(fields) => self.object(fields),
            Value::Bool(false) => Draft { named: Some(Types::Of(TypeSet::EMPTY)), ..Draft::default() },
            // Some data sets write the name of the type where its schema should stand.
            Value::String(_) => Draft { named: named(value), ..Draft::default() },
            _ => Draft::default(),
        }
    }

    fn object(&mut self, fields: &'v Map<String, Value>) -> Draft<'v> {
        let mut draft = Draft { named: fields.get("type").and_then(named), inferred: inferred(fields), ..Draft::default() };
        draft.nullable = fields.get("nullable") == Some(&Value::Bool(true));
        if let Some(target) = self.reference(fields) {
            let target = self.id(target);
            draft.all.push(target);
        }
        for (key, value) in fields {
            match (key.as_str(), value) {
                ("allOf", Value::Array(schemas)) => draft.all.extend(self.ids(schemas)),
                ("anyOf" | "oneOf", Value::Array(schemas)) if !schemas.is_empty() => draft.any.push(self.ids(schemas)),
                ("not", schema) if admits_all(schema) => draft.named = Some(Types::Of(TypeSet::EMPTY)),
                ("properties", Value::Object(schemas)) => {
                    draft.properties = schemas.iter().map(|(key, schema)| (key.as_str(), self.id(schema))).collect();
                }
                ("additionalProperties", Value::Object(_)) => draft.rest = Some(self.id(value)),
                ("items", Value::Object(_)) => draft.items = Some(self.id(value)),
                ("items" | "prefixItems", Value::Array(schemas)) if draft.items.is_none() && !schemas.is_empty() => {
                    draft.items = Some(self.sources.len());
                    self.sources.push(Source::Tuple(schemas));
                }
                _ => {}
            }
        }
        draft
    }
}

fn named(name: &Value) -> Option<Types> {
    let one = |name: &Value| name.as_str().and_then(|name| TypeSet::named(name.as_bytes())).map(Types::Of);
    match name {
        Value::Array(names) => names.iter().filter_map(one).reduce(Types::or),
        name => one(name),
    }
}

fn inferred(fields: &Map<String, Value>) -> Option<Types> {
    let listed = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
    let values = listed.chain(fields.get("const")).map(value_types).reduce(Types::or);
    let has = |keys: &[&str], kind: fn(&Value) -> bool| keys.iter().any(|key| fields.get(*key).is_some_and(kind));
    values.or_else(|| {
        if has(&["properties", "patternProperties", "additionalProperties"], Value::is_object) || has(&["required"], Value::is_array) {
            Some(Types::Of(TypeSet::OBJECT))
        } else if has(&["items", "prefixItems"], |value| value.is_object() || value.is_array()) {
            Some(Types::Of(TypeSet::ARRAY))
        } else {
            None
        }
    })
}

fn value_types(value: &Value) -> Types {
    Types::Of(match value {
        Value::Null => TypeSet::NULL,
        Value::Bool(_) => TypeSet::BOOLEAN,
        Value::Number(number) if number.to_string().bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => TypeSet::NUMBER,
        Value::Number(_) => TypeSet::INTEGER,
        Value::String(_) => TypeSet::STRING,
        Value::Array(_) => TypeSet::ARRAY,
        Value::Object(_) => TypeSet::OBJECT,
    })
}

fn admits_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn percent_decoded(pointer: &str) -> Cow<'_, str> {
    if !pointer.contains('%') {
        return Cow::Borrowed(pointer);
    }
    let mut decoded = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        decoded.push(match (byte, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                rest = after;
                hex(*high) << 4 | hex(*low)
            }
            _ => *byte,
        });
    }
    Cow::Owned(String::from_utf8_lossy(&decoded).into_owned())
}

fn hex(digit: u8) -> u8 {
    char::from(digit).to_digit(16).map_or(0, |value| value as u8)
}
