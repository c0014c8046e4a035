//! Text that is rich in markers: what replies are made of, in any order.

use super::random::Random;
use std::sync::{Arc, LazyLock};
use toolparse::format::{Body, Detect};
use toolparse::formats::{CONTROLS, FORMATS, THINKS};
use toolparse::{Cut, Limits, Options, Plan, Tools};

/// The plan of `auto`.
pub static AUTO: LazyLock<Arc<Plan>> = LazyLock::new(|| Arc::new(Plan::auto()));

/// What is read without being asked for, and all that is read on request.
pub static ALL: LazyLock<Arc<Plan>> = LazyLock::new(|| {
    let on_request = FORMATS.iter().filter(|row| row.detect == Detect::OnRequest).map(|row| row.name);
    Arc::new(Plan::named(&["auto"].into_iter().chain(on_request).collect::<Vec<_>>()).expect("names of rows"))
});

/// A plan for each format's name, in the order of the rows.
pub static NAMED: LazyLock<Vec<(&'static str, Arc<Plan>)>> = LazyLock::new(|| {
    let mut names: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| (name, Arc::new(Plan::named(&[name]).expect("a row's name")))).collect()
});

/// Every marker of every row, each once.
pub static MARKERS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut markers: Vec<&str> = CONTROLS.to_vec();
    for row in FORMATS {
        markers.extend(row.section.open.iter().chain(row.section.close).chain(row.call.open).chain(row.call.close).chain(row.controls));
        match row.body {
            Body::Messages(messages) => {
                markers.extend(messages.start.iter().chain(messages.end).chain([&messages.body, &"<|constrain|>"]));
            }
            Body::Named(head, args) => markers.extend(head_markers(head).into_iter().chain(args_markers(args))),
            Body::Json(..) | Body::Python(_) => {}
        }
    }
    for think in THINKS {
        markers.extend(think.open.iter().chain(think.close).chain(think.ended_by));
    }
    markers.retain(|marker| !marker.is_empty());
    markers.sort_unstable();
    markers.dedup();
    markers
});

fn head_markers(head: toolparse::format::Head) -> Vec<&'static str> {
    match head {
        toolparse::format::Head::Until { label, lead, take, stop, id, .. } => [label, lead, take, stop, id].concat(),
        toolparse::format::Head::Attributes { end, empty, .. } => [end, empty].concat(),
    }
}

fn args_markers(args: toolparse::format::Args) -> Vec<&'static str> {
    use toolparse::format::{Args, Key};
    match args {
        Args::Pairs(pairs) => {
            let keys = match pairs.key {
                Key::Until(ends) | Key::Attributes(_, ends) => ends,
            };
            [pairs.open, keys, pairs.between, pairs.close].concat()
        }
        Args::Tree(tree) => [&[tree.mark][..], tree.wrap.open, tree.wrap.close].concat(),
        Args::Object { dialect, .. } => dialect.quote.into_iter().collect(),
        Args::Text { .. } => Vec::new(),
    }
}

