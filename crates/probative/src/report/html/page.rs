//! The page around the results: its style, its script, and the policy that lets nothing else in.

use std::fmt::Write as _;

use serde::Serialize;

use crate::report::{Frame, Summary};
use crate::value::excerpt::visible_json;

const STYLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/layout.css"),
    include_str!("style/list.css"),
    include_str!("style/overview.css"),
    include_str!("style/detail.css"),
    include_str!("style/panels.css"),
    include_str!("style/tree.css"),
    include_str!("style/timeline.css"),
    include_str!("style/selection.css"),
    include_str!("style/trials.css"),
    include_str!("style/small.css"),
);

/// In an order in which nothing runs before what it needs is there.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("script/words.js"),
    include_str!("script/dom.js"),
    include_str!("script/icons.js"),
    include_str!("script/fold.js"),
    include_str!("script/data.js"),
    include_str!("script/route.js"),
    include_str!("script/choose.js"),
    include_str!("script/place.js"),
    include_str!("script/tree.js"),
    include_str!("script/marks.js"),
    include_str!("script/messages.js"),
    include_str!("script/trajectory.js"),
    include_str!("script/selection.js"),
    include_str!("script/panels.js"),
    include_str!("script/trials.js"),
    include_str!("script/prose.js"),
    include_str!("script/assertions.js"),
    include_str!("script/detail.js"),
    include_str!("script/overview.js"),
    include_str!("script/list.js"),
    include_str!("script/controls.js"),
    include_str!("script/theme.js"),
    include_str!("script/keys.js"),
    include_str!("script/main.js"),
    "})();\n",
);

/// What the browser holds [`STYLE`] and [`SCRIPT`] to: nothing else is run, whatever stands in the page.
const STYLE_HASH: &str = "sha256-DRQM+G9ZcLWfFCKA+TPRfqUIRkNLeOdqtB8+ym/dIVE=";
const SCRIPT_HASH: &str = "sha256-5EH2PftqTi3f/nriSIN3qFqTgPJuUJBTCpluEaod9t0=";

/// What stands beside the results.
#[derive(Serialize)]
struct Whole<'a> {
    summary: &'a Summary,
    noun: &'static str,
}

/// Appends a value as a line of JSON that can stand in a page.
pub(super) fn line(value: &impl Serialize, out: &mut Vec<u8>) {
    out.extend_from_slice(embedded(value).as_bytes());
    out.push(b'\n');
}

/// The page before and after the results.
pub(super) fn frame(summary: &Summary, noun: &'static str) -> Frame {
    let policy = format!(
        "default-src 'none'; script-src '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    );
    let title = title(summary);
    let head = format!(include_str!("head.html"), policy = policy, title = title, style = STYLE);
    let whole = embedded(&Whole { summary, noun });
    let tail = format!(include_str!("tail.html"), summary = whole, script = SCRIPT);
    Frame { head, tail }
}

/// `2 failed, 1 error, 40 passed`: what a tab of a browser shows first.
fn title(summary: &Summary) -> String {
    let errors = if summary.errors == 1 { "error" } else { "errors" };
    let counts = [
        (summary.failed, "failed"),
        (summary.errors, errors),
        (summary.passed, "passed"),
        (summary.skipped, "skipped"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
    if counts.is_empty() { "nothing was judged".to_owned() } else { counts.join(", ") }
}

/// JSON on one line, without a character that means something to a reader of HTML. They stand in its texts alone, where
/// each can be escaped.
fn embedded(value: &impl Serialize) -> String {
    // Writing texts and numbers to memory cannot fail. What is kept as it was written may stand on several lines; within
    // texts, line ends are escaped already.
    let json = serde_json::to_string(value).unwrap_or_default().replace(['\n', '\r'], " ");
    let json = visible_json(&json);
    let mut safe = String::with_capacity(json.len());
    let mut rest = &*json;
    while let Some((at, character)) = rest.char_indices().find(|(_, character)| is_markup(*character)) {
        safe.push_str(&rest[..at]);
        // Writing to a String cannot fail.
        let _ = write!(safe, "\\u{:04x}", u32::from(character));
        rest = &rest[at + character.len_utf8()..];
    }
    safe.push_str(rest);
    safe
}

fn is_markup(character: char) -> bool {
    matches!(character, '<' | '>' | '&')
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use ring::digest::{SHA256, digest};

    use super::*;

    fn hash(text: &str) -> String {
        format!("sha256-{}", STANDARD.encode(digest(&SHA256, text.as_bytes())))
    }

    #[test]
    fn the_policy_names_what_is_in_the_page() {
        assert_eq!([STYLE_HASH, SCRIPT_HASH], [hash(STYLE), hash(SCRIPT)], "write the latter into page.rs");
    }

    #[test]
    fn the_page_runs_as_it_is_written() {
        for text in [STYLE, SCRIPT] {
            // The browser reads CR LF as LF before it computes the hash.
            assert!(!text.contains('\r'));
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
    }

    #[test]
    fn nothing_ends_the_script_that_it_stands_in() {
        let hostile = "</script><!--<script>&amp;\u{2028}\u{2029}\0";
        let safe = embedded(&hostile);
        assert!(!safe.contains(is_markup), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), hostile);
    }

    #[test]
    fn a_tab_tells_the_bad_news_first() {
        let summary = Summary { total: 4, passed: 2, failed: 1, errors: 1, ..Summary::default() };
        assert_eq!(title(&summary), "1 failed, 1 error, 2 passed");
        assert_eq!(title(&Summary::default()), "nothing was judged");
    }
}
