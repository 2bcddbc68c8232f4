//! SAID: what an agent answered, judged by the `expect` vocabulary.

mod argument;
mod arrays;
mod conditional;
mod constant;
mod content;
mod counts;
mod dates;
mod exhibit;
mod fields;
mod paths;
mod ranges;
mod selection;
mod shape;
mod sighting;
mod special;
mod status;
mod tags;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

pub use argument::{ArrayContains, Bounds, Branches, DatesBetween, FieldIs, Wanted};
pub use arrays::{all_match, all_match_one_of, all_match_pattern, none_match_pattern};
pub use conditional::{if_has_history, if_results, if_sensitive_results, one_of};
pub use content::{contains, message_contains, summary_contains};
pub use counts::{results_count, results_max, results_min};
pub use dates::{all_dates_between, all_dates_in_year, dates_within_days};
pub use fields::{field_contains, field_equals, has_field, has_fields};
pub use ranges::{all_in_range, range_check};
pub use shape::{FieldShape, results_schema};
pub use special::{array_contains, no_overlap, sorted_asc, sorted_desc};
pub use status::{error_code, status};
pub use tags::{all_have_tags, each_has_any_tag, none_have_tags};

use conditional::{
    if_has_history_exercise, if_results_exercise, if_sensitive_results_exercise, one_of_exercise,
};
use fields::has_results;
use selection::{any_selects, could_exist, has, selects_two};
use shape::has_shaped_fields;
use special::can_overlap;
use tags::has_tags;

use crate::argument::Count;
use crate::exhibit::{Exhibit, Showing};
use crate::json::JsonDocument;
use crate::question::Expect;
use crate::value::{Malformed, Path, Pattern, Value, visible};
use crate::verdict::{Error, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, NoSetting, Read, Sighting, Vocabulary};

