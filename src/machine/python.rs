//! Call expressions: `[f(a=1), g()]`, one a line, or `f.call(a=1)`.

use super::candidate::Certain;
use super::heads::{is_name_byte, ticks};
use super::json::cut_fault;
use super::{MAX_KEY, Machine, Sink, State, Step};
use crate::call::{Arguments, Call, End, Known, Plain};
use crate::format::{Dialect, Expressions, Shape};
use crate::plan::{Alone, Match};
use crate::repair::{FaultKind, Repair, RepairKind, Unreadable};
use crate::span::Span;
use crate::tape::Node;
use crate::tools::TypeSet;
use crate::value::{Bounds, Ending, Progress, Reader, Values};
use crate::window::Window;

/// Call expressions while they are read.
#[derive(Debug, Clone)]
pub(super) struct PythonState {
    row: usize,
    layout: Expressions,
    pub call: Option<Box<Call>>,
    reader: Reader,
    at: At,
    /// The opening bracket of the list was read.
    list: bool,
    /// Arguments without a name so far.
    positional: usize,
    /// The value that is read is the next part of the string before it.
    joins: bool,
    /// The dict behind `**` while it is read.
    spread: Option<Box<Spread>>,
    start: usize,
    /// Where what stands between the markers begins.
    body: usize,
}

impl PythonState {
    /// Where the text must be kept from: the call that is open, and as much as may be written again.
    pub(super) fn keep_from(&self, pos: usize) -> usize {
        let call = self
            .call
            .as_deref()
            .map_or(pos, |call| if call.may_be_quoted() { call.span.start } else { call.span.end.max(call.span.start) });
        if pos - self.body > MAX_ECHO { call } else { call.min(self.body) }
    }
}

/// More text than this is not written again by mistake.
const MAX_ECHO: usize = 4096;

