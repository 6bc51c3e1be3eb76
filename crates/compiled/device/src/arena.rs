//! Regions of a few large buffers, taken one after the other and given back from the end.
//!
//! Why not a buffer each: a sweep has thousands of plies, and drivers have few allocations. Regions
//! begin at multiples of 256 bytes, as bindings must.
//!
//! A buffer can be *away*: a copy in the memory of this machine, and none on the device. A copy is kept
//! when its buffer comes back, until someone writes there, so that it goes away again for nothing.

use solve::Trouble;

use crate::session::{Memory, Session};

/// A part of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) slab: usize,
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

/// One buffer: on the device, in a copy, or both.
#[derive(Debug)]
struct Slab {
    memory: Option<Memory>,
    copy: Option<Vec<u8>>,
    bytes: u64,
}

/// Buffers and how far they are taken.
#[derive(Debug)]
pub(crate) struct Arena {
    slabs: Vec<Slab>,
    slab: usize,
    used: u64,
    /// Bytes of the first buffer, and of the largest, unless more is asked for at once.
    least: u64,
    most: u64,
}

/// Bytes of the first buffer, and of the largest.
const LEAST: u64 = 1 << 20;
const MOST: u64 = 1 << 26;

impl Default for Arena {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl Arena {
    /// Buffers of so many bytes at most, unless more is asked for at once.
    pub(crate) fn new(most: u64) -> Self {
        let most = most.min(MOST);
        Self { slabs: Vec::new(), slab: 0, used: 0, least: LEAST.min(most), most }
    }

    /// New buffers are of so many bytes at most from here on, unless more is asked for at once.
    pub(crate) fn limit(&mut self, most: u64) {
        (self.least, self.most) = (self.least.min(most), self.most.min(most));
    }

    /// How much is taken.
    pub(crate) fn mark(&self) -> Mark {
        Mark { slab: self.slab, used: self.used }
    }

    /// Bytes that were taken since, about.
    pub(crate) fn bytes_since(&self, mark: Mark) -> u64 {
        let whole: u64 = self.slabs[mark.slab..self.slab].iter().map(|slab| slab.bytes).sum();
        (whole + self.used).saturating_sub(mark.used)
    }

    /// Gives back what was taken since; the buffers are kept.
    pub(crate) fn cut(&mut self, mark: Mark) {
        assert!((mark.slab, mark.used) <= (self.slab, self.used), "a mark of what is taken");
        (self.slab, self.used) = (mark.slab, mark.used);
        // Nothing of what follows is wanted any more, and least of all a copy of it.
        let rest = self.slabs.split_off(self.slabs.len().min(mark.slab + 1));
        let here = rest.into_iter().filter(Slab::is_here);
        self.slabs.extend(here.map(|slab| Slab { copy: None, ..slab }));
    }

    /// The place that is taken next lies in it or in one that follows.
    pub(crate) fn open_slab(&self) -> usize {
        self.slab
    }

    /// Bytes of a new buffer that taking so many needs; 0 where there is room.
    pub(crate) fn growth(&self, bytes: u64) -> u64 {
        let bytes = padded(bytes);
        let fits = |slab: usize, used: u64| {
            self.slabs.get(slab).is_some_and(|slab| slab.is_here() && used + bytes <= slab.bytes)
        };
        if fits(self.slab, self.used) || (self.slab + 1..self.slabs.len()).any(|at| fits(at, 0)) {
            return 0;
        }
        let usual = (self.least << self.slabs.len().min(6)).min(self.most);
        bytes.max(usual)
    }

    /// Takes a region, which is written next.
    pub(crate) fn take(&mut self, session: &Session, bytes: u64) -> Result<Region, Trouble> {
        let bytes = padded(bytes);
        loop {
            match self.slabs.get_mut(self.slab) {
                Some(slab) if slab.is_here() && self.used + bytes <= slab.bytes => {
                    slab.copy = None;
                    let region = Region { slab: self.slab, offset: self.used, bytes };
                    self.used += bytes;
                    return Ok(region);
                }
                Some(_) => (self.slab, self.used) = (self.slab + 1, 0),
                None => {
                    assert_eq!(self.slab, self.slabs.len(), "buffers are filled in order");
                    let growth = self.growth(bytes).min(session.adapter().buffer_bytes);
                    let memory = session.memory(growth.max(bytes))?;
                    let bytes = memory.bytes();
                    self.slabs.push(Slab { memory: Some(memory), copy: None, bytes });
                }
            }
        }
    }

    /// The buffer of a region, which is here, and where it begins there.
    pub(crate) fn place(&self, region: Region) -> (&wgpu::Buffer, u64) {
        let memory = self.slabs[region.slab].memory.as_ref();
        (&memory.expect("whoever needs a region brings it").buffer, region.offset)
    }

    /// Bytes that the device has no room for while the buffer of a region is away.
    pub(crate) fn missing(&self, region: Region) -> u64 {
        self.slabs.get(region.slab).filter(|slab| !slab.is_here()).map_or(0, |slab| slab.bytes)
    }

    /// Brings the buffer of a region back; the bytes that were moved.
    pub(crate) fn bring(&mut self, session: &Session, region: Region) -> Result<u64, Trouble> {
        let slab = &mut self.slabs[region.slab];
        if slab.is_here() {
            return Ok(0);
        }
        let memory = session.memory(slab.bytes)?;
        let copy = slab.copy.as_ref().expect("what is away has a copy");
        session.queue.write_buffer(&memory.buffer, 0, copy);
        slab.memory = Some(memory);
        Ok(copy.len() as u64)
    }

    /// Takes note that a region, which is here, is written.
    pub(crate) fn write(&mut self, region: Region) {
        let slab = &mut self.slabs[region.slab];
        assert!(slab.is_here(), "whoever writes a region brings it");
        slab.copy = None;
    }

    /// Buffers on the device that could go, of those before `end` and not `but`.
    pub(crate) fn idle(&self, end: usize, but: Option<usize>) -> Vec<usize> {
        let here = |at: &usize| self.slabs[*at].is_here() && Some(*at) != but;
        (0..end.min(self.slabs.len())).filter(here).collect()
    }

    /// The buffer that has no copy yet, and its bytes.
    pub(crate) fn uncopied(&self, slab: usize) -> Option<(&wgpu::Buffer, u64)> {
        let slab = &self.slabs[slab];
        let memory = slab.memory.as_ref().filter(|_| slab.copy.is_none())?;
        Some((&memory.buffer, slab.bytes))
    }

    /// Lets a buffer go, of which this is the copy unless there is one; its bytes.
    pub(crate) fn send(&mut self, slab: usize, copy: Option<Vec<u8>>) -> u64 {
        let slab = &mut self.slabs[slab];
        slab.copy = slab.copy.take().or(copy);
        assert!(slab.copy.is_some(), "nothing is lost");
        slab.memory = None;
        slab.bytes
    }

    /// Bytes of all copies.
    pub(crate) fn copied(&self) -> u64 {
        self.slabs.iter().filter_map(|slab| slab.copy.as_ref()).map(|copy| copy.len() as u64).sum()
    }
}

impl Slab {
    fn is_here(&self) -> bool {
        self.memory.is_some()
    }
}

fn padded(bytes: u64) -> u64 {
    bytes.max(16).next_multiple_of(256)
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

    /// Gives the bytes back.
    pub(crate) fn release(&mut self) {
        self.memory = None;
    }

    /// The buffer.
    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.memory.as_ref().expect("bytes were asked for").buffer
    }
}
