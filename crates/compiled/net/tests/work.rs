//! Networks of fixed games, and what is found out about them, are those on file.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ground::GroundLimits;
use net::facts::{chance_classes, guess_exclusive, guess_groups, guess_level, playouts};
use net::{Contest, LowerLimits, Net, State, dot, lower, prism, symmetry};

fn games() -> Vec<(String, Net)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../games");
    let entries = std::fs::read_dir(folder).expect("the folder of games");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "gdl"));
    paths.sort();
    let load = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a game of the project");
        let reading = gdl::read(gdl::Source::new("game", &text), &gdl::ReadOptions::default());
        let rulebook = reading.rulebook.expect("games of the project are in order");
        let ground = ground::ground(&rulebook, &GroundLimits::default()).expect("they ground");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, lower(&ground, &LowerLimits::default()).expect("they lower"))
    };
    paths.iter().map(load).collect()
}

#[test]
fn networks_of_fixed_games_are_those_on_file() {
    let mut text = String::new();
    for (name, net) in games() {
        let plays = playouts(&net, 5, 6, 60);
        let states: Vec<State> = plays.iter().flatten().cloned().collect();
        let groups = guess_groups(&net, &states);
        let exclusive = guess_exclusive(&net, &states, &groups);
        let level = guess_level(&net, &plays);
        let print = |text: &str| snapshot::print(text);
        write!(
            text,
            "{name}: {} gates {:016x} {:016x}; {} states {:016x}; {} groups {:016x}, {} exclusive \
             {:016x}; level {:016x}",
            net.gates.len(),
            print(&net.to_string()),
            print(&dot(&net)),
            states.len(),
            print(&format!(
                "{:?}",
                states.iter().map(|one| one.iter().collect()).collect::<Vec<Vec<_>>>()
            )),
            groups.len(),
            print(&format!("{groups:?}")),
            exclusive.len(),
            print(&format!("{exclusive:?}")),
            print(&format!("{level:?}"))
        )
        .expect("a string takes all");
        for (role, row) in net.roles.enumerate() {
            let classes = chance_classes(&net, role);
            let found = symmetry::find(&net, role);
            let shown: Vec<String> = found.generators.iter().map(|one| one.text(&net)).collect();
            write!(
                text,
                "; {}: {} classes {:016x}, symmetry {} {} {:016x}",
                row.name,
                classes.len(),
                print(&format!("{classes:?}")),
                found.order,
                found.is_complete,
                print(&shown.join("\n"))
            )
            .expect("a string takes all");
        }
        let random: Vec<_> = net
            .roles
            .enumerate()
            .filter(|(_, role)| role.name == "random")
            .map(|row| row.0)
            .collect();
        for (asked, role) in net.roles.enumerate().filter(|(_, role)| role.name != "random") {
            for (horizon, pays_goal) in [(None, false), (Some(7), true)] {
                let model = prism(&net, Contest { asked, chance: &random, horizon, pays_goal });
                let print = model.map(|model| format!("{:016x}", print(&model)));
                write!(text, "; {} in prism: {print:?}", role.name).expect("a string takes all");
            }
        }
        text.push('\n');
    }
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/work.txt"), &text);
}
