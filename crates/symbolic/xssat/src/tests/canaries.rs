//! Faults planted one by one: the tests of agreement must see each.
