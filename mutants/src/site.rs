//! A place in the source, and what could stand there instead.

use std::ops::Range;

/// One place that can be mutated.
pub struct Site {
    /// Bytes of the file. Empty at the beginning of a function's body.
    pub at: Range<usize>,
    /// The function that it is in, with the type it belongs to.
    pub function: String,
    pub line: usize,
    pub mutants: Vec<Mutant>,
}

/// One way to be wrong.
pub struct Mutant {
    /// Its number over all files, from 1.
    pub number: u32,
    /// What stands there instead.
    pub text: String,
    /// `what → what`, as people read it. With the file and the function it names the mutant wherever its line moves.
    pub told: String,
}

/// The sites of one file, each before those within it.
pub struct Mutated {
    /// Relative to the root of the workspace.
    pub file: String,
    pub source: String,
    pub sites: Vec<Site>,
}

impl Mutated {
    /// Sorts them, and makes one of those that are at the same place.
    pub fn new(file: String, source: String, mut found: Vec<Site>) -> Mutated {
        found.sort_by_key(|site| (site.at.start, usize::MAX - site.at.end));
        let mut sites: Vec<Site> = Vec::new();
        for site in found {
            match sites.last_mut() {
                Some(last) if last.at == site.at => last.mutants.extend(site.mutants),
                _ => sites.push(site),
            }
        }
        Mutated { file, source, sites }
    }
}

/// A stretch of source on one line, without comments.
pub fn on_one_line(source: &str) -> String {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
