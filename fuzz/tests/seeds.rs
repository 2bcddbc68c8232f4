//! Every target takes its seeds, whole and broken, as it takes anything: without libFuzzer, so that none of them rots.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use probative_fuzz::{TARGETS, Target, seeds};

/// The seed as it is, cut, with a byte changed, and with another behind it.
fn variants(seed: &[u8], another: &[u8]) -> Vec<Vec<u8>> {
    let middle = seed.len() / 2;
    let mut changed = seed.to_vec();
    changed.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 0x20);
    vec![seed.to_vec(), seed[..middle].to_vec(), changed, [seed, another].concat()]
}

fn takes_its_seeds(target: &Target) {
    let seeds = seeds::of(target.name);
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    for (at, seed) in seeds.iter().enumerate() {
        for bytes in variants(seed, &seeds[(at + 1) % seeds.len()]) {
            let ended = catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes)));
            assert!(ended.is_ok(), "{} broke on {:?}", target.name, String::from_utf8_lossy(&bytes));
        }
    }
}

/// A test for every target of the table.
macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            takes_its_seeds(TARGETS.iter().find(|target| target.name == stringify!($name)).unwrap());
        })*

        #[test]
        fn every_target_is_tested() {
            assert_eq!(TARGETS.map(|target| target.name), [$(stringify!($name)),*]);
        }
    };
}

targets! { answers baselines cases formatter json lang paths patterns questions reports responses runs selections traces }

#[test]
fn every_target_is_a_program() {
    let manifest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
    let mut programs: Vec<&str> = manifest
        .split("[[bin]]\nname = \"")
        .skip(1)
        .filter_map(|program| program.split('"').next())
        .collect();
    programs.sort_unstable();
    assert_eq!(programs, TARGETS.map(|target| target.name));
}
