//! What clingo's observer is told, as a ground program.

use super::outside::refusals;
use super::{AtomId, GroundError, GroundLit, GroundProgram, Rule, RuleBody};
use crate::places::Outside;

/// A literal with its weight, as clingo gives it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted {
    pub(super) literal: i32,
    pub(super) weight: i32,
}

/// What was observed so far.
#[derive(Default)]
pub(super) struct Observed {
    program: GroundProgram,
    /// What was met that is outside the class.
    refused: Vec<Outside>,
    /// Rules at most.
    limit: usize,
}

fn literal(number: i32) -> Option<GroundLit> {
    GroundLit::from_aspif(i64::from(number))
}

impl Observed {
    /// Nothing yet, and so many rules at most.
    pub(super) fn within(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether there are too many rules.
    pub(super) fn is_over(&self) -> bool {
        self.program.len() > self.limit
    }

    pub(super) fn rule(&mut self, choice: bool, heads: &[u32], body: &[i32]) {
        let body: Vec<GroundLit> = body.iter().filter_map(|number| literal(*number)).collect();
        self.take(choice, heads, RuleBody::All(&body));
    }

    pub(super) fn weight_rule(
        &mut self,
        choice: bool,
        heads: &[u32],
        lower: i32,
        parts: &[Weighted],
    ) {
        let mut bound = i64::from(lower);
        let (mut literals, mut weights) = (Vec::new(), Vec::new());
        for part in parts {
            let Some(given) = literal(part.literal).filter(|_| part.weight != 0) else { continue };
            // A weight w below 0 for l is w, and -w for its opposite.
            bound -= i64::from(part.weight.min(0));
            literals.push(if part.weight > 0 { given } else { !given });
            weights.push(part.weight.unsigned_abs());
        }
        let body = RuleBody::Sum { bound, literals: &literals, weights: &weights };
        self.take(choice, heads, body);
    }

    fn take(&mut self, choice: bool, heads: &[u32], body: RuleBody<'_>) {
        if !choice && heads.len() > 1 {
            return self.refuse(Outside::Disjunction);
        }
        let heads = heads.iter().filter_map(|atom| literal(i32::try_from(*atom).ok()?));
        let heads: Vec<AtomId> = heads.map(GroundLit::atom).collect();
        self.program.add_rule(Rule { choice, heads: &heads, body });
    }

    pub(super) fn refuse(&mut self, what: Outside) {
        if !self.refused.contains(&what) {
            self.refused.push(what);
        }
    }

    /// The program with its symbols, each with its literal, 0 for facts; refused with its places in
    /// the text where it has what is outside the class.
    pub(super) fn finish(
        self,
        text: &str,
        symbols: Vec<(String, i32)>,
    ) -> Result<GroundProgram, GroundError> {
        if !self.refused.is_empty() {
            return Err(GroundError::Program(refusals(text, &self.refused)));
        }
        let mut program = self.program;
        for (text, number) in symbols {
            program.add_symbol(&text, literal(number).map(GroundLit::atom));
        }
        Ok(program)
    }
}
