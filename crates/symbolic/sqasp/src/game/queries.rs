//! Questions about the plays themselves, as ground programs.
//!
//! The ground program of a game says which plays there are; with the demand that the end is worth
//! something taken out, each of its stable models is a play of n steps. Whether some play is
//! unfinished, or has a step in which the asked role and an opponent both choose, is then whether
//! a program has a stable model. It is to be asked under the prefix of the game with opponents at
//! random ([`crate::Prefix::at_random`]), because the levels of the prefix are what lets a solver
//! meet a state only once. Where grounding alone shows the answer, there is no program.

use std::collections::BTreeMap;

use gdl::keyword;
use index::Id;
use verdict::Question;

use super::opening::steps_of;
use super::sheet::Sheet;
use crate::ground::{AtomId, GroundLit, GroundProgram, Rule, RuleBody};

/// An answer, or a program that has a stable model where the answer is yes.
#[derive(Clone, Debug)]
pub enum Query {
    /// Grounding showed it.
    Known(bool),
    /// To be solved.
    Open(GroundProgram),
}

/// Questions about the plays of a ground game.
pub struct Queries<'g> {
    sheet: Sheet<'g>,
    ground: &'g GroundProgram,
    steps: u32,
}

impl<'g> Queries<'g> {
    /// About the ground program of a question over so many steps.
    pub fn new(question: &'g Question, ground: &'g GroundProgram, steps: u32) -> Self {
        Self { sheet: Sheet::new(question), ground, steps }
    }

    /// Whether some play is unfinished after all steps.
    pub fn is_unfinished(&self) -> Query {
        let last = self.steps.to_string();
        let found = steps_of(self.ground, &self.sheet.own.plays).find(|(args, _)| args[0] == last);
        match found {
            None => Query::Known(false),
            Some((_, None)) => Query::Known(true),
            Some((_, Some(plays))) => {
                let mut program = self.plays();
                let missing = [GroundLit::new(plays, false)];
                program.add_rule(Rule { choice: false, heads: &[], body: RuleBody::All(&missing) });
                Query::Open(program)
            }
        }
    }

    /// Whether in some step of some play the asked role and an opponent both have several moves.
    pub fn is_simultaneous(&self) -> Query {
        let several = self.several();
        let question = self.sheet.question;
        let plays: BTreeMap<&str, Option<AtomId>> = steps_of(self.ground, &self.sheet.own.plays)
            .map(|(args, atom)| (args[0], atom))
            .collect();
        let mut program = self.plays();
        let mut found = Vec::new();
        for ((_, step), own) in
            several.iter().filter(|((role, _), _)| *role == question.role.index())
        {
            let Some(plays) = plays.get(step.as_str()) else { continue };
            for role in question.opponents() {
                let Some(other) = several.get(&(role.index(), step.clone())) else { continue };
                let mut body = vec![two_of(&mut program, own), two_of(&mut program, other)];
                body.extend(plays.map(|atom| GroundLit::new(atom, true)));
                let both = AtomId::from_index(program.atoms());
                program.add_rule(Rule {
                    choice: false,
                    heads: &[both],
                    body: RuleBody::All(&body),
                });
                found.push(GroundLit::new(both, false));
            }
        }
        if found.is_empty() {
            return Query::Known(false);
        }
        program.add_rule(Rule { choice: false, heads: &[], body: RuleBody::All(&found) });
        Query::Open(program)
    }

    /// Legal moves by role and step, where there may be several.
    fn several(&self) -> BTreeMap<(usize, String), Vec<Option<AtomId>>> {
        let book = &self.sheet.question.rulebook;
        let roles: Vec<String> = book.roles.ids().map(|role| self.sheet.role(role)).collect();
        let mut legal: BTreeMap<(usize, String), Vec<Option<AtomId>>> = BTreeMap::new();
        for (args, atom) in steps_of(self.ground, self.sheet.predicate((keyword::LEGAL, 2))) {
            let step = args[2].parse::<u32>().ok().filter(|step| *step < self.steps);
            let role = roles.iter().position(|role| role == args[0]);
            if let (Some(_), Some(role)) = (step, role) {
                legal.entry((role, args[2].to_owned())).or_default().push(atom);
            }
        }
        legal.retain(|_, moves| moves.len() > 1);
        legal
    }

    /// The program without the demands on the end.
    fn plays(&self) -> GroundProgram {
        let own = &self.sheet.own;
        let last = self.steps.to_string();
        let lost = steps_of(self.ground, &own.lost).filter_map(|(_, atom)| atom);
        let unfinished = steps_of(self.ground, &own.plays).filter(|(args, _)| args[0] == last);
        let demands: Vec<AtomId> = lost.chain(unfinished.filter_map(|(_, atom)| atom)).collect();
        let mut program = GroundProgram::default();
        for rule in self.ground.rules() {
            let demand = rule.heads.is_empty()
                && matches!(rule.body, RuleBody::All([only])
                    if only.is_positive() && demands.contains(&only.atom()));
            // A demand without a body is one that the start itself breaks.
            let broken = rule.heads.is_empty() && rule.literals().is_empty();
            if !demand && !broken {
                program.add_rule(rule);
            }
        }
        program.reserve_atoms(self.ground.atoms());
        program
    }
}

/// A new atom that holds where two or more of these do; none stands for a fact.
fn two_of(program: &mut GroundProgram, atoms: &[Option<AtomId>]) -> GroundLit {
    let facts = atoms.iter().filter(|atom| atom.is_none()).count() as i64;
    let literals: Vec<GroundLit> =
        atoms.iter().flatten().map(|atom| GroundLit::new(*atom, true)).collect();
    let weights = vec![1; literals.len()];
    let body = RuleBody::Sum { bound: 2 - facts, literals: &literals, weights: &weights };
    let head = AtomId::from_index(program.atoms());
    program.add_rule(Rule { choice: false, heads: &[head], body });
    GroundLit::new(head, true)
}
