//! Arguments in tags: which closer ends a raw value, what belongs to it, and what a missing closer leaves behind.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::{streamed, whole};
use std::sync::Arc;
use toolparse::value::Ending;
use toolparse::{Options, Plan, Tools};

fn options() -> Options {
    let text = serde_json::json!({"type": "string"});
    let tools = serde_json::json!({
        "f": {"type": "object", "properties": {"s": text, "t": text, "n": {"type": "integer"}}},
        "g": {"type": "object", "properties": {"s": text}},
    });
    Options { plan: Arc::new(Plan::named(&["qwen3_coder"]).unwrap()), ..Options::new(Tools::from_json(&tools).unwrap()) }
}

/// The first call's arguments, whether it is whole, and its marks with whether they are safe; the same by bytes.
fn read(text: &str, ending: Ending) -> (String, bool, Vec<(&'static str, bool)>) {
    let facts = whole(text.as_bytes(), &options(), ending);
    assert_eq!(streamed(text.as_bytes().chunks(1), &options(), ending), facts, "{text}");
    let call = &facts.calls[0];
    (call.arguments.clone(), call.complete, call.repairs.iter().map(|(kind, _, safe)| (*kind, *safe)).collect())
}

/// A reply, its arguments, and its repairs with whether each is safe.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, bool)]);

fn check(cases: &[Case<'_>]) {
    for (body, arguments, marks) in cases {
        let text = format!("<tool_call>\n<function=f>\n{body}\n</function>\n</tool_call>");
        assert_eq!(read(&text, Ending::Unknown), ((*arguments).to_owned(), true, marks.to_vec()), "{text}");
    }
}

#[test]
fn one_line_feed_on_each_side_is_layout() {
    check(&[
        ("<parameter=s>\nx\n</parameter>", r#"{"s":"x"}"#, &[]),
        ("<parameter=s>x</parameter>", r#"{"s":"x"}"#, &[]),
        ("<parameter=s>x\n</parameter>", r#"{"s":"x\n"}"#, &[]),
        ("<parameter=s>\n\nx\n\n</parameter>", r#"{"s":"\nx\n"}"#, &[]),
        ("<parameter=s>\n  x  \n</parameter>", r#"{"s":"  x  "}"#, &[]),
        ("<parameter=s></parameter>", r#"{"s":""}"#, &[]),
        ("<parameter=s>\n</parameter>", r#"{"s":""}"#, &[]),
    ]);
}

#[test]
fn a_closer_counts_where_the_grammar_goes_on() {
    check(&[
        ("<parameter=s>\na </parameter> b\n</parameter>", r#"{"s":"a </parameter> b"}"#, &[]),
        ("<parameter=s>\na\n</parameter>\nb\n</parameter>", r#"{"s":"a\n</parameter>\nb"}"#, &[]),
        ("<parameter=s>\nx\n</parameter>\n<parameter=t>\ny\n</parameter>", r#"{"s":"x","t":"y"}"#, &[]),
        ("<parameter=s>\nx</parameter><parameter=t>y</parameter>", r#"{"s":"x","t":"y"}"#, &[]),
    ]);
}

#[test]
fn a_key_in_a_value_is_text_unless_a_closer_is_missing_before_it() {
    let doubt: &[_] = &[("ambiguous_closer", false)];
    check(&[
        ("<parameter=s>\nsee <parameter=t> here\n</parameter>", r#"{"s":"see <parameter=t> here"}"#, doubt),
        ("<parameter=s>\nsee <parameter=zz> here\n</parameter>", r#"{"s":"see <parameter=zz> here"}"#, &[]),
        ("<parameter=s>\nx\n<parameter=zz>\ny\n</parameter>", r#"{"s":"x\n<parameter=zz>\ny"}"#, doubt),
        ("<parameter=s>\nx\n<parameter=s>\ny\n</parameter>", r#"{"s":"x\n<parameter=s>\ny"}"#, doubt),
        ("<parameter=s>x/parameter><parameter=t>y</parameter>", r#"{"s":"x/parameter><parameter=t>y"}"#, doubt),
        ("<parameter=s><parameter=s>x</parameter>", r#"{"s":"<parameter=s>x"}"#, doubt),
        ("<parameter=s>x</parameter></parameter>", r#"{"s":"x"}"#, doubt),
        ("<parameter=s>x</parameter>\n</parameter>", r#"{"s":"x"}"#, doubt),
        ("<parameter=s>x</parameter>y</parameter>", r#"{"s":"x</parameter>y"}"#, &[]),
        ("<parameter=s>x</parameter>parameter=t>y</parameter>", r#"{"s":"x</parameter>parameter=t>y"}"#, doubt),
        ("<parameter=s>x</parameter> <tool_call> y</parameter>", r#"{"s":"x</parameter> <tool_call> y"}"#, &[]),
        ("<parameter=s>\nx\n<parameter=t>\ny\n</parameter>", r#"{"s":"x","t":"y"}"#, &[("missing_closer", true)]),
    ]);
}

#[test]
fn an_outer_closer_in_a_value_is_text_if_the_value_closes_later() {
    check(&[
        ("<parameter=s>\na\n</function>\nb\n</parameter>", r#"{"s":"a\n</function>\nb"}"#, &[]),
        ("<parameter=s>\na\n</function>\n</tool_call>\nb\n</parameter>", r#"{"s":"a\n</function>\n</tool_call>\nb"}"#, &[]),
        ("<parameter=s>\na\n</function>\n<tool_call> is a tag\n</parameter>", r#"{"s":"a\n</function>\n<tool_call> is a tag"}"#, &[]),
    ]);
}

#[test]
fn a_value_that_never_closes_ends_at_the_first_outer_closer() {
    let head = "<tool_call>\n<function=f>\n<parameter=s>\n";
    let (arguments, complete, marks) = read(&format!("{head}a\n</function>\n</tool_call>\nmore\n</function>"), Ending::Unknown);
    assert_eq!((arguments.as_str(), complete, marks), (r#"{"s":"a"}"#, true, vec![("provisional_end", false)]));
    let (arguments, complete, marks) = read(&format!("{head}say </function> now"), Ending::Unknown);
    assert_eq!(arguments, r#"{"s":"say </function> now"}"#);
    assert!(!complete && marks.contains(&("closed_string", false)), "{marks:?}");
}

#[test]
fn the_end_between_arguments_is_safe_only_when_it_is_known() {
    let text = "<tool_call>\n<function=f>\n<parameter=s>\nx\n</parameter>";
    assert_eq!(read(text, Ending::Unknown), (r#"{"s":"x"}"#.to_owned(), false, vec![("closed_object", false)]));
    let (_, _, marks) = read(text, Ending::Finished);
    assert!(marks.iter().all(|(_, safe)| *safe), "{marks:?}");
}

#[test]
fn the_beginning_of_a_closer_at_the_end_is_no_text() {
    for cut in ["</", "</par", "</parameter"] {
        let (arguments, complete, _) = read(&format!("<tool_call>\n<function=f>\n<parameter=s>\nx\n{cut}"), Ending::Unknown);
        assert_eq!((arguments.as_str(), complete), (r#"{"s":"x"}"#, false), "{cut}");
    }
}

#[test]
fn the_schema_types_values() {
    check(&[
        ("<parameter=n>\n12\n</parameter>", r#"{"n":12}"#, &[]),
        ("<parameter=n>\nmany\n</parameter>", r#"{"n":"many"}"#, &[("type_mismatch", true)]),
        ("<parameter=s>\n12\n</parameter>", r#"{"s":"12"}"#, &[]),
        ("<parameter=zz>\n12\n</parameter>", r#"{"zz":"12"}"#, &[("untyped", true)]),
    ]);
}
