//! The symbols of spec-lang, in one table. Whatever names, counts or lists them reads it.

use crate::document::nearest;
use crate::value::visible;

/// A symbol: what may stand at the start of a form.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    /// `add`
    pub name: &'static str,
    /// The fewest arguments that it takes.
    pub least: usize,
    /// The most, if there is a bound.
    pub most: Option<usize>,
    /// How a form is written: `["add", a, b]`.
    pub written: &'static str,
    /// What it gives, in a few words.
    pub gives: &'static str,
    /// What it gives somewhere, `form → result` or `form with subject SUBJECT → result`; where it asks for files, there are none.
    pub example: &'static str,
    pub(super) operation: Operation,
}

/// What a form does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    And,
    Or,
    Not,
    If,
    Let,
    Fn,
    Call,
    Var,
    Subject,
    One(One),
    Two(Two),
}

/// What is done with one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum One {
    Len,
    Trim,
    Lower,
    Upper,
    JsonParse,
    PathExists,
}

/// What is done with two values. Where a form may leave the first out, it is the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Two {
    Contains,
    StartsWith,
    EndsWith,
    Equal,
    Unequal,
    In,
    JsonType,
    /// `json_type` asked of a `json_parse`: false for text that is not JSON. No symbol of its own.
    JsonTypeOfText,
    HasKey,
    Get,
    Add,
    Sub,
    RegexMatch,
}

use Operation::{And, Call, Fn, If, Let, Not, Or, Subject, Var};

