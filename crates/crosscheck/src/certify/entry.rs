//! One entry from its children.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use exact::{Ratio, UBig, scaled};
use gdl::RoleId;
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;
use table::{BLOCK, Choice, Found, Lookup, PropId, Table};
use verdict::{Fault, Question};

use super::names::{Names, Used};
use super::{Objection, Refusal, Seen};
use crate::reference::{Inner, Node, Plays, State, TermId};

/// Parts of one entry's or block's work between two looks at the limits.
const LOOK_EVERY: usize = 64;

/// Looks at the limits.
pub(crate) type Look<'t> = &'t (dyn Fn() -> Result<(), Refusal> + 't);

/// Derives entries on one thread.
pub(crate) struct Checker<'t> {
    pub(super) table: &'t Table,
    names: &'t Names,
    pub(super) plays: Plays<'t>,
    lookup: Lookup<'t>,
    terms: IndexVec<PropId, TermId>,
    props: FxHashMap<TermId, PropId>,
    pub(super) moves: FxHashMap<(RoleId, TermId), u32>,
    used: Used,
    seen: &'t Seen,
    look: Look<'t>,
}

/// A value with the best moves of whoever chooses.
pub(super) struct Derived {
    pub(super) value: Ratio,
    pub(super) choosing: Vec<RoleId>,
    /// Their best joint choices, a move for each.
    pub(super) best: Vec<Vec<TermId>>,
}

impl<'t> Checker<'t> {
    /// A checker whose blocks take so many bytes.
    pub(crate) fn new(
        table: &'t Table,
        question: &'t Question,
        names: &'t Names,
        budget: u64,
        seen: &'t Seen,
    ) -> Result<Self, Fault> {
        let mut plays = Plays::new(question)?;
        let mut id = |term| plays.simulator.id(term).expect("names are ground");
        let terms: IndexVec<PropId, TermId> = names.props.iter().map(&mut id).collect();
        let props = terms.enumerate().map(|(prop, term)| (*term, prop)).collect();
        let moves = names.moves.iter().map(|(role, term, number)| ((*role, id(term)), *number));
        let moves = moves.collect();
        let (lookup, used) = (Lookup::new(table, budget), Used::none(table));
        Ok(Self { table, names, plays, lookup, terms, props, moves, used, seen, look: &|| Ok(()) })
    }

    /// Lets it look at the limits on its way.
    pub(crate) fn watched(self, look: Look<'t>) -> Self {
        Self { look, ..self }
    }

    /// Names that were seen in entries.
    pub(crate) fn used(&self) -> &Used {
        &self.used
    }

