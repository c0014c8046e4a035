//! Every mending and every refusal: kinds, places, and whether something was guessed. Sentences are made when someone prints them.

use crate::limits::Limit;
use crate::span::Span;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $safe:literal;)*) => {
        /// What was changed to make sense of the text. The names are the public ones of the README's table.
        #[derive(Copy, Clone, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
        pub enum RepairKind { $($(#[$doc])* $variant,)* }

        impl RepairKind {
            /// Every kind, in the order of the README's table.
            pub const ALL: &'static [RepairKind] = &[$(RepairKind::$variant,)*];

            /// The public name, in snake case.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(RepairKind::$variant => $name,)* }
            }

            /// True when every text that could have been damaged into this one has the same value.
            #[must_use]
            pub fn is_exact(self) -> bool {
                match self { $(RepairKind::$variant => $safe,)* }
            }
        }
    };
}

kinds! {
    /// A string or key in single quotes.
    SingleQuotes "single_quotes" true;
    /// A string in typographic quotes, back-ticks or triple quotes.
    OtherQuotes "other_quotes" true;
    /// A key without quotes.
    UnquotedKey "unquoted_key" true;
    /// `True`, `None` and the like, or a literal in another case.
    PythonLiteral "python_literal" true;
    /// `+5`, `.5`, `5.`, `0x1F`.
    NumberFormat "number_format" true;
    /// A comment between tokens.
    Comment "comment" true;
    /// One comma before a closer or after the root.
    TrailingComma "trailing_comma" true;
    /// No comma between two members or items.
    MissingComma "missing_comma" true;
    /// Nothing, `=` or `=>` between key and value.
    MissingColon "missing_colon" true;
    /// A raw control character in a string, kept.
    ControlCharInString "control_char_in_string" true;
    /// A needlessly escaped quote.
    EscapedQuote "escaped_quote" true;
    /// A byte order mark, odd blank, full-width punctuation or written-out `\n` between tokens.
    OddCharacter "odd_character" true;
    /// The whole text was one escape level too deep.
    OverEscaped "over_escaped" true;
    /// `{{ … }}`.
    DoubledBraces "doubled_braces" true;
    /// A markdown fence around the value.
    CodeFence "code_fence" true;
    /// Prose around one value.
    SurroundingText "surrounding_text" true;
    /// Closers left after the root.
    ExtraCloser "extra_closer" true;
    /// A closer of the wrong kind, or one missing, with only closers after it.
    WrongCloser "wrong_closer" true;
    /// The same key again; the last value wins.
    DuplicateKey "duplicate_key" true;
    /// The text ended inside a string.
    ClosedString "closed_string" false;
    /// The text ended inside an array.
    ClosedArray "closed_array" false;
    /// The text ended inside an object.
    ClosedObject "closed_object" false;
    /// The text ended before a member had a value; the member is dropped.
    DroppedPartialKey "dropped_partial_key" false;
    /// The text ended in a number or literal that may have gone on; it is dropped.
    DroppedPartialLiteral "dropped_partial_literal" false;
    /// An escape that JSON does not know; both characters kept.
    BadEscape "bad_escape" false;
    /// An unescaped quote inside a string, kept as content.
    InnerQuote "inner_quote" false;
    /// A string with one of its quotes missing.
    MissingQuote "missing_quote" false;
    /// Bare text that is no literal and no number, kept as text.
    UnquotedValue "unquoted_value" false;
    /// Two strings side by side in an array: two items.
    AdjacentStrings "adjacent_strings" false;
    /// A doubled or leading comma, skipped.
    ExtraComma "extra_comma" false;
    /// A member without a value, dropped.
    MissingValue "missing_value" false;
    /// `...` in place of a member or item, dropped.
    Ellipsis "ellipsis" false;
    /// As `wrong_closer`, but content follows; or what follows may belong to the value or the arguments that were closed.
    AmbiguousCloser "ambiguous_closer" false;
    /// The text started with a member; a `{` was put in front.
    OpenedObject "opened_object" false;
    /// Several values in a row: a list of them.
    MultipleValues "multiple_values" false;
    /// `undefined`, `nil`: null.
    OddLiteral "odd_literal" false;
    /// A number without an exact form, kept as its text.
    NumberAsText "number_as_text" false;
    /// Half a surrogate pair, or bytes that are not UTF-8: U+FFFD.
    LoneSurrogate "lone_surrogate" false;
    /// A container beyond the depth limit, kept as its text.
    TooDeep "too_deep" false;
    /// The call's arguments were closed; only its own closer or wrapper is missing.
    MissingCloser "missing_closer" true;
    /// A call without the opener that its format writes.
    MissingOpener "missing_opener" true;
    /// `parameters` for `arguments`, and its kin.
    AlternateKey "alternate_key" true;
    /// Arguments written as a JSON string.
    StringArguments "string_arguments" true;
    /// Arguments missing, null or empty: `{}`.
    NullArguments "null_arguments" true;
    /// A text that is exactly one value of a type that the schema admits became that value.
    Coerced "coerced" true;
    /// A text that fits no type of the schema, kept as text.
    TypeMismatch "type_mismatch" true;
    /// A value whose type nobody declared, kept as text.
    Untyped "untyped" true;
    /// A tool name that had to be worked out from the arguments.
    InferredName "inferred_name" false;
    /// An argument without a name, given the name of its place in the schema.
    PositionalArgument "positional_argument" false;
    /// A number that the end of the reply may have cut short.
    CutNumber "cut_number" false;
    /// A value that was taken to end at an outer closer.
    ProvisionalEnd "provisional_end" false;
}

/// One change: what, where, and whether nothing was guessed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Repair {
    /// What was changed.
    pub kind: RepairKind,
    /// Where.
    pub span: Span,
    /// True when nothing was guessed.
    pub safe: bool,
}

