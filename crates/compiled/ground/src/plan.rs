//! The order of a join, chosen by the sizes at hand.
//!
//! Greedy: next comes the literal with the fewest rows to expect for the variables bound so far
//! (rows over the product of the bound columns' distinct values). Tests stand as early as their
//! variables are bound. Where a variable is needed no longer, the step either stops at its first
//! row (`once`) or remembers the values that live on (`project`), so that no later step sees the
//! same values twice. Plans are made again when a view has outgrown them.
//!
//! Always: a plan binds every variable of the rule's positive literals exactly once, and each
//! literal and test stands in exactly one step.

use index::{Id, IdSet};

use crate::model::Rule;
use crate::pattern::distinct_variables;
use crate::program::{VarNumber, VariableSet};
use crate::view::{ViewId, Views};

/// Which rows of a view a step may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// Every row.
    All,
    /// Rows from before the last round.
    Old,
    /// The last round's news.
    News,
}

/// How the rows of a step are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// All rows of the window.
    Scan,
    /// Rows whose indexed columns hold these variables' values.
    Probe { index: usize, key: Box<[u32]> },
}

/// A literal that must not hold, looked up by all its columns.
#[derive(Clone, Debug)]
pub(crate) struct Absence {
    pub(crate) view: ViewId,
    pub(crate) index: usize,
    pub(crate) key: Box<[u32]>,
}

/// Tests that can be made once some variables are bound.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tests {
    pub(crate) absences: Vec<Absence>,
    /// Positions among the rule's `distinct` pairs.
    pub(crate) distinct: Vec<usize>,
}

/// One literal of the join.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Position among the rule's positive literals.
    pub(crate) literal: usize,
    pub(crate) view: ViewId,
    pub(crate) window: Window,
    pub(crate) access: Access,
    /// Columns with the variables they bind.
    pub(crate) binds: Box<[(usize, u32)]>,
    pub(crate) tests: Tests,
    /// The first row that passes the tests is enough.
    pub(crate) once: bool,
    /// Variables that live on, where others end here.
    pub(crate) project: Option<Box<[u32]>>,
}

/// A join.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Tests without variables.
    pub(crate) first: Tests,
    pub(crate) steps: Vec<Step>,
    /// Rows of the rule's views together when this was made.
    pub(crate) made_for: usize,
}

/// What a join is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Heads only; negation of what can change is ignored.
    Model,
    /// Every instance over what can change.
    Instances,
}

struct Planner<'a> {
    rule: &'a Rule,
    views: &'a mut Views,
    bound: IdSet<VarNumber>,
    negatives: Vec<usize>,
    distinct: Vec<usize>,
}

/// Plans the join of a rule; `news` is the literal that is restricted to the last round's rows.
pub(crate) fn plan(rule: &Rule, news: Option<usize>, purpose: Purpose, views: &mut Views) -> Plan {
    let negatives = (0..rule.negative.len()).filter(|&n| !rule.negative[n].changes).collect();
    let distinct = (0..rule.distinct.len()).collect();
    let mut planner = Planner { rule, views, bound: IdSet::new(), negatives, distinct };
    let made_for = weight(rule, planner.views);
    let first = planner.ready_tests();
    let mut open: Vec<usize> = (0..rule.positive.len()).collect();
    let mut steps = Vec::with_capacity(open.len());
    while !open.is_empty() {
        let forced = news.filter(|literal| open.contains(literal));
        let next = forced.unwrap_or_else(|| planner.cheapest(&open));
        open.retain(|&literal| literal != next);
        let window = window_of(next, news);
        steps.push(planner.step(next, window));
    }
    assert!(planner.negatives.is_empty() && planner.distinct.is_empty(), "tests left over");
    mark_projections(rule, purpose, &mut steps);
    Plan { first, steps, made_for }
}

/// Rows of the views that the rule reads.
pub(crate) fn weight(rule: &Rule, views: &Views) -> usize {
    rule.positive.iter().map(|literal| views.get(literal.view).len()).sum()
}

/// Literals before the one with news see old rows only, so that no instance is found twice.
fn window_of(literal: usize, news: Option<usize>) -> Window {
    match news {
        Some(fresh) if literal == fresh => Window::News,
        Some(fresh) if literal < fresh => Window::Old,
        _ => Window::All,
    }
}

