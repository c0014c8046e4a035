//! How a call begins: whether what stands behind an opener is the beginning of a call of some row, and what its head says.
//!
//! All of it is look ahead over a bounded stretch: nothing is settled before the head is whole.

use super::MAX_KEY;
use super::attributes::{AttributesRead, MAX_TAG, attributes, unquoted};
use crate::format::{Args, Between, Body, Expressions, Fence, Format, Head, NameStyle, Pairs, Shape};
use crate::tools::Tools;
use crate::value::key_stands_at;
use crate::window::{Window, is_blank};

/// Whether a row reads what stands behind its opener.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Opens {
    /// It does.
    Yes,
    /// It would, if no other row does.
    Perhaps,
    /// It does not.
    No,
    /// The reply ends before that can be told.
    Cut,
}

/// Whether a row reads what stands behind its opener, and what was read to tell.
#[derive(Copy, Clone, Debug)]
pub(super) struct Beginning<'t> {
    pub opens: Opens,
    /// The head of a named call that begins right there, if it is whole.
    pub head: Option<HeadText<'t>>,
}

impl Beginning<'_> {
    fn without_head(opens: Opens) -> Self {
        Beginning { opens, head: None }
    }

    pub fn is_call(&self) -> bool {
        self.opens == Opens::Yes
    }
}

/// What the head of a named call says.
#[derive(Debug, Copy, Clone, Default)]
pub(super) struct HeadText<'t> {
    pub name: &'t [u8],
    pub native_id: Option<&'t [u8]>,
    /// One past the head.
    pub end: usize,
    /// True when the tag says that there are no arguments.
    pub empty: bool,
    /// True when the name is one word that only a known tool may be.
    pub bare: bool,
    /// True when a quote around it is missing, or written twice.
    pub is_misquoted: bool,
}

/// A head, or why there is none.
#[derive(Debug, Copy, Clone)]
enum HeadRead<'t> {
    Head(HeadText<'t>),
    No,
    Cut,
}

/// What a head may name.
#[derive(Copy, Clone)]
pub(super) struct Names<'t> {
    pub tools: &'t Tools,
    /// Bytes of the longest.
    pub longest: usize,
    /// True when the format was not named, so that a name alone may be a word between tags.
    pub guess: bool,
}

impl Names<'_> {
    /// True when a tool of this name is offered.
    fn has(self, name: &[u8]) -> bool {
        self.tools.find(name).is_some()
    }

    /// True when a call of this name would be one.
    fn counts(self, name: &[u8]) -> bool {
        self.tools.is_any() || self.has(name)
    }

    /// True when such a name may begin so.
    fn begin_with(self, text: &[u8]) -> bool {
        self.tools.is_any() || self.tools.names().any(|name| name.as_bytes().starts_with(text))
    }
}

/// Whether `row` reads what stands at `at`, behind its opener.
pub(super) fn opens<'t>(row: &Format, window: &Window<'t>, at: usize, names: Names<'_>) -> Option<Beginning<'t>> {
    if row.section.open.is_empty() {
        call_opens(row, window, at, names)
    } else {
        section_opens(row, window, at, names).map(Beginning::without_head)
    }
}

fn section_opens(row: &Format, window: &Window<'_>, at: usize, names: Names<'_>) -> Option<Opens> {
    let next = window.after_blanks(at)?;
    if let Some(length) = window.starts_with_any(next, row.call.open)? {
        return Some(call_opens(row, window, next + length, names)?.opens);
    }
    if window.starts_with_any(next, row.section.close)?.is_some() {
        return Some(Opens::Perhaps);
    }
    match row.between {
        Between::Noise => Some(Opens::Perhaps),
        Between::Name => name_then_call(row, window, next, names),
        Between::Blanks => Some(cut_or_no(window, next, row.call.open)),
    }
}

fn name_then_call(row: &Format, window: &Window<'_>, at: usize, names: Names<'_>) -> Option<Opens> {
    let rest = window.slice(at, at + names.longest);
    let Some(length) = rest.iter().position(|byte| *byte == b'<') else {
        return if rest.len() == names.longest {
            Some(Opens::No)
        } else if window.last {
            Some(Opens::Cut)
        } else {
            None
        };
    };
    let found = window.starts_with_any(at + length, row.call.open)?.is_some();
    Some(if found { Opens::Yes } else { cut_or_no(window, at + length, row.call.open) })
}

