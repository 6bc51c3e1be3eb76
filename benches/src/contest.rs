//! Contenders for one answer, run in turns, and what each of them cost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use exact::Ratio;

use crate::measure::{Cores, Run, median, run};
use crate::record::Page;

/// Programs and files of a bench run.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The root of the checkout.
    pub(crate) root: PathBuf,
    /// Where sheets are made; removed at the end.
    pub(crate) scratch: PathBuf,
    /// The `oddsmith` that is measured.
    pub(crate) oddsmith: PathBuf,
    /// One with the symbolic engine, which makes programs ground.
    pub(crate) symbolic: PathBuf,
    /// One that opens graphics devices.
    pub(crate) gpu: PathBuf,
    /// A folder of public formulas, where one is named.
    pub(crate) formulas: Option<PathBuf>,
    /// Turns of each contender.
    pub(crate) turns: usize,
    /// Whether only a small part is run, to see that it runs; nothing is recorded then.
    pub(crate) quick: bool,
}

/// A program that answers, and how its answer is read from its output.
pub(crate) struct Contender {
    /// Its row in the record.
    pub(crate) name: String,
    /// The command.
    pub(crate) words: Vec<String>,
    /// The value, as a fraction in lowest terms, from what it printed.
    pub(crate) value: fn(&str) -> Option<String>,
    /// At most so many turns: 1 for one that takes minutes.
    pub(crate) turns: usize,
}

/// What a contender cost.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// Its row in the record.
    pub(crate) name: String,
    /// Median of user and system time.
    pub(crate) cpu: Duration,
    /// Median of the wall-clock time.
    pub(crate) wall: Duration,
    /// Median of the largest resident size.
    pub(crate) peak_bytes: u64,
    /// How often it ran.
    pub(crate) turns: usize,
    /// What it printed last.
    pub(crate) output: String,
}

impl Setup {
    /// Makes a sheet of a family: `oddsmith generate WORDS`.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn sheet(&self, words: &str) -> Result<PathBuf, String> {
        let name = words.replace([' ', '/'], "-").replace("--", "");
        let path = self.scratch.join(format!("{name}.gdl"));
        let mut command = std::process::Command::new(&self.oddsmith);
        let output = command.arg("generate").args(words.split(' ')).output();
        let output = output.map_err(|error| format!("oddsmith could not be started: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("`oddsmith generate {words}` failed: {said}"));
        }
        std::fs::write(&path, output.stdout).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// A sheet by name: one of the folder of public sheets where that is given; else one of
    /// `games`, or the words of a family.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn game(&self, name: &str, public: Option<&Path>) -> Result<PathBuf, String> {
        match public {
            Some(folder) => Ok(folder.join(name)),
            None if name.contains(' ') => self.sheet(name),
            None => Ok(self.root.join(format!("games/{name}.gdl"))),
        }
    }

    /// The folder of public sheets, where it is here.
    pub(crate) fn corpus(&self) -> Option<PathBuf> {
        let named = std::env::var_os("ODDSMITH_SHARED").map(PathBuf::from);
        let folder = named.unwrap_or_else(|| self.root.join("../shared")).join("corpus");
        folder.is_dir().then_some(folder)
    }

    /// A table over our own sheets, and one over public sheets where their folder is here.
    ///
    /// # Errors
    /// Where a sheet cannot be made, or a row fails.
    pub(crate) fn own_and_public<T>(
        &self,
        page: &mut Page,
        head: &[&str],
        [own, public]: [&[T]; 2],
        row: impl Fn(&Self, &T, Option<&Path>) -> Result<Vec<String>, String>,
    ) -> Result<(), String> {
        let rows =
            |sheets: &[T], folder| sheets.iter().map(|sheet| row(self, sheet, folder)).collect();
        let own: Result<Vec<_>, String> = rows(own, None);
        page.table(head, &own?);
        let Some(folder) = self.corpus() else {
            page.say("The public sheets were left out: their folder is not here.");
            return Ok(());
        };
        let public: Result<Vec<_>, String> = rows(public, Some(&folder));
        page.say("Public sheets:");
        page.table(head, &public?);
        Ok(())
    }

