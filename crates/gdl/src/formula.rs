//! Trees to rules whose bodies are formulas: forms are checked here, one rule at a time.
//!
//! What passes has the right shape: keywords with their number of arguments and on their side of
//! the rule, terms at most [`TERM_DEPTH_LIMIT`] deep, `(f)` and `f` one and the same. A rule with a
//! fault is left out after all its faults are told. Formulas nest no deeper than the trees they
//! come from, so that walking them by recursion is safe.

use index::IndexVec;
use rustc_hash::FxHashMap;

use crate::names::{Names, fold};
use crate::tree::Tree;
use crate::{Atom, Diagnostic, Span, SymbolId, Term, VarId, keyword};

/// How deep a term may be: constants and variables are one deep.
pub const TERM_DEPTH_LIMIT: usize = 32;

/// A body before normalisation.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Holds(Atom),
    Distinct(Term, Term, Span),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// A rule as it was written.
#[derive(Debug)]
pub(crate) struct WrittenRule {
    pub(crate) head: Atom,
    pub(crate) body: Vec<Formula>,
    pub(crate) variables: IndexVec<VarId, Box<str>>,
    pub(crate) span: Span,
}

/// The number of arguments of a relation that GDL defines, and how it is written.
pub(crate) fn right_form(relation: SymbolId) -> Option<(usize, &'static str)> {
    Some(match relation {
        keyword::ROLE => (1, "(role NAME)"),
        keyword::INIT => (1, "(init FLUENT)"),
        keyword::TRUE => (1, "(true FLUENT)"),
        keyword::NEXT => (1, "(next FLUENT)"),
        keyword::LEGAL => (2, "(legal ROLE MOVE)"),
        keyword::DOES => (2, "(does ROLE MOVE)"),
        keyword::GOAL => (2, "(goal ROLE NUMBER)"),
        keyword::TERMINAL => (0, "terminal, without arguments"),
        keyword::BASE => (1, "(base FLUENT)"),
        keyword::INPUT => (2, "(input ROLE MOVE)"),
        keyword::SEES => (2, "(sees ROLE PERCEPT)"),
        keyword::DISTINCT => (2, "(distinct TERM TERM)"),
        keyword::NOT => (1, "(not CONDITION)"),
        _ => return None,
    })
}

/// What to do about a rule without its arrow.
const RULE_FORM: &str = "if a rule is meant, write (<= HEAD CONDITION ...)";

/// A longer rule is not written out in a note.
const SHOWN_BYTES: usize = 120;

fn is_connective(symbol: SymbolId) -> bool {
    matches!(symbol, keyword::NOT | keyword::OR | keyword::AND | keyword::DISTINCT)
}

/// Turns trees into rules, one at a time.
pub(crate) struct Lowering<'a> {
    pub(crate) text: &'a str,
    pub(crate) names: &'a mut Names,
    pub(crate) faults: &'a mut Vec<Diagnostic>,
    variables: IndexVec<VarId, Box<str>>,
    /// A variable, where it first stands, and whether a second spelling has been told.
    by_name: FxHashMap<Box<str>, (VarId, Span, bool)>,
}

/// `None` after a fault that has been told.
type Lowered<T> = Option<T>;

impl<'a> Lowering<'a> {
    pub(crate) fn new(
        text: &'a str,
        names: &'a mut Names,
        faults: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self { text, names, faults, variables: IndexVec::new(), by_name: FxHashMap::default() }
    }

    fn refuse<T>(&mut self, fault: Diagnostic) -> Lowered<T> {
        debug_assert!(fault.is_error() && !fault.labels.is_empty());
        self.faults.push(fault);
        None
    }

    /// All rules of a sheet.
    pub(crate) fn sheet(&mut self, trees: &[Tree]) -> Vec<WrittenRule> {
        let mut rules = Vec::with_capacity(trees.len());
        let mut bare: Option<Span> = None;
        for tree in trees {
            match tree {
                Tree::Word(span) => bare = Some(bare.map_or(*span, |run| run.cover(*span))),
                Tree::List(span, trees) => {
                    self.report_bare(bare.take());
                    rules.extend(self.form(*span, trees));
                }
            }
        }
        self.report_bare(bare);
        rules
    }

