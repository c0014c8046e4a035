//! Types of values, and how the raw text of a value reads under them.
//!
//! Knows words and number lexemes only: arrays and objects are recognised by their brackets and read by the caller.

use std::borrow::Cow;

use super::decimal::Decimal;

#[cfg(test)]
mod tests;

/// The JSON types that a schema admits. Empty means that nothing is known.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct TypeSet(u8);

impl TypeSet {
    /// Nothing is known.
    pub const EMPTY: TypeSet = TypeSet(0);
    /// `null`.
    pub const NULL: TypeSet = TypeSet(1);
    /// `true` and `false`.
    pub const BOOLEAN: TypeSet = TypeSet(1 << 1);
    /// Whole numbers of any size.
    pub const INTEGER: TypeSet = TypeSet(1 << 2);
    /// All finite numbers.
    pub const NUMBER: TypeSet = TypeSet(1 << 3);
    /// Strings.
    pub const STRING: TypeSet = TypeSet(1 << 4);
    /// Arrays.
    pub const ARRAY: TypeSet = TypeSet(1 << 5);
    /// Objects.
    pub const OBJECT: TypeSet = TypeSet(1 << 6);

    /// Whether every type of `other` is in this set.
    #[must_use]
    pub const fn contains(self, other: TypeSet) -> bool {
        self.0 & other.0 == other.0
    }

    /// The types in either set.
    #[must_use]
    pub const fn union(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// The types in both sets; an integer is also a number, so `NUMBER` and `INTEGER` have `INTEGER` in common.
    #[must_use]
    pub const fn intersection(self, other: TypeSet) -> TypeSet {
        let both = self.0 & other.0;
        let whole = self.0 | other.0;
        let meets = self.numeric() && other.numeric() && whole & Self::INTEGER.0 != 0;
        TypeSet(if meets { both | Self::INTEGER.0 } else { both })
    }

    /// Whether nothing is known.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is exactly `other`.
    #[must_use]
    pub const fn only(self, other: TypeSet) -> bool {
        self.0 == other.0
    }

    /// The type that a name stands for in schemas and in `type=` attributes, as far as engines and data sets write them:
    /// the JSON Schema names in any case, `str`, `int32`, `list[int]`, `dict`, … `None` for any other name.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<TypeSet> {
        let head = name.split(|byte| matches!(byte, b'[' | b'<' | b'(')).next().unwrap_or(name).trim_ascii();
        TYPE_NAMES.iter().find(|(_, names)| names.iter().any(|known| head.eq_ignore_ascii_case(known.as_bytes()))).map(|(types, _)| *types)
    }

    /// True when a number may be among them.
    #[must_use]
    pub const fn numeric(self) -> bool {
        self.0 & (Self::INTEGER.0 | Self::NUMBER.0) != 0
    }

    /// Whether `only` is the one type beside `null`, which a null word alone can mean.
    const fn sole(self, only: TypeSet) -> bool {
        self.0 & !Self::NULL.0 == only.0
    }
}

const TYPE_NAMES: [(TypeSet, &[&str]); 7] = [
    (TypeSet::STRING, &["string", "str", "text", "varchar", "char"]),
    (
        TypeSet::INTEGER,
        &["integer", "int", "long", "short", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"],
    ),
    (TypeSet::NUMBER, &["number", "float", "double", "decimal", "num", "float32", "float64"]),
    (TypeSet::BOOLEAN, &["boolean", "bool", "binary"]),
    (TypeSet::OBJECT, &["object", "dict", "map"]),
    (TypeSet::ARRAY, &["array", "list", "arr", "tuple", "set"]),
    (TypeSet::NULL, &["null", "none"]),
];

/// What raw text without a known type is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Text, marked `untyped`.
    Text,
    /// The JSON value, if the whole text is strict JSON, else text.
    JsonOrText,
}

/// How raw text reads under a set of types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Typed<'t> {
    /// A string: the text as it was given, surrounding white space included.
    Text,
    /// `null`.
    Null,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A finite number as a strict JSON lexeme.
    Number(Cow<'t, [u8]>),
    /// The trimmed text has the brackets of an admitted array (a Python tuple is one) or object; without known types, of any JSON array,
    /// object or string.
    /// The caller reads it; what cannot be read is a string, and marked `type_mismatch` where known types admit none.
    Json,
    /// A string although no string is admitted, to be marked `type_mismatch`.
    Mismatch,
    /// A string, since nothing is known, to be marked `untyped`.
    Untyped,
}

