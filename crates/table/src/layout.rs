//! Which bits of a key stand for which propositions.
//!
//! A key is a row of fields, each a range of bits whose code says what holds: one proposition or
//! none. Propositions that hold in every state take no bit.
//!
//! Always: a proposition stands for one code of one field or holds always, so that different keys
//! are different states; a code that is not listed and a bit outside the fields make no state.

use std::ops::Range;

use index::{Id, IndexVec};
use rustc_hash::FxHashMap;

index::typed_id!(
    /// A proposition of a table: the ones that hold always, then field by field, code by code.
    pub struct PropId, "p"
);

/// Most bits of a field.
const FIELD_BITS: usize = 63;

/// A range of bits of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which bits; at least 1.
    pub bits: Range<usize>,
    /// The codes that occur, ascending, each with the proposition that holds, if one does.
    pub codes: Vec<(u64, Option<String>)>,
}

/// Where a proposition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Always,
    Code(usize, u64),
}

/// The layout of the keys of one table.
#[derive(Clone, Debug)]
pub struct Layout {
    fields: Vec<Field>,
    always: usize,
    names: IndexVec<PropId, String>,
    places: IndexVec<PropId, Place>,
    /// By field and code: the proposition, or none where none holds.
    meanings: Vec<FxHashMap<u64, Option<PropId>>>,
}

impl Layout {
    /// A layout; none where it would not keep what the module's header says.
    pub fn new(always: Vec<String>, fields: Vec<Field>) -> Option<Self> {
        let mut layout = Self {
            fields: Vec::new(),
            always: always.len(),
            names: IndexVec::default(),
            places: IndexVec::default(),
            meanings: Vec::new(),
        };
        for name in always {
            layout.names.push(name);
            layout.places.push(Place::Always);
        }
        for field in fields {
            layout.add(field)?;
        }
        let mut names: Vec<&String> = layout.names.iter().collect();
        names.sort_unstable();
        let distinct = names.windows(2).all(|pair| pair[0] != pair[1]);
        distinct.then_some(layout)
    }

    fn add(&mut self, field: Field) -> Option<()> {
        let width = field.bits.len();
        let follows = field.bits.start == self.bits() && (1..=FIELD_BITS).contains(&width);
        let ascending = field.codes.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let blanks = field.codes.iter().filter(|(_, name)| name.is_none()).count();
        if !follows || !ascending || blanks > 1 {
            return None;
        }
        if field.codes.last().is_some_and(|(code, _)| code >> width != 0) {
            return None;
        }
        let mut meanings = FxHashMap::default();
        for (code, name) in &field.codes {
            let meaning = name.as_ref().map(|name| {
                self.places.push(Place::Code(self.fields.len(), *code));
                self.names.push(name.clone())
            });
            meanings.insert(*code, meaning);
        }
        self.meanings.push(meanings);
        self.fields.push(field);
        Some(())
    }

    /// Bits of a key.
    pub fn bits(&self) -> usize {
        self.fields.last().map_or(0, |field| field.bits.end)
    }

    /// Words of a key; at least 1.
    pub fn words(&self) -> usize {
        self.bits().div_ceil(64).max(1)
    }

    /// The fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// All propositions, as GDL text.
    pub fn names(&self) -> &IndexVec<PropId, String> {
        &self.names
    }

    /// The proposition of a name.
    pub fn named(&self, name: &str) -> Option<PropId> {
        self.names.enumerate().find(|(_, held)| *held == name).map(|(prop, _)| prop)
    }

    /// The propositions that hold always.
    pub fn always(&self) -> impl Iterator<Item = &String> {
        self.names.iter().take(self.always)
    }

    /// The code of a field in a key.
    pub fn code(&self, field: usize, key: &[u64]) -> u64 {
        let bits = &self.fields[field].bits;
        let (word, shift) = (bits.start / 64, bits.start % 64);
        let low = key[word] >> shift;
        let high = if shift + bits.len() > 64 { key[word + 1] << (64 - shift) } else { 0 };
        (low | high) & ((1 << bits.len()) - 1)
    }

    /// Marks the codes of a key, by field and place among the field's codes.
    ///
    /// # Panics
    /// When it is the key of no state.
    pub fn mark_codes(&self, key: &[u64], used: &mut [Vec<bool>]) {
        for (at, (field, used)) in self.fields.iter().zip(used).enumerate() {
            let code = self.code(at, key);
            let place = field.codes.binary_search_by_key(&code, |(code, _)| *code);
            used[place.expect("a code of the layout")] = true;
        }
    }

    /// The true propositions of a key, ascending; none where it is the key of no state.
    pub fn state(&self, key: &[u64]) -> Option<Vec<PropId>> {
        assert_eq!(key.len(), self.words(), "one key");
        let mut state: Vec<PropId> = (0..self.always).map(PropId::from_index).collect();
        for (at, meanings) in self.meanings.iter().enumerate() {
            state.extend(*meanings.get(&self.code(at, key))?);
        }
        let (word, shift) = (self.bits() / 64, self.bits() % 64);
        let outside = key.get(word).is_some_and(|word| word >> shift != 0);
        (!outside).then_some(state)
    }

    /// The key of a state, given by its propositions, each once; none where no key stands for it.
    pub fn key(&self, state: &[PropId]) -> Option<Vec<u64>> {
        let (mut codes, mut always) = (vec![None; self.fields.len()], 0);
        for prop in state {
            match self.places[*prop] {
                Place::Always => always += 1,
                Place::Code(field, code) if codes[field].is_none() => codes[field] = Some(code),
                Place::Code(..) => return None,
            }
        }
        let mut key = vec![0; self.words()];
        for (at, code) in codes.into_iter().enumerate() {
            let field = &self.fields[at];
            let blank = field.codes.iter().find(|(_, name)| name.is_none());
            let code = code.or(blank.map(|(code, _)| *code))?;
            let (word, shift) = (field.bits.start / 64, field.bits.start % 64);
            key[word] |= code << shift;
            if shift + field.bits.len() > 64 {
                key[word + 1] |= code >> (64 - shift);
            }
        }
        (always == self.always).then_some(key)
    }

