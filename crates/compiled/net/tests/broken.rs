//! Networks in which one thing is broken are refused, each with what is wrong.

use index::Id;
use net::{BaseId, Gates, InputId, Net, NetRole, parse_net, verify};

const TEXT: &str = "role \"r\"\ni0 \"go\"\ni1 \"stay\"\nb0 \"off\" init\nb1 \"on\" init\nlegal i0 = b0\n\
                    legal i1 = b1\nterminal = b1\ngoal r0 0 = b0\ngoal r0 100 = b1\nnext b0 = i1\n\
                    next b1 = i0\n";

fn whole() -> Net {
    parse_net(TEXT).expect("it is a network")
}

/// What `verify` says of the network after a change.
fn after(change: impl FnOnce(&mut Net)) -> String {
    let mut net = whole();
    change(&mut net);
    verify(&net).expect_err("it is broken")
}

#[test]
fn the_network_is_well_formed_as_it_is() {
    assert_eq!(verify(&whole()), Ok(()));
    assert!(!whole().gates.is_empty());
}

#[test]
fn what_names_something_that_is_not_there_is_told() {
    let exists = "does not exist";
    let base = |net: &mut Net| drop_id(net.gates.base(BaseId::from_index(net.bases.len())));
    assert!(after(base).contains(exists));
    let input = |net: &mut Net| drop_id(net.gates.does(InputId::from_index(net.inputs.len())));
    assert!(after(input).contains(exists));
    let init = |net: &mut Net| net.init.push(BaseId::from_index(net.bases.len()));
    assert!(after(init).contains(exists));
    let output = |net: &mut Net| net.terminal = index::Id::from_index(net.gates.len());
    assert!(after(output).contains(exists));
}

fn drop_id<T>(_: T) {}

#[test]
fn arenas_are_equal_where_they_hold_the_same_gates() {
    let (mut left, mut right) = (Gates::default(), Gates::new());
    assert_eq!(left, right);
    drop_id(left.base(BaseId::from_index(0)));
    assert_ne!(left, right);
    drop_id(right.base(BaseId::from_index(1)));
    assert_ne!(left, right);
}

#[test]
fn tables_that_do_not_fit_are_told() {
    let text = "x".to_owned();
    assert!(after(|net| drop_id(net.inputs.push(text.clone()))).contains("one legality a move"));
    assert!(after(|net| drop_id(net.bases.push(text.clone()))).contains("one successor"));
    assert!(after(|net| net.init = vec![net.init[0]; 2]).contains("ascends"));
    assert!(after(|net| net.init.reverse()).contains("ascends"));
}

#[test]
fn broken_roles_are_told() {
    let role = |net: &mut Net, change: &dyn Fn(&mut NetRole)| {
        let first = net.roles.ids().next().expect("a role");
        change(&mut net.roles[first]);
    };
    let said = |change: &dyn Fn(&mut NetRole)| after(|net| role(net, change));
    assert!(said(&|role| role.inputs.start = 1).contains("do not follow"));
    assert!(said(&|role| role.inputs.end = 1).contains("belong to no role"));
    assert!(said(&|role| role.goals[0].0 = 100).contains("do not ascend"));
    assert!(said(&|role| role.goals[1].0 = 101).contains("above 100"));
}

#[test]
fn a_view_that_reads_a_move_is_told() {
    let does = |net: &mut Net| net.terminal = net.gates.does(InputId::from_index(0));
    assert!(after(does).contains("the view reads the move"));
}
