//! Strongly connected parts of the graph of states, children first.
//!
//! One depth-first pass with an explicit stack; a part comes after all parts that it leads to, so
//! that values can follow in this order. Within a part, states come in the order in which the
//! pass finished them, deepest first: iteration in place then carries a value through the whole
//! part in few rounds. Source: Tarjan, *Depth-first search and linear graph algorithms* (1972).
//!
//! Costs 12 bytes a state.

use super::choices::Choices;
use crate::backend::Trouble;

/// Edges that are followed between two looks at the limits.
const STEPS_BETWEEN_CHECKS: u32 = 1 << 16;

/// The parts, in an order in which children come first.
pub(super) struct Components {
    /// States, part after part.
    states: Vec<u32>,
    /// Where each part ends in `states`.
    ends: Vec<u32>,
}

impl Components {
    /// The parts of everything that can be reached from state 0.
    ///
    /// # Errors
    /// What `proceed` returns; it is asked now and then.
    pub(super) fn new(
        choices: &Choices,
        proceed: &mut dyn FnMut() -> Result<(), Trouble>,
    ) -> Result<Self, Trouble> {
        let mut pass = Pass::new(choices.states());
        let mut steps = 0u32;
        pass.enter(0);
        while let Some(&mut (state, ref mut next)) = pass.path.last_mut() {
            let child = choices.children(state).get(*next).copied();
            *next += 1;
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STEPS_BETWEEN_CHECKS) {
                proceed()?;
            }
            match child {
                Some(child) => pass.meet(state, child),
                None => pass.leave(state),
            }
        }
        assert_eq!(pass.found.states.len(), choices.states(), "every state was reached once");
        Ok(pass.found)
    }

    /// The parts, children first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len()).map(|part| {
            let from = part.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.states[from as usize..self.ends[part] as usize]
        })
    }

    /// States of the largest part.
    pub(super) fn largest(&self) -> usize {
        self.iter().map(<[u32]>::len).max().unwrap_or(0)
    }
}

/// Not met yet.
const FRESH: u32 = u32::MAX;
/// In a part that is complete.
const DONE: u32 = u32::MAX - 1;

struct Pass {
    /// When each state was met, lowered to the earliest open state it can return to.
    low: Vec<u32>,
    met: u32,
    /// States of parts that are not complete, in the order in which they were left.
    open: Vec<u32>,
    /// The path, with each state's next child, when it was met and what was open then.
    path: Vec<(u32, usize)>,
    entries: Vec<(u32, usize)>,
    found: Components,
}

impl Pass {
    fn new(states: usize) -> Self {
        assert!(states < DONE as usize, "states are counted in 32 bits");
        Self {
            low: vec![FRESH; states],
            met: 0,
            open: Vec::new(),
            path: Vec::new(),
            entries: Vec::new(),
            found: Components { states: Vec::with_capacity(states), ends: Vec::new() },
        }
    }

    fn enter(&mut self, state: u32) {
        debug_assert_eq!(self.low[state as usize], FRESH, "a state is entered once");
        self.low[state as usize] = self.met;
        self.path.push((state, 0));
        self.entries.push((self.met, self.open.len()));
        self.met += 1;
    }

    fn meet(&mut self, state: u32, child: u32) {
        match self.low[child as usize] {
            FRESH => self.enter(child),
            DONE => {}
            low => self.lower(state, low),
        }
    }

    fn lower(&mut self, state: u32, low: u32) {
        let own = &mut self.low[state as usize];
        *own = (*own).min(low);
    }

    fn leave(&mut self, state: u32) {
        let (met, open_before) = self.entries.pop().expect("an entry a state of the path");
        self.path.pop();
        self.open.push(state);
        let low = self.low[state as usize];
        if low == met {
            for &member in &self.open[open_before..] {
                self.low[member as usize] = DONE;
            }
            self.found.states.extend(self.open.drain(open_before..));
            self.found.ends.push(self.found.states.len() as u32);
        } else if let Some(&(parent, _)) = self.path.last() {
            self.lower(parent, low);
        }
    }
}
