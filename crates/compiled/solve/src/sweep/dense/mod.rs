//! The dense tier: states by their place, not by stored keys.
//!
//! Where a game comes apart into phases and digits (crate `factor`), a state is a number in mixed
//! radix, and all tables ascend: one pass over the places, parents first, finds the states reached
//! ([`reach`]), one pass back their values ([`value`]), both slab by slab and on several threads
//! ([`schedule`]). No key is stored, nothing is hashed
//! or sorted, and children are found by adding a constant. A place of a block that is reached costs 4
//! or 8 bytes of values and a few bits, so where few places are reached ([`Reached::is_sparse`]) the
//! tier of tables goes on.
//!
//! Always: digits, tables and levels are proven before the first pass; the view (ends, goals,
//! legal moves) is evaluated on every state reached, and each is checked for well-formedness. A
//! flaw is shown by the tier of tables, which is asked then. Values are whole numbers over the
//! denominator of their level, exact; a game whose denominators do not fit in 64 bits is declined.
//!
//! Source of the arrangement: notes on dense blocks in DESIGN; the bitmap over a mixed-radix index
//! is what hand-written solvers of connect do.

mod arenas;
mod choices;
mod exchange;
mod layout;
mod planes;
mod reach;
mod reached;
mod schedule;
mod shelf;
mod steps;
#[cfg(test)]
mod tests;
mod twins;
mod value;

use exact::Ratio;
use factor::{Factored, Parts, Refusal};
use index::Id;
use kernel::{BLOCK_LANES, Expander};
use net::symmetry::Renaming;
use verdict::{Counts, Fault, HaltReason, Question, Stop, Verdict, Watch};

use super::symmetry;
use crate::crew::{self, Crew};
use crate::first_moves::{FirstMoves, PairValue};
use crate::game::unknown;
use crate::game::{Game, top_payment};
use crate::limits::Limits;
use crate::{Options, Tier};
use arenas::Arenas;
use choices::Choices;
use layout::Layout;
use planes::Planes;
use reach::Stopped;
use reached::Reached;
use schedule::{Schedule, Twins};
use shelf::Shelf;
use steps::Steps;

/// Shifts between two looks at the limits, and blocks at most.
const PATIENCE: usize = 1 << 13;
const MOST_PATIENCE: usize = 256;

/// Blocks that one thread does as fast as several.
const FEW_BLOCKS: usize = 256;

/// Images of a state from which on tables that keep one of them suit better: they take half the
/// memory then and about the same processor time, as an edge costs them some eight times what it
/// costs places (`benches/record/tic-tac-toe-4x4.md`). That places are shared by threads is left out of
/// account: what fits in memory is the harder limit.
const MANY_IMAGES: usize = 8;

/// Values that joined digits may have together.
const JOINED: usize = 32;
const _: () = assert!(JOINED <= BLOCK_LANES);

/// Why the dense tier gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declined {
    /// The game does not fit, as the end of a sentence.
    Unfit(&'static str),
    /// A state breaks a rule of the language, or a limit was met: the other tier tells.
    Flawed,
    /// A limit.
    Limit(HaltReason),
}

impl From<Refusal> for Declined {
    fn from(refusal: Refusal) -> Self {
        Self::Unfit(refusal.0)
    }
}

/// Whether a game is solved by this tier, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TierChoice {
    /// It is.
    Dense {
        /// Numbers of values of its digits.
        sizes: Vec<usize>,
        /// Places for states.
        places: u64,
        /// Whether a symmetry exchanges digits, so that about half of the places are copied.
        exchanged: bool,
    },
    /// It is not, for this reason, the end of a sentence.
    Table(&'static str),
}

/// What else is asked of a solve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Disk {
    /// Plies are kept, in a checkpoint or a table.
    pub(super) plies: bool,
    /// What does not fit in memory goes to disk.
    pub(super) spill: bool,
}

/// What the sweep would do with a question, nothing being kept on disk.
pub fn tier_choice(game: &Game, question: &Question, options: &Options) -> TierChoice {
    match plan(game, question, options, Disk::default()) {
        Ok(plan) => {
            let (sizes, places) = plan.sizes();
            TierChoice::Dense { sizes, places, exchanged: plan.exchanges() }
        }
        Err(refusal) => TierChoice::Table(refusal.0),
    }
}

