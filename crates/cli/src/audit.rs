//! `--audit`: what an answer rests on, put to z3 and to clingo.
//!
//! A claim is proven, or agrees as far as it was looked at, or stays open at a limit; each with its
//! counts and its time, for the report. A claim that is refuted is a fault of this program: the
//! command ends with it and shows the smallest evidence. Without the feature `z3` all of this is
//! refused in one line, before any work.

use std::time::{Duration, Instant};

use gdl::Source;
use serde::Serialize;
use verdict::{Engine, Question};

#[cfg(feature = "z3")]
use crate::args::EngineName;
use crate::args::{PlacementName, SolveArgs};
use crate::asking::Patience;
use crate::child::Clingo;
#[cfg(feature = "z3")]
use crate::commands::translate;
use crate::failure::Failure;
use crate::quantity::show_duration;

/// A claim that was audited.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// What is claimed, of what.
    pub(crate) claim: String,
    /// `proven` for all cases, `agrees` in those that were looked at, `open`.
    pub(crate) outcome: &'static str,
    /// Counts, or why it stays open.
    pub(crate) detail: String,
    /// What the audit took.
    pub(crate) seconds: f64,
}

impl Row {
    /// The row in a line.
    pub(crate) fn text(&self) -> String {
        let time = show_duration(Duration::from_secs_f64(self.seconds));
        let Self { claim, outcome, detail, .. } = self;
        let detail = if detail.is_empty() { String::new() } else { format!(", {detail}") };
        format!("{outcome:<6}  {claim}{detail} ({time})")
    }
}

/// Refuses an audit in a build that cannot do it.
pub(crate) fn check(asked: bool) -> Result<(), Failure> {
    if !asked || cfg!(feature = "z3") {
        return Ok(());
    }
    Err(Failure::Environment(
        "this program was built without z3, which audits: run it through `cargo xtask`, which \
         builds it so where that is needed, or build it with `--features z3`; both need the \
         library z3 (on Debian: apt install libz3-dev)"
            .into(),
    ))
}

/// The audits of one solve: those of formulas are done on the way, that of a network at its end.
#[derive(Default)]
pub(crate) struct Audited {
    #[cfg(feature = "z3")]
    rows: std::rc::Rc<std::cell::RefCell<Vec<Row>>>,
}

#[cfg(feature = "z3")]
impl Audited {
    /// The symbolic engine, each of its formulas audited before it is solved.
    pub(crate) fn watched(
        &self,
        grounder: Clingo,
        placement: PlacementName,
        args: &SolveArgs,
        begun: Instant,
    ) -> Box<dyn Engine> {
        let inspector = with_z3::Inspector::new(&self.rows, begun, &args.limits);
        Box::new(judge::Symbolic::watched(grounder, placement.into(), inspector))
    }

    /// What was audited.
    pub(crate) fn rows(
        &self,
        args: &SolveArgs,
        question: &Question,
        source: &Source,
        patience: &Patience,
    ) -> Result<Vec<Row>, Failure> {
        if args.engine.name() == EngineName::Symbolic {
            return Ok(self.rows.borrow().clone());
        }
        let built = translate::network(&question.rulebook, &args.sheet);
        let (rules, net) = built.map_err(|fault| Failure::Game(fault, Some(source.clone())))?;
        patience.watch(|watch| with_z3::network(&rules, &net, watch))
    }
}

#[cfg(not(feature = "z3"))]
impl Audited {
    pub(crate) fn watched(
        &self,
        grounder: Clingo,
        placement: PlacementName,
        _args: &SolveArgs,
        _begun: Instant,
    ) -> Box<dyn Engine> {
        Box::new(judge::Symbolic::new(grounder, placement.into()))
    }

    pub(crate) fn rows(
        &self,
        _args: &SolveArgs,
        _question: &Question,
        _source: &Source,
        _patience: &Patience,
    ) -> Result<Vec<Row>, Failure> {
        check(true).map(|()| Vec::new())
    }
}

#[cfg(feature = "z3")]
pub(crate) use with_z3::{formula, program};

#[cfg(feature = "z3")]
mod with_z3 {
    use std::cell::RefCell;
    use std::rc::Rc;
    use std::time::{Duration, Instant};

