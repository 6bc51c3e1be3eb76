//! Families of formulas: where there is no chance, z3's quantifiers agree with the documented
//! value at sizes that the definition does not reach; and gates extend every choice exactly once.
#![cfg(feature = "z3")]

use audit::{ExtensionFault, Limits, Matrix, qbf_value};
use exact::Ratio;
use index::Id;
use qcnf::families::{FAMILIES, Family};
use qcnf::{Kind, Lit, Qcnf, Var};

fn has_chance(formula: &Qcnf) -> bool {
    formula.prefix.iter().any(|scope| scope.quantifier.kind() == Kind::Chance)
}

#[test]
fn documented_values_agree_with_z3() {
    let mut checked = [0; 2];
    for (name, sizes) in [
        ("kbkf", vec![5]),
        ("parity", vec![9]),
        ("equality", vec![6]),
        ("adder", vec![4]),
        ("ramsey", vec![5]),
        ("ramsey", vec![6]),
        ("pursuit", vec![4, 2]),
        ("pursuit", vec![4, 3]),
    ] {
        let family = Family::named(name).unwrap();
        for variant in family.variants {
            let member = family.member(Some(variant.name), &sizes).unwrap();
            if has_chance(&member.formula) {
                continue;
            }
            let value = qbf_value(&member.formula, Limits::default());
            let right = member.value == Ratio::one();
            assert_eq!(value, Ok(right), "{name} {} {sizes:?}", variant.name);
            checked[usize::from(right)] += 1;
        }
    }
    assert!(checked.iter().all(|count| *count >= 5), "{checked:?}");
}

/// The adder's gates follow from its inputs; without one clause of a gate some do not.
#[test]
fn gates_extend_every_input_once() {
    let adder = FAMILIES.iter().find(|family| family.name == "adder").unwrap();
    let formula = adder.member(Some("true"), &[3]).unwrap().formula;
    let inputs: Vec<Var> = formula.prefix[0].variables.clone();
    let matrix = Matrix::new(&formula, Limits::default());
    assert!(matrix.extends_exactly_once(&inputs).is_proven());
    // Most gates follow twice, since the two adders are held equal; some clauses are needed.
    let mut noticed = 0;
    for left_out in 0..formula.clauses.len() {
        let mut less = Qcnf::new(formula.variables());
        less.prefix.clone_from(&formula.prefix);
        let kept = formula.clauses.iter().enumerate().filter(|(at, _)| *at != left_out);
        kept.for_each(|(_, clause)| {
            less.add_clause(clause);
        });
        let fault = Matrix::new(&less, Limits::default()).extends_exactly_once(&inputs);
        if let Some(fault) = fault.refutation() {
            let ExtensionFault::Two(one, other) = fault else {
                panic!("an input has no extension")
            };
            let on_inputs = |model: &[Lit]| -> Vec<Lit> {
                inputs.iter().map(|var| model[var.index()]).collect()
            };
            assert_eq!(on_inputs(&one), on_inputs(&other));
            assert_ne!(one, other);
            noticed += 1;
        }
    }
    assert!(noticed >= 8, "only {noticed} of {} noticed", formula.clauses.len());
    // A clause that contradicts an input leaves it without an extension.
    let mut more = formula.clone();
    more.add_clause(&[Lit::positive(inputs[0])]);
    let fault = Matrix::new(&more, Limits::default()).extends_exactly_once(&inputs).refutation();
    assert!(
        matches!(fault, Some(ExtensionFault::None(given)) if given[0] == Lit::negative(inputs[0]))
    );
}
