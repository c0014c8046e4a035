//! What holds for every reply: tiling, the grammar of what is told, every prefix, deltas, and what no repair means.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::facts::{Bytes, Facts};
use common::fixtures::all;
use common::grammar::{Checked, Nobody, feed};
use common::hostile::{ALL, Allows, OFFERED};
use common::{Places, offering, pieces, streamed_outcome, values, whole};
use std::sync::Arc;
use toolparse::collect::json::to_json;
use toolparse::collect::outcome::{Collector, SegmentKind};
use toolparse::span::Span;
use toolparse::value::Ending;
use toolparse::window::BLANKS;
use toolparse::{Cut, Limits, Options, Outcome, Plan, ProseFilter, is_plain, parse};

/// Bytes of a hostile text here; longer ones have their own tests.
const HOSTILE: usize = 3000;

#[test]
fn what_is_told_keeps_the_grammar() {
    let mut places = Places::default();
    for case in all() {
        for (names, options) in case.readings() {
            places.at(&format!("{} as {names:?}", case.place), || {
                for cut in [vec![&case.raw[..]], pieces::bytes(&case.raw), pieces::random(&case.raw, 5, 16)] {
                    let mut sink = Checked::new(Nobody);
                    feed(cut, &options, case.ending(), &mut sink);
                    sink.end(case.raw.len());
                }
            });
        }
    }
}

#[test]
fn what_is_told_of_hostile_text_keeps_the_grammar() {
    let mut places = Places::default();
    let options = offering(OFFERED);
    for case in ALL {
        let text = case.text(HOSTILE);
        places.at(case.name, || {
            for cut in [vec![&text[..]], pieces::bytes(&text), text.chunks(7).collect()] {
                let mut sink = Checked::new(Nobody);
                feed(cut, &options, Ending::Unknown, &mut sink);
                sink.end(text.len());
            }
        });
    }
}

#[test]
fn the_checker_changes_nothing() {
    for case in all().iter().step_by(7) {
        for (_, options) in case.readings() {
            let mut sink = Checked::new(Collector::new(options.cut, false, options.limits));
            if case.ending() == Ending::Finished {
                sink.inner.set_finished();
            }
            feed(pieces::random(&case.raw, 9, 12), &options, case.ending(), &mut sink);
            sink.inner.end();
            assert_eq!(Facts::of(&sink.inner.outcome), whole(&case.raw, &options, case.ending()), "{}", case.place);
        }
    }
}

#[test]
fn every_prefix_returns_and_tiles() {
    let mut places = Places::default();
    for case in all() {
        let (_, options) = case.readings().remove(0);
        places.at(&case.place, || {
            for end in 0..case.raw.len() {
                for cut in [Cut::Keep, Cut::Drop] {
                    let options = Options { cut, ..options.clone() };
                    let facts = whole(&case.raw[..end], &options, Ending::CutOff);
                    facts.assert_tiles(end);
                    assert!(cut == Cut::Keep || facts.calls.iter().all(|call| call.complete), "a call that is not whole, at {end}");
                }
            }
        });
    }
}

/// R10: a cut reply gives no call without a mark that the whole reply does not give as well.
#[test]
fn a_cut_call_is_marked() {
    let mut places = Places::default();
    for case in all() {
        let (_, options) = case.readings().remove(0);
        let full = whole(&case.raw, &options, Ending::Unknown);
        places.at(&case.place, || {
            for end in 0..case.raw.len() {
                for call in whole(&case.raw[..end], &options, Ending::Unknown).calls {
                    // Nothing but the end of the reply ends a bare call.
                    let clean = call.complete && call.repairs.is_empty() && call.shape != "bare";
                    let kept = full.calls.iter().any(|other| (&other.name, &other.arguments) == (&call.name, &call.arguments));
                    assert!(!clean || kept, "cut at {end}: {call:?}");
                }
            }
        });
    }
}

