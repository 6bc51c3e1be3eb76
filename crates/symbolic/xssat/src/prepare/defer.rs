//! Defer: put what follows from the state behind the boundary, where its key gets no larger.
//!
//! A variable with a definition may be chosen anywhere behind its inputs. Right behind them (where
//! `define` puts it) is too early where the cache answers before it is needed: in a game the new
//! cells follow from the move, and the lines, the legal moves and the end from the cells, but a
//! state that was met before needs no lines. So for each boundary the defined variables of the
//! level above it are parted in two, those that stay and those that are put off to the start of
//! the next level, so that as few variables as possible are left in the key, and as many as
//! possible are put off: a minimum cut. None is put off twice; so no clause is looked at later
//! than behind the next boundary, before anybody chooses again.
//!
//! The network: each variable stays (side of the source) or is put off (side of the sink). One
//! that stays costs 1 if it shares a clause with one that does not: an edge of capacity 1 to a
//! node of its own, and from there, through a node a clause, endless ones to all that share it.
//! A definition is put off with any of its inputs.
//!
//! Cost: a maximum flow a level, at most the size of the key in rounds, each linear in the size
//! of the level's clauses.
//! Source: Leiserson and Saxe, *Retiming synchronous circuitry* (1991), for the same move on
//! registers.

use index::Id;
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::cut::{Network, Node};
use super::define::Definitions;
use super::matrix::Matrix;
use crate::clock::Clock;

/// Puts variables off; says how many. `is_faulty`: a test wants choices put off as well.
///
/// # Errors
/// The limit that is met; the matrix is whole then as well.
pub(crate) fn defer(
    matrix: &mut Matrix,
    definitions: &Definitions,
    is_faulty: bool,
    clock: &mut Clock<'_>,
) -> Result<u64, HaltReason> {
    let mut work = Work::new(matrix, definitions, is_faulty);
    let mut deferred = 0;
    for level in 0..work.clauses.len().saturating_sub(1) {
        clock.look(true)?;
        deferred += work.level(matrix, level);
    }
    Ok(deferred)
}

struct Work<'a> {
    definitions: &'a Definitions,
    is_faulty: bool,
    /// Clauses by the level of their deepest variable.
    clauses: Vec<Vec<u32>>,
    /// Variables by level.
    vars: Vec<Vec<Var>>,
    /// The deepest level of a clause that holds the variable.
    reach: Vec<u32>,
    /// The last level, and one, at which a variable shares a clause with a choice.
    near: Vec<u32>,
    network: Network,
    /// The node of each variable in the network at hand.
    nodes: Vec<Node>,
}

impl<'a> Work<'a> {
    fn new(matrix: &Matrix, definitions: &'a Definitions, is_faulty: bool) -> Self {
        let levels = matrix.prefix.blocks();
        let mut work = Self {
            definitions,
            is_faulty,
            clauses: vec![Vec::new(); levels],
            vars: vec![Vec::new(); levels],
            reach: vec![0; matrix.prefix.len()],
            near: vec![0; matrix.prefix.len()],
            network: Network::default(),
            nodes: vec![Node::SOURCE; matrix.prefix.len()],
        };
        for id in (0..matrix.end()).filter(|&id| matrix.is_alive(id)) {
            work.file(matrix, id);
        }
        for var in (0..matrix.prefix.len()).map(Var::from_index) {
            if matrix.prefix.is_open(var) {
                work.vars[matrix.prefix.level(var) as usize].push(var);
            }
        }
        work
    }

    /// Puts a clause to its level.
    fn file(&mut self, matrix: &Matrix, id: u32) {
        let levels = matrix.get(id).iter().map(|lit| matrix.prefix.level(lit.var()));
        let level = levels.max().expect("a clause that lives has literals");
        self.clauses[level as usize].push(id);
        for lit in matrix.get(id) {
            let reach = &mut self.reach[lit.var().index()];
            *reach = (*reach).max(level);
        }
    }