fn cut_or_no<L: AsRef<[u8]>>(window: &Window<'_>, at: usize, wanted: &[L]) -> Opens {
    if at >= window.end() && window.last || window.ends_within(at, wanted) { Opens::Cut } else { Opens::No }
}

/// Whether a call of `row` begins at `at`, behind its own opener.
pub(super) fn call_opens<'t>(row: &Format, window: &Window<'t>, at: usize, names: Names<'_>) -> Option<Beginning<'t>> {
    let opens = match row.body {
        Body::Json(..) => json_opens(row.shape, window, at)?,
        Body::Python(expressions) => python_opens(row, expressions, window, at, names)?,
        Body::Named(head, args) => return named_opens(row, &head, &args, window, at, names),
        Body::Messages(_) => Opens::Perhaps,
    };
    Some(Beginning::without_head(opens))
}

fn named_opens<'t>(row: &Format, head: &Head, args: &Args, window: &Window<'t>, at: usize, names: Names<'_>) -> Option<Beginning<'t>> {
    let head = match read_head(head, window, at, names)? {
        HeadRead::Head(head) => head,
        HeadRead::No => return Some(Beginning::without_head(Opens::No)),
        HeadRead::Cut => return Some(Beginning::without_head(Opens::Cut)),
    };
    let opens = if head.empty { Opens::Yes } else { arguments_open(row, args, window, &head, names)? };
    Some(Beginning { opens, head: Some(head) })
}

/// An object or an array of objects; a fence may stand around it. Between tags the brace before the first key may be missing.
fn json_opens(shape: Shape, window: &Window<'_>, at: usize) -> Option<Opens> {
    let mut next = window.after_blanks(at)?;
    let fenced = window.starts_with(next, b"```")?;
    if fenced {
        next = window.after_blanks(after_fence(window, next)?)?;
    }
    let Some(first) = window.get(next) else { return Some(if window.last { Opens::Cut } else { Opens::No }) };
    let inside = match first {
        b'{' | b'[' => window.after_blanks(next + 1)?,
        b'"' => return Some(if shape == Shape::Tagged && key_stands_at(window, next)? { Opens::Yes } else { Opens::No }),
        // full-width braces
        0xEF => {
            return Some(if matches!(window.slice(next, next + 3), [0xEF, 0xBD, 0x9B] | [0xEF, 0xBC, 0xBB]) {
                Opens::Yes
            } else {
                Opens::No
            });
        }
        b'`' if !fenced && window.ends_within(next, &["```json"]) => return Some(Opens::Cut),
        _ => return Some(Opens::No),
    };
    let Some(second) = window.get(inside) else { return Some(Opens::Cut) };
    Some(match (first, second) {
        (b'{', b'"' | b'\'' | b'}' | b'{' | b'\\' | b'`' | b'/' | b'#' | 0xE2 | 0xEF | 0xC2 | b'_') => Opens::Yes,
        (b'{', byte) => {
            if byte.is_ascii_alphabetic() {
                Opens::Yes
            } else {
                Opens::No
            }
        }
        (_, b'{' | b']' | 0xEF) => Opens::Yes,
        (_, b'"') if shape == Shape::Tagged && key_stands_at(window, inside)? => Opens::Yes,
        _ => Opens::No,
    })
}

/// A longer run of back-ticks is no fence.
pub(super) const MAX_TICKS: usize = 64;

/// How many back-ticks stand at `at`; no more than [`MAX_TICKS`] are counted.
pub(super) fn ticks(window: &Window<'_>, at: usize) -> Option<usize> {
    let count = window.slice(at, at + MAX_TICKS).iter().take_while(|byte| **byte == b'`').count();
    if at + count == window.end() && count < MAX_TICKS && !window.last { None } else { Some(count) }
}

/// One past the line of a fence that opens at `at`.
pub(super) fn after_fence(window: &Window<'_>, at: usize) -> Option<usize> {
    let ticks = at + ticks(window, at)?;
    let word = window.from(ticks).iter().take(16).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if ticks + word == window.end() && !window.last { None } else { Some(ticks + word) }
}

