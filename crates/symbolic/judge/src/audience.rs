//! Who watches the engine at work: formulas as they are made and solved.

use exact::Ratio;
use sqasp::{Completion, GroundProgram, Prefix};
use verdict::Stop;

/// A formula of a game, before it is solved.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// The steps that it covers.
    pub steps: u32,
    /// Whether a play that has not ended counts as the best end in it, not as nothing.
    pub upper: bool,
    /// The program, in clingo's language.
    pub program: &'a str,
    /// The ground program.
    pub ground: &'a GroundProgram,
    /// The prefix that the clauses stand under.
    pub prefix: &'a Prefix,
    /// The clauses.
    pub completion: &'a Completion,
}

/// Is told of every formula that a verdict rests on; may object, which ends the solve.
pub trait Audience {
    /// Called before the formula is solved.
    ///
    /// # Errors
    /// Why the solve must end.
    fn formula(&self, made: &Made<'_>) -> Result<(), Stop>;

    /// Called with the value of the formula, once it is solved.
    ///
    /// # Errors
    /// Why the solve must end.
    fn solved(&self, made: &Made<'_>, value: &Ratio) -> Result<(), Stop>;
}

/// Nobody watches.
impl Audience for () {
    fn formula(&self, _made: &Made<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn solved(&self, _made: &Made<'_>, _value: &Ratio) -> Result<(), Stop> {
        Ok(())
    }
}
