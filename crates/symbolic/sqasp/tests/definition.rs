//! Random ground programs: the value of the clauses is the probability by definition, and stable
//! models are the models of the clauses, one each.
//!
//! The definition is followed word by word: an assignment is a stable model when it satisfies all
//! rules and what its reduct derives is what it holds; the probability goes through the levels.
//! Programs have up to six atoms, rules of all kinds, and cycles through both signs.

use std::collections::BTreeMap;

use exact::Ratio;
use index::Id;
use qcnf::meaning::{count_models, value};
use qcnf::{Kind, Quantifier};
use sqasp::{
    AtomId, GroundLit, GroundProgram, Placement, Prefix, Rule, RuleBody, Value, complete,
    read_aspif,
};

/// Larger formulas take the oracle too long.
const VARIABLES_LIMIT: usize = 20;

/// A generator of numbers (Marsaglia, *Xorshift RNGs*, 2003).
struct Dice(u64);

impl Dice {
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

fn random_program(dice: &mut Dice) -> GroundProgram {
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

fn holds(held: u32, literal: GroundLit) -> bool {
    (held >> literal.atom().index() & 1 == 1) == literal.is_positive()
}

/// Whether a body holds, negated literals by `held`, the others by `derived`.
fn applies(body: RuleBody<'_>, held: u32, derived: u32) -> bool {
    let side = |one: &GroundLit| holds(if one.is_positive() { derived } else { held }, *one);
    match body {
        RuleBody::All(literals) => literals.iter().all(side),
        RuleBody::Sum { bound, literals, weights } => {
            let parts = literals.iter().zip(weights).filter(|(one, _)| side(one));
            parts.map(|(_, weight)| i64::from(*weight)).sum::<i64>() >= bound
        }
    }
}

fn is_stable(program: &GroundProgram, held: u32) -> bool {
    let bit = |atom: &AtomId| 1u32 << atom.index();
    let satisfied = program.rules().all(|rule| {
        rule.choice
            || !applies(rule.body, held, held)
            || rule.heads.iter().any(|head| held & bit(head) != 0)
    });
    let mut derived = 0u32;
    loop {
        let before = derived;
        for rule in program.rules().filter(|rule| applies(rule.body, held, before)) {
            let heads = rule.heads.iter().map(bit);
            let held = heads.filter(|head| !rule.choice || held & head != 0);
            derived |= held.fold(0, |sum, head| sum | head);
        }
        if derived == before {
            return satisfied && derived == held;
        }
    }
}

fn stable_models(program: &GroundProgram) -> Vec<u32> {
    (0..1u32 << program.atoms()).filter(|held| held & 1 == 0 && is_stable(program, *held)).collect()
}

fn probability(models: &[u32], prefix: &[(AtomId, Quantifier)]) -> Ratio {
    let Some(((atom, quantifier), rest)) = prefix.split_first() else {
        return if models.is_empty() { Ratio::zero() } else { Ratio::one() };
    };
    let with = |value: bool| -> Ratio {
        let models: Vec<u32> = models
            .iter()
            .copied()
            .filter(|held| holds(*held, GroundLit::new(*atom, value)))
            .collect();
        probability(&models, rest)
    };
    let (high, low) = (with(true), with(false));
    match quantifier {
        Quantifier::Exists => high.max(low),
        Quantifier::Forall => high.min(low),
        Quantifier::Chance(p) => high * p.clone() + low * (Ratio::one() - p.clone()),
    }
}

#[test]
fn clauses_have_the_value_of_the_definition() {
    let mut dice = Dice(0x5eed_0001);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut compared = 0;
    for _ in 0..1500 {
        let mut program = random_program(&mut dice);
        add_prefix(&mut program, &mut dice);
        let prefix = Prefix::read(&program).expect("every atom is quantified once");
        let flat: Vec<(AtomId, Quantifier)> =
            prefix.levels.iter().flat_map(|level| level.atoms.clone()).collect();
        let expected = probability(&stable_models(&program), &flat);
        for placement in [Placement::Baseline, Placement::Dependency] {
            let formula = complete(&program, placement).expect("no fault").formula;
            assert_eq!(formula.flaw(), None);
            if formula.variables() > VARIABLES_LIMIT {
                continue;
            }
            compared += 1;
            assert_eq!(value(&formula), expected, "{placement:?} of\n{program}");
        }
        *seen.entry(expected.to_string()).or_default() += 1;
    }
    // A fair share of the programs says something and is small enough.
    assert!(compared > 2800, "{compared} formulas of 3000 were compared");
    assert!(seen.len() > 8 && seen["0/1"] < 1300, "{seen:?}");
}

#[test]
fn each_stable_model_is_one_model_of_the_clauses() {
    let mut dice = Dice(0x5eed_0002);
    let mut several = 0;
    for _ in 0..2000 {
        let program = random_program(&mut dice);
        let expected = stable_models(&program);
        let completion = complete(&program, Placement::Dependency).expect("no fault");
        // An unconditional choice that nothing speaks of is left out with both of its values.
        let free = (1..program.atoms()).map(AtomId::from_index).filter(|atom| {
            completion.values[*atom] == Value::Unneeded
                && program.rules().any(|rule| rule.choice && rule.heads.contains(atom))
        });
        if completion.formula.variables() > VARIABLES_LIMIT {
            continue;
        }
        let models = count_models(&completion.formula) << free.count();
        assert_eq!(models, expected.len() as u64, "{program}");
        several += usize::from(models > 1);
    }
    assert!(several > 250, "{several} programs have several models");
}

#[test]
fn aspif_comes_back() {
    let mut dice = Dice(0x5eed_0003);
    for _ in 0..500 {
        let mut program = random_program(&mut dice);
        add_prefix(&mut program, &mut dice);
        assert_eq!(read_aspif(&program.to_string()), Ok(program));
    }
}

#[test]
fn defined_variables_follow_what_they_depend_on() {
    let text = "asp 1 0 0\n1 1 1 1 0 0\n1 1 1 2 0 0\n1 1 1 3 0 0\n1 0 1 4 0 2 1 2\n\
                1 0 0 0 2 4 3\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n4 1 d 1 4\n4 12 _exists(0,a) 0\n\
                4 16 _chance(1,1,2,b) 0\n4 12 _forall(2,c) 0\n0\n";
    let program = read_aspif(text).unwrap();
    let kinds = |placement| {
        let formula = complete(&program, placement).unwrap().formula;
        let name = |kind: Kind| (kind, formula.blocks().count());
        formula.blocks().map(|block| name(block.kind).0).collect::<Vec<Kind>>()
    };
    // `:- d, c` is taken apart nowhere: d is a gate over a and b, and stands before c.
    assert_eq!(
        kinds(Placement::Dependency),
        [Kind::Exists, Kind::Chance, Kind::Exists, Kind::Forall]
    );
    assert_eq!(
        kinds(Placement::Baseline),
        [Kind::Exists, Kind::Chance, Kind::Forall, Kind::Exists]
    );
}
