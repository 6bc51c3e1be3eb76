//! Is a table what it claims to be? Every entry again, from its children, by the rules alone.
//!
//! Each entry's state is looked at as the reference does: a terminal one must have its worth, one
//! at the horizon 0, any other the largest mean over the asked role's moves of the smallest over
//! its opponents' of the values that the table has for the states that follow; and the marked moves
//! must be exactly those that reach it. Children stand in the layer of the next step; where there
//! is none, a child must wait for chance alone, and is gone through by the rules to the layer behind.
//!
//! Why that proves the table: steps rise from an entry to its children, so by induction from the
//! last layer every entry is the value of its state with the steps that are left; the first layer
//! is the state asked about, and the claim is the question. The other way round nothing is spare: an
//! entry that no other leads to, a name that no entry has and a denominator that could be smaller
//! are refused, so that what a table holds beside its values is exact as well.
//!
//! A table that holds one side's policy has fewer entries: where the side chooses only the marked move
//! is followed, and the value must be what that move leads to, whatever the others do. So the value
//! is what the policy is sure of, a bound from that side.
//!
//! Shared with the engine that wrote it: the reader of GDL, the reader of the file and the
//! arithmetic of fractions. Costs what the reference costs, some ten microseconds a state and as
//! many a joint move, on each of several threads.

mod entry;
mod names;
mod policy;
mod reduce;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use exact::{Ratio, UBig};
use gdl::Rulebook;
use index::{Id, IdSet};
use table::{Claim, Table, TableFault};
use verdict::{Fault, HaltReason, Progress, Question, Watch};

use entry::Checker;
use names::Names;
pub use reduce::reduce;

/// Bytes of blocks that all threads keep together, where memory is not limited.
const BLOCK_BYTES: u64 = 256 << 20;
/// Reserved for each thread, not touched: rules may nest as deep as the reader of GDL takes them.
const STACK_BYTES: usize = 256 << 20;
/// Looks at the clock between two at the memory.
const LOOK_EVERY: u64 = 256;

/// A table that was proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The value of the state asked about.
    pub value: Ratio,
    /// Entries, all of them derived.
    pub entries: u64,
    /// Layers.
    pub layers: usize,
    /// States that were gone through between layers.
    pub passed: u64,
    /// Whether the asked role and an opponent both choose in some step: the opponent is then taken to
    /// see the role's choice, and the value is a lower bound for the simultaneous game.
    pub simultaneous: bool,
}

/// Why a table is not proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does not prove its claim.
    Objection(Box<Objection>),
    /// A limit was met before the end; how many entries had been derived, all as written.
    Halted(HaltReason, u64),
    /// The rules are at fault.
    Faulty(Box<Fault>),
    /// The system refused.
    Environment(String),
}

/// What is wrong with a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objection {
    /// A stable short name.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The step of the entry's layer and its place there, where an entry is wrong.
    pub entry: Option<(u32, u64)>,
    /// Its state as GDL text.
    pub state: Option<String>,
    /// What the table says.
    pub written: Option<String>,
    /// What the rules say.
    pub derived: Option<String>,
}

impl Objection {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }
}

impl From<Objection> for Refusal {
    fn from(objection: Objection) -> Self {
        Self::Objection(Box::new(objection))
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Faulty(Box::new(fault))
    }
}

impl From<TableFault> for Refusal {
    fn from(fault: TableFault) -> Self {
        match fault {
            TableFault::System(error) => Self::Environment(format!("cannot read: {error}")),
            TableFault::Damaged(what) => {
                Objection::new("damaged", format!("the file is damaged: {what}")).into()
            }
        }
    }
}

