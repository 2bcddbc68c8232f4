//! Hints at files with cases that were not read.

use probative::spec::Format;
use probative_run::{Overlooked, Sources};

use crate::terminal::{hint, is_quiet};

/// Prints hints at what was not searched, and at what was not read for its format.
pub(super) fn about(sources: &Sources) {
    if is_quiet() {
        return;
    }
    let Overlooked { below, other_formats, .. } = Overlooked::beside(sources);
    if below > 0 {
        let (files, were) = if below == 1 { ("file", "was") } else { ("files", "were") };
        let directory = match sources.paths.iter().filter(|path| path.is_dir()).collect::<Vec<_>>()[..] {
            [only] if only.as_os_str() == "." => String::new(),
            [only] => format!(" of {}", only.display()),
            _ => " of these directories".to_owned(),
        };
        hint(&format!("{below} spec {files} in subdirectories{directory} {were} not read; use -r"));
    }
    if !other_formats.is_empty() {
        let ending = |format: Format| format.endings().first().copied().unwrap_or_default();
        let found: Vec<String> =
            other_formats.iter().map(|(format, count)| format!("{count} *{}", ending(*format))).collect();
        let (files, were) =
            if matches!(other_formats[..], [(_, 1)]) { ("file", "was") } else { ("files", "were") };
        let read = sources.formats.iter().chain(other_formats.iter().map(|(format, _)| format));
        let read: Vec<&str> = read.map(|format| format.name()).collect();
        hint(&format!("{} {files} {were} not read; use --formats {}", found.join(" and "), read.join(",")));
    }
}
