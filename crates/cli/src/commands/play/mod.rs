//! `oddsmith play`: step through a game with the odds of every move.
//!
//! Whoever sits at the keyboard moves for every role but chance, the asked role first, as the
//! question has it; chance is rolled, or chosen with `--choose-chance`. A role with one legal move
//! is not asked. The rules are those of the plain simulator, the odds those of the sweep from the
//! state on the table. Terminal or not, input is read the same way, and its end ends the program.

mod odds;
mod table;
mod words;

use std::io::{BufRead, Write};
use std::sync::Arc;

use gdl::RoleId;
use net::random::Random;

use crate::args::PlayArgs;
use crate::failure::{Failure, Status};
use crate::quantity::show_count;
use crate::{lineup, memory, question, sheet};

use odds::{Brackets, Odds};
use table::{Move, Table};
use words::Word;

/// Widest line of a state.
const LINE_WIDTH: usize = 96;

/// What a prompt led to.
enum Turn {
    /// A move of the role.
    Move(Move),
    /// Back to the choice before.
    Undo,
    /// The end of the program.
    Quit,
}

/// Plays until the user quits or the input ends.
pub(crate) fn run(args: &PlayArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    memory::check_limit(args.memory)?;
    let held = sheet::read_open(&args.game.game, &args.sheet)?;
    let rulebook = Arc::new(held.rulebook);
    let question = question::one(&rulebook, &args.question, None)?;
    let table = Table::new(question.clone(), &held.source)?;
    let engine = lineup::standard(&args.sheet);
    let odds = Odds::new(engine, question, held.source, args.time, args.memory);
    let lines = std::io::stdin().lock();
    let roll = Random::new(args.seed);
    Session { table, odds, roll, choose_chance: args.choose_chance, lines, out }.play()?;
    Ok(Status::Answered)
}

/// One sitting.
struct Session<'a, R> {
    table: Table,
    odds: Odds,
    roll: Random,
    choose_chance: bool,
    lines: R,
    out: &'a mut dyn Write,
}

impl<R: BufRead> Session<'_, R> {
    fn play(&mut self) -> Result<(), Failure> {
        loop {
            self.show_state()?;
            let turn = if self.table.is_over()? { self.end()? } else { self.step()? };
            match turn {
                Turn::Quit => return Ok(writeln!(self.out)?),
                Turn::Undo => self.table.undo(),
                Turn::Move(_) => {}
            }
        }
    }

    fn show_state(&mut self) -> Result<(), Failure> {
        writeln!(self.out, "\nstep {}", show_count(self.table.steps() as u64))?;
        let mut width = 0;
        for fact in self.table.facts() {
            if width > 0 && width + fact.len() > LINE_WIDTH {
                writeln!(self.out)?;
                width = 0;
            }
            write!(self.out, "  {fact}")?;
            width += fact.len() + 2;
        }
        Ok(writeln!(self.out)?)
    }

    /// Tells the result; only undo and quit are left.
    fn end(&mut self) -> Result<Turn, Failure> {
        let text = self.table.result()?;
        writeln!(self.out, "{text}")?;
        loop {
            match self.read_word("end", &[])? {
                None | Some(Word::Quit) => return Ok(Turn::Quit),
                Some(Word::Undo) => return Ok(Turn::Undo),
                Some(_) => writeln!(self.out, "the game is over: u takes back a move, q quits")?,
            }
        }
    }

    /// One step: every role moves, in the order of the question.
    fn step(&mut self) -> Result<Turn, Failure> {
        let value = self.odds.of(&mut self.table)?;
        writeln!(self.out, "{}", self.odds.headline(&value))?;
        let mut asked_anyone = false;
        for role in self.table.order() {
            let moves = self.table.legal_moves(role)?;
            let turn = match &moves[..] {
                [only] => Turn::Move(only.clone()),
                _ if self.table.is_chance(role) && !self.choose_chance => {
                    Turn::Move(self.roll_for(role, &moves)?)
                }
                _ => {
                    asked_anyone = true;
                    self.ask(role, &moves)?
                }
            };
            match turn {
                Turn::Move(made) => self.table.choose(role, &made),
                other => {
                    self.table.forget_choices();
                    return Ok(other);
                }
            }
        }
        self.table.make_step(asked_anyone)?;
        Ok(Turn::Move(Move::default()))
    }

    fn roll_for(&mut self, role: RoleId, moves: &[Move]) -> Result<Move, Failure> {
        let made = moves[self.roll.below(moves.len())].clone();
        let name = self.table.name(role);
        writeln!(self.out, "{name} rolls {} (one of {})", made.text, moves.len())?;
        Ok(made)
    }

    /// Shows the moves of a role with their odds and reads until one is chosen.
    fn ask(&mut self, role: RoleId, moves: &[Move]) -> Result<Turn, Failure> {
        let brackets = self.odds.of_moves(&mut self.table, role, moves)?;
        let best = self.odds.best(&self.table, role, &brackets);
        self.show_moves(role, moves, &brackets, &best)?;
        let name = self.table.name(role).to_owned();
        loop {
            let Some(word) = self.read_word(&name, moves)? else { return Ok(Turn::Quit) };
            match word {
                Word::Quit => return Ok(Turn::Quit),
                Word::Undo => return Ok(Turn::Undo),
                Word::Random => return Ok(Turn::Move(moves[self.roll.below(moves.len())].clone())),
                Word::Best => match best.first() {
                    Some(place) => return Ok(Turn::Move(moves[*place].clone())),
                    None => writeln!(self.out, "the odds are not known here; choose a move")?,
                },
                Word::Help => self.out.write_all(words::HELP.as_bytes())?,
                Word::Move(place) => return Ok(Turn::Move(moves[place].clone())),
                Word::Unknown(text) => {
                    writeln!(self.out, "no move `{text}`; h shows what can be typed")?;
                }
            }
        }
    }

    fn show_moves(
        &mut self,
        role: RoleId,
        moves: &[Move],
        brackets: &[Option<Brackets>],
        best: &[usize],
    ) -> Result<(), Failure> {
        debug_assert_eq!(moves.len(), brackets.len(), "each move has odds, or none");
        let name_width = moves.iter().map(|held| held.text.chars().count()).max().unwrap_or(0);
        writeln!(self.out, "{} chooses", self.table.name(role))?;
        for (place, (held, odds)) in moves.iter().zip(brackets).enumerate() {
            let star = if best.contains(&place) { '*' } else { ' ' };
            let shown = odds.as_ref().map_or(String::new(), Brackets::text);
            let text = &held.text;
            let line = format!(" {star}{:>3}  {text:<name_width$}  {shown}", place + 1);
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// The next line of input; none at its end.
    fn read_word(&mut self, prompt: &str, moves: &[Move]) -> Result<Option<Word>, Failure> {
        write!(self.out, "{prompt}> ")?;
        self.out.flush()?;
        let mut line = Vec::new();
        let length = self.lines.read_until(b'\n', &mut line).map_err(|error| {
            Failure::Environment(format!("cannot read standard input: {error}"))
        })?;
        Ok((length > 0).then(|| words::parse(&String::from_utf8_lossy(&line), moves)))
    }
}
