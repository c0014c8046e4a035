//! The strict side of the reader: what JSON is and what it is not, case by case, with `serde_json` as the judge.
//!
//! Texts that are JSON leave no mark and have the judge's value. Texts that are not leave one, or have no value. Texts on which readers may
//! differ return.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::{Places, values};
use serde_json::Value;
use toolparse::document::repair;

/// JSON.
const ACCEPT: &[&[u8]] = &[
    // structure
    b"[]",
    b"{}",
    b"[[]]",
    b"[[], []]",
    b"[{}]",
    b"{\"a\":{}}",
    b"{\"a\":[]}",
    b"[[[[[[[[]]]]]]]]",
    b"{\"a\":{\"b\":{\"c\":{\"d\":[]}}}}",
    b"[null]",
    b"[true]",
    b"[false]",
    b"[null, 1, \"1\", {}]",
    b"{\"\":0}",
    b"{\"\":\"\"}",
    b"{\"a\":1}",
    b"{\"a\":1,\"b\":2}",
    b"{\"b\":1,\"a\":2}",
    b"{\"a b\":1}",
    b"{\"null\":null}",
    b"{\"a\":[1,{\"b\":[2,{\"c\":3}]}]}",
    b"[1,null,null,null,2]",
    // white space
    b" []",
    b"[] ",
    b"\n[\n]\n",
    b"\t[\t1\t,\t2\t]\t",
    b"\r\n{\r\n\"a\"\r\n:\r\n1\r\n}\r\n",
    b"[ ]",
    b"{ }",
    b"[1 ]",
    b"[ 1]",
    b"{ \"a\" : 1 , \"b\" : 2 }",
    b"   \n\t \r [1]   \n\t \r ",
    // numbers
    b"[0]",
    b"[-0]",
    b"[1]",
    b"[-1]",
    b"[10]",
    b"[123]",
    b"[-123]",
    b"[0.0]",
    b"[-0.0]",
    b"[0.5]",
    b"[1.5]",
    b"[-1.5]",
    b"[123.456]",
    b"[123.456789012345678]",
    b"[1e1]",
    b"[1E1]",
    b"[1e+1]",
    b"[1E+1]",
    b"[1e-1]",
    b"[1E-1]",
    b"[0e1]",
    b"[0e+1]",
    b"[0E0]",
    b"[1.5e2]",
    b"[1.5E-2]",
    b"[-1e-10]",
    b"[1e00]",
    b"[1e+00002]",
    b"[20e1]",
    b"[123e65]",
    b"[-123123123123123123123123123123]",
    b"[100000000000000000000]",
    b"[9223372036854775807]",
    b"[9223372036854775808]",
    b"[-9223372036854775808]",
    b"[-9223372036854775809]",
    b"[18446744073709551615]",
    b"[18446744073709551616]",
    b"[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]",
    b"[0.1,0.2,0.3]",
    // strings
    b"[\"\"]",
    b"[\" \"]",
    b"[\"a\"]",
    b"[\"\\\"\"]",
    b"[\"\\\\\"]",
    b"[\"\\/\"]",
    b"[\"/\"]",
    b"[\"\\b\\f\\n\\r\\t\"]",
    b"[\"\\u0041\"]",
    b"[\"\\u00e9\"]",
    b"[\"\\u00E9\"]",
    b"[\"\\uabcd\\uABCD\\uaBcD\"]",
    b"[\"\\u0000\"]",
    b"[\"\\u001f\"]",
    b"[\"\\u0022\"]",
    b"[\"\\u005C\"]",
    b"[\"\\u002c\"]",
    b"[\"\\uD834\\uDd1e\"]",
    b"[\"\\ud83d\\ude00\"]",
    b"[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
    b"[\"\\uDBFF\\uDFFE\"]",
    b"[\"\\uDBFF\\uDFFF\"]",
    b"[\"\\u2028\\u2029\"]",
    b"[\"\\uFFFE\\uFFFF\"]",
    b"[\"\\u200B\\uFEFF\"]",
    b"[\"\\\\n\"]",
    b"[\"\\\\u0000\"]",
    b"[\"\\\\\\\"\"]",
    b"[\"\\\\\\\\\"]",
    b"[\"\x7F\"]",
    b"[\"\xC3\xA9\"]",
    b"[\"\xE2\x80\xA8\xE2\x80\xA9\"]",
    b"[\"\xE2\x82\xAC\"]",
    b"[\"\xF0\x9F\x98\x80\"]",
    b"[\"\xF4\x8F\xBF\xBF\"]",
    b"[\"\xEF\xBF\xBF\"]",
    b"[\"\xEF\xBB\xBF\"]",
    b"[\"a/*b*/c/*d//e\"]",
    b"[\"# no comment\"]",
    b"[\"it's\"]",
    b"[\"None, True, NaN\"]",
    b"[\"[1,2\"]",
    b"[\"}\"]",
    b"[\"```json\"]",
    b"[\"a, b\"]",
    b"[\"a\\\", \\\"b\"]",
    b"{\"a\":\"x, y\"}",
    b"{\"a\":\"x\\\", \\\"b\\\": \\\"y\"}",
    b"{\"a\":\"{\\\"b\\\": 1}\"}",
    b"{\"\\u0061b\":1}",
    b"{\"a\\\"b\":1}",
    b"{\"a:b\":1}",
    b"{\"a,b\":1}",
    b"{\"a}\":1}",
    b"{\"foo\\u0000bar\":42}",
    b"[\"\xE2\x80\x9Cquoted\xE2\x80\x9D\"]",
    b"[\"\xEF\xBD\x9B\xEF\xBC\x9A\xEF\xBC\x8C\"]",
    b"{\"\xC3\xA9\":\"\xC3\xA8\"}",
    b"{\"min\": -1.0e+28, \"max\": 1.0e+28}",
    b"{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}], \"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
    // a value alone
    b"null",
    b"true",
    b"false",
    b"42",
    b"-0.1",
    b"1e5",
    b"\"\"",
    b"\"a\"",
    b"\"a\\\"b\"",
    b"\"a: b\"",
    b" 1 ",
    b"\n\"a\"\n",
];

