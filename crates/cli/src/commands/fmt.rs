//! `oddsmith fmt`: sheets in their canonical layout, in place or on standard output.
//!
//! A sheet is written only where its layout differs from it, and only through `store`, which
//! leaves either the old sheet or the whole new one. What a sheet means is never changed:
//! [`gdl::layout`] asserts that before it hands a page out. A sheet that cannot be laid out or
//! written is told of on standard error and does not keep the others from being laid out; the
//! worst of what happened is the exit status.

use std::io::Write;
use std::path::Path;

use gdl::Source;

use crate::args::FmtArgs;
use crate::failure::{Failure, SheetFault, Status};
use crate::report::{trouble, visible::visible};
use crate::sheet;

/// Lays all sheets out.
pub(crate) fn run(args: &FmtArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut worst = Status::Answered;
    for path in &args.games {
        let status = match lay_out(path, args, out) {
            Ok(status) => status,
            Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            Err(failure) => tell(&failure),
        };
        worst = worst.max(status);
    }
    Ok(worst)
}

fn tell(failure: &Failure) -> Status {
    let text = trouble::text(failure, trouble::colored());
    // Where standard error takes nothing the exit status still tells.
    std::io::stderr().write_all(text.as_bytes()).ok();
    debug_assert!(failure.status() > Status::Halted, "a fault, not a limit");
    failure.status()
}

fn lay_out(path: &Path, args: &FmtArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = sheet::open(path)?;
    let page = match gdl::layout(&source.text) {
        Ok(page) => page,
        Err(diagnostics) => {
            return Err(Failure::Sheet(Box::new(SheetFault { source, diagnostics })));
        }
    };
    if args.check {
        return compare(&source, &page, out);
    }
    if args.stdout || path == Path::new("-") {
        out.write_all(page.as_bytes())?;
    } else if page != *source.text {
        replace(path, &source.name, &page)?;
        writeln!(out, "{}", visible(&source.name))?;
    }
    Ok(Status::Answered)
}

/// Tells where a sheet first differs from its layout.
fn compare(source: &Source, page: &str, out: &mut dyn Write) -> Result<Status, Failure> {
    if page == &*source.text {
        return Ok(Status::Answered);
    }
    let line = first_difference(&source.text, page);
    writeln!(out, "{}:{line}: not laid out", visible(&source.name))?;
    Ok(Status::Halted)
}

/// The first line, from 1, in which two texts differ; they do.
fn first_difference(text: &str, page: &str) -> usize {
    debug_assert!(text != page, "there is a difference");
    let same = text.split_inclusive('\n').zip(page.split_inclusive('\n'));
    same.take_while(|(old, new)| old == new).count() + 1
}

/// Writes a page over its sheet.
fn replace(path: &Path, name: &str, page: &str) -> Result<(), Failure> {
    let failed = |why: &str| Failure::Environment(format!("cannot write {name}: {why}"));
    let held = std::fs::metadata(path).map_err(|error| failed(&error.to_string()))?;
    if !held.is_file() {
        return Err(failed("it is no plain file (--stdout prints the layout instead)"));
    }
    if held.permissions().readonly() {
        return Err(failed("the file is read-only"));
    }
    store::write_file(path, page.as_bytes()).map_err(|error| failed(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_a_line_of_the_sheet() {
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), 2);
        assert_eq!(first_difference("a\nb", "a\nb\n"), 2);
        assert_eq!(first_difference("a\n\n", "a\n"), 2);
        assert_eq!(first_difference("a\r\n", "a\n"), 1);
    }
}
