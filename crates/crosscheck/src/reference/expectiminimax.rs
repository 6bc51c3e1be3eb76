//! Plain expectiminimax: the value of every state by the definition, each computed once.
//!
//! A value belongs to a state and the steps left (none without a horizon). The stack is explicit,
//! so plays of thousands of steps need no deep call stack. Without a horizon a state that is met
//! again on the path that leads to it is a cycle, which is not run through: small games with one
//! are valued by [`super::recurrent`], others end in a halt.

use exact::Ratio;
use rustc_hash::{FxHashMap, FxHashSet};
use verdict::{
    BoundedMove, Counts, Engine, Fault, FirstMove, Halt, HaltReason, Progress, Question, Stop,
    Verdict, Watch,
};

use super::graph::{Graph, Inner, Node, Place};
use super::recurrent;

/// The engine that plays by the rules alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Engine for Reference {
    fn name(&self) -> &str {
        "reference"
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let mut graph = Graph::new(question).map_err(faulty)?;
        let root = graph.root().map_err(faulty)?;
        let mut solve = Solve { graph, root, values: FxHashMap::default(), watch, cut: false };
        match solve.run() {
            Ok(()) => Ok(solve.verdict()),
            Err(Ended::Cycle) => solve.recur(),
            Err(Ended::Fault(fault)) => Err(faulty(fault)),
            Err(Ended::Limit(reason)) => Err(Stop::Halted(Box::new(solve.halt(reason)))),
        }
    }
}

fn faulty(fault: Fault) -> Stop {
    Stop::Faulty(Box::new(fault))
}

/// A state with the steps left.
type Key = (Place, Option<u32>);

/// Joint moves of one state that are gone through; more are a halt.
const JOINT_LIMIT: usize = 1 << 24;

/// Why a solve ended early.
enum Ended {
    Fault(Fault),
    /// A play returns to a state.
    Cycle,
    Limit(HaltReason),
}

/// What is known of a state with steps left.
struct Value {
    /// Its value.
    value: Ratio,
    /// Steps of the longest play from it, where there is one.
    height: Option<u32>,
}

struct Solve<'a> {
    graph: Graph<'a>,
    root: Place,
    values: FxHashMap<Key, Value>,
    watch: &'a Watch<'a>,
    cut: bool,
}