/// A dict whose members are arguments.
#[derive(Debug, Clone)]
struct Spread {
    /// Where the stars stand.
    start: usize,
    reader: Reader,
    plain: Plain,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum At {
    /// The list, or a call.
    Begin,
    /// A call, or the end.
    Call,
    /// An argument, or the closing parenthesis.
    Argument,
    /// A value.
    Value,
    /// The dict behind `**`.
    Spread,
    /// The rest of a string that is written in parts, or what follows a value.
    BehindValue,
    /// A comma or the closing parenthesis.
    AfterValue,
    /// A comma, another call or the end.
    AfterCall,
    /// The list is over.
    AfterList,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Py {
    Go,
    More,
    /// The expressions are over.
    Over {
        closed: bool,
    },
    Cut,
    Failed,
}

impl Machine {
    pub(super) fn begin_python(&mut self, row: usize, layout: Expressions, start: usize) {
        self.state = State::Python(Box::new(PythonState {
            row,
            layout,
            call: None,
            reader: Reader::new(Dialect::PYTHON, &self.limits),
            at: At::Begin,
            list: false,
            positional: 0,
            joins: false,
            spread: None,
            start,
            body: self.pos,
        }));
    }

    pub(super) fn python<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Python(mut state) = std::mem::replace(&mut self.state, State::Prose) else { return Step::Go };
        let mut before = self.pos;
        let mut step = self.python_step(&mut state, window, sink).unwrap_or(Py::More);
        // A candidate is weighed behind each step, and who calls counts the steps that move nothing.
        while step == Py::Go && self.candidate.is_none() && self.pos > before {
            before = self.pos;
            step = self.python_step(&mut state, window, sink).unwrap_or(Py::More);
        }
        if self.candidate.is_some() {
            let unknown = state.call.as_deref().is_some_and(|call| call.known == Known::Unknown);
            if let Some(call) = state.call.as_deref() {
                self.candidate_commits(call, window, sink);
            }
            if unknown || matches!(step, Py::Failed) && self.candidate.is_some() {
                self.fail_candidate(Vec::new(), window, sink);
                return Step::Go;
            }
        }
        match step {
            Py::Go => {
                self.state = State::Python(state);
                Step::Go
            }
            Py::More => {
                self.state = State::Python(state);
                Step::More
            }
            Py::Over { closed } => {
                self.python_over(&mut state, closed, window, sink);
                Step::Go
            }
            Py::Cut => {
                self.python_cut(&mut state, window, sink);
                Step::Go
            }
            Py::Failed => {
                if matches!(state.at, At::Call | At::AfterCall) {
                    // The call that was read last is whole; what stands behind it is not.
                    self.python_call_over(&mut state, End::Followed, window, sink);
                }
                let start = state.call.as_ref().map_or(self.told, |call| call.span.start);
                match state.call.take() {
                    Some(mut call) if call.is_certain() => {
                        let mut arguments = Arguments { call: &mut call, tools: &self.tools.clone() };
                        if state.at == At::Value && state.reader.is_fresh() {
                            arguments.drop_key();
                            arguments.repair(Repair::new(RepairKind::MissingValue, Span::new(self.pos, self.pos)));
                        }
                        state.reader.finish(window, self.pos, Ending::Unknown, &mut arguments);
                        call.close_arguments();
                        call.end = End::Cut;
                        call.span.end = self.pos;
                        self.tell_call(call, window, sink);
                        self.skip_from(state.row, self.pos, None, None);
                    }
                    call => {
                        let unexpected = FaultKind::Unreadable(Unreadable::Unexpected);
                        let fault = call.as_ref().map_or(unexpected, |call| call.fault_or(unexpected));
                        let name = call.map(|call| call.name).filter(|name| !name.is_empty());
                        self.skip_from(state.row, start, Some(fault), name);
                    }
                }
                Step::Go
            }
        }
    }

    fn python_step<S: Sink>(&mut self, state: &mut PythonState, window: &Window<'_>, sink: &mut S) -> Option<Py> {
        if state.at == At::Value {
            return self.python_value(state, window);
        }
        if state.at == At::Spread {
            return self.python_spread(state, window);
        }
        if state.at == At::BehindValue {
            return self.python_behind_value(state, window);
        }
        let next = window.after_blanks(self.pos)?;
        let Some(byte) = window.get(next) else {
            return if !window.last {
                None
            } else if state.at == At::AfterList || state.at == At::AfterCall && !state.list {
                Some(Py::Over { closed: false })
            } else {
                Some(Py::Cut)
            };
        };
        let marked = self.plan.firsts[state.row].contains(&byte);
        let closer = if marked { window.starts_with_any(next, self.row(state.row).call.close)? } else { None };
        // The next call begins, or the fence ends, inside the arguments: nothing there could be read on.
        if marked
            && matches!(state.at, At::Argument | At::AfterValue)
            && closer.is_none()
            && window.starts_with_any(next, &self.plan.stops[state.row])?.is_some()
        {
            self.pos = next;
            return Some(Py::Failed);
        }
        match state.at {
            At::Begin => {
                if byte == b'[' {
                    state.list = true;
                    self.tell_markup(next + 1, sink);
                }
                state.at = At::Call;
                Some(Py::Go)
            }
            At::Call | At::AfterCall => match byte {
                b']' if state.layout == Expressions::List => {
                    self.pos = next + 1;
                    state.at = At::AfterList;
                    Some(Py::Go)
                }
                b',' | b';' if state.call.is_some() || state.at == At::AfterCall => {
                    // What stands between two calls belongs to neither.
                    self.pos = next + 1;
                    state.at = At::Call;
                    Some(Py::Go)
                }
                _ if closer.is_some() => Some(Py::Over { closed: true }),
                b'`' if state.at == At::AfterCall && self.row(state.row).shape == Shape::Fenced && window.starts_with(next, b"```")? => {
                    // The fence that opened leaves with the calls, and so does this one.
                    self.pos = next + ticks(window, next)?;
                    Some(Py::Over { closed: true })
                }
                _ if state.at == At::AfterCall && !state.list && matches!(state.layout, Expressions::Method | Expressions::One) => {
                    Some(Py::Over { closed: false })
                }
                _ => self.python_name(state, next, window, sink),
            },
            At::Argument => self.python_argument(state, byte, next, window),
            At::AfterValue => match byte {
                b',' => {
                    self.pos = next + 1;
                    state.at = At::Argument;
                    Some(Py::Go)
                }
                b')' => self.python_call_closes(state, next),
                _ if closer.is_some() => {
                    self.pos = next;
                    if let Some(call) = state.call.as_deref_mut() {
                        call.repair(Repair { kind: RepairKind::ClosedObject, span: Span::new(next, next), safe: true });
                    }
                    self.python_call_closes(state, next - 1)
                }
                b']' | b'}' if state.list => {
                    if let Some(call) = state.call.as_deref_mut() {
                        call.mark(RepairKind::WrongCloser, Span::new(next, next));
                    }
                    self.python_call_closes(state, next - 1)
                }
                _ => {
                    if let Some(call) = state.call.as_deref_mut() {
                        call.mark(RepairKind::MissingComma, Span::new(next, next));
                    }
                    state.at = At::Argument;
                    Some(Py::Go)
                }
            },
            At::AfterList => {
                if closer.is_some() {
                    return Some(Py::Over { closed: true });
                }
                if self.candidate.as_ref().is_some_and(|candidate| candidate.certain == Certain::WholeReply) {
                    return self.python_bare_after(next, window);
                }
                if byte == b']' {
                    self.pos = next + 1;
                    return Some(Py::Go);
                }
                Some(Py::Over { closed: false })
            }
            At::Value | At::Spread | At::BehindValue => None,
        }
    }

    fn python_bare_after(&mut self, next: usize, window: &Window<'_>) -> Option<Py> {
        let plan = self.plan.clone();
        if let Match::Marker(index) = plan.find(window, next)?
            && plan.get(index).alone == Alone::Control
            && plan.get(index).rows.is_empty()
        {
            self.pos = next + plan.get(index).text.len();
            return Some(Py::Go);
        }
        Some(Py::Failed)
    }

    /// The name of a call.
    fn python_name<S: Sink>(&mut self, state: &mut PythonState, at: usize, window: &Window<'_>, sink: &mut S) -> Option<Py> {
        let longest = self.limits.name;
        let rest = window.slice(at, at + longest);
        let length = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        if length == rest.len() && rest.len() < longest {
            return if window.last { Some(self.name_cut(state)) } else { None };
        }
        let after = window.after_blanks(at + length)?;
        match window.get(after) {
            Some(b'(') if length > 0 => {}
            None if length > 0 => return Some(self.name_cut(state)),
            _ if state.at == At::AfterCall && !state.list => return Some(Py::Over { closed: false }),
            _ => return Some(Py::Failed),
        }
        let first = state.call.is_none();
        self.python_call_over(state, End::Closed, window, sink);
        let name = rest.get(..length).unwrap_or_default();
        let name = if state.layout == Expressions::Method { name.strip_suffix(b".call").unwrap_or(name) } else { name };
        let mut call = Box::new(Call::new(self.row(state.row), at, &self.limits));
        call.set_name(name, &self.tools);
        if state.layout == Expressions::List && !state.list && first {
            call.mark(RepairKind::MissingOpener, Span::new(at, at));
        }
        call.open_arguments();
        state.call = Some(call);
        state.positional = 0;
        state.at = At::Argument;
        self.pos = after + 1;
        Some(Py::Go)
    }

    /// The reply ends in what may be the name of a call. Behind the calls of a reply that its writer had finished, it is text.
    fn name_cut(&self, state: &mut PythonState) -> Py {
        if state.at == At::AfterCall && self.ending == Ending::Finished {
            return Py::Over { closed: false };
        }
        state.at = At::Call;
        Py::Cut
    }

    /// `name =`, a value without a name, `**{…}`, or the end of the arguments.
    fn python_argument(&mut self, state: &mut PythonState, byte: u8, next: usize, window: &Window<'_>) -> Option<Py> {
        match byte {
            b')' => return self.python_call_closes(state, next),
            b',' => {
                if let Some(call) = state.call.as_deref_mut() {
                    call.mark(RepairKind::ExtraComma, Span::new(next, next + 1));
                }
                self.pos = next + 1;
                return Some(Py::Go);
            }
            b'*' if window.starts_with(next, b"**")? => {
                self.pos = next + 2;
                self.begin_spread(state, next);
                return Some(Py::Go);
            }
            b'{' if self.is_all_arguments(state) => {
                self.pos = next;
                self.begin_spread(state, next);
                if let Some(call) = state.call.as_deref_mut() {
                    call.mark(RepairKind::PositionalArgument, Span::new(next, next));
                }
                return Some(Py::Go);
            }
            _ => {}
        }
        let rest = window.slice(next, next + MAX_KEY);
        let quoted = matches!(byte, b'"' | b'\'');
        let length = if quoted {
            rest.iter().skip(1).position(|other| *other == byte).map_or(rest.len(), |index| index + 2)
        } else {
            rest.iter().take_while(|byte| is_name_byte(**byte) && **byte != b':').count()
        };
        if length >= rest.len() && rest.len() < MAX_KEY {
            return if window.last { Some(Py::Cut) } else { None };
        }
        let after = window.after_blanks(next + length)?;
        let named = match window.get(after) {
            Some(b'=') => match window.get(after + 1) {
                None if !window.last => return None,
                second => second != Some(b'='),
            },
            Some(b':') => true,
            None if !window.last => return None,
            _ => false,
        };
        let call = state.call.as_deref_mut()?;
        if named && length > 0 {
            let key = rest.get(..length).unwrap_or_default();
            let key = if quoted { key.get(1..length - 1).unwrap_or_default() } else { key };
            call.key(key, next, &self.tools);
            self.pos = after + 1;
        } else {
            let key = call.tool().and_then(|tool| self.tools.parameters(tool).nth(state.positional).map(str::to_owned));
            let key = key.unwrap_or_else(|| format!("arg{}", state.positional));
            call.key(key.as_bytes(), next, &self.tools);
            call.mark(RepairKind::PositionalArgument, Span::new(next, next));
            state.positional += 1;
            self.pos = next;
        }
        state.reader.restart();
        state.at = At::Value;
        Some(Py::Go)
    }

    /// Whether a dict without a name is written for the arguments themselves: it is the first of them, and the first parameter takes none.
    fn is_all_arguments(&self, state: &PythonState) -> bool {
        let Some(call) = state.call.as_deref().filter(|call| call.tape.len() == 1) else { return false };
        let Some(tool) = call.tool() else { return false };
        let types = self.tools.parameters(tool).next().and_then(|first| self.tools.parameter(tool, first.as_bytes()));
        types.map(|schema| self.tools.types(schema)).is_some_and(|types| !types.is_empty() && !types.contains(TypeSet::OBJECT))
    }

    fn begin_spread(&self, state: &mut PythonState, start: usize) {
        let reader = Reader::new(Dialect::PYTHON, &self.limits);
        state.spread = Some(Box::new(Spread { start, reader, plain: Plain::within(&self.limits) }));
        state.at = At::Spread;
    }

    /// `**{…}`: the members of a dict are arguments, once it is over.
    fn python_spread(&mut self, state: &mut PythonState, window: &Window<'_>) -> Option<Py> {
        let spread = state.spread.as_deref_mut()?;
        let bounds = Bounds { stops: &self.plan.stops[state.row], outer: Some(b')'), siblings: &[] };
        match spread.reader.read(window, &mut self.pos, bounds, &mut spread.plain) {
            Progress::More if window.last => return Some(Py::Cut),
            Progress::More => return None,
            Progress::Done => {}
            Progress::Stopped | Progress::Failed(_) => return Some(Py::Failed),
        }
        let Spread { start, plain, .. } = *state.spread.take()?;
        let call = state.call.as_deref_mut()?;
        if plain.tape.passed().is_some() {
            call.tape.fill();
        } else if matches!(plain.tape.nodes().first(), Some(Node::Object)) {
            call.spread(&plain.tape, start, &self.tools);
        }
        for repair in plain.repairs {
            call.repair(repair);
        }
        state.at = At::AfterValue;
        Some(Py::Go)
    }

    fn python_value(&mut self, state: &mut PythonState, window: &Window<'_>) -> Option<Py> {
        let call = state.call.as_deref_mut()?;
        let bounds = Bounds { stops: &self.plan.stops[state.row], outer: Some(b')'), siblings: &[] };
        let mut arguments = Arguments { call, tools: &self.tools };
        match state.reader.read(window, &mut self.pos, bounds, &mut arguments) {
            Progress::More if window.last => return Some(Py::Cut),
            Progress::More => return None,
            Progress::Done => {}
            Progress::Stopped => {
                if state.reader.is_fresh() {
                    arguments.drop_key();
                    arguments.repair(Repair::new(RepairKind::MissingValue, Span::new(self.pos, self.pos)));
                } else {
                    state.reader.finish(window, self.pos, Ending::Finished, &mut arguments);
                }
            }
            Progress::Failed(_) => return Some(Py::Failed),
        }
        self.join_adjacent(state, window)
    }

    /// `'a' 'b'` is one string in Python.
    fn join_adjacent(&mut self, state: &mut PythonState, window: &Window<'_>) -> Option<Py> {
        let call = state.call.as_deref_mut()?;
        if std::mem::take(&mut state.joins) {
            call.join_last();
        }
        state.at = At::BehindValue;
        self.python_behind_value(state, window)
    }

    fn python_behind_value(&mut self, state: &mut PythonState, window: &Window<'_>) -> Option<Py> {
        let call = state.call.as_deref_mut()?;
        let next = window.after_blanks(self.pos)?;
        let text = matches!(call.tape.nodes().last(), Some(Node::Str(_)));
        if text && matches!(window.get(next), Some(b'"' | b'\'')) {
            call.hold = Some(call.tape.len());
            state.joins = true;
            state.reader.restart();
            self.pos = next;
            state.at = At::Value;
        } else {
            state.at = At::AfterValue;
        }
        Some(Py::Go)
    }

    fn python_call_closes(&mut self, state: &mut PythonState, at: usize) -> Option<Py> {
        let call = state.call.as_deref_mut()?;
        call.close_arguments();
        call.span.end = at + 1;
        self.pos = at + 1;
        state.at = At::AfterCall;
        Some(Py::Go)
    }

    /// The call that was closed awaits what follows; here it is told.
    fn python_call_over<S: Sink>(&mut self, state: &mut PythonState, end: End, window: &Window<'_>, sink: &mut S) {
        let Some(mut call) = state.call.take() else { return };
        call.end = end;
        call.listed = true;
        if end.lacks_closer() {
            call.mark(RepairKind::MissingCloser, Span::new(call.span.end, call.span.end));
        }
        self.python_settle(&mut call);
        if self.candidate.is_none() {
            sink.border(self.row(state.row).space);
        }
        self.tell_call(call, window, sink);
    }

    fn python_settle(&self, call: &mut Call) {
        super::body::settle(call, &self.tools, &self.limits);
        if call.known == Known::Unknown && call.fault.is_none() {
            call.fault = Some(FaultKind::UnknownTool);
        }
    }

    fn python_over<S: Sink>(&mut self, state: &mut PythonState, closed: bool, window: &Window<'_>, sink: &mut S) {
        let format = self.row(state.row);
        let wrapped = !format.call.close.is_empty();
        let next = window.after_blanks(self.pos).unwrap_or(self.pos);
        let followed = window.get(next).is_some() && !window.ends_within(next, format.call.close);
        let end = match (closed || !wrapped, followed) {
            (true, _) => End::Closed,
            (false, true) => End::Followed,
            (false, false) => End::Unwrapped,
        };
        self.python_call_over(state, end, window, sink);
        if self.candidate.is_some() {
            sink.border(format.space);
            self.commit(window, sink);
        }
        sink.list_end(end != End::Unwrapped);
        self.tell_markup(self.pos, sink);
        let mut at = self.pos;
        if let Some(next) = window.after_blanks(at)
            && let Some(Some(length)) = window.starts_with_any(next, format.call.close)
        {
            at = next + length;
            self.tell_markup(at, sink);
            if at - state.body <= MAX_ECHO {
                self.state = State::Echo(window.slice(state.body, at).to_vec());
            }
        }
        if format.shape == Shape::Bare {
            self.tell_markup(window.end(), sink);
        } else if !closed
            && let Some(next) = window.after_blanks(at)
            && window.ends_within(next, format.call.close)
        {
            self.tell_markup(window.end(), sink);
        }
    }

    /// Right behind the closer some models write once more what stood before it, closer and all: such an echo is neither call nor text.
    pub(super) fn echo<S: Sink>(&mut self, window: &Window<'_>, sink: &mut S) -> Step {
        let State::Echo(echo) = &self.state else { return Step::Go };
        match window.starts_with(self.pos, echo) {
            None => Step::More,
            Some(true) => {
                self.tell_markup(self.pos + echo.len(), sink);
                Step::Go
            }
            Some(false) => {
                self.leave();
                Step::Go
            }
        }
    }

    fn python_cut<S: Sink>(&mut self, state: &mut PythonState, window: &Window<'_>, sink: &mut S) {
        let tools = self.tools.clone();
        let end = window.end();
        let in_name = matches!(state.at, At::Call | At::Begin);
        if let Some(mut call) = state.call.take() {
            let closed = state.at == At::AfterCall || in_name && call.span.end > call.span.start;
            if closed {
                call.end = if in_name { End::Closed } else { End::Unwrapped };
                if !in_name {
                    call.mark(RepairKind::MissingCloser, Span::new(call.span.end, call.span.end));
                }
            } else {
                if state.joins {
                    state.reader.finish(window, end, self.ending, &mut Arguments { call: &mut call, tools: &tools });
                    call.join_last();
                } else if state.at == At::Value {
                    let mut arguments = Arguments { call: &mut call, tools: &tools };
                    let fresh = state.reader.is_fresh();
                    state.reader.finish(window, end, self.ending, &mut arguments);
                    if fresh {
                        arguments.drop_key();
                        arguments.repair(Repair::new(RepairKind::DroppedPartialKey, Span::new(self.pos, end)));
                    }
                } else if let Some(spread) = &state.spread {
                    call.mark(RepairKind::DroppedPartialKey, Span::new(spread.start, end));
                } else if state.at == At::Argument && self.pos < end && !window.slice(self.pos, end).trim_ascii().is_empty() {
                    call.mark(RepairKind::DroppedPartialKey, Span::new(self.pos, end));
                }
                call.mark(RepairKind::ClosedObject, Span::new(end, end));
                call.close_arguments();
                call.span.end = end;
                call.end = End::Cut;
            }
            call.listed = true;
            self.python_settle(&mut call);
            if !closed {
                cut_fault(&mut call);
            }
            if self.candidate.is_some() {
                if !self.may_hold(&call) {
                    self.fail_candidate(Vec::new(), window, sink);
                    return;
                }
                sink.border(call.space);
                self.commit(window, sink);
            } else {
                sink.border(call.space);
            }
            self.pos = end;
            self.tell_call(call, window, sink);
            if in_name && self.told < end && !window.slice(self.told, end).trim_ascii().is_empty() {
                self.cut_rest(state, window, sink);
            }
        } else if self.candidate.is_some() {
            self.fail_candidate(Vec::new(), window, sink);
            return;
        } else {
            self.cut_rest(state, window, sink);
        }
        // Where neither bracket nor closer was to come, the calls before the cut are over.
        sink.list_end(!state.list && self.row(state.row).call.close.is_empty());
        self.tell_markup(end, sink);
    }

    /// The beginning of a call that never got as far as its name.
    fn cut_rest<S: Sink>(&mut self, state: &PythonState, window: &Window<'_>, sink: &mut S) {
        let start = self.told.max(state.start);
        let fault = super::Fault::nameless(FaultKind::Cut, Span::new(start, window.end()));
        self.tell_fault(fault, window, sink);
    }
}
