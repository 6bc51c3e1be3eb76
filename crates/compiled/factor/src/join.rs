//! Small digits joined to larger ones.

use net::symmetry::Renaming;
use net::{BaseId, Net};

use crate::Refusal;
use crate::digits::{Enumerated, components, values};
use crate::exchange::partners;
use crate::phases::RawPhases;

/// The digits with at least two values, small ones joined, and what holds always. Where a renaming
/// exchanges parts, they are joined so that it exchanges digits.
pub(crate) fn digits(
    net: &Net,
    raw: &RawPhases,
    groups: &[Vec<BaseId>],
    (joined, renaming): (usize, Option<&Renaming>),
) -> Result<(Vec<Enumerated>, Vec<BaseId>), Refusal> {
    let mut constants = Vec::new();
    let mut single: Vec<(Vec<usize>, Enumerated)> = Vec::new();
    for places in components(raw, groups) {
        let held = values(net, raw, &places)?;
        match &held.digit.values[..] {
            [only] => constants.extend_from_slice(only),
            _ => single.push((places, held)),
        }
    }
    let sizes: Vec<usize> = single.iter().map(|(_, held)| held.digit.values.len()).collect();
    let parts: Vec<Vec<BaseId>> = single.iter().map(|(_, held)| held.digit.bases.clone()).collect();
    let even = renaming.and_then(|renaming| partners(&parts, renaming));
    let bins = even.map_or_else(|| bins(&sizes, joined), |even| even_bins(&sizes, &even, joined));
    let mut out = Vec::new();
    for bin in bins {
        match bin[..] {
            [only] => out.push(single[only].1.clone()),
            _ => {
                let mut places: Vec<usize> =
                    bin.iter().flat_map(|at| single[*at].0.iter().copied()).collect();
                places.sort_unstable();
                // Values of parts are found with the other parts free, so parts that vary alone may
                // not vary together.
                let held = values(net, raw, &places)?;
                match &held.digit.values[..] {
                    [only] => constants.extend_from_slice(only),
                    _ => out.push(held),
                }
            }
        }
    }
    constants.sort_unstable();
    assert!(out.iter().all(|held| held.digit.values.len() > 1), "a digit varies");
    Ok((out, constants))
}

/// Sizes put into bins, in order, while their product is at most `most`.
fn bins(sizes: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut bins: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, &size) in sizes.iter().enumerate() {
        match bins.iter_mut().find(|(product, _)| product.saturating_mul(size) <= most) {
            Some((product, held)) => {
                *product *= size;
                held.push(at);
            }
            None => bins.push((size, vec![at])),
        }
    }
    bins.into_iter().map(|(_, held)| held).collect()
}

/// As [`bins`], where parts have partners: what stays is joined to what stays, and what is joined on
/// one side is so on the other.
fn even_bins(sizes: &[usize], partners: &[usize], most: usize) -> Vec<Vec<usize>> {
    let firsts = |stay: bool| (0..sizes.len()).filter(move |at| (partners[*at] == *at) == stay);
    let (fixed, first): (Vec<usize>, Vec<usize>) =
        (firsts(true).collect(), firsts(false).filter(|at| *at < partners[*at]).collect());
    let joined = |parts: &[usize]| -> Vec<Vec<usize>> {
        let sizes: Vec<usize> = parts.iter().map(|at| sizes[*at]).collect();
        let bins = bins(&sizes, most).into_iter();
        bins.map(|bin| bin.into_iter().map(|at| parts[at]).collect()).collect()
    };
    let mut even = joined(&fixed);
    for bin in joined(&first) {
        even.push(bin.iter().map(|at| partners[*at]).collect());
        even.push(bin);
    }
    debug_assert_eq!(even.iter().map(Vec::len).sum::<usize>(), sizes.len(), "each in one bin");
    even
}

#[cfg(test)]
mod tests {
    use super::{bins, even_bins};

    #[test]
    fn what_is_joined_on_one_side_is_joined_on_the_other() {
        // A board of 3 x 3 cells and its diagonal.
        let mirror = [0, 3, 6, 1, 4, 7, 2, 5, 8];
        assert_eq!(even_bins(&[3; 9], &mirror, 32), [vec![0, 4, 8], vec![3, 6, 7], vec![1, 2, 5]]);
        assert_eq!(even_bins(&[31, 9, 31], &[2, 1, 0], 32), [vec![1], vec![2], vec![0]]);
    }

    #[test]
    fn bins_hold_what_fits() {
        assert_eq!(bins(&[3; 9], 32), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]]);
        assert_eq!(bins(&[31, 31, 2], 32), [vec![0], vec![1], vec![2]]);
        assert_eq!(bins(&[2, 31, 16], 32), [vec![0, 2], vec![1]]);
    }
}
