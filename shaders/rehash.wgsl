// The states of the next ply into an empty, larger table: their keys differ, so that none is
// compared. `params.before` of them, in rows of `params.states`.
@group(0) @binding(1) var<storage, read> found: array<u32>;
@group(0) @binding(2) var<storage, read_write> slots: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> heard: array<atomic<u32>>;

@compute @workgroup_size(STATES)
fn rehash(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.y * params.states + id.x;
    if (id.x >= params.states || number >= params.before) {
        return;
    }
    var sum = 0u;
    for (var word = 0u; word < params.words; word++) {
        sum = stir(sum, found[number * params.words + word]);
    }
    let last = params.slots - 1u;
    var slot = settle(sum) & last;
    for (var probes = 0u; probes <= last; probes++) {
        var owner = atomicLoad(&slots[slot]);
        while (owner == 0u) {
            let tried = atomicCompareExchangeWeak(&slots[slot], 0u, TAG | number);
            if (tried.exchanged) {
                return;
            }
            owner = tried.old_value;
        }
        slot = (slot + 1u) & last;
    }
    atomicOr(&heard[FULL], 1u);
}
