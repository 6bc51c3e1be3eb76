//! The numbers of lanes: words of 32 or 64 bits, without a sign.

use store::Plain;

use crate::dense::fold::{Fold, Values, fold_narrow, fold_wide};
use crate::isa::Isa;

/// A whole number of a lane. Arithmetic wraps: lanes that stand for no state hold garbage.
pub trait Lane: Plain + Ord {
    /// No bit.
    const ZERO: Self;
    /// All bits.
    const ONES: Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The bits that differ.
    fn flip(self, with: Self) -> Self;
    /// The number where `bit`, else zero.
    fn when(self, bit: bool) -> Self;
    /// The low bits of a number.
    fn of(number: u64) -> Self;
    /// As a number.
    fn number(self) -> u64;
    /// Values a block of such numbers.
    fn fold(isa: Isa, job: &mut Fold<'_, Self>, best: &mut Values<Self>);
}

macro_rules! lane {
    ($word:ty, $fold:path) => {
        impl Lane for $word {
            const ZERO: Self = 0;
            const ONES: Self = <$word>::MAX;
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn flip(self, with: Self) -> Self {
                self ^ with
            }
            #[inline(always)]
            fn when(self, bit: bool) -> Self {
                if bit { self } else { 0 }
            }
            #[inline(always)]
            fn of(number: u64) -> Self {
                number as $word
            }
            #[inline(always)]
            fn number(self) -> u64 {
                u64::from(self)
            }
            fn fold(isa: Isa, job: &mut Fold<'_, Self>, best: &mut Values<Self>) {
                $fold(isa, job, best);
            }
        }
    };
}

lane!(u32, fold_narrow);
lane!(u64, fold_wide);
