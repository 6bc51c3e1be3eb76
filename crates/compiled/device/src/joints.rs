//! The joint moves of chunks on the device: their tables, and the updates that make their children.
//!
//! What is legal somewhere in a chunk decides which there are, and chunks with the same moves share
//! one list. Where the general update of a game is long and there are few joint moves, each gets an
//! update of its own when it is first met, since most of it folds away; never as code, since drivers
//! compile for seconds what runs for milliseconds.

use std::sync::Arc;

use index::Id;
use kernel::Shaders;
use net::InputId;
use solve::{FORWARD_SHARE, Trouble};
use verdict::Watch;

use crate::arena::Region;
use crate::backend::{Plies, heard, locked};
use crate::fault::unfit;
use crate::tables::{Joints, TooMany};

/// Entry points of view and update above which a game is not compiled: lavapipe takes about a second
/// for each.
const MOST_PIECES: usize = 4;
/// Joint moves get updates of their own where the general one is long, or tables, and a chunk has no
/// more of them than this.
const MOST_ALONE: usize = 64;

/// Joint moves, and where they lie on the device.
#[derive(Debug)]
pub(crate) struct OnDevice {
    pub(crate) count: usize,
    pub(crate) rows: Region,
    pub(crate) played: Region,
    pub(crate) chances: Region,
    /// An update for each joint move, where the general one is too long.
    pub(crate) alone: Option<Vec<Arc<OnCall>>>,
}

/// In which form a device gets a game's view and updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Code that its driver compiles.
    Code,
    /// A list of operations.
    Tape,
    /// Tables over fields of the key where these are few enough, and else a list.
    Tables,
}

/// A program on the device that is not compiled.
#[derive(Debug)]
pub(crate) enum OnCall {
    /// As a list, and rows that it computes.
    Tape(Region, usize),
    /// As tables.
    Tables(Region),
}

impl Form {
    /// What suits a game of this size.
    pub(crate) fn for_size(shaders: &Shaders) -> Self {
        let pieces = shaders.view.entries.len() + shaders.update.entries.len();
        if pieces > MOST_PIECES { Self::Tables } else { Self::Code }
    }
}

impl OnCall {
    /// Rows that are held while it runs.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Tape(_, held) => *held,
            Self::Tables(_) => 0,
        }
    }

    /// Whether it reads keys, and no planes.
    pub(crate) fn is_tables(&self) -> bool {
        matches!(self, Self::Tables(_))
    }
}

impl OnDevice {
    /// Words that pieces of updates hand each other, for a group; `general` are those of the general
    /// update.
    pub(crate) fn held(&self, general: usize) -> usize {
        match &self.alone {
            Some(updates) => updates.iter().map(|update| update.held()).max().unwrap_or(0),
            None => general * self.count,
        }
    }

    /// Whether children are made by tables.
    pub(crate) fn by_tables(&self) -> bool {
        let of = |updates: &Vec<Arc<OnCall>>| updates.iter().all(|update| update.is_tables());
        self.alone.as_ref().is_some_and(of)
    }
}

impl TooMany {
    /// What is said where even 32 states have too many.
    pub(crate) fn refused(self) -> Trouble {
        unfit(
            "device-joint-moves",
            format!(
                "32 states have {} joint moves, or chance so many of equal effect, that a device does \
                 not list them",
                self.joints
            ),
        )
    }
}

impl Plies {
    /// Puts the view on the device, where it is not compiled, and learns what is held for it.
    pub(crate) fn place_view(&mut self) -> Result<(), Trouble> {
        if self.form == Form::Code {
            return Ok(());
        }
        let tables = match self.form {
            Form::Tables => self.kernel.view_tables(),
            _ => None,
        };
        let view = match tables {
            Some(tables) => OnCall::Tables(self.upload(&tables.words)?),
            None => {
                let tape = self.kernel.view_tape();
                OnCall::Tape(self.upload(&tape.words)?, tape.held)
            }
        };
        self.shape.view_held = view.held();
        self.shape.update_held = self.kernel.update_tape(None).held;
        self.view = Some(view);
        Ok(())
    }

