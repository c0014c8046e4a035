//! What must hold for any text, tried on random ones.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;
#[path = "common/documents.rs"]
mod documents;

use common::facts::{Bytes, Facts};
use common::grammar::{Checked, Nobody, feed};
use common::{markup, pieces, streamed, values, whole};
use documents::{Doc, any_document, damage, layout};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use toolparse::Limits;
use toolparse::call::read_whole;
use toolparse::document::repair;
use toolparse::format::Dialect;
use toolparse::repair::Repair;
use toolparse::tape::Tape;
use toolparse::value::Ending;

/// How often each is tried; `PROPTEST_CASES` says otherwise.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if asked { default.cases } else { cases }, failure_persistence: None, ..default }
}

fn any_text() -> impl Strategy<Value = Bytes> {
    vec(any::<u16>(), 0..24)
        .prop_map(|numbers| Bytes(numbers.into_iter().flat_map(|number| markup::piece(number).iter().copied()).collect()))
}

fn any_ending() -> impl Strategy<Value = Ending> {
    prop_oneof![Just(Ending::Unknown), Just(Ending::Finished), Just(Ending::CutOff)]
}

fn any_lengths() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![Just(vec![1]), vec(1..4_usize, 1..8), vec(1..64_usize, 1..4)]
}

proptest! {
    #![proptest_config(config(4000))]

    /// R1, R6, R7, R13: any text, cut anywhere, gives what it gives whole; its segments tile it; what is told keeps the grammar.
    #[test]
    fn any_text_any_cut(Bytes(text) in any_text(), lengths in any_lengths(), ending in any_ending(), choice in any::<(u8, u8, u8)>()) {
        let options = markup::options(choice.0.into(), choice.1.into(), choice.2.into());
        let want = whole(&text, &options, ending);
        want.assert_tiles(text.len());
        let cut = pieces::by_lengths(&text, &lengths);
        prop_assert_eq!(&streamed(cut.iter().copied(), &options, ending), &want);
        let mut sink = Checked::new(Nobody);
        feed(cut, &options, ending, &mut sink);
        sink.end(text.len());
    }

    /// R9: a call's name is an offered one, to the byte.
    #[test]
    fn only_offered_names(Bytes(text) in any_text(), ending in any_ending()) {
        let options = markup::options(1, 1, 1);
        for call in whole(&text, &options, ending).calls {
            prop_assert!(options.tools.names().any(|name| name.as_bytes() == call.name.0), "{:?}", call);
        }
    }

    /// Cut calls are left out where they are not wanted, and all else stays as it is.
    #[test]
    fn dropped_cuts_change_nothing_else(Bytes(text) in any_text(), ending in any_ending()) {
        let keep = markup::options(1, 1, 1);
        let drop = toolparse::Options { cut: toolparse::Cut::Drop, ..keep.clone() };
        let (kept, dropped) = (whole(&text, &keep, ending), whole(&text, &drop, ending));
        prop_assert_eq!(&kept.segments.iter().map(|segment| segment.1).collect::<Vec<_>>(), &dropped.segments.iter().map(|segment| segment.1).collect::<Vec<_>>());
        prop_assert!(dropped.calls.iter().all(|call| call.complete && kept.calls.iter().any(|other| other.span == call.span)));
        prop_assert_eq!(&kept.text, &dropped.text);
    }

    /// Arguments are well formed, and strict JSON of them can be read.
    #[test]
    fn arguments_are_values(Bytes(text) in any_text(), ending in any_ending(), choice in any::<(u8, u8, u8)>()) {
        let options = markup::options(choice.0.into(), choice.1.into(), choice.2.into());
        for call in toolparse::parse(&text, &options, ending).calls {
            values::assert_well_formed(&call.arguments);
            prop_assert!(values::value(&call.arguments).is_object());
        }
    }

    /// Any text repairs to a value or to none, the same value repairs to itself, and marks lie in the text.
    #[test]
    fn a_repaired_text_needs_no_repair(Bytes(text) in any_text(), ended in any::<bool>()) {
        let document = repair(&text, ended);
        prop_assert!(document.repairs.iter().all(|repair| repair.span.start <= repair.span.end && repair.span.end <= text.len()));
        if let Some(tape) = &document.value {
            values::assert_well_formed(tape);
            let value = values::value(tape);
            again(&value)?;
        }
        if let (Ok(strict), Some(tape)) = (serde_json::from_slice::<Value>(&text), &document.value)
            && document.repairs.is_empty()
        {
            prop_assert!(values::same(&strict, &values::value(tape)));
        }
    }
}

