//! Atoms as signals.
//!
//! Components of the graph "atom is in the body of a rule for atom" come callees first. Open atoms
//! are inputs: heads of choices, quantified atoms, and atoms that their own component denies. For
//! an open atom the program says more than "it may hold": its rules force it, and it needs a
//! reason. Both are told as demands, clauses over signals.

use index::{Id, IdSet, IndexVec};
use verdict::HaltReason;

use super::clock::Clock;
use super::components::Graph;
use super::counting::reaches;
use super::gates::{Gates, Signal};
use crate::ground::{AtomId, GroundLit, GroundProgram, RuleBody};
use crate::prefix::Prefix;

/// What the program means.
pub(super) struct Meaning {
    pub(super) gates: Gates,
    /// By atom.
    pub(super) signals: IndexVec<AtomId, Signal>,
    /// Clauses over signals that must hold.
    pub(super) demands: Vec<Vec<Signal>>,
}

impl Meaning {
    /// Reads it from a program.
    ///
    /// # Errors
    /// The limit that is met.
    pub(super) fn of(
        program: &GroundProgram,
        prefix: &Prefix,
        clock: &mut Clock<'_>,
    ) -> Result<Self, HaltReason> {
        let mut finder = Finder::new(program, prefix);
        let graph = Graph::new((0..program.atoms()).map(|atom| finder.needs(atom, false)));
        for component in graph.components().iter() {
            let atoms: Vec<AtomId> =
                component.iter().map(|atom| AtomId::from_index(*atom as usize)).collect();
            if graph.is_cycle(component) {
                finder.cycle(&atoms, clock)?;
            } else {
                finder.atom(atoms[0], clock)?;
            }
        }
        finder.constraints(clock)?;
        Ok(Self { gates: finder.gates, signals: finder.signals, demands: finder.demands })
    }
}

/// The rules for each atom, by their places.
struct RulesOf {
    ends: Vec<u32>,
    rules: Vec<u32>,
}

impl RulesOf {
    fn new(program: &GroundProgram) -> Self {
        let mut ends = vec![0u32; program.atoms() + 1];
        for rule in program.rules() {
            rule.heads.iter().for_each(|head| ends[head.index() + 1] += 1);
        }
        for atom in 0..program.atoms() {
            ends[atom + 1] += ends[atom];
        }
        let mut cursor = ends.clone();
        let mut rules = vec![0u32; ends[program.atoms()] as usize];
        for (place, rule) in program.rules().enumerate() {
            for head in rule.heads {
                rules[cursor[head.index()] as usize] = place as u32;
                cursor[head.index()] += 1;
            }
        }
        Self { ends, rules }
    }

    fn of(&self, atom: usize) -> &[u32] {
        &self.rules[self.ends[atom] as usize..self.ends[atom + 1] as usize]
    }
}

struct Finder<'p> {
    program: &'p GroundProgram,
    rules_of: RulesOf,
    open: IdSet<AtomId>,
    gates: Gates,
    signals: IndexVec<AtomId, Signal>,
    demands: Vec<Vec<Signal>>,
}

impl<'p> Finder<'p> {
    fn new(program: &'p GroundProgram, prefix: &Prefix) -> Self {
        let mut open = IdSet::new();
        for rule in program.rules().filter(|rule| rule.choice) {
            rule.heads.iter().for_each(|head| {
                open.insert(*head);
            });
        }
        for (atom, _) in prefix.levels.iter().flat_map(|level| &level.atoms) {
            open.insert(*atom);
        }
        Self {
            program,
            rules_of: RulesOf::new(program),
            open,
            gates: Gates::new(),
            signals: IndexVec::filled(Signal::FALSE, program.atoms()),
            demands: Vec::new(),
        }
    }

    /// The atoms in bodies of rules for an atom; on request only those without negation.
    fn needs(&self, atom: usize, positive: bool) -> Vec<u32> {
        let rules = self.rules_of.of(atom).iter();
        let literals = rules.flat_map(|rule| self.program.rule(*rule as usize).literals());
        let wanted = literals.filter(|literal| !positive || literal.is_positive());
        wanted.map(|literal| literal.atom().index() as u32).collect()
    }

    fn literal(&self, literal: GroundLit) -> Signal {
        let signal = self.signals[literal.atom()];
        if literal.is_positive() { signal } else { !signal }
    }

    /// A body as a signal, atoms by the given look-up.
    fn body(
        &mut self,
        body: RuleBody<'_>,
        literal: &dyn Fn(&Self, GroundLit) -> Signal,
        clock: &mut Clock<'_>,
    ) -> Result<Signal, HaltReason> {
        clock.tick()?;
        match body {
            RuleBody::All(literals) => {
                let inputs = literals.iter().map(|one| literal(self, *one)).collect();
                Ok(self.gates.and(inputs))
            }
            RuleBody::Sum { bound, literals, weights } => {
                let parts = literals.iter().zip(weights);
                let parts = parts.map(|(one, weight)| (literal(self, *one), *weight)).collect();
                reaches(&mut self.gates, parts, bound, clock)
            }
        }
    }

    /// The bodies of an atom's rules as two signals: of those that force it, and of choices.
    fn reasons(
        &mut self,
        atom: AtomId,
        literal: &dyn Fn(&Self, GroundLit) -> Signal,
        clock: &mut Clock<'_>,
    ) -> Result<(Signal, Signal), HaltReason> {
        let (mut forced, mut chosen) = (Vec::new(), Vec::new());
        for at in 0..self.rules_of.of(atom.index()).len() {
            let rule = self.program.rule(self.rules_of.of(atom.index())[at] as usize);
            let body = self.body(rule.body, literal, clock)?;
            if rule.choice { chosen.push(body) } else { forced.push(body) }
        }
        Ok((self.gates.or(forced), self.gates.or(chosen)))
    }

