//! Climb: takes the value of a part into the branch it belongs to, and that of a branch into its
//! part.
//!
//! A branch is left as soon as it is worth no more than its floor; a part once its first value
//! decides it: 1 for exists, for forall one that is no more than the floor.

use std::cmp::Ordering;

use qcnf::{Kind, Lit};

use super::frame::Valued;
use super::search::{Next, Parts, Setting};
use super::value::Value;

impl Parts {
    /// The branch is worth 0.
    pub(super) fn fail(&mut self, setting: &mut Setting<'_>) -> Next {
        self.top().product = Valued::exact(Value::Zero);
        self.finish(setting)
    }

    /// Goes on with the next part of the top frame's branch, if there is one.
    pub(super) fn go_on(&mut self, setting: &mut Setting<'_>) -> Next {
        let below = self.top().below;
        if self.components.len() > below { Next::Enter } else { self.finish(setting) }
    }

    /// Takes the value of the part on top into the frame it is a part of.
    pub(super) fn take(&mut self, setting: &mut Setting<'_>, part: &Valued) -> Next {
        let left = self.components.len() - 1;
        let Some(frame) = self.frames.last_mut() else {
            debug_assert!(part.is_exact, "nothing is alike for the whole");
            return Next::Done(part.value.clone());
        };
        debug_assert!(left >= frame.below);
        self.components.truncate(left);
        frame.multiply(part);
        if left > frame.below && frame.is_low() {
            setting.stats.part_cutoffs += u64::from(!frame.product.value.is_zero());
            frame.product.is_exact = frame.product.value.is_zero();
            return self.finish(setting);
        }
        self.go_on(setting)
    }

    /// The branch of the top frame has its value.
    pub(super) fn finish(&mut self, setting: &mut Setting<'_>) -> Next {
        let Self { frames, cache, components, .. } = self;
        let frame = frames.last_mut().expect("a frame is left");
        components.truncate(frame.below);
        let branch = std::mem::replace(&mut frame.product, Valued::exact(Value::One));
        // Without checks, a part may have been valued beside one without a model, perhaps one that
        // was not looked at: there learned clauses say nothing about the part alone.
        let drops = setting.options.satisfiability == 0 && setting.options.learning > 0;
        if drops && (branch.value.is_zero() || !branch.is_exact) {
            cache.drop_since(frame.since);
        }
        let Some(lit) = frame.lit else {
            if self.asks() {
                return self.answer(Some(branch.value)).map_or(Next::Enter, Next::Return);
            }
            self.frames.pop();
            return Next::Return(branch);
        };
        if frame.second {
            let whole = self.combine(setting, lit, branch);
            return self.close(whole);
        }
        let kind = setting.problem.formula.kind(lit.var());
        let is_decided = match kind {
            Kind::Exists => branch.value.is_one(),
            Kind::Forall => branch.value.is_at_most(&frame.floor),
            Kind::Chance => false,
        };
        if is_decided {
            let is_exact = branch.is_exact && (kind == Kind::Exists || branch.value.is_zero());
            return self.close(Valued { is_exact, ..branch });
        }
        if kind == Kind::Exists && setting.options.bounds > 0 {
            self.raise(&branch.value);
        }
        let frame = self.top();
        (frame.first, frame.lit, frame.second) = (branch, Some(!lit), true);
        Next::Branch
    }

    /// No value up to this matters for the second branch of the top frame.
    fn raise(&mut self, value: &Value) {
        let frame = self.top();
        if !value.is_at_most(&frame.floor) {
            frame.floor = value.clone();
        }
    }

    /// The value of the top frame's part from those under both literals; `lit` is the second.
    fn combine(&self, setting: &Setting<'_>, lit: Lit, second: Valued) -> Valued {
        let first = &self.frames.last().expect("a frame is left").first;
        let order = second.value.compare(&first.value);
        match setting.problem.formula.kind(lit.var()) {
            // Of equals one that is exact: then the other is no larger.
            Kind::Exists if order == Ordering::Greater => second,
            Kind::Exists if order == Ordering::Equal && second.is_exact => second,
            Kind::Forall if order == Ordering::Less => second,
            Kind::Exists | Kind::Forall => first.clone(),
            Kind::Chance => {
                debug_assert!(first.is_exact && second.is_exact, "values are exact under chance");
                let (yes, no) = match lit.is_positive() {
                    true => (&second.value, &first.value),
                    false => (&first.value, &second.value),
                };
                Valued::exact(Value::mean(self.odds_of(setting.problem, lit.var()), yes, no))
            }
        }
    }

    fn close(&mut self, valued: Valued) -> Next {
        let frame = self.frames.pop().expect("a frame is left");
        if let Some(ticket) = frame.ticket {
            self.cache.store(ticket, &valued);
        }
        // Nothing is false here, or the branch above will find it when it comes back.
        self.reasoner.undo(frame.depth);
        Next::Return(valued)
    }
}
