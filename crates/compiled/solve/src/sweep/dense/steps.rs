//! Levels of places: which phase, how many steps, and the common denominator.
//!
//! Kept are games in which the sum of the digits' levels tells the phase and rises with every
//! outcome; so a phase needs no room in a place. The denominator of a level is the product, over
//! it and the levels above, of the least common multiple of the totals of chance of its phase. A
//! mean is then a sum of products, exact in 64 bits: what does not fit is refused.

use exact::UBig;
use factor::{Factored, Levels, Refusal};

/// Most levels.
const MOST_LEVELS: usize = 1 << 14;

/// By level: what states there have in common.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// By digit and value: its part of the level.
    pub(super) parts: Vec<Vec<u32>>,
    /// The phase; none where no state is reached.
    pub(super) phases: Vec<Option<usize>>,
    /// The denominator, without the payment that stands for 1.
    pub(super) units: Vec<u64>,
    /// The largest payment.
    pub(super) top: u64,
    /// Steps are the level and this, by phase.
    offsets: Vec<i64>,
    /// By phase, pair and outcome: how far the level rises.
    rises: Vec<Vec<Vec<usize>>>,
    /// By level: the most steps at it or before.
    longest: Vec<u32>,
}

impl Steps {
    /// From proven levels.
    pub(super) fn new(game: &Factored, levels: &Levels, top: u32) -> Result<Self, Refusal> {
        let highest = |parts: &Vec<u32>| parts.iter().copied().max().unwrap_or(0) as usize;
        let count = levels.digits.iter().map(highest).sum::<usize>() + 1;
        if count > MOST_LEVELS {
            return Err(Refusal("there are too many levels"));
        }
        let rising = |rise: &i64| usize::try_from(*rise).ok().filter(|rise| *rise > 0);
        let rises: Option<Vec<Vec<Vec<usize>>>> = levels
            .rises
            .iter()
            .map(|pairs| pairs.iter().map(|pair| pair.iter().map(rising).collect()).collect())
            .collect();
        let rises = rises.ok_or(Refusal("a move leaves all digits as they are"))?;
        let start = game.digits.iter().zip(&levels.digits);
        let start: u32 = start.map(|(digit, parts)| parts[digit.start as usize]).sum();
        let mut phases = vec![None; count];
        phases[start as usize] = Some(0);
        for level in 0..count {
            let Some(phase) = phases[level] else { continue };
            for (pair, rises) in game.phases[phase].pairs.iter().zip(&rises[phase]) {
                for (outcome, rise) in pair.outcomes.iter().zip(rises) {
                    // Beyond the last level no state is reached.
                    let Some(held) = phases.get_mut(level + rise) else { continue };
                    if *held.get_or_insert(outcome.phase) != outcome.phase {
                        return Err(Refusal("whose turn it is does not follow from the digits"));
                    }
                }
            }
        }
        let units = units(game, &phases, top)?;
        let (parts, offsets) = (levels.digits.clone(), levels.phases.clone());
        let mut steps =
            Self { parts, phases, units, top: u64::from(top), offsets, rises, longest: vec![] };
        let mut most = 0;
        for level in 0..count {
            if steps.phases[level].is_some() {
                most = most.max(steps.steps(level));
            }
            steps.longest.push(most);
        }
        Ok(steps)
    }

    /// The part of a digit's value.
    pub(super) fn part(&self, digit: usize, value: usize) -> usize {
        self.parts[digit][value] as usize
    }

    /// Steps played at a level that is reached.
    pub(super) fn steps(&self, level: usize) -> u32 {
        let phase = self.phases[level].expect("a level that is reached");
        u32::try_from(level as i64 + self.offsets[phase]).expect("steps count from 0")
    }

    /// Steps of the longest play that ends at a level or before it.
    pub(super) fn longest(&self, level: usize) -> u32 {
        self.longest[level.min(self.longest.len() - 1)]
    }

    /// What a child's value is multiplied with: the outcome's share, times what the denominators
    /// differ by. Zero at levels beyond which nothing lies.
    pub(super) fn weight(
        &self,
        game: &Factored,
        level: usize,
        (phase, pair, outcome): (usize, usize, usize),
    ) -> u64 {
        let held = &game.phases[phase].pairs[pair];
        let Some(below) = self.units.get(level + self.rises[phase][pair][outcome]) else {
            return 0;
        };
        let step = self.units[level] / below;
        assert!(step.is_multiple_of(u64::from(held.total)), "a unit has room for its chance");
        step / u64::from(held.total) * u64::from(held.outcomes[outcome].weight)
    }

    /// A value at a level as a fraction.
    pub(super) fn ratio(&self, level: usize, value: u64) -> exact::Ratio {
        let whole = UBig::from(self.units[level]) * UBig::from(self.top);
        exact::Ratio::new(UBig::from(value), whole)
    }
}

fn units(game: &Factored, phases: &[Option<usize>], top: u32) -> Result<Vec<u64>, Refusal> {
    fn gcd(left: u64, right: u64) -> u64 {
        if right == 0 { left } else { gcd(right, left % right) }
    }
    let too_long = Refusal("the common denominators have more than 64 bits");
    let mut units = vec![1; phases.len()];
    let mut unit = 1u64;
    for level in (0..phases.len()).rev() {
        let pairs = phases[level].map_or(&[][..], |phase| &game.phases[phase].pairs);
        let totals = pairs.iter().map(|pair| u64::from(pair.total));
        let common =
            totals.fold(1u64, |sum, total| (sum / gcd(sum, total)).checked_mul(total).unwrap_or(0));
        // The last level has no children, so it needs no room for its chance.
        let common = if level + 1 == phases.len() { 1 } else { common };
        unit = unit.checked_mul(common).filter(|unit| *unit > 0).ok_or(too_long)?;
        units[level] = unit;
    }
    units[0].checked_mul(u64::from(top)).ok_or(too_long)?;
    Ok(units)
}