/// Every symbol there is.
#[rustfmt::skip]
pub static SYMBOLS: [Symbol; 27] = [
    symbol("and", 1, None, r#"["and", a, …]"#, "true if all are truthy; stops at the first that isn't", r#"["and", true, 1, "x"] → true"#, And),
    symbol("or", 1, None, r#"["or", a, …]"#, "true if any is truthy; stops at the first that is", r#"["or", false, 0, "x"] → true"#, Or),
    symbol("not", 1, Some(1), r#"["not", a]"#, "true if the value is falsy: false, null, 0 or empty", r#"["not", ""] → true"#, Not),
    symbol("contains", 1, Some(2), r#"["contains", substring] or ["contains", string, substring]"#, "true if the string contains the substring", r#"["contains", "done"] with subject "all done" → true"#, Operation::Two(Two::Contains)),
    symbol("starts_with", 1, Some(2), r#"["starts_with", prefix] or ["starts_with", string, prefix]"#, "true if the string starts with the prefix", r#"["starts_with", "all"] with subject "all done" → true"#, Operation::Two(Two::StartsWith)),
    symbol("ends_with", 1, Some(2), r#"["ends_with", suffix] or ["ends_with", string, suffix]"#, "true if the string ends with the suffix", r#"["ends_with", "all"] with subject "all done" → false"#, Operation::Two(Two::EndsWith)),
    symbol("eq", 2, Some(2), r#"["eq", a, b]"#, "true if the values are equal", r#"["eq", 5, 5.0] → true"#, Operation::Two(Two::Equal)),
    symbol("neq", 2, Some(2), r#"["neq", a, b]"#, "true if the values differ", r#"["neq", true, 1] → true"#, Operation::Two(Two::Unequal)),
    symbol("in", 2, Some(2), r#"["in", part, whole]"#, "true if the list contains the item, the object has the key, or the string contains the substring", r#"["in", "ell", "hello"] → true"#, Operation::Two(Two::In)),
    symbol("json_type", 1, Some(2), r#"["json_type", type] or ["json_type", value, type]"#, "true if the value has this type: null, bool, number, string, list or dict", r#"["json_type", "list"] with subject [1, 2] → true"#, Operation::Two(Two::JsonType)),
    symbol("has_key", 1, Some(2), r#"["has_key", key] or ["has_key", value, key]"#, "true if the value is an object with this key", r#"["has_key", "id"] with subject {"id": null} → true"#, Operation::Two(Two::HasKey)),
    symbol("get", 2, Some(2), r#"["get", value, key]"#, "the member of an object or the item of a list; null if there is none", r#"["get", ["subject"], "status"] with subject {"status": "ok"} → "ok""#, Operation::Two(Two::Get)),
    symbol("subject", 0, Some(0), r#"["subject"]"#, "the value being judged", r#"["subject"] with subject [1, 2] → [1, 2]"#, Subject),
    symbol("len", 1, Some(1), r#"["len", a]"#, "the number of characters, items or members", r#"["len", ["subject"]] with subject ["a", "b"] → 2"#, Operation::One(One::Len)),
    symbol("trim", 1, Some(1), r#"["trim", a]"#, "the string without surrounding whitespace", r#"["trim", " a "] → "a""#, Operation::One(One::Trim)),
    symbol("lower", 1, Some(1), r#"["lower", a]"#, "the string in lower case", r#"["lower", "OK"] → "ok""#, Operation::One(One::Lower)),
    symbol("upper", 1, Some(1), r#"["upper", a]"#, "the string in upper case", r#"["upper", "ok"] → "OK""#, Operation::One(One::Upper)),
    symbol("var", 1, Some(1), r#"["var", name]"#, "the value of the variable", r#"["let", [["n", 2]], ["add", ["var", "n"], 1]] → 3"#, Var),
    symbol("add", 2, Some(2), r#"["add", a, b]"#, "the sum of two numbers", r#"["add", 1, 0.5] → 1.5"#, Operation::Two(Two::Add)),
    symbol("sub", 2, Some(2), r#"["sub", a, b]"#, "the difference of two numbers", r#"["sub", 1, 2] → -1"#, Operation::Two(Two::Sub)),
    symbol("json_parse", 1, Some(1), r#"["json_parse", string]"#, "the value parsed from a JSON string", r#"["get", ["json_parse", ["subject"]], "limit"] with subject "{\"limit\": 100}" → 100"#, Operation::One(One::JsonParse)),
    symbol("path_exists", 1, Some(1), r#"["path_exists", path]"#, "true if the file or directory exists", r#"["path_exists", "no/such/file"] → false"#, Operation::One(One::PathExists)),
    symbol("regex_match", 2, Some(2), r#"["regex_match", string, pattern]"#, "true if the pattern matches somewhere in the string", r#"["regex_match", ["subject"], "RF-[0-9]+"] with subject "refund RF-17" → true"#, Operation::Two(Two::RegexMatch)),
    symbol("let", 2, Some(2), r#"["let", [[name, value], …], body]"#, "the body, evaluated with the names bound to the values", r#"["let", [["price", ["get", ["subject"], "price"]]], ["eq", ["var", "price"], 18.5]] with subject {"price": 18.5} → true"#, Let),
    symbol("fn", 2, Some(2), r#"["fn", [name, …], body]"#, "a function with these parameters", r#"["let", [["double", ["fn", ["n"], ["add", ["var", "n"], ["var", "n"]]]]], ["call", ["var", "double"], 4]] → 8"#, Fn),
    symbol("call", 1, None, r#"["call", function, a, …]"#, "the result of calling the function with the arguments", r#"["call", ["fn", ["a", "b"], ["sub", ["var", "a"], ["var", "b"]]], 5, 3] → 2"#, Call),
    symbol("if", 3, Some(3), r#"["if", condition, then, else]"#, "`then` if the condition is truthy, otherwise `else`", r#"["if", ["subject"], "some", "none"] with subject [] → "none""#, If),
];

const fn symbol(
    name: &'static str,
    least: usize,
    most: Option<usize>,
    written: &'static str,
    gives: &'static str,
    example: &'static str,
    operation: Operation,
) -> Symbol {
    Symbol { name, least, most, written, gives, example, operation }
}

impl Symbol {
    /// The symbol of that name, or why there is none.
    pub(super) fn named(name: &str) -> Result<&'static Symbol, String> {
        SYMBOLS.iter().find(|symbol| symbol.name == name).ok_or_else(|| {
            let hint = nearest(name, SYMBOLS.iter().map(|symbol| symbol.name));
            let hint = hint.map_or_else(String::new, |hint| format!("; did you mean '{hint}'?"));
            format!("unsupported spec_lang symbol: {}{hint}", visible(name))
        })
    }

    /// Whether it takes so many arguments.
    pub(super) fn takes(&self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }

    /// Why it cannot be given so many.
    pub(super) fn miscounted(&self, got: usize) -> String {
        let takes = match (self.least, self.most) {
            (0, Some(0)) => "no arguments".to_owned(),
            (1, Some(1)) => "1 argument".to_owned(),
            (least, None) => format!("{least} or more arguments"),
            (least, Some(most)) if least == most => format!("{least} arguments"),
            (least, Some(most)) => format!("{least} or {most} arguments"),
        };
        format!("'{}' takes {takes}, got {got}; write it as {}", self.name, self.written)
    }
}

impl Two {
    /// Whether it may look at every part of its values.
    pub(super) fn reads_all(self) -> bool {
        !matches!(self, Two::JsonType | Two::HasKey | Two::Get | Two::Add | Two::Sub)
    }
}

impl Operation {
    /// The name of the symbol that does this.
    pub(super) fn name(self) -> &'static str {
        let asked = match self {
            Operation::Two(Two::JsonTypeOfText) => Operation::Two(Two::JsonType),
            other => other,
        };
        SYMBOLS.iter().find(|symbol| symbol.operation == asked).map_or("spec_lang", |symbol| symbol.name)
    }
}
