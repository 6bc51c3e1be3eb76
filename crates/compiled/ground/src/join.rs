//! Runs a plan: nested loops over index chains, depth first, one binding at a time.
//!
//! Always: an instance reaches the sink at most once a run where nothing is projected, and once
//! for each combination of the wanted variables where something is. Memory beside the views is
//! what the projections remember.

use crate::TermId;
use crate::fault::{GroundFault, Watch};
use crate::model::Rule;
use crate::plan::{Access, Plan, Step, Tests, Window};
use crate::terms::TermTable;
use crate::tuples::TupleSet;
use crate::view::{View, Views};
use index::Id;

/// Receives the instances of a rule.
pub(crate) trait Sink {
    /// The terms that bindings speak of.
    fn table(&self) -> &TermTable;
    /// One instance: the value of each variable, and for each positive literal its view's row.
    fn take(
        &mut self,
        binding: &[TermId],
        rows: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<(), GroundFault>;
}

/// Storage that runs share.
#[derive(Default)]
pub(crate) struct Scratch {
    binding: Vec<TermId>,
    rows: Vec<u32>,
    key: Vec<TermId>,
    seen: Vec<TupleSet>,
}

struct Run<'a, 'w, S> {
    rule: &'a Rule,
    plan: &'a Plan,
    views: &'a Views,
    watch: &'a mut Watch<'w>,
    scratch: &'a mut Scratch,
    sink: &'a mut S,
}

/// Hands every instance of the rule under the plan to the sink.
pub(crate) fn run<S: Sink>(
    rule: &Rule,
    plan: &Plan,
    views: &Views,
    scratch: &mut Scratch,
    watch: &mut Watch<'_>,
    sink: &mut S,
) -> Result<(), GroundFault> {
    if plan.steps.iter().any(|step| window(views.get(step.view), step.window).is_empty()) {
        return Ok(());
    }
    scratch.prepare(rule, plan);
    let mut run = Run { rule, plan, views, watch, scratch, sink };
    if run.passes(&plan.first) { run.descend(0) } else { Ok(()) }
}

/// The rows that a window admits.
fn window(view: &View, window: Window) -> std::ops::Range<u32> {
    debug_assert!(view.old() <= view.len());
    let (old, len) = (view.old() as u32, view.len() as u32);
    match window {
        Window::All => 0..len,
        Window::Old => 0..old,
        Window::News => old..len,
    }
}

impl Scratch {
    fn prepare(&mut self, rule: &Rule, plan: &Plan) {
        self.binding.clear();
        self.binding.resize(rule.variables, TermId::from_index(0));
        self.rows.clear();
        self.rows.resize(rule.positive.len(), 0);
        if self.seen.len() < plan.steps.len() {
            self.seen.resize_with(plan.steps.len(), TupleSet::default);
        }
        for (seen, step) in self.seen.iter_mut().zip(&plan.steps) {
            if let Some(live) = &step.project {
                seen.reset(live.len());
            }
        }
    }
}

impl<S: Sink> Run<'_, '_, S> {
    fn descend(&mut self, depth: usize) -> Result<(), GroundFault> {
        let plan = self.plan;
        let Some(step) = plan.steps.get(depth) else {
            return self.sink.take(&self.scratch.binding, &self.scratch.rows, self.watch);
        };
        match &step.access {
            Access::Scan => self.scan(depth, step),
            Access::Probe { index, key } => self.probe(depth, step, *index, key),
        }
    }

    fn scan(&mut self, depth: usize, step: &Step) -> Result<(), GroundFault> {
        for row in window(self.views.get(step.view), step.window) {
            if self.try_row(depth, step, row)? && step.once {
                break;
            }
        }
        Ok(())
    }

    fn probe(
        &mut self,
        depth: usize,
        step: &Step,
        index: usize,
        key: &[u32],
    ) -> Result<(), GroundFault> {
        let views = self.views;
        let view = views.get(step.view);
        let window = window(view, step.window);
        let newest = self.newest(view, index, key);
        for row in std::iter::successors(newest, |&row| view.older(index, row)) {
            if row < window.start {
                break;
            }
            if row < window.end && self.try_row(depth, step, row)? && step.once {
                break;
            }
        }
        Ok(())
    }

    fn newest(&mut self, view: &View, index: usize, key: &[u32]) -> Option<u32> {
        let scratch = &mut *self.scratch;
        scratch.key.clear();
        scratch.key.extend(key.iter().map(|&variable| scratch.binding[variable as usize]));
        view.newest(index, &scratch.key)
    }

    /// Binds a row and goes on; whether the row passed the step's tests.
    fn try_row(&mut self, depth: usize, step: &Step, row: u32) -> Result<bool, GroundFault> {
        self.watch.step()?;
        let view = self.views.get(step.view);
        for &(column, variable) in &step.binds {
            self.scratch.binding[variable as usize] = view.value(row, column);
        }
        self.scratch.rows[step.literal] = row;
        if !self.passes(&step.tests) {
            return Ok(false);
        }
        if self.is_new(depth, step) {
            self.descend(depth + 1)?;
        }
        Ok(true)
    }

    fn is_new(&mut self, depth: usize, step: &Step) -> bool {
        let Some(live) = &step.project else { return true };
        let scratch = &mut *self.scratch;
        scratch.key.clear();
        scratch.key.extend(live.iter().map(|&variable| scratch.binding[variable as usize]));
        scratch.seen[depth].insert(&scratch.key).1
    }

    fn passes(&mut self, tests: &Tests) -> bool {
        for absence in &tests.absences {
            let views = self.views;
            if self.newest(views.get(absence.view), absence.index, &absence.key).is_some() {
                return false;
            }
        }
        let (binding, table) = (&self.scratch.binding, self.sink.table());
        tests.distinct.iter().all(|&pair| {
            let [left, right] = &self.rule.distinct[pair];
            !left.equals(right, binding, table)
        })
    }
}
