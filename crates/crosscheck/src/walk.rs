//! Random plays in which a compiled game and the rules themselves must show the same.
//!
//! Computed: plays from a seed, each with uniformly random legal moves. In every state that is met
//! the true terms, the legal moves of every role, the end and the goals of every role of a compiled
//! game (anything that is [`Steps`]) are compared with those of the reference, and so is the state
//! that each joint move leads to.
//! Always: the reference chooses, so that what the two play is a play of the rules; terms are
//! compared as text, since the two share no numbering.
//! Beyond plays from the start nothing is shown: where engines give values, `agree` compares more.
//! Cost: that of the reference, which evaluates the rules once a state.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use gdl::{RoleId, Rulebook};
use index::IndexVec;
use rustc_hash::FxHashMap;
use verdict::Fault;

use crate::dice::Dice;
use crate::reference::{Simulator, State, TermId};

/// A compiled game that can be stepped: it stands in one state at a time.
pub trait Steps {
    /// Every term that can be true, as GDL text; a state is named by positions in this list.
    fn propositions(&self) -> Vec<String>;
    /// Every move that the role can have, as GDL text; its moves are named by positions in it.
    fn moves(&self, role: RoleId) -> Vec<String>;
    /// Goes back to the initial state.
    fn restart(&mut self);
    /// What the present state shows.
    fn shown(&mut self) -> Shown;
    /// Plays a joint move: one move a role, in the order of the roles.
    fn step(&mut self, joint: &[usize]);
}

/// What a state shows, in the positions of [`Steps`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The terms that are true, ascending.
    pub state: Vec<usize>,
    /// Whether the game has ended.
    pub terminal: bool,
    /// By role: the legal moves, ascending.
    pub legal: IndexVec<RoleId, Vec<usize>>,
    /// By role: the goal values that hold, ascending.
    pub goals: IndexVec<RoleId, Vec<u32>>,
}

/// How far to play.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Number of plays.
    pub plays: usize,
    /// Steps of a play at most.
    pub steps: usize,
    /// Seed of the moves.
    pub seed: u64,
    /// When no further state is begun.
    pub deadline: Option<Instant>,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// States compared, the same state as often as it was met.
    pub states: u64,
    /// Plays begun.
    pub plays: u64,
    /// Plays that reached a terminal state.
    pub finished: u64,
    /// Plays that came to a state in which a role has no legal move, on both sides.
    pub stuck: u64,
    /// Whether the time was up before all plays were played.
    pub out_of_time: bool,
}

/// Why the comparison ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The rules themselves are at fault in a state that was met.
    Rules(Box<Fault>),
    /// The two differ; in words, with the state.
    Differs(String),
}

/// Plays and compares; `note` hears of the count after every state.
///
/// # Errors
/// The first difference, or a fault of the rules.
pub fn walk(
    rulebook: &Arc<Rulebook>,
    compiled: &mut dyn Steps,
    limits: &Limits,
    note: &mut dyn FnMut(&Compared),
) -> Result<Compared, Trouble> {
    let rules = Simulator::new(rulebook).map_err(rules_at_fault)?;
    let mut walk = Walk {
        names: Names::of(rulebook, compiled),
        rulebook,
        roles: rulebook.roles.ids().collect(),
        rules,
        compiled,
        dice: Dice::new(limits.seed),
        compared: Compared::default(),
    };
    while walk.compared.plays < limits.plays as u64 && !walk.compared.out_of_time {
        walk.compared.plays += 1;
        walk.play(limits, note)?;
    }
    debug_assert!(walk.compared.finished + walk.compared.stuck <= walk.compared.plays);
    Ok(walk.compared)
}

fn rules_at_fault(fault: Fault) -> Trouble {
    Trouble::Rules(Box::new(fault))
}

/// The texts of the compiled game by position, and the positions of the reference's terms.
struct Names {
    propositions: Vec<String>,
    moves: IndexVec<RoleId, Vec<String>>,
    proposition_at: FxHashMap<String, usize>,
    move_at: IndexVec<RoleId, FxHashMap<String, usize>>,
    known: FxHashMap<TermId, Option<usize>>,
    known_moves: FxHashMap<(RoleId, TermId), Option<usize>>,
}

impl Names {
    fn of(rulebook: &Rulebook, compiled: &dyn Steps) -> Self {
        let positions = |texts: &Vec<String>| -> FxHashMap<String, usize> {
            let found: FxHashMap<_, _> =
                texts.iter().enumerate().map(|(at, text)| (text.clone(), at)).collect();
            assert_eq!(found.len(), texts.len(), "each text stands once");
            found
        };
        let propositions = compiled.propositions();
        let moves: IndexVec<RoleId, Vec<String>> =
            rulebook.roles.ids().map(|role| compiled.moves(role)).collect();
        Self {
            proposition_at: positions(&propositions),
            move_at: moves.iter().map(positions).collect(),
            propositions,
            moves,
            known: FxHashMap::default(),
            known_moves: FxHashMap::default(),
        }
    }

