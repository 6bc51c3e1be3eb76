//! The format of the test files `tests/data/*.net`: a network, and runs of it.
//!
//! A file is a network in its text form with lines `; run: ..`, comments to the network's reader:
//!
//! ```text
//! ; run: (i0 i3) (i1 i2) -> {b0 b4}, legal i0 i3, open, goal r0 50
//! ; run: from {b2} -> terminal, goal r0 0, goal r1
//! ```
//!
//! A run starts at the initial state or at `from { .. }`, makes the joint moves (one move of each
//! role, in the order of the roles) and then checks what follows the arrow: the state in braces;
//! `legal` with all moves that are legal; `open` or `terminal`; `goal` of a role with all its
//! values. The interpreter and the kernels are run on the same files, each by a driver of its own,
//! and both compare by [`Run::judge`].

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::{Id, IdSet};

use crate::gates::Net;
use crate::interpret::{State, View};
use crate::text::{known, numbered};

/// A network with its runs.
#[derive(Clone, Debug)]
pub struct Script {
    /// The network.
    pub net: Net,
    /// The runs in the order of the file; never empty.
    pub runs: Vec<Run>,
}

/// A run: where it starts, what is played, what must hold then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Line of the file, from 1.
    pub line: usize,
    /// The state that it starts from.
    pub from: State,
    /// Joint moves, each with one move of each role in order.
    pub joints: Vec<Vec<InputId>>,
    /// What must hold in the state reached.
    pub checks: Vec<Check>,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// Exactly these propositions hold.
    State(State),
    /// Exactly these moves are legal.
    Legal(IdSet<InputId>),
    /// Whether the game has ended.
    Terminal(bool),
    /// Exactly these goal values of a role hold, ascending.
    Goals(RoleId, Vec<u8>),
}

impl Run {
    /// Compares the state reached and its view with the checks.
    ///
    /// # Errors
    /// Every check that fails, with what was found instead.
    pub fn judge(&self, state: &State, view: &View) -> Result<(), String> {
        let faults: Vec<String> =
            self.checks.iter().filter_map(|check| check.fault(state, view)).collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(format!("line {}: {}", self.line, faults.join("; ")))
    }
}

impl Check {
    fn fault(&self, state: &State, view: &View) -> Option<String> {
        let legal = || {
            let all = view.legal.enumerate().filter(|(_, legal)| **legal);
            all.map(|(input, _)| input).collect::<IdSet<InputId>>()
        };
        let (holds, found) = match self {
            Self::State(wanted) => (wanted == state, format!("state {state:?}")),
            Self::Legal(wanted) => (*wanted == legal(), format!("legal {:?}", legal())),
            Self::Terminal(wanted) => {
                (*wanted == view.terminal, format!("terminal {}", view.terminal))
            }
            Self::Goals(role, wanted) => {
                (*wanted == view.goals[*role], format!("goal {role} {:?}", view.goals[*role]))
            }
        };
        (!holds).then(|| format!("expected {self:?}, found {found}"))
    }
}

/// Reads a test file.
///
/// # Errors
/// The first fault of the network or of a run; a file without runs.
pub fn parse_script(text: &str) -> Result<Script, String> {
    let net = crate::parse_net(text)?;
    let mut runs = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(run) = line.trim_start().strip_prefix("; run:") {
            let parsed = parse_run(&net, at + 1, run);
            runs.push(parsed.map_err(|fault| format!("line {}: {fault}", at + 1))?);
        }
    }
    if runs.is_empty() { Err("no run in this file".to_owned()) } else { Ok(Script { net, runs }) }
}

fn parse_run(net: &Net, line: usize, text: &str) -> Result<Run, String> {
    let (play, checks) = text.split_once("->").ok_or("a run needs `->`")?;
    let (from, play) = parse_from(net, play.trim())?;
    let joints = parse_joints(net, play)?;
    let checks: Result<Vec<Check>, String> =
        checks.split(',').map(|check| parse_check(net, check.trim())).collect();
    Ok(Run { line, from, joints, checks: checks? })
}

