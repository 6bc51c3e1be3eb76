//! Tables: what the sweep writes is proven by the rules, and nothing else is.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crosscheck::certify::{self, Proof, Refusal};
use crosscheck::generate;
use exact::UBig;
use gdl::keyword;
use solve::{Options, Storage, Sweep};
use table::{Choice, Claim, Layout, MoveName, Table, Writer};
use verdict::{Engine, HaltReason, Objective, Question, Stop, Verdict, Watch};

use crate::lineup::{question_of, rulebook, watched};
use crate::places;

/// A folder of its own for one test, gone when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("oddsmith-tables-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("table")
    }

    fn names(&self) -> usize {
        std::fs::read_dir(&self.0).expect("the folder is there").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Two heaps and a coin: five states or so in four layers, with chance and an opponent.
const SMALL: &str = "
(role x) (role o) (role random)
(init (at 0))
(<= (legal x ?m) (true (at 0)) (side ?m)) (side left) (side right)
(<= (legal x wait) (not (true (at 0))))
(<= (legal o ?m) (true (at left)) (side ?m))
(<= (legal o wait) (not (true (at left))))
(<= (legal random ?c) (true (at right)) (coin ?c)) (coin heads) (coin tails)
(<= (legal random still) (not (true (at right))))
(<= (next (at ?m)) (true (at 0)) (does x ?m))
(<= (next (end a)) (true (at left)) (does o left))
(<= (next (end b)) (true (at left)) (does o right))
(<= (next (end a)) (true (at right)) (does random heads))
(<= (next (end b)) (true (at right)) (does random tails))
(<= terminal (true (end ?w)))
(<= (goal x 100) (true (end a))) (<= (goal x 0) (true (end b)))
(<= (goal o 0) (true (end a))) (<= (goal o 100) (true (end b)))
";

fn storage(folder: &Folder) -> Storage {
    Storage { table: Some(folder.file()), ..Storage::default() }
}

fn write(question: &Question, options: Options, storage: Storage) -> Result<Verdict, Stop> {
    let sweep = Sweep::new(options).with_storage(storage);
    watched(|watch| sweep.judge(question, watch))
}

fn certify(path: &std::path::Path, question: &Question) -> Result<Proof, Refusal> {
    let table = Table::open(path)?;
    let claimed = certify::claimed(&table, &question.rulebook)?;
    watched(|watch| certify::certify(&table, &claimed, 2, watch))
}

fn code(ended: Result<Proof, Refusal>) -> &'static str {
    match ended {
        Err(Refusal::Objection(objection)) => objection.code,
        other => panic!("an objection was expected: {other:?}"),
    }
}

/// Writes and proves a table; false where the sweep has no plies for it.
fn is_proven(question: &Question, options: Options, what: &str) -> bool {
    let folder = Folder::new();
    let verdict = match write(question, options, storage(&folder)) {
        Ok(verdict) => verdict,
        Err(Stop::Faulty(fault)) if fault.code == "no-table" => {
            assert_eq!(folder.names(), 0, "{what}: nothing is left of a table that is refused");
            return false;
        }
        Err(other) => panic!("{what}: {other:?}"),
    };
    let proof = certify(&folder.file(), question).unwrap_or_else(|why| panic!("{what}: {why:?}"));
    assert_eq!(proof.value, verdict.value, "{what}");
    assert_eq!(proof.entries, verdict.counts.stored, "{what}");
    assert_eq!(proof.simultaneous, verdict.simultaneous, "{what}");
    if let (Some(states), None) = (verdict.counts.states, question.horizon) {
        assert!(proof.entries <= states, "{what}: no state stands twice");
    }
    true
}

#[test]
fn tables_of_games_are_proven() {
    let games: &[&str] = match places::is_slow_run() {
        true => &[
            "coin-guess",
            "penalties",
            "reroll",
            "one-spin",
            "nim-heaps",
            "stochastic-nim-20",
            "tic-tac-toe",
            "stochastic-tic-tac-toe-3x3",
            "connect-3-4x4",
        ],
        false => {
            &["coin-guess", "penalties", "reroll", "one-spin", "nim-heaps", "stochastic-nim-20"]
        }
    };
    for name in games {
        let book = rulebook(name, &places::text(&format!("games/{name}.gdl")));
        for objective in [Objective::Win, Objective::Goal] {
            let question = Question { objective, ..Question::new(Arc::clone(&book)).expect("x") };
            is_proven(&question, Options::default(), name);
            let bounded = Question { horizon: Some(5), ..question };
            assert!(is_proven(&bounded, Options::default(), name), "{name} within 5 steps");
        }
    }
}