/// Not JSON.
const REJECT: &[&[u8]] = &[
    // structure
    b"",
    b" ",
    b"\n",
    b"[",
    b"]",
    b"{",
    b"}",
    b"[]]",
    b"{}}",
    b"[}",
    b"{]",
    b"[1",
    b"[1,",
    b"[1,]",
    b"[,1]",
    b"[,]",
    b"[1,,2]",
    b"[1,,]",
    b"[\"a\",]",
    b"[\"a\",,]",
    b"[1 2]",
    b"[1:2]",
    b"[1;2]",
    b"[\"a\" \"b\"]",
    b"[\"a\": 1]",
    b"[1,\n",
    b"[[]",
    b"[[1,2],",
    b"[3[4]]",
    b"[1]x",
    b"[1] x",
    b"[1],",
    b"[][]",
    b"{}{}",
    b"1]",
    b"{\"a\"",
    b"{\"a\"}",
    b"{\"a\":",
    b"{\"a\":}",
    b"{\"a\":1",
    b"{\"a\":1,",
    b"{\"a\":1,}",
    b"{,\"a\":1}",
    b"{\"a\":1,,\"b\":2}",
    b"{\"a\" 1}",
    b"{\"a\":1 \"b\":2}",
    b"{\"a\"::1}",
    b"{\"a\":1:2}",
    b"{\"a\",1}",
    b"{a:1}",
    b"{'a':1}",
    b"{1:1}",
    b"{null:null}",
    b"{:1}",
    b"{\"a\":1}}",
    b"{\"a\":1}#",
    b"{\"a\":1}/**/",
    b"{\"a\":1}//",
    b"{\"a\":/*c*/1}",
    b"{\"a\":1 // c\n}",
    b"{\"a\":1, # c\n\"b\":2}",
    b"{\"a\":'1'}",
    b"{\"a\":a}",
    b"{\"a\":[1,2}",
    b"{\"a\":{\"b\":1]",
    b"{{}}",
    b"{[: 1}",
    b"\"a\":1",
    b"{\"a\":...}",
    b"[1, ...]",
    b"...",
    // numbers
    b"[+1]",
    b"[.5]",
    b"[5.]",
    b"[-.5]",
    b"[-]",
    b"[--1]",
    b"[+-1]",
    b"[01]",
    b"[-01]",
    b"[00]",
    b"[1.]",
    b"[1.e1]",
    b"[.e1]",
    b"[1e]",
    b"[1e+]",
    b"[1E-]",
    b"[1ee2]",
    b"[1e1e1]",
    b"[1.2.3]",
    b"[1.5e.5]",
    b"[0x1]",
    b"[0xF]",
    b"[0b1]",
    b"[1_000]",
    b"[1 000]",
    b"[1a]",
    b"[1.8011670033376514H-308]",
    b"[NaN]",
    b"[-NaN]",
    b"[Infinity]",
    b"[-Infinity]",
    b"[+Inf]",
    b"[1+2]",
    b"[2.e3]",
    b"[9.e+]",
    b"[\xEF\xBC\x91]",
    b"-",
    b"01",
    // literals
    b"[nul]",
    b"[nulll]",
    b"[Null]",
    b"[NULL]",
    b"[True]",
    b"[TRUE]",
    b"[tru]",
    b"[truth]",
    b"[fals]",
    b"[False]",
    b"[None]",
    b"[undefined]",
    b"[nil]",
    b"nan",
    b"tr",
    b"[*]",
    b"[x]",
    b"[x, true]",
    b"[a b]",
    // strings
    b"[\"]",
    b"[\"a]",
    b"[\"a",
    b"[\"a\\",
    b"[\"a\\\"]",
    b"[a\"]",
    b"['a']",
    b"[`a`]",
    b"[\xE2\x80\x9Ca\xE2\x80\x9D]",
    b"[\"\\x00\"]",
    b"[\"\\a\"]",
    b"[\"\\d+\"]",
    b"[\"\\'\"]",
    b"[\"\\ \"]",
    b"[\"\\u\"]",
    b"[\"\\u1\"]",
    b"[\"\\u12\"]",
    b"[\"\\u123\"]",
    b"[\"\\uqqqq\"]",
    b"[\"\\u00A\"]",
    b"[\"\\U0041\"]",
    b"[\"\\\xF0\x9F\x98\x80\"]",
    b"[\"a\nb\"]",
    b"[\"a\tb\"]",
    b"[\"a\x00b\"]",
    b"[\"a\x1Fb\"]",
    b"[\"a\rb\"]",
    b"\"",
    b"\"a",
    b"'a'",
    b"[\"say \"hi\" now\"]",
    b"{\"a\":\"b\"c\"}",
    b"[\"a\"b]",
    // between tokens
    b"\x0C[]",
    b"[\x0C]",
    b"[\x0B]",
    b"\xC2\xA0[]",
    b"[\xE3\x80\x80]",
    b"[\xE2\x80\x8B]",
    b"[\xE2\x81\xA0]",
    b"[\\n]",
    b"[1\\n]",
    b"\\[]",
    b"\xEF\xBD\x9B\"a\"\xEF\xBC\x9A1\xEF\xBD\x9D",
    b"[\0]",
    b"{\"a\"\xEF\xBC\x9A1}",
    // around the value
    b"Here: {\"a\":1}",
    b"{\"a\":1} done",
    b"```json\n{\"a\":1}\n```",
    b"```\n[]\n```",
    b"<null>",
    b"just words",
    b"()",
    b"{\\\"a\\\": 1}",
    b"[(1)]",
];

