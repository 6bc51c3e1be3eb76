//! The passes as compiled pipelines: which shader each is, and what it reads and writes.
//!
//! Drivers compile at the first dispatch, and lavapipe for seconds where a game is large, so each
//! pipeline is run once over nothing right after it was made: that time is known apart, and an
//! interrupt or the end of the time can come between two of them.

use std::sync::Arc;
use std::time::Instant;

use kernel::Shaders;
use solve::Trouble;
use verdict::Watch;

use crate::batch::{Batch, View};
use crate::fault::DeviceFault;
use crate::profile::Profile;
use crate::session::{Layout, Session};

/// What a pass is told; the fields of `Params` in `shaders/params.wgsl`, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params {
    pub(crate) groups: u32,
    pub(crate) joints: u32,
    pub(crate) states: u32,
    pub(crate) first: u32,
    pub(crate) words: u32,
    pub(crate) bits: u32,
    pub(crate) slots: u32,
    pub(crate) before: u32,
    pub(crate) moves: u32,
    pub(crate) roles: u32,
    pub(crate) limbs: u32,
    pub(crate) below: u32,
    pub(crate) leaf: u32,
    pub(crate) start: u32,
    pub(crate) level: u32,
    pub(crate) spare: u32,
    pub(crate) parts: u32,
    pub(crate) part: u32,
    pub(crate) base: u32,
    pub(crate) place: u32,
}

impl Params {
    /// As words, in order.
    pub(crate) fn words(&self) -> [u32; 20] {
        [
            self.groups,
            self.joints,
            self.states,
            self.first,
            self.words,
            self.bits,
            self.slots,
            self.before,
            self.moves,
            self.roles,
            self.limbs,
            self.below,
            self.leaf,
            self.start,
            self.level,
            self.spare,
            self.parts,
            self.part,
            self.base,
            self.place,
        ]
    }
}

/// A pass that can be run.
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: Layout,
    /// Invocations of a workgroup.
    pub(crate) workgroup: u32,
    reads: u32,
    writes: u32,
}

impl Kernel {
    /// Buffers that are bound.
    pub(crate) fn buffers(&self) -> u32 {
        self.reads + self.writes
    }
}

/// What an invocation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Per {
    /// 32 states.
    Group,
    /// One.
    State,
    /// All.
    Chunk,
}

/// A shader: its name, its text, what stands before it, the buffers that it reads and writes.
struct Source {
    name: &'static str,
    text: &'static str,
    before: &'static str,
    buffers: (u32, u32),
    per: Per,
}

macro_rules! shader {
    ($file:literal) => {
        include_str!(concat!("../../../../shaders/", $file, ".wgsl"))
    };
}

const LOOK_AND_TRANSPOSE: &str = concat!(
    include_str!("../../../../shaders/look.wgsl"),
    include_str!("../../../../shaders/transpose.wgsl")
);

const SOURCES: [Source; 23] = [
    source("unpack", shader!("unpack"), shader!("transpose"), (1, 1), Per::Group),
    source("peek", shader!("peek"), LOOK_AND_TRANSPOSE, (2, 1), Per::Group),
    source("step_by_tables", shader!("step"), shader!("look"), (5, 3), Per::Group),
    source("run_tape", shader!("tape"), "", (3, 2), Per::Group),
    source("deal", shader!("deal"), "", (2, 3), Per::Group),
    source("classes", shader!("classes"), "", (3, 1), Per::Group),
    source("totals", shader!("totals"), "", (3, 2), Per::State),
    source("pack", shader!("pack"), shader!("transpose"), (4, 3), Per::Group),
    source("part", shader!("part"), shader!("hash"), (2, 1), Per::Group),
    source("claim", shader!("claim"), shader!("hash"), (3, 3), Per::State),
    source("rank", shader!("rank"), "", (3, 2), Per::Group),
    source("sum", shader!("sum"), "", (0, 1), Per::Group),
    source("total", shader!("total"), "", (0, 2), Per::Chunk),
    source("scatter", shader!("scatter"), "", (5, 3), Per::State),
    source("resolve", shader!("resolve"), "", (2, 1), Per::State),
    source("rehash", shader!("rehash"), shader!("hash"), (1, 2), Per::State),
    source("copy", shader!("copy"), "", (1, 1), Per::State),
    source("mark", shader!("mark"), "", (2, 2), Per::State),
    source("count", shader!("count"), "", (1, 1), Per::State),
    source("spread", shader!("spread"), "", (3, 2), Per::State),
    source("number", shader!("number"), "", (2, 1), Per::State),
    source("gather", shader!("gather"), "", (2, 2), Per::State),
    source("back_up", shader!("back_up"), "", (5, 1), Per::State),
];

const fn source(
    name: &'static str,
    text: &'static str,
    before: &'static str,
    buffers: (u32, u32),
    per: Per,
) -> Source {
    Source { name, text, before, buffers, per }
}

