//! Moves of one role with equal effect, such as the three faces of a die that all mean "own".
//!
//! Computed: classes of moves that are legal in the same states and lead to the same next state,
//! whatever the others play. Always: this is proven, not guessed: two moves are in one class only
//! if their legalities are one gate and their updates, with this move played and no other of the
//! role, are one normal form. Why a normal form and not the gates themselves: `or` of many comes
//! as a tree, and taking different leaves out leaves different trees; here trees of one junction
//! are flattened to sets. That is dear, so it is done only for moves that 64 random states and
//! joint moves do not tell apart. Cost: moves times the part of the network that reads the role's
//! moves; above a limit every move is a class of its own.

use gdl::RoleId;
use ground::InputId;
use index::Id;
use rustc_hash::FxHashMap;

use crate::gates::{Gate, GateId, Gates, Junction, Net};
use crate::random::Random;
use crate::rebuild::{Substitution, cone};

/// Most gates evaluated for the moves of one role.
pub const CHANCE_LIMIT_VISITS: usize = 40_000_000;
/// Most gates rebuilt to prove moves equal.
const LIMIT_REBUILT: usize = 4_000_000;

/// The moves of a role by equal effect: classes in the order of their first moves, moves ascending.
pub fn chance_classes(net: &Net, role: RoleId) -> Vec<Vec<InputId>> {
    let moves: Vec<InputId> = net.moves(role).collect();
    let outputs = moved_outputs(net, role);
    let cone = cone(&net.gates, &outputs);
    let mut classes: Vec<Vec<InputId>> = Vec::new();
    if moves.len().saturating_mul(cone.len()) > CHANCE_LIMIT_VISITS {
        return moves.into_iter().map(|input| vec![input]).collect();
    }
    let mut effects = Effects::new(net, role, outputs);
    let mut budget = LIMIT_REBUILT / cone.len().max(1);
    for alike in alike(net, role, &cone, &effects.outputs) {
        if alike.len() == 1 || alike.len() > budget {
            classes.extend(alike.into_iter().map(|input| vec![input]));
        } else {
            budget -= alike.len();
            classes.extend(partition(&alike, |input| effects.of(input)));
        }
    }
    classes.sort_unstable();
    assert_eq!(classes.iter().map(Vec::len).sum::<usize>(), moves.len());
    classes
}

/// The moves by equal keys, in order.
fn partition<K: std::hash::Hash + Eq>(
    moves: &[InputId],
    mut key: impl FnMut(InputId) -> K,
) -> Vec<Vec<InputId>> {
    let mut class_of: FxHashMap<K, usize> = FxHashMap::default();
    let mut classes: Vec<Vec<InputId>> = Vec::new();
    for &input in moves {
        let class = *class_of.entry(key(input)).or_insert(classes.len());
        if class == classes.len() {
            classes.push(Vec::new());
        }
        classes[class].push(input);
    }
    classes
}

/// The moves that are legal alike and that 64 random states and joint moves do not tell apart.
fn alike(net: &Net, role: RoleId, cone: &[GateId], outputs: &[GateId]) -> Vec<Vec<InputId>> {
    let mut random = Random::new(0);
    let leaves: Vec<u64> = cone.iter().map(|_| random.bits()).collect();
    let moves = &net.roles[role].inputs;
    let mut values = vec![0u64; net.gates.len()];
    let all: Vec<InputId> = net.moves(role).collect();
    partition(&all, |input| {
        for (&id, &leaf) in cone.iter().zip(&leaves) {
            values[id.index()] = match net.gates.gate(id) {
                Gate::Const(value) => mask(value),
                Gate::Does(played) if moves.contains(&played.index()) => mask(played == input),
                Gate::Base(_) | Gate::Does(_) => leaf,
                Gate::Not(operand) => !values[operand.index()],
                Gate::And(low, high) => values[low.index()] & values[high.index()],
                Gate::Or(low, high) => values[low.index()] | values[high.index()],
            };
        }
        let shown: Vec<u64> = outputs.iter().map(|gate| values[gate.index()]).collect();
        (net.legal[input], shown)
    })
}

fn mask(value: bool) -> u64 {
    if value { u64::MAX } else { 0 }
}

