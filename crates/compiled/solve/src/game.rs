//! A question made ready for a kernel: rules to network, guesses about the game, expander.
//!
//! Always: the network means the rules; everything in [`Guesses`] is a guess that the solving
//! engine checks on every state it reaches. A guess that breaks is taken back with
//! [`Game::forget_group`] or [`Game::forget_level`], and the solve starts again: a guess can cost
//! time, never truth.

use std::sync::{Arc, OnceLock};

use exact::Ratio;
use gdl::{RoleId, Rulebook, Span, keyword};
use ground::{GroundLimits, GroundRules};
use index::{Id, IndexVec};
use kernel::{Casting, Expander, FlawKind, PlaneKernel};
use net::symmetry::Symmetry;
use net::{BaseId, InputId, LowerFault, LowerLimits, Net};
use verdict::{Counts, Fault, Halt, HaltReason, Objective, Question, Stop, Watch};

use crate::Options;

/// Playouts from which guesses are made.
const PLAYOUTS: usize = 24;
/// States, of all plays, from which groups are guessed.
const SAMPLES: usize = 6000;
/// Gates that the playouts may evaluate together, so that a large game is not sampled for long.
const PLAYOUT_GATES: usize = 80_000_000;
/// Seed of the playouts: the same game always gets the same guesses.
const SEED: u64 = 0x0dd5;
/// Gates that a network may have.
const GATE_LIMIT: usize = 40_000_000;

/// What is guessed about a game, each to be checked by whoever relies on it.
#[derive(Clone, Debug, Default)]
pub struct Guesses {
    /// Disjoint sets of propositions of which exactly one holds.
    pub groups: Vec<Vec<BaseId>>,
    /// Weights and offset whose sum over the true propositions is the number of steps.
    pub level: Option<(IndexVec<BaseId, i64>, i64)>,
}

/// A question with its compiled game.
pub struct Game {
    /// The rules, for places of faults.
    pub rulebook: Arc<Rulebook>,
    /// The network, starting in the state asked about.
    pub net: Arc<Net>,
    /// Parts and payments.
    pub casting: Casting,
    /// Chance moves of equal effect, by chance role.
    pub classes: Vec<Vec<Vec<InputId>>>,
    /// Guesses.
    pub guesses: Guesses,
    /// Guesses that were taken back, in order.
    pub taken_back: Vec<TakenBack>,
    symmetry: OnceLock<Symmetry>,
}

/// A guess that was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// That a state determines its ply.
    Level,
    /// That exactly one of a group holds, by its place among the groups at that time.
    Group(usize),
}

impl TakenBack {
    /// As text: `level`, or `group` and a number.
    pub fn text(&self) -> String {
        match self {
            Self::Level => "level".to_owned(),
            Self::Group(place) => format!("group{place}"),
        }
    }

    /// Reads what [`TakenBack::text`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("group") {
            Some(place) => place.parse().ok().map(Self::Group),
            None => (text == "level").then_some(Self::Level),
        }
    }
}

impl Game {
    /// Compiles the game of a question.
    ///
    /// # Errors
    /// When the rules cannot be grounded, or the question does not fit the game.
    pub fn new(question: &Question, options: &Options, watch: &Watch<'_>) -> Result<Self, Stop> {
        check_question(question)?;
        let ground = grounded(question, options, watch)?;
        let mut net = lowered(&ground, watch)?;
        if let Some(state) = &question.from {
            net.init = from_state(&ground, question, state)?;
        }
        Ok(Self::of_net(question, net))
    }

    /// The game of a network whose roles are those of a question's rules.
    pub(crate) fn of_net(question: &Question, net: Net) -> Self {
        let casting = casting(question);
        let classes =
            casting.chance.iter().map(|role| net::facts::chance_classes(&net, *role)).collect();
        let guesses = guess(&net);
        let rulebook = Arc::clone(&question.rulebook);
        let net = Arc::new(net);
        let (taken_back, symmetry) = (Vec::new(), OnceLock::new());
        Self { rulebook, net, casting, classes, guesses, taken_back, symmetry }
    }

    /// The symmetries of the game, looked for when first asked about.
    pub fn symmetry(&self) -> &Symmetry {
        self.symmetry.get_or_init(|| net::symmetry::find(&self.net, self.casting.asked))
    }

    /// An expander for the game under the present guesses.
    ///
    /// # Errors
    /// When the tier that the options force does not fit the game.
    pub fn expander(&self, _options: &Options) -> Result<Box<dyn Expander>, Stop> {
        self.kernel().map(|kernel| Box::new(kernel) as Box<dyn Expander>)
    }