/// What a stream has handed out by any piece is the beginning of what it ends with: the events are checked against the outcome as they
/// come, and the outcome only grows.
#[test]
fn what_was_read_only_grows() {
    let mut places = Places::default();
    for case in all().iter().step_by(3) {
        let (_, options) = case.readings().remove(0);
        let full = whole(&case.raw, &options, case.ending());
        places.at(&case.place, || {
            let mut stream = toolparse::Stream::new(&options);
            for piece in pieces::random(&case.raw, 11, 20) {
                stream.push(piece);
                let so_far = Facts::of(stream.outcome());
                assert!(full.text.0.starts_with(&so_far.text.0), "text is taken back");
                assert!(full.reasoning.0.starts_with(&so_far.reasoning.0), "reasoning is taken back");
                assert_eq!(full.calls[..so_far.calls.len()], so_far.calls, "a call is changed");
                assert_eq!(full.errors[..so_far.errors.len()], so_far.errors, "an error is changed");
            }
        });
    }
}

#[test]
fn no_repair_means_a_strict_reader_agrees() {
    let mut places = Places::default();
    let json = ["hermes", "xlam", "bare_json", "fenced", "nemotron", "kimi_k2", "deepseek_v31", "mistral"];
    let mut seen = 0;
    for case in all() {
        for (_, options) in case.readings() {
            let outcome = parse(&case.raw, &options, case.ending());
            for call in outcome.calls.iter().filter(|call| call.repairs.is_empty() && json.contains(&call.format)) {
                places.at(&case.place, || {
                    let source = std::str::from_utf8(&case.raw[call.span.start..call.span.end]).unwrap();
                    let arguments = values::value(&call.arguments);
                    let none = arguments.as_object().is_some_and(serde_json::Map::is_empty);
                    assert!(
                        none || every_value(source).any(|value| values::same(&value, &arguments)),
                        "{source:?} does not hold {arguments}"
                    );
                });
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen} calls");
}

/// Every object that a strict reader finds in the text.
fn every_value(text: &str) -> impl Iterator<Item = serde_json::Value> {
    text.match_indices('{').filter_map(|(at, _)| serde_json::Deserializer::from_str(&text[at..]).into_iter().next()?.ok())
}

#[test]
fn arguments_are_well_formed_objects() {
    let mut places = Places::default();
    for case in all() {
        for (_, options) in case.readings() {
            places.at(&case.place, || {
                for call in parse(&case.raw, &options, case.ending()).calls {
                    values::assert_well_formed(&call.arguments);
                    assert!(values::value(&call.arguments).is_object());
                }
            });
        }
    }
}

#[test]
fn hostile_text_gives_what_it_allows_and_the_same_in_pieces() {
    let mut places = Places::default();
    let options = offering(OFFERED);
    for case in ALL {
        let text = case.text(HOSTILE);
        places.at(case.name, || {
            let outcome = parse(&text, &options, Ending::Unknown);
            allowed(case.allows, &outcome);
            let want = Facts::of(&outcome);
            want.assert_tiles(text.len());
            for cut in [pieces::bytes(&text), text.chunks(7).collect(), text.chunks(4096).collect()] {
                assert_eq!(Facts::of(&streamed_outcome(cut, &options, Ending::Unknown)), want);
            }
        });
    }
}

/// A look ahead gives up somewhere; where, must not depend on how much is there to look at.
#[test]
fn blanks_beyond_a_look_ahead_are_read_the_same_in_pieces() {
    let mut places = Places::default();
    let blanks = vec![b' '; BLANKS + 1];
    for (index, case) in all().iter().enumerate() {
        let (_, options) = case.readings().pop().unwrap();
        for at in (0..=case.raw.len()).skip(index % 37).step_by(37) {
            let text = [&case.raw[..at], &blanks, &case.raw[at..]].concat();
            places.at(&format!("{} at {at}", case.place), || {
                let want = whole(&text, &options, case.ending());
                assert_eq!(Facts::of(&streamed_outcome(text.chunks(1), &options, case.ending())), want);
            });
        }
    }
}

fn allowed(allows: Allows, outcome: &Outcome) {
    let clean = outcome.calls.iter().filter(|call| call.complete && call.repairs.is_empty()).count();
    match allows {
        Allows::No => assert_eq!(outcome.calls.len(), 0, "{:?}", outcome.calls),
        Allows::Marked => assert_eq!(clean, 0, "{:?}", outcome.calls),
        Allows::One => assert_eq!((clean, outcome.calls.len()), (1, 1)),
        Allows::Many => assert!(clean > 1 && clean == outcome.calls.len() && outcome.errors.is_empty()),
        Allows::Any => assert!(outcome.calls.iter().all(|call| OFFERED.iter().any(|name| name.as_bytes() == call.name))),
    }
}

#[test]
fn the_filter_shows_the_same_for_every_cut() {
    let mut places = Places::default();
    for case in all() {
        let (_, options) = case.readings().remove(0);
        places.at(&case.place, || {
            let whole = filtered([&case.raw[..]], &options);
            for cut in [pieces::bytes(&case.raw), pieces::random(&case.raw, 3, 9)] {
                assert_eq!(Bytes(filtered(cut, &options)), Bytes(whole.clone()));
            }
        });
    }
}

fn filtered<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, options: &Options) -> Vec<u8> {
    let mut filter = ProseFilter::new(options);
    let mut shown: Vec<u8> = pieces.into_iter().flat_map(|piece| filter.push(piece)).collect();
    shown.extend(filter.flush());
    assert!(filter.flush().is_empty() && filter.push(b"more").is_empty());
    shown
}

/// R5, R6: a limit holds at its value, and one more is an error; whole and in pieces.
#[test]
fn the_number_of_calls_is_limited() {
    let options = offering(OFFERED);
    let call = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>";
    for more in [0, 1, 2] {
        let text = call.repeat(Limits::DEFAULT.calls + more);
        let want = whole(text.as_bytes(), &options, Ending::Unknown);
        assert_eq!((want.calls.len(), want.errors.len()), (Limits::DEFAULT.calls, more));
        assert!(want.errors.iter().all(|error| error.kind == "limit" && error.raw.0 == call.as_bytes()[11..call.len() - 12]));
        assert_eq!(Facts::of(&streamed_outcome(text.as_bytes().chunks(5), &options, Ending::Unknown)), want);
    }
}

#[test]
fn the_number_of_errors_is_limited() {
    let options = offering(OFFERED);
    let most = Limits::DEFAULT.errors;
    let text = "<tool_call>{\"name\":\"zz\",\"arguments\":{}}</tool_call>".repeat(most + 5);
    let want = whole(text.as_bytes(), &options, Ending::Unknown);
    assert_eq!(want.errors.len(), most + 1);
    assert_eq!(want.errors[most].kind, "limit");
    assert!(want.errors[..most].iter().all(|error| error.kind == "unknown_tool"));
    want.assert_tiles(text.len());
    assert_eq!(Facts::of(&streamed_outcome(text.as_bytes().chunks(9), &options, Ending::Unknown)), want);
}

#[test]
fn max_bytes_cuts_back_to_a_whole_character() {
    let text = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":\"é😀ü\"}}</tool_call> Fin é".as_bytes();
    for most in 0..=text.len() + 1 {
        let options = Options { max_bytes: Some(most), ..offering(OFFERED) };
        let want = whole(text, &options, Ending::Unknown);
        assert_eq!(want.truncated, most < text.len());
        let head = &text[..most.min(text.len())];
        let head = &head[..head.len() - toolparse::utf8::incomplete_tail(head)];
        want.assert_tiles(head.len());
        for cut in [pieces::bytes(text), pieces::random(text, 2, 6)] {
            assert_eq!(Facts::of(&streamed_outcome(cut, &options, Ending::Unknown)), want, "at {most}");
        }
    }
}

#[test]
fn max_bytes_trims_one_half_character() {
    for text in [&b"a\xDC\xDC\xDC\xDC"[..], b"\xF0\x9F\xF0\x9F\xF0\x9F\xF0\x9F", b"\xE2\x82\xC3\xC3\xE2"] {
        for most in 0..=text.len() + 1 {
            let options = Options { max_bytes: Some(most), ..offering(OFFERED) };
            let want = whole(text, &options, Ending::Unknown);
            for cut in [pieces::bytes(text), pieces::random(text, 2, 6)] {
                assert_eq!(Facts::of(&streamed_outcome(cut, &options, Ending::Unknown)), want, "{} at {most}", text.escape_ascii());
            }
        }
    }
}

#[test]
fn arguments_are_written_as_they_are_told() {
    let options = offering(OFFERED);
    let text = br#"<tool_call>{"name":"f","arguments":{"a":[1,{"b":"x\ny"},[]],"c":{},"d":null}}</tool_call>"#;
    let outcome = streamed_outcome(pieces::bytes(text), &options, Ending::Unknown);
    assert_eq!(to_json(&outcome.calls[0].arguments), r#"{"a":[1,{"b":"x\ny"},[]],"c":{},"d":null}"#);
}

/// What is taken for plain without being read is prose and nothing else when it is read.
#[test]
fn plain_characters_are_prose() {
    let mut plain = 0;
    for case in all() {
        for (names, options) in case.readings() {
            let half = &case.raw[..case.raw.len() / 2];
            let prose = parse(&case.raw, &options, case.ending()).text;
            for text in [&case.raw, half, &prose].into_iter().filter_map(|text| std::str::from_utf8(text).ok()) {
                let characters: Vec<u32> = text.chars().map(u32::from).collect();
                if !is_plain(&characters, &options) {
                    continue;
                }
                plain += 1;
                let outcome = parse(text.as_bytes(), &options, case.ending());
                let one = [(SegmentKind::Prose, Span::new(0, text.len()))];
                assert_eq!(outcome.segments, one, "{} as {names:?}: {text:?}", case.place);
                assert_eq!(outcome.text, text.as_bytes(), "{}", case.place);
                assert!(outcome.errors.is_empty() && outcome.calls.is_empty() && !outcome.truncated, "{}", case.place);
            }
        }
    }
    assert!(plain > 20, "{plain}");
}

#[test]
fn characters_are_plain_until_something_may_start() {
    let options = offering(&["f"]);
    let is = |text: &str, options: &Options| is_plain(&text.chars().map(u32::from).collect::<Vec<_>>(), options);
    let wide = "Ветер с моря. 港口的账本。 ".repeat(9);
    assert!(is(&wide, &options));
    assert!(is(&format!("{wide}`один` [1] a < b → c"), &options), "near a marker");
    for behind in ["<t", "<", "``", "● <function=f>", "◦", "</think>", "[TOOL_CALLS]", "<｜tool"] {
        assert!(!is(&format!("{wide}{behind}"), &options), "{behind}");
    }
    for before in ["", " \n", "{\"name\": \"f\"} "] {
        assert!(is(&format!("{before}{wide}"), &options), "{before:?} is prose once text follows");
    }
    for before in ["{\"name\": \"f\", \"arguments\": {\"a\": \"", "[f(a='", "<|channel|>", &" ".repeat(100)] {
        assert!(!is(&format!("{before}{wide}"), &options), "{before:?} may be more");
    }
    assert!(!is(" \n ", &options), "nothing but blanks");
    let lines = Options { plan: Arc::new(Plan::named(&["json_line"]).unwrap()), ..options.clone() };
    assert!(is(&format!("{{\"n\": 1}}{wide}"), &lines));
    for before in ["{\"name\": \"f\", \"arguments\": {}}", "{\"name\": \"x\", \"arguments\": {}}"] {
        assert!(!is(&format!("{before}{wide}"), &lines), "{before:?} is a call, or an error");
    }
    assert!(!is(&wide, &Options { prompt: b"<think>".to_vec(), ..options.clone() }), "it starts inside reasoning");
    assert!(!is(&wide, &Options { max_bytes: Some(100), ..options.clone() }), "not all of it is read");
}
