//! The keys of arguments in tags, and what may stand around them.

use super::MAX_KEY;
use super::attributes::{Attributes, AttributesRead, attributes, unquoted};
use crate::format::{Escapes, Key, Pairs, Typing};
use crate::window::Window;
use std::borrow::Cow;

/// A line feed as two characters, which some models write between tags.
pub(super) const LINE_FEED: &[u8] = b"\\n";

/// Written-out line feeds and blanks are passed over for so long.
const MAX_LAYOUT: usize = 128;

/// The key of an argument.
pub(super) enum KeyRead<'t> {
    Key {
        key: Cow<'t, [u8]>,
        attributes: Attributes<'t>,
        end: usize,
        /// True when what should part it from the value is missing.
        runs_on: bool,
    },
    No,
    Cut,
}

/// Reads the key of an argument whose opener ends at `at`, in a tag of at most so many bytes.
pub(super) fn read_key<'t>(pairs: &Pairs, at: usize, window: &Window<'t>, most: usize) -> Option<KeyRead<'t>> {
    let (key, mut attributes, open) = match pairs.key {
        Key::Attributes(names, ends) if window.get(at) != Some(b'=') => match attributes(ends, &[], window, at, most)? {
            AttributesRead::Attributes(found) => match found.get(names) {
                Some(key) => (unescaped(key, pairs.escapes), found, false),
                None => return Some(KeyRead::No),
            },
            AttributesRead::No => return Some(KeyRead::No),
            AttributesRead::Cut => return Some(KeyRead::Cut),
        },
        Key::Until(ends) | Key::Attributes(_, ends) => {
            let at = at + usize::from(matches!(pairs.key, Key::Attributes(..)));
            match key_until(ends, pairs.between, at, window)? {
                Ok(found) => (Cow::Borrowed(found.key), found.tag, found.open),
                Err(cut) => return Some(if cut { KeyRead::Cut } else { KeyRead::No }),
            }
        }
    };
    let mut end = attributes.end;
    let mut runs_on = !pairs.between.is_empty();
    for marker in pairs.between {
        let next = after_layout(window, end)?;
        let Some(length) = window.starts_with_any(next, &[*marker])? else {
            if next >= window.end() || window.ends_within(next, pairs.between) {
                return Some(KeyRead::Cut);
            }
            continue;
        };
        end = next + length;
        runs_on = false;
        if let Typing::TypeAttribute(close) = pairs.typing
            && close.starts_with("</")
            && Some(marker) == pairs.between.first()
        {
            match key_until(&[close], &[], end, window)? {
                Ok(found) => {
                    attributes.set("type", found.key);
                    attributes.is_misquoted |= found.tag.is_misquoted;
                    end = found.tag.end;
                }
                Err(cut) => return Some(if cut { KeyRead::Cut } else { KeyRead::No }),
            }
        }
    }
    Some(KeyRead::Key { key, attributes, end, runs_on: runs_on || open })
}

/// One past blanks, and past line feeds that were written out.
#[inline]
pub(super) fn after_layout(window: &Window<'_>, at: usize) -> Option<usize> {
    let mut next = window.after_blanks(at)?;
    while window.get(next) == Some(b'\\') && next - at < MAX_LAYOUT && window.starts_with(next, LINE_FEED)? {
        next = window.after_blanks(next + LINE_FEED.len())?;
    }
    Some(next)
}

/// A key that runs to a marker.
struct KeyUntil<'t> {
    key: &'t [u8],
    tag: Attributes<'t>,
    /// True when the marker is missing, and the next one stands there.
    open: bool,
}

/// Reads a key that runs to one of `ends`, or to what stands between key and value: `Err(true)` when the reply ends in it.
fn key_until<'t>(ends: &[&str], between: &[&str], at: usize, window: &Window<'t>) -> Option<Result<KeyUntil<'t>, bool>> {
    let first = |end: &&str| end.bytes().next().unwrap_or(b'<');
    let next = |text: &[u8]| match ends {
        [end] => memchr::memchr3(b'<', b'\n', first(end), text),
        ends => text.iter().position(|byte| matches!(byte, b'<' | b'\n') || ends.iter().any(|end| first(end) == *byte)),
    };
    let mut scan = at;
    while scan < at + MAX_KEY {
        let text = window.slice(scan, at + MAX_KEY - 1);
        scan += next(text).unwrap_or(text.len());
        let length = window.starts_with_any(scan, ends)?;
        let open = length.is_none() && scan > at && window.starts_with_any(scan, between)?.is_some();
        if length.is_some() || open {
            let (key, is_misquoted) = unquoted(window.slice(at, scan).trim_ascii());
            let tag = Attributes::none(scan + length.unwrap_or(0), is_misquoted);
            return Some(if key.is_empty() { Err(false) } else { Ok(KeyUntil { key, tag, open }) });
        }
        match window.get(scan) {
            None => return if window.last { Some(Err(true)) } else { None },
            Some(b'<' | b'\n') if scan > at => return Some(Err(window.ends_within(scan, ends))),
            Some(b'<') => return Some(Err(false)),
            Some(_) => scan += 1,
        }
    }
    Some(Err(false))
}

fn unescaped(text: &[u8], escapes: Escapes) -> Cow<'_, [u8]> {
    if escapes == Escapes::None { Cow::Borrowed(text) } else { Cow::Owned(crate::xml::unescape(text)) }
}
