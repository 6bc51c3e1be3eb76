//! `oddsmith solve --players each`: what every role gets where each plays for itself.
//!
//! Expected goal values as exact fractions, one a role, and the first moves of whoever chooses
//! first with what every role gets after each. How ties are broken is said with every answer, and
//! whether it mattered.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crosscheck::reference::{self, Ties};
use serde::Serialize;
use verdict::{Counts, Halt, Question, Shares, Stop};

use super::solve::{patience, pose, warn};
use super::{print_notes, write_object};
use crate::args::{EngineName, SolveArgs};
use crate::asking::failure;
use crate::failure::{Failure, Status};
use crate::quantity::{counted, show_count, show_duration, show_size};
use crate::report::answer::reason;
use crate::report::json::HaltObject;
use crate::report::number;
use crate::report::visible::visible;
use crate::{lineup, reading};

/// Names of roles on the left of their goals.
const LABEL_WIDTH: usize = 10;

/// What came of the question.
struct Outcome {
    game: String,
    chance: Vec<String>,
    horizon: Option<u32>,
    roles: Vec<String>,
    engine: &'static str,
    ended: Result<Shares, Halt>,
    time: Duration,
}

/// Answers.
pub(super) fn run(
    args: &SolveArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    refuse_misfits(args)?;
    let owned = args.clone();
    let posed = reading::within(&patience(args, started), move || pose(&owned))?;
    warn(args, &posed);
    let question = &posed.questions[0];
    let ended = match ask(args, question, started) {
        Ok(shares) => Ok(shares),
        Err(Stop::Halted(halt)) => Err(*halt),
        Err(stop) => return Err(failure(stop, &posed.source)),
    };
    let outcome = Outcome::new(args, &posed.source.name, question, ended, started.elapsed());
    if args.json {
        write_object(out, &SharesObject::from(&outcome))?;
    } else {
        write(out, &outcome)?;
        out.flush()?;
        if !args.quiet {
            print_notes(&notes(&outcome));
        }
    }
    Ok(if outcome.ended.is_ok() { Status::Answered } else { Status::Halted })
}

/// Flags that say nothing here are refused, never ignored.
fn refuse_misfits(args: &SolveArgs) -> Result<(), Failure> {
    let engine = &args.engine;
    let misfits = [
        (args.question.objective.is_some(), "--objective: every role maximises its goal value"),
        (engine.engine == Some(EngineName::Symbolic), "--engine symbolic"),
        (engine.engine == Some(EngineName::Sweep), "--engine sweep"),
        (engine.depth.is_some(), "--depth"),
        (engine.evaluate.is_some(), "--evaluate"),
        (engine.approximate, "--approximate"),
        (engine.width.is_some(), "--width"),
        (engine.no_fold, "--no-fold"),
        (engine.threads.is_some(), "--threads"),
        (engine.no_symmetry, "--no-symmetry"),
        (args.explain, "--explain"),
        (args.audit, "--audit"),
        (args.disk.checkpoint.is_some(), "--checkpoint"),
        (args.disk.spill.is_some(), "--spill"),
    ];
    match misfits.into_iter().find(|misfit| misfit.0) {
        None => Ok(()),
        Some((_, flag)) => {
            let message = format!("--players each cannot be combined with {flag}");
            Err(Failure::input("usage", message))
        }
    }
}

/// The rules themselves, where the reference is asked for; else the compiled game.
fn ask(args: &SolveArgs, question: &Question, started: Instant) -> Result<Shares, Stop> {
    let options = lineup::options(&args.engine, &args.sheet);
    let patience = patience(args, started);
    if args.engine.name() != EngineName::Reference {
        return patience.watch(|watch| solve::each(question, &options, watch));
    }
    let goals = patience.watch(|watch| reference::each(question, Ties::First, watch))?;
    Ok(Shares {
        roles: players(question),
        goals,
        chooser: None,
        moves: Vec::new(),
        tied: None,
        cut: None,
        counts: Counts::default(),
    })
}

fn players(question: &Question) -> Vec<String> {
    question.players().map(|role| question.rulebook.role_name(role).to_owned()).collect()
}

impl Outcome {
    fn new(
        args: &SolveArgs,
        game: &str,
        question: &Question,
        ended: Result<Shares, Halt>,
        time: Duration,
    ) -> Self {
        let name = |role| question.rulebook.role_name(role).to_owned();
        let reference = args.engine.name() == EngineName::Reference;
        Self {
            game: game.to_owned(),
            chance: question.chance.iter().map(name).collect(),
            horizon: question.horizon,
            roles: players(question),
            engine: if reference { "reference" } else { "search" },
            ended,
            time,
        }
    }

    fn counts(&self) -> Counts {
        self.ended.as_ref().map_or_else(|halt| halt.counts, |shares| shares.counts)
    }
}

fn row(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{label:<LABEL_WIDTH$}{text}")
}