#[test]
fn tables_of_random_games_are_proven() {
    let seeds = if places::is_slow_run() { 400 } else { 40 };
    let (mut proven, mut asked) = (0, 0);
    for seed in 0..seeds {
        let book = rulebook(&format!("seed {seed}"), &generate::game(seed));
        let players = book.roles.enumerate().filter(|(_, name)| **name != keyword::RANDOM);
        for (role, _) in players {
            let mut question = Question::new(Arc::clone(&book)).expect("a player");
            question.role = role;
            question.objective = [Objective::Win, Objective::Goal][seed as usize % 2];
            question.horizon = (seed % 3 == 0).then_some(seed as u32 % 5);
            let options = Options { fold: seed % 4 != 0, ..Options::default() };
            asked += 1;
            proven += usize::from(is_proven(&question, options, &format!("seed {seed}")));
        }
    }
    assert!(2 * proven > asked, "{proven} of {asked} tables were written and proven");
}

#[test]
fn a_table_is_the_same_from_a_checkpoint() {
    let book = rulebook("nim", &places::text("games/stochastic-nim-20.gdl"));
    let question = Question::new(book).expect("a player");
    let plain = Folder::new();
    write(&question, Options::default(), storage(&plain)).expect("an answer");
    let bytes = std::fs::read(plain.file()).expect("written");
    let resumed = Folder::new();
    let checkpoint = Some(resumed.0.join("kept"));
    let kept = Storage { checkpoint, resume: true, pace: Duration::ZERO, ..storage(&resumed) };
    let first = Storage { table: None, ..kept.clone() };
    write(&question, Options::default(), first).expect("an answer");
    write(&question, Options::default(), kept).expect("an answer");
    assert_eq!(std::fs::read(resumed.file()).expect("written"), bytes);
}

#[test]
fn a_solve_that_ends_without_an_answer_leaves_no_table() {
    let book = rulebook("nim", &places::text("games/stochastic-nim-20.gdl"));
    let question = Question::new(book).expect("a player");
    let folder = Folder::new();
    let rough = Options { approximate: true, ..Options::default() };
    assert!(matches!(write(&question, rough, storage(&folder)), Err(Stop::Halted(_))));
    assert_eq!(folder.names(), 0);
    let nowhere = Storage { table: Some(folder.0.join("none/table")), ..Storage::default() };
    assert!(matches!(write(&question, Options::default(), nowhere), Err(Stop::Environment(_))));
    let sweep = Sweep::new(Options::default()).with_storage(storage(&folder));
    let stopped = watched(|watch| {
        let interrupt = std::sync::atomic::AtomicBool::new(true);
        sweep.judge(&question, &Watch { interrupt: &interrupt, ..*watch })
    });
    assert!(matches!(stopped, Err(Stop::Halted(_))));
    assert_eq!(folder.names(), 0);
}

#[test]
fn an_answer_stands_where_only_its_table_cannot_be_put_in_its_place() {
    let book = rulebook("nim", &places::text("games/stochastic-nim-20.gdl"));
    let question = Question::new(book).expect("a player");
    let folder = Folder::new();
    let plain = write(&question, Options::default(), Storage::default()).expect("an answer");
    // A folder of that name takes no file.
    std::fs::create_dir(folder.file()).expect("made");
    let kept = storage(&folder);
    let unwritten = Arc::clone(&kept.unwritten);
    let verdict = write(&question, Options::default(), kept).expect("the answer stands");
    assert_eq!(verdict.value, plain.value);
    let told = unwritten.lock().expect("nobody panicked").take();
    assert!(told.is_some_and(|text| text.contains("cannot write")));
    assert_eq!(folder.names(), 1, "nothing beside the folder");
}

