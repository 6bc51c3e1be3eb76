//! Two networks, such as before and after a pass.
//!
//! Propositions are matched by their text, moves by role and text, goals by role and value. Equal
//! is meant in every state and for every set of moves, reachable or not: no pass may use what it
//! cannot prove.

use index::IndexVec;
use net::{Gate, GateId, Net};
use z3::ast::Bool;

use crate::limits::Limits;
use crate::miter::{Difference, Miter};
use crate::outcome::Outcome;

/// Whether two networks have the same initial state, and equal outputs in every state.
pub fn nets_are_equal(first: &Net, second: &Net, limits: Limits) -> Outcome<Difference> {
    let mut miter = Miter::default();
    for (side, net) in [first, second].into_iter().enumerate() {
        add(net, side, &mut miter);
    }
    miter.judge(limits)
}

/// Adds the outputs of a network to one side.
pub(crate) fn add(net: &Net, side: usize, miter: &mut Miter) {
    let values = values(net, miter);
    for (input, gate) in net.legal.enumerate() {
        let name = format!("legal {}", move_name(net, input));
        miter.output(side, name, values[*gate].clone());
    }
    miter.output(side, "terminal".into(), values[net.terminal].clone());
    for role in net.roles.iter() {
        for (value, gate) in &role.goals {
            miter.output(side, format!("goal {} {value}", role.name), values[*gate].clone());
        }
    }
    for (base, gate) in net.next.enumerate() {
        miter.output(side, format!("next {}", net.bases[base]), values[*gate].clone());
    }
    for base in &net.init {
        miter.output(side, format!("init {}", net.bases[*base]), Bool::from_bool(true));
    }
}

pub(crate) fn move_name(net: &Net, input: net::InputId) -> String {
    format!("{} {}", net.roles[net.role_of(input)].name, net.inputs[input])
}

/// By gate: its value over the leaves.
fn values(net: &Net, miter: &mut Miter) -> IndexVec<GateId, Bool> {
    let mut values: IndexVec<GateId, Bool> = IndexVec::new();
    for (_, gate) in net.gates.iter() {
        let value = match gate {
            Gate::Const(value) => Bool::from_bool(value),
            Gate::Base(base) => miter.leaf(format!("true {}", net.bases[base])),
            Gate::Does(input) => miter.leaf(format!("does {}", move_name(net, input))),
            Gate::Not(operand) => values[operand].not(),
            Gate::And(low, high) => Bool::and(&[values[low].clone(), values[high].clone()]),
            Gate::Or(low, high) => Bool::or(&[values[low].clone(), values[high].clone()]),
        };
        values.push(value);
    }
    values
}
