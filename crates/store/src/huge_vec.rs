//! A growable vector of plain numbers on its own mapping, asked to sit on huge pages.
//!
//! Always: the bytes between `len` and the capacity are readable and were zero when mapped; the
//! elements are plain numbers, so any bytes are a value. Growth remaps where the system can
//! (Linux), so that doubling copies nothing, and reports a lack of memory instead of aborting.
//! Elsewhere than Linux a zeroed allocation of the standard allocator stands in.
//!
//! Why not `Vec`: random look-ups in a table on 2 MiB pages are 1.3 to 1.6 times faster, and a
//! solver must turn a lack of memory into a halt with bounds.

use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Plain numbers: any bytes are a value, and zero bytes are zero.
///
/// # Safety
/// Implementors are `Copy` integers without padding or invalid values.
pub unsafe trait Plain: Copy + Default + 'static {}
// SAFETY: integers have no padding and no invalid values.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u16 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}

/// The system refused memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes that were asked for.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system refused {} bytes of memory", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

/// A growable vector on huge pages; see the module header.
pub struct HugeVec<T: Plain> {
    start: NonNull<T>,
    len: usize,
    capacity: usize,
    kind: PhantomData<T>,
}

// SAFETY: the vector owns its mapping alone, and its elements are plain numbers.
unsafe impl<T: Plain> Send for HugeVec<T> {}
// SAFETY: shared access only reads.
unsafe impl<T: Plain> Sync for HugeVec<T> {}

/// From this size on, growth is in steps of huge pages.
const HUGE: usize = 2 << 20;
/// The smallest mapping.
const PAGE: usize = 4096;

impl<T: Plain> HugeVec<T> {
    /// An empty vector; nothing is mapped yet.
    pub const fn new() -> Self {
        Self { start: NonNull::dangling(), len: 0, capacity: 0, kind: PhantomData }
    }

    /// A vector of zeros that were not touched yet: pages that are never written cost nothing.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn zeroed(len: usize) -> Result<Self, OutOfMemory> {
        let mut zeros = Self::new();
        if len > 0 {
            zeros.grow_to(len)?;
            // A fresh mapping is zero, and zero bytes are zero.
            zeros.len = len;
        }
        Ok(zeros)
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes mapped.
    pub fn bytes(&self) -> u64 {
        (self.capacity * size_of::<T>()) as u64
    }

    /// Bytes that would be mapped after a growth to `len` elements.
    pub fn bytes_for(&self, len: usize) -> u64 {
        if len <= self.capacity { self.bytes() } else { self.grown(len) as u64 }
    }

    /// The elements.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: `len <= capacity` elements from `start` are mapped and initialised.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The elements, to be changed in place.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as in `as_slice`, and `self` is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Takes all elements out; the mapping stays.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Takes out the elements from `len` on; the mapping stays.
    ///
    /// # Panics
    /// When there are fewer.
    pub fn truncate(&mut self, len: usize) {
        assert!(len <= self.len, "a vector is cut within its length");
        self.len = len;
    }

    /// Takes out the first elements; those behind move to the front, the mapping stays.
    ///
    /// # Panics
    /// When there are fewer than `count`.
    pub fn drop_front(&mut self, count: usize) {
        assert!(count <= self.len, "elements are taken out within the length");
        self.as_mut_slice().copy_within(count.., 0);
        self.len -= count;
    }

    /// Makes room for `more` further elements.
    ///
    /// # Errors
    /// When the system refuses the memory; the vector is unchanged.
    #[inline]
    pub fn reserve(&mut self, more: usize) -> Result<(), OutOfMemory> {
        let needed = self.len.checked_add(more).ok_or(OutOfMemory { bytes: u64::MAX })?;
        if needed <= self.capacity { Ok(()) } else { self.grow_to(needed) }
    }

    /// Appends an element into room that was reserved.
    ///
    /// # Panics
    /// When no room was reserved.
    #[inline(always)]
    pub fn push_within(&mut self, item: T) {
        assert!(self.len < self.capacity, "room is reserved before it is filled");
        // SAFETY: `len < capacity`, so the element lies inside the mapping.
        unsafe { self.start.as_ptr().add(self.len).write(item) };
        self.len += 1;
    }

    /// Appends elements into room that was reserved.
    ///
    /// # Panics
    /// When too little room was reserved.
    #[inline(always)]
    pub fn extend_within(&mut self, items: &[T]) {
        assert!(items.len() <= self.capacity - self.len, "room is reserved before it is filled");
        // SAFETY: the target lies inside the mapping (asserted) and cannot overlap a borrow.
        unsafe {
            let target = self.start.as_ptr().add(self.len);
            std::ptr::copy_nonoverlapping(items.as_ptr(), target, items.len());
        }
        self.len += items.len();
    }

    /// Appends elements.
    ///
    /// # Errors
    /// When the system refuses the memory; the vector is unchanged.
    pub fn extend(&mut self, items: &[T]) -> Result<(), OutOfMemory> {
        self.reserve(items.len())?;
        self.extend_within(items);
        Ok(())
    }

    /// Cuts or fills up with `item` to `len` elements.
    ///
    /// # Errors
    /// When the system refuses the memory; the vector is unchanged.
    pub fn resize(&mut self, len: usize, item: T) -> Result<(), OutOfMemory> {
        let old = self.len;
        self.reserve(len.saturating_sub(old))?;
        self.len = len;
        if len > old {
            self.as_mut_slice()[old..].fill(item);
        }
        Ok(())
    }

