//! Steps from states: what the search asks of whoever takes states apart.
//!
//! On the processor a call with one state costs little more than its part of a full block
//! ([`Processor`]); a device wants many states a call, and whoever calls it gathers them
//! ([`super::together`]).
//!
//! Always: what is told of a state does not depend on the others of the call, so that a search comes
//! to the same end whoever takes its states apart. A flaw is told and no error: states that are
//! gathered ahead may never be visited, and a fault of theirs is then nobody's concern.

use std::sync::Arc;

use exact::Ratio;
use kernel::{BLOCK_LANES, Expander, Expansion, FlawKind};
use net::InputId;
use verdict::Watch;

use crate::backend::Trouble;

/// One outcome of a pair of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many of the `total` equally likely joint chance moves lead here.
    pub weight: u32,
    /// Number of joint chance moves; at least 1.
    pub total: u32,
    /// Which child.
    pub child: usize,
}

impl Outcome {
    /// Its probability.
    pub(crate) fn share(&self) -> Ratio {
        Ratio::new(u64::from(self.weight), u64::from(self.total))
    }
}

/// A move of the asked role and a joint move of the opponents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The asked role's move.
    pub asked: InputId,
    /// Ordinal of the opponents' joint move; see [`Expander::opponents_moves`].
    pub opponents: u32,
    /// What chance makes of them, chance moves of equal effect together.
    pub outcomes: Vec<Outcome>,
}

/// Everything that one step from a state leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Grouped by the asked role's move, moves ascending, the opponents' first one outermost.
    pub pairs: Arc<[Pair]>,
    /// Keys of the children, one an outcome, in the order of the outcomes.
    pub children: Vec<u64>,
    /// Whether both the asked role and an opponent have several legal moves.
    pub simultaneous: bool,
}

impl Opening {
    /// An opening whose children number as its outcomes do.
    ///
    /// # Panics
    /// Where there is no pair, or outcomes and children do not fit each other.
    pub fn new(pairs: Vec<Pair>, children: Vec<u64>, simultaneous: bool) -> Self {
        assert!(!pairs.is_empty(), "a state that is not terminal has a joint move");
        let numbered = pairs.iter().flat_map(|pair| &pair.outcomes).map(|outcome| outcome.child);
        let count = pairs.iter().map(|pair| pair.outcomes.len()).sum();
        assert!(numbered.eq(0..count), "one child an outcome");
        assert!(children.len().is_multiple_of(count), "a key for each child");
        Self { pairs: pairs.into(), children, simultaneous }
    }

    /// Bytes that it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let outcomes = self.children.len().max(self.pairs.len()) * size_of::<Outcome>();
        size_of::<Self>() + size_of_val(&*self.pairs) + outcomes + 8 * self.children.len()
    }
}

/// What is told of one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// It has ended, and pays so much ([`kernel::Casting::payoffs`]).
    Ended(u32),
    /// It goes on; nobody asked how.
    Going,
    /// It goes on like this.
    Open(Arc<Opening>),
    /// It breaks a rule of the language; or a child of it breaks a guess, where children were asked
    /// for.
    Flawed(FlawKind),
}

/// Whoever takes states apart.
pub trait Stepper: Send {
    /// States that it is best given together; 1 where one by one costs as little.
    fn appetite(&self) -> usize;
    /// Bytes that it holds.
    fn bytes(&self) -> u64 {
        0
    }
    /// Takes packed states apart, as many as there are; with `children`, those that go on are opened.
    ///
    /// # Errors
    /// On a limit that work in flight cannot outlast, and where a device fails or does not do such
    /// states.
    fn step(
        &mut self,
        keys: &[u64],
        children: bool,
        watch: &Watch<'_>,
    ) -> Result<Vec<Stepped>, Trouble>;
}

/// The processor, by the kernel's expander: an expansion a state that is opened, and one a block of
/// states that are only looked at.
pub(super) struct Processor {
    expander: Box<dyn Expander>,
    expansion: Expansion,
}

impl Processor {
    /// A processor with an expander of its own.
    pub(super) fn new(expander: Box<dyn Expander>) -> Self {
        Self { expander, expansion: Expansion::default() }
    }

    /// What packs and unpacks states.
    pub(super) fn reader(&self) -> &dyn Expander {
        &*self.expander
    }

    fn open(&mut self, key: &[u64]) -> Stepped {
        match self.expander.expand(key, true, &mut self.expansion) {
            Err(flaw) => Stepped::Flawed(flaw.kind),
            Ok(()) if self.expansion.terminal[0] & 1 == 1 => self.seen(0),
            Ok(()) => {
                let children = std::mem::take(&mut self.expansion.children);
                let simultaneous = self.expansion.simultaneous;
                Stepped::Open(Arc::new(Opening::new(self.pairs(), children, simultaneous)))
            }
        }
    }

