//! Text to nested lists of words, each with its place.
//!
//! A word is a run of characters without white space, parenthesis or semicolon; `"..."` and
//! `|...|` are one word each, white space included. A comment runs from a semicolon to the end of
//! the line, and a line ends at LF, CR or both. Nesting is kept on a stack of our own and cut at
//! [`NESTING_LIMIT`], so no text can exhaust the machine's stack, here or in whoever walks the
//! trees; a form that was cut is left out, because whatever is said of its rest would be wrong. After a fault reading goes on: a stray `)` is skipped, and where some `(` is never
//! closed, or a rule stands inside another form, the text is read a second time with each `(<=`
//! taken for the start of a new rule, because a rule never stands inside a form. Cost: linear.

use crate::names::fold;
use crate::{Diagnostic, Span};

/// How deep lists may nest; terms and formulas of people stay under twenty.
pub(crate) const NESTING_LIMIT: usize = 200;

/// A word or a list.
#[derive(Debug)]
pub(crate) enum Tree {
    Word(Span),
    List(Span, Vec<Tree>),
}

impl Tree {
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Word(span) | Self::List(span, _) => *span,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Open,
    Close,
    Word,
    /// A quotation that is not closed on its line.
    OpenQuote,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The tokens of a text, without comments and white space; `base` is added to every place.
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    base: usize,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, base: 0 }
    }

    /// The tokens of a part of a text, with places in the whole.
    pub(crate) fn within(text: &'t str, span: Span) -> Self {
        Self { text: span.of(text), at: 0, base: span.start as usize }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_blank(&mut self) {
        while let Some(next) = self.rest().chars().next() {
            if next == ';' {
                let line = self.rest().find(['\n', '\r']);
                self.at = line.map_or(self.text.len(), |length| self.at + length);
            } else if next.is_whitespace() || next == '\u{feff}' {
                self.at += next.len_utf8();
            } else {
                return;
            }
        }
    }

    /// Length of a word that begins with a quotation mark, if its line closes it.
    fn quoted(&self, mark: char) -> Option<usize> {
        let inside = &self.rest()[mark.len_utf8()..];
        let end = inside.find([mark, '\n', '\r'])?;
        inside[end..].starts_with(mark).then_some(end + 2 * mark.len_utf8())
    }

    fn measure(&self) -> (TokenKind, usize) {
        let rest = self.rest();
        let plain = || rest.find(ends_word).unwrap_or(rest.len());
        match rest.as_bytes()[0] {
            b'(' => (TokenKind::Open, 1),
            b')' => (TokenKind::Close, 1),
            b'"' => match self.quoted('"') {
                Some(length) => (TokenKind::Word, length),
                None => (TokenKind::OpenQuote, plain()),
            },
            b'|' => (TokenKind::Word, self.quoted('|').unwrap_or_else(plain)),
            _ => (TokenKind::Word, plain()),
        }
    }
}

fn ends_word(next: char) -> bool {
    matches!(next, '(' | ')' | ';' | '\u{feff}') || next.is_whitespace()
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_blank();
        if self.at == self.text.len() {
            return None;
        }
        let (kind, length) = self.measure();
        assert!(length > 0, "a token without a character");
        let start = self.base + self.at;
        self.at += length;
        Some(Token { kind, span: Span::new(start, start + length) })
    }
}

/// Reads all lists of the text; faults are added to `faults`. Where parentheses do not match, the
/// trees are a guess.
pub(crate) fn grow(text: &str, faults: &mut Vec<Diagnostic>) -> Vec<Tree> {
    let mut grower = Grower::new(text, false);
    grower.run();
    if !grower.open.is_empty() || grower.nested_rule {
        grower = Grower::new(text, true);
        grower.run();
        grower.close_all(None);
    }
    debug_assert!(grower.open.is_empty() && grower.excess == 0);
    faults.append(&mut grower.faults);
    grower.done
}

