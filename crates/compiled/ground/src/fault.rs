//! Limits of grounding, and how it fails.
//!
//! A fault here is the author's (a domain that grows, a goal out of range) or the user's (time,
//! interrupt, a limit); it names the rule at fault where there is one. Work is counted in stored
//! tuples and emitted rules; the clock is looked at every few thousand steps, so a look costs
//! nothing beside the joins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gdl::Span;

/// How much grounding may take.
#[derive(Clone, Copy, Debug)]
pub struct GroundLimits<'a> {
    /// Stored tuples and emitted rules together (`--ground-limit`).
    pub atoms: usize,
    /// Deepest term; a constant has depth 1.
    pub depth: usize,
    /// Set from outside to stop.
    pub interrupt: Option<&'a AtomicBool>,
    /// Moment at which to stop.
    pub deadline: Option<Instant>,
}

impl Default for GroundLimits<'_> {
    fn default() -> Self {
        Self { atoms: 20_000_000, depth: 32, interrupt: None, deadline: None }
    }
}

/// Why there are no ground rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundFault {
    /// A stable short name, such as `ground-limit`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The rule at fault, where there is one.
    pub span: Option<Span>,
    /// What would be right and what to do.
    pub notes: Vec<String>,
}

impl GroundFault {
    pub(crate) fn new(code: &'static str, span: Option<Span>, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), span, notes: Vec::new() }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

impl std::fmt::Display for GroundFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for GroundFault {}

/// The code of a fault that never leaves this crate.
pub(crate) const OVER_BUDGET: &str = "over-budget";

/// Steps between two looks at the clock.
const STEPS_PER_LOOK: u64 = 1 << 12;
const _: () = assert!(STEPS_PER_LOOK.is_power_of_two());

/// Counts work against the limits.
pub(crate) struct Watch<'a> {
    limits: &'a GroundLimits<'a>,
    steps: u64,
    /// Steps after which another way is tried.
    budget: u64,
    counted: usize,
    /// The rule under work.
    rule: Option<Span>,
}

impl<'a> Watch<'a> {
    /// A watch that gives up with [`OVER_BUDGET`] after about `budget` steps.
    pub(crate) fn new(limits: &'a GroundLimits<'a>, budget: u64) -> Self {
        Self { limits, steps: 0, budget, counted: 0, rule: None }
    }

    /// What comes next is for this rule.
    pub(crate) fn enter(&mut self, rule: Span) {
        self.rule = Some(rule);
    }

    pub(crate) fn depth(&self) -> usize {
        self.limits.depth
    }

    /// One step of a join.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), GroundFault> {
        self.steps += 1;
        if self.steps & (STEPS_PER_LOOK - 1) == 0 { self.look() } else { Ok(()) }
    }

    /// Asks the clock and the interrupt flag.
    pub(crate) fn look(&self) -> Result<(), GroundFault> {
        if self.steps > self.budget {
            return Err(GroundFault::new(OVER_BUDGET, self.rule, "this rule takes long to ground"));
        }
        if self.limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(GroundFault::new(
                "interrupted",
                self.rule,
                "grounding was interrupted at this rule",
            ));
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(GroundFault::new(
                "time",
                self.rule,
                "the time was up while this rule was grounded",
            ));
        }
        Ok(())
    }

    /// One more stored tuple or emitted rule; `false` once the limit is passed.
    #[inline]
    pub(crate) fn count(&mut self) -> bool {
        self.counted += 1;
        self.counted <= self.limits.atoms
    }

    /// The fault of passing the limit, laid at the rule that grew most.
    pub(crate) fn over(&self, span: Span) -> GroundFault {
        let message = format!(
            "grounding this rule passes the limit of {} atoms and rules",
            self.limits.atoms
        );
        GroundFault::new("ground-limit", Some(span), message)
            .note("bound the domain of its variables, or raise the limit with --ground-limit")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_flag_stops_within_one_look() {
        let flag = AtomicBool::new(true);
        let limits = GroundLimits { interrupt: Some(&flag), ..Default::default() };
        let mut watch = Watch::new(&limits, u64::MAX);
        let stopped = (0..STEPS_PER_LOOK).find_map(|_| watch.step().err());
        assert_eq!(stopped.map(|fault| fault.code), Some("interrupted"));
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        let limits = GroundLimits { atoms: 2, ..Default::default() };
        let mut watch = Watch::new(&limits, u64::MAX);
        assert!(watch.count() && watch.count() && !watch.count());
    }
}
