//! Whether the players see every move.
//!
//! Without `sees` nothing is hidden. With it, this is a proof and not a guess: for each player
//! and each other role there must be a rule that shows that role's move as a term which names the
//! role and holds the move, on no other condition than who is playing, and no other rule may show
//! the player a term that could be taken for it. Where the proof fails the answer is no.

use index::Id;

use crate::unify::{Substitution, raised};
use crate::{Atom, Literal, Rule, Rulebook, SymbolId, Term, VarId, keyword};

/// Whether every player is shown every move of every other role, or there is no `sees` at all.
///
/// `random` need not see anything. The answer no may mean that it could not be shown.
pub fn complete_information(rulebook: &Rulebook) -> bool {
    let sees: Vec<&Rule> =
        rulebook.rules.iter().filter(|rule| rule.head.relation == keyword::SEES).collect();
    if sees.is_empty() {
        return true;
    }
    let players = rulebook.roles.iter().filter(|role| **role != keyword::RANDOM);
    players.into_iter().all(|&player| {
        let others = rulebook.roles.iter().filter(|role| **role != player);
        let shown: Option<Vec<(&Rule, Shown)>> = others
            .map(|&other| sees.iter().find_map(|rule| Some((*rule, shows(rule, player, other)?))))
            .collect();
        shown.is_some_and(|shown| is_unmistakable(&shown, &sees, player))
    })
}

/// What a player sees of a role's move.
struct Shown {
    /// The percept, with the role put in; the move is its only variable.
    percept: Term,
}

/// What `rule` shows `player` of the moves of `other`, whatever they are.
fn shows(rule: &Rule, player: SymbolId, other: SymbolId) -> Option<Shown> {
    let mut found = Substitution::new(rule.variables.len());
    let mut moved = None;
    is_open(found.unify(&rule.head.args[0], &Term::Constant(player)))?;
    for literal in &rule.body {
        if let Literal::Positive(atom) = literal
            && atom.relation == keyword::DOES
        {
            let Term::Variable(variable) = atom.args[1] else { return None };
            is_open(found.unify(&atom.args[0], &Term::Constant(other)))?;
            if moved.replace(variable).is_some_and(|earlier| earlier != variable) {
                return None;
            }
        }
    }
    let moved = moved?;
    rule.body.iter().all(|literal| holds_always(literal, &mut found)).then_some(())?;
    let percept = found.term(&rule.head.args[1]).ok()?;
    let is_move_only = |variable: VarId| variable == moved;
    let mut variables = index::IdSet::new();
    percept.collect_variables(&mut variables);
    let shown = variables.len() == 1 && variables.iter().all(is_move_only);
    shown.then_some(Shown { percept })
}

fn is_open(unified: Result<bool, crate::unify::TooLarge>) -> Option<()> {
    matches!(unified, Ok(true)).then_some(())
}

/// Whether the literal says no more than that roles are roles and that two of them differ.
fn holds_always(literal: &Literal, found: &mut Substitution) -> bool {
    match literal {
        Literal::Positive(atom) if atom.relation == keyword::DOES => true,
        Literal::Positive(Atom { relation: keyword::ROLE, args, .. }) => {
            matches!(found.term(&args[0]), Ok(Term::Constant(_)))
        }
        Literal::Distinct(left, right, _) => match (found.term(left), found.term(right)) {
            (Ok(Term::Constant(left)), Ok(Term::Constant(right))) => left != right,
            _ => false,
        },
        _ => false,
    }
}

/// Whether no two of the percepts, and no percept of another rule, can be the same term.
fn is_unmistakable(shown: &[(&Rule, Shown)], sees: &[&Rule], player: SymbolId) -> bool {
    let apart = shown.iter().enumerate().all(|(index, (rule, one))| {
        shown[..index]
            .iter()
            .all(|(_, other)| differ(&one.percept, &other.percept, 1 + rule.variables.len()))
    });
    let used = |rule: &Rule| shown.iter().any(|(other, _)| std::ptr::eq(*other, rule));
    let others = sees.iter().filter(|rule| !used(rule) && is_for(rule, player));
    apart
        && others.into_iter().all(|rule| {
            shown
                .iter()
                .all(|(_, one)| differ(&one.percept, &rule.head.args[1], rule.variables.len()))
        })
}

/// Whether the rule may show something to the player.
fn is_for(rule: &Rule, player: SymbolId) -> bool {
    match rule.head.args[0] {
        Term::Constant(name) => name == player,
        _ => true,
    }
}

/// Whether two terms with variables of their own can never be equal.
fn differ(one: &Term, other: &Term, width: usize) -> bool {
    let mut highest = index::IdSet::new();
    one.collect_variables(&mut highest);
    other.collect_variables(&mut highest);
    let width = highest.iter().map(|variable| variable.index() + 1).max().unwrap_or(0).max(width);
    let mut both = Substitution::new(2 * width);
    matches!(both.unify(one, &raised(other, width)), Ok(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, read};

    fn complete(sees: &str) -> bool {
        let text = format!("(role a) (role b) (role random) (legal a m) {sees}");
        let reading = read(Source::new("t", &text), &ReadOptions::default());
        complete_information(&reading.rulebook.expect("a sheet in order"))
    }

    #[test]
    fn all_moves_shown_to_all_is_complete() {
        assert!(complete(""));
        assert!(complete("(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m))"));
        assert!(complete("(<= (sees ?r (does ?p ?m)) (does ?p ?m) (role ?r) (role ?p))"));
        assert!(complete("(<= (sees ?r (did ?p ?m)) (role ?r) (distinct ?r ?p) (does ?p ?m))"));
        assert!(complete(
            "(<= (sees ?r (a_did ?m)) (role ?r) (does a ?m))
             (<= (sees ?r (b_did ?m)) (role ?r) (does b ?m))
             (<= (sees ?r (r_did ?m)) (role ?r) (does random ?m))"
        ));
    }

    #[test]
    fn anything_less_is_not() {
        assert!(!complete("(<= (sees ?r (did ?r ?m)) (does ?r ?m))"));
        assert!(!complete("(<= (sees ?r ?m) (role ?r) (does ?p ?m))"));
        assert!(!complete("(<= (sees a (did ?p ?m)) (does ?p ?m))"));
        assert!(!complete("(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m) (true open))"));
        assert!(!complete("(<= (sees ?r (did ?p)) (role ?r) (does ?p ?m))"));
        assert!(!complete(
            "(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m) (distinct ?p random))"
        ));
        assert!(!complete("(<= (sees ?r (did ?p (f ?x))) (role ?r) (does ?p (f ?x)))"));
        assert!(!complete(
            "(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m)) (<= (sees a (did b m)) (true odd))"
        ));
    }
}
