//! Specs run from a Rust test.

use std::path::Path;

use probative::spec::Format;
use probative_run::{Specs, run_dir};

/// A directory with documents in it.
fn directory(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

const GOOD: &str = "\
Says hello.

```yaml spec-test
id: GOOD
type: cli.run
harness: {entrypoint: echo hello}
assert: [{target: stdout, must: [{contain: [hello]}]}]
```
";

const BAD: &str = "\
```yaml spec-test
id: BAD
type: cli.run
exit_code: 3
harness: {entrypoint: echo bye}
assert: [{target: stdout, must: [{contain: [hello]}]}]
```
";

const BROKEN: &str = "```yaml spec-test\nid: BROKEN\n";

const SKIPPED: &str = "\
```yaml spec-test
id: SKIPPED
type: cli.run
requires: {capabilities: [time.travel], when_missing: skip}
```
";

#[test]
fn what_passes_is_counted() {
    let specs = directory(&[("a.spec.md", GOOD), ("b.spec.md", SKIPPED), ("no.md", BAD)]);
    let summary = run_dir(specs.path());
    assert_eq!((summary.total, summary.passed, summary.skipped), (2, 1, 1));
}

#[test]
fn the_report_says_what_failed() {
    let specs = directory(&[("a.spec.md", GOOD), ("b.spec.md", BAD), ("c.spec.md", BROKEN)]);
    let ran = Specs::at(specs.path()).run();
    assert_eq!((ran.summary.total, ran.summary.passed, ran.summary.failed, ran.summary.errors), (3, 1, 1, 1));
    for told in [
        "\n  exit_code  ",
        "\n    exit_code expected=3 actual=0",
        "expected stdout to contain 'hello', found 'bye\\n'",
        "error: this spec-test fence is never closed",
        "c.spec.md:1:1",
        "3 cases: 1 passed, 1 failed, 1 error",
    ] {
        assert!(ran.report.contains(told), "{told} is not in\n{}", ran.report);
    }
}

#[test]
#[should_panic(expected = "exit_code expected=3 actual=0")]
fn what_fails_panics_with_the_report() {
    run_dir(directory(&[("b.spec.md", BAD)]).path());
}

#[test]
#[should_panic(expected = "no *.spec.md or *.tests.json in this directory")]
fn an_empty_directory_is_no_success() {
    run_dir(directory(&[]).path());
}

#[test]
#[should_panic(expected = "cannot be read")]
fn a_directory_that_is_not_there_is_no_success() {
    run_dir(Path::new("/no/such/directory"));
}

#[test]
fn every_case_is_a_test_of_its_own() {
    let specs =
        directory(&[("a.spec.md", GOOD), ("b.spec.md", BAD), ("c.spec.md", BROKEN), ("d.spec.md", SKIPPED)]);
    let cases = Specs::at(specs.path()).cases();
    let [good, bad, broken, skipped] = cases.as_slice() else { panic!("{cases:?}") };
    assert_eq!((good.name(), good.run()), ("GOOD", Ok(())));
    assert!(bad.run().unwrap_err().contains("actual=0"));
    assert!(broken.name().ends_with("c.spec.md"));
    assert!(broken.run().unwrap_err().contains("never closed"));
    assert_eq!(skipped.skipped().unwrap().capabilities, ["time.travel"]);
    assert!(good.skipped().is_none() && skipped.run().is_ok());
}

#[test]
fn formats_and_depth_are_chosen() {
    let specs = directory(&[("a.spec.yaml", "id: Y\ntype: text.file\n"), ("b.spec.md", BAD)]);
    std::fs::create_dir(specs.path().join("below")).unwrap();
    std::fs::write(specs.path().join("below/c.spec.yaml"), "{id: Z, type: text.file}").unwrap();
    let yaml = Specs::at(specs.path()).formats(&[Format::Yaml]);
    assert_eq!(yaml.run().summary.passed, 1);
    assert_eq!(yaml.recursive().run().summary.passed, 2);
}
