//! Tests that all manners of evaluating rules give the same game.
//!
//! Two ground games at a time are played side by side with random moves by a plain interpreter: legal
//! moves, goals, end and successors must be the same in every state.

use std::path::{Path, PathBuf};

use index::{Id, IdSet, IndexVec};

use crate::fault::Watch;
use crate::{
    AtomId, AtomKind, GroundLimits, GroundRules, InputId, MANNERS, attempt, ground, sheets,
};

/// The atoms that hold in a state under a joint move, level by level.
fn holding(rules: &GroundRules, state: &[String], joint: &[InputId]) -> Vec<String> {
    let mut levels: IndexVec<AtomId, usize> = IndexVec::filled(0, rules.atoms.len());
    let mut grew = true;
    while grew {
        grew = false;
        for rule in &rules.rules {
            let least = |l: &crate::GroundLiteral| levels[l.atom] + usize::from(l.negated);
            let level = rule.body.iter().map(least).max().unwrap_or(0);
            grew |= level > levels[rule.head];
            levels[rule.head] = levels[rule.head].max(level);
        }
    }
    let mut held: IdSet<AtomId> = IdSet::new();
    for (atom, kind) in rules.atoms.enumerate() {
        let leaf = match *kind {
            AtomKind::True(base) => state.contains(&rules.base_texts[base]),
            AtomKind::Does(input) => joint.contains(&input),
            _ => false,
        };
        if leaf {
            held.insert(atom);
        }
    }
    for level in 0..=levels.iter().copied().max().unwrap_or(0) {
        let mine = || rules.rules.iter().filter(|rule| levels[rule.head] == level);
        while mine().any(|rule| {
            rule.body.iter().all(|l| held.contains(l.atom) != l.negated) && held.insert(rule.head)
        }) {}
    }
    let told = held.iter().filter(|&atom| rules.atoms[atom] != AtomKind::Helper);
    let mut told: Vec<_> = told.map(|atom| rules.atom_text(atom)).collect();
    told.retain(|text| !text.starts_with("(true") && !text.starts_with("(does"));
    told.sort();
    told
}

/// One legal move a role, or none where some role has none.
fn joint_move(rules: &GroundRules, told: &[String], seed: &mut u64) -> Option<Vec<InputId>> {
    let mut joint = Vec::new();
    for role in &rules.roles {
        let legal = |at: &usize| {
            let text = &rules.inputs[InputId::from_index(*at)].text;
            told.contains(&format!("(legal {} {text})", role.name))
        };
        let moves: Vec<_> = role.inputs.clone().filter(legal).collect();
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = (*seed >> 33) as usize % moves.len().max(1);
        joint.push(InputId::from_index(*moves.get(pick)?));
    }
    Some(joint)
}

fn play(name: &str, full: &GroundRules, asked: &GroundRules, seed: u64) {
    assert_eq!(full.base_texts, asked.base_texts, "{name}");
    assert_eq!(full.init, asked.init, "{name}");
    let moves =
        |rules: &GroundRules| rules.inputs.iter().map(|i| i.text.clone()).collect::<Vec<_>>();
    assert_eq!(moves(full), moves(asked), "{name}");
    let mut seed = seed;
    let mut state: Vec<String> =
        full.init.iter().map(|&base| full.base_texts[base].clone()).collect();
    for step in 0..30 {
        let view = holding(full, &state, &[]);
        let Some(joint) = joint_move(full, &view, &mut seed) else { return };
        let told = holding(full, &state, &joint);
        assert_eq!(told, holding(asked, &state, &joint), "{name}, step {step}");
        assert!(!told.is_empty(), "{name}: nothing is legal, yet {joint:?} was played");
        let next = told.iter().filter_map(|text| text.strip_prefix("(next "));
        state = next.map(|text| text[..text.len() - 1].to_owned()).collect();
        if told.contains(&"terminal".to_owned()) {
            return;
        }
    }
}

fn agree(name: &str, text: &str) {
    let book = sheets::rulebook(text);
    let limits = GroundLimits::default();
    let rules = |manner| {
        let mut watch = Watch::new(&book, &limits, u64::MAX);
        attempt(&book, manner, &mut watch).expect("the sheet grounds")
    };
    let full = rules(MANNERS[0]);
    for manner in &MANNERS[1..] {
        let other = rules(*manner);
        for seed in 0..3 {
            play(&format!("{name} {manner:?}"), &full, &other, seed);
        }
    }
}

fn sheets_in(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "kif" || ext == "gdl"));
    paths.sort();
    paths
}

fn agree_folder(folder: &Path) {
    let paths = sheets_in(folder);
    if paths.is_empty() {
        println!("skipped: no sheets in {}", folder.display());
    }
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let reading = gdl::read(gdl::Source::new("<test>", &text), &gdl::ReadOptions::default());
        if reading.rulebook.is_some() && text.len() < 20_000 {
            agree(&path.display().to_string(), &text);
        }
    }
}

