//! The clauses while they are worked on.
//!
//! Always: a living clause has two literals or more, sorted, of different open variables, and its
//! deepest literal is not bound by forall (*universal reduction*: such a literal is false in the
//! branch that counts). Units wait in `units` until they are settled; an empty clause makes the
//! whole formula worth 0.

use exact::Ratio;
use qcnf::{Kind, Lit, Qcnf};

use super::occurs::Occurs;
use super::prefix::{Fate, Prefix};

#[derive(Clone, Copy)]
struct Span {
    start: u32,
    len: u32,
}

/// Prefix and clauses under work.
pub(crate) struct Matrix {
    pub(crate) prefix: Prefix,
    literals: Vec<Lit>,
    spans: Vec<Span>,
    pub(crate) occurs: Occurs,
    /// Literals that must hold, not yet settled.
    pub(crate) units: Vec<Lit>,
    /// Whether some clause is empty.
    pub(crate) is_zero: bool,
    /// The weight of chance variables that were settled.
    pub(crate) factor: Ratio,
    living: usize,
    scratch: Vec<Lit>,
}

impl Matrix {
    pub(crate) fn new(formula: &Qcnf) -> Self {
        let mut matrix = Self {
            prefix: Prefix::new(formula),
            literals: Vec::with_capacity(formula.clauses.literals()),
            spans: Vec::with_capacity(formula.clauses.len()),
            occurs: Occurs::with_room(&vec![0; 2 * formula.variables()]),
            units: Vec::new(),
            is_zero: false,
            factor: Ratio::one(),
            living: 0,
            scratch: Vec::new(),
        };
        for clause in formula.clauses.iter() {
            matrix.load(clause);
        }
        matrix.index();
        matrix
    }

