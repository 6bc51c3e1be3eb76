//! Typed 32-bit ids, and the vectors and sets they index.
//!
//! A base proposition, a gate and a move are all "a small number"; mixing two of them up must not
//! compile. Each id prints as the text form that the intermediate languages use (`g17`, `b3`), so
//! what a log shows can be pasted into a test.
//!
//! Nothing here knows what an id stands for.
#![forbid(unsafe_code)]

mod id_set;
mod index_vec;

pub use id_set::IdSet;
pub use index_vec::IndexVec;

/// A typed index: a `u32` that only indexes vectors of its own kind.
pub trait Id: Copy + Eq + Ord + std::hash::Hash + std::fmt::Debug + std::fmt::Display {
    /// The id with this position.
    ///
    /// # Panics
    /// When the position does not fit in 32 bits.
    fn from_index(index: usize) -> Self;
    /// The position that this id stands for.
    fn index(self) -> usize;
}

/// Declares a typed id: `typed_id!(/** doc */ pub struct GateId, "g");` prints as `g17`.
#[macro_export]
macro_rules! typed_id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);

        impl $crate::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "more than 2^32 ids of one kind");
                Self(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}
