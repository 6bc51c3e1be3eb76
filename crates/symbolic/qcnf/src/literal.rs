//! Variables and literals.
//!
//! A literal is its variable's number times two, plus one where it is negated, so that arrays
//! over literals are dense and negation flips one bit. In text a variable counts from one.

use std::fmt;
use std::ops::Not;

use index::Id;

index::typed_id!(
    /// A variable; `v0` is 1 in SDIMACS and QDIMACS text.
    pub struct Var,
    "v"
);

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal that holds where the variable is `value`.
    ///
    /// # Panics
    /// When the variable is past 2^31.
    #[inline]
    pub fn new(var: Var, value: bool) -> Self {
        assert!(var.index() < 1 << 31, "more than 2^31 variables");
        Self((var.index() as u32) << 1 | u32::from(!value))
    }

    /// The literal that holds where the variable is true.
    #[inline]
    pub fn positive(var: Var) -> Self {
        Self::new(var, true)
    }

    /// The literal that holds where the variable is false.
    #[inline]
    pub fn negative(var: Var) -> Self {
        Self::new(var, false)
    }

    /// Its variable.
    #[inline]
    pub fn var(self) -> Var {
        Var::from_index((self.0 >> 1) as usize)
    }

    /// The value of its variable under which it holds.
    #[inline]
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// Its place in arrays over literals: below twice the number of variables.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal at a place in arrays over literals.
    ///
    /// # Panics
    /// When the code does not fit in 32 bits.
    #[inline]
    pub fn from_code(code: usize) -> Self {
        assert!(u32::try_from(code).is_ok(), "a literal's code is 32 bits");
        Self(code as u32)
    }

    /// As text counts: variables from one, negative where negated.
    pub fn to_dimacs(self) -> i64 {
        let number = i64::from(self.0 >> 1) + 1;
        if self.is_positive() { number } else { -number }
    }
}

impl Not for Lit {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_positive() { "" } else { "-" }, self.var())
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_flips_and_codes_are_dense() {
        let var = Var::from_index(6);
        let lit = Lit::negative(var);
        assert_eq!((lit.code(), lit.var(), lit.is_positive()), (13, var, false));
        assert_eq!(!lit, Lit::positive(var));
        assert_eq!(Lit::from_code(13), lit);
        assert_eq!((lit.to_dimacs(), lit.to_string().as_str()), (-7, "-v6"));
    }
}
