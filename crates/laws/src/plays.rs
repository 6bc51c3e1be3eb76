//! The laws of a game that compiles: what each stage makes of a sheet plays by its rules.
//!
//! - The ground rules, evaluated naively from the atoms that hold in a state, show what the rules show.
//! - So do the gates of the network on planes, in a lane among others.
//! - In any state, reachable or not, and under any moves, the planes show what the interpreter shows, for
//!   every instruction set and width; a network printed and read, and one whose gates were rebuilt one
//!   by one, mean what the network means.
//!
//! Sheets that do not ground within small limits are left alone. What rules show is the reference's to
//! say, which shares no code with these stages but the reader.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crosscheck::Dice;
use crosscheck::walk::{Limits, Shown, Steps, Trouble, walk};
use gdl::{ReadOptions, RoleId, Rulebook, Source};
use ground::{AtomId, AtomKind, BaseId, GroundLimits, GroundRules, InputId};
use index::{Id, IdSet, IndexVec};
use kernel::{Isa, Machine};
use net::{Gate, GateId, Gates, Net, State, Substitution, interpret};

/// Atoms and rules of a game that is looked at.
const ATOM_LIMIT: usize = 1_500;
/// Gates of its network.
const GATE_LIMIT: usize = 10_000;
/// Time for grounding, and for plays.
const TIME: Duration = Duration::from_millis(200);
/// Random plays, and steps of each.
const PLAYS: usize = 4;
const STEPS: usize = 12;
/// Random states in which planes and interpreter are compared.
const STATES: usize = 6;

/// Asserts every law of the game of a sheet, if it is one; whether it was.
///
/// # Panics
/// Where one is broken.
pub fn hold(bytes: &[u8]) -> bool {
    let Ok(source) = Source::from_bytes("sheet", bytes) else { return false };
    let Some(book) = gdl::read(source, &ReadOptions::default()).rulebook else { return false };
    let seed = bytes.iter().fold(7, |sum: u64, byte| sum.wrapping_mul(31) + u64::from(*byte));
    hold_book(&Arc::new(book), seed)
}

fn hold_book(book: &Arc<Rulebook>, seed: u64) -> bool {
    let deadline = Some(Instant::now() + TIME);
    let limits = GroundLimits { atoms: ATOM_LIMIT, deadline, ..GroundLimits::default() };
    let Ok(rules) = ground::ground(book, &limits) else { return false };
    let limits = net::LowerLimits { gates: GATE_LIMIT, ..Default::default() };
    let Ok(network) = net::lower(&rules, &limits) else { return false };
    let network = Arc::new(network);
    hold_plays(book, &mut Naive::new(rules), seed, "the ground rules");
    let widest = Isa::available().last().copied().expect("one works everywhere");
    hold_plays(book, &mut Planes::new(&network, widest), seed, "the planes");
    hold_anywhere(&network, &mut Dice::new(seed));
    true
}

/// Plays at random beside the rules.
fn hold_plays(book: &Arc<Rulebook>, compiled: &mut dyn Steps, seed: u64, what: &str) {
    let deadline = Some(Instant::now() + TIME);
    let limits = Limits { plays: PLAYS, steps: STEPS, seed, deadline };
    if let Err(Trouble::Differs(how)) = walk(book, compiled, &limits, &mut |_| {}) {
        panic!("{what} differ from the rules: {how}\n{book}");
    }
}

/// Ground rules, evaluated once a look by running over all of them until nothing is new.
struct Naive {
    rules: GroundRules,
    /// Strata by atom, and the highest: a negated atom lies below whoever denies it.
    strata: IndexVec<AtomId, usize>,
    state: IdSet<BaseId>,
}

impl Naive {
    fn new(rules: GroundRules) -> Self {
        let mut strata: IndexVec<AtomId, usize> = IndexVec::filled(0, rules.atoms.len());
        let mut grew = true;
        while grew {
            grew = false;
            for rule in &rules.rules {
                let least = rule.body.iter().map(|l| strata[l.atom] + usize::from(l.negated));
                let least = least.max().unwrap_or(0);
                assert!(least <= rules.atoms.len(), "negation goes round in a circle");
                grew |= least > strata[rule.head];
                strata[rule.head] = strata[rule.head].max(least);
            }
        }
        let state = rules.init.iter().copied().collect();
        Self { rules, strata, state }
    }

