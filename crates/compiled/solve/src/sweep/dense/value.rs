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
use store::{HugeVec, OutOfMemory};
use verdict::{HaltReason, Progress, Watch};

use super::Dense;
use super::choices::Choices;
use super::layout::Jump;
use super::planes::{Ends, Planes, any, without};
use super::reach::{Block, Reached, shifted};
use super::shelf::{Shelf, grown};
use crate::backend::Trouble;
use crate::crew::Crew;
use crate::limits::{FORWARD_SHARE, Limits, refused};

/// Numbers of two widths.
struct Numbers {
    narrow: HugeVec<u32>,
    wide: HugeVec<u64>,
}

/// The values of a slab.
struct Slab {
    /// By block: 0 where there is none, else 1 and twice its place in its task's part, odd ones
    /// wide.
    slots: Vec<u32>,
    /// By task: where its part begins, in blocks of each width.
    firsts: Vec<[usize; 2]>,
    numbers: Numbers,
}

/// The values that are held.
pub(super) struct Arenas {
    slabs: Vec<Option<Slab>>,
    /// Blocks of a slab.
    blocks: usize,
    tasks: usize,
}

/// The part of a slab that a task writes.
#[derive(Default)]
struct Part<'a> {
    slots: &'a mut [u32],
    narrow: &'a mut [u32],
    wide: &'a mut [u64],
}

/// A task, and the one in which the twins of its groups lie, where that is another one.
struct Job<'a> {
    task: usize,
    part: Part<'a>,
    twin: Option<(usize, Part<'a>)>,
}

/// A finished block of values.
#[derive(Clone, Copy)]
enum Finished<'a> {
    Narrow(&'a Values<u32>),
    Wide(&'a Values<u64>),
}

fn block_of<V>(numbers: &[V], place: usize) -> &Values<V> {
    numbers[place * BLOCK_LANES..(place + 1) * BLOCK_LANES].try_into().expect("a block of values")
}

/// The block in a slot, from where places are counted.
fn in_slot<'a>(slot: u32, narrow: &'a [u32], wide: &'a [u64]) -> Option<Finished<'a>> {
    let held = slot.checked_sub(1)?;
    let place = (held / 2) as usize;
    Some(match held % 2 {
        0 => Finished::Narrow(block_of(narrow, place)),
        _ => Finished::Wide(block_of(wide, place)),
    })
}

impl Slab {
    /// Room for the blocks of a slab that were reached.
    fn new(dense: &Dense<'_>, reached: &Reached, slab: usize, numbers: Numbers) -> Self {
        let tasks = dense.schedule.tasks;
        let mut sum = [0; 2];
        let firsts = reached.sizes[slab * tasks..(slab + 1) * tasks].iter().map(|sizes| {
            let first = sum;
            sum.iter_mut().zip(sizes).for_each(|(sum, size)| *sum += *size as usize);
            first
        });
        let firsts = firsts.collect();
        Self { slots: vec![0; tasks * dense.schedule.inner], firsts, numbers }
    }

    /// The parts of tasks.
    fn parts(&mut self, sizes: &[[u32; 2]], inner: usize) -> Vec<Part<'_>> {
        let (mut narrow, mut wide) =
            (self.numbers.narrow.as_mut_slice(), self.numbers.wide.as_mut_slice());
        let slots = self.slots.chunks_exact_mut(inner);
        let part = |(slots, sizes): (_, &[u32; 2])| Part {
            slots,
            narrow: take(&mut narrow, sizes[0]),
            wide: take(&mut wide, sizes[1]),
        };
        slots.zip(sizes).map(part).collect()
    }

    fn values(&self, task: usize, at: usize) -> Option<Finished<'_>> {
        let [narrow, wide] = self.firsts[task];
        let inner = self.slots.len() / self.firsts.len();
        let held = self.numbers.narrow.as_slice().get(narrow * BLOCK_LANES..).unwrap_or(&[]);
        let wide = self.numbers.wide.as_slice().get(wide * BLOCK_LANES..).unwrap_or(&[]);
        in_slot(self.slots[task * inner + at], held, wide)
    }
}

fn take<'a, V>(rest: &mut &'a mut [V], blocks: u32) -> &'a mut [V] {
    let (mine, others) = std::mem::take(rest).split_at_mut(blocks as usize * BLOCK_LANES);
    *rest = others;
    mine
}

impl Arenas {
    /// The value at a place.
    pub(super) fn value(&self, block: usize, lane: usize) -> u64 {
        let slab = self.slabs[block / self.blocks].as_ref().expect("a slab that is held");
        let (inner, at) = (self.blocks / self.tasks, block % self.blocks);
        match slab.values(at / inner, at % inner).expect("a place that was reached") {
            Finished::Narrow(values) => u64::from(values[lane]),
            Finished::Wide(values) => values[lane],
        }
    }
}

