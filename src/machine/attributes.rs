//! The attributes of a tag, also where a quote around one is missing or written twice.

use super::heads::is_name_byte;
use crate::window::{Window, is_blank};
use memchr::memmem;

/// The attributes of a tag.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes<'t> {
    /// One past the tag.
    pub end: usize,
    /// True when the tag has no body.
    pub empty: bool,
    /// True when one of the two quotes around a value is missing, or written twice.
    pub is_misquoted: bool,
    values: Vec<(&'t [u8], &'t [u8])>,
}

impl<'t> Attributes<'t> {
    /// A tag without attributes that ends at `end`.
    pub fn none(end: usize, is_misquoted: bool) -> Attributes<'t> {
        Attributes { end, is_misquoted, ..Attributes::default() }
    }

    /// Adds an attribute that stands elsewhere.
    pub fn set(&mut self, key: &'static str, value: &'t [u8]) {
        self.values.push((key.as_bytes(), value));
    }

    /// The value of the first attribute that is called one of `names`.
    pub fn get(&self, names: &[&str]) -> Option<&'t [u8]> {
        self.values.iter().find(|(key, _)| names.iter().any(|name| name.as_bytes() == *key)).map(|(_, value)| *value)
    }
}

/// Attributes, or why there are none.
pub(super) enum AttributesRead<'t> {
    Attributes(Attributes<'t>),
    No,
    Cut,
}

/// A tag may be this long.
pub(super) const MAX_TAG: usize = 4096;

/// Reads `key="value" …` up to one of `end` or `empty`, at most so many bytes.
pub(super) fn attributes<'t>(end: &[&str], empty: &[&str], window: &Window<'t>, at: usize, most: usize) -> Option<AttributesRead<'t>> {
    let mut found = Attributes::default();
    let mut scan = at;
    let cut = || if window.last { Some(AttributesRead::Cut) } else { None };
    loop {
        scan = window.after_blanks(scan)?;
        if scan - at > most {
            return Some(AttributesRead::No);
        }
        if window.get(scan).is_none() {
            return cut();
        }
        for (markers, is_empty) in [(empty, true), (end, false)] {
            if let Some(length) = window.starts_with_any(scan, markers)? {
                found.end = scan + length;
                found.empty = is_empty;
                return Some(AttributesRead::Attributes(found));
            }
        }
        let start = scan;
        let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':');
        while scan - at <= most && window.get(scan).is_some_and(name) {
            scan += 1;
        }
        if scan - at > most {
            return Some(AttributesRead::No);
        }
        let key = window.slice(start, scan);
        match window.get(scan) {
            None => return cut(),
            Some(b'=') => scan += 1,
            Some(_) => {
                // Half a marker is no reason to refuse it while the other half may come.
                window.starts_with_any(scan, end)?;
                return Some(if window.ends_within(scan, end) { AttributesRead::Cut } else { AttributesRead::No });
            }
        }
        match attribute_value([end, empty], window, scan, most)? {
            ValueRead::Value(value) => {
                found.is_misquoted |= value.is_misquoted;
                found.values.push((key, value.text));
                scan = value.end;
            }
            ValueRead::No => return Some(AttributesRead::No),
            ValueRead::Cut => return Some(AttributesRead::Cut),
        }
    }
}

/// The text without its quotes; true when one of them is missing, or there are too many.
pub(super) fn unquoted(text: &[u8]) -> (&[u8], bool) {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let before = text.iter().take_while(|byte| is_quote(byte)).count();
    let inner = text.get(before..).unwrap_or_default();
    let behind = inner.iter().rev().take_while(|byte| is_quote(byte)).count();
    let inner = inner.get(..inner.len() - behind).unwrap_or_default();
    let is_pair = before == 1 && behind == 1 && text.first() == text.last();
    (inner, before + behind > 0 && !is_pair)
}

/// The value of an attribute, or why there is none.
enum ValueRead<'t> {
    Value(AttributeValue<'t>),
    No,
    Cut,
}

