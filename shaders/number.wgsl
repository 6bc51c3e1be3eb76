// Edges from keys to numbers of states: how many keys are marked below. `params.slots` are the words of
// the bitmap.
@group(0) @binding(1) var<storage, read> bitmap: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;
@group(0) @binding(3) var<storage, read_write> edges: array<u32>;

@compute @workgroup_size(STATES)
fn number(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.groups * 32u) {
        return;
    }
    let candidate = id.y * params.groups * 32u + id.x;
    let key = edges[candidate];
    if (key == NONE) {
        return;
    }
    let word = key >> 5u;
    let below = countOneBits(bitmap[word] & ((1u << (key & 31u)) - 1u));
    edges[candidate] = sums[params.slots + (word >> 6u)] + sums[word] + below;
}
