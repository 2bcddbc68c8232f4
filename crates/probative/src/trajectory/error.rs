//! Whether the run ended in an error, and in which.

use super::model::Event;
use super::run::Run;
use super::telling::quoted;
use crate::value::excerpt::cut;
use crate::verdict::{Error, Failure, Verdict};

/// The run ended without an error.
pub fn succeeded(run: &Run<'_>) -> Result<Verdict, Error> {
    Ok(match run.trajectory().known_error()? {
        None => Verdict::Pass,
        Some(error) => {
            let error = cut(&error.to_string()).into_owned();
            let failure = Verdict::fail(format!("The run failed: {error}"));
            pointing_at_the_last_tool_error(failure.expected("no error").actual(error).at("error"), run)
                .into()
        }
    })
}

/// The run ended in an error.
pub fn failed(run: &Run<'_>) -> Result<Verdict, Error> {
    Ok(match run.trajectory().known_error()? {
        Some(_) => Verdict::Pass,
        None => Verdict::fail("The run succeeded, but was expected to fail")
            .expected("an error")
            .actual("no error")
            .at("error")
            .into(),
    })
}

/// The run ended in an error of this type. A name without a dot is compared with the last part of the type's name, one
/// with a dot with all of it: `TimeoutError` is also `asyncio.TimeoutError`, but not the other way round.
pub fn error_is(run: &Run<'_>, r#type: &str) -> Result<Verdict, Error> {
    let expected = || format!("an error of type {}", quoted(r#type));
    let Some(error) = run.trajectory().known_error()? else {
        let failure =
            Verdict::fail(format!("The run succeeded, but was expected to fail with {}", quoted(r#type)));
        return Ok(failure.expected(expected()).actual("no error").at("error").into());
    };
    let name = error.full_name();
    let is_it = name.as_deref().is_some_and(|name| name == r#type || name.rsplit('.').next() == Some(r#type));
    if is_it {
        return Ok(Verdict::Pass);
    }
    let message = match name {
        None => format!("The run failed with an error without a type, expected {}", quoted(r#type)),
        Some(name) => format!("The run failed with {}, expected {}", quoted(&name), quoted(r#type)),
    };
    let failure = Verdict::fail(message).expected(expected()).actual(cut(&error.to_string())).at("error");
    Ok(pointing_at_the_last_tool_error(failure, run).into())
}

fn pointing_at_the_last_tool_error(failure: Failure, run: &Run<'_>) -> Failure {
    let steps = run.trajectory().steps.iter().enumerate().rev();
    let mut erring =
        steps.filter(|(_, step)| matches!(&step.event, Event::ToolCall(call) if call.error.is_some()));
    match erring.next() {
        None => failure,
        Some((index, _)) => failure.pointing_at(index, "the last tool error"),
    }
}
