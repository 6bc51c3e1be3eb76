//! The report of `check`: diagnostics and what random plays showed, as text and as an object.
//!
//! Both say the same. The text is this command's answer: it goes to standard output, without
//! colours. Shares are rounded to a tenth of a per cent and are only shown.

use std::fmt::Write as _;

use gdl::{Diagnostic, Severity, Source};
use kernel::{RoleSurvey, Survey};
use net::Net;
use serde::Serialize;

use super::position::{Positions, Range};
use super::trouble;
use super::visible::visible;
use crate::quantity::{counted, show_count};

/// Goal values of a role that are shown one by one, at most.
const SHOWN_GOALS: usize = 6;

/// One diagnostic, with the states that show it.
pub(crate) struct Finding {
    /// What is wrong.
    pub(crate) diagnostic: Diagnostic,
    /// States that show it.
    pub(crate) states: Vec<String>,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { diagnostic, states: Vec::new() }
    }
}

/// Everything that `check` has to say about one sheet.
pub(crate) struct Checked {
    /// The sheet; its text is empty where it could not be read.
    pub(crate) source: Source,
    /// All diagnostics, by place, those of the game last.
    pub(crate) findings: Vec<Finding>,
    /// What the rules became, where they could be built.
    pub(crate) size: Option<Size>,
    /// What random plays showed, where there were any.
    pub(crate) plays: Option<Plays>,
    /// What was not done because of a limit, and why.
    pub(crate) limits: Vec<String>,
    /// Whether the text was read to its end.
    pub(crate) read: bool,
    /// Whether a finding is grave enough to refuse the sheet.
    pub(crate) refused: bool,
}

impl Checked {
    /// Whether the sheet passes: it was checked, and nothing refuses it.
    pub(crate) fn passed(&self) -> bool {
        !self.refused && self.size.is_some()
    }

    /// The line that sums up. What was not looked at is not said to be without faults.
    fn summary(&self) -> String {
        let name = &self.source.name;
        if !self.read && self.findings.is_empty() {
            return format!("{}: not checked", visible(name));
        }
        let all: Vec<Diagnostic> = self.findings.iter().map(|one| one.diagnostic.clone()).collect();
        let halted = self.size.is_none() && !self.limits.is_empty();
        let rest = if halted { " in the text; the game itself was not checked" } else { "" };
        trouble::summary(name, &all) + rest
    }
}

/// How large a game is.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Size {
    roles: usize,
    propositions: usize,
    moves: usize,
    gates: usize,
}

impl Size {
    /// The size of a network.
    pub(crate) fn of(net: &Net) -> Self {
        Self {
            roles: net.roles.len(),
            propositions: net.bases.len(),
            moves: net.inputs.len(),
            gates: net.gates.len(),
        }
    }
}

/// What random plays showed.
#[derive(Debug, Serialize)]
pub(crate) struct Plays {
    seed: u64,
    plays: u64,
    ended: u64,
    stuck: u64,
    unfinished: u64,
    step_limit: usize,
    steps: Option<Steps>,
    roles: Vec<RolePlays>,
}

/// Steps of the plays that ended.
#[derive(Clone, Copy, Debug, Serialize)]
struct Steps {
    least: usize,
    median: usize,
    most: usize,
}

/// What random plays showed of one role.
#[derive(Debug, Serialize)]
struct RolePlays {
    role: String,
    most_moves: u32,
    goals: Vec<GoalShare>,
    without_goal: u64,
    several_goals: u64,
    without_move: u64,
}

/// How often a goal value was reached.
#[derive(Clone, Copy, Debug, Serialize)]
struct GoalShare {
    value: u8,
    plays: u64,
}

impl Plays {
    /// Of a survey that was played from this seed.
    pub(crate) fn of(survey: &Survey, net: &Net, seed: u64) -> Self {
        assert!(!survey.lengths.is_empty(), "a play of no steps has a length");
        let role = |(role, held): (&str, &RoleSurvey)| RolePlays {
            role: role.to_owned(),
            most_moves: held.most_moves,
            goals: held.goals.iter().map(|&(value, plays)| GoalShare { value, plays }).collect(),
            without_goal: held.goalless.plays,
            several_goals: held.ambiguous.plays,
            without_move: held.stuck.plays,
        };
        let names = net.roles.iter().map(|role| role.name.as_str());
        Self {
            seed,
            plays: survey.plays,
            ended: survey.ended,
            stuck: survey.stuck,
            unfinished: survey.unfinished,
            step_limit: survey.lengths.len() - 1,
            steps: survey.length_range().map(|[least, median, most]| Steps { least, median, most }),
            roles: names.zip(survey.roles.iter()).map(role).collect(),
        }
    }
}

