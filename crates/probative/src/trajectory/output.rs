//! What the run answered in the end.

use super::run::Run;
use crate::difference::Difference;
use crate::value::Pattern;
use crate::value::excerpt::{around, cut, first_difference};
use crate::verdict::{Error, Verdict};

const PLACE: &str = "final_output";

/// The final output is this text, to the character. A run without output fails.
pub fn output_equals(run: &Run<'_>, text: &str) -> Result<Verdict, Error> {
    let verdict = asked(
        run,
        || format!("exactly '{}'", cut(text)),
        |output| output == text,
        |output| format!("The final output differs {}", first_difference(output, text)),
    )?;
    Ok(match (verdict, run.trajectory().known_output()?) {
        (Verdict::Fail(failure), Some(output)) => {
            failure.differing(Difference::of_texts(text, output)).into()
        }
        (verdict, _) => verdict,
    })
}

/// The final output contains the text. A run without output fails.
pub fn output_contains(run: &Run<'_>, text: &str) -> Result<Verdict, Error> {
    asked(
        run,
        || format!("a string containing '{}'", cut(text)),
        |output| output.contains(text),
        |_| format!("The final output does not contain '{}'", cut(text)),
    )
}

/// The final output does not contain the text. A run without output fails: nothing was said that could be free of it.
pub fn output_not_contains(run: &Run<'_>, text: &str) -> Result<Verdict, Error> {
    let output = run.trajectory().known_output()?;
    let verdict = asked(
        run,
        || format!("a string without '{}'", cut(text)),
        |output| !output.contains(text),
        |_| format!("The final output contains '{}'", cut(text)),
    )?;
    Ok(match (verdict, output.and_then(|output| Some((output, output.find(text)?)))) {
        (Verdict::Fail(failure), Some((output, at))) => failure.actual(around(output, at)).into(),
        (verdict, _) => verdict,
    })
}

/// The pattern is found in the final output. A run without output fails.
pub fn output_matches(run: &Run<'_>, pattern: &Pattern) -> Result<Verdict, Error> {
    let output = run.trajectory().known_output()?;
    let found = output.map(|output| pattern.found_in(output, PLACE)).transpose()?.unwrap_or_default();
    asked(
        run,
        || format!("a string that matches '{}'", cut(pattern.as_str())),
        |_| found,
        |_| format!("The final output does not match '{}'", cut(pattern.as_str())),
    )
}

fn asked(
    run: &Run<'_>,
    expected: impl Fn() -> String,
    holds: impl Fn(&str) -> bool,
    message: impl Fn(&str) -> String,
) -> Result<Verdict, Error> {
    Ok(match run.trajectory().known_output()? {
        None => {
            Verdict::fail("The run has no final output").expected(expected()).actual("null").at(PLACE).into()
        }
        Some(output) if holds(output) => Verdict::Pass,
        Some(output) => Verdict::fail(message(output))
            .expected(expected())
            .actual(format!("'{}'", cut(output)))
            .at(PLACE)
            .into(),
    })
}
