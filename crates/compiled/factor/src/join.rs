//! Small digits joined to larger ones.

use net::{BaseId, Net};

use crate::Refusal;
use crate::digits::{Enumerated, components, values};
use crate::phases::RawPhases;

/// The digits with at least two values, small ones joined, and what holds always.
pub(crate) fn digits(
    net: &Net,
    raw: &RawPhases,
    groups: &[Vec<BaseId>],
    joined: usize,
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
    let mut out = Vec::new();
    for bin in bins(&sizes, joined) {
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

#[cfg(test)]
mod tests {
    use super::bins;

    #[test]
    fn bins_hold_what_fits() {
        assert_eq!(bins(&[3; 9], 32), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8]]);
        assert_eq!(bins(&[31, 31, 2], 32), [vec![0], vec![1], vec![2]]);
        assert_eq!(bins(&[2, 31, 16], 32), [vec![0, 2], vec![1]]);
    }
}
