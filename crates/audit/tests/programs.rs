//! Programs and games by way of clingo: the clauses have exactly the stable models that clingo finds,
//! for every assignment of the quantified atoms where these are few, for a sample where they are
//! many; and a clause, a constant or an atom that is changed is noticed.
#![cfg(all(feature = "z3", feature = "clingo"))]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use audit::{Claim, Limits, Matrix, SampleReport, clauses_are_implied, samples_agree};
use index::Id;
use qcnf::random::Dice;
use qcnf::{ClauseId, Qcnf, Var};
use sqasp::{
    AtomId, Clingo, Completion, Domains, GroundProgram, Grounder, Placement, Prefix, Samples,
    Sampling, Unfinished, complete_under, game_program, relaxed_program,
};
use verdict::{Objective, Question, Watch};

/// Assignments of a program, at most.
const MOST: usize = 64;

/// A program, what became of it and what clingo says of it.
struct Case {
    text: String,
    ground: GroundProgram,
    completion: Completion,
    choices: Vec<AtomId>,
    samples: Samples,
    all: Option<u64>,
}

fn ground(text: &str) -> GroundProgram {
    let interrupt = AtomicBool::new(false);
    let watch = Watch::unlimited(&interrupt);
    Clingo::default().ground(text, &watch).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

impl Case {
    fn new(text: String, placement: Placement, seed: u64) -> Self {
        let ground = ground(&text);
        let prefix = Prefix::read(&ground).unwrap_or_else(|faults| panic!("{faults:?} in\n{text}"));
        let completion = complete_under(&ground, &prefix, placement);
        let atoms = prefix.levels.iter().flat_map(|level| &level.atoms);
        let choices: Vec<AtomId> = atoms.map(|(atom, _)| *atom).collect();
        let name = |atom: &AtomId| {
            let symbol = ground.symbols().find(|(_, known)| *known == Some(*atom));
            symbol.expect("a quantified atom has a name").0.to_owned()
        };
        let names = choices.iter().map(name).collect();
        let sampling = Sampling { choices: names, most: MOST, seed };
        let samples = Clingo::samples(&text, &sampling).expect("the program is ground once more");
        Self { text, ground, completion, choices, samples, all: sampling.all() }
    }

    fn audited(&self, completion: &Completion) -> SampleReport {
        let matrix = Matrix::new(&completion.formula, Limits::default());
        let (ground, choices, samples) = (&self.ground, &self.choices[..], &self.samples);
        samples_agree(Claim { ground, completion, choices, samples }, &matrix)
    }

    /// Asserts that all agree; how many assignments have a stable model.
    fn holds(&self) -> usize {
        let report = self.audited(&self.completion);
        assert_eq!(report.fault, None, "{}", self.text);
        assert_eq!(report.open, Vec::<String>::new(), "{}", self.text);
        assert_eq!(report.agreed, self.samples.samples.len());
        if let Some(all) = self.all {
            assert_eq!(report.agreed as u64, all, "{}", self.text);
        }
        assert!(is_function(&self.completion), "{}", self.text);
        report.satisfiable
    }
}

fn is_function(completion: &Completion) -> bool {
    let matrix = Matrix::new(&completion.formula, Limits::default());
    matrix.extends_at_most_once(&completion.choices).is_proven()
}

/// A random program with variables: choices, rules through both signs, counts, constraints.
fn random_program(dice: &mut Dice) -> String {
    let (atoms, domain) = (2 + dice.below(3), 2 + dice.below(2));
    let mut text = format!("d(1..{domain}).\n");
    let atom = |dice: &mut Dice| {
        let name = (b'a' + dice.below(atoms) as u8) as char;
        if dice.percent(60) {
            format!("{name}(X)")
        } else {
            format!("{name}({})", 1 + dice.below(domain))
        }
    };
    for _ in 0..3 + dice.below(5) {
        let mut body = vec!["d(X)".to_owned()];
        for _ in 0..dice.below(3) {
            let sign = if dice.percent(35) { "not " } else { "" };
            body.push(format!("{sign}{}", atom(dice)));
        }
        if dice.percent(20) {
            let name = (b'a' + dice.below(atoms) as u8) as char;
            body.push(format!("{} {{ {name}(Y) : d(Y) }}", dice.below(3)));
        }
        let head = match dice.below(6) {
            0 => String::new(),
            1 | 2 => format!("{{ {} }}", atom(dice)),
            3 => format!("{{ {} ; {} }} 1", atom(dice), atom(dice)),
            _ => atom(dice),
        };
        text.push_str(&format!("{head} :- {}.\n", body.join(", ")));
    }
    for (level, quantified) in (0..atoms).enumerate() {
        let name = (b'a' + quantified as u8) as char;
        let fact = match dice.below(3) {
            // A forall or chance atom needs a choice of its own, or it may be refused.
            0 => format!("_exists({level},{name}(X)) :- d(X).\n"),
            1 => format!("{{ {name}(X) }} :- d(X). _forall({level},{name}(X)) :- d(X).\n"),
            _ => format!("{{ {name}(X) }} :- d(X). _chance({level},1,3,{name}(X)) :- d(X).\n"),
        };
        text.push_str(&fact);
    }
    text
}

#[test]
fn random_programs_have_their_stable_models() {
    let (mut with, mut without, mut whole, mut refused) = (0, 0, 0, 0);
    for seed in 0..100 {
        let text = random_program(&mut Dice::new(seed));
        if Prefix::read(&ground(&text)).is_err() {
            refused += 1;
            continue;
        }
        let placement = if seed % 2 == 0 { Placement::Baseline } else { Placement::Dependency };
        let case = Case::new(text, placement, seed);
        let satisfiable = case.holds();
        with += satisfiable;
        without += case.samples.samples.len() - satisfiable;
        whole += usize::from(case.all.is_some());
    }
    assert!(
        with > 150 && without > 200 && whole > 30,
        "{with} with, {without} without, {whole} whole"
    );
    assert!(refused < 50, "{refused} refused");
}

/// Leaving out a clause that counts, or making an atom a constant, is noticed.
#[test]
fn planted_faults_are_noticed() {
    let (mut noticed, mut tried) = (0, 0);
    for seed in 0..140 {
        let text = random_program(&mut Dice::new(seed));
        if Prefix::read(&ground(&text)).is_err() {
            continue;
        }
        let case = Case::new(text, Placement::Dependency, seed);
        let formula = &case.completion.formula;
        if formula.clauses.is_empty() || case.all.is_none() {
            continue;
        }
        let dice = &mut Dice::new(seed);
        for _ in 0..4 {
            let left_out = dice.below(formula.clauses.len());
            let mut less = Qcnf::new(formula.variables());
            less.prefix.clone_from(&formula.prefix);
            let kept = formula.clauses.iter().enumerate().filter(|(at, _)| *at != left_out);
            kept.for_each(|(_, clause)| {
                less.add_clause(clause);
            });
            // A clause that the others imply is no loss, nor one on what no other speaks of.
            let clause = formula.clauses.get(ClauseId::from_index(left_out));
            let others: Vec<Var> = less.clauses.iter().flatten().map(|lit| lit.var()).collect();
            let is_implied =
                clauses_are_implied(&less, [clause], Limits::default()).refuted.is_empty();
            if is_implied || !clause.iter().all(|lit| others.contains(&lit.var())) {
                continue;
            }
            tried += 1;
            let mut changed = case.completion.clone();
            changed.formula = less;
            // A model more is one of other choices, or it gives other variables another value.
            let is_noticed = case.audited(&changed).fault.is_some() || !is_function(&changed);
            assert!(is_noticed, "clause {clause:?} is left out:\n{}", case.text);
            noticed += 1;
        }
        if let Some(at) = case.samples.samples.iter().position(|sample| !sample.models.is_empty()) {
            let mut wrong = case.samples.clone();
            wrong.samples[at].models.clear();
            let claim = Claim {
                ground: &case.ground,
                completion: &case.completion,
                choices: &case.choices,
                samples: &wrong,
            };
            let matrix = Matrix::new(formula, Limits::default());
            assert!(samples_agree(claim, &matrix).fault.is_some(), "{}", case.text);
        }
    }
    assert!(tried > 60 && noticed == tried, "{noticed} of {tried} noticed");
}

fn games() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let entries = std::fs::read_dir(folder).expect("the folder of games");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "gdl"));
    paths.sort();
    paths
}

