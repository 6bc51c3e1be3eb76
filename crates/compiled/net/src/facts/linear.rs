//! Linear equations modulo a prime, one at a time.
//!
//! Computed: a solution of all equations added so far in which the unknowns without a pivot are 0;
//! pivots are taken from the first unknowns on, so earlier ones are preferred. Always: the rows
//! are in reduced echelon form. Why modulo a prime: exact, without fractions that grow; whoever
//! wants whole numbers reads small residues as such and checks them. Cost: rank times unknowns an
//! equation.

/// The prime 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;
/// Residues up to this, from either side, are read as whole numbers.
const SMALL: u64 = 1 << 40;

const _: () = assert!(SMALL < PRIME / 4);

/// The equations: each row holds the coefficients and, last, the right side.
#[derive(Clone, Debug)]
pub(super) struct System {
    unknowns: usize,
    rows: Vec<(usize, Vec<u64>)>,
    solution: Vec<u64>,
}

/// The equations contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

impl System {
    /// No equation yet.
    pub(super) fn new(unknowns: usize) -> Self {
        Self { unknowns, rows: Vec::new(), solution: vec![0; unknowns] }
    }

    /// Whether the current solution fulfils an equation given by its non-zero coefficients.
    pub(super) fn fulfils(&self, coefficients: &[(usize, i64)], right: i64) -> bool {
        let sum = coefficients.iter().fold(0, |sum, (unknown, coefficient)| {
            add(sum, mul(residue(*coefficient), self.solution[*unknown]))
        });
        sum == residue(right)
    }

    /// Adds an equation.
    pub(super) fn add(
        &mut self,
        coefficients: &[(usize, i64)],
        right: i64,
    ) -> Result<(), Contradiction> {
        let mut row = vec![0; self.unknowns + 1];
        for &(unknown, coefficient) in coefficients {
            row[unknown] = add(row[unknown], residue(coefficient));
        }
        row[self.unknowns] = residue(right);
        for (pivot, known) in &self.rows {
            cancel(&mut row, known, *pivot);
        }
        let Some(pivot) = row[..self.unknowns].iter().position(|entry| *entry != 0) else {
            return if row[self.unknowns] == 0 { Ok(()) } else { Err(Contradiction) };
        };
        self.insert(pivot, row);
        Ok(())
    }

    fn insert(&mut self, pivot: usize, mut row: Vec<u64>) {
        let scale = inverse(row[pivot]);
        for entry in &mut row {
            *entry = mul(*entry, scale);
        }
        debug_assert_eq!(row[pivot], 1);
        for (_, known) in &mut self.rows {
            cancel(known, &row, pivot);
        }
        self.rows.push((pivot, row));
        self.solution.fill(0);
        for (pivot, row) in &self.rows {
            self.solution[*pivot] = row[self.unknowns];
        }
    }

    /// The solution in whole numbers, where all its residues are small.
    pub(super) fn whole(&self) -> Option<Vec<i64>> {
        let whole = |value: &u64| match *value {
            small if small <= SMALL => Some(small as i64),
            large if PRIME - large <= SMALL => Some(-((PRIME - large) as i64)),
            _ => None,
        };
        self.solution.iter().map(whole).collect()
    }
}

/// Takes a multiple of `known` off `row`, so that its entry at the pivot is 0.
fn cancel(row: &mut [u64], known: &[u64], pivot: usize) {
    let factor = row[pivot];
    if factor == 0 {
        return;
    }
    debug_assert_eq!(known[pivot], 1);
    let factor = PRIME - factor;
    for (entry, other) in row.iter_mut().zip(known) {
        if *other != 0 {
            *entry = add(*entry, mul(factor, *other));
        }
    }
    debug_assert_eq!(row[pivot], 0);
}

fn residue(value: i64) -> u64 {
    debug_assert!(value.unsigned_abs() < PRIME);
    if value < 0 { PRIME - value.unsigned_abs() } else { value.unsigned_abs() }
}

fn add(left: u64, right: u64) -> u64 {
    let sum = left + right;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn mul(left: u64, right: u64) -> u64 {
    (u128::from(left) * u128::from(right) % u128::from(PRIME)) as u64
}

/// The inverse of a residue other than 0, by Fermat's little theorem.
fn inverse(value: u64) -> u64 {
    assert!(value != 0, "0 has no inverse");
    let (mut result, mut base, mut exponent) = (1, value, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, base);
        }
        base = mul(base, base);
        exponent >>= 1;
    }
    debug_assert_eq!(mul(result, value), 1);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_solutions_are_found_and_early_unknowns_preferred() {
        let mut system = System::new(4);
        assert_eq!(system.add(&[(0, 1), (1, 2)], 5), Ok(()));
        assert_eq!(system.add(&[(0, 3), (1, -1), (2, 1), (3, 1)], -6), Ok(()));
        assert_eq!(system.whole(), Some(vec![-1, 3, 0, 0]));
        assert_eq!(system.add(&[(0, 1), (1, 1)], 3), Ok(()));
        assert_eq!(system.whole(), Some(vec![1, 2, -7, 0]));
        assert!(system.fulfils(&[(2, 2)], -14) && !system.fulfils(&[(2, 2)], 14));
    }

    #[test]
    fn contradictions_and_fractions_are_told() {
        let mut system = System::new(1);
        assert_eq!(system.add(&[(0, 2)], 1), Ok(()));
        assert_eq!(system.whole(), None, "one half is not whole");
        assert_eq!(system.add(&[(0, 4)], 2), Ok(()), "the same equation again");
        assert_eq!(system.add(&[(0, 4)], 3), Err(Contradiction));
    }
}
