//! The law of a table: a file with bytes changed is refused, or says what it said.
//!
//! The file is that of a small game, solved once. Changes are read off the bytes that are given, three
//! a change: a place, and what is done there (a bit turned, a byte put in its place, the rest cut off).
//! No change may make the reader panic, or take a file for whole that says something else.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use gdl::{ReadOptions, Source};
use solve::{Options, Storage, Sweep};
use table::Table;
use verdict::{Engine, Question, Watch};

/// Changes that are made at most.
const CHANGES: usize = 8;
const SHEET: &str = "
    (role x) (role o) (role random) (init (left 5)) (init (turn x))
    (side x o) (side o x) (less 5 1 4) (less 5 2 3) (less 4 1 3) (less 4 2 2) (less 3 1 2)
    (less 3 2 1) (less 2 1 1) (less 2 2 0) (less 1 1 0)
    (<= (legal ?r (take ?k)) (true (turn ?r)) (true (left ?n)) (less ?n ?k ?m))
    (<= (legal ?r noop) (side ?r ?s) (true (turn ?s)))
    (<= (legal random stay)) (<= (legal random turn) (not (true (left 5))))
    (<= (next (left ?m)) (does ?r (take ?k)) (true (left ?n)) (less ?n ?k ?m))
    (<= (next (turn ?s)) (true (turn ?r)) (side ?r ?s) (does random stay))
    (<= (next (turn ?r)) (true (turn ?r)) (does random turn))
    (<= terminal (true (left 0)))
    (<= (goal ?r 100) (side ?r ?s) (true (turn ?s))) (<= (goal ?r 0) (true (turn ?r)))";

/// Asserts the law for a table with the changes that these bytes say; whether it was refused.
///
/// # Panics
/// Where it is broken, or where the folder for temporary files cannot be written to.
pub fn hold(bytes: &[u8]) -> bool {
    let (whole, said) = original();
    let mut changed = whole.clone();
    for change in bytes.chunks_exact(4).take(CHANGES) {
        let Some(last) = changed.len().checked_sub(1) else { break };
        let place = (usize::from(u16::from_le_bytes([change[0], change[1]])) * changed.len()) >> 16;
        let place = place.min(last);
        match change[2] % 8 {
            0 => changed.truncate(place),
            1 => changed[place] = change[3],
            bit => changed[place] ^= 1 << (change[3].wrapping_add(bit) % 8),
        }
    }
    let file = Temporary::new();
    store::write_file(&file.0, &changed).expect("the folder for temporary files can be written to");
    match contents(&file.0) {
        Err(why) => {
            assert!(!why.is_empty(), "a refusal without a reason");
            assert!(changed != *whole, "the file as it was written is refused: {why}");
            true
        }
        Ok(found) => {
            assert!(found == *said, "a changed file is taken for whole, and says something else");
            false
        }
    }
}

/// The bytes of the file, and what it says.
fn original() -> &'static (Vec<u8>, String) {
    static WHOLE: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let file = Temporary::new();
        write(&file.0);
        let said = contents(&file.0).expect("a table that was just written can be read");
        (std::fs::read(&file.0).expect("the file is there"), said)
    })
}

fn write(path: &Path) {
    let reading = gdl::read(Source::new("table", SHEET), &ReadOptions::default());
    let book = reading.rulebook.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let base = Question::new(Arc::new(book)).expect("a player");
    // The piles do not tell how many steps were made; a horizon does.
    let question = Question { horizon: Some(7), ..base };
    let storage = Storage { table: Some(path.to_owned()), ..Storage::default() };
    let interrupt = AtomicBool::new(false);
    let watch = Watch::unlimited(&interrupt);
    let sweep = Sweep::new(Options::default()).with_storage(storage);
    sweep.judge(&question, &watch).expect("the game is solved");
}

/// All that a table says, in words.
fn contents(path: &Path) -> Result<String, String> {
    let table = Table::open(path).map_err(|fault| fault.to_string())?;
    let mut said = format!("{:?} {:?}", table.claim(), table.root().map_err(|f| f.to_string())?);
    for (number, layer) in table.layers().iter().enumerate() {
        said.push_str(&format!("\nstep {} of {}", layer.step, layer.denominator));
        for block in 0..layer.blocks() {
            let block = table.block(number, block).map_err(|fault| fault.to_string())?;
            for at in 0..block.len() {
                let state = table.layout().state(block.key(at)).ok_or("a key of no state")?;
                let names: Vec<&String> =
                    state.iter().map(|prop| &table.layout().names()[*prop]).collect();
                let choice = block.choice(at);
                let moves: Vec<_> = choice.moves.iter().map(|id| table.move_of(*id)).collect();
                said.push_str(&format!("\n{names:?} {:?} {moves:?}", block.numerator(at)));
            }
        }
    }
    Ok(said)
}

/// A file that is gone when it goes out of scope.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (count, process) = (COUNT.fetch_add(1, Ordering::Relaxed), std::process::id());
        Self(std::env::temp_dir().join(format!("laws-table-{process}-{count}")))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}
