//! Models for PRISM hold what the question needs, and no more.

use gdl::RoleId;
use index::Id;
use net::{Contest, parse_net, prism};

#[test]
fn what_no_output_needs_is_not_written() {
    let idle: String = (2..62).map(|at| format!("b{at} \"idle{at}\"\n")).collect();
    let game = format!(
        "role \"r\"\ni0 \"go\"\ni1 \"stay\"\nb0 \"off\" init\nb1 \"on\"\n{idle}\
                legal i0 = b0\nlegal i1 = b0\nterminal = b1\ngoal r0 100 = b1\n"
    );
    let update = "g2000 = or b1 i0\nnext b1 = g2000\n";
    // Deep enough that its parts would have names, were they used.
    let mut unused = "g1000 = and b0 b2\n".to_owned();
    for at in 1..60 {
        let word = ["and", "or"][at % 2];
        unused += &format!("g{} = {word} g{} b{}\n", 1000 + at, 999 + at, 2 + at);
    }
    let contest =
        Contest { asked: RoleId::from_index(0), chance: &[], horizon: None, pays_goal: false };
    let model = |text: String| {
        let net = parse_net(&text).expect("a network");
        (net.gates.len(), prism(&net, contest).expect("it is small"))
    };
    let (few, plain) = model(format!("{game}{update}"));
    let (many, beside) = model(format!("{game}{update}{unused}"));
    assert!(many > few + 40, "{few} {many}");
    assert_eq!(plain, beside);
}

#[test]
fn what_is_deep_is_named_in_parts() {
    let bases: String = (0..80).map(|at| format!("b{at} \"p{at}\"\n")).collect();
    let mut text = format!("role \"r\"\ni0 \"go\"\n{bases}legal i0 = true\ng1000 = and b0 b1\n");
    for at in 1..70 {
        let word = ["and", "or"][at % 2];
        text += &format!("g{} = {word} g{} b{}\n", 1000 + at, 999 + at, 1 + at);
    }
    text += "terminal = g1069\ngoal r0 100 = b0\nnext b0 = b1\n";
    let contest =
        Contest { asked: RoleId::from_index(0), chance: &[], horizon: None, pays_goal: false };
    let model = prism(&parse_net(&text).expect("a network"), contest).expect("it is small");
    let mut deepest = 0;
    for line in model.lines() {
        let mut open = 0_i32;
        for letter in line.chars() {
            open += i32::from(letter == '(') - i32::from(letter == ')');
            deepest = deepest.max(open);
        }
    }
    assert!((8..=20).contains(&deepest), "{deepest} brackets inside each other");
}

#[test]
fn who_has_a_choice_chooses_the_asked_role_first_and_chance_last() {
    let names = ["random", "o", "x", "idle", "u"];
    let counts = [2, 2, 2, 1, 3];
    let (mut game, mut legal, mut input) = (String::new(), String::new(), 0);
    for (name, count) in names.iter().zip(counts) {
        game += &format!("role \"{name}\"\n");
        for _ in 0..count {
            game += &format!("i{input} \"m{input}\"\n");
            legal += &format!("legal i{input} = true\n");
            input += 1;
        }
    }
    let game = format!(
        "{game}b0 \"on\"\n{legal}g20 = or b0 i0 i2 i4 i6 i7\nnext b0 = g20\nterminal = b0\n"
    );
    let net = parse_net(&game).expect("a network");
    let chance = [RoleId::from_index(0)];
    let asked = RoleId::from_index(2);
    let contest = Contest { asked, chance: &chance, horizon: None, pays_goal: false };
    let model = prism(&net, contest).expect("it is small");
    let begins: Vec<Option<usize>> =
        names.iter().map(|name| model.find(&format!("{name}_plays :"))).collect();
    let [Some(random), Some(o), Some(x), None, Some(u)] = begins[..] else {
        panic!("{begins:?} in {model}")
    };
    assert!(x < o && o < u && u < random, "{begins:?} in {model}");
    // The role with one move plays it always.
    assert!(model.contains("true"), "{model}");
}
