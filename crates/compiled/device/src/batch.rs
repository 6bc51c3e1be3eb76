//! Commands recorded one after the other and handed to the device together.
//!
//! Every pass reads its parameters from one block of a common buffer; equal neighbours share one.
//! Where passes are timed each is a pass of its own with a timestamp at either end, else all that
//! follow each other are one. The device runs them in order, each seeing what the ones before wrote.

use std::time::Duration;

use solve::Trouble;
use verdict::Watch;

use crate::passes::{Kernel, Params};
use crate::profile::Profile;
use crate::session::{BLOCK, BLOCKS, Session, TIMED};

/// A part of a buffer that a shader sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl<'a> View<'a> {
    /// The beginning of a buffer.
    pub(crate) fn of(buffer: &'a wgpu::Buffer, bytes: u64) -> Self {
        Self { buffer, offset: 0, bytes: bytes.max(16).next_multiple_of(4) }
    }
}

enum Step {
    Run {
        pipeline: wgpu::ComputePipeline,
        group: wgpu::BindGroup,
        block: u32,
        size: [u32; 3],
        name: &'static str,
        bytes: u64,
    },
    Clear(wgpu::Buffer, u64, u64),
    Copy {
        from: wgpu::Buffer,
        to: wgpu::Buffer,
        bytes: u64,
    },
}

/// Commands that wait.
pub(crate) struct Batch<'a> {
    session: &'a Session,
    blocks: Vec<Params>,
    steps: Vec<Step>,
}

impl<'a> Batch<'a> {
    /// Nothing yet.
    pub(crate) fn new(session: &'a Session) -> Self {
        Self { session, blocks: Vec::new(), steps: Vec::new() }
    }

