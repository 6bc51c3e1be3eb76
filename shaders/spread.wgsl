// The keys that a bitmap marks to their places, in their own order, an invocation a word of the bitmap.
// That the states have the level of their ply is checked here, on each once.
@group(0) @binding(1) var<storage, read> bitmap: array<u32>;
@group(0) @binding(2) var<storage, read> sums: array<u32>;
// Chunks of a key: each its first bit, its width, and where its table begins.
@group(0) @binding(3) var<storage, read> levels: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<u32>;
@group(0) @binding(5) var<storage, read_write> heard: array<atomic<u32>>;

// The level of a key of one word, as a word that may wrap: levels are far smaller.
fn level(key: u32) -> u32 {
    var sum = levels[1];
    for (var chunk = 0u; chunk < levels[0]; chunk++) {
        let entry = 2u + 3u * chunk;
        let code = (key >> levels[entry]) & ((1u << levels[entry + 1u]) - 1u);
        sum += levels[levels[entry + 2u] + code];
    }
    return sum;
}

@compute @workgroup_size(STATES)
fn spread(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.groups) {
        return;
    }
    var number = sums[params.groups + (id.x >> 6u)] + sums[id.x];
    var rest = bitmap[id.x];
    while (rest != 0u) {
        let key = id.x * 32u + countTrailingZeros(rest);
        rest &= rest - 1u;
        found[number] = key;
        number++;
        if (level(key) != params.level) {
            atomicMax(&heard[LEVEL], ~key);
        }
    }
}