fn plan(game: &Game, question: &Question, options: &Options, disk: Disk) -> Result<Plan, Refusal> {
    if matches!(options.tier, Tier::Table | Tier::Clock) {
        return Err(Refusal("it was asked for"));
    }
    if question.horizon.is_some() {
        return Err(Refusal("the steps are bounded"));
    }
    if options.approximate || options.width.is_some() {
        return Err(Refusal("bounds are asked for"));
    }
    if !options.fold {
        return Err(Refusal("states that wait for chance are to be kept"));
    }
    if disk.plies {
        return Err(Refusal("plies are kept on disk"));
    }
    let plan = Plan::new(game, None, options.threads)?;
    // Symmetries are not looked for where it makes little difference.
    if plan.layout.blocks < FEW_BLOCKS {
        return Ok(plan);
    }
    let even = symmetry::exchanges(game, options).iter().find_map(|renaming| {
        let even = Plan::new(game, Some(renaming), options.threads).ok()?;
        even.exchanges().then_some(even)
    });
    // Half of the places are copied then.
    let many = if even.is_some() { 2 * MANY_IMAGES } else { MANY_IMAGES };
    if options.tier == Tier::Auto && symmetry::images(game, question, options, many) >= many {
        return Err(Refusal("of many symmetric states, tables keep one"));
    }
    Ok(even.unwrap_or(plan))
}

/// Solves by this tier where it suits; none where another tier is to answer.
///
/// # Errors
/// Where this tier is forced: why it cannot answer.
pub(super) fn attempt(
    game: &Game,
    question: &Question,
    options: &Options,
    disk: Disk,
    watch: &Watch<'_>,
) -> Result<Option<Verdict>, Stop> {
    let forced = options.tier == Tier::Dense;
    let tight = |plan: &Plan| {
        // Tables can leave memory, values by place cannot.
        watch.memory.filter(|_| disk.spill).is_some_and(|limit| plan.most_bytes() > limit)
    };
    let solved = plan(game, question, options, disk).map_err(Declined::from).and_then(|plan| {
        if tight(&plan) {
            return Err(Declined::Unfit("its places may not fit in memory"));
        }
        plan.solve(game, options, watch)
    });
    match solved {
        Ok(verdict) => Ok(Some(verdict)),
        Err(Declined::Unfit(why)) if forced => Err(unfit("dense", why)),
        Err(Declined::Limit(reason)) if forced => {
            let advice = super::plies::advice(&reason);
            Err(unknown(reason, &advice))
        }
        Err(_) => Ok(None),
    }
}

/// That a tier which was asked for does not do this.
pub(super) fn unfit(tier: &str, why: &str) -> Stop {
    Stop::Faulty(Box::new(Fault {
        code: "tier",
        message: format!("this question is not for `--tier {tier}`: {why}"),
        states: Vec::new(),
        span: None,
        notes: vec!["leave `--tier` out: the sweep then takes the tier that suits".to_owned()],
    }))
}

/// A game ready for its passes.
pub(super) struct Dense<'a> {
    game: &'a Factored,
    layout: &'a Layout,
    steps: &'a Steps,
    choices: &'a Choices,
    /// The order of work backward, and forward.
    schedule: &'a Schedule,
    forward: &'a Schedule,
    lowest: &'a [usize],
    /// The highest level that rows and lanes add.
    highest: usize,
}

/// A game arranged for the dense tier.
pub(crate) struct Plan {
    game: Factored,
    layout: Layout,
    steps: Steps,
    choices: Choices,
    schedule: Schedule,
    forward: Schedule,
    /// By chunk: the lowest level that rows and lanes add.
    lowest: Vec<usize>,
}

impl Plan {
    /// Takes a game apart and arranges it, for so many threads; so that an automorphism exchanges
    /// places, where one is given and does.
    ///
    /// # Errors
    /// Why it does not fit.
    pub(crate) fn new(
        game: &Game,
        renaming: Option<&Renaming>,
        threads: Option<usize>,
    ) -> Result<Self, Refusal> {
        let (weights, offset) =
            game.guesses.level.as_ref().ok_or(Refusal("a state does not tell its ply"))?;
        let casting = &game.casting;
        let parts = Parts {
            asked: casting.asked,
            opponents: casting.opponents.clone(),
            chance: casting.chance.clone(),
        };
        let factored = factor::factor(&game.net, &parts, &game.guesses.groups, JOINED, renaming)?;
        let levels = factor::levels(&factored, weights, *offset)
            .ok_or(Refusal("the digits do not tell the ply"))?;
        let partners = factored.exchange.iter().flat_map(|partners| partners.iter().enumerate());
        if partners.into_iter().any(|(digit, to)| levels.digits[digit] != levels.digits[*to]) {
            return Err(Refusal("its symmetry does not keep the count of steps"));
        }
        let steps = Steps::new(&factored, &levels, top_payment(casting))?;
        let layout =
            Layout::new(&factored).ok_or(Refusal("there are too many places for states"))?;
        let choices = Choices::new(&factored, &layout, &steps)
            .ok_or(Refusal("there are too many choices"))?;
        // What a task reaches in others costs more than what twins spare, so that of several threads
        // each works on all places forward.
        let twins = match crew::useful(threads) {
            1 => [Twins::Together; 2],
            _ => [Twins::ByTask, Twins::Apart],
        };
        let [schedule, forward] = twins.map(|twins| Schedule::new(&factored, &layout, twins));
        let lowest = (0..layout.chunks).map(|chunk| {
            let rows = (0..layout.rows()).filter_map(|row| layout.row_value(chunk, row));
            let rows = rows.map(|row| layout.row.map_or(0, |digit| steps.part(digit, row)));
            let lanes = steps.parts[layout.lane].iter().copied().min().unwrap_or(0);
            rows.min().unwrap_or(0) + lanes as usize
        });
        let lowest = lowest.collect();
        Ok(Self { game: factored, layout, steps, choices, schedule, forward, lowest })
    }

