//! Every role for itself: what each gets where all maximise their own goal value.
//!
//! Backward induction over the states that can be reached, depth first, each position (a state and
//! the steps left) valued once by a vector of expected goal values. Chance roles play uniformly at
//! random, after the one role that chooses has chosen. A tie is broken by the order of the move
//! table ([`verdict::Shares`]).
//!
//! Always: every state that is met is checked: each role has a legal move, at an end each has one
//! goal value, and at most one role that is not chance has a choice. Where several choose at once
//! there need be no value without mixing, so that is refused with the state, as is play that can
//! return to a state without a horizon: the vectors of growing horizons need not settle.
//!
//! States are expanded one by one on the network itself: some microseconds a gate-list, so this is
//! for games of up to a million positions. Source: Kuhn, *Extensive games and the problem of
//! information* (1953), for the induction.

use std::rc::Rc;

use exact::Ratio;
use gdl::RoleId;
use index::IndexVec;
use kernel::FlawKind;
use net::interpret::{self, State, View};
use net::{BaseId, InputId};
use rustc_hash::{FxHashMap, FxHashSet};
use verdict::{Counts, Fault, HaltReason, Progress, Question, SharedMove, Shares, Stop, Watch};

use crate::Options;
use crate::game::{Game, unknown};
use crate::limits::{LONGEST_PLAY, Limits, WHOLE, deep_threads};

/// Bytes of a position beside its propositions and goal values.
const POSITION_BYTES: u64 = 160;

/// What every role gets where each maximises its own goal value; the role and the objective of the
/// question do not matter.
///
/// # Errors
/// A halt at a limit (nothing is known then), or a fault: of the game, several roles that choose
/// in one state, or play that can return.
pub fn each(question: &Question, options: &Options, watch: &Watch<'_>) -> Result<Shares, Stop> {
    let game = Game::new(question, options, watch)?;
    deep_threads(1)?.install(|| Players::new(&game, question, watch).shares())
}

/// A state and the steps left.
type Position = (Vec<BaseId>, Option<u32>);

/// What is known of a position.
#[derive(Clone)]
struct Worth {
    /// Expected goal values, by player.
    goals: Rc<[Ratio]>,
    /// Whether they may rest on the rule for ties, here or behind.
    tied: bool,
    /// Whether a state was unfinished at the horizon.
    cut: bool,
    /// Steps of the longest play that was followed.
    height: u32,
}

struct Players<'a> {
    game: &'a Game,
    question: &'a Question,
    watch: &'a Watch<'a>,
    limits: Limits,
    /// Roles that are not chance, in the order of the sheet.
    players: Vec<RoleId>,
    worths: FxHashMap<Position, Worth>,
    states: FxHashSet<Vec<BaseId>>,
    decisions: u64,
    path: Vec<Vec<BaseId>>,
    on_path: FxHashSet<Vec<BaseId>>,
    bytes: u64,
}

/// What one joint move of the players leads to.
struct Line {
    /// The move of the role that chooses; none where nobody does.
    choice: Option<InputId>,
    worth: Worth,
}

impl<'a> Players<'a> {
    fn new(game: &'a Game, question: &'a Question, watch: &'a Watch<'a>) -> Self {
        Self {
            game,
            question,
            watch,
            limits: Limits::new(),
            players: question.players().collect(),
            worths: FxHashMap::default(),
            states: FxHashSet::default(),
            decisions: 0,
            path: Vec::new(),
            on_path: FxHashSet::default(),
            bytes: 0,
        }
    }

    fn shares(mut self) -> Result<Shares, Stop> {
        let root = self.game.net.init.clone();
        let left = self.question.horizon;
        let worth = self.worth(&root, left)?;
        let state: State = root.iter().copied().collect();
        let view = interpret::view(&self.game.net, &state);
        let (mut chooser, mut moves) = (None, Vec::new());
        if !view.terminal && left != Some(0) {
            chooser = self.chooser(&root, &view)?;
            if chooser.is_some() {
                moves = self.first_moves(&root, &state, &view, chooser, &worth)?;
            }
        }
        let name = |role: &RoleId| self.question.rulebook.role_name(*role).to_owned();
        Ok(Shares {
            roles: self.players.iter().map(name).collect(),
            goals: worth.goals.to_vec(),
            chooser: chooser.as_ref().map(name),
            moves,
            tied: Some(worth.tied),
            cut: Some(worth.cut),
            counts: Counts {
                states: Some(self.states.len() as u64),
                decision_states: Some(self.decisions),
                stored: self.worths.len() as u64,
                plies: Some(worth.height),
                ..Counts::default()
            },
        })
    }

