// Which of 32 candidates belong to one part of the next ply. The hash begins elsewhere than that of
// slots, so that the states of a part are spread over its table as those of all parts would be.
@group(0) @binding(1) var<storage, read> candidates: array<u32>;
@group(0) @binding(2) var<storage, read> masks: array<u32>;
@group(0) @binding(3) var<storage, read_write> chosen: array<u32>;

const ELSEWHERE: u32 = 0x9e3779b9u;

@compute @workgroup_size(GROUPS)
fn part(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.groups) {
        return;
    }
    let block = id.y * params.groups + id.x;
    var rest = masks[block];
    var own = 0u;
    while (rest != 0u) {
        let lane = countTrailingZeros(rest);
        rest &= rest - 1u;
        let at = (block * 32u + lane) * params.words;
        var sum = ELSEWHERE;
        for (var word = 0u; word < params.words; word++) {
            sum = stir(sum, candidates[at + word]);
        }
        if ((settle(sum) & (params.parts - 1u)) == params.part) {
            own |= 1u << lane;
        }
    }
    chosen[block] = own;
}
