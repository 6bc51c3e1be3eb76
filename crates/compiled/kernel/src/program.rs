//! Gates to straight-line code over planes.
//!
//! A [`Program`] is a flat list of one kind of operation: the conjunction of two literals, each
//! a slot of the frame read plainly or inverted. Negation is free, disjunction is the inverted
//! conjunction of inverted operands, and so there is no opcode to branch on: the loop over
//! operations has no branch that could be mispredicted.
//!
//! Always: an operation reads slots that are leaves, the constant, or were written by an earlier
//! operation and not since; slots of outputs are not written again; every slot is below
//! [`Program::slots`]. `compile` establishes it and `verify` (under debug assertions) checks it.
//!
//! Slots are reused by linear scan over live ranges of a depth-first order, so that a network of
//! thousands of gates runs in a cache of a few hundred planes. Refused: a JIT (an interpreted
//! operation of 1024 lanes costs 2 to 4 ns, next to nothing beside the look-up of children), and
//! separate opcodes for or, and-not, or-not (a mispredicted branch costs more than two XORs).

use index::Id;
use net::{Gate, GateId, Gates};
use rustc_hash::FxHashMap;

use crate::expand::BLOCK_WORDS;
use crate::frame::{Frame, Lit};
use crate::isa::{Isa, dispatch};

/// Where the leaves of the gates lie in the frame, and where free slots begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaves {
    /// Slot of base leaf 0; the others follow.
    pub base: usize,
    /// Slot of does leaf 0; the others follow. None where no gate may read one.
    pub does: Option<usize>,
    /// First slot that the program may write.
    pub free: usize,
}

/// `target = left & right`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    left: Lit,
    right: Lit,
    target: u32,
}

/// Straight-line code over planes.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    ops: Vec<Op>,
    outputs: Vec<Lit>,
    slots: usize,
}

impl Program {
    /// Compiles the gates that `roots` depend on.
    ///
    /// # Panics
    /// Where a root depends on a does leaf and `leaves.does` is none.
    pub(crate) fn compile(gates: &Gates, roots: &[GateId], leaves: Leaves) -> Self {
        let mut flat = Flattener::new(gates, leaves);
        let values: Vec<Value> = roots.iter().map(|&root| flat.flatten(root)).collect();
        let program = allocate(&flat.nodes, &values, leaves.free);
        debug_assert!(
            program.is_well_formed(leaves.free),
            "slots are written before they are read"
        );
        program
    }

    /// Number of operations.
    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    /// The operations: two operands, and the slot that takes their conjunction.
    pub(crate) fn ops(&self) -> impl Iterator<Item = (Lit, Lit, usize)> + '_ {
        self.ops.iter().map(|op| (op.left, op.right, op.target as usize))
    }

    /// Where the outputs lie after a run, in the order of the roots.
    pub(crate) fn outputs(&self) -> &[Lit] {
        &self.outputs
    }

    /// Slots that the frame must have.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Runs over a frame, whose leaves are filled.
    ///
    /// # Panics
    /// Where the frame is smaller than [`Program::slots`].
    pub(crate) fn run(&self, isa: Isa, frame: &mut Frame) {
        assert!(self.slots <= frame.slots(), "the frame has a slot for every operand");
        let width = frame.width();
        run_ops(isa, &self.ops, frame.words_mut(), width);
    }

    /// Whether operations read only leaves and what was written, and spare the outputs.
    fn is_well_formed(&self, free: usize) -> bool {
        let mut written = vec![false; self.slots];
        written[..free.min(self.slots)].fill(true);
        let reads_written = self.ops.iter().all(|op| {
            let fine = written[op.left.slot()] && written[op.right.slot()];
            let fresh = op.target as usize >= free;
            written[op.target as usize] = true;
            fine && fresh
        });
        reads_written && self.outputs.iter().all(|lit| written[lit.slot()])
    }
}

/// A node's operand while compiling: `2 * n + inverted`, where `n` is a leaf's slot below
/// `free`, or `free` plus the index of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Value(u32);

impl Value {
    const FALSE: Self = Self(0);
    const TRUE: Self = Self(1);

    fn invert(self) -> Self {
        Self(self.0 ^ 1)
    }

    fn target(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Gates as conjunctions of literals, each conjunction once.
struct Flattener<'a> {
    gates: &'a Gates,
    leaves: Leaves,
    values: FxHashMap<GateId, Value>,
    nodes: Vec<(Value, Value)>,
    known: FxHashMap<(Value, Value), Value>,
}

impl<'a> Flattener<'a> {
    fn new(gates: &'a Gates, leaves: Leaves) -> Self {
        let (values, known) = (FxHashMap::default(), FxHashMap::default());
        Self { gates, leaves, values, nodes: Vec::new(), known }
    }

    /// The value of a gate; operands first, on a stack of our own (nets are deep).
    fn flatten(&mut self, root: GateId) -> Value {
        let mut stack = vec![root];
        while let Some(&gate) = stack.last() {
            if self.values.contains_key(&gate) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let missing = |held: &GateId| !self.values.contains_key(held);
            match self.gates.gate(gate) {
                Gate::Not(a) => stack.extend(Some(a).filter(missing)),
                Gate::And(a, b) | Gate::Or(a, b) => {
                    stack.extend([a, b].into_iter().filter(missing))
                }
                Gate::Const(_) | Gate::Base(_) | Gate::Does(_) => {}
            }
            if stack.len() == before {
                let value = self.node_of(gate);
                self.values.insert(gate, value);
                stack.pop();
            }
        }
        self.values[&root]
    }

