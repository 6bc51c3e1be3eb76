//! Options of the compiled engines.

/// Which kernel a sweep uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Tier {
    /// The compiler chooses from the game.
    #[default]
    Auto,
    /// Bit planes.
    Planes,
    /// Digit tables; refused for games whose propositions do not factor into digits.
    Digits,
}

/// Options of the compiled engines.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Ground atoms and instances that a game may have.
    pub ground_limit: usize,
    /// Answer with certified bounds of 64-bit fixed-point numbers.
    pub approximate: bool,
    /// Which kernel.
    pub tier: Tier,
    /// Search only: steps that it looks ahead; deeper play counts as anything in [0, 1].
    pub depth: Option<u32>,
    /// Search only: visit every reachable state and check it for well-formedness.
    pub check: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ground_limit: 20_000_000,
            approximate: false,
            tier: Tier::Auto,
            depth: None,
            check: false,
        }
    }
}