    fn first_moves(
        &mut self,
        root: &[BaseId],
        state: &State,
        view: &View,
        chooser: Option<RoleId>,
        worth: &Worth,
    ) -> Result<Vec<SharedMove>, Stop> {
        let left = self.question.horizon.map(|left| left - 1);
        self.enter(root)?;
        let lines = self.lines(state, view, chooser, left)?;
        self.leave();
        let taken = self.taken(&lines, chooser);
        assert_eq!(lines[taken].worth.goals, worth.goals, "the root is worth what it takes");
        let shown = |(place, line): (usize, &Line)| SharedMove {
            text: line.choice.map_or(String::new(), |input| self.game.net.inputs[input].clone()),
            goals: line.worth.goals.to_vec(),
            taken: place == taken,
        };
        Ok(lines.iter().enumerate().map(shown).collect())
    }

    fn worth(&mut self, bases: &[BaseId], left: Option<u32>) -> Result<Worth, Stop> {
        let position = (bases.to_vec(), left);
        if let Some(worth) = self.worths.get(&position) {
            return Ok(worth.clone());
        }
        self.keep_watch()?;
        let state: State = bases.iter().copied().collect();
        let view = interpret::view(&self.game.net, &state);
        let new = self.states.insert(position.0.clone());
        let worth = if view.terminal {
            self.ended(bases, &view)?
        } else {
            let chooser = self.chooser(bases, &view)?;
            self.decisions += u64::from(new && !self.waits(&view, chooser));
            match left {
                Some(0) => self.unfinished(),
                _ => self.induced(bases, &state, &view, chooser, left)?,
            }
        };
        assert_eq!(worth.goals.len(), self.players.len(), "a goal value a player");
        self.bytes += POSITION_BYTES + 8 * bases.len() as u64 + 64 * self.players.len() as u64;
        self.worths.insert(position, worth.clone());
        Ok(worth)
    }

    fn induced(
        &mut self,
        bases: &[BaseId],
        state: &State,
        view: &View,
        chooser: Option<RoleId>,
        left: Option<u32>,
    ) -> Result<Worth, Stop> {
        self.enter(bases)?;
        let lines = self.lines(state, view, chooser, left.map(|left| left - 1))?;
        self.leave();
        let taken = self.taken(&lines, chooser);
        let own = chooser.map(|role| self.place_of(role));
        let as_good = |line: &Line| {
            own.is_some_and(|own| line.worth.goals[own] == lines[taken].worth.goals[own])
                && line.worth.goals != lines[taken].worth.goals
        };
        // A line that is not taken can be worth too little by the rule for ties alone.
        Ok(Worth {
            tied: lines.iter().any(|line| line.worth.tied || as_good(line)),
            height: lines.iter().map(|line| line.worth.height).max().unwrap_or(0) + 1,
            ..lines[taken].worth.clone()
        })
    }

    fn place_of(&self, role: RoleId) -> usize {
        self.players.iter().position(|player| *player == role).expect("a player")
    }

    /// The first of the lines that are best for the role that chooses.
    fn taken(&self, lines: &[Line], chooser: Option<RoleId>) -> usize {
        let Some(own) = chooser.map(|role| self.place_of(role)) else {
            assert_eq!(lines.len(), 1, "nobody chooses");
            return 0;
        };
        let goal = |place: &usize| &lines[*place].worth.goals[own];
        let best = (0..lines.len()).rev().max_by(|one, other| goal(one).cmp(goal(other)));
        best.expect("a move")
    }

