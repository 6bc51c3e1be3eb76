//! Which engines there are, by name, what each is told, and which flags fit which.

use std::time::Instant;

use crosscheck::reference::Reference;
use judge::Symbolic;
use solve::{Options, Search, Storage, Sweep, Tier};
use verdict::{Engine, Question, Stop, Verdict, Watch};

use crate::args::{
    BackendName, CrosscheckArgs, DiskArgs, EngineArgs, EngineName, EvaluatorName, LimitArgs,
    PlacementName, PlayersArg, SheetArgs, SolveArgs,
};
use crate::audit::{self, Audited};
use crate::child::{self, Clingo};
use crate::failure::Failure;
use crate::gpu::{self, Used};
use crate::kept::{self, Making};

/// Refuses flags that do not fit each other, and what this build cannot do.
pub(crate) fn check(args: &SolveArgs) -> Result<(), Failure> {
    refuse_misfits(&args.engine)?;
    if args.audit && args.engine.name() == EngineName::Reference {
        let message = "--audit cannot be used here: the reference evaluates the rules themselves";
        return Err(Failure::input("usage", message));
    }
    let disk = &args.disk;
    let given =
        [("--checkpoint", &disk.checkpoint), ("--spill", &disk.spill), ("--table", &disk.table)];
    let given = given.iter().find(|(_, folder)| folder.is_some());
    if let Some((flag, _)) = given.filter(|_| args.engine.name() != EngineName::Sweep) {
        let message = format!("{flag} cannot be used here: it needs --engine sweep");
        return Err(Failure::input("usage", message));
    }
    kept::check(disk)?;
    refuse_beside_device(args)?;
    gpu::check(args)?;
    audit::check(args.audit)
}

/// What a graphics device does not do is refused, and not done by the processor in silence.
fn refuse_beside_device(args: &SolveArgs) -> Result<(), Failure> {
    let (engine, disk) = (&args.engine, &args.disk);
    if engine.backend == BackendName::Cpu {
        let flags = [
            ("--device", engine.device.is_some()),
            ("--profile", args.profile),
            ("--stream", engine.stream.is_some()),
        ];
        return refuse_given(&flags, "--backend gpu");
    }
    let does = matches!(engine.name(), EngineName::Sweep | EngineName::Search);
    if !does || args.players == PlayersArg::Each {
        let message = "--backend cannot be used here: a graphics device does --engine sweep and \
                       --engine search, all against one";
        return Err(Failure::input("usage", message));
    }
    let flags = [
        ("--checkpoint", disk.checkpoint.is_some()),
        ("--spill", disk.spill.is_some()),
        ("--table", disk.table.is_some()),
        ("--approximate", engine.approximate),
        ("--width", engine.width.is_some()),
        ("--no-fold", engine.no_fold),
        ("--tier", engine.tier.is_some()),
        ("--explain", args.explain),
        // The sweep checks on the way; for a search, the processor would sweep instead.
        ("--check", engine.check && engine.name() == EngineName::Search),
    ];
    let streams = engine.stream.is_some() && engine.name() == EngineName::Search;
    refuse_given(&[("--stream", streams)], "--engine sweep")?;
    refuse_given(&flags, "--backend cpu")
}

fn refuse_given(flags: &[(&str, bool)], needed: &str) -> Result<(), Failure> {
    match flags.iter().find(|flag| flag.1) {
        Some((flag, _)) => {
            let message = format!("{flag} cannot be used here: it needs {needed}");
            Err(Failure::input("usage", message))
        }
        None => Ok(()),
    }
}

/// The engine with its defaults, for a sheet.
pub(crate) fn standard(sheet: &SheetArgs) -> Box<dyn Engine> {
    let args = EngineArgs::default();
    named(args.name(), options(&args, sheet), PlacementName::default())
}

