// Keys to keys of children by tables, under joint move number `params.start`: 32 states an
// invocation. Where that move is legal is found here, and whether a child breaks a group there.
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read> seen: array<u32>;
@group(0) @binding(4) var<storage, read> live: array<u32>;
// Joint moves: each its weight, its marks, and the move of each role.
@group(0) @binding(5) var<storage, read> moves: array<u32>;
@group(0) @binding(6) var<storage, read_write> candidates: array<u32>;
@group(0) @binding(7) var<storage, read_write> masks: array<u32>;
@group(0) @binding(8) var<storage, read_write> heard: array<atomic<u32>>;

@compute @workgroup_size(GROUPS)
fn step_by_tables(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= params.groups) {
        return;
    }
    let joint = params.start;
    let entry = joint * (params.roles + 2u) + 2u;
    var mask = live[group];
    for (var role = 0u; role < params.roles; role++) {
        mask &= seen[moves[entry + role] * params.groups + group];
    }
    let block = joint * params.groups + group;
    masks[block] = mask;
    if (mask == 0u) {
        return;
    }
    atomicAdd(&heard[EDGES], countOneBits(mask));
    for (var lane = 0u; lane < 32u; lane++) {
        if (((mask >> lane) & 1u) != 0u) {
            let state = params.first + group * 32u + lane;
            let at = state * params.words;
            for (var word = 0u; word < params.words; word++) {
                candidates[(block * 32u + lane) * params.words + word] = look(word, at);
            }
            if (look(params.words, at) != 0u) {
                atomicMax(&heard[BROKEN], ~state);
            }
        }
    }
}
