//! What is typed at a prompt: a command of one letter, the number of a move, or its text.

use super::table::Move;

/// Help at a prompt.
pub(super) const HELP: &str = "\
  NUMBER   the move of this number
  (move)   the move of this text
  b        a best move
  r        a random move
  u        undo the last choice
  q        quit
";

/// One line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The move at this place of the list.
    Move(usize),
    /// A best move.
    Best,
    /// A random move.
    Random,
    /// The choice before.
    Undo,
    /// The end.
    Quit,
    /// What can be typed.
    Help,
    /// None of these.
    Unknown(String),
}

/// Reads a line. The text of a move counts before a command of the same letter, which then is
/// reached by its whole word; a command before the number of a move.
pub(super) fn parse(line: &str, moves: &[Move]) -> Word {
    let typed = line.trim();
    let by_text = moves.iter().position(|held| plain(&held.text) == plain(typed));
    if let Some(place) = by_text {
        return Word::Move(place);
    }
    match typed.to_lowercase().as_str() {
        "b" | "best" => Word::Best,
        "r" | "random" | "roll" => Word::Random,
        "u" | "undo" => Word::Undo,
        "q" | "quit" | "exit" => Word::Quit,
        "" | "h" | "?" | "help" => Word::Help,
        _ => by_number(typed, moves).map_or_else(|| Word::Unknown(typed.to_owned()), Word::Move),
    }
}

fn by_number(typed: &str, moves: &[Move]) -> Option<usize> {
    let number: usize = typed.parse().ok()?;
    (1..=moves.len()).contains(&number).then(|| number - 1)
}

/// A text without case, outer parentheses and double blanks.
fn plain(text: &str) -> String {
    let spaced = text.to_lowercase().replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    match &words[..] {
        ["(", inner @ .., ")"] => inner.join(" "),
        _ => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_found_by_text_and_by_number() {
        let held = ["(drop 1)", "(drop 2)", "noop"].map(Move::of_text);
        assert_eq!(parse("( DROP  2 )\r\n", &held), Word::Move(1));
        assert_eq!(parse("drop 1", &held), Word::Move(0));
        assert_eq!(parse("3", &held), Word::Move(2));
        assert_eq!(parse("4", &held), Word::Unknown("4".to_owned()));
        assert_eq!(parse("0", &held), Word::Unknown("0".to_owned()));
        assert_eq!(parse("2", &["2", "1"].map(Move::of_text)), Word::Move(0));
    }

    #[test]
    fn a_move_named_like_a_command_is_a_move() {
        let held = ["a", "b"].map(Move::of_text);
        assert_eq!(parse("b", &held), Word::Move(1));
        assert_eq!(parse("best", &held), Word::Best);
        assert_eq!(parse("b", &[]), Word::Best);
        assert_eq!((parse(" Q \n", &held), parse("\n", &held)), (Word::Quit, Word::Help));
    }
}
