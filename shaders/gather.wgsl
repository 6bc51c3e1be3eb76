// Values of children side by side in the order of edges, where those of the next ply lie in several
// buffers: an invocation takes one edge of `params.states` states from `params.start` on. Of the buffer
// that is bound the first value is that of state `params.base`, and there are `params.before`.
@group(0) @binding(1) var<storage, read> edges: array<u32>;
@group(0) @binding(2) var<storage, read> below: array<u32>;
// Edges again, to the places of `gathered`.
@group(0) @binding(3) var<storage, read_write> near: array<u32>;
@group(0) @binding(4) var<storage, read_write> gathered: array<u32>;

@compute @workgroup_size(STATES)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.states) {
        return;
    }
    let edge = edges[id.y * params.groups * 32u + params.start + id.x];
    let row = (params.states + 31u) & ~31u;
    let place = id.y * row + id.x;
    if (params.part == 0u) {
        near[place] = select(place, NONE, edge == NONE);
    }
    if (edge == NONE || edge < params.base || edge - params.base >= params.before) {
        return;
    }
    let start = (edge - params.base) * params.below;
    for (var word = 0u; word < params.below; word++) {
        gathered[place * params.below + word] = below[start + word];
    }
}
