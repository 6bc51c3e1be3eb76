// The keys of new states to their places, and their numbers into the table. That the states have
// the level of their ply is checked here, on each once.
@group(0) @binding(1) var<storage, read> candidates: array<u32>;
@group(0) @binding(2) var<storage, read> owners: array<u32>;
@group(0) @binding(3) var<storage, read> sums: array<u32>;
@group(0) @binding(4) var<storage, read> edges: array<u32>;
// Chunks of a key: each its first bit, its width, and where its table begins.
@group(0) @binding(5) var<storage, read> levels: array<u32>;
@group(0) @binding(6) var<storage, read_write> found: array<u32>;
@group(0) @binding(7) var<storage, read_write> slots: array<u32>;
@group(0) @binding(8) var<storage, read_write> heard: array<atomic<u32>>;

// The level of a candidate, as a word that may wrap: levels are far smaller.
fn level(at: u32) -> u32 {
    var sum = levels[1];
    for (var chunk = 0u; chunk < levels[0]; chunk++) {
        let entry = 2u + 3u * chunk;
        let bit = levels[entry] & 31u;
        let word = at + (levels[entry] >> 5u);
        let width = levels[entry + 1u];
        var code = candidates[word] >> bit;
        if (bit + width > 32u) {
            code |= candidates[word + 1u] << (32u - bit);
        }
        sum += levels[levels[entry + 2u] + (code & ((1u << width) - 1u))];
    }
    return sum;
}

@compute @workgroup_size(STATES)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
    let state = id.x;
    if (state >= params.groups * 32u) {
        return;
    }
    let block = id.y * params.groups + (state >> 5u);
    let lane = state & 31u;
    let own = owners[block];
    if (((own >> lane) & 1u) == 0u) {
        return;
    }
    let blocks = params.groups * params.joints;
    let earlier = countOneBits(own & ((1u << lane) - 1u));
    let number = params.before + sums[blocks + (block >> 6u)] + sums[block] + earlier;
    let candidate = block * 32u + lane;
    let at = candidate * params.words;
    for (var word = 0u; word < params.words; word++) {
        found[number * params.words + word] = candidates[at + word];
    }
    slots[edges[candidate]] = TAG | number;
    if (level(at) != params.level) {
        atomicMax(&heard[LEVEL], ~(params.first + state));
    }
}
