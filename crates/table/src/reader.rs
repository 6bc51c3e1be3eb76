//! Reading a table: its names and the list of its layers at once, its blocks when they are asked for.

use std::fmt;
use std::io;
use std::path::Path;

use exact::{UBig, scaled};
use store::{Coding, Frame, FrameFile};

use crate::block::{BLOCK, Block, Numbers};
use crate::claim::Claim;
use crate::layout::{Layout, PropId};
use crate::tag;
use crate::writer::{FORM, MoveName, steps, text_words};

/// Why a file cannot be read as a table.
#[derive(Debug)]
pub enum TableFault {
    /// The system refused.
    System(io::Error),
    /// The file does not hold what a writer wrote.
    Damaged(String),
}

impl fmt::Display for TableFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => write!(f, "{error}"),
            Self::Damaged(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for TableFault {}

impl From<io::Error> for TableFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                Self::Damaged(error.to_string())
            }
            _ => Self::System(error),
        }
    }
}

/// Steps of a layer, at most: whoever counts on from a layer by a few does not wrap.
const MOST_STEPS: u32 = u32::MAX - 16;
/// Bits that pick a numerator or a set of a block.
const PICK_BITS: usize = 24;

fn damaged<T>(what: impl Into<String>) -> Result<T, TableFault> {
    Err(TableFault::Damaged(what.into()))
}

/// A move of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its number.
    pub id: u32,
    /// Whose it is, and its text.
    pub name: MoveName,
}

/// The states so many steps from the one asked about.
#[derive(Debug)]
pub struct Layer {
    /// Steps.
    pub step: u32,
    /// Number of entries.
    pub entries: u64,
    /// What the numerators are over.
    pub denominator: UBig,
    limbs: usize,
    firsts: Vec<u64>,
    blocks: Vec<[Frame; 4]>,
}

impl Layer {
    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The only block that can hold a key.
    pub(crate) fn block_of(&self, key: &[u64]) -> Option<usize> {
        let width = key.len();
        let (mut low, mut high) = (0, self.blocks.len());
        while low < high {
            let middle = (low + high) / 2;
            if self.firsts[middle * width..(middle + 1) * width] <= *key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }
}

/// A file that is read.
#[derive(Debug)]
pub struct Table {
    file: FrameFile,
    claim: Claim,
    layout: Layout,
    moves: Vec<Move>,
    layers: Vec<Layer>,
    bytes: u64,
}

impl Table {
    /// Opens a table. Blocks are read, and checked, when they are asked for.
    ///
    /// # Errors
    /// When the system refuses, or the file is not whole or not a table.
    pub fn open(path: &Path) -> Result<Self, TableFault> {
        let (file, frames) = FrameFile::open(path)?;
        let bytes = std::fs::metadata(path)?.len();
        let Some((names, rest)) = frames.split_last().filter(|(last, _)| last.tag == tag::NAMES)
        else {
            return damaged("it is a file of another kind");
        };
        let (claim, layout, moves) = read_names(&file, names)?;
        let mut layers = Vec::new();
        let mut rest = rest.iter();
        while let Some(head) = rest.next() {
            layers.push(read_layer(&file, head, &mut rest, layout.words())?);
        }
        layers.reverse();
        let steps = layers.iter().map(|layer| layer.step);
        let ascending = steps.clone().zip(steps.skip(1)).all(|(left, right)| left < right);
        let rooted = layers.first().is_some_and(|layer| layer.step == 0 && layer.entries == 1);
        let counted = layers.last().is_some_and(|layer| layer.step <= MOST_STEPS);
        if !ascending || !rooted || !counted {
            return damaged("its layers do not begin with one state and go on by steps");
        }
        Ok(Self { file, claim, layout, moves, layers, bytes })
    }

    /// What is claimed.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }

    /// What keys mean.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The moves that are best somewhere, by their numbers.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The place of a move among [`Table::moves`].
    pub fn place_of(&self, id: u32) -> Option<usize> {
        self.moves.binary_search_by_key(&id, |held| held.id).ok()
    }

    /// The move of a number.
    pub fn move_of(&self, id: u32) -> Option<&MoveName> {
        Some(&self.moves[self.place_of(id)?].name)
    }

    /// The layers, by steps.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The layer of so many steps.
    pub fn layer_at(&self, step: u32) -> Option<usize> {
        self.layers.binary_search_by_key(&step, |layer| layer.step).ok()
    }

