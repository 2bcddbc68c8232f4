//! A case for each operator.

pub(super) const CONTAIN: &str = "\
id: GREETS
type: cli.run
argv: [Hello, World]
harness: {entrypoint: echo}
assert:
  - target: stdout
    must:
      - contain: [Hello, World]
";

pub(super) const REGEX: &str = "\
id: GREETS-SOMEBODY
type: cli.run
argv: [Hello, World]
harness: {entrypoint: echo}
assert:
  - target: stdout
    must:
      - regex: ['^Hello \\w+$']
";

pub(super) const JSON_TYPE: &str = "\
id: PRINTS-JSON
type: cli.run
argv: ['{\"limit\": 100}']
harness: {entrypoint: echo}
assert:
  - target: stdout
    must:
      - json_type: [dict]
";

pub(super) const EXISTS: &str = "\
id: NAMES-A-FILE
type: cli.run
argv: [report.txt]
harness: {entrypoint: echo, setup_files: [{path: report.txt, text: done}]}
assert:
  - target: stdout_path
    must:
      - exists: [true]
";

pub(super) const EVALUATE: &str = "\
id: KNOWS-THE-LIMIT
type: cli.run
argv: ['{\"limit\": 100}']
harness: {entrypoint: echo}
assert:
  - target: stdout
    must:
      - evaluate:
          - [eq, [get, [json_parse, [subject]], limit], 100]
";
