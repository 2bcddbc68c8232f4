//! How a character may be written in a text: as itself, or escaped as in JSON, in programs, in a URL, in XML or HTML.

/// A character of a text, and how many bytes it takes there.
pub(super) type Written = (char, usize);

/// How many backslashes may stand before what they escape: JSON in JSON in JSON has seven.
const MOST_BACKSLASHES: usize = 8;

/// Every character that may be meant at a place: itself first.
///
/// A text does not say how it is escaped, so that `%41` is three characters, and one.
pub(super) fn each_at(text: &str, at: usize, mut take: impl FnMut(Written)) {
    let rest = &text[at..];
    let Some(plain) = rest.chars().next() else { return };
    take((plain, plain.len_utf8()));
    match plain {
        '\\' => behind_backslashes(rest, &mut take),
        '%' => percent(rest).into_iter().for_each(take),
        '&' => entity(rest).into_iter().for_each(take),
        _ => {}
    }
}

/// What backslashes at the beginning of a text stand for, or what they escape.
fn behind_backslashes(text: &str, take: &mut impl FnMut(Written)) {
    let run = text.bytes().take(MOST_BACKSLASHES).take_while(|byte| *byte == b'\\').count();
    for half in [2, 4, 8] {
        if run >= half {
            take(('\\', half));
        }
    }
    let behind = &text[run..];
    let Some(letter) = behind.chars().next() else { return };
    match letter {
        '"' | '\'' | '/' | '`' | '$' => take((letter, run + 1)),
        'n' => take(('\n', run + 1)),
        'r' => take(('\r', run + 1)),
        't' => take(('\t', run + 1)),
        'e' => take(('\u{1b}', run + 1)),
        'x' => {
            let code = hexadecimal(&behind[1..], 2).filter(|code| *code < 0x80);
            if let Some(character) = code.and_then(char::from_u32) {
                take((character, run + 3));
            }
        }
        'u' => unicode(text, run).into_iter().for_each(take),
        _ => {}
    }
}

/// `\u00e4`, with the other half of a pair where it is one, or `\u{e4}`.
fn unicode(text: &str, run: usize) -> Option<Written> {
    let digits = &text[run + 1..];
    if let Some(braced) = digits.strip_prefix('{') {
        let end = braced.bytes().take(7).position(|byte| byte == b'}')?;
        let code = hexadecimal(braced, end)?;
        return Some((char::from_u32(code)?, run + 3 + end));
    }
    let unit = hexadecimal(digits, 4)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, run + 5));
    }
    let other = digits.get(4..)?.strip_prefix(&text[..run])?.strip_prefix('u')?;
    let low = hexadecimal(other, 4).filter(|low| (0xdc00..0xe000).contains(low))?;
    let high = Some(unit).filter(|high| (0xd800..0xdc00).contains(high))?;
    let character = char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    Some((character, 2 * (run + 5)))
}

/// `%C3%A4`.
fn percent(text: &str) -> Option<Written> {
    let mut bytes = Vec::with_capacity(4);
    while bytes.len() < 4 {
        let code = text.get(3 * bytes.len()..)?.strip_prefix('%').and_then(|rest| hexadecimal(rest, 2))?;
        bytes.push(u8::try_from(code).ok()?);
        if let Some(character) = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            return Some((character, 3 * bytes.len()));
        }
    }
    None
}

/// A text from a URL as it is meant.
pub(super) fn percent_decoded(text: &str) -> String {
    let (mut meant, mut at) = (String::new(), 0);
    while let Some(plain) = text[at..].chars().next() {
        let (character, length) = percent(&text[at..]).unwrap_or((plain, plain.len_utf8()));
        meant.push(character);
        at += length;
    }
    meant
}

/// `&amp;`, `&#228;`, `&#xe4;`, each with or without its `;`, as browsers read them.
fn entity(text: &str) -> Option<Written> {
    const NAMES: [(&str, char); 10] = [
        ("&amp", '&'),
        ("&AMP", '&'),
        ("&lt", '<'),
        ("&LT", '<'),
        ("&gt", '>'),
        ("&GT", '>'),
        ("&quot", '"'),
        ("&QUOT", '"'),
        ("&apos", '\''),
        ("&nbsp", '\u{a0}'),
    ];
    let named = || NAMES.iter().find(|(name, _)| text.starts_with(name));
    let (character, length) =
        numbered(text).or_else(|| named().map(|(name, character)| (*character, name.len())))?;
    Some((character, length + usize::from(text[length..].starts_with(';'))))
}

/// `&#228` or `&#xe4`, with as many digits as there are.
fn numbered(text: &str) -> Option<Written> {
    /// Leading zeros included.
    const MOST_DIGITS: usize = 12;
    let number = text.strip_prefix("&#")?;
    let (start, radix) = if number.starts_with(['x', 'X']) { (3, 16) } else { (2, 10) };
    let digits = text[start..].bytes().take(MOST_DIGITS);
    let digits = digits.take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let code = u32::from_str_radix(&text[start..start + digits], radix).ok()?;
    Some((char::from_u32(code)?, start + digits))
}

/// The number that the first so many characters of a text are.
fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{Written, each_at};

    fn meant(text: &str) -> Vec<Written> {
        let mut meant = Vec::new();
        each_at(text, 0, |written| meant.push(written));
        meant
    }

    #[test]
    fn a_character_is_itself_and_what_it_escapes() {
        assert_eq!(meant("ab"), [('a', 1)]);
        for (text, character) in [
            (r"\u00e4", 'ä'),
            (r"\u{E4}", 'ä'),
            (r"\\u00E4", 'ä'),
            ("%C3%a4", 'ä'),
            ("&#228;", 'ä'),
            ("&#xE4;", 'ä'),
            ("&#228", 'ä'),
            ("&#XE4", 'ä'),
            ("&#0000228", 'ä'),
            ("&amp", '&'),
            (r"\ud83d\ude00", '😀'),
            (r"\\ud83d\\ude00", '😀'),
            ("&amp;", '&'),
            (r#"\""#, '"'),
            (r#"\\\""#, '"'),
            (r"\x41", 'A'),
            (r"\n", '\n'),
        ] {
            assert!(meant(text).contains(&(character, text.len())), "{text}: {:?}", meant(text));
        }
        assert_eq!(meant(r"\\\\x"), [('\\', 1), ('\\', 2), ('\\', 4)]);
    }

    #[test]
    fn what_is_no_escape_is_itself_alone() {
        for text in [
            "%", "%4", "%zz", "%C3%28", "&", "&am", "&#xg", "&x;", "&#;", "&#x;", "\\", r"\u12", r"\ud83d",
            r"\ud83dx", "\\u{", "\\u{}x", "%é", "&é;", "\\é", "\\ué",
        ] {
            assert_eq!(meant(text).len(), 1, "{text}: {:?}", meant(text));
        }
    }
}
