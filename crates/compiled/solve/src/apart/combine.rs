//! The answer of a game from those of its subgames.
//!
//! A first move of a role bears on one subgame: it is worth to the whole what it is worth there,
//! combined with the values of the others. Where opponents choose in several subgames, a line is a
//! joint move, and each part of it is looked up where it bears.
//!
//! Always: lines of a part are in the order of its moves, which is that of the whole game.

use exact::Ratio;
use gdl::RoleId;
use net::InputId;
use net::apart::{Apart, Wanted};
use verdict::{BoundedMove, Counts, FirstMove, Halt, Stop, Verdict};

use super::Known;
use crate::first_moves::FirstMoves;
use crate::game::Game;

/// A game with what is known of its subgames.
pub(super) struct Combined<'a> {
    pub(super) game: &'a Game,
    pub(super) apart: &'a Apart,
    pub(super) known: &'a [Known],
}

/// Bounds.
type Range = (Ratio, Ratio);

impl Known {
    fn range(&self) -> Range {
        match self {
            Self::Exact(verdict) => (verdict.value.clone(), verdict.value.clone()),
            Self::Halted(halt) => (halt.lower.clone(), halt.upper.clone()),
        }
    }

    fn lines(&self) -> Vec<Range> {
        let exact = |line: &FirstMove| (line.value.clone(), line.value.clone());
        let bounded = |line: &BoundedMove| (line.lower.clone(), line.upper.clone());
        match self {
            Self::Exact(verdict) => verdict.moves.iter().map(exact).collect(),
            Self::Halted(halt) => halt.moves.iter().map(bounded).collect(),
        }
    }

    fn counts(&self) -> Counts {
        match self {
            Self::Exact(verdict) => verdict.counts,
            Self::Halted(halt) => halt.counts,
        }
    }
}

impl Combined<'_> {
    /// The verdict, or a halt for the reason of the first part that was not solved; none where all
    /// were and do not know the first moves.
    pub(super) fn judged(&self) -> Option<Result<Verdict, Stop>> {
        let ranges: Vec<Range> = self.known.iter().map(Known::range).collect();
        let (lower, upper) = self.together(ranges.iter());
        let first = self.first_moves(&ranges);
        let halted = self.known.iter().find_map(|known| match known {
            Known::Halted(halt) => Some(halt),
            Known::Exact(_) => None,
        });
        if let Some(halt) = halted {
            let first = first.unwrap_or_else(FirstMoves::none);
            return Some(Err(Stop::Halted(Box::new(Halt {
                reason: halt.reason.clone(),
                lower,
                upper,
                choosers: first.choosers.clone(),
                moves: first.bounded(),
                counts: self.counts(),
                advice: halt.advice.clone(),
                estimate: None,
            }))));
        }
        let first = first?;
        let verdicts = || {
            self.known.iter().filter_map(|known| match known {
                Known::Exact(verdict) => Some(verdict),
                Known::Halted(_) => None,
            })
        };
        assert_eq!(lower, upper, "exact values combine to one");
        Some(Ok(Verdict {
            value: lower,
            choosers: first.choosers.clone(),
            moves: first.exact(),
            cut: verdicts().any(|verdict| verdict.cut),
            simultaneous: verdicts().any(|verdict| verdict.simultaneous),
            checked: verdicts().all(|verdict| verdict.checked),
            counts: self.counts(),
        }))
    }

    /// What parts of these values are worth together.
    fn together<'r>(&self, ranges: impl Iterator<Item = &'r Range>) -> Range {
        let one = Ratio::one;
        let wanted = self.apart.wanted;
        let factor = |value: &Ratio| match wanted {
            Wanted::All => value.clone(),
            Wanted::Any => one() - value,
        };
        let products = ranges.fold((one(), one()), |(low, high), (lower, upper)| {
            (low * factor(lower), high * factor(upper))
        });
        match wanted {
            Wanted::All => products,
            Wanted::Any => (one() - products.0, one() - products.1),
        }
    }

    /// The first moves of whoever chooses; none where a part does not know those that bear on it.
    fn first_moves(&self, ranges: &[Range]) -> Option<FirstMoves> {
        let (game, net) = (self.game, &*self.game.net);
        let view = net::interpret::view(net, &net::interpret::initial(net));
        let legal = |role: RoleId| -> Vec<InputId> {
            net.moves(role).filter(|input| view.legal[*input]).collect()
        };
        let asked = game.casting.asked;
        let rivals: Vec<RoleId> = match legal(asked).len() {
            0 | 1 => {
                let opponents = game.casting.opponents.iter().copied();
                opponents.filter(|role| legal(*role).len() > 1).collect()
            }
            _ => Vec::new(),
        };
        let minimise = !rivals.is_empty();
        let choosing = if minimise { rivals } else { vec![asked] };
        let moves: Vec<Vec<InputId>> = choosing.iter().map(|role| legal(*role)).collect();
        let lines: Vec<Vec<Range>> = self.known.iter().map(Known::lines).collect();
        // By part: which of those who choose do so in it.
        let mut owners: Vec<Vec<usize>> = vec![Vec::new(); lines.len()];
        for (place, role) in choosing.iter().enumerate() {
            if let Some(part) = self.apart.first[*role] {
                owners[part].push(place);
            }
        }
        let fits = |(lines, owners): (&Vec<Range>, &Vec<usize>)| {
            let joint: usize = owners.iter().map(|place| moves[*place].len()).product();
            owners.is_empty() || lines.len() == joint
        };
        if !lines.iter().zip(&owners).all(fits) {
            return None;
        }
        let count: usize = moves.iter().map(Vec::len).product();
        let rows = (0..count).map(|row| {
            let digits = digits(row, &moves);
            let range = |part: usize| match &owners[part][..] {
                [] => &ranges[part],
                own => {
                    let place =
                        |at: usize, digit: &usize| at * moves[*digit].len() + digits[*digit];
                    &lines[part][own.iter().fold(0, place)]
                }
            };
            let (lower, upper) = self.together((0..lines.len()).map(range));
            let chosen = digits.iter().zip(&moves).map(|(digit, moves)| moves[*digit]).collect();
            (chosen, lower, upper)
        });
        Some(FirstMoves::of_lines(net, &choosing, rows, minimise))
    }

    /// Sums over the parts, and the longest play.
    fn counts(&self) -> Counts {
        let each = || self.known.iter().map(Known::counts);
        Counts {
            states: each().map(|counts| counts.states).sum(),
            decision_states: each().map(|counts| counts.decision_states).sum(),
            stored: each().map(|counts| counts.stored).sum(),
            plies: each().map(|counts| counts.plies).max().flatten(),
            apart: u32::try_from(self.known.len()).ok(),
            translation: None,
        }
    }
}

/// Which move each chooser makes in a line; the last one's moves change first.
fn digits(mut row: usize, moves: &[Vec<InputId>]) -> Vec<usize> {
    let mut digits = vec![0; moves.len()];
    for (digit, moves) in digits.iter_mut().zip(moves).rev() {
        *digit = row % moves.len();
        row /= moves.len();
    }
    debug_assert_eq!(row, 0, "a line is one of the joint moves");
    digits
}
