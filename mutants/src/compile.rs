//! Builds the copy, and leaves out the mutants that are not even Rust.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::site::Mutated;
use crate::splice::{self, Blamed};
use crate::tree::Tree;

/// A test binary of the judge.
pub struct Binary {
    pub name: String,
    pub path: PathBuf,
}

/// The numbers that the compiler refuses, found by asking it again until it refuses none.
pub fn refused(tree: &Tree, mutated: &[Mutated]) -> Result<BTreeSet<u32>, String> {
    let mut left_out = BTreeSet::new();
    loop {
        tree.write(mutated, &left_out)?;
        let errors = messages(tree, &["check", "--lib"])?.into_iter().filter(is_error);
        let errors: Vec<Value> = errors.collect();
        if errors.is_empty() {
            return Ok(left_out);
        }
        let before = left_out.len();
        for error in &errors {
            if let Some(blamed) = blamed(tree, &error["message"]) {
                left_out.extend(numbers(mutated, blamed));
            }
        }
        if left_out.len() == before {
            let told = errors.iter().filter_map(|error| error["message"]["rendered"].as_str());
            return Err(told.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// The test binaries of the judge.
pub fn test_binaries(tree: &Tree) -> Result<Vec<Binary>, String> {
    let messages = messages(tree, &["test", "--no-run"])?;
    if let Some(error) = messages.iter().find(|message| is_error(message)) {
        return Err(error["message"]["rendered"].as_str().unwrap_or_default().to_owned());
    }
    let binaries = messages.iter().filter_map(|message| {
        let path = PathBuf::from(message["executable"].as_str()?);
        Some(Binary { name: message["target"]["name"].as_str()?.to_owned(), path })
    });
    Ok(binaries.collect())
}

fn is_error(message: &Value) -> bool {
    message["reason"] == "compiler-message" && message["message"]["level"] == "error"
}

fn messages(tree: &Tree, command: &[&str]) -> Result<Vec<Value>, String> {
    let run = Command::new("cargo")
        .args(command)
        .args(["-p", "probative", "--message-format=json", "--quiet"])
        .current_dir(&tree.copy)
        .env("CARGO_TARGET_DIR", tree.root.join("target/mutants/build"))
        .stderr(Stdio::piped())
        .output();
    let output = run.map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !output.status.success() && !messages.iter().any(is_error) {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(messages)
}

/// Whoever stands where the compiler points: the main places first.
fn blamed(tree: &Tree, message: &Value) -> Option<Blamed> {
    let spans = message["spans"].as_array()?;
    let main = spans.iter().filter(|span| span["is_primary"] == true);
    let beside = spans.iter().filter(|span| span["is_primary"] != true);
    let found = main.chain(beside).filter_map(|span| {
        let written = fs::read_to_string(tree.copy.join(span["file_name"].as_str()?)).ok()?;
        splice::blamed(&written, usize::try_from(span["byte_start"].as_u64()?).ok()?)
    });
    let found: BTreeSet<Blamed> = found.collect();
    // A mutant before a site, which may have others that are Rust.
    found.into_iter().next()
}

fn numbers(mutated: &[Mutated], blamed: Blamed) -> Vec<u32> {
    match blamed {
        Blamed::Mutant(number) => vec![number],
        Blamed::Site(number) => {
            let mut sites = mutated.iter().flat_map(|sites| &sites.sites);
            let site = sites.find(|site| site.mutants.iter().any(|mutant| mutant.number == number));
            site.into_iter().flat_map(|site| &site.mutants).map(|mutant| mutant.number).collect()
        }
    }
}
