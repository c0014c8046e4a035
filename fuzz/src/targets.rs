//! The five targets: each takes bytes and panics where a promise is broken.

use crate::common::facts::{Bytes, Facts};
use crate::common::fixtures::{self, Case};
use crate::common::grammar::{Checked, Nobody, feed};
use crate::common::random::Random;
use crate::common::{markup, pieces, streamed, values, whole};
use serde_json::Value;
use std::sync::LazyLock;
use toolparse::collect::json::{Cursor, to_json};
use toolparse::document::repair;
use toolparse::format::Dialect;
use toolparse::scan::find_in_string;
use toolparse::tape::{Node, Tape};
use toolparse::utf8::{escaped, incomplete_tail, lossy};
use toolparse::value::Ending;
use toolparse::window::Window;
use toolparse::{Limits, Options, ProseFilter, Stream, parse};

/// Longer inputs are cut to this: what needs more is what a loop finds, not a search.
const MOST: usize = 20_000;

/// The first bytes as numbers; the rest.
fn header<const N: usize>(data: &[u8]) -> ([usize; N], &[u8]) {
    let (head, rest) = data.split_at(data.len().min(N));
    let mut numbers = [0; N];
    for (number, byte) in numbers.iter_mut().zip(head) {
        *number = usize::from(*byte);
    }
    (numbers, &rest[..rest.len().min(MOST)])
}

pub fn ending(number: usize) -> Ending {
    [Ending::Unknown, Ending::Finished, Ending::CutOff][number % 3]
}

/// Lengths of pieces: one byte, or a few lengths in turn.
pub fn lengths(number: usize) -> Vec<usize> {
    match number % 4 {
        0 => vec![1],
        1 => vec![1 + number / 4 % 16],
        2 => vec![1 + number / 4 % 3, 7, 2],
        _ => vec![3, 0, 1 + number / 4],
    }
}

/// R1, R6, R7, R9, R13: whatever the text, the options and the cuts.
pub fn check(text: &[u8], options: &Options, ending: Ending, lengths: &[usize]) -> Facts {
    let want = whole(text, options, ending);
    if options.max_bytes.is_none() {
        want.assert_tiles(text.len());
    }
    let cut = pieces::by_lengths(text, lengths);
    assert_eq!(streamed(cut.iter().copied(), options, ending), want, "in pieces of {lengths:?}: {:?}", Bytes(text.to_vec()));
    if options.max_bytes.is_none() {
        let mut sink = Checked::new(Nobody);
        feed(cut.iter().copied(), options, ending, &mut sink);
        sink.end(text.len());
    }
    for call in &want.calls {
        let offered = options.tools.is_any() || options.tools.names().any(|name| name.as_bytes() == call.name.0);
        assert!(offered && !call.name.0.is_empty(), "a name that was not offered: {call:?}");
        let arguments: Value = values::strict(call.arguments.as_bytes()).unwrap_or_else(|error| panic!("{}: {error}", call.arguments));
        assert!(arguments.is_object(), "arguments that are no object: {call:?}");
    }
    for call in parse(text, options, ending).calls {
        values::assert_well_formed(&call.arguments);
    }
    want
}

fn filtered<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, options: &Options) -> Vec<u8> {
    let mut filter = ProseFilter::new(options);
    let mut shown: Vec<u8> = pieces.into_iter().flat_map(|piece| filter.push(piece)).collect();
    shown.extend(filter.flush());
    shown
}

