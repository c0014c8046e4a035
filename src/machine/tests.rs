//! R3: how much is looked at: bytes, for a reply and for one four times as long.

#![allow(clippy::unwrap_used)]

use crate::window::looked;
use crate::{Options, Stream, Tools, value::Ending};
use std::fmt::Write as _;

/// Larger than every bound of a look ahead.
const SIZE: usize = 12_000;

/// What has a bound may not have reached it yet; what grows with the square comes to sixteen.
const MOST: usize = 6;

fn looked_at(text: &[u8], piece: usize, options: &Options) -> usize {
    looked::take();
    let mut stream = Stream::new(options);
    for piece in text.chunks(piece) {
        stream.push(piece);
    }
    stream.finish(Ending::Unknown);
    looked::take()
}

/// A head, and each unit again and again.
fn text(head: &str, units: &[&str], size: usize) -> Vec<u8> {
    let share = size / units.len();
    let units: String = units.iter().map(|unit| unit.repeat(share / unit.len())).collect();
    [head, &units].concat().into_bytes()
}

fn check(cases: &[(&str, &[&str])]) {
    let options = Options::new(Tools::from_json(&serde_json::json!({"f": {"type": "object"}})).unwrap());
    for (head, units) in cases {
        for piece in [1, 16, usize::MAX] {
            let few = looked_at(&text(head, units, SIZE), piece, &options);
            let many = looked_at(&text(head, units, 4 * SIZE), piece, &options);
            assert!(many <= MOST * few, "{head} {units:?} in pieces of {piece}: {few} bytes, then {many}");
        }
    }
}

const ARGUMENT: &str = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": ";

#[test]
fn bare_text_is_looked_through_once() {
    check(&[
        (ARGUMENT, &["1x", "："]),
        (ARGUMENT, &["1", "("]),
        (ARGUMENT, &["1x", " y"]),
        (ARGUMENT, &["-", " -x"]),
        (ARGUMENT, &["1e+", "："]),
        ("[f(a=", &["1x", " y"]),
        ("[f(a=", &["1x", "："]),
    ]);
}

#[test]
fn a_dict_of_arguments_is_read_on() {
    check(&[("[f(**{'a': [", &["1,"]), ("<|tool_call_start|>[f(**{'a': '", &["x"]), ("[f(", &["**{'a': 1}, "]), ("[f(**{", &["'a': {"])]);
}

#[test]
fn a_tag_has_an_end() {
    let parameter = "<function_calls><invoke name=\"f\"><parameter name=";
    for head in ["<invoke ", "<invoke name=", "<invoke name=\"", parameter, &format!("{parameter}'"), "<invoke name=\"f\" a"] {
        check(&[(head, &["a"]), (head, &["a="]), (head, &["a='' "])]);
    }
}

#[test]
fn a_fence_has_so_many_ticks() {
    let arguments = "<tool_call>```\n{\"name\": \"f\", \"arguments\": {}}";
    check(&[("<tool_call>", &["`"]), ("<tool_call>```", &["`"]), (arguments, &["`"]), ("```json\n{\"name\": \"f\"}\n", &["`"])]);
}

#[test]
fn a_quoted_line_is_looked_through_once() {
    check(&[("`<tool_call>", &[" <tool_call>"]), ("`<tool_call>", &["<think>"]), ("`<tool_call> ", &["x", "<tool_call>"])]);
}

#[test]
fn reasoning_that_never_closes_is_looked_through_once() {
    check(&[("", &["<think><tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>"]), ("", &["<think><tool_call>{\"name\""])]);
}

#[test]
fn each_key_is_looked_at_once() {
    let tools = Options::new(Tools::any());
    for (head, before, behind) in
        [("<tool_call><function=f>\n", "<parameter=", ">x\n"), ("<tool_call>f\n", "<arg_key>", "</arg_key>\n<arg_value>x\n")]
    {
        let text = |keys: usize| {
            let mut text = head.to_owned();
            (0..keys).for_each(|key| write!(text, "{before}k{key}{behind}").unwrap());
            text
        };
        let (few, many) = (looked_at(text(500).as_bytes(), 16, &tools), looked_at(text(2000).as_bytes(), 16, &tools));
        assert!(many <= MOST * few, "{head}: {few}, then {many}");
    }
}

#[test]
fn tags_in_each_other_inside_a_value_are_looked_at_so_far() {
    let options = Options::new(Tools::any());
    let value = "<function_calls><invoke name=\"f\"><parameter name=\"a\">";
    let argument = "<|open|>tools<|sep|><|open|>call tool=\"f\" index=\"1\"<|sep|><|open|>argument key=\"a\" type=\"string\"<|sep|>";
    for (head, unit) in [(value, "<parameter name=\" b="), (value, "\n<parameter name=\" b="), (argument, "<|open|>argument a=\" b=")] {
        let text = text(head, &[unit], SIZE);
        let looked = looked_at(&text, usize::MAX, &options);
        assert!(looked <= 64 * text.len(), "{unit}: {looked} bytes of {}", text.len());
    }
}
