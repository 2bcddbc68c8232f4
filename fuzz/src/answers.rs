//! What an agent puts out, and cases that judge it.

use std::borrow::Cow;

use probative::About;
use probative::document::Document;
use probative::spec::lang::{Nowhere, World};
use probative::spec::types::Target;
use probative::spec::{
    Answer, Artifact, Circumstances, Format, Observed, Origin, Plan, Reading, Settings, Spec, Subject,
};
use probative::value::{Moment, Value};
use probative::verdict::Error;

use crate::input::{choice, parts, text};

/// A document with cases, and what an agent put out; the first byte chooses how that came.
///
/// It is sorted into what was said, done and seen, or refused; judging it ends, and says the same twice.
pub fn answers(bytes: &[u8]) {
    let (choice, rest) = choice(bytes);
    let [document, output] = parts(rest);
    let document = Document::new("fuzz.spec.yaml", text(document).as_ref());
    let spec = Spec::read(document, Format::Yaml, &Settings::default());
    let origin = [Origin::Run, Origin::File, Origin::Case][choice % 3];
    let only = About::ALL.get(choice / 3 % 8).copied();
    let (mut answer, named) = Answer::of_output(output, "stdout", only, origin);
    for named in named {
        answer.take(named.about, &named.file, output.to_vec(), Origin::Run, &Reading::default());
    }
    answer.cost();
    let observed = Answered { text: text(output).into(), answer };
    for case in &spec.cases {
        let Plan::Run(run) = &case.plan else { continue };
        let now = Moment::from_unix_seconds(1_790_000_000);
        let circumstances = Circumstances { id: &case.id, document: &spec.document, now };
        let told = || {
            let found = run.judge(&circumstances, &observed);
            format!("{:?} {:?} {:?}", found.judgement, found.warnings, found.mentions)
        };
        assert_eq!(told(), told());
    }
}

/// An agent that put something out, which is every text there is, too.
struct Answered {
    text: Value,
    answer: Answer,
}

impl Observed for Answered {
    fn subject(&self, _: &'static Target) -> Result<Subject<'_>, Error> {
        Ok(Subject::Value(Cow::Borrowed(&self.text)))
    }

    fn artifact(&self, about: About) -> Result<&Artifact, Error> {
        self.answer.artifact(about)
    }

    fn turn(&self, _: usize) -> Result<&Artifact, Error> {
        self.answer.artifact(About::Response)
    }

    fn cost(&self) -> Option<f64> {
        self.answer.cost()
    }

    fn exit_code(&self) -> Option<i32> {
        Some(0)
    }

    fn world(&self) -> &dyn World {
        &Nowhere
    }
}
