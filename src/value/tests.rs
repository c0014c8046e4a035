//! Decisions of the reader that hang on one byte: what a quote, a closer or a comma is, and where a bound lies.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::call::Plain;
use crate::collect::json::to_json;
use crate::repair::RepairKind;

/// The value as JSON text, and the kinds of its marks in order.
fn read(text: &str, ending: Ending) -> (String, Vec<&'static str>) {
    let plain = plain(text, Dialect::JSON, ending);
    (to_json(&plain.tape), plain.repairs.iter().map(|repair| repair.kind.name()).collect())
}

fn plain(text: &str, dialect: Dialect, ending: Ending) -> Plain {
    let window = Window::new(text.as_bytes(), 0, true);
    let mut reader = Reader::new(dialect, &Limits::DEFAULT);
    let mut plain = Plain::default();
    if reader.read(&window, &mut 0, Bounds::NONE, &mut plain) == Progress::More {
        reader.finish(&window, text.len(), ending, &mut plain);
    }
    plain
}

/// The marks when one more byte is there each time.
fn marks_in_pieces(text: &[u8], dialect: Dialect) -> Vec<Repair> {
    let mut reader = Reader::new(dialect, &Limits::DEFAULT);
    let mut plain = Plain::default();
    let mut pos = 0;
    for end in 1..=text.len() {
        let window = Window::new(text.get(..end).unwrap(), 0, end == text.len());
        if reader.read(&window, &mut pos, Bounds::NONE, &mut plain) != Progress::More {
            break;
        }
    }
    plain.repairs
}

