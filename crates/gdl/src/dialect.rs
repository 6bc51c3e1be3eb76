//! What the definition of GDL does not have and most readers of it take all the same: `and`, `or`
//! inside `or` or `not`, `not` of more than an atom.
//!
//! By default all of it is read, since many public sheets use it. Under `strict` it is refused by
//! the name of the rule that it breaks: there are readers that take `and` for a relation without
//! rules, so that a condition is silently false. Told once a kind and rule. Cost: linear.
//! Source: Love, Hinrichs, Haley, Schkufza and Genesereth, *General game playing: game description
//! language specification*, 2008.

use crate::formula::{Formula, WrittenRule};
use crate::{Diagnostic, Span};

/// Refuses each form beyond the definition.
pub(crate) fn check(written: &[WrittenRule], faults: &mut Vec<Diagnostic>) {
    for rule in written {
        let mut kinds: Vec<(Kind, Span)> = Vec::new();
        rule.body.iter().for_each(|formula| look(formula, Place::Body, rule.span, &mut kinds));
        faults.extend(kinds.into_iter().map(|(kind, span)| kind.told(span)));
    }
}

/// What is beyond the definition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    And,
    NestedOr,
    NotOfMore,
}

/// Where a formula stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Or,
    Not,
}

impl Kind {
    fn told(self, span: Span) -> Diagnostic {
        let (message, note) = match self {
            Self::And => (
                "`and` is not part of GDL",
                "conditions side by side are a conjunction; inside `or`, name it by a helper relation",
            ),
            Self::NestedOr => (
                "`or` inside another condition is not part of GDL",
                "write one list of alternatives directly in the body, or one rule for each",
            ),
            Self::NotOfMore => (
                "`not` of more than an atom is not part of GDL",
                "deny each atom by itself, or name the formula by a helper relation and deny that",
            ),
        };
        let fault = Diagnostic::error("dialect", message).label(span, "here");
        fault
            .note(note)
            .note("it is read without `--strict`; other readers may take it for a relation")
    }
}

fn look(formula: &Formula, place: Place, rule: Span, kinds: &mut Vec<(Kind, Span)>) {
    let mut tell = |kind| {
        if kinds.iter().all(|(told, _)| *told != kind) {
            kinds.push((kind, span_of(formula).unwrap_or(rule)));
        }
    };
    match formula {
        Formula::Holds(_) => {}
        Formula::Distinct(..) if place == Place::Not => tell(Kind::NotOfMore),
        Formula::Distinct(..) => {}
        Formula::Not(inner) => {
            if place == Place::Not {
                tell(Kind::NotOfMore);
            }
            look(inner, Place::Not, rule, kinds);
        }
        Formula::All(inner) => {
            tell(Kind::And);
            inner.iter().for_each(|one| look(one, place, rule, kinds));
        }
        Formula::Any(inner) => {
            match place {
                Place::Body => {}
                Place::Or => tell(Kind::NestedOr),
                Place::Not => tell(Kind::NotOfMore),
            }
            inner.iter().for_each(|one| look(one, Place::Or, rule, kinds));
        }
    }
}

/// The least span that holds all atoms of a formula; none where it has none.
fn span_of(formula: &Formula) -> Option<Span> {
    match formula {
        Formula::Holds(atom) => Some(atom.span),
        Formula::Distinct(_, _, span) => Some(*span),
        Formula::Not(inner) => span_of(inner),
        Formula::All(inner) | Formula::Any(inner) => {
            inner.iter().filter_map(span_of).reduce(Span::cover)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ReadOptions, Source, read};

    fn codes(condition: &str, strict: bool) -> Vec<&'static str> {
        let text = format!(
            "(role a) (init s) (legal a m) (p 1) (q 1) (<= terminal {condition}) (goal a 100)"
        );
        let reading = read(Source::new("t", &text), &ReadOptions { strict, ..Default::default() });
        reading.diagnostics.iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn strict_refuses_what_is_beyond_the_definition_and_the_default_reads_it() {
        for condition in [
            "(and (p 1) (q 1))",
            "(or (p 1) (and (q 1) (not (p 1))))",
            "(or (p 1) (or (q 1) (p 1)))",
            "(not (or (p 1) (q 1)))",
            "(not (not (p 1)))",
            "(not (distinct a a))",
            "(and)",
        ] {
            assert_eq!(codes(condition, false), [""; 0], "{condition}");
            assert_eq!(codes(condition, true), ["dialect"], "{condition}");
        }
    }

    #[test]
    fn the_definition_itself_passes() {
        for condition in
            ["(p 1)", "(not (p 1))", "(distinct a b)", "(or (p 1) (not (q 1)) (distinct a b))"]
        {
            assert_eq!(codes(condition, true), [""; 0], "{condition}");
        }
    }
}
