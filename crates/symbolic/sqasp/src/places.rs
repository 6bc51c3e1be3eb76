//! Where things stand in the text of a program.
//!
//! Clingo tells the place of what it refuses itself. What it takes and is outside the class here,
//! and what is wrong with the facts of the prefix, shows only in the ground program, which has no
//! places; so the text is looked through for the statements that can be meant. Comments, strings
//! and scripts are blanked first; a statement ends with a period outside of parentheses. A place
//! is for a person: where two statements could be meant, the first that fits best is shown.

use crate::prefix::arguments;

/// A construct that is outside the class of programs with a probability.
#[cfg(any(test, feature = "clingo"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    Disjunction,
    Optimisation,
    Projection,
    External,
    Heuristic,
    Edge,
    Theory,
}

/// A part of a text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A program with its statements found.
pub(crate) struct Places<'p> {
    text: &'p str,
    /// The text with all that is no code blanked, of the same length.
    code: String,
    #[cfg(any(test, feature = "clingo"))]
    statements: Vec<Extent>,
}

impl<'p> Places<'p> {
    pub(crate) fn new(text: &'p str) -> Self {
        let code = code(text);
        debug_assert_eq!(code.len(), text.len());
        Self {
            text,
            #[cfg(any(test, feature = "clingo"))]
            statements: statements(&code),
            code,
        }
    }

    /// Line and column of a place in the text, both from 1, the column in bytes.
    pub(crate) fn line_and_column(&self, at: usize) -> (u32, u32) {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        (line as u32 + 1, (before.len() - start) as u32 + 1)
    }

    /// Where constructs of a kind stand.
    #[cfg(any(test, feature = "clingo"))]
    pub(crate) fn of(&self, kind: Outside) -> Vec<Extent> {
        let is_it = |extent: &&Extent| is_of(&self.code[extent.start..extent.end], kind);
        self.statements.iter().filter(is_it).copied().collect()
    }

    /// Parts of a program other than `base`, which nothing makes ground.
    #[cfg(any(test, feature = "clingo"))]
    pub(crate) fn parts(&self) -> Vec<(String, Extent)> {
        let mut found = Vec::new();
        for extent in &self.statements {
            let Some(rest) = self.code[extent.start..extent.end].strip_prefix("#program") else {
                continue;
            };
            let name = rest.trim().trim_end_matches('.').trim();
            if name != "base" {
                found.push((name.to_owned(), *extent));
            }
        }
        found
    }

    /// Where a ground fact of the prefix comes from.
    pub(crate) fn of_fact(&self, fact: &str) -> Option<Extent> {
        let (word, args) = parsed(fact)?;
        let mut best: Option<(usize, Extent)> = None;
        for (at, _) in self.code.match_indices(word) {
            let Some(extent) = self.call(at, word.len()) else { continue };
            let Some((_, pattern)) = parsed(&self.text[extent.start..extent.end]) else { continue };
            let Some(loose) = looseness(&pattern, &args) else { continue };
            if best.is_none_or(|(known, _)| loose < known) {
                best = Some((loose, extent));
            }
        }
        best.map(|(_, extent)| extent)
    }

    /// The call `word(...)` at a place of the code.
    fn call(&self, at: usize, word: usize) -> Option<Extent> {
        let before = self.code[..at].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || "_'".contains(letter)) {
            return None;
        }
        let mut depth = 0usize;
        for (place, byte) in self.code.bytes().enumerate().skip(at + word) {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => return Some(Extent { start: at, end: place + 1 }),
                b')' => depth = depth.checked_sub(1)?,
                b' ' | b'\n' | b'\t' | b'\r' => {}
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }
}

