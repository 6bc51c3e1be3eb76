//! A ground program: rules over numbered atoms, and the symbols that atoms stand for.
//!
//! Always: an atom's number is at least 1, as in the aspif format of clingo's tools; a rule with
//! several heads is a choice; a weight is positive. A rule with no head is a constraint. All
//! rules lie in four flat vectors, because a game of 800 steps has millions of them.

use std::fmt;
use std::ops::Not;

use index::Id;

index::typed_id!(
    /// An atom, numbered from 1; `a7` is 7 in aspif.
    pub struct AtomId,
    "a"
);

/// An atom or its negation, as a number without zero: negative where negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroundLit(i32);

impl GroundLit {
    /// The literal of an aspif number; none for 0 and for the number without an opposite.
    pub fn from_aspif(number: i64) -> Option<Self> {
        let number = i32::try_from(number).ok()?;
        (number != 0 && number != i32::MIN).then_some(Self(number))
    }

    /// The atom, or its negation.
    ///
    /// # Panics
    /// When the atom is past 2^31.
    pub fn new(atom: AtomId, positive: bool) -> Self {
        let number = i32::try_from(atom.index()).expect("at most 2^31 atoms");
        assert!(number > 0, "atoms count from 1");
        Self(if positive { number } else { -number })
    }

    /// The atom.
    #[inline]
    pub fn atom(self) -> AtomId {
        AtomId::from_index(self.0.unsigned_abs() as usize)
    }

    /// Whether the atom stands without negation.
    #[inline]
    pub fn is_positive(self) -> bool {
        self.0 > 0
    }

    /// The number in aspif.
    pub fn to_aspif(self) -> i32 {
        self.0
    }
}

impl Not for GroundLit {
    type Output = Self;
    fn not(self) -> Self {
        Self(-self.0)
    }
}

impl fmt::Display for GroundLit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_positive() { "" } else { "not " }, self.atom())
    }
}

impl fmt::Debug for GroundLit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// When a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleBody<'a> {
    /// All literals hold.
    All(&'a [GroundLit]),
    /// The weights of the literals that hold sum to at least the bound.
    Sum {
        /// The bound; may be 0 or negative.
        bound: i64,
        /// The literals.
        literals: &'a [GroundLit],
        /// Their weights, all positive.
        weights: &'a [u32],
    },
}

/// A rule of a ground program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule<'a> {
    /// Whether the heads may hold where the body does; else the one head must.
    pub choice: bool,
    /// The heads; none for a constraint.
    pub heads: &'a [AtomId],
    /// The condition.
    pub body: RuleBody<'a>,
}

impl<'a> Rule<'a> {
    /// The literals of the body, whatever their weights.
    pub fn literals(&self) -> &'a [GroundLit] {
        match self.body {
            RuleBody::All(literals) | RuleBody::Sum { literals, .. } => literals,
        }
    }
}

/// Where a rule ends in the flat vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends {
    heads: u32,
    literals: u32,
    weights: u32,
    choice: bool,
    bound: Option<i64>,
}

/// Rules and symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroundProgram {
    ends: Vec<Ends>,
    heads: Vec<AtomId>,
    literals: Vec<GroundLit>,
    weights: Vec<u32>,
    symbols: Vec<(Box<str>, Option<AtomId>)>,
    largest: usize,
}

impl GroundProgram {
    /// Adds a rule.
    ///
    /// # Panics
    /// When a rule with several heads is no choice, or a weight is missing or 0.
    pub fn add_rule(&mut self, rule: Rule<'_>) {
        assert!(rule.choice || rule.heads.len() < 2, "a disjunction is outside the class");
        self.heads.extend_from_slice(rule.heads);
        self.literals.extend_from_slice(rule.literals());
        let mut bound = None;
        if let RuleBody::Sum { bound: least, literals, weights } = rule.body {
            assert_eq!(literals.len(), weights.len(), "a weight for each literal");
            assert!(weights.iter().all(|weight| *weight > 0), "weights are positive");
            self.weights.extend_from_slice(weights);
            bound = Some(least);
        }
        let numbers = rule.heads.iter().map(|head| head.index());
        let numbers = numbers.chain(rule.literals().iter().map(|literal| literal.atom().index()));
        self.largest = numbers.fold(self.largest, usize::max);
        let end = |length: usize| u32::try_from(length).expect("at most 2^32 literals");
        self.ends.push(Ends {
            heads: end(self.heads.len()),
            literals: end(self.literals.len()),
            weights: end(self.weights.len()),
            choice: rule.choice,
            bound,
        });
    }

    /// Says that a symbol is a fact, or stands for an atom.
    pub fn add_symbol(&mut self, text: &str, atom: Option<AtomId>) {
        self.largest = self.largest.max(atom.map_or(0, AtomId::index));
        self.symbols.push((text.into(), atom));
    }

    /// Keeps numbers below this for atoms that no rule names.
    pub(crate) fn reserve_atoms(&mut self, atoms: usize) {
        self.largest = self.largest.max(atoms.saturating_sub(1));
    }

    /// One more than the largest number of an atom.
    pub fn atoms(&self) -> usize {
        self.largest + 1
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A rule by its place.
    ///
    /// # Panics
    /// When there is no such rule.
    pub fn rule(&self, place: usize) -> Rule<'_> {
        let start = place.checked_sub(1).map(|before| self.ends[before]);
        let (heads, literals, weights) =
            start.map_or((0, 0, 0), |ends| (ends.heads, ends.literals, ends.weights));
        let ends = self.ends[place];
        let span = |from: u32, to: u32| from as usize..to as usize;
        let body = &self.literals[span(literals, ends.literals)];
        let weights = &self.weights[span(weights, ends.weights)];
        Rule {
            choice: ends.choice,
            heads: &self.heads[span(heads, ends.heads)],
            body: match ends.bound {
                None => RuleBody::All(body),
                Some(bound) => RuleBody::Sum { bound, literals: body, weights },
            },
        }
    }

    /// All rules in order.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = Rule<'_>> + Clone {
        (0..self.len()).map(|place| self.rule(place))
    }

    /// All symbols in order, each with its atom; none for facts.
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = (&str, Option<AtomId>)> + Clone {
        self.symbols.iter().map(|(text, atom)| (&**text, *atom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_negated_and_a_program_grows() {
        let atom = AtomId::from_index(3);
        for positive in [true, false] {
            let literal = GroundLit::new(atom, positive);
            assert_eq!(!literal, GroundLit::new(atom, !positive));
            assert_eq!((literal.atom(), literal.is_positive()), (atom, positive));
        }
        let mut program = GroundProgram::default();
        assert!(program.is_empty());
        program.add_rule(Rule { choice: true, heads: &[atom], body: RuleBody::All(&[]) });
        assert!(!program.is_empty() && program.len() == 1);
    }
}