    fn proposition(&mut self, term: TermId, rules: &Simulator) -> Option<usize> {
        let at = &self.proposition_at;
        *self.known.entry(term).or_insert_with(|| at.get(&rules.text(term)).copied())
    }

    fn action(&mut self, role: RoleId, term: TermId, rules: &Simulator) -> Option<usize> {
        let at = &self.move_at[role];
        let found = self.known_moves.entry((role, term));
        *found.or_insert_with(|| at.get(&rules.text(term)).copied())
    }
}

/// The two sides on their way.
struct Walk<'a> {
    rulebook: &'a Rulebook,
    rules: Simulator,
    compiled: &'a mut dyn Steps,
    names: Names,
    roles: Vec<RoleId>,
    dice: Dice,
    compared: Compared,
}

impl Walk<'_> {
    /// One play from the start.
    fn play(&mut self, limits: &Limits, note: &mut dyn FnMut(&Compared)) -> Result<(), Trouble> {
        self.compiled.restart();
        let mut state = self.rules.initial_state();
        for step in 0..=limits.steps {
            if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.compared.out_of_time = true;
                return Ok(());
            }
            let legal = self.compare(&state)?;
            self.compared.states += 1;
            note(&self.compared);
            if self.rules.is_terminal(&state).map_err(rules_at_fault)? {
                self.compared.finished += 1;
                return Ok(());
            }
            if legal.iter().any(Vec::is_empty) {
                self.compared.stuck += 1;
                return Ok(());
            }
            if step < limits.steps {
                state = self.step(&state, &legal)?;
            }
        }
        Ok(())
    }

    /// Both sides play the same random joint move.
    fn step(
        &mut self,
        state: &State,
        legal: &IndexVec<RoleId, Vec<TermId>>,
    ) -> Result<State, Trouble> {
        let played: Vec<TermId> = legal.iter().map(|moves| *self.dice.pick(moves)).collect();
        let mut joint = Vec::with_capacity(played.len());
        for (&role, &term) in self.roles.iter().zip(&played) {
            let at = self.names.action(role, term, &self.rules);
            joint.push(at.expect("a legal move was compared, so both sides have it"));
        }
        self.compiled.step(&joint);
        self.rules.next_state(state, &played).map_err(rules_at_fault)
    }

    /// Compares the present state; the legal moves of the rules.
    fn compare(&mut self, state: &State) -> Result<IndexVec<RoleId, Vec<TermId>>, Trouble> {
        let shown = self.compiled.shown();
        self.compare_states(state, &shown)?;
        let terminal = self.rules.is_terminal(state).map_err(rules_at_fault)?;
        if terminal != shown.terminal {
            let told = |ends: bool| if ends { "the game has ended" } else { "the game goes on" };
            return Err(self.differs(state, "the end", told(shown.terminal), told(terminal)));
        }
        let mut legal = IndexVec::new();
        for role in self.roles.clone() {
            legal.push(self.compare_moves(state, role, &shown)?);
            let goals = self.rules.goals(state, role).map_err(rules_at_fault)?;
            if goals != shown.goals[role] {
                let what = format!("the goals of `{}`", self.rulebook.role_name(role));
                let (left, right) = (format!("{:?}", shown.goals[role]), format!("{goals:?}"));
                return Err(self.differs(state, &what, &left, &right));
            }
        }
        Ok(legal)
    }

    fn compare_states(&mut self, state: &State, shown: &Shown) -> Result<(), Trouble> {
        let (mut ours, mut unknown) = (BTreeSet::new(), None);
        for &term in state.terms() {
            match self.names.proposition(term, &self.rules) {
                Some(at) => drop(ours.insert(at)),
                None => unknown = Some(term),
            }
        }
        if let Some(term) = unknown {
            let what = format!("`{}`", self.rules.text(term));
            return Err(self.differs(state, &what, "not a proposition", "true"));
        }
        let theirs: BTreeSet<usize> = shown.state.iter().copied().collect();
        let Some(&odd) = ours.symmetric_difference(&theirs).next() else { return Ok(()) };
        let told = |holds: bool| if holds { "true" } else { "false" };
        let what = format!("`{}`", self.names.propositions[odd]);
        Err(self.differs(state, &what, told(theirs.contains(&odd)), told(ours.contains(&odd))))
    }

    fn compare_moves(
        &mut self,
        state: &State,
        role: RoleId,
        shown: &Shown,
    ) -> Result<Vec<TermId>, Trouble> {
        let legal = self.rules.legal_moves(state, role).map_err(rules_at_fault)?;
        let mut ours = BTreeSet::new();
        for &term in &legal {
            let Some(at) = self.names.action(role, term, &self.rules) else {
                let what = format!("the move `{}`", self.rules.text(term));
                return Err(self.differs(state, &what, "not a move", "legal"));
            };
            ours.insert(at);
        }
        let theirs: BTreeSet<usize> = shown.legal[role].iter().copied().collect();
        let Some(&odd) = ours.symmetric_difference(&theirs).next() else { return Ok(legal) };
        let told = |holds: bool| if holds { "legal" } else { "not legal" };
        let what = format!("the move `{}`", self.names.moves[role][odd]);
        Err(self.differs(state, &what, told(theirs.contains(&odd)), told(ours.contains(&odd))))
    }

    fn differs(&self, state: &State, what: &str, compiled: &str, rules: &str) -> Trouble {
        let state = self.rules.state_text(state);
        Trouble::Differs(format!(
            "{what}: {compiled} in the compiled game, {rules} by the rules; state: {state}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Id;

    /// A token goes one or two places; at the third or fourth it has come home.
    const WALK: &str = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal r one) (not terminal))
        (<= (legal r two) (true (at ?x)) (not terminal) (distinct ?x 1))
        (<= (next (at ?y)) (does r one) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?z)) (does r two) (true (at ?x)) (succ ?x ?y) (succ ?y ?z))
        (<= terminal (true (at 3))) (<= terminal (true (at 4)))
        (<= (goal r 100) (true (at 3))) (<= (goal r 30) (true (at 4)))";

    /// The same game by hand, with one fault perhaps.
    #[derive(Default)]
    struct Token {
        at: usize,
        fault: &'static str,
    }

    impl Steps for Token {
        fn propositions(&self) -> Vec<String> {
            (0..=4).map(|place| format!("(at {place})")).collect()
        }

        fn moves(&self, _: RoleId) -> Vec<String> {
            ["one", "two"].map(str::to_owned).into()
        }

        fn restart(&mut self) {
            self.at = 0;
        }

        fn shown(&mut self) -> Shown {
            let terminal = self.at >= if self.fault == "end" { 4 } else { 3 };
            let legal = match self.at {
                1 if self.fault != "legal" => vec![0],
                0..=2 => vec![0, 1],
                _ => vec![],
            };
            let goal = match self.at {
                3 => vec![100],
                4 if self.fault != "goal" => vec![30],
                _ => vec![],
            };
            let state = vec![self.at];
            Shown { state, terminal, legal: vec![legal].into(), goals: vec![goal].into() }
        }

        fn step(&mut self, joint: &[usize]) {
            let back = usize::from(self.fault == "next" && self.at == 1);
            self.at += 1 + joint[RoleId::from_index(0).index()] - back;
        }
    }

    fn compare(fault: &'static str, plays: usize) -> Result<Compared, Trouble> {
        let reading = gdl::read(gdl::Source::new("t", WALK), &gdl::ReadOptions::default());
        let book = Arc::new(reading.rulebook.expect("the sheet is in order"));
        let limits = Limits { plays, steps: 10, seed: 1, deadline: None };
        let mut heard = 0;
        let walked = walk(&book, &mut Token { at: 0, fault }, &limits, &mut |compared| {
            assert!(compared.states > heard);
            heard = compared.states;
        });
        assert!(walked.as_ref().map_or(true, |compared| compared.states == heard));
        walked
    }

    #[test]
    fn a_right_game_agrees_in_every_play() {
        let compared = compare("", 20).expect("no difference");
        assert_eq!((compared.plays, compared.finished, compared.stuck), (20, 20, 0));
        assert!((60..=80).contains(&compared.states), "three or four states a play");
    }

    #[test]
    fn every_kind_of_difference_is_found_and_told_with_the_state() {
        let kinds = [
            ("next", ")`: true in the compiled game, false by the rules; state: (at "),
            ("legal", "the move `two`: legal in the compiled game, not legal by the rules"),
            ("goal", "the goals of `r`: [] in the compiled game, [30] by the rules"),
            ("end", "the end: the game goes on in the compiled game"),
        ];
        for (fault, words) in kinds {
            let Err(Trouble::Differs(told)) = compare(fault, 20) else { panic!("{fault} unseen") };
            assert!(told.contains(words), "{told}");
        }
    }

    #[test]
    fn no_play_begins_after_the_deadline() {
        let reading = gdl::read(gdl::Source::new("t", WALK), &gdl::ReadOptions::default());
        let book = Arc::new(reading.rulebook.expect("the sheet is in order"));
        let limits = Limits { plays: 9, steps: 10, seed: 1, deadline: Some(Instant::now()) };
        let compared = walk(&book, &mut Token::default(), &limits, &mut |_| {}).expect("no fault");
        assert!(compared.out_of_time && compared.states == 0);
    }
}
