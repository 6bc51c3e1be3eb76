//! Ground rules to a network.
//!
//! Computed: each atom that an output needs becomes the disjunction of its rules, each rule the
//! conjunction of its body; atoms that need each other get the least fixpoint of their rules
//! (`recursion`). Always: the result is well-formed (`verify`); an output without rules is false;
//! only gates that some output needs are in it, and those of the view come first. Why a copy at
//! the end: folding leaves gates behind that nothing reads, and every later pass would carry them.
//! Cost: linear in the rules, but for recursion; a limit on the gates bounds that.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gdl::{RoleId, Span};
use ground::{AtomId, AtomKind, BaseId, GroundRules, InputId};
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

use crate::gates::{GateId, Gates, Net, NetRole};
use crate::rebuild::{Substitution, cone};
use crate::recursion::{InnerRule, least_fixpoint};
use crate::scc::{Graph, components};

/// How much lowering may take.
#[derive(Clone, Copy, Debug)]
pub struct LowerLimits<'a> {
    /// Gates made on the way.
    pub gates: usize,
    /// Set from outside to stop.
    pub interrupt: Option<&'a AtomicBool>,
    /// Moment at which to stop.
    pub deadline: Option<Instant>,
    /// Resident bytes of the process beyond which to stop, where the system tells them.
    pub memory: Option<u64>,
}

impl Default for LowerLimits<'_> {
    fn default() -> Self {
        Self { gates: 8_000_000, interrupt: None, deadline: None, memory: None }
    }
}

impl LowerLimits<'_> {
    /// Asks for all limits but that on gates.
    fn look(&self) -> Result<(), LowerFault> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(LowerFault::Interrupted);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(LowerFault::OutOfTime);
        }
        match self.memory.zip(store::resident_bytes()) {
            Some((limit, held)) if held > limit => Err(LowerFault::OutOfMemory { held }),
            _ => Ok(()),
        }
    }
}

/// Components lowered between two looks at the limits other than that on gates.
const COMPONENTS_PER_LOOK: usize = 1 << 14;

/// Why no network was made; each with the place of a rule of the atom at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LowerFault {
    /// More gates than the limit; the atom is where it was passed.
    GateLimit {
        /// The limit.
        limit_gates: usize,
        /// Where.
        span: Option<Span>,
    },
    /// An atom depends on its own negation.
    NegativeCycle {
        /// Where.
        span: Option<Span>,
    },
    /// An output that a state must decide depends on moves.
    ViewNeedsMoves {
        /// Where.
        span: Option<Span>,
    },
    /// It was interrupted.
    Interrupted,
    /// The time was up.
    OutOfTime,
    /// The process grew beyond its limit.
    OutOfMemory {
        /// Its resident bytes.
        held: u64,
    },
}

impl LowerFault {
    /// The place of a rule of the atom at fault; none where it has no rule.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::GateLimit { span, .. }
            | Self::NegativeCycle { span }
            | Self::ViewNeedsMoves { span } => *span,
            Self::Interrupted | Self::OutOfTime | Self::OutOfMemory { .. } => None,
        }
    }
}

impl std::fmt::Display for LowerFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::GateLimit { limit_gates, .. } => {
                write!(f, "the network needs more than {limit_gates} gates")
            }
            Self::NegativeCycle { .. } => write!(f, "a relation depends on its own negation"),
            Self::ViewNeedsMoves { .. } => {
                write!(f, "legal, goal or terminal depends on a move of the same step")
            }
            Self::Interrupted => write!(f, "building the network was interrupted"),
            Self::OutOfTime => write!(f, "the time was up while the network was built"),
            Self::OutOfMemory { .. } => {
                write!(f, "the memory was used up while the network was built")
            }
        }
    }
}

impl std::error::Error for LowerFault {}

/// The network of ground rules.
///
/// # Errors
/// A limit met, or rules that are not as grounding promises.
pub fn lower(ground: &GroundRules, limits: &LowerLimits<'_>) -> Result<Net, LowerFault> {
    assert_eq!(ground.rules.len(), ground.spans.len(), "each rule has a place");
    let mut lowering = Lowering::new(ground, limits);
    let wanted = Outputs::of(ground);
    lowering.run(&wanted)?;
    limits.look()?;
    let net = wanted.net(&mut lowering);
    lowering.check_view(&wanted)?;
    debug_assert_eq!(crate::verify(&net), Ok(()));
    Ok(net)
}

/// The atoms of the outputs; none where no rule concludes the output.
struct Outputs {
    legal: IndexVec<InputId, Option<AtomId>>,
    terminal: Option<AtomId>,
    goals: Vec<(RoleId, u8, AtomId)>,
    next: IndexVec<BaseId, Option<AtomId>>,
}

