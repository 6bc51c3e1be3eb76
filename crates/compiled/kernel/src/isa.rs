//! Which instructions the machine has, asked once.
//!
//! An [`Isa`] that names AVX2 exists only where AVX2 was found, so holding one is the proof that
//! the functions compiled for it may be called.

/// A set of instructions that the loops over lanes are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    Avx2,
}

impl Isa {
    /// What every machine of this target can run.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The best set that this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
        {
            return Self(Kind::Avx2);
        }
        Self::PORTABLE
    }

    /// Whether AVX2, BMI and POPCNT were found.
    #[inline]
    pub fn has_avx2(self) -> bool {
        self.0 == Kind::Avx2
    }

    /// Its name, for logs.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            Kind::Avx2 => "avx2",
        }
    }
}

/// Defines `fn $name(isa, args..)` that runs `$body(args..)`, an `#[inline(always)]` function,
/// compiled for AVX2 where `isa` has it and for the baseline elsewhere.
macro_rules! dispatch {
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$meta])*
        pub(crate) fn $name(isa: $crate::isa::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            if isa.has_avx2() {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn wide($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                // SAFETY: an `Isa` that has AVX2 is only made after detecting these features.
                return unsafe { wide($($arg),*) };
            }
            let _ = isa;
            $body($($arg),*)
        }
    };
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection_is_stable_and_named() {
        assert_eq!(Isa::detect(), Isa::detect());
        assert!(!Isa::PORTABLE.has_avx2());
        assert!(["avx2", "portable"].contains(&Isa::detect().name()));
    }
}
