//! Pig: roll a die for more or hold what the turn brought; a one loses the turn's total. There is
//! no move limit, so plays can come back to a state and go on for ever.
//!
//! The state is both scores, the total of the turn and who is to move. A player whose score and
//! total reach the target has won: holding would only say so. The sum that decides this is
//! derived upward from the score, capped at the target, so the sheet grounds to about target
//! squared sums. Source: the dice game described by Scarne (1945); solved by Neller and Presser,
//! *Optimal play of the dice game Pig* (2004).

use super::board::title;
use super::facts::{numbered, successors};

/// The largest target.
pub const TARGET_MAX: u32 = 1_000;
/// The largest die.
pub const DIE_MAX: u32 = 100;

/// The sheet of Pig to `target` with a die of `die` faces.
///
/// # Errors
/// A sentence that names the parameter out of range.
pub fn pig(target: u32, die: u32) -> Result<String, String> {
    if target == 0 || target > TARGET_MAX {
        return Err(format!("target {target}: must be from 1 to {TARGET_MAX}"));
    }
    if !(2..=DIE_MAX).contains(&die) {
        return Err(format!("die {die}: must have from 2 to {DIE_MAX} faces"));
    }
    Ok([
        header(target, die),
        title("The players and the numbers"),
        numbers(target, die),
        title("The state"),
        STATE.to_owned(),
        title("Moves"),
        MOVES.to_owned(),
        title("What a move does"),
        EFFECTS.to_owned(),
        title("The end of the game"),
        format!("(<= (won ?p)\n    (true (control ?p))\n    (reach ?p {target}))\n{RESULT}"),
    ]
    .concat())
}

fn header(target: u32, die: u32) -> String {
    format!(
        "; Pig to {target} with a die of {die} faces.\n\
         ;\n\
         ; x and o in turn roll a die as often as they like, then hold and add the turn's total to\n\
         ; their score. A one ends the turn and loses its total. Who first has {target} with the\n\
         ; turn's total wins. There is no move limit: endless play is worth nothing to either.\n\
         ;\n\
         ; oddsmith generate pig {target} --die {die}\n"
    )
}

fn numbers(target: u32, die: u32) -> String {
    format!(
        "(role x) (role o) (role random)\n\n\
         (player x) (player o)\n(opponent x o) (opponent o x)\n\n\
         {}\n\
         ; (below n): a score that has not won.\n\
         {}\n\
         ; (pips n): a face that counts.\n\
         {}\n\
         ; (next_sum m n): n is one more than m, but no more than the target.\n\
         (<= (next_sum ?m ?n)\n    (below ?m)\n    (succ ?m ?n))\n\
         (next_sum {target} {target})\n",
        successors(0, target.max(die)),
        numbered("below", 0, target - 1),
        numbered("pips", 2, die),
    )
}

const STATE: &str = "\
(<= (base (score ?p ?n))
    (player ?p)
    (below ?n))
(<= (base (total ?n))
    (below ?n))
(<= (base (control ?p))
    (player ?p))
(init (score x 0))
(init (score o 0))
(init (total 0))
(init (control x))

; (sum m k n): m and k make n, or the target where they make more.
(<= (sum ?m 0 ?m)
    (below ?m))
(<= (sum ?m ?j ?n)
    (sum ?m ?k ?l)
    (succ ?k ?j)
    (next_sum ?l ?n))

; (reach p n): the score of p and the turn's total make n.
(<= (reach ?p ?n)
    (true (score ?p ?m))
    (true (total ?k))
    (sum ?m ?k ?n))
";

const MOVES: &str = "\
(<= (input ?p roll)
    (player ?p))
(<= (input ?p hold)
    (player ?p))
(<= (input ?p noop)
    (player ?p))
(<= (legal ?p roll)
    (true (control ?p)))
(<= (legal ?p hold)
    (true (control ?p)))
(<= (legal ?p noop)
    (true (control ?q))
    (opponent ?p ?q))

; The die falls in every step; it matters where a player rolls.
(input random one)
(<= (input random (face ?n))
    (pips ?n))
(legal random one)
(<= (legal random (face ?n))
    (pips ?n))
";

const EFFECTS: &str = "\
(<= held
    (does ?p hold))
(<= lost
    (not held)
    (does random one))
(<= goes_on
    (not held)
    (does random (face ?n)))

(<= (next (total 0))
    held)
(<= (next (total 0))
    lost)
(<= (next (total ?n))
    goes_on
    (does random (face ?k))
    (true (total ?m))
    (sum ?m ?k ?n))

(<= (next (control ?p))
    (true (control ?q))
    held
    (opponent ?p ?q))
(<= (next (control ?p))
    (true (control ?q))
    lost
    (opponent ?p ?q))
(<= (next (control ?p))
    goes_on
    (true (control ?p)))

(<= (next (score ?p ?n))
    (does ?p hold)
    (reach ?p ?n))
(<= (next (score ?p ?n))
    (true (score ?p ?n))
    (not (does ?p hold)))
";

const RESULT: &str = "\
(<= terminal
    (won ?p))
(<= (goal ?p 100)
    (won ?p))
(<= (goal ?p 0)
    (opponent ?p ?q)
    (won ?q))
";
