//! Where states lie: one digit along the lanes of a row, one over the rows of a block, the others
//! over blocks.
//!
//! A state's place is its block, row and lane. All tables ascend, though a digit may keep its value
//! where another rises, so places of children are later than those of their parents. The order of
//! work is that of places inside of tasks; slabs and tasks have another one (`schedule`). Values of
//! the lane's digit stand at the end of a row, so that large groups of values begin at round places.

use factor::{Digit, Factored, NOWHERE};
use kernel::dense::Shift;
use kernel::{BLOCK_LANES, Mask};
use rustc_hash::FxHashMap;

use super::exchange::Exchange;

/// Fewest lanes of a row.
const LEAST_LANES: usize = 16;
/// The largest digit that a symmetry may exchange has so many times the values of the highest, which it
/// leaves as it is: slabs are large beside the whole where that has few.
const SMALLEST_TOP: usize = 4;
/// Most blocks.
const MOST_BLOCKS: u64 = 1 << 24;

/// The arrangement of digits.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The digit of lanes.
    pub(super) lane: usize,
    /// The digit of rows.
    pub(super) row: Option<usize>,
    /// The digits of blocks, the lowest first.
    pub(super) high: Vec<usize>,
    /// Their numbers of values.
    pub(super) sizes: Vec<usize>,
    /// Lanes of a row.
    pub(super) lanes: usize,
    /// Lanes before the first value.
    pub(super) pad: usize,
    /// Values of the rows' digit.
    pub(super) row_values: usize,
    /// Blocks that share their high digits.
    pub(super) chunks: usize,
    /// All blocks.
    pub(super) blocks: usize,
    /// What a symmetry does to places, where it is made use of.
    pub(super) exchange: Option<Exchange>,
}

/// Which digit lies where.
struct Order {
    lane: usize,
    row: Option<usize>,
    high: Vec<usize>,
}

impl Layout {
    /// An arrangement with little room lost, and one that a symmetry keeps where the digits have
    /// one; none where there is no digit or too much room.
    pub(super) fn new(game: &Factored) -> Option<Self> {
        let partners = game.exchange.as_deref();
        let even = partners.and_then(|partners| Order::even(game, partners));
        let is_even = even.is_some();
        let Order { lane, row, high } = even.or_else(|| Order::dense(game))?;
        let size = |digit: usize| game.digits[digit].values.len();
        let lanes = lanes_for(size(lane));
        let rows = BLOCK_LANES / lanes;
        let row_values = row.map_or(1, size);
        let chunks = row_values.div_ceil(rows);
        let sizes: Vec<usize> = high.iter().map(|at| size(*at)).collect();
        let blocks = sizes.iter().try_fold(chunks as u64, |product, size| {
            product.checked_mul(*size as u64).filter(|product| *product <= MOST_BLOCKS)
        })?;
        let pad = lanes - size(lane);
        assert!(lanes <= BLOCK_LANES, "a digit fits a block");
        let exchange = partners.filter(|_| is_even).map(|partners| {
            let places = high.iter().map(|digit| place(&high, partners[*digit])).collect();
            Exchange::new(places, partners[lane] != lane, &sizes)
        });
        Some(Self {
            lane,
            row,
            high,
            sizes,
            lanes,
            pad,
            row_values,
            chunks,
            blocks: blocks as usize,
            exchange,
        })
    }

    /// Rows of a block.
    pub(super) fn rows(&self) -> usize {
        BLOCK_LANES / self.lanes
    }

    /// The value of rows' digit in a row of a block.
    pub(super) fn row_value(&self, chunk: usize, row: usize) -> Option<usize> {
        Some(chunk * self.rows() + row).filter(|value| *value < self.row_values)
    }

