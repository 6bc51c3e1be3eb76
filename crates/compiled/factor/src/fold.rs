//! Phases in the form in which a sweep wants them: who chooses, what may be legal, and behind each
//! choice the outcomes of chance; with tosses that follow a choice folded into it.
//!
//! Folded is a phase in which all roles but chance have one move, legal whatever the state, where
//! one pair of moves in one phase leads and changes no digit by itself, and which ends no game
//! that the phase before does not. Then states in it need not be kept, and are as many as the
//! states before in which the pair of moves is legal. Where this fails the phase stays.

use gdl::RoleId;
use index::Id;
use net::{BaseId, GateId, Gates, InputId, cone};

use crate::digits::{Enumerated, Known, evaluate};
use crate::phases::{RawPhase, RawPhases};
use crate::{Chooser, Condition, Factored, Outcome, Pair, Parts, Phase, Refusal};

/// Puts phases and digits together.
pub(crate) fn assemble(
    raw: &RawPhases,
    parts: &Parts,
    digits: Vec<Enumerated>,
    constants: Vec<BaseId>,
) -> Result<Factored, Refusal> {
    let conditions = Conditions::new(raw, &digits);
    let mut phases = Vec::new();
    for (at, phase) in raw.phases.iter().enumerate() {
        phases.push(plain(phase, at, parts, &digits, &conditions)?);
    }
    fold(raw, &mut phases);
    let keep: Vec<usize> = (0..phases.len()).filter(|at| !phases[*at].folded).collect();
    let mut number = vec![usize::MAX; phases.len()];
    keep.iter().enumerate().for_each(|(new, old)| number[*old] = new);
    let mut kept: Vec<Phase> = keep.iter().map(|at| phases[*at].clone()).collect();
    for outcome in
        kept.iter_mut().flat_map(|phase| &mut phase.pairs).flat_map(|it| &mut it.outcomes)
    {
        outcome.phase = number[outcome.phase];
        assert!(outcome.phase < keep.len(), "no outcome leads into a folded phase");
    }
    let digits = digits.into_iter().map(|it| it.digit).collect();
    Ok(Factored { digits, constants, phases: kept, gates: raw.gates.clone(), exchange: None })
}

/// What makes legality gates conditions.
struct Conditions<'a> {
    gates: &'a Gates,
    digits: &'a [Enumerated],
    /// By proposition: its digit.
    digit_of: rustc_hash::FxHashMap<BaseId, usize>,
}

impl<'a> Conditions<'a> {
    fn new(raw: &'a RawPhases, digits: &'a [Enumerated]) -> Self {
        let each = |(at, digit): (usize, &Enumerated)| {
            digit.digit.bases.iter().map(|base| (*base, at)).collect::<Vec<_>>()
        };
        let digit_of = digits.iter().enumerate().flat_map(each).collect();
        Self { gates: &raw.gates, digits, digit_of }
    }

    fn of(&self, gate: GateId) -> Condition {
        if gate == Gates::TRUE {
            return Condition::Always;
        }
        let (bases, _) = net::support(self.gates, &[gate]);
        let mut read: Vec<usize> =
            bases.iter().filter_map(|base| self.digit_of.get(base).copied()).collect();
        read.dedup();
        let [digit] = read[..] else { return Condition::Gate(gate) };
        let order = cone(self.gates, &[gate]);
        let mut scratch = vec![Known::Open; gate.index() + 1];
        let held = &self.digits[digit].digit;
        let mut holds = |value: &Vec<BaseId>| {
            let mut known = |base: BaseId| match self.digit_of.get(&base) {
                Some(_) if value.contains(&base) => Known::True,
                Some(_) => Known::False,
                None => Known::Open,
            };
            evaluate(self.gates, &order, &mut known, &mut scratch);
            scratch[gate.index()]
        };
        let shown: Vec<Known> = held.values.iter().map(&mut holds).collect();
        if shown.contains(&Known::Open) {
            return Condition::Gate(gate);
        }
        Condition::Digit(digit, shown.into_iter().map(|known| known == Known::True).collect())
    }
}

