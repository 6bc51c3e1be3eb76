//! `oddsmith check`: everything that is wrong with a sheet, at once, and how the game plays.
//!
//! Reading finds the faults of the text and what is odd about it; grounding, which follows only
//! where reading found no error, finds domains that grow and goals out of range; then some thousand
//! random plays from a fixed seed find roles without a move, ends without a goal and plays that go
//! on. Each sheet has the time limit for itself. What a limit kept from being done is said: the
//! status is 1 where the game could not be built. A file that cannot be read counts as a fault of
//! that file and does not keep the others from being checked.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gdl::{Diagnostic, RoleId, Rulebook, Severity, Source};
use ground::GroundLimits;
use kernel::{Example, Flawed, Survey, SurveyPlan};
use net::Net;
use verdict::{Fault, HaltReason};

use super::write_object;
use crate::args::CheckArgs;
use crate::asking::Patience;
use crate::failure::{Failure, Status};
use crate::quantity::counted;
use crate::report::checked::{self, Checked, Finding, Plays, Size};
use crate::report::{answer, trouble};
use crate::{memory, reading, sheet};

/// Warnings of the text that an error of the game says better: their code and the error's.
const SAID_TWICE: &[(&str, &str)] =
    &[("goal-range", "goal-out-of-range"), ("role-without-move", "no-legal-move")];

/// Checks all sheets.
pub(crate) fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    let mut status = Status::Answered;
    let mut sheets = Vec::new();
    for path in &args.games.games {
        let held = check(path, args)?;
        status = status.max(status_of(&held));
        if args.json {
            sheets.push(held);
        } else {
            out.write_all(checked::text(&held).as_bytes())?;
            // A sheet is reported before the next is worked on.
            out.flush()?;
        }
    }
    if args.json {
        write_object(out, &checked::object(sheets))?;
    }
    Ok(status)
}

fn status_of(held: &Checked) -> Status {
    match (held.refused, held.size) {
        (true, _) => Status::Input,
        (false, None) => Status::Halted,
        (false, Some(_)) => Status::Answered,
    }
}

/// One sheet.
fn check(path: &Path, args: &CheckArgs) -> Result<Checked, Failure> {
    let patience = Patience {
        started: Instant::now(),
        time: Some(args.limits.time),
        memory: args.limits.memory,
        shown: false,
    };
    let mut held = Checked {
        source: Source::new(&sheet::name(path), ""),
        findings: Vec::new(),
        size: None,
        plays: None,
        limits: Vec::new(),
        read: false,
        refused: true,
    };
    match sheet::open(path) {
        Ok(source) => held.source = source,
        Err(Failure::Input(complaint)) => {
            let fault = Diagnostic::error(complaint.code, complaint.message);
            let fault = complaint.notes.into_iter().fold(fault, Diagnostic::note);
            held.findings.push(fault.into());
            return Ok(held);
        }
        Err(other) => return Err(other),
    }
    fill(&mut held, args, &patience)?;
    let worst = if args.strict { Severity::Warning } else { Severity::Error };
    held.refused = held.findings.iter().any(|finding| finding.diagnostic.severity >= worst);
    debug_assert!(held.passed() || !held.findings.is_empty() || !held.limits.is_empty());
    Ok(held)
}

/// Reads, builds and plays, as far as the sheet and the limits allow.
fn fill(held: &mut Checked, args: &CheckArgs, patience: &Patience) -> Result<(), Failure> {
    let (source, sheet_args, strict) = (held.source.clone(), args.sheet.clone(), args.strict);
    let read = move || Ok(sheet::interpret(&source, &sheet_args, strict, true));
    let reading = match reading::within(patience, read) {
        Err(Failure::Unread(reason)) => {
            held.stopped("the sheet was read", &reason);
            return Ok(());
        }
        done => done?,
    };
    held.read = true;
    held.findings.extend(reading.diagnostics.into_iter().map(Finding::from));
    let Some(rulebook) = reading.rulebook else { return Ok(()) };
    if !args.sheet.perfect_information && !gdl::complete_information(&rulebook) {
        held.findings.push(hidden().into());
    }
    let names: Vec<String> =
        rulebook.roles.ids().map(|role| rulebook.role_name(role).to_owned()).collect();
    let Some(net) = held.build(rulebook, args, patience)? else { return Ok(()) };
    held.size = Some(Size::of(&net));
    if args.plays.playouts > 0 {
        held.play(&Arc::new(net), &names, args, patience);
    }
    Ok(())
}

fn hidden() -> Diagnostic {
    let message = "`sees` does not show every role every move: information is hidden";
    let fault = note("hidden-information", message);
    fault.note("`solve` answers only with `--perfect-information`, as if everything were seen")
}

fn note(code: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Note, ..Diagnostic::warning(code, message) }
}

impl Checked {
    /// Remembers that a limit was met before something was done.
    fn stopped(&mut self, before: &str, reason: &HaltReason) {
        let why = answer::reason(reason).1;
        self.limits.push(format!("{why} before {before}; what comes after is not checked"));
    }