/// Arenas that are free.
#[derive(Default)]
struct Pool {
    narrow: Shelf<HugeVec<u32>>,
    wide: Shelf<HugeVec<u64>>,
}

impl Pool {
    /// Arenas for the blocks of some tasks.
    fn take(&mut self, sizes: &[[u32; 2]]) -> Result<Numbers, OutOfMemory> {
        let lanes = |width: usize| {
            sizes.iter().map(|sizes| sizes[width] as usize).sum::<usize>() * BLOCK_LANES
        };
        let narrow = self.narrow.try_take(lanes(0), grown)?;
        Ok(Numbers { narrow, wide: self.wide.try_take(lanes(1), grown)? })
    }

    fn put(&mut self, mut numbers: Numbers) {
        if cfg!(debug_assertions) {
            // So that it shows where a state reads what it does not lead to.
            numbers.narrow.as_mut_slice().fill(u32::MAX);
            numbers.wide.as_mut_slice().fill(u64::MAX);
        }
        self.narrow.put(numbers.narrow);
        self.wide.put(numbers.wide);
    }

    fn bytes(&self) -> u64 {
        (self.narrow.total * size_of::<u32>() + self.wide.total * size_of::<u64>()) as u64
    }
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
                    copy_twins(&known, (job.task, &job.part), (*twin, part));
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
trait Number: Lane {
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

fn slot(place: usize, wide: bool) -> u32 {
    (place * 2 + usize::from(wide)) as u32 + 1
}

/// Fills the twins of a finished task's groups, which lie in another task.
fn copy_twins(
    known: &Known<'_>,
    (task, part): (usize, &Part<'_>),
    (twin, to): (usize, &mut Part<'_>),
) {
    let (dense, schedule) = (known.dense, known.dense.schedule);
    let place = |task: usize| (known.slab * schedule.tasks + task) * schedule.inner;
    let (mine, theirs) = (place(task), place(twin));
    let mut places = [0usize; 2];
    for at in (0..schedule.inner).rev() {
        if !known.reached.block(theirs + at).is_reached() {
            continue;
        }
        let (group, chunk) = ((theirs + at) / dense.layout.chunks, at % dense.layout.chunks);
        let source = dense.layout.twin(group) * dense.layout.chunks - mine;
        let wide = dense.is_wide(dense.level_of(group), chunk);
        let from = (source, &*part.slots, &*part.narrow, &*part.wide);
        let start = places[usize::from(wide)] * BLOCK_LANES;
        if wide {
            copy(dense, from, (chunk, &mut to.wide[start..start + BLOCK_LANES]));
        } else {
            copy(dense, from, (chunk, &mut to.narrow[start..start + BLOCK_LANES]));
        }
        to.slots[at] = slot(places[usize::from(wide)], wide);
        places[usize::from(wide)] += 1;
    }
    debug_assert_eq!([to.narrow.len(), to.wide.len()], places.map(|blocks| blocks * BLOCK_LANES));
}

/// Fills a block from the twin of its group, which was finished before in the same task.
fn copy_within(
    dense: &Dense<'_>,
    (first, at, twin): (usize, usize, usize),
    part: Part<'_>,
    places: &mut [usize; 2],
) {
    let chunks = dense.layout.chunks;
    let (chunk, source) = ((first + at) % chunks, twin * chunks - first);
    let wide = dense.is_wide(dense.level_of((first + at) / chunks), chunk);
    let place = places[usize::from(wide)];
    if wide {
        let (done, rest) = part.wide.split_at_mut(place * BLOCK_LANES);
        let from = (source, &*part.slots, &*part.narrow, &*done);
        copy(dense, from, (chunk, &mut rest[..BLOCK_LANES]));
    } else {
        let (done, rest) = part.narrow.split_at_mut(place * BLOCK_LANES);
        let from = (source, &*part.slots, &*done, &*part.wide);
        copy(dense, from, (chunk, &mut rest[..BLOCK_LANES]));
    }
    part.slots[at] = slot(place, wide);
    places[usize::from(wide)] += 1;
}

/// Fills a chunk of a group from its twin, whose blocks begin at a place in a part of slots and of
/// numbers of both widths. What no state has of it is left as it is.
fn copy<V: Number>(
    dense: &Dense<'_>,
    (source, slots, narrow, wide): (usize, &[u32], &[u32], &[u64]),
    (chunk, values): (usize, &mut [V]),
) {
    let values: &mut Values<V> = values.try_into().expect("a block of values");
    for from in 0..dense.layout.chunks {
        let to = (chunk, &mut *values);
        match in_slot(slots[source + from], narrow, wide) {
            Some(Finished::Narrow(found)) => {
                dense.layout.turn_values((from, found), to, |it: u32| V::of(u64::from(it)));
            }
            Some(Finished::Wide(found)) => dense.layout.turn_values((from, found), to, V::of),
            None => {}
        }
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
