//! Backward: the value of every state reached, blocks in descending order.
//!
//! Values lie in two arenas, blocks of 32-bit numbers and blocks of 64-bit ones: which is told by
//! the largest denominator of a block's levels. A block has room only if some state of it was
//! reached. Children of another width are copied before they are read, which happens near the
//! start only.

use kernel::dense::{Choice, Fold, Lane, NO_ROW, Term, fold_narrow, fold_wide};
use kernel::{BLOCK_LANES, Isa, Mask};
use store::{HugeVec, OutOfMemory};
use verdict::{HaltReason, Progress, Watch};

use super::Dense;
use super::planes::{NONE, Planes, add, any, both, without};
use super::reach::{Reached, shifted};
use crate::backend::Trouble;
use crate::limits::{FORWARD_SHARE, Limits, refused};

/// Where the values of blocks lie.
pub(super) struct Arenas {
    /// By block: 0 where there is none, else 1 and twice its place, odd ones wide.
    slots: HugeVec<u32>,
    narrow: HugeVec<u32>,
    wide: HugeVec<u64>,
    /// Blocks of each arena, without room for copies.
    counts: [usize; 2],
    /// Copies that a block may need.
    copies: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    at: usize,
    wide: bool,
}

impl Arenas {
    /// Places for all blocks reached.
    pub(super) fn new(dense: &Dense<'_>, reached: &Reached) -> Result<Self, OutOfMemory> {
        let mut slots = HugeVec::zeroed(dense.layout.blocks)?;
        let (mut counts, mut values) = ([0usize; 2], Vec::new());
        for &block in &reached.blocks {
            let wide = usize::from(dense.is_wide(block as usize, &mut values));
            slots.as_mut_slice()[block as usize] = (counts[wide] * 2 + wide) as u32 + 1;
            counts[wide] += 1;
        }
        assert!(counts.iter().all(|count| *count < 1 << 30), "blocks are numbered");
        let copies = dense.choices.most_copies();
        let room = |count: usize| if count == 0 { 0 } else { count + copies };
        Ok(Self {
            slots,
            narrow: HugeVec::zeroed(room(counts[0]) * BLOCK_LANES)?,
            wide: HugeVec::zeroed(room(counts[1]) * BLOCK_LANES)?,
            counts,
            copies,
        })
    }

    /// Bytes that values need.
    pub(super) fn bytes(&self) -> u64 {
        let blocks = 4 * self.counts[0] + 8 * self.counts[1];
        (blocks * BLOCK_LANES) as u64 + self.slots.len() as u64 * 4
    }

    fn slot(&self, block: usize) -> Option<Slot> {
        let held = *self.slots.as_slice().get(block)?;
        let held = held.checked_sub(1)?;
        Some(Slot { at: (held / 2) as usize, wide: held % 2 == 1 })
    }

    /// The value at a place.
    pub(super) fn value(&self, block: usize, lane: usize) -> u64 {
        let slot = self.slot(block).expect("a place that was reached");
        let at = slot.at * BLOCK_LANES + lane;
        if slot.wide { self.wide.as_slice()[at] } else { u64::from(self.narrow.as_slice()[at]) }
    }
}