/// A phase with its pairs of moves; nothing is folded.
fn plain(
    raw: &RawPhase,
    at: usize,
    parts: &Parts,
    digits: &[Enumerated],
    conditions: &Conditions<'_>,
) -> Result<Phase, Refusal> {
    let first_chance = 1 + parts.opponents.len();
    let moves_of = |seats: &[Vec<(InputId, GateId)>]| {
        seats.iter().fold(1, |product, moves| product * moves.len())
    };
    let (mut chooser, mut total) = (Chooser::Asked, 1);
    if raw.terminal != Gates::TRUE {
        let (asked, opponents) = (raw.legal[0].len(), moves_of(&raw.legal[1..first_chance]));
        if asked > 1 && opponents > 1 {
            return Err(Refusal("both sides choose in one step"));
        }
        chooser = if opponents > 1 { Chooser::Opponents } else { Chooser::Asked };
        total = moves_of(&raw.legal[first_chance..]);
        let chance = raw.legal[first_chance..].iter().flatten();
        if chance.clone().any(|(_, gate)| *gate != Gates::TRUE) {
            return Err(Refusal("what chance may do depends on more than whose turn it is"));
        }
    }
    let mut pairs: Vec<Pair> = Vec::new();
    for (joint, step) in raw.joints.iter().enumerate() {
        let (choice, _) = step.moves.split_at(first_chance);
        let maps = digits.iter().enumerate();
        let maps = maps.filter_map(|(digit, it)| Some((digit, it.steps[at][joint]?))).collect();
        let outcome = Outcome { weight: 1, phase: step.phase, maps };
        if pairs.last().is_none_or(|pair| pair.moves != choice) {
            let legal = choice.iter().zip(&raw.legal).map(|(input, moves)| {
                let held = moves.iter().find(|(other, _)| other == input);
                conditions.of(held.expect("a move of the phase").1)
            });
            let legal = legal.filter(|condition| *condition != Condition::Always).collect();
            let (moves, outcomes) = (choice.to_vec(), Vec::new());
            pairs.push(Pair { moves, legal, outcomes, total: total as u32, steps: 1 });
        }
        let pair = pairs.last_mut().expect("it was pushed");
        let same = |held: &&mut Outcome| held.phase == outcome.phase && held.maps == outcome.maps;
        match pair.outcomes.iter_mut().find(same) {
            Some(held) => held.weight += 1,
            None => pair.outcomes.push(outcome),
        }
    }
    pairs.iter_mut().for_each(reduce);
    let needs = needs(raw, parts, conditions);
    let waits = raw.terminal != Gates::TRUE
        && total > 1
        && raw.legal[..first_chance].iter().all(|moves| moves.len() == 1);
    Ok(Phase {
        bases: raw.bases.clone(),
        terminal: raw.terminal,
        goals: raw.goals.clone(),
        chooser,
        tosses: total > 1,
        waits,
        pairs,
        needs,
        folded: false,
    })
}

/// Lowest terms.
fn reduce(pair: &mut Pair) {
    fn gcd(left: u32, right: u32) -> u32 {
        if right == 0 { left } else { gcd(right, left % right) }
    }
    let common = pair.outcomes.iter().fold(pair.total, |sum, outcome| gcd(sum, outcome.weight));
    pair.outcomes.iter_mut().for_each(|outcome| outcome.weight /= common);
    pair.total /= common;
    let sum: u32 = pair.outcomes.iter().map(|outcome| outcome.weight).sum();
    assert_eq!(sum, pair.total, "a pair has all its outcomes");
}

/// For each role without a move that is always legal: its moves, of which one must be.
fn needs(
    raw: &RawPhase,
    parts: &Parts,
    conditions: &Conditions<'_>,
) -> Vec<(RoleId, Vec<Condition>)> {
    let seats = crate::phases::seats(parts);
    let open = raw.legal.iter().zip(seats);
    let open = open.filter(|(moves, _)| moves.iter().all(|(_, gate)| *gate != Gates::TRUE));
    open.map(|(moves, role)| (role, moves.iter().map(|(_, gate)| conditions.of(*gate)).collect()))
        .collect()
}

/// Folds all phases that can be.
fn fold(raw: &RawPhases, phases: &mut [Phase]) {
    for toss in 1..phases.len() {
        let held = &phases[toss];
        if !held.waits || !held.needs.is_empty() || held.pairs.len() != 1 {
            continue;
        }
        let one = held.pairs[0].clone();
        if !one.legal.is_empty() || one.outcomes.iter().any(|it| it.phase == toss) {
            continue;
        }
        let leads = |phase: &Phase| {
            phase
                .pairs
                .iter()
                .filter(|pair| pair.outcomes.iter().any(|it| it.phase == toss))
                .count()
        };
        let from: Vec<usize> = (0..phases.len()).filter(|at| leads(&phases[*at]) > 0).collect();
        let [parent] = from[..] else { continue };
        let ends = raw.phases[toss].terminal;
        let fits = leads(&phases[parent]) == 1
            && (ends == Gates::FALSE || ends == raw.phases[parent].terminal)
            && !phases[parent].waits;
        let choice = phases[parent].pairs.iter_mut();
        let pair = choice.into_iter().find(|it| it.outcomes.iter().any(|it| it.phase == toss));
        let Some(pair) = pair.filter(|_| fits) else { continue };
        let [only] = &pair.outcomes[..] else { continue };
        if !only.maps.is_empty() || pair.steps != 1 {
            continue;
        }
        pair.outcomes = one.outcomes;
        pair.total = one.total;
        pair.steps = 2;
        phases[toss].folded = true;
    }
}
