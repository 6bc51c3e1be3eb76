//! Stable models by clingo itself, for audits: a program is read and solved as it stands, without
//! the observer that the clauses are made from.
//!
//! Where there are few choices all their assignments are tried. Else a sample is drawn, always the
//! same for a seed: choices of stable models that random decisions lead to, each of these with one
//! atom changed, and choices tossed atom by atom. Cost: a solve under assumptions for each.

use std::ffi::CString;
use std::ptr;

use clingo_sys as sys;
use qcnf::random::Dice;
use rustc_hash::FxHashMap;

use super::{Control, IN_CLINGO, Log, done, nothing_null};
use crate::ground::{Clingo, GroundError, Sample, Samples, Sampling};

/// Models of one assignment, at most.
const MODELS_LIMIT: usize = 16;

impl Clingo {
    /// The stable models under assignments of some atoms of a program; threads wait for each
    /// other.
    ///
    /// # Errors
    /// Faults of the program, among them a choice that is no atom of it.
    pub fn samples(program: &str, sampling: &Sampling) -> Result<Samples, GroundError> {
        let text = nothing_null(program)?;
        let _alone = IN_CLINGO.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut log = Log::default();
        let drawn = draw(&text, sampling, &mut log);
        drawn.map_err(|error| log.failure(error))
    }
}

fn draw(text: &CString, sampling: &Sampling, log: &mut Log) -> Result<Samples, String> {
    let seed = sampling.seed % (1 << 31);
    let options = ["--sign-def=rnd", "--rand-freq=1", "--save-progress=0"];
    let options = options.map(str::to_owned).into_iter().chain([format!("--seed={seed}")]);
    let control = Control::with(&options.collect::<Vec<_>>(), log)?;
    control.ground(text)?;
    let symbols = control.symbols()?;
    let table: FxHashMap<&str, i32> =
        symbols.iter().map(|(text, literal)| (text.as_str(), *literal)).collect();
    let literal = |choice: &String| match table.get(choice.as_str()) {
        Some(literal) if *literal != 0 => Ok(*literal),
        _ => Err(format!("`{choice}` is no atom that can be chosen")),
    };
    let choices: Vec<i32> = sampling.choices.iter().map(literal).collect::<Result<_, _>>()?;
    let literals: Vec<i32> = symbols.iter().map(|(_, literal)| *literal).collect();
    let mut solver = Sampler { control: &control, choices, literals, samples: Vec::new() };
    solver.draw(sampling)?;
    let samples = solver.samples;
    Ok(Samples { symbols: symbols.into_iter().map(|(text, _)| text).collect(), samples })
}

struct Sampler<'c> {
    control: &'c Control,
    /// The literal of each choice.
    choices: Vec<i32>,
    /// The literal of each symbol; 0 for facts.
    literals: Vec<i32>,
    samples: Vec<Sample>,
}

impl Sampler<'_> {
    fn draw(&mut self, sampling: &Sampling) -> Result<(), String> {
        if let Some(all) = sampling.all() {
            return (0..all).try_for_each(|bits| {
                self.take((0..self.choices.len()).map(|at| bits >> at & 1 == 1).collect())
            });
        }
        let dice = &mut Dice::new(sampling.seed);
        for turn in 0..sampling.most {
            let drawn = if turn % 3 == 2 { None } else { self.chosen()? };
            let mut given =
                drawn.unwrap_or_else(|| self.choices.iter().map(|_| dice.below(2) == 1).collect());
            if turn % 3 == 1 {
                let changed = dice.below(given.len());
                given[changed] = !given[changed];
            }
            if self.samples.iter().all(|sample| sample.given != given) {
                self.take(given)?;
            }
        }
        Ok(())
    }

    /// The choices of some stable model.
    fn chosen(&self) -> Result<Option<Vec<bool>>, String> {
        let models = self.control.models(&[], 1, &self.choices)?;
        Ok(models.into_iter().next())
    }

    fn take(&mut self, given: Vec<bool>) -> Result<(), String> {
        let assumed = self.choices.iter().zip(&given);
        let assumed: Vec<i32> =
            assumed.map(|(lit, holds)| if *holds { *lit } else { -lit }).collect();
        let mut models = self.control.models(&assumed, MODELS_LIMIT + 1, &self.literals)?;
        let whole = models.len() <= MODELS_LIMIT;
        models.truncate(MODELS_LIMIT);
        let places = |model: &Vec<bool>| -> Vec<u32> {
            (0u32..).zip(model).filter(|(_, holds)| **holds).map(|(at, _)| at).collect()
        };
        let models = models.iter().map(places).collect();
        self.samples.push(Sample { given, models, whole });
        Ok(())
    }
}

impl Control {
    /// Up to so many stable models under assumptions: whether each of the literals holds, 0 for
    /// one that always does.
    fn models(&self, given: &[i32], most: usize, shown: &[i32]) -> Result<Vec<Vec<bool>>, String> {
        let mut handle = ptr::null_mut();
        let mode = sys::clingo_solve_mode_e_clingo_solve_mode_yield;
        // SAFETY: the assumptions are a pointer with its length; no function is called back; the
        // handle is closed below, whatever happens in between.
        unsafe {
            done(sys::clingo_control_solve(
                self.0,
                mode,
                given.as_ptr(),
                given.len(),
                None,
                ptr::null_mut(),
                &raw mut handle,
            ))?;
        }
        let found = next_models(handle, most, shown);
        // SAFETY: the handle is open and is not used after this.
        let closed = done(unsafe { sys::clingo_solve_handle_close(handle) });
        found.and_then(|models| closed.map(|()| models))
    }
}

fn next_models(
    handle: *mut sys::clingo_solve_handle_t,
    most: usize,
    shown: &[i32],
) -> Result<Vec<Vec<bool>>, String> {
    let mut models = Vec::new();
    while models.len() < most {
        let mut model = ptr::null();
        // SAFETY: the handle is open; the model is null after the last one.
        unsafe {
            done(sys::clingo_solve_handle_resume(handle))?;
            done(sys::clingo_solve_handle_model(handle, &raw mut model))?;
        }
        if model.is_null() {
            break;
        }
        let holds = |literal: &i32| {
            let mut value = true;
            if *literal != 0 {
                // SAFETY: the model lives until the search is resumed.
                done(unsafe { sys::clingo_model_is_true(model, *literal, &raw mut value) })?;
            }
            Ok(value)
        };
        models.push(shown.iter().map(holds).collect::<Result<_, String>>()?);
    }
    Ok(models)
}
