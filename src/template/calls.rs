//! The field `tool_calls` of a template: which of the shapes of a row it describes.

use super::draft::{ArgsDraft, BodyDraft, DialectDraft, Draft, HeadDraft, PairsDraft, Tags};
use super::pattern::{self, Atom, Spelling};
use super::{CALLS, Field, Result, Side, edge, literals, quoted, refuse};
use crate::format::{Trim, Typing};
use serde_json::{Map, Value};

/// Keys of a call that are read as its id, whatever a row says.
const IDS: &[&str] = &["id", "tool_call_id", "call_id"];
/// Keys behind which a call's own object may stand.
const PARTS: &[&str] = &["function", "tool_call", "function_call"];

/// The rows of the field.
pub(super) fn read(field: &Field<'_>) -> Result<Vec<Draft>> {
    let Some((spellings, key)) = field.delimiter("open")? else {
        return refuse(field.key("open"), "it is missing; calls cannot be what is left over");
    };
    let opener = Opener { spellings, key };
    let wanted = Wanted::of(field, &opener.groups())?;
    match field.text("content")?.unwrap_or("text") {
        "json" => json(field, &opener, &wanted),
        "xml-inline" => xml_inline(field, &opener, &wanted),
        "python-call-list" => python(field, &opener, &wanted),
        kind => refuse(
            field.key("content"),
            format!("\"{kind}\" cannot be read as {CALLS}; \"json\", \"xml-inline\" and \"python-call-list\" can"),
        ),
    }
}

/// The opener of the field.
struct Opener {
    spellings: Vec<Spelling>,
    key: String,
}

impl Opener {
    fn groups(&self) -> Vec<String> {
        let group = |atom: &Atom| if let Atom::Group(name) = atom { Some(name.clone()) } else { None };
        self.spellings.iter().flatten().filter_map(group).collect()
    }

    fn literals(&self) -> Result<Vec<String>> {
        literals(&self.spellings, &self.key, false, Side::Open)
    }
}

// -- what the transform asks for

/// Where a part of a call comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// The content, at this path.
    Content(Vec<String>),
    /// A group of the opener.
    Group(String),
}

