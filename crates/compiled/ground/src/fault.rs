//! Limits of grounding, and how it fails.
//!
//! A fault here is the author's (a domain that grows, a goal out of range) or the user's (time,
//! interrupt, a limit); it names the rule at fault where there is one. Work is counted in stored
//! tuples and emitted rules; the clock is looked at every few thousand steps and the resident size
//! every few ten thousand, so a look costs nothing beside the joins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gdl::{Rule, Rulebook, Span, Term, keyword};
use rustc_hash::FxHashMap;

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
    /// Resident bytes of the process beyond which to stop, where the system tells them.
    pub memory: Option<u64>,
}

impl Default for GroundLimits<'_> {
    fn default() -> Self {
        Self { atoms: 20_000_000, depth: 32, interrupt: None, deadline: None, memory: None }
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

/// Looks at the clock for each look at the resident size, which takes a file to be read.
const LOOKS_PER_WEIGHING: u64 = 16;

/// Counts work against the limits.
pub(crate) struct Watch<'a> {
    rulebook: &'a Rulebook,
    limits: &'a GroundLimits<'a>,
    steps: u64,
    looks: u64,
    /// Steps after which another way is tried.
    budget: u64,
    counted: usize,
    /// The rule under work.
    rule: Option<Span>,
    /// What was counted when it was entered.
    entered_at: usize,
    /// What each rule added, by its place; the rule under work excepted.
    grown: FxHashMap<(u32, u32), usize>,
}

impl<'a> Watch<'a> {
    /// A watch that gives up with [`OVER_BUDGET`] after about `budget` steps.
    pub(crate) fn new(rulebook: &'a Rulebook, limits: &'a GroundLimits<'a>, budget: u64) -> Self {
        Self {
            rulebook,
            limits,
            steps: 0,
            looks: 0,
            budget,
            counted: 0,
            rule: None,
            entered_at: 0,
            grown: FxHashMap::default(),
        }
    }

    /// What comes next is for this rule.
    pub(crate) fn enter(&mut self, rule: Span) {
        self.leave();
        self.rule = Some(rule);
    }

    /// Lays what was counted since the last rule was entered at that rule.
    fn leave(&mut self) {
        debug_assert!(self.entered_at <= self.counted, "the count never falls");
        let added = self.counted - self.entered_at;
        self.entered_at = self.counted;
        if let Some(rule) = self.rule.filter(|_| added > 0) {
            *self.grown.entry((rule.start, rule.end)).or_default() += added;
        }
    }

    /// The rule that added most; the first in the sheet of several.
    fn fattest(&mut self) -> Option<Span> {
        self.leave();
        let places = self.grown.iter().map(|(&place, &added)| (added, std::cmp::Reverse(place)));
        let (_, std::cmp::Reverse((start, end))) = places.max()?;
        Some(Span { start, end })
    }

    /// Steps of joins so far.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u64 {
        self.steps
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

    /// Asks the clock, the interrupt flag and now and then the resident size.
    pub(crate) fn look(&mut self) -> Result<(), GroundFault> {
        self.looks += 1;
        if self.looks.is_multiple_of(LOOKS_PER_WEIGHING) {
            self.weigh()?;
        }
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

    /// Asks for everything between two stages, of which the next may take long.
    pub(crate) fn pause(&mut self) -> Result<(), GroundFault> {
        self.look()?;
        self.weigh()
    }

    /// Asks for the resident size.
    pub(crate) fn weigh(&self) -> Result<(), GroundFault> {
        let held = self.limits.memory.zip(store::resident_bytes());
        if held.is_some_and(|(limit, held)| held > limit) {
            let message = "the memory was used up while this rule was grounded";
            return Err(GroundFault::new("memory", self.rule, message));
        }
        Ok(())
    }

    /// One more stored tuple or emitted rule; `false` once the limit is passed.
    #[inline]
    pub(crate) fn count(&mut self) -> bool {
        self.counted += 1;
        self.counted <= self.limits.atoms
    }

    /// The fault of passing the limit, laid at the rule that grew most; `last` is the one that
    /// passed it.
    pub(crate) fn over(&mut self, last: Span) -> GroundFault {
        let span = self.fattest().unwrap_or(last);
        let head = self.rule_at(span).map_or_else(String::new, |rule| self.head_text(rule));
        let limit = self.limits.atoms;
        let message = format!(
            "grounding passes the limit of {limit} atoms and rules, most by this rule{head}"
        );
        GroundFault::new("ground-limit", Some(span), message)
            .note("bound what its variables may be, or raise the limit with --ground-limit")
    }

    /// The fault of a term beyond the greatest depth.
    pub(crate) fn too_deep(&self, span: Span) -> GroundFault {
        let rule = self.rule_at(span);
        let head = rule.map_or_else(String::new, |rule| self.head_text(rule));
        let domain = rule.map_or_else(|| "its domain".to_owned(), |rule| self.domain_text(rule));
        let message =
            format!("this rule{head} makes ever deeper terms: {domain} grows without bound");
        GroundFault::new("domain-grows", Some(span), message)
            .note(format!("terms may be {} deep", self.depth()))
            .note(
                "bound it by a condition that can fail: count with constants and a successor \
                 table, such as (succ 0 1) (succ 1 2)",
            )
    }

    /// A rule that the rule of this place became.
    fn rule_at(&self, span: Span) -> Option<&'a Rule> {
        self.rulebook.rules.iter().find(|rule| rule.span == span)
    }

