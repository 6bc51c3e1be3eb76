//! One rule of the sheet as one rule of the program.
//!
//! A timed relation gets the time as its last argument; `next` becomes `true` a step later. Time
//! is bound by some positive timed atom of the body where there is one, else by a domain.

use gdl::{Atom, Literal, Rule, Term, VarId, keyword};
use index::IndexVec;

use super::names;
use super::sheet::{Sheet, TIME};

/// Whether atoms carry a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Time-stamped copies.
    Timed,
    /// One state for all times.
    Relaxed,
}

/// A rule being written.
struct Writer<'a, 'q> {
    sheet: &'a Sheet<'q>,
    style: Style,
    variables: IndexVec<VarId, String>,
}

impl Writer<'_, '_> {
    fn term(&self, term: &Term) -> String {
        names::term(term, self.sheet.symbols(), &|id| self.variables[id].clone())
    }

    fn atom(&self, atom: &Atom) -> String {
        let args: Vec<String> = atom.args.iter().map(|arg| self.term(arg)).collect();
        let timed = self.style == Style::Timed && self.sheet.is_timed(atom.signature());
        applied(self.sheet.predicate(atom.signature()), args, timed.then_some(TIME))
    }

    fn literal(&self, literal: &Literal) -> Option<String> {
        match literal {
            Literal::Positive(atom) => Some(self.atom(atom)),
            Literal::Negative(atom) => {
                let forgotten =
                    self.style == Style::Relaxed && self.sheet.is_timed(atom.signature());
                (!forgotten).then(|| format!("not {}", self.atom(atom)))
            }
            Literal::Distinct(left, right, _) => {
                Some(format!("{} != {}", self.term(left), self.term(right)))
            }
        }
    }

    fn head(&self, head: &Atom) -> String {
        if head.relation != keyword::NEXT || head.args.len() != 1 {
            return self.atom(head);
        }
        let later = (self.style == Style::Timed).then(|| format!("{TIME}+1"));
        applied(
            self.sheet.predicate((keyword::TRUE, 1)),
            vec![self.term(&head.args[0])],
            later.as_deref(),
        )
    }
}

/// A predicate with its arguments, a time last where there is one.
pub(crate) fn applied(predicate: &str, mut args: Vec<String>, time: Option<&str>) -> String {
    args.extend(time.map(str::to_owned));
    if args.is_empty() { predicate.to_owned() } else { format!("{predicate}({})", args.join(",")) }
}

/// A rule with its full stop.
pub(crate) fn line(head: &str, body: &[String]) -> String {
    if body.is_empty() {
        return format!("{head}.\n");
    }
    let head = if head.is_empty() { String::new() } else { format!("{head} ") };
    format!("{head}:- {}.\n", body.join(", "))
}

/// The time-stamped copy of a rule.
pub(crate) fn timed(sheet: &Sheet<'_>, rule: &Rule) -> String {
    let variables = names::variables(&rule.variables, &[TIME]);
    let writer = Writer { sheet, style: Style::Timed, variables };
    let mut body: Vec<String> =
        rule.body.iter().filter_map(|literal| writer.literal(literal)).collect();
    body.extend(time_domain(sheet, rule));
    line(&writer.head(&rule.head), &body)
}

/// What binds the time of a rule, and ends the game's steps where its atoms do not.
fn time_domain(sheet: &Sheet<'_>, rule: &Rule) -> Vec<String> {
    let head = rule.head.signature();
    if !sheet.is_timed(head) {
        return Vec::new();
    }
    let positive = rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom.signature()),
        _ => None,
    });
    let over = |domain: &str| format!("{domain}({TIME})");
    if head == (keyword::NEXT, 1) {
        if positive.clone().any(|relation| sheet.needs_move(relation)) {
            return Vec::new();
        }
        let mut domain = vec![over(&sheet.own.step)];
        if !sheet.runs_by_itself(rule) {
            domain.push(over(&sheet.own.plays));
        }
        return domain;
    }
    let bound = positive.clone().any(|relation| sheet.is_timed(relation));
    if bound { Vec::new() } else { vec![over(&sheet.own.time)] }
}

/// The copy of a rule without time and without conditions that something timed does not hold.
pub(crate) fn relaxed(sheet: &Sheet<'_>, rule: &Rule) -> String {
    let variables = names::variables(&rule.variables, &[]);
    let writer = Writer { sheet, style: Style::Relaxed, variables };
    let body: Vec<String> =
        rule.body.iter().filter_map(|literal| writer.literal(literal)).collect();
    line(&writer.head(&rule.head), &body)
}

/// What holds at the start.
pub(crate) fn start(sheet: &Sheet<'_>, style: Style) -> Vec<String> {
    let holds = sheet.predicate((keyword::TRUE, 1));
    let time = (style == Style::Timed).then_some("0");
    let Some(from) = &sheet.question.from else {
        let init = sheet.predicate((keyword::INIT, 1));
        let body = vec![format!("{init}(F)")];
        return vec![line(&applied(holds, vec!["F".into()], time), &body)];
    };
    let ground = |term: &Term| {
        names::term(term, sheet.symbols(), &|_| unreachable!("a state has no variables"))
    };
    from.iter().map(|term| line(&applied(holds, vec![ground(term)], time), &[])).collect()
}