    /// One line a move of the role that chooses, in the order of the move table.
    fn lines(
        &mut self,
        state: &State,
        view: &View,
        chooser: Option<RoleId>,
        left: Option<u32>,
    ) -> Result<Vec<Line>, Stop> {
        let roles = self.game.net.roles.ids();
        let hands: IndexVec<RoleId, Vec<InputId>> =
            roles.map(|role| self.legal(view, role)).collect();
        let choices: Vec<Option<InputId>> = match chooser {
            Some(role) => hands[role].iter().map(|input| Some(*input)).collect(),
            None => vec![None],
        };
        let mut lines = Vec::with_capacity(choices.len());
        for choice in choices {
            let fixed = self.players.iter().map(|role| match choice {
                Some(input) if chooser == Some(*role) => input,
                _ => hands[*role][0],
            });
            let fixed: Vec<InputId> = fixed.collect();
            let worth = self.mean(state, &fixed, &hands, left)?;
            lines.push(Line { choice, worth });
        }
        Ok(lines)
    }

    fn legal(&self, view: &View, role: RoleId) -> Vec<InputId> {
        self.game.net.moves(role).filter(|input| view.legal[*input]).collect()
    }

    /// The mean over chance's joint moves, once the players' moves are fixed.
    fn mean(
        &mut self,
        state: &State,
        fixed: &[InputId],
        hands: &IndexVec<RoleId, Vec<InputId>>,
        left: Option<u32>,
    ) -> Result<Worth, Stop> {
        let mut joints = vec![fixed.to_vec()];
        for role in self.question.chance.iter() {
            let longer = |joint: &Vec<InputId>, input: &InputId| {
                let mut joint = joint.clone();
                joint.push(*input);
                joint
            };
            let all = joints.iter().flat_map(|joint| hands[role].iter().map(|i| longer(joint, i)));
            joints = all.collect();
        }
        let count = joints.len() as u64;
        let mut sum = Worth {
            goals: vec![Ratio::zero(); self.players.len()].into(),
            tied: false,
            cut: false,
            height: 0,
        };
        for joint in joints {
            let next: Vec<BaseId> =
                interpret::update(&self.game.net, state, &joint).iter().collect();
            sum.add(&self.worth(&next, left)?);
        }
        let share = Ratio::new(1u8, count);
        sum.goals = sum.goals.iter().map(|goal| goal * &share).collect();
        Ok(sum)
    }

    /// Goal values of a terminal state.
    fn ended(&self, bases: &[BaseId], view: &View) -> Result<Worth, Stop> {
        let mut goals = Vec::with_capacity(self.players.len());
        for &role in &self.players {
            match view.goals[role][..] {
                [goal] => goals.push(Ratio::new(goal, 1u8)),
                ref values => {
                    let fault = self.game.goal_fault(bases, role, values);
                    return Err(Stop::Faulty(Box::new(fault)));
                }
            }
        }
        Ok(Worth { goals: goals.into(), tied: false, cut: false, height: 0 })
    }

    fn unfinished(&self) -> Worth {
        let goals = vec![Ratio::zero(); self.players.len()].into();
        Worth { goals, tied: false, cut: true, height: 0 }
    }

    /// The one role that is not chance and has several moves.
    fn chooser(&self, bases: &[BaseId], view: &View) -> Result<Option<RoleId>, Stop> {
        for role in self.game.net.roles.ids() {
            if self.legal(view, role).is_empty() {
                let fault = self.game.fault(bases, &FlawKind::NoLegalMove(role));
                return Err(Stop::Faulty(Box::new(fault)));
            }
        }
        let several = self.players.iter().filter(|role| self.legal(view, **role).len() > 1);
        let choosing: Vec<RoleId> = several.copied().collect();
        match choosing[..] {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            [first, second, ..] => Err(self.simultaneous(bases, first, second)),
        }
    }

    fn waits(&self, view: &View, chooser: Option<RoleId>) -> bool {
        let several = |role: RoleId| self.legal(view, role).len() > 1;
        chooser.is_none() && self.question.chance.iter().any(several)
    }

