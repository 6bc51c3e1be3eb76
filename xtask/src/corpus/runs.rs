//! The runs: one process a sheet, several side by side, each ended from outside where it does not
//! end by itself.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::report::Failure;

use super::options::Options;
use super::row::Row;

/// Limit on the comparison of one sheet; the program gives up by itself at a few times of it.
const PLAY_TIME: Duration = Duration::from_secs(3);
/// What a run may take beyond its own limits before it is taken to hang.
const GRACE: Duration = Duration::from_secs(30);
/// Time between two looks at a run.
const LOOK: Duration = Duration::from_millis(5);

/// Runs every sheet; the rows in the order of the sheets.
pub(super) fn run_all(
    program: &Path,
    options: &Options,
    sheets: &[String],
) -> Result<Vec<Row>, Failure> {
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<Option<Row>>> = Mutex::new(vec![None; sheets.len()]);
    let work = || {
        while let Some((at, sheet)) = take(&next, sheets) {
            let row = inspect(program, options, sheet);
            eprintln!("{:4}/{} {}", at + 1, sheets.len(), row.line());
            rows.lock().expect("no run panics with the rows").as_mut_slice()[at] = Some(row);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().for_each(|worker| worker.join().expect("a run does not panic"));
    });
    let rows = rows.into_inner().expect("every worker has ended");
    Ok(rows.into_iter().map(|row| row.expect("every sheet was taken")).collect())
}

fn take<'a>(next: &AtomicUsize, sheets: &'a [String]) -> Option<(usize, &'a String)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, sheets.get(at)?))
}

fn inspect(program: &Path, options: &Options, sheet: &str) -> Row {
    let time = format!("{}s", options.time.as_secs());
    let play_time = format!("{}s", PLAY_TIME.as_secs());
    let mut command = Command::new(program);
    command.arg("inspect").arg(options.folder.join(sheet)).args(["--json", "--time", &time]);
    command.args(["--memory", &options.memory, "--play-time", &play_time]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    match command.spawn() {
        Err(error) => Row::broken(sheet, &format!("it could not be started: {error}")),
        Ok(child) => await_report(child, options.time + 4 * PLAY_TIME + GRACE, sheet),
    }
}

/// The row of a run; a run that takes longer than `limit` is ended.
fn await_report(mut child: Child, limit: Duration, sheet: &str) -> Row {
    let started = Instant::now();
    let mut out = child.stdout.take().expect("its output is piped");
    // A report fits into a pipe, so a run that has ended has written all of it.
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if started.elapsed() < limit => std::thread::sleep(LOOK),
            Ok(None) => {
                child.kill().and_then(|()| child.wait()).ok();
                return Row::broken(sheet, "it did not end by itself");
            }
            Err(error) => return Row::broken(sheet, &format!("it was lost: {error}")),
        }
    };
    let mut report = String::new();
    if let Err(error) = out.read_to_string(&mut report) {
        return Row::broken(sheet, &format!("its report cannot be read: {error}"));
    }
    match status.code() {
        Some(0..=2) => Row::of_report(sheet, &report),
        Some(code) => Row::broken(sheet, &format!("it ended with status {code}")),
        None => Row::broken(sheet, "a signal ended it"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::corpus::row::Outcome;

    fn ran(script: &str) -> Row {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = command.spawn().expect("a shell");
        await_report(child, Duration::from_millis(300), "a.gdl")
    }

    #[test]
    fn a_run_that_hangs_or_dies_is_told_and_ends_nothing_else() {
        assert_eq!(ran("echo '{'; echo '  \"result\": \"agrees\"'").outcome, Outcome::Agrees);
        assert_eq!(ran("exec sleep 30").text("reason"), Some("it did not end by itself"));
        assert_eq!(ran("kill -9 $$").text("reason"), Some("a signal ended it"));
        assert_eq!(ran("exit 3").text("reason"), Some("it ended with status 3"));
    }
}