/// Assertions about an agent's answer, usually JSON.
///
/// A missing field fails, whatever the assertion; a field that is `null` exists. If a path selects several values, each of
/// them must satisfy the assertion. An empty array satisfies every assertion about its items. Types are strict: `"5"` isn't
/// `5`, and `true` isn't `1`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ResponseAssertion {
    /// Passes if the response's `status` equals the given value.
    ///
    /// ```text
    /// expect: {"status": "success"}
    /// passes: {"status": "success"}
    /// fails:  {"status": "error"}
    ///         Expected status 'success', got 'error'
    /// fails:  {}
    ///         Missing field: status
    /// ```
    Status(Value),

    /// Passes if the response's `error_code` equals the given value.
    ///
    /// ```text
    /// expect: {"error_code": "NO_FILTERS"}
    /// passes: {"status": "error", "error_code": "NO_FILTERS"}
    /// fails:  {"error_code": "TIMEOUT"}
    ///         Expected error_code 'NO_FILTERS', got 'TIMEOUT'
    /// ```
    ErrorCode(Value),

    /// Passes if the response contains the string anywhere.
    ///
    /// Searches the response as compact JSON (keys in their original order, non-ASCII characters
    /// unescaped), and then each key and string value after decoding, so you can search for quotes and
    /// newlines.
    ///
    /// ```text
    /// expect: {"contains": "security"}
    /// passes: {"summary": "Found 3 security incidents"}
    /// passes: {"security": true}
    /// fails:  {"summary": "Found nothing"}
    ///         Response does not contain 'security'
    /// ```
    Contains(String),

    /// Passes if the response's `message` is a string that contains the given substring.
    ///
    /// ```text
    /// expect: {"message_contains": "error"}
    /// passes: {"message": "an error occurred"}
    /// fails:  {"message": "Done"}
    ///         message: expected a string containing 'error', got 'Done'
    /// ```
    MessageContains(String),

    /// Passes if the response's `summary` is a string that contains the given substring.
    ///
    /// ```text
    /// expect: {"summary_contains": "no results"}
    /// passes: {"summary": "There are no results."}
    /// fails:  {"summary": 0}
    ///         summary: expected a string, found a number
    /// ```
    SummaryContains(String),

    /// Passes if `results` has at least this many items.
    ///
    /// ```text
    /// expect: {"results_min": 1}
    /// passes: {"results": [{}, {}]}
    /// fails:  {"results": []}
    ///         Expected at least 1 result, got 0
    /// fails:  {"results": {}}
    ///         results: expected an array, found an object
    /// ```
    ResultsMin(Count),

    /// Passes if `results` has at most this many items.
    ///
    /// ```text
    /// expect: {"results_max": 1}
    /// passes: {"results": []}
    /// fails:  {"results": [1, 2]}
    ///         Expected at most 1 result, got 2
    /// ```
    ResultsMax(Count),

    /// Passes if `results` has exactly this many items.
    ///
    /// ```text
    /// expect: {"results_count": 2}
    /// passes: {"results": [1, 2]}
    /// fails:  {"results": [1]}
    ///         Expected exactly 2 results, got 1
    /// ```
    ResultsCount(Count),

    /// Passes if all the fields exist.
    ///
    /// A field that is `null` exists. In an empty array no item can lack a field, so `results[*].id`
    /// passes when `results` is empty.
    ///
    /// ```text
    /// expect: {"has_fields": ["results", "pagination.total"]}
    /// passes: {"results": [], "pagination": {"total": null}}
    /// fails:  {"results": [], "pagination": {"offset": 0}}
    ///         Missing field: pagination.total
    /// fails:  {}
    ///         Missing fields: results, pagination.total
    /// ```
    HasFields(Vec<Path>),

    /// Passes if the field exists and, when a `value` is given, equals it.
    ///
    /// Put `value` next to `has_field` (`"has_field": "sensitive", "value": true`), or give both in an
    /// object (`"has_field": {"name": "sensitive", "value": true}`).
    ///
    /// ```text
    /// expect: {"has_field": "sensitive", "value": true}
    /// passes: {"sensitive": true}
    /// fails:  {"sensitive": false}
    ///         sensitive: expected true, got false
    /// fails:  {}
    ///         Missing field: sensitive
    /// ```
    HasField(FieldIs),

    /// Passes if each field equals its value.
    ///
    /// Numbers are compared by value (`5` equals `5.0`). The order of object keys doesn't matter.
    ///
    /// ```text
    /// expect: {"field_equals": {"pagination.offset": 0, "status": "success"}}
    /// passes: {"pagination": {"offset": 0.0}, "status": "success"}
    /// fails:  {"pagination": {"offset": 5}, "status": "success"}
    ///         pagination.offset: expected 0, got 5
    /// ```
    FieldEquals(IndexMap<Path, Value>),

    /// Passes if the field is a string that contains the given substring.
    ///
    /// ```text
    /// expect: {"field_contains": {"path": "summary", "text": "security"}}
    /// passes: {"summary": "3 security incidents"}
    /// fails:  {"summary": "all quiet"}
    ///         summary: expected a string containing 'security', got 'all quiet'
    /// ```
    FieldContains {
        /// Path to the field.
        path: Path,
        /// String that the field must contain.
        text: String,
    },

    /// Passes if every value at the path equals the given value.
    ///
    /// ```text
    /// expect: {"all_match": {"path": "results[*].type", "value": "note"}}
    /// passes: {"results": [{"type": "note"}, {"type": "note"}]}
    /// fails:  {"results": [{"type": "note"}, {"type": "incident-log"}]}
    ///         Found non-matching item: 'incident-log' at results[1].type
    /// fails:  {"results": [{"type": "note"}, {}]}
    ///         Missing field: results[1].type
    /// ```
    AllMatch {
        /// Path to the values.
        path: Path,
        /// Value that each value at the path must equal.
        value: Value,
    },

    /// Passes if every value at the path equals one of the given values.
    ///
    /// ```text
    /// expect: {"all_match_one_of": {"path": "results[*].type", "values": ["note", "log"]}}
    /// passes: {"results": [{"type": "note"}, {"type": "log"}]}
    /// fails:  {"results": [{"type": "draft"}]}
    ///         Found non-matching item: 'draft' at results[0].type
    /// ```
    AllMatchOneOf {
        /// Path to the values.
        path: Path,
        /// Allowed values.
        values: Vec<Value>,
    },

    /// Passes if every value at the path is a string that matches the pattern.
    ///
    /// The match may be anywhere in the string; use `\A` and `\Z` to anchor it.
    ///
    /// ```text
    /// expect: {"all_match_pattern": {"path": "results[*].file", "regex": "^journal/"}}
    /// passes: {"results": [{"file": "journal/2026/01/note.md"}]}
    /// fails:  {"results": [{"file": "journal/a.md"}, {"file": "work/doc.md"}]}
    ///         File 'work/doc.md' at results[1].file doesn't match pattern '^journal/'
    /// ```
    AllMatchPattern {
        /// Path to the strings.
        path: Path,
        /// Pattern that each value must match.
        regex: Pattern,
    },

    /// Passes if every value at the path is a string that doesn't match the pattern.
    ///
    /// Fails if a value isn't a string.
    ///
    /// ```text
    /// expect: {"none_match_pattern": {"path": "results[*].file", "regex": "^(people/|documents/)"}}
    /// passes: {"results": [{"file": "journal/a.md"}]}
    /// fails:  {"results": [{"file": "people/ann.md"}]}
    ///         File 'people/ann.md' at results[0].file matches forbidden pattern '^(people/|documents/)'
    /// ```
    NoneMatchPattern {
        /// Path to the strings.
        path: Path,
        /// Pattern that no value may match.
        regex: Pattern,
    },

    /// Passes if every result has all of the tags in its `metadata.tags`.
    ///
    /// Fails if a result has no `metadata.tags`.
    ///
    /// ```text
    /// expect: {"all_have_tags": ["work", "security"]}
    /// passes: {"results": [{"metadata": {"tags": ["work", "security", "incident"]}}]}
    /// fails:  {"results": [{"metadata": {"tags": ["work"]}}]}
    ///         Result 0 missing required tag: 'security'
    /// ```
    AllHaveTags(Vec<String>),

    /// Passes if no result has any of the tags in its `metadata.tags`.
    ///
    /// A result without `metadata.tags` has no tags and passes. Fails if the response has no `results`.
    ///
    /// ```text
    /// expect: {"none_have_tags": ["draft"]}
    /// passes: {"results": [{"metadata": {"tags": ["work"]}}, {}]}
    /// fails:  {"results": [{"metadata": {"tags": ["draft"]}}]}
    ///         Result 0 has forbidden tag: 'draft'
    /// ```
    NoneHaveTags(Vec<String>),

    /// Passes if every result has at least one of the tags in its `metadata.tags`.
    ///
    /// Fails if a result has no `metadata.tags`.
    ///
    /// ```text
    /// expect: {"each_has_any_tag": ["work", "personal"]}
    /// passes: {"results": [{"metadata": {"tags": ["personal", "x"]}}]}
    /// fails:  {"results": [{"metadata": {"tags": []}}]}
    ///         Result 0 has none of the tags: 'work', 'personal'
    /// ```
    EachHasAnyTag(Vec<String>),

    /// Passes if every date at the path is between `start` and `end`, inclusive.
    ///
    /// An `end` without a time covers its whole day. Dates are RFC 3339, `YYYY-MM-DD`, or timestamps
    /// without an offset, which are read as UTC.
    ///
    /// ```text
    /// expect: {"all_dates_between": {"path": "results[*].created", "start": "2026-01-01", "end": "2026-01-31"}}
    /// passes: {"results": [{"created": "2026-01-31T23:59:59Z"}]}
    /// fails:  {"results": [{"created": "2026-02-05T10:00:00Z"}]}
    ///         Date 2026-02-05 is outside range 2026-01-01 to 2026-01-31
    /// ```
    AllDatesBetween(DatesBetween),

    /// Passes if every date at the path is at most this many days before or after now.
    ///
    /// Counts calendar days in UTC. Set the current time with `--now`; the example uses 2026-01-15.
    ///
    /// ```text
    /// expect: {"dates_within_days": {"path": "results[*].created", "days": 7}}
    /// passes: {"results": [{"created": "2026-01-08"}, {"created": "2026-01-22T23:00:00Z"}]}
    /// fails:  {"results": [{"created": "2026-01-07T23:59:59Z"}]}
    ///         Date 2026-01-07 is 8 days from 2026-01-15, more than 7
    /// ```
    DatesWithinDays {
        /// Path to the dates.
        path: Path,
        /// Maximum distance in days.
        days: Count,
    },

    /// Passes if every date at the path is in the given year, in UTC.
    ///
    /// ```text
    /// expect: {"all_dates_in_year": {"path": "results[*].created", "year": 2026}}
    /// passes: {"results": [{"created": "2026-12-31"}]}
    /// fails:  {"results": [{"created": "2026-01-01T00:30:00+01:00"}]}
    ///         Date 2026-01-01T00:30:00+01:00 (2025-12-31 in UTC) is not in year 2026
    /// ```
    AllDatesInYear {
        /// Path to the dates.
        path: Path,
        /// Calendar year.
        year: i16,
    },

    /// Passes if every number at the path is between `min` and `max`, inclusive.
    ///
    /// Either bound can be left out.
    ///
    /// ```text
    /// expect: {"all_in_range": {"path": "results[*].relevance", "min": 0.0, "max": 1.0}}
    /// passes: {"results": [{"relevance": 0.95}, {"relevance": 1}]}
    /// fails:  {"results": [{"relevance": 1.2}]}
    ///         Value 1.2 is outside range 0.0-1.0
    /// ```
    AllInRange(Bounds),

    /// Passes if the number at the path is between `min` and `max`, inclusive.
    ///
    /// Either bound can be left out.
    ///
    /// ```text
    /// expect: {"range_check": {"path": "performance.search_duration_ms", "min": 0, "max": 5000}}
    /// passes: {"performance": {"search_duration_ms": 12.5}}
    /// fails:  {"performance": {"search_duration_ms": "12"}}
    ///         performance.search_duration_ms: expected a number, found a string
    /// ```
    RangeCheck(Bounds),

    /// Passes if the values at the path are sorted in descending order.
    ///
    /// Equal neighbors count as sorted. The values must be all numbers or all strings; strings are
    /// compared by code point.
    ///
    /// ```text
    /// expect: {"sorted_desc": {"path": "results[*].relevance"}}
    /// passes: {"results": [{"relevance": 1.0}, {"relevance": 0.9}, {"relevance": 0.9}]}
    /// fails:  {"results": [{"relevance": 0.9}, {"relevance": 1.0}]}
    ///         Values not sorted descending at index 1
    /// ```
    SortedDesc {
        /// Path to the values.
        path: Path,
    },

    /// Passes if the values at the path are sorted in ascending order.
    ///
    /// Equal neighbors count as sorted. The values must be all numbers or all strings; strings are
    /// compared by code point.
    ///
    /// ```text
    /// expect: {"sorted_asc": {"path": "results[*].name"}}
    /// passes: {"results": [{"name": "Zoe"}, {"name": "ann"}]}
    /// fails:  {"results": [{"name": "b"}, {"name": "a"}]}
    ///         Values not sorted ascending at index 1
    /// ```
    SortedAsc {
        /// Path to the values.
        path: Path,
    },

    /// Passes if the array at the path contains all of the `values`, or a string that matches the
    /// `pattern`.
    ///
    /// Takes either `values` or `pattern`, not both.
    ///
    /// ```text
    /// expect: {"array_contains": {"path": "skipped", "values": ["people/", "documents/"]}}
    /// passes: {"skipped": ["documents/", "people/", "tmp/"]}
    /// fails:  {"skipped": ["people/"]}
    ///         skipped: missing 'documents/'
    ///
    /// expect: {"array_contains": {"path": "skipped", "pattern": "^people/"}}
    /// passes: {"skipped": ["tmp/", "people/ann"]}
    /// fails:  {"skipped": ["tmp/"]}
    ///         skipped: no item matches pattern '^people/'
    /// ```
    ArrayContains(ArrayContains),

    /// Passes if at least one of the `expect` objects passes.
    ///
    /// If one of them can't be judged, neither can the assertion, even if another one passes.
    ///
    /// ```text
    /// expect: {"one_of": [{"status": "error"}, {"contains": "filter"}]}
    /// passes: {"status": "success", "message": "Please provide a filter"}
    /// fails:  {"status": "success", "message": "Done"}
    ///         No branch passed: (1) Expected status 'error', got 'success'; (2) Response does not contain 'filter'
    /// ```
    OneOf(Branches),

    /// Passes if the assertions pass, or if there are no results.
    ///
    /// There are no results if `results` is missing, null or empty.
    ///
    /// ```text
    /// expect: {"if_results": {"all_have_tags": ["work"]}}
    /// passes: {"results": []}
    /// passes: {"results": [{"metadata": {"tags": ["work"]}}]}
    /// fails:  {"results": [{"metadata": {"tags": ["personal"]}}]}
    ///         Result 0 missing required tag: 'work'
    /// ```
    IfResults(Expect<ResponseAssertion>),

    /// Passes if the assertions pass, or if `history_results` is missing or null.
    ///
    /// ```text
    /// expect: {"if_has_history": {"all_match": {"path": "history_results[*].operation", "value": "delete"}}}
    /// passes: {"results": []}
    /// passes: {"history_results": [{"operation": "delete"}]}
    /// fails:  {"history_results": [{"operation": "create"}]}
    ///         Found non-matching item: 'create' at history_results[0].operation
    /// ```
    IfHasHistory(Expect<ResponseAssertion>),

    /// Passes if the assertions pass, or if no result's `file` starts with `people/` or `documents/`.
    ///
    /// Checks `has_field` (with its `value`) on each of these results, and all other assertions on the
    /// whole response.
    ///
    /// ```text
    /// expect: {"if_sensitive_results": {"has_field": "sensitive", "value": true}}
    /// passes: {"results": [{"file": "journal/a.md"}]}
    /// passes: {"results": [{"file": "people/ann.md", "sensitive": true}, {"file": "journal/a.md"}]}
    /// fails:  {"results": [{"file": "journal/a.md"}, {"file": "people/ann.md"}]}
    ///         Missing field: results[1].sensitive
    /// ```
    IfSensitiveResults(Expect<ResponseAssertion>),

    /// Passes if every result has the fields, each of the given type or shape.
    ///
    /// A type is `string`, `number`, `integer`, `boolean`, `object`, `array` or `null`. A shape is an
    /// object with any of `type`, `min`, `max`, `enum`, `pattern` and `optional`. Fields are paths,
    /// relative to the result.
    ///
    /// ```text
    /// expect: {"results_schema": {"id": "string", "score": {"type": "number", "min": 0, "optional": true}}}
    /// passes: {"results": [{"id": "a", "score": 0.5}, {"id": "b"}]}
    /// fails:  {"results": [{"id": "a", "score": 0.5}, {"id": 7}]}
    ///         results[1].id: expected a string, found a number
    /// ```
    ResultsSchema(IndexMap<Path, FieldShape>),

    /// Passes if no value at the path is also at that path in the response stored by an earlier step.
    ///
    /// Only a test with several steps can store a response (see `probative explain suites`). Anywhere
    /// else, the assertion is an error.
    NoOverlap {
        /// Path to the values in both responses.
        path: Path,
        /// Name of the stored response.
        with: String,
    },
}