/// The state that a run starts from, and the rest of the text.
fn parse_from<'a>(net: &Net, text: &'a str) -> Result<(State, &'a str), String> {
    let Some(rest) = text.strip_prefix("from") else {
        return Ok((crate::interpret::initial(net), text));
    };
    let (state, rest) = rest.split_once('}').ok_or("`from` needs a state in braces")?;
    let state = parse_state(net, &format!("{state}}}"))?;
    Ok((state, rest))
}

fn parse_state(net: &Net, text: &str) -> Result<State, String> {
    let inner = text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let words = inner.ok_or("a state stands in braces")?.split_whitespace();
    words.map(|word| known(numbered::<BaseId>(word, "b")?, net.bases.len())).collect()
}

fn parse_joints(net: &Net, text: &str) -> Result<Vec<Vec<InputId>>, String> {
    let mut joints = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let inner = rest.strip_prefix('(').ok_or("a joint move stands in parentheses")?;
        let (joint, after) = inner.split_once(')').ok_or("a joint move is not closed")?;
        joints.push(parse_joint(net, joint)?);
        rest = after.trim_start();
    }
    Ok(joints)
}

fn parse_joint(net: &Net, text: &str) -> Result<Vec<InputId>, String> {
    let moves: Result<Vec<InputId>, String> =
        text.split_whitespace().map(|word| numbered(word, "i")).collect();
    let moves = moves?;
    let fits = moves.len() == net.roles.len()
        && net.roles.iter().zip(&moves).all(|(role, input)| role.inputs.contains(&input.index()));
    if fits { Ok(moves) } else { Err(format!("`({text})` is not one move of each role in order")) }
}

fn parse_check(net: &Net, text: &str) -> Result<Check, String> {
    if text.starts_with('{') {
        return parse_state(net, text).map(Check::State);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["open"] => Ok(Check::Terminal(false)),
        ["terminal"] => Ok(Check::Terminal(true)),
        ["legal", ref inputs @ ..] => {
            let inputs = inputs.iter().map(|word| known(numbered(word, "i")?, net.inputs.len()));
            inputs.collect::<Result<_, String>>().map(Check::Legal)
        }
        ["goal", role, ref values @ ..] => {
            let role = known(numbered(role, "r")?, net.roles.len())?;
            let number = |word: &&str| word.parse().map_err(|_| format!("`{word}` is no value"));
            let values: Result<Vec<u8>, String> = values.iter().map(number).collect();
            Ok(Check::Goals(role, values?))
        }
        _ => Err(format!("`{text}` is no check")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret;

    const NET: &str = "role \"r\"\ni0 \"go\"\nb0 \"off\" init\nb1 \"on\"\nlegal i0 = b0\n\
                       terminal = b1\ngoal r0 100 = b1\nnext b1 = b0\n";

    fn run(line: &str) -> Result<(), String> {
        let script = parse_script(&format!("{NET}; run: {line}\n"))?;
        let run = &script.runs[0];
        let state = run
            .joints
            .iter()
            .fold(run.from.clone(), |state, joint| interpret::update(&script.net, &state, joint));
        run.judge(&state, &interpret::view(&script.net, &state))
    }

    #[test]
    fn runs_are_read_and_judged() {
        assert_eq!(run("-> {b0}, open, legal i0, goal r0"), Ok(()));
        assert_eq!(run("(i0) -> {b1}, terminal, legal, goal r0 100"), Ok(()));
        assert_eq!(run("from {} (i0) -> {}"), Ok(()));
        let fault = run("(i0) -> {b0}, open").expect_err("both checks are wrong");
        assert!(fault.starts_with("line 9: ") && fault.contains("; expected Terminal(false)"));
    }

    #[test]
    fn misspelt_runs_are_refused() {
        for line in ["{b0}", "(i0 -> open", "(i0 i0) -> open", "-> {b7}", "-> shut", "from -> open"]
        {
            assert!(run(line).is_err(), "accepted {line}");
        }
        assert!(parse_script(NET).is_err(), "a file without runs");
    }
}