    /// Checks the entries of a block; `begins` is told each entry's number in its layer.
    pub(crate) fn check(
        &mut self,
        layer: usize,
        number: usize,
        mut begins: impl FnMut(u64),
    ) -> Result<(), Refusal> {
        begins(number as u64 * BLOCK as u64);
        (self.look)()?;
        let block = self.table.block(layer, number)?;
        let mut common = super::lock(&self.seen.common[layer]).clone();
        for (place, numerator) in block.numerators().enumerate() {
            if common == UBig::from(1u8) {
                break;
            }
            if place.is_multiple_of(LOOK_EVERY) {
                (self.look)()?;
            }
            common = exact::gcd_big(&common, &scaled::to_big(numerator));
        }
        {
            let mut held = super::lock(&self.seen.common[layer]);
            *held = exact::gcd_big(&held, &common);
        }
        let mut found = Found { layer, number, block: Rc::new(block), at: 0 };
        for at in 0..found.block.len() {
            let entry = number as u64 * BLOCK as u64 + at as u64;
            begins(entry);
            (self.look)()?;
            found.at = at;
            self.entry(&found, entry)?;
            self.seen.derived.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn entry(&mut self, found: &Found, entry: u64) -> Result<(), Refusal> {
        let step = self.table.layers()[found.layer].step;
        let key = found.block.key(found.at);
        let here = |objection: Objection| Objection { entry: Some((step, entry)), ..objection };
        let Some(props) = self.table.layout().state(key) else {
            return Err(here(Objection::new("no-state", "the key is of no state")).into());
        };
        self.table.layout().mark_codes(key, &mut self.used.codes);
        let state = self.plays.simulator.state_of(props.iter().map(|prop| self.terms[*prop]));
        if step == 0 && state != self.plays.root()? {
            let message = "the first entry is not the state in which the game begins";
            let state = Some(self.names.text(&props));
            return Err(here(Objection { state, ..Objection::new("other-start", message) }).into());
        }
        let text = || Some(self.names.text(&props));
        let policy = self.table.claim().policy;
        let derived = match policy {
            None => self.derive(&state, step),
            Some(side) => self.derive_under(side, (&state, step), found.choice()),
        };
        let derived = match derived {
            Err(Refusal::Objection(objection)) => {
                return Err(here(Objection { state: text(), ..*objection }).into());
            }
            other => other?,
        };
        let value = self.lookup.value(found);
        if value != derived.value {
            let message = "the value does not follow from the states that follow";
            let (written, derived) = (Some(value.to_string()), Some(derived.value.to_string()));
            let objection = Objection::new("wrong-value", message);
            return Err(here(Objection { state: text(), written, derived, ..objection }).into());
        }
        if policy.is_none() && Some(found.choice()) != self.numbered(&derived).as_ref() {
            let message = "the moves marked best are not those that reach the value";
            let written = Some(self.choice_text(found.choice()));
            let derived = Some(self.best_text(&derived));
            let objection = Objection::new("wrong-moves", message);
            return Err(here(Objection { state: text(), written, derived, ..objection }).into());
        }
        for id in &found.choice().moves {
            if let Some(place) = self.table.place_of(*id) {
                self.used.moves[place] = true;
            }
        }
        Ok(())
    }

    /// The value of a state so many steps from the start, and the best moves there.
    pub(super) fn derive(&mut self, state: &State, step: u32) -> Result<Derived, Refusal> {
        let nobody = |value| Derived { value, choosing: Vec::new(), best: Vec::new() };
        let inner = match self.plays.look_at(state)? {
            Node::Terminal(worth) => return Ok(nobody(worth)),
            Node::Inner(_) if self.plays.question.horizon == Some(step) => {
                return Ok(nobody(Ratio::zero()));
            }
            Node::Inner(inner) => inner,
        };
        if inner.own > 1 && inner.opposing > 1 {
            self.seen.simultaneous.store(true, Ordering::Relaxed);
        }
        let means = self.means(state, &inner, step + 1)?;
        let replies: Vec<&[Ratio]> = means.chunks(inner.opposing).collect();
        let least = |part: &&[Ratio]| part.iter().min().expect("a joint move").clone();
        let after: Vec<Ratio> = replies.iter().map(least).collect();
        let value = after.iter().max().expect("a move").clone();
        if inner.own > 1 {
            let moves = &inner.moves[self.plays.question.role.index()];
            let best = moves.iter().zip(&after).filter(|(_, after)| **after == value);
            let best = best.map(|(term, _)| vec![*term]).collect();
            return Ok(Derived { value, choosing: vec![self.plays.question.role], best });
        }
        let several = |role: &RoleId| inner.moves[role.index()].len() > 1;
        let choosing: Vec<RoleId> = self.plays.question.opponents().filter(several).collect();
        let best = (0..inner.opposing).filter(|reply| means[*reply] == value);
        let best = best.filter(|_| !choosing.is_empty());
        let best = best.map(|reply| joint(&inner, &choosing, reply)).collect();
        Ok(Derived { value, choosing, best })
    }

    /// Best moves by the table's numbers; none where it has no number for one.
    fn numbered(&self, derived: &Derived) -> Option<Choice> {
        let number = |(role, term): (&RoleId, &TermId)| self.moves.get(&(*role, *term)).copied();
        let row = |best: &Vec<TermId>| derived.choosing.iter().zip(best).map(number).collect();
        let mut rows: Vec<Vec<u32>> = derived.best.iter().map(row).collect::<Option<_>>()?;
        rows.sort_unstable();
        Some(Choice { choosers: derived.choosing.len() as u32, moves: rows.concat() })
    }

    /// The mean of each pair of moves, the opponents' fastest.
    pub(super) fn means(
        &mut self,
        state: &State,
        inner: &Inner,
        step: u32,
    ) -> Result<Vec<Ratio>, Refusal> {
        let mut sums: Vec<Ratio> = Vec::with_capacity(inner.own * inner.opposing);
        let children = self.followers(state, inner)?;
        for part in children.chunks(inner.outcomes) {
            let mut sum = Ratio::zero();
            for (joint, next) in part {
                sum = sum + self.child(joint, next, step)?;
            }
            sums.push(sum / Ratio::new(inner.outcomes as u64, 1u8));
        }
        Ok(sums)
    }

    /// The joint moves of a state with the states that follow.
    fn followers(
        &mut self,
        state: &State,
        inner: &Inner,
    ) -> Result<Vec<(Vec<TermId>, State)>, Refusal> {
        let mut children = Vec::with_capacity(inner.joint_moves().min(1 << 16));
        let look = self.look;
        self.plays.go_through::<Refusal>(state, inner, |_, joint, next| {
            children.push((joint.to_vec(), next));
            if children.len().is_multiple_of(LOOK_EVERY) {
                look()?;
            }
            Ok(true)
        })?;
        Ok(children)
    }

    /// The states that follow a state.
    pub(super) fn next_states(
        &mut self,
        state: &State,
        inner: &Inner,
    ) -> Result<Vec<State>, Refusal> {
        Ok(self.followers(state, inner)?.into_iter().map(|(_, next)| next).collect())
    }

    /// The state of a key, and its entry.
    pub(super) fn opened(&mut self, layer: usize, key: &[u64]) -> Result<(State, Found), Refusal> {
        let props = self.table.layout().state(key);
        let found = self.lookup.find(layer, key)?;
        let Some((props, found)) = props.zip(found) else {
            return Err(Objection::new("missing-state", "a state is not in the table").into());
        };
        let state = self.plays.simulator.state_of(props.iter().map(|prop| self.terms[*prop]));
        Ok((state, found))
    }

    /// The key of a state, if one stands for it.
    pub(super) fn key(&self, state: &State) -> Option<Vec<u64>> {
        let props: Option<Vec<PropId>> =
            state.terms().iter().map(|term| self.props.get(term).copied()).collect();
        self.table.layout().key(&props?)
    }

    /// The value that the table has for a state that follows; one between two layers is derived.
    fn child(&mut self, joint: &[TermId], state: &State, step: u32) -> Result<Ratio, Refusal> {
        if let Some(layer) = self.table.layer_at(step) {
            if let Some(found) = self.find(layer, state)? {
                let at = found.number as u64 * BLOCK as u64 + found.at as u64;
                let word = &self.seen.reached[layer][(at / 64) as usize];
                word.fetch_or(1 << (at % 64), Ordering::Relaxed);
                return Ok(self.lookup.value(&found));
            }
        } else if self.table.layer_at(step + 1).is_some()
            && let Node::Inner(inner) = self.plays.look_at(state)?
            && inner.waits_for_chance()
            && self.plays.question.horizon != Some(step)
        {
            self.seen.passed.fetch_add(1, Ordering::Relaxed);
            let mut means = self.means(state, &inner, step + 1)?;
            return Ok(means.swap_remove(0));
        }
        let simulator = &self.plays.simulator;
        let moves: Vec<String> = joint.iter().map(|term| simulator.text(*term)).collect();
        let message =
            format!("the state after {} is not among the entries of step {step}", moves.join(" "));
        let derived = Some(simulator.state_text(state));
        Err(Objection { derived, ..Objection::new("missing-state", message) }.into())
    }

    /// The entry of a state.
    fn find(&mut self, layer: usize, state: &State) -> Result<Option<Found>, Refusal> {
        let Some(key) = self.key(state) else { return Ok(None) };
        Ok(self.lookup.find(layer, &key)?)
    }

    fn best_text(&self, derived: &Derived) -> String {
        let text = |term: &TermId| self.plays.simulator.text(*term);
        let joint = |best: &Vec<TermId>| best.iter().map(text).collect::<Vec<_>>().join(" ");
        listed(derived.best.iter().map(joint).collect())
    }

    fn choice_text(&self, choice: &Choice) -> String {
        let name = |id: &u32| {
            let held = self.names.moves.iter().find(|(.., number)| number == id);
            held.map_or_else(
                || format!("move {id}"),
                |(_, term, _)| gdl::term_text(term, &self.plays.question.rulebook.symbols),
            )
        };
        let text = |joint: &[u32]| joint.iter().map(name).collect::<Vec<_>>().join(" ");
        listed(choice.each().map(text).collect())
    }
}

/// The moves of these roles in one of their joint moves, the last role's fastest.
fn joint(inner: &Inner, choosing: &[RoleId], mut number: usize) -> Vec<TermId> {
    let mut row = Vec::with_capacity(choosing.len());
    for role in choosing.iter().rev() {
        let moves = &inner.moves[role.index()];
        row.push(moves[number % moves.len()]);
        number /= moves.len();
    }
    row.reverse();
    row
}

fn listed(texts: Vec<String>) -> String {
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}
