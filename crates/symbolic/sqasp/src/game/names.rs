//! Names of the sheet as names of clingo, one to one, and back.
//!
//! A name that clingo takes stays as it is; a whole number in canonical form stays a number. Any
//! other becomes `esc_` and the name with each character outside `a-z A-Z 0-9` as `_` and its
//! code in hexadecimal and another `_`. Names that begin like that are treated so as well, which
//! keeps the map one to one. Our own predicates give way to those of the sheet: they get a number.

use gdl::{Symbols, Term};
use index::IndexVec;
use rustc_hash::FxHashSet;

/// Begins every name that could not stay.
const ESCAPE: &str = "esc_";
/// What clingo reads otherwise, and what this language does.
const RESERVED: &[&str] = &["not", "_exists", "_forall", "_chance"];

/// The name in clingo of a name of the sheet.
pub(crate) fn name_in_clingo(name: &str) -> String {
    if is_identifier(name) && !name.starts_with(ESCAPE) && !RESERVED.contains(&name) {
        return name.to_owned();
    }
    let mut escaped = ESCAPE.to_owned();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() {
            escaped.push(letter);
        } else {
            escaped.push_str(&format!("_{:x}_", u32::from(letter)));
        }
    }
    escaped
}

/// The name of the sheet that became this name.
pub(crate) fn name_in_sheet(name: &str) -> Option<String> {
    let Some(escaped) = name.strip_prefix(ESCAPE) else { return Some(name.to_owned()) };
    let mut plain = String::new();
    for (at, part) in escaped.split('_').enumerate() {
        if at % 2 == 0 {
            plain.push_str(part);
        } else {
            plain.push(char::from_u32(u32::from_str_radix(part, 16).ok()?)?);
        }
    }
    Some(plain)
}

/// Whether clingo takes the word for a constant: `_* [a-z] [A-Za-z0-9_]*`.
fn is_identifier(word: &str) -> bool {
    let rest = word.trim_start_matches('_');
    rest.starts_with(|first: char| first.is_ascii_lowercase())
        && rest.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether the word is a number as clingo prints it.
fn is_number(word: &str) -> bool {
    word.parse::<i32>().is_ok_and(|number| number.to_string() == word)
}

/// A constant of the sheet as a term of clingo.
pub(crate) fn constant(name: &str) -> String {
    if is_number(name) { name.to_owned() } else { name_in_clingo(name) }
}

/// A term as clingo reads it; variables by the given names.
pub(crate) fn term(
    term: &Term,
    symbols: &Symbols,
    variables: &dyn Fn(gdl::VarId) -> String,
) -> String {
    match term {
        Term::Variable(variable) => variables(*variable),
        Term::Constant(name) => constant(symbols.name(*name)),
        Term::Compound(name, args) => {
            let args: Vec<String> =
                args.iter().map(|arg| self::term(arg, symbols, variables)).collect();
            format!("{}({})", name_in_clingo(symbols.name(*name)), args.join(","))
        }
    }
}

/// Names of a rule's variables: the sheet's with a capital, each its own, none of `taken`.
pub(crate) fn variables(
    names: &IndexVec<gdl::VarId, Box<str>>,
    taken: &[&str],
) -> IndexVec<gdl::VarId, String> {
    let mut seen: FxHashSet<String> = taken.iter().map(|name| (*name).to_owned()).collect();
    let mut chosen = IndexVec::new();
    for name in names.iter() {
        let base = capital(name);
        let numbered = (1..).map(|number| format!("{base}{number}"));
        let fresh = std::iter::once(base.clone()).chain(numbered).find(|one| !seen.contains(one));
        let fresh = fresh.expect("numbers do not end");
        seen.insert(fresh.clone());
        chosen.push(fresh);
    }
    chosen
}

fn capital(name: &str) -> String {
    let letters: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
        .collect();
    let letters = letters.trim_start_matches('_');
    let mut rest = letters.chars();
    match rest.next() {
        Some(first) if first.is_ascii_alphabetic() => {
            format!("{}{}", first.to_ascii_uppercase(), rest.as_str())
        }
        _ => format!("V{letters}"),
    }
}

/// Reads a ground term that clingo printed back into a term of the sheet; none where it holds
/// something that no sheet does.
pub(crate) fn read_term(text: &str, symbols: &Symbols) -> Option<Term> {
    let mut rest = text;
    let term = read_part(&mut rest, symbols)?;
    rest.is_empty().then_some(term)
}

fn read_part(rest: &mut &str, symbols: &Symbols) -> Option<Term> {
    let end = rest.find(['(', ')', ',']).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let name = symbols.find(&name_in_sheet(word)?)?;
    *rest = after;
    let Some(inside) = rest.strip_prefix('(') else { return Some(Term::Constant(name)) };
    *rest = inside;
    let mut args = Vec::new();
    loop {
        args.push(read_part(rest, symbols)?);
        let next = rest.chars().next()?;
        *rest = &rest[1..];
        match next {
            ',' => {}
            ')' => return Some(Term::Compound(name, args.into())),
            _ => return None,
        }
    }
}

/// The arguments of a ground atom that clingo printed: `does(x,mark(1,2),3)` has three.
pub(crate) fn arguments<'t>(atom: &'t str, predicate: &str) -> Option<Vec<&'t str>> {
    let inside = atom.strip_prefix(predicate)?.strip_prefix('(')?.strip_suffix(')')?;
    let (mut depth, mut start, mut found) = (0usize, 0, Vec::new());
    for (at, letter) in inside.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                found.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&inside[start..]);
    Some(found)
}

