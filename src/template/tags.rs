//! Arguments in tags: the pattern of one tag, and how its value is read.

use super::draft::PairsDraft;
use super::pattern::{self, Atom};
use super::{Field, Result, refuse};
use crate::format::{Trim, Typing};
use serde_json::Value;

/// How values are read.
pub(super) fn value_parser(args: &Field<'_>, pairs: &mut PairsDraft) -> Result<()> {
    let map = match args.get("value_parser") {
        None => return Ok(()),
        Some(Value::Object(map)) => map,
        Some(_) => return refuse(args.key("value_parser"), "it must be an object"),
    };
    let parser = Field { key: args.key("value_parser"), map };
    parser.knows(&["name", "args"])?;
    let inner = match parser.get("args") {
        None => None,
        Some(Value::Object(map)) => Some(Field { key: parser.key("args"), map }),
        Some(_) => return refuse(parser.key("args"), "it must be an object"),
    };
    let known: &[&str] = match parser.text("name")?.unwrap_or("text") {
        "text" => &["strip"],
        "json" => &["allow_non_json"],
        kind => return refuse(parser.key("name"), format!("\"{kind}\" cannot be read here, only \"text\" and \"json\"")),
    };
    let mut exact = false;
    if let Some(inner) = inner {
        inner.knows(known)?;
        inner.flag("allow_non_json")?;
        exact = inner.flag("strip")? == Some(false);
    }
    if known == ["allow_non_json"] {
        pairs.typing = Typing::SchemaOrJson;
    }
    if !exact {
        pairs.trim = Trim::All;
    }
    Ok(())
}

/// `OPEN key MIDDLE value CLOSE`.
pub(super) fn tags(pattern: &str) -> std::result::Result<PairsDraft, String> {
    let mut spellings = pattern::parse(pattern)?;
    if spellings.len() > 1 {
        // The end of the text ends a value anyway.
        spellings.retain(|spelling| spelling.last() != Some(&Atom::End));
    }
    let shape = || "it must be a literal, group key, a literal, group value, and a literal".to_owned();
    let [spelling] = spellings.as_slice() else { return Err("it has more than one spelling".to_owned()) };
    let atoms = pattern::inner(spelling);
    let place = |wanted: &str| atoms.iter().position(|atom| matches!(atom, Atom::Group(name) if name == wanted));
    let groups = atoms.iter().filter(|atom| matches!(atom, Atom::Group(_))).count();
    let (Some(1), Some(value), 2) = (place("key"), place("value"), groups) else { return Err(shape()) };
    let middle = atoms.get(2..value).unwrap_or_default();
    let (Some(Atom::Text(open)), [blanks @ .., Atom::Text(close)]) = (atoms.first(), atoms.get(value + 1..).unwrap_or_default()) else {
        return Err(shape());
    };
    let parts: Vec<&str> = middle.iter().filter_map(|atom| if let Atom::Text(text) = atom { Some(text.as_str()) } else { None }).collect();
    let (end, mut between) = match parts.as_slice() {
        [end] => (*end, None),
        [end, between] => (*end, Some(*between)),
        _ => return Err(shape()),
    };
    let (open, attribute, end) = match attribute(open, end) {
        Some((open, name, end)) => (open, Some(name.to_owned()), end),
        None => (open.as_str(), None, end),
    };
    let mut end = end;
    if between.is_none()
        && let Some(at) = end.find("><")
    {
        let (first, second) = end.split_at(at + 1);
        (end, between) = (first, Some(second));
    }
    let trim = wider(wider(trim_of(middle.last()), trim_of(blanks.last())), trim_of_edge(close.starts_with('\n')));
    let (end, close) = (end.trim_end(), close.trim_start());
    if end.is_empty() || close.is_empty() {
        return Err(shape());
    }
    Ok(PairsDraft {
        open: open.to_owned(),
        key: (attribute, end.to_owned()),
        between: between.map(|text| text.trim().to_owned()).into_iter().collect(),
        close: close.to_owned(),
        trim,
        typing: Typing::SchemaOrText,
    })
}

fn wider(one: Trim, other: Trim) -> Trim {
    match (one, other) {
        (Trim::All, _) | (_, Trim::All) => Trim::All,
        (Trim::OneLine, _) | (_, Trim::OneLine) => Trim::OneLine,
        _ => Trim::Nothing,
    }
}

/// Which white space an atom beside a value makes layout.
fn trim_of(atom: Option<&Atom>) -> Trim {
    match atom {
        Some(Atom::Blanks) => Trim::All,
        Some(Atom::Line) => Trim::OneLine,
        Some(Atom::Text(text)) => trim_of_edge(text.ends_with('\n')),
        _ => Trim::Nothing,
    }
}

fn trim_of_edge(line: bool) -> Trim {
    if line { Trim::OneLine } else { Trim::Nothing }
}

/// `<tag name="` and `">`: the tag, the attribute, and what ends the tag.
pub(super) fn attribute<'t>(open: &'t str, end: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    let quote = open.chars().last().filter(|char| matches!(char, '"' | '\''))?;
    let start = open.strip_suffix(quote)?.strip_suffix('=')?;
    let tag = start.trim_end_matches(|char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | ':'));
    let name = start.get(tag.len()..).filter(|name| !name.is_empty())?;
    let end = end.strip_prefix(quote).filter(|end| !end.is_empty())?;
    tag.ends_with(' ').then(|| (tag.trim_end(), name, end))
}
