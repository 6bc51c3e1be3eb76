//! Every role for itself, by the rules alone: the oracle of the engine that does the same on the
//! network.
//!
//! The definition written down: the vector of a state is its goal values at an end, nothing where
//! no step is left, else that of the first best move of the one role that has a choice, each move
//! worth the mean over what chance does then. Nothing is kept between states, so it is for games of
//! a few thousand plays.

use std::cmp::Ordering;

use exact::Ratio;
use gdl::{RoleId, Symbols, Term};
use verdict::{Fault, Question};

use super::states::{Simulator, State};
use super::terms::TermId;

/// Plays that are gone through at most.
const PLAYS: u64 = 2_000_000;

/// Expected goal values, 0 to 100, of the roles that are not chance, in the order of the sheet,
/// where each maximises its own; none where there are too many plays to go through.
///
/// # Errors
/// A fault of the game, or two roles that choose in one state.
pub fn each(question: &Question) -> Result<Option<Vec<Ratio>>, Fault> {
    let mut simulator = Simulator::new(&question.rulebook)?;
    let state = match &question.from {
        None => simulator.initial_state(),
        Some(terms) => simulator.state(terms).expect("a ground state"),
    };
    let mut each = Each { question, simulator, plays: 0 };
    each.value(&state, question.horizon)
}

struct Each<'a> {
    question: &'a Question,
    simulator: Simulator,
    plays: u64,
}

impl Each<'_> {
    fn players(&self) -> Vec<RoleId> {
        let all = self.question.rulebook.roles.ids();
        all.filter(|role| !self.question.chance.contains(*role)).collect()
    }

    fn value(&mut self, state: &State, left: Option<u32>) -> Result<Option<Vec<Ratio>>, Fault> {
        self.plays += 1;
        if self.plays > PLAYS {
            return Ok(None);
        }
        let players = self.players();
        if self.simulator.is_terminal(state)? {
            let goals = players.iter().map(|role| self.simulator.goals(state, *role));
            let goals: Vec<Vec<u32>> = goals.collect::<Result<_, _>>()?;
            return match goals.iter().find(|goals| goals.len() != 1) {
                Some(_) => Err(self.fault("goals", state)),
                None => Ok(Some(goals.iter().map(|goal| Ratio::new(goal[0], 1u8)).collect())),
            };
        }
        let mut hands = Vec::new();
        for role in self.question.rulebook.roles.ids() {
            let mut hand = self.simulator.legal_moves(state, role)?;
            hand.sort_by(|one, other| self.order(*one, *other));
            hands.push(hand);
        }
        let several = |role: &&RoleId| hands[index::Id::index(**role)].len() > 1;
        let choosing: Vec<RoleId> = players.iter().filter(several).copied().collect();
        if choosing.len() > 1 {
            return Err(self.fault("simultaneous-choice", state));
        }
        if left == Some(0) {
            return Ok(Some(vec![Ratio::zero(); players.len()]));
        }
        let own = choosing.first().copied();
        let mut best: Option<Vec<Ratio>> = None;
        for choice in 0..own.map_or(1, |role| hands[index::Id::index(role)].len()) {
            let Some(goals) = self.mean(state, &hands, own, choice, left)? else { return Ok(None) };
            let place = own.and_then(|role| players.iter().position(|player| *player == role));
            let better = best
                .as_ref()
                .is_none_or(|best| place.is_some_and(|place| goals[place] > best[place]));
            if better {
                best = Some(goals);
            }
        }
        Ok(best)
    }

    /// The mean over chance's joint moves after the choice of the role that chooses.
    fn mean(
        &mut self,
        state: &State,
        hands: &[Vec<TermId>],
        own: Option<RoleId>,
        choice: usize,
        left: Option<u32>,
    ) -> Result<Option<Vec<Ratio>>, Fault> {
        let mut joints: Vec<Vec<TermId>> = vec![Vec::new()];
        for (role, hand) in self.question.rulebook.roles.ids().zip(hands) {
            let chosen: &[TermId] = match own {
                Some(own) if own == role => &hand[choice..=choice],
                _ if self.question.chance.contains(role) => hand,
                _ => &hand[..1],
            };
            let longer = joints.iter().flat_map(|joint| {
                chosen.iter().map(move |played| [&joint[..], &[*played]].concat())
            });
            joints = longer.collect();
        }
        let share = Ratio::new(1u8, joints.len() as u64);
        let mut sum = vec![Ratio::zero(); self.players().len()];
        for joint in joints {
            let next = self.simulator.next_state(state, &joint)?;
            let below = self.value(&next, left.map(|left| left - 1))?;
            let Some(goals) = below else { return Ok(None) };
            sum.iter_mut().zip(&goals).for_each(|(sum, goal)| *sum = &*sum + &(goal * &share));
        }
        Ok(Some(sum))
    }

    fn order(&self, one: TermId, other: TermId) -> Ordering {
        let symbols = &self.question.rulebook.symbols;
        listed_before(symbols, &self.simulator.term(one), &self.simulator.term(other))
    }

    fn fault(&self, code: &'static str, state: &State) -> Fault {
        Fault {
            code,
            message: "no value for every role for itself".to_owned(),
            states: vec![self.simulator.state_text(state)],
            span: None,
            notes: Vec::new(),
        }
    }
}

/// The order of moves: by name, then fewer arguments first, then arguments from the left; numbers
/// by size and before other names.
fn listed_before(symbols: &Symbols, one: &Term, other: &Term) -> Ordering {
    let parts = |term: &Term| -> (String, Vec<Term>) {
        match term {
            Term::Constant(name) => (symbols.name(*name).to_owned(), Vec::new()),
            Term::Compound(name, args) => (symbols.name(*name).to_owned(), args.to_vec()),
            Term::Variable(_) => unreachable!("a move is ground"),
        }
    };
    let ((name, args), (other_name, other_args)) = (parts(one), parts(other));
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok());
    let (size, other_size): (Option<u64>, Option<u64>) =
        (number(&name).flatten(), number(&other_name).flatten());
    let names = match (size, other_size) {
        (Some(size), Some(other)) => size.cmp(&other),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    };
    names.then(name.cmp(&other_name)).then(args.len().cmp(&other_args.len())).then_with(|| {
        let pairs = args.iter().zip(&other_args);
        let orders = pairs.map(|(left, right)| listed_before(symbols, left, right));
        orders.fold(Ordering::Equal, Ordering::then)
    })
}
