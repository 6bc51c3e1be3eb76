//! `--backend`: the sweep and the search on a graphics device, and what they did there.
//!
//! Without the feature `gpu` all of this is refused in one line, before any work, and `auto` is the
//! processor. With it, `gpu` is the device or a failure; only `auto` may hand a game to the
//! processor, where there is no hardware, where the device fails, or where it does not do the game.

use solve::{Search, Sweep};
use verdict::Engine;

use crate::args::{BackendName, SolveArgs};
use crate::failure::Failure;

/// What is said where there is none.
const WITHOUT: &str = "this program was built without graphics devices: run it through `cargo xtask`, which builds \
     it so where that is needed, or build it with `--features gpu`; then a Vulkan driver is needed (on \
     Debian: apt install mesa-vulkan-drivers libvulkan1)";

/// Refuses what needs a device in a build without one.
pub(crate) fn check(args: &SolveArgs) -> Result<(), Failure> {
    let needed = args.engine.backend == BackendName::Gpu
        || args.profile
        || args.engine.device.is_some()
        || args.engine.stream.is_some();
    if needed { built_in() } else { Ok(()) }
}

/// Refuses everything about devices in a build without them.
pub(crate) fn built_in() -> Result<(), Failure> {
    if cfg!(feature = "gpu") { Ok(()) } else { Err(Failure::Environment(WITHOUT.to_owned())) }
}

#[cfg(not(feature = "gpu"))]
pub(crate) use without::*;

#[cfg(feature = "gpu")]
pub(crate) use with::*;

#[cfg(not(feature = "gpu"))]
mod without {
    //! A build without devices.

    use super::*;

    /// The device that is used: none.
    #[derive(Default)]
    pub(crate) struct Used(());

    impl Used {
        /// The name of the backend that answered, where it is no usual one.
        pub(crate) fn backend(&self) -> Option<&'static str> {
            None
        }

        /// What was done on it.
        pub(crate) fn profile(&self) -> Option<String> {
            None
        }
    }

    /// A device among engines that are compared: none.
    pub(crate) fn compared(
        _: Search,
        _: Sweep,
        is_needed: bool,
    ) -> Result<Vec<Box<dyn Engine>>, Failure> {
        if is_needed { built_in().map(|()| Vec::new()) } else { Ok(Vec::new()) }
    }

    /// The engine on the processor.
    pub(crate) fn engine(
        _args: &SolveArgs,
        engine: impl Engine + 'static,
    ) -> Result<(Box<dyn Engine>, Used), Failure> {
        Ok((Box::new(engine), Used::default()))
    }
}

#[cfg(feature = "gpu")]
mod with {
    //! A build with devices.

    use std::fmt::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use device::{DeviceFault, Gpu, Pass, PlyRow, Profile, SearchRow, Wish};
    use solve::Device;
    use verdict::{HaltReason, Question, Stop, Verdict, Watch};

    use super::*;
    use crate::quantity::{show_count, show_duration, show_size};

