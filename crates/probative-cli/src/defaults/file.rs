//! `probative.toml`, at the root of the project that the current directory is in.

use probative_run::defaults;

use super::{Level, Setting, Source, Trouble, Value};
use crate::commands::Refusal;

/// What the file sets, if there is one.
pub(super) fn level() -> Result<Option<Level>, Trouble> {
    // Whoever stands in a directory that is gone is in no project.
    let here = std::env::current_dir().ok();
    let Some(directory) = here.and_then(|here| defaults::find(&here)) else { return Ok(None) };
    let document =
        defaults::document(&directory).map_err(|error| Trouble::Refused(Refusal::new(error.to_string())))?;
    let settings = match defaults::settings(&document, &directory) {
        Ok(settings) => settings,
        Err(error) => return Err(Trouble::in_file(&document, &error)),
    };
    let plain = |setting: defaults::Setting| {
        let values = setting.values.into_iter();
        let values = values.map(|value| Value { text: value.text.into(), span: value.span });
        Setting { key: setting.key, values: values.collect() }
    };
    let settings = settings.into_iter().map(plain).collect();
    Ok(Some(Level { source: Source::File(document), settings }))
}
