//! Every role for itself, by the rules alone: the oracle of the engine that does the same on the
//! network.
//!
//! The definition written down: the vector of a state is its goal values at an end, nothing where
//! no step is left, else that of the first best move of the one role that has a choice, each move
//! worth the mean over what chance does then. Nothing is kept between states, so it is for games of
//! a few thousand plays.
//!
//! Each step of a play is a call within a call, on a thread whose stack is enough for the longest
//! play that is followed; a play that goes on beyond it ends the solve, as one that returns does.

use std::cmp::Ordering;

use exact::Ratio;
use gdl::{RoleId, Symbols, Term};
use verdict::{Counts, Fault, Halt, HaltReason, Progress, Question, Stop, Watch};

use super::states::{Simulator, State};
use super::terms::TermId;

/// States that are gone through at most, each as often as plays come to it.
const VISITS: u64 = 2_000_000;

/// Steps of the longest play that is followed, and bytes of the stack for it; only what is used of
/// it is paid. A test follows such a play on a sixteenth of it.
const LONGEST_PLAY: u32 = 20_000;
const STACK: usize = 256 << 20;

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
/// are too many plays to go through, or too long ones.
pub fn each(question: &Question, ties: Ties, watch: &Watch<'_>) -> Result<Vec<Ratio>, Stop> {
    on_stack(STACK, || goals(question, ties, watch))
}

/// Does something on a thread with a stack of its own.
fn on_stack<T: Send>(
    bytes: usize,
    work: impl FnOnce() -> Result<T, Stop> + Send,
) -> Result<T, Stop> {
    std::thread::scope(|scope| {
        let spawned = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        match spawned {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Stop::Environment(format!("a thread could not be started: {error}"))),
        }
    })
}

fn goals(question: &Question, ties: Ties, watch: &Watch<'_>) -> Result<Vec<Ratio>, Stop> {
    let mut simulator = Simulator::new(&question.rulebook).map_err(faulty)?;
    let state = match &question.from {
        None => simulator.initial_state(),
        Some(terms) => simulator.state(terms).expect("a ground state"),
    };
    let mut each = Each { question, simulator, ties, watch, visits: 0 };
    each.value(&state, 0)
}

struct Each<'a> {
    question: &'a Question,
    simulator: Simulator,
    ties: Ties,
    watch: &'a Watch<'a>,
    visits: u64,
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
        advice:
            "the reference goes through every play: use `--engine search`, or give a `--horizon`"
                .to_owned(),
        estimate: None,
    }))
}

impl Each<'_> {
    /// Ends the solve at a limit.
    fn keep_watch(&mut self, steps: u32) -> Result<(), Stop> {
        self.visits += 1;
        if self.visits > VISITS || steps > LONGEST_PLAY {
            return Err(halted(HaltReason::Depth));
        }
        if self.watch.interrupted() {
            return Err(halted(HaltReason::Interrupt));
        }
        if self.watch.spent() > 1.0 {
            return Err(halted(HaltReason::Time));
        }
        if self.visits.is_multiple_of(1024) {
            let bytes = store::resident_bytes().unwrap_or(0);
            if self.watch.memory.is_some_and(|limit| bytes > limit) {
                return Err(halted(HaltReason::Memory { needed: bytes }));
            }
            let (phase, states) = ("reference", self.visits);
            (self.watch.progress)(&Progress { phase, states, bytes, ..Progress::default() });
        }
        Ok(())
    }

    /// Goal values of a state that a play came to in so many steps.
    fn value(&mut self, state: &State, steps: u32) -> Result<Vec<Ratio>, Stop> {
        self.keep_watch(steps)?;
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
        if self.question.horizon.is_some_and(|horizon| steps >= horizon) {
            return Ok(vec![Ratio::zero(); players.len()]);
        }
        let own = choosing.first().copied();
        let mut best: Option<Vec<Ratio>> = None;
        for choice in 0..own.map_or(1, |role| hands[index::Id::index(role)].len()) {
            let goals = self.mean(state, &hands, (own, choice), steps)?;
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
        (own, choice): (Option<RoleId>, usize),
        steps: u32,
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
            let goals = self.value(&next, steps + 1)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::*;

    /// What each role gets, on a sixteenth of the stack.
    fn ask(sheet: &str, horizon: Option<u32>) -> Result<Vec<Ratio>, Stop> {
        let reading = gdl::read(gdl::Source::new("test", sheet), &gdl::ReadOptions::default());
        let question = Question::new(Arc::new(reading.rulebook.expect("a sheet"))).expect("a role");
        let question = Question { horizon, ..question };
        let interrupt = AtomicBool::new(false);
        let (started, time, memory) = (Instant::now(), None, None);
        let watch = Watch { started, time, memory, interrupt: &interrupt, progress: &|_| {} };
        on_stack(STACK / 16, || goals(&question, Ties::First, &watch))
    }

    /// A play that counts up through so many bits.
    fn counter(bits: u32) -> String {
        let mut sheet = "(role x) (legal x go) (goal x 70) (<= (carry 0))".to_owned();
        for bit in 0..bits {
            sheet += &format!(
                "(<= (carry {next}) (carry {bit}) (true (on {bit})))
                (<= (next (on {bit})) (carry {bit}) (not (true (on {bit}))))
                (<= (next (on {bit})) (not (carry {bit})) (true (on {bit})))",
                next = bit + 1
            );
        }
        sheet + &format!("(init start) (<= terminal (carry {bits}))")
    }

    fn is_too_long(ended: Result<Vec<Ratio>, Stop>) -> bool {
        let Err(Stop::Halted(halt)) = ended else { return false };
        halt.reason == HaltReason::Depth && halt.advice.contains("--horizon")
    }

    #[test]
    fn a_play_that_is_too_long_or_returns_ends_before_the_stack_does() {
        let seventy = vec![Ratio::new(70_u8, 1_u8)];
        assert_eq!(ask(&counter(14), None), Ok(seventy));
        assert!(is_too_long(ask(&counter(15), None)), "32768 steps");
        assert_eq!(ask(&counter(15), Some(LONGEST_PLAY)), Ok(vec![Ratio::zero()]));
        let pig = crate::families::pig(20, 6).expect("a sheet");
        assert!(is_too_long(ask(&pig, None)), "turns come back");
        assert_eq!(ask(&pig, Some(2)).map(|goals| goals.len()), Ok(2));
    }
}
