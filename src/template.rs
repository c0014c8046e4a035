//! A checkpoint's own `response_template`, compiled into rows.
//!
//! The template names fields of a message and says between which delimiters each stands. Text fields become reasoning blocks and control
//! tokens, the field `tool_calls` becomes rows. What the rows cannot say is refused here, by the key that says it; at parse time a template
//! is like any other format.
//!
//! Where a template promises what a reader of replies does not do: `defaults` and `start_anchor` are checked and not used, since they are
//! about the message and the prompt; text outside of all fields is shown and not lost, and white space in front of a closer of the content
//! stays; a field that comes again is added to; `optional` asks nothing of a reply; a call inside reasoning is a draft, as with every
//! format.

mod calls;
mod draft;
mod head;
mod pattern;
mod tags;
mod wanted;

use crate::format::{CallsInside, Edges, Format, Space, Think};
use crate::plan::Plan;
use draft::{Draft, kept};
use pattern::{Atom, Spelling};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::OnceLock;

/// The name of the rows of a template.
pub const NAME: &str = "response_template";

/// Fields that hold reasoning.
const REASONING: &[&str] = &["thinking", "reasoning", "reasoning_content"];
const CONTENT: &str = "content";
const CALLS: &str = "tool_calls";

const TEMPLATE_KEYS: &[&str] = &["version", "defaults", "fields", "start_anchor", "start_anchor_pattern"];
const FIELD_KEYS: &[&str] = &[
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
];

/// What of a template the rows cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    /// The key, as a path: `fields.tool_calls.open_pattern`.
    pub key: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "format: {}: {}", self.key, self.what)
    }
}

impl std::error::Error for TemplateError {}

type Result<T> = std::result::Result<T, TemplateError>;

fn refuse<T>(key: impl Into<String>, what: impl Into<String>) -> Result<T> {
    Err(TemplateError { key: key.into(), what: what.into() })
}

/// What a template was compiled into.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// The rows.
    pub formats: &'static [Format],
    /// The reasoning blocks.
    pub thinks: &'static [Think],
}

/// A plan that reads what `template` describes.
///
/// # Errors
/// When the template is malformed, or says what no row can.
pub fn compile(template: &Value) -> Result<Plan> {
    let rows = rows(template)?;
    Ok(Plan::of(rows.formats.iter().collect(), rows.thinks.iter().collect(), false))
}

/// The rows of `template`.
///
/// # Errors
/// When the template is malformed, or says what no row can.
pub fn rows(template: &Value) -> Result<Rows> {
    let text = template.to_string();
    let mut place = &KNOWN;
    while let Some(known) = place.get() {
        if known.text == text {
            return Ok(known.rows);
        }
        place = &known.next;
    }
    let (drafts, thinks) = read(template)?;
    let rows =
        Rows { formats: kept(drafts.iter().map(Draft::keep).collect()), thinks: kept(thinks.iter().map(ThinkDraft::keep).collect()) };
    let mut known = Box::new(Known { text, rows, next: OnceLock::new() });
    // Another thread may have come first, with this template or with another one.
    while let Err(back) = place.set(known) {
        known = back;
        place = place.get().map_or(place, |first| &first.next);
    }
    Ok(rows)
}

/// A template that was compiled before.
struct Known {
    text: String,
    rows: Rows,
    next: OnceLock<Box<Known>>,
}

/// The templates so far. Rows live as long as the process, since results name them by reference: each distinct template is therefore
/// compiled and leaked once, and found here afterwards. The list only grows, so it is read without a lock that a fork could leave closed;
/// it is short, as a process serves few checkpoints.
static KNOWN: OnceLock<Box<Known>> = OnceLock::new();

/// A reasoning block that is not static yet.
struct ThinkDraft {
    open: Vec<String>,
    close: Vec<String>,
    exact: bool,
}

impl ThinkDraft {
    fn keep(&self) -> Think {
        Think {
            name: NAME,
            open: draft::texts(&self.open),
            close: draft::texts(&self.close),
            ended_by: &[],
            calls: CallsInside::Drafts,
            edges: if self.exact { Edges::Exact } else { Edges::Blanks },
        }
    }
}

/// One field, and where it stands in the template.
struct Field<'t> {
    key: String,
    map: &'t Map<String, Value>,
}

