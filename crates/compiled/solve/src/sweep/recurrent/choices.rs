//! What each state offers, laid out flat: moves of the asked role, the opponents' replies to each,
//! chance behind each reply.
//!
//! Three levels of offsets in the order of states, so that a fold of one state reads one stretch
//! of memory. Iteration visits the states of a strongly connected part many times and evaluates
//! no rule again.
//!
//! Always: a state that is not terminal has a move, each move has a reply, each reply has an
//! outcome, and a reply's weights sum to its total.

use std::ops::Range;

use kernel::{BLOCK_WORDS, Expansion};
use store::{HugeVec, OutOfMemory};

use super::super::registers::for_lanes;

/// Marks a state that is not terminal.
pub(super) const GOES_ON: u32 = u32::MAX;

/// The choices of all states.
pub(in super::super) struct Choices {
    /// Where each state's moves start; one entry more than states.
    moves_of: HugeVec<u32>,
    /// Where each move's replies start.
    replies_of: HugeVec<u32>,
    /// Where each reply's outcomes start.
    outcomes_of: HugeVec<u32>,
    /// Each reply's sum of weights.
    totals: HugeVec<u32>,
    children: HugeVec<u32>,
    weights: HugeVec<u32>,
    /// What each terminal state pays.
    payoffs: HugeVec<u32>,
}

/// One state's choices, while a block is read.
#[derive(Clone, Default)]
pub(super) struct Lane {
    pub(super) outcomes: Vec<(u32, u32)>,
    /// Ends of replies in `outcomes`.
    pub(super) replies: Vec<usize>,
    /// Ends of moves in `replies`.
    pub(super) moves: Vec<usize>,
}

impl Choices {
    /// No state yet.
    pub(in super::super) fn new() -> Result<Self, OutOfMemory> {
        let mut choices = Self {
            moves_of: HugeVec::new(),
            replies_of: HugeVec::new(),
            outcomes_of: HugeVec::new(),
            totals: HugeVec::new(),
            children: HugeVec::new(),
            weights: HugeVec::new(),
            payoffs: HugeVec::new(),
        };
        choices.moves_of.extend(&[0])?;
        choices.replies_of.extend(&[0])?;
        choices.outcomes_of.extend(&[0])?;
        Ok(choices)
    }

    /// Appends the states of an expanded block; `children` lists each state's children in the
    /// order of its entries.
    pub(in super::super) fn append(
        &mut self,
        expansion: &Expansion,
        lists: &[&[u32]],
    ) -> Result<(), OutOfMemory> {
        let mut lanes = vec![Lane::default(); lists.len()];
        let mut asked_mask = [0; BLOCK_WORDS];
        for joint in &expansion.joints {
            for_lanes(&joint.mask, |lane| {
                let at = lanes[lane].outcomes.len();
                lanes[lane].outcomes.push((lists[lane][at], joint.weight));
                if joint.last_of_pair {
                    lanes[lane].replies.push(at + 1);
                }
            });
            for (sum, word) in asked_mask.iter_mut().zip(&joint.mask) {
                *sum |= word;
            }
            if joint.last_of_asked {
                for_lanes(&asked_mask, |lane| {
                    let end = lanes[lane].replies.len();
                    lanes[lane].moves.push(end);
                });
                asked_mask.fill(0);
            }
        }
        let terminal = |lane: usize| expansion.terminal[lane / 64] >> (lane % 64) & 1 == 1;
        for (lane, (choices, list)) in lanes.iter().zip(lists).enumerate() {
            assert_eq!(choices.outcomes.len(), list.len(), "each edge is read once");
            assert_eq!(choices.moves.is_empty(), terminal(lane), "who goes on has a move");
            let payoff = if terminal(lane) { expansion.payoff[lane] } else { GOES_ON };
            self.push(choices, payoff)?;
        }
        Ok(())
    }

