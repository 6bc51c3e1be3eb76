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
    /// A number or a move.
    Text(String),
}

/// Reads a line. A move whose text is one letter can be reached by its number.
pub(super) fn parse(line: &str) -> Word {
    match line.trim().to_lowercase().as_str() {
        "b" | "best" => Word::Best,
        "r" | "random" | "roll" => Word::Random,
        "u" | "undo" => Word::Undo,
        "q" | "quit" | "exit" => Word::Quit,
        "" | "h" | "?" | "help" => Word::Help,
        _ => Word::Text(line.trim().to_owned()),
    }
}

/// The place of the move that is meant; its text counts before its number.
pub(super) fn find(text: &str, moves: &[Move]) -> Option<usize> {
    let wanted = plain(text);
    let by_text = moves.iter().position(|held| plain(&held.text) == wanted);
    by_text.or_else(|| {
        let number: usize = text.parse().ok()?;
        (1..=moves.len()).contains(&number).then(|| number - 1)
    })
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
        assert_eq!(find("( DROP  2 )", &held), Some(1));
        assert_eq!(find("drop 1", &held), Some(0));
        assert_eq!(find("3", &held), Some(2));
        assert_eq!(find("4", &held), None);
        assert_eq!(find("0", &held), None);
        let numbers = ["2", "1"].map(Move::of_text);
        assert_eq!(find("2", &numbers), Some(0));
    }

    #[test]
    fn letters_are_commands_and_the_rest_is_a_move() {
        assert_eq!(parse(" Q \n"), Word::Quit);
        assert_eq!(parse("\n"), Word::Help);
        assert_eq!(parse("(mark 1 1)\r\n"), Word::Text("(mark 1 1)".to_owned()));
    }
}