impl Repair {
    /// A repair of the class that its kind has by itself.
    #[must_use]
    pub fn new(kind: RepairKind, span: Span) -> Repair {
        Repair { kind, span, safe: kind.is_exact() }
    }

    /// Adds it to others; neighbours of one kind are one repair.
    // Cold: a reply that needs none must not pay for where it could be.
    #[cold]
    pub fn add_to(self, repairs: &mut Vec<Repair>) {
        match repairs.last_mut() {
            Some(last) if last.is_before(&self) => last.span.end = self.span.end,
            _ => repairs.push(self),
        }
    }

    fn is_before(&self, next: &Repair) -> bool {
        (self.kind, self.safe, self.span.end) == (next.kind, next.safe, next.span.start) && !self.span.is_empty()
    }
}

/// Why something that wanted to be a call is not one.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum FaultKind {
    /// The name is not among the offered tools.
    UnknownTool,
    /// The arguments are not an object.
    BadArguments,
    /// The text could not be read as a call.
    Unreadable(Unreadable),
    /// The reply ended inside the call.
    Cut,
    /// A limit was passed.
    Limit(Limit),
}

/// What made a call unreadable.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Unreadable {
    /// What stands between the tags does not begin like a call.
    NotACall,
    /// There is no tool name.
    NoName,
    /// A character that fits nowhere.
    Unexpected,
}

impl FaultKind {
    /// The public name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::UnknownTool => "unknown_tool",
            FaultKind::BadArguments => "bad_arguments",
            FaultKind::Unreadable(_) => "unreadable",
            FaultKind::Cut => "cut",
            FaultKind::Limit(_) => "limit",
        }
    }

    /// The short phrase behind `Couldn't read a tool call: `.
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            FaultKind::UnknownTool => "the tool is not offered",
            FaultKind::BadArguments => "the arguments are not an object",
            FaultKind::Unreadable(Unreadable::NotACall) => "what stands between the tags is not a call",
            FaultKind::Unreadable(Unreadable::NoName) => "no tool name",
            FaultKind::Unreadable(Unreadable::Unexpected) => "unexpected text",
            FaultKind::Cut => "the reply ended inside it",
            FaultKind::Limit(Limit::Calls) => "too many calls in one reply",
            FaultKind::Limit(Limit::Nodes) => "too many values",
            FaultKind::Limit(Limit::CallSize) => "the call is too long",
            FaultKind::Limit(Limit::Name) => "the name is too long",
            FaultKind::Limit(Limit::Errors) => "too many errors in one reply",
        }
    }
}
