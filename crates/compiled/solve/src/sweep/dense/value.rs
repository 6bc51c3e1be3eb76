//! Backward: the value of every state reached, slab by slab, children first.
//!
//! A slab has two arenas, blocks of 32-bit numbers and blocks of 64-bit ones: which is told by
//! the largest denominator of a block's levels. A block has room only if some state of it was
//! reached. Arenas of slabs that nothing reads any more serve the next ones. Each task of a stage
//! has the part of the arenas for its blocks to itself, where it values them in descending order,
//! and all may read what was finished before. Children of another width are copied before they are
//! read, which happens near the start only.

use kernel::dense::{Child, Choice, Fold, Lane, Values, fold};
use kernel::{BLOCK_LANES, Isa, Mask};
use verdict::{HaltReason, Progress, Watch};

use super::Dense;
use super::arenas::{Arenas, Finished, Part, Pool, Slab, in_slot, slot};
use super::choices::Choices;
use super::layout::Jump;
use super::planes::{Ends, Planes, any, without};
use super::reach::shifted;
use super::reached::{Block, Reached};
use super::twins::{copy_twins, copy_within};
use crate::backend::Trouble;
use crate::crew::Crew;
use crate::limits::{FORWARD_SHARE, Limits, refused};

/// A task, and the one in which the twins of its groups lie, where that is another one.
struct Job<'a> {
    task: usize,
    part: Part<'a>,
    twin: Option<(usize, Part<'a>)>,
}
/// Values all blocks.
pub(super) fn value<'d>(
    dense: &'d Dense<'d>,
    planes: Vec<Planes<'d>>,
    reached: &Reached,
    crew: &Crew,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Arenas, HaltReason> {
    let lack = |lack| match refused(lack) {
        Trouble::Limit(reason) => reason,
        _ => unreachable!("a lack of memory is a limit"),
    };
    let schedule = dense.schedule;
    let mut pool = Pool::default();
    let some = |width: usize| reached.sizes.iter().any(|sizes| sizes[width] > 0);
    let numbers =
        Weights { narrow: numbers::<u32>(dense, some(0)), wide: numbers::<u64>(dense, some(1)) };
    let mut workers: Vec<Worker<'_>> =
        planes.into_iter().map(|planes| Worker::new(dense, planes)).collect();
    let slabs = (0..schedule.tops).map(|_| None).collect();
    let blocks = schedule.tasks * schedule.inner;
    let mut arenas = Arenas { slabs, blocks, tasks: schedule.tasks };
    let mut done = 0;
    for (&slab, released) in schedule.slabs.iter().zip(&schedule.released) {
        let sizes = &reached.sizes[slab * schedule.tasks..(slab + 1) * schedule.tasks];
        let mut held = Slab::new(dense, reached, slab, pool.take(sizes).map_err(lack)?);
        let mut parts = held.parts(sizes, schedule.inner);
        for stage in &schedule.stages {
            let bytes = pool.bytes() + reached.bytes();
            look(watch, limits, (done, reached.counts.blocks), bytes)?;
            let twin = |task: usize| schedule.twins[task];
            let jobs =
                stage.iter().filter(|task| sizes[**task] != [0; 2] && **task <= twin(**task));
            let jobs = jobs.map(|&task| Job {
                task,
                part: std::mem::take(&mut parts[task]),
                twin: (twin(task) != task)
                    .then(|| (twin(task), std::mem::take(&mut parts[twin(task)]))),
            });
            let jobs: Vec<_> = jobs.collect();
            let known =
                Known { dense, reached, weights: &numbers, slab, parts: &parts, arenas: &arenas };
            let finished = crew.share(&mut workers, jobs, |worker, mut job: Job<'_>| {
                worker.value(&known, job.task, &mut job.part, (limits, watch, bytes))?;
                if let Some((twin, part)) = &mut job.twin {
                    copy_twins((dense, reached), slab, (job.task, &job.part), (*twin, part));
                }
                Ok(job)
            });
            let finished = finished.map_err(|mut reasons: Vec<HaltReason>| reasons.remove(0))?;
            let finished = finished
                .into_iter()
                .flat_map(|job| [(job.task, job.part)].into_iter().chain(job.twin));
            for (task, part) in finished {
                done += sizes[task].iter().map(|size| *size as usize).sum::<usize>();
                parts[task] = part;
            }
        }
        arenas.slabs[slab] = Some(held);
        for slab in released {
            if let Some(held) = arenas.slabs[*slab].take() {
                pool.put(held.numbers);
            }
        }
    }
    Ok(arenas)
}

