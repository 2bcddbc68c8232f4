//! What an agent saw: the vocabulary of selection reports.
#![cfg(feature = "cupel")]

mod vectors;

use probative::ContextAssertion;

#[test]
fn every_vector_is_answered_as_it_says() {
    vectors::are_answered_as_they_say::<ContextAssertion>("saw", 1400);
}

#[test]
fn every_assertion_has_vectors_of_every_kind() {
    vectors::cover_every_assertion::<ContextAssertion>("saw");
}

#[test]
fn every_example_in_the_documentation_is_true() {
    vectors::examples_are_true::<ContextAssertion>(&["selection_changed"], 34);
}

#[test]
fn the_names_the_schema_and_the_reference_agree() {
    vectors::names_schema_and_reference_agree::<ContextAssertion>();
}
