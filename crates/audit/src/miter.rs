//! A miter: two lists of outputs over common leaves, and whether some pair can differ.

use std::collections::BTreeMap;
use std::fmt;

use z3::ast::Bool;

use crate::limits::{Limits, answer};
use crate::outcome::Outcome;

/// Where two networks differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The output that differs, such as `legal x (mark 1 1)`.
    pub output: String,
    /// The propositions and moves that hold in a case in which it differs; empty where it is in
    /// one network alone.
    pub case: Vec<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.case.is_empty() {
            write!(f, "`{}` differs where nothing holds, or is in one alone", self.output)
        } else {
            write!(
                f,
                "`{}` differs where {} hold and nothing else",
                self.output,
                self.case.join(", ")
            )
        }
    }
}

/// Outputs by name, each with its two versions as they are added.
#[derive(Debug, Default)]
pub(crate) struct Miter {
    leaves: BTreeMap<String, Bool>,
    outputs: BTreeMap<String, [Option<Bool>; 2]>,
}

impl Miter {
    /// The leaf of a name, the same for both sides.
    pub(crate) fn leaf(&mut self, name: String) -> Bool {
        self.leaves.entry(name).or_insert_with(|| Bool::fresh_const("leaf")).clone()
    }

    /// Adds a version of an output: side 0 or 1.
    pub(crate) fn output(&mut self, side: usize, name: String, value: Bool) {
        let slot = &mut self.outputs.entry(name).or_default()[side];
        assert!(slot.is_none(), "an output is added once a side");
        *slot = Some(value);
    }

    /// Whether all outputs are equal in every case. An output of one side alone is equal to one
    /// that never holds.
    pub(crate) fn judge(self, limits: Limits) -> Outcome<Difference> {
        let never = || Bool::from_bool(false);
        let pairs: Vec<(&String, Bool)> = self
            .outputs
            .iter()
            .map(|(name, sides)| {
                let [first, second] = sides.clone().map(|side| side.unwrap_or_else(never));
                (name, first.xor(second))
            })
            .collect();
        let differ: Vec<Bool> = pairs.iter().map(|(_, differ)| differ.clone()).collect();
        let solver = limits.solver();
        solver.assert(Bool::or(&differ));
        match answer(&solver, solver.check()) {
            Ok(false) => Outcome::Proven,
            Err(why) => Outcome::Open(why),
            Ok(true) => {
                let model = solver.get_model().expect("a satisfiable question has a model");
                let holds = |value: &Bool| {
                    model.eval(value, true).and_then(|value| value.as_bool()) == Some(true)
                };
                let output = pairs.iter().find(|(_, differ)| holds(differ));
                let output = output.expect("z3's model tells no outputs apart").0.clone();
                let held = self.leaves.iter().filter(|(_, leaf)| holds(leaf));
                Outcome::Refuted(Difference {
                    output,
                    case: held.map(|leaf| leaf.0.clone()).collect(),
                })
            }
        }
    }
}