struct Wanted {
    name: Source,
    arguments: Source,
    /// The group that holds an id.
    id: Option<String>,
    /// The content is a list of calls.
    each: bool,
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
    fn of(field: &Field<'_>, groups: &[String]) -> Result<Wanted> {
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
    fn whole() -> Wanted {
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

// -- objects

fn json(field: &Field<'_>, opener: &Opener, wanted: &Wanted) -> Result<Vec<Draft>> {
    let dialect = dialect(field)?;
    match (&wanted.name, &wanted.arguments) {
        (Source::Content(name), Source::Content(arguments)) => {
            let (name, arguments) = side_by_side(field, name, arguments)?;
            let call = Tags { open: opener.literals()?, close: field.closers(false)? };
            Ok(vec![Draft::new(Tags::default(), call, BodyDraft::Json { name, arguments, dialect })])
        }
        (Source::Group(_), _) => named(field, opener, wanted, &ArgsDraft::Object(dialect)),
        (_, Source::Group(_)) => refuse(field.key("transform"), "a group cannot hold the arguments"),
    }
}

/// The keys of name and arguments, which stand in one object.
fn side_by_side(field: &Field<'_>, name: &[String], arguments: &[String]) -> Result<(String, String)> {
    if let (Some((name, over)), Some((arguments, beside))) = (name.split_last(), arguments.split_last())
        && over == beside
        && (over.is_empty() || over.len() == 1 && over.iter().all(|part| PARTS.contains(&part.as_str())))
    {
        return Ok((name.clone(), arguments.clone()));
    }
    refuse(field.key("transform"), format!("name and arguments must be two keys of the content, or of its {}", PARTS.join(", ")))
}

fn dialect(field: &Field<'_>) -> Result<DialectDraft> {
    let mut dialect = DialectDraft::default();
    let Some(args) = field.args(&["unquoted_keys", "string_delims", "allow_non_json"])? else { return Ok(dialect) };
    // What is no JSON becomes an error beside the calls, whether or not the template would rather see text.
    args.flag("allow_non_json")?;
    dialect.bare_keys = args.flag("unquoted_keys")?.unwrap_or(false);
    let key = args.key("string_delims");
    let pairs = match args.get("string_delims") {
        None => return Ok(dialect),
        Some(Value::Array(pairs)) => pairs,
        Some(_) => return refuse(key, "it must be a list of [open, close]"),
    };
    for pair in pairs {
        let texts: Option<Vec<&str>> = pair.as_array().map(|pair| pair.iter().filter_map(Value::as_str).collect());
        match texts.as_deref() {
            Some(["\"", "\""]) => {}
            Some(["'", "'"]) => dialect.python = true,
            Some([open, close]) if open == close && !open.is_empty() && dialect.quote.is_none() => dialect.quote = Some((*open).to_owned()),
            Some([open, close]) if open == close && !open.is_empty() => return refuse(key, "one delimiter besides quotes can be read"),
            Some([open, close]) if open != close => return refuse(key, "a string can only open and close with the same delimiter"),
            _ => return refuse(key, "it must be a list of [open, close]"),
        }
    }
    Ok(dialect)
}

// -- call expressions

fn python(field: &Field<'_>, opener: &Opener, wanted: &Wanted) -> Result<Vec<Draft>> {
    field.args(&[])?;
    let key = field.key("transform");
    let whole = Wanted::whole();
    if wanted.name != whole.name || wanted.arguments != whole.arguments || wanted.id.is_some() {
        return refuse(key, "a call expression has name and arguments, and nothing else");
    }
    if !wanted.each && field.get("transform").is_some_and(Value::is_object) {
        return refuse(field.key("transform_each"), "the content is a list, so it must be true");
    }
    let call = Tags { open: opener.literals()?, close: field.closers(false)? };
    Ok(vec![Draft::new(Tags::default(), call, BodyDraft::Python)])
}

// -- arguments in tags

fn xml_inline(field: &Field<'_>, opener: &Opener, wanted: &Wanted) -> Result<Vec<Draft>> {
    let args = field.args(&["tag_pattern", "value_parser", "merge_duplicates"])?;
    let pattern = args.as_ref().map_or(Ok(None), |args| args.text("tag_pattern"))?;
    let (Some(args), Some(pattern)) = (args, pattern) else {
        return refuse(format!("{}.tag_pattern", field.key("content_args")), "it is missing");
    };
    if args.flag("merge_duplicates")? == Some(true) {
        return refuse(args.key("merge_duplicates"), "an argument that is given twice cannot become a list");
    }
    let mut pairs = match tags(pattern) {
        Ok(pairs) => pairs,
        Err(what) => return refuse(args.key("tag_pattern"), what),
    };
    value_parser(&args, &mut pairs)?;
    named(field, opener, wanted, &ArgsDraft::Pairs(pairs))
}

/// How values are read.
fn value_parser(args: &Field<'_>, pairs: &mut PairsDraft) -> Result<()> {
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
fn tags(pattern: &str) -> std::result::Result<PairsDraft, String> {
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
    let trim = trim_of(middle.last()).max_with(trim_of(blanks.last())).max_with(trim_of_edge(close.starts_with('\n')));
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

trait Wider {
    fn max_with(self, other: Trim) -> Trim;
}

impl Wider for Trim {
    fn max_with(self, other: Trim) -> Trim {
        match (self, other) {
            (Trim::All, _) | (_, Trim::All) => Trim::All,
            (Trim::OneLine, _) | (_, Trim::OneLine) => Trim::OneLine,
            _ => Trim::Nothing,
        }
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
fn attribute<'t>(open: &'t str, end: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    let quote = open.chars().last().filter(|char| matches!(char, '"' | '\''))?;
    let start = open.strip_suffix(quote)?.strip_suffix('=')?;
    let tag = start.trim_end_matches(|char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | ':'));
    let name = start.get(tag.len()..).filter(|name| !name.is_empty())?;
    let end = end.strip_prefix(quote).filter(|end| !end.is_empty())?;
    tag.ends_with(' ').then(|| (tag.trim_end(), name, end))
}

// -- the name in the opener

/// One row for each spelling of the opener.
fn named(field: &Field<'_>, opener: &Opener, wanted: &Wanted, args: &ArgsDraft) -> Result<Vec<Draft>> {
    let Source::Group(name) = &wanted.name else {
        return refuse(field.key("transform"), "the name must come from a group of open_pattern");
    };
    if wanted.each {
        return refuse(field.key("transform_each"), "with a name from the opener there is one call, and no list");
    }
    if wanted.arguments != Source::Content(Vec::new()) {
        return refuse(field.key("transform"), "with a name from the opener the arguments must be \"{content}\"");
    }
    opener.spellings.iter().map(|spelling| head(field, &opener.key, spelling, (name, wanted.id.as_deref()), args)).collect()
}

/// `BEFORE name [SEPARATOR id] AFTER`.
fn head(field: &Field<'_>, key: &str, spelling: &[Atom], (name, id): (&str, Option<&str>), args: &ArgsDraft) -> Result<Draft> {
    let atoms = pattern::inner(spelling);
    if atoms.contains(&Atom::End) {
        return refuse(key, "the end of the text cannot be part of a delimiter");
    }
    let is = |atom: &Atom, wanted: &str| matches!(atom, Atom::Group(group) if group == wanted);
    let Some(at) = atoms.iter().position(|atom| is(atom, name)) else {
        return refuse(key, format!("group {name} is not in every spelling"));
    };
    let (before, after) = (atoms.get(..at).unwrap_or_default(), atoms.get(at + 1..).unwrap_or_default());
    let place = after.iter().position(|atom| id.is_some_and(|id| is(atom, id)));
    let unused = |atom: &Atom| {
        if let Atom::Group(group) = atom { (group != name && Some(group.as_str()) != id).then(|| group.clone()) } else { None }
    };
    if let Some(group) = atoms.iter().find_map(unused) {
        return refuse(key, format!("group {group} is used by no transform"));
    }
    let (ids, after) = match (id, place) {
        (None, _) => (Vec::new(), after),
        (Some(_), Some(place)) => (separators(after.get(..place).unwrap_or_default()), after.get(place + 1..).unwrap_or_default()),
        (Some(id), None) => return refuse(key, format!("group {id} must stand behind the name")),
    };
    if id.is_some() && ids.is_empty() {
        return refuse(key, "nothing stands between name and id");
    }
    let take = separators(after);
    let (outer, inner) = split(before, key)?;
    let (section, call, lead, attribute_end) = tags_of_call(field, key, outer, &inner, &take, args)?;
    let head = match attribute_end {
        Some((name, end)) if ids.is_empty() => HeadDraft::Attribute { name, end },
        Some(_) => return refuse(key, "an id cannot stand behind a name in quotes"),
        None => HeadDraft::Until { lead, stop: stops(args, &call), take: takes(take, args), id: ids },
    };
    Ok(Draft::new(section, call, BodyDraft::Named(head, args.clone())))
}

/// The literals that may stand between two groups, or behind the last one.
fn separators(atoms: &[Atom]) -> Vec<String> {
    let mut out = Vec::new();
    for text in pattern::texts(atoms) {
        let text = if text.trim().is_empty() { text.as_str() } else { text.trim_end() };
        for text in [text, text.trim_start()] {
            if !text.is_empty() && !out.iter().any(|known| known == text) {
                out.push(text.to_owned());
            }
        }
    }
    out
}

/// What ends the name: without a separator the first argument does, or the line.
fn takes(mut take: Vec<String>, args: &ArgsDraft) -> Vec<String> {
    if take.is_empty() && matches!(args, ArgsDraft::Pairs(_)) {
        take.push("\n".to_owned());
    }
    take
}

fn stops(args: &ArgsDraft, call: &Tags) -> Vec<String> {
    match args {
        ArgsDraft::Object(_) => vec!["{".to_owned()],
        ArgsDraft::Pairs(pairs) => [&pairs.open].into_iter().chain(&call.close).cloned().collect(),
    }
}

/// The last literal in front of the name, and what stands before it.
fn split<'a>(before: &'a [Atom], key: &str) -> Result<(&'a [Atom], String)> {
    let last = before.iter().rposition(|atom| matches!(atom, Atom::Text(_)));
    match last.and_then(|last| before.get(..last).zip(before.get(last))) {
        Some((outer, Atom::Text(text))) => Ok((outer, text.clone())),
        _ => refuse(key, "no literal stands in front of the name"),
    }
}

/// Section, call, what stands in front of the name, and the attribute that holds it with what ends its tag.
type Layout = (Tags, Tags, Vec<String>, Option<(String, String)>);

fn tags_of_call(field: &Field<'_>, key: &str, outer: &[Atom], inner: &str, take: &[String], args: &ArgsDraft) -> Result<Layout> {
    let found = take.first().and_then(|end| attribute(inner, end));
    let opener = found.map_or(inner, |(tag, ..)| tag);
    let attribute = found.map(|(_, name, end)| (name.to_owned(), end.trim().to_owned()));
    let open = |text: &str| literals(&[vec![Atom::Text(text.to_owned())]], key, false, Side::Open);
    let closer = tag(opener).map(|tag| format!("</{tag}>"));
    if pattern::inner(outer).is_empty() {
        let mut close = field.closers(false)?;
        if let (Some(closer), ArgsDraft::Pairs(_)) = (closer, args) {
            close = with_inner(&closer, close);
        }
        return Ok((Tags::default(), Tags { open: open(opener)?, close }, Vec::new(), attribute));
    }
    let outer = literals(&[outer.to_vec()], key, false, Side::Open)?;
    match closer.filter(|_| opener.starts_with('<')) {
        Some(closer) => {
            let (call, section) = nested_closers(field, &closer)?;
            Ok((Tags { open: outer, close: section }, Tags { open: open(opener)?, close: call }, Vec::new(), attribute))
        }
        None if attribute.is_some() => refuse(key, format!("{} is no tag", quoted(inner))),
        None => Ok((Tags::default(), Tags { open: outer, close: field.closers(false)? }, vec![edge(inner, Side::Open).to_owned()], None)),
    }
}

/// The name of the tag that a literal opens last: `function` of `<function=`.
fn tag(text: &str) -> Option<&str> {
    let (_, rest) = text.rsplit_once('<')?;
    let end = rest.find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | ':'))).unwrap_or(rest.len());
    rest.get(..end).filter(|name| name.starts_with(|char: char| char.is_alphabetic()))
}

/// Closers, with the closer of the inner tag in front of those that lack it.
fn with_inner(closer: &str, close: Vec<String>) -> Vec<String> {
    if close.iter().any(|text| text.contains(closer)) {
        return close;
    }
    let both = |blank: &str| close.iter().map(|text| format!("{closer}{blank}{text}")).collect::<Vec<_>>();
    [both(""), both("\n"), close.clone()].concat()
}

/// The closers of the inner tag, and those of what is around it.
fn nested_closers(field: &Field<'_>, closer: &str) -> Result<(Vec<String>, Vec<String>)> {
    let mut outer: Vec<String> = Vec::new();
    for text in field.closers(false)? {
        let rest = text.strip_prefix(closer).unwrap_or(&text).trim_start();
        if !rest.is_empty() && !outer.iter().any(|known| known == rest) {
            outer.push(rest.to_owned());
        }
    }
    Ok((vec![closer.to_owned()], outer))
}
