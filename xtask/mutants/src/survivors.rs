//! Why faults that no test notices are left as they are: a file for each crate, written by hand.
//!
//! A fault is told by its file, its function and its change, not by its line, so that an explanation
//! outlives changes elsewhere. Each has a sort: only what makes no difference to anyone (`equal`), or
//! only one in what nobody is promised (`unpromised`), may be left out of a share; a `gap` is a test that
//! is missing. What the file says is held to the code where faults are planted: what is explained and not
//! there, or explained and noticed, is told.
//!
//! ```text
//! ; a comment
//! crates/compiled/net/src/gates.rs: reserve: returns ()
//!   unpromised: room that is reserved; without it the table grows on the way
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// The folder of the files, from the root of the checkout.
const FOLDER: &str = "xtask/mutants/survivors";

/// What a survivor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// No input makes a difference.
    Equal,
    /// The answers are the same; time, room, the order of work or where a budget ends differ.
    Unpromised,
    /// A test could notice it, and there is none among those that were asked.
    Gap,
}

const WORDS: [(&str, Sort); 3] =
    [("equal", Sort::Equal), ("unpromised", Sort::Unpromised), ("gap", Sort::Gap)];

impl Sort {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        WORDS.iter().find(|row| row.1 == self).expect("each has a word").0
    }
}

/// What is written of a crate's survivors, by their keys.
pub(crate) type Explained = BTreeMap<String, Sort>;

/// Reads the file of a crate; nothing is explained where there is none.
///
/// # Errors
/// Where a line is none of an explanation, or a fault is explained twice.
pub(crate) fn of(root: &Path, name: &str) -> Result<Explained, Failure> {
    let path = root.join(FOLDER).join(format!("{name}.txt"));
    if !path.exists() {
        return Ok(Explained::new());
    }
    let text = fs::read_to_string(&path).map_err(|error| Failure::path(&path, &error))?;
    parse(&text).map_err(|(line, wrong)| {
        let right = "write `FILE: FUNCTION: CHANGE` as the command shows it, without the line's \
                     number, and below, indented, `equal: WHY`, `unpromised: WHY` or `gap: WHY`";
        Failure::input(format!("{}:{line}: {wrong}", path.display()), right)
    })
}

/// The explanations of a text, or the line that is wrong.
fn parse(text: &str) -> Result<Explained, (usize, String)> {
    let mut found = Explained::new();
    // Faults of one explanation may stand in a row before it.
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut is_within = false;
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let is_blank = line.trim().is_empty() || line.starts_with(';');
        if !is_blank && !line.starts_with(' ') {
            open.push((number, line.trim_end()));
            is_within = false;
        } else if !is_blank && !is_within {
            let (word, why) = line.trim().split_once(':').unwrap_or(("", ""));
            let sort = WORDS.iter().find(|row| row.0 == word).map(|row| row.1);
            let sort = sort.ok_or((number, "no sort is named".to_owned()))?;
            if why.trim().is_empty() || open.is_empty() {
                return Err((number, "an explanation without a reason or a fault".to_owned()));
            }
            for (number, key) in open.drain(..) {
                if found.insert(key.to_owned(), sort).is_some() {
                    return Err((number, "it is explained twice".to_owned()));
                }
            }
            is_within = true;
        }
    }
    match open.first() {
        Some((number, _)) => Err((*number, "it is not explained".to_owned())),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explanations_are_read_with_their_sorts() {
        let text =
            "; why\na.rs: f: x\na.rs: g: y\n  equal: since\n  two lines\n\nb.rs: h: z\n  gap: w\n";
        let wanted = [("a.rs: f: x", Sort::Equal), ("a.rs: g: y", Sort::Equal)];
        let wanted = wanted.into_iter().chain([("b.rs: h: z", Sort::Gap)]);
        let wanted: Explained = wanted.map(|(key, sort)| (key.to_owned(), sort)).collect();
        assert_eq!(parse(text), Ok(wanted));
        assert_eq!(parse("; nothing\n"), Ok(Explained::new()));
    }

    #[test]
    fn what_explains_nothing_is_told_with_its_line() {
        for (text, line) in [
            ("a: f: x\n", 1),
            ("a: f: x\nb: g: y\n  equal: since\nc: f: z", 4),
            ("a: f: x\n  because: since\n", 2),
            ("a: f: x\n  equal:\n", 2),
            ("  equal: since\n", 1),
            ("a: f: x\n  gap: w\na: f: x\n  equal: w\n", 3),
        ] {
            assert_eq!(parse(text).expect_err(text).0, line, "{text}");
        }
    }

    #[test]
    fn the_files_of_this_checkout_are_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for file in fs::read_dir(root.join(FOLDER)).expect("there are some") {
            let name = file.expect("it is readable").file_name().into_string().expect("a name");
            let name = name.strip_suffix(".txt").expect("only such files are read");
            let explained = of(&root, name).unwrap_or_else(|failure| panic!("{}", failure.wrong));
            for key in explained.keys() {
                let path = key.split(": ").next().expect("a path");
                assert!(root.join(path).is_file(), "{name}.txt: there is no {path}");
            }
        }
    }
}
