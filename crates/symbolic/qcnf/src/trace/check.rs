//! Check: the value that a trace shows, or the first node that is not allowed.
//!
//! The nodes are walked from the last one. What always holds: variables are passed in the order
//! of the prefix, level by level, so that each branch is on the outermost variable without a value;
//! a variable that propagation bound is passed with its weight, for its other value is worth 0; a
//! level is left by a boundary node alone, and there every clause above holds. A node that was known
//! before is believed only if the same *parts* are left there: of the clauses that cross the
//! boundary, those that no literal above satisfies, without their literals above.
//!
//! Cost: that of the walk without its speed: each branch looks at all clauses of each variable it
//! binds, each boundary at all clauses that cross it. Depth does not matter, the stack is on the
//! heap.

use std::collections::HashMap;
use std::fmt;

use exact::Ratio;
use index::Id;

use super::propagate::Assignment;
use super::{Node, NodeId, Trace};
use crate::{Kind, Lit, Quantifier, Var};

/// Steps between two questions whether to stop.
const STEPS_UNASKED: u64 = 256;

/// Why a trace shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFault {
    /// There are no nodes.
    Empty,
    /// The formula is not well-formed, its variables do not stand in ascending order, or a clause
    /// holds a variable twice.
    Formula,
    /// The boundaries do not ascend, or lie outside of the prefix.
    Boundaries,
    /// A node names one that does not come before it, or is no boundary.
    NotBefore(NodeId),
    /// The node is about another variable than the next one.
    NotNext(NodeId),
    /// No clause is falsified there.
    NoConflict(NodeId),
    /// Clauses are open there, or variables have no value.
    NotOne(NodeId),
    /// The second value is left out though the first does not decide.
    Undecided(NodeId),
    /// A clause is open that makes the literal no free choice.
    Needed(NodeId),
    /// No level ends there.
    NoBoundary(NodeId),
    /// Something else is left there than at the boundary that it names.
    Differs(NodeId),
    /// The caller did not want to wait for the end.
    Stopped,
}

impl fmt::Display for TraceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the trace has no nodes"),
            Self::Stopped => write!(f, "the trace was not checked to its end"),
            Self::Formula => write!(
                f,
                "the formula of the trace is not well-formed, has its variables out of order, or \
                 a clause with a variable twice"
            ),
            Self::Boundaries => write!(f, "the ends of levels do not ascend within the prefix"),
            Self::NotBefore(node) => write!(f, "{node} names a node that it may not name"),
            Self::NotNext(node) => write!(f, "{node} is about another variable than the next"),
            Self::NoConflict(node) => write!(f, "{node}: no clause is falsified here"),
            Self::NotOne(node) => write!(f, "{node}: clauses or variables are open here"),
            Self::Undecided(node) => write!(f, "{node} leaves out a value that may matter"),
            Self::Needed(node) => write!(f, "{node}: an open clause makes this a real choice"),
            Self::NoBoundary(node) => write!(f, "{node}: no level ends here"),
            Self::Differs(node) => write!(f, "{node}: something else is left than at its node"),
        }
    }
}

impl std::error::Error for TraceFault {}

impl Trace {
    /// The value that the trace shows: that of its formula, times its factor.
    ///
    /// # Errors
    /// The first node that is not allowed where it stands.
    pub fn value(&self) -> Result<Ratio, TraceFault> {
        self.value_until(&mut || false)
    }

    /// The same, unless the caller wants to stop: it is asked now and then.
    ///
    /// # Errors
    /// As above, or [`TraceFault::Stopped`].
    pub fn value_until(&self, stops: &mut dyn FnMut() -> bool) -> Result<Ratio, TraceFault> {
        let root = self.nodes.len().checked_sub(1).ok_or(TraceFault::Empty)?;
        let quantifiers = self.quantifiers()?;
        self.check_links()?;
        let kinds: Vec<Kind> = quantifiers.iter().map(|quantifier| quantifier.kind()).collect();
        let mut walk = Walk {
            trace: self,
            quantifiers: &quantifiers,
            assignment: Assignment::new(&self.formula, &kinds),
            crossing: Crossing::all(self),
            cursor: 0,
            level: 0,
            frames: Vec::new(),
            values: HashMap::new(),
        };
        Ok(&walk.run(NodeId::from_index(root), stops)? * &self.factor)
    }

