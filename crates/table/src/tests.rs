//! Files as a whole: what is written comes back, and nothing else is taken.

use std::path::PathBuf;

use exact::UBig;
use verdict::Objective;

use crate::{BLOCK, Choice, Claim, Field, Layout, Lookup, MoveName, Table, Writer};

/// A path that is gone when the test ends.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("table-{name}-{}", std::process::id())))
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

fn claim() -> Claim {
    Claim {
        rules: 7,
        role: "x".to_owned(),
        objective: Objective::Win,
        horizon: None,
        chance: Vec::new(),
        from_start: true,
        policy: None,
    }
}

/// One field of 16 bits: the number of a state.
fn layout(states: u64) -> Layout {
    let codes = (0..states).map(|n| (n, Some(format!("(at {n})")))).collect();
    Layout::new(Vec::new(), vec![Field { bits: 0..16, codes }]).expect("a layout")
}

/// A layer of `states` entries, value n / states at state n, and the root above it.
fn write(file: &TempFile, states: u64, budget: u64) -> crate::Written {
    let folder = std::env::temp_dir();
    let mut writer = Writer::create(&file.0, layout(states + 5), &folder, budget).expect("begun");
    writer.begin(1, UBig::from(6 * states));
    for n in (0..states).rev() {
        let choice = Choice { choosers: 1, moves: vec![n as u32 % 3] };
        writer.push(&[n], &[6 * n, 0], &choice).expect("taken");
    }
    writer.end().expect("written");
    writer.begin(0, UBig::from(4u8));
    writer.push(&[1], &[2], &Choice::default()).expect("taken");
    writer.end().expect("written");
    let name = |id| MoveName { role: "x".to_owned(), text: format!("(go {id})") };
    writer.finish(&claim(), name).expect("finished")
}

#[test]
fn what_is_written_comes_back() {
    let file = TempFile::new("round");
    let states = 2 * BLOCK as u64 + 11;
    for budget in [1 << 30, 1 << 12] {
        let written = write(&file, states, budget);
        let table = Table::open(&file.0).expect("a table");
        assert_eq!((table.entries(), table.bytes()), (written.entries, written.bytes));
        assert_eq!((table.claim(), table.layers().len()), (&claim(), 2));
        assert_eq!(table.layout().names().len() as u64, states, "codes without entries are gone");
        assert_eq!(table.layers()[1].denominator, UBig::from(states));
        assert_eq!(table.layers()[1].blocks(), 3);
        let mut lookup = Lookup::new(&table, 1 << 16);
        for n in (0..states).step_by(7) {
            let found = lookup.find(1, &[n]).expect("sound").expect("there");
            assert_eq!(lookup.value(&found), exact::Ratio::new(n, states));
            let best = found.choice().moves[0];
            assert_eq!(table.move_of(best).expect("named").text, format!("(go {})", n % 3));
        }
        assert!(lookup.find(1, &[states]).expect("sound").is_none());
        assert!(lookup.find(0, &[0]).expect("sound").is_none());
        assert!(lookup.find(0, &[1]).expect("sound").is_some());
    }
}

/// Whether all of a file can be read.
fn is_read(file: &TempFile) -> bool {
    let Ok(table) = Table::open(&file.0) else { return false };
    table
        .layers()
        .iter()
        .enumerate()
        .all(|(layer, held)| (0..held.blocks()).all(|block| table.block(layer, block).is_ok()))
}

#[test]
fn every_flipped_bit_and_every_cut_shows() {
    let file = TempFile::new("bits");
    write(&file, 9, 1 << 20);
    let bytes = std::fs::read(&file.0).expect("read");
    assert!(is_read(&file));
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&file.0, flipped).expect("written");
        assert!(!is_read(&file), "bit {bit}");
    }
    for cut in 0..bytes.len() {
        std::fs::write(&file.0, &bytes[..cut]).expect("written");
        assert!(!is_read(&file), "cut at {cut}");
    }
}

#[test]
fn steps_that_cannot_be_counted_on_are_refused() {
    let file = TempFile::new("steps");
    for (step, is_taken) in [(1 << 30, true), (u32::MAX - 1, false), (u32::MAX, false)] {
        let mut writer =
            Writer::create(&file.0, layout(3), &std::env::temp_dir(), 1 << 20).expect("begun");
        for step in [step, 0] {
            writer.begin(step, UBig::from(1u8));
            writer.push(&[1], &[1], &Choice::default()).expect("taken");
            writer.end().expect("written");
        }
        let nobody = |_| MoveName { role: String::new(), text: String::new() };
        writer.finish(&claim(), nobody).expect("finished");
        assert_eq!(Table::open(&file.0).is_ok(), is_taken, "step {step}");
    }
}

#[test]
fn frames_that_say_they_are_too_large_are_not_unpacked() {
    use store::{Coding, FrameWriter};
    let file = TempFile::new("counts");
    let names = format!("{}\n{}{}moves 0\n", crate::writer::FORM, claim().text(), layout(1).text());
    let write = |keys: usize, picks: usize, index: usize| {
        let mut frames = FrameWriter::create(&file.0).expect("begun");
        let mut put = |tag: u32, coding: Coding, numbers: &[u64]| {
            frames.write(tag, coding, numbers).expect("written");
        };
        put(crate::tag::LAYER, Coding::Plain, &[0, 1, 1, 1]);
        put(crate::tag::KEYS, Coding::Steps(1), &vec![0; keys]);
        put(crate::tag::VALUES, Coding::Steps(1), &[1]);
        put(crate::tag::SETS, Coding::Plain, &[0, 0]);
        put(crate::tag::PICKS, Coding::Plain, &vec![0; picks]);
        put(crate::tag::INDEX, Coding::Steps(1), &vec![0; index]);
        put(crate::tag::NAMES, Coding::Plain, &crate::writer::text_words(&names));
        frames.finish(None).expect("finished");
        Table::open(&file.0).and_then(|table| table.block(0, 0))
    };
    write(1, 0, 1).expect("as a writer writes it");
    for (keys, picks) in [(BLOCK + 1, 0), (1, 1537)] {
        let refused = write(keys, picks, 1).expect_err("too large").to_string();
        assert!(refused.contains("too large"), "{refused}");
    }
    assert!(write(1, 0, 2).is_err());
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let file = TempFile::new("dropped");
    let mut writer =
        Writer::create(&file.0, layout(3), &std::env::temp_dir(), 1 << 20).expect("begun");
    writer.begin(0, UBig::from(1u8));
    drop(writer);
    assert!(!file.0.exists());
    let nowhere = file.0.join("none/one");
    assert!(Writer::create(&nowhere, layout(3), &std::env::temp_dir(), 1 << 20).is_err());
}

#[test]
#[should_panic(expected = "keys ascend")]
fn a_key_that_comes_twice_is_our_own_fault() {
    let file = TempFile::new("twice");
    let mut writer =
        Writer::create(&file.0, layout(3), &std::env::temp_dir(), 1 << 20).expect("begun");
    writer.begin(0, UBig::from(1u8));
    writer.push(&[1], &[0], &Choice::default()).expect("taken");
    writer.push(&[1], &[1], &Choice::default()).expect("taken");
    writer.end().ok();
}
