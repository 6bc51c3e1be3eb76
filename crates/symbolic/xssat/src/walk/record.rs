//! Record: the trace of a walk, for those who want to check it.
//!
//! Nodes are written on the way back, so that a node's children come before it. The values that
//! caches answer with are nodes as well: for each entry the boundary that it was learned at.

use std::collections::HashMap;

use index::Id;
use qcnf::Lit;
use qcnf::trace::{Node, NodeId};

/// What a walk has shown so far.
#[derive(Default)]
pub(crate) struct Recorder {
    nodes: Vec<Node>,
    /// The first values of branches that are at their second.
    firsts: Vec<NodeId>,
    /// The boundary node of each entry of each boundary's table.
    known: HashMap<(usize, u32), NodeId>,
}

impl Recorder {
    /// The node of the value at hand.
    fn last(&self) -> NodeId {
        NodeId::from_index(self.nodes.len() - 1)
    }

    pub(crate) fn leaf(&mut self, is_one: bool) {
        self.nodes.push(if is_one { Node::One } else { Node::Zero });
    }

    /// A boundary's table answered.
    pub(crate) fn recall(&mut self, boundary: usize, entry: u32) {
        let node = self.known.get(&(boundary, entry)).expect("the entry was recorded");
        self.nodes.push(Node::Known { node: *node });
    }

    /// A boundary is left upward; the entry keeps its value.
    pub(crate) fn boundary(&mut self, boundary: usize, entry: Option<u32>) {
        self.nodes.push(Node::Boundary { next: self.last() });
        if let Some(entry) = entry {
            self.known.insert((boundary, entry), self.last());
        }
    }

    pub(crate) fn settled(&mut self, lit: Lit, is_free: bool) {
        let next = self.last();
        self.nodes.push(if is_free { Node::Free { lit, next } } else { Node::Pure { lit, next } });
    }

    /// The first value of a branch is known, and its second is tried.
    pub(crate) fn turn(&mut self) {
        self.firsts.push(self.last());
    }

    /// A branch is left upward; `lit` was true first.
    pub(crate) fn branch(&mut self, lit: Lit, has_second: bool) {
        let last = self.last();
        let (first, second) = match has_second {
            true => (self.firsts.pop().expect("the branch turned"), Some(last)),
            false => (last, None),
        };
        self.nodes.push(Node::Branch { lit, first, second });
    }

    /// All nodes; the last is the root.
    pub(crate) fn finish(self) -> Vec<Node> {
        debug_assert!(self.firsts.is_empty(), "every branch was left");
        self.nodes
    }
}
