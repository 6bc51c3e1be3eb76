//! `solve --explain`: what the compiler made of the game. It compiles the game once more, after
//! the answer, so that nothing is kept for the sake of being told.

use std::io::Write;
use std::time::Instant;

use gdl::Source;
use solve::{Game, TierChoice};
use verdict::Question;

use crate::args::{EngineName, SolveArgs};
use crate::asking::{Patience, failure};
use crate::failure::Failure;
use crate::lineup;
use crate::quantity::{counted, show_count, show_duration};

/// Writes the sizes of the network, the guesses and the tier.
pub(crate) fn write(
    out: &mut dyn Write,
    args: &SolveArgs,
    question: &Question,
    source: &Source,
) -> Result<(), Failure> {
    let instead = match args.engine.name() {
        EngineName::Sweep | EngineName::Search => None,
        EngineName::Reference => Some("the reference evaluates the rules"),
        EngineName::Symbolic => Some("the symbolic engine translates the rules to a program"),
    };
    if let Some(instead) = instead {
        return Ok(writeln!(out, "compiled  not at all: {instead}")?);
    }
    let options = lineup::options(&args.engine, &args.sheet);
    let started = Instant::now();
    let patience = Patience { started, time: None, memory: None, shown: false };
    let compiled = patience.watch(|watch| {
        let game = Game::new(question, &options, watch)?;
        let expander = game.expander(&options)?;
        let choice = solve::tier_choice(&game, question, &options);
        Ok((game, expander, choice))
    });
    let (game, expander, choice) = compiled.map_err(|stop| failure(stop, source))?;
    let count = |number: usize| show_count(number as u64);
    let net = &game.net;
    writeln!(
        out,
        "compiled  {} rules to {} gates over {} propositions and {} moves in {}",
        count(question.rulebook.rules.len()),
        count(net.gates.len()),
        count(net.bases.len()),
        count(net.inputs.len()),
        show_duration(started.elapsed())
    )?;
    let level = if game.guesses.level.is_some() { "follows" } else { "does not follow" };
    writeln!(
        out,
        "          {} groups of which one holds; the ply {level} from the state",
        count(game.guesses.groups.len())
    )?;
    if args.engine.name() == EngineName::Sweep
        && args.disk.checkpoint.is_none()
        && args.disk.table.is_none()
        && let TierChoice::Dense(sizes, places) = &choice
    {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let (sizes, places) = (sizes.join(" x "), show_count(*places));
        return Ok(writeln!(
            out,
            "          tier dense: digits of {sizes} values, {places} places"
        )?);
    }
    let words = expander.words();
    assert!(words > 0, "a key has a word");
    let words = counted(words as u64, "word");
    write!(out, "          tier {}, {words} a state", expander.tier())?;
    match choice {
        TierChoice::Table(why) if args.engine.name() == EngineName::Sweep => {
            Ok(writeln!(out, "; not dense: {why}")?)
        }
        _ => Ok(writeln!(out)?),
    }
}
