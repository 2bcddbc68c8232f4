//! What came of an agent, as a report shows it beside failures.

use probative::About;
use probative::Vocabulary;
use probative::exhibit::{Exhibit, ExhibitLine, Panel};
use probative::spec::{Answer, Artifact};
use probative::value::Value;
use probative::verdict::Pointed;
use probative::vocabularies::Speaker;

use super::shown_line;

/// How many lines of a text are shown.
const SHOWN_LINES: usize = 12;

/// Everything that came and can be shown: what was done and seen with marks, what was said as far as it fits.
pub(super) fn lines(answer: &Answer, pointed: &[Pointed]) -> Vec<ExhibitLine> {
    answer
        .artifacts()
        .flat_map(|(about, artifact)| match about {
            About::Response => said(artifact),
            about => about.speak(Shown { artifact, pointed }),
        })
        .collect()
}

/// The same as data.
pub(super) fn panels(answer: &Answer) -> Vec<Panel> {
    let panels = answer.artifacts().flat_map(|(about, artifact)| match about {
        About::Response => {
            vec![written(about.subject(), &String::from_utf8_lossy(artifact.written().bytes()))]
        }
        about => about.speak(Laid { artifact }),
    });
    panels.collect()
}

/// JSON, or else the text that it is.
pub(super) fn written(title: &str, text: &str) -> Panel {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => Panel::json(title, &value),
        Err(_) => Panel::text(title, text),
    }
}

/// What was said: JSON one member or item a line, or the text.
fn said(artifact: &Artifact) -> Vec<ExhibitLine> {
    let bytes = artifact.written().bytes();
    let text = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(members)) => {
            let line =
                |(name, value): (&String, &Value)| format!("  {}: {value}", Value::from(name.as_str()));
            lined(members.iter().map(line), ["{", "}"])
        }
        Ok(Value::Array(items)) => lined(items.iter().map(|item| format!("  {item}")), ["[", "]"]),
        Ok(scalar) => scalar.to_string(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    };
    beginning("response", &text)
}

fn lined(lines: impl Iterator<Item = String>, [open, close]: [&str; 2]) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        format!("{open}{close}")
    } else {
        format!("{open}\n{}\n{close}", lines.join(",\n"))
    }
}

/// The first lines of a text under its name.
pub(super) fn beginning(name: &str, text: &str) -> Vec<ExhibitLine> {
    let count = text.lines().count();
    let head = match count {
        0 => format!("{name} is empty"),
        count if count > SHOWN_LINES => format!("{name}, the first {SHOWN_LINES} of {count} lines:"),
        _ => format!("{name}:"),
    };
    let shown = text.lines().take(SHOWN_LINES).map(shown_line);
    std::iter::once(ExhibitLine::plain(head)).chain(shown).collect()
}

/// A subject as data.
struct Laid<'a> {
    artifact: &'a Artifact,
}

impl Speaker for Laid<'_> {
    type Answer = Vec<Panel>;

    fn speak<A: Vocabulary>(self) -> Vec<Panel> {
        let read = self.artifact.written().read::<A>(&A::whole(), "", None);
        let Ok(read) = read else {
            return vec![written(A::SUBJECT, &String::from_utf8_lossy(self.artifact.written().bytes()))];
        };
        A::exhibit(&read.subject).map(Exhibit::panels).unwrap_or_default()
    }
}

/// A subject as its vocabulary shows it.
struct Shown<'a> {
    artifact: &'a Artifact,
    pointed: &'a [Pointed],
}

impl Speaker for Shown<'_> {
    type Answer = Vec<ExhibitLine>;

    fn speak<A: Vocabulary>(self) -> Vec<ExhibitLine> {
        let read = self.artifact.written().read::<A>(&A::whole(), "", None);
        let Ok(read) = read else {
            // What is wrong with it is told already; this is what it looks like.
            return beginning(A::SUBJECT, &String::from_utf8_lossy(self.artifact.written().bytes()));
        };
        A::exhibit(&read.subject).map(|exhibit| exhibit.lines(self.pointed)).unwrap_or_default()
    }
}
