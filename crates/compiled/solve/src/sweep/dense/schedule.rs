//! In which order blocks are worked on, and which of them by several threads at once.
//!
//! The values of the highest digit are *slabs* of blocks. Slabs are valued one after the other,
//! children first and depth first, so that a slab can be given back as soon as the last slab that
//! leads to it is done: of a column of a board, whose contents are a tree, a path and its siblings
//! are held and not all contents. The digits below tell the *tasks* of a slab; tasks of one stage
//! do not lead to each other. The digits that remain are worked on in descending order inside of a
//! task, so that most children are near.
//!
//! Always: a child lies in the same task, in a task of an earlier stage, or in an earlier slab. The
//! order backward is given; forward is the reverse.

use factor::{Digit, Factored, NOWHERE};

use super::layout::Layout;

/// Tasks of a slab that are enough for all threads.
const TASKS: usize = 16;

/// The order of work.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// The slabs that the start leads to, children first; the start's is the last.
    pub(super) slabs: Vec<usize>,
    /// By place in `slabs`: the slabs that are not read any more once that one is done.
    pub(super) released: Vec<Vec<usize>>,
    /// Tasks of a slab by stage, children first.
    pub(super) stages: Vec<Vec<usize>>,
    /// Tasks of a slab.
    pub(super) tasks: usize,
    /// Blocks of a task.
    pub(super) inner: usize,
    /// All slabs, those that the start does not lead to among them.
    pub(super) tops: usize,
    /// By task of a slab: the one in which the twins of its groups lie, of the same stage. The task
    /// itself where twins are not looked for.
    pub(super) twins: Vec<usize>,
    /// Whether twins are looked for.
    pub(super) has_twins: bool,
}

/// What a schedule makes of twins, where a symmetry exchanges places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Twins {
    /// Nothing: each group is worked on.
    Apart,
    /// They are in one task, as all of a slab is.
    Together,
    /// The twins of a task's groups are the groups of one task.
    ByTask,
}

impl Schedule {
    /// The order of work on a layout.
    pub(super) fn new(game: &Factored, layout: &Layout, twins: Twins) -> Self {
        let top = layout.high.len().checked_sub(1);
        let mut lowest = top.unwrap_or(0);
        let mut tasks = 1;
        let exchange = layout.exchange.as_ref().filter(|_| twins != Twins::Apart);
        let partner = |at: usize| exchange.map_or(at, |exchange| exchange.high[at]);
        let is_closed = |lowest: usize| (lowest..top.unwrap_or(0)).all(|at| partner(at) >= lowest);
        let enough = if exchange.is_some() && twins == Twins::Together { 1 } else { TASKS };
        while lowest > 0 && (tasks < enough || !is_closed(lowest)) {
            lowest -= 1;
            tasks *= layout.sizes[lowest];
        }
        let tops = top.map_or(1, |top| layout.sizes[top]);
        let digit = |at: usize| &game.digits[layout.high[at]];
        let slabs = top.map_or(vec![0], |top| children_first(digit(top)));
        let released = top.map_or(vec![vec![]], |top| released(digit(top), &slabs));
        let of_stage = lowest..top.unwrap_or(0);
        let depths: Vec<Vec<usize>> = of_stage.clone().map(|at| depths(digit(at))).collect();
        let deepest: usize = depths.iter().map(|of| of.iter().copied().max().unwrap_or(0)).sum();
        let mut stages = vec![Vec::new(); deepest + 1];
        let mut stage_of = Vec::with_capacity(tasks);
        for task in 0..tasks {
            let (mut rest, mut depth) = (task, 0);
            for (at, of) in of_stage.clone().zip(&depths) {
                depth += of[rest % layout.sizes[at]];
                rest /= layout.sizes[at];
            }
            stages[depth].push(task);
            stage_of.push(depth);
        }
        stages.retain(|stage| !stage.is_empty());
        let inner = layout.blocks / (tops * tasks);
        assert_eq!(inner * tops * tasks, layout.blocks, "tasks cover all blocks");
        let groups = inner / layout.chunks;
        let has_twins = exchange.is_some();
        let twin = |task: usize| if has_twins { layout.twin(task * groups) / groups } else { task };
        let twins: Vec<usize> = (0..tasks).map(twin).collect();
        let is_even = |(task, twin): (usize, &usize)| {
            twins.get(*twin) == Some(&task) && stage_of[*twin] == stage_of[task]
        };
        assert!(twins.iter().enumerate().all(is_even), "twins do not lead to each other");
        Self { slabs, released, stages, tasks, inner, tops, twins, has_twins }
    }

    /// The task of a block, counted over all slabs.
    pub(super) fn task_of(&self, block: usize) -> usize {
        block / self.inner
    }