    fn dense(&self) -> Dense<'_> {
        let Self { game, layout, steps, choices, schedule, forward, lowest } = self;
        let of = |digit: usize| steps.parts[digit].iter().copied().max().unwrap_or(0) as usize;
        let highest = of(layout.lane) + layout.row.map_or(0, of);
        Dense { game, layout, steps, choices, schedule, forward, lowest, highest }
    }

    /// Whether a symmetry exchanges its places.
    pub(crate) fn exchanges(&self) -> bool {
        self.layout.exchange.is_some()
    }

    /// Sizes of the digits, those of lanes and rows first; and all places.
    pub(crate) fn sizes(&self) -> (Vec<usize>, u64) {
        let size = |digit: usize| self.game.digits[digit].values.len();
        let order = [self.layout.lane].into_iter().chain(self.layout.row);
        let sizes = order.chain(self.layout.high.iter().copied()).map(size);
        (sizes.collect(), (self.layout.blocks * BLOCK_LANES) as u64)
    }

    /// Bytes that a solve holds at most, and what the process is likely to hold beside.
    fn most_bytes(&self) -> u64 {
        const BESIDE: u64 = 32 << 20;
        let (dense, schedule, mut values) = (self.dense(), &self.schedule, Vec::new());
        let mut shelves = [Shelf::<usize>::default(), Shelf::default()];
        let mut held: Vec<Option<[usize; 2]>> = vec![None; schedule.tops];
        for (&slab, released) in schedule.slabs.iter().zip(&schedule.released) {
            let mut sizes = [0; 2];
            for block in schedule.blocks_of(slab) {
                let chunk = self.layout.decode(block, &mut values);
                let high = self.layout.high.iter().zip(&values);
                let level = high.map(|(digit, value)| self.steps.part(*digit, *value)).sum();
                sizes[usize::from(dense.is_wide(level, chunk))] += BLOCK_LANES;
            }
            held[slab] = Some([0, 1].map(|width| shelves[width].take(sizes[width], usize::max)));
            for slab in released {
                for (shelf, sizes) in
                    shelves.iter_mut().zip(held[*slab].take().into_iter().flatten())
                {
                    shelf.put(sizes);
                }
            }
        }
        let [narrow, wide] = shelves.map(|shelf| shelf.total);
        let values = narrow * size_of::<u32>() + wide * size_of::<u64>();
        values as u64 + reached::most_bytes(self.layout.blocks) + BESIDE
    }

    /// Solves.
    ///
    /// # Errors
    /// On a flaw of a state and on a limit.
    pub(crate) fn solve(
        &self,
        game: &Game,
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Verdict, Declined> {
        let (dense, bases) = (self.dense(), game.net.bases.len());
        // Threads cost more than they bring where there is little to do.
        let alone = (self.layout.blocks < FEW_BLOCKS).then_some(1);
        let crew = Crew::new(options.threads.or(alone), self.schedule.longest_stage());
        let planes = Planes::new(dense.game, dense.layout, dense.steps, &game.casting, bases);
        let mut workers = vec![planes; crew.threads()];
        // Workers are among what the process held before.
        let limits = Limits::new();
        let reached = reach::reach(&dense, &mut workers, &crew, limits, watch);
        let reached = reached.map_err(|stopped| match stopped {
            Stopped::Flawed => Declined::Flawed,
            Stopped::Limit(reason) => Declined::Limit(reason),
        })?;
        if options.tier == Tier::Auto && reached.is_sparse() {
            return Err(Declined::Unfit("few of its places are reached"));
        }
        let values = value::value(&dense, workers, &reached, &crew, limits, watch)
            .map_err(Declined::Limit)?;
        dense.verdict(game, options, &reached, &values)
    }
}

