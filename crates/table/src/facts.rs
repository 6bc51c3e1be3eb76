//! A state as a person writes it, without the rules: facts as they are named in a table.

/// The facts of a text, each as GDL text with single blanks: `(cell 1 1 b) (control x)`. Each may
/// be wrapped in `(true ...)`, and the whole in one more pair of parentheses; a comment runs from
/// `;` to the end of its line. None where parentheses do not pair, or nest deeper than terms of GDL
/// may.
pub fn facts(text: &str) -> Option<Vec<String>> {
    let mut trees = grow(&words(text))?;
    if let [Tree::List(inner)] = &mut trees[..]
        && matches!(inner.first(), Some(Tree::List(_)) | None)
    {
        trees = std::mem::take(inner);
    }
    Some(trees.iter().map(|tree| unwrapped(tree).text()).collect())
}

/// Parentheses around a word, at most: more than terms of GDL may have, and few enough to go through
/// one inside the other.
const MOST_OPEN: usize = 204;

/// A word, or a list of trees.
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

impl Tree {
    fn text(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::List(inner) => {
                let inner: Vec<String> = inner.iter().map(Self::text).collect();
                format!("({})", inner.join(" "))
            }
        }
    }
}

fn unwrapped(tree: &Tree) -> &Tree {
    match tree {
        Tree::List(inner) => match &inner[..] {
            [Tree::Word(word), fact] if word.eq_ignore_ascii_case("true") => fact,
            _ => tree,
        },
        Tree::Word(_) => tree,
    }
}

/// The words and parentheses of a text.
fn words(text: &str) -> Vec<String> {
    let bare = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    let spaced: Vec<String> =
        bare.map(|line| line.replace('(', " ( ").replace(')', " ) ")).collect();
    spaced.join("\n").split_whitespace().map(str::to_owned).collect()
}

fn grow(words: &[String]) -> Option<Vec<Tree>> {
    let mut open: Vec<Vec<Tree>> = vec![Vec::new()];
    for word in words {
        match word.as_str() {
            "(" if open.len() > MOST_OPEN => return None,
            "(" => open.push(Vec::new()),
            ")" => {
                let inner = open.pop()?;
                open.last_mut()?.push(Tree::List(inner));
            }
            _ => open.last_mut()?.push(Tree::Word(word.clone())),
        }
    }
    let trees = open.pop()?;
    open.is_empty().then_some(trees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_read_in_every_wrapping() {
        let two = ["(cell 1 (f a) b)", "over"];
        for text in [
            "(cell 1 (f a) b) over",
            "  ( cell 1 (f  a) b ) ; a comment )\n over",
            "((true (cell 1 (f a) b)) (TRUE over))",
            "((cell 1 (f a) b) over)",
        ] {
            assert_eq!(facts(text).expect(text), two, "{text}");
        }
        assert_eq!(facts("").expect("nothing"), [""; 0]);
        assert_eq!(facts("()").expect("nothing"), [""; 0]);
        assert_eq!(facts("(cell 1)").expect("one"), ["(cell 1)"]);
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(facts(&nested(MOST_OPEN)).is_some());
        assert!(facts(&nested(MOST_OPEN + 1)).is_none() && facts(&nested(3_000_000)).is_none());
        assert!(facts("(a").is_none() && facts("a)").is_none());
    }
}
