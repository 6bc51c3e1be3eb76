//! Propagate: a clause whose other literals are false makes its last literal true.
//!
//! Binary clauses are lists of implications, clauses of three lists of pairs, one for each literal:
//! looked at more often than watches would be, but nothing has to move (a third less time on long
//! games, 7 % on boards). Longer clauses watch two literals, the deepest first, so that a clause
//! about far levels is looked at late. Propagation is eager down to the
//! *horizon*, some levels below the walk; what follows further down is known, but waits with its
//! consequences until the walk comes near: most of it is never needed, since a cache answers
//! first.
//!
//! A literal bound by forall that would have to be true is a conflict: its other branch is worth
//! 0. One bound by chance is made true; its weight is not counted here but when the walk passes
//! it, since until then the branch may end.
//!
//! Always: a watched literal that is false and was propagated has a true partner that was drawn
//! no later. Undoing needs no work on watches.
//!
//! Source: Moskewicz et al., *Chaff* (2001); Een and Sorensson, *MiniSat* (2003) for blockers.

use index::Id;
use qcnf::{Kind, Lit, Var};

use crate::faults::Fault;
use crate::options::Options;
use crate::problem::Problem;

const OPEN: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;

/// A clause is falsified, or a literal bound by forall would have to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict;

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Some literal of the clause: where it is true there is nothing to do.
    blocker: Lit,
}

/// The assignment and all that derives it.
pub(crate) struct Propagator {
    /// By literal.
    values: Vec<u8>,
    /// By variable its level, times two, and one more where forall binds it and that matters: what
    /// is asked of each literal that is drawn, in one word.
    places: Vec<u32>,
    trail: Vec<Lit>,
    /// Drawn literals whose consequences are not drawn yet.
    agenda: Vec<Lit>,
    done: usize,
    /// For each level, literals drawn while it was beyond the horizon.
    waiting: Vec<Vec<Lit>>,
    horizon: usize,
    watches: Vec<Vec<Watch>>,
    literals: Vec<Lit>,
    starts: Vec<u32>,
    /// Binary clauses added later: for each literal those that it implies; may be empty.
    added: Vec<Vec<Lit>>,
    /// Literals drawn after which propagation stops, though more would follow.
    last: u64,
    /// Literals drawn so far, for statistics.
    pub(crate) drawn: u64,
}

impl Propagator {
    pub(crate) fn new(problem: &Problem, options: &Options) -> Self {
        let formula = &problem.formula;
        let mut propagator = Self {
            values: vec![OPEN; 2 * formula.variables()],
            places: places(problem, options.plants(Fault::ForallPropagated)),
            trail: Vec::with_capacity(formula.variables()),
            agenda: Vec::new(),
            done: 0,
            waiting: vec![Vec::new(); formula.levels()],
            horizon: 0,
            watches: vec![Vec::new(); 2 * formula.variables()],
            literals: Vec::new(),
            starts: vec![0],
            added: Vec::new(),
            last: u64::MAX,
            drawn: 0,
        };
        for clause in (0..formula.clauses.len()).map(|id| formula.clauses.get(id)) {
            if clause.len() > 3 {
                propagator.attach(clause);
            }
        }
        propagator
    }

    /// One that draws what follows from the clauses alone.
    pub(crate) fn of_clauses(problem: &Problem) -> Self {
        let mut propagator = Self::new(problem, &Options::default());
        propagator.places = places(problem, true);
        propagator.added = vec![Vec::new(); 2 * problem.formula.variables()];
        propagator
    }

    /// Stops propagation after so many literals from now on.
    pub(crate) fn stop_after(&mut self, more: u64) {
        self.last = self.drawn.saturating_add(more);
    }

    /// Adds a binary clause, of [`Propagator::of_clauses`].
    pub(crate) fn add_binary(&mut self, [a, b]: [Lit; 2]) {
        self.added[(!a).code()].push(b);
        self.added[(!b).code()].push(a);
    }

