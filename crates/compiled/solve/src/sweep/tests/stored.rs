//! Checkpoints within one process: solves that are interrupted after every ply, folders that were
//! damaged or belong to something else, and trails that leave memory.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use verdict::{Engine, Objective, Question, Stop, Verdict, Watch};

use super::super::Sweep;
use crate::testing::{Limits, WALK, game, question, under};
use crate::{Options, Storage, Tier};

/// A folder of its own for one test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("oddsmith-stored-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
        files.sort();
        files
    }

    /// Names and bytes of all files.
    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let read = |path: &PathBuf| (name(path), fs::read(path).expect("read"));
        self.files().iter().map(read).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn storage(folder: &Path) -> Storage {
    let pace = Duration::ZERO;
    Storage { checkpoint: Some(folder.to_owned()), resume: true, pace, ..Storage::default() }
}

fn sweep(options: Options, folder: &Path) -> Sweep {
    Sweep::new(options).with_storage(storage(folder))
}

/// A solve that is interrupted when it has told of its progress so many times.
pub(super) fn interrupted_after(
    sweep: &Sweep,
    question: &Question,
    times: u32,
) -> Result<Verdict, Stop> {
    let (interrupt, told) = (AtomicBool::new(false), AtomicU32::new(0));
    let progress = |_: &verdict::Progress| {
        if told.fetch_add(1, Ordering::Relaxed) + 1 >= times {
            interrupt.store(true, Ordering::Relaxed);
        }
    };
    sweep.judge(
        question,
        &Watch {
            started: Instant::now(),
            time: None,
            memory: None,
            interrupt: &interrupt,
            progress: &progress,
        },
    )
}

fn solved(sweep: &Sweep, question: &Question) -> Result<Verdict, Stop> {
    under(Limits::default(), |watch| sweep.judge(question, watch))
}

/// The code of a refusal.
fn refusal(ended: Result<Verdict, Stop>) -> &'static str {
    match ended {
        Err(Stop::Faulty(fault)) => fault.code,
        other => panic!("a refusal was expected: {other:?}"),
    }
}

/// Interrupts a solve again and again; each start must get one ply further.
fn resumes(question: &Question, options: Options, what: &str) {
    let tables = Sweep::new(Options { tier: Tier::Table, ..options });
    let whole = solved(&tables, question).expect("an answer");
    let folder = Folder::new();
    let sweep = sweep(options, &folder.0);
    for starts in 1.. {
        match interrupted_after(&sweep, question, 2) {
            Ok(verdict) => {
                assert!(starts > 3, "{what}: the solve was interrupted on its way");
                assert_eq!(
                    (verdict.value, verdict.moves),
                    (whole.value.clone(), whole.moves.clone())
                );
                break;
            }
            Err(Stop::Halted(halt)) => {
                assert!(halt.lower <= whole.value && whole.value <= halt.upper, "{what}");
            }
            Err(stop) => panic!("{what}: {stop:?}"),
        }
        assert!(starts < 200, "{what}: each start gets further");
    }
    assert_eq!(solved(&sweep, question).expect("an answer at once"), whole, "{what}");
}

#[test]
fn a_solve_that_is_interrupted_after_every_ply_gives_the_same_answer() {
    let sheets = ["stochastic-tic-tac-toe-3x3", "stochastic-connect-3-4x4", "stochastic-nim-20"];
    for name in sheets {
        resumes(&game(name), Options::default(), name);
    }
    resumes(&game(sheets[0]), Options { fold: false, ..Options::default() }, "without folding");
    let within = Question { horizon: Some(9), ..question(WALK) };
    resumes(&within, Options::default(), "plies that share states");
    let goal = Question { objective: Objective::Goal, ..game(sheets[0]) };
    resumes(&goal, Options::default(), "goal values");
}

#[test]
fn bounds_resume_too() {
    let (question, folder) = (game("stochastic-nim-20"), Folder::new());
    let options = Options { approximate: true, ..Options::default() };
    // What goes to files goes by tables, which keep states that other tiers need not.
    let whole = solved(&Sweep::new(Options { tier: Tier::Table, ..options }), &question);
    let sweep = sweep(options, &folder.0);
    let mut last = interrupted_after(&sweep, &question, 3);
    assert_ne!(last, whole);
    for _ in 0..100 {
        last = interrupted_after(&sweep, &question, 3);
    }
    assert_eq!(last, whole);
}

