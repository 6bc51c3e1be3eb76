//! Random small games over pieces that can be exchanged, on a ring or a line or anywhere: the same
//! seed, the same sheet.
//!
//! All rules speak of any piece, so that the game keeps what the neighbourhood of the pieces and the
//! start keep: all permutations, rotations and mirrors, one mirror, or nothing where one piece
//! starts in a colour of its own or is named in a rule. Players in turn paint a piece, `random`
//! spills over one, perhaps with its neighbours; colours that stand beside each other win.
//!
//! Always: every role has a legal move where the game goes on; play ends by a clock; each player
//! has exactly one goal value in every terminal state; a piece has one colour.

use crate::dice::Dice;

/// A random game with symmetries, as GDL text.
pub fn symmetric(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let pieces = dice.between(2, 4);
    let colours = &["red", "green", "blue"][..if pieces < 4 { dice.between(2, 3) } else { 2 }];
    let end = dice.between(2, 4);
    let mut text = format!("; generated from seed {seed}\n{FRAME}");
    let mut say = |line: String| {
        text += &line;
        text.push('\n');
    };
    let odd_one = dice.chance(20);
    for piece in 0..pieces {
        let colour = if odd_one && piece == 0 { "green" } else { "red" };
        say(format!("(piece p{piece}) (init (holds p{piece} {colour}))"));
    }
    colours.iter().for_each(|colour| say(format!("(colour {colour})")));
    for (one, other) in neighbours(&mut dice, pieces) {
        say(format!("(near p{one} p{other}) (near p{other} p{one})"));
    }
    for post in 0..end {
        let role = *dice.pick(&["x", "o"]);
        say(format!("(succ c{post} c{}) (mover c{post} {role})", post + 1));
        if dice.chance(60) {
            say(format!("(lucky c{post})"));
        }
    }
    say(format!("(<= terminal (true (clock c{end})))"));
    if dice.chance(40) {
        say("(<= terminal (not dull))".to_owned());
    }
    say(dice.pick(&PAINTS).to_string());
    say(dice.pick(&SPILLS).to_string());
    say(dice.pick(&WINS).to_string());
    if dice.chance(15) {
        say("(<= win (true (holds p0 green)) (true (clock c1)))".to_owned());
    }
    text
}

/// Pairs of pieces that stand beside each other, each once.
fn neighbours(dice: &mut Dice, pieces: usize) -> Vec<(usize, usize)> {
    let line = (1..pieces).map(|piece| (piece - 1, piece));
    match dice.below(3) {
        0 => (0..pieces).flat_map(|one| (0..one).map(move |other| (other, one))).collect(),
        1 if pieces > 2 => line.chain([(pieces - 1, 0)]).collect(),
        _ => line.collect(),
    }
}

const PAINTS: [&str; 3] = [
    "(<= (may ?p ?c) (true (holds ?p red)) (colour ?c) (distinct ?c red))",
    "(<= (may ?p ?c) (piece ?p) (colour ?c) (not (true (holds ?p ?c))))",
    "(<= (may ?p ?c) (near ?p ?q) (true (holds ?q ?d)) (colour ?c) (distinct ?c ?d))",
];

const SPILLS: [&str; 3] = [
    "(<= (hit ?p green) (does random (spill ?p)))",
    "(<= (hit ?p red) (does random (spill ?p)))
(<= (hit ?q red) (does random (spill ?p)) (near ?p ?q))",
    "(<= (hit ?q ?c) (does random (spill ?p)) (near ?p ?q) (true (holds ?q ?d)) (turns ?d ?c))
(turns red green) (turns green red) (turns blue red)",
];

const WINS: [&str; 3] = [
    "(<= win (near ?p ?q) (true (holds ?p green)) (true (holds ?q green)))",
    "(<= win (near ?p ?q) (true (holds ?p green)) (true (holds ?q red)))",
    "(<= win (not red_left))
(<= red_left (true (holds ?p red)))",
];

const FRAME: &str = "\
(role x) (role o) (role random)
(init (clock c0))
(<= (legal ?r (paint ?p ?c)) (true (clock ?n)) (mover ?n ?r) (may ?p ?c))
(<= (legal ?r pass) (role ?r) (distinct ?r random))
(<= luck (true (clock ?n)) (lucky ?n))
(<= (legal random (spill ?p)) luck (piece ?p))
(<= (legal random calm) (not luck))
(<= (struck ?p) (hit ?p ?c))
(<= (becomes ?p ?c) (hit ?p ?c))
(<= (becomes ?p ?c) (does ?r (paint ?p ?c)) (not (struck ?p)))
(<= (changed ?p) (becomes ?p ?c))
(<= (next (holds ?p ?c)) (becomes ?p ?c))
(<= (next (holds ?p ?c)) (true (holds ?p ?c)) (not (changed ?p)))
(<= (next (clock ?m)) (true (clock ?n)) (succ ?n ?m))
(<= dull (true (holds ?p ?c)) (distinct ?c green))
(<= (goal x 100) win)
(<= (goal x 20) (not win))
(<= (goal o 100) (not win))
(<= (goal o 0) win)
";
