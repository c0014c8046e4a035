//! Hostile text: texts of any size, each built to bring out one fault.

/// What may come out, with `f` and `get_weather` offered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Allows {
    /// No call.
    No,
    /// A call with a mark.
    Marked,
    /// One call, without marks.
    One,
    /// Calls without marks.
    Many,
    /// Anything that holds for every text.
    Any,
}

/// A generator.
#[derive(Copy, Clone, Debug)]
pub struct Hostile {
    pub name: &'static str,
    pub allows: Allows,
    make: Make,
}

#[derive(Copy, Clone, Debug)]
enum Make {
    /// Head, as many whole units as fit, tail.
    Repeated(&'static str, &'static str, &'static str),
    /// The same for text that is not UTF-8.
    Raw(&'static [u8], &'static [u8], &'static [u8]),
    /// Head, openers, middle, as many closers, tail.
    Nested(&'static str, &'static str, &'static str, &'static str, &'static str),
    /// Something else.
    By(fn(usize) -> Vec<u8>),
}

/// What is offered.
pub const OFFERED: &[&str] = &["get_weather", "f"];

const OPEN: &str = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":";
const SHUT: &str = "}}</tool_call>";
const CALL: &str = "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>";
const NAME_SHUT: &str = "\",\"arguments\":{}}</tool_call>";

macro_rules! in_string {
    ($rest:literal) => {
        concat!("<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":", $rest)
    };
}

const fn case(name: &'static str, allows: Allows, make: Make) -> Hostile {
    Hostile { name, allows, make }
}

use Allows::{Any, Many, Marked, No, One};
use Make::{By, Nested, Raw, Repeated};

/// Every case.
pub const ALL: &[Hostile] = &[
    // Markers that open and never close, and near misses
    case("open_tag_flood", No, Repeated("", "<tool_call>", "")),
    case("open_tag_near_miss", No, Repeated("", "<tool_cal", "")),
    case("angle_flood", No, Repeated("", "<", "")),
    case("overlapping_prefixes", No, Repeated("", "<tool_<|tool_call_", "")),
    case("close_tag_flood", No, Repeated("", "</tool_call>", "")),
    case("think_open_flood", No, Repeated("", "<think>", "")),
    case("think_pair_flood", No, Repeated("", "<think></think>", "")),
    case("fence_open_flood", No, Repeated("", "```json\n", "")),
    case("backtick_flood", No, Repeated("", "`", "")),
    case("control_token_flood", No, Repeated("", "<|tool_call_end|>", "")),
    case("control_token_unclosed", No, Repeated("<|", "prose ", "")),
    case("bullet_flood", No, Repeated("", "●", "")),
    case("bullet_name_unclosed", No, Repeated("● <function=", "a", "")),
    case("bullet_function_flood", No, Repeated("", "● <function=", "")),
    case("bullet_parameters", Marked, Repeated("● <function=f>", "<parameter=k>v", "")),
    case("xml_parameters", Marked, Repeated("<tool_call><function=f>", "<parameter=k>v", "")),
    case("arg_key_flood", Marked, Repeated("", "<tool_call>f<arg_key>", "")),
    case("separator_flood", No, Repeated("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function", "<｜tool▁sep｜>", "")),
    case("keyword_flood", Marked, Repeated("[f(", "a=1, ", "")),
    case("call_opener_flood", Marked, Repeated("", "[f(a=", "")),
    case("header_flood", Marked, Repeated("", "<|channel|>commentary to=functions.f ", "")),
    case("array_marker_flood", No, Repeated("", "[TOOL_CALLS]", "")),
    case("brace_flood", No, Repeated("", "{", "")),
    case("bare_name_flood", No, Repeated("", "{\"name\":", "")),
    case("invoke_flood", Marked, Repeated("<minimax:tool_call>", "<invoke name=\"f\"><parameter name=\"k\">v", "")),
    case("line_json_flood", No, Repeated("", "{\"a\": 1}\n", "")),
    case("fenced_json_flood", No, Repeated("", "```json\n{\"name\": \"f\", \"arguments\": 1}\n```\n", "")),
    // Depth
    case("array_depth_open", Marked, Repeated(OPEN, "[", "")),
    case("array_depth_closed", Any, Nested(OPEN, "[", "", "]", SHUT)),
    case("object_depth_open", Marked, Repeated(OPEN, "{\"a\":", "")),
    case("object_depth_closed", Any, Nested(OPEN, "{\"a\":", "1", "}", SHUT)),
    case("parentheses", Any, Nested("[f(a=", "(", "1", ")", ")]")),
    case("unary_chain", Any, Repeated("[f(a=", "-", "1)]")),
    case("binary_chain", Any, Repeated("[f(a=1", "+1", ")]")),
    // Size and Unicode
    case("long_string", One, Repeated(in_string!("\""), "x", "\"}}</tool_call>")),
    case("escaped_quotes", One, Repeated(in_string!("\""), "\\\"", "\"}}</tool_call>")),
    case("backslash_flood", Marked, Repeated(in_string!("\""), "\\", "")),
    case("unicode_escapes", One, Repeated(in_string!("\""), "\\u0041", "\"}}</tool_call>")),
    case("lone_escapes", Any, Repeated(in_string!("\""), "\\ud800", "\"}}</tool_call>")),
    case("lone_surrogates", No, Raw(b"", b"\xED\xA0\x80", b"")),
    case("lone_surrogates_in_call", Any, Raw(b"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"", b"a\xED\xB0\x80", b"\"}}</tool_call>")),
    case("astral_string", One, Repeated(in_string!("\""), "😀", "\"}}</tool_call>")),
    case("wide_tail", No, Repeated("", "a", "😀")),
    case("fullwidth_near_miss", No, Repeated("", "<｜", "")),
    case("nul_flood", No, Repeated("", "\0", "")),
    case("huge_integer", Any, Repeated(OPEN, "7", SHUT)),
    case("huge_exponent", Any, Repeated(in_string!("1e"), "9", SHUT)),
    case("many_keys", One, By(many_keys)),
    case("duplicate_keys", Any, Repeated(in_string!("{\"k\":1"), ",\"k\":0", "}}}</tool_call>")),
    case("many_items", One, Repeated(in_string!("[0"), ",0", "]}}</tool_call>")),
    case("many_objects", One, Repeated(in_string!("[{}"), ",{\"a\":{}}", "]}}</tool_call>")),
    case("many_calls", Many, Repeated("", CALL, "")),
    case("unknown_tools", No, Repeated("", "<tool_call>{\"name\":\"zz\",\"arguments\":{}}</tool_call>", "")),
    case("long_name", No, Repeated("<tool_call>{\"name\":\"", "n", NAME_SHUT)),
    case("control_name", No, Repeated("<tool_call>{\"name\":\"f", "\\u001b[31m\\n", NAME_SHUT)),
    // Markers where they do not count
    case("closer_in_string", One, Repeated(in_string!("\""), "</tool_call>", "\"}}</tool_call>")),
    case(
        "call_in_string",
        One,
        Repeated(in_string!("\""), "<tool_call>{\\\"name\\\":\\\"get_weather\\\",\\\"arguments\\\":{}}</tool_call>", "\"}}</tool_call>"),
    ),
    case("call_in_think", No, Repeated("<think>", CALL, "</think>ok")),
    case("stray_closers", Any, Repeated(in_string!("1}"), "]}", "</tool_call>")),
    // Text that a repair may read again and again
    case("quote_flood", Any, Repeated(OPEN, "\"", SHUT)),
    case("apostrophe_flood", Any, Repeated(OPEN, "'", SHUT)),
    case("comma_flood", Any, Repeated(in_string!("[1"), ",", "]}}</tool_call>")),
    case("fragment_flood", Marked, Repeated(in_string!("\"start, "), "word\", ", "")),
    case("quoted_words", Marked, Repeated(in_string!("\"start "), "\"word ", "")),
    case("comment_flood", Any, Repeated(OPEN, "/*", SHUT)),
    case("line_comments", Any, Repeated(OPEN, "//\n", "1}}</tool_call>")),
    case("blank_flood", One, Repeated(OPEN, " ", "1}}</tool_call>")),
    case("blanks_before_quote", Any, Repeated(in_string!("\"a\""), " ", "\"b\"}}</tool_call>")),
    case("newline_flood", No, Repeated("", "\n", "")),
    case("leading_blanks", No, Repeated("", " ", "text")),
    case("bare_words", Any, Repeated(OPEN, "word ", SHUT)),
    case("cut_number", Marked, Repeated("<tool_call>{\"name\":\"f\",\"arguments\":{\"s\":\"", "y", "\",\"a\":25")),
    case("cut_string", Marked, Repeated(in_string!("\"rm -rf /tmp/"), "y", "")),
    case("marker_prefix_tail", No, Repeated("", "word ", "<tool_")),
    // Bytes that are no text
    case("continuations", No, Raw(b"", b"\x80", b"")),
    case("lead_bytes", No, Raw(b"", b"\xE2", b"")),
    case("overlong_angle", No, Raw(b"", b"\xC0\xBCtool_call>", b"")),
    case("bad_byte_in_call", Any, Raw(b"<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"", b"a\xFF", b"\"}}</tool_call>")),
    case("cut_character", No, Raw(b"", b"word ", b"\xF0\x9F\x98")),
];

impl Hostile {
    /// At most `size` bytes, padded in front with blanks to just that many.
    pub fn text(&self, size: usize) -> Vec<u8> {
        let body = match self.make {
            Repeated(head, unit, tail) => repeated(head.as_bytes(), unit.as_bytes(), tail.as_bytes(), size),
            Raw(head, unit, tail) => repeated(head, unit, tail, size),
            Nested(head, opener, middle, closer, tail) => {
                let fixed = head.len() + middle.len() + tail.len();
                let depth = size.saturating_sub(fixed) / (opener.len() + closer.len());
                [head, &opener.repeat(depth), middle, &closer.repeat(depth), tail].concat().into_bytes()
            }
            By(make) => make(size),
        };
        let pad = size.saturating_sub(body.len());
        [vec![b' '; pad], body].concat()
    }
}

fn repeated(head: &[u8], unit: &[u8], tail: &[u8], size: usize) -> Vec<u8> {
    let count = size.saturating_sub(head.len() + tail.len()) / unit.len();
    [head, &unit.repeat(count), tail].concat()
}

fn many_keys(size: usize) -> Vec<u8> {
    let room = size.saturating_sub(OPEN.len() + SHUT.len() + 2);
    let members: Vec<String> = (0..(room + 1) / 14).map(|at| format!("\"k{at:08}\":0")).collect();
    format!("{OPEN}{{{}}}{SHUT}", members.join(",")).into_bytes()
}
