//! XML's escapes, for the formats that use them.

/// `text` with the five named and the numeric references, and CDATA sections, replaced by what they stand for.
#[must_use]
pub fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(index) = memchr::memchr2(b'&', b'<', rest) {
        let (plain, tail) = rest.split_at(index);
        out.extend_from_slice(plain);
        if let Some(cdata) = tail.strip_prefix(b"<![CDATA[") {
            let end = memchr::memmem::find(cdata, b"]]>");
            out.extend_from_slice(cdata.get(..end.unwrap_or(cdata.len())).unwrap_or_default());
            rest = end.and_then(|end| cdata.get(end + 3..)).unwrap_or_default();
            continue;
        }
        if let Some((character, width)) = reference(tail) {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = tail.get(width..).unwrap_or_default();
        } else {
            out.extend(tail.first());
            rest = tail.get(1..).unwrap_or_default();
        }
    }
    out.extend_from_slice(rest);
    out
}

/// The reference that `text` starts with, and its width.
fn reference(text: &[u8]) -> Option<(char, usize)> {
    let body = text.strip_prefix(b"&")?;
    let end = body.iter().take(12).position(|byte| *byte == b';')?;
    let name = std::str::from_utf8(body.get(..end)?).ok()?;
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = digits.strip_prefix(['x', 'X']).map_or_else(|| digits.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
            char::from_u32(code)?
        }
    };
    Some((character, end + 2))
}

#[cfg(test)]
mod tests;