/// Reading the strict text of a value gives the value, without a repair.
fn again(value: &Value) -> Result<(), TestCaseError> {
    let json = serde_json::to_string(value).unwrap();
    let second = repair(json.as_bytes(), false);
    prop_assert_eq!(values::kinds(&second.repairs), Vec::<&str>::new(), "{}", json);
    let tape = second.value.expect("a strict text");
    prop_assert!(values::same(value, &values::value(&tape)), "{}", json);
    Ok(())
}

/// The value in pieces of these lengths.
fn read_in_pieces(text: &[u8], lengths: &[usize], ending: Ending) -> Option<(Tape, Vec<Repair>, usize)> {
    let (end, plain, is_value) = values::read(text, lengths, Dialect::JSON, ending);
    is_value.then_some((plain.tape, plain.repairs, end))
}

proptest! {
    #![proptest_config(config(3000))]

    /// Valid JSON is read as a strict reader reads it, and leaves no mark but for a key that comes twice.
    #[test]
    fn valid_json_is_untouched(doc in any_document(), spaces in vec(0..6_u8, 1..12), lengths in any_lengths()) {
        let text = layout(&doc, &spaces);
        let strict: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let document = repair(text.as_bytes(), false);
        let marks = values::kinds(&document.repairs);
        prop_assert!(marks.iter().all(|kind| *kind == "duplicate_key") && marks.is_empty() != doc.has_duplicates(), "{:?}: {:?}", text, marks);
        prop_assert!(values::same(&strict, &values::value(document.value.as_ref().unwrap())), "{:?}", text);
        if !doc.is_scalar() {
            let (tape, repairs, _) = read_in_pieces(text.as_bytes(), &lengths, Ending::Unknown).unwrap();
            prop_assert_eq!(&Some(tape), &document.value);
            prop_assert_eq!(repairs.len(), document.repairs.len());
            let (tape, _) = read_whole(text.as_bytes(), Dialect::JSON, &Limits::DEFAULT).unwrap();
            prop_assert_eq!(Some(tape), document.value);
        }
        again(&strict)?;
    }

    /// A text that is cut gives the beginning of what it gives later.
    #[test]
    fn a_cut_document_is_a_prefix(doc in any_document().prop_filter("keys that differ", |doc| !doc.has_duplicates() && !doc.is_scalar()), spaces in vec(0..6_u8, 1..12)) {
        let text = layout(&doc, &spaces);
        let full: Value = serde_json::from_str(&text).unwrap();
        let mut later = full.clone();
        for end in (0..text.len()).rev().filter(|end| text.is_char_boundary(*end)) {
            let Some(tape) = repair(&text.as_bytes()[..end], false).value else { continue };
            let value = values::value(&tape);
            prop_assert!(values::is_prefix(&value, &later), "{:?} cut at {}: {} of {}", text, end, value, later);
            later = value;
        }
    }

    /// A fault at one place changes no value anywhere.
    #[test]
    fn damage_is_local(doc in any_document().prop_filter("containers", |doc| !doc.is_scalar()), seed in any::<u64>(), spaces in vec(0..6_u8, 1..12)) {
        let whole = layout(&doc, &spaces);
        if let Some((text, kind)) = damage(&doc, &spaces, seed) {
            let strict: Value = serde_json::from_str(&whole).unwrap();
            let document = repair(text.as_bytes(), false);
            let mut kinds = values::kinds(&document.repairs);
            kinds.retain(|kind| *kind != "duplicate_key");
            prop_assert_eq!(kinds, vec![kind], "{:?}", &text);
            prop_assert!(document.repairs.iter().all(|repair| repair.safe));
            prop_assert!(values::same(&strict, &values::value(document.value.as_ref().unwrap())), "{:?}", text);
        }
    }

    /// The same arguments come out of a call as out of the text alone.
    #[test]
    fn a_call_holds_its_arguments(members in vec(("[a-z]{1,6}", any_document()), 0..5), lengths in any_lengths()) {
        let doc = Doc::Object(members);
        let arguments = layout(&doc, &[0, 1, 3]);
        let text = format!("Ok.<tool_call>{{\"name\": \"get_weather\", \"arguments\": {arguments}}}</tool_call>");
        let options = markup::options(1, 1, 1);
        let want = whole(text.as_bytes(), &options, Ending::Unknown);
        prop_assert_eq!((want.calls.len(), want.errors.len(), want.calls[0].complete), (1, 0, true));
        let strict: Value = serde_json::from_str(&arguments).unwrap();
        prop_assert!(values::same(&strict, &serde_json::from_str(&want.calls[0].arguments).unwrap()));
        prop_assert_eq!(want.calls[0].repairs.iter().all(|repair| repair.0 == "duplicate_key"), true);
        prop_assert_eq!(streamed(pieces::by_lengths(text.as_bytes(), &lengths), &options, Ending::Unknown), want);
    }
}

