//! Search: values parts, one branch at a time, and climbs back with the values.
//!
//! A frame is a part that is branched on, or one that fell into parts again because something
//! became known about it. Always, between steps: the parts on the stack above a frame's own are
//! those of the branch it is in; where checks are made, a model agrees with the assignment.
//!
//! The search keeps its own stack and can stop between any two steps and go on later.

use std::cmp::Ordering;

use index::Id;
use qcnf::derivation::{Step, StepId};
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::cache::{Cache, Found, Ticket};
use super::component::{Component, Components};
use super::decide::decide;
use super::reasoner::Reasoner;
use super::trail::CHOSEN;
use super::value::{Odds, Value};
use crate::clock::Clock;
use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;
use crate::stats::Stats;

/// A part that is being valued.
struct Frame {
    component: Component,
    /// The literal that is branched on; none where the part only falls into parts.
    lit: Option<Lit>,
    /// Whether this is the second value.
    second: bool,
    /// Choices before the branch.
    depth: u32,
    /// Parts on the stack below those of the branch.
    below: usize,
    /// The value under the first literal.
    first: Value,
    /// The value of the branch so far.
    product: Value,
    /// Where the value is kept.
    ticket: Option<Ticket>,
    /// The cache as the branch began.
    since: Ticket,
}

/// What is to be done next.
enum Next {
    /// Begin with the first part: make the assumptions.
    Start,
    /// Value the part on top of the stack.
    Enter,
    /// Try the literal of the top frame.
    Branch,
    /// The part on top of the stack has this value.
    Return(Value),
    /// All is done.
    Done(Value),
}

