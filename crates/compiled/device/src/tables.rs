//! The tables that shaders read: who sits where, which joint moves there are, what a level is.
//!
//! Roles sit in the order opponents, asked, chance. A joint move is a row: its weight, its marks,
//! then a move of each role in that order. Rows come with the asked role outermost and chance
//! innermost, so that whoever folds values walks down the list.

use index::Id;
use kernel::Casting;
use net::{InputId, Net};
use rustc_hash::FxHashMap;
use solve::{LevelChunk, Plan};

/// Joint moves of one chunk, at most; and words of the table of who plays what.
const MOST_JOINTS: usize = 16_384;
const MOST_PLAYED: usize = 1 << 24;
/// The largest weight that values can be multiplied by.
const MOST_WEIGHT: u32 = 4095;
const LAST_OF_PAIR: u32 = 1;
const LAST_OF_ASKED: u32 = 2;

/// A chunk has too many joint moves, or too many chance moves of equal effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany {
    /// How many, at least.
    pub(crate) joints: usize,
}

/// Chance moves of one role that have equal effect.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    seat: usize,
    members: Vec<usize>,
}

/// What is known of the roles.
#[derive(Clone, Debug)]
pub(crate) struct Seating {
    /// The moves of each role, by number.
    seats: Vec<std::ops::Range<usize>>,
    opponents: usize,
    goal_optional: bool,
    /// What a terminal state pays, for each of the asked role's goal values.
    payments: Vec<u32>,
    /// Classes of at least two.
    classes: Vec<Class>,
    moves: usize,
}

/// The joint moves of a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Joints {
    /// How many.
    pub(crate) count: usize,
    /// A row each.
    pub(crate) rows: Vec<u32>,
    /// For each, whether each move is played: all ones or zero.
    pub(crate) played: Vec<u32>,
    /// For each chance role its outcomes: a move and a weight.
    pub(crate) chances: Vec<u32>,
}

/// A chance role's move that stands for all of its class, with their number.
type Outcome = (usize, u32);

impl Seating {
    /// The seats of a game; `goals` are the asked role's values in the order of the view.
    pub(crate) fn new(plan: &Plan, goals: &[u8]) -> Self {
        Self::of(&plan.net, &plan.casting, &plan.classes, goals)
    }

    fn of(net: &Net, casting: &Casting, classes: &[Vec<Vec<InputId>>], goals: &[u8]) -> Self {
        let roles = casting.opponents.iter().chain([&casting.asked]).chain(&casting.chance);
        let seats: Vec<_> = roles.map(|role| net.roles[*role].inputs.clone()).collect();
        let opponents = casting.opponents.len();
        let class = |(role, members): (usize, &Vec<InputId>)| Class {
            seat: opponents + 1 + role,
            members: members.iter().map(|input| input.index()).collect(),
        };
        assert!(casting.payoffs.iter().all(|payoff| *payoff <= 100), "payments fit in seven bits");
        let listed = classes.iter().enumerate();
        let listed = listed.flat_map(|(role, lists)| lists.iter().map(move |list| (role, list)));
        Self {
            seats,
            opponents,
            goal_optional: casting.goal_optional,
            payments: goals.iter().map(|goal| casting.payoffs[usize::from(*goal)]).collect(),
            classes: listed.filter(|(_, list)| list.len() > 1).map(class).collect(),
            moves: net.inputs.len(),
        }
    }

    /// Number of roles.
    pub(crate) fn roles(&self) -> usize {
        self.seats.len()
    }

    /// Number of opponents.
    pub(crate) fn opponents(&self) -> usize {
        self.opponents
    }

    /// The ordinal of the opponents' joint move, as expanders number them.
    pub(crate) fn ordinal(&self, moves: &[u32]) -> u32 {
        assert_eq!(moves.len(), self.opponents, "a move of each opponent");
        let mut weight = 1;
        let part = |(seat, input): (&std::ops::Range<usize>, &u32)| {
            let part = weight * (input - seat.start as u32);
            weight *= seat.len().max(1) as u32;
            part
        };
        self.seats.iter().zip(moves).map(part).sum()
    }

    /// A move that stands for all of equal effect: the first of its class, or the move itself.
    pub(crate) fn effect(&self, input: u32) -> u32 {
        let member = |class: &&Class| class.members.contains(&(input as usize));
        self.classes.iter().find(member).map_or(input, |class| class.members[0] as u32)
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes.len()
    }

