//! First moves with their values, from the values of all pairs of moves of the root.
//!
//! Shown are the moves of the asked role; where it has only one, those of the opponents that
//! have several; where nobody chooses, the asked role's one move.

use std::collections::BTreeMap;

use exact::Ratio;
use gdl::RoleId;
use kernel::Expander;
use net::{InputId, Net};
use verdict::{BoundedMove, FirstMove};

use crate::game::Game;

/// A pair of moves of the root with bounds on the mean over chance, equal where it is exact.
#[derive(Clone, Debug)]
pub(crate) struct PairValue {
    pub(crate) asked: InputId,
    pub(crate) opponents: u32,
    pub(crate) lower: Ratio,
    pub(crate) upper: Ratio,
}

/// The first moves of whoever chooses at the root, with bounds.
pub(crate) struct FirstMoves {
    pub(crate) choosers: Vec<String>,
    pub(crate) moves: Vec<(String, Ratio, Ratio)>,
    /// Whether the choosers are opponents, who prefer small values.
    minimise: bool,
}

impl FirstMoves {
    /// No moves: a terminal root, or nothing known.
    pub(crate) fn none() -> Self {
        Self { choosers: Vec::new(), moves: Vec::new(), minimise: false }
    }

    /// From the pairs of the root, in any order.
    pub(crate) fn new(game: &Game, expander: &dyn Expander, pairs: &[PairValue]) -> Self {
        let mut lines: BTreeMap<InputId, (Ratio, Ratio)> = BTreeMap::new();
        for pair in pairs {
            let line =
                lines.entry(pair.asked).or_insert_with(|| (pair.lower.clone(), pair.upper.clone()));
            lower_to(line, pair);
        }
        let several_opponents = pairs.iter().any(|pair| pair.opponents != pairs[0].opponents);
        if lines.len() == 1 && several_opponents {
            return Self::of_opponents(game, expander, pairs);
        }
        let asked = game.net.roles[game.casting.asked].name.clone();
        let moves = lines
            .into_iter()
            .map(|(input, (lower, upper))| (game.net.inputs[input].clone(), lower, upper))
            .collect();
        Self { choosers: vec![asked], moves, minimise: false }
    }

    fn of_opponents(game: &Game, expander: &dyn Expander, pairs: &[PairValue]) -> Self {
        let joint: Vec<Vec<InputId>> =
            pairs.iter().map(|pair| expander.opponents_moves(pair.opponents)).collect();
        let choosing: Vec<usize> = (0..joint[0].len())
            .filter(|&role| joint.iter().any(|moves| moves[role] != joint[0][role]))
            .collect();
        let roles: Vec<RoleId> =
            choosing.iter().map(|&role| game.casting.opponents[role]).collect();
        let mut rows: BTreeMap<Vec<InputId>, (Ratio, Ratio)> = BTreeMap::new();
        for (pair, moves) in pairs.iter().zip(&joint) {
            let chosen: Vec<InputId> = choosing.iter().map(|&role| moves[role]).collect();
            let row =
                rows.entry(chosen).or_insert_with(|| (pair.lower.clone(), pair.upper.clone()));
            lower_to(row, pair);
        }
        let moves =
            rows.iter().map(|(chosen, (low, high))| (chosen.clone(), low.clone(), high.clone()));
        Self::of_lines(&game.net, &roles, moves, true)
    }

    /// From joint moves of those who choose, with bounds on what each is worth.
    pub(crate) fn of_lines(
        net: &Net,
        choosers: &[RoleId],
        lines: impl Iterator<Item = (Vec<InputId>, Ratio, Ratio)>,
        minimise: bool,
    ) -> Self {
        let text = |chosen: &[InputId]| match chosen {
            [only] => net.inputs[*only].clone(),
            several => {
                let named = several.iter().zip(choosers);
                let texts: Vec<String> = named
                    .map(|(input, role)| {
                        format!("({} {})", net.roles[*role].name, net.inputs[*input])
                    })
                    .collect();
                texts.join(" ")
            }
        };
        let moves = lines.map(|(chosen, lower, upper)| (text(&chosen), lower, upper)).collect();
        let choosers = choosers.iter().map(|role| net.roles[*role].name.clone()).collect();
        Self { choosers, moves, minimise }
    }

