//! States taken apart together: what a search will open soon is gathered and kept by key.
//!
//! A depth-first search wants one state after the other, and a device hundreds at a time. When a
//! state is opened of which nothing is kept, the states that the search would come to next are opened
//! with it: those of the look under way that are not open yet, from the state's siblings outward along
//! the path to the root ([`Gathered::beside`]), without what the table of positions knows; then, where
//! a call has room left, what lies below them, step by step. What windows cut off was opened in vain:
//! that is the price.
//!
//! Always: what a search sees of a state is what it would see if it asked for that state alone, so
//! that value, moves and the positions visited do not depend on what was gathered. Flaws of states
//! that are never visited are never told.
//!
//! Kept are two generations, each of half the bytes allowed: where the younger is full the elder is
//! dropped, and what is still asked for moves to the younger. Counting uses would cost more than
//! opening a state again.

#[cfg(test)]
mod tests;

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};
use verdict::Watch;

use super::opened::opening;
use super::stepper::{Opening, Stepped, Stepper};
use super::table::{Position, Transpositions};
use crate::backend::Trouble;

/// Bytes that are kept at most, and the part of a memory limit.
const MOST_BYTES: u64 = 1 << 28;
const MEMORY_PART: u64 = 8;
/// Steps below a state that are gathered at most: long plays with few choices fill no call anyway.
const MOST_STEPS: usize = 24;
/// States that are passed to find those that are gathered, at most, as a multiple of these.
const PASSED: usize = 4;
/// Bytes of an entry beside its key and what it leads to.
const ENTRY_BYTES: u64 = 80;

/// Where a search stands that opens a state, and so what it may come to next.
pub(super) struct Ahead<'a> {
    /// The states from the root to the state's parent.
    pub(super) path: &'a [Key],
    /// Steps of the look under way from the state on; at least 1.
    pub(super) depth: u32,
    /// Steps left of the horizon there.
    pub(super) left: Option<u32>,
    /// What is known already; nothing where there is no table.
    pub(super) table: Option<&'a Transpositions>,
}

impl Ahead<'_> {
    /// A state from which so many steps are looked ahead, on no path.
    pub(super) fn steps(depth: u32) -> Self {
        Self { path: &[], depth, left: None, table: None }
    }

    /// Whether the search would not open a state, so many steps above or below the one it opens.
    fn knows(&self, place: &Place) -> bool {
        place.left == Some(0)
            || self.table.is_some_and(|table| {
                let position = Position { key: place.key.clone(), left: place.left };
                table.covers(&position, place.depth)
            })
    }
}

/// A state and how far the look goes on from it.
#[derive(Clone)]
struct Place {
    key: Key,
    depth: u32,
    left: Option<u32>,
}

impl Place {
    /// A child.
    fn child(&self, key: &[u64]) -> Self {
        let (depth, left) = (self.depth - 1, self.left.map(|left| left - 1));
        Self { key: key.into(), depth, left }
    }
}

/// States that all threads of a search have taken apart by one stepper.
pub(super) struct Together {
    gathered: Mutex<Gathered>,
    /// Bytes held, by the stepper too.
    bytes: AtomicU64,
}

