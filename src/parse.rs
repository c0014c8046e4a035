//! The Rust face: [`parse`], [`Stream`], [`ProseFilter`].

use crate::collect::outcome::{Collector, Cut, Event, Outcome};
use crate::collect::prose::ProseOnly;
use crate::limits::Limits;
use crate::machine::{Machine, Sink};
use crate::plan::Plan;
use crate::tools::Tools;
use crate::utf8::{Character, encoded, incomplete_tail, widest};
use crate::value::Ending;
use crate::window::Window;
use std::sync::Arc;

/// How replies are read.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rows that are read.
    pub plan: Arc<Plan>,
    /// What was offered.
    pub tools: Arc<Tools>,
    /// The end of the text that the model was continuing.
    pub prompt: Vec<u8>,
    /// How many bytes are read.
    pub max_bytes: Option<usize>,
    /// What is done with a call that the reply breaks off.
    pub cut: Cut,
    /// How much is taken in.
    pub limits: Limits,
}

impl Options {
    /// Reads every family, for these tools.
    #[must_use]
    pub fn new(tools: Tools) -> Options {
        Options {
            plan: Arc::new(Plan::auto()),
            tools: Arc::new(tools),
            prompt: Vec::new(),
            max_bytes: None,
            cut: Cut::Keep,
            limits: Limits::DEFAULT,
        }
    }

    fn machine(&self) -> Machine {
        let mut machine = Machine::new(self.plan.clone(), self.tools.clone(), self.limits);
        if !self.prompt.is_empty() {
            machine.continue_prompt(&self.prompt);
        }
        machine
    }
}

/// Reads a whole reply: a stream that is fed once.
#[must_use]
pub fn parse(text: &[u8], options: &Options, ending: Ending) -> Outcome {
    let mut machine = options.machine();
    let mut collector = Collector::new(options.cut, false, options.limits);
    let (text, truncated) = limited(text, options.max_bytes);
    let ending = ending_at(ending, truncated);
    machine.set_ending(ending);
    if ending == Ending::Finished {
        collector.set_finished();
    }
    machine.feed(&Window::new(text, 0, true), &mut collector);
    collector.end();
    collector.outcome.truncated = truncated;
    collector.outcome
}

/// So many characters show what a reply begins with.
const HEAD: usize = 64;

/// True when [`parse`] would find prose in these characters and nothing else: the machine, having read the first of them, is in prose, and
/// in all of them nothing stands that prose looks at. So most of them need not become UTF-8. False when that is not sure.
#[must_use]
pub fn is_plain<C: Character>(characters: &[C], options: &Options) -> bool {
    let bytes = characters.len().saturating_mul(widest::<C>());
    if options.max_bytes.is_some_and(|most| most < bytes) || options.plan.may_start_in(characters) {
        return false;
    }
    let head = encoded(characters.get(..HEAD).unwrap_or_default());
    let mut machine = options.machine();
    let mut prose = ProseOnly::default();
    machine.feed(&Window::new(&head, 0, false), &mut prose);
    !prose.beside && machine.is_in_prose(head.len())
}

/// What is known about the end of what is read: where a part is left unread, it is not the writer's.
fn ending_at(ending: Ending, truncated: bool) -> Ending {
    if truncated { Ending::CutOff } else { ending }
}

/// The first `most` bytes, cut back to a whole character.
fn limited(text: &[u8], most: Option<usize>) -> (&[u8], bool) {
    let Some(most) = most.filter(|most| *most < text.len()) else { return (text, false) };
    let head = text.get(..most).unwrap_or_default();
    (head.get(..head.len() - incomplete_tail(head)).unwrap_or_default(), true)
}

/// What a machine is fed from: the pieces, and what must be kept of them.
#[derive(Debug, Clone)]
struct Feed {
    machine: Machine,
    kept: Vec<u8>,
    base: usize,
    read: usize,
    max_bytes: Option<usize>,
    truncated: bool,
    /// Calls are kept whole until they are over, so that an error can quote them.
    keep_calls: bool,
}

impl Feed {
    fn new(options: &Options) -> Feed {
        Feed {
            machine: options.machine(),
            kept: Vec::new(),
            base: 0,
            read: 0,
            max_bytes: options.max_bytes,
            truncated: false,
            keep_calls: options.cut == Cut::Drop,
        }
    }

