//! One state of each orbit: a sweep by plies over a game's symmetries.
//!
//! States that automorphisms map to each other have the same value, and all are reachable in the
//! same number of steps, since automorphisms leave the initial state as it is ([`net::symmetry`]).
//! So children are replaced by the least of their images before they are made distinct, and a ply
//! keeps one state of each orbit. What the sweep says of all states stays true: each state kept
//! counts for as many as its orbit has. States that are passed through (`toss`) are counted by
//! those they come from; see [`Distinct`] for why that is right.
//!
//! Always: the root is its own orbit, so its moves are all there with their values. A level that an
//! automorphism does not keep leaves the symmetry unused, so that plies are disjoint as orbits.
//!
//! A search for automorphisms costs about as much as a fifth of compiling a game, or half of it. So
//! only for small networks is it made at once; else when so many states are kept that it is little
//! beside them. Plies that are there by then stay as they are, each state for itself, and those that
//! follow keep one state of each orbit.
//!
//! A part of the group of at most [`MOST_ELEMENTS`] elements is used, since each edge costs a look
//! at all of them.

use std::sync::Arc;

use index::IndexVec;
use kernel::{BLOCK_LANES, Expander, Mask, Orbits};
use net::symmetry::{Renaming, Symmetry};
use net::{BaseId, Net};
use verdict::Question;

use super::toss::Distinct;
use crate::Options;
use crate::game::Game;

/// Most elements of a group that are used.
const MOST_ELEMENTS: usize = 48;
/// Gates of a network whose symmetries are looked for at once: it takes less than a millisecond.
const SMALL_GATES: usize = 1000;
/// For larger ones, states that are kept before, for each gate: expanding them takes some twenty
/// times as long as the search.
const STATES_PER_GATE: u64 = 40;

/// What is known of a game's symmetry, and what the sweep's tables do with it.
#[derive(Clone, Debug)]
pub struct SymmetryChoice {
    /// The automorphisms that were found.
    pub found: Symmetry,
    /// Number of elements that are used, or why none is: the end of a sentence.
    pub used: Result<usize, &'static str>,
    /// States that are kept before they are.
    pub after: u64,
}

/// What the tables of a sweep would do with the symmetry of a game; `table` where the solved game
/// is written to a file.
pub fn symmetry_choice(
    game: &Game,
    expander: &dyn Expander,
    question: &Question,
    options: &Options,
    table: bool,
) -> SymmetryChoice {
    let level = level_of(game);
    let made = refusal(game, question, options, table)
        .map_or_else(|| orbits(game.symmetry(), level.as_ref(), expander), Err)
        .map(|orbits| orbits.order());
    SymmetryChoice { found: game.symmetry().clone(), used: made, after: after(&game.net) }
}

/// How many elements of a group tables would use from the start, where that is `least` or more of a
/// group as large; else 1.
pub(super) fn images(game: &Game, question: &Question, options: &Options, least: usize) -> usize {
    let unused = refusal(game, question, options, false).is_some() || after(&game.net) > 0;
    if unused || game.symmetry().order < least as u128 {
        return 1;
    }
    let Ok(expander) = game.expander(options) else { return 1 };
    let made = orbits(game.symmetry(), level_of(game).as_ref(), &*expander);
    made.map_or(1, |orbits| orbits.order())
}

/// Automorphisms of a small game that are their own inverses, those that move least first, and few of
/// them: what may exchange places of the dense tier.
pub(super) fn exchanges(game: &Game, options: &Options) -> Vec<Renaming> {
    const MOST: usize = 4;
    if !options.symmetry || after(&game.net) > 0 {
        return Vec::new();
    }
    let Some(first) = game.symmetry().generators.first() else { return Vec::new() };
    let group =
        net::symmetry::elements(first.bases.len(), &game.symmetry().generators, MOST_ELEMENTS);
    let moved = |renaming: &Renaming| renaming.enumerate().filter(|(from, to)| from != *to).count();
    let returns =
        |renaming: &Renaming| renaming.enumerate().all(|(from, to)| renaming[*to] == from);
    let mut found: Vec<Renaming> =
        group.into_iter().filter(|element| moved(element) > 0 && returns(element)).collect();
    found.sort_by_key(moved);
    found.truncate(MOST);
    found
}

