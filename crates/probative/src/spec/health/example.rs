//! For each finding a case in which it is found, and the same case mended.

use super::Code;

/// A case in which something is found, and the same one mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// In this one it is found.
    pub found: &'static str,
    /// In this one it is not.
    pub mended: &'static str,
}

/// A case about a command, with what it asks of standard output.
macro_rules! asks {
    ($assert:literal) => {
        concat!(
            "id: GREETS\ntype: cli.run\nargv: [Hello, World]\nharness: {entrypoint: echo}\nassert:\n  - target: stdout\n",
            $assert
        )
    };
}

impl Code {
    /// A case in which it is found, and the same one mended.
    pub fn example(self) -> Example {
        let (found, mended) = match self {
            Code::EmptyContain => {
                (asks!("    must: [{contain: ['']}]\n"), asks!("    must: [{contain: [Hello]}]\n"))
            }
            Code::AlwaysTrue => {
                (asks!("    must: [{regex: ['.*']}]\n"), asks!("    must: [{regex: ['^Hello .+$']}]\n"))
            }
            Code::DuplicateValue => (
                asks!("    must: [{contain: [Hello, Hello]}]\n"),
                asks!("    must: [{contain: [Hello, World]}]\n"),
            ),
            Code::RedundantBranch => (
                asks!("    can:\n      - contain: [Hello]\n      - contain: [Hello]\n"),
                asks!("    can:\n      - contain: [Hello]\n      - contain: [Goodbye]\n"),
            ),
            Code::Unportable => (
                asks!("    must: [{regex: ['(?<=Hello )World']}]\n"),
                asks!("    must: [{regex: ['Hello World']}]\n"),
            ),
            Code::Contradiction => (
                asks!(
                    "    must: [{contain: [Hello]}]\n  - target: stdout\n    cannot: [{contain: [Hello]}]\n"
                ),
                asks!(
                    "    must: [{contain: [Hello]}]\n  - target: stdout\n    cannot: [{contain: [Goodbye]}]\n"
                ),
            ),
            Code::Nothing => (
                "id: GREETS\ntype: cli.run\nargv: [Hello]\nharness: {entrypoint: echo}\n",
                "id: GREETS\ntype: cli.run\nargv: [Hello]\nexit_code: 0\nharness: {entrypoint: echo}\n",
            ),
            Code::CannotOfSeveral => (
                asks!("    cannot: [{contain: [password, secret]}]\n"),
                asks!("    cannot: [{contain: [password]}, {contain: [secret]}]\n"),
            ),
            Code::OwnFence => (
                "id: LICENSED\ntype: text.file\nassert: [{target: text, must: [{contain: [MIT license]}]}]\n",
                "id: LICENSED\ntype: text.file\npath: README.md\nassert: [{target: text, must: [{contain: [MIT license]}]}]\n",
            ),
        };
        Example { found, mended }
    }
}
