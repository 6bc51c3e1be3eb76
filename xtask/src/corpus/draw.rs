//! A sample that a seed fixes, whatever the machine.
//!
//! Source of the sequence: Steele, Lea and Flood, *Fast splittable pseudorandom number
//! generators*, 2014.

/// `count` of the items, drawn without putting back; all of them where there are fewer.
pub(super) fn sample<T>(mut items: Vec<T>, count: usize, seed: u64) -> Vec<T> {
    let mut state = seed;
    let count = count.min(items.len());
    for place in 0..count {
        let left = (items.len() - place) as u64;
        items.swap(place, place + (next(&mut state) % left) as usize);
    }
    items.truncate(count);
    items
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn a_seed_fixes_the_sample_and_nothing_is_drawn_twice() {
        let all: Vec<u32> = (0..100).collect();
        let drawn = sample(all.clone(), 30, 7);
        assert_eq!(drawn, sample(all.clone(), 30, 7));
        assert_ne!(drawn, sample(all.clone(), 30, 8));
        let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
        assert_eq!(distinct.len(), 30);
        assert_eq!(sample(all, 500, 7).len(), 100);
    }
}
