//! Are these ground rules well formed? The definition is the header of `rules.rs`, spelled out.
//!
//! Everything is checked from the finished rules alone: sizes and order, what stands in bodies,
//! what depends on moves, and that no atom depends on its own negation.

use index::{Id, IdSet, IndexVec};

use crate::rules::{AtomId, AtomKind, GroundRule, GroundRules};

/// Checks the invariants of [`GroundRules`].
///
/// # Errors
/// The first invariant that does not hold, with the rule or atom that breaks it.
pub fn verify(rules: &GroundRules) -> Result<(), String> {
    shapes(rules)?;
    roles(rules)?;
    atoms(rules)?;
    bodies(rules)?;
    moves(rules)?;
    stratified(rules)
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

fn shapes(rules: &GroundRules) -> Result<(), String> {
    ensure(rules.rules.len() == rules.spans.len(), || "a rule without a place".into())?;
    ensure(rules.bases.len() == rules.base_texts.len(), || "a base without a text".into())?;
    ensure(rules.init.is_sorted_by(|a, b| a < b), || "init is not ascending".into())?;
    ensure(rules.init.iter().all(|b| b.index() < rules.bases.len()), || {
        "init past the bases".into()
    })?;
    for (term, (_, args)) in rules.terms.nodes.enumerate() {
        ensure(args.iter().all(|&arg| arg < term), || format!("{term} holds a later term"))?;
    }
    Ok(())
}

fn roles(rules: &GroundRules) -> Result<(), String> {
    let mut next = 0;
    for (id, role) in rules.roles.enumerate() {
        ensure(role.inputs.start == next, || format!("the moves of {id} are not consecutive"))?;
        ensure(role.inputs.end > next, || format!("{id} has no move"))?;
        next = role.inputs.end;
        let mine = role.inputs.clone().all(|at| rules.inputs.as_slice()[at].role == id);
        ensure(mine, || format!("{id} has the move of another"))?;
    }
    ensure(next == rules.inputs.len(), || "a move of no role".into())
}

fn atoms(rules: &GroundRules) -> Result<(), String> {
    let mut seen = rustc_hash::FxHashSet::default();
    for (atom, &kind) in rules.atoms.enumerate() {
        let inside = match kind {
            AtomKind::True(base) | AtomKind::Next(base) => base.index() < rules.bases.len(),
            AtomKind::Does(input) | AtomKind::Legal(input) => input.index() < rules.inputs.len(),
            AtomKind::Goal(role, value) => role.index() < rules.roles.len() && value <= 100,
            AtomKind::Terminal | AtomKind::Helper => true,
        };
        ensure(inside, || format!("{atom} names what is not there"))?;
        let known = kind == AtomKind::Helper || seen.insert(kind);
        ensure(known, || format!("{atom} stands for {kind:?} a second time"))?;
    }
    Ok(())
}

fn bodies(rules: &GroundRules) -> Result<(), String> {
    let concluded: IdSet<AtomId> = rules.rules.iter().map(|rule| rule.head).collect();
    let facts: IdSet<AtomId> =
        rules.rules.iter().filter(|rule| rule.body.is_empty()).map(|rule| rule.head).collect();
    for (position, rule) in rules.rules.iter().enumerate() {
        let leaf =
            |atom: AtomId| matches!(rules.atoms[atom], AtomKind::True(_) | AtomKind::Does(_));
        ensure(!leaf(rule.head), || format!("rule {position} concludes a state or a move"))?;
        ensure(rule.body.is_sorted_by(|a, b| a < b), || format!("rule {position} is not sorted"))?;
        let clash = rule.body.windows(2).any(|pair| pair[0].atom == pair[1].atom);
        ensure(!clash, || format!("rule {position} contradicts itself"))?;
        for literal in &rule.body {
            let atom = literal.atom;
            let next = matches!(rules.atoms[atom], AtomKind::Next(_));
            ensure(!next, || format!("rule {position} reads the next state"))?;
            ensure(leaf(atom) || concluded.contains(atom), || format!("{atom} has no rule"))?;
            ensure(!facts.contains(atom), || format!("{atom} always holds, in rule {position}"))?;
        }
    }
    Ok(())
}

/// Rules by the atom that they conclude.
fn by_head(rules: &GroundRules) -> IndexVec<AtomId, Vec<&GroundRule>> {
    let mut of = IndexVec::filled(Vec::new(), rules.atoms.len());
    for rule in &rules.rules {
        of[rule.head].push(rule);
    }
    of
}

/// What is of the state alone does not depend on moves.
fn moves(rules: &GroundRules) -> Result<(), String> {
    let rules_of = by_head(rules);
    let view = |kind: &AtomKind| {
        matches!(kind, AtomKind::Legal(_) | AtomKind::Goal(..) | AtomKind::Terminal)
    };
    let mut reached = IdSet::new();
    let mut open: Vec<AtomId> =
        rules.atoms.enumerate().filter(|(_, kind)| view(kind)).map(|(atom, _)| atom).collect();
    while let Some(atom) = open.pop() {
        let does = matches!(rules.atoms[atom], AtomKind::Does(_));
        ensure(!does, || format!("legal, goal or terminal depends on the move {atom}"))?;
        if reached.insert(atom) {
            let bodies = rules_of[atom].iter().flat_map(|rule| rule.body.iter());
            open.extend(bodies.map(|literal| literal.atom));
        }
    }
    Ok(())
}

/// Takes out atoms whose rules only read atoms that are out; a negative literal then names a
/// finished component.
fn stratified(rules: &GroundRules) -> Result<(), String> {
    let component = components(rules);
    for rule in &rules.rules {
        for literal in rule.body.iter().filter(|literal| literal.negated) {
            let apart = component[literal.atom] != component[rule.head];
            ensure(apart, || format!("{} depends on its own negation", rule.head))?;
        }
    }
    Ok(())
}

/// The strongly connected component of each atom, by Tarjan's algorithm with a stack of its own.
fn components(rules: &GroundRules) -> IndexVec<AtomId, u32> {
    let rules_of = by_head(rules);
    let edges: IndexVec<AtomId, Vec<AtomId>> = rules_of
        .iter()
        .map(|of| of.iter().flat_map(|rule| rule.body.iter().map(|l| l.atom)).collect())
        .collect();
    let mut walk = Walk {
        edges: &edges,
        order: IndexVec::filled(u32::MAX, edges.len()),
        low: IndexVec::filled(0, edges.len()),
        component: IndexVec::filled(u32::MAX, edges.len()),
        path: Vec::new(),
        entered: 0,
    };
    for atom in edges.ids() {
        if walk.order[atom] == u32::MAX {
            walk.from(atom);
        }
    }
    walk.component
}

struct Walk<'a> {
    edges: &'a IndexVec<AtomId, Vec<AtomId>>,
    order: IndexVec<AtomId, u32>,
    low: IndexVec<AtomId, u32>,
    component: IndexVec<AtomId, u32>,
    path: Vec<AtomId>,
    entered: u32,
}

impl Walk<'_> {
    fn enter(&mut self, atom: AtomId) -> (AtomId, usize) {
        self.order[atom] = self.entered;
        self.low[atom] = self.entered;
        self.entered += 1;
        self.path.push(atom);
        (atom, 0)
    }

    fn from(&mut self, start: AtomId) {
        let mut frames = vec![self.enter(start)];
        while let Some((atom, edge)) = frames.last_mut() {
            let atom = *atom;
            if let Some(&target) = self.edges[atom].get(*edge) {
                *edge += 1;
                if self.order[target] == u32::MAX {
                    let frame = self.enter(target);
                    frames.push(frame);
                } else if self.component[target] == u32::MAX {
                    self.low[atom] = self.low[atom].min(self.order[target]);
                }
                continue;
            }
            frames.pop();
            self.leave(atom);
            if let Some(&(above, _)) = frames.last() {
                self.low[above] = self.low[above].min(self.low[atom]);
            }
        }
    }

    /// Closes the component whose first atom this is.
    fn leave(&mut self, atom: AtomId) {
        if self.low[atom] != self.order[atom] {
            return;
        }
        while let Some(member) = self.path.pop() {
            self.component[member] = self.order[atom];
            if member == atom {
                break;
            }
        }
    }
}