    /// An atom that does not depend on itself.
    fn atom(&mut self, atom: AtomId, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        if self.open.contains(atom) {
            self.signals[atom] = self.gates.input(atom);
        }
        let (forced, chosen) = self.reasons(atom, &Self::literal, clock)?;
        if self.open.contains(atom) {
            self.tie(atom, forced, chosen);
        } else {
            debug_assert_eq!(chosen, Signal::FALSE, "heads of choices are open");
            self.signals[atom] = forced;
        }
        Ok(())
    }

    /// An open atom holds where it is forced, and only where it has a reason.
    fn tie(&mut self, atom: AtomId, forced: Signal, chosen: Signal) {
        let held = self.signals[atom];
        let reason = self.gates.or([forced, chosen]);
        self.demand(vec![held, !forced]);
        self.demand(vec![!held, reason]);
    }

    fn demand(&mut self, mut clause: Vec<Signal>) {
        clause.sort_unstable();
        clause.dedup();
        clause.retain(|signal| *signal != Signal::FALSE);
        let opposed = clause.windows(2).any(|pair| pair[0] == !pair[1]);
        if !opposed && !clause.contains(&Signal::TRUE) {
            self.demands.push(clause);
        }
    }

    /// Atoms that depend on each other.
    fn cycle(&mut self, atoms: &[AtomId], clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        let mut members = IdSet::new();
        atoms.iter().for_each(|atom| {
            members.insert(*atom);
        });
        for atom in atoms {
            for &rule in self.rules_of.of(atom.index()) {
                let literals = self.program.rule(rule as usize).literals().iter();
                for literal in literals.filter(|one| !one.is_positive()) {
                    if members.contains(literal.atom()) {
                        self.open.insert(literal.atom());
                    }
                }
            }
        }
        for atom in atoms.iter().filter(|atom| self.open.contains(**atom)) {
            self.signals[*atom] = self.gates.input(*atom);
        }
        self.positive_parts(atoms, &members, clock)
    }

    /// The atoms of a cycle by their positive dependences, callees first.
    fn positive_parts(
        &mut self,
        atoms: &[AtomId],
        members: &IdSet<AtomId>,
        clock: &mut Clock<'_>,
    ) -> Result<(), HaltReason> {
        let mut atoms = atoms.to_vec();
        atoms.sort_unstable();
        let place = |atom: &u32| {
            let atom = AtomId::from_index(*atom as usize);
            members.contains(atom).then(|| atoms.binary_search(&atom).expect("a member") as u32)
        };
        let graph = Graph::new(atoms.iter().map(|atom| {
            let needs = self.needs(atom.index(), true);
            needs.iter().filter_map(place).collect::<Vec<u32>>()
        }));
        for part in graph.components().iter() {
            let mut part_atoms: Vec<AtomId> =
                part.iter().map(|member| atoms[*member as usize]).collect();
            part_atoms.sort_unstable();
            if graph.is_cycle(part) {
                self.unfold(&part_atoms, clock)?;
            } else {
                self.member(part_atoms[0], clock)?;
            }
        }
        Ok(())
    }

    /// A member of a cycle through negation that does not positively depend on itself.
    fn member(&mut self, atom: AtomId, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        let (forced, chosen) = self.reasons(atom, &Self::literal, clock)?;
        if self.open.contains(atom) {
            self.tie(atom, forced, chosen);
        } else {
            self.signals[atom] = forced;
        }
        Ok(())
    }

    /// Positive recursion: as many rounds as there are atoms, each deriving from the last.
    fn unfold(&mut self, atoms: &[AtomId], clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        let place = |atom: AtomId| atoms.binary_search(&atom).ok();
        let mut derived = vec![Signal::FALSE; atoms.len()];
        for _ in 0..atoms.len() {
            let before = derived.clone();
            let literal = |finder: &Self, one: GroundLit| match place(one.atom()) {
                Some(at) if one.is_positive() => before[at],
                _ => finder.literal(one),
            };
            for (at, atom) in atoms.iter().enumerate() {
                let (forced, chosen) = self.reasons(*atom, &literal, clock)?;
                let chosen = self.gates.and(vec![self.signals[*atom], chosen]);
                derived[at] = self.gates.or([forced, chosen]);
            }
            if derived == before {
                break;
            }
        }
        for (at, atom) in atoms.iter().enumerate() {
            if self.open.contains(*atom) {
                let held = self.signals[*atom];
                self.demand(vec![held, !derived[at]]);
                self.demand(vec![!held, derived[at]]);
            } else {
                self.signals[*atom] = derived[at];
            }
        }
        Ok(())
    }

    fn constraints(&mut self, clock: &mut Clock<'_>) -> Result<(), HaltReason> {
        let program = self.program;
        for rule in program.rules().filter(|rule| rule.heads.is_empty() && !rule.choice) {
            match rule.body {
                RuleBody::All(literals) => {
                    let clause = literals.iter().map(|one| !self.literal(*one)).collect();
                    self.demand(clause);
                }
                RuleBody::Sum { .. } => {
                    let body = self.body(rule.body, &Self::literal, clock)?;
                    self.demand(vec![!body]);
                }
            }
        }
        Ok(())
    }
}