    use audit::{Claim, Limits, Matrix, Outcome};
    use exact::Ratio;
    use ground::GroundRules;
    use judge::{Audience, Made};
    use net::Net;
    use qcnf::Qcnf;
    use sqasp::{AtomId, Completion, GroundError, GroundProgram, Prefix, Sampling};
    use verdict::{Stop, Watch};

    use super::Row;
    use crate::child::Clingo;
    use crate::failure::Failure;
    use crate::interrupt;
    use crate::quantity::{counted, show_count};

    /// Assignments that are compared at most.
    const SAMPLES: usize = 48;
    /// All programs are sampled alike.
    const SEED: u64 = 4;
    /// Time for one question to z3 where there is no limit.
    const QUESTION: Duration = Duration::from_secs(60);
    /// Time for a question with quantifiers, which z3 often does not decide.
    const QUANTIFIED: Duration = Duration::from_secs(5);

    /// Learned clauses that are put to z3 at most.
    const LEARNED: usize = 2000;

    /// What is asked: programs, networks, formulas, within the time that is left.
    fn limits(watch: &Watch<'_>, most: Duration) -> Limits {
        let left = watch.time.map(|limit| limit.saturating_sub(watch.started.elapsed()));
        Limits { time: left.unwrap_or(most).min(most) }
    }

    fn refuted(what: &str, evidence: &str) -> Failure {
        Failure::Environment(format!(
            "an audit refutes {what}: {evidence}; this is a fault of oddsmith itself: please report \
             it with the command and its input"
        ))
    }

    /// Rows as they are found.
    struct Rows(Vec<Row>);

    impl Rows {
        /// Does an audit and puts down its row.
        fn add<W>(
            &mut self,
            claim: String,
            audit: impl FnOnce() -> Outcome<W>,
            evidence: impl FnOnce(&W) -> String,
        ) -> Result<(), Failure> {
            let begun = Instant::now();
            let (outcome, detail) = match audit() {
                Outcome::Proven => ("proven", String::new()),
                Outcome::Open(why) => ("open", why),
                Outcome::Refuted(witness) => return Err(refuted(&claim, &evidence(&witness))),
            };
            let seconds = begun.elapsed().as_secs_f64();
            self.0.push(Row { claim, outcome, detail, seconds });
            Ok(())
        }
    }

    /// A program and its clauses.
    pub(crate) fn program(
        text: &str,
        ground: &GroundProgram,
        prefix: &Prefix,
        completion: &Completion,
        watch: &Watch<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let matrix = Matrix::new(&completion.formula, limits(watch, QUESTION));
        let mut rows = Rows(Vec::new());
        rows.add(
            format!(
                "each assignment of {} has at most one model of the clauses",
                counted(completion.choices.len() as u64, "open atom")
            ),
            || matrix.extends_at_most_once(&completion.choices),
            |fault| format!("{fault:?}"),
        )?;
        rows.0.push(samples(text, ground, prefix, completion, &matrix, watch)?);
        Ok(rows.0)
    }

    fn samples(
        text: &str,
        ground: &GroundProgram,
        prefix: &Prefix,
        completion: &Completion,
        matrix: &Matrix<'_>,
        watch: &Watch<'_>,
    ) -> Result<Row, Failure> {
        let begun = Instant::now();
        let atoms = prefix.levels.iter().flat_map(|level| &level.atoms);
        let choices: Vec<AtomId> = atoms.map(|(atom, _)| *atom).collect();
        let sampling = Sampling { choices: names(ground, &choices), most: SAMPLES, seed: SEED };
        let all = sampling.all();
        let claim = "the models of the clauses are clingo's stable models".to_owned();
        let open = |why: &str| {
            let seconds = begun.elapsed().as_secs_f64();
            Ok(Row { claim: claim.clone(), outcome: "open", detail: why.to_owned(), seconds })
        };
        let drawn = match Clingo::samples(text, sampling, watch) {
            Ok(drawn) => drawn,
            Err(GroundError::Stopped(_)) => return open("a limit was met"),
            Err(GroundError::Environment(lack)) => return Err(Failure::Environment(lack)),
            Err(GroundError::TooLarge { rules }) => unreachable!("{rules} rules of a sample"),
            Err(GroundError::Program(said)) => return Err(refuted(&claim, &format!("{said:?}"))),
        };
        let given = Claim { ground, completion, choices: &choices, samples: &drawn };
        let report = audit::samples_agree(given, matrix);
        if let Some(fault) = report.fault {
            return Err(refuted(&claim, &fault.to_string()));
        }
        let asked = drawn.samples.len();
        let whole = all == Some(report.agreed as u64);
        let of = all.map_or_else(|| format!("2^{}", choices.len()), show_count);
        let detail = format!(
            "for {} of {of} assignments of the quantified atoms, {} of which have one",
            show_count(report.agreed as u64),
            show_count(report.satisfiable as u64)
        );
        let unsure = report.agreed < asked;
        let outcome = if whole {
            "proven"
        } else if unsure {
            "open"
        } else {
            "agrees"
        };
        Ok(Row { claim, outcome, detail, seconds: begun.elapsed().as_secs_f64() })
    }

