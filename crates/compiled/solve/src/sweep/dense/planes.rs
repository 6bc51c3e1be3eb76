//! What a block shows: phases, ends, payments and legal moves, as planes of its lanes.
//!
//! Propositions of the digits along lanes and rows are constant planes, those of the other digits
//! are constants of the block, so nothing is unpacked. Conditions on one digit are tables and need
//! no gate.

use std::sync::Arc;

use factor::{Condition, Factored};
use gdl::RoleId;
use kernel::dense::DenseView;
use kernel::{BLOCK_WORDS, Casting, FlawKind, Mask};
use net::{BaseId, GateId};
use rustc_hash::FxHashMap;

use super::layout::Layout;
use super::steps::Steps;

/// No lane.
pub(super) const NONE: Mask = [0; BLOCK_WORDS];

pub(super) fn both(left: &Mask, right: &Mask) -> Mask {
    std::array::from_fn(|at| left[at] & right[at])
}

pub(super) fn without(left: &Mask, right: &Mask) -> Mask {
    std::array::from_fn(|at| left[at] & !right[at])
}

pub(super) fn add(sum: &mut Mask, more: &Mask) {
    sum.iter_mut().zip(more).for_each(|(mine, theirs)| *mine |= theirs);
}

pub(super) fn any(mask: &Mask) -> bool {
    mask.iter().fold(0, |seen, word| seen | word) != 0
}

/// A condition of the game at a block.
#[derive(Clone, Debug)]
enum Held {
    /// By chunk.
    Planes(Vec<Mask>),
    /// By value of a high digit.
    High(usize, Vec<bool>),
    /// A root of the view.
    Root(usize),
}

/// Phases with their lanes.
pub(super) type Lanes = Arc<[(usize, Mask)]>;

/// What is the same for all threads.
struct Tables {
    /// By phase: the root of its end, and of the asked role's goals.
    ends: Vec<usize>,
    goals: Vec<Vec<(u8, usize)>>,
    /// By phase and pair: the conditions; by phase: those of roles that need a move.
    legal: Vec<Vec<Vec<Held>>>,
    needs: Vec<Vec<(RoleId, Vec<Held>)>>,
    /// By chunk: propositions with their planes.
    constants: Vec<Vec<(BaseId, Mask)>>,
}

/// What blocks show. Clones share what does not depend on the block.
#[derive(Clone)]
pub(super) struct Planes<'a> {
    game: &'a Factored,
    layout: &'a Layout,
    steps: &'a Steps,
    view: DenseView,
    tables: Arc<Tables>,
    /// By level of the high digits and chunk: the phases with their lanes.
    phases: FxHashMap<(usize, usize), Lanes>,
    payoffs: [u32; 101],
    goal_optional: bool,
    /// The block shown: its high values, chunk and level of the high digits.
    pub(super) values: Vec<usize>,
    pub(super) chunk: usize,
    pub(super) level: usize,
    filled: Vec<usize>,
    set: Option<usize>,
    /// Blocks turned to so far.
    pub(super) turns: usize,
}

/// What a block shows of ends.
pub(super) struct Ends {
    /// Lanes whose state is terminal.
    pub(super) terminal: Mask,
    /// Payments other than 0, with their lanes.
    pub(super) paid: Vec<(u64, Mask)>,
}