impl Outputs {
    fn of(ground: &GroundRules) -> Self {
        let mut outputs = Self {
            legal: IndexVec::filled(None, ground.inputs.len()),
            terminal: None,
            goals: Vec::new(),
            next: IndexVec::filled(None, ground.bases.len()),
        };
        for (atom, kind) in ground.atoms.enumerate() {
            match *kind {
                AtomKind::Legal(input) => outputs.legal[input] = Some(atom),
                AtomKind::Next(base) => outputs.next[base] = Some(atom),
                AtomKind::Terminal => outputs.terminal = Some(atom),
                AtomKind::Goal(role, value) => outputs.goals.push((role, value, atom)),
                AtomKind::True(_) | AtomKind::Does(_) | AtomKind::Helper => {}
            }
        }
        outputs.goals.sort_unstable();
        outputs
    }

    /// The atoms that a state decides without moves.
    fn view(&self) -> impl Iterator<Item = AtomId> + '_ {
        let goals = self.goals.iter().map(|(_, _, atom)| *atom);
        self.legal.iter().copied().flatten().chain(self.terminal).chain(goals)
    }

    fn roots(&self) -> Vec<usize> {
        self.view().chain(self.next.iter().copied().flatten()).map(Id::index).collect()
    }

    /// The network: all outputs copied into a fresh arena, the view first.
    fn net(&self, lowering: &mut Lowering<'_>) -> Net {
        let ground = lowering.ground;
        let mut old = Vec::new();
        let mut take = |atom: Option<AtomId>| {
            old.push(atom.map_or(Gates::FALSE, |atom| lowering.values[atom]));
        };
        self.legal.iter().for_each(|atom| take(*atom));
        take(self.terminal);
        self.goals.iter().for_each(|(_, _, atom)| take(Some(*atom)));
        self.next.iter().for_each(|atom| take(*atom));
        let (gates, new) = compact(&lowering.gates, &old);
        let (legal, rest) = new.split_at(self.legal.len());
        let (goals, next) = rest[1..].split_at(self.goals.len());
        let roles = self.roles(ground, goals);
        Net {
            gates,
            bases: ground.base_texts.clone(),
            inputs: ground.inputs.iter().map(|input| input.text.clone()).collect(),
            roles,
            init: ground.init.clone(),
            legal: legal.to_vec().into(),
            terminal: rest[0],
            next: next.to_vec().into(),
        }
    }

    fn roles(&self, ground: &GroundRules, goals: &[GateId]) -> IndexVec<RoleId, NetRole> {
        assert_eq!(goals.len(), self.goals.len());
        let mut roles: IndexVec<RoleId, NetRole> = ground
            .roles
            .iter()
            .map(|role| NetRole {
                name: role.name.clone(),
                inputs: role.inputs.clone(),
                goals: Vec::new(),
            })
            .collect();
        for ((role, value, _), &gate) in self.goals.iter().zip(goals) {
            if gate != Gates::FALSE {
                roles[*role].goals.push((*value, gate));
            }
        }
        roles
    }
}

/// A copy of the outputs' cone, and the outputs in it.
fn compact(source: &Gates, outputs: &[GateId]) -> (Gates, Vec<GateId>) {
    let mut gates = Gates::new();
    gates.reserve(cone(source, outputs).len());
    let copied = Substitution::new().copy(source, outputs, &mut gates);
    debug_assert!(gates.len() <= source.len(), "a copy of a part");
    (gates, copied)
}

/// The work: gates of the atoms done so far.
struct Lowering<'a> {
    ground: &'a GroundRules,
    limits: &'a LowerLimits<'a>,
    rules_of: RulesOf,
    gates: Gates,
    values: IndexVec<AtomId, GateId>,
    /// By atom: whether it depends on a move.
    moved: IndexVec<AtomId, bool>,
    /// Memory for reuse: the guards of one atom's rules, and the operands of one guard.
    bodies: Vec<GateId>,
    operands: Vec<GateId>,
}

/// The rules of each atom: those of atom `a` are `rules[starts[a]..starts[a + 1]]`, ascending.
struct RulesOf {
    starts: Vec<u32>,
    rules: Vec<u32>,
}

impl RulesOf {
    fn new(ground: &GroundRules) -> Self {
        assert!(u32::try_from(ground.rules.len()).is_ok(), "more rules than ids");
        let mut starts = vec![0u32; ground.atoms.len() + 1];
        for rule in &ground.rules {
            starts[rule.head.index() + 1] += 1;
        }
        for atom in 0..ground.atoms.len() {
            starts[atom + 1] += starts[atom];
        }
        let mut free = starts.clone();
        let mut rules = vec![0; ground.rules.len()];
        for (at, rule) in ground.rules.iter().enumerate() {
            let slot = &mut free[rule.head.index()];
            rules[*slot as usize] = at as u32;
            *slot += 1;
        }
        Self { starts, rules }
    }

    fn range(&self, atom: AtomId) -> std::ops::Range<usize> {
        self.starts[atom.index()] as usize..self.starts[atom.index() + 1] as usize
    }

    fn get(&self, atom: AtomId) -> &[u32] {
        &self.rules[self.range(atom)]
    }
}

impl<'a> Lowering<'a> {
    fn new(ground: &'a GroundRules, limits: &'a LowerLimits<'a>) -> Self {
        let atoms = ground.atoms.len();
        let mut lowering = Self {
            ground,
            limits,
            rules_of: RulesOf::new(ground),
            gates: Gates::new(),
            values: IndexVec::filled(Gates::FALSE, atoms),
            moved: IndexVec::filled(false, atoms),
            bodies: Vec::new(),
            operands: Vec::new(),
        };
        lowering.gates.reserve(ground.rules.len().min(limits.gates));
        lowering.set_leaves();
        lowering
    }