    fn report_bare(&mut self, bare: Option<Span>) {
        let Some(span) = bare else { return };
        let word = span.of(self.text).split_whitespace().next().unwrap_or("");
        let hint = if word == ":-" || word.ends_with('.') {
            "this looks like Prolog; rules are written (<= HEAD CONDITION ...)".to_owned()
        } else {
            format!("write ({word}) for a fact, or ; before a comment")
        };
        self.faults.push(
            Diagnostic::error("bare-word", "text outside parentheses")
                .label(span, "belongs to no fact or rule")
                .note(hint),
        );
    }

    /// One fact or rule.
    fn form(&mut self, span: Span, trees: &[Tree]) -> Lowered<WrittenRule> {
        self.variables = IndexVec::new();
        self.by_name.clear();
        let (head, body) = match trees.first() {
            Some(Tree::Word(word)) if word.of(self.text) == "<=" => {
                self.rule(span, *word, &trees[1..])?
            }
            Some(Tree::Word(word)) if is_arrow(word.of(self.text)) => {
                return self.refuse(wrong_arrow(*word, word.of(self.text)));
            }
            _ => (self.fact(span, trees)?, Vec::new()),
        };
        let variables = std::mem::take(&mut self.variables);
        Some(WrittenRule { head, body, variables, span })
    }

    /// A fact; what looks like a rule without its arrow is told.
    fn fact(&mut self, span: Span, trees: &[Tree]) -> Lowered<Atom> {
        if let [Tree::List(head, _), rest @ ..] = trees {
            let Some(condition) = rest.iter().find_map(|tree| self.condition(tree)) else {
                return self.refuse(list_for_name(*head).note(RULE_FORM));
            };
            let fault = self.forgotten_arrow(*head, condition, self.rule_form(trees, 1));
            return self.refuse(Diagnostic { severity: crate::Severity::Error, ..fault });
        }
        let takes = trees.first().and_then(|tree| self.takes(tree));
        // The first argument of other facts is a term however it is called: `(init (true x))`.
        let first = if takes == Some(0) { 1 } else { 2 };
        let mut later = trees.iter().enumerate().skip(first);
        let found = later.find_map(|(at, tree)| self.condition(tree).map(|span| (at, span)));
        let Some((at, condition)) = found else { return self.head_list(span, trees) };
        let form = match takes {
            Some(arity) if arity + 1 != at => RULE_FORM.to_owned(),
            _ => self.rule_form(trees, at),
        };
        let fault = self.forgotten_arrow(trees[0].span(), condition, form);
        if takes.is_some_and(|arity| arity != trees.len() - 1) {
            return self.refuse(Diagnostic { severity: crate::Severity::Error, ..fault });
        }
        self.faults.push(fault);
        self.head_list(span, trees)
    }

    /// The number of arguments of a name that GDL defines.
    fn takes(&self, name: &Tree) -> Option<usize> {
        let name = fold(name.span().of(self.text));
        let relation = self.names.symbols.find(&name)?;
        right_form(relation).map(|(arity, _)| arity)
    }

    fn forgotten_arrow(&self, head: Span, condition: Span, form: String) -> Diagnostic {
        debug_assert!(head.start < condition.start, "a head stands first");
        Diagnostic::warning("forgotten-arrow", "a fact with a condition inside")
            .label(condition, "only a term here, no condition")
            .label(head, "a fact begins here")
            .note(form)
    }

