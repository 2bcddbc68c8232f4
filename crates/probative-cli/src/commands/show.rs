//! `probative show SUBJECT…`

use std::io::{self, Write};
use std::process::ExitCode;

use probative::Vocabulary;
use probative::exhibit::{Extent, Showing};
use probative::value::visible;
use probative::verdict::Error;
use probative::vocabularies::Speaker;
use probative::vocabulary::Read;
use probative_run::{Record, Traces, subjects};

use super::{Refusal, ended, stop_unless_read};
use crate::args::ShowArguments;
use crate::interrupt::Interrupt;
use crate::secrets;
use crate::terminal::complain;

/// Prints every subject as what it is, and complains of those that cannot be read.
pub(crate) fn run(arguments: &ShowArguments) -> Result<ExitCode, Refusal> {
    let interrupt = Interrupt::listen()?;
    let subjects = subjects::find(&arguments.named.subjects, arguments.named.recursive);
    let extent = match (arguments.brief, arguments.full) {
        (true, _) => Extent::Brief,
        (_, true) => Extent::Full,
        _ => Extent::Whole,
    };
    let showing = Showing { extent, budget: arguments.budget };
    let mut out = io::BufWriter::new(crate::terminal::stdout());
    let (mut code, mut written) = (0, Ok(()));
    let mask = secrets::mask();
    let mut before = "";
    probative_run::each(subjects, arguments.named.how(Traces::Recognized), &interrupt.stop, |record| {
        let id = record.id();
        let mut warned = Vec::new();
        for part in record.parts() {
            match part.speak(Shown { record, showing: &showing }) {
                Ok(Read { subject: text, warnings }) => {
                    if written.is_ok() {
                        let title = if record.is_envelope() {
                            format!("{id}: {}", part.subject())
                        } else {
                            id.clone()
                        };
                        written =
                            write!(out, "{before}{}\n{}", mask.hide(&visible(&title)), mask.hide(&text));
                        stop_unless_read(&written, &interrupt.stop);
                    }
                    before = "\n";
                    for warning in warnings {
                        // Those of an envelope are given with each of its parts.
                        if !warned.contains(&warning) {
                            complain(&format_args!("warning: {id}: {warning}"));
                            warned.push(warning);
                        }
                    }
                }
                Err(error) => {
                    let _ = out.flush();
                    complain(&error);
                    code = code.max(if error.is_askers_mistake() { 2 } else { 1 });
                }
            }
        }
    });
    interrupt.finishing();
    Ok(ended(written.and_then(|()| out.flush()), code, &interrupt.stop))
}

/// A subject that is to be shown in the vocabulary that it belongs to.
struct Shown<'a> {
    record: &'a Record<'a>,
    showing: &'a Showing,
}

impl Speaker for Shown<'_> {
    /// How it looks.
    type Answer = Result<Read<String>, Error>;

    fn speak<A: Vocabulary>(self) -> Self::Answer {
        let Read { subject, warnings } = self.record.read::<A>(&A::whole())?;
        Ok(Read { subject: A::show(&subject, self.showing), warnings })
    }
}