/// Readers may differ.
const FREE: &[&[u8]] = &[
    b"\xEF\xBB\xBF{}",
    b"\xEF\xBB\xBF",
    b"[1e400]",
    b"[-1e400]",
    b"[1e-400]",
    b"[0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999]",
    b"[\"\\ud800\"]",
    b"[\"\\udc00\"]",
    b"[\"\\ud800\\n\"]",
    b"[\"\\ud800a\"]",
    b"[\"\\ud800\\ud800\\udc00\"]",
    b"[\"\\ud800\\u0041\"]",
    b"[\"\\udd1e\\ud834\"]",
    b"{\"\\udfaa\":0}",
    b"[\"\xFF\"]",
    b"[\"\x80\"]",
    b"[\"\xC0\xAF\"]",
    b"[\"\xE0\x80\xAF\"]",
    b"[\"\xED\xA0\x80\"]",
    b"[\"\xF4\x90\x80\x80\"]",
    b"[\"\xF8\x88\x80\x80\x80\"]",
    b"[\"\xE2\x80\"]",
    b"[\"\xF0\x9F\"]",
    b"[\xFF]",
    b"\xFF",
    b"[\"a\xE9\"]",
    b"{\"a\xFF\":1}",
    b"\xFF\xFE[\x00\"\x00\xE9\x00\"\x00]\x00",
    b"\x00[\x00\"\x00\xE9\x00\"\x00]",
    b"\x80\x81\x82",
    b"[[[[[[[[[[\xFF",
];

