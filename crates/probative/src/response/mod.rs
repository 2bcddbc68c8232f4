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
mod glance;
mod paths;
mod ranges;
mod selection;
mod shape;
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
use crate::glance::{Glance, TooMuch};
use crate::question::Expect;
use crate::value::{Malformed, Path, Pattern, Tree, Value, visible};
use crate::verdict::{Error, Verdict};
use crate::vocabulary::{Constant, Context, Exercise, NoSetting, Read, Vocabulary};

/// An assertion about an agent's JSON response.
///
/// What a path does not find fails, whatever the assertion; an existing `null` exists. A path that selects several
/// values asks the same of each; an empty array satisfies what is asked of its items. Types are strict: `"5"` is not
/// `5`, and `true` is not `1`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ResponseAssertion {
    /// The response's `status` equals the given value.
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

    /// The response's `error_code` equals the given value.
    ///
    /// ```text
    /// expect: {"error_code": "NO_FILTERS"}
    /// passes: {"status": "error", "error_code": "NO_FILTERS"}
    /// fails:  {"error_code": "TIMEOUT"}
    ///         Expected error_code 'NO_FILTERS', got 'TIMEOUT'
    /// ```
    ErrorCode(Value),

    /// The text occurs anywhere in the response.
    ///
    /// It is searched for in the compact JSON (keys in their order, non-ASCII characters as they are), and in every
    /// key and text value as it reads, so that quotes and newlines can be searched for.
    ///
    /// ```text
    /// expect: {"contains": "security"}
    /// passes: {"summary": "Found 3 security incidents"}
    /// passes: {"security": true}
    /// fails:  {"summary": "Found nothing"}
    ///         Response does not contain 'security'
    /// ```
    Contains(String),

    /// The response's `message` is a text that contains the given one.
    ///
    /// ```text
    /// expect: {"message_contains": "error"}
    /// passes: {"message": "an error occurred"}
    /// fails:  {"message": "Done"}
    ///         message: expected text containing 'error', got 'Done'
    /// ```
    MessageContains(String),

    /// The response's `summary` is a text that contains the given one.
    ///
    /// ```text
    /// expect: {"summary_contains": "no results"}
    /// passes: {"summary": "There are no results."}
    /// fails:  {"summary": 0}
    ///         summary: expected a string, found number
    /// ```
    SummaryContains(String),

    /// The response's `results` has at least so many items.
    ///
    /// ```text
    /// expect: {"results_min": 1}
    /// passes: {"results": [{}, {}]}
    /// fails:  {"results": []}
    ///         Expected at least 1 result, got 0
    /// fails:  {"results": {}}
    ///         results: expected an array, found object
    /// ```
    ResultsMin(Count),

    /// The response's `results` has at most so many items.
    ///
    /// ```text
    /// expect: {"results_max": 1}
    /// passes: {"results": []}
    /// fails:  {"results": [1, 2]}
    ///         Expected at most 1 result, got 2
    /// ```
    ResultsMax(Count),

    /// The response's `results` has exactly so many items.
    ///
    /// ```text
    /// expect: {"results_count": 2}
    /// passes: {"results": [1, 2]}
    /// fails:  {"results": [1]}
    ///         Expected exactly 2 results, got 1
    /// ```
    ResultsCount(Count),

    /// All the fields exist. An existing `null` exists; below an empty array nothing is missing.
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

    /// The field exists and, where a `value` is given, equals it.
    ///
    /// The value stands beside the name (`"has_field": "sensitive", "value": true`) or in an object with it
    /// (`"has_field": {"name": "sensitive", "value": true}`).
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

    /// Each field equals its value: numbers by value, objects without key order.
    ///
    /// ```text
    /// expect: {"field_equals": {"pagination.offset": 0, "status": "success"}}
    /// passes: {"pagination": {"offset": 0.0}, "status": "success"}
    /// fails:  {"pagination": {"offset": 5}, "status": "success"}
    ///         pagination.offset: expected 0, got 5
    /// ```
    FieldEquals(IndexMap<Path, Value>),

    /// The field is a text that contains the given one.
    ///
    /// ```text
    /// expect: {"field_contains": {"path": "summary", "text": "security"}}
    /// passes: {"summary": "3 security incidents"}
    /// fails:  {"summary": "all quiet"}
    ///         summary: expected text containing 'security', got 'all quiet'
    /// ```
    FieldContains {
        /// The field.
        path: Path,
        /// The text to find in it.
        text: String,
    },

    /// Every value at the path equals the given one.
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
        /// Where the values stand.
        path: Path,
        /// What each must equal.
        value: Value,
    },

    /// Every value at the path equals one of the given ones.
    ///
    /// ```text
    /// expect: {"all_match_one_of": {"path": "results[*].type", "values": ["note", "log"]}}
    /// passes: {"results": [{"type": "note"}, {"type": "log"}]}
    /// fails:  {"results": [{"type": "draft"}]}
    ///         Found non-matching item: 'draft' at results[0].type
    /// ```
    AllMatchOneOf {
        /// Where the values stand.
        path: Path,
        /// What each may equal.
        values: Vec<Value>,
    },

    /// Every value at the path is a text in which the pattern is found.
    ///
    /// ```text
    /// expect: {"all_match_pattern": {"path": "results[*].file", "regex": "^journal/"}}
    /// passes: {"results": [{"file": "journal/2026/01/note.md"}]}
    /// fails:  {"results": [{"file": "journal/a.md"}, {"file": "work/doc.md"}]}
    ///         File 'work/doc.md' at results[1].file doesn't match pattern '^journal/'
    /// ```
    AllMatchPattern {
        /// Where the texts stand.
        path: Path,
        /// What is to be found in each.
        regex: Pattern,
    },

    /// Every value at the path is a text in which the pattern is not found.
    ///
    /// ```text
    /// expect: {"none_match_pattern": {"path": "results[*].file", "regex": "^(people/|documents/)"}}
    /// passes: {"results": [{"file": "journal/a.md"}]}
    /// fails:  {"results": [{"file": "people/ann.md"}]}
    ///         File 'people/ann.md' at results[0].file matches forbidden pattern '^(people/|documents/)'
    /// ```
    NoneMatchPattern {
        /// Where the texts stand.
        path: Path,
        /// What is not to be found in any.
        regex: Pattern,
    },

    /// Every result has all of the tags in its `metadata.tags`.
    ///
    /// ```text
    /// expect: {"all_have_tags": ["work", "security"]}
    /// passes: {"results": [{"metadata": {"tags": ["work", "security", "incident"]}}]}
    /// fails:  {"results": [{"metadata": {"tags": ["work"]}}]}
    ///         Result 0 missing required tag: 'security'
    /// ```
    AllHaveTags(Vec<String>),

    /// No result has any of the tags in its `metadata.tags`. No tags field means no tags.
    ///
    /// ```text
    /// expect: {"none_have_tags": ["draft"]}
    /// passes: {"results": [{"metadata": {"tags": ["work"]}}, {}]}
    /// fails:  {"results": [{"metadata": {"tags": ["draft"]}}]}
    ///         Result 0 has forbidden tag: 'draft'
    /// ```
    NoneHaveTags(Vec<String>),

    /// Every result has at least one of the tags in its `metadata.tags`.
    ///
    /// ```text
    /// expect: {"each_has_any_tag": ["work", "personal"]}
    /// passes: {"results": [{"metadata": {"tags": ["personal", "x"]}}]}
    /// fails:  {"results": [{"metadata": {"tags": []}}]}
    ///         Result 0 has none of the tags: 'work', 'personal'
    /// ```
    EachHasAnyTag(Vec<String>),

    /// Every date at the path lies between start and end, both included. An end without a time covers its whole day.
    ///
    /// Dates are RFC 3339, `YYYY-MM-DD`, or timestamps without an offset, read as UTC.
    ///
    /// ```text
    /// expect: {"all_dates_between": {"path": "results[*].created", "start": "2026-01-01", "end": "2026-01-31"}}
    /// passes: {"results": [{"created": "2026-01-31T23:59:59Z"}]}
    /// fails:  {"results": [{"created": "2026-02-05T10:00:00Z"}]}
    ///         Date 2026-02-05 is outside range 2026-01-01 to 2026-01-31
    /// ```
    AllDatesBetween(DatesBetween),

    /// Every date at the path is at most so many calendar days (UTC) from now, before or after.
    ///
    /// What now is can be set with `--now`; the example is asked at 2026-01-15.
    ///
    /// ```text
    /// expect: {"dates_within_days": {"path": "results[*].created", "days": 7}}
    /// passes: {"results": [{"created": "2026-01-08"}, {"created": "2026-01-22T23:00:00Z"}]}
    /// fails:  {"results": [{"created": "2026-01-07T23:59:59Z"}]}
    ///         Date 2026-01-07 is 8 days from 2026-01-15, more than 7
    /// ```
    DatesWithinDays {
        /// Where the dates stand.
        path: Path,
        /// How many days at most.
        days: Count,
    },

    /// Every date at the path lies in the year, in UTC.
    ///
    /// ```text
    /// expect: {"all_dates_in_year": {"path": "results[*].created", "year": 2026}}
    /// passes: {"results": [{"created": "2026-12-31"}]}
    /// fails:  {"results": [{"created": "2026-01-01T00:30:00+01:00"}]}
    ///         Date 2025-12-31 is not in year 2026
    /// ```
    AllDatesInYear {
        /// Where the dates stand.
        path: Path,
        /// The year.
        year: i16,
    },

    /// Every number at the path lies from `min` to `max`, both included. One bound may be left out.
    ///
    /// ```text
    /// expect: {"all_in_range": {"path": "results[*].relevance", "min": 0.0, "max": 1.0}}
    /// passes: {"results": [{"relevance": 0.95}, {"relevance": 1}]}
    /// fails:  {"results": [{"relevance": 1.2}]}
    ///         Value 1.2 is outside range 0.0-1.0
    /// ```
    AllInRange(Bounds),

    /// The number at the path lies from `min` to `max`, both included. One bound may be left out.
    ///
    /// ```text
    /// expect: {"range_check": {"path": "performance.search_duration_ms", "min": 0, "max": 5000}}
    /// passes: {"performance": {"search_duration_ms": 12.5}}
    /// fails:  {"performance": {"search_duration_ms": "12"}}
    ///         performance.search_duration_ms: expected a number, found string
    /// ```
    RangeCheck(Bounds),

    /// The values at the path never rise: all numbers, or all texts by code point.
    ///
    /// ```text
    /// expect: {"sorted_desc": {"path": "results[*].relevance"}}
    /// passes: {"results": [{"relevance": 1.0}, {"relevance": 0.9}, {"relevance": 0.9}]}
    /// fails:  {"results": [{"relevance": 0.9}, {"relevance": 1.0}]}
    ///         Values not sorted descending at index 1
    /// ```
    SortedDesc {
        /// Where the values stand.
        path: Path,
    },

    /// The values at the path never fall: all numbers, or all texts by code point.
    ///
    /// ```text
    /// expect: {"sorted_asc": {"path": "results[*].name"}}
    /// passes: {"results": [{"name": "Zoe"}, {"name": "ann"}]}
    /// fails:  {"results": [{"name": "b"}, {"name": "a"}]}
    ///         Values not sorted ascending at index 1
    /// ```
    SortedAsc {
        /// Where the values stand.
        path: Path,
    },

    /// The array at the path contains all of the `values`, or some text that matches the `pattern`.
    ///
    /// ```text
    /// expect: {"array_contains": {"path": "skipped", "values": ["people/", "documents/"]}}
    /// passes: {"skipped": ["documents/", "people/", "tmp/"]}
    /// fails:  {"skipped": ["people/"]}
    ///         skipped does not contain 'documents/'
    ///
    /// expect: {"array_contains": {"path": "skipped", "pattern": "^people/"}}
    /// passes: {"skipped": ["tmp/", "people/ann"]}
    /// fails:  {"skipped": ["tmp/"]}
    ///         No item of skipped matches pattern '^people/'
    /// ```
    ArrayContains(ArrayContains),

    /// At least one of the `expect` objects holds whole. An error in any of them surfaces.
    ///
    /// ```text
    /// expect: {"one_of": [{"status": "error"}, {"contains": "filter"}]}
    /// passes: {"status": "success", "message": "Please provide a filter"}
    /// fails:  {"status": "success", "message": "Done"}
    ///         No branch passed: (1) Expected status 'error', got 'success'; (2) Response does not contain 'filter'
    /// ```
    OneOf(Branches),

    /// Where `results` exists and is not empty, the assertions hold.
    ///
    /// ```text
    /// expect: {"if_results": {"all_have_tags": ["work"]}}
    /// passes: {"results": []}
    /// passes: {"results": [{"metadata": {"tags": ["work"]}}]}
    /// fails:  {"results": [{"metadata": {"tags": ["personal"]}}]}
    ///         Result 0 missing required tag: 'work'
    /// ```
    IfResults(Expect<ResponseAssertion>),

    /// Where `history_results` exists and is not null, the assertions hold.
    ///
    /// ```text
    /// expect: {"if_has_history": {"all_match": {"path": "history_results[*].operation", "value": "delete"}}}
    /// passes: {"results": []}
    /// passes: {"history_results": [{"operation": "delete"}]}
    /// fails:  {"history_results": [{"operation": "create"}]}
    ///         Found non-matching item: 'create' at history_results[0].operation
    /// ```
    IfHasHistory(Expect<ResponseAssertion>),

    /// Where some result's `file` starts with `people/` or `documents/`, the assertions hold.
    ///
    /// `has_field` (with its `value`) is asked of every such result, everything else of the response.
    ///
    /// ```text
    /// expect: {"if_sensitive_results": {"has_field": "sensitive", "value": true}}
    /// passes: {"results": [{"file": "journal/a.md"}]}
    /// passes: {"results": [{"file": "people/ann.md", "sensitive": true}, {"file": "journal/a.md"}]}
    /// fails:  {"results": [{"file": "journal/a.md"}, {"file": "people/ann.md"}]}
    ///         Missing field: results[1].sensitive
    /// ```
    IfSensitiveResults(Expect<ResponseAssertion>),

    /// Every result has the fields, each of its type, or of the shape `{type, min, max, enum, pattern, optional}`.
    ///
    /// Types: `string`, `number`, `integer`, `boolean`, `object`, `array`, `null`. Fields are paths from the result.
    ///
    /// ```text
    /// expect: {"results_schema": {"id": "string", "score": {"type": "number", "min": 0, "optional": true}}}
    /// passes: {"results": [{"id": "a", "score": 0.5}, {"id": "b"}]}
    /// fails:  {"results": [{"id": "a", "score": 0.5}, {"id": 7}]}
    ///         results[1].id: expected a string, found number
    /// ```
    ResultsSchema(IndexMap<Path, FieldShape>),

    /// No value at the path also stands at the same path of the response that an earlier step stored.
    ///
    /// Only a test with several steps can store a response; asked elsewhere, it is not evaluable.
    NoOverlap {
        /// Where the values stand, here and there.
        path: Path,
        /// The name under which the earlier response was stored.
        with: String,
    },
}

