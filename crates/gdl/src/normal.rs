//! Rules with formulas to rules with lists of literals.
//!
//! Negation is pushed inward (De Morgan), alternatives become rules of their own, `not distinct`
//! becomes unification, and `distinct` over terms that can never or must always be equal is
//! decided here. Multiplying out ends at [`EXPANSION_LIMIT`] rules, or at the number of the rule's
//! literals where that is more (a plain list of alternatives is never split): beyond, one
//! alternative after the other is named by a helper relation, each helper's rules holding what
//! binds its variables, so that safety is kept and the rules add up instead. Where the variables
//! do not allow that, up to [`HARD_LIMIT`] rules are made, and a rule beyond is refused; so is one
//! that would take more than [`LITERAL_LIMIT`] literals either way, since each alternative repeats
//! the rest of its rule.

use index::{IdSet, IndexVec};
use rustc_hash::FxHashSet;

use crate::formula::{Formula, WrittenRule};
use crate::names::Names;
use crate::unify::{Substitution, TooLarge, unifiable};
use crate::{Atom, Diagnostic, Literal, Rule, Span, Term, VarId, shape};

/// A rule with more alternatives than this is split by helper relations.
pub(crate) const EXPANSION_LIMIT: usize = 64;
/// The most rules that one rule may become without helpers.
const HARD_LIMIT: usize = 4096;
/// The most literals of the rules that one rule may become.
const LITERAL_LIMIT: usize = 1_000_000;

/// A formula with negation at the leaves only.
#[derive(Clone, Debug)]
enum Part {
    Literal(Literal),
    Equal(Term, Term),
    All(Vec<Part>),
    Any(Vec<Part>),
}

fn parts(formula: &Formula, positive: bool) -> Part {
    let each = |inner: &[Formula]| inner.iter().map(|one| parts(one, positive)).collect();
    match (formula, positive) {
        (Formula::Holds(atom), true) => Part::Literal(Literal::Positive(atom.clone())),
        (Formula::Holds(atom), false) => Part::Literal(Literal::Negative(atom.clone())),
        (Formula::Distinct(left, right, span), true) => {
            Part::Literal(Literal::Distinct(left.clone(), right.clone(), *span))
        }
        (Formula::Distinct(left, right, _), false) => Part::Equal(left.clone(), right.clone()),
        (Formula::Not(inner), _) => parts(inner, !positive),
        (Formula::All(inner), true) | (Formula::Any(inner), false) => Part::All(each(inner)),
        (Formula::Any(inner), true) | (Formula::All(inner), false) => Part::Any(each(inner)),
    }
}

impl Part {
    /// How many lists of literals it becomes.
    fn count(&self) -> usize {
        match self {
            Self::Literal(_) | Self::Equal(..) => 1,
            Self::All(inner) => count_all(inner),
            Self::Any(inner) => inner.iter().fold(0, |sum, one| sum.saturating_add(one.count())),
        }
    }

    /// How many literals it was written with.
    fn leaves(&self) -> usize {
        match self {
            Self::Literal(_) | Self::Equal(..) => 1,
            Self::All(inner) | Self::Any(inner) => inner.iter().map(Self::leaves).sum(),
        }
    }

    fn collect_variables(&self, found: &mut IdSet<VarId>) {
        match self {
            Self::Literal(literal) => literal.collect_variables(found),
            Self::Equal(left, right) => {
                left.collect_variables(found);
                right.collect_variables(found);
            }
            Self::All(inner) | Self::Any(inner) => {
                inner.iter().for_each(|one| one.collect_variables(found));
            }
        }
    }

    /// Appends each list of leaves to each list so far.
    fn multiply<'p>(&'p self, lists: Vec<Vec<&'p Part>>) -> Vec<Vec<&'p Part>> {
        match self {
            Self::Literal(_) | Self::Equal(..) => {
                let mut lists = lists;
                lists.iter_mut().for_each(|list| list.push(self));
                lists
            }
            Self::All(inner) => inner.iter().fold(lists, |lists, one| one.multiply(lists)),
            Self::Any(inner) => inner.iter().flat_map(|one| one.multiply(lists.clone())).collect(),
        }
    }
}

