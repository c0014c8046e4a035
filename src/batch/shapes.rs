//! The shapes of logs, as rows: where the reply, the tools and the id of a record stand.

use super::paths::{BadPath, Found, Only, Paths, Step, Target, steps};
use Step::{Each, EachOf, Key};

/// How the value that stands at a place is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A string, or the parts of a message.
    Text,
    /// The same, or a message, a list of messages, or an answer with choices.
    Message,
    /// The same, or a string that holds one of those as JSON.
    Exported,
}

/// A place where replies stand.
type Place = (&'static [Step<'static>], Form);

/// What a log looks like.
#[derive(Debug)]
pub struct Shape {
    /// The public name.
    pub name: &'static str,
    /// Where replies stand: the first place where something other than `null` stands counts.
    replies: &'static [Place],
    /// Where the tools stand that the reply's model was offered.
    tools: &'static [&'static [Step<'static>]],
    /// Where the id of a record stands.
    ids: &'static [&'static [Step<'static>]],
    /// What every record must say of itself.
    only: Option<Only>,
}

const ASSISTANT: Step<'static> = EachOf(Only { key: "role", values: &["assistant", "model", "ai"] });
const SPOKEN: Step<'static> = EachOf(Only { key: "from", values: &["gpt", "function_call", "assistant", "model", "chatgpt", "bot"] });
const GENERATION: Only = Only { key: "type", values: &["GENERATION"] };

const BODY: Place = (&[Key("response"), Key("body"), Key("choices"), Each, Key("message"), Key("content")], Form::Text);
const BODY_TEXT: Place = (&[Key("response"), Key("body"), Key("choices"), Each, Key("text")], Form::Text);
const ANSWER: Place = (&[Key("response"), Key("choices"), Each, Key("message"), Key("content")], Form::Text);
const ANSWER_TEXT: Place = (&[Key("response"), Key("choices"), Each, Key("text")], Form::Text);
const CHOICES: Place = (&[Key("choices"), Each, Key("message"), Key("content")], Form::Text);
const CHOICES_TEXT: Place = (&[Key("choices"), Each, Key("text")], Form::Text);
const SPAN: Place = (&[Key("gen_ai.output.messages"), ASSISTANT, Key("parts")], Form::Text);
const SPAN_IN: Place = (&[Key("attributes"), Key("gen_ai.output.messages"), ASSISTANT, Key("parts")], Form::Text);
const MESSAGES: Place = (&[Key("messages"), ASSISTANT, Key("content")], Form::Text);
const COMPLETION: Place = (&[Key("completion")], Form::Message);
const CONVERSATIONS: Place = (&[Key("conversations"), SPOKEN, Key("value")], Form::Text);
const OUTPUT: Place = (&[Key("output")], Form::Exported);
const OUTPUTS: Place = (&[Key("outputs")], Form::Exported);

const TOOLS: &[Step<'static>] = &[Key("tools")];
const REQUEST_TOOLS: &[Step<'static>] = &[Key("request"), Key("tools")];
const REQUEST_BODY_TOOLS: &[Step<'static>] = &[Key("request"), Key("body"), Key("tools")];
const SPAN_TOOLS: &[Step<'static>] = &[Key("gen_ai.tool.definitions")];
const SPAN_IN_TOOLS: &[Step<'static>] = &[Key("attributes"), Key("gen_ai.tool.definitions")];
const INPUT_TOOLS: &[Step<'static>] = &[Key("input"), Key("tools")];
const INVOKED_TOOLS: &[Step<'static>] = &[Key("extra"), Key("invocation_params"), Key("tools")];
const INPUTS_TOOLS: &[Step<'static>] = &[Key("inputs"), Key("tools")];

const ID: &[Step<'static>] = &[Key("id")];
const CUSTOM_ID: &[Step<'static>] = &[Key("custom_id")];
const RESPONSE_ID: &[Step<'static>] = &[Key("gen_ai.response.id")];
const RESPONSE_ID_IN: &[Step<'static>] = &[Key("attributes"), Key("gen_ai.response.id")];
const SPAN_ID: &[Step<'static>] = &[Key("span_id")];
const SPAN_ID_CAMEL: &[Step<'static>] = &[Key("spanId")];
const REQUEST_ID: &[Step<'static>] = &[Key("request_id")];

const SPAN_IDS: &[&[Step<'static>]] = &[SPAN_ID, SPAN_ID_CAMEL, RESPONSE_ID, RESPONSE_ID_IN, ID];

/// The rows.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "auto",
        replies: &[
            BODY,
            BODY_TEXT,
            ANSWER,
            ANSWER_TEXT,
            CHOICES,
            CHOICES_TEXT,
            SPAN,
            SPAN_IN,
            OUTPUTS,
            (&[Key("response")], Form::Message),
            COMPLETION,
            OUTPUT,
            MESSAGES,
            CONVERSATIONS,
            (&[Key("text")], Form::Text),
            (&[Key("content")], Form::Text),
        ],
        tools: &[TOOLS, REQUEST_TOOLS, REQUEST_BODY_TOOLS, SPAN_TOOLS, SPAN_IN_TOOLS, INVOKED_TOOLS, INPUT_TOOLS, INPUTS_TOOLS],
        ids: &[CUSTOM_ID, SPAN_ID, SPAN_ID_CAMEL, RESPONSE_ID, RESPONSE_ID_IN, ID, REQUEST_ID],
        only: None,
    },
    Shape {
        name: "openai-batch",
        replies: &[BODY, BODY_TEXT, ANSWER, ANSWER_TEXT, CHOICES, CHOICES_TEXT],
        tools: &[TOOLS, REQUEST_TOOLS, REQUEST_BODY_TOOLS],
        ids: &[CUSTOM_ID, ID],
        only: None,
    },
    Shape { name: "messages", replies: &[MESSAGES, COMPLETION], tools: &[TOOLS], ids: &[ID], only: None },
    Shape { name: "sharegpt", replies: &[CONVERSATIONS], tools: &[TOOLS], ids: &[ID], only: None },
    Shape { name: "langfuse", replies: &[OUTPUT], tools: &[INPUT_TOOLS, TOOLS], ids: &[ID], only: Some(GENERATION) },
    Shape { name: "langsmith", replies: &[OUTPUTS], tools: &[INVOKED_TOOLS, INPUTS_TOOLS, TOOLS], ids: &[ID], only: None },
    Shape { name: "otel", replies: &[SPAN, SPAN_IN], tools: &[SPAN_TOOLS, SPAN_IN_TOOLS], ids: SPAN_IDS, only: None },
    Shape { name: "text", replies: &[], tools: &[], ids: &[], only: None },
];

/// The first targets are the places of replies; tools, ids and the condition count from here.
const FIRST_TOOLS: Target = 64;
const FIRST_ID: Target = 96;
const CONDITION: Target = 128;

/// Where everything stands in the records of one log.
#[derive(Debug, Clone)]
pub struct Layout {
    paths: Paths,
    forms: Vec<Form>,
    /// Where a reply was looked for, for messages.
    wanted: String,
    only: Option<Only>,
    /// True when a line is a reply, not a record.
    plain: bool,
}

/// What a record holds.
#[derive(Debug)]
pub struct Record<'a> {
    /// The values where replies stand, and how they are read.
    pub replies: Vec<(Found<'a>, Form)>,
    /// The tools.
    pub tools: Option<Found<'a>>,
    /// The id.
    pub id: Option<Found<'a>>,
}

/// Why a [`Layout`] cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError {
    /// No shape has this name.
    UnknownShape,
    /// `text_path`, `tools_path` or `id_path` is no path.
    Path(&'static str),
}

impl Layout {
    /// The layout of a shape, with other places for the reply, the tools or the id. `tools`: whether the shape's own place of tools counts.
    ///
    /// # Errors
    ///
    /// [`LayoutError`] when the shape is unknown or a path is none.
    pub fn new(shape: &str, text: Option<&str>, tools_path: Option<&str>, id: Option<&str>, tools: bool) -> Result<Layout, LayoutError> {
        let shape = SHAPES.iter().find(|row| row.name == shape).ok_or(LayoutError::UnknownShape)?;
        let mut paths = Paths::default();
        let (forms, wanted) = if let Some(text) = text {
            paths.add(&steps_of(text, "text_path")?, 0);
            (vec![Form::Text], text.to_owned())
        } else {
            for (place, target) in shape.replies.iter().zip(0..) {
                paths.add(place.0, target);
            }
            let wanted = match shape.replies {
                [(only, _)] => written(only),
                _ => format!("any place of the shape \"{}\"", shape.name),
            };
            (shape.replies.iter().map(|(_, form)| *form).collect(), wanted)
        };
        match tools_path {
            Some(path) => paths.add(&steps_of(path, "tools_path")?, FIRST_TOOLS),
            None if tools => shape.tools.iter().zip(FIRST_TOOLS..).for_each(|(steps, target)| paths.add(steps, target)),
            None => {}
        }
        match id {
            Some(path) => paths.add(&steps_of(path, "id_path")?, FIRST_ID),
            None => shape.ids.iter().zip(FIRST_ID..).for_each(|(steps, target)| paths.add(steps, target)),
        }
        let only = shape.only.filter(|_| text.is_none());
        if let Some(only) = only {
            paths.add(&[Key(only.key)], CONDITION);
        }
        Ok(Layout { paths, forms, wanted, only, plain: shape.name == "text" && text.is_none() })
    }

    /// True when a line is a reply, not a record.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Reads one record.
    ///
    /// # Errors
    ///
    /// Why there is no reply in it.
    pub fn record<'a>(&self, line: &'a str) -> Result<Record<'a>, String> {
        if !line.trim_start().starts_with('{') {
            return Err(match serde_json::from_str::<serde::de::IgnoredAny>(line) {
                _ if line.trim().is_empty() => "the line is empty".to_owned(),
                Ok(_) => "not a JSON object".to_owned(),
                Err(error) => not_json(&error),
            });
        }
        let found = self.paths.find(line).map_err(|error| not_json(&error))?;
        let mut record = Record { replies: Vec::new(), tools: None, id: None };
        let mut meant = self.only.is_none();
        // The place that counts: the first where something stands; the first of all when only `null` does.
        let mut best: Option<(bool, Target)> = None;
        for value in &found {
            let rank = (*value.raw == *"null", value.target);
            if value.target < FIRST_TOOLS && best.is_none_or(|best| rank < best) {
                best = Some(rank);
            }
        }
        for value in found {
            match value.target {
                CONDITION => meant = self.only.is_some_and(|only| only.values.contains(&value.raw.trim_matches('"'))),
                FIRST_ID.. => keep_first(&mut record.id, value),
                FIRST_TOOLS.. => keep_first(&mut record.tools, value),
                target if best.is_some_and(|(_, best)| best == target) => {
                    let form = self.forms.get(usize::from(target)).copied().unwrap_or(Form::Text);
                    record.replies.push((value, form));
                }
                _ => {}
            }
        }
        match self.only {
            Some(only) if !meant => Err(format!("{} is not {}", only.key, only.values.join(" or "))),
            _ if record.replies.is_empty() => Err(format!("no reply: nothing at {}", self.wanted)),
            _ => Ok(record),
        }
    }
}

/// Of the places of the tools, or of the id, the first that holds something counts; of one place the last value, as everywhere in JSON.
fn keep_first<'a>(slot: &mut Option<Found<'a>>, value: Found<'a>) {
    if *value.raw != *"null" && slot.as_ref().is_none_or(|kept| value.target <= kept.target) {
        *slot = Some(value);
    }
}

fn steps_of<'s>(path: &'s str, argument: &'static str) -> Result<Vec<Step<'s>>, LayoutError> {
    steps(path).map_err(|BadPath| LayoutError::Path(argument))
}

fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("not valid JSON: {what} (column {})", error.column())
}

/// A path as it would be written in an option.
fn written(steps: &[Step<'_>]) -> String {
    let parts = steps.iter().map(|step| match step {
        Key(key) | Step::KeyOrItem(key, _) => (*key).to_owned(),
        Step::Item(index) => index.to_string(),
        Each | EachOf(_) => "*".to_owned(),
    });
    parts.collect::<Vec<_>>().join(".")
}
