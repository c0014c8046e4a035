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

/// Every file of the corpus. Without one (as in the published package) there is nothing to run.
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
