//! Regions of a few large buffers, taken one after the other and given back from the end.
//!
//! Why not a buffer each: a sweep has thousands of plies, and drivers have few allocations. Regions
//! begin at multiples of 256 bytes, as bindings must.

use solve::Trouble;

use crate::session::{Memory, Session};

/// A part of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    slab: usize,
    offset: u64,
    /// Bytes.
    pub(crate) bytes: u64,
}

/// How much of an arena is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    slab: usize,
    used: u64,
}

/// Buffers and how far they are taken.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    slabs: Vec<Memory>,
    slab: usize,
    used: u64,
}

/// Bytes of the first buffer, and of the largest.
const LEAST: u64 = 1 << 20;
const MOST: u64 = 1 << 26;

impl Arena {
    /// How much is taken.
    pub(crate) fn mark(&self) -> Mark {
        Mark { slab: self.slab, used: self.used }
    }

    /// Gives back what was taken since; the buffers are kept.
    pub(crate) fn cut(&mut self, mark: Mark) {
        assert!((mark.slab, mark.used) <= (self.slab, self.used), "a mark of what is taken");
        (self.slab, self.used) = (mark.slab, mark.used);
    }

    /// Bytes of a new buffer that taking so many needs; 0 where there is room.
    pub(crate) fn growth(&self, bytes: u64) -> u64 {
        let fits = |slab: usize, used: u64| {
            self.slabs.get(slab).is_some_and(|memory| used + bytes <= memory.bytes())
        };
        if fits(self.slab, self.used) || (self.slab + 1..self.slabs.len()).any(|at| fits(at, 0)) {
            return 0;
        }
        let usual = (LEAST << self.slabs.len().min(6)).min(MOST);
        bytes.max(usual)
    }

    /// Takes a region.
    pub(crate) fn take(&mut self, session: &Session, bytes: u64) -> Result<Region, Trouble> {
        let bytes = bytes.max(16).next_multiple_of(256);
        loop {
            match self.slabs.get(self.slab) {
                Some(memory) if self.used + bytes <= memory.bytes() => {
                    let region = Region { slab: self.slab, offset: self.used, bytes };
                    self.used += bytes;
                    return Ok(region);
                }
                Some(_) => (self.slab, self.used) = (self.slab + 1, 0),
                None => {
                    assert_eq!(self.slab, self.slabs.len(), "buffers are filled in order");
                    let growth = self.growth(bytes).min(session.adapter().buffer_bytes);
                    self.slabs.push(session.memory(growth.max(bytes))?);
                }
            }
        }
    }

    /// The buffer of a region, and where it begins there.
    pub(crate) fn place(&self, region: Region) -> (&wgpu::Buffer, u64) {
        (&self.slabs[region.slab].buffer, region.offset)
    }
}

/// One buffer that is made larger when more is asked of it; what it held is then lost.
#[derive(Debug, Default)]
pub(crate) struct Grown {
    memory: Option<Memory>,
}

impl Grown {
    /// Bytes that there are.
    pub(crate) fn bytes(&self) -> u64 {
        self.memory.as_ref().map_or(0, Memory::bytes)
    }

    /// Bytes that it would have if so many were asked of it: half as many again as now, at least.
    pub(crate) fn size_for(&self, session: &Session, bytes: u64) -> u64 {
        if bytes <= self.bytes() {
            return self.bytes();
        }
        let most = session.adapter().binding_bytes.min(session.adapter().buffer_bytes);
        bytes.max((self.bytes() + self.bytes() / 2).min(most / 16 * 16))
    }

    /// Makes sure of so many bytes; the old buffer where there is a new one.
    pub(crate) fn reserve(
        &mut self,
        session: &Session,
        bytes: u64,
    ) -> Result<Option<Memory>, Trouble> {
        let size = self.size_for(session, bytes.max(16));
        if size <= self.bytes() {
            return Ok(None);
        }
        let new = session.memory(size)?;
        Ok(self.memory.replace(new))
    }

    /// The buffer.
    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.memory.as_ref().expect("bytes were asked for").buffer
    }
}
