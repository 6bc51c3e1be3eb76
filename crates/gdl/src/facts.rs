//! Ground facts that a person types: a state for `--from`, moves.
//!
//! Names are looked up in the rulebook and never added: a name that the sheet does not have can
//! only be a slip.

use crate::formula::TERM_DEPTH_LIMIT;
use crate::names::fold;
use crate::span::{SHEET_LIMIT_BYTES, control_character};
use crate::tree::{Tree, grow};
use crate::{Diagnostic, Rulebook, Span, SymbolId, Term, keyword};

/// Reads a list of ground terms, such as `(cell 1 1 b) (control xplayer)`. Each may be wrapped in
/// `(true ...)`, and the whole in one more pair of parentheses. A term that stands twice is
/// returned once; the order is that of the text.
///
/// # Errors
/// All faults of the text, with places in `text`.
pub fn read_facts(text: &str, rulebook: &Rulebook) -> Result<Vec<Term>, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    if let Some(at) = control_character(text) {
        faults.push(
            Diagnostic::error("not-text", "the facts hold a control character")
                .label(Span::new(at, at + 1), "not text"),
        );
    }
    if text.len() > SHEET_LIMIT_BYTES {
        faults.push(Diagnostic::error("too-long", "the list of facts is too long"));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let trees = grow(text, &mut faults);
    let mut reader = Reader { text, rulebook, faults };
    let mut terms = Vec::new();
    for tree in unwrap(&trees) {
        if let Some(term) = reader.fact(tree) {
            terms.push(term);
        }
    }
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let mut seen = rustc_hash::FxHashSet::default();
    terms.retain(|term| seen.insert(term.clone()));
    debug_assert!(terms.iter().all(Term::is_ground));
    Ok(terms)
}

/// The trees without the pair of parentheses around them all, if there is one.
fn unwrap(trees: &[Tree]) -> &[Tree] {
    match trees {
        [Tree::List(_, inner)] if matches!(inner.first(), Some(Tree::List(..)) | None) => inner,
        _ => trees,
    }
}

struct Reader<'a> {
    text: &'a str,
    rulebook: &'a Rulebook,
    faults: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn fault(&mut self, code: &'static str, message: String, span: Span, note: &str) {
        self.faults.push(Diagnostic::error(code, message).label(span, "").note(note));
    }

    fn fact(&mut self, tree: &Tree) -> Option<Term> {
        if let Tree::List(_, inner) = tree
            && let [Tree::Word(word), wrapped] = inner.as_slice()
            && self.find(*word) == Some(keyword::TRUE)
        {
            return self.term(wrapped, 1);
        }
        self.term(tree, 1)
    }

    fn find(&self, word: Span) -> Option<SymbolId> {
        let symbols = &self.rulebook.symbols;
        let spelling = word.of(self.text);
        let folded = fold(spelling);
        let keyword = symbols.find(&folded).filter(|symbol| symbol.is_keyword());
        match keyword {
            None if symbols.is_case_sensitive() => symbols.find(spelling),
            None => symbols.find(&folded),
            found => found,
        }
    }

    fn name(&mut self, word: Span) -> Option<SymbolId> {
        let spelling = word.of(self.text);
        if spelling.starts_with('?') {
            let message = format!("the variable `{spelling}` in a ground fact");
            self.fault("not-ground", message, word, "write the value that is meant");
            return None;
        }
        let found = self.find(word);
        if found.is_none() {
            let message = format!("the game has no name `{spelling}`");
            let note = "only names of the rulesheet can hold; `oddsmith play` shows a state";
            self.fault("unknown-name", message, word, note);
        }
        found
    }

    fn term(&mut self, tree: &Tree, depth: usize) -> Option<Term> {
        let (span, trees) = match tree {
            Tree::Word(word) => return self.name(*word).map(Term::Constant),
            Tree::List(span, trees) => (*span, trees),
        };
        if depth > TERM_DEPTH_LIMIT {
            let message = format!("a term is deeper than {TERM_DEPTH_LIMIT}");
            self.fault("term-too-deep", message, span, "no such term can hold");
            return None;
        }
        let Some(Tree::Word(word)) = trees.first() else {
            let message = "a term begins with a name".to_owned();
            self.fault("bad-form", message, span, "write a term like (cell 1 1 b)");
            return None;
        };
        let function = self.name(*word);
        let args: Vec<_> = trees[1..].iter().map(|arg| self.term(arg, depth + 1)).collect();
        let args = args.into_iter().collect::<Option<Box<[_]>>>()?;
        Some(if args.is_empty() {
            Term::Constant(function?)
        } else {
            Term::Compound(function?, args)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, read, term_text};

    fn facts(text: &str) -> Result<Vec<String>, Vec<&'static str>> {
        let sheet = "(role x) (init (cell 1 1 b)) (init (control X)) (init done) (legal x noop)";
        let book = read(Source::new("t", sheet), &ReadOptions::default()).rulebook.unwrap();
        match read_facts(text, &book) {
            Ok(terms) => Ok(terms.iter().map(|term| term_text(term, &book.symbols)).collect()),
            Err(faults) => Err(faults.iter().map(|fault| fault.code).collect()),
        }
    }

    #[test]
    fn facts_are_read_bare_and_wrapped() {
        let right = vec!["(cell 1 1 b)".to_owned(), "(control x)".into(), "done".into()];
        assert_eq!(facts("(Cell 1 1 B) (control x) ; c\n done (done)"), Ok(right.clone()));
        assert_eq!(facts("((TRUE (cell 1 1 b)) (true (control x)) (true done))"), Ok(right));
        assert_eq!(facts("()"), Ok(vec![]));
        assert_eq!(facts(" "), Ok(vec![]));
    }

    #[test]
    fn all_faults_are_told() {
        assert_eq!(
            facts("(cell 1 9 b) (zell ?x)"),
            Err(vec!["unknown-name", "unknown-name", "not-ground"])
        );
        assert_eq!(facts("(cell (1) (()))"), Err(vec!["bad-form"]));
        assert_eq!(facts("(cell 1"), Err(vec!["unclosed-parenthesis"]));
        assert_eq!(facts("done\0"), Err(vec!["not-text"]));
    }
}
