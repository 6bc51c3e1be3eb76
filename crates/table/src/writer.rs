//! Writing a table: layers from the last one to the first, the entries of each in any order.
//!
//! A layer's numerators and its denominator are divided by what they all share, so that a layer of
//! values is written in one way. Codes and moves that no entry has are left out of the names.

use std::io;
use std::path::{Path, PathBuf};

use exact::{UBig, scaled};
use index::{Id, IdSet};
use rustc_hash::FxHashMap;
use store::{Coding, FrameWriter};

use crate::block::{BLOCK, Block, Choice, Numbers};
use crate::claim::Claim;
use crate::layout::Layout;
use crate::rows::Rows;
use crate::tag;

/// The first line of the names.
pub(crate) const FORM: &str = "oddsmith table 1";

index::typed_id!(
    /// A move by its number.
    pub(crate) struct MoveId, "m"
);

/// Who plays a move, and the move as GDL text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveName {
    /// The role.
    pub role: String,
    /// The move.
    pub text: String,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Entries.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// A table that is being written. Dropped before it is finished, it leaves nothing behind.
pub struct Writer {
    path: PathBuf,
    frames: FrameWriter,
    layout: Layout,
    /// By field and code: whether some entry has it.
    used_codes: Vec<Vec<bool>>,
    used_moves: IdSet<MoveId>,
    folder: PathBuf,
    budget: u64,
    layer: Option<Collecting>,
    entries: u64,
}

/// The layer whose entries come in.
struct Collecting {
    step: u32,
    denominator: UBig,
    limbs: usize,
    rows: Rows,
    choices: Vec<Choice>,
    numbers: FxHashMap<Choice, u32>,
    common: Common,
}

impl Writer {
    /// Begins a table; `budget` is how many bytes of entries may wait in memory to be sorted, beyond
    /// which they go to a file without a name in `folder`.
    ///
    /// # Errors
    /// As the system reports them.
    pub fn create(path: &Path, layout: Layout, folder: &Path, budget: u64) -> io::Result<Self> {
        let frames = FrameWriter::create(path)?;
        let used_codes =
            layout.fields().iter().map(|field| vec![false; field.codes.len()]).collect();
        Ok(Self {
            path: path.to_owned(),
            frames,
            layout,
            used_codes,
            used_moves: IdSet::new(),
            folder: folder.to_owned(),
            budget,
            layer: None,
            entries: 0,
        })
    }

    /// Bytes of the entries that wait in memory, and of what sorts them.
    pub fn held_bytes(&self) -> u64 {
        self.layer.as_ref().map_or(0, |layer| layer.rows.held_bytes())
    }

    /// Begins the layer of the states `step` steps from the one asked about; steps descend.
    ///
    /// # Panics
    /// When a layer is open.
    pub fn begin(&mut self, step: u32, denominator: UBig) {
        assert!(self.layer.is_none(), "layers are written one after the other");
        let limbs = exact::limbs(&denominator);
        let rows = Rows::new(self.layout.words(), limbs, self.budget, &self.folder);
        let common = Common::new(&denominator);
        self.layer = Some(Collecting {
            step,
            denominator,
            limbs,
            rows,
            choices: Vec::new(),
            numbers: FxHashMap::default(),
            common,
        });
    }

    /// Adds an entry of the layer. A numerator may have more words than the denominator needs, if
    /// they are 0.
    ///
    /// # Errors
    /// As the system reports them, where entries do not wait in memory.
    ///
    /// # Panics
    /// When no layer is open, or the value is above 1.
    pub fn push(&mut self, key: &[u64], numerator: &[u64], choice: &Choice) -> io::Result<()> {
        let layer = self.layer.as_mut().expect("an open layer");
        let (numerator, above) = numerator.split_at(layer.limbs);
        assert!(scaled::is_zero(above), "a value is at most 1");
        layer.common.take_in(numerator);
        let number = match layer.numbers.get(choice) {
            Some(number) => *number,
            None => {
                let number = layer.choices.len() as u32;
                layer.choices.push(choice.clone());
                layer.numbers.insert(choice.clone(), number);
                let moves = choice.moves.iter().map(|id| MoveId::from_index(*id as usize));
                moves.for_each(|id| {
                    self.used_moves.insert(id);
                });
                number
            }
        };
        layer.rows.push(key, numerator, number)
    }

    /// Ends the layer and writes it.
    ///
    /// # Errors
    /// As the system reports them.
    ///
    /// # Panics
    /// When no layer is open, or a key came twice.
    pub fn end(&mut self) -> io::Result<()> {
        let layer = self.layer.take().expect("an open layer");
        let common = layer.common.value();
        let denominator = &layer.denominator / &common;
        let limbs = exact::limbs(&denominator);
        let mut head = vec![u64::from(layer.step), layer.rows.len(), limbs as u64];
        let mut words = vec![0; limbs];
        scaled::from_big(&denominator, &mut words);
        head.extend(&words);
        self.frames.write(tag::LAYER, Coding::Plain, &head)?;
        self.entries += layer.rows.len();
        let (width, old) = (self.layout.words(), layer.limbs);
        let mut waiting = Waiting { width, limbs, ..Waiting::default() };
        let mut firsts: Vec<u64> = Vec::new();
        let small = u64::try_from(&common).ok();
        layer.rows.drain(|row| {
            waiting.keys.extend_from_slice(&row[..width]);
            let from = waiting.numerators.len();
            waiting.numerators.extend_from_slice(&row[width..width + old]);
            match small {
                Some(1) => {}
                Some(divisor) => scaled::div_small_exact(&mut waiting.numerators[from..], divisor),
                None => {
                    let quotient = scaled::to_big(&waiting.numerators[from..]) / &common;
                    scaled::from_big(&quotient, &mut waiting.numerators[from..]);
                }
            }
            waiting.numerators.truncate(from + limbs);
            waiting.choices.push(row[width + old] as u32);
            if waiting.choices.len() == BLOCK {
                self.block(&mut waiting, &layer.choices, &mut firsts)?;
            }
            Ok(())
        })?;
        if !waiting.choices.is_empty() {
            self.block(&mut waiting, &layer.choices, &mut firsts)?;
        }
        self.frames.write(tag::INDEX, steps(width), &firsts)
    }

