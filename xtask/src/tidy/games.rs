//! Every game has its facts, every facts file its game, and each says where its value comes from.

use super::{Finding, Tree};

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (path, text) in tree.below("games") {
        match path.rsplit_once('.') {
            Some((stem, "gdl")) => need(tree, path, &format!("{stem}.facts"), findings),
            Some((stem, "facts")) => {
                need(tree, path, &format!("{stem}.gdl"), findings);
                check_value(path, text, findings);
            }
            _ if path == "games/README.md" => {}
            _ => {
                let right = "a game is a pair NAME.gdl and NAME.facts; what no test reads goes";
                findings.push(Finding::new(path, 1, "nothing reads this file", right));
            }
        }
    }
}

fn need(tree: &Tree, path: &str, partner: &str, findings: &mut Vec<Finding>) {
    if tree.get(partner).is_none() {
        let right = "a game and its facts are always a pair";
        findings.push(Finding::new(path, 1, format!("{partner} is missing"), right));
    }
}

/// At least one `value` line, and a source behind each value: `value KEYS.. FRACTION  source`.
fn check_value(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let mut seen = false;
    for (at, line) in text.lines().enumerate() {
        let Some(rest) =
            line.trim_start().strip_prefix("value").filter(|rest| rest.starts_with([' ', '\t']))
        else {
            continue;
        };
        seen = true;
        if !has_source(rest) {
            let right = "write where the number comes from after it: by hand, by another program, \
                         by theory";
            findings.push(Finding::new(path, at + 1, "this value has no source", right));
        }
    }
    if !seen {
        findings.push(Finding::new(path, 1, "no value is given", "write `value FRACTION  SOURCE`"));
    }
}

/// A number, and at least two words after the last of the leading fields.
fn has_source(rest: &str) -> bool {
    let is_number = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_digit())
            && word.chars().all(|letter| letter.is_ascii_digit() || letter == '/')
    };
    let mut words = rest.split_whitespace().skip_while(|word| !is_number(word));
    words.next().is_some() && words.count() >= 2
}

#[cfg(test)]
mod tests {
    use crate::tidy::findings_of;

    #[test]
    fn pairs_with_sources_are_fine() {
        let facts = "# a game\nstates 3  by hand\nvalue 1/2  by hand: a coin\nvalue o 1/2  by symmetry, by hand\n";
        let found = findings_of(super::check, &[("games/a.gdl", ""), ("games/a.facts", facts)]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn halves_of_pairs_and_strays_are_found() {
        let found = findings_of(
            super::check,
            &[("games/a.gdl", ""), ("games/b.facts", "value 1 by hand\n")],
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("games/a.facts is missing"));
        assert!(found[1].contains("games/b.gdl is missing"));
        assert!(findings_of(super::check, &[("games/c.txt", "")])[0].contains("nothing reads"));
    }

    #[test]
    fn values_without_a_source_or_absent_are_found() {
        let found = findings_of(
            super::check,
            &[("games/a.gdl", ""), ("games/a.facts", "# x\nvalue 1/2\n")],
        );
        assert!(found[0].starts_with("games/a.facts:2: this value has no source"), "{found:?}");
        let found =
            findings_of(super::check, &[("games/a.gdl", ""), ("games/a.facts", "values 3\n")]);
        assert!(found[0].contains("no value is given"), "{found:?}");
    }
}
