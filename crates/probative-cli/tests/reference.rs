//! `probative explain` and `probative schema`, both read off the enum.

mod place;

use place::Place;
use probative::About;
use serde_json::Value;

#[test]
fn every_assertion_is_listed_and_explained() {
    let place = Place::with(&[]);
    let list = place.run(&["explain"]);
    for name in About::ALL.iter().flat_map(|about| about.names()) {
        assert!(list.stdout.contains(&format!("  {name} ")), "{name} is not listed");
        let page = place.run(&["explain", name]);
        page.with(0, &[name], &[]);
        assert!(!page.stdout.contains("```"), "{}", page.stdout);
    }
    let examples = "fails:  {\"results\": []}\n          Expected at least 1 result, got 0\n";
    place.run(&["explain", "results_min"]).with(0, &[examples], &[]);
    place.run(&["explain", "result_min"]).with(
        2,
        &[],
        &["unknown assertion 'result_min'; did you mean 'results_min'?"],
    );
}

#[test]
fn the_schema_knows_every_assertion() {
    for (what, about) in [("expect", About::Response), ("trajectory", About::Trajectory)] {
        let schema: Value = serde_json::from_str(&Place::with(&[]).run(&["schema", what]).stdout).unwrap();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        for name in about.names() {
            let argument = &schema["$defs"]["expect"]["properties"][name];
            assert!(argument["description"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        }
    }
    Place::with(&[]).run(&["schema", "expectt"]).with(2, &[], &["invalid value 'expectt'"]);
}
