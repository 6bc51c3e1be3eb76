//! Programs over planes as WGSL: the text of a game's view and update for a graphics device.
//!
//! The same straight-line code that the processor runs ([`crate::program`]), one statement an
//! operation, over planes of 32 states: an invocation holds one bit of 32 states side by side in
//! each `u32`. Planes and not a state an invocation, because a gate then costs a thirty-second of an
//! operation a state, and because the code is the network's and no second lowering.
//!
//! The update is the general one, with a plane for every move: which moves are played is data (a
//! row of words a joint move), so that the size of the text does not depend on how many joint moves
//! there are, and nothing is compiled on the way. Long programs go to a device as lists
//! ([`crate::tape`]) or as tables ([`crate::tables`]), which no driver compiles.
//!
//! A program is cut into several entry points of at most [`PIECE_OPS`] operations, which hand each
//! other the planes in use at the cut (`held`): drivers compile long functions in more than linear
//! time. What an entry point reads and writes counts too ([`PIECE_PLACES`]): on lavapipe a thousand
//! reads take 18 s to compile, and a thousand operations that stay in registers 0.2.
//!
//! Always: each operation is in exactly one piece, in order; a piece reads from `held` only what an
//! earlier piece put there; every output is written once, by the first piece that knows it.

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::ops::Range;

use crate::frame::Lit;
use crate::program::Program;

/// Operations of one entry point, at most.
pub(crate) const PIECE_OPS: usize = 1024;
/// Places in memory that one entry point reads and writes, about, at most.
const PIECE_PLACES: usize = 160;
/// Operations of an entry point, at least.
const LEAST_OPS: usize = 64;

/// What is written at the head of the text: the buffers that every entry point sees.
const HEAD: &str = "\
// Planes: word `row * groups + group` holds one bit of 32 states. An invocation works on one
// group of states, `id.x`, under one joint move, `id.y`.
struct Shape {
    groups: u32,
    // How many joint moves there are.
    joints: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
// The bits of the keys.
@group(0) @binding(1) var<storage, read> key: array<u32>;
// Whether a move is played: all ones or zero, a row of moves for each joint move.
@group(0) @binding(2) var<storage, read> played: array<u32>;
// What the program says, a row for each output; for the update, of each joint move in turn.
@group(0) @binding(3) var<storage, read_write> said: array<u32>;
// What one piece of a program leaves for the next.
@group(0) @binding(4) var<storage, read_write> held: array<u32>;
";

/// Where a program reads what is not computed: the slots of its leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Slot of the first bit of the key, and the number of bits.
    pub key: (usize, usize),
    /// Slot of the first move, and the number of moves.
    pub moves: (usize, usize),
    /// The first slot that the program writes.
    pub free: usize,
}

/// The text of a game for a graphics device, and how to call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shaders {
    /// A WGSL module.
    pub text: String,
    /// Its parts for the view.
    pub view: Calls,
    /// Its parts for the update.
    pub update: Calls,
    /// Bits of a key, of which each is a row of planes.
    pub key_bits: usize,
    /// Moves of all roles.
    pub moves: usize,
    /// The asked role's goal values, ascending. The view's outputs are the legality of each move,
    /// terminal, and these; the update's are the bits of the child's key, and whether the child
    /// breaks a group.
    pub goals: Vec<u8>,
}

/// The entry points of one program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Names, in the order in which they must run.
    pub entries: Vec<String>,
    /// Rows of `said`.
    pub outputs: usize,
    /// Rows of `held`.
    pub held: usize,
    /// Operations, each on 32 states.
    pub ops: usize,
}

/// How text is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// Invocations that work together.
    pub workgroup: u32,
    /// Operations of an entry point, at most.
    pub ops: usize,
}

