// One step of the hash of a key, and its end: a few rounds of multiplication and shifting, as in
// MurmurHash3 (Appleby).
fn stir(sum: u32, word: u32) -> u32 {
    var mixed = word * 0xcc9e2d51u;
    mixed = (mixed << 15u) | (mixed >> 17u);
    var stirred = sum ^ (mixed * 0x1b873593u);
    stirred = (stirred << 13u) | (stirred >> 19u);
    return stirred * 5u + 0xe6546b64u;
}

fn settle(sum: u32) -> u32 {
    var mixed = sum;
    mixed = (mixed ^ (mixed >> 16u)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13u)) * 0xc2b2ae35u;
    return mixed ^ (mixed >> 16u);
}
