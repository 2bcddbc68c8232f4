//! Every rule of how cases are written: where a mistake is told, what is marked, and in which words.
//!
//! In the tables a document is followed, under the line that is wrong, by the marks and the words that tell it.

mod cases;
mod place;

use cases::fence;
use place::Place;

const DOCUMENTS: &str = r#"
hello
^^^^^ expected a case (an object with 'id' and 'type'), found a string

- {id: A, type: text.file}
- 3
  ^ expected a case (an object with 'id' and 'type'), found a number

[]
^^ the list of cases is empty

id: A
type: text.file
id: B
^^ duplicate key 'id'

id: A
---
^^^ expected one YAML document, found another
id: B

id: !!str 5
          ^ YAML tags aren't supported

id: A
? [b]
  ^ a key must be a string
: c

id: A
x-ratio: .nan
         ^^^^ '.nan' isn't a number that JSON can represent

id: [A
    ^ unclosed bracket '['

type: text.file
^ 'id' is missing

id: 5
    ^ 'id' must be a string
type: text.file

id: ' '
    ^^^ 'id' must not be empty
type: text.file

id: A
^ 'type' is missing

id: A
type: [text.file]
      ^^^^^^^^^^^ 'type' must be a string

- {id: A, type: text.file}
- {id: B, type: text.file}
- {type: text.file, id: A}
                        ^ duplicate id 'A'; first used at t.spec.yaml:1:3

id: A
type: text.file
x-ähnlich: [ö, "漢"]
expect: {"portable": {"category": "ä", "stat": pass}}
                                  ^^^ expect.portable.category: expected schema, assertion, runtime or null
"#;

const TEXT_FILE: &str = r#"
tilte: x
^^^^^ unknown key 'tilte'; did you mean 'title'?

zzzzz: x
^^^^^ unknown key 'zzzzz'; expected one of: id, type, title, purpose, assert, assert_health, expect, requires, trials, harness, path

argv: [x]
^^^^ unknown key 'argv'; expected one of: id, type, title, purpose, assert, assert_health, expect, requires, trials, harness, path

title: 5
       ^ title: expected a string, found 5

path: /etc/passwd
      ^^^^^^^^^^^ text.file path must be relative

path: ''
      ^^ path: a path must not be empty

path: "a\0b"
      ^^^^^^ path: a path must not contain a NUL character

harness: {entrypoint: x}
          ^^^^^^^^^^ unsupported harness key(s): entrypoint; expected one of: spec_lang

harness: {spec_lang: {max_steps: 0}}
                                 ^ harness.spec_lang.max_steps: expected a positive integer, found 0

harness: {spec_lang: {timeout_ms: -1}}
                                  ^^ harness.spec_lang.timeout_ms: expected a non-negative integer, found -1

harness: {spec_lang: {max_step: 5}}
                      ^^^^^^^^ harness.spec_lang: unknown key 'max_step'; did you mean 'max_steps'?

assert_health: {mode: loud}
                      ^^^^ assert_health.mode must be one of: ignore, warn, error

assert_health: warn
               ^^^^ 'assert_health' must be an object with 'mode', not a string

assert_health: {mod: warn}
                ^^^ unknown key 'mod' in assert_health; expected 'mode'

expect: {portable: {status: passed}}
                            ^^^^^^ expect.portable.status: unknown value 'passed'; did you mean 'pass'?

expect: {portble: {status: pass}}
         ^^^^^^^ expect: unknown key 'portble'; did you mean 'portable'?

expect: {impl: {rust: {message_tokens: x}}}
                                       ^ expect.impl.rust.message_tokens: expected a list, found 'x'

requires: {capabilities: cli.run}
                         ^^^^^^^ requires.capabilities: expected a list, found 'cli.run'

requires: {when_missing: ignore}
                         ^^^^^^ requires.when_missing: unknown value 'ignore'; expected one of: skip, fail
"#;

const ASSERTIONS: &str = r#"
assert: text
        ^^^^ assert: expected a group or an assertion, found a string

assert: [{}]
         ^^ assert[0]: empty assertion: expected an operator with a list of values

assert: [{target: txt, must: [{contain: [x]}]}]
                  ^^^ assert[0].target: unknown target for text.file: 'txt'; did you mean 'text'?

assert: [{target: stdout, must: [{contain: [x]}]}]
                  ^^^^^^ assert[0].target: unknown target for text.file: 'stdout'; expected 'text'

assert: [{target: text, must: [{contain: [x]}], can: [{contain: [x]}]}]
                                                ^^^ a group takes exactly one of must, can and cannot

assert: [{target: text, must: []}]
                        ^^^^ 'must' must not be empty

assert: [{target: text, cannot: {contain: [x]}}]
                                ^^^^^^^^^^^^^^ assert[0].cannot: 'cannot' takes a list, not an object

assert: [{target: text, mus: [{contain: [x]}]}]
                        ^^^ unknown key 'mus'; did you mean 'must'?

assert: [{targt: text, must: [{contain: [x]}]}]
          ^^^^^ unknown key 'targt'; did you mean 'target'?

assert: [{target: text, must: [{contain: [x], target: text}]}]
                                              ^^^^^^ leaf assertion must not include key: target; put it on the group around the leaf

assert: [{must: [{contain: [x]}]}]
                  ^^^^^^^ 'contain' has no target; set 'target' on a group around it

assert: [{contain: [x]}]
          ^^^^^^^ 'contain' has no target; set 'target' on a group around it

assert: [{target: text, must: [{contain: []}]}]
                                ^^^^^^^ 'contain' needs at least one value

assert: [{target: text, must: [{contain: x}]}]
                                         ^ assert[0].must[0].contain: 'contain' takes a list of values here, not a string; write contain: ["x"]

assert: [{target: text, must: [{can: [{contian: [x]}]}]}]
                                       ^^^^^^^ unsupported op for text.file.text: contian; did you mean 'contain'?

assert: [{target: text, must: [{exists: [true]}]}]
                                ^^^^^^ unsupported op for text.file.text: exists

assert: [{target: text, must: [{contain: [a, 5]}]}]
                                             ^ 'contain' takes strings, not a number

assert: [{target: text, must: [{json_type: [object]}]}]
                                            ^^^^^^ unsupported json_type: 'object'; expected 'dict' or 'list'

assert: [{target: text, must: [{regex: ['(']}]}]
                                        ^^^ invalid regex '(': missing ), unterminated subpattern (character 1)

