//! Programs over planes as tables over fields of the key, for a graphics device.
//!
//! A group of a thousand members is ten bits of the key, and code that decodes it member by member
//! has thousands of operations. Where an output depends on a few fields only, it is a table of as
//! many entries as these have codes, which the processor fills by running the program once over all of
//! them. A bit string is then the disjunction of a few words that are looked up.
//!
//! Always: a table covers every bit that its outputs may depend on, by the program's own reads.
//! Entries of codes that no state has are garbage and never looked up.

use std::ops::Range;

use crate::expand::{BLOCK_LANES, BLOCK_WORDS};
use crate::frame::{Frame, Lit};
use crate::isa::Isa;
use crate::program::Program;

/// Bits of an index, at most; and those up to which tables are joined, so that fewer are read.
const MOST_BITS: usize = 16;
const JOINED_BITS: usize = 12;
/// Words of all tables of a program, at most.
const MOST_WORDS: usize = 1 << 19;

/// A bit string as look-ups, as words. First for each 32 bits where their columns begin, and last
/// where all end; a column is where its table begins, how many pieces its index has, and the first
/// bit and the width of each, the lowest first. Places count from the first word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The words.
    pub words: Vec<u32>,
}

/// Outputs of one word that are looked up together.
struct Column {
    /// Fields by number, ascending.
    fields: Vec<usize>,
    /// Outputs, and the bit where each goes.
    outputs: Vec<(Lit, usize)>,
}

/// The tables of a program over key bits that lie from slot `first` on, cut into `fields`; output `i`
/// goes to bit `places[i]`, and bits that several outputs share are their disjunction. One place more
/// than outputs only makes the string longer. None where tables would be too large.
pub(crate) fn tabulate(
    program: &Program,
    first: usize,
    fields: &[Range<usize>],
    places: &[usize],
    isa: Isa,
) -> Option<Tables> {
    let strings = places.iter().max().map_or(0, |last| last / 32 + 1);
    let supports = supports(program, first, fields);
    let mut columns: Vec<Vec<Column>> = (0..strings).map(|_| Vec::new()).collect();
    let mut wanted: Vec<(Lit, &[usize], usize)> = program
        .outputs()
        .iter()
        .zip(places)
        .map(|(lit, place)| (*lit, supports[lit.slot()].as_slice(), *place))
        .collect();
    let bits = |set: &[usize]| set.iter().map(|at| fields[*at].len()).sum::<usize>();
    wanted.sort_by_key(|(_, support, place)| (std::cmp::Reverse(bits(support)), *place));
    for (lit, support, place) in wanted {
        if bits(support) > MOST_BITS {
            return None;
        }
        let word = &mut columns[place / 32];
        let joined = word.iter_mut().find_map(|column| {
            let union = union(&column.fields, support);
            let fits = bits(&union) <= bits(&column.fields).max(JOINED_BITS);
            fits.then_some((column, union))
        });
        match joined {
            Some((column, union)) => {
                column.fields = union;
                column.outputs.push((lit, place % 32));
            }
            None => {
                word.push(Column { fields: support.to_vec(), outputs: vec![(lit, place % 32)] })
            }
        }
    }
    let sizes = columns.iter().flatten().map(|column| 1usize << bits(&column.fields));
    (sizes.sum::<usize>() <= MOST_WORDS).then(|| write(program, first, fields, &columns, isa))
}

/// Which fields each slot depends on in the end, ascending. Outputs are not written again, so that
/// what holds in the end holds for them.
fn supports(program: &Program, first: usize, fields: &[Range<usize>]) -> Vec<Vec<usize>> {
    let mut supports = vec![Vec::new(); program.slots().max(first)];
    for (number, field) in fields.iter().enumerate() {
        field.clone().for_each(|bit| {
            if let Some(support) = supports.get_mut(first + bit) {
                *support = vec![number];
            }
        });
    }
    for (left, right, target) in program.ops() {
        let (left, right) = (&supports[left.slot()], &supports[right.slot()]);
        // A field has a bit at least: what is too much already need not be counted on.
        let much = [left, right].into_iter().find(|support| support.len() > MOST_BITS).cloned();
        supports[target] = much.unwrap_or_else(|| union(left, right));
    }
    supports
}

/// The union of two ascending lists.
fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    all
}

fn write(
    program: &Program,
    first: usize,
    fields: &[Range<usize>],
    columns: &[Vec<Column>],
    isa: Isa,
) -> Tables {
    let head = columns.len() + 1;
    let entry = |column: &Column| 2 + 2 * column.fields.len();
    let mut table_at = head + columns.iter().flatten().map(entry).sum::<usize>();
    let (mut starts, mut entries, mut tables) = (vec![head as u32], Vec::new(), Vec::new());
    let mut frame = Frame::new(program.slots());
    for word in columns {
        for column in word {
            let pieces = column.fields.iter().map(|at| fields[*at].clone());
            let index: Vec<usize> = pieces.clone().flatten().map(|bit| first + bit).collect();
            entries.extend([table_at as u32, column.fields.len() as u32]);
            entries.extend(pieces.flat_map(|piece| [piece.start as u32, piece.len() as u32]));
            let table = fill(program, &index, &column.outputs, &mut frame, isa);
            table_at += table.len();
            tables.extend(table);
        }
        starts.push((head + entries.len()) as u32);
    }
    let words = [starts, entries, tables].concat();
    assert_eq!(words.len(), table_at, "tables stand where columns look");
    Tables { words }
}

/// A table over the slots of `index`, whose first is the lowest bit.
fn fill(
    program: &Program,
    index: &[usize],
    outputs: &[(Lit, usize)],
    frame: &mut Frame,
    isa: Isa,
) -> Vec<u32> {
    let size = 1usize << index.len();
    frame.set_width(BLOCK_WORDS);
    let mut table = vec![0u32; size];
    for (block, part) in table.chunks_mut(BLOCK_LANES).enumerate() {
        for (bit, slot) in index.iter().enumerate() {
            for (at, word) in frame.slot_mut(*slot).iter_mut().enumerate() {
                *word = counted(bit, BLOCK_WORDS * block + at);
            }
        }
        program.run(isa, frame);
        for (lit, bit) in outputs {
            let words = &frame.words()[lit.slot() * BLOCK_WORDS..][..BLOCK_WORDS];
            for (lane, entry) in part.iter_mut().enumerate() {
                let holds = (words[lane / 64] ^ lit.flip()) >> (lane % 64) & 1;
                *entry |= (holds as u32) << bit;
            }
        }
    }
    table
}

/// One bit of the numbers from `64 * word` on, of 64 of them.
fn counted(bit: usize, word: usize) -> u64 {
    match bit {
        0..6 => (u64::MAX / ((1 << (1 << bit)) + 1)) << (1 << bit),
        _ => 0u64.wrapping_sub((word >> (bit - 6)) as u64 & 1),
    }
}
