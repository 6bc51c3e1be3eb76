//! A list of clauses in one flat vector: a formula of a million clauses is two allocations.

use index::Id;

use crate::Lit;

index::typed_id!(
    /// A clause of the matrix, in the order in which it was added.
    pub struct ClauseId,
    "c"
);

/// Clauses, each a slice of literals; the empty clause is false.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    literals: Vec<Lit>,
    /// Where each clause ends; ascending.
    ends: Vec<u32>,
}

impl Clauses {
    /// Adds a clause as it stands: literals may repeat or be opposed.
    ///
    /// # Panics
    /// When there are more than 2^32 literals.
    pub fn push(&mut self, clause: &[Lit]) -> ClauseId {
        let id = ClauseId::from_index(self.ends.len());
        self.literals.extend_from_slice(clause);
        assert!(u32::try_from(self.literals.len()).is_ok(), "more than 2^32 literals");
        self.ends.push(self.literals.len() as u32);
        id
    }

    /// How many clauses there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many literals there are in all.
    pub fn literals(&self) -> usize {
        self.literals.len()
    }

    /// The literals of one clause.
    ///
    /// # Panics
    /// When there is no such clause.
    #[inline]
    pub fn get(&self, id: ClauseId) -> &[Lit] {
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.literals[start..self.ends[id.index()] as usize]
    }

    /// All clauses in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Lit]> + Clone {
        (0..self.ends.len()).map(|index| self.get(ClauseId::from_index(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Var;

    #[test]
    fn clauses_come_back_as_they_went_in() {
        let lits: Vec<Lit> = (0..3).map(|v| Lit::positive(Var::from_index(v))).collect();
        let mut clauses = Clauses::default();
        clauses.push(&lits);
        clauses.push(&[]);
        clauses.push(&lits[1..2]);
        let back: Vec<&[Lit]> = clauses.iter().collect();
        assert_eq!(back, [&lits[..], &[], &lits[1..2]]);
        assert_eq!((clauses.len(), clauses.literals()), (3, 4));
    }
}
