//! The engine and its two ways to end: a verdict, or a halt with the bounds of the last round.

use exact::Ratio;
use sqasp::{DomainFault, Domains, GroundError, Grounder, Placement, relaxed_program};
use verdict::{
    BoundedMove, Counts, Engine, Fault, FirstMove, Halt, HaltReason, Question, Stop, Verdict, Watch,
};

use crate::rounds::{Known, rounds};

/// Encodes, grounds, completes and solves; well-formedness of the game is not checked.
pub struct Symbolic<G> {
    grounder: G,
    placement: Placement,
}

impl<G: Grounder> Symbolic<G> {
    /// The engine over a grounder, with one placement of defined variables.
    pub fn new(grounder: G, placement: Placement) -> Self {
        Self { grounder, placement }
    }
}

impl<G: Grounder> Engine for Symbolic<G> {
    fn name(&self) -> &str {
        match self.placement {
            Placement::Baseline => "symbolic-baseline",
            Placement::Dependency => "symbolic",
        }
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let mut known = Known::default();
        let relaxed = relaxed_program(question);
        let answered = self
            .grounder
            .ground(&relaxed, watch)
            .map_err(Ended::from)
            .and_then(|ground| Domains::read(question, &ground).map_err(|fault| faulty(&fault)))
            .and_then(|domains| {
                rounds(&self.grounder, self.placement, question, &domains, watch, &mut known)
            });
        match answered {
            Ok(()) => Ok(verdict(known)),
            Err(Ended::Limit(reason)) => Err(Stop::Halted(Box::new(halt(known, reason)))),
            Err(Ended::Stop(stop)) => Err(stop),
        }
    }
}

/// Why there is no verdict.
pub(crate) enum Ended {
    /// A limit was met.
    Limit(HaltReason),
    /// A fault or a lack.
    Stop(Stop),
}

impl From<GroundError> for Ended {
    fn from(error: GroundError) -> Self {
        match error {
            GroundError::Stopped(reason) => Self::Limit(reason),
            GroundError::Environment(lack) => Self::Stop(Stop::Environment(lack)),
            GroundError::Program(messages) => {
                let texts: Vec<String> = messages.iter().map(ToString::to_string).collect();
                let lack = format!("clingo refuses the translated game: {}", texts.join("; "));
                Self::Stop(Stop::Environment(lack))
            }
        }
    }
}

fn faulty(fault: &DomainFault) -> Ended {
    let DomainFault::GoalValue(value) = fault;
    Ended::Stop(Stop::Faulty(Box::new(Fault {
        code: "goal-value",
        message: format!("the goal value `{value}` is no whole number from 0 to 100"),
        states: Vec::new(),
        span: None,
        notes: vec!["goal values are whole numbers from 0 to 100".into()],
    })))
}

fn verdict(known: Known) -> Verdict {
    let moves = known.lines.into_iter().map(|(text, (lower, upper))| {
        assert_eq!(lower, upper, "a verdict has exact values");
        FirstMove { text, value: lower }
    });
    Verdict {
        value: known.value.0,
        choosers: known.choosers,
        moves: moves.collect(),
        cut: known.cut,
        simultaneous: known.simultaneous,
        checked: false,
        counts: Counts { stored: known.stored, ..Counts::default() },
    }
}

fn halt(known: Known, reason: HaltReason) -> Halt {
    let (best, minimise) = (known.value.clone(), known.minimise);
    let dominated = |(lower, upper): &(Ratio, Ratio)| {
        if minimise { *lower > best.1 } else { *upper < best.0 }
    };
    let moves = known.lines.iter().map(|(text, bounds)| BoundedMove {
        text: text.clone(),
        lower: bounds.0.clone(),
        upper: bounds.1.clone(),
        dominated: dominated(bounds),
    });
    let moves = moves.collect();
    Halt {
        reason,
        lower: known.value.0,
        upper: known.value.1,
        choosers: known.choosers,
        moves,
        counts: Counts { stored: known.stored, ..Counts::default() },
        advice: "raise the limit, bound the steps with `--horizon`, or use another engine".into(),
    }
}