    /// Looks at the states of a block; where one is flawed, at each by itself.
    fn look(&mut self, keys: &[u64], found: &mut Vec<Stepped>) {
        let width = self.expander.words();
        let flaw = self.expander.expand(keys, false, &mut self.expansion).err();
        match flaw {
            None => found.extend((0..keys.len() / width).map(|lane| self.seen(lane))),
            Some(flaw) if keys.len() == width => found.push(Stepped::Flawed(flaw.kind)),
            Some(_) => keys.chunks(width).for_each(|key| self.look(key, found)),
        }
    }

    fn seen(&self, lane: usize) -> Stepped {
        match self.expansion.terminal[lane / 64] >> (lane % 64) & 1 {
            0 => Stepped::Going,
            _ => Stepped::Ended(self.expansion.payoff[lane]),
        }
    }

    /// The pairs of moves of the state expanded last, whose children come in their order.
    fn pairs(&self) -> Vec<Pair> {
        let (mut pairs, mut outcomes) = (Vec::new(), Vec::new());
        for (child, joint) in self.expansion.joints.iter().enumerate() {
            let (weight, total) = (joint.weight, joint.total);
            assert_eq!(joint.first_child, child, "children lie in the order of the entries");
            outcomes.push(Outcome { weight, total, child });
            if joint.last_of_pair {
                let (asked, opponents) = (joint.asked, joint.opponents);
                pairs.push(Pair { asked, opponents, outcomes: std::mem::take(&mut outcomes) });
            }
        }
        assert!(outcomes.is_empty(), "the last entry ends its pair");
        pairs
    }
}

impl Stepper for Processor {
    fn appetite(&self) -> usize {
        1
    }

    fn step(
        &mut self,
        keys: &[u64],
        children: bool,
        _watch: &Watch<'_>,
    ) -> Result<Vec<Stepped>, Trouble> {
        let width = self.expander.words();
        assert!(keys.len().is_multiple_of(width), "whole keys");
        if children {
            return Ok(keys.chunks(width).map(|key| self.open(key)).collect());
        }
        let mut found = Vec::with_capacity(keys.len() / width);
        keys.chunks(BLOCK_LANES * width).for_each(|block| self.look(block, &mut found));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;
    use crate::Options;
    use crate::game::Game;
    use crate::testing::{Limits, game, under};

    #[test]
    fn openings_tell_about_what_they_take() {
        let opening = |pairs: usize, outcomes: usize, width: usize| {
            let pair = |at: usize| Pair {
                asked: InputId::from_index(at),
                opponents: 0,
                outcomes: (0..outcomes)
                    .map(|one| Outcome {
                        weight: 1,
                        total: outcomes as u32,
                        child: at * outcomes + one,
                    })
                    .collect(),
            };
            let children = vec![7; pairs * outcomes * width];
            Opening::new((0..pairs).map(pair).collect(), children, false).bytes()
        };
        for (pairs, outcomes, width) in [(1, 1, 1), (9, 1, 1), (9, 4, 1), (40, 2, 3)] {
            let count = pairs * outcomes;
            let least = pairs * size_of::<Pair>() + count * (size_of::<Outcome>() + 8 * width);
            let bytes = opening(pairs, outcomes, width);
            assert!(bytes >= least && bytes <= 3 * least + 200, "{bytes} bytes, {least} certain");
        }
    }

    /// What is only looked at together is what is opened one by one.
    #[test]
    fn states_are_told_the_same_together_and_one_by_one() {
        under(Limits::default(), |watch| {
            let options = Options::default();
            let game = Game::new(&game("tic-tac-toe"), &options, watch).expect("a game");
            let expander = game.expander(&options).expect("few moves");
            let mut processor = Processor::new(expander.fork());
            assert_eq!(processor.appetite(), 1, "it does not wait for more");
            let plays = net::facts::playouts(&game.net, 5, 80, 20);
            let states = plays.iter().flatten().map(|state| state.iter().collect::<Vec<_>>());
            let keys: Vec<Vec<u64>> = states.filter_map(|it| expander.pack(&it)).collect();
            assert!(keys.len() > 500, "{} states", keys.len());
            let joined = keys.concat();
            let looked = processor.step(&joined, false, watch).expect("no flaw");
            assert_eq!(looked.len(), keys.len());
            let opened = processor.step(&joined, true, watch).expect("no flaw");
            assert_eq!(opened.len(), keys.len());
            let mut ended = 0;
            for (look, open) in looked.iter().zip(&opened) {
                match (look, open) {
                    (Stepped::Ended(one), Stepped::Ended(other)) => {
                        assert_eq!(one, other);
                        ended += 1;
                    }
                    (Stepped::Going, Stepped::Open(_)) => {}
                    other => panic!("{other:?}"),
                }
            }
            assert!(ended >= 80, "{ended} ends of 80 plays");
        });
    }
}