/// What stands between markers: whole and broken pieces of calls, prose, edges of lines, wide characters, bytes that are no text.
pub const PARTS: &[&[u8]] = &[
    b"{\"name\": \"f\", \"arguments\": {\"a\": 1}}",
    b"{\"name\": \"f\", \"arguments\": {\"s\": \"x y\", \"n\": 12, \"o\": {\"k\": [1, 2]}}}",
    b"[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", \"arguments\": {\"a\": \"b\"}}]",
    b"{\"name\": \"zz\", \"arguments\": {}}",
    b"{\"name\": \"f\", \"parameters\": {\"a\": true}}",
    b"{\"tool_name\": \"f\", \"parameters\": {\"a\": null}}",
    b"{\"f\": {\"a\": 1}}",
    b"{\"name\": \"f\",",
    b" \"arguments\": {",
    b"{\"arguments\": {\"a\": 1}, \"name\": \"f\"}",
    b"\"a\": \"",
    b"\"a\": ",
    b"\", \"b\": [",
    b"[f(a=1), g(s='x')]",
    b"[f(a=",
    b"f(s=\"x\")",
    b"f.call(a=1)",
    b"f",
    b"g",
    b"f\n",
    b"get_weather",
    b"functions.f:0",
    b"functions.f",
    b"<function=f>",
    b"<function=f>\n<parameter=a>\n1\n</parameter>\n</function>",
    b"<invoke name=\"f\">",
    b"<parameter name=\"a\">x</parameter>",
    b"<parameter=s>a\nb</parameter>",
    b"<param name=\"a\">&lt;</param>",
    b"<arg_key>a</arg_key><arg_value>1</arg_value>",
    b" name=\"f\"",
    b" string=\"true\">",
    b"to=functions.f",
    b" json",
    b"commentary",
    b"analysis",
    b"final",
    b"Action: f\nAction Input: {\"a\": 1}\nObservation:",
    b"-> tool/function_call\n",
    b"functools[{\"name\": \"f\", \"arguments\": {}}]",
    b"```json\n",
    b"```\n",
    b"```",
    b"`",
    b"\n```",
    b"\"",
    b"'",
    b"\\",
    b"\\\"",
    b"\\u00e9",
    b"\\ud83d\\ude00",
    b"\\ud83d",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"}}",
    b"]}",
    b",",
    b", ",
    b":",
    b": ",
    b"=",
    b"1",
    b"-0.5e3",
    b"12345678901234567890",
    b"true",
    b"None",
    b"nul",
    b"/* c */",
    b"// c\n",
    b"# c\n",
    b"...",
    b" ",
    b"  ",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\t",
    b"Hello, world.",
    b"the word ",
    b"a",
    b"<",
    b">",
    b"</",
    b"|",
    b"<|",
    b"|>",
    b"[/",
    b"\xE2\x97\x8F",
    b"\xE2\x97\x8F ",
    b"\xE2\x97",
    b"\xC3\xA9",
    b"\xF0\x9F\x98\x80",
    b"\xF0\x9F",
    b"\xEF\xBD\x9C",
    b"\xEF\xBC\x9A",
    b"\xE2\x80\x9C",
    b"\xE2\x80\x9D",
    b"\xED\xA0\x80",
    b"\xFF",
    b"\x80",
    b"\0",
    b"\x1B[31m",
    b"\xEF\xBB\xBF",
];

/// Tools with schemas of all kinds: what `auto` and the named formats are tried with.
pub static TOOLS: LazyLock<Arc<Tools>> = LazyLock::new(|| {
    let schema = serde_json::json!({
        "f": {"type": "object", "properties": {
            "a": {"type": "integer"}, "s": {"type": "string"}, "n": {"type": ["number", "null"]}, "o": {"type": "object"},
            "l": {"type": "array", "items": {"type": "integer"}}, "b": {"type": "boolean"}, "u": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}},
        "g": {"type": "object", "properties": {"s": {"type": "string"}}},
        "get_weather": {"type": "object"},
    });
    Arc::new(Tools::from_json(&schema).expect("a mapping of schemas"))
});

/// Any names.
pub static ANY: LazyLock<Arc<Tools>> = LazyLock::new(|| Arc::new(Tools::any()));

/// Prompts that end in an open reasoning block, and one that does not.
pub const PROMPTS: &[&[u8]] = &[b"", b"", b"", b"<think>\n", b"<think></think>", b"<|channel>thought\n", b"[THINK]"];

/// Limits that many replies pass.
const NARROW: Limits = Limits { call_bytes: 24, nodes: 9, depth: 3, digits: 4, name: 12, calls: 2, errors: 2 };

/// Options, by three numbers.
pub fn options(format: usize, tools: usize, rest: usize) -> Options {
    let named = &NAMED[format % NAMED.len()].1;
    Options {
        plan: match format % 6 {
            0 | 3 => named.clone(),
            1 if tools % 8 == 7 => ALL.clone(),
            _ => AUTO.clone(),
        },
        tools: if tools.is_multiple_of(4) { ANY.clone() } else { TOOLS.clone() },
        prompt: PROMPTS[rest / 4 % PROMPTS.len()].to_vec(),
        max_bytes: None,
        cut: if rest.is_multiple_of(4) { Cut::Drop } else { Cut::Keep },
        limits: if rest / 28 % 4 == 3 { NARROW } else { Limits::DEFAULT },
    }
}

/// The piece of text that a number stands for: a marker, the beginning of one, or a part.
pub fn piece(number: u16) -> &'static [u8] {
    let number = usize::from(number);
    let marker = MARKERS[number / 4 % MARKERS.len()].as_bytes();
    match number % 4 {
        0 => marker,
        1 if number.is_multiple_of(3) => &marker[..marker.len() - 1],
        1 if number % 3 == 1 => &marker[..marker.len().div_ceil(2)],
        _ => PARTS[number / 4 % PARTS.len()],
    }
}

/// A text of these many pieces.
pub fn text(random: &mut Random, pieces: usize) -> Vec<u8> {
    (0..pieces).flat_map(|_| piece(random.number() as u16).iter().copied()).collect()
}