/// The first bytes choose format, tools, prompt, ending, limit and cuts; the rest is the reply.
pub fn any_bytes(data: &[u8]) {
    let ([format, tools, rest, end, cut, limit], text) = header(data);
    let mut options = markup::options(format, tools, rest);
    options.max_bytes = (limit % 8 == 7).then_some(limit);
    check(text, &options, ending(end), &lengths(cut));
    let cut = pieces::by_lengths(text, &lengths(cut));
    assert_eq!(filtered(cut, &options), filtered([text], &options), "the filter");
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(fixtures::all);

/// Bytes choose replies from the fixtures and do up to three kinds of damage to them.
pub fn structured(data: &[u8]) {
    let (text, options, end, lengths) = damaged(data);
    check(&text, &options, end, &lengths);
}

/// A damaged reply and how it is read.
pub fn damaged(data: &[u8]) -> (Vec<u8>, Options, Ending, Vec<usize>) {
    let ([one, two, other, reading, end, cut], rest) = header(data);
    let case = &CASES[(one + 256 * two) % CASES.len()];
    let mut text = case.raw.clone();
    if other % 4 == 3 {
        let second = CASES.iter().filter(|second| second.format == case.format).nth(other / 4 % 8).unwrap_or(case);
        text.push(b'\n');
        text.extend(&second.raw);
    }
    for step in rest.chunks_exact(5).take(3) {
        damage(&mut text, [step[0], step[1], step[2], step[3], step[4]]);
    }
    let readings = case.readings();
    let options = readings[reading % readings.len()].1.clone();
    (text, options, ending(end), lengths(cut))
}

/// One damage: drop, double, swap, cut, put in a marker or a part, change a byte.
fn damage(text: &mut Vec<u8>, [kind, high, low, length, more]: [u8; 5]) {
    if text.is_empty() {
        return;
    }
    let at = (usize::from(high) * 256 + usize::from(low)) % text.len();
    let length = (1 + usize::from(length) % 40).min(text.len() - at);
    let end = at + length;
    match kind % 7 {
        0 => drop(text.drain(at..end)),
        1 => {
            let again = text[at..end].to_vec();
            text.splice(at..at, again);
        }
        2 => text[at..end].rotate_left(usize::from(more) % length),
        3 => text.truncate(at),
        4 => {
            let marker = markup::MARKERS[(usize::from(more) * 256 + length) % markup::MARKERS.len()];
            text.splice(at..at, marker.bytes());
        }
        5 => {
            let part = markup::PARTS[usize::from(more) % markup::PARTS.len()];
            text.splice(at..at, part.iter().copied());
        }
        _ => text[at] = more,
    }
}

/// The reader against `serde_json`, in pieces, cut, and again on what it wrote.
pub fn json(data: &[u8]) {
    let ([cut, ended], text) = header(data);
    let ended = ended % 2 == 1;
    let document = repair(text, ended);
    assert!(document.repairs.iter().all(|repair| repair.span.start <= repair.span.end && repair.span.end <= text.len()), "a mark outside");
    if depth(text) > 1000 {
        return;
    }
    let strict = values::strict(text).ok();
    let value = document.value.as_ref().map(|tape| {
        values::assert_well_formed(tape);
        values::value(tape)
    });
    let kinds = values::kinds(&document.repairs);
    match (&strict, &value) {
        (Some(strict), Some(value)) if !kinds.contains(&"number_as_text") => {
            assert!(values::same(strict, value), "{value} for {strict}");
            assert!(kinds.is_empty() || kinds == ["duplicate_key"], "{kinds:?} on valid JSON");
        }
        (Some(_), Some(_)) => {
            assert!(kinds.iter().all(|kind| ["number_as_text", "duplicate_key"].contains(kind)), "{kinds:?} on valid JSON");
        }
        (Some(strict), None) => assert!(depth(text) > Limits::DEFAULT.depth, "nothing read of {strict}"),
        (None, Some(value)) => assert!(!kinds.is_empty(), "{value} without a mark"),
        (None, None) => {}
    }
    if let Some(value) = &value {
        again(value);
    }
    in_pieces(text, &lengths(cut));
    if strict.is_some() && kinds.is_empty() && text.len() < 2000 {
        prefix(text, cut * text.len() / 256);
    }
}

/// No more containers stand in one another than this.
fn depth(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count()
}

/// The strict text of a value is read back without a mark.
fn again(value: &Value) {
    let json = serde_json::to_string(value).unwrap();
    // Several documents are a list, and lie one deeper in it.
    if depth(json.as_bytes()) > Limits::DEFAULT.depth {
        return;
    }
    let second = repair(json.as_bytes(), false);
    assert!(second.repairs.is_empty(), "{:?} on {json}", values::kinds(&second.repairs));
    let tape = second.value.unwrap_or_else(|| panic!("nothing read of {json}"));
    assert!(values::same(value, &values::value(&tape)), "{json}");
}

/// A beginning of valid JSON gives a beginning of its value.
fn prefix(text: &[u8], mut cut: usize) {
    while !std::str::from_utf8(text).unwrap().is_char_boundary(cut) {
        cut += 1;
    }
    let value = |text: &[u8]| repair(text, false).value.map(|tape| values::value(&tape));
    let (Some(full), Some(head)) = (value(text), value(&text[..cut])) else { return };
    if !full.is_array() && !full.is_object() {
        return;
    }
    assert!(values::is_prefix(&head, &full), "{head} of {full}");
}

/// The reader in pieces gives the same value, marks and end as in one.
fn in_pieces(text: &[u8], lengths: &[usize]) {
    for dialect in [Dialect::JSON, Dialect::PYTHON] {
        for ending in [Ending::Unknown, Ending::CutOff] {
            let whole = values::read(text, &[text.len().max(1)], dialect, ending);
            let cut = values::read(text, lengths, dialect, ending);
            assert_eq!(whole.0, cut.0, "another end in pieces");
            assert_eq!((&whole.1.tape, &whole.1.repairs), (&cut.1.tape, &cut.1.repairs), "another value in pieces");
        }
    }
}

/// A stream that is copied, asked and fed in any order gives what the reply gives whole.
pub fn pieces(data: &[u8]) {
    let ([format, tools, rest, end, seed], text) = header(data);
    let options = markup::options(format, tools, rest);
    let want = whole(text, &options, ending(end));
    let mut random = Random::new(seed as u64);
    let mut stream = Stream::new(&options);
    let mut filter = ProseFilter::new(&options);
    let mut shown = Vec::new();
    let mut left = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match random.below(8) {
            0 => left.push((stream.clone(), at)),
            1 => stream = stream.clone(),
            2 => assert!(stream.push(b"").is_empty(), "an empty piece says something"),
            3 => filter = filter.clone(),
            4 => {
                let so_far = Facts::of(stream.outcome());
                assert!(want.text.0.starts_with(&so_far.text.0) && want.reasoning.0.starts_with(&so_far.reasoning.0), "taken back");
                assert_eq!(want.calls[..so_far.calls.len()], so_far.calls);
            }
            _ => {
                let next = (at + 1 + random.below(12)).min(text.len());
                stream.push(&text[at..next]);
                shown.extend(filter.push(&text[at..next]));
                at = next;
            }
        }
    }
    stream.finish(ending(end));
    shown.extend(filter.flush());
    assert_eq!(Facts::of(stream.outcome()), want, "the stream that was fed to the end");
    assert_eq!(shown, filtered([text], &options), "the filter that was fed to the end");
    for (mut copy, at) in left.into_iter().take(3) {
        copy.push(&text[at..]);
        copy.finish(ending(end));
        assert_eq!(Facts::of(copy.outcome()), want, "a copy made at {at}");
    }
}

