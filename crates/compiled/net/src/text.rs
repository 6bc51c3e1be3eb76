//! The text form of a network.
//!
//! One item a line, in any order as long as a name comes before its use; `;` starts a comment.
//!
//! ```text
//! role "robot"            ; roles in order; the moves that follow belong to the last one
//! i0 "(push a)"           ; a move; numbered from 0
//! b0 "(on a)" init        ; a proposition, numbered from 0; `init`: true at the start
//! g2 = b0                 ; a gate: `true`, `false`, `b0`, `i0` or another gate,
//! g4 = not g2             ;   `not` of one, `and` or `or` of any number of these
//! g5 = and g2 i0 g4
//! legal i0 = g4           ; outputs; one that is left out is false
//! terminal = g2
//! goal r0 100 = g2        ; role 0 gets 100
//! next b0 = g5
//! ```
//!
//! Always: `parse_net(print(x)) == x` for a well-formed network. A text may use any gate numbers
//! and wide or foldable gates: it is built through the folding constructors, so what is read is
//! well-formed, and printing shows what it became. `g0` and `g1` are `false` and `true`.

use gdl::RoleId;
use ground::{BaseId, InputId};
use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

use crate::gates::{Gate, GateId, Gates, Junction, Net, NetRole};

impl std::fmt::Display for Net {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for role in &self.roles {
            writeln!(f, "role {}", Quoted(&role.name))?;
            for index in role.inputs.clone() {
                let input = InputId::from_index(index);
                writeln!(f, "{input} {}", Quoted(&self.inputs[input]))?;
            }
        }
        for (base, text) in self.bases.enumerate() {
            let init = if self.init.binary_search(&base).is_ok() { " init" } else { "" };
            writeln!(f, "{base} {}{init}", Quoted(text))?;
        }
        for (id, gate) in self.gates.iter().skip(2) {
            writeln!(f, "{id} = {}", Shown(gate))?;
        }
        self.fmt_outputs(f)
    }
}

impl Net {
    fn fmt_outputs(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = |gate: &GateId| *gate != Gates::FALSE;
        for (input, gate) in self.legal.enumerate().filter(|(_, gate)| named(gate)) {
            writeln!(f, "legal {input} = {gate}")?;
        }
        if named(&self.terminal) {
            writeln!(f, "terminal = {}", self.terminal)?;
        }
        for (role, data) in self.roles.enumerate() {
            for (value, gate) in &data.goals {
                writeln!(f, "goal {role} {value} = {gate}")?;
            }
        }
        for (base, gate) in self.next.enumerate().filter(|(_, gate)| named(gate)) {
            writeln!(f, "next {base} = {gate}")?;
        }
        Ok(())
    }
}

/// A name between quotes, with `\` before what would end it.
struct Quoted<'a>(&'a str);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"")?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\n' => write!(f, "\\n")?,
                _ => write!(f, "{letter}")?,
            }
        }
        write!(f, "\"")
    }
}

struct Shown(Gate);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Gate::Const(value) => write!(f, "{value}"),
            Gate::Base(base) => write!(f, "{base}"),
            Gate::Does(input) => write!(f, "{input}"),
            Gate::Not(operand) => write!(f, "not {operand}"),
            Gate::And(low, high) => write!(f, "and {low} {high}"),
            Gate::Or(low, high) => write!(f, "or {low} {high}"),
        }
    }
}

/// Reads a network.
///
/// # Errors
/// The first fault, with its line.
pub fn parse_net(text: &str) -> Result<Net, String> {
    let mut reader = Reader::new();
    for (at, line) in text.lines().enumerate() {
        let tokens = tokens(line).map_err(|fault| format!("line {}: {fault}", at + 1))?;
        if !tokens.is_empty() {
            reader.item(&tokens).map_err(|fault| format!("line {}: {fault}", at + 1))?;
        }
    }
    let net = reader.finish()?;
    crate::verify(&net)?;
    Ok(net)
}

/// A word of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A bare word or sign.
    Word(String),
    /// What stood between quotes.
    Name(String),
}

impl Token {
    fn word(&self) -> Result<&str, String> {
        match self {
            Self::Word(word) => Ok(word),
            Self::Name(name) => Err(format!("the name \"{name}\" does not belong here")),
        }
    }
}

