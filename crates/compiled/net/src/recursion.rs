//! Atoms that need each other: the least fixpoint of their rules, as gates without a cycle.
//!
//! Computed: for each atom of one component the gate that is true exactly when the atom has a
//! derivation that ends in rules outside of the component. Always: an atom that could only
//! support itself is false.
//!
//! Two ways, chosen by the rules:
//! - *elimination*, where each rule has at most one atom of the component in its body (reach,
//!   connect): `x = b | a & x | ..` has the least solution without the self-loop, so atoms are
//!   taken out one by one, the one with the fewest rules through it first, and read back in
//!   reverse. A chain costs a line, a board its width more; `n` rounds would cost `n` copies.
//! - *rounds*, else: all atoms start false and are computed again from each other's newest gates,
//!   only those with a changed operand, at most `n` rounds for `n` atoms. A derivation of least
//!   height names no atom twice on a path, so `n` rounds are enough; sharing shows an earlier end.
//!
//! Refused: substituting non-linear rules into each other (doubles at every step).
//! Source: Kleene's fixpoint theorem; Markowitz, *The elimination form of the inverse*, 1957.

use std::collections::{BTreeMap, BTreeSet};

use crate::gates::{GateId, Gates};

/// A rule of a component: `head` holds where `guard` and all of `inner` do; atoms by position.
#[derive(Clone, Debug)]
pub(crate) struct InnerRule {
    pub(crate) head: usize,
    pub(crate) guard: GateId,
    pub(crate) inner: Vec<usize>,
}

/// More gates than the limit would be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverLimit;

/// The gates of `size` atoms that are defined by `rules` together.
pub(crate) fn least_fixpoint(
    gates: &mut Gates,
    size: usize,
    rules: &[InnerRule],
    limit_gates: usize,
) -> Result<Vec<GateId>, OverLimit> {
    assert!(rules.iter().all(|rule| rule.head < size && rule.inner.iter().all(|at| *at < size)));
    if rules.iter().all(|rule| rule.inner.len() <= 1) {
        Elimination::new(gates, size, rules, limit_gates).solve()
    } else {
        rounds(gates, size, rules, limit_gates)
    }
}

/// Linear equations `x[i] = constant[i] | any(rows[i][j] & x[j])` under elimination.
struct Elimination<'a> {
    gates: &'a mut Gates,
    limit_gates: usize,
    constant: Vec<GateId>,
    rows: Vec<BTreeMap<usize, GateId>>,
    /// By atom: the atoms whose row names it.
    users: Vec<BTreeSet<usize>>,
    /// Atoms not yet taken out, by the number of rules that taking them out would make.
    queue: BTreeSet<(usize, usize)>,
}

impl<'a> Elimination<'a> {
    fn new(gates: &'a mut Gates, size: usize, rules: &[InnerRule], limit_gates: usize) -> Self {
        let mut constants = vec![Vec::new(); size];
        let mut entries: Vec<BTreeMap<usize, Vec<GateId>>> = vec![BTreeMap::new(); size];
        for rule in rules {
            match rule.inner.first() {
                None => constants[rule.head].push(rule.guard),
                Some(&at) if at == rule.head => {}
                Some(&at) => entries[rule.head].entry(at).or_default().push(rule.guard),
            }
        }
        let constant = constants.iter().map(|guards| gates.any(guards)).collect();
        let rows: Vec<BTreeMap<usize, GateId>> = entries
            .iter()
            .map(|row| row.iter().map(|(at, guards)| (*at, gates.any(guards))).collect())
            .collect();
        let mut users = vec![BTreeSet::new(); size];
        for (head, row) in rows.iter().enumerate() {
            for &at in row.keys() {
                users[at].insert(head);
            }
        }
        let mut system = Self { gates, limit_gates, constant, rows, users, queue: BTreeSet::new() };
        system.queue = (0..size).map(|at| (system.cost(at), at)).collect();
        system
    }

    fn cost(&self, at: usize) -> usize {
        self.rows[at].len() * self.users[at].len()
    }

    fn solve(mut self) -> Result<Vec<GateId>, OverLimit> {
        let mut order = Vec::with_capacity(self.constant.len());
        while let Some((_, at)) = self.queue.pop_first() {
            order.push(at);
            self.eliminate(at);
            if self.gates.len() > self.limit_gates {
                return Err(OverLimit);
            }
        }
        let mut values = self.constant.clone();
        for &at in order.iter().rev() {
            let mut terms = vec![self.constant[at]];
            for (&other, &guard) in &self.rows[at] {
                terms.push(self.gates.and(guard, values[other]));
            }
            values[at] = self.gates.any(&terms);
        }
        Ok(values)
    }

