use super::{Pattern, PatternError, parse, translate};

fn matches(pattern: &str, text: &str) -> bool {
    Pattern::parse(pattern).unwrap().is_match(text).unwrap()
}

fn refusal(pattern: &str) -> PatternError {
    Pattern::parse(pattern).unwrap_err()
}

/// What the engines are given, without the group around it.
fn translated(pattern: &str) -> String {
    let source = translate::translate(&parse::parse(pattern).unwrap()).unwrap().source;
    source.strip_prefix("(?:").and_then(|rest| rest.strip_suffix(')')).unwrap_or(&source).to_owned()
}

fn is_linear(pattern: &str) -> bool {
    !translate::translate(&parse::parse(pattern).unwrap()).unwrap().backtracks
}

#[test]
fn the_vectors_hold() {
    let vectors: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../vectors/regex.json")).unwrap();
    let vectors = vectors.as_array().unwrap();
    assert!(vectors.len() > 250);
    for vector in vectors {
        let (pattern, text) = (vector["pattern"].as_str().unwrap(), vector["text"].as_str().unwrap());
        match (&vector["matches"], Pattern::parse(pattern)) {
            (serde_json::Value::Bool(expected), Ok(pattern)) => {
                assert_eq!(pattern.is_match(text), Ok(*expected), "{vector}");
            }
            (serde_json::Value::String(refused), Err(_)) if refused == "refused" => {}
            (_, found) => panic!("{vector}: {found:?}"),
        }
    }
}

/// fancy-regex from 0.19 on answers yes to the first two.
#[test]
fn the_engine_needs_both_repetitions() {
    assert!(!matches(r"\d+\.?\d+", "5"));
    assert!(!matches(r"(?=.)\d+\.?\d+(?<=.)", "5"));
    assert!(!matches(r"(?=.)^\w+\s?\w+$(?<=.)", "a"));
    assert!(matches(r"(?=.)\d+\.?\d+(?<=.)", "55"));
}

#[test]
fn plain_patterns_stay_in_the_linear_engine() {
    for pattern in [
        "^foo$",
        "^a$|^b$",
        "(?:a|(?i:b$))",
        "(a|(?P<n>b$))",
        "foo(?=bar$)",
        "(?>a|b)",
        "a++",
        "(?m)^a$b",
        r"\bfoo\b",
        "(?=a)*b",
        "(?s).+",
    ] {
        assert!(is_linear(pattern), "{pattern}");
    }
    for pattern in ["a$b", "(?:a$)+", "(?=a)b", "(?!a)", "(?<=a)", r"(a)\1", "(?>a)b", "a++b", "(a)?(?(1)b)"]
    {
        assert!(!is_linear(pattern), "{pattern}");
    }
}

#[test]
fn the_end_is_taken_only_where_nothing_follows() {
    assert_eq!(translated("a$"), r"a(?:\n?\z)");
    assert_eq!(translated("a$b"), r"a(?=\n?\z)b");
    assert_eq!(translated("(?:a$|b)"), r"(?:a(?:\n?\z)|b)");
    assert_eq!(translated("(?!a$)b"), r"(?!(?:a(?:\n?\z)))b");
    assert_eq!(translated("(?<!a$)b"), r"(?<!(?:a(?=\n?\z)))b");
    assert_eq!(translated(r"(?=(a$))b\1"), r"(?=(?>((?=)a(?=\n?\z))))b(?:\1)");
    assert_eq!(translated(r"(?m)a$\Z"), r"a(?m:$)\z");
}

#[test]
fn constructs_are_rewritten_for_the_engines() {
    assert_eq!(translated(r"^\A\b\B"), r"\A\A\b\B");
    assert_eq!(translated(r"[\w\W]\s\S"), r"[\p{L}\p{N}_[^\p{L}\p{N}_]][\s\x1c-\x1f][[^\s\x1c-\x1f]]");
    assert_eq!(translated(r"[[a&&b]\<"), r"[\[a\&\&b]<");
    assert_eq!(translated("a{,3}b{,}c{x}"), r"a{0,3}b*c\{x\}");
    assert_eq!(translated(r"\101\x2e\07"), "A\\.\x07");
    assert_eq!(translated("(?x) a (?#c) [ b] # d"), "a[ b]");
    assert_eq!(translated("(?i)a(?-i:b(?i:c))"), "(?i:a(?-i:b(?i:c)))");
    assert_eq!(translated(r"(a)(b)(?P<n>c)\2(?P=n)"), r"(?:a)((?=)b)((?=)c)(?:\1)(?:\2)");
}

