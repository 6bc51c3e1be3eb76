//! What `cargo xtask corpus` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use crate::report::Failure;

const USAGE: &str = "Use `cargo xtask corpus DIR [--sample N] [--seed S] [--jobs J] [--time SECONDS] \
                     [--memory SIZE] [--out FILE]`.";

/// The flags, by name, with their defaults in [`Options::of_folder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// Where the sheets lie.
    pub(super) folder: PathBuf,
    /// How many sheets to draw; all where none is given.
    pub(super) sample: Option<usize>,
    /// Seed of the sample.
    pub(super) seed: u64,
    /// Sheets at a time.
    pub(super) jobs: usize,
    /// Time for compiling a sheet.
    pub(super) time: Duration,
    /// Memory for a sheet, as `oddsmith --memory` takes it.
    pub(super) memory: String,
    /// Where the page goes; standard output where none is given.
    pub(super) out: Option<PathBuf>,
}

impl Options {
    /// Every sheet of a folder, one at a time for each processor.
    pub(super) fn of_folder(folder: PathBuf) -> Self {
        Self {
            folder,
            sample: None,
            seed: 1,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            time: Duration::from_secs(20),
            memory: "4GiB".into(),
            out: None,
        }
    }
}

/// Reads the arguments.
pub(super) fn parse(arguments: &[String]) -> Result<Options, Failure> {
    let mut options = Options::of_folder(PathBuf::new());
    let mut folder = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if let Some(flag) = argument.strip_prefix("--") {
            let value = rest.next().ok_or_else(|| wrong(format!("`--{flag}` needs a value.")))?;
            set(&mut options, flag, value)?;
        } else if folder.replace(argument).is_some() {
            return Err(wrong(format!("`{argument}` is a second folder.")));
        }
    }
    let folder = folder.ok_or_else(|| wrong("the folder of the sheets is missing.".into()))?;
    Ok(Options { folder: folder.into(), ..options })
}

fn set(options: &mut Options, flag: &str, value: &str) -> Result<(), Failure> {
    match flag {
        "sample" => options.sample = Some(number(flag, value)?),
        "seed" => options.seed = number(flag, value)?,
        "jobs" => options.jobs = number::<usize>(flag, value)?.max(1),
        "time" => {
            let seconds = number(flag, value.strip_suffix('s').unwrap_or(value))?;
            options.time = Duration::from_secs(seconds);
        }
        "memory" => options.memory = value.to_owned(),
        "out" => options.out = Some(value.into()),
        other => return Err(wrong(format!("`corpus` does not know `--{other}`."))),
    }
    Ok(())
}

fn number<T: std::str::FromStr>(flag: &str, value: &str) -> Result<T, Failure> {
    value.parse().map_err(|_| wrong(format!("`--{flag}` takes a whole number, not `{value}`.")))
}

fn wrong(what: String) -> Failure {
    Failure::usage(what, USAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Options, Failure> {
        parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn flags_stand_before_or_after_the_folder() {
        let options = parsed("--sample 60 sheets --seed 3 --jobs 0 --time 5s").expect("right");
        assert_eq!((options.sample, options.seed, options.jobs), (Some(60), 3, 1));
        assert_eq!((options.folder, options.time), ("sheets".into(), Duration::from_secs(5)));
    }

    #[test]
    fn what_is_missing_or_unknown_is_told() {
        for text in ["", "a b", "a --sample", "a --sample x", "a --fast 1"] {
            let failure = parsed(text).expect_err(text);
            assert!(failure.code == 2 && failure.remedy.contains("corpus DIR"), "{text}");
        }
    }
}
