//! Moves as shifts of lanes.

use crate::expand::{BLOCK_WORDS, Mask};
use crate::isa::{Isa, dispatch};

/// Lanes that one move takes `by` lanes further (or back, where it is negative).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shift {
    /// Which lanes.
    pub lanes: Mask,
    /// How far.
    pub by: i32,
}

/// A move inside a block, all upward.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Lanes from which it is to be played still; those from which it was played are taken out.
    pub open: Mask,
    /// How far it leads.
    pub by: i32,
}

/// Lanes moved; those that would leave the block are lost.
#[inline(always)]
pub fn moved(source: &Mask, by: i32) -> Mask {
    let (words, bits) = ((by.unsigned_abs() / 64) as usize, by.unsigned_abs() % 64);
    if words >= BLOCK_WORDS {
        return [0; BLOCK_WORDS];
    }
    let mut out = [0; BLOCK_WORDS];
    if by >= 0 {
        for at in words..BLOCK_WORDS {
            out[at] = source[at - words] << bits;
        }
        if bits > 0 {
            for at in words + 1..BLOCK_WORDS {
                out[at] |= source[at - words - 1] >> (64 - bits);
            }
        }
    } else {
        for at in words..BLOCK_WORDS {
            out[at - words] = source[at] >> bits;
        }
        if bits > 0 {
            for at in words + 1..BLOCK_WORDS {
                out[at - words - 1] |= source[at] << (64 - bits);
            }
        }
    }
    out
}

/// Adds to `target` where lanes come to lie.
pub fn push(isa: Isa, target: &mut Mask, lanes: &Mask, shifts: &[Shift]) {
    push_on(isa, target, lanes, shifts);
}

dispatch! {
    /// See [`push`].
    fn push_on(target: &mut Mask, lanes: &Mask, shifts: &[Shift]) = push_body
}

#[inline(always)]
fn push_body(target: &mut Mask, lanes: &Mask, shifts: &[Shift]) {
    for shift in shifts {
        let mut mine = [0; BLOCK_WORDS];
        let mut seen = 0;
        for at in 0..BLOCK_WORDS {
            mine[at] = lanes[at] & shift.lanes[at];
            seen |= mine[at];
        }
        if seen == 0 {
            continue;
        }
        let mine = if shift.by == 0 { mine } else { moved(&mine, shift.by) };
        for at in 0..BLOCK_WORDS {
            target[at] |= mine[at];
        }
    }
}

/// Adds to `reached` all that the moves lead to, until nothing is new.
pub fn spread(isa: Isa, reached: &mut Mask, moves: &mut [Spread]) {
    spread_on(isa, reached, moves);
}

dispatch! {
    /// See [`spread`].
    fn spread_on(reached: &mut Mask, moves: &mut [Spread]) = spread_body
}

/// How many lanes a mask has.
pub fn count(isa: Isa, mask: &Mask) -> u64 {
    count_on(isa, mask)
}

dispatch! {
    /// See [`count`].
    fn count_on(mask: &Mask) -> u64 = count_body
}

#[inline(always)]
fn count_body(mask: &Mask) -> u64 {
    mask.iter().map(|word| u64::from(word.count_ones())).sum()
}

#[inline(always)]
fn spread_body(reached: &mut Mask, moves: &mut [Spread]) {
    loop {
        let mut fresh = 0;
        for step in &mut *moves {
            debug_assert!(step.by > 0, "a move inside a block goes up");
            let mut source = [0; BLOCK_WORDS];
            let mut seen = 0;
            for at in 0..BLOCK_WORDS {
                source[at] = reached[at] & step.open[at];
                seen |= source[at];
            }
            if seen == 0 {
                continue;
            }
            let next = moved(&source, step.by);
            for at in 0..BLOCK_WORDS {
                step.open[at] &= !source[at];
                fresh |= next[at] & !reached[at];
                reached[at] |= next[at];
            }
        }
        if fresh == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::lanes;

    #[test]
    fn lanes_move_both_ways_and_fall_off_the_ends() {
        let mut mask = [0; BLOCK_WORDS];
        mask[0] = 1 << 63 | 1;
        mask[15] = 1 << 62;
        let at = |by| lanes(&moved(&mask, by)).collect::<Vec<_>>();
        assert_eq!(at(0), [0, 63, 1022]);
        assert_eq!(at(1), [1, 64, 1023]);
        assert_eq!(at(64), [64, 127]);
        assert_eq!(at(100), [100, 163]);
        assert_eq!(at(-62), [1, 960]);
        assert_eq!(at(-64), [958]);
        assert_eq!(at(-1022), [0]);
        assert!(at(2000).is_empty() && at(-1024).is_empty());
    }

    #[test]
    fn lanes_are_added_where_their_shifts_take_them() {
        let mut lanes = [0; BLOCK_WORDS];
        (lanes[0], lanes[1], lanes[15]) = (0b111, 1 << 63, 1 << 63);
        let only = |lane: usize| {
            let mut mask = [0; BLOCK_WORDS];
            mask[lane / 64] |= 1 << (lane % 64);
            mask
        };
        let shifts = [
            Shift { lanes: only(0), by: 70 },
            Shift { lanes: only(1), by: 0 },
            Shift { lanes: only(127), by: -100 },
            // In no lane, and beyond the block.
            Shift { lanes: only(500), by: 1 },
            Shift { lanes: only(1023), by: 1 },
        ];
        for isa in Isa::available() {
            let mut target = only(900);
            push(isa, &mut target, &lanes, &shifts);
            assert_eq!(crate::frame::lanes(&target).collect::<Vec<_>>(), [1, 27, 70, 900]);
        }
    }

    #[test]
    fn moves_spread_until_nothing_is_new_and_only_where_allowed() {
        let all = [u64::MAX; BLOCK_WORDS];
        let (mut even, mut odd) = ([0; BLOCK_WORDS], [0; BLOCK_WORDS]);
        (0..BLOCK_WORDS).for_each(|at| (even[at], odd[at]) = (0x5555 << 16, 0xAAAA));
        let up = [Spread { open: even, by: 1 }, Spread { open: odd, by: 64 }];
        for isa in Isa::available() {
            assert_eq!((count(isa, &all), count(isa, &even)), (1024, 16 * 8));
            let mut reached = [0; BLOCK_WORDS];
            reached[2] = 0b10;
            spread(isa, &mut reached, &mut up.clone());
            let found: Vec<usize> = lanes(&reached).collect();
            assert_eq!(found, (2..16).map(|word| 64 * word + 1).collect::<Vec<_>>());
            let mut reached = [0; BLOCK_WORDS];
            reached[2] = 0b10;
            spread(isa, &mut reached, &mut [Spread { open: [0; BLOCK_WORDS], by: 1 }]);
            assert_eq!(lanes(&reached).count(), 1);
        }
    }
}