impl Planner<'_> {
    fn bound_columns(&self, variables: &[u32]) -> Vec<usize> {
        (0..variables.len()).filter(|&column| self.bound.has(variables[column])).collect()
    }

    fn cheapest(&mut self, open: &[usize]) -> usize {
        let mut best = (usize::MAX, open[0]);
        for &literal in open {
            let columns = self.bound_columns(&self.rule.positive[literal].variables);
            let view = self.rule.positive[literal].view;
            let rows = self.views.get_mut(view).rows_for(&columns);
            if rows < best.0 {
                best = (rows, literal);
            }
        }
        best.1
    }

    fn step(&mut self, literal: usize, window: Window) -> Step {
        let atom = &self.rule.positive[literal];
        let columns = self.bound_columns(&atom.variables);
        let access = if columns.is_empty() {
            Access::Scan
        } else {
            let index = self.views.get_mut(atom.view).index_on(&columns);
            Access::Probe { index, key: columns.iter().map(|&c| atom.variables[c]).collect() }
        };
        let free = |column: &usize| !columns.contains(column);
        let binds = (0..atom.variables.len()).filter(free).map(|c| (c, atom.variables[c]));
        let binds: Box<[_]> = binds.collect();
        for &(_, variable) in &binds {
            assert!(self.bound.insert(VarNumber::from_index(variable as usize)), "bound twice");
        }
        let tests = self.ready_tests();
        Step { literal, view: atom.view, window, access, binds, tests, once: false, project: None }
    }

    /// Takes out the tests whose variables are all bound.
    fn ready_tests(&mut self) -> Tests {
        let (rule, bound) = (self.rule, &self.bound);
        let covered = |variables: &[u32]| variables.iter().all(|&variable| bound.has(variable));
        let (ready, left) = std::mem::take(&mut self.negatives)
            .into_iter()
            .partition::<Vec<_>, _>(|&n| covered(&rule.negative[n].variables));
        self.negatives = left;
        let (distinct, left) = std::mem::take(&mut self.distinct)
            .into_iter()
            .partition::<Vec<_>, _>(|&n| covered(&distinct_variables(&rule.distinct[n])));
        self.distinct = left;
        let absences = ready.into_iter().map(|n| absence(&rule.negative[n], self.views)).collect();
        Tests { absences, distinct }
    }
}

/// The look-up of a literal by all its columns.
pub(crate) fn absence(literal: &crate::model::Literal, views: &mut Views) -> Absence {
    let columns: Vec<usize> = (0..literal.variables.len()).collect();
    let index = views.get_mut(literal.view).index_on(&columns);
    Absence { view: literal.view, index, key: literal.variables.clone() }
}

/// Variables that the purpose needs at the end.
fn wanted(rule: &Rule, purpose: Purpose) -> IdSet<VarNumber> {
    let mut wanted = IdSet::new();
    wanted.extend_with(&rule.head.args);
    if purpose == Purpose::Instances {
        let literals = rule.positive.iter().chain(&rule.negative).filter(|literal| literal.changes);
        for &variable in literals.flat_map(|literal| literal.variables.iter()) {
            wanted.insert(VarNumber::from_index(variable as usize));
        }
    }
    wanted
}

/// Adds the variables that a step reads.
fn add_read(rule: &Rule, step: &Step, set: &mut IdSet<VarNumber>) {
    let mut add = |variable: u32| {
        set.insert(VarNumber::from_index(variable as usize));
    };
    if let Access::Probe { key, .. } = &step.access {
        key.iter().copied().for_each(&mut add);
    }
    step.tests.absences.iter().flat_map(|absence| absence.key.iter().copied()).for_each(&mut add);
    for &pair in &step.tests.distinct {
        distinct_variables(&rule.distinct[pair]).into_iter().for_each(&mut add);
    }
}

fn mark_projections(rule: &Rule, purpose: Purpose, steps: &mut [Step]) {
    let mut live_after = vec![wanted(rule, purpose)];
    for step in steps.iter().skip(1).rev() {
        let mut live = live_after.last().cloned().unwrap_or_default();
        add_read(rule, step, &mut live);
        live_after.push(live);
    }
    live_after.reverse();
    let mut alive = IdSet::<VarNumber>::new();
    for (step, live) in steps.iter_mut().zip(&live_after) {
        let keeps = purpose == Purpose::Instances && rule.positive[step.literal].changes;
        let dies = |variable: &VarNumber| !live.contains(*variable);
        let earlier_dies = alive.iter().any(|variable| dies(&variable));
        let fresh: Vec<_> =
            step.binds.iter().map(|&(_, v)| VarNumber::from_index(v as usize)).collect();
        let fresh_dead = fresh.iter().filter(|variable| dies(variable)).count();
        alive.extend_from(&fresh);
        let next: IdSet<VarNumber> = alive.iter().filter(|v| live.contains(*v)).collect();
        step.once = !keeps && fresh_dead == fresh.len();
        if earlier_dies || (fresh_dead > 0 && !step.once) {
            step.project = Some(next.iter().map(|v| v.index() as u32).collect());
        }
        alive = next;
    }
}

/// Adding several members.
trait Extend {
    fn extend_from(&mut self, members: &[VarNumber]);
}

impl Extend for IdSet<VarNumber> {
    fn extend_from(&mut self, members: &[VarNumber]) {
        for &member in members {
            self.insert(member);
        }
    }
}
