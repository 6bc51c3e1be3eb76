//! The first step: who chooses, among which moves, and what fixes each choice in the formula.
//!
//! The state at step 0 is known, so that completion folds its legal moves to constants. Where the asked role has
//! several, its `does` are fixed; where it has one and opponents have several, the codes of their
//! moves are, bound by exists outside of everything: with x's one move, the value of the game is
//! then the smallest over these choices of the value under each.

use gdl::{RoleId, keyword};
use index::IndexVec;
use rustc_hash::FxHashMap;
use verdict::Question;

use super::domains::Domains;
use super::names;
use super::sheet::Sheet;
use crate::complete::Value;
use crate::ground::{AtomId, GroundProgram};

/// One first choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The move as text of the sheet; several choosers as `(role move)` pairs.
    pub text: String,
    /// Values of atoms that make it.
    pub fixed: Vec<(AtomId, bool)>,
}

/// The first step of a game, seen in its ground program.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The roles that choose, as [`verdict::Verdict::choosers`] has them; none where the game has
    /// ended.
    pub choosers: Vec<RoleId>,
    /// Whether they are opponents of the asked role.
    pub minimise: bool,
    /// Their choices.
    pub lines: Vec<Line>,
    /// The atoms that lines fix.
    pub atoms: Vec<AtomId>,
}

/// Legal moves at step 0, by role, as places among the role's moves.
struct Start<'a> {
    sheet: &'a Sheet<'a>,
    domains: &'a Domains,
    symbols: FxHashMap<&'a str, Option<AtomId>>,
    legal: IndexVec<RoleId, Vec<usize>>,
}

impl Opening {
    /// Reads it from the ground program of a question over at least one step, and what its atoms
    /// became.
    pub fn read(
        question: &Question,
        domains: &Domains,
        ground: &GroundProgram,
        values: &IndexVec<AtomId, Value>,
    ) -> Self {
        let sheet = Sheet::new(question);
        let symbols: FxHashMap<&str, Option<AtomId>> = ground.symbols().collect();
        let holds = |text: &str| match symbols.get(text) {
            None => false,
            Some(None) => true,
            Some(Some(atom)) => values[*atom] != Value::Constant(false),
        };
        if !holds(&format!("{}(0)", sheet.own.plays)) {
            return Self { choosers: vec![], minimise: false, lines: vec![], atoms: vec![] };
        }
        let legal = domains.moves.enumerate().map(|(role, moves)| {
            let predicate = sheet.predicate((keyword::LEGAL, 2));
            let name = sheet.role(role);
            let is_legal =
                |at: &usize| holds(&format!("{predicate}({name},{},0)", moves[*at].text));
            (0..moves.len()).filter(is_legal).collect()
        });
        let legal = legal.collect();
        Start { sheet: &sheet, domains, symbols, legal }.opening()
    }
}

impl Start<'_> {
    fn opening(&self) -> Opening {
        let question = self.sheet.question;
        let several = |role: &RoleId| self.legal[*role].len() > 1;
        let opponents: Vec<RoleId> = question.opponents().filter(several).collect();
        let minimise = self.legal[question.role].len() < 2 && !opponents.is_empty();
        let choosers = if minimise { opponents } else { vec![question.role] };
        let mut lines = vec![Line { text: String::new(), fixed: Vec::new() }];
        for role in &choosers {
            let choice = |before: &Line, place: &usize| {
                self.longer(before, *role, *place, choosers.len() == 1, minimise)
            };
            lines = lines
                .iter()
                .flat_map(|before| self.legal[*role].iter().map(move |at| choice(before, at)))
                .collect();
        }
        let mut atoms: Vec<AtomId> =
            lines.iter().flat_map(|line| line.fixed.iter().map(|(atom, _)| *atom)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        Opening { choosers, minimise, lines, atoms }
    }

    fn longer(&self, before: &Line, role: RoleId, place: usize, only: bool, code: bool) -> Line {
        let book = &self.sheet.question.rulebook;
        let text = gdl::term_text(&self.domains.moves[role][place].term, &book.symbols);
        let text = match (only, before.text.as_str()) {
            (true, _) => text,
            (false, "") => format!("({} {text})", book.role_name(role)),
            (false, so_far) => format!("{so_far} ({} {text})", book.role_name(role)),
        };
        let mut fixed = before.fixed.clone();
        fixed.extend(if code { self.code(role, place) } else { self.own(role, place) });
        Line { text, fixed }
    }

    /// The asked role's move.
    fn own(&self, role: RoleId, place: usize) -> Vec<(AtomId, bool)> {
        let does = self.sheet.predicate((keyword::DOES, 2));
        let made = &self.domains.moves[role][place].text;
        let atom = self.atom(&format!("{does}({},{made},0)", self.sheet.role(role)));
        atom.map(|atom| (atom, true)).into_iter().collect()
    }

    /// The code of an opponent's move.
    fn code(&self, role: RoleId, place: usize) -> Vec<(AtomId, bool)> {
        let bits = usize::BITS - (self.domains.moves[role].len() - 1).leading_zeros();
        let name = self.sheet.role(role);
        let bit = |at: u32| {
            let atom = self.atom(&format!("{}({name},{at},0)", self.sheet.own.code));
            atom.map(|atom| (atom, place >> at & 1 == 1))
        };
        (0..bits).filter_map(bit).collect()
    }

    fn atom(&self, text: &str) -> Option<AtomId> {
        self.symbols.get(text).copied().flatten()
    }
}

