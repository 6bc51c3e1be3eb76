//! Rust text with comments and literals blanked out, byte for byte in place.
//!
//! What always holds: the result has the same length and the same line ends, so an offset or a
//! line number in it is one in the original. It is a scanner, not a parser: it knows line and
//! nested block comments, strings with escapes, raw strings with any number of `#`, byte and C
//! strings, characters, and that a quote after which no closing quote follows is a lifetime.

/// The text with comments and the insides of literals replaced by blanks.
pub(super) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut kept = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = blank_end(bytes, at);
        match end {
            Some(end) => {
                debug_assert!(end > at && end <= bytes.len());
                blank(&mut kept[at..end]);
                at = end;
            }
            None => at = after_word_or_byte(bytes, at),
        }
    }
    let code = String::from_utf8(kept).expect("blanks replace whole literals and comments");
    assert_eq!(code.len(), text.len());
    code
}

/// Blanks the modules under `#[cfg(test)]`, in text that [`code`] made.
pub(super) fn without_tests(code: &str) -> String {
    let mut kept = code.as_bytes().to_vec();
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(test)]") {
        let start = from + found;
        let end = item_end(code.as_bytes(), start);
        blank(&mut kept[start..end]);
        from = end;
    }
    String::from_utf8(kept).expect("whole items are blanked")
}

/// The names of the modules that are declared under `#[cfg(test)]` and lie in files of their own.
pub(super) fn test_modules(code: &str) -> Vec<&str> {
    let declared = code.split("#[cfg(test)]").skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("pub(crate) ").unwrap_or(rest);
        let name = rest.strip_prefix("mod ")?.split_once(';')?.0;
        name.bytes().all(is_word_byte).then_some(name)
    });
    declared.collect()
}

/// The lines (from 1) of a text in which a word stands by itself.
pub(super) fn lines_with<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.lines().enumerate().filter(move |(_, line)| has_word(line, word)).map(|(at, _)| at + 1)
}

/// Whether the line holds the word with no identifier character before or after it.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, found)| {
        let before = line[..at].bytes().next_back();
        let after = line[at + found.len()..].bytes().next();
        let open_front = !is_word_byte(word.as_bytes()[0]) || !before.is_some_and(is_word_byte);
        let last = word.as_bytes()[word.len() - 1];
        let open_back = !is_word_byte(last) || !after.is_some_and(is_word_byte);
        open_front && open_back
    })
}

fn is_word_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().filter(|byte| !matches!(**byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}

/// Where the comment or literal that starts here ends; none where neither starts.
fn blank_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    match rest {
        [b'/', b'/', ..] => Some(at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())),
        [b'/', b'*', ..] => Some(at + block_comment_len(rest)),
        [b'"', ..] => Some(at + 1 + string_len(&rest[1..])),
        [b'\'', ..] => char_len(rest).map(|len| at + len),
        [b'r' | b'b' | b'c', ..] => prefixed_len(rest).map(|len| at + len),
        _ => None,
    }
}

/// A word is passed as a whole, so that the `r` at its end does not look like a raw string.
fn after_word_or_byte(bytes: &[u8], at: usize) -> usize {
    let word = bytes[at..].iter().take_while(|byte| is_word_byte(**byte)).count();
    at + word.max(1)
}

fn block_comment_len(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] if depth == 1 => return at + 2,
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a string after its opening quote, closing quote included.
fn string_len(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

fn char_len(rest: &[u8]) -> Option<usize> {
    if rest.get(1) == Some(&b'\\') {
        let close = rest.iter().skip(3).position(|byte| *byte == b'\'')?;
        return Some(3 + close + 1);
    }
    let first = std::str::from_utf8(&rest[1..rest.len().min(5)]);
    let first = match first {
        Ok(text) => text.chars().next()?,
        Err(cut) => std::str::from_utf8(&rest[1..=cut.valid_up_to()]).ok()?.chars().next()?,
    };
    (rest.get(1 + first.len_utf8()) == Some(&b'\'')).then(|| first.len_utf8() + 2)
}

/// Raw, byte and C strings: `r".."`, `r#".."#`, `b".."`, `br".."`, `c".."`.
fn prefixed_len(rest: &[u8]) -> Option<usize> {
    let letters = rest.iter().take_while(|byte| matches!(byte, b'r' | b'b' | b'c')).count();
    if letters > 2 {
        return None;
    }
    let raw = rest[..letters].contains(&b'r');
    let hashes = rest[letters..].iter().take_while(|byte| **byte == b'#').count();
    let open = letters + hashes;
    match rest.get(open) {
        Some(b'"') if raw => {
            let close: Vec<u8> = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
            let body = &rest[open + 1..];
            let found = body.windows(close.len()).position(|window| window == close);
            Some(found.map_or(rest.len(), |at| open + 1 + at + close.len()))
        }
        Some(b'"') if hashes == 0 => Some(open + 1 + string_len(&rest[open + 1..])),
        _ => None,
    }
}

/// The end of the item that starts here: the brace that closes its first block, or the semicolon
/// before one.
fn item_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b';' if depth == 0 => return at + 1,
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{code, has_word, lines_with, test_modules, without_tests};

    #[test]
    fn comments_and_literals_go_and_code_stays() {
        let text = "let a = \"unsafe \\\" }\"; // unsafe\n/* /* unsafe */ f32 */ let b = 'f';\n";
        let kept = code(text);
        assert!(!kept.contains("unsafe") && !kept.contains("f32"));
        assert!(kept.contains("let a =") && kept.contains("let b ="));
        assert_eq!(kept.len(), text.len());
        assert_eq!(kept.lines().count(), 2);
    }

    #[test]
    fn raw_strings_and_lifetimes_are_told_apart() {
        let text = r####"fn f<'a>(x: &'a str) { r#"unsafe " "#; b"unsafe"; br"unsafe"; x.bar("q"); '\''; '"'; unsafe {} }"####;
        let kept = code(text);
        assert_eq!(kept.matches("unsafe").count(), 1);
        assert!(kept.contains("fn f<'a>(x: &'a str)") && kept.contains("x.bar("));
    }

    #[test]
    fn characters_outside_ascii_survive() {
        let kept = code("let π = 'é'; // ünsafe\nlet next = \"→\";");
        assert!(kept.starts_with("let π = ") && kept.contains("let next ="));
    }

    #[test]
    fn words_are_whole_words() {
        assert!(has_word("unsafe {", "unsafe") && !has_word("unsafe_code", "unsafe"));
        assert!(has_word("println!(1)", "println!") && !has_word("eprintln!(1)", "println!"));
        assert_eq!(lines_with("a\nb unsafe\n", "unsafe").collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn test_modules_are_cut_out_and_what_follows_stays() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { { File } } }\nfn c() {}\n";
        let kept = without_tests(text);
        assert!(!kept.contains("File") && kept.contains("fn a") && kept.contains("fn c"));
        let declared = without_tests("#[cfg(test)]\nmod tests;\nfn c() {}\n");
        assert!(!declared.contains("tests") && declared.contains("fn c"));
        assert_eq!(test_modules("#[cfg(test)]\nmod a;\n#[cfg(test)]\nmod b {}\nmod c;"), ["a"]);
    }
}
