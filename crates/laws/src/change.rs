//! Changes to a sheet, drawn from dice: the same throws, the same change.
//!
//! Bytes changed at random are refused at the first parenthesis; so most changes here keep lists
//! whole: one is doubled, left out, moved, wrapped, put in the place of another one, or taken from
//! another sheet; a word takes another's place or becomes a keyword. A few do break the text: a
//! parenthesis more or less, a comment, a quotation, a line end, a letter. Cost: linear in the text
//! for each change.

use std::ops::Range;

use crosscheck::Dice;

/// Words and marks that mean something to a reader.
const WORDS: &[&str] = &[
    "<=", "or", "and", "not", "distinct", "true", "does", "next", "legal", "goal", "role", "init",
    "base", "input", "sees", "terminal", "random", "?x", "?y", "?", "noop", "0", "100", "007",
    "\"a b\"", "|c d|", "Cell", "NOT", "()", "x",
];
const MARKS: &[&str] = &[
    "(", ")", " ; c\n", ";", "\"", "|", "\r", "\n", "\r\n", "\n\n", "\t", "\u{feff}", "\u{a0}",
    "é", "(<= ", "))", "((", "=>", "\0",
];
const WRAPPERS: &[&str] =
    &["not", "or", "and", "true", "f", "<= x", "distinct a", "or (p 1)", "next", "does ?r"];
/// Longest text that is made, in bytes.
const LENGTH_LIMIT: usize = 20_000;

/// The text with a few changes; some take parts of `other`.
pub fn changed(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..dice.between(1, 6) {
        text = change(&text, other, dice);
        if text.len() > LENGTH_LIMIT {
            break;
        }
    }
    text
}

fn change(text: &str, other: &str, dice: &mut Dice) -> String {
    let lists = lists(text);
    if lists.is_empty() || dice.chance(12) {
        return marked(text, dice);
    }
    let list = dice.pick(&lists).clone();
    let part = &text[list.clone()];
    match dice.below(7) {
        0 => replaced(text, list, ""),
        1 => replaced(text, list, &format!("{part} {part}")),
        2 => replaced(text, list, &format!("({} {part})", dice.pick(WRAPPERS))),
        3 => {
            let from = dice.pick(&lists).clone();
            replaced(text, list, &text[from])
        }
        4 => {
            let donors = self::lists(other);
            let gift = if donors.is_empty() { "" } else { &other[dice.pick(&donors).clone()] };
            replaced(text, list, gift)
        }
        _ => reworded(text, list, dice),
    }
}

/// Puts a word of the list in the place of another, or a word that means something.
fn reworded(text: &str, list: Range<usize>, dice: &mut Dice) -> String {
    let words = words(text, list);
    if words.is_empty() {
        return marked(text, dice);
    }
    let word = dice.pick(&words).clone();
    let all = self::words(text, 0..text.len());
    let new = match dice.chance(50) {
        true => text[dice.pick(&all).clone()].to_owned(),
        false => (*dice.pick(WORDS)).to_owned(),
    };
    replaced(text, word, &new)
}

/// Puts a mark somewhere, over up to two characters.
fn marked(text: &str, dice: &mut Dice) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let place = dice.below(places.len());
    let end = (place + dice.below(3)).min(places.len() - 1);
    let mark: &&str = dice.pick(MARKS);
    replaced(text, places[place]..places[end], mark)
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// Where lists stand, comments and quotations not looked at: a guess is enough here.
fn lists(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open.push(at),
            b')' => found.extend(open.pop().map(|start| start..at + 1)),
            _ => {}
        }
    }
    found
}

/// Where words stand in a part of the text.
fn words(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let separates = |next: char| next.is_whitespace() || "();".contains(next);
    let mut found = Vec::new();
    let mut start = part.start;
    for (at, next) in text[part.clone()].char_indices() {
        let at = part.start + at;
        if separates(next) {
            found.extend((start < at).then_some(start..at));
            start = at + next.len_utf8();
        }
    }
    found.extend((start < part.end).then_some(start..part.end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_words_are_found() {
        let text = "(a (bé c) d)";
        let parts = |ranges: Vec<Range<usize>>| -> Vec<&str> {
            ranges.into_iter().map(|range| &text[range]).collect()
        };
        assert_eq!(parts(lists(text)), ["(bé c)", text]);
        assert_eq!(parts(words(text, 3..10)), ["bé", "c"]);
    }

    #[test]
    fn the_same_throws_make_the_same_change_and_others_another() {
        let make = |seed| changed("(role x) (init (a b))", "(c (d))", &mut Dice::new(seed));
        let made: std::collections::BTreeSet<String> = (0..200).map(make).collect();
        assert_eq!(make(7), make(7));
        assert!(made.len() > 150, "only {} of 200 differ", made.len());
    }
}
