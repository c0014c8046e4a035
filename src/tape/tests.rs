//! Recording, going back, and finding the end of a value.

use super::*;

/// `{"a": [1, "x"], "b": {}}`
fn sample() -> Tape {
    let mut tape = Tape::default();
    tape.push(Node::Object);
    tape.key(b"a");
    tape.push(Node::Array);
    tape.number(b"1");
    tape.string(b"x");
    tape.push(Node::Close);
    tape.key(b"b");
    tape.push(Node::Object);
    tape.push(Node::Close);
    tape.push(Node::Close);
    tape
}

#[test]
fn texts_are_found_again() {
    let tape = sample();
    let texts: Vec<&[u8]> = tape
        .nodes()
        .iter()
        .filter_map(|node| match node {
            Node::Key(slice) | Node::Str(slice) | Node::Number(slice) => Some(tape.text(*slice)),
            _ => None,
        })
        .collect();
    assert_eq!(texts, [&b"a"[..], b"1", b"x", b"b"]);
    assert_eq!((tape.len(), tape.is_empty(), tape.raw_text()), (10, false, &b"a1xb"[..]));
}

#[test]
fn a_value_ends_behind_its_closer() {
    let tape = sample();
    assert_eq!([0, 1, 2, 3, 4, 6, 7].map(|at| tape.value_end(at)), [10, 6, 6, 4, 5, 9, 9]);
    let mut open = Tape::default();
    open.push(Node::Array);
    assert_eq!(open.value_end(0), 1);
}

#[test]
fn a_text_grows_until_the_next_node() {
    let mut tape = Tape::default();
    tape.push(Node::Str(tape.begin()));
    assert_eq!(tape.last_text(), Some(&b""[..]));
    tape.extend(b"ab");
    tape.extend(b"c");
    assert_eq!(tape.last_text(), Some(&b"abc"[..]));
    tape.push(Node::Null);
    tape.extend(b"lost");
    assert_eq!((tape.last_text(), tape.raw_text()), (None, &b"abc"[..]));
}

#[test]
fn a_bookmark_leads_back() {
    let mut tape = sample();
    let before = tape.clone();
    let mark = tape.bookmark();
    tape.string(b"more");
    tape.push(Node::Null);
    tape.rewind(mark);
    assert_eq!(tape, before);
    tape.string(b"last");
    let mark = tape.bookmark_before_last();
    tape.rewind(mark);
    assert_eq!(tape, before);
    let mark = Tape::default().bookmark_before_last();
    tape.rewind(mark);
    assert_eq!(tape, Tape::default());
}

#[test]
fn the_last_node_changes_its_kind_and_keeps_its_text() {
    let mut tape = Tape::default();
    tape.string(b"x");
    tape.retype(Node::Key);
    assert!(matches!(tape.nodes(), [Node::Key(slice)] if slice.len() == 1 && !slice.is_empty()));
    tape.replace_last(Node::Bool(true));
    tape.retype(Node::Key);
    assert_eq!(tape.nodes(), [Node::Bool(true)]);
}

#[test]
fn an_object_becomes_an_array_and_nothing_else_does() {
    let mut tape = sample();
    tape.object_to_array(0);
    tape.object_to_array(1);
    tape.object_to_array(99);
    assert_eq!(tape.nodes()[0], Node::Array);
    assert_eq!(tape.nodes()[1..], sample().nodes()[1..]);
}

#[test]
fn what_is_appended_keeps_its_texts() {
    let mut tape = sample();
    tape.append(&sample());
    let json = |tape: &Tape| crate::collect::json::to_json(tape);
    assert_eq!(tape.len(), 20);
    let mut second = Tape::default();
    second.append_range(&tape, 10, 20);
    assert_eq!(second, sample());
    let mut part = Tape::default();
    part.append_range(&tape, 12, 16);
    assert_eq!(json(&part), "[1,\"x\"]");
    part.append_range(&tape, 99, 100);
    assert_eq!(part.len(), 4);
}