/// The program of a game over so many steps.
fn program(path: &Path, steps: u32, objective: Objective) -> String {
    let text = std::fs::read_to_string(path).expect("a game of the project");
    let source = gdl::Source::new(&path.display().to_string(), &text);
    let reading = gdl::read(source, &gdl::ReadOptions::default());
    let rulebook = reading.rulebook.expect("games of the project are in order");
    let mut question = Question::new(Arc::new(rulebook)).expect("somebody plays");
    question.objective = objective;
    question.horizon = Some(steps);
    let domains = Domains::read(&question, &ground(&relaxed_program(&question)));
    let domains = domains.expect("goals of the project are in order");
    game_program(&question, &domains, steps, Unfinished::Nothing)
}

/// Games whose programs ground to more than this over a few steps are left to the others.
const RULES_LIMIT: usize = 20_000;

#[test]
fn small_games_have_their_stable_models() {
    let (mut audited, mut with) = (0, 0);
    for path in games() {
        for (steps, objective) in [(2, Objective::Win), (6, Objective::Win), (4, Objective::Goal)] {
            let text = program(&path, steps, objective);
            if ground(&text).len() > RULES_LIMIT {
                continue;
            }
            let case = Case::new(text, Placement::Dependency, u64::from(steps));
            with += usize::from(case.holds() > 0);
            audited += 1;
        }
    }
    assert!(audited >= 30 && with >= 15, "{audited} programs, {with} with a stable model");
}
