//! Random games of several parts: solved apart, solved as one, and by the rules themselves, the value
//! and the first moves are the same; and the corners of what may be solved apart.

use crosscheck::reference::Reference;
use crosscheck::{agree, generate};
use solve::{Options, Sweep};
use verdict::{Engine, Verdict};

use crate::lineup::{rulebook, watched};
use crate::places;

/// Seeds of a normal run; a slow one takes ten times as many.
const SEEDS: u64 = 300;

fn as_one() -> Sweep {
    Sweep::new(Options { apart: false, ..Options::default() })
}

#[test]
fn random_games_of_several_parts_have_the_same_answers_apart_as_one_and_by_the_rules() {
    let last = if places::is_slow_run() { 10 * SEEDS } else { SEEDS };
    let (sweep, as_one) = (Sweep::default(), as_one());
    let mut wrong = Vec::new();
    let (mut asked, mut apart, mut between) = (0_u64, 0_u64, 0_u64);
    for seed in 0..last {
        let book = rulebook(&format!("seed {seed}"), &generate::several(seed));
        for question in generate::questions(seed, &book) {
            let engines: [&dyn Engine; 3] = [&Reference, &as_one, &sweep];
            let agreement = watched(|watch| agree(&question, &engines, watch));
            wrong.extend(agreement.disagreement.map(|what| format!("seed {seed}: {what}")));
            let Ok(verdict) = &agreement.rows[2].result else {
                wrong.push(format!("seed {seed}: {}", agreement.rows[2].result_text()));
                continue;
            };
            let whole = agreement.rows[1].result.as_ref().expect("it is solved as one as well");
            assert!(!is_apart(whole), "seed {seed}");
            let told = |verdict: &Verdict| (verdict.cut, verdict.counts.plies, verdict.checked);
            assert_eq!(told(verdict), told(whole), "seed {seed}");
            assert!(whole.simultaneous || !verdict.simultaneous, "seed {seed}");
            asked += 1;
            apart += u64::from(is_apart(verdict));
            let certain = verdict.value.is_zero() || verdict.value == exact::Ratio::one();
            between += u64::from(is_apart(verdict) && !certain);
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    assert!(3 * apart > asked && 5 * apart < 4 * asked, "{apart} of {asked} were solved apart");
    assert!(6 * between > apart, "{between} of {apart} were not certain");
}

fn is_apart(verdict: &Verdict) -> bool {
    verdict.counts.apart.is_some()
}
