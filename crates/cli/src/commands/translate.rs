//! `oddsmith translate`: a game as a network of gates, as a picture of one, in normal form, as a
//! model for PRISM, as code for a graphics device, as a logic program with quantified atoms, or as
//! the clauses of that.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use gdl::{Rulebook, Source};
use ground::{GroundFault, GroundLimits, GroundRules};
use net::{Contest, LowerFault, LowerLimits, Net, TooLarge};
use sqasp::{DomainFault, Domains, Unfinished};
use verdict::{Fault, Objective, Stop};

use super::formula::export;
use super::{refuse_of_sdimacs, sqasp as sqasp_command, write_text};
use crate::args::{EngineArgs, Form, ObjectiveArg, SheetArgs, TranslateArgs};
use crate::asking::{Patience, failure};
use crate::failure::{Failure, Status};
use crate::{lineup, question, sheet};

/// Invocations of a workgroup in code for graphics devices: two of the widest vectors that there
/// are.
const WORKGROUP: u32 = 64;

/// Writes the game in the form asked for.
pub(crate) fn run(
    args: &TranslateArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let flags = [("--placement", args.placement.is_some()), ("--dialect", args.dialect.is_some())];
    refuse_of_sdimacs(args.to == Form::Sdimacs, &flags)?;
    if matches!(args.to, Form::Sqasp | Form::Sdimacs) {
        return symbolic(args, started, out);
    }
    if args.to == Form::Prism {
        return model(args, out);
    }
    if args.to == Form::Wgsl {
        return shaders(args, started, out);
    }
    refuse_question(args)?;
    let held = sheet::read(&args.game.game, &args.sheet)?;
    let text = match args.to {
        Form::Gdl | Form::Prism | Form::Wgsl | Form::Sqasp | Form::Sdimacs => {
            held.rulebook.to_string()
        }
        Form::Propnet => build(&held.rulebook, &args.sheet, &held.source)?.1.to_string(),
        Form::Dot => net::dot(&build(&held.rulebook, &args.sheet, &held.source)?.1),
    };
    // Taking a huge rulebook apart would keep its reader waiting for the end of the text.
    std::mem::forget(held);
    debug_assert!(!text.is_empty(), "every game has a text in every form");
    write_text(out, args.target.output.as_deref(), &text)?;
    Ok(Status::Answered)
}

/// The model of a question about the game.
fn model(args: &TranslateArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let held = sheet::read_open(&args.game.game, &args.sheet)?;
    let net = build(&held.rulebook, &args.sheet, &held.source)?.1;
    let asked = question::one(&Arc::new(held.rulebook), &args.question, None)?;
    let chance: Vec<_> = asked.chance.iter().collect();
    let contest = Contest {
        asked: asked.role,
        chance: &chance,
        horizon: asked.horizon,
        pays_goal: asked.objective == Objective::Goal,
    };
    let text = net::prism(&net, contest).map_err(|TooLarge(operations)| {
        let message = format!(
            "the model would have {operations} operations once its formulas are put in, which is \
             more than a model checker reads; a smaller game, or fewer helper relations that rest \
             on each other, may fit"
        );
        Failure::input("model-size", message)
    })?;
    write_text(out, args.target.output.as_deref(), &text)?;
    Ok(Status::Answered)
}

/// The code of the game for a graphics device; the goals are those of the role asked about.
fn shaders(args: &TranslateArgs, started: Instant, out: &mut dyn Write) -> Result<Status, Failure> {
    let held = sheet::read_open(&args.game.game, &args.sheet)?;
    let asked = question::one(&Arc::new(held.rulebook), &args.question, None)?;
    let options = lineup::options(&EngineArgs::default(), &args.sheet);
    let patience =
        Patience { started, time: args.limits.time, memory: args.limits.memory, shown: true };
    let text = patience.watch(|watch| {
        let game = solve::Game::new(&asked, &options, watch)?;
        Ok(game.kernel()?.shaders(WORKGROUP).text)
    });
    let text = text.map_err(|stop| match stop {
        Stop::Halted(halt) => Failure::Unread(halt.reason),
        stop => failure(stop, &held.source),
    })?;
    write_text(out, args.target.output.as_deref(), &text)?;
    Ok(Status::Answered)
}

/// A question belongs to a program, not to a game.
fn refuse_question(args: &TranslateArgs) -> Result<(), Failure> {
    let question = &args.question;
    let asks = question.role.is_some()
        || question.horizon.is_some()
        || !question.chance.is_empty()
        || question.objective.unwrap_or_default() != ObjectiveArg::default();
    if !asks {
        return Ok(());
    }
    let message = "--role, --chance, --objective and --horizon are for `--to prism`, `--to wgsl`, \
                   `--to sqasp` and `--to sdimacs`";
    Err(Failure::input("usage", message))
}

