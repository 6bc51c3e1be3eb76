// The view by tables: an invocation takes one word of what it says of 32 states, `params.bits` rows
// in all.
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;
@group(0) @binding(3) var<storage, read_write> seen: array<u32>;

@compute @workgroup_size(GROUPS)
fn peek(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= params.groups) {
        return;
    }
    var rows: array<u32, 32>;
    for (var lane = 0u; lane < 32u; lane++) {
        let state = group * 32u + lane;
        rows[lane] = 0u;
        if (state < params.states) {
            rows[lane] = look(id.y, (params.first + state) * params.words);
        }
    }
    transpose(&rows);
    for (var bit = 0u; bit < 32u; bit++) {
        let row = id.y * 32u + bit;
        if (row < params.bits) {
            seen[row * params.groups + group] = rows[bit];
        }
    }
}