    /// Where the joint moves of what is legal lie; none where there are none. Lists are kept for the
    /// way back, so that they count as memory like all else.
    pub(crate) fn joints(
        &mut self,
        told: &[u32],
        watch: &Watch<'_>,
    ) -> Result<Result<Option<Arc<OnDevice>>, TooMany>, Trouble> {
        let key = &told[heard::LEGAL..];
        if let Some(known) = self.known.get(key) {
            return Ok(Ok(known.clone()));
        }
        let (legal, mixed) = key.split_at(self.shape.moves.div_ceil(32));
        let found = match self.seating.joints(legal, mixed) {
            Ok(found) => found,
            Err(many) => return Ok(Err(many)),
        };
        let made = match found.count {
            0 => None,
            _ => Some(Arc::new(self.place_joints(&found, watch)?)),
        };
        self.known.insert(key.to_vec(), made.clone());
        Ok(Ok(made))
    }

    fn place_joints(&mut self, joints: &Joints, watch: &Watch<'_>) -> Result<OnDevice, Trouble> {
        let apart = self.form != Form::Code;
        let alone = match apart && joints.count <= MOST_ALONE {
            true => Some(self.updates_of(joints)?),
            false => {
                self.need_general(watch)?;
                None
            }
        };
        let bytes = 4 * (joints.rows.len() + joints.played.len() + joints.chances.len()) as u64;
        self.check(watch, self.tables.growth(bytes), FORWARD_SHARE)?;
        Ok(OnDevice {
            alone,
            count: joints.count,
            rows: self.upload(&joints.rows)?,
            played: self.upload(&joints.played)?,
            chances: self.upload(&joints.chances)?,
        })
    }

    /// Makes sure of the general update.
    fn need_general(&mut self, watch: &Watch<'_>) -> Result<(), Trouble> {
        if self.form == Form::Code {
            let (session, profile) = (Arc::clone(&self.session), self.locked_profile());
            let mut profile = locked(&profile);
            return self.passes.need_update(&session, &self.shaders, watch, &mut profile);
        }
        if self.general.is_none() {
            let tape = self.kernel.update_tape(None);
            self.general = Some(self.upload(&tape.words)?);
        }
        Ok(())
    }

    /// An update for each joint move: tables where all have some, and else lists.
    fn updates_of(&mut self, joints: &Joints) -> Result<Vec<Arc<OnCall>>, Trouble> {
        let rows: Vec<Vec<u32>> = joints
            .rows
            .chunks_exact(self.seating.roles() + 2)
            .map(|row| row[2..].to_vec())
            .collect();
        if self.form == Form::Tables {
            let mut found = Vec::with_capacity(rows.len());
            for row in &rows {
                match self.update_of(row, true)? {
                    Some(update) => found.push(update),
                    None => break,
                }
            }
            if found.len() == rows.len() {
                return Ok(found);
            }
        }
        let listed = rows.iter().map(|row| {
            let made = self.update_of(row, false)?;
            Ok(made.expect("each program is a list"))
        });
        listed.collect()
    }

    /// The update of one joint move as tables, where it has some, or as a list; made once.
    fn update_of(&mut self, row: &[u32], tables: bool) -> Result<Option<Arc<OnCall>>, Trouble> {
        let key = (row.to_vec(), tables);
        if let Some(known) = self.updates.get(&key) {
            return Ok(known.clone());
        }
        let joint: Vec<_> = row.iter().map(|input| InputId::from_index(*input as usize)).collect();
        let made = match tables {
            true => match self.kernel.update_tables(&joint) {
                Some(tables) => Some(OnCall::Tables(self.upload(&tables.words)?)),
                None => None,
            },
            false => {
                let tape = self.kernel.update_tape(Some(&joint));
                Some(OnCall::Tape(self.upload(&tape.words)?, tape.held))
            }
        };
        let made = made.map(Arc::new);
        self.updates.insert(key, made.clone());
        Ok(made)
    }
}
