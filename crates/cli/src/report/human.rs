//! An answer for people: aligned, the value first, then every first move, then what it cost.

use std::io::{self, Write};

use verdict::Objective;

use super::answer::{Answer, Asked, Ended, Kept, MoveLine, reason};
use super::number;
use super::visible::visible;
use crate::quantity::{counted, show_count, show_duration, show_size};

/// Width of the names on the left.
const LABEL_WIDTH: usize = 10;
/// Significant digits of an estimate.
const GUESS_DIGITS: usize = 4;

/// Writes an answer.
pub(crate) fn write(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    row(out, "game", &visible(&answer.asked.game))?;
    row(out, "question", &question(&answer.asked))?;
    write_value(out, answer)?;
    write_moves(out, answer)?;
    row(out, "states", &counts(answer))?;
    row(out, "time", &costs(answer))?;
    if let Some(Kept { file, entries, bytes }) = &answer.table {
        let (file, entries) = (visible(file), show_count(*entries));
        row(out, "table", &format!("{file}: {entries} entries, {} bytes", show_count(*bytes)))?;
    }
    for (place, audited) in answer.audit.iter().flatten().enumerate() {
        row(out, if place == 0 { "audit" } else { "" }, &audited.text())?;
    }
    Ok(())
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
                notes.push(simultaneous_note(answer.asked.who()));
            }
            if verdict.counts.states.is_some() && verdict.counts.plies.is_none() {
                notes.push(
                    "plays can come back to a state: endless play counts as 0, so a best move that \
                     only comes back must not be made for ever"
                        .to_owned(),
                );
            }
            if !verdict.checked {
                notes.push(format!("well-formedness not checked; {}", checked_by(answer)));
            }
        }
    }
    notes
}

/// That both sides choose in one step, and what the value is then.
pub(crate) fn simultaneous_note(role: &str) -> String {
    format!(
        "{role} and an opponent choose in the same step: the opponent is taken to see {role}'s \
         choice, so this is a lower bound for the simultaneous game"
    )
}

/// How well-formedness is checked: only where an engine visits states.
fn checked_by(answer: &Answer) -> &'static str {
    if answer.asked.engine.starts_with("symbolic") {
        "the other engines do so with --check"
    } else {
        "--check visits every state"
    }
}

fn row(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    debug_assert!(label.len() < LABEL_WIDTH, "a name and a blank fit");
    writeln!(out, "{label:<LABEL_WIDTH$}{text}")
}

/// `the probability that x wins, against o, within 6 steps; chance: random`.
pub(crate) fn question(asked: &Asked) -> String {
    let mut text = match asked.objective {
        Objective::Win => format!("the probability that {} wins", asked.who()),
        Objective::Goal => format!("the goal value of {}, over 100", asked.who()),
    };
    if !asked.opponents.is_empty() {
        text += &format!(", against {}", asked.opponents.join(" and "));
    }
    if let Some(steps) = asked.horizon {
        text += &format!(", within {}", counted(steps.into(), "step"));
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
    assert!(lower <= upper, "bounds in order");
    let Some(value) = answer.value() else {
        let digits = number::digits_apart(lower, upper);
        let both = |bound| {
            format!("{} {}", number::fraction(bound), number::signed(bound, digits))
                .trim_end()
                .to_owned()
        };
        row(out, "value", &format!("at least {}", both(lower)))?;
        row(out, "", &format!("at most  {}", both(upper)))?;
        row(out, "", &format!("width    {}", number::decimal(&(upper - lower))))?;
        return write_estimate(out, answer);
    };
    let is_bound = matches!(&answer.ended, Ended::Exact(verdict) if verdict.simultaneous);
    let at_least = if is_bound { "at least " } else { "" };
    row(out, "value", &format!("{at_least}{}", number::both(value)))?;
    if answer.asked.objective == Objective::Goal {
        row(out, "goal", &number::both(&value.times(100)))?;
    }
    Ok(())
}

/// The guess beside the bounds, and that it is one.
fn write_estimate(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    let Some(estimate) = answer.estimate() else { return Ok(()) };
    let steps = counted(estimate.depth.into(), "step");
    let (value, by) = (guessed(&estimate.value), estimate.evaluator);
    row(out, "estimate", &format!("{value} by {by}, {steps} ahead; nothing is proven of it"))
}

/// A guess, of so many digits as it may deserve.
fn guessed(value: &exact::Ratio) -> String {
    format!("≈ {}", value.decimal(GUESS_DIGITS))
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
        let guess =
            line.guessed.map_or(String::new(), |value| format!("  estimate {}", guessed(value)));
        let shown = format!("{shown:<0$}{guess}", shown_width(&texts, name_width, value_width));
        row(out, if place == 0 { "moves" } else { "" }, shown.trim_end())?;
    }
    if let Some(text) = answer.leading() {
        let by = if answer.estimate().is_some() { "the estimate" } else { "the bounds" };
        row(out, "so far", &format!("{text} looks best, by {by}"))?;
    }
    let choosers = answer.choosers();
    if choosers.iter().any(|role| *role != answer.asked.who()) {
        row(out, "", &format!("(moves of {})", choosers.join(" and ")))?;
    }
    Ok(())
}

/// Width of the columns before a move's estimate.
fn shown_width(texts: &[(String, String)], name_width: usize, value_width: usize) -> usize {
    let second = texts.iter().map(|(_, second)| second.chars().count()).max().unwrap_or(0);
    2 + name_width + 2 + value_width + 2 + second
}

