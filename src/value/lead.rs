//! The beginning of the next call inside a string whose end quote is missing.

use super::Bounds;

/// A call that follows a string whose end quote is missing starts within this many bytes before its first quote.
pub(super) const HELD_CALL: usize = 160;

/// So many markers may stand before such a call.
const HELD_MARKERS: usize = 3;

/// Name and separators between the markers and the object take so much.
const HELD_HEAD: usize = 96;

/// How much of the beginning of a call a text is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum CallLead {
    /// None of it.
    No,
    /// A part of it.
    Part,
    /// All of it: markers, and the brackets up to the first key or value.
    Whole,
}

/// Where the markers stand between which a string without an end quote gave way to the next call: the text ends with them and an opening
/// brace, or the head of a call expression. Inside a string the quote behind it would have been escaped.
pub(super) fn call_before(text: &[u8], bounds: Bounds<'_>) -> Option<usize> {
    match text.trim_ascii_end().last() {
        Some(b'{' | b':') => {}
        Some(b'(' | b'=') if in_expression(bounds) => {}
        _ => return None,
    }
    find_lead(text, bounds, |lead| lead == CallLead::Whole)
}

/// Whether a raw line feed, or another blank, may stand behind a part of such a call.
pub(super) fn may_stand_in_lead(before: &[u8], bounds: Bounds<'_>) -> bool {
    let text = before.trim_ascii_end();
    matches!(text.last(), Some(b'{' | b'['))
        || bounds.stops.iter().any(|stop| text.ends_with(stop))
        || is_named(bounds) && find_lead(before, bounds, |lead| lead != CallLead::No).is_some()
}

/// How many bytes at the end of a run may be the beginning of such a call.
pub(super) fn call_begun(run: &[u8], bounds: Bounds<'_>) -> usize {
    find_lead(run, bounds, |lead| lead != CallLead::No).map_or(0, |at| run.len() - at)
}

/// The first place, among the last bytes, from which on the text is as much of a call as is asked for. Every beginning of a whole lead is
/// a part of one, so the text before the place it is found at was held back, however it came.
pub(super) fn find_lead(text: &[u8], bounds: Bounds<'_>, wanted: impl Fn(CallLead) -> bool) -> Option<usize> {
    let mut at = text.len().saturating_sub(HELD_CALL);
    let starts = |byte: &u8| bounds.stops.iter().any(|stop| stop.first() == Some(byte));
    loop {
        at += text.get(at..)?.iter().position(starts)?;
        if wanted(call_lead(text.get(at..)?, bounds)) {
            return Some(at);
        }
        at += 1;
    }
}

/// What `text` is, from its first to its last byte.
fn call_lead(text: &[u8], bounds: Bounds<'_>) -> CallLead {
    let mut rest = text;
    for _ in 0..HELD_MARKERS {
        // What is here may also be a part of a longer marker.
        if bounds.stops.iter().any(|stop| stop.starts_with(rest)) {
            return CallLead::Part;
        }
        let marker = bounds.stops.iter().filter(|stop| rest.starts_with(stop)).map(Vec::len).max();
        match marker.and_then(|length| rest.get(length..)) {
            Some(behind) => rest = behind.trim_ascii_start(),
            None if rest.len() == text.len() => return CallLead::No,
            None => break,
        }
    }
    match brackets(rest) {
        CallLead::No if in_expression(bounds) => expression(rest),
        CallLead::No if is_named(bounds) => named(rest),
        lead => lead,
    }
}

/// True where the name of a call stands before its object, and not in it.
fn is_named(bounds: Bounds<'_>) -> bool {
    bounds.siblings.is_empty() && !in_expression(bounds)
}

/// What stands behind the markers where a name does, up to the first quote: `name{`, with separators and a fence; or `name{key:` where keys
/// have no quotes.
fn named(text: &[u8]) -> CallLead {
    let ends = |byte: &u8| matches!(byte, b'{' | b'}' | b'"' | b'\'' | b' ' | b'\t');
    let head = text.iter().take(HELD_HEAD).take_while(|byte| !ends(byte)).count();
    match text.get(head..).unwrap_or_default().split_first() {
        None => CallLead::Part,
        Some((b'{', rest)) if head > 0 => match rest.trim_ascii() {
            [] => CallLead::Whole,
            key if key.iter().any(|byte| ends(byte) || *byte == b',') => CallLead::No,
            [.., b':'] => CallLead::Whole,
            _ => CallLead::Part,
        },
        Some(_) => CallLead::No,
    }
}

/// True where the string is an argument of a call expression.
fn in_expression(bounds: Bounds<'_>) -> bool {
    bounds.outer == Some(b')')
}

/// What stands behind the markers where calls are expressions, up to the first quote: `[name(key=`.
fn expression(text: &[u8]) -> CallLead {
    let call = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80 || matches!(byte, b'_' | b'.' | b'-' | b':' | b'/' | b'$');
    let name = call.iter().take_while(|byte| is_plain(byte)).count();
    match call.get(name..).unwrap_or_default().split_first() {
        None => CallLead::Part,
        Some((b'(', rest)) if name > 0 && rest.iter().all(|byte| is_plain(byte) || matches!(byte, b' ' | b'=' | b',' | b'(' | b')')) => {
            if matches!(rest.trim_ascii_end().last(), None | Some(b'=' | b'(')) { CallLead::Whole } else { CallLead::Part }
        }
        Some(_) => CallLead::No,
    }
}

/// The brackets behind the markers: those of an object, or of an object in an array.
fn brackets(text: &[u8]) -> CallLead {
    let object = text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start();
    match object.strip_prefix(b"{") {
        Some(behind) if behind.trim_ascii_start().is_empty() => CallLead::Whole,
        None if object.is_empty() => CallLead::Part,
        _ => CallLead::No,
    }
}
