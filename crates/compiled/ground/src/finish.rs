//! The folded rules as [`GroundRules`]: bases and inputs in natural order, atoms numbered anew.
//!
//! Atoms come in the order `True`, `Does`, `Next`, `Legal`, `Goal`, `Terminal`, helpers; every
//! base and input has its `True` and `Does` atom, the other atoms are there where a rule concludes
//! them. What the sheet got wrong about roles and goals shows here, after folding, so that only
//! what can happen is blamed.

use gdl::{GOAL_VALUES, RoleId, Rulebook, Span, keyword};
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

use crate::emit::{Numbering, Raw};
use crate::fault::GroundFault;
use crate::model::Model;
use crate::program::{RelationId, Relations};
use crate::rules::{
    AtomId, AtomKind, BaseId, GroundLiteral, GroundRole, GroundRule, GroundRules, Input, InputId,
};
use crate::simplify::Simplified;
use crate::terms::{natural_order, number, term_text};
use crate::{TermId, Terms};

/// What the numbering of the result is made from.
pub(crate) struct Finish<'a> {
    pub(crate) rulebook: &'a Rulebook,
    pub(crate) model: Model,
    pub(crate) numbering: Numbering,
    pub(crate) folded: Simplified,
}

/// A move that can be made, with its row.
struct Move {
    role: RoleId,
    term: TermId,
    row: u32,
}

