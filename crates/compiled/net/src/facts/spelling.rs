//! What a proposition's text says: which relation, which arguments.
//!
//! Two readings: the outermost term, `(cell 1 (piece x king))` as `cell` of `1` and
//! `(piece x king)`; and, where arguments are nested, the flat one, all constants in order under
//! the term's shape. Guesses come from spellings only, so a strange text costs a guess, no more.

/// A proposition as a name with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spelling {
    /// The outermost function, or the shape with `_` for each constant.
    pub(super) shape: String,
    /// The arguments.
    pub(super) args: Vec<String>,
}

/// The outermost reading.
pub(super) fn outer(text: &str) -> Spelling {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return Spelling { shape: text.to_owned(), args: Vec::new() };
    };
    let mut parts = split(inner).into_iter();
    let shape = parts.next().unwrap_or_default();
    Spelling { shape, args: parts.collect() }
}

/// The flat reading, where it differs from the outermost one.
pub(super) fn flat(text: &str) -> Option<Spelling> {
    let outermost = outer(text);
    if !outermost.args.iter().any(|arg| arg.starts_with('(')) {
        return None;
    }
    let mut spelling = Spelling { shape: format!("({}", outermost.shape), args: Vec::new() };
    for arg in &outermost.args {
        spelling.absorb(arg);
    }
    spelling.shape.push(')');
    Some(spelling)
}

impl Spelling {
    /// Adds an argument with its own arguments flattened.
    fn absorb(&mut self, arg: &str) {
        if !arg.starts_with('(') {
            self.shape.push_str(" _");
            return self.args.push(arg.to_owned());
        }
        // The function's name is part of the shape; brackets are balanced within a term, so one
        // pass over the words is enough.
        for word in arg.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            let names_function = self.shape.ends_with(" (");
            match word {
                "(" | ")" => self.shape.push_str(if word == "(" { " (" } else { ")" }),
                _ if names_function => self.shape.push_str(word),
                _ => {
                    self.shape.push_str(" _");
                    self.args.push(word.to_owned());
                }
            }
        }
    }
}

/// The parts of a list, split where no bracket is open.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if depth > 0 || !letter.is_whitespace() => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The number in a constant: its digits where it is one or ends in one (`12`, `step12`).
pub(super) fn number(word: &str) -> Option<i64> {
    let digits = word.len() - word.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let (_, tail) = word.split_at(word.len() - digits);
    if digits == 0 || digits > 12 { None } else { tail.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_outermost_and_flat() {
        let nested = "(cell 1 (piece x (rank king)) 2)";
        let spelling = outer(nested);
        assert_eq!((spelling.shape.as_str(), spelling.args.len()), ("cell", 3));
        let spelling = flat(nested).expect("it is nested");
        assert_eq!(spelling.args, ["1", "x", "king", "2"]);
        assert_eq!(spelling.shape, "(cell _ (piece _ (rank _)) _)");
        assert_eq!(flat("(cell 1 2 b)"), None);
        assert_eq!(outer("pending"), Spelling { shape: "pending".to_owned(), args: vec![] });
    }

    #[test]
    fn numbers_stand_alone_or_at_the_end_of_a_name() {
        assert_eq!(
            [number("12"), number("step07"), number("x"), number("")],
            [Some(12), Some(7), None, None]
        );
        let (long, longer) = ("a123456789012", "a1234567890123");
        assert_eq!([number(long), number(longer)], [Some(123_456_789_012), None]);
    }
}