#[test]
fn a_mark_is_made_once_wherever_the_pieces_end() {
    let wide = ["{\"a\":[1｝", "{\"a\"｝", "[1｝,", "｛\"a\"：［1，2｝｝"].map(str::as_bytes);
    let ascii = [&br#"[{"",]a"#[..], b"{\xE2[a,}a", b"{a'\x07,'a':1}", b"[[1,]", b"{\"a\":[1,}", br#"[1,"\u12"]"#];
    for text in wide.into_iter().chain(ascii) {
        for dialect in [Dialect::JSON, Dialect::PYTHON] {
            let window = Window::new(text, 0, true);
            let mut whole = Plain::default();
            Reader::new(dialect, &Limits::DEFAULT).read(&window, &mut 0, Bounds::NONE, &mut whole);
            assert_eq!(marks_in_pieces(text, dialect), whole.repairs, "{}", text.escape_ascii());
        }
    }
}

fn check(cases: &[(&str, &str, &[&str])]) {
    for (text, value, kinds) in cases {
        let (got, marks) = read(text, Ending::Unknown);
        assert_eq!((got.as_str(), marks.as_slice()), (*value, *kinds), "{text}");
    }
}

#[test]
fn a_quote_ends_a_string_where_the_grammar_goes_on() {
    check(&[
        (r#"{"q": "he said "hi", "bye" and left"}"#, r#"{"q":"he said \"hi\", \"bye\" and left"}"#, &["inner_quote"; 4]),
        (
            "{'q': 'he said 'hi', 'bye' and left'}",
            r#"{"q":"he said 'hi', 'bye' and left"}"#,
            &["single_quotes", "single_quotes", "inner_quote", "inner_quote", "inner_quote", "inner_quote"],
        ),
        (r#"{"a": "x", "b": 1}"#, r#"{"a":"x","b":1}"#, &[]),
        (r#"{"a": "x", "b\"c": 1}"#, r#"{"a":"x","b\"c":1}"#, &[]),
        (r#"{"a": "x" # c"#, r#"{"a":"x"}"#, &["comment", "closed_object"]),
        ("{\"a\": \"x\" # c\n}", r#"{"a":"x"}"#, &["comment"]),
        ("[\"x\" // c\n, 1]", r#"["x",1]"#, &["comment"]),
        (r#"["x" / y"]"#, r#"["x\" / y"]"#, &["inner_quote"]),
        (r#"{"a": "x", = y"}"#, r#"{"a":"x\", = y"}"#, &["inner_quote"]),
        (r#"{"a": "x, "b": 2}"#, r#"{"a":"x","b":2}"#, &["missing_quote"]),
        (r#"["a" "b"]"#, r#"["a","b"]"#, &["adjacent_strings"]),
        (r#"["a" 1]"#, r#"["a\" 1]"]"#, &["inner_quote", "closed_string", "closed_array"]),
        (r#"[1 "a"]"#, r#"[1,"a"]"#, &["missing_comma"]),
        ("[\"a\" // c\n1]", r#"["a",1]"#, &["comment", "missing_comma"]),
        (r#"[{} "a"]"#, r#"[{},"a"]"#, &["missing_comma"]),
    ]);
}

#[test]
fn a_closer_closes_what_it_fits() {
    check(&[
        (r#"{"a": [1, 2}"#, r#"{"a":[1,2]}"#, &["wrong_closer"]),
        (r#"{"a": {"b": [1}"#, r#"{"a":{"b":[1]}}"#, &["wrong_closer", "closed_object"]),
        (r#"{"a": [1}, "b": 2}"#, r#"{"a":[1],"b":2}"#, &["ambiguous_closer"]),
        (r#"[{"a": 1]"#, r#"[{"a":1}]"#, &["wrong_closer"]),
        (r#"{"a": {"b": 1], "c": 2}"#, r#"{"a":{"b":1},"c":2}"#, &["ambiguous_closer"]),
        ("{{\"a\": 1}}", r#"{"a":1}"#, &["doubled_braces"]),
    ]);
}

#[test]
fn an_object_where_a_key_should_be_is_the_next_item() {
    check(&[
        (r#"[{"a": 1, {"b": 2}]"#, r#"[{"a":1},{"b":2}]"#, &["ambiguous_closer"]),
        (r#"[{"a": {"c": 1, {"b": 2}]"#, r#"[{"a":{"c":1}},{"b":2}]"#, &["ambiguous_closer"]),
        (r#"{"l": [{"a": 1,, {"b": 2}], "k": 3}"#, r#"{"l":[{"a":1},{"b":2}],"k":3}"#, &["extra_comma", "ambiguous_closer"]),
        (r#"[{"a": 1 {"b": 2}]"#, r#"[{"a":1},{"b":2}]"#, &["missing_comma", "ambiguous_closer", "ambiguous_closer"]),
        (r#"[{{"a": 1}}]"#, r#"[{"a":1}]"#, &["doubled_braces"]),
    ]);
    let window = Window::new(br#"{"a": 1, {"b": 2}"#, 0, true);
    let progress = Reader::new(Dialect::JSON, &Limits::DEFAULT).read(&window, &mut 0, Bounds::NONE, &mut Plain::default());
    assert_eq!(progress, Progress::Failed(Unreadable::Unexpected), "there is no list around it");
}

#[test]
fn a_key_among_items_is_known_up_to_a_length() {
    let text = |length: usize| format!(r#"{{"l": [1, "{}": 2}}"#, "k".repeat(length));
    let (value, marks) = read(&text(MAX_STRAY_KEY), Ending::Unknown);
    assert_eq!(value, format!(r#"{{"l":[1],"{}":2}}"#, "k".repeat(MAX_STRAY_KEY)));
    assert!(marks.contains(&"ambiguous_closer"));
    let (value, _) = read(&text(MAX_STRAY_KEY + 1), Ending::Unknown);
    assert!(value.starts_with(r#"{"l":[1,"kkk"#), "{value}");
}

#[test]
fn beyond_the_limit_a_container_is_its_text() {
    let deep =
        |inner: &str, after: &str| format!("{}{inner}{after}{}", "[".repeat(Limits::DEFAULT.depth), "]".repeat(Limits::DEFAULT.depth));
    for inner in ["[]", "[1, [2]]", r#"["]"]"#, r#"["\"]"]"#, r#"["\\"]"#, r#"{"a": "}\\\"}"}"#] {
        let plain = plain(&deep(inner, ", 7"), Dialect::JSON, Ending::Unknown);
        let texts: Vec<&[u8]> = plain
            .tape
            .nodes()
            .iter()
            .filter_map(|node| match node {
                crate::tape::Node::Str(slice) | crate::tape::Node::Number(slice) => Some(plain.tape.text(*slice)),
                _ => None,
            })
            .collect();
        assert_eq!(texts, [inner.as_bytes(), b"7"]);
        assert_eq!(plain.repairs.iter().map(|repair| repair.kind).collect::<Vec<_>>(), [RepairKind::TooDeep]);
    }
    assert!(plain(&deep("", ""), Dialect::JSON, Ending::Unknown).repairs.is_empty());
}

#[test]
fn the_end_is_exact_only_when_it_is_known() {
    for (text, ending, value, marks, safe) in [
        (r#"{"a": [1, 25"#, Ending::Unknown, r#"{"a":[1,25]}"#, &["cut_number", "closed_array", "closed_object"][..], false),
        (r#"{"a": [1, 25"#, Ending::CutOff, r#"{"a":[1]}"#, &["dropped_partial_literal", "closed_array", "closed_object"], false),
        (r#"{"a": [1, 25"#, Ending::Finished, r#"{"a":[1,25]}"#, &["closed_array", "closed_object"], true),
        (r#"{"a": true"#, Ending::CutOff, r#"{"a":true}"#, &["closed_object"], false),
        (r#"{"a": "#, Ending::Finished, "{}", &["dropped_partial_key", "closed_object"], false),
        (r#"{"a": 1, "b"#, Ending::Finished, r#"{"a":1}"#, &["dropped_partial_key", "closed_object"], false),
        (r#"{"a": "x\u12"#, Ending::Unknown, r#"{"a":"x"}"#, &["closed_string", "closed_object"], false),
        (r#"{"a": "x\ud83d\ude"#, Ending::Unknown, r#"{"a":"x"}"#, &["closed_string", "closed_object"], false),
    ] {
        let plain = plain(text, Dialect::JSON, ending);
        assert_eq!(to_json(&plain.tape), value, "{text} {ending:?}");
        assert_eq!(plain.repairs.iter().map(|repair| repair.kind.name()).collect::<Vec<_>>(), marks, "{text} {ending:?}");
        assert_eq!(plain.repairs.iter().all(|repair| repair.safe), safe, "{text} {ending:?}");
    }
}

#[test]
fn escapes_say_what_they_say() {
    check(&[
        (r#"["\u0041\u00e9\ud83d\ude00"]"#, "[\"Aé😀\"]", &[]),
        (r#"["\ud83d!"]"#, "[\"\u{FFFD}!\"]", &["lone_surrogate"]),
        (r#"["\ude00"]"#, "[\"\u{FFFD}\"]", &["lone_surrogate"]),
        (r#"["\ud83d\u0041"]"#, "[\"\u{FFFD}A\"]", &["lone_surrogate"]),
        (r#"["\ud83d\udbff"]"#, "[\"\u{FFFD}\u{FFFD}\"]", &["lone_surrogate"]),
        (r#"["\u12G4"]"#, r#"["\\u12G4"]"#, &["bad_escape"]),
        (r#"["\d+"]"#, r#"["\\d+"]"#, &["bad_escape"]),
        (r#"["a\_b"]"#, r#"["a_b"]"#, &["bad_escape"]),
        (r#"["it\'s"]"#, r#"["it's"]"#, &["escaped_quote"]),
    ]);
}

#[test]
fn words_are_numbers_literals_or_text() {
    check(&[
        ("[+5, .5, 5., -.5, 0x1F]", "[5,0.5,5.0,-0.5,31]", &["number_format"; 5]),
        ("[True, NULL, undefined]", "[true,null,null]", &["python_literal", "python_literal", "odd_literal"]),
        ("[007, 1.2.3, 12px]", r#"["007","1.2.3","12px"]"#, &["unquoted_value"; 3]),
        ("[0\x0C, true\x0C]", "[\"0\\f\",\"true\\f\"]", &["unquoted_value"; 2]),
        ("[1e400, NaN]", r#"["1e400","NaN"]"#, &["number_as_text"; 2]),
        (
            "{a: b, c = 1, d => 2}",
            r#"{"a":"b","c":1,"d":2}"#,
            &["unquoted_key", "unquoted_value", "unquoted_key", "missing_colon", "unquoted_key", "missing_colon"],
        ),
        ("{a: , b: 1}", r#"{"b":1}"#, &["unquoted_key", "missing_value", "unquoted_key"]),
        ("[1, ..., 2, …]", "[1,2]", &["ellipsis", "ellipsis"]),
        ("[1,, 2,]", "[1,2]", &["extra_comma", "trailing_comma"]),
    ]);
}

#[test]
fn python_writes_other_literals() {
    let json = |text: &str| to_json(&plain(text, Dialect::PYTHON, Ending::Unknown).tape);
    assert_eq!(json("{'a': (1, 2), 'b': {'x', 4}, 'c': None, 'd': True}"), r#"{"a":[1,2],"b":["x",4],"c":null,"d":true}"#);
    assert_eq!(
        json(
            r"['\x41\u0042\U00000043', '\\d', 'a\
b']"
        ),
        r#"["ABC","\\d","ab"]"#
    );
    assert_eq!(json(r"['a', r'\d', 'b']"), r#"["a","\\d","b"]"#);
    assert_eq!(json(r#"('a', b'x', "c", u"d", F'e', {'k', r"\w"})"#), r#"["a","x","c","d","e",["k","\\w"]]"#);
    assert_eq!(json("['a', ready, 'b']"), r#"["a","ready","b"]"#);
    assert_eq!(json(r#"{"": 1, "a" 2, "b",}"#), r#"{"":1,"a":2}"#);
    assert_eq!(json("[1_000, 0o17, 0b11]"), "[1000,15,3]");
    assert_eq!(json("['''a'b''', \"\"\"c\"\"\"]"), r#"["a'b","c"]"#);
    let exact = plain("{'a': 1, 'b': [True, None,],}", Dialect::PYTHON, Ending::Unknown);
    assert!(exact.repairs.is_empty(), "{:?}", exact.repairs);
}