impl Finish<'_> {
    pub(crate) fn ground_rules(self) -> Result<GroundRules, GroundFault> {
        let states = self.states();
        let moves = self.moves();
        let goals = self.goals()?;
        let roles = self.roles(&moves)?;
        let (atoms, renamed) = self.atoms(&states, &moves, &goals);
        let (rules, spans) = self.rules(&renamed);
        let texts = |term: TermId| term_text(self.terms(), &self.rulebook.symbols, term);
        let bases: IndexVec<BaseId, _> =
            states.iter().map(|&row| self.tuple(Relations::truth(), row)[0]).collect();
        let base_texts = bases.iter().map(|&term| texts(term)).collect();
        let inputs = moves
            .iter()
            .map(|held| Input { role: held.role, term: held.term, text: texts(held.term) })
            .collect();
        let init = self.init(&states);
        let terms = self.model.facts.table.into_terms();
        Ok(GroundRules { terms, bases, base_texts, init, roles, inputs, atoms, rules, spans })
    }

    fn terms(&self) -> &Terms {
        self.model.facts.table.terms()
    }

    fn tuple(&self, relation: RelationId, row: u32) -> &[TermId] {
        self.model.facts.tuples[relation].row(row as usize)
    }

    fn order(&self, a: TermId, b: TermId) -> std::cmp::Ordering {
        natural_order(self.terms(), &self.rulebook.symbols, a, b)
    }

    fn possible(&self, relation: RelationId, row: u32) -> bool {
        self.folded.possible[self.numbering.atom(relation, row) as usize]
    }

    /// The rows of the propositions that can hold, in the order of the bases.
    fn states(&self) -> Vec<u32> {
        let truth = Relations::truth();
        let rows = 0..self.numbering.states;
        let mut rows: Vec<_> = rows.filter(|&row| self.possible(truth, row)).collect();
        rows.sort_by(|&a, &b| self.order(self.tuple(truth, a)[0], self.tuple(truth, b)[0]));
        rows
    }

    fn init(&self, states: &[u32]) -> Vec<BaseId> {
        let (init, truth) = (Relations::init(), Relations::truth());
        let held = |row: u32| self.model.facts.tuples[init].find(self.tuple(truth, row)).is_some();
        let positions = states.iter().enumerate().filter(|&(_, &row)| held(row));
        positions.map(|(position, _)| BaseId::from_index(position)).collect()
    }

    fn role(&self, term: TermId) -> Option<RoleId> {
        let (symbol, args) = self.model.facts.table.node(term);
        let mut roles = self.rulebook.roles.enumerate();
        roles.find(|&(_, &role)| role == symbol && args.is_empty()).map(|(id, _)| id)
    }

    /// The moves that can be legal, in the order of the inputs. What is legal for somebody who is
    /// no role is like any helper: nobody can play it.
    fn moves(&self) -> Vec<Move> {
        let legal = Relations::legal();
        let mut moves = Vec::new();
        for row in (0..self.numbering.moves).filter(|&row| self.possible(legal, row)) {
            let &[who, term] = self.tuple(legal, row) else { unreachable!("`legal` has arity 2") };
            let Some(role) = self.role(who) else { continue };
            moves.push(Move { role, term, row });
        }
        moves.sort_by(|a, b| a.role.cmp(&b.role).then_with(|| self.order(a.term, b.term)));
        moves
    }

    fn text(&self, term: TermId) -> String {
        term_text(self.terms(), &self.rulebook.symbols, term)
    }

    /// A rule that concludes the atom.
    fn span_of(&self, atom: Raw) -> Option<Span> {
        let rules = &self.folded.rules;
        let position = rules.heads.iter().position(|&head| head == atom)?;
        Some(rules.spans[position])
    }

    /// The goals that can hold, by row. A goal of somebody who is no role is like any helper.
    fn goals(&self) -> Result<Vec<(u32, AtomKind)>, GroundFault> {
        let goal = Relations::goal();
        let rows = 0..self.model.facts.tuples[goal].len() as u32;
        let possible = rows.filter(|&row| self.possible(goal, row));
        possible.filter_map(|row| self.goal(row).transpose().map(|kind| Ok((row, kind?)))).collect()
    }

    fn goal(&self, row: u32) -> Result<Option<AtomKind>, GroundFault> {
        let goal = Relations::goal();
        let &[who, value] = self.tuple(goal, row) else { unreachable!("`goal` has arity 2") };
        let Some(role) = self.role(who) else { return Ok(None) };
        let (name, args) = self.model.facts.table.node(value);
        let points = number(self.rulebook.symbols.name(name)).filter(|_| args.is_empty());
        match points {
            Some(points @ 0..=100) => Ok(Some(AtomKind::Goal(role, points as u8))),
            _ => {
                let (who, value) = (self.text(who), self.text(value));
                let message = format!("`{value}` is not a goal value, here for `{who}`");
                let span = self.span_of(self.numbering.atom(goal, row));
                Err(GroundFault::new("goal-out-of-range", span, message).note(GOAL_VALUES))
            }
        }
    }

    fn roles(&self, moves: &[Move]) -> Result<IndexVec<RoleId, GroundRole>, GroundFault> {
        let mut roles = IndexVec::new();
        for (role, &symbol) in self.rulebook.roles.enumerate() {
            let start = moves.partition_point(|held| held.role < role);
            let end = moves.partition_point(|held| held.role <= role);
            let name = self.rulebook.symbols.name(symbol).to_owned();
            if start == end {
                let message = format!("the role {name} never has a legal move");
                return Err(GroundFault::new("no-legal-move", self.role_span(symbol), message)
                    .note("every role needs a move in every step; give it a `noop`"));
            }
            roles.push(GroundRole { name, inputs: start..end });
        }
        Ok(roles)
    }

    fn role_span(&self, name: gdl::SymbolId) -> Option<Span> {
        let mut rules = self.rulebook.rules.iter();
        let named = |rule: &&gdl::Rule| {
            rule.head.relation == keyword::ROLE
                && matches!(*rule.head.args, [gdl::Term::Constant(held)] if held == name)
        };
        rules.find(named).map(|rule| rule.span)
    }

    /// The atoms of the result, and the new number of each raw atom that is kept.
    fn atoms(
        &self,
        states: &[u32],
        moves: &[Move],
        goals: &[(u32, AtomKind)],
    ) -> (IndexVec<AtomId, AtomKind>, Renamed) {
        let mut renamed = Renamed::default();
        let at = |relation, row| self.numbering.atom(relation, row);
        let concluded: Vec<bool> = {
            let mut flags = vec![false; self.numbering.len as usize];
            self.folded.rules.heads.iter().for_each(|&head| flags[head as usize] = true);
            flags
        };
        let bases = || states.iter().enumerate().map(|(b, &row)| (row, BaseId::from_index(b)));
        let inputs =
            || moves.iter().enumerate().map(|(i, held)| (held.row, InputId::from_index(i)));
        let leaves = bases()
            .map(|(row, base)| (at(Relations::truth(), row), AtomKind::True(base)))
            .chain(inputs().map(|(row, i)| (at(Relations::does(), row), AtomKind::Does(i))));
        leaves.for_each(|(raw, kind)| renamed.add(raw, kind));
        let outputs = bases()
            .map(|(row, base)| (at(Relations::next(), row), AtomKind::Next(base)))
            .chain(inputs().map(|(row, i)| (at(Relations::legal(), row), AtomKind::Legal(i))))
            .chain(goals.iter().map(|&(row, kind)| (at(Relations::goal(), row), kind)))
            .chain([(at(Relations::terminal(), 0), AtomKind::Terminal)]);
        let terminal = self.model.facts.tuples[Relations::terminal()].len();
        let outputs = outputs.filter(|&(_, kind)| kind != AtomKind::Terminal || terminal > 0);
        outputs
            .filter(|&(raw, _)| concluded[raw as usize])
            .for_each(|(raw, kind)| renamed.add(raw, kind));
        for &head in &self.folded.rules.heads {
            renamed.add(head, AtomKind::Helper);
        }
        (std::mem::take(&mut renamed.atoms), renamed)
    }

    fn rules(&self, renamed: &Renamed) -> (Vec<GroundRule>, Vec<Span>) {
        let raw = &self.folded.rules;
        let literal = |&literal: &u32| GroundLiteral {
            atom: renamed.get(literal >> 1),
            negated: literal & 1 == 1,
        };
        let rule = |position: usize| {
            let mut body: Vec<_> = raw.body(position).iter().map(literal).collect();
            body.sort_unstable();
            GroundRule { head: renamed.get(raw.heads[position]), body: body.into() }
        };
        ((0..raw.len()).map(rule).collect(), raw.spans.clone())
    }
}

/// New numbers of raw atoms.
#[derive(Default)]
struct Renamed {
    atoms: IndexVec<AtomId, AtomKind>,
    ids: FxHashMap<Raw, AtomId>,
}

impl Renamed {
    fn add(&mut self, raw: Raw, kind: AtomKind) {
        let atoms = &mut self.atoms;
        self.ids.entry(raw).or_insert_with(|| atoms.push(kind));
    }

    fn get(&self, raw: Raw) -> AtomId {
        self.ids[&raw]
    }
}
