//! What an inspection found out, as an object and as text.
//!
//! A record grows stage by stage, so that it can be shown whenever a limit is met: numbers of a
//! stage that was not reached are absent, and `stage` is the last one that was begun.

use std::time::Duration;

use crosscheck::walk::Compared;
use gdl::{Rulebook, keyword};
use ground::GroundRules;
use serde::Serialize;

use crate::quantity::{counted, show_count, show_duration, show_size};

/// The compiled game showed what the rules show.
pub(super) const AGREES: &str = "agrees";
/// The game was compiled, and no state was compared.
pub(super) const COMPILED: &str = "compiled";
/// It did not.
pub(super) const DIFFERS: &str = "differs";
/// The sheet is no well-formed game.
pub(super) const REFUSED: &str = "refused";
/// A limit was met before the game was compiled.
pub(super) const HALTED: &str = "halted";

/// A stage of the inspection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    Read,
    Ground,
    Network,
    Kernel,
    Compare,
}

/// `inspect --json`; described by `schema/inspect.schema.json`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Record {
    game: String,
    /// `agrees`, `compiled`, `differs`, `refused` or `halted`.
    pub(super) result: &'static str,
    /// Stable name of what was refused, or of the limit; null where all agrees.
    code: Option<String>,
    /// What was refused, where the two differ, or why fewer states than asked for were compared.
    reason: Option<String>,
    stage: Stage,
    /// What `sees` rules show: null where there are none, `all` moves, or `not-all`.
    sees: Option<&'static str>,
    roles: Option<u64>,
    rules: Option<u64>,
    propositions: Option<u64>,
    moves: Option<u64>,
    ground_rules: Option<u64>,
    pub(super) gates: Option<u64>,
    read_seconds: Option<f64>,
    ground_seconds: Option<f64>,
    network_seconds: Option<f64>,
    kernel_seconds: Option<f64>,
    compare_seconds: Option<f64>,
    plays: u64,
    finished: u64,
    stuck: u64,
    states: u64,
    /// Peak memory when the kernel was ready.
    pub(super) peak_bytes: Option<u64>,
}

impl Record {
    pub(super) fn new(game: &str) -> Self {
        Self {
            game: game.to_owned(),
            result: COMPILED,
            code: None,
            reason: None,
            stage: Stage::Read,
            sees: None,
            roles: None,
            rules: None,
            propositions: None,
            moves: None,
            ground_rules: None,
            gates: None,
            read_seconds: None,
            ground_seconds: None,
            network_seconds: None,
            kernel_seconds: None,
            compare_seconds: None,
            plays: 0,
            finished: 0,
            stuck: 0,
            states: 0,
            peak_bytes: None,
        }
    }

    pub(super) fn begin(&mut self, stage: Stage) {
        self.stage = stage;
    }

    pub(super) fn end(&mut self, stage: Stage, took: Duration) {
        debug_assert_eq!(self.stage, stage, "stages follow each other");
        *self.seconds_of(stage) = Some(took.as_secs_f64());
    }

    fn seconds_of(&mut self, stage: Stage) -> &mut Option<f64> {
        match stage {
            Stage::Read => &mut self.read_seconds,
            Stage::Ground => &mut self.ground_seconds,
            Stage::Network => &mut self.network_seconds,
            Stage::Kernel => &mut self.kernel_seconds,
            Stage::Compare => &mut self.compare_seconds,
        }
    }

    pub(super) fn see_sheet(&mut self, rulebook: &Rulebook) {
        let sees = rulebook.rules.iter().any(|rule| rule.head.relation == keyword::SEES);
        let shown = if gdl::complete_information(rulebook) { "all" } else { "not-all" };
        self.sees = sees.then_some(shown);
        self.roles = Some(rulebook.roles.len() as u64);
        self.rules = Some(rulebook.rules.len() as u64);
    }

    pub(super) fn see_rules(&mut self, rules: &GroundRules) {
        self.propositions = Some(rules.bases.len() as u64);
        self.moves = Some(rules.inputs.len() as u64);
        self.ground_rules = Some(rules.rules.len() as u64);
    }

    pub(super) fn compared(&mut self, compared: &Compared) {
        if compared.states > 0 {
            self.result = AGREES;
        }
        self.plays = compared.plays;
        self.finished = compared.finished;
        self.stuck = compared.stuck;
        self.states = compared.states;
    }

    pub(super) fn agree(&mut self, compared: &Compared) {
        self.compared(compared);
        if compared.out_of_time {
            self.reason = Some("the time for plays was up".to_owned());
        }
    }

    pub(super) fn give_up_comparing(&mut self) {
        self.reason = Some("the rules themselves take too long for a state".to_owned());
    }

    pub(super) fn differ(&mut self, how: String) {
        self.result = DIFFERS;
        self.code = Some("disagreement".to_owned());
        self.reason = Some(how);
    }

    pub(super) fn refuse(&mut self, code: &str, message: &str) {
        self.result = REFUSED;
        self.code = Some(code.to_owned());
        self.reason = Some(message.to_owned());
    }

    pub(super) fn halt(&mut self, code: &str) {
        self.result = HALTED;
        self.code = Some(code.to_owned());
        let stage = match self.stage {
            Stage::Read => "while the sheet was read",
            Stage::Ground => "while the rules were grounded",
            Stage::Network | Stage::Kernel => "while the network was built",
            Stage::Compare => "while the game was played",
        };
        self.reason = Some(format!("the {code} limit was met {stage}"));
        self.peak_bytes = store::peak_bytes();
    }

    /// The record as lines of a name and what it is.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.game, self.headline());
        let mut line = |name: &str, what: Option<String>| {
            if let Some(what) = what {
                text += &format!("{name:12}  {what}\n");
            }
        };
        let count = |count: Option<u64>| count.map(show_count);
        line("rules", count(self.rules));
        line(
            "sees",
            self.sees.map(|shown| format!("every role is shown {} moves", shown.replace('-', " "))),
        );
        line("propositions", count(self.propositions));
        line("moves", count(self.moves));
        line("ground rules", count(self.ground_rules));
        line("gates", count(self.gates));
        line("compiled in", self.compiled_in());
        line("peak memory", self.peak_bytes.map(show_size));
        line("compared", self.compare_seconds.map(|seconds| self.plays_text(seconds)));
        text
    }

    fn headline(&self) -> String {
        let what = match self.result {
            AGREES => "the compiled game agrees with the rules",
            COMPILED => "the game was compiled, nothing was compared",
            DIFFERS => "the compiled game differs from the rules",
            REFUSED => "refused",
            _ => "halted",
        };
        let reason = self.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
        format!("{what}{reason}")
    }

    fn compiled_in(&self) -> Option<String> {
        let show = |seconds: f64| show_duration(Duration::from_secs_f64(seconds));
        let stages =
            [self.read_seconds, self.ground_seconds, self.network_seconds, self.kernel_seconds];
        let total: Option<f64> = stages.iter().copied().sum();
        let [read, ground, network, kernel] = stages.map(|held| held.map_or("-".into(), show));
        Some(format!(
            "{} (read {read}, grounded {ground}, network {network}, kernel {kernel})",
            show(total?)
        ))
    }

    fn plays_text(&self, seconds: f64) -> String {
        let (states, plays) = (counted(self.states, "state"), counted(self.plays, "play"));
        let took = show_duration(Duration::from_secs_f64(seconds));
        format!("{states} of {plays}, {} finished, in {took}", show_count(self.finished))
    }
}
