//! Plies whose states are found by a bitmap of all keys, beside those found by a table.

mod support;

use std::sync::Arc;

use device::{Form, Gpu, Wish};
use support::{asked, expected, on, question, there};
use verdict::Stop;

fn ran(gpu: &Gpu, pass: &str) -> bool {
    gpu.profile().passes().iter().any(|one| one.name == pass)
}

#[test]
fn bitmaps_find_the_states_that_tables_find() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    for (name, form) in [
        ("stochastic-tic-tac-toe-3x3", Form::Code),
        ("stochastic-nim-20", Form::Tables),
        ("coin-guess", Form::Tape),
    ] {
        let question = question(name);
        let wanted = expected(&question);
        for chunk in [1 << 9, 1 << 16] {
            for always in [true, false] {
                let gpu = Arc::new(gpu.in_form(form).in_chunks(chunk).by_bitmaps(always));
                assert_eq!(on(Arc::clone(&gpu) as _, &question).as_ref(), Ok(&wanted), "{name}");
                assert_eq!((ran(&gpu, "mark"), ran(&gpu, "claim")), (always, !always), "{name}");
            }
        }
    }
}

/// Twelve tosses that are kept, and eight that are not: in the end nearly all keys of the last plies are
/// states.
const TOSSES: &str = "
    (role x) (role random) (init (step 0)) (legal x wait) (legal random yes) (legal random no)
    (kept 0) (kept 1) (kept 2) (kept 3) (kept 4) (kept 5) (kept 6) (kept 7) (kept 8) (kept 9) (kept 10)
    (kept 11)
    (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8)
    (after 8 9) (after 9 10) (after 10 11) (after 11 12) (after 12 13) (after 13 14) (after 14 15)
    (after 15 16) (after 16 17) (after 17 18) (after 18 19) (after 19 20)
    (<= (next (on ?b)) (true (step ?b)) (kept ?b) (does random yes))
    (<= (next (on ?b)) (true (on ?b)))
    (<= (next (step ?c)) (true (step ?b)) (after ?b ?c))
    (<= terminal (true (step 20)))
    (<= won (true (on 9)) (not (true (on 3)))) (<= won (true (on 0)) (true (on 5)) (true (on 11)))
    (<= (goal x 100) won) (<= (goal x 0) (not won))";

#[test]
fn dense_plies_get_bitmaps_without_being_asked_to() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    let question = asked("tosses", TOSSES);
    let gpu = Arc::new(gpu.in_form(Form::Code));
    assert_eq!(on(Arc::clone(&gpu) as _, &question), Ok(expected(&question)));
    assert!(ran(&gpu, "mark") && ran(&gpu, "claim"), "first plies are sparse, last ones dense");
}

/// Keys of 14 bits or so of which a buffer holds fewer than a ply may have.
#[test]
fn where_a_buffer_does_not_hold_the_keys_tables_in_parts_do() {
    let Some(gpu) = there(Gpu::open_seeing(&Wish::Any, 1 << 13)) else { return };
    let question = question("tic-tac-toe");
    let gpu = Arc::new(gpu.in_form(Form::Code).by_bitmaps(true));
    assert_eq!(on(Arc::clone(&gpu) as _, &question), Ok(expected(&question)));
}

/// Three times the same of forty sides, at the right time, skip a step: random play does not see that the
/// place does not tell how many steps were played, and every state is checked.
#[test]
fn a_level_that_does_not_hold_is_noticed_among_marks() {
    let Some(gpu) = there(Gpu::open(&Wish::Any, false)) else { return };
    let mut sheet = String::from(
        "(role x) (role random) (init (at 0)) (init (streak 0)) (legal x wait)
        (<= (legal random ?a) (side ?a))
        (after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8)
        (<= skips (true (at 5)) (true (streak 2)) (does random 17))
        (<= (next (at ?b)) (true (at ?a)) (after ?a ?b) (not skips)) (<= (next (at 7)) skips)
        (<= (next (streak ?b)) (true (streak ?a)) (after ?a ?b) (does random 17) (not (true (streak 2))))
        (<= (next (streak 0)) (true (streak 2))) (<= (next (streak 0)) (not (does random 17)))
        (<= terminal (true (at 8))) (goal x 100)",
    );
    (0..40).for_each(|side| sheet.push_str(&format!("(side {side}) ")));
    let gpu = Arc::new(gpu.in_form(Form::Code).by_bitmaps(true));
    match on(Arc::clone(&gpu) as _, &asked("late", &sheet)) {
        Err(Stop::Faulty(fault)) => assert_eq!(fault.code, "device-no-plies"),
        other => panic!("{other:?}"),
    }
    assert!(ran(&gpu, "spread"), "the device was asked");
}