/// Predicates of the program: those of the sheet's relations, and ours.
#[derive(Default)]
pub(crate) struct Predicates {
    /// Names with the number of their arguments that are in use.
    taken: FxHashSet<(String, usize)>,
    /// Names in use, whatever their arguments.
    words: FxHashSet<String>,
    /// Those of them that no relation of the sheet has.
    made: FxHashSet<String>,
}

impl Predicates {
    /// The predicate of a relation of the sheet, with so many arguments in the program.
    pub(crate) fn of_relation(&mut self, name: &str, arity: usize) -> String {
        let base = name_in_clingo(name);
        let key = (base.clone(), arity);
        if self.made.contains(&base) || !self.taken.insert(key) {
            return self.own(&base);
        }
        self.words.insert(base.clone());
        base
    }

    /// A predicate whose name no relation so far has, and none after it gets.
    pub(crate) fn own(&mut self, base: &str) -> String {
        let numbered = (2..).map(|number| format!("{base}_{number}"));
        let mut words = std::iter::once(base.to_owned()).chain(numbered);
        let word = words.find(|word| !self.words.contains(word)).expect("numbers do not end");
        self.words.insert(word.clone());
        self.made.insert(word.clone());
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in [
            "cell", "a_b", "+", "Cell", "007", "not", "esc_x", "é", "_exists", "\"a b\"", "_", "a'",
        ] {
            let clingo = name_in_clingo(name);
            assert!(is_identifier(&clingo), "{clingo} is no constant of clingo");
            assert_eq!(name_in_sheet(&clingo).as_deref(), Some(name));
        }
        assert_eq!(name_in_clingo("cell"), "cell");
        assert_eq!((constant("12"), constant("-3")), ("12".into(), "-3".into()));
        assert_ne!(constant("012"), "012");
    }

    #[test]
    fn predicates_are_told_apart() {
        let mut names = Predicates::default();
        assert_eq!(names.of_relation("p", 1), "p");
        assert_eq!(names.of_relation("p", 2), "p", "other arguments tell it apart");
        // A relation with one argument more in the program than in the sheet.
        assert_eq!(names.of_relation("p", 2), "p_2");
        assert_eq!(names.own("p"), "p_3");
        assert_eq!(names.own("q"), "q");
        assert_eq!(names.of_relation("q", 1), "q_2", "ours are told apart by name alone");
    }

    #[test]
    fn terms_come_back() {
        let mut symbols = Symbols::new();
        let (cell, plus) = (symbols.intern("cell"), symbols.intern("+"));
        let one = symbols.intern("1");
        let inner = Term::Compound(plus, [Term::Constant(one), Term::Constant(cell)].into());
        let whole = Term::Compound(cell, [Term::Constant(one), inner].into());
        let text = term(&whole, &symbols, &|_| unreachable!("no variable"));
        assert_eq!(text, "cell(1,esc__2b_(1,cell))");
        assert_eq!(read_term(&text, &symbols), Some(whole));
        assert_eq!(read_term("cell(1", &symbols), None);
        assert_eq!(arguments("does(x,cell(1,2),3)", "does"), Some(vec!["x", "cell(1,2)", "3"]));
    }

    #[test]
    fn variables_and_predicates_stay_apart() {
        let names: IndexVec<gdl::VarId, Box<str>> =
            ["c", "C", "t", "1"].into_iter().map(Box::from).collect();
        let chosen: Vec<String> = variables(&names, &["T"]).iter().cloned().collect();
        assert_eq!(chosen, ["C", "C1", "T1", "V1"]);
        let mut predicates = Predicates::default();
        assert_eq!(predicates.of_relation("step", 3), "step");
        assert_eq!(predicates.of_relation("step", 3), "step_2");
        assert_eq!(predicates.own("step"), "step_3");
    }
}
