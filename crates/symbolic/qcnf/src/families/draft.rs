//! A formula in the making: lines of the prefix, and gates that are bound behind them.

use exact::Ratio;

use super::Member;
use crate::{Lit, Qcnf, Quantifier, Var, define};

/// A formula in the making. Gates exist, and are bound by the next line or at the end.
#[derive(Debug, Default)]
pub(super) struct Draft {
    formula: Qcnf,
    gates: Vec<Var>,
}

impl Draft {
    fn variable(&mut self, name: &str) -> Var {
        let var = self.formula.add_variable();
        self.formula.set_name(var, name);
        var
    }

    /// A line of the prefix with new variables of these names, behind the gates made so far.
    pub(super) fn line(
        &mut self,
        quantifier: Quantifier,
        names: impl IntoIterator<Item = String>,
    ) -> Vec<Lit> {
        self.bind_gates();
        let vars: Vec<Var> = names.into_iter().map(|name| self.variable(&name)).collect();
        self.formula.quantify(quantifier, vars.clone());
        vars.into_iter().map(Lit::positive).collect()
    }

    /// A line with one new variable.
    pub(super) fn choice(&mut self, quantifier: Quantifier, name: String) -> Lit {
        self.line(quantifier, [name])[0]
    }

    fn bind_gates(&mut self) {
        if !self.gates.is_empty() {
            let gates = std::mem::take(&mut self.gates);
            self.formula.quantify(Quantifier::Exists, gates);
        }
    }

    fn gate(&mut self, name: &str) -> Lit {
        let var = self.variable(name);
        self.gates.push(var);
        Lit::positive(var)
    }

    /// Adds a clause.
    pub(super) fn clause(&mut self, clause: &[Lit]) {
        self.formula.add_clause(clause);
    }

    /// A new gate: all inputs hold.
    pub(super) fn and(&mut self, name: &str, inputs: &[Lit]) -> Lit {
        let gate = self.gate(name);
        define::and(&mut self.formula, gate, inputs);
        gate
    }

    /// A new gate: some input holds.
    pub(super) fn or(&mut self, name: &str, inputs: &[Lit]) -> Lit {
        let gate = self.gate(name);
        define::or(&mut self.formula, gate, inputs);
        gate
    }

    /// A new gate: the inputs differ.
    pub(super) fn xor(&mut self, name: &str, inputs: [Lit; 2]) -> Lit {
        let gate = self.gate(name);
        define::xor(&mut self.formula, gate, inputs);
        gate
    }

    /// A new gate: at least two inputs hold.
    pub(super) fn majority(&mut self, name: &str, inputs: [Lit; 3]) -> Lit {
        let gate = self.gate(name);
        define::majority(&mut self.formula, gate, inputs);
        gate
    }

    /// The formula with its value.
    pub(super) fn finish(mut self, value: Ratio) -> Member {
        self.bind_gates();
        Member { formula: self.formula, value }
    }
}

/// One half.
pub(super) fn half() -> Ratio {
    Ratio::new(1u8, 2u8)
}

/// A coin that comes true with probability a third.
pub(super) fn third() -> Ratio {
    Ratio::new(1u8, 3u8)
}
