//! Stack: what is still to be done on the way back, innermost on top.
//!
//! A branch has room for one value: the best or the sum so far. The rest has none, so that the
//! stack is as small as the formula is deep.

use qcnf::Lit;

use crate::scales::Weight;

/// One thing to do with the value that comes back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// Try the other value of the variable, or combine both.
    Branch {
        /// The literal that is true now.
        lit: Lit,
        /// Literals that held before it.
        mark: usize,
        /// Whether this is the second value.
        second: bool,
    },
    /// Multiply by a weight of a chance variable that had one value, or was free.
    Pass {
        /// Which chance variable.
        chance: u32,
        /// Which weight.
        weight: Weight,
    },
    /// Leave a level; keep the value in this entry of the boundary's table, where there is one.
    Boundary {
        /// The entry.
        entry: Option<u32>,
    },
}

/// Frames, and the values of branches.
pub(crate) struct Stack {
    frames: Vec<Frame>,
    values: Vec<u64>,
    width: usize,
}

impl Stack {
    pub(crate) fn new(width: usize) -> Self {
        debug_assert!(width > 0);
        Self { frames: Vec::new(), values: Vec::new(), width }
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        if matches!(frame, Frame::Branch { .. }) {
            self.values.resize(self.values.len() + self.width, 0);
        }
        self.frames.push(frame);
    }

    pub(crate) fn top(&self) -> Option<Frame> {
        self.frames.last().copied()
    }

    pub(crate) fn pop(&mut self) {
        if let Some(Frame::Branch { .. }) = self.frames.pop() {
            self.values.truncate(self.values.len() - self.width);
        }
    }

    /// The top frame, a branch, takes its second value.
    pub(crate) fn turn(&mut self) {
        match self.frames.last_mut() {
            Some(Frame::Branch { lit, second, .. }) => {
                debug_assert!(!*second, "a branch has two values");
                (*lit, *second) = (!*lit, true);
            }
            _ => unreachable!("only a branch turns"),
        }
    }

    /// The value so far of the top frame, a branch.
    pub(crate) fn value(&mut self) -> &mut [u64] {
        let start = self.values.len() - self.width;
        &mut self.values[start..]
    }
}
