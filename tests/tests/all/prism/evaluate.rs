//! What a model is worth, state by state, as PRISM-games defines it.

use std::collections::{HashMap, HashSet};

use exact::Ratio;

use super::read::{Command, Expr, Model, Operator, Outcome};

type State = Vec<i128>;

/// A number as a fraction with a positive denominator.
type Number = (i128, i128);

/// A command with numbers for names.
struct Way {
    mover: usize,
    guard: Expr,
    outcomes: Vec<Outcome<usize>>,
}

/// A model with numbers for names.
pub(super) struct Game<'a> {
    model: &'a Model,
    formulas: Vec<Expr>,
    ways: Vec<Way>,
    won: Expr,
    /// The player whose chances are asked for.
    asked: usize,
    values: HashMap<State, Ratio>,
}

/// What names stand for.
#[derive(Default)]
struct Scope {
    numbers: HashMap<String, Expr>,
}

impl Scope {
    fn of(model: &Model) -> Result<Self, String> {
        let mut scope = Self::default();
        let variables = model.variables.iter().enumerate();
        let variables = variables.map(|(at, held)| (&held.name, Expr::Variable(at)));
        let formulas = model.formulas.iter().enumerate();
        let formulas = formulas.map(|(at, (name, _))| (name, Expr::Formula(at)));
        for (name, expr) in variables.chain(formulas) {
            if scope.numbers.insert(name.clone(), expr).is_some() {
                return Err(format!("`{name}` is declared twice"));
            }
        }
        Ok(scope)
    }

    fn place(&self, name: &str) -> Result<usize, String> {
        match self.numbers.get(name) {
            Some(Expr::Variable(at)) => Ok(*at),
            _ => Err(format!("`{name}` is no variable")),
        }
    }

    fn expr(&self, expr: &Expr) -> Result<Expr, String> {
        let inner = |expr: &Expr| self.expr(expr).map(Box::new);
        Ok(match expr {
            Expr::Number(_) | Expr::Variable(_) | Expr::Formula(_) => expr.clone(),
            Expr::Name(name) => {
                self.numbers.get(name).cloned().ok_or_else(|| format!("nothing is `{name}`"))?
            }
            Expr::Not(a) => Expr::Not(inner(a)?),
            Expr::Two(a, operator, b) => Expr::Two(inner(a)?, *operator, inner(b)?),
            Expr::Either(a, b, c) => Expr::Either(inner(a)?, inner(b)?, inner(c)?),
        })
    }

    fn way(&self, command: &Command, mover: usize) -> Result<Way, String> {
        let mut outcomes = Vec::new();
        for (weight, updates) in &command.outcomes {
            let weight = weight.as_ref().map(|weight| self.expr(weight)).transpose()?;
            let update = |(name, expr): &(String, Expr)| Ok((self.place(name)?, self.expr(expr)?));
            let updates: Result<Vec<_>, String> = updates.iter().map(update).collect();
            outcomes.push((weight, updates?));
        }
        Ok(Way { mover, guard: self.expr(&command.guard)?, outcomes })
    }
}

impl<'a> Game<'a> {
    /// Looks at who owns what; the asked player is the one who owns the module.
    pub(super) fn new(model: &'a Model) -> Result<Self, String> {
        let scope = Scope::of(model)?;
        let mut owners = HashMap::new();
        for (at, (_, held)) in model.players.iter().enumerate() {
            for thing in held {
                if owners.insert(thing.clone(), at).is_some() {
                    return Err(format!("two players hold {thing}"));
                }
            }
        }
        let owner = |thing: &str| match (model.is_game, owners.get(thing)) {
            (true, None) => Err(format!("no player holds {thing}")),
            (_, found) => Ok(found.copied().unwrap_or(0)),
        };
        let asked = owner(&model.module)?;
        let mut ways = Vec::new();
        for command in &model.commands {
            let mover = match command.label.as_str() {
                "" => asked,
                label => owner(&format!("[{label}]"))?,
            };
            ways.push(scope.way(command, mover)?);
        }
        let formulas: Result<Vec<Expr>, String> =
            model.formulas.iter().map(|(_, expr)| scope.expr(expr)).collect();
        let won = scope.expr(model.labels.get("won").ok_or("nothing is labelled \"won\"")?)?;
        Ok(Self { model, formulas: formulas?, ways, won, asked, values: HashMap::new() })
    }