/// The words of a line up to its comment.
pub(crate) fn tokens(line: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut letters = line.chars().peekable();
    while let Some(&letter) = letters.peek() {
        match letter {
            ';' => break,
            '"' => {
                letters.next();
                found.push(Token::Name(quoted(&mut letters)?));
            }
            _ if letter.is_whitespace() => {
                letters.next();
            }
            _ => {
                let mut word = String::new();
                while let Some(next) =
                    letters.next_if(|next| !next.is_whitespace() && !matches!(next, ';' | '"'))
                {
                    word.push(next);
                }
                debug_assert!(!word.is_empty());
                found.push(Token::Word(word));
            }
        }
    }
    Ok(found)
}

fn quoted(letters: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let mut name = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Ok(name),
            '\\' => match letters.next() {
                Some('n') => name.push('\n'),
                Some(escaped) => name.push(escaped),
                None => break,
            },
            _ => name.push(letter),
        }
    }
    Err("a quote is not closed".to_owned())
}

/// An id written as its prefix and number.
pub(crate) fn numbered<I: Id>(word: &str, prefix: &str) -> Result<I, String> {
    let digits = word.strip_prefix(prefix).filter(|digits| digits.len() < 10);
    digits
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
        .map(I::from_index)
        .ok_or_else(|| format!("`{word}` is not of the form {prefix}0, {prefix}1, .."))
}

/// What was read so far.
struct Reader {
    net: Net,
    names: FxHashMap<String, GateId>,
}

impl Reader {
    fn new() -> Self {
        let net = Net {
            gates: Gates::new(),
            bases: IndexVec::new(),
            inputs: IndexVec::new(),
            roles: IndexVec::new(),
            init: Vec::new(),
            legal: IndexVec::new(),
            terminal: Gates::FALSE,
            next: IndexVec::new(),
        };
        let constants = [("g0", Gates::FALSE), ("false", Gates::FALSE)];
        let constants = constants.into_iter().chain([("g1", Gates::TRUE), ("true", Gates::TRUE)]);
        Self { net, names: constants.map(|(name, gate)| (name.to_owned(), gate)).collect() }
    }

    fn item(&mut self, tokens: &[Token]) -> Result<(), String> {
        use Token::{Name, Word};
        match tokens {
            [Word(key), Name(name)] if key == "role" => {
                let start = self.net.inputs.len();
                let (name, inputs) = (name.clone(), start..start);
                self.net.roles.push(NetRole { name, inputs, goals: Vec::new() });
                Ok(())
            }
            [Word(input), Name(name)] if input.starts_with('i') => self.input(input, name),
            [Word(base), Name(name)] => self.base(base, name, false),
            [Word(base), Name(name), Word(init)] if init == "init" => self.base(base, name, true),
            _ => self.equation(&words(tokens)?),
        }
    }

    fn input(&mut self, word: &str, name: &str) -> Result<(), String> {
        let input: InputId = numbered(word, "i")?;
        if input != self.net.inputs.next_id() {
            return Err(format!("the next move is {}", self.net.inputs.next_id()));
        }
        let last = self.net.roles.iter_mut().last().ok_or("a move before the first role")?;
        last.inputs.end += 1;
        self.net.inputs.push(name.to_owned());
        self.net.legal.push(Gates::FALSE);
        Ok(())
    }

    fn base(&mut self, word: &str, name: &str, init: bool) -> Result<(), String> {
        let base: BaseId = numbered(word, "b")?;
        if base != self.net.bases.next_id() {
            return Err(format!("the next proposition is {}", self.net.bases.next_id()));
        }
        self.net.bases.push(name.to_owned());
        self.net.next.push(Gates::FALSE);
        if init {
            self.net.init.push(base);
        }
        Ok(())
    }

