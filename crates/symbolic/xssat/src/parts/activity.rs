//! Activity: which variables took part in recent conflicts, and the next one to choose.
//!
//! Whole numbers: a bump adds a step, the step grows by a sixteenth a conflict, and all are divided
//! by 2^40 once one reaches 2^60. Scores also choose the variable that a part is branched on. The heap
//! holds candidates of one check for a model, the most active first; equals by number, so that runs
//! are alike.
//! Source: Een and Sorensson, *MiniSat* (2003).

use index::Id;
use qcnf::Var;

const LARGE: u64 = 1 << 60;
const ABSENT: u32 = u32::MAX;

/// Activities of all variables, and a heap of some.
pub(crate) struct Activity {
    scores: Vec<u64>,
    step: u64,
    heap: Vec<u32>,
    places: Vec<u32>,
}

impl Activity {
    pub(crate) fn new(variables: usize) -> Self {
        Self {
            scores: vec![0; variables],
            step: 1 << 10,
            heap: Vec::new(),
            places: vec![ABSENT; variables],
        }
    }

    pub(crate) fn score(&self, var: Var) -> u64 {
        self.scores[var.index()]
    }

    /// A variable took part in a conflict.
    pub(crate) fn bump(&mut self, var: Var) {
        self.scores[var.index()] += self.step;
        if self.scores[var.index()] >= LARGE {
            self.shrink();
        }
        let place = self.places[var.index()];
        if place != ABSENT {
            self.rise(place as usize);
        }
    }

    /// A conflict is over: those to come count more.
    pub(crate) fn age(&mut self) {
        self.step += self.step >> 4;
        if self.step >= LARGE {
            self.shrink();
        }
    }

    /// Divides all scores. Some that differed are equal then and stand by number, so the heap is built
    /// anew.
    fn shrink(&mut self) {
        self.scores.iter_mut().for_each(|score| *score >>= 40);
        self.step = (self.step >> 40).max(1 << 10);
        let held = std::mem::take(&mut self.heap);
        self.fill(held.into_iter());
    }

    /// Makes these the candidates.
    pub(crate) fn fill(&mut self, vars: impl Iterator<Item = u32>) {
        self.heap.drain(..).for_each(|var| self.places[var as usize] = ABSENT);
        self.heap.extend(vars);
        for (place, &var) in self.heap.iter().enumerate() {
            self.places[var as usize] = place as u32;
        }
        (0..self.heap.len() / 2).rev().for_each(|place| self.sink(place));
    }

    /// Makes a variable a candidate again.
    pub(crate) fn insert(&mut self, var: Var) {
        if self.places[var.index()] == ABSENT {
            self.places[var.index()] = self.heap.len() as u32;
            self.heap.push(var.index() as u32);
            self.rise(self.heap.len() - 1);
        }
    }

    /// Takes the most active candidate.
    pub(crate) fn pop(&mut self) -> Option<Var> {
        let last = self.heap.len().checked_sub(1)?;
        self.swap(0, last);
        let var = self.heap.pop()?;
        self.places[var as usize] = ABSENT;
        self.sink(0);
        Some(Var::from_index(var as usize))
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        let key = |var: u32| (std::cmp::Reverse(self.scores[var as usize]), var);
        key(a) < key(b)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.places[self.heap[a] as usize] = a as u32;
        self.places[self.heap[b] as usize] = b as u32;
    }

    fn rise(&mut self, mut place: usize) {
        while place > 0 && self.is_before(self.heap[place], self.heap[(place - 1) / 2]) {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let children = [2 * place + 1, 2 * place + 2];
            let present = children.into_iter().filter(|&child| child < self.heap.len());
            let first = present.min_by(|&a, &b| {
                if self.is_before(self.heap[a], self.heap[b]) {
                    std::cmp::Ordering::Less
                } else {
                    std::cmp::Ordering::Greater
                }
            });
            match first {
                Some(child) if self.is_before(self.heap[child], self.heap[place]) => {
                    self.swap(child, place);
                    place = child;
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_active_comes_first_and_equals_by_number() {
        let mut activity = Activity::new(8);
        activity.fill([5, 1, 7, 2, 3].into_iter());
        for var in [3, 7, 7] {
            activity.bump(Var::from_index(var));
            activity.age();
        }
        let mut order = Vec::new();
        while let Some(var) = activity.pop() {
            order.push(var.index());
        }
        assert_eq!(order, [7, 3, 1, 2, 5]);
        for _ in 0..2000 {
            activity.bump(Var::from_index(4));
            activity.age();
        }
        activity.insert(Var::from_index(6));
        activity.insert(Var::from_index(4));
        assert_eq!(activity.pop(), Some(Var::from_index(4)), "large activities stay the largest");
    }

    /// Against a sorted list, while candidates rise, go and come.
    #[test]
    fn candidates_come_in_the_order_of_their_activity() {
        let mut activity = Activity::new(60);
        let mut state = 1u32;
        let mut draw = move |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..40 {
            activity.fill(0..60);
            for _ in 0..draw(30) {
                activity.pop();
            }
            for _ in 0..50 {
                activity.bump(Var::from_index(draw(60) as usize));
                activity.insert(Var::from_index(draw(60) as usize));
                activity.age();
            }
            let mut wanted = activity.heap.clone();
            wanted.sort_unstable_by_key(|&var| {
                (std::cmp::Reverse(activity.scores[var as usize]), var)
            });
            let popped = std::iter::from_fn(|| activity.pop());
            let popped: Vec<u32> = popped.map(|var| var.index() as u32).collect();
            assert_eq!(popped, wanted);
        }
    }
}
