//! A level: a weighted count of the true propositions that equals the number of steps played.
//!
//! Computed: whole weights and an offset such that in every sampled state the offset plus the
//! weights of what holds is the number of steps since the start; none where no attempt finds one.
//! Where a level exists, a state occurs at one ply only, and plies need no search of their own.
//!
//! A weight for each proposition could be fitted to any sample and would fail on the next state,
//! so weights are tied together by what the texts share, from coarse to fine, and the first
//! attempt whose solution carries over to plays it was not fitted to is taken:
//! 1. for each relation, the number in an argument (`(step 7)`), and how many of it hold;
//! 2. also how many hold with this constant at this place (`(cell ? ? x)`), where the place knows
//!    few constants;
//! 3. the same for all places;
//! 4. also how many hold with all arguments but one alike (`(cell 1 2 ?)`);
//! 5. a weight a proposition.
//!
//! Always: the level is right in all samples handed in; elsewhere it is a guess. Equations are
//! solved modulo a prime and only those that the current solution breaks are added, so the cost is
//! the square of the rank times the unknowns, and linear in the samples.

use ground::BaseId;
use index::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::linear::System;
use crate::facts::spelling::{Spelling, number, outer};
use crate::gates::Net;
use crate::interpret::State;

/// Most unknowns of an attempt; a finer one is not tried.
const LIMIT_UNKNOWNS: usize = 600;
/// Most constants of a place that is narrow.
const NARROW: usize = 24;

/// Weights whose sum over a state's propositions, plus the offset, is its number of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// By proposition.
    pub weights: IndexVec<BaseId, i64>,
    /// What the empty state would have.
    pub offset: i64,
}

impl Level {
    /// The level of a state given by its true propositions.
    pub fn of(&self, state: impl IntoIterator<Item = BaseId>) -> i64 {
        state.into_iter().fold(self.offset, |sum, base| sum + self.weights[base])
    }
}

/// A level that is right in all states of these plays; each play starts at step 0.
pub fn guess_level(net: &Net, playouts: &[Vec<State>]) -> Option<Level> {
    let longest = playouts.iter().map(Vec::len).max()?;
    if longest < 2 {
        return None;
    }
    (1..=5).find_map(|detail| {
        let features = Features::new(net, detail);
        if features.count > LIMIT_UNKNOWNS {
            return None;
        }
        features.fit(playouts).filter(|level| level.is_right(playouts))
    })
}

impl Level {
    fn is_right(&self, playouts: &[Vec<State>]) -> bool {
        let right = |(step, state): (usize, &State)| self.of(state.iter()) == step as i64;
        playouts.iter().all(|play| play.iter().enumerate().all(right))
    }
}

/// What propositions share: each has a list of features with a factor; a feature is an unknown.
struct Features {
    of_base: IndexVec<BaseId, Vec<(usize, i64)>>,
    count: usize,
}

/// The name of a feature; the order of the kinds is the order of preference.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name {
    Number(String, usize, usize),
    Relation(String, usize),
    Constant(String, usize, usize, String),
    Alike(String, usize, usize, Vec<String>),
    Proposition(BaseId),
}

impl Features {
    /// The features up to a level of detail; unknown 0 is the offset.
    fn new(net: &Net, detail: usize) -> Self {
        let spellings: IndexVec<BaseId, Spelling> =
            net.bases.iter().map(|text| outer(text)).collect();
        let places = Places::new(&spellings);
        let named: Vec<Vec<(Name, i64)>> =
            spellings.enumerate().map(|(base, text)| names(base, text, detail, &places)).collect();
        let mut all: Vec<&Name> = named.iter().flatten().map(|(name, _)| name).collect();
        all.sort_unstable();
        all.dedup();
        let ids: FxHashMap<&Name, usize> =
            all.iter().enumerate().map(|(at, name)| (*name, at + 1)).collect();
        let of_base = named
            .iter()
            .map(|names| names.iter().map(|(name, factor)| (ids[name], *factor)).collect())
            .collect();
        Self { of_base, count: all.len() + 1 }
    }

    /// The equation of a state: the sum of its propositions' features.
    fn equation(&self, state: &State, sums: &mut [i64]) -> Vec<(usize, i64)> {
        let mut touched = vec![0];
        sums[0] = 1;
        for base in state.iter() {
            for &(feature, factor) in &self.of_base[base] {
                if sums[feature] == 0 {
                    touched.push(feature);
                }
                sums[feature] += factor;
            }
        }
        let equation = touched.into_iter().map(|at| (at, std::mem::take(&mut sums[at])));
        equation.filter(|(_, factor)| *factor != 0).collect()
    }

