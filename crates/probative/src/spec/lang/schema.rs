//! The JSON Schema of expressions, read off the table of symbols.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::expression::Expression;
use super::symbol::{Operation, SYMBOLS, Symbol};

/// A literal, or a list that starts with a symbol and has as many arguments as that takes.
///
/// Wider than the reader: names may be unknown, and lists nested any deep.
pub(super) fn expression(generator: &mut SchemaGenerator) -> Schema {
    let inner = generator.subschema_for::<Expression>().to_value();
    let symbols: Vec<&str> = SYMBOLS.iter().map(|symbol| symbol.name).collect();
    let forms: Vec<Value> = SYMBOLS.iter().map(|symbol| form(symbol, &inner)).collect();
    json_schema!({
        "description": "A spec-lang expression: a literal, or a list that starts with a symbol.",
        "anyOf": [
            {"type": ["null", "boolean", "number", "string"]},
            {"type": "array", "minItems": 1, "prefixItems": [{"enum": symbols}], "allOf": forms},
        ],
    })
}

/// What a list is that starts with this symbol.
fn form(symbol: &Symbol, inner: &Value) -> Value {
    let name = json!({"type": "string"});
    let arguments = match symbol.operation {
        Operation::Let => {
            let binding =
                json!({"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [name, inner]});
            vec![json!({"type": "array", "items": binding}), inner.clone()]
        }
        Operation::Fn => vec![json!({"type": "array", "items": name}), inner.clone()],
        Operation::Var => vec![name],
        _ => Vec::new(),
    };
    let prefix = [vec![json!(true)], arguments].concat();
    let mut then = json!({
        "description": format!("{}: {}", symbol.written, symbol.gives),
        "minItems": symbol.least + 1,
        "prefixItems": prefix,
        "items": inner,
    });
    if let Some(most) = symbol.most {
        then["maxItems"] = (most + 1).into();
    }
    json!({"if": {"prefixItems": [{"const": symbol.name}]}, "then": then})
}
