//! The normal form: what every engine starts from.
//!
//! Always, in a [`Rulebook`] that [`crate::read`] returns:
//! - no `or`, `and` or nested `not`: a body is a list of literals, in any order;
//! - every variable of a rule stands in a positive literal of its body (the rule is *safe*);
//! - negation is stratified: no relation depends on its own negation within a state;
//! - `true`, `does`, `distinct` never stand in a head; `legal`, `goal`, `terminal` never depend
//!   on `does`; `role`, `init`, `base` and `input` depend on neither `true` nor `does`;
//! - a relation is a name *with an arity*; nullary atoms with and without parentheses are one;
//! - terms are at most 32 deep.
//!
//! A rulebook may hold relations that the sheet does not name (`legal_part1`): names for
//! alternatives, for denied calls of rules that only callers make safe, and for calls that had to
//! be told apart. `sees` is kept, as an ordinary relation that no state depends on. `verify.rs`
//! checks all of this.

use index::{IdSet, IndexVec};

use crate::{Span, SymbolId, Symbols};

index::typed_id!(
    /// A role, in the order of the sheet.
    pub struct RoleId, "r"
);
index::typed_id!(
    /// A variable of one rule.
    pub struct VarId, "v"
);

/// A term of GDL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable of the rule it stands in.
    Variable(VarId),
    /// A constant.
    Constant(SymbolId),
    /// A function with at least one argument.
    Compound(SymbolId, Box<[Term]>),
}

/// A relation with its arguments. `(true (cell 1 b))` is the relation `true` with one argument.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation's name; the arity is `args.len()`.
    pub relation: SymbolId,
    /// Arguments.
    pub args: Box<[Term]>,
    /// Where it stands.
    pub span: Span,
}

/// A condition of a rule.
#[derive(Clone, Debug)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold.
    Negative(Atom),
    /// Two terms differ.
    Distinct(Term, Term, Span),
}

/// `head` holds where every literal of `body` does. A fact has an empty body.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What is concluded.
    pub head: Atom,
    /// Conditions, in any order.
    pub body: Vec<Literal>,
    /// Names of the rule's variables, without the question mark.
    pub variables: IndexVec<VarId, Box<str>>,
    /// The whole rule as it was written.
    pub span: Span,
}

impl Term {
    /// Adds the term's variables to `found`.
    pub fn collect_variables(&self, found: &mut IdSet<VarId>) {
        match self {
            Self::Variable(variable) => {
                found.insert(*variable);
            }
            Self::Constant(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.collect_variables(found)),
        }
    }

    /// Whether the term has no variable.
    pub fn is_ground(&self) -> bool {
        match self {
            Self::Variable(_) => false,
            Self::Constant(_) => true,
            Self::Compound(_, args) => args.iter().all(Self::is_ground),
        }
    }

    /// How deep the term is; constants and variables are one deep.
    pub fn depth(&self) -> usize {
        match self {
            Self::Variable(_) | Self::Constant(_) => 1,
            Self::Compound(_, args) => 1 + args.iter().map(Self::depth).max().unwrap_or(0),
        }
    }
}

impl Atom {
    /// Adds the atom's variables to `found`.
    pub fn collect_variables(&self, found: &mut IdSet<VarId>) {
        self.args.iter().for_each(|arg| arg.collect_variables(found));
    }

    /// The relation: a name with an arity.
    pub fn signature(&self) -> (SymbolId, usize) {
        (self.relation, self.args.len())
    }
}

impl Literal {
    /// Adds the literal's variables to `found`.
    pub fn collect_variables(&self, found: &mut IdSet<VarId>) {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => atom.collect_variables(found),
            Self::Distinct(left, right, _) => {
                left.collect_variables(found);
                right.collect_variables(found);
            }
        }
    }

    /// The atom, unless it is `distinct`.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => Some(atom),
            Self::Distinct(..) => None,
        }
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Positive(atom) | Self::Negative(atom) => atom.span,
            Self::Distinct(_, _, span) => *span,
        }
    }
}

impl Rule {
    /// Variables that some positive literal binds.
    pub fn bound_variables(&self) -> IdSet<VarId> {
        let mut bound = IdSet::new();
        for literal in &self.body {
            if let Literal::Positive(atom) = literal {
                atom.collect_variables(&mut bound);
            }
        }
        bound
    }
}

/// A game in normal form.
#[derive(Clone, Debug)]
pub struct Rulebook {
    /// Names.
    pub symbols: Symbols,
    /// The roles, in the order of the sheet, `random` included.
    pub roles: IndexVec<RoleId, SymbolId>,
    /// Rules and facts.
    pub rules: Vec<Rule>,
}

impl Rulebook {
    /// The role of this name, written as in the sheet's normal form (lower case where folded).
    pub fn role(&self, name: &str) -> Option<RoleId> {
        let symbol = self.symbols.find(name)?;
        self.roles.enumerate().find(|(_, held)| **held == symbol).map(|(role, _)| role)
    }

    /// The name of a role.
    pub fn role_name(&self, role: RoleId) -> &str {
        self.symbols.name(self.roles[role])
    }
}