impl<'t> Field<'t> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.key)
    }

    fn get(&self, name: &str) -> Option<&'t Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => refuse(self.key(name), "it must be true or false"),
        }
    }

    fn text(&self, name: &str) -> Result<Option<&'t str>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => refuse(self.key(name), "it must be a string"),
        }
    }

    /// The arguments of the content's parser, with these keys only.
    fn args(&self, known: &[&str]) -> Result<Option<Field<'t>>> {
        match self.get("content_args") {
            None => Ok(None),
            Some(Value::Object(map)) => {
                let args = Field { key: self.key("content_args"), map };
                args.knows(known)?;
                Ok(Some(args))
            }
            Some(_) => refuse(self.key("content_args"), "it must be an object"),
        }
    }

    fn knows(&self, known: &[&str]) -> Result<()> {
        match self.map.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => refuse(self.key(key), format!("unknown key; known are {}", known.join(", "))),
            None => Ok(()),
        }
    }

    /// The spellings of a delimiter, and the key that says them. None: there is no such delimiter.
    fn delimiter(&self, name: &str) -> Result<Option<(Vec<Spelling>, String)>> {
        let pattern = format!("{name}_pattern");
        if self.get(name).is_some() && self.get(&pattern).is_some() {
            return refuse(self.key(&pattern), format!("{name} is given as well"));
        }
        if let Some(text) = self.text(&pattern)? {
            let key = self.key(&pattern);
            return match pattern::parse(text) {
                Ok(spellings) => Ok(Some((spellings, key))),
                Err(what) => refuse(key, what),
            };
        }
        let key = self.key(name);
        let literals = match self.get(name) {
            None => return Ok(None),
            Some(Value::String(text)) => vec![text.as_str()],
            Some(Value::Array(items)) if !items.is_empty() => match items.iter().map(Value::as_str).collect() {
                Some(texts) => texts,
                None => return refuse(key, "the list must hold strings only"),
            },
            Some(_) => return refuse(key, "it must be a string, or a list of strings that is not empty"),
        };
        if literals.contains(&"") {
            return refuse(key, "a literal is empty");
        }
        Ok(Some((literals.into_iter().map(|text| vec![Atom::Text(text.to_owned())]).collect(), key)))
    }

    /// The literal spellings of a closer; the end of the reply closes everything, said or not.
    fn closers(&self, exact: bool) -> Result<Vec<String>> {
        let Some((spellings, key)) = self.delimiter("close")? else { return Ok(Vec::new()) };
        let spellings: Vec<Spelling> = spellings.into_iter().filter(|spelling| pattern::inner(spelling) != [Atom::End]).collect();
        literals(&spellings, &key, exact, Side::Close)
    }
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Side {
    Open,
    Close,
}

/// The texts of spellings that have no groups. `exact`: the white space around them belongs to the field.
fn literals(spellings: &[Spelling], key: &str, exact: bool, side: Side) -> Result<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    for spelling in spellings {
        for atom in spelling {
            match atom {
                Atom::Group(name) => return refuse(key, format!("group {name} is used by no transform")),
                Atom::End => return refuse(key, "the end of the text cannot be part of a delimiter"),
                _ => {}
            }
        }
        if exact && pattern::inner(spelling).len() != spelling.len() {
            return refuse(key, "white space around a delimiter cannot be dropped when strip is false");
        }
        for text in pattern::texts(spelling) {
            let text = if exact && side == Side::Close { &text } else { edge(&text, side) };
            if !out.iter().any(|known| known == text) {
                out.push(text.to_owned());
            }
        }
    }
    match out.iter().find(|text| !findable(text)) {
        Some(text) => refuse(
            key,
            format!(
                "{} cannot be looked for in text: a delimiter has three bytes or more, and starts with no white space or back-tick",
                quoted(text)
            ),
        ),
        None => Ok(out),
    }
}

/// A delimiter without the white space that models vary. White space behind an opener that ends in a word keeps the word whole.
fn edge(text: &str, side: Side) -> &str {
    let text = text.trim_start();
    let trimmed = text.trim_end();
    if side == Side::Close || trimmed.ends_with(|char: char| !char.is_alphanumeric()) { trimmed } else { text }
}

