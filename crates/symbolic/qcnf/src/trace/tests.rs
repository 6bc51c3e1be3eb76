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
    for broken in ["factor 1/0", "factor x", "boundaries 1 x", "b 1 2 3 4", "b 9 2 3", "q"] {
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
