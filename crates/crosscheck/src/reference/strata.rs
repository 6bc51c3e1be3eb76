//! Which relations must be known before which, and how long what is known stays true.
//!
//! Relations that depend on each other form a component and are evaluated together to their least
//! fixpoint; components stand in an order in which each finds what it depends on done. Negation is
//! stratified, so it never stays inside a component. A component's layer says when it must be
//! evaluated again: once a game, once a state, once a step.

use gdl::{Atom, Literal, Rulebook, SymbolId, keyword};
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

index::typed_id!(
    /// A relation: a name with an arity.
    pub(super) struct RelationId, "q"
);

/// How long the facts of a relation stay true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// For the whole game.
    Game,
    /// While the state stays.
    State,
    /// For one joint move in one state.
    Step,
    /// For one joint move; only what roles see depends on it.
    Percept,
}

/// The relations of a rulebook.
#[derive(Default)]
pub(super) struct Relations {
    ids: FxHashMap<(SymbolId, usize), RelationId>,
}

/// Relations that are evaluated together.
pub(super) struct Component {
    /// Its relations, in no particular order.
    pub(super) relations: Vec<RelationId>,
    /// Whether it depends on itself.
    pub(super) recursive: bool,
    /// When it is evaluated.
    pub(super) layer: Layer,
}

impl Relations {
    /// All relations of a rulebook, and those that GDL gives a meaning to.
    pub(super) fn new(rulebook: &Rulebook) -> Self {
        let mut relations = Self::default();
        for (name, arity) in [
            (keyword::ROLE, 1),
            (keyword::INIT, 1),
            (keyword::TRUE, 1),
            (keyword::DOES, 2),
            (keyword::LEGAL, 2),
            (keyword::NEXT, 1),
            (keyword::SEES, 2),
            (keyword::GOAL, 2),
            (keyword::TERMINAL, 0),
        ] {
            relations.add(name, arity);
        }
        for rule in &rulebook.rules {
            let body = rule.body.iter().filter_map(atom_of);
            for atom in body.chain([&rule.head]) {
                relations.add(atom.relation, atom.args.len());
            }
        }
        relations
    }

    fn add(&mut self, name: SymbolId, arity: usize) {
        let fresh = RelationId::from_index(self.ids.len());
        self.ids.entry((name, arity)).or_insert(fresh);
    }

    /// The relation of an atom.
    pub(super) fn id(&self, atom: &Atom) -> RelationId {
        self.named(atom.relation, atom.args.len())
    }

    /// The relation of this name and arity, which the rulebook or GDL has.
    pub(super) fn named(&self, name: SymbolId, arity: usize) -> RelationId {
        self.ids[&(name, arity)]
    }

    /// Number of relations.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

/// The atom of a literal, where it has one.
fn atom_of(literal: &Literal) -> Option<&Atom> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        Literal::Distinct(..) => None,
    }
}

/// The components that a game is played by, each after those it depends on.
pub(super) fn components(rulebook: &Rulebook, relations: &Relations) -> Vec<Component> {
    let edges = dependencies(rulebook, relations);
    let reached = |names: &[(SymbolId, usize)]| {
        reach(&edges, names.iter().map(|(name, arity)| relations.named(*name, *arity)))
    };
    let played = reached(&[
        (keyword::INIT, 1),
        (keyword::LEGAL, 2),
        (keyword::NEXT, 1),
        (keyword::GOAL, 2),
        (keyword::TERMINAL, 0),
    ]);
    let seen = reached(&[(keyword::SEES, 2)]);
    let mut layers = IndexVec::filled(Layer::Game, relations.len());
    layers[relations.named(keyword::TRUE, 1)] = Layer::State;
    layers[relations.named(keyword::DOES, 2)] = Layer::Step;
    let mut found = Vec::new();
    for members in strongly_connected(&edges) {
        let below = members.iter().flat_map(|id| edges[*id].iter().chain([id]));
        let mut layer = below.map(|id| layers[*id]).max().expect("a component has a member");
        if layer == Layer::Step && !played[members[0]] {
            layer = Layer::Percept;
        }
        members.iter().for_each(|id| layers[*id] = layer);
        if played[members[0]] || seen[members[0]] {
            let recursive =
                members.iter().any(|id| edges[*id].iter().any(|to| members.contains(to)));
            found.push(Component { relations: members, recursive, layer });
        }
    }
    found
}

/// For each relation those that its rules ask for.
fn dependencies(
    rulebook: &Rulebook,
    relations: &Relations,
) -> IndexVec<RelationId, Vec<RelationId>> {
    let mut edges = IndexVec::filled(Vec::new(), relations.len());
    for rule in &rulebook.rules {
        let body = rule.body.iter().filter_map(atom_of);
        edges[relations.id(&rule.head)].extend(body.map(|atom| relations.id(atom)));
    }
    for list in edges.iter_mut() {
        list.sort_unstable();
        list.dedup();
    }
    edges
}

type Edges = IndexVec<RelationId, Vec<RelationId>>;

/// Which relations can be reached from some.
fn reach(edges: &Edges, from: impl Iterator<Item = RelationId>) -> IndexVec<RelationId, bool> {
    let mut reached = IndexVec::filled(false, edges.len());
    let mut waiting: Vec<RelationId> = from.collect();
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut reached[id], true) {
            waiting.extend(&edges[id]);
        }
    }
    reached
}

/// Strongly connected components, each after those that it has an edge to: a walk to the finish
/// order, then a walk along the edges turned round, latest finished first.
fn strongly_connected(edges: &Edges) -> Vec<Vec<RelationId>> {
    let mut turned: Edges = IndexVec::filled(Vec::new(), edges.len());
    for (from, list) in edges.enumerate() {
        list.iter().for_each(|to| turned[*to].push(from));
    }
    let mut taken = IndexVec::filled(false, edges.len());
    let mut components = Vec::new();
    for start in finish_order(edges).into_iter().rev() {
        let (mut members, mut waiting) = (Vec::new(), vec![start]);
        while let Some(id) = waiting.pop() {
            if !std::mem::replace(&mut taken[id], true) {
                members.push(id);
                waiting.extend(&turned[id]);
            }
        }
        if !members.is_empty() {
            components.push(members);
        }
    }
    components.reverse();
    debug_assert_eq!(components.iter().map(Vec::len).sum::<usize>(), edges.len());
    components
}

/// All relations in the order in which a depth-first walk leaves them.
fn finish_order(edges: &Edges) -> Vec<RelationId> {
    let mut entered = IndexVec::filled(false, edges.len());
    let mut finished = Vec::new();
    for start in edges.ids() {
        let mut path = Vec::new();
        if !std::mem::replace(&mut entered[start], true) {
            path.push((start, 0));
        }
        while let Some((id, at)) = path.last_mut() {
            let (id, next) = (*id, edges[*id].get(*at).copied());
            *at += 1;
            match next {
                None => {
                    finished.push(id);
                    path.pop();
                }
                Some(to) if !std::mem::replace(&mut entered[to], true) => path.push((to, 0)),
                Some(_) => {}
            }
        }
    }
    finished
}
