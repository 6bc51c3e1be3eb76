//! What was done on a device: passes with their times and bytes, plies with what they held.
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
}

impl Profile {
    /// Takes in a call of a pass, in the ply that is being done.
    pub(crate) fn add(&mut self, name: &'static str, bytes: u64, time: Duration) {
        let Some(row) = self.plies.last_mut() else { return };
        row.bytes += bytes;
        let at = row.passes.iter().position(|pass| pass.name == name).unwrap_or_else(|| {
            row.passes.push(Pass { name: name.to_owned(), ..Pass::default() });
            row.passes.len() - 1
        });
        let pass = &mut row.passes[at];
        pass.calls += 1;
        pass.bytes += bytes;
        pass.time += time;
    }

    /// The passes of all plies, in the order in which they were first met.
    pub fn passes(&self) -> Vec<Pass> {
        let mut sums: Vec<Pass> = Vec::new();
        for pass in self.plies.iter().flat_map(|ply| &ply.passes) {
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
    }
}
