#![allow(clippy::unwrap_used)]

use super::jsonl::JsonLines;
use super::paths::{BadPath, Found, Only, Paths, Step, steps};
use super::replies::{Reply, read, unquote};
use super::shapes::{Form, Layout, LayoutError, SHAPES};
use super::stats::Stats;
use super::{BadLine, MOST_BYTES, Position, Reader, Row, Sink, Text, Unit};
use crate::value::Ending;
use crate::{Options, Tools};
use serde_json::{Value, json};

const START: Position<'static> = Position { source: "log", line: 1, offset: 0 };
const CALL: &str = r#"<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>"#;

fn reader(shape: &str, text_path: Option<&str>) -> Reader {
    let tools = Tools::any();
    let layout = Layout::new(shape, text_path, None, None, true).unwrap();
    Reader::new(Options::new(tools), Ending::Unknown, layout, 1000, Unit::Bytes)
}

/// The records and the bad lines of a log.
fn records(reader: &Reader, log: &[u8]) -> (Vec<Value>, Vec<BadLine>) {
    let mut out = JsonLines::default();
    let bad = reader.lines(log, START, &mut out);
    (out.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), bad)
}

/// The replies that are found in one record, by their prose.
fn contents(shape: &str, record: &Value) -> Vec<Value> {
    let (records, bad) = records(&reader(shape, None), record.to_string().as_bytes());
    assert_eq!(bad, [], "{record}");
    records.into_iter().map(|record| record["content"].clone()).collect()
}

fn reason(shape: &str, line: &str) -> String {
    let (records, bad) = records(&reader(shape, None), line.as_bytes());
    assert_eq!(records, Vec::<Value>::new(), "{line}");
    bad.into_iter().next().unwrap().reason
}

fn found(path: &str, document: &str) -> Vec<String> {
    let mut paths = Paths::default();
    paths.add(&steps(path).unwrap(), 0);
    paths.find(document).unwrap().into_iter().map(|found| found.raw.into_owned()).collect()
}

#[test]
fn a_path_is_keys_and_indexes_with_dots_between() {
    use Step::{Each, Item, Key, KeyOrItem};
    assert_eq!(steps("a.b").unwrap(), [Key("a"), Key("b")]);
    assert_eq!(steps("a[0].b[*][2].c").unwrap(), [Key("a"), Item(0), Key("b"), Each, Item(2), Key("c")]);
    assert_eq!(steps("a.0.*.c").unwrap(), [Key("a"), KeyOrItem("0", 0), Each, Key("c")]);
    for bad in ["", "a..b", ".a", "a.", "a[x]", "a[]"] {
        assert_eq!(steps(bad), Err(BadPath), "{bad}");
    }
}

