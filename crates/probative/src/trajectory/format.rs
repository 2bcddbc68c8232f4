//! A run as people read it: numbered steps, what matters of each, arrows at those that explain a failure.

use std::fmt::Write as _;

use super::json::Json;
use super::model::{Event, LlmCall, StateChange, Step, ToolCall, Trajectory};
use crate::exhibit::{ExhibitLine, Extent, List};
use crate::verdict::{Part, Pointed};

/// How far steps of sub-agents are moved to the right at most.
const DEEPEST_SHOWN: u32 = 8;

/// The run, a line for its title and one for each step or gap, as text.
///
/// ```
/// use probative::exhibit::Extent;
/// use probative::trajectory::{Step, Trajectory, format};
/// use serde_json::json;
///
/// let call = Step::tool_call("search", json!({"q": "refunds"})).returning(json!(["RF-1"]));
/// let run = Trajectory { steps: vec![call], ..Trajectory::default() };
/// let lines = format(&run, &[], Extent::Whole);
/// assert_eq!(lines[0].text, "Actual trajectory (1 step):");
/// assert_eq!(lines[1].text, r#"    1. [tool]  search({"q":"refunds"}) → ["RF-1"]"#);
/// ```
pub fn format(run: &Trajectory<'_>, pointed: &[Pointed], extent: Extent) -> Vec<ExhibitLine> {
    let title = match run.steps.len() {
        0 => return vec![ExhibitLine::plain("Actual trajectory: (empty)")],
        1 => "Actual trajectory (1 step):".to_owned(),
        count => format!("Actual trajectory ({count} steps):"),
    };
    let position = |part| match part {
        Part::Step(index) => Some(index),
        Part::Included(_) | Part::Excluded(_) => None,
    };
    let steps = List::new(run.steps.len(), pointed, position, extent);
    let line = |index: usize| format!("    {}. {}", index + 1, line(&run.steps[index], extent));
    let mut lines = vec![ExhibitLine::plain(title)];
    lines.extend(steps.lines("step", line));
    lines
}

/// One step, without its number.
fn line(step: &Step<'_>, extent: Extent) -> String {
    let mut text = "  ".repeat(step.depth.min(DEEPEST_SHOWN) as usize);
    match &step.event {
        Event::ToolCall(call) => tool_call(call, extent, &mut text),
        Event::LlmCall(call) => llm_call(call, extent, &mut text),
        Event::StateChange(change) => state_change(change, extent, &mut text),
    }
    text
}

fn tool_call(call: &ToolCall<'_>, extent: Extent, text: &mut String) {
    let ToolCall { name, args, result, error, unknown } = call;
    let args = match args {
        None if unknown.args => "?".to_owned(),
        None => "{}".to_owned(),
        Some(args) => args.shown(extent),
    };
    let _ = write!(text, "[tool]  {}({args})", extent.text(name));
    match (result, error) {
        (result, Some(error)) => {
            if let Some(result) = result.as_ref().filter(|result| !result.is_null()) {
                let _ = write!(text, " → {}", result.shown_as_result(extent));
            }
            let _ = write!(text, " ✗ {}", extent.text(&error.to_string()));
        }
        (Some(result), None) => {
            let _ = write!(text, " → {}", result.shown_as_result(extent));
        }
        (None, None) => {}
    }
}

fn llm_call(call: &LlmCall<'_>, extent: Extent, text: &mut String) {
    let _ = write!(
        text,
        "[llm]   {}",
        call.model.as_deref().map_or("(model not recorded)".into(), |model| extent.text(model))
    );
    let tokens = match (call.tokens(), call.prompt_tokens, call.completion_tokens) {
        (Some(tokens), ..) => Some(format!("{tokens} tokens")),
        (None, Some(prompt), _) => Some(format!("{prompt} prompt tokens")),
        (None, None, Some(completion)) => Some(format!("{completion} completion tokens")),
        (None, None, None) => None,
    };
    let cost = call.cost.map(|cost| format!("${}", four_decimals(cost)));
    let known: Vec<String> = tokens.into_iter().chain(cost).collect();
    if !known.is_empty() {
        let _ = write!(text, " ({})", known.join(", "));
    }
}

fn state_change(change: &StateChange<'_>, extent: Extent, text: &mut String) {
    let value =
        |value: &Option<Json<'_>>| value.as_ref().map_or("null".to_owned(), |value| value.shown(extent));
    let (old, new) = (value(&change.old_value), value(&change.new_value));
    let _ = write!(text, "[state] {}: {old} → {new}", extent.text(&change.key));
}

