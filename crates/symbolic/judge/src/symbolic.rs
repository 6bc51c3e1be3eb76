//! The engine and its two ways to end: a verdict, or a halt with the bounds of the last round.

use exact::Ratio;
use sqasp::{DomainFault, Domains, GroundError, Grounder, Placement, relaxed_program};
use verdict::{
    BoundedMove, Counts, Engine, Fault, FirstMove, Halt, HaltReason, Question, Stop, Verdict, Watch,
};

use crate::audience::Audience;
use crate::clock::Clock;
use crate::rounds::{Known, Table};

/// Encodes, grounds, completes and solves; well-formedness of the game is not checked.
pub struct Symbolic<G, A = ()> {
    grounder: G,
    placement: Placement,
    audience: A,
}

impl<G: Grounder> Symbolic<G> {
    /// The engine over a grounder, with one placement of defined variables.
    pub fn new(grounder: G, placement: Placement) -> Self {
        Self { grounder, placement, audience: () }
    }
}

impl<G: Grounder, A: Audience> Symbolic<G, A> {
    /// The same with somebody who is told of the formulas.
    pub fn watched(grounder: G, placement: Placement, audience: A) -> Self {
        Self { grounder, placement, audience }
    }
}

impl<G: Grounder, A: Audience> Engine for Symbolic<G, A> {
    fn name(&self) -> &str {
        match self.placement {
            Placement::Baseline => "symbolic-baseline",
            Placement::Dependency => "symbolic",
        }
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let (mut known, translation) = (Known::default(), Clock::default());
        let domains = translation.time(|| self.domains(question, watch));
        let answered = domains.and_then(|domains| {
            let table = Table {
                grounder: &self.grounder,
                placement: self.placement,
                question,
                domains: &domains,
                watch,
                audience: &self.audience,
                translation: &translation,
            };
            table.rounds(&mut known)
        });
        let translation = Some(translation.total());
        let counts = Counts { stored: known.stored, translation, ..Counts::default() };
        match answered {
            Ok(()) => Ok(verdict(known, counts)),
            Err(Ended::Limit(reason)) => Err(Stop::Halted(Box::new(halt(known, reason, counts)))),
            Err(Ended::Stop(stop)) => Err(stop),
        }
    }
}

impl<G: Grounder, A> Symbolic<G, A> {
    fn domains(&self, question: &Question, watch: &Watch<'_>) -> Result<Domains, Ended> {
        let ground = self.grounder.ground(&relaxed_program(question), watch)?;
        Domains::read(question, &ground).map_err(|fault| faulty(&fault))
    }
}

/// Why there is no verdict.
pub(crate) enum Ended {
    /// A limit was met.
    Limit(HaltReason),
    /// A fault or a lack.
    Stop(Stop),
}

impl Ended {
    /// A fault of the translation itself.
    pub(crate) fn broken(text: &str) -> Self {
        Self::Stop(Stop::Environment(format!("the translation broke: {text}")))
    }
}

impl From<GroundError> for Ended {
    fn from(error: GroundError) -> Self {
        match error {
            GroundError::Stopped(reason) => Self::Limit(reason),
            GroundError::Environment(lack) => Self::Stop(Stop::Environment(lack)),
            GroundError::TooLarge { rules } => Self::Stop(Stop::Faulty(Box::new(Fault {
                code: "ground-limit",
                message: format!("the game's program grounds to more than {rules} rules"),
                states: Vec::new(),
                span: None,
                notes: vec!["bound the steps with --horizon, or raise --ground-limit".into()],
            }))),
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

fn verdict(known: Known, counts: Counts) -> Verdict {
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
        counts,
    }
}

fn halt(known: Known, reason: HaltReason, counts: Counts) -> Halt {
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
        counts,
        estimate: None,
        advice: "raise the limit, bound the steps with `--horizon`, or use another engine".into(),
    }
}