    /// Fits the first plays, and more where they need it; the last quarter must follow of itself.
    fn fit(&self, playouts: &[Vec<State>]) -> Option<Level> {
        let mut system = System::new(self.count);
        let mut sums = vec![0; self.count];
        let total: usize = playouts.iter().map(Vec::len).sum();
        let (mut at, mut last_broken) = (0, 0);
        for play in playouts {
            for (step, state) in play.iter().enumerate() {
                let equation = self.equation(state, &mut sums);
                if !system.fulfils(&equation, step as i64) {
                    system.add(&equation, step as i64).ok()?;
                    last_broken = at;
                }
                at += 1;
            }
        }
        debug_assert_eq!(at, total);
        let generalises = playouts.len() < 4 || last_broken < total - total / 4;
        if generalises { self.level(&system.whole()?) } else { None }
    }

    fn level(&self, solution: &[i64]) -> Option<Level> {
        assert_eq!(solution.len(), self.count);
        let weight = |features: &Vec<(usize, i64)>| {
            features.iter().try_fold(0i64, |sum, (feature, factor)| {
                sum.checked_add(factor.checked_mul(solution[*feature])?)
            })
        };
        let weights: Option<IndexVec<BaseId, i64>> = self.of_base.iter().map(weight).collect();
        let weights = weights?;
        let bounded = weights.iter().all(|weight| weight.unsigned_abs() < 1 << 40);
        bounded.then_some(Level { weights, offset: solution[0] })
    }
}

/// How many constants each place knows.
struct Places<'a> {
    constants: FxHashMap<(&'a str, usize, usize), FxHashSet<&'a str>>,
}

impl<'a> Places<'a> {
    fn new(spellings: &'a IndexVec<BaseId, Spelling>) -> Self {
        let mut constants: FxHashMap<_, FxHashSet<&str>> = FxHashMap::default();
        for Spelling { shape, args } in spellings {
            for (at, arg) in args.iter().enumerate() {
                constants.entry((shape.as_str(), args.len(), at)).or_default().insert(arg);
            }
        }
        Self { constants }
    }

    fn is_narrow(&self, shape: &str, arity: usize, at: usize) -> bool {
        self.constants[&(shape, arity, at)].len() <= NARROW
    }
}

