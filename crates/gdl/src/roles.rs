//! The roles of a sheet, in its order.
//!
//! Nearly all sheets list their roles as facts. Where rules conclude `role`, what they need is
//! derived here, bottom-up and stratum by stratum, as far as it does not depend on the state; the
//! number of steps is bounded, and a sheet beyond the bound is refused.

use index::{IdSet, IndexVec};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::relations::{RelationId, Relations};
use crate::{
    Atom, Diagnostic, Literal, RoleId, Rule, SymbolId, Symbols, Term, VarId, keyword, strata,
};

/// Literals that may be matched against facts to find the roles.
const STEP_LIMIT: usize = 2_000_000;

/// Collects the roles; nothing where there is none, which is an error if the sheet is `whole`.
pub(crate) fn collect(
    rules: &[Rule],
    symbols: &Symbols,
    whole: bool,
    faults: &mut Vec<Diagnostic>,
) -> Option<IndexVec<RoleId, SymbolId>> {
    let about: Vec<&Rule> =
        rules.iter().filter(|rule| rule.head.relation == keyword::ROLE).collect();
    let terms = if about.iter().all(|rule| rule.body.is_empty()) {
        about.iter().map(|rule| rule.head.args[0].clone()).collect()
    } else {
        derive(rules, &about, faults)?
    };
    let mut roles: Vec<SymbolId> = Vec::new();
    for term in terms {
        match term {
            Term::Constant(name) if !roles.contains(&name) => roles.push(name),
            Term::Constant(_) => {}
            other => faults.push(not_a_name(&other, symbols, &about)),
        }
    }
    if roles.is_empty() && whole {
        faults.push(no_roles(&about));
    }
    (!roles.is_empty()).then(|| roles.into())
}

fn no_roles(about: &[&Rule]) -> Diagnostic {
    let fault = Diagnostic::error("no-roles", "the sheet has no roles");
    match about.first() {
        Some(rule) => fault
            .label(rule.span, "this rule concludes none")
            .note("a role is a fact, written (role NAME)"),
        None => fault.note("write (role NAME) for each player"),
    }
}

fn not_a_name(term: &Term, symbols: &Symbols, about: &[&Rule]) -> Diagnostic {
    let text = crate::term_text(term, symbols);
    let rule = about.iter().find(|rule| rule.head.args[0] == *term).or(about.first());
    let fault = Diagnostic::error("bad-role", format!("the role `{text}` is not a plain name"));
    let fault = match rule {
        Some(rule) => fault.label(rule.head.span, "concluded here"),
        None => fault,
    };
    fault.note("a role is written (role NAME)")
}

fn undetermined(about: &[&Rule]) -> Diagnostic {
    let span = about.iter().find(|rule| !rule.body.is_empty()).map(|rule| rule.span);
    let fault = Diagnostic::error("role-undetermined", "the roles cannot be found before the game");
    let fault = fault.label(span.unwrap_or_default(), "takes too many steps to evaluate");
    fault.note("list the roles as facts, each written (role NAME)")
}

/// The roles that the rules conclude, in the order of the rules.
fn derive(rules: &[Rule], about: &[&Rule], faults: &mut Vec<Diagnostic>) -> Option<Vec<Term>> {
    if faults.iter().any(Diagnostic::is_error) {
        return None;
    }
    let relations = Relations::of(rules);
    let needed = needed(&relations, relations.find((keyword::ROLE, 1))?);
    debug_assert!(strata::is_stratified(rules), "unstratified rules are refused before");
    let components = relations.components();
    let place = relations.component_of(&components);
    let mut by_component: Vec<Vec<&Rule>> = vec![Vec::new(); components.len()];
    for rule in rules {
        if let Some(head) = relations.find(rule.head.signature())
            && needed.contains(head)
        {
            by_component[place[head]].push(rule);
        }
    }
    let mut facts = Facts::default();
    for rules in &by_component {
        if facts.close(rules).is_err() {
            faults.push(undetermined(about));
            return None;
        }
    }
    Some(facts.of(keyword::ROLE, 1).iter().filter_map(|args| args.first().cloned()).collect())
}

/// The relations that `goal` needs, itself included; the checks of `strata` have seen to it that
/// no state and no move is among them.
fn needed(relations: &Relations, goal: RelationId) -> IdSet<RelationId> {
    let mut needed = IdSet::new();
    let mut queue = vec![goal];
    while let Some(relation) = queue.pop() {
        if needed.insert(relation) {
            queue.extend(relations.needs(relation).iter().map(|need| need.needed));
        }
    }
    let fluid = [keyword::TRUE, keyword::DOES, keyword::NEXT];
    assert!(
        needed.iter().all(|id| !fluid.contains(&relations.name(id))),
        "roles depend on a state"
    );
    needed
}

