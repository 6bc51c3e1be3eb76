//! Random ground programs: the value of the clauses is the probability by definition, and stable
//! models are the models of the clauses, one each.

use std::collections::BTreeMap;

use index::Id;
use qcnf::Kind;
use qcnf::meaning::{count_models, value};
use sqasp::{AtomId, Placement, Prefix, Value, complete, meaning, random, read_aspif};

/// Larger formulas take the oracle too long.
const VARIABLES_LIMIT: usize = 20;

#[test]
fn clauses_have_the_value_of_the_definition() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut compared = 0;
    for seed in 0..1500 {
        let program = random::program(seed);
        let prefix = Prefix::read(&program).expect("every atom is quantified once");
        let expected = meaning::value(&program, &prefix);
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
    let mut several = 0;
    for seed in 10_000..12_000 {
        let program = random::unquantified(seed);
        let expected = meaning::stable_models(&program);
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
    for seed in 20_000..20_500 {
        let program = random::program(seed);
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
