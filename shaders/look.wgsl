// 32 bits of what tables say of a key that begins at `at`: the disjunction of what is found in each
// column of the word; see `tables.rs` of the kernel.
fn look(word: u32, at: u32) -> u32 {
    var out = 0u;
    var column = tables[word];
    let end = tables[word + 1u];
    while (column < end) {
        let last = column + 2u + 2u * tables[column + 1u];
        var index = 0u;
        var shift = 0u;
        for (var piece = column + 2u; piece < last; piece += 2u) {
            let bit = tables[piece] & 31u;
            let place = at + (tables[piece] >> 5u);
            let width = tables[piece + 1u];
            var code = keys[place] >> bit;
            if (bit + width > 32u) {
                code |= keys[place + 1u] << (32u - bit);
            }
            index |= (code & ((1u << width) - 1u)) << shift;
            shift += width;
        }
        out |= tables[tables[column] + index];
        column = last;
    }
    return out;
}
