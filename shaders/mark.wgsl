// Candidates mark their keys, of one word each, in a bitmap of all keys; until all chunks of the ply
// have done so an edge is the child's key.
@group(0) @binding(1) var<storage, read> candidates: array<u32>;
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> bitmap: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> edges: array<u32>;

@compute @workgroup_size(STATES)
fn mark(@builtin(global_invocation_id) id: vec3<u32>) {
    let state = id.x;
    if (state >= params.groups * 32u) {
        return;
    }
    let block = id.y * params.groups + (state >> 5u);
    let candidate = id.y * params.groups * 32u + state;
    if (((masks[block] >> (state & 31u)) & 1u) == 0u) {
        edges[candidate] = NONE;
        return;
    }
    let key = candidates[candidate];
    edges[candidate] = key;
    let bit = 1u << (key & 31u);
    if ((atomicLoad(&bitmap[key >> 5u]) & bit) == 0u) {
        atomicOr(&bitmap[key >> 5u], bit);
    }
}
