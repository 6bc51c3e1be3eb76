//! The tier by clock: positions, which are states without their clock, expanded once for all steps.
//!
//! In many games something goes on whatever is played, a step counter above all ([`net::facts::Clock`]),
//! and the same position is met again and again at other steps. Steps of one class have the same
//! moves, ends and payments in every position. So a position is expanded once a class, by the kernel
//! and with all its checks, and what it leads to is kept by number ([`moves`]). A ply is then a set of
//! positions: forward, bits are moved from set to set; backward, values are folded along numbers
//! ([`values`]). With a horizon, games without a counter are done so too, since a play counts its own
//! steps.
//!
//! Always: that steps are of one class is proven; each position is expanded, and so checked, in each
//! class in which it is reached, and in no other.
//!
//! Where few positions are met again, this does what tables do, without their symmetries and disk:
//! unless it is asked for, it is left after some plies then.
//!
//! Source: DESIGN, section 9, on one-hot chains; here the chain is found and not only tables of it.

mod alike;
mod keys;
mod moves;
mod reached;
mod single;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use index::IdSet;
use kernel::{BLOCK_LANES, Casting, Expander, Expansion};
use net::Net;
use net::facts::{Clock, clock_bases};
use rustc_hash::FxHashMap;
use store::HugeVec;
use verdict::{HaltReason, Question, Stop, Verdict, Watch};

use super::dense::Disk;
use super::layers::{key_bits, reduce};
use super::plies::Run;
use super::table::{PlyKeys, Slots};
use super::{Ended, start};
use crate::backend::{Leaf, PlyCounts, RootEdge, Scale, SweepBackend, Trouble};
use crate::crew::Crew;
use crate::game::Game;
use crate::limits::{BACKWARD_SHARE, FORWARD_SHARE, Limits, WHOLE, refused};
use crate::{Options, Tier};
use keys::Cut;
use moves::{Line, Moves};
use reached::{Growing, Reached, bits};
use single::Single;
use values::Values;

/// States after which it is looked whether positions are met again, and how many states a position
/// has to stand for by then.
const TRIED: u64 = 40_000;
const WORTHWHILE: u64 = 4;

/// Why this tier does not do a game, as the end of a sentence.
const ONE_STEP: &str = "nothing in its states tells the steps, and none are bounded";
const GROUPS: &str = "its clock breaks a group";
const TOO_LARGE: &str = "its network takes too much room for each step of the clock";
const FEW_MEET: &str = "few positions are met at several steps";

