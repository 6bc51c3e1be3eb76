//! Orbits of packed states under a group of renamings: the least image of a key, and how many
//! distinct images it has.
//!
//! A renaming that maps fields of the key to fields acts on keys by tables: what an image holds is
//! put together, by exclusive or, from what each chunk of about a byte of the key becomes. One row
//! of a table has the images under eight elements side by side, one cache line a word, so that all
//! images of a key of 40 bits are five rows. Always: an element that does not map fields to fields
//! is left out, and what is left is a group, since those that keep the fields are closed under
//! composition. So states that keep the groups that the packing relies on have images that do, and
//! keys are equal exactly where states are.
//!
//! Why on words and not on planes: most children are made from their parents' keys by one
//! exclusive or and never exist as planes (see [`crate::Expansion::deltas`]). Eight images of a key
//! of 38 bits and their least one cost 3.5 ns (AVX-512); comparing them bit by bit on planes would
//! take some two thousand operations a block, of 2 to 4 ns for 1024 lanes, on top of the transposes.

#[cfg(test)]
mod tests;

use std::ops::Range;

use index::IndexVec;
use net::BaseId;

use crate::expand::{Delta, Expander};
use crate::isa::{Isa, dispatch};

/// Elements side by side in a row.
const ROW: usize = 8;
/// Bits of a chunk at most, by preference, and the bytes that all tables should not exceed.
const CHUNK_BITS: [usize; 3] = [8, 6, 4];
const TABLE_BYTES: usize = 1 << 20;
const NARROWEST: usize = CHUNK_BITS[CHUNK_BITS.len() - 1];
/// Bytes of all tables above which images are not worth having.
const MOST_BYTES: usize = 32 << 20;
/// Widest field that gets a table.
const WIDEST_FIELD: usize = 12;

/// A permutation of propositions.
type Renaming = IndexVec<BaseId, BaseId>;

/// What a group does to packed states.
#[derive(Clone)]
pub struct Orbits {
    isa: Isa,
    words: usize,
    group: Vec<Renaming>,
    fields: Fields,
    tables: Tables,
}

/// The fields of a key, as an expander tells them.
#[derive(Clone)]
struct Fields {
    ranges: Vec<Range<usize>>,
    codes: Vec<Vec<(u64, Option<BaseId>)>>,
    /// By proposition: the field and the code that hold it, if any do.
    place: IndexVec<BaseId, Option<(usize, u64)>>,
    /// By proposition: whether it holds in all states without having a bit.
    always: IndexVec<BaseId, bool>,
}

/// One look-up.
#[derive(Clone)]
struct Chunk {
    word: usize,
    shift: u32,
    /// Whether bits of the next word belong to it.
    crosses: bool,
    mask: u64,
    /// Row after row: by value, by eight elements, by word.
    table: Vec<u64>,
}

/// Look-ups for all chunks of a key.
#[derive(Clone)]
pub(crate) struct Tables {
    chunks: Vec<Chunk>,
    /// Rows of elements.
    blocks: usize,
    /// Elements; the places behind them in the last row hold the identity.
    order: usize,
    words: usize,
}

/// Bits of a key that contribute to its images by themselves.
struct Unit {
    bits: Range<usize>,
    /// By value: what it holds true; for a bit, what setting it adds and takes away.
    held: Vec<(u64, BaseId)>,
    instead_of: Option<BaseId>,
}

impl Orbits {
    /// The group's action on the keys of an expander; the identity comes first in `group`. `None`
    /// where no other element maps fields to fields.
    ///
    /// # Panics
    /// Where the first element is not the identity.
    pub fn new(expander: &dyn Expander, group: &[Renaming]) -> Option<Self> {
        let bases = group.first().map_or(0, IndexVec::len);
        let fields = Fields::new(expander, bases);
        let keeps = |element: &&Renaming| fields.are_kept_by(element);
        let group: Vec<Renaming> = group.iter().filter(keeps).cloned().collect();
        let wide = |unit: &Unit| unit.bits.len() > WIDEST_FIELD;
        let units = fields.units();
        if group.len() < 2 || units.is_empty() || units.iter().any(wide) {
            return None;
        }
        assert!(group[0].enumerate().all(|(base, to)| base == *to), "the identity comes first");
        let words = expander.words();
        if Tables::bytes(&units, group.len(), words) > MOST_BYTES {
            return None;
        }
        let tables = Tables::new(&fields, &units, &group, words);
        Some(Self { isa: Isa::detect(), words, group, fields, tables })
    }

