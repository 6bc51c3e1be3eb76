//! Lines of the prefix: `e`, `a` and `r`.
//!
//! A second quantifier on a line is read as if it stood on the next: public formulas have such
//! lines, and they can mean nothing else.

use index::Id;

use super::fault::Place;
use super::numbers::{Line, Number, shown};
use super::probability;
use super::read::{Reader, Stage, VARIABLES_LIMIT};
use crate::{Quantifier, Var};

impl Reader {
    pub(super) fn prefix_line(&mut self, mut line: Line<'_>) {
        self.need_header(line);
        if self.stage == Stage::Matrix {
            let place = line.next_word();
            let message = || "a line of the prefix follows a clause".into();
            let hint = || "all lines `e`, `a` and `r` stand before the first clause".into();
            return self.fault("late-prefix", place, message, hint);
        }
        self.stage = Stage::Prefix;
        while self.scope(&mut line) && line.skip_space() {}
    }

    /// One quantifier with its variables; whether another may follow on the line.
    fn scope(&mut self, line: &mut Line<'_>) -> bool {
        let place = line.next_word();
        let quantifier = match &place.text[place.start..place.end] {
            b"e" => Quantifier::Exists,
            b"a" => Quantifier::Forall,
            b"r" => Quantifier::Chance(self.probability(line)),
            _ => {
                self.not_a_quantifier(place);
                return false;
            }
        };
        self.scope_lines.push(line.number);
        self.formula.quantify(quantifier, Vec::new());
        self.variables(line)
    }

    fn not_a_quantifier(&mut self, place: Place<'_>) {
        let (code, message) = if self.scope_lines.last() == Some(&place.line) {
            ("after-zero", format!("`{}` follows the closing 0", shown(place)))
        } else {
            ("unknown-line", format!("a line cannot begin with `{}`", shown(place)))
        };
        let hint = || "a line of the prefix is `e`, `a` or `r PROBABILITY`, variables and 0".into();
        self.fault(code, place, || message, hint);
    }

    /// The probability of a line of chance; after a fault one half.
    fn probability(&mut self, line: &mut Line<'_>) -> exact::Ratio {
        let half = exact::Ratio::new(1u8, 2u8);
        let Some((word, start)) = line.word() else {
            let hint = || "a line of chance is `r PROBABILITY VARIABLES 0`".into();
            let message = || "the probability is missing".into();
            self.fault("probability", line.end(), message, hint);
            return half;
        };
        let place = line.since(start);
        let hint = || "a probability is written `0.75` or `3/4`, from 0 to 1".to_owned();
        match probability::parse(&String::from_utf8_lossy(word)) {
            Ok(value) if value.is_probability() => return value,
            Ok(_) => {
                let message = || format!("the probability `{}` is not in 0 to 1", shown(place));
                self.fault("probability", place, message, hint);
            }
            Err(why) => {
                let message = || format!("the probability `{}` {why}", shown(place));
                self.fault("probability", place, message, hint);
            }
        }
        half
    }

    /// The variables of a quantifier up to its 0; whether that was found.
    fn variables(&mut self, line: &mut Line<'_>) -> bool {
        while let Some(number) = line.number() {
            match number {
                Ok(Number { size: 0, .. }) => return true,
                Ok(number) => self.bind(number, *line),
                Err(place) if is_joined(place) => {
                    line.at = place.start + 1;
                    return true;
                }
                Err(place) => self.not_a_variable(place),
            }
        }
        let hint = || "a line of the prefix is closed by 0; the file may have been cut off".into();
        let message = || "this line of the prefix is not closed by 0".into();
        self.fault("unclosed-line", line.end(), message, hint);
        false
    }

    fn not_a_variable(&mut self, place: Place<'_>) {
        let message = || format!("`{}` is not a variable", shown(place));
        let hint = || "variables are whole numbers from 1, closed by 0".into();
        self.fault("not-a-number", place, message, hint);
    }

    fn bind(&mut self, number: Number, line: Line<'_>) {
        let place = line.since(number.start);
        if number.negative {
            return self.not_a_variable(place);
        }
        let limit = self.header.as_ref().map_or(VARIABLES_LIMIT, |header| header.variables);
        if number.size > limit {
            return self.past_count(place);
        }
        let var = Var::from_index(number.size as usize - 1);
        if !self.bound.insert(var) {
            return self.bound_twice(var, place);
        }
        let scope = self.formula.prefix.last_mut().expect("the line began a scope");
        scope.variables.push(var);
    }

    fn bound_twice(&mut self, var: Var, place: Place<'_>) {
        let mut scopes = self.formula.prefix.iter().zip(&self.scope_lines);
        // Looked for only where it is shown: a long prefix costs nothing per fault.
        let first = if self.faults.are_enough() {
            None
        } else {
            scopes.find(|(scope, _)| scope.variables.contains(&var))
        };
        let hint = first.map(|(_, line)| format!("it is first quantified in line {line}"));
        let message = || format!("variable {} is quantified twice", var.index() + 1);
        self.fault("quantified-twice", place, message, || hint.unwrap_or_default());
    }
}

/// Whether a word is a closing 0 with the next quantifier: a line feed was forgotten, as some
/// public formulas do.
fn is_joined(word: Place<'_>) -> bool {
    matches!(&word.text[word.start..word.end], b"0e" | b"0a" | b"0r")
}
