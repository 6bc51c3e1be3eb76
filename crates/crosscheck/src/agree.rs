//! One question, many engines, one answer.
//!
//! Always: engines agree when every pair of them does. Two exact answers agree when value, the
//! values of all first moves, and (where every state was visited) whether play was cut are the
//! same, and the counts where both counted the states of the same games (not where one solved
//! subgames apart); an exact answer and a halt when the bounds hold the
//! value; two halts when their bounds meet; two faults when they name the same fault. A fault
//! against an answer is a disagreement only where the engine that answered claims to have checked
//! every state. An engine that panics is taken to have found a fault of its own name, which no other
//! finds: whoever compares thousands of games must learn of it, and go on.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use exact::Ratio;
use verdict::{Engine, Fault, Halt, Question, Stop, Verdict, Watch};

/// Code of the fault that stands for an engine's panic.
pub const PANIC: &str = "engine-panic";

/// What one engine said.
#[derive(Clone, Debug)]
pub struct Row {
    /// The engine's name.
    pub engine: String,
    /// Its answer.
    pub result: Result<Verdict, Stop>,
    /// Wall-clock time that it took, in seconds.
    pub seconds: f64,
}

/// What all engines said, and where two of them first differ.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// One row an engine, in the order in which they were asked.
    pub rows: Vec<Row>,
    /// The first disagreement; none where all agree.
    pub disagreement: Option<Difference>,
}

/// In what two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// The value.
    Value,
    /// Who moves first, or what a first move is worth.
    Moves,
    /// Whether play was cut at the horizon.
    Cut,
    /// How many states there are.
    Counts,
    /// A value outside bounds, or bounds that do not meet.
    Bounds,
    /// The fault of the game, or whether there is one.
    Fault,
}

/// A disagreement of two engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The positions of the two in the order in which they were asked.
    pub engines: (usize, usize),
    /// In what they differ.
    pub aspect: Aspect,
    /// Both answers in words, with the names of the engines.
    pub text: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Row {
    /// The answer in a few words: the value, the bounds, or the fault.
    pub fn result_text(&self) -> String {
        match &self.result {
            Ok(verdict) => verdict.value.to_string(),
            Err(Stop::Halted(halt)) => {
                let Halt { lower, upper, reason, .. } = &**halt;
                format!("between {lower} and {upper} ({reason:?})")
            }
            Err(Stop::Faulty(fault)) => format!("fault {}: {}", fault.code, fault.message),
            Err(Stop::Environment(lack)) => format!("not run: {lack}"),
        }
    }

    /// Distinct states, where the engine counted them all; not those of subgames solved apart.
    pub fn states(&self) -> Option<u64> {
        let counts = self.result.as_ref().ok()?.counts;
        counts.states.filter(|_| counts.apart.is_none())
    }
}

/// Asks every engine, each under the limits of `watch` with a clock of its own.
pub fn agree(question: &Question, engines: &[&dyn Engine], watch: &Watch<'_>) -> Agreement {
    let rows: Vec<Row> = engines.iter().map(|engine| ask(question, *engine, watch)).collect();
    let mut pairs = (0..rows.len()).flat_map(|right| (0..right).map(move |left| (left, right)));
    let disagreement = pairs.find_map(|pair| difference(&rows, pair));
    Agreement { rows, disagreement }
}

fn ask(question: &Question, engine: &dyn Engine, watch: &Watch<'_>) -> Row {
    let started = Instant::now();
    let own = Watch {
        started,
        time: watch.time,
        memory: watch.memory,
        interrupt: watch.interrupt,
        progress: watch.progress,
    };
    let result = catch_unwind(AssertUnwindSafe(|| engine.judge(question, &own)))
        .unwrap_or_else(|_| Err(panicked(engine.name())));
    Row { engine: engine.name().to_owned(), result, seconds: started.elapsed().as_secs_f64() }
}

