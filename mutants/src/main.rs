//! Asks whether the tests notice when the judge is wrong.
//!
//! A copy of the workspace gets all mutants at once, each behind a number that the environment switches on; so one build is enough
//! for all of them. The tests that come by a mutant are run against it, until one fails. What survives is told, unless
//! `mutants/reasons.toml` says why it may.

mod compile;
mod find;
mod reasons;
mod returns;
mod site;
mod splice;
mod swaps;
mod tree;
mod trial;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fmt, fs};

use reasons::Reasons;
use site::{Mutant, Mutated, Site};
use tree::Tree;
use trial::Outcome;

/// What is mutated unless other paths are given.
const VOCABULARIES: [&str; 4] = ["response", "spec/lang", "trajectory", "context"];
/// Readers of traces are no vocabulary.
const NOT_BELOW: &str = "crates/probative/src/trajectory/readers/";

fn main() -> ExitCode {
    match run(env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every survivor has its reason, and every reason its survivor.
fn run(paths: Vec<String>) -> Result<bool, String> {
    let tree = Tree::new(&env::current_dir().map_err(|error| error.to_string())?)?;
    let reasons = Reasons::read(&tree.root.join("mutants/reasons.toml"))?;
    let mutated = mutated(&tree, paths)?;
    let left_out = compile::refused(&tree, &mutated)?;
    eprintln!(
        "{} mutants are no Rust; building the tests with {} others",
        left_out.len(),
        cases(&mutated).count() - left_out.len()
    );
    let courts = trial::courts(&tree, compile::test_binaries(&tree)?)?;

    let last = tree.root.join("target/mutants/survivors.txt");
    let again = env::var_os("AGAIN").map(|_| fs::read_to_string(&last).unwrap_or_default());
    let again: Option<BTreeSet<&str>> = again.as_ref().map(|told| told.lines().collect());
    let asked: Vec<Case<'_>> = cases(&mutated)
        .filter(|case| !left_out.contains(&case.mutant.number))
        .filter(|case| again.as_ref().is_none_or(|again| again.contains(case.key().as_str())))
        .collect();
    eprintln!("{} mutants in {} files", asked.len(), mutated.len());

    let at_a_time = env::var("JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(2);
    let numbers: Vec<u32> = asked.iter().map(|case| case.mutant.number).collect();
    let outcomes = trial::outcomes(&tree, &courts, &numbers, at_a_time, |at, outcome| {
        if outcome.is_survival() {
            eprintln!("  survives: {}", asked[at]);
        }
    })?;
    let hung = outcomes.iter().filter(|outcome| **outcome == Outcome::Hung).count();
    let survivors: Vec<(&Case<'_>, &Outcome)> =
        asked.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_survival()).collect();
    let keys: Vec<String> = survivors.iter().map(|(case, _)| case.key()).collect();
    fs::write(&last, keys.join("\n")).map_err(|error| format!("{}: {error}", last.display()))?;
    println!(
        "{} mutants: {} noticed, {hung} of them by a test that did not end",
        asked.len(),
        asked.len() - survivors.len()
    );
    Ok(tell(&reasons, &mutated, &survivors, again.is_some()))
}

fn mutated(tree: &Tree, paths: Vec<String>) -> Result<Vec<Mutated>, String> {
    let paths = if paths.is_empty() { VOCABULARIES.map(str::to_owned).to_vec() } else { paths };
    let below = paths.into_iter().map(|path| format!("crates/probative/src/{path}"));
    let below: Vec<String> = below.collect();
    let mut mutated = Vec::new();
    let mut number = 0;
    for file in tree.sources(&below)?.into_iter().filter(|file| !file.starts_with(NOT_BELOW)) {
        let source = fs::read_to_string(tree.root.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        let mut sites = find::sites(file.clone(), source).map_err(|error| format!("{file}: {error}"))?;
        for mutant in sites.sites.iter_mut().flat_map(|site| &mut site.mutants) {
            number += 1;
            mutant.number = number;
        }
        mutated.push(sites);
    }
    Ok(mutated)
}

/// A mutant and where it is.
struct Case<'s> {
    file: &'s str,
    site: &'s Site,
    mutant: &'s Mutant,
}

impl Case<'_> {
    /// What names it when lines have moved.
    fn key(&self) -> String {
        format!("{}\t{}\t{}", self.file, self.site.function, self.mutant.told)
    }
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { file, site, mutant } = self;
        write!(formatter, "{file}:{}: {}: {}", site.line, site.function, mutant.told)
    }
}

fn cases(mutated: &[Mutated]) -> impl Iterator<Item = Case<'_>> {
    mutated.iter().flat_map(|sites| {
        let file = sites.file.as_str();
        let of = move |site| move |mutant| Case { file, site, mutant };
        sites.sites.iter().flat_map(move |site| site.mutants.iter().map(of(site)))
    })
}

/// Tells the survivors without a reason, the reasons without a survivor, and how many there are of all.
fn tell(
    reasons: &Reasons,
    mutated: &[Mutated],
    survivors: &[(&Case<'_>, &Outcome)],
    some_were_not_asked: bool,
) -> bool {
    let has_reason = |case: &Case<'_>| reasons.has(case.file, &case.site.function, &case.mutant.told);
    let mut all_is_well = true;
    for (case, outcome) in survivors.iter().filter(|(case, _)| !has_reason(case)) {
        let unreached = if **outcome == Outcome::Unreached { " (no test comes here)" } else { "" };
        println!("{case}{unreached}");
        all_is_well = false;
    }
    let is_asked = |file: &str| mutated.iter().any(|sites| sites.file.ends_with(&format!("src/{file}")));
    for (reason, told) in reasons.each().filter(|(reason, _)| is_asked(&reason.file) && !some_were_not_asked)
    {
        let survives = |case: &Case<'_>| {
            Path::new(case.file).ends_with(&reason.file)
                && case.site.function == reason.function
                && case.mutant.told == told
        };
        if !survivors.iter().any(|(case, _)| survives(case)) {
            println!("mutants/reasons.toml: {}: {}: {told} does not survive", reason.file, reason.function);
            all_is_well = false;
        }
    }
    let with_reasons = survivors.iter().filter(|(case, _)| has_reason(case)).count();
    let unreached = survivors.iter().filter(|(_, outcome)| **outcome == Outcome::Unreached).count();
    println!(
        "{} survive: {with_reasons} with a reason, {} without; no test comes by {unreached} of them",
        survivors.len(),
        survivors.len() - with_reasons,
    );
    all_is_well
}
