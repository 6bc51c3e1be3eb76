//! Random ground programs from a seed, to hold completion to the definition ([`crate::meaning`]).
//!
//! Programs have up to six atoms, rules of all kinds, and cycles through both signs; every atom may be
//! quantified. The same seed gives the same program everywhere. [`features`] says what one has, so that
//! a run over many can tell what it has compared.

use std::collections::BTreeSet;

use index::Id;
use qcnf::Kind;

use crate::{AtomId, GroundLit, GroundProgram, Prefix, Rule, RuleBody};

/// A generator of numbers (Marsaglia, *Xorshift RNGs*, 2003).
struct Dice(u64);

impl Dice {
    /// The sequence of a seed; seeds that are neighbours give sequences that are not.
    fn new(seed: u64) -> Self {
        let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self((mixed ^ (mixed >> 29)).max(1))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn atom(&mut self, atoms: u64) -> AtomId {
        AtomId::from_index(self.below(atoms) as usize + 1)
    }
}

/// A random program without quantifiers.
pub fn unquantified(seed: u64) -> GroundProgram {
    rules(&mut Dice::new(seed))
}

/// A random program; its prefix can be read.
pub fn program(seed: u64) -> GroundProgram {
    let mut dice = Dice::new(seed);
    let mut program = rules(&mut dice);
    add_prefix(&mut program, &mut dice);
    program
}

fn rules(dice: &mut Dice) -> GroundProgram {
    let atoms = 1 + dice.below(6);
    let mut program = GroundProgram::default();
    for _ in 0..2 + dice.below(10) {
        let choice = dice.below(3) == 0;
        let heads = if choice { 1 + dice.below(2) } else { u64::from(dice.below(6) > 0) };
        let heads: Vec<AtomId> = (0..heads).map(|_| dice.atom(atoms)).collect();
        let body: Vec<GroundLit> = (0..dice.below(4))
            .map(|_| GroundLit::new(dice.atom(atoms), dice.below(3) > 0))
            .collect();
        let weights: Vec<u32> = body.iter().map(|_| 1 + dice.below(3) as u32).collect();
        let bound = dice.below(5) as i64;
        let body = match dice.below(4) {
            0 => RuleBody::Sum { bound, literals: &body, weights: &weights },
            _ => RuleBody::All(&body),
        };
        program.add_rule(Rule { choice, heads: &heads, body });
    }
    for atom in 1..=atoms {
        program.add_symbol(&format!("a({atom})"), Some(AtomId::from_index(atom as usize)));
    }
    program
}

fn add_prefix(program: &mut GroundProgram, dice: &mut Dice) {
    let atoms = program.atoms() as u64 - 1;
    let kinds: Vec<u64> = (0..4).map(|_| dice.below(3)).collect();
    for atom in 1..=atoms {
        let level = dice.below(6);
        let fact = match kinds.get(level as usize) {
            None => continue,
            Some(0) => format!("_exists({level},a({atom}))"),
            Some(1) => format!("_forall({level},a({atom}))"),
            _ => format!("_chance({level},{},4,a({atom}))", dice.below(5)),
        };
        program.add_symbol(&fact, None);
    }
}

/// What a program and its prefix have, each in a few words.
pub fn features(program: &GroundProgram, prefix: &Prefix) -> BTreeSet<&'static str> {
    let flat: Vec<_> = prefix.levels.iter().flat_map(|level| &level.atoms).collect();
    let bound = |kind: Kind| flat.iter().any(|(_, quantifier)| quantifier.kind() == kind);
    let rule = |wanted: &dyn Fn(&Rule<'_>) -> bool| program.rules().any(|rule| wanted(&rule));
    let negative = |rule: &Rule<'_>| rule.literals().iter().any(|lit| !lit.is_positive());
    let cycles = |through_negation: bool| {
        (1..program.atoms()).any(|atom| on_cycle(program, atom, through_negation))
    };
    let rows = [
        ("exists", bound(Kind::Exists)),
        ("forall", bound(Kind::Forall)),
        ("chance", bound(Kind::Chance)),
        ("choices", rule(&|rule| rule.choice)),
        ("disjunctions", rule(&|rule| !rule.choice && rule.heads.len() > 1)),
        ("constraints", rule(&|rule| rule.heads.is_empty())),
        ("sums", rule(&|rule| matches!(rule.body, RuleBody::Sum { .. }))),
        ("negation", rule(&negative)),
        ("positive cycles", cycles(false)),
        ("cycles through negation", cycles(true)),
    ];
    rows.into_iter().filter(|row| row.1).map(|row| row.0).collect()
}

/// Whether an atom depends on itself: by positive literals alone, or by way of a negated one.
fn on_cycle(program: &GroundProgram, atom: usize, through_negation: bool) -> bool {
    let (mut met, mut open) = (BTreeSet::new(), vec![(atom, false)]);
    while let Some((at, denied)) = open.pop() {
        for rule in program.rules().filter(|rule| rule.heads.iter().any(|head| head.index() == at))
        {
            for lit in rule.literals() {
                let negated = denied || !lit.is_positive();
                if !through_negation && negated {
                    continue;
                }
                let next = (lit.atom().index(), negated);
                if next == (atom, through_negation) {
                    return true;
                }
                if met.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::read_aspif;

    fn of(rules: &str) -> BTreeSet<&'static str> {
        let program = read_aspif(&format!("asp 1 0 0\n{rules}0\n")).expect("a program");
        features(&program, &Prefix::read(&program).expect("a prefix"))
    }

    #[test]
    fn programs_show_their_features() {
        assert_eq!(of("1 0 1 1 0 0\n"), [].into());
        assert_eq!(
            of("1 1 1 1 0 0\n4 1 a 1 1\n4 12 _exists(0,a) 0\n"),
            ["choices", "exists"].into()
        );
        assert_eq!(of("1 0 1 1 0 1 2\n1 0 1 2 0 1 1\n"), ["positive cycles"].into());
        let odd = ["cycles through negation", "negation"];
        assert_eq!(of("1 0 1 1 0 1 -1\n"), odd.into());
        assert_eq!(of("1 0 0 1 2 1 1 1\n"), ["constraints", "sums"].into());
    }

    #[test]
    fn random_programs_have_every_feature_often() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let seeds = 400;
        for seed in 0..seeds {
            let made = program(seed);
            assert_eq!(made, program(seed), "the same seed, the same program");
            let prefix = Prefix::read(&made).expect("every atom is quantified once");
            features(&made, &prefix)
                .into_iter()
                .for_each(|one| *counts.entry(one).or_default() += 1);
        }
        assert!(counts.len() >= 9, "{counts:?}");
        let rare = counts.iter().find(|(_, count)| **count * 10 < seeds as usize);
        assert!(rare.is_none(), "{rare:?} of {counts:?}");
    }
}