/// The question that a table claims to answer.
///
/// # Errors
/// When it is of other rules, or its question does not fit them.
pub fn claimed(table: &Table, rulebook: &std::sync::Arc<Rulebook>) -> Result<Question, Refusal> {
    let claim = table.claim();
    if claim.rules != table::rules_sum(rulebook) {
        return Err(Objection::new("other-rules", "the table is of other rules").into());
    }
    let unfit = |what: String| Refusal::from(Objection::new("unfit-claim", what));
    let role = |name: &String| {
        rulebook.role(name).ok_or_else(|| unfit(format!("the rules have no role `{name}`")))
    };
    let mut chance = IdSet::new();
    for name in &claim.chance {
        chance.insert(role(name)?);
    }
    let asked = role(&claim.role)?;
    if chance.contains(asked) {
        return Err(unfit(format!("the role `{}` plays at random", claim.role)));
    }
    let is_random = |role| rulebook.roles[role] == gdl::keyword::RANDOM;
    if rulebook.roles.ids().any(|role| is_random(role) && !chance.contains(role)) {
        return Err(unfit("the role `random` is not among those that play at random".to_owned()));
    }
    let (objective, horizon) = (claim.objective, claim.horizon);
    let rulebook = std::sync::Arc::clone(rulebook);
    let mut question = Question { rulebook, role: asked, objective, horizon, chance, from: None };
    if !claim.from_start {
        let names = Names::of_states(table, &question)?;
        let state = table.root()?;
        question.from = Some(state.iter().map(|prop| names[prop.index()].clone()).collect());
    }
    if (Claim { policy: claim.policy, ..Claim::of(&question) }) != *claim {
        return Err(unfit("the claim is not as it is written".to_owned()));
    }
    Ok(question)
}

