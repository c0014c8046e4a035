//! JSON documents: any one, its text in any layout, and the same with one fault.

use crate::common::random::Random;
use proptest::collection::vec;
use proptest::prelude::*;

/// A document, as it is written.
#[derive(Clone, Debug)]
pub enum Doc {
    /// A number or literal.
    Word(String),
    /// A string, with its quotes and escapes.
    Text(String),
    Array(Vec<Doc>),
    /// Keys as they are written between their quotes; no two spellings of one key.
    Object(Vec<(String, Doc)>),
}

impl Doc {
    pub fn is_scalar(&self) -> bool {
        matches!(self, Doc::Word(_) | Doc::Text(_))
    }

    pub fn has_duplicates(&self) -> bool {
        match self {
            Doc::Array(items) => items.iter().any(Doc::has_duplicates),
            Doc::Object(members) => {
                let again = members.iter().enumerate().any(|(at, (key, _))| members[..at].iter().any(|(other, _)| other == key));
                again || members.iter().any(|(_, value)| value.has_duplicates())
            }
            _ => false,
        }
    }
}

/// Any document.
pub fn any_document() -> impl Strategy<Value = Doc> {
    let word = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("null".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        "-?(0|[1-9][0-9]{0,40})",
        "-?(0|[1-9][0-9]{0,6})\\.[0-9]{1,17}([eE][+-]?[0-9]{1,2})?",
        "-?(0|[1-9][0-9]{0,3})[eE][+-]?[0-9]{1,2}",
    ];
    let leaf = prop_oneof![word.prop_map(Doc::Word), any_string().prop_map(Doc::Text)];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![vec(inner.clone(), 0..6).prop_map(Doc::Array), vec((any_key(), inner), 0..6).prop_map(Doc::Object)]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        "[a-z_][a-zA-Z0-9_]{0,8}",
        "([a-c :,}]|\\\\\"|\\\\\\\\){0,6}",
        any::<String>().prop_map(|key| key.chars().filter(|c| *c >= ' ' && !matches!(c, '"' | '\\')).collect())
    ]
}

/// A string that looks like markup, like damage, or like anything, with some characters escaped.
fn any_string() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        Just("\\\"".to_owned()),
        Just("\\\\".to_owned()),
        Just("\\/".to_owned()),
        Just("\\n".to_owned()),
        Just("\\u00e9".to_owned()),
        Just("\\ud83d\\ude00".to_owned()),
        Just("', '".to_owned()),
        Just(", ".to_owned()),
        Just("}]".to_owned()),
        Just("\\\", \\\"b\\\": ".to_owned()),
        Just("// # /* */".to_owned()),
        Just("</tool_call>".to_owned()),
        Just("```".to_owned()),
        Just("“”‘’`".to_owned()),
        Just("None true 1e5".to_owned()),
        any::<char>().prop_map(escaped),
        "[ -~]{0,6}".prop_map(|text| text.chars().map(escaped).collect()),
    ];
    vec(parts, 0..6).prop_map(|parts| format!("\"{}\"", parts.concat()))
}

fn escaped(character: char) -> String {
    match character {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c < ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    }
}

/// A token, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open(char),
    Close(char, bool),
    Key(String),
    Colon,
    Comma,
    Word(String),
    Text(String),
}

fn tokens(doc: &Doc) -> Vec<Token> {
    let mut out = Vec::new();
    put(doc, &mut out);
    out
}

fn put(doc: &Doc, out: &mut Vec<Token>) {
    match doc {
        Doc::Word(word) => out.push(Token::Word(word.clone())),
        Doc::Text(text) => out.push(Token::Text(text.clone())),
        Doc::Array(items) => {
            out.push(Token::Open('['));
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(Token::Comma);
                }
                put(item, out);
            }
            out.push(Token::Close(']', !items.is_empty()));
        }
        Doc::Object(members) => {
            out.push(Token::Open('{'));
            for (at, (key, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(Token::Comma);
                }
                out.extend([Token::Key(key.clone()), Token::Colon]);
                put(value, out);
            }
            out.push(Token::Close('}', !members.is_empty()));
        }
    }
}

fn written(token: &Token) -> String {
    match token {
        Token::Open(mark) | Token::Close(mark, _) => mark.to_string(),
        Token::Key(key) => format!("\"{key}\""),
        Token::Colon => ":".to_owned(),
        Token::Comma => ",".to_owned(),
        Token::Word(text) | Token::Text(text) => text.clone(),
    }
}

const SPACES: [&str; 6] = ["", "", " ", "\n", "\t ", "\r\n  "];

fn joined(words: &[String], spaces: &[u8]) -> String {
    words.iter().zip(spaces.iter().cycle()).flat_map(|(word, space)| [word.as_str(), SPACES[usize::from(*space)]]).collect()
}

/// The document's text, with this white space between its tokens.
pub fn layout(doc: &Doc, spaces: &[u8]) -> String {
    joined(&tokens(doc).iter().map(written).collect::<Vec<_>>(), spaces)
}

/// The same text with one fault that guesses nothing, and the fault's name; `None` where the fault that the seed chose has no place.
pub fn damage(doc: &Doc, spaces: &[u8], seed: u64) -> Option<(String, &'static str)> {
    let mut random = Random::new(seed);
    let tokens = tokens(doc);
    let mut words: Vec<String> = tokens.iter().map(written).collect();
    let places = |wanted: &dyn Fn(&Token) -> bool| -> Vec<usize> { (0..tokens.len()).filter(|at| wanted(&tokens[*at])).collect() };
    let kind = *random.pick(&["comment", "trailing_comma", "unquoted_key", "python_literal", "single_quotes", "missing_colon"]);
    let candidates = match kind {
        "comment" => (0..tokens.len() - 1).collect(),
        "trailing_comma" => places(&|token| matches!(token, Token::Close(_, true))),
        "unquoted_key" => places(&|token| matches!(token, Token::Key(key) if is_name(key))),
        "python_literal" => places(&|token| matches!(token, Token::Word(word) if word.starts_with(['t', 'f', 'n']))),
        "single_quotes" => places(&|token| matches!(token, Token::Text(text) if !text.contains(['\'', '\\', '‘', '’']))),
        _ => places(&|token| *token == Token::Colon),
    };
    if candidates.is_empty() {
        return None;
    }
    let at = *random.pick(&candidates);
    let word = words[at].clone();
    words[at] = match kind {
        "comment" => format!("{word} {}", random.pick(&["/* c, \"d\" ] */ ", "// c: }\n", "# c\n"])),
        "trailing_comma" => format!(",{word}"),
        "unquoted_key" => word.trim_matches('"').to_owned(),
        "python_literal" => {
            let python = match word.as_str() {
                "true" => "True",
                "false" => "False",
                _ => "None",
            };
            python.to_owned()
        }
        "single_quotes" => format!("'{}'", &word[1..word.len() - 1]),
        _ => "=".to_owned(),
    };
    Some((joined(&words, spaces), kind))
}

fn is_name(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
