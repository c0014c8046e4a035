//! Members that a place inherits through `$ref`, `allOf`, `anyOf` and `oneOf`.

use std::collections::{HashMap, HashSet};

use super::draft::Draft;

/// A document whose inheritance costs more steps than this is refused; real ones need a few per schema object.
const MAX_STEPS: usize = 1 << 20;

/// The steps were used up.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct TooLarge;

/// The members of one place, its own and the inherited ones.
#[derive(Debug, Default)]
pub(super) struct Members<'v> {
    pub(super) properties: Vec<(&'v str, usize)>,
    pub(super) rest: Option<usize>,
    pub(super) items: Option<usize>,
}

/// The members of every draft. A member that several sources declare becomes a draft of its own, added behind the others.
pub(super) fn merge<'v>(drafts: &mut Vec<Draft<'v>>) -> Result<Vec<Members<'v>>, TooLarge> {
    let mut joiner = Joiner { steps: MAX_STEPS, joined: HashMap::new() };
    let mut merged = Vec::with_capacity(drafts.len());
    while let Some(draft) = drafts.get(merged.len()) {
        let alone = draft.all.is_empty() && draft.any.is_empty();
        merged.push(if alone {
            Members { properties: draft.properties.clone(), rest: draft.rest, items: draft.items }
        } else {
            joiner.inherit(drafts, merged.len())?
        });
    }
    Ok(merged)
}

/// Where a member is declared: `all` of these hold at once, of `any` at least one.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Declared {
    all: Vec<usize>,
    any: Vec<usize>,
}

impl Declared {
    fn add(&mut self, id: usize, alternative: bool) {
        if alternative { &mut self.any } else { &mut self.all }.push(id);
    }
}

struct Joiner {
    steps: usize,
    joined: HashMap<Declared, usize>,
}

impl Joiner {
    fn inherit<'v>(&mut self, drafts: &mut Vec<Draft<'v>>, root: usize) -> Result<Members<'v>, TooLarge> {
        let mut keys: Vec<(&'v str, Declared)> = Vec::new();
        let mut positions: HashMap<&'v str, usize> = HashMap::new();
        let (mut rest, mut items) = (Declared::default(), Declared::default());
        for (source, alternative) in self.sources(drafts, root)? {
            let Some(draft) = drafts.get(source) else { continue };
            self.spend(draft.properties.len())?;
            for (key, id) in &draft.properties {
                let position = *positions.entry(key).or_insert_with(|| {
                    keys.push((key, Declared::default()));
                    keys.len() - 1
                });
                if let Some((_, declared)) = keys.get_mut(position) {
                    declared.add(*id, alternative);
                }
            }
            if let Some(id) = draft.rest {
                rest.add(id, alternative);
            }
            if let Some(id) = draft.items {
                items.add(id, alternative);
            }
        }
        let mut properties = Vec::with_capacity(keys.len());
        for (key, declared) in keys {
            properties.extend(self.join(drafts, declared).map(|id| (key, id)));
        }
        Ok(Members { properties, rest: self.join(drafts, rest), items: self.join(drafts, items) })
    }

    /// The draft itself and all it inherits from, in the order of the document, each with whether it is only one of several alternatives.
    fn sources(&mut self, drafts: &[Draft<'_>], root: usize) -> Result<Vec<(usize, bool)>, TooLarge> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting = vec![(root, false)];
        while let Some((id, alternative)) = waiting.pop() {
            let Some(draft) = drafts.get(id).filter(|_| seen.insert(id)) else { continue };
            found.push((id, alternative));
            let before = waiting.len();
            waiting.extend(draft.any.iter().flatten().rev().map(|id| (*id, true)));
            waiting.extend(draft.all.iter().rev().map(|id| (*id, alternative)));
            self.spend(waiting.len() - before)?;
        }
        Ok(found)
    }

    /// The one draft that stands for all declarations of a member.
    fn join(&mut self, drafts: &mut Vec<Draft<'_>>, mut declared: Declared) -> Option<usize> {
        declared.any.sort_unstable();
        declared.any.dedup();
        if declared.any.len() == 1 {
            declared.all.append(&mut declared.any);
        }
        declared.all.sort_unstable();
        declared.all.dedup();
        match (declared.all.as_slice(), declared.any.is_empty()) {
            ([], true) => return None,
            ([only], true) => return Some(*only),
            _ => {}
        }
        if let Some(joined) = self.joined.get(&declared) {
            return Some(*joined);
        }
        let any = if declared.any.is_empty() { Vec::new() } else { vec![declared.any.clone()] };
        drafts.push(Draft { all: declared.all.clone(), any, ..Draft::default() });
        self.joined.insert(declared, drafts.len() - 1);
        Some(drafts.len() - 1)
    }

    fn spend(&mut self, steps: usize) -> Result<(), TooLarge> {
        self.steps = self.steps.checked_sub(steps).ok_or(TooLarge)?;
        Ok(())
    }
}
