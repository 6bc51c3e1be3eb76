//! Stochastic Nim: one pile, take one or two, and chance may put a piece back after each turn.
//!
//! The state is the pile, the number of turns made, and who is to move next (a player or
//! `random`), one fact of each kind. The pile never grows past its first size: each turn takes a
//! piece at least and each toss adds one at most. The mover of a turn follows from its number.

use super::board::{count, title};
use super::check_probability;
use super::facts::{numbered, successors};

/// The largest pile.
pub const PILE_MAX: u32 = 100_000;

/// The sheet of Nim with a pile of `pile` pieces; after each turn that does not end the game one
/// piece is added with probability a/b, `add` = (a, b).
///
/// # Errors
/// A sentence that names the parameter out of range.
pub fn nim(pile: u32, add: (u32, u32)) -> Result<String, String> {
    if pile == 0 || pile > PILE_MAX {
        return Err(format!("pile {pile}: must be from 1 to {PILE_MAX}"));
    }
    check_probability("add", add)?;
    Ok([
        header(pile, add),
        title("The players and the numbers"),
        numbers(pile),
        title("The state"),
        state(pile),
        title("Moves"),
        MOVES.to_owned(),
        faces(add),
        title("What a move does"),
        EFFECTS.to_owned(),
        pile_after_toss(add),
        title("The end of the game"),
        ending(pile),
    ]
    .concat())
}

fn header(pile: u32, (part, whole): (u32, u32)) -> String {
    format!(
        "; Stochastic Nim with a pile of {pile}.\n\
         ;\n\
         ; x and o in turn take one piece or two. Who takes the last piece wins at once. After\n\
         ; each turn that does not end the game one piece is added with probability \
         {part}/{whole}, or\n\
         ; none: random makes one of {moves}, {part} of them to add. The game is a draw when\n\
         ; each player has made {turns} and the last toss is done.\n\
         ;\n\
         ; oddsmith generate nim {pile} --add {part}/{whole}\n",
        moves = count(whole, "equal move"),
        turns = count(pile, "turn"),
    )
}

fn numbers(pile: u32) -> String {
    format!(
        "(role x) (role o) (role random)\n\n\
         (player x) (player o)\n(opponent x o) (opponent o x)\n\n\
         {}\n\
         ; (size n): a pile may hold n pieces.\n\
         (size {pile})\n\
         {NUMBERS}",
        successors(0, 2 * pile),
    )
}

fn state(pile: u32) -> String {
    format!("{BASE}\n(init (pile {pile}))\n(init (turn 0))\n(init (control x))\n")
}

/// The moves of `random`, and what is common to those with one effect.
fn faces((part, whole): (u32, u32)) -> String {
    debug_assert!(part <= whole && whole > 0);
    let mut text = String::from("\n; The toss: equal moves of random, each a face of a die.\n");
    for (face, effect, last) in [("add", "adds", part), ("keep", "keeps", whole - part)] {
        if last == 0 {
            continue;
        }
        text.push_str(&numbered(&format!("{face}_face"), 1, last));
        text.push_str(&format!(
            "(<= (input random ({face} ?i))\n    ({face}_face ?i))\n\
             (<= (legal random ({face} ?i))\n    ({face}_face ?i)\n    (true (control random)))\n\
             (<= {effect}\n    (does random ({face} ?i)))\n"
        ));
    }
    text
}

/// The pile after the toss; a side without a face has no rule.
fn pile_after_toss((part, whole): (u32, u32)) -> String {
    let adds = if part > 0 { PILE_GROWS } else { "" };
    let keeps = if part < whole { PILE_STAYS } else { "" };
    format!("{adds}{keeps}")
}

fn ending(pile: u32) -> String {
    format!(
        "(<= exhausted\n    (true (turn {}))\n    (not (true (control random))))\n{RESULT}",
        2 * pile
    )
}

const NUMBERS: &str = "\
(<= (size ?m)
    (size ?n)
    (succ ?m ?n))

; (minus n k m): n less k is m.
(<= (minus ?n 1 ?m)
    (size ?n)
    (succ ?m ?n))
(<= (minus ?n 2 ?m)
    (minus ?n 1 ?l)
    (succ ?m ?l))

; (mover t p): p makes its choice when t turns are made.
(mover 0 x)
(<= (mover ?u ?q)
    (mover ?t ?p)
    (succ ?t ?u)
    (opponent ?p ?q))
";

const BASE: &str = "\
(<= (base (pile ?n))
    (size ?n))
(<= (base (turn ?t))
    (mover ?t ?p))
(<= (base (control ?r))
    (role ?r))
";

const MOVES: &str = "\
(amount 1) (amount 2)
(<= (input ?p (take ?k))
    (player ?p)
    (amount ?k))
(<= (legal ?p (take ?k))
    (player ?p)
    (true (control ?p))
    (true (pile ?n))
    (minus ?n ?k ?m))
(<= (input ?r noop)
    (role ?r))
(<= (legal ?r noop)
    (role ?r)
    (not (true (control ?r))))
";

const EFFECTS: &str = "\
(<= (taken ?k)
    (player ?p)
    (does ?p (take ?k)))
(<= (next (pile ?m))
    (taken ?k)
    (true (pile ?n))
    (minus ?n ?k ?m))
(<= (next (turn ?u))
    (not (true (control random)))
    (true (turn ?t))
    (succ ?t ?u))
(<= (next (control random))
    (not (true (control random))))

(<= (next (turn ?t))
    (true (control random))
    (true (turn ?t)))
(<= (next (control ?p))
    (true (control random))
    (true (turn ?t))
    (mover ?t ?p))
";

const PILE_GROWS: &str = "\
(<= (next (pile ?m))
    adds
    (true (pile ?n))
    (minus ?m 1 ?n))
";

const PILE_STAYS: &str = "\
(<= (next (pile ?n))
    keeps
    (true (pile ?n)))
";

const RESULT: &str = "\
; The player who took the last piece.
(<= (winner ?q)
    (true (pile 0))
    (true (turn ?t))
    (mover ?t ?p)
    (opponent ?p ?q))

(<= terminal
    (true (pile 0)))
(<= terminal
    exhausted)

(<= (goal ?p 100)
    (winner ?p))
(<= (goal ?q 0)
    (winner ?p)
    (opponent ?p ?q))
(<= (goal ?p 50)
    (player ?p)
    exhausted)
";
