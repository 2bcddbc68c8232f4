//! Strings and numbers in a path.

use serde_json::Number;

use super::{Parser, error};
use crate::value::path::PathError;

/// The integers that RFC 9535 allows: those that every double can hold.
const LARGEST: i64 = (1 << 53) - 1;

impl Parser<'_> {
    /// A string in either kind of quotes.
    pub(super) fn string(&mut self) -> Result<String, PathError> {
        let open = self.at;
        let quote = self.written[open..].chars().next().unwrap_or_default();
        // Escapes are JSON's, but for the quote: write the string as JSON, and let its parser decode it.
        let mut json = String::from('"');
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((offset, character)) = characters.next() {
            let at = open + offset;
            match character {
                end if end == quote => {
                    json.push('"');
                    self.at = at + 1;
                    return serde_json::from_str(&json)
                        .map_err(|_| error(format!("invalid escape in {}", &self.written[open..=at]), open));
                }
                '\\' => match characters.next() {
                    Some((_, '\'')) if quote == '\'' => json.push('\''),
                    Some((_, escaped)) if is_escape(escaped) || escaped == quote => {
                        json.extend(['\\', escaped]);
                    }
                    Some((_, escaped)) => return Err(error(format!("invalid escape `\\{escaped}`"), at)),
                    None => return Err(error("incomplete escape", at)),
                },
                '"' => json.push_str("\\\""),
                control if control < ' ' => {
                    return Err(error("control characters in quotes must be escaped: `\\n`, `\\u0000`", at));
                }
                plain => json.push(plain),
            }
        }
        Err(error(format!("unclosed `{quote}`"), open))
    }

    /// An integer, if there is one.
    pub(super) fn integer(&mut self) -> Result<Option<i64>, PathError> {
        let start = self.at;
        let is_negative = self.take("-");
        let digits = self.take_until(|character| !character.is_ascii_digit());
        if digits.is_empty() {
            return if is_negative { Err(self.expected("a digit after `-`")) } else { Ok(None) };
        }
        let written = &self.written[start..self.at];
        if digits.starts_with('0') && written != "0" {
            return Err(error(
                format!("`{written}` isn't an integer; integers have no leading zeros and no `-0`"),
                start,
            ));
        }
        let integer = written.parse::<i64>().ok().filter(|integer| integer.abs() <= LARGEST);
        integer.map(Some).ok_or_else(|| error(format!("`{written}` is beyond ±{LARGEST}"), start))
    }

    /// A number in a filter, as JSON writes it.
    pub(super) fn number(&mut self) -> Result<Number, PathError> {
        let start = self.at;
        let written =
            self.take_until(|character| !matches!(character, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'));
        serde_json::from_str(written).map_err(|_| error(format!("`{written}` isn't a number"), start))
    }
}

fn is_escape(character: char) -> bool {
    matches!(character, 'b' | 'f' | 'n' | 'r' | 't' | '/' | '\\' | 'u')
}
