//! What kernels make of fixed games is what is on file: expansions, sizes, shaders, random plays.

use std::fmt::Write;
use std::path::Path;

use super::{kernel, random_key, reach};
use crate::sample::{Shape, casting, sample};
use crate::{Expander, Expansion, Isa, SurveyPlan, playouts, survey};
use net::random::Random;

#[test]
fn kernels_of_fixed_games_do_what_is_on_file() {
    let mut text = String::new();
    let mut random = Random::new(31);
    for round in 0..48 {
        let shape = match round % 3 {
            0 => Shape { groups: vec![9, 15, 3], raw: 6, moves: vec![3, 4, 4], gates: 60 },
            1 => Shape { groups: vec![70, 33], raw: 30, moves: vec![2, 3, 2], gates: 90 },
            _ => Shape::small(&mut random),
        };
        let game = sample(&shape, &mut random);
        let mut kernel = kernel(&game, &game.groups);
        if round % 2 == 0 {
            kernel.limit_specialised(1000, 1);
        }
        let print = |text: &str| snapshot::print(text);
        let states = reach(&mut kernel, &game, 120);
        let keys: Vec<u64> =
            (0..70).flat_map(|_| random_key(&kernel, &game, &mut random)).collect();
        let mut out = Expansion::default();
        let expanded = kernel.expand(&keys, true, &mut out).is_ok();
        let casting = casting(&game.net);
        let plays = playouts(&game.net, Isa::PORTABLE, 2, round, 12);
        let plan = SurveyPlan { plays: 150, steps: 9, seed: round };
        let survey = survey(&game.net, &plan, &|| true);
        let shaders = kernel.shaders(64);
        writeln!(
            text,
            "{round}: {} bits, {:?}, {} words {:016x}; {expanded} {} joints {:016x}; {:016x} \
             {:016x} {:016x}; {:?} {:016x}; {:016x}",
            kernel.key_bits(),
            kernel.code_sizes(),
            states.len(),
            print(&format!("{states:?}")),
            out.joints.len(),
            print(&format!("{out:?}")),
            print(&format!("{:?} {:?}", kernel.fields(), kernel.codes())),
            print(&shaders.text),
            print(&format!("{:?}", kernel.opponents_moves(0))),
            plays.as_ref().map(|plays| plays.states),
            print(&format!("{plays:?} {:?}", casting.payoffs)),
            print(&format!("{survey:?}"))
        )
        .expect("a string takes all");
    }
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/work.txt"), &text);
}
