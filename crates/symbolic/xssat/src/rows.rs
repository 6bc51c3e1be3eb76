//! Rows of different lengths in one flat vector.

/// Rows, each a slice; two allocations in all.
#[derive(Clone, Debug)]
pub(crate) struct Rows<T> {
    items: Vec<T>,
    /// Where each row starts, and the end of the last.
    starts: Vec<u32>,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { items: Vec::new(), starts: vec![0] }
    }
}

impl<T: Copy> Rows<T> {
    pub(crate) fn from_rows(rows: impl IntoIterator<Item = Vec<T>>) -> Self {
        let mut all = Self::default();
        rows.into_iter().for_each(|row| all.push(&row));
        all
    }

    pub(crate) fn push(&mut self, row: &[T]) {
        self.items.extend_from_slice(row);
        let end = u32::try_from(self.items.len()).expect("more than 2^32 items");
        self.starts.push(end);
    }

    /// Drops the last row.
    pub(crate) fn pop(&mut self) {
        debug_assert!(self.starts.len() > 1);
        self.starts.pop();
        self.items.truncate(self.starts.last().copied().unwrap_or(0) as usize);
    }

    /// Rows from (row, item) pairs in any order; items of a row keep their order. `blank` fills
    /// places until their item comes.
    pub(crate) fn transposed<I>(rows: usize, blank: T, pairs: impl Fn() -> I) -> Self
    where
        I: Iterator<Item = (usize, T)>,
    {
        let mut starts = vec![0u32; rows + 1];
        pairs().for_each(|(row, _)| starts[row + 1] += 1);
        for at in 1..starts.len() {
            starts[at] = starts[at].checked_add(starts[at - 1]).expect("more than 2^32 items");
        }
        let mut items = vec![blank; starts[rows] as usize];
        let mut next = starts.clone();
        for (row, item) in pairs() {
            items[next[row] as usize] = item;
            next[row] += 1;
        }
        debug_assert!((0..rows).all(|row| next[row] == starts[row + 1]));
        Self { items, starts }
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Items over all rows.
    pub(crate) fn items(&self) -> usize {
        self.items.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_rows_keep_the_order_of_their_items() {
        let pairs = [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd')];
        let rows = Rows::transposed(4, ' ', || pairs.iter().copied());
        assert_eq!((rows.get(0), rows.get(1), rows.get(2)), (&['b'][..], &[][..], &['a', 'c'][..]));
        assert_eq!((rows.len(), rows.items()), (4, 4));
    }
}
