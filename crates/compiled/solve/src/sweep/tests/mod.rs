//! The sweep against itself: with and without folding, with planted wrong guesses, under limits.

mod limits;
mod stored;
mod symmetry;
mod threads;
mod trail;

use std::sync::Arc;
use std::time::Duration;

use exact::Ratio;
use index::{Id, IndexVec};
use net::BaseId;
use verdict::{Engine, HaltReason, Objective, Question, Stop, Verdict, Watch};

use super::{Device, Ended, Kept, Plan, Sweep, attempt, perft};
use crate::backend::SweepBackend;
use crate::game::{Game, Guesses};
use crate::search::Stepper;
use crate::testing::{Limits, WALK, game, halt, moves, question, told, under};
use crate::{Options, Search, Tier};

fn sweep(question: &Question, options: Options) -> Verdict {
    under(Limits::default(), |watch| Sweep::new(options).judge(question, watch)).expect("an answer")
}

/// An answer under guesses of our own, and how often the sweep had to start.
fn with_guesses(question: &Question, plant: impl Fn(&mut Guesses)) -> (Verdict, usize) {
    under(Limits::default(), |watch| {
        let options = Options::default();
        let mut game = Game::new(question, &options, watch).expect("a game");
        plant(&mut game.guesses);
        for starts in 1.. {
            match attempt(&mut game, question, &options, Kept::default(), watch) {
                Ok(verdict) => return (verdict, starts),
                Err(Ended::Restart) => assert!(starts < 50, "each restart drops a guess"),
                Err(Ended::Stop(stop)) => panic!("an answer was expected: {stop:?}"),
            }
        }
        unreachable!("a sweep ends")
    })
}

#[test]
fn folding_changes_nothing_but_what_is_stored() {
    for name in ["stochastic-tic-tac-toe-3x3", "stochastic-connect-3-4x4", "stochastic-nim-20"] {
        let question = game(name);
        let all = Options { symmetry: false, ..Options::default() };
        let folded = sweep(&question, all);
        let kept = sweep(&question, Options { fold: false, ..all });
        assert_eq!(moves(&folded), moves(&kept), "{name}");
        let counts = |verdict: &Verdict| {
            let counts = verdict.counts;
            (counts.states, counts.decision_states, counts.plies)
        };
        assert_eq!(counts(&folded), counts(&kept), "{name}");
        assert_eq!(kept.counts.states, Some(kept.counts.stored), "{name}: everything is kept");
    }
    let connect = sweep(&game("stochastic-connect-3-4x4"), Options::default());
    assert_eq!(connect.counts.stored, 176_897, "boards only");
    assert_eq!(connect.counts.states, Some(356_073));
}

#[test]
fn a_wrong_group_is_taken_back() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let right = sweep(&question, Options::default());
    let (verdict, starts) = with_guesses(&question, |guesses| {
        // Cells of two groups: exactly one of the four holds at no time, or breaks on the way.
        let (first, second) = (guesses.groups[0].clone(), guesses.groups[1].clone());
        guesses.groups[0] = vec![first[0], second[1]];
    });
    assert!(starts > 1, "the planted group breaks");
    assert_eq!(moves(&verdict), moves(&right));
    assert_eq!(verdict.counts.states, right.counts.states);
}

#[test]
fn a_wrong_level_is_taken_back() {
    let question = game("stochastic-nim-20");
    let right = sweep(&question, Options::default());
    let (verdict, starts) = with_guesses(&question, |guesses| {
        let (weights, _) = guesses.level.as_mut().expect("a level");
        // Right at the start, wrong where this proposition holds.
        let last = weights.ids().next_back().expect("a proposition");
        weights[last] += 1;
    });
    assert!(starts > 1, "the planted level breaks");
    assert_eq!(moves(&verdict), moves(&right));
}

