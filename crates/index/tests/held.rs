//! What sets and vectors tell of what they hold: each of these was once changed by a planted fault, unnoticed.

#![forbid(unsafe_code)]

use index::{Id, IdSet, IndexVec};

index::typed_id!(
    /// A member.
    struct CellId, "c"
);

#[test]
fn what_is_new_is_told_from_what_was_there() {
    let mut set = IdSet::new();
    for at in [0, 5, 64, 200] {
        assert!(set.insert(CellId::from_index(at)), "{at} is new");
        assert!(!set.insert(CellId::from_index(at)), "{at} was there");
    }
    assert_eq!(set.len(), 4);
}

#[test]
fn a_set_is_empty_before_its_first_member_and_after_its_last() {
    let mut set = IdSet::new();
    assert!(set.is_empty());
    set.insert(CellId::from_index(70));
    assert!(!set.is_empty(), "it has a member");
    set.remove(CellId::from_index(70));
    assert!(set.is_empty());
}

#[test]
fn sets_with_other_members_are_not_equal() {
    let set = |members: &[usize]| -> IdSet<CellId> {
        members.iter().map(|at| CellId::from_index(*at)).collect()
    };
    assert_ne!(set(&[1, 70]), set(&[1, 71]));
    assert_ne!(set(&[1]), set(&[]));
    assert_eq!(set(&[70, 1]), set(&[1, 70]));
}

#[test]
fn a_vector_tells_whether_it_has_items_and_which() {
    let mut cells: IndexVec<CellId, char> = IndexVec::new();
    assert!(cells.is_empty() && cells.get(CellId::from_index(0)).is_none());
    let first = cells.push('a');
    assert!(!cells.is_empty(), "it has an item");
    assert_eq!(cells.get(first), Some(&'a'));
    assert_eq!(cells.get(CellId::from_index(1)), None);
}
