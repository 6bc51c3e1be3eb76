//! What a game has: a register of the features in which engines can go wrong.
//!
//! Random games are worth what they contain, so a run over thousands of them counts these. Half are
//! read off the rules (`rules`), half are seen in play (`plays`), over all states or the first many.
//! Nothing here knows how a game was made.

mod plays;
mod rules;

use std::collections::BTreeSet;
use std::sync::Arc;

use gdl::Rulebook;
use verdict::Fault;

macro_rules! features {
    ($($name:ident $text:literal,)*) => {
        /// Something that a game may have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature {
            $(#[doc = $text] $name,)*
        }

        impl Feature {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The feature in a few words.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

features! {
    SeveralPlayers "several players",
    Chance "chance",
    UnequalChance "chance with unequal branch counts",
    Simultaneous "players who choose in one step",
    Forced "steps without any choice",
    HelperChain "helpers over helpers over helpers",
    Negation "negated helpers",
    Strata "negated helpers over negated helpers",
    Recursion "recursion inside a state",
    NestedTerms "functions inside functions",
    NoBase "no declared base",
    NoInput "no declared input",
    GoalNone "a goal of 0",
    GoalSome "a goal between",
    GoalFull "a goal of 100",
    MeetsAtOnePly "states met again at the same ply",
    MeetsAtTwoPlies "states met again at another ply",
    ComesBack "plays that return to a state",
}

/// The features of a game, of its plays as far as `states` states show them.
///
/// # Errors
/// Where the rules cannot be played.
pub fn features(rulebook: &Arc<Rulebook>, states: usize) -> Result<BTreeSet<Feature>, Fault> {
    let mut found = rules::features(rulebook);
    found.extend(plays::features(rulebook, states)?);
    debug_assert!(found.len() <= Feature::ALL.len(), "each is counted once");
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use crate::planted::rulebook;

    const SEEDS: u64 = 240;
    /// Least share of random games that has a feature, in per cent.
    const FLOOR: usize = 10;

    fn of(text: &str) -> BTreeSet<Feature> {
        features(&rulebook(text), 1_000).expect("a game")
    }

    /// Rules of a game of one step for one player, with more to be added.
    const PLAIN: &str =
        "(role a) (init (s 0)) (<= (legal a m) (true (s 0))) (base (s 0)) (input a m)
        (<= (next (s 1)) (does a m)) (base (s 1)) (<= terminal (true (s 1))) (goal a 100)";

    fn beside(rules: &str) -> BTreeSet<Feature> {
        let plain = of(PLAIN);
        of(&format!("{PLAIN} {rules}")).difference(&plain).copied().collect()
    }

    #[test]
    fn a_plain_game_has_little() {
        assert_eq!(of(PLAIN), [Feature::Forced, Feature::GoalFull].into());
    }

    #[test]
    fn rules_show_their_features() {
        use Feature::*;
        assert_eq!(beside("(<= p (true (s 0))) (<= q p)"), [].into());
        assert_eq!(beside("(<= p (true (s 0))) (<= q p) (<= z q)"), [HelperChain].into());
        assert_eq!(beside("(<= p (true (s 0))) (<= q (not p))"), [Negation].into());
        let strata = "(<= p (true (s 0))) (<= q (not p)) (<= z (not q))";
        assert_eq!(beside(strata), [Negation, Strata, HelperChain].into());
        let static_loop = "(l 1 2) (<= (to ?x) (l 1 ?x)) (<= (to ?y) (to ?x) (l ?x ?y))";
        assert_eq!(beside(static_loop), [].into());
        let seen = "(<= (to 1) (true (s 0))) (<= (to ?y) (to ?x) (l ?x ?y)) (l 1 2)";
        assert_eq!(beside(seen), [Recursion].into());
        assert_eq!(beside("(<= (w (f (g ?x))) (true (s ?x)))"), [NestedTerms].into());
    }

    #[test]
    fn plays_show_their_features() {
        use Feature::*;
        let walk = "(role a) (role b) (init (s 0)) (<= (legal a (go ?k)) (step ?k)) (step 1) (step 2)
            (legal b noop) (plus 0 1 1) (plus 0 2 2) (plus 1 1 2) (plus 1 2 3) (plus 2 1 3) (plus 2 2 4)
            (<= (next (s ?m)) (true (s ?n)) (does a (go ?k)) (plus ?n ?k ?m))
            (<= terminal (true (s 3))) (<= terminal (true (s 4))) (goal a 30) (goal b 0)";
        let all = [SeveralPlayers, NoBase, NoInput, GoalNone, GoalSome];
        let mut wanted = BTreeSet::from(all);
        wanted.extend([MeetsAtOnePly, MeetsAtTwoPlies]);
        assert_eq!(of(walk), wanted);
        let both = walk.replace("(legal b noop)", "(legal b noop) (legal b nod)");
        wanted.extend([Simultaneous]);
        assert_eq!(of(&both), wanted);
        let back = walk.replace("(plus 1 2 3)", "(plus 1 2 0)");
        assert!(of(&back).contains(&ComesBack));
        let tossed = walk.replace("(role b)", "(role random)").replace(
            "(legal b noop)",
            "
            (legal random 1) (<= (legal random 2) (true (s 0)))
            (<= (legal random ?k) (true (s 1)) (step ?k)) (<= (legal random 3) (true (s 1)))",
        );
        let found = of(&tossed.replace("(goal b 0)", ""));
        assert!(found.contains(&Chance) && found.contains(&UnequalChance), "{found:?}");
    }

    #[test]
    fn random_games_have_every_feature_often() {
        let mut counts = vec![0; Feature::ALL.len()];
        let mut back = 0;
        for seed in 0..SEEDS {
            let found = of(&generate::game(seed));
            Feature::ALL.iter().zip(&mut counts).for_each(|(one, count)| {
                *count += usize::from(found.contains(one));
            });
            back += usize::from(of(&generate::recurrent(seed)).contains(&Feature::ComesBack));
        }
        let shown: Vec<(&str, &usize)> =
            Feature::ALL.iter().map(|one| one.text()).zip(&counts).collect();
        for (feature, count) in Feature::ALL.iter().zip(&counts) {
            let floor = if *feature == Feature::ComesBack { 0 } else { FLOOR };
            assert!(100 * count >= floor * SEEDS as usize, "{}: {shown:?}", feature.text());
        }
        assert!(2 * back > SEEDS as usize, "{back} of the games made to come back do");
    }
}
