//! Facts about a game, guessed from its network and from random play.
//!
//! Always: a guess may be wrong. Whoever relies on one checks it on every state reached, or proves
//! it, and works without it where it breaks; a guess costs time, never truth. The exception is
//! [`chance_classes`], which compares networks and so proves what it says.
//!
//! Nothing here changes a network.

mod chance;
mod groups;
mod level;
mod linear;
mod playouts;
mod spelling;

pub use chance::{CHANCE_LIMIT_VISITS, chance_classes};
pub use groups::{guess_exclusive, guess_groups};
pub use level::{Level, guess_level};
pub use playouts::playouts;