#[test]
fn the_graph_and_the_plies_agree() {
    for name in ["tic-tac-toe", "stochastic-tic-tac-toe-3x3", "stochastic-nim-20", "coin-row"] {
        let question = game(name);
        let plies = sweep(&question, Options::default());
        let (graph, _) = with_guesses(&question, |guesses| guesses.level = None);
        assert_eq!(moves(&plies), moves(&graph), "{name}");
        assert_eq!(plies.counts.states, graph.counts.states, "{name}");
        assert_eq!(plies.counts.decision_states, graph.counts.decision_states, "{name}");
        assert_eq!(plies.counts.plies, graph.counts.plies, "{name}");
    }
}

#[test]
fn no_guess_at_all_gives_the_same_answer() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let (bare, _) = with_guesses(&question, |guesses| *guesses = Guesses::default());
    assert_eq!(moves(&bare), moves(&sweep(&question, Options::default())));
}

#[test]
fn a_level_of_nothing_is_refused_at_the_root() {
    let question = question(WALK);
    let (_, starts) = with_guesses(&Question { horizon: Some(3), ..question }, |guesses| {
        let bases = 5;
        let weights: IndexVec<BaseId, i64> = IndexVec::filled(0, bases);
        assert_eq!(BaseId::from_index(0), weights.ids().next().expect("a base"));
        guesses.level = Some((weights, 7));
    });
    assert_eq!(starts, 2);
}

#[test]
fn a_play_that_returns_is_valued_and_a_horizon_bounds_it() {
    let question = question(WALK);
    let endless = sweep(&question, Options::default());
    assert_eq!((endless.value.to_string().as_str(), endless.counts.plies), ("1/2", None));
    let narrow = Options { width: Some(1 << 23), ..Options::default() };
    let ended = under(Limits::default(), |watch| Sweep::new(narrow).judge(&question, watch));
    let bounds = halt(ended);
    let width = Ratio::new(1u8, 1u64 << 40);
    assert!(bounds.lower <= endless.value && endless.value <= bounds.upper);
    assert!(bounds.upper - bounds.lower <= width, "the width that was asked for");
    // Two steps reach the top with 1/4; from there four steps add 1/2 * 1/4.
    for (steps, value, cut) in [(0, "0/1", true), (2, "1/4", true), (4, "3/8", true)] {
        let bounded = Question { horizon: Some(steps), ..question.clone() };
        let verdict = sweep(&bounded, Options::default());
        assert_eq!((verdict.value.to_string().as_str(), verdict.cut), (value, cut));
        assert!(verdict.counts.states.expect("a count") <= 5);
    }
}

#[test]
fn a_flawed_state_is_shown_with_the_rule_at_fault() {
    let sheet = "(role x) (init s) (legal x m) (<= (next t) (does x m))
        (<= terminal (true t)) (goal x 0) (<= (goal x 100) (true t))";
    let ended = under(Limits::default(), |watch| {
        Sweep::new(Options::default()).judge(&question(sheet), watch)
    });
    let Err(Stop::Faulty(fault)) = ended else { panic!("a fault was expected: {ended:?}") };
    assert_eq!((fault.code, fault.states.as_slice()), ("several-goals", &["t".to_owned()][..]));
    let span = fault.span.expect("a place");
    assert_eq!(&sheet[span.start as usize..span.end as usize], "(goal x 0)");
}

#[test]
fn a_horizon_may_fall_between_a_choice_and_its_toss() {
    for name in ["stochastic-tic-tac-toe-3x3", "stochastic-nim-20"] {
        for steps in [0, 1, 5, 6, 7] {
            let question = Question { horizon: Some(steps), ..game(name) };
            let folded = sweep(&question, Options::default());
            let kept = sweep(&question, Options { fold: false, ..Options::default() });
            assert_eq!(moves(&folded), moves(&kept), "{name}, {steps} steps");
            assert_eq!(folded.counts.states, kept.counts.states, "{name}, {steps} steps");
            assert_eq!((folded.cut, folded.counts.plies), (true, Some(steps)));
            assert!(kept.cut);
        }
    }
}

