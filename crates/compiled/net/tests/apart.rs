//! Which games are taken apart, why others are not, and that the games of parts are well-formed.

use ground::GroundLimits;
use net::apart::{Apart, Asked, Refusal, Wanted, apart};
use net::{LowerLimits, Net, lower, verify};

fn lowered(text: &str) -> Net {
    let reading = gdl::read(gdl::Source::new("game.gdl", text), &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("it is in order");
    let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("it grounds");
    lower(&ground, &LowerLimits::default()).expect("it lowers")
}

/// Taken apart for the first role.
fn taken(text: &str) -> Result<Apart, Refusal> {
    let net = lowered(text);
    let role = net.roles.ids().next().expect("a role");
    let taken = apart(&net, Asked { role, must_be_paid: false })?;
    for part in &taken.parts {
        assert_eq!(verify(&part.net), Ok(()));
        assert_eq!(part.net.roles.len(), net.roles.len(), "the roles are the same");
    }
    Ok(taken)
}

/// Two switches, each of which x may turn at a step of its own, beside a lamp that o turns.
const SWITCHES: &str = "
    (role x) (role o) (init (step 0)) (succ 0 1) (succ 1 2) (turn 0 a) (turn 1 b)
    (<= (legal x (turn ?s)) (true (step ?n)) (turn ?n ?s))
    (legal x wait)
    (legal o on) (legal o off)
    (<= (next (up ?s)) (does x (turn ?s)) (not (true (up ?s))))
    (<= (next (up ?s)) (true (up ?s)) (not (does x (turn ?s))))
    (<= (next lit) (does o on))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (goal x 0) (not won)) (<= (goal x 100) won) (goal o 0)";
const END: &str = "(<= terminal (true (step 2)))";
const BOTH: &str = "(<= won (true (up a)) (true (up b)))";

#[test]
fn a_part_has_its_own_moves_and_those_that_change_nothing() {
    let taken = taken(&format!("{SWITCHES} {END} {BOTH}")).expect("it comes apart");
    assert_eq!(taken.wanted, Wanted::All);
    let names = |net: &Net| {
        let mut names: Vec<String> = net.inputs.iter().cloned().collect();
        names.sort_unstable();
        names.join(" ")
    };
    let moves: Vec<String> = taken.parts.iter().map(|part| names(&part.net)).collect();
    let mut sorted = moves.clone();
    sorted.sort_unstable();
    // The lamp is a part that does not count; x has but one move there, and o elsewhere.
    let wanted = [
        "(turn a) elsewhere elsewhere wait",
        "(turn b) elsewhere elsewhere wait",
        "elsewhere off on",
    ];
    assert_eq!(sorted, wanted);
    assert!(taken.parts.iter().all(|part| part.bases == 1));
    // x turns a first, and o its lamp.
    let part = |role: usize| taken.first.as_slice()[role].map(|part| &moves[part]);
    assert!(part(0).is_some_and(|moves| moves.contains("(turn a)")));
    assert!(part(1).is_some_and(|moves| moves.ends_with("on")));
}

#[test]
fn each_reason_to_solve_together_is_told() {
    let with = |rules: &str| taken(&format!("{SWITCHES} {rules}")).map(|taken| taken.wanted);
    assert_eq!(with(&format!("{END} (<= won (true (up ?s)))")), Ok(Wanted::Any));
    assert_eq!(
        with(&format!("{END} (<= won (not lost)) (<= lost (true (up ?s)))")),
        Ok(Wanted::All)
    );
    assert_eq!(with(&format!("(<= terminal (true (up a))) {BOTH}")), Err(Refusal::End));
    assert_eq!(
        with(&format!("(<= terminal (true (step 2)) (true lit)) {BOTH}")),
        Err(Refusal::End)
    );
    assert_eq!(with(&format!("{END} (<= won (true (up a)))")), Err(Refusal::OneCounts));
    assert_eq!(with(&format!("{END} {BOTH} (<= (goal x 50) (true lit))")), Err(Refusal::Goals));
    assert_eq!(with(&format!("{END} {BOTH} (turn 1 a)")), Err(Refusal::Choice));
    // Where x may turn a third switch beside a, these two are one part.
    let third = format!("{END} {BOTH} (turn 0 c)");
    let third = taken(&format!("{SWITCHES} {third}")).expect("it comes apart");
    let mut sizes: Vec<usize> = third.parts.iter().map(|part| part.bases).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 1, 2]);
    // A move that nothing reads is an alternative where another part says whether there is one.
    let told = "(<= (legal x look) (true lit))";
    assert_eq!(with(&format!("{END} {BOTH} {told}")), Err(Refusal::Choice));
    // The end is never met; it is met at once.
    assert_eq!(
        with(&format!("(<= terminal (true (step 7))) (init (step 8)) {BOTH}")),
        Err(Refusal::Endless)
    );
    assert_eq!(with(&format!("(<= terminal (true (step 0))) {BOTH}")), Err(Refusal::Ended));
    let bare = SWITCHES.replace("(legal x wait)", "(<= (legal x wait) (true (step 0)))");
    assert!(taken(&format!("{bare} {END} {BOTH}")).is_ok(), "there is a switch at each step");
    // In the second of three steps x has nothing to do.
    let stuck = bare.replace("(turn 1 b)", "(turn 2 b) (succ 2 3)");
    let stuck = taken(&format!("{stuck} (<= terminal (true (step 3))) {BOTH}"));
    assert_eq!(stuck.map(|taken| taken.wanted), Err(Refusal::Stuck));
}
