//! What was asked and what came of it: the one record that both reports are written from.

use std::time::Duration;

use exact::Ratio;
use serde::Serialize;
use verdict::{Counts, Estimate, Halt, HaltReason, Objective, Question, Verdict};

use crate::args::SolveArgs;
use crate::audit::Row;
use crate::failure::Status;

/// The question in names, for people and programs.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The sheet as the user named it.
    pub(crate) game: String,
    /// The role asked about; none where the sheet was not read and the user named none.
    pub(crate) role: Option<String>,
    /// Roles that play against it.
    pub(crate) opponents: Vec<String>,
    /// Roles that play uniformly at random.
    pub(crate) chance: Vec<String>,
    /// Win or goal.
    pub(crate) objective: Objective,
    /// Number of steps, or none.
    pub(crate) horizon: Option<u32>,
    /// Whether it is asked from another state than the initial one.
    pub(crate) elsewhere: bool,
    /// Who answers.
    pub(crate) engine: &'static str,
    /// Where states are expanded; none for the reference.
    pub(crate) backend: Option<&'static str>,
}

impl Asked {
    /// Puts a question in names.
    pub(crate) fn new(game: &str, question: &Question, engine: &'static str) -> Self {
        assert!(!question.chance.contains(question.role), "chance has no odds to ask about");
        let name = |role| question.rulebook.role_name(role).to_owned();
        Self {
            game: game.to_owned(),
            role: Some(name(question.role)),
            opponents: question.opponents().map(name).collect(),
            chance: question.chance.iter().map(name).collect(),
            objective: question.objective,
            horizon: question.horizon,
            elsewhere: question.from.is_some(),
            engine,
            backend: backend(engine),
        }
    }

    /// The question as the flags put it, for a sheet that was not read in time.
    pub(crate) fn unread(game: &str, args: &SolveArgs) -> Self {
        let engine = args.engine.name().text();
        Self {
            game: game.to_owned(),
            role: args.question.role.clone(),
            opponents: Vec::new(),
            chance: args.question.chance.clone(),
            objective: args.question.objective.unwrap_or_default().into(),
            horizon: args.question.horizon,
            elsewhere: args.from.is_some(),
            engine,
            backend: backend(engine),
        }
    }

    /// The role asked about, for a sentence.
    pub(crate) fn who(&self) -> &str {
        self.role.as_deref().unwrap_or("the asked role")
    }

    /// `win` or `goal`.
    pub(crate) fn objective_text(&self) -> &'static str {
        match self.objective {
            Objective::Win => "win",
            Objective::Goal => "goal",
        }
    }
}

/// Where an engine expands states.
fn backend(engine: &str) -> Option<&'static str> {
    (engine != "reference").then_some("cpu")
}

/// How it ended.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    /// With an exact answer.
    Exact(Verdict),
    /// At a limit, with bounds.
    Halted(Halt),
}

/// A question, how it ended and what it cost.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The question.
    pub(crate) asked: Asked,
    /// The end.
    pub(crate) ended: Ended,
    /// Time from the start of the program (of this question, where several are asked).
    pub(crate) time: Duration,
    /// Largest resident size of the process.
    pub(crate) peak_bytes: Option<u64>,
    /// What was audited; none where no audit was asked for.
    pub(crate) audit: Option<Vec<Row>>,
    /// The table that was written; none where none was asked for, or there is no exact answer.
    pub(crate) table: Option<Kept>,
    /// Why it was not written, though there is an exact answer.
    pub(crate) lost: Option<Lost>,
    /// What a graphics device did, as text; none where it was not asked for.
    pub(crate) profile: Option<String>,
}

/// Why a table that was asked for is not there.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Lost {
    /// A stable short name.
    pub(crate) code: String,
    /// What is wrong.
    pub(crate) message: String,
    /// The exit status that it makes of an answer.
    #[serde(rename = "exit_status", serialize_with = "as_number")]
    pub(crate) status: Status,
}

impl Lost {
    /// What a person is told beside the answer.
    pub(crate) fn text(&self) -> String {
        format!("the table was not written: {}", self.message)
    }
}

fn as_number<S: serde::Serializer>(status: &Status, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u8(*status as u8)
}

/// A table that was written.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Kept {
    /// The file.
    pub(crate) file: String,
    /// Entries.
    pub(crate) entries: u64,
    /// Bytes of the file.
    pub(crate) bytes: u64,
}

/// A first move as both reports show it.
pub(crate) struct MoveLine<'a> {
    /// The move as GDL text.
    pub(crate) text: &'a str,
    /// The value is at least this.
    pub(crate) lower: &'a Ratio,
    /// The value is at most this; the same where it is known.
    pub(crate) upper: &'a Ratio,
    /// Whether it is best, or, after a halt, not dominated.
    pub(crate) best: bool,
    /// The guess at its value, where one was asked for.
    pub(crate) guessed: Option<&'a Ratio>,
}