    fn equation(&mut self, words: &[&str]) -> Result<(), String> {
        match *words {
            ["legal", input, "=", operand] => {
                let input = known(numbered(input, "i")?, self.net.inputs.len())?;
                self.net.legal[input] = self.operand(operand)?;
            }
            ["terminal", "=", operand] => self.net.terminal = self.operand(operand)?,
            ["next", base, "=", operand] => {
                let base = known(numbered(base, "b")?, self.net.bases.len())?;
                self.net.next[base] = self.operand(operand)?;
            }
            ["goal", role, value, "=", operand] => {
                let role = known(numbered::<RoleId>(role, "r")?, self.net.roles.len())?;
                let value = value.parse().map_err(|_| format!("`{value}` is not a goal value"))?;
                let gate = self.operand(operand)?;
                self.net.roles[role].goals.push((value, gate));
            }
            [gate, "=", ref right @ ..] => {
                numbered::<GateId>(gate, "g")?;
                let made = self.expression(right)?;
                if self.names.insert(gate.to_owned(), made).is_some() {
                    return Err(format!("{gate} is there twice"));
                }
            }
            _ => return Err("this is no role, move, proposition, gate or output".to_owned()),
        }
        Ok(())
    }

    fn expression(&mut self, words: &[&str]) -> Result<GateId, String> {
        match *words {
            [operand] => self.operand(operand),
            ["not", operand] => {
                let operand = self.operand(operand)?;
                Ok(self.net.gates.not(operand))
            }
            ["and", ref operands @ ..] => self.junction(Junction::And, operands),
            ["or", ref operands @ ..] => self.junction(Junction::Or, operands),
            _ => Err("a gate is an operand, `not` of one, or `and` or `or` of some".to_owned()),
        }
    }

    fn junction(&mut self, kind: Junction, words: &[&str]) -> Result<GateId, String> {
        let operands: Result<Vec<GateId>, String> =
            words.iter().map(|word| self.operand(word)).collect();
        Ok(self.net.gates.join_many(kind, &operands?))
    }

    fn operand(&mut self, word: &str) -> Result<GateId, String> {
        if let Some(&gate) = self.names.get(word) {
            return Ok(gate);
        }
        match word.as_bytes().first() {
            Some(b'b') => {
                let base = known(numbered(word, "b")?, self.net.bases.len())?;
                Ok(self.net.gates.base(base))
            }
            Some(b'i') => {
                let input = known(numbered(word, "i")?, self.net.inputs.len())?;
                Ok(self.net.gates.does(input))
            }
            _ => Err(format!("`{word}` is not defined before")),
        }
    }

    fn finish(mut self) -> Result<Net, String> {
        for role in self.net.roles.iter_mut() {
            role.goals.sort_unstable();
        }
        Ok(self.net)
    }
}

/// The words of an equation: no quotes.
fn words(tokens: &[Token]) -> Result<Vec<&str>, String> {
    tokens.iter().map(Token::word).collect()
}

/// The id, when there are more than that many.
pub(crate) fn known<I: Id>(id: I, count: usize) -> Result<I, String> {
    if id.index() < count { Ok(id) } else { Err(format!("there is no {id}")) }
}

/// The network in the language of Graphviz: leaves as boxes, outputs as double circles.
pub fn dot(net: &Net) -> String {
    let mut text = String::from("digraph net {\n  rankdir=LR;\n");
    for (id, gate) in net.gates.iter() {
        let (label, shape) = match gate {
            Gate::Const(value) => (value.to_string(), "plaintext"),
            Gate::Base(base) => (net.bases[base].clone(), "box"),
            Gate::Does(input) => {
                let role = &net.roles[net.role_of(input)].name;
                (format!("(does {role} {})", net.inputs[input]), "box")
            }
            Gate::Not(_) => ("not".to_owned(), "circle"),
            Gate::And(..) => ("and".to_owned(), "circle"),
            Gate::Or(..) => ("or".to_owned(), "circle"),
        };
        text += &format!("  {id} [label={}, shape={shape}];\n", Quoted(&label));
        for operand in gate.operands() {
            text += &format!("  {operand} -> {id};\n");
        }
    }
    for (at, (label, gate)) in outputs(net).iter().enumerate() {
        text += &format!("  o{at} [label={}, shape=doublecircle];\n", Quoted(label));
        text += &format!("  {gate} -> o{at};\n");
    }
    text + "}\n"
}

