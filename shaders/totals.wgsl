// For each state the total of its chance moves in lowest terms, and what its weights are divided by
// for that. Weights of several chance roles multiply, and so do their greatest common divisors.
@group(0) @binding(1) var<storage, read> seen: array<u32>;
@group(0) @binding(2) var<storage, read> live: array<u32>;
// Chance roles: each the number of its outcomes, then a move and a weight of each.
@group(0) @binding(3) var<storage, read> chances: array<u32>;
@group(0) @binding(4) var<storage, read_write> infos: array<u32>;
@group(0) @binding(5) var<storage, read_write> heard: array<atomic<u32>>;

fn greatest_divisor(a: u32, b: u32) -> u32 {
    var left = a;
    var right = b;
    while (right != 0u) {
        let rest = left % right;
        left = right;
        right = rest;
    }
    return left;
}

@compute @workgroup_size(STATES)
fn totals(@builtin(global_invocation_id) id: vec3<u32>) {
    let state = id.x;
    if (state >= params.states) {
        return;
    }
    let group = state >> 5u;
    let lane = state & 31u;
    if (((live[group] >> lane) & 1u) == 0u) {
        return;
    }
    var total = 1u;
    var divisor = 1u;
    var at = 1u;
    for (var role = 0u; role < chances[0]; role++) {
        let end = at + 1u + 2u * chances[at];
        var sum = 0u;
        var shared_part = 0u;
        for (at = at + 1u; at < end; at += 2u) {
            if (((seen[chances[at] * params.groups + group] >> lane) & 1u) != 0u) {
                sum += chances[at + 1u];
                shared_part = greatest_divisor(chances[at + 1u], shared_part);
            }
        }
        // Both are small enough that a product of two fits.
        let reduced = sum / max(shared_part, 1u);
        total = min(total, MOST + 1u) * min(reduced, MOST + 1u);
        divisor = min(divisor, MOST + 1u) * min(shared_part, MOST + 1u);
    }
    let number = params.first + state;
    if (total > MOST || divisor > MOST) {
        atomicMax(&heard[UNEVEN], ~number);
        return;
    }
    infos[number] |= (total << 8u) | (divisor << 20u);
    let word = TOTALS + (total >> 5u);
    let bit = 1u << (total & 31u);
    if ((atomicLoad(&heard[word]) & bit) == 0u) {
        atomicOr(&heard[word], bit);
    }
}