#[test]
fn only_the_same_question_continues() {
    let (question, folder) = (game("stochastic-tic-tac-toe-3x3"), Folder::new());
    let options = Options::default();
    assert!(interrupted_after(&sweep(options, &folder.0), &question, 4).is_err());
    let asked =
        |question: &Question, options| refusal(solved(&sweep(options, &folder.0), question));
    let another = "checkpoint-of-another-question";
    assert_eq!(asked(&game("tic-tac-toe"), options), another);
    assert_eq!(asked(&Question { horizon: Some(3), ..question.clone() }, options), another);
    let role = question.opponents().next().expect("an opponent");
    assert_eq!(asked(&Question { role, ..question.clone() }, options), another);
    let goal = Question { objective: Objective::Goal, ..question.clone() };
    assert_eq!(asked(&goal, options), another);
    assert_eq!(asked(&question, Options { approximate: true, ..options }), another);
    assert_eq!(asked(&question, Options { fold: false, ..options }), another);
    assert_eq!(asked(&question, Options { symmetry: false, ..options }), "checkpoint-of-orbits");
    let afresh = Storage { resume: false, ..storage(&folder.0) };
    let begun = Sweep::new(options).with_storage(afresh);
    assert_eq!(refusal(solved(&begun, &question)), "checkpoint-exists");
    assert!(solved(&sweep(options, &folder.0), &question).is_ok());
}