    fn set_leaves(&mut self) {
        for (atom, kind) in self.ground.atoms.enumerate() {
            match *kind {
                AtomKind::True(base) => self.values[atom] = self.gates.base(base),
                AtomKind::Does(input) => {
                    self.values[atom] = self.gates.does(input);
                    self.moved[atom] = true;
                }
                _ => continue,
            }
            assert!(self.rules_of.get(atom).is_empty(), "nothing concludes what is given");
        }
    }

    fn run(&mut self, wanted: &Outputs) -> Result<(), LowerFault> {
        let edges = self.ground.rules.iter().flat_map(|rule| {
            rule.body.iter().map(|literal| (rule.head.index(), literal.atom.index()))
        });
        let graph = Graph::new(self.ground.atoms.len(), edges);
        for (at, component) in components(&graph, &wanted.roots()).into_iter().enumerate() {
            if at.is_multiple_of(COMPONENTS_PER_LOOK) {
                self.limits.look()?;
            }
            let members: Vec<AtomId> = component.into_iter().map(AtomId::from_index).collect();
            match members[..] {
                [atom] if !graph.has_loop(atom.index()) => self.lower_atom(atom),
                _ => self.lower_together(&members)?,
            }
            if self.gates.len() > self.limits.gates {
                return Err(self.over_limit(members[0]));
            }
        }
        Ok(())
    }

    /// The place of a rule of the atom.
    fn span(&self, atom: AtomId) -> Option<Span> {
        self.rules_of.get(atom).first().map(|rule| self.ground.spans[*rule as usize])
    }

    fn over_limit(&self, atom: AtomId) -> LowerFault {
        LowerFault::GateLimit { limit_gates: self.limits.gates, span: self.span(atom) }
    }

    fn lower_atom(&mut self, atom: AtomId) {
        if matches!(self.ground.atoms[atom], AtomKind::True(_) | AtomKind::Does(_)) {
            return;
        }
        let mut bodies = std::mem::take(&mut self.bodies);
        bodies.clear();
        for at in self.rules_of.range(atom) {
            let rule = self.rules_of.rules[at] as usize;
            bodies.push(self.guard(atom, rule, |_| false));
        }
        self.values[atom] = self.gates.any(&bodies);
        self.bodies = bodies;
    }

    /// The conjunction of a rule's body without the atoms that `skip` names.
    fn guard(&mut self, head: AtomId, rule: usize, skip: impl Fn(AtomId) -> bool) -> GateId {
        let ground = self.ground;
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        for literal in &ground.rules[rule].body {
            self.moved[head] |= self.moved[literal.atom];
            if !skip(literal.atom) {
                let value = self.values[literal.atom];
                operands.push(if literal.negated { self.gates.not(value) } else { value });
            }
        }
        let guard = self.gates.all(&operands);
        self.operands = operands;
        guard
    }

    /// Atoms that need each other.
    fn lower_together(&mut self, members: &[AtomId]) -> Result<(), LowerFault> {
        let place: FxHashMap<AtomId, usize> =
            members.iter().enumerate().map(|(at, atom)| (*atom, at)).collect();
        let mut rules = Vec::new();
        for (head, &atom) in members.iter().enumerate() {
            for at in self.rules_of.range(atom) {
                let rule = self.rules_of.rules[at] as usize;
                let inner = self.inner(rule, &place)?;
                let guard = self.guard(atom, rule, |atom| place.contains_key(&atom));
                rules.push(InnerRule { head, guard, inner });
            }
        }
        let found = least_fixpoint(&mut self.gates, members.len(), &rules, self.limits.gates)
            .map_err(|_| self.over_limit(members[0]))?;
        let moved = members.iter().any(|atom| self.moved[*atom]);
        for (&atom, gate) in members.iter().zip(found) {
            self.values[atom] = gate;
            self.moved[atom] = moved;
        }
        Ok(())
    }

    /// The positions of the members that a rule's body names.
    fn inner(
        &self,
        rule: usize,
        place: &FxHashMap<AtomId, usize>,
    ) -> Result<Vec<usize>, LowerFault> {
        let mut inner = Vec::new();
        for literal in &self.ground.rules[rule].body {
            match place.get(&literal.atom) {
                Some(_) if literal.negated => {
                    return Err(LowerFault::NegativeCycle { span: Some(self.ground.spans[rule]) });
                }
                Some(&at) => inner.push(at),
                None => {}
            }
        }
        Ok(inner)
    }

    /// No output of the view depends on a move, not even through a rule that folded away.
    fn check_view(&self, wanted: &Outputs) -> Result<(), LowerFault> {
        match wanted.view().find(|atom| self.moved[*atom]) {
            Some(atom) => Err(LowerFault::ViewNeedsMoves { span: self.span(atom) }),
            None => Ok(()),
        }
    }
}
