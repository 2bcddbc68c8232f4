//! The formats that traces are read in, and those that reports are written in.

use probative::report::Format;
use probative::schema::variants;
use probative::trajectory::readers::TraceFormat;

use super::{Group, Layout, Topic, first_sentence};

/// A question that every format can answer.
const QUESTION: &str = "no_repeated_calls: true";

/// The trace formats.
pub(super) fn traces() -> Group {
    let topic = |(name, about): (String, String)| {
        let about = about.replace('`', "");
        let text = format!(
            "{about}\n\n  probative show TRACE --trace-format {name}\n  probative check question.yaml TRACE\n  \
             probative convert TRACE > run.json\n\nquestion.yaml, for example:\n\n  {QUESTION}\n\n\
             The format is detected; if it can't be, set it with --trace-format.\n"
        );
        Topic { summary: first_sentence(&about), name, text }
    };
    Group {
        heading: "Trace formats:".to_owned(),
        noun: "trace format".to_owned(),
        layout: Layout::Names,
        topics: variants::<TraceFormat>().into_iter().map(topic).collect(),
    }
}

/// The formats of reports.
pub(super) fn reports() -> Group {
    let topic = |(name, about): (String, String)| {
        let about = about.replace('`', "");
        Topic {
            text: format!(
                "{about}\n\n  probative run --report {name}\n  probative run --report {name}=FILE\n"
            ),
            summary: first_sentence(&about),
            name,
        }
    };
    Group {
        heading: "Report formats (`--report`):".to_owned(),
        noun: "report format".to_owned(),
        layout: Layout::Lines,
        topics: variants::<Format>().into_iter().map(topic).collect(),
    }
}
