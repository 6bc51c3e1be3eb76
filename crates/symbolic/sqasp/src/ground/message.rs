//! Clingo's messages with their places: `<block>:3:5-9: error: ...`.

use super::Message;

/// A message of clingo; the place is taken out of the text where it is there.
pub(super) fn from_clingo(text: &str) -> Message {
    let text = text.trim_end();
    let whole = || Message { place: None, text: text.to_owned() };
    let Some(rest) = text.strip_prefix("<block>:") else { return whole() };
    let Some((place, said)) = rest.split_once(": ") else { return whole() };
    let said = said.strip_prefix("error: ").unwrap_or(said);
    let mut numbers = place.split([':', '-']).map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(line)), Some(Ok(column))) => {
            Message { place: Some((line, column)), text: said.to_owned() }
        }
        _ => whole(),
    }
}

/// A construct that clingo takes and the completion does not.
pub(super) fn refusal(what: &'static str) -> Message {
    let text = format!("{what}: outside the class of programs that have a probability here");
    Message { place: None, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_taken_out_of_the_text() {
        let message = from_clingo("<block>:3:5-9: error: syntax error, unexpected :-\n");
        assert_eq!(message.place, Some((3, 5)));
        assert_eq!(message.text, "syntax error, unexpected :-");
        assert_eq!(from_clingo("out of memory").place, None);
    }
}
