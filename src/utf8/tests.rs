//! Text that is nearly UTF-8, byte by byte.

use super::*;

#[test]
fn an_incomplete_end_is_what_more_bytes_could_complete() {
    for (text, expected) in [
        (&b""[..], 0),
        (b"a", 0),
        (b"a\xC3", 1),
        (b"\xC3\xA9", 0),
        (b"\xE2", 1),
        (b"\xE2\x82", 2),
        (b"\xE2\x82\xAC", 0),
        (b"\xF0", 1),
        (b"\xF0\x9F", 2),
        (b"\xF0\x9F\x98", 3),
        (b"\xF0\x9F\x98\x80", 0),
        (b"\x80", 0),
        (b"\x80\x80\x80", 0),
        (b"\xFF", 0),
        (b"\xC0", 0),
        (b"\xC1", 0),
        (b"\xF5", 0),
        (b"\xE2\x82\xAC\xC3", 1),
        (b"\xED\xA0", 2),
    ] {
        assert_eq!(incomplete_tail(text), expected, "{text:?}");
    }
}

#[test]
fn every_character_is_incomplete_until_its_last_byte() {
    for character in ['\u{80}', '\u{7FF}', '\u{800}', '\u{D7FF}', '\u{E000}', '\u{FFFF}', '\u{10000}', '\u{10FFFF}'] {
        let mut bytes = [0; 4];
        let bytes = character.encode_utf8(&mut bytes).as_bytes();
        for cut in 1..bytes.len() {
            assert_eq!(incomplete_tail(&bytes[..cut]), cut, "{character:?}");
        }
        assert_eq!(incomplete_tail(bytes), 0);
    }
}

#[test]
fn what_is_no_character_is_replaced_once() {
    for (bytes, expected) in [
        (&b"plain"[..], "plain"),
        (b"\xC3\xA9", "é"),
        (b"a\xFFb", "a\u{FFFD}b"),
        (b"\xED\xA0\x80", "\u{FFFD}"),
        (b"\xED\xA0\x80\xED\xB0\x80", "\u{FFFD}\u{FFFD}"),
        (b"\xE2\x82", "\u{FFFD}"),
        (b"\xE2\x82x", "\u{FFFD}x"),
        (b"\x80\x80", "\u{FFFD}\u{FFFD}"),
        (b"", ""),
    ] {
        assert_eq!(lossy(bytes), expected, "{bytes:?}");
    }
    assert!(matches!(lossy("é".as_bytes()), Cow::Borrowed(_)));
}

#[test]
fn a_surrogate_has_three_bytes() {
    assert!(is_surrogate(b"\xED\xA0\x80") && is_surrogate(b"\xED\xBF\xBFx"));
    assert!(!is_surrogate(b"\xED\x9F\xBF") && !is_surrogate(b"\xED\xA0") && !is_surrogate(b"\xEE\xA0\x80") && !is_surrogate(b""));
}

#[test]
fn escapes_are_those_of_python_and_name_every_code() {
    assert_eq!(escaped("a\\é€😀\n".as_bytes()), "a\\u005c\\u00e9\\u20ac\\U0001f600\n");
    assert_eq!(escaped(b"\xED\xA0\x80|\xED\xBF\xBF"), "\\ud800|\\udfff");
    assert_eq!(escaped(b"a\xFFb\xE2\x82"), "a\\ufffdb\\ufffd");
}

#[test]
fn codes_are_encoded_as_the_standard_library_does() {
    let alphabet = ['a', '\0', '\u{7F}', '\u{80}', 'é', '\u{7FF}', '\u{800}', '港', '\u{FFFF}', '\u{10000}', '😀', '\u{10FFFF}'];
    let mut text = String::new();
    for index in 0..400 {
        text.push(if index % 97 < 40 { 'x' } else { alphabet[index * 7 % alphabet.len()] });
    }
    for start in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        let codes: Vec<u32> = text[start..].chars().map(u32::from).collect();
        assert_eq!(encoded(&codes), &text.as_bytes()[start..]);
    }
    let units: Vec<u16> = "a港é\u{FFFF}".encode_utf16().collect();
    assert_eq!(encoded(&units), "a港é\u{FFFF}".as_bytes());
    assert_eq!(encoded(&[b'a', 0xE9, 0xFF]), "aéÿ".as_bytes());
    assert_eq!(encoded(&[0xD800_u16, 0x61, 0xDFFF]), b"\xED\xA0\x80a\xED\xBF\xBF");
    assert_eq!(encoded::<u8>(&[]), b"");
}

#[test]
fn runs_of_one_width_are_made_whole_at_every_length() {
    for wide in ["é", "窗", "😀", ""] {
        for before in [0, 1, 15, 16, 17, 63, 64, 65, 130, 300] {
            for behind in [0, 1, 16, 64, 130] {
                let text = format!("{}{wide}{}", "a".repeat(before), "b".repeat(behind));
                let codes: Vec<u32> = text.chars().map(u32::from).collect();
                assert_eq!(encoded(&codes), text.as_bytes(), "{before} {wide} {behind}");
                let narrow: Vec<u16> = codes.iter().filter_map(|code| u16::try_from(*code).ok()).collect();
                let without = if wide == "😀" { text.replace(wide, "") } else { text };
                assert_eq!(encoded(&narrow), without.as_bytes(), "{before} {wide} {behind}");
            }
        }
    }
}