/// The program of a question about the game, or its clauses.
fn symbolic(
    args: &TranslateArgs,
    started: Instant,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let Some(steps) = args.question.horizon else {
        let message = "a program is of so many steps: say how many with `--horizon`";
        return Err(Failure::input("usage", message));
    };
    let held = sheet::read_open(&args.game.game, &args.sheet)?;
    let asked = question::one(&Arc::new(held.rulebook), &args.question, None)?;
    let output = args.target.output.as_deref();
    let made = |text: String| Source::new(&format!("<program of {}>", held.source.name), &text);
    let patience =
        Patience { started, time: args.limits.time, memory: args.limits.memory, shown: true };
    patience.watch(|watch| {
        let ground = |source: &Source| {
            let limit = sqasp_command::ground_limit(args.sheet.ground_limit);
            sqasp_command::ground(source, limit, watch)
        };
        let relaxed = match ground(&made(sqasp::relaxed_program(&asked)))? {
            Ok(relaxed) => relaxed,
            Err(reason) => return Err(Failure::Unread(reason)),
        };
        let domains =
            Domains::read(&asked, &relaxed).map_err(|DomainFault::GoalValue(value)| {
                Failure::input(
                    "goal-value",
                    format!("the goal value `{value}` is no number to 100"),
                )
            })?;
        let program = sqasp::game_program(&asked, &domains, steps, Unfinished::Nothing);
        if args.to == Form::Sqasp {
            write_text(out, output, &program)?;
            return Ok(Status::Answered);
        }
        let program = made(program);
        match ground(&program)? {
            Ok(ground) => {
                let placement = args.placement.unwrap_or_default().into();
                match sqasp_command::clauses(&ground, placement, &program, watch)? {
                    Ok((_, completion)) => export(
                        &completion.formula,
                        args.dialect.unwrap_or_default().into(),
                        out,
                        output,
                    ),
                    Err(reason) => Err(Failure::Unread(reason)),
                }
            }
            Err(reason) => Err(Failure::Unread(reason)),
        }
    })
}

/// Ground rules and network of a rulebook.
pub(crate) fn network(
    rulebook: &Rulebook,
    args: &SheetArgs,
) -> Result<(GroundRules, Net), Box<Fault>> {
    let rules = ground_rules(rulebook, args)?;
    let net = lower(&rules)?;
    Ok((rules, net))
}

/// Ground rules of a rulebook.
pub(crate) fn ground_rules(
    rulebook: &Rulebook,
    args: &SheetArgs,
) -> Result<GroundRules, Box<Fault>> {
    let mut limits = GroundLimits::default();
    if let Some(limit) = args.ground_limit {
        limits.atoms = usize::try_from(limit).unwrap_or(usize::MAX);
    }
    ground_within(rulebook, &limits)
}

/// The same under limits of all kinds; a limit that is met is a fault like others.
pub(crate) fn ground_within(
    rulebook: &Rulebook,
    limits: &GroundLimits<'_>,
) -> Result<GroundRules, Box<Fault>> {
    ground::ground(rulebook, limits).map_err(|fault| {
        let GroundFault { code, message, span, notes } = fault;
        Box::new(Fault { code, message, states: Vec::new(), span, notes })
    })
}

/// The network of ground rules.
pub(crate) fn lower(rules: &GroundRules) -> Result<Net, Box<Fault>> {
    net::lower(rules, &LowerLimits::default()).map_err(|fault| Box::new(lowered(fault)))
}

fn build(
    rulebook: &Rulebook,
    args: &SheetArgs,
    source: &Source,
) -> Result<(GroundRules, Net), Failure> {
    network(rulebook, args).map_err(|fault| Failure::Game(fault, Some(source.clone())))
}

/// A fault of the network as one of the game.
fn lowered(fault: LowerFault) -> Fault {
    let (code, span) = match &fault {
        LowerFault::GateLimit { span, .. } => ("gate-limit", *span),
        LowerFault::NegativeCycle { span } => ("negative-cycle", *span),
        LowerFault::ViewNeedsMoves { span } => ("does-in-view", *span),
        LowerFault::Interrupted => ("interrupted", None),
        LowerFault::OutOfTime => ("time", None),
        LowerFault::OutOfMemory { .. } => ("memory", None),
    };
    Fault { code, message: fault.to_string(), states: Vec::new(), span, notes: Vec::new() }
}