/// Values all blocks.
pub(super) fn value(
    dense: &Dense<'_>,
    planes: &mut Planes<'_>,
    reached: &Reached,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Arenas, HaltReason> {
    let lack = |lack| match refused(lack) {
        Trouble::Limit(reason) => reason,
        _ => unreachable!("a lack of memory is a limit"),
    };
    let mut arenas = Arenas::new(dense, reached).map_err(lack)?;
    let (narrow, wide) = (numbers::<u32>(dense, &arenas, 0), numbers::<u64>(dense, &arenas, 1));
    let mut pass = Pass {
        dense,
        isa: Isa::detect(),
        terms: vec![Term { rows: vec![NO_ROW; dense.layout.rows()] }; dense.choices.terms],
        choices: Vec::new(),
        styles: Vec::new(),
    };
    let blindly = planes.moves_are_tables();
    let (blocks, patience) = (reached.blocks.len(), dense.patience());
    for (done, &block) in reached.blocks.iter().rev().enumerate() {
        if done.is_multiple_of(patience) {
            let bytes = arenas.bytes() + reached.bytes();
            (watch.progress)(&Progress {
                phase: "backward",
                ply: done as u32,
                plies: Some(blocks as u32),
                states: 0,
                bytes,
                disk: 0,
                left: None,
            });
            if let Some(reason) = limits.met(watch, bytes, FORWARD_SHARE) {
                return Err(reason);
            }
        }
        let block = block as usize;
        let plane = reached.plane(block);
        let ends = match reached.ends(block).filter(|_| blindly) {
            Some(ends) => {
                planes.turn_blindly_to(block);
                ends
            }
            None => {
                planes.turn_to(block);
                let phases = planes.phases();
                planes.ends(&phases, &plane).expect("the forward pass found no flaw")
            }
        };
        let slot = arenas.slot(block).expect("a block that was reached");
        let live = without(&plane, &ends.terminal);
        pass.prepare(planes, block, &live, slot, &mut arenas);
        debug_assert!(
            pass.reaches_children(planes, block, reached),
            "every child of a state was reached"
        );
        let job = pass.job(slot, (&plane, &ends.terminal), &ends.paid);
        if slot.wide {
            fold_wide(pass.isa, &mut job.on(arenas.wide.as_mut_slice(), &wide));
        } else {
            fold_narrow(pass.isa, &mut job.on(arenas.narrow.as_mut_slice(), &narrow));
        }
    }
    Ok(arenas)
}

fn numbers<V: Lane>(dense: &Dense<'_>, arenas: &Arenas, kind: usize) -> Vec<V> {
    if arenas.counts[kind] == 0 {
        return Vec::new();
    }
    dense.choices.numbers(dense.game, dense.layout, dense.steps)
}

/// What is reused from block to block.
struct Pass<'a> {
    dense: &'a Dense<'a>,
    isa: Isa,
    terms: Vec<Term>,
    choices: Vec<Choice>,
    styles: Vec<usize>,
}

/// A block to be valued, but for its arena.
struct Job<'a> {
    lanes: usize,
    at: usize,
    reached: &'a Mask,
    terminal: &'a Mask,
    paid: &'a [(u64, Mask)],
    styles: &'a [usize],
    terms: &'a [Term],
    choices: &'a [Choice],
    segments: &'a [kernel::dense::Segment],
}

impl<'a> Job<'a> {
    fn on<V>(&self, values: &'a mut [V], numbers: &'a [V]) -> Fold<'a, V> {
        Fold {
            lanes: self.lanes,
            values,
            at: self.at,
            reached: self.reached,
            terminal: self.terminal,
            paid: self.paid,
            styles: self.styles,
            numbers,
            terms: self.terms,
            choices: self.choices,
            segments: self.segments,
        }
    }
}

