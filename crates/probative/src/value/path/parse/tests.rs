use super::*;
use crate::value::Path;

fn shape(path: &str) -> String {
    fn named(segment: &Segment) -> String {
        match segment {
            Segment::Name(name) => format!("name {name}"),
            Segment::Index(index) => format!("index {index}"),
            Segment::Wildcard => "all".to_owned(),
            Segment::Several(several) => {
                format!("({})", several.iter().map(named).collect::<Vec<_>>().join(" and "))
            }
            Segment::Choice(choice) => format!("choice {}", choice.written),
        }
    }
    match super::path(path) {
        Ok(segments) => segments.iter().map(named).collect::<Vec<_>>().join(", "),
        Err(error) => format!("error at {}: {}", error.at, error.message),
    }
}

#[test]
fn shorthand_and_jsonpath_give_the_same_segments() {
    assert_eq!(shape("results[*].metadata.type"), "name results, all, name metadata, name type");
    assert_eq!(shape("$.results[*].metadata['type']"), "name results, all, name metadata, name type");
    assert_eq!(shape("[0].id"), "index 0, name id");
    assert_eq!(shape("$[-1] .id"), "index -1, name id");
    assert_eq!(shape("$"), "");
    assert_eq!(shape("results.*.id"), "name results, all, name id");
}

