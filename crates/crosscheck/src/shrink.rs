//! A game on which something shows, made smaller while it still does.
//!
//! Tried, in rounds, until a whole round changes nothing: fewer steps; a role with every rule that
//! names it taken away; rules left out, many at a time and then fewer (Zeller and Hildebrandt,
//! *Simplifying and isolating failure-inducing input*, 2002); conditions left out; two constants
//! made one; a function replaced by one of its arguments. A change is kept where the sheet, printed
//! and read again, is well-formed and `shows` says yes of it.
//!
//! Always: the result shows what the first case shows, or is that case; what is printed is what was
//! judged. Where attempts or time are spent, or the user interrupts, the smallest so far is the
//! result. Cost: one call of `shows` an attempt, about the square of the rules at worst.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gdl::{Literal, ReadOptions, Rule, Rulebook, Source, SymbolId, Term};
use verdict::{Objective, Question};

/// A game with a question, by names, so that it can be written down and asked again.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rules.
    pub rulebook: Arc<Rulebook>,
    /// The role asked about.
    pub role: String,
    /// The roles that play at random.
    pub chance: Vec<String>,
    /// Win or goal.
    pub objective: Objective,
    /// Number of steps, or none.
    pub horizon: Option<u32>,
}

/// What may be spent on shrinking.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// Calls of `shows`, at most.
    pub attempts: u32,
    /// Time for all of them; none is begun after it.
    pub time: Duration,
    /// Set from outside when the user interrupts.
    pub interrupt: &'a AtomicBool,
}

/// The smallest case that was found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The case.
    pub case: Case,
    /// Calls of `shows` that were made.
    pub attempts: u32,
    /// Whether no change that is known makes it smaller.
    pub is_done: bool,
}

impl Case {
    /// The case of a question about the initial state.
    ///
    /// # Panics
    /// When the question is about another state.
    pub fn new(question: &Question) -> Self {
        assert!(question.from.is_none(), "a sheet's own start is asked about");
        let name = |role| question.rulebook.role_name(role).to_owned();
        Self {
            rulebook: Arc::clone(&question.rulebook),
            role: name(question.role),
            chance: question.chance.iter().map(name).collect(),
            objective: question.objective,
            horizon: question.horizon,
        }
    }

    /// The question; none where a role that it names is gone.
    pub fn question(&self) -> Option<Question> {
        let mut question = Question::new(Arc::clone(&self.rulebook))?;
        question.role = self.rulebook.role(&self.role)?;
        let chance: Option<Vec<_>> =
            self.chance.iter().map(|name| self.rulebook.role(name)).collect();
        question.chance = chance?.into_iter().collect();
        question.objective = self.objective;
        question.horizon = self.horizon;
        (!question.chance.contains(question.role)).then_some(question)
    }

    /// How large it is: rules, conditions, constants and functions, different ones, steps.
    fn size(&self) -> [usize; 5] {
        let rules = &self.rulebook.rules;
        let conditions = rules.iter().map(|rule| rule.body.len()).sum();
        let all: Vec<SymbolId> = rules.iter().flat_map(words).collect();
        let steps = self.horizon.map_or(0, |steps| steps as usize);
        [rules.len(), conditions, all.len(), all.iter().collect::<BTreeSet<_>>().len(), steps]
    }
}

/// Makes a case smaller while `shows` says yes of it; it is taken to say yes of the first.
pub fn shrink(case: Case, effort: Effort<'_>, shows: &mut dyn FnMut(&Case) -> bool) -> Shrunk {
    let mut work = Work { best: case, effort, begun: Instant::now(), attempts: 0, shows };
    let mut is_done = false;
    while !is_done && !work.is_spent() {
        let before = work.best.size();
        for pass in [fewer_steps, fewer_roles, fewer_rules, fewer_conditions, fewer_words, flatter]
        {
            pass(&mut work);
        }
        debug_assert!(work.best.size() <= before, "no pass makes a case larger");
        is_done = work.best.size() == before && !work.is_spent();
    }
    Shrunk { case: work.best, attempts: work.attempts, is_done }
}

struct Work<'a> {
    best: Case,
    effort: Effort<'a>,
    begun: Instant,
    attempts: u32,
    shows: &'a mut dyn FnMut(&Case) -> bool,
}

impl Work<'_> {
    fn is_spent(&self) -> bool {
        self.attempts >= self.effort.attempts
            || self.effort.interrupt.load(Ordering::Relaxed)
            || self.begun.elapsed() > self.effort.time
    }

    /// Takes a case in the place of the best where it is smaller and shows the same.
    fn offer(&mut self, case: Case) -> bool {
        if self.is_spent() || case.size() >= self.best.size() {
            return false;
        }
        self.attempts += 1;
        let kept = (self.shows)(&case);
        if kept {
            self.best = case;
        }
        kept
    }

    /// Offers the best case with other rules.
    fn offer_rules(&mut self, rules: Vec<Rule>) -> bool {
        if self.is_spent() {
            return false;
        }
        let written = Rulebook { rules, ..(*self.best.rulebook).clone() }.to_string();
        let case_sensitive = self.best.rulebook.symbols.is_case_sensitive();
        let options = ReadOptions { case_sensitive, ..ReadOptions::default() };
        let Some(read) = gdl::read(Source::new("shrunk", &written), &options).rulebook else {
            return false;
        };
        let rulebook = Arc::new(read);
        let chance = self.best.chance.iter().filter(|name| rulebook.role(name).is_some());
        let chance = chance.cloned().collect();
        self.offer(Case { rulebook, chance, ..self.best.clone() })
    }

    fn rules(&self) -> &[Rule] {
        &self.best.rulebook.rules
    }
}

