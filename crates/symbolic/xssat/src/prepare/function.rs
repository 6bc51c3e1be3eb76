//! Function: whether clauses leave a variable no choice, whatever the other variables are.
//!
//! Take the clauses of a variable without it. An assignment of the others that satisfies all of
//! them leaves the variable open; one that falsifies some forces it. So it is a function of the
//! others just where what is left of its clauses cannot be satisfied: a conjunction, an exclusive
//! or, an if-then-else, or any other table. Small cases only: up to 64 other variables, a bit
//! each, by splitting and propagating, and with a bound on the splits.
//!
//! Source: Padoa's method (1901), with the clauses of one variable for the whole theory.

use qcnf::{Lit, Var};

/// Clauses that are looked at, at most.
pub(crate) const MOST_CLAUSES: usize = 64;
/// Splits after which a variable counts as free.
const MOST_SPLITS: u32 = 256;

/// Clauses over up to 64 variables, as sets of positive and of negative ones.
#[derive(Default)]
pub(crate) struct Table {
    vars: Vec<Var>,
    clauses: Vec<[u64; 2]>,
    splits: u32,
}

impl Table {
    /// Whether these clauses, without the variable, cannot all hold.
    pub(crate) fn determines<'a>(
        &mut self,
        var: Var,
        clauses: impl Iterator<Item = &'a [Lit]>,
    ) -> bool {
        self.vars.clear();
        self.clauses.clear();
        for clause in clauses {
            debug_assert!(clause.iter().any(|lit| lit.var() == var), "a clause of the variable");
            let mut sets = [0u64; 2];
            for lit in clause.iter().filter(|lit| lit.var() != var) {
                let Some(bit) = self.bit(lit.var()) else { return false };
                sets[usize::from(!lit.is_positive())] |= bit;
            }
            self.clauses.push(sets);
            if self.clauses.len() > MOST_CLAUSES {
                return false;
            }
        }
        self.splits = MOST_SPLITS;
        !self.holds([0, 0])
    }

    fn bit(&mut self, var: Var) -> Option<u64> {
        let at = self.vars.iter().position(|&known| known == var).unwrap_or_else(|| {
            self.vars.push(var);
            self.vars.len() - 1
        });
        (at < 64).then(|| 1 << at)
    }

    /// Whether the clauses can hold with these true and false, or the splits are spent.
    fn holds(&mut self, mut values: [u64; 2]) -> bool {
        debug_assert_eq!(values[0] & values[1], 0, "no variable is both");
        loop {
            let mut open = None;
            let mut unit = None;
            for clause in &self.clauses {
                if (clause[0] & values[0]) | (clause[1] & values[1]) != 0 {
                    continue;
                }
                let left = [clause[0] & !values[1], clause[1] & !values[0]];
                match left[0].count_ones() + left[1].count_ones() {
                    0 => return false,
                    1 => unit = Some(left),
                    _ => open = Some(left),
                }
            }
            match (unit, open) {
                (Some(unit), _) => values = [values[0] | unit[0], values[1] | unit[1]],
                (None, None) => return true,
                (None, Some(left)) => return self.split(values, left),
            }
        }
    }

    fn split(&mut self, values: [u64; 2], left: [u64; 2]) -> bool {
        if self.splits == 0 {
            return true;
        }
        self.splits -= 1;
        let bit = 1 << (left[0] | left[1]).trailing_zeros();
        self.holds([values[0] | bit, values[1]]) || self.holds([values[0], values[1] | bit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Id;

    fn clauses(numbers: &[&[i32]]) -> Vec<Vec<Lit>> {
        let lit = |&n: &i32| Lit::new(Var::from_index(n.unsigned_abs() as usize - 1), n > 0);
        numbers.iter().map(|clause| clause.iter().map(lit).collect()).collect()
    }

    fn determines(numbers: &[&[i32]]) -> bool {
        let clauses = clauses(numbers);
        Table::default().determines(Var::from_index(0), clauses.iter().map(Vec::as_slice))
    }

    #[test]
    fn gates_determine_their_output_and_nothing_less_does() {
        let xor: [&[i32]; 4] = [&[1, 2, -3], &[1, -2, 3], &[-1, 2, 3], &[-1, -2, -3]];
        let choice: [&[i32]; 4] = [&[-2, 1, -3], &[-2, -1, 3], &[2, 1, -4], &[2, -1, 4]];
        let majority: [&[i32]; 6] =
            [&[1, -2, -3], &[1, -2, -4], &[1, -3, -4], &[-1, 2, 3], &[-1, 2, 4], &[-1, 3, 4]];
        for gate in [&xor[..], &choice, &majority, &[&[1, 2], &[-1, -2]]] {
            assert!(determines(gate), "{gate:?}");
            for missing in 0..gate.len() {
                let rest: Vec<&[i32]> =
                    (0..gate.len()).filter(|&at| at != missing).map(|at| gate[at]).collect();
                assert!(!determines(&rest), "{gate:?} without {missing}");
            }
        }
        assert!(!determines(&[]), "nothing is said");
        assert!(determines(&[&[1]]), "a unit");
    }

    /// The parity of so many variables, with the output as variable 1.
    fn parity(inputs: u32) -> Vec<Vec<i32>> {
        let odd = (0..1u32 << (inputs + 1)).filter(|signs| signs.count_ones() % 2 == 1);
        let clause = |signs: u32| {
            let lit = |at: u32| {
                let var = at as i32 + 1;
                if signs >> at & 1 == 1 { -var } else { var }
            };
            (0..=inputs).map(lit).collect()
        };
        odd.map(clause).collect()
    }

    #[test]
    fn splits_are_counted_down_and_end_what_takes_too_many() {
        for inputs in 2..=5 {
            let numbers = parity(inputs);
            let numbers: Vec<&[i32]> = numbers.iter().map(Vec::as_slice).collect();
            let clauses = clauses(&numbers);
            let mut table = Table::default();
            let var = Var::from_index(0);
            assert!(table.determines(var, clauses.iter().map(Vec::as_slice)), "{inputs} inputs");
            let spent = MOST_SPLITS.checked_sub(table.splits).expect("no more than there are");
            // Without its output a parity leaves all but the last input open.
            assert_eq!(spent, (1 << (inputs - 1)) - 1, "{inputs} inputs");
            // What remains undecided counts as open.
            table.splits = spent - 1;
            assert!(table.holds([0, 0]), "{inputs} inputs");
        }
    }
}
