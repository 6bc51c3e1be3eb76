// A program over planes as a list of operations; see `tape.rs` of the kernel. An invocation works
// on one group of states under joint move number `params.start + id.y`.
@group(0) @binding(1) var<storage, read> key: array<u32>;
@group(0) @binding(2) var<storage, read> played: array<u32>;
@group(0) @binding(3) var<storage, read> tape: array<u32>;
@group(0) @binding(4) var<storage, read_write> said: array<u32>;
@group(0) @binding(5) var<storage, read_write> held: array<u32>;

// What an operand is, by its kind: false, a bit of the key, whether a move is played, a result.
fn operand(lit: u32, group: u32, joint: u32, all: u32, at: u32) -> u32 {
    let flip = 0u - (lit & 1u);
    let row = lit >> 3u;
    switch ((lit >> 1u) & 3u) {
        case 1u: {
            return flip ^ key[row * params.groups + group];
        }
        case 2u: {
            return flip ^ played[joint * params.moves + row];
        }
        case 3u: {
            return flip ^ held[row * all + at];
        }
        default: {
            return flip;
        }
    }
}

@compute @workgroup_size(GROUPS)
fn run_tape(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= params.groups) {
        return;
    }
    let joint = params.start + id.y;
    let all = params.groups * params.joints;
    let at = id.y * params.groups + group;
    let outputs = 2u + 3u * tape[0];
    for (var op = 2u; op < outputs; op += 3u) {
        let left = operand(tape[op], group, joint, all, at);
        let right = operand(tape[op + 1u], group, joint, all, at);
        held[tape[op + 2u] * all + at] = left & right;
    }
    let first = joint * tape[1] * params.groups + group;
    for (var row = 0u; row < tape[1]; row++) {
        said[first + row * params.groups] = operand(tape[outputs + row], group, joint, all, at);
    }
}
