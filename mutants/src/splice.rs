//! Writes a file anew, with all its mutants in it, each behind its number.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::site::{Mutated, Site};

/// The file with every mutant that is not left out. Comments mark where a site and a mutant begin and end, so that the
/// compiler's complaints can be told apart.
pub fn write(sites: &Mutated, left_out: &BTreeSet<u32>) -> String {
    let mut writer = Writer { sites, left_out, next: 0, out: String::with_capacity(sites.source.len() * 3) };
    writer.stretch(0, sites.source.len());
    writer.out
}

struct Writer<'s> {
    sites: &'s Mutated,
    left_out: &'s BTreeSet<u32>,
    next: usize,
    out: String,
}

impl Writer<'_> {
    fn stretch(&mut self, from: usize, to: usize) {
        let mut at = from;
        while let Some(site) = self.sites.sites.get(self.next).filter(|site| site.at.start < to) {
            self.next += 1;
            self.out.push_str(&self.sites.source[at..site.at.start]);
            self.site(site);
            at = site.at.end;
        }
        self.out.push_str(&self.sites.source[at..to]);
    }

    fn site(&mut self, site: &Site) {
        let mutants: Vec<_> =
            site.mutants.iter().filter(|mutant| !self.left_out.contains(&mutant.number)).collect();
        let is_body = site.at.is_empty();
        let Some(first) = mutants.first().map(|mutant| mutant.number) else {
            return self.stretch(site.at.start, site.at.end);
        };
        let _ = write!(self.out, "/*[{first}*/");
        self.out.push_str(if is_body { "" } else { "(" });
        for mutant in mutants {
            let (number, text) = (mutant.number, &mutant.text);
            let otherwise = if is_body { "" } else { "else " };
            let _ = write!(
                self.out,
                "if crate::mutant::on({number}) {{/*<{number}*/{text}/*{number}>*/}} {otherwise}"
            );
        }
        if !is_body {
            self.out.push('{');
            self.stretch(site.at.start, site.at.end);
            self.out.push_str("})");
        }
        let _ = write!(self.out, "/*{first}]*/");
    }
}

/// Whom the compiler complains about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Blamed {
    Mutant(u32),
    /// All mutants of the site whose first has this number.
    Site(u32),
}

/// The mutant that a byte of the written file belongs to, or else the innermost site around it.
pub fn blamed(written: &str, byte: usize) -> Option<Blamed> {
    let before = String::from_utf8_lossy(&written.as_bytes()[..byte.min(written.len())]);
    let mutant = innermost(&before, "/*<", ">*/").map(Blamed::Mutant);
    mutant.or_else(|| innermost(&before, "/*[", "]*/").map(Blamed::Site))
}

/// The last that has begun and not ended.
fn innermost(before: &str, begins: &str, ends: &str) -> Option<u32> {
    let mut begun = before.rmatch_indices(begins).filter_map(|(at, _)| {
        let (number, _) = before[at + begins.len()..].split_once("*/")?;
        number.parse::<u32>().ok()
    });
    begun.find(|number| !before.contains(&format!("/*{number}{ends}")))
}