/// How many branches a part has at its top.
fn branch_count(part: &Part) -> usize {
    match part {
        Part::Any(branches) => branches.len(),
        _ => 1,
    }
}

fn count_all(parts: &[Part]) -> usize {
    parts.iter().fold(1, |product, one| product.saturating_mul(one.count()))
}

/// The conjuncts of a part, nested conjunctions opened.
fn flatten(part: Part, into: &mut Vec<Part>) {
    match part {
        Part::All(inner) => inner.into_iter().for_each(|one| flatten(one, into)),
        Part::Any(mut inner) if inner.len() == 1 => {
            if let Some(only) = inner.pop() {
                flatten(only, into);
            }
        }
        other => into.push(other),
    }
}

/// Makes normal rules of written ones.
pub(crate) struct Normalising<'a> {
    pub(crate) names: &'a mut Names,
    pub(crate) faults: &'a mut Vec<Diagnostic>,
    pub(crate) rules: Vec<Rule>,
    helpers: usize,
}

/// What is not yet in normal form of one rule.
struct Pending {
    head: Atom,
    body: Vec<Part>,
}

impl<'a> Normalising<'a> {
    pub(crate) fn new(names: &'a mut Names, faults: &'a mut Vec<Diagnostic>) -> Self {
        Self { names, faults, rules: Vec::new(), helpers: 0 }
    }

    /// Adds the normal form of one rule.
    pub(crate) fn rule(&mut self, written: &WrittenRule) {
        if written.body.is_empty() {
            self.rules.push(fact(written));
            return;
        }
        let mut body = Vec::new();
        for formula in &written.body {
            flatten(parts(formula, true), &mut body);
        }
        let mut queue = vec![Pending { head: written.head.clone(), body }];
        let first = self.rules.len();
        let mut left = LITERAL_LIMIT;
        while let Some(pending) = queue.pop() {
            let count = count_all(&pending.body);
            let leaves: usize = pending.body.iter().map(Part::leaves).sum();
            let few = EXPANSION_LIMIT.max(leaves);
            let split = if count <= few { None } else { self.split(&pending) };
            let cost = if split.is_some() { leaves } else { count.saturating_mul(leaves) };
            let affordable = cost <= left;
            left = left.saturating_sub(cost);
            let done = match split {
                Some(smaller) if affordable => {
                    queue.extend(smaller);
                    Ok(())
                }
                None if affordable && count <= few.max(HARD_LIMIT) => {
                    self.expand(&pending, written)
                }
                _ => Err(too_many(written.span, count)),
            };
            if let Err(fault) = done {
                self.faults.push(fault);
                return;
            }
        }
        self.drop_repeats(first);
    }

    /// One rule may become the same rule twice; that is nobody's fault.
    fn drop_repeats(&mut self, first: usize) {
        if self.rules.len() - first < 2 {
            return;
        }
        let mut made = self.rules.split_off(first);
        shape::drop_repeated_rules(&mut made, |_| {});
        self.rules.append(&mut made);
    }

    fn expand(&mut self, pending: &Pending, written: &WrittenRule) -> Result<(), Diagnostic> {
        let lists = pending.body.iter().fold(vec![Vec::new()], |lists, part| part.multiply(lists));
        debug_assert_eq!(lists.len(), count_all(&pending.body));
        for list in lists {
            let rule = conjunction(&pending.head, &list, written)
                .map_err(|TooLarge| too_large(written.span))?;
            self.rules.extend(rule);
        }
        Ok(())
    }

