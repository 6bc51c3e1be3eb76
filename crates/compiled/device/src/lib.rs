//! The sweep's plies, and the steps of a search, on a graphics device: the only crate that opens one.
//!
//! Keys, edges and values stay in the device's memory; only counts come back between plies.
//! [`adapters`] lists what there is, [`Gpu`] opens one and hands it to the sweep. What the shaders
//! do stands in them (`shaders/`), and in which order in `forward` and `backward`.
//!
//! Always: every flag that a shader can raise is read before anything is believed that rests on it;
//! a device that falls silent, is lost or refuses ends the solve with one line, and nothing waits
//! without a limit; a state that is flawed is expanded again on the processor, which says how.
#![forbid(unsafe_code)]

mod adapters;
mod arena;
mod backend;
mod backward;
mod batch;
mod children;
mod dense;
mod distinct;
mod fault;
mod forward;
mod gather;
mod joints;
mod measure;
mod parts;
mod passes;
mod profile;
mod session;
mod steps;
mod stream;
mod tables;
mod values;
mod views;

use std::sync::{Arc, Mutex};

use solve::{Plan, Stepper, SweepBackend, Trouble};
use verdict::{Stop, Watch};

pub use adapters::{Adapter, Wish, adapters};
pub use fault::DeviceFault;
pub use joints::Form;
pub use profile::{Pass, PlyRow, Profile, SearchRow};

use session::Session;

/// A device that is open, for one solve or several.
#[derive(Debug)]
pub struct Gpu {
    session: Arc<Session>,
    profile: Arc<Mutex<Profile>>,
    choices: Choices,
}

/// What a device would choose by itself, where it is told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Choices {
    pub(crate) form: Option<Form>,
    /// Candidates of a chunk.
    pub(crate) candidates: Option<usize>,
    /// Whether states are marked in a bitmap of all keys, where keys are short enough.
    pub(crate) dense: Option<bool>,
    /// Bytes that may be held on the device, where plies that wait go elsewhere.
    pub(crate) stream: Option<u64>,
}

impl Gpu {
    /// Opens the device that is wished for; with `timed`, each pass is timed on it.
    ///
    /// # Errors
    /// Where there is none, or it does not open.
    pub fn open(wish: &Wish, timed: bool) -> Result<Self, DeviceFault> {
        Session::open(wish, timed, None).map(Self::of)
    }

    /// The same with shaders that see only so many bytes of a buffer at once, which the driver's own
    /// checks then hold them to; for tests of what is done where a ply does not fit.
    ///
    /// # Errors
    /// Where there is none, or it does not open.
    pub fn open_seeing(wish: &Wish, bytes: u64) -> Result<Self, DeviceFault> {
        Session::open(wish, false, Some(bytes)).map(Self::of)
    }

    fn of(session: Session) -> Self {
        let (session, profile) = (Arc::new(session), Arc::default());
        Self { session, profile, choices: Choices::default() }
    }

    /// The same device, which gets games in this form and not in the one that suits their size.
    #[must_use]
    pub fn in_form(&self, form: Form) -> Self {
        self.with(Choices { form: Some(form), ..self.choices })
    }

    /// The same device, which makes chunks of so many candidates (32 states at least) whatever the
    /// time that they take.
    #[must_use]
    pub fn in_chunks(&self, candidates: usize) -> Self {
        self.with(Choices { candidates: Some(candidates), ..self.choices })
    }

    /// The same device, which finds states by a bitmap of all keys wherever keys are short enough, or
    /// never, and not where that suits their number.
    #[must_use]
    pub fn by_bitmaps(&self, always: bool) -> Self {
        self.with(Choices { dense: Some(always), ..self.choices })
    }

    /// The same device, which holds at most so many bytes, or as many as it has: plies that wait for the
    /// way back go through the memory of this machine where they do not fit.
    #[must_use]
    pub fn streaming(&self, most_bytes: Option<u64>) -> Self {
        self.with(Choices { stream: Some(most_bytes.unwrap_or(u64::MAX)), ..self.choices })
    }

    fn with(&self, choices: Choices) -> Self {
        Self { session: Arc::clone(&self.session), profile: Arc::default(), choices }
    }

    /// What the device is.
    pub fn adapter(&self) -> &Adapter {
        self.session.adapter()
    }

    /// What was done on it so far.
    pub fn profile(&self) -> Profile {
        self.profile.lock().unwrap_or_else(|held| held.into_inner()).clone()
    }

    /// Lets the device refuse more than so many bytes of buffers, as one that has no more does; for
    /// tests of what follows.
    pub fn shrink(&self, bytes: u64) {
        self.session.shrink(bytes);
    }

    /// Whether it ever had no memory for what was needed.
    pub fn has_refused(&self) -> bool {
        self.session.has_refused()
    }

    /// Bytes of all buffers that it holds now.
    pub fn held(&self) -> u64 {
        self.session.held()
    }

    /// Takes the device away, as a driver that resets does; for tests of what follows.
    pub fn lose(&self) {
        self.session.lose();
    }
}

impl Gpu {
    /// Why a game did not come onto the device.
    fn unbegun(&self, trouble: Trouble) -> Stop {
        match self.session.take_refusal() {
            Some(_) => Stop::Environment(DeviceFault::OutOfMemory(0).to_string()),
            None => fault::stop(trouble),
        }
    }
}

impl solve::Device for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn begin(&self, plan: Plan, watch: &Watch<'_>) -> Result<Box<dyn SweepBackend>, Stop> {
        let (session, profile) = (Arc::clone(&self.session), Arc::clone(&self.profile));
        match backend::Plies::new(session, profile, plan, self.choices, watch) {
            Ok(plies) => Ok(Box::new(plies)),
            Err(trouble) => Err(self.unbegun(trouble)),
        }
    }

    fn stepper(&self, plan: Plan, watch: &Watch<'_>) -> Result<Box<dyn Stepper>, Stop> {
        let (session, profile) = (Arc::clone(&self.session), Arc::clone(&self.profile));
        match backend::Plies::new(session, profile, plan, self.choices, watch) {
            Ok(plies) => Ok(Box::new(steps::Steps::new(plies))),
            Err(trouble) => Err(self.unbegun(trouble)),
        }
    }
}
