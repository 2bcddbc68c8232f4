//! Patterns of `match` and `search`: I-Regexp (RFC 9485), searched in linear time.

use regex_syntax::Error;
use regex_syntax::ast::ErrorKind;

use crate::value::pattern::{Linear, states};

/// Comparisons of a byte with a state of a pattern that cost one visit.
const STATES_PER_VISIT: u64 = 5;

/// Cost of compiling a pattern, in visits: at least, for each byte of it, and for each of its states.
const COMPILING: u64 = 500;
const COMPILING_A_BYTE: u64 = 5;
const COMPILING_A_STATE: u64 = 10;

/// A compiled I-Regexp.
#[derive(Debug, Clone)]
pub(super) struct Regexp {
    engine: Linear,
    states: u64,
}

/// The reason why a pattern isn't compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    /// It isn't I-Regexp.
    Invalid(String),
    TooLarge,
}

impl Regexp {
    /// Compiles a pattern that matches the whole string, or somewhere in it.
    ///
    /// As in the compliance suite of RFC 9535, `^` and `$` are anchors, though the grammar of RFC 9485 makes them characters.
    pub(super) fn compile(pattern: &str, is_whole: bool) -> Result<Regexp, Refused> {
        let source =
            Translator { rest: pattern, source: String::new() }.translate().map_err(Refused::Invalid)?;
        let source = if is_whole { format!(r"\A(?:{source})\z") } else { source };
        regex_syntax::parse(&source).map_err(|error| match error {
            Error::Parse(error) if matches!(error.kind(), ErrorKind::NestLimitExceeded(_)) => {
                Refused::TooLarge
            }
            Error::Parse(error) => Refused::Invalid(error.kind().to_string()),
            Error::Translate(error) => Refused::Invalid(error.kind().to_string()),
            _ => Refused::TooLarge,
        })?;
        let states = states(&source).ok_or(Refused::TooLarge)? as u64;
        let engine = Linear::new(&source).ok_or(Refused::TooLarge)?;
        Ok(Regexp { engine, states })
    }

    /// Returns true if it matches; `None` if the engine gives up.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        self.engine.is_match(text).ok()
    }

    /// Returns the cost of searching a text, in visits.
    pub(super) fn cost_of_search(&self, text: &str) -> u64 {
        (text.len() as u64 + 1).saturating_mul(self.states) / STATES_PER_VISIT
    }

    /// Returns the cost of compiling the pattern, in visits, without reading it.
    pub(super) fn cost_of_states(&self) -> u64 {
        self.states.saturating_mul(COMPILING_A_STATE)
    }

    /// Returns the cost of reading a pattern, in visits.
    pub(super) fn cost_of_reading(pattern: &str) -> u64 {
        COMPILING + COMPILING_A_BYTE.saturating_mul(pattern.len() as u64)
    }
}

/// Checks a pattern against the grammar of RFC 9485 and writes it for the engine.
struct Translator<'p> {
    rest: &'p str,
    source: String,
}

