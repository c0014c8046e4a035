//! R3, R4: what feeding takes, counted in bytes, whatever the clock says.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::grammar::{Fed, Nobody, feed};
use common::hostile::{ALL, Allows, Hostile, OFFERED};
use common::{Places, offering};
use toolparse::value::Ending;
use toolparse::{Cut, Event, Options, Stream};

const SIZE: usize = 40_000;

/// Bytes that may be copied for each byte of the reply.
const MOST_COPIED: usize = 8;

/// Bytes that prose may be held back: an opener without a call, which may still turn out to be an error, and a look over white space.
const MOST_HELD: usize = 8192;

fn fed(case: &Hostile, size: usize, piece: usize, options: &Options) -> Fed {
    feed(case.text(size).chunks(piece), options, Ending::Unknown, &mut Nobody)
}

#[test]
fn bytes_are_copied_a_bounded_number_of_times() {
    let mut places = Places::default();
    for case in ALL {
        for cut in [Cut::Keep, Cut::Drop] {
            let options = Options { cut, ..offering(OFFERED) };
            for piece in [1, 16, 1000] {
                places.at(&format!("{} {cut:?} in pieces of {piece}", case.name), || {
                    let fed = fed(case, SIZE, piece, &options);
                    assert!(fed.copied <= MOST_COPIED * SIZE, "{} times", fed.copied / SIZE);
                });
            }
        }
    }
}

/// What is held back of prose does not grow with the reply.
#[test]
fn prose_is_not_held_back_without_a_bound() {
    // What looks like one value from the first byte on may be the whole reply until its end shows; an error quotes its text; a call in
    // reasoning is a draft or not, and only the end of the block tells.
    let whole_reply = ["brace_flood", "bare_name_flood", "line_json_flood", "fenced_json_flood", "call_opener_flood"];
    let errors = ["separator_flood", "long_name", "control_name"];
    let held = [&whole_reply[..], &errors, &["call_in_think"]].concat();
    let mut places = Places::default();
    for case in ALL.iter().filter(|case| case.allows == Allows::No && !held.contains(&case.name)) {
        places.at(case.name, || {
            let fed = fed(case, SIZE, 16, &offering(OFFERED));
            assert!(fed.most_kept <= MOST_HELD, "{} bytes", fed.most_kept);
        });
    }
}

/// Blanks before the first text are settled as they come, but for those that a form may begin with.
#[test]
fn leading_blanks_are_not_looked_at_again() {
    let case = ALL.iter().find(|case| case.name == "leading_blanks").unwrap();
    let fed = fed(case, SIZE, 1, &offering(OFFERED));
    assert!(fed.most_kept <= 8, "{} bytes", fed.most_kept);
}

/// A call that is certain is handed out as it comes: what is kept of the reply does not grow with its arguments.
#[test]
fn a_long_argument_is_not_kept_as_text() {
    for case in ALL.iter().filter(|case| ["long_string", "escaped_quotes", "astral_string", "many_items", "many_keys"].contains(&case.name))
    {
        let fed = fed(case, SIZE, 16, &offering(OFFERED));
        assert!(fed.most_kept <= 1024, "{}: {} bytes", case.name, fed.most_kept);
    }
}

/// What is handed out is in proportion to what came in, and no piece makes much more of it than it holds.
#[test]
fn events_are_in_proportion() {
    let mut places = Places::default();
    for case in ALL {
        places.at(case.name, || {
            let text = case.text(SIZE);
            let mut stream = Stream::new(&offering(OFFERED));
            let (mut events, mut bytes) = (0, 0);
            for piece in text.chunks(16) {
                for event in stream.push(piece) {
                    events += 1;
                    bytes += size(&event);
                }
            }
            for event in stream.finish(Ending::Unknown) {
                events += 1;
                bytes += size(&event);
            }
            assert!(events <= text.len() / 4, "{events} events");
            // A control character is six bytes of JSON.
            assert!(bytes <= 6 * text.len(), "{bytes} bytes");
            let errors: usize = stream.outcome().errors.iter().map(|error| error.raw.len()).sum();
            assert!(errors <= text.len(), "errors quote {errors} bytes");
        });
    }
}

fn size(event: &Event) -> usize {
    match event {
        Event::Text(text) | Event::Reasoning(text) => text.len(),
        Event::CallStart(_, name, _) => name.len(),
        Event::Arguments(_, json) => json.len(),
        Event::CallEnd(_) | Event::Failed(_) => 0,
    }
}

/// R4: marks, segments and errors are in proportion to the reply.
#[test]
fn what_is_kept_of_a_reply_is_in_proportion() {
    let mut places = Places::default();
    for case in ALL {
        places.at(case.name, || {
            let text = case.text(SIZE);
            let outcome = toolparse::parse(&text, &offering(OFFERED), Ending::Unknown);
            let nodes: usize = outcome.calls.iter().map(|call| call.arguments.len()).sum();
            let marks: usize = outcome.calls.iter().map(|call| call.repairs.len()).sum();
            assert!(nodes <= text.len() + 8 && marks <= text.len() + 8, "{nodes} nodes, {marks} marks");
            assert!(outcome.segments.len() <= text.len(), "{} segments", outcome.segments.len());
        });
    }
}
