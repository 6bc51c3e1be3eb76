//! PRISM: a game as a model for other people's model checkers.
//!
//! A turn-based stochastic game in the language of PRISM-games; where nobody plays against the
//! asked role, a Markov decision process in that of PRISM and Storm. One step of the game is a
//! round of the model: the asked role chooses, then each opponent, then chance; then all
//! propositions change at once. So the value of the property is the value of the question, in
//! games with simultaneous moves as well: the opponents know the asked role's move.
//!
//! Source: Kwiatkowska, Parker and Wiltsche, *PRISM-games: verification and strategy synthesis for
//! stochastic multi-player games with multiple objectives* (2018), for what such a model means.

mod formulas;
mod names;

use std::fmt::Write;

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::IndexVec;

use crate::gates::{Gate, GateId, Gates, Net};
use formulas::Formulas;
use names::Names;

/// Operations that a model may have once its formulas are put in; beyond, PRISM takes gigabytes
/// to read it.
const MOST_OPERATIONS: u64 = 1 << 22;

/// What is asked about a game, and who is there.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// The role whose chances are asked for.
    pub asked: RoleId,
    /// The roles that play at random.
    pub chance: &'a [RoleId],
    /// Steps after which nothing is won any more.
    pub horizon: Option<u32>,
    /// Whether a goal value of `v` counts as a win with probability `v / 100`; else 100 counts,
    /// and nothing else.
    pub pays_goal: bool,
}

/// A model would be too large for its reader: it would have so many operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge(pub u64);

/// A role that has a choice.
struct Chooser {
    role: RoleId,
    /// Variable that holds the move: its number, from 1, or 0 before the choice.
    plays: String,
    /// Formula that counts its legal moves, where it plays at random.
    count: String,
    moves: Vec<Move>,
}

/// A move of a role that has a choice.
struct Move {
    input: InputId,
    /// Label of its command.
    label: String,
    /// Formula that says whether it is legal.
    legal: String,
}

/// Writes the model.
///
/// # Errors
/// Where it would be too large.
///
/// # Panics
/// Where the contest names a role that the game has not.
pub fn prism(net: &Net, contest: Contest<'_>) -> Result<String, TooLarge> {
    assert!(!contest.chance.contains(&contest.asked), "chance is not asked about");
    let model = Model::new(net, contest);
    let operations = model.operations();
    if operations > MOST_OPERATIONS {
        return Err(TooLarge(operations));
    }
    Ok(model.text())
}

/// The parts of a model.
struct Model<'a> {
    net: &'a Net,
    contest: Contest<'a>,
    bases: IndexVec<BaseId, String>,
    players: IndexVec<RoleId, String>,
    /// Who chooses, in the order in which they do.
    choosers: Vec<Chooser>,
    formulas: Formulas,
    /// Names of `phase`, `steps`, `paid`, `over`, the module, and formulas of the end.
    phase: String,
    steps: String,
    paid: String,
    over: String,
    module: String,
    terminal: String,
}

impl<'a> Model<'a> {
    fn new(net: &'a Net, contest: Contest<'a>) -> Self {
        let mut names = Names::default();
        let [phase, steps, paid, over, module, terminal] =
            ["phase", "steps", "paid", "over", "game", "terminal"].map(|name| names.give(name));
        let bases =
            IndexVec::from(net.bases.iter().map(|base| names.give(base)).collect::<Vec<_>>());
        let choosers = choosers(net, contest, &mut names);
        // Players have names apart from all others.
        let mut apart = Names::default();
        let players = net.roles.iter().map(|role| apart.give(&role.name)).collect::<Vec<_>>();
        let players = IndexVec::from(players);
        let roots = roots(net, contest, &choosers);
        let leaf = |gate: Gate| match gate {
            Gate::Base(base) => bases[base].clone(),
            Gate::Does(input) => played(&choosers, input),
            _ => unreachable!("other gates are no leaves"),
        };
        let formulas = Formulas::new(net, &roots, &mut names, leaf);
        Self {
            net,
            contest,
            bases,
            players,
            choosers,
            formulas,
            phase,
            steps,
            paid,
            over,
            module,
            terminal,
        }
    }

    /// Operations of the model once its formulas are put in.
    fn operations(&self) -> u64 {
        let commands: usize = self.choosers.iter().map(|chooser| chooser.moves.len()).sum();
        let ends = self.formulas.size(self.net.terminal).saturating_mul(commands as u64 + 3);
        let moves = self.choosers.iter().flat_map(|chooser| &chooser.moves);
        // The legality of a chance move stands in its own weight and in the count of all.
        let legal =
            moves.map(|step| self.formulas.size(self.net.legal[step.input]).saturating_mul(2));
        let next = self.net.next.iter().map(|&gate| self.formulas.size(gate));
        legal.chain(next).fold(ends, u64::saturating_add)
    }

    fn is_chance(&self, chooser: &Chooser) -> bool {
        self.contest.chance.contains(&chooser.role)
    }

    fn has_opponent(&self) -> bool {
        self.choosers
            .iter()
            .any(|chooser| chooser.role != self.contest.asked && !self.is_chance(chooser))
    }

