//! What tic-tac-toe and connect share: the board, its lines, the toss, and the end of the game.
//!
//! The state of a sheet is one mark (or blank) for each cell and one of `(control p)`, when p is
//! to choose, or, with chance only, `(toss p place..)`, when p has chosen and its mark is tossed.
//! So exactly one of each cell's facts and exactly one of the control and toss facts holds.

use super::facts::{numbered, successors};
use super::{DENOMINATOR_MAX, check_probability};

/// The largest number of columns or rows.
const SIDE_MAX: u32 = 64;

/// The size of a board and the length of a winning line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Cells from left to right.
    pub columns: u32,
    /// Cells from bottom to top.
    pub rows: u32,
    /// Cells of a winning line.
    pub line: u32,
}

impl Board {
    /// Refuses a board on which no game can be played.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { columns, rows, line } = *self;
        for (name, side) in [("columns", columns), ("rows", rows)] {
            if side == 0 || side > SIDE_MAX {
                return Err(format!("{name} {side}: must be from 1 to {SIDE_MAX}"));
            }
        }
        let side = columns.max(rows);
        if line == 0 || line > side {
            return Err(format!(
                "line {line}: must be from 1 to {side}, the longer side of a board of {columns} \
                 columns and {rows} rows"
            ));
        }
        Ok(())
    }

    /// `N columns and M rows`, for the header.
    pub(super) fn size(&self) -> String {
        format!("{} and {}", count(self.columns, "column"), count(self.rows, "row"))
    }

    /// Roles, columns, rows and numbers.
    pub(super) fn places(&self, own: Option<(u32, u32)>) -> String {
        let random = if own.is_some() { " (role random)" } else { "" };
        let last = self.columns.max(self.rows);
        format!(
            "(role x) (role o){random}\n\n\
             (player x) (player o)\n(opponent x o) (opponent o x)\n\n\
             {}{}{}",
            numbered("column", 1, self.columns),
            numbered("row", 1, self.rows),
            successors(1, last),
        )
    }

    /// Where a line stands, and what that means for the game.
    pub(super) fn ending(&self) -> String {
        format!("{}\n{}\n{RESULT}", DIRECTIONS, self.lines())
    }

    fn lines(&self) -> String {
        let head = "; (run p c r d n): n marks of p in a row, from cell c r on in direction d.\n";
        let goal = format!("(<= (line ?p)\n    (run ?p ?c ?r ?d {}))\n", self.line);
        format!("{head}{RUNS}{goal}")
    }
}

/// Refuses a toss that cannot be written as moves of `random`.
pub(super) fn check_own(own: Option<(u32, u32)>) -> Result<(), String> {
    own.map_or(Ok(()), |own| check_probability("own", own))
}

/// Facts and rules of the toss that are the same on every board: its faces, who may move, and
/// the colour that shows. `place` is what a move names, such as `?c`.
pub(super) fn toss(own: (u32, u32), place: &str) -> String {
    let (part, whole) = own;
    debug_assert!(part <= whole && whole <= DENOMINATOR_MAX);
    let mut text = String::from("; The toss: equal moves of random, each a face of a die.\n");
    text.push_str(&numbered("own_face", 1, part));
    text.push_str(&numbered("other_face", 1, whole - part));
    text.push('\n');
    for (face, last) in [("own", part), ("other", whole - part)] {
        if last > 0 {
            text.push_str(&format!(
                "(<= (input random ({face} ?i))\n    ({face}_face ?i))\n\
                 (<= (legal random ({face} ?i))\n    ({face}_face ?i)\n    \
                 (true (toss ?p {place})))\n\
                 (<= {face}_colour\n    (does random ({face} ?i)))\n"
            ));
        }
    }
    text.push_str(RANDOM_WAITS);
    text
}

/// Which mark falls: of the mover's colour or of its opponent's.
pub(super) fn falls((part, whole): (u32, u32), place: &str) -> String {
    let mut text = String::new();
    if part > 0 {
        text.push_str(&format!(
            "(<= (falls ?p {place})\n    (true (toss ?p {place}))\n    own_colour)\n"
        ));
    }
    if part < whole {
        text.push_str(&format!(
            "(<= (falls ?q {place})\n    (true (toss ?p {place}))\n    (opponent ?p ?q)\n    \
             other_colour)\n"
        ));
    }
    text
}

