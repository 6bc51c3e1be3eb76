// Chance moves of equal effect: whether those of a class that are legal somewhere are legal in the
// same states. Only then do they count as one move with a weight. Runs after `deal`.
@group(0) @binding(1) var<storage, read> seen: array<u32>;
@group(0) @binding(2) var<storage, read> live: array<u32>;
@group(0) @binding(3) var<storage, read> game: array<u32>;
@group(0) @binding(4) var<storage, read_write> heard: array<atomic<u32>>;

@compute @workgroup_size(GROUPS)
fn classes(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= params.groups) {
        return;
    }
    let mixed_words = LEGAL + (params.moves + 31u) / 32u;
    var at = game[4];
    for (var class_at = 0u; class_at < game[5]; class_at++) {
        let end = at + 1u + game[at];
        var met = false;
        var reference = 0u;
        var mixed = 0u;
        for (var member = at + 1u; member < end; member++) {
            let input = game[member];
            let somewhere = (atomicLoad(&heard[LEGAL + (input >> 5u)]) >> (input & 31u)) & 1u;
            if (somewhere != 0u) {
                let legal = seen[input * params.groups + group] & live[group];
                if (!met) {
                    reference = legal;
                    met = true;
                }
                mixed |= legal ^ reference;
            }
        }
        if (mixed != 0u) {
            atomicOr(&heard[mixed_words + (class_at >> 5u)], 1u << (class_at & 31u));
        }
        at = end;
    }
}