    /// The symbols of atoms.
    fn names(ground: &GroundProgram, atoms: &[AtomId]) -> Vec<String> {
        let known: std::collections::HashMap<AtomId, &str> =
            ground.symbols().filter_map(|(text, atom)| Some((atom?, text))).collect();
        atoms.iter().map(|atom| known[atom].to_owned()).collect()
    }

    /// A formula and the value that was found.
    pub(crate) fn formula(
        formula: &Qcnf,
        value: Option<&Ratio>,
        watch: &Watch<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let mut rows = Rows(Vec::new());
        let Some(value) = value else { return Ok(rows.0) };
        let found = |answer: Result<bool, String>, wanted: bool| match answer {
            Ok(answer) if answer == wanted => Outcome::Proven,
            Ok(answer) => Outcome::Refuted(answer),
            Err(why) => Outcome::Open(why),
        };
        let evidence = |_: &bool| format!("z3 finds the opposite of the value {value}");
        let limits = limits(watch, QUANTIFIED);
        let sign = if value.is_zero() { "0" } else { "above 0" };
        rows.add(
            format!("the value is {sign}"),
            || found(audit::value_is_positive(formula, limits), !value.is_zero()),
            evidence,
        )?;
        let top = if *value == Ratio::one() { "1" } else { "below 1" };
        rows.add(
            format!("the value is {top}"),
            || found(audit::value_is_one(formula, limits), *value == Ratio::one()),
            evidence,
        )?;
        rows.0.push(traced(formula, value, watch)?);
        rows.0.push(learned(formula, value, watch)?);
        Ok(rows.0)
    }