    /// Number of elements.
    pub fn order(&self) -> usize {
        self.group.len()
    }

    /// The elements, the identity first.
    pub fn group(&self) -> &[Renaming] {
        &self.group
    }

    /// Replaces each key by the least of its images.
    pub fn lessen(&self, keys: &mut [u64]) {
        lessen(self.isa, &self.tables, keys);
    }

    /// How many distinct images each key has.
    pub fn sizes(&self, keys: &[u64], out: &mut Vec<u32>) {
        out.clear();
        let order = self.group.len();
        for key in keys.chunks_exact(self.words) {
            // Rows are filled up with the identity.
            let filled = self.tables.blocks * ROW - order;
            let same = self.tables.fixed(key) - filled;
            assert!(order.is_multiple_of(same), "what keeps a state is a subgroup");
            out.push((order / same) as u32);
        }
    }

    /// Whether the fields that some of these bits belong to are mapped to each other, and what they
    /// hold is the same in all of the states seen (bits set in `all` and in `some` of them) and all
    /// of their images.
    pub fn keep(&self, bits: &Delta, all: &Delta, some: &Delta) -> bool {
        let set = |words: &Delta, bit: usize| words[bit / 64] >> (bit % 64) & 1 == 1;
        let ranges = &self.fields.ranges;
        let touched: Vec<bool> =
            ranges.iter().map(|range| range.clone().any(|bit| set(bits, bit))).collect();
        let agree = |range: &Range<usize>| range.clone().all(|bit| set(all, bit) == set(some, bit));
        let code = |range: &Range<usize>| {
            let bits = range.clone().enumerate();
            bits.fold(0, |code, (at, bit)| code | u64::from(set(all, bit)) << at)
        };
        let held: Vec<u64> = ranges.iter().map(code).collect();
        (0..ranges.len()).filter(|field| touched[*field]).all(|field| {
            let image = |element: &Renaming| {
                let (to, moved) = self.fields.image(field, held[field], element);
                touched[to] && held[to] == moved
            };
            agree(&ranges[field]) && self.group.iter().all(image)
        })
    }
}

impl Fields {
    fn new(expander: &dyn Expander, bases: usize) -> Self {
        let (ranges, codes) = (expander.fields(), expander.codes());
        assert_eq!(ranges.len(), codes.len(), "codes for each field");
        let mut place = IndexVec::filled(None, bases);
        for (field, codes) in codes.iter().enumerate() {
            for &(code, base) in codes {
                if let Some(base) = base {
                    place[base] = Some((field, code));
                }
            }
        }
        let mut always = IndexVec::filled(false, bases);
        for base in expander.unpack(&vec![0; expander.words()]) {
            always[base] = place[base].is_none();
        }
        Self { ranges, codes, place, always }
    }

    /// Whether exactly one member of a field holds in each state.
    fn is_group(&self, field: usize) -> bool {
        self.codes[field].iter().all(|(_, base)| base.is_some())
    }

    /// Whether all that a field can hold is mapped to one field of the same size and kind.
    fn are_kept_by(&self, element: &Renaming) -> bool {
        let target = |base: BaseId| self.place[element[base]].map(|(field, _)| field);
        let fits = |field: usize| {
            let mut members = self.codes[field].iter().filter_map(|(_, base)| *base);
            let Some(to) = members.next().and_then(target) else { return false };
            members.all(|base| target(base) == Some(to))
                && self.is_group(to) == self.is_group(field)
                && self.codes[to].len() == self.codes[field].len()
        };
        // What has no bit never changes.
        let still = |(base, to): (BaseId, &BaseId)| {
            self.place[base].is_some() == self.place[*to].is_some()
                && self.always[base] == self.always[*to]
        };
        element.enumerate().all(still) && (0..self.ranges.len()).all(fits)
    }

    /// The field and the code that a field with a code becomes.
    fn image(&self, field: usize, code: u64, element: &Renaming) -> (usize, u64) {
        let codes = &self.codes[field];
        let at = codes.iter().position(|(other, _)| *other == code).expect("a code that occurs");
        let image = |base: BaseId| self.place[element[base]].expect("fields are kept");
        match codes[at].1 {
            Some(base) => image(base),
            None => (image(codes.iter().find_map(|(_, base)| *base).expect("a member")).0, 0),
        }
    }

