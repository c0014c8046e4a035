//! The rows; beside them the reasoning blocks and the control tokens. Data only; the grammar of each family stands in its fixture file.
//!
//! The order of rows that share an opener is the order in which they are asked whether what follows is theirs.

mod dsml;
mod tokens;

use crate::format::{
    Args, Between, Body, CallKeys, ControlShape, Detect, Dialect, Escapes, Expressions, Fence, Format, Head, Key, Keys, Loose, Meaning,
    Messages, NameStyle, Pairs, Place, Shape, Space, Syntax, Tree, Trim, Typing, Wrap,
};
use dsml::{DSML_ASCII, DSML_TWICE, DSML_V4, DSML_V32, DSML_V41, GCML, dsml};
pub use tokens::{CONTROLS, THINKS};

/// A tag name with the namespace prefix that some prompts ask for.
macro_rules! prefixed {
    ($open:literal, $rest:literal) => {
        concat!($open, "antml", ":", $rest)
    };
}

const JSON_KEYS: CallKeys = CallKeys::Pair { name: &["name"], arguments: &["arguments"] };
const EITHER_KEYS: CallKeys = CallKeys::Pair { name: &["name"], arguments: &["parameters", "arguments"] };
const JSON_BODY: Body = Body::Json(JSON_KEYS, Dialect::JSON);
const EITHER_BODY: Body = Body::Json(EITHER_KEYS, Dialect::JSON);
const JSON_ARGS: Args = Args::Object { dialect: Dialect::JSON, fence: Fence::None };
const THINK: &[&str] = &["think"];

/// What most rows have in common.
const ROW: Format = Format {
    name: "",
    detect: Detect::Auto,
    shape: Shape::Tagged,
    place: Place::Anywhere,
    section: Wrap::NONE,
    call: Wrap::NONE,
    between: Between::Blanks,
    loose: Loose::Never,
    body: JSON_BODY,
    no_call: &[],
    space: Space::Trim,
    thinks: &[],
    controls: &[],
    control_shapes: &[],
};

/// Raw values between tags, as the coder models of the Qwen family write them.
const PAIRS: Pairs = Pairs {
    open: &["<parameter"],
    key: Key::Attributes(&["name"], &[">"]),
    between: &[],
    close: &["</parameter>"],
    trim: Trim::OneLine,
    typing: Typing::SchemaOrText,
    outer: Place::LineStart,
    escapes: Escapes::None,
};

/// Key and value each in tags, as GLM writes them.
const KEY_VALUE: Pairs = Pairs {
    open: &["<arg_key>"],
    key: Key::Until(&["</arg_key>"]),
    between: &["<arg_value>"],
    close: &["</arg_value>"],
    trim: Trim::Nothing,
    typing: Typing::SchemaOrJson,
    outer: Place::Anywhere,
    escapes: Escapes::None,
};

const FUNCTION_HEAD: Head = Head::Until { label: &[], lead: &[], take: &[">"], stop: &[], name: NameStyle::Plain, id: &[] };
const INVOKE_HEAD: Head = Head::Attributes { name: &["name"], end: &[">"], empty: &["/>"] };
const LINE_HEAD: Head =
    Head::Until { label: &[], lead: &[], take: &["\n", "\\n"], stop: &["<arg_key>", "</tool_call>", "{"], name: NameStyle::Plain, id: &[] };

const DEEPSEEK_SECTION: Wrap = Wrap {
    open: &["<｜tool▁calls▁begin｜>", "<｜tool_calls_begin｜>", "<｜tool calls begin｜>", "<｜tool\\_calls\\_begin｜>", "<｜tool▁calls｜>"],
    close: &["<｜tool▁calls▁end｜>", "<｜tool_calls_end｜>"],
};
const DEEPSEEK_CALL: Wrap = Wrap { open: &["<｜tool▁call▁begin｜>"], close: &["<｜tool▁call▁end｜>"] };

// Openers that are nearly words: looked for inside prose only when their format is named.
const HYPERCLOVA_CALL: Wrap = Wrap { open: &["-> tool/function_call\n", "-> tool/function_call\r\n"], close: &[] };
const PHI_CALL: Wrap = Wrap { open: &["functools"], close: &[] };

const CWM_CALL: Wrap = Wrap { open: &["<tool: "], close: &["</tool>"] };
const CWM_HEAD: Head =
    Head::Until { label: &[">\n", ">\r\n"], lead: &[], take: &["\n", " "], stop: &["</tool>"], name: NameStyle::Plain, id: &[] };

