//! Formulas: gates as expressions of PRISM, those that are used twice under a name of their own.
//!
//! PRISM puts the text of a formula wherever its name stands, so sharing helps the reader of a
//! model and not the program: how large expressions become without names is counted.

use std::fmt::Write;

use index::{Id, IndexVec};

use super::names::Names;
use crate::gates::{Gate, GateId, Net};

/// Operations that may nest in one expression before a part of it gets a name.
const DEEPEST: u32 = 16;

/// How gates are written.
pub(super) struct Formulas {
    /// What a gate is called, where it has a name.
    called: IndexVec<GateId, Option<String>>,
    /// Operations of each gate's expression once all names in it are replaced.
    sizes: IndexVec<GateId, u64>,
    /// The gates that are defined, operands first.
    defined: Vec<GateId>,
}

impl Formulas {
    /// Names what the roots need. `leaf` gives what stands for a proposition or a move.
    pub(super) fn new(
        net: &Net,
        roots: &[GateId],
        names: &mut Names,
        leaf: impl Fn(Gate) -> String,
    ) -> Self {
        let uses = uses(net, roots);
        let mut formulas =
            Self { called: IndexVec::new(), sizes: IndexVec::new(), defined: Vec::new() };
        let mut depths: IndexVec<GateId, u32> = IndexVec::new();
        for (id, gate) in net.gates.iter() {
            let inner = gate.operands().map(|operand| formulas.sizes[operand]);
            formulas.sizes.push(inner.fold(1u64, u64::saturating_add));
            let depth = gate.operands().map(|operand| depths[operand] + 1).max().unwrap_or(0);
            let is_junction = matches!(gate, Gate::And(..) | Gate::Or(..));
            let called = match gate {
                Gate::Const(value) => Some(value.to_string()),
                Gate::Base(_) | Gate::Does(_) if uses[id] > 0 => Some(leaf(gate)),
                _ if uses[id] > 0 && (is_junction && uses[id] > 1 || depth > DEEPEST) => {
                    formulas.defined.push(id);
                    Some(names.give(&id.to_string()))
                }
                _ => None,
            };
            depths.push(if called.is_some() { 0 } else { depth });
            formulas.called.push(called);
        }
        formulas
    }

    /// Definitions of all names, in an order in which each stands before its uses.
    pub(super) fn definitions(&self, net: &Net) -> String {
        let mut text = String::new();
        for &id in &self.defined {
            let name = self.called[id].as_deref().expect("what is defined has a name");
            writeln!(text, "formula {name} = {};", self.body(net, id)).expect("a text grows");
        }
        text
    }

    /// Operations of a gate's expression once all names in it are replaced.
    pub(super) fn size(&self, id: GateId) -> u64 {
        self.sizes[id]
    }

    /// The expression of a gate, which may stand on either side of `&`.
    pub(super) fn factor(&self, net: &Net, id: GateId) -> String {
        match &self.called[id] {
            Some(name) => name.clone(),
            None if matches!(net.gates.gate(id), Gate::Or(..)) => {
                format!("({})", self.body(net, id))
            }
            None => self.body(net, id),
        }
    }

    /// The expression of a gate, that may stand where nothing follows it.
    pub(super) fn whole(&self, net: &Net, id: GateId) -> String {
        self.called[id].clone().unwrap_or_else(|| self.body(net, id))
    }

    /// What a gate is, by its operands.
    fn body(&self, net: &Net, id: GateId) -> String {
        match net.gates.gate(id) {
            Gate::Not(a) => match (&self.called[a], net.gates.gate(a)) {
                (Some(name), _) => format!("!{name}"),
                (None, Gate::Not(_)) => format!("!{}", self.factor(net, a)),
                (None, _) => format!("!({})", self.body(net, a)),
            },
            Gate::And(a, b) => format!("{} & {}", self.factor(net, a), self.factor(net, b)),
            Gate::Or(a, b) => format!("{} | {}", self.term(net, a), self.term(net, b)),
            Gate::Const(_) | Gate::Base(_) | Gate::Does(_) => {
                unreachable!("leaves that are used have names")
            }
        }
    }

    /// The expression of a gate, which may stand on either side of `|`.
    fn term(&self, net: &Net, id: GateId) -> String {
        match (&self.called[id], net.gates.gate(id)) {
            (None, Gate::And(..)) => format!("({})", self.body(net, id)),
            _ => self.whole(net, id),
        }
    }
}

/// How often each gate is an operand of a gate that the roots need, or a root.
fn uses(net: &Net, roots: &[GateId]) -> IndexVec<GateId, u32> {
    let mut uses = IndexVec::from(vec![0u32; net.gates.len()]);
    roots.iter().for_each(|&root| uses[root] += 1);
    for (id, gate) in net.gates.iter().rev() {
        if uses[id] > 0 {
            gate.operands().for_each(|operand| uses[operand] += 1);
        }
    }
    debug_assert!(roots.iter().all(|root| root.index() < uses.len()));
    uses
}
