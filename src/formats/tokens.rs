//! What belongs to no call: the reasoning blocks, and tokens that are no prose.

use crate::format::{CallsInside, Edges, Think};

/// Reasoning blocks.
pub const THINKS: &[Think] = &[
    Think { name: "think", open: &["<think>"], close: &["</think>"], ..BLOCK },
    Think { name: "hunyuan", open: &["<think:opensource>"], close: &["</think:opensource>"], ..BLOCK },
    Think { name: "solar", open: &["<|think:start|>"], close: &["<|think:end|>"], ..BLOCK },
    Think { name: "seed", open: &["<seed:think>"], close: &["</seed:think>"], ..BLOCK },
    Think { name: "minimax", open: &["<mm:think>"], close: &["</mm:think>"], ..BLOCK },
    Think { name: "mistral", open: &["[THINK]"], close: &["[/THINK]"], calls: CallsInside::Text, ..BLOCK },
    Think {
        name: "gemma",
        open: &["<|channel>thought\n", "<|channel>thought", "<|channel>"],
        close: &["<channel|>"],
        calls: CallsInside::Text,
        edges: Edges::LastLine,
        ..BLOCK
    },
    Think { name: "kimi", open: &["◁think▷"], close: &["◁/think▷"], ..BLOCK },
    Think {
        name: "ifm",
        open: &["<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"],
        close: &["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"],
        ..BLOCK
    },
    Think {
        name: "cohere",
        open: &["<|START_THINKING|>"],
        close: &["<|END_THINKING|>"],
        calls: CallsInside::Text,
        edges: Edges::Exact,
        ..BLOCK
    },
    Think {
        name: "apertus",
        open: &["<|inner_prefix|>"],
        close: &["<|inner_suffix|>"],
        ended_by: &["<|tools_prefix|>"],
        calls: CallsInside::Text,
        edges: Edges::Exact,
    },
    Think {
        name: "kimi_k3",
        open: &["<|open|>think<|sep|>"],
        close: &["<|close|>think<|sep|>"],
        ended_by: &["<|open|>response<|sep|>", "<|open|>tools<|sep|>"],
        calls: CallsInside::Text,
        edges: Edges::Exact,
    },
    Think {
        name: "inkling",
        open: &["<|content_thinking|>"],
        close: &["<|end_message|>"],
        calls: CallsInside::Text,
        edges: Edges::Exact,
        ..BLOCK
    },
    Think { name: "longcat", open: &["<longcat_think>"], close: &["</longcat_think>"], ..BLOCK },
    Think { name: "thinking", open: &["<thinking>"], close: &["</thinking>"], ..BLOCK },
    Think { name: "plamo", open: &["<|plamo:begin_think:plamo|>"], close: &["<|plamo:end_think:plamo|>"], ..BLOCK },
    Think { name: "pangu", open: &["[unused16]"], close: &["[unused17]"], ..BLOCK },
];

const BLOCK: Think = Think { name: "", open: &[], close: &[], ended_by: &[], calls: CallsInside::Drafts, edges: Edges::Blanks };

/// Turn and stop tokens that servers leak: no prose, whatever the format.
pub const CONTROLS: &[&str] = &[
    "<|im_end|>",
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|begin_of_text|>",
    "<|im_sep|>",
    "<｜begin▁of▁sentence｜>",
    "<｜Assistant｜>",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|end_of_turn|>",
    "<|end_of_msg|>",
    "<|end_of_role|>",
    "<|eot|>",
    "<|eom|>",
    "<|eos|>",
    "</s>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<turn|>",
    "<eos>",
    "<end_of_turn>",
    "<|tool_response>",
    "<start_function_response>",
    "<｜end▁of▁sentence｜>",
    "<|END_OF_TURN_TOKEN|>",
    "<|user|>",
    "<|observation|>",
    "<|assistant|>",
    "[e~[",
    "<|role_end|>",
    "<|message_sep|>",
    "<|end_message|>",
    "<|content_model_end_sampling|>",
    "<|assistant_end|>",
    "<seed:eos>",
];