/// In auto-detection its opener counts only where a line begins: prose holds it elsewhere.
const FUNCTIONARY: Format = Format {
    name: "functionary",
    call: Wrap { open: &[">>>"], close: &[] },
    loose: Loose::Offered,
    body: Body::Named(Head::Until { label: &[], lead: &[], take: &["\n"], stop: &[], name: NameStyle::Plain, id: &[] }, JSON_ARGS),
    space: Space::Keep,
    controls: &[">>>all\n"],
    ..ROW
};

/// What stands behind the ticks of a fence that may hold a call.
const FENCE_WORDS: Wrap = Wrap { open: &["", "json", "JSON", "tool_call", "tool_code"], close: &[] };
const GEMMA: Dialect = Dialect { syntax: Syntax::Json, keys: Keys::Bare, quote: Some("<|\"|>") };
const TOOL_CALL: Wrap = Wrap { open: &["<tool_call>"], close: &["</tool_call>"] };
const TOOL_CALLS: Wrap = Wrap { open: &["<tool_calls>"], close: &["</tool_calls>"] };

/// Every row, in the order in which rows that share an opener are asked.
pub const FORMATS: &[Format] = &[
    // -- the two documents' forms
    Format {
        name: "lfm2",
        call: Wrap { open: &["<|tool_call_start|>"], close: &["<|tool_call_end|>"] },
        body: Body::Python(Expressions::List),
        space: Space::Keep,
        thinks: THINK,
        controls: &["<|tool_call_end|>"],
        ..ROW
    },
    Format {
        name: "lfm2",
        call: Wrap { open: &["<|tool_call_start|>"], close: &["<|tool_call_end|>"] },
        space: Space::Keep,
        thinks: THINK,
        ..ROW
    },
    Format { name: "hermes", call: TOOL_CALL, thinks: THINK, ..ROW },
    Format { name: "hermes", call: Wrap { open: &["<tools>"], close: &["</tools>"] }, thinks: THINK, ..ROW },
    Format { name: "hermes", call: Wrap { open: &["<tool>"], close: &["</tool>"] }, thinks: THINK, ..ROW },
    Format { name: "hermes", call: Wrap { open: &["<function_call>"], close: &["</function_call>"] }, thinks: THINK, ..ROW },
    Format {
        name: "fenced",
        call: FENCE_WORDS,
        shape: Shape::Fenced,
        place: Place::LineStart,
        body: JSON_BODY,
        space: Space::Keep,
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "fenced",
        call: Wrap { open: &["tool_code"], close: &[] },
        shape: Shape::Fenced,
        place: Place::LineStart,
        body: Body::Python(Expressions::Lines),
        space: Space::Keep,
        thinks: THINK,
        ..ROW
    },
    Format { name: "bare_json", shape: Shape::Bare, place: Place::Boundary, space: Space::Trim, thinks: THINK, ..ROW },
    Format {
        name: "json_line",
        detect: Detect::OnRequest,
        shape: Shape::Bare,
        place: Place::LineStart,
        space: Space::Keep,
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "bullet",
        call: Wrap { open: &["●"], close: &[] },
        body: Body::Named(
            Head::Until { label: &[], lead: &["<function="], take: &[">"], stop: &[], name: NameStyle::Plain, id: &[] },
            Args::Pairs(Pairs { typing: Typing::Text, outer: Place::Boundary, ..PAIRS }),
        ),
        space: Space::Keep,
        controls: &["</function>", "</tool_call>"],
        control_shapes: &[ControlShape { prefix: "<|", end: "|>", most: 80, without: b"|>\n" }],
        ..ROW
    },
    // -- name and parameters in tags
    Format {
        name: "qwen3_coder",
        section: TOOL_CALL,
        call: Wrap { open: &["<function="], close: &["</function>"] },
        loose: Loose::Offered,
        body: Body::Named(FUNCTION_HEAD, Args::Pairs(PAIRS)),
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "qwen3_coder",
        section: TOOL_CALL,
        call: Wrap { open: &["<function name="], close: &["</function>"] },
        body: Body::Named(FUNCTION_HEAD, Args::Pairs(PAIRS)),
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "seed_oss",
        section: Wrap { open: &["<seed:tool_call>"], close: &["</seed:tool_call>"] },
        between: Between::Noise,
        call: Wrap { open: &["<function="], close: &["</function>"] },
        body: Body::Named(FUNCTION_HEAD, Args::Pairs(PAIRS)),
        thinks: &["seed"],
        ..ROW
    },
    Format {
        name: "llama_function",
        call: Wrap { open: &["<function="], close: &["</function>"] },
        body: Body::Named(FUNCTION_HEAD, JSON_ARGS),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "llama_function",
        call: Wrap { open: &["<function name="], close: &["</function>"] },
        body: Body::Named(Head::Until { label: &[], lead: &[], take: &[">"], stop: &[], name: NameStyle::Plain, id: &[] }, JSON_ARGS),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "minicpm5",
        call: Wrap { open: &["<function name="], close: &["</function>"] },
        body: Body::Named(
            FUNCTION_HEAD,
            Args::Pairs(Pairs {
                open: &["<parameter", "<param"],
                key: Key::Attributes(&["name"], &[">"]),
                close: &["</param>", "</parameter>"],
                trim: Trim::Nothing,
                outer: Place::Anywhere,
                escapes: Escapes::Xml,
                ..PAIRS
            }),
        ),
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "step_audio2",
        call: TOOL_CALL,
        body: Body::Named(
            Head::Until { label: &[], lead: &["function\n", "function\r\n"], take: &["\n"], stop: &["{"], name: NameStyle::Plain, id: &[] },
            JSON_ARGS,
        ),
        ..ROW
    },
    Format { name: "glm45", call: TOOL_CALL, body: Body::Named(LINE_HEAD, Args::Pairs(KEY_VALUE)), thinks: THINK, ..ROW },
    Format {
        name: "hunyuan",
        section: Wrap { open: &["<tool_calls>", "<tool_calls:opensource>"], close: &["</tool_calls>", "</tool_calls:opensource>"] },
        call: Wrap { open: &["<tool_call>", "<tool_call:opensource>"], close: &["</tool_call>", "</tool_call:opensource>"] },
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &[],
                take: &["<tool_sep>", "<tool_sep:opensource>", "\n"],
                stop: &["<arg_key>", "<arg_key:opensource>", "</tool_call>", "</tool_call:opensource>"],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Pairs(Pairs {
                open: &["<arg_key>", "<arg_key:opensource>"],
                key: Key::Until(&["</arg_key>", "</arg_key:opensource>"]),
                between: &["<arg_value>", "<arg_value:opensource>"],
                close: &["</arg_value>", "</arg_value:opensource>"],
                ..KEY_VALUE
            }),
        ),
        thinks: &["think", "hunyuan"],
        ..ROW
    },
    Format {
        name: "iquest_q1",
        call: Wrap {
            open: &["<iquest_tool_call>", "<iquestcoder_tool_call>"],
            close: &["</iquest_tool_call>", "</iquestcoder_tool_call>"],
        },
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &[],
                take: &["\n"],
                stop: &["<arg_key>", "</iquest_tool_call>", "</iquestcoder_tool_call>"],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Pairs(KEY_VALUE),
        ),
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "k2_horizon",
        section: Wrap { open: &["<ifm|tool_calls>"], close: &["</ifm|tool_calls>"] },
        call: Wrap { open: &["<ifm|tool_call>"], close: &["</ifm|tool_call>"] },
        loose: Loose::Always,
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &[],
                take: &["\n"],
                stop: &["<ifm|arg_key>", "</ifm|tool_call>"],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Pairs(Pairs {
                open: &["<ifm|arg_key>"],
                key: Key::Until(&["</ifm|arg_key>"]),
                between: &["<ifm|arg_type>", "<ifm|arg_value>"],
                close: &["</ifm|arg_value>"],
                typing: Typing::TypeAttribute("</ifm|arg_type>"),
                ..KEY_VALUE
            }),
        ),
        thinks: &["ifm"],
        ..ROW
    },
    Format {
        name: "k2_horizon",
        section: Wrap { open: &["<ifm|tool_calls>"], close: &["</ifm|tool_calls>"] },
        call: Wrap { open: &["<ifm|tool_call>"], close: &["</ifm|tool_call>"] },
        loose: Loose::Always,
        thinks: &["ifm"],
        ..ROW
    },
    Format { name: "k2_horizon", call: Wrap { open: &["<ifm|tool_calls>"], close: &["</ifm|tool_calls>"] }, thinks: &["ifm"], ..ROW },
    Format {
        name: "longcat",
        call: Wrap { open: &["<longcat_tool_call>"], close: &["</longcat_tool_call>"] },
        thinks: &["longcat"],
        ..ROW
    },
    Format {
        name: "longcat",
        call: Wrap { open: &["<longcat_tool_call>"], close: &["</longcat_tool_call>"] },
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &[],
                take: &["\n"],
                stop: &["<longcat_arg_key>", "</longcat_tool_call>"],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Pairs(Pairs {
                open: &["<longcat_arg_key>"],
                key: Key::Until(&["</longcat_arg_key>"]),
                between: &["<longcat_arg_value>"],
                close: &["</longcat_arg_value>"],
                ..KEY_VALUE
            }),
        ),
        thinks: &["longcat"],
        ..ROW
    },
    Format {
        name: "solar_open2",
        call: Wrap { open: &["<|tool_call:start|>"], close: &["<|tool_call:end|>"] },
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &[],
                take: &["\n"],
                stop: &["<|tool_arg:start|>", "<|tool_call:end|>"],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Pairs(Pairs {
                open: &["<|tool_arg:start|>"],
                key: Key::Until(&["<|tool_arg:value|>"]),
                between: &[],
                close: &["<|tool_arg:end|>"],
                ..KEY_VALUE
            }),
        ),
        thinks: &["solar", "think"],
        ..ROW
    },
    Format {
        name: "minimax_m2",
        section: Wrap { open: &["<minimax:tool_call>"], close: &["</minimax:tool_call>"] },
        between: Between::Noise,
        call: Wrap { open: &["<invoke"], close: &["</invoke>"] },
        body: Body::Named(INVOKE_HEAD, Args::Pairs(PAIRS)),
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "minimax_m3",
        section: Wrap {
            open: &["]<]minimax[>[<tool_call>", "]<]minimax[>[\n<tool_call>"],
            close: &["]<]minimax[>[</tool_call>", "]<]minimax[>[\n</tool_call>"],
        },
        call: Wrap { open: &["]<]minimax[>[<invoke"], close: &["]<]minimax[>[</invoke>"] },
        between: Between::Noise,
        body: Body::Named(INVOKE_HEAD, Args::Tree(Tree { mark: "]<]minimax[>[", wrap: Wrap::NONE, item: Some("item") })),
        thinks: &["minimax"],
        controls: &["</mm:think>"],
        ..ROW
    },
    Format {
        name: "dots",
        section: Wrap { open: &["<dots_function_call>"], close: &["</dots_function_call>"] },
        between: Between::Noise,
        call: Wrap { open: &["<invoke"], close: &["</invoke>"] },
        body: Body::Named(INVOKE_HEAD, Args::Pairs(Pairs { trim: Trim::All, typing: Typing::SchemaOrJson, ..PAIRS })),
        thinks: THINK,
        ..ROW
    },
    Format { name: "dots", call: Wrap { open: &["<dots_function_call>"], close: &["</dots_function_call>"] }, thinks: THINK, ..ROW },
    Format {
        name: "anthropic_xml",
        section: Wrap {
            open: &["<function_calls>", prefixed!("<", "function_calls>")],
            close: &["</function_calls>", prefixed!("</", "function_calls>")],
        },
        between: Between::Noise,
        call: Wrap { open: &["<invoke name=", prefixed!("<", "invoke name=")], close: &["</invoke>", prefixed!("</", "invoke>")] },
        loose: Loose::Offered,
        body: Body::Named(
            FUNCTION_HEAD,
            Args::Pairs(Pairs {
                open: &["<parameter", prefixed!("<", "parameter")],
                close: &["</parameter>", prefixed!("</", "parameter>")],
                trim: Trim::Nothing,
                ..PAIRS
            }),
        ),
        thinks: &["thinking"],
        ..ROW
    },
    Format {
        name: "anthropic_xml",
        section: Wrap {
            open: &["<function_calls>", prefixed!("<", "function_calls>")],
            close: &["</function_calls>", prefixed!("</", "function_calls>")],
        },
        call: Wrap { open: &["<invoke>", prefixed!("<", "invoke>")], close: &["</invoke>", prefixed!("</", "invoke>")] },
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &["<tool_name>", prefixed!("<", "tool_name>")],
                take: &["</tool_name>", prefixed!("</", "tool_name>")],
                stop: &[],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Tree(Tree { mark: "", wrap: Wrap { open: &["<parameters>"], close: &["</parameters>"] }, item: None }),
        ),
        thinks: &["thinking"],
        ..ROW
    },
    Format {
        name: "olmo3",
        call: Wrap { open: &["<function_calls>"], close: &["</function_calls>"] },
        body: Body::Python(Expressions::Lines),
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "muse",
        section: Wrap { open: &["<atem:function_calls>"], close: &["</atem:function_calls>"] },
        between: Between::Noise,
        call: Wrap { open: &["<atem:invoke"], close: &["</atem:invoke>"] },
        body: Body::Named(
            INVOKE_HEAD,
            Args::Pairs(Pairs {
                open: &["<atem:parameter"],
                close: &["</atem:parameter>"],
                trim: Trim::Nothing,
                typing: Typing::SchemaOrJson,
                ..PAIRS
            }),
        ),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "step3",
        section: Wrap { open: &["<｜tool_calls_begin｜>"], close: &["<｜tool_calls_end｜>"] },
        call: Wrap {
            open: &["<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke"],
            close: &["</steptml:invoke>", "<｜tool_call_end｜>"],
        },
        between: Between::Noise,
        body: Body::Named(
            INVOKE_HEAD,
            Args::Pairs(Pairs { open: &["<steptml:parameter"], close: &["</steptml:parameter>"], trim: Trim::All, ..PAIRS }),
        ),
        thinks: THINK,
        ..ROW
    },
    // -- DeepSeek's and GigaChat's markup with typed attributes
    dsml("deepseek_v32", &DSML_V32),
    dsml("deepseek_v4", &DSML_V4),
    dsml("deepseek_v4", &DSML_ASCII),
    dsml("deepseek_v4", &DSML_TWICE),
    dsml("deepseek_v41", &DSML_V41),
    dsml("gigachat35", &GCML),
    Format {
        name: "kimi_k3",
        section: Wrap { open: &["<|open|>tools<|sep|>"], close: &["<|close|>tools<|sep|>"] },
        call: Wrap { open: &["<|open|>call"], close: &["<|close|>call<|sep|>"] },
        between: Between::Noise,
        body: Body::Named(
            Head::Attributes { name: &["tool"], end: &["<|sep|>"], empty: &[] },
            Args::Pairs(Pairs {
                open: &["<|open|>argument"],
                key: Key::Attributes(&["key"], &["<|sep|>"]),
                between: &[],
                close: &["<|close|>argument<|sep|>"],
                trim: Trim::Nothing,
                typing: Typing::TypeAttribute("type"),
                outer: Place::Anywhere,
                escapes: Escapes::Attributes,
            }),
        ),
        space: Space::Keep,
        thinks: &["kimi_k3"],
        controls: &[
            "<|open|>response<|sep|>",
            "<|close|>response<|sep|>",
            "<|close|>message<|sep|>",
            "<|close|>think<|sep|>",
            "<|open|>message role=\"assistant\"<|sep|>",
        ],
        ..ROW
    },
    // -- name, separator, object
    Format {
        name: "mistral",
        call: Wrap { open: &["[TOOL_CALLS]"], close: &[] },
        body: Body::Named(
            Head::Until { label: &[], lead: &[], take: &["[ARGS]"], stop: &["{"], name: NameStyle::Plain, id: &["[CALL_ID]"] },
            Args::Object { dialect: Dialect::JSON, fence: Fence::None },
        ),
        space: Space::Keep,
        thinks: &["mistral", "think"],
        controls: &["[/TOOL_CALLS]"],
        ..ROW
    },
    Format {
        name: "mistral",
        call: Wrap { open: &["[TOOL_CALLS]"], close: &[] },
        space: Space::Keep,
        thinks: &["mistral", "think"],
        ..ROW
    },
    Format {
        name: "deepseek_v3",
        section: DEEPSEEK_SECTION,
        call: DEEPSEEK_CALL,
        loose: Loose::Always,
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &["function<｜tool▁sep｜>"],
                take: &["\n"],
                stop: &["```json", "{"],
                name: NameStyle::Plain,
                id: &[],
            },
            Args::Object { dialect: Dialect::JSON, fence: Fence::Written },
        ),
        space: Space::Keep,
        thinks: THINK,
        controls: &["<｜tool▁calls▁end｜>", "<｜tool▁call▁end｜>"],
        ..ROW
    },
    Format {
        name: "deepseek_v31",
        section: DEEPSEEK_SECTION,
        call: DEEPSEEK_CALL,
        between: Between::Noise,
        loose: Loose::Always,
        body: Body::Named(
            Head::Until { label: &[], lead: &[], take: &["<｜tool▁sep｜>"], stop: &["{"], name: NameStyle::Plain, id: &[] },
            JSON_ARGS,
        ),
        space: Space::Keep,
        thinks: THINK,
        controls: &[
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁end｜>",
            "<｜tool▁output▁begin｜>",
            "<｜tool▁output▁end｜>",
            "<｜tool▁outputs▁begin｜>",
            "<｜tool▁outputs▁end｜>",
        ],
        ..ROW
    },
    Format {
        name: "kimi_k2",
        section: Wrap {
            open: &["<|tool_calls_section_begin|>", "<|tool_call_section_begin|>"],
            close: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>"],
        },
        call: Wrap { open: &["<|tool_call_begin|>"], close: &["<|tool_call_end|>"] },
        between: Between::Noise,
        loose: Loose::Always,
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &[],
                take: &["<|tool_call_argument_begin|>", "\n<|tool_call_argument_begin|>", "\r\n<|tool_call_argument_begin|>"],
                stop: &[],
                name: NameStyle::Counted,
                id: &[],
            },
            JSON_ARGS,
        ),
        space: Space::Keep,
        thinks: &["think", "kimi"],
        controls: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|tool_call_end|>"],
        ..ROW
    },
    Format {
        name: "plamo3",
        section: Wrap { open: &["<|plamo:begin_tool_requests:plamo|>"], close: &["<|plamo:end_tool_requests:plamo|>"] },
        call: Wrap {
            open: &["<|plamo:begin_tool_request:plamo|>"],
            close: &["<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>", "<|plamo:end_tool_request:plamo|>"],
        },
        between: Between::Noise,
        body: Body::Named(
            Head::Until {
                label: &[],
                lead: &["<|plamo:begin_tool_name:plamo|>"],
                take: &[
                    "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>",
                    "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>",
                ],
                stop: &[],
                name: NameStyle::Plain,
                id: &[],
            },
            JSON_ARGS,
        ),
        space: Space::Keep,
        thinks: &["plamo"],
        ..ROW
    },
    Format { place: Place::LineStart, ..FUNCTIONARY },
    Format { detect: Detect::OnRequest, ..FUNCTIONARY },
    Format { name: "cwm", call: CWM_CALL, body: Body::Named(CWM_HEAD, JSON_ARGS), thinks: THINK, ..ROW },
    Format { name: "cwm", call: CWM_CALL, body: Body::Named(CWM_HEAD, Args::Text { key: "command", lines: &[] }), thinks: THINK, ..ROW },
    Format {
        name: "muse",
        body: Body::Messages(Messages {
            start: &["<|start|>", " to=", "to="],
            channel: "<|channel|>",
            recipient: "to=",
            types: &[],
            body: "<|message|>",
            end: &["<|eom|>", "<|eot|>"],
            recipients: &[("self", Meaning::Reasoning), ("user", Meaning::Prose), ("TOOLS", Meaning::Markup)],
            nobody: &[],
            fillers: &[],
            channels: &[],
            plain: Meaning::Hidden,
        }),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "harmony",
        body: Body::Messages(Messages {
            start: &["<|start|>", "<|channel|>", "<|message|>", " to=", "to="],
            channel: "<|channel|>",
            recipient: "to=",
            types: &["json"],
            body: "<|message|>",
            end: &["<|end|>", "<|call|>", "<|return|>"],
            recipients: &[("functions.", Meaning::Call)],
            nobody: &["assistant", "user"],
            fillers: &["assistant", "commentary", "comment", "analysis", "final"],
            channels: &[("analysis", Meaning::Reasoning), ("commentary", Meaning::Prose), ("final", Meaning::Prose)],
            plain: Meaning::Prose,
        }),
        space: Space::Keep,
        ..ROW
    },
    // -- JSON between other tags
    Format {
        name: "jamba",
        call: TOOL_CALLS,
        body: EITHER_BODY,
        thinks: &["think", "thinking"],
        controls: &["[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"],
        ..ROW
    },
    Format {
        name: "hunyuan_a13b",
        detect: Detect::OnRequest,
        call: Wrap { open: &["助手：<tool_calls>"], close: &["</tool_calls>"] },
        thinks: THINK,
        ..ROW
    },
    Format { name: "hunyuan_a13b", call: TOOL_CALLS, thinks: THINK, controls: &["<answer>", "</answer>"], ..ROW },
    Format { name: "minimax_m1", call: TOOL_CALLS, thinks: THINK, ..ROW },
    Format { name: "ernie45", call: TOOL_CALL, thinks: THINK, controls: &["<response>", "</response>"], ..ROW },
    Format {
        name: "granite",
        call: Wrap { open: &["<|tool_call|>"], close: &[] },
        body: EITHER_BODY,
        controls: &["<|/tool_call|>", "<|/tool_calls|>"],
        space: Space::Keep,
        thinks: THINK,
        ..ROW
    },
    Format { name: "granite", call: Wrap { open: &["<tool_call>"], close: &[] }, space: Space::Keep, thinks: THINK, ..ROW },
    Format { name: "granite", call: Wrap { open: &["<function_call>"], close: &[] }, space: Space::Keep, thinks: THINK, ..ROW },
    Format {
        name: "internlm",
        call: Wrap { open: &["<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"], close: &["<|action_end|>"] },
        body: EITHER_BODY,
        space: Space::Keep,
        thinks: THINK,
        ..ROW
    },
    Format {
        name: "gigachat3",
        call: Wrap { open: &["function call<|role_sep|>\n", "function call<|role_sep|>"], close: &[] },
        place: Place::Boundary,
        space: Space::Keep,
        ..ROW
    },
    Format { name: "gigachat3", call: Wrap { open: &["<|function_call|>"], close: &[] }, space: Space::Keep, ..ROW },
    Format { name: "hyperclovax", call: HYPERCLOVA_CALL, place: Place::Boundary, thinks: THINK, ..ROW },
    Format { name: "hyperclovax", detect: Detect::OnRequest, call: HYPERCLOVA_CALL, thinks: THINK, ..ROW },
    Format { name: "phi4_mini", call: PHI_CALL, place: Place::Boundary, body: EITHER_BODY, space: Space::Keep, ..ROW },
    Format { name: "phi4_mini", detect: Detect::OnRequest, call: PHI_CALL, body: EITHER_BODY, space: Space::Keep, ..ROW },
    Format {
        name: "phi4_mini",
        call: Wrap { open: &["<|tool_call|>"], close: &["<|/tool_call|>"] },
        body: EITHER_BODY,
        space: Space::Keep,
        ..ROW
    },
    Format { name: "nemotron", call: Wrap { open: &["<TOOLCALL>"], close: &["</TOOLCALL>"] }, thinks: THINK, ..ROW },
    Format {
        name: "cohere",
        call: Wrap { open: &["<|START_ACTION|>"], close: &["<|END_ACTION|>"] },
        body: Body::Json(CallKeys::Pair { name: &["tool_name"], arguments: &["parameters"] }, Dialect::JSON),
        no_call: &["directly_answer", "directly-answer"],
        space: Space::Keep,
        thinks: &["cohere"],
        controls: &["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"],
        ..ROW
    },
    Format {
        name: "apertus",
        call: Wrap { open: &["<|tools_prefix|>"], close: &["<|tools_suffix|>"] },
        body: Body::Json(CallKeys::NameIsKey, Dialect::JSON),
        space: Space::Keep,
        thinks: &["apertus"],
        controls: &["<|inner_suffix|>"],
        ..ROW
    },
    Format {
        name: "pangu",
        call: Wrap { open: &["<|tool_call_start|>"], close: &["<|tool_call_end|>"] },
        space: Space::Keep,
        thinks: &["pangu"],
        ..ROW
    },
    Format { name: "pangu", call: Wrap { open: &["[unused11]"], close: &["[unused12]"] }, space: Space::Keep, thinks: &["pangu"], ..ROW },
    Format {
        name: "sarashina",
        call: Wrap { open: &["<|tool_calls|>"], close: &[] },
        body: Body::Json(JSON_KEYS, Dialect::PYTHON),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "inkling",
        section: Wrap { open: &["<|message_model|>"], close: &[] },
        call: Wrap { open: &["<|content_invoke_tool_json|>"], close: &["<|end_message|>"] },
        between: Between::Name,
        body: Body::Json(CallKeys::Pair { name: &["name"], arguments: &["args", "arguments"] }, Dialect::JSON),
        space: Space::Keep,
        thinks: &["inkling"],
        controls: &["<|message_model|>", "<|content_text|>"],
        ..ROW
    },
    Format {
        name: "llama3_json",
        call: Wrap { open: &["<|python_tag|>"], close: &[] },
        body: EITHER_BODY,
        space: Space::Keep,
        controls: &["<|python_tag|>"],
        ..ROW
    },
    Format {
        name: "llama3_json",
        call: Wrap { open: &["<|python_tag|>"], close: &[] },
        body: Body::Python(Expressions::Method),
        space: Space::Keep,
        ..ROW
    },
    Format { name: "llama3_json", shape: Shape::Bare, place: Place::Boundary, body: EITHER_BODY, space: Space::Keep, ..ROW },
    Format {
        name: "pythonic",
        call: Wrap { open: &["<|python_start|>"], close: &["<|python_end|>"] },
        body: Body::Python(Expressions::List),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "pythonic",
        call: Wrap { open: &["<|python_tag|>"], close: &[] },
        body: Body::Python(Expressions::List),
        space: Space::Keep,
        ..ROW
    },
    Format {
        name: "pythonic",
        shape: Shape::Bare,
        place: Place::Boundary,
        body: Body::Python(Expressions::List),
        space: Space::Keep,
        ..ROW
    },
    Format { name: "xlam", call: TOOL_CALL, thinks: THINK, ..ROW },
    Format { name: "xlam", call: Wrap { open: &["[TOOL_CALLS]"], close: &[] }, thinks: THINK, ..ROW },
    Format { name: "xlam", call: FENCE_WORDS, shape: Shape::Fenced, place: Place::LineStart, thinks: THINK, ..ROW },
    Format { name: "xlam", shape: Shape::Bare, place: Place::Boundary, space: Space::Keep, thinks: THINK, ..ROW },
    Format {
        name: "command_r",
        detect: Detect::OnRequest,
        call: Wrap { open: &["Action:\n```json\n", "Action: ```json\n", "Action:```json\n", "Action:\r\n```json\r\n"], close: &["```"] },
        place: Place::LineStart,
        body: Body::Json(CallKeys::Pair { name: &["tool_name"], arguments: &["parameters"] }, Dialect::JSON),
        no_call: &["directly_answer", "directly-answer"],
        ..ROW
    },
    Format {
        name: "react",
        detect: Detect::OnRequest,
        call: Wrap { open: &["Action:"], close: &[] },
        place: Place::LineStart,
        body: Body::Python(Expressions::One),
        ..ROW
    },
    Format {
        name: "react",
        detect: Detect::OnRequest,
        call: Wrap { open: &["Action:"], close: &["\nObservation:"] },
        place: Place::LineStart,
        body: Body::Named(
            Head::Until { label: &[], lead: &[], take: &["\nAction Input:"], stop: &["["], name: NameStyle::Plain, id: &[] },
            Args::Text { key: "input", lines: &["\nObservation:", "\nThought:", "\nAction:", "\nFinal Answer:"] },
        ),
        controls: &["Final Answer:"],
        ..ROW
    },
    // -- dialects
    Format {
        name: "gemma4",
        call: Wrap {
            open: &["<|tool_call>call:", "<|tool_call>:call:", "<|tool_call>:", "<|tool_call>\ncall:", "<|tool_call>\r\ncall:"],
            close: &["<tool_call|>", "<turn|>"],
        },
        body: Body::Named(
            Head::Until { label: &[], lead: &[], take: &[], stop: &["{"], name: NameStyle::Plain, id: &[] },
            Args::Object { dialect: GEMMA, fence: Fence::None },
        ),
        space: Space::Keep,
        thinks: &["gemma"],
        controls: &["<tool_call|>", "<channel|>"],
        ..ROW
    },
    Format {
        name: "gemma4",
        call: Wrap { open: &["<|tool_call>call:", "<|tool_call>"], close: &["<tool_call|>"] },
        body: Body::Json(JSON_KEYS, GEMMA),
        space: Space::Keep,
        thinks: &["gemma"],
        ..ROW
    },
    Format {
        name: "gemma4",
        detect: Detect::OnRequest,
        call: Wrap { open: &["call:", "<call>"], close: &["<tool_call|>", "<turn|>"] },
        place: Place::LineStart,
        loose: Loose::Offered,
        body: Body::Named(
            Head::Until { label: &[], lead: &[], take: &[], stop: &["{"], name: NameStyle::Plain, id: &[] },
            Args::Object { dialect: GEMMA, fence: Fence::None },
        ),
        space: Space::Keep,
        thinks: &["gemma"],
        ..ROW
    },
    Format {
        name: "functiongemma",
        call: Wrap { open: &["<start_function_call>call:"], close: &["<end_function_call>"] },
        body: Body::Named(
            Head::Until { label: &[], lead: &[], take: &[], stop: &["{"], name: NameStyle::Plain, id: &[] },
            Args::Object { dialect: Dialect { syntax: Syntax::Json, keys: Keys::Bare, quote: Some("<escape>") }, fence: Fence::None },
        ),
        space: Space::Keep,
        controls: &["<end_function_call>"],
        ..ROW
    },
];