    fn simultaneous(&self, bases: &[BaseId], first: RoleId, second: RoleId) -> Stop {
        let name = |role| self.question.rulebook.role_name(role);
        Stop::Faulty(Box::new(Fault {
            code: "simultaneous-choice",
            message: format!(
                "roles `{}` and `{}` choose in the same step of a reachable state",
                name(first),
                name(second)
            ),
            states: vec![self.game.state_text(bases)],
            span: None,
            notes: vec![
                "roles that each play for themselves must choose one at a time: there need be no \
                 value without mixing otherwise"
                    .to_owned(),
                "without `--players each` one role is asked about and all others oppose it"
                    .to_owned(),
            ],
        }))
    }

    /// Puts a state on the path; without a horizon it must not be there already.
    fn enter(&mut self, bases: &[BaseId]) -> Result<(), Stop> {
        if self.path.len() >= LONGEST_PLAY as usize {
            return Err(unknown(HaltReason::Depth, "a play is too long; give a `--horizon`"));
        }
        if self.question.horizon.is_none() && !self.on_path.insert(bases.to_vec()) {
            let from = self.path.iter().position(|state| state == bases);
            let cycle = &self.path[from.expect("a state of the path")..];
            return Err(Stop::Faulty(Box::new(self.game.endless(cycle))));
        }
        self.path.push(bases.to_vec());
        Ok(())
    }

    fn leave(&mut self) {
        let state = self.path.pop().expect("a state to leave");
        self.on_path.remove(&state);
    }

    fn keep_watch(&self) -> Result<(), Stop> {
        if self.worths.len().is_multiple_of(4096) {
            (self.watch.progress)(&Progress {
                phase: "search",
                ply: u32::try_from(self.path.len()).unwrap_or(u32::MAX),
                states: self.states.len() as u64,
                bytes: self.bytes,
                ..Progress::default()
            });
        }
        match self.limits.met(self.watch, self.bytes, WHOLE) {
            None => Ok(()),
            Some(reason) => {
                let advice = "give more of it, or bound the play with `--horizon`: goal values \
                              of several players have no bounds before all are known";
                Err(unknown(reason, advice))
            }
        }
    }
}

impl Worth {
    fn add(&mut self, other: &Self) {
        let goals = self.goals.iter().zip(other.goals.iter());
        self.goals = goals.map(|(sum, goal)| sum + goal).collect();
        self.tied |= other.tied;
        self.cut |= other.cut;
        self.height = self.height.max(other.height);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Limits as Bounds, question, under};

    /// a goes left or right. Left, b goes up (through a state in which nobody chooses) or down;
    /// right, a coin is tossed. The goals of a and b at each end are given.
    fn shares(ends: [(&str, u32, u32); 4]) -> Result<Shares, Stop> {
        let mut text = "(role a) (role b) (role random) (init start)
            (<= (legal a left) (true start)) (<= (legal a right) (true start))
            (<= (legal a noop) (not (true start)))
            (<= (legal b up) (true sl)) (<= (legal b down) (true sl))
            (<= (legal b noop) (not (true sl)))
            (<= (legal random heads) (true sr)) (<= (legal random tails) (true sr))
            (<= (legal random noop) (not (true sr)))
            (<= (next sl) (true start) (does a left)) (<= (next sr) (true start) (does a right))
            (<= (next climb) (true sl) (does b up)) (<= (next up) (true climb))
            (<= (next down) (true sl) (does b down))
            (<= (next heads) (true sr) (does random heads))
            (<= (next tails) (true sr) (does random tails))\n"
            .to_owned();
        for (end, a, b) in ends {
            text += &format!("(<= terminal (true {end})) (<= (goal a {a}) (true {end}))");
            text += &format!("(<= (goal b {b}) (true {end}))\n");
        }
        under(Bounds::default(), |watch| each(&question(&text), &Options::default(), watch))
    }

    fn numbers(goals: &[Ratio]) -> Vec<String> {
        let whole = |goal: &Ratio| goal.to_string().trim_end_matches("/1").to_owned();
        goals.iter().map(whole).collect()
    }