/// `[name(`, `name(` or `name.call(`. Where a closer says how far the calls go, the bracket before a name that counts may be missing.
fn python_opens(row: &Format, expressions: Expressions, window: &Window<'_>, at: usize, names: Names<'_>) -> Option<Opens> {
    let mut next = window.after_blanks(at)?;
    let mut unlisted = false;
    if expressions == Expressions::List {
        match window.get(next) {
            None => return Some(Opens::Cut),
            Some(b'[') => next = window.after_blanks(next + 1)?,
            Some(_) if row.call.close.is_empty() => return Some(Opens::No),
            Some(_) => unlisted = true,
        }
        if !unlisted && window.get(next) == Some(b']') {
            return Some(Opens::Perhaps);
        }
    }
    let rest = window.slice(next, next + names.longest);
    let length = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
    let name = rest.get(..length).unwrap_or_default();
    if length == rest.len() && rest.len() < names.longest {
        return match window.last {
            false => None,
            true if unlisted && !names.begin_with(name) => Some(Opens::No),
            true => Some(Opens::Cut),
        };
    }
    if length == 0 || unlisted && !names.counts(name) {
        return Some(Opens::No);
    }
    let method = name.ends_with(b".call");
    let after = window.after_blanks(next + length)?;
    Some(match window.get(after) {
        Some(b'(') if expressions != Expressions::Method || method => Opens::Yes,
        None => Opens::Cut,
        _ => Opens::No,
    })
}

/// A byte of a name in a call expression.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':' | b'/' | b'$') || byte >= 0x80
}

/// Whether arguments begin behind the head.
fn arguments_open(row: &Format, args: &Args, window: &Window<'_>, head: &HeadText<'_>, names: Names<'_>) -> Option<Opens> {
    let next = window.after_blanks(head.end)?;
    match args {
        Args::Object { .. } => {
            if window.get(next).is_none() {
                return Some(Opens::Cut);
            }
            if window.starts_with(next, b"```")? || window.get(next) == Some(b'{') || key_stands_at(window, next)? {
                return Some(Opens::Yes);
            }
            if !head.bare && value_begins(window, next)? {
                return Some(Opens::Yes);
            }
            if window.starts_with_any(next, row.call.close)?.is_some() {
                return Some(Opens::Perhaps);
            }
            Some(cut_or_no(window, next, &["```json"]))
        }
        Args::Pairs(pairs) => pairs_open(row, pairs, window, head, next, names),
        Args::Tree(_) | Args::Text { .. } => Some(Opens::Yes),
    }
}

/// Whether a value that is no object begins at `at`: behind a separator it is meant as the arguments.
fn value_begins(window: &Window<'_>, at: usize) -> Option<bool> {
    let is_value = matches!(window.get(at), Some(b'[' | b'"' | b'-' | b'0'..=b'9'));
    Some(is_value || window.starts_with(at, b"null")? || window.starts_with(at, b"None")?)
}

fn pairs_open(row: &Format, pairs: &Pairs, window: &Window<'_>, head: &HeadText<'_>, next: usize, names: Names<'_>) -> Option<Opens> {
    let known = names.has(head.name);
    if window.starts_with_any(next, pairs.open)?.is_some() {
        return Some(Opens::Yes);
    }
    let mut ends = false;
    for markers in [row.call.close, row.section.close, row.call.open] {
        ends = ends || window.starts_with_any(next, markers)?.is_some();
    }
    if ends {
        // With blanks around it, a word between tags is spoken of.
        let is_word = names.guess || window.get(next.saturating_sub(1)).is_some_and(is_blank);
        return Some(if head.bare && !known && is_word { Opens::No } else { Opens::Yes });
    }
    if row.call.close.is_empty() {
        // Without a closer only the end of the line can say that an unknown name is no mention.
        let line_over = next > head.end && window.slice(head.end, next).contains(&b'\n');
        let ended = window.get(next).is_none() || window.ends_within(next, pairs.open);
        let counts = names.counts(head.name) || ended || line_over || window.starts_with_any(next, row.controls)?.is_some();
        return Some(if counts { Opens::Yes } else { Opens::No });
    }
    if window.get(next) == Some(b'{') && (!head.bare || known) {
        return Some(Opens::Yes);
    }
    let mut wanted: Vec<&str> = pairs.open.iter().chain(row.call.close).chain(row.section.close).copied().collect();
    wanted.dedup();
    Some(cut_or_no(window, next, &wanted))
}

