//! The text for graphics devices of every game in `games/` is WGSL, as naga has it, and that of two
//! small games is the text on file (`ODDSMITH_UPDATE=1` rewrites it).

use kernel::{PlaneKernel, Shaders};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use solve::{Game, Options};
use verdict::Question;

use crate::lineup::{rulebook, watched};
use crate::places;

fn shaders(name: &str) -> Shaders {
    kernel_of(name).shaders(64)
}

fn kernel_of(name: &str) -> PlaneKernel {
    let book = rulebook(name, &places::text(&format!("games/{name}.gdl")));
    let question = Question::new(book).expect("a role that is not chance");
    let game = watched(|watch| Game::new(&question, &Options::default(), watch));
    game.expect("a game that compiles").kernel().expect("few joint moves")
}

#[test]
fn every_game_is_valid_wgsl() {
    let mut ops = 0;
    for name in places::games() {
        let shaders = shaders(&name);
        let module = naga::front::wgsl::parse_str(&shaders.text)
            .unwrap_or_else(|wrong| panic!("{name}: {}", wrong.emit_to_string(&shaders.text)));
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
        validator.validate(&module).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
        let entries: Vec<&String> =
            shaders.view.entries.iter().chain(&shaders.update.entries).collect();
        let found: Vec<&String> = module.entry_points.iter().map(|entry| &entry.name).collect();
        assert_eq!(found, entries, "{name}: the entry points are those that are told");
        ops += shaders.view.ops + shaders.update.ops;
    }
    assert!(ops > 10_000, "games are not trivial: {ops} operations");
}

#[test]
fn two_small_games_have_the_text_on_file() {
    for name in ["one-spin", "coin-guess"] {
        let text = shaders(name).text;
        let file = format!("tests/data/wgsl/{name}.wgsl");
        snapshot::hold(&places::root().join(&file), &text);
    }
}