    /// Gives back the capacity beyond `len`, as far as pages allow.
    pub fn shrink_to_fit(&mut self) {
        let bytes = (self.len * size_of::<T>()).next_multiple_of(PAGE);
        if self.len == 0 {
            *self = Self::new();
        } else if bytes < self.capacity * size_of::<T>() {
            self.remap(bytes).ok();
        }
    }

    /// Bytes to map for `len` elements: doubled while small, by a quarter when large.
    fn grown(&self, len: usize) -> usize {
        let held = self.capacity * size_of::<T>();
        let step = if held < 64 * HUGE { held * 2 } else { held + held / 4 };
        let bytes = (len * size_of::<T>()).max(step).max(PAGE);
        if bytes < HUGE { bytes.next_power_of_two() } else { bytes.next_multiple_of(HUGE) }
    }

    #[cold]
    fn grow_to(&mut self, len: usize) -> Result<(), OutOfMemory> {
        len.checked_mul(size_of::<T>() * 2).ok_or(OutOfMemory { bytes: u64::MAX })?;
        let bytes = self.grown(len);
        self.remap(bytes)
    }

    /// Moves the elements to a mapping of `bytes` bytes.
    fn remap(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        assert!(bytes >= self.len * size_of::<T>(), "a mapping holds what it held before");
        let held = self.capacity * size_of::<T>();
        let start = mapping::resize(self.start.cast(), held, bytes)
            .ok_or(OutOfMemory { bytes: bytes as u64 })?;
        self.start = start.cast();
        self.capacity = bytes / size_of::<T>();
        Ok(())
    }
}

impl<T: Plain> Default for HugeVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Plain> Drop for HugeVec<T> {
    fn drop(&mut self) {
        mapping::release(self.start.cast(), self.capacity * size_of::<T>());
    }
}

impl<T: Plain + fmt::Debug> fmt::Debug for HugeVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// Asks the processor to bring `slice[index]` near; any index is allowed.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = slice.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch never faults, whatever the address; SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

#[cfg(target_os = "linux")]
mod mapping {
    //! Anonymous mappings through the system, with huge pages asked for.

    use std::ptr::NonNull;

    /// A mapping of `bytes` bytes that begins with what the old one held.
    pub(super) fn resize(old: NonNull<u8>, held: usize, bytes: usize) -> Option<NonNull<u8>> {
        let start = if held == 0 { map(bytes) } else { remap(old, held, bytes) }?;
        if bytes >= super::HUGE {
            // SAFETY: the range was just mapped; the advice changes no contents.
            unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
        }
        Some(start)
    }

    fn map(bytes: usize) -> Option<NonNull<u8>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh anonymous mapping touches no memory of ours.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    fn remap(old: NonNull<u8>, held: usize, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: `old` is a mapping of `held` bytes that only the caller holds.
        let start = unsafe { libc::mremap(old.as_ptr().cast(), held, bytes, libc::MREMAP_MAYMOVE) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()) }
    }

    /// Unmaps.
    pub(super) fn release(start: NonNull<u8>, held: usize) {
        if held > 0 {
            // SAFETY: the mapping is `held` bytes long, and its owner is being dropped.
            let status = unsafe { libc::munmap(start.as_ptr().cast(), held) };
            debug_assert_eq!(status, 0, "a mapping can be unmapped");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod mapping {
    //! The standard allocator in place of mappings.

    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, 64).ok()
    }

    /// A zeroed allocation of `bytes` bytes that begins with what the old one held.
    pub(super) fn resize(old: NonNull<u8>, held: usize, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the layout is not of size zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout(bytes)?) })?;
        // SAFETY: both allocations hold the copied bytes and do not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(old.as_ptr(), start.as_ptr(), held.min(bytes));
        }
        release(old, held);
        Some(start)
    }

    /// Frees.
    pub(super) fn release(start: NonNull<u8>, held: usize) {
        if held > 0
            && let Some(layout) = layout(held)
        {
            // SAFETY: the block was allocated with this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_keeps_the_elements_and_shrinking_gives_back() {
        let mut numbers: HugeVec<u32> = HugeVec::new();
        for chunk in 0..3000_u32 {
            let items: Vec<u32> = (chunk * 1000..(chunk + 1) * 1000).collect();
            numbers.extend(&items).expect("memory");
        }
        assert_eq!(numbers.len(), 3_000_000);
        assert!(numbers.as_slice().iter().enumerate().all(|(n, item)| n as u32 == *item));
        let before = numbers.bytes();
        numbers.resize(10, 0).expect("memory");
        numbers.shrink_to_fit();
        assert!(numbers.bytes() < before && numbers.bytes() >= 40);
        assert_eq!(numbers.as_slice(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        numbers.drop_front(4);
        assert_eq!(numbers.as_slice(), [4, 5, 6, 7, 8, 9]);
        numbers.resize(10, 0).expect("memory");
        numbers.resize(20, 7).expect("memory");
        assert_eq!(numbers.as_slice()[5..12], [9, 0, 0, 0, 0, 7, 7]);
    }

    #[test]
    fn a_refusal_is_an_error_and_changes_nothing() {
        let mut numbers: HugeVec<u64> = HugeVec::new();
        numbers.extend(&[1, 2, 3]).expect("memory");
        assert!(numbers.reserve(usize::MAX / 32).is_err());
        assert_eq!(numbers.as_slice(), [1, 2, 3]);
    }

    #[test]
    fn prefetching_anything_is_harmless() {
        prefetch(&[1_u8, 2], 0);
        prefetch::<u64>(&[], usize::MAX / 64);
    }
}