    /// Writes the entries that wait.
    fn block(
        &mut self,
        waiting: &mut Waiting,
        choices: &[Choice],
        firsts: &mut Vec<u64>,
    ) -> io::Result<()> {
        let (width, limbs) = (waiting.width, waiting.limbs);
        firsts.extend_from_slice(&waiting.keys[..width]);
        for key in waiting.keys.chunks_exact(width) {
            self.layout.mark_codes(key, &mut self.used_codes);
        }
        let chosen: Vec<&Choice> =
            waiting.choices.iter().map(|number| &choices[*number as usize]).collect();
        let keys = std::mem::take(&mut waiting.keys);
        let block = Block::new(width, limbs, keys, &waiting.numerators, &chosen);
        let Numbers { keys, values, sets, picks } = block.numbers();
        self.frames.write(tag::KEYS, steps(width), &keys)?;
        self.frames.write(tag::VALUES, steps(limbs), &values)?;
        self.frames.write(tag::SETS, Coding::Plain, &sets)?;
        self.frames.write(tag::PICKS, Coding::Plain, &picks)?;
        waiting.numerators.clear();
        waiting.choices.clear();
        Ok(())
    }

    /// Writes the names, and waits until the file is under its name and on the disk. `name` tells
    /// the moves that entries have by their numbers.
    ///
    /// # Errors
    /// As the system reports them; the name then has what it had before.
    ///
    /// # Panics
    /// When a layer is open.
    pub fn finish(mut self, claim: &Claim, name: impl Fn(u32) -> MoveName) -> io::Result<Written> {
        assert!(self.layer.is_none(), "the last layer is ended");
        let layout = self.layout.narrowed(&self.used_codes);
        let mut text = format!("{FORM}\n{}{}", claim.text(), layout.text());
        text += &format!("moves {}\n", self.used_moves.len());
        for id in self.used_moves.iter() {
            let MoveName { role, text: named } = name(id.index() as u32);
            text += &format!("{} {role} {named}\n", id.index());
        }
        self.frames.write(tag::NAMES, Coding::Plain, &text_words(&text))?;
        self.frames.finish(None)?;
        Ok(Written { entries: self.entries, bytes: std::fs::metadata(&self.path)?.len() })
    }
}

/// Entries of the next block.
#[derive(Default)]
struct Waiting {
    width: usize,
    limbs: usize,
    keys: Vec<u64>,
    numerators: Vec<u64>,
    choices: Vec<u32>,
}

/// Steps over items of so many words.
pub(crate) fn steps(words: usize) -> Coding {
    u16::try_from(words).map_or(Coding::Plain, Coding::Steps)
}

/// A text as words: its length in bytes, then the bytes, zeros behind them.
pub(crate) fn text_words(text: &str) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(eight)
    };
    std::iter::once(text.len() as u64).chain(text.as_bytes().chunks(8).map(word)).collect()
}

/// The greatest common divisor of a denominator and the numerators seen.
enum Common {
    Small(u64),
    Big(UBig),
}

impl Common {
    fn new(denominator: &UBig) -> Self {
        match u64::try_from(denominator) {
            Ok(small) => Self::Small(small),
            Err(_) => Self::Big(denominator.clone()),
        }
    }

    #[inline]
    fn take_in(&mut self, numerator: &[u64]) {
        match self {
            Self::Small(1) => {}
            Self::Small(held) => {
                let rest = match numerator {
                    [only] => only % *held,
                    several => scaled::rem_small(several, *held),
                };
                *held = exact::gcd(*held, rest);
            }
            Self::Big(held) => {
                *self = Self::new(&exact::gcd_big(held, &scaled::to_big(numerator)));
            }
        }
    }

    fn value(&self) -> UBig {
        match self {
            Self::Small(held) => UBig::from(*held),
            Self::Big(held) => held.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numerators_share_is_found_at_any_length() {
        let mut small = Common::new(&UBig::from(60u8));
        small.take_in(&[0]);
        small.take_in(&[60]);
        assert_eq!(small.value(), UBig::from(60u8));
        small.take_in(&[18]);
        assert_eq!(small.value(), UBig::from(6u8));
        let wide = UBig::from(12u8) << 100;
        let mut words = [0; 2];
        scaled::from_big(&(UBig::from(18u8) << 90), &mut words);
        let mut big = Common::new(&wide);
        big.take_in(&words);
        assert_eq!(big.value(), UBig::from(6u8) << 90);
        big.take_in(&[9, 0]);
        assert_eq!(big.value(), UBig::from(3u8));
    }
}
