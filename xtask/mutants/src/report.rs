//! The shares, with Wilson's interval for 95 per cent (Wilson, *Probable inference*, 1927), which holds
//! for small samples and for shares near 1 as well.
//!
//! A fault that does not compile says nothing; one that ends no test in time was noticed; one that no
//! test reaches was missed.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::plant::{Plan, Standing};
use crate::tests_of::Reach;
use crate::trial::Outcome;

/// What was found of a crate, as text.
pub(crate) fn report(
    name: &str,
    seed: u64,
    plan: &Plan,
    reach: &Reach,
    ends: &BTreeMap<usize, Outcome>,
) -> String {
    let stands = |standing| plan.drawn.iter().filter(|drawn| drawn.standing == standing).count();
    let ended = |outcome| ends.values().filter(|end| **end == outcome).count();
    let planted = |fault: &usize| plan.drawn[*fault].standing == Standing::Planted;
    let unreached: Vec<usize> = (0..plan.drawn.len())
        .filter(|fault| planted(fault) && reach.tests[*fault].is_empty())
        .collect();
    let (caught, late) = (ended(Outcome::Caught), ended(Outcome::Late));
    let missed = ended(Outcome::Missed) + ended(Outcome::Unfinished) + unreached.len();
    let tried = caught + late + missed;
    let untried = stands(Standing::Planted) - tried;
    let mut text = format!(
        "{name}: {} mutants drawn (of {}, seed {seed}): {caught} caught, {late} ended no test in time, \
         {missed} missed ({} of them reached by no test), {} do not compile, {} have no switch, \
         {untried} not tried\n",
        plan.drawn.len(),
        plan.all,
        unreached.len(),
        stands(Standing::Unviable),
        stands(Standing::Unswitched),
    );
    if tried > 0 {
        let (low, high) = wilson(caught + late, tried);
        writeln!(
            text,
            "  noticed: {:.1} % of {tried} (95 % interval {:.0} to {:.0} %)",
            100.0 * (caught + late) as f64 / tried as f64,
            100.0 * low,
            100.0 * high
        )
        .expect("a string takes all");
    }
    let mut line = |fault: usize, word: &str| {
        writeln!(text, "  {word} {}", plan.drawn[fault].name).expect("a string takes all");
    };
    for (fault, end) in ends {
        match end {
            Outcome::Missed => line(*fault, "missed"),
            Outcome::Unfinished => line(*fault, "missed, in the time given,"),
            Outcome::Caught | Outcome::Late => {}
        }
    }
    unreached.iter().for_each(|fault| line(*fault, "not reached"));
    for test in &reach.broken {
        writeln!(text, "  fails without a fault, and was not asked: {test}")
            .expect("a string takes all");
    }
    text
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
    use super::*;

    #[test]
    fn intervals_are_those_of_the_formula() {
        // By hand: (0.9 + 0.0192) / 1.0384 = 0.8852, and 0.0596 to each side.
        let (low, high) = wilson(90, 100);
        assert!((low - 0.8256).abs() < 1e-4 && (high - 0.9448).abs() < 1e-4, "{low} {high}");
        assert!(wilson(10, 10).1 > 0.999 && (wilson(10, 10).0 - 0.7225).abs() < 1e-4);
        assert!(wilson(0, 10).0 < 1e-9);
    }
}