    /// `oddsmith solve` on a sheet.
    pub(crate) fn solver(&self, sheet: &Path) -> Contender {
        let words = [self.oddsmith.display().to_string(), "solve".into()];
        let more = [sheet.display().to_string(), "--json".into(), "--quiet".into()];
        Contender {
            name: "oddsmith".into(),
            words: words.into_iter().chain(more).collect(),
            value: json_value,
            turns: self.turns,
        }
    }

    /// A baseline of this program: `benches WORDS`.
    ///
    /// # Errors
    /// Where this program does not know where it lies.
    pub(crate) fn own(&self, name: &str, words: &[&str]) -> Result<Contender, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut all = vec![program.display().to_string()];
        all.extend(words.iter().map(|word| (*word).to_owned()));
        Ok(Contender { name: name.into(), words: all, value: first_word, turns: self.turns })
    }

    /// The Prolog baseline on a sheet; none where there is no SWI-Prolog.
    ///
    /// # Errors
    /// Where the sheet cannot be translated.
    pub(crate) fn prolog(&self, sheet: &Path, turns: usize) -> Result<Option<Contender>, String> {
        let probe = std::process::Command::new("swipl").arg("--version").output();
        if !probe.is_ok_and(|output| output.status.success()) {
            return Ok(None);
        }
        let bytes = std::fs::read(sheet).map_err(|error| error.to_string())?;
        let source = gdl::Source::from_bytes("sheet", &bytes).map_err(|fault| fault.message)?;
        let reading = gdl::read(source, &gdl::ReadOptions::default());
        let book = reading.rulebook.ok_or("the sheet is refused")?;
        let clauses = sheet.with_extension("pl");
        std::fs::write(&clauses, crate::prolog::translate(&book))
            .map_err(|error| error.to_string())?;
        let solver = self.root.join("benches/prolog/expectiminimax.pl").display().to_string();
        let words = ["swipl".into(), "-O".into(), solver, "--".into()];
        let more = [clauses.display().to_string(), "x".to_owned()];
        Ok(Some(Contender {
            name: "Prolog, expectiminimax with a table".into(),
            words: words.into_iter().chain(more).collect(),
            value: first_word,
            turns,
        }))
    }
}

/// The first word: the baselines print `VALUE COUNT`.
fn first_word(output: &str) -> Option<String> {
    output.split_whitespace().next().map(str::to_owned)
}

/// The field `value` of `solve --json`; whole numbers as `n/1`.
pub(crate) fn json_value(output: &str) -> Option<String> {
    let object: serde_json::Value = serde_json::from_str(output).ok()?;
    let value = object.get("value")?.as_str()?;
    Some(if value.contains('/') { value.to_owned() } else { format!("{value}/1") })
}

/// The fields `lower` and `upper` of `solve --json`.
pub(crate) fn json_bounds(output: &str) -> Option<(Ratio, Ratio)> {
    let object: serde_json::Value = serde_json::from_str(output).ok()?;
    let bound = |name: &str| object.get(name)?.as_str()?.parse::<Ratio>().ok();
    bound("lower").zip(bound("upper"))
}

/// Runs the contenders in turns, so that what else the machine does falls on all of them alike.
///
/// # Errors
/// Where one fails, or gives another answer than `value`.
pub(crate) fn contest(contenders: &[Contender], value: &str) -> Result<Vec<Cost>, String> {
    in_turns(contenders, Some(value.to_owned()), Cores::One)
}

/// The same with all cores.
///
/// # Errors
/// Where one fails, or gives another answer than `value`.
pub(crate) fn on_all_cores(contenders: &[Contender], value: &str) -> Result<Vec<Cost>, String> {
    in_turns(contenders, Some(value.to_owned()), Cores::All)
}