/// The whole text of a shader.
fn whole(source: &Source, sizes: Sizes, capacity: u32) -> String {
    let Sizes { groups, states } = sizes;
    format!(
        "const GROUPS: u32 = {groups}u;\nconst STATES: u32 = {states}u;\n\
         const CAPACITY: u32 = {capacity}u;\n{}{}{}",
        shader!("params"),
        source.before,
        source.text
    )
}

/// Workgroups in which an invocation works on 32 states and on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) groups: u32,
    pub(crate) states: u32,
}

impl Sizes {
    /// As suits a device: one of software runs a workgroup on one thread, eight side by side.
    pub(crate) fn of(hardware: bool) -> Self {
        if hardware { Self { groups: 64, states: 64 } } else { Self { groups: 8, states: 64 } }
    }
}

/// All passes of one game.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) unpack: Arc<Kernel>,
    /// Empty where the view is not compiled.
    pub(crate) view: Vec<Kernel>,
    /// View and update by tables.
    pub(crate) peek: Arc<Kernel>,
    pub(crate) step: Arc<Kernel>,
    /// Either as a list of operations.
    pub(crate) tape: Arc<Kernel>,
    pub(crate) deal: Arc<Kernel>,
    pub(crate) classes: Arc<Kernel>,
    pub(crate) totals: Arc<Kernel>,
    /// The general update; made when it is first needed.
    pub(crate) update: Vec<Kernel>,
    pub(crate) pack: Arc<Kernel>,
    pub(crate) part: Arc<Kernel>,
    pub(crate) claim: Arc<Kernel>,
    pub(crate) rank: Arc<Kernel>,
    pub(crate) sum: Arc<Kernel>,
    pub(crate) total: Arc<Kernel>,
    pub(crate) scatter: Arc<Kernel>,
    pub(crate) resolve: Arc<Kernel>,
    pub(crate) rehash: Arc<Kernel>,
    /// The same by a bitmap of all keys.
    pub(crate) mark: Arc<Kernel>,
    pub(crate) count: Arc<Kernel>,
    pub(crate) spread: Arc<Kernel>,
    pub(crate) number: Arc<Kernel>,
    pub(crate) copy: Arc<Kernel>,
    pub(crate) gather: Arc<Kernel>,
    /// Values of few words come first; made when they are first needed.
    back_up: Vec<(u32, Arc<Kernel>)>,
}

impl Passes {
    /// Compiles the passes of a game, and its view where there are `shaders` for it.
    pub(crate) fn new(
        session: &Session,
        shaders: Option<&Shaders>,
        watch: &Watch<'_>,
        profile: &mut Profile,
    ) -> Result<Self, Trouble> {
        let mut maker = Maker { session, watch, profile };
        let view = match shaders {
            Some(shaders) => maker.generated(&shaders.text, &shaders.view.entries, "view")?,
            None => Vec::new(),
        };
        Ok(Self {
            view,
            update: Vec::new(),
            unpack: maker.named("unpack")?,
            peek: maker.named("peek")?,
            step: maker.named("step_by_tables")?,
            tape: maker.named("run_tape")?,
            deal: maker.named("deal")?,
            classes: maker.named("classes")?,
            totals: maker.named("totals")?,
            pack: maker.named("pack")?,
            part: maker.named("part")?,
            claim: maker.named("claim")?,
            rank: maker.named("rank")?,
            sum: maker.named("sum")?,
            total: maker.named("total")?,
            scatter: maker.named("scatter")?,
            resolve: maker.named("resolve")?,
            rehash: maker.named("rehash")?,
            mark: maker.named("mark")?,
            count: maker.named("count")?,
            spread: maker.named("spread")?,
            number: maker.named("number")?,
            copy: maker.named("copy")?,
            gather: maker.named("gather")?,
            back_up: Vec::new(),
        })
    }

    /// Makes sure of the general update.
    pub(crate) fn need_update(
        &mut self,
        session: &Session,
        shaders: &Shaders,
        watch: &Watch<'_>,
        profile: &mut Profile,
    ) -> Result<(), Trouble> {
        if self.update.is_empty() {
            let mut maker = Maker { session, watch, profile };
            self.update = maker.generated(&shaders.text, &shaders.update.entries, "update")?;
        }
        Ok(())
    }

    /// Makes sure of the pass that values states in so many words.
    pub(crate) fn back_up(
        &mut self,
        session: &Session,
        limbs: u32,
        watch: &Watch<'_>,
        profile: &mut Profile,
    ) -> Result<(), Trouble> {
        let capacity = room_for(limbs);
        if !self.back_up.iter().any(|(room, _)| *room == capacity) {
            let mut maker = Maker { session, watch, profile };
            let kernel = maker.sized("back_up", capacity)?;
            self.back_up.push((capacity, kernel));
        }
        Ok(())
    }