    /// Replaces the atom in every row that names it by its own row.
    fn eliminate(&mut self, at: usize) {
        let row = self.rows[at].clone();
        debug_assert!(!row.contains_key(&at), "self-loops are dropped");
        for user in std::mem::take(&mut self.users[at]) {
            self.requeue(user, |system| system.replace(user, at, &row));
        }
        for &other in row.keys() {
            self.requeue(other, |system| {
                system.users[other].remove(&at);
            });
        }
    }

    /// Changes something that the cost of an atom depends on.
    fn requeue(&mut self, atom: usize, change: impl FnOnce(&mut Self)) {
        let queued = self.queue.remove(&(self.cost(atom), atom));
        change(self);
        debug_assert!(queued, "only atoms that are not taken out are changed");
        self.queue.insert((self.cost(atom), atom));
    }

    fn replace(&mut self, user: usize, at: usize, row: &BTreeMap<usize, GateId>) {
        let Some(factor) = self.rows[user].remove(&at) else { return };
        let through = self.gates.and(factor, self.constant[at]);
        self.constant[user] = self.gates.or(self.constant[user], through);
        for (&other, &guard) in row {
            if other != user {
                let through = self.gates.and(factor, guard);
                self.add_entry(user, other, through);
            }
        }
    }

    fn add_entry(&mut self, user: usize, other: usize, guard: GateId) {
        let old = self.rows[user].get(&other).copied().unwrap_or(Gates::FALSE);
        let sum = self.gates.or(old, guard);
        self.rows[user].insert(other, sum);
        if !self.users[other].contains(&user) {
            // The queue holds `other` under its cost: that cost changes with a new user.
            self.queue.remove(&(self.cost(other), other));
            self.users[other].insert(user);
            self.queue.insert((self.cost(other), other));
        }
    }
}

/// Rounds from false, each atom computed from the newest gates of the others.
fn rounds(
    gates: &mut Gates,
    size: usize,
    rules: &[InnerRule],
    limit_gates: usize,
) -> Result<Vec<GateId>, OverLimit> {
    let mut rules_of = vec![Vec::new(); size];
    let mut users = vec![BTreeSet::new(); size];
    for rule in rules {
        rules_of[rule.head].push(rule);
        for &at in &rule.inner {
            users[at].insert(rule.head);
        }
    }
    let mut values = vec![Gates::FALSE; size];
    let mut dirty: BTreeSet<usize> = (0..size).collect();
    for _ in 0..size {
        for at in std::mem::take(&mut dirty) {
            let value = apply(gates, &rules_of[at], &values);
            if value != values[at] {
                values[at] = value;
                dirty.extend(&users[at]);
            }
            if gates.len() > limit_gates {
                return Err(OverLimit);
            }
        }
        if dirty.is_empty() {
            break;
        }
    }
    Ok(values)
}

fn apply(gates: &mut Gates, rules: &[&InnerRule], values: &[GateId]) -> GateId {
    let bodies: Vec<GateId> = rules
        .iter()
        .map(|rule| {
            let mut body: Vec<GateId> = rule.inner.iter().map(|at| values[*at]).collect();
            body.push(rule.guard);
            gates.all(&body)
        })
        .collect();
    gates.any(&bodies)
}

#[cfg(test)]
mod tests {
    use ground::BaseId;
    use index::Id;

    use super::*;
    use crate::gates::Gate;
    use crate::random::Random;

    /// The least fixpoint for one assignment, by plain iteration.
    fn expected(size: usize, rules: &[(usize, usize, Vec<usize>)], bits: u64) -> Vec<bool> {
        let mut holds = vec![false; size];
        loop {
            let mut changed = false;
            for (head, leaf, inner) in rules {
                let fires = bits >> leaf & 1 == 1 && inner.iter().all(|at| holds[*at]);
                changed |= fires && !holds[*head];
                holds[*head] |= fires;
            }
            if !changed {
                return holds;
            }
        }
    }

