//! Interned ground terms, their order and their text.
//!
//! Always: equal terms have equal ids, and arguments have smaller ids than the term that holds
//! them. The natural order compares numbers as numbers, so that `(cell 2)` stands before
//! `(cell 10)`.

use std::cmp::Ordering;
use std::hash::Hasher;

use gdl::{SymbolId, Symbols};
use hashbrown::HashTable;
use index::Id;
use rustc_hash::FxHasher;

use crate::{TermId, Terms};

/// Terms with the table that interns them.
#[derive(Default)]
pub(crate) struct TermTable {
    terms: Terms,
    depths: Vec<u8>,
    table: HashTable<TermId>,
}

fn hash_node(symbol: SymbolId, args: &[TermId]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(symbol.index() as u32);
    for arg in args {
        hasher.write_u32(arg.index() as u32);
    }
    hasher.finish()
}

impl TermTable {
    /// The id of a term, added where it is new.
    pub(crate) fn intern(&mut self, symbol: SymbolId, args: &[TermId]) -> TermId {
        let hash = hash_node(symbol, args);
        let nodes = &self.terms.nodes;
        let same = |&id: &TermId| nodes[id].0 == symbol && *nodes[id].1 == *args;
        if let Some(&id) = self.table.find(hash, same) {
            return id;
        }
        let depth = args.iter().map(|arg| self.depths[arg.index()]).max().unwrap_or(0);
        self.depths.push(depth.saturating_add(1));
        let id = self.terms.nodes.push((symbol, args.into()));
        let nodes = &self.terms.nodes;
        self.table.insert_unique(hash, id, |&id| hash_node(nodes[id].0, &nodes[id].1));
        id
    }

    pub(crate) fn constant(&mut self, symbol: SymbolId) -> TermId {
        self.intern(symbol, &[])
    }

    /// 1 for a constant, one more for each function around it.
    pub(crate) fn depth(&self, term: TermId) -> usize {
        self.depths[term.index()] as usize
    }

    #[inline]
    pub(crate) fn node(&self, term: TermId) -> (SymbolId, &[TermId]) {
        let (symbol, args) = &self.terms.nodes[term];
        (*symbol, args)
    }

    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(crate) fn into_terms(self) -> Terms {
        self.terms
    }
}

/// The GDL text of a term.
pub(crate) fn term_text(terms: &Terms, symbols: &Symbols, term: TermId) -> String {
    let mut text = String::new();
    write_term(terms, symbols, term, &mut text);
    text
}

fn write_term(terms: &Terms, symbols: &Symbols, term: TermId, text: &mut String) {
    let (symbol, args) = &terms.nodes[term];
    if args.is_empty() {
        text.push_str(symbols.name(*symbol));
        return;
    }
    text.push('(');
    text.push_str(symbols.name(*symbol));
    for &arg in args {
        text.push(' ');
        write_term(terms, symbols, arg, text);
    }
    text.push(')');
}

/// Numbers by value, before names; names by text; then arguments from the left.
pub(crate) fn natural_order(terms: &Terms, symbols: &Symbols, a: TermId, b: TermId) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let ((left, left_args), (right, right_args)) = (&terms.nodes[a], &terms.nodes[b]);
    name_order(symbols.name(*left), symbols.name(*right))
        .then(left_args.len().cmp(&right_args.len()))
        .then_with(|| {
            let pairs = left_args.iter().zip(right_args);
            let mut orders = pairs.map(|(&x, &y)| natural_order(terms, symbols, x, y));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
}

fn name_order(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// The value of a name that is written as a decimal number.
pub(crate) fn number(name: &str) -> Option<u64> {
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    if digits { name.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(table: &mut TermTable, symbols: &mut Symbols, number: &str) -> TermId {
        let (name, arg) = (symbols.intern("cell"), symbols.intern(number));
        let arg = table.constant(arg);
        table.intern(name, &[arg])
    }

    #[test]
    fn equal_terms_share_an_id_and_print_as_gdl() {
        let (mut table, mut symbols) = (TermTable::default(), Symbols::new());
        let ten = cell(&mut table, &mut symbols, "10");
        assert_eq!(ten, cell(&mut table, &mut symbols, "10"));
        assert_eq!(term_text(table.terms(), &symbols, ten), "(cell 10)");
        assert_eq!(table.depth(ten), 2);
    }

    #[test]
    fn numbers_order_by_value_and_before_names() {
        let (mut table, mut symbols) = (TermTable::default(), Symbols::new());
        let mut cells: Vec<_> =
            ["10", "b", "9", "a"].iter().map(|n| cell(&mut table, &mut symbols, n)).collect();
        cells.sort_by(|&a, &b| natural_order(table.terms(), &symbols, a, b));
        let texts: Vec<_> =
            cells.iter().map(|&term| term_text(table.terms(), &symbols, term)).collect();
        assert_eq!(texts, ["(cell 9)", "(cell 10)", "(cell a)", "(cell b)"]);
    }

    #[test]
    fn only_plain_decimals_are_numbers() {
        assert_eq!(
            (number("042"), number("-1"), number(""), number("1e2")),
            (Some(42), None, None, None)
        );
    }
}
