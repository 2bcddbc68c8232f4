//! What is built is what `deny.toml` allows, without unsafe code of its own, and every dependency has its reason in the documentation.
//!
//! Of `deny.toml` this judges licences, sources, bans and features, from what cargo knows without a network; `scripts/deny` judges by
//! all of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use semver::{Version, VersionReq};
use serde_json::Value;
use spdx::{Expression, ParseMode};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn toml(name: &str) -> Value {
    toml::from_str(&std::fs::read_to_string(root().join(name)).unwrap()).unwrap()
}

/// What cargo tells of every package that any platform and any feature brings.
fn metadata() -> Value {
    let arguments = ["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"];
    let told = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    serde_json::from_slice(&told.stdout).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// Where packages come from: all from where one comes from that nobody does without.
fn usual_source() -> String {
    let lock = toml("Cargo.lock");
    let serde = list(&lock["package"]).iter().find(|package| package["name"] == "serde").unwrap();
    text(&serde["source"]).to_owned()
}

/// What is wrong with a package by a policy, if anything.
fn wrong_with(package: &Value, policy: &Value, usual: &str) -> Option<String> {
    let (name, version) = (text(&package["name"]), Version::parse(text(&package["version"])).unwrap());
    if !has_allowed_licence(package, policy) {
        return Some(format!("the licence {} is not allowed", package["license"]));
    }
    let source = package["source"].as_str().unwrap_or("");
    if !source.is_empty() && source != usual {
        return Some(format!("it comes from {source}"));
    }
    let banned = list(&policy["bans"]["deny"]).iter().find(|banned| {
        let (banned, range) = text(&banned["crate"]).split_once('@').unwrap_or((text(&banned["crate"]), "*"));
        banned == name && VersionReq::parse(range).unwrap().matches(&version)
    });
    if let Some(banned) = banned {
        return Some(format!("it is banned: {}", text(&banned["reason"])));
    }
    let open = list(&package["dependencies"])
        .iter()
        .find(|dependency| dependency["req"] == "*" && dependency["path"].is_null());
    // What others leave open is theirs.
    open.filter(|_| source.is_empty()).map(|open| format!("any version of {} would do", open["name"]))
}

/// One of the alternatives of its licence is allowed.
fn has_allowed_licence(package: &Value, policy: &Value) -> bool {
    let Some(written) = package["license"].as_str() else { return false };
    let Ok(expression) = Expression::parse_mode(written, ParseMode::LAX) else { return false };
    let allowed: BTreeSet<&str> = list(&policy["licenses"]["allow"]).iter().map(text).collect();
    expression.evaluate(|licence| allowed.contains(licence.to_string().as_str()))
}

#[test]
fn every_package_is_allowed() {
    let (metadata, policy, usual) = (metadata(), toml("deny.toml"), usual_source());
    let packages = list(&metadata["packages"]);
    assert!(packages.len() > 100, "only {} packages", packages.len());
    for package in packages {
        let wrong = wrong_with(package, &policy, &usual);
        assert_eq!(wrong, None, "{} {}", package["name"], package["version"]);
    }
    // Which features are on is told of packages as they are resolved.
    for banned in list(&policy["bans"]["features"]) {
        let of = |node: &&Value| text(&node["id"]).contains(&format!("#{}@", text(&banned["crate"])));
        let node = list(&metadata["resolve"]["nodes"]).iter().find(of).unwrap();
        for feature in list(&banned["deny"]) {
            assert!(!list(&node["features"]).contains(feature), "{banned}");
        }
    }
}

#[test]
fn what_is_not_allowed_is_found() {
    let policy = toml("deny.toml");
    let package = |name: &str, version: &str, licence: &str, source: &str| serde_json::json!({"name": name, "version": version, "license": licence, "source": source, "dependencies": []});
    let usual = &usual_source();
    assert_eq!(wrong_with(&package("x", "1.0.0", "GPL-3.0-only OR MIT", usual), &policy, usual), None);
    assert_eq!(wrong_with(&package("fancy-regex", "0.18.0", "MIT", usual), &policy, usual), None);
    for (package, why) in [
        (package("x", "1.0.0", "GPL-3.0-only AND MIT", usual), "the licence"),
        (package("x", "1.0.0", "no licence at all", usual), "the licence"),
        (package("x", "1.0.0", "MIT", "registry+https://example.org/index"), "it comes from"),
        (package("tokio", "1.0.0", "MIT", usual), "it is banned: threads are enough"),
        (package("fancy-regex", "0.19.1", "MIT", usual), "it is banned: rewrites"),
    ] {
        let wrong = wrong_with(&package, &policy, usual).unwrap();
        assert!(wrong.starts_with(why), "{wrong}");
    }
    let mut open = package("x", "1.0.0", "MIT", usual);
    open["source"] = Value::Null;
    open["dependencies"] = serde_json::json!([{"name": "y", "req": "*"}]);
    assert!(wrong_with(&open, &policy, usual).unwrap().starts_with("any version"));
}

#[test]
fn every_dependency_has_its_reason() {
    let reasons = std::fs::read_to_string(root().join("docs/internals/dependencies.md")).unwrap();
    let rows =
        reasons.lines().filter(|line| line.starts_with("| ")).filter_map(|line| line.split('|').nth(1));
    let named: BTreeSet<&str> = rows.flat_map(|row| row.split([',', ' ', '(', ')'])).collect();
    let manifest = toml("Cargo.toml");
    let dependencies = manifest["workspace"]["dependencies"].as_object().unwrap();
    for (name, dependency) in dependencies.iter().filter(|(_, dependency)| dependency["path"].is_null()) {
        assert!(
            named.contains(name.as_str()),
            "{name} = {dependency} has no row in docs/internals/dependencies.md"
        );
    }
}

#[test]
fn only_the_allocator_of_tests_may_have_unsafe_code() {
    let manifest = toml("Cargo.toml");
    assert_eq!(manifest["workspace"]["lints"]["rust"]["unsafe_code"], "forbid");
    let members = list(&manifest["workspace"]["members"]);
    let exempt = members.iter().filter(|member| {
        let manifest = toml(&format!("{}/Cargo.toml", text(member)));
        manifest["lints"]["workspace"] != true
    });
    assert_eq!(exempt.collect::<Vec<_>>(), ["tests/allocator"]);
    // And nothing that is shipped is built with it.
    for member in members {
        let manifest = toml(&format!("{}/Cargo.toml", text(member)));
        assert!(manifest["dependencies"]["counting-allocator"].is_null(), "{member}");
    }
}
