//! Connect: discs drop into columns; whose line stands wins, whoever placed the disc.

use super::board::{self, Board, CELLS, CELLS_STAY, CONTROL_PASSES, PLAYERS_WAIT, START, title};

/// The sheet of connect on `board`. With `own` = (a, b) a disc is of the mover's own colour with
/// probability a/b, else of the opponent's; without, always of its own.
///
/// # Errors
/// A sentence that names the parameter out of range.
pub fn connect(board: &Board, own: Option<(u32, u32)>) -> Result<String, String> {
    board.check()?;
    board::check_own(own)?;
    Ok([
        header(board, own),
        title("The players and the board"),
        board.places(own),
        title("The state"),
        state(own),
        title("Moves"),
        moves(board, own),
        title("What a move does"),
        effects(own),
        title("Lines, and the end of the game"),
        board.ending(),
    ]
    .concat())
}

fn header(board: &Board, own: Option<(u32, u32)>) -> String {
    let kind = if own.is_some() { "Stochastic connect" } else { "Connect" };
    let odds = own.map(board::own_in_words).unwrap_or_default();
    format!(
        "; {kind}-{line} on {size}.\n\
         ;\n\
         ; x and o in turn drop a mark into a column, where it falls to the lowest blank cell.\n\
         {odds}\
         ; A player wins when {line} of its marks stand in a line, whoever placed the last of \
         them.\n\
         ; A full board without a line is a draw.\n\
         {command}",
        line = board.line,
        size = board.size(),
        command = board::command("connect", board, own),
    )
}

fn state(own: Option<(u32, u32)>) -> String {
    let toss = "; p has chosen column c, and its mark is still to be tossed.\n\
                (<= (base (toss ?p ?c))\n    (player ?p)\n    (column ?c))\n";
    let toss = if own.is_some() { toss } else { "" };
    format!("{CELLS}{toss}\n{START}")
}

fn moves(board: &Board, own: Option<(u32, u32)>) -> String {
    let toss = own.map(|own| format!("\n{}", board::toss(own, "?c"))).unwrap_or_default();
    format!(
        "(<= (input ?p (drop ?c))\n    (player ?p)\n    (column ?c))\n\
         (<= (legal ?p (drop ?c))\n    (true (control ?p))\n    (true (cell ?c {top} b)))\n\
         {PLAYERS_WAIT}{toss}",
        top = board.rows,
    )
}

fn effects(own: Option<(u32, u32)>) -> String {
    let falls = match own {
        None => "(<= (falls ?p ?c)\n    (does ?p (drop ?c)))\n".to_owned(),
        Some(own) => board::falls(own, "?c"),
    };
    let control = if own.is_some() { TOSS_FOLLOWS } else { CONTROL_PASSES };
    format!("{LANDS}\n{falls}{FALLEN}{CELLS_STAY}\n{control}")
}

const LANDS: &str = "\
; (lands c r): a mark that drops into column c comes to lie in row r.
(<= (lands ?c 1)
    (true (cell ?c 1 b)))
(<= (lands ?c ?s)
    (true (cell ?c ?s b))
    (succ ?r ?s)
    (true (cell ?c ?r ?p))
    (player ?p))
";

const FALLEN: &str = "\
(<= (next (cell ?c ?r ?p))
    (falls ?p ?c)
    (lands ?c ?r))
(<= (filled ?c ?r)
    (falls ?p ?c)
    (lands ?c ?r))
";

const TOSS_FOLLOWS: &str = "\
(<= (next (toss ?p ?c))
    (does ?p (drop ?c)))
(<= (next (control ?q))
    (true (toss ?p ?c))
    (opponent ?p ?q))
";
