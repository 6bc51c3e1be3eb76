//! Relations seen through patterns, with the indices that joins probe.
//!
//! A view holds, for each tuple of a relation that matches a pattern, the values of the pattern's
//! variables. Always: rows are pairwise different and in the order in which the tuples arrived;
//! `origin` leads back to the tuple; rows below `old` were there before the last round. An index
//! is a chained hash table over some columns; a chain lists equal keys from the newest row to the
//! oldest, so that a window of rows is a part of the chain.

use hashbrown::HashTable;
use index::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::TermId;
use crate::pattern::{Pattern, all_ground};
use crate::program::{PatternAtom, RelationId, Relations};
use crate::terms::TermTable;
use crate::tuples::hash_terms;

index::typed_id!(
    /// A view.
    pub(crate) struct ViewId, "w"
);

/// The unit of expectations is a part of a row, so that small differences count.
const ROW: usize = 256;

/// End of a chain.
const NONE: u32 = u32::MAX;

/// Rows with equal keys, chained.
struct Index {
    columns: Box<[usize]>,
    heads: HashTable<u32>,
    /// The next older row of the same key.
    older: Vec<u32>,
}

/// A relation seen through one pattern.
pub(crate) struct View {
    width: usize,
    data: Vec<TermId>,
    origin: Vec<u32>,
    old: usize,
    indices: Vec<Index>,
    /// Distinct values of each column, counted when the view had `spread_at` rows.
    spread: Vec<usize>,
    spread_at: usize,
}

