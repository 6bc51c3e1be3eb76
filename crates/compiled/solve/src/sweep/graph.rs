//! The sweep over the graph of states, for games in which a state does not determine its ply.
//!
//! Every state is discovered once in one table; a depth-first pass over the recorded edges finds
//! a cycle (reported as a path of states) or each state's height, the length of the longest play
//! from it; values follow by ascending height over one denominator for the whole graph.
//!
//! Always: a state's children have smaller heights; a state's entries come in the same order in
//! whatever block it is expanded, so the recorded edges can be read again.
//!
//! Costs 4 bytes an edge and 20 and its value's words a state. A limit ends in the bounds that a
//! sweep by plies reaches in the time that is left.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use exact::{Ratio, UBig};
use kernel::{BLOCK_LANES, BLOCK_WORDS, Expander, Expansion};
use store::HugeVec;
use verdict::{Counts, Halt, HaltReason, Progress, Stop, Verdict, Watch};

use super::layers::{Manner, reduce};
use super::plies::{self, Run};
use super::recurrent::{self, Choices, Frame, Values};
use super::registers::{Children, NarrowRegisters, Registers, Share, WideRegisters, for_lanes};
use super::table::{PlyKeys, Slots};
use super::{Ended, end};
use crate::Options;
use crate::backend::Trouble;
use crate::first_moves::{FirstMoves, PairValue};
use crate::game::{Game, top_payment};
use crate::limits::{BACKWARD_SHARE, FORWARD_SHARE, Limits, refused};

/// Steps of the ordering between two looks at the limits.
const CHECK_STEPS: usize = 1 << 16;

/// Seconds for bounds after an interrupt, and where no time is left.
const INTERRUPT_GRACE: f64 = 0.4;
const GRACE: f64 = 0.05;