fn panicked(engine: &str) -> Stop {
    Stop::Faulty(Box::new(Fault {
        code: PANIC,
        message: format!("the engine {engine} panicked, which is a bug of it"),
        states: Vec::new(),
        span: None,
        notes: Vec::new(),
    }))
}

/// How two engines differ.
fn difference(rows: &[Row], engines: (usize, usize)) -> Option<Difference> {
    let (left, right) = (&rows[engines.0], &rows[engines.1]);
    debug_assert!(engines.0 < engines.1, "each pair is looked at once");
    let (aspect, what) = match (&left.result, &right.result) {
        (Ok(one), Ok(other)) => verdicts_differ(one, other),
        (Ok(exact), Err(Stop::Halted(halt))) | (Err(Stop::Halted(halt)), Ok(exact)) => {
            outside(exact, halt).map(|what| (Aspect::Bounds, what))
        }
        (Err(Stop::Halted(one)), Err(Stop::Halted(other))) => {
            apart(one, other).map(|what| (Aspect::Bounds, what))
        }
        (Ok(exact), Err(Stop::Faulty(fault))) | (Err(Stop::Faulty(fault)), Ok(exact)) => {
            let counts = exact.checked || fault.code == PANIC;
            let what = || format!("only one of them finds the fault {}", fault.code);
            counts.then(|| (Aspect::Fault, what()))
        }
        (Err(Stop::Faulty(one)), Err(Stop::Faulty(other))) => (one.code != other.code)
            .then(|| (Aspect::Fault, format!("faults {} and {}", one.code, other.code))),
        _ => None,
    }?;
    let text = format!("{} and {} differ: {what}", left.engine, right.engine);
    Some(Difference { engines, aspect, text })
}

fn verdicts_differ(one: &Verdict, other: &Verdict) -> Option<(Aspect, String)> {
    let unlike = |what: &str, a: String, b: String| (a != b).then(|| format!("{what} {a} and {b}"));
    let values = || unlike("values", one.value.to_string(), other.value.to_string());
    let moves = || {
        unlike("choosers", one.choosers.join(" "), other.choosers.join(" "))
            .or_else(|| moves_differ(&moves(one), &moves(other)))
    };
    let counts = || {
        if one.counts.apart != other.counts.apart {
            return None;
        }
        let (a, b) = (one.counts.decision_states, other.counts.decision_states);
        counts_differ("states", one.counts.states, other.counts.states)
            .or_else(|| counts_differ("decision states", a, b))
    };
    values()
        .map(|what| (Aspect::Value, what))
        .or_else(|| moves().map(|what| (Aspect::Moves, what)))
        .or_else(|| cut_differs(one, other).map(|what| (Aspect::Cut, what)))
        .or_else(|| counts().map(|what| (Aspect::Counts, what)))
}

/// Only an engine that visited every state knows that none was unfinished at the horizon.
fn cut_differs(one: &Verdict, other: &Verdict) -> Option<String> {
    let denies = |verdict: &Verdict| verdict.checked && !verdict.cut;
    let differ = one.cut && denies(other) || other.cut && denies(one);
    differ.then(|| format!("cut {} and {}", one.cut, other.cut))
}

fn counts_differ(what: &str, one: Option<u64>, other: Option<u64>) -> Option<String> {
    let (one, other) = (one?, other?);
    (one != other).then(|| format!("{what} {one} and {other}"))
}

fn moves(verdict: &Verdict) -> BTreeMap<&str, &Ratio> {
    verdict.moves.iter().map(|first| (first.text.as_str(), &first.value)).collect()
}

fn moves_differ(one: &BTreeMap<&str, &Ratio>, other: &BTreeMap<&str, &Ratio>) -> Option<String> {
    let value = |moves: &BTreeMap<&str, &Ratio>, text: &str| {
        moves.get(text).map_or("nothing".to_owned(), |value| value.to_string())
    };
    let mut texts = one.keys().chain(other.keys());
    let text = texts.find(|text| one.get(*text) != other.get(*text))?;
    Some(format!("move {text} is worth {} and {}", value(one, text), value(other, text)))
}

