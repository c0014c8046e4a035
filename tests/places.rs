//! Where a call counts and where it does not: decisions of the machine that hang on one byte, a back-tick or a line.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::{streamed, whole};
use std::fmt::Write as _;
use std::sync::Arc;
use toolparse::value::Ending;
use toolparse::window::BLANKS;
use toolparse::{Options, Plan, Tools};

fn options() -> Options {
    let text = serde_json::json!({"type": "string"});
    Options::new(
        Tools::from_json(&serde_json::json!({
            "f": {"type": "object", "properties": {"a": {"type": "integer"}}},
            "get_weather": {"type": "object", "properties": {"city": text, "days": {"type": "integer"}}, "required": ["city"]},
        }))
        .unwrap(),
    )
}

fn read(prompt: &str, text: &str) -> String {
    told(text, &Options { prompt: prompt.as_bytes().to_vec(), ..options() })
}

/// What a reply comes to, in one line: prose, reasoning in angle quotes, calls with their marks, kinds of errors.
fn told(text: &str, options: &Options) -> String {
    let facts = whole(text.as_bytes(), options, Ending::Unknown);
    assert!(streamed(text.as_bytes().chunks(1), options, Ending::Unknown) == facts, "{text}");
    let mut line = String::from_utf8(facts.text.0).unwrap();
    if !facts.reasoning.0.is_empty() {
        write!(line, "«{}»", String::from_utf8(facts.reasoning.0).unwrap()).unwrap();
    }
    for call in facts.calls {
        let marks: Vec<&str> = call.repairs.iter().map(|repair| repair.0).collect();
        write!(line, " {}{}{}", String::from_utf8(call.name.0).unwrap(), call.arguments, marks.join(",")).unwrap();
    }
    for error in facts.errors {
        write!(line, " !{}", error.kind).unwrap();
    }
    line
}

fn check(cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        assert_eq!(read("", text), *wanted, "{text}");
    }
}

#[test]
fn a_quoted_marker_is_a_mention_until_the_quotes_close() {
    check(&[
        (
            "Write `<tool_call>` like so: <tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>",
            "Write `<tool_call>` like so: f{\"a\":1}",
        ),
        (
            "Write `<tool_call> {\"name\": \"f\", \"arguments\": {}}</tool_call>",
            "Write `<tool_call> {\"name\": \"f\", \"arguments\": {}}</tool_call>",
        ),
        (
            "<think>As in `<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
            "«As in `<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>»",
        ),
        ("<think>`<tool_call>` or <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>", "«`<tool_call>` or» f{}provisional_end"),
    ]);
}

#[test]
fn two_back_ticks_are_no_fence() {
    check(&[
        ("``json\n[{\"name\": \"f\", \"arguments\": {}}]\n``", "``json\n[{\"name\": \"f\", \"arguments\": {}}]\n``"),
        ("```json\n[{\"name\": \"f\", \"arguments\": {}}]\n```", " f{}"),
    ]);
}

#[test]
fn a_call_in_a_fence_counts_under_an_offered_name() {
    check(&[
        ("```\n<function=f>{\"a\": 1}</function>\n```\nThere.", "```\n\n```\nThere. f{\"a\":1}"),
        ("```\n<function=f>{\"a\": 1", "```\n f{\"a\":1}cut_number,closed_object"),
        ("```\n<function=zz>{\"a\": 1}</function>\n```", "```\n<function=zz>{\"a\": 1}</function>\n```"),
        // The first name is what counts, in a call that is cut as well.
        (
            "```\n<tool_call>{\"name\": \"zz\", \"name\": \"f\", \"arguments\": {\"a\": 1",
            "```\n<tool_call>{\"name\": \"zz\", \"name\": \"f\", \"arguments\": {\"a\": 1",
        ),
    ]);
}

#[test]
fn a_form_counts_in_its_place() {
    check(&[
        ("{\"name\": \"f\", \"arguments\": {}}", " f{}"),
        (
            "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\nAs:\n{\"name\": \"f\", \"arguments\": {}}",
            "\nAs:\n{\"name\": \"f\", \"arguments\": {}} f{}",
        ),
        (" to=functions.f<|channel|>commentary<|message|>{\"a\": 1}", " f{\"a\":1}"),
        ("Go to=functions.f<|channel|>commentary<|message|>{\"a\": 1}", "Go to=functions.f{\"a\": 1}"),
        ("{\"type\": \"message\", \"text\": \"Hi\"}", "Hi"),
        ("{\"type\": \"message\", \"text\": \"Hi\"} there", "{\"type\": \"message\", \"text\": \"Hi\"} there"),
    ]);
}

