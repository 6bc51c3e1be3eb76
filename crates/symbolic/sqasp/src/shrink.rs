//! A ground program on which something shows, made smaller while it still does.
//!
//! Tried, one after the other and again until nothing helps: a rule left out; a symbol, which may be a
//! fact that quantifies; a literal of a body; a head; a weight made 1; a sum made plain. Programs that are
//! cut down are small, so that nothing is tried several at a time.
//!
//! Always: the result has a prefix and shows what the first program shows, or is that program. Where the
//! effort is spent, the smallest so far is the result. Cost: one call of `shows` an attempt, about the
//! square of the literals at worst.

use qcnf::shrink::Effort;

use crate::{AtomId, GroundLit, GroundProgram, Prefix, Rule, RuleBody};

/// Makes a program smaller while `shows` says yes of it and its prefix; it is taken to say yes of the
/// first.
pub fn shrink(
    program: &GroundProgram,
    effort: Effort<'_>,
    shows: &mut dyn FnMut(&GroundProgram, &Prefix) -> bool,
) -> GroundProgram {
    let mut best = Parts::of(program);
    let (mut attempts, mut before) = (0, None);
    while before != Some(best.size()) {
        before = Some(best.size());
        for change in CHANGES {
            let mut at = 0;
            while let Some(smaller) = change(&best, at) {
                if attempts >= effort.attempts || !(effort.goes_on)() {
                    return best.program();
                }
                debug_assert!(smaller.size() < best.size(), "a change makes a program smaller");
                let candidate = smaller.program();
                let prefix = Prefix::read(&candidate).ok();
                attempts += u32::from(prefix.is_some());
                match prefix.is_some_and(|prefix| shows(&candidate, &prefix)) {
                    true => best = smaller,
                    false => at += 1,
                }
            }
        }
    }
    best.program()
}

/// The program without its thing of a number, or with a plainer one; none where it has no more.
type Change = fn(&Parts, usize) -> Option<Parts>;

const CHANGES: &[Change] = &[
    |parts, at| {
        let mut smaller = parts.clone();
        (at < smaller.rules.len()).then(|| smaller.rules.remove(at))?;
        Some(smaller)
    },
    |parts, at| {
        let mut smaller = parts.clone();
        (at < smaller.symbols.len()).then(|| smaller.symbols.remove(at))?;
        Some(smaller)
    },
    |parts, at| {
        parts.changed(
            at,
            |part| part.literals.len(),
            |part, at| {
                part.literals.remove(at);
                if let Some((_, weights)) = &mut part.sum {
                    weights.remove(at);
                }
            },
        )
    },
    |parts, at| {
        parts.changed(
            at,
            |part| part.heads.len(),
            |part, at| {
                part.heads.remove(at);
                part.choice &= !part.heads.is_empty();
            },
        )
    },
    |parts, at| {
        let heavy = |part: &Part| -> Vec<usize> {
            let weights = part.sum.iter().flat_map(|(_, weights)| weights.iter().enumerate());
            weights.filter(|(_, weight)| **weight > 1).map(|(at, _)| at).collect()
        };
        parts.changed(
            at,
            |part| heavy(part).len(),
            |part, at| {
                let at = heavy(part)[at];
                if let Some((_, weights)) = &mut part.sum {
                    weights[at] = 1;
                }
            },
        )
    },
    |parts, at| {
        parts.changed(at, |part| usize::from(part.sum.is_some()), |part, _| part.sum = None)
    },
];

/// A rule.
#[derive(Clone)]
struct Part {
    choice: bool,
    heads: Vec<AtomId>,
    literals: Vec<GroundLit>,
    /// The bound and the weights of a sum.
    sum: Option<(i64, Vec<u32>)>,
}

/// A program in parts.
#[derive(Clone)]
struct Parts {
    rules: Vec<Part>,
    symbols: Vec<(String, Option<AtomId>)>,
}

