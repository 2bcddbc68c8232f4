//! Judging a response that passes allocates nothing.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use probative::document::Document;
use probative::value::Tree;
use probative::{Context, Question, ResponseAssertion};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is left to the system's allocator; counting touches only a cell of this thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_pass_allocates_nothing() {
    let question = r#"{"status": "success", "contains": "note", "results_min": 1, "has_fields": ["results[*].file"],
        "has_field": "results", "field_equals": {"n": 1.0}, "field_contains": {"path": "summary", "text": "two"},
        "all_match": {"path": "results[*].n", "value": 1}, "all_match_pattern": {"path": "results[*].file", "regex": "^j"},
        "all_have_tags": ["work"], "none_have_tags": ["draft"], "all_in_range": {"path": "results[*].n", "min": 0},
        "all_dates_between": {"path": "results[*].at", "start": "2026-01-01", "end": "2026-12-31"},
        "sorted_desc": {"path": "results[*].file"}, "array_contains": {"path": "results[0].metadata.tags", "values": ["work"]},
        "results_schema": {"file": "string"}, "if_results": {"results_max": 2}}"#;
    let response = r#"{"status": "success", "n": 1, "summary": "two notes", "results": [
        {"file": "jb", "n": 1, "at": "2026-02-01", "metadata": {"tags": ["work"]}},
        {"file": "ja", "n": 1.0, "at": "2026-03-01T00:00:00Z", "metadata": {"tags": ["work", "x"]}}]}"#;
    let question = Question::<ResponseAssertion>::compile(Document::new("q.json", question)).unwrap();
    let response = Tree::read(response.as_bytes()).unwrap().value;
    // The first search of a pattern makes room for the later ones.
    let judgement = question.judge(&response, &Context::default());
    assert!(judgement.passed(), "{judgement:?}");
    let before = ALLOCATIONS.with(Cell::get);
    let judgement = question.judge(&response, &Context::default());
    let allocations = ALLOCATIONS.with(Cell::get) - before;
    assert!(judgement.passed());
    assert_eq!(allocations, 0);
}