    /// The kernel over planes under the present guesses.
    ///
    /// # Errors
    /// When the game has too many joint moves.
    pub fn kernel(&self) -> Result<PlaneKernel, Stop> {
        let casting = self.casting.clone();
        PlaneKernel::new(Arc::clone(&self.net), casting, &self.guesses.groups, &self.classes)
            .map_err(|fault| match fault {
                kernel::KernelFault::TooManyJointMoves => faulty(
                    "too-many-joint-moves",
                    "the roles have too many joint moves to be numbered".to_owned(),
                    None,
                    vec!["declare or restrict the moves of the roles".to_owned()],
                ),
            })
    }

    /// Takes back the guess that exactly one of a group holds.
    ///
    /// # Panics
    /// When there is no such group.
    pub fn forget_group(&mut self, group: usize) {
        self.guesses.groups.remove(group);
        self.taken_back.push(TakenBack::Group(group));
    }

    /// Takes back the guess that a state determines its ply.
    pub fn forget_level(&mut self) {
        self.guesses.level = None;
        self.taken_back.push(TakenBack::Level);
    }

    /// Takes back guesses as an earlier solve did; `false` where there is no such guess.
    pub fn forget(&mut self, guesses: &[TakenBack]) -> bool {
        guesses.iter().all(|guess| match *guess {
            TakenBack::Level => {
                self.forget_level();
                true
            }
            TakenBack::Group(group) => {
                let there = group < self.guesses.groups.len();
                if there {
                    self.forget_group(group);
                }
                there
            }
        })
    }

    /// A checksum of what decides how a state is packed and in which order its children come: the
    /// fields and words of a key, the names of propositions and moves in their order, the groups, the
    /// start, whether a level is guessed, and the number of gates. The gates themselves are not in it:
    /// they follow from the rules and the version of the program, which a manifest tells as well.
    pub fn fingerprint(&self, expander: &dyn Expander) -> u64 {
        let net = &self.net;
        let mut text = format!("{:?} {} {}", expander.fields(), expander.words(), net.gates.len());
        let names = net.bases.iter().chain(net.inputs.iter());
        names.for_each(|name| {
            text.push('\n');
            text += name;
        });
        text += &format!("{:?}{:?}{}", self.guesses.groups, net.init, self.guesses.level.is_some());
        store::checksum(text.as_bytes())
    }

    /// A state as GDL text.
    pub fn state_text(&self, state: &[BaseId]) -> String {
        let texts: Vec<&str> = state.iter().map(|base| self.net.bases[*base].as_str()).collect();
        if texts.is_empty() { "(nothing is true)".to_owned() } else { texts.join(" ") }
    }

    /// A play that returns, as a fault of the question: the states of the cycle, then the first.
    pub fn endless(&self, cycle: &[Vec<BaseId>]) -> Fault {
        assert!(!cycle.is_empty(), "a cycle has a state");
        let text = |state: &Vec<BaseId>| self.state_text(state);
        let mut states: Vec<String> = cycle.iter().take(SHOWN_STATES).map(text).collect();
        if cycle.len() > SHOWN_STATES {
            states.push(format!("... and {} states more", cycle.len() - SHOWN_STATES));
        }
        states.push(text(&cycle[0]));
        let steps = cycle.len();
        let plural = if steps == 1 { "" } else { "s" };
        Fault {
            code: "endless-play",
            message: format!(
                "the game need not end: a play can return to a state after {steps} step{plural}"
            ),
            states,
            span: None,
            notes: vec!["`--horizon N` asks for the odds within N steps instead".into()],
        }
    }

    /// A flaw as a fault of the game, with the state that shows it.
    ///
    /// # Panics
    /// On a broken guess, which is no fault of the game.
    pub fn fault(&self, state: &[BaseId], kind: &FlawKind) -> Fault {
        let asked = self.casting.asked;
        match kind {
            FlawKind::NoLegalMove(role) => self.stuck(state, *role),
            FlawKind::SeveralGoals(goals) => self.goal_fault(state, asked, goals),
            FlawKind::NoGoal => {
                let note = "give the role a goal value there, or ask for `--objective win`";
                Fault { notes: vec![note.to_owned()], ..self.goal_fault(state, asked, &[]) }
            }
            FlawKind::GuessBroken(_) => unreachable!("a broken guess restarts the solve"),
        }
    }

    fn stuck(&self, state: &[BaseId], role: RoleId) -> Fault {
        let name = &self.net.roles[role].name;
        let note = "give every role a legal move wherever the game goes on (often `noop`), or make \
                    the state terminal";
        Fault {
            code: "no-legal-move",
            message: format!(
                "role `{name}` has no legal move in a reachable state that is not terminal"
            ),
            states: vec![self.state_text(state)],
            span: self.place(keyword::LEGAL, role),
            notes: vec![note.to_owned()],
        }
    }

