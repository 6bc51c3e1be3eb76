//! Places that a symmetry exchanges: half of the blocks are found from the others.
//!
//! Where an automorphism exchanges digits (crate `factor`), the image of a state has the digits of
//! the state in another order. The blocks with the same high digits are a *group*, and its twin is
//! the group with these exchanged; the digits of lanes and rows are exchanged as well, or both stay.
//! So the image of a whole group is its twin, its rows and lanes *turned* or as they are. The digit
//! of slabs stays, so that twins lie in one slab; there they lie in one task, or the twins of a task's
//! groups are the groups of one task, which has as many changes before it: twins are never each other's
//! children. Of two twins the one whose turn comes first is worked on; what leads to the other is
//! taken for its own, and what is found is copied.
//!
//! Always: values, levels, ends and legality are those of the image, since `net::symmetry` has proven
//! the automorphism and it leaves the start as it is.

use kernel::dense::Values;
use kernel::{BLOCK_LANES, BLOCK_WORDS, Mask};

use super::layout::Layout;

/// Bits of a word and of half a word: rows that are turned as words are.
const WORD: usize = 64;
const HALF: usize = WORD / 2;

/// What a symmetry does to places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    /// By digit of blocks, by place in the layout: the one that it is exchanged with.
    pub(super) high: Vec<usize>,
    /// Whether lanes and rows are exchanged.
    pub(super) turns: bool,
    /// By group of a slab: its twin.
    twins: Vec<u32>,
}

impl Exchange {
    /// What the exchange of high digits does to groups; the highest is left as it is.
    pub(super) fn new(high: Vec<usize>, turns: bool, sizes: &[usize]) -> Self {
        let (_, low) = sizes.split_last().expect("a digit of slabs");
        assert_eq!(high.last(), Some(&low.len()), "slabs stay");
        let twin = |group: usize| {
            let mut rest = group;
            let values: Vec<usize> = low
                .iter()
                .map(|size| {
                    let value = rest % size;
                    rest /= size;
                    value
                })
                .collect();
            let places = (0..low.len()).rev();
            places.fold(0, |sum, at| sum * low[at] + values[high[at]]) as u32
        };
        let twins = (0..low.iter().product()).map(twin).collect();
        Self { high, turns, twins }
    }
}

impl Layout {
    /// The group that a symmetry makes of a group, counted over all. It lies in the same slab.
    pub(super) fn twin(&self, group: usize) -> usize {
        let Some(exchange) = &self.exchange else { return group };
        let within = group % exchange.twins.len();
        group - within + exchange.twins[within] as usize
    }

