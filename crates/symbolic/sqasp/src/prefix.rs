//! The prefix of a program: its facts `_exists(L,A)`, `_forall(L,A)` and `_chance(L,P,Q,A)`.
//!
//! Always, in a [`Prefix`]: levels ascend, outermost first; all atoms of a level have one
//! quantifier (chance atoms of a level may differ in probability); no atom stands twice; each
//! probability lies in 0 to 1. Refused by name is what the program's author cannot have meant: a
//! forall or chance atom that holds in no stable model or is a fact. An exists atom of that kind
//! changes nothing and is left out, because programs quantify whole domains.

use exact::Ratio;
use qcnf::Quantifier;
use rustc_hash::FxHashMap;

use crate::ground::{AtomId, GroundProgram, Message};
use crate::places::Places;

/// Atoms of one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The number in the facts.
    pub number: i32,
    /// The atoms, in the order of the program.
    pub atoms: Vec<(AtomId, Quantifier)>,
}

/// Levels, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// All levels that have an atom.
    pub levels: Vec<Level>,
}

/// One fact, before its atom is known.
struct Entry<'p> {
    fact: &'p str,
    level: i32,
    quantifier: Quantifier,
    atom: &'p str,
}

impl Prefix {
    /// Reads the prefix of a ground program.
    ///
    /// # Errors
    /// All facts that are refused, each by name.
    pub fn read(program: &GroundProgram) -> Result<Self, Vec<Message>> {
        Self::read_in(program, "")
    }

    /// The same, faults with their places in the text that the program was ground from.
    ///
    /// # Errors
    /// All facts that are refused, each by name.
    pub fn read_in(program: &GroundProgram, text: &str) -> Result<Self, Vec<Message>> {
        let mut faults = Vec::new();
        let mut entries = Vec::new();
        for (fact, atom) in program.symbols() {
            match entry(fact, atom) {
                Ok(found) => entries.extend(found),
                Err(text) => faults.push(Refusal { fact, text }),
            }
        }
        let prefix = assemble(program, entries, &mut faults);
        if faults.is_empty() { Ok(prefix) } else { Err(placed(text, faults)) }
    }
}

/// What is wrong with a fact.
struct Refusal<'p> {
    fact: &'p str,
    text: String,
}

/// Refusals as messages, in the order of the text.
fn placed(text: &str, refusals: Vec<Refusal<'_>>) -> Vec<Message> {
    let places = Places::new(text);
    let message = |Refusal { fact, text }: Refusal<'_>| match places.of_fact(fact) {
        None => Message::nowhere(text),
        Some(extent) => Message {
            place: Some(places.line_and_column(extent.start)),
            end: Some(places.line_and_column(extent.end)),
            text,
        },
    };
    let mut messages: Vec<Message> = refusals.into_iter().map(message).collect();
    messages.sort_by_key(|message| message.place);
    messages
}

impl Prefix {
    /// Binds some atoms by an exists of their own, outside of all levels, whatever bound them.
    pub fn pull_out(&mut self, atoms: &[AtomId]) {
        for level in &mut self.levels {
            level.atoms.retain(|(atom, _)| !atoms.contains(atom));
        }
        let outer = atoms.iter().map(|atom| (*atom, Quantifier::Exists)).collect();
        self.levels.insert(0, Level { number: i32::MIN, atoms: outer });
        self.levels.retain(|level| !level.atoms.is_empty());
    }
}

impl Prefix {
    /// Binds every forall atom by chance, both values as probable: the value is then above 0
    /// exactly where some choice of all atoms has a stable model.
    pub fn at_random(&mut self) {
        let atoms = self.levels.iter_mut().flat_map(|level| &mut level.atoms);
        for (_, quantifier) in atoms.filter(|(_, quantifier)| *quantifier == Quantifier::Forall) {
            *quantifier = Quantifier::Chance(Ratio::new(1u8, 2u8));
        }
    }
}

/// Names of the facts that quantify, and how many arguments each has.
const QUANTIFIERS: [(&str, usize); 3] = [("_exists", 2), ("_forall", 2), ("_chance", 4)];

