//! Documents whose cases are about files, and documents whose cases run commands.

mod commands;
mod files;

use std::io;

use crate::bench::Bench;
use crate::rows::Row;

pub(super) const ASKS: &str = "\
Cases about files stand in documents of twenty, and ask for texts, patterns and expressions; a runner in Python reads the same \
documents with PyYAML, or with the parser of PyYAML that is written in C, and says the same of every case, also where one in five is faulty; both write all results as JSON. Cases that run `/bin/true` \
are told by the report that everybody gets, and \
stand in one document for Probative, and in one or twenty files for others. The bare loop starts the same program as often, reads \
what it writes, and waits. cram gives all commands of a file to one shell, scrut and bats start at least one shell for each, trycmd starts \
the program itself, on as many threads as there are jobs. The last rows run the same cases inside one process, by the crate probative-run, once while it \
holds 1 GiB of memory that it has written to.";

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let mut rows = files::measure(bench)?;
    rows.extend(commands::measure(bench)?);
    Ok(rows)
}
