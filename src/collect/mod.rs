//! Collectors: what becomes of the things that the machine tells.

pub mod json;
pub mod outcome;
pub mod prose;
