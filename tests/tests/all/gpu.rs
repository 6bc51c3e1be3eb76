//! Games on a graphics device beside the same games on the processor: value, counts, moves.
//!
//! Every question of `games/*.facts` that the processor answers in a second is put to the device as
//! well, to the sweep and to the search. What a device does not do it must refuse by name. Where there is no adapter all this is
//! left out with a line, unless `ODDSMITH_GPU` is set, as `cargo xtask test` does in the part `gpu`.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use device::{DeviceFault, Gpu, Wish};
use solve::{Options, Search, Sweep};
use verdict::{Engine, Question, Stop, Verdict, Watch};

use crate::games::{games, question};
use crate::lineup::{rulebook, watched};
use crate::places;

/// How long the processor may take for a question that is put to the device too.
const QUICK: Duration = Duration::from_secs(1);

/// The device, opened once; none where there is none.
fn gpu() -> Option<Arc<Gpu>> {
    static GPU: OnceLock<Result<Arc<Gpu>, DeviceFault>> = OnceLock::new();
    match GPU.get_or_init(|| Gpu::open(&Wish::Any, false).map(Arc::new)) {
        Ok(gpu) => Some(Arc::clone(gpu)),
        Err(fault) if std::env::var_os("ODDSMITH_GPU").is_some() => panic!("{fault}"),
        Err(_) => {
            eprintln!("games on a graphics device: left out, there is no adapter");
            None
        }
    }
}

fn on_device(gpu: &Arc<Gpu>, question: &Question) -> Result<Verdict, Stop> {
    let sweep = Sweep::new(Options::default()).on(Arc::clone(gpu) as Arc<dyn solve::Device>);
    watched(|watch| sweep.judge(question, watch))
}

/// Solved as one, as it is on a device: subgames that are solved apart have other counts.
fn on_processor(question: &Question) -> Result<Verdict, Stop> {
    let options = Options { apart: false, ..Options::default() };
    watched(|watch| Sweep::new(options).judge(question, watch))
}

/// What a device keeps differs: it keeps the states that wait for chance.
fn without_stored(mut verdict: Verdict) -> Verdict {
    verdict.counts.stored = 0;
    verdict
}

#[test]
fn games_have_the_same_answers_on_a_device() {
    let Some(gpu) = gpu() else { return };
    let (mut answered, mut refused, mut slow) = (0, Vec::new(), Vec::new());
    for game in games() {
        for fact in &game.facts {
            let asked = question(&game, fact);
            let begun = Instant::now();
            let Ok(wanted) = on_processor(&asked) else { continue };
            if begun.elapsed() > QUICK {
                slow.push(game.name.clone());
                continue;
            }
            match on_device(&gpu, &asked) {
                Ok(got) => {
                    assert_eq!(without_stored(got), without_stored(wanted), "{}", game.name);
                    answered += 1;
                }
                Err(Stop::Faulty(fault)) if fault.code.starts_with("device-") => {
                    refused.push(format!("{} ({})", game.name, fault.code));
                }
                Err(stop) => panic!("{}: {stop:?}", game.name),
            }
        }
    }
    refused.dedup();
    slow.dedup();
    eprintln!(
        "{answered} questions on {}; refused there: {}; too long here: {}",
        gpu.adapter().name,
        refused.join(", "),
        slow.join(", ")
    );
    assert!(answered >= 10, "games run on the device");
}

/// A search so many steps ahead, or to the end. One thread, so that positions are met in the same order
/// wherever their states are taken apart: then the positions that were stored are as many, too.
fn search(depth: Option<u32>) -> Search {
    Search::new(Options { threads: Some(1), depth, ..Options::default() })
}

fn searched_here(question: &Question, depth: Option<u32>) -> Result<Verdict, Stop> {
    watched(|watch| search(depth).judge(question, watch))
}

fn searched(gpu: &Arc<Gpu>, question: &Question, depth: Option<u32>) -> Result<Verdict, Stop> {
    let search = search(depth).on(Arc::clone(gpu) as Arc<dyn solve::Device>);
    watched(|watch| search.judge(question, watch))
}