    /// The moves with exact values.
    ///
    /// # Panics
    /// When some value is only bounded.
    pub(crate) fn exact(self) -> Vec<FirstMove> {
        let exact = |(text, lower, upper): (String, Ratio, Ratio)| {
            assert_eq!(lower, upper, "an exact value has equal bounds");
            FirstMove { text, value: lower }
        };
        self.moves.into_iter().map(exact).collect()
    }

    /// The moves with bounds, the certainly worse ones marked.
    pub(crate) fn bounded(self) -> Vec<BoundedMove> {
        let lowest_upper = self.moves.iter().map(|(_, _, upper)| upper).min().cloned();
        let highest_lower = self.moves.iter().map(|(_, lower, _)| lower).max().cloned();
        let dominated = |lower: &Ratio, upper: &Ratio| {
            if self.minimise {
                lowest_upper.as_ref().is_some_and(|other| other < lower)
            } else {
                highest_lower.as_ref().is_some_and(|other| other > upper)
            }
        };
        let mark = |(text, lower, upper): &(String, Ratio, Ratio)| BoundedMove {
            text: text.clone(),
            lower: lower.clone(),
            upper: upper.clone(),
            dominated: dominated(lower, upper),
        };
        self.moves.iter().map(mark).collect()
    }
}

/// The smaller of a line so far and a pair, end by end.
fn lower_to(line: &mut (Ratio, Ratio), pair: &PairValue) {
    if pair.lower < line.0 {
        line.0 = pair.lower.clone();
    }
    if pair.upper < line.1 {
        line.1 = pair.upper.clone();
    }
}

/// The value of the root from its pairs: the largest over asked moves of the smallest pair.
pub(crate) fn root_bounds(pairs: &[PairValue]) -> (Ratio, Ratio) {
    let mut lines: BTreeMap<InputId, (Ratio, Ratio)> = BTreeMap::new();
    for pair in pairs {
        let line =
            lines.entry(pair.asked).or_insert_with(|| (pair.lower.clone(), pair.upper.clone()));
        lower_to(line, pair);
    }
    let lower = lines.values().map(|line| &line.0).max();
    let upper = lines.values().map(|line| &line.1).max();
    let root = (lower.expect("a move").clone(), upper.expect("a move").clone());
    debug_assert!(root.0 <= root.1, "bounds in order");
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_dominated_where_another_is_better_for_certain() {
        let quarters = |count: u32| Ratio::new(count, 4_u32);
        let line = |text: &str, lower, upper| (text.to_owned(), quarters(lower), quarters(upper));
        let lines = vec![line("a", 0, 1), line("b", 1, 2), line("c", 2, 2), line("d", 2, 4)];
        let marked = |minimise| {
            let first = FirstMoves { choosers: Vec::new(), moves: lines.clone(), minimise };
            let dominated = first.bounded().into_iter().filter(|line| line.dominated);
            dominated.map(|line| line.text).collect::<String>()
        };
        // The best is worth a half at least: b may be worth as much.
        assert_eq!(marked(false), "a");
        // For opponents the best is worth a quarter at most: b may be as good, c and d not.
        assert_eq!(marked(true), "cd");
    }

    #[test]
    fn a_root_is_worth_the_best_of_its_least_answers() {
        use index::Id;
        let pair = |asked: usize, opponents, lower: u32, upper: u32| PairValue {
            asked: InputId::from_index(asked),
            opponents,
            lower: Ratio::new(lower, 8_u32),
            upper: Ratio::new(upper, 8_u32),
        };
        // Move 0: from 1 to 4; move 1: from 2 to 3; which lines an answer is in does not matter.
        let pairs = [
            pair(0, 0, 1, 6),
            pair(1, 0, 3, 3),
            pair(0, 1, 4, 4),
            pair(1, 1, 2, 7),
            pair(1, 2, 2, 3),
        ];
        let (lower, upper) = root_bounds(&pairs);
        assert_eq!((lower, upper), (Ratio::new(2_u32, 8_u32), Ratio::new(4_u32, 8_u32)));
        let mut back = pairs.to_vec();
        back.reverse();
        assert_eq!(root_bounds(&back), root_bounds(&pairs));
    }
}
