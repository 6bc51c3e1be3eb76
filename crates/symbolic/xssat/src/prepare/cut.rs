//! Cut: the minimum cut of a small network, nearest to the source.
//!
//! Dinic's algorithm: rounds of a breadth-first search from the source for distances, then of
//! blocking flow along shortest paths, without recursion.
//! Source: Dinic (1970).

use std::collections::VecDeque;

/// A node of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(u32);

impl Node {
    pub(crate) const SOURCE: Self = Self(0);
    pub(crate) const SINK: Self = Self(1);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

struct Edge {
    to: u32,
    /// What is left of its capacity.
    room: u32,
    /// The next edge of the same node, `NONE` at the end.
    next: u32,
}

const NONE: u32 = u32::MAX;

/// A network; an edge and its reverse are neighbours.
pub(crate) struct Network {
    edges: Vec<Edge>,
    first: Vec<u32>,
    distance: Vec<u32>,
    /// The edge of each node to try next in this round.
    next: Vec<u32>,
    path: Vec<u32>,
    queue: VecDeque<u32>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            first: vec![NONE; 2],
            distance: Vec::new(),
            next: Vec::new(),
            path: Vec::new(),
            queue: VecDeque::new(),
        }
    }
}

impl Network {
    /// A capacity that no cut crosses.
    pub(crate) const ENDLESS: u32 = u32::MAX / 4;

    /// Leaves the source and the sink alone.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.first.clear();
        self.first.resize(2, NONE);
    }

    pub(crate) fn node(&mut self) -> Node {
        self.first.push(NONE);
        Node(self.first.len() as u32 - 1)
    }

    pub(crate) fn edge(&mut self, from: Node, to: Node, capacity: u32) {
        debug_assert!(from != to && capacity > 0);
        for (from, to, room) in [(from, to, capacity), (to, from, 0)] {
            let next = std::mem::replace(&mut self.first[from.index()], self.edges.len() as u32);
            self.edges.push(Edge { to: to.0, room, next });
        }
    }

    /// For each node whether it lies beyond the minimum cut that is nearest to the source.
    pub(crate) fn beyond_first_cut(&mut self) -> Vec<bool> {
        while self.measure() {
            self.next.clone_from(&self.first);
            while self.augment() {}
        }
        self.distance.iter().map(|&distance| distance == NONE).collect()
    }

    /// Finds distances from the source; whether the sink is reached.
    fn measure(&mut self) -> bool {
        self.distance.clear();
        self.distance.resize(self.first.len(), NONE);
        self.distance[Node::SOURCE.index()] = 0;
        self.queue.push_back(Node::SOURCE.0);
        while let Some(node) = self.queue.pop_front() {
            let mut at = self.first[node as usize];
            while at != NONE {
                let edge = &self.edges[at as usize];
                if edge.room > 0 && self.distance[edge.to as usize] == NONE {
                    self.distance[edge.to as usize] = self.distance[node as usize] + 1;
                    self.queue.push_back(edge.to);
                }
                at = edge.next;
            }
        }
        self.distance[Node::SINK.index()] != NONE
    }

    /// Sends 1 along a shortest path; false where none is left.
    fn augment(&mut self) -> bool {
        self.path.clear();
        let mut node = Node::SOURCE.0;
        while node != Node::SINK.0 {
            let at = self.next[node as usize];
            if at == NONE {
                let Some(back) = self.path.pop() else { return false };
                node = self.edges[back as usize ^ 1].to;
                self.next[node as usize] = self.edges[back as usize].next;
                continue;
            }
            let edge = &self.edges[at as usize];
            if edge.room > 0 && self.distance[edge.to as usize] == self.distance[node as usize] + 1
            {
                self.path.push(at);
                node = edge.to;
            } else {
                self.next[node as usize] = edge.next;
            }
        }
        for &at in &self.path {
            self.edges[at as usize].room -= 1;
            self.edges[at as usize ^ 1].room += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_is_the_smallest_and_the_nearest() {
        let mut network = Network::default();
        let nodes: Vec<Node> = (0..4).map(|_| network.node()).collect();
        network.edge(Node::SOURCE, nodes[0], Network::ENDLESS);
        network.edge(nodes[0], nodes[1], 1);
        network.edge(nodes[0], nodes[2], 1);
        network.edge(nodes[1], nodes[3], 1);
        network.edge(nodes[2], nodes[3], 1);
        network.edge(nodes[3], Node::SINK, 2);
        let beyond = network.beyond_first_cut();
        assert_eq!(beyond, [false, true, false, true, true, true]);
        network.edge(nodes[0], nodes[3], 1);
        network.clear();
        let only = network.node();
        network.edge(Node::SOURCE, only, 1);
        assert!(!network.beyond_first_cut()[only.index()], "no way to the sink");
    }
}