/// `check --json`; described by `schema/check.schema.json`.
#[derive(Serialize)]
pub(crate) struct CheckObject {
    passed: bool,
    sheets: Vec<SheetObject>,
}

/// One sheet.
#[derive(Serialize)]
struct SheetObject {
    game: String,
    passed: bool,
    errors: usize,
    warnings: usize,
    notes: usize,
    diagnostics: Vec<FindingObject>,
    size: Option<Size>,
    plays: Option<Plays>,
    limits: Vec<String>,
}

/// One diagnostic. The range is that of the first label; none where no place is to blame.
#[derive(Serialize)]
struct FindingObject {
    severity: &'static str,
    code: &'static str,
    message: String,
    file: String,
    range: Option<Range>,
    labels: Vec<LabelObject>,
    notes: Vec<String>,
    states: Vec<String>,
}

/// A place with a word on it.
#[derive(Serialize)]
struct LabelObject {
    range: Option<Range>,
    text: String,
}

/// All sheets as one object.
pub(crate) fn object(sheets: Vec<Checked>) -> CheckObject {
    let passed = sheets.iter().all(Checked::passed);
    CheckObject { passed, sheets: sheets.into_iter().map(sheet_object).collect() }
}

fn sheet_object(sheet: Checked) -> SheetObject {
    let count = |severity| count(&sheet.findings, severity);
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let notes = count(Severity::Note);
    let all = sheet.findings.iter().map(|finding| &finding.diagnostic);
    let positions = Positions::of(&sheet.source, all);
    let source = &sheet.source;
    let diagnostics =
        sheet.findings.iter().map(|finding| finding_object(finding, source, &positions)).collect();
    SheetObject {
        game: source.name.to_string(),
        passed: sheet.passed(),
        errors,
        warnings,
        notes,
        diagnostics,
        size: sheet.size,
        plays: sheet.plays,
        limits: sheet.limits,
    }
}

fn finding_object(finding: &Finding, source: &Source, positions: &Positions) -> FindingObject {
    let held = &finding.diagnostic;
    let labels = held.labels.iter();
    let labels: Vec<LabelObject> = labels
        .map(|label| LabelObject { range: positions.range(label.span), text: label.text.clone() })
        .collect();
    FindingObject {
        severity: trouble::severity_name(held.severity),
        code: held.code,
        message: held.message.clone(),
        file: source.name.to_string(),
        range: labels.first().and_then(|label| label.range),
        labels,
        notes: held.notes.clone(),
        states: finding.states.clone(),
    }
}

fn count(findings: &[Finding], severity: Severity) -> usize {
    findings.iter().filter(|finding| finding.diagnostic.severity == severity).count()
}

/// One sheet as text: the diagnostics, the plays, a line that sums up.
pub(crate) fn text(sheet: &Checked) -> String {
    let of_sheet = |finding: &&Finding| finding.states.is_empty();
    let plain: Vec<Diagnostic> =
        sheet.findings.iter().filter(of_sheet).map(|one| one.diagnostic.clone()).collect();
    let mut text = trouble::rendered(&plain, &sheet.source, false);
    for finding in sheet.findings.iter().filter(|finding| !of_sheet(finding)) {
        let one = std::slice::from_ref(&finding.diagnostic);
        text += trouble::rendered(one, &sheet.source, false).trim_end();
        text.push('\n');
        let number = finding.states.len();
        for (place, state) in finding.states.iter().enumerate() {
            let which =
                if number > 1 { format!("state {}", place + 1) } else { "state".to_owned() };
            text += &format!("  {which}: {}\n", visible(state));
        }
        text.push('\n');
    }
    if let Some(size) = &sheet.size {
        text += &size_line(&sheet.source.name, size);
    }
    if let Some(plays) = &sheet.plays {
        plays.write(&mut text);
    }
    for limit in &sheet.limits {
        text += &format!("  {limit}\n");
    }
    text += &sheet.summary();
    text.push('\n');
    text
}

fn size_line(name: &str, size: &Size) -> String {
    let counted = |count: usize, what: &str| counted(count as u64, what);
    let parts = [
        counted(size.roles, "role"),
        counted(size.propositions, "proposition"),
        counted(size.moves, "move"),
        counted(size.gates, "gate"),
    ];
    format!("{}: {}\n", visible(name), parts.join(", "))
}

