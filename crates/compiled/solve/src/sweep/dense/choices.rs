//! Choices of all phases, merged where they lead to the same places, and their numbers by level.
//!
//! Where phases take turns (x drops into a column, then o does), a row holds lanes of several
//! phases. Their choices with the same set of outcomes are one choice here, whose weights differ
//! from lane to lane; so a row is valued once and not once a phase.

use factor::{Chooser, Factored};
use kernel::dense::{Lane, Run, Segment};

use super::layout::{Jump, Layout};
use super::steps::Steps;

/// Most terms of all choices.
const MOST_TERMS: usize = 256;

/// Pairs of moves of different phases with the same set of outcomes.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    /// Phase and pair.
    pub(super) members: Vec<(usize, usize)>,
    /// Where its terms begin among all, and its jumps, ascending.
    pub(super) first_term: usize,
    pub(super) jumps: Vec<usize>,
    /// Whether some jump changes the lane.
    pub(super) runs: bool,
}

/// All choices.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    pub(super) jumps: Vec<Jump>,
    /// By phase, pair and outcome: the jump.
    pub(super) jump_of: Vec<Vec<Vec<usize>>>,
    pub(super) merged: Vec<Merged>,
    pub(super) segments: Vec<Segment>,
    pub(super) terms: usize,
}

impl Choices {
    /// The choices of a game; none where there are too many.
    pub(super) fn new(game: &Factored, layout: &Layout) -> Option<Self> {
        let mut maps: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut number = |wanted: &Vec<(usize, usize)>| {
            maps.iter().position(|held| held == wanted).unwrap_or_else(|| {
                maps.push(wanted.clone());
                maps.len() - 1
            })
        };
        let jump_of: Vec<Vec<Vec<usize>>> = game
            .phases
            .iter()
            .map(|phase| {
                let pairs = phase.pairs.iter();
                pairs
                    .map(|pair| pair.outcomes.iter().map(|it| number(&it.maps)).collect())
                    .collect()
            })
            .collect();
        let moves_lane = |jump: &usize| maps[*jump].iter().any(|(digit, _)| *digit == layout.lane);
        let mut merged: Vec<Merged> = Vec::new();
        for (phase, pairs) in jump_of.iter().enumerate() {
            for (pair, outcomes) in pairs.iter().enumerate() {
                let mut mine = outcomes.clone();
                mine.sort_unstable();
                mine.dedup();
                let free = |held: &&mut Merged| {
                    held.jumps == mine && held.members.iter().all(|(other, _)| *other != phase)
                };
                match merged.iter_mut().find(free) {
                    Some(held) => held.members.push((phase, pair)),
                    None => {
                        let runs = mine.iter().any(moves_lane);
                        let members = vec![(phase, pair)];
                        merged.push(Merged { members, first_term: 0, jumps: mine, runs });
                    }
                }
            }
        }
        let mut terms = 0;
        for choice in &mut merged {
            choice.first_term = terms;
            terms += choice.jumps.len();
        }
        if terms > MOST_TERMS {
            return None;
        }
        let jumps: Vec<Jump> = maps.iter().map(|maps| Jump::new(game, layout, maps)).collect();
        let segments = segments(layout, game, &jumps, &merged);
        Some(Self { jumps, jump_of, merged, segments, terms })
    }

    /// Numbers of a row: flips, units, then weights of each term; for each level that the digits
    /// other than the lane's can have.
    pub(super) fn numbers<V: Lane>(
        &self,
        game: &Factored,
        layout: &Layout,
        steps: &Steps,
    ) -> Vec<V> {
        let mut numbers = vec![V::ZERO; steps.phases.len() * self.stride(layout)];
        for (level, row) in numbers.chunks_exact_mut(self.stride(layout)).enumerate() {
            for lane in layout.pad..layout.lanes {
                let level = level + steps.part(layout.lane, lane - layout.pad);
                let Some(&Some(phase)) = steps.phases.get(level) else { continue };
                if game.phases[phase].chooser == Chooser::Opponents {
                    row[lane] = V::ONES;
                }
                row[layout.lanes + lane] = V::of(steps.units[level]);
                for choice in &self.merged {
                    let mine = choice.members.iter().find(|member| member.0 == phase);
                    let Some(&(_, pair)) = mine else { continue };
                    for (outcome, jump) in self.jump_of[phase][pair].iter().enumerate() {
                        let term = choice.jumps.binary_search(jump).expect("a jump of the choice");
                        let at = (2 + choice.first_term + term) * layout.lanes + lane;
                        let weight = steps.weight(game, level, (phase, pair, outcome));
                        row[at] = row[at].plus(V::of(weight));
                    }
                }
            }
        }
        numbers
    }

    /// Numbers of one level.
    pub(super) fn stride(&self, layout: &Layout) -> usize {
        (2 + self.terms) * layout.lanes
    }
}

/// Lanes in segments, and the runs of choices that change the lane.
fn segments(layout: &Layout, game: &Factored, jumps: &[Jump], merged: &[Merged]) -> Vec<Segment> {
    let values = game.digits[layout.lane].values.len();
    let lead = |from: usize, to: usize| {
        let mut maps = jumps.iter().filter_map(|jump| jump.lane.as_ref());
        maps.any(|map| map[from] as usize == to)
    };
    let mut starts = vec![0];
    for value in 1..values {
        let start = *starts.last().expect("the first");
        if (start..value).any(|from| lead(from, value)) {
            starts.push(value);
        }
    }
    starts.push(values);
    let segment = |bounds: &[usize]| {
        let lanes = bounds[0] + layout.pad..bounds[1] + layout.pad;
        let with_runs = merged.iter().enumerate().filter(|(_, choice)| choice.runs);
        let runs = with_runs.flat_map(|(at, choice)| runs(layout, jumps, at, choice, &lanes));
        Segment { runs: runs.collect(), lanes }
    };
    starts.windows(2).map(segment).collect()
}

/// The runs of a choice in some lanes.
fn runs(
    layout: &Layout,
    jumps: &[Jump],
    at: usize,
    choice: &Merged,
    lanes: &std::ops::Range<usize>,
) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for lane in lanes.clone() {
        let value = lane - layout.pad;
        let distance = |jump: &usize| match &jumps[*jump].lane {
            None => Some(0),
            Some(map) => {
                let to = map[value];
                (to != factor::NOWHERE).then(|| to as i32 - value as i32)
            }
        };
        let distances: Option<Vec<i32>> = choice.jumps.iter().map(distance).collect();
        let Some(distances) = distances else { continue };
        match runs.last_mut() {
            Some(run) if run.lanes.end == lane && run.distances == distances => {
                run.lanes.end = lane + 1;
            }
            _ => runs.push(Run { choice: at, lanes: lane..lane + 1, distances }),
        }
    }
    runs
}