    /// The same limits, and at most so much time from now.
    fn within<T>(watch: &Watch<'_>, most: Duration, work: impl FnOnce(&Watch<'_>) -> T) -> T {
        let until = watch.started.elapsed() + most;
        let time = Some(watch.time.map_or(until, |limit| limit.min(until)));
        work(&Watch { time, ..*watch })
    }

    /// A walk with a record, which is then checked without the solver.
    fn traced(formula: &Qcnf, value: &Ratio, watch: &Watch<'_>) -> Result<Row, Failure> {
        let begun = Instant::now();
        let claim = "the prepared formula has that value, by the nodes of a trace".to_owned();
        let traced = within(watch, QUESTION, |watch| {
            xssat::trace(formula, &xssat::Options::default(), watch)
        });
        let (outcome, detail) = match traced {
            Err(_) => ("open", "a limit was met".to_owned()),
            Ok(trace) => match trace.value() {
                Ok(shown) if shown == *value => {
                    ("proven", counted(trace.nodes.len() as u64, "node"))
                }
                Ok(shown) => return Err(refuted(&claim, &format!("they show {shown}"))),
                Err(fault) => return Err(refuted(&claim, &fault.to_string())),
            },
        };
        Ok(Row { claim, outcome, detail, seconds: begun.elapsed().as_secs_f64() })
    }

    /// The clauses that a walk over parts learns, and the value that it finds.
    fn learned(formula: &Qcnf, value: &Ratio, watch: &Watch<'_>) -> Result<Row, Failure> {
        let begun = Instant::now();
        let claim = "learned clauses are implied by the prepared clauses".to_owned();
        let options = xssat::Options { walk: 2, trace: 1, ..xssat::Options::default() };
        let mut solver = xssat::Solver::new(formula, &options);
        let found = within(watch, QUANTIFIED, |watch| solver.solve(&[], watch));
        if let Ok(found) = found
            && found != *value
        {
            return Err(refuted("that another walk finds the same", &format!("it finds {found}")));
        }
        let row = |outcome, detail| {
            let seconds = begun.elapsed().as_secs_f64();
            Ok(Row { claim: claim.clone(), outcome, detail, seconds })
        };
        let Some(learned) = solver.learned() else { return row("proven", "none".to_owned()) };
        let derived = qcnf::derivation::derive(&learned.formula, &learned.steps)
            .map_err(|fault| refuted(&claim, &format!("a step of its derivation: {fault:?}")))?;
        let some = learned.clauses.iter().take(LEARNED);
        let clauses = some.map(|step| derived[*step].clause.as_slice());
        let limits = limits(watch, QUANTIFIED);
        let report = audit::clauses_are_implied(&learned.formula, clauses, limits);
        if let Some((at, model)) = report.refuted.first() {
            let clause = &derived[learned.clauses[*at]].clause;
            return Err(refuted(&claim, &format!("{clause:?} does not hold in {model:?}")));
        }
        let all = learned.clauses.len();
        let detail = format!("{} of {}", report.proven, counted(all as u64, "clause"));
        let outcome = match report.proven {
            proven if proven == all => "proven",
            _ if report.all_proven() => "agrees",
            _ => "open",
        };
        row(outcome, detail)
    }

    /// A network, before and after it is rebuilt, and against its ground rules.
    pub(crate) fn network(
        rules: &GroundRules,
        net: &Net,
        watch: &Watch<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let mut rows = Rows(Vec::new());
        let limits = limits(watch, QUESTION);
        let size = format!(
            "{} of {}",
            counted(net.gates.len() as u64, "gate"),
            counted(rules.rules.len() as u64, "ground rule")
        );
        rows.add(
            format!("the network of {size} says what these rules say"),
            || audit::net_follows_rules(rules, net, limits),
            ToString::to_string,
        )?;
        Ok(rows.0)
    }

    /// Audits each formula of a game as the engine makes it.
    pub(crate) struct Inspector {
        rows: Rc<RefCell<Vec<Row>>>,
        time: Option<Duration>,
        started: Instant,
        memory: Option<u64>,
    }

    impl Inspector {
        /// One that puts its rows down here.
        pub(crate) fn new(
            rows: &Rc<RefCell<Vec<Row>>>,
            started: Instant,
            limits: &crate::args::LimitArgs,
        ) -> Self {
            Self { rows: Rc::clone(rows), time: limits.time, started, memory: limits.memory }
        }
    }

    impl Inspector {
        /// Does audits and puts down their rows, each with the formula that they are about.
        fn note(
            &self,
            made: &Made<'_>,
            audit: impl FnOnce(&Watch<'_>) -> Result<Vec<Row>, Failure>,
        ) -> Result<(), Stop> {
            let watch = Watch {
                started: self.started,
                time: self.time,
                memory: self.memory,
                interrupt: interrupt::flag(),
                progress: &|_| {},
            };
            let found = audit(&watch).map_err(|failure| match failure {
                Failure::Environment(text) => Stop::Environment(text),
                other => Stop::Environment(format!("{other:?}")),
            })?;
            let steps = counted(made.steps.into(), "step");
            let bound = if made.upper { ", unfinished play worth the most" } else { "" };
            let named = found
                .into_iter()
                .map(|row| Row { claim: format!("{steps}{bound}: {}", row.claim), ..row });
            self.rows.borrow_mut().extend(named);
            Ok(())
        }
    }

    impl Audience for Inspector {
        fn formula(&self, made: &Made<'_>) -> Result<(), Stop> {
            self.note(made, |watch| {
                program(made.program, made.ground, made.prefix, made.completion, watch)
            })
        }

        fn solved(&self, made: &Made<'_>, value: &Ratio) -> Result<(), Stop> {
            self.note(made, |watch| formula(&made.completion.formula, Some(value), watch))
        }
    }
}
