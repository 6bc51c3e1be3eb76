// Planes of children to keys: an invocation takes one word of the children of 32 states under one
// joint move. Where that move is legal is found here, and whether a child breaks a group there.
@group(0) @binding(1) var<storage, read> made: array<u32>;
@group(0) @binding(2) var<storage, read> seen: array<u32>;
@group(0) @binding(3) var<storage, read> live: array<u32>;
// Joint moves: each its weight, its marks, and the move of each role.
@group(0) @binding(4) var<storage, read> moves: array<u32>;
@group(0) @binding(5) var<storage, read_write> candidates: array<u32>;
@group(0) @binding(6) var<storage, read_write> masks: array<u32>;
@group(0) @binding(7) var<storage, read_write> heard: array<atomic<u32>>;

@compute @workgroup_size(GROUPS)
fn pack(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= params.groups) {
        return;
    }
    let joint = id.y;
    let entry = joint * (params.roles + 2u) + 2u;
    var mask = live[group];
    for (var role = 0u; role < params.roles; role++) {
        mask &= seen[moves[entry + role] * params.groups + group];
    }
    let first = joint * (params.bits + 1u) * params.groups + group;
    if (id.z == 0u) {
        masks[joint * params.groups + group] = mask;
        if (mask != 0u) {
            atomicAdd(&heard[EDGES], countOneBits(mask));
        }
        let broken = made[first + params.bits * params.groups] & mask;
        if (broken != 0u) {
            let state = params.first + group * 32u + countTrailingZeros(broken);
            atomicMax(&heard[BROKEN], ~state);
        }
    }
    if (mask == 0u) {
        return;
    }
    var rows: array<u32, 32>;
    for (var bit = 0u; bit < 32u; bit++) {
        let row = id.z * 32u + bit;
        rows[bit] = 0u;
        if (row < params.bits) {
            rows[bit] = made[first + row * params.groups];
        }
    }
    transpose(&rows);
    let start = (joint * params.groups + group) * 32u;
    for (var lane = 0u; lane < 32u; lane++) {
        if (((mask >> lane) & 1u) != 0u) {
            candidates[(start + lane) * params.words + id.z] = rows[lane];
        }
    }
}