/// The walk over parts, with all that it keeps between calls.
pub(crate) struct Parts {
    pub(super) reasoner: Reasoner,
    components: Components,
    cache: Cache,
    odds: Vec<Odds>,
    frames: Vec<Frame>,
    next: Next,
    assumptions: Vec<Lit>,
    pures: Vec<Lit>,
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
        }
    }

    /// Steps that derive all learned clauses, where they are recorded.
    pub(crate) fn derivations(&self) -> (Vec<Step>, Vec<StepId>) {
        self.reasoner.trace.steps()
    }

    /// Begins anew under assumptions; what was learned and kept stays.
    pub(crate) fn start(&mut self, assumptions: &[Lit]) {
        self.frames.clear();
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
            if let Err(reason) = clock.tick().and_then(|()| self.step(setting, clock)) {
                break Err(reason);
            }
        };
        let drawn = std::mem::take(&mut self.reasoner.clauses.drawn);
        setting.stats.propagations += drawn;
        setting.stats.learned += std::mem::take(&mut self.reasoner.learned);
        setting.stats.part_entries = self.cache.len() as u64;
        outcome
    }

    /// One step; where a limit is met it is as if the step had not begun.
    fn step(&mut self, setting: &mut Setting<'_>, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        self.next = match &self.next {
            Next::Start => self.begin(setting, clock)?,
            Next::Enter => self.enter(setting),
            Next::Branch => self.branch(setting, clock)?,
            Next::Return(_) => {
                let Next::Return(value) = std::mem::replace(&mut self.next, Next::Enter) else {
                    unreachable!("it was matched")
                };
                self.take(setting, value)
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
    fn check(
        &mut self,
        component: Component,
        agrees: u32,
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<bool, HaltReason> {
        let vars = self.components.vars(component);
        let found = self.reasoner.satisfy(vars, agrees, clock, setting.stats)?;
        if setting.options.learning == 0 {
            self.reasoner.forget_all();
        }
        Ok(found)
    }

    /// Values the part on top, or begins to.
    fn enter(&mut self, setting: &mut Setting<'_>) -> Next {
        let component = self.components.last();
        let vars = self.components.vars(component);
        let is_known = |&at: &u32| !self.reasoner.trail.is_open(Var::from_index(at as usize));
        if vars.iter().any(is_known) {
            self.push(component, None, None);
            return self.split(setting);
        }
        setting.stats.components += 1;
        let exists =
            |&at: &u32| setting.problem.formula.kind(Var::from_index(at as usize)) == Kind::Exists;
        if setting.options.satisfiability > 0 && vars.iter().all(exists) {
            return Next::Return(Value::One);
        }
        setting.stats.part_lookups += 1;
        match self.cache.look_up(&self.components, component) {
            Found::Value(value) => {
                setting.stats.part_hits += 1;
                Next::Return(value)
            }
            Found::Missing(ticket) => {
                let lit = decide(setting.problem, &self.reasoner, vars);
                self.push(component, Some(lit), ticket);
                Next::Branch
            }
        }
    }

    fn push(&mut self, component: Component, lit: Option<Lit>, ticket: Option<Ticket>) {
        self.frames.push(Frame {
            component,
            lit,
            second: false,
            depth: self.reasoner.trail.depth(),
            below: self.components.len(),
            first: Value::Zero,
            product: Value::One,
            ticket,
            since: self.cache.now(),
        });
    }

    fn top(&mut self) -> &mut Frame {
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
        frame.product = Value::One;
        frame.since = since;
        let (component, depth, below) = (frame.component, frame.depth, frame.below);
        let lit = frame.lit.expect("only a branch has literals to try");
        self.components.truncate(below);
        let conflict = self.reasoner.return_to(depth);
        if conflict.is_some() || self.reasoner.trail.is_false(lit) {
            return Ok(self.fail(setting));
        }
        setting.stats.decisions += 1;
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

    /// Chooses a literal; false on a conflict, from which is learned.
    fn choose(&mut self, lit: Lit, setting: &mut Setting<'_>) -> bool {
        let Some(conflict) = self.reasoner.choose(lit) else { return true };
        setting.stats.conflicts += 1;
        if setting.options.learning > 0 {
            let (id, _) = self.reasoner.learn(conflict);
            self.reasoner.keep_late(id);
        }
        false
    }

    /// The branch is worth 0.
    fn fail(&mut self, setting: &mut Setting<'_>) -> Next {
        self.top().product = Value::Zero;
        self.finish(setting)
    }

    /// Chooses pure literals until there are none; false where the value is 0.
    fn settle(
        &mut self,
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<bool, HaltReason> {
        let component = self.top().component;
        let mut pures = std::mem::take(&mut self.pures);
        let outcome = loop {
            let Self { components, reasoner, .. } = self;
            components.link(setting.problem, &reasoner.trail, component, &mut pures);
            if pures.is_empty() {
                break Ok(true);
            }
            match self.choose_all(&pures, setting, clock) {
                Ok(true) => {}
                other => break other,
            }
        };
        self.pures = pures;
        outcome
    }

    /// Chooses pure literals; false where the value is 0.
    fn choose_all(
        &mut self,
        pures: &[Lit],
        setting: &mut Setting<'_>,
        clock: &mut Clock<'_>,
    ) -> Result<bool, HaltReason> {
        let depth = self.reasoner.trail.depth();
        let mut differs = false;
        for &lit in pures {
            if !self.reasoner.trail.is_open(lit.var()) {
                continue;
            }
            setting.stats.pures += 1;
            if setting.problem.formula.kind(lit.var()) == Kind::Exists {
                self.reasoner.model[lit.var().index()] = lit.is_positive();
            }
            differs |= self.reasoner.model[lit.var().index()] != lit.is_positive();
            if !self.choose(lit, setting) {
                return Ok(false);
            }
        }
        let component = self.top().component;
        if setting.options.satisfiability > 0 && differs {
            return self.check(component, depth + 1, setting, clock);
        }
        Ok(true)
    }

    /// Splits a part about which something became known.
    fn split(&mut self, setting: &mut Setting<'_>) -> Next {
        let component = self.top().component;
        let Self { components, reasoner, pures, .. } = self;
        components.link(setting.problem, &reasoner.trail, component, pures);
        self.split_linked(setting)
    }

    /// Weighs what became known in the top frame's part, and pushes what is left.
    fn split_linked(&mut self, setting: &mut Setting<'_>) -> Next {
        let frame = self.frames.last().expect("a frame is left");
        let component = frame.component;
        let Some(value) = self.weigh(frame, setting) else { return self.fail(setting) };
        self.top().product = value;
        self.components.push_linked(&self.reasoner.trail, component);
        self.go_on(setting)
    }

    /// The weight of what became known beside the literal branched on; none where a variable of
    /// forall had to have a value.
    fn weigh(&self, frame: &Frame, setting: &Setting<'_>) -> Option<Value> {
        let formula = &setting.problem.formula;
        let branched = frame.lit.map(Lit::var);
        let mut value = Value::One;
        for &at in self.components.vars(frame.component) {
            let var = Var::from_index(at as usize);
            if self.reasoner.trail.is_open(var) || Some(var) == branched {
                continue;
            }
            match formula.kind(var) {
                Kind::Forall if self.reasoner.trail.reason(var) != CHOSEN => return None,
                Kind::Chance if !setting.options.plants(Fault::WeightOfImplied) => {
                    let chance = setting.problem.chances_before[var.index()] as usize;
                    value = value.weighed(&self.odds[chance], self.reasoner.trail.value(var));
                }
                _ => {}
            }
        }
        Some(value)
    }

    /// Goes on with the next part of the top frame's branch, if there is one.
    fn go_on(&mut self, setting: &mut Setting<'_>) -> Next {
        let below = self.top().below;
        if self.components.len() > below { Next::Enter } else { self.finish(setting) }
    }

    /// Takes the value of the part on top into the frame it is a part of.
    fn take(&mut self, setting: &mut Setting<'_>, value: Value) -> Next {
        let Some(frame) = self.frames.last_mut() else { return Next::Done(value) };
        self.components.truncate(self.components.len() - 1);
        debug_assert!(self.components.len() >= frame.below);
        let product = std::mem::replace(&mut frame.product, Value::Zero).times(&value);
        frame.product = product;
        if frame.product.is_zero() {
            return self.finish(setting);
        }
        self.go_on(setting)
    }

    /// The branch of the top frame has its value.
    fn finish(&mut self, setting: &mut Setting<'_>) -> Next {
        let Self { frames, cache, components, .. } = self;
        let frame = frames.last_mut().expect("a frame is left");
        components.truncate(frame.below);
        let value = std::mem::replace(&mut frame.product, Value::One);
        // Without checks, a part may have been valued beside one without a model: there learned
        // clauses say nothing about the part alone.
        let drops = setting.options.satisfiability == 0 && setting.options.learning > 0;
        if value.is_zero() && drops {
            cache.drop_since(frame.since);
        }
        let Some(lit) = frame.lit else {
            self.frames.pop();
            return Next::Return(value);
        };
        let kind = setting.problem.formula.kind(lit.var());
        let decided = match kind {
            Kind::Exists => value.is_one(),
            Kind::Forall => value.is_zero(),
            Kind::Chance => false,
        };
        if !frame.second && !decided {
            (frame.first, frame.lit, frame.second) = (value, Some(!lit), true);
            return Next::Branch;
        }
        let whole = if frame.second { self.combine(setting, lit, value) } else { value };
        self.close(whole)
    }

    /// The value of the top frame's part from those under both literals; `lit` is the second.
    fn combine(&self, setting: &Setting<'_>, lit: Lit, second: Value) -> Value {
        let first = &self.frames.last().expect("a frame is left").first;
        let better = match setting.problem.formula.kind(lit.var()) {
            Kind::Exists => Ordering::Greater,
            Kind::Forall => Ordering::Less,
            Kind::Chance => {
                let chance = setting.problem.chances_before[lit.var().index()] as usize;
                let (yes, no) = if lit.is_positive() { (&second, first) } else { (first, &second) };
                return Value::mean(&self.odds[chance], yes, no);
            }
        };
        if second.compare(first) == better { second } else { first.clone() }
    }

    fn close(&mut self, value: Value) -> Next {
        let frame = self.frames.pop().expect("a frame is left");
        if let Some(ticket) = frame.ticket {
            self.cache.store(ticket, &value);
        }
        // Nothing is false here, or the branch above will find it when it comes back.
        self.reasoner.undo(frame.depth);
        Next::Return(value)
    }

    /// Bounds on the value, where what was not valued yet is unknown.
    pub(crate) fn bounds(&self, setting: &Setting<'_>) -> (Value, Value) {
        let (mut lower, mut upper) = match &self.next {
            Next::Return(value) | Next::Done(value) => (value.clone(), value.clone()),
            Next::Start | Next::Enter | Next::Branch => (Value::Zero, Value::One),
        };
        let mut parts = self.components.len();
        for frame in self.frames.iter().rev() {
            // Beside the part on top, others of the branch may be left.
            let left = parts > frame.below + 1;
            parts = frame.below;
            lower = if left { Value::Zero } else { lower.times(&frame.product) };
            upper = upper.times(&frame.product);
            let Some(lit) = frame.lit else { continue };
            let (least, most) = match frame.second {
                true => (frame.first.clone(), frame.first.clone()),
                false => (Value::Zero, Value::One),
            };
            lower = self.bound(setting, lit, lower, least);
            upper = self.bound(setting, lit, upper, most);
        }
        debug_assert!(lower.compare(&upper) != Ordering::Greater);
        (lower, upper)
    }

    fn bound(&self, setting: &Setting<'_>, lit: Lit, value: Value, other: Value) -> Value {
        match setting.problem.formula.kind(lit.var()) {
            Kind::Exists if value.compare(&other) == Ordering::Less => other,
            Kind::Forall if value.compare(&other) == Ordering::Greater => other,
            Kind::Exists | Kind::Forall => value,
            Kind::Chance => {
                let chance = setting.problem.chances_before[lit.var().index()] as usize;
                let (yes, no) = if lit.is_positive() { (value, other) } else { (other, value) };
                Value::mean(&self.odds[chance], &yes, &no)
            }
        }
    }
}
