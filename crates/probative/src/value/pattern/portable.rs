//! What a pattern asks for that regular expressions elsewhere lack, or write differently.

use super::Pattern;
use super::parse::{Parser, parse};

/// A construct that not every dialect of regular expressions has as Python writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unportable {
    /// Its usual name: `look-behind`, `named group`, `named backreference`, `backreference`, `inline flags`,
    /// `conditional`, `atomic group` or `possessive quantifier`.
    pub what: &'static str,
    /// Where it begins, in characters from the start of the pattern; a possessive quantifier begins after what it repeats.
    pub at: usize,
}

impl Pattern {
    /// Every construct that may mean something else, or nothing, to another runner's engine, in order of place.
    ///
    /// Look-ahead, lazy quantifiers and plain groups are everywhere, so they are not among them; nor is what only looks
    /// like one of these, as in `[(?<=]` or `\(\?P<`.
    pub fn unportable(&self) -> Vec<Unportable> {
        parse(&self.written).map_or_else(|_| Vec::new(), |parsed| parsed.unportable)
    }
}

impl Parser {
    /// Notes a construct at its beginning. They are read from left to right, so the notes are in order of place.
    pub(super) fn note(&mut self, at: usize, what: &'static str) {
        self.unportable.push(Unportable { what, at });
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;

    fn unportable(pattern: &str) -> Vec<(&'static str, usize)> {
        let found = Pattern::parse(pattern).unwrap().unportable();
        found.into_iter().map(|construct| (construct.what, construct.at)).collect()
    }

    #[test]
    fn each_construct_is_named_at_its_place() {
        for (pattern, what, at) in [
            ("é(?<=a)b", "look-behind", 1),
            ("a(?<!b)", "look-behind", 1),
            ("é(?P<n>a)", "named group", 1),
            (r"(a)b\1", "backreference", 4),
            ("(?i)a", "inline flags", 0),
            ("(?u)a", "inline flags", 0),
            ("(?x) a # (?<=b)", "inline flags", 0),
            ("a(?s:.)", "inline flags", 1),
            ("a(?-i:b)", "inline flags", 1),
            ("(a)?(?(1)b|c)", "conditional", 4),
            ("éa(?>b|c)d", "atomic group", 2),
            ("a(?>b)", "atomic group", 1),
            ("ab*+", "possessive quantifier", 2),
            ("a++", "possessive quantifier", 1),
            ("(?:ab)?+c", "possessive quantifier", 6),
            ("a{2,3}+", "possessive quantifier", 1),
        ] {
            assert_eq!(unportable(pattern), [(what, at)], "{pattern}");
        }
    }

    #[test]
    fn all_are_told_from_left_to_right() {
        assert_eq!(
            unportable(r"(?m)(?P<n>a(?<=a)++)(?:(?P=n)|(?>b))(?(n)c\1)"),
            [
                ("inline flags", 0),
                ("named group", 4),
                ("look-behind", 11),
                ("possessive quantifier", 17),
                ("named backreference", 23),
                ("atomic group", 30),
                ("conditional", 36),
                ("backreference", 42),
            ]
        );
        assert_eq!(unportable("(?<=(?<!a))b"), [("look-behind", 0), ("look-behind", 4)]);
    }

    #[test]
    fn what_only_looks_like_one_is_portable() {
        for pattern in [
            "(?:a)",
            "(?=a)b",
            "(?!a)b",
            "(a)",
            "a+?",
            "a??",
            "a{2}",
            "a{2}?",
            "[(?<=]",
            "[(?P<n>]",
            r"\(\?P<n>",
            r"\(?<=",
            r"\(?i\)",
            "[a++]",
            r"a\++",
            r"[a*]+",
            "a{+",
            r"\101",
            r"\01",
            r"[\1]",
            r"\\1",
            "(?#(?<=)a",
            "",
            "a|",
            r"\A\w\Z",
            "[(?>a)]",
        ] {
            assert_eq!(unportable(pattern), [], "{pattern}");
        }
    }
}
