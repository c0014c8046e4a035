//! The messages of errors: three sentences, each short whatever the model wrote.

use crate::collect::outcome::ReadError;
use crate::repair::FaultKind;
use crate::tools::Tools;
use crate::utf8::lossy;

/// The message of an error; `place` is where it starts, as its reader counts.
#[must_use]
pub fn message(error: &ReadError, tools: &Tools, place: usize) -> String {
    let name = quoted(error.name.as_deref().unwrap_or_default());
    match error.kind {
        FaultKind::UnknownTool => format!("Unknown tool \"{name}\". Available now: {}", tools.offered()),
        FaultKind::BadArguments => format!("Arguments for \"{name}\" must be a JSON object."),
        kind => format!("Couldn't read a tool call: {} (at {place})", kind.phrase()),
    }
}

/// A name in a message: at most 64 characters, without any that change how a terminal or a log shows it.
fn quoted(name: &[u8]) -> String {
    let name = lossy(name);
    let mut out = String::new();
    for (count, character) in name.chars().enumerate() {
        if count == 64 {
            out.push('…');
            break;
        }
        let hidden =
            matches!(character, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{061C}');
        if character.is_control() || hidden {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}