/// Answers by the graph, or ends.
pub(super) fn solve(
    game: &mut Game,
    expander: Box<dyn Expander>,
    root: &[u64],
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Verdict, Ended> {
    let mut graph = Graph::new(expander, top_payment(&game.casting));
    match graph.explore(root, watch).and_then(|()| graph.order(watch)) {
        Ok(None) => {}
        Ok(Some(_)) => return graph.recur(game, root, options, watch),
        Err(Trouble::Limit(reason)) => return halt(game, graph, root, reason, watch),
        Err(trouble) => return Err(end(game, &*graph.expander, trouble)),
    }
    match graph.value(watch) {
        Ok(()) => Ok(graph.verdict(game)),
        Err(Trouble::Limit(reason)) => halt(game, graph, root, reason, watch),
        Err(trouble) => Err(end(game, &*graph.expander, trouble)),
    }
}

/// Bounds by plies in the time that is left.
fn halt(
    game: &mut Game,
    graph: Graph,
    root: &[u64],
    reason: HaltReason,
    watch: &Watch<'_>,
) -> Result<Verdict, Ended> {
    let expander = graph.expander.fork();
    drop(graph);
    let (calm, interrupted) = (AtomicBool::new(false), watch.interrupted());
    let spent = watch.started.elapsed().as_secs_f64();
    let left = watch.time.map_or(INTERRUPT_GRACE, |limit| limit.as_secs_f64() - spent);
    let seconds = if interrupted { INTERRUPT_GRACE } else { left.max(GRACE) };
    let quiet = Watch {
        started: Instant::now(),
        time: Some(Duration::from_secs_f64(seconds)),
        memory: watch.memory,
        interrupt: if interrupted { &calm } else { watch.interrupt },
        progress: watch.progress,
    };
    let reader = expander.fork();
    let backend = super::layers::on_processor(expander, root, Manner::default())
        .map_err(|trouble| end(game, &*reader, trouble))?;
    let run = Run { reader, backend, disjoint: false, horizon: None };
    match run.solve(game, &Options::default(), &quiet) {
        Err(Ended::Stop(Stop::Halted(mut halt))) => {
            // What the plies lacked is not what the graph lacked.
            halt.advice = plies::advice(&reason);
            halt.reason = reason;
            Err(Ended::Stop(Stop::Halted(halt)))
        }
        other => other,
    }
}

/// Visits every state without valuing any.
pub(super) fn visit(
    game: &mut Game,
    expander: Box<dyn Expander>,
    root: &[u64],
    watch: &Watch<'_>,
) -> Result<Counts, Ended> {
    let mut graph = Graph::new(expander, top_payment(&game.casting));
    match graph.explore(root, watch).and_then(|()| graph.order(watch)) {
        Ok(None) => Ok(graph.counts(Some(graph.heights.as_slice()[0]))),
        Ok(Some(cycle)) => {
            let keys = cycle.iter().map(|id| graph.key(*id).to_vec()).collect();
            Err(end(game, &*graph.expander, Trouble::Cycle { keys }))
        }
        Err(trouble) => Err(end(game, &*graph.expander, trouble)),
    }
}

/// The graph of states.
struct Graph {
    expander: Box<dyn Expander>,
    expansion: Expansion,
    shares: Vec<(u32, u32)>,
    keys: PlyKeys<0>,
    slots: Slots,
    /// Where each state's children start in `children`; one entry more than states expanded.
    starts: HugeVec<u64>,
    children: HugeVec<u32>,
    /// Each state's total of chance, in lowest terms.
    totals: HugeVec<u32>,
    heights: HugeVec<u32>,
    /// Ids by ascending height.
    order: Vec<u32>,
    values: HugeVec<u64>,
    limbs: usize,
    denominator: UBig,
    decisions: u64,
    simultaneous: bool,
    top: u32,
    limits: Limits,
}

impl Graph {
    fn new(expander: Box<dyn Expander>, top: u32) -> Self {
        let slots = Slots::new(super::layers::key_bits(&*expander));
        Self {
            keys: PlyKeys::new(expander.words()),
            expander,
            expansion: Expansion::default(),
            shares: Vec::new(),
            slots,
            starts: HugeVec::new(),
            children: HugeVec::new(),
            totals: HugeVec::new(),
            heights: HugeVec::new(),
            order: Vec::new(),
            values: HugeVec::new(),
            limbs: 1,
            denominator: UBig::from(1u8),
            decisions: 0,
            simultaneous: false,
            top,
            limits: Limits::new(),
        }
    }

    fn key(&self, id: u32) -> &[u64] {
        let width = self.expander.words();
        &self.keys.words()[id as usize * width..(id as usize + 1) * width]
    }

    fn bytes(&self) -> u64 {
        let numbers = self.children.bytes() + self.totals.bytes() + self.heights.bytes();
        let order = 4 * self.order.len() as u64;
        let words = self.keys.bytes() + self.starts.bytes() + self.values.bytes();
        numbers + order + words + self.slots.bytes()
    }

    fn check_limits(&self, watch: &Watch<'_>, extra: u64, share: f64) -> Result<(), Trouble> {
        self.limits.check(watch, self.bytes() + extra, share)
    }

    fn expand(&mut self, keys: &[u64], children: bool) -> Result<(), Trouble> {
        let width = self.expander.words();
        let expanded = self.expander.expand(keys, children, &mut self.expansion);
        expanded.map_err(|flaw| Trouble::flaw(keys, width, flaw))?;
        reduce(&self.expansion.joints, &mut self.shares);
        Ok(())
    }

    /// Discovers every state and records its edges.
    fn explore(&mut self, root: &[u64], watch: &Watch<'_>) -> Result<(), Trouble> {
        let width = self.expander.words();
        let mut ids = HugeVec::new();
        self.slots.reset(1).map_err(refused)?;
        self.keys.insert_all(&mut self.slots, root, &mut ids).map_err(refused)?;
        self.starts.extend(&[0]).map_err(refused)?;
        let mut done = 0;
        while done < self.keys.len() {
            let lanes = BLOCK_LANES.min(self.keys.len() - done);
            self.check_limits(watch, self.bytes() / 4, FORWARD_SHARE)?;
            let block = self.keys.words()[done * width..(done + lanes) * width].to_vec();
            self.expand(&block, true)?;
            ids.clear();
            let children = &self.expansion.children;
            self.keys.insert_all(&mut self.slots, children, &mut ids).map_err(refused)?;
            self.record(lanes, ids.as_slice())?;
            done += lanes;
            (watch.progress)(&Progress {
                phase: "forward",
                states: done as u64,
                bytes: self.bytes(),
                ..Progress::default()
            });
        }
        Ok(())
    }

    /// Sorts the children of a block by state and keeps them.
    fn record(&mut self, lanes: usize, ids: &[u32]) -> Result<(), Trouble> {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); lanes];
        let mut totals = vec![1; lanes];
        let mut next = 0;
        for (joint, &(_, total)) in self.expansion.joints.iter().zip(&self.shares) {
            for_lanes(&joint.mask, |lane| {
                lists[lane].push(ids[next]);
                totals[lane] = total;
                next += 1;
            });
        }
        assert_eq!(next, ids.len(), "one id an edge");
        for list in &lists {
            self.children.extend(list).map_err(refused)?;
            self.starts.extend(&[self.children.len() as u64]).map_err(refused)?;
        }
        self.totals.extend(&totals).map_err(refused)?;
        let population = |mask: &kernel::Mask| -> u64 {
            mask.iter().map(|word| u64::from(word.count_ones())).sum()
        };
        let idle = population(&self.expansion.terminal) + population(&self.expansion.waiting);
        self.decisions += lanes as u64 - idle;
        self.simultaneous |= self.expansion.simultaneous;
        Ok(())
    }

    fn children_of(&self, id: u32) -> &[u32] {
        let starts = self.starts.as_slice();
        let (from, to) = (starts[id as usize], starts[id as usize + 1]);
        &self.children.as_slice()[from as usize..to as usize]
    }

    /// Heights of all states, or a cycle.
    fn order(&mut self, watch: &Watch<'_>) -> Result<Option<Vec<u32>>, Trouble> {
        // A state that is on the path, and one that was not met.
        const OPEN: u32 = u32::MAX - 1;
        const FRESH: u32 = u32::MAX;
        let states = self.keys.len();
        self.check_limits(watch, 8 * states as u64, BACKWARD_SHARE)?;
        self.heights.resize(states, FRESH).map_err(refused)?;
        let mut path: Vec<(u32, usize)> = vec![(0, 0)];
        self.heights.as_mut_slice()[0] = OPEN;
        let mut steps = 0_usize;
        while let Some(&(id, next)) = path.last() {
            steps += 1;
            if steps.is_multiple_of(CHECK_STEPS) {
                let waiting = 16 * path.capacity() as u64 + 8 * states as u64;
                self.check_limits(watch, waiting, BACKWARD_SHARE)?;
            }
            let child = self.children_of(id).get(next).copied();
            path.last_mut().expect("just seen").1 += 1;
            let Some(child) = child else {
                let below = self.children_of(id).iter();
                let height = below.map(|child| self.heights.as_slice()[*child as usize] + 1).max();
                self.heights.as_mut_slice()[id as usize] = height.unwrap_or(0);
                path.pop();
                continue;
            };
            match self.heights.as_slice()[child as usize] {
                OPEN => {
                    let from = path.iter().position(|step| step.0 == child);
                    let from = from.expect("an open state is on the path");
                    return Ok(Some(path[from..].iter().map(|step| step.0).collect()));
                }
                FRESH => {
                    self.heights.as_mut_slice()[child as usize] = OPEN;
                    path.push((child, 0));
                }
                _ => {}
            }
        }
        let heights = self.heights.as_slice();
        self.order = (0..states as u32).collect();
        self.order.sort_by_key(|id| heights[*id as usize]);
        Ok(None)
    }

    /// Values by ascending height.
    fn value(&mut self, watch: &Watch<'_>) -> Result<(), Trouble> {
        self.check_limits(watch, 4 * self.order.len() as u64, BACKWARD_SHARE)?;
        let runs = self.runs();
        let mut scale = UBig::from(1u8);
        for run in &runs {
            self.check_limits(watch, 4 * self.order.len() as u64, BACKWARD_SHARE)?;
            let totals: BTreeSet<u32> =
                run.iter().map(|id| self.totals.as_slice()[*id as usize]).collect();
            let totals = totals.into_iter().map(UBig::from);
            scale *= totals.fold(UBig::from(1u8), |sum, total| exact::lcm_big(&sum, &total));
        }
        let largest = self.totals.as_slice().iter().copied().max().unwrap_or(1);
        self.denominator = &scale * UBig::from(self.top);
        self.limbs = exact::limbs(&(&self.denominator * UBig::from(largest))).max(1);
        let words = self.keys.len() * self.limbs;
        self.check_limits(watch, 8 * words as u64, BACKWARD_SHARE)?;
        self.values.resize(words, 0).map_err(refused)?;
        let mut unit = vec![0; self.limbs];
        exact::scaled::from_big(&scale, &mut unit);
        let mut registers: Box<dyn Registers> = match self.limbs {
            1 => Box::new(NarrowRegisters::<u64>::new()),
            2 => Box::new(NarrowRegisters::<u128>::new()),
            limbs => Box::new(WideRegisters::new(limbs)),
        };
        for run in runs {
            for ids in run.chunks(BLOCK_LANES) {
                self.check_limits(watch, 0, BACKWARD_SHARE)?;
                self.value_block(ids, &unit, &mut *registers)?;
            }
        }
        Ok(())
    }

    /// Ids of equal height together, ascending.
    fn runs(&self) -> Vec<Vec<u32>> {
        let heights = self.heights.as_slice();
        let same = |left: &u32, right: &u32| heights[*left as usize] == heights[*right as usize];
        self.order.chunk_by(same).map(<[u32]>::to_vec).collect()
    }

    fn value_block(
        &mut self,
        ids: &[u32],
        unit: &[u64],
        registers: &mut dyn Registers,
    ) -> Result<(), Trouble> {
        let block: Vec<u64> = ids.iter().flat_map(|id| self.key(*id)).copied().collect();
        self.expand(&block, false)?;
        self.fold(ids, registers);
        let limbs = self.limbs;
        for (lane, &id) in ids.iter().enumerate() {
            let at = id as usize * limbs;
            registers.store(lane, &mut self.values.as_mut_slice()[at..at + limbs]);
        }
        for_lanes(&self.expansion.terminal, |lane| {
            let at = ids[lane] as usize * limbs;
            let value = &mut self.values.as_mut_slice()[at..at + limbs];
            value.copy_from_slice(unit);
            exact::scaled::mul_small(value, self.expansion.payoff[lane].into());
        });
        Ok(())
    }

    fn fold(&self, ids: &[u32], registers: &mut dyn Registers) {
        let mut cursors: Vec<u64> =
            ids.iter().map(|id| self.starts.as_slice()[*id as usize]).collect();
        registers.begin_block();
        let (mut first_of_asked, mut first) = (true, true);
        let mut asked_mask = [0; BLOCK_WORDS];
        let mut below = Vec::new();
        for (joint, &(weight, total)) in self.expansion.joints.iter().zip(&self.shares) {
            if first_of_asked {
                registers.begin_asked();
                asked_mask.fill(0);
            }
            below.clear();
            for_lanes(&joint.mask, |lane| {
                below.push(self.children.as_slice()[cursors[lane] as usize]);
                cursors[lane] += 1;
            });
            let children =
                Children { values: self.values.as_slice(), limbs: self.limbs, ids: &below };
            let share = Share { factor: weight.into(), weight, total, first };
            registers.add(&joint.mask, &children, share);
            for (sum, word) in asked_mask.iter_mut().zip(&joint.mask) {
                *sum |= word;
            }
            (first, first_of_asked) = (joint.last_of_pair, joint.last_of_asked);
            if joint.last_of_pair {
                registers.end_pair(&joint.mask, total);
            }
            if joint.last_of_asked {
                registers.end_asked(&asked_mask);
            }
        }
        let ends = ids.iter().map(|id| self.starts.as_slice()[*id as usize + 1]);
        assert!(cursors.into_iter().eq(ends), "each edge is read once");
    }

    /// The answer for a graph with cycles.
    fn recur(
        mut self,
        game: &mut Game,
        root: &[u64],
        options: &Options,
        watch: &Watch<'_>,
    ) -> Result<Verdict, Ended> {
        self.heights.clear();
        let choices = match self.choices(watch) {
            Ok(choices) => choices,
            Err(Trouble::Limit(reason)) => return halt(game, self, root, reason, watch),
            Err(trouble) => return Err(end(game, &*self.expander, trouble)),
        };
        let held = self.bytes() + choices.bytes();
        let frame = Frame { top: self.top, options, limits: self.limits, watch, held };
        let values = recurrent::values(&choices, &frame);
        let pairs = self.pairs(|_, id| values.of(id));
        let counts = self.counts(None);
        let (lower, upper) = values.of(0);
        let first = self.first_moves(game, &pairs);
        match values {
            Values::Exact(_) => Ok(self.answer(lower, first, counts)),
            Values::Bounds(_, reason) => Err(Ended::Stop(Stop::Halted(Box::new(Halt {
                advice: plies::advice(&reason),
                reason,
                lower,
                upper,
                choosers: first.choosers.clone(),
                moves: first.bounded(),
                counts,
                estimate: None,
            })))),
        }
    }

    /// The choices of all states, laid out for iteration.
    fn choices(&mut self, watch: &Watch<'_>) -> Result<Choices, Trouble> {
        let mut choices = Choices::new().map_err(refused)?;
        let states = self.keys.len() as u32;
        for from in (0..states).step_by(BLOCK_LANES) {
            let ids = from..states.min(from + BLOCK_LANES as u32);
            self.check_limits(watch, choices.bytes() * 2, FORWARD_SHARE)?;
            let block: Vec<u64> = ids.clone().flat_map(|id| self.key(id)).copied().collect();
            self.expand(&block, false)?;
            let lists: Vec<&[u32]> = ids.map(|id| self.children_of(id)).collect();
            choices.append(&self.expansion, &lists).map_err(refused)?;
        }
        Ok(choices)
    }

    fn ratio(&self, id: u32) -> Ratio {
        let at = id as usize * self.limbs;
        Ratio::from_scaled(&self.values.as_slice()[at..at + self.limbs], &self.denominator)
    }

    /// The answer, once all values stand.
    fn verdict(&mut self, game: &Game) -> Verdict {
        let pairs = self.pairs(|graph, id| (graph.ratio(id), graph.ratio(id)));
        let first = self.first_moves(game, &pairs);
        let plies = self.heights.as_slice()[0];
        self.answer(self.ratio(0), first, self.counts(Some(plies)))
    }

    /// Values of the root's pairs of moves, from those of its children.
    fn pairs(&mut self, values: impl Fn(&Self, u32) -> (Ratio, Ratio)) -> Vec<PairValue> {
        let root = self.key(0).to_vec();
        self.expand(&root, false).unwrap_or_else(|_| unreachable!("the root was expanded before"));
        let mut pairs: Vec<PairValue> = Vec::new();
        let entries = self.expansion.joints.iter().zip(&self.shares);
        for ((joint, &(weight, total)), &child) in entries.zip(self.children_of(0)) {
            let part = Ratio::new(u64::from(weight), u64::from(total));
            let (lower, upper) = values(self, child);
            let (lower, upper) = (&part * &lower, &part * &upper);
            match pairs.last_mut() {
                Some(pair) if (pair.asked, pair.opponents) == (joint.asked, joint.opponents) => {
                    pair.lower = &pair.lower + &lower;
                    pair.upper = &pair.upper + &upper;
                }
                _ => pairs.push(PairValue {
                    asked: joint.asked,
                    opponents: joint.opponents,
                    lower,
                    upper,
                }),
            }
        }
        pairs
    }

    fn first_moves(&self, game: &Game, pairs: &[PairValue]) -> FirstMoves {
        match pairs.is_empty() {
            true => FirstMoves::none(),
            false => FirstMoves::new(game, &*self.expander, pairs),
        }
    }

    fn answer(&self, value: Ratio, first: FirstMoves, counts: Counts) -> Verdict {
        Verdict {
            value,
            choosers: first.choosers.clone(),
            moves: first.exact(),
            cut: false,
            simultaneous: self.simultaneous,
            checked: true,
            counts,
        }
    }

    /// Counts, once everything is explored.
    fn counts(&self, plies: Option<u32>) -> Counts {
        let states = self.keys.len() as u64;
        Counts {
            states: Some(states),
            decision_states: Some(self.decisions),
            stored: states,
            plies,
            apart: None,
            translation: None,
        }
    }
}
