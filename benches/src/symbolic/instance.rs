//! A game with a question: its sheet, its value by the sweep, and its formulas.
//!
//! The value is the sweep's, an engine that shares nothing with the symbolic one but the reader of
//! sheets; where other programs computed it as well (`tests/data/values.json`), both must agree
//! before anything is measured. The solver of formulas must then give the same.

use std::path::PathBuf;

use serde_json::Value;

use crate::contest::{Setup, json_value};
use crate::measure::{Cores, Run, run};

/// A question about a game of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// What `oddsmith generate` takes.
    pub(crate) words: &'static str,
    /// The role asked about.
    pub(crate) role: &'static str,
    /// Whether the other role plays at random.
    pub(crate) random: bool,
    /// Steps after which every play is over.
    pub(crate) horizon: u32,
}

/// Where a formula binds variables that others define.
pub(crate) const PLACEMENTS: [&str; 2] = ["dependency", "baseline"];

impl Instance {
    /// The words of the question.
    pub(crate) fn question(&self) -> Vec<String> {
        let mut words = vec!["--role".to_owned(), self.role.to_owned()];
        if self.random {
            words.extend(["--chance", "others"].map(str::to_owned));
        }
        words
    }

    /// `oddsmith solve` on the game by an engine.
    pub(crate) fn solver(
        &self,
        setup: &Setup,
        sheet: &std::path::Path,
        engine: &str,
    ) -> Vec<String> {
        let mut words = vec![setup.oddsmith.display().to_string(), "solve".into()];
        words.extend([sheet.display().to_string(), "--json".into(), "--quiet".into()]);
        words.extend(["--engine".to_owned(), engine.to_owned()]);
        words.extend(self.question());
        words
    }

    /// The value by the sweep, and what that cost.
    ///
    /// # Errors
    /// Where it does not answer, or where other programs are known to say otherwise.
    pub(crate) fn value(
        &self,
        setup: &Setup,
        sheet: &std::path::Path,
    ) -> Result<(String, Run), String> {
        let run = run(&self.solver(setup, sheet, "sweep"), Cores::One)?;
        let value = json_value(&run.output).ok_or("the sweep gives no value")?;
        match self.known(setup)? {
            Some(known) if known != value => {
                Err(format!("{}: the sweep gives {value}, others {known}", self.words))
            }
            _ => Ok((value, run)),
        }
    }

    /// The value that other programs computed, where they did.
    fn known(&self, setup: &Setup) -> Result<Option<String>, String> {
        let path = setup.root.join("tests/data/values.json");
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let all: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let entries =
            ["boards", "nim"].iter().filter_map(|key| all.get(*key)?.as_array()).flatten();
        let found = entries.into_iter().find(|entry| self.is_of(entry));
        let value = found.and_then(|entry| entry.get(format!("value_{}", self.role))?.as_str());
        Ok(value.map(str::to_owned))
    }

    /// Whether an entry of the known values is of this game and question.
    fn is_of(&self, entry: &Value) -> bool {
        let number = |key: &str| entry.get(key).and_then(Value::as_u64).map(|n| n.to_string());
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let words = match (number("pile"), text("family")) {
            (Some(pile), _) => vec![Some("nim".into()), Some(pile)],
            (None, family) => vec![family, number("columns"), number("rows"), number("line")],
        };
        let chance = [("own", "--own"), ("add", "--add")]
            .into_iter()
            .find_map(|(key, flag)| Some([flag.to_owned(), text(key)?]));
        let all: Option<Vec<String>> = words.into_iter().collect();
        let all = all.map(|all| all.into_iter().chain(chance.into_iter().flatten()));
        let opponent = text("opponent").unwrap_or_else(|| "perfect".into());
        let is_game = all.is_some_and(|all| all.eq(self.words.split(' ').map(str::to_owned)));
        is_game && (opponent == "random") == self.random
    }

    /// The formula of one placement, and what the translation cost: grounding, completion, writing.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn formula(
        &self,
        setup: &Setup,
        sheet: &std::path::Path,
        placement: &str,
    ) -> Result<(PathBuf, Run), String> {
        let formula = sheet.with_extension(format!(
            "{}{}-{placement}.sdimacs",
            self.role,
            if self.random { "-random" } else { "" }
        ));
        let mut words = vec![setup.symbolic.display().to_string(), "translate".into()];
        words.extend([sheet.display().to_string(), "--to".into(), "sdimacs".into()]);
        words.extend(["--horizon".into(), self.horizon.to_string()]);
        words.extend(["--placement".into(), placement.to_owned()]);
        words.extend(["--output".into(), formula.display().to_string()]);
        words.extend(self.question());
        let run = run(&words, Cores::One)?;
        Ok((formula, run))
    }
}

#[cfg(test)]
mod tests {
    use super::Instance;
    use serde_json::json;

    #[test]
    fn known_values_are_found_by_game_and_opponent() {
        let nim = Instance { words: "nim 20 --add 1/2", role: "x", random: false, horizon: 80 };
        assert!(nim.is_of(&json!({"pile": 20, "add": "1/2"})));
        assert!(!nim.is_of(&json!({"pile": 20, "add": "1/3"})));
        let line = Instance { words: "connect 4 4 3", role: "o", random: true, horizon: 16 };
        let entry = |opponent: &str| {
            json!({"family": "connect", "columns": 4, "rows": 4, "line": 3, "own": null,
                   "opponent": opponent})
        };
        assert!(line.is_of(&entry("random")) && !line.is_of(&entry("perfect")));
    }
}
