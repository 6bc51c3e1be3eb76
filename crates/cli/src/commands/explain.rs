//! `solve --explain`: what the compiler made of the game. It compiles the game once more, after
//! the answer, so that nothing is kept for the sake of being told.

use std::io::Write;
use std::time::Instant;

use gdl::Source;
use solve::{Game, Split, SymmetryChoice, TierChoice, Wanted};
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
    let game = patience.watch(|watch| Game::new(question, &options, watch));
    let game = game.map_err(|stop| failure(stop, source))?;
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
    let sweeps = args.engine.name() == EngineName::Sweep;
    let kept = args.disk.checkpoint.is_some() || args.disk.table.is_some();
    let split = match (sweeps, kept) {
        (false, _) => Err("it is the sweep that solves them apart"),
        (true, true) => Err("all states are kept on disk"),
        (true, false) => solve::split(&game, question, &options),
    };
    match split {
        Ok(split) => {
            write_apart(out, &split)?;
            let own = solve::part_question(question);
            let count = split.games.len();
            for (place, (part, _)) in split.games.into_iter().enumerate().take(SHOWN_PARTS) {
                let gates = counted(part.net.gates.len() as u64, "gate");
                writeln!(out, "subgame   {} of {count}: {gates}", place + 1)?;
                write_tier(out, args, &part, (&own, source))?;
            }
            Ok(())
        }
        Err(why) => {
            write_subgames(out, &game, why)?;
            write_tier(out, args, &game, (question, source))
        }
    }
}

/// Writes which tier takes a game, and which symmetries it has.
fn write_tier(
    out: &mut dyn Write,
    args: &SolveArgs,
    game: &Game,
    (question, source): (&Question, &Source),
) -> Result<(), Failure> {
    let options = lineup::options(&args.engine, &args.sheet);
    let patience = Patience { started: Instant::now(), time: None, memory: None, shown: false };
    let compiled = patience.watch(|watch| {
        let expander = game.expander(&options)?;
        let choice = solve::tier_choice(game, question, &options);
        let clock = solve::clock_choice(game, question, &options, watch);
        let table = args.disk.table.is_some();
        let symmetry = solve::symmetry_choice(game, &*expander, question, &options, table);
        Ok((expander, choice, clock, symmetry))
    });
    let (expander, choice, clock, symmetry) = compiled.map_err(|stop| failure(stop, source))?;
    let sweeps = args.engine.name() == EngineName::Sweep;
    let swept = sweeps && args.disk.checkpoint.is_none() && args.disk.table.is_none();
    if swept && let TierChoice::Dense { sizes, places, exchanged } = &choice {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let (sizes, places) = (sizes.join(" x "), show_count(*places));
        writeln!(out, "          tier dense: digits of {sizes} values, {places} places")?;
        let told = match exchanged {
            true => "one that exchanges digits spares the work on half of the places",
            false => "not used: no digits are exchanged by it",
        };
        return write_symmetry(out, game, &symmetry, Some(told));
    }
    if swept && let Some((positions, classes)) = clock {
        let positions = counted(positions, "position");
        let kinds = counted(classes as u64, "kind");
        writeln!(
            out,
            "          tier clock: the first plies took {positions}, in {kinds} of steps"
        )?;
        return write_symmetry(
            out,
            game,
            &symmetry,
            Some("not used: positions are not kept by it"),
        );
    }
    let words = expander.words();
    assert!(words > 0, "a key has a word");
    let words = counted(words as u64, "word");
    write!(out, "          tier {}, {words} a state", expander.tier())?;
    match choice {
        TierChoice::Table(why) if sweeps => writeln!(out, "; not dense: {why}")?,
        _ => writeln!(out)?,
    }
    let elsewhere = (!sweeps).then_some("not used: it is the sweep that uses it");
    write_symmetry(out, game, &symmetry, elsewhere)
}

/// Writes into which parts the game comes apart, where it does.
fn write_subgames(out: &mut dyn Write, game: &Game, why: &str) -> Result<(), Failure> {
    let parts = net::facts::subgames(&game.net, game.casting.asked, &game.casting.chance);
    if parts.len() < 2 {
        return Ok(());
    }
    writeln!(
        out,
        "          {} subgames share the clock alone, of {} propositions; solved together: {why}",
        show_count(parts.len() as u64),
        sizes(parts.iter().map(|part| part.bases.len())),
    )?;
    let idle = parts.iter().filter(|part| !part.counts).count();
    match idle {
        0 => Ok(()),
        idle => Ok(writeln!(
            out,
            "          neither the end nor a payment reads {} of them",
            show_count(idle as u64)
        )?),
    }
}

/// Writes into which subgames the game comes apart that are solved apart.
fn write_apart(out: &mut dyn Write, split: &Split) -> Result<(), Failure> {
    let value = match split.wanted {
        Wanted::All => "the value is the product of theirs",
        Wanted::Any => "the odds of failing are the product of theirs",
    };
    let text = format!(
        "apart     {} subgames of {} propositions, solved apart: {value}",
        show_count(split.games.len() as u64),
        sizes(split.games.iter().map(|(_, bases)| *bases)),
    );
    Ok(writeln!(out, "{text}")?)
}

/// The first of some sizes as a sum.
fn sizes(sizes: impl ExactSizeIterator<Item = usize>) -> String {
    let more = if sizes.len() > SHOWN_PARTS { ", ..." } else { "" };
    let shown: Vec<String> = sizes.take(SHOWN_PARTS).map(|size| show_count(size as u64)).collect();
    format!("{}{more}", shown.join(" + "))
}

/// Sizes of subgames that are shown.
const SHOWN_PARTS: usize = 6;

/// Generators that are shown.
const SHOWN_GENERATORS: usize = 4;

/// Writes which symmetries there are, and whether they are used; `told` says so where that is not for
/// the tables of the sweep to say.
fn write_symmetry(
    out: &mut dyn Write,
    game: &Game,
    symmetry: &SymmetryChoice,
    told: Option<&str>,
) -> Result<(), Failure> {
    let found = &symmetry.found;
    let search = if found.is_complete { "" } else { " (not looked for to the end)" };
    if found.generators.is_empty() {
        return Ok(writeln!(out, "symmetry  none was found{search}")?);
    }
    let used = match (told, symmetry.used) {
        (Some(told), _) => told.to_owned(),
        (None, Err(why)) => format!("not used: {why}"),
        (None, Ok(used)) if used as u128 == found.order => {
            "one state of each orbit is kept".to_owned()
        }
        (None, Ok(used)) => format!("{used} of them are used to keep one state of each orbit"),
    };
    let late = told.is_none() && symmetry.used.is_ok() && symmetry.after > 0;
    let used = match late {
        true => format!("{used}, once {} are", counted(symmetry.after, "state")),
        false => used,
    };
    let order = show_count(u64::try_from(found.order).unwrap_or(u64::MAX));
    writeln!(out, "symmetry  {order} automorphisms{search}; {used}")?;
    for generator in found.generators.iter().take(SHOWN_GENERATORS) {
        writeln!(out, "          {}", generator.text(&game.net))?;
    }
    match found.generators.len() {
        0..=SHOWN_GENERATORS => Ok(()),
        more => Ok(writeln!(out, "          and {} more", more - SHOWN_GENERATORS)?),
    }
}