    /// The largest probability with which the asked player reaches what is labelled "won".
    pub(super) fn value(&mut self) -> Result<Ratio, String> {
        let start: State = self.model.variables.iter().map(|variable| variable.init).collect();
        self.value_of(&start)
    }

    fn value_of(&mut self, state: &State) -> Result<Ratio, String> {
        if let Some(value) = self.values.get(state) {
            return Ok(value.clone());
        }
        let mut known = vec![None; self.formulas.len()];
        let value = if self.number(&self.won, state, &mut known)?.0 != 0 {
            Ratio::one()
        } else {
            let mut open = Vec::new();
            for (at, way) in self.ways.iter().enumerate() {
                if self.number(&way.guard, state, &mut known)?.0 != 0 {
                    open.push(at);
                }
            }
            let movers: HashSet<usize> = open.iter().map(|&at| self.ways[at].mover).collect();
            if movers.len() != 1 {
                return Err(format!("{} players move in one state", movers.len()));
            }
            let is_asked = movers.contains(&self.asked);
            let mut best: Option<Ratio> = None;
            for way in open {
                let value = self.mean(way, state, &mut known)?;
                best = Some(match best {
                    None => value,
                    Some(best) if is_asked => best.max(value),
                    Some(best) => best.min(value),
                });
            }
            best.ok_or("a state without a command")?
        };
        self.values.insert(state.clone(), value.clone());
        Ok(value)
    }

    /// What a way to go on is worth.
    fn mean(
        &mut self,
        way: usize,
        state: &State,
        known: &mut [Option<Number>],
    ) -> Result<Ratio, String> {
        let (mut sum, mut total) = (Ratio::zero(), Ratio::zero());
        for at in 0..self.ways[way].outcomes.len() {
            let (weight, updates) = &self.ways[way].outcomes[at];
            let (above, below) = match weight {
                Some(weight) => self.number(weight, state, known)?,
                None => (1, 1),
            };
            let size = |n: i128| u64::try_from(n).map_err(|_| "a negative probability");
            let weight = Ratio::new(size(above)?, size(below)?);
            if weight.is_zero() {
                continue;
            }
            total = &total + &weight;
            let mut next = state.clone();
            for (place, expr) in updates {
                let (value, below) = self.number(expr, state, known)?;
                let variable = &self.model.variables[*place];
                if below != 1 || value < variable.range.0 || value > variable.range.1 {
                    return Err(format!("{} becomes {value}/{below}", variable.name));
                }
                next[*place] = value;
            }
            // Who stays for ever where nothing is won never wins.
            let value = if next == *state { Ratio::zero() } else { self.value_of(&next)? };
            sum = &sum + &(&weight * &value);
        }
        if total == Ratio::one() { Ok(sum) } else { Err(format!("outcomes of {total} in all")) }
    }

    fn number(
        &self,
        expr: &Expr,
        state: &State,
        known: &mut [Option<Number>],
    ) -> Result<Number, String> {
        Ok(match expr {
            Expr::Number(value) => (*value, 1),
            Expr::Variable(place) => (state[*place], 1),
            Expr::Formula(at) => match known[*at] {
                Some(value) => value,
                None => {
                    let value = self.number(&self.formulas[*at], state, known)?;
                    known[*at] = Some(value);
                    value
                }
            },
            Expr::Name(name) => return Err(format!("`{name}` was not looked up")),
            Expr::Not(inner) => (i128::from(self.number(inner, state, known)?.0 == 0), 1),
            Expr::Either(test, yes, no) => {
                let holds = self.number(test, state, known)?.0 != 0;
                self.number(if holds { yes } else { no }, state, known)?
            }
            Expr::Two(left, operator, right) => {
                let (a, b) = self.number(left, state, known)?;
                let (c, d) = self.number(right, state, known)?;
                let truth = |holds: bool| (i128::from(holds), 1);
                match operator {
                    Operator::Or => truth(a != 0 || c != 0),
                    Operator::And => truth(a != 0 && c != 0),
                    Operator::Equal => truth(a * d == c * b),
                    Operator::More => truth(a * d > c * b),
                    Operator::Plus => lowest(a * d + c * b, b * d)?,
                    Operator::Minus => lowest(a * d - c * b, b * d)?,
                    Operator::Over => lowest(a * d, b * c)?,
                }
            }
        })
    }
}

fn lowest(above: i128, below: i128) -> Result<Number, String> {
    if below <= 0 {
        return Err("a division by nothing".to_owned());
    }
    let (mut a, mut b) = (above.abs(), below);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Ok((above / a.max(1), below / a.max(1)))
}