impl Parts {
    fn of(program: &GroundProgram) -> Self {
        let part = |rule: Rule<'_>| Part {
            choice: rule.choice,
            heads: rule.heads.to_vec(),
            literals: rule.literals().to_vec(),
            sum: match rule.body {
                RuleBody::All(_) => None,
                RuleBody::Sum { bound, weights, .. } => Some((bound, weights.to_vec())),
            },
        };
        let symbols = program.symbols().map(|(text, atom)| (text.to_owned(), atom));
        Self { rules: program.rules().map(part).collect(), symbols: symbols.collect() }
    }

    fn program(&self) -> GroundProgram {
        let mut program = GroundProgram::default();
        for Part { choice, heads, literals, sum } in &self.rules {
            let body = match sum {
                None => RuleBody::All(literals),
                Some((bound, weights)) => RuleBody::Sum { bound: *bound, literals, weights },
            };
            program.add_rule(Rule { choice: *choice, heads, body });
        }
        self.symbols.iter().for_each(|(text, atom)| program.add_symbol(text, *atom));
        program
    }

    /// Rules, heads and literals, symbols, sums and their weights.
    fn size(&self) -> [usize; 5] {
        let sum = |of: &dyn Fn(&Part) -> usize| self.rules.iter().map(of).sum();
        let weights = |part: &Part| -> usize {
            part.sum.iter().flat_map(|(_, weights)| weights).map(|weight| *weight as usize).sum()
        };
        [
            self.rules.len(),
            sum(&|part| part.heads.len() + part.literals.len()),
            self.symbols.len(),
            sum(&|part| usize::from(part.sum.is_some())),
            sum(&weights),
        ]
    }

    /// The parts with the `at`th of all things changed, of which each rule has some.
    fn changed(
        &self,
        mut at: usize,
        count: impl Fn(&Part) -> usize,
        change: impl Fn(&mut Part, usize),
    ) -> Option<Self> {
        let mut smaller = self.clone();
        for part in &mut smaller.rules {
            let mine = count(part);
            if at < mine {
                change(part, at);
                return Some(smaller);
            }
            at -= mine;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{meaning, random};

    const EFFORT: Effort<'_> = Effort { attempts: 5000, goes_on: &|| true };

    /// A valuation that takes every sum for a plain body.
    fn planted(program: &GroundProgram, prefix: &Prefix) -> bool {
        let mut parts = Parts::of(program);
        parts.rules.iter_mut().for_each(|part| part.sum = None);
        meaning::value(&parts.program(), prefix) != meaning::value(program, prefix)
    }

    #[test]
    fn a_program_is_cut_down_to_what_shows_the_fault() {
        let mut found = 0;
        for seed in 0..300 {
            let program = random::program(seed);
            let prefix = Prefix::read(&program).expect("random programs have a prefix");
            if !planted(&program, &prefix) {
                continue;
            }
            found += 1;
            let small = shrink(&program, EFFORT, &mut planted);
            let prefix = Prefix::read(&small).expect("it has a prefix");
            assert!(planted(&small, &prefix), "seed {seed}");
            assert!(small.len() <= 3, "seed {seed}:\n{small}");
            assert_eq!(crate::read_aspif(&small.to_string()).as_ref(), Ok(&small), "seed {seed}");
            let again = shrink(&small, EFFORT, &mut planted);
            assert_eq!(again, small, "seed {seed}: nothing is left to leave out");
        }
        assert!(found >= 20, "{found} programs with sums that tell");
    }

    #[test]
    fn effort_that_is_spent_leaves_what_was_found() {
        let program = random::program(7);
        let none = Effort { attempts: 0, goes_on: &|| true };
        assert_eq!(shrink(&program, none, &mut |_, _| true), program);
        let ended = Effort { attempts: 9, goes_on: &|| false };
        assert_eq!(shrink(&program, ended, &mut |_, _| true), program);
        let all = shrink(&program, EFFORT, &mut |_, _| true);
        assert!(all.is_empty() && all.symbols().len() == 0, "{all}");
        let few = Effort { attempts: 2, goes_on: &|| true };
        assert_eq!(shrink(&program, few, &mut |_, _| true).len(), program.len() - 2);
    }
}
