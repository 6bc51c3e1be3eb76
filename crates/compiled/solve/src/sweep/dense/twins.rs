//! Values of blocks that are copied: those of twins, from the ones that were worked on.

use kernel::BLOCK_LANES;
use kernel::dense::Values;

use super::Dense;
use super::arenas::{Finished, Part, in_slot, slot};
use super::reached::Reached;
use super::value::Number;

/// Fills the twins of a finished task's groups, which lie in another task.
pub(super) fn copy_twins(
    (dense, reached): (&Dense<'_>, &Reached),
    slab: usize,
    (task, part): (usize, &Part<'_>),
    (twin, to): (usize, &mut Part<'_>),
) {
    let schedule = dense.schedule;
    let place = |task: usize| (slab * schedule.tasks + task) * schedule.inner;
    let (mine, theirs) = (place(task), place(twin));
    let mut places = [0usize; 2];
    for at in (0..schedule.inner).rev() {
        if !reached.block(theirs + at).is_reached() {
            continue;
        }
        let (group, chunk) = ((theirs + at) / dense.layout.chunks, at % dense.layout.chunks);
        let source = dense.layout.twin(group) * dense.layout.chunks - mine;
        let wide = dense.is_wide(dense.level_of(group), chunk);
        let from = (source, &*part.slots, &*part.narrow, &*part.wide);
        let start = places[usize::from(wide)] * BLOCK_LANES;
        if wide {
            copy(dense, from, (chunk, &mut to.wide[start..start + BLOCK_LANES]));
        } else {
            copy(dense, from, (chunk, &mut to.narrow[start..start + BLOCK_LANES]));
        }
        to.slots[at] = slot(places[usize::from(wide)], wide);
        places[usize::from(wide)] += 1;
    }
    debug_assert_eq!([to.narrow.len(), to.wide.len()], places.map(|blocks| blocks * BLOCK_LANES));
}

/// Fills a block from the twin of its group, which was finished before in the same task.
pub(super) fn copy_within(
    dense: &Dense<'_>,
    (first, at, twin): (usize, usize, usize),
    part: Part<'_>,
    places: &mut [usize; 2],
) {
    let chunks = dense.layout.chunks;
    let (chunk, source) = ((first + at) % chunks, twin * chunks - first);
    let wide = dense.is_wide(dense.level_of((first + at) / chunks), chunk);
    let place = places[usize::from(wide)];
    if wide {
        let (done, rest) = part.wide.split_at_mut(place * BLOCK_LANES);
        let from = (source, &*part.slots, &*part.narrow, &*done);
        copy(dense, from, (chunk, &mut rest[..BLOCK_LANES]));
    } else {
        let (done, rest) = part.narrow.split_at_mut(place * BLOCK_LANES);
        let from = (source, &*part.slots, &*done, &*part.wide);
        copy(dense, from, (chunk, &mut rest[..BLOCK_LANES]));
    }
    part.slots[at] = slot(place, wide);
    places[usize::from(wide)] += 1;
}

/// Fills a chunk of a group from its twin, whose blocks begin at a place in a part of slots and of
/// numbers of both widths. What no state has of it is left as it is.
fn copy<V: Number>(
    dense: &Dense<'_>,
    (source, slots, narrow, wide): (usize, &[u32], &[u32], &[u64]),
    (chunk, values): (usize, &mut [V]),
) {
    let values: &mut Values<V> = values.try_into().expect("a block of values");
    for from in 0..dense.layout.chunks {
        let to = (chunk, &mut *values);
        match in_slot(slots[source + from], narrow, wide) {
            Some(Finished::Narrow(found)) => {
                dense.layout.turn_values((from, found), to, |it: u32| V::of(u64::from(it)));
            }
            Some(Finished::Wide(found)) => dense.layout.turn_values((from, found), to, V::of),
            None => {}
        }
    }
}