/// Whether some symbol names an atom of this predicate with these last arguments.
pub(super) fn steps_of<'t>(
    ground: &'t GroundProgram,
    predicate: &'t str,
) -> impl Iterator<Item = (Vec<&'t str>, Option<AtomId>)> {
    ground
        .symbols()
        .filter_map(move |(text, atom)| names::arguments(text, predicate).map(|args| (args, atom)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gdl::{ReadOptions, Source, read};

    use super::*;

    /// The first step of a game in which the roles have these moves, of which the first are legal.
    fn opening(moves: [(&str, &[&str], usize); 3]) -> Opening {
        let mut sheet = "(init on) (<= terminal (not (true on)))".to_owned();
        for (role, all, legal) in moves {
            sheet += &format!("(role {role}) (goal {role} 100) (goes {role})");
            for (at, made) in all.iter().enumerate() {
                let when = if at < legal { "on" } else { "off" };
                sheet += &format!("(<= (legal {role} {made}) (true {when}))");
            }
        }
        sheet += "(<= (next off) (true on))";
        let book = read(Source::new("game", &sheet), &ReadOptions::default()).rulebook;
        let question = Question::new(Arc::new(book.expect("in order"))).expect("a role");
        let own = Sheet::new(&question).own;
        let (mut relaxed, mut ground) = (GroundProgram::default(), GroundProgram::default());
        ground.add_symbol(&format!("{}(0)", own.plays), None);
        for (role, all, legal) in moves {
            for (at, made) in all.iter().enumerate() {
                relaxed.add_symbol(&format!("does({role},{made})"), None);
                if at < legal {
                    ground.add_symbol(&format!("legal({role},{made},0)"), None);
                }
            }
        }
        let domains = Domains::read(&question, &relaxed).expect("no goal is there");
        Opening::read(&question, &domains, &ground, &IndexVec::new())
    }

    fn texts(opening: &Opening) -> Vec<&str> {
        opening.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn who_has_one_move_does_not_choose() {
        let (two, one) = (["a", "b"], ["c"]);
        let asked = opening([("x", &two, 2), ("y", &two, 2), ("z", &one, 1)]);
        assert!(!asked.minimise && asked.choosers.len() == 1);
        assert_eq!(texts(&asked), ["a", "b"]);
        let other = opening([("x", &two, 1), ("y", &two, 2), ("z", &one, 1)]);
        assert!(other.minimise && other.choosers.len() == 1);
        assert_eq!(texts(&other), ["a", "b"]);
        let both = opening([("x", &one, 1), ("y", &two, 2), ("z", &two, 2)]);
        assert_eq!(texts(&both), ["(y a) (z a)", "(y a) (z b)", "(y b) (z a)", "(y b) (z b)"]);
        let none = opening([("x", &two, 1), ("y", &two, 1), ("z", &one, 1)]);
        assert!(!none.minimise);
        assert_eq!(texts(&none), ["a"]);
    }
}
