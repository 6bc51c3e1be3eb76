//! Forward: which places are reached, block by block in ascending order, and what they count.
//!
//! A block is complete when it is its turn, but for moves inside it, which are followed until
//! nothing is new. Every state reached is checked here: for ends, payments and legal moves.

use kernel::dense::{Shift, Spread, count, moved, spread};
use kernel::{FlawKind, Isa, Mask};
use store::HugeVec;
use verdict::{HaltReason, Progress, Watch};

use super::Dense;
use super::planes::{Ends, NONE, Planes, add, any, both, cell_level, without};
use crate::backend::Trouble;
use crate::limits::{Limits, REACH_SHARE, refused};

/// Bytes of a block's planes: reached, terminal, paid.
const PLANE_BYTES: usize = 3 * 8 * kernel::BLOCK_WORDS;

/// What was reached.
pub(super) struct Reached {
    /// Planes of the blocks.
    planes: HugeVec<u64>,
    ends: KeptEnds,
    /// Blocks with a state, ascending.
    pub(super) blocks: Vec<u32>,
    pub(super) counts: Counts,
}

/// Ends of blocks, kept where one payment is all there is.
struct KeptEnds {
    terminal: HugeVec<u64>,
    paid: HugeVec<u64>,
    /// The payment met.
    payment: Option<u64>,
    /// Whether another was met, so that ends are not kept.
    several: bool,
}

impl KeptEnds {
    fn take_in(&mut self, block: usize, ends: &Ends) {
        *plane_mut(&mut self.terminal, block) = ends.terminal;
        for (payment, lanes) in &ends.paid {
            self.several |= *self.payment.get_or_insert(*payment) != *payment;
            *plane_mut(&mut self.paid, block) = *lanes;
        }
    }
}

/// Numbers of states.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// States that are kept.
    pub(super) kept: u64,
    /// States that were folded into the choices before them.
    pub(super) folded: u64,
    /// Kept states in which somebody decides.
    pub(super) decisions: u64,
    /// Steps of the longest play.
    pub(super) longest: u32,
}

/// Why a forward pass ended early.
pub(super) enum Stopped {
    /// A state is flawed; which one is for another tier to tell.
    Flawed,
    /// A limit.
    Limit(HaltReason),
}

/// One in so many places of the blocks reached is a state, at least, or tables need less memory.
const SPARSE: u64 = 16;
/// Blocks that are never too many.
const FEW_BLOCKS: usize = 256;

impl Reached {
    /// Whether so few places of the blocks are states that tables are the better tier.
    pub(super) fn is_sparse(&self) -> bool {
        let places = (self.blocks.len() * kernel::BLOCK_LANES) as u64;
        self.blocks.len() > FEW_BLOCKS && SPARSE * self.counts.kept < places
    }

    /// Bytes of the planes of blocks that were reached.
    pub(super) fn bytes(&self) -> u64 {
        (self.blocks.len() * PLANE_BYTES) as u64
    }

    /// The ends of a block, where they were kept.
    pub(super) fn ends(&self, block: usize) -> Option<Ends> {
        if self.ends.several {
            return None;
        }
        let lanes = plane(&self.ends.paid, block);
        let paid = self.ends.payment.filter(|_| any(&lanes)).map(|payment| (payment, lanes));
        Some(Ends { terminal: plane(&self.ends.terminal, block), paid: paid.into_iter().collect() })
    }

    pub(super) fn plane(&self, block: usize) -> Mask {
        plane(&self.planes, block)
    }
}

fn plane(planes: &HugeVec<u64>, block: usize) -> Mask {
    let at = block * kernel::BLOCK_WORDS;
    planes.as_slice()[at..at + kernel::BLOCK_WORDS].try_into().expect("a plane of a block")
}

fn plane_mut(planes: &mut HugeVec<u64>, block: usize) -> &mut Mask {
    let at = block * kernel::BLOCK_WORDS;
    let words = &mut planes.as_mut_slice()[at..at + kernel::BLOCK_WORDS];
    words.try_into().expect("a plane of a block")
}

/// Lanes in which one jump may be made.
struct Source {
    jump: usize,
    lanes: Mask,
}

