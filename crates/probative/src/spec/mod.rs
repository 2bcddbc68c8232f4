//! PROMISED: what documents say an agent will do, written so that it can be checked.

pub mod lang;
