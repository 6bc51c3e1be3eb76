//! Perft: for each ply the distinct states, the terminal ones, and the move paths.
//!
//! A path is a sequence of joint moves from the start; chance moves of equal effect count each.
//! Only two plies are held. Nothing is valued and no goal is looked at.

use exact::UBig;
use kernel::{BLOCK_LANES, Expander, Expansion};
use store::HugeVec;
use verdict::{HaltReason, Progress, Question, Stop, Watch};

use super::level::LevelTables;
use super::registers::for_lanes;
use super::table::{PlyKeys, Slots};
use super::{Ended, end, graph, level_tables, start};
use crate::Options;
use crate::backend::Trouble;
use crate::game::Game;
use crate::limits::{Limits, WHOLE, refused};

/// One ply of a perft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftPly {
    /// Distinct states.
    pub states: u64,
    /// Terminal ones.
    pub terminal: u64,
    /// Move paths that lead to this ply.
    pub paths: UBig,
}

/// What a perft counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perft {
    /// Plies from 0 on, each whole.
    pub plies: Vec<PerftPly>,
    /// The limit that ended the count before its end.
    pub halted: Option<HaltReason>,
}

/// Counts plies 0 to `depth`, or to the end of the longest play.
///
/// # Errors
/// On a fault of the game; without a depth also on a play that returns, which has no longest.
pub fn perft(
    question: &Question,
    depth: Option<u32>,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Perft, Stop> {
    let mut game = match Game::new(question, options, watch) {
        Err(Stop::Halted(halt)) => {
            return Ok(Perft { plies: Vec::new(), halted: Some(halt.reason) });
        }
        made => made?,
    };
    loop {
        match attempt(&mut game, depth, options, watch) {
            Ok(counted) => return Ok(counted),
            Err(Ended::Restart) => {}
            Err(Ended::Stop(stop)) => return Err(stop),
        }
    }
}

fn attempt(
    game: &mut Game,
    depth: Option<u32>,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Perft, Ended> {
    let (expander, root) = start(game, options)?;
    let level = level_tables(game, &*expander);
    if depth.is_none() && level.is_none() {
        refuse_endless(game, &*expander, &root, watch)?;
    }
    let mut count = Count::new(expander, level);
    let mut plies = Vec::new();
    let halted = match count.run(&root, depth, watch, &mut plies) {
        Ok(()) => None,
        Err(Trouble::Limit(reason)) => Some(reason),
        Err(trouble) => return Err(end(game, &*count.expander, trouble)),
    };
    Ok(Perft { plies, halted })
}

/// Where no level keeps plies apart, a count without a depth might never end: looks for a cycle.
/// A limit that is met on the way is left to the count itself.
fn refuse_endless(
    game: &mut Game,
    expander: &dyn Expander,
    root: &[u64],
    watch: &Watch<'_>,
) -> Result<(), Ended> {
    match graph::visit(game, expander.fork(), root, watch) {
        Ok(_) | Err(Ended::Stop(Stop::Halted(_))) => Ok(()),
        Err(Ended::Stop(Stop::Faulty(mut fault))) => {
            if fault.code == "endless-play" {
                fault.notes = vec!["`--depth N` counts plies 0 to N all the same".to_owned()];
            }
            Err(Ended::Stop(Stop::Faulty(fault)))
        }
        Err(ended) => Err(ended),
    }
}

struct Count {
    expander: Box<dyn Expander>,
    expansion: Expansion,
    slots: Slots,
    limits: Limits,
    /// Says of each state to which ply it belongs, if that is known.
    level: Option<LevelTables>,
}

impl Count {
    fn new(expander: Box<dyn Expander>, level: Option<LevelTables>) -> Self {
        let slots = Slots::new(super::layers::key_bits(&*expander));
        Self { expander, expansion: Expansion::default(), slots, limits: Limits::new(), level }
    }

    fn run(
        &mut self,
        root: &[u64],
        depth: Option<u32>,
        watch: &Watch<'_>,
        plies: &mut Vec<PerftPly>,
    ) -> Result<(), Trouble> {
        let mut keys: PlyKeys<0> = PlyKeys::new(self.expander.words());
        self.slots.reset(1).map_err(refused)?;
        keys.insert_all(&mut self.slots, root, &mut HugeVec::new()).map_err(refused)?;
        let mut paths = vec![UBig::from(1u8)];
        while keys.len() > 0 {
            self.check_level(&keys, plies.len())?;
            let last = depth.is_some_and(|depth| plies.len() >= depth as usize);
            let (terminal, next) = self.step(&keys, &paths, !last, watch)?;
            let total = paths.iter().fold(UBig::from(0u8), |sum, path| sum + path);
            plies.push(PerftPly { states: keys.len() as u64, terminal, paths: total });
            (watch.progress)(&Progress {
                phase: "forward",
                ply: plies.len() as u32,
                plies: depth,
                states: plies.iter().map(|ply| ply.states).sum(),
                bytes: next.0.bytes(),
                ..Progress::default()
            });
            (keys, paths) = next;
        }
        Ok(())
    }

    /// Checks the guess that a state determines its ply: without it the count might not end.
    fn check_level(&self, keys: &PlyKeys<0>, ply: usize) -> Result<(), Trouble> {
        let Some(level) = &self.level else { return Ok(()) };
        let mut states = keys.words().chunks_exact(self.expander.words());
        match states.all(|key| level.level(key) == ply as i64) {
            true => Ok(()),
            false => Err(Trouble::LevelBroken),
        }
    }

    /// Terminal states of a ply, and the next ply with its paths (empty where not asked for).
    fn step(
        &mut self,
        keys: &PlyKeys<0>,
        paths: &[UBig],
        expand: bool,
        watch: &Watch<'_>,
    ) -> Result<(u64, (PlyKeys<0>, Vec<UBig>)), Trouble> {
        let width = self.expander.words();
        let (mut next, mut next_paths): (PlyKeys<0>, Vec<UBig>) = (PlyKeys::new(width), Vec::new());
        let (mut ids, mut terminal) = (HugeVec::new(), 0);
        self.slots.reset(keys.len()).map_err(refused)?;
        for (block, parents) in
            keys.words().chunks(BLOCK_LANES * width).zip(paths.chunks(BLOCK_LANES))
        {
            let plies = keys.bytes() + 2 * next.bytes() + 32 * next_paths.len() as u64;
            self.limits.check(watch, self.slots.bytes() + plies, WHOLE)?;
            let expanded = self.expander.expand(block, expand, &mut self.expansion);
            expanded.map_err(|flaw| Trouble::flaw(block, width, flaw))?;
            terminal += self
                .expansion
                .terminal
                .iter()
                .map(|word| u64::from(word.count_ones()))
                .sum::<u64>();
            if expand {
                ids.clear();
                let children = &self.expansion.children;
                next.insert_all(&mut self.slots, children, &mut ids).map_err(refused)?;
                next_paths.resize(next.len(), UBig::from(0u8));
                self.add_paths(ids.as_slice(), parents, &mut next_paths);
            }
        }
        Ok((terminal, (next, next_paths)))
    }

    fn add_paths(&self, ids: &[u32], parents: &[UBig], next: &mut [UBig]) {
        let mut ids = ids.iter();
        for joint in &self.expansion.joints {
            for_lanes(&joint.mask, |lane| {
                let child = *ids.next().expect("one id an edge") as usize;
                next[child] += &parents[lane] * UBig::from(joint.weight);
            });
        }
        assert!(ids.next().is_none(), "one id an edge");
    }
}