#[test]
fn a_helper_called_with_constants_and_through_negation() {
    agree(
        "calls",
        "(role a) (d 1) (d 2) (d 3) (init (at 1)) (<= (legal a (go ?x)) (d ?x) (free ?x ?x))
         (<= (free ?x ?y) (d ?x) (d ?y) (not (true (at ?x)))) (<= (far ?x ?y) (apart ?x ?y))
         (<= (apart ?x ?y) (d ?x) (d ?y) (distinct ?x ?y)) (<= (near ?x ?y) (d ?x) (d ?y) (not (apart ?x ?y)))
         (<= (next (at ?x)) (does a (go ?x))) (<= (next (seen ?x)) (true (at ?x)))
         (<= (next (seen ?x)) (true (seen ?x))) (<= (walk ?x ?y) (far ?x ?y) (true (seen ?y)))
         (<= (walk ?x ?z) (walk ?x ?y) (walk ?y ?z)) (<= terminal (walk 1 3) (near 2 2))
         (<= (goal a 100) (walk 1 2)) (<= (goal a 0) (not (walk 1 2)))",
    );
}

#[test]
fn what_is_negated_is_computed_in_full_where_its_callers_rest_on_it() {
    agree(
        "in full",
        "(role a) (d 1) (d 2) (d 3) (e 1 2) (e 2 2) (link 1 2) (link 3 1) (link 3 3) (init (at 1))
         (<= (h ?x) (d ?x) (not (n ?x))) (<= (n ?x) (e ?x ?y) (d ?y))
         (<= (legal a (m ?x)) (h ?y) (link ?y ?x) (n ?x)) (legal a stay)
         (<= (next (at ?x)) (does a (m ?x))) (<= (next (at 2)) (does a stay))
         (<= terminal (true (at 1)) (true (at 2))) (<= (goal a 100) (true (at 1)))
         (<= (goal a 0) (not (true (at 1))))",
    );
}

#[test]
fn helpers_are_asked_for_no_more_than_their_callers_bind() {
    // The caller of two frees the arguments of both at once, and so that of the third.
    agree(
        "freed",
        "(role a) (d 1) (d 2) (init (at 1)) (legal a stay) (<= (next (at 2)) (does a stay))
         (<= (h1 ?x) (h3 ?x)) (<= (goal a 100) (h1 ?x) (h2 ?y)) (<= (h2 ?y) (d ?y) (true (at ?y)))
         (<= (h3 ?x) (d ?x) (true (at ?x))) (<= terminal (true (at 2)))",
    );
}

/// Grounds a sheet with room for so many atoms in each manner, and in the order of trials.
fn within(text: &str, atoms: usize) -> ([bool; MANNERS.len()], bool) {
    let book = sheets::rulebook(text);
    let limits = GroundLimits { atoms, ..GroundLimits::default() };
    let fits = |manner| match attempt(&book, manner, &mut Watch::new(&book, &limits, u64::MAX)) {
        Ok(_) => true,
        Err(fault) if fault.code == "ground-limit" => false,
        Err(fault) => panic!("{fault}"),
    };
    (MANNERS.map(fits), ground(&book, &limits).is_ok())
}

#[test]
fn what_one_manner_has_no_room_for_another_may_have() {
    let list = |line: &dyn Fn(usize) -> String, count| (0..count).map(line).collect::<String>();
    let game = "(role a) (init (at 1)) (legal a stay) (<= (next (at 1)) (does a stay))
                (<= (goal a 100) (true (at 1)))";
    // A helper for thousands of tuples, of which thirty are asked for.
    let asked = format!(
        "{game} {} (<= (sum ?x ?y ?z) (d ?x) (d ?y) (d ?z)) (<= (legal a (m ?x)) (d ?x) (sum ?x 1 1))
         (<= terminal (true (at 0)))",
        list(&|at| format!("(d {at})"), 30)
    );
    assert_eq!(within(&asked, 2000), ([false, true, false, true], true));
    // A circle of four through twelve places, which has as many instances as fourfold choices.
    let circle = format!(
        "{game} {} (<= (next (on ?x ?y)) (p ?x) (p ?y) (true (on ?y ?x))) (<= (init (on ?x ?y)) (p ?x) (p ?y))
         (<= terminal (true (on ?a ?b)) (true (on ?b ?c)) (true (on ?c ?d)) (true (on ?d ?a)))",
        list(&|at| format!("(p {at})"), 12)
    );
    assert_eq!(within(&circle, 15_000), ([false, false, true, true], true));
}

#[test]
fn games_of_the_house_are_the_same_in_every_manner() {
    agree_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../games"));
}

#[test]
fn pitfalls_are_the_same_in_every_manner() {
    let shared = std::env::var("ODDSMITH_SHARED").map(PathBuf::from);
    let shared =
        shared.unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared"));
    agree_folder(&shared.join("cases/pitfalls"));
}

/// How a rule is planned and cut changes nothing but the work, which is counted here.
#[test]
fn steps_of_fixed_sheets_are_those_on_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut text = String::new();
    for path in ["games", "tests/data/pitfalls"].iter().flat_map(|name| sheets_in(&root.join(name)))
    {
        let sheet = std::fs::read_to_string(&path).unwrap_or_default();
        let reading = gdl::read(gdl::Source::new("<test>", &sheet), &gdl::ReadOptions::default());
        let Some(book) = reading.rulebook else { continue };
        let limits = GroundLimits { atoms: 100_000, ..GroundLimits::default() };
        let steps = MANNERS.map(|manner| {
            let mut watch = Watch::new(&book, &limits, 10_000_000);
            let end =
                attempt(&book, manner, &mut watch).map_or_else(|fault| fault.code, |_| "steps");
            format!(" {} {end}", watch.steps())
        });
        let name = path.file_stem().expect("a name").to_string_lossy();
        text += &format!("{name}:{}\n", steps.concat());
    }
    snapshot::hold(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/steps.txt"), &text);
}