impl Vocabulary for ResponseAssertion {
    const SUBJECT: &'static str = "response";
    const TYPE: &'static str = "agent.response";
    const ABOUT: &'static str = "what the agent said";
    const COMPANIONS: &'static [(&'static str, &'static str)] = &[("value", "has_field")];
    const TAKES_ANY_JSON: bool = true;
    type Subject<'s> = Value;
    type Setting = NoSetting;

    fn read(json: &[u8], _: &NoSetting) -> Result<Read<Value>, Malformed> {
        let tree = Tree::read(json)?;
        Ok(Read { warnings: tree.warnings(), subject: tree.value })
    }

    fn from_text(text: &str) -> Option<Value> {
        Some(Value::from(text))
    }

    fn show(response: &Value, _: &Showing) -> String {
        let written = serde_json::to_string_pretty(response).unwrap_or_default();
        written.lines().flat_map(|line| ["  ", &visible(line), "\n"].map(str::to_owned)).collect()
    }

    fn exhibit(response: &Value) -> Option<&dyn Exhibit> {
        Some(response)
    }

    fn judge(&self, response: &Value, context: &Context<'_>) -> Result<Verdict, Error> {
        use ResponseAssertion as Said;
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
            Said::OneOf(branches) => one_of(response, &branches.0, context)?,
            Said::IfResults(then) => if_results(response, then, context)?,
            Said::IfHasHistory(then) => if_has_history(response, then, context)?,
            Said::IfSensitiveResults(then) => if_sensitive_results(response, then, context)?,
            Said::ResultsSchema(fields) => results_schema(response, fields)?,
            Said::NoOverlap { path, with } => no_overlap(response, path, with, context)?,
        })
    }

    fn at_a_glance<'q>(&'q self, glance: &mut Glance<'q>, context: &Context<'_>) -> Result<(), TooMuch> {
        self.ask_at_a_glance(glance, context)
    }

    fn constant(&self) -> Option<Constant> {
        constant::of(self)
    }

    fn exercise(&self, response: &Value, context: &Context<'_>) -> Exercise {
        use ResponseAssertion as Said;
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
            Said::OneOf(branches) => one_of_exercise(response, &branches.0, context),
            Said::IfResults(then) => if_results_exercise(response, then, context),
            Said::IfHasHistory(then) => if_has_history_exercise(response, then, context),
            Said::IfSensitiveResults(then) => if_sensitive_results_exercise(response, then, context),
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
