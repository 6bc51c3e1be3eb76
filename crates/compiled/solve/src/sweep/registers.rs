//! The registers of one block: fold `max (min (mean ...))` over the joint moves of its lanes.
//!
//! Values are whole numbers over the ply's common denominator. Four representations share the
//! fold: one word, two words, any number of words, and certified bounds of one word each.
//!
//! Always: `low` is the least mean so far of the asked move at hand (all ones before the first),
//! `best` the largest of the moves before it. Children are added as `factor * child`, where
//! `factor` carries both the weight of the outcome and the step to this ply's denominator, so a
//! mean needs no division and nothing is rounded (except outward, in bounds).

use exact::scaled;
use kernel::{BLOCK_LANES, BLOCK_WORDS, Mask};

/// Ids of the children of one joint entry with their values.
pub(crate) struct Children<'a> {
    /// Values of the next ply, `limbs` words each.
    pub(crate) values: &'a [u64],
    /// Words of one value.
    pub(crate) limbs: usize,
    /// One child a set bit of the mask, in lane order.
    pub(crate) ids: &'a [u32],
}

/// How an outcome enters the mean.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    /// Multiplier of the child's value.
    pub(crate) factor: u128,
    /// Weight and total of the outcome in lowest terms; only bounds use them.
    pub(crate) weight: u32,
    /// See `weight`.
    pub(crate) total: u32,
    /// Whether it is the first outcome of its pair of moves.
    pub(crate) first: bool,
}