impl Translator<'_> {
    fn translate(mut self) -> Result<String, String> {
        let mut open = 0_usize;
        // Whether a quantifier may follow.
        let mut is_atom = false;
        while let Some(character) = self.next() {
            is_atom = match character {
                '(' => {
                    open += 1;
                    self.source.push_str("(?:");
                    false
                }
                ')' => {
                    open = open.checked_sub(1).ok_or("unopened `)`")?;
                    self.source.push(')');
                    true
                }
                '|' | '^' | '$' => {
                    self.source.push(character);
                    false
                }
                '*' | '+' | '?' | '{' => {
                    self.quantifier(character, is_atom)?;
                    false
                }
                '[' => self.class().map(|()| true)?,
                '.' => {
                    self.source.push_str(r"[^\n\r]");
                    true
                }
                '\\' => self.escape().map(|()| true)?,
                ']' | '}' => return Err(format!("unescaped `{character}`")),
                plain => {
                    self.source.push(plain);
                    true
                }
            };
        }
        if open == 0 { Ok(self.source) } else { Err("unclosed `(`".to_owned()) }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn take(&mut self, prefix: &str) -> bool {
        self.rest.strip_prefix(prefix).inspect(|rest| self.rest = rest).is_some()
    }

    fn quantifier(&mut self, character: char, is_atom: bool) -> Result<(), String> {
        if !is_atom {
            let hint = if character == '?' {
                "; groups are written `(…)`, and there are no lazy quantifiers"
            } else {
                ""
            };
            return Err(format!("nothing to repeat before `{character}`{hint}"));
        }
        self.source.push(character);
        if character != '{' {
            return Ok(());
        }
        let (times, rest) = self.rest.split_once('}').ok_or("unclosed `{`")?;
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let (least, most) = times.split_once(',').unwrap_or((times, ""));
        if !is_number(least) || !(most.is_empty() || is_number(most)) {
            return Err(format!("`{{{times}}}` isn't a quantifier"));
        }
        self.source.push_str(times);
        self.source.push('}');
        self.rest = rest;
        Ok(())
    }

    /// Reads an escape, after its backslash.
    fn escape(&mut self) -> Result<(), String> {
        let escaped = self.next().ok_or("incomplete escape")?;
        let hint = match escaped {
            'p' | 'P' => return self.category(escaped),
            'n' | 'r' | 't' | '(' | ')' | '*' | '+' | '-' | '.' | '?' | '[' | '\\' | ']' | '^' | '{'
            | '|' | '}' => {
                self.source.extend(['\\', escaped]);
                return Ok(());
            }
            'd' => "; use `[0-9]` or `\\p{Nd}`",
            'w' => "; use `[A-Za-z0-9_]`",
            's' => "; use `[ \\t\\n\\r]`",
            '$' => "; use `[$]`",
            _ => "",
        };
        Err(format!("`\\{escaped}` isn't part of I-Regexp (RFC 9485){hint}"))
    }

    /// `{Lu}`, behind `\p` or `\P`. Which there are, the engine knows.
    fn category(&mut self, letter: char) -> Result<(), String> {
        let name = self.rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (name, rest) = name.ok_or_else(|| format!("expected `{{` and a category after `\\{letter}`"))?;
        if !matches!(name.as_bytes(), [b'A'..=b'Z'] | [b'A'..=b'Z', b'a'..=b'z']) {
            return Err(format!("`{name}` isn't a Unicode category"));
        }
        self.source.extend(["\\", letter.encode_utf8(&mut [0; 4]), "{", name, "}"]);
        self.rest = rest;
        Ok(())
    }

    /// `[…]`, without its first bracket.
    fn class(&mut self) -> Result<(), String> {
        self.source.push('[');
        if self.take("^") {
            self.source.push('^');
        }
        let mut is_first = true;
        while is_first || !self.take("]") {
            if self.rest.starts_with("-]") || (is_first && self.rest.starts_with('-')) {
                self.take("-");
                self.source.push_str(r"\-");
            } else if self.class_character()? && !self.rest.starts_with("-]") && self.take("-") {
                self.source.push('-');
                self.class_character()?;
            }
            is_first = false;
        }
        self.source.push(']');
        Ok(())
    }

    /// A character of a class, which may begin a range, or a category, which may not.
    fn class_character(&mut self) -> Result<bool, String> {
        match self.next().ok_or("unclosed `[`")? {
            '\\' => {
                let is_category = self.rest.starts_with(['p', 'P']);
                self.escape()?;
                return Ok(!is_category);
            }
            character @ ('[' | ']' | '-') => return Err(format!("unescaped `{character}` in `[…]`")),
            // Two of these are an operation on sets for the engine.
            character @ ('&' | '~') => self.source.extend(['\\', character]),
            character => self.source.push(character),
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        Regexp::compile(pattern, true).unwrap().is_match(text).unwrap()
    }

    fn refused(pattern: &str) -> String {
        match Regexp::compile(pattern, false) {
            Err(Refused::Invalid(message)) => message,
            other => panic!("{pattern}: {other:?}"),
        }
    }

    #[test]
    fn patterns_mean_what_the_grammar_says() {
        for (pattern, text) in [
            ("a.c", "aéc"),
            ("(ab|c){2,3}", "abcab"),
            ("a{2}b{1,}c?", "aabb"),
            (r"[\-a-c^.&&~~]+", "-b^.&~"),
            ("[-a]+[^-x][b-]", "-ac-"),
            (r"[\p{Lu}\t]\P{L}\\\(\|", "É\u{0}\\(|"),
            ("#x y/~&&", "#x y/~&&"),
            ("", ""),
            ("a|", ""),
            ("^a$", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a.c", "a\nc"), ("a.c", "a\rc"), ("a|b", "ab"), ("[^a]", "a"), ("b", "ab")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert_eq!(Regexp::compile("b", false).unwrap().is_match("abc"), Some(true));
    }

    #[test]
    fn what_is_not_i_regexp_is_refused() {
        assert_eq!(refused(r"\d+"), "`\\d` isn't part of I-Regexp (RFC 9485); use `[0-9]` or `\\p{Nd}`");
        assert_eq!(
            refused("(?:a)"),
            "nothing to repeat before `?`; groups are written `(…)`, and there are no lazy quantifiers"
        );
        for pattern in [
            "a**",
            "*a",
            "a*?",
            "a{2}{3}",
            "a{,2}",
            "a{x}",
            "a{3,2}",
            "a{",
            "(",
            "(a",
            "a)",
            "]",
            "}",
            "[",
            "[]",
            "[^]",
            "[a",
            "[a[b]]",
            "[c-a]",
            "[a-\\p{L}]",
            "[a-b-c]",
            r"\",
            r"\p",
            r"\p{",
            r"\p{Cs}",
            r"\p{Latin}",
            r"\b",
            r"\$",
            r"\p{L}{",
            "^*",
        ] {
            refused(pattern);
        }
    }

    #[test]
    fn the_size_of_patterns_is_bounded() {
        for pattern in ["((a{1000}){1000}){1000}".to_owned(), "(".repeat(100_000) + &")".repeat(100_000)] {
            assert!(matches!(Regexp::compile(&pattern, true), Err(Refused::TooLarge)));
        }
    }
}
