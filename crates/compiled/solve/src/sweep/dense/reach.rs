//! Forward: which places are reached, slab by slab, parents first, and what they count.
//!
//! A task takes its blocks in ascending order. A block is complete when it is its turn, but for
//! moves inside it, which are followed until nothing is new. What a task reaches in other tasks it
//! puts into parcels, planes of its own, which are delivered when the stage ends and nobody works on
//! those tasks: so tasks of one stage write nothing in common. Every state reached is checked here:
//! for ends, payments and legal moves.

use kernel::dense::{Shift, Spread, count, push, spread};
use kernel::{BLOCK_WORDS, FlawKind, Isa, Mask};
use store::HugeVec;
use verdict::{HaltReason, Progress, Watch};

use super::Dense;
use super::planes::{NONE, Planes, add, any, both, cell_level, without};
use super::reached::{Counts, KEPT_WORDS, PLANE_BYTES, Reached};
use crate::backend::Trouble;
use crate::crew::Crew;
use crate::limits::{Limits, REACH_SHARE, refused};

/// Why a forward pass ended early.
pub(super) enum Stopped {
    /// A state is flawed; which one is for another tier to tell.
    Flawed,
    /// A limit.
    Limit(HaltReason),
}

/// Planes of lanes that a task reached in another one, by block of that.
struct Parcel {
    to: usize,
    planes: Vec<u64>,
}

/// A task when it is its turn.
struct Site<'a> {
    task: usize,
    /// What is kept of its blocks.
    kept: &'a mut [u64],
}

/// A task to which parcels are delivered.
struct Delivery<'a> {
    site: Site<'a>,
    parcels: Vec<Parcel>,
}

impl Delivery<'_> {
    fn deliver(&mut self) {
        for parcel in &self.parcels {
            let (blocks, _) = parcel.planes.as_chunks::<BLOCK_WORDS>();
            for (at, lanes) in blocks.iter().enumerate() {
                add(plane_at(self.site.kept, at * KEPT_WORDS), lanes);
            }
        }
    }
}

/// What came of a task.
struct Explored {
    task: usize,
    parcels: Vec<Parcel>,
    counts: Counts,
    sizes: [u32; 2],
}

fn plane_at(planes: &mut [u64], at: usize) -> &mut Mask {
    (&mut planes[at..at + BLOCK_WORDS]).try_into().expect("a plane of a block")
}

/// Lanes in which one jump may be made.
struct Source {
    jump: usize,
    lanes: Mask,
}

