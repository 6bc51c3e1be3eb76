//! The binary `oddsmith`: opens what the user names, asks the engines, prints.
//!
//! Everything a command finds out comes back as a value: an exit status or a [`failure::Failure`].
//! Only this file ends the program, so that every way out has one of the four statuses. The work
//! runs on a thread with a large stack, since a depth-first engine is as deep as a game is long. A
//! panic is a bug of the program: it is said so, and nothing else is left to a user to decipher.
#![forbid(unsafe_code)]

mod args;
mod asking;
mod audit;
mod child;
mod commands;
mod failure;
mod gpu;
mod interrupt;
mod kept;
mod lineup;
mod memory;
mod progress;
mod quantity;
mod question;
mod reading;
mod report;
mod sheet;
mod state;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use failure::{Failure, Status};
use report::trouble;
use report::visible::visible;

/// Reserved, not touched: the depth-first engines go one frame deeper a step.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let started = Instant::now();
    std::panic::set_hook(Box::new(report_bug));
    store::let_large_writes_fail();
    if child::is_asked_for() {
        return ExitCode::from(child::run() as u8);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse_usage(&safe_to_show(error)),
    };
    if cli.command.as_ref().is_some_and(Command::has_bounds) {
        interrupt::install();
    }
    let work = move || run(cli, started);
    let status = match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work) {
        Ok(worker) => worker.join().unwrap_or(Status::Environment),
        Err(_) => fail(&Failure::Environment("no memory for a stack".to_owned()), false),
    };
    ExitCode::from(status as u8)
}

/// Runs the command; tells of its failure.
fn run(cli: Cli, started: Instant) -> Status {
    let mut out = BufWriter::new(io::stdout().lock());
    let json = cli.command.as_ref().is_some_and(Command::wants_json);
    let ended = dispatch(cli, started, &mut out);
    let flushed = out.flush().map_err(Failure::from);
    drop(out);
    match (ended, flushed) {
        (Err(failure), _) => fail(&failure, json),
        // Whoever reads has seen enough; the answer stands.
        (Ok(status), Err(Failure::ClosedPipe) | Ok(())) => status,
        (Ok(_), Err(failure)) => fail(&failure, json),
    }
}

fn dispatch(cli: Cli, started: Instant, out: &mut dyn Write) -> Result<Status, Failure> {
    match cli.command {
        None => commands::completions::short_help(out),
        Some(Command::Solve(args)) => commands::solve::run(&args, started, out),
        Some(Command::Check(args)) => commands::check::run(&args, out),
        Some(Command::Fmt(args)) => commands::fmt::run(&args, out),
        Some(Command::Perft(args)) => commands::perft::run(&args, started, out),
        Some(Command::Inspect(args)) => commands::inspect::run(&args, started, out),
        Some(Command::Play(args)) => commands::play::run(&args, out),
        Some(Command::Verify(args)) => commands::verify::run(&args, started, out),
        Some(Command::Query(args)) => commands::query::run(&args, out),
        Some(Command::Generate(args)) => commands::generate::run(&args, out),
        Some(Command::Crosscheck(args)) => {
            // Comparisons catch the panic of an engine, count it, and go on.
            std::panic::set_hook(Box::new(tell_bug));
            commands::crosscheck::run(&args, out)
        }
        Some(Command::Translate(args)) => commands::translate::run(&args, started, out),
        Some(Command::Sqasp(args)) => commands::sqasp::run(&args, started, out),
        Some(Command::Xssat(args)) => commands::xssat::run(&args, started, out),
        Some(Command::Devices(args)) => commands::devices::run(&args, out),
        Some(Command::Completions(args)) => commands::completions::run(&args, out),
    }
}

/// Tells of a failure: text on standard error, or an object on standard output.
fn fail(failure: &Failure, json: bool) -> Status {
    if matches!(failure, Failure::ClosedPipe) {
        return failure.status();
    }
    // An object that cannot be printed is told in words; where neither stream takes the message the
    // status still tells.
    if !json || print_object(failure).is_err() {
        let text = trouble::text(failure, trouble::colored());
        io::stderr().write_all(text.as_bytes()).ok();
    }
    failure.status()
}

fn print_object(failure: &Failure) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &trouble::object(failure))?;
    writeln!(out)?;
    out.flush()
}

/// The same error of a command line whose arguments have their control characters spelled out:
/// clap repeats arguments as they are, and a terminal would obey them.
fn safe_to_show(error: clap::Error) -> clap::Error {
    let words: Vec<_> = std::env::args_os().collect();
    let spelled: Vec<String> =
        words.iter().map(|word| visible(&word.to_string_lossy()).into_owned()).collect();
    if words.iter().zip(&spelled).all(|(word, safe)| word == safe.as_str()) {
        return error;
    }
    match Cli::try_parse_from(spelled) {
        Err(safe) => safe,
        // Only the characters that are gone were wrong: their place is told, not they themselves.
        Ok(_) => Cli::command().error(error.kind(), "an argument holds control characters"),
    }
}

/// Help and version go to standard output with status 0; wrong flags to standard error with 2.
fn refuse_usage(error: &clap::Error) -> ExitCode {
    let asked_for_json = std::env::args_os().any(|word| word == "--json");
    if error.use_stderr() && asked_for_json {
        let text = error.to_string();
        let message = text.trim_start_matches("error: ").lines().next().unwrap_or_default();
        return ExitCode::from(fail(&Failure::input("usage", message), true) as u8);
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    let status = match printed.map_err(Failure::from) {
        _ if error.use_stderr() => Status::Input,
        Ok(()) => Status::Answered,
        Err(failure) => fail(&failure, false),
    };
    ExitCode::from(status as u8)
}

/// The last resort: one line to report, no backtrace unless asked for, status 3.
fn report_bug(info: &std::panic::PanicHookInfo<'_>) {
    tell_bug(info);
    interrupt::clear_aside();
    std::process::exit(i32::from(Status::Environment as u8));
}

/// Says that there is a bug; the program goes on where somebody catches the panic.
fn tell_bug(info: &std::panic::PanicHookInfo<'_>) {
    let place = info.location().map_or(String::new(), |place| format!(" at {place}"));
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let what = text.or_else(|| payload.downcast_ref().copied()).unwrap_or("without a message");
    let text = format!(
        "error: a bug in oddsmith itself{place}: {what}\n  = please report this line together with the command and the sheet\n"
    );
    io::stderr().write_all(text.as_bytes()).ok();
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        let trace = std::backtrace::Backtrace::force_capture();
        writeln!(io::stderr(), "{trace}").ok();
    }
}

impl Cli {
    /// The command line as clap sees it, for help and completions.
    pub(crate) fn definition() -> clap::Command {
        Self::command()
    }
}