    /// The value of a gate whose operands have theirs.
    fn node_of(&mut self, gate: GateId) -> Value {
        match self.gates.gate(gate) {
            Gate::Const(bit) => Value(u32::from(bit)),
            Gate::Base(base) => self.leaf(self.leaves.base + base.index()),
            Gate::Does(input) => {
                let first = self.leaves.does.expect("a program without does leaves reads none");
                self.leaf(first + input.index())
            }
            Gate::Not(a) => self.values[&a].invert(),
            Gate::And(a, b) => self.and(self.values[&a], self.values[&b]),
            Gate::Or(a, b) => {
                let (a, b) = (self.values[&a].invert(), self.values[&b].invert());
                self.and(a, b).invert()
            }
        }
    }

    fn leaf(&self, slot: usize) -> Value {
        assert!(
            slot > 0 && slot < self.leaves.free,
            "leaves lie between the constant and the free"
        );
        Value((slot as u32) << 1)
    }

    /// The conjunction of two values, folded, and made once.
    fn and(&mut self, a: Value, b: Value) -> Value {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (Value::FALSE, _) => Value::FALSE,
            (Value::TRUE, _) => b,
            _ if a == b => a,
            _ if a == b.invert() => Value::FALSE,
            _ => *self.known.entry((a, b)).or_insert_with(|| {
                let index = self.leaves.free + self.nodes.len();
                assert!(index < (1 << 30), "fewer than 2^30 operations");
                self.nodes.push((a, b));
                Value((index as u32) << 1)
            }),
        }
    }
}

/// Gives each node a slot, by linear scan: a slot is free again after the last read.
fn allocate(nodes: &[(Value, Value)], roots: &[Value], free: usize) -> Program {
    let last_read = last_reads(nodes, roots, free);
    let mut slot_of = vec![0usize; nodes.len()];
    let (mut idle, mut slots) = (Vec::new(), free);
    let place = |value: Value, slot_of: &[usize]| {
        let target = value.target();
        let slot = if target < free { target } else { slot_of[target - free] };
        Lit::of_slot(slot).invert_if(value.is_inverted())
    };
    let mut ops = Vec::with_capacity(nodes.len());
    for (index, &(a, b)) in nodes.iter().enumerate() {
        if last_read[index] == 0 {
            continue;
        }
        let (left, right) = (place(a, &slot_of), place(b, &slot_of));
        for value in [a, b] {
            if value.target() >= free && last_read[value.target() - free] == index {
                idle.push(slot_of[value.target() - free]);
            }
        }
        slot_of[index] = idle.pop().unwrap_or(slots);
        slots = slots.max(slot_of[index] + 1);
        ops.push(Op { left, right, target: slot_of[index] as u32 });
    }
    let outputs: Vec<Lit> = roots.iter().map(|&root| place(root, &slot_of)).collect();
    Program { ops, outputs, slots }
}

/// The last node that reads each node; beyond all nodes for outputs; 0 for what nobody reads
/// (node 0 reads no node).
fn last_reads(nodes: &[(Value, Value)], roots: &[Value], free: usize) -> Vec<usize> {
    let mut last = vec![0; nodes.len()];
    for root in roots {
        if root.target() >= free {
            last[root.target() - free] = usize::MAX;
        }
    }
    for (index, &(a, b)) in nodes.iter().enumerate().rev() {
        if last[index] == 0 {
            continue;
        }
        for value in [a, b] {
            if value.target() >= free {
                let held = &mut last[value.target() - free];
                *held = (*held).max(index);
            }
        }
    }
    last
}

dispatch! {
    /// Runs operations over the words of a frame.
    fn run_ops(ops: &[Op], frame: &mut [u64], words: usize) = run_ops_body
}

#[inline(always)]
fn run_ops_body(ops: &[Op], frame: &mut [u64], words: usize) {
    match words {
        1 => run_wide::<1>(ops, frame),
        2 => run_wide::<2>(ops, frame),
        4 => run_wide::<4>(ops, frame),
        8 => run_wide::<8>(ops, frame),
        _ => run_wide::<BLOCK_WORDS>(ops, frame),
    }
}

/// Operands are loaded whole before the target is stored: the target may be an operand's slot.
#[inline(always)]
fn run_wide<const W: usize>(ops: &[Op], frame: &mut [u64]) {
    let base = frame.as_mut_ptr();
    for op in ops {
        debug_assert!((op.target as usize + 1) * W <= frame.len(), "the target is in the frame");
        // SAFETY: every slot of an operation is below `Program::slots`, which `Program::run`
        // has compared with the frame; a slot is `W` words, and the frame has 16 a slot.
        unsafe {
            let left = base.add(op.left.slot() * W).cast::<[u64; W]>().read();
            let right = base.add(op.right.slot() * W).cast::<[u64; W]>().read();
            let (x, y) = (op.left.flip(), op.right.flip());
            let out: [u64; W] = std::array::from_fn(|i| (left[i] ^ x) & (right[i] ^ y));
            base.add(op.target as usize * W).cast::<[u64; W]>().write(out);
        }
    }
}