#[test]
fn approximate_bounds_hold_the_value_and_are_narrow() {
    let question = game("stochastic-nim-100");
    let value = sweep(&question, Options::default()).value;
    let options = Options { approximate: true, ..Options::default() };
    let halt = halt(under(Limits::default(), |watch| Sweep::new(options).judge(&question, watch)));
    assert_eq!(halt.reason, HaltReason::Approximate);
    assert!(halt.lower <= value && value <= halt.upper);
    let width = &halt.upper - &halt.lower;
    assert!(width < Ratio::new(1_u64, 1_u64 << 50), "{width}");
    assert_eq!(halt.moves.len(), 2);
}

#[test]
fn objectives_differ_where_goals_do() {
    let win = game("coin-row");
    let goal = Question { objective: Objective::Goal, ..win.clone() };
    let (win, goal) = (sweep(&win, Options::default()), sweep(&goal, Options::default()));
    assert!(win.value <= goal.value, "a win pays 1, and other goals pay too");
}

#[test]
fn perft_counts_paths_states_and_ends() {
    let count = |question: &Question, depth| {
        under(Limits::default(), |watch| perft(question, depth, &Options::default(), watch))
            .expect("a count")
            .plies
    };
    let plies = count(&game("tic-tac-toe"), None);
    let paths: Vec<String> = plies.iter().map(|ply| ply.paths.to_string()).collect();
    let known = ["1", "9", "72", "504", "3024", "15120", "54720", "148176", "200448", "127872"];
    assert_eq!(paths, known);
    assert_eq!(plies.iter().map(|ply| ply.states).sum::<u64>(), 5478);
    assert_eq!(plies.iter().map(|ply| ply.terminal).sum::<u64>(), 958);
    assert_eq!(count(&question(WALK), Some(3)).len(), 4);
}

#[test]
fn perft_refuses_endless_play_and_keeps_what_a_limit_leaves() {
    let walk = question(WALK);
    let options = Options::default();
    let ended = under(Limits::default(), |watch| perft(&walk, None, &options, watch));
    let Err(Stop::Faulty(fault)) = ended else { panic!("endless play was expected: {ended:?}") };
    assert_eq!(fault.code, "endless-play");
    assert!(fault.notes[0].contains("--depth"), "{fault:?}");
    let time = Some(Duration::from_millis(60));
    let limits = Limits { time, ..Limits::default() };
    let counted = under(limits, |watch| {
        perft(&game("stochastic-connect-4-4x4"), None, &options, watch).expect("a count")
    });
    assert_eq!(counted.halted, Some(HaltReason::Time));
    assert!(counted.plies.len() < 33 && counted.plies[0].states == 1);
}

#[test]
fn search_and_sweep_agree_and_depth_bounds_hold() {
    for name in ["stochastic-tic-tac-toe-3x3", "coin-guess", "penalties", "pursuit", "reroll"] {
        for objective in [Objective::Win, Objective::Goal] {
            let question = Question { objective, ..game(name) };
            let verdict = sweep(&question, Options::default());
            let search = |options| {
                under(Limits::default(), |watch| Search::new(options).judge(&question, watch))
            };
            let found = search(Options::default()).expect("an answer");
            assert_eq!(moves(&found), moves(&verdict), "{name}");
            match search(Options { depth: Some(2), ..Options::default() }) {
                Ok(found) => assert_eq!(found.value, verdict.value, "{name}"),
                Err(Stop::Halted(halt)) => {
                    assert!(halt.lower <= verdict.value && verdict.value <= halt.upper, "{name}");
                }
                Err(stop) => panic!("{name}: {stop:?}"),
            }
        }
    }
}

