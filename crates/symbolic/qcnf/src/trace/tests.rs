//! Traces by hand: a right one, and each fault.

use exact::Ratio;
use index::Id;

use super::*;
use crate::text::parse;

/// x, then a coin y of 1/3: x or not y; not x or y: worth 2/3 (x false), 1/3 (x true).
fn right() -> Trace {
    let text = b"p cnf 2 2\ne 1 0\nr 1/3 2 0\n1 -2 0\n-1 2 0\n";
    let n = NodeId::from_index;
    let lit = Lit::positive(crate::Var::from_index(0));
    Trace {
        formula: parse(text).expect("a formula").formula,
        boundaries: vec![1, 2],
        factor: Ratio::one(),
        nodes: vec![
            Node::One,
            Node::Boundary { next: n(0) },
            Node::Boundary { next: n(1) },
            Node::Boundary { next: n(1) },
            Node::Branch { lit, first: n(2), second: Some(n(3)) },
        ],
    }
}

#[test]
fn a_right_trace_shows_the_value() {
    assert_eq!(right().value(), Ok(Ratio::new(2u8, 3u8)));
    let half = Trace { factor: Ratio::new(1u8, 2u8), ..right() };
    assert_eq!(half.value(), Ok(Ratio::new(1u8, 3u8)));
}

