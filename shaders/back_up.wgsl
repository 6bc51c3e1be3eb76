// Values of a chunk from those of the next ply: largest over the asked role's moves, smallest over
// the opponents', mean over chance. Whole numbers of `params.limbs` words; before this text stands
// `CAPACITY`, words that there is room for.
//
// A mean is a sum of products: `scale` holds the ply's denominator over that of the next one,
// divided by each total of chance, so that nothing is divided here and nothing is rounded.
@group(0) @binding(1) var<storage, read> infos: array<u32>;
@group(0) @binding(2) var<storage, read> edges: array<u32>;
@group(0) @binding(3) var<storage, read> moves: array<u32>;
@group(0) @binding(4) var<storage, read> below: array<u32>;
// What a payment of 1 is, then four words for each total of chance from 0 on.
@group(0) @binding(5) var<storage, read> scale: array<u32>;
@group(0) @binding(6) var<storage, read_write> values: array<u32>;

const LAST_OF_PAIR: u32 = 1u;
const LAST_OF_ASKED: u32 = 2u;
const EXPANDED: u32 = 0u;
const WON: u32 = 2u;

var<private> mean: array<u32, CAPACITY>;
var<private> low: array<u32, CAPACITY>;
var<private> best: array<u32, CAPACITY>;

// The product of two words, low word first.
fn product(a: u32, b: u32) -> vec2<u32> {
    let low_part = (a & 0xffffu) * (b & 0xffffu);
    let cross = (a >> 16u) * (b & 0xffffu);
    let other = (a & 0xffffu) * (b >> 16u);
    let middle = (low_part >> 16u) + (cross & 0xffffu) + (other & 0xffffu);
    let high = (a >> 16u) * (b >> 16u) + (cross >> 16u) + (other >> 16u) + (middle >> 16u);
    return vec2<u32>((low_part & 0xffffu) | (middle << 16u), high);
}

// A product with a factor below 2^16 and a carry of at most 2^16, low word first.
fn short_product(a: u32, factor: u32, carry: u32) -> vec2<u32> {
    let low_part = (a & 0xffffu) * factor + carry;
    let high_part = (a >> 16u) * factor + (low_part >> 16u);
    return vec2<u32>((low_part & 0xffffu) | (high_part << 16u), high_part >> 16u);
}

// Adds a carry to the mean from a word on.
fn carry_on(from_word: u32, first: u32) {
    var carry = first;
    for (var word = from_word; carry != 0u && word < params.limbs; word++) {
        let sum = mean[word] + carry;
        carry = select(0u, 1u, sum < carry);
        mean[word] = sum;
    }
}

// Adds a child's value times a factor below 2^16.
fn add_short(child: u32, factor: u32) {
    var carry = 0u;
    for (var word = 0u; word < params.below; word++) {
        let part = short_product(below[child + word], factor, carry);
        let sum = mean[word] + part.x;
        mean[word] = sum;
        carry = part.y + select(0u, 1u, sum < part.x);
    }
    carry_on(params.below, carry);
}

// Adds a child's value times one word of a factor, `shift` words up.
fn add_long(child: u32, factor: u32, shift: u32) {
    var carry = 0u;
    for (var word = 0u; word < params.below; word++) {
        if (word + shift >= params.limbs) {
            return;
        }
        let part = product(below[child + word], factor);
        var sum = mean[word + shift] + part.x;
        var up = select(0u, 1u, sum < part.x);
        sum += carry;
        up += select(0u, 1u, sum < carry);
        mean[word + shift] = sum;
        carry = part.y + up;
    }
    carry_on(params.below + shift, carry);
}

// Adds a child's value times what its weight is of the ply's denominator.
fn add(child: u32, total: u32, share: u32) {
    let at = params.limbs + 4u * total;
    let wide = scale[at + 1u] | scale[at + 2u] | scale[at + 3u];
    if (wide == 0u && scale[at] < 65536u && scale[at] * share < 65536u) {
        add_short(child, scale[at] * share);
        return;
    }
    var carry = 0u;
    for (var word = 0u; word < 4u; word++) {
        let part = short_product(scale[at + word], share, carry);
        carry = part.y;
        if (part.x != 0u) {
            add_long(child, part.x, word);
        }
    }
}

fn mean_is_below_low() -> bool {
    for (var word = params.limbs; word > 0u; word--) {
        if (mean[word - 1u] != low[word - 1u]) {
            return mean[word - 1u] < low[word - 1u];
        }
    }
    return false;
}

fn best_is_below_low() -> bool {
    for (var word = params.limbs; word > 0u; word--) {
        if (best[word - 1u] != low[word - 1u]) {
            return best[word - 1u] < low[word - 1u];
        }
    }
    return false;
}

// The largest over the asked role's moves, of the chunk's state number `state`, into `best`.
fn fold(state: u32, info: u32) {
    let total = (info >> 8u) & MOST;
    let divisor = info >> 20u;
    var has_mean = false;
    var has_low = false;
    for (var joint = 0u; joint < params.joints; joint++) {
        let entry = joint * (params.roles + 2u);
        let edge = edges[joint * params.groups * 32u + state];
        if (edge != NONE) {
            if (!has_mean) {
                for (var word = 0u; word < params.limbs; word++) {
                    mean[word] = 0u;
                }
                has_mean = true;
            }
            add(edge * params.below, total, moves[entry] / divisor);
        }
        let marks = moves[entry + 1u];
        if ((marks & LAST_OF_PAIR) != 0u && has_mean) {
            if (!has_low || mean_is_below_low()) {
                for (var word = 0u; word < params.limbs; word++) {
                    low[word] = mean[word];
                }
            }
            has_low = true;
            has_mean = false;
        }
        if ((marks & LAST_OF_ASKED) != 0u && has_low) {
            if (best_is_below_low()) {
                for (var word = 0u; word < params.limbs; word++) {
                    best[word] = low[word];
                }
            }
            has_low = false;
        }
    }
}

@compute @workgroup_size(STATES)
fn back_up(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.states) {
        return;
    }
    let state = params.start + id.x;
    let number = params.first + state;
    let info = infos[number];
    let out = (params.place + id.x) * params.limbs;
    for (var word = 0u; word < params.limbs; word++) {
        best[word] = 0u;
    }
    var payment = info & 0x7fu;
    if ((info & 0x80u) == 0u) {
        payment = 0u;
        if (params.leaf == WON) {
            payment = params.spare;
        } else if (params.leaf == EXPANDED) {
            fold(state, info);
        }
    }
    if (payment != 0u) {
        var carry = 0u;
        for (var word = 0u; word < params.limbs; word++) {
            let part = short_product(scale[word], payment, carry);
            best[word] = part.x;
            carry = part.y;
        }
    }
    for (var word = 0u; word < params.limbs; word++) {
        values[out + word] = best[word];
    }
}
