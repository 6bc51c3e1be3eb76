//! Random small games that are several games on one sheet: the same seed, the same sheet.
//!
//! Each part is a dial that the roles turn; a clock says who may turn which dial at which post, so
//! that most sheets come apart into games that share no more than the clock. Some do not: a role may
//! be let choose between dials, an end may read one, and a win may mix them. Roles that are not busy
//! pass, and in some sheets may pass beside what they have to do; which turns there are depends on the
//! dial, for chance as well.
//!
//! Always: every role has a legal move where the game goes on; play ends by a clock; each player
//! has exactly one goal value in every terminal state; a dial has one value.

use crate::dice::Dice;

const ROLES: [&str; 3] = ["x", "o", "random"];

/// A random game of several parts, as GDL text.
pub fn several(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let (parts, values, end) = (dice.between(2, 3), dice.between(3, 4), dice.between(2, 5));
    let mut text = format!("; generated from seed {seed}\n{FRAME}");
    let mut say = |line: String| {
        text += &line;
        text.push('\n');
    };
    for part in 0..parts {
        say(format!("(part p{part}) (init (dial p{part} {}))", dice.below(values)));
        let aims = dice.between(1, values - 1);
        (0..aims).for_each(|aim| say(format!("(aim p{part} {})", (aim + part) % values)));
    }
    for (one, other) in (0..values).flat_map(|one| (0..values).map(move |other| (one, other))) {
        say(format!("(plus {one} {other} {})", (one + other) % values));
    }
    for role in ROLES {
        for value in 0..values {
            let turns = dice.between(1, 3);
            for turn in 0..turns {
                say(format!("(turns {role} {value} t{turn} {})", dice.below(values)));
            }
        }
        let free = dice.chance(20);
        let choose = dice.chance(8);
        for post in 0..end {
            let busy = dice.chance(70);
            if busy {
                let part = dice.below(parts);
                say(format!("(busy c{post} {role} p{part})"));
                if choose {
                    say(format!("(busy c{post} {role} p{})", (part + 1) % parts));
                }
            }
            if !busy || free {
                say(format!("(rests c{post} {role})"));
            }
        }
    }
    (0..end).for_each(|post| say(format!("(succ c{post} c{})", post + 1)));
    say(format!("(<= terminal (true (clock c{end})))"));
    if dice.chance(8) {
        say("(<= terminal (true (dial p0 2)))".to_owned());
    }
    let all: Vec<String> = (0..parts).map(|part| format!("(good p{part})")).collect();
    say(match dice.below(11) {
        0 | 1 => format!("(<= win {})", all.join(" ")),
        2 | 3 => "(<= win (good ?p))".to_owned(),
        4 | 5 => "(<= win (not spoilt)) (<= spoilt (good ?p))".to_owned(),
        6 | 7 => format!("(<= win (not spoilt)) (<= spoilt {})", all.join(" ")),
        8 | 9 => "(<= win (good p0) (good p1))".to_owned(),
        _ => "(<= win (good p0) (not (good p1))) (<= win (not (good p0)) (good p1))".to_owned(),
    });
    let less = if dice.chance(15) { 30 } else { 0 };
    say(format!("(<= (goal x {less}) (not win))"));
    text
}

const FRAME: &str = "\
(role x) (role o) (role random)
(init (clock c0))
(<= (legal ?r (turn ?p ?t)) (true (clock ?n)) (busy ?n ?r ?p) (true (dial ?p ?v)) (turns ?r ?v ?t ?w))
(<= (legal ?r pass) (true (clock ?n)) (rests ?n ?r))
(<= (moved ?r ?p) (does ?r (turn ?p ?t)))
(<= (by ?r ?p ?w) (does ?r (turn ?p ?t)) (true (dial ?p ?v)) (turns ?r ?v ?t ?w))
(<= (by ?r ?p 0) (role ?r) (part ?p) (not (moved ?r ?p)))
(<= (next (dial ?p ?w)) (true (dial ?p ?v)) (by x ?p ?a) (by o ?p ?b) (by random ?p ?c)
    (plus ?v ?a ?t) (plus ?t ?b ?u) (plus ?u ?c ?w))
(<= (next (clock ?m)) (true (clock ?n)) (succ ?n ?m))
(<= (good ?p) (true (dial ?p ?v)) (aim ?p ?v))
(<= (goal x 100) win)
(<= (goal o 100) (not win))
(<= (goal o 0) win)
";