/// A table taken apart.
#[derive(Clone)]
struct Parts {
    claim: Claim,
    layout: Layout,
    names: Vec<(u32, MoveName)>,
    /// Step, denominator, entries.
    layers: Vec<(u32, UBig, Vec<Entry>)>,
}

type Entry = (Vec<u64>, Vec<u64>, Choice);

impl Parts {
    fn of(path: &std::path::Path) -> Self {
        let table = Table::open(path).expect("a table");
        let mut layers = Vec::new();
        for (at, layer) in table.layers().iter().enumerate() {
            let mut entries = Vec::new();
            for number in 0..layer.blocks() {
                let block = table.block(at, number).expect("sound");
                entries.extend((0..block.len()).map(|entry| {
                    let numerator = block.numerator(entry).to_vec();
                    (block.key(entry).to_vec(), numerator, block.choice(entry).clone())
                }));
            }
            layers.push((layer.step, layer.denominator.clone(), entries));
        }
        let names = table.moves().iter().map(|held| (held.id, held.name.clone())).collect();
        Self { claim: table.claim().clone(), layout: table.layout().clone(), names, layers }
    }

    fn write(&self, path: &std::path::Path) {
        let folder = path.parent().expect("a folder");
        let mut writer = Writer::create(path, self.layout.clone(), folder, 1 << 20).expect("begun");
        for (step, denominator, entries) in self.layers.iter().rev() {
            writer.begin(*step, denominator.clone());
            for (key, numerator, choice) in entries {
                writer.push(key, numerator, choice).expect("taken");
            }
            writer.end().expect("written");
        }
        let name = |id| {
            let held = self.names.iter().find(|(held, _)| *held == id);
            held.map(|(_, name)| name.clone()).expect("a move of the table")
        };
        writer.finish(&self.claim, name).expect("finished");
    }
}

#[test]
fn every_changed_entry_is_found() {
    let book = rulebook("small", SMALL);
    let question = Question::new(book).expect("a player");
    let folder = Folder::new();
    let kept = Options { fold: false, ..Options::default() };
    write(&question, kept, storage(&folder)).expect("an answer");
    let path = folder.file();
    let parts = Parts::of(&path);
    parts.write(&path);
    certify(&path, &question).expect("taken apart and put together again");
    let refused = |parts: &Parts| {
        parts.write(&path);
        code(certify(&path, &question))
    };
    for (at, (_, denominator, entries)) in parts.layers.iter().enumerate() {
        let top = u64::try_from(denominator).expect("a small game");
        for entry in 0..entries.len() {
            for value in (0..=top).filter(|value| *value != entries[entry].1[0]) {
                let mut changed = parts.clone();
                changed.layers[at].2[entry].1 = vec![value];
                // Its own value is seen to be wrong, or what its parent makes of it.
                let code = refused(&changed);
                let wrong = ["wrong-value", "wrong-moves"].contains(&code);
                assert!(wrong, "layer {at}, entry {entry}: {code}");
            }
            let mut fewer = parts.clone();
            let (key, ..) = fewer.layers[at].2.remove(entry);
            if at > 0 && entries.len() > 1 {
                assert_eq!(refused(&fewer), "missing-state", "layer {at}, entry {entry}");
            }
            let mut other = parts.clone();
            let all: Vec<u32> = parts.names.iter().map(|(id, _)| *id).collect();
            for moves in [vec![], vec![all[0]], all.clone()] {
                let choice = Choice { choosers: moves.len().min(1) as u32, moves };
                if other.layers[at].2[entry].2 != choice {
                    other.layers[at].2[entry].2 = choice;
                    let code = refused(&other);
                    assert_eq!(code, "wrong-moves", "layer {at}, entry {entry}");
                }
                other = parts.clone();
            }
            // A state that is not reached so late, with the value of another.
            let last = parts.layers.len() - 1;
            if at < last && at > 0 {
                let mut more = parts.clone();
                let entry = (key, vec![0], Choice::default());
                more.layers[last].2.push(entry);
                assert!(
                    ["wrong-value", "missing-state", "lone-entry", "wrong-moves"]
                        .contains(&refused(&more))
                );
            }
        }
    }
}

