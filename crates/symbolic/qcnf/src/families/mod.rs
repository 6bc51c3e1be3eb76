//! Families of formulas with known values: the classical ones of the field, and stochastic ones.
//!
//! A member is a function of a few sizes, the same formula each time, and its value is known by
//! theory or by a recurrence on numbers, never by a solver of this project. So a family measures a
//! solver at sizes that no oracle reaches, and tells a wrong answer there. Variables have names.

mod adder;
mod classic;
mod colouring;
mod draft;
mod moving;
#[cfg(test)]
mod tests;

use exact::Ratio;

use crate::Qcnf;

/// A formula and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The formula; well-formed.
    pub formula: Qcnf,
    /// Its value, known without solving it.
    pub value: Ratio,
}

/// A size of a family's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// A word for it.
    pub name: &'static str,
    /// The smallest and the largest.
    pub range: (usize, usize),
    /// What is taken where none is given.
    pub usual: usize,
}

/// Members of one kind: how they are made, and why their value is what it is.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// A word for it.
    pub name: &'static str,
    /// The value and the reason, in a sentence.
    pub value: &'static str,
    make: fn(&[usize]) -> Member,
}

/// A family.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// A word for it.
    pub name: &'static str,
    /// What its members say, in a sentence.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What a member depends on.
    pub sizes: &'static [Size],
    /// The first is what is taken where none is given.
    pub variants: &'static [Variant],
}

/// All families.
pub const FAMILIES: &[Family] = &[
    classic::KBKF,
    classic::PARITY,
    classic::EQUALITY,
    adder::ADDER,
    colouring::RAMSEY,
    colouring::CYCLE,
    moving::PURSUIT,
    moving::WALK,
];

impl Family {
    /// The family of a name.
    ///
    /// # Errors
    /// A sentence that names all families.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
            let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            format!("there is no family `{name}`; the families are {}", names.join(", "))
        })
    }

    /// A member: of the named variant or the first, of the sizes given in order or the usual ones.
    ///
    /// # Errors
    /// A sentence where there is no such variant, a size is out of range, or there are too many.
    pub fn member(&self, variant: Option<&str>, sizes: &[usize]) -> Result<Member, String> {
        let chosen = match variant {
            None => &self.variants[0],
            Some(name) => self.variant(name)?,
        };
        if sizes.len() > self.sizes.len() {
            let names: Vec<&str> = self.sizes.iter().map(|size| size.name).collect();
            return Err(format!("`{}` has {} sizes: {}", self.name, names.len(), names.join(", ")));
        }
        let given = sizes.iter().copied().map(Some).chain(std::iter::repeat(None));
        let sizes = self.sizes.iter().zip(given).map(|(size, value)| size.check(self.name, value));
        let member = (chosen.make)(&sizes.collect::<Result<Vec<_>, _>>()?);
        assert_eq!(member.formula.flaw(), None, "members are well-formed");
        assert!(member.value.is_probability());
        Ok(member)
    }

    fn variant(&self, name: &str) -> Result<&Variant, String> {
        self.variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.variants.iter().map(|variant| variant.name).collect();
            format!("`{}` has no variant `{name}`; it has {}", self.name, names.join(", "))
        })
    }
}

impl Size {
    fn check(&self, family: &str, value: Option<usize>) -> Result<usize, String> {
        let (value, (least, most)) = (value.unwrap_or(self.usual), self.range);
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(format!("{} of `{family}` is {least} to {most}, and not {value}", self.name))
    }
}

/// A number to the power of a count.
fn power(base: &Ratio, count: usize) -> Ratio {
    (0..count).fold(Ratio::one(), |product, _| product * base)
}

fn truth(holds: bool) -> Ratio {
    if holds { Ratio::one() } else { Ratio::zero() }
}