/// Whether the processor searches to the end in a moment. Limits of time change which looks there are,
/// so that nothing is compared under one.
fn is_quick(question: &Question) -> bool {
    let begun = Instant::now();
    let ended = watched(|watch| {
        let watch = Watch { started: begun, time: Some(QUICK), ..*watch };
        search(None).judge(question, &watch)
    });
    ended.is_ok() && begun.elapsed() < QUICK / 2
}

/// To the end where that is quick, and else to bounds; games that come back are among them.
#[test]
fn searches_end_alike_on_a_device() {
    let Some(gpu) = gpu() else { return };
    let (mut ended, mut bounded) = (0, 0);
    for game in games() {
        for fact in &game.facts {
            let asked = question(&game, fact);
            let depth = if is_quick(&asked) { None } else { Some(3) };
            let wanted = searched_here(&asked, depth);
            assert_eq!(searched(&gpu, &asked, depth), wanted, "{}, {depth:?} steps", game.name);
            ended += usize::from(wanted.is_ok());
            bounded += usize::from(matches!(wanted, Err(Stop::Halted(_))));
        }
    }
    eprintln!("{ended} searches on {}, and {bounded} to bounds", gpu.adapter().name);
    assert!(ended >= 10 && bounded >= 3, "{ended} searches, {bounded} to bounds");
}

/// A flaw that only states deep in a game have is told as the processor tells it.
#[test]
fn flaws_are_told_by_a_device_as_well() {
    let Some(gpu) = gpu() else { return };
    let sheets = [
        // Nobody can move after two steps.
        "(role x) (init (n 0)) (succ 0 1) (succ 1 2) (<= (legal x go) (true (n ?a)) (succ ?a ?b)) \
         (<= (next (n ?b)) (true (n ?a)) (succ ?a ?b)) (<= terminal (true (n 9))) \
         (<= (goal x 100) (true (n 9)))",
        // Two goal values at the end.
        "(role x) (init (n 0)) (succ 0 1) (succ 1 2) (legal x go) \
         (<= (next (n ?b)) (true (n ?a)) (succ ?a ?b)) (<= terminal (true (n 2))) \
         (<= (goal x 100) (true (n 2))) (<= (goal x 50) (true (n 2)))",
    ];
    for sheet in sheets {
        let question = Question::new(rulebook("flawed", sheet)).expect("a role");
        let (here, there) = (on_processor(&question), on_device(&gpu, &question));
        assert!(matches!(here, Err(Stop::Faulty(_))), "{here:?}");
        assert_eq!(here, there);
        assert_eq!(searched(&gpu, &question, None), searched_here(&question, None), "by a search");
    }
}

#[test]
fn horizons_cut_on_a_device_as_they_do_here() {
    let Some(gpu) = gpu() else { return };
    let book = rulebook("tic-tac-toe", &places::text("games/tic-tac-toe.gdl"));
    for horizon in [0, 1, 4, 7] {
        let mut question = Question::new(Arc::clone(&book)).expect("a role");
        question.horizon = Some(horizon);
        let (here, there) = (on_processor(&question), on_device(&gpu, &question));
        let (here, there) = (here.expect("an answer"), there.expect("an answer"));
        assert_eq!(without_stored(here), without_stored(there), "{horizon} steps");
        let (here, there) = (searched_here(&question, None), searched(&gpu, &question, None));
        assert_eq!(here.expect("an answer"), there.expect("an answer"), "{horizon} steps");
    }
}

#[test]
fn a_lost_device_ends_the_solve_with_a_line() {
    if gpu().is_none() {
        return;
    }
    let lost = Arc::new(Gpu::open(&Wish::Any, false).expect("there is one"));
    lost.lose();
    let book = rulebook("tic-tac-toe", &places::text("games/tic-tac-toe.gdl"));
    let question = Question::new(book).expect("a role");
    for ended in [on_device(&lost, &question), searched(&lost, &question, None)] {
        match ended {
            Err(Stop::Environment(line)) => assert!(line.contains("lost"), "{line}"),
            other => panic!("{other:?}"),
        }
    }
}
