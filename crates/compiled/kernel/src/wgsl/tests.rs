//! The text run line by line, on random games, against the network's interpreter.
//!
//! The reader below knows the few forms of a statement that are written, and panics on others, so
//! that it is a check of the form as well. That drivers take the text for the same is shown where
//! there is a device; that it is WGSL, by naga in the tests of the whole house.

use index::Id;
use net::interpret::{State, update, view};
use net::random::Random;
use net::{InputId, Net};

use super::Shaders;
use crate::sample::{Sample, Shape, casting, sample};
use crate::{Expander, PlaneKernel, Tables, Tape};

/// Planes of one group of states: what is read, and what is written.
#[derive(Default)]
struct Buffers {
    key: Vec<u32>,
    played: Vec<u32>,
    said: Vec<Option<u32>>,
    held: Vec<Option<u32>>,
}

impl Buffers {
    fn for_calls(calls: &super::Calls) -> Self {
        let (said, held) = (vec![None; calls.outputs], vec![None; calls.held]);
        Self { said, held, ..Self::default() }
    }

    /// Runs the body of an entry point, with one group and one joint move.
    fn run(&mut self, text: &str, entry: &str) {
        let start = text.find(&format!("fn {entry}(")).expect("the entry is there");
        let mut variables: Vec<u32> = Vec::new();
        for line in text[start..].lines().take_while(|line| *line != "}").skip(9) {
            let line = line.trim().trim_end_matches(';');
            if let Some(assigned) = line.strip_prefix("let v") {
                let (name, value) = assigned.split_once(" = ").expect("an assignment");
                assert_eq!(name, variables.len().to_string(), "variables are numbered");
                let value = self.value(value, &variables);
                variables.push(value);
                continue;
            }
            let (place, value) = line.split_once(" = ").expect("a store");
            let value = self.value(value, &variables);
            if let Some(row) = place.strip_prefix("said[first + ") {
                let row = number(row, "u * shape.groups]");
                assert_eq!(self.said[row].replace(value), None, "each output is written once");
            } else {
                let row = place.strip_prefix("held[").expect("a store to what is held");
                self.held[number(row, "u * all + at]")] = Some(value);
            }
        }
    }

    fn value(&self, text: &str, variables: &[u32]) -> u32 {
        let atom = |text: &str| match text.strip_prefix('~') {
            Some(rest) => !self.atom(rest, variables),
            None => self.atom(text, variables),
        };
        match text.split_once(" & ") {
            Some((left, right)) => atom(left) & atom(right),
            None => atom(text),
        }
    }

    fn atom(&self, text: &str, variables: &[u32]) -> u32 {
        if let Some(variable) = text.strip_prefix('v') {
            return variables[variable.parse::<usize>().expect("a number")];
        }
        if let Some(row) = text.strip_prefix("key[") {
            return self.key[number(row, "u * shape.groups + group]")];
        }
        if let Some(row) = text.strip_prefix("played[moves + ") {
            return self.played[number(row, "u]")];
        }
        if let Some(row) = text.strip_prefix("held[") {
            return self.held[number(row, "u * all + at]")].expect("what is held was left");
        }
        match text {
            "0u" => 0,
            "0xffffffffu" => u32::MAX,
            other => panic!("not a form that is written: {other}"),
        }
    }
}

fn number(text: &str, end: &str) -> usize {
    text.strip_suffix(end).expect("a known form").parse().expect("a number")
}

/// Up to 32 states met in random play.
fn states(net: &Net, random: &mut Random) -> Vec<State> {
    let mut states: Vec<State> = vec![net.init.iter().copied().collect()];
    while states.len() < 32 {
        let state = states[random.below(states.len())].clone();
        let joint = random_joint(net, &state, random);
        states.push(update(net, &state, &joint));
    }
    states
}

fn random_joint(net: &Net, state: &State, random: &mut Random) -> Vec<InputId> {
    let seen = view(net, state);
    let mut joint = Vec::new();
    for role in net.roles.iter() {
        let moves = role.inputs.clone().map(InputId::from_index);
        let legal: Vec<InputId> = moves.filter(|input| seen.legal[*input]).collect();
        joint.push(legal[random.below(legal.len())]);
    }
    joint
}