    /// The rule that is meant where the trees from `at` on are conditions: as it is to be written
    /// where it is short, and in general where it is not.
    fn rule_form(&self, trees: &[Tree], at: usize) -> String {
        let text = |trees: &[Tree]| {
            let words = trees.iter().flat_map(|tree| tree.span().of(self.text).split_whitespace());
            words.collect::<Vec<_>>().join(" ")
        };
        let (head, body) = trees.split_at(at);
        let whole = trees[0].span().cover(trees[trees.len() - 1].span()).of(self.text);
        if whole.len() > SHOWN_BYTES || whole.contains(';') {
            return RULE_FORM.to_owned();
        }
        let head = match head {
            [_] => text(head),
            _ => format!("({})", text(head)),
        };
        format!("if a rule is meant, write `(<= {head} {})`", text(body))
    }

    /// Where a condition stands, if the tree can only be one.
    fn condition(&self, tree: &Tree) -> Option<Span> {
        let conditions = ["true", "does", "not", "or", "and", "distinct"];
        let Tree::List(span, inner) = tree else { return None };
        let [Tree::Word(word), _, ..] = inner.as_slice() else { return None };
        let word = fold(word.of(self.text));
        conditions.contains(&word.as_ref()).then_some(*span)
    }

    fn rule(&mut self, span: Span, arrow: Span, rest: &[Tree]) -> Lowered<(Atom, Vec<Formula>)> {
        let Some((head, conditions)) = rest.split_first() else {
            let fault = Diagnostic::error("bad-form", "a rule without a head")
                .label(span.cover(arrow), "nothing is concluded")
                .note("a rule is written (<= HEAD CONDITION ...)");
            return self.refuse(fault);
        };
        let head = match head {
            Tree::Word(word) => self.head_list(*word, std::slice::from_ref(head)),
            Tree::List(span, trees) => self.head_list(*span, trees),
        };
        let body: Vec<_> = conditions.iter().map(|tree| self.formula(tree)).collect();
        Some((head?, body.into_iter().collect::<Lowered<Vec<_>>>()?))
    }

    fn head_list(&mut self, span: Span, trees: &[Tree]) -> Lowered<Atom> {
        let atom = self.atom(span, trees)?;
        if !atom.relation.is_keyword() {
            return Some(atom);
        }
        let name = self.names.symbols.name(atom.relation);
        match atom.relation {
            keyword::TRUE | keyword::DOES => {
                let right = if atom.relation == keyword::TRUE { "init` or `next" } else { "legal" };
                let fault = Diagnostic::error(
                    "keyword-in-head",
                    format!("`{name}` is only for conditions, it cannot be concluded"),
                )
                .label(span, "concluded here")
                .note(format!("`{right}` may be meant; if this is a condition, it stands inside its rule: look for a `)` too many before it"));
                self.refuse(fault)
            }
            relation if is_connective(relation) => {
                let fault = Diagnostic::error(
                    "bad-head",
                    format!("a head is one atom, `{name}` is only for conditions"),
                )
                .label(span, "concluded here")
                .note("write one rule for each conclusion");
                self.refuse(fault)
            }
            _ => Some(atom),
        }
    }

    fn formula(&mut self, tree: &Tree) -> Lowered<Formula> {
        let (span, trees) = match tree {
            Tree::Word(span) => (*span, std::slice::from_ref(tree)),
            Tree::List(span, trees) => (*span, trees.as_slice()),
        };
        let relation = match trees.first() {
            Some(Tree::Word(word)) => fold(word.of(self.text)).into_owned(),
            _ => String::new(),
        };
        match relation.as_str() {
            "or" => Some(Formula::Any(self.formulas(&trees[1..])?)),
            "and" => Some(Formula::All(self.formulas(&trees[1..])?)),
            "not" => self.negation(span, &trees[1..]),
            _ => self.literal(span, trees),
        }
    }

    fn formulas(&mut self, trees: &[Tree]) -> Lowered<Vec<Formula>> {
        let parts: Vec<_> = trees.iter().map(|tree| self.formula(tree)).collect();
        parts.into_iter().collect()
    }

