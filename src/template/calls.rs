//! The field `tool_calls` of a template: which of the shapes of a row it describes.

use super::draft::{ArgsDraft, BodyDraft, DialectDraft, Draft, Tags};
use super::head::named;
use super::pattern::{Atom, Spelling};
use super::tags::{tags, value_parser};
use super::wanted::{Source, Wanted};
use super::{CALLS, Field, Result, Side, literals, refuse};
use serde_json::Value;

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
pub(super) struct Opener {
    pub spellings: Vec<Spelling>,
    pub key: String,
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