/// One bit of every state as a plane.
fn plane(states: &[State], bit: impl Fn(&State) -> bool) -> u32 {
    states.iter().enumerate().fold(0, |plane, (lane, state)| plane | u32::from(bit(state)) << lane)
}

fn key_planes(kernel: &PlaneKernel, states: &[State]) -> Vec<u32> {
    let packed = |state: &State| {
        let bases: Vec<_> = state.iter().collect();
        kernel.pack(&bases).expect("groups hold")
    };
    let bit = |at: usize| move |key: &Vec<u64>| key[at / 64] >> (at % 64) & 1 == 1;
    let keys: Vec<Vec<u64>> = states.iter().map(packed).collect();
    let row = |at: usize| {
        keys.iter().enumerate().fold(0, |row, (lane, key)| row | u32::from(bit(at)(key)) << lane)
    };
    (0..kernel.key_bits()).map(row).collect()
}

/// What a list says of planes, as the shader `tape` follows it.
fn follow(tape: &Tape, key: &[u32], played: &[u32]) -> Vec<u32> {
    let mut held = vec![None; tape.held];
    let operand = |lit: u32, held: &[Option<u32>]| {
        let row = (lit >> 3) as usize;
        let value = match lit >> 1 & 3 {
            0 => 0,
            1 => key[row],
            2 => played[row],
            _ => held[row].expect("written before it is read"),
        };
        value ^ 0u32.wrapping_sub(lit & 1)
    };
    let (ops, outputs) = tape.words[2..].split_at(3 * tape.words[0] as usize);
    for op in ops.chunks_exact(3) {
        held[op[2] as usize] = Some(operand(op[0], &held) & operand(op[1], &held));
    }
    assert_eq!(outputs.len(), tape.words[1] as usize, "nothing follows the outputs");
    outputs.iter().map(|lit| operand(*lit, &held)).collect()
}

/// What tables say of a key, as the shaders look it up.
fn look_up(tables: &Tables, key: &[u32]) -> Vec<u32> {
    let words = &tables.words;
    let at = |place: usize| words[place] as usize;
    let code = |piece: usize| {
        let bits = at(piece)..at(piece) + at(piece + 1);
        let set = |bit: usize| (key[bit / 32] >> (bit % 32) & 1) as usize;
        bits.clone().map(|bit| set(bit) << (bit - bits.start)).sum::<usize>()
    };
    let mut found = Vec::new();
    for word in 0..at(0) - 1 {
        let (mut column, mut sum) = (at(word), 0);
        while column < at(word + 1) {
            let last = column + 2 + 2 * at(column + 1);
            let (mut index, mut shift) = (0, 0);
            for piece in (column + 2..last).step_by(2) {
                index |= code(piece) << shift;
                shift += at(piece + 1);
            }
            sum |= words[at(column) + index];
            column = last;
        }
        found.push(sum);
    }
    found
}

/// The key of a state as words of 32 bits.
fn narrow(kernel: &PlaneKernel, state: &State) -> Vec<u32> {
    let bases: Vec<_> = state.iter().collect();
    let key = kernel.pack(&bases).expect("groups hold");
    let words = key.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    words.take(kernel.key_bits().div_ceil(32).max(1)).collect()
}

