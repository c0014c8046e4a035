//! [`Limits`]: how much of one reply is taken in, and [`Limit`], which of them was passed.

/// How much of one reply is taken in. Nothing is left out in silence: what passes a limit is an error of the kind `limit`, or text with a mark.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub struct Limits {
    /// Bytes of text in one call, those of all keys, strings and numbers together; beyond it the call is an error. 4 GiB is the most.
    pub call_bytes: usize,
    /// Keys, values and ends of containers in one call; beyond it the call is an error.
    pub nodes: usize,
    /// Containers inside containers; deeper ones are text, with the mark `too_deep`.
    pub depth: usize,
    /// Digits of an integer; longer ones are text, with the mark `number_as_text`.
    pub digits: usize,
    /// Bytes of a tool's name or an argument's key where markup ends it; what is longer is none.
    pub name: usize,
    /// Calls; further ones are errors.
    pub calls: usize,
    /// Errors; one more says that there were others.
    pub errors: usize,
}

impl Limits {
    /// What honest replies stay below. Python reads no longer integers than these unless it is told to.
    pub const DEFAULT: Limits =
        Limits { call_bytes: 16 * 1024 * 1024, nodes: 1_000_000, depth: 200, digits: 4300, name: 256, calls: 4096, errors: 1000 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// Which limit was passed.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Limit {
    /// Calls in one reply.
    Calls,
    /// Values in one call.
    Nodes,
    /// Bytes in one call.
    CallSize,
    /// Bytes in a name.
    Name,
    /// Errors in one reply.
    Errors,
}

impl Limit {
    /// True when the call was too large to be kept: its text is not quoted either.
    #[must_use]
    pub fn is_size(self) -> bool {
        matches!(self, Limit::Nodes | Limit::CallSize)
    }
}
