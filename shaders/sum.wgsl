// Counts to running sums, 64 blocks an invocation; the sum of all 64 goes behind the blocks.
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(GROUPS)
fn sum(@builtin(global_invocation_id) id: vec3<u32>) {
    let blocks = params.groups * params.joints;
    let first = id.x * 64u;
    if (first >= blocks) {
        return;
    }
    var running = 0u;
    for (var block = first; block < min(first + 64u, blocks); block++) {
        let count = sums[block];
        sums[block] = running;
        running += count;
    }
    sums[blocks + id.x] = running;
}
