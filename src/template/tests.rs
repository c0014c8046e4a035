#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::pattern::{Atom, parse};
use super::*;
use crate::value::Ending;
use crate::{Options, Outcome, Stream, Tools};
use std::sync::Arc;

/// A template with these fields.
fn template(fields: &Value) -> Value {
    json!({"start_anchor": "<|im_start|>assistant\n", "defaults": {"role": "assistant"}, "fields": fields})
}

fn options(template: &Value) -> Options {
    let tools = json!([{"name": "weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}]);
    Options { plan: Arc::new(compile(template).unwrap()), ..Options::new(Tools::from_json(&tools).unwrap()) }
}

/// What a reply came to: text, reasoning, and each call as `name arguments`, whole and byte by byte.
fn read(template: &Value, reply: &str) -> (String, String, Vec<String>) {
    let options = options(template);
    let whole = seen(&crate::parse(reply.as_bytes(), &options, Ending::Unknown));
    let mut stream = Stream::new(&options);
    for piece in reply.as_bytes().chunks(1) {
        stream.push(piece);
    }
    stream.finish(Ending::Unknown);
    assert_eq!(seen(stream.outcome()), whole, "{reply}");
    whole
}

fn seen(outcome: &Outcome) -> (String, String, Vec<String>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
    assert!(outcome.calls.iter().all(|call| call.repairs.is_empty() && call.format == NAME), "{:?}", outcome.calls);
    let calls =
        outcome.calls.iter().map(|call| format!("{} {}", text(&call.name), crate::collect::json::to_json(&call.arguments))).collect();
    (text(&outcome.text), text(&outcome.reasoning), calls)
}

fn named(content: &str, opener: &str, close: &str, args: &Value) -> Value {
    template(&json!({
        "thinking": {"open": "<think>", "close": "</think>", "content": "text"},
        "tool_calls": {
            "open_pattern": opener,
            "close": close,
            "repeats": true,
            "content": content,
            "content_args": args,
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {"close": ["<|im_end|>", "<|stop|>"]},
    }))
}

fn json_calls(more: &Value) -> Value {
    let mut calls = json!({"open": "<call>", "close": "</call>", "repeats": true, "content": "json"});
    calls.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    template(&json!({"tool_calls": calls, "content": {}}))
}

/// The key that a template is refused by.
fn refused(template: &Value) -> String {
    compile(template).unwrap_err().key
}

const PARIS: &str = r#"weather {"city":"Paris","days":2}"#;

#[test]
fn objects_between_literals() {
    let whole = json_calls(&json!({"transform": {"type": "function", "function": "{content}"}}));
    let reply = "Ok.\n<call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 2}}\n</call>\n<call>{\"name\": \"weather\", \"arguments\": {}}</call>";
    let expected = ("Ok.".to_owned(), String::new(), vec![PARIS.to_owned(), "weather {}".to_owned()]);
    assert_eq!(read(&whole, reply), expected);
    assert_eq!(read(&json_calls(&json!({})), reply), expected);
    assert_eq!(read(&json_calls(&json!({"transform": "{content}"})), reply), expected);
}

#[test]
fn placeholders_name_the_keys() {
    let template = json_calls(&json!({
        "transform": {"type": "function", "id": "{content.id}", "function": {"name": "{content.verb}", "arguments": "{content.with}"}},
    }));
    let reply = r#"<call>{"id": "a1", "verb": "weather", "with": {"city": "Paris", "days": 2}}</call>"#;
    assert_eq!(read(&template, reply).2, [PARIS]);
    let options = options(&template);
    assert_eq!(crate::parse(reply.as_bytes(), &options, Ending::Unknown).calls[0].native_id.as_deref(), Some(&b"a1"[..]));
}

#[test]
fn a_list_of_objects_with_keys_of_its_own() {
    let template = json_calls(&json!({
        "transform_each": true,
        "transform": {"type": "function", "function": {"name": "{tool_name}", "arguments": "{parameters}"}},
    }));
    let reply = r#"<call>[{"tool_name": "weather", "parameters": {"city": "Paris", "days": 2}}, {"tool_name": "weather", "parameters": {}}]</call>"#;
    assert_eq!(read(&template, reply).2, [PARIS, "weather {}"]);
}

#[test]
fn a_name_in_the_opener_and_a_dialect() {
    let args = json!({"unquoted_keys": true, "string_delims": [["<|\"|>", "<|\"|>"]]});
    let template = named("json", r"<\|tool_call>call:(?P<name>\w+)", "<tool_call|>", &args);
    let reply = "<think>Hm.</think>Ok.<|tool_call>call:weather{city:<|\"|>Paris<|\"|>,days:2}<tool_call|><|stop|>";
    assert_eq!(read(&template, reply), ("Ok.".to_owned(), "Hm.".to_owned(), vec![PARIS.to_owned()]));
    let quotes = named("json", r"<call>(?P<name>[^{]+)", "</call>", &json!({"string_delims": [["'", "'"], ["\"", "\""]]}));
    assert_eq!(read(&quotes, "<call>weather{'city': 'Paris', \"days\": 2}</call>").2, [PARIS]);
}

#[test]
fn a_name_and_an_id_in_the_opener() {
    let template = template(&json!({"tool_calls": {
        "open_pattern": r"<call>(?P<name>\w+)<id>(?P<ref>[^<]+)<args>",
        "close": "</call>",
        "content": "json",
        "transform": {"type": "function", "id": "{ref}", "function": {"name": "{name}", "arguments": "{content}"}},
    }}));
    let reply = r#"<call>weather<id>c7<args>{"city": "Paris", "days": 2}</call>"#;
    assert_eq!(read(&template, reply).2, [PARIS]);
    let call = &crate::parse(reply.as_bytes(), &options(&template), Ending::Unknown).calls[0];
    assert_eq!(call.native_id.as_deref(), Some(&b"c7"[..]));
}

#[test]
fn arguments_in_tags_inside_a_section() {
    let args = json!({"tag_pattern": r"<parameter=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</parameter>"});
    let reply = "<think>\nHm.\n</think>\n\nOk.\n<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=weather>\n</function>\n</tool_call><|im_end|>";
    let expected = ("Ok.".to_owned(), "Hm.".to_owned(), vec![PARIS.to_owned(), "weather {}".to_owned()]);
    for opener in [
        r"\s*<tool_call>\s*<function=(?P<name>[^>\n]+)>",
        r"<tool_call>\n<function=(?P<name>\w+)>\n?",
        r"<tool_call>[\s]*<function=(?P<name>.+?)>",
    ] {
        assert_eq!(read(&named("xml-inline", opener, "</tool_call>", &args), reply), expected, "{opener}");
    }
    let mut nested = named("xml-inline", r"<tool_call>\s*<function=(?P<name>\w+)>", "", &args);
    let calls = nested["fields"]["tool_calls"].as_object_mut().unwrap();
    calls.remove("close");
    calls.insert("close_pattern".to_owned(), json!(r"</function>\s*</tool_call>"));
    assert_eq!(read(&nested, reply), expected);
}

#[test]
fn key_and_value_each_in_tags() {
    let args = json!({
        "tag_pattern": r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>",
        "value_parser": {"name": "json", "args": {"allow_non_json": true}},
    });
    let reply = "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>\n<tool_call>weather</tool_call>";
    for opener in [r"<tool_call>(?P<name>[^<\n]+)\s*", r"<tool_call>\s*(?P<name>\w+)"] {
        assert_eq!(read(&named("xml-inline", opener, "</tool_call>", &args), reply).2, [PARIS, "weather {}"], "{opener}");
    }
}

#[test]
fn keys_and_names_in_attributes() {
    let args = json!({"tag_pattern": r#"<parameter name="(?P<key>[^"]+)">(?P<value>.*?)</parameter>"#});
    let opener = r#"<calls>\s*<invoke name="(?P<name>[^"]+)">"#;
    let reply = "<calls>\n<invoke name=\"weather\">\n<parameter name=\"city\">Paris</parameter>\n<parameter name=\"days\">2</parameter>\n</invoke>\n</calls>";
    assert_eq!(read(&named("xml-inline", opener, "</calls>", &args), reply).2, [PARIS]);
    let alone = named("xml-inline", r#"<invoke name="(?P<name>[^"]+)">"#, "</invoke>", &args);
    assert_eq!(read(&alone, reply.trim_start_matches("<calls>\n").trim_end_matches("\n</calls>")).2, [PARIS]);
}

#[test]
fn white_space_of_values_is_kept_as_the_pattern_says() {
    let read_with = |pattern: &str, value: &str, parser: Option<bool>| {
        let mut args = json!({"tag_pattern": pattern});
        if let Some(strip) = parser {
            args["value_parser"] = json!({"name": "text", "args": {"strip": strip}});
        }
        read(&named("xml-inline", r"<call (?P<name>\w+)>", "</call>", &args), &format!("<call weather><p=city>{value}</p></call>")).2
    };
    let exact = r"<p=(?P<key>\w+)>(?P<value>.*?)</p>";
    assert_eq!(read_with(exact, " a\n", None), [r#"weather {"city":" a\n"}"#]);
    assert_eq!(read_with(exact, " a\n", Some(false)), [r#"weather {"city":" a\n"}"#]);
    assert_eq!(read_with(exact, " a\n", Some(true)), [r#"weather {"city":"a"}"#]);
    assert_eq!(read_with(r"<p=(?P<key>\w+)>\n?(?P<value>.*?)\n?</p>", "\n\n a \n\n", None), [r#"weather {"city":"\n a \n"}"#]);
    assert_eq!(read_with(r"<p=(?P<key>\w+)>\n(?P<value>.*?)\n</p>", "\n a \n", None), [r#"weather {"city":" a "}"#]);
    assert_eq!(read_with(r"<p=(?P<key>\w+)>\s*(?P<value>.*?)\s*</p>", "\n a \n", None), [r#"weather {"city":"a"}"#]);
}

#[test]
fn call_expressions() {
    let template = template(&json!({"tool_calls": {
        "open": "<|tool_call_start|>",
        "close": "<|tool_call_end|>",
        "content": "python-call-list",
        "transform_each": true,
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
    }, "content": {"content_args": {"strip": false}}}));
    let reply = "Ok. <|tool_call_start|>[weather(city='Paris', days=2), weather()]<|tool_call_end|>";
    assert_eq!(read(&template, reply), ("Ok. ".to_owned(), String::new(), vec![PARIS.to_owned(), "weather {}".to_owned()]));
}

#[test]
fn fields_of_text_with_delimiters() {
    let template = template(&json!({
        "thinking": {"open": ["<think>", "<reason>\n"], "close_pattern": r"\s*(?:</think>|</reason>)", "repeats": true, "join": ""},
        "content": {"open": "<response>\n", "close_pattern": r"\n?</response>"},
    }));
    assert_eq!(read(&template, "<reason>a\n</reason>\n<response>\nHi.</response>"), ("Hi.".to_owned(), "a".to_owned(), Vec::new()));
    assert_eq!(read(&template, "<think>a</think><think>b</think>Hi."), ("Hi.".to_owned(), "ab".to_owned(), Vec::new()));
}

#[test]
fn the_prompt_may_leave_reasoning_open() {
    let options = Options {
        prompt: b"<|im_start|>assistant\n<think>\n".to_vec(),
        ..options(&template(&json!({"reasoning": {"open": "<think>\n", "close": "</think>"}, "content": {}})))
    };
    let outcome = crate::parse(b"Hm.</think>Hi.", &options, Ending::Unknown);
    assert_eq!((outcome.reasoning, outcome.text), (b"Hm.".to_vec(), b"Hi.".to_vec()));
}

#[test]
fn without_a_closer_calls_run_to_the_end() {
    for close in [json!({}), json!({"close_pattern": r"$"}), json!({"close_pattern": r"</s>|\Z"})] {
        let mut template = json_calls(&close);
        let calls = template["fields"]["tool_calls"].as_object_mut().unwrap();
        calls.remove("close");
        let reply = r#"<call>[{"name": "weather", "arguments": {"city": "Paris", "days": 2}}]"#;
        let outcome = crate::parse(reply.as_bytes(), &options(&template), Ending::Finished);
        assert_eq!((outcome.calls.len(), outcome.errors.len()), (1, 0), "{close}");
        assert_eq!(crate::collect::json::to_json(&outcome.calls[0].arguments), r#"{"city":"Paris","days":2}"#);
    }
}

#[test]
fn a_template_is_compiled_once() {
    let template = json_calls(&json!({"close": "</once>"}));
    let (first, second) = (rows(&template).unwrap(), rows(&template.clone()).unwrap());
    assert!(std::ptr::eq(first.formats, second.formats) && std::ptr::eq(first.thinks, second.thinks));
    let threads: Vec<_> = (0..8)
        .map(|index| {
            std::thread::spawn(move || {
                rows(&json_calls(&json!({"close": format!("</thread{}>", index % 2)}))).unwrap().formats.as_ptr() as usize
            })
        })
        .collect();
    let mut places: Vec<usize> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    places.sort_unstable();
    places.dedup();
    assert!((2..=8).contains(&places.len()));
    assert_eq!(rows(&json_calls(&json!({"close": "</thread0>"}))).unwrap().formats[0].call.close, ["</thread0>"]);
}

#[test]
fn patterns_that_are_literals() {
    let text = |text: &str| Atom::Text(text.to_owned());
    assert_eq!(parse(r"\s*<\|call\|>\s+"), Ok(vec![vec![Atom::Blanks, text("<|call|>"), Atom::Blanks]]));
    assert_eq!(parse(r"a\n?b[ \n]*c"), Ok(vec![vec![text("a"), Atom::Line, text("b"), Atom::Blanks, text("c")]]));
    assert_eq!(parse(r"<(?:a|b)>"), Ok(vec![vec![text("<a>")], vec![text("<b>")]]));
    assert_eq!(parse(r"(?:x)?y|z[.]\Z"), Ok(vec![vec![text("xy")], vec![text("y")], vec![text("z."), Atom::End]]));
    assert_eq!(parse(r"<(?P<n>[A-Za-z_][\w.-]*?)>"), Ok(vec![vec![text("<"), Atom::Group("n".to_owned()), text(">")]]));
    assert_eq!(parse(r"{a}"), Err("`{` is more than literals, white space and named groups can say".to_owned()));
}

#[test]
fn patterns_that_say_more() {
    for (pattern, what) in [
        (r"(?=<a>)", "look-around is not supported"),
        (r"<a>(?!b)", "look-around is not supported"),
        (r"(?<=x)<a>", "look-around is not supported"),
        (r"(?i)<a>", "flags and special groups are not supported"),
        (r"<a.*?>", "`.*?` is more than literals, white space and named groups can say"),
        (r"\w+:", r"`\w+` is more than literals, white space and named groups can say"),
        (r"^<a>", "`^` is more than literals, white space and named groups can say"),
        (r"(?:<a>)+", "`(?:<a>)+` is more than literals, white space and named groups can say"),
        (r"a{2}", "counted repetition is not supported"),
        (r"\bfoo", r"`\b` is not supported"),
        (r"(a)\1", "back-references are not supported"),
        (r"(?P<t>true|false)", "group t: `true|false` is more than a run of characters"),
        (r"(?P<t>x)", "group t is no run of characters"),
        (r"(?P<t>\w+", "a group is not closed"),
        (r"(?:a", "a group is not closed"),
        (r"a)", "it is no regular expression at `)`"),
        (r"[ab", "a character class is not closed"),
        (r"a\", "it ends too early"),
        ("(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)", "it has more than 16 spellings"),
    ] {
        assert_eq!(parse(pattern), Err(what.to_owned()), "{pattern}");
    }
    let deep = format!("{}a{}", "(".repeat(9), ")".repeat(9));
    assert_eq!(parse(&deep), Err("its groups nest too deep".to_owned()));
}

#[test]
fn malformed_templates_are_refused_by_key() {
    let mut whole = json_calls(&json!({}));
    assert_eq!(refused(&json!([])), "response_template");
    assert_eq!(refused(&template(&json!({}))), "fields");
    assert_eq!(refused(&template(&json!({"content": []}))), "fields.content");
    for (key, value) in [("version", json!(2)), ("defaults", json!([])), ("start_anchor", json!([])), ("begin", json!("x"))] {
        let before = whole.clone();
        whole[key] = value;
        assert_eq!(refused(&whole), key);
        whole = before;
    }
    whole["start_anchor_pattern"] = json!("x");
    assert_eq!(refused(&whole), "start_anchor_pattern");
    whole.as_object_mut().unwrap().remove("start_anchor");
    compile(&whole).unwrap();
    whole["start_anchor_pattern"] = json!("(?=x)");
    assert_eq!(refused(&whole), "start_anchor_pattern");
    let error = compile(&json_calls(&json!({"open_pattern": "x"}))).unwrap_err();
    assert_eq!(error.to_string(), "format: fields.tool_calls.open_pattern: open is given as well");
}