    /// Names one alternative of the body by a helper relation. The helper's rules come first, the
    /// rest of the body after it; both have fewer alternatives than the whole.
    fn split(&mut self, pending: &Pending) -> Option<Vec<Pending>> {
        let (context, choices): (Vec<Part>, Vec<Part>) =
            pending.body.iter().cloned().partition(|part| !matches!(part, Part::Any(_)));
        let bound = variables_of(context.iter().filter(|part| is_positive(part)));
        let picked = (0..choices.len()).find(|&index| {
            let rest = variables_of(
                choices.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, part)| part),
            );
            let later = union(&rest, &union(&variables_of(&context), &head_variables(pending)));
            can_be_named(&choices[index], &bound, &later)
        })?;
        let mut rest = choices;
        debug_assert!(branch_count(&rest[picked]) > 1, "single alternatives are opened before");
        let Part::Any(branches) = rest.remove(picked) else {
            unreachable!("only alternatives are picked")
        };
        let binders: Vec<Part> = context.iter().filter(|part| is_positive(part)).cloned().collect();
        if binders.len().saturating_mul(branches.len()) > LITERAL_LIMIT {
            return None;
        }
        let inside = union(&bound, &variables_of(&branches));
        let outside = union(
            &union(&variables_of(&rest), &head_variables(pending)),
            &variables_of(context.iter().filter(|part| !is_positive(part))),
        );
        let args: Box<[Term]> =
            inside.iter().filter(|id| outside.contains(*id)).map(Term::Variable).collect();
        let helper = self.helper(&pending.head, args);
        let mut made: Vec<Pending> = branches
            .into_iter()
            .map(|branch| {
                let mut body = binders.clone();
                flatten(branch, &mut body);
                Pending { head: helper.clone(), body }
            })
            .collect();
        let mut body = vec![Part::Literal(Literal::Positive(helper))];
        body.extend(context.into_iter().filter(|part| !is_positive(part)));
        body.extend(rest);
        made.push(Pending { head: pending.head.clone(), body });
        debug_assert!(made.iter().all(|one| count_all(&one.body) < count_all(&pending.body)));
        Some(made)
    }

    fn helper(&mut self, head: &Atom, args: Box<[Term]>) -> Atom {
        let relation = self.names.symbols.unused(head.relation, &mut self.helpers);
        Atom { relation, args, span: head.span }
    }
}

/// A rule without conditions is in normal form as it stands.
fn fact(written: &WrittenRule) -> Rule {
    let head = written.head.clone();
    Rule { head, body: Vec::new(), variables: written.variables.clone(), span: written.span }
}

fn is_positive(part: &Part) -> bool {
    matches!(part, Part::Literal(Literal::Positive(_)))
}

fn variables_of<'p>(parts: impl IntoIterator<Item = &'p Part>) -> IdSet<VarId> {
    let mut found = IdSet::new();
    parts.into_iter().for_each(|part| part.collect_variables(&mut found));
    found
}

fn head_variables(pending: &Pending) -> IdSet<VarId> {
    let mut found = IdSet::new();
    pending.head.collect_variables(&mut found);
    found
}

fn union(one: &IdSet<VarId>, other: &IdSet<VarId>) -> IdSet<VarId> {
    let mut both = one.clone();
    both.union_with(other);
    both
}

/// Whether each branch binds all variables that it or the rest of the rule needs, with the help of
/// what is `bound` before it.
fn can_be_named(choice: &Part, bound: &IdSet<VarId>, later: &IdSet<VarId>) -> bool {
    let Part::Any(branches) = choice else { return false };
    let shared: IdSet<VarId> =
        variables_of([choice]).iter().filter(|id| later.contains(*id)).collect();
    branches.iter().all(|branch| {
        let binds = union(bound, &certain_bindings(branch));
        let needed = union(&shared, &variables_of([branch]));
        needed.iter().all(|variable| binds.contains(variable))
    })
}

/// Variables that a part binds whichever way it holds.
fn certain_bindings(part: &Part) -> IdSet<VarId> {
    match part {
        Part::Literal(Literal::Positive(_)) => variables_of([part]),
        Part::Literal(_) | Part::Equal(..) => IdSet::new(),
        Part::All(inner) => {
            inner.iter().map(certain_bindings).fold(IdSet::new(), |sum, one| union(&sum, &one))
        }
        Part::Any(inner) => {
            let mut each = inner.iter().map(certain_bindings);
            let first = each.next().unwrap_or_default();
            each.fold(first, |common, one| common.iter().filter(|id| one.contains(*id)).collect())
        }
    }
}