#[test]
fn shorthand_names_may_hold_odd_characters() {
    assert_eq!(shape("created-at.größe in cm"), "name created-at, name größe in cm");
    assert_eq!(shape(r#"a['b.c']["d'e"]['f\'g\u00e9']"#), "name a, name b.c, name d'e, name f'gé");
    assert_eq!(shape("price$.us$"), "name price$, name us$");
    assert_eq!(shape("it's.a$b['$c'][0]"), "name it's, name a$b, name $c, index 0");
    assert_eq!(shape(r"a\u"), r"name a\u");
    let brackets = "(!!".repeat(40);
    assert_eq!(
        shape(&format!("a{brackets}.b['[{brackets}']")),
        format!("name a{brackets}, name b, name [{brackets}")
    );
}

#[test]
fn what_chooses_keeps_how_it_is_written() {
    assert_eq!(shape("results[?@.type=='x].y'].id"), "name results, choice [?@.type=='x].y'], name id");
    assert_eq!(shape("$.results[ 0:2 ].id"), "name results, choice [0:2], name id");
    assert_eq!(shape("$..id"), "choice ..id");
    assert_eq!(shape("$.a..['id'].b"), "name a, choice ..['id'], name b");
    assert_eq!(shape("a[?@.n == $.limit].b"), "name a, choice [?@.n == $.limit], name b");
    assert_eq!(shape("a['x', 'y,z', 0, *]"), "name a, (name x and name y,z and index 0 and all)");
    assert_eq!(shape("a['x', 0:2]"), "name a, (name x and choice [0:2])");
}

#[test]
fn nesting_is_bounded() {
    for within in ["[?@.b", "['x', ?@.b"] {
        let nested = |depth: usize| format!("$.a{}{}", within.repeat(depth), "]".repeat(depth));
        assert!(path(&nested(6)).is_ok());
        let at = 3 + 7 * within.len() - 4;
        assert_eq!(shape(&nested(7)), format!("error at {at}: filters are nested more than 6 deep"));
        assert_eq!(shape(&nested(30)), shape(&nested(7)));
    }
    let nested = |depth: usize| format!("$[?{}@.a{}]", "(".repeat(depth), ")".repeat(depth));
    assert!(path(&nested(31)).is_ok());
    assert_eq!(shape(&nested(32)), "error at 34: path is nested more than 32 deep");
    let behind_quotes = format!(r#"$[?'\' [' == "\"" && {}@.a"#, "(".repeat(2000));
    assert!(behind_quotes.len() < LONGEST_PATH && shape(&behind_quotes).ends_with("32 deep"));
    let calls = format!("$[?{}@{} > 1]", "length(".repeat(40), ")".repeat(40));
    assert!(shape(&calls).ends_with("32 deep"));
    for hostile in ["[?@".repeat(3000), "(".repeat(100_000), "$[?!!!!!!".repeat(500), "[".repeat(4000)] {
        assert!(Path::parse(&hostile).is_err());
        assert!(Path::parse(&format!("${hostile}")).is_err());
    }
    assert!(Path::parse(&format!("$[{}0]", "0,".repeat(2000))).is_ok());
}

#[test]
fn a_bad_path_says_where() {
    for (path, error) in [
        ("", "0: path is empty; use `$` for the whole document"),
        ("a..b", "2: name is empty; use `$..name` for descendants"),
        ("a.", "2: name is empty; use `$..name` for descendants"),
        ("a[0", "1: unclosed `[`"),
        ("$[?@.a[0", "6: unclosed `[`"),
        ("$[?(@.a == 1", "3: unclosed `(`"),
        ("a]b", "1: expected `.` or `[`"),
        (" $.a", "0: space before `$`"),
        (
            "$.foo-bar",
            "5: expected `.` or `[`; names with special characters are written in brackets: `['a-b']`",
        ),
        ("$ ", "1: expected `.` or `[`; names with special characters are written in brackets: `['a-b']`"),
        ("$.", "2: expected a name or `*`"),
        ("$.a.0", "4: expected a name; an index is written `[0]`, a name with special characters `['0']`"),
        ("a[01]", "2: `01` isn't an integer; integers have no leading zeros and no `-0`"),
        ("a[9007199254740992]", "2: `9007199254740992` is beyond ±9007199254740991"),
        ("a[1.5]", "3: expected `,` or `]`"),
        ("a[-]", "3: expected a digit after `-`"),
        ("a[b c]", "2: names in brackets are quoted: `['b']`"),
        ("a[]", "2: expected a quoted name, an index, a slice, `*` or `?` with a filter"),
        ("['a", "1: unclosed `'`"),
        (r"['\q']", r"2: invalid escape `\q`"),
        (r"['\ud800']", r"1: invalid escape in '\ud800'"),
        ("['a\tb']", r"3: control characters in quotes must be escaped: `\n`, `\u0000`"),
    ] {
        assert_eq!(shape(path), format!("error at {error}"), "{path}");
    }
}

#[test]
fn a_bad_filter_says_where() {
    for (filter, error) in [
        ("", "3: expected `@`, `$`, a literal or a function"),
        ("1", "3: `1` must be compared with something"),
        ("length(@.a)", "3: `length(@.a)` must be compared with something"),
        ("@.a == @.*", "10: `@.*` may select several values; a single one is needed here"),
        ("match(@, 'a') == true", "3: `match(@, 'a')` is true or false; it can't be compared"),
        ("!@.a == 1", "4: `!` negates a test, not a comparison; put the comparison in parentheses"),
        ("@.a == True", "10: expected `@`, `$`, a literal or a function"),
        ("@.a == abc", "10: `abc` is neither a literal nor a call; strings are quoted: 'abc'"),
        ("nope(@)", "3: no function 'nope'; the functions are length, count, match, search and value"),
        ("count(1) > 1", "9: expected a query that begins with `@` or `$`"),
        ("count(@.a, @.b) > 1", "12: expected `)` after the last argument of count()"),
        ("match(@.a)", "12: expected `,` and a pattern"),
        ("match(@.a, '(')", "14: invalid pattern: unclosed `(`"),
        ("match(@.a, '((a{1000}){1000}){1000}')", "14: pattern is too large"),
        ("@.a == 1e400", "10: `1e400` isn't a number"),
        ("@.a == 01", "10: `01` isn't a number"),
        ("@.a = 1", "7: expected `,` or `]`"),
        ("(@.a = 1)", "8: expected `&&`, `||` or `)`"),
    ] {
        assert_eq!(shape(&format!("$[?{filter}]")), format!("error at {error}"), "{filter}");
    }
}

#[test]
fn a_path_that_ends_within_an_escape_is_an_error() {
    for cut in [r"\", r"\u", r"\uD", r"\uD8", r"\uD83D", r"\uD83D\", r"\uD83D\u", r"\uD83D\uD", r"\u00e"] {
        for path in ["$['a", "$[\"a", "$.a[?@.b == 'c", "a['b", "a[?@.b == $.c && @.d == 'e"] {
            assert!(shape(&format!("{path}{cut}")).starts_with("error at "), "{path}{cut}");
            assert!(shape(&format!("{path}{cut}']")).starts_with("error at "), "{path}{cut}']");
        }
    }
}
