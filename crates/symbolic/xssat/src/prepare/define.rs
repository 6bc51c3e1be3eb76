//! Define: move variables outward to the level that determines them.
//!
//! A *gate* is a clause `(x or z1 or .. or zk)` with the binary clauses `(not x or not zi)`: then x
//! is the conjunction of the negated `zi`, and its variable is a function of theirs. A variable
//! that exists and is a function of variables of levels up to t has one value that is not worth
//! 0, whenever it is chosen after them; so it may be chosen right behind level t. Formulas that
//! differ only in where such variables stand become equal by this.
//!
//! Any other function counts as well (`function`): exclusive or, if-then-else, what elimination
//! left of several gates. Whether a variable is one is asked of all its clauses first, and of
//! those over placed variables whenever one more is placed.
//!
//! Levels are swept outermost first: a level's own variables that nothing defines are placed,
//! then every gate whose inputs are all placed places its variable at this level. Each placement
//! uses gates with inputs placed before, so no definition is circular. Where only gate variables
//! are left in a level, the first is placed as a choice.
//!
//! Cost: linear in the sum of squares of clause lengths, in practice in the size of the formula;
//! other functions are bounded by a number of clauses, variables and splits each.

use std::collections::VecDeque;

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::function::{MOST_CLAUSES, Table};
use super::matrix::{Matrix, VarIndex};
use crate::rows::Rows;

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
    /// For each variable those that it may be an input of, by a function that is no gate.
    maybe: Rows<u32>,
}

/// What a sweep found.
pub(crate) struct Definitions {
    /// How many variables moved.
    pub(crate) moved: u64,
    /// For each variable the inputs of the gate that placed it; none where no gate did.
    pub(crate) inputs: Rows<u32>,
}

/// Moves defined variables outward and ranks them. `is_faulty`: a test wants gates found that lack
/// a binary clause.
pub(crate) fn define(matrix: &mut Matrix, is_faulty: bool) -> Definitions {
    let gates = find(matrix, is_faulty);
    let mut sweep = Sweep {
        placed: vec![false; matrix.prefix.len()],
        asked: Vec::new(),
        is_asked: vec![false; matrix.prefix.len()],
        table: Table::default(),
        functions: Vec::new(),
        by: vec![u32::MAX; matrix.prefix.len()],
        queue: VecDeque::new(),
        gates,
        moved: 0,
        rank: 0,
    };
    for (level, vars) in by_level(matrix).into_iter().enumerate() {
        sweep.level(matrix, level as u32, &vars);
    }
    Definitions { moved: sweep.moved, inputs: sweep.inputs() }
}

fn by_level(matrix: &Matrix) -> Vec<Vec<Var>> {
    // Variables that nothing binds stand in one level of their own where there is no other.
    let mut levels = vec![Vec::new(); matrix.prefix.blocks().max(1)];
    for var in (0..matrix.prefix.len()).map(Var::from_index) {
        if matrix.prefix.is_open(var) {
            levels[matrix.prefix.level(var) as usize].push(var);
        }
    }
    levels
}

struct Sweep {
    placed: Vec<bool>,
    /// Variables whose functions are to be asked again.
    asked: Vec<Var>,
    is_asked: Vec<bool>,
    table: Table,
    /// (variable, input) of those that a function placed.
    functions: Vec<(u32, u32)>,
    /// The gate that placed each variable, `u32::MAX` where none did.
    by: Vec<u32>,
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

    /// Places all variables whose gates, or other functions, have their inputs.
    fn follow(&mut self, matrix: &mut Matrix, level: u32) {
        loop {
            self.follow_gates(matrix, level);
            let Some(var) = self.asked.pop() else { return };
            self.is_asked[var.index()] = false;
            if !self.placed[var.index()] && self.is_function(matrix, var) {
                self.derive(matrix, var, level);
            }
        }
    }