    /// The bits of each field: one by one where no two are set at a time, else together.
    fn units(&self) -> Vec<Unit> {
        let mut units = Vec::new();
        for (range, codes) in self.ranges.iter().zip(&self.codes) {
            let of_zero = codes.iter().find(|(code, _)| *code == 0).and_then(|(_, base)| *base);
            let held = codes.iter().filter_map(|&(code, base)| Some((code, base?)));
            let held: Vec<(u64, BaseId)> = held.filter(|(code, _)| *code != 0).collect();
            if held.iter().all(|(code, _)| code.is_power_of_two()) {
                units.extend(held.iter().map(|&(code, base)| {
                    let bit = range.start + code.trailing_zeros() as usize;
                    Unit { bits: bit..bit + 1, held: vec![(1, base)], instead_of: of_zero }
                }));
            } else {
                units.push(Unit { bits: range.clone(), held, instead_of: of_zero });
            }
        }
        units.sort_by_key(|unit| unit.bits.start);
        units
    }

    /// Flips the bits that stand for the image of a proposition.
    fn flip(&self, base: BaseId, element: &Renaming, key: &mut [u64]) {
        let (field, code) = self.place[element[base]].expect("fields are kept");
        let start = self.ranges[field].start;
        key[start / 64] ^= code << (start % 64);
        if !start.is_multiple_of(64) && start / 64 + 1 < key.len() {
            key[start / 64 + 1] ^= code >> (64 - start % 64);
        }
    }

    /// The image of the key that is all zero.
    fn image_of_zero(&self, element: &Renaming, words: usize) -> Vec<u64> {
        let mut key = vec![0; words];
        for codes in &self.codes {
            if let Some((_, Some(base))) = codes.iter().find(|(code, _)| *code == 0) {
                self.flip(*base, element, &mut key);
            }
        }
        key
    }
}

impl Tables {
    fn new(fields: &Fields, units: &[Unit], group: &[Renaming], words: usize) -> Self {
        let blocks = group.len().div_ceil(ROW);
        let bytes = |bits: &usize| {
            let chunks = 64 * words / bits;
            (chunks * blocks * ROW * words * size_of::<u64>()) << bits
        };
        let fits = CHUNK_BITS.into_iter().find(|bits| bytes(bits) <= TABLE_BYTES);
        let most = fits.unwrap_or(NARROWEST);
        let mut chunks = Vec::new();
        let mut from = 0;
        while from < units.len() {
            let start = units[from].bits.start;
            let fits = |unit: &&Unit| {
                unit.bits.end - start <= most && start / 64 == (unit.bits.end - 1) / 64
            };
            let count = units[from..].iter().take_while(fits).count().max(1);
            let chunk = Chunk::new(fields, &units[from..from + count], group, (blocks, words));
            chunks.push(chunk);
            from += count;
        }
        // Each image starts from that of zero, which the first chunk brings in.
        let size = blocks * ROW * words;
        let mut ground = vec![0; size];
        for at in 0..blocks * ROW {
            let element = group.get(at).unwrap_or(&group[0]);
            for (word, image) in fields.image_of_zero(element, words).into_iter().enumerate() {
                ground[row_place(at, word, words)] = image;
            }
        }
        for row in chunks[0].table.chunks_exact_mut(size) {
            row.iter_mut().zip(&ground).for_each(|(image, zero)| *image ^= zero);
        }
        Self { chunks, blocks, order: group.len(), words }
    }

    /// Number of elements, those that fill up rows included, that keep a key as it is.
    fn fixed(&self, key: &[u64]) -> usize {
        let mut same = 0;
        for block in 0..self.blocks {
            let mut differs = [0; ROW];
            for (word, bits) in key.iter().enumerate() {
                let images = self.images(key, block, word);
                for (differs, image) in differs.iter_mut().zip(images) {
                    *differs |= image ^ bits;
                }
            }
            same += differs.iter().filter(|differs| **differs == 0).count();
        }
        same
    }

    /// Bytes of the tables for some units, in the narrowest chunks.
    fn bytes(units: &[Unit], order: usize, words: usize) -> usize {
        let row = order.div_ceil(ROW) * ROW * words * size_of::<u64>();
        let wide: usize = units
            .iter()
            .filter(|unit| unit.bits.len() > NARROWEST)
            .map(|unit| row << unit.bits.len())
            .sum();
        wide + (((64 * words).div_ceil(NARROWEST) * row) << NARROWEST)
    }

    /// One word of the image under one element.
    #[inline(always)]
    fn image(&self, key: &[u64], element: usize, word: usize) -> u64 {
        let (size, at) = (self.blocks * ROW * self.words, row_place(element, word, self.words));
        self.chunks.iter().fold(0, |image, chunk| image ^ chunk.table[chunk.value(key) * size + at])
    }

