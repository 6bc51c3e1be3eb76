//! All faults of a file in one text, each behind a switch (Untch, Offutt and Harrold, *Mutation
//! analysis using mutant schemata*, 1993).
//!
//! An expression `a + b` with the fault 7 becomes
//! `(if crate::planted_faults::on(7) { (a) - (b) } else { a + b })`; faults within it stand in the last
//! branch only. A function's fault is a return at the start of its block. No line is added, so that a
//! message of the compiler has the line of the user's file.

use std::ops::Range;

use crate::sites::Site;

/// The name of the module that is added to the crate.
pub(crate) const MODULE: &str = "planted_faults";
/// The environment variable that says which fault is on: its number, or `trace:` and a file.
pub(crate) const VARIABLE: &str = "ODDSMITH_PLANTED";

/// A site with the faults that are planted at it.
#[derive(Clone, Debug)]
pub(crate) struct Planted<'a> {
    /// The site.
    pub(crate) site: &'a Site,
    /// Number of a fault in the whole crate, and its position at the site.
    pub(crate) faults: Vec<(usize, usize)>,
}

/// A text with its faults.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Woven {
    /// The text.
    pub(crate) text: String,
    /// For each fault its number, the bytes of its own code, and those of the whole site in the text.
    pub(crate) places: Vec<Place>,
}

/// Where a fault lies in a woven text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its number.
    pub(crate) fault: usize,
    /// The bytes of its own code.
    pub(crate) code: Range<usize>,
    /// The bytes of all that stands for the site.
    pub(crate) whole: Range<usize>,
}

