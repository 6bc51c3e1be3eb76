//! Colour refinement: vertices in cells, split until neighbours tell no two of a cell apart.
//!
//! Always: cells are ranges of one list and are known by where they begin; what becomes of them
//! depends on the graph alone and not on how its vertices are numbered, so that refining two
//! partitions that an automorphism maps to each other gives cells at the same places. A hash of
//! labels stands for the multiset of a vertex's edges into a cell: a collision can only hide a
//! difference, and then a candidate is refused later. Cost: edges times the logarithm of the
//! vertices, as all parts of a split cell but the largest are looked at again.
//! Source: the refinement of B. D. McKay and A. Piperno, "Practical graph isomorphism, II", 2014.

use std::collections::VecDeque;

use super::forms::{Fixed, Forms, Literal};

/// What an edge means, seen from one end; a hash of it is summed.
#[derive(Clone, Copy)]
enum Label {
    Member = 1,
    HasMember = 3,
    Next = 5,
    NextOf = 7,
    Legal = 9,
    LegalOf = 11,
}

/// The graph of a game: nodes of its normal form, with an edge for each member, from each
/// proposition to its successor, and from each move to its legality.
pub(super) struct Graph {
    starts: Vec<u32>,
    /// Neighbours, each with what it sums up where this vertex is in the cell looked at.
    edges: Vec<(u32, u64)>,
    /// By vertex: equal where nothing but edges tells vertices apart.
    kinds: Vec<u64>,
}

impl Graph {
    /// The graph; `kinds` tells propositions and moves apart as far as they are known to differ.
    pub(super) fn new(forms: &Forms, kinds: &[u64]) -> Self {
        assert_eq!(kinds.len(), forms.bases + forms.inputs, "a kind for each leaf");
        let mut list: Vec<(u32, u32, u64)> = Vec::new();
        let mut join = |one: usize, other: Literal, (there, back): (Label, Label)| {
            let sign = u64::from(other.is_negated());
            let (one, other) = (one as u32, other.node() as u32);
            list.push((one, other, mix(there as u64 + sign)));
            list.push((other, one, mix(back as u64 + sign)));
        };
        for node in 0..forms.len() {
            let members = forms.members(node).iter();
            members.for_each(|member| join(node, *member, (Label::HasMember, Label::Member)));
        }
        let next = forms.next.iter().enumerate();
        next.for_each(|(base, literal)| join(base, *literal, (Label::Next, Label::NextOf)));
        let legal = forms.legal.iter().enumerate();
        legal.for_each(|(input, literal)| {
            join(forms.bases + input, *literal, (Label::Legal, Label::LegalOf));
        });
        list.sort_unstable();
        let mut starts = vec![0; forms.len() + 1];
        list.iter().for_each(|edge| starts[edge.0 as usize + 1] += 1);
        (0..forms.len()).for_each(|vertex| starts[vertex + 1] += starts[vertex]);
        let edges = list.into_iter().map(|(_, to, label)| (to, label)).collect();
        Self { starts, edges, kinds: vertex_kinds(forms, kinds) }
    }

