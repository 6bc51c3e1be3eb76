//! Search: values parts, one branch at a time, and climbs back with the values.
//!
//! A frame is a part that is branched on, or one that fell into parts again because something
//! became known about it. Always, between steps: the parts on the stack above a frame's own are
//! those of the branch it is in; where checks are made, a model agrees with the assignment.
//!
//! `settle` finds what is left after a choice, `climb` takes values back, `halt` bounds what is
//! known so far. The search keeps its own stack and can stop between any two steps and go on later.

use std::cmp::Ordering;

use index::Id;
use qcnf::derivation::{Step, StepId};
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::cache::{Cache, Found, Ticket};
use super::component::{Component, Components};
use super::decide::decide;
use super::frame::{Frame, Valued};
use super::reasoner::Reasoner;
use super::relax::Relaxation;
use super::value::{Odds, Value};
use crate::clock::Clock;
use crate::options::Options;
use crate::problem::Problem;
use crate::stats::Stats;

/// Clauses that a branch looks at in the time of one step: finding how they hang together takes
/// some ten nanoseconds each, and a step is to be of at most some ten microseconds.
const CLAUSES_A_STEP: u64 = 256;

/// What is to be done next.
pub(super) enum Next {
    /// Begin with the first part: make the assumptions.
    Start,
    /// Value the part on top of the stack.
    Enter,
    /// Try the literal of the top frame.
    Branch,
    /// The part on top of the stack has this value.
    Return(Valued),
    /// All is done.
    Done(Value),
}

/// The walk over parts, with all that it keeps between calls.
pub(crate) struct Parts {
    pub(crate) reasoner: Reasoner,
    pub(super) components: Components,
    pub(super) cache: Cache,
    /// Of the chance variables in order.
    odds: Vec<Odds>,
    pub(super) frames: Vec<Frame>,
    pub(super) next: Next,
    assumptions: Vec<Lit>,
    pub(super) pures: Vec<Lit>,
    pub(super) relaxation: Relaxation,
}

/// What a step may use besides the state.
pub(crate) struct Setting<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) options: &'a Options,
    pub(crate) stats: &'a mut Stats,
}

impl Parts {
    pub(crate) fn new(problem: &Problem, options: &Options) -> Self {
        Self {
            reasoner: Reasoner::new(problem, options),
            components: Components::new(problem, options),
            cache: Cache::new(options),
            odds: problem.formula.odds.iter().map(Odds::new).collect(),
            frames: Vec::new(),
            next: Next::Start,
            assumptions: Vec::new(),
            pures: Vec::new(),
            relaxation: Relaxation::new(problem, options.bounds > 0 && options.relaxation > 0),
        }
    }

    /// Steps that derive all learned clauses, where they are recorded.
    pub(crate) fn derivations(&self) -> (Vec<Step>, Vec<StepId>) {
        self.reasoner.trace.steps()
    }

    /// Begins anew under assumptions; what was learned and kept stays.
    pub(crate) fn start(&mut self, assumptions: &[Lit]) {
        // What was kept in branches that were not finished may not stand without checks.
        if let Some(frame) = self.frames.first() {
            self.cache.drop_since(frame.since);
        }
        self.frames.clear();
        self.relaxation.restart();
        self.components.truncate(0);
        self.reasoner.undo(0);
        self.assumptions = assumptions.to_vec();
        self.next = Next::Start;
    }

