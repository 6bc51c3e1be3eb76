//! `--audit` as a user meets it: what was put to z3 and clingo is told, in text and in objects; and
//! a build without z3 refuses it as the environment's fault, with what to do about it.

#![forbid(unsafe_code)]

mod support;

use support::{GUESS, Ran, run_with};

/// Worth 2/3: a choice, then a toss that falls right in one of three cases.
const FORMULA: &str = "p cnf 2 2\ne 1 0\nr 1/3 2 0\n1 -2 0\n-1 2 0\n";

fn xssat(options: &[&str]) -> Ran {
    run_with(&[&["xssat", "-", "--audit"], options].concat(), FORMULA.as_bytes())
}

#[cfg(not(feature = "z3"))]
#[test]
fn a_build_without_z3_says_how_to_get_one() {
    let remedy = ["without z3", "--features z3", "libz3-dev", "cargo xtask"];
    xssat(&[]).refused(3, &remedy);
    run_with(&["solve", "-", "--audit"], GUESS.as_bytes()).refused(3, &remedy);
    run_with(&["sqasp", "-", "--audit"], b"a.").refused(3, &remedy);
}

#[test]
fn the_reference_has_nothing_to_audit() {
    let ran = run_with(&["solve", "-", "--audit", "--engine", "reference"], GUESS.as_bytes());
    ran.refused(2, &["--audit cannot be used here"]);
}

#[cfg(feature = "z3")]
mod with_z3 {
    use serde_json::Value;

    use super::*;
    use crate::support::schema;

    /// The outcomes of the audited claims that hold these words.
    fn outcomes(audit: &Value, words: &str) -> Vec<String> {
        let rows = audit.as_array().expect("claims were audited").iter();
        let named =
            rows.filter(|row| row["claim"].as_str().is_some_and(|text| text.contains(words)));
        named.map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_value_is_audited_where_it_is_possible_and_certain() {
        let text = xssat(&[]);
        assert_eq!(text.status, 0, "{text:?}");
        assert_eq!(text.out.matches("audit  proven").count(), 4, "{text:?}");
        let object = xssat(&["--json"]).json();
        assert_eq!(schema::fault(&schema::load("formula.schema.json"), &object), None);
        assert_eq!(outcomes(&object["audit"], "the value is"), ["proven", "proven"]);
        assert_eq!(outcomes(&object["audit"], "nodes of a trace"), ["proven"]);
        assert_eq!(outcomes(&object["audit"], "learned clauses"), ["proven"]);
    }

    #[test]
    fn a_network_is_audited_against_its_rules() {
        let ran = run_with(&["solve", "-", "--audit", "--json"], GUESS.as_bytes());
        let object = ran.json();
        assert_eq!(schema::fault(&schema::load("solve.schema.json"), &object), None, "{ran:?}");
        assert_eq!(outcomes(&object["audit"], "the network of"), ["proven"]);
    }

    #[cfg(feature = "symbolic")]
    #[test]
    fn a_program_is_audited_against_clingo() {
        let program = "{ a; b }. _exists(1,a). _chance(2,1,3,b). c :- a, b. c :- not a, not b.\n\
                       :- not c.";
        for placement in ["baseline", "dependency"] {
            let options = ["sqasp", "-", "--audit", "--json", "--placement", placement];
            let ran = run_with(&options, program.as_bytes());
            let object = ran.json();
            assert_eq!(object["probability"], "2/3", "{ran:?}");
            assert_eq!(schema::fault(&schema::load("formula.schema.json"), &object), None);
            assert_eq!(outcomes(&object["audit"], "at most one model"), ["proven"]);
            assert_eq!(outcomes(&object["audit"], "stable models"), ["proven"]);
            let detail = object["audit"][1]["detail"].as_str().expect("a count");
            assert!(detail.contains("4 of 4") && detail.contains("2 of which"), "{detail}");
        }
    }

    #[cfg(feature = "symbolic")]
    #[test]
    fn each_formula_of_a_game_is_audited() {
        let options = ["solve", "-", "--audit", "--json", "--engine", "symbolic"];
        let ran = run_with(&options, GUESS.as_bytes());
        let object = ran.json();
        assert_eq!(object["value"], "1/2", "{ran:?}");
        assert_eq!(schema::fault(&schema::load("solve.schema.json"), &object), None);
        assert_eq!(outcomes(&object["audit"], "at most one model"), ["proven"]);
        assert_eq!(outcomes(&object["audit"], "stable models").len(), 1);
        assert_eq!(outcomes(&object["audit"], "nodes of a trace"), ["proven"]);
    }
}
