//! The shares, with Wilson's interval for 95 per cent (Wilson, *Probable inference*, 1927), which holds
//! for small samples and for shares near 1 as well.
//!
//! A fault that does not compile says nothing; one that ends no test in time was noticed; one that no
//! test reaches was missed. The first share is of all that were tried. The others leave out survivors that
//! are explained as equal, and then those that differ in nothing that is promised: only as good as what
//! is written of them.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::plant::{Plan, Standing};
use crate::survivors::{Explained, Sort};
use crate::tests_of::Reach;
use crate::trial::Outcome;

/// What was found of a crate.
pub(crate) struct Found<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) reach: &'a Reach,
    pub(crate) ends: &'a BTreeMap<usize, Outcome>,
    pub(crate) explained: &'a Explained,
}

impl Found<'_> {
    /// All of it, as text.
    pub(crate) fn report(&self, name: &str, seed: u64) -> String {
        let survivors = self.survivors();
        let mut text = self.counts(name, seed, survivors.len());
        let noticed = self.ended(Outcome::Caught) + self.ended(Outcome::Late);
        let of_sorts = |sorts: &[Sort]| {
            let among =
                |fault: &&(usize, &str)| self.sort(fault.0).is_some_and(|it| sorts.contains(&it));
            survivors.iter().filter(among).count()
        };
        let equal = of_sorts(&[Sort::Equal]);
        let free = of_sorts(&[Sort::Equal, Sort::Unpromised]);
        for (what, left_out) in [
            ("noticed", 0),
            ("without those explained as equal", equal),
            ("nor those that differ in nothing promised", free),
        ] {
            text.push_str(&share(what, noticed, noticed + survivors.len() - left_out));
        }
        for (fault, word) in &survivors {
            let sort = self.sort(*fault).map_or("NOT EXPLAINED", Sort::word);
            line(&mut text, &format!("{word} ({sort}) {}", self.plan.drawn[*fault].name()));
        }
        self.stale(name).iter().for_each(|told| line(&mut text, told));
        for test in &self.reach.broken {
            line(&mut text, &format!("fails without a fault, and was not asked: {test}"));
        }
        text
    }

    fn counts(&self, name: &str, seed: u64, missed: usize) -> String {
        let drawn = &self.plan.drawn;
        let stands = |standing| drawn.iter().filter(|drawn| drawn.standing == standing).count();
        let unreached = (0..drawn.len()).filter(|fault| self.is_unreached(*fault)).count();
        let (caught, late) = (self.ended(Outcome::Caught), self.ended(Outcome::Late));
        let untried = stands(Standing::Planted) - (caught + late + missed);
        format!(
            "{name}: {} mutants drawn (of {}, seed {seed}): {caught} caught, {late} ended no test in \
             time, {missed} missed ({unreached} of them reached by no test), {} do not compile, {} have \
             no switch, {untried} not tried\n",
            drawn.len(),
            self.plan.all,
            stands(Standing::Unviable),
            stands(Standing::Unswitched),
        )
    }

    /// Faults that no test noticed, each with how that was.
    fn survivors(&self) -> Vec<(usize, &'static str)> {
        let passed = self.ends.iter().filter_map(|(fault, end)| match end {
            Outcome::Missed => Some((*fault, "missed")),
            Outcome::Unfinished => Some((*fault, "missed, in the time given,")),
            Outcome::Caught | Outcome::Late => None,
        });
        let unreached = (0..self.plan.drawn.len()).filter(|fault| self.is_unreached(*fault));
        passed.chain(unreached.map(|fault| (fault, "not reached"))).collect()
    }

    /// Explanations that explain nothing: of what is noticed, or not in the code.
    fn stale(&self, name: &str) -> Vec<String> {
        let survive = self.survivors();
        let of = |key: &str| -> Vec<usize> {
            (0..self.plan.drawn.len()).filter(|at| self.plan.drawn[*at].key == key).collect()
        };
        let mut told = Vec::new();
        for key in self.explained.keys() {
            let tried = of(key).iter().any(|fault| self.ends.contains_key(fault));
            let survives = of(key).iter().any(|fault| survive.iter().any(|one| one.0 == *fault));
            if !self.plan.keys.contains(key) {
                told.push(format!("explained in {name}.txt, and there is no such fault: {key}"));
            } else if tried && !survives {
                told.push(format!("explained in {name}.txt, and noticed: {key}"));
            }
        }
        told
    }

    fn is_unreached(&self, fault: usize) -> bool {
        let is_planted = self.plan.drawn[fault].standing == Standing::Planted;
        is_planted && self.reach.tests[fault].is_empty()
    }

    fn ended(&self, outcome: Outcome) -> usize {
        self.ends.values().filter(|end| **end == outcome).count()
    }

    fn sort(&self, fault: usize) -> Option<Sort> {
        self.explained.get(&self.plan.drawn[fault].key).copied()
    }
}

