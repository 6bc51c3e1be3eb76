// 32 words of 32 bits, rows to columns: bit b of word i becomes bit i of word b.
// Source: Warren, Hacker's Delight, section 7-3.
fn transpose(rows: ptr<function, array<u32, 32>>) {
    var width = 16u;
    var mask = 0x0000ffffu;
    while (width != 0u) {
        for (var at = 0u; at < 32u; at = (at + width + 1u) & ~width) {
            let low = (*rows)[at];
            let high = (*rows)[at + width];
            let swap = ((low >> width) ^ high) & mask;
            (*rows)[at] = low ^ (swap << width);
            (*rows)[at + width] = high ^ swap;
        }
        width = width >> 1u;
        mask = mask ^ (mask << width);
    }
}