/// Weaves faults into a text; the sites stand as [`crate::sites::sites`] gives them.
pub(crate) fn weave(text: &str, planted: &[Planted<'_>]) -> Woven {
    let mut woven = Woven::default();
    copy(text, 0..text.len(), planted, &mut woven);
    woven
}

/// Copies a range of the text, with the sites that lie within it.
fn copy(text: &str, range: Range<usize>, planted: &[Planted<'_>], out: &mut Woven) {
    let mut at = range.start;
    let mut rest = planted;
    while let Some((first, after)) = rest.split_first() {
        let bytes = &first.site.bytes;
        assert!(bytes.start >= at && bytes.end <= range.end, "sites lie within one another");
        out.text.push_str(&text[at..bytes.start]);
        let inner = after.iter().take_while(|one| one.site.bytes.start < bytes.end).count();
        render(text, first, &after[..inner], out);
        at = bytes.end;
        rest = &after[inner..];
    }
    out.text.push_str(&text[at..range.end]);
}

fn render(text: &str, planted: &Planted<'_>, inner: &[Planted<'_>], out: &mut Woven) {
    let (site, start) = (planted.site, out.text.len());
    let mut codes = Vec::new();
    let bytes = site.bytes.clone();
    out.text.push_str(if site.is_body { "{ " } else { "(" });
    for (fault, position) in &planted.faults {
        out.text.push_str(&format!("if crate::{MODULE}::on({fault}) {{ "));
        if site.is_body {
            out.text.push_str("return ");
        }
        let from = out.text.len();
        // A line that is broken within the code would move the lines below it.
        out.text.push_str(&one_line(&site.faults[*position].code));
        codes.push((*fault, from..out.text.len()));
        out.text.push_str(if site.is_body { "; } " } else { " } else " });
    }
    if site.is_body {
        copy(text, bytes.start + 1..bytes.end, inner, out);
    } else {
        out.text.push_str("{ ");
        copy(text, bytes, inner, out);
        out.text.push_str(" })");
    }
    let whole = start..out.text.len();
    let place = |(fault, code)| Place { fault, code, whole: whole.clone() };
    out.places.extend(codes.into_iter().map(place));
}

/// Code on one line. Comments to the end of a line are cut; a string over lines is left as it is.
fn one_line(code: &str) -> String {
    if code.contains('"') {
        return code.to_owned();
    }
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.collect::<Vec<_>>().join(" ")
}

/// The module that answers whether a fault is on.
pub(crate) fn switch(faults: usize) -> String {
    format!(
        r#"
#[doc(hidden)]
pub mod {MODULE} {{
    use std::sync::atomic::{{AtomicBool, AtomicUsize, Ordering::Relaxed}};
    const UNREAD: usize = usize::MAX;
    const TRACE: usize = usize::MAX - 1;
    const NONE: usize = usize::MAX - 2;
    static ACTIVE: AtomicUsize = AtomicUsize::new(UNREAD);
    static REACHED: [AtomicBool; {faults}] = [const {{ AtomicBool::new(false) }}; {faults}];
    #[inline(always)]
    pub fn on(fault: usize) -> bool {{
        let active = ACTIVE.load(Relaxed);
        active == fault || (active >= TRACE && asked(fault))
    }}
    #[cold]
    #[inline(never)]
    fn asked(fault: usize) -> bool {{
        let told = std::env::var("{VARIABLE}").unwrap_or_default();
        let Some(path) = told.strip_prefix("trace:") else {{
            let active = told.parse().unwrap_or(NONE);
            ACTIVE.store(active, Relaxed);
            return active == fault;
        }};
        ACTIVE.store(TRACE, Relaxed);
        if !REACHED[fault].swap(true, Relaxed) {{
            use std::io::Write;
            let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
            file.and_then(|mut file| file.write_all(format!("{{fault}}\n").as_bytes())).ok();
        }}
        false
    }}
}}
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites::sites;

    fn all(text: &str) -> Woven {
        let found = sites(text).expect("it is Rust");
        let mut next = 0;
        let planted: Vec<Planted<'_>> = found
            .iter()
            .map(|site| {
                let faults = (0..site.faults.len()).map(|at| (next + at, at)).collect();
                next += site.faults.len();
                Planted { site, faults }
            })
            .collect();
        weave(text, &planted)
    }

    fn on(fault: usize) -> String {
        format!("if crate::{MODULE}::on({fault})")
    }

    #[test]
    fn faults_within_faults_stand_in_the_last_branch() {
        let text = "fn f(a: X, b: X) -> X {\n    -(a) % b\n}\n";
        let woven = all(text).text;
        let body = format!("{{ {} {{ return Default::default(); }} \n    ", on(0));
        let rem = format!("({} {{ (-(a)) / (b) }} else {} {{ (-(a)) + (b) }} else ", on(1), on(2));
        let neg = format!("{{ ({} {{ ((a)) }} else {{ -(a) }}) % b }})", on(3));
        assert_eq!(woven, format!("fn f(a: X, b: X) -> X {body}{rem}{neg}\n}}\n"));
        assert_eq!(woven.lines().count(), text.lines().count());
    }

    #[test]
    fn places_hold_the_code_of_their_faults() {
        let woven = all("fn f(a: u8) -> bool { a < 3 && a != 1 }");
        for place in &woven.places {
            assert!(place.whole.start < place.code.start && place.code.end < place.whole.end);
        }
        let codes: Vec<&str> =
            woven.places.iter().map(|place| &woven.text[place.code.clone()]).collect();
        let mut sorted = codes.clone();
        sorted.sort_unstable();
        let wanted = [
            "(a < 3) || (a != 1)",
            "(a) < (3)",
            "(a) <= (3)",
            "(a) == (1)",
            "(a) == (3)",
            "(a) > (3)",
            "false",
            "true",
        ];
        let wanted: Vec<&str> = wanted.into_iter().filter(|code| *code != "(a) < (3)").collect();
        assert_eq!(sorted, wanted);
    }

    #[test]
    fn what_tests_and_constants_hold_is_left_alone() {
        for text in [
            "const A: u8 = 1 + 2;",
            "static A: [u8; 1 + 2] = [0; 1 + 2];",
            "const fn f() -> u8 { 1 + 2 }",
            "#[cfg(test)] mod tests { fn f() -> u8 { 1 + 2 } }",
            "impl Debug for X { fn fmt(&self) -> bool { 1 < 2 } }",
            "macro_rules! m { () => { 1 + 2 } }",
        ] {
            assert_eq!(sites(text).expect("it is Rust"), [], "{text}");
        }
        let found =
            sites("fn f() -> impl X { assert!(1 < 2); let x: [u8; 1 + 2] = [7; 3 * 4]; x }");
        assert_eq!(found.expect("it is Rust"), []);
    }

    #[test]
    fn chains_with_let_stay_chains() {
        let woven = all("fn f() -> impl X { if let Some(x) = y && x < 3 { z(x) } }").text;
        assert!(woven.contains("if let Some(x) = y && (if crate::"), "{woven}");
    }
}
