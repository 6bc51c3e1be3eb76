//! The constructors of gates: hash-consing, and the laws by which a gate folds away.
//!
//! Computed: for a wanted gate, the smallest gate known to be equal to it by the laws below, or a
//! new one. Always: operands of `And` and `Or` ascend; a gate that exists twice has one id; a gate
//! to which a law applies is never made. Laws, for `&` and dually for `|`:
//!
//! - constants, `x & x = x`, `x & !x = 0`, `!!x = x`;
//! - one level down: `x & (x & y) = x & y`, `x & (!x & y) = 0`, `x & (x | y) = x`,
//!   `x & (!x | y) = x & y`, and the same through a negated junction by De Morgan;
//! - two junctions: `(x & y) & (!x & z) = 0`, `(x & y) & (x | z) = x & y`,
//!   `(x & y) & (!x | z) = (x & y) & z`, `(x | y) & (!x | y) = y`.
//!
//! Why these and no more: all are found by looking at the operands of two gates, and each takes
//! an operand away, so folding ends and costs constant time a gate. Deeper rewriting (and a
//! normal form with complemented edges) was left out: specialising an update by constant moves,
//! where folding matters most, is done by the first two lines.

use ground::{BaseId, InputId};

use crate::gates::{Gate, GateId, Gates, Junction};

