//! Facts files: what is known of a game, one `games/NAME.facts` beside each `games/NAME.gdl`.
//!
//! A file is a list of questions, each a `question` line followed by lines of one key each:
//!
//! | line | meaning | left out |
//! | --- | --- | --- |
//! | `question WORDS` | begins a question and says it in words | - |
//! | `objective win` or `goal` | what a terminal state is worth | `win` |
//! | `role NAME` | the role asked about | the first that is not chance |
//! | `horizon N` | steps | none |
//! | `chance NAME` | a role that plays at random besides `random`; repeated for more | none |
//! | `from FACT..` | the state asked about | the initial state |
//! | `value A/B SOURCE` | the value, and where it comes from | needed |
//! | `states N SOURCE` | distinct reachable states | not stated |
//! | `decision_states N SOURCE` | those that do not wait for chance alone and are not terminal | not stated |
//! | `plies N SOURCE` | steps of the longest play | not stated |
//! | `best MOVE..` | all best first moves, of the opponents where the asked role has no choice | not stated |
//! | `cut` | some play is unfinished at the horizon | no play is |
//! | `engines all` or `NAME..` | who can answer this in the time of a test | `all` |
//! | `slow WORDS` | not for every test run, and why | quick |
//!
//! `#` begins a comment line; blank lines mean nothing. Always: a question that is returned has a
//! value in [0, 1] in lowest terms, and every figure has a source of two words or more. A line
//! that is not understood is an error with its number, never skipped: a mistyped key must not
//! quietly drop a check. The text of a move or state is kept as written, only its parentheses are
//! counted; reading it is the reader's business.

use std::str::FromStr;

use exact::Ratio;
use verdict::Objective;

/// A number, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure<T> {
    /// The number.
    pub number: T,
    /// Where it comes from: by hand, by another program, by theory.
    pub source: String,
}

/// Who can answer a question in the time of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Engines {
    /// Every engine.
    All,
    /// These, by the name that the engine gives itself.
    Named(Vec<String>),
}

impl Engines {
    /// Whether the engine of this name is among them.
    pub fn include(&self, engine: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|name| name == engine),
        }
    }
}

/// A question with its known answer. The fields are explained in the module's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactQuestion {
    /// The question in words.
    pub words: String,
    /// The line, from 1, on which the question begins.
    pub line: usize,
    /// What a terminal state is worth.
    pub objective: Objective,
    /// The role asked about; none for the first that is not chance.
    pub role: Option<String>,
    /// Steps; none for no horizon.
    pub horizon: Option<u32>,
    /// Roles that play at random besides `random`.
    pub chance: Vec<String>,
    /// The state asked about as GDL facts; none for the initial state.
    pub from: Option<Vec<String>>,
    /// The value, in [0, 1].
    pub value: Figure<Ratio>,
    /// Distinct reachable states.
    pub states: Option<Figure<u64>>,
    /// States that are not terminal and do not wait for chance alone.
    pub decision_states: Option<Figure<u64>>,
    /// Steps of the longest play.
    pub plies: Option<Figure<u64>>,
    /// All best first moves, as GDL: the moves of an answer that achieve its value.
    pub best: Option<Vec<String>>,
    /// Whether some play is unfinished at the horizon.
    pub cut: bool,
    /// Who can answer in the time of a test.
    pub engines: Engines,
    /// Why this is not for every test run; none where it is.
    pub slow: Option<String>,
}

/// Reads a facts file. There is at least one question in what is returned.
///
/// # Errors
/// What is wrong with the first line that is, with its number.
pub fn parse_facts(text: &str) -> Result<Vec<FactQuestion>, String> {
    let mut drafts: Vec<Draft> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = |message: String| format!("line {}: {message}", at + 1);
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if key == "question" {
            drafts.push(Draft::new(at + 1, rest).map_err(place)?);
            continue;
        }
        let draft = drafts
            .last_mut()
            .ok_or_else(|| place(format!("`{key}` stands before the first `question`")))?;
        draft.take(key, rest).map_err(place)?;
    }
    if drafts.is_empty() {
        return Err("no question: the file has no line `question WORDS`".to_owned());
    }
    drafts.into_iter().map(Draft::finish).collect()
}

/// A question while its lines are read.
struct Draft {
    question: FactQuestion,
    /// Keys that were met.
    seen: Vec<String>,
}

