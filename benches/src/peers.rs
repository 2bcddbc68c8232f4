//! The peers: what each is, how it is installed, and that it is there. Nothing is measured without one that it needs.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::told::output;

/// Someone who does what Probative does, or a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Peer {
    Agentevals,
    Bats,
    CPython,
    Cram,
    CupelTesting,
    Hello,
    Jaq,
    Jq,
    Lua,
    Orjson,
    Parallel,
    Promptfoo,
    PydanticEvals,
    Pytest,
    PyYaml,
    Rhai,
    Scrut,
    SonicRs,
    Trajai,
    Trycmd,
}

/// How a peer comes here, which is how it is found and asked for its version.
enum Origin {
    /// A package of Debian: a program on the path, which tells its version for this argument.
    Debian(&'static str),
    /// A program that cargo installs.
    Cargo,
    /// A Python package, and the module by which it is imported.
    Python(&'static str),
    /// A package of npm.
    Npm,
    /// A Rust library, built into the program in `benches/peers/rust`.
    Library,
    /// A Rust library that this program is built with.
    BuiltIn,
    /// The interpreter that Python packages are installed for.
    Interpreter,
    /// The static program that does nothing but greet.
    Static,
}

impl Peer {
    /// The name under which it is installed.
    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    fn row(self) -> (&'static str, Origin) {
        match self {
            Peer::Agentevals => ("agentevals", Origin::Python("agentevals.trajectory.match")),
            Peer::Bats => ("bats", Origin::Debian("--version")),
            Peer::CPython => ("CPython", Origin::Interpreter),
            Peer::Cram => ("cram", Origin::Python("cram")),
            Peer::CupelTesting => ("cupel-testing", Origin::BuiltIn),
            Peer::Hello => ("hello", Origin::Static),
            Peer::Jaq => ("jaq", Origin::Cargo),
            Peer::Jq => ("jq", Origin::Debian("--version")),
            Peer::Lua => ("lua5.4", Origin::Debian("-v")),
            Peer::Orjson => ("orjson", Origin::Python("orjson")),
            Peer::Parallel => ("parallel", Origin::Debian("--version")),
            Peer::Promptfoo => ("promptfoo", Origin::Npm),
            Peer::PydanticEvals => ("pydantic-evals", Origin::Python("pydantic_evals")),
            Peer::Pytest => ("pytest", Origin::Python("pytest")),
            Peer::PyYaml => ("PyYAML", Origin::Python("yaml")),
            Peer::Rhai => ("rhai", Origin::Library),
            Peer::Scrut => ("scrut", Origin::Cargo),
            Peer::SonicRs => ("sonic-rs", Origin::Library),
            Peer::Trajai => ("trajai", Origin::Python("trajai")),
            Peer::Trycmd => ("trycmd", Origin::Library),
        }
    }

    /// The program by which it is run.
    pub(crate) fn program(self, installed: &Path) -> PathBuf {
        let (name, origin) = self.row();
        match origin {
            Origin::Debian(_) => PathBuf::from(name),
            Origin::Cargo => installed.join("bin").join(name),
            Origin::Python(_) | Origin::Interpreter => installed.join("python/bin/python"),
            Origin::Npm => installed.join("node/node_modules/.bin").join(name),
            Origin::Library => installed.join("bin/rust-peers"),
            Origin::BuiltIn => PathBuf::new(),
            Origin::Static => installed.join("bin/hello"),
        }
    }

    /// A command that runs its program.
    pub(crate) fn command(self, installed: &Path) -> Command {
        Command::new(self.program(installed))
    }

    /// Its version; an error that says how it is installed if it is not there, or does not work.
    fn version(self, installed: &Path) -> io::Result<String> {
        let (name, origin) = self.row();
        let mut command = self.command(installed);
        let (told, by) = match origin {
            Origin::Debian(flag) => (output(command.arg(flag), &[0]), "apt-get install"),
            Origin::Cargo => {
                // What a program says of itself may be another number than that of its package.
                let told = output(command.arg("--version"), &[0]);
                let kept = std::fs::read_to_string(installed.join(".crates.toml"));
                (
                    told.and(kept).and_then(|kept| installed_version(&kept, name)),
                    "cargo install --root target/bench-peers",
                )
            }
            Origin::Python(module) => {
                let asked = format!(
                    "import importlib.metadata, {module}; print(importlib.metadata.version('{name}'))"
                );
                (output(command.args(["-c", &asked]), &[0]), "target/bench-peers/python/bin/pip install")
            }
            Origin::Interpreter => {
                (output(command.arg("--version"), &[0]), "python3 -m venv target/bench-peers/python")
            }
            Origin::Npm => {
                let told = std::fs::read(installed.join("node/node_modules").join(name).join("package.json"));
                (
                    told.and_then(|written| npm_version(&written)),
                    "npm install --prefix target/bench-peers/node",
                )
            }
            Origin::Library => {
                let told = output(command.arg("there"), &[0]);
                let locked = locked(include_str!("../peers/rust/Cargo.lock"), name);
                (told.and(locked), "cargo install --path benches/peers/rust --root target/bench-peers")
            }
            Origin::BuiltIn => (locked(include_str!("../../Cargo.lock"), name), "cargo build"),
            Origin::Static => (output(&mut command, &[0]), "rustc -C target-feature=+crt-static"),
        };
        told.map(|told| number_in(&told)).map_err(|why| {
            io::Error::other(format!(
                "the peer {name} is missing, or does not work. `{by}` brings it, and scripts/bench does so: {why}"
            ))
        })
    }
}

/// Fails, with a sentence about how it is installed, if one of these is not there.
pub(crate) fn need_all(peers: impl Iterator<Item = Peer>, installed: &Path) -> io::Result<()> {
    let peers: BTreeSet<Peer> = peers.collect();
    peers.into_iter().try_for_each(|peer| peer.version(installed).map(drop))
}

/// Names and versions, of those that have one.
pub(crate) fn versions(peers: &[Peer], installed: &Path) -> io::Result<Vec<(String, String)>> {
    let version = |peer: &Peer| Ok((peer.name().to_owned(), peer.version(installed)?));
    peers.iter().filter(|peer| **peer != Peer::Hello).map(version).collect()
}

/// The first number in a text: `1.6` in `jq-1.6`. The text itself if there is none.
fn number_in(text: &str) -> String {
    let version = |word: &str| {
        word.contains('.').then(|| word.trim_matches('.').to_owned()).filter(|word| !word.is_empty())
    };
    let words = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let whole = || text.split_whitespace().find(|word| word.chars().all(|letter| letter.is_ascii_digit()));
    words.clone().find_map(version).unwrap_or_else(|| whole().unwrap_or(text.trim()).to_owned())
}

fn npm_version(written: &[u8]) -> io::Result<String> {
    let package: serde_json::Value = serde_json::from_slice(written)?;
    package["version"]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| io::Error::other("its package has no version"))
}

/// The version of a package in what cargo keeps of those that it has installed: `"jaq 3.1.2 (registry+…)" = ["jaq"]`.
fn installed_version(kept: &str, name: &str) -> io::Result<String> {
    let (_, behind) = kept
        .split_once(&format!("\"{name} "))
        .ok_or_else(|| io::Error::other(format!("cargo has not installed {name} there")))?;
    Ok(behind.split(' ').next().unwrap_or_default().to_owned())
}

/// The version of a package in a lock file of cargo.
fn locked(lock: &str, name: &str) -> io::Result<String> {
    let (_, behind) = lock
        .split_once(&format!("name = \"{name}\"\nversion = \""))
        .ok_or_else(|| io::Error::other(format!("{name} is in no lock file")))?;
    Ok(behind.split('"').next().unwrap_or_default().to_owned())
}

/// Promptfoo, with everything off that can be: telemetry, updates, sharing, its cache and its logs.
///
/// That telemetry is off it still tells a server, once, without awaiting an answer.
pub(crate) fn promptfoo(installed: &Path, home: &Path) -> Command {
    let mut command = Peer::Promptfoo.command(installed);
    command.current_dir(home).env("PROMPTFOO_CONFIG_DIR", home).env("HOME", home);
    for switch in [
        "PROMPTFOO_DISABLE_TELEMETRY",
        "PROMPTFOO_DISABLE_UPDATE",
        "PROMPTFOO_DISABLE_SHARING",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION",
        "PROMPTFOO_DISABLE_DEBUG_LOG",
        "PROMPTFOO_DISABLE_ERROR_LOG",
    ] {
        command.env(switch, "1");
    }
    command.env("PROMPTFOO_CACHE_ENABLED", "false").env("CI", "1");
    command
}

/// What it is asked: assertions of recorded outputs, which it only finds by names relative to where it is.
pub(crate) const PROMPTFOO_OFFLINE: [&str; 9] = [
    "eval",
    "--assertions",
    "assertions.json",
    "--model-outputs",
    "outputs.json",
    "--no-cache",
    "--no-share",
    "--no-table",
    "--no-progress-bar",
];

/// Where a peer of Python keeps its programs.
pub(crate) fn python_program(installed: &Path, name: &str) -> Command {
    Command::new(installed.join("python/bin").join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        let told = ["jq-1.6\n", "Bats 1.8.2", "Lua 5.4.4  Copyright (C) 1994", "GNU parallel 20221122\nmore"];
        assert_eq!(told.map(number_in), ["1.6", "1.8.2", "5.4.4", "20221122"]);
    }

    #[test]
    fn the_version_of_an_installed_program_is_that_of_its_package() {
        let kept = "[v1]\n\"jaq 3.1.2 (registry+index)\" = [\"jaq\"]\n\"scrut 0.4.3 (registry+index)\" = [\"scrut\"]\n";
        assert_eq!(installed_version(kept, "scrut").unwrap(), "0.4.3");
        assert!(installed_version(kept, "scru").is_err());
    }

    #[test]
    fn every_library_is_locked() {
        for peer in [Peer::Rhai, Peer::SonicRs, Peer::Trycmd] {
            assert!(locked(include_str!("../peers/rust/Cargo.lock"), peer.name()).is_ok());
        }
        assert!(locked(include_str!("../../Cargo.lock"), "cupel-testing").is_ok());
    }
}