#[test]
fn text_and_back_is_the_same_trace() {
    let mut text = Vec::new();
    right().write(&mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("text");
    assert_eq!(Trace::parse(&text), Ok(right()));
    for broken in [
        "factor 1/0",
        "factor x",
        "factor 3/2",
        "factor -1/2",
        "boundaries 1 x",
        "b 1 2 3 4",
        "b 9 2 3",
        "q",
    ] {
        let kind = broken.split(' ').next().expect("a word");
        let lines: Vec<&str> =
            text.lines().map(|line| if line.starts_with(kind) { broken } else { line }).collect();
        let text = if kind == "q" { format!("{text}q\n") } else { lines.join("\n") };
        assert!(matches!(Trace::parse(&text), Err(TraceFormatFault::Line(_))), "{broken}");
    }
    assert_eq!(Trace::parse("p cnf 0 0\n"), Err(TraceFormatFault::NoTrace));
}

#[test]
fn nodes_that_are_not_allowed_are_faults() {
    let n = NodeId::from_index;
    let fault = |at: usize, node: Node| {
        let mut trace = right();
        trace.nodes[at] = node;
        trace.value().expect_err("a fault was planted")
    };
    let x = Lit::positive(crate::Var::from_index(0));
    assert_eq!(fault(0, Node::Zero), TraceFault::NoConflict(n(0)));
    assert_eq!(fault(4, Node::Pure { lit: x, next: n(2) }), TraceFault::Needed(n(4)));
    assert_eq!(fault(4, Node::Free { lit: x, next: n(2) }), TraceFault::Needed(n(4)));
    assert_eq!(
        fault(4, Node::Branch { lit: x, first: n(2), second: None }),
        TraceFault::Undecided(n(4))
    );
    assert_eq!(fault(3, Node::Known { node: n(2) }), TraceFault::Differs(n(3)));
    assert_eq!(fault(2, Node::Boundary { next: n(4) }), TraceFault::NotBefore(n(2)));
    assert_eq!(fault(4, Node::One), TraceFault::NotOne(n(4)));
}

/// Coins x and y of 1/2 and 1/3, x equal to y: worth 1/6 + 2/6. A branch on y where x decided it
/// would make up a value for the other side, and lose the weight of y.
#[test]
fn a_step_on_a_variable_that_has_a_value_is_refused() {
    let text = b"p cnf 2 2\nr 1/2 1 0\nr 1/3 2 0\n1 -2 0\n-1 2 0\n";
    let n = NodeId::from_index;
    let [x, y] = [0, 1].map(|at| Lit::positive(crate::Var::from_index(at)));
    let trace = |step: Node, boundaries: Vec<u32>| {
        let root = Node::Branch { lit: x, first: n(2), second: Some(n(3)) };
        let leave = Node::Boundary { next: n(0) };
        Trace {
            formula: parse(text).expect("a formula").formula,
            boundaries,
            factor: Ratio::one(),
            nodes: vec![Node::One, leave, step, leave, root],
        }
    };
    let right = trace(Node::Boundary { next: n(0) }, vec![1]);
    assert_eq!(right.value(), Ok(Ratio::new(1u8, 2u8)));
    for step in [
        Node::Branch { lit: y, first: n(0), second: Some(n(0)) },
        Node::Branch { lit: !y, first: n(0), second: Some(n(0)) },
        Node::Branch { lit: y, first: n(1), second: Some(n(1)) },
        Node::Pure { lit: y, next: n(0) },
        Node::Pure { lit: !y, next: n(0) },
        Node::Free { lit: y, next: n(0) },
        Node::Free { lit: !y, next: n(1) },
        Node::Free { lit: x, next: n(1) },
    ] {
        assert_eq!(trace(step, vec![1]).value(), Err(TraceFault::NotNext(n(2))), "{step:?}");
    }
}

/// x, then y, then a coin that must be true whatever y is: at the end of the level of x a step on y
/// must wait for the boundary, for behind it nothing that has a value would be passed any more.
#[test]
fn a_step_across_the_end_of_a_level_is_refused() {
    let text = b"p cnf 3 2\ne 1 0\ne 2 0\nr 1/3 3 0\n-2 3 0\n2 3 0\n";
    let n = NodeId::from_index;
    let [x, y] = [0, 1].map(|at| Lit::positive(crate::Var::from_index(at)));
    let value = |step: Node| {
        let trace = Trace {
            formula: parse(text).expect("a formula").formula,
            boundaries: vec![1],
            factor: Ratio::one(),
            nodes: vec![
                Node::One,
                Node::Branch { lit: y, first: n(0), second: Some(n(0)) },
                Node::Boundary { next: n(1) },
                step,
                Node::Branch { lit: x, first: n(3), second: Some(n(3)) },
            ],
        };
        trace.value()
    };
    assert_eq!(value(Node::Boundary { next: n(1) }), Ok(Ratio::new(1u8, 3u8)));
    assert_eq!(value(Node::Known { node: n(2) }), Ok(Ratio::new(1u8, 3u8)));
    for step in [
        Node::Branch { lit: y, first: n(0), second: Some(n(0)) },
        Node::Branch { lit: y, first: n(2), second: Some(n(2)) },
        Node::Pure { lit: y, next: n(0) },
        Node::Pure { lit: !y, next: n(2) },
        Node::Free { lit: y, next: n(0) },
    ] {
        assert_eq!(value(step), Err(TraceFault::NotNext(n(3))), "{step:?}");
    }
    assert_eq!(value(Node::Boundary { next: n(0) }), Err(TraceFault::NotOne(n(0))));
    assert_eq!(value(Node::One), Err(TraceFault::NotOne(n(3))));
}

/// x or y, and one of two coins of 1/3 and 1/2: worth 2/3. No clause crosses the second boundary,
/// so whatever was chosen above leaves the same there; at the others it does not.
#[test]
fn only_clauses_that_cross_a_boundary_count_there() {
    let text = b"p cnf 4 2\ne 1 0\ne 2 0\nr 1/3 3 0\nr 1/2 4 0\n1 2 0\n3 4 0\n";
    let n = NodeId::from_index;
    let [x, y, c, d] = [0, 1, 2, 3].map(|at| Lit::positive(crate::Var::from_index(at)));
    let trace = Trace {
        formula: parse(text).expect("a formula").formula,
        boundaries: vec![1, 2, 3],
        factor: Ratio::one(),
        nodes: vec![
            Node::One,
            Node::Free { lit: d, next: n(0) },
            Node::Boundary { next: n(1) },
            Node::Boundary { next: n(0) },
            Node::Branch { lit: c, first: n(2), second: Some(n(3)) },
            Node::Boundary { next: n(4) },
            Node::Free { lit: y, next: n(5) },
            Node::Boundary { next: n(6) },
            Node::Known { node: n(5) },
            Node::Boundary { next: n(8) },
            Node::Branch { lit: x, first: n(7), second: Some(n(9)) },
        ],
    };
    assert_eq!(trace.value(), Ok(Ratio::new(2u8, 3u8)));
    for (at, known) in [(3, 2), (9, 7)] {
        let mut changed = trace.clone();
        changed.nodes[at] = Node::Known { node: n(known) };
        assert_eq!(changed.value(), Err(TraceFault::Differs(n(at))));
    }
}

/// Nodes that are named twice are walked twice: a trace of forty has no end, and can be stopped.
#[test]
fn whoever_checks_can_stop() {
    let variables = 40;
    let names: Vec<String> = (1..=variables).map(|var| var.to_string()).collect();
    let text = format!("p cnf {variables} 0\na {} 0\n", names.join(" "));
    let mut nodes = vec![Node::One];
    for at in (0..variables).rev() {
        let lit = Lit::positive(crate::Var::from_index(at));
        let before = NodeId::from_index(nodes.len() - 1);
        nodes.push(Node::Branch { lit, first: before, second: Some(before) });
    }
    let trace = Trace {
        formula: parse(text.as_bytes()).expect("a formula").formula,
        boundaries: Vec::new(),
        factor: Ratio::one(),
        nodes,
    };
    let mut asked = 0;
    let mut stops = || {
        asked += 1;
        asked > 10
    };
    assert_eq!(trace.value_until(&mut stops), Err(TraceFault::Stopped));
    assert_eq!(asked, 11);
}
