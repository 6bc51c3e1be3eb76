//! Whole numbers and words of a line of bytes.

use super::fault::Place;

/// A line of the text and how far it is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) number: u64,
    pub(super) text: &'a [u8],
    pub(super) at: usize,
}

/// A word that is read as a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// Its value without the sign; past `u32` it is only known to be large.
    pub(super) size: u64,
    /// Whether a minus stands before it.
    pub(super) negative: bool,
    /// Where it begins in its line.
    pub(super) start: usize,
}

/// White space between words; a line feed never is in a line.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    byte == b' ' || (9..=13).contains(&byte)
}

impl<'a> Line<'a> {
    pub(super) fn new(number: u64, text: &'a [u8]) -> Self {
        Self { number, text, at: 0 }
    }

    /// Goes to the next word; false at the end of the line.
    #[inline]
    pub(super) fn skip_space(&mut self) -> bool {
        while self.text.get(self.at).is_some_and(|byte| is_space(*byte)) {
            self.at += 1;
        }
        self.at < self.text.len()
    }

    /// The next word and where it begins; none at the end of the line.
    pub(super) fn word(&mut self) -> Option<(&'a [u8], usize)> {
        if !self.skip_space() {
            return None;
        }
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
        self.at += length;
        Some((&rest[..length], start))
    }

    /// The place of the next word, which is passed; empty at the end of the line.
    pub(super) fn next_word(&mut self) -> Place<'a> {
        let start = self.word().map_or(self.at, |word| word.1);
        self.since(start)
    }

    /// The next word as a whole number.
    ///
    /// # Errors
    /// The place of the word where it is none.
    #[inline]
    pub(super) fn number(&mut self) -> Option<Result<Number, Place<'a>>> {
        if !self.skip_space() {
            return None;
        }
        let start = self.at;
        let negative = self.text[start] == b'-';
        let digits = start + usize::from(negative);
        let (mut at, mut size) = (digits, 0u64);
        while let Some(digit) = self.text.get(at).map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            size = (size * 10 + u64::from(digit)).min(1 << 40);
            at += 1;
        }
        self.at = at;
        let ends = self.text.get(at).is_none_or(|byte| is_space(*byte));
        if at > digits && ends {
            return Some(Ok(Number { size, negative, start }));
        }
        self.at = start;
        self.word();
        Some(Err(self.since(start)))
    }

    /// The place from a byte to here.
    pub(super) fn since(&self, start: usize) -> Place<'a> {
        Place { line: self.number, text: self.text, start, end: self.at }
    }

    /// The place behind the last word.
    pub(super) fn end(&self) -> Place<'a> {
        let end = self.text.trim_ascii_end().len();
        Place { line: self.number, text: self.text, start: end, end }
    }
}

/// A word of a place as text for a message; long ones are cut.
pub(super) fn shown(place: Place<'_>) -> String {
    let text = String::from_utf8_lossy(&place.text[place.start..place.end]).into_owned();
    let visible = text.replace(char::is_control, "\u{fffd}");
    if visible.chars().count() <= 24 {
        return visible;
    }
    visible.chars().take(20).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_are_told_apart() {
        let mut line = Line::new(1, b" 12 -3\t007 -0 x -  4x 99999999999999999999999 ");
        let mut found = Vec::new();
        while let Some(number) = line.number() {
            found.push(match number {
                Ok(number) => format!("{}{}", if number.negative { "-" } else { "" }, number.size),
                Err(place) => shown(place),
            });
        }
        assert_eq!(found, ["12", "-3", "7", "-0", "x", "-", "4x", &(1u64 << 40).to_string()]);
    }
}