    /// That pass.
    pub(crate) fn ready(&self, limbs: u32) -> &Kernel {
        let capacity = room_for(limbs);
        let found = self.back_up.iter().find(|(room, _)| *room == capacity);
        &found.expect("it was made sure of").1
    }
}

/// Words that a pass for values of so many has room for.
fn room_for(limbs: u32) -> u32 {
    assert!(limbs <= WIDEST, "wider values are refused before");
    limbs.next_power_of_two().max(2)
}

/// Words of the widest value.
pub(crate) const WIDEST: u32 = 256;

struct Maker<'a> {
    session: &'a Session,
    watch: &'a Watch<'a>,
    profile: &'a mut Profile,
}

impl Maker<'_> {
    fn named(&mut self, name: &'static str) -> Result<Arc<Kernel>, Trouble> {
        self.sized(name, 2)
    }

    /// A shader that is the same for all games, compiled once for the device.
    fn sized(&mut self, name: &'static str, capacity: u32) -> Result<Arc<Kernel>, Trouble> {
        if let Some(known) = self.session.kernels().get(&(name, capacity)) {
            return Ok(Arc::clone(known));
        }
        let source = SOURCES.iter().find(|source| source.name == name).expect("a known shader");
        let sizes = Sizes::of(self.session.adapter().hardware);
        let workgroup = match source.per {
            Per::Group => sizes.groups,
            Per::State => sizes.states,
            Per::Chunk => 1,
        };
        let module = self.module(&whole(source, sizes, capacity));
        let kernel = Arc::new(self.pipeline(name, &module, name, source.buffers, workgroup)?);
        self.session.kernels().insert((name, capacity), Arc::clone(&kernel));
        Ok(kernel)
    }

    fn generated(
        &mut self,
        text: &str,
        entries: &[String],
        name: &'static str,
    ) -> Result<Vec<Kernel>, Trouble> {
        let workgroup = Sizes::of(self.session.adapter().hardware).groups;
        let module = self.module(text);
        entries.iter().map(|entry| self.pipeline(name, &module, entry, (2, 2), workgroup)).collect()
    }

    fn module(&self, text: &str) -> wgpu::ShaderModule {
        self.session.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        })
    }

    fn pipeline(
        &mut self,
        name: &'static str,
        module: &wgpu::ShaderModule,
        entry: &str,
        (reads, writes): (u32, u32),
        workgroup: u32,
    ) -> Result<Kernel, Trouble> {
        let begun = Instant::now();
        self.session.check_limits(self.watch)?;
        let layout = self.session.layout(reads, writes);
        let descriptor = wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: Some(&layout.pipeline),
            module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        };
        let scope = self.session.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let pipeline = self.session.device.create_compute_pipeline(&descriptor);
        if let Some(error) = pollster::block_on(scope.pop()) {
            return Err(DeviceFault::Refused(error.to_string()).into());
        }
        let kernel = Kernel { name, pipeline, layout, workgroup, reads, writes };
        self.warm(&kernel)?;
        self.profile.compiling += begun.elapsed();
        self.profile.pipelines += 1;
        Ok(kernel)
    }

    /// Runs a pass over nothing.
    fn warm(&mut self, kernel: &Kernel) -> Result<(), Trouble> {
        let spare = &self.session.spare;
        let view = |at: usize| View::of(&spare[at].buffer, spare[at].bytes());
        let read = (0..kernel.reads).map(|_| view(0));
        let written = (0..kernel.writes).map(|at| view(1 + at as usize));
        let views: Vec<View<'_>> = read.chain(written).collect();
        let mut batch = Batch::new(self.session);
        batch.run(kernel, Params::default(), &views, [1, 1, 1], 0);
        let told = batch.finish(&[(&spare[0].buffer, 0, 16)], self.watch, self.profile)?;
        assert_eq!(told.len(), 4, "four words were asked for");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    #[test]
    fn every_shader_is_valid_and_has_the_buffers_that_are_told() {
        for source in &SOURCES {
            for (hardware, capacity) in [(false, 2), (true, WIDEST)] {
                let text = whole(source, Sizes::of(hardware), capacity);
                let module = naga::front::wgsl::parse_str(&text)
                    .unwrap_or_else(|wrong| panic!("{}", wrong.emit_to_string(&text)));
                let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
                let checked = validator.validate(&module);
                checked.unwrap_or_else(|wrong| panic!("{}: {wrong:?}", source.name));
                assert_eq!(module.entry_points[0].name, source.name);
                let bound = module.global_variables.iter().filter(|(_, one)| one.binding.is_some());
                let (reads, writes) = source.buffers;
                assert_eq!(bound.count() as u32, 1 + reads + writes, "{}", source.name);
            }
        }
    }

    #[test]
    fn parameters_are_as_many_words_as_the_shaders_read() {
        let fields = shader!("params").lines().filter(|line| line.trim().ends_with(": u32,"));
        assert_eq!(fields.count(), Params::default().words().len());
    }
}