/// The features of a proposition with their factors.
fn names(
    base: BaseId,
    spelling: &Spelling,
    detail: usize,
    places: &Places<'_>,
) -> Vec<(Name, i64)> {
    let Spelling { shape, args } = spelling;
    let arity = args.len();
    let mut names = vec![(Name::Relation(shape.clone(), arity), 1)];
    for (at, arg) in args.iter().enumerate() {
        if let Some(value) = number(arg).filter(|value| *value != 0) {
            names.push((Name::Number(shape.clone(), arity, at), value));
        }
        if detail >= 3 || (detail == 2 && places.is_narrow(shape, arity, at)) {
            names.push((Name::Constant(shape.clone(), arity, at, arg.clone()), 1));
        }
        if detail >= 4 {
            let rest = args.iter().enumerate().filter(|(other, _)| *other != at);
            let rest = rest.map(|(_, arg)| arg.clone()).collect();
            names.push((Name::Alike(shape.clone(), arity, at, rest), 1));
        }
    }
    if detail >= 5 {
        names.push((Name::Proposition(base), 1));
    }
    names
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;
    use crate::parse_net;
    use crate::random::Random;

    fn net(texts: &[String]) -> Net {
        let lines: Vec<String> =
            texts.iter().enumerate().map(|(at, text)| format!("b{at} \"{text}\"")).collect();
        parse_net(&lines.join("\n")).expect("a list of propositions")
    }

    fn state(net: &Net, texts: &[String]) -> State {
        let find = |text: &String| net.bases.iter().position(|held| held == text);
        texts.iter().map(|text| BaseId::from_index(find(text).expect("a known text"))).collect()
    }

    /// A line of cells filled one by one, each mark followed by a toss that settles its colour.
    #[test]
    fn cells_with_a_toss_after_each_mark() {
        const CELLS: usize = 8;
        let mut texts: Vec<String> = (0..CELLS)
            .flat_map(|cell| ["b", "x", "o"].map(|mark| format!("(cell {cell} {mark})")))
            .collect();
        texts.extend((0..CELLS).map(|cell| format!("(pending {cell})")));
        texts.push("(control x)".to_owned());
        let net = net(&texts);
        let mut random = Random::new(3);
        let plays: Vec<Vec<State>> = (0..40)
            .map(|_| {
                let mut cells = ["b"; CELLS];
                let mut play = Vec::new();
                for _ in 0..CELLS {
                    let free: Vec<usize> = (0..CELLS).filter(|cell| cells[*cell] == "b").collect();
                    let cell = free[random.below(free.len())];
                    let texts =
                        cells.iter().enumerate().map(|(at, mark)| format!("(cell {at} {mark})"));
                    let board: Vec<String> = texts.collect();
                    let pending = [&board[..], &[format!("(pending {cell})")]].concat();
                    let open = [&board[..], &["(control x)".to_owned()]].concat();
                    play.extend([state(&net, &open), state(&net, &pending)]);
                    cells[cell] = ["x", "o"][random.below(2)];
                }
                play
            })
            .collect();
        let level = guess_level(&net, &plays).expect("two steps a cell, one for the toss");
        let full: Vec<String> = (0..CELLS).map(|cell| format!("(cell {cell} x)")).collect();
        assert_eq!(level.of(state(&net, &full).iter()) - level.of([]), {
            let blank: Vec<String> = (0..CELLS).map(|cell| format!("(cell {cell} b)")).collect();
            level.of(state(&net, &blank).iter()) - level.of([]) + 2 * CELLS as i64
        });
    }

    #[test]
    fn a_counter_carries_over_to_steps_that_no_sample_saw() {
        let mut texts: Vec<String> = (0..90).map(|step| format!("(step {step})")).collect();
        texts.push("toss".to_owned());
        let net = net(&texts);
        let play: Vec<State> = (0..40)
            .map(|step| {
                let mut held = vec![format!("(step {})", step / 2)];
                held.extend((step % 2 == 1).then(|| "toss".to_owned()));
                state(&net, &held)
            })
            .collect();
        let level = guess_level(&net, &vec![play; 6]).expect("a counter and a phase");
        assert_eq!(level.of(state(&net, &["(step 80)".to_owned(), "toss".to_owned()]).iter()), 161);
    }

    /// Plays that begin with nothing, so that the offset is 0 and whatever comes new has to be fitted;
    /// then one relation holds in each state.
    fn plays_of(plays: &[Vec<&str>]) -> Option<Level> {
        let mut texts: Vec<String> = plays.iter().flatten().map(|text| text.to_string()).collect();
        texts.sort_unstable();
        texts.dedup();
        let net = net(&texts);
        let one = |text: &&str| state(&net, &[text.to_string()]);
        let play =
            |play: &Vec<&str>| [State::default()].into_iter().chain(play.iter().map(one)).collect();
        guess_level(&net, &plays.iter().map(play).collect::<Vec<_>>())
    }

    #[test]
    fn the_last_quarter_of_the_states_must_follow_from_those_before() {
        let fresh = ["ua", "ub", "uc", "ud", "ue", "uf", "ug", "uh"];
        // Twelve of sixteen states come before the last quarter; the first `new` plays end in a state
        // that was not there before, the seventh of them with the state of number 13.
        let even = |new: usize| -> Vec<Vec<&str>> {
            (0..8).map(|play| vec![fresh[if play < new { play } else { 0 }]]).collect()
        };
        for new in 1..=8 {
            assert_eq!(plays_of(&even(new)).is_some(), new <= 6, "{new}");
        }
        // The same with a state more at first, and one less at last: the sixth ends with number 12.
        for (new, is_some) in [(5, true), (6, false)] {
            let mut odd = even(new);
            odd[0].push("w");
            odd[7].clear();
            assert_eq!(plays_of(&odd).is_some(), is_some, "{new}");
        }
        // Of three plays each may bring something new; of four no longer.
        let each: Vec<Vec<&str>> = fresh.iter().map(|text| vec![*text]).collect();
        assert!(plays_of(&each[..3]).is_some());
        assert_eq!(plays_of(&each[..4]), None);
    }

    #[test]
    fn a_game_that_repeats_its_states_has_no_level() {
        let net = net(&["ping".to_owned(), "pong".to_owned()]);
        let play: Vec<State> =
            (0..9).map(|step| [BaseId::from_index(step % 2)].into_iter().collect()).collect();
        assert_eq!(guess_level(&net, &vec![play; 8]), None);
        assert_eq!(guess_level(&net, &[]), None);
    }
}