/// Fast searches against plain loops, and what is written piece by piece against what is written at once.
pub fn diff(data: &[u8]) {
    let ([count, format, start], text) = header(data);
    assert_eq!(find_in_string(text), text.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)));
    let strings = std::str::from_utf8(text);
    if let Ok(plain) = strings {
        assert_eq!(lossy(text), plain);
        let width = (0..text.len()).rev().find(|at| plain.is_char_boundary(*at)).map_or(0, |at| text.len() - at);
        for cut in 1..width {
            assert_eq!(incomplete_tail(&text[..text.len() - cut]), width - cut);
        }
    }
    assert!(escaped(text).is_ascii());
    assert_eq!(incomplete_tail(text) > 0, String::from_utf8_lossy(text).ends_with('\u{FFFD}') && error_at_end(text));
    markers(text, format, start);
    written(text, count);
}

/// Whether more bytes could make a character of the end.
fn error_at_end(text: &[u8]) -> bool {
    let back = (1..=3.min(text.len())).find(|back| !matches!(text[text.len() - back], 0x80..=0xBF));
    back.is_some_and(|back| {
        let lead = text[text.len() - back];
        let width = match lead {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 0,
        };
        width > back
    })
}

/// The compiled table against a look at every marker.
fn markers(text: &[u8], format: usize, start: usize) {
    use toolparse::plan::Match;
    let (name, plan) = &markup::NAMED[format % markup::NAMED.len()];
    for at in start.min(text.len())..text.len().min(start + 200) {
        for last in [false, true] {
            let window = Window::new(text, 0, last);
            let longest =
                markup::MARKERS.iter().filter(|marker| text[at..].starts_with(marker.as_bytes())).map(|marker| marker.len()).max();
            match plan.find(&window, at) {
                Some(Match::Marker(index)) => {
                    let marker = plan.get(index).text;
                    assert!(text[at..].starts_with(marker), "{name}: a marker that is not there");
                    assert!(longest.is_none_or(|longest| marker.len() <= longest), "{name}: not the longest marker");
                    assert!(plan.next_start(&text[..=at], true).is_none_or(|start| start <= at));
                }
                Some(Match::Shape(length)) => assert!(at + length <= text.len()),
                Some(Match::Nothing) => {}
                None => assert!(!last, "{name}: undecided at the end"),
            }
        }
    }
}

/// JSON text that is written as the value grows against all of it at the end.
fn written(text: &[u8], seed: usize) {
    let mut random = Random::new(seed as u64);
    let mut tape = Tape::default();
    let mut open = vec![false];
    let mut cursor = Cursor::default();
    let mut out = String::new();
    tape.push(Node::Array);
    for byte in text.iter().take(300) {
        let part = &text[..usize::from(byte % 16).min(text.len())];
        if open.last() == Some(&true) {
            tape.key(part);
        }
        match byte % 11 {
            0 => {
                tape.push(Node::Object);
                open.push(true);
            }
            1 => {
                tape.push(Node::Array);
                open.push(false);
            }
            2 | 3 => tape.number(b"12"),
            4 => tape.push(Node::Null),
            5 => tape.push(Node::Bool(true)),
            6..=8 => {
                tape.string(b"");
                for piece in part.chunks(3) {
                    let piece = piece.to_ascii_lowercase();
                    tape.extend(&piece[..if piece.is_ascii() { piece.len() } else { 0 }]);
                    cursor.write(&tape, usize::MAX, false, &mut out);
                }
            }
            _ => {
                tape.push(Node::Null);
                if open.len() > 1 {
                    open.pop();
                    tape.push(Node::Close);
                }
            }
        }
        if random.below(3) == 0 {
            cursor.write(&tape, tape.len().saturating_sub(random.below(2)), false, &mut out);
        }
    }
    for _ in open {
        tape.push(Node::Close);
    }
    cursor.write(&tape, tape.len(), true, &mut out);
    assert_eq!(out, to_json(&tape), "written piece by piece");
    let value: Value = values::strict(out.as_bytes()).unwrap_or_else(|error| panic!("{out}: {error}"));
    assert!(value.is_array());
}
