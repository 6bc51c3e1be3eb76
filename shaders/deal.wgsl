// What the view said of 32 states: which are flawed, terminal, waiting; what they pay; which moves
// are legal somewhere. States beyond the chunk hold garbage and are masked first.
@group(0) @binding(1) var<storage, read> seen: array<u32>;
// Seats (opponents, asked, chance) with their moves, payments: see `tables.rs`.
@group(0) @binding(2) var<storage, read> game: array<u32>;
@group(0) @binding(3) var<storage, read_write> heard: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> infos: array<u32>;
@group(0) @binding(5) var<storage, read_write> live: array<u32>;

fn view(row: u32, group: u32) -> u32 {
    return seen[row * params.groups + group];
}

// Takes note that a move is legal somewhere.
fn note(input: u32) {
    let word = LEGAL + (input >> 5u);
    let bit = 1u << (input & 31u);
    if ((atomicLoad(&heard[word]) & bit) == 0u) {
        atomicOr(&heard[word], bit);
    }
}

@compute @workgroup_size(GROUPS)
fn deal(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= params.groups) {
        return;
    }
    let left = params.states - group * 32u;
    var valid = 0xffffffffu;
    if (left < 32u) {
        valid = (1u << left) - 1u;
    }
    let seats = game[0];
    let opponents = game[1];
    let goals = game[2];
    let terminal = view(params.moves, group) & valid;
    var one = 0u;
    var flawed = 0u;
    for (var goal = 0u; goal < goals; goal++) {
        let paid = view(params.moves + 1u + goal, group) & terminal;
        flawed |= one & paid;
        one |= paid;
    }
    if (game[3] == 0u) {
        flawed |= terminal & ~one;
    }
    let going = valid & ~terminal;
    var opposed = 0u;
    var asked = 0u;
    var chance = 0u;
    for (var seat = 0u; seat < seats; seat++) {
        var some = 0u;
        var several = 0u;
        for (var input = game[8u + 2u * seat]; input < game[9u + 2u * seat]; input++) {
            let legal = view(input, group) & going;
            if (legal != 0u) {
                several |= some & legal;
                some |= legal;
                note(input);
            }
        }
        flawed |= going & ~some;
        if (seat < opponents) {
            opposed |= several;
        } else if (seat == opponents) {
            asked |= several;
        } else {
            chance |= several;
        }
    }
    if (flawed != 0u) {
        let state = params.first + group * 32u + countTrailingZeros(flawed);
        atomicMax(&heard[FLAWED], ~state);
    }
    if ((asked & opposed) != 0u) {
        atomicOr(&heard[SIMULTANEOUS], 1u);
    }
    let waiting = chance & ~asked & ~opposed;
    atomicAdd(&heard[TERMINAL], countOneBits(terminal));
    atomicAdd(&heard[DECISIONS], countOneBits(going & ~waiting));
    live[group] = going;
    let payments = 8u + 2u * seats;
    for (var lane = 0u; lane < min(left, 32u); lane++) {
        var info = 0u;
        if (((terminal >> lane) & 1u) != 0u) {
            info = 0x80u;
            for (var goal = 0u; goal < goals; goal++) {
                if (((view(params.moves + 1u + goal, group) >> lane) & 1u) != 0u) {
                    info |= game[payments + goal];
                }
            }
        }
        // A flawed state has no total of chance, whose lowest bit this is.
        info |= ((flawed >> lane) & 1u) << 8u;
        infos[params.first + group * 32u + lane] = info;
    }
}
