//! What the solver may do: a table, one line an option.
//!
//! Every option is safe at every value of its range: it changes how long an answer takes, never
//! the answer (the tests run all formulas under all of them). Texts are for `--help` and reports.

/// One line of the table of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionRow {
    /// The field's name, also in text.
    pub name: &'static str,
    /// The default.
    pub default: u64,
    /// The smallest and the largest value; switches are 0 to 1.
    pub range: (u64, u64),
    /// What it does, in a sentence.
    pub meaning: &'static str,
}

macro_rules! options {
    ($($name:ident = $default:literal in $low:literal .. $high:literal : $meaning:literal;)*) => {
        /// The table of options; see the module header.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Options {
            $(#[doc = $meaning] pub $name: u64,)*
            /// A fault planted by a test.
            #[cfg(test)]
            pub(crate) planted: Option<crate::faults::Fault>,
        }

        impl Default for Options {
            fn default() -> Self {
                Self {
                    $($name: $default,)*
                    #[cfg(test)]
                    planted: None,
                }
            }
        }

        impl Options {
            /// All options with defaults, ranges and meanings.
            pub const TABLE: &[OptionRow] = &[$(OptionRow {
                name: stringify!($name),
                default: $default,
                range: ($low, $high),
                meaning: $meaning,
            }),*];

            /// Sets an option by name.
            ///
            /// # Errors
            /// When there is no such option, or the value is out of range; the text says which.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
                match name {
                    $(stringify!($name) => self.$name = in_range(name, value, $low, $high)?,)*
                    _ => return Err(format!("no option `{name}`; there are {}", names())),
                }
                Ok(())
            }

            /// The value of an option by name.
            pub fn get(&self, name: &str) -> Option<u64> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

options! {
    frontier_cache = 1 in 0..1: "keep values under the variables shared across a boundary of levels";
    residual_keys = 1 in 0..2: "keys of open clauses: where keys of values never hit (1), everywhere (2)";
    good_literals = 1 in 0..1: "find literals that win whatever follows, by backward induction";
    definability = 1 in 0..1: "move defined variables outward to the level of their inputs";
    deferral = 1 in 0..1: "put defined variables off behind a boundary where its key gets no larger";
    bounds = 1 in 0..1: "leave a branch that cannot change the value (alpha-beta), where no cache wants it exact";
    equivalences = 1 in 0..1: "replace literals that are equivalent by binary clauses";
    merging = 1 in 0..1: "find literals that are equal or fixed by sampling, and show it by propagation";
    elimination = 1 in 0..1: "resolve innermost exists-variables away where clauses do not grow";
    subsumption = 1 in 0..1: "remove subsumed clauses and strengthen by self-subsumption";
    pure = 1 in 0..1: "settle literals that occur in one sign among open clauses, and free variables";
    lookahead = 0 in 0..1000000: "levels below the current one in which propagation is eager";
    walk = 0 in 0..2: "variables in order under the frontier cache (1), part by part (2; always where chance is too much for 1), both in turns (0)";
    components = 1 in 0..1: "split what is left into parts that share no variable";
    part_cache = 1 in 0..1: "keep values under the variables and clauses of a part";
    relaxation = 1 in 0..1: "bound parts from above by letting exists choose later than it may; needs `bounds`";
    learning = 1 in 0..1: "keep clauses learned from conflicts";
    satisfiability = 1 in 0..1: "ask whether the clauses have a model before a branch is valued";
    trace = 0 in 0..1: "record how each learned clause was derived";
    learned_limit = 4000 in 0..1000000000: "learned clauses kept before half are forgotten; grows";
    part_memory = 512 in 1..4000: "mebibytes for values of parts";
    rounds = 3 in 0..100: "rounds of preprocessing at most";
    patience = 1024 in 1..1000000000: "look-ups of a boundary before it must show hits";
    cut_limit = 16384 in 0..1000000: "largest number of variables in a key; less where there are very many levels";
}

fn names() -> String {
    let quoted: Vec<String> = Options::TABLE.iter().map(|row| format!("`{}`", row.name)).collect();
    quoted.join(", ")
}

fn in_range(name: &str, value: u64, low: u64, high: u64) -> Result<u64, String> {
    debug_assert!(low < high, "an option with one value");
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    Err(format!("option `{name}` takes {low} to {high}, not {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_fields_agree() {
        let mut options = Options::default();
        for row in Options::TABLE {
            assert_eq!(options.get(row.name), Some(row.default), "{}", row.name);
            assert!(row.range.0 <= row.default && row.default <= row.range.1, "{}", row.name);
            options.set(row.name, row.range.0).expect("the low end is in range");
            assert_eq!(options.get(row.name), Some(row.range.0));
            assert!(options.set(row.name, row.range.1 + 1).is_err(), "{}", row.name);
        }
        assert!(options.set("luck", 1).is_err());
    }
}
