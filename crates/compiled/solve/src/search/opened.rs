//! A state taken apart: who can do what, and what has ended behind it.
//!
//! Always: pairs of moves come grouped by the asked role's move, in the order of the game's move
//! table; a pair's weights sum to its total; children that have ended know what they pay.
//!
//! On the processor it costs two expansions, of the state and of its children together; where states
//! are taken apart by a device, they are gathered ahead ([`super::together`]).

use std::ops::Range;
use std::sync::Arc;

use exact::Ratio;
use kernel::{Expander, FlawKind};
use net::InputId;
use verdict::Watch;

use super::stepper::{Opening, Pair, Processor, Stepped, Stepper};
use super::together::{Ahead, Together};
use crate::backend::Trouble;

/// A state behind a joint move.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) key: Box<[u64]>,
    /// What it is worth, where it is terminal.
    pub(super) ended: Option<Ratio>,
}

/// A state that is not terminal, with everything that one step leads to.
#[derive(Clone, Debug)]
pub(super) struct Opened {
    pub(super) pairs: Arc<[Pair]>,
    pub(super) children: Vec<Child>,
    /// Whether both the asked role and an opponent have several legal moves.
    pub(super) simultaneous: bool,
}

impl Opened {
    /// The asked role's moves, each with its pairs.
    pub(super) fn moves(&self) -> impl Iterator<Item = (InputId, Range<usize>)> + '_ {
        let mut end = 0;
        self.pairs.chunk_by(|left, right| left.asked == right.asked).map(move |pairs| {
            let start = end;
            end += pairs.len();
            (pairs[0].asked, start..end)
        })
    }

    /// Whether nobody but chance has a choice.
    pub(super) fn is_quiet(&self) -> bool {
        self.pairs.len() == 1
    }
}

/// Opens states, one after the other.
pub(super) struct Opener<'a> {
    here: Processor,
    /// Who takes states apart instead of the processor, and is shared by all threads.
    together: Option<&'a Together>,
    watch: &'a Watch<'a>,
    /// The payment that stands for a value of 1.
    top: u32,
}

impl<'a> Opener<'a> {
    /// An opener with an expander of its own; payments are out of `top`.
    pub(super) fn new(
        expander: Box<dyn Expander>,
        top: u32,
        together: Option<&'a Together>,
        watch: &'a Watch<'a>,
    ) -> Self {
        assert!(top > 0, "something can be won");
        Self { here: Processor::new(expander), together, watch, top }
    }

    /// What packs and unpacks states.
    pub(super) fn reader(&self) -> &dyn Expander {
        self.here.reader()
    }

    /// What a state is worth, where it is terminal.
    ///
    /// # Errors
    /// On a flaw of the state, and where a device fails.
    pub(super) fn ended(&mut self, key: &[u64]) -> Result<Option<Ratio>, Trouble> {
        let seen = match self.together {
            Some(together) => together.look(key, self.watch)?,
            None => self.one(key, false)?,
        };
        self.worth(key, &seen)
    }

    /// Opens a state that is not terminal, where the search stands.
    ///
    /// # Errors
    /// On a flaw of the state or of one of its children, and where a device fails.
    pub(super) fn open(&mut self, key: &[u64], ahead: &Ahead<'_>) -> Result<Opened, Trouble> {
        let (opening, seen) = match self.together {
            Some(together) => together.open(key, ahead, self.watch)?,
            None => {
                let opening = opening(key, self.one(key, true)?)?;
                let seen = self.here.step(&opening.children, false, self.watch)?;
                (opening, seen)
            }
        };
        let width = key.len();
        let keys = opening.children.chunks(width);
        assert_eq!(keys.len(), seen.len(), "something is told of each child");
        let child = |(key, seen): (&[u64], &Stepped)| {
            Ok(Child { key: key.into(), ended: self.worth(key, seen)? })
        };
        let children = keys.zip(&seen).map(child).collect::<Result<_, Trouble>>()?;
        let (pairs, simultaneous) = (Arc::clone(&opening.pairs), opening.simultaneous);
        Ok(Opened { pairs, children, simultaneous })
    }

    /// What the processor tells of one state.
    fn one(&mut self, key: &[u64], children: bool) -> Result<Stepped, Trouble> {
        let mut seen = self.here.step(key, children, self.watch)?;
        assert_eq!(seen.len(), 1, "one state was asked about");
        Ok(seen.swap_remove(0))
    }

    /// What a state is worth where it is terminal. That a child of it breaks a guess does not matter
    /// before it is opened itself.
    fn worth(&self, key: &[u64], seen: &Stepped) -> Result<Option<Ratio>, Trouble> {
        match seen {
            Stepped::Ended(paid) => Ok(Some(Ratio::new(u64::from(*paid), u64::from(self.top)))),
            Stepped::Flawed(FlawKind::GuessBroken(_)) | Stepped::Going | Stepped::Open(_) => {
                Ok(None)
            }
            Stepped::Flawed(kind) => Err(Trouble::Flaw { key: key.to_vec(), kind: kind.clone() }),
        }
    }
}

/// How a state that goes on does so.
pub(super) fn opening(key: &[u64], stepped: Stepped) -> Result<Arc<Opening>, Trouble> {
    match stepped {
        Stepped::Open(opening) => Ok(opening),
        Stepped::Flawed(kind) => Err(Trouble::Flaw { key: key.to_vec(), kind }),
        other => unreachable!("a state that goes on was to be opened, and not {other:?}"),
    }
}
