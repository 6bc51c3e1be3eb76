//! A table's names as terms of the rules, and which of them entries have.

use gdl::{RoleId, Term};
use index::IndexVec;
use rustc_hash::FxHashSet;
use table::{PropId, Table};
use verdict::Question;

use super::{Objection, Refusal};

/// The propositions and moves of a table.
pub(crate) struct Names {
    /// By proposition.
    pub(crate) props: IndexVec<PropId, Term>,
    texts: IndexVec<PropId, String>,
    /// Role, move and number.
    pub(crate) moves: Vec<(RoleId, Term, u32)>,
}

impl Names {
    /// Reads all names by the rules.
    pub(crate) fn new(table: &Table, question: &Question) -> Result<Self, Refusal> {
        let props = Self::of_states(table, question)?;
        let mut moves = Vec::new();
        for held in table.moves() {
            let role = question.rulebook.role(&held.name.role);
            let role = role.ok_or_else(|| unknown(&held.name.role))?;
            moves.push((role, term(&held.name.text, question)?, held.id));
        }
        let mut seen = FxHashSet::default();
        for (role, term, _) in &moves {
            if !seen.insert((*role, term)) {
                let message = "a move stands twice among the names".to_owned();
                return Err(Objection::new("unfit-names", message).into());
            }
        }
        let props = IndexVec::from(props);
        Ok(Self { props, texts: table.layout().names().iter().cloned().collect(), moves })
    }

    /// Reads the names of propositions.
    pub(crate) fn of_states(table: &Table, question: &Question) -> Result<Vec<Term>, Refusal> {
        table.layout().names().iter().map(|name| term(name, question)).collect()
    }

    /// A state as GDL text.
    pub(crate) fn text(&self, state: &[PropId]) -> String {
        if state.is_empty() {
            return "(nothing is true)".to_owned();
        }
        state.iter().map(|prop| self.texts[*prop].as_str()).collect::<Vec<_>>().join(" ")
    }
}

fn unknown(name: &str) -> Refusal {
    let message = format!("`{name}` is no name of these rules");
    Objection::new("unfit-names", message).into()
}

/// The term that a name is the text of.
fn term(name: &str, question: &Question) -> Result<Term, Refusal> {
    let book = &question.rulebook;
    let read = gdl::read_facts(name, book).ok().filter(|terms| terms.len() == 1);
    let term = read.and_then(|mut terms| terms.pop());
    term.filter(|term| gdl::term_text(term, &book.symbols) == name).ok_or_else(|| unknown(name))
}

/// What entries were seen to have.
pub(crate) struct Used {
    /// By field and place among its codes.
    pub(crate) codes: Vec<Vec<bool>>,
    /// By place among the table's moves: numbers of moves may be any.
    pub(crate) moves: Vec<bool>,
}

impl Used {
    /// Nothing yet.
    pub(crate) fn none(table: &Table) -> Self {
        let fields = table.layout().fields().iter();
        let codes = fields.map(|field| vec![false; field.codes.len()]).collect();
        Self { codes, moves: vec![false; table.moves().len()] }
    }

    /// Adds what another thread saw.
    pub(crate) fn join(&mut self, other: &Self) {
        for (mine, theirs) in self.codes.iter_mut().zip(&other.codes) {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs);
        }
        self.moves.iter_mut().zip(&other.moves).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// The first name that no entry has.
    pub(crate) fn missing(&self, table: &Table) -> Option<String> {
        for (field, used) in table.layout().fields().iter().zip(&self.codes) {
            if let Some(spare) = used.iter().position(|used| !used) {
                let (code, name) = &field.codes[spare];
                return Some(name.clone().unwrap_or_else(|| format!("code {code}")));
            }
        }
        let spare = self.moves.iter().position(|used| !used)?;
        Some(table.moves()[spare].name.text.clone())
    }
}
