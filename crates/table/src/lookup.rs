//! Looking entries up: the blocks that were asked for last stay in memory, up to a budget.

use std::collections::VecDeque;
use std::rc::Rc;

use exact::Ratio;
use rustc_hash::FxHashMap;

use crate::block::{Block, Choice};
use crate::reader::{Table, TableFault};

/// A reader of entries with a memory of blocks.
pub struct Lookup<'t> {
    table: &'t Table,
    budget: u64,
    held: FxHashMap<(usize, usize), Rc<Block>>,
    /// Blocks in the order in which they came.
    order: VecDeque<(usize, usize)>,
    bytes: u64,
}

/// An entry that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The layer.
    pub layer: usize,
    /// The block.
    pub number: usize,
    /// The block's entries.
    pub block: Rc<Block>,
    /// Which of them.
    pub at: usize,
}

impl Found {
    /// The best moves.
    pub fn choice(&self) -> &Choice {
        self.block.choice(self.at)
    }
}

impl<'t> Lookup<'t> {
    /// No blocks yet; `budget` is how many bytes of them may stay.
    pub fn new(table: &'t Table, budget: u64) -> Self {
        let (held, order) = (FxHashMap::default(), VecDeque::new());
        Self { table, budget, held, order, bytes: 0 }
    }

    /// The entry of a key in a layer, if there is one.
    ///
    /// # Errors
    /// When the block cannot be read.
    pub fn find(&mut self, layer: usize, key: &[u64]) -> Result<Option<Found>, TableFault> {
        let Some(number) = self.table.layers()[layer].block_of(key) else { return Ok(None) };
        let block = self.block(layer, number)?;
        let at = block.find(key);
        Ok(at.map(|at| Found { layer, number, block, at }))
    }

    /// The value of an entry.
    pub fn value(&self, found: &Found) -> Ratio {
        let denominator = &self.table.layers()[found.layer].denominator;
        Ratio::from_scaled(found.block.numerator(found.at), denominator)
    }

    fn block(&mut self, layer: usize, number: usize) -> Result<Rc<Block>, TableFault> {
        if let Some(block) = self.held.get(&(layer, number)) {
            return Ok(Rc::clone(block));
        }
        let block = Rc::new(self.table.block(layer, number)?);
        self.bytes += block.bytes();
        while self.bytes > self.budget
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.held.remove(&oldest).map_or(0, |block| block.bytes());
        }
        self.order.push_back((layer, number));
        self.held.insert((layer, number), Rc::clone(&block));
        Ok(block)
    }
}
