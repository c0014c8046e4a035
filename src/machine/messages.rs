//! Messages: a header that says what the body is, and the body.

use super::named::ObjectState;
use super::{Fault, Machine, Sink, State, Step};
use crate::call::Call;
use crate::format::{Body, Meaning, Messages};
use crate::repair::{FaultKind, RepairKind, Unreadable};
use crate::span::Span;
use crate::tools::Tools;
use crate::window::Window;
use memchr::memmem;

/// A header may be this long.
const MAX_HEADER: usize = 1024;

/// The body of a message while it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageState {
    row: usize,
    meaning: Meaning,
    /// Where the header begins, if it names a tool in a way that nobody understands: the message wanted to be a call.
    pub lost: Option<usize>,
}

/// What a header says.
pub(super) enum Header {
    /// It is whole.
    Whole { meaning: Meaning, name: Vec<u8>, flagged: bool, end: usize },
    /// It is whole, and of a message that is not shown. `names_tool`: it wanted to be a call.
    Hidden { names_tool: bool, end: usize },
    /// It has no body, up to the position; what is lost with it if it names a tool.
    Broken { end: usize, fault: Option<FaultKind> },
    /// Another row reads it.
    NotMine,
}

/// Reads the header that starts at `at`.
pub(super) fn header(table: &Messages, window: &Window<'_>, at: usize, tools: &Tools) -> Option<Header> {
    let text = window.slice(at, at + MAX_HEADER);
    let body = memmem::find(text, table.body.as_bytes());
    let stop = stop_in(table, text);
    match (body, stop) {
        (Some(body), stop) if stop.is_none_or(|stop| body < stop) => {
            let header = text.get(..body).unwrap_or_default();
            let end = at + body + table.body.len();
            match read(table, header, end, tools) {
                Header::NotMine if table.channels.is_empty() && memmem::find(header, table.channel.as_bytes()).is_none() => {
                    // To whomever it goes: what stands in tags is what another row reads.
                    let next = window.after_blanks(end)?;
                    let is_tags = window.get(next) == Some(b'<');
                    let name = Vec::new();
                    Some(if is_tags { Header::Whole { meaning: Meaning::Markup, name, flagged: false, end } } else { Header::NotMine })
                }
                header => Some(header),
            }
        }
        (_, Some(stop)) => Some(broken(table, text.get(..stop).unwrap_or_default(), at, FaultKind::Unreadable(Unreadable::NotACall))),
        (_, None) if text.len() == MAX_HEADER => Some(broken(table, text, at, FaultKind::Unreadable(Unreadable::NotACall))),
        (_, None) if !window.last => None,
        (_, None) => {
            let marked = table.start.iter().any(|start| start.starts_with('<') && text.starts_with(start.as_bytes()));
            let header = broken(table, text, at, FaultKind::Cut);
            Some(if marked || matches!(header, Header::Broken { fault: Some(_), .. }) { header } else { Header::NotMine })
        }
    }
}

/// A header without a body.
fn broken(table: &Messages, header: &[u8], at: usize, fault: FaultKind) -> Header {
    Header::Broken { end: at + header.len(), fault: names_tool(table, table.recipient, header).then_some(fault) }
}

/// Whether what a recipient begins with that is a tool stands in a header, behind `before`.
fn names_tool(table: &Messages, before: &str, header: &[u8]) -> bool {
    table
        .recipients
        .iter()
        .any(|(prefix, meaning)| *meaning == Meaning::Call && memmem::find(header, [before, prefix].concat().as_bytes()).is_some())
}

/// Where the header gives way to the end of a message, or to the start of another one.
fn stop_in(table: &Messages, text: &[u8]) -> Option<usize> {
    let behind = table.start.first().map_or(0, |start| usize::from(text.starts_with(start.as_bytes())) * start.len());
    let rest = text.get(behind..)?;
    let starts = table.start.first().into_iter().chain(table.end);
    starts.filter_map(|marker| memmem::find(rest, marker.as_bytes())).min().map(|index| behind + index)
}