    /// Goes on until the value is known.
    ///
    /// # Errors
    /// The limit that is met; a later call goes on.
    pub(crate) fn run(
        &mut self,
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<Value, HaltReason> {
        let outcome = loop {
            if let Next::Done(value) = &self.next {
                break Ok(value.clone());
            }
            let step = clock.count(self.work()).and_then(|()| self.step(setting, clock));
            self.reasoner.tidy();
            if let Err(reason) = step {
                break Err(reason);
            }
        };
        let drawn = std::mem::take(&mut self.reasoner.clauses.drawn);
        setting.stats.propagations += drawn;
        setting.stats.learned += std::mem::take(&mut self.reasoner.learned);
        setting.stats.forgotten += std::mem::take(&mut self.reasoner.forgotten);
        setting.stats.part_entries = self.cache.len() as u64;
        outcome
    }

    /// What the next step is worth: a branch looks at all clauses of its part.
    fn work(&self) -> u64 {
        match (&self.next, self.frames.last()) {
            (Next::Branch, Some(frame)) => {
                1 + self.components.clauses(frame.component).len() as u64 / CLAUSES_A_STEP
            }
            _ => 1,
        }
    }

    /// One step; where a limit is met it is as if the step had not begun.
    fn step(&mut self, setting: &mut Setting<'_>, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        self.next = match &self.next {
            Next::Start => self.begin(setting, clock)?,
            Next::Enter => self.enter(setting),
            Next::Branch => self.branch(setting, clock)?,
            Next::Return(_) => {
                let Next::Return(valued) = std::mem::replace(&mut self.next, Next::Enter) else {
                    unreachable!("it was matched")
                };
                self.take(setting, &valued)
            }
            Next::Done(value) => Next::Done(value.clone()),
        };
        Ok(())
    }