/// The text of a view and an update.
pub(crate) fn emit(
    view: (&Program, Rows),
    update: (&Program, Rows),
    goals: Vec<u8>,
    cut: Cut,
) -> Shaders {
    assert!(cut.workgroup.is_power_of_two(), "workgroups are whole vectors");
    let mut text = HEAD.to_owned();
    let ((view, seen), (update, rows)) = (view, update);
    let view = Writer::new("view", view, seen, cut).write(&mut text);
    let update = Writer::new("update", update, rows, cut).write(&mut text);
    let (key_bits, moves) = (rows.key.1, rows.moves.1);
    assert_eq!(view.outputs, moves + 1 + goals.len(), "legal, terminal, goals");
    assert_eq!(update.outputs, key_bits + 1, "a child's key, and whether it breaks a group");
    Shaders { text, view, update, key_bits, moves, goals }
}

/// Writes the entry points of one program.
struct Writer<'a> {
    name: &'a str,
    program: &'a Program,
    rows: Rows,
    cut: Cut,
    /// By slot: the variable that holds it in the piece that is being written.
    known: Vec<Option<usize>>,
    /// By slot: the last operation that wrote it, if one did.
    written: Vec<Option<usize>>,
    reads: Reads,
    /// Variables of the piece.
    variables: usize,
    body: String,
}

impl<'a> Writer<'a> {
    fn new(name: &'a str, program: &'a Program, rows: Rows, cut: Cut) -> Self {
        let slots = program.slots();
        let (known, written) = (vec![None; slots], vec![None; slots]);
        let (reads, body) = (Reads::of(program), String::new());
        Self { name, program, rows, cut, known, written, reads, variables: 0, body }
    }

    fn write(mut self, text: &mut String) -> Calls {
        let ops = self.program.ops().collect::<Vec<_>>();
        let ranges = self.cuts(&ops);
        let pieces = ranges.len();
        let mut entries = Vec::with_capacity(pieces);
        for (piece, range) in ranges.into_iter().enumerate() {
            self.known.fill(None);
            self.variables = 0;
            for at in range.clone() {
                let (left, right, target) = ops[at];
                let (left, right) = (self.operand(left), self.operand(right));
                let variable = self.assign(&format!("{left} & {right}"));
                (self.known[target], self.written[target]) = (Some(variable), Some(at));
            }
            self.write_outputs(&range, piece + 1 == pieces);
            self.hand_over(&range);
            let entry = format!("{}_{piece}", self.name);
            self.close(&entry, text);
            entries.push(entry);
        }
        let outputs = self.program.outputs().len();
        let written = self.program.slots().saturating_sub(self.rows.free);
        Calls { entries, outputs, held: if pieces == 1 { 0 } else { written }, ops: ops.len() }
    }

    /// Where the program is cut: at most so many operations a piece, and not many more places that it
    /// reads, or leaves for later.
    fn cuts(&self, ops: &[(Lit, Lit, usize)]) -> Vec<Range<usize>> {
        let mut cuts = Vec::new();
        let mut start = 0;
        // By slot: the operation of this piece that wrote it, or that it was read.
        let mut here: Vec<Option<usize>> = vec![None; self.program.slots()];
        let (mut read, mut left) = (0, 0);
        for (at, &(a, b, target)) in ops.iter().enumerate() {
            for slot in [a.slot(), b.slot()].into_iter().filter(|slot| *slot > 0) {
                match here[slot] {
                    Some(wrote) if wrote != usize::MAX && self.reads.ends(wrote, at) => left -= 1,
                    Some(_) => {}
                    None => {
                        read += 1;
                        here[slot] = Some(usize::MAX);
                    }
                }
            }
            here[target] = Some(at);
            left += usize::from(self.reads.is_kept(at));
            let full = at + 1 - start >= self.cut.ops
                || read + left > PIECE_PLACES && at + 1 - start >= LEAST_OPS;
            if full && at + 1 < ops.len() {
                cuts.push(start..at + 1);
                here.fill(None);
                (start, read, left) = (at + 1, 0, 0);
            }
        }
        cuts.push(start..ops.len());
        cuts
    }

    fn assign(&mut self, value: &str) -> usize {
        let variable = self.variables;
        writeln!(self.body, "    let v{variable} = {value};").expect("a string takes all");
        self.variables += 1;
        variable
    }

