//! Stack: what is still to be done on the way back, innermost on top.
//!
//! Each frame keeps the window that was open when it was made; a branch also keeps one value, the
//! best or the sum so far.

use qcnf::Lit;

use super::window::Window;
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
    /// Note that the variable was settled without a branch; only in walks that are recorded.
    Settled {
        /// The literal that is true.
        lit: Lit,
        /// Whether any value would do.
        is_free: bool,
    },
    /// Leave a level; keep the value in this entry of the boundary's table, where there is one.
    Boundary {
        /// The entry.
        entry: Option<u32>,
    },
}

/// Frames, with windows and the values of branches: three numbers each.
pub(crate) struct Stack {
    frames: Vec<Frame>,
    numbers: Vec<u64>,
    width: usize,
}

impl Stack {
    pub(crate) fn new(width: usize) -> Self {
        debug_assert!(width > 0);
        Self { frames: Vec::new(), numbers: Vec::new(), width }
    }

    pub(crate) fn push(&mut self, frame: Frame, window: &Window) {
        self.frames.push(frame);
        self.numbers.extend_from_slice(&window.alpha);
        self.numbers.extend_from_slice(&window.beta);
        self.numbers.resize(3 * self.width * self.frames.len(), 0);
    }

    pub(crate) fn top(&self) -> Option<Frame> {
        self.frames.last().copied()
    }

    pub(crate) fn pop(&mut self) {
        self.frames.pop();
        self.numbers.truncate(3 * self.width * self.frames.len());
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
        let start = self.numbers.len() - self.width;
        &mut self.numbers[start..]
    }

    /// Opens the window of the top frame again.
    pub(crate) fn restore(&self, window: &mut Window) {
        let start = self.numbers.len() - 3 * self.width;
        let (alpha, rest) = self.numbers[start..].split_at(self.width);
        window.alpha.copy_from_slice(alpha);
        window.beta.copy_from_slice(&rest[..self.width]);
    }
}