    /// Whether the clauses over placed variables determine this one; then these are its inputs.
    fn is_function(&mut self, matrix: &Matrix, var: Var) -> bool {
        let lit = Lit::positive(var);
        let placed = &self.placed;
        let clauses = || {
            let ids = [lit, !lit].into_iter().flat_map(|lit| matrix.occurs.get(lit));
            let is_placed = |lit: &Lit| lit.var() == var || placed[lit.var().index()];
            let clauses = ids.map(|&id| matrix.get(id)).filter(|clause| !clause.is_empty());
            clauses.filter(move |clause| clause.iter().all(is_placed))
        };
        if !self.table.determines(var, clauses()) {
            return false;
        }
        let inputs = clauses().flatten().map(|lit| lit.var()).filter(|&input| input != var);
        self.functions.extend(inputs.map(|input| (var.index() as u32, input.index() as u32)));
        true
    }

    /// Places all variables whose gates have their inputs.
    fn follow_gates(&mut self, matrix: &mut Matrix, level: u32) {
        while let Some(input) = self.queue.pop_front() {
            for &var in self.gates.maybe.get(input.index()) {
                let var = Var::from_index(var as usize);
                let asked = &mut self.is_asked[var.index()];
                if !self.placed[var.index()] && !std::mem::replace(asked, true) {
                    self.asked.push(var);
                }
            }
            let uses = self.gates.first_use[input.index()]..self.gates.first_use[input.index() + 1];
            for at in uses {
                let id = self.gates.uses[at as usize].1;
                let gate = &mut self.gates.gates[id as usize];
                debug_assert!(gate.missing > 0, "an input is placed once");
                gate.missing -= 1;
                let output = gate.output;
                if gate.missing == 0 && !self.placed[output.index()] {
                    self.by[output.index()] = id;
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

    /// For each variable the inputs of the gate that placed it.
    fn inputs(&self) -> Rows<u32> {
        let mut placing = vec![u32::MAX; self.gates.gates.len()];
        for (var, &gate) in self.by.iter().enumerate().filter(|(_, gate)| **gate != u32::MAX) {
            debug_assert_eq!(self.gates.gates[gate as usize].output.index(), var);
            placing[gate as usize] = var as u32;
        }
        Rows::transposed(self.by.len(), 0, || {
            let uses = self.gates.uses.iter().map(|&(input, gate)| (placing[gate as usize], input));
            let uses = uses.filter(|(var, _)| *var != u32::MAX);
            let functions = self.functions.iter().copied();
            uses.chain(functions).map(|(var, input)| (var as usize, input))
        })
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
    let maybe = functions(matrix, &mut has_gate);
    Gates { gates, uses, first_use, has_gate, maybe }
}

/// Variables that no gate defines, but all their clauses together do: for each other variable
/// those that may be a function of it.
fn functions(matrix: &Matrix, has_gate: &mut [bool]) -> Rows<u32> {
    let mut table = Table::default();
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for var in (0..matrix.prefix.len()).map(Var::from_index) {
        let exists = matrix.prefix.kind(var) == Kind::Exists && matrix.prefix.is_open(var);
        if !exists || has_gate[var.index()] {
            continue;
        }
        let lit = Lit::positive(var);
        let ids = || [lit, !lit].into_iter().flat_map(|lit| matrix.occurs.get(lit));
        let clauses = ids().map(|&id| matrix.get(id)).filter(|clause| !clause.is_empty());
        if ids().count() <= MOST_CLAUSES && table.determines(var, clauses) {
            has_gate[var.index()] = true;
            let inputs = ids().flat_map(|&id| matrix.get(id)).map(|lit| lit.var());
            pairs.extend(inputs.map(|input| (input.index() as u32, var.index() as u32)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs.retain(|(input, var)| input != var);
    Rows::transposed(matrix.prefix.len(), 0, || {
        pairs.iter().map(|&(input, var)| (input as usize, var))
    })
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