/// Reaches all places from the start.
pub(super) fn reach(
    dense: &Dense<'_>,
    workers: &mut [Planes<'_>],
    crew: &Crew,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Reached, Stopped> {
    let (layout, schedule) = (dense.layout, dense.forward);
    let lack = |lack| match refused(lack) {
        Trouble::Limit(reason) => Stopped::Limit(reason),
        _ => unreachable!("a lack of memory is a limit"),
    };
    let mut planes = HugeVec::zeroed(layout.blocks * KEPT_WORDS).map_err(lack)?;
    let kept = planes.as_mut_slice().chunks_exact_mut(schedule.inner * KEPT_WORDS);
    let mut kept: Vec<Option<&mut [u64]>> = kept.map(Some).collect();
    let mut waits = vec![false; kept.len()];
    let (start, block, lane) = start(dense);
    waits[start] = true;
    let first = kept[start].as_deref_mut().expect("nothing is handed out yet");
    plane_at(first, block * KEPT_WORDS)[lane / 64] |= 1 << (lane % 64);
    let mut sizes = vec![[0; 2]; kept.len()];
    let (mut counts, mut underway) = (Counts::default(), 0);
    let payment = workers[0].single_payment();
    for slab in schedule.slabs.iter().rev() {
        for stage in schedule.stages.iter().rev() {
            let bytes = counts.blocks as u64 * PLANE_BYTES + underway;
            look(&counts, bytes, limits, watch)?;
            let tasks = stage.iter().map(|task| slab * schedule.tasks + task);
            let sites = tasks.filter_map(|task| {
                let kept = if std::mem::take(&mut waits[task]) { kept[task].take() } else { None };
                Some(Site { task, kept: kept? })
            });
            let sites = sites.collect();
            let explored = crew.share(workers, sites, |planes, site: Site<'_>| {
                // What is known spares looking for the longest play where it cannot be.
                let begun = Counts { longest: counts.longest, ..Counts::default() };
                explore(dense, planes, site, (payment, begun), (limits, watch, bytes))
            });
            let mut parcels = Vec::new();
            for done in explored.map_err(gravest)? {
                sizes[done.task] = done.sizes;
                counts.add(&done.counts);
                parcels.extend(done.parcels);
            }
            let stage_bytes = parcels.len() as u64 * parcel_bytes(dense);
            underway = stage_bytes.max(underway);
            let delivered =
                crew.share(workers, deliveries(parcels, &mut kept), |_, mut delivery| {
                    delivery.deliver();
                    Ok::<_, Stopped>(delivery.site)
                });
            for site in delivered.map_err(gravest)? {
                waits[site.task] = true;
                kept[site.task] = Some(site.kept);
            }
        }
    }
    look(&counts, counts.blocks as u64 * PLANE_BYTES, limits, watch)?;
    assert!(!waits.contains(&true), "all that was reached was explored");
    let mut reached = Reached { planes, payment, sizes, counts };
    if schedule.inner != dense.schedule.inner {
        reached.sizes = sizes_by_task(dense, &reached);
    }
    Ok(reached)
}

/// The numbers of blocks by task of the pass back, where it has others.
fn sizes_by_task(dense: &Dense<'_>, reached: &Reached) -> Vec<[u32; 2]> {
    let (layout, schedule) = (dense.layout, dense.schedule);
    let mut sizes = vec![[0; 2]; schedule.tops * schedule.tasks];
    for group in 0..layout.blocks / layout.chunks {
        let mut level = None;
        for chunk in 0..layout.chunks {
            let block = group * layout.chunks + chunk;
            if reached.block(block).is_reached() {
                let level = *level.get_or_insert_with(|| dense.level_of(group));
                sizes[schedule.task_of(block)][usize::from(dense.is_wide(level, chunk))] += 1;
            }
        }
    }
    sizes
}

/// A flaw, where one was found.
fn gravest(mut stopped: Vec<Stopped>) -> Stopped {
    let flaw = stopped.iter().position(|stopped| matches!(stopped, Stopped::Flawed));
    stopped.swap_remove(flaw.unwrap_or(0))
}

fn parcel_bytes(dense: &Dense<'_>) -> u64 {
    (dense.forward.inner * BLOCK_WORDS * size_of::<u64>()) as u64
}

/// Parcels by the task that they are for, each with that task's room.
fn deliveries<'a>(
    mut parcels: Vec<Parcel>,
    kept: &mut [Option<&'a mut [u64]>],
) -> Vec<Delivery<'a>> {
    parcels.sort_by_key(|parcel| parcel.to);
    let mut deliveries: Vec<Delivery<'a>> = Vec::new();
    for parcel in parcels {
        match deliveries.last_mut().filter(|last| last.site.task == parcel.to) {
            Some(delivery) => delivery.parcels.push(parcel),
            None => {
                let kept = kept[parcel.to].take().expect("a task is done once all reached it");
                let site = Site { task: parcel.to, kept };
                deliveries.push(Delivery { site, parcels: vec![parcel] });
            }
        }
    }
    deliveries
}

/// The start: its task, block of the task, and lane.
fn start(dense: &Dense<'_>) -> (usize, usize, usize) {
    let start: Vec<u32> = dense.game.digits.iter().map(|digit| digit.start).collect();
    let (block, lane) = dense.layout.place(&start);
    (dense.forward.task_of(block), block % dense.forward.inner, lane)
}

/// A task that is explored.
struct Exploring<'e, 'g> {
    dense: &'e Dense<'g>,
    payment: Option<u64>,
    first: usize,
    parcels: Vec<Parcel>,
    counts: Counts,
}