    fn neighbours(&self, vertex: u32) -> &[(u32, u64)] {
        let vertex = vertex as usize;
        &self.edges[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Number of edges, each counted from both ends.
    pub(super) fn edges(&self) -> usize {
        self.edges.len()
    }
}

fn vertex_kinds(forms: &Forms, leaves: &[u64]) -> Vec<u64> {
    let mut kinds: Vec<u64> = leaves.iter().map(|kind| mix(*kind)).collect();
    kinds.push(mix(1 << 40));
    kinds.resize(forms.len(), mix(1 << 41));
    for (what, literal) in &forms.fixed {
        let code = match what {
            Fixed::Terminal => 1 << 42,
            Fixed::Goal(value) => 1 << 43 | u64::from(*value) << 1,
        };
        let kind = &mut kinds[literal.node()];
        *kind = mix(kind.wrapping_add(mix(code + u64::from(literal.is_negated()))));
    }
    kinds
}

/// Mixes a number. Source: Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, 2014.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// The work was more than was allowed.
#[derive(Debug)]
pub(super) struct TooMuchWork;

/// Vertices in cells.
#[derive(Clone)]
pub(super) struct Partition {
    /// Vertices, cell after cell.
    order: Vec<u32>,
    place: Vec<u32>,
    /// By vertex: where its cell begins.
    cell: Vec<u32>,
    /// By where a cell begins: its size.
    size: Vec<u32>,
    /// What tells refinements apart that no automorphism maps to each other.
    trace: u64,
}

/// Memory of refinements, and the work that they may still do.
pub(super) struct Refiner<'a> {
    graph: &'a Graph,
    sums: Vec<u64>,
    touched: Vec<u32>,
    waiting: VecDeque<u32>,
    waits: Vec<bool>,
    /// Edges that may still be looked at.
    pub(super) work: u64,
}

impl Partition {
    /// The cells that the kinds of vertices give.
    pub(super) fn new(graph: &Graph) -> Self {
        let count = graph.kinds.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by_key(|vertex| (graph.kinds[*vertex as usize], *vertex));
        let (mut place, mut cell) = (vec![0; count], vec![0; count]);
        let mut size = vec![0; count];
        let mut start = 0;
        for (at, &vertex) in order.iter().enumerate() {
            let kind = |vertex: u32| graph.kinds[vertex as usize];
            if kind(order[start]) != kind(vertex) {
                start = at;
            }
            (place[vertex as usize], cell[vertex as usize]) = (at as u32, start as u32);
            size[start] += 1;
        }
        Self { order, place, cell, size, trace: 0 }
    }

    /// Where the cell of a vertex begins.
    pub(super) fn cell_of(&self, vertex: usize) -> usize {
        self.cell[vertex] as usize
    }

    /// The vertices of the cell that begins here.
    pub(super) fn members(&self, cell: usize) -> &[u32] {
        &self.order[cell..cell + self.size[cell] as usize]
    }

    /// All vertices, cell after cell.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// Equal for partitions that an automorphism maps to each other.
    pub(super) fn trace(&self) -> u64 {
        self.trace
    }

    /// Puts a vertex at a place of its own cell.
    fn put(&mut self, vertex: u32, at: usize) {
        let (old, other) = (self.place[vertex as usize], self.order[at]);
        self.order.swap(old as usize, at);
        self.place[other as usize] = old;
        self.place[vertex as usize] = at as u32;
    }
}

impl<'a> Refiner<'a> {
    /// A refiner that may look at so many edges.
    pub(super) fn new(graph: &'a Graph, work: u64) -> Self {
        let count = graph.kinds.len();
        Self {
            graph,
            sums: vec![0; count],
            touched: Vec::new(),
            waiting: VecDeque::new(),
            waits: vec![false; count],
            work,
        }
    }

    /// Edges of the graph.
    pub(super) fn edges(&self) -> usize {
        self.graph.edges()
    }

    /// Refines the first partition by all its cells.
    pub(super) fn refine_all(&mut self, partition: &mut Partition) -> Result<(), TooMuchWork> {
        let mut at = 0;
        while at < partition.len() {
            self.wait(at as u32);
            at += partition.size[at] as usize;
        }
        self.refine(partition)
    }

    /// Gives a vertex of a larger cell a cell of its own, and refines.
    pub(super) fn single_out(
        &mut self,
        partition: &mut Partition,
        vertex: u32,
    ) -> Result<(), TooMuchWork> {
        let start = partition.cell[vertex as usize] as usize;
        let size = partition.size[start] as usize;
        assert!(size > 1, "a vertex that is alone already");
        partition.put(vertex, start);
        partition.size[start] = 1;
        partition.size[start + 1] = size as u32 - 1;
        for at in start + 1..start + size {
            partition.cell[partition.order[at] as usize] = start as u32 + 1;
        }
        self.wait(start as u32);
        self.refine(partition)
    }