    /// All atoms that hold, given the moves that are made.
    fn holding(&self, joint: &[InputId]) -> IdSet<AtomId> {
        let is_given = |kind: &AtomKind| match kind {
            AtomKind::True(base) => self.state.contains(*base),
            AtomKind::Does(input) => joint.contains(input),
            _ => false,
        };
        let given = self.rules.atoms.enumerate().filter(|(_, kind)| is_given(kind));
        let mut held: IdSet<AtomId> = given.map(|(atom, _)| atom).collect();
        let highest = self.strata.iter().copied().max().unwrap_or(0);
        for stratum in 0..=highest {
            let mut grew = true;
            while grew {
                grew = false;
                for rule in self.rules.rules.iter().filter(|r| self.strata[r.head] == stratum) {
                    let mut body = rule.body.iter();
                    if body.all(|literal| held.contains(literal.atom) != literal.negated) {
                        grew |= held.insert(rule.head);
                    }
                }
            }
        }
        held
    }

    fn first(&self, role: RoleId) -> usize {
        self.rules.roles[role].inputs.start
    }
}

impl Steps for Naive {
    fn propositions(&self) -> Vec<String> {
        self.rules.base_texts.iter().cloned().collect()
    }

    fn moves(&self, role: RoleId) -> Vec<String> {
        let inputs = self.rules.roles[role].inputs.clone();
        inputs.map(|at| self.rules.inputs[InputId::from_index(at)].text.clone()).collect()
    }

    fn restart(&mut self) {
        self.state = self.rules.init.iter().copied().collect();
    }

    fn shown(&mut self) -> Shown {
        let roles = self.rules.roles.len();
        let mut shown = Shown {
            state: self.state.iter().map(BaseId::index).collect(),
            terminal: false,
            legal: IndexVec::filled(Vec::new(), roles),
            goals: IndexVec::filled(Vec::new(), roles),
        };
        for atom in self.holding(&[]).iter() {
            match self.rules.atoms[atom] {
                AtomKind::Terminal => shown.terminal = true,
                AtomKind::Goal(role, value) => shown.goals[role].push(value.into()),
                AtomKind::Legal(input) => {
                    let role = self.rules.inputs[input].role;
                    shown.legal[role].push(input.index() - self.first(role));
                }
                _ => {}
            }
        }
        shown.legal.iter_mut().for_each(|moves| moves.sort_unstable());
        shown.goals.iter_mut().for_each(|goals| goals.sort_unstable());
        shown
    }

    fn step(&mut self, joint: &[usize]) {
        let roles = self.rules.roles.ids().zip(joint);
        let joint: Vec<InputId> =
            roles.map(|(role, choice)| InputId::from_index(self.first(role) + choice)).collect();
        let held = self.holding(&joint);
        let next = held.iter().filter_map(|atom| match self.rules.atoms[atom] {
            AtomKind::Next(base) => Some(base),
            _ => None,
        });
        self.state = next.collect();
    }
}

/// A network on planes, played in one lane while the others stand elsewhere.
struct Planes {
    net: Arc<Net>,
    machine: Machine,
    lane: usize,
}

impl Planes {
    fn new(net: &Arc<Net>, isa: Isa) -> Self {
        let machine = Machine::new(Arc::clone(net), isa, 1);
        let lane = machine.lanes() / 2 + 1;
        Self { net: Arc::clone(net), machine, lane }
    }

    fn first(&self, role: RoleId) -> usize {
        self.net.roles[role].inputs.start
    }
}

impl Steps for Planes {
    fn propositions(&self) -> Vec<String> {
        self.net.bases.iter().cloned().collect()
    }

    fn moves(&self, role: RoleId) -> Vec<String> {
        self.net.moves(role).map(|input| self.net.inputs[input].clone()).collect()
    }

    fn restart(&mut self) {
        self.machine.load(self.lane, &interpret::initial(&self.net));
    }

    fn shown(&mut self) -> Shown {
        self.machine.look();
        let (state, view) = (self.machine.state(self.lane), self.machine.view(self.lane));
        let legal = |role: RoleId| {
            let moves = self.net.moves(role).filter(|&input| view.legal[input]);
            moves.map(|input| input.index() - self.first(role)).collect()
        };
        let goals = view.goals.iter().map(|goals| goals.iter().map(|&goal| goal.into()).collect());
        Shown {
            state: state.iter().map(BaseId::index).collect(),
            terminal: view.terminal,
            legal: self.net.roles.ids().map(legal).collect(),
            goals: goals.collect(),
        }
    }

    fn step(&mut self, joint: &[usize]) {
        for (role, &choice) in self.net.roles.ids().zip(joint) {
            let input = InputId::from_index(self.first(role) + choice);
            self.machine.choose(self.lane, input);
        }
        self.machine.step();
    }
}

