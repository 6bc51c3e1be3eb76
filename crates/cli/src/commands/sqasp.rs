//! `oddsmith sqasp`: a logic program with quantified atoms in, its probability or its clauses out.

use std::io::Write;
use std::time::Instant;

use gdl::{Diagnostic, Label, Severity, Source, Span};
use qcnf::text::Dialect;
use sqasp::{
    Completion, GroundError, GroundProgram, Grounder, Message, Prefix, complete_within, read_aspif,
};
use verdict::{HaltReason, Watch};

use super::formula::{Answer, export};
use super::{print_notes, refuse_of_sdimacs, refuse_output, write_text};
use crate::args::{LimitArgs, ProgramForm, ReportArgs, SqaspArgs};
use crate::asking::Patience;
use crate::child::Clingo;
use crate::failure::{Failure, SheetFault, Status};
use crate::quantity::counted;
use crate::{audit, memory, sheet};

/// Said of a program without a quantifier, whose author may have written them otherwise.
const NOTHING_QUANTIFIED: &str = "nothing is quantified, so the probability is 1 where there is a \
    stable model and 0 where there is none; facts `_exists(L,A)`, `_forall(L,A)` and \
    `_chance(L,P,Q,A)` quantify atoms";

/// Answers, or writes the form asked for.
pub(crate) fn run(
    args: &SqaspArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    memory::check_limit(args.limits.memory)?;
    audit::check(args.report.audit)?;
    refuse_output(args.target.output.as_deref(), args.to.is_some())?;
    let is_sdimacs = args.to == Some(ProgramForm::Sdimacs);
    refuse_of_sdimacs(is_sdimacs, &[("--dialect", args.dialect.is_some())])?;
    let source = sheet::open_as("program", &args.file)?;
    if args.report.audit && source.text.starts_with(GROUND) {
        return Err(Failure::input("audit", "a ground program cannot be audited".to_owned()).note(
            "`--audit` draws stable models by clingo, which takes programs in its own language",
        ));
    }
    let output = args.target.output.as_deref();
    patience(&args.limits, &args.report, started).watch(|watch| {
        let ground = match ground(&source, ground_limit(args.ground_limit), watch)? {
            Ok(ground) => ground,
            Err(reason) if args.to.is_none() => {
                let answer = Answer::unread(&source.name, reason, started.elapsed());
                return answer.write(out, &args.report);
            }
            Err(reason) => return Err(Failure::Unread(reason)),
        };
        if args.to == Some(ProgramForm::Aspif) {
            write_text(out, output, &ground.to_string())?;
            return Ok(Status::Answered);
        }
        let (prefix, completion) = match clauses(&ground, args.placement.into(), &source, watch)? {
            Ok(made) => made,
            Err(reason) if args.to.is_none() => {
                let answer = Answer::unread(&source.name, reason, started.elapsed());
                return answer.write(out, &args.report);
            }
            Err(reason) => return Err(Failure::Unread(reason)),
        };
        if prefix.levels.is_empty() {
            print_notes(&[NOTHING_QUANTIFIED.to_owned()]);
        }
        match args.to {
            Some(ProgramForm::Qdimacs) => {
                export(&completion.formula, Dialect::Qdimacs, out, output)
            }
            Some(_) => {
                export(&completion.formula, args.dialect.unwrap_or_default().into(), out, output)
            }
            None => {
                let translated = started.elapsed();
                let formula = &completion.formula;
                let mut answer = Answer::find(&source.name, formula, false, translated, watch);
                if args.report.audit {
                    answer.audit = audited(&source, &ground, &prefix, &completion, watch)?;
                    answer.audit.extend(super::xssat::audited(formula, &answer, watch)?);
                }
                answer.write(out, &args.report)
            }
        }
    })
}

/// The limits of one command.
pub(crate) fn patience(args: &LimitArgs, report: &ReportArgs, started: Instant) -> Patience {
    Patience { started, time: args.time, memory: args.memory, shown: !report.json }
}

