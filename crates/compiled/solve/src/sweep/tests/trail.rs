//! Trails beside plain lists: what is read is what was appended, wherever it lies by then.

use std::path::PathBuf;

use net::random::Random;

use super::super::runs::{FRAME, Window};
use super::super::trail::Trail;

/// A trail, and what is in it.
struct Pair {
    trail: Trail,
    record: Vec<u64>,
    edges: Vec<u32>,
    random: Random,
}

impl Pair {
    fn new(spill: Option<PathBuf>, seed: u64) -> Self {
        let trail = Trail::new(None, spill, 1);
        Self { trail, record: Vec::new(), edges: Vec::new(), random: Random::new(seed) }
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.random.bits() % bound as u64) as usize
    }

    /// Appends some numbers.
    fn append(&mut self) {
        let (words, ids) = (self.below(FRAME), self.below(2 * FRAME));
        let (record, edges) = self.trail.tails();
        for _ in 0..words {
            self.record.push(self.random.bits() >> (self.random.bits() % 64));
        }
        for _ in 0..ids {
            self.edges.push(self.random.bits() as u32 % 5000);
        }
        record.extend(&self.record[self.record.len() - words..]).expect("memory");
        edges.extend(&self.edges[self.edges.len() - ids..]).expect("memory");
    }

    /// A ply that is begun, perhaps taken back and begun again, and sealed.
    fn ply(&mut self, spills: bool) {
        let sealed = (self.record.len(), self.edges.len());
        for _ in 0..=self.below(2) {
            self.trail.cut().expect("cut");
            self.record.truncate(sealed.0);
            self.edges.truncate(sealed.1);
            for _ in 0..=self.below(2) {
                self.append();
                self.trail.pour().expect("poured");
                if spills && self.below(3) == 0 {
                    self.trail.make_room().expect("written");
                }
            }
        }
        self.trail.seal(&[]).expect("sealed");
        let ends = self.trail.ends();
        assert_eq!((ends.0, ends.1), (self.record.len(), self.edges.len()));
        if spills && self.below(2) == 0 {
            self.trail.close().expect("closed");
        }
    }

    /// Reads it all in pieces, and some at random places.
    fn check(&mut self) {
        self.trail.close().expect("closed");
        let (mut words, mut ids) = (Window::default(), Window::default());
        let mut from = 0;
        while from < self.record.len() {
            let to = (from + 1 + self.below(3000)).min(self.record.len());
            let read = self.trail.record(from, to, &mut words).expect("read");
            assert_eq!(read, &self.record[from..to]);
            from = to;
        }
        for _ in 0..50 {
            let from = self.below(self.edges.len());
            let to = (from + self.below(FRAME)).min(self.edges.len());
            let read = self.trail.edges(from, to, &mut ids).expect("read");
            assert_eq!(read, &self.edges[from..to]);
        }
    }
}

#[test]
fn trails_give_back_what_was_left() {
    for seed in 0..6 {
        for spills in [false, true] {
            let mut pair = Pair::new(spills.then(std::env::temp_dir), seed);
            (0..8).for_each(|_| pair.ply(spills));
            pair.check();
            // What was read stays readable when more is written.
            pair.ply(spills);
            pair.check();
            assert_eq!(pair.trail.disk_bytes() > 0, spills && pair.trail.is_streaming());
        }
    }
}

#[test]
fn a_trail_leaves_memory_only_where_it_was_told_to() {
    let temp = std::env::temp_dir();
    let plain = Trail::default();
    assert!(!plain.is_thrifty() && !plain.wants_keys() && !plain.can_spill());
    assert!(!plain.is_streaming() && plain.checkpoint().is_none());
    assert_eq!((plain.folder(), plain.disk_bytes(), plain.bytes()), (temp, 0, 0));
    let (one, other) = (PathBuf::from("/one"), PathBuf::from("/other"));
    let spilling = Trail::new(None, Some(one.clone()), 1);
    assert!(spilling.can_spill() && !spilling.is_thrifty() && !spilling.wants_keys());
    assert_eq!(spilling.folder(), one);
    let keeping = Trail::default().keeping_keys(Some(other.clone()));
    assert!(keeping.wants_keys() && !keeping.can_spill());
    assert_eq!(keeping.folder(), other);
    assert_eq!(spilling.keeping_keys(Some(other)).folder(), one, "what is to be spilled first");
    assert!(Trail::default().thrifty(true).is_thrifty());
}

#[test]
fn room_is_made_where_there_is_something_to_write() {
    let temp = std::env::temp_dir();
    let filled = |spill: Option<PathBuf>, words: usize, ids: usize| {
        let mut trail = Trail::new(None, spill, 1);
        let (record, edges) = trail.tails();
        record.extend(&vec![7; words]).expect("memory");
        edges.extend(&vec![7; ids]).expect("memory");
        trail
    };
    assert!(!filled(Some(temp.clone()), 10, 10).can_yield(), "nothing to speak of");
    assert!(!filled(None, 1 << 20, 0).can_yield(), "there is no place for it");
    // Neither of the two has enough for itself.
    for (words, ids) in [(1 << 20, 0), (0, 2 << 20), (500_000, 1_000_000)] {
        let mut trail = filled(Some(temp.clone()), words, ids);
        assert!(trail.can_yield(), "{words} words, {ids} edges");
        let held = trail.bytes();
        assert!(held >= (8 * words + 4 * ids) as u64);
        trail.seal(&[]).expect("sealed");
        trail.make_room().expect("written");
        assert!(trail.is_streaming() && trail.bytes() < held / 8, "{} bytes", trail.bytes());
        trail.close().expect("closed");
        assert!(trail.disk_bytes() > 0);
        assert_eq!(trail.ends(), (words, ids, 0));
        let (mut record, mut edges) = (Window::default(), Window::default());
        if words > 0 {
            let read = trail.record(words - 5, words, &mut record).expect("read");
            assert_eq!(read, [7; 5]);
        }
        if ids > 0 {
            assert_eq!(trail.edges(0, 3, &mut edges).expect("read"), [7; 3]);
        }
        // What is streamed is written when a frame is full.
        let (record, _) = trail.tails();
        record.extend(&vec![9; 3 * FRAME]).expect("memory");
        trail.pour().expect("poured");
        let held = trail.bytes();
        assert!(held >= 3 * 8 * FRAME as u64, "it stays in memory until room is made");
    }
}

#[test]
fn what_is_in_memory_is_lent_without_a_copy() {
    let mut trail = Trail::new(None, Some(std::env::temp_dir()), 1);
    let (record, edges) = trail.tails();
    record.extend(&[1, 2, 3, 4, 5]).expect("memory");
    edges.extend(&[6, 7, 8]).expect("memory");
    assert_eq!(trail.held((0, 0)), Some((&[1, 2, 3, 4, 5][..], &[6, 7, 8][..])));
    assert_eq!(trail.held((3, 3)), Some((&[4, 5][..], &[][..])));
    trail.seal(&[]).expect("sealed");
    trail.make_room().expect("written");
    assert_eq!(trail.held((0, 0)), None, "it left memory");
    let (record, edges) = trail.tails();
    record.extend(&[9]).expect("memory");
    edges.extend(&[10]).expect("memory");
    assert_eq!(trail.held((5, 3)), Some((&[9][..], &[10][..])));
    assert_eq!((trail.held((4, 3)), trail.held((5, 2))), (None, None), "a part is elsewhere");
}
