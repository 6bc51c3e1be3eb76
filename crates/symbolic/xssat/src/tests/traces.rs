//! Traces of the frontier walk, checked without the solver; and faults that the check must see.

use index::Id;
use qcnf::trace::{Node, NodeId, Trace};
use qcnf::{Lit, Qcnf, Var, meaning};

use super::agreement::configurations;
use super::formulas::{Dice, Placement, layered, plain};
use super::unwatched;
use crate::faults::Fault;
use crate::{Options, trace};

fn formulas(count: usize) -> Vec<Qcnf> {
    let mut dice = Dice::new(23);
    let formula = |round: usize| match round % 3 {
        0 => plain(&mut dice, 11),
        1 => layered(&mut dice, 4, 3, Placement::Dependency),
        _ => layered(&mut dice, 5, 2, Placement::Innermost),
    };
    (0..count).map(formula).collect()
}

fn traced(formula: &Qcnf, options: &Options) -> Trace {
    unwatched(|watch| trace(formula, options, watch)).expect("there is no limit")
}

#[test]
fn traces_show_the_value_under_every_option() {
    for formula in formulas(120) {
        let expected = meaning::value(&formula);
        for (name, options) in configurations() {
            let trace = traced(&formula, &options);
            assert_eq!(trace.value(), Ok(expected.clone()), "{name}");
        }
    }
}

#[test]
fn a_trace_survives_its_text() {
    for formula in formulas(30) {
        let trace = traced(&formula, &Options::default());
        let mut text = Vec::new();
        trace.write(&mut text).expect("memory takes all");
        let text = String::from_utf8(text).expect("a trace is text");
        assert_eq!(Trace::parse(&text), Ok(trace));
    }
}

/// A level cannot be left but by a boundary node: without it a later step would find variables
/// that were never passed.
#[test]
fn a_boundary_that_is_left_out_is_refused() {
    let mut refused = 0;
    for formula in formulas(250) {
        let trace = traced(&formula, &Options { rounds: 0, ..Options::default() });
        let expected = meaning::value(&formula);
        for at in 0..trace.nodes.len() {
            let Node::Boundary { next } = trace.nodes[at] else { continue };
            // What a known node names must be a boundary, wherever it stands.
            if trace.nodes.contains(&Node::Known { node: NodeId::from_index(at) }) {
                continue;
            }
            let with = |node: Node| {
                let mut changed = trace.clone();
                changed.nodes[at] = node;
                changed.value()
            };
            // The checker comes by just where a conflict that is none would be refused.
            if with(Node::Zero).is_err() {
                assert!(with(trace.nodes[next.index()]).is_err(), "n{at} is left out");
                refused += 1;
            } else {
                assert_eq!(with(trace.nodes[next.index()]), Ok(expected.clone()));
            }
        }
    }
    assert!(refused > 200, "only {refused} boundaries were left out");
}

/// A walk with a fault may come to a right value; where its trace is believed the value is right.
#[test]
fn traces_of_a_walk_with_faults_are_refused_or_right() {
    for fault in [Fault::CutVariableMissing, Fault::PartHidden, Fault::PureByFewerClauses] {
        let mut refused = 0;
        for formula in formulas(1200) {
            let bare = Options { rounds: 0, deferral: 0, ..Options::default() };
            let parts = Options { residual_keys: 2, lookahead: 1, ..bare.clone() };
            for options in [bare, parts] {
                let options = Options { planted: Some(fault), ..options };
                match traced(&formula, &options).value() {
                    Ok(value) => assert_eq!(value, meaning::value(&formula), "{fault:?}"),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > 0, "no trace was refused for {fault:?}");
    }
}

/// Any single change of a node that still is believed leaves the value.
#[test]
fn changed_traces_are_refused_or_right() {
    let (mut refused, mut believed) = (0, 0);
    for formula in formulas(60) {
        let trace = traced(&formula, &Options { rounds: 0, ..Options::default() });
        let expected = meaning::value(&formula);
        for at in 0..trace.nodes.len() {
            let mut changed = trace.clone();
            changed.nodes[at] = match changed.nodes[at] {
                Node::Zero => Node::One,
                Node::One => Node::Zero,
                Node::Branch { lit, first, .. } => Node::Branch { lit, first, second: None },
                Node::Pure { lit, next } => Node::Pure { lit: !lit, next },
                Node::Free { lit, next } => Node::Pure { lit, next },
                Node::Boundary { next } => Node::Known { node: next },
                Node::Known { node } => Node::Boundary { next: node },
            };
            match changed.value() {
                Ok(value) => {
                    believed += 1;
                    assert_eq!(value, expected);
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > believed && believed > 0, "{refused} refused, {believed} believed");
}

/// A node of any kind about any variable, with any earlier nodes behind it.
fn any_node(dice: &mut Dice, at: usize, variables: usize) -> Node {
    let lit = Lit::new(Var::from_index(dice.roll(variables)), dice.roll(2) == 0);
    let [first, second, node] = [0; 3].map(|_| NodeId::from_index(dice.roll(at)));
    match dice.roll(8) {
        0 => Node::One,
        1 | 2 => Node::Branch { lit, first, second: Some(second) },
        3 => Node::Branch { lit, first, second: None },
        4 => Node::Pure { lit, next: first },
        5 => Node::Free { lit, next: first },
        6 => Node::Boundary { next: first },
        _ => Node::Known { node },
    }
}

/// Whatever is written in place of some nodes, and wherever levels are said to end: what is believed
/// is right.
#[test]
fn traces_changed_at_random_are_refused_or_right() {
    let mut dice = Dice::new(29);
    let (mut refused, mut believed) = (0, 0);
    for formula in formulas(400) {
        let trace = traced(&formula, &Options { rounds: 0, ..Options::default() });
        let (expected, variables) = (meaning::value(&formula), trace.formula.variables());
        for _ in 0..if variables > 0 { 60 } else { 0 } {
            let mut changed = trace.clone();
            for _ in 0..1 + dice.roll(3) {
                let at = dice.roll(trace.nodes.len());
                if at > 0 {
                    changed.nodes[at] = any_node(&mut dice, at, variables);
                }
            }
            match dice.roll(6) {
                0 if !changed.boundaries.is_empty() => {
                    changed.boundaries.remove(dice.roll(trace.boundaries.len()));
                }
                1 => {
                    changed.boundaries.push(1 + dice.roll(variables) as u32);
                    changed.boundaries.sort_unstable();
                    changed.boundaries.dedup();
                }
                _ => {}
            }
            match changed.value() {
                Ok(value) => {
                    believed += 1;
                    assert_eq!(value, expected, "{changed:?}");
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 5000 && believed > 400, "{refused} refused, {believed} believed");
}
