// What every pass is told. Before this text stand `GROUPS` and `STATES`, the sizes of workgroups in
// which an invocation works on 32 states and on one.
//
// A chunk is a run of states of one ply, in groups of 32. A candidate is a state of the chunk under
// a joint move, legal or not: number `joint * 32 * groups + state`. The first two fields are those
// that the generated code reads.
struct Params {
    groups: u32,
    joints: u32,
    // States of the chunk, and how many of its ply come before it.
    states: u32,
    first: u32,
    // Words and bits of a key.
    words: u32,
    bits: u32,
    // Slots of the table, a power of two.
    slots: u32,
    // States that the next ply held before this chunk.
    before: u32,
    // Moves of all roles, and roles.
    moves: u32,
    roles: u32,
    // Words of a value of this ply, and of the next one.
    limbs: u32,
    below: u32,
    // What states count as that are not terminal (back_up).
    leaf: u32,
    // Where in the chunk the invocations begin (back_up).
    start: u32,
    // The level that the next ply must have.
    level: u32,
    spare: u32,
    // Parts that a ply lies in, the one that is worked on, and the number of its first state.
    parts: u32,
    part: u32,
    base: u32,
    // Where in a buffer of values the invocations begin (back_up).
    place: u32,
}
@group(0) @binding(0) var<uniform> params: Params;

// No edge: the joint move is not legal there.
const NONE: u32 = 0xffffffffu;
// A slot holds the number of a state of the next ply, and not a candidate plus one.
const TAG: u32 = 0x80000000u;

// Places in what a chunk tells (`heard`). The first four hold the complement of a state's number,
// so that zero is silence and the largest is the first state.
const FLAWED: u32 = 0u;
const BROKEN: u32 = 1u;
const UNEVEN: u32 = 2u;
const LEVEL: u32 = 3u;
const FULL: u32 = 4u;
const EDGES: u32 = 5u;
const TERMINAL: u32 = 6u;
const DECISIONS: u32 = 7u;
const SIMULTANEOUS: u32 = 8u;
// One bit a total of chance.
const TOTALS: u32 = 16u;
// States that were found, of each part.
const FOUND: u32 = 144u;
// One bit a move that is legal somewhere, then one a class of chance moves that is not legal as a
// whole.
const LEGAL: u32 = 400u;

// A state in one word: 7 bits of payment, whether it is terminal, 12 bits of the total of chance in
// lowest terms, 12 bits of what its weights are divided by.
const MOST: u32 = 4095u;
