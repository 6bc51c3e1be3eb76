//! What a formula has, so that a run over many random ones can tell what it has compared.

use std::collections::BTreeSet;

use exact::Ratio;
use index::Id;

use crate::{Kind, Lit, Qcnf, Quantifier};

/// What a formula has, each in a few words.
pub fn features(formula: &Qcnf) -> BTreeSet<&'static str> {
    let bound = |kind: Kind| formula.blocks().any(|block| block.kind == kind);
    let chance = |wanted: &dyn Fn(&Ratio) -> bool| {
        formula.prefix.iter().any(|scope| {
            matches!(&scope.quantifier, Quantifier::Chance(p) if wanted(p))
                && !scope.variables.is_empty()
        })
    };
    let clause = |wanted: &dyn Fn(&[Lit]) -> bool| formula.clauses.iter().any(wanted);
    let half = Ratio::new(1u8, 2u8);
    let quantified: usize = formula.prefix.iter().map(|scope| scope.variables.len()).sum();
    let rows = [
        ("exists", bound(Kind::Exists)),
        ("forall", bound(Kind::Forall)),
        ("chance", bound(Kind::Chance)),
        ("four blocks and more", formula.blocks().count() >= 4),
        ("chance other than a half", chance(&|p| *p != half)),
        ("chance of 0 or 1", chance(&|p| p.is_zero() || *p == Ratio::one())),
        ("unit clauses", clause(&|clause| clause.len() == 1)),
        ("empty clauses", clause(&<[Lit]>::is_empty)),
        (
            "clauses that always hold",
            clause(&|clause| clause.iter().any(|lit| clause.contains(&!*lit))),
        ),
        ("literals that stand twice", clause(&|clause| repeats(clause))),
        ("lines without variables", formula.prefix.iter().any(|scope| scope.variables.is_empty())),
        ("variables that nobody quantifies", quantified < formula.variables()),
        ("gates", has_gate(formula)),
    ];
    rows.into_iter().filter(|row| row.1).map(|row| row.0).collect()
}

fn repeats(clause: &[Lit]) -> bool {
    clause.iter().collect::<BTreeSet<_>>().len() < clause.len()
}

/// Whether an innermost variable is the conjunction of others: a clause, and with it the pairs that
/// turn it round.
fn has_gate(formula: &Qcnf) -> bool {
    let pairs: BTreeSet<[Lit; 2]> = formula
        .clauses
        .iter()
        .filter_map(|clause| {
            let mut pair: [Lit; 2] = clause.try_into().ok()?;
            pair.sort_unstable();
            Some(pair)
        })
        .collect();
    let turned = |out: Lit, other: Lit| {
        let mut pair = [!out, !other];
        pair.sort_unstable();
        pairs.contains(&pair)
    };
    formula.clauses.iter().filter(|clause| clause.len() > 2 && !repeats(clause)).any(|clause| {
        clause.iter().any(|out| {
            debug_assert!(out.var().index() < formula.variables(), "a variable of the formula");
            clause.iter().filter(|other| *other != out).all(|other| turned(*out, *other))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::random::any;
    use crate::text::parse;

    fn of(text: &str) -> BTreeSet<&'static str> {
        features(&parse(text.as_bytes()).expect("a formula").formula)
    }

    #[test]
    fn formulas_show_their_features() {
        assert_eq!(of("p cnf 2 1\ne 1 2 0\n1 2 0\n"), ["exists"].into());
        let odd = ["exists", "chance", "chance other than a half", "unit clauses"];
        assert_eq!(of("p cnf 2 1\ne 1 0\nr 1/3 2 0\n1 0\n"), odd.into());
        let gate = "p cnf 3 3\ne 1 2 3 0\n3 -1 -2 0\n-3 1 0\n-3 2 0\n";
        assert_eq!(of(gate), ["exists", "gates"].into());
        let twice = ["forall", "clauses that always hold", "literals that stand twice"];
        assert_eq!(of("p cnf 1 1\na 1 0\n1 -1 1 0\n"), twice.into());
    }

    #[test]
    fn random_formulas_have_every_feature_often() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let seeds = 600;
        for seed in 0..seeds {
            features(&any(seed, 12))
                .into_iter()
                .for_each(|one| *counts.entry(one).or_default() += 1);
        }
        assert_eq!(counts.len(), 13, "{counts:?}");
        let rare = counts.iter().find(|(_, count)| **count * 40 < seeds as usize);
        assert!(rare.is_none(), "{rare:?} of {counts:?}");
    }
}