impl<'a> Planes<'a> {
    pub(super) fn new(
        game: &'a Factored,
        layout: &'a Layout,
        steps: &'a Steps,
        casting: &Casting,
        bases: usize,
    ) -> Self {
        let mut roots: Vec<GateId> = Vec::new();
        let mut root = |gate: GateId| {
            roots.iter().position(|held| *held == gate).unwrap_or_else(|| {
                roots.push(gate);
                roots.len() - 1
            })
        };
        let ends = game.phases.iter().map(|phase| root(phase.terminal)).collect();
        let goals = game
            .phases
            .iter()
            .map(|phase| phase.goals.iter().map(|(goal, gate)| (*goal, root(*gate))).collect());
        let goals = goals.collect();
        let mut hold = |condition: &Condition| match condition {
            Condition::Always => Held::Root(root(net::Gates::TRUE)),
            Condition::Gate(gate) => Held::Root(root(*gate)),
            Condition::Digit(digit, values) if *digit == layout.lane => Held::Planes(
                (0..layout.chunks)
                    .map(|chunk| layout.plane(chunk, |cell| values[cell.lane_value]))
                    .collect(),
            ),
            Condition::Digit(digit, values) if Some(*digit) == layout.row => Held::Planes(
                (0..layout.chunks)
                    .map(|chunk| layout.plane(chunk, |cell| values[cell.row_value]))
                    .collect(),
            ),
            Condition::Digit(digit, values) => {
                let at = layout.high.iter().position(|held| held == digit).expect("a high digit");
                Held::High(at, values.clone())
            }
        };
        let mut all =
            |conditions: &[Condition]| conditions.iter().map(&mut hold).collect::<Vec<_>>();
        let legal = game
            .phases
            .iter()
            .map(|phase| phase.pairs.iter().map(|pair| all(&pair.legal)).collect::<Vec<_>>());
        let legal = legal.collect();
        let needs = game
            .phases
            .iter()
            .map(|phase| phase.needs.iter().map(|(role, moves)| (*role, all(moves))).collect());
        let needs = needs.collect();
        let mut view = DenseView::new(&game.gates, &roots, bases);
        game.constants.iter().for_each(|base| view.fill(*base, true));
        let constants = (0..layout.chunks).map(|chunk| constants(game, layout, chunk)).collect();
        let tables = Arc::new(Tables { ends, goals, legal, needs, constants });
        Self {
            game,
            layout,
            steps,
            view,
            tables,
            phases: FxHashMap::default(),
            payoffs: casting.payoffs,
            goal_optional: casting.goal_optional,
            values: Vec::new(),
            chunk: 0,
            level: 0,
            filled: vec![usize::MAX; layout.high.len()],
            set: None,
            turns: 0,
        }
    }

    /// Whether no legal move needs the view.
    pub(super) fn moves_are_tables(&self) -> bool {
        let held = self.tables.legal.iter().flatten().flatten();
        !held.into_iter().any(|held| matches!(held, Held::Root(_)))
    }

    /// The payment, where there is one only; 0 where nothing is paid.
    pub(super) fn single_payment(&self) -> Option<u64> {
        let goals = self.game.phases.iter().flat_map(|phase| &phase.goals);
        let mut paid = goals.map(|(goal, _)| self.payoffs[usize::from(*goal)]).filter(|it| *it > 0);
        let first = paid.next().unwrap_or(0);
        paid.all(|other| other == first).then_some(u64::from(first))
    }

    /// Turns to a block without evaluating the view.
    pub(super) fn turn_blindly_to(&mut self, block: usize) {
        self.turns += 1;
        self.chunk = self.layout.decode(block, &mut self.values);
        let high = self.layout.high.iter().zip(&self.values);
        self.level = high.map(|(digit, value)| self.steps.part(*digit, *value)).sum();
    }

    /// Turns to a block and evaluates the view.
    pub(super) fn turn_to(&mut self, block: usize) {
        self.turn_blindly_to(block);
        if self.set != Some(self.chunk) {
            for (base, plane) in &self.tables.constants[self.chunk] {
                self.view.set(*base, plane);
            }
            self.set = Some(self.chunk);
        }
        for (at, &digit) in self.layout.high.iter().enumerate() {
            let value = self.values[at];
            if self.filled[at] != value {
                let held = &self.game.digits[digit];
                for base in &held.bases {
                    self.view.fill(*base, held.values[value].contains(base));
                }
                self.filled[at] = value;
            }
        }
        self.view.run();
    }

    /// The phases of the block's lanes.
    pub(super) fn phases(&mut self) -> Lanes {
        let (layout, steps) = (self.layout, self.steps);
        let (level, chunk) = (self.level, self.chunk);
        let made = || {
            let mut found: Vec<(usize, Mask)> = Vec::new();
            for cell in layout.cells(chunk) {
                let Some(phase) = steps.phases[cell_level(layout, steps, level, &cell)] else {
                    continue;
                };
                let at = found.iter().position(|held| held.0 == phase).unwrap_or_else(|| {
                    found.push((phase, NONE));
                    found.len() - 1
                });
                found[at].1[cell.at / 64] |= 1 << (cell.at % 64);
            }
            found.into()
        };
        Arc::clone(self.phases.entry((level, chunk)).or_insert_with(made))
    }

