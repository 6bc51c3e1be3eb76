//! An open device: its buffers, its pipelines, and waiting for it.
//!
//! Always: errors that the driver reports at any time are kept and end whatever comes next; a wait
//! has a limit, and ends half a second after an interrupt or the end of the time. A device that was
//! given up on is never asked again.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use solve::Trouble;
use verdict::{HaltReason, Watch};

use crate::adapters::{Adapter, Wish, choose};
use crate::fault::DeviceFault;
use crate::passes::Kernel;

/// Seconds after which a device that does not answer is given up.
const SILENCE: u64 = 120;
/// How often a wait looks up.
const PAUSE: Duration = Duration::from_millis(20);
/// How long work in flight may go on after an interrupt, or beyond the time.
const GRACE: Duration = Duration::from_millis(400);
/// Bytes of the parameters of one pass: bindings begin at multiples of this.
pub(crate) const BLOCK: u64 = 256;
/// Different parameters in one batch, at most.
pub(crate) const BLOCKS: u64 = 1024;
/// Passes of one batch that are timed, at most.
pub(crate) const TIMED: u32 = 1024;

/// A buffer that counts its bytes while it is there.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) buffer: wgpu::Buffer,
    bytes: u64,
    held: Arc<AtomicU64>,
}

impl Memory {
    /// Bytes of the buffer.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The layout of the buffers of a pass: one block of parameters, buffers that are read, then buffers
/// that are written.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) group: wgpu::BindGroupLayout,
    pub(crate) pipeline: wgpu::PipelineLayout,
}

/// What times passes.
#[derive(Debug)]
pub(crate) struct Timing {
    pub(crate) queries: wgpu::QuerySet,
    pub(crate) resolved: Memory,
    /// Picoseconds of a tick.
    pub(crate) tick_ps: u64,
}

/// Pipelines by the name of their shader and the words of a value that it has room for.
pub(crate) type Kernels = FxHashMap<(&'static str, u32), Arc<Kernel>>;

/// A buffer that the device had no memory for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Bytes that were held.
    pub(crate) held: u64,
    /// Bytes of the buffer.
    pub(crate) bytes: u64,
}

/// An open device.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    adapter: Adapter,
    fault: Arc<Mutex<Option<DeviceFault>>>,
    layouts: Mutex<FxHashMap<(u32, u32), Layout>>,
    kernels: Mutex<Kernels>,
    held: Arc<AtomicU64>,
    /// Bytes that the device has, as far as tests say so.
    room: AtomicU64,
    refused: Mutex<Option<Refusal>>,
    /// Whether it ever did.
    has_refused: AtomicBool,
    abandoned: AtomicBool,
    pub(crate) params: Memory,
    staging: Mutex<Memory>,
    /// Held by whoever's batch runs, from its parameters to what it tells: both lie in one place.
    turn: Mutex<()>,
    /// What is bound while pipelines are compiled: one that is read, and some that are written.
    pub(crate) spare: Vec<Memory>,
    pub(crate) timing: Option<Timing>,
}

const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|held| held.into_inner())
}

impl Session {
    /// Opens the device that is wished for.
    pub(crate) fn open(
        wish: &Wish,
        timed: bool,
        seen_bytes: Option<u64>,
    ) -> Result<Self, DeviceFault> {
        let (chosen, mut adapter) = choose(wish)?;
        let timed = timed && adapter.timestamps;
        let features =
            if timed { wgpu::Features::TIMESTAMP_QUERY } else { wgpu::Features::empty() };
        let mut limits = chosen.limits();
        if let Some(seen) = seen_bytes {
            adapter.binding_bytes = adapter.binding_bytes.min(seen);
            limits.max_storage_buffer_binding_size = adapter.binding_bytes;
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("oddsmith"),
            required_features: features,
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = pollster::block_on(chosen.request_device(&descriptor));
        let (device, queue) = opened.map_err(|error| DeviceFault::Closed(error.to_string()))?;
        let fault: Arc<Mutex<Option<DeviceFault>>> = Arc::default();
        listen(&device, &fault);
        let held = Arc::new(AtomicU64::new(0));
        let memory = |bytes: u64, usage| allocate(&device, &held, bytes, usage);
        let copied = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let spare = (0..4).map(|_| memory(4096, STORAGE)).collect::<Result<Vec<_>, _>>()?;
        let timing = match timed {
            true => Some(timing(&device, &queue, &held)?),
            false => None,
        };
        Ok(Self {
            params: memory(BLOCK * BLOCKS, uniform)?,
            staging: Mutex::new(memory(1 << 16, copied)?),
            spare,
            timing,
            turn: Mutex::default(),
            layouts: Mutex::default(),
            kernels: Mutex::default(),
            room: AtomicU64::new(u64::MAX),
            refused: Mutex::default(),
            has_refused: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            adapter,
            fault,
            held,
            device,
            queue,
        })
    }

    /// What the device is.
    pub(crate) fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Waits until no other batch runs.
    pub(crate) fn turn(&self) -> MutexGuard<'_, ()> {
        locked(&self.turn)
    }

