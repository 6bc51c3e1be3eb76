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