    /// A literal as an expression, its slot read first where it is not yet.
    fn operand(&mut self, lit: Lit) -> String {
        let slot = lit.slot();
        if slot == 0 {
            return if lit.flip() == 0 { "0u" } else { "0xffffffffu" }.to_owned();
        }
        let variable = match self.known[slot] {
            Some(variable) => variable,
            None => {
                let variable = self.assign(&self.place(slot));
                self.known[slot] = Some(variable);
                variable
            }
        };
        if lit.flip() == 0 { format!("v{variable}") } else { format!("~v{variable}") }
    }

    /// Where a slot lies that this piece has not computed.
    fn place(&self, slot: usize) -> String {
        let within = |(first, count): (usize, usize)| (first..first + count).contains(&slot);
        if within(self.rows.key) {
            return format!("key[{}u * shape.groups + group]", slot - self.rows.key.0);
        }
        if within(self.rows.moves) {
            return format!("played[moves + {}u]", slot - self.rows.moves.0);
        }
        assert!(self.written[slot].is_some(), "a slot is written before it is read");
        format!("held[{}u * all + at]", slot - self.rows.free)
    }

    /// Writes the outputs that this piece has computed; the last one those that are leaves too.
    fn write_outputs(&mut self, range: &Range<usize>, is_last: bool) {
        let outputs = self.program.outputs().to_vec();
        for (row, lit) in outputs.into_iter().enumerate() {
            let here = match self.written.get(lit.slot()).copied().flatten() {
                Some(at) => range.contains(&at) && self.reads.outputs[at],
                None => is_last && lit.slot() < self.rows.free,
            };
            if here {
                let value = self.operand(lit);
                writeln!(self.body, "    said[first + {row}u * shape.groups] = {value};")
                    .expect("a string takes all");
            }
        }
    }

    /// Leaves what later pieces read.
    fn hand_over(&mut self, range: &Range<usize>) {
        for slot in self.rows.free..self.program.slots() {
            let Some(at) = self.written[slot].filter(|at| range.contains(at)) else { continue };
            if self.reads.last[at].is_some_and(|last| last >= range.end) {
                let variable = self.known[slot].expect("this piece wrote it");
                let row = slot - self.rows.free;
                writeln!(self.body, "    held[{row}u * all + at] = v{variable};")
                    .expect("a string takes all");
            }
        }
    }

    fn close(&mut self, entry: &str, text: &mut String) {
        let moves = self.rows.moves.1;
        let outputs = self.program.outputs().len();
        let size = self.cut.workgroup;
        write!(
            text,
            "\n@compute @workgroup_size({size})\n\
             fn {entry}(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
             \x20   let group = id.x;\n\
             \x20   if (group >= shape.groups) {{\n        return;\n    }}\n\
             \x20   let all = shape.groups * shape.joints;\n\
             \x20   let at = id.y * shape.groups + group;\n\
             \x20   let moves = id.y * {moves}u;\n\
             \x20   let first = id.y * {outputs}u * shape.groups + group;\n{}}}\n",
            self.body
        )
        .expect("a string takes all");
        self.body.clear();
    }
}

/// Who reads what operations write.
struct Reads {
    /// By operation: the last operation that reads its result.
    last: Vec<Option<usize>>,
    /// By operation: whether its result is an output.
    outputs: Vec<bool>,
}

impl Reads {
    /// Whether anybody reads what an operation writes.
    fn is_kept(&self, at: usize) -> bool {
        self.outputs[at] || self.last[at].is_some()
    }

    /// Whether nobody reads what an operation wrote after another one did.
    fn ends(&self, wrote: usize, reader: usize) -> bool {
        !self.outputs[wrote] && self.last[wrote] == Some(reader)
    }

    fn of(program: &Program) -> Self {
        let mut writer: Vec<Option<usize>> = vec![None; program.slots()];
        let (mut last, mut outputs) = (vec![None; program.len()], vec![false; program.len()]);
        for (at, (left, right, target)) in program.ops().enumerate() {
            for wrote in [left, right].into_iter().filter_map(|lit| writer[lit.slot()]) {
                last[wrote] = Some(at);
            }
            writer[target] = Some(at);
        }
        for lit in program.outputs() {
            if let Some(wrote) = writer.get(lit.slot()).copied().flatten() {
                outputs[wrote] = true;
            }
        }
        Self { last, outputs }
    }
}
