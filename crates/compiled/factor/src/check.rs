//! A game taken apart beside its network: what the tables say of a state must be what the
//! reference interpreter says.
//!
//! The tables are proven where they are made; this is the second look that tests and audits take,
//! along random plays, and it shares no code with what it checks.

use net::random::Random;
use net::{InputId, Net, State, interpret};

use crate::{Condition, Factored, NOWHERE, Outcome, Pair};

/// Plays at random through phases and tables and compares every state with the interpreter.
///
/// # Errors
/// What differs first.
pub fn check(game: &Factored, net: &Net, seed: u64, plays: usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    for _ in 0..plays {
        let mut place =
            Place { phase: 0, values: game.digits.iter().map(|digit| digit.start).collect() };
        for _ in 0..10_000 {
            let state = place.state(game);
            let view = interpret::view(net, &state);
            if view.terminal {
                break;
            }
            let phase = &game.phases[place.phase];
            let legal: Vec<&Pair> =
                phase.pairs.iter().filter(|pair| place.allows(game, net, pair)).collect();
            let shown =
                phase.pairs.iter().filter(|pair| pair.moves.iter().all(|input| view.legal[*input]));
            if !shown.eq(legal.iter().copied()) {
                return Err(format!("legal moves of {state:?}"));
            }
            if legal.is_empty() {
                break;
            }
            let pair = legal[random.below(legal.len())];
            let paths = paths(net, &state, pair);
            let mut places = Vec::new();
            for outcome in &pair.outcomes {
                let Some(next) = place.after(game, outcome) else {
                    return Err(format!("a table leads nowhere from {state:?}"));
                };
                let wanted = next.state(game);
                let there = paths.iter().filter(|state| **state == wanted).count();
                if there as u64 * u64::from(pair.total)
                    != paths.len() as u64 * u64::from(outcome.weight)
                {
                    return Err(format!("{there} of {} lead to {wanted:?}", paths.len()));
                }
                places.push(next);
            }
            place = places.swap_remove(random.below(places.len()));
        }
    }
    Ok(())
}

/// The states after a pair of moves, one for each equally likely way that chance may go, in one or
/// two steps.
fn paths(net: &Net, state: &State, pair: &Pair) -> Vec<State> {
    let mut states = vec![state.clone()];
    for step in 0..pair.steps {
        let mut next = Vec::new();
        for state in &states {
            let view = interpret::view(net, state);
            let mut joints: Vec<Vec<InputId>> = vec![Vec::new()];
            for role in net.roles.ids() {
                let chosen = pair.moves.iter().find(|input| net.role_of(**input) == role);
                let legal = net.moves(role).filter(|input| match chosen {
                    Some(chosen) if step == 0 => input == chosen,
                    _ => view.legal[*input],
                });
                let legal: Vec<InputId> = legal.collect();
                let longer = |joint: &Vec<InputId>| {
                    let joint = joint.clone();
                    legal.iter().map(move |input| [&joint[..], &[*input]].concat())
                };
                joints = joints.iter().flat_map(longer).collect();
            }
            next.extend(joints.iter().map(|joint| interpret::update(net, state, joint)));
        }
        states = next;
    }
    states
}

/// A phase and the values of all digits.
#[derive(Clone)]
struct Place {
    phase: usize,
    values: Vec<u32>,
}

impl Place {
    fn state(&self, game: &Factored) -> State {
        let digits = game.digits.iter().zip(&self.values);
        let held = digits.flat_map(|(digit, value)| &digit.values[*value as usize]);
        let rest = game.phases[self.phase].bases.iter().chain(&game.constants);
        held.chain(rest).copied().collect()
    }

    /// Where an outcome leads; none where a table has no entry.
    fn after(&self, game: &Factored, outcome: &Outcome) -> Option<Self> {
        let mut next = Self { phase: outcome.phase, values: self.values.clone() };
        for &(digit, map) in &outcome.maps {
            let to = game.digits[digit].maps[map][self.values[digit] as usize];
            next.values[digit] = Some(to).filter(|to| *to != NOWHERE)?;
        }
        Some(next)
    }

    fn allows(&self, game: &Factored, net: &Net, pair: &Pair) -> bool {
        pair.legal.iter().all(|condition| match condition {
            Condition::Always => true,
            Condition::Digit(digit, values) => values[self.values[*digit] as usize],
            Condition::Gate(_) => {
                // A gate is what the network says, specialised; the view is asked instead.
                let view = interpret::view(net, &self.state(game));
                pair.moves.iter().all(|input| view.legal[*input])
            }
        })
    }
}