#[test]
fn refusals_name_the_construct_and_its_place() {
    for (pattern, at, message) in [
        ("é(?<=a+)b", 1, "look-behind requires fixed-width pattern"),
        ("a(?i)b", 1, "global flags not at the start of the expression"),
        (r"a\h", 1, r"bad escape \h"),
        (r"\p{L}", 0, r"bad escape \p"),
        ("(?<n>a)", 0, "unknown extension ?<; write a named group as (?P<name>...)"),
        ("a**", 2, "multiple repeat"),
        ("a|*", 2, "nothing to repeat"),
        ("((a)", 0, "missing ), unterminated subpattern"),
        ("a)", 1, "unbalanced parenthesis"),
        ("a[b", 1, "unterminated character set"),
        ("[z-a]", 1, "bad character range z-a"),
        (r"(a)\2", 3, "invalid group reference 2"),
        (r"(a\1)", 2, "cannot refer to an open group"),
        ("(?P<x>a)(?P<x>b)", 8, "redefinition of group name 'x'"),
        ("a{3,2}", 1, "min repeat greater than max repeat"),
        (r"\400", 0, r"octal escape value \400 outside of range 0-0o377"),
    ] {
        assert_eq!(refusal(pattern), PatternError { message: message.to_owned(), at }, "{pattern}");
    }
    assert_eq!(refusal("a**").to_string(), "multiple repeat at position 2");
}

/// Python takes these; no engine here would answer as it does.
#[test]
fn what_cannot_be_translated_is_refused() {
    for (pattern, message) in [
        ("(?a)b", "unsupported flag 'a': patterns are always Unicode"),
        (r"\N{EM DASH}", r"\N{...}: named characters are not supported"),
        (r"\ud800", r"bad escape \ud800: not a character"),
        ("(?P<é>a)", "bad character in group name, or > missing"),
        (r"(?!(a)b)\1", "reference to a group inside a negative look-around"),
        (r"(?:(?=(aa))a)*\1", "reference to a group inside a repeated look-around"),
        (r"(^)?a(?(1)b)", "reference to a group in a repetition that can match the empty string"),
        (r"(?:a|((?!$))){,2}\1", "reference to a group in a repetition that can match the empty string"),
        (r"(?:(b)|c)*+\1", "reference to a group in a possessive repetition"),
        ("(a(?(1)b))", "cannot refer to an open group"),
        ("(?(1)a)(b)", "invalid group reference 1"),
    ] {
        assert_eq!(refusal(pattern).message, message, "{pattern}");
    }
}

#[test]
fn an_atomic_repetition_ends_at_an_empty_round() {
    assert!(!matches("^(?:a|b??)*+$", "ab"));
    assert!(!matches("^(?>(?:|b)*)$", "b"));
    assert!(matches("^(?:a|b?)*+$", "ab"));
}

#[test]
fn a_condition_leaves_atomic_groups_alone() {
    assert!(!matches("(?>(?:((4)|.)(?(2)))+)b", "b"));
    assert!(!matches("(a)?(?>[bc]+(?(1)d|))c", "bc"));
    assert!(matches("(a)?(?>[bc]+(?(1)d|))e", "bce"));
}

#[test]
fn a_reference_that_ignores_case_is_for_ascii_text() {
    let pattern = Pattern::parse(r"(?i)\b(\w+) \1\b").unwrap();
    assert_eq!(pattern.is_match("The the"), Ok(true));
    assert_eq!(pattern.is_match("The then"), Ok(false));
    let gave_up = pattern.is_match("Été été").unwrap_err();
    assert_eq!(gave_up.to_string(), "gave up: case-insensitive backreferences work only on ASCII text");
    assert!(matches(r"(?i)a(?-i:(\w)\1)", "Aéé"));
}