fn look(
    watch: &Watch<'_>,
    limits: Limits,
    (done, blocks): (usize, usize),
    bytes: u64,
) -> Result<(), HaltReason> {
    (watch.progress)(&Progress {
        phase: "backward",
        ply: done as u32,
        plies: Some(blocks as u32),
        states: 0,
        bytes,
        disk: 0,
        left: None,
    });
    limits.met(watch, bytes, FORWARD_SHARE).map_or(Ok(()), Err)
}

fn numbers<V: Lane>(dense: &Dense<'_>, some: bool) -> Vec<V> {
    if !some {
        return Vec::new();
    }
    dense.choices.numbers(dense.game, dense.layout, dense.steps)
}

/// Weights, units and flips by level, in both widths.
struct Weights {
    narrow: Vec<u32>,
    wide: Vec<u64>,
}

/// What the tasks of a stage may read.
struct Known<'a> {
    dense: &'a Dense<'a>,
    reached: &'a Reached,
    weights: &'a Weights,
    /// The slab that is worked on, and its finished parts.
    slab: usize,
    parts: &'a [Part<'a>],
    arenas: &'a Arenas,
}

impl<'a> Known<'a> {
    /// The values of a finished block of another task; none where no state was reached.
    fn values(&self, block: usize) -> Option<Finished<'a>> {
        let schedule = self.dense.schedule;
        let (task, at) = (block / schedule.inner, block % schedule.inner);
        let (slab, task) = (task / schedule.tasks, task % schedule.tasks);
        if slab == self.slab {
            let part = &self.parts[task];
            return in_slot(*part.slots.get(at)?, part.narrow, part.wide);
        }
        self.arenas.slabs[slab].as_ref()?.values(task, at)
    }
}

/// What a thread uses again from block to block.
struct Worker<'a> {
    dense: &'a Dense<'a>,
    isa: Isa,
    planes: Planes<'a>,
    /// Whether what is legal is told without the view.
    blindly: bool,
    choices: Vec<Choice>,
    firsts: Vec<usize>,
}

/// Children of another width than their parents.
#[derive(Default)]
struct Copies {
    narrow: Vec<u32>,
    wide: Vec<u64>,
}

/// Room for what the fold of a block finds.
struct Best {
    narrow: Box<Values<u32>>,
    wide: Box<Values<u64>>,
}

impl Default for Best {
    fn default() -> Self {
        Self { narrow: Box::new([0; BLOCK_LANES]), wide: Box::new([0; BLOCK_LANES]) }
    }
}

/// A number with its width.
pub(super) trait Number: Lane {
    fn same(values: Finished<'_>) -> Option<&Values<Self>>;
    fn copy(values: Finished<'_>, copies: &mut Vec<Self>) {
        match values {
            Finished::Narrow(from) => copies.extend(from.iter().map(|it| Self::of(u64::from(*it)))),
            Finished::Wide(from) => copies.extend(from.iter().map(|it| Self::of(*it))),
        }
    }
}

impl Number for u32 {
    fn same(values: Finished<'_>) -> Option<&Values<u32>> {
        match values {
            Finished::Narrow(values) => Some(values),
            Finished::Wide(_) => None,
        }
    }
}

impl Number for u64 {
    fn same(values: Finished<'_>) -> Option<&Values<u64>> {
        match values {
            Finished::Narrow(_) => None,
            Finished::Wide(values) => Some(values),
        }
    }
}

/// Where the block of a term's children is.
#[derive(Clone, Copy)]
enum Found<'a> {
    Own,
    Missing,
    Held(Finished<'a>),
}

impl<'a> Worker<'a> {
    fn new(dense: &'a Dense<'a>, planes: Planes<'a>) -> Self {
        let blindly = planes.moves_are_tables();
        let (choices, firsts) = (Vec::new(), vec![0; dense.choices.terms]);
        Self { dense, isa: Isa::detect(), planes, blindly, choices, firsts }
    }

