//! `docs/internals/performance.md`, made of what every part came to last.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;

use crate::bench::root;
use crate::machine;
use crate::parts::{PARTS, Part};
use crate::rows::{Growth, Row, sizes};
use crate::store::{Kept, kept};
use crate::told::{figures, time};

/// Writes the page whole if every part was measured at some time; says which one is missing if not.
pub(crate) fn write() -> io::Result<()> {
    let mut parts = Vec::new();
    for part in &PARTS {
        let Some(kept) = kept(part.name)? else {
            eprintln!("docs/internals/performance.md is unchanged: {} was not measured yet", part.name);
            return Ok(());
        };
        parts.push((part, kept));
    }
    fs::write(root().join("docs/internals/performance.md"), text(&parts, &machine::facts()))
}

const INTRODUCTION: &str = "\
# Performance

Probative's speed compared with tools that do the same (peers), and with the least that any tool must do (limits). One \
command measures everything and writes this page:

```text
scripts/bench
```

It installs the peers by name into `target/bench-peers`, generates the data from fixed seeds, and runs each pair in \
turns on the same machine. `scripts/bench said lang` measures only these parts and keeps the other results; a missing \
peer is an error. Peers that judge are timed only after they have given the same verdicts as Probative for valid and \
faulty subjects; command runners, after they have found as many failures.

A ratio is the median over all rounds, with the lowest and the highest in parentheses. `× as fast` is their time divided \
by ours: below 1 they are faster, and the row says so. `× its time` is the other way round. Memory is the peak of each \
process, ours first, sampled every 5 ms.
";

fn text(parts: &[(&Part, Kept)], facts: &[(&str, String)]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let _ = writeln!(page, "\n| machine | |\n| --- | --- |");
    for (name, told) in facts {
        let _ = writeln!(page, "| {name} | {told} |");
    }
    let versions: BTreeMap<&str, &str> = parts
        .iter()
        .flat_map(|(_, kept)| &kept.versions)
        .map(|(name, version)| (name.as_str(), version.as_str()))
        .collect();
    let versions: Vec<String> =
        versions.into_iter().map(|(name, version)| format!("{name} {version}")).collect();
    let _ = writeln!(page, "\nPeers: {}. {PROMPTFOO}", versions.join(", "));
    missed(&mut page, parts);
    for (part, kept) in parts {
        let _ = writeln!(page, "\n## {}\n\n{}\n", part.title, part.asks);
        if kept.rows.iter().any(|row| matches!(row, Row::Growth(_))) {
            growth(&mut page, &kept.rows);
        } else {
            pairs(&mut page, &kept.rows);
        }
    }
    page
}

const PROMPTFOO: &str = "\
promptfoo is from the series 0.120, which runs on Node 20; 0.122 and later need Node 22. sonic-rs, rhai and trycmd are \
built for the machine's own processor, Probative and the others for any processor of its kind.";

/// The targets that are missed, before anything else is told.
fn missed(page: &mut String, parts: &[(&Part, Kept)]) {
    let missed: Vec<String> =
        parts.iter().flat_map(|(_, kept)| &kept.rows).filter(|row| row.is_missed()).map(Row::title).collect();
    if missed.is_empty() {
        let _ = writeln!(page, "\nEvery target is met.");
        return;
    }
    let _ = writeln!(page, "\nMissed targets:\n");
    for target in missed {
        let _ = writeln!(page, "- {target}");
    }
}

fn pairs(page: &mut String, rows: &[Row]) {
    let _ = writeln!(
        page,
        "| what | beside | ours | theirs | ratio | MiB | target | |\n| --- | --- | ---: | ---: | --- | --- | --- | --- |"
    );
    for row in rows {
        let (what, beside, theirs, memory) = match row {
            Row::Pair(pair) => (&pair.what, pair.beside.as_str(), time(pair.theirs), pair.memory()),
            Row::Figure(figure) => (&figure.what, "", String::new(), String::new()),
            Row::Growth(growth) => (&growth.what, "", String::new(), String::new()),
        };
        let cells =
            [what, beside, &row.ours(), &theirs, &row.ratio(), &memory, &row.target(), &row.verdict()];
        let _ = writeln!(page, "| {} |", cells.join(" | "));
    }
}

fn growth(page: &mut String, rows: &[Row]) {
    let _ = writeln!(
        page,
        "| what | how many | time | MiB | power | overall | |\n| --- | --- | --- | --- | ---: | ---: | --- |"
    );
    let grown = || {
        rows.iter().filter_map(|row| if let Row::Growth(growth) = row { Some((row, growth)) } else { None })
    };
    for (row, growth) in grown() {
        let Growth { what, times, mebibytes, .. } = growth;
        let held = mebibytes.map(|held| held.map_or_else(|| "–".to_owned(), figures)).join(" · ");
        let verdict = match (growth.is_steep(), growth.explanation()) {
            (false, _) => "",
            (true, Some(_)) => "see below",
            (true, None) => "NOT EXPLAINED",
        };
        let _ = writeln!(
            page,
            "| {what} | {} | {} | {held} | {} | {:.2} | {verdict} |",
            sizes(growth),
            times.map(time).join(" · "),
            row.ratio(),
            growth.overall()
        );
    }
    for (_, growth) in grown().filter(|(_, growth)| growth.is_steep()) {
        if let Some(why) = growth.explanation() {
            let _ = writeln!(page, "\n{}: {why}", growth.what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_tells_of_what_is_missed_and_of_what_grows() {
        let growth = Growth {
            what: "x".to_owned(),
            sizes: [1, 10, 100],
            times: [1.0, 10.0, 1000.0],
            mebibytes: [None; 3],
        };
        let kept =
            Kept { versions: vec![("jq".to_owned(), "1.6".to_owned())], rows: vec![Row::Growth(growth)] };
        let page = text(&[(&PARTS[0], kept)], &[("Cores", "2".to_owned())]);
        for told in
            ["| Cores | 2 |", "Peers: jq 1.6.", "- x: time grows with the power 2.00", "NOT EXPLAINED"]
        {
            assert!(page.contains(told), "{told} is not in\n{page}");
        }
    }
}