/// JSON on a line of its own is read where it is asked for, and not behind a call with markup.
#[test]
fn json_on_a_line_counts_where_it_is_asked_for() {
    let lines = Options { plan: Arc::new(Plan::named(&["auto", "json_line"]).unwrap()), ..options() };
    let call = "{\"name\": \"f\", \"arguments\": {}}";
    for (text, wanted) in [
        (format!("As:\n{call}\nso"), "As:\n\nso f{}".to_owned()),
        (format!("{call}\n{call}"), " f{} f{}".to_owned()),
        (format!("<tool_call>{call}</tool_call>\nAs:\n{call}"), format!("\nAs:\n{call} f{{}}")),
        ("{\"type\": \"message\", \"text\": \"Hi\"}".to_owned(), "Hi".to_owned()),
    ] {
        assert_eq!(told(&text, &lines), wanted, "{text}");
    }
    assert_eq!(read("", &format!("As:\n{call}")), format!("As:\n{call}"));
}

#[test]
fn without_its_section_a_call_needs_an_offered_name() {
    check(&[
        ("A. <invoke name=\"f\"><parameter name=\"a\">1</parameter></invoke> B.", "A. B. f{\"a\":1}missing_opener"),
        (
            "A. <invoke name=\"zz\"><parameter name=\"a\">1</parameter></invoke> B.",
            "A. <invoke name=\"zz\"><parameter name=\"a\">1</parameter></invoke> B.",
        ),
    ]);
}

#[test]
fn the_prompt_may_have_opened_the_reasoning() {
    assert_eq!(read("<think>\n", "Hm.</think>Yes."), "Yes.«Hm.»");
    assert_eq!(read("<think>", "<think>Hm.</think>Yes."), "Yes.«Hm.»");
    assert_eq!(read("<think>", "Hm <think>.</think>Yes."), "Yes.«Hm <think>.»");
}

#[test]
fn a_name_is_inferred_from_the_arguments_with_a_mark() {
    let section = |id: &str, arguments: &str| {
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|><|tool_calls_section_end|>"
        )
    };
    assert_eq!(read("", &section("0", "{\"city\": \"Oslo\"}")), " get_weather{\"city\":\"Oslo\"}inferred_name");
    assert_eq!(read("", &section("0", "{\"town\": \"Oslo\"}")), " !unreadable");
    assert_eq!(read("", &section("functions.get_weather:0", "{\"city\": \"Oslo\"}")), " get_weather{\"city\":\"Oslo\"}");
}

#[test]
fn an_extra_closer_behind_the_arguments_is_marked() {
    check(&[
        ("<function=f>{\"a\": 1}</function>", " f{\"a\":1}"),
        ("<function=f>{\"a\": 1}}</function>", " f{\"a\":1}extra_closer"),
        ("<function=f>{\"a\": 1}]}</function>", " f{\"a\":1}extra_closer"),
    ]);
}

/// What is looked ahead over, or remembered, has a bound, and the bound is the same in pieces.
#[test]
fn tags_and_mentions_have_a_length() {
    let tag = |attributes: usize| {
        let attributes = "x=1 ".repeat(attributes);
        read(
            "",
            &format!("<minimax:tool_call><invoke name=\"f\" {attributes}><parameter name=\"a\">1</parameter></invoke></minimax:tool_call>"),
        )
    };
    assert_eq!(tag(1000), " f{\"a\":1}");
    assert!(tag(1100).starts_with("<minimax:tool_call><invoke name="));
    // The last attribute counts as well.
    let ending = |length: usize| {
        let value = "a".repeat(length);
        read(
            "",
            &format!(
                "<minimax:tool_call><invoke name=\"f\" x=\"{value}\"><parameter name=\"a\">1</parameter></invoke></minimax:tool_call>"
            ),
        )
    };
    assert_eq!(ending(4082), " f{\"a\":1}");
    assert!(ending(4083).starts_with("<minimax:tool_call><invoke name="));
    let mention = |length: usize| read("", &format!("<tool_call>{}</tool_call>", "-".repeat(length)));
    assert!(mention(4085).ends_with("</tool_call> !unreadable"));
    assert!(!mention(4086).contains("unreadable"));
    let again = read("", &format!("<tool_call>{}<tool_call>-</tool_call>", "-".repeat(5000)));
    assert!(again.ends_with("</tool_call> !unreadable"), "{again}");
}

/// An attribute that is longer than a tag may be opens nothing, and what stands behind it is read.
#[test]
fn a_tag_that_does_not_end_is_none() {
    let call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    for attribute in ["", "name=", "name='"] {
        let reply = |length: usize| format!("<minimax:tool_call><invoke {attribute}{}", "a".repeat(length));
        assert_eq!(read("", &reply(4000)), " !cut", "{attribute}");
        assert_eq!(read("", &reply(5000)), reply(5000), "{attribute}");
        assert_eq!(read("", &(reply(5000) + call)), reply(5000) + " f{}", "{attribute}");
    }
}

#[test]
fn a_fence_has_so_many_ticks_and_no_more() {
    let call = "{\"name\": \"f\", \"arguments\": {}}";
    let reply = |before: usize, behind: usize| format!("<tool_call>{}\n{call}\n{}\n</tool_call>", "`".repeat(before), "`".repeat(behind));
    assert_eq!(read("", &reply(3, 3)), " f{}code_fence");
    assert_eq!(read("", &reply(60, 60)), " f{}code_fence");
    assert_eq!(read("", &reply(65, 65)), format!("{} !unreadable", reply(65, 65)));
    assert_eq!(read("", &reply(3, 65)), " f{}code_fence,odd_character");
    assert_eq!(read("", &reply(3, 80)), format!("{}\n f{{}}code_fence,missing_closer", "`".repeat(16)));
}

