//! Spellings to symbols: folds case, and notices where folding makes one name of two.
//!
//! Keywords are recognised in any case, also where other names keep theirs. Quotations (`"..."`,
//! `|...|`) are never folded. Cost: one look-up a word.

use std::borrow::Cow;

use index::Id;

use crate::{Diagnostic, Span, SymbolId, Symbols};

/// The name table while a sheet is read.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) symbols: Symbols,
    /// The first spelling of each name, by symbol, and whether its merger has been told.
    spellings: Vec<Option<(Span, bool)>>,
}

/// The lower-case form of a spelling; quotations stay as they are.
pub(crate) fn fold(spelling: &str) -> Cow<'_, str> {
    let quoted = spelling.starts_with(['"', '|']);
    if quoted || !spelling.chars().any(char::is_uppercase) {
        Cow::Borrowed(spelling)
    } else {
        Cow::Owned(spelling.to_lowercase())
    }
}

impl Names {
    pub(crate) fn new(case_sensitive: bool) -> Self {
        Self { symbols: Symbols::with_case(case_sensitive), spellings: Vec::new() }
    }

    /// The symbol of the word at `span`; a merger of two spellings is told once a name.
    pub(crate) fn intern(
        &mut self,
        text: &str,
        span: Span,
        faults: &mut Vec<Diagnostic>,
    ) -> SymbolId {
        let spelling = span.of(text);
        debug_assert!(!spelling.is_empty(), "a word without a character");
        let folded = fold(spelling);
        if self.symbols.is_case_sensitive() {
            let keyword = self.symbols.find(&folded).filter(|symbol| symbol.is_keyword());
            return keyword.unwrap_or_else(|| self.symbols.intern(spelling));
        }
        let symbol = self.symbols.intern(&folded);
        if !symbol.is_keyword() {
            self.remember(symbol, text, span, faults);
        }
        symbol
    }

    fn remember(&mut self, symbol: SymbolId, text: &str, span: Span, faults: &mut Vec<Diagnostic>) {
        if symbol.index() >= self.spellings.len() {
            self.spellings.resize(symbol.index() + 1, None);
        }
        match &mut self.spellings[symbol.index()] {
            Some((first, told)) if !*told && first.of(text) != span.of(text) => {
                *told = true;
                faults.push(merged(*first, span, text));
            }
            Some(_) => {}
            empty => *empty = Some((span, false)),
        }
    }
}

fn merged(first: Span, second: Span, text: &str) -> Diagnostic {
    let message = format!("`{}` and `{}` are read as one name", first.of(text), second.of(text));
    Diagnostic::warning("merged-spelling", message)
        .label(second, "written like this here")
        .label(first, "and like this here")
        .note("names differ in more than case by default; `--case-sensitive` keeps them apart")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword;

    fn intern_all(words: &str, case_sensitive: bool) -> (Vec<SymbolId>, usize) {
        let mut names = Names::new(case_sensitive);
        let mut faults = Vec::new();
        let symbols = crate::tree::Tokens::new(words)
            .map(|token| names.intern(words, token.span, &mut faults))
            .collect();
        (symbols, faults.len())
    }

    #[test]
    fn folding_merges_names_and_says_so_once() {
        let (symbols, warnings) = intern_all("Cell cell CELL TRUE True \"A\" \"a\"", false);
        assert!(symbols[0] == symbols[1] && symbols[1] == symbols[2]);
        assert_eq!(&symbols[3..5], &[keyword::TRUE; 2]);
        assert_ne!(symbols[5], symbols[6]);
        assert_eq!(warnings, 1);
    }

    #[test]
    fn case_can_be_kept_for_all_but_keywords() {
        let (symbols, warnings) = intern_all("Cell cell Random RANDOM", true);
        assert_ne!(symbols[0], symbols[1]);
        assert_eq!(&symbols[2..], &[keyword::RANDOM; 2]);
        assert_eq!(warnings, 0);
    }
}