/// The same where the value is known from nowhere else: all must answer as the first does.
///
/// # Errors
/// Where one fails, or gives another answer than the first, or none.
pub(crate) fn alike(contenders: &[Contender], cores: Cores) -> Result<Vec<Cost>, String> {
    in_turns(contenders, None, cores)
}

impl Contender {
    /// Compares what was printed with the value; where none is known yet, it becomes that.
    fn hold_to(&self, output: &str, value: &mut Option<String>) -> Result<(), String> {
        let answer = (self.value)(output).ok_or_else(|| format!("{} has no answer", self.name))?;
        let value = value.get_or_insert_with(|| answer.clone());
        match answer == *value {
            true => Ok(()),
            false => Err(format!("{} answers {answer:?}, not {value}", self.name)),
        }
    }
}

fn in_turns(
    contenders: &[Contender],
    mut value: Option<String>,
    cores: Cores,
) -> Result<Vec<Cost>, String> {
    let mut runs: Vec<Vec<Run>> = contenders.iter().map(|_| Vec::new()).collect();
    let turns = contenders.iter().map(|contender| contender.turns).max().unwrap_or(0);
    for turn in 0..turns {
        for (contender, runs) in contenders.iter().zip(&mut runs) {
            if turn < contender.turns {
                let run = run(&contender.words, cores)?;
                contender.hold_to(&run.output, &mut value)?;
                runs.push(run);
            }
        }
    }
    Ok(contenders.iter().zip(runs).map(|(contender, runs)| cost(&contender.name, runs)).collect())
}

fn cost(name: &str, mut runs: Vec<Run>) -> Cost {
    assert!(!runs.is_empty(), "every contender has a turn");
    Cost {
        name: name.to_owned(),
        cpu: median(runs.iter().map(|run| run.cpu)),
        wall: median(runs.iter().map(|run| run.wall)),
        peak_bytes: median(runs.iter().map(|run| run.peak_bytes)),
        turns: runs.len(),
        output: runs.pop().map(|run| run.output).unwrap_or_default(),
    }
}

/// A field of `solve --json` that is a whole number.
pub(crate) fn json_number(output: &str, field: &str) -> Option<u64> {
    serde_json::from_str::<serde_json::Value>(output).ok()?.get(field)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::{Contender, contest, json_number, json_value};

    #[test]
    fn values_are_read_from_json() {
        assert_eq!(json_value("{\"value\": \"1/2\"}").unwrap(), "1/2");
        assert_eq!(json_value("{\"value\": \"1\"}").unwrap(), "1/1");
        assert_eq!(json_value("{\"value\": null}"), None);
        assert_eq!(json_number("{\"states\": 12}", "states"), Some(12));
    }

    #[test]
    fn whoever_answers_otherwise_is_told() {
        let named = |name: &str| Contender {
            name: name.to_owned(),
            words: Vec::new(),
            value: |output| Some(output.trim().to_owned()).filter(|text| text != "nothing"),
            turns: 1,
        };
        let mut value = None;
        assert_eq!(named("a").hold_to("1/2\n", &mut value), Ok(()));
        assert_eq!(value.as_deref(), Some("1/2"), "the first answer is the measure of others");
        assert_eq!(named("b").hold_to("1/2", &mut value), Ok(()));
        let other = named("c").hold_to("1/3", &mut value);
        assert_eq!(other, Err("c answers \"1/3\", not 1/2".to_owned()));
        assert_eq!(named("d").hold_to("nothing", &mut value), Err("d has no answer".to_owned()));
        assert!(named("e").hold_to("1/2", &mut Some("1/3".to_owned())).is_err());
    }

    #[test]
    fn no_contender_is_a_finished_contest() {
        assert!(contest(&[] as &[Contender], "1/2").unwrap().is_empty());
    }
}
