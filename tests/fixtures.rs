//! Every fixture: what must come out, whole and for every way to cut the reply.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod common;

use common::facts::{Bytes, Facts};
use common::fixtures::{Call, Case, all};
use common::{Places, pieces, streamed, values, whole};
use std::collections::BTreeSet;
use toolparse::repair::Repair;
use toolparse::{Options, parse};

/// Two-way cuts of one reply; a longer reply is cut at this many places evenly.
const MOST_CUTS: usize = 400;

#[test]
fn every_folder_is_read() {
    let cases = all();
    assert!(cases.len() > 500, "{} cases", cases.len());
    for folder in ["formats/", "prose/", "repairs/"] {
        assert!(cases.iter().any(|case| case.place.starts_with(folder)), "{folder}");
    }
}

#[test]
fn whole_replies_give_what_the_fixture_says() {
    let mut wrong = Vec::new();
    for case in all() {
        for (names, options) in case.readings() {
            let outcome = parse(&case.raw, &options, case.ending());
            let calls: Vec<Call> = outcome
                .calls
                .iter()
                .map(|call| Call {
                    name: String::from_utf8(call.name.clone()).unwrap(),
                    arguments: values::value(&call.arguments),
                    complete: call.complete,
                    repairs: call.repairs.iter().map(mark).collect::<BTreeSet<_>>(),
                })
                .collect();
            let errors: Vec<&str> = outcome.errors.iter().map(|error| error.kind.name()).collect();
            let same_calls = calls.len() == case.calls.len() && calls.iter().zip(&case.calls).all(|(got, want)| same_call(got, want));
            if outcome.text != case.text || outcome.reasoning != case.reasoning || !same_calls || errors != case.errors {
                wrong.push(format!(
                    "{} as {names:?}\n  text {:?}\n  reasoning {:?}\n  calls {calls:?}\n  errors {errors:?}",
                    case.place,
                    Bytes(outcome.text),
                    Bytes(outcome.reasoning)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} readings differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The kind of a repair, and its class where that is not the one of the kind.
fn mark(repair: &Repair) -> String {
    match (repair.safe, repair.kind.is_exact()) {
        (true, false) => format!("{} safe", repair.kind.name()),
        (false, true) => format!("{} unsafe", repair.kind.name()),
        _ => repair.kind.name().to_owned(),
    }
}

/// Python has a number without an exact form as text; so do the fixtures.
fn same_call(got: &Call, want: &Call) -> bool {
    (&got.name, got.complete, &got.repairs) == (&want.name, want.complete, &want.repairs) && values::same(&got.arguments, &want.arguments)
}

/// Compares a way of reading with the whole reading, for each case and its options.
fn for_every_reading(check: impl Fn(&Case, &Options, &Facts)) {
    let mut places = Places::default();
    for case in all() {
        for (names, options) in case.readings() {
            places.at(&format!("{} as {names:?}", case.place), || {
                check(&case, &options, &whole(&case.raw, &options, case.ending()));
            });
        }
    }
}

#[test]
fn segments_tile_the_reply() {
    for_every_reading(|case, _, want| want.assert_tiles(case.raw.len()));
}

#[test]
fn every_cut_in_two_gives_the_same() {
    for_every_reading(|case, options, want| {
        for cut in pieces::two_way(&case.raw, MOST_CUTS) {
            assert_eq!(&streamed(cut, options, case.ending()), want, "cut at {}", cut[0].len());
        }
    });
}

#[test]
fn byte_by_byte_gives_the_same() {
    for_every_reading(|case, options, want| {
        assert_eq!(&streamed(pieces::bytes(&case.raw), options, case.ending()), want);
    });
}

#[test]
fn random_pieces_give_the_same() {
    for_every_reading(|case, options, want| {
        for seed in 1..=4 {
            assert_eq!(&streamed(pieces::random(&case.raw, seed, 8), options, case.ending()), want, "seed {seed}");
        }
    });
}