/// The engine that the flags ask for, the audits that it does on the way, and the device that it
/// uses.
pub(crate) fn choose(
    args: &SolveArgs,
    begun: Instant,
    making: &Making,
) -> Result<(Box<dyn Engine>, Audited, Used), Failure> {
    let options = options(&args.engine, &args.sheet);
    let placement = args.engine.placement.unwrap_or_default();
    let audited = Audited::default();
    if args.audit && args.engine.name() == EngineName::Symbolic {
        let grounder = Clingo { limit: options.ground_limit };
        return Ok((audited.watched(grounder, placement, args, begun), audited, Used::default()));
    }
    if args.engine.name() == EngineName::Sweep {
        let sweep = Sweep::new(options).with_storage(storage(&args.disk, &args.limits, making));
        let (engine, used) = gpu::engine(args, sweep)?;
        return Ok((engine, audited, used));
    }
    if args.engine.name() == EngineName::Search {
        let (engine, used) = gpu::engine(args, Search::new(options))?;
        return Ok((engine, audited, used));
    }
    Ok((named(args.engine.name(), options, placement), audited, Used::default()))
}

/// Where a sweep keeps what leaves memory: only a memory limit makes it leave.
fn storage(disk: &DiskArgs, limits: &LimitArgs, making: &Making) -> Storage {
    let usual = || disk.checkpoint.clone().unwrap_or_else(std::env::temp_dir);
    Storage {
        checkpoint: disk.checkpoint.clone(),
        resume: disk.resume,
        table: making.whole(),
        unwritten: making.unwritten(),
        spill: limits.memory.map(|_| disk.spill.clone().unwrap_or_else(usual)),
        pace: disk.checkpoint_pace.unwrap_or(Storage::default().pace),
    }
}

/// All engines with the same options, the plainest first.
pub(crate) fn all(sheet: &SheetArgs) -> Vec<Box<dyn Engine>> {
    let options = options(&EngineArgs::default(), sheet);
    let names = [EngineName::Reference, EngineName::Search, EngineName::Sweep];
    let mut engines: Vec<Box<dyn Engine>> =
        names.into_iter().map(|name| named(name, options, PlacementName::default())).collect();
    if child::HAS_CLINGO {
        for placement in [PlacementName::Dependency, PlacementName::Baseline] {
            engines.push(named(EngineName::Symbolic, options, placement));
        }
    }
    engines
}

/// All engines that can be asked here, those on a graphics device last.
pub(crate) fn roster(args: &CrosscheckArgs) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let mut engines = all(&args.sheet);
    add_device(args, &mut engines)?;
    Ok(engines)
}

fn add_device(args: &CrosscheckArgs, engines: &mut Vec<Box<dyn Engine>>) -> Result<(), Failure> {
    let options = options(&EngineArgs::default(), &args.sheet);
    engines.extend(gpu::compared(Search::new(options), Sweep::new(options), args.gpu)?);
    Ok(())
}

/// The roster, and the sweep again by tables alone, with states that wait for chance kept, and by
/// positions without their clock.
pub(crate) fn variants(args: &CrosscheckArgs) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let options = options(&EngineArgs::default(), &args.sheet);
    let mut engines = all(&args.sheet);
    let tables = Options { tier: Tier::Table, ..options };
    let kept = Options { fold: false, ..options };
    for (name, options) in [("sweep by tables", tables), ("sweep, nothing folded", kept)] {
        engines.push(Box::new(Named { name, engine: Sweep::new(options) }));
    }
    let clock = Options { tier: Tier::Clock, ..options };
    engines.push(Box::new(Named { name: "sweep by clock", engine: ByClock(Sweep::new(clock)) }));
    add_device(args, &mut engines)?;
    Ok(engines)
}

/// A sweep by a tier that does not do every game: where it does not, it has found nothing of it.
struct ByClock(Sweep);

impl Engine for ByClock {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        match self.0.judge(question, watch) {
            Err(Stop::Faulty(fault)) if fault.code == "tier" => {
                Err(Stop::Environment(fault.message))
            }
            judged => judged,
        }
    }
}

/// An engine under another name, since a report tells engines apart by their names.
struct Named<E> {
    name: &'static str,
    engine: E,
}

impl<E: Engine> Engine for Named<E> {
    fn name(&self) -> &str {
        self.name
    }

    fn judge(&self, question: &Question, watch: &Watch<'_>) -> Result<Verdict, Stop> {
        self.engine.judge(question, watch)
    }
}

