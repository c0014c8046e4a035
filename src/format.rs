//! The vocabulary of a row: how a model family writes its calls. No policy and no switches: a row says what is written, never what to do
//! about it. What was mended is marked on the result.

/// One way to write calls. A family that writes in two ways has two rows of one name.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The public name.
    pub name: &'static str,
    /// Whether auto-detection reads it.
    pub detect: Detect,
    /// How sure its markup is.
    pub shape: Shape,
    /// Where its opener counts.
    pub place: Place,
    /// Around all calls.
    pub section: Wrap,
    /// Around one call.
    pub call: Wrap,
    /// What may stand in a section beside calls.
    pub between: Between,
    /// Whether a call counts without the section around it.
    pub loose: Loose,
    /// What a call is written as.
    pub body: Body,
    /// Names by which its models say that they call no tool.
    pub no_call: &'static [&'static str],
    /// White space at the border between prose and calls.
    pub space: Space,
    /// The reasoning blocks that its models write, by name.
    pub thinks: &'static [&'static str],
    /// Tokens of its own that belong to no call and to no prose; its closers are such without being listed here.
    pub controls: &'static [&'static str],
    /// Shapes of such tokens.
    pub control_shapes: &'static [ControlShape],
}

/// Whether a row takes part in auto-detection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Detect {
    /// It does.
    Auto,
    /// Only when it is named: too easily met in prose.
    OnRequest,
}

/// How sure the markup of a call is.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Shape {
    /// Between markers that mean nothing else.
    Tagged,
    /// In a code fence.
    Fenced,
    /// Without any marker.
    Bare,
}

impl Shape {
    /// The public name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shape::Tagged => "tagged",
            Shape::Fenced => "fenced",
            Shape::Bare => "bare",
        }
    }
}

/// Where an opener counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Wherever it stands.
    Anywhere,
    /// At the start of a line.
    LineStart,
    /// At the start of the reply, behind reasoning, or behind a control token.
    Boundary,
}

/// A pair of markers; the first spelling is the usual one. No spelling: there is no such marker.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Wrap {
    /// Openers.
    pub open: &'static [&'static str],
    /// Closers.
    pub close: &'static [&'static str],
}

/// What may stand in a section beside calls.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Between {
    /// White space; anything else ends the section.
    Blanks,
    /// Anything that is short: it is neither prose nor call, but an error where no call was read, or behind which a call closes. What is
    /// long, or stands behind the calls of a section that never closes, is prose.
    Noise,
    /// The name of what follows, which the call says again.
    Name,
}

/// Whether a call counts without its section.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Loose {
    /// No: it is text.
    Never,
    /// Yes: its own marker is unmistakable.
    Always,
    /// When its name is known.
    Offered,
}

/// What a call is written as.
#[derive(Copy, Clone, Debug)]
pub enum Body {
    /// JSON objects that hold name and arguments, alone, in a row, or in an array.
    Json(CallKeys, Dialect),
    /// Call expressions.
    Python(Expressions),
    /// The name first, then the arguments.
    Named(Head, Args),
    /// Messages with a header that says what they are.
    Messages(Messages),
}

/// Which keys hold the name and the arguments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CallKeys {
    /// Two keys; the spellings that the format itself uses.
    Pair {
        /// Of the name.
        name: &'static [&'static str],
        /// Of the arguments.
        arguments: &'static [&'static str],
    },
    /// The only key is the name, its value the arguments.
    NameIsKey,
}

/// How call expressions are laid out.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Expressions {
    /// `[f(a=1), g()]`
    List,
    /// One a line, or several with commas.
    Lines,
    /// `f.call(a=1)`
    Method,
    /// `f(a=1)`
    One,
}

/// How a value is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Whose literals.
    pub syntax: Syntax,
    /// How keys are written.
    pub keys: Keys,
    /// A string delimiter of its own; the text between is verbatim.
    pub quote: Option<&'static str>,
}

/// Whose literals and escapes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// JSON's.
    Json,
    /// Python's.
    Python,
}