assert: [{target: text, must: [{regex: ['(?<=a+)b']}]}]
                                        ^^^^^^^^^^ invalid regex '(?<=a+)b': look-behind requires fixed-width pattern (character 1)

assert: [{target: text, must: [{evaluate: [{eq: [1]}]}]}]
                                           ^^^^^^^^^ 'evaluate' takes expressions, each written as a list-based s-expr, not an object

assert: [{target: text, must: [{evaluate: [[not, {a: 1}]]}]}]
                                                 ^^^^^^ spec_lang expressions are written as a list-based s-expr, found an object

assert: [{target: text, must: [{evaluate: [[nope, 1]]}]}]
                                            ^^^^ unsupported spec_lang symbol: nope

assert: [{target: text, must: [{evaluate: [[and, true, [eq, 1]]]}]}]
                                                       ^^^^^^^ 'eq' takes 2 arguments, got 1; write it as ["eq", a, b]

assert: [{target: text, must: [{evaluate: [[var, x]]}]}]
                                                 ^ unknown variable 'x'
"#;

const CLI_RUN: &str = r#"
entrypoint: x
^^^^^^^^^^ move harness-only keys under 'harness:': entrypoint, env
env: {}

harness: {entrypiont: x}
          ^^^^^^^^^^ unsupported harness key(s): entrypiont; did you mean 'entrypoint'?

harness: [a]
         ^^^ harness: expected an object, found a list

argv: {a: 1}
      ^^^^^^ argv: expected a string or a list of strings, found an object

argv: [a, [b]]
          ^^^ argv: expected a string, found a list

exit_code: no
           ^^ exit_code: expected an integer, found 'no'

harness: {setup_files: [{path: ../a, text: x}]}
                       ^^^^^^^^^^^^^^^^^^^^^^^ harness.setup_files path escapes the temporary directory: '../a'

harness: {setup_files: [{path: a/../../b, text: x}]}
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ harness.setup_files path escapes the temporary directory: 'a/../../b'

harness: {setup_files: [{path: /a, text: x}]}
                       ^^^^^^^^^^^^^^^^^^^^^ harness.setup_files path must be relative: '/a'

harness: {setup_files: [{path: a}]}
                        ^^^^^^^^^ harness.setup_files: 'text' is missing

harness: {setup_files: [{path: a, txt: x, text: x}]}
                                  ^^^ harness.setup_files: unknown key 'txt'; did you mean 'text'?

harness: {env: {A=B: x}}
               ^^^^^^^^ harness.env: 'A=B' isn't a valid variable name

harness: {env: {A: [x]}}
                   ^^^ harness.env.A: expected a string, found a list

harness: {timeout_ms: 0}
                      ^ harness.timeout_ms: expected a positive integer, found 0

harness: {cwd: home}
               ^^^^ harness.cwd: unknown value 'home'; expected one of: temp, root

harness: {stdin_isatty: yes}
                        ^^^ harness.stdin_isatty: expected a boolean, found 'yes'

harness: {entrypoint: "a 'b"}
                      ^^^^^^ harness.entrypoint isn't a valid command: unclosed quote

harness: {entrypoint: ls, hook_after: ' '}
                                      ^^^ harness.hook_after isn't a valid command: it is empty

harness: {entrypoint: ls, block_imports: [json]}
                                         ^^^^^^ harness.block_imports needs a Python entrypoint, 'module:attr'