    fn wait(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.waits[cell as usize], true) {
            self.waiting.push_back(cell);
        }
    }

    fn refine(&mut self, partition: &mut Partition) -> Result<(), TooMuchWork> {
        while let Some(cell) = self.waiting.pop_front() {
            self.waits[cell as usize] = false;
            if self.sum_up(partition, cell as usize).is_err() {
                self.waiting.drain(..).for_each(|cell| self.waits[cell as usize] = false);
                return Err(TooMuchWork);
            }
            self.split_touched(partition);
        }
        Ok(())
    }

    /// Sums the labels of all edges into a cell, by vertex.
    fn sum_up(&mut self, partition: &Partition, cell: usize) -> Result<(), TooMuchWork> {
        let graph = self.graph;
        debug_assert!(self.touched.is_empty());
        let members = partition.members(cell);
        let edges: usize = members.iter().map(|vertex| graph.neighbours(*vertex).len()).sum();
        self.work = self.work.checked_sub(1 + edges as u64).ok_or(TooMuchWork)?;
        for &vertex in members {
            for &(neighbour, label) in graph.neighbours(vertex) {
                // A vertex alone cannot be split, but for the trace that tells partitions apart.
                let sum = &mut self.sums[neighbour as usize];
                if *sum == 0 {
                    self.touched.push(neighbour);
                }
                *sum = sum.wrapping_add(label).max(1);
            }
        }
        Ok(())
    }

    /// Splits the cells of the touched vertices by their sums.
    fn split_touched(&mut self, partition: &mut Partition) {
        let mut touched = std::mem::take(&mut self.touched);
        let sums = &self.sums;
        touched.sort_unstable_by_key(|vertex| {
            (partition.cell[*vertex as usize], sums[*vertex as usize])
        });
        let mut from = 0;
        while from < touched.len() {
            let cell = partition.cell[touched[from] as usize];
            let same = |vertex: &&u32| partition.cell[**vertex as usize] == cell;
            let to = from + touched[from..].iter().take_while(same).count();
            self.split(partition, cell as usize, &touched[from..to]);
            from = to;
        }
        touched.drain(..).for_each(|vertex| self.sums[vertex as usize] = 0);
        self.touched = touched;
    }

    /// Splits one cell; its touched vertices come in the order of their sums.
    fn split(&mut self, partition: &mut Partition, cell: usize, touched: &[u32]) {
        let size = partition.size[cell] as usize;
        let mut note = |number: u64| partition.trace = mix(partition.trace ^ number);
        note((cell as u64) << 32 | touched.len() as u64);
        touched.iter().for_each(|vertex| note(self.sums[*vertex as usize]));
        let sum = |at: usize| self.sums[touched[at] as usize];
        let untouched = size - touched.len();
        if size == 1 || untouched == 0 && sum(0) == sum(touched.len() - 1) {
            return;
        }
        let mut parts: Vec<usize> = Vec::new();
        if untouched > 0 {
            parts.push(cell);
        }
        for (at, &vertex) in touched.iter().enumerate() {
            let place = cell + untouched + at;
            if at == 0 || sum(at) != sum(at - 1) {
                parts.push(place);
            }
            partition.put(vertex, place);
        }
        let ends: Vec<usize> = parts.iter().copied().skip(1).chain([cell + size]).collect();
        for (&start, &end) in parts.iter().zip(&ends) {
            partition.size[start] = (end - start) as u32;
            for at in start..end {
                partition.cell[partition.order[at] as usize] = start as u32;
            }
        }
        let largest = (0..parts.len()).rev().max_by_key(|part| ends[*part] - parts[*part]);
        let whole = self.waits[cell];
        for (at, &start) in parts.iter().enumerate() {
            if whole || Some(at) != largest {
                self.wait(start as u32);
            }
        }
    }
}
