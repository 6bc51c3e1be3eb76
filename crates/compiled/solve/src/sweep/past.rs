//! What an earlier process left of a sweep: its finished plies, and values.
//!
//! A ply as a whole is a short run of words, and `parse` refuses what `words` did not write.

use std::path::PathBuf;

use store::{Frame, FrameFile};

use super::checkpoint::Whole;
use super::toss::Toss;
use crate::backend::PlyCounts;

/// One finished ply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PastPly {
    /// What it held.
    pub(super) counts: PlyCounts,
    /// The toss that was passed through.
    pub(super) toss: Option<Toss>,
    /// Words of its record, its edges, words of its children's keys, and their number.
    pub(super) record: u64,
    pub(super) edges: u64,
    pub(super) key_words: u64,
    pub(super) children: u64,
    /// Whether folding was still worth trying after it.
    pub(super) folding: bool,
}

/// The values of one ply, in the frames of a file.
pub(super) struct PastValues {
    pub(super) ply: usize,
    pub(super) limbs: usize,
    pub(super) path: PathBuf,
    pub(super) file: FrameFile,
    pub(super) frames: Vec<Frame>,
}

/// All that is left; nothing where nothing is.
#[derive(Default)]
pub(super) struct Past {
    pub(super) plies: Vec<PastPly>,
    /// What tells them from others.
    pub(super) whole: Whole,
    /// Files with their frames, and the plies up to their ends.
    pub(super) files: Vec<(PathBuf, Vec<Frame>, Whole)>,
    pub(super) values: Option<PastValues>,
    /// Distinct states and decision states.
    pub(super) counted: Option<(u64, u64)>,
}

impl PastPly {
    /// The ply as words.
    pub(super) fn words(&self) -> Vec<u64> {
        let counts = &self.counts;
        let mut words = vec![
            self.record,
            self.edges,
            self.key_words,
            self.children,
            counts.steps.into(),
            counts.folded,
            counts.states,
            counts.terminal,
            counts.decisions,
            counts.edges,
            counts.simultaneous.into(),
            self.folding.into(),
        ];
        put_list(&mut words, &counts.totals);
        words.push(self.toss.as_ref().map_or(0, |toss| toss.total.into()));
        put_list(&mut words, self.toss.as_ref().map_or(&[], |toss| &toss.weights));
        words
    }

    /// Reads what [`PastPly::words`] wrote.
    pub(super) fn parse(words: &[u64]) -> Option<Self> {
        let (head, mut rest) = words.split_first_chunk::<12>()?;
        let totals = take_list(&mut rest)?;
        let total = u32::try_from(*rest.split_off_first()?).ok()?;
        let weights = take_list(&mut rest)?;
        let &[
            record,
            edges,
            key_words,
            children,
            steps,
            folded,
            states,
            terminal,
            decisions,
            e,
            s,
            f,
        ] = head;
        let counts = PlyCounts {
            steps: u32::try_from(steps).ok()?,
            folded,
            states,
            terminal,
            decisions,
            edges: e,
            totals,
            simultaneous: s == 1,
        };
        let toss = (total > 0).then_some(Toss { weights, total });
        let ply = Self { counts, toss, record, edges, key_words, children, folding: f == 1 };
        (rest.is_empty() && ply.words() == words).then_some(ply)
    }
}

fn put_list(words: &mut Vec<u64>, list: &[u32]) {
    words.push(list.len() as u64);
    words.extend(list.iter().map(|number| u64::from(*number)));
}

fn take_list(words: &mut &[u64]) -> Option<Vec<u32>> {
    let count = usize::try_from(*words.split_off_first()?).ok()?;
    let (list, rest) = words.split_at_checked(count)?;
    *words = rest;
    list.iter().map(|word| u32::try_from(*word).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_is_read_as_it_was_written_and_no_other_way() {
        let counts = PlyCounts {
            steps: 2,
            folded: 7,
            states: 9,
            terminal: 1,
            decisions: 8,
            edges: 20,
            totals: vec![1, 4],
            simultaneous: true,
        };
        let toss = Some(Toss { weights: vec![3, 1], total: 4 });
        let (key_words, folding) = (12, true);
        let ply = PastPly { counts, toss, record: 5, edges: 20, key_words, children: 6, folding };
        let words = ply.words();
        assert_eq!(PastPly::parse(&words), Some(ply));
        assert_eq!(PastPly::parse(&PastPly::default().words()), Some(PastPly::default()));
        for cut in 0..words.len() {
            assert_eq!(PastPly::parse(&words[..cut]), None);
        }
        let mut longer = words.clone();
        longer.push(0);
        assert_eq!(PastPly::parse(&longer), None);
    }
}
