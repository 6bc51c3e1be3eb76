//! Raw ground rules folded to what can change and is needed.
//!
//! Three things are repeated until none changes: an atom without support (no chain of rules from
//! the initial state and the legal moves can conclude it) is false, so its positive literals kill
//! their rules and its negative ones vanish; an atom with an empty rule is true, so the reverse;
//! what is left may have lost its support in turn. Support is a least fixpoint, so a positive cycle
//! never supports itself. A rule of `next` that needs a condition which alone ends the game is never
//! used, so it goes as well, and with it what only lies beyond the end. `True` atoms are leaves: they are false where unsupported and never
//! folded to true. At the end, doubles go, and what no output reaches.
//! Cost: linear in the rules for each repetition; there are rarely more than three.

use rustc_hash::FxHashSet;

use crate::emit::{Raw, RawLiteral, RawRules};

/// How the raw atoms hang together.
pub(crate) struct Classes {
    /// `True` atoms are `0..states`, and the `Next` atom of each lies `next` above.
    pub(crate) states: u32,
    pub(crate) next: u32,
    /// The first `Does` and `Legal` atoms; row by row they belong together.
    pub(crate) does: u32,
    pub(crate) legal: u32,
    pub(crate) moves: u32,
    /// For each row whether a role makes the move.
    pub(crate) playable: Vec<bool>,
    /// Number of atoms.
    pub(crate) len: u32,
    /// `True` atoms of the initial state.
    pub(crate) init: Vec<Raw>,
    /// The atom of `terminal`, where a rule concludes it.
    pub(crate) terminal: Option<Raw>,
    /// Atoms that are outputs.
    pub(crate) outputs: Vec<Raw>,
}

impl Classes {
    fn is_leaf(&self, atom: Raw) -> bool {
        atom < self.states || (self.does..self.does + self.moves).contains(&atom)
    }

    fn is_next(&self, atom: Raw) -> bool {
        (self.next..self.next + self.states).contains(&atom)
    }

    /// The leaf that a concluded atom brings about in the relaxation.
    fn brings(&self, atom: Raw) -> Option<Raw> {
        if self.is_next(atom) {
            Some(atom - self.next)
        } else if (self.legal..self.legal + self.moves).contains(&atom) {
            let row = atom - self.legal;
            self.playable[row as usize].then_some(row + self.does)
        } else {
            None
        }
    }
}

/// What came of the rules.
pub(crate) struct Simplified {
    pub(crate) rules: RawRules,
    /// For each atom whether it can hold.
    pub(crate) possible: Vec<bool>,
}

/// Folds the rules.
pub(crate) fn simplify(rules: &RawRules, classes: &Classes) -> Simplified {
    let mut rules = normalised(rules);
    loop {
        let possible = supported(&rules, classes);
        let certain = concluded(&rules, classes, &possible);
        let (folded, changed) = fold(&rules, classes, &possible, &certain);
        rules = folded;
        if !changed {
            let rules = without_doubles(&needed(&rules, classes));
            return Simplified { rules, possible };
        }
    }
}

/// Bodies sorted and without repetition; contradictions and self-support dropped.
fn normalised(rules: &RawRules) -> RawRules {
    let mut kept = RawRules::default();
    let mut body: Vec<RawLiteral> = Vec::new();
    for rule in 0..rules.len() {
        body.clear();
        body.extend(rules.body(rule));
        body.sort_unstable();
        body.dedup();
        let contradiction = body.windows(2).any(|pair| pair[0] ^ 1 == pair[1]);
        if !contradiction && !body.contains(&(rules.heads[rule] << 1)) {
            kept.push(rules.heads[rule], rules.spans[rule], body.iter().copied());
        }
    }
    kept
}

/// For each atom the rules whose bodies hold it with this sign, as offsets into one list.
struct Occurrences {
    starts: Vec<u32>,
    rules: Vec<u32>,
}

impl Occurrences {
    fn of(rules: &RawRules, atoms: u32, sign: RawLiteral) -> Self {
        let mut starts = vec![0u32; atoms as usize + 1];
        let every =
            || (0..rules.len()).flat_map(|rule| rules.body(rule).iter().map(move |l| (rule, l)));
        for (_, literal) in every().filter(|(_, literal)| **literal & 1 == sign) {
            starts[(literal >> 1) as usize + 1] += 1;
        }
        for atom in 0..atoms as usize {
            starts[atom + 1] += starts[atom];
        }
        let mut free = starts.clone();
        let mut list = vec![0; starts[atoms as usize] as usize];
        for (rule, literal) in every().filter(|(_, literal)| **literal & 1 == sign) {
            let slot = &mut free[(literal >> 1) as usize];
            list[*slot as usize] = rule as u32;
            *slot += 1;
        }
        Self { starts, rules: list }
    }

    fn of_atom(&self, atom: Raw) -> &[u32] {
        let (start, end) = (self.starts[atom as usize], self.starts[atom as usize + 1]);
        &self.rules[start as usize..end as usize]
    }
}

fn positives(body: &[RawLiteral]) -> usize {
    body.iter().filter(|&&literal| literal & 1 == 0).count()
}

