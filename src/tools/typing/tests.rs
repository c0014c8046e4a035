#![allow(clippy::unwrap_used, clippy::panic)]

use std::borrow::Cow;

use serde_json::Value;

use super::*;

const INTEGER: TypeSet = TypeSet::INTEGER;
const NUMBER: TypeSet = TypeSet::NUMBER;
const BOOLEAN: TypeSet = TypeSet::BOOLEAN;
const STRING: TypeSet = TypeSet::STRING;
const NULL: TypeSet = TypeSet::NULL;
const ARRAY: TypeSet = TypeSet::ARRAY;
const OBJECT: TypeSet = TypeSet::OBJECT;
const DIGITS: usize = crate::limits::Limits::DEFAULT.digits;

/// A reading as short text: the lexeme of a number, the name of anything else, `~` before what is flagged.
fn shown((typed, flagged): (Typed<'_>, bool)) -> String {
    let reading = match typed {
        Typed::Number(lexeme) => String::from_utf8(lexeme.into_owned()).unwrap(),
        other => format!("{other:?}"),
    };
    format!("{}{reading}", if flagged { "~" } else { "" })
}

fn read(text: &str, types: &[TypeSet]) -> String {
    let types = types.iter().fold(TypeSet::EMPTY, |all, one| all.union(*one));
    shown(classify(text.as_bytes(), types, Unknown::Text, DIGITS))
}

fn json_or_text(text: &str) -> String {
    shown(classify(text.as_bytes(), TypeSet::EMPTY, Unknown::JsonOrText, DIGITS))
}

fn coerced(text: &str, types: TypeSet) -> Option<String> {
    coerce_string(text.as_bytes(), types, DIGITS).map(|typed| shown((typed, false)))
}

#[test]
fn strings_stay_verbatim() {
    for text in ["02139", "true", "null", "{\"a\": 1}", "123_456", " padded\n", ""] {
        assert_eq!(read(text, &[STRING]), "Text");
    }
}

#[test]
fn null_words_are_null_where_null_is_admitted() {
    for text in ["null", "None", "Null", "NULL", " null\n"] {
        assert_eq!(read(text, &[NULL, STRING]), "Null");
    }
    assert_eq!(read("nil", &[NULL, STRING]), "Text");
    assert_eq!(read("null", &[INTEGER]), "Mismatch");
}

#[test]
fn integers_have_any_size_and_lose_what_json_does_not_write() {
    assert_eq!(read("42", &[INTEGER]), "42");
    assert_eq!(read(" -7\r\n", &[INTEGER]), "-7");
    assert_eq!(read("+5", &[INTEGER]), "5");
    assert_eq!(read("123456789012345678901234567890", &[INTEGER]), "123456789012345678901234567890");
    assert_eq!(read("0042", &[INTEGER]), "~42");
    assert_eq!(read("-000", &[INTEGER]), "~-0");
    assert_eq!(read("42", &[STRING, INTEGER]), "42");
    for text in ["123_456", "0x1f", "4 2", "", "-", "1e3", "7.5", "٣"] {
        assert_eq!(read(text, &[INTEGER]), "Mismatch", "{text}");
        assert_eq!(read(text, &[INTEGER, STRING]), "Text", "{text}");
    }
}

#[test]
fn a_whole_float_is_an_integer_only_where_nothing_else_reads_it() {
    assert_eq!(read("7.0", &[INTEGER]), "~7");
    assert_eq!(read("-07.00", &[INTEGER, NULL]), "~-7");
    assert_eq!(read("7.", &[INTEGER]), "~7");
    assert_eq!(read(".0", &[INTEGER]), "~0");
    assert_eq!(read("7.0", &[INTEGER, NUMBER]), "7.0");
    assert_eq!(read("7.0", &[INTEGER, STRING]), "Text");
}

#[test]
fn numbers_keep_their_lexeme() {
    for text in ["1e20", "7", "7.0", "-0.5", "1E-05", "2.50", "0", "1e-400"] {
        assert_eq!(read(text, &[NUMBER]), text);
        assert!(matches!(classify(text.as_bytes(), NUMBER, Unknown::Text, DIGITS).0, Typed::Number(Cow::Borrowed(_))), "{text}");
    }
    assert_eq!(read("5.", &[NUMBER]), "5.0");
    assert_eq!(read("-.5", &[NUMBER]), "-0.5");
    assert_eq!(read("+5.e3", &[NUMBER]), "5.0e3");
    assert_eq!(read(".5", &[NUMBER, STRING]), "0.5");
}

#[test]
fn what_is_no_number_is_none() {
    for text in ["inf", "-inf", "nan", "NaN", "Infinity", "1e999", "-1e400", "1_000.5", ".", "+", "-.", "e5", "1e", "1e+", "1.2.3", "1,5"] {
        assert_eq!(read(text, &[NUMBER]), "Mismatch", "{text}");
        assert_eq!(read(text, &[NUMBER, STRING]), "Text", "{text}");
    }
}

#[test]
fn numbers_that_no_language_writes_stay_strings_where_they_can() {
    assert_eq!(read("0042", &[NUMBER]), "~42");
    assert_eq!(read("007.50", &[NUMBER]), "~7.50");
    assert_eq!(read("+4912", &[NUMBER]), "4912");
    assert_eq!(read("0042", &[NUMBER, STRING]), "Text");
    assert_eq!(read("+4912", &[NUMBER, STRING]), "Text");
    assert_eq!(read("0042", &[INTEGER, STRING]), "~42");
}

/// Every text of up to six of these bytes: what counts as a number is a strict JSON number of the same value.
#[test]
fn number_lexemes_are_strict_json_of_the_same_value() {
    let mut texts = vec![String::new()];
    for _ in 0..6 {
        let shorter = std::mem::take(&mut texts);
        for text in &shorter {
            texts.extend(["", "+", "-", ".", "0", "7", "e"].iter().map(|next| format!("{text}{next}")));
        }
    }
    texts.sort_unstable();
    texts.dedup();
    let mut numbers = 0;
    for text in texts {
        let Typed::Number(lexeme) = classify(text.as_bytes(), NUMBER, Unknown::Text, DIGITS).0 else { continue };
        numbers += 1;
        let value: Value = serde_json::from_slice(&lexeme).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(value.as_f64(), text.parse().ok(), "{text}");
        assert_eq!(json_or_text(&text) == text, serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
    // As many as Python's `float` reads and finds finite.
    assert_eq!(numbers, 1742);
}

#[test]
fn integers_that_python_will_not_read_are_no_numbers() {
    let longest = "1".repeat(4300);
    let longer = "1".repeat(4301);
    assert_eq!(read(&longest, &[INTEGER]), longest);
    assert_eq!(read(&format!("-00{longest}"), &[NUMBER]), format!("~-{longest}"));
    assert_eq!(read(&format!("{longest}.0"), &[INTEGER]), format!("~{longest}"));
    assert_eq!(read(&longer, &[INTEGER]), "Mismatch");
    assert_eq!(read(&longer, &[NUMBER, STRING]), "Text");
    assert_eq!(read(&format!("{longer}.0"), &[INTEGER]), "Mismatch");
    assert_eq!(json_or_text(&longer), "Text");
}

#[test]
fn booleans_have_six_words_and_four_more_alone() {
    for text in ["true", "True", "TRUE", "\ntrue "] {
        assert_eq!(read(text, &[BOOLEAN, STRING]), "True");
    }
    for text in ["false", "False", "FALSE"] {
        assert_eq!(read(text, &[BOOLEAN]), "False");
    }
    assert_eq!(read("yes", &[BOOLEAN]), "~True");
    assert_eq!(read("1", &[BOOLEAN, NULL]), "~True");
    assert_eq!(read("0", &[BOOLEAN]), "~False");
    assert_eq!(read("no", &[BOOLEAN]), "~False");
    assert_eq!(read("1", &[BOOLEAN, INTEGER]), "1");
    assert_eq!(read("yes", &[BOOLEAN, STRING]), "Text");
    for text in ["maybe", "tRUE", "2", "on", ""] {
        assert_eq!(read(text, &[BOOLEAN]), "Mismatch");
    }
}

#[test]
fn containers_are_known_by_their_brackets() {
    assert_eq!(read(" [1, 2]\n", &[ARRAY]), "Json");
    assert_eq!(read("(1, 2)", &[ARRAY]), "Json");
    assert_eq!(read("{'a': 1}", &[OBJECT]), "Json");
    assert_eq!(read("[\"cut", &[ARRAY]), "Json");
    assert_eq!(read("{\"cut", &[OBJECT, NULL]), "Json");
    assert_eq!(read("[1]", &[ARRAY, STRING]), "Json");
    assert_eq!(read("[WIP] fix it", &[ARRAY, STRING]), "Text");
    assert_eq!(read("(see below", &[ARRAY]), "Mismatch");
    assert_eq!(read("{}", &[ARRAY]), "Mismatch");
    assert_eq!(read("[]", &[OBJECT]), "Mismatch");
    assert_eq!(read("a, b", &[ARRAY]), "Mismatch");
    assert_eq!(read("[]", &[INTEGER, STRING]), "Text");
}

#[test]
fn nothing_is_guessed_without_types() {
    for text in ["42", "true", "null", "[1]", "", "\"x\""] {
        assert_eq!(read(text, &[]), "Untyped");
    }
}

#[test]
fn without_types_strict_json_is_read_where_the_format_says_so() {
    for (text, reading) in [("42", "42"), (" -1.5e3\n", "-1.5e3"), ("true", "True"), ("false", "False"), ("null", "Null")] {
        assert_eq!(json_or_text(text), reading);
    }
    for text in ["[1]", "{}", " {\"a\": [1]}\n", "\"quoted\"", "\"\""] {
        assert_eq!(json_or_text(text), "Json");
    }
    for text in
        ["True", "None", "0042", "+5", "5.", ".5", "1e999", "NaN", "123_456", "[1", "{", "\"", "\"a", "San Francisco", "", " ", "(1)"]
    {
        assert_eq!(json_or_text(text), "Text", "{text}");
    }
}

#[test]
fn a_json_string_becomes_the_one_value_that_is_admitted() {
    assert_eq!(coerced("42", INTEGER), Some("42".into()));
    assert_eq!(coerced("1e20", NUMBER.union(NULL)), Some("1e20".into()));
    assert_eq!(coerced("True", BOOLEAN), Some("True".into()));
    assert_eq!(coerced("null", INTEGER.union(NULL)), Some("Null".into()));
    assert_eq!(coerced("[1, 2]", ARRAY), Some("Json".into()));
    assert_eq!(coerced("{\"a\": 1}\n", OBJECT), Some("Json".into()));
}

#[test]
fn other_json_strings_stay() {
    assert_eq!(coerced("42", INTEGER.union(STRING)), None);
    assert_eq!(coerced("42", TypeSet::EMPTY), None);
    assert_eq!(coerced("42 km", INTEGER), None);
    assert_eq!(coerced("7.0", INTEGER), None);
    assert_eq!(coerced("yes", BOOLEAN), None);
    assert_eq!(coerced("1", BOOLEAN), None);
    assert_eq!(coerced("[1, 2", ARRAY), None);
    assert_eq!(coerced("1, 2", ARRAY), None);
    assert_eq!(coerced("", INTEGER.union(NULL)), None);
    assert_eq!(coerced("1e999", NUMBER), None);
}
