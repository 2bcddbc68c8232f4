//! Everything that was measured as one table for a terminal.

use std::fmt::Write as _;

use crate::parts::Part;
use crate::rows::{Pair, Row, sizes};
use crate::store::Kept;
use crate::told::{figures, time};

const HEADINGS: [&str; 7] = ["what", "beside", "ours", "theirs", "ratio", "MiB", "target"];

/// The rows of parts, grouped by part, in columns that are as wide as all of them need.
pub(crate) fn text(measured: &[(&'static Part, Kept)]) -> String {
    let groups: Vec<(&str, Vec<[String; 7]>)> =
        measured.iter().map(|(part, kept)| (part.name, kept.rows.iter().map(cells).collect())).collect();
    let mut widths = HEADINGS.map(width);
    for row in groups.iter().flat_map(|(_, rows)| rows) {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = width(cell).max(*widest);
        }
    }
    let mut text = String::new();
    line(&mut text, &HEADINGS.map(str::to_owned), &widths);
    for (name, rows) in &groups {
        let _ = writeln!(text, "{name}");
        for row in rows {
            line(&mut text, row, &widths);
        }
    }
    text
}

fn line(text: &mut String, cells: &[String; 7], widths: &[usize; 7]) {
    let mut line = String::new();
    for (cell, widest) in cells.iter().zip(widths) {
        let _ = write!(line, "  {cell}{}", " ".repeat(widest - width(cell)));
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn cells(row: &Row) -> [String; 7] {
    let target =
        [row.target(), row.verdict()].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    let target = target.join(": ");
    match row {
        Row::Pair(pair) => [
            pair.what.clone(),
            pair.beside.clone(),
            row.ours(),
            time(pair.theirs),
            row.ratio(),
            Pair::memory(pair),
            target,
        ],
        Row::Figure(figure) => [
            figure.what.clone(),
            String::new(),
            row.ours(),
            String::new(),
            String::new(),
            String::new(),
            target,
        ],
        Row::Growth(growth) => [
            format!("{} {}", growth.what, sizes(growth)),
            String::new(),
            growth.times.map(time).join(" · "),
            String::new(),
            format!("power {}, overall {:.2}", row.ratio(), growth.overall()),
            growth.mebibytes.map(|held| held.map_or_else(|| "–".to_owned(), figures)).join(" · "),
            target,
        ],
    }
}