    fn held(&self, held: &Held) -> Mask {
        match held {
            Held::Planes(planes) => planes[self.chunk],
            Held::High(at, values) if values[self.values[*at]] => [u64::MAX; BLOCK_WORDS],
            Held::High(..) => NONE,
            Held::Root(root) => self.view.plane(*root),
        }
    }

    /// Lanes whose state would be terminal in a phase.
    pub(super) fn ended(&self, phase: usize) -> Mask {
        self.view.plane(self.tables.ends[phase])
    }

    /// The lanes of `within` in which a pair of moves is legal.
    pub(super) fn legal(&self, phase: usize, pair: usize, within: &Mask) -> Mask {
        let mut legal = *within;
        for held in &self.tables.legal[phase][pair] {
            match held {
                Held::High(at, values) if values[self.values[*at]] => {}
                Held::High(..) => return NONE,
                Held::Planes(planes) => legal = both(&legal, &planes[self.chunk]),
                Held::Root(root) => legal = both(&legal, &self.view.plane(*root)),
            }
        }
        legal
    }

    /// Ends and payments among the lanes reached.
    ///
    /// # Errors
    /// A flaw of a terminal state.
    pub(super) fn ends(&self, phases: &[(usize, Mask)], reached: &Mask) -> Result<Ends, FlawKind> {
        let mut ends = Ends { terminal: NONE, paid: Vec::new() };
        for (phase, lanes) in phases {
            let lanes = both(lanes, reached);
            let ended = both(&self.view.plane(self.tables.ends[*phase]), &lanes);
            if !any(&ended) {
                continue;
            }
            add(&mut ends.terminal, &ended);
            let mut seen = NONE;
            for (goal, root) in &self.tables.goals[*phase] {
                let holds = both(&self.view.plane(*root), &ended);
                if any(&both(&holds, &seen)) {
                    return Err(FlawKind::SeveralGoals(Vec::new()));
                }
                add(&mut seen, &holds);
                let payment = u64::from(self.payoffs[usize::from(*goal)]);
                if payment > 0 && any(&holds) {
                    match ends.paid.iter_mut().find(|paid| paid.0 == payment) {
                        Some(paid) => add(&mut paid.1, &holds),
                        None => ends.paid.push((payment, holds)),
                    }
                }
            }
            if !self.goal_optional && any(&without(&ended, &seen)) {
                return Err(FlawKind::NoGoal);
            }
        }
        Ok(ends)
    }

    /// A role without a legal move in some live lane of a phase.
    pub(super) fn stuck(&self, phase: usize, live: &Mask) -> Option<FlawKind> {
        self.tables.needs[phase].iter().find_map(|(role, moves)| {
            let mut can = NONE;
            moves.iter().for_each(|held| add(&mut can, &self.held(held)));
            any(&without(live, &can)).then_some(FlawKind::NoLegalMove(*role))
        })
    }
}

/// The level of a cell, from that of the high digits.
pub(super) fn cell_level(
    layout: &Layout,
    steps: &Steps,
    level: usize,
    cell: &super::layout::Cell,
) -> usize {
    let row = layout.row.map_or(0, |digit| steps.part(digit, cell.row_value));
    level + row + steps.part(layout.lane, cell.lane_value)
}

fn constants(game: &Factored, layout: &Layout, chunk: usize) -> Vec<(BaseId, Mask)> {
    let lane = &game.digits[layout.lane];
    let of_lanes = lane.bases.iter().map(|base| {
        let holds: Vec<bool> = lane.values.iter().map(|value| value.contains(base)).collect();
        (*base, layout.plane(chunk, |cell| holds[cell.lane_value]))
    });
    let of_rows = layout.row.into_iter().flat_map(|digit| {
        let row = &game.digits[digit];
        row.bases.iter().map(|base| {
            let holds: Vec<bool> = row.values.iter().map(|value| value.contains(base)).collect();
            (*base, layout.plane(chunk, |cell| holds[cell.row_value]))
        })
    });
    of_lanes.chain(of_rows).collect()
}
