//! The tools that a run lists.

use std::borrow::Cow;

use crate::trajectory::json::Json;
use crate::value::{Value, field};

/// The names in a list of names, or of objects with a `name`. Anything else is told, and not read; null lists nothing.
pub(super) fn read(written: &Json<'_>, unlisted: &mut Option<String>) -> Vec<Cow<'static, str>> {
    let written = written.value();
    let Some(items) = written.as_array() else {
        if !written.is_null() {
            *unlisted = Some("'tools' is ignored; expected an array of names".to_owned());
        }
        return Vec::new();
    };
    let name = |tool: &Value| match tool {
        Value::String(name) => Some(Cow::Owned(name.clone())),
        other => Some(Cow::Owned(field(other, "name")?.as_str()?.to_owned())),
    };
    let unnamed = || items.iter().enumerate().filter(|(_, tool)| name(tool).is_none());
    *unlisted = unnamed().next().map(|(first, _)| {
        let more = match unnamed().count() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!("'tools[{first}]' is ignored{more}; expected a string, or an object with 'name'")
    });
    items.iter().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;

    fn tools(written: &str) -> (Vec<String>, Vec<String>) {
        let run = format!(r#"{{"steps": [], "tools": {written}}}"#);
        let read = read(run.as_bytes()).unwrap();
        (read.subject.tools.iter().map(ToString::to_string).collect(), read.warnings)
    }

    #[test]
    fn tools_are_names_or_objects_with_a_name() {
        let (names, warnings) = tools(r#"["search", {"name": "refund", "description": "gives back"}]"#);
        assert_eq!((names, warnings.len()), (vec!["search".to_owned(), "refund".to_owned()], 0));
        assert_eq!(tools("null"), (vec![], vec![]));
    }

    #[test]
    fn anything_else_is_a_warning_and_no_error() {
        let (names, warnings) = tools(r#"["search", 7, {"title": "refund"}, {"name": null}]"#);
        assert_eq!(names, ["search"]);
        assert_eq!(
            warnings,
            ["'tools[1]' is ignored (and 2 more); expected a string, or an object with 'name'"]
        );
        let (names, warnings) = tools(r#"{"search": {}}"#);
        assert_eq!(names, [""; 0]);
        assert_eq!(warnings, ["'tools' is ignored; expected an array of names"]);
    }

    #[test]
    fn a_run_is_written_with_its_tools() {
        let run = br#"{"tools":["search"],"steps":[]}"#;
        let read = read(run).unwrap().subject;
        assert_eq!(serde_json::to_vec(&read).unwrap(), run);
        assert_eq!(read.clone().into_owned(), read);
    }
}
