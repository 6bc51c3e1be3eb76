//! The sweep: every distinct state forward, then every value backward.
//!
//! The default engine. Where a state determines its ply (guessed, and checked on every state
//! reached), or a horizon is given, it goes ply by ply ([`plies`]); else it explores the graph of
//! states, orders it and notices cycles ([`graph`]). On a device it goes by plies alone ([`plan`]).
//!
//! Always: each reachable state is expanded once and checked for well-formedness; a guess that
//! breaks restarts the solve without it.

mod checkpoint;
mod clock;
mod dense;
mod estimate;
mod feed;
mod graph;
mod halting;
mod layers;
mod level;
mod manifest;
mod parts;
mod past;
mod paths;
mod plan;
mod plies;
mod record;
mod recurrent;
mod registers;
mod runs;
mod scale;
mod spool;
mod symmetry;
mod table;
#[cfg(test)]
mod tests;
mod toss;
mod trail;
mod values;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kernel::{Expander, FlawKind};
use net::BaseId;
use verdict::{Counts, Engine, HaltReason, Question, Stop, Verdict, Watch};

use crate::Options;
use crate::apart;
use crate::backend::Trouble;
use crate::game::{Game, unknown};
use crate::storage::{Storage, StorageFault};
use checkpoint::Checkpoint;
use feed::Feed;
use layers::Manner;
use level::LevelTables;
use past::Past;
use symmetry::Reduction;
use trail::Trail;

pub use clock::clock_choice;
pub use dense::{TierChoice, tier_choice};
pub use layers::shares;
pub use paths::{Perft, PerftPly, perft};
pub use plan::{Device, LevelChunk, Plan};
pub(crate) use plies::advice;
pub use symmetry::{SymmetryChoice, symmetry_choice};

/// What bounds may take after an interrupt of the dense tier.
const MOMENT: Duration = Duration::from_millis(600);

/// The sweep on the processor.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    options: Options,
    storage: Storage,
    /// Whether whatever can be is kept on disk, also where memory is not short.
    thrift: bool,
    /// What states are expanded on, where it is not this processor.
    device: Option<Arc<dyn Device>>,
}

impl Sweep {
    /// A sweep with these options, all in memory.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// The same sweep with a checkpoint or room on disk.
    #[must_use]
    pub fn with_storage(self, storage: Storage) -> Self {
        Self { storage, ..self }
    }

    /// The same sweep on a device, which goes by plies alone and keeps nothing on disk.
    #[must_use]
    pub fn on(self, device: Arc<dyn Device>) -> Self {
        Self { device: Some(device), ..self }
    }

    /// The same sweep, which takes memory for short.
    #[cfg(test)]
    fn thrifty(self) -> Self {
        Self { thrift: true, ..self }
    }
}

/// One attempt ended without an answer.
enum Ended {
    /// A guess was wrong; the game no longer makes it.
    Restart,
    /// For good.
    Stop(Stop),
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl Engine for Sweep {
    fn name(&self) -> &str {
        "sweep"
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        if let Some(device) = &self.device {
            return plan::judge(&**device, question, &self.options, watch);
        }
        let opened = Checkpoint::open(&self.storage, question, &self.options);
        let mut checkpoint = opened.map_err(StorageFault::stop)?.map(Arc::new);
        let mut game = Game::new(question, &self.options, watch)?;
        if self.may_split()
            && let Some(judged) = apart::attempt(self, &game, question, &self.options, watch)
        {
            return judged;
        }
        if let Some(held) = &checkpoint
            && !game.forget(held.taken_back())
        {
            return Err(StorageFault::damaged(
                held.folder(),
                &"it takes back what was not guessed",
            )
            .stop());
        }
        self.solve(&mut game, checkpoint.as_mut(), question, watch)
    }
}

impl Sweep {
    /// Whether independent subgames may be solved apart: not where all states are to be kept.
    fn may_split(&self) -> bool {
        self.storage.checkpoint.is_none() && self.storage.table.is_none()
    }

