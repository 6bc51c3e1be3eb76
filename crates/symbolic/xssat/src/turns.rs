//! Turns: which of the two walks is next, and for how many steps.
//!
//! No rule tells beforehand which walk suits a formula, so both go on in turn, in slices of counted
//! steps that double. In a formula of few levels both get as many: the answer comes after a small
//! multiple of the steps that the better one needs. A formula of many levels may be a game: there the
//! walk over parts gets a share of each round. Where the frontier cache answers often the state is
//! narrow, as in a game: then the frontier walk goes on alone, in slices that grow fourfold, and once
//! they are long nearly alone.
//!
//! Measured on public formulas, a step of the walk over parts costs one to twenty microseconds (a
//! branch on a part of many clauses counts as several); one of the frontier walk a hundredth of that
//! in games, and as much where variables are in many clauses. Steps are counted and not time, so that
//! runs are alike.

use crate::stats::Stats;

/// From so many levels on a formula may be a game.
const LONG: usize = 16;
/// Steps of the first slice.
const FIRST: u64 = 1 << 12;
/// Steps of the first slice of a long formula.
const FIRST_LONG: u64 = 1 << 18;
/// Steps that the frontier walk takes alone while its cache answers.
const ALONE: u64 = 1 << 32;
/// What part of its steps the other walk then gets.
const SHARE: u64 = 1 << 10;
/// What part it gets in a long formula whose cache does not answer.
const LONG_SHARE: u64 = 1 << 5;

/// The order of turns.
pub(crate) struct Turns {
    is_long: bool,
    /// Whether the walk over parts is next.
    by_parts: bool,
    steps: u64,
}

impl Turns {
    pub(crate) fn new(levels: usize) -> Self {
        let is_long = levels >= LONG;
        Self { is_long, by_parts: !is_long, steps: if is_long { FIRST_LONG } else { FIRST } }
    }

    /// Whether the walk over parts is next, and for how many steps; `stats` count the hits so far.
    pub(crate) fn next(&mut self, stats: &Stats) -> (bool, u64) {
        let answers = self.is_long && 4 * stats.hits >= stats.lookups;
        if self.by_parts && answers && self.steps < ALONE {
            self.steps *= 4;
            return (false, self.steps);
        }
        let by_parts = self.by_parts;
        let steps = match (by_parts, answers) {
            (true, true) => self.steps / SHARE,
            (true, false) if self.is_long => self.steps / LONG_SHARE,
            _ => self.steps,
        };
        // A round is over after the walk that did not begin.
        if by_parts == self.is_long {
            self.steps = self.steps.saturating_mul(2);
        }
        self.by_parts = !by_parts;
        debug_assert!(steps > 0);
        (by_parts, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(levels: usize, hits: u64) -> Vec<(bool, u64)> {
        let stats = Stats { lookups: 100, hits, ..Stats::default() };
        let mut turns = Turns::new(levels);
        (0..12).map(|_| turns.next(&stats)).collect()
    }

    #[test]
    fn slices_grow_and_games_are_walked_in_order() {
        let (parts, frontier) = (true, false);
        let short = [1, 1, 2, 2, 4, 4].map(|n| n * FIRST);
        assert_eq!(turns(3, 90).iter().map(|turn| turn.1).take(6).collect::<Vec<_>>(), short);
        assert_eq!(turns(3, 90)[..2], [(parts, FIRST), (frontier, FIRST)]);
        assert_eq!(turns(40, 3)[..2], [(frontier, FIRST_LONG), (parts, FIRST_LONG >> 5)]);
        let game = turns(40, 90);
        assert!(game[..4].iter().all(|turn| turn.0 == frontier), "{game:?}");
        assert!(game.windows(2).all(|pair| pair[0].1 < pair[1].1 || pair[1].0), "{game:?}");
        assert!(game.iter().any(|turn| turn.0 == parts), "{game:?}");
    }
}
