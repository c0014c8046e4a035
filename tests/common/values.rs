//! Values: a tape as `serde_json` has it, and what else the tests ask of one.

use serde::Deserialize as _;
use serde_json::Value;
use toolparse::call::Plain;
use toolparse::collect::json::to_json;
use toolparse::format::Dialect;
use toolparse::repair::Repair;
use toolparse::tape::{Node, Tape};
use toolparse::value::{Bounds, Ending, Progress, Reader};
use toolparse::window::Window;

/// The tape's strict JSON text, read by `serde_json`. Keys keep their order, the last of equal ones counts, numbers keep their digits.
pub fn value(tape: &Tape) -> Value {
    let json = to_json(tape);
    strict(json.as_bytes()).unwrap_or_else(|error| panic!("{json:?} is not strict JSON: {error}"))
}

/// The text as `serde_json` reads it, however deep it is.
///
/// # Errors
/// When it is not JSON.
pub fn strict(text: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let value = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Whether two values are one, the order of keys included (which `==` of two maps does not ask).
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b)),
        (Value::Number(a), Value::Number(b)) => same_number(&a.to_string(), &b.to_string()),
        _ => a == b,
    }
}

/// As Python has numbers: integers by their digits, the others by their double; the two kinds differ.
fn same_number(a: &str, b: &str) -> bool {
    let whole = |text: &str| !text.contains(['.', 'e', 'E']);
    if whole(a) || whole(b) { a == b } else { a.parse::<f64>().ok().map(f64::to_bits) == b.parse::<f64>().ok().map(f64::to_bits) }
}

/// The kinds of these repairs, each once, in the order of their names.
pub fn kinds(repairs: &[Repair]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = repairs.iter().map(|repair| repair.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Whether `head` is what `full` was when less of it had come: containers may hold less at their end, a string may be shorter, nothing else
/// differs.
pub fn is_prefix(head: &Value, full: &Value) -> bool {
    match (head, full) {
        (Value::String(head), Value::String(full)) => full.starts_with(head.as_str()),
        (Value::Array(head), Value::Array(full)) => {
            head.len() <= full.len()
                && head.iter().zip(full).enumerate().all(|(at, (h, f))| if at + 1 == head.len() { is_prefix(h, f) } else { same(h, f) })
        }
        (Value::Object(head), Value::Object(full)) => {
            let last = head.len().saturating_sub(1);
            head.len() <= full.len()
                && head
                    .iter()
                    .zip(full)
                    .enumerate()
                    .all(|(at, ((k, h), (l, f)))| k == l && if at == last { is_prefix(h, f) } else { same(h, f) })
        }
        _ => same(head, full),
    }
}

/// Containers open and close in pairs, keys stand in objects only and each has one value, and there is one value.
pub fn assert_well_formed(tape: &Tape) {
    let mut open: Vec<bool> = Vec::new();
    let mut key = false;
    let mut roots = 0;
    for (at, node) in tape.nodes().iter().enumerate() {
        let in_object = open.last() == Some(&true);
        match node {
            Node::Key(_) => {
                assert!(in_object && !key, "a key where none can stand, at {at}");
                key = true;
                continue;
            }
            Node::Close => {
                assert!(!key, "a key without a value, at {at}");
                assert!(open.pop().is_some(), "a closer without an opener, at {at}");
                continue;
            }
            _ => assert!(key || !in_object, "a value without a key, at {at}"),
        }
        key = false;
        roots += usize::from(open.is_empty());
        match node {
            Node::Object => open.push(true),
            Node::Array => open.push(false),
            _ => {}
        }
    }
    assert!(open.is_empty(), "a container that never closes");
    assert_eq!(roots, 1, "not one value");
}

/// One value in pieces of these lengths, in turn: where it ends, what was read, and whether it is one.
pub fn read(text: &[u8], lengths: &[usize], dialect: Dialect, ending: Ending) -> (usize, Plain, bool) {
    let mut reader = Reader::new(dialect, &toolparse::Limits::DEFAULT);
    let mut plain = Plain::default();
    let (mut pos, mut end) = (0, 0);
    let mut turn = lengths.iter().cycle();
    loop {
        end = (end + turn.next().copied().unwrap_or(1)).min(text.len());
        let last = end == text.len();
        let window = Window::new(&text[..end], 0, last);
        match reader.read(&window, &mut pos, Bounds::NONE, &mut plain) {
            Progress::More if !last => {}
            Progress::More => {
                reader.finish(&window, end, ending, &mut plain);
                return (end, plain, true);
            }
            Progress::Done => return (pos, plain, true),
            Progress::Stopped | Progress::Failed(_) => return (pos, plain, false),
        }
    }
}
