//! Signals as variables and clauses, under the prefix.
//!
//! Only gates that a demand needs are written, each with the clauses of both directions, so that
//! its variable is a function of its inputs. A gate's rank is the largest of its inputs': the
//! place of the level of a quantified atom, past all levels for other open atoms. Variables are
//! numbered along the prefix, so that text and solver see the same order. A quantified atom that
//! nothing speaks of is left out: both of its values count the same.

use exact::Ratio;
use index::{Id, IndexVec};
use qcnf::{Lit, Qcnf, Quantifier, Var};
use verdict::HaltReason;

use super::clock::Clock;
use super::gates::{Gates, Kind, Node, Signal};
use super::meaning::Meaning;
use super::{Completion, Placement, Value};
use crate::ground::{AtomId, GroundProgram};
use crate::prefix::Prefix;

/// The formula of a program's meaning.
///
/// # Errors
/// The limit that is met.
pub(super) fn write(
    program: &GroundProgram,
    prefix: &Prefix,
    meaning: &Meaning,
    placement: Placement,
    clock: &mut Clock<'_>,
) -> Result<Completion, HaltReason> {
    let demands = plain(&meaning.gates, &meaning.demands);
    let needed = needed(&meaning.gates, &demands);
    let ranks = ranks(&meaning.gates, prefix, program.atoms());
    let mut writer = Writer {
        gates: &meaning.gates,
        needed,
        ranks,
        variables: IndexVec::filled(None, meaning.gates.len()),
        formula: Qcnf::new(0),
    };
    writer.prefix(prefix, &meaning.signals, placement);
    writer.definitions(clock)?;
    for clause in &demands {
        clock.tick()?;
        let clause: Vec<Lit> = clause.iter().map(|signal| writer.literal(*signal)).collect();
        writer.formula.add_clause(&clause);
    }
    let choices = writer.choices();
    let values = meaning.signals.iter().map(|signal| writer.value(*signal)).collect();
    let mut formula = writer.formula;
    name(&mut formula, program, &values);
    debug_assert_eq!(formula.flaw(), None);
    Ok(Completion { formula, values, choices })
}

/// The demands with each one that is a single conjunction, or its negation, taken apart.
fn plain(gates: &Gates, demands: &[Vec<Signal>]) -> Vec<Vec<Signal>> {
    let mut found = Vec::new();
    let mut open: Vec<Vec<Signal>> = demands.iter().rev().cloned().collect();
    while let Some(clause) = open.pop() {
        match clause[..] {
            [only] if matches!(gates.kind(only.node()), Kind::And { .. }) => {
                let inputs = gates.inputs(only.node());
                if only.is_positive() {
                    open.extend(inputs.iter().rev().map(|input| vec![*input]));
                } else {
                    found.push(inputs.iter().map(|input| !*input).collect());
                }
            }
            _ => found.push(clause),
        }
    }
    found
}

fn needed(gates: &Gates, demands: &[Vec<Signal>]) -> IndexVec<Node, bool> {
    let mut needed = IndexVec::filled(false, gates.len());
    for signal in demands.iter().flatten() {
        needed[signal.node()] = true;
    }
    // Inputs of a gate have smaller numbers than the gate.
    for at in (0..gates.len()).rev() {
        let node = Node::from_index(at);
        if needed[node] {
            gates.inputs(node).iter().for_each(|input| needed[input.node()] = true);
        }
    }
    needed
}

fn ranks(gates: &Gates, prefix: &Prefix, atoms: usize) -> IndexVec<Node, u32> {
    let past = prefix.levels.len() as u32;
    let mut level_of: IndexVec<AtomId, u32> = IndexVec::filled(past, atoms);
    for (at, level) in prefix.levels.iter().enumerate() {
        level.atoms.iter().for_each(|(atom, _)| level_of[*atom] = at as u32);
    }
    let mut ranks: IndexVec<Node, u32> = IndexVec::new();
    for at in 0..gates.len() {
        let node = Node::from_index(at);
        let rank = match gates.kind(node) {
            Kind::True => 0,
            Kind::Input(atom) => level_of[atom],
            Kind::And { .. } => {
                let inputs = gates.inputs(node).iter().map(|input| ranks[input.node()]);
                inputs.max().expect("a conjunction has inputs")
            }
        };
        ranks.push(rank);
    }
    ranks
}

struct Writer<'m> {
    gates: &'m Gates,
    needed: IndexVec<Node, bool>,
    ranks: IndexVec<Node, u32>,
    variables: IndexVec<Node, Option<Var>>,
    formula: Qcnf,
}

