//! Keys cut in two: what the clock holds, and the rest, which is a position.

use index::{IdSet, IndexVec};
use kernel::Expander;
use net::BaseId;

/// Which bits of a key are the clock's, and what they are at each of its steps.
#[derive(Debug)]
pub(super) struct Cut {
    /// The bits of positions.
    rest: Vec<u64>,
    /// By proposition of the clock: its field, and the bits that say that it holds.
    held: IndexVec<BaseId, Option<(usize, Vec<usize>)>>,
    /// Fields of the clock, each with whether exactly one of its propositions has to hold.
    fields: Vec<bool>,
}

impl Cut {
    /// Cuts the keys of an expander. A field that holds a proposition outside of the clock belongs to
    /// positions as a whole; all propositions in fields of positions are added to `outside`.
    pub(super) fn new(
        expander: &dyn Expander,
        clock: &IdSet<BaseId>,
        bases: usize,
        outside: &mut IdSet<BaseId>,
    ) -> Self {
        let mut rest = vec![u64::MAX; expander.words()];
        let mut held = IndexVec::filled(None, bases);
        let mut fields = Vec::new();
        for (range, codes) in expander.fields().into_iter().zip(expander.codes()) {
            let members = codes.iter().filter_map(|(_, base)| *base);
            if !members.clone().all(|base| clock.contains(base)) {
                members.for_each(|base| {
                    outside.insert(base);
                });
                continue;
            }
            range.clone().for_each(|bit| rest[bit / 64] &= !(1 << (bit % 64)));
            for (code, base) in &codes {
                if let Some(base) = base {
                    let bits = (0..range.len()).filter(|bit| code >> bit & 1 == 1);
                    let bits = bits.map(|bit| range.start + bit).collect();
                    held[*base] = Some((fields.len(), bits));
                }
            }
            fields.push(codes.iter().all(|(_, base)| base.is_some()));
        }
        Self { rest, held, fields }
    }

    /// Whether the clock has no bit.
    pub(super) fn is_whole(&self) -> bool {
        self.fields.is_empty()
    }

    /// The bits of a key where the clock holds this; `None` where that breaks a group.
    pub(super) fn clock(&self, holds: &[BaseId]) -> Option<Vec<u64>> {
        let mut key = vec![0; self.rest.len()];
        let mut met = vec![0usize; self.fields.len()];
        for (field, bits) in holds.iter().filter_map(|base| self.held[*base].as_ref()) {
            met[*field] += 1;
            bits.iter().for_each(|bit| key[bit / 64] |= 1 << (bit % 64));
        }
        let kept = self.fields.iter().zip(&met);
        kept.into_iter().all(|(one, met)| !one || *met == 1).then_some(key)
    }

    /// Takes the clock's bits out of keys that stand one after the other.
    pub(super) fn strip(&self, keys: &mut [u64]) {
        for key in keys.chunks_exact_mut(self.rest.len()) {
            key.iter_mut().zip(&self.rest).for_each(|(word, rest)| *word &= rest);
        }
    }
}