fn write(out: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    row(out, "game", &visible(&outcome.game))?;
    row(out, "question", &question(outcome))?;
    match &outcome.ended {
        Ok(shares) => write_shares(out, shares)?,
        Err(_) => row(out, "goals", "not known")?,
    }
    let counts = outcome.counts();
    if let Some(states) = counts.states {
        let stored = show_count(counts.stored);
        row(out, "states", &format!("{} distinct, {stored} stored", show_count(states)))?;
    }
    let peak = store::peak_bytes();
    let memory = peak.map(|peak| format!(", {} of memory at the peak", show_size(peak)));
    let memory = memory.unwrap_or_default();
    row(out, "time", &format!("{}{memory}, by {}", show_duration(outcome.time), outcome.engine))
}

fn question(outcome: &Outcome) -> String {
    let mut text = "the goals of all roles, each playing for its own".to_owned();
    if let Some(steps) = outcome.horizon {
        text += &format!(", within {}", counted(steps.into(), "step"));
    }
    if !outcome.chance.is_empty() {
        text += &format!("; chance: {}", outcome.chance.join(" and "));
    }
    text
}

fn write_shares(out: &mut dyn Write, shares: &Shares) -> io::Result<()> {
    let width = shares.roles.iter().map(|role| role.chars().count()).max().unwrap_or(0);
    for (place, (role, goal)) in shares.roles.iter().zip(&shares.goals).enumerate() {
        let label = if place == 0 { "goals" } else { "" };
        row(out, label, &format!("{role:<width$}  {}", number::both(goal)))?;
    }
    let width = shares.moves.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
    for (place, line) in shares.moves.iter().enumerate() {
        let star = if line.taken { '*' } else { ' ' };
        let each = shares.roles.iter().zip(&line.goals);
        let goals: Vec<String> =
            each.map(|(role, goal)| format!("{role} {}", number::plain_decimal(goal))).collect();
        let text = format!("{star} {:<width$}  {}", line.text, goals.join(", "));
        row(out, if place == 0 { "moves" } else { "" }, &text)?;
    }
    match &shares.chooser {
        Some(role) => row(out, "", &format!("(moves of {role})")),
        None => Ok(()),
    }
}

fn notes(outcome: &Outcome) -> Vec<String> {
    match &outcome.ended {
        Err(halt) => {
            vec![format!("there is no answer: {}", reason(&halt.reason).1), halt.advice.clone()]
        }
        Ok(shares) => {
            let ties = "of equally good moves a role takes the one that is listed first";
            let matters = match shares.tied {
                Some(true) => "; some goals here may rest on that rule",
                Some(false) => "; no goal here rests on that rule",
                None => "",
            };
            let cut = "some play that is followed is unfinished at the horizon and pays nobody";
            let cut = (shares.cut == Some(true)).then(|| cut.to_owned());
            [format!("{ties}{matters}")].into_iter().chain(cut).collect()
        }
    }
}

/// The answer for a program.
#[derive(Serialize)]
struct SharesObject {
    game: String,
    players: &'static str,
    roles: Vec<String>,
    goals: Option<Vec<String>>,
    decimals: Option<Vec<f64>>,
    chance: Vec<String>,
    horizon: Option<u32>,
    cut: Option<bool>,
    engine: &'static str,
    chooser: Option<String>,
    moves: Vec<MoveObject>,
    ties: &'static str,
    tied: Option<bool>,
    states: Option<u64>,
    decision_states: Option<u64>,
    stored: u64,
    plies: Option<u32>,
    seconds: f64,
    peak_bytes: Option<u64>,
    halt: Option<HaltObject>,
}

#[derive(Serialize)]
struct MoveObject {
    r#move: String,
    goals: Vec<String>,
    taken: bool,
}

impl From<&Outcome> for SharesObject {
    fn from(outcome: &Outcome) -> Self {
        let shares = outcome.ended.as_ref().ok();
        let counts = outcome.counts();
        let texts = |goals: &[exact::Ratio]| goals.iter().map(ToString::to_string).collect();
        let decimals = |shares: &Shares| shares.goals.iter().map(exact::Ratio::to_f64).collect();
        let moves = shares.map_or(&[][..], |shares| &shares.moves).iter();
        let moves = moves.map(|line| MoveObject {
            r#move: line.text.clone(),
            goals: texts(&line.goals),
            taken: line.taken,
        });
        Self {
            game: outcome.game.clone(),
            players: "each",
            roles: outcome.roles.clone(),
            goals: shares.map(|shares| texts(&shares.goals)),
            decimals: shares.map(decimals),
            chance: outcome.chance.clone(),
            horizon: outcome.horizon,
            cut: shares.and_then(|shares| shares.cut),
            engine: outcome.engine,
            chooser: shares.and_then(|shares| shares.chooser.clone()),
            moves: moves.collect(),
            ties: "first-listed",
            tied: shares.and_then(|shares| shares.tied),
            states: counts.states,
            decision_states: counts.decision_states,
            stored: counts.stored,
            plies: counts.plies,
            seconds: outcome.time.as_secs_f64(),
            peak_bytes: store::peak_bytes(),
            halt: outcome.ended.as_ref().err().map(HaltObject::from),
        }
    }
}
