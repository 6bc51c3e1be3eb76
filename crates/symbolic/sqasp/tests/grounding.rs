//! Programs with variables, through clingo, to their probabilities.
#![cfg(feature = "clingo")]

use std::sync::atomic::AtomicBool;

use exact::Ratio;
use qcnf::meaning::value;
use sqasp::{Clingo, GroundError, Grounder, Message, Placement, Prefix, complete_under};
use verdict::Watch;

/// The boundary: text to probability, equal for both placements.
fn probability(program: &str) -> Result<Ratio, Vec<Message>> {
    let stop = AtomicBool::new(false);
    let watch = Watch::unlimited(&stop);
    let ground = Clingo::default().ground(program, &watch).map_err(|error| match error {
        GroundError::Program(messages) => messages,
        other => panic!("{other:?}"),
    })?;
    let prefix = Prefix::read_in(&ground, program)?;
    let of = |placement| value(&complete_under(&ground, &prefix, placement).formula);
    let (baseline, dependency) = (of(Placement::Baseline), of(Placement::Dependency));
    assert_eq!(baseline, dependency);
    Ok(baseline)
}

fn is(program: &str, expected: &str) {
    assert_eq!(
        probability(program).map(|value| value.to_string()),
        Ok(expected.into()),
        "{program}"
    );
}

fn refused(program: &str, line: Option<u32>, word: &str) {
    let messages = probability(program).expect_err(program);
    let place = messages[0].place.map(|(line, _)| line);
    assert_eq!(place, line, "{messages:?}");
    assert!(messages[0].text.contains(word), "{messages:?}");
}

#[test]
fn each_quantifier_has_its_meaning() {
    is("{ a }. _exists(1,a). :- a.", "1/1");
    is("{ a }. _forall(1,a). :- a.", "0/1");
    is("{ a }. _chance(1,1,3,a). :- a.", "2/3");
    is("{ a }. _chance(1,0,3,a). :- not a.", "0/1");
    is("{ a; b }. _chance(1,1,3,a). _chance(1,1,2,b). :- a, b.", "5/6");
    // Who comes first matters: a guess before the toss wins half, after it always.
    is("{ g; t }. _exists(1,g). _chance(2,1,2,t). :- g, not t. :- t, not g.", "1/2");
    is("{ g; t }. _exists(2,g). _chance(1,1,2,t). :- g, not t. :- t, not g.", "1/1");
    is("", "1/1");
    is(":- not a.", "0/1");
}

#[test]
fn what_clingo_takes_is_taken() {
    is("{ p(1..3) }. _chance(1,1,2,p(X)) :- X = 1..3. :- not 2 { p(X) }.", "1/2");
    is("{ p(1..3) }. _chance(1,1,2,p(X)) :- X = 1..3. :- not 2 { p(X) } 2.", "3/8");
    is("{ p(1..3) }. _chance(1,1,2,p(X)) :- X = 1..3. :- #sum { X : p(X) } < 4.", "3/8");
    is("{ p(1..3) }. _chance(1,1,2,p(X)) :- X = 1..3. :- p(X) : X = 1..3.", "7/8");
    is("1 { q(1..2) } 1. { t }. _chance(0,1,2,t). :- t, not q(1). :- not t, not q(2).", "1/1");
    is("#const n = 2. { p(1..n) }. _chance(1,1,n,p(X)) :- X = 1..n. :- p(1), p(n).", "3/4");
    is("{ -a }. a :- not -a. _chance(1,1,4,-a). :- a.", "1/4");
}

#[test]
fn recursion_needs_a_reason() {
    // The way from 1 to 3 over edges that are there with probability one half each.
    let reach = "edge(1,2). edge(2,3). edge(1,3). edge(3,2). edge(2,1).\n\
                 { on(X,Y) : edge(X,Y) }. _chance(1,1,2,on(X,Y)) :- edge(X,Y).\n\
                 reach(1). reach(Y) :- reach(X), on(X,Y). :- not reach(3).";
    is(reach, "5/8");
    is("a :- b. b :- a. :- not a.", "0/1");
    is("a :- not b. b :- not a. :- a.", "1/1");
    is("a :- not a.", "0/1");
    is("{ c }. a :- b. b :- a. b :- c. _chance(1,1,3,c). :- not a.", "1/3");
}

#[test]
fn faults_come_with_their_line() {
    refused("{ a }.\nb :- X.", Some(2), "unexpected");
    refused("{ a }.\n\np(X) :- not a.", Some(3), "unsafe");
    refused("{ a }.\n_exists(1,p(X)).", Some(2), "unsafe");
    refused("{ a }.\0", Some(1), "null");
    refused("a ; b.", Some(1), "disjunction");
    refused("c.\n\na :\tc.\n{ d }.\n  a :- c. a ; e | f :- d.", Some(3), "disjunction");
    refused("{ a }.\n#minimize { 1 : a }.", Some(2), "#minimize");
    refused("{ a }.\n\n:~ a. [1]", Some(3), "weak constraint");
    refused("% #external b.\n#external a.", Some(2), "#external");
    refused("{ a }. #edge (1,2) : a.", Some(1), "#edge");
    refused("{ a }. #heuristic a. [1,true]", Some(1), "#heuristic");
    refused("{ a }. #project a.", Some(1), "#project");
    refused("#theory t { x { + : 1, unary }; &d/0 : x, any }.\n&d { 1 }.", Some(2), "theory");
    refused("{ a }.\n#program step(t).\nb.", Some(2), "part `step(t)`");
    refused("{ a; b }.\n_exists(1,a).\n_forall(1,b).", Some(3), "two quantifiers");
    refused("{ a }.\n_exists(1,a).\n_exists(2,a).", Some(3), "twice");
    refused("{ a }.\n_chance(1,3,2,a).", Some(2), "no probability");
    refused("_chance(1,1,2,a).", Some(1), "no stable model");
    refused("{ p(1..2) }.\nd(1..3).\n_forall(1,p(X)) :- d(X).", Some(3), "no stable model");
}

#[test]
fn a_program_that_grows_without_end_is_stopped() {
    let stop = AtomicBool::new(false);
    let watch = Watch::unlimited(&stop);
    for program in
        ["n(0). n(X+1) :- n(X).", "{ n(0) }. { n(X+1) } :- n(X).", "{ p(X) } :- X = 1..2000."]
    {
        let ended = Clingo { limit: 1000 }.ground(program, &watch);
        assert_eq!(ended, Err(GroundError::TooLarge { rules: 1000 }), "{program}");
    }
    assert!(Clingo { limit: 1000 }.ground("{ p(X) } :- X = 1..200.", &watch).is_ok());
}