    /// All places of a block that stand for values: row, value of rows, lane, value of lanes.
    pub(super) fn cells(&self, chunk: usize) -> impl Iterator<Item = Cell> + '_ {
        let rows = (0..self.rows()).filter_map(move |row| Some((row, self.row_value(chunk, row)?)));
        rows.flat_map(move |(row, row_value)| {
            (self.pad..self.lanes).map(move |lane| Cell {
                at: row * self.lanes + lane,
                row_value,
                lane_value: lane - self.pad,
            })
        })
    }

    /// The lanes of a block in which something holds of the cell.
    pub(super) fn plane(&self, chunk: usize, holds: impl Fn(&Cell) -> bool) -> Mask {
        let mut mask = [0; kernel::BLOCK_WORDS];
        for cell in self.cells(chunk).filter(|cell| holds(cell)) {
            mask[cell.at / 64] |= 1 << (cell.at % 64);
        }
        mask
    }

    /// The values of the high digits of a block, and its chunk.
    pub(super) fn decode(&self, block: usize, values: &mut Vec<usize>) -> usize {
        let (mut rest, chunk) = (block / self.chunks, block % self.chunks);
        values.clear();
        for size in &self.sizes {
            values.push(rest % size);
            rest /= size;
        }
        debug_assert_eq!(rest, 0, "a block of this layout");
        chunk
    }

    /// The place of a state: block and lane of the block.
    pub(super) fn place(&self, values: &[u32]) -> (usize, usize) {
        let mut high = 0;
        for (&digit, size) in self.high.iter().zip(&self.sizes).rev() {
            high = high * size + values[digit] as usize;
        }
        let row_value = self.row.map_or(0, |digit| values[digit] as usize);
        let (chunk, row) = (row_value / self.rows(), row_value % self.rows());
        let lane = self.pad + values[self.lane] as usize;
        (high * self.chunks + chunk, row * self.lanes + lane)
    }
}

/// A place in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Lane of the block.
    pub(super) at: usize,
    /// Value of the rows' digit.
    pub(super) row_value: usize,
    /// Value of the lanes' digit.
    pub(super) lane_value: usize,
}

impl Order {
    /// With little room lost.
    fn dense(game: &Factored) -> Option<Self> {
        let size = |digit: usize| game.digits[digit].values.len();
        let mut rest: Vec<usize> = (0..game.digits.len()).collect();
        let lane = *rest.iter().min_by_key(|at| lane_loss(size(**at)))?;
        rest.retain(|at| *at != lane);
        let rows = BLOCK_LANES / lanes_for(size(lane));
        let row = rest.iter().copied().min_by_key(|at| row_loss(size(*at), rows));
        rest.retain(|at| Some(*at) != row);
        // The largest on top, so that slabs are small beside the whole.
        rest.sort_by_key(|at| size(*at));
        Some(Self { lane, row, high: rest })
    }

    /// So that digits which a symmetry exchanges are those of lanes and rows, or stay among the high
    /// ones, and the highest is left as it is; none where that does not suit.
    fn even(game: &Factored, partners: &[usize]) -> Option<Self> {
        let size = |digit: usize| game.digits[digit].values.len();
        let mut pairs: Vec<usize> = (0..partners.len()).filter(|at| *at < partners[*at]).collect();
        let mut fixed: Vec<usize> = (0..partners.len()).filter(|at| *at == partners[*at]).collect();
        fixed.sort_by_key(|at| size(*at));
        let top = fixed.pop()?;
        let (lane, row) = if pairs.len() > 1 {
            let loss = |at: &usize| {
                let rows = BLOCK_LANES / lanes_for(size(*at));
                lane_loss(size(*at)).0 * row_loss(size(*at), rows)
            };
            let lane = *pairs.iter().min_by_key(|at| loss(at))?;
            pairs.retain(|at| *at != lane);
            (lane, partners[lane])
        } else {
            let lane = *fixed.iter().min_by_key(|at| lane_loss(size(**at)))?;
            fixed.retain(|at| *at != lane);
            let rows = BLOCK_LANES / lanes_for(size(lane));
            let row = fixed.iter().copied().min_by_key(|at| row_loss(size(*at), rows))?;
            fixed.retain(|at| *at != row);
            (lane, row)
        };
        pairs.sort_by_key(|at| size(*at));
        let largest = size(*pairs.last()?);
        if SMALLEST_TOP * size(top) < largest {
            return None;
        }
        // Partners side by side, and above what stays, so that they make tasks.
        let pairs = pairs.into_iter().flat_map(|at| [at, partners[at]]);
        let high = fixed.into_iter().chain(pairs).chain([top]).collect();
        Some(Self { lane, row: Some(row), high })
    }
}

fn place(high: &[usize], digit: usize) -> usize {
    high.iter().position(|held| *held == digit).expect("partners of high digits are high")
}

/// Room that a digit takes along lanes, in thousandths of what it needs; then the smaller digit.
fn lane_loss(size: usize) -> (usize, usize) {
    (lanes_for(size) * 1000 / size, size)
}

/// Room that it takes over blocks of so many rows, likewise.
fn row_loss(size: usize, rows: usize) -> usize {
    size.next_multiple_of(rows) * 1000 / size
}

fn lanes_for(size: usize) -> usize {
    size.next_power_of_two().max(LEAST_LANES)
}