struct Grower<'t> {
    text: &'t str,
    /// Whether `(<=` inside a list starts a new rule.
    resync: bool,
    /// Opening parentheses that wait for theirs, with what they hold so far.
    open: Vec<(Span, Vec<Tree>)>,
    /// Parentheses open beyond the limit.
    excess: usize,
    /// Whether the outermost list that is open was cut.
    cut: bool,
    /// Whether `(<=` stood inside a named list.
    nested_rule: bool,
    done: Vec<Tree>,
    strays: Vec<Span>,
    faults: Vec<Diagnostic>,
}

impl<'t> Grower<'t> {
    fn new(text: &'t str, resync: bool) -> Self {
        Self {
            text,
            resync,
            open: Vec::new(),
            excess: 0,
            cut: false,
            nested_rule: false,
            done: Vec::new(),
            strays: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn run(&mut self) {
        for token in Tokens::new(self.text) {
            match token.kind {
                TokenKind::Open => self.enter(token.span),
                TokenKind::Close => self.leave(token.span),
                TokenKind::Word => self.word(token.span),
                TokenKind::OpenQuote => {
                    self.faults.push(open_quote(token.span));
                    self.word(token.span);
                }
            }
            debug_assert!(self.open.len() <= NESTING_LIMIT);
        }
        self.report_strays();
    }

    fn enter(&mut self, span: Span) {
        if self.resync && self.starts_form(span) {
            self.close_all(Some(span));
        }
        let named = matches!(self.open.last(), Some((_, trees)) if matches!(trees.first(), Some(Tree::Word(_))));
        self.nested_rule |= named && self.excess == 0 && self.first_word(span) == "<=";
        if self.open.len() == NESTING_LIMIT {
            if self.excess == 0 {
                self.faults.push(too_deep(span));
                self.cut = true;
            }
            self.excess += 1;
        } else {
            self.open.push((span, Vec::new()));
        }
    }

    fn first_word(&self, open: Span) -> &'t str {
        let rest = Span::new(open.end as usize, self.text.len());
        let first = Tokens::within(self.text, rest).next();
        first.map_or("", |token| token.span.of(self.text))
    }

    /// Whether a form begins here although another is open: a rule anywhere, or, while a fact is
    /// open, what only begins forms at the beginning of a line.
    fn starts_form(&self, open: Span) -> bool {
        let Some((_, outermost)) = self.open.first() else { return false };
        let word = self.first_word(open);
        if word == "<=" {
            return true;
        }
        let in_rule =
            matches!(outermost.first(), Some(Tree::Word(span)) if span.of(self.text) == "<=");
        let before = self.text[..open.start as usize].chars().next_back();
        let begins = ["role", "init", "legal", "goal", "base", "input", "next", "sees"];
        !in_rule && matches!(before, Some('\n' | '\r')) && begins.contains(&fold(word).as_ref())
    }

    fn leave(&mut self, span: Span) {
        if self.excess > 0 {
            self.excess -= 1;
        } else if let Some((start, trees)) = self.open.pop() {
            self.keep(Tree::List(start.cover(span), trees));
        } else {
            self.stray(span);
        }
    }

    fn word(&mut self, span: Span) {
        if self.excess == 0 {
            self.keep(Tree::Word(span));
        }
    }

    fn keep(&mut self, tree: Tree) {
        match self.open.last_mut() {
            Some((_, trees)) => trees.push(tree),
            None if std::mem::take(&mut self.cut) => {}
            None => self.done.push(tree),
        }
    }

    /// Remembers a `)` too many; neighbours are one fault.
    fn stray(&mut self, span: Span) {
        match self.strays.last_mut() {
            Some(last) if self.text[last.end as usize..span.start as usize].trim().is_empty() => {
                *last = last.cover(span);
            }
            _ => self.strays.push(span),
        }
    }

    fn report_strays(&mut self) {
        for &span in &self.strays {
            self.faults.push(
                Diagnostic::error("stray-parenthesis", "a `)` without its `(`")
                    .label(span, "closes nothing")
                    .note("take it out, or add the `(` that it closes"),
            );
        }
    }

    /// Ends every open list; `next` is where a new rule begins, if not at the end of the text.
    fn close_all(&mut self, next: Option<Span>) {
        self.report_unclosed(next);
        self.excess = 0;
        let end = next.map_or(self.text.len(), |span| span.start as usize);
        while let Some((start, trees)) = self.open.pop() {
            self.keep(Tree::List(Span::new(start.start as usize, end), trees));
        }
    }

    fn report_unclosed(&mut self, next: Option<Span>) {
        let Some(&(first, _)) = self.open.first() else { return };
        let count = self.open.len() + self.excess;
        let message = match count {
            1 => "a `(` is never closed".to_owned(),
            _ => format!("{count} opening parentheses are never closed"),
        };
        let mut fault = Diagnostic::error("unclosed-parenthesis", message)
            .label(first, if count == 1 { "never closed" } else { "the first of them" });
        if let (Some((last, _)), true) = (self.open.last(), count > 1) {
            fault = fault.label(*last, "never closed either");
        }
        if let Some(next) = next {
            fault = fault.label(next, "a new rule begins here");
        }
        self.faults.push(fault.note("add the missing `)` where this form ends"));
    }
}

fn open_quote(span: Span) -> Diagnostic {
    Diagnostic::error("unclosed-quote", "a quotation is not closed on its line")
        .label(span, "begins here")
        .note("close it with `\"`, or take the quotation mark out")
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("too-deep", format!("parentheses nest deeper than {NESTING_LIMIT}"))
        .label(span, "this one is too deep")
        .note("introduce a helper relation for the inner part, or look for a missing `)` before it")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(tree: &Tree, text: &str) -> String {
        match tree {
            Tree::Word(span) => span.of(text).to_owned(),
            Tree::List(_, trees) => {
                let parts: Vec<String> = trees.iter().map(|tree| show(tree, text)).collect();
                format!("[{}]", parts.join(" "))
            }
        }
    }

    fn shape(text: &str) -> (String, Vec<&'static str>) {
        let mut faults = Vec::new();
        let forest = grow(text, &mut faults);
        let parts: Vec<String> = forest.iter().map(|tree| show(tree, text)).collect();
        (parts.join(" "), faults.iter().map(|fault| fault.code).collect())
    }

    #[test]
    fn comments_and_line_ends_of_every_kind_separate() {
        let text = "\u{feff}(a b);x)(\r(c\td);y(\r\n(e\u{a0}f)\n; end (";
        assert_eq!(shape(text), ("[a b] [c d] [e f]".into(), vec![]));
    }

    #[test]
    fn quotations_are_words() {
        assert_eq!(shape("(a \"b (c\" |d e| f|g)").0, "[a \"b (c\" |d e| f|g]");
        assert_eq!(shape("(a \"b)\n(c)").1, ["unclosed-quote"]);
    }

    #[test]
    fn a_missing_parenthesis_costs_one_rule_only() {
        let (trees, codes) = shape("(a b)\n(<= c (d e)\n(<= f g)\n(<= h (i))\n(j)");
        assert_eq!(trees, "[a b] [<= c [d e]] [<= f g] [<= h [i]] [j]");
        assert_eq!(codes, ["unclosed-parenthesis"]);
        let (trees, codes) = shape("(role a\n(init b)\n(<= c (d e)\n(<= f g)) )");
        assert_eq!(trees, "[role a] [init b] [<= c [d e]] [<= f g]");
        assert_eq!(codes, ["unclosed-parenthesis", "unclosed-parenthesis", "stray-parenthesis"]);
        assert_eq!(
            shape("(a))\n(b) ) )\n(c)"),
            ("[a] [b] [c]".into(), vec!["stray-parenthesis"; 2])
        );
    }

    #[test]
    fn a_million_parentheses_are_two_faults() {
        let (_, codes) = shape(&"(".repeat(1_000_000));
        assert_eq!(codes, ["too-deep", "unclosed-parenthesis"]);
        assert_eq!(shape(&")".repeat(1_000_000)).1, ["stray-parenthesis"]);
        let both = format!("{}{}(a)", "(".repeat(100_000), ")".repeat(100_000));
        let (trees, codes) = shape(&both);
        assert_eq!(trees, "[a]", "the form that was cut is left out, the next one is not");
        assert_eq!(codes, ["too-deep"]);
    }
}