#[test]
fn catastrophic_patterns_end() {
    let text = "a".repeat(5_000) + "b";
    for pattern in ["(a+)+$", r"(?=.)(a+)+$(?<=a)", r"^(a+)+\1$", "(?=(?:a|a)*c)", r"(?:(a|aa)+\1)+c"] {
        let answer = Pattern::parse(pattern).unwrap().is_match(&text);
        assert_ne!(answer, Ok(true), "{pattern}");
    }
    let gave_up = Pattern::parse(r"^(?:(a+)+)+\1$").unwrap().is_match(&text).unwrap_err();
    assert_eq!(gave_up.to_string(), "gave up after 2250 backtracking steps");
}

#[test]
fn patterns_of_very_many_states_are_tried_on_short_texts() {
    let many = "(?:(?:(?:a?){50}){50}){20}b";
    let text = "a".repeat(10_000);
    let gave_up = Pattern::parse(many).unwrap().is_match(&text).unwrap_err().to_string();
    assert_eq!(gave_up, "takes too long for 10000 bytes (lower its repeat counts)");
    for pattern in [format!("(?=a){many}"), format!(r"(a)\1{many}")] {
        let pattern = Pattern::parse(&pattern).unwrap();
        let gave_up = pattern.is_match(&text).unwrap_err().to_string();
        assert!(
            gave_up.contains("and high repeat counts, it runs only on strings of up to 167 bytes"),
            "{gave_up}"
        );
        assert_ne!(pattern.is_match("aaab"), Ok(false));
    }
    for ordinary in [r"(?!.*x)\w{1,20}b", r"\A(?=.*\d).{8,200}\Z"] {
        assert_eq!(Pattern::parse(ordinary).unwrap().is_match(&text), Ok(false), "{ordinary}");
    }
}

#[test]
fn texts_that_each_round_reads_anew_are_short() {
    let text = |length: usize| "a".repeat(length) + "b";
    for (pattern, longest) in [
        (r"\A(?:(?=.*b).)*c", super::ROAMED_BYTES),
        (r"(?:(?=.*b).)*c", super::ROAMED_BYTES),
        (r"\A(?=.*b)a*c", super::ANCHORED_BYTES),
        (r"\A(?>(?:(?=.*b).)*)c", 242),
        (r"(?=(?:(?=[ab]*a[ab]{90}).)*c)", 242),
    ] {
        let pattern = Pattern::parse(pattern).unwrap();
        let gave_up = pattern.is_match(&text(longest)).unwrap_err().to_string();
        let told = format!("it runs only on strings of up to {longest} bytes");
        assert!(gave_up.contains(&told), "{}: {gave_up}", pattern.as_str());
        assert_ne!(pattern.is_match(&text(longest - 1)), Ok(true), "{}", pattern.as_str());
    }
}

#[test]
fn the_longer_the_way_through_a_pattern_the_fewer_are_tried() {
    let text = "a".repeat(4 << 20);
    for (pattern, told) in [
        (r"(?=(a))\1b", "gave up after 1000000 backtracking steps"),
        (r"(a)\1{1000}b", "gave up after 49900 backtracking steps"),
        (r"(a{10000})\1{1000}b", "gave up after 100 backtracking steps"),
    ] {
        let gave_up = Pattern::parse(pattern).unwrap().is_match(&text).unwrap_err();
        assert_eq!(gave_up.to_string(), told, "{pattern}");
    }
    let long = "a".repeat(super::ANCHORED_BYTES + 1);
    assert!(Pattern::parse(r"\A(?!.*b)a").unwrap().is_match(&long).is_err());
}