impl Plays {
    fn write(&self, text: &mut String) {
        // Writing to a string cannot fail.
        writeln!(text, "  {}: {}", counted(self.plays, "random play"), self.ends()).ok();
        let width = self.roles.iter().map(|role| visible(&role.role).len()).max().unwrap_or(0);
        for role in &self.roles {
            let moves = format!("up to {}", counted(role.most_moves.into(), "move"));
            let goals = self.goals(&role.goals);
            writeln!(text, "    {:<width$}  {moves}{goals}", visible(&role.role)).ok();
        }
    }

    /// `; goal 0 in 42.6 %, 100 in 57.4 %`, or where the values are many, the range and the mean.
    fn goals(&self, goals: &[GoalShare]) -> String {
        match goals {
            [] => String::new(),
            [least, .., most] if goals.len() > SHOWN_GOALS => {
                let plays: u64 = goals.iter().map(|goal| goal.plays).sum();
                let sum: u64 = goals.iter().map(|goal| u64::from(goal.value) * goal.plays).sum();
                let tenths = tenths(10 * sum, plays);
                format!("; goal {} to {}, {tenths} in the mean", least.value, most.value)
            }
            _ => {
                let shares: Vec<String> = goals.iter().map(|goal| self.share(goal)).collect();
                format!("; goal {}", shares.join(", "))
            }
        }
    }

    /// `all ended, after 5 to 9 steps, 8 in the middle`.
    fn ends(&self) -> String {
        let mut parts = Vec::new();
        if let Some(Steps { least, median, most }) = self.steps {
            let who = if self.ended == self.plays {
                "all ended".to_owned()
            } else {
                format!("{} ended", show_count(self.ended))
            };
            parts.push(match least == most {
                true => format!("{who} after {}", counted(most as u64, "step")),
                false => format!("{who} after {least} to {most} steps, {median} in the middle"),
            });
        } else {
            parts.push("none ended".to_owned());
        }
        if self.stuck > 0 {
            parts.push(format!("{} met a role without a move", show_count(self.stuck)));
        }
        if self.unfinished > 0 {
            let limit = counted(self.step_limit as u64, "step");
            parts.push(format!("{} went on after {limit}", show_count(self.unfinished)));
        }
        parts.join("; ")
    }

    /// `100 in 57.4 %`.
    fn share(&self, goal: &GoalShare) -> String {
        debug_assert!(goal.plays <= self.ended, "a goal is reached at the end");
        format!("{} in {} %", goal.value, tenths(1000 * goal.plays, self.plays))
    }
}

/// A number of tenths over another number, as a decimal rounded to the nearest tenth.
fn tenths(above: u64, below: u64) -> String {
    assert!(below > 0, "a share of nothing");
    let rounded = (2 * above + below) / (2 * below);
    format!("{}.{}", rounded / 10, rounded % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plays(goals: &[(u8, u64)], ended: u64, unfinished: u64) -> Plays {
        let goals = goals.iter().map(|&(value, plays)| GoalShare { value, plays }).collect();
        let role = RolePlays {
            role: "x\u{1b}".to_owned(),
            most_moves: 1,
            goals,
            without_goal: 0,
            several_goals: 0,
            without_move: 0,
        };
        Plays {
            seed: 1,
            plays: ended + unfinished,
            ended,
            stuck: 0,
            unfinished,
            step_limit: 9,
            steps: (ended > 0).then_some(Steps { least: 2, median: 2, most: 2 }),
            roles: vec![role],
        }
    }

    fn shown(plays: &Plays) -> String {
        let mut text = String::new();
        plays.write(&mut text);
        text
    }

    #[test]
    fn ends_and_goals_are_told_in_words() {
        assert_eq!(
            shown(&plays(&[(0, 1), (100, 2)], 3, 1)),
            "  4 random plays: 3 ended after 2 steps; 1 went on after 9 steps\n    \
               x\\u{1b}  up to 1 move; goal 0 in 25.0 %, 100 in 50.0 %\n"
        );
        assert!(shown(&plays(&[], 0, 2)).starts_with("  2 random plays: none ended; 2 went on"));
    }

    #[test]
    fn many_goal_values_are_a_range_and_a_mean() {
        let many: Vec<(u8, u64)> = (0..=10).map(|value| (value, 1)).collect();
        assert!(shown(&plays(&many, 11, 0)).contains("; goal 0 to 10, 5.0 in the mean\n"));
        assert_eq!([tenths(2, 3), tenths(1, 20), tenths(1000, 1)], ["0.1", "0.0", "100.0"]);
    }
}