    /// A pass over `size` invocations, that moves about `bytes`.
    pub(crate) fn run(
        &mut self,
        kernel: &Kernel,
        params: Params,
        views: &[View<'_>],
        size: [u32; 3],
        bytes: u64,
    ) {
        if self.blocks.last() != Some(&params) {
            self.blocks.push(params);
        }
        assert!(self.blocks.len() as u64 <= BLOCKS, "a batch has few different parameters");
        let uniform = wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.session.params.buffer,
                offset: 0,
                size: std::num::NonZero::new(size_of::<Params>() as u64),
            }),
        };
        let bound = views.iter().zip(1..).map(|(view, binding)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: view.buffer,
                offset: view.offset,
                size: std::num::NonZero::new(view.bytes),
            }),
        });
        let entries: Vec<_> = std::iter::once(uniform).chain(bound).collect();
        assert_eq!(views.len() as u32, kernel.buffers(), "a buffer for each binding");
        let descriptor = wgpu::BindGroupDescriptor {
            label: None,
            layout: &kernel.layout.group,
            entries: &entries,
        };
        let groups = [size[0].div_ceil(kernel.workgroup), size[1], size[2]];
        assert!(groups.iter().all(|count| *count <= 65_535), "more groups would do nothing");
        if groups.contains(&0) {
            return;
        }
        self.steps.push(Step::Run {
            pipeline: kernel.pipeline.clone(),
            group: self.session.device.create_bind_group(&descriptor),
            block: self.blocks.len() as u32 - 1,
            size: groups,
            name: kernel.name,
            bytes,
        });
    }

    /// Whether there is room for few more different parameters.
    pub(crate) fn is_full(&self) -> bool {
        self.blocks.len() as u64 + 8 > BLOCKS
    }

    /// Zeros the beginning of a buffer.
    pub(crate) fn clear(&mut self, buffer: &wgpu::Buffer, bytes: u64) {
        self.steps.push(Step::Clear(buffer.clone(), 0, bytes.next_multiple_of(4)));
    }

    /// Copies the beginning of a buffer to that of another.
    pub(crate) fn copy(&mut self, from: &wgpu::Buffer, to: &wgpu::Buffer, bytes: u64) {
        if bytes > 0 {
            self.steps.push(Step::Copy { from: from.clone(), to: to.clone(), bytes });
        }
    }

    /// Hands everything over and waits for what is `read` (buffer, place, bytes), as words.
    pub(crate) fn finish(
        self,
        read: &[(&wgpu::Buffer, u64, u64)],
        watch: &Watch<'_>,
        profile: &mut Profile,
    ) -> Result<Vec<u32>, Trouble> {
        let session = self.session;
        let _turn = session.turn();
        let mut blocks = vec![0u8; self.blocks.len() * BLOCK as usize];
        for (block, params) in blocks.chunks_mut(BLOCK as usize).zip(&self.blocks) {
            block[..size_of::<Params>()].copy_from_slice(bytemuck::cast_slice(&params.words()));
        }
        if !blocks.is_empty() {
            session.queue.write_buffer(&session.params.buffer, 0, &blocks);
        }
        let mut encoder = session.device.create_command_encoder(&Default::default());
        let timed = self.encode(&mut encoder);
        let mut reads = read.to_vec();
        let wanted: u64 = read.iter().map(|read| read.2).sum();
        if let Some(timing) = session.timing.as_ref().filter(|_| timed > 0) {
            let bytes = 16 * u64::from(timed);
            encoder.resolve_query_set(&timing.queries, 0..2 * timed, &timing.resolved.buffer, 0);
            reads.push((&timing.resolved.buffer, 0, bytes));
        }
        let told = session.ask(encoder, &reads, watch)?;
        let (words, ticks) = told.split_at(wanted as usize);
        self.account(ticks, profile);
        Ok(words
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect())
    }

    /// Writes the commands; how many passes are timed.
    fn encode(&self, encoder: &mut wgpu::CommandEncoder) -> u32 {
        let mut timed = 0;
        let mut open: Option<wgpu::ComputePass<'static>> = None;
        for step in &self.steps {
            match step {
                Step::Run { pipeline, group, block, size, .. } => {
                    let timing = self.session.timing.as_ref().filter(|_| timed < TIMED);
                    if timing.is_some() {
                        open = None;
                    }
                    let pass = open.get_or_insert_with(|| {
                        let writes = timing.map(|timing| wgpu::ComputePassTimestampWrites {
                            query_set: &timing.queries,
                            beginning_of_pass_write_index: Some(2 * timed),
                            end_of_pass_write_index: Some(2 * timed + 1),
                        });
                        let descriptor =
                            wgpu::ComputePassDescriptor { label: None, timestamp_writes: writes };
                        encoder.begin_compute_pass(&descriptor).forget_lifetime()
                    });
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, group, &[block * BLOCK as u32]);
                    pass.dispatch_workgroups(size[0], size[1], size[2]);
                    if timing.is_some() {
                        timed += 1;
                        open = None;
                    }
                }
                Step::Clear(buffer, offset, bytes) => {
                    open = None;
                    encoder.clear_buffer(buffer, *offset, Some(*bytes));
                }
                Step::Copy { from, to, bytes } => {
                    open = None;
                    encoder.copy_buffer_to_buffer(from, 0, to, 0, *bytes);
                }
            }
        }
        timed
    }

    /// Adds the passes to the profile, with their times where there are some.
    fn account(&self, ticks: &[u8], profile: &mut Profile) {
        let tick = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let mut pairs = ticks.chunks_exact(16);
        let tick_ps = self.session.timing.as_ref().map_or(0, |timing| timing.tick_ps);
        for step in &self.steps {
            let Step::Run { name, bytes, .. } = step else { continue };
            let time = pairs.next().map_or(Duration::ZERO, |pair| {
                let ticks = tick(&pair[8..]).saturating_sub(tick(&pair[..8]));
                Duration::from_nanos(ticks.saturating_mul(tick_ps) / 1000)
            });
            profile.add(name, *bytes, time);
        }
    }
}