impl Together {
    /// Nothing is known yet.
    pub(super) fn new(stepper: Box<dyn Stepper>, watch: &Watch<'_>) -> Self {
        let part = watch.memory.map_or(MOST_BYTES, |memory| memory / MEMORY_PART);
        let most = part.min(MOST_BYTES);
        let bytes = AtomicU64::new(stepper.bytes());
        Self { gathered: Mutex::new(Gathered::new(stepper, most)), bytes }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Looks at one state.
    ///
    /// # Errors
    /// Where the stepper fails.
    pub(super) fn look(&self, key: &[u64], watch: &Watch<'_>) -> Result<Stepped, Trouble> {
        self.with(|gathered| {
            gathered.take(vec![key.into()], false, watch)?;
            Ok(gathered.get(key).expect("it was just looked at").clone())
        })
    }

    /// What a state that goes on leads to, and what is told of each of its children.
    ///
    /// # Errors
    /// On a flaw of the state, and where the stepper fails.
    pub(super) fn open(
        &self,
        key: &[u64],
        ahead: &Ahead<'_>,
        watch: &Watch<'_>,
    ) -> Result<WithChildren, Trouble> {
        self.with(|gathered| {
            if let Some(found) = gathered.found(key)? {
                return Ok(found);
            }
            gathered.age();
            gathered.gather(key, ahead, watch)?;
            Ok(gathered.found(key)?.expect("it was just gathered"))
        })
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Gathered) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut gathered = self.gathered.lock().unwrap_or_else(|held| held.into_inner());
        let done = work(&mut gathered);
        self.bytes.store(gathered.bytes(), Ordering::Relaxed);
        done
    }
}

/// What a state leads to, and what is told of each of its children.
pub(super) type WithChildren = (Arc<Opening>, Vec<Stepped>);

/// A packed state.
pub(super) type Key = Box<[u64]>;

/// States by key, and whoever takes them apart.
struct Gathered {
    stepper: Box<dyn Stepper>,
    young: FxHashMap<Key, Stepped>,
    old: FxHashMap<Key, Stepped>,
    /// Bytes of both.
    young_bytes: u64,
    old_bytes: u64,
    /// Bytes of a generation at which it is full.
    full: u64,
}

impl Gathered {
    fn new(stepper: Box<dyn Stepper>, most_bytes: u64) -> Self {
        assert!(stepper.appetite() > 0, "a call takes a state");
        Self {
            stepper,
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            young_bytes: 0,
            old_bytes: 0,
            full: most_bytes / 2,
        }
    }

    fn bytes(&self) -> u64 {
        self.young_bytes + self.old_bytes + self.stepper.bytes()
    }

    /// Drops the elder generation where the younger is full. Never while states are gathered, so that
    /// what was asked for is there in the end.
    fn age(&mut self) {
        if self.young_bytes > self.full {
            self.old = mem::take(&mut self.young);
            self.old_bytes = mem::take(&mut self.young_bytes);
        }
    }

    fn get(&mut self, key: &[u64]) -> Option<&Stepped> {
        if let Some((key, held)) = self.old.remove_entry(key) {
            let bytes = size(&key, &held);
            self.old_bytes -= bytes;
            self.young_bytes += bytes;
            self.young.insert(key, held);
        }
        self.young.get(key)
    }

    fn put(&mut self, key: Key, stepped: Stepped) {
        self.young_bytes += size(&key, &stepped);
        let elder = self.old.remove_entry(&key);
        self.old_bytes -= elder.map_or(0, |(key, held)| size(&key, &held));
        let before = self.young.get(&key).map_or(0, |held| size(&key, held));
        self.young_bytes -= before;
        self.young.insert(key, stepped);
    }

    /// What a state that goes on leads to, where it is kept together with its children.
    fn found(&mut self, key: &[u64]) -> Result<Option<WithChildren>, Trouble> {
        let opening = match self.get(key) {
            None | Some(Stepped::Going) => return Ok(None),
            Some(held) => opening(key, held.clone())?,
        };
        let keys = opening.children.chunks(key.len());
        let seen: Option<Vec<Stepped>> = keys.map(|child| self.get(child).cloned()).collect();
        Ok(seen.map(|seen| (opening, seen)))
    }