/// The fact that a symbol is, if it is one.
fn entry(text: &str, atom: Option<AtomId>) -> Result<Option<Entry<'_>>, String> {
    let Some((word, arity)) = QUANTIFIERS
        .into_iter()
        .find(|(word, _)| text.strip_prefix(word).is_some_and(|rest| rest.starts_with('(')))
    else {
        return misspelt(text).map_or(Ok(None), Err);
    };
    let args = arguments(&text[word.len() + 1..text.len() - 1]);
    if args.len() != arity {
        let form = if arity == 2 { format!("{word}(L,A)") } else { format!("{word}(L,P,Q,A)") };
        let s = if args.len() == 1 { "" } else { "s" };
        return Err(format!("`{text}` has {} argument{s}: write {form}", args.len()));
    }
    if atom.is_some() {
        return Err(format!(
            "`{text}` is not a fact: what is quantified must not depend on choices"
        ));
    }
    let level = args[0];
    let level = level.parse().map_err(|_| format!("`{text}`: the level `{level}` is no number"))?;
    let quantifier = match word {
        "_exists" => Quantifier::Exists,
        "_forall" => Quantifier::Forall,
        _ => Quantifier::Chance(probability(args[1], args[2]).ok_or_else(|| {
            let (part, whole) = (args[1], args[2]);
            format!("`{text}`: {part}/{whole} is no probability: 0 <= P <= Q and 0 < Q are needed")
        })?),
    };
    let atom = args[arity - 1];
    if !atom.trim_start_matches(['-', '_']).starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err(format!("`{text}`: `{atom}` is no atom"));
    }
    Ok(Some(Entry { fact: text, level, quantifier, atom }))
}

/// What to say of a symbol that is called nearly as a quantifier is: as an atom like others it would
/// quantify nothing, and nobody would notice.
fn misspelt(text: &str) -> Option<String> {
    let name = text.split('(').next().filter(|name| name.starts_with('_'))?;
    let meant = gdl::nearest(name, QUANTIFIERS.map(|(word, _)| word))?;
    Some(format!("`{name}` quantifies nothing: did you mean `{meant}`?"))
}

fn probability(part: &str, whole: &str) -> Option<Ratio> {
    let (part, whole): (u32, u32) = (part.parse().ok()?, whole.parse().ok()?);
    (whole > 0 && part <= whole).then(|| Ratio::new(part, whole))
}

/// Splits at commas that stand outside parentheses and quotation marks.
pub(crate) fn arguments(inside: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0i32, 0, Vec::new());
    let (mut quoted, mut escaped) = (false, false);
    for (at, letter) in inside.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&inside[start..]);
    found
}

fn assemble<'p>(
    program: &GroundProgram,
    mut entries: Vec<Entry<'p>>,
    faults: &mut Vec<Refusal<'p>>,
) -> Prefix {
    let mut fault = |fact: &'p str, text: String| faults.push(Refusal { fact, text });
    let mut wanted: FxHashMap<&str, Option<Option<AtomId>>> =
        entries.iter().map(|entry| (entry.atom, None)).collect();
    for (text, atom) in program.symbols() {
        if let Some(slot) = wanted.get_mut(text) {
            *slot = Some(atom);
        }
    }
    entries.sort_by_key(|entry| entry.level);
    let mut first: FxHashMap<&str, &str> = FxHashMap::default();
    let mut levels: Vec<Level> = Vec::new();
    let mut fact_of_level: Vec<&str> = Vec::new();
    for entry in &entries {
        if let Some(before) = first.insert(entry.atom, entry.fact) {
            fault(
                entry.fact,
                format!("`{}` is quantified twice: by `{before}` and `{}`", entry.atom, entry.fact),
            );
            continue;
        }
        let atom = match wanted[entry.atom] {
            Some(Some(atom)) => atom,
            _ if entry.quantifier == Quantifier::Exists => continue,
            Some(None) => {
                fault(
                    entry.fact,
                    format!(
                        "`{}`: `{}` is a fact, which no {} can change",
                        entry.fact,
                        entry.atom,
                        word(&entry.quantifier)
                    ),
                );
                continue;
            }
            None => {
                fault(
                    entry.fact,
                    format!(
                        "`{}`: `{}` holds in no stable model: no rule derives it; a choice `{{ {} }}.` may be missing",
                        entry.fact, entry.atom, entry.atom
                    ),
                );
                continue;
            }
        };
        if levels.last().is_none_or(|level| level.number != entry.level) {
            levels.push(Level { number: entry.level, atoms: Vec::new() });
            fact_of_level.push(entry.fact);
        }
        let level = levels.last_mut().expect("one was pushed");
        if level.atoms.first().is_some_and(|(_, other)| other.kind() != entry.quantifier.kind()) {
            let before = fact_of_level[fact_of_level.len() - 1];
            fault(
                entry.fact,
                format!(
                    "level {} has two quantifiers: `{before}` and `{}`",
                    entry.level, entry.fact
                ),
            );
        }
        level.atoms.push((atom, entry.quantifier.clone()));
    }
    Prefix { levels }
}

fn word(quantifier: &Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::Forall => "forall",
        Quantifier::Chance(_) => "chance",
    }
}

#[cfg(test)]
mod tests {
    use index::Id;

    use super::*;

    fn program(symbols: &[(&str, usize)]) -> GroundProgram {
        let mut program = GroundProgram::default();
        for (text, atom) in symbols {
            program.add_symbol(text, (*atom > 0).then(|| AtomId::from_index(*atom)));
        }
        program
    }