    fn text(&self) -> String {
        let mut text = self.header();
        text += &self.players();
        text += "\n";
        text += &self.formulas.definitions(self.net);
        text += &self.rules();
        let _ = writeln!(text, "\nmodule {}", self.module);
        text += &self.variables();
        text += &self.choices();
        text += &self.changes();
        text += "endmodule\n\n";
        let won = match self.contest.pays_goal {
            true => format!("{} = 1", self.paid),
            false => format!("{} = 0 & {} & {}", self.phase, self.terminal, self.wins()),
        };
        let _ = writeln!(text, "label \"won\" = {won};");
        text
    }

    fn header(&self) -> String {
        let asked = &self.net.roles[self.contest.asked].name;
        let mut text = format!("// {} maximises the probability to reach \"won\".\n", Plain(asked));
        let property = match self.has_opponent() {
            true => format!("<<{}>> Pmax=? [ F \"won\" ]", self.players[self.contest.asked]),
            false => "Pmax=? [ F \"won\" ]".to_owned(),
        };
        let _ = writeln!(text, "// Property: {property}");
        text += "// A step of the game: who has a choice chooses, one after another, then all\n";
        text += "// propositions change at once.\n\n";
        text += if self.has_opponent() { "smg\n" } else { "mdp\n" };
        text
    }

    /// Who decides what; chance and all that is forced are put down to the asked role.
    fn players(&self) -> String {
        if !self.has_opponent() {
            return String::new();
        }
        let mut text = String::new();
        for (role, name) in self.players.enumerate() {
            let asked = role == self.contest.asked;
            let chooser = self.choosers.iter().find(|chooser| chooser.role == role);
            let labels = chooser.filter(|chooser| !self.is_chance(chooser)).into_iter();
            let labels = labels.flat_map(|chooser| &chooser.moves);
            let mut held: Vec<String> = labels.map(|step| format!("[{}]", step.label)).collect();
            if asked {
                held.insert(0, self.module.clone());
            }
            if !held.is_empty() {
                let _ = writeln!(text, "\nplayer {name}\n  {}\nendplayer", held.join(", "));
            }
        }
        text
    }

    /// What is legal, and when it is over.
    fn rules(&self) -> String {
        let mut text = String::new();
        let terminal = self.formulas.whole(self.net, self.net.terminal);
        let _ = writeln!(text, "formula {} = {terminal};", self.terminal);
        let over = match self.contest.horizon {
            Some(_) => format!("{} | {} = 0", self.terminal, self.steps),
            None => self.terminal.clone(),
        };
        let _ = writeln!(text, "formula {} = {over};", self.over);
        for step in self.choosers.iter().flat_map(|chooser| &chooser.moves) {
            let legal = self.formulas.whole(self.net, self.net.legal[step.input]);
            let name = Plain(&self.net.inputs[step.input]);
            let _ = writeln!(text, "formula {} = {legal}; // {name}", step.legal);
        }
        for chooser in self.choosers.iter().filter(|chooser| self.is_chance(chooser)) {
            let legal: Vec<String> =
                chooser.moves.iter().map(|step| indicator(&step.legal)).collect();
            let _ = writeln!(text, "formula {} = {};", chooser.count, legal.join(" + "));
        }
        text
    }

    fn variables(&self) -> String {
        let mut text = String::new();
        for (base, name) in self.bases.enumerate() {
            let init = self.net.init.binary_search(&base).is_ok();
            let shown = Plain(&self.net.bases[base]);
            let _ = writeln!(text, "  {name} : bool init {init}; // {shown}");
        }
        let _ = writeln!(text, "  {} : [0..{}] init 0;", self.phase, self.choosers.len().max(1));
        for chooser in &self.choosers {
            let _ = writeln!(text, "  {} : [0..{}] init 0;", chooser.plays, chooser.moves.len());
        }
        if let Some(steps) = self.contest.horizon {
            let _ = writeln!(text, "  {} : [0..{}] init {steps};", self.steps, steps.max(1));
        }
        if self.contest.pays_goal {
            let _ = writeln!(text, "  {} : [0..2] init 0; // 1: won, 2: not", self.paid);
        }
        text
    }

    /// The commands of those who choose.
    fn choices(&self) -> String {
        let mut text = String::new();
        for (at, chooser) in self.choosers.iter().enumerate() {
            text += "\n";
            let turn = format!("{} = {at} & !{}", self.phase, self.over);
            if self.is_chance(chooser) {
                let _ = writeln!(text, "  [] {turn} ->\n    {};", self.toss(at, chooser));
                continue;
            }
            for (number, step) in chooser.moves.iter().enumerate() {
                let chosen = self.chosen(at, chooser, number);
                let (label, legal) = (&step.label, &step.legal);
                let _ = writeln!(text, "  [{label}] {turn} & {legal} -> {chosen};");
            }
        }
        text
    }

    /// What happens when the chooser at a place plays its move of a number.
    fn chosen(&self, at: usize, chooser: &Chooser, number: usize) -> String {
        format!("({}' = {}) & ({}' = {})", chooser.plays, number + 1, self.phase, at + 1)
    }