/// How keys are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Keys {
    /// In quotes.
    Quoted,
    /// Bare, up to the colon.
    Bare,
}

impl Dialect {
    /// JSON itself.
    pub const JSON: Dialect = Dialect { syntax: Syntax::Json, keys: Keys::Quoted, quote: None };
    /// Python literals.
    pub const PYTHON: Dialect = Dialect { syntax: Syntax::Python, keys: Keys::Quoted, quote: None };
}

/// How the name of a call is written.
#[derive(Copy, Clone, Debug)]
pub enum Head {
    /// The name runs to a marker.
    Until {
        /// What ends a label in front of the name.
        label: &'static [&'static str],
        /// What must stand before the name.
        lead: &'static [&'static str],
        /// Markers that end the name and are part of the head: what follows stands behind them. White space around the name is layout.
        take: &'static [&'static str],
        /// Markers that end the name and start what follows.
        stop: &'static [&'static str],
        /// What else the text up to the marker holds.
        name: NameStyle,
        /// Behind the name: an id up to `take` or `stop`.
        id: &'static [&'static str],
    },
    /// The name is an attribute of the opening tag.
    Attributes {
        /// The attribute.
        name: &'static [&'static str],
        /// What ends the tag.
        end: &'static [&'static str],
        /// What ends a tag that has no body.
        empty: &'static [&'static str],
    },
}

/// What the text of a name holds beside the name.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NameStyle {
    /// Nothing: white space and one pair of quotes around it are layout.
    Plain,
    /// `functions.NAME:COUNTER`, which is also the call's id.
    Counted,
}

/// How the arguments of a named call are written.
#[derive(Copy, Clone, Debug)]
pub enum Args {
    /// One object.
    Object {
        /// Its dialect.
        dialect: Dialect,
        /// A fence around it.
        fence: Fence,
    },
    /// Each argument in its own tags.
    Pairs(Pairs),
    /// Elements named after their keys.
    Tree(Tree),
    /// A line of the form `NAME REST` (an object, or a text for one key).
    Text {
        /// The key of the text.
        key: &'static str,
        /// Beginnings of lines that end the text.
        lines: &'static [&'static str],
    },
}

/// A fence around an object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fence {
    /// None.
    None,
    /// As the format writes it.
    Written,
}

/// Arguments in tags.
#[derive(Copy, Clone, Debug)]
pub struct Pairs {
    /// What opens an argument.
    pub open: &'static [&'static str],
    /// How its key is written.
    pub key: Key,
    /// Between key and value: what may stand there, in order (each optional).
    pub between: &'static [&'static str],
    /// What closes a value. It counts only where the grammar goes on behind it.
    pub close: &'static [&'static str],
    /// Which white space around a value is layout.
    pub trim: Trim,
    /// Where the type of a value comes from.
    pub typing: Typing,
    /// Where a closer of the call or section may end a value whose own closer never comes: anywhere, only at the start of a line (or both
    /// closers one behind the other), or, as [`Place::Boundary`], nowhere. One that does not count is text; where another call follows it,
    /// the value is marked.
    pub outer: Place,
    /// How characters are escaped.
    pub escapes: Escapes,
}

/// How the key of an argument is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Key {
    /// It runs to one of these, which may begin with white space. A key holds neither `<` nor line feeds; blanks and one pair of quotes around
    /// it are layout.
    Until(&'static [&'static str]),
    /// It is an attribute of the opening tag, which ends with the second; or it stands behind the tag's name and an equals sign.
    Attributes(&'static [&'static str], &'static [&'static str]),
}

/// Which white space around a raw value is layout.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Trim {
    /// None.
    Nothing,
    /// One line feed on each side.
    OneLine,
    /// All of it.
    All,
}

