//! Define: move variables outward to the level that determines them.
//!
//! A *gate* is a clause `(x or z1 or .. or zk)` with the binary clauses `(not x or not zi)`: then x
//! is the conjunction of the negated `zi`, and its variable is a function of theirs. A variable
//! that exists and is a function of variables of levels up to t has one value that is not worth
//! 0, whenever it is chosen after them; so it may be chosen right behind level t. Formulas that
//! differ only in where such variables stand become equal by this.
//!
//! Levels are swept outermost first: a level's own variables that no gate defines are placed,
//! then every gate whose inputs are all placed places its variable at this level. Each placement
//! uses gates with inputs placed before, so no definition is circular. Where only gate variables
//! are left in a level, the first is placed as a choice.
//!
//! Cost: linear in the sum of squares of clause lengths, in practice in the size of the formula.

use std::collections::VecDeque;

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::matrix::{Matrix, VarIndex};

struct Gate {
    output: Var,
    /// Inputs that are not placed yet.
    missing: u32,
}

/// All gates, and for each variable those it is an input of.
struct Gates {
    gates: Vec<Gate>,
    /// (input, gate), sorted by input.
    uses: Vec<(u32, u32)>,
    first_use: Vec<u32>,
    has_gate: Vec<bool>,
}

/// Moves defined variables outward and ranks them; says how many moved. `is_faulty`: a test wants
/// gates found that lack a binary clause.
pub(crate) fn define(matrix: &mut Matrix, is_faulty: bool) -> u64 {
    let gates = find(matrix, is_faulty);
    let mut sweep = Sweep {
        placed: vec![false; matrix.prefix.len()],
        queue: VecDeque::new(),
        gates,
        moved: 0,
        rank: 0,
    };
    for (level, vars) in by_level(matrix).into_iter().enumerate() {
        sweep.level(matrix, level as u32, &vars);
    }
    sweep.moved
}

fn by_level(matrix: &Matrix) -> Vec<Vec<Var>> {
    let mut levels = vec![Vec::new(); matrix.prefix.blocks()];
    for var in (0..matrix.prefix.len()).map(Var::from_index) {
        if matrix.prefix.is_open(var) {
            levels[matrix.prefix.level(var) as usize].push(var);
        }
    }
    levels
}

struct Sweep {
    placed: Vec<bool>,
    queue: VecDeque<Var>,
    gates: Gates,
    moved: u64,
    rank: u32,
}

impl Sweep {
    fn level(&mut self, matrix: &mut Matrix, level: u32, vars: &[Var]) {
        for &var in vars {
            if !self.gates.has_gate[var.index()] {
                self.place(var);
            }
        }
        self.follow(matrix, level);
        for &var in vars {
            self.place(var);
            self.follow(matrix, level);
        }
    }

    fn place(&mut self, var: Var) {
        if !std::mem::replace(&mut self.placed[var.index()], true) {
            self.queue.push_back(var);
        }
    }

    /// Places all variables whose gates have their inputs.
    fn follow(&mut self, matrix: &mut Matrix, level: u32) {
        while let Some(input) = self.queue.pop_front() {
            let uses = self.gates.first_use[input.index()]..self.gates.first_use[input.index() + 1];
            for at in uses {
                let gate = &mut self.gates.gates[self.gates.uses[at as usize].1 as usize];
                debug_assert!(gate.missing > 0, "an input is placed once");
                gate.missing -= 1;
                let output = gate.output;
                if gate.missing == 0 && !self.placed[output.index()] {
                    self.derive(matrix, output, level);
                }
            }
        }
    }

    fn derive(&mut self, matrix: &mut Matrix, output: Var, level: u32) {
        debug_assert!(matrix.prefix.level(output) >= level, "outer variables are placed");
        self.place(output);
        self.rank += 1;
        matrix.prefix.rank[output.index()] = self.rank;
        if matrix.prefix.level(output) > level {
            matrix.prefix.move_outward(output, level);
            self.moved += 1;
        }
    }
}

fn find(matrix: &Matrix, is_faulty: bool) -> Gates {
    let mut gates = Vec::new();
    let mut uses = Vec::new();
    let mut has_gate = vec![false; matrix.prefix.len()];
    let mut mark = vec![u32::MAX; 2 * matrix.prefix.len()];
    for code in 0..2 * matrix.prefix.len() {
        let lit = Lit::from_code(code);
        if matrix.prefix.kind(lit.var()) == Kind::Exists && matrix.prefix.is_open(lit.var()) {
            let missing = usize::from(is_faulty);
            find_of(matrix, lit, &mut mark, missing, |inputs| {
                let gate = gates.len() as u32;
                let missing = inputs.len() as u32 - 1;
                gates.push(Gate { output: lit.var(), missing });
                let others = inputs.iter().filter(|input| **input != lit);
                uses.extend(others.map(|input| (input.var_index() as u32, gate)));
                has_gate[lit.var_index()] = true;
            });
        }
    }
    uses.sort_unstable();
    let first_use = starts(&uses, matrix.prefix.len());
    Gates { gates, uses, first_use, has_gate }
}

fn starts(uses: &[(u32, u32)], count: usize) -> Vec<u32> {
    let mut starts = vec![0u32; count + 1];
    uses.iter().for_each(|(input, _)| starts[*input as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}

/// The gates of which `lit` is the conjunction; `missing` of the binary clauses may be missing.
fn find_of(
    matrix: &Matrix,
    lit: Lit,
    mark: &mut [u32],
    missing: usize,
    mut found: impl FnMut(&[Lit]),
) {
    let stamp = lit.code() as u32;
    let mut binaries = 0;
    for clause in matrix.occurs.get(!lit).iter().map(|&id| matrix.get(id)) {
        if let [a, b] = *clause {
            let other = if a == !lit { b } else { a };
            mark[(!other).code()] = stamp;
            binaries += 1;
        }
    }
    for clause in matrix.occurs.get(lit).iter().map(|&id| matrix.get(id)) {
        if clause.is_empty() || clause.len() > binaries + missing + 1 {
            continue;
        }
        let held = clause.iter().filter(|&&z| z == lit || mark[z.code()] == stamp).count();
        if held + missing >= clause.len() {
            found(clause);
        }
    }
}
