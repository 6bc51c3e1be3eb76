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
use verdict::{Counts, Fault, Halt, HaltReason, Progress, Question, Stop, Watch};

use super::states::{Simulator, State};
use super::terms::TermId;

/// Plays that are gone through at most.
const PLAYS: u64 = 2_000_000;

/// Which of equally good moves is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The one that is listed first.
    First,
    /// The one that is listed last; for tests of what rests on the rule.
    Last,
}

/// Expected goal values, 0 to 100, of the roles that are not chance, in the order of the sheet,
/// where each maximises its own.
///
/// # Errors
/// A fault of the game, two roles that choose in one state, or a halt: at a limit, or where there
/// are too many plays to go through.
pub fn each(question: &Question, ties: Ties, watch: &Watch<'_>) -> Result<Vec<Ratio>, Stop> {
    let mut simulator = Simulator::new(&question.rulebook).map_err(faulty)?;
    let state = match &question.from {
        None => simulator.initial_state(),
        Some(terms) => simulator.state(terms).expect("a ground state"),
    };
    let mut each = Each { question, simulator, ties, watch, plays: 0 };
    each.value(&state, question.horizon)
}

struct Each<'a> {
    question: &'a Question,
    simulator: Simulator,
    ties: Ties,
    watch: &'a Watch<'a>,
    plays: u64,
}

fn faulty(fault: Fault) -> Stop {
    Stop::Faulty(Box::new(fault))
}

fn halted(reason: HaltReason) -> Stop {
    Stop::Halted(Box::new(Halt {
        reason,
        lower: Ratio::zero(),
        upper: Ratio::one(),
        choosers: Vec::new(),
        moves: Vec::new(),
        counts: Counts::default(),
        advice: "the reference goes through every play: use `--engine search`".to_owned(),
        estimate: None,
    }))
}

impl Each<'_> {
    /// Ends the solve at a limit.
    fn keep_watch(&mut self) -> Result<(), Stop> {
        self.plays += 1;
        if self.plays > PLAYS {
            return Err(halted(HaltReason::Depth));
        }
        if self.watch.interrupted() {
            return Err(halted(HaltReason::Interrupt));
        }
        if self.watch.spent() > 1.0 {
            return Err(halted(HaltReason::Time));
        }
        if self.plays.is_multiple_of(1024) {
            let bytes = store::resident_bytes().unwrap_or(0);
            if self.watch.memory.is_some_and(|limit| bytes > limit) {
                return Err(halted(HaltReason::Memory { needed: bytes }));
            }
            let (phase, states) = ("reference", self.plays);
            (self.watch.progress)(&Progress { phase, states, bytes, ..Progress::default() });
        }
        Ok(())
    }

    fn value(&mut self, state: &State, left: Option<u32>) -> Result<Vec<Ratio>, Stop> {
        self.keep_watch()?;
        let players: Vec<RoleId> = self.question.players().collect();
        if self.simulator.is_terminal(state).map_err(faulty)? {
            let goals = players.iter().map(|role| self.simulator.goals(state, *role));
            let goals: Vec<Vec<u32>> = goals.collect::<Result<_, _>>().map_err(faulty)?;
            return match goals.iter().find(|goals| goals.len() != 1) {
                Some(goals) if goals.is_empty() => Err(self.fault("no-goal", state)),
                Some(_) => Err(self.fault("several-goals", state)),
                None => Ok(goals.iter().map(|goal| Ratio::new(goal[0], 1u8)).collect()),
            };
        }
        let mut hands = Vec::new();
        for role in self.question.rulebook.roles.ids() {
            let mut hand = self.simulator.legal_moves(state, role).map_err(faulty)?;
            hand.sort_by(|one, other| self.order(*one, *other));
            hands.push(hand);
        }
        let several = |role: &&RoleId| hands[index::Id::index(**role)].len() > 1;
        let choosing: Vec<RoleId> = players.iter().filter(several).copied().collect();
        if choosing.len() > 1 {
            return Err(self.fault("simultaneous-choice", state));
        }
        if left == Some(0) {
            return Ok(vec![Ratio::zero(); players.len()]);
        }
        let own = choosing.first().copied();
        let mut best: Option<Vec<Ratio>> = None;
        for choice in 0..own.map_or(1, |role| hands[index::Id::index(role)].len()) {
            let goals = self.mean(state, &hands, own, choice, left)?;
            let place = own.and_then(|role| players.iter().position(|player| *player == role));
            let better = |best: &Vec<Ratio>| {
                let place = place.expect("one move where nobody chooses");
                let tied = goals[place] == best[place] && self.ties == Ties::Last;
                goals[place] > best[place] || tied
            };
            if best.as_ref().is_none_or(better) {
                best = Some(goals);
            }
        }
        Ok(best.expect("a move"))
    }

    /// The mean over chance's joint moves after the choice of the role that chooses.
    fn mean(
        &mut self,
        state: &State,
        hands: &[Vec<TermId>],
        own: Option<RoleId>,
        choice: usize,
        left: Option<u32>,
    ) -> Result<Vec<Ratio>, Stop> {
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
        let mut sum = vec![Ratio::zero(); self.question.players().count()];
        for joint in joints {
            let next = self.simulator.next_state(state, &joint).map_err(faulty)?;
            let goals = self.value(&next, left.map(|left| left - 1))?;
            sum.iter_mut().zip(&goals).for_each(|(sum, goal)| *sum = &*sum + &(goal * &share));
        }
        Ok(sum)
    }

    fn order(&self, one: TermId, other: TermId) -> Ordering {
        let symbols = &self.question.rulebook.symbols;
        listed_before(symbols, &self.simulator.term(one), &self.simulator.term(other))
    }

    fn fault(&self, code: &'static str, state: &State) -> Stop {
        faulty(Fault {
            code,
            message: "no value for every role for itself".to_owned(),
            states: vec![self.simulator.state_text(state)],
            span: None,
            notes: Vec::new(),
        })
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
