//! Clauses that define a variable as a gate of literals.
//!
//! Each definition holds for exactly one value of the output under every assignment of its inputs,
//! so an exists-variable that is defined never adds or takes a model.

use crate::{Lit, Qcnf};

/// `output` is true exactly where all inputs are; true where there is none.
pub(crate) fn and(formula: &mut Qcnf, output: Lit, inputs: &[Lit]) {
    let mut long = vec![output];
    for input in inputs {
        formula.add_clause(&[!output, *input]);
        long.push(!*input);
    }
    formula.add_clause(&long);
}

/// `output` is true exactly where some input is; false where there is none.
pub(crate) fn or(formula: &mut Qcnf, output: Lit, inputs: &[Lit]) {
    let negated: Vec<Lit> = inputs.iter().map(|input| !*input).collect();
    and(formula, !output, &negated);
}

/// `output` is true exactly where the inputs differ.
pub(crate) fn xor(formula: &mut Qcnf, output: Lit, [left, right]: [Lit; 2]) {
    if_then_else(formula, output, left, [!right, right]);
}

/// `output` equals the first branch where the condition holds and else the second.
pub(crate) fn if_then_else(formula: &mut Qcnf, output: Lit, condition: Lit, branches: [Lit; 2]) {
    for (case, branch) in [!condition, condition].into_iter().zip(branches) {
        formula.add_clause(&[case, !branch, output]);
        formula.add_clause(&[case, branch, !output]);
    }
}

/// At least two of the three inputs.
pub(crate) fn majority(formula: &mut Qcnf, output: Lit, [a, b, c]: [Lit; 3]) {
    for [x, y] in [[a, b], [a, c], [b, c]] {
        formula.add_clause(&[!x, !y, output]);
        formula.add_clause(&[x, y, !output]);
    }
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;
    use crate::{Quantifier, Var, meaning};

    /// The outputs under all values of three inputs, by the value of the formula.
    fn table(define: impl Fn(&mut Qcnf, Lit, [Lit; 3])) -> Vec<bool> {
        let vars: Vec<Var> = (0..4).map(Var::from_index).collect();
        let inputs = [0, 1, 2].map(|at| Lit::positive(vars[at]));
        let mut formula = Qcnf::new(4);
        formula.quantify(Quantifier::Exists, vars.clone());
        define(&mut formula, Lit::positive(vars[3]), inputs);
        assert_eq!(meaning::count_models(&formula), 8, "one model for each assignment of inputs");
        (0..8)
            .map(|bits| {
                let mut given: Vec<Lit> =
                    (0..3).map(|at| Lit::new(vars[at], bits >> at & 1 == 1)).collect();
                given.push(Lit::positive(vars[3]));
                !meaning::value_given(&formula, &given).is_zero()
            })
            .collect()
    }

    fn expected(of: impl Fn(bool, bool, bool) -> bool) -> Vec<bool> {
        (0..8).map(|bits| of(bits & 1 == 1, bits & 2 == 2, bits & 4 == 4)).collect()
    }

    #[test]
    fn gates_are_what_they_are_called() {
        assert_eq!(table(|f, o, i| and(f, o, &i)), expected(|a, b, c| a && b && c));
        assert_eq!(table(|f, o, i| or(f, o, &i)), expected(|a, b, c| a || b || c));
        assert_eq!(table(|f, o, [a, _, c]| xor(f, o, [a, c])), expected(|a, _, c| a != c));
        assert_eq!(
            table(|f, o, [a, b, c]| if_then_else(f, o, a, [b, c])),
            expected(|a, b, c| if a { b } else { c })
        );
        assert_eq!(
            table(majority),
            expected(|a, b, c| u8::from(a) + u8::from(b) + u8::from(c) >= 2)
        );
        assert_eq!(table(|f, o, _| or(f, o, &[])), [false; 8]);
    }
}
