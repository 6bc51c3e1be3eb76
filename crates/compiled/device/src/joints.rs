//! The joint moves of chunks on the device: their tables, and the updates that make their children.
//!
//! What is legal somewhere in a chunk decides which there are, and chunks with the same moves share
//! one list. Where the general update of a game is long and there are few joint moves, each gets an
//! update of its own when it is first met, since most of it folds away.

use std::sync::Arc;

use index::Id;
use net::InputId;
use solve::Trouble;
use verdict::Watch;

use crate::arena::Region;
use crate::backend::{Plies, heard, locked};
use crate::fault::unfit;
use crate::passes::{Kernel, Passes, Sizes};
use crate::tables::Joints;

/// Operations of a general update above which joint moves get updates of their own, where a chunk has
/// no more of them than this.
const LONG_UPDATE: usize = 4096;
const MOST_ALONE: usize = 64;

/// Joint moves, and where they lie on the device.
#[derive(Debug)]
pub(crate) struct OnDevice {
    pub(crate) count: usize,
    pub(crate) rows: Region,
    pub(crate) played: Region,
    pub(crate) chances: Region,
    /// An update for each joint move, where the general one is too long.
    pub(crate) alone: Option<Vec<Arc<Update>>>,
}

/// The update of one joint move.
#[derive(Debug)]
pub(crate) struct Update {
    pub(crate) pieces: Vec<Kernel>,
    /// Rows that its pieces hand each other.
    pub(crate) held: usize,
}

impl OnDevice {
    /// Words that pieces of updates hand each other, for a group; `general` are those of the general
    /// update.
    pub(crate) fn held(&self, general: usize) -> usize {
        match &self.alone {
            Some(updates) => updates.iter().map(|update| update.held).max().unwrap_or(0),
            None => general * self.count,
        }
    }
}

impl Plies {
    /// Where the joint moves of what is legal lie; none where there are none.
    pub(crate) fn joints(
        &mut self,
        told: &[u32],
        watch: &Watch<'_>,
    ) -> Result<Option<Arc<OnDevice>>, Trouble> {
        let key = &told[heard::LEGAL..];
        if let Some(known) = self.known.get(key) {
            return Ok(known.clone());
        }
        let (legal, mixed) = key.split_at(self.shape.moves.div_ceil(32));
        let found = self.seating.joints(legal, mixed).map_err(|many| {
            unfit(
                "device-joint-moves",
                format!(
                    "a ply has {} joint moves, or chance so many of equal effect, that a device does \
                     not list them",
                    many.joints
                ),
            )
        })?;
        let made = match found.count {
            0 => None,
            _ => Some(Arc::new(self.place_joints(&found, watch)?)),
        };
        self.known.insert(key.to_vec(), made.clone());
        Ok(made)
    }

    fn place_joints(&mut self, joints: &Joints, watch: &Watch<'_>) -> Result<OnDevice, Trouble> {
        let is_long = self.shaders.update.ops > LONG_UPDATE;
        let alone = match is_long && joints.count <= MOST_ALONE {
            true => Some(self.updates_of(joints, watch)?),
            false => {
                let (session, profile) = (Arc::clone(&self.session), self.locked_profile());
                let mut profile = locked(&profile);
                self.passes.need_update(&session, &self.shaders, watch, &mut profile)?;
                None
            }
        };
        Ok(OnDevice {
            alone,
            count: joints.count,
            rows: self.upload(&joints.rows)?,
            played: self.upload(&joints.played)?,
            chances: self.upload(&joints.chances)?,
        })
    }

    /// An update for each joint move.
    fn updates_of(
        &mut self,
        joints: &Joints,
        watch: &Watch<'_>,
    ) -> Result<Vec<Arc<Update>>, Trouble> {
        let (session, profile) = (Arc::clone(&self.session), self.locked_profile());
        let mut made = Vec::with_capacity(joints.count);
        for row in joints.rows.chunks_exact(self.seating.roles() + 2) {
            let key = row[2..].to_vec();
            if !self.updates.contains_key(&key) {
                let joint: Vec<_> =
                    key.iter().map(|input| InputId::from_index(*input as usize)).collect();
                let workgroup = Sizes::of(session.adapter().hardware).groups;
                let alone = self.kernel.update_of(&joint, workgroup);
                let pieces = Passes::update_alone(&session, &alone, watch, &mut locked(&profile))?;
                let update = Update { pieces, held: alone.calls.held };
                self.updates.insert(key.clone(), Arc::new(update));
            }
            made.push(Arc::clone(&self.updates[&key]));
        }
        Ok(made)
    }
}
