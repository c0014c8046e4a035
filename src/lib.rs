//! Reads what language models write: prose, reasoning and tool calls, whole or while it streams.
//!
//! The map, in reading order:
//!
//! * [`format`] the vocabulary of a row, [`formats`] the rows, [`template`] rows from a checkpoint's `response_template`,
//!   [`catalog`] what others call them, [`plan`] the rows compiled
//! * [`window`] the text at hand, [`scan`] the loops that see every byte, [`utf8`] characters and their ends
//! * [`machine`] reads a reply and tells a sink what it sees; [`value`] reads JSON and its dialects
//! * [`call`] a call while it is read, [`tape`] its arguments, [`tools`] what was offered
//! * [`repair`] the marks and the errors, [`span`] where they stand, [`limits`] how much is taken in
//! * [`collect`] what becomes of what was told
//! * [`parse`](crate::parse()) and [`Stream`] the face; [`document`] repairs JSON that stands alone; [`batch`] reads logs
//!
//! What holds everywhere: each byte is read a bounded number of times; nothing recurses on the depth of the input; nothing that was told is
//! taken back; a result that differs from what was written says so; model text never makes it fail.
//!
//! ```
//! use toolparse::{Options, Tools, parse, value::Ending};
//!
//! let options = Options::new(Tools::from_names(vec!["open".to_owned()]));
//! let read = parse(br#"Ok.<tool_call>{"name": "open", "arguments": {"slug": "cap"}}</tool_call>"#, &options, Ending::Unknown);
//! assert_eq!(read.text, b"Ok.");
//! assert_eq!(read.calls[0].name, b"open");
//! ```

#![cfg_attr(not(feature = "python"), forbid(unsafe_code))]

pub mod batch;
pub mod call;
pub mod catalog;
pub mod collect;
pub mod document;
mod finish;
pub mod format;
pub mod formats;
pub mod limits;
pub mod machine;
mod members;
mod parse;
pub mod plan;
#[cfg(feature = "python")]
mod python;
pub mod repair;
pub mod scan;
pub mod span;
mod spellings;
pub mod tape;
pub mod template;
pub mod tools;
pub mod utf8;
pub mod value;
pub mod window;
mod xml;

pub use collect::outcome::{Cut, Event, Outcome, ReadCall, ReadError, SegmentKind};
pub use finish::{FinishReason, ending_of};
pub use limits::Limits;
pub use parse::{Options, ProseFilter, Stream, is_plain, parse};
pub use plan::Plan;
pub use tools::Tools;