struct AttributeValue<'t> {
    text: &'t [u8],
    /// One past it.
    end: usize,
    /// True when one of its quotes is missing, or written twice.
    is_misquoted: bool,
}

/// A value in quotes, or up to white space or the end of the tag.
fn attribute_value<'t>(ends: [&[&str]; 2], window: &Window<'t>, at: usize, most: usize) -> Option<ValueRead<'t>> {
    if let Some(quote @ (b'"' | b'\'')) = window.get(at) {
        return quoted_value(quote, ends, window, at + 1, most);
    }
    Some(match bare_value_end(ends, window, at, most)? {
        BareEnd::At(stop) => {
            let text = window.slice(at, stop);
            match text {
                [inner @ .., b'"' | b'\''] => ValueRead::Value(AttributeValue { text: inner, end: stop, is_misquoted: true }),
                text => ValueRead::Value(AttributeValue { text, end: stop, is_misquoted: false }),
            }
        }
        BareEnd::Far => ValueRead::No,
        BareEnd::Cut => ValueRead::Cut,
    })
}

/// Where a value without quotes ends.
enum BareEnd {
    At(usize),
    Far,
    Cut,
}

fn bare_value_end(ends: [&[&str]; 2], window: &Window<'_>, at: usize, most: usize) -> Option<BareEnd> {
    for scan in at..=at + most {
        match window.get(scan) {
            None => return window.last.then_some(BareEnd::Cut),
            Some(byte) if !is_blank(byte) && !starts_with_one(window, scan, ends)? => {}
            Some(_) => return Some(BareEnd::At(scan)),
        }
    }
    Some(BareEnd::Far)
}

/// A value up to its quote. Where that is missing, the next one stands before something that cannot follow a value.
fn quoted_value<'t>(quote: u8, ends: [&[&str]; 2], window: &Window<'t>, at: usize, most: usize) -> Option<ValueRead<'t>> {
    if window.get(at + 1).is_none() && !window.last {
        return None;
    }
    let twice = window.get(at) == Some(quote) && window.get(at + 1).is_some_and(is_name_byte);
    let at = at + usize::from(twice);
    let rest = window.slice(at, at + most);
    let length = rest.iter().position(|byte| *byte == quote);
    let text = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
    match length {
        None if rest.len() < most && !window.last => return None,
        Some(length) if window.get(at + length + 1).is_none() && !window.last => return None,
        Some(length) if !is_left_open(text, ends, window, at + length + 1)? => {
            let again = length > 0 && window.get(at + length + 1) == Some(quote);
            let end = at + length + 1 + usize::from(again);
            return Some(ValueRead::Value(AttributeValue { text, end, is_misquoted: twice || again }));
        }
        None if !holds_one(text, ends) => return Some(if rest.len() == most { ValueRead::No } else { ValueRead::Cut }),
        _ => {}
    }
    Some(match bare_value_end(ends, window, at, most)? {
        BareEnd::At(stop) => ValueRead::Value(AttributeValue { text: window.slice(at, stop), end: stop, is_misquoted: true }),
        BareEnd::Far => ValueRead::No,
        BareEnd::Cut => ValueRead::Cut,
    })
}

/// Whether the quote before `after` closes no value: it opens that of the next attribute, or stands behind the tag.
fn is_left_open(text: &[u8], ends: [&[&str]; 2], window: &Window<'_>, after: usize) -> Option<bool> {
    if !text.ends_with(b"=") && !holds_one(text, ends) {
        return Some(false);
    }
    let Some(byte) = window.get(after) else { return Some(false) };
    Some(!is_blank(byte) && !starts_with_one(window, after, ends)?)
}

fn holds_one(text: &[u8], markers: [&[&str]; 2]) -> bool {
    markers.into_iter().flatten().any(|marker| memmem::find(text, marker.as_bytes()).is_some())
}

fn starts_with_one(window: &Window<'_>, at: usize, [one, other]: [&[&str]; 2]) -> Option<bool> {
    Some(window.starts_with_any(at, one)?.is_some() || window.starts_with_any(at, other)?.is_some())
}
