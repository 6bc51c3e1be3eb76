//! An answer for people: aligned, the value first, then every first move, then what it cost.

use std::io::{self, Write};

use verdict::Objective;

use super::answer::{Answer, Asked, Ended, MoveLine, reason};
use super::number;
use crate::quantity::{show_count, show_duration, show_size};

/// Width of the names on the left.
const LABEL_WIDTH: usize = 10;

/// Writes an answer.
pub(crate) fn write(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    row(out, "game", &answer.asked.game)?;
    row(out, "question", &question(&answer.asked))?;
    write_value(out, answer)?;
    write_moves(out, answer)?;
    row(out, "states", &counts(answer))?;
    row(out, "time", &costs(answer))
}

/// What a reader must know beside the number; goes to standard error.
pub(crate) fn notes(answer: &Answer) -> Vec<String> {
    let mut notes = Vec::new();
    match &answer.ended {
        Ended::Halted(halt) => {
            notes.push(format!("this is no exact answer: {}", reason(&halt.reason).1));
            if !halt.advice.is_empty() {
                notes.push(halt.advice.clone());
            }
        }
        Ended::Exact(verdict) => {
            if verdict.cut {
                notes.push("some play is unfinished at the horizon and counts as 0".to_owned());
            }
            if verdict.simultaneous {
                let role = &answer.asked.role;
                notes.push(format!(
                    "{role} and an opponent choose in the same step: the opponent is taken to see \
                     {role}'s choice, so this is a lower bound for the simultaneous game"
                ));
            }
            if !verdict.checked {
                notes.push("well-formedness not checked; --check visits every state".to_owned());
            }
        }
    }
    notes
}

fn row(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    writeln!(out, "{label:<LABEL_WIDTH$}{text}")
}

/// `the probability that x wins, against o, within 6 steps; chance: random`.
pub(crate) fn question(asked: &Asked) -> String {
    let mut text = match asked.objective {
        Objective::Win => format!("the probability that {} wins", asked.role),
        Objective::Goal => format!("the goal value of {}, over 100", asked.role),
    };
    if !asked.opponents.is_empty() {
        text += &format!(", against {}", asked.opponents.join(" and "));
    }
    if let Some(steps) = asked.horizon {
        text += &format!(", within {steps} step{}", if steps == 1 { "" } else { "s" });
    }
    if asked.elsewhere {
        text += ", from the given state";
    }
    if !asked.chance.is_empty() {
        text += &format!("; chance: {}", asked.chance.join(" and "));
    }
    text
}

fn write_value(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    let (lower, upper) = answer.bounds();
    let Some(value) = answer.value() else {
        row(out, "value", &format!("at least {}", number::both(lower)))?;
        row(out, "", &format!("at most  {}", number::both(upper)))?;
        return row(out, "", &format!("width    {}", number::decimal(&(upper - lower))));
    };
    row(out, "value", &number::both(value))?;
    if answer.asked.objective == Objective::Goal {
        row(out, "goal", &number::both(&value.times(100)))?;
    }
    Ok(())
}

/// Every first move on a line, best ones with a star, in columns.
fn write_moves(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    let moves = answer.moves();
    if moves.is_empty() {
        return Ok(());
    }
    let texts: Vec<(String, String)> = moves.iter().map(value_columns).collect();
    let name_width = moves.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
    let value_width = texts.iter().map(|(first, _)| first.chars().count()).max().unwrap_or(0);
    for (place, (line, (first, second))) in moves.iter().zip(&texts).enumerate() {
        let star = if line.best { '*' } else { ' ' };
        let text = line.text;
        let shown = format!("{star} {text:<name_width$}  {first:<value_width$}  {second}");
        row(out, if place == 0 { "moves" } else { "" }, shown.trim_end())?;
    }
    let choosers = answer.choosers();
    if choosers.iter().any(|role| *role != answer.asked.role) {
        row(out, "", &format!("(moves of {})", choosers.join(" and ")))?;
    }
    Ok(())
}

/// Fraction and decimal; for an unknown value the two bounds.
fn value_columns(line: &MoveLine<'_>) -> (String, String) {
    if line.lower == line.upper {
        return (number::fraction(line.lower), number::decimal(line.lower));
    }
    let decimal = number::plain_decimal;
    (format!("from {}", decimal(line.lower)), format!("to {}", decimal(line.upper)))
}

/// `18,753 distinct, 9,111 to decide, 9,111 stored, 18 plies`.
fn counts(answer: &Answer) -> String {
    let counts = answer.counts();
    let mut parts = Vec::new();
    if let Some(states) = counts.states {
        parts.push(format!("{} distinct", show_count(states)));
    }
    if let Some(states) = counts.decision_states {
        parts.push(format!("{} to decide", show_count(states)));
    }
    parts.push(format!("{} stored", show_count(counts.stored)));
    if let Some(plies) = counts.plies {
        parts.push(format!("{plies} {}", if plies == 1 { "ply" } else { "plies" }));
    }
    parts.join(", ")
}

fn costs(answer: &Answer) -> String {
    let memory = answer
        .peak_bytes
        .map_or(String::new(), |bytes| format!(", {} of memory at the peak", show_size(bytes)));
    let backend = answer.asked.backend.map_or(String::new(), |backend| format!(" on {backend}"));
    format!("{}{memory}, by {}{backend}", show_duration(answer.time), answer.asked.engine)
}
