//! Ways to cut a reply.

use super::random::Random;

/// Cuts in two, the empty halves included: at every place, or at `most` places evenly over the reply.
pub fn two_way(text: &[u8], most: usize) -> impl Iterator<Item = [&[u8]; 2]> {
    let places = text.len() + 1;
    let cuts = places.min(most);
    (0..cuts).map(move |index| {
        let at = if places <= most { index } else { index * text.len() / (cuts - 1) };
        let (head, tail) = text.split_at(at);
        [head, tail]
    })
}

/// One byte at a time.
pub fn bytes(text: &[u8]) -> Vec<&[u8]> {
    text.chunks(1).collect()
}

/// Pieces of 1 to `most` bytes.
pub fn random(text: &[u8], seed: u64, most: usize) -> Vec<&[u8]> {
    let mut random = Random::new(seed);
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at((1 + random.below(most)).min(rest.len()));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// Pieces of these lengths, again and again.
pub fn by_lengths<'t>(text: &'t [u8], lengths: &[usize]) -> Vec<&'t [u8]> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for length in lengths.iter().cycle() {
        if rest.is_empty() || lengths.iter().all(|length| *length == 0) {
            break;
        }
        let (piece, tail) = rest.split_at((*length).min(rest.len()));
        pieces.push(piece);
        rest = tail;
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}
