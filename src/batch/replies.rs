//! What stands at a place of a record, read as replies.

use super::shapes::Form;
use crate::utf8::lossy;
use serde_json::Value;

/// One reply as it stands in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// There is none: `null`.
    Null,
    /// The JSON string at the place is the reply.
    Quoted,
    /// A text that was put together from parts, or taken out of a message.
    Text(String),
}

/// Reads the value at a place: most often one reply, several when it holds several messages or choices.
///
/// # Errors
///
/// What the value is instead.
pub fn read(raw: &str, form: Form, out: &mut Vec<Reply>) -> Result<(), String> {
    match raw.as_bytes().first() {
        Some(b'"') if form == Form::Exported && exported(raw, out) => Ok(()),
        Some(b'"') => {
            out.push(Reply::Quoted);
            Ok(())
        }
        Some(b'n') => {
            out.push(Reply::Null);
            Ok(())
        }
        Some(b'[' | b'{') => {
            let value: Value = serde_json::from_str(raw).map_err(|error| format!("the reply cannot be read: {error}"))?;
            match (&value, form) {
                (Value::Array(parts), Form::Text) if parts.iter().all(|part| part.is_string() || part.is_object()) => {
                    out.push(Reply::Text(text_of_parts(parts)));
                }
                (Value::Array(_), Form::Text) => return Err("the reply is an array, not a string".to_owned()),
                (_, Form::Text) => return Err("the reply is an object, not a string".to_owned()),
                _ if messages(&value, out) => {}
                (Value::Array(parts), _) if parts.iter().any(|part| text_of_part(part).is_some()) => {
                    out.push(Reply::Text(text_of_parts(parts)));
                }
                _ => return Err("the reply is neither a string nor a message".to_owned()),
            }
            Ok(())
        }
        Some(b't' | b'f') => Err("the reply is a boolean, not a string".to_owned()),
        _ => Err("the reply is a number, not a string".to_owned()),
    }
}

/// A string that holds messages as JSON. A reply that is a JSON object itself is none: it has neither a role nor choices.
fn exported(raw: &str, out: &mut Vec<Reply>) -> bool {
    let mut buffer = Vec::new();
    let text = lossy(unquote(raw, &mut buffer));
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return false;
    }
    match serde_json::from_str(&text) {
        Ok(Value::String(text)) => {
            out.push(Reply::Text(text));
            true
        }
        Ok(value) => marked(&value) && messages(&value, out),
        Err(_) => false,
    }
}

/// True for what only a log would write.
fn marked(value: &Value) -> bool {
    match value {
        Value::Object(fields) => ["role", "choices", "generations", "messages", "kwargs"].iter().any(|key| fields.contains_key(*key)),
        Value::Array(items) => !items.is_empty() && items.iter().all(marked),
        _ => false,
    }
}

/// Who writes replies.
fn speaks(fields: &serde_json::Map<String, Value>) -> bool {
    let role = fields.get("role").or_else(|| fields.get("type")).and_then(Value::as_str);
    role.is_none_or(|role| matches!(role, "assistant" | "model" | "ai" | "AIMessage" | "constructor" | "message"))
}

/// The replies in an answer, a message or a list of them. False: there are none.
fn messages(value: &Value, out: &mut Vec<Reply>) -> bool {
    let before = out.len();
    match value {
        Value::Array(items) => {
            for item in items {
                messages(item, out);
            }
        }
        Value::Object(fields) if speaks(fields) => {
            let inner = ["choices", "generations", "messages", "message", "kwargs"]
                .iter()
                .find_map(|key| fields.get(*key).filter(|inner| !inner.is_null()));
            if let Some(inner) = inner {
                messages(inner, out);
            } else if let Some(content) = ["content", "parts", "text", "output"].iter().find_map(|key| fields.get(*key)) {
                match content {
                    Value::Null => out.push(Reply::Null),
                    Value::String(text) => out.push(Reply::Text(text.clone())),
                    Value::Array(parts) => out.push(Reply::Text(text_of_parts(parts))),
                    inner => {
                        messages(inner, out);
                    }
                }
            }
        }
        _ => {}
    }
    out.len() > before
}

/// The text of a message that is written in parts; parts of other kinds are no text.
fn text_of_parts(parts: &[Value]) -> String {
    parts.iter().filter_map(text_of_part).collect()
}

fn text_of_part(part: &Value) -> Option<&str> {
    match part {
        Value::String(text) => Some(text),
        Value::Object(fields) => {
            let kind = fields.get("type").and_then(Value::as_str);
            let is_text = matches!(kind, None | Some("text" | "output_text"));
            fields.get("text").or_else(|| fields.get("content")).and_then(Value::as_str).filter(|_| is_text)
        }
        _ => None,
    }
}

/// The text of a JSON string that is known to be one. Lone surrogates keep the three bytes that UTF-8 would give them.
#[must_use]
pub fn unquote<'a>(raw: &'a str, buffer: &'a mut Vec<u8>) -> &'a [u8] {
    unquote_seen(raw, buffer).0
}

/// The same, and whether the string is written as it would be written here.
#[must_use]
pub fn unquote_seen<'a>(raw: &'a str, buffer: &'a mut Vec<u8>) -> (&'a [u8], bool) {
    let bytes = raw.as_bytes();
    let mut rest = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
    let Some(mut escape) = memchr::memchr(b'\\', rest) else { return (rest, true) };
    let mut as_here = true;
    buffer.clear();
    loop {
        let (plain, tail) = rest.split_at(escape);
        buffer.extend_from_slice(plain);
        as_here &= !matches!(tail.get(1), Some(b'u' | b'/'));
        rest = unescape(tail, buffer);
        match memchr::memchr(b'\\', rest) {
            Some(next) => escape = next,
            None => break,
        }
    }
    buffer.extend_from_slice(rest);
    (buffer, as_here)
}

/// Adds what the escape at the start of `tail` means; returns what is behind it.
fn unescape<'a>(tail: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let after = tail.get(2..).unwrap_or_default();
    match tail.get(1) {
        Some(b'n') => out.push(b'\n'),
        Some(b't') => out.push(b'\t'),
        Some(b'r') => out.push(b'\r'),
        Some(b'b') => out.push(0x08),
        Some(b'f') => out.push(0x0C),
        Some(b'u') => return unicode(after, out),
        Some(other) => out.push(*other),
        None => {}
    }
    after
}

fn unicode<'a>(after: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let first = hex(after);
    let rest = after.get(4..).unwrap_or_default();
    if let (0xD800..=0xDBFF, [b'\\', b'u', second @ ..]) = (first, rest)
        && let second @ 0xDC00..=0xDFFF = hex(second)
    {
        push(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), out);
        return rest.get(6..).unwrap_or_default();
    }
    push(first, out);
    rest
}

fn hex(digits: &[u8]) -> u32 {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default();
    digits.iter().take(4).fold(0, |number, byte| number * 16 + digit(byte))
}

fn push(code: u32, out: &mut Vec<u8>) {
    if let Some(character) = char::from_u32(code) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        out.extend_from_slice(&[0xE0 | (code >> 12) as u8, 0x80 | (code >> 6 & 0x3F) as u8, 0x80 | (code & 0x3F) as u8]);
    }
}