impl Gates {
    /// The constant.
    pub fn constant(&self, value: bool) -> GateId {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The gate of a base proposition.
    pub fn base(&mut self, base: BaseId) -> GateId {
        self.intern(Gate::Base(base))
    }

    /// The gate of a move that is played.
    pub fn does(&mut self, input: InputId) -> GateId {
        self.intern(Gate::Does(input))
    }

    /// Negation.
    pub fn not(&mut self, operand: GateId) -> GateId {
        match self.gate(operand) {
            Gate::Const(value) => self.constant(!value),
            Gate::Not(inner) => inner,
            _ => self.intern(Gate::Not(operand)),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, left: GateId, right: GateId) -> GateId {
        self.join(Junction::And, left, right)
    }

    /// Disjunction.
    pub fn or(&mut self, left: GateId, right: GateId) -> GateId {
        self.join(Junction::Or, left, right)
    }

    /// Conjunction of any number of gates, as a balanced tree; true of none.
    pub fn all(&mut self, operands: &[GateId]) -> GateId {
        self.join_many(Junction::And, operands)
    }

    /// Disjunction of any number of gates, as a balanced tree; false of none.
    pub fn any(&mut self, operands: &[GateId]) -> GateId {
        self.join_many(Junction::Or, operands)
    }

    /// A junction of many operands: sorted, so that equal sets of operands are one gate.
    pub(crate) fn join_many(&mut self, kind: Junction, operands: &[GateId]) -> GateId {
        match *operands {
            [] => return kind.identity(),
            [only] => return only,
            [left, right] => return self.join(kind, left, right),
            _ => {}
        }
        let mut level: Vec<GateId> =
            operands.iter().copied().filter(|gate| *gate != kind.identity()).collect();
        level.sort_unstable();
        level.dedup();
        if self.clashes(&level) {
            return kind.annihilator();
        }
        while level.len() > 1 {
            let pairs = level.len().div_ceil(2);
            debug_assert!(pairs < level.len());
            for pair in 0..pairs {
                let left = level[2 * pair];
                let right = level.get(2 * pair + 1).copied();
                level[pair] = right.map_or(left, |right| self.join(kind, left, right));
            }
            level.truncate(pairs);
        }
        level.first().copied().unwrap_or(kind.identity())
    }

    /// Whether a sorted list holds a gate together with its negation.
    fn clashes(&self, sorted: &[GateId]) -> bool {
        debug_assert!(sorted.is_sorted());
        sorted.iter().any(|gate| match self.gate(*gate) {
            Gate::Not(inner) => sorted.binary_search(&inner).is_ok(),
            _ => false,
        })
    }

    /// A junction of two operands.
    pub(crate) fn join(&mut self, kind: Junction, left: GateId, right: GateId) -> GateId {
        let (low, high) = if left <= right { (left, right) } else { (right, left) };
        if low == high || low == kind.annihilator() || high == kind.identity() {
            return low;
        }
        if low == kind.identity() || high == kind.annihilator() {
            return high;
        }
        if self.are_opposite(low, high) {
            return kind.annihilator();
        }
        self.fold_under(kind, low, high)
            .or_else(|| self.fold_under(kind, high, low))
            .or_else(|| self.fold_pair(kind, low, high))
            .unwrap_or_else(|| self.intern(kind.gate(low, high)))
    }

    /// Whether one gate is the negation of the other.
    fn are_opposite(&self, left: GateId, right: GateId) -> bool {
        self.gate(left) == Gate::Not(right) || self.gate(right) == Gate::Not(left)
    }

    /// Laws that compare a gate with the operands of the other one, `wide`.
    fn fold_under(&mut self, kind: Junction, gate: GateId, wide: GateId) -> Option<GateId> {
        if let Some((inner, x, y)) = self.junction(wide) {
            return self.fold_junction(kind, gate, wide, (inner, x, y));
        }
        let Gate::Not(inner) = self.gate(wide) else { return None };
        let (inner, x, y) = self.junction(inner)?;
        self.fold_negated(kind, gate, wide, (inner, x, y))
    }

    /// `gate` with the junction `wide` of `x` and `y`.
    fn fold_junction(
        &mut self,
        kind: Junction,
        gate: GateId,
        wide: GateId,
        (inner, x, y): (Junction, GateId, GateId),
    ) -> Option<GateId> {
        if gate == x || gate == y {
            return Some(if inner == kind { wide } else { gate });
        }
        let rest = match () {
            () if self.are_opposite(gate, x) => y,
            () if self.are_opposite(gate, y) => x,
            () => return None,
        };
        Some(if inner == kind { kind.annihilator() } else { self.join(kind, gate, rest) })
    }

    /// `gate` with `wide`, the negation of a junction of `x` and `y`.
    fn fold_negated(
        &mut self,
        kind: Junction,
        gate: GateId,
        wide: GateId,
        (inner, x, y): (Junction, GateId, GateId),
    ) -> Option<GateId> {
        if self.are_opposite(gate, x) || self.are_opposite(gate, y) {
            return Some(if inner == kind { gate } else { wide });
        }
        let rest = match () {
            () if gate == x => y,
            () if gate == y => x,
            () => return None,
        };
        if inner != kind {
            return Some(kind.annihilator());
        }
        let rest = self.not(rest);
        Some(self.join(kind, gate, rest))
    }

    /// Laws that compare the operands of two junctions.
    fn fold_pair(&mut self, kind: Junction, left: GateId, right: GateId) -> Option<GateId> {
        let (left_kind, a, b) = self.junction(left)?;
        let (right_kind, c, d) = self.junction(right)?;
        match (left_kind == kind, right_kind == kind) {
            (true, true) => self.any_opposite([a, b], [c, d]).then(|| kind.annihilator()),
            (true, false) => self.fold_mixed(kind, left, [a, b], [c, d]),
            (false, true) => self.fold_mixed(kind, right, [c, d], [a, b]),
            (false, false) => self.resolve([a, b], [c, d]),
        }
    }

    /// Whether some gate of the one pair is the negation of one of the other.
    fn any_opposite(&self, one: [GateId; 2], other: [GateId; 2]) -> bool {
        one.iter().any(|x| other.iter().any(|y| self.are_opposite(*x, *y)))
    }

    /// `same`, a junction of the wanted kind, with a junction of the other kind.
    fn fold_mixed(
        &mut self,
        kind: Junction,
        same: GateId,
        parts: [GateId; 2],
        dual: [GateId; 2],
    ) -> Option<GateId> {
        if parts.iter().any(|part| dual.contains(part)) {
            return Some(same);
        }
        for (at, operand) in dual.into_iter().enumerate() {
            if parts.iter().any(|part| self.are_opposite(*part, operand)) {
                return Some(self.join(kind, same, dual[1 - at]));
            }
        }
        None
    }

    /// `(x | y) & (!x | y)` and its dual: the shared operand.
    fn resolve(&self, one: [GateId; 2], other: [GateId; 2]) -> Option<GateId> {
        for (i, shared) in one.into_iter().enumerate() {
            for (j, candidate) in other.into_iter().enumerate() {
                if shared == candidate && self.are_opposite(one[1 - i], other[1 - j]) {
                    return Some(shared);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;

    fn leaves<const N: usize>(gates: &mut Gates) -> [GateId; N] {
        std::array::from_fn(|index| gates.base(BaseId::from_index(index)))
    }

    #[test]
    fn equal_gates_are_one_gate_whatever_the_order() {
        let mut gates = Gates::new();
        let [x, y, z] = leaves(&mut gates);
        assert_eq!(gates.and(x, y), gates.and(y, x));
        assert_eq!(gates.any(&[x, y, z]), gates.any(&[z, x, y, x]));
        assert_ne!(gates.and(x, y), gates.or(x, y));
    }

    #[test]
    fn laws_fold_in_both_kinds_of_junction() {
        let mut gates = Gates::new();
        let [x, y, z] = leaves(&mut gates);
        let not_x = gates.not(x);
        assert_eq!(gates.not(not_x), x);
        for kind in [Junction::And, Junction::Or] {
            let dual = kind.dual();
            let (same, other) = (gates.join(kind, x, y), gates.join(dual, x, y));
            assert_eq!(gates.join(kind, x, not_x), kind.annihilator());
            assert_eq!(gates.join(kind, x, kind.identity()), x);
            assert_eq!(gates.join(kind, x, same), same);
            assert_eq!(gates.join(kind, x, other), x);
            assert_eq!(gates.join(kind, not_x, same), kind.annihilator());
            assert_eq!(gates.join(kind, not_x, other), gates.join(kind, not_x, y));
            let with_z = gates.join(dual, x, z);
            assert_eq!(gates.join(kind, same, with_z), same);
            let resolvent = gates.join(dual, not_x, y);
            assert_eq!(gates.join(kind, other, resolvent), y);
        }
    }

    #[test]
    fn laws_fold_beside_a_negated_junction_at_either_operand() {
        let mut gates = Gates::new();
        let [x, y] = leaves(&mut gates);
        for kind in [Junction::And, Junction::Or] {
            let (same, other) = (gates.join(kind, x, y), gates.join(kind.dual(), x, y));
            let (not_same, not_other) = (gates.not(same), gates.not(other));
            for (one, rest) in [(x, y), (y, x)] {
                let (not_one, not_rest) = (gates.not(one), gates.not(rest));
                assert_eq!(gates.join(kind, not_one, not_same), not_one);
                assert_eq!(gates.join(kind, not_one, not_other), not_other);
                assert_eq!(gates.join(kind, one, not_same), gates.join(kind, one, not_rest));
                assert_eq!(gates.join(kind, one, not_other), kind.annihilator());
            }
        }
    }

    #[test]
    fn junctions_of_a_gate_and_of_its_negation_meet_in_a_constant() {
        for kind in [Junction::And, Junction::Or] {
            let mut gates = Gates::new();
            let [x, y, z] = leaves(&mut gates);
            let not_x = gates.not(x);
            let one = gates.join(kind, x, y);
            let other = gates.join(kind, not_x, z);
            let before = gates.len();
            assert_eq!(gates.join(kind, one, other), kind.annihilator());
            assert_eq!(gates.join(kind, other, one), kind.annihilator());
            assert_eq!(gates.len(), before, "nothing is made on the way");
            // No two of them are opposite: a gate of its own.
            let beside = gates.join(kind, y, z);
            assert_eq!(gates.junction(beside).map(|found| found.0), Some(kind));
            let both = gates.join(kind, one, beside);
            assert_eq!(gates.junction(both).map(|found| found.0), Some(kind));
        }
    }

    #[test]
    fn wide_junctions_find_a_gate_beside_its_negation() {
        let mut gates = Gates::new();
        let [x, y, z, w] = leaves(&mut gates);
        let not_w = gates.not(w);
        assert_eq!(gates.all(&[w, x, y, z, not_w]), Gates::FALSE);
        assert_eq!(gates.any(&[w, x, y, z, not_w]), Gates::TRUE);
        assert_eq!((gates.all(&[]), gates.any(&[])), (Gates::TRUE, Gates::FALSE));
    }

    /// Builds thousands of random gates and compares each with the truth table computed beside it.
    #[test]
    fn folding_never_changes_a_truth_table() {
        let mut gates = Gates::new();
        let columns: [u16; 4] = [0xAAAA, 0xCCCC, 0xF0F0, 0xFF00];
        let mut pool: Vec<(GateId, u16)> =
            leaves::<4>(&mut gates).into_iter().zip(columns).collect();
        let mut random = crate::random::Random::new(7);
        for _ in 0..6000 {
            let (x, truth_x) = pool[random.below(pool.len())];
            let (y, truth_y) = pool[random.below(pool.len())];
            let made = match random.below(3) {
                0 => (gates.not(x), !truth_x),
                1 => (gates.and(x, y), truth_x & truth_y),
                _ => (gates.or(x, y), truth_x | truth_y),
            };
            pool.push(made);
            if pool.len() > 40 {
                pool.remove(4 + random.below(20));
            }
        }
        let mut truth: Vec<u16> = Vec::new();
        for (_, gate) in gates.iter() {
            truth.push(match gate {
                Gate::Const(value) => {
                    if value {
                        u16::MAX
                    } else {
                        0
                    }
                }
                Gate::Base(base) => columns[base.index()],
                Gate::Does(_) => unreachable!("the test makes no moves"),
                Gate::Not(x) => !truth[x.index()],
                Gate::And(x, y) => truth[x.index()] & truth[y.index()],
                Gate::Or(x, y) => truth[x.index()] | truth[y.index()],
            });
        }
        assert!(pool.iter().all(|(gate, table)| truth[gate.index()] == *table));
        assert!(gates.len() > 100, "the test should have made gates");
    }
}