impl Draft {
    fn new(line: usize, words: &str) -> Result<Self, String> {
        let question = FactQuestion {
            words: some_words("question", words)?,
            line,
            objective: Objective::Win,
            role: None,
            horizon: None,
            chance: Vec::new(),
            from: None,
            value: Figure { number: Ratio::zero(), source: String::new() },
            states: None,
            decision_states: None,
            plies: None,
            best: None,
            cut: false,
            engines: Engines::All,
            slow: None,
        };
        Ok(Self { question, seen: Vec::new() })
    }

    fn take(&mut self, key: &str, rest: &str) -> Result<(), String> {
        if key != "chance" && self.seen.iter().any(|seen| seen == key) {
            return Err(format!("`{key}` stands twice in one question"));
        }
        self.seen.push(key.to_owned());
        if self.take_question(key, rest)? || self.take_answer(key, rest)? {
            return Ok(());
        }
        Err(format!("`{key}` is not a key of a facts file"))
    }

    /// Lines that say what is asked.
    fn take_question(&mut self, key: &str, rest: &str) -> Result<bool, String> {
        let question = &mut self.question;
        match key {
            "objective" => question.objective = objective(rest)?,
            "role" => question.role = Some(one_word(key, rest)?),
            "horizon" => question.horizon = Some(number(key, rest)?),
            "chance" => question.chance.push(one_word(key, rest)?),
            "from" => question.from = Some(terms(key, rest)?),
            "engines" => question.engines = engines(rest)?,
            "slow" => question.slow = Some(some_words(key, rest)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lines that say what is known.
    fn take_answer(&mut self, key: &str, rest: &str) -> Result<bool, String> {
        let question = &mut self.question;
        match key {
            "value" => question.value = value(rest)?,
            "states" => question.states = Some(figure(key, rest)?),
            "decision_states" => question.decision_states = Some(figure(key, rest)?),
            "plies" => question.plies = Some(figure(key, rest)?),
            "best" => question.best = Some(terms(key, rest)?),
            "cut" if rest.is_empty() => question.cut = true,
            "cut" => return Err("`cut` stands alone on its line".to_owned()),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn finish(self) -> Result<FactQuestion, String> {
        let Self { question, seen } = self;
        if !seen.iter().any(|key| key == "value") {
            return Err(format!("line {}: this question has no `value`", question.line));
        }
        if question.cut && question.horizon.is_none() {
            return Err(format!("line {}: `cut` without a `horizon`", question.line));
        }
        debug_assert!(question.value.number.is_probability() && !question.words.is_empty());
        Ok(question)
    }
}

fn objective(rest: &str) -> Result<Objective, String> {
    match rest {
        "win" => Ok(Objective::Win),
        "goal" => Ok(Objective::Goal),
        _ => Err(format!("`objective {rest}`: write `win` or `goal`")),
    }
}

fn engines(rest: &str) -> Result<Engines, String> {
    if rest == "all" {
        return Ok(Engines::All);
    }
    let names: Vec<String> = rest.split_whitespace().map(str::to_owned).collect();
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Err("`engines`: write `all`, or names of engines".to_owned());
    }
    Ok(Engines::Named(names))
}

fn value(rest: &str) -> Result<Figure<Ratio>, String> {
    let held: Figure<Ratio> = figure("value", rest)?;
    if !held.number.is_probability() {
        return Err(format!("`value {}` is outside 0 to 1", held.number));
    }
    let written = rest.split_whitespace().next().unwrap_or_default();
    let lowest = held.number.to_string();
    if written != lowest && Some(written) != lowest.strip_suffix("/1") {
        return Err(format!("`value {written}` in lowest terms is {lowest}"));
    }
    Ok(held)
}

/// A number followed by its source.
fn figure<T: FromStr>(key: &str, rest: &str) -> Result<Figure<T>, String> {
    let (first, source) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let source = source.trim();
    if source.split_whitespace().count() < 2 {
        return Err(format!("`{key}`: write where the number comes from after it"));
    }
    Ok(Figure { number: number(key, first)?, source: source.to_owned() })
}

fn number<T: FromStr>(key: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{key} {text}` is not a number that fits"))
}

fn one_word(key: &str, rest: &str) -> Result<String, String> {
    if rest.is_empty() || rest.contains(char::is_whitespace) {
        return Err(format!("`{key}`: write one name"));
    }
    Ok(rest.to_owned())
}

fn some_words(key: &str, rest: &str) -> Result<String, String> {
    if rest.is_empty() { Err(format!("`{key}`: say it in words")) } else { Ok(rest.to_owned()) }
}

/// Splits a line into terms at the blanks that stand in no parentheses.
fn terms(key: &str, rest: &str) -> Result<Vec<String>, String> {
    let mut found = vec![String::new()];
    let mut depth = 0_usize;
    for letter in rest.chars() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return Err(format!("`{key}`: a parenthesis too many")),
            ')' => depth -= 1,
            _ => {}
        }
        if letter.is_whitespace() && depth == 0 {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push(letter);
        }
    }
    found.retain(|term| !term.is_empty());
    match (depth, found.is_empty()) {
        (0, false) => Ok(found),
        (0, true) => Err(format!("`{key}`: write GDL terms")),
        _ => Err(format!("`{key}`: a parenthesis is not closed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "\
# a comment
question what is a coin worth
value 1/2 by hand: one of two
";

    fn refused(text: &str) -> String {
        parse_facts(text).unwrap_err()
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let questions = parse_facts(SMALL).unwrap();
        let [only] = &questions[..] else { panic!("{questions:?}") };
        assert_eq!((only.line, &*only.words), (2, "what is a coin worth"));
        assert_eq!(only.objective, Objective::Win);
        assert_eq!(only.value.number, Ratio::new(1u8, 2u8));
        assert_eq!(only.value.source, "by hand: one of two");
        assert!(only.role.is_none() && only.best.is_none() && !only.cut && only.slow.is_none());
        assert!(only.engines.include("sweep"));
    }

    #[test]
    fn every_key_is_read() {
        let text = "\
question first
value 1 by hand: it is won

question second
  objective goal
  role o
  horizon 12
  chance x
  chance y
  from (cell 1 (pair a b)) over
  value 3/4   by hand, twice
  states 5 by counting them
  decision_states 2 by counting them
  plies 4 by hand too
  best (mark 1 1)   noop
  cut
  engines sweep search
  slow it is large
";
        let questions = parse_facts(text).unwrap();
        let [_, second] = &questions[..] else { panic!("{questions:?}") };
        assert_eq!(second.objective, Objective::Goal);
        assert_eq!((second.role.as_deref(), second.horizon), (Some("o"), Some(12)));
        assert_eq!(second.chance, ["x", "y"]);
        assert_eq!(second.from.as_deref().unwrap(), ["(cell 1 (pair a b))", "over"]);
        assert_eq!(second.best.as_deref().unwrap(), ["(mark 1 1)", "noop"]);
        let counts = [&second.states, &second.decision_states, &second.plies];
        assert_eq!(counts.map(|count| count.as_ref().unwrap().number), [5, 2, 4]);
        assert!(second.cut && second.slow.as_deref() == Some("it is large"));
        assert!(second.engines.include("search") && !second.engines.include("reference"));
    }

    #[test]
    fn a_line_that_is_not_understood_is_named() {
        assert_eq!(
            refused(&format!("{SMALL}valu 1")),
            "line 4: `valu` is not a key of a facts file"
        );
        assert!(
            refused(&format!("{SMALL}value 1 by hand")).contains("line 4: `value` stands twice")
        );
        assert!(refused("role x").contains("before the first `question`"));
        assert!(refused("# nothing\n").contains("no question"));
        assert!(refused("question\n").contains("in words"));
    }

    #[test]
    fn a_figure_without_a_source_or_out_of_range_is_refused() {
        let value = |text: &str| refused(&format!("question q\nvalue {text}\n"));
        assert!(value("1/2").contains("where the number comes from"));
        assert!(value("1/2 guessed").contains("where the number comes from"));
        assert!(value("3/2 by hand").contains("outside 0 to 1"));
        assert!(value("2/4 by hand").contains("in lowest terms is 1/2"));
        assert!(value("half by hand").contains("is not a number"));
        assert!(refused("question q\nstates 1 by hand\n").contains("line 1: this question has no"));
    }

    #[test]
    fn parentheses_cut_and_names_are_checked() {
        let line = |text: &str| refused(&format!("{SMALL}{text}\n"));
        assert!(line("best (drop 1").contains("not closed"));
        assert!(line("best drop 1)").contains("too many"));
        assert!(line("best").contains("terms"));
        assert!(line("cut").contains("without a `horizon`"));
        assert!(line("cut yes").contains("alone"));
        assert!(line("role x o").contains("one name"));
        assert!(line("engines all sweep").contains("or names"));
        assert!(line("objective loss").contains("`win` or `goal`"));
        assert!(line("horizon -1").contains("not a number"));
    }
}
