// Copies words, to measure how fast the device can: `params.states` of them.
@group(0) @binding(1) var<storage, read> from_words: array<u32>;
@group(0) @binding(2) var<storage, read_write> to_words: array<u32>;

@compute @workgroup_size(STATES)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < params.states) {
        to_words[id.x] = from_words[id.x];
    }
}
