//! `DeepSeek`'s markup with typed attributes, and its kin.

use crate::format::{Args, Between, Body, ControlShape, Escapes, Format, Key, Loose, Pairs, Place, Trim, Typing, Wrap};

/// The tags of one release of `DeepSeek`'s markup.
pub(super) struct Dsml {
    section: Wrap,
    call: Wrap,
    open: &'static [&'static str],
    close: &'static [&'static str],
    shapes: &'static [ControlShape],
}

const DSML_SHAPES: &[ControlShape] = &[
    ControlShape { prefix: "<｜DSML｜", end: ">", most: 60, without: b"<>\n" },
    ControlShape { prefix: "</｜DSML｜", end: ">", most: 60, without: b"<>\n" },
];

pub(super) const DSML_V32: Dsml =
    Dsml { section: Wrap { open: &["<｜DSML｜function_calls>"], close: &["</｜DSML｜function_calls>"] }, ..DSML_V4 };

pub(super) const DSML_V4: Dsml = Dsml {
    section: Wrap { open: &["<｜DSML｜tool_calls>"], close: &["</｜DSML｜tool_calls>"] },
    call: Wrap { open: &["<｜DSML｜invoke"], close: &["</｜DSML｜invoke>"] },
    open: &["<｜DSML｜parameter"],
    close: &["</｜DSML｜parameter>"],
    shapes: DSML_SHAPES,
};

pub(super) const DSML_V41: Dsml = Dsml {
    section: Wrap { open: &["<｜DSML｜ calls>"], close: &["</｜DSML｜ calls>"] },
    call: Wrap { open: &["<｜DSML｜ invoke"], close: &["</｜DSML｜ invoke>"] },
    open: &["<｜DSML｜ parameter"],
    close: &["</｜DSML｜ parameter>"],
    shapes: DSML_SHAPES,
};

/// The same with the bars of ASCII, as models write them that were not trained on the tokens.
pub(super) const DSML_ASCII: Dsml = Dsml {
    section: Wrap { open: &["<|DSML|tool_calls>", "<|DSML|function_calls>"], close: &["</|DSML|tool_calls>", "</|DSML|function_calls>"] },
    call: Wrap { open: &["<|DSML|invoke"], close: &["</|DSML|invoke>"] },
    open: &["<|DSML|parameter"],
    close: &["</|DSML|parameter>"],
    shapes: &[
        ControlShape { prefix: "<|DSML|", end: ">", most: 60, without: b"<>\n" },
        ControlShape { prefix: "</|DSML|", end: ">", most: 60, without: b"<>\n" },
    ],
};

/// The same with each bar written twice.
pub(super) const DSML_TWICE: Dsml = Dsml {
    section: Wrap {
        open: &["<｜｜DSML｜｜tool_calls>", "<｜｜DSML｜｜function_calls>"],
        close: &["</｜｜DSML｜｜tool_calls>", "</｜｜DSML｜｜function_calls>"],
    },
    call: Wrap { open: &["<｜｜DSML｜｜invoke"], close: &["</｜｜DSML｜｜invoke>"] },
    open: &["<｜｜DSML｜｜parameter"],
    close: &["</｜｜DSML｜｜parameter>"],
    shapes: &[
        ControlShape { prefix: "<｜｜DSML｜｜", end: ">", most: 60, without: b"<>\n" },
        ControlShape { prefix: "</｜｜DSML｜｜", end: ">", most: 60, without: b"<>\n" },
    ],
};

pub(super) const GCML: Dsml = Dsml {
    section: Wrap { open: &["<｜GCML｜tool_calls>"], close: &["</｜GCML｜tool_calls>"] },
    call: Wrap { open: &["<｜GCML｜invoke"], close: &["</｜GCML｜invoke>"] },
    open: &["<｜GCML｜parameter"],
    close: &["</｜GCML｜parameter>"],
    shapes: &[
        ControlShape { prefix: "<｜GCML｜", end: ">", most: 60, without: b"<>\n" },
        ControlShape { prefix: "</｜GCML｜", end: ">", most: 60, without: b"<>\n" },
    ],
};

pub(super) const fn dsml(name: &'static str, tags: &Dsml) -> Format {
    Format {
        name,
        section: tags.section,
        call: tags.call,
        between: Between::Noise,
        loose: Loose::Always,
        body: Body::Named(
            super::INVOKE_HEAD,
            Args::Pairs(Pairs {
                open: tags.open,
                key: Key::Attributes(&["name"], &[">"]),
                between: &[],
                close: tags.close,
                trim: Trim::Nothing,
                typing: Typing::StringAttribute("string"),
                outer: Place::Anywhere,
                escapes: Escapes::None,
            }),
        ),
        thinks: super::THINK,
        control_shapes: tags.shapes,
        ..super::ROW
    }
}