    fn negation(&mut self, span: Span, trees: &[Tree]) -> Lowered<Formula> {
        let inner = self.formulas(trees);
        match (trees, inner) {
            ([_], Some(mut inner)) => inner.pop().map(|inner| Formula::Not(Box::new(inner))),
            ([_], None) => None,
            _ => self.refuse(wrong_arity(span, keyword::NOT, "not", trees.len())),
        }
    }

    fn literal(&mut self, span: Span, trees: &[Tree]) -> Lowered<Formula> {
        let atom = self.atom(span, trees)?;
        match atom.relation {
            keyword::DISTINCT => {
                let [left, right] = <[Term; 2]>::try_from(atom.args.into_vec()).ok()?;
                Some(Formula::Distinct(left, right, span))
            }
            keyword::NEXT => {
                let fault = Diagnostic::error(
                    "keyword-in-body",
                    "`next` cannot be a condition: it speaks of the state to come",
                )
                .label(span, "used as a condition")
                .note("use (true FLUENT) for the present state, or a helper relation for both");
                self.refuse(fault)
            }
            _ => Some(Formula::Holds(atom)),
        }
    }

    fn atom(&mut self, span: Span, trees: &[Tree]) -> Lowered<Atom> {
        let word = match trees.first() {
            Some(Tree::Word(word)) => *word,
            Some(Tree::List(inner, _)) => return self.refuse(list_for_name(*inner)),
            None => return self.refuse(empty_list(span)),
        };
        let name = word.of(self.text);
        if name.starts_with('?') {
            return self.refuse(variable_for_name(word, name));
        }
        if name == "<=" || is_arrow(name) {
            return self.refuse(nested_rule(word));
        }
        let relation = self.names.intern(self.text, word, self.faults);
        let args = self.terms(&trees[1..], 1);
        if let Some((arity, _)) = right_form(relation)
            && arity != trees.len() - 1
        {
            let name = self.names.symbols.name(relation).to_owned();
            return self.refuse(wrong_arity(span, relation, &name, trees.len() - 1));
        }
        let mut args = args?;
        if relation == keyword::GOAL {
            self.plain_number(&mut args[1]);
        }
        Some(Atom { relation, args, span })
    }

    /// Takes the leading zeros off a goal value: `007` is 7.
    fn plain_number(&mut self, value: &mut Term) {
        let Term::Constant(name) = *value else { return };
        let text = self.names.symbols.name(name);
        let plain = match text.trim_start_matches('0') {
            "" => "0",
            rest => rest,
        };
        if plain.len() < text.len() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let plain = plain.to_owned();
            *value = Term::Constant(self.names.symbols.intern(&plain));
        }
    }

    /// A term whose outermost symbol is `depth` deep.
    pub(crate) fn term(&mut self, tree: &Tree, depth: usize) -> Lowered<Term> {
        if depth > TERM_DEPTH_LIMIT {
            return self.refuse(deep_term(tree.span()));
        }
        match tree {
            Tree::Word(word) => Some(self.simple_term(*word)),
            Tree::List(span, trees) => self.compound(*span, trees, depth),
        }
    }

    /// Terms side by side; all are looked at, so that all faults are told.
    fn terms(&mut self, trees: &[Tree], depth: usize) -> Lowered<Box<[Term]>> {
        let mut terms = Vec::with_capacity(trees.len());
        for tree in trees {
            terms.extend(self.term(tree, depth));
        }
        (terms.len() == trees.len()).then(|| terms.into_boxed_slice())
    }

    fn simple_term(&mut self, word: Span) -> Term {
        match word.of(self.text).strip_prefix('?') {
            Some(name) => Term::Variable(self.variable(name, word)),
            None => Term::Constant(self.names.intern(self.text, word, self.faults)),
        }
    }

    fn compound(&mut self, span: Span, trees: &[Tree], depth: usize) -> Lowered<Term> {
        let word = match trees.first() {
            Some(Tree::Word(word)) => *word,
            Some(Tree::List(inner, _)) => return self.refuse(list_for_name(*inner)),
            None => return self.refuse(empty_list(span)),
        };
        let name = word.of(self.text);
        if name.starts_with('?') {
            return self.refuse(variable_for_name(word, name));
        }
        if name == "<=" || is_arrow(name) {
            return self.refuse(nested_rule(word));
        }
        let function = self.names.intern(self.text, word, self.faults);
        if is_connective(function) && trees.len() > 1 {
            self.faults.push(connective_in_term(word, name));
        }
        let args = self.terms(&trees[1..], depth + 1)?;
        Some(if args.is_empty() {
            Term::Constant(function)
        } else {
            Term::Compound(function, args)
        })
    }

    fn variable(&mut self, name: &str, span: Span) -> VarId {
        let folded = if self.names.symbols.is_case_sensitive() { name.into() } else { fold(name) };
        if let Some((variable, first, told)) = self.by_name.get_mut(folded.as_ref()) {
            if !*told && first.of(self.text) != span.of(self.text) {
                *told = true;
                self.faults.push(merged_variable(*first, span, self.text));
            }
            return *variable;
        }
        let variable = self.variables.push(folded.as_ref().into());
        self.by_name.insert(folded.as_ref().into(), (variable, span, false));
        variable
    }
}

