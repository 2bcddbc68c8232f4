//! spec-lang: a small pure language of expressions over JSON, written as lists.
//!
//! `["contains", ["subject"], "done"]` is a form: a symbol and its arguments. A scalar is a literal. An [`Expression`] is
//! compiled once, while it is read, and evaluated by a machine that never recurses: a tail call takes no memory, and
//! whatever else an expression does is bounded by a [`Budget`].
//!
//! ```
//! use probative::spec::lang::{Budget, Expression, Nowhere};
//! use serde_json::json;
//!
//! let expression = Expression::compile(&json!(["eq", ["get", ["subject"], "status"], "ok"])).unwrap();
//! assert!(expression.holds(&json!({"status": "ok"}), &Budget::default(), &Nowhere).unwrap());
//! ```

mod body;
mod budget;
mod builtins;
mod calls;
mod closure;
mod code;
mod compile;
mod datum;
mod expression;
mod fault;
mod machine;
mod memory;
mod names;
mod number;
mod parser;
mod read;
pub(crate) mod readable;
mod schema;
mod store;
mod symbol;
mod tree;
mod world;

pub use budget::Budget;
pub(super) use builtins::type_of;
pub use expression::Expression;
pub use symbol::{SYMBOLS, Symbol};
pub use world::{Nowhere, World};
