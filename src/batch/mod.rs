//! Many replies: log lines in, records out. What is written for a reply depends on its line alone.
//!
//! * [`shapes`] where the reply, the tools and the id stand in a record, [`paths`] how they are found, [`replies`] what stands there
//! * [`Reader`] reads chunks of lines, or texts; a [`Sink`] takes the records
//! * [`jsonl`] and `columns` write them, [`stats`] counts them; `tables` reads columns of text

#[cfg(feature = "arrow")]
pub mod columns;
pub mod jsonl;
#[cfg(feature = "arrow")]
pub mod parquet;
pub mod paths;
pub mod replies;
pub mod shapes;
mod spans;
pub mod stats;
#[cfg(feature = "arrow")]
pub mod tables;
#[cfg(test)]
mod tests;

use crate::collect::guard::guarded;
use crate::collect::outcome::Outcome;
use crate::parse::{Options, parse};
use crate::tools::Tools;
use crate::utf8::lossy;
use crate::value::Ending;
use replies::{Reply, unquote, unquote_seen};
use serde_json::Value;
use shapes::Layout;
pub use spans::{Spans, Unit};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// No more than this much of one reply is read: what is made of it fits the 31-bit offsets of Arrow's lists and strings, whatever it holds.
pub const MOST_BYTES: usize = 256 * 1024 * 1024;

/// One record, before it is written.
#[derive(Debug)]
pub struct Row<'r> {
    /// Where it comes from.
    pub source: &'r str,
    /// Its line there, from 1.
    pub line: u64,
    /// Its id.
    pub id: Option<&'r str>,
    /// What was read; `None` when there was no reply.
    pub read: Option<Read<'r>>,
}

/// A reply that was read.
#[derive(Debug)]
pub struct Read<'r> {
    /// What was found in it.
    pub outcome: &'r Outcome,
    /// What had been offered.
    pub tools: &'r Tools,
    /// How its places are counted.
    pub spans: Spans<'r>,
    /// Its length in bytes.
    pub bytes: usize,
    /// The reply as a JSON string, where one is at hand that is written as it would be written here.
    pub quoted: Option<&'r str>,
}

/// Who takes records.
pub trait Sink {
    /// Takes one.
    fn row(&mut self, row: &Row<'_>);
}

/// A line that is no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u64,
    /// The byte of the file at which it starts.
    pub offset: u64,
    /// What is wrong.
    pub reason: String,
}

/// Where a chunk stands in its file.
#[derive(Debug, Copy, Clone)]
pub struct Position<'s> {
    /// The name of the file.
    pub source: &'s str,
    /// The number of its first line, from 1.
    pub line: u64,
    /// The byte at which it starts.
    pub offset: u64,
}

/// One text with what is known of it.
#[derive(Debug, Clone, Default)]
pub struct Text<'t> {
    /// The reply.
    pub text: Option<&'t [u8]>,
    /// Its id.
    pub id: Option<&'t str>,
    /// What was offered; by default the reader's tools.
    pub tools: Option<Arc<Tools>>,
}

/// Reads logs of one kind. Threads may share it.
#[derive(Debug)]
pub struct Reader {
    options: Options,
    ending: Ending,
    layout: Layout,
    line_limit: usize,
    unit: Unit,
}

/// Lists of tools that were seen in records, compiled. Each chunk has its own, so that threads need not wait for each other.
#[derive(Debug, Default)]
pub struct SeenTools {
    known: HashMap<Box<str>, Arc<Tools>>,
    /// Most often the next record has the tools of the last.
    last: Option<(Box<str>, Arc<Tools>)>,
}

impl SeenTools {
    /// The tools that a record brings along, as JSON or as a string that holds it; `given` where that is empty.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn compiled(&mut self, raw: &str, given: &Arc<Tools>) -> Result<Arc<Tools>, String> {
        if let Some((last, tools)) = &self.last
            && **last == *raw
        {
            return Ok(tools.clone());
        }
        let tools = match self.known.get(raw) {
            Some(tools) => tools.clone(),
            None => compile(raw)?.unwrap_or_else(|| given.clone()),
        };
        self.last = Some((raw.into(), tools.clone()));
        self.known.insert(raw.into(), tools.clone());
        Ok(tools)
    }
}

fn compile(raw: &str) -> Result<Option<Arc<Tools>>, String> {
    let not_json = |error: serde_json::Error| format!("tools: not valid JSON: {error}");
    let mut value: Value = serde_json::from_str(raw).map_err(not_json)?;
    if let Value::String(text) = &value {
        if text.trim().is_empty() {
            return Ok(None);
        }
        value = serde_json::from_str(text).map_err(not_json)?;
    }
    if value.is_null() {
        return Ok(None);
    }
    Tools::from_json(&value).map(Arc::new).map(Some).map_err(|error| error.to_string())
}

/// What is used again from line to line.
#[derive(Debug, Default)]
struct Scratch {
    text: Vec<u8>,
    id: Vec<u8>,
    replies: Vec<Reply>,
    tools: SeenTools,
}