    /// How each variable is bound, where all stand in order.
    fn quantifiers(&self) -> Result<Vec<&Quantifier>, TraceFault> {
        let mut quantifiers = Vec::new();
        for scope in &self.formula.prefix {
            for &var in &scope.variables {
                if var.index() != quantifiers.len() {
                    return Err(TraceFault::Formula);
                }
                quantifiers.push(&scope.quantifier);
            }
        }
        let is_whole = quantifiers.len() == self.formula.variables();
        let repeats = |clause: &[Lit]| {
            let mut vars: Vec<Var> = clause.iter().map(|lit| lit.var()).collect();
            vars.sort_unstable();
            vars.windows(2).any(|pair| pair[0] == pair[1])
        };
        if !is_whole || self.formula.flaw().is_some() || self.formula.clauses.iter().any(repeats) {
            return Err(TraceFault::Formula);
        }
        let end = quantifiers.len() as u32;
        let ascends = self.boundaries.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascends || self.boundaries.iter().any(|&at| at == 0 || at > end) {
            return Err(TraceFault::Boundaries);
        }
        Ok(quantifiers)
    }

    fn check_links(&self) -> Result<(), TraceFault> {
        for (at, node) in self.nodes.iter().enumerate() {
            let is_before = |id: &NodeId| id.index() < at;
            let fits = match node {
                Node::Zero | Node::One => true,
                Node::Branch { first, second, .. } => {
                    is_before(first) && second.as_ref().is_none_or(is_before)
                }
                Node::Pure { next, .. } | Node::Free { next, .. } | Node::Boundary { next } => {
                    is_before(next)
                }
                Node::Known { node } => {
                    is_before(node) && matches!(self.nodes[node.index()], Node::Boundary { .. })
                }
            };
            if !fits {
                return Err(TraceFault::NotBefore(NodeId::from_index(at)));
            }
        }
        Ok(())
    }
}

/// For each boundary the clauses that cross it: their literals above, and the number of their
/// part beyond.
struct Crossing<'a>(Vec<Vec<(&'a [Lit], u32)>>);

impl<'a> Crossing<'a> {
    fn all(trace: &'a Trace) -> Self {
        let mut all = vec![Vec::new(); trace.boundaries.len()];
        let mut numbers: Vec<HashMap<Vec<Lit>, u32>> = vec![HashMap::new(); all.len()];
        for clause in trace.formula.clauses.iter() {
            let mut sorted = clause.to_vec();
            sorted.sort_unstable();
            let [first, .., last] = *sorted else { continue };
            let above = |lit: Lit, boundary: u32| (lit.var().index() as u32) < boundary;
            let start = trace.boundaries.partition_point(|&end| !above(first, end));
            let end = trace.boundaries.partition_point(|&end| !above(last, end));
            for level in start..end {
                let split = sorted.partition_point(|&lit| above(lit, trace.boundaries[level]));
                let (numbers, rows) = (&mut numbers[level], &mut all[level]);
                let next = numbers.len() as u32;
                rows.push((clause, *numbers.entry(sorted[split..].to_vec()).or_insert(next)));
                debug_assert!(0 < split && split < sorted.len(), "the clause crosses");
            }
        }
        Self(all)
    }

    /// The parts that are left at a boundary.
    fn left(&self, level: usize, boundary: u32, assignment: &Assignment<'_>) -> Vec<u32> {
        let rows = self.0[level].iter().filter(|(clause, _)| {
            let above = clause.iter().filter(|lit| (lit.var().index() as u32) < boundary);
            !above.copied().any(|lit| assignment.is_true(lit))
        });
        let mut left: Vec<u32> = rows.map(|(_, part)| *part).collect();
        left.sort_unstable();
        left.dedup();
        left
    }
}

