//! The search for generators: single out vertices until all leaves are told apart, then single out
//! others in their stead.
//!
//! A path down to a partition in which every proposition and move is alone fixes a list of points.
//! From its end upward, each point is replaced by another one of its cell, and a second path is
//! taken down beside the first; where both refine alike, the vertices at equal places are a
//! candidate, and the network decides. Points that generators already map to each other are not
//! tried again, so each generator found makes the group at least twice as large.
//!
//! Propositions that never change come last, with moves, and nothing is tried in their stead: what
//! moves only them is of no use.
//!
//! Always: a generator was proven on the network. What is missed (the second path takes the first
//! vertex of each cell and never goes back) makes the group smaller and nothing wrong. Source: the
//! search tree of B. D. McKay, "Practical graph isomorphism", 1981, without its backtracking.

use ground::{BaseId, InputId};
use index::Id;

use super::Automorphism;
use super::forms::Forms;
use super::partition::{Graph, Partition, Refiner, TooMuchWork};

/// Points on the way down, at most.
const LIMIT_POINTS: usize = 256;

/// What a search came to.
pub(super) struct Found {
    pub(super) generators: Vec<Automorphism>,
    pub(super) order: u128,
    /// Whether it was not ended by the limit on its work.
    pub(super) is_complete: bool,
}

/// One point of the first path.
struct Point {
    /// The cells before it was singled out.
    before: Partition,
    cell: usize,
    vertex: u32,
    /// The trace after.
    trace: u64,
}

struct Search<'a> {
    forms: &'a Forms,
    refiner: Refiner<'a>,
    points: Vec<Point>,
    end: Partition,
    accept: &'a dyn Fn(&Automorphism) -> bool,
    generators: Vec<Automorphism>,
    order: u128,
}

/// Generators of the automorphisms that `accept` proves, by so much work.
pub(super) fn search(
    forms: &Forms,
    graph: &Graph,
    work: u64,
    accept: &dyn Fn(&Automorphism) -> bool,
) -> Found {
    let mut refiner = Refiner::new(graph, work);
    let mut end = Partition::new(graph);
    if refiner.refine_all(&mut end).is_err() {
        return Found { generators: Vec::new(), order: 1, is_complete: false };
    }
    let (points, generators) = (Vec::new(), Vec::new());
    let mut search = Search { forms, refiner, points, end, accept, generators, order: 1 };
    let ended = search.run();
    let Search { generators, order, .. } = search;
    Found { generators, order, is_complete: ended.is_ok() }
}

