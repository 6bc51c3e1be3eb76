//! The text form of ground rules: a rulesheet without variables, one rule a line.
//!
//! What is printed can be read by gdl and grounded again, to the same rules. Helper atoms print as
//! their ids, so a line can be found again.

use std::fmt::{self, Display, Formatter};

use gdl::Term;
use index::Id;

use crate::rules::{AtomId, AtomKind, BaseId, GroundRule, GroundRules};
use crate::{TermId, Terms};

impl GroundRules {
    /// The base of a ground term whose names come from the rulebook that was grounded.
    pub fn find_base(&self, term: &Term) -> Option<BaseId> {
        self.bases.enumerate().find(|&(_, &held)| is_term(&self.terms, held, term)).map(|(b, _)| b)
    }

    /// The base with this GDL text, such as `(cell 1 1 b)`.
    pub fn find_base_text(&self, text: &str) -> Option<BaseId> {
        self.base_texts.enumerate().find(|(_, held)| **held == text).map(|(base, _)| base)
    }

    /// An atom as GDL text; a helper as its id.
    pub fn atom_text(&self, atom: AtomId) -> String {
        Shown { rules: self, what: atom }.to_string()
    }

    /// A rule as GDL text.
    pub fn rule_text(&self, rule: &GroundRule) -> String {
        Shown { rules: self, what: rule }.to_string()
    }
}

fn is_term(terms: &Terms, held: TermId, term: &Term) -> bool {
    let (symbol, args) = &terms.nodes[held];
    match term {
        Term::Variable(_) => false,
        Term::Constant(name) => name == symbol && args.is_empty(),
        Term::Compound(name, parts) => {
            name == symbol
                && args.len() == parts.len()
                && args.iter().zip(parts).all(|(&arg, part)| is_term(terms, arg, part))
        }
    }
}

struct Shown<'a, T> {
    rules: &'a GroundRules,
    what: T,
}

impl Display for Shown<'_, AtomId> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rules = self.rules;
        let input = |id| {
            let input: &crate::Input = &rules.inputs[id];
            (&rules.roles[input.role].name, &input.text)
        };
        match rules.atoms[self.what] {
            AtomKind::True(base) => write!(f, "(true {})", rules.base_texts[base]),
            AtomKind::Next(base) => write!(f, "(next {})", rules.base_texts[base]),
            AtomKind::Does(id) => write!(f, "(does {} {})", input(id).0, input(id).1),
            AtomKind::Legal(id) => write!(f, "(legal {} {})", input(id).0, input(id).1),
            AtomKind::Goal(role, value) => write!(f, "(goal {} {value})", rules.roles[role].name),
            AtomKind::Terminal => write!(f, "terminal"),
            AtomKind::Helper => write!(f, "{}", self.what),
        }
    }
}

impl Display for Shown<'_, &GroundRule> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let head = Shown { rules: self.rules, what: self.what.head };
        if self.what.body.is_empty() && self.rules.atoms[self.what.head] != AtomKind::Terminal {
            return write!(f, "{head}");
        }
        write!(f, "(<= {head}")?;
        for literal in &self.what.body {
            let atom = Shown { rules: self.rules, what: literal.atom };
            if literal.negated { write!(f, " (not {atom})")? } else { write!(f, " {atom}")? }
        }
        write!(f, ")")
    }
}

impl Display for GroundRules {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for role in &self.roles {
            writeln!(f, "(role {})", role.name)?;
        }
        for &base in &self.init {
            writeln!(f, "(init {})", self.base_texts[base])?;
        }
        for rule in &self.rules {
            writeln!(f, "{}", self.rule_text(rule))?;
        }
        debug_assert!(self.init.iter().all(|base| base.index() < self.bases.len()));
        Ok(())
    }
}
