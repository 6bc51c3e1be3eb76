//! What is done about a disagreement: the way to the state where two engines part, and on demand
//! the game cut down to a small one that still shows it, in a file that says how to ask again.
//!
//! Both end at an interrupt with what is known by then: the state reached, the smallest game so far.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crosscheck::{Case, Difference, Effort, Parting, Shrunk, part, quarrel, shrink};
use serde::Serialize;
use verdict::{Engine, Objective, Question};

use crate::args::CrosscheckArgs;
use crate::asking::Patience;
use crate::failure::Failure;
use crate::interrupt;
use crate::report::visible::visible;

/// Time for the walk to the state where engines part.
const WALK_TIME: Duration = Duration::from_secs(120);
/// Time for shrinking, and how many games are tried.
const SHRINK_TIME: Duration = Duration::from_secs(300);
const SHRINK_ATTEMPTS: u32 = 20_000;
/// Time of one engine for one question on the way; less where the user says so.
const ASK_TIME: Duration = Duration::from_secs(10);
const _: () = assert!(ASK_TIME.as_secs() < SHRINK_TIME.as_secs());

/// What is known of a disagreement.
pub(super) struct Pursued {
    parting: Option<Parting>,
    /// What was cut down, and how many games were tried.
    shrunk: Option<Shrunk>,
    /// Where it was written.
    pub(super) path: Option<String>,
}

/// The state where two engines part, for programs.
#[derive(Serialize)]
pub(super) struct PartedObject {
    moves: Vec<String>,
    state: String,
    disagreement: String,
    all_next_agree: bool,
}

/// Refuses a folder that is not there, before anything is compared.
pub(super) fn check(args: &CrosscheckArgs) -> Result<(), Failure> {
    match &args.shrink {
        Some(folder) if !folder.is_dir() => {
            let message = format!("--shrink {}: there is no such folder", folder.display());
            Err(Failure::input("missing-folder", message).note("make it, or name another one"))
        }
        _ => Ok(()),
    }
}

/// Follows a disagreement; writes the game cut down where that is asked for.
pub(super) fn pursue(
    game: &str,
    question: &Question,
    difference: &Difference,
    engines: &[&dyn Engine],
    args: &CrosscheckArgs,
) -> Result<Pursued, Failure> {
    let (left, right) = difference.engines;
    let pair = [engines[left], engines[right]];
    let time = Some(args.limits.time.map_or(ASK_TIME, |time| time.min(ASK_TIME)));
    let memory = args.limits.memory;
    let patience = Patience { started: Instant::now(), time, memory, shown: false };
    let parting = patience.watch(|watch| part(question, pair, watch, WALK_TIME));
    let mut pursued = Pursued { parting, shrunk: None, path: None };
    if let Some(folder) = &args.shrink {
        let effort =
            Effort { attempts: SHRINK_ATTEMPTS, time: SHRINK_TIME, interrupt: interrupt::flag() };
        let mut shows =
            |case: &Case| patience.watch(|watch| quarrel(case, pair, difference.aspect, watch));
        let shrunk = shrink(Case::new(question), effort, &mut shows);
        let head = format!("cut down from {}: {difference}", visible(game));
        pursued.path = Some(write(
            &folder.join(file_name(game, &shrunk.case.role)),
            &head,
            &shrunk.case,
            args,
        )?);
        pursued.shrunk = Some(shrunk);
    }
    Ok(pursued)
}

/// Writes a case with the line that asks again; where.
fn write(path: &Path, head: &str, case: &Case, args: &CrosscheckArgs) -> Result<String, Failure> {
    let shown = path.display().to_string();
    let mut flags = flags(case);
    let sheet = &args.sheet;
    for (flag, is_given) in [
        ("--case-sensitive", sheet.case_sensitive),
        ("--perfect-information", sheet.perfect_information),
    ] {
        flags += &if is_given { format!(" {flag}") } else { String::new() };
    }
    let text = format!("; {head}\n; oddsmith crosscheck {shown} {flags}\n{}", case.rulebook);
    store::write_file(path, text.as_bytes())
        .map_err(|error| Failure::Environment(format!("cannot write {shown}: {error}")))?;
    Ok(shown)
}

/// A name of letters, digits and dashes.
fn file_name(game: &str, role: &str) -> String {
    let stem = Path::new(game).file_stem().map_or("game".into(), |stem| stem.to_string_lossy());
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("{stem}-{role}").chars().map(plain).collect::<String>() + ".gdl"
}

/// The question as flags.
fn flags(case: &Case) -> String {
    let mut text = format!("--role '{}'", case.role);
    if case.objective == Objective::Goal {
        text += " --objective goal";
    }
    if let Some(steps) = case.horizon {
        text += &format!(" --horizon {steps}");
    }
    let named = case.chance.iter().filter(|role| *role != "random");
    text + &named.map(|role| format!(" --chance '{role}'")).collect::<String>()
}

