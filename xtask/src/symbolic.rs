//! Which command lines of `oddsmith` need the build with clingo.
//!
//! Clingo is C++ and takes minutes to build, so only what cannot do without it asks for it. Only
//! words are looked at: what is wrong with a command line is for the program itself to say, and
//! for that, as for its help, either build will do.

/// Whether the command asks for the symbolic engine, for a program to be made ground, or for a form
/// that is made so.
pub fn is_asked_for(arguments: &[String]) -> bool {
    let Some((command, rest)) = arguments.split_first() else { return false };
    let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
    let options = &rest[..end];
    let is_help = options.iter().any(|word| word == "--help" || word == "-h");
    let needed = match command.as_str() {
        "sqasp" => true,
        "translate" => gives(options, "--to", &["sqasp", "sdimacs"]),
        _ => gives(options, "--engine", &["symbolic"]),
    };
    needed && !is_help
}

/// Whether an option has one of the values, as `--option value` or `--option=value`.
fn gives(words: &[String], option: &str, values: &[&str]) -> bool {
    let apart = words.windows(2).any(|pair| pair[0] == option && values.contains(&&*pair[1]));
    let joined = words.iter().any(|word| {
        let value = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
        value.is_some_and(|value| values.contains(&value))
    });
    apart || joined
}

#[cfg(test)]
mod tests {
    use super::is_asked_for;

    fn asks(line: &str) -> bool {
        is_asked_for(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn commands_that_ground_by_clingo_ask_for_it() {
        for line in [
            "solve g.gdl --engine symbolic",
            "solve --engine=symbolic g.gdl --horizon 3",
            "play g.gdl --engine symbolic",
            "sqasp -",
            "sqasp p.lp --to aspif",
            "translate g.gdl --to sqasp --horizon 3",
            "translate --to=sdimacs g.gdl",
        ] {
            assert!(asks(line), "{line}");
        }
    }

    #[test]
    fn all_others_do_without() {
        for line in [
            "",
            "solve g.gdl",
            "solve g.gdl --engine search",
            "solve symbolic --engine",
            "solve --engine sweep -- --engine symbolic",
            "sqasp --help",
            "solve --engine symbolic -h",
            "translate g.gdl --to propnet",
            "translate sqasp --to dot",
            "xssat f.sdimacs",
            "crosscheck g.gdl",
        ] {
            assert!(!asks(line), "{line}");
        }
    }
}
