//! What is known about each format besides how it is written: what it is called elsewhere and which models write it.
//!
//! Plain data and two look-ups. Nothing here reads a reply, and nothing that reads a reply looks here: a format's markers
//! and grammar stand in its row.

mod entries;
mod models;

#[cfg(test)]
mod tests;

pub use entries::CATALOG;
pub use models::format_for_model;

/// What is known about a format besides how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The name that `format=` takes and results carry.
    pub name: &'static str,
    /// The name for people, such as "Hermes / Qwen JSON".
    pub title: &'static str,
    /// Other names that `format=` takes; each belongs to one entry only.
    pub aliases: &'static [&'static str],
    /// Example model ids, `org/name`; [`format_for_model`] gives this entry's name for each.
    pub models: &'static [&'static str],
    /// Values of `--tool-call-parser` in vLLM, plug-ins of model repositories included.
    pub vllm: &'static [&'static str],
    /// Values of `--tool-call-parser` in `SGLang`.
    pub sglang: &'static [&'static str],
    /// Chat formats as llama.cpp names them in its log.
    pub llama_cpp: &'static [&'static str],
    /// Built-in parsers of Ollama.
    pub ollama: &'static [&'static str],
    /// Modules of `mlx_lm.tool_parsers`.
    pub mlx_lm: &'static [&'static str],
    /// Parsers of the smg router.
    pub smg: &'static [&'static str],
}

/// The entry with this name or alias. Case, `-`, `_` and `.` make no difference: "GLM-4.7" is "glm47".
///
/// "auto" is no format, so it has no entry.
#[must_use]
pub fn entry(name_or_alias: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| is_called(entry, name_or_alias))
}

fn is_called(entry: &Entry, wanted: &str) -> bool {
    spelled_alike(entry.name, wanted) || entry.aliases.iter().any(|alias| spelled_alike(alias, wanted))
}

fn spelled_alike(one: &str, other: &str) -> bool {
    letters_and_digits(one).eq(letters_and_digits(other))
}

fn letters_and_digits(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.')).map(|c| c.to_ascii_lowercase())
}