/// Compares view and update of some states; the number of operations of the text, and of programs
/// that are tables.
fn compare(
    game: &Sample,
    shaders: &Shaders,
    kernel: &PlaneKernel,
    random: &mut Random,
) -> (usize, usize) {
    let mut tabled = 0;
    let net = &*game.net;
    let states = states(net, random);
    let key = key_planes(kernel, &states);
    let mut seen = Buffers { key: key.clone(), ..Buffers::for_calls(&shaders.view) };
    shaders.view.entries.iter().for_each(|entry| seen.run(&shaders.text, entry));
    let asked = casting(net).asked;
    for (row, said) in seen.said.iter().enumerate() {
        let wanted = plane(&states, |state| {
            let view = view(net, state);
            match row.checked_sub(net.inputs.len()) {
                None => view.legal[InputId::from_index(row)],
                Some(0) => view.terminal,
                Some(goal) => view.goals[asked].contains(&shaders.goals[goal - 1]),
            }
        });
        assert_eq!(*said, Some(wanted), "output {row} of the view");
    }
    assert_eq!(
        follow(&kernel.view_tape(), &key, &[]),
        seen.said.iter().map(|said| said.expect("written")).collect::<Vec<_>>(),
        "the view from a list"
    );
    if let Some(tables) = kernel.view_tables() {
        tabled += 1;
        for (lane, state) in states.iter().enumerate() {
            let found = look_up(&tables, &narrow(kernel, state));
            for (row, said) in seen.said.iter().enumerate() {
                let wanted = said.expect("written") >> lane & 1;
                assert_eq!(found[row / 32] >> (row % 32) & 1, wanted, "output {row} by tables");
            }
        }
    }
    for _ in 0..4 {
        let joint = random_joint(net, &states[0], random);
        let played =
            net.inputs.ids().map(|input| if joint.contains(&input) { u32::MAX } else { 0 });
        let played = played.collect();
        let mut made = Buffers { key: key.clone(), played, ..Buffers::for_calls(&shaders.update) };
        shaders.update.entries.iter().for_each(|entry| made.run(&shaders.text, entry));
        let children: Vec<State> = states.iter().map(|state| update(net, state, &joint)).collect();
        let wanted: Vec<Option<u32>> =
            key_planes(kernel, &children).into_iter().chain([0]).map(Some).collect();
        assert_eq!(made.said, wanted, "bits of the children, none of which breaks a group");
        let tapes = [kernel.update_tape(None), kernel.update_tape(Some(&joint))];
        for tape in tapes {
            let said: Vec<Option<u32>> =
                follow(&tape, &key, &made.played).into_iter().map(Some).collect();
            assert_eq!(said, wanted, "the same from a list");
        }
        let Some(tables) = kernel.update_tables(&joint) else { continue };
        tabled += 1;
        let words = kernel.key_bits().div_ceil(32).max(1);
        for (state, child) in states.iter().zip(&children) {
            let found = look_up(&tables, &narrow(kernel, state));
            assert_eq!(found, [narrow(kernel, child), vec![0]].concat()[..=words], "by tables");
        }
    }
    (shaders.view.ops + shaders.update.ops, tabled)
}

#[test]
fn the_text_says_what_the_network_says() {
    let mut random = Random::new(23);
    let (mut ops, mut tabled) = (0, 0);
    for round in 0..40 {
        let game = sample(&Shape::small(&mut random), &mut random);
        let made = PlaneKernel::new(game.net.clone(), casting(&game.net), &game.groups, &[]);
        let kernel = made.expect("few joint moves");
        let shaders = kernel.shaders_in_pieces(64, [7, 30, 1024][round % 3]);
        let (length, tables) = compare(&game, &shaders, &kernel, &mut random);
        (ops, tabled) = (ops + length, tabled + tables);
    }
    assert!(tabled > 50, "most games of this size have tables: {tabled}");
    assert!(ops > 2000, "the programs are not trivial: {ops} operations");
}

#[test]
fn a_long_program_is_cut_and_a_short_one_is_not() {
    let mut random = Random::new(5);
    let shape = Shape { gates: 200, ..Shape::small(&mut random) };
    let game = sample(&shape, &mut random);
    let made = PlaneKernel::new(game.net.clone(), casting(&game.net), &game.groups, &[]);
    let kernel = made.expect("few joint moves");
    let whole = kernel.shaders(64);
    assert_eq!((whole.update.entries.len(), whole.update.held), (1, 0));
    let cut = kernel.shaders_in_pieces(64, 10);
    assert_eq!(cut.update.entries.len(), cut.update.ops.div_ceil(10), "ten operations each");
    assert!(cut.update.entries.len() > 2 && cut.update.held > 0, "{:?}", cut.update);
}
