//! Names of variables in comments: `c v NUMBER NAME`.
//!
//! A name is written as it stands, but for what would not survive a line of text: a backslash,
//! control characters and white space at either end are escaped (`\\`, `\n`, `\u{7f}`, `\u{20}`),
//! and the empty name is `\e`. A comment of another form is a comment. A name with an escape that
//! is none is taken as it stands: it was written by another tool.

/// The name as a line can hold it.
pub(super) fn escape(name: &str) -> String {
    if name.is_empty() {
        return "\\e".into();
    }
    let inner = name.trim();
    let start = name.len() - name.trim_start().len();
    let inside = start..start + inner.len();
    name.char_indices().map(|(at, letter)| escape_letter(letter, inside.contains(&at))).collect()
}

fn escape_letter(letter: char, inside: bool) -> String {
    match letter {
        '\\' => "\\\\".into(),
        '\n' => "\\n".into(),
        _ if letter.is_control() || !inside => format!("\\u{{{:x}}}", letter as u32),
        _ => letter.into(),
    }
}

/// The name that a line holds.
pub(super) fn unescape(text: &str) -> String {
    if text == "\\e" { String::new() } else { unescaped(text).unwrap_or_else(|| text.to_owned()) }
}

fn unescaped(text: &str) -> Option<String> {
    let (mut name, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        let (letter, after) = escaped_letter(&rest[at + 1..])?;
        name.push(letter);
        rest = after;
    }
    Some(name + rest)
}

/// The letter that an escape stands for, and what follows it.
fn escaped_letter(text: &str) -> Option<(char, &str)> {
    if let Some(after) = text.strip_prefix('\\') {
        return Some(('\\', after));
    }
    if let Some(after) = text.strip_prefix('n') {
        return Some(('\n', after));
    }
    let (digits, after) = text.strip_prefix("u{")?.split_once('}')?;
    Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, after))
}

/// The number and name of a comment line, if it gives one: the text after its `c`.
pub(super) fn of_comment(comment: &[u8]) -> Option<(u32, String)> {
    let text = std::str::from_utf8(comment).ok()?.trim();
    let (number, name) = text.strip_prefix("v ")?.trim_start().split_once(' ')?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok().filter(|number| *number > 0)?, unescape(name.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "does(x,mark(1,2),3)",
            "a b",
            "",
            "\\e",
            "\\",
            " a ",
            "\n",
            "a\r\nb\t",
            "\u{a0}é\u{2003}",
            "u{7f}\u{7f}",
            "\\u{zz}",
        ] {
            let line = format!(" v 12 {}", escape(name));
            assert!(!line.contains(['\n', '\r']));
            assert_eq!(of_comment(line.as_bytes()), Some((12, name.to_owned())), "{line}");
        }
    }

    #[test]
    fn other_comments_are_no_names() {
        for text in
            [" v", " v 1", " v x y", " vars 1 2", " v 0 a", " v -1 a", " v 99999999999 a", ""]
        {
            assert_eq!(of_comment(text.as_bytes()), None, "{text}");
        }
        assert_eq!(of_comment(b" v 3 C:\\dir"), Some((3, "C:\\dir".into())));
        assert_eq!(of_comment(b" v 3 \xff"), None);
    }
}