    /// Solves a game of its own, of which nothing is kept.
    pub(crate) fn solve_part(
        &self,
        game: &mut Game,
        question: &Question,
        watch: &Watch<'_>,
    ) -> Result<Verdict, Stop> {
        assert!(self.may_split(), "what is kept is of the whole game");
        self.solve(game, None, question, watch)
    }

    /// Solves a game as one.
    fn solve(
        &self,
        game: &mut Game,
        mut checkpoint: Option<&mut Arc<Checkpoint>>,
        question: &Question,
        watch: &Watch<'_>,
    ) -> Result<Verdict, Stop> {
        let disk = dense::Disk {
            plies: checkpoint.is_some() || self.storage.table.is_some(),
            spill: self.storage.spill.is_some(),
        };
        let before = watch.interrupted();
        if let Some(verdict) = dense::attempt(game, question, &self.options, disk, watch)? {
            return Ok(verdict);
        }
        if watch.interrupted() && !before {
            // What was broken off knows nothing of the value; a moment by tables bounds it.
            return self.bounds_after_an_interrupt(game, question, watch);
        }
        if let Some(verdict) = clock::attempt(game, question, &self.options, disk, watch)? {
            return Ok(verdict);
        }
        loop {
            let (spill, thrift) = (self.storage.spill.clone(), self.thrift);
            let table = self.storage.table.clone();
            let unwritten = Arc::clone(&self.storage.unwritten);
            let checkpoint = checkpoint.as_deref_mut();
            let kept = Kept { checkpoint, spill, thrift, table, unwritten };
            match attempt(game, question, &self.options, kept, watch) {
                Ok(verdict) => return Ok(verdict),
                Err(Ended::Restart) => {}
                Err(Ended::Stop(stop)) => return Err(stop),
            }
        }
    }

    /// Bounds by plies in a moment, all in memory.
    fn bounds_after_an_interrupt(
        &self,
        game: &mut Game,
        question: &Question,
        watch: &Watch<'_>,
    ) -> Result<Verdict, Stop> {
        let calm = AtomicBool::new(false);
        let quiet =
            Watch { started: Instant::now(), time: Some(MOMENT), interrupt: &calm, ..*watch };
        loop {
            match attempt(game, question, &self.options, Kept::default(), &quiet) {
                Ok(verdict) => return Ok(verdict),
                Err(Ended::Restart) => {}
                Err(Ended::Stop(Stop::Halted(mut halt))) => {
                    halt.reason = HaltReason::Interrupt;
                    halt.advice = plies::advice(&halt.reason);
                    return Err(Stop::Halted(halt));
                }
                Err(Ended::Stop(stop)) => return Err(stop),
            }
        }
    }
}

/// Where an attempt keeps what leaves memory.
#[derive(Default)]
struct Kept<'a> {
    checkpoint: Option<&'a mut Arc<Checkpoint>>,
    spill: Option<PathBuf>,
    thrift: bool,
    table: Option<PathBuf>,
    unwritten: Arc<Mutex<Option<String>>>,
}

impl Kept<'_> {
    /// The table of an attempt, where one is asked for.
    fn feed(
        &self,
        game: &Game,
        expander: &dyn Expander,
        watch: &Watch<'_>,
    ) -> Result<Option<Rc<RefCell<Feed>>>, StorageFault> {
        let Some(path) = &self.table else { return Ok(None) };
        let feed = Feed::new(path, game, expander, watch.memory)?;
        Ok(Some(Rc::new(RefCell::new(feed))))
    }

    /// Whether one state of each orbit is kept: as an earlier process did, where one began.
    fn reduction(
        &self,
        game: &Game,
        expander: &dyn Expander,
        question: &Question,
        options: &Options,
    ) -> Result<Reduction, StorageFault> {
        let checkpoint = self.checkpoint.as_deref();
        let table = self.table.is_some();
        if let Some((checkpoint, group)) =
            checkpoint.and_then(|held| Some((held, held.group(game)?)))
        {
            match group {
                0 => return Ok(Reduction::None),
                _ if table => return Err(checkpoint.keeps_orbits("a table claims every state")),
                _ if !options.symmetry => {
                    return Err(checkpoint.keeps_orbits("`--no-symmetry` keeps all"));
                }
                _ => {}
            }
        }
        let written = (table, checkpoint.is_some());
        Ok(Reduction::new(game, expander, question, options, written))
    }

    /// The trail of an attempt, and what an earlier process left of it.
    fn begin(
        self,
        game: &Game,
        expander: &dyn Expander,
        reduction: &Reduction,
    ) -> Result<(Trail, Past), StorageFault> {
        let Self { checkpoint, spill, thrift, .. } = self;
        let mut past = Past::default();
        let mut shared = None;
        if let Some(held) = checkpoint {
            let alone = Arc::get_mut(held).expect("an attempt that ended holds no checkpoint");
            past = alone.begin(game, reduction.fingerprint(), game.fingerprint(expander))?;
            shared = Some(Arc::clone(held));
        }
        Ok((Trail::new(shared, spill, expander.words()).thrifty(thrift), past))
    }
}