fn line(text: &mut String, told: &str) {
    writeln!(text, "  {told}").expect("a string takes all");
}

/// A share with its interval, as a line; nothing where nothing was tried.
fn share(what: &str, noticed: usize, all: usize) -> String {
    if all == 0 {
        return String::new();
    }
    let (low, high) = wilson(noticed, all);
    format!(
        "  {what}: {:.1} % of {all} (95 % interval {:.0} to {:.0} %)\n",
        100.0 * noticed as f64 / all as f64,
        100.0 * low,
        100.0 * high
    )
}

/// Wilson's interval for a share, 95 per cent.
fn wilson(noticed: usize, all: usize) -> (f64, f64) {
    assert!(noticed <= all && all > 0, "a share of something");
    const Z: f64 = 1.959_963_984_540_054;
    let (count, share) = (all as f64, noticed as f64 / all as f64);
    let scale = 1.0 + Z * Z / count;
    let middle = (share + Z * Z / (2.0 * count)) / scale;
    let half = Z / scale * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn survivors_are_told_with_what_is_written_of_them() {
        let keys = ["a: f: x", "a: f: y", "a: f: z", "a: g: w", "a: h: v"];
        let plan = Plan::of_keys(&keys);
        let reach = Reach {
            tests: vec![vec![0], vec![0], vec![0], vec![0], vec![]],
            times: vec![Duration::ZERO],
            broken: vec!["t".to_owned()],
        };
        let ends = [Outcome::Caught, Outcome::Missed, Outcome::Unfinished, Outcome::Late];
        let ends = ends.into_iter().enumerate().collect();
        let explained = [
            ("a: f: x", Sort::Gap),
            ("a: f: y", Sort::Equal),
            ("a: f: gone", Sort::Gap),
            ("a: h: v", Sort::Unpromised),
        ];
        let explained = explained.map(|(key, sort)| (key.to_owned(), sort)).into();
        let found = Found { plan: &plan, reach: &reach, ends: &ends, explained: &explained };
        let text = found.report("a", 1);
        for told in [
            "1 caught, 1 ended no test in time, 3 missed (1 of them reached by no test)",
            "noticed: 40.0 % of 5 (",
            "equal: 50.0 % of 4 (",
            "promised: 66.7 % of 3 (",
            "\n  missed (equal) a:1: f: y\n",
            "\n  missed, in the time given, (NOT EXPLAINED) a:1: f: z\n",
            "\n  not reached (unpromised) a:1: h: v\n",
            "a.txt, and noticed: a: f: x\n",
            "a.txt, and there is no such fault: a: f: gone\n",
            "was not asked: t\n",
        ] {
            assert!(text.contains(told), "{told}: {text}");
        }
        assert_eq!(text.lines().count(), 10, "{text}");
    }

    #[test]
    fn intervals_are_those_of_the_formula() {
        // By hand: (0.9 + 0.0192) / 1.0384 = 0.8852, and 0.0596 to each side.
        let (low, high) = wilson(90, 100);
        assert!((low - 0.8256).abs() < 1e-4 && (high - 0.9448).abs() < 1e-4, "{low} {high}");
        assert!(wilson(10, 10).1 > 0.999 && (wilson(10, 10).0 - 0.7225).abs() < 1e-4);
        assert!(wilson(0, 10).0 < 1e-9);
    }
}
