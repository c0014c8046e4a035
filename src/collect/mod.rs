//! Collectors: what becomes of the things that the machine tells.

pub mod guard;
pub mod json;
pub mod message;
pub mod outcome;
pub mod prose;
