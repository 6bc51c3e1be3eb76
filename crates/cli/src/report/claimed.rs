//! The question that a table answers, as `verify` and `query` show it.

use std::io::{self, Write};

use exact::Ratio;
use serde::Serialize;
use table::{Side, Table, TableFault};
use verdict::Objective;

use super::answer::Asked;
use super::human;
use super::number;
use super::visible::visible;

/// The question in the file, whole: what is proven is an answer to this one and no other.
#[derive(Serialize)]
pub(crate) struct ClaimObject {
    role: String,
    objective: &'static str,
    horizon: Option<u32>,
    chance: Vec<String>,
    /// The facts of the state asked about; null where it is the one in which the game begins.
    from: Option<Vec<String>>,
    /// Whose policy the table holds; null where it holds the whole game.
    policy: Option<&'static str>,
}

impl ClaimObject {
    /// The question of a table.
    ///
    /// # Errors
    /// When the state asked about cannot be read.
    pub(crate) fn of(table: &Table) -> Result<Self, TableFault> {
        let claim = table.claim();
        let from = match claim.from_start {
            true => None,
            false => Some(table.root()?),
        };
        let names = table.layout().names();
        Ok(Self {
            role: claim.role.clone(),
            objective: match claim.objective {
                Objective::Win => "win",
                Objective::Goal => "goal",
            },
            horizon: claim.horizon,
            chance: claim.chance.clone(),
            from: from.map(|state| state.iter().map(|prop| names[*prop].clone()).collect()),
            policy: claim.policy.map(|side| match side {
                Side::Asked => "asked",
                Side::Opponents => "opponents",
            }),
        })
    }

    /// The question in a sentence; `opponents` where the rules tell them.
    pub(crate) fn sentence(&self, opponents: &[String]) -> String {
        let asked = Asked {
            game: String::new(),
            role: Some(self.role.clone()),
            opponents: opponents.to_vec(),
            chance: self.chance.clone(),
            objective: if self.objective == "win" { Objective::Win } else { Objective::Goal },
            horizon: self.horizon,
            elsewhere: self.from.is_some(),
            engine: "reference",
            backend: None,
        };
        visible(&human::question(&asked)).into_owned()
    }

    /// What a policy's table says of a value.
    pub(crate) fn bound(&self) -> Option<&'static str> {
        self.policy.map(|side| if side == "asked" { "at least" } else { "at most" })
    }

    /// The lines on the state asked about and on whose policy it is, where there is something to say.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(from) = &self.from {
            row(out, "from", &facts_text(from))?;
        }
        match self.policy {
            None => Ok(()),
            Some("asked") => row(out, "policy", &format!("of {}", visible(&self.role))),
            Some(_) => row(out, "policy", &format!("against {}", visible(&self.role))),
        }
    }
}

/// A value for people, with its bound where it is one.
pub(crate) fn value_text(bound: Option<&str>, value: &Ratio) -> String {
    let bound = bound.map_or(String::new(), |bound| format!("{bound} "));
    format!("{bound}{}", number::both(value))
}

/// The facts of a state in a line.
pub(crate) fn facts_text(facts: &[String]) -> String {
    if facts.is_empty() {
        return "(nothing is true)".to_owned();
    }
    visible(&facts.join(" ")).into_owned()
}

/// A line with its name on the left.
pub(crate) fn row(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{label:<10}{text}")
}