/// All outputs with their names as GDL text.
fn outputs(net: &Net) -> Vec<(String, GateId)> {
    let mut found = Vec::new();
    for (input, gate) in net.legal.enumerate() {
        let role = &net.roles[net.role_of(input)].name;
        found.push((format!("(legal {role} {})", net.inputs[input]), *gate));
    }
    found.push(("terminal".to_owned(), net.terminal));
    for role in &net.roles {
        let goals = role.goals.iter();
        found.extend(goals.map(|(value, gate)| (format!("(goal {} {value})", role.name), *gate)));
    }
    let next = net.next.enumerate();
    found.extend(next.map(|(base, gate)| (format!("(next {})", net.bases[base]), *gate)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATCH: &str = r#"
        role "robot"
        i0 "(set \"x\")"       ; a quote in a name
        i1 "wait; see"
        b0 "lit" init
        b1 "(dark a)"
        g7 = or b0 i0 i1
        g9 = not b0
        legal i0 = g9
        legal i1 = true
        goal r0 100 = b0
        goal r0 0 = g9
        terminal = b1
        next b0 = g7
    "#;

    #[test]
    fn what_is_printed_is_read_back_equal() {
        let net = parse_net(LATCH).expect("the sample is well-formed");
        assert_eq!(net.inputs.as_slice(), ["(set \"x\")", "wait; see"]);
        assert_eq!(
            net.roles.as_slice()[0].goals.iter().map(|goal| goal.0).collect::<Vec<_>>(),
            [0, 100]
        );
        let printed = net.to_string();
        assert_eq!(parse_net(&printed).as_ref(), Ok(&net), "{printed}");
    }

    #[test]
    fn faults_name_their_line() {
        let faults = [
            ("role \"r\"\ni1 \"a\"", "line 2: the next move is i0"),
            ("i0 \"a\"", "line 1: a move before the first role"),
            ("g2 = and b0 b1", "line 1: there is no b0"),
            ("b0 \"x\"\ng2 = b0\ng2 = b0", "line 3: g2 is there twice"),
            ("next b0 = true", "line 1: there is no b0"),
            ("next b9999999999 = true", "line 1: `b9999999999` is not of the form b0, b1, .."),
            ("role \"open", "line 1: a quote is not closed"),
            ("goal r0 300 = true", "line 1: there is no r0"),
            ("b0 \"x\" unit", "line 1: the name \"x\" does not belong here"),
            ("what is this", "line 1: this is no role, move, proposition, gate or output"),
            ("role \"r\"\ni0 \"a\"\nlegal i0 = i0", "the view reads the move g2"),
            ("role \"r\"\ngoal r0 101 = true", "a goal value of role r is above 100"),
        ];
        for (text, fault) in faults {
            assert_eq!(parse_net(text), Err(fault.to_owned()), "for {text}");
        }
    }

    #[test]
    fn a_change_anywhere_makes_another_network() {
        let net = parse_net(LATCH).expect("the sample is well-formed");
        let changes = [
            ("\"robot\"", "\"rover\""),
            ("wait; see", "wait"),
            ("\"lit\" init", "\"lit\""),
            ("(dark a)", "(dark b)"),
            ("or b0 i0 i1", "or b0 i0 b1"),
            ("or b0 i0 i1", "and b0 i0 i1"),
            ("legal i1 = true", "legal i1 = b1"),
            ("goal r0 0 =", "goal r0 10 ="),
            ("terminal = b1", "terminal = b0"),
            ("next b0 = g7", "next b0 = true"),
        ];
        for (from, to) in changes {
            assert!(LATCH.contains(from), "{from}");
            let other = parse_net(&LATCH.replace(from, to)).expect("well-formed as well");
            assert_ne!(other, net, "{to}");
        }
        let other = parse_net(&LATCH.replace("or b0 i0 i1", "and b0 i0 i1")).expect("well-formed");
        assert_ne!(other.gates, net.gates);
        assert_eq!(crate::gates::Gates::default(), crate::gates::Gates::new());
    }

    #[test]
    fn the_drawing_names_every_output() {
        let net = parse_net(LATCH).expect("the sample is well-formed");
        let drawn = dot(&net);
        for name in ["(legal robot wait; see)", "terminal", "(goal robot 100)", "(next lit)"] {
            assert!(drawn.contains(name), "no {name} in {drawn}");
        }
        assert_eq!(drawn.matches('{').count(), drawn.matches('}').count());
    }
}