    /// An engine that a device can work for.
    pub(crate) trait Movable: Engine + Clone + 'static {
        /// The same engine on a device.
        fn moved(self, device: Arc<dyn Device>) -> Self;
    }

    impl Movable for Sweep {
        fn moved(self, device: Arc<dyn Device>) -> Self {
            self.on(device)
        }
    }

    impl Movable for Search {
        fn moved(self, device: Arc<dyn Device>) -> Self {
            self.on(device)
        }
    }

    /// The device that is used, if one is, and whether the processor took over from it.
    #[derive(Default)]
    pub(crate) struct Used {
        gpu: Option<Arc<Gpu>>,
        is_left: Arc<AtomicBool>,
    }

    impl Used {
        fn by(gpu: Arc<Gpu>) -> Self {
            Self { gpu: Some(gpu), ..Self::default() }
        }
    }

    /// The engine on the backend that is asked for.
    pub(crate) fn engine(
        args: &SolveArgs,
        engine: impl Movable,
    ) -> Result<(Box<dyn Engine>, Used), Failure> {
        let backend = args.engine.backend;
        let wish = match (&args.engine.device, backend) {
            (Some(name), _) => Wish::Named(name.clone()),
            (None, BackendName::Auto) => Wish::Hardware,
            (None, _) => Wish::Any,
        };
        let open = || {
            let gpu = Gpu::open(&wish, args.profile)?;
            let gpu = match args.engine.stream {
                Some(most_bytes) => gpu.streaming(most_bytes),
                None => gpu,
            };
            Ok::<_, DeviceFault>(Arc::new(gpu))
        };
        match backend {
            BackendName::Cpu => Ok((Box::new(engine), Used::default())),
            BackendName::Gpu => {
                let gpu = open().map_err(failure)?;
                Ok((Box::new(engine.moved(Arc::clone(&gpu) as _)), Used::by(gpu)))
            }
            BackendName::Auto => match open() {
                Ok(gpu) => {
                    let device = engine.clone().moved(Arc::clone(&gpu) as _);
                    let used = Used::by(Arc::clone(&gpu));
                    let is_left = Arc::clone(&used.is_left);
                    Ok((Box::new(Either { gpu, device, processor: engine, is_left }), used))
                }
                Err(fault @ DeviceFault::Unknown { .. }) => Err(failure(fault)),
                Err(_) => Ok((Box::new(engine), Used::default())),
            },
        }
    }

    /// The search and the sweep on a device, among engines that are compared: on any, where one is
    /// needed, and else on hardware, where there is some.
    pub(crate) fn compared(
        search: Search,
        sweep: Sweep,
        is_needed: bool,
    ) -> Result<Vec<Box<dyn Engine>>, Failure> {
        let wish = if is_needed { Wish::Any } else { Wish::Hardware };
        match Gpu::open(&wish, false) {
            Ok(gpu) => {
                let gpu: Arc<dyn Device> = Arc::new(gpu);
                Ok(vec![
                    Box::new(OnGpu { name: "search on gpu", engine: search.on(Arc::clone(&gpu)) }),
                    Box::new(OnGpu { name: "sweep on gpu", engine: sweep.on(gpu) }),
                ])
            }
            Err(fault) if is_needed => Err(failure(fault)),
            Err(_) => Ok(Vec::new()),
        }
    }

    /// An engine on a device, beside engines of the processor: what a device does not do is nothing
    /// that it has found of the game.
    struct OnGpu<E> {
        name: &'static str,
        engine: E,
    }

    impl<E: Engine> Engine for OnGpu<E> {
        fn name(&self) -> &str {
            self.name
        }

        fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
            match self.engine.judge(question, watch) {
                Err(Stop::Faulty(fault)) if fault.code.starts_with("device-") => {
                    Err(Stop::Environment(fault.message))
                }
                judged => judged,
            }
        }
    }

    fn failure(fault: DeviceFault) -> Failure {
        Failure::Environment(fault.to_string())
    }

    /// The device where it answers, and else the processor.
    struct Either<E> {
        gpu: Arc<Gpu>,
        device: E,
        processor: E,
        is_left: Arc<AtomicBool>,
    }

    impl<E: Engine> Either<E> {
        fn leave(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
            self.is_left.store(true, Ordering::Relaxed);
            self.processor.judge(question, watch)
        }
    }

    impl<E: Engine> Either<E> {
        /// Whether a solve halted because the device has too little memory, and not at a limit.
        fn is_short_of_memory(&self, reason: &HaltReason) -> bool {
            matches!(reason, HaltReason::Memory { .. }) && self.gpu.has_refused()
        }
    }

    impl<E: Engine> Engine for Either<E> {
        fn name(&self) -> &str {
            self.processor.name()
        }

        fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
            match self.device.judge(question, watch) {
                Err(Stop::Environment(_)) => self.leave(question, watch),
                Err(Stop::Faulty(fault)) if fault.code.starts_with("device-") => {
                    self.leave(question, watch)
                }
                Err(Stop::Halted(halt)) if self.is_short_of_memory(&halt.reason) => {
                    self.leave(question, watch)
                }
                judged => judged,
            }
        }
    }

    impl Used {
        /// The name of the backend that answered, where it is no usual one.
        pub(crate) fn backend(&self) -> Option<&'static str> {
            let is_left = self.is_left.load(Ordering::Relaxed);
            self.gpu.as_ref().filter(|_| !is_left).map(|_| "gpu")
        }

        /// What was done on it, as text, where it answered.
        pub(crate) fn profile(&self) -> Option<String> {
            self.backend()?;
            let gpu = self.gpu.as_ref()?;
            Some(text(&gpu.adapter().name, &gpu.profile()))
        }
    }

    /// A profile as lines: the device, a line a ply, a line a pass.
    fn text(name: &str, profile: &Profile) -> String {
        let mut out = String::new();
        let speed = match profile.copy_bytes_per_second {
            0 => "no timestamps, so passes are not timed".to_owned(),
            speed => format!("copies {}/s", show_size(speed)),
        };
        let (compiled, time) = (profile.pipelines, show_duration(profile.compiling));
        writeln!(out, "device    {name}: {speed}; {compiled} shaders compiled in {time}")
            .expect("a string takes all");
        for row in &profile.plies {
            ply_line(&mut out, row, profile.copy_bytes_per_second);
        }
        if let Some(row) = &profile.search {
            search_line(&mut out, row, profile.copy_bytes_per_second);
        }
        for pass in profile.passes() {
            writeln!(
                out,
                "pass      {:<10} {:>8} calls, {:>10}, {:>9}{}",
                pass.name,
                show_count(pass.calls),
                show_size(pass.bytes),
                show_duration(pass.time),
                share(pass.bytes, pass.time, speed_beside(&pass, profile))
            )
            .expect("a string takes all");
        }
        out
    }

    /// Whether bytes left the device or came, which is beside no roofline of its own.
    fn is_moving(pass: &Pass) -> bool {
        pass.name.ends_with("_host")
    }

    /// The speed beside which a pass is told.
    fn speed_beside(pass: &Pass, profile: &Profile) -> u64 {
        if is_moving(pass) { 0 } else { profile.copy_bytes_per_second }
    }

    fn ply_line(out: &mut String, row: &PlyRow, speed: u64) {
        let way = if row.is_backward { "backward" } else { "forward" };
        let width =
            if row.is_backward { format!(", {} words a value", row.limbs) } else { String::new() };
        let ran = row.passes.iter().filter(|pass| !is_moving(pass));
        let (bytes, time) = ran.fold((0, Duration::ZERO), |(bytes, time), pass| {
            (bytes + pass.bytes, time + pass.time)
        });
        let passes: Vec<String> =
            row.passes.iter().filter(|pass| pass.calls > 0).map(brief).collect();
        let parts = if row.parts > 1 { format!(" in {} parts", row.parts) } else { String::new() };
        writeln!(
            out,
            "ply {:<5} {way}: {} states{parts}, {} edges, {}{width}, {}{}: {}",
            row.ply,
            show_count(row.states),
            show_count(row.edges),
            show_size(row.bytes),
            show_duration(row.time),
            share(bytes, time, speed),
            passes.join(", ")
        )
        .expect("a string takes all");
    }

    fn search_line(out: &mut String, row: &SearchRow, speed: u64) {
        let on_device: Duration = row.passes.iter().map(|pass| pass.time).sum();
        writeln!(
            out,
            "search    {} batches: {} states, {} of them opened, {} children, {}, {}{}",
            show_count(row.batches),
            show_count(row.states),
            show_count(row.opened),
            show_count(row.children),
            show_size(row.bytes),
            show_duration(row.time),
            share(row.bytes, on_device, speed),
        )
        .expect("a string takes all");
    }

    fn brief(pass: &Pass) -> String {
        format!("{} {}", pass.name, show_duration(pass.time))
    }

    /// The bytes over the time, as a part of the speed of copying.
    fn share(bytes: u64, time: Duration, speed: u64) -> String {
        if speed == 0 || time.is_zero() {
            return String::new();
        }
        let part = bytes as f64 / time.as_secs_f64() / speed as f64;
        format!(", {:.1} % of copying", 100.0 * part)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_profile_has_a_line_for_each_ply_and_each_pass() {
            let time = Duration::from_millis(2);
            let pass = |name: &str| Pass { name: name.into(), calls: 3, bytes: 4_000_000, time };
            let passes = vec![pass("claim"), pass("to_host")];
            let row =
                PlyRow { ply: 5, states: 1234, bytes: 4_000_000, passes, ..PlyRow::default() };
            let profile = Profile {
                copy_bytes_per_second: 4_000_000_000,
                plies: vec![row],
                ..Profile::default()
            };
            let text = text("x", &profile);
            assert_eq!(text.lines().count(), 4, "{text}");
            let moved = text.lines().last().expect("a line");
            assert!(moved.contains("to_host") && !moved.contains("of copying"), "{text}");
            assert!(text.contains("ply 5     forward: 1,234 states"), "{text}");
            assert_eq!(text.matches("50.0 % of copying").count(), 2, "{text}");
            let row = SearchRow { batches: 3, states: 4567, opened: 89, ..SearchRow::default() };
            let text = super::text("x", &Profile { search: Some(row), ..Profile::default() });
            assert!(
                text.contains("search    3 batches: 4,567 states, 89 of them opened"),
                "{text}"
            );
        }
    }
}
