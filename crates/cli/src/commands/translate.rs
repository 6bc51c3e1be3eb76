//! `oddsmith translate`: a game as a network of gates, as a picture of one, or in normal form.

use std::io::Write;

use gdl::{Rulebook, Source};
use ground::{GroundFault, GroundLimits, GroundRules};
use net::{LowerFault, Net};
use verdict::Fault;

use super::write_text;
use crate::args::{Form, SheetArgs, TranslateArgs};
use crate::failure::{Failure, Status};
use crate::sheet;

/// Writes the game in the form asked for.
pub(crate) fn run(args: &TranslateArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let held = sheet::read(&args.game.game, &args.sheet)?;
    let text = match args.to {
        Form::Gdl => held.rulebook.to_string(),
        Form::Propnet => build(&held.rulebook, &args.sheet, &held.source)?.1.to_string(),
        Form::Dot => net::dot(&build(&held.rulebook, &args.sheet, &held.source)?.1),
    };
    // Taking a huge rulebook apart would keep its reader waiting for the end of the text.
    std::mem::forget(held);
    debug_assert!(!text.is_empty(), "every game has a text in every form");
    write_text(out, args.target.output.as_deref(), &text)?;
    Ok(Status::Answered)
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
    net::lower(rules, net::DEFAULT_LIMIT_GATES).map_err(|fault| Box::new(lowered(fault)))
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
    };
    Fault { code, message: fault.to_string(), states: Vec::new(), span, notes: Vec::new() }
}
