//! The keys of `probative.toml` that are defaults for flags, described as the flags are.

use clap::{Arg, CommandFactory as _};
use probative::value::Value;
use probative_run::defaults::{KEYS, Takes};
use serde_json::{Map, json};

use crate::args::Arguments;
use crate::defaults;

/// What may stand behind every key that gives a default for a flag.
///
/// Wider than the flags: a value may be one that its flag refuses.
pub(super) fn keys() -> Map<String, Value> {
    let command = Arguments::command();
    let described = KEYS.iter().map(|key| {
        let flag = command.get_subcommands().find_map(|command| defaults::flag(command, key));
        (key.name.to_owned(), schema(key.takes, flag))
    });
    described.collect()
}

fn schema(takes: Takes, flag: Option<&Arg>) -> Value {
    let names: Vec<String> = flag
        .map(Arg::get_possible_values)
        .into_iter()
        .flatten()
        .map(|value| value.get_name().to_owned())
        .collect();
    let mut schema = match takes {
        Takes::Boolean => json!({"type": "boolean"}),
        Takes::Whole => json!({"type": "integer"}),
        Takes::Number => json!({"type": "number"}),
        Takes::Text | Takes::Path if names.is_empty() => json!({"type": "string"}),
        Takes::Text | Takes::Path => json!({"enum": names}),
        Takes::Texts | Takes::Paths | Takes::Reports => {
            json!({"type": ["string", "array"], "items": {"type": "string"}})
        }
    };
    if let Some(help) = flag.and_then(Arg::get_help) {
        schema["description"] = help.to_string().into();
    }
    schema
}