impl Search<'_> {
    fn run(&mut self) -> Result<(), TooMuchWork> {
        if self.open_cell(&self.end, true).is_none() {
            return Ok(());
        }
        self.go_down()?;
        for at in (0..self.points.len()).rev() {
            if self.changes(self.points[at].vertex as usize) {
                self.replace(at)?;
            }
        }
        Ok(())
    }

    /// Whether a leaf is a proposition that may change.
    fn changes(&self, leaf: usize) -> bool {
        self.forms.idle.get(leaf) == Some(&false)
    }

    /// The smallest cell that still holds several leaves, of propositions that may change or of
    /// others.
    fn open_cell(&self, partition: &Partition, changing: bool) -> Option<usize> {
        let leaves = 0..self.forms.bases + self.forms.inputs;
        let among = leaves.filter(|leaf| self.changes(*leaf) == changing);
        let cells = among.map(|leaf| partition.cell_of(leaf));
        let open = cells.filter(|cell| partition.members(*cell).len() > 1);
        open.min_by_key(|cell| (partition.members(*cell).len(), *cell))
    }

    fn charge(&mut self, work: usize) -> Result<(), TooMuchWork> {
        self.refiner.work = self.refiner.work.checked_sub(work as u64).ok_or(TooMuchWork)?;
        Ok(())
    }

    /// The first path: propositions that may change first, then what else there is.
    fn go_down(&mut self) -> Result<(), TooMuchWork> {
        loop {
            self.charge(self.end.len())?;
            let open = self.open_cell(&self.end, true);
            let Some(cell) = open.or_else(|| self.open_cell(&self.end, false)) else {
                return Ok(());
            };
            if self.points.len() == LIMIT_POINTS {
                return Err(TooMuchWork);
            }
            let before = self.end.clone();
            let vertex = *before.members(cell).iter().min().expect("a cell has vertices");
            self.refiner.single_out(&mut self.end, vertex)?;
            self.points.push(Point { before, cell, vertex, trace: self.end.trace() });
        }
    }

    /// Tries the other vertices of a point's cell in its stead.
    fn replace(&mut self, at: usize) -> Result<(), TooMuchWork> {
        let point = &self.points[at];
        let vertex = point.vertex;
        let mut others: Vec<u32> = point.before.members(point.cell).to_vec();
        others.sort_unstable();
        let mut orbits = Orbits::new(self.forms.bases);
        self.generators.iter().for_each(|generator| orbits.join(generator));
        let mut refused: Vec<u32> = Vec::new();
        let outcome = others.into_iter().try_for_each(|other| {
            let held = orbits.of(other);
            if held == orbits.of(vertex) || refused.iter().any(|it| orbits.of(*it) == held) {
                return Ok(());
            }
            // Every edge is seen once more where the candidate is proven.
            self.charge(self.refiner.edges() / 2)?;
            let found = self.candidate(at, other)?;
            match found.and_then(|found| self.proven(found)) {
                Some(found) => {
                    orbits.join(&found);
                    self.generators.push(found);
                }
                None => refused.push(other),
            }
            Ok(())
        });
        self.order = self.order.saturating_mul(orbits.size(vertex) as u128);
        outcome
    }

    /// A candidate that is accepted, if it can be without moving what never changes.
    fn proven(&self, found: Automorphism) -> Option<Automorphism> {
        let mut still = found.clone();
        for base in found.bases.ids().filter(|base| !self.changes(base.index())) {
            still.bases[base] = base;
        }
        [still, found].into_iter().find(|candidate| (self.accept)(candidate))
    }

    /// What maps the first path to one that takes `other` at a point.
    fn candidate(&mut self, at: usize, other: u32) -> Result<Option<Automorphism>, TooMuchWork> {
        let mut second = self.points[at].before.clone();
        self.charge(second.len())?;
        for next in at..self.points.len() {
            let cell = self.points[next].cell;
            let vertex = if next == at { other } else { second.members(cell)[0] };
            self.refiner.single_out(&mut second, vertex)?;
            if second.trace() != self.points[next].trace {
                return Ok(None);
            }
        }
        Ok(self.read_off(&second))
    }

    /// The renaming that maps leaves to those at the same places of another partition.
    fn read_off(&self, second: &Partition) -> Option<Automorphism> {
        let (bases, leaves) = (self.forms.bases, self.forms.bases + self.forms.inputs);
        let mut image = vec![u32::MAX; leaves];
        for (&from, &to) in self.end.order().iter().zip(second.order()) {
            if let Some(image) = image.get_mut(from as usize) {
                *image = to;
            }
        }
        let kept = |(from, to): (usize, &u32)| {
            let to = *to as usize;
            to < leaves && (from < bases) == (to < bases)
        };
        if !image.iter().enumerate().all(kept) {
            return None;
        }
        let (of_bases, of_inputs) = image.split_at(bases);
        let moved = |to: &u32| InputId::from_index(*to as usize - bases);
        Some(Automorphism {
            bases: of_bases.iter().map(|to| BaseId::from_index(*to as usize)).collect(),
            inputs: of_inputs.iter().map(moved).collect(),
        })
    }
}

/// Which propositions generators map to each other.
struct Orbits {
    parent: Vec<u32>,
}

impl Orbits {
    fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    fn of(&self, vertex: u32) -> u32 {
        let mut at = vertex;
        while self.parent[at as usize] != at {
            at = self.parent[at as usize];
        }
        at
    }

    fn join(&mut self, generator: &Automorphism) {
        for (from, to) in generator.bases.enumerate() {
            let (one, other) = (self.of(from.index() as u32), self.of(to.index() as u32));
            self.parent[one.max(other) as usize] = one.min(other);
        }
    }

    fn size(&self, vertex: u32) -> usize {
        let orbit = self.of(vertex);
        (0..self.parent.len() as u32).filter(|other| self.of(*other) == orbit).count()
    }
}
