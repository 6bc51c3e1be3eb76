//! The rules of the house, checked on the text of the checkout.
//!
//! Each check takes the whole tree of files and gives findings: a place, what is wrong there and
//! what would be right. Nothing is read from disk but by [`Tree::read`], so a test plants a fault
//! in a small tree of its own. A check that finds nothing proves nothing about behaviour: the
//! rules are those that a compiler does not hold (where a hazard may live, which way an import
//! points, that what a document names exists).
//!
//! Source is judged after its comments and literals are blanked ([`source`]), so the words in a
//! comment are free. Cost: some milliseconds for the whole checkout.

use std::fmt;

mod documents;
mod games;
mod hazards;
mod layers;
mod manifest;
mod manifests;
mod readme;
mod source;
mod sources;
mod tree;

pub use readme::{CommandLine, command_lines};
pub use tree::Tree;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The file, from the root of the checkout.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub wrong: String,
    /// What would be right.
    pub right: String,
}

impl Finding {
    fn new(
        path: impl Into<String>,
        line: usize,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) -> Self {
        debug_assert!(line > 0, "lines are counted from 1");
        Self { path: path.into(), line, wrong: wrong.into(), right: right.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}; {}", self.path, self.line, self.wrong, self.right)
    }
}

/// All findings of all checks, in the order of the files.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in CHECKS {
        check(tree, &mut findings);
    }
    findings.sort();
    findings.dedup();
    findings
}

const CHECKS: &[fn(&Tree, &mut Vec<Finding>)] = &[
    layers::check,
    manifests::check,
    hazards::check,
    sources::check,
    games::check,
    readme::check,
    documents::check,
];

/// Runs one check on a planted tree; the findings as printed.
#[cfg(test)]
fn findings_of(check: fn(&Tree, &mut Vec<Finding>), files: &[(&str, &str)]) -> Vec<String> {
    let mut findings = Vec::new();
    check(&Tree::planted(files), &mut findings);
    findings.iter().map(ToString::to_string).collect()
}
