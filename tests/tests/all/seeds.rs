//! Random games from seeds: reference, search, and the sweep with and without folding give one answer, for
//! every role, under both objectives, with and without a horizon.

use crosscheck::{agree, generate};
use verdict::{Engine, Question, Stop};

use crate::lineup::{rulebook, seats, watched};
use crate::places;

/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 60;

fn questions(seed: u64) -> Vec<Question> {
    questions_of(seed, &generate::game(seed))
}

fn questions_of(seed: u64, sheet: &str) -> Vec<Question> {
    let book = rulebook(&format!("seed {seed}"), sheet);
    generate::questions(seed, &book)
}

#[test]
fn engines_agree_on_random_games() {
    let seats = seats();
    let engines: Vec<&dyn Engine> = seats.iter().map(|seat| seat.engine.as_ref()).collect();
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    let (mut wrong, mut answered) = (Vec::new(), 0);
    for seed in 0..last {
        for question in questions(seed) {
            let agreement = watched(|watch| agree(&question, &engines, watch));
            if let Some(difference) = &agreement.disagreement {
                let role = question.rulebook.role_name(question.role);
                wrong.push(format!("seed {seed}, role {role}: {difference}"));
            }
            for row in &agreement.rows {
                match &row.result {
                    Ok(_) => answered += 1,
                    Err(Stop::Faulty(fault)) => {
                        wrong.push(format!("seed {seed}: {} finds {}", row.engine, fault.message));
                    }
                    Err(other) => wrong.push(format!("seed {seed}: {}: {other:?}", row.engine)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(answered as u64 >= 4 * last, "every engine answers for every seed");
}

#[test]
fn engines_agree_on_games_that_come_back() {
    let seats = seats();
    let engines: Vec<&dyn Engine> = seats.iter().map(|seat| seat.engine.as_ref()).collect();
    let last = if places::is_slow_run() { 50 * SEEDS } else { 3 * SEEDS };
    let (mut wrong, mut exact, mut asked) = (Vec::new(), 0, 0);
    for seed in 0..last {
        for question in questions_of(seed, &generate::recurrent(seed)) {
            let agreement = watched(|watch| agree(&question, &engines, watch));
            wrong.extend(agreement.disagreement.map(|what| format!("seed {seed}: {what}")));
            let answers = |name: &str| {
                let mut rows = agreement.rows.iter().filter(|row| row.engine == name);
                rows.all(|row| row.result.is_ok())
            };
            assert!(answers("sweep"), "seed {seed}: the sweep answers: {:?}", agreement.rows);
            asked += 1;
            exact += u64::from(answers("reference"));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(20 * exact >= 19 * asked, "the reference proves {exact} of {asked} values");
}
