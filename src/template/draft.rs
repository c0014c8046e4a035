//! Rows that are still owned: nothing is leaked for a template that is refused.

use super::NAME;
use crate::format::{
    Args, Between, Body, CallKeys, Detect, Dialect, Escapes, Expressions, Fence, Format, Head, Key, Keys, Loose, NameStyle, Pairs, Place,
    Shape, Space, Syntax, Trim, Typing, Wrap,
};

/// A row.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub section: Tags,
    pub call: Tags,
    pub body: BodyDraft,
    pub space: Space,
    pub controls: Vec<String>,
}

/// Openers and closers.
#[derive(Debug, Clone, Default)]
pub(super) struct Tags {
    pub open: Vec<String>,
    pub close: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) enum BodyDraft {
    Json { name: String, arguments: String, dialect: DialectDraft },
    Python,
    Named(HeadDraft, ArgsDraft),
}

#[derive(Debug, Clone, Default)]
pub(super) struct DialectDraft {
    pub python: bool,
    pub bare_keys: bool,
    pub quote: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum HeadDraft {
    Until { lead: Vec<String>, take: Vec<String>, stop: Vec<String>, id: Vec<String> },
    Attribute { name: String, end: String },
}

#[derive(Debug, Clone)]
pub(super) enum ArgsDraft {
    Object(DialectDraft),
    Pairs(PairsDraft),
}

#[derive(Debug, Clone)]
pub(super) struct PairsDraft {
    pub open: String,
    /// The attribute that holds the key, and what ends the tag; or what ends the key.
    pub key: (Option<String>, String),
    pub between: Vec<String>,
    pub close: String,
    pub trim: Trim,
    pub typing: Typing,
}

/// Keeps values for the life of the process.
pub(super) fn kept<T>(values: Vec<T>) -> &'static [T] {
    Box::leak(values.into_boxed_slice())
}

fn text(value: &str) -> &'static str {
    Box::leak(value.to_owned().into_boxed_str())
}

pub(super) fn texts(values: &[String]) -> &'static [&'static str] {
    kept(values.iter().map(|value| text(value)).collect())
}

impl Tags {
    fn keep(&self) -> Wrap {
        Wrap { open: texts(&self.open), close: texts(&self.close) }
    }
}

impl DialectDraft {
    fn keep(&self) -> Dialect {
        Dialect {
            syntax: if self.python { Syntax::Python } else { Syntax::Json },
            keys: if self.bare_keys { Keys::Bare } else { Keys::Quoted },
            quote: self.quote.as_deref().map(text),
        }
    }
}

impl HeadDraft {
    fn keep(&self) -> Head {
        match self {
            HeadDraft::Until { lead, take, stop, id } => {
                Head::Until { label: &[], lead: texts(lead), take: texts(take), stop: texts(stop), name: NameStyle::Plain, id: texts(id) }
            }
            HeadDraft::Attribute { name, end } => {
                let empty = kept(vec![text(&format!("/{end}"))]);
                Head::Attributes { name: kept(vec![text(name)]), end: kept(vec![text(end)]), empty }
            }
        }
    }
}

impl PairsDraft {
    fn keep(&self) -> Pairs {
        let end = kept(vec![text(&self.key.1)]);
        Pairs {
            open: kept(vec![text(&self.open)]),
            key: match &self.key.0 {
                Some(name) => Key::Attributes(kept(vec![text(name)]), end),
                None => Key::Until(end),
            },
            between: texts(&self.between),
            close: kept(vec![text(&self.close)]),
            trim: self.trim,
            typing: self.typing,
            // A value on lines of its own may name the outer closer in the middle of one.
            outer: if self.between.is_empty() { Place::LineStart } else { Place::Anywhere },
            escapes: Escapes::None,
        }
    }
}

impl BodyDraft {
    fn keep(&self) -> Body {
        match self {
            BodyDraft::Json { name, arguments, dialect } => {
                Body::Json(CallKeys::Pair { name: kept(vec![text(name)]), arguments: kept(vec![text(arguments)]) }, dialect.keep())
            }
            BodyDraft::Python => Body::Python(Expressions::List),
            BodyDraft::Named(head, ArgsDraft::Object(dialect)) => {
                Body::Named(head.keep(), Args::Object { dialect: dialect.keep(), fence: Fence::None })
            }
            BodyDraft::Named(head, ArgsDraft::Pairs(pairs)) => Body::Named(head.keep(), Args::Pairs(pairs.keep())),
        }
    }
}

impl Draft {
    pub(super) fn new(section: Tags, call: Tags, body: BodyDraft) -> Draft {
        let controls = section.close.iter().chain(&call.close).filter(|close| super::findable(close)).cloned().collect();
        Draft { section, call, body, space: Space::Trim, controls }
    }

    /// A row that opens nothing: it only has control tokens.
    pub(super) fn inert() -> Draft {
        Draft::new(Tags::default(), Tags::default(), BodyDraft::Python)
    }

    pub(super) fn keep(&self) -> Format {
        Format {
            name: NAME,
            detect: Detect::OnRequest,
            shape: Shape::Tagged,
            place: Place::Anywhere,
            section: self.section.keep(),
            call: self.call.keep(),
            between: Between::Blanks,
            loose: if self.section.open.is_empty() { Loose::Never } else { Loose::Offered },
            body: self.body.keep(),
            space: self.space,
            thinks: kept(vec![NAME]),
            controls: texts(&self.controls),
            control_shapes: &[],
            no_call: &[],
        }
    }
}