/// The rule with this list of leaves as its body; nothing where it can never fire.
fn conjunction(
    head: &Atom,
    leaves: &[&Part],
    written: &WrittenRule,
) -> Result<Option<Rule>, TooLarge> {
    let mut equal = Substitution::new(written.variables.len());
    for leaf in leaves {
        if let Part::Equal(left, right) = leaf
            && !equal.unify(left, right)?
        {
            return Ok(None);
        }
    }
    let mut rule = Rule {
        head: equal.atom(head)?,
        body: Vec::with_capacity(leaves.len()),
        variables: written.variables.clone(),
        span: written.span,
    };
    for leaf in leaves {
        if let Part::Literal(literal) = leaf {
            rule.body.push(equal.literal(literal)?);
        }
    }
    tidy(rule)
}

/// Decides what can be decided of the body, drops repeated literals, and numbers the variables by
/// their first place; nothing where the rule can never fire.
pub(crate) fn tidy(mut rule: Rule) -> Result<Option<Rule>, TooLarge> {
    let variables = rule.variables.len();
    let mut kept: Vec<Literal> = Vec::with_capacity(rule.body.len());
    for literal in rule.body {
        if let Literal::Distinct(left, right, _) = &literal {
            if left == right {
                return Ok(None);
            }
            if !unifiable(left, right, variables)? {
                continue;
            }
        }
        kept.push(literal);
    }
    shape::drop_repeated_literals(&mut kept);
    rule.body = kept;
    renumber(&mut rule);
    debug_assert!(rule.variables.len() <= variables, "variables only become fewer");
    Ok(Some(rule))
}

/// Numbers the variables by their first place, and forgets those without one. Two variables with
/// one name (they come from two rules) are told apart by an added number.
fn renumber(rule: &mut Rule) {
    let mut order = Renumbering {
        new: IndexVec::filled(None, rule.variables.len()),
        names: IndexVec::new(),
        taken: FxHashSet::default(),
        old_names: std::mem::take(&mut rule.variables),
    };
    order.atom(&mut rule.head);
    for literal in &mut rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => order.atom(atom),
            Literal::Distinct(left, right, _) => {
                order.term(left);
                order.term(right);
            }
        }
    }
    rule.variables = order.names;
}

struct Renumbering {
    new: IndexVec<VarId, Option<VarId>>,
    names: IndexVec<VarId, Box<str>>,
    taken: FxHashSet<Box<str>>,
    old_names: IndexVec<VarId, Box<str>>,
}

impl Renumbering {
    fn atom(&mut self, atom: &mut Atom) {
        atom.args.iter_mut().for_each(|arg| self.term(arg));
    }

    fn term(&mut self, term: &mut Term) {
        match term {
            Term::Variable(variable) => *variable = self.variable(*variable),
            Term::Constant(_) => {}
            Term::Compound(_, args) => args.iter_mut().for_each(|arg| self.term(arg)),
        }
    }

    fn variable(&mut self, old: VarId) -> VarId {
        if let Some(new) = self.new[old] {
            return new;
        }
        let new = self.names.push(self.free_name(old));
        debug_assert!(!self.taken.contains(&self.names[new]), "two variables with one name");
        self.taken.insert(self.names[new].clone());
        self.new[old] = Some(new);
        new
    }

    fn free_name(&self, old: VarId) -> Box<str> {
        let name = &self.old_names[old];
        if !self.taken.contains(name) {
            return name.clone();
        }
        let mut numbered = (2..).map(|number| format!("{name}_{number}").into_boxed_str());
        numbered
            .find(|name| !self.taken.contains(name))
            .unwrap_or_else(|| unreachable!("there is always a free number"))
    }
}

fn too_many(span: Span, count: usize) -> Diagnostic {
    let count = if count == usize::MAX { "too many".to_owned() } else { count.to_string() };
    Diagnostic::error("too-many-alternatives", format!("this rule stands for {count} rules"))
        .label(span, "`or` and `and` multiply here")
        .note("name some of the alternatives by a helper relation of your own")
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::error("term-too-deep", "`not distinct` makes a term of this rule too deep")
        .label(span, "in this rule")
        .note("terms may be 32 deep; take the `(not (distinct ...))` apart")
}