/// Compares in random states under random moves, legal or not.
fn hold_anywhere(network: &Arc<Net>, dice: &mut Dice) {
    let printed = network.to_string();
    let read = net::parse_net(&printed).unwrap_or_else(|fault| panic!("{fault}:\n{printed}"));
    assert_eq!(read.to_string(), printed, "read and printed, it is another text");
    let rebuilt = rebuilt(network);
    assert_eq!(net::verify(&rebuilt), Ok(()), "rebuilt, it is unsound:\n{printed}");
    let states: Vec<State> =
        (0..STATES).map(|_| network.bases.ids().filter(|_| dice.chance(50)).collect()).collect();
    let joint = |dice: &mut Dice| -> Vec<InputId> {
        let roles = network.roles.ids().map(|role| network.moves(role).collect::<Vec<_>>());
        roles.filter(|moves| !moves.is_empty()).map(|moves| *dice.pick(&moves)).collect()
    };
    let joints: Vec<Vec<InputId>> = states.iter().map(|_| joint(dice)).collect();
    for (state, joint) in states.iter().zip(&joints) {
        for other in [&read, &rebuilt] {
            assert_eq!(interpret::view(other, state), interpret::view(network, state));
            let next = interpret::update(network, state, joint);
            assert_eq!(interpret::update(other, state, joint), next, "{printed}");
        }
    }
    for isa in Isa::available() {
        for words in [1, 4, 16] {
            let mut machine = Machine::new(Arc::clone(network), isa, words);
            hold_planes(network, &mut machine, &states, &joints);
        }
    }
}

fn hold_planes(network: &Net, machine: &mut Machine, states: &[State], joints: &[Vec<InputId>]) {
    let lane_of = |at: usize, lanes: usize| (at * 13 + 1) % lanes;
    let lanes = machine.lanes();
    assert!(states.len() <= lanes, "a lane for each state");
    for (at, (state, joint)) in states.iter().zip(joints).enumerate() {
        machine.load(lane_of(at, lanes), state);
        joint.iter().for_each(|&input| machine.choose(lane_of(at, lanes), input));
    }
    machine.look();
    for (at, state) in states.iter().enumerate() {
        assert_eq!(machine.view(lane_of(at, lanes)), interpret::view(network, state), "{network}");
    }
    machine.step();
    for (at, (state, joint)) in states.iter().zip(joints).enumerate() {
        let next = interpret::update(network, state, joint);
        assert_eq!(machine.state(lane_of(at, lanes)), next, "{network}");
    }
}

/// The same network with every gate made anew.
fn rebuilt(network: &Net) -> Net {
    let mut gates = Gates::new();
    let mut outputs: Vec<GateId> = network.legal.iter().copied().collect();
    outputs.push(network.terminal);
    outputs.extend(network.next.iter().copied());
    outputs.extend(network.roles.iter().flat_map(|role| role.goals.iter().map(|goal| goal.1)));
    let mut leaf = |_: Gate| None;
    let made = Substitution::new().rebuild(&network.gates, &outputs, &mut gates, &mut leaf);
    let mut made = made.into_iter();
    let mut next = || made.next().expect("a gate for each output");
    let mut copy = network.clone();
    copy.legal.iter_mut().for_each(|gate| *gate = next());
    copy.terminal = next();
    copy.next.iter_mut().for_each(|gate| *gate = next());
    copy.roles.iter_mut().flat_map(|role| &mut role.goals).for_each(|goal| goal.1 = next());
    copy.gates = gates;
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: &str = "(role a) (init (at 0)) (succ 0 1) (succ 1 2) (legal a go)
        (<= (legal a wait) (not (true (at 2))))
        (<= (next (at ?m)) (does a go) (true (at ?n)) (succ ?n ?m))
        (<= (next (at ?n)) (does a wait) (true (at ?n)))
        (<= terminal (true (at 2))) (<= (goal a 100) (true (at 2)))";

    fn book() -> Arc<Rulebook> {
        let reading = gdl::read(Source::new("test", SHEET), &ReadOptions::default());
        Arc::new(reading.rulebook.expect("a sheet"))
    }

    fn rules() -> GroundRules {
        ground::ground(&book(), &GroundLimits::default()).expect("it grounds")
    }

    #[test]
    fn a_sound_game_breaks_no_law() {
        assert!(hold_book(&book(), 3));
    }

    #[test]
    fn a_rule_that_is_left_out_is_noticed_whichever_it_is() {
        let all = rules().rules.len();
        let all_text = rules().to_string();
        assert!(all > 4, "{all_text}");
        for left_out in 0..all {
            let mut rules = rules();
            rules.rules.remove(left_out);
            rules.spans.remove(left_out);
            let played = std::panic::catch_unwind(|| {
                for seed in 0..20 {
                    hold_plays(&book(), &mut Naive::new(rules.clone()), seed, "planted rules");
                }
            });
            assert!(played.is_err(), "rule {left_out} is not missed of\n{all_text}");
        }
    }
}