    /// The layout with only those codes that `used` tells by field; codes are numbered as listed.
    pub(crate) fn narrowed(&self, used: &[Vec<bool>]) -> Self {
        let keep = |(field, used): (&Field, &Vec<bool>)| Field {
            bits: field.bits.clone(),
            codes: field
                .codes
                .iter()
                .zip(used)
                .filter(|(_, used)| **used)
                .map(|(code, _)| code.clone())
                .collect(),
        };
        let fields = self.fields.iter().zip(used).map(keep).collect();
        Self::new(self.always().cloned().collect(), fields).expect("a part of a layout is one")
    }

    /// The lines of the layout.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("always {}\n", self.always);
        self.always().for_each(|name| text += &format!("{name}\n"));
        text += &format!("fields {}\n", self.fields.len());
        for field in &self.fields {
            text += &format!("field {} {}\n", field.bits.len(), field.codes.len());
            for (code, name) in &field.codes {
                let name = name.as_ref().map_or(String::new(), |name| format!(" {name}"));
                text += &format!("{code}{name}\n");
            }
        }
        text
    }

    /// Reads what [`Layout::text`] wrote.
    pub(crate) fn parse<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Option<Self> {
        let count = |line: Option<&str>, name: &str| -> Option<usize> {
            line?.strip_prefix(name)?.parse().ok()
        };
        let always = count(lines.next(), "always ")?;
        let always = lines.by_ref().take(always).map(str::to_owned).collect();
        let (mut fields, mut start) = (Vec::new(), 0);
        for _ in 0..count(lines.next(), "fields ")? {
            let (width, codes) = lines.next()?.strip_prefix("field ")?.split_once(' ')?;
            let (width, codes): (usize, usize) = (width.parse().ok()?, codes.parse().ok()?);
            let code = |line: &str| -> Option<(u64, Option<String>)> {
                match line.split_once(' ') {
                    Some((code, name)) => Some((code.parse().ok()?, Some(name.to_owned()))),
                    None => Some((line.parse().ok()?, None)),
                }
            };
            let codes = lines.by_ref().take(codes).map(code).collect::<Option<Vec<_>>>()?;
            let end = start + width.min(FIELD_BITS + 1);
            fields.push(Field { bits: start..end, codes });
            start = end;
        }
        Self::new(always, fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(start: usize, width: usize, codes: &[(u64, &str)]) -> Field {
        let name = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let codes = codes.iter().map(|(code, text)| (*code, name(text))).collect();
        Field { bits: start..start + width, codes }
    }

    fn layout() -> Layout {
        let fields = vec![
            field(0, 2, &[(0, "b"), (1, "x"), (2, "o")]),
            field(2, 60, &[(0, "low"), (1 << 59, "high")]),
            field(62, 3, &[(0, ""), (5, "five")]),
        ];
        Layout::new(vec!["fixed".to_owned()], fields).expect("a layout")
    }

    #[test]
    fn keys_and_states_are_one_to_one_and_codes_cross_words() {
        let layout = layout();
        assert_eq!((layout.bits(), layout.words(), layout.names().len()), (65, 2, 7));
        let mut seen = Vec::new();
        for (cell, size, five) in (0..12).map(|n| (n % 3, n / 3 % 2, n / 6)) {
            let mut props = vec![0, 1 + cell, 4 + size];
            props.extend((five == 1).then_some(6));
            let state: Vec<PropId> = props.into_iter().map(PropId::from_index).collect();
            let key = layout.key(&state).expect("a state");
            assert_eq!(layout.state(&key).expect("a key"), state);
            assert!(!seen.contains(&key));
            seen.push(key);
        }
        assert_eq!(layout.state(&[3, 0]), None);
        assert_eq!(layout.state(&[0, 2]), None);
        assert_eq!(layout.state(&[1 << 62, 0]), None);
        let prop = PropId::from_index;
        assert_eq!(layout.key(&[prop(0), prop(1), prop(2), prop(4)]), None);
        assert_eq!(layout.key(&[prop(1), prop(4)]), None);
        assert_eq!(layout.key(&[prop(0), prop(4)]), None);
    }

    #[test]
    fn a_layout_is_read_as_it_was_written_and_others_are_refused() {
        let text = layout().text();
        let read = Layout::parse(&mut text.lines()).expect("read");
        assert_eq!(read.text(), text);
        for missing in 0..text.lines().count() {
            let mut rest = text.lines().enumerate().filter(|(at, _)| *at != missing);
            let mut rest = std::iter::from_fn(|| rest.next().map(|(_, line)| line));
            let same = Layout::parse(&mut rest).is_some_and(|read| read.text() == text);
            assert!(!same);
        }
        let bad = [
            vec![field(1, 1, &[(0, "a")])],
            vec![field(0, 1, &[(2, "a")])],
            vec![field(0, 2, &[(1, "a"), (0, "b")])],
            vec![field(0, 2, &[(0, ""), (1, "")])],
            vec![field(0, 1, &[(0, "a")]), field(1, 1, &[(0, "a")])],
            vec![field(0, 64, &[(0, "a")])],
        ];
        assert!(bad.into_iter().all(|fields| Layout::new(Vec::new(), fields).is_none()));
    }
}
