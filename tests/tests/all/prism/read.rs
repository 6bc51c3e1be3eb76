//! A reader of the part of PRISM's language that models of games use.

use std::collections::HashMap;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expr {
    Number(i128),
    Name(String),
    /// A variable, by its place; a reader writes names.
    Variable(usize),
    /// A formula, by its number; a reader writes names.
    Formula(usize),
    Not(Box<Expr>),
    Two(Box<Expr>, Operator, Box<Expr>),
    Either(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// What stands between two expressions, from loose to tight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    More,
    Plus,
    Minus,
    Over,
}

/// A variable, with the range of its values; of truth, 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) range: (i128, i128),
    pub(super) init: i128,
}

/// A probability (none: 1), and new values of variables.
pub(super) type Outcome<Name> = (Option<Expr>, Vec<(Name, Expr)>);

/// A way to go on: who may, when, and with which probability to where.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// The label; empty where there is none.
    pub(super) label: String,
    pub(super) guard: Expr,
    pub(super) outcomes: Vec<Outcome<String>>,
}

/// A model of one module.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) is_game: bool,
    pub(super) module: String,
    /// Each player with what it holds: labels in brackets, or the module.
    pub(super) players: Vec<(String, Vec<String>)>,
    pub(super) formulas: Vec<(String, Expr)>,
    pub(super) variables: Vec<Variable>,
    pub(super) commands: Vec<Command>,
    pub(super) labels: HashMap<String, Expr>,
}

/// Reads a model; comments are left out.
pub(super) fn read(text: &str) -> Result<Model, String> {
    let mut reader = Reader { words: words(text)?, at: 0 };
    let mut model = Model::default();
    match reader.next()?.as_str() {
        "smg" => model.is_game = true,
        "mdp" => {}
        other => return Err(format!("`{other}` is no type of model")),
    }
    while reader.at < reader.words.len() {
        match reader.next()?.as_str() {
            "player" => model.players.push(reader.player()?),
            "formula" => {
                let name = reader.next()?;
                reader.expect("=")?;
                let expr = reader.expr(Operator::Or)?;
                reader.expect(";")?;
                model.formulas.push((name, expr));
            }
            "module" => reader.module(&mut model)?,
            "label" => {
                let name = reader.next()?;
                reader.expect("=")?;
                model.labels.insert(name.trim_matches('"').to_owned(), reader.expr(Operator::Or)?);
                reader.expect(";")?;
            }
            other => return Err(format!("`{other}` begins nothing")),
        }
    }
    Ok(model)
}

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let letters: Vec<char> = line.chars().collect();
        let mut at = 0;
        while at < letters.len() {
            let start = at;
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if letters[at].is_whitespace() {
                at += 1;
                continue;
            }
            if is_word(letters[at]) {
                while at < letters.len() && is_word(letters[at]) {
                    at += 1;
                }
            } else if letters[at] == '"' {
                at += 1 + letters[at + 1..].iter().position(|&c| c == '"').ok_or("open quote")? + 1;
            } else {
                let pair: String = letters[at..].iter().take(2).collect();
                at += if ["->", ".."].contains(&pair.as_str()) { 2 } else { 1 };
            }
            words.push(letters[start..at].iter().collect());
        }
    }
    Ok(words)
}

struct Reader {
    words: Vec<String>,
    at: usize,
}

