//! Names and messages as a terminal may show them: control characters are spelled out.
//!
//! A file may be named with an escape sequence or a line end in it; printed raw it would colour,
//! move or forge what a person reads. Objects of JSON need none of this: their text is escaped.

use std::borrow::Cow;

/// The text with every control character as it is written in a program: `\n`, `\u{1b}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    debug_assert!(!shown.contains(char::is_control), "nothing is left to steer a terminal");
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out_and_letters_are_not() {
        assert_eq!(visible("a\u{1b}[31m\nb\u{9b}"), "a\\u{1b}[31m\\nb\\u{9b}");
        assert_eq!(visible("größe/日本.gdl"), "größe/日本.gdl");
    }
}
