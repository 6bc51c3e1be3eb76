//! Search: the value of one position, depth first and deeper and deeper, without visiting every
//! state.
//!
//! For single positions and for positions too large to solve; where everything fits the sweep is
//! faster. Looks of growing depth ([`deepen`]) share one table, so that each finds the promising
//! moves of the last ones first and never loosens what they found. Every first move is looked at
//! with a full window, so that each shown value is a value. Beside the bounds an estimate may be
//! asked for ([`estimate`]); it reads bounds and never writes any.
//!
//! Always: bounds are sound whenever it stops, and within one run they only get tighter; an exact
//! answer comes from equal bounds only.

mod deepen;
mod estimate;
mod node;
mod opened;
mod stepper;
mod table;
#[cfg(test)]
mod tests;
mod together;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kernel::{Expander, FlawKind};
use verdict::{Counts, Engine, Halt, HaltReason, Question, Stop, Verdict, Watch};

use crate::Options;
use crate::backend::Trouble;
use crate::crew::useful;
use crate::first_moves::{FirstMoves, PairValue};
use crate::game::Game;
use crate::limits::{LONGEST_PLAY, deep_threads};
use crate::sweep::{self, Device, Plan};
use deepen::{Deepening, Looked};
use node::Shared;
use together::Together;

pub use estimate::Evaluator;
pub use stepper::{Opening, Outcome, Pair, Stepped, Stepper};

/// Depth-first expectiminimax.
#[derive(Clone, Debug, Default)]
pub struct Search {
    options: Options,
    /// What states are taken apart on, where it is not this processor.
    device: Option<Arc<dyn Device>>,
}

impl Search {
    /// A search with these options.
    pub fn new(options: Options) -> Self {
        Self { options, device: None }
    }

    /// The same search, which has states taken apart on a device, many at once. Bounds, and the table of
    /// positions, stay with the processor.
    #[must_use]
    pub fn on(self, device: Arc<dyn Device>) -> Self {
        Self { device: Some(device), ..self }
    }

    /// What takes states apart together, where the processor does not.
    fn together(
        &self,
        game: &Game,
        root: &[u64],
        watch: &Watch<'_>,
    ) -> Result<Option<Together>, Stop> {
        let Some(device) = &self.device else { return Ok(None) };
        let stepper = device.stepper(Plan::without_level(game, root)?, watch)?;
        Ok(Some(Together::new(stepper, watch)))
    }
}

impl Engine for Search {
    fn name(&self) -> &str {
        "search"
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        let mut game = Game::new(question, &self.options, watch)?;
        let checked = match self.options.check {
            true => Some(sweep::visit(&mut game, question, &self.options, watch)?),
            false => None,
        };
        // What waits for a device leaves the processors to others.
        let asked = self.options.threads.filter(|_| self.device.is_some());
        let pool = deep_threads(asked.unwrap_or_else(|| useful(self.options.threads)))?;
        loop {
            let (expander, root) = sweep::root(&mut game, &self.options)?;
            let run = Run { game: &game, question, options: &self.options, root };
            let reader = expander.fork();
            let together = self.together(&game, &run.root, watch)?;
            match pool.install(|| run.answer(expander, checked, together, watch)) {
                Err(Trouble::Flaw { kind: FlawKind::GuessBroken(group), .. }) => {
                    game.forget_group(group);
                }
                Err(trouble) => return Err(sweep::stop(&game, &*reader, trouble)),
                Ok(answer) => return answer,
            }
        }
    }
}

struct Run<'a> {
    game: &'a Game,
    question: &'a Question,
    options: &'a Options,
    root: Vec<u64>,
}

impl Run<'_> {
    fn answer(
        &self,
        expander: Box<dyn Expander>,
        checked: Option<Counts>,
        together: Option<Together>,
        watch: &Watch<'_>,
    ) -> Result<Result<Verdict, Stop>, Trouble> {
        let shared = Shared::new(watch, together);
        let reader = expander.fork();
        let found = Deepening::new(self, expander, &shared)?.run()?;
        let mut counts = Counts { stored: shared.table.len() as u64, ..Counts::default() };
        if let Some(checked) = checked {
            (counts.states, counts.decision_states) = (checked.states, checked.decision_states);
            counts.plies = checked.plies;
        }
        let first = self.first_moves(&*reader, &found.looked.pairs);
        match found.reason {
            None => Ok(Ok(self.verdict(&shared, first, found.looked, counts))),
            Some(reason) => Ok(Err(Stop::Halted(Box::new(Halt {
                advice: advice(&reason, self.options),
                reason,
                lower: found.looked.interval.lower,
                upper: found.looked.interval.upper,
                choosers: first.choosers.clone(),
                moves: first.bounded(),
                counts,
                estimate: found.estimate,
            })))),
        }
    }

    fn verdict(
        &self,
        shared: &Shared<'_>,
        first: FirstMoves,
        looked: Looked,
        counts: Counts,
    ) -> Verdict {
        Verdict {
            value: looked.interval.lower,
            choosers: first.choosers.clone(),
            moves: first.exact(),
            cut: shared.cut.load(Ordering::Relaxed),
            simultaneous: shared.simultaneous.load(Ordering::Relaxed),
            checked: self.options.check,
            counts,
        }
    }

    fn first_moves(&self, expander: &dyn Expander, pairs: &[PairValue]) -> FirstMoves {
        if pairs.is_empty() {
            return FirstMoves::none();
        }
        FirstMoves::new(self.game, expander, pairs)
    }
}

fn advice(reason: &HaltReason, options: &Options) -> String {
    match reason {
        HaltReason::Depth if options.depth.is_none_or(|depth| depth >= LONGEST_PLAY) => format!(
            "plays of more than {LONGEST_PLAY} steps are not followed to their end: use `--engine \
             sweep`, or give a `--horizon`"
        ),
        HaltReason::Depth => "leave `--depth` out, or give more of it".to_owned(),
        HaltReason::Time => "give more `--time`, or use the sweep".to_owned(),
        HaltReason::Memory { needed } => {
            format!("give `--memory` more than {} MiB", needed.div_ceil(1 << 20))
        }
        HaltReason::Recurrence => {
            "use `--engine sweep`, which values such games, or give a `--horizon`".to_owned()
        }
        _ => "let it run to the end".to_owned(),
    }
}