fn is_arrow(word: &str) -> bool {
    matches!(word, "=>" | "<=>" | "<==" | "<-" | "->" | ":-" | "==>")
}

fn wrong_arrow(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("bad-form", format!("a rule is not written with `{word}`"))
        .label(span, "not an arrow of GDL")
        .note("write (<= HEAD CONDITION ...), the conclusion first")
}

fn nested_rule(span: Span) -> Diagnostic {
    Diagnostic::error("bad-form", "a rule inside another form")
        .label(span, "a rule begins here")
        .note("the form before it lacks a `)`, or the whole sheet stands in parentheses of its own")
}

fn list_for_name(span: Span) -> Diagnostic {
    Diagnostic::error("bad-form", "a list where a name belongs")
        .label(span, "not a name")
        .note("a form begins with a name, as in (cell 1 1 b); take the extra parentheses out")
}

fn empty_list(span: Span) -> Diagnostic {
    Diagnostic::error("bad-form", "empty parentheses")
        .label(span, "nothing inside")
        .note("a form begins with a name, as in (cell 1 1 b)")
}

fn variable_for_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("bad-form", format!("the variable `{name}` stands where a name belongs"))
        .label(span, "not a name")
        .note("variables stand for terms only, never for relations or functions")
}

fn wrong_arity(span: Span, relation: SymbolId, name: &str, found: usize) -> Diagnostic {
    let (arity, form) = right_form(relation).unwrap_or((found, ""));
    debug_assert_ne!(arity, found, "a wrong number of arguments that is right");
    let plural = if arity == 1 { "" } else { "s" };
    let message = format!("`{name}` takes {arity} argument{plural}, not {found}");
    Diagnostic::error("keyword-arity", message)
        .label(span, format!("{found} given"))
        .note(format!("it is written {form}"))
}

fn deep_term(span: Span) -> Diagnostic {
    let message = format!("a term is deeper than {TERM_DEPTH_LIMIT}");
    Diagnostic::error("term-too-deep", message)
        .label(span, "this part is too deep")
        .note("spread it over several arguments or several facts")
}

fn connective_in_term(span: Span, name: &str) -> Diagnostic {
    Diagnostic::warning("connective-in-term", format!("`{name}` inside a term is only a name"))
        .label(span, "no condition here")
        .note(format!("if a condition is meant, write ({name} ...) around the atom, not inside it"))
}

fn merged_variable(first: Span, second: Span, text: &str) -> Diagnostic {
    let message =
        format!("`{}` and `{}` are read as one variable", first.of(text), second.of(text));
    Diagnostic::warning("merged-spelling", message)
        .label(second, "written like this here")
        .label(first, "and like this here")
        .note("names differ in more than case by default; `--case-sensitive` keeps them apart")
}