impl Answer {
    /// Lower and upper bound; the same number where the answer is exact.
    pub(crate) fn bounds(&self) -> (&Ratio, &Ratio) {
        match &self.ended {
            Ended::Exact(verdict) => (&verdict.value, &verdict.value),
            Ended::Halted(halt) => (&halt.lower, &halt.upper),
        }
    }

    /// The exact value.
    pub(crate) fn value(&self) -> Option<&Ratio> {
        match &self.ended {
            Ended::Exact(verdict) => Some(&verdict.value),
            Ended::Halted(_) => None,
        }
    }

    /// The counts.
    pub(crate) fn counts(&self) -> Counts {
        match &self.ended {
            Ended::Exact(verdict) => verdict.counts,
            Ended::Halted(halt) => halt.counts,
        }
    }

    /// Whose first moves are shown.
    pub(crate) fn choosers(&self) -> &[String] {
        match &self.ended {
            Ended::Exact(verdict) => &verdict.choosers,
            Ended::Halted(halt) => &halt.choosers,
        }
    }

    /// The first moves in the order of the game's move table.
    pub(crate) fn moves(&self) -> Vec<MoveLine<'_>> {
        match &self.ended {
            Ended::Exact(verdict) => verdict
                .moves
                .iter()
                .map(|first| MoveLine {
                    text: &first.text,
                    lower: &first.value,
                    upper: &first.value,
                    best: first.value == verdict.value,
                    guessed: None,
                })
                .collect(),
            Ended::Halted(halt) => halt
                .moves
                .iter()
                .enumerate()
                .map(|(place, first)| MoveLine {
                    text: &first.text,
                    lower: &first.lower,
                    upper: &first.upper,
                    best: !first.dominated,
                    guessed: guessed(halt, place),
                })
                .collect(),
        }
    }

    /// The estimate beside the bounds.
    pub(crate) fn estimate(&self) -> Option<&Estimate> {
        match &self.ended {
            Ended::Exact(_) => None,
            Ended::Halted(halt) => halt.estimate.as_ref(),
        }
    }

    /// After a halt: the first move that looks best so far. By the estimate, where there is one;
    /// else by the bound that its chooser can be sure of, then by the other. None where nothing
    /// tells the moves apart, and where the bounds are what was asked for.
    pub(crate) fn leading(&self) -> Option<&str> {
        let Ended::Halted(halt) = &self.ended else { return None };
        if halt.reason == HaltReason::Approximate {
            return None;
        }
        let for_role = self.asked.role.as_ref().is_some_and(|role| halt.choosers == [role.clone()]);
        let open: Vec<MoveLine<'_>> = self.moves().into_iter().filter(|line| line.best).collect();
        if open.len() > 1 && open.windows(2).all(|two| rank(&two[0]) == rank(&two[1])) {
            return None;
        }
        // Of equals the first in the list.
        let leading = if for_role {
            open.iter().rev().max_by(|one, other| rank(one).cmp(&rank(other)))
        } else {
            let rank = rank_for_opponents;
            open.iter().min_by(|one, other| rank(one).cmp(&rank(other)))
        };
        leading.map(|line| line.text)
    }
}

/// The estimate of a first move.
fn guessed(halt: &Halt, place: usize) -> Option<&Ratio> {
    let estimate = halt.estimate.as_ref()?;
    let first = &estimate.moves[place];
    assert_eq!(first.text, halt.moves[place].text, "estimates come in the order of the moves");
    Some(&first.value)
}

/// How good a move looks to the asked role.
fn rank<'a>(line: &MoveLine<'a>) -> (Option<&'a Ratio>, &'a Ratio, &'a Ratio) {
    (line.guessed, line.lower, line.upper)
}

/// How good a move looks to its opponents: the smaller the better.
fn rank_for_opponents<'a>(line: &MoveLine<'a>) -> (Option<&'a Ratio>, &'a Ratio, &'a Ratio) {
    (line.guessed, line.upper, line.lower)
}

/// Why a solve halted, as a stable word and as a sentence.
pub(crate) fn reason(reason: &HaltReason) -> (&'static str, String) {
    match reason {
        HaltReason::Time => ("time", "the time limit was met".to_owned()),
        HaltReason::Memory { needed } => (
            "memory",
            format!(
                "the memory limit was met; the next step needs at least {}",
                crate::quantity::show_size(*needed)
            ),
        ),
        HaltReason::Interrupt => ("interrupt", "it was interrupted".to_owned()),
        HaltReason::Depth => ("depth", "the depth limit was met".to_owned()),
        HaltReason::Recurrence => (
            "recurrence",
            "a play can return to a state, which this engine does not value".to_owned(),
        ),
        HaltReason::Approximate => ("approximate", "bounds were asked for".to_owned()),
        HaltReason::Precision => {
            ("precision", "bounds are no narrower than 63 bits allow".to_owned())
        }
        HaltReason::LongFraction => {
            ("long-fraction", "the fraction is too long to be computed".to_owned())
        }
    }
}
