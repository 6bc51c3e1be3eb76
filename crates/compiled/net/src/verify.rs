//! The definition of a well-formed network, as a check.
//!
//! A network is well-formed when:
//! - operands have smaller ids than the gate that reads them, and ascend;
//! - building the gates again, one by one through the folding constructors, gives the same ids:
//!   no two are equal and no law applies to any;
//! - every output, proposition and move named is there, and the tables have one entry each;
//! - the roles' moves are consecutive ranges that cover all moves, in order;
//! - goal values are at most 100 and ascend strictly;
//! - the initial state ascends strictly;
//! - `legal`, `terminal` and goals depend on no move.
//!
//! Cost: linear in the gates.

use ground::InputId;
use index::Id;

use crate::gates::{Gate, GateId, Gates, Net};
use crate::rebuild::cone;

/// Checks that a network is well-formed.
///
/// # Errors
/// The first thing that is not, in words.
pub fn verify(net: &Net) -> Result<(), String> {
    verify_gates(net)?;
    verify_tables(net)?;
    verify_roles(net)?;
    verify_view(net)
}

fn require(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

fn verify_gates(net: &Net) -> Result<(), String> {
    let mut again = Gates::new();
    for (id, gate) in net.gates.iter() {
        require(gate.operands().all(|operand| operand < id), || {
            format!("{id} reads a gate that does not come before it")
        })?;
        let made = match gate {
            Gate::Const(value) => again.constant(value),
            Gate::Base(base) => again.base(base),
            Gate::Does(input) => again.does(input),
            Gate::Not(operand) => again.not(operand),
            Gate::And(low, high) => again.and(low, high),
            Gate::Or(low, high) => again.or(low, high),
        };
        require(made == id, || format!("{id} should be {made}"))?;
        require(again.gate(made) == gate, || format!("the operands of {id} do not ascend"))?;
        let known = match gate {
            Gate::Base(base) => base.index() < net.bases.len(),
            Gate::Does(input) => input.index() < net.inputs.len(),
            _ => true,
        };
        require(known, || format!("{id} reads a proposition or move that does not exist"))?;
    }
    Ok(())
}

fn verify_tables(net: &Net) -> Result<(), String> {
    require(net.legal.len() == net.inputs.len(), || "one legality a move".to_owned())?;
    require(net.next.len() == net.bases.len(), || "one successor a proposition".to_owned())?;
    require(net.init.is_sorted_by(|a, b| a < b), || "the initial state ascends".to_owned())?;
    require(net.init.iter().all(|base| base.index() < net.bases.len()), || {
        "the initial state names a proposition that does not exist".to_owned()
    })?;
    for gate in view_outputs(net).into_iter().chain(net.next.iter().copied()) {
        require(gate.index() < net.gates.len(), || format!("output {gate} does not exist"))?;
    }
    Ok(())
}

fn verify_roles(net: &Net) -> Result<(), String> {
    let mut start = 0;
    for role in &net.roles {
        require(role.inputs.start == start && role.inputs.end >= start, || {
            format!("the moves of role {} do not follow those before", role.name)
        })?;
        start = role.inputs.end;
        require(role.goals.is_sorted_by(|a, b| a.0 < b.0), || {
            format!("the goal values of role {} do not ascend", role.name)
        })?;
        require(role.goals.iter().all(|(value, _)| *value <= 100), || {
            format!("a goal value of role {} is above 100", role.name)
        })?;
    }
    require(start == net.inputs.len(), || "some moves belong to no role".to_owned())
}

fn verify_view(net: &Net) -> Result<(), String> {
    let moved = cone(&net.gates, &view_outputs(net))
        .into_iter()
        .find(|id| matches!(net.gates.gate(*id), Gate::Does(_)));
    require(moved.is_none(), || format!("the view reads the move {}", moved.unwrap_or(Gates::TRUE)))
}

/// The outputs of the view: legality by move, the end, goals by role.
pub(crate) fn view_outputs(net: &Net) -> Vec<GateId> {
    let goals = net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, gate)| *gate));
    net.legal.iter().copied().chain([net.terminal]).chain(goals).collect()
}

impl Net {
    /// The moves of a role.
    pub fn moves(&self, role: gdl::RoleId) -> impl DoubleEndedIterator<Item = InputId> + use<> {
        self.roles[role].inputs.clone().map(InputId::from_index)
    }

    /// The role that a move belongs to.
    ///
    /// # Panics
    /// When no role has the move.
    pub fn role_of(&self, input: InputId) -> gdl::RoleId {
        let owner = self.roles.enumerate().find(|(_, role)| role.inputs.contains(&input.index()));
        owner.expect("every move belongs to a role").0
    }

    /// The outputs of the view: legality by move, the end, goals by role in ascending value.
    pub fn view_outputs(&self) -> Vec<GateId> {
        view_outputs(self)
    }
}

#[cfg(test)]
mod tests {
    use ground::BaseId;

    use super::*;
    use crate::parse_net;

    const SAMPLE: &str = "role \"r\"\ni0 \"go\"\ni1 \"stay\"\nb0 \"p\" init\nb1 \"q\" init\n\
        g10 = and b0 b1\nlegal i0 = g10\ngoal r0 0 = b0\ngoal r0 100 = b1\nnext b0 = i0\n";

    fn fault(change: impl FnOnce(&mut Net)) -> String {
        let mut net = parse_net(SAMPLE).expect("the sample is well-formed");
        change(&mut net);
        verify(&net).expect_err("the change is seen")
    }

    #[test]
    fn each_broken_table_is_named() {
        let role = gdl::RoleId::from_index(0);
        assert_eq!(fault(|net| net.init.swap(0, 1)), "the initial state ascends");
        assert_eq!(fault(|net| net.roles[role].inputs.end = 1), "some moves belong to no role");
        assert!(fault(|net| net.roles[role].inputs.start = 1).contains("do not follow"));
        assert!(fault(|net| net.roles[role].goals.swap(0, 1)).contains("do not ascend"));
        assert!(fault(|net| net.terminal = GateId::from_index(99)).contains("does not exist"));
        assert_eq!(fault(|net| net.next = vec![].into()), "one successor a proposition");
        assert!(fault(|net| net.terminal = net.next[BaseId::from_index(0)]).contains("the move"));
    }

    #[test]
    fn gates_that_should_have_folded_are_named() {
        let stray = fault(|net| {
            let gate = net.gates.base(BaseId::from_index(7));
            net.terminal = gate;
        });
        assert!(stray.ends_with("does not exist"), "{stray}");
        let foldable = fault(|net| {
            let gate = net.gates.base(BaseId::from_index(0));
            let negation = net.gates.not(gate);
            net.gates.intern(Gate::And(gate, negation));
        });
        assert!(foldable.ends_with("should be g0"), "{foldable}");
        let descending = fault(|net| {
            let (low, high) = (GateId::from_index(2), GateId::from_index(3));
            net.gates.intern(Gate::Or(high, low));
        });
        assert!(descending.contains("do not ascend"), "{descending}");
    }
}