    /// The blocks of a slab.
    pub(super) fn blocks_of(&self, slab: usize) -> std::ops::Range<usize> {
        let blocks = self.tasks * self.inner;
        slab * blocks..(slab + 1) * blocks
    }

    /// The most tasks that can be done at one time.
    pub(super) fn longest_stage(&self) -> usize {
        self.stages.iter().map(Vec::len).max().unwrap_or(1)
    }
}

/// What a value of a digit may become, apart from itself.
fn next_values(digit: &Digit, value: usize) -> Vec<usize> {
    let to = digit.maps.iter().map(|map| map[value]).filter(|to| *to != NOWHERE);
    let mut to: Vec<usize> = to.map(|to| to as usize).filter(|to| *to != value).collect();
    to.sort_unstable();
    to.dedup();
    debug_assert!(to.iter().all(|to| *to > value), "tables ascend");
    to
}

/// By value: how many changes may follow at most.
fn depths(digit: &Digit) -> Vec<usize> {
    let mut depths = vec![0; digit.values.len()];
    for value in (0..depths.len()).rev() {
        let next = next_values(digit, value);
        depths[value] = next.iter().map(|to| depths[*to] + 1).max().unwrap_or(0);
    }
    depths
}

/// The values that the start leads to, depth first, those that may change most first; each after
/// all that it leads to.
fn children_first(digit: &Digit) -> Vec<usize> {
    let depths = depths(digit);
    let mut seen = vec![false; digit.values.len()];
    let (mut order, mut path) = (Vec::new(), Vec::new());
    let next = |value: usize| {
        let mut next = next_values(digit, value);
        next.sort_by_key(|to| depths[*to]);
        next
    };
    let start = digit.start as usize;
    seen[start] = true;
    path.push((start, next(start)));
    while let Some((value, rest)) = path.last_mut() {
        match rest.pop() {
            Some(to) if !seen[to] => {
                seen[to] = true;
                path.push((to, next(to)));
            }
            Some(_) => {}
            None => {
                order.push(*value);
                path.pop();
            }
        }
    }
    order
}

/// What nothing reads any more once a slab is done. The last slab releases none, so that the moves
/// of the start can be shown.
fn released(digit: &Digit, slabs: &[usize]) -> Vec<Vec<usize>> {
    let mut last = vec![None; digit.values.len()];
    for (at, slab) in slabs.iter().enumerate() {
        next_values(digit, *slab).into_iter().for_each(|to| last[to] = Some(at));
    }
    let mut released = vec![Vec::new(); slabs.len()];
    for slab in slabs {
        if let Some(at) = last[*slab].filter(|at| at + 1 < slabs.len()) {
            released[at].push(*slab);
        }
    }
    released
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of a board: each disc is of one of two colours.
    fn column(height: u32) -> Digit {
        let count = (1 << (height + 1)) - 1;
        let map = |colour: u32| {
            (0..count).map(move |value| match 2 * value + 1 + colour {
                to if to < count => to,
                _ => NOWHERE,
            })
        };
        Digit {
            bases: Vec::new(),
            values: vec![Vec::new(); count as usize],
            maps: vec![map(0).collect(), map(1).collect()],
            start: 0,
        }
    }

    #[test]
    fn children_are_done_first_and_held_until_their_last_parent_is_done() {
        let pile: Vec<u32> = (0..9).map(|value| value + 1).chain([NOWHERE]).collect();
        let two: Vec<u32> = (0..8).map(|value| value + 2).chain([NOWHERE, NOWHERE]).collect();
        let pile = Digit { maps: vec![pile, two], ..column(3) };
        let pile = Digit { values: vec![Vec::new(); 10], ..pile };
        for (digit, most) in [(column(3), 5), (column(5), 7), (pile, 3)] {
            let slabs = children_first(&digit);
            let released = released(&digit, &slabs);
            assert_eq!(slabs.len(), digit.values.len());
            assert_eq!(slabs.last(), Some(&0));
            let mut held = vec![false; slabs.len()];
            let mut greatest = 0;
            for (slab, released) in slabs.iter().zip(&released) {
                assert!(next_values(&digit, *slab).iter().all(|to| held[*to]), "children are held");
                held[*slab] = true;
                greatest = greatest.max(held.iter().filter(|held| **held).count());
                released.iter().for_each(|slab| held[*slab] = false);
            }
            assert_eq!(greatest, most);
            assert!(next_values(&digit, 0).iter().all(|to| held[*to]), "moves of the start");
        }
    }

    #[test]
    fn depths_count_the_changes_that_may_follow() {
        assert_eq!(depths(&column(2)), [2, 1, 1, 0, 0, 0, 0]);
    }
}
