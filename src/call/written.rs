//! Values that are written as text, and what types say of them.

use super::plain::{Plain, read_whole};
use crate::format::Dialect;
use crate::limits::Limits;
use crate::repair::{Repair, RepairKind};
use crate::tape::{Node, Tape};
use crate::tools::{TypeSet, Typed, Unknown};
use crate::value::{Bounds, Ending, Progress, Reader};
use crate::window::Window;

/// Where the type of a raw value was to come from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TypeSource {
    /// The tool's schema.
    Schema,
    /// The format itself.
    Format,
}

/// How well a text must be formed to be taken for a value.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Strictness {
    Exact,
    Mended,
}

/// What a text turned out to be.
pub(super) enum Value {
    /// `null`, `true` or `false`.
    Word(Node),
    /// A number, as it is written.
    Number,
    /// A number in its strict form.
    Rewritten(Vec<u8>),
    /// What was read in it.
    Read(Tape, Vec<Repair>),
}

/// `None`: the text could not be read, and stays text.
pub(super) fn value_of(text: &[u8], typed: Typed<'_>, strictness: Strictness, limits: &Limits) -> Option<Value> {
    match typed {
        Typed::Null => Some(Value::Word(Node::Null)),
        Typed::True => Some(Value::Word(Node::Bool(true))),
        Typed::False => Some(Value::Word(Node::Bool(false))),
        Typed::Number(lexeme) if *lexeme == *text => Some(Value::Number),
        Typed::Number(lexeme) => Some(Value::Rewritten(lexeme.into_owned())),
        Typed::Json => read_value(text, strictness, limits).map(|(tape, repairs)| Value::Read(tape, repairs)),
        Typed::Text | Typed::Mismatch | Typed::Untyped => None,
    }
}

/// Reads a container that is written as text.
fn read_value(text: &[u8], strictness: Strictness, limits: &Limits) -> Option<(Tape, Vec<Repair>)> {
    [Dialect::JSON, Dialect::PYTHON].into_iter().find_map(|dialect| {
        let (tape, repairs) = read_whole(text, dialect, limits)?;
        let good = if strictness == Strictness::Exact { repairs.is_empty() } else { repairs.iter().all(|repair| repair.safe) };
        good.then_some((tape, repairs))
    })
}

/// Whether `text` begins a value that is no string, and that the types admit.
pub(super) fn is_json_begun(text: &[u8], types: TypeSet, unknown: Unknown) -> bool {
    if types.contains(TypeSet::STRING) || types.is_empty() && unknown == Unknown::Text {
        return false;
    }
    let admits = |wanted: TypeSet| types.is_empty() || types.contains(wanted);
    match text.trim_ascii_start().first() {
        Some(b'0'..=b'9' | b'-') if text.contains(&b'.') => admits(TypeSet::NUMBER),
        Some(b'0'..=b'9' | b'-') => types.is_empty() || types.numeric(),
        Some(b't' | b'f') => admits(TypeSet::BOOLEAN),
        Some(b'n') => admits(TypeSet::NULL),
        Some(b'[') => admits(TypeSet::ARRAY),
        Some(b'{') => admits(TypeSet::OBJECT),
        _ => false,
    }
}

/// Reads a JSON value that breaks off at the end of `text`; nothing that was mended in it but that. An empty tape: what stands there says nothing.
pub(super) fn read_cut(text: &[u8], ending: Ending, limits: &Limits) -> Option<(Tape, Vec<Repair>)> {
    let window = Window::new(text, 0, true);
    let mut reader = Reader::new(Dialect::JSON, limits);
    let mut plain = Plain::within(limits);
    if reader.read(&window, &mut 0, Bounds::NONE, &mut plain) != Progress::More || !plain.repairs.is_empty() {
        return None;
    }
    reader.finish(&window, text.len(), ending, &mut plain);
    let is_cut = |repair: &Repair| CUTS.contains(&repair.kind);
    plain.repairs.iter().all(is_cut).then_some((plain.tape, plain.repairs))
}

/// How a value that breaks off is mended.
const CUTS: &[RepairKind] = &[
    RepairKind::ClosedString,
    RepairKind::ClosedArray,
    RepairKind::ClosedObject,
    RepairKind::DroppedPartialKey,
    RepairKind::DroppedPartialLiteral,
    RepairKind::CutNumber,
];
