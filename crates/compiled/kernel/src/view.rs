//! The view of a block: one program that gives legality of every move, terminal, and the asked
//! role's goals, over the bits of the key.

use gdl::RoleId;
use index::{Id, IndexVec};
use net::{BaseId, Gate, GateId, Gates, InputId, Net, Substitution};

use crate::codec::Codec;
use crate::frame::Lit;
use crate::program::{Leaves, Program};

/// The compiled view, and where its outputs lie.
#[derive(Clone, Debug)]
pub(crate) struct View {
    program: Program,
    moves: usize,
    goals: Vec<u8>,
}

impl View {
    /// Compiles the view of a game for one role.
    pub(crate) fn new(net: &Net, asked: RoleId, codec: &Codec, leaves: Leaves) -> Self {
        let goals = &net.roles[asked].goals;
        let mut roots: Vec<GateId> = net.legal.iter().copied().collect();
        roots.push(net.terminal);
        roots.extend(goals.iter().map(|(_, gate)| *gate));
        let mut gates = Gates::new();
        let decoded = codec.decode(&mut gates);
        let roots = rebuild_on_keys(&net.gates, &roots, &mut gates, &decoded);
        let program = Program::compile(&gates, &roots, leaves);
        let goals = goals.iter().map(|(value, _)| *value).collect();
        Self { program, moves: net.legal.len(), goals }
    }

    /// The code.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Where the legality of a move lies.
    #[inline]
    pub(crate) fn legal(&self, input: InputId) -> Lit {
        debug_assert!(input.index() < self.moves);
        self.program.outputs()[input.index()]
    }

    /// Where "the game has ended" lies.
    pub(crate) fn terminal(&self) -> Lit {
        self.program.outputs()[self.moves]
    }

    /// The asked role's goal values, ascending, and where they lie.
    pub(crate) fn goals(&self) -> impl Iterator<Item = (u8, Lit)> + '_ {
        self.goals.iter().copied().zip(self.program.outputs()[self.moves + 1..].iter().copied())
    }
}

/// Rebuilds gates over propositions as gates over the bits of the key; moves stay leaves.
pub(crate) fn rebuild_on_keys(
    source: &Gates,
    roots: &[GateId],
    target: &mut Gates,
    decoded: &IndexVec<BaseId, GateId>,
) -> Vec<GateId> {
    let mut leaf = |gate: Gate| match gate {
        Gate::Base(base) => Some(decoded[base]),
        _ => None,
    };
    Substitution::new().rebuild(source, roots, target, &mut leaf)
}