/// Reads the head that starts at `at`.
fn read_head<'t>(head: &Head, window: &Window<'t>, at: usize, names: Names<'_>) -> Option<HeadRead<'t>> {
    match head {
        Head::Until { label, lead, take, stop, name, id } => {
            let at = match behind_label(label, window, at)? {
                Ok(at) => at,
                Err(cut) => return Some(if cut { HeadRead::Cut } else { HeadRead::No }),
            };
            read_until(lead, take, stop, *name, id, window, at, names)
        }
        Head::Attributes { name, end, empty } => read_attributes(name, end, empty, window, at, names),
    }
}

/// One past the label in front of a name; `Err(true)` when the reply ends in it.
fn behind_label(label: &[&str], window: &Window<'_>, at: usize) -> Option<Result<usize, bool>> {
    if label.is_empty() {
        return Some(Ok(at));
    }
    for scan in at..at + MAX_KEY {
        if let Some(length) = window.starts_with_any(scan, label)? {
            return Some(Ok(scan + length));
        }
        match window.get(scan) {
            None => return if window.last { Some(Err(is_word(window.slice(at, scan)))) } else { None },
            Some(b'<' | b'>' | b'\n') => return Some(Err(window.ends_within(scan, label))),
            Some(_) => {}
        }
    }
    Some(Err(false))
}

#[expect(clippy::too_many_arguments, reason = "the parts of one row's head")]
fn read_until<'t>(
    lead: &[&str],
    take: &[&str],
    stop: &[&str],
    style: NameStyle,
    id: &[&str],
    window: &Window<'t>,
    at: usize,
    names: Names<'_>,
) -> Option<HeadRead<'t>> {
    let mut start = window.after_blanks(at)?;
    if !lead.is_empty() {
        match window.starts_with_any(start, lead)? {
            Some(length) => start = window.after_blanks(start + length)?,
            None => return Some(if start >= window.end() || window.ends_within(start, lead) { HeadRead::Cut } else { HeadRead::No }),
        }
    }
    let mut scan = start;
    loop {
        if scan - start > names.longest {
            return Some(HeadRead::No);
        }
        if window.get(scan).is_none() {
            let begun = window.slice(start, scan).trim_ascii();
            let begun = begun.strip_prefix(b"\"").or_else(|| begun.strip_prefix(b"'")).unwrap_or(begun);
            // A blank parts the opener from a word only where it is spoken of, unless the word is a tool's.
            let is_offered = !names.tools.is_any() && names.begin_with(begun);
            let is_apart = !is_offered && window.get(start.wrapping_sub(1)) == Some(b' ');
            let is_name = begun.first().is_some_and(|byte| is_name_byte(*byte) && *byte != b'.') && is_word(begun) && !is_apart;
            let plausible = begun.is_empty() || is_name && name_of(begun, style, names).is_some();
            return if window.last { Some(if plausible { HeadRead::Cut } else { HeadRead::No }) } else { None };
        }
        // No marker starts with a byte of a word.
        let word =
            window.slice(scan, start + names.longest).iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if word > 0 {
            scan += word;
            continue;
        }
        let native = window.starts_with_any(scan, id)?;
        let taken = window.starts_with_any(scan, take)?;
        let stopped = window.starts_with_any(scan, stop)?;
        if native.is_some() || taken.is_some() || stopped.is_some() {
            let Some(mut text) = name_of(window.slice(start, scan), style, names) else { return Some(HeadRead::No) };
            text.bare = taken.is_none() && native.is_none();
            text.end = scan + taken.unwrap_or(0);
            if let Some(length) = native {
                return read_id(text, take, stop, window, scan + length);
            }
            return Some(HeadRead::Head(text));
        }
        if matches!(window.get(scan), Some(b'\n' | b'<' | b'>' | b'{' | b'[' | b']' | b'(' | b',')) {
            let within = window.ends_within(scan, take) || window.ends_within(scan, stop) || window.ends_within(scan, id);
            return Some(if within { HeadRead::Cut } else { HeadRead::No });
        }
        scan += 1;
    }
}

/// Text in which no white space stands. The beginning of a name or label is such, a sentence is not.
fn is_word(text: &[u8]) -> bool {
    !text.trim_ascii().iter().any(|byte| is_blank(*byte))
}

