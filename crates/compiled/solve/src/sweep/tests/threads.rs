//! Tables on several threads: nothing but the time depends on them.

use verdict::Engine;

use crate::testing::{Limits, game, under};
use crate::{Options, Sweep, Tier};

/// The middle plies have some ten blocks, enough for a batch of several stretches.
#[test]
fn any_number_of_threads_finds_the_same() {
    let question = game("stochastic-connect-3-4x4");
    let several: &[usize] = &[2, 3, 5];
    let cases =
        [(true, false, several), (true, true, &several[1..2]), (false, false, &several[..1])];
    for (fold, approximate, counts) in cases {
        let with = |threads| {
            let threads = Some(threads);
            let tables = Options { tier: Tier::Table, symmetry: false, ..Options::default() };
            let options = Options { fold, approximate, threads, ..tables };
            // Bounds end a solve by a halt, which is compared as it is shown.
            let ended =
                under(Limits::default(), |watch| Sweep::new(options).judge(&question, watch));
            format!("{ended:?}")
        };
        let alone = with(1);
        for &threads in counts {
            assert_eq!(with(threads), alone, "{threads} threads, folded: {fold}");
        }
    }
}
