//! Games that come back: Pig to certified bounds and to fractions, a race without a move limit,
//! random cyclic games.

use std::time::Duration;

use crate::contest::{Contender, Setup, contest};
use crate::pig;
use crate::record::{Page, seconds};

/// Odds of whoever begins Pig to 10 with a die of six, by policy iteration over fractions in
/// another program.
const PIG_10: &str = "7776/10961";
/// Odds of ann in `games/exact-race.gdl`, from its facts.
const RACE: &str = "265873/455625";
/// Random games of one run.
const RANDOM_GAMES: u64 = 100;

/// Measures all of them.
///
/// # Errors
/// Where a contender fails or gives another answer.
pub(crate) fn bench(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say("## Pig to 100, bounds of a width of 1e-12");
    page.say("Both bounds round to the baseline's nine digits; a width that is met exits with 0.");
    let sheet = setup.sheet("pig 100")?;
    let mut narrow = setup.solver(&sheet);
    narrow.words.extend(["--width".to_owned(), "1e-12".to_owned()]);
    narrow.value = nine_digits;
    let baseline = setup.own("value iteration in floats, for this game", &["pig", "100", "6"])?;
    page.costs(&contest(&[narrow, baseline], &pig::odds(100, 6))?);
    page.say("## Pig to 10, an exact fraction");
    page.costs(&contest(&[setup.solver(&setup.sheet("pig 10")?)], PIG_10)?);
    page.say("## A race with one die or two and no move limit (`games/exact-race.gdl`)");
    page.costs(&contest(&[setup.solver(&setup.game("exact-race", None)?)], RACE)?);
    random_games(setup, page)
}

/// What both bounds round to, where it is the same and they are as close as was asked for.
fn nine_digits(output: &str) -> Option<String> {
    let object: serde_json::Value = serde_json::from_str(output).ok()?;
    let bound = |name: &str| -> Option<f64> {
        let (above, below) = object.get(name)?.as_str()?.split_once('/')?;
        Some(above.parse::<f64>().ok()? / below.parse::<f64>().ok()?)
    };
    let (lower, upper) = (bound("lower")?, bound("upper")?);
    let same = format!("{lower:.9}") == format!("{upper:.9}");
    (same && upper - lower <= 1e-12).then(|| format!("{lower:.9}"))
}

/// Random cyclic games, each asked of every engine for both roles: the sweep's exact value, and the
/// reference's, which guesses policies and proves them over the rules themselves.
fn random_games(setup: &Setup, page: &mut Page) -> Result<(), String> {
    page.say("## Random cyclic games: sweep, search and reference agree (`oddsmith crosscheck`)");
    let mut words = vec![setup.oddsmith.display().to_string(), "crosscheck".into()];
    for seed in 0..RANDOM_GAMES {
        let path = setup.scratch.join(format!("cyclic-{seed}.gdl"));
        std::fs::write(&path, crosscheck::generate::recurrent(seed))
            .map_err(|error| error.to_string())?;
        words.push(path.display().to_string());
    }
    words.extend(["--roles".to_owned(), "--json".to_owned()]);
    // It fails where two engines differ, so an answer at all is what is asked of it here.
    let contender = Contender {
        name: "oddsmith".into(),
        words,
        value: |output| (!output.is_empty()).then(String::new),
        turns: setup.turns,
    };
    let costs = contest(&[contender], "")?;
    let each = costs[0].cpu / u32::try_from(RANDOM_GAMES).expect("a few");
    page.costs(&costs);
    page.say(&format!(
        "{RANDOM_GAMES} games, both roles of each, are {} games a second of CPU time.",
        rate(each)
    ));
    Ok(())
}

fn rate(each: Duration) -> String {
    debug_assert!(!each.is_zero(), "a process takes time, {} s", seconds(each));
    format!("{:.0}", 1.0 / each.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::nine_digits;

    #[test]
    fn bounds_that_round_apart_are_no_answer() {
        let object =
            |lower: &str, upper: &str| format!(r#"{{"lower":"{lower}","upper":"{upper}"}}"#);
        assert_eq!(nine_digits(&object("1/2", "1/2")), Some("0.500000000".to_owned()));
        assert_eq!(nine_digits(&object("1/2", "2/3")), None);
        assert_eq!(nine_digits(&object("1/3", "3333334/10000000")), None);
    }
}
