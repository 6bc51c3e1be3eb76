//! The nearest of a few names to one that does not exist: "did you mean".
//!
//! Distance is the number of letters inserted, removed or changed; a name is offered only where
//! that is at most a third of its length, so that nothing far-fetched is suggested.

/// The name that was probably meant.
pub(crate) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded = typed.to_lowercase();
    let (distance, name) =
        names.map(|name| (edits(&folded, &name.to_lowercase()), name)).min_by_key(|pair| pair.0)?;
    (distance <= name.chars().count().div_ceil(3)).then_some(name)
}

/// Letters to insert, remove or change to make `b` of `a`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, letter) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = line + 1;
        for (place, other) in b.iter().enumerate() {
            let changed = corner + usize::from(letter != *other);
            corner = row[place + 1];
            row[place + 1] = changed.min(row[place] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_put_right_and_nonsense_is_not() {
        let names = || ["xplayer", "oplayer", "random"].into_iter();
        assert_eq!(nearest("xplayr", names()), Some("xplayer"));
        assert_eq!(nearest("RANDOM", names()), Some("random"));
        assert_eq!(nearest("dealer", names()), None);
        assert_eq!((edits("", "abc"), edits("kitten", "sitting")), (3, 3));
    }
}
