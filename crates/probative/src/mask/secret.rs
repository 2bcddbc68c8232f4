//! What a mask looks for: the characters of a value, and those of its Base64.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::gap::is_space;
use super::writing::percent_decoded;

/// A value with fewer characters is no secret.
pub(super) const SHORTEST: usize = 4;

/// Words that may be the value of anything.
pub(super) const IS_NO_SECRET: [&str; 4] = ["true", "false", "null", "none"];

/// Of a value with several lines, each that is not shorter is a secret of its own.
const SHORTEST_LINE: usize = 8;

/// A part of a secret tells too much if it is half of it, or so long.
const TELLING: usize = 6;
/// A shorter part tells nothing.
const LEAST_TELLING: usize = 3;

/// Characters to be hidden where they stand one behind the other. Space among them does not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Secret {
    pub(super) characters: Vec<char>,
    /// Whether they are Base64, of which there are two alphabets.
    is_base64: bool,
}

impl Secret {
    fn of(text: &str, is_base64: bool) -> Secret {
        Secret { characters: text.chars().filter(|character| !is_space(*character)).collect(), is_base64 }
    }

    /// Whether a character of a text is the one at a place.
    pub(super) fn is_at(&self, place: usize, found: char) -> bool {
        self.characters.get(place).is_some_and(|known| {
            *known == found || self.is_base64 && matches!((*known, found), ('+', '-') | ('/', '_'))
        })
    }

    /// How many characters of it must not be told where a text is cut.
    pub(super) fn telling(&self) -> usize {
        (self.characters.len() / 2).clamp(LEAST_TELLING, TELLING)
    }

    pub(super) fn has_stars(&self) -> bool {
        self.characters.contains(&'*')
    }
}

/// All that is to be hidden for a value: it, its lines, the password in it if it is a URL, and each in Base64.
pub(super) fn all_of(value: &str) -> Vec<Secret> {
    // What is not UTF-8 was replaced, and nothing else holds what stood there.
    let pieces = value.split(char::REPLACEMENT_CHARACTER);
    let lines = || value.split(['\n', '\r', char::REPLACEMENT_CHARACTER]).map(str::trim);
    let is_line = |line: &&str| line.chars().count() >= SHORTEST_LINE && !line.starts_with("-----");
    let lines = lines().filter(is_line).filter(|line| *line != value);
    let password =
        password_in(value).into_iter().flat_map(|written| [written.to_owned(), percent_decoded(written)]);
    let password: Vec<String> = password.filter(|password| super::Mask::can_hide(password)).collect();
    let texts = pieces.filter(|piece| super::Mask::can_hide(piece)).chain(lines);
    let texts = texts.chain(password.iter().map(String::as_str));
    texts.flat_map(|text| std::iter::once(Secret::of(text, false)).chain(encoded(text))).collect()
}

/// The password in a URL. Where there is none, who is named before the host may be a token.
fn password_in(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user_info, _) = authority.rsplit_once('@')?;
    match user_info.split_once(':') {
        Some((user, "")) => Some(user),
        Some((_, password)) => Some(password),
        None => Some(user_info),
    }
}

/// Its Base64, wherever it stands among the bytes that are encoded: as far as it does not depend on its neighbours.
fn encoded(text: &str) -> Vec<Secret> {
    let escaped = serde_json::to_string(text).unwrap_or_default();
    let escaped = escaped.trim_matches('"').to_owned();
    let mut texts = vec![text.to_owned()];
    if escaped != text {
        texts.push(escaped);
    }
    let aligned = texts.iter().flat_map(|text| {
        (0..3).filter_map(move |before| {
            let bytes = [&[0; 2][..before], text.as_bytes()].concat();
            let encoded = STANDARD_NO_PAD.encode(&bytes);
            let inner = encoded.get((before * 8).div_ceil(6)..bytes.len() * 8 / 6)?;
            (inner.len() >= SHORTEST).then(|| Secret::of(inner, true))
        })
    });
    aligned.collect()
}

/// Where a character stands in secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Index {
    /// By character: the secrets that begin with it.
    first: BTreeMap<char, Vec<usize>>,
    /// By character: secrets, and places in them behind the beginning.
    inside: BTreeMap<char, Vec<(usize, usize)>>,
    /// The bytes that a beginning may begin with, be it escaped or not.
    bytes: Vec<bool>,
}

impl Index {
    pub(super) fn of(secrets: &[Secret]) -> Index {
        let mut index = Index { bytes: vec![false; 256], ..Index::default() };
        for (at, secret) in secrets.iter().enumerate() {
            for (place, known) in secret.characters.iter().enumerate() {
                for written in alike(*known, secret.is_base64) {
                    if place == 0 {
                        index.first.entry(written).or_default().push(at);
                        index.bytes[usize::from(written.encode_utf8(&mut [0; 4]).as_bytes()[0])] = true;
                    } else if secret.characters.len() - place >= secret.telling() {
                        index.inside.entry(written).or_default().push((at, place));
                    }
                }
            }
        }
        for escape in *b"\\%&" {
            index.bytes[usize::from(escape)] = true;
        }
        index
    }

    /// Whether a secret may begin at such a byte.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        self.bytes.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The secrets that begin with a character.
    pub(super) fn first(&self, character: char) -> &[usize] {
        self.first.get(&character).map_or(&[], Vec::as_slice)
    }

    /// The secrets that have it elsewhere, where enough follows to be hidden, with its place.
    pub(super) fn inside(&self, character: char) -> &[(usize, usize)] {
        self.inside.get(&character).map_or(&[], Vec::as_slice)
    }
}

fn alike(character: char, is_base64: bool) -> Vec<char> {
    match character {
        '+' if is_base64 => vec!['+', '-'],
        '/' if is_base64 => vec!['/', '_'],
        other => vec![other],
    }
}
