//! Trail: what is true now, in the order in which it came to be, and why.
//!
//! A *depth* is the number of choices before a literal. A literal that is no choice has a clause as
//! its reason: all other literals of it are false, and were so before. Always: depths never fall
//! along the trail.

use index::Id;
use qcnf::{Lit, Var};

/// No clause: the literal was chosen.
pub(crate) const CHOSEN: u32 = u32::MAX;

const OPEN: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;

/// The assignment and how it came about.
pub(crate) struct Trail {
    /// By literal.
    values: Vec<u8>,
    literals: Vec<Lit>,
    /// How many literals were there before each choice.
    choices: Vec<u32>,
    depths: Vec<u32>,
    reasons: Vec<u32>,
    /// By variable: where its literal stands, while it has one.
    places: Vec<u32>,
    /// Literals whose consequences were drawn.
    drawn: usize,
}

impl Trail {
    pub(crate) fn new(variables: usize) -> Self {
        Self {
            values: vec![OPEN; 2 * variables],
            literals: Vec::with_capacity(variables),
            choices: Vec::new(),
            depths: vec![0; variables],
            reasons: vec![CHOSEN; variables],
            places: vec![0; variables],
            drawn: 0,
        }
    }

    #[inline]
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.code()] == TRUE
    }

    #[inline]
    pub(crate) fn is_false(&self, lit: Lit) -> bool {
        self.values[lit.code()] == FALSE
    }

    #[inline]
    pub(crate) fn is_open(&self, var: Var) -> bool {
        self.values[2 * var.index()] == OPEN
    }

    /// The value of a variable that has one.
    #[inline]
    pub(crate) fn value(&self, var: Var) -> bool {
        debug_assert!(!self.is_open(var), "{var} has no value yet");
        self.values[2 * var.index()] == TRUE
    }

    /// How many choices were made.
    #[inline]
    pub(crate) fn depth(&self) -> u32 {
        self.choices.len() as u32
    }

    /// The number of choices before a variable got its value.
    #[inline]
    pub(crate) fn depth_of(&self, var: Var) -> u32 {
        self.depths[var.index()]
    }

    /// The clause that made a variable's literal true, or [`CHOSEN`].
    #[inline]
    pub(crate) fn reason(&self, var: Var) -> u32 {
        debug_assert!(!self.is_open(var), "only what holds has a reason");
        self.reasons[var.index()]
    }

    /// Where the literal of a variable stands.
    pub(crate) fn place(&self, var: Var) -> usize {
        debug_assert!(!self.is_open(var), "only what holds has a place");
        self.places[var.index()] as usize
    }

    pub(crate) fn literals(&self) -> &[Lit] {
        &self.literals
    }

    /// The literals from a depth on.
    pub(crate) fn since(&self, depth: u32) -> &[Lit] {
        match depth.checked_sub(1) {
            None => &self.literals,
            Some(at) => &self.literals[self.choices[at as usize] as usize..],
        }
    }

    /// Makes an open literal true by choice.
    pub(crate) fn choose(&mut self, lit: Lit) {
        debug_assert!(self.is_drawn(), "a choice before the consequences of others");
        self.choices.push(self.literals.len() as u32);
        self.set(lit, CHOSEN);
    }

    /// Makes an open literal true because of a clause.
    #[inline]
    pub(crate) fn set(&mut self, lit: Lit, reason: u32) {
        debug_assert!(self.is_open(lit.var()), "{lit} has a value");
        self.values[lit.code()] = TRUE;
        self.values[(!lit).code()] = FALSE;
        self.depths[lit.var().index()] = self.depth();
        self.reasons[lit.var().index()] = reason;
        self.places[lit.var().index()] = self.literals.len() as u32;
        self.literals.push(lit);
    }

    /// The next literal whose consequences are to be drawn.
    #[inline]
    pub(crate) fn draw(&mut self) -> Option<Lit> {
        let lit = self.literals.get(self.drawn).copied()?;
        self.drawn += 1;
        Some(lit)
    }

    pub(crate) fn is_drawn(&self) -> bool {
        self.drawn == self.literals.len()
    }

    /// Takes back all choices from a depth on, and what followed from them.
    pub(crate) fn undo(&mut self, depth: u32, mut each: impl FnMut(Lit)) {
        let Some(&mark) = self.choices.get(depth as usize) else { return };
        for at in (mark as usize..self.literals.len()).rev() {
            let lit = self.literals[at];
            self.values[lit.code()] = OPEN;
            self.values[(!lit).code()] = OPEN;
            each(lit);
        }
        self.literals.truncate(mark as usize);
        self.choices.truncate(depth as usize);
        self.drawn = self.drawn.min(mark as usize);
    }
}
