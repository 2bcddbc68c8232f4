//! The documents in `specs/conformance`, and the example, run by the program that they speak about.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Fewer cases than this would mean that documents were passed over.
const AT_LEAST: u64 = 250;

/// The program on its own path, in an environment without anything that changes what it does.
fn probative(arguments: &[&str]) -> (Option<i32>, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_probative"));
    let mut path = vec![program.parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("SPEC_RUNNER_") || name.starts_with("PROBATIVE_") {
            command.env_remove(name);
        }
    }
    let ended = command
        .args(arguments)
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .current_dir(root())
        .output()
        .unwrap();
    (ended.status.code(), String::from_utf8(ended.stdout).unwrap() + &String::from_utf8_lossy(&ended.stderr))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn every_case_ends_as_it_says() {
    let out = tempfile::NamedTempFile::new().unwrap();
    let out_path = out.path().to_str().unwrap();
    let (code, told) = probative(&["conformance", "specs/conformance", "--impl", "rust", "--out", out_path]);
    assert_eq!(code, Some(0), "{told}");
    let report: Value = serde_json::from_slice(&std::fs::read(out.path()).unwrap()).unwrap();
    let results = report["results"].as_array().unwrap();
    assert!(results.len() as u64 >= AT_LEAST, "only {} cases", results.len());
    assert_eq!(report["version"], 1);
    for result in results {
        let failed = result["status"] == "fail";
        assert_eq!(result["category"].is_null(), !failed, "{result}");
        assert_eq!(result["message"].is_null(), !failed, "{result}");
    }
}

#[test]
fn the_example_keeps_its_promises() {
    let (code, told) = probative(&["run", "examples/policy", "--no-timings"]);
    assert_eq!((code, told.as_str()), (Some(0), "4 cases: 4 passed\n"));
    let (code, told) = probative(&["lint", "examples/policy"]);
    assert_eq!((code, told.as_str()), (Some(0), "4 cases: 0 errors, 0 findings\n"));
}
