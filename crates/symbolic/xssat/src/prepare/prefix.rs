//! The prefix by variable: how each is bound, at which level, and what became of it.
//!
//! A level begins as a block of the prefix. Exists-variables may move outward to an earlier level
//! of any kind, and then stand behind that level's own variables: `depth` orders both.

use exact::Ratio;
use index::Id;
use qcnf::{Kind, Lit, Qcnf, Quantifier, Var};

/// What became of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Still in the formula.
    Open,
    /// It has this value wherever the formula's value is not 0.
    Fixed(bool),
    /// It equals this literal wherever the formula's value is not 0.
    Equal(Lit),
    /// No clause depends on it any more.
    Gone,
}

/// How variables are bound.
pub(crate) struct Prefix {
    kinds: Vec<Kind>,
    levels: Vec<u32>,
    /// Index into `odds`, for chance variables.
    odds_of: Vec<u32>,
    odds: Vec<Ratio>,
    /// How each block of the formula is bound.
    blocks: Vec<Kind>,
    /// Variables of an outermost block of exists: calls may assume them, so that both their
    /// values keep their meaning.
    frozen: Vec<bool>,
    /// What became of each variable.
    pub(crate) fate: Vec<Fate>,
    /// The place of a gate's variable in the order of definitions; 0 for all others.
    pub(crate) rank: Vec<u32>,
    /// Whether a variable stands before its level's own variables: it was put off by one level.
    early: Vec<bool>,
}

impl Prefix {
    pub(crate) fn new(formula: &Qcnf) -> Self {
        let count = formula.variables();
        let blocks: Vec<Kind> = formula.blocks().map(|block| block.kind).collect();
        let mut prefix = Self {
            kinds: vec![Kind::Exists; count],
            levels: vec![blocks.len().saturating_sub(1) as u32; count],
            odds_of: vec![u32::MAX; count],
            odds: Vec::new(),
            blocks,
            frozen: vec![false; count],
            fate: vec![Fate::Open; count],
            rank: vec![0; count],
            early: vec![false; count],
        };
        for (level, block) in formula.blocks().enumerate() {
            for scope in block.scopes {
                prefix.bind(level as u32, &scope.quantifier, &scope.variables);
                let frozen = level == 0 && block.kind == Kind::Exists;
                scope.variables.iter().for_each(|var| prefix.frozen[var.index()] = frozen);
            }
        }
        prefix
    }

    fn bind(&mut self, level: u32, quantifier: &Quantifier, variables: &[Var]) {
        if let Quantifier::Chance(odds) = quantifier {
            assert!(odds.is_probability(), "a probability outside 0 to 1");
            self.odds.push(odds.clone());
        }
        for var in variables {
            self.kinds[var.index()] = quantifier.kind();
            self.levels[var.index()] = level;
            if let Quantifier::Chance(odds) = quantifier {
                self.odds_of[var.index()] = self.odds.len() as u32 - 1;
                if odds.is_zero() || *odds == Ratio::one() {
                    self.fate[var.index()] = Fate::Fixed(!odds.is_zero());
                }
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    #[inline]
    pub(crate) fn kind(&self, var: Var) -> Kind {
        self.kinds[var.index()]
    }

    #[inline]
    pub(crate) fn level(&self, var: Var) -> u32 {
        self.levels[var.index()]
    }

    /// Orders variables by who is chosen first, as far as that matters.
    #[inline]
    pub(crate) fn depth(&self, var: Var) -> u32 {
        2 * self.level(var) + u32::from(self.kind(var) == Kind::Exists)
    }

    /// The depth of the last variables with which an exists-variable commutes: a level that
    /// exists binds follows one of another kind, and nothing is chosen between.
    pub(crate) fn last_depth(&self, var: Var) -> u32 {
        debug_assert_eq!(self.kind(var), Kind::Exists);
        let next = self.blocks.get(self.level(var) as usize + 1);
        self.depth(var) + 2 * u32::from(next == Some(&Kind::Exists))
    }

    /// Moves an exists-variable outward.
    pub(crate) fn move_outward(&mut self, var: Var, level: u32) {
        debug_assert!(level <= self.level(var), "variables move outward only");
        debug_assert_eq!(self.kind(var), Kind::Exists, "only what exists has a definition");
        debug_assert!(!self.is_early(var), "what was put off is taken back before");
        self.levels[var.index()] = level;
    }

    /// Puts a defined variable off to the start of the next level.
    pub(crate) fn put_off(&mut self, var: Var) {
        debug_assert_eq!(self.kind(var), Kind::Exists, "only what exists has a definition");
        debug_assert!(!self.is_frozen(var) && !self.early[var.index()]);
        self.levels[var.index()] += 1;
        self.early[var.index()] = true;
    }

    /// Takes all back that was put off, to the level that it follows from. Preparation that was
    /// halted may have put some off, and begins anew: its steps know no variables before a level.
    pub(crate) fn take_back(&mut self) {
        for (level, early) in self.levels.iter_mut().zip(&mut self.early) {
            *level -= u32::from(std::mem::take(early));
        }
    }

    /// Whether a variable was put off.
    #[inline]
    pub(crate) fn is_early(&self, var: Var) -> bool {
        self.early[var.index()]
    }

    /// Orders variables by their place in the walk, as far as the prefix says: level by level,
    /// first those that were put off, then the level's own, then those defined at it.
    pub(crate) fn place(&self, var: Var) -> (u32, u32) {
        let part = match self.kind(var) {
            Kind::Exists => 2 * u32::from(!self.is_early(var)),
            Kind::Forall | Kind::Chance => 1,
        };
        (self.level(var), part)
    }

    /// Whether calls may assume this variable.
    #[inline]
    pub(crate) fn is_frozen(&self, var: Var) -> bool {
        self.frozen[var.index()]
    }

    #[inline]
    pub(crate) fn is_open(&self, var: Var) -> bool {
        self.fate[var.index()] == Fate::Open
    }

    /// The probability of a chance variable.
    pub(crate) fn odds(&self, var: Var) -> &Ratio {
        debug_assert_eq!(self.kind(var), Kind::Chance, "only chance has odds");
        &self.odds[self.odds_of[var.index()] as usize]
    }
}
