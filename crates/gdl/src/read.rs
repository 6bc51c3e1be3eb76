//! The way from a sheet to a rulebook, stage by stage.
//!
//! Each stage adds what it finds to one list of diagnostics and hands on what it could make sense
//! of, so that all faults are told at once; checks that speak of the whole sheet (no roles, a
//! relation without rules) wait until every form could be read, or they would blame what is only
//! a consequence. A rulebook comes out exactly where no error was found.

use crate::advice::Advice;
use crate::formula::{Lowering, WrittenRule};
use crate::names::Names;
use crate::normal::Normalising;
use crate::sheet::Sheet;
use crate::span::{SHEET_LIMIT_BYTES, control_character};
use crate::tree::Tree;
use crate::{
    Diagnostic, Rule, Rulebook, Source, Span, dialect, keyword, roles, safety, shape, strata, tree,
    verify,
};

/// How a sheet is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// Names keep their case; keywords are recognised in any case all the same. Default: false.
    pub case_sensitive: bool,
    /// What is a matter of style or luck becomes an error: a rule that is safe only by its
    /// callers, a name with two arities. Default: false.
    pub strict: bool,
    /// What is only odd is told as well: conditions that never hold, relations that nothing needs,
    /// names with two uses, goals and roles that look wrong. Default: false.
    pub advice: bool,
}

/// What came of a sheet.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The sheet.
    pub source: Source,
    /// The rules in normal form; there exactly where no diagnostic is an error.
    pub rulebook: Option<Rulebook>,
    /// All faults and oddities, by place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reading {
    /// Whether the sheet is refused.
    pub fn is_refused(&self) -> bool {
        self.rulebook.is_none()
    }
}

/// Reads a sheet.
pub fn read(source: Source, options: &ReadOptions) -> Reading {
    let mut faults = Vec::new();
    let rulebook = rulebook(&source.text, options, &mut faults);
    let refused = faults.iter().any(Diagnostic::is_error);
    debug_assert!(refused || rulebook.is_some(), "refused without a reason");
    debug_assert_eq!(rulebook.iter().filter(|_| !refused).try_for_each(verify), Ok(()));
    sort(&mut faults);
    Reading { source, rulebook: rulebook.filter(|_| !refused), diagnostics: faults }
}

/// Orders by place, errors first at one place, and merges equal ones.
fn sort(faults: &mut Vec<Diagnostic>) {
    faults.sort_by_key(|fault| {
        let span = fault.labels.first().map_or(Span::default(), |label| label.span);
        (span.start, std::cmp::Reverse(fault.severity), span.end, fault.code)
    });
    faults.dedup();
}

fn rulebook(text: &str, options: &ReadOptions, faults: &mut Vec<Diagnostic>) -> Option<Rulebook> {
    if let Some(fault) = unreadable(text) {
        faults.push(fault);
        return None;
    }
    let forest = tree::grow(text, faults);
    if forest.is_empty() && faults.is_empty() {
        faults.push(empty_sheet());
        return None;
    }
    let mut names = Names::new(options.case_sensitive);
    let written = Lowering::new(text, &mut names, faults).sheet(&forest);
    if written.is_empty() && is_position(faults) {
        *faults = vec![no_game(&forest[0])];
        return None;
    }
    drop(forest);
    if options.strict {
        dialect::check(&written, faults);
    }
    let whole = !faults.iter().any(Diagnostic::is_error);
    let mut rules = normal_rules(&written, &mut names, faults);
    let mut symbols = names.symbols;
    if whole {
        Sheet { written: &written, rules: &rules, symbols: &symbols }.check(options, faults);
    }
    let plain = options.advice.then(|| rules.clone());
    strata::check(&mut rules, &mut symbols, options, faults);
    let states_roles = rules.iter().any(|rule| rule.head.relation == keyword::ROLE);
    let rules = safety::secure(text, rules, &mut symbols, options, faults);
    // Where a rule for `role` was refused it is no news that there is no role.
    let complain = whole && (!states_roles || !faults.iter().any(Diagnostic::is_error));
    let roles = roles::collect(&rules, &symbols, complain, faults)?;
    if whole {
        let sheet = Sheet { written: &written, rules: &rules, symbols: &symbols };
        sheet.unknown_roles(&roles, faults);
        if let Some(rules) = &plain {
            let advice = Advice { written: &written, rules, symbols: &symbols, roles: &roles };
            advice.give(faults);
        }
    }
    Some(Rulebook { symbols, roles, rules })
}

fn normal_rules(
    written: &[WrittenRule],
    names: &mut Names,
    faults: &mut Vec<Diagnostic>,
) -> Vec<Rule> {
    let mut normalising = Normalising::new(names, faults);
    written.iter().for_each(|rule| normalising.rule(rule));
    let mut rules = normalising.rules;
    drop_duplicates(&mut rules, faults);
    rules
}

fn drop_duplicates(rules: &mut Vec<Rule>, faults: &mut Vec<Diagnostic>) {
    shape::drop_repeated_rules(rules, |rule| {
        let what = if rule.body.is_empty() { "fact" } else { "rule" };
        faults.push(
            Diagnostic::warning("duplicate-rule", format!("this {what} was there before"))
                .label(rule.span, "has no effect")
                .note("take it out"),
        );
    });
}

pub(crate) fn unreadable(text: &str) -> Option<Diagnostic> {
    if text.len() > SHEET_LIMIT_BYTES {
        let message = format!("the sheet is too long: {} bytes", text.len());
        return Some(Diagnostic::error("too-long", message));
    }
    let at = control_character(text)?;
    let fault = Diagnostic::error("not-text", "the sheet holds a control character")
        .label(Span::new(at, at + 1), "not text")
        .note("what is wanted is a text file in UTF-8");
    Some(fault)
}

fn empty_sheet() -> Diagnostic {
    Diagnostic::error("empty-sheet", "the sheet is empty: it has no fact and no rule").note(
        "a game has at least (role ...), (init ...), and rules for legal, next, terminal, goal",
    )
}

/// Whether every form was refused because it concludes `true` or `does`.
fn is_position(faults: &[Diagnostic]) -> bool {
    let mut errors = faults.iter().filter(|fault| fault.is_error()).peekable();
    errors.peek().is_some() && errors.all(|fault| fault.code == "keyword-in-head")
}

fn no_game(first: &Tree) -> Diagnostic {
    Diagnostic::error("not-a-game", "this is a state or a list of moves, not the rules of a game")
        .label(first.span(), "only `true` and `does` are stated here")
        .note("name the rulesheet; a state to start from is given with `--from`")
}
