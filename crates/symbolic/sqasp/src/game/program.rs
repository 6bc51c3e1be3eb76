//! The text of the program: rule groups, each under a comment.

use gdl::{Rule, keyword};
use verdict::{Objective, Question};

use super::domains::Domains;
use super::roles::{asked_role, chance_role, opponent};
use super::rule::{self, Style};
use super::sheet::{Sheet, Signature};

/// What a play is worth that has not ended at the horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Nothing: the value is that of the horizon.
    Nothing,
    /// Everything: the value is an upper bound of that without a horizon.
    Everything,
}

/// The SQASP program of a question over so many steps.
pub fn game_program(
    question: &Question,
    domains: &Domains,
    steps: u32,
    unfinished: Unfinished,
) -> String {
    let sheet = Sheet::new(question);
    let mut text = Text::default();
    header(&mut text, &sheet, steps, unfinished);
    start(&mut text, &sheet, steps);
    rules(&mut text, &sheet);
    moves(&mut text, &sheet, domains);
    end(&mut text, &sheet, domains, steps, unfinished);
    text.text
}

/// A text of groups.
#[derive(Default)]
pub(super) struct Text {
    text: String,
}

impl Text {
    /// Begins a group with a comment of one line or several.
    pub(super) fn group(&mut self, comment: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        for line in comment.lines() {
            self.text.push_str(&format!("% {line}\n"));
        }
    }

    /// Adds a finished rule.
    pub(super) fn add(&mut self, rule: &str) {
        debug_assert!(rule.ends_with(".\n"), "a rule ends with a full stop");
        self.text.push_str(rule);
    }

    /// Adds a rule that lacks its line's end.
    pub(super) fn rule(&mut self, rule: &str) {
        self.text.push_str(rule);
        self.text.push('\n');
    }
}

fn header(text: &mut Text, sheet: &Sheet<'_>, steps: u32, unfinished: Unfinished) {
    let question = sheet.question;
    let asked = question.rulebook.role_name(question.role);
    let measure = match question.objective {
        Objective::Win => format!("the probability that {asked} wins"),
        Objective::Goal => format!("the goal that {asked} expects, over 100,"),
    };
    let bound = match unfinished {
        Unfinished::Nothing => "",
        Unfinished::Everything => " (a play that has not ended counts as the best end)",
    };
    text.group(&format!("{measure} within {steps} steps{bound}"));
}

fn start(text: &mut Text, sheet: &Sheet<'_>, steps: u32) {
    let own = &sheet.own;
    text.group("time, and the state at the start");
    text.rule(&format!("{}(0..{steps}).", own.time));
    if let Some(last) = steps.checked_sub(1) {
        text.rule(&format!("{}(0..{last}).", own.step));
    }
    rule::start(sheet, Style::Timed).iter().for_each(|line| text.add(line));

    let terminal = sheet.predicate((keyword::TERMINAL, 0));
    text.group("the game goes on until a state is terminal");
    let Own { live, plays, step, time } =
        Own { live: &own.live, plays: &own.plays, step: &own.step, time: &own.time };
    text.rule(&format!("{live}(0)."));
    text.rule(&format!("{plays}(T) :- {live}(T), not {terminal}(T), {time}(T)."));
    text.rule(&format!("{live}(T+1) :- {plays}(T), {step}(T)."));
}

/// Names of the predicates of time.
struct Own<'a> {
    live: &'a str,
    plays: &'a str,
    step: &'a str,
    time: &'a str,
}

/// The sheet's rules, one group a relation, in the order of the sheet: first what never changes.
fn rules(text: &mut Text, sheet: &Sheet<'_>) {
    for timed in [false, true] {
        let mut done: Vec<Signature> = Vec::new();
        for one in &sheet.rules {
            let head = one.head.signature();
            if sheet.is_timed(head) == timed && !done.contains(&head) {
                done.push(head);
                group_of(text, sheet, head);
            }
        }
    }
}

fn group_of(text: &mut Text, sheet: &Sheet<'_>, head: Signature) {
    text.group(&comment(sheet, head));
    let same = |one: &&&Rule| one.head.signature() == head;
    for one in sheet.rules.iter().filter(same) {
        text.add(&rule::timed(sheet, one));
    }
}

fn comment(sheet: &Sheet<'_>, head: Signature) -> String {
    let name = sheet.symbols().name(head.0);
    match (head.0, head.1) {
        (keyword::NEXT, 1) => "what holds in the next state".into(),
        (keyword::LEGAL, 2) => "moves that are legal".into(),
        (keyword::TERMINAL, 0) => "states that end the game".into(),
        (keyword::GOAL, 2) => "what the end is worth".into(),
        (keyword::INIT, 1) => "what holds at the start".into(),
        (keyword::ROLE, 1) => "the roles".into(),
        _ => name.to_owned(),
    }
}

fn moves(text: &mut Text, sheet: &Sheet<'_>, domains: &Domains) {
    let question = sheet.question;
    for role in question.rulebook.roles.ids() {
        let moves = &domains.moves[role];
        if question.chance.contains(role) {
            chance_role(text, sheet, role, moves);
        } else if role == question.role {
            asked_role(text, sheet, role, moves);
        } else {
            opponent(text, sheet, role, moves);
        }
    }
}

fn end(text: &mut Text, sheet: &Sheet<'_>, domains: &Domains, steps: u32, unfinished: Unfinished) {
    let own = &sheet.own;
    let (live, plays, lost) = (&own.live, &own.plays, &own.lost);
    let terminal = sheet.predicate((keyword::TERMINAL, 0));
    let goal = sheet.predicate((keyword::GOAL, 2));
    let asked = sheet.role(sheet.question.role);
    match sheet.question.objective {
        Objective::Win => {
            text.group(&format!("where the game ends, {asked} must have won"));
            text.rule(&format!(
                "{lost}(T) :- {live}(T), {terminal}(T), not {goal}({asked},100,T)."
            ));
        }
        Objective::Goal => {
            payment(text, sheet, domains, steps);
            let (paid, within) = (&own.paid, &own.within);
            text.rule(&format!("{paid}(T) :- {goal}({asked},V,T), {within}(V)."));
            text.rule(&format!("{lost}(T) :- {live}(T), {terminal}(T), not {paid}(T)."));
        }
    }
    text.rule(&format!(":- {lost}(T)."));
    if unfinished == Unfinished::Nothing {
        text.group("the game must have ended");
        text.rule(&format!(":- {plays}({steps})."));
    }
}

/// The last draw: a goal of v is paid with probability v/100, by a chain of draws from the largest
/// goal down, each taken only where those before it hold.
fn payment(text: &mut Text, sheet: &Sheet<'_>, domains: &Domains, steps: u32) {
    let (at_most, within) = (&sheet.own.at_most, &sheet.own.within);
    text.group("where the game ends, a last draw pays the goal: v is paid with probability v/100");
    let mut above = 100;
    for goal in domains.goals.iter().rev() {
        let outer = if above == 100 { String::new() } else { format!("{within}({above}), ") };
        if *goal == 100 {
            text.rule(&format!("{within}(100)."));
            continue;
        }
        text.rule(&format!("{{ {at_most}({goal}) }}."));
        let level = u64::from(steps) * 5;
        text.rule(&format!("_chance({level},{goal},{above},{at_most}({goal}))."));
        text.rule(&format!("{within}({goal}) :- {outer}{at_most}({goal})."));
        above = *goal;
    }
}
