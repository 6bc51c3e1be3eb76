//! Halt: bounds on the value where the search stopped.
//!
//! What was not valued yet lies between 0 and 1; an upper bound that came back for a value says no
//! more than that about what is below it.

use std::cmp::Ordering;

use qcnf::{Kind, Lit};

use super::search::{Next, Parts, Setting};
use super::value::Value;

impl Parts {
    /// Bounds on the value, where what was not valued yet is unknown.
    pub(crate) fn bounds(&self, setting: &Setting<'_>) -> (Value, Value) {
        let (mut parts, frames) = self.unrelaxed();
        let (mut lower, mut upper) = match &self.next {
            _ if self.relaxation.is_on() => (Value::Zero, Value::One),
            Next::Return(valued) => (valued.least(), valued.value.clone()),
            Next::Done(value) => (value.clone(), value.clone()),
            Next::Start | Next::Enter | Next::Branch => (Value::Zero, Value::One),
        };
        for frame in self.frames[..frames].iter().rev() {
            // Beside the part on top, others of the branch may be left.
            let left = parts > frame.below + 1;
            parts = frame.below;
            lower = if left { Value::Zero } else { lower.times(&frame.product.least()) };
            upper = upper.times(&frame.product.value);
            let Some(lit) = frame.lit else { continue };
            let (least, most) = match frame.second {
                true => (frame.first.least(), frame.first.value.clone()),
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
                let (yes, no) = if lit.is_positive() { (value, other) } else { (other, value) };
                Value::mean(self.odds_of(setting.problem, lit.var()), &yes, &no)
            }
        }
    }
}