    fn attach(&mut self, clause: &[Lit]) {
        debug_assert!(clause.len() > 3, "shorter clauses are lists");
        let id = self.starts.len() as u32 - 1;
        self.watches[clause[0].code()].push(Watch { clause: id, blocker: clause[1] });
        self.watches[clause[1].code()].push(Watch { clause: id, blocker: clause[0] });
        self.literals.extend_from_slice(clause);
        self.starts.push(self.literals.len() as u32);
    }

    #[inline]
    pub(crate) fn is_true(&self, lit: Lit) -> bool {
        self.values[lit.code()] == TRUE
    }

    #[inline]
    pub(crate) fn is_open(&self, var: Var) -> bool {
        self.values[2 * var.index()] == OPEN
    }

    /// The value of a variable that has one.
    #[inline]
    pub(crate) fn value(&self, var: Var) -> bool {
        debug_assert!(!self.is_open(var), "{var} has no value yet");
        self.values[2 * var.index()] == TRUE
    }

    /// How many literals hold.
    #[inline]
    pub(crate) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Sets the horizon, at the start of a walk.
    pub(crate) fn start(&mut self, horizon: usize) {
        assert!(self.trail.is_empty(), "a walk starts without an assignment");
        debug_assert!(self.waiting.iter().all(Vec::is_empty));
        self.horizon = horizon;
    }

    /// Moves the horizon one level down; what waited there is on the agenda.
    pub(crate) fn advance(&mut self) {
        self.horizon += 1;
        if let Some(waiting) = self.waiting.get(self.horizon) {
            self.agenda.extend_from_slice(waiting);
        }
    }

    /// Moves the horizon one level up again.
    pub(crate) fn retreat(&mut self) {
        debug_assert!(self.horizon > 0);
        self.horizon -= 1;
    }

    /// Makes a literal true that had no value, and draws what follows.
    ///
    /// # Errors
    /// A conflict.
    pub(crate) fn assume(&mut self, problem: &Problem, lit: Lit) -> Result<(), Conflict> {
        debug_assert!(self.is_open(lit.var()), "{lit} has a value");
        self.set(lit, self.level(lit));
        self.propagate(problem)
    }

    #[inline]
    fn level(&self, lit: Lit) -> usize {
        (self.places[lit.var().index()] / 2) as usize
    }

    #[inline]
    fn set(&mut self, lit: Lit, level: usize) {
        self.values[lit.code()] = TRUE;
        self.values[(!lit).code()] = FALSE;
        self.trail.push(lit);
        if level <= self.horizon {
            self.agenda.push(lit);
        } else {
            self.waiting[level].push(lit);
        }
    }

    #[inline]
    fn draw(&mut self, lit: Lit) -> Result<(), Conflict> {
        self.drawn += 1;
        let place = self.places[lit.var().index()];
        if place & 1 == 1 {
            return Err(Conflict);
        }
        self.set(lit, (place / 2) as usize);
        Ok(())
    }

    /// Draws everything that follows from the agenda.
    ///
    /// # Errors
    /// A conflict; the agenda is empty then as well.
    pub(crate) fn propagate(&mut self, problem: &Problem) -> Result<(), Conflict> {
        let mut outcome = Ok(());
        while self.done < self.agenda.len() && outcome.is_ok() && self.drawn < self.last {
            let lit = self.agenda[self.done];
            self.done += 1;
            outcome = self.imply(problem, lit).and_then(|()| self.visit(lit));
        }
        self.agenda.clear();
        self.done = 0;
        outcome
    }

