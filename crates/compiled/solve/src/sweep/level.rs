//! The guess that a state determines its ply, in a form that is cheap to check on every state.
//!
//! A level is a weighted count of the true propositions. Since the bit ranges of a key stand for
//! disjoint sets of propositions (`Expander::fields`), the level of a packed state is a sum of
//! table look-ups, one a chunk of about a byte. The sweep checks it on every state that it
//! reaches: where it holds, plies are disjoint, so a state is stored once and no play returns.

use std::ops::Range;

use index::IndexVec;
use kernel::Expander;
use net::BaseId;

use super::plan::LevelChunk;

/// Widest chunk that gets a table, in bits.
const CHUNK: usize = 11;

/// One look-up: `table[(word >> shift) & mask]`, where the word may run into the next.
struct Chunk {
    word: usize,
    shift: u32,
    /// Whether bits of the next word belong to it.
    crosses: bool,
    mask: u64,
    table: Vec<i32>,
}

/// The level of packed states.
pub(crate) struct LevelTables {
    offset: i64,
    chunks: Vec<Chunk>,
}

impl LevelTables {
    /// Tables for the keys of this expander; `None` where a field is too wide for a table
    /// or weighs too much.
    pub(crate) fn new(
        expander: &dyn Expander,
        weights: &IndexVec<BaseId, i64>,
        offset: i64,
    ) -> Option<Self> {
        let level = |key: &[u64]| -> i64 {
            offset + expander.unpack(key).iter().map(|base| weights[*base]).sum::<i64>()
        };
        let zero = vec![0; expander.words()];
        let ground = level(&zero);
        let mut chunks = Vec::new();
        for fields in grouped(expander.fields())? {
            chunks.push(Chunk::new(&fields, &zero, |key| level(key) - ground)?);
        }
        chunks.retain(|chunk| chunk.table.iter().any(|&entry| entry != 0));
        Some(Self { offset: ground, chunks })
    }

    /// The tables, and what is added to their sum.
    pub(crate) fn parts(&self) -> (Vec<LevelChunk>, i64) {
        let part = |chunk: &Chunk| LevelChunk {
            first_bit: 64 * chunk.word + chunk.shift as usize,
            bits: chunk.mask.count_ones() as usize,
            table: chunk.table.clone(),
        };
        (self.chunks.iter().map(part).collect(), self.offset)
    }

    /// The level of a packed state.
    #[inline(always)]
    pub(crate) fn level(&self, key: &[u64]) -> i64 {
        self.chunks.iter().fold(self.offset, |sum, chunk| {
            let mut bits = key[chunk.word] >> chunk.shift;
            if chunk.crosses {
                bits |= key[chunk.word + 1] << (64 - chunk.shift);
            }
            sum + i64::from(chunk.table[(bits & chunk.mask) as usize])
        })
    }
}

impl Chunk {
    /// The sum of what the fields contribute, for all their values at once.
    fn new(fields: &[Range<usize>], zero: &[u64], level: impl Fn(&[u64]) -> i64) -> Option<Self> {
        let (start, end) = (fields[0].start, fields[fields.len() - 1].end);
        let width = end - start;
        let crosses = start / 64 != (end - 1) / 64;
        assert!(!crosses || fields.len() == 1, "a field that crosses words is alone");
        let mut table = vec![0];
        for field in fields {
            // Bits between fields are never set, so they count nothing.
            table.resize(1 << (field.start - start), 0);
            let below = table.clone();
            for value in 1..1_u64 << field.len() {
                let mut key = zero.to_vec();
                key[field.start / 64] = value << (field.start % 64);
                if crosses {
                    key[field.start / 64 + 1] = value >> (64 - field.start % 64);
                }
                // Small enough that a chunk's sum cannot overflow.
                let part = i32::try_from(level(&key)).ok().filter(|part| part.abs() < 1 << 24)?;
                table.extend(below.iter().map(|sum| sum + part));
            }
        }
        debug_assert_eq!(table.len(), 1 << width, "an entry for each value of the chunk");
        let (word, shift) = (start / 64, (start % 64) as u32);
        Some(Self { word, shift, crosses, mask: (1 << width) - 1, table })
    }
}