/// The distinct successors that read a move of the role.
fn moved_outputs(net: &Net, role: RoleId) -> Vec<GateId> {
    let mut reads = vec![false; net.gates.len()];
    for (id, gate) in net.gates.iter() {
        reads[id.index()] = match gate {
            Gate::Does(input) => net.roles[role].inputs.contains(&input.index()),
            _ => gate.operands().any(|operand| reads[operand.index()]),
        };
    }
    let mut outputs: Vec<GateId> =
        net.next.iter().copied().filter(|gate| reads[gate.index()]).collect();
    outputs.sort_unstable();
    outputs.dedup();
    outputs
}

/// Updates specialised by one move at a time, in one arena and one normal form.
struct Effects<'a> {
    net: &'a Net,
    moves: std::ops::Range<usize>,
    outputs: Vec<GateId>,
    gates: Gates,
    substitution: Substitution,
    forms: Forms,
}

impl<'a> Effects<'a> {
    fn new(net: &'a Net, role: RoleId, outputs: Vec<GateId>) -> Self {
        let moves = net.roles[role].inputs.clone();
        let (gates, substitution) = (Gates::new(), Substitution::new());
        Self { net, moves, outputs, gates, substitution, forms: Forms::default() }
    }

    fn of(&mut self, input: InputId) -> Vec<u32> {
        let moves = self.moves.clone();
        let mut leaf = |gate| match gate {
            Gate::Does(played) if moves.contains(&played.index()) => {
                Some(if played == input { Gates::TRUE } else { Gates::FALSE })
            }
            _ => None,
        };
        let made =
            self.substitution.rebuild(&self.net.gates, &self.outputs, &mut self.gates, &mut leaf);
        self.forms.extend(&self.gates);
        made.iter().map(|gate| self.forms.of_gate[gate.index()]).collect()
    }
}

/// Most members of a flattened junction; a wider one is a member itself.
const FORM_LIMIT_MEMBERS: usize = 256;

/// A gate with junctions flattened to sets of other forms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Form {
    Leaf(Gate),
    Not(u32),
    Set(bool, Vec<u32>),
}

/// Forms by number, hash-consed, for all gates of a growing arena.
#[derive(Default)]
struct Forms {
    ids: FxHashMap<Form, u32>,
    forms: Vec<Form>,
    of_gate: Vec<u32>,
}

impl Forms {
    /// Takes in the gates that are new since the last call.
    fn extend(&mut self, gates: &Gates) {
        for (_, gate) in gates.iter().skip(self.of_gate.len()) {
            let form = match gate {
                Gate::Not(operand) => Form::Not(self.of_gate[operand.index()]),
                Gate::And(low, high) => self.set(Junction::And, [low, high]),
                Gate::Or(low, high) => self.set(Junction::Or, [low, high]),
                leaf => Form::Leaf(leaf),
            };
            let id = self.intern(form);
            self.of_gate.push(id);
        }
        debug_assert_eq!(self.of_gate.len(), gates.len());
    }

    fn set(&self, kind: Junction, operands: [GateId; 2]) -> Form {
        let is_and = kind == Junction::And;
        let mut members = Vec::new();
        for operand in operands {
            let form = self.of_gate[operand.index()];
            match &self.forms[form as usize] {
                Form::Set(kind, inner) if *kind == is_and && inner.len() <= FORM_LIMIT_MEMBERS => {
                    members.extend_from_slice(inner);
                }
                _ => members.push(form),
            }
        }
        members.sort_unstable();
        members.dedup();
        Form::Set(is_and, members)
    }

