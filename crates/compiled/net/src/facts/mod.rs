//! Facts about a game, guessed from its network and from random play.
//!
//! Always: a guess may be wrong. Whoever relies on one checks it on every state reached, or proves
//! it, and works without it where it breaks; a guess costs time, never truth. The exceptions are
//! [`chance_classes`] and [`Clock`], which compare networks, and [`subgames`], which reads what they
//! read: these prove what they say.
//!
//! Nothing here changes a network.

mod chance;
mod clock;
mod groups;
mod level;
mod linear;
mod playouts;
mod spelling;
mod subgames;

pub use chance::{CHANCE_LIMIT_VISITS, chance_classes};
pub use clock::{Clock, clock_bases};
pub use groups::{guess_exclusive, guess_groups};
pub use level::{Level, guess_level};
pub use playouts::playouts;
pub(crate) use subgames::partition;
pub use subgames::{Subgame, subgames};
