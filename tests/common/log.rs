//! The rules that the events of a stream keep.

use super::facts::Bytes;
use toolparse::collect::json::to_json;
use toolparse::limits::Limit;
use toolparse::repair::FaultKind;
use toolparse::{Event, Outcome};

/// What a client makes of the events.
///
/// No event is empty. Calls are numbered from 0 without a gap. One is open at a time, nothing else comes while it is, and it ends once, as
/// it started; only one that was found too large fails, and leaves its number unused. What was handed out is never taken back.
#[derive(Default, Debug)]
pub struct Log {
    text: Vec<u8>,
    reasoning: Vec<u8>,
    open: Option<Open>,
    calls: usize,
    /// Calls that were found too large.
    outgrown: usize,
    errors: usize,
}

#[derive(Debug)]
struct Open {
    index: usize,
    name: Vec<u8>,
    native_id: Option<Vec<u8>>,
    arguments: String,
}

impl Log {
    /// Takes the events of one piece; `outcome` is what the stream has read so far.
    pub fn take(&mut self, events: Vec<Event>, outcome: &Outcome) {
        for event in events {
            self.event(event, outcome);
        }
        assert_eq!(Bytes(self.text.clone()), Bytes(outcome.text.clone()), "the text so far");
        assert_eq!(Bytes(self.reasoning.clone()), Bytes(outcome.reasoning.clone()), "the reasoning so far");
        assert_eq!((self.calls, self.errors), (outcome.calls.len(), outcome.errors.len()), "calls and errors so far");
    }

    fn event(&mut self, event: Event, outcome: &Outcome) {
        match event {
            Event::Text(text) => {
                assert!(!text.is_empty() && self.open.is_none(), "an empty text, or one inside a call");
                self.text.extend(text);
            }
            Event::Reasoning(text) => {
                assert!(!text.is_empty() && self.open.is_none(), "an empty reasoning, or one inside a call");
                self.reasoning.extend(text);
            }
            Event::CallStart(index, name, native_id) => {
                assert!(self.open.is_none(), "a call inside a call");
                assert!((self.calls..=self.calls + self.outgrown).contains(&index), "a call out of order");
                self.open = Some(Open { index, name, native_id, arguments: String::new() });
            }
            Event::Arguments(index, json) => {
                assert!(!json.is_empty(), "arguments that say nothing");
                let open = self.open.as_mut().expect("arguments outside a call");
                assert_eq!(index, open.index, "arguments of another call");
                open.arguments.push_str(&json);
            }
            Event::CallEnd(place) => {
                assert_eq!(place, self.calls, "a call ended out of order");
                let open = self.open.take().expect("an end without a start");
                let call = &outcome.calls[place];
                assert_eq!(call.index, open.index, "a call has another number");
                assert_eq!(call.name, open.name, "a call ended as another");
                // An id may stand behind the arguments.
                assert!(open.native_id.is_none() || open.native_id == call.native_id, "the id was changed");
                assert_eq!(open.arguments, to_json(&call.arguments), "other arguments were handed out");
                self.calls += 1;
            }
            Event::Failed(place) => {
                assert_eq!(place, self.errors, "an error out of order");
                let kind = outcome.errors[place].kind;
                let outgrown = matches!(kind, FaultKind::Limit(limit) if limit.is_size() || limit == Limit::Errors);
                assert!(outgrown || self.open.take().is_none(), "a call was taken back");
                self.open = None;
                self.outgrown += usize::from(outgrown);
                self.errors += 1;
            }
        }
    }

    /// The reply is over.
    pub fn compare(&self, outcome: &Outcome) {
        assert!(self.open.is_none(), "a call never ended");
        assert_eq!(Bytes(self.text.clone()), Bytes(outcome.text.clone()));
        assert_eq!(Bytes(self.reasoning.clone()), Bytes(outcome.reasoning.clone()));
        assert_eq!((self.calls, self.errors), (outcome.calls.len(), outcome.errors.len()));
    }
}
