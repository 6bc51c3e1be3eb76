//! Clingo's messages with their places: `<block>:3:5-9: error: ...`.

use super::Message;

/// A message of clingo; the place is taken out of the text where it is there.
pub(super) fn from_clingo(text: &str) -> Message {
    let text = text.trim_end();
    let whole = || Message::nowhere(text);
    let Some(rest) = text.strip_prefix("<block>:") else { return whole() };
    let Some((place, said)) = rest.split_once(": ") else { return whole() };
    let said = said.strip_prefix("error: ").unwrap_or(said);
    let (from, to) = place.split_once('-').unwrap_or((place, place));
    let numbers = |place: &str| -> Option<Vec<u32>> {
        place.split(':').map(|number| number.parse().ok()).collect()
    };
    match (numbers(from).as_deref(), numbers(to).as_deref()) {
        (Some(&[line, column]), Some(to)) => {
            let end = match *to {
                [line, column] => Some((line, column)),
                [column] => Some((line, column)),
                _ => None,
            };
            Message { place: Some((line, column)), end, text: said.to_owned() }
        }
        _ => whole(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_out_of_the_text() {
        let message = from_clingo("<block>:3:5-9: error: syntax error, unexpected :-\n");
        assert_eq!((message.place, message.end), (Some((3, 5)), Some((3, 9))));
        let over_lines = from_clingo("<block>:3:5-4:2: error: x");
        assert_eq!((over_lines.place, over_lines.end), (Some((3, 5)), Some((4, 2))));
        assert_eq!(message.text, "syntax error, unexpected :-");
        assert_eq!(from_clingo("out of memory").place, None);
    }
}
