//! What the program needs to know of the sheet: which rules matter, which relations change with
//! time, and what they are called.
//!
//! A rule matters when `legal`, `next`, `terminal`, `init` or the asked role's `goal` depends on
//! its head; `base`, `input` and `sees` are thus left out, unless a rule that matters calls them.
//! A relation is *timed* when it depends on `true` or `does`; the five relations of a state are
//! always timed. A relation *needs a move* when each of its rules has a positive `does` below it:
//! such a relation is false once the game has ended, so its callers need not ask. A state
//! proposition *runs by itself* when nothing that it depends on is a move: a clock, whose turn it
//! is. The grounder knows it for every step as long as it may run on past the end.

use gdl::{Atom, Literal, Rule, SymbolId, Symbols, Term, keyword};
use rustc_hash::{FxHashMap, FxHashSet};
use verdict::{Objective, Question};

use super::names::{self, Predicates};

/// A relation: name and arity.
pub(crate) type Signature = (SymbolId, usize);

/// The name of time in rules.
pub(crate) const TIME: &str = "T";

/// Predicates of the encoding itself.
pub(crate) struct Own {
    /// `time(T)`: 0 to the horizon.
    pub(crate) time: String,
    /// `step(T)`: 0 to one less.
    pub(crate) step: String,
    /// `live(T)`: no state before T was terminal.
    pub(crate) live: String,
    /// `plays(T)`: nor is this one.
    pub(crate) plays: String,
    /// `move(R,I,M)`: M is the I-th move of R.
    pub(crate) nth_move: String,
    /// `code(R,B,T)`: bit B of R's code.
    pub(crate) code: String,
    /// `bit(R,I,B)`: the code of the I-th move has bit B.
    pub(crate) bit: String,
    /// `no_bit(R,I,B)`: it has not.
    pub(crate) no_bit: String,
    /// `dec(R,J,T)`: the draw passes to the J-th legal move.
    pub(crate) dec: String,
    /// `legal_among(R,I,C,T)`: C of the first I moves are legal.
    pub(crate) legal_among: String,
    /// `drawn(R,I,T)`: the draw passes to the I-th move.
    pub(crate) drawn: String,
    /// `drawn_after(R,I,T)`: and on to a later one.
    pub(crate) drawn_after: String,
    /// `at_most(V)`: the chance of what the goal pays.
    pub(crate) at_most: String,
    /// `within(V)`: a goal of V is paid.
    pub(crate) within: String,
    /// `paid(T)`: the goal at T is.
    pub(crate) paid: String,
    /// `lost(T)`: the game ends at T and is worth nothing.
    pub(crate) lost: String,
}

impl Own {
    fn new(predicates: &mut Predicates) -> Self {
        let mut own = |base| predicates.own(base);
        Self {
            time: own("time"),
            step: own("step"),
            live: own("live"),
            plays: own("plays"),
            nth_move: own("move"),
            code: own("code"),
            bit: own("bit"),
            no_bit: own("no_bit"),
            dec: own("dec"),
            legal_among: own("legal_among"),
            drawn: own("drawn"),
            drawn_after: own("drawn_after"),
            at_most: own("at_most"),
            within: own("within"),
            paid: own("paid"),
            lost: own("lost"),
        }
    }
}

/// The rules that matter, with the predicates of their relations.
pub(crate) struct Sheet<'q> {
    pub(crate) question: &'q Question,
    pub(crate) rules: Vec<&'q Rule>,
    timed: FxHashSet<Signature>,
    needs_move: FxHashSet<Signature>,
    moved: Moved,
    predicates: FxHashMap<Signature, String>,
    pub(crate) own: Own,
}

impl<'q> Sheet<'q> {
    pub(crate) fn new(question: &'q Question) -> Self {
        let rules = rules_that_matter(question);
        let timed = timed(&rules);
        let (needs_move, moved) = (needs_move(&rules), Moved::new(&rules));
        let mut names = Predicates::default();
        let mut predicates = FxHashMap::default();
        let mut add = |signature: Signature| {
            predicates.entry(signature).or_insert_with(|| {
                let (name, arity) = signature;
                let name = question.rulebook.symbols.name(name);
                names.of_relation(name, arity + usize::from(timed.contains(&signature)))
            });
        };
        STATE_RELATIONS.into_iter().chain([(keyword::INIT, 1)]).for_each(&mut add);
        for rule in &rules {
            add(rule.head.signature());
            rule.body.iter().filter_map(Literal::atom).for_each(|atom| add(atom.signature()));
        }
        let own = Own::new(&mut names);
        Self { question, rules, timed, needs_move, moved, predicates, own }
    }

    pub(crate) fn symbols(&self) -> &'q Symbols {
        &self.question.rulebook.symbols
    }

    pub(crate) fn is_timed(&self, relation: Signature) -> bool {
        self.timed.contains(&relation)
    }

    pub(crate) fn needs_move(&self, relation: Signature) -> bool {
        self.needs_move.contains(&relation)
    }

    /// Whether what a rule for `next` concludes runs by itself.
    pub(crate) fn runs_by_itself(&self, next: &Rule) -> bool {
        !self.moved.propositions(&next.head.args[0])
    }

    pub(crate) fn predicate(&self, relation: Signature) -> &str {
        &self.predicates[&relation]
    }

    /// A role as a term.
    pub(crate) fn role(&self, role: gdl::RoleId) -> String {
        names::constant(self.question.rulebook.role_name(role))
    }
}

