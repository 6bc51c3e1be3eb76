//! Ground terms, each stored once, and the patterns of a rule's arguments.
//!
//! Always: two ids are equal exactly when their terms are, so a comparison of terms is a
//! comparison of numbers; how deep a term is is known with it.

use gdl::{SymbolId, Term};
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

index::typed_id!(
    /// A ground term of a simulator: a proposition of a state, a move, an argument.
    pub struct TermId, "t"
);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    symbol: SymbolId,
    args: Box<[TermId]>,
}

/// The ground terms met so far.
#[derive(Default)]
pub(super) struct Terms {
    nodes: IndexVec<TermId, Node>,
    depths: IndexVec<TermId, usize>,
    ids: FxHashMap<Node, TermId>,
}

/// An argument of a literal, seen from the place in the plan where it is matched.
pub(super) enum Pattern {
    /// Exactly this term.
    Ground(TermId),
    /// Any term, which becomes the variable's value.
    Bind(usize),
    /// The value that the variable has.
    Use(usize),
    /// A function of patterns.
    Compound(SymbolId, Box<[Pattern]>),
}

impl Terms {
    /// Number of terms.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The id of a function of ground terms; of a constant where there are none.
    pub(super) fn intern(&mut self, symbol: SymbolId, args: Box<[TermId]>) -> TermId {
        let node = Node { symbol, args };
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let below = node.args.iter().map(|arg| self.depths[*arg]).max();
        self.depths.push(below.map_or(1, |depth| depth + 1));
        let id = self.nodes.push(node.clone());
        debug_assert!(node.args.iter().all(|arg| arg.index() < id.index()));
        self.ids.insert(node, id);
        id
    }

    /// Whether a term is deeper than the language allows.
    pub(super) fn is_too_deep(&self, id: TermId) -> bool {
        self.depths[id] > gdl::TERM_DEPTH_LIMIT
    }

    /// The id of a ground term; none where it holds a variable.
    pub(super) fn ground(&mut self, term: &Term) -> Option<TermId> {
        match term {
            Term::Variable(_) => None,
            Term::Constant(symbol) => Some(self.intern(*symbol, Box::default())),
            Term::Compound(symbol, args) => {
                let args = args.iter().map(|arg| self.ground(arg)).collect::<Option<_>>()?;
                Some(self.intern(*symbol, args))
            }
        }
    }

    /// The term of an id.
    pub(super) fn term(&self, id: TermId) -> Term {
        let Node { symbol, args } = &self.nodes[id];
        if args.is_empty() {
            return Term::Constant(*symbol);
        }
        Term::Compound(*symbol, args.iter().map(|arg| self.term(*arg)).collect())
    }

    /// A constant's name; none for a function.
    pub(super) fn constant(&self, id: TermId) -> Option<SymbolId> {
        let node = &self.nodes[id];
        node.args.is_empty().then_some(node.symbol)
    }

    /// A rule's argument as a pattern; the variables that it meets first are `bound` from then on.
    pub(super) fn pattern(&mut self, term: &Term, bound: &mut [bool]) -> Pattern {
        if let Some(id) = self.ground(term) {
            return Pattern::Ground(id);
        }
        match term {
            Term::Variable(variable) => {
                let slot = variable.index();
                let seen = std::mem::replace(&mut bound[slot], true);
                if seen { Pattern::Use(slot) } else { Pattern::Bind(slot) }
            }
            Term::Compound(symbol, args) => {
                let args = args.iter().map(|arg| self.pattern(arg, bound)).collect();
                Pattern::Compound(*symbol, args)
            }
            Term::Constant(_) => unreachable!("a constant is ground"),
        }
    }

    /// Whether the term fits the pattern; the values of variables bound on the way are set.
    pub(super) fn fits(&self, pattern: &Pattern, id: TermId, values: &mut [TermId]) -> bool {
        match pattern {
            Pattern::Ground(held) => *held == id,
            Pattern::Use(slot) => values[*slot] == id,
            Pattern::Bind(slot) => {
                values[*slot] = id;
                true
            }
            Pattern::Compound(symbol, args) => {
                let node = &self.nodes[id];
                node.symbol == *symbol
                    && node.args.len() == args.len()
                    && args.iter().zip(&node.args).all(|(arg, id)| self.fits(arg, *id, values))
            }
        }
    }

    /// The term of a pattern whose variables all have values.
    pub(super) fn build(&mut self, pattern: &Pattern, values: &[TermId]) -> TermId {
        match pattern {
            Pattern::Ground(id) => *id,
            Pattern::Use(slot) => values[*slot],
            Pattern::Bind(slot) => unreachable!("variable {slot} has no value yet"),
            Pattern::Compound(symbol, args) => {
                let args = args.iter().map(|arg| self.build(arg, values)).collect();
                self.intern(*symbol, args)
            }
        }
    }
}
