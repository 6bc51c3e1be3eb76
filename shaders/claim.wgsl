// Each candidate finds the slot of its key. A slot is 0, or a candidate plus one, or a tagged state
// of the next ply; the owner's key is compared, and of equal candidates the first stays, so that the
// owner is the same in every run although its slot is not.
//
// Keys that are read here were written by an earlier dispatch: only the slots change meanwhile.
@group(0) @binding(1) var<storage, read> candidates: array<u32>;
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read> found: array<u32>;
@group(0) @binding(4) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> edges: array<u32>;
@group(0) @binding(6) var<storage, read_write> heard: array<atomic<u32>>;

// Whether the owner of a slot has the key of a candidate.
fn same(owner: u32, at: u32) -> bool {
    if ((owner & TAG) != 0u) {
        let other = (owner ^ TAG) * params.words;
        for (var word = 0u; word < params.words; word++) {
            if (found[other + word] != candidates[at + word]) {
                return false;
            }
        }
        return true;
    }
    let other = (owner - 1u) * params.words;
    for (var word = 0u; word < params.words; word++) {
        if (candidates[other + word] != candidates[at + word]) {
            return false;
        }
    }
    return true;
}

@compute @workgroup_size(STATES)
fn claim(@builtin(global_invocation_id) id: vec3<u32>) {
    let state = id.x;
    if (state >= params.groups * 32u) {
        return;
    }
    let block = id.y * params.groups + (state >> 5u);
    let candidate = id.y * params.groups * 32u + state;
    if (((masks[block] >> (state & 31u)) & 1u) == 0u) {
        // The candidates of other parts have their turn.
        if (params.part == 0u) {
            edges[candidate] = NONE;
        }
        return;
    }
    let at = candidate * params.words;
    var sum = 0u;
    for (var word = 0u; word < params.words; word++) {
        sum = stir(sum, candidates[at + word]);
    }
    let last = params.slots - 1u;
    var slot = settle(sum) & last;
    for (var probes = 0u; probes <= last; probes++) {
        var owner = atomicLoad(&slots[slot]);
        // A compare-exchange may fail for no reason, and then the slot is still empty.
        while (owner == 0u) {
            let tried = atomicCompareExchangeWeak(&slots[slot], 0u, candidate + 1u);
            if (tried.exchanged) {
                edges[candidate] = slot;
                return;
            }
            owner = tried.old_value;
        }
        if (same(owner, at)) {
            // Tags are set by a later dispatch, so that an owner is tagged all through this one.
            if ((owner & TAG) == 0u) {
                atomicMin(&slots[slot], candidate + 1u);
            }
            edges[candidate] = slot;
            return;
        }
        slot = (slot + 1u) & last;
    }
    atomicOr(&heard[FULL], 1u);
    edges[candidate] = NONE;
}
