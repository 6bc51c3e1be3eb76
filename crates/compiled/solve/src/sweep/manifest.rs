//! The manifest of a checkpoint: of which rules, which question and which form of the game it is.
//!
//! A text of a few lines for people to read as well. Always: `parse(text(x))` is `x`, and nothing
//! else is parsed. The rules are told by a checksum of their normal form, so that another layout of
//! the same rules continues a checkpoint.

use verdict::{Objective, Question};

use crate::game::TakenBack;
use crate::options::Options;

/// Version of the form of the folder.
const FORM: u32 = 4;

/// A manifest in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The lines about rules and question.
    pub(super) asked: Vec<String>,
    pub(super) taken_back: Vec<TakenBack>,
    /// A checksum of the group of which one state of each orbit is kept; 0 where all states are.
    pub(super) group: u64,
    /// [`crate::Game::fingerprint`].
    pub(super) compiled: u64,
}

impl Manifest {
    /// As text.
    pub(super) fn text(&self) -> String {
        let guesses: Vec<String> = self.taken_back.iter().map(TakenBack::text).collect();
        format!(
            "oddsmith checkpoint {FORM}\n{}\ntaken back {}\ngroup {:016x}\ncompiled {:016x}\n",
            self.asked.join("\n"),
            if guesses.is_empty() { "nothing".to_owned() } else { guesses.join(" ") },
            self.group,
            self.compiled
        )
    }

    /// Reads what [`Manifest::text`] wrote.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut lines: Vec<&str> = text.lines().collect();
        let compiled = lines.pop()?.strip_prefix("compiled ")?;
        let group = lines.pop()?.strip_prefix("group ")?;
        let guesses = lines.pop()?.strip_prefix("taken back ")?;
        let first = lines.first().copied()?;
        if first != format!("oddsmith checkpoint {FORM}") {
            return None;
        }
        let taken_back = match guesses {
            "nothing" => Vec::new(),
            some => some.split(' ').map(TakenBack::parse).collect::<Option<_>>()?,
        };
        let manifest = Self {
            asked: lines[1..].iter().map(|line| (*line).to_owned()).collect(),
            taken_back,
            group: u64::from_str_radix(group, 16).ok()?,
            compiled: u64::from_str_radix(compiled, 16).ok()?,
        };
        (manifest.text() == text).then_some(manifest)
    }
}

/// What a manifest says of rules, question and options.
pub(super) fn asked_lines(question: &Question, options: &Options) -> Vec<(&'static str, String)> {
    let book = &question.rulebook;
    let mut rules = String::new();
    for role in book.roles.ids() {
        rules += book.role_name(role);
        rules.push('\n');
    }
    for rule in &book.rules {
        rules += &gdl::rule_text(rule, &book.symbols);
        rules.push('\n');
    }
    let horizon = question.horizon.map_or("none".to_owned(), |steps| steps.to_string());
    let chance: Vec<&str> = question.chance.iter().map(|role| book.role_name(role)).collect();
    let from = question.from.as_ref().map_or("the start".to_owned(), |terms| {
        let texts: Vec<String> =
            terms.iter().map(|term| gdl::term_text(term, &book.symbols)).collect();
        format!("{:016x}", store::checksum(texts.join(" ").as_bytes()))
    });
    let objective = match question.objective {
        Objective::Win => "win",
        Objective::Goal => "goal",
    };
    let values = if options.approximate { "bounds" } else { "exact" };
    let tosses = if options.fold { "folded" } else { "kept" };
    vec![
        ("rules", format!("{:016x} of {} bytes", store::checksum(rules.as_bytes()), rules.len())),
        ("role", book.role_name(question.role).to_owned()),
        ("objective", objective.to_owned()),
        ("horizon", horizon),
        ("chance", chance.join(" ")),
        ("from", from),
        ("values", values.to_owned()),
        ("tosses", tosses.to_owned()),
        ("program", env!("CARGO_PKG_VERSION").to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_read_as_it_was_written_and_no_other_way() {
        let manifest = Manifest {
            asked: vec!["rules 1 of 2 bytes".to_owned(), "role x".to_owned()],
            taken_back: vec![TakenBack::Level, TakenBack::Group(3)],
            group: 0x12,
            compiled: 0xabc,
        };
        let text = manifest.text();
        assert_eq!(Manifest::parse(&text), Some(manifest));
        for cut in 0..text.len() {
            assert_eq!(Manifest::parse(&text[..cut]), None);
        }
        assert_eq!(Manifest::parse(&text.replace("checkpoint 4", "checkpoint 3")), None);
    }
}