    /// The pipelines that serve all games.
    pub(crate) fn kernels(&self) -> MutexGuard<'_, Kernels> {
        locked(&self.kernels)
    }

    /// Bytes of all buffers.
    pub(crate) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Takes the device away.
    pub(crate) fn lose(&self) {
        self.device.destroy();
    }

    /// From now on the device refuses more than this.
    pub(crate) fn shrink(&self, bytes: u64) {
        self.room.store(bytes, Ordering::Relaxed);
    }

    /// Whether the device ever had no memory for a buffer.
    pub(crate) fn has_refused(&self) -> bool {
        self.has_refused.load(Ordering::Relaxed)
    }

    /// What the device refused, since this was last asked.
    pub(crate) fn take_refusal(&self) -> Option<Refusal> {
        locked(&self.refused).take()
    }

    /// A buffer for shaders, of at least this size.
    pub(crate) fn memory(&self, bytes: u64) -> Result<Memory, Trouble> {
        let bytes = bytes.max(16).next_multiple_of(16);
        assert!(bytes <= self.adapter.buffer_bytes, "the caller keeps to the device's limits");
        self.check()?;
        let held = self.held();
        let is_full = held + bytes > self.room.load(Ordering::Relaxed);
        let made = match is_full {
            true => Err(DeviceFault::OutOfMemory(bytes)),
            false => allocate(&self.device, &self.held, bytes, STORAGE),
        };
        made.map_err(|fault| match fault {
            DeviceFault::OutOfMemory(_) => {
                self.has_refused.store(true, Ordering::Relaxed);
                *locked(&self.refused) = Some(Refusal { held, bytes });
                Trouble::Limit(HaltReason::Memory { needed: held + bytes })
            }
            fault => fault.into(),
        })
    }

    /// Whether nothing has gone wrong so far.
    pub(crate) fn check(&self) -> Result<(), Trouble> {
        if let Some(fault) = locked(&self.fault).clone() {
            return Err(fault.into());
        }
        if self.abandoned.load(Ordering::Relaxed) {
            return Err(Trouble::Limit(HaltReason::Interrupt));
        }
        Ok(())
    }

    /// Whether nothing has gone wrong, and no limit is met that lets no work go on.
    pub(crate) fn check_limits(&self, watch: &Watch<'_>) -> Result<(), Trouble> {
        self.check()?;
        met(watch).map_or(Ok(()), |reason| Err(Trouble::Limit(reason)))
    }

    /// Gives the device up: it is left to itself, since taking it down would wait for its work.
    fn abandon(&self) {
        if !self.abandoned.swap(true, Ordering::Relaxed) {
            std::mem::forget((self.device.clone(), self.queue.clone()));
        }
    }

    /// The layout for so many buffers that are read and written.
    pub(crate) fn layout(&self, reads: u32, writes: u32) -> Layout {
        assert!(reads + writes <= 8, "the number of buffers that any device takes");
        let mut layouts = locked(&self.layouts);
        layouts.entry((reads, writes)).or_insert_with(|| self.new_layout(reads, writes)).clone()
    }

    fn new_layout(&self, reads: u32, writes: u32) -> Layout {
        let entry = |binding: u32| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match binding {
                    0 => wgpu::BufferBindingType::Uniform,
                    _ => wgpu::BufferBindingType::Storage { read_only: binding <= reads },
                },
                has_dynamic_offset: binding == 0,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = (0..=reads + writes).map(entry).collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        let group = self.device.create_bind_group_layout(&descriptor);
        let descriptor = wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&group)],
            immediate_size: 0,
        };
        let pipeline = self.device.create_pipeline_layout(&descriptor);
        Layout { group, pipeline }
    }

    /// Submits commands, then copies of `reads` (buffer, place, bytes); the bytes once they are there.
    pub(crate) fn ask(
        &self,
        mut encoder: wgpu::CommandEncoder,
        reads: &[(&wgpu::Buffer, u64, u64)],
        watch: &Watch<'_>,
    ) -> Result<Vec<u8>, Trouble> {
        self.check()?;
        let bytes: u64 = reads.iter().map(|read| read.2).sum();
        assert!(bytes > 0, "something is asked for");
        let mut staging = locked(&self.staging);
        if staging.bytes < bytes {
            let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
            *staging = allocate(&self.device, &self.held, bytes.next_power_of_two(), usage)?;
        }
        let mut at = 0;
        for (buffer, place, bytes) in reads {
            encoder.copy_buffer_to_buffer(buffer, *place, &staging.buffer, at, *bytes);
            at += bytes;
        }
        let submitted = self.queue.submit([encoder.finish()]);
        let mapped = Arc::new(AtomicU8::new(WAITING));
        let told = Arc::clone(&mapped);
        staging.buffer.map_async(wgpu::MapMode::Read, 0..bytes, move |result| {
            told.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
        self.wait(&submitted, &mapped, watch)?;
        let view = staging.buffer.get_mapped_range(0..bytes);
        let view = view.map_err(|error| DeviceFault::Refused(error.to_string()))?;
        let read = view.to_vec();
        drop(view);
        staging.buffer.unmap();
        Ok(read)
    }

    /// Waits until a buffer is mapped.
    fn wait(
        &self,
        submitted: &wgpu::SubmissionIndex,
        mapped: &AtomicU8,
        watch: &Watch<'_>,
    ) -> Result<(), Trouble> {
        let begun = Instant::now();
        let mut over: Option<(Instant, HaltReason)> = None;
        loop {
            let submission_index = Some(submitted.clone());
            let waited = wgpu::PollType::Wait { submission_index, timeout: Some(PAUSE) };
            let polled = self.device.poll(waited);
            self.check()?;
            match mapped.load(Ordering::Acquire) {
                MAPPED => return Ok(()),
                FAILED => return Err(DeviceFault::Lost("a result could not be read".into()).into()),
                _ => {}
            }
            if let Err(error @ wgpu::PollError::WrongSubmissionIndex(..)) = polled {
                return Err(DeviceFault::Lost(error.to_string()).into());
            }
            over = over.or_else(|| met(watch).map(|reason| (Instant::now(), reason)));
            let late = over.clone().filter(|(since, _)| since.elapsed() > GRACE);
            if let Some((_, reason)) = late {
                self.abandon();
                return Err(Trouble::Limit(reason));
            }
            if begun.elapsed().as_secs() >= SILENCE {
                self.abandon();
                return Err(DeviceFault::Silent(SILENCE).into());
            }
        }
    }
}

const WAITING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// A limit that lets no work go on.
fn met(watch: &Watch<'_>) -> Option<HaltReason> {
    if watch.interrupted() {
        return Some(HaltReason::Interrupt);
    }
    (watch.spent() > 1.0).then_some(HaltReason::Time)
}

/// Keeps the first error that the driver reports outside of any call.
fn listen(device: &wgpu::Device, fault: &Arc<Mutex<Option<DeviceFault>>>) {
    let heard = Arc::clone(fault);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        let told = match error {
            wgpu::Error::OutOfMemory { .. } => DeviceFault::OutOfMemory(0),
            other => DeviceFault::Refused(other.to_string()),
        };
        locked(&heard).get_or_insert(told);
    }));
    let heard = Arc::clone(fault);
    device.set_device_lost_callback(move |reason, message| {
        let why = if message.is_empty() { format!("{reason:?}") } else { message };
        // What came before is a consequence as often as a cause: the loss is what is told.
        *locked(&heard) = Some(DeviceFault::Lost(why));
    });
}

fn allocate(
    device: &wgpu::Device,
    held: &Arc<AtomicU64>,
    bytes: u64,
    usage: wgpu::BufferUsages,
) -> Result<Memory, DeviceFault> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let descriptor =
        wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false };
    let buffer = device.create_buffer(&descriptor);
    if pollster::block_on(scope.pop()).is_some() {
        return Err(DeviceFault::OutOfMemory(bytes));
    }
    held.fetch_add(bytes, Ordering::Relaxed);
    Ok(Memory { buffer, bytes, held: Arc::clone(held) })
}

fn timing(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    held: &Arc<AtomicU64>,
) -> Result<Timing, DeviceFault> {
    let count = 2 * TIMED;
    let descriptor =
        wgpu::QuerySetDescriptor { label: None, ty: wgpu::QueryType::Timestamp, count };
    let queries = device.create_query_set(&descriptor);
    let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
    let resolved = allocate(device, held, 8 * u64::from(count), usage)?;
    let tick_ps = (queue.get_timestamp_period() * 1000.0) as u64;
    Ok(Timing { queries, resolved, tick_ps })
}
