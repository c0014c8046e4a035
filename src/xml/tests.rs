//! What the references stand for, and what is no reference.

use super::*;

fn text(escaped: &str) -> String {
    String::from_utf8_lossy(&unescape(escaped.as_bytes())).into_owned()
}

#[test]
fn references_are_characters() {
    assert_eq!(text("&lt;a b=&quot;c&quot;&gt; &amp; &apos;"), "<a b=\"c\"> & '");
    assert_eq!(text("&#65;&#x42;&#X43;&#x1F600;&#233;"), "ABC😀é");
}

#[test]
fn one_level_comes_off() {
    assert_eq!(text("&amp;lt;"), "&lt;");
    assert_eq!(text("&amp;amp;amp;"), "&amp;amp;");
}

#[test]
fn anything_else_stays() {
    for plain in
        ["", "a", "&", "&;", "&&", "&nbsp;", "&lt", "a & b; c", "&#;", "&#x;", "&#xD800;", "&#x110000;", "&#-1;", "&LT;", "< a", "<b>x</b>"]
    {
        assert_eq!(text(plain), plain);
    }
}

#[test]
fn a_section_is_verbatim() {
    assert_eq!(text("a<![CDATA[<b> &amp; ]] ]]>c&lt;"), "a<b> &amp; ]] c<");
    assert_eq!(text("<![CDATA[]]><![CDATA[x]]>"), "x");
    assert_eq!(text("<![CDATA[x"), "x");
    assert_eq!(text("<![CDAT[x"), "<![CDAT[x");
}

#[test]
fn bytes_that_are_no_text_stay() {
    assert_eq!(unescape(b"\xFF&lt;\x80"), b"\xFF<\x80");
    assert_eq!(unescape(b"&\xFF;"), b"&\xFF;");
}

#[test]
fn many_references_take_one_pass() {
    assert_eq!(unescape("&lt;".repeat(100_000).as_bytes()), b"<".repeat(100_000));
    assert_eq!(unescape("&".repeat(100_000).as_bytes()), b"&".repeat(100_000));
    assert_eq!(unescape("<![CDATA[".repeat(1000).as_bytes()), "<![CDATA[".repeat(999).as_bytes());
}
