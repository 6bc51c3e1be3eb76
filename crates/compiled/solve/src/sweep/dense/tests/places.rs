//! The arrangement of places held to its definition, and what the tier tells on its way.

use std::fmt::Write;

use net::random::Random;
use verdict::{Engine, Objective, Progress, Question, Stop};

use super::super::layout::Layout;
use super::super::planes::{Planes, cell_level};
use super::super::{Disk, Plan, attempt};
use super::{by, compare, rows_of_cells, sheet, sheet_of};
use crate::game::Game;
use crate::testing::{Limits, game, moves, question, told, under};
use crate::{Options, Sweep, Tier};

/// What is made of a plan, where the game comes apart.
fn planned<T>(asked: &Question, look: impl FnOnce(&Game, &Plan) -> T) -> Option<T> {
    under(Limits::default(), |watch| {
        let game = Game::new(asked, &Options::default(), watch).expect("a game");
        Plan::new(&game, None, None).ok().map(|plan| look(&game, &plan))
    })
}

/// Questions whose plans are looked at: many small arrangements, and some of several chunks.
fn questions() -> Vec<Question> {
    let mut random = Random::new(41);
    let mut all: Vec<Question> = (0..30).map(|_| question(&sheet(&mut random))).collect();
    all.extend((0..3).map(|at| piles(&mut random, 2, 16 + 5 * at)));
    all.extend((0..4).map(|_| question(&sheet_of(&mut random, (6, 4), 2))));
    all.extend(["tic-tac-toe", "connect-3-4x4"].map(game));
    all
}

#[test]
fn places_and_levels_are_what_they_are_defined_to_be() {
    let (mut chunks, mut slabs) = (0, 0);
    for asked in questions() {
        planned(&asked, |_, plan| {
            let (layout, steps) = (&plan.layout, &plan.steps);
            for (chunk, lowest) in plan.lowest.iter().enumerate() {
                let levels = layout.cells(chunk).map(|cell| cell_level(layout, steps, 0, &cell));
                assert_eq!(levels.min(), Some(*lowest), "chunk {chunk}");
            }
            let all = (0..layout.chunks).flat_map(|chunk| layout.cells(chunk));
            let levels = all.map(|cell| cell_level(layout, steps, 0, &cell));
            assert!(levels.max() <= Some(plan.dense().highest));
            places_lie_apart(layout);
            let schedule = &plan.schedule;
            let blocks: Vec<usize> =
                (0..schedule.tops).flat_map(|slab| schedule.blocks_of(slab)).collect();
            assert!(blocks.into_iter().eq(0..layout.blocks), "slabs have all blocks, in order");
            let stages = schedule.stages.iter().map(Vec::len);
            assert_eq!(stages.clone().sum::<usize>(), schedule.tasks, "each task has a stage");
            assert_eq!(schedule.longest_stage(), stages.max().expect("a stage"));
            chunks += usize::from(layout.chunks > 1);
            slabs += usize::from(schedule.tops > 2 && schedule.tasks > 2);
        });
    }
    assert!(chunks >= 3 && slabs >= 3, "{chunks} with chunks, {slabs} with slabs of tasks");
}

