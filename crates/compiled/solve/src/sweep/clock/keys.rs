//! Keys cut in two: what the clock holds, and the rest, which is a position.

use index::{IdSet, IndexVec};
use kernel::Expander;
use net::BaseId;

/// Which bits of a key stand for what, and which of them are the clock's.
#[derive(Debug)]
pub(super) struct Cut {
    /// The bits of positions.
    rest: Vec<u64>,
    /// By proposition: its field, and the bits that say that it holds.
    held: IndexVec<BaseId, Option<(usize, Vec<usize>)>>,
    fields: Vec<Field>,
}

/// Bits of a key that stand for some propositions.
#[derive(Debug)]
struct Field {
    bits: std::ops::Range<usize>,
    codes: Vec<(u64, Option<BaseId>)>,
    /// Whether exactly one of the propositions has to hold.
    one: bool,
    /// Whether they are the clock's.
    clock: bool,
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
        for (bits, codes) in expander.fields().into_iter().zip(expander.codes()) {
            let members: Vec<BaseId> = codes.iter().filter_map(|(_, base)| *base).collect();
            let ticks = members.iter().all(|base| clock.contains(*base));
            if ticks {
                bits.clone().for_each(|bit| rest[bit / 64] &= !(1 << (bit % 64)));
            } else {
                members.into_iter().for_each(|base| {
                    outside.insert(base);
                });
            }
            for (code, base) in &codes {
                if let Some(base) = base {
                    let set = (0..bits.len()).filter(|bit| code >> bit & 1 == 1);
                    held[*base] = Some((fields.len(), set.map(|bit| bits.start + bit).collect()));
                }
            }
            let one = codes.iter().all(|(_, base)| base.is_some());
            fields.push(Field { bits, codes, one, clock: ticks });
        }
        Self { rest, held, fields }
    }

    /// Whether the clock has no bit.
    pub(super) fn is_whole(&self) -> bool {
        !self.fields.iter().any(|field| field.clock)
    }

    /// The bits of a key where the clock holds this; `None` where that breaks a group.
    pub(super) fn clock(&self, holds: &[BaseId]) -> Option<Vec<u64>> {
        self.pack(holds, |field| field.clock)
    }

    /// The bits of a key where a state holds this, the clock's left out; `None` where that breaks a
    /// group.
    pub(super) fn position(&self, holds: &[BaseId]) -> Option<Vec<u64>> {
        let mut key = self.pack(holds, |_| true)?;
        self.strip(&mut key);
        Some(key)
    }

    fn pack(&self, holds: &[BaseId], of: impl Fn(&Field) -> bool) -> Option<Vec<u64>> {
        let mut key = vec![0; self.rest.len()];
        let mut met = vec![0usize; self.fields.len()];
        for (field, bits) in holds.iter().filter_map(|base| self.held[*base].as_ref()) {
            if of(&self.fields[*field]) {
                met[*field] += 1;
                bits.iter().for_each(|bit| key[bit / 64] |= 1 << (bit % 64));
            }
        }
        let mut kept = self.fields.iter().zip(&met);
        kept.all(|(field, met)| !field.one || !of(field) || *met == 1).then_some(key)
    }

    /// What a state with this key holds, of all that has bits; ascending.
    pub(super) fn holds(&self, key: &[u64], into: &mut Vec<BaseId>) {
        into.clear();
        for field in &self.fields {
            let bit = |at: usize| (key[at / 64] >> (at % 64) & 1) << (at - field.bits.start);
            let code = field.bits.clone().fold(0, |code, at| code | bit(at));
            let place = field.codes.binary_search_by_key(&code, |(code, _)| *code);
            into.extend(place.ok().and_then(|place| field.codes[place].1));
        }
        into.sort_unstable();
    }

    /// The propositions that have bits.
    pub(super) fn varying(&self) -> impl Iterator<Item = BaseId> + '_ {
        self.held.enumerate().filter(|(_, held)| held.is_some()).map(|(base, _)| base)
    }

    /// Takes the clock's bits out of keys that stand one after the other.
    pub(super) fn strip(&self, keys: &mut [u64]) {
        for key in keys.chunks_exact_mut(self.rest.len()) {
            key.iter_mut().zip(&self.rest).for_each(|(word, rest)| *word &= rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::game::Game;
    use crate::testing::{Limits, game, under};

    /// In random plays: a key is its clock and its position, and is read back as what holds.
    #[test]
    fn keys_are_put_together_from_both_parts() {
        let (mut words, mut ticking) = (0, 0);
        for name in ["stochastic-nim-100", "pig-5", "race", "tic-tac-toe"] {
            under(Limits::default(), |watch| {
                let game = Game::new(&game(name), &Options::default(), watch).expect("a game");
                let expander = game.expander(&Options::default()).expect("few moves");
                let clock = net::facts::clock_bases(&game.net);
                let mut outside: IdSet<BaseId> = IdSet::default();
                let cut = Cut::new(&*expander, &clock, game.net.bases.len(), &mut outside);
                words = words.max(expander.words());
                ticking += usize::from(!cut.is_whole());
                for state in net::facts::playouts(&game.net, 3, 4, 40).iter().flatten() {
                    let state: Vec<BaseId> = state.iter().collect();
                    let Some(key) = expander.pack(&state) else { continue };
                    let (Some(clock), Some(position)) = (cut.clock(&state), cut.position(&state))
                    else {
                        panic!("{name}: a state that can be packed can be cut");
                    };
                    let joined = clock.iter().zip(&position).map(|(left, right)| left | right);
                    assert!(joined.eq(key.iter().copied()), "{name}");
                    let apart = clock.iter().zip(&position).all(|(left, right)| left & right == 0);
                    assert!(apart, "{name}: no bit is of both");
                    let mut stripped = [key.clone(), key.clone()].concat();
                    cut.strip(&mut stripped);
                    assert_eq!(stripped, [position.clone(), position].concat(), "{name}");
                    let mut held = Vec::new();
                    cut.holds(&key, &mut held);
                    let varying: Vec<BaseId> = cut.varying().collect();
                    let wanted = state.iter().filter(|base| varying.contains(base));
                    assert!(held.iter().eq(wanted), "{name}");
                }
                assert!(cut.is_whole() || cut.clock(&[]).is_none() || clock.is_empty(), "{name}");
            });
        }
        assert!(words >= 1 && ticking >= 1, "{words} words, {ticking} games with a clock");
    }
}