impl Writer<'_> {
    fn variable(&mut self, node: Node) -> Var {
        debug_assert!(self.variables[node].is_none(), "a node has one variable");
        let var = self.formula.add_variable();
        self.variables[node] = Some(var);
        var
    }

    fn literal(&self, signal: Signal) -> Lit {
        let var = self.variables[signal.node()].expect("what is needed has a variable");
        Lit::new(var, signal.is_positive())
    }

    fn value(&self, signal: Signal) -> Value {
        match (self.gates.kind(signal.node()), self.variables[signal.node()]) {
            (Kind::True, _) => Value::Constant(signal.is_positive()),
            (_, Some(var)) => Value::Literal(Lit::new(var, signal.is_positive())),
            (_, None) => Value::Unneeded,
        }
    }

    /// The variables that no gate defines.
    fn choices(&self) -> Vec<Var> {
        let nodes = (0..self.gates.len()).map(Node::from_index);
        let inputs = nodes.filter(|node| matches!(self.gates.kind(*node), Kind::Input(_)));
        inputs.filter_map(|node| self.variables[node]).collect()
    }

    /// Lines of the prefix, with all variables in their order.
    fn prefix(
        &mut self,
        prefix: &Prefix,
        signals: &IndexVec<AtomId, Signal>,
        placement: Placement,
    ) {
        let past = prefix.levels.len();
        let mut by_rank: Vec<Vec<Node>> = vec![Vec::new(); past + 1];
        for at in 0..self.gates.len() {
            let node = Node::from_index(at);
            let rank = self.ranks[node] as usize;
            match self.gates.kind(node) {
                _ if !self.needed[node] => {}
                Kind::Input(_) if rank == past => by_rank[past].push(node),
                Kind::And { .. } if placement == Placement::Dependency => by_rank[rank].push(node),
                Kind::And { .. } => by_rank[past].push(node),
                Kind::True | Kind::Input(_) => {}
            }
        }
        let mut lines = Lines::default();
        for (level, defined) in prefix.levels.iter().zip(&by_rank) {
            for (atom, quantifier) in &level.atoms {
                let node = signals[*atom].node();
                if self.needed[node] {
                    lines.add(quantifier, self.variable(node));
                }
            }
            for node in defined {
                lines.add(&Quantifier::Exists, self.variable(*node));
            }
        }
        for node in &by_rank[past] {
            lines.add(&Quantifier::Exists, self.variable(*node));
        }
        lines.0.into_iter().for_each(|(how, variables)| self.formula.quantify(how, variables));
    }

    /// The clauses that make each gate's variable a function of its inputs.
    fn definitions(&mut self, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        for at in 0..self.gates.len() {
            clock.tick()?;
            let node = Node::from_index(at);
            let inputs = self.gates.inputs(node);
            let Some(var) = self.variables[node].filter(|_| !inputs.is_empty()) else { continue };
            let gate = Lit::positive(var);
            let inputs: Vec<Lit> = inputs.iter().map(|input| self.literal(*input)).collect();
            for input in &inputs {
                self.formula.add_clause(&[!gate, *input]);
            }
            let long: Vec<Lit> =
                std::iter::once(gate).chain(inputs.iter().map(|one| !*one)).collect();
            self.formula.add_clause(&long);
        }
        Ok(())
    }
}

/// Lines of a prefix; variables that follow each other under one quantifier share a line.
#[derive(Default)]
struct Lines(Vec<(Quantifier, Vec<Var>)>);

impl Lines {
    fn add(&mut self, quantifier: &Quantifier, var: Var) {
        debug_assert!(!matches!(quantifier, Quantifier::Chance(p) if *p > Ratio::one()));
        match self.0.last_mut() {
            Some((last, variables)) if last == quantifier => variables.push(var),
            _ => self.0.push((quantifier.clone(), vec![var])),
        }
    }
}

/// Variables get the symbol of the first atom that they are the value of.
fn name(formula: &mut Qcnf, program: &GroundProgram, values: &IndexVec<AtomId, Value>) {
    formula.names = IndexVec::filled(None, formula.variables());
    for (text, atom) in program.symbols() {
        let Some(Value::Literal(lit)) = atom.and_then(|atom| values.get(atom)) else { continue };
        let slot = &mut formula.names[lit.var()];
        if lit.is_positive() && slot.is_none() {
            *slot = Some(text.into());
        }
    }
}