impl<'d> Pass<'d> {
    fn job<'a>(
        &'a self,
        slot: Slot,
        (reached, terminal): (&'a Mask, &'a Mask),
        paid: &'a [(u64, Mask)],
    ) -> Job<'a> {
        Job {
            lanes: self.dense.layout.lanes,
            at: slot.at * BLOCK_LANES,
            reached,
            terminal,
            paid,
            styles: &self.styles,
            terms: &self.terms,
            choices: &self.choices,
            segments: &self.dense.choices.segments,
        }
    }

    /// The choices of a block, and the sources of its values.
    fn prepare(
        &mut self,
        planes: &mut Planes<'_>,
        block: usize,
        live: &Mask,
        slot: Slot,
        arenas: &mut Arenas,
    ) {
        let (dense, layout) = (self.dense, self.dense.layout);
        let phases = planes.phases();
        self.choices.clear();
        let mut copies = 0;
        for merged in &dense.choices.merged {
            let mut legal = NONE;
            for (phase, lanes) in &phases {
                let member = merged.members.iter().find(|member| member.0 == *phase);
                if let Some(&(_, pair)) = member {
                    add(&mut legal, &planes.legal(*phase, pair, &both(lanes, live)));
                }
            }
            let terms = merged.first_term..merged.first_term + merged.jumps.len();
            if any(&legal) {
                for (term, &jump) in terms.clone().zip(&merged.jumps) {
                    self.sources(planes, block, (term, jump), slot, arenas, &mut copies);
                }
            }
            self.choices.push(Choice { legal, terms, runs: merged.runs });
        }
        let stride = dense.choices.stride(layout);
        self.styles.clear();
        for row in 0..layout.rows() {
            let value = layout.row_value(planes.chunk, row);
            let part = value
                .map_or(0, |value| layout.row.map_or(0, |digit| dense.steps.part(digit, value)));
            self.styles.push((planes.level + part) * stride);
        }
    }

    /// Whether the children of all choices of a prepared block are among the states reached.
    fn reaches_children(&self, planes: &Planes<'_>, block: usize, reached: &Reached) -> bool {
        let choices = self.choices.iter().zip(&self.dense.choices.merged);
        let mut terms = choices.flat_map(|(choice, merged)| {
            merged.jumps.iter().map(|jump| (choice.legal, &self.dense.choices.jumps[*jump]))
        });
        terms.all(|(legal, jump)| {
            let Some(further) = jump.further(&planes.values) else { return !any(&legal) };
            jump.shifts[planes.chunk].iter().all(|(chunk, shifts)| {
                let children = shifted(&legal, shifts);
                let to = block - planes.chunk + further + chunk;
                !any(&children) || !any(&without(&children, &reached.plane(to)))
            })
        })
    }

    /// Where the children of each row lie by one jump.
    fn sources(
        &mut self,
        planes: &Planes<'_>,
        block: usize,
        (term, jump): (usize, usize),
        slot: Slot,
        arenas: &mut Arenas,
        copies: &mut usize,
    ) {
        let (layout, jump) = (self.dense.layout, &self.dense.choices.jumps[jump]);
        let rows = layout.rows();
        let further = jump.further(&planes.values);
        let mut first_rows: Vec<(usize, u32)> = Vec::new();
        let mut first_row = |chunk: usize| {
            if let Some((_, held)) = first_rows.iter().find(|(known, _)| *known == chunk) {
                return *held;
            }
            let to = further.map(|further| block - planes.chunk + further + chunk);
            let held = match to.and_then(|to| arenas.slot(to)) {
                None => NO_ROW,
                Some(child) if child.wide == slot.wide => (child.at * rows) as u32,
                Some(child) => (copy(arenas, child, copies) * rows) as u32,
            };
            first_rows.push((chunk, held));
            held
        };
        let out = &mut self.terms[term].rows;
        match &jump.row {
            None => {
                let first = first_row(planes.chunk);
                let each = |row: usize| if first == NO_ROW { NO_ROW } else { first + row as u32 };
                out.iter_mut().enumerate().for_each(|(row, held)| *held = each(row));
            }
            Some(map) => {
                for (row, held) in out.iter_mut().enumerate() {
                    let value = layout.row_value(planes.chunk, row);
                    let to = value.map(|value| map[value]).filter(|to| *to != factor::NOWHERE);
                    *held = match to {
                        None => NO_ROW,
                        Some(to) => match first_row(to as usize / rows) {
                            NO_ROW => NO_ROW,
                            first => first + (to as usize % rows) as u32,
                        },
                    };
                }
            }
        }
    }
}

/// Copies a block to the room behind the other arena; where it is then.
fn copy(arenas: &mut Arenas, child: Slot, copies: &mut usize) -> usize {
    let to = arenas.counts[usize::from(!child.wide)] + *copies;
    debug_assert!(*copies < arenas.copies, "room was made for all copies of a block");
    *copies += 1;
    let (from, target) = (child.at * BLOCK_LANES, to * BLOCK_LANES);
    let (narrow, wide) = (arenas.narrow.as_mut_slice(), arenas.wide.as_mut_slice());
    for lane in 0..BLOCK_LANES {
        if child.wide {
            narrow[target + lane] = wide[from + lane] as u32;
        } else {
            wide[target + lane] = u64::from(narrow[from + lane]);
        }
    }
    to
}