/// `1 row`, `2 rows`.
pub(super) fn count(number: u32, noun: &str) -> String {
    if number == 1 { format!("{number} {noun}") } else { format!("{number} {noun}s") }
}

/// The chance of the mover's own colour, in words.
pub(super) fn own_in_words((part, whole): (u32, u32)) -> String {
    format!(
        "; The mark is of the mover's own colour with probability {part}/{whole}, else of its\n\
         ; opponent's: random then makes one of {}, {part} of them for the own colour.\n",
        count(whole, "equal move"),
    )
}

/// The command that prints this sheet, for the header.
pub(super) fn command(family: &str, board: &Board, own: Option<(u32, u32)>) -> String {
    let Board { columns, rows, line } = *board;
    let own = own.map(|(part, whole)| format!(" --own {part}/{whole}")).unwrap_or_default();
    format!(";\n; oddsmith generate {family} {columns} {rows} {line}{own}\n")
}

/// A title over a group of rules.
pub(super) fn title(words: &str) -> String {
    format!("\n; ---- {words}\n\n")
}

/// Cells and control, declared and at the start.
pub(super) const CELLS: &str = "\
(<= (base (cell ?c ?r b))
    (column ?c)
    (row ?r))
(<= (base (cell ?c ?r ?p))
    (column ?c)
    (row ?r)
    (player ?p))
(<= (base (control ?p))
    (player ?p))
";

/// A blank board with x to move.
pub(super) const START: &str = "\
(<= (init (cell ?c ?r b))
    (column ?c)
    (row ?r))
(init (control x))
";

/// Who is not to choose does nothing.
pub(super) const PLAYERS_WAIT: &str = "\
(<= (input ?p noop)
    (player ?p))
(<= (legal ?p noop)
    (player ?p)
    (not (true (control ?p))))
";

const RANDOM_WAITS: &str = "\
(input random noop)
(<= (legal random noop)
    (true (control ?p)))
";

/// Marks stay, and what is not filled stays blank.
pub(super) const CELLS_STAY: &str = "\
(<= (next (cell ?c ?r ?p))
    (player ?p)
    (true (cell ?c ?r ?p)))
(<= (next (cell ?c ?r b))
    (true (cell ?c ?r b))
    (not (filled ?c ?r)))
";

/// After a plain move the opponent chooses.
pub(super) const CONTROL_PASSES: &str = "\
(<= (next (control ?q))
    (true (control ?p))
    (opponent ?p ?q))
";

const DIRECTIONS: &str = "\
; (step d c r e s): one step in direction d leads from cell c r to cell e s.
(<= (step across ?c ?r ?e ?r)
    (succ ?c ?e)
    (column ?e)
    (row ?r))
(<= (step up ?c ?r ?c ?s)
    (column ?c)
    (succ ?r ?s)
    (row ?s))
(<= (step rising ?c ?r ?e ?s)
    (succ ?c ?e)
    (column ?e)
    (succ ?r ?s)
    (row ?s))
(<= (step falling ?c ?s ?e ?r)
    (succ ?c ?e)
    (column ?e)
    (succ ?r ?s)
    (row ?s))
(direction across) (direction up) (direction rising) (direction falling)
";

const RUNS: &str = "\
(<= (run ?p ?c ?r ?d 1)
    (player ?p)
    (direction ?d)
    (true (cell ?c ?r ?p)))
(<= (run ?p ?c ?r ?d ?n)
    (succ ?m ?n)
    (player ?p)
    (true (cell ?c ?r ?p))
    (step ?d ?c ?r ?e ?s)
    (run ?p ?e ?s ?d ?m))
";

const RESULT: &str = "\
(<= full
    (not blank))
(<= blank
    (true (cell ?c ?r b)))
(<= draw
    full
    (not (line x))
    (not (line o)))

(<= terminal
    (line ?p))
(<= terminal
    full)

(<= (goal ?p 100)
    (line ?p))
(<= (goal ?q 0)
    (line ?p)
    (opponent ?p ?q))
(<= (goal ?p 50)
    (player ?p)
    draw)
";
