//! Interned names. The keywords of GDL have fixed ids, so that a match on them is a comparison.
//!
//! All names lie in one text, one after the other, and the table of ids keeps their hashes, so that
//! it grows without a look at the names: a sheet may have millions of them. Cost: one look-up a word.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use index::{Id, IndexVec};
use rustc_hash::{FxBuildHasher, FxHashMap};

index::typed_id!(
    /// A name: relation, function or constant.
    pub struct SymbolId, "s"
);

/// The names that GDL gives a meaning to, at fixed ids.
pub mod keyword {
    use super::SymbolId;

    macro_rules! keywords {
        ($($index:literal $name:ident $text:literal),* $(,)?) => {
            $(#[doc = concat!("`", $text, "`")] pub const $name: SymbolId = SymbolId($index);)*
            /// All keywords, at the position of their id.
            pub(super) const ALL: &[&str] = &[$($text),*];
        };
    }

    keywords! {
        0 ROLE "role", 1 INIT "init", 2 TRUE "true", 3 NEXT "next", 4 LEGAL "legal",
        5 DOES "does", 6 GOAL "goal", 7 TERMINAL "terminal", 8 BASE "base", 9 INPUT "input",
        10 SEES "sees", 11 RANDOM "random", 12 DISTINCT "distinct", 13 NOT "not", 14 OR "or",
        15 AND "and",
    }
}

/// The table of names of one rulebook.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// All names.
    text: String,
    /// Where each name ends in the text.
    ends: IndexVec<SymbolId, usize>,
    /// Hash and id of each name.
    ids: HashTable<(u64, SymbolId)>,
    case_sensitive: bool,
    /// The relation of the sheet that each invented name is a part of.
    invented: FxHashMap<SymbolId, SymbolId>,
}

impl SymbolId {
    /// Whether GDL gives the name a meaning.
    pub fn is_keyword(self) -> bool {
        (self.0 as usize) < keyword::ALL.len()
    }
}

impl Symbols {
    /// A table that holds the keywords.
    pub fn new() -> Self {
        Self::with_case(false)
    }

    /// A table that holds the keywords, and knows whether the sheet's names keep their case.
    pub fn with_case(case_sensitive: bool) -> Self {
        let (text, ends, ids) = (String::new(), IndexVec::new(), HashTable::new());
        let invented = FxHashMap::default();
        let mut table = Self { text, ends, ids, case_sensitive, invented };
        for name in keyword::ALL {
            table.intern(name);
        }
        table
    }

    /// The id of a name, added where it is new.
    pub fn intern(&mut self, name: &str) -> SymbolId {
        let hash = FxBuildHasher.hash_one(name);
        if let Some(id) = self.find_hashed(name, hash) {
            return id;
        }
        self.text.push_str(name);
        let id = self.ends.push(self.text.len());
        self.ids.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        debug_assert!(self.name(id) == name && self.ids.len() == self.ends.len());
        id
    }

    /// The id of a name that the table holds.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.find_hashed(name, FxBuildHasher.hash_one(name))
    }

    fn find_hashed(&self, name: &str, hash: u64) -> Option<SymbolId> {
        let same = |&(other, id): &(u64, SymbolId)| other == hash && self.name(id) == name;
        self.ids.find(hash, same).map(|&(_, id)| id)
    }

    /// A new name for a part of a relation; `counter` is the last number tried.
    pub(crate) fn unused(&mut self, relation: SymbolId, counter: &mut usize) -> SymbolId {
        let name = self.name(relation);
        let base = if name.starts_with(['"', '|', '?']) { "part" } else { name }.to_owned();
        let whole = self.written(relation);
        loop {
            *counter += 1;
            let name = format!("{base}_part{counter}");
            if self.find(&name).is_none() {
                let part = self.intern(&name);
                self.invented.insert(part, whole);
                debug_assert!(!self.invented.contains_key(&whole), "the sheet names the whole");
                return part;
            }
        }
    }

    /// The name itself where the sheet holds it; of a relation that was invented while reading,
    /// the one of the sheet that it is a part of. Whatever is told to an author names these.
    pub fn written(&self, id: SymbolId) -> SymbolId {
        self.invented.get(&id).copied().unwrap_or(id)
    }

    /// The name of an id.
    pub fn name(&self, id: SymbolId) -> &str {
        let start =
            id.index().checked_sub(1).map_or(0, |last| self.ends[SymbolId::from_index(last)]);
        &self.text[start..self.ends[id]]
    }

    /// Whether the sheet's names keep their case; if not, all are lower case.
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_sit_at_their_fixed_ids() {
        let symbols = Symbols::new();
        assert_eq!(symbols.name(keyword::ROLE), "role");
        assert_eq!(symbols.find("random"), Some(keyword::RANDOM));
        assert_eq!(symbols.find("and"), Some(keyword::AND));
    }

    #[test]
    fn many_names_keep_their_ids_while_the_table_grows() {
        let mut symbols = Symbols::new();
        let first = symbols.len();
        let names: Vec<String> = (0..5000).map(|number| format!("é{number}")).collect();
        let ids: Vec<SymbolId> = names.iter().map(|name| symbols.intern(name)).collect();
        assert_eq!(symbols.len(), first + 5000);
        for (name, id) in names.iter().zip(ids) {
            assert_eq!((symbols.find(name), symbols.name(id)), (Some(id), name.as_str()));
            assert_eq!(symbols.intern(name), id);
        }
        assert_eq!((symbols.find("é"), symbols.find("é5000")), (None, None));
    }
}
