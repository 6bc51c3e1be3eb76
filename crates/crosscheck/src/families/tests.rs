//! The text of the families: balanced, the same every time, and refused where it makes no sense.

use super::*;

fn square(side: u32, line: u32) -> Board {
    Board { columns: side, rows: side, line }
}

/// Every family with and without chance, at several sizes and probabilities.
fn samples() -> Vec<String> {
    let mut sheets = Vec::new();
    for own in [None, Some((3, 4)), Some((0, 1)), Some((1, 1)), Some((2, 4))] {
        for board in [square(3, 3), square(4, 3), Board { columns: 5, rows: 1, line: 4 }] {
            sheets.push(tictactoe(&board, own).unwrap());
            sheets.push(connect(&board, own).unwrap());
        }
    }
    for add in [(1, 2), (0, 3), (3, 3)] {
        sheets.push(nim(1, add).unwrap());
        sheets.push(nim(20, add).unwrap());
    }
    sheets.extend([(1, 2), (10, 6), (100, 6)].map(|(target, die)| pig(target, die).unwrap()));
    sheets
}

/// The sheet without its comments.
fn code(sheet: &str) -> String {
    sheet.lines().filter(|line| !line.starts_with(';')).collect::<Vec<_>>().join("\n")
}

#[test]
fn parentheses_balance_and_never_close_too_early() {
    for sheet in samples() {
        let mut depth = 0_i32;
        for letter in code(&sheet).chars() {
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            assert!(depth >= 0, "{sheet}");
        }
        assert_eq!(depth, 0, "{sheet}");
    }
}

#[test]
fn lines_are_short_and_clean() {
    for sheet in samples() {
        assert!(sheet.starts_with("; "), "{sheet}");
        assert!(sheet.ends_with(")\n"), "{sheet}");
        for line in sheet.lines() {
            assert!(line.len() <= 100 && !line.ends_with(' ') && !line.contains('\t'), "{line}");
        }
        assert!(!sheet.contains("\n\n\n"), "{sheet}");
    }
}

#[test]
fn the_same_numbers_give_the_same_text() {
    assert_eq!(samples(), samples());
}

#[test]
fn different_numbers_give_different_texts() {
    let mut sheets = samples();
    let all = sheets.len();
    sheets.sort();
    sheets.dedup();
    assert_eq!(sheets.len(), all);
}

#[test]
fn the_header_names_the_game() {
    let first = |sheet: Result<String, String>| sheet.unwrap().lines().next().unwrap().to_owned();
    assert_eq!(first(connect(&square(4, 4), None)), "; Connect-4 on 4 columns and 4 rows.");
    assert_eq!(
        first(tictactoe(&Board { columns: 3, rows: 1, line: 2 }, Some((1, 2)))),
        "; Stochastic tic-tac-toe on 3 columns and 1 row."
    );
    assert_eq!(first(nim(20, (1, 2))), "; Stochastic Nim with a pile of 20.");
}

#[test]
fn random_has_a_move_for_each_unit_of_the_denominator() {
    let sheet = connect(&square(4, 4), Some((3, 4))).unwrap();
    assert!(sheet.contains("(own_face 1) (own_face 2) (own_face 3)\n(other_face 1)\n"), "{sheet}");
    let sheet = nim(5, (2, 5)).unwrap();
    assert!(sheet.contains("(add_face 1) (add_face 2)\n"), "{sheet}");
    assert!(sheet.contains("(keep_face 1) (keep_face 2) (keep_face 3)\n"), "{sheet}");
}

#[test]
fn without_chance_there_is_no_random() {
    let sheet = code(&connect(&square(4, 4), None).unwrap());
    assert!(!sheet.contains("random") && !sheet.contains("toss"), "{sheet}");
}

#[test]
fn a_sure_toss_has_no_rule_for_the_other_side() {
    let own = code(&tictactoe(&square(3, 3), Some((1, 1))).unwrap());
    assert!(own.contains("own_colour") && !own.contains("other"), "{own}");
    let keep = code(&nim(4, (0, 1)).unwrap());
    assert!(keep.contains("keeps") && !keep.contains("add"), "{keep}");
}

#[test]
fn the_text_of_nim_grows_linearly() {
    let length = |pile| nim(pile, (1, 2)).unwrap().len();
    assert!(length(1000) < 12 * length(100), "{} {}", length(1000), length(100));
}

#[test]
fn sizes_out_of_range_are_refused_by_name() {
    let board = |columns, rows, line| connect(&Board { columns, rows, line }, None).unwrap_err();
    assert!(board(0, 3, 3).starts_with("columns 0:"));
    assert!(board(3, 65, 3).starts_with("rows 65:"));
    assert!(board(3, 4, 5).starts_with("line 5: must be from 1 to 4"));
    assert!(board(3, 4, 0).starts_with("line 0:"));
    assert!(tictactoe(&square(u32::MAX, 3), None).unwrap_err().starts_with("columns"));
    assert!(nim(0, (1, 2)).unwrap_err().starts_with("pile 0:"));
    assert!(nim(u32::MAX, (1, 2)).unwrap_err().starts_with("pile"));
}