    /// A fault of the game: a role has no goal value, or several, in a reachable terminal state.
    pub(crate) fn goal_fault(&self, state: &[BaseId], role: RoleId, goals: &[u8]) -> Fault {
        let name = &self.net.roles[role].name;
        let (code, message) = if goals.is_empty() {
            ("no-goal", format!("role `{name}` has no goal value in a reachable terminal state"))
        } else {
            let values: Vec<String> = goals.iter().map(u8::to_string).collect();
            let what = "has several goal values in a reachable terminal state";
            ("several-goals", format!("role `{name}` {what}: {}", values.join(", ")))
        };
        let note = "exactly one goal value must hold for each role in a terminal state";
        Fault {
            code,
            message,
            states: vec![self.state_text(state)],
            span: self.place(keyword::GOAL, role),
            notes: vec![note.to_owned()],
        }
    }

    /// The first rule that says what a flawed state has too little or too much of.
    fn place(&self, relation: gdl::SymbolId, role: RoleId) -> Option<Span> {
        let name = self.rulebook.roles[role];
        let about = |rule: &&gdl::Rule| {
            let mut args = rule.head.args.iter();
            rule.head.relation == relation
                && matches!(args.next(), Some(gdl::Term::Constant(held)) if *held == name)
        };
        let any = |rule: &&gdl::Rule| rule.head.relation == relation;
        let rules = &self.rulebook.rules;
        rules.iter().find(about).or_else(|| rules.iter().find(any)).map(|rule| rule.head.span)
    }
}

/// States of a cycle that a report shows at most.
const SHOWN_STATES: usize = 40;

fn faulty(code: &'static str, message: String, span: Option<Span>, notes: Vec<String>) -> Stop {
    Stop::Faulty(Box::new(Fault { code, message, states: Vec::new(), span, notes }))
}

/// Refuses a question that does not fit its game.
fn check_question(question: &Question) -> Result<(), Stop> {
    let role = question.rulebook.role_name(question.role);
    if question.chance.contains(question.role) {
        let message = format!("role `{role}` plays at random, so it has no best odds to ask for");
        return Err(faulty(
            "asked-role-is-chance",
            message,
            None,
            vec!["ask about a role that chooses its moves".to_owned()],
        ));
    }
    Ok(())
}

