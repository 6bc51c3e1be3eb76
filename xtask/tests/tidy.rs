//! The rules of the house hold in this checkout: `cargo xtask tidy`, as a test.
#![forbid(unsafe_code)]

use xtask::checkout::Checkout;
use xtask::tidy::{Tree, check};

#[test]
fn the_checkout_is_tidy() {
    let tree = Tree::read(&Checkout::here().root).expect("the checkout can be read");
    assert!(tree.get("Cargo.toml").is_some(), "this is not the root of the workspace");
    let findings: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}
