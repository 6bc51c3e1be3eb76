//! Room that is used again: of all that is free the smallest that is large enough, or the largest,
//! which then grows. The same rule on sizes alone tells beforehand what a solve will hold.

use store::{HugeVec, OutOfMemory, Plain};

/// Room of a size.
pub(super) trait Room: Default {
    /// How much it has.
    fn size(&self) -> usize;
}

impl Room for usize {
    fn size(&self) -> usize {
        *self
    }
}

impl<V: Plain> Room for HugeVec<V> {
    fn size(&self) -> usize {
        self.len()
    }
}

/// Free room, and how much there is of it in all, in use or not.
#[derive(Default)]
pub(super) struct Shelf<T> {
    free: Vec<T>,
    pub(super) total: usize,
}

impl<T: Room> Shelf<T> {
    /// Room of at least a size, by `grow` where there is none; nothing for none.
    pub(super) fn take(&mut self, size: usize, grow: impl FnOnce(T, usize) -> T) -> T {
        let grown = self.try_take(size, |room, size| Ok::<_, ()>(grow(room, size)));
        grown.expect("growth does not fail")
    }

    /// As [`Shelf::take`], where growth may fail.
    ///
    /// # Errors
    /// What `grow` failed with.
    pub(super) fn try_take<E>(
        &mut self,
        size: usize,
        grow: impl FnOnce(T, usize) -> Result<T, E>,
    ) -> Result<T, E> {
        if size == 0 {
            return Ok(T::default());
        }
        let sizes = self.free.iter().enumerate().map(|(at, room)| (room.size(), at));
        let fitting = sizes.clone().filter(|held| held.0 >= size).min();
        let room = match fitting.or_else(|| sizes.max()) {
            Some((_, at)) => self.free.swap_remove(at),
            None => T::default(),
        };
        if room.size() >= size {
            return Ok(room);
        }
        let before = room.size();
        let room = grow(room, size)?;
        debug_assert_eq!(room.size(), size, "it grows to what is needed");
        self.total += size - before;
        Ok(room)
    }

    /// Gives room back.
    pub(super) fn put(&mut self, room: T) {
        if room.size() > 0 {
            self.free.push(room);
        }
    }
}

/// Room for so many numbers; what is new is zero, and touched only when it is written where there
/// was nothing before.
pub(super) fn grown<V: Plain>(
    mut room: HugeVec<V>,
    size: usize,
) -> Result<HugeVec<V>, OutOfMemory> {
    if room.is_empty() {
        return HugeVec::zeroed(size);
    }
    room.resize(size, V::default())?;
    Ok(room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_that_fits_is_taken_and_the_largest_grows() {
        let mut shelf = Shelf::<usize>::default();
        let sizes = [5, 0, 9].map(|size| shelf.take(size, usize::max));
        assert_eq!((sizes, shelf.total), ([5, 0, 9], 14));
        sizes.into_iter().for_each(|size| shelf.put(size));
        assert_eq!((shelf.take(4, usize::max), shelf.total), (5, 14));
        assert_eq!((shelf.take(11, usize::max), shelf.total), (11, 16));
        assert_eq!((shelf.take(3, usize::max), shelf.total), (3, 19));
        let mut held = Shelf::<HugeVec<u32>>::default();
        let room = held.try_take(3000, grown).expect("memory");
        assert_eq!((room.len(), held.total), (3000, 3000));
        held.put(room);
        let room = held.try_take(4000, grown).expect("memory");
        assert_eq!((room.len(), held.total), (4000, 4000));
        assert!(room.as_slice().iter().all(|number| *number == 0));
    }
}