/// Every state of a few blocks has a place of its own, from which its values are read back.
fn places_lie_apart(layout: &Layout) {
    let digits = 1 + layout.high.len() + usize::from(layout.row.is_some());
    let (mut high, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    for block in (0..layout.blocks).step_by(1 + layout.blocks / 40) {
        let chunk = layout.decode(block, &mut high);
        for cell in layout.cells(chunk) {
            let mut values = vec![0_u32; digits];
            for (digit, value) in layout.high.iter().zip(&high) {
                values[*digit] = *value as u32;
            }
            values[layout.lane] = cell.lane_value as u32;
            if let Some(row) = layout.row {
                values[row] = cell.row_value as u32;
            }
            assert_eq!(layout.place(&values), (block, cell.at));
            assert!(seen.insert((block, cell.at)), "one place a state");
        }
    }
}

/// Lanes of a segment lead to lanes of later segments only, and no two segments could be one.
#[test]
fn segments_are_as_long_as_lanes_lead_out_of_them() {
    let mut several = 0;
    for asked in questions() {
        planned(&asked, |_, plan| {
            let (layout, choices) = (&plan.layout, &plan.choices);
            let maps: Vec<&Vec<u32>> =
                choices.jumps.iter().filter_map(|jump| jump.lane.as_ref()).collect();
            let leads = |from: usize, to: usize| {
                let (from, to) = (from - layout.pad, to - layout.pad);
                maps.iter().any(|map| from != to && map[from] as usize == to)
            };
            let segments: Vec<_> = choices.segments.iter().map(|it| it.lanes.clone()).collect();
            let lanes: Vec<usize> = segments.iter().cloned().flatten().collect();
            assert!(lanes.into_iter().eq(layout.pad..layout.lanes), "all lanes, once");
            for lanes in &segments {
                let within = |from: usize| lanes.clone().any(|to| leads(from, to));
                assert!(!lanes.clone().any(within), "{lanes:?} lead to each other");
            }
            for pair in segments.windows(2) {
                assert!(pair[0].clone().any(|from| leads(from, pair[1].start)), "{pair:?}");
            }
            several += usize::from(segments.len() > 1);
        });
    }
    assert!(several >= 10, "{several} with several segments");
}

#[test]
fn moves_on_single_digits_need_no_view() {
    let tables = |name: &str| {
        planned(&game(name), |game, plan| {
            let bases = game.net.bases.len();
            let (dense, casting) = (plan.dense(), &game.casting);
            Planes::new(dense.game, dense.layout, dense.steps, casting, bases).moves_are_tables()
        })
    };
    assert_eq!(tables("connect-3-4x4"), Some(true), "a column is full or not");
    assert_eq!(tables("tic-tac-toe"), Some(true), "a cell is blank or not");
}

/// Piles that grow by a stone with every move, whose colour is tossed: digits of more values than a
/// block has rows. Where the piles are of some heights and colours it is over, and perhaps won.
fn piles(random: &mut Random, count: usize, height: usize) -> Question {
    question(&piles_text(random, count, height))
}

fn piles_text(random: &mut Random, count: usize, height: usize) -> String {
    let mut text = String::from(
        "(role x) (role o) (role random) (opponent x o) (opponent o x) (init (control x))
        (<= (legal ?p (push ?i)) (true (control ?p)) (true (at ?i ?n ?c)) (up ?n ?m))
        (<= (legal ?p noop) (opponent ?p ?q) (not (true (control ?p))))
        (legal random red) (legal random blue)
        (<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
        (<= (pushed ?i) (does ?p (push ?i)))
        (<= (next (at ?i ?m ?c)) (does ?p (push ?i)) (true (at ?i ?n ?d)) (up ?n ?m)
            (does random ?c))
        (<= (next (at ?i ?n ?c)) (true (at ?i ?n ?c)) (not (pushed ?i)))
        (<= can (true (at ?i ?n ?c)) (up ?n ?m)) (<= terminal (not can))\n",
    );
    (0..count).for_each(|pile| write!(text, "(init (at {pile} 0 red)) ").expect("text"));
    (0..height).for_each(|at| write!(text, "(up {at} {}) ", at + 1).expect("text"));
    for goal in ["terminal", "(goal x 100)", "(goal x 100)", "(goal o 100)"] {
        for _ in 0..4 * height {
            let one = |random: &mut Random, pile: usize| {
                let colour = ["red", "blue"][random.below(2)];
                format!("(true (at {pile} {} {colour}))", 1 + random.below(height))
            };
            let (left, right) = (one(random, 0), one(random, 1));
            writeln!(text, "(<= {goal} {left} {right})").expect("text");
        }
    }
    text
}

#[test]
fn digits_of_many_values_take_several_blocks() {
    let mut random = Random::new(9);
    for (count, height) in [(2, 20), (2, 28), (3, 9)] {
        let first = piles(&mut random, count, height);
        for role in first.rulebook.roles.ids().take(2) {
            let asked = Question { role, ..first.clone() };
            assert_eq!(compare(&format!("{count} piles of {height}"), &asked), None);
        }
        let chunks = planned(&first, |_, plan| plan.layout.chunks);
        assert_eq!(chunks > Some(1), height > 10, "{chunks:?}");
    }
}

/// Each player may add to a pile at some of its heights and colours only, not the same as the other.
#[test]
fn players_may_have_different_moves_that_lead_to_the_same_places() {
    let mut random = Random::new(77);
    for round in 0..6 {
        let (count, height) = [(2, 6), (2, 20), (3, 4)][round % 3];
        let mut text = piles_text(&mut random, count, height)
            .replace("(true (at ?i ?n ?c)) (up ?n ?m))\n        (<= (legal ?p noop)", "@")
            .replace("(<= can (true (at ?i ?n ?c)) (up ?n ?m)) (<= terminal (not can))", "");
        assert!(text.contains('@'), "the rule of moves was found");
        text = text
            .replace('@', "(true (at ?i ?n ?c)) (up ?n ?m) (may ?p ?i ?n ?c)) (<= (legal ?p noop)");
        text += "(<= able (true (control ?p)) (true (at ?i ?n ?c)) (up ?n ?m) (may ?p ?i ?n ?c))
            (<= terminal (not able))\n";
        for place in 0..2 * count * height * 2 {
            let (player, rest) = (["x", "o"][place % 2], place / 2);
            let (colour, rest) = (["red", "blue"][rest % 2], rest / 2);
            if random.below(4) > 0 {
                write!(text, "(may {player} {} {} {colour})", rest % count, rest / count)
                    .expect("text");
            }
        }
        let first = question(&text);
        for role in first.rulebook.roles.ids().take(2) {
            let asked = Question { role, ..first.clone() };
            assert_eq!(compare(&format!("round {round}"), &asked), None);
        }
    }
}

/// One player, no turns: every step is of one kind, and ends pay differently.
#[test]
fn ends_may_pay_more_and_less() {
    for (height, goals) in [(3, [100, 50, 20, 0]), (5, [100, 100, 0, 100]), (4, [0, 70, 70, 100])] {
        let mut text = String::from(
            "(role x) (role random) (init (at 0 0 red)) (init (at 1 0 red))
            (<= (legal x (push ?i)) (true (at ?i ?n ?c)) (up ?n ?m))
            (legal random red) (legal random blue)
            (<= (pushed ?i) (does x (push ?i)))
            (<= (next (at ?i ?m ?c)) (does x (push ?i)) (true (at ?i ?n ?d)) (up ?n ?m)
                (does random ?c))
            (<= (next (at ?i ?n ?c)) (true (at ?i ?n ?c)) (not (pushed ?i)))
            (<= can (true (at ?i ?n ?c)) (up ?n ?m)) (<= terminal (not can))\n",
        );
        (0..height).for_each(|at| write!(text, "(up {at} {}) ", at + 1).expect("text"));
        let ends = [("red", "red"), ("red", "blue"), ("blue", "red"), ("blue", "blue")];
        for ((left, right), goal) in ends.into_iter().zip(goals) {
            let at = |pile, colour| format!("(true (at {pile} {height} {colour}))");
            writeln!(text, "(<= (goal x {goal}) {} {})", at(0, left), at(1, right)).expect("text");
        }
        for objective in [Objective::Goal, Objective::Win] {
            let asked = Question { objective, ..question(&text) };
            assert_eq!(compare(&format!("{goals:?}"), &asked), None);
        }
        let goal = Question { objective: Objective::Goal, ..question(&text) };
        let mean = goals.iter().map(|goal| u32::try_from(*goal).expect("a goal")).sum::<u32>();
        // Nothing that is chosen matters: the last colours are tossed.
        let value = by(Tier::Dense, &goal).expect("an answer").value;
        assert_eq!(value, exact::Ratio::new(mean, 400_u32), "{goals:?}");
    }
}

/// Where values by place may not fit and others could leave memory, tables are asked.
#[test]
fn places_that_may_not_fit_are_left_to_tables_on_disk() {
    let asked = game("connect-3-4x4");
    let ended = |tier, spill| {
        let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
        under(Limits::default(), |watch| {
            let options = Options { tier, ..Options::default() };
            let game = Game::new(&asked, &options, watch).expect("a game");
            let disk = Disk { plies: false, spill };
            under(limits, |watch| attempt(&game, &asked, &options, disk, watch))
        })
    };
    assert_eq!(ended(Tier::Auto, true), Ok(None));
    match ended(Tier::Dense, true) {
        Err(Stop::Faulty(fault)) => assert!(fault.message.contains("fit in memory"), "{fault:?}"),
        other => panic!("a refusal was expected: {other:?}"),
    }
    assert_eq!(ended(Tier::Auto, false), Ok(None), "it is met, and tables tell what is known");
    assert!(matches!(ended(Tier::Dense, false), Err(Stop::Halted(_))));
}

#[test]
fn what_may_be_needed_is_more_than_what_is_held_and_not_much_more() {
    // What the process holds beside is no part of a solve's bytes.
    const BESIDE: u64 = 32 << 20;
    let mut cells = game("stochastic-connect-3-4x4");
    for at in 0..3 {
        if at == 2 {
            cells = rows_of_cells(2, 4);
        }
        let threads = Some(1 + 2 * (at % 2));
        let options = Options { tier: Tier::Dense, threads, ..Options::default() };
        let (told, ended) = told(|watch| Sweep::new(options).judge(&cells, watch));
        assert!(ended.is_ok(), "{ended:?}");
        let held = told.iter().map(|report| report.bytes).max().expect("a report");
        let most = planned(&cells, |_, plan| plan.most_bytes() - BESIDE).expect("it comes apart");
        assert!(held <= most, "{held} bytes held, {most} foreseen");
        assert!(most <= 12 * held, "{held} bytes held, {most} foreseen");
        // Two bits a place, at least, and a value of four bytes for each state.
        let blocks = planned(&cells, |_, plan| plan.layout.blocks).expect("it comes apart");
        assert!(most >= (blocks * kernel::BLOCK_LANES) as u64 / 4, "{most} bytes");
        let back: Vec<&Progress> = told.iter().filter(|it| it.phase == "backward").collect();
        assert!(back.is_sorted_by_key(|report| report.ply), "what is done is not undone");
        assert!(back.iter().all(|report| Some(report.ply) <= report.plies));
        let (first, last) = (back[0], back[back.len() - 1]);
        assert_eq!(first.ply, 0);
        assert!(back.len() < 2 || last.ply > 0, "{last:?}");
    }
}

#[test]
fn asked_for_or_not_the_moves_are_those_of_tables() {
    for asked in [rows_of_cells(2, 4), rows_of_cells(1, 5)] {
        let [dense, table] = [Tier::Dense, Tier::Table].map(|tier| by(tier, &asked));
        let (dense, table) = (dense.expect("an answer"), table.expect("an answer"));
        assert_eq!((moves(&dense), &dense.value), (moves(&table), &table.value));
        assert_eq!(dense.counts.states, table.counts.states);
    }
}
