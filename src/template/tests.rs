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
    let calls = outcome.calls.iter().map(|call| format!("{} {}", text(&call.name), text(&call.arguments_json()))).collect();
    (text(&outcome.text), text(&outcome.reasoning), calls)
}
