//! Limits end in bounds that hold.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use exact::Ratio;
use index::Id;
use qcnf::random::any;
use qcnf::{Lit, Qcnf, Quantifier, Var, meaning};
use verdict::{HaltReason, Watch};

use super::formulas::{Dice, Placement, layered};
use super::{solve, unwatched};
use crate::{Options, Solver};

/// The watch is asked every 256th step, so an interrupt that is there at once halts a long walk
/// early, with what it knows by then.
#[test]
fn an_interrupt_leaves_bounds_around_the_value() {
    let (mut halted, mut tight) = (0, 0);
    for seed in 0..200 {
        let formula = layered(&mut Dice::new(seed), 11, 4, Placement::Dependency);
        let options = Options {
            walk: 1,
            rounds: 0,
            frontier_cache: 0,
            good_literals: 0,
            ..Options::default()
        };
        let interrupt = AtomicBool::new(true);
        let watch = Watch::unlimited(&interrupt);
        let mut solver = Solver::new(&formula, &options);
        unwatched(|watch| solver.prepare_now(watch)).expect("there is no limit");
        let Err(first) = solver.solve(&[], &watch) else { continue };
        assert_eq!(first.reason, HaltReason::Interrupt);
        let value = solve(&formula, &Options::default(), &[]);
        assert!(first.bounds.0 <= value && value <= first.bounds.1, "seed {seed}");
        halted += 1;
        tight += usize::from(first.bounds != (Ratio::zero(), Ratio::one()));
    }
    assert!(halted > 50 && tight > 10, "{halted} halts, {tight} with bounds that say something");
}

#[test]
fn walks_that_run_out_of_time_leave_bounds_and_can_go_on() {
    let mut tight = 0;
    for seed in 0..300 {
        let formula = layered(&mut Dice::new(seed), 18, 5, Placement::Dependency);
        let value = solve(&formula, &Options::default(), &[]);
        let options =
            Options { walk: 1, frontier_cache: 0, good_literals: 0, ..Options::default() };
        let mut solver = Solver::new(&formula, &options);
        let interrupt = AtomicBool::new(false);
        let mut watch = Watch {
            started: Instant::now(),
            time: Some(Duration::from_secs(3600)),
            memory: None,
            interrupt: &interrupt,
            progress: &|_| {},
        };
        // The formula is prepared without a limit.
        let _ = solver.prepare_now(&watch);
        watch.time = Some(Duration::ZERO);
        match solver.solve(&[], &watch) {
            Ok(found) => assert_eq!(found, value, "seed {seed}"),
            Err(halted) => {
                assert_eq!(halted.reason, HaltReason::Time);
                let (lower, upper) = halted.bounds;
                assert!(lower <= value && value <= upper, "seed {seed}: {lower} {value} {upper}");
                tight += usize::from(!lower.is_zero() || upper != Ratio::one());
            }
        }
        if seed % 10 == 0 {
            let mut solver = Solver::new(&formula, &Options::default());
            let _ = solver.prepare_now(&Watch { time: None, ..watch });
            let _ = solver.solve(&[], &watch);
            watch.time = None;
            assert_eq!(solver.solve(&[], &watch).expect("no limit"), value, "seed {seed}");
        }
    }
    assert!(tight > 10, "bounds were trivial but for {tight}");
}

#[test]
fn a_memory_limit_that_is_met_at_once_leaves_trivial_bounds() {
    let formula = layered(&mut Dice::new(5), 6, 3, Placement::Innermost);
    let interrupt = AtomicBool::new(false);
    let mut watch = Watch {
        started: Instant::now(),
        time: None,
        memory: Some(1),
        interrupt: &interrupt,
        progress: &|_| {},
    };
    let mut solver = Solver::new(&formula, &Options::default());
    let halted = solver.solve(&[], &watch).expect_err("a process is larger than a byte");
    assert!(matches!(halted.reason, HaltReason::Memory { needed } if needed > 1));
    assert_eq!(halted.bounds, (Ratio::zero(), Ratio::one()));
    watch.memory = None;
    let value = solve(&formula, &Options::default(), &[]);
    assert_eq!(solver.solve(&[], &watch).expect("no limit"), value);
}

/// Preparation that is halted anywhere, and begins anew, loses nothing: a solver that is halted at
/// one look, and one that is halted at each in turn, have the value.
#[test]
fn preparation_in_vain_leaves_the_value() {
    let (mut halts, mut deferred) = (0, 0);
    for seed in 0..4000u64 {
        let (steps, bits) = [(3, 2), (2, 3), (4, 2), (3, 3)][seed as usize % 4];
        let placement = [Placement::Innermost, Placement::Dependency][seed as usize / 4 % 2];
        let formula = match seed % 9 {
            8 => any(seed, 14),
            _ => layered(&mut Dice::new(seed), steps, bits, placement),
        };
        let value = meaning::value(&formula);
        // Where little is simplified much is left to be put off.
        let options = Options {
            walk: 1 + seed % 2,
            rounds: 1 + seed / 2 % 3,
            elimination: u64::from(seed % 5 == 0),
            merging: u64::from(seed % 7 == 0),
            ..Options::default()
        };
        unwatched(|watch| {
            let mut patient = Solver::new(&formula, &options);
            for looks in 0.. {
                let mut solver = Solver::new(&formula, &options);
                let is_halted = solver.prepare_looks(watch, looks).is_err();
                let _ = patient.prepare_looks(watch, looks);
                let found = solver.solve(&[], watch).expect("no limit");
                assert_eq!(found, value, "seed {seed}, halted after {looks} looks");
                deferred += solver.stats().deferred;
                halts += usize::from(is_halted);
                if !is_halted {
                    break;
                }
            }
            let found = patient.solve(&[], watch).expect("no limit");
            assert_eq!(found, value, "seed {seed}, halted at every look");
        });
    }
    assert!(halts > 30_000 && deferred > 3000, "{halts} halts, {deferred} deferred");
}

/// 200,000 levels, where numbers over one denominator and keys of all boundaries would take
/// gigabytes each: choices and coins in turn, each in a clause with its neighbours and one far away.
#[test]
fn very_many_levels_are_prepared_in_little_memory() {
    let count = 200_000;
    let mut formula = Qcnf::new(count);
    for at in 0..count {
        let quantifier = match at % 2 {
            0 => Quantifier::Chance(Ratio::new(1u8, 3u8)),
            _ => Quantifier::Exists,
        };
        formula.quantify(quantifier, vec![Var::from_index(at)]);
    }
    let lit = |at: usize| Lit::positive(Var::from_index(at));
    for at in (1..count / 2).step_by(2) {
        formula.add_clause(&[lit(at - 1), !lit(at), lit(at + 2)]);
        formula.add_clause(&[!lit(at - 1), lit(at), lit(count - at)]);
    }
    for walk in 0..3 {
        let options = Options { walk, elimination: 0, ..Options::default() };
        let mut solver = Solver::new(&formula, &options);
        let before = store::resident_bytes().unwrap_or_default();
        unwatched(|watch| solver.prepare_now(watch)).expect("there is no limit");
        let grown = store::resident_bytes().unwrap_or_default().saturating_sub(before);
        assert!(grown < 1 << 30, "{grown} bytes more");
        assert!(solver.stats().levels > 100_000, "{} levels", solver.stats().levels);
        let halted = unwatched(|watch| {
            let watch = Watch { time: Some(Duration::ZERO), ..*watch };
            solver.solve(&[], &watch).expect_err("there is no time")
        });
        assert_eq!(halted.reason, HaltReason::Time);
        assert!(halted.bounds.0 <= halted.bounds.1);
    }
}
