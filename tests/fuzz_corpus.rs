//! The inputs that the fuzz targets have found worth keeping, run as ordinary tests; and the dictionary that the targets start from.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;
#[path = "../fuzz/src/targets.rs"]
mod targets;

use common::{Places, markup};
use std::fmt::Write as _;
use std::path::Path;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the corpus.
fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(here().join("fuzz/corpus").join(target)) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().display().to_string(), std::fs::read(&path).unwrap())).collect()
}

fn run(name: &str, target: impl Fn(&[u8])) {
    let mut places = Places::default();
    for (file, data) in corpus(name) {
        places.at(&file, || target(&data));
    }
    for data in [&b""[..], b"\0", b"\0\0\0\0\0\0", b"\x07\x01\x02\x03\x04\x05\x06\x07<tool_call>"] {
        places.at(&data.escape_ascii().to_string(), || target(data));
    }
}

#[test]
fn any_bytes() {
    run("any_bytes", targets::any_bytes);
}

#[test]
fn structured() {
    run("structured", targets::structured);
}

#[test]
fn json() {
    run("json", targets::json);
}

#[test]
fn pieces() {
    run("pieces", targets::pieces);
}

#[test]
fn diff() {
    run("diff", targets::diff);
}

/// Texts that were read otherwise in pieces than whole, lost a part of the reply, or gave arguments that were no JSON.
const FOUND: &[&str] = &[
    // A call that is certain stands, whatever comes behind it in its list.
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}},{\"ame\":\"g\",\"arguments\":{}}]",
    "[{\"name\":\"f\",\"arguments\":{\"a\":1}},{\"name\":\"g\",\"arguments\":{\"a",
    "```json\n[{name f \"arguments\" {}}a",
    "```json\n[{\"name\":\"f\",\"arguments\":{\"a\":1}},{",
    "```json\n[{\"name\":\"f\",\"arguments\":{\"a\":1}},[",
    "```\n<tool_call>[{\"name\":\"x\",\"arguments\":{}},{\"name\":\"f\",\"arguments\":{}}]</tool_call>",
    "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1},\"tool_calls\":[{\"name\":\"g\",\"arguments\":{}}]}</tool_call>",
    "{\"name\":\"f\",\"arguments\":{\"a\":1},\"tool_calls\":[{\"name\":\"g\",\"arguments\":{}}]}",
    "<|tools_prefix|>{a{}\"",
    "<|tools_prefix|>{a{\"\"}\"",
    // Markers that do not start with a bracket stand behind a string without an end quote as well.
    "functools{name\"functools{\"a",
    "functools{a\"functools{\"a\"}",
    // A candidate that fails inside a fence is prose.
    "```\n<function=get_weather>{=",
    // A key without a value.
    "[f(a=f",
    "<|tool_call_start|>[a({\"\"a \"\",",
    "<|tool_calls|>{\"name\"a \"args\"{\"\"a \"\",",
    "<|tool_call_start|>[f(a={\"b\": 1, \"c\", 'd'})]",
    // What stands behind the last call of a list ends it, whatever is known about the end of the reply.
    "<function_calls>search()a()<a",
    "[f(), f() and",
    // The text of a message stands before the control token behind it.
    "{type message \"text\"a}</｜DSML｜ calls>",
    "{\"type\":\"message\",\"text\":\"a\"}<|im_end|>",
    // A set is no object of arguments.
    "<|tool_calls|>{\"name\"a \"args\"{\"\",",
    "<|tool_calls|>[{\"name\": \"f\", \"arguments\": {'a', 'b', 1}}]",
    // A NUL at the end is no part of a closer.
    "<invoke name=\"get_weather\"><parameter name=\"a\">aaaaaaaaaa a\0",
    // The blank in front of a recipient belongs to it.
    "\n to=functions.",
    "\n\n to=functions.f<|channel|>commentary<|message|>{\"a\":1}",
    // A form feed is text.
    "\x0C{tool_name f \"parameters\"{a\"",
    "\x0C{\"name\":\"f\",\"arguments\":{}}",
    // The reader goes on where it met the same opener again.
    "<|tool_call_start|>[i(<|tool_call_start|>",
];

#[test]
fn what_was_found_is_read_the_same_in_pieces() {
    let mut places = Places::default();
    for text in FOUND {
        for reading in 0..markup::NAMED.len() * 3 {
            places.at(&format!("{text} as {reading}"), || {
                let options = markup::options(reading, reading / 2, 1 + reading / 3);
                targets::check(text.as_bytes(), &options, targets::ending(reading / 2), &[1 + reading % 3]);
            });
        }
    }
}

/// Every marker of every row, in libFuzzer's spelling. With `UPDATE_SNAPSHOTS=1` in the environment the file is written anew.
#[test]
fn the_dictionary_is_that_of_the_rows() {
    let path = here().join("fuzz/dictionary.txt");
    let mut now = String::from("# The markers of the rows, and parts of calls; written by tests/fuzz_corpus.rs.\n");
    for part in markup::MARKERS.iter().map(|marker| marker.as_bytes()).chain(markup::PARTS.iter().copied()).filter(|part| part.len() < 64) {
        let escaped: String = part.iter().map(|byte| spelled(*byte)).collect();
        writeln!(now, "\"{escaped}\"").unwrap();
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    assert_eq!(now, std::fs::read_to_string(&path).unwrap_or_default(), "run with UPDATE_SNAPSHOTS=1 if this is meant");
}

fn spelled(byte: u8) -> String {
    match byte {
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02X}"),
    }
}