/// The registers of a block.
pub(crate) trait Registers: Send {
    /// Starts a block.
    fn begin_block(&mut self);
    /// Starts a move of the asked role.
    fn begin_asked(&mut self);
    /// Adds one outcome to the mean of the masked lanes.
    fn add(&mut self, mask: &Mask, children: &Children<'_>, share: Share);
    /// A move of the asked role with one pair of moves and one outcome: its child, times `factor`,
    /// enters the maximum at once.
    fn raise(&mut self, mask: &Mask, children: &Children<'_>, factor: u128);
    /// Means over outcomes that all of the first `lanes` lanes have, written to `out`.
    fn average(&mut self, lanes: usize, outcomes: &[(Children<'_>, Share)], out: &mut [u64]) {
        let mask = first_lanes(lanes);
        self.begin_block();
        self.begin_asked();
        for (children, share) in outcomes {
            self.add(&mask, children, *share);
        }
        self.end_pair(&mask, 1);
        self.end_asked(&mask);
        let limbs = out.len() / lanes;
        for (lane, value) in out.chunks_exact_mut(limbs).enumerate() {
            self.store(lane, value);
        }
    }
    /// Ends a pair of moves: the mean, divided by `divisor` without remainder, enters the minimum.
    fn end_pair(&mut self, mask: &Mask, divisor: u32);
    /// Ends a move of the asked role: the minimum enters the maximum.
    fn end_asked(&mut self, mask: &Mask);
    /// Writes the value of a lane.
    fn store(&self, lane: usize, out: &mut [u64]);
}

/// Calls `each` with the lanes of a mask in order.
#[inline(always)]
pub(crate) fn for_lanes(mask: &Mask, mut each: impl FnMut(usize)) {
    for (index, &word) in mask.iter().enumerate().take(BLOCK_WORDS) {
        if word == u64::MAX {
            for bit in 0..64 {
                each(index * 64 + bit);
            }
            continue;
        }
        let mut rest = word;
        while rest != 0 {
            each(index * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// The first `lanes` lanes.
pub(crate) fn first_lanes(lanes: usize) -> Mask {
    assert!(lanes <= BLOCK_LANES, "lanes of one block");
    std::array::from_fn(|word| match lanes.saturating_sub(64 * word) {
        0 => 0,
        rest @ 1..64 => (1 << rest) - 1,
        _ => u64::MAX,
    })
}

/// Distance in children at which the next values are fetched.
const AHEAD: usize = 24;

/// A value of one or two words.
pub(crate) trait Narrow: Copy + Ord + Default + Send {
    /// All ones.
    const TOP: Self;
    /// Reads value `id` of an array with `limbs` words a value, at most its own.
    fn read(values: &[u64], limbs: usize, id: usize) -> Self;
    /// `sum + factor * self`; must not overflow.
    fn add_product(self, sum: Self, factor: Self) -> Self;
    /// A factor, which fits since the ply's denominator does.
    fn factor(wide: u128) -> Self;
    /// The quotient; there must be no remainder.
    fn divided(self, divisor: u32) -> Self;
    /// Writes the words.
    fn write(self, out: &mut [u64]);
}

impl Narrow for u64 {
    const TOP: Self = u64::MAX;
    #[inline(always)]
    fn read(values: &[u64], _limbs: usize, id: usize) -> Self {
        values[id]
    }
    #[inline(always)]
    fn add_product(self, sum: Self, factor: Self) -> Self {
        debug_assert!(self.checked_mul(factor).and_then(|p| p.checked_add(sum)).is_some());
        sum.wrapping_add(self.wrapping_mul(factor))
    }
    fn factor(wide: u128) -> Self {
        Self::try_from(wide).expect("a factor divides the ply's denominator")
    }
    fn divided(self, divisor: u32) -> Self {
        assert!(self.is_multiple_of(divisor.into()), "a mean is a whole number");
        self / Self::from(divisor)
    }
    #[inline(always)]
    fn write(self, out: &mut [u64]) {
        out[0] = self;
    }
}

impl Narrow for u128 {
    const TOP: Self = u128::MAX;
    #[inline(always)]
    fn read(values: &[u64], limbs: usize, id: usize) -> Self {
        if limbs == 1 {
            return Self::from(values[id]);
        }
        Self::from(values[2 * id]) | Self::from(values[2 * id + 1]) << 64
    }
    #[inline(always)]
    fn add_product(self, sum: Self, factor: Self) -> Self {
        let product = self.checked_mul(factor).and_then(|p| p.checked_add(sum));
        product.expect("a mean fits in the ply's denominator")
    }
    fn factor(wide: u128) -> Self {
        wide
    }
    fn divided(self, divisor: u32) -> Self {
        assert!(self.is_multiple_of(divisor.into()), "a mean is a whole number");
        self / Self::from(divisor)
    }
    #[inline(always)]
    fn write(self, out: &mut [u64]) {
        (out[0], out[1]) = (self as u64, (self >> 64) as u64);
    }
}

/// Registers of one or two words a value.
pub(crate) struct NarrowRegisters<T> {
    mean: Box<[T]>,
    low: Box<[T]>,
    best: Box<[T]>,
}

impl<T: Narrow> NarrowRegisters<T> {
    /// Registers for full blocks.
    pub(crate) fn new() -> Self {
        let zeros = || vec![T::default(); BLOCK_LANES].into_boxed_slice();
        Self { mean: zeros(), low: zeros(), best: zeros() }
    }
}

impl<T: Narrow> Registers for NarrowRegisters<T> {
    fn begin_block(&mut self) {
        self.best.fill(T::default());
    }

    fn begin_asked(&mut self) {
        self.low.fill(T::TOP);
    }

    fn add(&mut self, mask: &Mask, children: &Children<'_>, share: Share) {
        let Children { values, limbs, ids } = *children;
        let mean: &mut [T; BLOCK_LANES] = (&mut *self.mean).try_into().expect("a full block");
        let factor = T::factor(share.factor);
        let mut next = 0;
        for_lanes(mask, |lane| {
            if let Some(&ahead) = ids.get(next + AHEAD) {
                store::prefetch(values, ahead as usize * limbs);
            }
            let child = T::read(values, limbs, ids[next] as usize);
            let sum = if share.first { T::default() } else { mean[lane] };
            mean[lane] = child.add_product(sum, factor);
            next += 1;
        });
        debug_assert_eq!(next, ids.len(), "one child a lane");
    }

    fn raise(&mut self, mask: &Mask, children: &Children<'_>, factor: u128) {
        let Children { values, limbs, ids } = *children;
        let best: &mut [T; BLOCK_LANES] = (&mut *self.best).try_into().expect("a full block");
        let factor = T::factor(factor);
        let mut next = 0;
        for_lanes(mask, |lane| {
            let child = T::read(values, limbs, ids[next] as usize);
            best[lane] = best[lane].max(child.add_product(T::default(), factor));
            next += 1;
        });
        debug_assert_eq!(next, ids.len(), "one child a lane");
    }

    fn average(&mut self, lanes: usize, outcomes: &[(Children<'_>, Share)], out: &mut [u64]) {
        let limbs = out.len() / lanes;
        for (at, (children, share)) in outcomes.iter().enumerate() {
            let factor = T::factor(share.factor);
            assert_eq!(children.ids.len(), lanes, "one child a lane");
            for (lane, &id) in children.ids.iter().enumerate() {
                if let Some(&ahead) = children.ids.get(lane + AHEAD) {
                    store::prefetch(children.values, ahead as usize * children.limbs);
                }
                let child = T::read(children.values, children.limbs, id as usize);
                let sum = if at == 0 { T::default() } else { self.mean[lane] };
                self.mean[lane] = child.add_product(sum, factor);
            }
        }
        for (mean, value) in self.mean.iter().zip(out.chunks_exact_mut(limbs)) {
            mean.write(value);
        }
    }

    fn end_pair(&mut self, mask: &Mask, divisor: u32) {
        if divisor != 1 {
            for_lanes(mask, |lane| self.mean[lane] = self.mean[lane].divided(divisor));
        }
        for_lanes(mask, |lane| self.low[lane] = self.low[lane].min(self.mean[lane]));
    }

    fn end_asked(&mut self, mask: &Mask) {
        for_lanes(mask, |lane| self.best[lane] = self.best[lane].max(self.low[lane]));
    }

    fn store(&self, lane: usize, out: &mut [u64]) {
        self.best[lane].write(out);
    }
}

/// Registers of any number of words a value.
pub(crate) struct WideRegisters {
    limbs: usize,
    mean: Vec<u64>,
    low: Vec<u64>,
    best: Vec<u64>,
}

impl WideRegisters {
    /// Registers of `limbs` words a value.
    pub(crate) fn new(limbs: usize) -> Self {
        assert!(limbs >= 1, "a value has at least one word");
        let zeros = || vec![0; BLOCK_LANES * limbs];
        Self { limbs, mean: zeros(), low: zeros(), best: zeros() }
    }
}

impl Registers for WideRegisters {
    fn begin_block(&mut self) {
        self.best.fill(0);
    }

    fn begin_asked(&mut self) {
        self.low.fill(u64::MAX);
    }

    fn add(&mut self, mask: &Mask, children: &Children<'_>, share: Share) {
        let own = self.limbs;
        let mut ids = children.ids.iter();
        for_lanes(mask, |lane| {
            let id = *ids.next().expect("one child a lane") as usize;
            let child = &children.values[id * children.limbs..(id + 1) * children.limbs];
            let mean = &mut self.mean[lane * own..(lane + 1) * own];
            if share.first {
                mean.fill(0);
            }
            scaled::mul_small_add(mean, child, share.factor as u64);
            if share.factor >> 64 != 0 {
                scaled::mul_small_add(&mut mean[1..], child, (share.factor >> 64) as u64);
            }
        });
    }

    fn raise(&mut self, mask: &Mask, children: &Children<'_>, factor: u128) {
        self.begin_asked();
        self.add(mask, children, Share { factor, weight: 1, total: 1, first: true });
        self.end_pair(mask, 1);
        self.end_asked(mask);
    }

    fn end_pair(&mut self, mask: &Mask, divisor: u32) {
        let own = self.limbs;
        for_lanes(mask, |lane| {
            let range = lane * own..(lane + 1) * own;
            let (mean, low) = (&mut self.mean[range.clone()], &mut self.low[range]);
            if divisor != 1 {
                scaled::div_small_exact(mean, divisor.into());
            }
            if scaled::compare(mean, low).is_lt() {
                low.copy_from_slice(mean);
            }
        });
    }

    fn end_asked(&mut self, mask: &Mask) {
        let own = self.limbs;
        for_lanes(mask, |lane| {
            let range = lane * own..(lane + 1) * own;
            let (low, best) = (&self.low[range.clone()], &mut self.best[range]);
            if scaled::compare(best, low).is_lt() {
                best.copy_from_slice(low);
            }
        });
    }

    fn store(&self, lane: usize, out: &mut [u64]) {
        out.copy_from_slice(&self.best[lane * self.limbs..(lane + 1) * self.limbs]);
    }
}

/// Registers of certified bounds: two words, the raw ends of `exact::Bounds`.
///
/// The mean of bounds is rounded outward once a pair of moves; sums of up to 2^64 outcomes fit
/// in 128 bits. `max` and `min` of bounds are those of both ends.
pub(crate) struct BoundsRegisters {
    mean: Vec<[u128; 2]>,
    total: u32,
    low: Vec<[u64; 2]>,
    best: Vec<[u64; 2]>,
}

impl BoundsRegisters {
    /// Registers for full blocks.
    pub(crate) fn new() -> Self {
        Self {
            mean: vec![[0; 2]; BLOCK_LANES],
            total: 1,
            low: vec![[0; 2]; BLOCK_LANES],
            best: vec![[0; 2]; BLOCK_LANES],
        }
    }
}

impl Registers for BoundsRegisters {
    fn begin_block(&mut self) {
        self.best.fill([0; 2]);
    }

    fn begin_asked(&mut self) {
        self.low.fill([u64::MAX; 2]);
    }

    fn add(&mut self, mask: &Mask, children: &Children<'_>, share: Share) {
        assert_eq!(children.limbs, 2, "bounds are two words");
        self.total = share.total;
        let weight = u128::from(share.weight);
        let mut ids = children.ids.iter();
        for_lanes(mask, |lane| {
            let id = *ids.next().expect("one child a lane") as usize;
            let child = &children.values[2 * id..2 * id + 2];
            debug_assert!(child[0] <= child[1], "bounds in order");
            let sum = if share.first { [0; 2] } else { self.mean[lane] };
            self.mean[lane] =
                [sum[0] + weight * u128::from(child[0]), sum[1] + weight * u128::from(child[1])];
        });
    }

    fn raise(&mut self, mask: &Mask, children: &Children<'_>, factor: u128) {
        self.begin_asked();
        self.add(mask, children, Share { factor, weight: 1, total: 1, first: true });
        self.end_pair(mask, 1);
        self.end_asked(mask);
    }

    fn end_pair(&mut self, mask: &Mask, divisor: u32) {
        assert_eq!(divisor, 1, "bounds divide by their own total");
        let total = u128::from(self.total);
        for_lanes(mask, |lane| {
            let [lower, upper] = self.mean[lane];
            let mean = [(lower / total) as u64, upper.div_ceil(total) as u64];
            let low = &mut self.low[lane];
            *low = [low[0].min(mean[0]), low[1].min(mean[1])];
        });
    }

    fn end_asked(&mut self, mask: &Mask) {
        for_lanes(mask, |lane| {
            let (low, best) = (self.low[lane], &mut self.best[lane]);
            *best = [best[0].max(low[0]), best[1].max(low[1])];
        });
    }

    fn store(&self, lane: usize, out: &mut [u64]) {
        out.copy_from_slice(&self.best[lane]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two asked moves; the first has two opponents' answers (means 5 and 3), the second one
    /// chance pair (1 * 2 + 3 * 2 = 8).
    fn fold(registers: &mut dyn Registers, values: &[u64], limbs: usize, own: usize) -> Vec<u64> {
        let mut mask = [0u64; BLOCK_WORDS];
        mask[0] = 1 << 5;
        let plain = Share { factor: 1, weight: 1, total: 1, first: true };
        let half = Share { factor: 2, weight: 1, total: 4, first: true };
        let rest = Share { factor: 2, weight: 3, total: 4, first: false };
        registers.begin_block();
        registers.begin_asked();
        for id in [0, 1] {
            registers.add(&mask, &Children { values, limbs, ids: &[id] }, plain);
            registers.end_pair(&mask, 1);
        }
        registers.end_asked(&mask);
        registers.begin_asked();
        registers.add(&mask, &Children { values, limbs, ids: &[2] }, half);
        registers.add(&mask, &Children { values, limbs, ids: &[3] }, rest);
        registers.end_pair(&mask, 1);
        registers.end_asked(&mask);
        let mut out = vec![0; own];
        registers.store(5, &mut out);
        out
    }

    #[test]
    fn all_widths_fold_alike() {
        let values = [5, 3, 1, 3];
        assert_eq!(fold(&mut NarrowRegisters::<u64>::new(), &values, 1, 1), [8]);
        assert_eq!(fold(&mut NarrowRegisters::<u128>::new(), &values, 1, 2), [8, 0]);
        assert_eq!(fold(&mut WideRegisters::new(3), &values, 1, 3), [8, 0, 0]);
        let top = 1 << 62;
        let wide = [0, top, 0, top, 0, 0, 0, top];
        assert_eq!(fold(&mut NarrowRegisters::<u128>::new(), &wide, 2, 2), [0, 1 << 63]);
    }

    #[test]
    fn bounds_round_outward() {
        let values = [5, 5, 3, 4, 1, 1, 2, 2];
        // The second move: (1 * 1 + 3 * 2) / 4 = 1.75, so [1, 2]; the first: [3, 4].
        assert_eq!(fold(&mut BoundsRegisters::new(), &values, 2, 2), [3, 4]);
        let values = [0, 0, 0, 0, 1, 1, 2, 2];
        assert_eq!(fold(&mut BoundsRegisters::new(), &values, 2, 2), [1, 2]);
    }
}