    fn imply(&mut self, problem: &Problem, lit: Lit) -> Result<(), Conflict> {
        for &implied in problem.implied.get(lit.code()) {
            match self.values[implied.code()] {
                TRUE => {}
                FALSE => return Err(Conflict),
                _ => self.draw(implied)?,
            }
        }
        for &[a, b] in problem.pairs.get(lit.code()) {
            match (self.values[a.code()], self.values[b.code()]) {
                (TRUE, _) | (_, TRUE) | (OPEN, OPEN) => {}
                (FALSE, FALSE) => return Err(Conflict),
                (FALSE, _) => self.draw(b)?,
                _ => self.draw(a)?,
            }
        }
        let added = self.added.get(lit.code()).map_or(0, Vec::len);
        for at in 0..added {
            let implied = self.added[lit.code()][at];
            match self.values[implied.code()] {
                TRUE => {}
                FALSE => return Err(Conflict),
                _ => self.draw(implied)?,
            }
        }
        Ok(())
    }

    /// Visits the clauses that watch the negation of a true literal.
    fn visit(&mut self, lit: Lit) -> Result<(), Conflict> {
        let mut watches = std::mem::take(&mut self.watches[(!lit).code()]);
        let mut kept = 0;
        let mut outcome = Ok(());
        let mut next = 0;
        while next < watches.len() {
            let watch = watches[next];
            next += 1;
            if self.values[watch.blocker.code()] == TRUE {
                watches[kept] = watch;
                kept += 1;
                continue;
            }
            match self.rewatch(watch.clause, !lit) {
                Rewatched::Moved => continue,
                Rewatched::Kept(blocker, value) => {
                    watches[kept] = Watch { clause: watch.clause, blocker };
                    kept += 1;
                    outcome = match value {
                        TRUE => Ok(()),
                        FALSE => Err(Conflict),
                        _ => self.draw(blocker),
                    };
                }
            }
            if outcome.is_err() {
                break;
            }
        }
        watches.copy_within(next.., kept);
        watches.truncate(kept + watches.len() - next);
        self.watches[(!lit).code()] = watches;
        outcome
    }

    /// Looks for another literal to watch in place of a false one.
    fn rewatch(&mut self, clause: u32, falsified: Lit) -> Rewatched {
        let start = self.starts[clause as usize] as usize;
        let end = self.starts[clause as usize + 1] as usize;
        let literals = &mut self.literals[start..end];
        if literals[0] == falsified {
            literals.swap(0, 1);
        }
        debug_assert_eq!(literals[1], falsified, "watched literals stand first");
        let other = literals[0];
        let value = self.values[other.code()];
        if value == TRUE {
            return Rewatched::Kept(other, TRUE);
        }
        for at in 2..literals.len() {
            let lit = literals[at];
            if self.values[lit.code()] != FALSE {
                literals.swap(1, at);
                self.watches[lit.code()].push(Watch { clause, blocker: other });
                return Rewatched::Moved;
            }
        }
        Rewatched::Kept(other, value)
    }

    /// Takes back all literals but the first `mark`.
    pub(crate) fn undo(&mut self, mark: usize) {
        debug_assert!(mark <= self.trail.len() && self.agenda.is_empty());
        for at in (mark..self.trail.len()).rev() {
            let lit = self.trail[at];
            self.values[lit.code()] = OPEN;
            self.values[(!lit).code()] = OPEN;
            let level = self.level(lit);
            let waiting = &mut self.waiting[level];
            if waiting.last() == Some(&lit) {
                waiting.pop();
            }
        }
        self.trail.truncate(mark);
    }
}

/// What is asked of each variable. `ignores_quantifiers`: literals bound by forall are drawn like
/// others, so all that is drawn follows from the clauses, whatever binds the variables.
fn places(problem: &Problem, ignores_quantifiers: bool) -> Vec<u32> {
    let formula = &problem.formula;
    assert!(formula.levels() < 1 << 31, "twice a level fits a word");
    let place = |var: Var| {
        let bound = formula.kind(var) == Kind::Forall && !ignores_quantifiers;
        2 * formula.level(var) as u32 + u32::from(bound)
    };
    (0..formula.variables()).map(|at| place(Var::from_index(at))).collect()
}

/// What became of a watched literal that is false.
enum Rewatched {
    /// Another literal is watched.
    Moved,
    /// The other watched literal is the last that may hold; its value.
    Kept(Lit, u8),
}
