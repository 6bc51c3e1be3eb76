//! Tests that all manners of evaluating rules give the same game.
//!
//! Two ground games at a time are played side by side with random moves by a plain interpreter: legal
//! moves, goals, end and successors must be the same in every state.

use std::path::{Path, PathBuf};

use index::{Id, IdSet, IndexVec};

use crate::{AtomId, AtomKind, GroundLimits, GroundRules, InputId, MANNERS, attempt, sheets};

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
    let rules = |manner| attempt(&book, &limits, manner, u64::MAX).expect("the sheet grounds");
    let full = rules(MANNERS[0]);
    for manner in &MANNERS[1..] {
        let other = rules(*manner);
        for seed in 0..3 {
            play(&format!("{name} {manner:?}"), &full, &other, seed);
        }
    }
}

fn agree_folder(folder: &Path) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "kif" || ext == "gdl"));
    paths.sort();
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
