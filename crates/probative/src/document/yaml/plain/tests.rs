use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::parse;
use super::read;

/// Whatever is answered is what the parser answers; says whether there was an answer.
fn agrees(text: &str) -> bool {
    let answer = read(text);
    if let Some(node) = &answer {
        assert_eq!(Ok(node), parse(text).map_err(|mistake| mistake.message).as_ref(), "{text:?}");
    }
    answer.is_some()
}

/// The fences of a Markdown document, as far as they begin a line.
fn fences(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.split("\n```yaml spec-test\n").skip(1).filter_map(|rest| Some(&rest[..=rest.find("\n```")?]))
}

#[test]
fn ordinary_documents_are_answered() {
    for text in [
        "a: 1",
        "a:",
        "- a\n- 'b'\n-\n- c: \"d\"\n  e:\n",
        "\n# first\na: x y  # why\nb:\n\n  # inner\n  c: -1\n  'd e': [f, \"g\\n\", {h: 1.5, \"i\": []}, {}]\n# last",
        "a: http://x.y/z?q#r\nb: it's, [so] {far}\nc: ^a$\nd: a#b\n",
        "a:\n- 1\n-  b: 2\n   c: 3\n- - d\n  - e\nf: null\n",
        "a: {b: c}\nd:\n  - e: [--f, -g, /h, ./i, .5, ~, true]\n    j: 'it''s'\n",
        "title: ü — é → 1\n",
        "a:\n    b\nc: ---\n",
        "  a: 1\n  b: 2",
        "[a, b]",
        "a: # b\n  c",
    ] {
        assert!(agrees(text), "{text:?}");
    }
}

#[test]
fn most_of_what_people_write_is_answered() {
    let documents = [
        include_str!("../../../../../../specs/conformance/04-text-file.spec.md"),
        include_str!("../../../../../../specs/conformance/05-cli-run.spec.md"),
        include_str!("../../../../../../specs/conformance/08-assertions.spec.md"),
        include_str!("../../../../../../examples/policy/policy.spec.md"),
    ];
    let answered: Vec<bool> = documents.into_iter().flat_map(fences).map(agrees).collect();
    let count = answered.iter().filter(|answered| **answered).count();
    assert!(answered.len() > 50 && count * 2 > answered.len(), "{count} of {}", answered.len());
}

#[test]
fn what_is_unusual_is_left_to_the_parser() {
    for text in [
        "",
        "a",
        "'a'",
        "a: 1\na: 2",
        "a: {b: 1, b: 2}",
        "a:\tb",
        "a: b\r\n",
        "\u{feff}a: 1",
        "a: \u{85}b",
        "a: \u{2028}b",
        "---\na: 1",
        "a: 1\n...",
        "a: 1\n---\nb: 2",
        "%YAML 1.2\na: 1",
        "? a\n: b",
        "a: ? b",
        "a: &b c",
        "a: *b",
        "a: !b c",
        "a: @b",
        "a: `b",
        "a: |\n  b",
        "a: >\n  b",
        "a: b: c",
        "a: b\n  c",
        "a: 'b\n  c'",
        "a: \"b\n  c\"",
        "a: [b,\n  c]",
        "a: [b, c",
        "a: [b, ]",
        "a: [b: c]",
        "a: [b,c: d]",
        "a: {b}",
        "a: {b:c}",
        "a: {b: }",
        "a: {b: c, d}",
        "a: 'b' c",
        "a: 'b'c",
        "a: [b] c",
        "a: \"\\x41\"",
        "a: .inf",
        "a : b",
        "a: - b",
        "a:\n    b: 1\n  c: 2",
        "- a\n b",
        "- a\nb: c",
        "a: 1\n- b",
        "a:\n  - b\n  c: d",
        "[a]: b",
        "- \n- a",
    ] {
        assert!(read(text).is_none(), "{text:?}");
    }
    assert!(read(&format!("{}a", "- ".repeat(100))).is_none());
    assert!(read(&format!("a: {}{}", "[".repeat(100), "]".repeat(100))).is_none());
    assert!(read(&format!("{}: b", "a".repeat(2000))).is_none());
}