/// Fraction and decimal; for an unknown value the two bounds.
fn value_columns(line: &MoveLine<'_>) -> (String, String) {
    if line.lower == line.upper {
        return (number::fraction(line.lower), number::decimal_beside(line.lower));
    }
    let digits = number::digits_apart(line.lower, line.upper);
    (format!("from {}", line.lower.decimal(digits)), format!("to {}", line.upper.decimal(digits)))
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
    let apart = counts.apart.map_or(String::new(), |subgames| {
        format!("; summed over {} solved apart", counted(subgames.into(), "subgame"))
    });
    parts.join(", ") + &apart
}

fn costs(answer: &Answer) -> String {
    let memory = answer
        .peak_bytes
        .map_or(String::new(), |bytes| format!(", {} of memory at the peak", show_size(bytes)));
    let backend = answer.asked.backend.map_or(String::new(), |backend| format!(" on {backend}"));
    let translation = answer
        .counts()
        .translation
        .map_or(String::new(), |time| format!(", {} of it translation", show_duration(time)));
    let time = show_duration(answer.time);
    format!("{time}{translation}{memory}, by {}{backend}", answer.asked.engine)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use exact::Ratio;
    use verdict::{BoundedMove, Counts, FirstMove, Halt, HaltReason, Verdict};

    use super::*;

    fn answer(ended: Ended) -> Answer {
        let asked = Asked {
            game: "g.gdl".to_owned(),
            role: Some("x".to_owned()),
            opponents: vec!["o".to_owned()],
            chance: vec!["random".to_owned()],
            objective: Objective::Win,
            horizon: Some(1),
            elsewhere: false,
            engine: "sweep",
            backend: Some("cpu"),
        };
        Answer {
            asked,
            ended,
            time: Duration::from_millis(21),
            peak_bytes: Some(3 << 20),
            audit: None,
            table: None,
            lost: None,
            profile: None,
        }
    }

    fn text(answer: &Answer) -> String {
        let mut out = Vec::new();
        write(&mut out, answer).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn half() -> Ratio {
        Ratio::new(1u8, 2u8)
    }

    #[test]
    fn an_exact_answer_stands_in_columns_with_its_best_moves_marked() {
        let first = |text: &str, value: Ratio| FirstMove { text: text.to_owned(), value };
        let verdict = Verdict {
            value: half(),
            choosers: vec!["x".to_owned()],
            moves: vec![first("(go left)", half()), first("stay", Ratio::new(1u8, 3u8))],
            cut: true,
            simultaneous: true,
            checked: false,
            counts: Counts { states: Some(1234), stored: 7, ..Counts::default() },
        };
        let answer = answer(Ended::Exact(verdict));
        let expected = "\
game      g.gdl
question  the probability that x wins, against o, within 1 step; chance: random
value     at least 1/2 = 0.5
moves     * (go left)  1/2  = 0.5
            stay       1/3  ≈ 0.333333333333
states    1,234 distinct, 7 stored
time      0.021 s, 3.0 MiB of memory at the peak, by sweep on cpu
";
        assert_eq!(text(&answer), expected);
        let notes = notes(&answer).join("\n");
        for part in ["unfinished at the horizon", "lower bound", "not checked"] {
            assert!(notes.contains(part), "{notes}");
        }
    }

    #[test]
    fn a_halt_shows_bounds_their_width_and_whose_moves_they_are() {
        let go = BoundedMove {
            text: "go".to_owned(),
            lower: Ratio::zero(),
            upper: half(),
            dominated: false,
        };
        let away = BoundedMove { text: "away".to_owned(), dominated: true, ..go.clone() };
        let halt = Halt {
            reason: HaltReason::Time,
            lower: Ratio::zero(),
            upper: half(),
            choosers: vec!["o".to_owned()],
            moves: vec![go, away],
            counts: Counts::default(),
            advice: "give more time".to_owned(),
            estimate: None,
        };
        let answer = answer(Ended::Halted(halt));
        let shown = text(&answer);
        for part in [
            "at least 0\n",
            "at most  1/2 = 0.5",
            "width    = 0.5",
            "* go    from 0  to 0.5",
            "  away  from 0  to 0.5",
            "(moves of o)",
            "so far    go looks best, by the bounds\n",
        ] {
            assert!(shown.contains(part), "`{part}` is not in\n{shown}");
        }
        assert_eq!(notes(&answer)[1], "give more time");
    }

    #[test]
    fn an_estimate_stands_beside_the_bounds_and_is_called_one() {
        let open = |text: &str| BoundedMove {
            text: text.to_owned(),
            lower: Ratio::zero(),
            upper: Ratio::one(),
            dominated: false,
        };
        let guess = |text: &str, value| FirstMove { text: text.to_owned(), value };
        let estimate = verdict::Estimate {
            evaluator: "rollout",
            depth: 3,
            value: Ratio::new(5u8, 7u8),
            moves: vec![guess("go", half()), guess("stay", Ratio::new(5u8, 7u8))],
        };
        let halt = Halt {
            reason: HaltReason::Depth,
            lower: Ratio::zero(),
            upper: Ratio::one(),
            choosers: vec!["x".to_owned()],
            moves: vec![open("go"), open("stay")],
            counts: Counts::default(),
            advice: String::new(),
            estimate: Some(estimate),
        };
        let shown = text(&answer(Ended::Halted(halt)));
        let expected = "\
value     at least 0
          at most  1
          width    = 1
estimate  ≈ 0.7143 by rollout, 3 steps ahead; nothing is proven of it
moves     * go    from 0  to 1  estimate ≈ 0.5
          * stay  from 0  to 1  estimate ≈ 0.7143
so far    stay looks best, by the estimate
";
        assert!(shown.contains(expected), "{shown}");
    }
}
