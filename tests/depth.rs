//! R2: nothing recurses on the depth of the input. All of this runs on a stack of 256 KiB, which a recursion of a million would overflow:
//! the process would be gone, and with it this test.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::facts::Facts;
use common::hostile::{ALL, OFFERED};
use common::{offering, streamed_outcome};
use std::thread::Builder;
use toolparse::call::read_whole;
use toolparse::collect::json::to_json;
use toolparse::document::repair;
use toolparse::format::Dialect;
use toolparse::tape::{Node, Tape};
use toolparse::value::Ending;
use toolparse::{Cut, Options, ProseFilter, Stream, parse};

const STACK: usize = 256 * 1024;
const SIZE: usize = 1_000_000;

/// Those that go deep.
const DEEP: &[&str] = &[
    "call_opener_flood",
    "brace_flood",
    "bare_name_flood",
    "array_depth_open",
    "array_depth_closed",
    "object_depth_open",
    "object_depth_closed",
    "parentheses",
    "unary_chain",
    "binary_chain",
    "stray_closers",
    "xml_parameters",
    "invoke_flood",
    "think_open_flood",
    "open_tag_flood",
];

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

#[test]
fn deep_replies_are_read_printed_and_dropped() {
    on_a_small_stack(|| {
        let options = offering(OFFERED);
        for case in ALL.iter().filter(|case| DEEP.contains(&case.name)) {
            let text = case.text(SIZE);
            let outcome = parse(&text, &options, Ending::Unknown);
            assert!(!format!("{outcome:?}").is_empty());
            let facts = Facts::of(&outcome);
            facts.assert_tiles(text.len());
            let copy = outcome.clone();
            drop(outcome);
            assert_eq!(Facts::of(&copy), facts);
            drop(copy);
            assert_eq!(Facts::of(&streamed_outcome(text.chunks(4096), &options, Ending::Unknown)), facts, "{}", case.name);
        }
    });
}

#[test]
fn deep_replies_are_read_with_cut_calls_dropped() {
    on_a_small_stack(|| {
        let options = Options { cut: Cut::Drop, ..offering(OFFERED) };
        for case in ALL.iter().filter(|case| DEEP.contains(&case.name)) {
            let text = case.text(SIZE / 4);
            let outcome = parse(&text, &options, Ending::CutOff);
            assert!(outcome.calls.iter().all(|call| call.complete), "{}", case.name);
        }
    });
}

#[test]
fn a_stream_in_the_middle_of_depth_is_copied_printed_and_dropped() {
    on_a_small_stack(|| {
        let options = offering(OFFERED);
        for case in ALL.iter().filter(|case| DEEP.contains(&case.name)) {
            let text = case.text(SIZE);
            let mut stream = Stream::new(&options);
            stream.push(&text[..SIZE / 2]);
            let mut copy = stream.clone();
            assert!(!format!("{stream:?}").is_empty());
            drop(stream);
            copy.push(&text[SIZE / 2..]);
            copy.finish(Ending::Unknown);
            let mut filter = ProseFilter::new(&options);
            filter.push(&text);
            drop(filter);
        }
    });
}

#[test]
fn deep_documents_are_repaired_or_refused() {
    on_a_small_stack(|| {
        let deep = |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(SIZE), close.repeat(SIZE));
        for text in [
            deep("[", "", ""),
            deep("[", "", "]"),
            deep("{\"a\":", "", ""),
            deep("{\"a\":", "1", "}"),
            deep("{", "", ""),
            deep("(", "", ")"),
            deep("[{\"a\":", "1", "}]"),
            deep("\"\\\"", "", ""),
            deep("/*", "", ""),
            deep("```", "", ""),
            deep("]", "", "}"),
        ] {
            for ended in [false, true] {
                let document = repair(text.as_bytes(), ended);
                assert!(!format!("{document:?}").is_empty());
                if let Some(value) = document.value {
                    assert!(!to_json(&value).is_empty());
                }
            }
            for dialect in [Dialect::JSON, Dialect::PYTHON] {
                drop(read_whole(text.as_bytes(), dialect, &toolparse::Limits::DEFAULT));
            }
        }
    });
}

#[test]
fn a_deep_tape_is_compared_copied_written_and_dropped() {
    on_a_small_stack(|| {
        let mut tape = Tape::default();
        for _ in 0..SIZE {
            tape.push(Node::Object);
            tape.key(b"a");
        }
        tape.push(Node::Null);
        for _ in 0..SIZE {
            tape.push(Node::Close);
        }
        let mut copy = tape.clone();
        assert!(copy == tape);
        assert_eq!(tape.value_end(0), tape.len());
        assert_eq!(to_json(&tape).len(), SIZE * 6 + 4);
        copy.append(&tape);
        copy.append_range(&tape, 0, tape.len());
        assert_eq!(copy.len(), 3 * tape.len());
        assert!(format!("{tape:?}").len() > SIZE);
    });
}
