//! Every command that the README shows is run by a test, or listed as one that no test can run.
//!
//! A command is a line `$ ...` in a fenced block of kind `console`; what follows it is its output,
//! and `crates/cli/tests/readme.rs` compares it. `tests/readme.skip` lists the commands that a test cannot run, each
//! with the reason: `COMMAND  # why`. A fenced command outside `console`, and a listed one that
//! the README no longer shows, are findings: the first would never be run, the second hides that.

use super::{Finding, Tree};

const PAGE: &str = "README.md";
const SKIPPED: &str = "tests/readme.skip";

/// A command shown in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The line of the page, from 1.
    pub line: usize,
    /// The command, without `$ `.
    pub text: String,
    /// Whether it stands in a `console` block, whose outputs are compared.
    pub console: bool,
}

/// The commands in the fenced blocks of a page.
pub fn command_lines(page: &str) -> Vec<CommandLine> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (at, line) in page.lines().enumerate() {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(kind.trim()) };
        } else if let Some(kind) = fence
            && let Some(text) = command(line, kind == "console")
        {
            found.push(CommandLine { line: at + 1, text, console: kind == "console" });
        }
    }
    found
}

fn command(line: &str, console: bool) -> Option<String> {
    if let Some(text) = line.strip_prefix("$ ") {
        return Some(text.trim().to_owned());
    }
    let ours = ["cargo ", "oddsmith "].iter().any(|start| line.trim_start().starts_with(start));
    (ours && !console).then(|| line.trim().to_owned())
}

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let Some(page) = tree.get(PAGE) else {
        findings.push(Finding::new(PAGE, 1, "there is no README", "write one"));
        return;
    };
    let commands = command_lines(page);
    let skipped = skipped(tree.get(SKIPPED).unwrap_or_default(), findings);
    for command in commands.iter().filter(|command| !command.console) {
        if !skipped.iter().any(|(_, text)| *text == command.text) {
            let wrong = format!("no test runs `{}`", command.text);
            let right =
                format!("show it as `$ COMMAND` in a console block, or list it in {SKIPPED}");
            findings.push(Finding::new(PAGE, command.line, wrong, right));
        }
    }
    for (line, text) in &skipped {
        if !commands.iter().any(|command| command.text == *text) {
            let wrong = format!("the README does not show `{text}`");
            findings.push(Finding::new(SKIPPED, *line, wrong, "take the line out"));
        }
    }
}

fn skipped<'a>(list: &'a str, findings: &mut Vec<Finding>) -> Vec<(usize, &'a str)> {
    let mut rows = Vec::new();
    for (at, line) in list.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match line.split_once("  # ") {
            Some((command, why)) if !why.trim().is_empty() => rows.push((at + 1, command.trim())),
            _ => {
                let right = "write `COMMAND  # why no test can run it`";
                findings.push(Finding::new(SKIPPED, at + 1, "this row gives no reason", right));
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::command_lines;
    use crate::tidy::findings_of;

    fn planted(page: &str, list: &str) -> Vec<String> {
        findings_of(super::check, &[("README.md", page), ("tests/readme.skip", list)])
    }

    #[test]
    fn commands_are_read_from_fenced_blocks_only() {
        let page = "cargo xtask no\n```console\n$ oddsmith solve x\nvalue 1/2\ncargo is output\n```\n\
                    ```sh\ncargo install y\n```\n";
        let found = command_lines(page);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].text.as_str()), (3, "oddsmith solve x"));
        assert!(found[0].console && !found[1].console);
    }

    #[test]
    fn a_command_that_no_test_runs_is_found() {
        let page = "```sh\ncargo xtask test\n```\n";
        assert!(planted(page, "")[0].starts_with("README.md:2: no test runs `cargo xtask test`"));
        assert!(planted(page, "cargo xtask test  # it runs the tests\n").is_empty());
    }

    #[test]
    fn stale_and_unexplained_rows_are_found() {
        let found = planted("```console\n$ oddsmith check x\n```\n", "gone  # why\nbare\n");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found.iter().any(|f| f.starts_with("tests/readme.skip:1: the README does not show"))
        );
        assert!(
            found.iter().any(|f| f.starts_with("tests/readme.skip:2: this row gives no reason"))
        );
    }
}