/// Reads raw text under a set of types; `unknown` says what happens when that is empty, and an integer has at most so many `digits`.
///
/// The flag tells that the reading was looser than the text: `7.0` for 7, `yes` for true, `0042` for 42. Such a value is to be marked `coerced`.
#[must_use]
pub fn classify(text: &[u8], types: TypeSet, unknown: Unknown, digits: usize) -> (Typed<'_>, bool) {
    if types.only(TypeSet::STRING) {
        return (Typed::Text, false);
    }
    let trimmed = trim(text);
    if types.is_empty() {
        let typed = match unknown {
            Unknown::Text => Typed::Untyped,
            Unknown::JsonOrText => json_scalar(trimmed, digits).unwrap_or(Typed::Text),
        };
        return (typed, false);
    }
    if let Some(read) = admitted(trimmed, types, digits).or_else(|| loosely_admitted(trimmed, types, digits)) {
        return read;
    }
    (if types.contains(TypeSet::STRING) { Typed::Text } else { Typed::Mismatch }, false)
}

/// Reads the text of a JSON string where the schema admits no string: the one admitted value that the text (without surrounding
/// white space) is, or `None` to leave the string alone. After [`Typed::Json`] the string stays as well if the caller cannot read it.
#[must_use]
pub fn coerce_string(text: &[u8], types: TypeSet, digits: usize) -> Option<Typed<'_>> {
    if types.is_empty() || types.contains(TypeSet::STRING) {
        return None;
    }
    let trimmed = trim(text);
    match admitted(trimmed, types, digits)?.0 {
        Typed::Json if !bracketed(trimmed) => None,
        typed => Some(typed),
    }
}

fn admitted(text: &[u8], types: TypeSet, digits: usize) -> Option<(Typed<'_>, bool)> {
    let first = *text.first()?;
    if types.contains(TypeSet::NULL) && matches!(text, b"null" | b"None" | b"Null" | b"NULL") {
        return Some((Typed::Null, false));
    }
    if types.numeric()
        && matches!(first, b'+' | b'-' | b'.' | b'0'..=b'9')
        && let Some(number) = admitted_number(text, types, digits)
    {
        return Some(number);
    }
    if types.contains(TypeSet::BOOLEAN)
        && let Some(typed) = boolean(text)
    {
        return Some((typed, false));
    }
    let brackets = match first {
        b'[' | b'(' => types.contains(TypeSet::ARRAY),
        b'{' => types.contains(TypeSet::OBJECT),
        _ => false,
    };
    // Where a string is admitted too, an open bracket alone is more likely prose than a damaged array.
    let closed = first != b'(' && !types.contains(TypeSet::STRING) || bracketed(text);
    (brackets && closed).then_some((Typed::Json, false))
}

fn admitted_number(text: &[u8], types: TypeSet, digits: usize) -> Option<(Typed<'_>, bool)> {
    let decimal = Decimal::scan(text)?;
    let padded = decimal.leading_zeros() > 0;
    let admitted = if types.contains(TypeSet::INTEGER) && decimal.is_integer() {
        true
    } else {
        // A sign or zeros that JSON and Python numbers do not have are kept where they can be kept: "+49…" or "007" as a string.
        types.contains(TypeSet::NUMBER) && !(types.contains(TypeSet::STRING) && (padded || decimal.sign == Some(b'+')))
    };
    (admitted && decimal.is_finite(text, digits)).then(|| (Typed::Number(decimal.lexeme(text)), padded))
}

fn loosely_admitted(text: &[u8], types: TypeSet, digits: usize) -> Option<(Typed<'_>, bool)> {
    if types.sole(TypeSet::INTEGER) {
        let whole = Decimal::scan(text)?.whole(digits)?;
        return Some((Typed::Number(whole), true));
    }
    if !types.sole(TypeSet::BOOLEAN) {
        return None;
    }
    match text {
        b"1" | b"yes" | b"Yes" | b"YES" => Some((Typed::True, true)),
        b"0" | b"no" | b"No" | b"NO" => Some((Typed::False, true)),
        _ => None,
    }
}

fn json_scalar(text: &[u8], digits: usize) -> Option<Typed<'_>> {
    match text {
        b"null" => Some(Typed::Null),
        b"true" => Some(Typed::True),
        b"false" => Some(Typed::False),
        [b'{', .., b'}'] | [b'[', .., b']'] | [b'"', .., b'"'] => Some(Typed::Json),
        [b'-' | b'0'..=b'9', ..] => {
            let decimal = Decimal::scan(text)?;
            (decimal.is_strict() && decimal.is_finite(text, digits)).then_some(Typed::Number(Cow::Borrowed(text)))
        }
        _ => None,
    }
}

fn boolean(text: &[u8]) -> Option<Typed<'static>> {
    match text {
        b"true" | b"True" | b"TRUE" => Some(Typed::True),
        b"false" | b"False" | b"FALSE" => Some(Typed::False),
        _ => None,
    }
}

fn bracketed(text: &[u8]) -> bool {
    matches!(text, [b'[', .., b']'] | [b'{', .., b'}'] | [b'(', .., b')'])
}

fn trim(text: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = text.iter().position(|byte| !blank(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    text.get(start..end).unwrap_or_default()
}
