//! The pitfalls, and the faults next door, played: states, legal moves, ends, goals and values are
//! those of the expectations beside each sheet, by the rules themselves, by the network and its
//! interpreter, by the planes, and (values and refusals) by every engine.
//!
//! The format is described in `tests/data/pitfalls/README.md`. What `check` says is held by a test
//! of the program; its lines are known here and passed over.

use std::collections::BTreeSet;
use std::sync::Arc;

use crosscheck::reference::{Simulator, State, TermId};
use gdl::{ReadOptions, RoleId, Rulebook, Source};
use kernel::{Isa, Machine};
use net::{InputId, Net, View};
use solve::{Options, perft};
use verdict::{Engine, Objective, Question, Stop};

use crate::lineup::{judge, seats, watched};
use crate::places;

const FOLDER: &str = "tests/data/pitfalls";

/// A sheet with what is right.
struct Case {
    name: String,
    sheet: String,
    expected: String,
}

fn cases() -> Vec<Case> {
    let folder = std::fs::read_dir(places::root().join(FOLDER)).expect("the pitfalls are there");
    let names = folder.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    let mut cases = Vec::new();
    for name in &names {
        match name.rsplit_once('.') {
            Some((name, "kif")) => cases.push(Case {
                name: name.to_owned(),
                sheet: places::text(&format!("{FOLDER}/{name}.kif")),
                expected: places::text(&format!("{FOLDER}/{name}.expect")),
            }),
            Some((stem, "expect")) => assert!(names.contains(&format!("{stem}.kif")), "{name}"),
            _ => assert!(["README.md", "neighbours.txt"].contains(&name.as_str()), "{name}"),
        }
    }
    cases.extend(neighbours(&places::text(&format!("{FOLDER}/neighbours.txt"))));
    cases
}

fn neighbours(text: &str) -> Vec<Case> {
    let parts = text.split("\n== ").skip(1);
    let case = |part: &str| {
        let (name, rest) = part.split_once('\n').expect("a title");
        let (sheet, expected) = rest.split_once("\n--\n").expect("a sheet and what is right");
        Case { name: name.to_owned(), sheet: sheet.to_owned(), expected: expected.to_owned() }
    };
    parts.map(case).collect()
}

/// The words of a line, parentheses kept together: `a (b c)` is two.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0);
    for letter in line.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if letter == ' ' && depth == 0 {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(letter);
        }
    }
    words.push(word);
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

fn set(words: &[String]) -> BTreeSet<String> {
    words.iter().filter(|word| *word != "-").cloned().collect()
}

/// A game that is played in three ways at once.
struct Table {
    book: Arc<Rulebook>,
    simulator: Simulator,
    state: State,
    /// The last joint move, for percepts.
    last: Option<(State, Vec<TermId>)>,
    compiled: Option<Compiled>,
}

/// A network, its state, and planes that hold the same state.
struct Compiled {
    net: Arc<Net>,
    state: net::State,
    machine: Machine,
}

impl Compiled {
    fn of(book: &Rulebook) -> Option<Self> {
        let rules = ground::ground(book, &ground::GroundLimits::default()).ok()?;
        let net = Arc::new(net::lower(&rules, &net::LowerLimits::default()).expect("a network"));
        let machine = Machine::new(net.clone(), Isa::detect(), 1);
        Some(Self { state: net::interpret::initial(&net), net, machine })
    }

    fn view(&mut self) -> View {
        self.machine.load(0, &self.state);
        self.machine.look();
        let view = net::interpret::view(&self.net, &self.state);
        assert_eq!(self.machine.view(0), view, "planes and interpreter");
        view
    }

    fn play(&mut self, joint: &[String]) {
        let find = |(role, text): (RoleId, &String)| -> InputId {
            let found = self.net.moves(role).find(|input| self.net.inputs[*input] == *text);
            found.unwrap_or_else(|| panic!("no move {text}"))
        };
        let inputs: Vec<InputId> = self.net.roles.ids().zip(joint).map(find).collect();
        self.state = net::interpret::update(&self.net, &self.state, &inputs);
    }

    fn texts(&self) -> BTreeSet<String> {
        self.state.iter().map(|base| self.net.bases[base].clone()).collect()
    }
}

impl Table {
    fn new(book: &Arc<Rulebook>) -> Self {
        let simulator = Simulator::new(book).expect("the rules can be evaluated");
        let state = simulator.initial_state();
        let compiled = Compiled::of(book);
        Self { book: book.clone(), simulator, state, last: None, compiled }
    }

