//! What is switched off is not done, and what is on is done somewhere.

use qcnf::meaning;

use super::formulas::{Dice, Placement, layered};
use super::unwatched;
use crate::{Options, Solver, Stats};

/// Counts over some formulas that have the value of the definition.
fn counted(options: &Options) -> Stats {
    let mut sum = Stats::default();
    for seed in 0..60u64 {
        let placement = [Placement::Innermost, Placement::Dependency][seed as usize % 2];
        let formula = layered(&mut Dice::new(seed), 3, 2, placement);
        let mut solver = Solver::new(&formula, options);
        let value = unwatched(|watch| solver.solve(&[], watch)).expect("no limit");
        assert_eq!(value, meaning::value(&formula), "seed {seed}");
        let stats = solver.stats();
        sum.gates += stats.gates;
        sum.equivalent += stats.equivalent;
        sum.eliminated += stats.eliminated;
        sum.subsumed += stats.subsumed;
        sum.merged += stats.merged;
        sum.deferred += stats.deferred;
        sum.lookups += stats.lookups;
        sum.entries += stats.entries;
    }
    sum
}

#[test]
fn what_is_switched_off_is_not_done() {
    // Where little is simplified much is left for each.
    let bare = Options {
        walk: 1,
        rounds: 1,
        definability: 0,
        equivalences: 0,
        elimination: 0,
        subsumption: 0,
        merging: 0,
        deferral: 0,
        ..Options::default()
    };
    let counts = |stats: &Stats| {
        [stats.gates, stats.equivalent, stats.eliminated, stats.subsumed, stats.deferred]
    };
    assert_eq!((counts(&counted(&bare)), counted(&bare).merged), ([0; 5], 0));
    let names = ["definability", "equivalences", "elimination", "subsumption", "deferral"];
    for (at, name) in names.into_iter().enumerate() {
        let mut options = bare.clone();
        options.set(name, 1).expect("a switch");
        let found = counts(&counted(&options));
        for (other, count) in found.into_iter().enumerate() {
            assert_eq!(count > 0, other == at, "{name}: {found:?}");
        }
    }
    let none = counted(&Options { rounds: 0, ..Options::default() });
    assert_eq!(counts(&none)[..4], [0; 4], "no round, nothing simplified");
}

#[test]
fn keys_of_parts_are_tried_where_they_are_asked_for() {
    let with = |residual_keys| {
        counted(&Options { walk: 1, rounds: 0, patience: 1, residual_keys, ..Options::default() })
    };
    let [off, later, first] = [0, 1, 2].map(with);
    assert!(off.lookups < later.lookups, "{} {} look-ups", off.lookups, later.lookups);
    assert!(first.lookups > 0, "keys of parts from the start");
    let frontier = Options { walk: 1, frontier_cache: 0, residual_keys: 0, ..Options::default() };
    assert_eq!(counted(&frontier).lookups, 0, "nothing is kept");
}
