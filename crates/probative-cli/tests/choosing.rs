//! `--case ID`: one case, by exactly its id.

mod cases;
mod place;

use cases::{each, fence};
use place::Place;

fn case(id: &str) -> String {
    fence(&format!("id: {id}\ntype: text.file\nassert: [{{target: text, must: [{{contain: [type]}}]}}]"))
}

fn place() -> Place {
    let first = [case("CK-1"), case("CK-10"), case("\"odd \\e[31m id\"")].concat();
    Place::with(&[("a.spec.md", &first), ("b.spec.md", &case("OTHER"))])
}

#[test]
fn only_the_cases_with_these_ids_are_run() {
    let place = place();
    assert_eq!(each(&place.results(&["run", "--case", "CK-1"]), "id"), ["CK-1"]);
    let both = place.results(&["run", "--case", "OTHER", "--case", "CK-10"]);
    assert_eq!(each(&both, "id"), ["CK-10", "OTHER"]);
    assert_eq!(each(&place.results(&["run", "--case", "odd \u{1b}[31m id"]), "id"), ["odd \u{1b}[31m id"]);
    place.run(&["run", "--list", "--case", "CK-10"]).with(0, &["CK-10\ttext.file\ta.spec.md:"], &[]);
    // Both must hold.
    place.run(&["run", "--case", "CK-1", "--filter", "OTHER"]).with(
        2,
        &[],
        &["no case matches the selection (cases in total: 4)"],
    );
    place.run(&["run", "b.spec.md", "--case", "CK-1"]).with(2, &[], &["no case has the id 'CK-1'"]);
}

#[test]
fn an_id_that_no_case_has_is_refused_with_the_nearest() {
    let place = place();
    for command in ["run", "conformance"] {
        let told = "probative: no case has the id 'OTHR'; did you mean 'OTHER'?";
        place.run(&[command, "--case", "CK-1", "--case", "OTHR"]).with(2, &[], &[told]);
    }
    let told = r"no case has the id 'ck\u001b[2J'; --list lists all cases";
    place.run(&["run", "--case", "ck\u{1b}[2J"]).with(2, &[], &[told]);
    place.run(&["run", "--list", "--case", "OTHR"]).with(2, &[], &["did you mean 'OTHER'?"]);
}

#[test]
fn ignored_code_blocks_are_named_before_the_next_step() {
    let place = place();
    let near = "\n```yaml spec_test\nid: NEAR\n```\n";
    place.write("b.spec.md", [&case("OTHER"), near].concat().as_bytes());
    let first = "b.spec.md:7:1: this fence isn't a case; to make it one, start it with ```yaml spec-test";
    let told = format!("no case has the id 'NEAR' (ignored code block: {first}); --list lists all cases\n");
    place.run(&["run", "--case", "NEAR"]).with(2, &[], &[&told]);
    place.write("b.spec.md", [&case("OTHER"), near, near].concat().as_bytes());
    let told =
        format!("'NEAR' (2 ignored code blocks, listed by `probative lint`; first: {first}); --list lists");
    place.run(&["run", "--case", "NEAR"]).with(2, &[], &[&told]);
}

#[test]
fn what_is_wrong_with_a_document_is_told_before_an_id_is_called_unknown() {
    let place = place();
    place.write("c.spec.md", b"```yaml spec-test\nid: [\n```\n");
    let ended = place.run(&["run", "--case", "HIDDEN"]);
    ended.with(2, &["c.spec.md:2"], &[]);
    assert!(!ended.stderr.contains("no case has the id"), "{ended:#?}");
}
