//! Random small games in which a play can return to a state: the same seed, the same sheet.
//!
//! A few places are joined at random: at each of them x or o or both have one to three moves, chance
//! one to four, and a table of facts tells where each joint move leads, back as well as on. Some
//! places are ends, won by x, won by o or drawn; some cannot be left, so that both sides can pass
//! for ever. Nothing is said of base and input.
//!
//! Always: every role has a legal move where the game goes on; at most ten places go on.

use crate::dice::Dice;

/// A random game that need not end, as GDL text.
pub fn recurrent(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let places = dice.between(2, 10);
    let mut text = format!("; generated from seed {seed}\n{FRAME}");
    for place in 0..places {
        let (own, opposing) = match dice.below(3) {
            0 => (dice.between(2, 3), 1),
            1 => (1, dice.between(2, 3)),
            _ => (dice.between(1, 2), dice.between(1, 2)),
        };
        let faces = dice.between(1, 4);
        for (who, moves) in [("x", own), ("o", opposing), ("random", faces)] {
            for choice in 1..=moves {
                text.push_str(&format!("(can {who} p{place} {choice})\n"));
            }
        }
        let leaves = dice.chance(40);
        for joint in 0..own * opposing * faces {
            let (face, pair) = (joint % faces + 1, joint / faces);
            let (reply, choice) = (pair % opposing + 1, pair / opposing + 1);
            let to = destination(&mut dice, places, leaves);
            text.push_str(&format!("(leads p{place} {choice} {reply} {face} {to})\n"));
        }
    }
    text
}

fn destination(dice: &mut Dice, places: usize, leaves: bool) -> String {
    let ends = ["won", "lost", "drawn"];
    match leaves && dice.chance(25) {
        true => (*dice.pick(&ends)).to_owned(),
        false => format!("p{}", dice.below(places)),
    }
}

const FRAME: &str = "\
(role x) (role o) (role random)
(init (at p0))
(<= (legal ?r (choose ?k)) (true (at ?p)) (can ?r ?p ?k))
(<= (next (at ?q))
    (true (at ?p))
    (does x (choose ?j)) (does o (choose ?k)) (does random (choose ?f))
    (leads ?p ?j ?k ?f ?q))
(end won) (end lost) (end drawn)
(<= terminal (true (at ?p)) (end ?p))
(worth x won 100) (worth x lost 0) (worth x drawn 50)
(worth o won 0) (worth o lost 100) (worth o drawn 50)
(<= (goal ?r ?n) (true (at ?p)) (worth ?r ?p ?n))
";
