// Slots to numbers of states: the edges of a chunk to states of one part.
@group(0) @binding(1) var<storage, read> masks: array<u32>;
@group(0) @binding(2) var<storage, read> slots: array<u32>;
@group(0) @binding(3) var<storage, read_write> edges: array<u32>;

@compute @workgroup_size(STATES)
fn resolve(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.groups * 32u) {
        return;
    }
    let block = id.y * params.groups + (id.x >> 5u);
    if (((masks[block] >> (id.x & 31u)) & 1u) == 0u) {
        return;
    }
    let candidate = id.y * params.groups * 32u + id.x;
    let slot = edges[candidate];
    if (slot != NONE) {
        edges[candidate] = params.base + (slots[slot] ^ TAG);
    }
}