impl Reader {
    /// A reader. `line_limit`: longer lines are bad lines.
    #[must_use]
    pub fn new(mut options: Options, ending: Ending, layout: Layout, line_limit: usize, unit: Unit) -> Reader {
        options.max_bytes = Some(options.max_bytes.unwrap_or(MOST_BYTES).min(MOST_BYTES));
        Reader { options, ending, layout, line_limit, unit }
    }

    /// The tools of records that bring none.
    #[must_use]
    pub fn tools(&self) -> &Arc<Tools> {
        &self.options.tools
    }

    /// Reads whole lines; the last may lack its line feed. Returns the lines that are no records.
    pub fn lines(&self, chunk: &[u8], at: Position<'_>, sink: &mut impl Sink) -> Vec<BadLine> {
        let mut bad = Vec::new();
        let mut options = self.options.clone();
        let mut scratch = Scratch::default();
        // Most chunks are text as a whole; otherwise each line is looked at by itself.
        let whole = std::str::from_utf8(chunk).ok();
        let mut start = 0;
        let mut number = at.line;
        while start < chunk.len() {
            let rest = chunk.get(start..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = match whole.and_then(|text| text.get(start..start + length)) {
                Some(line) => Ok(line),
                None => std::str::from_utf8(rest.get(..length).unwrap_or_default()),
            };
            let place = Position { source: at.source, line: number, offset: at.offset + start as u64 };
            let line = if length > self.line_limit {
                Err(format!("the line is longer than {} bytes", self.line_limit))
            } else {
                line.map_err(|error| not_text(&error))
            };
            if let Err(reason) = line.and_then(|line| self.line(line, place, &mut options, &mut scratch, sink)) {
                bad.push(BadLine { line: place.line, offset: place.offset, reason });
            }
            start += length + 1;
            number += 1;
        }
        bad
    }

    fn line(
        &self,
        line: &str,
        place: Position<'_>,
        options: &mut Options,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<(), String> {
        let line = if place.offset == 0 { line.strip_prefix('\u{FEFF}').unwrap_or(line) } else { line };
        if self.layout.is_plain() {
            let text = line.strip_suffix('\r').unwrap_or(line);
            self.read(Some(text.as_bytes()), None, None, place, options, sink);
            return Ok(());
        }
        let record = self.layout.record(line)?;
        let Scratch { text, id, replies, tools } = scratch;
        replies.clear();
        let mut ends = Vec::with_capacity(1);
        for (found, form) in &record.replies {
            replies::read(&found.raw, *form, replies)?;
            ends.push((replies.len(), &*found.raw));
        }
        options.tools = match &record.tools {
            Some(found) => tools.compiled(&found.raw, &self.options.tools)?,
            None => self.options.tools.clone(),
        };
        let id = record.id.as_ref().map(|found| id_of(&found.raw, id));
        let mut first = 0;
        for (end, raw) in ends {
            for reply in replies.get(first..end).unwrap_or_default() {
                let (reply, quoted) = match reply {
                    Reply::Null => (None, None),
                    Reply::Quoted => {
                        let (text, as_here) = unquote_seen(raw, text);
                        (Some(text), as_here.then_some(raw))
                    }
                    Reply::Text(text) => (Some(text.as_bytes()), None),
                };
                self.read(reply, quoted, id.as_deref(), place, options, sink);
            }
            first = end;
        }
        Ok(())
    }

    /// Reads replies that stand alone, one record each.
    pub fn texts<'t>(&self, texts: impl Iterator<Item = Text<'t>>, at: Position<'_>, sink: &mut impl Sink) {
        let mut options = self.options.clone();
        for (text, line) in texts.zip(at.line..) {
            options.tools = text.tools.unwrap_or_else(|| self.options.tools.clone());
            self.read(text.text, None, text.id, Position { line, ..at }, &options, sink);
        }
    }

    fn read(
        &self,
        text: Option<&[u8]>,
        quoted: Option<&str>,
        id: Option<&str>,
        place: Position<'_>,
        options: &Options,
        sink: &mut impl Sink,
    ) {
        let row = |read| Row { source: place.source, line: place.line, id, read };
        let Some(text) = text else { return sink.row(&row(None)) };
        let outcome = guarded(text, || parse(text, options, self.ending));
        let spans = Spans::new(self.unit, text, &outcome);
        sink.row(&row(Some(Read { outcome: &outcome, tools: &options.tools, spans, bytes: text.len(), quoted })));
    }
}

/// The text of an id, whatever it is in the record.
fn id_of<'a>(raw: &'a str, buffer: &'a mut Vec<u8>) -> Cow<'a, str> {
    if raw.starts_with('"') { lossy(unquote(raw, buffer)) } else { Cow::Borrowed(raw) }
}

fn not_text(error: &std::str::Utf8Error) -> String {
    format!("not valid UTF-8 at byte {} of the line", error.valid_up_to())
}
