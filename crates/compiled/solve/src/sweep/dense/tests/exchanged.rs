//! Places that a symmetry exchanges, beside all places worked on.

use std::fmt::Write;

use index::IndexVec;
use net::BaseId;
use net::random::Random;
use verdict::Verdict;

use super::super::Plan;
use super::super::exchange::Exchange;
use crate::game::Game;
use crate::sweep::symmetry::exchanges;
use crate::testing::{Limits, game, question, under};
use crate::{Options, Tier};

/// Heights of digits in pairs, and of single ones.
type Heights<'a> = (&'a [usize], &'a [usize]);

/// A random game of digits in pairs, and of some without a mate: heights of values by digit, mates next
/// to each other. What is said of digits is said of their mates as well.
fn sheet(
    random: &mut Random,
    (pairs, single): Heights<'_>,
    (width, faces): (usize, usize),
) -> String {
    let mut text = String::from(
        "(role x) (role o) (role random) (opponent x o) (opponent o x) (init (control x))
         (<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
         (<= (legal ?p (push ?i)) (true (control ?p)) (true (at ?i ?v)) (pushable ?i ?v))
         (<= (legal ?p noop) (opponent ?p ?q) (not (true (control ?p))))
         (<= can (true (at ?i ?v)) (pushable ?i ?v)) (<= terminal (not can))
         (<= pushed (does ?p (push ?i))) (<= (hit ?i) (does ?p (push ?i)))
         (<= (next (at ?i ?v)) (true (at ?i ?v)) (not (hit ?i)))
         (<= (next (at ?i ?w)) (hit ?i) (does random (face ?f)) (true (at ?i ?v)) (edge ?i ?f ?v ?w))\n",
    );
    (0..faces).for_each(|face| write!(text, "(legal random (face {face})) ").expect("text"));
    let mates: Vec<(Vec<usize>, usize)> = pairs
        .iter()
        .enumerate()
        .map(|(at, height)| (vec![2 * at, 2 * at + 1], *height))
        .chain(single.iter().enumerate().map(|(at, height)| (vec![2 * pairs.len() + at], *height)))
        .collect();
    let mut heights = Vec::new();
    for (digits, height) in &mates {
        let widths: Vec<usize> =
            (0..=*height).map(|at| if at == 0 { 1 } else { 1 + random.below(width) }).collect();
        for digit in digits {
            write!(text, "(init (at {digit} v0_0)) ").expect("text");
        }
        for (at, value) in (0..*height).flat_map(|at| (0..widths[at]).map(move |value| (at, value)))
        {
            digits.iter().for_each(|digit| {
                write!(text, "(pushable {digit} v{at}_{value}) ").expect("text");
            });
            for face in 0..faces {
                let to = random.below(widths[at + 1]);
                for digit in digits {
                    write!(text, "(edge {digit} {face} v{at}_{value} v{}_{to}) ", at + 1)
                        .expect("text");
                }
            }
        }
        heights.extend(digits.iter().map(|_| (*height, widths.clone())));
    }
    let mate = |digit: usize| if digit < 2 * pairs.len() { digit ^ 1 } else { digit };
    for head in ["(goal x 100)", "(goal x 100)", "(goal x 100)", "(goal o 100)", "terminal"] {
        let mut one = || {
            let digit = random.below(heights.len());
            let (height, widths) = &heights[digit];
            let at = random.below(height + 1).max(1);
            (digit, format!("v{at}_{}", random.below(widths[at])))
        };
        let ((left, low), (right, high)) = (one(), one());
        for (left, right) in [(left, right), (mate(left), mate(right))] {
            writeln!(text, "(<= {head} (true (at {left} {low})) (true (at {right} {high})))")
                .expect("text");
        }
    }
    text
}

/// Heights of the values that propositions say: their sum is the ply, of which playouts of large games
/// tell too little.
fn levels(game: &Game) -> IndexVec<BaseId, i64> {
    let height = |name: &str| name.split_once(" v")?.1.split_once('_')?.0.parse().ok();
    game.net.bases.iter().map(|name| height(&name.to_string()).unwrap_or(0)).collect()
}

fn solved(plan: &Plan, game: &Game, threads: usize) -> Verdict {
    let options = Options { tier: Tier::Dense, threads: Some(threads), ..Options::default() };
    let verdict = under(Limits::default(), |watch| plan.solve(game, &options, watch));
    verdict.unwrap_or_else(|declined| panic!("{declined:?}"))
}

/// What was exchanged in a game, where anything was; asserts that answers do not show it.
fn compare(name: &str, asked: &verdict::Question) -> Vec<(Exchange, [usize; 3])> {
    let made = under(Limits::default(), |watch| Game::new(asked, &Options::default(), watch));
    let mut game = made.unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
    if name.starts_with("game") {
        game.guesses.level = Some((levels(&game), 0));
    }
    let Ok(plain) = Plan::new(&game, None, Some(1)) else { return Vec::new() };
    let plain = solved(&plain, &game, 1);
    let mut found = Vec::new();
    for renaming in exchanges(&game, &Options::default()) {
        for threads in [1, 3] {
            let Ok(plan) = Plan::new(&game, Some(&renaming), Some(threads)) else { continue };
            let Some(exchange) = &plan.layout.exchange else { continue };
            assert_eq!(solved(&plan, &game, threads), plain, "{name}, {threads} threads");
            let layout = &plan.layout;
            found.push((exchange.clone(), [layout.chunks, layout.lanes, plan.schedule.tasks]));
        }
    }
    found
}

#[test]
fn copied_places_are_what_work_on_them_finds() {
    let mut random = Random::new(23);
    let (mut turned, mut plain, mut chunked, mut wide, mut shared) = (0, 0, 0, 0, 0);
    let shapes: [(Heights<'_>, (usize, usize), usize); 6] = [
        ((&[3, 3], &[3]), (5, 2), 10),
        ((&[1, 1, 1, 2, 2], &[2, 1, 1]), (2, 2), 4),
        ((&[2], &[3, 3, 2]), (4, 2), 6),
        ((&[5, 4], &[3]), (7, 2), 2),
        // Several blocks a group: 64 lanes, and 128.
        ((&[24, 1], &[2]), (4, 2), 5),
        ((&[70, 1], &[2]), (1, 1), 4),
    ];
    for (digits, values, games) in shapes {
        for at in 0..games {
            let text = sheet(&mut random, digits, values);
            let found = compare(&format!("game {at} of {digits:?}:\n{text}"), &question(&text));
            for (exchange, [chunks, lanes, tasks]) in found {
                turned += usize::from(exchange.turns);
                plain += usize::from(!exchange.turns);
                chunked += usize::from(exchange.turns && chunks > 1);
                wide += usize::from(exchange.turns && lanes > 64);
                shared += usize::from(tasks > 1);
            }
        }
    }
    let seen = [turned, plain, chunked, wide, shared];
    let least = [20, 20, 8, 2, 20];
    assert!(seen.iter().zip(least).all(|(seen, least)| *seen >= least), "{seen:?}");
}

#[test]
fn the_mirror_of_a_board_copies_half_of_it() {
    let asked = game("stochastic-connect-4-5x4");
    let found = compare("stochastic-connect-4-5x4", &asked);
    let turned = found.iter().filter(|(exchange, _)| exchange.turns).count();
    assert_eq!((found.len(), turned), (2, 2), "by one thread and by several: {found:?}");
}

/// A renaming that is no symmetry, past the proof that would refuse it.
#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a twin is the image")]
fn a_symmetry_that_is_none_is_noticed() {
    let mut random = Random::new(3);
    let exchanged = |text: &str| {
        under(Limits::default(), |watch| {
            let game = Game::new(&question(text), &Options::default(), watch).expect("a game");
            let renaming = exchanges(&game, &Options::default()).pop()?;
            let plan = Plan::new(&game, Some(&renaming), Some(1)).ok()?;
            plan.exchanges().then_some(renaming)
        })
    };
    let (text, renaming) = (0..20)
        .find_map(|_| {
            let text = sheet(&mut random, (&[3, 3], &[3]), (5, 2));
            exchanged(&text).map(|renaming| (text, renaming))
        })
        .expect("digits have mates");
    let mut one_sided = text.clone();
    (0..4).for_each(|at| write!(one_sided, "(first v1_{at}) ").expect("text"));
    for digit in [0, 2] {
        write!(
            one_sided,
            "(<= terminal (true (at {digit} ?v)) (first ?v) (true (at 4 ?w)) (first ?w)) "
        )
        .expect("text");
    }
    under(Limits::default(), |watch| {
        let game = Game::new(&question(&one_sided), &Options::default(), watch).expect("a game");
        assert!(!exchanges(&game, &Options::default()).contains(&renaming), "the proof refuses it");
        let plan = Plan::new(&game, Some(&renaming), Some(1)).expect("digits are alike");
        assert!(plan.exchanges(), "nothing but the end tells the sides apart");
        solved(&plan, &game, 1)
    });
}