#[test]
fn probabilities_out_of_range_are_refused_by_name() {
    let own = |own| tictactoe(&square(3, 3), Some(own)).unwrap_err();
    assert_eq!(own((5, 4)), "own 5/4: a probability is at most 1");
    assert_eq!(own((1, 0)), "own 1/0: the denominator must be at least 1");
    assert!(own((1, 1001)).contains("1000 at most"));
    assert!(nim(3, (2, 1)).unwrap_err().starts_with("add 2/1:"));
}

/// The sheets in `games/` that are of a family, with the text of the family.
fn sheets_in_games() -> Vec<(&'static str, String)> {
    let connect = |columns, line, own| {
        connect(&Board { columns, rows: 4, line }, own).expect("a board in range")
    };
    let marks = |own| tictactoe(&square(3, 3), own).expect("a board in range");
    let nim = |pile| nim(pile, (1, 2)).expect("a pile in range");
    let odds = Some((3, 4));
    vec![
        (include_str!("../../../../games/tic-tac-toe.gdl"), marks(None)),
        (include_str!("../../../../games/stochastic-tic-tac-toe-3x3.gdl"), marks(odds)),
        (include_str!("../../../../games/connect-3-4x4.gdl"), connect(4, 3, None)),
        (include_str!("../../../../games/connect-4-4x4.gdl"), connect(4, 4, None)),
        (include_str!("../../../../games/stochastic-connect-3-4x4.gdl"), connect(4, 3, odds)),
        (include_str!("../../../../games/stochastic-connect-4-4x4.gdl"), connect(4, 4, odds)),
        (include_str!("../../../../games/stochastic-connect-4-5x4.gdl"), connect(5, 4, odds)),
        (include_str!("../../../../games/stochastic-nim-20.gdl"), nim(20)),
        (include_str!("../../../../games/stochastic-nim-100.gdl"), nim(100)),
    ]
}

#[test]
fn sheets_in_games_are_what_the_families_print() {
    for (held, printed) in sheets_in_games() {
        assert!(held == printed, "print this sheet again:\n{printed}");
    }
}

/// The rulebook of a sheet, which must have no fault and no oddity.
fn rulebook(sheet: String) -> gdl::Rulebook {
    let source = gdl::Source { name: "sheet".into(), text: sheet.into() };
    let reading = gdl::read(source, &gdl::ReadOptions { strict: true, ..Default::default() });
    assert!(reading.diagnostics.is_empty(), "{:?}\n{}", reading.diagnostics, reading.source.text);
    reading.rulebook.expect("a sheet without a fault has a rulebook")
}

#[test]
fn every_sheet_is_read_without_a_fault() {
    for sheet in samples() {
        rulebook(sheet);
    }
}

/// Value and states, by the reference, of a win of `role` in a sheet.
fn solved(sheet: String, role: &str) -> (String, Option<u64>) {
    use verdict::{Engine, Question, Watch};
    let rulebook = std::sync::Arc::new(rulebook(sheet));
    let mut question = Question::new(std::sync::Arc::clone(&rulebook)).expect("x is a player");
    question.role = rulebook.role(role).expect("a role of the sheet");
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let started = std::time::Instant::now();
    let progress = |_: &verdict::Progress| {};
    let watch =
        Watch { started, time: None, memory: None, interrupt: &interrupt, progress: &progress };
    let verdict = crate::reference::Reference.judge(&question, &watch).expect("a small game");
    (verdict.value.to_string(), verdict.counts.states)
}

#[test]
fn small_games_have_their_known_values_and_states() {
    let stacked = |own| connect(&square(3, 3), own).unwrap();
    let found = [
        solved(stacked(Some((3, 4))), "x"),
        solved(stacked(Some((1, 2))), "o"),
        solved(nim(7, (1, 2)).unwrap(), "x"),
        solved(nim(7, (1, 4)).unwrap(), "o"),
    ];
    let known =
        [("59487/131072", 4936), ("241/512", 4936), ("1987/4096", 182), ("7300935/16777216", 182)];
    for ((value, states), (known_value, known_states)) in found.into_iter().zip(known) {
        assert_eq!((&*value, states), (known_value, Some(known_states)));
    }
}

#[test]
fn an_unreduced_probability_has_the_same_value_and_the_same_states() {
    let halves = |own| solved(connect(&square(3, 2), Some(own)).unwrap(), "x");
    assert_eq!(halves((1, 2)), halves((2, 4)));
}
