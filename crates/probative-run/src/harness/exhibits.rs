//! What came of an agent, as a report shows it beside failures.

use probative::About;
use probative::Vocabulary;
use probative::exhibit::{Exhibit, ExhibitLine, Marks, Panel, beginning};
use probative::json::JsonDocument;
use probative::spec::{Answer, Artifact};
use probative::value::Value;
use probative::vocabularies::Speaker;

/// Everything that came and can be shown: what was done and seen with marks, what was said as far as it fits.
pub(super) fn lines(answer: &Answer, marks: &Marks) -> Vec<ExhibitLine> {
    answer
        .artifacts()
        .flat_map(|(about, artifact)| match about {
            About::Response => said(artifact, marks),
            about => about.speak(Shown { artifact, marks }),
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
    let messages = answer.messages().map(|messages| Panel::json("messages", &messages));
    panels.chain(messages).collect()
}

/// JSON, or else the text that it is.
pub(super) fn written(title: &str, text: &str) -> Panel {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => Panel::json(title, &value),
        Err(_) => Panel::text(title, text),
    }
}

/// What was said: JSON with marks, or the text.
fn said(artifact: &Artifact, marks: &Marks) -> Vec<ExhibitLine> {
    let bytes = artifact.written().bytes();
    match JsonDocument::read(bytes) {
        Ok(document) => document.lines(marks),
        Err(_) => beginning("response", &String::from_utf8_lossy(bytes)),
    }
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
    marks: &'a Marks,
}

impl Speaker for Shown<'_> {
    type Answer = Vec<ExhibitLine>;

    fn speak<A: Vocabulary>(self) -> Vec<ExhibitLine> {
        let read = self.artifact.written().read::<A>(&A::whole(), "", None);
        let Ok(read) = read else {
            // What is wrong with it is told already; this is what it looks like.
            return beginning(A::SUBJECT, &String::from_utf8_lossy(self.artifact.written().bytes()));
        };
        A::exhibit(&read.subject).map(|exhibit| exhibit.lines(self.marks)).unwrap_or_default()
    }
}
