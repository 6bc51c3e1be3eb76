//! A state taken apart: who can do what, and what has ended behind it.
//!
//! Always: pairs of moves come grouped by the asked role's move, in the order of the game's move
//! table; a pair's weights sum to its total; children that have ended know what they pay.
//!
//! Costs two expansions, of the state and of its children together.

use std::ops::Range;

use exact::Ratio;
use kernel::{BLOCK_LANES, Expander, Expansion};
use net::InputId;

use crate::backend::Trouble;

/// One outcome of a pair of moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    pub(super) weight: u32,
    pub(super) total: u32,
    /// Which child.
    pub(super) child: usize,
}

impl Outcome {
    /// Its probability.
    pub(super) fn share(&self) -> Ratio {
        Ratio::new(u64::from(self.weight), u64::from(self.total))
    }
}

/// A move of the asked role and a joint move of the opponents.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) asked: InputId,
    pub(super) opponents: u32,
    pub(super) outcomes: Vec<Outcome>,
}

/// A state behind a joint move.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) key: Box<[u64]>,
    /// What it is worth, where it is terminal.
    pub(super) ended: Option<Ratio>,
}

/// A state that is not terminal, with everything that one step leads to.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub(super) pairs: Vec<Pair>,
    pub(super) children: Vec<Child>,
    /// Whether both the asked role and an opponent have several legal moves.
    pub(super) simultaneous: bool,
}

impl Opened {
    /// The asked role's moves, each with its pairs.
    pub(super) fn moves(&self) -> impl Iterator<Item = (InputId, Range<usize>)> + '_ {
        let mut end = 0;
        self.pairs.chunk_by(|left, right| left.asked == right.asked).map(move |pairs| {
            let start = end;
            end += pairs.len();
            (pairs[0].asked, start..end)
        })
    }

    /// Whether nobody but chance has a choice.
    pub(super) fn is_quiet(&self) -> bool {
        self.pairs.len() == 1
    }
}

/// Opens states.
pub(super) struct Opener {
    pub(super) expander: Box<dyn Expander>,
    expansion: Expansion,
    /// The payment that stands for a value of 1.
    top: u32,
}

impl Opener {
    /// An opener with an expander of its own.
    pub(super) fn new(expander: Box<dyn Expander>, top: u32) -> Self {
        assert!(top > 0, "something can be won");
        Self { expander, expansion: Expansion::default(), top }
    }

    fn expand(&mut self, keys: &[u64], children: bool) -> Result<(), Trouble> {
        let width = self.expander.words();
        let expanded = self.expander.expand(keys, children, &mut self.expansion);
        expanded.map_err(|flaw| Trouble::flaw(keys, width, flaw))
    }

    /// What a state is worth, where it is terminal.
    ///
    /// # Errors
    /// On a flaw of the state.
    pub(super) fn ended(&mut self, key: &[u64]) -> Result<Option<Ratio>, Trouble> {
        self.expand(key, false)?;
        Ok(self.ended_in(0))
    }

    fn ended_in(&self, lane: usize) -> Option<Ratio> {
        let terminal = self.expansion.terminal[lane / 64] >> (lane % 64) & 1 == 1;
        let worth = || Ratio::new(u64::from(self.expansion.payoff[lane]), u64::from(self.top));
        terminal.then(worth)
    }

    /// Opens a state that is not terminal.
    ///
    /// # Errors
    /// On a flaw of the state or of one of its children.
    pub(super) fn open(&mut self, key: &[u64]) -> Result<Opened, Trouble> {
        self.expand(key, true)?;
        let pairs = self.pairs();
        let simultaneous = self.expansion.simultaneous;
        let keys = std::mem::take(&mut self.expansion.children);
        let width = self.expander.words();
        let mut children = Vec::with_capacity(keys.len() / width);
        for block in keys.chunks(BLOCK_LANES * width) {
            self.expand(block, false)?;
            for (lane, key) in block.chunks(width).enumerate() {
                children.push(Child { key: key.into(), ended: self.ended_in(lane) });
            }
        }
        let outcomes = pairs.iter().flat_map(|pair| &pair.outcomes);
        assert!(
            outcomes.map(|outcome| outcome.child).eq(0..children.len()),
            "one child an outcome"
        );
        Ok(Opened { pairs, children, simultaneous })
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
        assert!(!pairs.is_empty(), "a state that is not terminal has a joint move");
        pairs
    }
}