/// Reaches all places from the start.
pub(super) fn reach(
    dense: &Dense<'_>,
    planes: &mut Planes<'_>,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Reached, Stopped> {
    let layout = dense.layout;
    let lack = |lack| match refused(lack) {
        Trouble::Limit(reason) => Stopped::Limit(reason),
        _ => unreachable!("a lack of memory is a limit"),
    };
    let fresh = || HugeVec::zeroed(layout.blocks * kernel::BLOCK_WORDS).map_err(lack);
    let mut held = fresh()?;
    let (terminal, paid) = (fresh()?, fresh()?);
    let mut kept = KeptEnds { terminal, paid, payment: None, several: false };
    let mut touched = HugeVec::<u8>::zeroed(layout.blocks).map_err(lack)?;
    let start: Vec<u32> = dense.game.digits.iter().map(|digit| digit.start).collect();
    let (block, lane) = layout.place(&start);
    plane_mut(&mut held, block)[lane / 64] |= 1 << (lane % 64);
    touched.as_mut_slice()[block] = 1;
    let (mut blocks, mut counts) = (Vec::new(), Counts::default());
    let (isa, patience) = (Isa::detect(), dense.patience());
    for block in 0..layout.blocks {
        if touched.as_slice()[block] == 0 {
            continue;
        }
        if blocks.len().is_multiple_of(patience) {
            look(&blocks, &counts, limits, watch)?;
        }
        blocks.push(block as u32);
        planes.turn_to(block);
        let phases = planes.phases();
        let mut reached = plane(&held, block);
        let open = open_lanes(planes, &phases);
        let sources = sources(dense, planes, &phases, &open);
        inside(dense, planes, isa, &sources, &mut reached);
        let ends = planes.ends(&phases, &reached).map_err(|_: FlawKind| Stopped::Flawed)?;
        let live = without(&reached, &ends.terminal);
        kept.take_in(block, &ends);
        take_in(dense, planes, &phases, (&reached, &live), &mut counts)?;
        *plane_mut(&mut held, block) = reached;
        for source in &sources {
            let lanes = both(&source.lanes, &live);
            if any(&lanes) {
                let jump = &dense.choices.jumps[source.jump];
                let further = jump.further(&planes.values).expect("a legal move can be played");
                for (chunk, shifts) in &jump.shifts[planes.chunk] {
                    let to = block - planes.chunk + further + chunk;
                    if to == block {
                        // Such moves were followed by `inside`.
                        debug_assert_eq!((further, *chunk), (0, planes.chunk));
                        continue;
                    }
                    assert!(to > block, "children lie behind their parents");
                    touched.as_mut_slice()[to] = 1;
                    push(plane_mut(&mut held, to), &lanes, shifts);
                }
            }
        }
    }
    look(&blocks, &counts, limits, watch)?;
    Ok(Reached { planes: held, ends: kept, blocks, counts })
}

fn push(target: &mut Mask, lanes: &Mask, shifts: &[Shift]) {
    for shift in shifts {
        let mine = both(lanes, &shift.lanes);
        match shift.by {
            0 => add(target, &mine),
            by if any(&mine) => add(target, &moved(&mine, by)),
            _ => {}
        }
    }
}

/// Where lanes come to lie.
pub(super) fn shifted(lanes: &Mask, shifts: &[Shift]) -> Mask {
    let mut target = NONE;
    push(&mut target, lanes, shifts);
    target
}

fn look(blocks: &[u32], counts: &Counts, limits: Limits, watch: &Watch<'_>) -> Result<(), Stopped> {
    let bytes = (blocks.len() * PLANE_BYTES) as u64;
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

/// The jumps that may be made, with their lanes, merged over phases and pairs.
fn sources(
    dense: &Dense<'_>,
    planes: &Planes<'_>,
    phases: &[(usize, Mask)],
    open: &Mask,
) -> Vec<Source> {
    let mut sources: Vec<Source> = Vec::new();
    for (phase, lanes) in phases {
        let within = both(lanes, open);
        for (pair, jumps) in dense.choices.jump_of[*phase].iter().enumerate() {
            let lanes = planes.legal(*phase, pair, &within);
            if !any(&lanes) {
                continue;
            }
            for &jump in jumps {
                match sources.iter_mut().find(|source| source.jump == jump) {
                    Some(source) => add(&mut source.lanes, &lanes),
                    None => sources.push(Source { jump, lanes }),
                }
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
    let mut moves: Vec<Spread<'_>> = Vec::new();
    for source in sources {
        let jump = &dense.choices.jumps[source.jump];
        let own = jump.shifts[planes.chunk].iter().find(|(to, _)| *to == planes.chunk);
        if let Some((_, shifts)) = own.filter(|_| jump.further(&planes.values) == Some(0)) {
            moves.push(Spread { allowed: source.lanes, shifts });
        }
    }
    spread(isa, reached, &moves);
}

/// Counts a block and checks its legal moves.
fn take_in(
    dense: &Dense<'_>,
    planes: &Planes<'_>,
    phases: &[(usize, Mask)],
    (reached, live): (&Mask, &Mask),
    counts: &mut Counts,
) -> Result<(), Stopped> {
    let isa = Isa::detect();
    counts.kept += count(isa, reached);
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
            let legal = planes.legal(*number, at, &mine);
            if pair.steps == 2 {
                counts.folded += count(isa, &legal);
            }
            several = std::array::from_fn(|word| several[word] | some[word] & legal[word]);
            add(&mut some, &legal);
        }
        let waiting = if phase.tosses { without(&some, &several) } else { NONE };
        counts.decisions += count(isa, &without(&mine, &waiting));
    }
    let top = dense.highest_of(planes);
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
