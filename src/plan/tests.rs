//! The compiled rows: every marker is found, and which rows share one is written down.

#![allow(clippy::panic, clippy::unwrap_used)]

use super::*;
use std::fmt::Write as _;
use std::path::Path;

/// Where the rows collide, one opener a line. With `UPDATE_SNAPSHOTS=1` in the environment the file is written anew.
#[test]
fn the_collisions_are_those_of_the_snapshot() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/collisions.txt");
    let mut now = String::from("Openers that several rows of auto-detection share, and the rows in the order in which they are asked.\n");
    for (opener, rows) in Plan::auto().collisions() {
        writeln!(now, "{opener:?}: {}", rows.join(", ")).unwrap();
    }
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let then = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(now, then, "run with UPDATE_SNAPSHOTS=1 if this is meant");
}

fn plans() -> Vec<Plan> {
    let mut names: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
    names.dedup();
    names.into_iter().map(|name| Plan::named(&[name]).unwrap()).chain([Plan::auto()]).collect()
}

#[test]
fn every_marker_is_found_where_it_stands() {
    for plan in plans() {
        for marker in &plan.markers {
            assert!(marker.text.len() >= 3, "{:?} is too short to be found", marker.text.escape_ascii().to_string());
            let text = [b"x".repeat(40), marker.text.to_vec(), b"\0".to_vec()].concat();
            let window = Window::new(&text, 0, false);
            let Some(Match::Marker(found)) = plan.find(&window, 40) else { panic!("{:?} is not found", marker.text) };
            assert_eq!(plan.get(found).text, marker.text);
        }
    }
}

#[test]
fn a_marker_that_is_not_whole_is_undecided_or_none() {
    for plan in plans() {
        for marker in &plan.markers {
            for end in 1..marker.text.len() {
                let head = &marker.text[..end];
                let longer = |other: &Marker| other.text.len() > end && other.text.starts_with(head);
                assert!(plan.markers.iter().any(longer));
                assert_eq!(plan.find(&Window::new(head, 0, false), 0), None, "{:?}", head.escape_ascii().to_string());
                assert!(plan.find(&Window::new(head, 0, true), 0).is_some());
            }
        }
    }
}

#[test]
fn the_longest_marker_counts() {
    for plan in plans() {
        for marker in &plan.markers {
            let longer: Vec<&Marker> =
                plan.markers.iter().filter(|other| other.text.len() > marker.text.len() && other.text.starts_with(marker.text)).collect();
            let undecided = plan.find(&Window::new(marker.text, 0, false), 0).is_none();
            assert_eq!(
                undecided,
                !longer.is_empty() || plan.shapes.iter().any(|shape| shape.prefix.as_bytes().starts_with(marker.text)),
                "{:?}",
                marker.text.escape_ascii().to_string()
            );
        }
    }
}

#[test]
fn the_search_stops_at_every_opener_that_counts_anywhere() {
    for plan in plans() {
        for (row, _) in plan.rows.iter().zip(0..).filter(|(row, _)| row.place == Place::Anywhere && !matches!(row.body, Body::Messages(_)))
        {
            for open in row.openers() {
                let text = format!("plain words {open}");
                let at = plan.next_start(text.as_bytes(), false).unwrap();
                assert!(at <= "plain words ".len(), "{open:?} is passed over");
            }
        }
    }
}

#[test]
fn names_are_rows_or_unknown() {
    assert_eq!(Plan::named(&["nobody"]).unwrap_err(), UnknownFormat("nobody".to_owned()));
    assert_eq!(Plan::named(&["hermes", "nobody"]).unwrap_err(), UnknownFormat("nobody".to_owned()));
    let names = |plan: &Plan| plan.rows.iter().map(|row| row.name).collect::<Vec<_>>();
    let hermes = Plan::named(&["hermes"]).unwrap();
    assert!(!hermes.rows.is_empty() && names(&hermes).iter().all(|name| *name == "hermes"));
    let auto = Plan::named(&["auto"]).unwrap();
    assert_eq!(names(&auto), names(&Plan::auto()));
    let more = Plan::named(&["react", "auto"]).unwrap();
    assert_eq!(more.rows.len(), auto.rows.len() + FORMATS.iter().filter(|row| row.name == "react").count());
    assert_eq!(names(&more), names(&Plan::named(&["auto", "react"]).unwrap()), "the order of names says nothing");
    assert!(Plan::named::<&str>(&[]).unwrap().rows.is_empty());
}

#[test]
fn values_stop_at_the_markers_of_their_row() {
    let plan = Plan::named(&["hermes"]).unwrap();
    for (row, stops) in plan.rows.iter().zip(&plan.stops) {
        let markers: Vec<&[u8]> = row.call.open.iter().chain(row.call.close).map(|marker| marker.as_bytes()).collect();
        assert!(markers.iter().all(|marker| stops.iter().any(|stop| stop == marker)));
    }
}

#[test]
fn a_shape_is_found_in_its_bounds() {
    let shape = ControlShape { prefix: "<|", end: "|>", most: 5, without: b"|>\n" };
    let at = |text: &[u8], last| shape_at(&shape, &Window::new(text, 0, last), 0);
    assert_eq!(at(b"<|abc|>x", false), Some(Some(7)));
    assert_eq!(at(b"<|abcde|>", false), Some(Some(9)));
    assert_eq!(at(b"<|abcdef|>", false), Some(None));
    assert_eq!(at(b"<||>", false), Some(None));
    assert_eq!(at(b"<|a\nb|>", false), Some(None));
    assert_eq!(at(b"<|a|b|>", false), Some(None));
    assert_eq!(at(b"<|abc", false), None);
    assert_eq!(at(b"<|abc", true), Some(None));
    assert_eq!(at(b"<|abc|", false), None);
    assert_eq!(at(b"<|abc|", true), Some(None));
    assert_eq!(at(b"<", false), None);
    assert_eq!(at(b"<x", false), Some(None));
}

#[test]
fn a_named_format_reads_its_own_reasoning() {
    let thinks = |names: &[&str]| Plan::named(names).unwrap().thinks.iter().map(|think| think.name).collect::<Vec<_>>();
    assert_eq!(thinks(&["hermes"]), ["think"]);
    assert_eq!(thinks(&["mistral"]), ["think", "mistral"]);
    assert_eq!(thinks(&["harmony"]), Vec::<&str>::new());
    assert_eq!(thinks(&["hermes", "auto"]).len(), THINKS.len());
}