    fn role(&self, name: &str) -> RoleId {
        self.book.role(name).unwrap_or_else(|| panic!("no role {name}"))
    }

    fn play(&mut self, joint: &str) {
        let texts: Vec<String> = joint.split('|').map(|text| text.trim().to_owned()).collect();
        let terms: Vec<gdl::Term> = texts
            .iter()
            .map(|text| gdl::read_facts(text, &self.book).expect("a move is a term").remove(0))
            .collect();
        let ids: Vec<TermId> =
            terms.iter().map(|term| self.simulator.id(term).expect("a ground move")).collect();
        for (role, id) in self.book.roles.ids().zip(&ids) {
            let legal = self.simulator.legal_moves(&self.state, role).expect("legal moves");
            assert!(legal.contains(id), "{joint} is not legal");
        }
        let next = self.simulator.next_state(&self.state, &ids).expect("a next state");
        self.last = Some((std::mem::replace(&mut self.state, next), ids));
        if let Some(compiled) = &mut self.compiled {
            compiled.play(&texts);
        }
    }

    /// What holds, by the rules; and by network and planes, where the game could be compiled.
    fn seen(&mut self, what: &str, role: Option<RoleId>) -> Vec<BTreeSet<String>> {
        let mut seen = vec![self.by_rules(what, role)];
        let fits = !["sees", "state"].contains(&what);
        if let Some(compiled) = self.compiled.as_mut().filter(|_| fits) {
            seen.push(by_network(compiled, what, role));
        }
        seen
    }

    fn by_rules(&mut self, what: &str, role: Option<RoleId>) -> BTreeSet<String> {
        let state = self.state.clone();
        let asked = || role.expect("a role is asked about");
        let ids = match what {
            "state" => state.terms().to_vec(),
            "terminal" => {
                let ended = self.simulator.is_terminal(&state).expect("an end or none");
                return [if ended { "yes" } else { "no" }.to_owned()].into();
            }
            "legal" => self.simulator.legal_moves(&state, asked()).expect("legal moves"),
            "goal" => {
                let values = self.simulator.goals(&state, asked()).expect("goals");
                return values.iter().map(u32::to_string).collect();
            }
            "sees" => {
                let (before, moves) = self.last.clone().expect("a move was played");
                self.simulator.percepts(&before, &moves, asked()).expect("percepts")
            }
            other => panic!("nothing shows `{other}`"),
        };
        ids.into_iter().map(|id| self.simulator.text(id)).collect()
    }
}

fn by_network(compiled: &mut Compiled, what: &str, role: Option<RoleId>) -> BTreeSet<String> {
    let view = compiled.view();
    match (what, role) {
        ("terminal", _) => [if view.terminal { "yes" } else { "no" }.to_owned()].into(),
        ("legal", Some(role)) => {
            let legal = compiled.net.moves(role).filter(|input| view.legal[*input]);
            legal.map(|input| compiled.net.inputs[input].clone()).collect()
        }
        ("goal", Some(role)) => view.goals[role].iter().map(u8::to_string).collect(),
        (other, _) => panic!("a network does not show `{other}`"),
    }
}

/// The answers of all engines to a question about a role.
fn values(book: &Arc<Rulebook>, role: RoleId, objective: Objective) -> Vec<(String, String)> {
    let mut question = Question::new(Arc::clone(book)).expect("a role that is not chance");
    (question.role, question.objective) = (role, objective);
    let answer = |engine: &dyn Engine| match judge(engine, &question) {
        Ok(verdict) => verdict.value.to_string(),
        Err(Stop::Faulty(fault)) => fault.code.to_owned(),
        Err(other) => format!("{other:?}"),
    };
    let named = seats()
        .into_iter()
        .map(|seat| (format!("{}{}", seat.name, seat.variant), answer(seat.engine.as_ref())));
    named.collect()
}

fn states(book: &Arc<Rulebook>) -> u64 {
    let question = Question::new(Arc::clone(book)).expect("a role that is not chance");
    let counted = watched(|watch| perft(&question, None, &Options::default(), watch));
    counted.expect("a count").plies.iter().map(|ply| ply.states).sum()
}

