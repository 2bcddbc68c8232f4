//! Rust libraries that Probative is measured beside, each doing the same as it does in `benches/`.
//!
//! `rust-peers sonic FILE` parses every line, `rust-peers rhai TURNS` runs a loop and prints its seconds, and
//! `rust-peers trycmd DIRECTORY` runs the `.trycmd` files of a directory. `rust-peers there` does nothing.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended = match arguments.as_slice() {
        ["there"] => Ok(()),
        ["sonic", file] => sonic(Path::new(file)),
        ["rhai", turns] => rhai(turns),
        ["trycmd", directory] => {
            // Panics, and so ends with another code than 0, if a case does not pass.
            trycmd::TestCases::new()
                .case(format!("{directory}/*.trycmd"))
                .register_bin("true", Path::new("/bin/true"))
                .register_bin("false", Path::new("/bin/false"));
            Ok(())
        }
        _ => Err(io::Error::other("usage: rust-peers there | sonic FILE | rhai TURNS | trycmd DIRECTORY")),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("rust-peers: {why}");
            ExitCode::from(2)
        }
    }
}

/// Parses every line into a tree, and drops it.
fn sonic(file: &Path) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(256 * 1024, File::open(file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let tree: sonic_rs::Value = sonic_rs::from_slice(&line).map_err(io::Error::other)?;
        std::hint::black_box(&tree);
        line.clear();
    }
    Ok(())
}

/// The loop that spec-lang runs, as one writes it in Rhai; it is compiled before the clock is looked at.
fn rhai(turns: &str) -> io::Result<()> {
    let script = format!("let n = {turns}; let sum = 0; while n != 0 {{ n -= 1; sum += 1; }} sum");
    let engine = rhai::Engine::new();
    let compiled = engine.compile(&script).map_err(|why| io::Error::other(why.to_string()))?;
    let begun = Instant::now();
    let sum: i64 = engine.eval_ast(&compiled).map_err(|why| io::Error::other(why.to_string()))?;
    let time = begun.elapsed();
    if sum.to_string() != turns {
        return Err(io::Error::other(format!("{sum} turns, not {turns}")));
    }
    println!("{}", time.as_secs_f64());
    Ok(())
}
