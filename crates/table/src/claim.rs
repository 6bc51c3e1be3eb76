//! What a file claims to be the answer to.

use gdl::Rulebook;
use verdict::{Objective, Question};

/// A side of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The role asked about.
    Asked,
    /// Its opponents, together.
    Opponents,
}

/// The question of a table, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Checksum of the rules, as [`rules_sum`] has it: it tells a person that a table is of another
    /// game. What a table proves does not rest on it.
    pub rules: u64,
    /// The role asked about.
    pub role: String,
    /// Win or goal.
    pub objective: Objective,
    /// Number of steps, or none.
    pub horizon: Option<u32>,
    /// Roles that play uniformly at random, in the order of the sheet.
    pub chance: Vec<String>,
    /// Whether the first state is the one in which the game begins.
    pub from_start: bool,
    /// Whose policy it is, where a table holds only what one side's moves lead to: values are then
    /// bounds from that side.
    pub policy: Option<Side>,
}

impl Claim {
    /// The claim that a table is of this question.
    pub fn of(question: &Question) -> Self {
        let book = &question.rulebook;
        Self {
            rules: rules_sum(book),
            role: book.role_name(question.role).to_owned(),
            objective: question.objective,
            horizon: question.horizon,
            chance: question.chance.iter().map(|role| book.role_name(role).to_owned()).collect(),
            from_start: question.from.is_none(),
            policy: None,
        }
    }

    /// The lines of the claim.
    pub(crate) fn text(&self) -> String {
        let objective = match self.objective {
            Objective::Win => "win",
            Objective::Goal => "goal",
        };
        let horizon = self.horizon.map_or("none".to_owned(), |steps| steps.to_string());
        let policy = match self.policy {
            None => "none",
            Some(Side::Asked) => "asked",
            Some(Side::Opponents) => "opponents",
        };
        let from = if self.from_start { "start" } else { "state" };
        let chance: String = self.chance.iter().map(|role| format!(" {role}")).collect();
        format!(
            "rules {:016x}\nrole {}\nobjective {objective}\nhorizon {horizon}\nchance{chance}\n\
             from {from}\npolicy {policy}\n",
            self.rules, self.role
        )
    }

    /// Reads what [`Claim::text`] wrote.
    pub(crate) fn parse<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
        let mut field = |name: &str| lines.next()?.strip_prefix(name);
        let rules = u64::from_str_radix(field("rules ")?, 16).ok()?;
        let role = field("role ")?.to_owned();
        let objective = match field("objective ")? {
            "win" => Objective::Win,
            "goal" => Objective::Goal,
            _ => return None,
        };
        let horizon = match field("horizon ")? {
            "none" => None,
            steps => Some(steps.parse().ok()?),
        };
        let chance = field("chance")?.split(' ').skip(1).map(str::to_owned).collect();
        let from_start = match field("from ")? {
            "start" => true,
            "state" => false,
            _ => return None,
        };
        let policy = match field("policy ")? {
            "none" => None,
            "asked" => Some(Side::Asked),
            "opponents" => Some(Side::Opponents),
            _ => return None,
        };
        Some(Self { rules, role, objective, horizon, chance, from_start, policy })
    }
}

/// A checksum of the rules in normal form, the same however the sheet is laid out.
pub fn rules_sum(book: &Rulebook) -> u64 {
    let mut text = String::new();
    for role in book.roles.ids() {
        text += book.role_name(role);
        text.push('\n');
    }
    for rule in &book.rules {
        text += &gdl::rule_text(rule, &book.symbols);
        text.push('\n');
    }
    store::checksum(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let roles = vec!["random".to_owned(), "o".to_owned()];
        for (horizon, chance, from_start, policy) in [
            (None, vec![], true, None),
            (Some(0), roles.clone(), false, Some(Side::Asked)),
            (Some(7), roles, false, Some(Side::Opponents)),
        ] {
            let (role, objective) = ("x".to_owned(), Objective::Goal);
            let claim =
                Claim { rules: 0xabc, role, objective, horizon, chance, from_start, policy };
            let text = claim.text();
            assert_eq!(Claim::parse(&mut text.lines()), Some(claim));
            for missing in 0..text.lines().count() {
                let mut rest = text.lines().enumerate().filter(|(at, _)| *at != missing);
                let mut rest = std::iter::from_fn(|| rest.next().map(|(_, line)| line));
                assert_eq!(Claim::parse(&mut rest), None);
            }
        }
    }
}
