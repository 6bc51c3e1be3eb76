//! One side's policy: the entries that it reaches, each under the move that it makes there.

use gdl::RoleId;
use index::Id;
use table::{Choice, Side};

use super::entry::{Checker, Derived};
use super::reduce::first;
use super::{Objection, Refusal};
use crate::reference::{Inner, Node, State};

impl Checker<'_> {
    /// The roles of a side that have several moves.
    fn choosing(&self, inner: &Inner, side: Side) -> Vec<RoleId> {
        let question = self.plays.question;
        let several = |role: &RoleId| inner.moves[role.index()].len() > 1;
        match side {
            Side::Asked => std::iter::once(question.role).filter(several).collect(),
            Side::Opponents => question.opponents().filter(several).collect(),
        }
    }

    /// Leaves the side only the move that is marked: exactly one where it chooses, none elsewhere.
    fn bind(&self, inner: &mut Inner, side: Side, choice: &Choice) -> Result<(), Refusal> {
        let choosing = self.choosing(inner, side);
        if side == Side::Opponents && inner.own > 1 && !choosing.is_empty() {
            let message = "both sides choose in this step, so the replies are no policy";
            return Err(Objection::new("both-choose", message).into());
        }
        let alone =
            choice.choosers as usize == choosing.len() && choice.moves.len() == choosing.len();
        if !alone {
            let message = "a policy has one move where its side chooses, and none elsewhere";
            return Err(Objection::new("wrong-moves", message).into());
        }
        for (role, id) in choosing.iter().zip(&choice.moves) {
            let moves = &mut inner.moves[role.index()];
            let marked =
                |term: &crate::reference::TermId| self.moves.get(&(*role, *term)) == Some(id);
            moves.retain(marked);
            if moves.len() != 1 {
                return Err(Objection::new("wrong-moves", "the marked move is not legal").into());
            }
        }
        match side {
            Side::Asked => inner.own = 1,
            Side::Opponents => inner.opposing = 1,
        }
        Ok(())
    }

    /// The value that the side's marked move leads to, whatever the others do.
    pub(super) fn derive_under(
        &mut self,
        side: Side,
        (state, step): (&State, u32),
        choice: &Choice,
    ) -> Result<Derived, Refusal> {
        if let Node::Inner(mut inner) = self.plays.look_at(state)?
            && self.plays.question.horizon != Some(step)
        {
            self.bind(&mut inner, side, choice)?;
            let means = self.means(state, &inner, step + 1)?;
            let least = |part: &[exact::Ratio]| part.iter().min().expect("a joint move").clone();
            let after = means.chunks(inner.opposing).map(least);
            let value = after.max().expect("a move");
            return Ok(Derived { value, choosing: Vec::new(), best: Vec::new() });
        }
        if *choice != Choice::default() {
            return Err(Objection::new("wrong-moves", "nobody chooses here").into());
        }
        self.derive(state, step)
    }

    /// What is kept of a choice in the side's part of a table, and what can happen then.
    fn bound(
        &mut self,
        (state, step): (&State, u32),
        choice: &Choice,
        side: Side,
    ) -> Result<(Choice, Option<Inner>), Refusal> {
        let Node::Inner(mut inner) = self.plays.look_at(state)? else {
            return Ok((Choice::default(), None));
        };
        if self.plays.question.horizon == Some(step) {
            return Ok((Choice::default(), None));
        }
        let chooses = !self.choosing(&inner, side).is_empty();
        let kept = if chooses { first(choice) } else { Choice::default() };
        self.bind(&mut inner, side, &kept)?;
        Ok((kept, Some(inner)))
    }

    /// The entries that an entry leads to under the side's policy: layers and keys.
    pub(super) fn followed(
        &mut self,
        layer: usize,
        key: &[u64],
        side: Side,
    ) -> Result<Vec<(usize, Vec<u64>)>, Refusal> {
        let step = self.table.layers()[layer].step;
        let (state, found) = self.opened(layer, key)?;
        let Some(inner) = self.bound((&state, step), found.choice(), side)?.1 else {
            return Ok(Vec::new());
        };
        let mut next = self.next_states(&state, &inner)?;
        let mut below = step + 1;
        if self.table.layer_at(below).is_none() {
            let mut behind = Vec::new();
            for state in next {
                let Node::Inner(inner) = self.plays.look_at(&state)? else { continue };
                behind.extend(self.next_states(&state, &inner)?);
            }
            (next, below) = (behind, below + 1);
        }
        let Some(layer) = self.table.layer_at(below) else { return Ok(Vec::new()) };
        let keys = next.iter().map(|state| self.key(state).map(|key| (layer, key)));
        keys.collect::<Option<_>>().ok_or_else(|| {
            Objection::new("missing-state", "a state that follows is not in the table").into()
        })
    }

    /// The numerator of an entry, and what is kept of its choice.
    pub(super) fn kept(
        &mut self,
        layer: usize,
        key: &[u64],
        side: Side,
    ) -> Result<(Vec<u64>, Choice), Refusal> {
        let step = self.table.layers()[layer].step;
        let (state, found) = self.opened(layer, key)?;
        let (choice, _) = self.bound((&state, step), found.choice(), side)?;
        Ok((found.block.numerator(found.at).to_vec(), choice))
    }
}