/// What this tier would do with a question: positions that were expanded and classes of steps, of some
/// plies at the beginning; none where it would be left.
pub fn clock_choice(
    game: &Game,
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Option<(u64, usize)> {
    let bounded = question.horizon.is_some();
    if !matches!(options.tier, Tier::Auto | Tier::Clock) || !(bounded || ticks(game)) {
        return None;
    }
    let expander = game.expander(options).ok()?;
    let root = expander.pack(&game.net.init)?;
    let auto = Options { tier: Tier::Auto, ..*options };
    let plies = Plies::<0>::new(game, expander, &root, question, &auto);
    let mut plies = plies.ok()?;
    let looked = plies.look(question.horizon.unwrap_or(u32::MAX), watch);
    let expanded = plies.classes.iter().map(Moves::len).sum();
    (looked.is_ok() || options.tier == Tier::Clock).then_some((expanded, plies.classes.len()))
}

/// Solves by this tier where it suits; none where another is to answer.
///
/// # Errors
/// As other tiers; where this one is forced, why it cannot answer.
pub(super) fn attempt(
    game: &mut Game,
    question: &Question,
    options: &Options,
    disk: Disk,
    watch: &Watch<'_>,
) -> Result<Option<Verdict>, Stop> {
    let forced = options.tier == Tier::Clock;
    if !forced && options.tier != Tier::Auto {
        return Ok(None);
    }
    if disk.plies {
        let why = super::dense::unfit("clock", "plies are kept on disk");
        return if forced { Err(why) } else { Ok(None) };
    }
    loop {
        match solve(game, question, options, watch) {
            Ok(verdict) => return Ok(Some(verdict)),
            Err(Ended::Restart) => {}
            Err(Ended::Stop(Stop::Faulty(fault))) if !forced && fault.code == "tier" => {
                return Ok(None);
            }
            // Tables can leave memory.
            Err(Ended::Stop(Stop::Halted(halt)))
                if disk.spill && matches!(halt.reason, HaltReason::Memory { .. }) =>
            {
                return Ok(None);
            }
            Err(Ended::Stop(stop)) => return Err(stop),
        }
    }
}

fn solve(
    game: &mut Game,
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Verdict, Ended> {
    let bounded = question.horizon.is_some();
    if !bounded && !ticks(game) {
        return Err(Ended::Stop(super::dense::unfit("clock", ONE_STEP)));
    }
    let (expander, root) = start(game, options)?;
    let reader = expander.fork();
    let backend = match expander.words() {
        1 => Plies::<1>::boxed(game, expander, &root, question, options, watch),
        _ => Plies::<0>::boxed(game, expander, &root, question, options, watch),
    };
    let backend = backend.map_err(|trouble| super::end(game, &*reader, trouble))?;
    let run = Run { reader, backend, disjoint: !bounded, horizon: question.horizon };
    run.solve(game, options, watch)
}

/// That the game is not for this tier.
fn unfit(why: &str) -> Trouble {
    Trouble::Stopped(Box::new(super::dense::unfit("clock", why)))
}

/// Whether a game has a clock at all: a cheap look before anything is made.
fn ticks(game: &Game) -> bool {
    !clock_bases(&game.net).is_empty()
}

/// One ply.
struct Ply {
    reached: Reached,
    class: usize,
    /// What the clock holds, by number.
    state: usize,
}

/// Plies as sets of positions.
struct Plies<const W: usize> {
    expander: Box<dyn Expander>,
    cut: Cut,
    clock: Clock,
    /// What single positions are expanded from, and by what, once there were any.
    compiled: (Arc<Net>, Casting),
    single: Option<Single>,
    /// The clock's bits of keys at the newest ply, and those of the root.
    now: Vec<u64>,
    root: Vec<u64>,
    /// All positions, in order of discovery; the root is the first.
    keys: PlyKeys<W>,
    slots: Slots,
    classes: Vec<Moves>,
    plies: Vec<Ply>,
    /// What is told of plies that were expanded before the driver began.
    tried: Vec<PlyCounts>,
    /// By state of the clock, whether a ply had it; without a horizon none may come again.
    met: FxHashMap<usize, usize>,
    bounded: bool,
    growing: Growing,
    values: Values,
    crew: Crew,
    expansion: Expansion,
    ids: HugeVec<u32>,
    limits: Limits,
    /// Bytes of the sets of all plies.
    bytes: u64,
}

impl<const W: usize> Plies<W> {
    fn boxed(
        game: &Game,
        expander: Box<dyn Expander>,
        root: &[u64],
        question: &Question,
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Box<dyn SweepBackend>, Trouble> {
        let mut plies = Self::new(game, expander, root, question, options)?;
        if options.tier == Tier::Auto {
            plies.look(question.horizon.unwrap_or(u32::MAX), watch)?;
        }
        Ok(Box::new(plies))
    }

    fn new(
        game: &Game,
        expander: Box<dyn Expander>,
        root: &[u64],
        question: &Question,
        options: &Options,
    ) -> Result<Self, Trouble> {
        let clock = clock_bases(&game.net);
        let mut outside: IdSet<_> =
            game.net.bases.ids().filter(|base| !clock.contains(*base)).collect();
        let cut = Cut::new(&*expander, &clock, game.net.bases.len(), &mut outside);
        let bounded = question.horizon.is_some();
        if cut.is_whole() && !bounded {
            return Err(unfit(ONE_STEP));
        }
        let clock = Clock::new(Arc::clone(&game.net), game.casting.asked, &outside);
        let now = cut.clock(clock.holds()).ok_or_else(|| unfit(GROUPS))?;
        let mut slots = Slots::new(key_bits(&*expander));
        slots.reset(1).map_err(refused)?;
        let mut keys = PlyKeys::new(expander.words());
        let mut position = root.to_vec();
        cut.strip(&mut position);
        keys.insert_all(&mut slots, &position, &mut HugeVec::new()).map_err(refused)?;
        let first = Ply { reached: Reached::single(0), class: clock.class(), state: clock.state() };
        Ok(Self {
            expander,
            compiled: (Arc::clone(&game.net), game.casting.clone()),
            single: None,
            root: now.clone(),
            now,
            cut,
            keys,
            slots,
            classes: Vec::new(),
            bytes: first.reached.bytes(),
            met: FxHashMap::from_iter([(clock.state(), 0)]),
            plies: vec![first],
            clock,
            tried: Vec::new(),
            bounded,
            growing: Growing::default(),
            values: Values::default(),
            crew: Crew::new(options.threads, usize::MAX),
            expansion: Expansion::default(),
            ids: HugeVec::new(),
            limits: Limits::new(),
        })
    }

    /// Expands some plies, and looks whether positions are met again.
    fn look(&mut self, most: u32, watch: &Watch<'_>) -> Result<(), Trouble> {
        let mut states = 0;
        while states < TRIED && (self.tried.len() as u32) < most {
            let newest = self.plies.len() - 1;
            if self.plies[newest].reached.is_empty() {
                break;
            }
            match self.advance(1, watch) {
                Ok(counts) => {
                    states += counts.states;
                    self.tried.push(counts);
                }
                // The driver meets the limit again, and knows what follows.
                Err(Trouble::Limit(_)) => break,
                Err(trouble) => return Err(trouble),
            }
        }
        let expanded: u64 = self.classes.iter().map(Moves::len).sum();
        if states < WORTHWHILE * expanded { Err(unfit(FEW_MEET)) } else { Ok(()) }
    }

    /// Expands the positions of a ply that its class does not know yet; the clock stands at it.
    fn expand(&mut self, ply: usize, watch: &Watch<'_>) -> Result<(), Trouble> {
        let Ply { reached, class, .. } = &self.plies[ply];
        if self.classes.len() <= *class {
            self.classes.resize_with(*class + 1, Moves::default);
        }
        let known = &self.classes[*class].known;
        let fresh: Vec<usize> =
            reached.all().flat_map(|(word, set)| bits(word, set & !known.word(word))).collect();
        let (class, width) = (*class, self.expander.words());
        let alone = !fresh.is_empty() && single::suits(&self.compiled.0, fresh.len());
        let fresh = if alone { self.expand_single(&fresh, class)? } else { fresh };
        let mut keys = Vec::with_capacity(BLOCK_LANES * width);
        for block in fresh.chunks(BLOCK_LANES) {
            self.limits.check(watch, self.bytes(), FORWARD_SHARE)?;
            assert_eq!(ply + 1, self.plies.len(), "the clock stands at the newest ply");
            keys.clear();
            for position in block {
                let key = &self.keys.words()[position * width..(position + 1) * width];
                keys.extend(key.iter().zip(&self.now).map(|(rest, clock)| rest | clock));
            }
            let found = &mut self.expansion;
            let expanded = self.expander.expand(&keys, true, found);
            expanded.map_err(|flaw| Trouble::flaw(&keys, width, flaw))?;
            self.cut.strip(&mut found.children);
            self.ids.clear();
            let children = &found.children;
            self.keys.insert_all(&mut self.slots, children, &mut self.ids).map_err(refused)?;
            let count = self.keys.len();
            self.classes[class].take(block, found, self.ids.as_slice(), count);
        }
        Ok(())
    }

    /// Expands some positions one by one; those that are left are for the kernel.
    fn expand_single(&mut self, fresh: &[usize], class: usize) -> Result<Vec<usize>, Trouble> {
        let (net, casting) = &self.compiled;
        let single = self.single.get_or_insert_with(|| Single::new(net, casting, &self.cut));
        let width = self.expander.words();
        let mut left = Vec::new();
        for &position in fresh {
            let key = &self.keys.words()[position * width..(position + 1) * width];
            let key: Vec<u64> =
                key.iter().zip(&self.now).map(|(rest, clock)| rest | clock).collect();
            let Some(found) = single.expand(&key, &self.cut) else {
                left.push(position);
                continue;
            };
            self.ids.clear();
            let children = &found.children;
            self.keys.insert_all(&mut self.slots, children, &mut self.ids).map_err(refused)?;
            let count = self.keys.len();
            self.classes[class].take_single(position, &found, self.ids.as_slice(), count);
        }
        Ok(left)
    }

    /// What a ply holds, all of whose positions its class knows.
    fn count(&self, ply: usize) -> PlyCounts {
        let Ply { reached, class, .. } = &self.plies[ply];
        let moves = &self.classes[*class];
        let mut counts = PlyCounts {
            steps: 1,
            totals: moves.totals.clone(),
            simultaneous: moves.simultaneous,
            ..PlyCounts::default()
        };
        for (word, set) in reached.all() {
            let held = |marks: u64| u64::from((set & marks).count_ones());
            counts.states += held(u64::MAX);
            counts.terminal += held(moves.terminal.word(word));
            counts.decisions += held(moves.deciding.word(word));
        }
        counts
    }

    /// The positions that those of a ply lead to, and by how many edges.
    fn children(&mut self, ply: usize) -> (Reached, u64) {
        let Ply { reached, class, .. } = &self.plies[ply];
        let moves = &self.classes[*class];
        self.growing.reserve(self.keys.len());
        let (mut edges, mut low, mut high) = (0, usize::MAX, 0);
        for (word, set) in reached.all() {
            if let Some(shift) = moves.shift(word) {
                edges += shift.distances.len() as u64 * u64::from(set.count_ones());
                for distance in &*shift.distances {
                    let at = self.growing.add_shifted(word, set, *distance);
                    (low, high) = (low.min(at.start), high.max(at.end));
                }
                continue;
            }
            for position in bits(word, set & !moves.terminal.word(word)) {
                let Line::Open(_, children) = moves.line(position) else { continue };
                edges += children.len() as u64;
                for child in children {
                    let at = *child as usize / 64;
                    (low, high) = (low.min(at), high.max(at));
                    self.growing.add(at, 1 << (child % 64));
                }
            }
        }
        if low <= high {
            self.growing.touch(low, high);
        }
        (self.growing.finish(), edges)
    }

    /// The root's key with the clock's bits.
    fn root_key(&self) -> Vec<u64> {
        let position = &self.keys.words()[..self.expander.words()];
        position.iter().zip(&self.root).map(|(rest, clock)| rest | clock).collect()
    }
}

impl<const W: usize> SweepBackend for Plies<W> {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn tier(&self) -> &'static str {
        "clock"
    }

    fn plies(&self) -> usize {
        self.plies.len()
    }

    fn states(&self, ply: usize) -> u64 {
        self.plies[ply].reached.len()
    }

    fn bytes(&self) -> u64 {
        let moves: u64 = self.classes.iter().map(Moves::bytes).sum();
        let keys = self.keys.bytes() + self.slots.bytes() + self.ids.bytes();
        moves + keys + self.bytes + self.growing.bytes() + self.values.bytes()
    }

    fn resumed(&self) -> &[PlyCounts] {
        &self.tried
    }

    fn advance(&mut self, _most_steps: u32, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        self.limits.check(watch, self.bytes(), FORWARD_SHARE)?;
        let newest = self.plies.len() - 1;
        self.expand(newest, watch)?;
        let (reached, edges) = self.children(newest);
        let counts = PlyCounts { edges, ..self.count(newest) };
        if !self.clock.tick() {
            return Err(unfit(TOO_LARGE));
        }
        let state = self.clock.state();
        let again = self.met.insert(state, self.plies.len()).is_some();
        if again && !self.bounded && !reached.is_empty() {
            return Err(unfit(ONE_STEP));
        }
        if !reached.is_empty() {
            self.now = self.cut.clock(self.clock.holds()).ok_or_else(|| unfit(GROUPS))?;
        }
        self.bytes += reached.bytes();
        self.plies.push(Ply { reached, class: self.clock.class(), state });
        Ok(counts)
    }

    fn inspect(&mut self, watch: &Watch<'_>) -> Result<PlyCounts, Trouble> {
        let newest = self.plies.len() - 1;
        self.expand(newest, watch)?;
        Ok(PlyCounts { steps: 0, totals: Vec::new(), ..self.count(newest) })
    }

    fn back_up(
        &mut self,
        ply: usize,
        leaf: Leaf,
        scale: &Scale,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        if ply + 1 == self.plies.len() && !self.plies[ply].reached.is_empty() {
            self.expand(ply, watch)?;
        }
        let Ply { reached, class, .. } = &self.plies[ply];
        let needed = self.bytes() + self.values.needed(reached, scale);
        self.limits.check(watch, needed, BACKWARD_SHARE)?;
        let nothing = Moves::default();
        let moves = self.classes.get(*class).unwrap_or(&nothing);
        self.values.value(ply, (reached, moves), leaf, scale, &self.crew).map_err(refused)
    }

    fn root_edges(&mut self) -> Result<Vec<RootEdge>, Trouble> {
        assert!(self.plies.len() > 1, "the root was expanded");
        let (key, width) = (self.root_key(), self.expander.words());
        let found = &mut self.expansion;
        let expanded = self.expander.expand(&key, true, found);
        expanded.map_err(|flaw| Trouble::flaw(&key, width, flaw))?;
        self.cut.strip(&mut found.children);
        self.ids.clear();
        let known = self.keys.len();
        self.keys.insert_all(&mut self.slots, &found.children, &mut self.ids).map_err(refused)?;
        assert_eq!(self.keys.len(), known, "the root's children were found before");
        let mut shares = Vec::new();
        reduce(&found.joints, &mut shares);
        let valued = self.values.ply == Some(1);
        let edge = |((joint, (weight, total)), child): ((&kernel::Joint, &(u32, u32)), &u32)| {
            let value = if valued { self.values.at(*child as usize).to_vec() } else { Vec::new() };
            let (asked, opponents) = (joint.asked, joint.opponents);
            RootEdge { asked, opponents, weight: *weight, total: *total, value }
        };
        Ok(found.joints.iter().zip(&shares).zip(self.ids.as_slice()).map(edge).collect())
    }

    fn root_value(&self) -> Option<Vec<u64>> {
        (self.values.ply == Some(0)).then(|| self.values.at(0).to_vec())
    }

    fn distinct_states(&mut self, watch: &Watch<'_>) -> Result<(u64, u64), Trouble> {
        let mut by_state: Vec<(usize, usize)> =
            self.plies.iter().enumerate().map(|(at, ply)| (ply.state, at)).collect();
        by_state.sort_unstable();
        let (mut states, mut decisions) = (0, 0);
        for plies in by_state.chunk_by(|left, right| left.0 == right.0) {
            self.limits.check(watch, self.bytes(), WHOLE)?;
            self.growing.reserve(self.keys.len());
            for (_, at) in plies {
                let reached = &self.plies[*at].reached;
                reached.all().for_each(|(word, set)| self.growing.add(word, set));
                let range = reached.range();
                if !range.is_empty() {
                    self.growing.touch(range.start, range.end - 1);
                }
            }
            let all = self.growing.finish();
            states += all.len();
            let class = self.plies[plies[0].1].class;
            let Some(moves) = self.classes.get(class) else { continue };
            let deciding = all.all().map(|(word, set)| set & moves.deciding.word(word));
            decisions += deciding.map(|word| u64::from(word.count_ones())).sum::<u64>();
        }
        Ok((states, decisions))
    }
}