fn fewer_steps(work: &mut Work<'_>) {
    for steps in 0..work.best.horizon.unwrap_or(0) {
        if work.offer(Case { horizon: Some(steps), ..work.best.clone() }) {
            return;
        }
    }
}

/// Takes a role away, with whatever names it.
fn fewer_roles(work: &mut Work<'_>) {
    let roles: Vec<String> = {
        let book = &work.best.rulebook;
        book.roles.ids().map(|role| book.role_name(role).to_owned()).collect()
    };
    for role in roles {
        if role == work.best.role {
            continue;
        }
        let Some(name) = work.best.rulebook.symbols.find(&role) else { continue };
        let unnamed = |rule: &&Rule| !words(rule).contains(&name);
        let rules = work.rules().iter().filter(unnamed).cloned().collect();
        work.offer_rules(rules);
    }
}

/// Leaves runs of rules out, half of them first, then ever shorter runs.
fn fewer_rules(work: &mut Work<'_>) {
    let mut length = work.rules().len().div_ceil(2);
    while length > 0 && !work.is_spent() {
        // From the end, so that what is left out moves no run that is still to come.
        let mut at = work.rules().len();
        while at > 0 {
            let from = at.saturating_sub(length);
            let mut rules = work.rules().to_vec();
            let end = at.min(rules.len());
            rules.drain(from..end);
            work.offer_rules(rules);
            at = from.min(work.rules().len());
        }
        length /= 2;
    }
}

fn fewer_conditions(work: &mut Work<'_>) {
    let mut at = work.rules().len();
    while at > 0 && !work.is_spent() {
        at -= 1;
        let mut literal = work.rules().get(at).map_or(0, |rule| rule.body.len());
        while literal > 0 {
            literal -= 1;
            let mut rules = work.rules().to_vec();
            let Some(rule) = rules.get_mut(at).filter(|rule| literal < rule.body.len()) else {
                break;
            };
            rule.body.remove(literal);
            work.offer_rules(rules);
        }
    }
}

/// Writes one constant for another, everywhere, and drops what is then said twice.
fn fewer_words(work: &mut Work<'_>) {
    let all: BTreeSet<String> = {
        let book = &work.best.rulebook;
        let used = book.rules.iter().flat_map(words);
        used.filter(|word| !word.is_keyword())
            .map(|word| book.symbols.name(word).to_owned())
            .collect()
    };
    for from in all.iter().rev() {
        for to in all.iter().take_while(|to| *to != from) {
            let symbols = &work.best.rulebook.symbols;
            let (Some(old), Some(new)) = (symbols.find(from), symbols.find(to)) else { continue };
            if work.is_spent() {
                return;
            }
            let mut rules = work.rules().to_vec();
            rules.iter_mut().for_each(|rule| {
                for_terms(rule, &mut |term| {
                    if *term == Term::Constant(old) {
                        *term = Term::Constant(new);
                    }
                });
            });
            let mut said = BTreeSet::new();
            rules.retain(|rule| said.insert(gdl::rule_text(rule, symbols)));
            if work.offer_rules(rules) {
                break;
            }
        }
    }
}

/// Puts an argument in the place of a function of it, wherever that function stands.
fn flatter(work: &mut Work<'_>) {
    let mut functions = BTreeSet::new();
    for rule in &work.best.rulebook.rules {
        for_terms(&mut rule.clone(), &mut |term| {
            if let Term::Compound(name, args) = term {
                functions.extend((0..args.len()).map(|at| (*name, args.len(), at)));
            }
        });
    }
    let names = |id| work.best.rulebook.symbols.name(id).to_owned();
    let functions: Vec<(String, usize, usize)> =
        functions.into_iter().map(|(name, arity, at)| (names(name), arity, at)).collect();
    for (name, arity, at) in functions {
        let Some(name) = work.best.rulebook.symbols.find(&name) else { continue };
        let mut rules = work.rules().to_vec();
        rules.iter_mut().for_each(|rule| {
            for_terms(rule, &mut |term| {
                let inner = match term {
                    Term::Compound(held, args) if (*held, args.len()) == (name, arity) => {
                        args[at].clone()
                    }
                    _ => return,
                };
                *term = inner;
            });
        });
        work.offer_rules(rules);
    }
}

/// The constants and functions of a rule, each as often as it stands there.
fn words(rule: &Rule) -> Vec<SymbolId> {
    let mut found = Vec::new();
    for_terms(&mut rule.clone(), &mut |term| match term {
        Term::Constant(name) | Term::Compound(name, _) => found.push(*name),
        Term::Variable(_) => {}
    });
    found
}