    /// Number of entries.
    pub fn entries(&self) -> u64 {
        self.layers.iter().map(|layer| layer.entries).sum()
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The state that the table is about: that of its first key.
    ///
    /// # Errors
    /// When its block cannot be read, or the key is of no state.
    pub fn root(&self) -> Result<Vec<PropId>, TableFault> {
        let block = self.block(0, 0)?;
        match self.layout.state(block.key(0)) {
            Some(state) => Ok(state),
            None => damaged("its first key is of no state"),
        }
    }

    /// Reads a block of a layer.
    ///
    /// # Errors
    /// When the system refuses, or the block is damaged.
    ///
    /// # Panics
    /// When there is no such block.
    pub fn block(&self, layer: usize, block: usize) -> Result<Block, TableFault> {
        let held = &self.layers[layer];
        let [keys, values, sets, picks] = &held.blocks[block];
        let (width, limbs) = (self.layout.words(), held.limbs);
        // Before they are unpacked: a few bytes may say that they are very many.
        let most =
            [(keys, BLOCK * width), (values, BLOCK * limbs), (picks, BLOCK * PICK_BITS / 64)];
        if most.iter().any(|(frame, most)| frame.count as usize > *most) {
            return damaged(format!(
                "block {block} of the layer of step {} is too large",
                held.step
            ));
        }
        let mut numbers =
            Numbers { keys: Vec::new(), values: Vec::new(), sets: Vec::new(), picks: Vec::new() };
        self.file.read_strictly(keys, steps(width), &mut numbers.keys)?;
        self.file.read_strictly(values, steps(limbs), &mut numbers.values)?;
        self.file.read_strictly(sets, Coding::Plain, &mut numbers.sets)?;
        self.file.read_strictly(picks, Coding::Plain, &mut numbers.picks)?;
        let place = format!("block {block} of the layer of step {}", held.step);
        let Some(read) = Block::parse(width, limbs, numbers) else {
            return damaged(format!("{place} does not hold entries"));
        };
        let last = block + 1 == held.blocks.len();
        let before = block as u64 * BLOCK as u64;
        let expected = if last { held.entries - before } else { BLOCK as u64 };
        let first = &held.firsts[block * width..(block + 1) * width];
        let below = last || read.key(read.len() - 1) < &held.firsts[(block + 1) * width..][..width];
        if read.len() as u64 != expected || read.key(0) != first || !below {
            return damaged(format!("{place} does not fit the index of its layer"));
        }
        Ok(read)
    }
}

fn read_layer<'f>(
    file: &FrameFile,
    head: &Frame,
    rest: &mut impl Iterator<Item = &'f Frame>,
    width: usize,
) -> Result<Layer, TableFault> {
    let mut words: Vec<u64> = Vec::new();
    if head.tag == tag::LAYER {
        file.read_strictly(head, Coding::Plain, &mut words)?;
    }
    let Some((&[step, entries, limbs], denominator)) = words.split_first_chunk::<3>() else {
        return damaged("a layer does not begin with its head");
    };
    let (Ok(step), Ok(limbs)) = (u32::try_from(step), usize::try_from(limbs)) else {
        return damaged("the head of a layer is damaged");
    };
    let top = denominator.last().is_some_and(|word| *word != 0);
    if denominator.len() != limbs || !top || entries == 0 {
        return damaged(format!("the head of the layer of step {step} is damaged"));
    }
    let mut blocks = Vec::new();
    let mut ended = None;
    for _ in 0..entries.div_ceil(BLOCK as u64) {
        let tags = [tag::KEYS, tag::VALUES, tag::SETS, tag::PICKS];
        let frames = tags.map(|tag| rest.next().copied().filter(|frame| frame.tag == tag));
        let [Some(keys), Some(values), Some(sets), Some(picks)] = frames else {
            ended = Some(blocks.len());
            break;
        };
        blocks.push([keys, values, sets, picks]);
    }
    let index = rest.next().filter(|frame| frame.tag == tag::INDEX && ended.is_none());
    let Some(index) = index else {
        return damaged(format!("blocks of the layer of step {step} are missing"));
    };
    let mut firsts: Vec<u64> = Vec::new();
    if index.count as usize != blocks.len() * width {
        return damaged(format!("the index of the layer of step {step} is damaged"));
    }
    file.read_strictly(index, steps(width), &mut firsts)?;
    let denominator = scaled::to_big(denominator);
    Ok(Layer { step, entries, denominator, limbs, firsts, blocks })
}

fn read_names(file: &FrameFile, frame: &Frame) -> Result<(Claim, Layout, Vec<Move>), TableFault> {
    let mut words: Vec<u64> = Vec::new();
    file.read_strictly(frame, Coding::Plain, &mut words)?;
    let bytes: Vec<u8> = words.iter().skip(1).flat_map(|word| word.to_le_bytes()).collect();
    let length = words.first().map_or(0, |length| usize::try_from(*length).unwrap_or(usize::MAX));
    let text = bytes.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let Some(text) = text else { return damaged("its names are no text") };
    if let Some(first) = text.lines().next()
        && first.starts_with("oddsmith table ")
        && first != FORM
    {
        return damaged("it was written by another version of the program");
    }
    let sound = parse_names(text).filter(|_| text_words(text) == words);
    sound.ok_or_else(|| TableFault::Damaged("its names are not as they are written".to_owned()))
}

fn parse_names(text: &str) -> Option<(Claim, Layout, Vec<Move>)> {
    let mut lines = text.lines();
    if lines.next()? != FORM {
        return None;
    }
    let claim = Claim::parse(&mut lines)?;
    let layout = Layout::parse(&mut lines)?;
    let count: usize = lines.next()?.strip_prefix("moves ")?.parse().ok()?;
    let moves: Vec<Move> = lines.map(parse_move).collect::<Option<_>>()?;
    let mut again = format!("{FORM}\n{}{}moves {count}\n", claim.text(), layout.text());
    for Move { id, name } in &moves {
        again += &format!("{id} {} {}\n", name.role, name.text);
    }
    let ascending = moves.windows(2).all(|pair| pair[0].id < pair[1].id);
    (again == text && moves.len() == count && ascending).then_some((claim, layout, moves))
}

fn parse_move(line: &str) -> Option<Move> {
    let (id, name) = line.split_once(' ')?;
    let (role, text) = name.split_once(' ')?;
    let name = MoveName { role: role.to_owned(), text: text.to_owned() };
    Some(Move { id: id.parse().ok()?, name })
}
