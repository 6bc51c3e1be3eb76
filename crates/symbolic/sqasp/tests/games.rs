//! Games as programs without a grounder at hand: what clingo made of the programs of some games is on
//! file, and what is made of that is held to what it was.
//!
//! `ODDSMITH_UPDATE=1` writes the programs beside the files (`*.lp`), for `oddsmith sqasp --to aspif`, where
//! they have changed; the test with clingo (`grounding.rs`) holds the whole way to other engines.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gdl::{ReadOptions, Source, read};
use qcnf::text::print;
use sqasp::{
    Domains, GroundProgram, Opening, Placement, Prefix, Queries, Query, Unfinished, complete,
    complete_under, game_program, read_aspif, relaxed_program,
};
use verdict::{Objective, Question};

/// Games, and steps that are played.
const GAMES: &[(&str, u32)] =
    &[("coin-guess", 3), ("one-spin", 3), ("penalties", 2), ("reroll", 4), ("tic-tac-toe", 2)];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn questions(name: &str) -> Vec<(String, Question)> {
    let path = format!("{}/../../../games/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("a game of the project");
    let book = read(Source::new("game", &text), &ReadOptions::default()).rulebook;
    let question = Question::new(Arc::new(book.expect("in order"))).expect("a role that chooses");
    let paid = Question { objective: Objective::Goal, ..question.clone() };
    let mut all = vec![(format!("{name}-win"), question.clone()), (format!("{name}-goal"), paid)];
    // For another role the opponents are those who choose first.
    for role in question.opponents() {
        let name = format!("{name}-{}", question.rulebook.role_name(role));
        all.push((name, Question { role, ..question.clone() }));
    }
    all
}

/// The ground form of a program that is on file.
fn ground(name: &str, program: &str) -> GroundProgram {
    snapshot::hold(&data(&format!("{name}.lp")), program);
    let text = std::fs::read_to_string(data(&format!("{name}.aspif"))).expect("it is on file");
    read_aspif(&text).unwrap_or_else(|error| panic!("{name}: {error:?}"))
}

#[test]
fn programs_of_games_and_what_they_become_are_those_on_file() {
    let mut text = String::new();
    for (game, steps) in GAMES {
        for (name, question) in questions(game) {
            let relaxed = ground(&format!("{name}-relaxed"), &relaxed_program(&question));
            let domains = Domains::read(&question, &relaxed).expect("goal values are numbers");
            for unfinished in [Unfinished::Nothing, Unfinished::Everything] {
                let name = format!("{name}-{unfinished:?}").to_lowercase();
                let program = ground(&name, &game_program(&question, &domains, *steps, unfinished));
                let prefix = Prefix::read(&program).expect("every atom is quantified once");
                let mut random = prefix.clone();
                random.at_random();
                write!(
                    text,
                    "{name}: {:?} {:?}",
                    domains.goals,
                    snapshot::print(&format!("{prefix:?}"))
                )
                .expect("a string takes all");
                for placement in [Placement::Baseline, Placement::Dependency] {
                    let made = complete(&program, placement).expect("no fault");
                    let opening = Opening::read(&question, &domains, &program, &made.values);
                    let print = snapshot::print(&print(&made.formula));
                    let opening = snapshot::print(&format!("{opening:?}"));
                    write!(text, " {} {print:016x} {opening:016x}", made.formula.variables())
                        .expect("a string takes all");
                }
                let queries = Queries::new(&question, &program, *steps);
                for query in [queries.is_unfinished(), queries.is_simultaneous()] {
                    match query {
                        Query::Known(known) => write!(text, " {known}"),
                        Query::Open(open) => {
                            let made =
                                complete_under(&open, &random, Placement::Dependency).formula;
                            write!(text, " open {:016x}", snapshot::print(&print(&made)))
                        }
                    }
                    .expect("a string takes all");
                }
                text.push('\n');
            }
        }
    }
    snapshot::hold(&data("games.txt"), &text);
}

/// The question whether the only role wins by these rules.
fn asked(rules: &str) -> Question {
    let sheet = "(role x) (init (cell a)) (legal x go) (<= (next (cell b)) (true (cell a)))
                 (<= terminal (true (cell b))) (<= (goal x 100) (p b) (p a b))";
    let book = read(Source::new("game", &format!("{sheet}{rules}")), &ReadOptions::default());
    Question::new(Arc::new(book.rulebook.expect("in order"))).expect("a role that chooses")
}

#[test]
fn relations_that_time_makes_alike_have_predicates_of_their_own() {
    let program = relaxed_program(&asked("(<= (p ?x) (true (cell ?x))) (p a b)"));
    let heads = |name: &str| program.lines().any(|line| line.starts_with(name));
    assert!(heads("p(") && heads("p_2("), "{program}");
}

#[test]
fn from_a_state_the_rules_are_those_of_the_start_but_for_its_state() {
    let question = asked("(<= (p ?x) (true (cell ?x))) (p a b)");
    let there = question.rulebook.rules.iter().find_map(|rule| {
        (rule.head.relation == gdl::keyword::INIT).then(|| rule.head.args.to_vec())
    });
    let from = Question { from: there, ..question.clone() };
    let [start, there] = [&question, &from].map(relaxed_program);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let lost: Vec<String> =
        lines(&start).into_iter().filter(|line| !lines(&there).contains(line)).collect();
    assert_eq!(lost.len(), 2, "what makes the first state is left out alone: {lost:?}\n{there}");
    assert!(there.contains("legal(x,go)"), "{there}");
}