    /// Values the blocks of a task, the last ones first.
    fn value(
        &mut self,
        known: &Known<'_>,
        task: usize,
        part: &mut Part<'_>,
        (limits, watch, bytes): (Limits, &Watch<'_>, u64),
    ) -> Result<(), HaltReason> {
        let (dense, patience) = (self.dense, self.dense.patience());
        let schedule = dense.schedule;
        let first = known.slab * schedule.tasks * schedule.inner + task * schedule.inner;
        let (mut places, mut copies, mut best) = ([0usize; 2], Copies::default(), Best::default());
        for at in (0..schedule.inner).rev() {
            let block = known.reached.block(first + at);
            if !block.is_reached() {
                continue;
            }
            let group = (first + at) / dense.layout.chunks;
            let twin = dense.layout.twin(group);
            if twin > group && twin * dense.layout.chunks < first + schedule.inner {
                let seen = Part { slots: part.slots, narrow: part.narrow, wide: part.wide };
                copy_within(dense, (first, at, twin), seen, &mut places);
                continue;
            }
            if self.planes.turns.is_multiple_of(patience)
                && let Some(reason) = limits.met(watch, bytes, FORWARD_SHARE)
            {
                return Err(reason);
            }
            let ends = self.turn_to(first + at, &block);
            self.prepare(&block.live);
            debug_assert!(
                self.reaches_children(first + at, known.reached),
                "every child of a state was reached"
            );
            let wide = self.dense.is_wide(self.planes.level, self.planes.chunk);
            let place = places[usize::from(wide)];
            let lanes = (&block.reached(), &ends);
            if wide {
                let (done, rest) = part.wide.split_at_mut(place * BLOCK_LANES);
                let seen = Part { slots: part.slots, narrow: part.narrow, wide: done };
                let children = self.children(known, first, at, &seen);
                let children = of_width(&children, &mut copies.wide);
                let room = (rest, &mut *best.wide);
                self.fold(room, &children, &known.weights.wide, lanes);
            } else {
                let (done, rest) = part.narrow.split_at_mut(place * BLOCK_LANES);
                let seen = Part { slots: part.slots, narrow: done, wide: part.wide };
                let children = self.children(known, first, at, &seen);
                let children = of_width(&children, &mut copies.narrow);
                let room = (rest, &mut *best.narrow);
                self.fold(room, &children, &known.weights.narrow, lanes);
            }
            places[usize::from(wide)] += 1;
            part.slots[at] = slot(place, wide);
        }
        debug_assert_eq!(
            [part.narrow.len(), part.wide.len()],
            places.map(|blocks| blocks * BLOCK_LANES),
            "the part has room for the blocks reached"
        );
        Ok(())
    }

    /// Turns the planes to a block; its ends.
    fn turn_to(&mut self, at: usize, block: &Block) -> Ends {
        if self.blindly
            && let Some(ends) = block.ends()
        {
            self.planes.turn_blindly_to(at);
            return ends;
        }
        self.planes.turn_to(at);
        let phases = self.planes.phases();
        block.ends().unwrap_or_else(|| {
            let ends = self.planes.ends(&phases, &block.reached());
            ends.expect("the forward pass found no flaw")
        })
    }

    /// The choices of a block.
    fn prepare(&mut self, live: &Mask) {
        let (dense, planes) = (self.dense, &mut self.planes);
        let phases = planes.phases();
        self.choices.clear();
        for merged in &dense.choices.merged {
            let legal = merged.legal(planes, &phases, live);
            let terms = merged.first_term..merged.first_term + merged.jumps.len();
            self.choices.push(Choice { legal, terms, runs: merged.runs });
        }
    }

    /// The jumps of a prepared block that some lane may make, with their terms.
    fn jumps(&self) -> impl Iterator<Item = (usize, Mask, &'a Jump)> + '_ {
        let all: &'a Choices = self.dense.choices;
        let open = self.choices.iter().zip(&all.merged).filter(|(choice, _)| any(&choice.legal));
        open.flat_map(move |(choice, merged)| {
            let terms = choice.terms.clone().zip(&merged.jumps);
            terms.map(|(term, jump)| (term, choice.legal, &all.jumps[*jump]))
        })
    }

    /// Whether the children of all choices of a prepared block are among the states reached.
    fn reaches_children(&self, block: usize, reached: &Reached) -> bool {
        let planes = &self.planes;
        self.jumps().all(|(_, legal, jump)| {
            let Some(further) = jump.further(&planes.values) else { return false };
            jump.shifts[planes.chunk].iter().all(|(chunk, shifts)| {
                let children = shifted(&legal, shifts);
                let to = block - planes.chunk + further + chunk;
                !any(&children) || !any(&without(&children, &reached.block(to).reached()))
            })
        })
    }

    /// Where the blocks of children of a prepared block are, of all of its terms: in finished
    /// blocks of the task, which `seen` has, or elsewhere.
    fn children<'c>(
        &mut self,
        known: &'c Known<'_>,
        first: usize,
        at: usize,
        seen: &'c Part<'_>,
    ) -> Vec<Found<'c>> {
        let mut children = Vec::with_capacity(2 * self.firsts.len());
        let mut firsts = std::mem::take(&mut self.firsts);
        let planes = &self.planes;
        let base = first + at - planes.chunk;
        for (term, _, jump) in self.jumps() {
            firsts[term] = children.len();
            let further = jump.further(&planes.values);
            for (chunk, _) in &jump.shifts[planes.chunk] {
                let to = further.map(|further| base + further + chunk);
                let values = match to {
                    Some(to) if to == first + at => {
                        children.push(Found::Own);
                        continue;
                    }
                    Some(to) if to < first + seen.slots.len() => {
                        in_slot(seen.slots[to - first], seen.narrow, seen.wide)
                    }
                    Some(to) => known.values(to),
                    None => None,
                };
                children.push(values.map_or(Found::Missing, Found::Held));
            }
        }
        self.firsts = firsts;
        children
    }

