//! Interned names. The keywords of GDL have fixed ids, so that a match on them is a comparison.

use std::sync::Arc;

use index::IndexVec;
use rustc_hash::FxHashMap;

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
    names: IndexVec<SymbolId, Arc<str>>,
    ids: FxHashMap<Arc<str>, SymbolId>,
    case_sensitive: bool,
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
        let mut table = Self { names: IndexVec::new(), ids: FxHashMap::default(), case_sensitive };
        for name in keyword::ALL {
            table.intern(name);
        }
        table
    }

    /// The id of a name, added where it is new.
    pub fn intern(&mut self, name: &str) -> SymbolId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let name: Arc<str> = name.into();
        let id = self.names.push(name.clone());
        self.ids.insert(name, id);
        id
    }

    /// The id of a name that the table holds.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.ids.get(name).copied()
    }

    /// A new name that begins like `base`; `counter` is the last number tried.
    pub(crate) fn unused(&mut self, base: &str, counter: &mut usize) -> SymbolId {
        let base = if base.starts_with(['"', '|', '?']) { "part" } else { base };
        loop {
            *counter += 1;
            let name = format!("{base}_part{counter}");
            if self.find(&name).is_none() {
                return self.intern(&name);
            }
        }
    }

    /// The name of an id.
    pub fn name(&self, id: SymbolId) -> &str {
        &self.names[id]
    }

    /// Whether the sheet's names keep their case; if not, all are lower case.
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
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
}
