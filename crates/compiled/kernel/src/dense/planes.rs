//! Gates evaluated on planes that the caller fills: one plane a proposition.

use std::sync::Arc;

use index::Id;
use net::{BaseId, GateId, Gates};

use crate::expand::Mask;
use crate::frame::{Frame, first_lanes};
use crate::isa::Isa;
use crate::program::{Leaves, Program};

/// Some gates of an arena as code over planes of 1024 lanes. Clones share the code.
#[derive(Clone)]
pub struct DenseView {
    program: Arc<Program>,
    frame: Frame,
    isa: Isa,
}

impl DenseView {
    /// Code for `roots`, over propositions numbered below `bases`.
    ///
    /// # Panics
    /// When a root reads a move.
    pub fn new(gates: &Gates, roots: &[GateId], bases: usize) -> Self {
        let leaves = Leaves { base: 1, does: None, free: 1 + bases };
        let program = Arc::new(Program::compile(gates, roots, leaves));
        let frame = Frame::new(program.slots().max(1 + bases));
        Self { program, frame, isa: Isa::detect() }
    }

    /// Number of operations.
    pub fn operations(&self) -> usize {
        self.program.len()
    }

    /// Sets a proposition's plane.
    pub fn set(&mut self, base: BaseId, plane: &Mask) {
        self.frame.slot_mut(1 + base.index()).copy_from_slice(plane);
    }

    /// Sets a proposition in all lanes.
    pub fn fill(&mut self, base: BaseId, bit: bool) {
        self.frame.fill(1 + base.index(), bit);
    }

    /// Evaluates.
    pub fn run(&mut self) {
        self.program.run(self.isa, &mut self.frame);
    }

    /// After [`DenseView::run`]: a root's plane.
    pub fn plane(&self, root: usize) -> Mask {
        let lanes = first_lanes(crate::BLOCK_LANES);
        self.frame.masked(self.program.outputs()[root], &lanes)
    }
}