fn read(table: &Messages, header: &[u8], end: usize, tools: &Tools) -> Header {
    let channel = last_word_behind(header, table.channel.as_bytes());
    let recipient = word_behind(header, table.recipient.as_bytes());
    let recipient = recipient.filter(|name| !table.nobody.iter().any(|nobody| nobody.as_bytes() == name));
    let mut name = Vec::new();
    if let Some(recipient) = &recipient {
        for (prefix, meaning) in table.recipients {
            if *meaning == Meaning::Call {
                if let Some(rest) = recipient.strip_prefix(prefix.as_bytes()) {
                    name.extend_from_slice(known_head(table, rest, tools));
                    return Header::Whole { meaning: Meaning::Call, name, flagged: false, end };
                }
            } else if recipient == prefix.as_bytes() {
                return Header::Whole { meaning: *meaning, name, flagged: false, end };
            }
        }
        if table.channels.is_empty() {
            return Header::NotMine;
        }
        if tools.find(recipient).is_some() {
            return Header::Whole { meaning: Meaning::Call, name: recipient.clone(), flagged: true, end };
        }
        return Header::Hidden { names_tool: names_tool(table, "", header), end };
    }
    if table.channels.is_empty() {
        return Header::NotMine;
    }
    let meaning = match channel {
        None => Some(table.plain),
        Some(channel) => table.channels.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(channel)).map(|(_, meaning)| *meaning),
    };
    match meaning {
        Some(meaning) => Header::Whole { meaning, name, flagged: false, end },
        None => Header::Hidden { names_tool: names_tool(table, "", header), end },
    }
}

/// The word behind the last `mark` in `header`.
fn word_behind(header: &[u8], mark: &[u8]) -> Option<Vec<u8>> {
    let at = memmem::rfind(header, mark)? + mark.len();
    let rest = header.get(at..)?;
    let length = rest.iter().take_while(|byte| **byte > b' ' && **byte != b'<').count();
    rest.get(..length).map(<[u8]>::to_vec)
}

fn last_word_behind<'h>(header: &'h [u8], mark: &[u8]) -> Option<&'h [u8]> {
    let at = memmem::rfind(header, mark)? + mark.len();
    let rest = header.get(at..)?.trim_ascii_start();
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    rest.get(..length)
}

/// The name at the start of `text`: up to the first byte that no name has; an offered name before a word of the header wins over both.
fn known_head<'n>(table: &Messages, text: &'n [u8], tools: &Tools) -> &'n [u8] {
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'/') || **byte >= 0x80)
        .count();
    let whole = text.get(..length).unwrap_or_default();
    if tools.find(whole).is_some() {
        return whole;
    }
    for word in table.channels.iter().map(|(channel, _)| channel).chain(table.types) {
        if let Some(head) = whole.strip_suffix(word.as_bytes())
            && tools.find(head).is_some()
        {
            return head;
        }
    }
    whole
}

impl Machine {
    pub(super) fn begin_message<S: Sink>(&mut self, row: usize, header: Header, window: &Window<'_>, sink: &mut S) {
        let start = self.told;
        match header {
            Header::Whole { meaning: Meaning::Call, name, flagged, end } => {
                let format = self.row(row);
                sink.border(format.space);
                let mut call = Box::new(Call::new(format, start, &self.limits));
                call.set_name(&name, &self.tools);
                if flagged {
                    call.mark(RepairKind::AlternateKey, Span::new(start, end));
                }
                self.pos = end;
                self.boundary = false;
                self.state = State::Object(Box::new(ObjectState::of_message(row, call, &self.limits)));
            }
            Header::Whole { meaning: Meaning::Markup, end, .. } => {
                self.tell_markup(end, sink);
                self.at_border();
                self.leave();
            }
            Header::Whole { meaning, end, .. } => {
                self.tell_markup(end, sink);
                self.boundary = false;
                self.state = State::Message(MessageState { row, meaning, lost: None });
            }
            Header::Hidden { names_tool, end } => {
                self.boundary = false;
                self.pos = end;
                if !names_tool {
                    self.tell_markup(end, sink);
                }
                self.state = State::Message(MessageState { row, meaning: Meaning::Hidden, lost: names_tool.then_some(start) });
            }
            Header::Broken { end, fault } => {
                match fault {
                    Some(kind) => {
                        let fault = Fault::nameless(kind, Span::new(start, end.max(start + 1)));
                        self.tell_fault(fault, window, sink);
                    }
                    None => self.tell_markup(end.max(start + 1), sink),
                }
                self.leave();
            }
            Header::NotMine => self.leave(),
        }
    }