impl View {
    fn new(width: usize) -> Self {
        Self {
            width,
            data: Vec::new(),
            origin: Vec::new(),
            old: 0,
            indices: Vec::new(),
            spread: vec![1; width],
            spread_at: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.origin.len()
    }

    /// Rows that were there before the last round.
    pub(crate) fn old(&self) -> usize {
        self.old
    }

    /// The relation's row behind a row of the view.
    pub(crate) fn origin(&self, row: u32) -> u32 {
        self.origin[row as usize]
    }

    #[inline]
    pub(crate) fn value(&self, row: u32, column: usize) -> TermId {
        debug_assert!(column < self.width);
        self.data[row as usize * self.width + column]
    }

    fn push(&mut self, values: &[TermId], origin: u32) {
        assert_eq!(values.len(), self.width, "a row of another width");
        self.data.extend_from_slice(values);
        self.origin.push(origin);
        let row = self.origin.len() as u32 - 1;
        for position in 0..self.indices.len() {
            self.enter(position, row);
        }
    }

    fn key_hash(&self, columns: &[usize], row: u32) -> u64 {
        hash_terms(columns.iter().map(|&column| self.value(row, column)))
    }

    /// Adds a row to an index.
    fn enter(&mut self, position: usize, row: u32) {
        let mut index = std::mem::replace(
            &mut self.indices[position],
            Index { columns: Box::new([]), heads: HashTable::new(), older: Vec::new() },
        );
        let columns = &index.columns;
        let hash = self.key_hash(columns, row);
        let same = |held: &u32| columns.iter().all(|&c| self.value(*held, c) == self.value(row, c));
        let entry = index.heads.entry(hash, same, |&held| self.key_hash(columns, held));
        let older = match entry {
            hashbrown::hash_table::Entry::Occupied(mut held) => {
                std::mem::replace(held.get_mut(), row)
            }
            hashbrown::hash_table::Entry::Vacant(free) => {
                free.insert(row);
                NONE
            }
        };
        debug_assert_eq!(index.older.len(), row as usize, "an index that is behind");
        index.older.push(older);
        self.indices[position] = index;
    }

    /// The position of the index over these columns, built where it is missing.
    pub(crate) fn index_on(&mut self, columns: &[usize]) -> usize {
        debug_assert!(columns.is_sorted());
        if let Some(found) = self.indices.iter().position(|index| *index.columns == *columns) {
            return found;
        }
        let fresh = Index { columns: columns.into(), heads: HashTable::new(), older: Vec::new() };
        self.indices.push(fresh);
        let position = self.indices.len() - 1;
        for row in 0..self.len() as u32 {
            self.enter(position, row);
        }
        position
    }

    /// The newest row whose columns of this index hold `key`.
    #[inline]
    pub(crate) fn newest(&self, index: usize, key: &[TermId]) -> Option<u32> {
        let index = &self.indices[index];
        let hash = hash_terms(key.iter().copied());
        let same =
            |&row: &u32| index.columns.iter().zip(key).all(|(&c, &t)| self.value(row, c) == t);
        index.heads.find(hash, same).copied()
    }

    /// The next older row with the same key.
    #[inline]
    pub(crate) fn older(&self, index: usize, row: u32) -> Option<u32> {
        let older = self.indices[index].older[row as usize];
        (older != NONE).then_some(older)
    }

    /// Rows to expect for one value of these columns, in 1/256 of a row.
    pub(crate) fn rows_for(&mut self, columns: &[usize]) -> usize {
        let rows = self.len();
        if columns.len() == self.width {
            return rows.min(1) * ROW;
        }
        self.count_spread();
        let spread = columns.iter().map(|&column| self.spread[column]);
        let keys = spread.fold(1, usize::saturating_mul);
        rows.saturating_mul(ROW) / keys.clamp(1, rows.max(1))
    }

    /// Counts distinct values again once the view has doubled.
    fn count_spread(&mut self) {
        if self.len() <= 2 * self.spread_at {
            return;
        }
        let mut seen = FxHashSet::default();
        for column in 0..self.width {
            seen.clear();
            seen.extend((0..self.len() as u32).map(|row| self.value(row, column)));
            self.spread[column] = seen.len();
        }
        self.spread_at = self.len();
    }
}

/// A pattern with its view.
type Seen = (Box<[Pattern]>, ViewId);

/// The views of one relation, found by what a tuple looks like.
#[derive(Default)]
struct ViewsOf {
    /// Tuples of the relation that the views have seen.
    seen: usize,
    ground: FxHashMap<Box<[TermId]>, ViewId>,
    /// By the outermost name and arity of the last argument.
    by_name: FxHashMap<(gdl::SymbolId, usize), Vec<Seen>>,
    any: Vec<Seen>,
}

/// All views.
#[derive(Default)]
pub(crate) struct Views {
    views: IndexVec<ViewId, View>,
    of: IndexVec<RelationId, ViewsOf>,
    known: FxHashMap<(RelationId, Box<[Pattern]>), ViewId>,
    changed: Vec<ViewId>,
}

impl Views {
    pub(crate) fn new(relations: usize) -> Self {
        let mut views = Self::default();
        for _ in 0..relations {
            views.of.push(ViewsOf::default());
        }
        views
    }

    pub(crate) fn len(&self) -> usize {
        self.views.len()
    }

    /// The view of an atom's pattern, and the rule's variable in each of its columns.
    pub(crate) fn of_atom(
        &mut self,
        atom: &PatternAtom,
        table: &TermTable,
    ) -> (ViewId, Box<[u32]>) {
        let variables = atom.variables();
        let mut canonical = |variable: u32| {
            let column = variables.iter().position(|&held| held == variable);
            column.expect("every variable of the atom was listed") as u32
        };
        let pattern: Box<[_]> = atom.args.iter().map(|arg| arg.rename(&mut canonical)).collect();
        let store = Relations::store(atom.relation);
        let key = (store, pattern);
        let view = match self.known.get(&key) {
            Some(&view) => view,
            None => self.add(key, variables.len(), table),
        };
        (view, variables.into())
    }