/// Atoms that rules can conclude from the initial state, negative literals aside.
fn supported(rules: &RawRules, classes: &Classes) -> Vec<bool> {
    let readers = Occurrences::of(rules, classes.len, 0);
    let mut missing: Vec<usize> = (0..rules.len()).map(|r| positives(rules.body(r))).collect();
    let mut possible = vec![false; classes.len as usize];
    let mut open: Vec<Raw> = classes.init.clone();
    open.extend((0..rules.len()).filter(|&r| missing[r] == 0).map(|r| rules.heads[r]));
    while let Some(atom) = open.pop() {
        if std::mem::replace(&mut possible[atom as usize], true) {
            continue;
        }
        open.extend(classes.brings(atom));
        for &rule in readers.of_atom(atom) {
            missing[rule as usize] -= 1;
            if missing[rule as usize] == 0 {
                open.push(rules.heads[rule as usize]);
            }
        }
    }
    possible
}

/// Atoms that a rule concludes whatever the state is.
fn concluded(rules: &RawRules, classes: &Classes, possible: &[bool]) -> Vec<bool> {
    let impossible = |literal: &RawLiteral| literal & 1 == 1 && !possible[(literal >> 1) as usize];
    let readers = Occurrences::of(rules, classes.len, 0);
    let mut missing: Vec<usize> = (0..rules.len())
        .map(|rule| rules.body(rule).iter().filter(|literal| !impossible(literal)).count())
        .collect();
    let mut certain = vec![false; classes.len as usize];
    let mut open: Vec<Raw> =
        (0..rules.len()).filter(|&r| missing[r] == 0).map(|r| rules.heads[r]).collect();
    while let Some(atom) = open.pop() {
        if std::mem::replace(&mut certain[atom as usize], true) {
            continue;
        }
        debug_assert!(!classes.is_leaf(atom), "a leaf with a rule");
        for &rule in readers.of_atom(atom) {
            missing[rule as usize] -= 1;
            if missing[rule as usize] == 0 {
                open.push(rules.heads[rule as usize]);
            }
        }
    }
    certain
}

/// Rules and literals without what is decided; whether anything went.
fn fold(
    rules: &RawRules,
    classes: &Classes,
    possible: &[bool],
    certain: &[bool],
) -> (RawRules, bool) {
    let mut kept = RawRules::default();
    let mut changed = false;
    let mut stated = vec![false; classes.len as usize];
    let ends = ending_literals(rules, classes);
    for rule in 0..rules.len() {
        let (head, span, body) = (rules.heads[rule], rules.spans[rule], rules.body(rule));
        let beyond = classes.is_next(head) && body.iter().any(|literal| ends.contains(literal));
        let dies = beyond
            || body.iter().any(|&literal| {
                let atom = (literal >> 1) as usize;
                if literal & 1 == 0 { !possible[atom] } else { certain[atom] }
            });
        if dies || (certain[head as usize] && stated[head as usize]) {
            changed = true;
        } else if certain[head as usize] {
            stated[head as usize] = true;
            changed |= !body.is_empty();
            kept.push(head, span, []);
        } else {
            let open = body.iter().copied().filter(|&literal| {
                let atom = (literal >> 1) as usize;
                if literal & 1 == 0 { !certain[atom] } else { possible[atom] }
            });
            kept.push(head, span, open);
            changed |= kept.body(kept.len() - 1).len() != body.len();
        }
    }
    (kept, changed)
}

/// Literals of which each ends the game by itself.
fn ending_literals(rules: &RawRules, classes: &Classes) -> FxHashSet<RawLiteral> {
    let end = |&rule: &usize| Some(rules.heads[rule]) == classes.terminal;
    let bodies = (0..rules.len()).filter(end).map(|rule| rules.body(rule));
    let ends = bodies.filter(|body| body.len() == 1).map(|body| body[0]);
    ends.chain(classes.terminal.map(|terminal| terminal << 1)).collect()
}

/// Rules that an output can reach.
fn needed(rules: &RawRules, classes: &Classes) -> RawRules {
    let mut rules_of = vec![Vec::new(); classes.len as usize];
    for rule in 0..rules.len() {
        rules_of[rules.heads[rule] as usize].push(rule as u32);
    }
    let mut reached = vec![false; classes.len as usize];
    let mut open: Vec<Raw> = classes.outputs.clone();
    while let Some(atom) = open.pop() {
        if !std::mem::replace(&mut reached[atom as usize], true) {
            let bodies = rules_of[atom as usize].iter().map(|&rule| rules.body(rule as usize));
            open.extend(bodies.flatten().map(|literal| literal >> 1));
        }
    }
    let mut kept = RawRules::default();
    for rule in (0..rules.len()).filter(|&rule| reached[rules.heads[rule] as usize]) {
        kept.push(rules.heads[rule], rules.spans[rule], rules.body(rule).iter().copied());
    }
    kept
}

fn without_doubles(rules: &RawRules) -> RawRules {
    let mut seen = FxHashSet::default();
    let mut kept = RawRules::default();
    for rule in 0..rules.len() {
        if seen.insert((rules.heads[rule], rules.body(rule))) {
            kept.push(rules.heads[rule], rules.spans[rule], rules.body(rule).iter().copied());
        }
    }
    kept
}