/// What a document is made of, with everything between that means something in YAML.
const PIECES: &[&str] = &[
    "a",
    "b",
    "a b",
    "null",
    "~",
    "true",
    "1",
    "-1",
    "0x1f",
    "1e3",
    "1.",
    ".5",
    "é",
    "---",
    "...",
    "--a",
    "-",
    "- ",
    "- - ",
    "-a",
    ":",
    ": ",
    "a:",
    "a: ",
    "b: ",
    "c:",
    "'a': ",
    "\"b\": ",
    "? ",
    "'",
    "''",
    "'a'",
    "'a b'",
    "'it''s'",
    "\"",
    "\"\"",
    "\"a\"",
    "\"a\\nb\"",
    "\"\\x41\"",
    "\\",
    "[",
    "]",
    "{",
    "}",
    "[]",
    "{}",
    "[a]",
    "[a, b]",
    "[a, [b]]",
    "{a: b}",
    "{a: b, c: [d]}",
    "{a}",
    "{a: }",
    "[a: b]",
    ",",
    ", ",
    "#",
    " #",
    " # c",
    "&a ",
    "*a",
    "!t ",
    "|",
    ">",
    "|-",
    "%",
    "@",
    "`",
    " ",
    "  ",
    "   ",
    "\n",
    "\n",
    "\n",
    "\n  ",
    "\n  ",
    "\n    ",
    "\n- ",
    "\n  - ",
    "\n\n",
    "\n# c\n",
    "\t",
    "\r\n",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{a0}",
    "/",
    "(",
    "$",
    "+",
    "^",
    "=",
    "<",
    "http://a",
    "a#b",
    "a,b",
    "a:b",
    "a]b",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 1..24).prop_map(|pieces| pieces.concat())
}

fn inline() -> impl Strategy<Value = String> {
    let leaf = select(
        &[
            "a",
            "b c",
            "1",
            "-2",
            "1.5",
            "null",
            "~",
            "true",
            "'d'",
            "'it''s # [so]: far'",
            "\"e\"",
            "\"f\\\\g\\n\"",
            "''",
            "é",
            "/h",
            "--i",
            "x:y",
            "p#q",
            "$r",
            ".5",
            "[]",
            "{}",
            "z.",
        ][..],
    );
    leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec(inner, 0..4).prop_map(|values| {
                let members: Vec<String> =
                    values.iter().enumerate().map(|(at, value)| format!("k{at}: {value}")).collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

/// Lines of a block, to be indented.
fn block() -> impl Strategy<Value = Vec<String>> {
    let ending = select(&["", "", "", "  ", "  # why", "\n", "\n# why", "\n      # why"][..]);
    let line = (inline(), ending).prop_map(|(value, ending)| vec![format!("{value}{ending}")]);
    line.prop_recursive(4, 24, 4, |inner| {
        let key = select(&["a", "b c", "'d'", "\"e\"", "f-g", "1", "null"][..]);
        let indent = 1..4_usize;
        prop_oneof![
            prop::collection::vec((key, inner.clone(), indent), 1..5).prop_map(|members| {
                let mut lines = Vec::new();
                for (at, (key, value, indent)) in members.into_iter().enumerate() {
                    let key = if at == 0 { key.to_owned() } else { format!("k{at}") };
                    match value.as_slice() {
                        [one] => lines.push(format!("{key}: {one}")),
                        several => {
                            lines.push(format!("{key}:"));
                            let is_list = several.iter().all(|line| line.starts_with(['-', ' ']));
                            let indent = if is_list && at % 2 == 1 { 0 } else { indent };
                            lines.extend(several.iter().map(|line| format!("{:indent$}{line}", "")));
                        }
                    }
                }
                lines
            }),
            prop::collection::vec((inner, 1..3_usize), 1..5).prop_map(|items| {
                let mut lines = Vec::new();
                for (item, spaces) in items {
                    for (at, line) in item.iter().enumerate() {
                        let width = spaces + 1;
                        let dash = if at == 0 { "-" } else { "" };
                        lines.push(format!("{dash:width$}{line}"));
                    }
                }
                lines
            }),
        ]
    })
}

fn document() -> impl Strategy<Value = String> {
    block().prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn any_text_is_read_as_the_parser_does(text in soup()) {
        agrees(&text);
    }

    #[test]
    fn documents_are_read_as_the_parser_does(text in document()) {
        agrees(&text);
    }

    #[test]
    fn changed_documents_are_read_as_the_parser_does(
        text in document(),
        changes in prop::collection::vec((any::<Index>(), any::<bool>(), select(PIECES)), 1..4),
    ) {
        let mut text = text;
        for (place, cuts, piece) in changes {
            let at = text.floor_char_boundary(place.index(text.len() + 1));
            let end = if cuts { text.floor_char_boundary((at + piece.len()).min(text.len())) } else { at };
            text.replace_range(at..end, piece);
            agrees(&text);
        }
    }
}

#[test]
fn documents_that_are_made_are_mostly_answered() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let answered = (0..500).filter(|_| {
        let text = document().new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
        agrees(&text)
    });
    let count = answered.count();
    assert!(count > 200, "{count} of 500");
}