    /// Whether a variable of this level may be put off.
    fn is_candidate(&self, matrix: &Matrix, var: Var) -> bool {
        let prefix = &matrix.prefix;
        prefix.kind(var) == Kind::Exists
            && !prefix.is_frozen(var)
            && !prefix.is_early(var)
            && (self.is_faulty || !self.definitions.inputs.get(var.index()).is_empty())
    }

    /// The variables of a level that may be put off: not those that share a clause with one that
    /// is chosen at it, so that what a choice leaves open (and whether it is free) is seen at
    /// once.
    fn candidates(&mut self, matrix: &Matrix, vars: &[Var], level: usize) -> Vec<Var> {
        let stamp = level as u32 + 1;
        for &var in vars {
            if self.is_candidate(matrix, var) || matrix.prefix.is_early(var) {
                continue;
            }
            let lit = Lit::positive(var);
            for &id in [lit, !lit].into_iter().flat_map(|lit| matrix.occurs.get(lit)) {
                matrix.get(id).iter().for_each(|lit| self.near[lit.var().index()] = stamp);
            }
        }
        let is_free =
            |var: &Var| self.near[var.index()] != stamp && self.is_candidate(matrix, *var);
        vars.iter().copied().filter(is_free).collect()
    }

    fn level(&mut self, matrix: &mut Matrix, level: usize) -> u64 {
        let vars = std::mem::take(&mut self.vars[level]);
        let candidates = self.candidates(matrix, &vars, level);
        if candidates.is_empty() {
            return 0;
        }
        self.build(matrix, level, &candidates);
        let put_off = self.network.beyond_first_cut();
        let mut count = 0;
        for &var in &candidates {
            if put_off[self.nodes[var.index()].index()] {
                matrix.prefix.put_off(var);
                self.vars[level + 1].push(var);
                count += 1;
            }
        }
        candidates.iter().for_each(|var| self.nodes[var.index()] = Node::SOURCE);
        let clauses = std::mem::take(&mut self.clauses[level]);
        clauses.into_iter().for_each(|id| self.file(matrix, id));
        count
    }

    fn build(&mut self, matrix: &Matrix, level: usize, candidates: &[Var]) {
        self.network.clear();
        for &var in candidates {
            self.nodes[var.index()] = self.network.node();
        }
        for &var in candidates {
            let node = self.nodes[var.index()];
            if self.reach[var.index()] as usize > level {
                self.network.edge(node, Node::SINK, 1);
            }
            for &input in self.definitions.inputs.get(var.index()) {
                let input = self.nodes[input as usize];
                if input != Node::SOURCE {
                    self.network.edge(node, input, Network::ENDLESS);
                }
            }
        }
        self.share(matrix, level);
    }

    /// Edges for the clauses of the level that hold a candidate.
    fn share(&mut self, matrix: &Matrix, level: usize) {
        let mut payers: Vec<(Var, Node)> = Vec::new();
        for at in 0..self.clauses[level].len() {
            let clause = matrix.get(self.clauses[level][at]);
            if clause.iter().all(|lit| self.nodes[lit.var().index()] == Node::SOURCE) {
                continue;
            }
            let shared = self.network.node();
            for var in clause.iter().map(|lit| lit.var()) {
                let node = self.nodes[var.index()];
                if node != Node::SOURCE {
                    self.network.edge(shared, node, Network::ENDLESS);
                }
                if self.reach[var.index()] as usize <= level {
                    payers.push((var, shared));
                }
            }
        }
        payers.sort_unstable_by_key(|(var, _)| *var);
        for group in payers.chunk_by(|a, b| a.0 == b.0) {
            let payer = self.network.node();
            self.network.edge(self.nodes[group[0].0.index()], payer, 1);
            group.iter().for_each(|&(_, shared)| {
                self.network.edge(payer, shared, Network::ENDLESS);
            });
        }
    }
}