    pub(super) fn push(&mut self, lane: &Lane, payoff: u32) -> Result<(), OutOfMemory> {
        let (mut reply_from, mut outcome_from) = (0, 0);
        for &move_end in &lane.moves {
            assert!(move_end > reply_from, "each move has a reply");
            for &reply_end in &lane.replies[reply_from..move_end] {
                self.push_reply(&lane.outcomes[outcome_from..reply_end])?;
                outcome_from = reply_end;
            }
            self.replies_of.extend(&[self.totals.len() as u32])?;
            reply_from = move_end;
        }
        assert_eq!(outcome_from, lane.outcomes.len(), "every outcome is in a reply");
        self.payoffs.extend(&[payoff])?;
        self.moves_of.extend(&[self.replies_of.len() as u32 - 1])
    }

    fn push_reply(&mut self, outcomes: &[(u32, u32)]) -> Result<(), OutOfMemory> {
        assert!(!outcomes.is_empty(), "each reply has an outcome");
        for &(child, weight) in outcomes {
            self.children.extend(&[child])?;
            self.weights.extend(&[weight])?;
        }
        self.totals.extend(&[outcomes.iter().map(|outcome| outcome.1).sum()])?;
        assert!(self.children.len() < u32::MAX as usize, "edges are counted in 32 bits");
        self.outcomes_of.extend(&[self.children.len() as u32])
    }

    /// How many states there are.
    pub(in super::super) fn states(&self) -> usize {
        self.payoffs.len()
    }

    /// Bytes held.
    pub(in super::super) fn bytes(&self) -> u64 {
        let levels = self.moves_of.bytes() + self.replies_of.bytes() + self.outcomes_of.bytes();
        let edges = self.children.bytes() + self.weights.bytes();
        levels + edges + self.totals.bytes() + self.payoffs.bytes()
    }

    /// What a terminal state pays; none where play goes on.
    pub(super) fn payoff(&self, state: u32) -> Option<u32> {
        let payoff = self.payoffs.as_slice()[state as usize];
        (payoff != GOES_ON).then_some(payoff)
    }

    /// The asked role's moves of a state.
    pub(super) fn moves(&self, state: u32) -> Range<u32> {
        between(&self.moves_of, state)
    }

    /// The opponents' replies to a move.
    pub(super) fn replies(&self, choice: u32) -> Range<u32> {
        between(&self.replies_of, choice)
    }

    /// The outcomes of a reply: children and weights, and the sum of the weights.
    pub(super) fn outcomes(&self, reply: u32) -> Outcomes<'_> {
        let range = between(&self.outcomes_of, reply);
        let range = range.start as usize..range.end as usize;
        Outcomes {
            children: &self.children.as_slice()[range.clone()],
            weights: &self.weights.as_slice()[range],
            total: self.totals.as_slice()[reply as usize],
        }
    }

    /// All children of a state, one an outcome.
    pub(super) fn children(&self, state: u32) -> &[u32] {
        let moves = self.moves(state);
        let reply = |choice: u32| self.replies_of.as_slice()[choice as usize];
        let outcome = |reply: u32| self.outcomes_of.as_slice()[reply as usize] as usize;
        &self.children.as_slice()[outcome(reply(moves.start))..outcome(reply(moves.end))]
    }

    /// The value of a state from the means behind its replies: the largest over moves of the
    /// smallest over replies.
    ///
    /// # Panics
    /// When the state is terminal.
    #[inline]
    pub(super) fn fold<V: Ord>(&self, state: u32, mut mean: impl FnMut(u32) -> V) -> V {
        let smallest = |choice: u32| {
            let mut means = self.replies(choice).map(&mut mean);
            let first = means.next().expect("a reply");
            means.fold(first, V::min)
        };
        self.moves(state).map(smallest).max().expect("a move")
    }
}

/// The outcomes of one reply.
#[derive(Clone, Copy)]
pub(super) struct Outcomes<'a> {
    pub(super) children: &'a [u32],
    pub(super) weights: &'a [u32],
    pub(super) total: u32,
}

impl Outcomes<'_> {
    /// Children with their weights.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.children.iter().copied().zip(self.weights.iter().copied())
    }
}

#[inline]
fn between(offsets: &HugeVec<u32>, index: u32) -> Range<u32> {
    let offsets = offsets.as_slice();
    offsets[index as usize]..offsets[index as usize + 1]
}