    /// The table that `deal` and `classes` read.
    pub(crate) fn words(&self) -> Vec<u32> {
        let payments_at = 8 + 2 * self.seats.len();
        let classes_at = payments_at + self.payments.len();
        let optional = usize::from(self.goal_optional);
        let head = [self.seats.len(), self.opponents, self.payments.len(), optional, classes_at];
        let mut words: Vec<u32> = head.iter().map(|count| *count as u32).collect();
        words.extend([self.classes.len() as u32, 0, 0]);
        words.extend(self.seats.iter().flat_map(|seat| [seat.start as u32, seat.end as u32]));
        words.extend(&self.payments);
        for class in &self.classes {
            words.push(class.members.len() as u32);
            words.extend(class.members.iter().map(|member| *member as u32));
        }
        words
    }

    /// The joint moves of states in which the moves `legal` (a bit each) are legal somewhere; of the
    /// classes in `mixed`, moves are legal in some states without the others.
    pub(crate) fn joints(&self, legal: &[u32], mixed: &[u32]) -> Result<Joints, TooMany> {
        let hands: Vec<Vec<usize>> = self
            .seats
            .iter()
            .map(|seat| seat.clone().filter(|input| bit(legal, *input)).collect())
            .collect();
        let chance: Vec<Vec<Outcome>> = (self.opponents + 1..self.seats.len())
            .map(|seat| self.outcomes(seat, &hands[seat], mixed))
            .collect();
        let sizes =
            hands[..=self.opponents].iter().map(Vec::len).chain(chance.iter().map(Vec::len));
        let count = sizes.fold(1usize, usize::saturating_mul);
        let weights = chance.iter().flatten().map(|outcome| outcome.1);
        let heaviest = weights.fold(1u32, |product, weight| product.max(weight));
        if count > MOST_JOINTS
            || count * self.moves > MOST_PLAYED
            || heaviest.saturating_pow(chance.len() as u32) > MOST_WEIGHT
        {
            return Err(TooMany { joints: count });
        }
        let mut joints = Joints { chances: chances(&chance), ..Joints::default() };
        if count > 0 {
            self.fill(&hands, &chance, &mut joints);
        }
        assert_eq!(joints.count, count, "a row for each joint move");
        Ok(joints)
    }

    /// The chance moves of a seat, those of equal effect together.
    fn outcomes(&self, seat: usize, hand: &[usize], mixed: &[u32]) -> Vec<Outcome> {
        let mut class_of: FxHashMap<usize, usize> = FxHashMap::default();
        let whole = self.classes.iter().enumerate().filter(|(at, _)| !bit(mixed, *at));
        for (at, class) in whole.filter(|(_, class)| class.seat == seat) {
            class_of.extend(class.members.iter().map(|member| (*member, at)));
        }
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut place_of: FxHashMap<usize, usize> = FxHashMap::default();
        for input in hand {
            let place = class_of.get(input).and_then(|class| place_of.get(class)).copied();
            match place {
                Some(place) => outcomes[place].1 += 1,
                None => {
                    if let Some(class) = class_of.get(input) {
                        place_of.insert(*class, outcomes.len());
                    }
                    outcomes.push((*input, 1));
                }
            }
        }
        outcomes
    }

    /// Writes the rows.
    fn fill(&self, hands: &[Vec<usize>], chance: &[Vec<Outcome>], joints: &mut Joints) {
        let opponents = product(&hands[..self.opponents]);
        let luck = product(chance);
        for asked in &hands[self.opponents] {
            for (pair, others) in opponents.iter().enumerate() {
                for (at, outcome) in luck.iter().enumerate() {
                    let is_last = at + 1 == luck.len();
                    let mut marks = 0;
                    if is_last {
                        marks |= LAST_OF_PAIR;
                    }
                    if is_last && pair + 1 == opponents.len() {
                        marks |= LAST_OF_ASKED;
                    }
                    let weight = outcome.iter().map(|(_, weight)| weight).product();
                    let drawn = outcome.iter().map(|(input, _)| *input);
                    let played: Vec<usize> =
                        others.iter().copied().chain([*asked]).chain(drawn).collect();
                    joints.push(weight, marks, &played, self.moves);
                }
            }
        }
    }
}

impl Joints {
    fn push(&mut self, weight: u32, marks: u32, played: &[usize], moves: usize) {
        self.rows.extend([weight, marks]);
        self.rows.extend(played.iter().map(|input| *input as u32));
        let first = self.played.len();
        self.played.resize(first + moves, 0);
        played.iter().for_each(|input| self.played[first + input] = u32::MAX);
        self.count += 1;
    }
}

/// All ways to take one of each list.
fn product<T: Copy>(lists: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut ways = vec![Vec::new()];
    for list in lists {
        let with = |way: &Vec<T>| {
            let way = way.clone();
            list.iter().map(move |one| [way.as_slice(), &[*one]].concat()).collect::<Vec<_>>()
        };
        ways = ways.iter().flat_map(with).collect();
    }
    ways
}

