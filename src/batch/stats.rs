//! [`Stats`]: what was read, counted.

use super::{Row, Sink};
use crate::utf8::lossy;
use std::collections::BTreeMap;

/// Counts over records.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Records.
    pub rows: u64,
    /// Bytes of replies.
    pub bytes: u64,
    /// Calls.
    pub calls: u64,
    /// Calls that are whole.
    pub complete: u64,
    /// Calls in which something was mended.
    pub repaired: u64,
    /// Errors in replies.
    pub errors: u64,
    /// Calls by the row that read them.
    pub by_format: BTreeMap<&'static str, u64>,
    /// Calls by tool.
    pub by_tool: BTreeMap<Box<str>, u64>,
    /// Repairs by kind.
    pub by_repair: BTreeMap<&'static str, u64>,
    /// Errors by kind.
    pub by_error: BTreeMap<&'static str, u64>,
}

impl Sink for Stats {
    fn row(&mut self, row: &Row<'_>) {
        self.rows += 1;
        let Some(read) = &row.read else { return };
        self.bytes += read.bytes as u64;
        for call in &read.outcome.calls {
            self.calls += 1;
            self.complete += u64::from(call.complete);
            self.repaired += u64::from(!call.repairs.is_empty());
            *self.by_format.entry(call.format).or_default() += 1;
            let name = lossy(&call.name);
            match self.by_tool.get_mut(&*name) {
                Some(count) => *count += 1,
                None => {
                    self.by_tool.insert(name.into(), 1);
                }
            }
            for repair in &call.repairs {
                *self.by_repair.entry(repair.kind.name()).or_default() += 1;
            }
        }
        for error in &read.outcome.errors {
            self.errors += 1;
            *self.by_error.entry(error.kind.name()).or_default() += 1;
        }
    }
}

impl Stats {
    /// Adds the counts of other records.
    pub fn add(&mut self, other: &Stats) {
        self.rows += other.rows;
        self.bytes += other.bytes;
        self.calls += other.calls;
        self.complete += other.complete;
        self.repaired += other.repaired;
        self.errors += other.errors;
        sum(&mut self.by_format, &other.by_format);
        sum(&mut self.by_tool, &other.by_tool);
        sum(&mut self.by_repair, &other.by_repair);
        sum(&mut self.by_error, &other.by_error);
    }
}

fn sum<K: Ord + Clone>(into: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key.clone()).or_default() += count;
    }
}
