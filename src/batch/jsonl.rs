//! Records as JSON lines.

use super::{Read, Row, Sink};
use crate::collect::json::{Cursor, escape};
use crate::collect::message::message;
use crate::collect::outcome::{ReadCall, ReadError, SegmentKind};
use crate::repair::Repair;
use crate::utf8::lossy;
use std::fmt::Write;

/// Writes one JSON object a record, a line feed behind each.
#[derive(Debug, Default)]
pub struct JsonLines {
    /// What was written.
    pub text: String,
    arguments: String,
}

impl JsonLines {
    /// Nothing written yet, into a buffer that may have been used before; about `bytes` of text are to come.
    #[must_use]
    pub fn new(mut buffer: String, bytes: usize) -> JsonLines {
        buffer.clear();
        buffer.reserve(bytes + bytes / 8);
        JsonLines { text: buffer, arguments: String::new() }
    }
}

impl Sink for JsonLines {
    fn row(&mut self, row: &Row<'_>) {
        let out = &mut self.text;
        out.push_str("{\"source\":");
        quoted(row.source, out);
        number(",\"line\":", row.line, out);
        out.push_str(",\"id\":");
        optional(row.id, out);
        match &row.read {
            None => out.push_str(
                ",\"format\":null,\"content\":null,\"reasoning\":null,\"calls\":null,\"errors\":null,\"repairs\":null,\"truncated\":null,\"n_calls\":null",
            ),
            Some(read) => reply(read, &mut self.arguments, out),
        }
        out.push_str("}\n");
    }
}

fn reply(read: &Read<'_>, arguments: &mut String, out: &mut String) {
    let outcome = read.outcome;
    out.push_str(",\"format\":");
    optional(outcome.calls.first().map(|call| call.format), out);
    out.push_str(",\"content\":");
    match read.quoted {
        // Nothing but prose: it comes out as it went in.
        Some(raw) if matches!(outcome.segments.as_slice(), [(SegmentKind::Prose, _)]) && outcome.text.len() == read.bytes => {
            out.push_str(raw);
        }
        _ => quoted(&lossy(&outcome.text), out),
    }
    out.push_str(",\"reasoning\":");
    optional((!outcome.reasoning.is_empty()).then(|| lossy(&outcome.reasoning)).as_deref(), out);
    out.push_str(",\"calls\":[");
    for (at, found) in outcome.calls.iter().enumerate() {
        comma(at, out);
        call(found, read, arguments, out);
    }
    out.push_str("],\"errors\":[");
    for (at, found) in outcome.errors.iter().enumerate() {
        comma(at, out);
        error(found, read, out);
    }
    out.push_str("],\"repairs\":[");
    let repairs = outcome.calls.iter().flat_map(|call| call.repairs.iter().map(move |repair| (call.index, repair)));
    for (at, (index, found)) in repairs.enumerate() {
        comma(at, out);
        repair(found, index, read, out);
    }
    boolean("],\"truncated\":", outcome.truncated, out);
    number(",\"n_calls\":", outcome.calls.len() as u64, out);
}

fn call(call: &ReadCall, read: &Read<'_>, arguments: &mut String, out: &mut String) {
    number("{\"index\":", call.index as u64, out);
    out.push_str(",\"id\":\"");
    call_id(call.index, out);
    out.push_str("\",\"native_id\":");
    optional(call.native_id.as_deref().map(lossy).as_deref(), out);
    out.push_str(",\"name\":");
    quoted(&lossy(&call.name), out);
    out.push_str(",\"arguments\":");
    arguments.clear();
    Cursor::default().write(&call.arguments, call.arguments.len(), true, arguments);
    quoted(arguments, out);
    boolean(",\"complete\":", call.complete, out);
    boolean(",\"repaired\":", !call.repairs.is_empty(), out);
    span(call.span, read, out);
}

fn error(error: &ReadError, read: &Read<'_>, out: &mut String) {
    let _ = write!(out, "{{\"code\":\"{}\",\"message\":", error.kind.name());
    quoted(&message(error, read.tools, read.spans.place(error.span.start)), out);
    out.push_str(",\"name\":");
    optional(error.name.as_deref().map(lossy).as_deref(), out);
    span(error.span, read, out);
}

fn repair(repair: &Repair, call: usize, read: &Read<'_>, out: &mut String) {
    let _ = write!(out, "{{\"kind\":\"{}\",\"call\":{call}", repair.kind.name());
    span(repair.span, read, out);
}

fn span(span: crate::span::Span, read: &Read<'_>, out: &mut String) {
    number(",\"span_start\":", read.spans.place(span.start) as u64, out);
    number(",\"span_end\":", read.spans.place(span.end) as u64, out);
    out.push('}');
}

/// Writes the id of a call: the same in every run.
pub(super) fn call_id(index: usize, out: &mut impl Write) {
    let _ = write!(out, "call{index:05}");
}

fn comma(at: usize, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
}

fn number(key: &str, value: u64, out: &mut String) {
    let _ = write!(out, "{key}{value}");
}

fn boolean(key: &str, value: bool, out: &mut String) {
    out.push_str(key);
    out.push_str(if value { "true" } else { "false" });
}

fn optional(text: Option<&str>, out: &mut String) {
    match text {
        Some(text) => quoted(text, out),
        None => out.push_str("null"),
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    escape(text, out);
    out.push('"');
}