impl Pursued {
    /// Prints what is known.
    pub(super) fn show(&self, out: &mut dyn Write) -> Result<(), Failure> {
        if let Some(parting) = &self.parting {
            show_parting(out, parting)?;
        }
        if let (Some(shrunk), Some(path)) = (&self.shrunk, &self.path) {
            let rules = shrunk.case.rulebook.rules.len();
            let ended = if shrunk.is_done { "" } else { ", ended before nothing could be cut" };
            writeln!(
                out,
                "  cut down to {rules} rules in {} ({} games tried{ended})",
                visible(path),
                shrunk.attempts
            )?;
        }
        Ok(out.flush()?)
    }

    /// The state where they part.
    pub(super) fn parted(&self) -> Option<PartedObject> {
        let parting = self.parting.as_ref()?;
        Some(PartedObject {
            moves: parting.moves.clone(),
            state: parting.state.clone(),
            disagreement: parting.difference.to_string(),
            all_next_agree: parting.is_last,
        })
    }
}

fn show_parting(out: &mut dyn Write, parting: &Parting) -> Result<(), Failure> {
    match parting.moves.len() {
        0 => writeln!(out, "  they part where play begins, in")?,
        _ => writeln!(out, "  they part after these moves:")?,
    }
    for (step, joint) in parting.moves.iter().enumerate() {
        writeln!(out, "    {}. {}", step + 1, visible(joint))?;
    }
    if !parting.moves.is_empty() {
        writeln!(out, "  in")?;
    }
    writeln!(out, "    {}", visible(&parting.state))?;
    for row in &parting.rows {
        writeln!(out, "    {}: {}", row.engine, row.result_text())?;
    }
    let after = match parting.is_last {
        true => "on all states that follow they agree",
        false => "the search for a later state was ended early",
    };
    Ok(writeln!(out, "  {}; {after}", parting.difference)?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clap::Parser;
    use crosscheck::reference::Reference;
    use exact::Ratio;
    use verdict::{Stop, Verdict, Watch};

    use super::*;
    use crate::args::{Cli, Command};

    /// The reference, wrong wherever the coin shows heads.
    struct Planted;

    impl Engine for Planted {
        fn name(&self) -> &str {
            "planted"
        }

        fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
            let mut verdict = Reference.judge(question, watch)?;
            let names = &question.rulebook.symbols;
            let mut terms = question.from.iter().flatten();
            let is_wrong = question.from.is_none()
                || terms.any(|term| gdl::term_text(term, names) == "(shows heads)");
            if is_wrong {
                verdict.value = Ratio::new(1u8, 7u8);
            }
            Ok(verdict)
        }
    }

    const COIN: &str = "(role x) (role random) (init start) (side heads) (side tails)
        (legal x noop) (<= (legal random (toss ?s)) (side ?s))
        (<= (next (shows ?s)) (does random (toss ?s)) (true start))
        (<= terminal (true (shows ?s))) (<= (goal x 100) (true (shows heads)))
        (<= (goal x 0) (true (shows tails)))";

    fn question() -> Question {
        let reading = gdl::read(gdl::Source::new("coin", COIN), &gdl::ReadOptions::default());
        Question::new(Arc::new(reading.rulebook.expect("a sheet"))).expect("a player")
    }

    #[test]
    fn a_disagreement_is_followed_and_cut_down_to_a_file_that_says_how_to_ask_again() {
        let folder = std::env::temp_dir();
        let game = format!("coin-{}.gdl", std::process::id());
        let line = format!("oddsmith crosscheck coin.gdl --shrink {}", folder.display());
        let cli = Cli::try_parse_from(line.split(' ')).expect("a command line");
        let Some(Command::Crosscheck(args)) = cli.command else { panic!("another command") };
        let engines: [&dyn Engine; 2] = [&Reference, &Planted];
        let patience = Patience { started: Instant::now(), time: None, memory: None, shown: false };
        let agreement = patience.watch(|watch| crosscheck::agree(&question(), &engines, watch));
        let difference = agreement.disagreement.expect("one is wrong");
        let pursued = pursue(&game, &question(), &difference, &engines, &args).expect("a file");
        let mut out = Vec::new();
        pursued.show(&mut out).expect("a vector can be written to");
        let text = String::from_utf8(out).expect("text");
        let words = [
            "    1. (x noop) (random (toss heads))",
            "(shows heads)",
            "planted: 1/7",
            "they agree",
        ];
        words.iter().for_each(|word| assert!(text.contains(word), "{word} is not in {text}"));
        let path = pursued.path.clone().expect("it was written");
        let written = std::fs::read_to_string(&path).expect("the file is there");
        assert!(
            written.contains(&format!("; oddsmith crosscheck {path} --role 'x'\n")),
            "{written}"
        );
        let rules = written.lines().filter(|line| !line.starts_with(';')).count();
        assert!(rules < 7, "{rules} rules:\n{written}");
        let object = pursued.parted().expect("they part");
        assert!(object.all_next_agree && object.moves.len() == 1);
        std::fs::remove_file(&path).expect("the file can go");
    }

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(file_name("../a b/my game.gdl", "x|y"), "my-game-x-y.gdl");
        assert_eq!(file_name("<stdin>", "x"), "-stdin--x.gdl");
    }
}
