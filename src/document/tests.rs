//! The vectors of `tests/data/json-repair.jsonl`, and where a document starts and ends.

#![allow(clippy::panic, clippy::unwrap_used)]

use super::*;
use crate::collect::json::to_json;
use serde_json::Value;

struct Vector {
    id: String,
    input: String,
    /// As JSON text, keys in order; `None` when nothing can be read.
    expected: Option<String>,
    repairs: Vec<String>,
    safe: bool,
}

fn vectors() -> Vec<Vector> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/json-repair.jsonl");
    std::fs::read_to_string(path).unwrap().lines().map(vector).collect()
}

fn vector(line: &str) -> Vector {
    let fields: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let mut repairs: Vec<String> = fields["repairs"].as_array().unwrap().iter().map(|kind| kind.as_str().unwrap().to_owned()).collect();
    repairs.sort_unstable();
    Vector {
        id: fields["id"].as_str().unwrap().to_owned(),
        input: fields["input"].as_str().unwrap().to_owned(),
        expected: (!fields["expected"].is_null()).then(|| number_forms(&fields["expected"])),
        repairs,
        safe: fields["safe"].as_bool().unwrap(),
    }
}

/// JSON text in which equal doubles are written alike.
fn number_forms(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(number_forms).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), number_forms(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Number(number) if number.to_string().contains(['.', 'e', 'E']) => {
            format!("{:?}", number.to_string().parse::<f64>().unwrap())
        }
        other => other.to_string(),
    }
}

fn kinds(document: &Document) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = document.repairs.iter().map(|repair| repair.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn json(text: &str) -> Option<String> {
    repair(text.as_bytes(), false).value.map(|tape| to_json(&tape))
}

#[test]
fn every_vector_gives_its_value_and_its_marks() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 203);
    let mut wrong = Vec::new();
    for vector in vectors {
        let document = repair(vector.input.as_bytes(), false);
        let value = document.value.as_ref().map(|tape| number_forms(&serde_json::from_str(&to_json(tape)).unwrap()));
        let safe = value.is_some() && document.repairs.iter().all(|repair| repair.safe);
        let kinds = kinds(&document);
        if value != vector.expected || value.is_some() && (kinds != vector.repairs || safe != vector.safe) {
            wrong.push(format!(
                "{}: {:?}\n  {value:?} {kinds:?} {safe}\n  {:?} {:?} {}",
                vector.id, vector.input, vector.expected, vector.repairs, vector.safe
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn marks_are_in_order_and_inside_the_text() {
    for vector in vectors() {
        let document = repair(vector.input.as_bytes(), false);
        let starts: Vec<usize> = document.repairs.iter().map(|repair| repair.span.start).collect();
        assert!(starts.is_sorted(), "{}: {starts:?}", vector.id);
        assert!(
            document.repairs.iter().all(|repair| repair.span.start <= repair.span.end && repair.span.end <= vector.input.len()),
            "{}",
            vector.id
        );
    }
}

#[test]
fn bytes_that_are_no_text_are_marked() {
    for (text, value, marks) in [
        (&b"\"\xC3\""[..], "\"\u{FFFD}\"", &["lone_surrogate"][..]),
        (b"{\"\xCC\":{}}", "{\"\u{FFFD}\":{}}", &["lone_surrogate"]),
        (b"[\"\xC3\",\"\xA9\"]", "[\"\u{FFFD}\",\"\u{FFFD}\"]", &["lone_surrogate"]),
        (b"3\xDA", "3", &["surrounding_text"]),
        (b"true \xE2\x82", "true", &["surrounding_text"]),
        (b"{\"a\":1}\xDA", "{\"a\":1}", &["surrounding_text"]),
        (b"[1] \xEF\xBB\xBF ", "[1]", &["odd_character"]),
        (b"[1]]\xDA", "[1]", &["surrounding_text"]),
        (b"[\"\xC3", "[\"\"]", &["closed_array", "closed_string"]),
        (b"{\"a\":1\xDA", "{}", &["closed_object", "dropped_partial_literal"]),
    ] {
        let document = repair(text, false);
        assert_eq!(document.value.as_ref().map(to_json).as_deref(), Some(value), "{}", text.escape_ascii());
        assert_eq!(kinds(&document), marks, "{}", text.escape_ascii());
        assert!(document.repairs.iter().all(|repair| repair.span.end <= text.len()));
    }
}

#[test]
fn the_end_of_a_fence_that_was_never_opened_is_marked() {
    for (text, marks) in [("[]```", &["code_fence"][..]), ("[]\n```\n", &["code_fence"]), ("```json\n[]\n```", &["code_fence"])] {
        assert_eq!(kinds(&repair(text.as_bytes(), false)), marks, "{text}");
    }
}

#[test]
fn marks_of_several_documents_are_in_order() {
    let document = repair(br#"{"a":1,} {"b":2,}"#, false);
    let spans: Vec<(&str, usize)> = document.repairs.iter().map(|repair| (repair.kind.name(), repair.span.start)).collect();
    assert_eq!(spans, [("multiple_values", 0), ("trailing_comma", 6), ("trailing_comma", 15)]);
}

#[test]
fn a_document_is_found_in_prose() {
    assert_eq!(json("See [1] and {\"a\": 1}.").as_deref(), Some("{\"a\":1}"));
    assert_eq!(json("See [{\"a\": 1}] there").as_deref(), Some("[{\"a\":1}]"));
    assert_eq!(json("Just [1, 2] here").as_deref(), Some("[1,2]"));
    assert_eq!(json("```json\n{\"a\": 1}\n```\nDone.").as_deref(), Some("{\"a\":1}"));
    assert_eq!(json("Like so:\n```\n[1]\n```").as_deref(), Some("[1]"));
    assert_eq!(json("no document"), None);
    assert_eq!(json(""), None);
    assert_eq!(json("```"), None);
    assert_eq!(json(" 0\n").as_deref(), Some("0"));
    assert_eq!(json("0\x0C"), None);
}

#[test]
fn several_documents_are_a_list() {
    assert_eq!(json("{\"a\": 1}{\"b\": 2}").as_deref(), Some("[{\"a\":1},{\"b\":2}]"));
    assert_eq!(json("{\"a\": 1};\n[2], {\"b\": 3}").as_deref(), Some("[{\"a\":1},[2],{\"b\":3}]"));
}

#[test]
fn an_ended_text_is_sure_of_its_end() {
    for (text, ended, value, safe) in [
        ("{\"n\": 12", false, "{}", false),
        ("{\"n\": 12", true, "{\"n\":12}", true),
        ("{\"n\": 12 ", false, "{\"n\":12}", false),
        ("{\"a\": [1, 2", true, "{\"a\":[1,2]}", true),
        ("{\"a\": \"he", true, "{\"a\":\"he\"}", false),
        ("{\"a\": tr", true, "{}", false),
    ] {
        let document = repair(text.as_bytes(), ended);
        assert_eq!(document.value.as_ref().map(to_json).as_deref(), Some(value), "{text}");
        assert_eq!(document.repairs.iter().all(|repair| repair.safe), safe, "{text}");
    }
}
