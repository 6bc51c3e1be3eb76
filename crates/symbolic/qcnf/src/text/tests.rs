//! Whole texts: what is read, what is refused and where.

use std::io::BufReader;

use exact::Ratio;
use index::Id;

use super::*;
use crate::{Lit, Qcnf, Quantifier, Var};

fn var(number: usize) -> Var {
    Var::from_index(number - 1)
}

fn lit(number: i64) -> Lit {
    Lit::new(var(number.unsigned_abs() as usize), number > 0)
}

/// Code, line, column and what stands over the carets, for every fault.
fn faults(text: &str) -> Vec<(&'static str, u64, u64, String)> {
    let faults = parse(text.as_bytes()).expect_err("it has faults");
    let streamed = read(BufReader::with_capacity(3, text.as_bytes()));
    assert!(matches!(streamed, Err(ReadError::Faults(found)) if found == faults));
    let under = |e: &Excerpt| e.text.chars().skip(e.indent).take(e.carets).collect();
    faults.shown.iter().map(|f| (f.code, f.line, f.column, under(&f.excerpt))).collect()
}

fn only_fault(text: &str) -> (&'static str, u64, u64, String) {
    let mut found = faults(text);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn formula(text: &str) -> Qcnf {
    parse(text.as_bytes())
        .unwrap_or_else(|faults| panic!("{}", faults.render("text", false)))
        .formula
}

#[test]
fn a_text_with_everything_is_read() {
    let text = "\u{feff}c by hand\r\nc v 2 toss of a coin\np  cnf\t5 3\ne 1 0\nr 1/3 2 3 0\n\nr .25 4 0\n\
                c inside\na 0\n1 -2 0 -1\nc inside a clause\n 3 0\n0\nc end";
    let mut right = Qcnf::new(5);
    right.quantify(Quantifier::Exists, vec![var(1)]);
    right.quantify(Quantifier::Chance(Ratio::new(1u8, 3u8)), vec![var(2), var(3)]);
    right.quantify(Quantifier::Chance(Ratio::new(1u8, 4u8)), vec![var(4)]);
    right.quantify(Quantifier::Forall, vec![]);
    right.add_clause(&[lit(1), lit(-2)]);
    right.add_clause(&[lit(-1), lit(3)]);
    right.add_clause(&[]);
    right.set_name(var(2), "toss of a coin");
    assert_eq!(formula(text), right);
    assert_eq!(read(text.as_bytes()).unwrap().formula, right);
    assert_eq!(formula(&print(&right)), right);
}

#[test]
fn a_line_feed_may_be_missing_between_quantifiers() {
    let apart = "p cnf 3 1\ne 1 0\nr 0.5 2 0\na 3 0\n1 0\n";
    for joined in [apart.replace("0\nr", "0r").replace("0\na", "0a"), apart.replace("0\nr", "0 r")]
    {
        assert_eq!(formula(&joined), formula(apart));
    }
}

#[test]
fn the_format_is_known_by_lines_of_chance() {
    let format = |text: &str| parse(text.as_bytes()).unwrap().format;
    assert_eq!(format("p cnf 1 1\na 1 0\n1 0\n"), Format::Qdimacs);
    assert_eq!(format("p cnf 1 1\nr 1 1 0\n1 0\n"), Format::Sdimacs);
    assert_eq!(format("p cnf 0 0\n"), Format::Qdimacs);
}

#[test]
fn what_follows_a_percent_sign_is_not_read() {
    assert_eq!(formula("p cnf 1 1\ne 1 0\n1 0\n%\n0\nx\n").clauses.len(), 1);
    assert_eq!(only_fault("p cnf 1 2\ne 1 0\n1 0\n%\n0\n").0, "clause-count");
}

#[test]
fn quantifiers_are_counted() {
    assert_eq!(
        only_fault("p cnf 3 1\ne 1 2 0\na 3 2 0\n1 0\n"),
        ("quantified-twice", 3, 5, "2".into())
    );
    assert_eq!(
        only_fault("p cnf 12 2\ne 1 2 0\n1 -12 0\n12 -12 0\n"),
        ("never-quantified", 3, 3, "-12".into())
    );
    let twice = parse(b"p cnf 1 0\ne 1 1 0\n").unwrap_err();
    assert_eq!(twice.shown[0].hint, "it is first quantified in line 2");
    let bare = parse(b"p cnf 1 1\n1 0\n").unwrap_err();
    assert!(bare.shown[0].hint.contains("`e 1 2 .. 0`"));
}

#[test]
fn probabilities_lie_between_0_and_1() {
    for (word, at) in
        [("1.01", "1.01"), ("-0.5", "-0.5"), ("3/2", "3/2"), ("x", "x"), ("1/0", "1/0")]
    {
        let text = format!("p cnf 1 1\nr {word} 1 0\n1 0\n");
        assert_eq!(only_fault(&text), ("probability", 2, 3, at.into()));
    }
    assert_eq!(only_fault("p cnf 1 0\nr 7 1 0\n").0, "probability");
    assert_eq!(faults("p cnf 1 0\nr\n")[0], ("probability", 2, 2, String::new()));
    let both = formula("p cnf 2 0\nr 0 1 0\nr 1 2 0\n");
    assert_eq!(both.prefix[0].quantifier, Quantifier::Chance(Ratio::zero()));
    assert_eq!(both.prefix[1].quantifier, Quantifier::Chance(Ratio::one()));
}

#[test]
fn clauses_are_counted() {
    assert_eq!(only_fault("c\np cnf 1 12\ne 1 0\n1 0\n"), ("clause-count", 2, 9, "12".into()));
    assert_eq!(only_fault("p cnf 1 1\ne 1 0\n1 0 -1 0\n1 0\n"), ("clause-count", 3, 8, "0".into()));
    let joined = parse(b"p cnf 2 2\ne 1 2 0\n1\n2 0\n").unwrap_err();
    assert_eq!(joined.shown[0].hint, "a clause goes on into line 4: is a 0 missing before it?");
}

#[test]
fn texts_that_are_cut_off_are_noticed() {
    assert_eq!(only_fault("p cnf 2 2\ne 1 2 0\n1 0\n1 -2"), ("truncated", 4, 5, String::new()));
    let cut: Vec<&str> = faults("p cnf 2 2\ne 1 2").iter().map(|fault| fault.0).collect();
    assert_eq!(cut, ["unclosed-line", "clause-count"]);
    assert_eq!(only_fault("p cnf 2 0\ne 1 2"), ("unclosed-line", 2, 6, String::new()));
    assert_eq!(only_fault("p cnf 2").0, "bad-header");
    assert_eq!(only_fault("").0, "no-header");
    assert_eq!(only_fault("c nothing\n").0, "no-header");
}

#[test]
fn headers_are_checked() {
    assert_eq!(only_fault("e 1 0\n1 0\n"), ("no-header", 1, 1, "e".into()));
    assert_eq!(faults("1 0\n")[0], ("no-header", 1, 1, "1".into()));
    assert_eq!(only_fault("p wcnf 1 1\ne 1 0\n1 0\n"), ("bad-header", 1, 3, "wcnf".into()));
    assert_eq!(only_fault("p cnf x 1\n"), ("bad-header", 1, 7, "x".into()));
    assert_eq!(only_fault("p cnf 1 -1\n"), ("bad-header", 1, 9, "-1".into()));
    assert_eq!(only_fault("p cnf 1 1 7\n"), ("bad-header", 1, 11, "7".into()));
    assert_eq!(only_fault("p cnf 99999999999999999999999 1\n").0, "too-large");
    assert_eq!(only_fault("p cnf 1 0\np cnf 1 0\n"), ("second-header", 2, 1, "p cnf 1 0".into()));
}

#[test]
fn numbers_and_lines_out_of_place_are_refused() {
    let start = "p cnf 2 1\ne 1 2 0\n";
    let with = |rest: &str| only_fault(&format!("{start}{rest}"));
    assert_eq!(with("1 3 0\n"), ("past-count", 3, 3, "3".into()));
    assert_eq!(with("1 -99999999999999999999 0\n").0, "past-count");
    assert_eq!(with("1 x 0\n"), ("not-a-number", 3, 3, "x".into()));
    assert_eq!(with("1 --2 0\n").0, "not-a-number");
    assert_eq!(with("1 0\na 2 0\n"), ("late-prefix", 4, 1, "a".into()));
    assert_eq!(with("d 1 2 0\n1 0\n"), ("unknown-line", 3, 1, "d".into()));
    assert_eq!(with("exists 1 0\n1 0\n"), ("unknown-line", 3, 1, "exists".into()));
    assert_eq!(only_fault("p cnf 2 0\ne -1 0\n").0, "not-a-number");
    assert_eq!(only_fault("p cnf 2 0\ne 3 0\n").0, "past-count");
    assert_eq!(only_fault("p cnf 2 0\ne 1 0 2\n"), ("after-zero", 2, 7, "2".into()));
}

#[test]
fn what_is_no_formula_is_refused_in_one_fault() {
    let code = |bytes: &[u8]| {
        let faults = parse(bytes).unwrap_err();
        assert_eq!(faults.shown.len(), 1, "{faults:?}");
        (faults.shown[0].code, faults.shown[0].hint.clone())
    };
    assert_eq!(
        code(&[0x1f, 0x8b, 8, 0, b'\n', 7]).1,
        "the file is compressed: unpack it with `gunzip` first"
    );
    assert_eq!(code(b"\xff\xfep\0 \0c\0n\0").0, "not-text");
    assert_eq!(code(b"(role x)\n(role o)\n").0, "unknown-line");
    assert_eq!(code(b"\0").0, "not-text");
}

#[test]
fn all_faults_are_reported_at_once() {
    let text = "p cnf 3 9\ne 1 1 0\nr 2 2 0\n1 4 0\n3 x\n";
    let codes: Vec<&str> = faults(text).iter().map(|fault| fault.0).collect();
    let right = [
        "quantified-twice",
        "probability",
        "past-count",
        "never-quantified",
        "not-a-number",
        "truncated",
    ];
    assert_eq!(codes, right);
}

/// Every text that a byte can spoil is either read or refused; nothing panics.
#[test]
fn any_bytes_are_read_or_refused() {
    let text = b"c v 2 a\np cnf 3 2\ne 1 0\nr 1/3 2 0\na 3 0\n1 -2 0\n-1 3 0\n";
    let whole = parse(text).unwrap();
    for at in 0..text.len() {
        for byte in [0u8, 9, 10, b' ', b'-', b'0', b'9', b'/', b'.', b'c', b'e', b'p', b'r', 0xff] {
            let mut spoilt = text.to_vec();
            spoilt[at] = byte;
            if let Ok(reading) = parse(&spoilt) {
                assert_eq!(formula(&print(&reading.formula)), reading.formula);
            }
        }
        if let Ok(reading) = parse(&text[..at]) {
            assert_eq!(reading, whole, "only the last line feed may be missing");
        }
    }
}

#[test]
fn dialects_say_what_they_lose() {
    let text = "p cnf 6 0\ne 1 0\ne 0\ne 2 0\nr 1/3 3 4 0\nr 1/3 5 0\nr 1/8 6 0\n";
    let formula = formula(text);
    let written = |dialect: Dialect| {
        let mut out = Vec::new();
        write(&formula, dialect, &mut out).map(|()| String::from_utf8(out).unwrap())
    };
    assert_eq!(written(Dialect::Exact).unwrap(), text.replace("1/8", "0.125"));
    assert_eq!(
        written(Dialect::Decimal).unwrap(),
        "p cnf 6 0\ne 1 2 0\nr 0.33333333333333333333 3 4 5 0\nr 0.125 6 0\n"
    );
    let losses = Dialect::Decimal.losses(&formula).unwrap();
    assert_eq!((losses.len(), losses[0].variables), (1, 3));
    assert!(losses[0].to_string().contains("the probability 1/3 of 3 variables has no decimal"));
    assert_eq!(Dialect::Exact.losses(&formula), Ok(vec![]));
    let refused = Dialect::Qdimacs.losses(&formula).unwrap_err();
    assert!(refused.to_string().contains("variable 3 is bound by chance"));
    assert!(written(Dialect::Qdimacs).is_err());
}

/// The public samples in the folder of shared material, where it is there.
#[test]
fn public_samples_are_read_and_come_back() {
    let shared = std::env::var("ODDSMITH_SHARED")
        .unwrap_or_else(|_| format!("{}/../../../../shared", env!("CARGO_MANIFEST_DIR")));
    let Ok(families) = std::fs::read_dir(format!("{shared}/cases/ssat")) else {
        println!("public formulas left out: there is no folder `{shared}/cases/ssat`");
        return;
    };
    let mut count = 0;
    for family in families.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in std::fs::read_dir(family).unwrap().map(|entry| entry.unwrap().path()) {
            let reading = parse(&std::fs::read(&file).unwrap()).unwrap_or_else(|faults| {
                panic!("{}", faults.render(&file.display().to_string(), false))
            });
            assert_eq!(formula(&print(&reading.formula)), reading.formula);
            count += 1;
        }
    }
    assert!(count >= 159, "only {count} files");
}