    fn head_text(&self, rule: &Rule) -> String {
        let symbols = &self.rulebook.symbols;
        format!(" for `{}`", symbols.name(symbols.written(rule.head.relation)))
    }

    /// Whose domain the rule fills: that of a fluent, or of the relation itself.
    fn domain_text(&self, rule: &Rule) -> String {
        let of_state = [keyword::NEXT, keyword::INIT].contains(&rule.head.relation);
        let name = match rule.head.args.first() {
            Some(Term::Compound(fluent, _)) if of_state => *fluent,
            _ => rule.head.relation,
        };
        let symbols = &self.rulebook.symbols;
        format!("the domain of `{}`", symbols.name(symbols.written(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book() -> Rulebook {
        let text = "(role a) (legal a m) (p 1) (q 1)";
        let reading = gdl::read(gdl::Source::new("t", text), &gdl::ReadOptions::default());
        reading.rulebook.expect("the sheet is in order")
    }

    #[test]
    fn a_set_flag_stops_within_one_look() {
        let flag = AtomicBool::new(true);
        let limits = GroundLimits { interrupt: Some(&flag), ..Default::default() };
        let book = book();
        let mut watch = Watch::new(&book, &limits, u64::MAX);
        let stopped = (1..=STEPS_PER_LOOK).find_map(|at| Some((at, watch.step().err()?.code)));
        assert_eq!(stopped, Some((STEPS_PER_LOOK, "interrupted")));
        assert_eq!(watch.pause().expect_err("it is set").code, "interrupted");
    }

    #[test]
    fn a_spent_budget_stops_at_the_next_look() {
        let (book, limits) =
            (book(), GroundLimits { memory: Some(u64::MAX), ..Default::default() });
        let mut watch = Watch::new(&book, &limits, 2 * STEPS_PER_LOOK);
        let steps = 1..=4 * STEPS_PER_LOOK;
        let stopped = steps.into_iter().find_map(|at| Some((at, watch.step().err()?.code)));
        assert_eq!(stopped, Some((3 * STEPS_PER_LOOK, OVER_BUDGET)));
        assert_eq!(Watch::new(&book, &limits, 0).pause(), Ok(()), "nothing is spent");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_beyond_its_memory_stops_within_one_weighing() {
        let limits = GroundLimits { memory: Some(1), ..Default::default() };
        let book = book();
        let mut watch = Watch::new(&book, &limits, u64::MAX);
        let steps = STEPS_PER_LOOK * LOOKS_PER_WEIGHING;
        let stopped = (1..=steps).find_map(|at| Some((at, watch.step().err()?.code)));
        assert_eq!(stopped, Some((steps, "memory")));
        let mut paused = Watch::new(&book, &limits, u64::MAX);
        assert_eq!(paused.pause().expect_err("it takes more").code, "memory");
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        let limits = GroundLimits { atoms: 2, ..Default::default() };
        let book = book();
        let mut watch = Watch::new(&book, &limits, u64::MAX);
        assert!(watch.count() && watch.count() && !watch.count());
    }

    #[test]
    fn the_limit_is_laid_at_the_rule_that_grew_most() {
        let (book, limits) = (book(), GroundLimits { atoms: 4, ..Default::default() });
        let mut watch = Watch::new(&book, &limits, u64::MAX);
        for (rule, added) in [(2, 1), (3, 1), (2, 2), (3, 1)] {
            watch.enter(book.rules[rule].span);
            (0..added).for_each(|_| assert_eq!(watch.count(), watch.counted <= 4));
        }
        let fault = watch.over(book.rules[3].span);
        assert_eq!((fault.code, fault.span), ("ground-limit", Some(book.rules[2].span)));
        assert!(fault.message.contains("`p`") && fault.notes[0].contains("--ground-limit"));
    }
}