    fn add(
        &mut self,
        key: (RelationId, Box<[Pattern]>),
        width: usize,
        table: &TermTable,
    ) -> ViewId {
        let view = self.views.push(View::new(width));
        let (store, pattern) = key.clone();
        let of = &mut self.of[store];
        assert_eq!(of.seen, 0, "a view that missed tuples");
        match (all_ground(&pattern), pattern.last()) {
            (Some(ground), _) => {
                of.ground.insert(ground.into(), view);
            }
            (None, Some(Pattern::Compound(symbol, args))) => {
                of.by_name.entry((*symbol, args.len())).or_default().push((pattern, view));
            }
            (None, Some(Pattern::Ground(term))) => {
                let (symbol, args) = table.node(*term);
                of.by_name.entry((symbol, args.len())).or_default().push((pattern, view));
            }
            _ => of.any.push((pattern, view)),
        }
        self.known.insert(key, view);
        view
    }

    pub(crate) fn get(&self, view: ViewId) -> &View {
        &self.views[view]
    }

    pub(crate) fn get_mut(&mut self, view: ViewId) -> &mut View {
        &mut self.views[view]
    }

    /// Shows a new tuple to the views of its relation.
    pub(crate) fn show(
        &mut self,
        store: RelationId,
        row: u32,
        tuple: &[TermId],
        table: &TermTable,
    ) {
        let of = &mut self.of[store];
        assert_eq!(of.seen, row as usize, "tuples are shown in order");
        of.seen += 1;
        if let Some(&view) = of.ground.get(tuple) {
            note(&mut self.views, &mut self.changed, view, &[], row);
        }
        let Some(&last) = tuple.last() else { return };
        let (symbol, args) = table.node(last);
        let named = of.by_name.get(&(symbol, args.len())).into_iter().flatten();
        let mut values = Vec::new();
        for (pattern, view) in named.chain(&of.any) {
            values.clear();
            let mut pairs = pattern.iter().zip(tuple);
            if pairs.all(|(arg, &term)| arg.matches(term, table, &mut values)) {
                note(&mut self.views, &mut self.changed, *view, &values, row);
            }
        }
    }

    /// Tuples of a relation that were shown.
    pub(crate) fn shown(&self, store: RelationId) -> usize {
        self.of[store].seen
    }

    /// Makes every row old: what is shown from now on is the next round's news.
    pub(crate) fn start_round(&mut self) {
        for view in self.changed.drain(..) {
            let view = &mut self.views[view];
            view.old = view.len();
        }
    }

    /// The views with news, in order.
    pub(crate) fn changed(&mut self) -> &[ViewId] {
        self.changed.sort_unstable();
        &self.changed
    }
}

fn note(
    views: &mut IndexVec<ViewId, View>,
    changed: &mut Vec<ViewId>,
    id: ViewId,
    values: &[TermId],
    row: u32,
) {
    let view = &mut views[id];
    if view.old == view.len() {
        changed.push(id);
    }
    view.push(values, row);
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::Id;

    fn terms(items: &[usize]) -> Vec<TermId> {
        items.iter().map(|&item| TermId::from_index(item)).collect()
    }

    #[test]
    fn a_chain_lists_the_rows_of_a_key_from_the_newest() {
        let mut view = View::new(2);
        for (row, pair) in [[1, 5], [2, 5], [1, 6], [1, 7]].iter().enumerate() {
            view.push(&terms(pair), row as u32 * 10);
        }
        let index = view.index_on(&[0]);
        view.push(&terms(&[1, 8]), 40);
        let newest = view.newest(index, &terms(&[1]));
        let chain: Vec<_> = std::iter::successors(newest, |&row| view.older(index, row)).collect();
        assert_eq!(chain, [4, 3, 2, 0]);
        assert_eq!(view.newest(index, &terms(&[9])), None);
        assert_eq!((view.origin(4), view.value(4, 1)), (40, TermId::from_index(8)));
    }

    #[test]
    fn expectations_follow_the_distinct_values() {
        let mut view = View::new(2);
        for item in 0..100 {
            view.push(&terms(&[item, item % 10]), item as u32);
        }
        assert_eq!(view.rows_for(&[0]), ROW);
        assert_eq!(view.rows_for(&[1]), 10 * ROW);
        assert_eq!(view.rows_for(&[]), 100 * ROW);
    }
}