    #[test]
    fn each_takes_what_is_best_for_itself() {
        let coin = [("heads", 100, 0), ("tails", 0, 50)];
        // b goes down for 80, so that left is worth 20 to a, and right half of 100.
        let found = shares([("up", 100, 30), ("down", 20, 80), coin[0], coin[1]]);
        let found = found.expect("one chooses at a time");
        assert_eq!(found.roles, ["a", "b"]);
        assert_eq!(numbers(&found.goals), ["50", "25"]);
        assert_eq!(found.chooser.as_deref(), Some("a"));
        let lines: Vec<(&str, Vec<String>, bool)> = found
            .moves
            .iter()
            .map(|line| (line.text.as_str(), numbers(&line.goals), line.taken))
            .collect();
        let goals = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(lines, [("left", goals("20", "80"), false), ("right", goals("50", "25"), true)]);
        assert_eq!((found.tied, found.cut), (Some(false), Some(false)));
        // Of the eight states four are ends, and one waits for the coin.
        let counts = found.counts;
        assert_eq!(
            (counts.states, counts.decision_states, counts.plies),
            (Some(8), Some(3), Some(3))
        );
    }

    #[test]
    fn a_tie_is_told_where_it_matters_to_others() {
        let coin = [("heads", 100, 0), ("tails", 0, 50)];
        for (up, down, tied) in [(100, 0, true), (0, 100, true), (40, 40, false)] {
            let found = shares([("up", up, 60), ("down", down, 60), coin[0], coin[1]]);
            assert_eq!(found.expect("an answer").tied, Some(tied), "{up} {down}");
        }
    }

    /// A coin leads to one of two states, in each of which b may help a or not, at no cost.
    #[test]
    fn ties_behind_every_toss_are_told() {
        let text = "(role a) (role b) (role random) (init start) (side h) (side t) (legal a noop)
            (<= (legal b noop) (true start)) (<= (legal b help) (true (side ?s)))
            (<= (legal b noop) (true (side ?s)))
            (<= (legal random (toss ?s)) (side ?s) (true start))
            (<= (legal random noop) (not (true start)))
            (<= (next (side ?s)) (does random (toss ?s)))
            (<= (next helped) (does b help)) (<= (next left) (true (side ?s)) (does b noop))
            (<= terminal (true helped)) (<= terminal (true left))
            (<= (goal a 100) (true helped)) (<= (goal a 0) (true left))
            (<= (goal b 50) (true helped)) (<= (goal b 50) (true left))";
        let found =
            under(Bounds::default(), |watch| each(&question(text), &Options::default(), watch));
        assert_eq!(found.expect("one chooses at a time").tied, Some(true));
    }

    #[test]
    fn an_interrupt_ends_the_induction_before_it_begins() {
        let asked = question(
            "(role a) (init p) (legal a go) (next p) (<= terminal (true q)) (<= (next q) (true p)) (<= (goal a 100) (true q))",
        );
        let stopped = Bounds { interrupted: true, ..Bounds::default() };
        let ended = under(stopped, |watch| each(&asked, &Options::default(), watch));
        assert!(matches!(ended, Err(Stop::Halted(_))), "{ended:?}");
    }

    /// Both outcomes of a coin lead to ties: told twice, they are told still.
    #[test]
    fn sums_keep_what_any_part_says() {
        let worth = |goal: u32, tied, cut, height| Worth {
            goals: Rc::from([Ratio::new(goal, 100_u32)]),
            tied,
            cut,
            height,
        };
        for (own, other) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut sum = worth(20, own, other, 3);
            sum.add(&worth(30, other, own, 2));
            assert_eq!((sum.tied, sum.cut, sum.height), (own || other, own || other, 3));
            assert_eq!(*sum.goals, [Ratio::new(1_u8, 2_u8)]);
        }
    }

    #[test]
    fn what_is_told_of_memory_is_about_what_positions_take() {
        let asked = crate::testing::game("tic-tac-toe");
        let (bytes, states) = under(Bounds::default(), |watch| {
            let game = Game::new(&asked, &Options::default(), watch).expect("a game");
            let mut players = Players::new(&game, &asked, watch);
            players.worth(&game.net.init, None).expect("one chooses at a time");
            (players.bytes, players.worths.len() as u64)
        });
        assert_eq!(states, 5478);
        // Ten propositions hold in each state, and two players have goals.
        let (least, bytes) = (8 * 10 + 2 * 16, bytes / states);
        assert!(bytes >= least + POSITION_BYTES && bytes <= 8 * least, "{bytes} bytes a state");
    }
}