    /// The network, unless the rules are at fault or a limit is met.
    fn build(
        &mut self,
        rulebook: Rulebook,
        args: &CheckArgs,
        patience: &Patience,
    ) -> Result<Option<Net>, Failure> {
        let limit = args.sheet.ground_limit;
        let deadline = patience.started.checked_add(args.limits.time);
        let work = move || {
            let mut limits = GroundLimits { deadline, ..GroundLimits::default() };
            if let Some(limit) = limit {
                limits.atoms = usize::try_from(limit).unwrap_or(usize::MAX);
            }
            let rules = super::translate::ground_within(&rulebook, &limits);
            let built = rules.and_then(|rules| super::translate::lower(&rules));
            // Taking a huge rulebook apart takes longer than all that follows.
            std::mem::forget(rulebook);
            Ok(built)
        };
        let reason = match reading::within(patience, work) {
            Ok(Ok(net)) => return Ok(Some(net)),
            Ok(Err(fault)) if fault.code != "time" => {
                self.refuse(&fault);
                return Ok(None);
            }
            Ok(Err(_)) => HaltReason::Time,
            Err(Failure::Unread(reason)) => reason,
            Err(other) => return Err(other),
        };
        self.stopped("the game was built", &reason);
        Ok(None)
    }

    /// Adds a fault that grounding found; a warning that said the same goes.
    fn refuse(&mut self, fault: &Fault) {
        let error = trouble::diagnostic(fault);
        let place = error.labels.first().map(|label| label.span);
        self.findings.retain(|finding| {
            let said = &finding.diagnostic;
            let there = said.labels.first().map(|label| label.span);
            let inside = there.zip(place).is_some_and(|(there, rule)| rule.cover(there) == rule);
            let same = SAID_TWICE.contains(&(said.code, fault.code));
            !(same && (inside || said.code == "role-without-move"))
        });
        self.findings.push(error.into());
    }

    /// Plays at random and adds what that shows.
    fn play(&mut self, net: &Arc<Net>, names: &[String], args: &CheckArgs, patience: &Patience) {
        let wanted = &args.plays;
        let plan =
            SurveyPlan { plays: wanted.playouts, steps: wanted.steps as usize, seed: wanted.seed };
        let survey = kernel::survey(net, &plan, &|| patience.over().is_none());
        if survey.stopped {
            let reason = patience.over().unwrap_or(HaltReason::Time);
            let why = answer::reason(&reason).1;
            self.limits
                .push(format!("{why} after {} of {} random plays", survey.plays, wanted.playouts));
        }
        self.findings.extend(flaws(&survey, net, names));
        if survey.plays > 0 {
            self.plays = Some(Plays::of(&survey, net, plan.seed));
        }
    }
}

/// What the plays showed to be wrong.
fn flaws(survey: &Survey, net: &Net, names: &[String]) -> Vec<Finding> {
    assert_eq!(names.len(), survey.roles.len(), "a name for each role");
    let mut found = Vec::new();
    for (role, name) in survey.roles.ids().zip(names) {
        found.extend(role_flaws(survey, net, role, name));
    }
    if survey.unfinished > 0 {
        let (count, all) = (survey.unfinished, survey.plays);
        let steps = survey.lengths.len() - 1;
        let limit = counted(steps as u64, "step");
        let fault = note(
            "unfinished-play",
            format!("{count} of {all} random plays did not end within {limit}"),
        );
        found.push(
            fault
                .note("`solve` takes such a game: a play without an end is worth 0 to everybody")
                .note("to make it finite, count the steps in the state and end at a limit; `--steps` plays longer here")
                .into(),
        );
    }
    found
}

fn role_flaws(survey: &Survey, net: &Net, role: RoleId, name: &str) -> Vec<Finding> {
    let held = &survey.roles[role];
    let mut found = Vec::new();
    let mut tell = |flawed: &Flawed, fault: Diagnostic| {
        if flawed.plays > 0 {
            let often = format!("met in {} of {} random plays", flawed.plays, survey.plays);
            found.push(shown(fault.note(often), &flawed.examples, net));
        }
    };
    tell(
        &held.stuck,
        Diagnostic::error(
            "no-legal-move",
            format!("role `{name}` has no legal move in a reachable state that is not terminal"),
        )
        .note("give every role a legal move wherever the game goes on (often `noop`), or make the state terminal"),
    );
    let values = held.ambiguous.examples.first().map(|example| goals_in(net, example, role));
    tell(
        &held.ambiguous,
        Diagnostic::error(
            "several-goals",
            format!(
                "goal not unique: role `{name}` has several goal values in a terminal state: {}",
                values.unwrap_or_default()
            ),
        )
        .note("make the conditions of the goals exclude each other"),
    );
    if name != "random" {
        tell(
            &held.goalless,
            Diagnostic::warning(
                "no-goal-value",
                format!("role `{name}` has no goal value in a terminal state"),
            )
            .note("it counts as not won, and `--objective goal` refuses it: say what the state is worth"),
        );
    }
    found
}

/// The goal values of a role in a state, as text.
fn goals_in(net: &Net, example: &Example, role: RoleId) -> String {
    let state = example.state.iter().copied().collect();
    let view = net::interpret::view(net, &state);
    view.goals[role].iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

fn shown(diagnostic: Diagnostic, examples: &[Example], net: &Net) -> Finding {
    let text = |example: &Example| {
        let facts: Vec<&str> = example.state.iter().map(|base| net.bases[*base].as_str()).collect();
        match facts.as_slice() {
            [] => "(nothing is true)".to_owned(),
            _ => facts.join(" "),
        }
    };
    Finding { diagnostic, states: examples.iter().map(text).collect() }
}