/// The text with comments, strings and scripts as blanks; line ends stay.
fn code(text: &str) -> String {
    let mut code = text.as_bytes().to_vec();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = if rest.starts_with("%*") {
            rest.find("*%").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with('%') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("#script") {
            rest.find("#end").unwrap_or(rest.len())
        } else if rest.starts_with('"') {
            string_length(rest)
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let blanked = &mut code[at..at + length];
        blanked.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at += length;
    }
    String::from_utf8_lossy(&code).into_owned()
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The statements of a code, each from its first letter to past its period.
#[cfg(any(test, feature = "clingo"))]
fn statements(code: &str) -> Vec<Extent> {
    let bytes = code.as_bytes();
    let (mut found, mut depth, mut start) = (Vec::new(), 0i32, 0);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            b'.' if bytes.get(at + 1) == Some(&b'.') => at += 1,
            b'.' if depth <= 0 => {
                let begin = begin(code, start, at);
                found.push(Extent { start: begin, end: at + 1 });
                (start, depth) = (at + 1, 0);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The first letter of a statement, after the brackets that close the one before it.
#[cfg(any(test, feature = "clingo"))]
fn begin(code: &str, start: usize, end: usize) -> usize {
    let skip_blanks = |from: usize| {
        let rest = &code[from..end];
        from + (rest.len() - rest.trim_start().len())
    };
    let first = skip_blanks(start);
    match code[first..end].starts_with('[').then(|| code[first..end].find(']')).flatten() {
        Some(close) => skip_blanks(first + close + 1),
        None => first,
    }
}

#[cfg(any(test, feature = "clingo"))]
fn is_of(statement: &str, kind: Outside) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| statement.starts_with(word));
    match kind {
        Outside::Disjunction => !begins(&["#", ":-", ":~"]) && is_disjunction(head(statement)),
        Outside::Optimisation => begins(&["#minimi", "#maximi", ":~"]),
        Outside::Projection => begins(&["#project"]),
        Outside::External => begins(&["#external"]),
        Outside::Heuristic => begins(&["#heuristic"]),
        Outside::Edge => begins(&["#edge"]),
        Outside::Theory => !begins(&["#theory"]) && statement.contains('&'),
    }
}

#[cfg(any(test, feature = "clingo"))]
fn head(statement: &str) -> &str {
    statement.split_once(":-").map_or(statement, |(head, _)| head)
}

/// Whether a head has alternatives outside of all parentheses, or a condition, which has as many
/// as its conditions hold.
#[cfg(any(test, feature = "clingo"))]
fn is_disjunction(head: &str) -> bool {
    let mut depth = 0;
    head.bytes().any(|byte| {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            _ => {}
        }
        depth == 0 && b";|:".contains(&byte)
    })
}

/// A fact's word and its arguments.
fn parsed(fact: &str) -> Option<(&str, Vec<&str>)> {
    let (word, rest) = fact.split_once('(')?;
    let inside = rest.trim_end().strip_suffix(')')?;
    Some((word.trim_end(), arguments(inside)))
}

/// How many arguments fit only because they stand for others; none where one does not fit.
fn looseness(pattern: &[&str], ground: &[&str]) -> Option<usize> {
    if pattern.len() != ground.len() {
        return None;
    }
    let mut loose = 0;
    for (pattern, ground) in pattern.iter().zip(ground) {
        let bare: String = pattern.split_whitespace().collect();
        if bare == **ground {
            continue;
        }
        loose +=
            if stands_for_others(&bare) { looseness_inside(&bare, ground) } else { return None };
    }
    Some(loose)
}

/// A term with variables: whose function is another one fits worse than whose arguments fit.
fn looseness_inside(pattern: &str, ground: &str) -> usize {
    match (parsed(pattern), parsed(ground)) {
        (Some((word, args)), Some((known, others))) if word == known => {
            1 + looseness(&args, &others).unwrap_or(100)
        }
        (None, _) => 1,
        _ => 100,
    }
}

/// Whether a term has variables, ranges, pools, constants or sums.
fn stands_for_others(term: &str) -> bool {
    let words = term.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let is_variable = |word: &str| {
        let first = word.trim_start_matches('_').chars().next();
        first.is_none_or(|first| first.is_ascii_uppercase()) && !word.is_empty()
    };
    term.contains("..")
        || term.contains([';', '+', '*', '/', '\\', '-', '&', '|', '^'])
        || words.into_iter().any(is_variable)
        || term.chars().all(|letter| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str, kind: Outside) -> Vec<(u32, u32)> {
        let places = Places::new(text);
        places.of(kind).iter().map(|extent| places.line_and_column(extent.start)).collect()
    }

    #[test]
    fn constructs_are_found_by_kind() {
        let text = "a. % b ; c.\n{ x ; y }.\n  p(1..3) ; q.\n%* :~ a.\n*% :~ b. [1@2]\n\
                    #external e.  #minimize { 1,X : p(X) }.\n&diff { a } :- b.\nr : q(X).\n\
                    t(\"; | .\") :- x.";
        assert_eq!(starts(text, Outside::Disjunction), [(3, 3), (8, 1)]);
        assert_eq!(starts(text, Outside::Optimisation), [(5, 4), (6, 15)]);
        assert_eq!(starts(text, Outside::External), [(6, 1)]);
        assert_eq!(starts(text, Outside::Theory), [(7, 1)]);
        assert_eq!(starts(text, Outside::Edge), []);
    }

    #[test]
    fn facts_are_found_where_they_fit_best() {
        let text = "% _exists(1,a).\n_exists(1,b). x_exists(1,a).\n_exists(L,p(X)) :- d(X).\n\
                    _exists(2, a).\n_chance(1..2,P,Q,f(\")\",X)) :- e(X).";
        let place = |fact: &str| {
            let places = Places::new(text);
            places.of_fact(fact).map(|extent| places.line_and_column(extent.start))
        };
        assert_eq!(place("_exists(1,b)"), Some((2, 1)));
        assert_eq!(place("_exists(2,a)"), Some((4, 1)));
        assert_eq!(place("_exists(3,p(7))"), Some((3, 1)));
        assert_eq!(place("_chance(2,1,3,f(\")\",4))"), Some((5, 1)));
        assert_eq!(place("_forall(1,b)"), None);
    }

    #[test]
    fn facts_are_told_from_what_looks_like_them() {
        let place = |text: &str, fact: &str| {
            let places = Places::new(text);
            let (line, column) = places.line_and_column(places.of_fact(fact)?.start);
            assert_eq!(line, 1, "{text}");
            Some(column)
        };
        for (text, fact, column) in [
            // The first of equals, the whole word, the function that is meant, the closest arguments.
            ("_exists(1,a). _exists(1,a).", "_exists(1,a)", 1),
            ("_exists2(1,b). _exists(1,b).", "_exists(1,b)", 16),
            ("_exists(1,f(X)). _exists(1,p(X)).", "_exists(1,p(7))", 18),
            ("_exists(1,p(X,Y)). _exists(1,p(X,2)).", "_exists(1,p(1,2))", 20),
            // No comment begins in a string, and an escaped quotation mark does not end one.
            ("s(\"%\"). _exists(1,b).", "_exists(1,b)", 9),
            ("s(\"\\\"%\"). _exists(1,b).", "_exists(1,b)", 11),
        ] {
            assert_eq!(place(text, fact), Some(column), "{text}");
        }
    }

    #[test]
    fn parts_other_than_base_are_named() {
        let places = Places::new("#program base.\na.\n#program step(t).\nb.");
        let parts = places.parts();
        assert_eq!(parts.len(), 1);
        assert_eq!(
            (parts[0].0.as_str(), places.line_and_column(parts[0].1.start)),
            ("step(t)", (3, 1))
        );
    }

    #[test]
    fn no_text_breaks_the_search() {
        for text in ["", ".", "...", "\"", "%*", "_exists(", "_exists)", "č ; d.", "[", "a. ["] {
            let places = Places::new(text);
            for kind in [
                Outside::Disjunction,
                Outside::Optimisation,
                Outside::Projection,
                Outside::External,
                Outside::Heuristic,
                Outside::Edge,
                Outside::Theory,
            ] {
                let found = places.of(kind);
                assert!(found.len() <= 1, "{text} has one statement at most");
            }
            places.of_fact("_exists(1,a)");
            places.parts();
        }
    }
}