/// How many ground rules a program may have.
pub(crate) fn ground_limit(asked: Option<u64>) -> usize {
    let standard = solve::Options::default().ground_limit;
    asked.map_or(standard, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// What a program begins with that is ground already.
const GROUND: &str = "asp ";

/// Grounds a program, or reads a ground one in aspif; inside, the limit that was met.
pub(crate) fn ground(
    source: &Source,
    limit: usize,
    watch: &Watch<'_>,
) -> Result<Result<GroundProgram, HaltReason>, Failure> {
    let too_large = |rules: usize| {
        let said =
            format!("{} grounds to more than {}", source.name, counted(rules as u64, "rule"));
        Failure::input("ground-limit", said)
            .note("bound what grows, or allow more with --ground-limit")
    };
    if source.text.starts_with(GROUND) {
        let read = read_aspif(&source.text).map_err(|fault| {
            let place = Some((u32::try_from(fault.line).unwrap_or(u32::MAX), 1));
            refused(source, &[Message { place, end: None, text: fault.message }])
        });
        let ground = read?;
        // Tables have a row for each number, whether an atom has it or not.
        let largest = ground.atoms() - 1;
        if largest > limit {
            let said = format!("{} has an atom numbered {largest}, past {limit}", source.name);
            return Err(Failure::input("ground-limit", said)
                .note("number atoms without gaps, or allow more with --ground-limit"));
        }
        return if ground.len() > limit { Err(too_large(limit)) } else { Ok(Ok(ground)) };
    }
    match (Clingo { limit }).ground(&source.text, watch) {
        Ok(ground) => Ok(Ok(ground)),
        Err(GroundError::Stopped(reason)) => Ok(Err(reason)),
        Err(GroundError::Environment(lack)) => Err(Failure::Environment(lack)),
        Err(GroundError::TooLarge { rules }) => Err(too_large(rules)),
        Err(GroundError::Program(messages)) => Err(refused(source, &messages)),
    }
}

/// The clauses of a ground program, and the prefix that they stand under; inside, the limit that was
/// met.
pub(crate) fn clauses(
    ground: &GroundProgram,
    placement: sqasp::Placement,
    source: &Source,
    watch: &Watch<'_>,
) -> Result<Result<(Prefix, Completion), HaltReason>, Failure> {
    let prefix =
        Prefix::read_in(ground, &source.text).map_err(|messages| refused(source, &messages))?;
    let completion = complete_within(ground, &prefix, placement, watch);
    Ok(completion.map(|completion| (prefix, completion)))
}

/// Faults of a program, each with its place where it is known.
fn refused(source: &Source, messages: &[Message]) -> Failure {
    assert!(!messages.is_empty(), "a program is refused for a reason");
    let diagnostics = messages.iter().map(|message| diagnostic(source, message)).collect();
    Failure::Sheet(Box::new(SheetFault { source: source.clone(), diagnostics }))
}

fn diagnostic(source: &Source, message: &Message) -> Diagnostic {
    // Clingo's own names: of the text, and of what it adds to rules.
    let said = message.text.replace("<block>", &source.name);
    let said = said.replace(":-[#inc_base]", "").replace(";[#inc_base]", "");
    let mut lines = said.lines().map(str::trim_end);
    let first = lines.next().unwrap_or("clingo gave no reason").to_owned();
    let from = message.place.map(|place| offset(&source.text, place));
    let label = from.map(|from| {
        let to = message.end.map_or(from + 1, |end| offset(&source.text, end));
        let to = to.max(from + 1).min(source.text.len().max(from));
        Label { span: Span { start: from as u32, end: to as u32 }, text: String::new() }
    });
    Diagnostic {
        severity: Severity::Error,
        code: "program",
        message: first,
        labels: label.into_iter().collect(),
        notes: lines.filter(|line| !line.is_empty()).map(str::to_owned).collect(),
    }
}

/// Where a line and a column, in bytes from 1, lie in a text.
fn offset(text: &str, (line, column): (u32, u32)) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let mut at = (start + column.saturating_sub(1) as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(feature = "z3")]
fn audited(
    source: &Source,
    ground: &GroundProgram,
    prefix: &Prefix,
    completion: &Completion,
    watch: &Watch<'_>,
) -> Result<Vec<audit::Row>, Failure> {
    audit::program(&source.text, ground, prefix, completion, watch)
}

#[cfg(not(feature = "z3"))]
fn audited(
    _: &Source,
    _: &GroundProgram,
    _: &Prefix,
    _: &Completion,
    _: &Watch<'_>,
) -> Result<Vec<audit::Row>, Failure> {
    audit::check(true).map(|()| Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_and_stay_inside_of_the_text() {
        let text = "ab\nčd\n";
        assert_eq!(offset(text, (1, 2)), 1);
        assert_eq!(offset(text, (2, 1)), 3);
        // The second byte of a letter is no place.
        assert_eq!(offset(text, (2, 2)), 3);
        assert_eq!(offset(text, (9, 9)), text.len());
    }

    #[test]
    fn a_fault_at_the_end_of_a_text_can_be_shown() {
        let source = Source::new("p.lp", "a :-");
        for place in [(1, 5), (1, 1), (7, 3)] {
            let message = Message { place: Some(place), end: None, text: "x\n  y\n".into() };
            let Failure::Sheet(fault) = refused(&source, &[message]) else { panic!("a fault") };
            let shown = gdl::render(&fault.diagnostics, &fault.source, false);
            assert!(shown.contains("p.lp:1:") && shown.contains("y"), "{shown}");
        }
    }
}
