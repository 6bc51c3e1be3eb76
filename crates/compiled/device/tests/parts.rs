//! Plies that lie in several buffers, on a device of which shaders see little of one at once. The
//! driver's own checks hold every pass to that.

mod support;

use std::sync::Arc;

use device::{Form, Gpu, PlyRow, Wish};
use support::{asked, expected, on, question, there};
use verdict::Stop;

/// Whether passes of a kind ran, over a ply of several parts.
fn ran_in_parts(rows: &[PlyRow], name: &str) -> bool {
    let has = |row: &&PlyRow| row.passes.iter().any(|pass| pass.name == name);
    rows.iter().filter(has).any(|row| row.parts > 1)
}

#[test]
fn plies_in_parts_have_the_answers_of_whole_ones() {
    // Bytes, and candidates of a chunk: chunks are as large as fits, or so small that tables grow
    // while they are in use.
    for (name, seen, chunk) in [
        ("stochastic-tic-tac-toe-3x3", 1 << 13, 1 << 16),
        ("stochastic-tic-tac-toe-3x3", 1 << 13, 1 << 9),
        ("tic-tac-toe", 1 << 13, 1 << 16),
    ] {
        let Some(gpu) = there(Gpu::open_seeing(&Wish::Any, seen)) else { return };
        let gpu = Arc::new(gpu.in_form(Form::Code).in_chunks(chunk));
        let question = question(name);
        let got = on(Arc::clone(&gpu) as _, &question);
        let got = got.unwrap_or_else(|stop| panic!("{name}, {seen} bytes: {stop:?}"));
        assert_eq!(got, expected(&question), "{name}, {seen} bytes, chunks of {chunk}");
        let rows = gpu.profile().plies;
        assert!(rows.iter().map(|row| row.parts).max() >= Some(2), "{name}, {seen} bytes");
        assert!(ran_in_parts(&rows, "part") && ran_in_parts(&rows, "back_up"), "{name}");
        assert!(rows.iter().flat_map(|row| &row.passes).any(|pass| pass.name == "gather"));
    }
}

/// A buffer that holds the keys of a part need not hold its values.
#[test]
fn values_of_a_part_lie_in_several_buffers() {
    let seen = 1 << 12;
    let Some(gpu) = there(Gpu::open_seeing(&Wish::Any, seen)) else { return };
    let question = asked("walk", &walk(42));
    let gpu = Arc::new(gpu.in_form(Form::Code));
    let got = on(Arc::clone(&gpu) as _, &question).unwrap_or_else(|stop| panic!("{stop:?}"));
    assert_eq!(got, expected(&question));
    let rows = gpu.profile().plies;
    let overflows = |row: &PlyRow| 4 * row.states * row.limbs as u64 > row.parts as u64 * seen;
    assert!(rows.iter().any(overflows), "some part has more values than a buffer holds");
}

/// A walk to the right or upward, or a rest, as chance wills: after n tosses there are (n + 1)(n + 2) / 2
/// places, whose values have a denominator of 3^n.
fn walk(steps: usize) -> String {
    let mut sheet = String::from(
        "(role x) (role random) (init (right 0)) (init (up 0)) (init (made 0)) (legal x wait) \
         (legal random right) (legal random up) (legal random rest) \
         (<= (next (right ?b)) (true (right ?a)) (does random right) (after ?a ?b)) \
         (<= (next (right ?a)) (true (right ?a)) (not (does random right))) \
         (<= (next (up ?b)) (true (up ?a)) (does random up) (after ?a ?b)) \
         (<= (next (up ?a)) (true (up ?a)) (not (does random up))) \
         (<= (next (made ?b)) (true (made ?a)) (after ?a ?b)) ",
    );
    for at in 0..steps {
        sheet.push_str(&format!("(after {at} {}) ", at + 1));
    }
    sheet.push_str(&format!(
        "(<= terminal (true (made {steps}))) (<= won (true (right ?a)) (true (up ?a))) \
         (<= (goal x 100) won) (<= (goal x 0) (not won))"
    ));
    sheet
}

/// One state's moves alone are more than a buffer takes: no number of parts helps.
#[test]
fn what_no_part_holds_is_refused_by_name() {
    let Some(gpu) = there(Gpu::open_seeing(&Wish::Any, 1 << 12)) else { return };
    let question = question("stochastic-tic-tac-toe-3x3");
    match on(Arc::new(gpu.in_form(Form::Tape)), &question) {
        Err(Stop::Faulty(fault)) => assert_eq!(fault.code, "device-buffer"),
        other => panic!("{other:?}"),
    }
}
