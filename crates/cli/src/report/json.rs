//! An answer for programs: one object, stable, described by `schema/solve.schema.json`.
//!
//! Fractions are text, since no number of JSON is exact. What an engine does not know is `null`.
//! `value` is `null` unless it is exact; `lower` and `upper` are always there.

use serde::Serialize;

use crate::audit::Row;

use super::answer::{Answer, Asked, Ended, Kept, Lost, reason};
use super::number::DECIMAL_DIGITS;

/// One answer of `solve --json`.
#[derive(Serialize)]
pub(crate) struct AnswerObject {
    game: String,
    role: Option<String>,
    opponents: Vec<String>,
    chance: Vec<String>,
    objective: &'static str,
    horizon: Option<u32>,
    cut: Option<bool>,
    engine: &'static str,
    backend: Option<&'static str>,
    value: Option<String>,
    expected_goal: Option<String>,
    decimal: Option<f64>,
    exact: bool,
    lower: String,
    upper: String,
    best: Vec<String>,
    moves: Vec<MoveObject>,
    choosers: Vec<String>,
    simultaneous: Option<bool>,
    checked: bool,
    states: Option<u64>,
    decision_states: Option<u64>,
    stored: u64,
    plies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    apart: Option<u32>,
    seconds: f64,
    translation_seconds: Option<f64>,
    peak_bytes: Option<u64>,
    halt: Option<HaltObject>,
    /// Nothing is proven of it.
    estimate: Option<EstimateObject>,
    /// The first move that looks best after a halt.
    leading: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<Kept>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table_error: Option<Lost>,
}

/// A guess beside the bounds.
#[derive(Serialize)]
struct EstimateObject {
    by: &'static str,
    steps: u32,
    value: f64,
    moves: Vec<GuessObject>,
}

/// The guess at a first move.
#[derive(Serialize)]
struct GuessObject {
    r#move: String,
    value: f64,
}

/// A first move with its value, or with bounds.
#[derive(Serialize)]
struct MoveObject {
    r#move: String,
    value: Option<String>,
    lower: String,
    upper: String,
}

/// Why there is no exact answer.
#[derive(Serialize)]
pub(crate) struct HaltObject {
    reason: &'static str,
    message: String,
    advice: String,
}

/// `solve --roles --json`: an answer for every role that is not chance.
#[derive(Serialize)]
pub(crate) struct RolesObject {
    /// The sheet.
    pub(crate) game: String,
    /// In the order of the sheet.
    pub(crate) answers: Vec<AnswerObject>,
}

impl From<&Answer> for AnswerObject {
    fn from(answer: &Answer) -> Self {
        let Asked { game, role, opponents, chance, .. } = answer.asked.clone();
        let (lower, upper) = answer.bounds();
        let (counts, value) = (answer.counts(), answer.value());
        debug_assert!(lower <= upper, "bounds in order");
        Self {
            game,
            role,
            opponents,
            chance,
            objective: answer.asked.objective_text(),
            horizon: answer.asked.horizon,
            cut: exactly(answer, |verdict| verdict.cut),
            engine: answer.asked.engine,
            backend: answer.asked.backend,
            value: value.map(ToString::to_string),
            expected_goal: value.map(|value| value.times(100).to_string()),
            decimal: value.map(decimal),
            exact: value.is_some(),
            lower: lower.to_string(),
            upper: upper.to_string(),
            best: best(answer),
            moves: moves(answer),
            choosers: answer.choosers().to_vec(),
            simultaneous: exactly(answer, |verdict| verdict.simultaneous),
            checked: exactly(answer, |verdict| verdict.checked).unwrap_or(false),
            states: counts.states,
            decision_states: counts.decision_states,
            stored: counts.stored,
            plies: counts.plies,
            apart: counts.apart,
            seconds: answer.time.as_secs_f64(),
            translation_seconds: counts.translation.map(|time| time.as_secs_f64()),
            peak_bytes: answer.peak_bytes,
            halt: halt(answer),
            audit: answer.audit.clone(),
            table: answer.table.clone(),
            table_error: answer.lost.clone(),
            estimate: answer.estimate().map(estimate),
            leading: answer.leading().map(str::to_owned),
        }
    }
}

fn estimate(estimate: &verdict::Estimate) -> EstimateObject {
    let guess = |first: &verdict::FirstMove| GuessObject {
        r#move: first.text.clone(),
        value: decimal(&first.value),
    };
    EstimateObject {
        by: estimate.evaluator,
        steps: estimate.depth,
        value: decimal(&estimate.value),
        moves: estimate.moves.iter().map(guess).collect(),
    }
}

/// What only an exact answer knows.
fn exactly<T>(answer: &Answer, known: impl Fn(&verdict::Verdict) -> T) -> Option<T> {
    match &answer.ended {
        Ended::Exact(verdict) => Some(known(verdict)),
        Ended::Halted(_) => None,
    }
}

fn best(answer: &Answer) -> Vec<String> {
    answer.moves().iter().filter(|line| line.best).map(|line| line.text.to_owned()).collect()
}

fn moves(answer: &Answer) -> Vec<MoveObject> {
    let object = |line: &super::answer::MoveLine<'_>| MoveObject {
        r#move: line.text.to_owned(),
        value: (line.lower == line.upper).then(|| line.lower.to_string()),
        lower: line.lower.to_string(),
        upper: line.upper.to_string(),
    };
    answer.moves().iter().map(object).collect()
}

fn halt(answer: &Answer) -> Option<HaltObject> {
    let Ended::Halted(halt) = &answer.ended else { return None };
    Some(HaltObject::from(halt))
}

impl From<&verdict::Halt> for HaltObject {
    fn from(halt: &verdict::Halt) -> Self {
        let (word, message) = reason(&halt.reason);
        Self { reason: word, message, advice: halt.advice.clone() }
    }
}

/// The decimal text as a number of JSON; display only.
fn decimal(value: &exact::Ratio) -> f64 {
    value.decimal(DECIMAL_DIGITS + 5).parse().unwrap_or_else(|_| value.to_f64())
}
