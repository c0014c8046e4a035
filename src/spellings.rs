//! The keys under which calls in JSON have their name and their arguments, in any family.

/// What the value of a key is to a call.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Spelled {
    /// Its name.
    Name,
    /// Its arguments.
    Arguments,
}

impl Spelled {
    /// What `key` says; `None` for a key that says neither.
    #[must_use]
    pub const fn of(key: &[u8]) -> Option<Spelled> {
        match key {
            b"name" | b"tool_name" | b"function" | b"tool" | b"recipient_name" | b"action" | b"function_name" => Some(Spelled::Name),
            b"arguments"
            | b"parameters"
            | b"args"
            | b"input"
            | b"action_input"
            | b"params"
            | b"arguments_json"
            | b"kwargs"
            | b"Arguments"
            | b"argument"
            | b"inputs"
            | b"tool_input"
            | b"function_arguments" => Some(Spelled::Arguments),
            _ => None,
        }
    }
}