/// Explores the blocks of a task. Where twins are looked for they lie in one task, and of two the first
/// is explored.
fn explore(
    dense: &Dense<'_>,
    planes: &mut Planes<'_>,
    site: Site<'_>,
    (payment, counts): (Option<u64>, Counts),
    (limits, watch, bytes): (Limits, &Watch<'_>, u64),
) -> Result<Explored, Stopped> {
    let (schedule, layout, patience) = (dense.forward, dense.layout, dense.patience());
    let Site { task, kept } = site;
    let first = task * schedule.inner;
    let mut exploring = Exploring { dense, payment, first, parcels: Vec::new(), counts };
    let (mut sizes, words) = ([0; 2], layout.chunks * KEPT_WORDS);
    let (mut turned, mut ended) = (vec![NONE; layout.chunks], vec![NONE; layout.chunks]);
    for group in 0..schedule.inner / layout.chunks {
        let whole = first / layout.chunks + group;
        let twin = if schedule.has_twins { layout.twin(whole) } else { whole };
        if twin < whole {
            // It was filled when it was its twin's turn.
            continue;
        }
        let at = group * words;
        let behind = at + (twin - whole) * words;
        if schedule.has_twins {
            // Also where a group is its own twin: what leads there from copied groups is not followed.
            layout.turn_lanes(plane_of(&kept[behind..behind + words], 0), &mut turned);
            for (chunk, lanes) in turned.iter().enumerate() {
                add(plane_at(kept, at + chunk * KEPT_WORDS), lanes);
            }
        }
        let before = exploring.counts;
        for chunk in 0..layout.chunks {
            let place = group * layout.chunks + chunk;
            if !any(plane_at(kept, place * KEPT_WORDS)) {
                continue;
            }
            if planes.turns.is_multiple_of(patience) {
                let mine = exploring.parcels.len() as u64 * parcel_bytes(dense);
                if let Some(reason) = limits.met(watch, bytes + mine, REACH_SHARE) {
                    return Err(Stopped::Limit(reason));
                }
            }
            exploring.block(planes, place, kept)?;
            sizes[usize::from(dense.is_wide(planes.level, chunk))] += 1;
        }
        if twin == whole || exploring.counts.blocks == before.blocks {
            continue;
        }
        layout.turn_lanes(plane_of(&kept[at..at + words], 0), &mut turned);
        layout.turn_lanes(plane_of(&kept[at..at + words], 1), &mut ended);
        let (level, mut blocks) = (dense.level_of(twin), 0);
        for (chunk, (first, second)) in turned.iter().zip(&ended).enumerate() {
            *plane_at(kept, behind + chunk * KEPT_WORDS) = *first;
            *plane_at(kept, behind + chunk * KEPT_WORDS + BLOCK_WORDS) = *second;
            if any(first) || any(second) {
                sizes[usize::from(dense.is_wide(level, chunk))] += 1;
                blocks += 1;
            }
        }
        exploring.counts.double(&before, blocks);
        debug_assert!(
            exploring.is_image(planes, twin, (&turned, &ended)),
            "a twin is the image of what was found"
        );
    }
    let Exploring { parcels, counts, .. } = exploring;
    Ok(Explored { task, parcels, counts, sizes })
}

/// By chunk of a group: one of the two planes that are kept.
fn plane_of<'k>(kept: &'k [u64], plane: usize) -> impl Fn(usize) -> &'k Mask {
    move |chunk| {
        let at = chunk * KEPT_WORDS + plane * BLOCK_WORDS;
        kept[at..at + BLOCK_WORDS].try_into().expect("a plane of a block")
    }
}

impl Exploring<'_, '_> {
    /// Whether the states of a twin end where they were said to; for tests.
    fn is_image(
        &self,
        planes: &mut Planes<'_>,
        twin: usize,
        (kept, ended): (&[Mask], &[Mask]),
    ) -> bool {
        let chunks = self.dense.layout.chunks;
        (0..chunks).all(|chunk| {
            let reached = std::array::from_fn(|at| kept[chunk][at] | ended[chunk][at]);
            planes.turn_to(twin * chunks + chunk);
            let phases = planes.phases();
            let ends = planes.ends(&phases, &reached);
            ends.is_ok_and(|ends| ends.terminal == ended[chunk])
        })
    }