/// What is still to be done with the value that comes back.
enum Frame {
    /// Multiply it by the weight of a chance variable that was passed.
    Times(Ratio),
    /// Take it as that of one value of a branch.
    Branch { node: NodeId, mark: usize, cursor: usize, first: Option<Ratio> },
    /// Keep it: it is that of a boundary with these parts left.
    Keep { node: NodeId, left: Vec<u32> },
}

struct Walk<'a> {
    trace: &'a Trace,
    quantifiers: &'a [&'a Quantifier],
    assignment: Assignment<'a>,
    crossing: Crossing<'a>,
    /// The first variable that was not passed.
    cursor: usize,
    level: usize,
    frames: Vec<Frame>,
    /// Levels, parts left and values of boundary nodes.
    values: HashMap<NodeId, (usize, Vec<u32>, Ratio)>,
}

/// What is next.
enum Next {
    Down(NodeId),
    Up(Ratio),
}

impl Walk<'_> {
    fn run(&mut self, root: NodeId, stops: &mut dyn FnMut() -> bool) -> Result<Ratio, TraceFault> {
        let mut steps = 0u64;
        let mut next =
            if self.assignment.begin() { Next::Down(root) } else { Next::Up(Ratio::zero()) };
        loop {
            steps += 1;
            if steps.is_multiple_of(STEPS_UNASKED) && stops() {
                return Err(TraceFault::Stopped);
            }
            next = match next {
                Next::Down(node) => self.descend(node)?,
                Next::Up(value) => match self.frames.pop() {
                    Some(frame) => self.climb(frame, value)?,
                    None => return Ok(value),
                },
            };
        }
    }

    /// One past the last variable of the level at hand.
    fn end(&self) -> usize {
        let count = self.quantifiers.len();
        self.trace.boundaries.get(self.level).map_or(count, |&end| end as usize)
    }

    /// Whether the variable of this literal is to be given a value now: it is the outermost one
    /// without a value, and no boundary comes before it.
    fn is_next(&self, lit: Lit) -> bool {
        let place = lit.var().index();
        place == self.cursor && place < self.end() && self.assignment.value(lit.var()).is_none()
    }

    /// Passes variables that have values, up to the end of the level.
    fn pass(&mut self) {
        let end = self.end();
        while self.cursor < end {
            let Some(value) = self.assignment.value(Var::from_index(self.cursor)) else { return };
            if let Quantifier::Chance(odds) = self.quantifiers[self.cursor] {
                let weight = if value { odds.clone() } else { &Ratio::one() - odds };
                self.frames.push(Frame::Times(weight));
            }
            self.cursor += 1;
        }
    }

    fn descend(&mut self, id: NodeId) -> Result<Next, TraceFault> {
        self.pass();
        match self.trace.nodes[id.index()] {
            // A conflict ends a branch before its node is asked.
            Node::Zero => Err(TraceFault::NoConflict(id)),
            Node::One => {
                let is_whole = self.cursor == self.quantifiers.len();
                let one = is_whole && self.assignment.is_satisfied();
                if one { Ok(Next::Up(Ratio::one())) } else { Err(TraceFault::NotOne(id)) }
            }
            Node::Branch { lit, first, second } => self.branch(id, lit, first, second),
            Node::Pure { lit, next } => self.settle(id, lit, next, false),
            Node::Free { lit, next } => self.settle(id, lit, next, true),
            Node::Boundary { next } => {
                let left = self.left(id)?;
                self.level += 1;
                self.frames.push(Frame::Keep { node: id, left });
                Ok(Next::Down(next))
            }
            Node::Known { node } => {
                let left = self.left(id)?;
                match self.values.get(&node) {
                    None => Ok(Next::Down(node)),
                    Some((level, parts, value)) if *level == self.level && *parts == left => {
                        Ok(Next::Up(value.clone()))
                    }
                    Some(_) => Err(TraceFault::Differs(id)),
                }
            }
        }
    }

    /// The parts left at the boundary here.
    fn left(&self, id: NodeId) -> Result<Vec<u32>, TraceFault> {
        match self.trace.boundaries.get(self.level) {
            Some(&end) if end as usize == self.cursor => {
                Ok(self.crossing.left(self.level, end, &self.assignment))
            }
            _ => Err(TraceFault::NoBoundary(id)),
        }
    }

    fn branch(
        &mut self,
        id: NodeId,
        lit: Lit,
        first: NodeId,
        second: Option<NodeId>,
    ) -> Result<Next, TraceFault> {
        if lit.var().index() < self.cursor {
            // Propagation bound it: the other value is worth 0.
            let next = if self.assignment.is_true(lit) { Some(first) } else { second };
            return next.map(Next::Down).ok_or(TraceFault::Undecided(id));
        }
        if !self.is_next(lit) {
            return Err(TraceFault::NotNext(id));
        }
        let (mark, cursor) = (self.assignment.mark(), self.cursor);
        self.frames.push(Frame::Branch { node: id, mark, cursor, first: None });
        self.cursor += 1;
        Ok(self.assume(lit, first))
    }

    fn assume(&mut self, lit: Lit, next: NodeId) -> Next {
        if self.assignment.assume(lit) { Next::Down(next) } else { Next::Up(Ratio::zero()) }
    }

    fn settle(
        &mut self,
        id: NodeId,
        lit: Lit,
        next: NodeId,
        is_free: bool,
    ) -> Result<Next, TraceFault> {
        if lit.var().index() < self.cursor && !is_free {
            let agrees = self.assignment.is_true(lit);
            return if agrees { Ok(Next::Down(next)) } else { Err(TraceFault::Needed(id)) };
        }
        if !self.is_next(lit) {
            return Err(TraceFault::NotNext(id));
        }
        let (here, there) = (self.assignment.is_needed(lit), self.assignment.is_needed(!lit));
        let is_needed = match self.quantifiers[self.cursor] {
            _ if is_free => here || there,
            Quantifier::Exists => there,
            Quantifier::Forall => here,
            Quantifier::Chance(_) => true,
        };
        if is_needed {
            return Err(TraceFault::Needed(id));
        }
        self.cursor += 1;
        Ok(self.assume(lit, next))
    }

    fn climb(&mut self, frame: Frame, value: Ratio) -> Result<Next, TraceFault> {
        match frame {
            Frame::Times(weight) => Ok(Next::Up(&value * &weight)),
            Frame::Keep { node, left } => {
                self.level -= 1;
                self.values.insert(node, (self.level, left, value.clone()));
                Ok(Next::Up(value))
            }
            Frame::Branch { node, mark, cursor, first } => {
                let Node::Branch { lit, second, .. } = self.trace.nodes[node.index()] else {
                    unreachable!("a frame of a branch is of a branch node")
                };
                self.assignment.undo(mark);
                match first {
                    Some(first) => Ok(Next::Up(self.combine(lit, &first, &value))),
                    None => self.turn(node, (mark, cursor), value, second),
                }
            }
        }
    }

    /// Takes the second value of a branch.
    fn turn(
        &mut self,
        node: NodeId,
        (mark, cursor): (usize, usize),
        first: Ratio,
        second: Option<NodeId>,
    ) -> Result<Next, TraceFault> {
        let Node::Branch { lit, .. } = self.trace.nodes[node.index()] else {
            unreachable!("a frame of a branch is of a branch node")
        };
        let Some(second) = second else {
            let decides = match self.quantifiers[cursor] {
                Quantifier::Exists => first == Ratio::one(),
                Quantifier::Forall => first.is_zero(),
                Quantifier::Chance(_) => false,
            };
            return if decides { Ok(Next::Up(first)) } else { Err(TraceFault::Undecided(node)) };
        };
        self.frames.push(Frame::Branch { node, mark, cursor, first: Some(first) });
        self.cursor = cursor + 1;
        Ok(self.assume(!lit, second))
    }

    fn combine(&self, lit: Lit, first: &Ratio, second: &Ratio) -> Ratio {
        match self.quantifiers[lit.var().index()] {
            Quantifier::Exists => first.max(second).clone(),
            Quantifier::Forall => first.min(second).clone(),
            Quantifier::Chance(odds) => {
                let (yes, no) = if lit.is_positive() { (first, second) } else { (second, first) };
                &(yes * odds) + &(no * &(&Ratio::one() - odds))
            }
        }
    }
}
