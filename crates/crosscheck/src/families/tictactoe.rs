//! Tic-tac-toe: marks go to any blank cell; whose line stands wins, whoever placed the mark.

use super::board::{self, Board, CELLS, CELLS_STAY, CONTROL_PASSES, PLAYERS_WAIT, START, title};

/// The sheet of tic-tac-toe on `board`. With `own` = (a, b) a mark is of the mover's own colour
/// with probability a/b, else of the opponent's; without, always of its own.
///
/// # Errors
/// A sentence that names the parameter out of range.
pub fn tictactoe(board: &Board, own: Option<(u32, u32)>) -> Result<String, String> {
    board.check()?;
    board::check_own(own)?;
    Ok([
        header(board, own),
        title("The players and the board"),
        board.places(own),
        title("The state"),
        state(own),
        title("Moves"),
        moves(own),
        title("What a move does"),
        effects(own),
        title("Lines, and the end of the game"),
        board.ending(),
    ]
    .concat())
}

fn header(board: &Board, own: Option<(u32, u32)>) -> String {
    let kind = if own.is_some() { "Stochastic tic-tac-toe" } else { "Tic-tac-toe" };
    let odds = own.map(board::own_in_words).unwrap_or_default();
    format!(
        "; {kind} on {size}.\n\
         ;\n\
         ; x and o in turn mark a blank cell.\n\
         {odds}\
         ; A player wins when {line} of its marks stand in a line, whoever placed the last of \
         them.\n\
         ; A full board without a line is a draw.\n\
         {command}",
        line = board.line,
        size = board.size(),
        command = board::command("tic-tac-toe", board, own),
    )
}

fn state(own: Option<(u32, u32)>) -> String {
    let toss = "; p has chosen cell c r, and its mark is still to be tossed.\n\
                (<= (base (toss ?p ?c ?r))\n    (player ?p)\n    (column ?c)\n    (row ?r))\n";
    let toss = if own.is_some() { toss } else { "" };
    format!("{CELLS}{toss}\n{START}")
}

fn moves(own: Option<(u32, u32)>) -> String {
    let toss = own.map(|own| format!("\n{}", board::toss(own, "?c ?r"))).unwrap_or_default();
    format!("{MARKS}{PLAYERS_WAIT}{toss}")
}

fn effects(own: Option<(u32, u32)>) -> String {
    let falls = match own {
        None => "(<= (falls ?p ?c ?r)\n    (does ?p (mark ?c ?r)))\n".to_owned(),
        Some(own) => board::falls(own, "?c ?r"),
    };
    let control = if own.is_some() { TOSS_FOLLOWS } else { CONTROL_PASSES };
    format!("{falls}{FALLEN}{CELLS_STAY}\n{control}")
}

const MARKS: &str = "\
(<= (input ?p (mark ?c ?r))
    (player ?p)
    (column ?c)
    (row ?r))
(<= (legal ?p (mark ?c ?r))
    (true (control ?p))
    (true (cell ?c ?r b)))
";

const FALLEN: &str = "\
(<= (next (cell ?c ?r ?p))
    (falls ?p ?c ?r))
(<= (filled ?c ?r)
    (falls ?p ?c ?r))
";

const TOSS_FOLLOWS: &str = "\
(<= (next (toss ?p ?c ?r))
    (does ?p (mark ?c ?r)))
(<= (next (control ?q))
    (true (toss ?p ?c ?r))
    (opponent ?p ?q))
";
