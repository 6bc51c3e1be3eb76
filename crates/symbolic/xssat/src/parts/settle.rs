//! Settle: what is left of a part once a literal was chosen.
//!
//! Pure literals are chosen until there are none: what exists takes the sign that helps, forall the
//! other. Only the formula's own clauses count, so a pure literal is no consequence; it is a choice
//! without an alternative. Then chance variables that got a value count with its weight, and the
//! open clauses fall into parts.

use index::Id;
use qcnf::{Kind, Lit, Var};
use verdict::HaltReason;

use super::frame::{Frame, Valued};
use super::search::{Next, Parts, Setting};
use super::trail::CHOSEN;
use super::value::Value;
use crate::clock::Clock;
use crate::faults::Fault;

impl Parts {
    /// Chooses a literal; false on a conflict, from which is learned.
    pub(super) fn choose(&mut self, lit: Lit, setting: &mut Setting<'_>) -> bool {
        let Some(conflict) = self.reasoner.choose(lit) else { return true };
        setting.stats.conflicts += 1;
        if setting.options.learning > 0 {
            let (id, _) = self.reasoner.learn(conflict);
            self.reasoner.keep_late(id);
        }
        false
    }

    /// Chooses pure literals until there are none; false where the value is 0.
    pub(super) fn settle(
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
    pub(super) fn split(&mut self, setting: &mut Setting<'_>) -> Next {
        let component = self.top().component;
        let Self { components, reasoner, pures, .. } = self;
        components.link(setting.problem, &reasoner.trail, component, pures);
        self.split_linked(setting)
    }

    /// Weighs what became known in the top frame's part, and pushes what is left.
    pub(super) fn split_linked(&mut self, setting: &mut Setting<'_>) -> Next {
        let frame = self.frames.last().expect("a frame is left");
        let component = frame.component;
        let Some(value) = self.weigh(frame, setting) else { return self.fail(setting) };
        let is_cut = {
            let frame = self.top();
            frame.product = Valued::exact(value);
            !frame.floor.is_zero() && frame.is_low()
        };
        if is_cut {
            setting.stats.part_cutoffs += 1;
            self.top().product.is_exact = false;
            return self.finish(setting);
        }
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
                    let odds = self.odds_of(setting.problem, var);
                    value = value.weighed(odds, self.reasoner.trail.value(var));
                }
                _ => {}
            }
        }
        Some(value)
    }
}
