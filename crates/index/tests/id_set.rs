//! What a set tells of its members: each of these was once changed by a planted fault, unnoticed.

#![forbid(unsafe_code)]

use index::{Id, IdSet};

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
