//! The JSON Schema of a run in the native format, read off the table of its keys.

use serde_json::{Map, Value, json};

use super::keys::{
    ERROR, EVERY_STEP, Holds, Meant, OF_ERROR, OF_RUN, OF_STEP, RUN, STEP, STEP_KINDS, STEP_TYPE, STEP_TYPES,
    STEPS, StepKind, TYPE,
};
use crate::schema::{reference, titled};
use crate::trajectory::model::{CallUnknown, RunUnknown};

/// The JSON Schema of a recorded run.
///
/// Wider than the reader: a timestamp is any text. Keys that are not of the format are passed over, and so are those of
/// other types of steps, whatever they hold.
pub fn schema() -> Value {
    let run = json!({
        "type": "object",
        "properties": RUN.iter().zip(OF_RUN).map(property).collect::<Map<_, _>>(),
        "required": [RUN[STEPS]],
    });
    let error = json!({
        "type": "object",
        "properties": ERROR.iter().zip(OF_ERROR).map(property).collect::<Map<_, _>>(),
    });
    let definitions = Map::from_iter([("step".to_owned(), step()), ("error".to_owned(), error)]);
    titled("Agent run", run, definitions)
}

/// A step: what its type decides, and what every step has.
fn step() -> Value {
    let pick = |slots: &[usize]| -> Map<String, Value> {
        slots.iter().map(|slot| property((&STEP[*slot], OF_STEP[*slot]))).collect()
    };
    let of_kind = |kind: &StepKind| {
        let mut properties = pick(kind.keys);
        let needed: Vec<&str> = kind.needed.iter().map(|slot| STEP[*slot]).collect();
        for name in &needed {
            properties[*name]["type"] = json!("string");
        }
        json!({
            "if": {"properties": {STEP[STEP_TYPE]: {"const": kind.name}}},
            "then": {"properties": properties, "required": needed},
        })
    };
    json!({
        "type": "object",
        "properties": pick(&EVERY_STEP),
        "required": [STEP[STEP_TYPE]],
        "allOf": STEP_KINDS.iter().map(of_kind).collect::<Vec<_>>(),
    })
}

/// A key with the schema of what it holds.
fn property((name, meant): (&&'static str, Meant)) -> (String, Value) {
    let mut schema = meant.holds.schema();
    schema["description"] = meant.about.into();
    ((*name).to_owned(), schema)
}

impl Holds {
    fn schema(self) -> Value {
        let unknown = |names: &[&str]| json!({"type": ["array", "null"], "items": {"enum": names}});
        match self {
            Holds::Anything => json!({}),
            Holds::Text => json!({"type": ["string", "null"]}),
            Holds::Count => json!({"type": ["integer", "null"], "minimum": 0}),
            Holds::Amount => json!({"type": ["number", "null"], "minimum": 0}),
            Holds::Label | Holds::Timestamp => json!({"type": ["string", "number", "null"]}),
            Holds::Object => json!({"type": ["object", "null"]}),
            Holds::Steps => json!({"type": "array", "items": reference("step")}),
            Holds::RunError => {
                let typed =
                    json!({"required": [ERROR[TYPE]], "properties": {ERROR[TYPE]: {"type": "string"}}});
                json!({"anyOf": [{"type": ["string", "null"]}, {"allOf": [reference("error"), typed]}]})
            }
            Holds::ToolError => json!({"anyOf": [{"type": ["string", "null"]}, reference("error")]}),
            Holds::RunUnknown => unknown(&RunUnknown::NAMES),
            Holds::CallUnknown => unknown(&CallUnknown::NAMES),
            Holds::StepType => json!({"enum": STEP_TYPES}),
        }
    }
}