#[test]
fn a_refusal_says_what_is_another() {
    let (question, folder) = (game("stochastic-tic-tac-toe-3x3"), Folder::new());
    let options = Options::default();
    assert!(interrupted_after(&sweep(options, &folder.0), &question, 4).is_err());
    let said = |question: &Question, options| match solved(&sweep(options, &folder.0), question) {
        Err(Stop::Faulty(fault)) => fault.message,
        other => panic!("a refusal was expected: {other:?}"),
    };
    let role = question.opponents().next().expect("an opponent");
    let goal = Question { objective: Objective::Goal, ..question.clone() };
    let bounds = Options { approximate: true, ..options };
    let cases = [
        (game("tic-tac-toe"), options, "is of other rules"),
        (Question { horizon: Some(3), ..question.clone() }, options, "horizon is `none`, not `3`"),
        (Question { role, ..question.clone() }, options, "role is `"),
        (goal, options, "objective is `win`, not `goal`"),
        (question.clone(), bounds, "values is `exact`, not `bounds`"),
        (question.clone(), Options { fold: false, ..options }, "tosses is `folded`, not `kept`"),
    ];
    for (question, options, wanted) in cases {
        let said = said(&question, options);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn a_checkpoint_goes_on_with_the_states_it_was_begun_with() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let options = Options { tier: Tier::Table, ..Options::default() };
    let bare = Options { symmetry: false, ..options };
    let [few, all] = [options, bare].map(|told| solved(&Sweep::new(told), &question));
    assert!(few.is_ok() && few != all);
    let folder = Folder::new();
    let file = std::env::temp_dir().join(format!("orbits-{}.table", std::process::id()));
    let table = || {
        let storage = Storage { table: Some(file.clone()), ..storage(&folder.0) };
        Sweep::new(options).with_storage(storage)
    };
    // Begun with all states, for a table or without symmetry: whatever asks next has all of them.
    assert!(interrupted_after(&table(), &question, 5).is_err());
    assert_eq!(solved(&sweep(options, &folder.0), &question), all);
    assert_eq!(solved(&sweep(bare, &folder.0), &question), all);
    assert_eq!(solved(&table(), &question), all);
    fs::remove_file(&file).expect("a table was written");
    folder.files().into_iter().for_each(|path| fs::remove_file(path).expect("removed"));
    // Begun with orbits: a table has nothing to claim.
    assert!(interrupted_after(&sweep(options, &folder.0), &question, 5).is_err());
    assert_eq!(refusal(solved(&table(), &question)), "checkpoint-of-orbits");
    assert_eq!(refusal(solved(&sweep(bare, &folder.0), &question)), "checkpoint-of-orbits");
    assert_eq!(solved(&sweep(options, &folder.0), &question), few);
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let (question, folder) = (game("stochastic-tic-tac-toe-3x3"), Folder::new());
    fs::create_dir_all(&folder.0).expect("made");
    fs::write(folder.0.join("thesis.tex"), b"dear").expect("written");
    let begin = || solved(&sweep(Options::default(), &folder.0), &question);
    assert_eq!(refusal(begin()), "checkpoint-foreign");
    assert_eq!(folder.files().len(), 1, "nothing was added");
    let file = folder.0.join("thesis.tex");
    assert_eq!(refusal(solved(&sweep(Options::default(), &file), &question)), "checkpoint-foreign");
    fs::remove_file(file).expect("removed");
    assert!(begin().is_ok());
    fs::remove_file(folder.0.join("manifest")).expect("removed");
    assert_eq!(refusal(begin()), "checkpoint-foreign");
    // A manifest that is there and cannot be read is no checkpoint that was never begun.
    fs::create_dir(folder.0.join("manifest")).expect("made");
    match begin() {
        Err(Stop::Environment(said)) => assert!(said.contains("cannot read"), "{said}"),
        other => panic!("a fault of the folder was expected: {other:?}"),
    }
}

/// A name that no system takes is no folder of something else.
#[test]
fn a_folder_that_cannot_be_listed_is_a_fault_of_the_system() {
    let question = game("stochastic-tic-tac-toe-3x3");
    let folder = std::env::temp_dir().join("long".repeat(200));
    match solved(&sweep(Options::default(), &folder), &question) {
        Err(Stop::Environment(said)) => assert!(said.contains("read the folder"), "{said}"),
        other => panic!("a fault of the system was expected: {other:?}"),
    }
}

#[test]
fn a_checkpoint_in_use_is_not_shared() {
    let (question, folder) = (game("stochastic-tic-tac-toe-3x3"), Folder::new());
    let held = store::HeldFolder::take(&folder.0).expect("free");
    let sweep = sweep(Options::default(), &folder.0);
    assert_eq!(refusal(solved(&sweep, &question)), "checkpoint-held");
    drop(held);
    assert!(solved(&sweep, &question).is_ok());
}

#[test]
fn damage_is_refused_and_what_is_undamaged_stays() {
    let (question, folder) = (game("stochastic-tic-tac-toe-3x3"), Folder::new());
    let sweep = sweep(Options::default(), &folder.0);
    assert!(interrupted_after(&sweep, &question, 6).is_err());
    let files: Vec<(PathBuf, Vec<u8>)> = folder
        .files()
        .into_iter()
        .filter(|path| !path.ends_with("lock"))
        .map(|path| (path.clone(), fs::read(&path).expect("read")))
        .collect();
    assert!(files.len() >= 5, "a manifest and plies: {files:?}");
    let restore = || {
        for path in folder.files() {
            fs::remove_file(path).expect("removed");
        }
        files.iter().for_each(|(path, bytes)| fs::write(path, bytes).expect("written"));
    };
    let refused = |what: &str| {
        let code = refusal(solved(&sweep, &question));
        // In a manifest a changed line can also tell of another question.
        let known = ["checkpoint-damaged", "checkpoint-foreign", "checkpoint-of-another-question"];
        assert!(known.contains(&code), "{what}: {code}");
        restore();
    };
    for (path, bytes) in &files {
        for part in 0..4 {
            fs::write(path, &bytes[..bytes.len() * part / 4]).expect("written");
            refused("a file that was cut");
            let mut flipped = bytes.clone();
            flipped[(bytes.len() - 1) * part / 3] ^= 0x40;
            fs::write(path, flipped).expect("written");
            refused("a file with another bit");
        }
    }
    // The last file of plies can be absent: it is what a killed process had not finished.
    for (path, _) in &files[..files.len() - 1] {
        fs::remove_file(path).expect("removed");
        refused("a file that is missing");
    }
    fs::write(&files[2].0, &files[3].1).expect("written");
    fs::write(&files[3].0, &files[2].1).expect("written");
    refused("two files swapped");
    let tables = Sweep::new(Options { tier: Tier::Table, ..Options::default() });
    let whole = solved(&tables, &question);
    assert_eq!(solved(&sweep, &question), whole, "nothing was lost by the refusals");
}

/// Values of a ply are of no use beside other plies than those they were computed from.
#[test]
fn any_file_of_a_backward_pass_can_be_lost() {
    let nim = game("stochastic-nim-20");
    let within = Question { horizon: Some(9), ..question(WALK) };
    for (question, what) in [(&nim, "nim"), (&within, "a walk")] {
        let folder = Folder::new();
        let sweep = sweep(Options::default(), &folder.0);
        let tables = Sweep::new(Options { tier: Tier::Table, ..Options::default() });
        let whole = solved(&tables, question).expect("an answer");
        let is_valued = || folder.files().iter().any(|path| name(path).starts_with("values-"));
        let halfway = |_| interrupted_after(&sweep, question, 2).is_err() && is_valued();
        assert!((0..200).any(halfway), "{what}: the backward pass was begun");
        let kept: Vec<(PathBuf, Vec<u8>)> = folder
            .files()
            .into_iter()
            .map(|path| (path.clone(), fs::read(&path).expect("read")))
            .collect();
        let mut refused = Vec::new();
        for (lost, _) in &kept {
            folder.files().iter().for_each(|path| fs::remove_file(path).expect("removed"));
            let others = kept.iter().filter(|(path, _)| path != lost);
            others.for_each(|(path, bytes)| fs::write(path, bytes).expect("written"));
            match solved(&sweep, question) {
                Ok(verdict) => assert_eq!(verdict, whole, "{what} without {}", name(lost)),
                ended => {
                    let code = refusal(ended);
                    assert!(["checkpoint-damaged", "checkpoint-foreign"].contains(&code), "{code}");
                    refused.push(name(lost));
                }
            }
        }
        let plies = kept.iter().filter(|(path, _)| name(path).starts_with("plies-")).count();
        assert!(plies > 5, "{what}: {plies} files of plies");
        assert_eq!(refused.len(), plies + 1, "{what}: all plies and the manifest: {refused:?}");
    }
}

/// The places of states depend on the memory that there was, so that two runs of one question leave
/// different files of the same names.
#[test]
fn files_of_another_run_are_refused_or_the_same() {
    let within = Question { horizon: Some(9), ..question(WALK) };
    for (question, what) in [(&game("stochastic-tic-tac-toe-3x3"), "cells"), (&within, "a walk")] {
        let (one, other) = (Folder::new(), Folder::new());
        let sweep = sweep(Options::default(), &one.0);
        let whole = solved(&sweep, question).expect("an answer");
        let spilling = Storage { spill: Some(other.0.clone()), ..storage(&other.0) };
        let parted = Sweep::new(Options::default()).with_storage(spilling).thrifty();
        assert_eq!(solved(&parted, question).expect("an answer"), whole, "{what}");
        let kept = one.contents();
        assert!(["values-000001", "manifest"].iter().all(|name| one.0.join(name).exists()));
        for with_values in [true, false] {
            let mut refused = Vec::new();
            for (changed, bytes) in other.contents() {
                let foreign = kept.iter().find(|(name, _)| *name == changed);
                let differs = foreign.is_some_and(|(_, own)| *own != bytes);
                for path in one.files() {
                    fs::remove_file(path).expect("removed");
                }
                let plies = |name: &str| name.starts_with("plies-") || name == "manifest";
                for (name, bytes) in kept.iter().filter(|(name, _)| with_values || plies(name)) {
                    fs::write(one.0.join(name), bytes).expect("written");
                }
                fs::write(one.0.join(&changed), bytes).expect("written");
                match solved(&sweep, question) {
                    Ok(verdict) => assert_eq!(verdict, whole, "{what} with another {changed}"),
                    ended => {
                        assert!(differs, "{what}: {changed} is the same in both");
                        assert_eq!(refusal(ended), "checkpoint-damaged", "{what}: {changed}");
                        refused.push(changed);
                    }
                }
            }
            let beside_other_plies = match (with_values, what) {
                (false, _) => &[][..],
                (true, "cells") => &["values-000001"],
                (true, _) => &["counted", "values-000001"],
            };
            let told = |name: &&str| refused.iter().any(|refused| refused == name);
            assert!(beside_other_plies.iter().all(told), "{what}: {refused:?}");
            assert!(refused.len() > 3, "{what}: {refused:?} were told from the other run's");
        }
    }
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

#[test]
fn a_game_without_plies_is_refused_with_a_way_out() {
    let folder = Folder::new();
    let sweep = sweep(Options::default(), &folder.0);
    assert_eq!(refusal(solved(&sweep, &question(WALK))), "no-checkpoint");
    let within = Question { horizon: Some(5), ..question(WALK) };
    assert!(solved(&sweep, &within).is_ok());
}

#[test]
fn a_table_is_the_same_however_memory_was_used() {
    let written = |thrift: bool| {
        let folder = Folder::new();
        fs::create_dir_all(&folder.0).expect("a folder");
        let (spill, table) = (Some(folder.0.join("spill")), Some(folder.0.join("table")));
        let storage = Storage { spill, table, ..Storage::default() };
        let sweep = Sweep::new(Options::default()).with_storage(storage);
        let sweep = if thrift { sweep.thrifty() } else { sweep };
        solved(&sweep, &game("stochastic-tic-tac-toe-3x3")).expect("an answer");
        fs::read(folder.0.join("table")).expect("written")
    };
    assert!(written(false) == written(true), "the same bytes");
}

/// Each entry of a table against a solve from its state: the value, and which moves are best.
#[test]
fn a_table_has_the_values_and_best_moves_of_solves_from_its_states() {
    for (name, objective) in [("reroll", Objective::Goal), ("coin-row", Objective::Goal)] {
        let path = format!("{}/../../../games/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
        let sheet = fs::read_to_string(path).expect("a game of the project");
        let rules: Vec<&str> = sheet.lines().filter(|line| !line.starts_with("(init")).collect();
        let folder = Folder::new();
        fs::create_dir_all(&folder.0).expect("a folder");
        let file = folder.0.join("table");
        let storage = Storage { table: Some(file.clone()), ..Storage::default() };
        let asked = |text: &str| Question { objective, ..question(text) };
        let writer = Sweep::new(Options::default()).with_storage(storage);
        solved(&writer, &asked(&sheet)).expect("an answer");
        let table = table::Table::open(&file).expect("whole");
        let (mut reader, mut choices) = (table::Lookup::new(&table, 1 << 20), 0);
        for layer in 0..table.layers().len() {
            let block = table.block(layer, 0).expect("whole");
            for at in (0..block.len()).step_by(1 + block.len() / 8) {
                let found = reader.find(layer, block.key(at)).expect("whole").expect("there");
                if found.choice().choosers == 0 {
                    // Nobody may have a move there, and no sheet begins so.
                    continue;
                }
                let state = table.layout().state(block.key(at)).expect("a state");
                let held = state.iter().map(|id| &table.layout().names()[*id]);
                let held = held.chain(table.layout().always()).map(|it| format!("(init {it})"));
                let from = asked(&format!("{}\n{}", rules.join("\n"), held.collect::<String>()));
                let verdict = solved(&Sweep::new(Options::default()), &from).expect("an answer");
                assert_eq!(reader.value(&found), verdict.value, "{name}: {state:?}");
                let best = found.choice().each().map(|one| {
                    let [one] = one else { panic!("one role chooses at a time") };
                    table.move_of(*one).expect("a move").text.clone()
                });
                let mut best: Vec<String> = best.collect();
                let wanted = verdict.moves.iter().filter(|line| line.value == verdict.value);
                let mut wanted: Vec<String> = wanted.map(|line| line.text.clone()).collect();
                best.sort();
                wanted.sort();
                choices += usize::from(verdict.moves.len() > best.len());
                if !(verdict.moves.len() < 2 && best.len() < 2) {
                    assert_eq!(best, wanted, "{name}: {state:?}");
                }
            }
        }
        assert!(choices > 0, "{name}: some moves are better than others");
    }
}

/// What does not fit in memory is found part by part, and looked up range by range; here nothing
/// fits.
#[test]
fn plies_on_disk_give_the_same_answer() {
    let spill = Some(std::env::temp_dir());
    let thrifty = Storage { spill, ..Storage::default() };
    let same = |question: &Question, options: Options, what: &str| {
        let whole = solved(&Sweep::new(options), question);
        let sweep = Sweep::new(options).with_storage(thrifty.clone()).thrifty();
        assert_eq!(solved(&sweep, question), whole, "{what}");
    };
    let sheets = ["stochastic-tic-tac-toe-3x3", "stochastic-connect-3-4x4"];
    for name in sheets {
        same(&game(name), Options::default(), name);
    }
    same(&game(sheets[1]), Options { fold: false, ..Options::default() }, "without folding");
    same(&game(sheets[0]), Options { approximate: true, ..Options::default() }, "bounds");
    // Plies of so many edges that they are read in several frames.
    let every = Options { symmetry: false, fold: false, tier: Tier::Table, ..Options::default() };
    same(&game("stochastic-connect-3-4x4"), every, "without folding and symmetry");
    let within = Question { horizon: Some(9), ..question(WALK) };
    same(&within, Options::default(), "plies that share states");
}

#[test]
fn plies_on_disk_resume_too() {
    let (question, folder) = (game("stochastic-tic-tac-toe-3x3"), Folder::new());
    let tables = Sweep::new(Options { tier: Tier::Table, ..Options::default() });
    let whole = solved(&tables, &question).expect("an answer");
    let spill = Some(folder.0.clone());
    let thrifty = Storage { spill, ..storage(&folder.0) };
    let sweep = Sweep::new(Options::default()).with_storage(thrifty).thrifty();
    let mut starts = 0;
    let verdict = loop {
        starts += 1;
        assert!(starts < 200, "each start gets further");
        match interrupted_after(&sweep, &question, 2) {
            Err(Stop::Halted(_)) => {}
            ended => break ended.expect("an answer"),
        }
    };
    assert_eq!(verdict, whole);
}