/// Whether and when a sweep keeps one state of each orbit.
#[derive(Default)]
pub(super) enum Reduction {
    /// Never.
    #[default]
    None,
    /// When so many states are kept, if there are automorphisms.
    Later(u64, Box<Search>),
    /// From the start.
    Now(Box<Quotient>),
}

/// What a search for automorphisms needs.
pub(super) struct Search {
    net: Arc<Net>,
    asked: gdl::RoleId,
    level: Option<Weights>,
}

/// Weights of propositions that make up a level.
type Weights = IndexVec<BaseId, i64>;

impl Search {
    /// A search in a game.
    pub(super) fn of(game: &Game) -> Self {
        Self { net: Arc::clone(&game.net), asked: game.casting.asked, level: level_of(game) }
    }

    /// The orbits, where they are of use.
    pub(super) fn run(&self, expander: &dyn Expander) -> Option<Quotient> {
        let found = net::symmetry::find(&self.net, self.asked);
        orbits(&found, self.level.as_ref(), expander).ok().map(Quotient::of)
    }
}

impl Reduction {
    /// What suits the game; at once also where plies are kept for a later process, which has to do
    /// the same.
    pub(super) fn new(
        game: &Game,
        expander: &dyn Expander,
        question: &Question,
        options: &Options,
        (table, checkpoint): (bool, bool),
    ) -> Self {
        if refusal(game, question, options, table).is_some() {
            return Self::None;
        }
        let after = after(&game.net);
        if after > 0 && !checkpoint {
            return Self::Later(after, Box::new(Search::of(game)));
        }
        let made = orbits(game.symmetry(), level_of(game).as_ref(), expander);
        made.map_or(Self::None, |orbits| Self::Now(Box::new(Quotient::of(orbits))))
    }

    /// A checksum of the group that is used from the start.
    pub(super) fn fingerprint(&self) -> u64 {
        match self {
            Self::Now(quotient) => quotient.fingerprint(),
            _ => 0,
        }
    }
}

fn level_of(game: &Game) -> Option<Weights> {
    game.guesses.level.as_ref().map(|(weights, _)| weights.clone())
}

/// States that are kept before the symmetries of a network are looked for.
fn after(net: &Net) -> u64 {
    let gates = net.gates.len();
    if gates <= SMALL_GATES { 0 } else { gates as u64 * STATES_PER_GATE }
}

/// The orbits of a sweep by plies, if they are used; the sizes of those of a block.
pub(super) struct Quotient {
    orbits: Arc<Orbits>,
    /// The block weighed last.
    pub(super) weighed: Weighed,
}

/// How large the orbits of a block's states are.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    sizes: Vec<u32>,
    /// By size: the lanes of the block whose orbits have it.
    classes: Vec<(u32, Mask)>,
}

impl Quotient {
    fn of(orbits: Orbits) -> Self {
        Self { orbits: Arc::new(orbits), weighed: Weighed::default() }
    }

    /// The orbits, for another thread.
    pub(super) fn orbits(&self) -> Arc<Orbits> {
        Arc::clone(&self.orbits)
    }

    /// A checksum of the group.
    fn fingerprint(&self) -> u64 {
        let text: Vec<String> =
            self.orbits.group().iter().map(|element| format!("{element:?}")).collect();
        store::checksum(text.join("\n").as_bytes())
    }

    /// Whether a state is the only one of its orbit.
    pub(super) fn is_alone(&self, key: &[u64]) -> bool {
        let mut sizes = Vec::new();
        self.orbits.sizes(key, &mut sizes);
        sizes == [1]
    }

