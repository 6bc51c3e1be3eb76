//! Strongly connected components of the atoms that the outputs need, callees first.
//!
//! Computed: for the graph "atom needs atom" below given roots, its components in an order in
//! which each comes after all that it needs. Always: every atom that a root reaches is in exactly
//! one component. Cost: linear in the graph; own stack, as chains of rules may be deep.
//! Source: Tarjan, *Depth-first search and linear graph algorithms*, 1972.

/// The graph: the successors of node `n` are `targets[starts[n]..starts[n + 1]]`.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    starts: Vec<usize>,
    targets: Vec<u32>,
}

impl Graph {
    /// The graph of these edges over nodes `0..nodes`.
    pub(crate) fn new(nodes: usize, edges: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (from, to) in edges.clone() {
            assert!(from < nodes && to < nodes, "an edge leaves the graph");
            starts[from + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut cursor = starts.clone();
        assert!(u32::try_from(nodes).is_ok(), "more nodes than ids");
        let mut targets = vec![0u32; starts[nodes]];
        for (from, to) in edges {
            targets[cursor[from]] = to as u32;
            cursor[from] += 1;
        }
        Self { starts, targets }
    }

    fn successor(&self, node: usize, nth: usize) -> Option<usize> {
        self.targets[self.starts[node]..self.starts[node + 1]].get(nth).map(|&to| to as usize)
    }

    /// Whether the node is its own successor.
    pub(crate) fn has_loop(&self, node: usize) -> bool {
        self.targets[self.starts[node]..self.starts[node + 1]].iter().any(|&to| to as usize == node)
    }
}

const UNSEEN: usize = usize::MAX;
const CLOSED: usize = usize::MAX - 1;

/// The state of one walk.
struct Walk<'a> {
    graph: &'a Graph,
    /// By node: its place in the walk, or unseen, or closed when its component is out.
    order: Vec<usize>,
    /// By node: the earliest open place that it reaches.
    low: Vec<usize>,
    open: Vec<usize>,
    /// Nodes under way, each with how many successors are done.
    path: Vec<(usize, usize)>,
    count: usize,
    components: Vec<Vec<usize>>,
}

impl Walk<'_> {
    fn enter(&mut self, node: usize) {
        debug_assert_eq!(self.order[node], UNSEEN);
        self.order[node] = self.count;
        self.low[node] = self.count;
        self.count += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn step(&mut self, node: usize, nth: usize) {
        let Some(next) = self.graph.successor(node, nth) else { return self.leave(node) };
        if let Some(top) = self.path.last_mut() {
            top.1 += 1;
        }
        match self.order[next] {
            UNSEEN => self.enter(next),
            CLOSED => {}
            place => self.low[node] = self.low[node].min(place),
        }
    }

    fn leave(&mut self, node: usize) {
        self.path.pop();
        if let Some(&(parent, _)) = self.path.last() {
            self.low[parent] = self.low[parent].min(self.low[node]);
        }
        if self.low[node] == self.order[node] {
            self.close(node);
        }
    }

    fn close(&mut self, root: usize) {
        let start = self.open.iter().rposition(|node| *node == root);
        let mut component = self.open.split_off(start.expect("an open root is on the stack"));
        for &node in &component {
            self.order[node] = CLOSED;
        }
        component.sort_unstable();
        self.components.push(component);
    }
}

/// The components that `roots` reach, each sorted, callees first.
pub(crate) fn components(graph: &Graph, roots: &[usize]) -> Vec<Vec<usize>> {
    let nodes = graph.starts.len() - 1;
    let mut walk = Walk {
        graph,
        order: vec![UNSEEN; nodes],
        low: vec![UNSEEN; nodes],
        open: Vec::new(),
        path: Vec::new(),
        count: 0,
        components: Vec::new(),
    };
    for &root in roots {
        if walk.order[root] == UNSEEN {
            walk.enter(root);
        }
        while let Some(&(node, nth)) = walk.path.last() {
            walk.step(node, nth);
        }
    }
    assert!(walk.open.is_empty(), "every component is closed");
    walk.components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_need() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (4, 4), (5, 0)];
        let graph = Graph::new(6, edges.iter().copied());
        assert_eq!(components(&graph, &[0]), [vec![3], vec![1, 2], vec![0]]);
        assert_eq!(components(&graph, &[4, 5, 0]).len(), 5);
        assert!(graph.has_loop(4) && !graph.has_loop(1));
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let graph = Graph::new(500_000, (0..499_999).map(|node| (node, node + 1)));
        let found = components(&graph, &[0]);
        assert_eq!((found.len(), &found[0]), (500_000, &vec![499_999]));
    }
}
