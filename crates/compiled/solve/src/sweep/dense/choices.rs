//! Choices of all phases, merged where they lead to the same places, and their numbers by level.
//!
//! Where phases take turns (x drops into a column, then o does), a row holds lanes of several
//! phases. Their choices with the same set of outcomes are one choice here, whose weights differ
//! from lane to lane; so a row is valued once and not once a phase.

use factor::{Chooser, Factored};
use kernel::Mask;
use kernel::dense::{Band, Lane, Run, Segment};

use super::layout::{Jump, Layout};
use super::planes::{NONE, Planes, add, both};
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
    /// Whether it is legal under the same conditions in all phases of the members.
    is_alike: bool,
}

impl Merged {
    /// The lanes of `within`, all of them of these phases, in which a member is legal.
    pub(super) fn legal(
        &self,
        planes: &Planes<'_>,
        phases: &[(usize, Mask)],
        within: &Mask,
    ) -> Mask {
        let pair_in = |phase: usize| {
            self.members.iter().find(|member| member.0 == phase).map(|member| member.1)
        };
        if self.is_alike && phases.iter().all(|(phase, _)| pair_in(*phase).is_some()) {
            let (phase, pair) = self.members[0];
            return planes.legal(phase, pair, within);
        }
        let mut legal = NONE;
        for (phase, lanes) in phases {
            if let Some(pair) = pair_in(*phase) {
                add(&mut legal, &planes.legal(*phase, pair, &both(lanes, within)));
            }
        }
        legal
    }
}

/// All choices.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    pub(super) jumps: Vec<Jump>,
    /// By phase, pair and outcome: the jump.
    pub(super) jump_of: Vec<Vec<Vec<usize>>>,
    pub(super) merged: Vec<Merged>,
    /// By phase and pair: the merged choice.
    pub(super) merged_of: Vec<Vec<usize>>,
    pub(super) segments: Vec<Segment>,
    /// By chunk: the rows of its blocks.
    pub(super) bands: Vec<Vec<Band>>,
    pub(super) terms: usize,
}

impl Choices {
    /// The choices of a game; none where there are too many.
    pub(super) fn new(game: &Factored, layout: &Layout, steps: &Steps) -> Option<Self> {
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
        let conditions = |(phase, pair): (usize, usize)| &game.phases[phase].pairs[pair].legal;
        let mut merged_of: Vec<Vec<usize>> = jump_of.iter().map(|_| Vec::new()).collect();
        for (phase, pairs) in jump_of.iter().enumerate() {
            for (pair, outcomes) in pairs.iter().enumerate() {
                let mut mine = outcomes.clone();
                mine.sort_unstable();
                mine.dedup();
                let free = |held: &Merged| {
                    held.jumps == mine && held.members.iter().all(|(other, _)| *other != phase)
                };
                let at = merged.iter().position(free).unwrap_or_else(|| {
                    let (members, first_term) = (Vec::new(), 0);
                    let runs = mine.iter().any(moves_lane);
                    merged.push(Merged { members, first_term, jumps: mine, runs, is_alike: true });
                    merged.len() - 1
                });
                let held = &mut merged[at];
                held.members.push((phase, pair));
                held.is_alike &= conditions((phase, pair)) == conditions(held.members[0]);
                merged_of[phase].push(at);
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
        let bands = Vec::new();
        let mut choices = Self { jumps, jump_of, merged, merged_of, segments, bands, terms };
        choices.bands =
            (0..layout.chunks).map(|chunk| choices.bands(layout, steps, chunk)).collect();
        Some(choices)
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

    /// The rows of a chunk in bands, the lowest first.
    fn bands(&self, layout: &Layout, steps: &Steps, chunk: usize) -> Vec<Band> {
        let jumps: Vec<&Jump> = self
            .merged
            .iter()
            .flat_map(|choice| &choice.jumps)
            .map(|at| &self.jumps[*at])
            .collect();
        let own = |jump: &&Jump| jump.shifts[chunk].iter().position(|(to, _)| *to == chunk);
        let own: Vec<Option<usize>> = jumps.iter().map(own).collect();
        let mut bands: Vec<Band> = Vec::new();
        for row in (0..layout.rows()).rev() {
            let Some(value) = layout.row_value(chunk, row) else { continue };
            let part = layout.row.map_or(0, |digit| steps.part(digit, value));
            let to = jumps.iter().map(|jump| jump.rows[chunk][row]).collect();
            let band = Band { rows: row..row + 1, style: part * self.stride(layout), to };
            match bands.last_mut().filter(|above| joins(above, &band, &own)) {
                Some(above) => *above = Band { rows: row..above.rows.end, ..band },
                None => bands.push(band),
            }
        }
        bands.reverse();
        bands
    }

    /// Numbers of one level.
    pub(super) fn stride(&self, layout: &Layout) -> usize {
        (2 + self.terms) * layout.lanes
    }
}

/// Which block of children a row leads to, and the row there.
type To = Option<(usize, usize)>;

/// Whether a row belongs to the band above it; `own` says which of a term's blocks may be the block
/// itself.
fn joins(above: &Band, row: &Band, own: &[Option<usize>]) -> bool {
    let further = |(above, mine): (&To, &To)| {
        above.is_some() == mine.is_some()
            && above.zip(*mine).is_none_or(|(above, mine)| (mine.0, mine.1 + 1) == above)
    };
    let leads_in = |(to, own): (&To, &Option<usize>)| {
        to.is_some_and(|(block, to)| Some(block) == *own && above.rows.contains(&to))
    };
    debug_assert_eq!(above.rows.start, row.rows.end, "rows side by side");
    above.style == row.style
        && above.to.iter().zip(&row.to).all(further)
        && !row.to.iter().zip(own).any(leads_in)
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
