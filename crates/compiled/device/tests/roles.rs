//! Roles beyond two, choices at the same time, and chunks that are halved, beside the processor.

mod support;

use std::sync::Arc;

use device::{Form, Gpu, Wish};
use support::{asked, expected, on, question, there};
use verdict::Stop;

/// Three who choose at once, and chance with moves of equal effect, for three rounds; all that was
/// said is kept, so that the last ply has 4096 states.
const ROUNDS: &str = "
    (role x) (role o) (role p) (role random) (init (round 0))
    (player x) (player o) (player p) (after 0 1) (after 1 2) (after 2 3)
    (<= (legal ?r yes) (player ?r)) (<= (legal ?r no) (player ?r))
    (legal random 1) (legal random 2) (legal random 3)
    (<= (next (round ?m)) (true (round ?n)) (after ?n ?m))
    (<= (next (said ?n ?r)) (true (round ?n)) (player ?r) (does ?r yes))
    (<= (next (said ?n ?r)) (true (said ?n ?r)))
    (<= (next (lucky ?n)) (true (round ?n)) (does random 1))
    (<= (next (lucky ?n)) (true (lucky ?n)))
    (<= (hit ?n) (true (lucky ?n)) (true (said ?n x)))
    (<= (hit ?n) (true (said ?n x)) (true (said ?n o)) (not (true (said ?n p))))
    (<= (hit ?n) (true (lucky ?n)) (not (true (said ?n x))) (true (said ?n p)) (true (round ?m)))
    (<= terminal (true (round 3)))
    (<= won (hit 0) (hit 1)) (<= won (hit 1) (hit 2)) (<= won (hit 2) (true (said 0 x)))
    (<= (goal x 100) won) (<= (goal x 0) (not won))
    (<= (goal o 0) won) (<= (goal o 100) (not won))
    (<= (goal p 0) won) (<= (goal p 100) (not won))";

/// The same with turns: o and p oppose x one after the other, and what they say binds x.
fn in_turns() -> String {
    ROUNDS.replace(
        "(<= (legal ?r no) (player ?r))",
        "(<= (legal ?r no) (player ?r) (not (bound ?r)))",
    ) + "(<= (bound x) (true (said ?n o)) (true (said ?n p)) (after ?n ?m) (true (round ?m)))"
}

#[test]
fn coalitions_that_choose_at_once_play_as_they_do_on_the_processor() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    for (name, question, is_simultaneous) in [
        ("rounds", asked("rounds", ROUNDS), true),
        ("turns", asked("turns", &in_turns()), true),
        ("coin-guess", question("coin-guess"), false),
    ] {
        let wanted = expected(&question);
        assert_eq!(wanted.simultaneous, is_simultaneous, "{name}");
        assert!(wanted.value != exact::Ratio::zero() && wanted.value != exact::Ratio::one());
        for form in [Form::Code, Form::Tape, Form::Tables] {
            // Of 32 states, and as many as there are.
            for chunk in [1, 1 << 16] {
                let got = on(Arc::new(gpu.in_form(form).in_chunks(chunk)), &question);
                let got = got.unwrap_or_else(|stop| panic!("{name} as {form:?}: {stop:?}"));
                assert_eq!(got, wanted, "{name} as {form:?}, {chunk} candidates a chunk");
            }
        }
    }
}

#[test]
fn coalitions_play_the_same_where_plies_lie_in_parts() {
    let Some(gpu) = there(Gpu::open_seeing(&Wish::Any, 1 << 14)) else { return };
    let question = asked("rounds", ROUNDS);
    // By tables: a bitmap's plies hold their states alone, and fit here.
    let gpu = Arc::new(gpu.in_form(Form::Code).by_bitmaps(false));
    assert_eq!(on(Arc::clone(&gpu) as _, &question), Ok(expected(&question)));
    assert!(gpu.profile().plies.iter().any(|row| row.parts > 1));
}

/// Chance puts both on one of 256 places, each with moves of its own: in all states together there are
/// more than 2^17 joint moves, in 32 of them few enough.
fn places(own: usize) -> String {
    let digits = (0..16).map(|digit| format!("(digit {digit}) "));
    let moves = (0..own).map(|which| format!("(own {which}) "));
    let sheet = "
        (role x) (role o) (role high) (role low) (init (step 0))
        (<= (legal x wait) (true (step 0))) (<= (legal o wait) (true (step 0)))
        (<= (legal high ?a) (true (step 0)) (digit ?a)) (<= (legal low ?a) (true (step 0)) (digit ?a))
        (<= (legal high wait) (true (step 1))) (<= (legal low wait) (true (step 1)))
        (<= (legal ?r (take ?a ?b ?c)) (true (at ?a ?b)) (one ?r) (own ?c)) (one x) (one o)
        (<= (next (at ?a ?b)) (true (step 0)) (does high ?a) (does low ?b))
        (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
        (<= (next (met ?c ?d)) (does x (take ?a ?b ?c)) (does o (take ?a ?b ?d)) (even ?a))
        (even 0) (even 2) (even 4) (even 14)
        (<= terminal (true (step 2)))
        (<= won (true (met ?c ?d)) (distinct ?c ?d)) (<= won (true (met 0 0)))
        (<= (goal x 100) won) (<= (goal x 0) (not won)) (<= (goal o 0) won) (<= (goal o 100) (not won))";
    digits.chain(moves).collect::<String>() + sheet
}

fn of_places(own: usize) -> verdict::Question {
    let mut question = asked("places", &places(own));
    let dice = question.rulebook.roles.ids().skip(2);
    question.chance = dice.collect();
    question
}

#[test]
fn chunks_with_too_many_joint_moves_are_halved() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    let question = of_places(2);
    let gpu = Arc::new(gpu.in_form(Form::Tape));
    assert_eq!(on(Arc::clone(&gpu) as _, &question), Ok(expected(&question)));
    let rows = gpu.profile().plies;
    let row = rows.iter().find(|row| row.states == 256 && !row.is_backward).expect("a ply");
    let seen = row.passes.iter().find(|pass| pass.name == "deal").expect("it was looked at");
    assert!(seen.calls > 8, "256 states were looked at in {} calls", seen.calls);
}

#[test]
fn where_32_states_have_too_many_it_is_said_by_name() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    match on(Arc::new(gpu.in_form(Form::Tape)), &of_places(5)) {
        Err(Stop::Faulty(fault)) => assert_eq!(fault.code, "device-joint-moves"),
        other => panic!("{other:?}"),
    }
}
