// How many keys are marked in each word of a bitmap of `params.groups` words.
@group(0) @binding(1) var<storage, read> bitmap: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(STATES)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < params.groups) {
        sums[id.x] = countOneBits(bitmap[id.x]);
    }
}
