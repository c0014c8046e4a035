//! Positions are the reply's; what is not at hand is not decided.

use super::*;

#[test]
fn positions_count_from_the_start_of_the_reply() {
    let window = Window::new(b"abc", 10, false);
    assert_eq!(window.end(), 13);
    assert_eq!((window.get(9), window.get(10), window.get(12), window.get(13)), (None, Some(b'a'), Some(b'c'), None));
    assert_eq!((window.from(11), window.from(13), window.from(20)), (&b"bc"[..], &b""[..], &b""[..]));
    assert_eq!((window.slice(11, 12), window.slice(11, 99), window.slice(5, 11)), (&b"b"[..], &b"bc"[..], &b"a"[..]));
    assert_eq!((window.slice(12, 11), window.slice(20, 30)), (&b""[..], &b""[..]));
}

#[test]
fn a_literal_is_there_or_not_or_may_come() {
    for (text, last, expected) in [
        (&b"<a>"[..], false, Some(true)),
        (b"<a", false, None),
        (b"<a", true, Some(false)),
        (b"", false, None),
        (b"", true, Some(false)),
        (b"<b", false, Some(false)),
        (b"<a>x", true, Some(true)),
    ] {
        assert_eq!(Window::new(text, 7, last).starts_with(7, b"<a>"), expected, "{text:?} {last}");
    }
}

#[test]
fn the_longest_literal_counts_once_it_is_certain() {
    let literals = ["<a", "<a>>", "<b"];
    assert_eq!(Window::new(b"<a>>", 0, false).starts_with_any(0, &literals), Some(Some(4)));
    assert_eq!(Window::new(b"<a>", 0, false).starts_with_any(0, &literals), None);
    assert_eq!(Window::new(b"<a>", 0, true).starts_with_any(0, &literals), Some(Some(2)));
    assert_eq!(Window::new(b"<ax", 0, false).starts_with_any(0, &literals), Some(Some(2)));
    assert_eq!(Window::new(b"<c", 0, false).starts_with_any(0, &literals), Some(None));
    assert_eq!(Window::new(b"<c", 0, false).starts_with_any::<&str>(0, &[]), Some(None));
}

#[test]
fn the_end_of_the_reply_may_lie_within_a_literal() {
    let literals = ["</call>"];
    assert!(Window::new(b"x</ca", 0, true).ends_within(1, &literals));
    assert!(!Window::new(b"x</ca", 0, false).ends_within(1, &literals));
    assert!(!Window::new(b"x</call>", 0, true).ends_within(1, &literals));
    assert!(!Window::new(b"x</cb", 0, true).ends_within(1, &literals));
    assert!(!Window::new(b"x", 0, true).ends_within(1, &literals));
}

#[test]
fn blanks_end_at_text_at_the_end_or_at_the_limit() {
    assert_eq!(Window::new(b" \n\t\rx", 3, false).after_blanks(3), Some(7));
    assert_eq!(Window::new(b"x", 3, false).after_blanks(3), Some(3));
    assert_eq!(Window::new(b"  ", 3, false).after_blanks(3), None);
    assert_eq!(Window::new(b"  ", 3, true).after_blanks(3), Some(5));
    assert_eq!(Window::new(b"", 3, false).after_blanks(3), None);
    let many = vec![b' '; BLANKS + 5];
    assert_eq!(Window::new(&many, 0, false).after_blanks(0), Some(BLANKS));
    assert_eq!(Window::new(&many[..=BLANKS], 0, false).after_blanks(0), Some(BLANKS));
    assert_eq!(Window::new(&many[..BLANKS], 0, false).after_blanks(0), None);
    assert_eq!(Window::new(&many[..BLANKS], 0, true).after_blanks(0), Some(BLANKS));
}

#[test]
fn only_the_white_space_of_json_is_blank() {
    let blanks: Vec<u8> = (0..=255).filter(|byte| is_blank(*byte)).collect();
    assert_eq!(blanks, b"\t\n\r ");
}

#[test]
fn a_marker_is_near_when_one_byte_is_missing_changed_or_added() {
    let marker = b"</arg>";
    for near in ["/arg>", "<arg>", "</rg>", "</arg", "</arg>", "</org>", "</arg)", "_/arg>", "</aarg>", "<</arg>", "</arg>>", "</arrg>"] {
        assert!(nearly_at_start(format!("{near}Oslo").as_bytes(), marker).is_some(), "{near}");
        assert!(ends_nearly_with(format!("Oslo{near}").as_bytes(), marker), "{near}");
        assert!(ends_nearly_with(near.as_bytes(), marker), "{near}");
        assert_eq!(nearly_at_start(near.as_bytes(), marker), Some(near.len()), "{near}");
    }
    for far in ["", "arg>", "</a>", "<//arg_>", "<arg/>x", "Oslo"] {
        assert_eq!(nearly_at_start(format!("{far} Oslo").as_bytes(), marker), None, "{far}");
        assert!(!ends_nearly_with(format!("Oslo {far}").as_bytes(), marker), "{far}");
    }
    assert!(nearly_at_start(b"<a>", b"<a>").is_none() && !ends_nearly_with(b"<a>", b"<a>"), "too short");
}