#[test]
fn every_changed_claim_is_found() {
    let book = rulebook("small", SMALL);
    let question = question_of(&book, "x");
    let folder = Folder::new();
    write(&question, Options::default(), storage(&folder)).expect("an answer");
    let path = folder.file();
    let parts = Parts::of(&path);
    let refused = |change: &dyn Fn(&mut Parts)| {
        let mut changed = parts.clone();
        change(&mut changed);
        changed.write(&path);
        code(certify(&path, &question))
    };
    assert_eq!(refused(&|parts| parts.claim.rules ^= 1), "other-rules");
    assert_eq!(refused(&|parts| parts.claim.role = "o".to_owned()), "wrong-value");
    assert_eq!(refused(&|parts| parts.claim.role = "random".to_owned()), "unfit-claim");
    assert_eq!(refused(&|parts| parts.claim.role = "z".to_owned()), "unfit-claim");
    // What is unfinished then is worth 0, and nobody chooses any more.
    assert_eq!(refused(&|parts| parts.claim.horizon = Some(1)), "wrong-moves");
    assert_eq!(refused(&|parts| parts.claim.chance.clear()), "unfit-claim");
    assert_eq!(refused(&|parts| parts.claim.chance.insert(0, "o".to_owned())), "wrong-value");
    let other = rulebook("other", &SMALL.replace("heads) (coin tails", "heads) (coin tail"));
    parts.write(&path);
    assert_eq!(code(certify(&path, &question_of(&other, "x"))), "other-rules");
    certify(&path, &question).expect("unchanged");
    // A horizon that is never met changes no value: such a claim is as true.
    let mut longer = parts.clone();
    longer.claim.horizon = Some(9);
    longer.write(&path);
    certify(&path, &question).expect("true as well");
}

/// The places of a file of frames: each head with the bytes behind it.
fn frames(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut at, mut found) = (16, Vec::new());
    while at < bytes.len() {
        let length = u32::from_le_bytes(bytes[at + 16..at + 20].try_into().expect("four")) as usize;
        found.push(at..at + 32 + length);
        at += 32 + length;
    }
    found
}

/// Puts right the checksums of the frame that lies there.
fn mend(bytes: &mut [u8]) {
    let packed = store::checksum(&bytes[32..]);
    bytes[8..16].copy_from_slice(&packed.to_le_bytes());
    let head = store::checksum(&bytes[8..32]);
    bytes[..8].copy_from_slice(&head.to_le_bytes());
}

#[test]
fn every_flipped_bit_is_found_with_and_without_its_checksum() {
    let book = rulebook("small", SMALL);
    let question = Question::new(book).expect("a player");
    let folder = Folder::new();
    write(&question, Options::default(), storage(&folder)).expect("an answer");
    let path = folder.file();
    let bytes = std::fs::read(&path).expect("written");
    let places = frames(&bytes);
    assert!(places.len() > 12, "frames of four layers");
    let is_refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("written");
        matches!(certify(&path, &question), Err(Refusal::Objection(_)))
    };
    assert!(!is_refused(&bytes));
    let stride = if places::is_slow_run() { 1 } else { 5 };
    for bit in (0..bytes.len() * 8).step_by(stride) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(is_refused(&flipped), "bit {bit}");
        let frame = places.iter().find(|frame| frame.contains(&(bit / 8)));
        if let Some(frame) = frame.filter(|frame| bit / 8 >= frame.start + 16) {
            mend(&mut flipped[frame.clone()]);
            assert!(is_refused(&flipped), "bit {bit} under a checksum of its own");
        }
    }
}