harness: {hook_kwargs: [x]}
                       ^^^ harness.hook_kwargs: expected an object, found a list

harness: {hook_before: [x]}
                       ^^^ harness.hook_before: expected a string, found a list

assert: [{target: stdout_path, must: [{contain: [x]}]}]
                                       ^^^^^^^ unsupported op for cli.run.stdout_path: contain

assert: [{target: stdout_path, must: [{exists: [false]}]}]
                                                ^^^^^ stdout_path.exists only accepts true, not false
"#;

const API_HTTP: &str = r"
request: {method: GET}
         ^^^^^^^^^^^^^ api.http request.url is required

request: {url: x}
         ^^^^^^^^ api.http request.method is required

request: {method: GET, url: x, body_text: a, body_json: {}}
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ api.http request takes body_text or body_json, not both

request: {method: GET, url: x, boddy_text: a}
                               ^^^^^^^^^^ request: unknown key 'boddy_text'; did you mean 'body_text'?

request: {method: GET, url: x, headers: [a]}
                                        ^^^ request.headers: expected an object, found a list

request: {method: GET, url: x}
harness: {timeout_seconds: 0}
                           ^ harness.timeout_seconds: expected a number greater than 0 and at most 86400, found 0

request: {method: GET, url: x}
assert: [{target: body, must: [{contain: [x]}]}]
                  ^^^^ assert[0].target: unknown target for api.http: 'body'; expected one of: status, headers, body_text, body_json
";

/// A document with one mistake.
struct Row {
    text: String,
    line: usize,
    column: usize,
    marks: usize,
    words: String,
}

impl Row {
    /// Reads a row of a table. The marks stand under the last line above them.
    fn read(written: &str, head: &str) -> Row {
        let lines: Vec<&str> = head.lines().chain(written.lines()).collect();
        let at = lines.iter().position(|line| line.trim_start().starts_with('^')).expect(written);
        let (marks, words) = lines[at].trim_start().split_once(' ').expect(written);
        Row {
            column: lines[at].len() - lines[at].trim_start().len() + 1,
            line: at,
            marks: marks.len(),
            words: words.to_owned(),
            text: [&lines[..at], &lines[at + 1..]].concat().join("\n"),
        }
    }

    /// The mistake as a person is shown it.
    fn shown(&self, file: &str) -> String {
        let Row { line, column, marks, words, text } = self;
        let wrong = text.lines().nth(line - 1).unwrap();
        // A character may take two columns of the screen, but is one.
        let (before, marks) = (" ".repeat(column - 1), "^".repeat(*marks));
        let margin = " ".repeat(line.to_string().len());
        format!(
            "error: {words}\n{margin}--> {file}:{line}:{column}\n{margin} |\n{line} | {wrong}\n{margin} | {before}{marks}\n"
        )
    }

    /// The same document as a fence, in which it stands a line lower.
    fn fenced(&self) -> Row {
        let words = self.words.replace("t.spec.yaml:1:", "t.spec.md:2:");
        Row { text: fence(&self.text), line: self.line + 1, words, ..*self }
    }
}

#[track_caller]
fn is_told(place: &Place, file: &str, row: &Row) {
    let Row { text, line, column, words, .. } = row;
    place.write(file, text.as_bytes());
    place.run(&["lint", file]).with(2, &[&row.shown(file)], &[]);
    let ended = place.run(&["run", file, "--report", "jsonl", "--no-timings"]);
    assert_eq!(ended.code, 2, "{text}");
    let results = ended.json_lines();
    let messages: Vec<&str> = results.iter().filter_map(|result| result["message"].as_str()).collect();
    assert_eq!(messages, [format!("{file}:{line}:{column}: {words}")], "{text}");
    let wrong = results.iter().find(|result| !result["message"].is_null()).unwrap();
    assert_eq!((&wrong["status"], &wrong["category"]), (&"error".into(), &"schema".into()), "{text}");
}

#[track_caller]
fn are_told(table: &str, head: &str) {
    let place = Place::with(&[]);
    for written in table.trim_matches('\n').split("\n\n") {
        let row = Row::read(written, head);
        is_told(&place, "t.spec.yaml", &row);
        is_told(&place, "t.spec.md", &row.fenced());
    }
}

#[test]
fn mistakes_in_documents_are_shown() {
    are_told(DOCUMENTS, "");
}

#[test]
fn mistakes_in_what_every_case_has_are_shown() {
    are_told(TEXT_FILE, "id: A\ntype: text.file");
}

#[test]
fn mistakes_in_assertions_are_shown() {
    are_told(ASSERTIONS, "id: A\ntype: text.file");
}

#[test]
fn mistakes_in_commands_are_shown() {
    are_told(CLI_RUN, "id: A\ntype: cli.run");
}

#[test]
fn mistakes_in_requests_are_shown() {
    are_told(API_HTTP, "id: A\ntype: api.http");
}
