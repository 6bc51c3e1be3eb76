//! The reachable states of a question, each expanded once.
//!
//! Always: a node's children stand in the order asked role, opponents, chance roles, the last
//! fastest; the outcomes of chance for one choice are equally likely, one entry a joint move, so a
//! state that several of them lead to stands there several times.

use rustc_hash::FxHashMap;
use verdict::{Fault, Question, Watch};

use super::plays::Plays;
pub(super) use super::plays::{Inner, Node};
use super::states::State;

/// A state's place in the graph.
pub(crate) type Place = usize;

/// The states met so far.
pub(super) struct Graph<'a> {
    pub(super) plays: Plays<'a>,
    met: Met,
}

/// States by their places, each looked at once.
#[derive(Default)]
struct Met {
    places: FxHashMap<State, Place>,
    states: Vec<State>,
    nodes: Vec<Node>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(question: &'a Question) -> Result<Self, Fault> {
        let plays = Plays::new(question)?;
        Ok(Self { plays, met: Met::default() })
    }

    /// The place of the state that is asked about.
    pub(super) fn root(&mut self) -> Result<Place, Fault> {
        let state = self.plays.root()?;
        self.met.place(&mut self.plays, state)
    }

    /// The node at a place.
    pub(super) fn node(&self, place: Place) -> &Node {
        &self.met.nodes[place]
    }

    /// All nodes.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.met.nodes
    }

    /// Finds the children of an inner node, if it has not been done. False where the watch ran out
    /// before all were found; none are kept then.
    pub(super) fn expand(&mut self, place: Place, watch: &Watch<'_>) -> Result<bool, Fault> {
        let Node::Inner(inner) = &self.met.nodes[place] else { return Ok(true) };
        if !inner.children.is_empty() {
            return Ok(true);
        }
        let (inner, state) = (inner.clone(), self.met.states[place].clone());
        let mut children = Vec::with_capacity(inner.joint_moves());
        let met = &mut self.met;
        let whole = self.plays.go_through::<Fault>(&state, &inner, |plays, _, next| {
            children.push(met.place(plays, next)?);
            Ok(!watch.interrupted() && watch.spent() <= 1.0)
        })?;
        if !whole {
            return Ok(false);
        }
        let Node::Inner(inner) = &mut self.met.nodes[place] else { unreachable!("it was inner") };
        assert_eq!(children.len(), inner.joint_moves());
        inner.children = children;
        Ok(true)
    }
}

impl Met {
    /// The place of a state, which is checked when it is new.
    fn place(&mut self, plays: &mut Plays<'_>, state: State) -> Result<Place, Fault> {
        if let Some(&place) = self.places.get(&state) {
            return Ok(place);
        }
        let node = plays.look_at(&state)?;
        let place = self.nodes.len();
        self.nodes.push(node);
        self.states.push(state.clone());
        self.places.insert(state, place);
        Ok(place)
    }
}