    fn refusal(symbols: &[(&str, usize)]) -> String {
        let faults = Prefix::read(&program(symbols)).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults[0].text.clone()
    }

    #[test]
    fn levels_ascend() {
        let prefix = Prefix::read(&program(&[
            ("_chance(2,1,3,b(\"x,(\"))", 0),
            ("_exists(-1,a)", 0),
            ("_exists(-1,never)", 0),
            ("a", 4),
            ("b(\"x,(\")", 2),
        ]))
        .unwrap();
        let numbers: Vec<i32> = prefix.levels.iter().map(|level| level.number).collect();
        assert_eq!(numbers, [-1, 2]);
        let third = Quantifier::Chance(Ratio::new(1u8, 3u8));
        assert_eq!(prefix.levels[1].atoms, [(AtomId::from_index(2), third)]);
        assert_eq!(prefix.levels[0].atoms.len(), 1);
    }

    #[test]
    fn arguments_are_split_outside_of_terms_and_strings() {
        for (text, parts) in [
            ("a,b", &["a", "b"][..]),
            ("f(a,b),c,d", &["f(a,b)", "c", "d"]),
            ("f(g(a,b),c),d", &["f(g(a,b),c)", "d"]),
            ("\"x,(\",y", &["\"x,(\"", "y"]),
            ("\"x\\\",(\",y", &["\"x\\\",(\"", "y"]),
            ("\"x\\\\\",y", &["\"x\\\\\"", "y"]),
            ("f(\")\"),y", &["f(\")\")", "y"]),
            // The remainder of a division, which clingo writes so.
            ("X\\(Y+1),y", &["X\\(Y+1)", "y"]),
            ("", &[""]),
        ] {
            assert_eq!(arguments(text), parts, "{text}");
        }
    }

    #[test]
    fn atoms_are_pulled_out_of_all_levels() {
        let atom = AtomId::from_index;
        let symbols = [("_exists(1,a)", 0), ("_forall(2,b)", 0), ("_exists(3,c)", 0)];
        let symbols =
            [&symbols[..], &[("_exists(3,d)", 0), ("a", 1), ("b", 2), ("c", 3), ("d", 4)]];
        let mut prefix = Prefix::read(&program(&symbols.concat())).unwrap();
        prefix.pull_out(&[atom(2), atom(3)]);
        let atoms: Vec<Vec<usize>> = prefix
            .levels
            .iter()
            .map(|level| level.atoms.iter().map(|(atom, _)| atom.index()).collect())
            .collect();
        assert_eq!(atoms, [vec![2, 3], vec![1], vec![4]]);
        assert!(prefix.levels[0].atoms.iter().all(|(_, kind)| *kind == Quantifier::Exists));
    }

    #[test]
    fn what_is_not_meant_is_refused_by_name() {
        let a = ("a", 1);
        assert!(refusal(&[("_exists(1,a,b)", 0), a]).ends_with("write _exists(L,A)"));
        assert!(refusal(&[("_chance(1,a)", 0), a]).ends_with("write _chance(L,P,Q,A)"));
        for (fact, word) in
            [("_forall(1,a)", "no forall can change"), ("_chance(1,1,2,a)", "no chance can change")]
        {
            assert!(refusal(&[(fact, 0), ("a", 0)]).ends_with(word));
        }
        assert!(refusal(&[("_exists(1,a)", 0), ("_forall(2,a)", 0), a]).contains("twice"));
        assert!(
            refusal(&[("_exists(1,a)", 0), ("_forall(1,b)", 0), a, ("b", 2)])
                .contains("two quantifiers: `_exists(1,a)` and `_forall(1,b)`")
        );
        assert!(refusal(&[("_chances(1,1,2,a)", 0), a]).contains("did you mean `_chance`?"));
        assert!(refusal(&[("_exist(1,a)", 0), a]).contains("did you mean `_exists`?"));
        assert!(refusal(&[("_chance(1,3,2,a)", 0), a]).contains("3/2 is no probability"));
        assert!(refusal(&[("_chance(1,-1,2,a)", 0), a]).contains("no probability"));
        assert!(refusal(&[("_chance(1,1,0,a)", 0), a]).contains("no probability"));
        assert!(refusal(&[("_exists(x,a)", 0), a]).contains("level `x`"));
        assert!(refusal(&[("_exists(1,a,b)", 0), a]).contains("3 arguments"));
        assert!(refusal(&[("_forall(1,a)", 0)]).contains("no stable model"));
        assert!(refusal(&[("_forall(1,a)", 0), ("a", 0)]).contains("is a fact"));
        assert!(refusal(&[("_exists(1,7)", 0)]).contains("no atom"));
        assert!(refusal(&[("_exists(1,a)", 2), a]).contains("not a fact"));
    }
}
