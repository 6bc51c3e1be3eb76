// Slots to numbers of states: the edges of a chunk.
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read_write> edges: array<u32>;

@compute @workgroup_size(STATES)
fn resolve(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.groups * 32u) {
        return;
    }
    let candidate = id.y * params.groups * 32u + id.x;
    let slot = edges[candidate];
    if (slot != NONE) {
        edges[candidate] = slots[slot] ^ TAG;
    }
}
