//! Names: identifiers of PRISM for the names of a game, each another.

use rustc_hash::FxHashSet;

/// Words that the language, or a later version of it, keeps for itself.
const RESERVED: &[&str] = &[
    "A",
    "C",
    "E",
    "F",
    "G",
    "I",
    "P",
    "Pmax",
    "Pmin",
    "R",
    "Rmax",
    "Rmin",
    "S",
    "U",
    "W",
    "X",
    "bool",
    "clock",
    "const",
    "csg",
    "ctmc",
    "double",
    "dtmc",
    "endinit",
    "endinvariant",
    "endmodule",
    "endobservables",
    "endplayer",
    "endrewards",
    "endsystem",
    "false",
    "filter",
    "formula",
    "func",
    "global",
    "init",
    "int",
    "invariant",
    "label",
    "max",
    "mdp",
    "min",
    "module",
    "nondeterministic",
    "observable",
    "observables",
    "of",
    "player",
    "pomdp",
    "popta",
    "prob",
    "probabilistic",
    "pta",
    "rate",
    "rewards",
    "smg",
    "stochastic",
    "system",
    "true",
];

/// Identifiers that were given away.
#[derive(Default)]
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// An identifier that resembles a text and was not given before.
    pub(super) fn give(&mut self, text: &str) -> String {
        let stem = identifier(text);
        let mut name = stem.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{stem}_{number}");
            number += 1;
        }
        debug_assert!(is_identifier(&name), "`{name}`");
        name
    }
}

/// The letters and digits of a text, with one `_` where others stood between them.
fn identifier(text: &str) -> String {
    let parts = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut name = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_");
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, '_');
    }
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// Whether PRISM reads a text as one identifier.
pub(super) fn is_identifier(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(letter)
        && !RESERVED.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_an_identifier_of_its_own() {
        let texts = ["(cell 1 1 b)", "(cell 1_1 b)", "init", "init_", "7", "", "+", "été", "F"];
        let mut names = Names::default();
        let given: Vec<String> = texts.iter().map(|text| names.give(text)).collect();
        assert_eq!(given[..3], ["cell_1_1_b", "cell_1_1_b_2", "init_"]);
        assert!(given.iter().all(|name| is_identifier(name)), "{given:?}");
        let distinct: FxHashSet<&String> = given.iter().collect();
        assert_eq!(distinct.len(), given.len());
        assert!(RESERVED.is_sorted(), "the list is read by people");
        assert_eq!(names.give("(cell 1 1 b)"), "cell_1_1_b_3");
    }

    #[test]
    fn identifiers_are_told_from_other_texts() {
        for (text, is_one) in [
            ("a_1", true),
            ("_", true),
            ("7a", false),
            ("", false),
            ("a b", false),
            ("init", false),
        ] {
            assert_eq!(is_identifier(text), is_one, "`{text}`");
        }
    }
}
