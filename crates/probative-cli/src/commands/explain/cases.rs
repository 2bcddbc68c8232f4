//! What cases of spec documents are made of: their types, their operators, and what can be found wrong with them.

use std::fmt::Write as _;

use probative::spec::types::{TYPES, Type};
use probative::spec::{Code, Operator, common};

use super::{Group, Layout, Topic, first_sentence, indented, lines};

/// The types of cases.
pub(super) fn types() -> Group {
    let topic = |kind: &Type| Topic {
        name: kind.name.to_owned(),
        summary: first_sentence(&kind.about()),
        text: about_type(kind),
    };
    Group {
        heading: "Case types:".to_owned(),
        noun: "case type".to_owned(),
        layout: Layout::Lines,
        topics: TYPES.iter().map(topic).collect(),
    }
}

fn about_type(kind: &Type) -> String {
    let mut text = format!("{}\n", kind.about());
    for (heading, keys) in [("Keys", kind.told_keys()), ("Keys of `harness`", kind.told_harness_keys())] {
        let _ = writeln!(text, "\n{heading}:\n");
        lines(&mut text, keys.iter().map(|(key, what)| (key.as_str(), what.as_str())));
    }
    let targets: Vec<&str> = kind.targets.iter().map(|target| target.name).collect();
    let _ = writeln!(
        text,
        "\nTargets: {}.\nKeys of every case: {}.\n\
         Any group or assertion can have a `name`, shown as the headline when it fails.",
        targets.join(", "),
        common().join(", ")
    );
    let _ = write!(text, "\n{}", indented(kind.example));
    text
}

/// The operators of leaves.
pub(super) fn operators() -> Group {
    let topic = |operator: Operator| Topic {
        name: operator.name().to_owned(),
        summary: first_sentence(operator.about()),
        text: format!("{}\n\n{}", operator.about(), indented(operator.example())),
    };
    Group {
        heading: "Operators in spec files:".to_owned(),
        noun: "operator".to_owned(),
        layout: Layout::Lines,
        topics: Operator::ALL.map(topic).into(),
    }
}

/// What can be the matter with assertions.
pub(super) fn findings() -> Group {
    let topic = |code: Code| {
        let example = code.example();
        Topic {
            name: code.name().to_owned(),
            summary: first_sentence(code.about()),
            text: format!(
                "{}\n\nReported:\n\n{}\nFixed:\n\n{}",
                code.about(),
                indented(example.found),
                indented(example.mended)
            ),
        }
    };
    Group {
        heading: "Findings of `probative lint`:".to_owned(),
        noun: "finding".to_owned(),
        layout: Layout::Lines,
        topics: Code::ALL.map(topic).into(),
    }
}
