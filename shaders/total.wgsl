// The sums of 64 blocks to running sums, by one invocation: there are few.
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> heard: array<atomic<u32>>;

@compute @workgroup_size(1)
fn total() {
    let blocks = params.groups * params.joints;
    let end = blocks + (blocks + 63u) / 64u;
    var running = 0u;
    for (var at = blocks; at < end; at++) {
        let count = sums[at];
        sums[at] = running;
        running += count;
    }
    atomicStore(&heard[FOUND + params.part], running);
}