fn name(text: &[u8]) -> String {
    text.escape_ascii().to_string()
}

#[test]
fn there_are_many() {
    assert!(ACCEPT.len() >= 130 && REJECT.len() >= 170 && FREE.len() >= 30, "{} {} {}", ACCEPT.len(), REJECT.len(), FREE.len());
}

#[test]
fn json_is_accepted_as_it_is() {
    let mut places = Places::default();
    for text in ACCEPT {
        places.at(&name(text), || {
            let strict: Value = serde_json::from_slice(text).expect("the judge accepts it");
            for ended in [false, true] {
                let document = repair(text, ended);
                assert_eq!(values::kinds(&document.repairs), Vec::<&str>::new());
                let value = values::value(&document.value.expect("a value"));
                assert!(values::same(&strict, &value), "{value}");
            }
        });
    }
}

#[test]
fn what_is_not_json_has_no_value_or_a_mark() {
    let mut places = Places::default();
    for text in REJECT {
        places.at(&name(text), || {
            assert!(serde_json::from_slice::<Value>(text).is_err(), "the judge accepts it");
            for ended in [false, true] {
                let document = repair(text, ended);
                assert!(document.value.is_none() || !document.repairs.is_empty(), "{:?}", document.value.map(|tape| values::value(&tape)));
                if let Some(tape) = document.value {
                    values::assert_well_formed(&tape);
                    values::value(&tape);
                }
            }
        });
    }
}

#[test]
fn all_else_returns_a_value_that_can_be_written() {
    let mut places = Places::default();
    for text in FREE {
        places.at(&name(text), || {
            for ended in [false, true] {
                let document = repair(text, ended);
                assert!(document.repairs.iter().all(|repair| repair.span.start <= repair.span.end && repair.span.end <= text.len()));
                if let Some(tape) = document.value {
                    values::assert_well_formed(&tape);
                    values::value(&tape);
                }
            }
        });
    }
}

/// The same texts as the arguments of a call.
#[test]
fn the_arguments_of_a_call_are_read_the_same() {
    let options = common::offering(&["f"]);
    let mut places = Places::default();
    for text in ACCEPT {
        places.at(&name(text), || {
            let strict: Value = serde_json::from_slice(text).unwrap();
            let reply = [b"<tool_call>{\"name\":\"f\",\"arguments\":{\"v\":", *text, b"}}</tool_call>"].concat();
            let outcome = toolparse::parse(&reply, &options, toolparse::value::Ending::Unknown);
            assert_eq!((outcome.calls.len(), outcome.text.len()), (1, 0));
            assert!(outcome.calls[0].complete && outcome.calls[0].repairs.is_empty(), "{:?}", outcome.calls[0].repairs);
            assert!(values::same(&strict, &values::value(&outcome.calls[0].arguments)["v"]));
        });
    }
}

/// Every beginning of every text returns, and is marked where it is not JSON.
#[test]
fn every_beginning_is_marked() {
    let mut places = Places::default();
    for text in ACCEPT.iter().chain(REJECT) {
        places.at(&name(text), || {
            for end in 0..text.len() {
                let head = &text[..end];
                let document = repair(head, false);
                if let Some(tape) = document.value
                    && document.repairs.is_empty()
                {
                    let strict: Value = serde_json::from_slice(head).unwrap_or_else(|_| panic!("unmarked, cut at {end}"));
                    assert!(values::same(&strict, &values::value(&tape)), "cut at {end}");
                }
            }
        });
    }
}

/// The depth limit is checked without recursion, and what lies within it can be written and read again.
#[test]
fn depth_has_a_limit() {
    for (depth, within) in [(1, true), (100, true), (200, true), (201, false), (1000, false), (100_000, false)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let middle = if open == "[" { "" } else { "1" };
            let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
            let document = repair(text.as_bytes(), false);
            assert_eq!(document.value.is_some(), within, "{depth}");
            assert!(!within || document.repairs.is_empty());
        }
    }
}