/// The id behind a name.
fn read_id<'t>(mut text: HeadText<'t>, take: &[&str], stop: &[&str], window: &Window<'t>, at: usize) -> Option<HeadRead<'t>> {
    for scan in at..=at + MAX_KEY {
        if window.get(scan).is_none() {
            return if window.last { Some(HeadRead::Cut) } else { None };
        }
        let taken = window.starts_with_any(scan, take)?;
        if taken.is_some() || window.starts_with_any(scan, stop)?.is_some() {
            text.native_id = Some(window.slice(at, scan).trim_ascii());
            text.end = scan + taken.unwrap_or(0);
            return Some(HeadRead::Head(text));
        }
    }
    Some(HeadRead::No)
}

/// The name in the text of a head.
fn name_of<'t>(raw: &'t [u8], style: NameStyle, names: Names<'_>) -> Option<HeadText<'t>> {
    let (text, is_misquoted) = unquoted(raw.trim_ascii());
    if style == NameStyle::Counted {
        return Some(HeadText { is_misquoted, ..counted(text, names) });
    }
    let plain =
        |byte: &u8| *byte > b' ' && !matches!(byte, b'<' | b'>' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b',' | b'"' | b'\'' | b'`');
    let valid = !text.is_empty() && (text.iter().all(plain) || names.has(text));
    valid.then(|| HeadText { name: text, is_misquoted, ..HeadText::default() })
}

/// `functions.NAME:COUNTER`, with its variants; a bare counter leaves the name open.
fn counted<'t>(text: &'t [u8], names: Names<'_>) -> HeadText<'t> {
    let native_id = (!text.is_empty()).then_some(text);
    let of = |name: &'t [u8]| HeadText { name, native_id, ..HeadText::default() };
    let prefixed = text.strip_prefix(b"functions.").or_else(|| text.strip_prefix(b"functions_"));
    let body = prefixed.unwrap_or(text);
    let without = |mark: u8| {
        body.iter()
            .rposition(|byte| *byte == mark)
            .filter(|index| body.get(index + 1..).is_some_and(is_counter))
            .and_then(|index| body.get(..index))
    };
    for name in [without(b':'), without(b'_'), Some(body), Some(text)].into_iter().flatten() {
        if names.has(name) {
            return of(name);
        }
    }
    let counter = is_counter(body)
        || body.strip_prefix(b"call").is_some_and(|rest| rest.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'_'));
    if counter {
        return of(b"");
    }
    of(without(b':').or_else(|| prefixed.and(without(b'_'))).unwrap_or(body))
}

fn is_counter(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

fn read_attributes<'t>(
    keys: &[&str],
    end: &[&str],
    empty: &[&str],
    window: &Window<'t>,
    at: usize,
    names: Names<'_>,
) -> Option<HeadRead<'t>> {
    match window.get(at) {
        None => return if window.last { Some(HeadRead::Cut) } else { None },
        Some(byte) if is_blank(byte) || byte == b'>' => {}
        Some(_) => return Some(HeadRead::No),
    }
    let found = match attributes(end, empty, window, at, MAX_TAG)? {
        AttributesRead::Attributes(found) => found,
        AttributesRead::No => return Some(HeadRead::No),
        AttributesRead::Cut => return Some(HeadRead::Cut),
    };
    let Some(name) = found.get(keys).filter(|name| !name.is_empty() && name.len() <= names.longest) else { return Some(HeadRead::No) };
    Some(HeadRead::Head(HeadText {
        name: undoubled(name, names),
        end: found.end,
        empty: found.empty,
        is_misquoted: found.is_misquoted,
        ..HeadText::default()
    }))
}

/// `read.read` for `read`: some models write the namespace of a tool that has none.
fn undoubled<'n>(name: &'n [u8], names: Names<'_>) -> &'n [u8] {
    let half = name.len() / 2;
    let doubled = name.len() % 2 == 1 && name.get(half) == Some(&b'.') && name.get(..half) == name.get(half + 1..);
    if doubled && !names.has(name) { name.get(..half).unwrap_or(name) } else { name }
}

/// What may stand around an object in a row.
pub(super) fn has_fence(args: &Args) -> bool {
    matches!(args, Args::Object { fence: Fence::Written, .. })
}