/// R25: keys that are equal once their escapes are read are equal.
#[test]
fn equal_keys_have_one_rule() {
    for text in [r#"{"a":1,"a":2}"#, r#"{"a":1,"\u0061":2}"#, r#"{"a":0,"a":1,"a":2}"#] {
        let document = repair(text.as_bytes(), false);
        assert_eq!(values::value(&document.value.unwrap()).to_string(), r#"{"a":2}"#);
        assert_eq!(values::kinds(&document.repairs), ["duplicate_key"]);
        assert!(document.repairs.iter().all(|repair| repair.safe));
    }
}

/// R24: an integer keeps all its digits up to the limit, and is text beyond it.
#[test]
fn integers_are_exact() {
    for (digits, exact) in [(1, true), (19, true), (20, true), (4299, true), (4300, true), (4301, false)] {
        let number = "7".repeat(digits);
        for text in [format!("[{number}]"), format!("[-{number}]")] {
            let document = repair(text.as_bytes(), false);
            let value = values::value(document.value.as_ref().unwrap());
            if exact {
                assert_eq!((value.to_string(), document.repairs.len()), (text, 0));
            } else {
                assert_eq!(value, serde_json::json!([text[1..text.len() - 1]]));
                assert_eq!(values::kinds(&document.repairs), ["number_as_text"]);
            }
        }
    }
}

/// A wrong call costs itself and nothing else.
#[test]
fn neighbours_of_a_damaged_call_stand() {
    let options = markup::options(1, 1, 1);
    let good = |name: &str| format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {{\"s\": \"x\"}}}}\n</tool_call>\n");
    for bad in [
        "{",
        "{\"name\": 1}",
        "nothing",
        "{\"name\": \"zz\", \"arguments\": {}}",
        "{\"name\": \"f\", \"arguments\": 1}",
        "",
        "[",
        "{\"arguments\": {}}",
    ] {
        let text = format!("{}<tool_call>\n{bad}\n</tool_call>\n{}", good("f"), good("g"));
        let facts: Facts = whole(text.as_bytes(), &options, Ending::Unknown);
        let clean: Vec<_> =
            facts.calls.iter().filter(|call| call.repairs.is_empty()).map(|call| (call.name.0.clone(), call.arguments.clone())).collect();
        assert_eq!(clean, [(b"f".to_vec(), "{\"s\":\"x\"}".to_owned()), (b"g".to_vec(), "{\"s\":\"x\"}".to_owned())], "{bad}");
    }
}
