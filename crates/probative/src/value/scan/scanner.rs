//! The reader itself: one position in a text, moved by what is asked for.

use std::borrow::Cow;

use serde_json::Number;

use super::keys::Keys;
use super::token::{self, COMMA_SPACE, QUOTE_COLON_SPACE};
use super::word::{byte, word};
use super::{Kind, Stop, number, string};

/// How many arrays and objects may be open at once, as in [`Tree::read`](super::super::tree::Tree::read).
pub(super) const DEEPEST: u8 = 127;

/// A key of an object of which some names are known.
#[derive(Debug, PartialEq, Eq)]
pub enum Key<'t> {
    /// A known one: its position among the names.
    Known(usize),
    /// Another one; borrowed where nothing in it is escaped.
    Other(Cow<'t, str>),
}

/// Reads JSON text from left to right, checking everything and building nothing.
///
/// Objects and arrays are opened and then gone through; after each key and for each item, the caller reads exactly one
/// value. After a [`Stop`] nothing more can be read.
///
/// ```
/// # use probative::value::scan::{Scanner, Stop};
/// # fn main() -> Result<(), Stop> {
/// let mut text = Scanner::new(r#"{"steps": [1, 2], "tool_args": {"q": [true]}}"#);
/// let mut sum = 0;
/// text.open_object()?;
/// while let Some(key) = text.next_key()? {
///     if key == "steps" {
///         text.open_array()?;
///         while text.next_item()? {
///             sum += text.number()?.as_u64().unwrap_or(0);
///         }
///     } else {
///         assert_eq!(text.skip()?, r#"{"q": [true]}"#);
///     }
/// }
/// text.end()?;
/// assert_eq!(sum, 3);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Scanner<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    /// How many objects and arrays the caller has open.
    pub(super) depth: u8,
    /// Whether the innermost of them was only just opened, so that no comma comes before what is next in it.
    fresh: bool,
    pub(super) keys: Keys,
}

impl<'t> Scanner<'t> {
    /// Starts at the beginning of a text, which has no byte order mark.
    #[inline]
    pub fn new(text: &'t str) -> Self {
        Scanner { text, at: 0, depth: 0, fresh: false, keys: Keys::default() }
    }

    /// Starts at the offset of a value in a text.
    #[inline]
    pub fn starting_at(text: &'t str, at: usize) -> Self {
        Scanner { at, ..Scanner::new(text) }
    }

    /// The offset in bytes up to which the text was read; after [`peek`](Self::peek), where the value starts.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// What the next value is. Nothing but its first character and the whitespace before it is read.
    #[inline]
    pub fn peek(&mut self) -> Result<Kind, Stop> {
        Ok(match self.next_byte() {
            b'"' => Kind::String,
            b'-' | b'0'..=b'9' => Kind::Number,
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => return Err(self.stop()),
        })
    }