    fn evaluate(gates: &Gates, bits: u64) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for (_, gate) in gates.iter() {
            let value = match gate {
                Gate::Const(value) => value,
                Gate::Base(base) => bits >> base.index() & 1 == 1,
                Gate::Does(_) => false,
                Gate::Not(x) => !values[x.index()],
                Gate::And(x, y) => values[x.index()] && values[y.index()],
                Gate::Or(x, y) => values[x.index()] || values[y.index()],
            };
            values.push(value);
        }
        values
    }

    fn check(size: usize, rules: &[(usize, usize, Vec<usize>)], leaves: usize) {
        let mut gates = Gates::new();
        let inner: Vec<InnerRule> = rules
            .iter()
            .map(|(head, leaf, inner)| InnerRule {
                head: *head,
                guard: gates.base(BaseId::from_index(*leaf)),
                inner: inner.clone(),
            })
            .collect();
        let found = least_fixpoint(&mut gates, size, &inner, 1 << 20).expect("small systems fit");
        for bits in 0..1u64 << leaves {
            let values = evaluate(&gates, bits);
            let holds: Vec<bool> = found.iter().map(|gate| values[gate.index()]).collect();
            assert_eq!(holds, expected(size, rules, bits), "under {bits:b} of {rules:?}");
        }
    }

    #[test]
    fn atoms_that_only_support_each_other_are_false() {
        let mut gates = Gates::new();
        let rule = |head, inner: Vec<usize>| InnerRule { head, guard: Gates::TRUE, inner };
        let linear = [rule(0, vec![1]), rule(1, vec![0])];
        assert_eq!(least_fixpoint(&mut gates, 2, &linear, 99), Ok(vec![Gates::FALSE; 2]));
        let square = [rule(0, vec![0, 1]), rule(1, vec![0])];
        assert_eq!(least_fixpoint(&mut gates, 2, &square, 99), Ok(vec![Gates::FALSE; 2]));
    }

    #[test]
    fn random_systems_agree_with_plain_iteration() {
        let mut random = Random::new(11);
        for case in 0..300 {
            let (size, leaves) = (1 + random.below(6), 8);
            let arity = if case % 2 == 0 { 2 } else { 3 };
            let rules: Vec<(usize, usize, Vec<usize>)> = (0..3 + random.below(12))
                .map(|_| {
                    let inner = (0..random.below(arity)).map(|_| random.below(size)).collect();
                    (random.below(size), random.below(leaves), inner)
                })
                .collect();
            check(size, &rules, leaves);
        }
    }

    #[test]
    fn a_limit_of_as_many_gates_as_are_made_is_enough_and_of_fewer_is_not() {
        let rules = |gates: &mut Gates, body: [Vec<usize>; 3]| -> Vec<InnerRule> {
            let heads = [0, 1, 0];
            let rule = |(at, inner)| InnerRule {
                head: heads[at],
                guard: gates.base(BaseId::from_index(at)),
                inner,
            };
            body.into_iter().enumerate().map(rule).collect()
        };
        // By elimination; by rounds.
        for body in [[vec![], vec![], vec![1]], [vec![], vec![], vec![0, 1]]] {
            let made = |limit: usize| {
                let mut gates = Gates::new();
                let rules = rules(&mut gates, body.clone());
                let before = gates.len();
                let found = least_fixpoint(&mut gates, 2, &rules, limit);
                (found, before, gates.len())
            };
            let (found, before, after) = made(1 << 20);
            assert!(found.is_ok());
            assert_eq!(made(after).0, found, "{body:?}");
            for limit in 0..before {
                assert_eq!(made(limit).0, Err(OverLimit), "{limit} {body:?}");
            }
        }
        // Where nothing is made, what is there already is enough.
        let mut gates = Gates::new();
        let rules = rules(&mut gates, [vec![], vec![], vec![]]);
        let alone = [rules[0].clone(), rules[1].clone()];
        let limit = gates.len();
        let wanted = vec![rules[0].guard, rules[1].guard];
        assert_eq!(least_fixpoint(&mut gates, 2, &alone, limit), Ok(wanted.clone()));
        assert_eq!(least_fixpoint(&mut gates, 2, &alone, limit - 1), Err(OverLimit));
    }

    /// Reaching across a grid of 20 x 20 cells: rounds would take some 400 copies of the grid.
    #[test]
    fn reach_over_a_board_stays_small() {
        const SIDE: usize = 20;
        let mut gates = Gates::new();
        let mut rules = Vec::new();
        for cell in 0..SIDE * SIDE {
            let guard = gates.base(BaseId::from_index(cell));
            let (row, column) = (cell / SIDE, cell % SIDE);
            if row == 0 {
                rules.push(InnerRule { head: cell, guard, inner: vec![] });
            }
            let beside = [
                (row > 0).then(|| cell - SIDE),
                (row + 1 < SIDE).then_some(cell + SIDE),
                (column > 0).then(|| cell - 1),
                (column + 1 < SIDE).then_some(cell + 1),
            ];
            let from = beside.into_iter().flatten();
            rules.extend(from.map(|at| InnerRule { head: cell, guard, inner: vec![at] }));
        }
        let found = least_fixpoint(&mut gates, SIDE * SIDE, &rules, 200_000);
        assert!(found.is_ok(), "{} gates", gates.len());
        let tiny = least_fixpoint(&mut Gates::new(), 2, &[], 0);
        assert_eq!(tiny, Err(OverLimit));
    }
}
