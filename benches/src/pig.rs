//! Pig by value iteration of its own, in floats and without a guarantee: the baseline of certified
//! bounds, and their witness.
//!
//! Sweeps over all states until none moves by more than 1e-13, since rounding keeps values moving by
//! some 1e-15 for ever; scores are gone through from the highest down, so that some hundred sweeps
//! suffice. A player whose score and total reach the target has won. Source: Neller and Presser,
//! *Optimal play of the dice game Pig* (2004), who give 0.5306 for the first player of a game to 100.

/// Where no value moves by more, it is over.
const STILL: f64 = 1e-13;

/// Values by score of the mover, score of the other, and total of the turn.
struct Board {
    target: usize,
    die: usize,
    values: Vec<f64>,
}

impl Board {
    fn at(&self, own: usize, other: usize, total: usize) -> usize {
        (own * self.target + other) * self.target + total
    }

    /// The odds of the mover.
    fn odds(&self, own: usize, other: usize, total: usize) -> f64 {
        if own + total >= self.target { 1.0 } else { self.values[self.at(own, other, total)] }
    }

    fn better(&self, own: usize, other: usize, total: usize) -> f64 {
        let lost = 1.0 - self.odds(other, own, 0);
        let rolled = (2..=self.die).map(|pips| self.odds(own, other, total + pips)).sum::<f64>();
        let roll = (lost + rolled) / self.die as f64;
        let hold = 1.0 - self.odds(other, own + total, 0);
        roll.max(hold)
    }

    /// How far one sweep moved some value.
    fn sweep(&mut self) -> f64 {
        let mut moved = 0.0_f64;
        for sum in (0..2 * self.target).rev() {
            for own in sum.saturating_sub(self.target - 1)..self.target.min(sum + 1) {
                let other = sum - own;
                for total in (0..self.target - own).rev() {
                    let value = self.better(own, other, total);
                    let at = self.at(own, other, total);
                    moved = moved.max((value - self.values[at]).abs());
                    self.values[at] = value;
                }
            }
        }
        moved
    }
}

/// The odds of whoever begins, to nine digits.
pub(crate) fn odds(target: usize, die: usize) -> String {
    assert!(target > 0 && die > 1, "a target and a die");
    let mut board = Board { target, die, values: vec![0.0; target * target * target] };
    while board.sweep() > STILL {}
    format!("{:.9}", board.odds(0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::odds;

    #[test]
    fn small_targets_have_their_exact_odds() {
        assert_eq!(odds(5, 6), format!("{:.9}", 216.0 / 271.0));
        assert_eq!(odds(10, 6), format!("{:.9}", 7776.0 / 10961.0));
        assert_eq!(odds(40, 6).len(), 11, "it comes to an end");
    }
}