    /// Values a prepared block.
    fn fold<V: Number>(
        &self,
        (values, best): (&mut [V], &mut Values<V>),
        children: &[Child<'_, V>],
        numbers: &[V],
        (reached, ends): (&Mask, &Ends),
    ) {
        let (dense, planes) = (self.dense, &self.planes);
        let style = planes.level * dense.choices.stride(dense.layout);
        let mut job = Fold {
            lanes: dense.layout.lanes,
            values: (&mut values[..BLOCK_LANES]).try_into().expect("a block of values"),
            children,
            firsts: &self.firsts,
            reached,
            terminal: &ends.terminal,
            paid: &ends.paid,
            bands: &dense.choices.bands[planes.chunk],
            numbers: &numbers[style..],
            choices: &self.choices,
            segments: &dense.choices.segments,
        };
        fold(self.isa, &mut job, best);
    }
}

/// Blocks of children in one width.
fn of_width<'c, V: Number>(children: &[Found<'c>], copies: &'c mut Vec<V>) -> Vec<Child<'c, V>> {
    copies.clear();
    for child in children {
        if let Found::Held(values) = child
            && V::same(*values).is_none()
        {
            V::copy(*values, copies);
        }
    }
    let (copied, _) = copies.as_chunks::<BLOCK_LANES>();
    let mut copied = copied.iter();
    let mut of_child = |child: &Found<'c>| match child {
        Found::Own => Child::Own,
        Found::Missing => Child::Missing,
        Found::Held(values) => {
            let values = V::same(*values).or_else(|| copied.next());
            Child::Held(values.expect("a copy of every block of another width"))
        }
    };
    children.iter().map(&mut of_child).collect()
}