/// Runs the lines of one case; returns what is wrong.
fn faults(case: &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut options = ReadOptions::default();
    let mut table: Option<Table> = None;
    let mut claims = 0;
    for line in case.expected.lines().filter(|line| !line.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "check" | "strict" | "says" => continue,
            "case-sensitive" => {
                options.case_sensitive = true;
                table = None;
                continue;
            }
            _ => {}
        }
        claims += 1;
        if table.is_none() || word == "play" {
            let reading = gdl::read(Source::new(&case.name, &case.sheet), &options);
            let book = reading.rulebook.unwrap_or_else(|| panic!("{} is refused", case.name));
            table = Some(Table::new(&Arc::new(book)));
        }
        let held = table.as_mut().expect("made above");
        let mut expect = |wanted: &BTreeSet<String>, got: &BTreeSet<String>| {
            if wanted != got {
                wrong.push(format!("{}: `{line}`: got {got:?}", case.name));
            }
        };
        judge_line(held, word, rest, &mut expect);
    }
    let refused = case.expected.lines().any(|line| line.starts_with("check "));
    assert!(refused || claims > 0, "{}: nothing is claimed", case.name);
    wrong
}

type Expect<'a> = &'a mut dyn FnMut(&BTreeSet<String>, &BTreeSet<String>);

fn judge_line(table: &mut Table, word: &str, rest: &str, expect: Expect<'_>) {
    let mut given = words(rest);
    match word {
        "play" => rest.split(';').for_each(|joint| table.play(joint.trim())),
        "roles" => {
            let names = table.book.roles.ids().map(|role| table.book.role_name(role));
            let names: Vec<String> = names.map(str::to_owned).collect();
            assert_eq!(names, given, "the roles in order");
        }
        "bases" => {
            let net = &table.compiled.as_ref().expect("a compiled game").net;
            expect(&set(&given), &net.bases.iter().cloned().collect());
        }
        "moves" => {
            let role = table.role(&given.remove(0));
            let net = &table.compiled.as_ref().expect("a compiled game").net;
            let all = net.moves(role).map(|input| net.inputs[input].clone()).collect();
            expect(&set(&given), &all);
        }
        "states" => expect(&set(&given), &[states(&table.book).to_string()].into()),
        "state" => {
            table.seen(word, None).iter().for_each(|seen| expect(&set(&given), seen));
            if let Some(compiled) = &table.compiled {
                // Propositions that decide nothing are not kept by grounding.
                let more: BTreeSet<String> =
                    compiled.texts().difference(&set(&given)).cloned().collect();
                expect(&BTreeSet::new(), &more);
            }
        }
        "terminal" => table.seen(word, None).iter().for_each(|seen| expect(&set(&given), seen)),
        "legal" | "goal" | "sees" => {
            let role = table.role(&given.remove(0));
            table.seen(word, Some(role)).iter().for_each(|seen| expect(&set(&given), seen));
        }
        "value" => {
            let objective = match given[1].as_str() {
                "win" => Objective::Win,
                "goal" => Objective::Goal,
                other => panic!("no objective {other}"),
            };
            let wanted: exact::Ratio = given[2].parse().expect("a fraction");
            for (engine, value) in values(&table.book, table.role(&given[0]), objective) {
                expect(
                    &[format!("{engine} {wanted}")].into(),
                    &[format!("{engine} {value}")].into(),
                );
            }
        }
        "fault" => {
            let role = Question::new(table.book.clone()).expect("a player").role;
            let found = values(&table.book, role, Objective::Win);
            for (engine, code) in found.iter().filter(|(engine, _)| engine != "search") {
                expect(&[format!("{engine} {rest}")].into(), &[format!("{engine} {code}")].into());
            }
        }
        other => panic!("no line begins with `{other}`"),
    }
}

#[test]
fn every_pitfall_plays_as_its_header_says() {
    let cases = cases();
    assert!(cases.len() >= 29, "only {} cases were found", cases.len());
    let wrong: Vec<String> = cases.iter().flat_map(faults).collect();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// The comparison itself finds a wrong move, state, end, goal and value.
#[test]
fn a_wrong_expectation_is_told() {
    let mut case = cases().into_iter().find(|case| case.name == "p01_nullary_parens").expect("it");
    case.expected =
        "legal a stop\nstate (cell 1 x)\nterminal yes\ngoal a 100\nvalue a win 1/2\n".into();
    let wrong = faults(&case);
    for line in ["legal", "state", "terminal", "goal", "value"] {
        assert!(
            wrong.iter().any(|fault| fault.contains(&format!("`{line} "))),
            "{line}: {wrong:?}"
        );
    }
}
