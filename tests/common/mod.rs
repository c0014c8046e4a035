//! What the tests in Rust share: fixtures, ways to cut a reply, what a reply came to, and the rules that its events keep.
//!
//! The fuzz targets use the same files.

#![allow(dead_code, clippy::expect_used, clippy::panic, clippy::unwrap_used, clippy::missing_panics_doc)]

pub mod facts;
pub mod fixtures;
pub mod grammar;
pub mod hostile;
pub mod log;
pub mod markup;
pub mod pieces;
pub mod random;
pub mod values;

use facts::Facts;
use log::Log;
use std::panic::{AssertUnwindSafe, catch_unwind};
use toolparse::value::Ending;
use toolparse::{Options, Outcome, Stream, Tools, parse};

/// All of the reply in one reading.
pub fn whole(text: &[u8], options: &Options, ending: Ending) -> Facts {
    Facts::of(&parse(text, options, ending))
}

/// The result of a stream, after its events were found to say the same.
pub fn streamed<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, options: &Options, ending: Ending) -> Facts {
    Facts::of(&streamed_outcome(pieces, options, ending))
}

/// The same, as the stream has it.
pub fn streamed_outcome<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, options: &Options, ending: Ending) -> Outcome {
    let mut stream = Stream::new(options);
    let mut log = Log::default();
    for piece in pieces {
        let events = stream.push(piece);
        log.take(events, stream.outcome());
    }
    let events = stream.finish(ending);
    log.take(events, stream.outcome());
    log.compare(stream.outcome());
    assert!(stream.is_finished());
    assert!(stream.finish(ending).is_empty(), "a stream that is over says something");
    assert!(stream.push(b"more").is_empty(), "a stream that is over reads on");
    stream.outcome().clone()
}

/// Options for these names, without schemas.
pub fn offering(names: &[&str]) -> Options {
    Options::new(Tools::from_names(names.iter().map(|name| (*name).to_owned()).collect()))
}

/// Runs a check at each of many places, and names all at which it fails.
#[derive(Default)]
pub struct Places(Vec<String>);

impl Places {
    pub fn at(&mut self, place: &str, check: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(check)).is_err() {
            self.0.push(place.to_owned());
        }
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        assert!(self.0.is_empty() || std::thread::panicking(), "{} places fail:\n{}", self.0.len(), self.0.join("\n"));
    }
}