    /// One word of the images under eight elements.
    #[inline(always)]
    fn images(&self, key: &[u64], block: usize, word: usize) -> [u64; ROW] {
        let (size, from) = (self.blocks * ROW * self.words, (block * self.words + word) * ROW);
        let mut images = [0; ROW];
        for chunk in &self.chunks {
            let row = &chunk.table[chunk.value(key) * size + from..][..ROW];
            for (image, part) in images.iter_mut().zip(row) {
                *image ^= part;
            }
        }
        images
    }
}

/// The place of one word of one element's image in a row.
fn row_place(element: usize, word: usize, words: usize) -> usize {
    (element / ROW * words + word) * ROW + element % ROW
}

impl Chunk {
    fn new(
        fields: &Fields,
        units: &[Unit],
        group: &[Renaming],
        (blocks, words): (usize, usize),
    ) -> Self {
        let (start, end) = (units[0].bits.start, units[units.len() - 1].bits.end);
        let size = blocks * ROW * words;
        let mut table = vec![0; size << (end - start)];
        let mut part = vec![0; words];
        for unit in units {
            let (shift, width) = (unit.bits.start - start, unit.bits.len());
            let others = 0..1_usize << (end - start - width);
            for at in 0..blocks * ROW {
                let element = group.get(at).unwrap_or(&group[0]);
                for &(code, base) in &unit.held {
                    part.fill(0);
                    fields.flip(base, element, &mut part);
                    if let Some(other) = unit.instead_of {
                        fields.flip(other, element, &mut part);
                    }
                    for other in others.clone() {
                        let (low, high) = (other & ((1 << shift) - 1), other >> shift);
                        let value = low | (code as usize) << shift | high << (shift + width);
                        for (word, bits) in part.iter().enumerate() {
                            table[value * size + row_place(at, word, words)] ^= bits;
                        }
                    }
                }
            }
        }
        let (word, shift) = (start / 64, (start % 64) as u32);
        let crosses = (end - 1) / 64 != word;
        Self { word, shift, crosses, mask: (1 << (end - start)) - 1, table }
    }

    #[inline(always)]
    fn value(&self, key: &[u64]) -> usize {
        let mut bits = key[self.word] >> self.shift;
        if self.crosses {
            bits |= key[self.word + 1] << (64 - self.shift);
        }
        (bits & self.mask) as usize
    }
}

dispatch! {
    /// Replaces each key by the least of its images.
    fn lessen(tables: &Tables, keys: &mut [u64]) = lessen_body
}

#[inline(always)]
fn lessen_body(tables: &Tables, keys: &mut [u64]) {
    if tables.words == 1 && tables.blocks == 1 {
        return lessen_narrow(tables, keys);
    }
    let mut best = vec![0; tables.words];
    for key in keys.chunks_exact_mut(tables.words) {
        best.copy_from_slice(key);
        for block in 0..tables.blocks {
            lessen_by_block(tables, key, block, &mut best);
        }
        key.copy_from_slice(&best);
    }
}

/// Keys of one word, at most eight elements.
#[inline(always)]
fn lessen_narrow(tables: &Tables, keys: &mut [u64]) {
    for key in keys {
        let mut images = [0; ROW];
        for chunk in &tables.chunks {
            let value = (*key >> chunk.shift & chunk.mask) as usize;
            let row = &chunk.table[value * ROW..][..ROW];
            for (image, part) in images.iter_mut().zip(row) {
                *image ^= part;
            }
        }
        *key = images.into_iter().fold(u64::MAX, u64::min);
    }
}

#[inline(always)]
fn lessen_by_block(tables: &Tables, key: &[u64], block: usize, best: &mut [u64]) {
    // The first element is the identity, and so is what fills up the last row.
    let lanes = usize::from(block == 0)..ROW.min(tables.order - block * ROW);
    let first = tables.images(key, block, 0);
    // Most images are told apart by their first words; those that are not are rarely needed.
    if !first[lanes.clone()].iter().any(|image| *image <= best[0]) {
        return;
    }
    for lane in lanes {
        if first[lane] > best[0] {
            continue;
        }
        let whole = |word: usize| tables.image(key, block * ROW + lane, word);
        let less = (0..best.len()).map(|word| (whole(word), best[word])).find(|(a, b)| a != b);
        if less.is_some_and(|(image, best)| image < best) {
            (0..best.len()).for_each(|word| best[word] = whole(word));
        }
    }
}