/// Where the type of a raw value comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Typing {
    /// The tool's schema; without one the value is text.
    SchemaOrText,
    /// The tool's schema; without one it is JSON where it reads as JSON.
    SchemaOrJson,
    /// Every value is text.
    Text,
    /// An attribute that says whether the value is text (`string="true"`) or JSON.
    StringAttribute(&'static str),
    /// An attribute that names the type.
    TypeAttribute(&'static str),
}

/// How characters of a raw value are escaped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Escapes {
    /// Not at all.
    None,
    /// As in XML, with CDATA sections.
    Xml,
    /// In attributes only.
    Attributes,
}

/// Elements named after their keys.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Tree {
    /// What stands before every tag.
    pub mark: &'static str,
    /// A wrapper around the elements.
    pub wrap: Wrap,
    /// The element of an array's item; none: elements do not nest.
    pub item: Option<&'static str>,
}

/// A row of messages: a header, then a body that the header gives a meaning.
#[derive(Copy, Clone, Debug)]
pub struct Messages {
    /// What starts a header.
    pub start: &'static [&'static str],
    /// What names the channel in a header.
    pub channel: &'static str,
    /// What names the recipient in a header.
    pub recipient: &'static str,
    /// Words for the type of a body, which may run into the name of the recipient.
    pub types: &'static [&'static str],
    /// What ends the header.
    pub body: &'static str,
    /// What ends a body, when a header or the end of the reply follows.
    pub end: &'static [&'static str],
    /// The meaning of recipients: a prefix and what it says. Checked before the channel.
    pub recipients: &'static [(&'static str, Meaning)],
    /// Recipients that are no tool and say nothing.
    pub nobody: &'static [&'static str],
    /// Words that may stand between the end of a message and the next header.
    pub fillers: &'static [&'static str],
    /// The meaning of channels.
    pub channels: &'static [(&'static str, Meaning)],
    /// The meaning of a body without either.
    pub plain: Meaning,
}

/// What the body of a message is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The arguments of the tool that the recipient names behind the prefix.
    Call,
    /// Prose.
    Prose,
    /// Reasoning.
    Reasoning,
    /// Prose that may hold calls of another row.
    Markup,
    /// Neither shown nor run.
    Hidden,
}

/// White space at the border between prose and calls. A family whose template puts line feeds around calls trims.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Space {
    /// It is layout: dropped before a call, and between calls. Where prose follows the calls, the white space that stood before the first of
    /// them parts it from the prose before, if none stands behind the last.
    Trim,
    /// It is prose.
    Keep,
}

/// A reasoning block.
#[derive(Copy, Clone, Debug)]
pub struct Think {
    /// The name that rows use.
    pub name: &'static str,
    /// Openers.
    pub open: &'static [&'static str],
    /// Closers.
    pub close: &'static [&'static str],
    /// Markers that end it and belong to what follows.
    pub ended_by: &'static [&'static str],
    /// What a call inside means.
    pub calls: CallsInside,
    /// Which white space at its edges is layout.
    pub edges: Edges,
}

/// What a call inside an open reasoning block means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CallsInside {
    /// A draft if the block closes later; a call that ended the block if the reply ends first.
    Drafts,
    /// Nothing.
    Text,
}

/// Which white space at the edges of a reasoning block is layout.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Edges {
    /// All of it, behind the block as well.
    Blanks,
    /// One line feed before the closer.
    LastLine,
    /// None.
    Exact,
}

/// A token known by its shape: `prefix`, then up to `most` bytes without `without`, then `end`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ControlShape {
    /// How it begins.
    pub prefix: &'static str,
    /// How it ends.
    pub end: &'static str,
    /// The most bytes between.
    pub most: usize,
    /// Bytes that may not stand between.
    pub without: &'static [u8],
}

impl Wrap {
    /// No markers.
    pub const NONE: Wrap = Wrap { open: &[], close: &[] };
}

impl Format {
    /// The markers that announce it: of the section if there is one, else of the call.
    #[must_use]
    pub fn openers(&self) -> &'static [&'static str] {
        match self.body {
            _ if self.shape == Shape::Fenced => &[],
            Body::Messages(messages) => messages.start,
            _ if self.section.open.is_empty() => self.call.open,
            _ => self.section.open,
        }
    }
}
