//! A game made ready for a device that holds and works on plies by itself, or takes states apart.
//!
//! Who opens devices stands above this crate and hands one in as a [`Device`]; it is told of the game
//! by a [`Plan`], and makes a backend of it. A device goes by plies alone: a state must determine its
//! ply, so that what is stored of a ply is found once. Games without that are refused here, by
//! name of the device, and never handed to the processor in silence.

use std::fmt::Debug;
use std::sync::Arc;

use kernel::{Casting, PlaneKernel};
use net::{InputId, Net};
use verdict::{Fault, Question, Stop, Verdict, Watch};

use super::{Ended, level_tables, plies, start};
use crate::Options;
use crate::backend::SweepBackend;
use crate::game::Game;
use crate::search::Stepper;

/// What a device needs to know of a game.
pub struct Plan {
    /// The kernel: the code for the device, and the expansion of single states beside it.
    pub kernel: PlaneKernel,
    /// The network.
    pub net: Arc<Net>,
    /// Parts and payments.
    pub casting: Casting,
    /// Chance moves of equal effect, by chance role.
    pub classes: Vec<Vec<Vec<InputId>>>,
    /// The guess that a state determines its ply, to be checked on every state: tables whose sum,
    /// with `level_offset`, is the number of steps from the root.
    pub level: Vec<LevelChunk>,
    /// What is added to the sum.
    pub level_offset: i64,
    /// The key of the state asked about.
    pub root: Vec<u64>,
}

impl Plan {
    /// A game in which nobody asks for the ply of a state.
    ///
    /// # Errors
    /// When the game has too many joint moves.
    pub(crate) fn without_level(game: &Game, root: &[u64]) -> Result<Self, Stop> {
        Ok(Self {
            kernel: game.kernel()?,
            net: Arc::clone(&game.net),
            casting: game.casting.clone(),
            classes: game.classes.clone(),
            level: Vec::new(),
            level_offset: 0,
            root: root.to_vec(),
        })
    }
}

/// What neighbouring bits of a key add to the level, for all their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelChunk {
    /// The first bit.
    pub first_bit: usize,
    /// Number of bits; at most 16.
    pub bits: usize,
    /// An entry for each value.
    pub table: Vec<i32>,
}

/// Something that plies can live on, or that takes states apart for a search.
pub trait Device: Debug + Send + Sync {
    /// The name under which it is chosen, such as `gpu`.
    fn name(&self) -> &'static str;
    /// A backend that holds the root of a game.
    ///
    /// # Errors
    /// When the device fails, or does not do games of this kind.
    fn begin(&self, plan: Plan, watch: &Watch<'_>) -> Result<Box<dyn SweepBackend>, Stop>;
    /// What takes states of a game apart, many at once; the plan's level is not read.
    ///
    /// # Errors
    /// When the device fails.
    fn stepper(&self, plan: Plan, watch: &Watch<'_>) -> Result<Box<dyn Stepper>, Stop>;
}

/// Answers on a device.
pub(super) fn judge(
    device: &dyn Device,
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Verdict, Stop> {
    let mut game = Game::new(question, options, watch)?;
    loop {
        match attempt(device, &mut game, question, options, watch) {
            Ok(verdict) => return Ok(verdict),
            Err(Ended::Restart) => {}
            Err(Ended::Stop(stop)) => return Err(stop),
        }
    }
}

fn attempt(
    device: &dyn Device,
    game: &mut Game,
    question: &Question,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Verdict, Ended> {
    let (reader, root) = start(game, options)?;
    let Some(level) = level_tables(game, &*reader) else {
        return Err(Ended::Stop(no_plies(device.name())));
    };
    if level.level(&root) != 0 {
        game.forget_level();
        return Err(Ended::Restart);
    }
    let (level, level_offset) = level.parts();
    let plan = Plan { level, level_offset, ..Plan::without_level(game, &root)? };
    let backend = device.begin(plan, watch)?;
    let run = plies::Run { reader, backend, disjoint: true, horizon: question.horizon };
    run.solve(game, options, watch)
}

/// A game whose states do not tell how many steps were played.
fn no_plies(device: &str) -> Stop {
    refused(
        "device-no-plies",
        format!(
            "the states of this game do not tell how many steps were played, and `--backend \
             {device}` sweeps by plies alone"
        ),
    )
}

/// A game whose chance moves have no common denominator.
pub(super) fn no_denominator(device: &str) -> Stop {
    refused(
        "device-denominator",
        format!(
            "states of one ply have so many different numbers of chance moves that their common \
             denominator exceeds 128 bits, which `--backend {device}` does not do"
        ),
    )
}

fn refused(code: &'static str, message: String) -> Stop {
    Stop::Faulty(Box::new(Fault {
        code,
        message,
        states: Vec::new(),
        span: None,
        notes: vec!["`--backend cpu` answers, and `--backend auto` chooses by itself".to_owned()],
    }))
}