fn grounded(
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<GroundRules, Stop> {
    let limits = GroundLimits {
        atoms: options.ground_limit,
        interrupt: Some(watch.interrupt),
        deadline: watch.time.map(|time| watch.started + time),
        memory: watch.memory,
        ..GroundLimits::default()
    };
    ground::ground(&question.rulebook, &limits).map_err(|fault| match fault.code {
        "interrupted" => unknown(HaltReason::Interrupt, "let the rules be grounded"),
        "time" => unknown(HaltReason::Time, "give more `--time`: the rules were being grounded"),
        "memory" => {
            unknown(out_of_memory(watch), "give more `--memory`: the rules were being grounded")
        }
        _ => faulty(fault.code, fault.message, fault.span, fault.notes),
    })
}

fn lowered(ground: &GroundRules, watch: &Watch<'_>) -> Result<Net, Stop> {
    let limits = LowerLimits {
        gates: GATE_LIMIT,
        interrupt: Some(watch.interrupt),
        deadline: watch.time.map(|time| watch.started + time),
        memory: watch.memory,
    };
    net::lower(ground, &limits).map_err(|fault| match fault {
        LowerFault::Interrupted => unknown(HaltReason::Interrupt, "let the network be built"),
        LowerFault::OutOfTime => {
            unknown(HaltReason::Time, "give more `--time`: the network was being built")
        }
        LowerFault::OutOfMemory { .. } => {
            unknown(out_of_memory(watch), "give more `--memory`: the network was being built")
        }
        _ => faulty("network-too-large", fault.to_string(), fault.span(), Vec::new()),
    })
}

/// The limit on memory was met: more than that is needed, also where memory is free again by now.
fn out_of_memory(watch: &Watch<'_>) -> HaltReason {
    let held = store::resident_bytes().max(watch.memory);
    HaltReason::Memory { needed: held.unwrap_or(0) }
}

/// A limit that was met before anything is known.
pub(crate) fn unknown(reason: HaltReason, advice: &str) -> Stop {
    Stop::Halted(unknown_halt(reason, advice))
}

/// The same as a halt.
pub(crate) fn unknown_halt(reason: HaltReason, advice: &str) -> Box<Halt> {
    Box::new(Halt {
        reason,
        lower: Ratio::zero(),
        upper: Ratio::one(),
        choosers: Vec::new(),
        moves: Vec::new(),
        counts: Counts::default(),
        advice: advice.to_owned(),
        estimate: None,
    })
}

/// The propositions of a state given as terms, ascending.
fn from_state(
    ground: &GroundRules,
    question: &Question,
    state: &[gdl::Term],
) -> Result<Vec<BaseId>, Stop> {
    let mut bases = Vec::new();
    for term in state {
        let Some(base) = ground.find_base(term) else {
            let text = gdl::term_text(term, &question.rulebook.symbols);
            return Err(faulty(
                "unknown-proposition",
                format!("`{text}` can never be true in this game"),
                None,
                vec!["a state is a list of terms such as `(cell 1 1 b) (control x)`".to_owned()],
            ));
        };
        bases.push(base);
    }
    bases.sort_unstable();
    bases.dedup();
    Ok(bases)
}

fn casting(question: &Question) -> Casting {
    let mut payoffs = [0; 101];
    match question.objective {
        Objective::Win => payoffs[100] = 1,
        Objective::Goal => (0..=100).for_each(|goal| payoffs[goal as usize] = goal),
    }
    Casting {
        asked: question.role,
        opponents: question.opponents().collect(),
        chance: question.chance.iter().collect(),
        payoffs,
        goal_optional: question.objective == Objective::Win,
    }
}

/// The payment that stands for a value of 1.
pub(crate) fn top_payment(casting: &Casting) -> u32 {
    casting.payoffs[100]
}

/// Guesses from playouts.
fn guess(net: &Net) -> Guesses {
    // Plays run side by side, so that their number costs nothing and their length does.
    let steps = (PLAYOUT_GATES / net.gates.len()).clamp(16, 5000);
    let plays = net::facts::playouts(net, SEED, PLAYOUTS, steps);
    let states: usize = plays.iter().map(Vec::len).sum();
    let spread = plays.iter().flatten().step_by(states.div_ceil(SAMPLES).max(1));
    let samples: Vec<_> = spread.cloned().collect();
    let groups = net::facts::guess_groups(net, &samples);
    assert!(
        groups.iter().flatten().all(|base| base.index() < net.bases.len()),
        "groups are of this network"
    );
    let level = net::facts::guess_level(net, &plays).map(|level| (level.weights, level.offset));
    Guesses { groups, level }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::{self, under};

    #[test]
    fn fingerprints_tell_apart_what_packs_states_otherwise() {
        let compiled = |name: &str| {
            under(testing::Limits::default(), |watch| {
                Game::new(&testing::game(name), &Options::default(), watch).expect("a game")
            })
        };
        let print = |game: &Game| {
            let expander = game.expander(&Options::default()).expect("few moves");
            game.fingerprint(&*expander)
        };
        let names = ["tic-tac-toe", "stochastic-tic-tac-toe-3x3", "pig-5", "race"];
        let mut prints: BTreeSet<u64> = names.iter().map(|name| print(&compiled(name))).collect();
        assert_eq!(prints.len(), names.len());
        let known = prints.clone();
        assert!(names.iter().all(|name| known.contains(&print(&compiled(name)))), "the same again");
        // Without a group, and without a level, in whatever order they were taken back.
        let mut game = compiled("tic-tac-toe");
        game.forget_group(1);
        assert!(prints.insert(print(&game)), "a group less");
        game.forget_level();
        assert!(prints.insert(print(&game)), "no level");
        let mut again = compiled("tic-tac-toe");
        let taken: Vec<TakenBack> = game
            .taken_back
            .iter()
            .map(|guess| TakenBack::parse(&guess.text()).expect("what was written"))
            .collect();
        assert!(again.forget(&taken));
        assert_eq!(print(&again), print(&game));
        assert!(!again.forget(&[TakenBack::Group(1000)]), "there is no such group");
    }

    #[test]
    fn plays_that_return_are_told_by_their_states() {
        under(testing::Limits::default(), |watch| {
            let asked = testing::question(testing::WALK);
            let game = Game::new(&asked, &Options::default(), watch).expect("a game");
            let state = game.net.init.clone();
            let text = game.state_text(&state);
            for steps in [1, 2, SHOWN_STATES, SHOWN_STATES + 1, SHOWN_STATES + 5] {
                let fault = game.endless(&vec![state.clone(); steps]);
                let plural = if steps > 1 { "steps" } else { "step" };
                assert!(fault.message.ends_with(&format!("after {steps} {plural}")), "{fault:?}");
                let more = steps.saturating_sub(SHOWN_STATES);
                let shown = 1 + steps.min(SHOWN_STATES) + usize::from(more > 0);
                assert_eq!(fault.states.len(), shown, "{steps} steps");
                assert_eq!((&fault.states[0], fault.states.last()), (&text, Some(&text)));
                let left = fault.states.iter().find(|line| line.contains("more"));
                assert_eq!(left.is_some(), more > 0);
                assert!(left.is_none_or(|line| line.contains(&format!("{more} states"))));
            }
            assert_eq!(game.state_text(&[]), "(nothing is true)");
        });
    }
}