/// Derives every entry of a table of this question, on so many threads.
///
/// # Errors
/// Why it is not proven; of several objections the one that comes first in the file's layers.
pub fn certify(
    table: &Table,
    question: &Question,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<Proof, Refusal> {
    let names = Names::new(table, question)?;
    let work = Work::new(table);
    let budget = watch.memory.map_or(BLOCK_BYTES, |limit| limit / 8) / threads.max(1) as u64;
    std::thread::scope(|scope| {
        for first in (0..threads.max(1)).map(|thread| thread == 0) {
            let (names, work) = (&names, &work);
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let spawned = thread.spawn_scoped(scope, move || {
                let checker = Checker::new(table, question, names, budget, &work.seen);
                let look = || work.keep_watch(watch, first);
                match checker {
                    Ok(checker) => work.run(&mut checker.watched(&look)),
                    Err(fault) => work.refuse((0, 0), fault.into()),
                }
            });
            if spawned.is_err() {
                let refusal = Refusal::Environment("no memory for a stack".to_owned());
                work.refuse((0, 0), refusal);
            }
        }
    });
    work.conclude(table, &names)
}

/// What was seen of a table, shared by the threads.
pub(crate) struct Seen {
    /// By layer: which entries some other leads to, by block and place.
    pub(crate) reached: Vec<Vec<AtomicU64>>,
    /// By layer: what its denominator and numerators share.
    pub(crate) common: Vec<Mutex<UBig>>,
    /// Entries that were derived as they are written.
    pub(crate) derived: AtomicU64,
    /// States gone through between layers.
    pub(crate) passed: AtomicU64,
    /// Whether both sides choose in some step.
    pub(crate) simultaneous: AtomicBool,
}

impl Seen {
    /// Nothing yet.
    fn none(table: &Table) -> Self {
        let layers = table.layers().iter();
        let bits = |entries: u64| (0..entries.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self {
            reached: layers.clone().map(|layer| bits(layer.entries)).collect(),
            common: layers.map(|layer| Mutex::new(layer.denominator.clone())).collect(),
            derived: AtomicU64::new(0),
            passed: AtomicU64::new(0),
            simultaneous: AtomicBool::new(false),
        }
    }
}

/// The blocks of a table, handed out in order.
struct Work {
    blocks: Vec<(usize, usize)>,
    next: AtomicUsize,
    /// The first objection by block and entry.
    first: Mutex<Option<((usize, u64), Refusal)>>,
    looks: AtomicU64,
    used: Mutex<names::Used>,
    seen: Seen,
}

impl Work {
    fn new(table: &Table) -> Self {
        let layers = table.layers();
        let blocks = layers.iter().enumerate();
        let blocks = blocks.flat_map(|(layer, held)| (0..held.blocks()).map(move |b| (layer, b)));
        let seen = Seen::none(table);
        Self {
            blocks: blocks.collect(),
            next: AtomicUsize::new(0),
            first: Mutex::new(None),
            looks: AtomicU64::new(0),
            used: Mutex::new(names::Used::none(table)),
            seen,
        }
    }

    /// Keeps the refusal that comes first.
    fn refuse(&self, place: (usize, u64), refusal: Refusal) {
        let mut first = lock(&self.first);
        if first.as_ref().is_none_or(|(held, _)| place < *held) {
            *first = Some((place, refusal));
        }
    }

    /// Whether a block comes behind a refusal.
    fn is_moot(&self, block: usize) -> bool {
        lock(&self.first).as_ref().is_some_and(|((held, _), _)| *held < block)
    }

    /// Takes blocks until there are no more.
    fn run(&self, checker: &mut Checker<'_>) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&(layer, block)) = self.blocks.get(at) else { break };
            if self.is_moot(at) {
                break;
            }
            let mut entry = 0;
            let checked = checker.check(layer, block, |number| entry = number);
            if let Err(refusal) = checked {
                self.refuse((at, entry), refusal);
                break;
            }
        }
        lock(&self.used).join(checker.used());
    }

    /// Looks at the limits.
    fn keep_watch(&self, watch: &Watch<'_>, tells: bool) -> Result<(), Refusal> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let done = self.seen.derived.load(Ordering::Relaxed);
        if watch.interrupted() {
            return Err(Refusal::Halted(HaltReason::Interrupt, done));
        }
        if watch.spent() > 1.0 {
            return Err(Refusal::Halted(HaltReason::Time, done));
        }
        if look.is_multiple_of(LOOK_EVERY) {
            let held = store::resident_bytes().unwrap_or(0);
            if watch.memory.is_some_and(|limit| held > limit) {
                return Err(Refusal::Halted(HaltReason::Memory { needed: held }, done));
            }
        }
        if tells && look.is_multiple_of(LOOK_EVERY / 2) {
            let phase = "verify";
            (watch.progress)(&Progress { phase, states: done, ..Progress::default() });
        }
        Ok(())
    }

    /// What all threads came to.
    fn conclude(self, table: &Table, names: &Names) -> Result<Proof, Refusal> {
        if let Some((_, refusal)) = self.first.into_inner().unwrap_or_else(|held| held.into_inner())
        {
            return Err(refusal);
        }
        let layers = table.layers();
        for (layer, reached) in layers.iter().zip(&self.seen.reached).skip(1) {
            let lone = (0..layer.entries).find(|at| !is_set(reached, *at));
            if let Some(at) = lone {
                return Err(lone_entry(table, names, layer.step, at));
            }
        }
        let one = UBig::from(1u8);
        let shared = self.seen.common.iter().zip(layers).find(|(common, _)| *lock(common) != one);
        if let Some((_, layer)) = shared {
            let message = format!("the values of step {} are not in lowest terms", layer.step);
            return Err(Objection::new("not-lowest-terms", message).into());
        }
        if let Some(name) = lock(&self.used).missing(table) {
            let message = format!("no entry has what the table names: `{name}`");
            return Err(Objection::new("spare-name", message).into());
        }
        let block = table.block(0, 0)?;
        Ok(Proof {
            value: Ratio::from_scaled(block.numerator(0), &layers[0].denominator),
            entries: table.entries(),
            layers: layers.len(),
            passed: self.seen.passed.into_inner(),
            simultaneous: self.seen.simultaneous.into_inner(),
        })
    }
}

/// An entry that no other leads to.
fn lone_entry(table: &Table, names: &Names, step: u32, at: u64) -> Refusal {
    let message = "no entry leads to this one".to_owned();
    let layer = table.layer_at(step).expect("a layer of the table");
    let (block, place) = ((at / table::BLOCK as u64) as usize, (at % table::BLOCK as u64) as usize);
    let state = match table.block(layer, block) {
        Ok(block) => table.layout().state(block.key(place)),
        Err(fault) => return fault.into(),
    };
    let state = state.map(|state| names.text(&state));
    let entry = Some((step, at));
    Objection { code: "lone-entry", message, entry, state, ..Objection::default() }.into()
}

fn is_set(bits: &[AtomicU64], at: u64) -> bool {
    bits[(at / 64) as usize].load(Ordering::Relaxed) >> (at % 64) & 1 == 1
}

/// A lock whose holder cannot panic half-way through a change.
fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