/// Calls with every term of a rule, outer ones first.
fn for_terms(rule: &mut Rule, each: &mut dyn FnMut(&mut Term)) {
    fn go(term: &mut Term, each: &mut dyn FnMut(&mut Term)) {
        each(term);
        if let Term::Compound(_, args) = term {
            args.iter_mut().for_each(|arg| go(arg, each));
        }
    }
    rule.head.args.iter_mut().for_each(|term| go(term, each));
    for literal in &mut rule.body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter_mut().for_each(|term| go(term, each));
            }
            Literal::Distinct(left, right, _) => {
                go(left, each);
                go(right, each);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gdl::keyword;
    use verdict::Engine;

    use super::*;
    use crate::generate;
    use crate::planted::{Planted, question, watched};
    use crate::reference::Reference;
    use crate::{Aspect, agree};

    fn effort(interrupt: &AtomicBool) -> Effort<'_> {
        Effort { attempts: 5_000, time: Duration::from_secs(300), interrupt }
    }

    /// Whether two engines differ in the value.
    fn differ(case: &Case, faulty: &dyn Engine) -> bool {
        let Some(question) = case.question() else { return false };
        let agreement = watched(|watch| agree(&question, &[&Reference, faulty], watch));
        agreement.disagreement.is_some_and(|difference| difference.aspect == Aspect::Value)
    }

    /// Wrong wherever a rule for `next` denies something.
    fn is_hard(question: &Question) -> bool {
        let denies = |literal: &Literal| matches!(literal, Literal::Negative(_));
        let rules = &question.rulebook.rules;
        rules.iter().any(|rule| rule.head.relation == keyword::NEXT && rule.body.iter().any(denies))
    }

    #[test]
    fn a_large_game_comes_down_to_the_few_rules_that_show_the_fault() {
        let faulty = Planted(is_hard);
        let interrupt = AtomicBool::new(false);
        let mut large = 0;
        for seed in 0..6 {
            let text = generate::game(seed);
            let first = Case::new(&Question { horizon: Some(4), ..question(&text) });
            assert!(differ(&first, &faulty), "seed {seed} has such a rule");
            let [rules, ..] = first.size();
            let shrunk = shrink(first, effort(&interrupt), &mut |case| differ(case, &faulty));
            let [left, ..] = shrunk.case.size();
            let printed = shrunk.case.rulebook.to_string();
            assert!(shrunk.is_done, "seed {seed}: {} attempts", shrunk.attempts);
            assert!(left <= 6, "seed {seed}: {left} rules are left:\n{printed}");
            assert!(differ(&shrunk.case, &faulty), "it shows the fault");
            assert_eq!(shrunk.case.horizon, Some(0), "no step is needed");
            // Written and read again it is the same case.
            let again = Case { rulebook: crate::planted::rulebook(&printed), ..shrunk.case };
            assert!(differ(&again, &faulty), "{printed}");
            large += usize::from(rules > 40);
        }
        assert!(large > 3, "{large} of the games were large");
    }

    #[test]
    fn spent_effort_and_interrupts_leave_the_smallest_so_far() {
        let faulty = Planted(is_hard);
        let first = Case::new(&question(&generate::game(3)));
        let off = AtomicBool::new(false);
        let few = Effort { attempts: 7, ..effort(&off) };
        let shrunk = shrink(first.clone(), few, &mut |case| differ(case, &faulty));
        assert!(!shrunk.is_done && shrunk.attempts == 7);
        assert!(shrunk.case.size() <= first.size() && differ(&shrunk.case, &faulty));
        let interrupt = AtomicBool::new(false);
        let mut asked = 0;
        let stopped = shrink(first.clone(), effort(&interrupt), &mut |case| {
            asked += 1;
            interrupt.store(asked == 30, Ordering::Relaxed);
            differ(case, &faulty)
        });
        assert!(!stopped.is_done && stopped.attempts == 30);
        assert!(stopped.case.size() < first.size() && differ(&stopped.case, &faulty));
    }

    #[test]
    fn constants_and_functions_and_roles_go_where_nothing_hangs_on_them() {
        let text = "(role a) (role b) (init (pos (deep one)))
            (<= (legal ?r (go ?x)) (role ?r) (way ?x)) (way up) (way down) (way left)
            (<= (next (pos ?x)) (does a (go ?x))) (<= terminal (true (pos up))) (goal a 100) (goal b 0)";
        let first = Case::new(&question(text));
        let faulty = Planted(|asked: &Question| {
            asked.rulebook.rules.iter().any(|rule| rule.head.relation == keyword::INIT)
        });
        let interrupt = AtomicBool::new(false);
        let shrunk = shrink(first, effort(&interrupt), &mut |case| {
            let halts = |case: &Case| case.question().is_some() && case.rulebook.rules.len() > 2;
            halts(case) && faulty.0(&case.question().expect("a question"))
        });
        let printed = shrunk.case.rulebook.to_string();
        assert!(!printed.contains("(role b)") && !printed.contains("deep"), "{printed}");
        assert!(shrunk.case.size()[0] == 3 && shrunk.is_done, "{printed}");
    }
}
