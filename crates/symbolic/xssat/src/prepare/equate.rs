//! Equate: literals that imply each other through binary clauses are one literal.
//!
//! The strongly connected components of the implication graph are found by Tarjan's algorithm,
//! without recursion. A component's outermost literal stands for it; variables that exist are
//! replaced. Variables of chance and forall stay as they are, with their binary clauses: choosing
//! them is not free. A component with a literal and its negation makes the formula worth 0.
//!
//! Source: Tarjan, *Depth-first search and linear graph algorithms* (1972).

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::matrix::Matrix;
use super::prefix::Fate;

/// Replaces equivalent variables; says how many.
pub(crate) fn equate(matrix: &mut Matrix) -> u64 {
    let components = Tarjan::run(matrix);
    let mut replaced = 0;
    for var in (0..matrix.prefix.len()).map(Var::from_index) {
        let positive = components.root[2 * var.index()];
        if positive != u32::MAX && positive == components.root[2 * var.index() + 1] {
            matrix.is_zero = true;
            return replaced;
        }
    }
    let chosen = representatives(matrix, &components.root);
    for var in (0..matrix.prefix.len()).map(Var::from_index) {
        replaced += u64::from(replace(matrix, var, &components.root, &chosen));
    }
    if replaced > 0 {
        matrix.renew();
    }
    replaced
}

/// The outermost literal of each component, by root.
fn representatives(matrix: &Matrix, root: &[u32]) -> Vec<u32> {
    let mut chosen = vec![u32::MAX; root.len()];
    for code in 0..root.len() {
        if root[code] != u32::MAX {
            let slot = &mut chosen[root[code] as usize];
            if *slot == u32::MAX || rank(matrix, code) < rank(matrix, *slot as usize) {
                *slot = code as u32;
            }
        }
    }
    chosen
}

/// Outermost first; what calls may assume before what they may not, so that it stays.
fn rank(matrix: &Matrix, code: usize) -> (u32, bool, usize) {
    let var = Lit::from_code(code).var();
    (matrix.prefix.depth(var), !matrix.prefix.is_frozen(var), code >> 1)
}

fn replace(matrix: &mut Matrix, var: Var, root: &[u32], chosen: &[u32]) -> bool {
    let lit = Lit::positive(var);
    if root[lit.code()] == u32::MAX || matrix.prefix.kind(var) != Kind::Exists {
        return false;
    }
    let to = Lit::from_code(chosen[root[lit.code()] as usize] as usize);
    if to.var() == var {
        return false;
    }
    debug_assert!(matrix.prefix.depth(to.var()) <= matrix.prefix.depth(var));
    matrix.prefix.fate[var.index()] = Fate::Equal(to);
    true
}

struct Tarjan {
    /// The component of each literal, named by its root; `u32::MAX` for variables that are gone.
    root: Vec<u32>,
    order: Vec<u32>,
    low: Vec<u32>,
    open: Vec<u32>,
    calls: Vec<(u32, u32)>,
    clock: u32,
}

impl Tarjan {
    fn run(matrix: &Matrix) -> Self {
        let count = 2 * matrix.prefix.len();
        let none = vec![u32::MAX; count];
        let mut tarjan = Self {
            root: none.clone(),
            order: none.clone(),
            low: none,
            open: Vec::new(),
            calls: Vec::new(),
            clock: 0,
        };
        for code in 0..count {
            let open = matrix.prefix.is_open(Lit::from_code(code).var());
            if open && tarjan.order[code] == u32::MAX {
                tarjan.enter(code as u32);
                while tarjan.step(matrix) {}
            }
        }
        tarjan
    }

    fn enter(&mut self, code: u32) {
        self.order[code as usize] = self.clock;
        self.low[code as usize] = self.clock;
        self.clock += 1;
        self.open.push(code);
        self.calls.push((code, 0));
    }

    /// Follows one edge of the innermost call, or leaves it; false when none is left.
    fn step(&mut self, matrix: &Matrix) -> bool {
        let Some((code, next)) = self.calls.last_mut() else { return false };
        let (code, lit) = (*code, Lit::from_code(*code as usize));
        let uses = matrix.occurs.get(!lit);
        while let Some(&id) = uses.get(*next as usize) {
            *next += 1;
            if let [a, b] = *matrix.get(id) {
                let implied = if a == !lit { b } else { a };
                self.edge(code, implied.code() as u32);
                return true;
            }
        }
        self.leave(code);
        true
    }

    fn edge(&mut self, from: u32, to: u32) {
        if self.order[to as usize] == u32::MAX {
            self.enter(to);
        } else if self.root[to as usize] == u32::MAX {
            self.low[from as usize] = self.low[from as usize].min(self.order[to as usize]);
        }
    }

    fn leave(&mut self, code: u32) {
        self.calls.pop();
        if let Some(&(caller, _)) = self.calls.last() {
            self.low[caller as usize] = self.low[caller as usize].min(self.low[code as usize]);
        }
        if self.low[code as usize] == self.order[code as usize] {
            while let Some(member) = self.open.pop() {
                self.root[member as usize] = code;
                if member == code {
                    break;
                }
            }
        }
        debug_assert!(self.low[code as usize] <= self.order[code as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::VarIndex;
    use super::*;
    use qcnf::{Qcnf, Quantifier};

    #[test]
    fn a_cycle_of_implications_is_one_variable() {
        let lits: Vec<Lit> = (0..4).map(|v| Lit::positive(Var::from_index(v))).collect();
        let mut formula = Qcnf::new(4);
        formula.quantify(Quantifier::Exists, lits.iter().map(|lit| lit.var()).collect());
        for (from, to) in [(0, 1), (1, 2), (2, 0), (2, 3)] {
            formula.add_clause(&[!lits[from], lits[to]]);
        }
        let mut matrix = Matrix::new(&formula);
        assert_eq!(equate(&mut matrix), 2);
        assert_eq!(matrix.follow(!lits[2]), !lits[0]);
        assert_eq!(matrix.living(), 1);
        assert_eq!(matrix.prefix.fate[lits[3].var_index()], Fate::Open);
    }
}
