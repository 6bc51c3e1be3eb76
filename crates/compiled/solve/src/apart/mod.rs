//! Independent subgames, each solved as a game of its own.
//!
//! Computed: the value of a game that comes apart (`net::apart`, which proves that it may), from
//! the values of its parts: their product where a win wants the conditions of all, and else what is
//! left of 1 by the product of the odds of failing. The states that are kept are the sum of those of
//! the parts instead of their product. Both ways to combine grow with each value, so bounds are
//! combined end by end ([`combine`]).
//!
//! Always: a part that is at fault proves nothing of the whole here: the game is then solved as one,
//! and tells its fault as it does elsewhere. Time is shared: smaller parts come first, each may take
//! an even share of what is left, and what it leaves goes to those after it.

mod combine;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use net::apart::{Apart, Asked, apart};
use verdict::{Halt, HaltReason, Objective, Question, Stop, Verdict, Watch};

use crate::game::{Game, unknown_halt};
use crate::sweep::{Sweep, advice};
use crate::{Options, Tier};
use combine::Combined;

pub use net::apart::Wanted;

/// The games of a question's independent subgames.
pub struct Split {
    /// What a win wants of them.
    pub wanted: Wanted,
    /// The games, and how many propositions each has beside the clock.
    pub games: Vec<(Game, usize)>,
    taken: Apart,
}

/// The question put to each of the games of a split.
pub fn part_question(question: &Question) -> Question {
    Question { objective: Objective::Win, ..question.clone() }
}

/// Takes a game apart.
///
/// # Errors
/// Why its parts are solved together, as the end of a sentence.
pub fn split(game: &Game, question: &Question, options: &Options) -> Result<Split, &'static str> {
    if !options.apart || options.tier != Tier::Auto {
        return Err("it was asked for");
    }
    if options.approximate || options.width.is_some() {
        return Err("bounds are asked for");
    }
    if question.horizon == Some(0) {
        return Err("no step is played");
    }
    let must_be_paid = question.objective == Objective::Goal;
    let asked = Asked { role: game.casting.asked, must_be_paid };
    let taken = apart(&game.net, asked).map_err(|refusal| refusal.text())?;
    assert!(taken.parts.len() > 1, "what comes apart has parts");
    let own = part_question(question);
    let part = |part: &net::apart::Part| (Game::of_net(&own, part.net.clone()), part.bases);
    Ok(Split { wanted: taken.wanted, games: taken.parts.iter().map(part).collect(), taken })
}

/// What is known of a part.
enum Known {
    Exact(Verdict),
    Halted(Box<Halt>),
}

/// Solves a game's subgames apart; none where it is to be solved as one.
pub(crate) fn attempt(
    sweep: &Sweep,
    game: &Game,
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Option<Result<Verdict, Stop>> {
    let mut split = split(game, question, options).ok()?;
    let own = part_question(question);
    let mut order: Vec<usize> = (0..split.games.len()).collect();
    order.sort_by_key(|number| split.games[*number].1);
    let mut known: Vec<Option<Known>> = order.iter().map(|_| None).collect();
    for (done, number) in order.iter().enumerate() {
        if done > 0
            && let Some(reason) = over(watch)
        {
            let advice = advice(&reason);
            known[*number] = Some(Known::Halted(unknown_halt(reason, &advice)));
            continue;
        }
        let shared = shared(watch, order.len() - done);
        let part = &mut split.games[*number].0;
        known[*number] = Some(match sweep.solve_part(part, &own, &shared) {
            Ok(verdict) => Known::Exact(verdict),
            Err(Stop::Halted(halt)) => Known::Halted(halt),
            Err(Stop::Faulty(_)) => return None,
            Err(stop) => return Some(Err(stop)),
        });
    }
    let known: Vec<Known> = known.into_iter().flatten().collect();
    assert_eq!(known.len(), split.games.len(), "each part was solved");
    Combined { game, apart: &split.taken, known: &known }.judged()
}

/// The limit that ends all: there is no time for bounds of what was not begun.
fn over(watch: &Watch<'_>) -> Option<HaltReason> {
    match watch.interrupted() {
        true => Some(HaltReason::Interrupt),
        false => (watch.spent() >= 1.0).then_some(HaltReason::Time),
    }
}

/// The limits of the next of so many parts: an even share of the time that is left.
fn shared<'a>(watch: &Watch<'a>, parts: usize) -> Watch<'a> {
    let share = |time: Duration| {
        let left = time.saturating_sub(watch.started.elapsed());
        left / u32::try_from(parts).unwrap_or(u32::MAX)
    };
    Watch { started: Instant::now(), time: watch.time.map(share), ..*watch }
}
