//! The graph beside the plies where keys are wide, and what it says that it holds.

use verdict::Question;

use super::*;
use crate::game::Guesses;
use crate::sweep::{Kept, attempt, start};
use crate::testing::{Limits as Bounds, WALK, game, moves, question, under};

/// The graph of a game of which nothing is guessed, explored and valued, with its answer.
fn graph(asked: &Question) -> (Graph, Verdict) {
    under(Bounds::default(), |watch| {
        let options = Options::default();
        let mut game = Game::new(asked, &options, watch).expect("a game");
        game.guesses = Guesses::default();
        let Ok((expander, root)) = start(&mut game, &options) else { panic!("a root") };
        let mut graph = Graph::new(expander, top_payment(&game.casting));
        graph.explore(&root, watch).expect("no limit");
        assert_eq!(graph.order(watch).expect("no limit"), None, "no play returns");
        graph.value(watch).expect("no limit");
        let verdict = graph.verdict(&game);
        (graph, verdict)
    })
}

/// The answer of the sweep by plies.
fn by_plies(asked: &Question) -> Verdict {
    under(Bounds::default(), |watch| {
        let options = Options { symmetry: false, ..Options::default() };
        let mut game = Game::new(asked, &options, watch).expect("a game");
        match attempt(&mut game, asked, &options, Kept::default(), watch) {
            Ok(verdict) => verdict,
            Err(_) => panic!("an answer was expected"),
        }
    })
}

#[test]
fn keys_of_several_words_are_as_good_as_short_ones() {
    for (name, words) in [("stochastic-nim-100", 2), ("stochastic-nim-20", 1), ("race", 1)] {
        let asked = game(name);
        let (graph, verdict) = graph(&asked);
        assert!(graph.expander.words() >= words, "{name}: {} words", graph.expander.words());
        let known = by_plies(&asked);
        assert_eq!(moves(&verdict), moves(&known), "{name}");
        assert_eq!(verdict.value, known.value, "{name}");
        assert_eq!(verdict.counts.states, known.counts.states, "{name}");
        assert_eq!(verdict.counts.plies, known.counts.plies, "{name}");
        // A state is found again under its number.
        let width = graph.expander.words();
        for (id, key) in graph.keys.words().chunks(width).enumerate() {
            assert_eq!(graph.key(id as u32), key);
        }
    }
}

#[test]
fn all_lists_are_counted() {
    let (graph, _) = graph(&game("stochastic-nim-100"));
    let lists = [
        graph.keys.bytes(),
        graph.starts.bytes(),
        graph.children.bytes(),
        graph.totals.bytes(),
        graph.heights.bytes(),
        graph.values.bytes(),
        graph.slots.bytes(),
        size_of_val(&*graph.order) as u64,
    ];
    assert!(lists.iter().all(|bytes| *bytes > 0), "{lists:?}");
    assert_eq!(graph.bytes(), lists.iter().sum::<u64>());
    let states = graph.keys.len() as u64;
    let least = states * (8 * graph.expander.words() as u64 + 8 * graph.limbs as u64 + 8 + 4 + 4);
    assert!(graph.bytes() >= least, "{} bytes for {states} states", graph.bytes());
}

#[test]
fn a_cycle_is_told_by_its_states_in_order() {
    under(Bounds::default(), |watch| {
        let options = Options::default();
        let asked = question(WALK);
        let mut game = Game::new(&asked, &options, watch).expect("a game");
        let Ok((expander, root)) = start(&mut game, &options) else { panic!("a root") };
        let mut graph = Graph::new(expander, top_payment(&game.casting));
        graph.explore(&root, watch).expect("no limit");
        let cycle = graph.order(watch).expect("no limit").expect("a walk returns");
        for (at, id) in cycle.iter().enumerate() {
            let next = cycle[(at + 1) % cycle.len()];
            assert!(graph.children_of(*id).contains(&next), "{cycle:?}");
        }
        let counts = graph.counts(None);
        assert_eq!((counts.states, counts.decision_states), (Some(5), Some(0)));
    });
}

#[test]
fn limits_end_each_pass_in_sound_bounds() {
    let asked = game("stochastic-nim-100");
    let (_, known) = graph(&asked);
    let ended = |limits: Bounds| {
        under(Bounds::default(), |watch| {
            let options = Options::default();
            let mut game = Game::new(&asked, &options, watch).expect("a game");
            game.guesses = Guesses::default();
            let Ok((expander, root)) = start(&mut game, &options) else { panic!("a root") };
            under(limits, |watch| solve(&mut game, expander, &root, &options, watch))
        })
    };
    let memory = Bounds { memory: Some(1), ..Bounds::default() };
    let time = Bounds { time: Some(Duration::from_nanos(1)), ..Bounds::default() };
    let interrupt = Bounds { interrupted: true, ..Bounds::default() };
    for limits in [memory, time, interrupt] {
        let halt = match ended(limits) {
            Err(Ended::Stop(Stop::Halted(halt))) => halt,
            // What is left is enough for plies.
            Ok(verdict) if limits.memory.is_none() => {
                assert_eq!(verdict.value, known.value);
                continue;
            }
            _ => panic!("a halt was expected"),
        };
        assert!(halt.lower <= known.value && known.value <= halt.upper);
        match halt.reason {
            HaltReason::Memory { needed } => {
                assert!(limits.memory.is_some() && needed > 1);
                assert!(halt.advice.contains("--memory"), "{}", halt.advice);
            }
            HaltReason::Time => assert!(limits.time.is_some()),
            HaltReason::Interrupt => assert!(limits.interrupted),
            other => panic!("{other:?}"),
        }
    }
}

/// What the next list takes is asked for before it is taken, and not much more.
#[test]
fn a_limit_is_met_before_it_is_passed() {
    let asked = game("stochastic-nim-100");
    let (whole, _) = graph(&asked);
    assert!(whole.limbs > 1, "values of several words");
    under(Bounds::default(), |watch| {
        let options = Options::default();
        let mut game = Game::new(&asked, &options, watch).expect("a game");
        game.guesses = Guesses::default();
        let Ok((expander, root)) = start(&mut game, &options) else { panic!("a root") };
        let mut graph = Graph::new(expander, top_payment(&game.casting));
        graph.explore(&root, watch).expect("no limit");
        // What the process held before is what is needed for nothing.
        let limits = graph.limits;
        let needed = |ended: Result<(), Trouble>| match ended {
            Err(Trouble::Limit(HaltReason::Memory { needed })) => needed,
            other => panic!("a lack of memory was expected: {other:?}"),
        };
        let within = |memory| Watch { memory: Some(memory), ..*watch };
        let base = needed(limits.check(&within(0), 0, FORWARD_SHARE));
        let states = graph.keys.len() as u64;
        let told = needed(graph.order(&within(0)).map(|_| ())) - base;
        let before = graph.bytes();
        graph.order(watch).expect("no limit");
        // A height and a place in the order, of four bytes each.
        let taken = 4 * (graph.heights.len() + graph.order.len()) as u64;
        assert!((taken..=2 * taken).contains(&(told - before)), "{told}, and {before} before");
        let before = graph.bytes();
        let least = base + before + 4 * states;
        let told = needed(graph.value(&within(least))) - base;
        graph.value(watch).expect("no limit");
        let taken = 8 * graph.values.len() as u64;
        assert_eq!(taken, 8 * states * graph.limbs as u64);
        assert!((taken..=2 * taken).contains(&(told - before)), "{told}, and {before} before");
    });
}