impl Dense<'_> {
    /// Blocks between two looks at the limits: a block costs the more the more shifts its moves are.
    fn patience(&self) -> usize {
        let shifts = |jump: &layout::Jump| {
            let of = |chunks: &Vec<(usize, Vec<_>)>| chunks.iter().map(|to| to.1.len()).sum();
            jump.shifts.iter().map(of).max().unwrap_or(0usize)
        };
        let work: usize = self.choices.jumps.iter().map(shifts).sum();
        (PATIENCE / work.max(1)).clamp(1, MOST_PATIENCE)
    }

    /// Whether the values of a block need 64 bits; its level is that of its high digits.
    fn is_wide(&self, level: usize, chunk: usize) -> bool {
        let lowest = level + self.lowest[chunk];
        let most = self.steps.units[lowest].saturating_mul(self.steps.top);
        most > u64::from(u32::MAX)
    }

    fn verdict(
        &self,
        game: &Game,
        options: &Options,
        reached: &Reached,
        values: &Arenas,
    ) -> Result<Verdict, Declined> {
        let start: Vec<u32> = self.game.digits.iter().map(|digit| digit.start).collect();
        let (block, lane) = self.layout.place(&start);
        let level = self.level(&start);
        let value = self.steps.ratio(level, values.value(block, lane));
        assert!(value.is_probability(), "a value lies in [0, 1]");
        let pairs = self.root_pairs(game, &start, values);
        let first = if pairs.is_empty() {
            FirstMoves::none()
        } else {
            assert_eq!(
                crate::first_moves::root_bounds(&pairs).0,
                value,
                "the root is the best of its moves"
            );
            let expander: Box<dyn Expander> =
                game.expander(options).map_err(|_| Declined::Unfit("it has no keys"))?;
            FirstMoves::new(game, &*expander, &pairs)
        };
        let counts = &reached.counts;
        Ok(Verdict {
            value,
            choosers: first.choosers.clone(),
            moves: first.exact(),
            cut: false,
            simultaneous: false,
            checked: true,
            counts: Counts {
                states: Some(counts.kept + counts.folded),
                decision_states: Some(counts.decisions),
                stored: counts.kept,
                plies: Some(counts.longest),
                apart: None,
                translation: None,
            },
        })
    }

    /// The level of the high digits of a group of blocks.
    fn level_of(&self, group: usize) -> usize {
        let (mut rest, mut level) = (group, 0);
        for (digit, size) in self.layout.high.iter().zip(&self.layout.sizes) {
            level += self.steps.part(*digit, rest % size);
            rest /= size;
        }
        level
    }

    fn level(&self, values: &[u32]) -> usize {
        let digits = values.iter().enumerate();
        digits.map(|(digit, value)| self.steps.part(digit, *value as usize)).sum()
    }

    /// The legal pairs of moves of the start with their values; none where it is terminal.
    fn root_pairs(&self, game: &Game, start: &[u32], values: &Arenas) -> Vec<PairValue> {
        let state = net::interpret::initial(&game.net);
        let view = net::interpret::view(&game.net, &state);
        if view.terminal {
            return Vec::new();
        }
        let legal = |pair: &&factor::Pair| pair.moves.iter().all(|input| view.legal[*input]);
        let pairs = self.game.phases[0].pairs.iter().filter(legal);
        pairs.map(|pair| self.pair_value(game, start, pair, values)).collect()
    }

    fn pair_value(
        &self,
        game: &Game,
        start: &[u32],
        pair: &factor::Pair,
        values: &Arenas,
    ) -> PairValue {
        let mut sum = Ratio::zero();
        for outcome in &pair.outcomes {
            let mut child = start.to_vec();
            for &(digit, map) in &outcome.maps {
                child[digit] = self.game.digits[digit].maps[map][child[digit] as usize];
            }
            let (block, lane) = self.layout.place(&child);
            let value = self.steps.ratio(self.level(&child), values.value(block, lane));
            let share = Ratio::new(u64::from(outcome.weight), u64::from(pair.total));
            sum = &sum + &(&share * &value);
        }
        // The ordinal of the opponents' joint move counts the first opponent's moves fastest.
        let (mut ordinal, mut weight) = (0, 1);
        for (input, &role) in pair.moves[1..].iter().zip(&game.casting.opponents) {
            let inputs = &game.net.roles[role].inputs;
            ordinal += (input.index() - inputs.start) * weight;
            weight *= inputs.len().max(1);
        }
        let opponents = u32::try_from(ordinal).expect("joint moves are numbered");
        PairValue { asked: pair.moves[0], opponents, lower: sum.clone(), upper: sum }
    }
}