    fn feed<S: Sink>(&mut self, piece: &[u8], last: bool, sink: &mut S) {
        let before = self.truncated;
        let piece = self.limit(piece);
        let cut = self.truncated && !before;
        if self.kept.is_empty() {
            let whole = if last { piece.len() } else { piece.len() - incomplete_tail(piece) };
            let window = Window::new(piece.get(..whole).unwrap_or_default(), self.base, last);
            let keep = self.read_window(&window, sink);
            self.kept.extend_from_slice(piece.get(keep..).unwrap_or_default());
            self.base += keep;
            if cut {
                self.drop_half_character();
            }
            return;
        }
        let mut kept = std::mem::take(&mut self.kept);
        kept.extend_from_slice(piece);
        let whole = if last { kept.len() } else { kept.len() - incomplete_tail(&kept) };
        let window = Window::new(kept.get(..whole).unwrap_or_default(), self.base, last);
        let keep = self.read_window(&window, sink);
        if keep > 0 {
            kept.drain(..keep);
        }
        self.base += keep;
        self.kept = kept;
        if cut {
            self.drop_half_character();
        }
    }

    /// The limit cuts back to a whole character, whose first bytes may have come in an earlier piece.
    fn drop_half_character(&mut self) {
        self.kept.truncate(self.kept.len() - incomplete_tail(&self.kept));
    }

    fn read_window<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> usize {
        let mut keep = self.machine.feed(window, sink);
        if self.keep_calls {
            keep = keep.min(self.machine.call_start().unwrap_or(keep));
        }
        keep.saturating_sub(self.base)
    }

    fn limit<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let Some(most) = self.max_bytes else {
            self.read += piece.len();
            return piece;
        };
        if self.truncated {
            return &[];
        }
        let room = most - self.read.min(most);
        let head = piece.get(..room).unwrap_or(piece);
        self.truncated = room < piece.len();
        self.read += head.len();
        head
    }
}

/// Reads a reply while it comes.
#[derive(Debug, Clone)]
pub struct Stream {
    feed: Feed,
    collector: Collector,
    finished: bool,
}

impl Stream {
    /// A stream at the start of a reply.
    #[must_use]
    pub fn new(options: &Options) -> Stream {
        Stream { feed: Feed::new(options), collector: Collector::new(options.cut, true, options.limits), finished: false }
    }

    /// Reads the next piece; a piece may end inside a character.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Event> {
        if !self.finished && !piece.is_empty() {
            self.feed.feed(piece, false, &mut self.collector);
        }
        self.collector.take_events()
    }

    /// The reply is over.
    pub fn finish(&mut self, ending: Ending) -> Vec<Event> {
        if self.finished {
            return Vec::new();
        }
        self.finished = true;
        let ending = ending_at(ending, self.feed.truncated);
        self.feed.machine.set_ending(ending);
        if ending == Ending::Finished {
            self.collector.set_finished();
        }
        self.feed.feed(b"", true, &mut self.collector);
        self.collector.end();
        self.collector.outcome.truncated = self.feed.truncated;
        self.collector.take_events()
    }

    /// True after [`Stream::finish`].
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// What was read so far.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.collector.outcome
    }
}

/// Hands out the prose that is safe to show.
#[derive(Debug, Clone)]
pub struct ProseFilter {
    feed: Feed,
    finished: bool,
}

impl ProseFilter {
    /// A filter at the start of a reply.
    #[must_use]
    pub fn new(options: &Options) -> ProseFilter {
        ProseFilter { feed: Feed::new(options), finished: false }
    }

    /// The prose that is safe to show so far.
    pub fn push(&mut self, delta: &[u8]) -> Vec<u8> {
        let mut prose = ProseOnly::default();
        if !self.finished {
            self.feed.feed(delta, false, &mut prose);
        }
        prose.text
    }

    /// True after [`ProseFilter::flush`].
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// What is left at the end of the reply.
    pub fn flush(&mut self) -> Vec<u8> {
        let mut prose = ProseOnly::default();
        if !std::mem::replace(&mut self.finished, true) {
            self.feed.feed(b"", true, &mut prose);
        }
        prose.text
    }
}