fn first_lane(mask: &Mask) -> usize {
    let word = mask.iter().position(|word| *word != 0).unwrap_or(0);
    64 * word + mask[word].trailing_zeros() as usize
}

/// What an outcome does to places.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    /// By high digit that changes: its place in the layout, and by value how many blocks further.
    high: Vec<(usize, Vec<Option<usize>>)>,
    /// By value of rows: the new value, where the digit changes.
    row: Option<Vec<u32>>,
    /// By value of lanes: the new value, where the digit changes.
    pub(super) lane: Option<Vec<u32>>,
    /// For each chunk: the chunks that its lanes go to, and how.
    pub(super) shifts: Vec<Vec<(usize, Vec<Shift>)>>,
    /// For each chunk and row: which of the chunks of `shifts` it goes to, and the row there.
    pub(super) rows: Vec<Vec<Option<(usize, usize)>>>,
}

impl Jump {
    /// What some tables do, each of one digit.
    pub(super) fn new(game: &Factored, layout: &Layout, maps: &[(usize, usize)]) -> Self {
        let (mut high, mut row, mut lane) = (Vec::new(), None, None);
        for &(digit, map) in maps {
            let Digit { maps, .. } = &game.digits[digit];
            let map = &maps[map];
            if digit == layout.lane {
                lane = Some(map.clone());
            } else if Some(digit) == layout.row {
                row = Some(map.clone());
            } else {
                let at = layout.high.iter().position(|held| *held == digit).expect("a high digit");
                let stride: usize = layout.sizes[..at].iter().product::<usize>() * layout.chunks;
                let further = map
                    .iter()
                    .enumerate()
                    .map(|(from, &to)| (to != NOWHERE).then(|| (to as usize - from) * stride));
                high.push((at, further.collect()));
            }
        }
        let mut jump = Self { high, row, lane, shifts: Vec::new(), rows: Vec::new() };
        jump.shifts = (0..layout.chunks).map(|chunk| jump.shifts_of(layout, chunk)).collect();
        jump.rows = (0..layout.chunks).map(|chunk| jump.rows_of(layout, chunk)).collect();
        jump
    }

    fn shifts_of(&self, layout: &Layout, chunk: usize) -> Vec<(usize, Vec<Shift>)> {
        let through = |map: &Option<Vec<u32>>, value: usize| match map {
            Some(map) => Some(map[value] as usize).filter(|to| *to != NOWHERE as usize),
            None => Some(value),
        };
        let mut found: FxHashMap<(usize, i32), Mask> = FxHashMap::default();
        for cell in layout.cells(chunk) {
            let (Some(row), Some(lane)) =
                (through(&self.row, cell.row_value), through(&self.lane, cell.lane_value))
            else {
                continue;
            };
            let to = row % layout.rows() * layout.lanes + layout.pad + lane;
            let key = (row / layout.rows(), to as i32 - cell.at as i32);
            let mask = found.entry(key).or_insert([0; kernel::BLOCK_WORDS]);
            mask[cell.at / 64] |= 1 << (cell.at % 64);
        }
        let mut chunks: Vec<usize> = found.keys().map(|key| key.0).collect();
        chunks.sort_unstable();
        chunks.dedup();
        let shifts = |to: usize| {
            let mine = found.iter().filter(|(key, _)| key.0 == to);
            let mut shifts: Vec<Shift> =
                mine.map(|(key, lanes)| Shift { lanes: *lanes, by: key.1 }).collect();
            // Lower lanes first, so that few rounds are needed until nothing is new.
            shifts.sort_by_key(|shift| (first_lane(&shift.lanes), shift.by));
            (to, shifts)
        };
        chunks.into_iter().map(shifts).collect()
    }

    fn rows_of(&self, layout: &Layout, chunk: usize) -> Vec<Option<(usize, usize)>> {
        let to = |row: usize| {
            let value = layout.row_value(chunk, row)?;
            let to = match &self.row {
                None => value,
                Some(map) => Some(map[value]).filter(|to| *to != NOWHERE)? as usize,
            };
            let (chunk_of, row) = (to / layout.rows(), to % layout.rows());
            let at = self.shifts[chunk].iter().position(|(to, _)| *to == chunk_of)?;
            Some((at, row))
        };
        (0..layout.rows()).map(to).collect()
    }

    /// How many blocks further it leads from high values; none where it cannot be played.
    pub(super) fn further(&self, values: &[usize]) -> Option<usize> {
        self.high.iter().try_fold(0, |sum, (at, further)| Some(sum + further[values[*at]]?))
    }
}
