//! Layouts, sheet beside page; and that the page of a page is that page.

use super::*;

fn page(text: &str) -> String {
    let page = layout(text).unwrap_or_else(|faults| panic!("{text:?}: {faults:?}"));
    assert_eq!(layout(&page).as_ref(), Ok(&page), "the layout of {page:?} is another");
    page
}

fn codes(text: &str) -> Vec<&'static str> {
    layout(text).expect_err("refused").iter().map(|fault| fault.code).collect()
}

#[test]
fn a_rule_has_a_line_for_its_head_and_for_each_literal() {
    let sheet =
        "(<=(Legal ?P (mark ?x\n?y))(true (cell ?x ?y b))\n\n(not\n(true\t(Control ?p))) open)";
    let expected = "\
(<= (Legal ?P (mark ?x ?y))
    (true (cell ?x ?y b))

    (not (true (Control ?p)))
    open)
";
    assert_eq!(page(sheet), expected);
    assert_eq!(page("(<= terminal\n)"), "(<= terminal)\n");
    assert_eq!(page("(<= terminal (a))"), "(<= terminal\n    (a))\n");
}

#[test]
fn facts_of_one_relation_share_a_line_where_they_did() {
    assert_eq!(page("(role x)  (role o)\n(role z)"), "(role x) (role o)\n(role z)\n");
    assert_eq!(page("(role x) (init a) x (b)"), "(role x)\n(init a)\nx\n(b)\n");
    let many = "(succ 10 11) ".repeat(10);
    let page = page(&many);
    let lengths: Vec<usize> = page.lines().map(str::len).collect();
    assert_eq!(lengths, [7 * 13 - 1, 3 * 13 - 1]);
}

#[test]
fn comments_keep_their_place() {
    let sheet = "\
;; head  \r
\r
\r
  ; second
(role x);trailing\r(<= (legal x a) ; why
;; own line
  (true b) ; last
  ; before the end
  ) ; behind
( ; first
a
   ; c
)
; end";
    let expected = "\
;; head

; second
(role x) ;trailing
(<= (legal x a) ; why
    ;; own line
    (true b) ; last
    ; before the end
) ; behind
( ; first
 a
 ; c
)
; end
";
    assert_eq!(page(sheet), expected);
}

#[test]
fn one_empty_line_of_several_stays_and_none_at_either_end() {
    assert_eq!(page("\n\n(a)\n \t\n\n(b)\n(c)\n\n"), "(a)\n\n(b)\n(c)\n");
    assert_eq!(page("(a)\r\r(b)\r\n(c)"), "(a)\n\n(b)\n(c)\n");
    assert_eq!(page("(<=\n\na\n\nb\n\n)"), "(<= a\n\n    b)\n");
    assert_eq!(page(" \u{feff}\n"), "");
}

#[test]
fn what_is_too_long_for_a_line_is_broken_behind_its_name() {
    let long = format!("(<= a (or (b {0}) (and c (not (d {0} ?x))) (e {0})))", "v".repeat(40));
    let expected = format!(
        "(<= a\n    (or (b {0})\n        (and c (not (d {0} ?x)))\n        (e {0})))\n",
        "v".repeat(40)
    );
    assert_eq!(page(&long), expected);
    let words = format!("(init (row {}))", "word ".repeat(30));
    let lines: Vec<String> = page(&words).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].len() <= 100 && lines[1].starts_with("           word"), "{lines:?}");
    let name = format!("({} {})", "n".repeat(30), "word ".repeat(30));
    assert!(
        page(&name).lines().skip(1).all(|line| line.starts_with("    word")),
        "{}",
        page(&name)
    );
}

#[test]
fn a_line_is_up_to_a_hundred_characters_long() {
    for length in 80..110 {
        let sheet = format!("(<= a\n    (not (é {})))\n", "w".repeat(length));
        let lines: Vec<usize> = page(&sheet).lines().map(|line| line.chars().count()).collect();
        let whole = 4 + "(not (é ".chars().count() + length + 3;
        assert_eq!(lines.get(1) == Some(&whole), whole <= 100 || lines.len() == 2, "{lines:?}");
        assert!(lines.iter().all(|&line| line <= 100 || line == whole));
    }
}

#[test]
fn a_word_that_would_swallow_its_line_ends_it() {
    // `|b` is a word because no other bar follows on its line.
    assert_eq!(page("(a |b\nc|)"), "(a |b\n   c|)\n");
    assert_eq!(page("(a |b ; x\n|)"), "(a |b ; x\n   |\n)\n");
    assert_eq!(page("(a |b\n); x|"), "(a |b\n) ; x|\n");
    assert_eq!(page("|a\n|\n(b)"), "|a\n|\n(b)\n");
    assert_eq!(page("(a|b c|d \"e  f\"|g  h|i)"), "(a|b c|d \"e  f\" |g  h| i)\n");
}

#[test]
fn sheets_with_other_faults_are_laid_out() {
    assert_eq!(
        page("((a  b)  c) () (<= (or) (not)(and))"),
        "((a b) c)\n()\n(<= (or)\n    (not)\n    (and))\n"
    );
    assert_eq!(page("(a (<= b\nc d))"), "(a (<= b c d))\n");
}

#[test]
fn only_what_has_no_other_half_is_refused() {
    assert_eq!(codes("(a\n(b)"), ["unclosed-parenthesis"]);
    assert_eq!(codes("(a))\n(b)"), ["stray-parenthesis"]);
    assert_eq!(codes(")("), ["stray-parenthesis", "unclosed-parenthesis"]);
    assert_eq!(codes("(a \"b)"), ["unclosed-quote"]);
    assert_eq!(codes("(a \"b\n)"), ["unclosed-quote"]);
    assert_eq!(codes("(a \u{7})"), ["not-text"]);
    assert_eq!(codes(&"(".repeat(100_000)), ["unclosed-parenthesis"]);
}

#[test]
fn deep_nesting_costs_neither_the_stack_nor_the_square_of_its_depth() {
    let depth = 40_000;
    for open in ["(", "(a ", "(or ", "(<= a ", "(a b (c) ", "(; x\n"] {
        let sheet = format!("{}b{}", open.repeat(depth), ")".repeat(depth));
        let page = page(&sheet);
        assert!(page.len() < 140 * depth, "{open}: {} bytes", page.len());
    }
}
