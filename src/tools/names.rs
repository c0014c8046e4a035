//! A list of distinct names with a quick way back from a name to its position.

use std::collections::HashMap;

/// Comparing a few lengths and bytes is cheaper than hashing.
const SCANNED: usize = 8;

/// Distinct names in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Names {
    list: Vec<Box<str>>,
    /// Filled only when the list is too long to scan. The hasher is keyed, since the names may come from a stranger's request.
    index: HashMap<Box<[u8]>, u32>,
}

impl Names {
    /// The position of `name`, which is added if it is new.
    pub(super) fn insert(&mut self, name: &str) -> usize {
        if let Some(position) = self.find(name.as_bytes()) {
            return position;
        }
        let position = self.list.len();
        self.list.push(name.into());
        if position == SCANNED {
            self.index = (0..).zip(&self.list).map(|(position, name)| (name.as_bytes().into(), position)).collect();
        } else if position > SCANNED {
            self.index.insert(name.as_bytes().into(), u32::try_from(position).unwrap_or(u32::MAX));
        }
        position
    }

    /// The position of the name with exactly these bytes.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        if self.index.is_empty() {
            return self.list.iter().position(|known| known.as_bytes() == name);
        }
        self.index.get(name).map(|position| *position as usize)
    }

    pub(super) fn get(&self, position: usize) -> Option<&str> {
        self.list.get(position).map(Box::as_ref)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(Box::as_ref)
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }
}