/// Where an exact value lies outside the bounds of a halt.
fn outside(exact: &Verdict, halt: &Halt) -> Option<String> {
    let (value, lower, upper) = (&exact.value, &halt.lower, &halt.upper);
    if value < lower || value > upper {
        return Some(format!("value {value} is not between {lower} and {upper}"));
    }
    let values = moves(exact);
    let wrong = halt.moves.iter().find(|bounded| {
        let value = values.get(bounded.text.as_str());
        value.is_none_or(|value| **value < bounded.lower || **value > bounded.upper)
    })?;
    let bounds = format!("between {} and {}", wrong.lower, wrong.upper);
    Some(format!("move {} is not {bounds}", wrong.text))
}

fn apart(one: &Halt, other: &Halt) -> Option<String> {
    (one.lower > other.upper || other.lower > one.upper).then(|| {
        let (a, b) = (&one.lower, &one.upper);
        format!("bounds [{a}, {b}] and [{}, {}] do not meet", other.lower, other.upper)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use gdl::{ReadOptions, Source};
    use verdict::{BoundedMove, Counts, Fault, FirstMove, HaltReason};

    use super::*;

    /// An engine that says what it was told to say.
    struct Parrot(&'static str, Result<Verdict, Stop>);

    impl Engine for Parrot {
        fn name(&self) -> &str {
            self.0
        }

        fn judge(&self, _: &Question, _: &Watch<'_>) -> Result<Verdict, Stop> {
            self.1.clone()
        }
    }

    fn ratio(text: &str) -> Ratio {
        text.parse().expect("a fraction")
    }

    fn verdict(value: &str) -> Verdict {
        Verdict {
            value: ratio(value),
            choosers: vec!["a".into()],
            moves: vec![FirstMove { text: "m".into(), value: ratio(value) }],
            cut: false,
            simultaneous: false,
            checked: true,
            counts: Counts { states: Some(7), ..Counts::default() },
        }
    }

    fn halt(lower: &str, upper: &str, of_move: &str) -> Result<Verdict, Stop> {
        let (lower, upper) = (ratio(lower), ratio(upper));
        let bounded = |upper: Ratio| BoundedMove {
            text: "m".into(),
            lower: Ratio::zero(),
            upper,
            dominated: false,
        };
        Err(Stop::Halted(Box::new(Halt {
            reason: HaltReason::Time,
            lower,
            upper,
            choosers: vec!["a".into()],
            moves: vec![bounded(ratio(of_move))],
            counts: Counts::default(),
            advice: String::new(),
            estimate: None,
        })))
    }

    fn fault(code: &'static str) -> Result<Verdict, Stop> {
        Err(Stop::Faulty(Box::new(Fault {
            code,
            message: String::new(),
            states: Vec::new(),
            span: None,
            notes: Vec::new(),
        })))
    }

    fn compare(one: Result<Verdict, Stop>, other: Result<Verdict, Stop>) -> Option<String> {
        let text = "(role a) (init s) (legal a m) (<= terminal (true s)) (goal a 1)".into();
        let source = Source { name: "test".into(), text };
        let reading = gdl::read(source, &ReadOptions::default());
        let rules = Arc::new(reading.rulebook.expect("a sheet"));
        let question = Question::new(rules).expect("a player");
        let interrupt = AtomicBool::new(false);
        let watch = Watch::unlimited(&interrupt);
        let (one, other) = (Parrot("one", one), Parrot("other", other));
        let lacks = Parrot("absent", Err(Stop::Environment("no device".into())));
        let agreement = agree(&question, &[&one, &lacks, &other], &watch);
        assert_eq!(agreement.rows.len(), 3);
        assert!(agreement.rows[1].result_text().contains("no device"));
        agreement.disagreement.map(|difference| {
            assert_eq!(difference.engines, (0, 2));
            difference.to_string()
        })
    }

    #[test]
    fn equal_answers_agree_and_counts_that_are_missing_do_not_matter() {
        let uncounted = Verdict { counts: Counts::default(), ..verdict("1/2") };
        assert_eq!(compare(Ok(verdict("1/2")), Ok(uncounted)), None);
        assert_eq!(compare(fault("no-goal"), fault("no-goal")), None);
        // What was counted in subgames says nothing of the whole.
        let apart = Counts { states: Some(8), apart: Some(2), ..Counts::default() };
        let apart = Verdict { counts: apart, ..verdict("1/2") };
        assert_eq!(compare(Ok(verdict("1/2")), Ok(apart.clone())), None);
        let more = Counts { states: Some(9), ..apart.counts };
        let more = Verdict { counts: more, ..verdict("1/2") };
        assert!(compare(Ok(apart), Ok(more)).is_some(), "the same subgames have the same states");
    }

    #[test]
    fn the_first_difference_is_named() {
        let states = Counts { states: Some(8), ..Counts::default() };
        let dearer = vec![FirstMove { text: "m".into(), value: ratio("1/3") }];
        for (other, words) in [
            (Ok(verdict("1/3")), "values 1/2 and 1/3"),
            (Ok(Verdict { cut: true, ..verdict("1/2") }), "cut false and true"),
            (Ok(Verdict { counts: states, ..verdict("1/2") }), "states 7 and 8"),
            (Ok(Verdict { moves: dearer, ..verdict("1/2") }), "move m is worth 1/2 and 1/3"),
            (Ok(Verdict { moves: vec![], ..verdict("1/2") }), "move m is worth 1/2 and nothing"),
            (fault("no-goal"), "the fault no-goal"),
            (halt("0", "1/3", "1"), "1/2 is not between 0/1 and 1/3"),
            (halt("0", "1", "1/3"), "move m is not between 0/1 and 1/3"),
        ] {
            let said = compare(Ok(verdict("1/2")), other).expect("a disagreement");
            assert!(said.starts_with("one and other differ"), "{said}");
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn halts_agree_where_their_bounds_can_both_be_right() {
        assert_eq!(compare(Ok(verdict("1/2")), halt("1/3", "1/2", "1")), None);
        assert_eq!(compare(halt("0", "1/2", "1"), halt("1/2", "1", "1")), None);
        assert!(compare(halt("0", "1/3", "1"), halt("1/2", "1", "1")).is_some());
    }

    #[test]
    fn who_did_not_check_need_not_find_the_fault() {
        let unchecked = Verdict { checked: false, ..verdict("1/2") };
        assert_eq!(compare(Ok(unchecked), fault("no-goal")), None);
        assert!(compare(fault("no-goal"), fault("several-goals")).is_some());
    }

    #[test]
    fn a_panic_is_told_as_a_disagreement_and_ends_nothing() {
        struct Wreck;
        impl Engine for Wreck {
            fn name(&self) -> &str {
                "wreck"
            }
            fn judge(&self, _: &Question, _: &Watch<'_>) -> Result<Verdict, Stop> {
                panic!("planted")
            }
        }
        let text = "(role a) (init s) (legal a m) (<= terminal (true s)) (goal a 1)".into();
        let source = Source { name: "test".into(), text };
        let rules = gdl::read(source, &ReadOptions::default()).rulebook.expect("a sheet");
        let question = Question::new(Arc::new(rules)).expect("a player");
        let interrupt = AtomicBool::new(false);
        let (started, progress) = (Instant::now(), |_: &verdict::Progress| {});
        let watch =
            Watch { started, time: None, memory: None, interrupt: &interrupt, progress: &progress };
        let unchecked = Verdict { checked: false, ..verdict("1/2") };
        let agreement = agree(&question, &[&Wreck, &Parrot("one", Ok(unchecked))], &watch);
        let difference = agreement.disagreement.expect("a panic is no answer");
        assert_eq!(difference.aspect, Aspect::Fault);
        assert!(difference.text.contains(PANIC), "{difference}");
    }
}