/// Neighbouring fields together, up to the width of a chunk and inside one word.
fn grouped(fields: Vec<Range<usize>>) -> Option<Vec<Vec<Range<usize>>>> {
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    for field in fields {
        let crosses = field.start / 64 != (field.end - 1) / 64;
        if field.len() > 16 {
            return None;
        }
        match groups.last_mut() {
            Some(group)
                if !crosses
                    && field.end - group[0].start <= CHUNK
                    && group[0].start / 64 == field.start / 64 =>
            {
                group.push(field);
            }
            _ => groups.push(vec![field]),
        }
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use index::Id;
    use kernel::{Casting, PlaneKernel};
    use net::random::Random;

    use super::*;

    /// The level by what is told of the tables, bit by bit.
    fn by_parts(tables: &LevelTables, key: &[u64]) -> i64 {
        let (chunks, offset) = tables.parts();
        chunks.iter().fold(offset, |sum, chunk| {
            let bit = |at: usize| (key[at / 64] >> (at % 64) & 1) as usize;
            let places = (0..chunk.bits).map(|place| bit(chunk.first_bit + place) << place);
            sum + i64::from(chunk.table[places.sum::<usize>()])
        })
    }

    /// Groups of each size over several words of keys, some of them across a border of words.
    #[test]
    fn tables_sum_up_the_weights_of_what_holds() {
        let mut random = Random::new(8);
        for size in 2..=12 {
            let count = 200 / size;
            let mut text = "role \"x\"\ni0 \"go\"\nrole \"r\"\ni1 \"go\"\n".to_owned();
            for base in 0..count * size {
                let init = if base % size == 0 { " init" } else { "" };
                text += &format!("b{base} \"p{base}\"{init}\n");
            }
            text += "legal i0 = true\nlegal i1 = true\nterminal = b1\n";
            for base in 0..count * size {
                let before = base / size * size + (base + size - 1) % size;
                text += &format!("next b{base} = b{before}\n");
            }
            let net = Arc::new(net::parse_net(&text).expect("a network"));
            let roles: Vec<gdl::RoleId> = net.roles.ids().collect();
            let casting = Casting {
                asked: roles[0],
                opponents: Vec::new(),
                chance: vec![roles[1]],
                payoffs: [0; 101],
                goal_optional: true,
            };
            let group = |at: usize| (at * size..(at + 1) * size).map(BaseId::from_index).collect();
            let groups: Vec<Vec<BaseId>> = (0..count).map(group).collect();
            let kernel = PlaneKernel::new(net.clone(), casting, &groups, &[]).expect("few moves");
            let weights: IndexVec<BaseId, i64> =
                net.bases.ids().map(|_| random.below(100) as i64 - 50).collect();
            let tables = LevelTables::new(&kernel, &weights, 7).expect("narrow fields");
            for _ in 0..50 {
                let held: Vec<BaseId> =
                    groups.iter().map(|group| group[random.below(group.len())]).collect();
                let key = kernel.pack(&held).expect("one of each group");
                let level = 7 + held.iter().map(|base| weights[*base]).sum::<i64>();
                assert_eq!(tables.level(&key), level, "groups of {size}");
                assert_eq!(by_parts(&tables, &key), level, "groups of {size}, by parts");
            }
            // Fields of one word share a look-up as long as they fit; those across words have their own.
            let fields = kernel.fields();
            let shared = CHUNK / fields.iter().map(|field| field.len()).max().expect("a field");
            let most = fields.len().div_ceil(shared) + 2 * kernel.words();
            assert!(tables.parts().0.len() <= most, "groups of {size}");
        }
    }
}
