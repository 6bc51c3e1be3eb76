// Which of 32 candidates own their slots, and how many do.
@group(0) @binding(1) var<storage, read> masks: array<u32>;
@group(0) @binding(2) var<storage, read> slots: array<u32>;
@group(0) @binding(3) var<storage, read> edges: array<u32>;
@group(0) @binding(4) var<storage, read_write> owners: array<u32>;
@group(0) @binding(5) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(GROUPS)
fn rank(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.groups) {
        return;
    }
    let block = id.y * params.groups + id.x;
    var rest = masks[block];
    var own = 0u;
    while (rest != 0u) {
        let lane = countTrailingZeros(rest);
        rest &= rest - 1u;
        let candidate = block * 32u + lane;
        let slot = edges[candidate];
        if (slot != NONE && slots[slot] == candidate + 1u) {
            own |= 1u << lane;
        }
    }
    owners[block] = own;
    sums[block] = countOneBits(own);
}