/// The relations of a state and its moves, which change with time even where a sheet has no rule
/// that says so.
const STATE_RELATIONS: [Signature; 6] = [
    (keyword::TRUE, 1),
    (keyword::DOES, 2),
    (keyword::NEXT, 1),
    (keyword::LEGAL, 2),
    (keyword::GOAL, 2),
    (keyword::TERMINAL, 0),
];

fn rules_that_matter(question: &Question) -> Vec<&Rule> {
    let all: Vec<&Rule> =
        question.rulebook.rules.iter().filter(|rule| may_matter(rule, question)).collect();
    let mut by_head: FxHashMap<Signature, Vec<&Rule>> = FxHashMap::default();
    for rule in &all {
        by_head.entry(rule.head.signature()).or_default().push(rule);
    }
    let mut needed: FxHashSet<Signature> = FxHashSet::default();
    let mut open: Vec<Signature> = STATE_RELATIONS.to_vec();
    if question.from.is_none() {
        open.push((keyword::INIT, 1));
    }
    while let Some(relation) = open.pop() {
        if needed.insert(relation) {
            let rules = by_head.get(&relation).into_iter().flatten();
            let called = rules.flat_map(|rule| rule.body.iter().filter_map(Literal::atom));
            open.extend(called.map(|atom| atom.signature()));
        }
    }
    all.into_iter().filter(|rule| needed.contains(&rule.head.signature())).collect()
}

/// Whether a rule for `goal` speaks of the asked role and, where only a win counts, of 100.
fn may_matter(rule: &Rule, question: &Question) -> bool {
    let [role, value] = &*rule.head.args else { return true };
    if rule.head.relation != keyword::GOAL {
        return true;
    }
    let book = &question.rulebook;
    let other_role = matches!(role, Term::Constant(name) if *name != book.roles[question.role]);
    let no_win = question.objective == Objective::Win
        && matches!(value, Term::Constant(name) if book.symbols.name(*name) != "100");
    !other_role && !no_win
}

fn timed(rules: &[&Rule]) -> FxHashSet<Signature> {
    let mut timed: FxHashSet<Signature> = STATE_RELATIONS.into_iter().collect();
    loop {
        let before = timed.len();
        for rule in rules {
            let mut atoms = rule.body.iter().filter_map(Literal::atom);
            if atoms.any(|atom| timed.contains(&atom.signature())) {
                timed.insert(rule.head.signature());
            }
        }
        if timed.len() == before {
            return timed;
        }
    }
}

/// The least fixpoint from `does`; a relation is in it when all of its rules are.
fn needs_move(rules: &[&Rule]) -> FxHashSet<Signature> {
    let mut found: FxHashSet<Signature> = [(keyword::DOES, 2)].into_iter().collect();
    loop {
        let asks = |rule: &&Rule| asks_for_a_move(rule, &found);
        let open: FxHashSet<Signature> =
            rules.iter().filter(|rule| !asks(rule)).map(|rule| rule.head.signature()).collect();
        let heads = rules.iter().map(|rule| rule.head.signature());
        let more: Vec<Signature> =
            heads.filter(|head| !open.contains(head) && !found.contains(head)).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

fn asks_for_a_move(rule: &Rule, found: &FxHashSet<Signature>) -> bool {
    rule.body.iter().any(
        |literal| matches!(literal, Literal::Positive(atom) if found.contains(&atom.signature())),
    )
}

/// What depends on a move, in this state or in one before.
#[derive(Default)]
struct Moved {
    relations: FxHashSet<Signature>,
    /// Names of propositions.
    functors: FxHashSet<SymbolId>,
    /// Whether some rule concludes any proposition at all from a move.
    any: bool,
}

impl Moved {
    fn new(rules: &[&Rule]) -> Self {
        let mut moved = Self::default();
        moved.relations.insert((keyword::DOES, 2));
        loop {
            let before = moved.size();
            for rule in rules {
                if rule.body.iter().filter_map(Literal::atom).any(|atom| moved.contains(atom)) {
                    moved.insert(&rule.head);
                }
            }
            if moved.size() == before {
                return moved;
            }
        }
    }

    fn size(&self) -> (usize, usize, bool) {
        (self.relations.len(), self.functors.len(), self.any)
    }

    fn contains(&self, atom: &Atom) -> bool {
        match atom.signature() {
            (keyword::TRUE, 1) => self.propositions(&atom.args[0]),
            relation => self.relations.contains(&relation),
        }
    }

    fn insert(&mut self, head: &Atom) {
        if head.signature() != (keyword::NEXT, 1) {
            self.relations.insert(head.signature());
        } else if let Some(name) = functor(&head.args[0]) {
            self.functors.insert(name);
        } else {
            self.any = true;
        }
    }

    /// Whether one of the propositions that a term may stand for depends on a move.
    fn propositions(&self, term: &Term) -> bool {
        self.any
            || functor(term).map_or(!self.functors.is_empty(), |name| self.functors.contains(&name))
    }
}

fn functor(term: &Term) -> Option<SymbolId> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) | Term::Compound(name, _) => Some(*name),
    }
}