#[test]
fn a_policy_of_each_side_proves_a_bound_and_a_worse_one_a_worse_bound() {
    use table::Side;
    let mut sheets = vec![("small".to_owned(), SMALL.to_owned())];
    let seeds = if places::is_slow_run() { 200 } else { 25 };
    sheets.extend((0..seeds).map(|seed| (format!("seed {seed}"), generate::game(seed))));
    let mut proven = 0;
    for (name, sheet) in sheets {
        let question = Question::new(rulebook(&name, &sheet)).expect("a player");
        let folder = Folder::new();
        let Ok(verdict) = write(&question, Options::default(), storage(&folder)) else { continue };
        let table = Table::open(&folder.file()).expect("a table");
        for side in [Side::Asked, Side::Opponents] {
            let path = folder.0.join("policy");
            let pair = (&table, &question);
            match watched(|watch| certify::reduce(pair, side, &path, watch)) {
                Ok(written) => assert!(written.entries <= table.entries(), "{name}"),
                Err(Refusal::Objection(why)) if why.code == "both-choose" => {
                    assert!(verdict.simultaneous, "{name}: {why:?}");
                    continue;
                }
                Err(other) => panic!("{name}: {other:?}"),
            }
            let proof = certify(&path, &question).unwrap_or_else(|why| panic!("{name}: {why:?}"));
            assert_eq!(proof.value, verdict.value, "{name}: {side:?}");
            proven += 1;
            let mut parts = Parts::of(&path);
            let chooses = parts.layers.iter().flat_map(|layer| &layer.2);
            if chooses.filter(|entry| entry.2.choosers > 0).count() == 0 {
                continue;
            }
            // The same entries prove nothing for the other side.
            let other = if side == Side::Asked { Side::Opponents } else { Side::Asked };
            parts.claim.policy = Some(other);
            parts.write(&path);
            assert!(certify(&path, &question).is_err(), "{name}: {side:?} as {other:?}");
        }
    }
    assert!(proven > seeds as usize / 2, "{proven} bounds");
}

#[test]
fn a_worse_policy_proves_a_worse_bound_and_no_better_one() {
    use table::Side;
    let question = Question::new(rulebook("small", SMALL)).expect("a player");
    // x loses after left, where o chooses; o lets x win after left.
    for (side, role, at, worth) in [(Side::Asked, "x", 0, 0), (Side::Opponents, "o", 1, 1)] {
        let folder = Folder::new();
        let kept = Options { fold: false, ..Options::default() };
        write(&question, kept, storage(&folder)).expect("an answer");
        let (path, policy) = (folder.file(), folder.0.join("policy"));
        let mut parts = Parts::of(&path);
        let left = MoveName { role: role.to_owned(), text: "left".to_owned() };
        parts.names.push((9999, left));
        let mut chosen = 0;
        for entry in parts.layers[at].2.iter_mut().filter(|entry| entry.2.choosers > 0) {
            entry.2.moves = vec![9999];
            chosen += 1;
        }
        assert_eq!(chosen, 1, "{side:?}");
        parts.write(&path);
        let table = Table::open(&path).expect("a table");
        let pair = (&table, &question);
        watched(|watch| certify::reduce(pair, side, &policy, watch)).expect("followed");
        assert_eq!(code(certify(&policy, &question)), "wrong-value", "{side:?}");
        // The same moves with the values that they lead to.
        let mut parts = Parts::of(&policy);
        for (step, denominator, entries) in &mut parts.layers {
            let worth = worth * u64::try_from(&*denominator).expect("a small game");
            for entry in entries.iter_mut() {
                if *step == 0 || entry.2.choosers > 0 {
                    entry.1 = vec![worth];
                }
            }
        }
        parts.write(&policy);
        let proof = certify(&policy, &question).expect("what the moves lead to");
        assert_eq!(proof.value, exact::Ratio::new(worth, 1u8), "{side:?}");
    }
}

#[test]
fn limits_end_a_proof_before_its_end() {
    let book = rulebook("nim", &places::text("games/stochastic-nim-20.gdl"));
    let question = Question::new(book).expect("a player");
    let folder = Folder::new();
    write(&question, Options::default(), storage(&folder)).expect("an answer");
    let table = Table::open(&folder.file()).expect("a table");
    let ended = |memory, time, interrupted| {
        watched(|watch| {
            let interrupt = std::sync::atomic::AtomicBool::new(interrupted);
            let limited = Watch { memory, time, interrupt: &interrupt, ..*watch };
            match certify::certify(&table, &question, 1, &limited) {
                Err(Refusal::Halted(reason, done)) => {
                    assert!(done < table.entries());
                    reason
                }
                other => panic!("a halt was expected: {other:?}"),
            }
        })
    };
    assert_eq!(ended(None, None, true), HaltReason::Interrupt);
    assert_eq!(ended(None, Some(Duration::from_nanos(1)), false), HaltReason::Time);
    assert!(matches!(ended(Some(1), None, false), HaltReason::Memory { .. }));
}
