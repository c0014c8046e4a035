//! The searches find what a plain loop finds, at every place around the edges of a block.

use super::*;

#[test]
fn every_byte_is_found_or_passed_over_in_a_string() {
    for byte in 0..=255_u8 {
        let wanted = byte == b'"' || byte == b'\\' || byte < 0x20;
        for length in [1, 31, 32, 33, 64, 100] {
            for at in [0, 1, 15, 30, 31, 32, 33, 63, 64, 99] {
                if at < length {
                    let mut text = vec![b'x'; length];
                    text[at] = byte;
                    assert_eq!(find_in_string(&text), wanted.then_some(at), "{byte} at {at} of {length}");
                    let single = byte == b'\'' || wanted && byte != b'"';
                    assert_eq!(find_in_quotes::<b'\''>(&text), single.then_some(at), "{byte} at {at} of {length}");
                }
            }
        }
    }
}

#[test]
fn the_first_of_several_counts() {
    let mut text = vec![b'x'; 100];
    for at in (0..100).rev() {
        text[at] = if at % 2 == 0 { b'"' } else { b'\n' };
        assert_eq!(find_in_string(&text), Some(at));
    }
    assert_eq!(find_in_string(b""), None);
}

#[test]
fn a_byte_given_twice_counts_once() {
    let set = ByteSet::new([b'<', b'<', b'[', b'<']);
    assert_eq!(set, ByteSet::new([b'<', b'[']));
    assert!((0..=255).all(|byte| set.contains(byte) == matches!(byte, b'<' | b'[')));
}

#[test]
fn pairs_are_found_as_a_loop_finds_them() {
    let pairs = [(b'<', b't'), (b'<', b'|'), (b'[', b'T'), (b'`', b'`'), (0xE2, 0x97)];
    let set = PairSet::new(&pairs);
    let alphabet = [b'<', b't', b'|', b'[', b'T', b'`', 0xE2, 0x97, b'x', 0];
    let (mut text, mut state) = (Vec::new(), 1_u32);
    for _ in 0..300 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.push(if state >> 30 == 0 { alphabet[(state >> 16) as usize % alphabet.len()] } else { b'x' });
    }
    for start in 0..text.len() {
        for end in [start, start + 1, start + 33, text.len()] {
            let part = &text[start..end.clamp(start, text.len())];
            let stands = |at: usize| match part.get(at + 1) {
                Some(next) => pairs.contains(&(part[at], *next)),
                None => pairs.iter().any(|pair| pair.0 == part[at]),
            };
            assert_eq!(set.find(part), (0..part.len()).find(|at| stands(*at)), "{start}..{end}");
        }
    }
}

#[test]
fn more_than_eight_first_bytes_are_too_many_for_none() {
    let pairs: Vec<(u8, u8)> = (b'a'..=b'l').map(|first| (first, b'!')).collect();
    let set = PairSet::new(&pairs);
    let text = [vec![b'x'; 40], b"k!".to_vec()].concat();
    assert_eq!(set.find(&text), Some(40));
    assert_eq!(PairSet::new(&[]).find(&text), None);
}

#[test]
fn characters_may_hold_a_pair_where_their_utf8_holds_one() {
    let set = PairSet::new(&[(b'<', b't'), (b'<', 0xEF), (b'`', b'`'), (0xE2, 0x97), (0xF0, 0x9F)]);
    let alphabet = ['<', 't', '|', '`', '●', '◀', '—', '｜', '«', '»', 'é', 'x', '窗', '鼠', '😀', '𝄞'];
    let mut state = 1_u32;
    let mut seen = [0; 2];
    for round in 0..4000 {
        let mut characters: Vec<u32> = Vec::new();
        for _ in 0..round % 100 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            characters.push(u32::from(if state >> 26 == 0 { alphabet[(state >> 16) as usize % alphabet.len()] } else { 'x' }));
        }
        let stands = set.find(&crate::utf8::encoded(&characters)).is_some();
        seen[usize::from(stands)] += 1;
        assert_eq!(set.may_stand_in(&characters), stands, "{characters:x?}");
        let narrow: Vec<u16> = characters.iter().filter_map(|code| u16::try_from(*code).ok()).collect();
        assert_eq!(set.may_stand_in(&narrow), set.find(&crate::utf8::encoded(&narrow)).is_some(), "{narrow:x?}");
        let bytes: Vec<u8> = characters.iter().filter_map(|code| u8::try_from(*code).ok()).collect();
        assert_eq!(set.may_stand_in(&bytes), set.find(&crate::utf8::encoded(&bytes)).is_some(), "{bytes:x?}");
    }
    assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
}

#[test]
fn more_kinds_of_characters_than_are_searched_for_may_stand_anywhere() {
    let pairs: Vec<(u8, u8)> = (b'a'..b'a' + 9).map(|first| (first, b'!')).collect();
    assert!(PairSet::new(&pairs).may_stand_in(&[0_u16; 3]));
    assert!(!PairSet::new(&pairs[1..]).may_stand_in(&[0_u16; 3]));
    assert!(!PairSet::new(&[]).may_stand_in(&[0_u16; 3]));
    let wide = [(0xE2, 0x97), (0xEF, 0xBD), (0xC2, 0xAB)];
    assert!(PairSet::new(&wide).may_stand_in(&[b'x'; 3]));
    assert!(!PairSet::new(&wide[1..]).may_stand_in(&[b'x'; 3]));
}
