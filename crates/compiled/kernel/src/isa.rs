//! Which instructions the machine has, asked once.
//!
//! An [`Isa`] that names AVX2 or AVX-512 exists only where that was found, so holding one is the
//! proof that the functions compiled for it may be called. AVX-512 needs the same loops only half
//! as many instructions, and fewer still where three operands meet in one; the code is written
//! once.

/// A set of instructions that the loops over lanes are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
    Avx2,
    Avx512,
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
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            return Self(if wide { Kind::Avx512 } else { Kind::Avx2 });
        }
        Self::PORTABLE
    }

    /// Every set that this machine has, for tests that hold them to each other.
    pub fn available() -> Vec<Self> {
        let best = Self::detect();
        let all = [Self::PORTABLE, Self(Kind::Avx2), Self(Kind::Avx512)];
        all.into_iter()
            .filter(|isa| {
                best.has_avx512() >= isa.has_avx512() && best.has_avx2() >= isa.has_avx2()
            })
            .collect()
    }

    /// Whether AVX2, BMI and POPCNT were found.
    #[inline]
    pub fn has_avx2(self) -> bool {
        matches!(self.0, Kind::Avx2 | Kind::Avx512)
    }

    /// Whether AVX-512 with its byte, doubleword and short-vector parts was found as well.
    #[inline]
    pub fn has_avx512(self) -> bool {
        self.0 == Kind::Avx512
    }

    /// Its name, for logs.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
            Kind::Avx2 => "avx2",
            Kind::Avx512 => "avx512",
        }
    }
}

/// Defines `fn $name(isa, args..)` that runs `$body(args..)`, an `#[inline(always)]` function,
/// compiled for AVX-512 and AVX2 where `isa` has them and for the baseline elsewhere.
macro_rules! dispatch {
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$meta])*
        pub(crate) fn $name(isa: $crate::isa::Isa, $($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            if isa.has_avx512() {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn widest($($arg: $ty),*) $(-> $ret)? {
                    $body($($arg),*)
                }
                // SAFETY: an `Isa` that has AVX-512 is only made after detecting these features.
                return unsafe { widest($($arg),*) };
            }
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
        assert!(!Isa::PORTABLE.has_avx2() && !Isa::PORTABLE.has_avx512());
        let available = Isa::available();
        assert_eq!((available[0], available.last()), (Isa::PORTABLE, Some(&Isa::detect())));
        assert!(["avx512", "avx2", "portable"].contains(&Isa::detect().name()));
    }
}
