//! Strongly connected components of atoms, callees first.
//!
//! Always: every node is in exactly one component, and a component comes after all that its
//! members reach. Cost: linear; a stack of our own, as chains of rules may be deep.
//! Source: Tarjan, *Depth-first search and linear graph algorithms* (1972).

/// Successors of nodes `0..n`, in one vector.
pub(crate) struct Graph {
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl Graph {
    /// From the successors of each node in turn.
    pub(crate) fn new<S: IntoIterator<Item = u32>>(nodes: impl Iterator<Item = S>) -> Self {
        let (mut ends, mut targets) = (Vec::new(), Vec::new());
        for successors in nodes {
            targets.extend(successors);
            ends.push(u32::try_from(targets.len()).expect("at most 2^32 edges"));
        }
        let count = ends.len() as u32;
        assert!(targets.iter().all(|target| *target < count), "an edge leaves the graph");
        Self { ends, targets }
    }

    fn successors(&self, node: u32) -> &[u32] {
        let start = (node as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.targets[start as usize..self.ends[node as usize] as usize]
    }

    /// Whether the nodes of a component form a cycle: several, or one that is its own successor.
    pub(crate) fn is_cycle(&self, component: &[u32]) -> bool {
        component.len() > 1 || self.successors(component[0]).contains(&component[0])
    }

    /// The components, one after the other, and where each ends.
    pub(crate) fn components(&self) -> Components {
        let mut walk = Walk {
            graph: self,
            order: vec![UNSEEN; self.ends.len()],
            low: vec![0; self.ends.len()],
            open: Vec::new(),
            path: Vec::new(),
            count: 0,
            found: Components { members: Vec::new(), ends: Vec::new() },
        };
        for node in 0..self.ends.len() as u32 {
            walk.from(node);
        }
        assert_eq!(walk.found.members.len(), self.ends.len(), "every node has a component");
        walk.found
    }
}

/// Components in order.
pub(crate) struct Components {
    members: Vec<u32>,
    ends: Vec<usize>,
}

impl Components {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.ends.iter().enumerate().map(|(at, end)| {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.members[start..*end]
        })
    }
}

const UNSEEN: u32 = u32::MAX;
const CLOSED: u32 = u32::MAX - 1;

struct Walk<'g> {
    graph: &'g Graph,
    /// By node: its place in the walk, or unseen, or closed once its component is out.
    order: Vec<u32>,
    /// By node: the earliest open place that it reaches.
    low: Vec<u32>,
    open: Vec<u32>,
    /// Nodes under way, each with how many successors are done.
    path: Vec<(u32, usize)>,
    count: u32,
    found: Components,
}

impl Walk<'_> {
    fn from(&mut self, root: u32) {
        if self.order[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        while let Some((node, done)) = self.path.last_mut() {
            let node = *node;
            let Some(&next) = self.graph.successors(node).get(*done) else {
                self.leave(node);
                continue;
            };
            *done += 1;
            match self.order[next as usize] {
                UNSEEN => self.enter(next),
                CLOSED => {}
                place => self.reaches(node, place),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.order[node as usize] = self.count;
        self.low[node as usize] = self.count;
        self.count += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn reaches(&mut self, node: u32, place: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(place);
    }

    fn leave(&mut self, node: u32) {
        self.path.pop();
        let low = self.low[node as usize];
        if let Some(&(caller, _)) = self.path.last() {
            self.reaches(caller, low);
        }
        if low != self.order[node as usize] {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == node).expect("the node is open");
        for member in self.open.drain(start..) {
            self.order[member as usize] = CLOSED;
            self.found.members.push(member);
        }
        self.found.ends.push(self.found.members.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_first_and_cycles_are_together() {
        let edges = [vec![1, 3], vec![2], vec![1], vec![], vec![4]];
        let graph = Graph::new(edges.into_iter());
        let components: Vec<Vec<u32>> = graph
            .components()
            .iter()
            .map(|one| {
                let mut one = one.to_vec();
                one.sort_unstable();
                one
            })
            .collect();
        assert_eq!(components, [vec![1, 2], vec![3], vec![0], vec![4]]);
        let cycles = components.iter().map(|one| graph.is_cycle(one));
        assert_eq!(cycles.collect::<Vec<_>>(), [true, false, false, true]);
    }
}