fn attempt(
    game: &mut Game,
    question: &Question,
    options: &Options,
    kept: Kept<'_>,
    watch: &Watch<'_>,
) -> Result<Verdict, Ended> {
    let (expander, root) = start(game, options)?;
    if question.horizon.is_none() && game.guesses.level.is_none() {
        if let Some(checkpoint) = kept.checkpoint {
            return Err(Ended::Stop(no_plies(checkpoint.folder()).stop()));
        }
        if let Some(path) = &kept.table {
            return Err(Ended::Stop(no_layers(path).stop()));
        }
        return graph::solve(game, expander, &root, options, watch);
    }
    let level = level_tables(game, &*expander);
    let disjoint = level.is_some();
    if question.horizon.is_none() && !disjoint {
        game.forget_level();
        return Err(Ended::Restart);
    }
    let reader = expander.fork();
    let reduction = kept.reduction(game, &*expander, question, options);
    let reduction = reduction.map_err(|fault| Ended::Stop(fault.stop()))?;
    let (fold, threads) = (options.fold, options.threads);
    let manner = Manner { level, reduction, fold, threads };
    let feed = kept.feed(game, &*expander, watch).map_err(|fault| Ended::Stop(fault.stop()))?;
    // Where plies may share states their keys stay in memory anyway.
    let wanted = feed.as_ref().filter(|_| disjoint);
    let folder = wanted.map(|feed| feed.borrow().folder().to_owned());
    let unwritten = Arc::clone(&kept.unwritten);
    let begun = kept.begin(game, &*expander, &manner.reduction).map_err(Trouble::from);
    let backend = begun
        .and_then(|(trail, past)| {
            let kept = (trail.keeping_keys(folder), past, feed.clone());
            layers::continued(expander, &root, manner, kept)
        })
        .map_err(|trouble| end(game, &*reader, trouble))?;
    let run = plies::Run { reader, backend, disjoint, horizon: question.horizon };
    let verdict = run.solve(game, options, watch)?;
    if let Some(feed) = feed {
        let feed = Rc::into_inner(feed).expect("the backend is gone").into_inner();
        let written = feed.finish(&::table::Claim::of(question), game);
        // The answer is there, and only its table is not: whoever asked is told beside it.
        if let Err(StorageFault::System(message)) = written {
            *unwritten.lock().unwrap_or_else(|held| held.into_inner()) = Some(message);
        }
    }
    Ok(verdict)
}

/// A game whose sweep does not go by plies has no layers for a table.
fn no_layers(path: &Path) -> StorageFault {
    let message = format!(
        "the states of this game do not tell how many steps were played, so `{}` would have no \
         layers whose values follow from one another",
        path.display()
    );
    let note = "leave `--table` out, or ask for the odds within `--horizon N` steps";
    StorageFault::refused("no-table", message, note)
}

/// A game whose sweep does not go by plies has nothing that a checkpoint could hold.
fn no_plies(folder: &Path) -> StorageFault {
    let message = format!(
        "the states of this game do not tell how many steps were played, so its sweep has no \
         plies to keep in `{}`",
        folder.display()
    );
    let note = "leave `--checkpoint` out, or ask for the odds within `--horizon N` steps";
    StorageFault::refused("no-checkpoint", message, note)
}