    /// Reads a string; borrowed where nothing in it is escaped.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'t, str>, Stop> {
        self.expect(b'"')?;
        let string;
        (string, self.at) = string::read(self.text, self.at)?;
        Ok(string)
    }

    /// Reads a number: whole ones of up to 64 bits exactly, all others and `-0` as the nearest double.
    #[inline]
    pub fn number(&mut self) -> Result<Number, Stop> {
        self.next_byte();
        let number;
        (number, self.at) = number::read(self.text, self.at)?;
        Ok(number)
    }

    /// Reads `null`.
    #[inline]
    pub fn null(&mut self) -> Result<(), Stop> {
        self.next_byte();
        self.at = token::literal(self.text.as_bytes(), self.at, b'n')?;
        Ok(())
    }

    /// Reads `true` or `false`.
    #[inline]
    pub fn bool(&mut self) -> Result<bool, Stop> {
        let value = self.next_byte() == b't';
        self.at = token::literal(self.text.as_bytes(), self.at, if value { b't' } else { b'f' })?;
        Ok(value)
    }

    /// Steps into an object, to be gone through with [`next_key`](Self::next_key).
    #[inline]
    pub fn open_object(&mut self) -> Result<(), Stop> {
        self.open(b'{')
    }

    /// The next key of the object, whose value the caller reads; or steps out of the object if there is none.
    ///
    /// Borrowed where nothing in it is escaped. Whether it came before is not looked at.
    #[inline]
    pub fn next_key(&mut self) -> Result<Option<Cow<'t, str>>, Stop> {
        if !self.goes_on(b'}')? {
            return Ok(None);
        }
        self.expect(b'"')?;
        let start = self.at;
        let end = string::plain(self.text.as_bytes(), start);
        if word(self.text.as_bytes(), end) & 0xff_ffff == QUOTE_COLON_SPACE {
            self.at = end + 3;
            return self.written(start, end).map(|key| Some(Cow::Borrowed(key)));
        }
        let key;
        (key, self.at) = string::read(self.text, start)?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// The same, telling which of some names it is. The one at `guess` is looked at first.
    #[inline]
    pub fn next_of(&mut self, names: &[&str], guess: usize) -> Result<Option<Key<'t>>, Stop> {
        let Some(key) = self.next_key()? else { return Ok(None) };
        if names.get(guess).is_some_and(|name| *name == key) {
            return Ok(Some(Key::Known(guess)));
        }
        Ok(Some(names.iter().position(|name| *name == key).map_or(Key::Other(key), Key::Known)))
    }

    /// Steps into an array, to be gone through with [`next_item`](Self::next_item).
    #[inline]
    pub fn open_array(&mut self) -> Result<(), Stop> {
        self.open(b'[')
    }

    /// Whether the array has a next item, which the caller then reads; or steps out of the array if it has none.
    #[inline]
    pub fn next_item(&mut self) -> Result<bool, Stop> {
        self.goes_on(b']')
    }

    /// Makes sure that nothing but whitespace follows.
    #[inline]
    pub fn end(&mut self) -> Result<(), Stop> {
        self.next_byte();
        if self.at == self.text.len() { Ok(()) } else { Err(self.stop()) }
    }

    /// Whether any object within a [skipped](Self::skip) value had a key twice, however it was written.
    ///
    /// The objects that the caller goes through are not counted in.
    #[inline]
    pub fn repeated_keys(&self) -> bool {
        self.keys.repeated()
    }

    fn stop(&self) -> Stop {
        Stop { at: self.at }
    }

    #[inline]
    fn written(&self, start: usize, end: usize) -> Result<&'t str, Stop> {
        self.text.get(start..end).ok_or(Stop { at: start })
    }

    /// The next byte after whitespace, which is passed over; zero at the end.
    #[inline]
    fn next_byte(&mut self) -> u8 {
        let byte;
        (self.at, byte) = token::next(self.text.as_bytes(), self.at);
        byte
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.next_byte() != byte {
            return Err(self.stop());
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn open(&mut self, bracket: u8) -> Result<(), Stop> {
        self.expect(bracket)?;
        if self.depth == DEEPEST {
            return Err(Stop { at: self.at - 1 });
        }
        self.depth += 1;
        self.fresh = true;
        Ok(())
    }

    #[inline]
    fn step_out(&mut self) {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether something comes before `bracket`; the comma before it, or else the bracket, is passed over.
    #[inline]
    fn goes_on(&mut self, bracket: u8) -> Result<bool, Stop> {
        let next = word(self.text.as_bytes(), self.at);
        match byte(next, 0) {
            b',' if !self.fresh => {
                self.at += if next & 0xffff == COMMA_SPACE { 2 } else { 1 };
                Ok(true)
            }
            token if token == bracket => {
                self.fresh = false;
                self.step_out();
                Ok(false)
            }
            _ => self.goes_on_oddly(bracket),
        }
    }

    /// The same where it is the first thing, or blanks come before it.
    #[inline(never)]
    fn goes_on_oddly(&mut self, bracket: u8) -> Result<bool, Stop> {
        let fresh = std::mem::take(&mut self.fresh);
        let byte = self.next_byte();
        if byte == bracket {
            self.step_out();
            return Ok(false);
        }
        if !fresh {
            self.expect(b',')?;
        }
        Ok(true)
    }
}