impl Reader {
    fn next(&mut self) -> Result<String, String> {
        let word = self.words.get(self.at).ok_or("the text ends too early")?;
        self.at += 1;
        Ok(word.clone())
    }

    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        let found = self.next()?;
        if found == word { Ok(()) } else { Err(format!("`{found}` where `{word}` belongs")) }
    }

    fn number(&mut self) -> Result<i128, String> {
        let word = self.next()?;
        match word.as_str() {
            "true" => Ok(1),
            "false" => Ok(0),
            _ => word.parse().map_err(|_| format!("`{word}` is no number")),
        }
    }

    fn player(&mut self) -> Result<(String, Vec<String>), String> {
        let name = self.next()?;
        let mut held = Vec::new();
        loop {
            if self.takes("[") {
                held.push(format!("[{}]", self.next()?));
                self.expect("]")?;
            } else {
                held.push(self.next()?);
            }
            if !self.takes(",") {
                break;
            }
        }
        self.expect("endplayer")?;
        Ok((name, held))
    }

    fn module(&mut self, model: &mut Model) -> Result<(), String> {
        model.module = self.next()?;
        while !self.takes("endmodule") {
            if self.takes("[") {
                let label = if self.peek() == "]" { String::new() } else { self.next()? };
                self.expect("]")?;
                let command = self.command(label)?;
                model.commands.push(command);
            } else {
                let variable = self.variable()?;
                model.variables.push(variable);
            }
        }
        Ok(())
    }

    fn variable(&mut self) -> Result<Variable, String> {
        let name = self.next()?;
        self.expect(":")?;
        let range = if self.takes("bool") {
            (0, 1)
        } else {
            self.expect("[")?;
            let low = self.number()?;
            self.expect("..")?;
            let high = self.number()?;
            self.expect("]")?;
            (low, high)
        };
        self.expect("init")?;
        let init = self.number()?;
        self.expect(";")?;
        Ok(Variable { name, range, init })
    }

    fn command(&mut self, label: String) -> Result<Command, String> {
        let guard = self.expr(Operator::Or)?;
        self.expect("->")?;
        let mut outcomes = Vec::new();
        loop {
            let is_plain = self.peek() == "true" || self.is_update();
            let weight = if is_plain {
                None
            } else {
                let weight = self.expr(Operator::Or)?;
                self.expect(":")?;
                Some(weight)
            };
            outcomes.push((weight, self.updates()?));
            if !self.takes("+") {
                break;
            }
        }
        self.expect(";")?;
        Ok(Command { label, guard, outcomes })
    }

    /// Whether `(name' = ..` stands here.
    fn is_update(&self) -> bool {
        self.peek() == "(" && self.words.get(self.at + 2).is_some_and(|word| word == "'")
    }

    fn updates(&mut self) -> Result<Vec<(String, Expr)>, String> {
        let mut updates = Vec::new();
        if self.takes("true") {
            return Ok(updates);
        }
        loop {
            self.expect("(")?;
            let name = self.next()?;
            self.expect("'")?;
            self.expect("=")?;
            updates.push((name, self.expr(Operator::Or)?));
            self.expect(")")?;
            if !self.takes("&") {
                return Ok(updates);
            }
        }
    }

    /// An expression of operators that bind at least so tightly. A choice by `?` stands alone
    /// between brackets.
    fn expr(&mut self, least: Operator) -> Result<Expr, String> {
        let mut left = self.factor()?;
        while let Some(operator) = operator(self.peek()).filter(|found| *found >= least) {
            // After the weight of an outcome comes `+` and the next outcome's weight, never a sum.
            self.at += 1;
            let right = self.expr(next_tighter(operator))?;
            left = Expr::Two(Box::new(left), operator, Box::new(right));
        }
        if least == Operator::Or && self.takes("?") {
            let yes = self.expr(Operator::Or)?;
            self.expect(":")?;
            let no = self.expr(Operator::Or)?;
            return Ok(Expr::Either(Box::new(left), Box::new(yes), Box::new(no)));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expr, String> {
        if self.takes("!") {
            return Ok(Expr::Not(Box::new(self.expr(Operator::Equal)?)));
        }
        if self.takes("(") {
            let inner = self.expr(Operator::Or)?;
            self.expect(")")?;
            return Ok(inner);
        }
        let word = self.next()?;
        match word.chars().next() {
            Some(first) if first.is_ascii_digit() => {
                word.parse().map(Expr::Number).map_err(|_| format!("`{word}` is no number"))
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => Ok(match word.as_str() {
                "true" => Expr::Number(1),
                "false" => Expr::Number(0),
                _ => Expr::Name(word),
            }),
            _ => Err(format!("`{word}` begins no expression")),
        }
    }
}

fn operator(word: &str) -> Option<Operator> {
    Some(match word {
        "|" => Operator::Or,
        "&" => Operator::And,
        "=" => Operator::Equal,
        ">" => Operator::More,
        "+" => Operator::Plus,
        "-" => Operator::Minus,
        "/" => Operator::Over,
        _ => return None,
    })
}

/// The least tight operator on the right of another, so that equals group to the left.
fn next_tighter(operator: Operator) -> Operator {
    match operator {
        Operator::Or => Operator::And,
        Operator::And => Operator::Equal,
        Operator::Equal | Operator::More => Operator::Plus,
        Operator::Plus | Operator::Minus => Operator::Over,
        // Nothing binds tighter: a chain of divisions is not written.
        Operator::Over => Operator::Over,
    }
}
