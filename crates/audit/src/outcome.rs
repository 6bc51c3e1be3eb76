//! What an audit says.

/// The outcome of a claim put to z3.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome<W> {
    /// The claim holds.
    Proven,
    /// It does not, and this shows it.
    Refuted(W),
    /// A limit was met before an answer, in z3's words; this is no yes.
    Open(String),
}

impl<W> Outcome<W> {
    /// Whether the claim is proven.
    pub fn is_proven(&self) -> bool {
        matches!(self, Self::Proven)
    }

    /// What refutes the claim, if it is refuted.
    pub fn refutation(self) -> Option<W> {
        match self {
            Self::Refuted(witness) => Some(witness),
            Self::Proven | Self::Open(_) => None,
        }
    }

    /// The same with another form of witness.
    pub fn map<V>(self, form: impl FnOnce(W) -> V) -> Outcome<V> {
        match self {
            Self::Proven => Outcome::Proven,
            Self::Refuted(witness) => Outcome::Refuted(form(witness)),
            Self::Open(why) => Outcome::Open(why),
        }
    }

    /// This outcome where it is not a proof, else that of another claim.
    pub fn and(self, other: impl FnOnce() -> Self) -> Self {
        if self.is_proven() { other() } else { self }
    }
}
