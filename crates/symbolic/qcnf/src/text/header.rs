//! The header line, `p cnf VARIABLES CLAUSES`.

use super::fault::Fault;
use super::numbers::{Line, shown};
use super::read::{LITERALS_LIMIT, VARIABLES_LIMIT};

/// What the header says, and where.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) variables: u64,
    pub(super) clauses: u64,
    pub(super) line: u64,
    pub(super) text: Vec<u8>,
    /// Where the count of clauses stands.
    pub(super) count: (usize, usize),
}

/// The header of its line.
///
/// # Errors
/// The first thing in it that is wrong.
pub(super) fn parse(mut line: Line<'_>) -> Result<Header, Fault> {
    let right = "the header is `p cnf VARIABLES CLAUSES`";
    let start = line.at;
    let letter = line.word().map(|word| word.0);
    let format = line.word();
    if letter != Some(b"p") || format.is_none_or(|word| word.0 != b"cnf") {
        let place = line.since(format.map_or(start, |word| word.1));
        let message = format!("`{}` is not a header that is read here", shown(line.since(start)));
        return Err(Fault::new("bad-header", place, message, right));
    }
    let (variables, _) = count(&mut line, "variables", VARIABLES_LIMIT)?;
    let (clauses, from) = count(&mut line, "clauses", LITERALS_LIMIT as u64)?;
    let count = (from, line.at);
    if let Some((_, start)) = line.word() {
        let message = format!("`{}` is too much in the header", shown(line.since(start)));
        return Err(Fault::new("bad-header", line.since(start), message, right));
    }
    let kept = &line.text[..line.text.len().min(count.1 + 100)];
    Ok(Header { variables, clauses, line: line.number, text: kept.to_vec(), count })
}

/// The next number of the header and where it begins.
fn count(line: &mut Line<'_>, of: &str, limit: u64) -> Result<(u64, usize), Fault> {
    let right = "the header is `p cnf VARIABLES CLAUSES`";
    let missing = format!("the number of {of} is missing");
    match line.number() {
        None => Err(Fault::new("bad-header", line.end(), missing, right)),
        Some(Ok(number)) if !number.negative && number.size <= limit => {
            Ok((number.size, number.start))
        }
        Some(Ok(number)) if !number.negative => {
            let message = format!("there are more than {limit} {of}");
            let hint = "larger formulas are not read";
            Err(Fault::new("too-large", line.since(number.start), message, hint))
        }
        Some(number) => {
            let place = number.map_or_else(|place| place, |number| line.since(number.start));
            let message = format!("`{}` is not a number of {of}", shown(place));
            Err(Fault::new("bad-header", place, message, right))
        }
    }
}
