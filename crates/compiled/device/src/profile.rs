//! What was done on a device: passes with their times and bytes, plies with what they held, and what a
//! search handed over.
//!
//! Bytes are those that a pass must move by its definition, each word once, not what a cache or a
//! memory controller makes of them. Nothing here decides anything.

use std::time::Duration;

/// The calls of one kind of pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pass {
    /// Its name.
    pub name: String,
    /// How often it was called.
    pub calls: u64,
    /// Bytes that it moved.
    pub bytes: u64,
    /// Its time on the device; zero where it was not timed.
    pub time: Duration,
}

/// One ply, forward or backward.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyRow {
    /// Its number.
    pub ply: usize,
    /// Whether its values were computed, and not its children.
    pub is_backward: bool,
    /// Parts that it lies in.
    pub parts: usize,
    /// States.
    pub states: u64,
    /// Edges.
    pub edges: u64,
    /// Words of 32 bits of a value, backward.
    pub limbs: usize,
    /// Bytes that its passes moved.
    pub bytes: u64,
    /// Time from its first command to its last answer.
    pub time: Duration,
    /// Its passes.
    pub passes: Vec<Pass>,
}

/// What a search had taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRow {
    /// Batches that were handed over, each a few passes.
    pub batches: u64,
    /// States that were looked at.
    pub states: u64,
    /// Those of them that go on and were opened.
    pub opened: u64,
    /// Their children.
    pub children: u64,
    /// Bytes that passes moved.
    pub bytes: u64,
    /// Time from the first command of each batch to the last state that was read from it.
    pub time: Duration,
    /// Its passes.
    pub passes: Vec<Pass>,
}

/// All that was done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Bytes a second that the device reads and writes when it copies; 0 where it was not measured.
    pub copy_bytes_per_second: u64,
    /// Time that shaders took to compile, which is before the first ply and at the first value of a
    /// width.
    pub compiling: Duration,
    /// Pipelines compiled.
    pub pipelines: u64,
    /// Plies in the order in which they were done.
    pub plies: Vec<PlyRow>,
    /// What a search handed over, where it was a search.
    pub search: Option<SearchRow>,
}

impl Profile {
    /// Takes in a call of a pass, in the ply that is being done or in the search.
    pub(crate) fn add(&mut self, name: &'static str, bytes: u64, time: Duration) {
        let (all, passes) = match (&mut self.search, self.plies.last_mut()) {
            (Some(row), _) => (&mut row.bytes, &mut row.passes),
            (None, Some(row)) => (&mut row.bytes, &mut row.passes),
            (None, None) => return,
        };
        *all += bytes;
        let at = passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            passes.push(Pass { name: name.to_owned(), ..Pass::default() });
            passes.len() - 1
        });
        let pass = &mut passes[at];
        pass.calls += 1;
        pass.bytes += bytes;
        pass.time += time;
    }

    /// The passes of all plies and of the search, in the order in which they were first met.
    pub fn passes(&self) -> Vec<Pass> {
        let mut sums: Vec<Pass> = Vec::new();
        let of_search = self.search.iter().flat_map(|row| &row.passes);
        for pass in self.plies.iter().flat_map(|ply| &ply.passes).chain(of_search) {
            match sums.iter_mut().find(|sum| sum.name == pass.name) {
                Some(sum) => {
                    sum.calls += pass.calls;
                    sum.bytes += pass.bytes;
                    sum.time += pass.time;
                }
                None => sums.push(pass.clone()),
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_summed_by_name() {
        let mut profile = Profile::default();
        profile.add("lost", 1, Duration::ZERO);
        for ply in 0..2 {
            profile.plies.push(PlyRow { ply, ..PlyRow::default() });
            profile.add("claim", 10, Duration::from_millis(2));
            profile.add("rank", 1, Duration::ZERO);
        }
        let passes = profile.passes();
        let names: Vec<&str> = passes.iter().map(|pass| pass.name.as_str()).collect();
        assert_eq!(names, ["claim", "rank"]);
        assert_eq!((passes[0].calls, passes[0].bytes), (2, 20));
        assert_eq!(passes[0].time, Duration::from_millis(4));
        assert_eq!(profile.plies[0].bytes, 11);
        profile.search = Some(SearchRow::default());
        profile.add("claim", 5, Duration::ZERO);
        assert_eq!(profile.search.as_ref().map(|row| row.bytes), Some(5));
        assert_eq!(profile.passes()[0].calls, 3);
    }
}