/// The first call, which waits until it is certain, is one of those that are counted.
#[test]
fn a_call_in_a_fence_is_counted() {
    let call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n";
    let text = format!("```json\n{{\"name\": \"f\", \"arguments\": {{}}}}\n```\n{}", call.repeat(toolparse::Limits::DEFAULT.calls));
    let facts = whole(text.as_bytes(), &options(), Ending::Unknown);
    assert_eq!((facts.calls.len(), facts.errors.len()), (toolparse::Limits::DEFAULT.calls, 1));
    assert!(streamed(text.as_bytes().chunks(7), &options(), Ending::Unknown) == facts);
}

/// A look ahead passes over so many blanks and no more, however they came.
#[test]
fn white_space_longer_than_a_look_ahead_is_no_layout() {
    let read_with = |count: usize, text: &str| {
        let blanks = " ".repeat(count);
        read("", &text.replace('…', &blanks)).replace(&blanks, "…")
    };
    for (text, passed, stopped) in [
        ("…{\"name\": \"f\", \"arguments\": {}}", " f{}", " f{}"),
        ("<tool_call>{\"name\": \"f\", \"arguments\": {}}…</tool_call>", " f{}", " f{}missing_closer"),
        (
            "<tool_call>…{\"name\": \"f\", \"arguments\": {}}</tool_call>",
            " f{}",
            "<tool_call>…{\"name\": \"f\", \"arguments\": {}}</tool_call> !unreadable",
        ),
        ("<tool_call>{\"name\": \"f\"…, \"arguments\": {\"a\": \"x\"…}…}</tool_call>", " f{\"a\":\"x\"}", " f{\"a\":\"x\"}"),
        (
            "<function=f>…<parameter=a>…1…</parameter></function>",
            " f{\"a\":1}missing_opener",
            "<function=f>…<parameter=a>…1…</parameter></function> !unreadable",
        ),
        ("[f(a=\"x\"…)]", " f{\"a\":\"x\"}", " f{\"a\":\"x\"}missing_comma,positional_argument,missing_value"),
        ("[f(a=1)…, f(a=2)]", " f{\"a\":1} f{\"a\":2}", "[f(a=1)…, f(a=2)]"),
    ] {
        assert_eq!(read_with(BLANKS, text), passed, "{text}");
        assert_eq!(read_with(BLANKS + 1, text), stopped, "{text}");
    }
}

/// Two strings that stand side by side are one, and bytes of both may be one character: it is handed out once it is whole.
#[test]
fn a_character_that_two_strings_share_is_handed_out_once() {
    let text = b"<function_calls>f(\xEE \"\x89\xAAb";
    let options = Options::new(Tools::any());
    let facts = whole(text, &options, Ending::Unknown);
    assert_eq!(facts.calls[0].arguments, "{\"arg0\":\"\u{E26A}b\"}");
    assert!(streamed(text.chunks(1), &options, Ending::Unknown) == facts);
}

/// Text beside the calls of a section is a slip while it is short; where it is long, the section was never closed.
#[test]
fn long_text_behind_a_call_is_prose_though_the_section_closes_later() {
    let of = |noise: usize, blanks: usize| {
        let text = format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{{\"a\": 1}}<|tool_call_end|>{}{}{}",
            "n".repeat(noise),
            " ".repeat(blanks),
            "<|tool_call_begin|>f<|tool_call_argument_begin|>{\"a\": 2}<|tool_call_end|><|tool_calls_section_end|>"
        );
        read("", &text).replace(&"n".repeat(noise.max(1)), "…").replace(&" ".repeat(blanks.max(2)), "_")
    };
    assert_eq!(of(0, 0), " f{\"a\":1} f{\"a\":2}");
    assert_eq!(of(1024, 0), " f{\"a\":1} f{\"a\":2}");
    assert_eq!(of(4, 1020), " f{\"a\":1} f{\"a\":2}");
    assert_eq!(of(1025, 0), "… f{\"a\":1} f{\"a\":2}missing_opener");
    assert_eq!(of(4, 1021), "…_ f{\"a\":1} f{\"a\":2}missing_opener");
}

/// A list that turns out to stand around no call is quoted from its bracket, also where the bracket came long before.
#[test]
fn an_error_quotes_what_stood_around_a_call_that_was_none() {
    check(&[("<TOOLCALL>[{a\"\"\"\"\"\"tool_calls[]<", " !unreadable")]);
}

/// A call in a fence whose arguments are no object is text, and what stands behind it is read as what it is.
#[test]
fn a_call_in_a_fence_that_is_none_stays_prose() {
    let first = "```\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n[1]\n```<｜tool▁call▁end｜>";
    assert_eq!(read("", &format!("{first} so.")), format!("{first} so."));
}
