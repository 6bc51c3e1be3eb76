//! Samples of a program's meaning: assignments of its choices, and the stable models of each.
//!
//! They are the program's own side of an audit: what the clauses of the program say of the same
//! assignments must be the same. Where all assignments are few, they are all of them.

/// What is to be sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Atoms, as clingo prints them; an assignment gives each a value.
    pub choices: Vec<String>,
    /// Assignments at most.
    pub most: usize,
    /// The same seed draws the same sample.
    pub seed: u64,
}

impl Sampling {
    /// How many assignments there are, where all of them are to be tried.
    pub fn all(&self) -> Option<u64> {
        let count = u32::try_from(self.choices.len()).ok().and_then(|bits| 1u64.checked_shl(bits));
        count.filter(|count| *count <= self.most as u64)
    }
}

/// An assignment and its stable models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// By choice.
    pub given: Vec<bool>,
    /// Of each stable model, the places of the symbols that hold, ascending.
    pub models: Vec<Vec<u32>>,
    /// Whether these are all its stable models.
    pub whole: bool,
}

/// A sample of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// The symbols of the program.
    pub symbols: Vec<String>,
    /// No assignment stands twice.
    pub samples: Vec<Sample>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_assignments_are_tried_where_they_are_few() {
        let of = |choices: usize, most: usize| {
            Sampling { choices: vec!["a".to_owned(); choices], most, seed: 0 }.all()
        };
        assert_eq!([of(3, 7), of(3, 8), of(3, 9), of(0, 1)], [None, Some(8), Some(8), Some(1)]);
        assert_eq!(of(64, usize::MAX), None, "their number is no number of 64 bits");
    }
}
