//! The words by which servers say why a reply ended.
//!
//! Those of `OpenAI` and Anthropic, of Cohere, Gemini, Mistral, Bedrock and TGI, in any case of letters.

use crate::value::Ending;

/// Why a reply ended, in the words of `OpenAI`'s chat completions; a call is no reason of its own here.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FinishReason {
    /// The model had finished.
    Stop,
    /// It was cut off.
    Length,
    /// Somebody withheld what would have come.
    ContentFilter,
}

const WORDS: &[(&str, FinishReason)] = &[
    ("stop", FinishReason::Stop),
    ("tool_calls", FinishReason::Stop),
    ("tool_call", FinishReason::Stop),
    ("function_call", FinishReason::Stop),
    ("end_turn", FinishReason::Stop),
    ("tool_use", FinishReason::Stop),
    ("stop_sequence", FinishReason::Stop),
    ("complete", FinishReason::Stop),
    ("eos", FinishReason::Stop),
    ("eos_token", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("max_tokens", FinishReason::Length),
    ("max_output_tokens", FinishReason::Length),
    ("model_length", FinishReason::Length),
    ("model_context_window_exceeded", FinishReason::Length),
    ("content_filter", FinishReason::ContentFilter),
    ("content_filtered", FinishReason::ContentFilter),
    ("guardrail_intervened", FinishReason::ContentFilter),
    ("refusal", FinishReason::ContentFilter),
    ("safety", FinishReason::ContentFilter),
];

impl FinishReason {
    /// What a server's word means; `None` for a word that is not known.
    #[must_use]
    pub fn of(word: &str) -> Option<FinishReason> {
        WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, reason)| *reason)
    }

    /// `OpenAI`'s word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
            FinishReason::ContentFilter => "content_filter",
        }
    }
}

/// What a server's word says of the end of a text. What a filter left may have ended anywhere.
#[must_use]
pub fn ending_of(finish_reason: Option<&str>) -> Ending {
    match finish_reason.and_then(FinishReason::of) {
        Some(FinishReason::Stop) => Ending::Finished,
        Some(FinishReason::Length) => Ending::CutOff,
        Some(FinishReason::ContentFilter) | None => Ending::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_servers_are_known() {
        for (word, reason) in [
            ("stop", FinishReason::Stop),
            ("STOP", FinishReason::Stop),
            ("tool_use", FinishReason::Stop),
            ("MAX_TOKENS", FinishReason::Length),
            ("model_length", FinishReason::Length),
            ("model_context_window_exceeded", FinishReason::Length),
            ("SAFETY", FinishReason::ContentFilter),
        ] {
            assert_eq!(FinishReason::of(word), Some(reason), "{word}");
        }
        assert_eq!(FinishReason::of("pause_turn"), None);
    }

    #[test]
    fn an_unknown_word_says_nothing_of_the_end() {
        assert_eq!(ending_of(None), Ending::Unknown);
        assert_eq!(ending_of(Some("because")), Ending::Unknown);
        assert_eq!(ending_of(Some("refusal")), Ending::Unknown);
        assert_eq!(ending_of(Some("end_turn")), Ending::Finished);
        assert_eq!(ending_of(Some("max_output_tokens")), Ending::CutOff);
    }
}