    /// Each legal move of a chance role, equally likely.
    fn toss(&self, at: usize, chooser: &Chooser) -> String {
        let outcomes = chooser.moves.iter().enumerate().map(|(number, step)| {
            let weight = format!("{} / {}", indicator(&step.legal), chooser.count);
            format!("{weight} : {}", self.chosen(at, chooser, number))
        });
        outcomes.collect::<Vec<_>>().join("\n    + ")
    }

    /// The step itself, and what is left when it is over.
    fn changes(&self) -> String {
        let mut text = String::new();
        let mut updates: Vec<String> = Vec::new();
        for (base, name) in self.bases.enumerate() {
            let next = self.net.next[base];
            if !matches!(self.net.gates.gate(next), Gate::Base(held) if held == base) {
                updates.push(format!("({name}' = {})", self.formulas.whole(self.net, next)));
            }
        }
        updates.extend(self.choosers.iter().map(|chooser| format!("({}' = 0)", chooser.plays)));
        updates.push(format!("({}' = 0)", self.phase));
        if self.contest.horizon.is_some() {
            updates.push(format!("({0}' = {0} - 1)", self.steps));
        }
        let (phase, over, last) = (&self.phase, &self.over, self.choosers.len());
        let updates = updates.join("\n    & ");
        let _ = writeln!(text, "\n  [] {phase} = {last} & !{over} ->\n    {updates};");
        text += "\n";
        if !self.contest.pays_goal {
            let _ = writeln!(text, "  [] {over} -> true;");
            return text;
        }
        let (paid, terminal) = (&self.paid, &self.terminal);
        let payoff = self.payoff();
        let _ = writeln!(
            text,
            "  [] {terminal} & {paid} = 0 -> {payoff} / 100 : ({paid}' = 1) + 1 - {payoff} / 100 : ({paid}' = 2);"
        );
        let _ = writeln!(text, "  [] {over} & ({paid} > 0 | !{terminal}) -> true;");
        text
    }

    /// Whether the asked role has all it can have.
    fn wins(&self) -> String {
        let goals = &self.net.roles[self.contest.asked].goals;
        let gate =
            goals.iter().find(|(value, _)| *value == 100).map_or(Gates::FALSE, |goal| goal.1);
        self.formulas.factor(self.net, gate)
    }

    /// The asked role's goal value.
    fn payoff(&self) -> String {
        let goals = &self.net.roles[self.contest.asked].goals;
        let paid = goals.iter().filter(|(value, _)| *value > 0);
        let terms: Vec<String> = paid
            .map(|(value, gate)| {
                format!("({} ? {value} : 0)", self.formulas.whole(self.net, *gate))
            })
            .collect();
        if terms.is_empty() { "0".to_owned() } else { format!("({})", terms.join(" + ")) }
    }
}

/// Who has a choice: the asked role, opponents in the order of the sheet, chance.
fn choosers(net: &Net, contest: Contest<'_>, names: &mut Names) -> Vec<Chooser> {
    let place = |role: RoleId| match role {
        role if role == contest.asked => 0,
        role if contest.chance.contains(&role) => 2,
        _ => 1,
    };
    let mut roles: Vec<RoleId> = net.roles.ids().collect();
    roles.sort_by_key(|&role| place(role));
    roles.retain(|&role| net.roles[role].inputs.len() > 1);
    let chooser = |role: RoleId| {
        let data = &net.roles[role];
        let [plays, count] =
            ["plays", "count"].map(|what| names.give(&format!("{} {what}", data.name)));
        let moves = data.inputs.clone().map(|index| {
            let input = index::Id::from_index(index);
            let label = names.give(&format!("{} {}", data.name, net.inputs[input]));
            let legal = names.give(&format!("legal {label}"));
            Move { input, label, legal }
        });
        let moves = moves.collect();
        Chooser { role, plays, count, moves }
    };
    roles.into_iter().map(chooser).collect()
}

/// The gates that the model speaks of.
fn roots(net: &Net, contest: Contest<'_>, choosers: &[Chooser]) -> Vec<GateId> {
    let moves = choosers.iter().flat_map(|chooser| &chooser.moves);
    let goals = net.roles[contest.asked].goals.iter().map(|(_, gate)| *gate);
    let mut roots: Vec<GateId> = moves.map(|step| net.legal[step.input]).collect();
    roots.push(net.terminal);
    roots.extend(goals.chain(net.next.iter().copied()));
    roots
}

/// Whether a move is played: of a role without a choice, always.
fn played(choosers: &[Chooser], input: InputId) -> String {
    let found = choosers.iter().find_map(|chooser| {
        let at = chooser.moves.iter().position(|step| step.input == input)?;
        Some(format!("({} = {})", chooser.plays, at + 1))
    });
    found.unwrap_or_else(|| "true".to_owned())
}

/// 1 where a formula holds, else 0.
fn indicator(formula: &str) -> String {
    format!("({formula} ? 1 : 0)")
}

/// A name inside a comment: control characters would end it.
struct Plain<'a>(&'a str);

impl std::fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .chars()
            .try_for_each(|letter| write!(f, "{}", if letter.is_control() { ' ' } else { letter }))
    }
}