#[test]
fn a_path_is_followed_through_objects_arrays_and_json_in_strings() {
    assert_eq!(found("a.b", r#"{"x": {"b": 0}, "a": {"c": [1, {}], "b": "t\n"}}"#), [r#""t\n""#]);
    assert_eq!(found("a[1].b", r#"{"a": [{"b": 1}, {"b": 2}, {"b": 3}]}"#), ["2"]);
    assert_eq!(found("a.1.b", r#"{"a": [{"b": 1}, {"b": 2}]}"#), ["2"]);
    assert_eq!(found("a.1", r#"{"a": {"1": true}}"#), ["true"]);
    assert_eq!(found("a.*.b", r#"{"a": [{"b": 1}, {"c": 2}, 3, {"b": null}]}"#), ["1", "null"]);
    assert_eq!(found("a.b.c", r#"{"a": "{\"b\": \"[1]\"}", "a.b": {"c": 1}, "a.b.c": 2}"#), ["1", "2"]);
    assert_eq!(found("a.b.c", r#"{"a": "{\"b\": {\"c\": \"x\\n\"}}"}"#), [r#""x\n""#]);
    assert_eq!(found("a.b", r#"{"a": "{\"b\": broken"}"#), Vec::<String>::new());
    assert_eq!(found("a.b", r#"{"a": 12.5e3}"#), Vec::<String>::new());
    assert_eq!(found("gen_ai.output", r#"{"gen_ai.output": [1]}"#), ["[1]"]);
}

#[test]
fn of_messages_only_those_of_the_model_count() {
    let mut paths = Paths::default();
    let only = Only { key: "role", values: &["assistant"] };
    paths.add(&[Step::Key("m"), Step::EachOf(only), Step::Key("content")], 7);
    let document = r#"{"m": [{"role": "user", "content": 1}, {"content": 2, "role": "assistant"}, {"content": 3}]}"#;
    assert_eq!(paths.find(document).unwrap(), [Found { target: 7, raw: "2".into() }]);
}

#[test]
fn a_document_that_is_no_json_is_an_error_wherever_it_breaks() {
    let mut paths = Paths::default();
    paths.add(&[Step::Key("a")], 0);
    for broken in ["{", "{\"a\": 1", "{\"a\": tru}", "{\"b\": \"\\x\"}", "{} {}", "{\"a\": \"\t\"}", "{\"a\": 01}"] {
        assert!(paths.find(broken).is_err(), "{broken}");
    }
}

#[test]
fn a_string_of_json_means_what_it_means_to_others() {
    for raw in [r#""""#, r#""plain""#, r#""a\n\t\r\b\f\/\\\"z""#, r#""\u0041\u00e9\u4e16\ud83c\udf78!""#, "\"é 世 🍸\""] {
        let expected: String = serde_json::from_str(raw).unwrap();
        assert_eq!(unquote(raw, &mut Vec::new()), expected.as_bytes(), "{raw}");
    }
    assert_eq!(unquote(r#""\ud83c!""#, &mut Vec::new()), b"\xED\xA0\xBC!");
    assert_eq!(unquote(r#""\ud83c\u0041""#, &mut Vec::new()), b"\xED\xA0\xBCA");
    assert_eq!(unquote(r#""\udf78\ud83c""#, &mut Vec::new()), b"\xED\xBD\xB8\xED\xA0\xBC");
}

#[test]
fn what_stands_at_the_place_of_a_reply() {
    let replies = |raw: &str, form| {
        let mut out = Vec::new();
        read(raw, form, &mut out).map(|()| out)
    };
    let text = |text: &str| Ok(vec![Reply::Text(text.to_owned())]);
    assert_eq!(replies("\"x\"", Form::Text), Ok(vec![Reply::Quoted]));
    assert_eq!(replies("null", Form::Text), Ok(vec![Reply::Null]));
    assert_eq!(replies(r#"[{"type": "text", "text": "a"}, {"type": "tool_use", "text": "b"}, "c"]"#, Form::Text), text("ac"));
    assert_eq!(replies(r#"[{"type": "text", "content": "a"}, {"type": "reasoning", "content": "b"}]"#, Form::Text), text("a"));
    assert_eq!(replies("1.5", Form::Text), Err("the reply is a number, not a string".to_owned()));
    assert_eq!(replies("true", Form::Text), Err("the reply is a boolean, not a string".to_owned()));
    assert_eq!(replies("[1]", Form::Text), Err("the reply is an array, not a string".to_owned()));
    assert_eq!(replies("{}", Form::Text), Err("the reply is an object, not a string".to_owned()));
    assert_eq!(replies("{}", Form::Message), Err("the reply is neither a string nor a message".to_owned()));
    assert_eq!(replies(r#"{"role": "assistant", "content": "a"}"#, Form::Message), text("a"));
    assert_eq!(replies(r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]"#, Form::Message), text("a"));
    assert_eq!(replies(r#""{\"role\": \"assistant\", \"content\": \"a\"}""#, Form::Exported), text("a"));
    assert_eq!(replies(r#""\"quoted twice\"""#, Form::Exported), text("quoted twice"));
    assert_eq!(replies(r#""{\"name\": \"f\", \"arguments\": {}}""#, Form::Exported), Ok(vec![Reply::Quoted]));
}

#[test]
fn every_shape_finds_its_replies() {
    let body = json!({"custom_id": "c", "response": {"status_code": 200, "body": {"choices": [
        {"message": {"role": "assistant", "content": "one"}}, {"message": {"role": "assistant", "content": "two"}}]}}, "error": null});
    let completion = json!({"custom_id": "c", "response": {"body": {"choices": [{"text": "one"}]}}});
    let pair = json!({"request": {"tools": ["f"]}, "response": {"choices": [{"message": {"content": "one"}}]}});
    let messages = json!({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "one"},
        {"role": "assistant", "content": null, "tool_calls": []}, {"role": "assistant", "content": "two"}]});
    let sharegpt = json!({"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "one"}, {"from": "function_call", "value": "two"}]});
    let langfuse = json!({"id": "o", "type": "GENERATION", "output": {"role": "assistant", "content": "one"}});
    let langsmith =
        json!({"id": "r", "outputs": "{\"generations\": [[{\"text\": \"one\", \"message\": {\"kwargs\": {\"content\": \"two\"}}}]]}"});
    let otel = json!({"span_id": "s", "attributes": {"gen_ai.output.messages":
        "[{\"role\": \"assistant\", \"parts\": [{\"type\": \"text\", \"content\": \"one\"}]}]"}});
    let flat = json!({"gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "one"}]}]});
    let completion_messages = json!({"prompt": [], "completion": [{"role": "assistant", "content": "one"}]});
    let cases: [(&str, &Value, Value); 10] = [
        ("openai-batch", &body, json!(["one", "two"])),
        ("openai-batch", &completion, json!(["one"])),
        ("openai-batch", &pair, json!(["one"])),
        ("messages", &messages, json!(["one", null, "two"])),
        ("messages", &completion_messages, json!(["one"])),
        ("sharegpt", &sharegpt, json!(["one", "two"])),
        ("langfuse", &langfuse, json!(["one"])),
        ("langsmith", &langsmith, json!(["two"])),
        ("otel", &otel, json!(["one"])),
        ("otel", &flat, json!(["one"])),
    ];
    for (shape, record, expected) in cases {
        assert_eq!(json!(contents(shape, record)), expected, "{shape}");
        assert_eq!(json!(contents("auto", record)), expected, "auto, {shape}");
    }
    assert_eq!(contents("text", &json!("a \"line\"")), [json!("\"a \\\"line\\\"\"")]);
}

#[test]
fn auto_takes_the_likeliest_key_of_each_line() {
    for (record, expected) in [
        (json!({"response": "a", "messages": [{"role": "assistant", "content": "b"}]}), "a"),
        (json!({"prompt": "p", "completion": "a", "text": "b"}), "a"),
        (json!({"output": "a", "text": "b", "content": "c"}), "a"),
        (json!({"text": "a", "content": "b"}), "a"),
        (json!({"content": "a"}), "a"),
        (json!({"response": null, "completion": "a"}), "a"),
        (json!({"response": {"content": "a"}}), "a"),
        (json!({"content": [{"type": "text", "text": "a"}]}), "a"),
    ] {
        assert_eq!(contents("auto", &record), [json!(expected)], "{record}");
    }
    assert_eq!(contents("auto", &json!({"response": null})), [Value::Null]);
}

#[test]
fn a_record_says_where_it_comes_from_and_what_was_read() {
    let line = json!({"id": 7, "text": format!("<think>hm</think>Ok.{}<tool_call>{{\"name\": 5}}</tool_call>", CALL.replace("1}", "1"))});
    let mut out = JsonLines::default();
    let at = Position { source: "a \"b\"\n", line: 41, offset: 9 };
    assert_eq!(reader("auto", None).lines(line.to_string().as_bytes(), at, &mut out), []);
    let expected = concat!(
        r#"{"source":"a \"b\"\n","line":41,"id":"7","format":"hermes","content":"Ok.","reasoning":"hm","#,
        r#""calls":[{"index":0,"id":"call00000","native_id":null,"name":"f","arguments":"{\"a\":1}","complete":true,"repaired":true,"#,
        r#""span_start":31,"span_end":66}],"#,
        r#""errors":[{"code":"unreadable","message":"Couldn't read a tool call: no tool name (at 89)","name":null,"span_start":89,"span_end":100}],"#,
        r#""repairs":[{"kind":"missing_closer","call":0,"span_start":66,"span_end":66}],"truncated":false,"n_calls":1}"#,
        "\n"
    );
    assert_eq!(out.text, expected);
}

#[test]
fn prose_is_written_the_same_however_it_was_quoted() {
    let content = |quoted: &str| {
        let mut out = JsonLines::default();
        reader("auto", None).lines(format!("{{\"text\": {quoted}}}").as_bytes(), START, &mut out);
        out.text.split_once("\"content\":").unwrap().1.split_once(",\"reasoning\"").unwrap().0.to_owned()
    };
    let text = " a \"quoted\"\n\tline / \\ é 世 🍸\u{7f}\u{1}\u{8}\u{c}\r\n";
    let usual = serde_json::to_string(text).unwrap();
    assert_eq!(content(&usual), usual);
    let escaped = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect::<Vec<_>>().concat();
    assert_eq!(content(&format!("\"{escaped}\"")), usual);
    assert_eq!(content(&usual.replace('/', "\\/")), usual);
}

#[test]
fn a_record_without_a_reply_is_null_throughout() {
    let (records, bad) = records(&reader("auto", None), br#"{"id": null, "response": null}"#);
    let keys = ["id", "format", "content", "reasoning", "calls", "errors", "repairs", "truncated", "n_calls"];
    assert_eq!(bad, []);
    assert!(keys.iter().all(|key| records[0][key] == Value::Null));
}

#[test]
fn lines_that_are_no_records_are_told_with_their_place() {
    let log = b"{\"text\": \"a\"}\n\n  \r\n[1]\n\"s\"\n{\"text\": 1}\n{\"x\": \xFF}\n{\"text\": \"b\"}\r\n{\"text\": \"c\"";
    let (records, bad) = records(&reader("auto", None), log);
    assert_eq!(records.iter().map(|record| record["line"].clone()).collect::<Vec<_>>(), [json!(1), json!(8)]);
    let bad: Vec<(u64, u64, &str)> = bad.iter().map(|bad| (bad.line, bad.offset, bad.reason.as_str())).collect();
    let expected = [
        (2, 14, "the line is empty"),
        (3, 15, "the line is empty"),
        (4, 19, "not a JSON object"),
        (5, 23, "not a JSON object"),
        (6, 27, "the reply is a number, not a string"),
        (7, 39, "not valid UTF-8 at byte 6 of the line"),
        (9, 63, "not valid JSON: EOF while parsing an object (column 12)"),
    ];
    assert_eq!(bad, expected);
    assert_eq!(reason("auto", &format!("{{\"text\": \"{}\"}}", "x".repeat(1000))), "the line is longer than 1000 bytes");
    assert_eq!(reason("langfuse", r#"{"type": "SPAN", "output": "x"}"#), "type is not GENERATION");
    assert_eq!(reason("sharegpt", r#"{"text": "x"}"#), "no reply: nothing at conversations.*.value");
    assert_eq!(
        reason("auto", r#"{"text": "x", "tools": 5}"#),
        "tools: expected a list of names and tool definitions, or an object that maps each name to a JSON schema"
    );
    assert_eq!(reason("auto", r#"{"text": "x", "tools": "{"}"#), "tools: not valid JSON: EOF while parsing an object at line 1 column 1");
}

#[test]
fn a_byte_order_mark_belongs_to_no_record() {
    let reader = reader("auto", None);
    assert_eq!(records(&reader, b"\xEF\xBB\xBF{\"text\": \"a\"}\n").1, []);
    assert_eq!(records(&reader, b"{\"text\": \"a\"}\n\xEF\xBB\xBF{\"text\": \"a\"}\n").1.len(), 1);
}

#[test]
fn what_is_written_depends_on_the_line_alone() {
    let replies = ["plain", CALL, "é 世 <tool_call>{\"name\": \"g\"", "```json\n{\"name\": \"f\", \"arguments\": {}}\n```", ""];
    let lines: Vec<String> = replies.iter().map(|reply| json!({"id": "x", "text": reply, "tools": ["f"]}).to_string() + "\n").collect();
    let reader = reader("auto", None);
    let mut whole = JsonLines::default();
    reader.lines(lines.concat().as_bytes(), START, &mut whole);
    let mut parts = String::new();
    let mut at = START;
    for line in &lines {
        let mut part = JsonLines::new("used before".to_owned(), 10);
        reader.lines(line.as_bytes(), at, &mut part);
        parts += &part.text;
        at = Position { line: at.line + 1, offset: at.offset + line.len() as u64, ..at };
    }
    assert_eq!(whole.text, parts);
}

#[test]
fn a_record_may_bring_its_own_tools() {
    let read = |tools: Value| {
        let line = json!({"text": CALL, "tools": tools}).to_string();
        let (records, bad) = records(&reader("auto", None), line.as_bytes());
        assert_eq!(bad, []);
        (records[0]["n_calls"].clone(), records[0]["errors"][0]["message"].clone())
    };
    let unknown = |offered: &str| (json!(0), json!(format!("Unknown tool \"f\". Available now: {offered}")));
    assert_eq!(read(json!(["f"])), (json!(1), Value::Null));
    assert_eq!(read(json!(["g", "h"])), unknown("g, h"));
    assert_eq!(read(json!("[{\"name\": \"g\", \"input_schema\": {}}]")), unknown("g"));
    assert_eq!(read(json!([])), unknown("none"));
    assert_eq!(read(Value::Null), (json!(1), Value::Null));
    assert_eq!(read(json!("")), (json!(1), Value::Null));
}

#[test]
fn places_count_characters_when_asked() {
    let text = format!("{}{CALL}", "é世🍸".repeat(300));
    let layout = Layout::new("auto", None, None, None, true).unwrap();
    let reader = Reader::new(Options::new(Tools::any()), Ending::Unknown, layout, 1 << 20, Unit::Characters);
    let (records, _) = records(&reader, json!({"text": text}).to_string().as_bytes());
    assert_eq!(records[0]["calls"][0]["span_start"], json!(900 + "<tool_call>".len()));
    assert_eq!(records[0]["calls"][0]["span_end"], json!(900 + CALL.len() - "</tool_call>".len()));
}

#[test]
fn counts_add_up() {
    let lines = [
        json!({"text": CALL}),
        json!({"text": format!("{CALL}<tool_call>{{\"name\": \"g\", \"arguments\": {{\"a\": 1")}),
        json!({"text": null}),
    ];
    let count = |lines: &[Value]| {
        let mut stats = Stats::default();
        let log: Vec<String> = lines.iter().map(Value::to_string).collect();
        reader("auto", None).lines(log.join("\n").as_bytes(), START, &mut stats);
        stats
    };
    let whole = count(&lines);
    assert_eq!((whole.rows, whole.calls, whole.complete, whole.repaired, whole.errors), (3, 3, 2, 1, 0));
    assert_eq!(whole.by_format.iter().collect::<Vec<_>>(), [(&"hermes", &3)]);
    assert_eq!(whole.by_tool.iter().map(|(name, count)| (&**name, *count)).collect::<Vec<_>>(), [("f", 2), ("g", 1)]);
    let mut sum = count(&lines[..1]);
    sum.add(&count(&lines[1..]));
    assert_eq!(sum, whole);
}

#[test]
fn texts_are_records_as_they_stand() {
    let mut out = JsonLines::default();
    let none = std::sync::Arc::new(Tools::from_names(Vec::new()));
    let texts = [
        Text { text: Some(CALL.as_bytes()), id: Some("a"), tools: None },
        Text::default(),
        Text { text: Some(CALL.as_bytes()), id: None, tools: Some(none) },
    ];
    reader("text", None).texts(texts.into_iter(), Position { source: "t", line: 5, offset: 0 }, &mut out);
    let records: Vec<Value> = out.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let seen: Vec<Value> = records.iter().map(|record| json!([record["line"], record["id"], record["n_calls"]])).collect();
    assert_eq!(json!(seen), json!([[5, "a", 1], [6, null, null], [7, null, 0]]));
}

#[test]
fn a_reply_beyond_every_limit_is_cut_and_says_so() {
    struct Longest(usize, bool);
    impl Sink for Longest {
        fn row(&mut self, row: &Row<'_>) {
            let outcome = row.read.as_ref().unwrap().outcome;
            (self.0, self.1) = (outcome.text.len(), outcome.truncated);
        }
    }
    let text = vec![b'a'; MOST_BYTES + 1];
    let mut longest = Longest(0, false);
    reader("text", None).texts(std::iter::once(Text { text: Some(&text), ..Text::default() }), START, &mut longest);
    assert_eq!((longest.0, longest.1), (MOST_BYTES, true));
}

#[test]
fn shapes_and_paths_that_are_none_are_refused() {
    assert_eq!(Layout::new("csv", None, None, None, true).unwrap_err(), LayoutError::UnknownShape);
    assert_eq!(Layout::new("auto", Some("a..b"), None, None, true).unwrap_err(), LayoutError::Path("text_path"));
    assert_eq!(Layout::new("auto", None, None, Some(""), true).unwrap_err(), LayoutError::Path("id_path"));
    let names: Vec<&str> = SHAPES.iter().map(|shape| shape.name).collect();
    assert_eq!(names, ["auto", "openai-batch", "messages", "sharegpt", "langfuse", "langsmith", "otel", "text"]);
}