    /// Takes a state apart, with those that the search would come to next.
    fn gather(&mut self, key: &[u64], ahead: &Ahead<'_>, watch: &Watch<'_>) -> Result<(), Trouble> {
        assert!(ahead.depth > 0, "what is not looked into is not opened");
        let mut room = self.stepper.appetite();
        let mut met: FxHashSet<Key> = FxHashSet::default();
        let mut level = self.beside(key, ahead, &mut met);
        for step in 1.. {
            room = room.saturating_sub(level.len());
            self.take(level.iter().map(|place| place.key.clone()).collect(), true, watch)?;
            let (next, last) = self.below(&level, &mut met);
            let is_full = next.len() > room || step == MOST_STEPS;
            let seen = if is_full { last.into_iter().chain(next.clone()).collect() } else { last };
            self.take(seen.into_iter().map(|place| place.key).collect(), false, watch)?;
            if is_full || next.is_empty() {
                break;
            }
            level = next;
        }
        Ok(())
    }

    /// A state, and beside it others that are not open yet and that the look under way may open: below
    /// its parent, then below the parent of that, and so on.
    fn beside(&mut self, key: &[u64], ahead: &Ahead<'_>, met: &mut FxHashSet<Key>) -> Vec<Place> {
        let most = self.stepper.appetite();
        let mut found = vec![Place { key: key.into(), depth: ahead.depth, left: ahead.left }];
        met.insert(key.into());
        let mut passed = 0;
        for (above, key) in (1..).zip(ahead.path.iter().rev()) {
            let (depth, left) =
                (ahead.depth.saturating_add(above), ahead.left.map(|left| left + above));
            let mut waiting = vec![Place { key: key.clone(), depth, left }];
            while let Some(place) = waiting.pop() {
                if found.len() >= most || passed >= PASSED * most {
                    return found;
                }
                passed += 1;
                let Some(Stepped::Open(opening)) = self.get(&place.key).cloned() else { continue };
                for child in opening.children.chunks(key.len()) {
                    let child = place.child(child);
                    if child.depth == 0 || met.contains(&child.key) || ahead.knows(&child) {
                        continue;
                    }
                    met.insert(child.key.clone());
                    match self.get(&child.key) {
                        None | Some(Stepped::Going) => found.push(child),
                        Some(Stepped::Open(_)) => waiting.push(child),
                        Some(Stepped::Ended(_) | Stepped::Flawed(_)) => {}
                    }
                }
            }
        }
        found
    }

    /// The children of open states that are not met yet: those that the look goes on from, and those at
    /// which it ends.
    fn below(&mut self, level: &[Place], met: &mut FxHashSet<Key>) -> (Vec<Place>, Vec<Place>) {
        let (mut next, mut last) = (Vec::new(), Vec::new());
        for place in level {
            let Some(Stepped::Open(opening)) = self.get(&place.key).cloned() else { continue };
            for child in opening.children.chunks(place.key.len()) {
                if met.contains(child) {
                    continue;
                }
                met.insert(child.into());
                match self.get(child) {
                    Some(Stepped::Ended(_) | Stepped::Flawed(_)) => {}
                    _ if place.depth == 1 => last.push(place.child(child)),
                    _ => next.push(place.child(child)),
                }
            }
        }
        (next, last)
    }

    /// Makes sure that states are known, with `children` that those that go on are open.
    fn take(
        &mut self,
        mut keys: Vec<Key>,
        children: bool,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        keys.retain(|key| match self.get(key) {
            None => true,
            Some(held) => children && *held == Stepped::Going,
        });
        if keys.is_empty() {
            return Ok(());
        }
        let flat: Vec<u64> = keys.iter().flat_map(|key| key.iter().copied()).collect();
        let told = self.stepper.step(&flat, children, watch)?;
        assert_eq!(told.len(), keys.len(), "something is told of each state");
        keys.into_iter().zip(told).for_each(|(key, stepped)| self.put(key, stepped));
        Ok(())
    }
}

/// Bytes of an entry, about.
fn size(key: &[u64], held: &Stepped) -> u64 {
    let opening = match held {
        Stepped::Open(opening) => opening.bytes(),
        _ => 0,
    };
    ENTRY_BYTES + 8 * key.len() as u64 + opening as u64
}
