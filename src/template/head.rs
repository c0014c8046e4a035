//! A name that is a group of the opener: the head of a call, and the tags around it.

use super::calls::Opener;
use super::draft::{ArgsDraft, BodyDraft, Draft, HeadDraft, Tags};
use super::pattern::{self, Atom};
use super::tags::attribute;
use super::wanted::{Source, Wanted};
use super::{Field, Result, Side, edge, literals, quoted, refuse};

/// One row for each spelling of the opener.
pub(super) fn named(field: &Field<'_>, opener: &Opener, wanted: &Wanted, args: &ArgsDraft) -> Result<Vec<Draft>> {
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
