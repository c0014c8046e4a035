//! A list of distinct names with a quick way back from a name to its position.

use std::collections::HashMap;

/// Comparing a few lengths and bytes is cheaper than hashing.
const SCANNED: usize = 32;

/// Distinct names in the order in which they came. They lie side by side: most requests bring tools of their own, and read them once.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<u32>,
    /// Made only when there are too many to scan. The hasher is keyed, since the names may come from a stranger's request.
    index: Option<Box<Index>>,
}

type Index = HashMap<Box<[u8]>, u32>;

impl Names {
    /// The position of `name`, which is added if it is new.
    pub(super) fn insert(&mut self, name: &str) -> usize {
        if let Some(position) = self.find(name.as_bytes()) {
            return position;
        }
        let position = self.ends.len();
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        if let Some(index) = &mut self.index {
            index.insert(name.as_bytes().into(), u32::try_from(position).unwrap_or(u32::MAX));
        } else if position == SCANNED {
            let index = (0..).zip(self.iter()).map(|(position, name)| (name.as_bytes().into(), position)).collect();
            self.index = Some(Box::new(index));
        }
        position
    }

    /// The position of the name with exactly these bytes.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        match &self.index {
            None => self.scanned(name),
            Some(index) => index.get(name).map(|position| *position as usize),
        }
    }

    fn scanned(&self, name: &[u8]) -> Option<usize> {
        let text = self.text.as_bytes();
        let mut start = 0;
        self.ends.iter().position(|end| {
            let known = start..*end as usize;
            start = known.end;
            // Names of one length differ most often at their end.
            known.len() == name.len() && text.get(..known.end).and_then(<[u8]>::last) == name.last() && text.get(known) == Some(name)
        })
    }

    pub(super) fn get(&self, position: usize) -> Option<&str> {
        let start = position.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start as usize..*self.ends.get(position)? as usize)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let name = self.text.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            name
        })
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}