/// Forward, states are counted up to all of them; backward, plies up to the first.
#[test]
fn what_is_done_is_told_ply_by_ply() {
    for (name, fold) in [("stochastic-tic-tac-toe-3x3", true), ("stochastic-nim-20", false)] {
        let options = Options { tier: Tier::Table, symmetry: false, fold, ..Options::default() };
        let asked = game(name);
        let (told, ended) = told(|watch| Sweep::new(options).judge(&asked, watch));
        let verdict = ended.expect("an answer");
        let of = |phase: &str| -> Vec<(u32, u64)> {
            let reports = told.iter().filter(|report| report.phase == phase);
            reports.map(|report| (report.ply, report.states)).collect()
        };
        let (forward, backward) = (of("forward"), of("backward"));
        assert!(forward.is_sorted(), "{name}: {forward:?}");
        assert_eq!(forward.last().map(|last| Some(last.1)), Some(verdict.counts.states), "{name}");
        let plies = forward.last().expect("a report").0 + 1;
        assert!(backward.iter().map(|ply| ply.0).eq(0..=plies), "{name}: {backward:?}");
        assert!(told.iter().all(|report| report.disk == 0), "{name}: nothing is kept on disk");
        let last = told.iter().rev().find(|report| report.phase == "backward");
        assert_eq!(last.and_then(|last| last.plies), Some(plies), "{name}");
        // Edges, keys and their slots are held at the end of the first pass.
        let most = told.iter().map(|report| report.bytes).max().expect("a report");
        assert!(most >= 8 * verdict.counts.stored, "{name}: {most} bytes");
    }
}

/// Plies of many blocks are told of on their way, every 64 blocks.
#[test]
fn a_large_ply_is_told_of_in_parts() {
    let tables = Options { tier: Tier::Table, symmetry: false, ..Options::default() };
    let asked = game("stochastic-connect-4-4x4");
    let (told, ended) =
        told(|watch| Sweep::new(Options { fold: false, ..tables }).judge(&asked, watch));
    assert_eq!(ended.expect("an answer").value, Ratio::new(1_253_113_609_u64, 1_u64 << 32));
    let forward: Vec<_> = told.iter().filter(|report| report.phase == "forward").collect();
    let within = forward.windows(2).filter(|pair| pair[0].ply == pair[1].ply);
    let most = within.clone().map(|pair| pair[1].states - pair[0].states).max();
    assert!(within.clone().count() >= 4, "some plies have more than 64 blocks");
    assert!(most.is_some_and(|most| most <= 64 << 10), "{most:?} states between two reports");
    let new = forward.windows(2).filter(|pair| pair[0].ply != pair[1].ply);
    assert!(new.clone().all(|pair| pair[1].states - pair[0].states <= 64 << 10));
}

/// A graph that comes back is solved within any time that is long enough, and bounds end by it.
#[test]
fn graphs_that_come_back_are_solved_within_their_time() {
    let asked = question(WALK);
    for seconds in [100, 1000] {
        let time = Some(Duration::from_secs(seconds));
        let limits = Limits { time, ..Limits::default() };
        let solve = |options| under(limits, |watch| Sweep::new(options).judge(&asked, watch));
        let verdict = solve(Options::default()).expect("there is time");
        assert_eq!(verdict.value, Ratio::new(1_u8, 2_u8));
        let bounds = halt(solve(Options { width: Some(1 << 23), ..Options::default() }));
        assert_eq!(bounds.reason, HaltReason::Approximate);
        assert!(&bounds.upper - &bounds.lower <= Ratio::new(1_u8, 1_u64 << 40));
    }
}

/// A device that does nothing but tell that it was asked.
#[derive(Debug)]
struct Refusing;

impl Device for Refusing {
    fn name(&self) -> &'static str {
        "refusing"
    }

    fn begin(&self, _: Plan, _: &Watch<'_>) -> Result<Box<dyn SweepBackend>, Stop> {
        Err(Stop::Environment("asked".into()))
    }

    fn stepper(&self, _: Plan, _: &Watch<'_>) -> Result<Box<dyn Stepper>, Stop> {
        panic!("a sweep takes no single states apart")
    }
}

#[test]
fn a_sweep_on_a_device_asks_the_device() {
    let sweep = Sweep::new(Options::default()).on(Arc::new(Refusing));
    let ended = under(Limits::default(), |watch| sweep.judge(&game("coin-guess"), watch));
    assert!(matches!(&ended, Err(stop) if format!("{stop:?}").contains("asked")), "{ended:?}");
}
