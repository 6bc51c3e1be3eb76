//! From the flags to a [`Question`]: which role, which chance roles, which state.
//!
//! Every name is checked against the sheet before an engine sees the question; a wrong one is
//! refused with the roles there are and the nearest of them. Asking about a chance role is the
//! user's fault.

use std::sync::Arc;

use gdl::{RoleId, Rulebook, Term};
use index::IdSet;
use verdict::{Objective, Question};

use crate::args::{ObjectiveArg, QuestionArgs};
use crate::failure::Failure;

/// Every role but the one asked about plays at random.
const OTHERS: &str = "others";

/// The question about one role: the named one, or the first that is not chance.
pub(crate) fn one(
    rulebook: &Arc<Rulebook>,
    args: &QuestionArgs,
    from: Option<Vec<Term>>,
) -> Result<Question, Failure> {
    let named = named_chance(rulebook, args)?;
    let role = match &args.role {
        Some(name) => find_role(rulebook, name)?,
        None => first_player(rulebook, &named)?,
    };
    build(rulebook, args, role, from)
}

/// A question for every role that is not chance, in the order of the sheet.
pub(crate) fn every(
    rulebook: &Arc<Rulebook>,
    args: &QuestionArgs,
    from: Option<Vec<Term>>,
) -> Result<Vec<Question>, Failure> {
    let named = named_chance(rulebook, args)?;
    first_player(rulebook, &named)?;
    let players = rulebook.roles.ids().filter(|role| !named.contains(*role));
    players.map(|role| build(rulebook, args, role, from.clone())).collect()
}

fn build(
    rulebook: &Arc<Rulebook>,
    args: &QuestionArgs,
    role: RoleId,
    from: Option<Vec<Term>>,
) -> Result<Question, Failure> {
    let mut chance = named_chance(rulebook, args)?;
    if chance.contains(role) {
        return Err(asked_about_chance(rulebook, role, &chance));
    }
    if args.chance.iter().any(|name| name == OTHERS) && rulebook.role(OTHERS).is_none() {
        for other in rulebook.roles.ids().filter(|other| *other != role) {
            chance.insert(other);
        }
    }
    debug_assert!(!chance.contains(role), "the asked role is never chance");
    let objective = args.objective.unwrap_or_default().into();
    let rulebook = Arc::clone(rulebook);
    Ok(Question { rulebook, role, objective, horizon: args.horizon, chance, from })
}

impl From<ObjectiveArg> for Objective {
    fn from(named: ObjectiveArg) -> Self {
        match named {
            ObjectiveArg::Win => Self::Win,
            ObjectiveArg::Goal => Self::Goal,
        }
    }
}

/// `random`, and the roles that the user named.
fn named_chance(rulebook: &Rulebook, args: &QuestionArgs) -> Result<IdSet<RoleId>, Failure> {
    let is_random = |role: &RoleId| rulebook.roles[*role] == gdl::keyword::RANDOM;
    let mut chance: IdSet<RoleId> = rulebook.roles.ids().filter(is_random).collect();
    for name in &args.chance {
        if name != OTHERS || rulebook.role(OTHERS).is_some() {
            chance.insert(find_role(rulebook, name)?);
        }
    }
    Ok(chance)
}

fn first_player(rulebook: &Rulebook, chance: &IdSet<RoleId>) -> Result<RoleId, Failure> {
    rulebook.roles.ids().find(|role| !chance.contains(*role)).ok_or_else(|| {
        Failure::input(
            "no-player",
            "every role of the game plays at random; there is none to ask about",
        )
        .note(format!("the roles are {}", list(rulebook)))
    })
}

fn find_role(rulebook: &Rulebook, name: &str) -> Result<RoleId, Failure> {
    let folded = name.to_lowercase();
    if let Some(role) = rulebook.role(name).or_else(|| rulebook.role(&folded)) {
        return Ok(role);
    }
    let names = rulebook.roles.ids().map(|role| rulebook.role_name(role));
    let failure = Failure::input("unknown-role", format!("the game has no role `{name}`"))
        .note(format!("the roles are {}", list(rulebook)));
    Err(match gdl::nearest(name, names) {
        Some(near) => failure.note(format!("did you mean `{near}`?")),
        None => failure,
    })
}

fn asked_about_chance(rulebook: &Rulebook, role: RoleId, chance: &IdSet<RoleId>) -> Failure {
    let name = rulebook.role_name(role);
    let message = format!("`{name}` plays at random and has no odds of its own to ask about");
    let players: Vec<String> = rulebook
        .roles
        .ids()
        .filter(|role| !chance.contains(*role))
        .map(|role| format!("`{}`", rulebook.role_name(role)))
        .collect();
    let failure = Failure::input("chance-role", message);
    if players.is_empty() {
        return failure;
    }
    failure.note(format!("ask about {}", players.join(" or ")))
}

/// The roles, quoted.
fn list(rulebook: &Rulebook) -> String {
    let names = rulebook.roles.ids().map(|role| format!("`{}`", rulebook.role_name(role)));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rulebook(roles: &[&str]) -> Arc<Rulebook> {
        let lines = roles.iter().map(|role| format!("(role {role})\n"));
        let rules = "(init s)\n(<= terminal (true s))\n(<= (goal a 100) (true s))\n\
                     (<= (legal a noop) (true s))\n";
        let text = lines.collect::<String>() + rules;
        let reading = gdl::read(gdl::Source::new("test", &text), &gdl::ReadOptions::default());
        Arc::new(reading.rulebook.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)))
    }

    fn asks(role: Option<&str>, chance: &[&str]) -> QuestionArgs {
        let chance = chance.iter().map(|&name| name.to_owned()).collect();
        QuestionArgs { role: role.map(str::to_owned), chance, ..QuestionArgs::default() }
    }

    fn code(result: Result<Question, Failure>) -> &'static str {
        match result {
            Err(Failure::Input(complaint)) => complaint.code,
            other => panic!("a complaint, not {:?}", other.map(|question| question.role)),
        }
    }

    #[test]
    fn the_first_role_that_is_not_chance_is_asked_about() {
        let book = rulebook(&["random", "a", "b"]);
        let question = one(&book, &asks(None, &[]), None).unwrap();
        assert_eq!(book.role_name(question.role), "a");
        assert_eq!((question.chance.len(), question.opponents().count()), (1, 1));
        let other = one(&book, &asks(None, &["A"]), None).unwrap();
        assert_eq!(book.role_name(other.role), "b");
        assert_eq!(every(&book, &asks(None, &[]), None).unwrap().len(), 2);
    }

    #[test]
    fn others_makes_every_other_role_chance() {
        let book = rulebook(&["a", "b", "c"]);
        let question = one(&book, &asks(Some("b"), &["others"]), None).unwrap();
        assert_eq!((question.chance.len(), question.opponents().count()), (2, 0));
        assert!(every(&book, &asks(None, &["others"]), None).unwrap().len() == 3);
    }

    #[test]
    fn wrong_roles_are_refused() {
        let book = rulebook(&["a", "random"]);
        assert_eq!(code(one(&book, &asks(Some("d"), &[]), None)), "unknown-role");
        assert_eq!(code(one(&book, &asks(None, &["d"]), None)), "unknown-role");
        assert_eq!(code(one(&book, &asks(Some("random"), &[]), None)), "chance-role");
        assert_eq!(code(one(&book, &asks(None, &["a"]), None)), "no-player");
    }
}