/// What the compiled engines are told.
pub(crate) fn options(args: &EngineArgs, sheet: &SheetArgs) -> Options {
    let standard = Options::default();
    Options {
        ground_limit: sheet
            .ground_limit
            .map_or(standard.ground_limit, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        approximate: args.approximate,
        fold: !args.no_fold,
        symmetry: !args.no_symmetry,
        apart: standard.apart,
        width: args.width,
        tier: args.tier.map_or(standard.tier, Into::into),
        depth: args.depth,
        evaluate: args.evaluate.map(Into::into),
        seed: args.seed.unwrap_or(standard.seed),
        threads: args.threads.map(usize::from),
        check: args.check,
    }
}

fn named(name: EngineName, options: Options, placement: PlacementName) -> Box<dyn Engine> {
    match name {
        EngineName::Sweep => Box::new(Sweep::new(options)),
        EngineName::Search => Box::new(Search::new(options)),
        EngineName::Reference => Box::new(Reference),
        EngineName::Symbolic => {
            let grounder = Clingo { limit: options.ground_limit };
            Box::new(Symbolic::new(grounder, placement.into()))
        }
    }
}

/// Flags that the chosen engine cannot honour are refused, never ignored.
fn refuse_misfits(args: &EngineArgs) -> Result<(), Failure> {
    let engine = args.name();
    let misfits = [
        (args.depth.is_some() && engine != EngineName::Search, "--depth", "--engine search"),
        (args.evaluate.is_some() && engine != EngineName::Search, "--evaluate", "--engine search"),
        (
            args.seed.is_some() && args.evaluate != Some(EvaluatorName::Rollout),
            "--seed",
            "--evaluate rollout",
        ),
        (args.approximate && engine != EngineName::Sweep, "--approximate", "--engine sweep"),
        (args.width.is_some() && engine != EngineName::Sweep, "--width", "--engine sweep"),
        (args.no_fold && engine != EngineName::Sweep, "--no-fold", "--engine sweep"),
        (
            args.threads.is_some() && ![EngineName::Sweep, EngineName::Search].contains(&engine),
            "--threads",
            "--engine sweep or --engine search",
        ),
        (args.no_symmetry && engine != EngineName::Sweep, "--no-symmetry", "--engine sweep"),
        (args.tier.is_some() && engine != EngineName::Sweep, "--tier", "--engine sweep"),
        (
            args.placement.is_some() && engine != EngineName::Symbolic,
            "--placement",
            "--engine symbolic",
        ),
        (args.check && engine == EngineName::Symbolic, "--check", "an engine that visits states"),
        (args.depth.is_some() && args.check, "--depth", "a solve without --check"),
    ];
    match misfits.into_iter().find(|misfit| misfit.0) {
        None => Ok(()),
        Some((_, flag, needed)) => {
            let message = format!("{flag} cannot be used here: it needs {needed}");
            Err(Failure::input("usage", message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_an_engine_cannot_honour_are_refused() {
        let with =
            |engine, depth| EngineArgs { engine: Some(engine), depth, ..EngineArgs::default() };
        assert!(refuse_misfits(&with(EngineName::Search, Some(4))).is_ok());
        assert!(refuse_misfits(&with(EngineName::Sweep, Some(4))).is_err());
        let rough = EngineArgs { approximate: true, ..with(EngineName::Search, None) };
        assert!(refuse_misfits(&rough).is_err());
        let guess = |engine, evaluate| EngineArgs {
            evaluate: Some(evaluate),
            seed: Some(7),
            ..with(engine, None)
        };
        assert!(refuse_misfits(&guess(EngineName::Search, EvaluatorName::Rollout)).is_ok());
        assert!(refuse_misfits(&guess(EngineName::Search, EvaluatorName::Goal)).is_err());
        assert!(refuse_misfits(&guess(EngineName::Sweep, EvaluatorName::Rollout)).is_err());
    }

    #[test]
    fn every_engine_answers_to_its_own_name() {
        let names: Vec<String> =
            all(&SheetArgs::default()).iter().map(|engine| engine.name().to_owned()).collect();
        assert_eq!(names[..3], ["reference", "search", "sweep"]);
        let symbolic: &[&str] =
            if child::HAS_CLINGO { &["symbolic", "symbolic-baseline"] } else { &[] };
        assert_eq!(names[3..], *symbolic);
    }
}