#[test]
fn hostile_patterns_are_refused_or_compiled_without_harm() {
    for part in [
        "(", "[", ")", "(?:", "(?=", "(?", "\\", "{", "a{", "|", "a|", "a*", "(?#", "(?x", "(a)?", r"\1", "é",
    ] {
        for count in [99, 5_000, 100_000] {
            let _ = Pattern::parse(&part.repeat(count));
        }
    }
    assert_eq!(refusal(&"(".repeat(100_000)).message, "pattern longer than 65536 bytes");
    assert_eq!(refusal(&"(".repeat(1_000)).message, "groups nested deeper than 100");
    assert_eq!(refusal(&"(?x:(?=".repeat(1_000)).message, "groups nested deeper than 100");
    let nested = |depth: usize| "(?:".repeat(depth) + "a" + &")*".repeat(depth);
    assert!(matches(&nested(100), "a"));
    assert_eq!(refusal(&nested(101)).message, "groups nested deeper than 100");
    for pattern in ["(a{1000}){1000}", "(?=(a{1000}){1000})b", "(?:a{4000}){4000}{", r"\w{1000000}"] {
        assert_eq!(refusal(pattern).message, "too large or too complex for the regex engine", "{pattern}");
    }
    for part in [r"(?i)\w", r"(?i)[\W-]", r"(?i)[\0-\U0010ffff]", r"(?i)(?=[a-\uffff])x", r"\w+|x"] {
        let many = part.replacen("(?i)", "", 1).repeat(3_000);
        let pattern = if part.starts_with("(?i)") { format!("(?i){many}") } else { many };
        let message = refusal(&pattern).message;
        assert_eq!(message, "character sets are too large for the regex engine", "{part}");
    }
    let towers = "(?:".repeat(20) + "(?=a)a" + &"){4000000000}".repeat(20);
    assert_eq!(refusal(&towers).message, "the repetition is too large");
}

#[test]
fn long_alternations_of_words_are_compiled() {
    let word = |number: usize| {
        let letter = |place: u32| char::from(b'a' + u8::try_from(number / 10_usize.pow(place) % 10).unwrap());
        (0..4).map(letter).collect::<String>() + "z"
    };
    let words = (0..10_000).map(word).collect::<Vec<_>>().join("|");
    for pattern in [words.clone(), format!("(?i){words}")] {
        assert!(matches(&pattern, "x jjjjz") && !matches(&pattern, "x jjjjy"));
    }
    for sets in [r"(?i)^(?:\w+[\s,.-]*){100}$", &("(?i)".to_owned() + &r"[\W_]+\w+".repeat(40))] {
        assert!(matches(sets, &"a, ".repeat(100)), "{sets}");
    }
}

#[test]
fn categories_hold_the_same_characters_in_either_case() {
    // An iota that is written below another letter is a mark, though its other case is a letter.
    for (pattern, expected) in
        [(r"(?i)\w", false), (r"(?i)\W", true), (r"(?i)[^\w]", true), (r"(?i)[^\W]", false), ("(?i)ι", true)]
    {
        assert_eq!(matches(pattern, "\u{345}"), expected, "{pattern}");
    }
    assert!(matches(r"(?i)\wK", "aK") && matches(r"(?i)[\w]k[\d]", "Ⅰ\u{212a}٣"));
}

#[test]
fn the_pattern_is_kept_as_written() {
    let pattern = Pattern::parse("(?x) é # c").unwrap();
    assert_eq!(pattern.as_str(), "(?x) é # c");
    assert_eq!(pattern.clone().is_match("é"), Ok(true));
}

#[test]
fn a_long_text_is_refused_where_every_step_may_scan_it() {
    let long = "a".repeat(super::ROAMED_BYTES + 1);
    assert!(Pattern::parse("(?!.*b)b").unwrap().is_match(&long).is_err());
    assert!(!Pattern::parse("(?!.*b)b").unwrap().is_match(&long[1..]).unwrap());
    for bounded in [r"\A(?!.*b)a", "(?<!b)b", r"^(?=a).*b", "a*b"] {
        Pattern::parse(bounded).unwrap().is_match(&long).unwrap();
    }
}

#[test]
fn long_sequences_of_sets_fit_the_engine() {
    for (pattern, matching) in [
        (r"\A[\W\d_\x00]{64}\Z", "-".repeat(64)),
        (r"\A[^\d\s]{1,64}\Z", "é".repeat(64)),
        (r"\A\w{64}\Z", "é1".repeat(32)),
        (r"\A(?:[\s\W]{32})[^\W\d]{32}\Z", " ".repeat(32) + &"a".repeat(32)),
    ] {
        assert!(matches(pattern, &matching) && !matches(pattern, &(matching + "a1 ")), "{pattern}");
    }
}
