//! Measures Probative beside its limits and beside its peers: `scripts/bench` installs those, and then runs this.
//!
//! `probative-bench [PART…]` measures these parts, or all; the rows of each are kept in `target/bench`, and when all are
//! there, `docs/internals/performance.md` is written from them. `probative-bench limit …` is one of the bare things that parts compare
//! with. With `BENCH_QUICK` in the environment everything is small and done once, and nothing is kept.
//!
//! Ends with 0 when every target is met, with 1 when one is missed, and with 2 when something could not be measured: a peer
//! is missing, or it does not say the same of the same subjects.

mod agreement;
mod bench;
mod data;
mod limits;
mod machine;
mod measure;
mod numbers;
mod page;
mod parts;
mod peers;
mod rows;
mod store;
mod table;
mod told;

use std::io;
use std::process::ExitCode;

use bench::Bench;
use parts::{PARTS, Part};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended = match arguments.as_slice() {
        ["limit", limit @ ..] => limits::reach(limit).map(|()| Vec::new()),
        names => chosen(names).and_then(|parts| measure(&parts)),
    };
    match ended {
        Ok(missed) if missed.is_empty() => ExitCode::SUCCESS,
        Ok(missed) => {
            eprintln!("missed:");
            for target in missed {
                eprintln!("  {target}");
            }
            ExitCode::from(1)
        }
        Err(why) => {
            eprintln!("bench: {why}");
            ExitCode::from(2)
        }
    }
}

/// The parts with these names; all if none is named.
fn chosen(names: &[&str]) -> io::Result<Vec<&'static Part>> {
    let all = || PARTS.iter().map(|part| part.name).collect::<Vec<_>>().join(" ");
    let part = |name: &&str| {
        let unknown = || io::Error::other(format!("there is no part '{name}': the parts are {}", all()));
        PARTS.iter().find(|part| part.name == *name).ok_or_else(unknown)
    };
    if names.is_empty() { Ok(PARTS.iter().collect()) } else { names.iter().map(part).collect() }
}

/// Measures parts, tells them as one table, keeps them, and answers which targets were missed.
fn measure(parts: &[&'static Part]) -> io::Result<Vec<String>> {
    let bench = Bench::here()?;
    peers::need_all(parts.iter().flat_map(|part| part.peers).copied(), &bench.peers)?;
    let mut measured = Vec::new();
    for part in parts {
        eprintln!("== {}", part.name);
        let rows = (part.measure)(&bench)?;
        let kept = store::Kept { versions: peers::versions(part.peers, &bench.peers)?, rows };
        if !bench.quick {
            store::keep(part.name, &kept)?;
        }
        measured.push((*part, kept));
    }
    print!("{}", table::text(&measured));
    if bench.quick {
        eprintln!("a quick trial: nothing is kept, and its figures mean nothing");
    } else {
        page::write()?;
    }
    let rows = measured.iter().flat_map(|(part, kept)| kept.rows.iter().map(move |row| (part.name, row)));
    Ok(rows
        .filter(|(_, row)| row.is_missed())
        .map(|(part, row)| format!("{part}: {}", row.title()))
        .collect())
}
