//! One question, many engines, one answer.
//!
//! Always: engines agree when every pair of them does. Two exact answers agree when value, the
//! values of all first moves, and whether play was cut are the same, and the counts where both
//! counted; an exact answer and a halt when the bounds hold the value; two halts when their bounds
//! meet; two faults when they name the same fault. A fault against an answer is a disagreement
//! only where the engine that answered claims to have checked every state.

use std::collections::BTreeMap;
use std::time::Instant;

use exact::Ratio;
use verdict::{Engine, Halt, Question, Stop, Verdict, Watch};

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
    /// The first disagreement in words; none where all agree.
    pub disagreement: Option<String>,
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

    /// Distinct states, where the engine counted them all.
    pub fn states(&self) -> Option<u64> {
        self.result.as_ref().ok().and_then(|verdict| verdict.counts.states)
    }
}

/// Asks every engine, each under the limits of `watch` with a clock of its own.
pub fn agree(question: &Question, engines: &[&dyn Engine], watch: &Watch<'_>) -> Agreement {
    let rows: Vec<Row> = engines.iter().map(|engine| ask(question, *engine, watch)).collect();
    let mut pairs = rows
        .iter()
        .enumerate()
        .flat_map(|(at, row)| rows[..at].iter().map(move |left| (left, row)));
    let disagreement = pairs.find_map(|(left, right)| difference(left, right));
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
    let result = engine.judge(question, &own);
    Row { engine: engine.name().to_owned(), result, seconds: started.elapsed().as_secs_f64() }
}

/// How two engines differ, in words.
fn difference(left: &Row, right: &Row) -> Option<String> {
    let what = match (&left.result, &right.result) {
        (Ok(one), Ok(other)) => verdicts_differ(one, other),
        (Ok(exact), Err(Stop::Halted(halt))) | (Err(Stop::Halted(halt)), Ok(exact)) => {
            outside(exact, halt)
        }
        (Err(Stop::Halted(one)), Err(Stop::Halted(other))) => apart(one, other),
        (Ok(exact), Err(Stop::Faulty(fault))) | (Err(Stop::Faulty(fault)), Ok(exact)) => {
            exact.checked.then(|| format!("only one of them finds the fault {}", fault.code))
        }
        (Err(Stop::Faulty(one)), Err(Stop::Faulty(other))) => {
            (one.code != other.code).then(|| format!("faults {} and {}", one.code, other.code))
        }
        _ => None,
    }?;
    Some(format!("{} and {} differ: {what}", left.engine, right.engine))
}

fn verdicts_differ(one: &Verdict, other: &Verdict) -> Option<String> {
    let unlike = |what: &str, a: String, b: String| (a != b).then(|| format!("{what} {a} and {b}"));
    unlike("values", one.value.to_string(), other.value.to_string())
        .or_else(|| unlike("choosers", one.choosers.join(" "), other.choosers.join(" ")))
        .or_else(|| moves_differ(&moves(one), &moves(other)))
        .or_else(|| unlike("cut", one.cut.to_string(), other.cut.to_string()))
        .or_else(|| counts_differ("states", one.counts.states, other.counts.states))
        .or_else(|| {
            let (a, b) = (one.counts.decision_states, other.counts.decision_states);
            counts_differ("decision states", a, b)
        })
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