/// An expander and the packed root; a group that the root breaks is forgotten first.
fn start(game: &mut Game, options: &Options) -> Result<(Box<dyn Expander>, Vec<u64>), Ended> {
    loop {
        let expander = game.expander(options)?;
        if let Some(root) = expander.pack(&game.net.init) {
            assert_eq!(root.len(), expander.words(), "a packed state is one key");
            return Ok((expander, root));
        }
        let holds = |base: &&BaseId| game.net.init.binary_search(base).is_ok();
        let broken =
            game.guesses.groups.iter().position(|group| group.iter().filter(holds).count() != 1);
        game.forget_group(broken.expect("a state is packed unless it breaks a group"));
    }
}

fn level_tables(game: &Game, expander: &dyn Expander) -> Option<LevelTables> {
    let (weights, offset) = game.guesses.level.as_ref()?;
    LevelTables::new(expander, weights, *offset)
}

/// The expander and the packed root of a game.
///
/// # Errors
/// When the tier that the options force does not fit the game.
pub(crate) fn root(
    game: &mut Game,
    options: &Options,
) -> Result<(Box<dyn Expander>, Vec<u64>), Stop> {
    start(game, options).map_err(|ended| match ended {
        Ended::Stop(stop) => stop,
        Ended::Restart => unreachable!("a start takes guesses back by itself"),
    })
}

/// Visits and checks every reachable state.
///
/// # Errors
/// On a fault of the game, and on a limit.
pub(crate) fn visit(
    game: &mut Game,
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Counts, Stop> {
    loop {
        let (expander, root) = self::root(game, options)?;
        let level = level_tables(game, &*expander);
        let counts = if question.horizon.is_none() && level.is_none() {
            graph::visit(game, expander, &root, watch)
        } else {
            let (reader, disjoint) = (expander.fork(), level.is_some());
            let reduction = Reduction::new(game, &*expander, question, options, (false, false));
            let (fold, threads) = (options.fold, options.threads);
            let manner = Manner { level, reduction, fold, threads };
            layers::on_processor(expander, &root, manner)
                .map_err(|trouble| end(game, &*reader, trouble))
                .and_then(|backend| {
                    let reader = reader.fork();
                    let run = plies::Run { reader, backend, disjoint, horizon: question.horizon };
                    run.visit(game, watch)
                })
        };
        match counts {
            Ok(counts) => return Ok(counts),
            Err(Ended::Restart) => {}
            Err(Ended::Stop(stop)) => return Err(stop),
        }
    }
}

/// Turns trouble into an end; a broken guess is taken back.
fn end(game: &mut Game, expander: &dyn Expander, trouble: Trouble) -> Ended {
    match trouble {
        Trouble::LevelBroken => {
            game.forget_level();
            Ended::Restart
        }
        Trouble::Flaw { kind: FlawKind::GuessBroken(group), .. } => {
            game.forget_group(group);
            Ended::Restart
        }
        trouble => Ended::Stop(stop(game, expander, trouble)),
    }
}

/// Trouble that ends a solve for good.
///
/// # Panics
/// On a broken guess, which restarts it instead.
pub(crate) fn stop(game: &Game, expander: &dyn Expander, trouble: Trouble) -> Stop {
    match trouble {
        Trouble::Flaw { key, kind } => {
            Stop::Faulty(Box::new(game.fault(&expander.unpack(&key), &kind)))
        }
        Trouble::Cycle { keys } => {
            let states: Vec<_> = keys.iter().map(|key| expander.unpack(key)).collect();
            Stop::Faulty(Box::new(game.endless(&states)))
        }
        Trouble::Limit(reason) => {
            let advice = plies::advice(&reason);
            unknown(reason, &advice)
        }
        Trouble::Storage(fault) => fault.stop(),
        Trouble::Stopped(stop) => *stop,
        Trouble::LevelBroken => unreachable!("a broken guess restarts the solve"),
    }
}
