//! Documents whose cases are about files, and documents whose cases run commands.

mod commands;
mod files;

use std::io;

use crate::bench::Bench;
use crate::rows::Row;

pub(super) const ASKS: &str = "\
Cases about files are in documents of twenty, and ask for texts, patterns and expressions. A Python runner reads the \
same documents with PyYAML, or with its parser in C, and gives the same verdict for every case, also where one in five \
fails; both write all results as JSON. Cases that run `/bin/true` use the default report, in one document for Probative, \
and in one or twenty files for others. The bare loop starts the same program as often, reads its output, and waits. cram \
gives all commands of a file to one shell, scrut and bats start at least one shell for each, trycmd starts the program \
itself, on as many threads as there are jobs. The last rows run the same cases inside one process, with the crate \
probative-run, once while it holds 1 GiB of memory.";

pub(super) fn measure(bench: &Bench) -> io::Result<Vec<Row>> {
    let mut rows = files::measure(bench)?;
    rows.extend(commands::measure(bench)?);
    Ok(rows)
}