    /// Puts the lanes of a group, by chunk, where they lie in its twin.
    pub(super) fn turn_lanes<'m>(&self, lanes: impl Fn(usize) -> &'m Mask, turned: &mut [Mask]) {
        debug_assert_eq!(turned.len(), self.chunks, "the blocks of a group");
        if self.exchange.as_ref().is_none_or(|exchange| !exchange.turns) {
            turned.iter_mut().enumerate().for_each(|(chunk, turned)| *turned = *lanes(chunk));
            return;
        }
        if self.lanes == HALF && self.chunks == 1 {
            // Two rows a word.
            let mut rows = [0u32; HALF];
            for (rows, word) in rows.as_chunks_mut::<2>().0.iter_mut().zip(lanes(0)) {
                *rows = [(*word as u32) >> self.pad, ((word >> HALF) as u32) >> self.pad];
            }
            transpose_32(&mut rows);
            for (word, rows) in turned[0].iter_mut().zip(rows.as_chunks::<2>().0) {
                let [low, high] = rows.map(|bits| u64::from(bits << self.pad));
                *word = low | high << HALF;
            }
            return;
        }
        turned.fill([0; BLOCK_WORDS]);
        if self.lanes == WORD {
            let (mut matrix, rows) = ([0; WORD], self.rows());
            for (row, bits) in matrix[..self.row_values].iter_mut().enumerate() {
                *bits = lanes(row / rows)[row % rows] >> self.pad;
            }
            transpose_64(&mut matrix);
            for (row, bits) in matrix[..self.row_values].iter().enumerate() {
                turned[row / rows][row % rows] = bits << self.pad;
            }
            return;
        }
        for chunk in 0..self.chunks {
            let mine = lanes(chunk);
            for cell in self.cells(chunk).filter(|cell| has(mine, cell.at)) {
                let (to, at) = self.cell(cell.lane_value, cell.row_value);
                turned[to][at / WORD] |= 1 << (at % WORD);
            }
        }
    }

    /// The chunk and lane of values of the rows' and of the lanes' digit.
    fn cell(&self, row: usize, lane: usize) -> (usize, usize) {
        (row / self.rows(), row % self.rows() * self.lanes + self.pad + lane)
    }

    /// Puts the values of one chunk of a group where they lie in a chunk of its twin.
    pub(super) fn turn_values<V: Copy, W>(
        &self,
        (from, values): (usize, &Values<V>),
        (to, turned): (usize, &mut Values<W>),
        number: impl Fn(V) -> W,
    ) {
        if self.exchange.as_ref().is_none_or(|exchange| !exchange.turns) {
            if from == to {
                turned.iter_mut().zip(values).for_each(|(to, from)| *to = number(*from));
            }
            return;
        }
        let rows = self.rows();
        let within = |chunk: usize| chunk * rows..self.row_values.min((chunk + 1) * rows);
        // The rows of the source are lanes here.
        let sources = within(from);
        for row in within(to) {
            let start = row % rows * self.lanes + self.pad;
            let target = &mut turned[start + sources.start..start + sources.end];
            let column = values[self.pad + row..BLOCK_LANES].iter().step_by(self.lanes);
            target.iter_mut().zip(column).for_each(|(to, from)| *to = number(*from));
        }
    }
}

fn has(lanes: &Mask, at: usize) -> bool {
    lanes[at / WORD] >> (at % WORD) & 1 != 0
}

/// Exchanges rows and columns of a square of bits: by halves, quarters and so on.
macro_rules! transpose {
    ($name:ident, $word:ty, $size:expr, $($half:literal)*) => {
        fn $name(rows: &mut [$word; $size]) {
            $(
                // The lower half of every so many columns.
                let low = <$word>::MAX / ((1 << $half) + 1);
                let (squares, _) = rows.as_chunks_mut::<{ 2 * $half }>();
                for square in squares {
                    let (upper, lower) = square.split_at_mut($half);
                    for (upper, lower) in upper.iter_mut().zip(lower) {
                        let swapped = ((*upper >> $half) ^ *lower) & low;
                        *upper ^= swapped << $half;
                        *lower ^= swapped;
                    }
                }
            )*
        }
    };
}

transpose!(transpose_32, u32, HALF, 16 8 4 2 1);
transpose!(transpose_64, u64, WORD, 32 16 8 4 2 1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let bit =
            |row: usize, column: usize| (row * 7 + column * column * 3 + row * column) % 5 < 2;
        let bits = |row: usize, size: usize| -> u64 {
            (0..size).fold(0, |sum, at| sum | u64::from(bit(row, at)) << at)
        };
        let column = |at: usize, size: usize| -> u64 {
            (0..size).fold(0, |sum, row| sum | u64::from(bit(row, at)) << row)
        };
        let mut rows: [u64; WORD] = std::array::from_fn(|row| bits(row, WORD));
        transpose_64(&mut rows);
        assert!((0..WORD).all(|at| rows[at] == column(at, WORD)));
        let mut rows: [u32; HALF] = std::array::from_fn(|row| bits(row, HALF) as u32);
        transpose_32(&mut rows);
        assert!((0..HALF).all(|at| u64::from(rows[at]) == column(at, HALF)));
    }
}