impl Vocabulary for ResponseAssertion {
    const SUBJECT: &'static str = "response";
    const TYPE: &'static str = "agent.response";
    const ABOUT: &'static str = "an agent's answer";
    const COMPANIONS: &'static [(&'static str, &'static str)] = &[("value", "has_field")];
    type Subject<'s> = JsonDocument<'s>;
    type Setting = NoSetting;

    fn read<'s>(json: &'s [u8], _: &NoSetting) -> Result<Read<JsonDocument<'s>>, Malformed> {
        let subject = JsonDocument::read(json)?;
        Ok(Read { warnings: subject.warnings(), subject })
    }

    fn from_text(text: &str) -> Option<JsonDocument<'_>> {
        Some(JsonDocument::from(text))
    }

    fn show(response: &JsonDocument<'_>, _: &Showing) -> String {
        let written = format!("{:#}", response.root());
        written.lines().flat_map(|line| ["  ", &visible(line), "\n"].map(str::to_owned)).collect()
    }

    fn exhibit<'a>(response: &'a JsonDocument<'_>) -> Option<&'a dyn Exhibit> {
        Some(response)
    }

    fn judge(&self, subject: &JsonDocument<'_>, context: &Context<'_>) -> Result<Verdict, Error> {
        use ResponseAssertion as Said;
        let response = subject.root();
        self.paths().try_for_each(|path| path.check_cost(response))?;
        Ok(match self {
            Said::Status(expected) => status(response, expected),
            Said::ErrorCode(expected) => error_code(response, expected),
            Said::Contains(text) => contains(response, text),
            Said::MessageContains(text) => message_contains(response, text),
            Said::SummaryContains(text) => summary_contains(response, text),
            Said::ResultsMin(least) => results_min(response, least.0),
            Said::ResultsMax(most) => results_max(response, most.0),
            Said::ResultsCount(exactly) => results_count(response, exactly.0),
            Said::HasFields(paths) => has_fields(response, paths),
            Said::HasField(field) => has_field(response, field),
            Said::FieldEquals(fields) => field_equals(response, fields),
            Said::FieldContains { path, text } => field_contains(response, path, text),
            Said::AllMatch { path, value } => all_match(response, path, value),
            Said::AllMatchOneOf { path, values } => all_match_one_of(response, path, values),
            Said::AllMatchPattern { path, regex } => all_match_pattern(response, path, regex)?,
            Said::NoneMatchPattern { path, regex } => none_match_pattern(response, path, regex)?,
            Said::AllHaveTags(tags) => all_have_tags(response, tags),
            Said::NoneHaveTags(tags) => none_have_tags(response, tags),
            Said::EachHasAnyTag(tags) => each_has_any_tag(response, tags),
            Said::AllDatesBetween(dates) => all_dates_between(response, dates),
            Said::DatesWithinDays { path, days } => dates_within_days(response, path, days.0, context.now)?,
            Said::AllDatesInYear { path, year } => all_dates_in_year(response, path, *year),
            Said::AllInRange(bounds) => all_in_range(response, bounds),
            Said::RangeCheck(bounds) => range_check(response, bounds),
            Said::SortedDesc { path } => sorted_desc(response, path),
            Said::SortedAsc { path } => sorted_asc(response, path),
            Said::ArrayContains(argument) => array_contains(response, argument)?,
            Said::OneOf(branches) => one_of(subject, &branches.0, context)?,
            Said::IfResults(then) => if_results(subject, then, context)?,
            Said::IfHasHistory(then) => if_has_history(subject, then, context)?,
            Said::IfSensitiveResults(then) => if_sensitive_results(subject, then, context)?,
            Said::ResultsSchema(fields) => results_schema(response, fields)?,
            Said::NoOverlap { path, with } => no_overlap(response, path, with, context)?,
        })
    }

    fn constant(&self) -> Option<Constant> {
        constant::of(self)
    }

    fn exercise(&self, subject: &JsonDocument<'_>, context: &Context<'_>) -> Exercise {
        use ResponseAssertion as Said;
        let response = subject.root();
        match self {
            Said::HasFields(paths) => could_exist(response, paths),
            Said::HasField(FieldIs { name, value: None }) => could_exist(response, [name]),
            Said::FieldEquals(_)
            | Said::HasField(_)
            | Said::FieldContains { .. }
            | Said::AllMatch { .. }
            | Said::AllMatchOneOf { .. }
            | Said::AllMatchPattern { .. }
            | Said::NoneMatchPattern { .. }
            | Said::AllDatesBetween(_)
            | Said::DatesWithinDays { .. }
            | Said::AllDatesInYear { .. }
            | Said::AllInRange(_)
            | Said::RangeCheck(_)
            | Said::ArrayContains(_) => any_selects(response, self.paths()),
            Said::SortedDesc { path } | Said::SortedAsc { path } => selects_two(response, path),
            Said::AllHaveTags(_) | Said::EachHasAnyTag(_) => has_results(response),
            Said::NoneHaveTags(_) => has_tags(response),
            Said::ResultsSchema(fields) => has_shaped_fields(response, fields),
            Said::OneOf(branches) => one_of_exercise(subject, &branches.0, context),
            Said::IfResults(then) => if_results_exercise(subject, then, context),
            Said::IfHasHistory(then) => if_has_history_exercise(subject, then, context),
            Said::IfSensitiveResults(then) => if_sensitive_results_exercise(subject, then, context),
            Said::NoOverlap { path, with } => can_overlap(response, path, with, context),
            // These fail for want of what they look at; inside `cannot` that is nothing to say no to.
            Said::Status(_) => has(response, "status"),
            Said::ErrorCode(_) => has(response, "error_code"),
            Said::MessageContains(_) => has(response, "message"),
            Said::SummaryContains(_) => has(response, "summary"),
            Said::ResultsMin(_) | Said::ResultsMax(_) | Said::ResultsCount(_) => has(response, "results"),
            // There is always a response.
            Said::Contains(_) => Exercise::Yes,
        }
    }

    fn sighting(&self, response: &JsonDocument<'_>) -> Option<Sighting> {
        sighting::of(self, response.root())
    }

    fn attach(&mut self, key: &str, value: &Value) -> bool {
        match self {
            ResponseAssertion::HasField(field) if key == "value" && field.value.is_none() => {
                field.value = Some(value.clone());
                true
            }
            _ => false,
        }
    }
}
