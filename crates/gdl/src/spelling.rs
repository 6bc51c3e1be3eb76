//! The name that was probably meant: the nearest of those that exist.
//!
//! Distance is the number of letters inserted, removed, changed or swapped with their neighbour. A
//! name is offered only where that is one, or at most a third of the longer name's letters, and
//! something is left of both: `cel` suggests `cell`, and `x` does not suggest `o`. Cost: a row of the table a letter, a table a name;
//! names that differ too much in length are not looked at.
//! Source: Damerau, *A technique for computer detection and correction of spelling errors*, 1964.

/// The nearest of some names to one that was written, if one is near; the first of equals in
/// alphabetical order. A name is never its own suggestion.
pub fn nearest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let letters: Vec<char> = written.to_lowercase().chars().collect();
    let near = names.into_iter().filter(|name| *name != written).filter_map(|name| {
        let other: Vec<char> = name.to_lowercase().chars().collect();
        let longer = letters.len().max(other.len());
        let allowed = (longer / 3).max(1).min(longer.saturating_sub(1));
        let apart = letters.len().abs_diff(other.len());
        let distance = if apart > allowed { apart } else { edits(&letters, &other) };
        (distance <= allowed).then_some((distance, name))
    });
    near.min().map(|(_, name)| name)
}

/// Letters to insert, remove, change or swap to make one of the other.
fn edits(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.iter().enumerate() {
        let mut next = vec![line + 1];
        for (place, theirs) in other.iter().enumerate() {
            let changed = row[place] + usize::from(letter != theirs);
            let mut least = changed.min(row[place + 1] + 1).min(next[place] + 1);
            let swapped = line > 0 && place > 0;
            if swapped && *letter == other[place - 1] && one[line - 1] == *theirs {
                least = least.min(before[place - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    debug_assert!(row[other.len()] <= one.len().max(other.len()));
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(one: &str, other: &str) -> usize {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        edits(&letters(one), &letters(other))
    }

    #[test]
    fn letters_are_inserted_removed_changed_and_swapped() {
        assert_eq!([distance("", "abc"), distance("abc", ""), distance("step", "step")], [3, 3, 0]);
        assert_eq!([distance("kitten", "sitting"), distance("stpe", "step")], [3, 1]);
        assert_eq!(distance("größe", "grösse"), 2);
    }

    #[test]
    fn a_slip_is_put_right_and_nonsense_is_not() {
        let names = ["cell", "control", "step", "x"];
        let near = |written| nearest(written, names);
        assert_eq!(
            [near("cel"), near("contrl"), near("stpe")],
            [Some("cell"), Some("control"), Some("step")]
        );
        assert_eq!([near("y"), near("board"), near("cell")], [None; 3]);
        assert_eq!(
            [nearest("CELL", ["cell"]), nearest("oo", ["x", "o"])],
            [Some("cell"), Some("o")]
        );
    }
}