    /// Adds a clause without indexing it.
    fn load(&mut self, clause: &[Lit]) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend_from_slice(clause);
        if self.normalise(&mut scratch) {
            self.store(&scratch);
        }
        self.scratch = scratch;
    }

    /// Adds a clause; whether it lives on as a clause of two or more literals.
    pub(crate) fn add(&mut self, clause: &[Lit]) -> Option<u32> {
        let before = self.spans.len();
        self.load(clause);
        if self.spans.len() == before {
            return None;
        }
        let id = before as u32;
        for at in 0..self.get(id).len() {
            self.occurs.push(self.get(id)[at], id);
        }
        Some(id)
    }

    /// Brings a clause into normal form; false where it need not be stored.
    fn normalise(&mut self, clause: &mut Vec<Lit>) -> bool {
        for lit in clause.iter_mut() {
            *lit = self.follow(*lit);
        }
        clause.sort_unstable();
        clause.dedup();
        if clause.windows(2).any(|pair| pair[0] == !pair[1]) {
            return false;
        }
        let fate = |lit: &Lit| self.prefix.fate[lit.var_index()];
        if clause.iter().any(|lit| fate(lit) == Fate::Fixed(lit.is_positive())) {
            return false;
        }
        clause.retain(|lit| fate(lit) == Fate::Open);
        self.reduce(clause);
        match clause[..] {
            [] => self.is_zero = true,
            [unit] => self.units.push(unit),
            _ => return true,
        }
        false
    }

    /// The literal that stands for this one.
    pub(crate) fn follow(&self, mut lit: Lit) -> Lit {
        while let Fate::Equal(to) = self.prefix.fate[lit.var_index()] {
            lit = if lit.is_positive() { to } else { !to };
        }
        lit
    }

    /// Universal reduction.
    fn reduce(&self, clause: &mut Vec<Lit>) {
        let forall = |lit: &Lit| self.prefix.kind(lit.var()) == Kind::Forall;
        if !clause.iter().any(forall) {
            return;
        }
        let deepest =
            clause.iter().filter(|lit| !forall(lit)).map(|lit| self.prefix.depth(lit.var())).max();
        clause.retain(|lit| {
            !forall(lit) || deepest.is_some_and(|deepest| self.prefix.depth(lit.var()) < deepest)
        });
    }

    fn store(&mut self, clause: &[Lit]) {
        debug_assert!(clause.len() >= 2 && clause.is_sorted(), "a clause in normal form");
        let start = u32::try_from(self.literals.len()).expect("more than 2^32 literals");
        self.literals.extend_from_slice(clause);
        self.spans.push(Span { start, len: clause.len() as u32 });
        self.living += 1;
    }

    /// Rebuilds the store without the dead, and all occurrence lists.
    pub(crate) fn index(&mut self) {
        self.spans.retain(|span| span.len > 0);
        debug_assert_eq!(self.spans.len(), self.living);
        let mut counts = vec![0u32; 2 * self.prefix.len()];
        let mut packed = Vec::with_capacity(self.literals.len());
        for span in &mut self.spans {
            let clause = &self.literals[span.start as usize..][..span.len as usize];
            span.start = packed.len() as u32;
            packed.extend_from_slice(clause);
            clause.iter().for_each(|lit| counts[lit.code()] += 1);
        }
        self.literals = packed;
        self.occurs = Occurs::with_room(&counts);
        for id in 0..self.spans.len() as u32 {
            let span = self.spans[id as usize];
            for lit in &self.literals[span.start as usize..][..span.len as usize] {
                self.occurs.push(*lit, id);
            }
        }
    }

    /// The literals of a clause; none where it has died.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> &[Lit] {
        let span = self.spans[id as usize];
        &self.literals[span.start as usize..][..span.len as usize]
    }

    #[inline]
    pub(crate) fn is_alive(&self, id: u32) -> bool {
        self.spans[id as usize].len > 0
    }

    /// One past the last clause.
    pub(crate) fn end(&self) -> u32 {
        self.spans.len() as u32
    }

    /// Clauses that live.
    pub(crate) fn living(&self) -> usize {
        self.living
    }

    /// Removes a clause.
    pub(crate) fn kill(&mut self, id: u32) {
        let span = &mut self.spans[id as usize];
        if span.len > 0 {
            span.len = 0;
            self.living -= 1;
        }
    }

    /// Takes a literal that cannot help out of a clause.
    pub(crate) fn strengthen(&mut self, id: u32, lit: Lit) {
        debug_assert!(self.get(id).contains(&lit));
        let mut clause: Vec<Lit> = self.get(id).iter().copied().filter(|&l| l != lit).collect();
        self.reduce(&mut clause);
        self.rewrite(id, &clause);
    }

    fn rewrite(&mut self, id: u32, clause: &[Lit]) {
        let old: Vec<Lit> = self.get(id).to_vec();
        for lit in old.iter().filter(|lit| !clause.contains(lit)) {
            self.occurs.remove(*lit, id);
        }
        match *clause {
            [] => self.is_zero = true,
            [unit] => self.units.push(unit),
            _ => {
                let span = &mut self.spans[id as usize];
                span.len = clause.len() as u32;
                self.literals[span.start as usize..][..clause.len()].copy_from_slice(clause);
                return;
            }
        }
        self.kill(id);
    }

    /// Drops dead entries from the list of a literal and says how many live.
    pub(crate) fn tidy(&mut self, lit: Lit) -> usize {
        let spans = &self.spans;
        self.occurs.retain(lit, |id| spans[id as usize].len > 0);
        self.occurs.get(lit).len()
    }

    /// Puts every clause through normal form again, after variables were replaced.
    pub(crate) fn renew(&mut self) {
        let literals = std::mem::take(&mut self.literals);
        let spans = std::mem::take(&mut self.spans);
        self.living = 0;
        for span in spans.iter().filter(|span| span.len > 0) {
            self.load(&literals[span.start as usize..][..span.len as usize]);
        }
        self.index();
    }
}

/// Positions of variables.
pub(crate) trait VarIndex {
    /// The position of the variable.
    fn var_index(self) -> usize;
}

impl VarIndex for Lit {
    #[inline]
    fn var_index(self) -> usize {
        self.code() >> 1
    }
}