    /// Explores a block of the task, at a place in it.
    fn block(
        &mut self,
        planes: &mut Planes<'_>,
        at: usize,
        kept: &mut [u64],
    ) -> Result<(), Stopped> {
        let (dense, isa) = (self.dense, Isa::detect());
        let block = self.first + at;
        let mut reached = *plane_at(kept, at * KEPT_WORDS);
        planes.turn_to(block);
        let phases = planes.phases();
        let open = open_lanes(planes, &phases);
        let legal = merged_lanes(dense, planes, &phases, &open);
        let sources = sources(dense, &legal);
        inside(dense, planes, isa, &sources, &mut reached);
        let ends = planes.ends(&phases, &reached).map_err(|_: FlawKind| Stopped::Flawed)?;
        let live = without(&reached, &ends.terminal);
        take_in(dense, planes, (&phases, &legal), (&reached, &live), &mut self.counts)?;
        let paid = match self.payment {
            Some(_) => ends
                .paid
                .iter()
                .fold(NONE, |sum, (_, lanes)| std::array::from_fn(|at| sum[at] | lanes[at])),
            None => ends.terminal,
        };
        *plane_at(kept, at * KEPT_WORDS) = without(&reached, &paid);
        *plane_at(kept, at * KEPT_WORDS + BLOCK_WORDS) = ends.terminal;
        for source in &sources {
            let lanes = both(&source.lanes, &live);
            if any(&lanes) {
                let jump = (isa, source.jump, &lanes);
                leave(dense, planes, block, jump, kept, &mut self.parcels)?;
            }
        }
        Ok(())
    }
}

/// Puts the children by one jump where they belong.
fn leave(
    dense: &Dense<'_>,
    planes: &Planes<'_>,
    block: usize,
    (isa, jump, lanes): (Isa, usize, &Mask),
    kept: &mut [u64],
    parcels: &mut Vec<Parcel>,
) -> Result<(), Stopped> {
    let (schedule, jump) = (dense.forward, &dense.choices.jumps[jump]);
    let further = jump.further(&planes.values).expect("a legal move can be played");
    let task = schedule.task_of(block);
    for (chunk, shifts) in &jump.shifts[planes.chunk] {
        let to = block - planes.chunk + further + chunk;
        if to == block {
            // Such moves were followed by `inside`.
            debug_assert_eq!((further, *chunk), (0, planes.chunk));
            continue;
        }
        assert!(to > block, "children lie behind their parents");
        let (its, at) = (schedule.task_of(to), to % schedule.inner);
        if its == task {
            push(isa, plane_at(kept, at * KEPT_WORDS), lanes, shifts);
            continue;
        }
        let known = match parcels.iter().position(|parcel| parcel.to == its) {
            Some(known) => known,
            None => {
                parcels.push(Parcel { to: its, planes: empty(dense)? });
                parcels.len() - 1
            }
        };
        push(isa, plane_at(&mut parcels[known].planes, at * BLOCK_WORDS), lanes, shifts);
    }
    Ok(())
}

/// Planes of a parcel.
fn empty(dense: &Dense<'_>) -> Result<Vec<u64>, Stopped> {
    let (mut planes, words) = (Vec::new(), dense.forward.inner * BLOCK_WORDS);
    planes
        .try_reserve_exact(words)
        .map_err(|_| Stopped::Limit(HaltReason::Memory { needed: parcel_bytes(dense) }))?;
    planes.resize(words, 0);
    Ok(planes)
}

/// Where lanes come to lie.
pub(super) fn shifted(lanes: &Mask, shifts: &[Shift]) -> Mask {
    let mut target = NONE;
    push(Isa::detect(), &mut target, lanes, shifts);
    target
}

fn look(counts: &Counts, bytes: u64, limits: Limits, watch: &Watch<'_>) -> Result<(), Stopped> {
    (watch.progress)(&Progress {
        phase: "forward",
        ply: 0,
        plies: None,
        states: counts.kept + counts.folded,
        bytes,
        disk: 0,
        left: None,
    });
    match limits.met(watch, bytes, REACH_SHARE) {
        Some(reason) => Err(Stopped::Limit(reason)),
        None => Ok(()),
    }
}