    pub(super) fn message<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Message(state) = self.state else { return Step::Go };
        let Body::Messages(table) = self.row(state.row).body else { return Step::Go };
        loop {
            let Some(index) = memchr::memchr(b'<', window.from(self.pos)) else {
                self.pos = window.end();
                if window.last && state.lost.is_some() {
                    self.end_message(state, self.pos, window, sink);
                    return Step::Go;
                }
                self.tell_settled(state, window, sink);
                return Step::More;
            };
            self.pos += index;
            match self.header_inside(&table, window) {
                None => {
                    self.tell_settled(state, window, sink);
                    return Step::More;
                }
                Some(true) => {
                    self.end_message(state, self.pos, window, sink);
                    return Step::Go;
                }
                Some(false) => {}
            }
            match message_ends(&table, window, self.pos) {
                None => {
                    self.tell_settled(state, window, sink);
                    return Step::More;
                }
                Some(Some(length)) => {
                    self.end_message(state, self.pos + length, window, sink);
                    return Step::Go;
                }
                Some(None) => self.pos += 1,
            }
        }
    }

    /// Whether a whole header stands in the message, whose end marker is missing before it. Right behind a back-tick it is quoted.
    fn header_inside(&self, table: &Messages, window: &Window<'_>) -> Option<bool> {
        let starts: Vec<&str> = table.start.iter().filter(|start| start.starts_with('<') && **start != table.body).copied().collect();
        let is_quoted = self.pos > self.told && window.get(self.pos - 1) == Some(b'`');
        if is_quoted || window.starts_with_any(self.pos, &starts)?.is_none() {
            return Some(false);
        }
        Some(matches!(header(table, window, self.pos, &self.tools)?, Header::Whole { .. }))
    }

    /// The message is over; its marker ends at `end`.
    fn end_message<S: Sink>(&mut self, state: MessageState, end: usize, window: &Window<'_>, sink: &mut S) {
        self.tell_body(state, self.pos, window, sink);
        match state.lost {
            Some(start) => {
                let kind = FaultKind::Unreadable(Unreadable::NotACall);
                self.tell_fault(Fault::nameless(kind, Span::new(start, end)), window, sink);
            }
            None => self.tell_markup(end, sink),
        }
        if state.meaning == Meaning::Reasoning {
            sink.reasoning_ends(false);
        }
        self.at_border();
        self.leave();
    }

    /// Tells the body up to the position; a back-tick waits for what it quotes.
    fn tell_settled<S: Sink>(&mut self, state: MessageState, window: &Window<'_>, sink: &mut S) {
        let quotes = !window.last && self.pos > self.told && window.get(self.pos - 1) == Some(b'`');
        self.tell_body(state, self.pos - usize::from(quotes), window, sink);
    }

    /// What stands in the body of a lost message is told when it is over.
    fn tell_body<S: Sink>(&mut self, state: MessageState, end: usize, window: &Window<'_>, sink: &mut S) {
        if state.lost.is_some() {
            return;
        }
        match state.meaning {
            Meaning::Prose | Meaning::Markup => self.tell_prose(window, end, sink),
            Meaning::Reasoning => self.tell_reasoning(window, end, false, sink),
            Meaning::Hidden | Meaning::Call => self.tell_markup(end, sink),
        }
    }
}

/// A marker that ends the message at `at`, and its length: it counts only where a header or the end of the reply follows.
fn message_ends(table: &Messages, window: &Window<'_>, at: usize) -> Option<Option<usize>> {
    let Some(length) = window.starts_with_any(at, table.end)? else {
        return Some(window.ends_within(at, table.end).then(|| window.end() - at));
    };
    let next = window.after_blanks(at + length)?;
    if window.get(next).is_none() {
        return Some(Some(length));
    }
    let starts: Vec<&str> = table.start.iter().filter(|start| start.starts_with('<')).chain(table.end).copied().collect();
    if window.starts_with_any(next, &starts)?.is_some() || window.ends_within(next, &starts) {
        return Some(Some(length));
    }
    let Some(word) = window.starts_with_any(next, table.fillers)? else { return Some(None) };
    let behind = window.after_blanks(next + word)?;
    Some(window.starts_with_any(behind, &starts)?.map(|_| next + word - at))
}