/// Too many steps.
struct Exhausted;

type Tuple = Box<[Term]>;

/// What is derived so far.
#[derive(Default)]
struct Facts {
    held: FxHashMap<(SymbolId, usize), Vec<Tuple>>,
    seen: FxHashSet<(SymbolId, Tuple)>,
    steps: usize,
}

impl Facts {
    fn of(&self, relation: SymbolId, arity: usize) -> &[Tuple] {
        self.held.get(&(relation, arity)).map_or(&[], Vec::as_slice)
    }

    /// Applies the rules of one component until nothing is new.
    fn close(&mut self, rules: &[&Rule]) -> Result<(), Exhausted> {
        loop {
            let before = self.seen.len();
            for rule in rules {
                for args in self.fire(rule)? {
                    self.add(rule.head.relation, args);
                }
            }
            if self.seen.len() == before {
                return Ok(());
            }
        }
    }

    fn add(&mut self, relation: SymbolId, args: Tuple) {
        debug_assert!(args.iter().all(Term::is_ground));
        if self.seen.insert((relation, args.clone())) {
            self.held.entry((relation, args.len())).or_default().push(args);
        }
    }

    /// All heads that the facts so far give.
    fn fire(&mut self, rule: &Rule) -> Result<Vec<Tuple>, Exhausted> {
        let (binders, tests): (Vec<&Literal>, Vec<&Literal>) =
            rule.body.iter().partition(|literal| matches!(literal, Literal::Positive(_)));
        debug_assert_eq!(binders.len() + tests.len(), rule.body.len());
        let mut found = vec![Bindings::filled(None, rule.variables.len())];
        for atom in binders.iter().filter_map(|literal| literal.atom()) {
            found = self.join(atom, &found)?;
        }
        found.retain(|bindings| tests.iter().all(|test| self.passes(test, bindings)));
        Ok(found.iter().map(|bindings| ground_args(&rule.head, bindings)).collect())
    }

    fn join(&mut self, atom: &Atom, found: &[Bindings]) -> Result<Vec<Bindings>, Exhausted> {
        let mut longer = Vec::new();
        let tuples = self.held.get(&atom.signature()).map_or(&[][..], Vec::as_slice);
        self.steps += found.len().saturating_mul(tuples.len() + 1);
        if self.steps > STEP_LIMIT {
            return Err(Exhausted);
        }
        for bindings in found {
            for tuple in tuples {
                let mut tried = bindings.clone();
                if atom.args.iter().zip(tuple).all(|(arg, term)| fits(arg, term, &mut tried)) {
                    longer.push(tried);
                }
            }
        }
        Ok(longer)
    }

    fn passes(&self, test: &Literal, bindings: &Bindings) -> bool {
        match test {
            Literal::Positive(_) => true,
            Literal::Negative(atom) => {
                debug_assert!(ground_args(atom, bindings).iter().all(Term::is_ground));
                !self.seen.contains(&(atom.relation, ground_args(atom, bindings)))
            }
            Literal::Distinct(left, right, _) => ground(left, bindings) != ground(right, bindings),
        }
    }
}

type Bindings = IndexVec<VarId, Option<Term>>;

/// Whether the pattern can be the ground term; binds its variables.
fn fits(pattern: &Term, term: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, term) {
        (Term::Variable(variable), _) => match &bindings[*variable] {
            Some(bound) => bound == term,
            None => {
                bindings[*variable] = Some(term.clone());
                true
            }
        },
        (Term::Compound(one, mine), Term::Compound(other, theirs)) => {
            one == other
                && mine.len() == theirs.len()
                && mine.iter().zip(theirs).all(|(mine, theirs)| fits(mine, theirs, bindings))
        }
        _ => pattern == term,
    }
}

fn ground(term: &Term, bindings: &Bindings) -> Term {
    match term {
        Term::Variable(variable) => bindings[*variable].clone().unwrap_or_else(|| term.clone()),
        Term::Constant(name) => Term::Constant(*name),
        Term::Compound(function, args) => {
            Term::Compound(*function, args.iter().map(|arg| ground(arg, bindings)).collect())
        }
    }
}

fn ground_args(atom: &Atom, bindings: &Bindings) -> Tuple {
    atom.args.iter().map(|arg| ground(arg, bindings)).collect()
}