/// The lanes of all phases whose state would not be terminal, reached or not.
fn open_lanes(planes: &Planes<'_>, phases: &[(usize, Mask)]) -> Mask {
    let mut open = NONE;
    for (phase, lanes) in phases {
        add(&mut open, &without(lanes, &planes.ended(*phase)));
    }
    open
}

/// By merged choice: the lanes in which it is legal.
fn merged_lanes(
    dense: &Dense<'_>,
    planes: &Planes<'_>,
    phases: &[(usize, Mask)],
    open: &Mask,
) -> Vec<Mask> {
    let merged = dense.choices.merged.iter();
    merged.map(|choice| choice.legal(planes, phases, open)).collect()
}

/// The jumps that may be made, with their lanes, merged over choices.
fn sources(dense: &Dense<'_>, legal: &[Mask]) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::with_capacity(dense.choices.terms);
    for (choice, lanes) in dense.choices.merged.iter().zip(legal) {
        if !any(lanes) {
            continue;
        }
        for &jump in &choice.jumps {
            match sources.iter_mut().find(|source| source.jump == jump) {
                Some(source) => add(&mut source.lanes, lanes),
                None => sources.push(Source { jump, lanes: *lanes }),
            }
        }
    }
    sources
}

/// Follows the moves inside of a block: those that change no high digit, and those that leave the
/// values which its high digits have as they are.
fn inside(
    dense: &Dense<'_>,
    planes: &Planes<'_>,
    isa: Isa,
    sources: &[Source],
    reached: &mut Mask,
) {
    let mut moves: Vec<Spread> = Vec::new();
    for source in sources {
        let jump = &dense.choices.jumps[source.jump];
        let own = jump.shifts[planes.chunk].iter().find(|(to, _)| *to == planes.chunk);
        if let Some((_, shifts)) = own.filter(|_| jump.further(&planes.values) == Some(0)) {
            let open = shifts.iter().map(|shift| (both(&source.lanes, &shift.lanes), shift.by));
            let open = open.filter(|(open, _)| any(open));
            moves.extend(open.map(|(open, by)| Spread { open, by }));
        }
    }
    spread(isa, reached, &mut moves);
}

/// Counts a block and checks its legal moves.
fn take_in(
    dense: &Dense<'_>,
    planes: &Planes<'_>,
    (phases, legal): (&[(usize, Mask)], &[Mask]),
    (reached, live): (&Mask, &Mask),
    counts: &mut Counts,
) -> Result<(), Stopped> {
    let isa = Isa::detect();
    counts.kept += count(isa, reached);
    counts.blocks += 1;
    for (number, lanes) in phases {
        let phase = &dense.game.phases[*number];
        let mine = both(live, lanes);
        if !any(&mine) {
            continue;
        }
        if planes.stuck(*number, &mine).is_some() {
            return Err(Stopped::Flawed);
        }
        // One legal pair of moves, and chance has several: such a state waits.
        let (mut some, mut several) = (NONE, NONE);
        for (at, pair) in phase.pairs.iter().enumerate() {
            if pair.steps == 1 && !phase.tosses {
                continue;
            }
            let legal = both(&legal[dense.choices.merged_of[*number][at]], &mine);
            if pair.steps == 2 {
                counts.folded += count(isa, &legal);
            }
            several = std::array::from_fn(|word| several[word] | some[word] & legal[word]);
            add(&mut some, &legal);
        }
        let waiting = if phase.tosses { without(&some, &several) } else { NONE };
        counts.decisions += count(isa, &without(&mine, &waiting));
    }
    let top = dense.highest;
    if dense.steps.longest(planes.level + top) > counts.longest {
        let layout = dense.layout;
        for cell in layout.cells(planes.chunk) {
            if reached[cell.at / 64] >> (cell.at % 64) & 1 != 0 {
                let level = cell_level(layout, dense.steps, planes.level, &cell);
                counts.longest = counts.longest.max(dense.steps.steps(level));
            }
        }
    }
    Ok(())
}