    /// Replaces each key by that of its orbit.
    pub(super) fn lessen(&self, keys: &mut [u64]) {
        self.orbits.lessen(keys);
    }

    /// Finds out how large the orbits of a block's states are.
    pub(super) fn weigh(&mut self, keys: &[u64]) {
        self.weighed.weigh(&self.orbits, keys);
    }

    /// The states in the orbits of some lanes of the block weighed last.
    pub(super) fn states(&self, lanes: &Mask) -> u64 {
        self.weighed.states(lanes)
    }

    /// Whether states passed through can be counted by those they come from.
    pub(super) fn counts(&self, distinct: &Distinct) -> bool {
        distinct.is_kept_by(&self.orbits)
    }
}

impl Weighed {
    /// Finds out how large the orbits of a block's states are.
    pub(super) fn weigh(&mut self, orbits: &Orbits, keys: &[u64]) {
        orbits.sizes(keys, &mut self.sizes);
        assert!(self.sizes.len() <= BLOCK_LANES, "one block");
        self.sort_lanes();
    }

    /// Takes each of so many states for itself.
    pub(super) fn take_all(&mut self, states: usize) {
        self.sizes.clear();
        self.sizes.resize(states, 1);
        self.sort_lanes();
    }

    fn sort_lanes(&mut self) {
        self.classes.clear();
        for (lane, &size) in self.sizes.iter().enumerate() {
            let at = match self.classes.iter().position(|(other, _)| *other == size) {
                Some(at) => at,
                None => {
                    self.classes.push((size, Mask::default()));
                    self.classes.len() - 1
                }
            };
            self.classes[at].1[lane / 64] |= 1 << (lane % 64);
        }
    }

    fn states(&self, lanes: &Mask) -> u64 {
        let count = |class: &Mask| -> u64 {
            class.iter().zip(lanes).map(|(one, other)| u64::from((one & other).count_ones())).sum()
        };
        self.classes.iter().map(|(size, class)| u64::from(*size) * count(class)).sum()
    }
}

/// Why the tables of a sweep do not use symmetry, whatever it is.
fn refusal(
    game: &Game,
    question: &Question,
    options: &Options,
    table: bool,
) -> Option<&'static str> {
    if !options.symmetry {
        Some("`--no-symmetry`")
    } else if table {
        Some("a table claims every state")
    } else if question.horizon.is_none() && game.guesses.level.is_none() {
        Some("the states do not tell how many steps were played")
    } else {
        None
    }
}

/// The orbits of packed states, or why there are none to be used.
fn orbits(
    found: &Symmetry,
    level: Option<&Weights>,
    expander: &dyn Expander,
) -> Result<Orbits, &'static str> {
    let Some(first) = found.generators.first() else { return Err("there is none") };
    let group = net::symmetry::elements(first.bases.len(), &found.generators, MOST_ELEMENTS);
    let orbits = Orbits::new(expander, &group).ok_or("packed states do not keep it")?;
    match level {
        Some(weights) if !keeps_level(expander, orbits.group(), weights) => {
            Err("the count of steps does not keep it")
        }
        _ => Ok(orbits),
    }
}

/// Whether images have the same level: each field of a key adds as much to the level of the image as
/// to its own, but for a difference that does not depend on what the field holds. These differences
/// add up to 0, as the initial state is its own image.
fn keeps_level(expander: &dyn Expander, group: &[Renaming], weights: &Weights) -> bool {
    let codes = expander.codes();
    group.iter().all(|element| {
        let change =
            |base: Option<BaseId>| base.map_or(0, |base| weights[element[base]] - weights[base]);
        codes.iter().all(|field| {
            let mut changes = field.iter().map(|(_, base)| change(*base));
            let first = changes.next();
            changes.all(|change| Some(change) == first)
        })
    })
}
