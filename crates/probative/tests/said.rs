//! What an agent said: the `expect` vocabulary.

mod vectors;

use probative::ResponseAssertion;

#[test]
fn every_vector_is_answered_as_it_says() {
    vectors::are_answered_as_they_say::<ResponseAssertion>("said", 870);
}

#[test]
fn every_assertion_has_vectors_of_every_kind() {
    vectors::cover_every_assertion::<ResponseAssertion>("said");
}

#[test]
fn every_example_in_the_documentation_is_true() {
    // Only a test of several steps can show what no_overlap does.
    vectors::examples_are_true::<ResponseAssertion>(&["no_overlap"], 70);
}

#[test]
fn the_names_the_schema_and_the_reference_agree() {
    vectors::names_schema_and_reference_agree::<ResponseAssertion>();
}