/// An amount of money: four decimals, unless it has hundreds of digits.
pub(super) fn four_decimals(amount: f64) -> String {
    if amount < 1e15 { format!("{amount:.4}") } else { format!("{amount:e}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::trajectory::{CallUnknown, RunError};

    fn run(steps: usize) -> Trajectory<'static> {
        let step = |index: usize| Step::tool_call(format!("t{}", index + 1), json!({}));
        Trajectory { steps: (0..steps).map(step).collect(), ..Trajectory::default() }
    }

    fn formatted(run: &Trajectory<'_>, pointed: &[(usize, &str)]) -> Vec<String> {
        let pointed: Vec<Pointed> = pointed
            .iter()
            .map(|(index, note)| Pointed { part: Part::Step(*index), note: (*note).to_owned() })
            .collect();
        format(run, &pointed, Extent::Brief).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn up_to_twenty_steps_are_shown_whole() {
        let lines = formatted(&run(20), &[]);
        assert_eq!(lines.len(), 21);
        assert_eq!(lines[20], "    20. [tool]  t20({})");
    }

    #[test]
    fn of_more_the_ends_and_what_is_pointed_at_with_its_neighbours() {
        let ends = [
            "Actual trajectory (21 steps):",
            "    1. [tool]  t1({})",
            "    ... (19 more steps) ...",
            "    21. [tool]  t21({})",
        ];
        assert_eq!(formatted(&run(21), &[]), ends);
        let lines = formatted(&run(21), &[(9, "here"), (9, "and again"), (18, "there")]);
        let expected = [
            "Actual trajectory (21 steps):",
            "    1. [tool]  t1({})",
            "    ... (7 more steps) ...",
            "    9. [tool]  t9({})",
            "    10. [tool]  t10({})  ← here; and again",
            "    11. [tool]  t11({})",
            "    ... (6 more steps) ...",
            "    18. [tool]  t18({})",
            "    19. [tool]  t19({})  ← there",
            "    20. [tool]  t20({})",
            "    21. [tool]  t21({})",
        ];
        assert_eq!(lines, expected);
        assert!(formatted(&run(22), &[(19, "x")]).contains(&"    ... (17 more steps) ...".to_owned()));
    }

    #[test]
    fn what_is_known_of_a_step_is_told() {
        let failed = RunError::new("TimeoutError", "slow");
        let partly = |prompt, completion, cost| {
            let model = Some("m".into());
            Step::new(Event::LlmCall(LlmCall {
                model,
                prompt_tokens: prompt,
                completion_tokens: completion,
                cost,
            }))
        };
        let without_args = |unknown| {
            Step::new(Event::ToolCall(ToolCall { name: "a".into(), unknown, ..ToolCall::default() }))
        };
        let steps = vec![
            Step::tool_call("a", json!({"q": 1})).returning(json!("part")).failing(failed.clone()),
            Step::tool_call("a", json!({})).returning(json!(null)).failing(failed),
            Step::tool_call("a", json!({})).returning(json!(null)),
            partly(Some(3), Some(4), Some(0.5)),
            partly(Some(3), None, None),
            partly(None, Some(4), Some(1e300)),
            Step::new(Event::LlmCall(LlmCall::default())),
            Step::state_change("k", json!(1), json!({"a": 2})).by("helper", 1),
            without_args(CallUnknown::default()),
            without_args(CallUnknown { args: true, ..CallUnknown::default() }),
        ];
        let lines = formatted(&Trajectory { steps, ..Trajectory::default() }, &[]);
        let expected = [
            "    1. [tool]  a({\"q\":1}) → \"part\" ✗ TimeoutError: slow",
            "    2. [tool]  a({}) ✗ TimeoutError: slow",
            "    3. [tool]  a({}) → null",
            "    4. [llm]   m (7 tokens, $0.5000)",
            "    5. [llm]   m (3 prompt tokens)",
            "    6. [llm]   m (4 completion tokens, $1e300)",
            "    7. [llm]   (model not recorded)",
            "    8.   [state] k: 1 → {\"a\":2}",
            "    9. [tool]  a({})",
            "    10. [tool]  a(?)",
        ];
        assert_eq!(lines[1..], expected);
    }

    #[test]
    fn a_result_that_holds_json_is_shown_as_what_it_holds() {
        let shown = |result: serde_json::Value| {
            let steps = vec![Step::tool_call("get", json!({})).returning(result)];
            formatted(&Trajectory { steps, ..Trajectory::default() }, &[]).pop().unwrap()
        };
        assert_eq!(
            shown(json!(r#"{"id": "RF-1", "n": 1.0}"#)),
            r#"    1. [tool]  get({}) → {"id":"RF-1","n":1.0}"#
        );
        assert_eq!(shown(json!("[1, 2]")), "    1. [tool]  get({}) → [1,2]");
        for text in ["{not JSON}", "[1] and more", "17", "null"] {
            assert_eq!(shown(json!(text)), format!("    1. [tool]  get({{}}) → \"{text}\""));
        }
        let long = format!("[{}1]", "1,".repeat(40_000));
        assert!(shown(json!(long)).ends_with("..."), "cut like any other");
        assert!(shown(json!(long)).contains("→ \"[1,1"), "and not decoded");
    }

    #[test]
    fn an_amount_of_sixteen_digits_is_written_by_its_power() {
        assert_eq!(four_decimals(999_999_999_999_999.0), "999999999999999.0000");
        assert_eq!(four_decimals(1e15), "1e15");
    }

    #[test]
    fn a_long_note_is_cut() {
        let note = formatted(&run(1), &[(0, &"é".repeat(5000))]);
        assert!(note[1].len() < 1100 && note[1].ends_with("..."), "{}", note[1].len());
    }
}