fn chances(chance: &[Vec<Outcome>]) -> Vec<u32> {
    let mut words = vec![chance.len() as u32];
    for outcomes in chance {
        words.push(outcomes.len() as u32);
        words.extend(outcomes.iter().flat_map(|(input, weight)| [*input as u32, *weight]));
    }
    words
}

fn bit(words: &[u32], at: usize) -> bool {
    words[at / 32] >> (at % 32) & 1 == 1
}

/// The table that `scatter` reads.
pub(crate) fn level_words(chunks: &[LevelChunk], offset: i64) -> Vec<u32> {
    // Sums wrap in the shader as they do here; levels that differ are far closer than 2^32.
    let mut words = vec![chunks.len() as u32, offset as u32];
    let mut table_at = 2 + 3 * chunks.len();
    for chunk in chunks {
        words.extend([chunk.first_bit as u32, chunk.bits as u32, table_at as u32]);
        table_at += chunk.table.len();
    }
    chunks.iter().for_each(|chunk| words.extend(chunk.table.iter().map(|entry| *entry as u32)));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two opponents' moves, two of the asked role's, and of chance a class of three and one alone.
    fn seating() -> Seating {
        Seating {
            seats: vec![0..2, 2..4, 4..8],
            opponents: 1,
            goal_optional: true,
            payments: vec![0, 1],
            classes: vec![Class { seat: 2, members: vec![4, 5, 6] }],
            moves: 8,
        }
    }

    #[test]
    fn rows_come_in_the_order_in_which_values_are_folded() {
        let joints = seating().joints(&[0b1111_1111], &[0]).expect("few");
        assert_eq!(joints.count, 2 * 2 * 2);
        let rows: Vec<&[u32]> = joints.rows.chunks(5).collect();
        assert_eq!(rows[0], [3, 0, 0, 2, 4]);
        assert_eq!(rows[1], [1, LAST_OF_PAIR, 0, 2, 7]);
        assert_eq!(rows[3], [1, LAST_OF_PAIR | LAST_OF_ASKED, 1, 2, 7]);
        assert_eq!(rows[4][3], 3, "the asked role's next move");
        assert_eq!(joints.chances, [1, 2, 4, 3, 7, 1]);
        let first: Vec<usize> = (0..8).filter(|at| joints.played[*at] == u32::MAX).collect();
        assert_eq!(first, [0, 2, 4]);
    }

    #[test]
    fn joint_moves_of_opponents_are_numbered_as_expanders_do() {
        let seats = Seating { seats: vec![0..2, 2..5, 5..8], opponents: 2, ..seating() };
        let all = (0..2).flat_map(|one| (2..5).map(move |other| [one, other]));
        let mut numbers: Vec<u32> = all.map(|moves| seats.ordinal(&moves)).collect();
        assert_eq!(seats.ordinal(&[1, 2]), 1, "the first opponent counts least");
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..6));
        let effects: Vec<u32> = (2..8).map(|input| seating().effect(input)).collect();
        assert_eq!(effects, [2, 3, 4, 4, 4, 7]);
    }

    #[test]
    fn a_class_that_is_not_legal_as_a_whole_comes_apart() {
        let joints = seating().joints(&[0b1111_0101], &[1]).expect("few");
        assert_eq!((joints.count, joints.chances[1]), (4, 4));
        assert!(joints.rows.chunks(5).all(|row| row[0] == 1), "each move for itself");
    }

    #[test]
    fn what_is_legal_nowhere_is_in_no_row() {
        let joints = seating().joints(&[0], &[0]).expect("none");
        assert_eq!((joints.count, joints.rows.len()), (0, 0));
    }

    #[test]
    fn too_many_joint_moves_are_told() {
        let wide = Seating {
            seats: vec![0..200, 200..400],
            opponents: 1,
            classes: vec![],
            moves: 400,
            ..seating()
        };
        assert_eq!(wide.joints(&[u32::MAX; 13], &[]), Err(TooMany { joints: 40_000 }));
    }

    #[test]
    fn tables_stand_where_the_shader_looks() {
        let chunk = |first_bit, table: &[i32]| LevelChunk {
            first_bit,
            bits: table.len().ilog2() as usize,
            table: table.to_vec(),
        };
        let words = level_words(&[chunk(0, &[0, 1]), chunk(40, &[0, -1, 2, 3])], -5);
        assert_eq!(words[..2], [2, -5i32 as u32]);
        assert_eq!(words[words[4] as usize + 1], 1);
        assert_eq!(words[words[7] as usize + 1], u32::MAX);
        let game = seating().words();
        assert_eq!(game[game[4] as usize..], [3, 4, 5, 6]);
        assert_eq!(game[8..14], [0, 2, 2, 4, 4, 8]);
    }
}