    fn begin(
        &mut self,
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<Next, HaltReason> {
        self.components.start(setting.problem);
        if self.reasoner.is_refuted {
            return Ok(Next::Done(Value::Zero));
        }
        let mut conflict = self.reasoner.return_to(0);
        self.reasoner.is_refuted = conflict.is_some();
        for at in 0..self.assumptions.len() {
            let lit = self.assumptions[at];
            if conflict.is_some() || self.reasoner.trail.is_false(lit) {
                return Ok(Next::Done(Value::Zero));
            }
            if self.reasoner.trail.is_open(lit.var()) {
                conflict = self.reasoner.choose(lit);
            }
        }
        if conflict.is_some() {
            return Ok(Next::Done(Value::Zero));
        }
        let all = self.components.last();
        if all.is_empty() {
            return Ok(Next::Done(Value::One));
        }
        if setting.options.satisfiability > 0 && !self.check(all, 0, setting, clock)? {
            return Ok(Next::Done(Value::Zero));
        }
        Ok(Next::Enter)
    }

    /// Whether a model agrees with the assignment.
    pub(super) fn check(
        &mut self,
        component: Component,
        agrees: u32,
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<bool, HaltReason> {
        let part = (self.components.vars(component), self.components.clauses(component));
        let found = self.reasoner.satisfy(part, agrees, clock, setting.stats)?;
        if setting.options.learning == 0 {
            self.reasoner.forget_all();
        }
        Ok(found)
    }

    /// Values the part on top, or begins to.
    fn enter(&mut self, setting: &mut Setting<'_>) -> Next {
        let component = self.components.last();
        let vars = self.components.vars(component);
        let var = |&at: &u32| Var::from_index(at as usize);
        if vars.iter().any(|at| !self.reasoner.trail.is_open(var(at))) {
            let floor = self.frames.last().map_or(Value::Zero, Frame::floor_of_part);
            self.push(component, None, floor, None);
            return self.split(setting);
        }
        let exists = |at: &u32| setting.problem.formula.kind(var(at)) == Kind::Exists;
        setting.stats.components += 1;
        if setting.options.satisfiability > 0 && vars.iter().all(exists) {
            return Next::Return(Valued::exact(Value::One));
        }
        if self.count(setting) { self.look_up(setting, component) } else { Next::Enter }
    }

    /// Looks a part up, or begins to branch on it.
    fn look_up(&mut self, setting: &mut Setting<'_>, component: Component) -> Next {
        let vars = self.components.vars(component);
        // The first variable is of the outermost block.
        let kind = setting.problem.formula.kind(Var::from_index(vars[0] as usize));
        let relaxed = self.relaxation.is_on();
        let floor = match self.frames.last() {
            Some(frame) if kind != Kind::Chance && !relaxed => frame.floor_of_part(),
            _ => Value::Zero,
        };
        setting.stats.part_lookups += 1;
        let ticket = match self.cache.look_up(&self.components, component, (relaxed, &floor)) {
            Found::Value(valued) => {
                setting.stats.part_hits += 1;
                return Next::Return(valued);
            }
            Found::Missing(ticket) => ticket,
        };
        if let Some(next) = self.ask(setting, &floor, ticket) {
            return next;
        }
        let vars = self.components.vars(component);
        let lit = match relaxed {
            true => self.decide_relaxed(setting, vars),
            false if setting.options.bounds > 0 && kind == Kind::Exists => {
                let lit = decide(setting.problem, &self.reasoner, vars);
                self.prefer(setting, lit)
            }
            false => decide(setting.problem, &self.reasoner, vars),
        };
        self.push(component, Some(lit), floor, ticket);
        Next::Branch
    }

    /// Of a literal and its negation the one under which chance loses less at once.
    fn prefer(&mut self, setting: &Setting<'_>, lit: Lit) -> Lit {
        let weight = |parts: &mut Self, lit: Lit| {
            let depth = parts.reasoner.trail.depth();
            let conflict = parts.reasoner.choose(lit);
            let weight = match conflict {
                Some(_) => Value::Zero,
                None => parts.drawn_weight(setting, depth + 1),
            };
            parts.reasoner.undo(depth);
            weight
        };
        if weight(self, lit).compare(&weight(self, !lit)) == Ordering::Less { !lit } else { lit }
    }

    /// The product of the weights of chance variables that got a value since a depth.
    fn drawn_weight(&self, setting: &Setting<'_>, depth: u32) -> Value {
        let formula = &setting.problem.formula;
        let drawn = self.reasoner.trail.since(depth).iter();
        drawn
            .filter(|lit| formula.kind(lit.var()) == Kind::Chance)
            .fold(Value::One, |value, lit| {
                value.weighed(self.odds_of(setting.problem, lit.var()), lit.is_positive())
            })
    }

    /// The probability of a chance variable.
    pub(super) fn odds_of(&self, problem: &Problem, var: Var) -> &Odds {
        debug_assert_eq!(problem.formula.kind(var), Kind::Chance, "only chance has odds");
        &self.odds[problem.chances_before[var.index()] as usize]
    }

    pub(super) fn push(
        &mut self,
        component: Component,
        lit: Option<Lit>,
        floor: Value,
        ticket: Option<Ticket>,
    ) {
        self.frames.push(Frame {
            component,
            lit,
            second: false,
            depth: self.reasoner.trail.depth(),
            below: self.components.len(),
            floor,
            first: Valued::exact(Value::Zero),
            product: Valued::exact(Value::One),
            ticket,
            since: self.cache.now(),
        });
    }

    pub(super) fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a frame is left")
    }

    /// Makes the literal of the top frame true and finds the parts that are left.
    fn branch(
        &mut self,
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<Next, HaltReason> {
        let since = self.cache.now();
        let frame = self.top();
        frame.product = Valued::exact(Value::One);
        frame.since = since;
        let (component, depth, below) = (frame.component, frame.depth, frame.below);
        let lit = frame.lit.expect("only a branch has literals to try");
        self.components.truncate(below);
        let conflict = self.reasoner.return_to(depth);
        if conflict.is_some() || self.reasoner.trail.is_false(lit) {
            return Ok(self.fail(setting));
        }
        setting.stats.part_decisions += 1;
        if self.reasoner.trail.is_open(lit.var()) && !self.choose(lit, setting) {
            return Ok(self.fail(setting));
        }
        let differs = self.reasoner.model[lit.var().index()] != lit.is_positive();
        if setting.options.satisfiability > 0
            && differs
            && !self.check(component, depth + 1, setting, clock)?
        {
            return Ok(self.fail(setting));
        }
        if !self.settle(setting, clock)? {
            return Ok(self.fail(setting));
        }
        Ok(self.split_linked(setting))
    }
}