/// The reader looks for three bytes, and back-ticks and line feeds mean something else to it.
fn findable(text: &str) -> bool {
    text.len() >= 3 && !text.starts_with(['`', '\n'])
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn read(template: &Value) -> Result<(Vec<Draft>, Vec<ThinkDraft>)> {
    let Value::Object(map) = template else { return refuse("response_template", "it must be an object") };
    let fields = envelope(map)?;
    let mut thinks = Vec::new();
    let mut controls = Vec::new();
    let mut space = Space::Trim;
    let mut calls = None;
    for (name, field) in fields {
        let Value::Object(map) = field else { return refuse(format!("fields.{name}"), "it must be an object") };
        let field = Field { key: format!("fields.{name}"), map };
        field.knows(FIELD_KEYS)?;
        common(&field)?;
        match name.as_str() {
            CALLS => calls = Some(field),
            CONTENT => {
                let exact = read_text(&field)?;
                space = if exact { Space::Keep } else { Space::Trim };
                if let Some((spellings, key)) = field.delimiter("open")? {
                    controls.extend(literals(&spellings, &key, exact, Side::Open)?);
                }
                controls.extend(field.closers(false)?);
            }
            name if REASONING.contains(&name) => thinks.push(read_think(&field)?),
            _ => return refuse(&field.key, format!("no such field can be read; {CONTENT}, {CALLS}, {} can", REASONING.join(", "))),
        }
    }
    let mut drafts = match calls {
        Some(field) => calls::read(&field)?,
        None if controls.is_empty() => Vec::new(),
        None => vec![Draft::inert()],
    };
    for draft in &mut drafts {
        draft.space = space;
        draft.controls.extend(controls.iter().cloned());
    }
    Ok((drafts, thinks))
}

/// Everything about the template but its fields, which are returned.
fn envelope(map: &Map<String, Value>) -> Result<&Map<String, Value>> {
    if let Some(key) = map.keys().find(|key| !TEMPLATE_KEYS.contains(&key.as_str())) {
        return refuse(key, format!("unknown key; known are {}", TEMPLATE_KEYS.join(", ")));
    }
    if map.get("version").is_some_and(|version| version.as_u64() != Some(1)) {
        return refuse("version", "only version 1 is known");
    }
    if map.get("defaults").is_some_and(|defaults| !defaults.is_object()) {
        return refuse("defaults", "it must be an object");
    }
    anchor(map)?;
    match map.get("fields") {
        Some(Value::Object(fields)) if !fields.is_empty() => Ok(fields),
        _ => refuse("fields", "it must be an object that is not empty"),
    }
}

/// Where a message starts in a prompt is the caller's business, who gives the prompt; it is only checked.
fn anchor(map: &Map<String, Value>) -> Result<()> {
    let anchor = Field { key: String::new(), map };
    let read =
        anchor.delimiter("start_anchor").map_err(|error| TemplateError { key: error.key.trim_start_matches('.').to_owned(), ..error })?;
    match read {
        Some((spellings, _)) if spellings.iter().flatten().any(|atom| matches!(atom, Atom::Group(_) | Atom::End)) => {
            refuse("start_anchor_pattern", "groups and the end of the text mean nothing here")
        }
        _ => Ok(()),
    }
}

/// The keys that every field may have.
fn common(field: &Field<'_>) -> Result<()> {
    field.flag("optional")?;
    let repeats = field.flag("repeats")?.unwrap_or(false);
    match field.text("join")? {
        Some(_) if !repeats => refuse(field.key("join"), "it needs \"repeats\": true"),
        Some(join) if !join.is_empty() => refuse(field.key("join"), "blocks are joined by \"\" only"),
        _ => Ok(()),
    }
}

/// Checks a field of text; true when its white space is part of it.
fn read_text(field: &Field<'_>) -> Result<bool> {
    match field.text("content")?.unwrap_or("text") {
        "text" => {}
        kind => return refuse(field.key("content"), format!("\"{kind}\" cannot be read here, only \"text\"")),
    }
    if field.get("transform").is_some_and(|transform| transform.as_str() != Some("{content}")) {
        return refuse(field.key("transform"), "text can only be \"{content}\"");
    }
    if field.flag("transform_each")? == Some(true) {
        return refuse(field.key("transform_each"), "text is no list");
    }
    match field.args(&["strip"])? {
        Some(args) => Ok(args.flag("strip")? == Some(false)),
        None => Ok(false),
    }
}

fn read_think(field: &Field<'_>) -> Result<ThinkDraft> {
    let exact = read_text(field)?;
    let Some((spellings, key)) = field.delimiter("open")? else {
        return refuse(field.key("open"), format!("it is missing; only {CONTENT} can be what is left over"));
    };
    Ok(ThinkDraft { open: literals(&spellings, &key, exact, Side::Open)?, close: field.closers(exact)?, exact })
}

#[cfg(test)]
mod tests;