    fn intern(&mut self, form: Form) -> u32 {
        if let Form::Set(_, members) = &form
            && let [only] = members[..]
        {
            return only;
        }
        if let Some(&id) = self.ids.get(&form) {
            return id;
        }
        let id = u32::try_from(self.forms.len()).expect("fewer forms than gates");
        self.ids.insert(form.clone(), id);
        self.forms.push(form);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_net;

    fn classes(net: &str) -> Vec<Vec<usize>> {
        let net = parse_net(net).expect("a well-formed sample");
        let found = chance_classes(&net, RoleId::from_index(0));
        found.iter().map(|class| class.iter().map(|input| input.index()).collect()).collect()
    }

    const FACES: &str = "role \"random\"\ni0 \"a\"\ni1 \"b\"\ni2 \"c\"\ni3 \"d\"\n\
        role \"x\"\ni4 \"go\"\nb0 \"p\"\nb1 \"q\"\nb2 \"r\"\n\
        legal i0 = b0\nlegal i1 = b0\nlegal i2 = b0\nlegal i3 = b0\nlegal i4 = true\n";

    #[test]
    fn moves_that_feed_one_rule_are_one_class_however_its_tree_falls() {
        let update = "g10 = and i0 b1\ng11 = and i1 b1\ng12 = and i2 b1\ng13 = and i3 i4\n\
            g14 = or b0 g10 b2 g11 i4 g12 g13\nnext b0 = g14\n";
        assert_eq!(classes(&format!("{FACES}{update}")), [vec![0, 1, 2], vec![3]]);
    }

    #[test]
    fn another_legality_or_another_effect_is_another_class() {
        let update = "g10 = or i0 i1 i2\ng11 = or b1 i2\nnext b0 = g10\nnext b1 = g11\n";
        assert_eq!(classes(&format!("{FACES}{update}")), [vec![0, 1], vec![2], vec![3]]);
        let legality = "g10 = or i0 i1\nnext b0 = g10\ng11 = not b1\nlegal i1 = g11\n";
        assert_eq!(classes(&format!("{FACES}{legality}")), [vec![0], vec![1], vec![2, 3]]);
    }

    /// So rare a state that none of 64 random ones is it; and only where x plays does it tell moves apart.
    #[test]
    fn moves_that_no_sample_tells_apart_are_told_apart_by_proof() {
        let rare: String = (3..20).map(|at| format!("b{at} \"s{at}\"\n")).collect();
        let conditions: String = (3..20).map(|at| format!(" b{at}")).collect();
        let game = |read: &str| {
            format!(
                "{FACES}{rare}g1000 = and i0{conditions}{read}\nnext b0 = g1000\n\
                 g2000 = and i2 b1\nnext b1 = g2000\n"
            )
        };
        for read in ["", " i4"] {
            let net = parse_net(&game(read)).expect("a well-formed sample");
            let role = RoleId::from_index(0);
            let outputs = moved_outputs(&net, role);
            let samples = alike(&net, role, &cone(&net.gates, &outputs), &outputs);
            let samples: Vec<Vec<usize>> = samples
                .iter()
                .map(|class| class.iter().map(|input| input.index()).collect())
                .collect();
            assert_eq!(samples, [vec![0, 1, 3], vec![2]], "{read}: what samples tell");
            assert_eq!(classes(&game(read)), [vec![0], vec![1, 3], vec![2]], "{read}");
        }
    }

    #[test]
    fn effects_that_trees_spell_differently_are_one() {
        // Each pair is equal by absorption, or by the set of what is joined, and not as it is written.
        for update in [
            "g10 = and b1 b2\ng11 = not i0\ng12 = and g10 g11\ng13 = or b0 b1\n\
             g14 = or g13 g12\nnext b0 = g14\n",
            "g10 = or b1 b2\ng11 = or g10 i0\ng12 = and b0 b1\ng13 = and g12 g11\nnext b0 = g13\n",
        ] {
            assert_eq!(classes(&format!("{FACES}{update}")), [vec![0, 1, 2, 3]], "{update}");
        }
        let update = "g10 = and i0 b2\ng11 = and i1 b2\ng12 = or b0 g10\ng13 = or b1 g11\n\
            g14 = or g12 g13\nnext b0 = g14\n";
        assert_eq!(classes(&format!("{FACES}{update}")), [vec![0, 1], vec![2, 3]]);
    }

    #[test]
    fn effects_that_hardly_ever_differ_are_two() {
        // They differ where sixteen propositions hold, which 64 random states do not show.
        let rare: String = (3..19).map(|base| format!("b{base} \"p{base}\"\n")).collect();
        let all: Vec<String> = (3..19).map(|base| format!("b{base}")).collect();
        let faces = FACES.replacen("legal", &format!("{rare}legal"), 1);
        let update = format!("g10 = and i0 {}\nnext b0 = g10\n", all.join(" "));
        assert_eq!(classes(&format!("{faces}{update}")), [vec![0], vec![1, 2, 3]]);
    }

    #[test]
    fn what_is_too_dear_to_prove_is_left_apart() {
        let net = |moves: usize| {
            let list = |line: &dyn Fn(usize) -> String| (0..moves).map(line).collect::<String>();
            let names = list(&|at| format!("i{at} \"m{at}\"\n"));
            let legal = list(&|at| format!("legal i{at} = true\n"));
            let any = list(&|at| format!(" i{at}"));
            format!("role \"random\"\n{names}b0 \"p\"\n{legal}g10 = or{any}\nnext b0 = g10\n")
        };
        assert_eq!(classes(&net(500)), [(0..500).collect::<Vec<_>>()]);
        assert_eq!(classes(&net(2500)).len(), 2500, "moves times gates beyond the limit");
    }

    /// Sixteen propositions beside those of `FACES`, and a formula of all.
    fn rarely(kind: &str) -> (String, String) {
        let rare: String = (3..19).map(|base| format!("b{base} \"p{base}\"\n")).collect();
        let all: Vec<String> = (3..19).map(|base| format!("b{base}")).collect();
        let gate = format!("g9 = {kind} {}\n", all.join(" "));
        (FACES.replacen("legal", &format!("{rare}legal"), 1), gate)
    }

    #[test]
    fn what_samples_do_not_show_is_still_not_taken_for_equal() {
        let (faces, all) = rarely("and");
        let (_, some) = rarely("or");
        let cases = [
            // Only where another role moves so.
            (&all, "g10 = and i0 i4 g9\nnext b0 = g10\n", [vec![0], vec![1, 2, 3]].to_vec()),
            (
                &all,
                "g8 = not i4\ng10 = and i0 g8 g9\nnext b0 = g10\n",
                [vec![0], vec![1, 2, 3]].to_vec(),
            ),
            // The same leaves under a conjunction, joined otherwise; and the dual.
            (
                &all,
                "g10 = or b1 b2\ng11 = and i0 g9 g10\ng12 = and i1 g9 b1 b2\n\
                 g13 = or g11 g12\nnext b0 = g13\n",
                [vec![0], vec![1], vec![2, 3]].to_vec(),
            ),
            (
                &some,
                "g10 = and b1 b2\ng11 = not i0\ng12 = not i1\ng13 = or g11 g9 g10\n\
                 g14 = or g12 g9 b1 b2\ng15 = and g13 g14\nnext b0 = g15\n",
                [vec![0], vec![1], vec![2, 3]].to_vec(),
            ),
        ];
        for (gate, update, wanted) in cases {
            assert_eq!(classes(&format!("{faces}{gate}{update}")), wanted, "{update}");
        }
    }

    /// Moves in pairs, each pair with a proposition of its own: three gates of the cone for a pair.
    fn pairs(count: usize) -> Vec<Vec<usize>> {
        let moves: String = (0..2 * count).map(|at| format!("i{at} \"m{at}\"\n")).collect();
        let bases: String = (0..count).map(|at| format!("b{at} \"p{at}\"\n")).collect();
        let legal: String = (0..2 * count).map(|at| format!("legal i{at} = true\n")).collect();
        let update = |at: usize| {
            let gate = 10 + at;
            format!("g{gate} = or i{} i{}\nnext b{at} = g{gate}\n", 2 * at, 2 * at + 1)
        };
        let updates: String = (0..count).map(update).collect();
        classes(&format!("role \"random\"\n{moves}{bases}{legal}{updates}"))
    }

    #[test]
    fn as_many_moves_are_proven_equal_as_the_budget_has_room_for() {
        let few = pairs(40);
        assert!(few.len() == 40 && few.iter().all(|class| class.len() == 2), "{few:?}");
        // The limit on what is rebuilt has room for an even number of moves, which is used up.
        let count = 2506;
        let budget = LIMIT_REBUILT / (3 * count);
        assert!(
            2 * count * 3 * count <= CHANCE_LIMIT_VISITS && budget.is_multiple_of(2),
            "{budget}"
        );
        let many = pairs(count);
        assert_eq!(many.iter().filter(|class| class.len() == 2).count(), budget / 2);
        let count = 2600;
        assert!(2 * count * 3 * count > CHANCE_LIMIT_VISITS);
        assert_eq!(pairs(count).len(), 2 * count, "none is even looked at");
    }

    #[test]
    fn without_any_effect_all_are_one_class() {
        assert_eq!(classes(FACES), [vec![0, 1, 2, 3]]);
    }
}
