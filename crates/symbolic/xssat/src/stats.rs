//! What the solver counted: a table, one line a count.

macro_rules! stats {
    ($($name:ident : $meaning:literal;)*) => {
        /// Counts of one solver, over all its calls.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Stats {
            $(#[doc = $meaning] pub $name: u64,)*
        }

        impl Stats {
            /// All counts: name, number, meaning.
            pub fn rows(&self) -> Vec<(&'static str, u64, &'static str)> {
                vec![$((stringify!($name), self.$name, $meaning)),*]
            }
        }
    };
}

stats! {
    variables: "variables of the formula given";
    clauses: "clauses of the formula given";
    variables_left: "variables after preprocessing";
    clauses_left: "clauses after preprocessing";
    levels: "levels of the prefix after preprocessing";
    gates: "variables that were moved outward to the level of their inputs";
    equivalent: "variables replaced by an equivalent literal";
    merged: "clauses found by sampling and propagation";
    eliminated: "variables resolved away";
    deferred: "defined variables put off behind the boundary they followed";
    subsumed: "clauses subsumed or strengthened";
    good: "good literals over all boundaries";
    decisions: "branches taken by the walk in order";
    propagations: "literals set by propagation";
    conflicts: "branches that ended in a falsified clause";
    pures: "variables settled because they occur in one sign";
    frees: "variables in no open clause";
    wins: "boundaries left because a good literal is true";
    cutoffs: "of these, branches left because they cannot change the value";
    lookups: "look-ups in frontier caches";
    hits: "look-ups that found a value";
    entries: "entries in frontier caches";
    components: "parts that were met";
    part_decisions: "branches taken by the walk over parts";
    part_cutoffs: "of these, branches left because they cannot change the value";
    part_lookups: "look-ups of parts";
    part_hits: "look-ups of parts that found a value";
    part_entries: "parts whose values are kept";
    relaxed: "bounds asked for where exists may choose later";
    checks: "checks for a model";
    refuted: "checks that found none";
    learned: "clauses learned";
    forgotten: "learned clauses that were forgotten";
    slices: "turns that the two walks took";
}