impl Solve<'_> {
    fn root_key(&self) -> Key {
        (self.root, self.graph.plays.question.horizon)
    }

    /// Values every key that the root needs, children first.
    fn run(&mut self) -> Result<(), Ended> {
        let mut path: Vec<(Key, usize)> = Vec::new();
        let mut on_path: FxHashSet<Key> = FxHashSet::default();
        let mut next = Some(self.root_key());
        loop {
            if let Some(key) = next.take().filter(|key| !self.values.contains_key(key)) {
                if !on_path.insert(key) {
                    return Err(Ended::Cycle);
                }
                self.keep_watch(path.len())?;
                if let Some(leaf) = self.leaf(key) {
                    self.values.insert(key, Value { value: leaf, height: Some(0) });
                    on_path.remove(&key);
                } else {
                    self.keep_size(key.0)?;
                    if !self.graph.expand(key.0, self.watch).map_err(Ended::Fault)? {
                        // The watch ran out, and says how.
                        next = Some(key);
                        on_path.remove(&key);
                        continue;
                    }
                    path.push((key, 0));
                }
            }
            let Some((key, at)) = path.last_mut() else { return Ok(()) };
            let (key, child) = (*key, *at);
            *at += 1;
            let children = &self.inner(key.0).children;
            if let Some(&place) = children.get(child) {
                next = Some((place, fewer(key.1)));
            } else {
                self.conclude(key);
                on_path.remove(&key);
                path.pop();
            }
        }
    }

    /// The value of a key that no step leads on from.
    fn leaf(&mut self, (place, left): Key) -> Option<Ratio> {
        match self.graph.node(place) {
            Node::Terminal(worth) => Some(worth.clone()),
            Node::Inner(_) if left == Some(0) => {
                self.cut = true;
                Some(Ratio::zero())
            }
            Node::Inner(_) => None,
        }
    }

    /// Values a key whose children have their values.
    fn conclude(&mut self, key: Key) {
        let inner = self.inner(key.0);
        let own = (0..inner.own).map(|own| self.after_own(key, own));
        let value = own.max().expect("every role has a move");
        assert!(value.is_probability(), "a value lies in [0, 1]");
        let heights =
            inner.children.iter().map(|place| self.values[&(*place, fewer(key.1))].height);
        let height = heights.max().flatten().expect("a joint move leads to a state with a height");
        self.values.insert(key, Value { value, height: Some(height + 1) });
    }

    /// The value once the asked role has chosen: the opponents choose knowing it.
    fn after_own(&self, key: Key, own: usize) -> Ratio {
        let choices = (0..self.inner(key.0).opposing).map(|choice| self.mean(key, own, choice));
        choices.min().expect("a coalition of none has one joint move")
    }

    /// The mean over the joint moves of chance, once all others have chosen.
    fn mean(&self, key: Key, own: usize, choice: usize) -> Ratio {
        let inner = self.inner(key.0);
        let first = (own * inner.opposing + choice) * inner.outcomes;
        let outcomes = &inner.children[first..first + inner.outcomes];
        let sum: Ratio =
            outcomes.iter().map(|place| &self.values[&(*place, fewer(key.1))].value).sum();
        sum / Ratio::new(inner.outcomes as u64, 1u8)
    }

    fn inner(&self, place: Place) -> &Inner {
        match self.graph.node(place) {
            Node::Inner(inner) => inner,
            Node::Terminal(_) => unreachable!("nobody moves in a terminal state"),
        }
    }

    /// Ends the solve at a limit.
    fn keep_watch(&self, depth: usize) -> Result<(), Ended> {
        let done = self.values.len() as u64;
        if self.watch.interrupted() {
            return Err(Ended::Limit(HaltReason::Interrupt));
        }
        if self.watch.spent() > 1.0 {
            return Err(Ended::Limit(HaltReason::Time));
        }
        if done.is_multiple_of(1024) {
            let held = store::resident_bytes().unwrap_or(0);
            if self.watch.memory.is_some_and(|limit| held > limit) {
                return Err(Ended::Limit(HaltReason::Memory { needed: held }));
            }
            let ply = u32::try_from(depth).unwrap_or(u32::MAX);
            let states = self.graph.nodes().len() as u64;
            let progress =
                Progress { phase: "reference", ply, states, bytes: held, ..Progress::default() };
            (self.watch.progress)(&progress);
        }
        Ok(())
    }

    /// Ends the solve before a state with more joint moves than can be held.
    fn keep_size(&self, place: Place) -> Result<(), Ended> {
        let joint = self.inner(place).joint_moves();
        if joint <= JOINT_LIMIT {
            return Ok(());
        }
        let needed = (joint as u64).saturating_mul(size_of::<Place>() as u64);
        Err(Ended::Limit(HaltReason::Memory { needed }))
    }

    /// The answer where a play returns to a state.
    fn recur(&mut self) -> Result<Verdict, Stop> {
        let Some(values) = recurrent::values(&mut self.graph, self.watch).map_err(faulty)? else {
            return Err(Stop::Halted(Box::new(self.halt(HaltReason::Recurrence))));
        };
        self.values.clear();
        for (place, value) in values.into_iter().enumerate() {
            self.values.insert((place, None), Value { value, height: None });
        }
        Ok(self.verdict())
    }

    /// Names of the choosers and the text of each of their first moves, with the index of that
    /// move among the joint moves of its side; and whether that side is the asked role.
    fn first_moves(&self) -> (Vec<String>, Vec<String>, bool) {
        let question = self.graph.plays.question;
        let Node::Inner(inner) = self.graph.node(self.root) else {
            return (Vec::new(), Vec::new(), true);
        };
        let by_opponents = inner.own == 1 && inner.opposing > 1;
        let several = |role: &gdl::RoleId| inner.moves[index::Id::index(*role)].len() > 1;
        let choosers: Vec<gdl::RoleId> = if by_opponents {
            question.opponents().filter(several).collect()
        } else {
            vec![question.role]
        };
        let names = choosers.iter().map(|role| question.rulebook.role_name(*role).to_owned());
        let names: Vec<String> = names.collect();
        let mut texts = vec![String::new()];
        for (role, name) in choosers.iter().zip(&names) {
            let mut longer = Vec::new();
            for before in &texts {
                for id in &inner.moves[index::Id::index(*role)] {
                    let text = self.graph.plays.simulator.text(*id);
                    let (gap, single) =
                        (if before.is_empty() { "" } else { " " }, names.len() == 1);
                    let text = if single { text } else { format!("({name} {text})") };
                    longer.push(format!("{before}{gap}{text}"));
                }
            }
            texts = longer;
        }
        (names, texts, !by_opponents)
    }

    fn counts(&self) -> Counts {
        let decides = |node: &&Node| matches!(node, Node::Inner(i) if !i.waits_for_chance());
        let nodes = self.graph.nodes();
        Counts {
            states: Some(nodes.len() as u64),
            decision_states: Some(nodes.iter().filter(decides).count() as u64),
            stored: self.values.len() as u64,
            plies: self.values.get(&self.root_key()).and_then(|value| value.height),
            apart: None,
            translation: None,
        }
    }

    fn verdict(&self) -> Verdict {
        let key = self.root_key();
        let (mut choosers, mut moves) = (Vec::new(), Vec::new());
        if self.graph.plays.question.horizon != Some(0) {
            let (names, texts, own) = self.first_moves();
            let value = |at| if own { self.after_own(key, at) } else { self.mean(key, 0, at) };
            moves = texts
                .into_iter()
                .enumerate()
                .map(|(at, text)| FirstMove { text, value: value(at) })
                .collect();
            choosers = names;
        }
        let both_choose = |node: &Node| matches!(node, Node::Inner(i) if i.is_simultaneous_step());
        Verdict {
            value: self.values[&key].value.clone(),
            choosers,
            moves,
            cut: self.cut,
            simultaneous: self.graph.nodes().iter().any(both_choose),
            checked: true,
            counts: self.counts(),
        }
    }

    /// All that is certain at a limit is that values lie in [0, 1].
    fn halt(&self, reason: HaltReason) -> Halt {
        let (choosers, texts, _) = self.first_moves();
        let (lower, upper) = (Ratio::zero(), Ratio::one());
        let bounded = |text| BoundedMove {
            text,
            lower: Ratio::zero(),
            upper: Ratio::one(),
            dominated: false,
        };
        let moves = texts.into_iter().map(bounded).collect();
        let advice = "the reference is made for small games: use another engine".into();
        Halt {
            reason,
            lower,
            upper,
            choosers,
            moves,
            counts: self.counts(),
            advice,
            estimate: None,
        }
    }
}

fn fewer(left: Option<u32>) -> Option<u32> {
    left.map(|steps| steps.checked_sub(1).expect("steps are left where a step is made"))
}
