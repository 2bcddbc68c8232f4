//! The cases of the example as tests of their own, as a project would have them with `harness = false`.

use libtest_mimic::{Arguments, Failed, Trial};
use probative_run::Specs;

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let cases = Specs::at(format!("{root}/examples/policy")).cases();
    assert_eq!(cases.len(), 4, "the example has four cases");
    let tests = cases.into_iter().map(|case| {
        let skipped = case.skipped().is_some();
        Trial::test(case.name().to_owned(), move || case.run().map_err(Failed::from))
            .with_ignored_flag(skipped)
    });
    libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit();
}
