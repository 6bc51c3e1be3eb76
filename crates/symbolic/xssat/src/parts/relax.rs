//! Relax: an upper bound on a part, from letting exists choose later than it may.
//!
//! Who chooses later knows more, so a part is worth no more than it would be if variables of its
//! outermost block of exists were chosen behind variables of the next block. Each is put right
//! before the first of those that it shares a clause with: a plan that must be made beforehand
//! becomes one that may look at what happened so far, which the cache makes cheap. Where that is
//! no more than the floor, the part is left.
//!
//! Bounds are parts of their own in the cache. A bound that takes long is given up, and bounds are
//! asked for only as long as they help.
//!
//! Source: Yuan, Lim and Lu, *Most relevant explanation and MAP by exchanging max and sum* (2004
//! and later work on marginal MAP), for the exchange.

use index::Id;
use qcnf::{Kind, Lit, Var};

use super::cache::Ticket;
use super::frame::Valued;
use super::search::{Next, Parts, Setting};
use super::value::Value;
use crate::faults::Fault;
use crate::problem::Problem;

/// Bounds that may fail before none is asked for any more.
const CREDIT: i32 = 64;
/// What a bound that helped is worth, and what one costs that was given up.
const HELPED: i32 = 4;
const GIVEN_UP: i32 = 8;
/// Parts that a bound may meet, for each variable of its part.
const EFFORT: u64 = 16;

/// What is known about bounds.
pub(super) struct Relaxation {
    /// By variable: the first variable of the next block that it shares a clause with; for one that
    /// exists does not bind, itself.
    contacts: Vec<u32>,
    credit: i32,
    /// The place of the frame that asks for a bound, and the parts that it may still meet.
    asks: Option<(usize, u64)>,
    /// Whether the part that is entered next was asked about.
    is_asked: bool,
}

impl Relaxation {
    pub(super) fn new(problem: &Problem, is_on: bool) -> Self {
        let credit = if is_on { CREDIT } else { 0 };
        Self { contacts: contacts(problem), credit, asks: None, is_asked: false }
    }

    /// Forgets a bound that is being found.
    pub(super) fn restart(&mut self) {
        (self.asks, self.is_asked) = (None, false);
    }

    /// Whether a bound is being found.
    pub(super) fn is_on(&self) -> bool {
        self.asks.is_some()
    }
}

fn contacts(problem: &Problem) -> Vec<u32> {
    let formula = &problem.formula;
    let exists = |var: Var| formula.kind(var) == Kind::Exists;
    let mut contacts: Vec<u32> = (0..formula.variables() as u32).collect();
    for (at, contact) in contacts.iter_mut().enumerate() {
        let var = Var::from_index(at);
        if exists(var) {
            let lits = [Lit::positive(var), Lit::negative(var)];
            let clauses = lits.iter().flat_map(|&lit| formula.occurs(lit));
            let others = clauses.flat_map(|&id| formula.clauses.get(id as usize));
            let inner = others.map(|lit| lit.var()).filter(|&v| v.index() > at && !exists(v));
            *contact = inner.map(|v| v.index() as u32).min().unwrap_or(u32::MAX);
        }
    }
    contacts
}

impl Parts {
    /// Asks for a bound on the part on top, if it may help.
    pub(super) fn ask(
        &mut self,
        setting: &mut Setting<'_>,
        floor: &Value,
        ticket: Option<Ticket>,
    ) -> Option<Next> {
        let asked = std::mem::take(&mut self.relaxation.is_asked);
        if asked || floor.is_zero() || self.relaxation.is_on() || self.relaxation.credit <= 0 {
            return None;
        }
        let component = self.components.last();
        let vars = self.components.vars(component);
        let kind = |&at: &u32| setting.problem.formula.kind(Var::from_index(at as usize));
        if kind(&vars[0]) != Kind::Exists || vars.iter().all(|at| kind(at) != Kind::Chance) {
            return None;
        }
        let effort = EFFORT * vars.len() as u64;
        self.relaxation.credit -= 1;
        self.push(component, None, floor.clone(), ticket);
        self.relaxation.asks = Some((self.frames.len(), effort));
        self.components.push_again(component);
        setting.stats.relaxed += 1;
        Some(Next::Enter)
    }

    /// Counts a part that is met while a bound is found; gives the bound up where there are too
    /// many.
    pub(super) fn count(&mut self, setting: &Setting<'_>) -> bool {
        let Some((place, effort)) = &mut self.relaxation.asks else { return true };
        if let Some(less) = effort.checked_sub(1) {
            *effort = less;
            return true;
        }
        let place = *place;
        if setting.options.satisfiability == 0 {
            self.cache.drop_since(self.frames[place - 1].since);
        }
        self.relaxation.credit -= GIVEN_UP;
        self.frames.truncate(place);
        self.answer(None);
        false
    }

    /// Whether the top frame asked for a bound.
    pub(super) fn asks(&self) -> bool {
        self.relaxation.asks.is_some_and(|(place, _)| place == self.frames.len())
    }

    /// Leaves the frame that asked, with a bound or without; the value of its part, if that is low.
    pub(super) fn answer(&mut self, bound: Option<Value>) -> Option<Valued> {
        let frame = self.frames.pop().expect("the frame that asked is on top");
        self.relaxation.asks = None;
        self.components.truncate(frame.below);
        self.reasoner.undo(frame.depth);
        let low = bound.filter(|bound| bound.is_at_most(&frame.floor));
        if low.is_some() {
            self.relaxation.credit = (self.relaxation.credit + HELPED).min(4 * CREDIT);
        } else {
            self.relaxation.is_asked = true;
        }
        let low = low.map(|value| Valued { is_exact: value.is_zero(), value })?;
        if let Some(ticket) = frame.ticket {
            self.cache.store(ticket, &low);
        }
        Some(low)
    }

    /// The literal that a bound branches on. Its variable is of the outermost block or, where exists
    /// binds that, of the next: the one that comes first when exists waits.
    pub(super) fn decide_relaxed(&self, setting: &Setting<'_>, vars: &[u32]) -> Lit {
        let formula = &setting.problem.formula;
        let block = |&at: &u32| {
            let var = Var::from_index(at as usize);
            (formula.kind(var), formula.level(var))
        };
        let outer = vars.iter().take_while(|at| block(at).0 == Kind::Exists).count();
        let inner = &vars[outer..];
        let next = inner.iter().take_while(|at| Some(block(at)) == inner.first().map(block));
        let key = |at: &&u32| (self.relaxation.contacts[**at as usize], **at);
        let mut first = vars[..outer].iter().chain(next).min_by_key(key);
        if setting.options.plants(Fault::ChosenSooner) {
            first = vars.last();
        }
        let var = Var::from_index(*first.expect("a part has a variable") as usize);
        Lit::new(var, self.reasoner.model[var.index()])
    }

    /// The parts and frames that are not about a bound: how many of each.
    pub(super) fn unrelaxed(&self) -> (usize, usize) {
        match self.relaxation.asks {
            Some((place, _)) => (self.frames[place - 1].below, place - 1),
            None => (self.components.len(), self.frames.len()),
        }
    }
}
